#ifndef SG_POLICY_POLICY_H
#define SG_POLICY_POLICY_H

/*
 * A compiled policy: immutable once loaded, shared by threads.
 *
 * docs/policy.md describes the language.  Loading is strict: an unknown or
 * duplicate key, a wrong type, an unknown node name, a bad regex and so on
 * end it with one error that has file, line, column and a code
 * ("policy.unknown-key").
 */

#include "analyzer/analysis.h"
#include "base/buf.h"
#include "base/embed.h"
#include "policy/verdict.h"

struct sg_policy;

/*
 * Loads by the name of a shipped policy ("default", "strict", "audit") or
 * from a file (anything with a '/' or that ends in ".yaml" or ".yml").
 * *ret belongs to the caller: sg_policy_free().
 * SG_ENOENT, SG_EPARSE, SG_EPOLICY, SG_EIO, SG_ENOMEM.
 */
SG_MUST_CHECK int sg_policy_open(const char *name_or_path,
				 struct sg_policy **ret, struct sg_err *err);
/* The same from text; `file` is what errors call it. */
SG_MUST_CHECK int sg_policy_read(struct sg_str text, const char *file,
				 struct sg_policy **ret, struct sg_err *err);
void sg_policy_free(struct sg_policy *p);

/* Views into p. */
struct sg_str sg_policy_name(const struct sg_policy *p);
/* SHA-256 over the bytes of the policy and all it extends. */
struct sg_digest sg_policy_digest(const struct sg_policy *p);
/* The analyzer limits that it sets. */
struct sg_limits sg_policy_limits(const struct sg_policy *p);
uint32_t sg_policy_rule_count(const struct sg_policy *p);

/* The name, description and so on of one rule; built-in checks come first. */
struct sg_rule_info {
	struct sg_str id, title, message, hint;
	enum sg_severity severity;
	const char *action; /* "reject", "annotate", "off" */
	const char *file;   /* where it stands; NULL: built in */
	uint32_t line, column;
	const struct sg_str *cwe, *tags, *references;
	uint32_t ncwe, ntags, nreferences, ntests;
};

/* Rule `index` of sg_policy_rule_count(); views into p. */
void sg_policy_rule(const struct sg_policy *p, uint32_t index,
		    struct sg_rule_info *ret);

/*
 * What the policy says of a module or a capability as such, before any
 * script is seen.  Rules count whose pattern is nothing but an import or a
 * capability (of code that runs); those that ask for more depend on the
 * script.
 */
struct sg_policy_decision {
	enum sg_decision decision;
	struct sg_str rule, message, hint; /* views into p; empty on pass.
					    * Templates: {name} and so on */
};

/*
 * Of a module by its dotted name: the section `imports`, rules that match
 * imports, and what the capabilities of the module itself come to.
 */
void sg_policy_import_decision(const struct sg_policy *p, struct sg_str module,
			       struct sg_policy_decision *ret);
/* False when there is no such capability ("fs.read"). */
bool sg_policy_capability_decision(const struct sg_policy *p,
				   struct sg_str name,
				   struct sg_policy_decision *ret);

/* One module of the section `imports`; globs, views into p. */
struct sg_policy_import {
	struct sg_str module;
	bool denied;      /* else allowed, but for its names: */
	bool public_only; /* none that begins with an underscore */
	const struct sg_str *allow, *deny; /* globs below the module */
	uint32_t nallow, ndeny;            /* nallow 0: all */
	struct sg_str message;             /* may be empty */
};

uint32_t sg_policy_import_count(const struct sg_policy *p);
void sg_policy_import(const struct sg_policy *p, uint32_t index,
		      struct sg_policy_import *ret);
/* Each module, as a glob, that a rule names by its import alone. */
void sg_policy_import_names(const struct sg_policy *p,
			    void (*each)(struct sg_str glob, void *ctx),
			    void *ctx);
/* True when modules that are not listed are allowed. */
bool sg_policy_import_default(const struct sg_policy *p);

