#ifndef SG_ANALYZER_LIMITS_H
#define SG_ANALYZER_LIMITS_H

/*
 * Every limit of the analyzer stands here with its reason.  A script beyond
 * one is rejected with the rule named beside it; nothing is cut off.
 */

#include <stdint.h>

struct sg_limits {
	uint32_t bytes;   /* of submitted text: limit.bytes */
	uint32_t depth;   /* of nested nodes: limit.depth */
	uint32_t nodes;   /* of the syntax tree: limit.nodes */
	uint32_t time_ms; /* for analysis (seven tenths of it) and
			     judgement: limit.time */
};

/* Defaults.  A script that a model wrote has 2 to 20 KB; 1 MiB is beyond all
 * but generated tables.  CPython's own parser gives up at some 200 levels of
 * brackets and 100 of indentation. */
#define SG_LIMIT_BYTES (1u << 20)
#define SG_LIMIT_DEPTH 1000u
#define SG_LIMIT_NODES 1000000u
#define SG_LIMIT_TIME_MS 250u

/* Tokens for each node of the tree that is allowed: a text with more of them
 * is refused while it is read (limit.nodes), before it costs the memory of a
 * parse.  Ordinary scripts have one or two. */
#define SG_TOKENS_A_NODE 4u

/*
 * Values have bounds that no policy sets, since they are about the shape of
 * a script and not its size; they stand where they are used.  Beyond those of
 * one set (value_set.c: 32 texts, 6 numbers, 12 objects, 48 in all) or
 * of calls within calls (value_call.c) a value is taken as unknown, and
 * SG_DYNAMIC_WIDENED says so.  A script whose values do not come to rest
 * within 200 walks or 24 evaluations a node (value_eval.c) is limit.values.
 */

/* Queries of tree-sitter (analyzer/query.h).  tree-sitter numbers what a
 * query is made of with 16 bits, and recurses into brackets. */
#define SG_QUERY_BYTES (16u << 10)
#define SG_QUERY_DEPTH 64u
/* The text that is parsed a second time, for queries only. */
#define SG_QUERY_TEXT (1u << 20)
/* Matches of one query that are begun and not finished at one time: some
 * ten in honest queries; tree-sitter drops matches beyond. */
#define SG_QUERY_STATES 1024u

static inline struct sg_limits
sg_limits_default(void)
{
	return (struct sg_limits){ SG_LIMIT_BYTES, SG_LIMIT_DEPTH,
				   SG_LIMIT_NODES, SG_LIMIT_TIME_MS };
}

#endif
