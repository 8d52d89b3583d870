#ifndef SG_TEST_FILTERS_H
#define SG_TEST_FILTERS_H

/* The filters of one set of options, as runs have them. */

#include <linux/audit.h>
#include <seccomp.h>

#include "executor/sysfilter.h"
#include "unit/executor/bpf.h"

struct pair {
	struct sg_arena arena;
	struct sg_filter_opts opts;
	struct sg_str first, final, whole;
	uint32_t audit, scmp;
};

static inline void
pair_make(struct pair *p, enum sg_filter_arch arch, bool notify, bool processes,
	  bool pidns)
{
	struct sg_err err;

	sg_err_clear(&err);
	sg_arena_init(&p->arena, 1 << 20);
	p->opts = (struct sg_filter_opts){ SG_FILTER_FIRST, arch, notify,
					   processes, pidns };
	ck_good(sg_filter_build(&p->opts, &p->arena, &p->first, &err), &err);
	p->opts.stage = SG_FILTER_FINAL;
	ck_good(sg_filter_build(&p->opts, &p->arena, &p->final, &err), &err);
	p->opts.stage = SG_FILTER_WHOLE;
	ck_good(sg_filter_build(&p->opts, &p->arena, &p->whole, &err), &err);
	p->audit = arch == SG_ARCH_AARCH64 ? AUDIT_ARCH_AARCH64
					   : AUDIT_ARCH_X86_64;
	p->scmp = arch == SG_ARCH_AARCH64 ? SCMP_ARCH_AARCH64
					  : SCMP_ARCH_X86_64;
}

#endif
