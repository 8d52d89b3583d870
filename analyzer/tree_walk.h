#ifndef SG_ANALYZER_TREE_WALK_H
#define SG_ANALYZER_TREE_WALK_H

/* The walk over the concrete tree; for analyzer/tree*.c only. */

#include "analyzer/parse.h"

/* Converts the tree.  False when the script is refused (b->problem) or memory
 * is (b->refused_memory). */
bool sg_walk(struct sg_build *b, const struct sg_parse *parse);

#endif
