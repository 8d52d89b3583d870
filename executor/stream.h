#ifndef SG_EXECUTOR_STREAM_H
#define SG_EXECUTOR_STREAM_H

/*
 * Keeps the head and the tail of what a program writes, in bounded memory,
 * and counts the rest.
 */

#include "base/buf.h"
#include "executor/result.h"

struct sg_capture {
	struct sg_buf head;
	char *tail;     /* ring of `half` bytes; NULL until needed */
	size_t half;    /* bytes kept of each end */
	size_t tail_at; /* where the next byte goes */
	uint64_t total;
	bool failed; /* memory was refused; what came later is lost */
};

/* `keep` bytes in all: half of the head, half of the tail. */
void sg_capture_init(struct sg_capture *c, uint64_t keep);
void sg_capture_release(struct sg_capture *c);
void sg_capture_add(struct sg_capture *c, const char *p, size_t n);

/*
 * What was kept as valid UTF-8, with a mark where something is left out;
 * owned by `arena`.
 */
SG_MUST_CHECK int sg_capture_finish(const struct sg_capture *c,
				    struct sg_arena *arena,
				    struct sg_stream *ret, struct sg_err *err);

/*
 * Copies s with every invalid sequence replaced by U+FFFD, at most `max`
 * bytes of result, cut between code points.  *ret_replaced and *ret_cut may
 * be NULL.  p is NULL when the arena refuses.
 */
struct sg_str sg_utf8_repair(struct sg_arena *arena, struct sg_str s,
			     size_t max, uint32_t *ret_replaced, bool *ret_cut);

#endif
