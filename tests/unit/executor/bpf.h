#ifndef SG_TEST_BPF_H
#define SG_TEST_BPF_H

/* Programs for seccomp, evaluated here instead of in the kernel. */

#include <linux/filter.h>
#include <linux/seccomp.h>

#include "base/str.h"
#include "unit/support.h"

/* One word of what the kernel shows a filter. */
static inline uint32_t
bpf_load(const struct seccomp_data *d, uint32_t at)
{
	uint32_t v;

	/* Not by ck_assert(), which writes to a file each time. */
	if (at % 4 || at + 4 > sizeof(*d))
		ck_abort_msg("load at %u", at);
	memcpy(&v, (const char *)d + at, sizeof(v));
	return v;
}

static inline bool
bpf_jump_if(uint16_t op, uint32_t a, uint32_t k)
{
	switch (BPF_OP(op)) {
	case BPF_JEQ:
		return a == k;
	case BPF_JGT:
		return a > k;
	case BPF_JGE:
		return a >= k;
	case BPF_JSET:
		return (a & k) != 0;
	default:
		ck_abort_msg("jump %#x", op);
		return false;
	}
}

/* Classic BPF, as much of it as programs for seccomp have. */
static inline uint32_t
bpf_eval(struct sg_str prog, const struct seccomp_data *d)
{
	const struct sock_filter *v = (const void *)prog.p;
	size_t n = prog.n / sizeof(*v);
	uint32_t a = 0;

	for (size_t pc = 0; pc < n; pc++) {
		const struct sock_filter *i = &v[pc];

		switch (i->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			a = bpf_load(d, i->k);
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= i->k;
			break;
		case BPF_RET | BPF_K:
			return i->k;
		case BPF_JMP | BPF_JA:
			pc += i->k;
			break;
		default:
			if (BPF_CLASS(i->code) != BPF_JMP)
				ck_abort_msg("instruction %#x", i->code);
			pc += bpf_jump_if(i->code, a, i->k) ? i->jt : i->jf;
		}
	}
	ck_abort_msg("the program has no end");
	return 0;
}

#endif
