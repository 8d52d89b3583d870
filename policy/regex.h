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

/* What its pattern alone says of all matches of a regex. */
struct sg_regex_traits {
	uint8_t starts[32]; /* set of bytes that may begin a match, when it
			     * is the start of the text; if has_starts */
	bool has_starts;
	bool has_need;
	char need, need_too; /* every match has one of them; if has_need */
	bool empty;          /* the empty text matches */
	uint32_t min_length; /* no shorter text can match */
};

/*
 * The regexes of the shipped policies, studied when sandgate was built
 * (tools/regexes.c): such a pattern is good, and compiled when it is first to
 * run.  Counts only under the PCRE2 that studied them.
 */
struct sg_regex_known {
	const char *pattern; /* NULL ends the table */
	uint32_t length;
	struct sg_regex_traits traits;
};
extern const struct sg_regex_known sg_regex_known[];
extern const char sg_regex_known_by[]; /* as sg_regex_version() */

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
/* Compiles it, for what it says alone.  Fails like sg_regex_new(). */
SG_MUST_CHECK int sg_regex_study(struct sg_str pattern,
				 struct sg_regex_traits *ret,
				 size_t *ret_offset, struct sg_err *err);
/* Of PCRE2 and its tables of characters; "" when it cannot be told. */
enum { SG_REGEX_VERSION = 72 };
void sg_regex_version(char out[SG_REGEX_VERSION]);
bool sg_regex_matches_empty(const struct sg_regex *re);
/* False when no text that begins with this byte can match. */
bool sg_regex_may_begin(const struct sg_regex *re, uint8_t byte);
/* For tests: false until something had to be compiled. */
bool sg_regex_is_compiled(const struct sg_regex *re);
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
