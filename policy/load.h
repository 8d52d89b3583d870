#ifndef SG_POLICY_LOAD_H
#define SG_POLICY_LOAD_H

/*
 * From documents to a compiled policy.  Each section of the language has a
 * table of its keys (struct sg_field); sg_load_map() walks a mapping by such
 * a table, refuses what is not in it and calls the reader of each key.
 *
 * To add a key: write a reader, put it into the table of its mapping,
 * describe it in docs/policy.md and in docs/policy.schema.json.
 */

#include "policy/compiled.h"
#include "policy/doc.h"

struct sg_load_document {
	const char *file;       /* as errors call it */
	struct sg_str identity; /* shipped name, or path of the file */
	bool shipped;
	struct sg_str text; /* owned by the arena of the policy, or static */
	struct sg_doc_node *root;
	struct sg_digest digest;
	uint32_t depth;       /* 0: the policy itself */
	uint32_t parents[16]; /* indices of documents */
	uint32_t nparents;
	struct sg_mark parent_marks[16];
};

/* A scalar setting that several documents may make: the nearest wins, two
 * at the same distance must agree. */
struct sg_setting {
	bool set;
	bool conflict;
	uint32_t depth;
	struct sg_mark mark;
};

enum sg_setting_id {
	SG_SET_MODE,
	SG_SET_IMPORT_DEFAULT,
	SG_SET_WORKSPACE,
	SG_SET_BYTES,
	SG_SET_DEPTH,
	SG_SET_NODES,
	SG_SET_TIME,
	SG_SET_UNRESOLVED, /* + enum sg_dynamic */
	SG_SET_COUNT = SG_SET_UNRESOLVED + SG_DYNAMIC_COUNT
};

struct sg_load {
	struct sg_policy *p;
	struct sg_arena *arena; /* of the policy */
	struct sg_err *err;
	const char *file; /* of the document that is read */
	uint32_t document, depth;
	struct sg_load_document docs[16];
	uint32_t ndocs;
	struct sg_setting settings[SG_SET_COUNT];
	uint32_t pattern_depth;

	struct {
		struct sg_rule *v;
		uint32_t n, room;
	} rules;
	struct {
		struct sg_regex **v;
		uint32_t n, room;
	} regexes;
	struct {
		struct sg_query **v;
		uint32_t n, room;
	} queries;
	struct {
		struct sg_import_rule *v;
		uint32_t n, room;
	} imports;
	struct {
		struct sg_cap_rule *v;
		uint32_t n, room;
	} caps;
	struct {
		struct sg_exception *v;
		uint32_t n, room;
	} exceptions;
	struct {
		struct sg_named_list *v;
		uint32_t n, room;
	} lists;
	struct {
		struct sg_policy_warning *v;
		uint32_t n, room;
	} warnings;
};

typedef int sg_load_fn(struct sg_load *ld, const struct sg_doc_node *value,
		       void *into);

enum sg_field_flag {
	SG_FIELD_REQUIRED = 1 << 0,
	SG_FIELD_SKIP = 1 << 1 /* allowed; read elsewhere */
};

struct sg_field {
	const char *key; /* NULL ends a table */
	sg_load_fn *read;
	uint32_t flags;
};

/* How the value of a key in a pattern is read. */
struct sg_form {
	const char *key; /* NULL ends a table */
	int (*load)(struct sg_load *ld, const struct sg_form *form,
		    const struct sg_doc_node *map, const struct sg_doc_node *v,
		    struct sg_pat **ret); /* v is a member of map */
	int what;                         /* of what `load` can read */
};

struct sg_choice {
	const char *word; /* NULL ends a table */
	int value;
};

/* --- reader.c: typed reading, one error each ------------------------- */

/* Fills ld->err with the place of `at`; returns SG_EPOLICY. */
int sg_load_fail(struct sg_load *ld, const struct sg_doc_node *at,
		 const char *code, const char *fmt, ...) SG_PRINTF(4, 5);
/* The same at byte `at` of a scalar's text. */
int sg_load_fail_in(struct sg_load *ld, const struct sg_doc_node *v, size_t at,
		    const char *code, const char *fmt, ...) SG_PRINTF(5, 6);
/* Moves the place of an error to byte `at` of a scalar's text. */
void sg_load_place(struct sg_load *ld, const struct sg_doc_node *v, size_t at);
int sg_load_nomem(struct sg_load *ld);
#ifdef SG_ANALYZE
/* For static analyzers, see base/status.h. */
#define sg_load_fail(ld, at, ...) \
	((void)(sg_load_fail)((ld), (at), __VA_ARGS__), (int)SG_EPOLICY)
#define sg_load_fail_in(ld, v, at, ...) \
	((void)(sg_load_fail_in)((ld), (v), (at), __VA_ARGS__), (int)SG_EPOLICY)
