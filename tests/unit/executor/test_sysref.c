/*
 * The filters, held against those that libseccomp makes of the same table.
 */

#include <errno.h>
#include <linux/audit.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include "executor/sysfilter.h"
#include "executor/systable.h"
#include "unit/executor/filters.h"

enum { NUMBERS = 700, X32 = 0x40000000 };

/* --- what libseccomp makes of the table ---------------------------------- */

struct reference {
	const struct sg_filter_opts *opts;
	scmp_filter_ctx ctx;
};

static struct scmp_arg_cmp
compare(const struct sg_sys_arg *a)
{
	switch (a->op) {
	case SG_OP_NE:
		return SCMP_CMP(a->index, SCMP_CMP_NE, a->value, 0);
	case SG_OP_MASK:
		return SCMP_CMP(a->index, SCMP_CMP_MASKED_EQ, a->mask,
				a->value);
	case SG_OP_EQ:
	case SG_OP_NONE:
		break;
	}
	return SCMP_CMP(a->index, SCMP_CMP_EQ, a->value, 0);
}

/* False where a filter of this stage says nothing. */
static bool
act_of(const struct sg_filter_opts *o, enum sg_sys_verdict verdict, int err,
       const char *name, uint32_t *ret)
{
	uint32_t no = SCMP_ACT_ERRNO((uint32_t)(err ? err : EPERM));

	if (o->stage == SG_FILTER_FINAL) {
		*ret = verdict == SG_SYS_ALLOW ||
				       (verdict == SG_SYS_DENY && o->notify)
			       ? SCMP_ACT_ALLOW
			       : no;
		return true;
	}
	*ret = o->notify ? SCMP_ACT_NOTIFY : no;
	return verdict == SG_SYS_DENY &&
	       (o->notify ||
		(strcmp(name, "execve") != 0 && strcmp(name, "seccomp") != 0));
}

static void
reference_add(struct reference *r, const char *name, uint32_t act,
	      const struct sg_sys_arg *args)
{
	struct scmp_arg_cmp cmp[SG_SYS_ARGS];
	int rc, nr = seccomp_syscall_resolve_name(name);
	unsigned n = 0;

	for (unsigned i = 0; args && i < SG_SYS_ARGS; i++)
		if (args[i].op != SG_OP_NONE)
			cmp[n++] = compare(&args[i]);
	if (nr == __NR_SCMP_ERROR)
		return;
	rc = seccomp_rule_add_array(r->ctx, act, nr, n, cmp);
	/* The architecture does not have it, or it was said before. */
	if (rc != 0 && rc != -EDOM && rc != -EEXIST)
		ck_abort_msg("%s: %d", name, rc);
}

static void
reference_fill(struct reference *r)
{
	const struct sg_filter_opts *o = r->opts;
	uint32_t act;

	for (const struct sg_sys_group *g = sg_sys_groups; g->name; g++)
		for (const char *const *c = g->calls; *c; c++)
			if (act_of(o, g->verdict, g->err, *c, &act))
				reference_add(r, *c, act, NULL);
	for (const struct sg_sys_rule *s = sg_sys_rules; s->call; s++) {
		if ((s->when & SG_WHEN_PROCS && !o->processes) ||
		    (s->when & SG_WHEN_NO_PROCS && o->processes) ||
		    (s->when & SG_WHEN_PIDNS && !o->pidns) ||
		    (s->when & SG_WHEN_NO_PIDNS && o->pidns))
			continue;
		if (act_of(o, s->verdict, s->err, s->call, &act))
			reference_add(r, s->call, act, s->arg);
	}
}

static struct sg_str
reference_make(const struct sg_filter_opts *o, uint32_t scmp,
	       struct sg_arena *arena)
{
	struct reference r = { o, NULL };
	int fd = memfd_create("filter", MFD_CLOEXEC);
	char *p = sg_arena_alloc(arena, 1 << 16);
	ssize_t n;

