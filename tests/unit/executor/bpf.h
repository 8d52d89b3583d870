#ifndef SG_TEST_BPF_H
#define SG_TEST_BPF_H

/* Programs for seccomp, evaluated here instead of in the kernel. */

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>

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

/* The kernel's order: whichever of two answers is stricter. */
static inline int
bpf_strictness(uint32_t ret)
{
	switch (ret & SECCOMP_RET_ACTION_FULL) {
	case SECCOMP_RET_KILL_PROCESS:
		return 4;
	case SECCOMP_RET_ERRNO:
		return 3;
	case SECCOMP_RET_USER_NOTIF:
		return 2;
	default:
		if (ret != SECCOMP_RET_ALLOW)
			ck_abort_msg("answer %#x", ret);
		return 1;
	}
}

static inline uint32_t
bpf_stricter(uint32_t a, uint32_t b)
{
	return bpf_strictness(a) > bpf_strictness(b) ? a : b;
}

/* Values that rules look for, and what lies beside them. */
enum { BPF_SMALL = 71, BPF_CORNERS = BPF_SMALL + 75 };

static inline uint64_t
bpf_corner(int i)
{
	static const uint64_t list[] = {
		100,
		101,
		102,
		128,
		129,
		256,
		257,
		265,
		512,
		1023,
		1024,
		1025,
		1026,
		1027,
		1028,
		1029,
		1030,
		1031,
		1032,
		1033,
		1034,
		1035,
		0x1001,
		0x1002,
		0x1003,
		0x1004,
		0x3000,
		0x3001,
		0x3002,
		0x5400,
		0x5401,
		0x5402,
		0x5411,
		0x5412,
		0x5413,
		0x5414,
		0x541a,
		0x541b,
		0x541c,
		0x541d,
		0x5420,
		0x5421,
		0x5422,
		0x544f,
		0x5450,
		0x5451,
		0x5452,
		0x40049408,
		0x40049409,
		0x4004940a,
		0x53564d40,
		0x53564d41,
		0x53564d42,
		0x59616d60,
		0x59616d61,
		0x59616d62,
		17 | CLONE_NEWNS,
		17 | CLONE_NEWCGROUP,
		17 | CLONE_NEWUTS,
		17 | CLONE_NEWIPC,
		17 | CLONE_NEWUSER,
		17 | CLONE_NEWPID,
		17 | CLONE_NEWNET,
		17 | CLONE_UNTRACED,
		17 | CLONE_PTRACE,
		CLONE_NEWUSER,
		CLONE_NEWPID,
		CLONE_THREAD | CLONE_VM | CLONE_SIGHAND,
		CLONE_THREAD | CLONE_NEWUSER,
		0xffffffff,
		0x100000000,
		0x100000001,
		0x10000541b,
		0x7fffffffffffffff,
		0xffffffffffffffff,
	};

	_Static_assert(sizeof(list) / sizeof(list[0]) ==
			       BPF_CORNERS - BPF_SMALL,
		       "their number");
	return i < BPF_SMALL ? (uint64_t)i : list[i - BPF_SMALL];
}

#endif
