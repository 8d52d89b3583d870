#ifndef SG_POLICY_DOC_H
#define SG_POLICY_DOC_H

/*
 * One YAML document as a tree of nodes that know where they stand.
 *
 * A strict subset: one document, UTF-8, no tags, no anchors or aliases, keys
 * are scalars and stand once each.  Scalars stay text; whoever reads one
 * says what it should be.
 */

#include "base/arena.h"
#include "base/status.h"

enum sg_doc_kind { SG_DOC_SCALAR, SG_DOC_LIST, SG_DOC_MAP };

struct sg_doc_node {
	struct sg_str text;        /* scalar */
	struct sg_doc_node *key;   /* of this value, in a mapping; else NULL */
	struct sg_doc_node *first; /* members */
	struct sg_doc_node *next;
	uint32_t line, column; /* 1-based */
	uint32_t n;            /* members */
	uint8_t kind;          /* enum sg_doc_kind */
	bool plain;            /* scalar without quotes */
};

/*
 * Reads `text`; `file` is what errors call it.  *ret and all of it is owned
 * by `arena`.  SG_EPARSE, SG_ELIMIT or SG_ENOMEM, with place and code.
 */
SG_MUST_CHECK int sg_doc_read(struct sg_str text, const char *file,
			      struct sg_arena *arena, struct sg_doc_node **ret,
			      struct sg_err *err);

/*
 * Where byte `at` of a scalar's text is written in the document `text`: line
 * and column, 1-based, in code points.  Exact for whatever is no blank;
 * escapes, quotes, block scalars and folded lines are seen through.
 */
void sg_doc_place(struct sg_str text, const struct sg_doc_node *scalar,
		  size_t at, uint32_t *ret_line, uint32_t *ret_column);

/* The value of `key` in a mapping, or NULL. */
struct sg_doc_node *sg_doc_get(const struct sg_doc_node *map, const char *key);
/* True for a plain scalar that is empty, `~` or `null`. */
bool sg_doc_null(const struct sg_doc_node *node);

#endif