	r.ctx = seccomp_init(o->stage == SG_FILTER_FIRST
				     ? SCMP_ACT_ALLOW
				     : SCMP_ACT_ERRNO(ENOSYS));
	ck_assert_ptr_nonnull(r.ctx);
	ck_assert_ptr_nonnull(p);
	ck_assert_int_eq(seccomp_attr_set(r.ctx, SCMP_FLTATR_ACT_BADARCH,
					  SCMP_ACT_KILL_PROCESS),
			 0);
	(void)seccomp_attr_set(r.ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (scmp != seccomp_arch_native()) {
		ck_assert_int_eq(seccomp_arch_add(r.ctx, scmp), 0);
		ck_assert_int_eq(
			seccomp_arch_remove(r.ctx, seccomp_arch_native()), 0);
	}
	reference_fill(&r);
	ck_assert_int_eq(seccomp_export_bpf(r.ctx, fd), 0);
	n = pread(fd, p, 1 << 16, 0);
	ck_assert_int_gt(n, 0);
	(void)close(fd);
	seccomp_release(r.ctx);
	return (struct sg_str){ p, (size_t)n };
}

/* Numbers at which something may change. */
static uint32_t
some_number(uint32_t i)
{
	static const uint32_t far[] = { 1023,       1024,       1025,
					0xffff,     0x3fffffff, X32 - 1u,
					0x7fffffff, 0x80000000, 0xfffffffe,
					0xffffffff };

	if (i < NUMBERS)
		return i;
	if (i < 2 * NUMBERS)
		return X32 | (i - NUMBERS);
	return i - 2 * NUMBERS < sizeof(far) / sizeof(far[0])
		       ? far[i - 2 * NUMBERS]
		       : 0;
}
enum { SOME = 2 * NUMBERS + 11 };

/*
 * The two together: of the first alone, libseccomp lets a 64-bit value pass
 * that another is not to be equal to, where only their high halves differ.
 */
static void
hold_same(const struct pair *p, const struct sg_str theirs[2], uint32_t audit,
	  uint32_t nr)
{
	struct seccomp_data d = { .nr = (int)nr, .arch = audit };

	for (int i = 0; i < BPF_CORNERS * 4; i++) {
		uint32_t two, one, want;

		/* One argument at a time, or the first and the third. */
		memset(d.args, 0, sizeof(d.args));
		d.args[i % 4 % 3] = bpf_corner(i / 4);
		if (i % 4 == 3)
			d.args[2] = bpf_corner((i * 7) % BPF_CORNERS);
		one = bpf_eval(p->whole, &d);
		two = bpf_stricter(bpf_eval(p->first, &d),
				   bpf_eval(p->final, &d));
		want = bpf_stricter(bpf_eval(theirs[0], &d),
				    bpf_eval(theirs[1], &d));
		if (one != want || two != want)
			ck_abort_msg("call %#x (%#llx, %#llx, %#llx): %#x in "
				     "one, %#x in two, libseccomp %#x",
				     nr, (unsigned long long)d.args[0],
				     (unsigned long long)d.args[1],
				     (unsigned long long)d.args[2], one, two,
				     want);
	}
}

START_TEST(programs_answer_as_those_of_libseccomp)
{
	for (unsigned bits = 0; bits < 16; bits++) {
		struct sg_str theirs[2];
		struct pair p;

		pair_make(&p, bits & 8 ? SG_ARCH_AARCH64 : SG_ARCH_X86_64,
			  bits & 1, bits & 2, bits & 4);
		p.opts.stage = SG_FILTER_FIRST;
		theirs[0] = reference_make(&p.opts, p.scmp, &p.arena);
		p.opts.stage = SG_FILTER_FINAL;
		theirs[1] = reference_make(&p.opts, p.scmp, &p.arena);
		for (uint32_t i = 0; i < SOME; i++) {
			hold_same(&p, theirs, p.audit, some_number(i));
			hold_same(&p, theirs, AUDIT_ARCH_I386, some_number(i));
		}
		sg_arena_release(&p.arena);
	}
}
END_TEST

START_TEST(what_rules_look_for_is_asked_for)
{
	for (const struct sg_sys_rule *r = sg_sys_rules; r->call; r++)
		for (unsigned i = 0; i < SG_SYS_ARGS; i++) {
			const struct sg_sys_arg *a = &r->arg[i];
			bool found = a->op == SG_OP_NONE;

			for (int c = 0; c < BPF_CORNERS; c++)
				found = found ||
					(a->op == SG_OP_MASK
						 ? bpf_corner(c) & a->mask
						 : bpf_corner(c)) == a->value;
			ck_assert_msg(found, "%s: %#llx", r->call,
				      (unsigned long long)a->value);
			ck_assert_msg(a->index < 3, "%s", r->call);
		}
}
END_TEST

SG_TEST_MAIN("sysref", what_rules_look_for_is_asked_for,
	     programs_answer_as_those_of_libseccomp)
