#ifndef SG_POLICY_QUERY_H
#define SG_POLICY_QUERY_H

/*
 * The pattern `query`: a query of tree-sitter (analyzer/query.h) with its
 * predicates.  Each query is run at most once over a script, and only when a
 * rule asks; what it found is kept by place.  Only files of this layer
 * include it.
 */

#include "analyzer/query.h"
#include "policy/compiled.h"

enum sg_query_op { SG_QUERY_EQ, SG_QUERY_MATCH, SG_QUERY_ANY_OF };

/* One predicate of one pattern of a query. */
struct sg_query_test {
	uint32_t pattern;
	uint32_t capture; /* whose nodes are looked at */
	uint8_t op;       /* enum sg_query_op */
	bool negate;      /* the text must be another */
	bool any;         /* one node is enough, else all */
	bool to_capture;  /* EQ: with the nodes of `other` */
	uint32_t other;
	struct sg_strs texts; /* EQ: one; ANY_OF */
	struct sg_regex *regex;
};

/* What SG_PAT_QUERY has; owned by the arena of the policy, but for q. */
struct sg_pat_query {
	struct sg_query *q; /* owned by the policy */
	uint32_t index;     /* of the policy's queries */
	const struct sg_query_test *tests;
	uint32_t ntests;
};

struct sg_query_found {
	struct sg_range range; /* of the capture that is told */
	uint32_t node;         /* the smallest that holds it */
};

/* What one query found in the script at hand. */
struct sg_query_result {
	bool run;
	enum sg_query_answer answer;
	struct {
		struct sg_query_found *v; /* by place */
		uint32_t n, room;
	} found;
	struct {
		uint32_t *v; /* their nodes, sorted */
		uint32_t n, room;
	} nodes;
};

struct sg_judge;
struct sg_candidate;
struct sg_load;
struct sg_doc_node;

/* Reads the text of a query into a pattern. */
int sg_load_query(struct sg_load *ld, const struct sg_doc_node *v,
		  struct sg_pat *into);
/* What the query of `pat` found, run when it was not yet. */
const struct sg_query_result *sg_query_result(struct sg_judge *j,
					      const struct sg_pat *pat);
/* True when the query found what the candidate stands at. */
bool sg_query_holds(struct sg_judge *j, const struct sg_pat *pat,
		    const struct sg_candidate *c);
/* Looks through what was found for the rules that start from queries. */
void sg_judge_queries(struct sg_judge *j);
/* For a new script. */
void sg_query_forget(struct sg_judge *j);

#endif
