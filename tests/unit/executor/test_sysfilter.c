/*
 * The filters, evaluated here instead of in the kernel: for every number, on
 * both architectures, and at the corners of the arguments.
 */

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "executor/filterset.h"
#include "executor/systable.h"
#include "unit/executor/bpf.h"

enum { NUMBERS = 700, X32 = 0x40000000 };

#define KILL SECCOMP_RET_KILL_PROCESS
#define ALLOW SECCOMP_RET_ALLOW
#define NOTIFY SECCOMP_RET_USER_NOTIF
#define ERR(e) (SECCOMP_RET_ERRNO | (uint32_t)(e))

struct pair {
	struct sg_arena arena;
	struct sg_filter_opts opts;
	struct sg_str first, final, whole;
	uint32_t audit, scmp;
};

static void
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

/* The kernel's order: whichever of two answers is stricter. */
static int
strictness(uint32_t ret)
{
	switch (ret & SECCOMP_RET_ACTION_FULL) {
	case SECCOMP_RET_KILL_PROCESS:
		return 4;
	case SECCOMP_RET_ERRNO:
		return 3;
	case SECCOMP_RET_USER_NOTIF:
		return 2;
	default:
		if (ret != ALLOW)
			ck_abort_msg("answer %#x", ret);
		return 1;
	}
}

static uint32_t
stricter(uint32_t a, uint32_t b)
{
	return strictness(a) > strictness(b) ? a : b;
}

static uint32_t
both(const struct pair *p, int nr, const uint64_t args[6])
{
	struct seccomp_data d = { .nr = nr, .arch = p->audit };
	uint32_t a, b;

	if (args)
		memcpy(d.args, args, sizeof(d.args));
	a = bpf_eval(p->first, &d);
	b = bpf_eval(p->final, &d);
	a = stricter(a, b);
	/* One that is put in their place must not be told from them. */
	b = bpf_eval(p->whole, &d);
	if (a != b)
		ck_abort_msg("call %d: %#x, in one filter %#x", nr, a, b);
	return a;
}

static uint32_t
call(const struct pair *p, const char *name, uint64_t a0, uint64_t a1,
     uint64_t a2)
{
	const uint64_t args[6] = { a0, a1, a2, 0, 0, 0 };
	int nr = seccomp_syscall_resolve_name_arch(p->scmp, name);

	ck_assert_msg(nr >= 0, "%s", name);
	return both(p, nr, args);
}

/* --- what the table says, worked out without a filter -------------------- */

static bool
arg_holds(const struct sg_sys_arg *a, const uint64_t args[6])
{
	switch (a->op) {
	case SG_OP_NONE:
		return true;
	case SG_OP_EQ:
		return args[a->index] == a->value;
	case SG_OP_NE:
		return args[a->index] != a->value;
	case SG_OP_MASK:
		return (args[a->index] & a->mask) == a->value;
	}
	return false;
}

static uint32_t
verdict(const struct pair *p, enum sg_sys_verdict v, int err)
{
	if (v == SG_SYS_ALLOW)
		return ALLOW;
	if (v == SG_SYS_DENY && p->opts.notify)
		return NOTIFY;
	return ERR(err ? err : EPERM);
}

static bool
applies(const struct pair *p, unsigned when)
{
	const struct sg_filter_opts *o = &p->opts;

	return !((when & SG_WHEN_PROCS && !o->processes) ||
		 (when & SG_WHEN_NO_PROCS && o->processes) ||
		 (when & SG_WHEN_PIDNS && !o->pidns) ||
		 (when & SG_WHEN_NO_PIDNS && o->pidns));
}

/* By name alone; ENOSYS where no group has it. */
static uint32_t
by_group(const struct pair *p, const char *name)
{
	for (const struct sg_sys_group *g = sg_sys_groups; g->name; g++)
		for (const char *const *c = g->calls; *c; c++)
			if (strcmp(*c, name) == 0)
				return verdict(p, g->verdict, g->err);
	return ERR(ENOSYS);
}

static uint32_t
by_rule(const struct pair *p, const char *name, const uint64_t args[6],
	uint32_t ret)
{
	for (const struct sg_sys_rule *r = sg_sys_rules; r->call; r++)
		if (strcmp(r->call, name) == 0 && applies(p, r->when) &&
		    arg_holds(&r->arg[0], args) && arg_holds(&r->arg[1], args))
			ret = verdict(p, r->verdict, r->err);
	return ret;
}

static bool
has_rules(const char *name)
{
	for (const struct sg_sys_rule *r = sg_sys_rules; r->call; r++)
		if (strcmp(r->call, name) == 0)
			return true;
	return false;
}

