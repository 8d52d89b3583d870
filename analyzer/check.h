#ifndef SG_ANALYZER_CHECK_H
#define SG_ANALYZER_CHECK_H

/*
 * What CPython's compiler refuses although its grammar accepts it; for
 * analyzer/check*.c only.  sg_check_tree() is the way in, and sets the depth
 * of all nodes on its way.
 */

#include "analyzer/tree_build.h"

enum {
	SG_MAX_CHECK_STEPS = 20000000, /* of walks from node to node */
	SG_MAX_BLOCKS = 20,            /* CO_MAXBLOCKS */
	SG_MAX_INT_DIGITS = 4300       /* sys.int_info.default_max_str_digits */
};

/* Kept in the op of a function, comprehension or try, which have none, while
 * its body is looked at. */
enum sg_check_seen {
	SG_CHECK_YIELDS = 1,
	SG_CHECK_RETURNS = 2,
	SG_CHECK_AWAITS = 4,
	SG_CHECK_HANDLERS = 8, /* of a try */
	SG_CHECK_FINALLY = 16
};

struct sg_check {
	struct sg_build *b;
	struct sg_ast ast;
	struct sg_node *nodes;
	uint32_t *scopes;     /* [node]: the owner of its scope */
	uint32_t debug;       /* the name __debug__, or 0 */
	uint32_t last_future; /* the last good import from __future__ */
	uint32_t steps;       /* of walks from node to node */
	bool future_annotations;
	bool some_comprehension;
	bool in_default;
	bool has[SG_AST_COUNT]; /* which kinds there are */
};

/* A name, and the node that has it. */
struct sg_bound {
	uint32_t name, node;
};

static inline bool
sg_check_is_function(unsigned kind)
{
	return kind == SG_AST_FunctionDef || kind == SG_AST_AsyncFunctionDef ||
	       kind == SG_AST_Lambda;
}

static inline bool
sg_check_is_try(const struct sg_check *c, uint32_t at)
{
	return c->nodes[at].kind == SG_AST_Try ||
	       c->nodes[at].kind == SG_AST_TryStar;
}

/* check_block.c */
bool sg_check_blocks(struct sg_check *c, uint32_t at);

/* check_name.c */
void sg_check_sort(struct sg_bound *v, uint32_t n); /* by name, then node */
bool sg_check_type_params(struct sg_check *c, uint32_t at);
bool sg_check_keywords(struct sg_check *c, uint32_t at);
bool sg_check_parameters(struct sg_check *c, uint32_t at);
/* __debug__, global, nonlocal: over the whole tree. */
bool sg_check_names(struct sg_check *c);

/* check_import.c: the first over the module, before anything else. */
bool sg_check_futures(struct sg_check *c);
bool sg_check_import(struct sg_check *c, uint32_t at);

/* check_match.c */
bool sg_check_match(struct sg_check *c, uint32_t at);
bool sg_check_case(struct sg_check *c, uint32_t at);
bool sg_check_or(struct sg_check *c, uint32_t at);
bool sg_check_mapping(struct sg_check *c, uint32_t at);
bool sg_check_class_pattern(struct sg_check *c, uint32_t at);

#endif
