#ifndef SG_ANALYZER_QUERY_H
#define SG_ANALYZER_QUERY_H

/*
 * Queries of tree-sitter, pinned to the grammar that is built in.
 *
 * They are the one place where the grammar's own names are seen: a query
 * looks at tree-sitter's tree of the whole text, names and literals too,
 * which is parsed for that alone and only when somebody asks.  What a
 * query's predicates (#eq? and so on) mean is up to the caller; here they
 * are data.
 *
 * A query is immutable and shared; what it is run with is in struct
 * sg_query_run, one for a thread.
 */

#include "analyzer/analysis.h"

struct sg_query;
struct sg_query_run;

/* One argument of a predicate: a capture by its number, or a text. */
struct sg_query_arg {
	bool is_capture;
	uint32_t capture;
	struct sg_str text;
};

/* (#name args...) of pattern `pattern`; views into the query. */
struct sg_query_predicate {
	struct sg_str name; /* "eq?" */
	const struct sg_query_arg *args;
	uint32_t nargs;
	uint32_t pattern;
	uint32_t at; /* offset of its '#' in the text of the query */
};

/*
 * *ret belongs to the caller: sg_query_free().  SG_EPOLICY with
 * *ret_offset, the byte of the text that is wrong, SG_ENOMEM.
 */
SG_MUST_CHECK int sg_query_new(struct sg_str text, struct sg_query **ret,
			       size_t *ret_offset, struct sg_err *err);
void sg_query_free(struct sg_query *q);

uint32_t sg_query_captures(const struct sg_query *q);
/* The name without its '@'; view into q. */
struct sg_str sg_query_capture(const struct sg_query *q, uint32_t capture);
uint32_t sg_query_patterns(const struct sg_query *q);
/* Where a pattern begins in the text of the query. */
uint32_t sg_query_pattern_at(const struct sg_query *q, uint32_t pattern);
/* True when whatever the pattern finds has at least one capture. */
bool sg_query_pattern_captures(const struct sg_query *q, uint32_t pattern);
/* All predicates, in the order in which they are written. */
const struct sg_query_predicate *sg_query_predicates(const struct sg_query *q,
						     uint32_t *ret_n);

enum sg_query_answer {
	SG_QUERY_DONE,
	SG_QUERY_STOPPED, /* by the function that was called */
	SG_QUERY_LIMIT,   /* not looked through to the end */
	SG_QUERY_UNREAD   /* the grammar does not read this text */
};

/* A captured node. */
struct sg_query_hit {
	uint32_t capture;
	struct sg_range range; /* in canonical text */
};

/* False stops the search. */
typedef bool sg_query_fn(void *ctx, uint32_t pattern,
			 const struct sg_query_hit *hits, uint32_t nhits);

SG_MUST_CHECK int sg_query_run_new(struct sg_query_run **ret,
				   struct sg_err *err);
void sg_query_run_free(struct sg_query_run *run);
/* Another text from the next search on, and `time_ms` of processor time for
 * its parse and all searches in it. */
void sg_query_run_reset(struct sg_query_run *run, uint32_t time_ms);

/*
 * Calls `fn` for each match of q in the text of `an`, which is parsed at the
 * first search after a reset; `an` must be the same until the next one.
 * Whoever gets neither SG_QUERY_DONE nor SG_QUERY_STOPPED knows nothing.
 */
enum sg_query_answer sg_query_each(struct sg_query_run *run,
				   const struct sg_analysis *an,
				   const struct sg_query *q, sg_query_fn *fn,
				   void *ctx);

#endif