/* Values that rules look for, and what lies beside them. */
static const uint64_t corners[] = {
	0,
	1,
	2,
	3,
	4,
	5,
	6,
	7,
	8,
	9,
	10,
	11,
	12,
	13,
	14,
	15,
	16,
	17,
	18,
	19,
	20,
	21,
	22,
	23,
	24,
	25,
	26,
	27,
	28,
	29,
	30,
	31,
	32,
	33,
	34,
	35,
	36,
	37,
	38,
	39,
	40,
	41,
	42,
	43,
	44,
	45,
	46,
	47,
	48,
	49,
	50,
	51,
	52,
	53,
	54,
	55,
	56,
	57,
	58,
	59,
	60,
	61,
	62,
	63,
	64,
	65,
	66,
	67,
	68,
	69,
	70,
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
enum { CORNERS = sizeof(corners) / sizeof(corners[0]) };

static void
hold_number(const struct pair *p, int nr)
{
	char *name = seccomp_syscall_resolve_num_arch(p->scmp, nr);
	uint32_t base = name ? by_group(p, name) : ERR(ENOSYS);
	bool rules = name && has_rules(name);

	for (int i = 0; i < CORNERS * 3; i++) {
		uint64_t args[6] = { 0 };
		uint32_t got, want = base;

		args[i % 3] = corners[i / 3];
		got = both(p, nr, args);
		if (rules)
			want = by_rule(p, name, args, base);
		if (got != want)
			ck_abort_msg("call %d, argument %d = %#llx: %#x, "
				     "wanted %#x",
				     nr, i % 3, (unsigned long long)args[i % 3],
				     got, want);
	}
	free(name);
}

static void
hold_against_table(enum sg_filter_arch arch, bool notify, bool processes,
		   bool pidns)
{
	struct pair p;

	pair_make(&p, arch, notify, processes, pidns);
	for (int nr = 0; nr < NUMBERS; nr++)
		hold_number(&p, nr);
	sg_arena_release(&p.arena);
}

START_TEST(every_number_is_judged_as_the_table_says)
{
	for (int bits = 0; bits < 8; bits++) {
		hold_against_table(SG_ARCH_X86_64, bits & 1, bits & 2,
				   bits & 4);
		hold_against_table(SG_ARCH_AARCH64, bits & 1, bits & 2,
				   bits & 4);
	}
}
END_TEST

START_TEST(unknown_numbers_are_not_there)
{
	struct pair p;

	pair_make(&p, SG_ARCH_X86_64, true, false, true);
	for (int nr = 600; nr < 100000; nr += 7)
		ck_assert_uint_eq(both(&p, nr, NULL), ERR(ENOSYS));
	ck_assert_uint_eq(both(&p, 0x3fffffff, NULL), ERR(ENOSYS));
	sg_arena_release(&p.arena);
}
END_TEST

START_TEST(another_architecture_kills)
{
	static const uint32_t archs[] = { AUDIT_ARCH_I386,
					  AUDIT_ARCH_ARM,
					  AUDIT_ARCH_AARCH64,
					  AUDIT_ARCH_X86_64,
					  0,
					  0xffffffff };
	struct pair p;

	for (int arch = SG_ARCH_X86_64; arch <= SG_ARCH_AARCH64; arch++) {
		pair_make(&p, (enum sg_filter_arch)arch, true, false, true);
		for (size_t i = 0; i < 6; i++) {
			struct seccomp_data d = { .nr = 0, .arch = archs[i] };

			if (archs[i] == p.audit)
				continue;
			ck_assert_uint_eq(bpf_eval(p.first, &d), KILL);
			ck_assert_uint_eq(bpf_eval(p.final, &d), KILL);
			ck_assert_uint_eq(bpf_eval(p.whole, &d), KILL);
		}
		sg_arena_release(&p.arena);
	}
}
END_TEST

START_TEST(x32_kills)
{
	struct pair p;

	pair_make(&p, SG_ARCH_X86_64, true, false, true);
	for (int nr = 0; nr < 600; nr++)
		ck_assert_uint_eq(both(&p, X32 | nr, NULL), KILL);
	sg_arena_release(&p.arena);
}
END_TEST

START_TEST(no_answer_is_errno_zero)
{
	struct pair p;

	for (int bits = 0; bits < 8; bits++) {
		pair_make(&p, SG_ARCH_X86_64, bits & 1, bits & 2, bits & 4);
		for (int nr = 0; nr < NUMBERS; nr++)
			ck_assert_uint_ne(both(&p, nr, NULL), ERR(0));
		sg_arena_release(&p.arena);
	}
}
END_TEST

START_TEST(threads_are_allowed_and_processes_are_not)
{
	const uint64_t thread = CLONE_VM | CLONE_FS | CLONE_FILES |
				CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
				CLONE_SETTLS | CLONE_PARENT_SETTID |
				CLONE_CHILD_CLEARTID;
	struct pair p;

	pair_make(&p, SG_ARCH_X86_64, false, false, true);
	ck_assert_uint_eq(call(&p, "clone", thread, 0, 0), ALLOW);
	ck_assert_uint_eq(call(&p, "clone", 17, 0, 0), ERR(EPERM));
	ck_assert_uint_eq(call(&p, "clone", CLONE_VM | CLONE_VFORK | 17, 0, 0),
			  ERR(EPERM));
	ck_assert_uint_eq(call(&p, "clone", thread | CLONE_NEWUSER, 0, 0),
			  ERR(ENOSYS));
	ck_assert_uint_eq(call(&p, "fork", 0, 0, 0), ERR(EPERM));
	ck_assert_uint_eq(call(&p, "execve", 0, 0, 0), ERR(EPERM));
	ck_assert_uint_eq(call(&p, "clone3", 0, 0, 0), ERR(ENOSYS));
	sg_arena_release(&p.arena);

	pair_make(&p, SG_ARCH_X86_64, false, true, true);
	ck_assert_uint_eq(call(&p, "clone", 17, 0, 0), ALLOW);
	ck_assert_uint_eq(call(&p, "fork", 0, 0, 0), ALLOW);
	ck_assert_uint_eq(call(&p, "execve", 0, 0, 0), ALLOW);
	ck_assert_uint_eq(call(&p, "execveat", 0, 0, 0), ERR(EPERM));
	ck_assert_uint_eq(call(&p, "clone", 17 | CLONE_NEWUSER, 0, 0),
			  ERR(EPERM));
	ck_assert_uint_eq(call(&p, "clone", 17 | CLONE_NEWNET, 0, 0),
			  ERR(EPERM));
	ck_assert_uint_eq(call(&p, "clone", 17 | CLONE_PTRACE, 0, 0),
			  ERR(EPERM));
	sg_arena_release(&p.arena);
}
END_TEST

START_TEST(high_halves_of_arguments_do_not_deceive)
{
	struct pair p;

	pair_make(&p, SG_ARCH_X86_64, false, false, true);
	/* The kernel looks at 32 bits of a command, and so does the filter. */
	ck_assert_uint_eq(call(&p, "ioctl", 0, 0xdead00005401, 0), ALLOW);
	ck_assert_uint_eq(call(&p, "ioctl", 0, 0xdead00005412, 0), ERR(EPERM));
	ck_assert_uint_eq(call(&p, "socketpair", 0x100000001, 1, 0),
			  ERR(EAFNOSUPPORT));
	ck_assert_uint_eq(call(&p, "prctl", 0xffffffff00000004, 1, 0),
			  ERR(EPERM));
	sg_arena_release(&p.arena);
}
END_TEST

START_TEST(signals_stay_in_the_box)
{
	static const char *const names[] = { "kill", "tkill", "tgkill",
					     "rt_sigqueueinfo" };
	struct pair p;

	for (size_t i = 0; i < 4; i++) {
		pair_make(&p, SG_ARCH_X86_64, false, false, true);
		ck_assert_uint_eq(call(&p, names[i], 1, 9, 0), ALLOW);
		sg_arena_release(&p.arena);
		pair_make(&p, SG_ARCH_X86_64, false, false, false);
		ck_assert_uint_eq(call(&p, names[i], 1, 9, 0), ERR(EPERM));
		sg_arena_release(&p.arena);
	}
}
END_TEST

START_TEST(the_first_filter_lets_an_interpreter_load)
{
	static const char *const needed[] = {
		"execve",       "seccomp",    "prctl", "mmap",
		"openat",       "clone3",     "statx", "io_uring_setup",
		"rt_sigaction", "arch_prctl",
	};
	struct pair p;

	pair_make(&p, SG_ARCH_X86_64, false, false, true);
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		struct seccomp_data d = {
			.nr = seccomp_syscall_resolve_name_arch(
				SCMP_ARCH_X86_64, needed[i]),
			.arch = AUDIT_ARCH_X86_64
		};

		ck_assert_uint_eq(bpf_eval(p.first, &d), ALLOW);
	}
	sg_arena_release(&p.arena);
}
END_TEST

