#ifndef SG_POLICY_REGEX_H
#define SG_POLICY_REGEX_H

/*
 * Regular expressions: PCRE2 with JIT, always under match, depth and heap
 * limits and under one budget of time for a whole judgement.
 *
 * Threads may share a regex; what a match writes into is in struct
 * sg_regex_run, one for a thread.
 */

#include "base/status.h"
#include "base/str.h"

struct sg_regex;
struct sg_regex_run;

enum sg_regex_answer {
	SG_REGEX_NO,
	SG_REGEX_YES,
	SG_REGEX_LIMIT /* not decided: treat as the worst */
};

/*
 * *ret belongs to the caller: sg_regex_free().  SG_EPOLICY with
 * *ret_offset, the byte of the pattern that is wrong.
 */
SG_MUST_CHECK int sg_regex_new(struct sg_str pattern, struct sg_regex **ret,
			       size_t *ret_offset, struct sg_err *err);
void sg_regex_free(struct sg_regex *re);
bool sg_regex_matches_empty(const struct sg_regex *re);
/* False when no text that begins with this byte can match. */
bool sg_regex_may_begin(const struct sg_regex *re, uint8_t byte);
/* For tests: with the interpreter from now on. */
void sg_regex_no_jit(struct sg_regex *re);

SG_MUST_CHECK int sg_regex_run_new(struct sg_regex_run **ret,
				   struct sg_err *err);
void sg_regex_run_free(struct sg_regex_run *run);
/* A fresh budget of time, for a new judgement. */
void sg_regex_run_reset(struct sg_regex_run *run);

/* Searches text from offset `from`; [*ret_start, *ret_end) on YES. */
enum sg_regex_answer sg_regex_find(struct sg_regex *re,
				   struct sg_regex_run *run, struct sg_str text,
				   size_t from, size_t *ret_start,
				   size_t *ret_end);

#endif
