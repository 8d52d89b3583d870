#ifndef SG_ANALYZER_TREE_H
#define SG_ANALYZER_TREE_H

/*
 * From canonical text to the syntax tree: scrub (analyzer/scrub.h), then
 * the parser under caps (analyzer/parse.h), then conversion to CPython's
 * shapes, then the checks that CPython's compiler makes and the grammar does
 * not.
 */

#include "analyzer/ast.h"
#include "analyzer/limits.h"

struct sg_intern;
struct sg_tree;

/* What one reading needs and gives.  Owned by `arena` where not said. */
struct sg_tree_job {
	/* in */
	const struct sg_source *source;
	const struct sg_limits *limits;
	uint32_t minor;    /* of Python 3 */
	uint64_t deadline; /* sg_clock_cpu() */
	struct sg_arena *arena;
	struct sg_intern *names; /* identifiers go here */
	/* out */
	struct sg_ast ast;           /* n is 0 when there is a problem */
	struct sg_problem *problems; /* the first is the most telling */
	uint32_t nproblems;
	struct sg_range *comments; /* with the '#', without the LF */
	uint32_t ncomments;
};

/* *ret belongs to the caller: sg_tree_free().  One thread at a time. */
SG_MUST_CHECK int sg_tree_new(struct sg_tree **ret, struct sg_err *err);
void sg_tree_free(struct sg_tree *t);
SG_MUST_CHECK int sg_tree_read(struct sg_tree *t, struct sg_tree_job *job,
			       struct sg_err *err);

/*
 * tree-sitter's parse alone, of the text as it is, for the benchmark that
 * compares the gate with it.  SG_EINTERNAL when it gives no tree.
 */
SG_MUST_CHECK int sg_tree_parse_only(struct sg_tree *t, struct sg_str text,
				     struct sg_err *err);

#endif