#define sg_load_nomem(ld) ((void)(sg_load_nomem)(ld), (int)SG_ENOMEM)
#endif
struct sg_mark sg_load_mark(const struct sg_load *ld,
			    const struct sg_doc_node *at);
/* The word of the NULL-ended list that is nearest, or NULL. */
const char *sg_load_nearest(struct sg_str word, const char *const *words);

int sg_load_map(struct sg_load *ld, const struct sg_doc_node *map,
		const struct sg_field *fields, const char *what, void *into);
/* The same check of type for a list. */
int sg_load_list(struct sg_load *ld, const struct sg_doc_node *list,
		 const char *what);
int sg_load_text(struct sg_load *ld, const struct sg_doc_node *v,
		 struct sg_str *ret);
int sg_load_bool(struct sg_load *ld, const struct sg_doc_node *v, bool *ret);
int sg_load_number(struct sg_load *ld, const struct sg_doc_node *v,
		   uint32_t min, uint32_t max, uint32_t *ret);
int sg_load_choice(struct sg_load *ld, const struct sg_doc_node *v,
		   const struct sg_choice *table, int *ret);
int sg_load_regex(struct sg_load *ld, const struct sg_doc_node *v,
		  struct sg_regex **ret);
/* Compiles a regex that the policy then owns; *ret_offset is the byte that is
 * wrong. */
int sg_load_new_regex(struct sg_load *ld, const struct sg_doc_node *v,
		      struct sg_str pattern, struct sg_regex **ret,
		      size_t *ret_offset);
/* Names of capabilities, with globs; each must mean at least one. */
int sg_load_capabilities(struct sg_load *ld, const struct sg_doc_node *v,
			 uint64_t *ret_mask, struct sg_strs *ret_globs);
void sg_load_warn(struct sg_load *ld, struct sg_mark mark, const char *code,
		  const char *fmt, ...) SG_PRINTF(4, 5);
/* True when the setting is to be taken; see struct sg_setting. */
bool sg_load_setting(struct sg_load *ld, uint32_t id,
		     const struct sg_doc_node *at, bool same);

/* --- list.c: texts and lists ------------------------------------------ */

/* A text or a list of texts; `$name` stands for the items of a list. */
int sg_load_strs(struct sg_load *ld, const struct sg_doc_node *v,
		 struct sg_strs *ret);
/*
 * Makes names canonical (policy/canon.h); `builtins` tells to take a bare
 * name for that of a builtin.
 */
int sg_load_canon(struct sg_load *ld, bool builtins, struct sg_strs *names);
/* The node that item `index` of what sg_load_strs() gave stands in. */
const struct sg_doc_node *
sg_load_item(struct sg_load *ld, const struct sg_doc_node *v, uint32_t index);

/* --- document.c: the documents of a policy ------------------------------- */

/* The index of the document that `name` means, read when it is new.  `at` is
 * where that stands in the current one, NULL for the policy itself. */
int sg_load_open(struct sg_load *ld, const struct sg_doc_node *at,
		 struct sg_str name, uint32_t depth, uint32_t *ret);
/* Fills in digest, text and root of a document whose file has a name. */
int sg_load_read(struct sg_load *ld, struct sg_str text,
		 struct sg_load_document *doc);
/* Everything that document 0 extends. */
int sg_load_documents(struct sg_load *ld);
int sg_load_check_cycles(struct sg_load *ld);
/* Makes one the current one. */
void sg_load_enter(struct sg_load *ld, uint32_t document);

/* --- the parts ------------------------------------------------------- */

int sg_load_pattern(struct sg_load *ld, const struct sg_doc_node *v,
		    struct sg_pat **ret); /* pattern.c */
/* Without memory NULL, and ld->err says so; pattern.c. */
struct sg_pat *sg_load_new_pattern(struct sg_load *ld,
				   const struct sg_doc_node *at,
				   enum sg_pat_kind kind);
extern const struct sg_form sg_load_leaves[]; /* leaf.c */
int sg_load_args(struct sg_load *ld, const struct sg_doc_node *v,
		 struct sg_pat *into); /* argument.c */
int sg_load_rules(struct sg_load *ld, const struct sg_doc_node *v,
		  void *into); /* rule.c */
int sg_load_overrides(struct sg_load *ld, const struct sg_doc_node *v,
		      void *into);               /* rule.c */
extern const struct sg_field sg_load_sections[]; /* section.c */
int sg_load_lists(struct sg_load *ld, const struct sg_doc_node *v,
		  void *into); /* section.c */
int sg_load_exceptions(struct sg_load *ld, const struct sg_doc_node *v,
		       void *into);                      /* exception.c */
int sg_load_check_exceptions(struct sg_load *ld);        /* exception.c */
int sg_load_check_settings(struct sg_load *ld);          /* section.c */
int sg_compile(struct sg_policy *p, struct sg_err *err); /* compile.c */
void sg_lint(struct sg_load *ld);                        /* lint.c */

#endif
