#ifndef SG_EXECUTOR_DENIED_H
#define SG_EXECUTOR_DENIED_H

/*
 * Answers the first filter's questions, and records them.
 *
 * Two calls are let through once each, because set-up code of ours makes
 * them before the program starts: the execve() of the interpreter and the
 * seccomp() that adds the final filter.  In a fork of a zygote there is no
 * execve() of ours, and no second seccomp(): the caller marks them as used,
 * or the program would have them.  Every other call is refused.  After
 * SG_BOX_DENIED_CALLS of them the listener is closed; the kernel then refuses
 * by itself, with ENOSYS.
 */

#include "base/status.h"
#include "executor/limits.h"
#include "executor/result.h"

struct sg_denials {
	int fd; /* listener; -1: none.  Closed by sg_denials_release(). */
	int exec_nr, seccomp_nr;
	bool exec_used, seccomp_used;
	uint32_t calls;
	uint32_t n;
	struct {
		int nr;
		uint32_t count;
	} seen[SG_BOX_DENIED_NAMES];
	void *req, *resp; /* of the kernel's sizes; NULL until asked */
	size_t req_size;
};

void sg_denials_init(struct sg_denials *d);
void sg_denials_release(struct sg_denials *d);
/* Takes the listener over. */
void sg_denials_listen(struct sg_denials *d, int fd);
/* Answers one question; the listener is readable.  False: it is done. */
bool sg_denials_answer(struct sg_denials *d);
/* The record, most frequent first, owned by `arena`. */
void sg_denials_report(const struct sg_denials *d, struct sg_arena *arena,
		       struct sg_result *ret);

#endif
