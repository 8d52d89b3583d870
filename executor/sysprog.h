#ifndef SG_EXECUTOR_SYSPROG_H
#define SG_EXECUTOR_SYSPROG_H

/*
 * Writes short programs for seccomp: what the kernel does with a program when
 * it is installed takes as long as the program is, in every run.
 *
 * A program is written from its end, because it only jumps forward: what an
 * instruction goes on to is there before it.  A *place* names one that is
 * there.
 */

#include <linux/filter.h>

#include "base/arena.h"
#include "base/status.h"

enum {
	SG_PROG_MAX = 4096,  /* instructions, as the kernel has it */
	SG_PROG_CASES = 1024 /* of one sg_prog_switch() */
};

struct sg_prog {
	struct sock_filter code[SG_PROG_MAX]; /* the last one first */
	uint32_t n;
	bool bad; /* too long, or memory was refused; nothing is added then */
};

/* Values from `from` on, up to the next case, go to `place`. */
struct sg_prog_case {
	uint32_t from, place;
};

/* Ends with `answer`; one that is near is used again. */
uint32_t sg_prog_ret(struct sg_prog *p, uint32_t answer);
/* Loads the word at `at` of struct seccomp_data and goes on to `next`. */
uint32_t sg_prog_load(struct sg_prog *p, uint32_t at, uint32_t next);
/* Keeps the bits of `mask` of what is loaded and goes on to `next`. */
uint32_t sg_prog_and(struct sg_prog *p, uint32_t mask, uint32_t next);
/* `op` is BPF_JEQ, BPF_JGE or BPF_JSET. */
uint32_t sg_prog_test(struct sg_prog *p, uint16_t op, uint32_t k, uint32_t yes,
		      uint32_t no);
/* By what is loaded.  `v` has at least one case; v[0].from is 0; they rise. */
uint32_t sg_prog_switch(struct sg_prog *p, const struct sg_prog_case *v,
			uint32_t n);

/*
 * The program that begins with what was added last, as bytes, owned by
 * `arena`.  SG_ENOMEM, SG_EBOX when it is too long.
 */
SG_MUST_CHECK int sg_prog_export(const struct sg_prog *p,
				 struct sg_arena *arena, struct sg_str *ret,
				 struct sg_err *err);

#endif