START_TEST(refused_calls_are_put_to_the_supervisor)
{
	static const char *const hostile[] = {
		"mount",  "ptrace",  "socket", "bpf",    "keyctl", "unshare",
		"execve", "seccomp", "fork",   "setuid", "reboot",
	};
	struct pair p;

	pair_make(&p, SG_ARCH_X86_64, true, false, true);
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++)
		ck_assert_uint_eq(call(&p, hostile[i], 0, 0, 0), NOTIFY);
	/* What only our set-up may do is refused without asking. */
	ck_assert_uint_eq(call(&p, "prctl", 4, 1, 0), ERR(EPERM));
	sg_arena_release(&p.arena);
}
END_TEST

START_TEST(names_and_errnos_are_known)
{
	char name[SG_SYS_NAME];

	sg_filter_name(sg_filter_number("read"), name);
	ck_assert_str_eq(name, "read");
	sg_filter_name(54321, name);
	ck_assert_str_eq(name, "syscall_54321");
	ck_assert_int_eq(sg_filter_number("no_such_call"), -1);
	ck_assert_int_eq(sg_sys_errno("socket"), EAFNOSUPPORT);
	ck_assert_int_eq(sg_sys_errno("socketpair"), EAFNOSUPPORT);
	ck_assert_int_eq(sg_sys_errno("mount"), EPERM);
	ck_assert_int_eq(sg_sys_errno("syscall_54321"), EPERM);
}
END_TEST