/* Folders and files that a script may name; "." for what is relative. */
const struct sg_str *sg_policy_workspace(const struct sg_policy *p,
					 uint32_t *ret_n);
/* True when an exception lets this script off that rule. */
bool sg_policy_excepted(const struct sg_policy *p, struct sg_str rule,
			const char *path, const struct sg_digest *submitted);

/* What is allowed and yet likely to be a mistake. */
struct sg_policy_warning {
	const char *code; /* "policy.unused-list"; static */
	const char *file;
	uint32_t line, column;
	struct sg_str message;
};

/* In order of place; views into p. */
const struct sg_policy_warning *sg_policy_warnings(const struct sg_policy *p,
						   uint32_t *ret_n);

/* Scratch for one thread: regex match data and so on. */
struct sg_judge;
SG_MUST_CHECK int sg_judge_new(const struct sg_policy *p, struct sg_judge **ret,
			       struct sg_err *err);
void sg_judge_free(struct sg_judge *j);

/*
 * Judges one analysis.  `path` (may be NULL) is what exceptions look at.
 * *ret and all in it is owned by `arena`, and points into `p` for texts of
 * rules.  Whatever can't be judged to the end is a finding that rejects;
 * a status other than SG_OK must be treated as reject by the caller.
 */
SG_MUST_CHECK int sg_judge_run(struct sg_judge *j, const struct sg_analysis *an,
			       const char *path, struct sg_arena *arena,
			       struct sg_verdict *ret, struct sg_err *err);

/* What the inline tests of a policy found. */
struct sg_policy_test {
	struct sg_str rule;    /* id */
	bool hit;              /* from `hit` (else from `pass`) */
	uint32_t index;        /* 0-based in its list */
	uint32_t line, column; /* of the test in the policy file */
	struct sg_str code;
	bool good;
	struct sg_str reason; /* why not good */
};

/*
 * Test `index` of a rule, as it is written; false beyond the last.  It was
 * not run: `good` is false and `reason` empty.
 */
bool sg_policy_rule_test(const struct sg_policy *p, uint32_t rule,
			 uint32_t index, struct sg_policy_test *ret);

typedef void sg_policy_test_fn(void *ctx, const struct sg_policy_test *t);

/* Runs every inline test; *ret_failed counts those that are not good. */
SG_MUST_CHECK int sg_policy_test_run(const struct sg_policy *p,
				     sg_policy_test_fn *each, void *ctx,
				     uint32_t *ret_run, uint32_t *ret_failed,
				     struct sg_err *err);

/*
 * A script that says itself what must be found: "# expect: RULE" (or a list,
 * with commas) in a comment on the line where a finding begins.  What is
 * reported must be just that.
 */
enum sg_expect_kind {
	SG_EXPECT_MISSING, /* expected and not found */
	SG_EXPECT_NOISY,   /* found on a line that expects nothing */
	SG_EXPECT_WRONG    /* found on a line that expects something else */
};

struct sg_expect_miss {
	enum sg_expect_kind kind;
	struct sg_str rule;
	uint32_t line;
	struct sg_str message; /* of the finding; empty for missing */
};

typedef void sg_expect_fn(void *ctx, const struct sg_expect_miss *m);

/* *ret_expected and *ret_missed are counts; texts live for the call. */
SG_MUST_CHECK int sg_policy_test_script(const struct sg_policy *p,
					struct sg_str code, sg_expect_fn *each,
					void *ctx, uint32_t *ret_expected,
					uint32_t *ret_missed,
					struct sg_err *err);

/* "Missing", "Noisy", "Wrong": static. */
const char *sg_expect_name(enum sg_expect_kind kind);

/* The shipped policies, rules/<name>.yaml, embedded in the program: name and
 * text; a NULL name ends the table. */
const struct sg_embed *sg_policy_shipped(void);
/* The same names, each with its document as policy/docpack.h packs it. */
const struct sg_embed *sg_policy_packed(void);

#endif
