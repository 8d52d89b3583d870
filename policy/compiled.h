#ifndef SG_POLICY_COMPILED_H
#define SG_POLICY_COMPILED_H

/*
 * A compiled policy from the inside: what policy/load*.c builds and
 * policy/judge*.c reads.  Only files of this layer include it.
 */

#include "analyzer/analysis.h"
#include "policy/names.h"
#include "policy/policy.h"
#include "policy/regex.h"

struct sg_doc_node;
struct sg_pat_query;
struct sg_query;

/* Texts, owned by the arena of the policy. */
struct sg_strs {
	const struct sg_str *v;
	uint32_t n;
};

/* Where in the policy's documents something stands. */
struct sg_mark {
	const char *file;
	uint32_t line, column;
};

/* --- patterns -------------------------------------------------------- */

enum sg_pat_kind {
	SG_PAT_ALL,
	SG_PAT_ANY,
	SG_PAT_NOT,
	SG_PAT_INSIDE, /* an ancestor node matches */
	SG_PAT_HAS,    /* a node below matches */
	SG_PAT_PARENT, /* the node right above matches */
	SG_PAT_FACT,
	SG_PAT_CAPABILITY,
	SG_PAT_NODE,
	SG_PAT_REGEX,
	SG_PAT_ARG,
	SG_PAT_UNREACHED, /* in code that the script never runs */
	SG_PAT_CALLEE,    /* what a call calls, right there */
	SG_PAT_CONTAINED, /* the script reaches nothing but itself */
	SG_PAT_QUERY      /* a query of tree-sitter finds it */
};

enum sg_zone {
	SG_ZONE_CODE = 1 << 0,    /* text without comments and strings */
	SG_ZONE_STRINGS = 1 << 1, /* folded values */
	SG_ZONE_COMMENTS = 1 << 2,
	SG_ZONE_NAMES = 1 << 3, /* identifiers */
	SG_ZONE_RAW = 1 << 4
};

/* What one argument must be; all that is given must hold. */
struct sg_argpred {
	struct sg_str keyword; /* n == 0: by position only */
	int32_t position;      /* -1: by keyword only; -2: any argument */
	bool has_literal, literal;
	bool has_present, present;
	bool has_unknown, unknown;
	bool has_text, text;       /* may be a text or bytes */
	bool has_local, local;     /* surely the script's own */
	bool has_outside, outside; /* of the workspace */
	bool negate;               /* `not:` around the rest */
	struct sg_strs strings;    /* globs; some string value matches */
	struct sg_strs values;     /* constants as text */
	struct sg_strs names;      /* globs of dotted names */
	struct sg_regex *regex;    /* on string values; owned by the policy */
	/* what was given as an empty list is not the same as not given */
	bool has_strings, has_values, has_names;
};

struct sg_pat {
	uint32_t id;              /* number in the policy, from 0 */
	uint8_t kind;             /* enum sg_pat_kind */
	uint8_t zones;            /* enum sg_zone; REGEX */
	uint8_t dynamics;         /* FACT: mask of enum sg_dynamic, 0 any */
	bool below;               /* FACT: a node in `inside`/`has` */
	uint32_t facts;           /* FACT: mask of 1 << enum sg_fact_kind */
	uint16_t flags, no_flags; /* FACT: wanted and refused sg_fact_flag */
	bool wanted;              /* UNREACHED CALLEE: true or false */
	bool any_name;            /* FACT, NODE: names do not matter */
	bool or_below;            /* import: M.* too */
	struct sg_strs names;     /* FACT, NODE, CONTAINED: globs */
	struct sg_regex *regex;   /* FACT (instead of names), REGEX */
	uint64_t capabilities;    /* CAPABILITY: mask */
	uint64_t nodes[2];        /* NODE: set of enum sg_ast_kind */
	const struct sg_argpred *args; /* ARG */
	uint32_t nargs;
	const struct sg_pat_query *query; /* QUERY */
	struct sg_pat **sub;              /* ALL ANY: all; others: one */
	uint32_t nsub;
	struct sg_mark mark;
};

/* --- rules ----------------------------------------------------------- */

enum sg_action { SG_ACTION_OFF, SG_ACTION_ANNOTATE, SG_ACTION_REJECT };

struct sg_rule_test {
	struct sg_str code;
	bool hit;
	uint32_t index;
	struct sg_mark mark;
};

struct sg_override {
	uint32_t depth; /* of the document that set it */
	struct sg_mark mark;
	bool used;
};

struct sg_rule {
	struct sg_str id, title, message, hint;
	struct sg_strs cwe, references, tags;
	enum sg_severity severity;
	enum sg_action action;
	const struct sg_doc_node *doc; /* of the match */
	uint32_t document;             /* index of files */
	struct sg_pat *match;          /* NULL for the built-in ones */
	bool direct;                   /* being found in the index is enough */
	const struct sg_rule_test *tests;
	uint32_t ntests;
	struct sg_mark mark;
	struct sg_override set_action, set_severity, set_message, set_hint;
};

/* Rules that are sections of a policy rather than members of `rules`;
 * they stand first in the table of rules, in this order. */
