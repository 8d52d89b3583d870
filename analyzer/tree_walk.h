#ifndef SG_ANALYZER_TREE_WALK_H
#define SG_ANALYZER_TREE_WALK_H

/* The walk over tree-sitter's tree; for analyzer/tree*.c only. */

#include <tree_sitter/api.h>

#include "analyzer/tree_build.h"

/* By symbol of the grammar: enum sg_rule. */
struct sg_rules {
	uint8_t *of; /* [n]; belongs to the owner: free() */
	uint32_t n;
};

/* Resolves the names once.  False when memory is refused. */
bool sg_rules_init(struct sg_rules *r, const TSLanguage *language);

/* Converts the tree below the cursor.  False when the script is refused
 * (b->problem) or memory is (b->refused_memory). */
bool sg_walk(struct sg_build *b, const struct sg_rules *rules,
	     TSTreeCursor *cursor);

#endif