START_TEST(no_call_is_named_twice)
{
	for (const struct sg_sys_group *g = sg_sys_groups; g->name; g++)
		for (const char *const *c = g->calls; *c; c++) {
			unsigned n = 0;

			for (const struct sg_sys_group *h = sg_sys_groups;
			     h->name; h++)
				for (const char *const *d = h->calls; *d; d++)
					n += strcmp(*c, *d) == 0;
			ck_assert_msg(n == 1, "%s", *c);
			for (const struct sg_sys_rule *r = sg_sys_rules;
			     r->call; r++)
				ck_assert_str_ne(*c, r->call);
		}
}
END_TEST

START_TEST(the_built_in_filters_are_what_would_be_built)
{
	for (unsigned bits = 0; bits < 24; bits++) {
		const struct sg_filter_opts o = {
			(enum sg_filter_stage)(bits / 8), SG_ARCH_NATIVE,
			bits & 1, bits & 2, bits & 4
		};
		struct sg_str built, fresh;
		struct sg_arena arena;
		struct sg_err err;

		sg_err_clear(&err);
		sg_arena_init(&arena, 1 << 20);
		ck_assert(sg_filter_builtin(&o, &built));
		ck_good(sg_filter_build(&o, &arena, &fresh, &err), &err);
		ck_assert(sg_str_eq(built, fresh));
		sg_arena_release(&arena);
	}
}
END_TEST

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

	for (int i = 0; i < CORNERS * 4; i++) {
		uint32_t two, one, want;

		/* One argument at a time, or the first and the third. */
		memset(d.args, 0, sizeof(d.args));
		d.args[i % 4 % 3] = corners[i / 4];
		if (i % 4 == 3)
			d.args[2] = corners[(i * 7) % CORNERS];
		one = bpf_eval(p->whole, &d);
		two = stricter(bpf_eval(p->first, &d), bpf_eval(p->final, &d));
		want = stricter(bpf_eval(theirs[0], &d),
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

			for (int c = 0; c < CORNERS; c++)
				found = found ||
					(a->op == SG_OP_MASK
						 ? corners[c] & a->mask
						 : corners[c]) == a->value;
			ck_assert_msg(found, "%s: %#llx", r->call,
				      (unsigned long long)a->value);
			ck_assert_msg(a->index < 3, "%s", r->call);
		}
}
END_TEST

START_TEST(no_program_is_long)
{
	struct pair p;

	/* The kernel translates it in every run. */
	for (int bits = 0; bits < 8; bits++) {
		pair_make(&p, SG_ARCH_X86_64, bits & 1, bits & 2, bits & 4);
		ck_assert_uint_le(p.first.n / 8, 140);
		ck_assert_uint_le(p.final.n / 8, 240);
		ck_assert_uint_le(p.whole.n / 8, 240);
		sg_arena_release(&p.arena);
	}
}
END_TEST

START_TEST(memory_that_is_refused_is_an_error)
{
	struct sg_filter_opts o = { SG_FILTER_FINAL, SG_ARCH_NATIVE, true,
				    false, true };
	struct sg_arena arena;
	struct sg_str ret;
	struct sg_err err;

	sg_arena_init(&arena, 1024);
	sg_err_clear(&err);
	ck_assert_int_eq(sg_filter_build(&o, &arena, &ret, &err), SG_ENOMEM);
	sg_arena_release(&arena);
}
END_TEST

SG_TEST_MAIN("sysfilter", every_number_is_judged_as_the_table_says,
	     unknown_numbers_are_not_there, another_architecture_kills,
	     x32_kills, no_answer_is_errno_zero,
	     threads_are_allowed_and_processes_are_not,
	     high_halves_of_arguments_do_not_deceive, signals_stay_in_the_box,
	     the_first_filter_lets_an_interpreter_load,
	     refused_calls_are_put_to_the_supervisor,
	     names_and_errnos_are_known, no_call_is_named_twice,
	     the_built_in_filters_are_what_would_be_built,
	     what_rules_look_for_is_asked_for,
	     programs_answer_as_those_of_libseccomp, no_program_is_long,
	     memory_that_is_refused_is_an_error)