enum sg_builtin {
	SG_BUILTIN_IMPORT_DENIED,
	SG_BUILTIN_IMPORT_UNLISTED,
	SG_BUILTIN_IMPORT_NAME,
	SG_BUILTIN_CAPABILITY,
	SG_BUILTIN_UNRESOLVED,
	SG_BUILTIN_LIMIT_TIME,
	SG_BUILTIN_LIMIT_REGEX,
	SG_BUILTIN_LIMIT_MATCH,
	SG_BUILTIN_LIMIT_QUERY,
	SG_BUILTIN_QUERY_UNREAD,
	SG_BUILTIN_COUNT
};

/* --- sections -------------------------------------------------------- */

struct sg_import_rule {
	struct sg_str module;  /* glob; M stands for M.* as well */
	bool deny;             /* else allowed */
	bool public_only;      /* names with a leading underscore refused */
	struct sg_strs allow;  /* globs below the module; 0: all */
	struct sg_strs refuse; /* globs below the module */
	struct sg_str message; /* may be empty */
	bool implied; /* the canonical name of a module that is listed */
	uint32_t depth;
	struct sg_mark mark;
};

struct sg_cap_rule {
	struct sg_str glob;
	enum sg_action action;
	bool allow;
	uint32_t depth;
	struct sg_mark mark;
};

struct sg_exception {
	struct sg_str rule;     /* glob of ids */
	struct sg_strs paths;   /* globs; either this ... */
	struct sg_strs digests; /* ... or these, in hexadecimal */
	struct sg_str reason;
	struct sg_str until; /* "2027-01-31", the last day */
	uint32_t until_day;  /* 20270131 */
	struct sg_mark mark;
};

struct sg_named_list {
	struct sg_str name;
	struct sg_strs items;
	uint32_t document;
	bool used;
	struct sg_mark mark;
};

struct sg_policy_file {
	const char *file;
	struct sg_digest digest;
	uint32_t depth;
};

struct sg_policy {
	struct sg_arena arena;
	struct sg_str name, description;
	struct sg_digest digest;
	bool annotate_only;
	struct sg_limits limits;

	struct sg_rule *rules; /* built-in ones first */
	uint32_t nrules;
	uint32_t npatterns;
	struct sg_regex **regexes;
	uint32_t nregexes;
	struct sg_query **queries;
	uint32_t nqueries;

	bool import_default_reject;
	bool has_imports; /* anything to check at all */
	struct sg_import_rule *imports;
	uint32_t nimports;
	struct sg_name_index import_index; /* target: index of imports */

	struct sg_cap_rule *caps;
	uint32_t ncaps;
	uint64_t cap_reject, cap_annotate, cap_allow;

	struct sg_strs workspace;
	enum sg_action unresolved[SG_DYNAMIC_COUNT];

	struct sg_exception *exceptions;
	uint32_t nexceptions;
	struct sg_named_list *lists;
	uint32_t nlists;
	struct sg_policy_file files[16];
	uint32_t nfiles;

	/* the index: from facts and nodes to rules */
	struct sg_name_index index; /* target: index of rules */
	uint32_t *any_name;         /* rules with a nameless leaf ... */
	uint32_t nany_name;
	uint32_t any_name_facts; /* ... for these kinds of fact */
	/* rules with a regex on names, by the first byte of the name:
	 * [regex_at[b] .. regex_at[b + 1]); 256 is the empty name */
	uint32_t *string_regex;
	uint32_t regex_at[258];
	uint32_t string_regex_facts;
	uint32_t *cap_rules;
	uint32_t ncap_rules;
	uint64_t cap_rule_mask;
	uint32_t *node_rules; /* by kind: [node_at[k] .. node_at[k + 1]) */
	uint32_t node_at[SG_AST_COUNT + 1];
	uint64_t node_set[2];
	uint64_t named_set[2]; /* kinds that `index` is asked for, by name */
	uint32_t *zone_rules;  /* rules with a regex leaf */
	uint32_t nzone_rules;
	uint32_t zones;        /* all of theirs */
	uint32_t *query_rules; /* rules that start from a query */
	uint32_t nquery_rules;

	/* what policy/decide.c is asked, without a script */
	uint64_t *plain_caps;   /* [cap_rules] that mere use is found of */
	uint32_t *import_rules; /* rules that find all imports of a name */
	uint32_t nimport_rules;

	struct sg_policy_warning *warnings;
	uint32_t nwarnings;
};

/* Beside the kinds of facts in the masks of the index: names of nodes. */
enum { SG_INDEX_NODE = 1 << 30 };

/* Fills the tables of policy/decide.c, when the index is made. */
SG_MUST_CHECK int sg_decide_compile(struct sg_policy *p, struct sg_err *err);

/* The rules of enum sg_builtin, with texts; policy/builtin.c. */
extern const struct sg_rule sg_builtin_rules[SG_BUILTIN_COUNT];

/* True when it holds today for a script of that path (or NULL) and digest. */
bool sg_exception_applies(const struct sg_exception *ex, const char *path,
			  const struct sg_digest *submitted);

/* What is known of a problem's code ("syntax.error"); never NULL. */
struct sg_problem_text {
	const char *code; /* or a prefix that ends in '.' */
	const char *title, *hint;
	const char *cwe; /* NULL: none */
	enum sg_severity severity;
};
const struct sg_problem_text *sg_problem_text_find(const char *code);

static inline bool
sg_node_set_has(const uint64_t set[2], uint32_t kind)
{
	return (set[kind >> 6] >> (kind & 63) & 1) != 0;
}

#endif
