#ifndef SG_ANALYZER_QUERY_OUTLINE_H
#define SG_ANALYZER_QUERY_OUTLINE_H

/* What a query is made of, before tree-sitter sees it; for
 * analyzer/query*.c only. */

#include "analyzer/query.h"

struct sg_query_level {
	char open;   /* the bracket; 0 outside of all */
	bool filled; /* has a node, or more, before the place at hand */
};

struct sg_query_outline {
	struct sg_str text;
	/* out, when it is wrong */
	size_t at;
	const char *why; /* NULL: no such field */
	/* while reading */
	size_t word, word_end; /* the last word, after no other mark */
	uint32_t depth, fields, npreds;
	bool negated;     /* after '!' */
	bool after_colon; /* a node must follow */
	struct sg_query_level level[SG_QUERY_DEPTH + 2];
};

/*
 * False when tree-sitter must not be given the text.  The rest of *o is
 * empty at first.  `preds` get the places of the predicates, as many as there
 * is room for.
 */
bool sg_query_outline_read(struct sg_query_outline *o,
			   struct sg_query_predicate *preds, uint32_t room);

#endif
