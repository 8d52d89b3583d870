/*
 * The filters, evaluated here instead of in the kernel: for every number, on
 * both architectures, and at the corners of the arguments.
 */

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stdlib.h>

#include "executor/filterset.h"
#include "executor/systable.h"
#include "unit/executor/filters.h"

enum { NUMBERS = 700, X32 = 0x40000000 };

#define KILL SECCOMP_RET_KILL_PROCESS
#define ALLOW SECCOMP_RET_ALLOW
#define NOTIFY SECCOMP_RET_USER_NOTIF
#define ERR(e) (SECCOMP_RET_ERRNO | (uint32_t)(e))

static uint32_t
both(const struct pair *p, int nr, const uint64_t args[6])
{
	struct seccomp_data d = { .nr = nr, .arch = p->audit };
	uint32_t a, b;

	if (args)
		memcpy(d.args, args, sizeof(d.args));
	a = bpf_eval(p->first, &d);
	b = bpf_eval(p->final, &d);
	a = bpf_stricter(a, b);
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

static void
hold_number(const struct pair *p, int nr)
{
	char *name = seccomp_syscall_resolve_num_arch(p->scmp, nr);
	uint32_t base = name ? by_group(p, name) : ERR(ENOSYS);
	bool rules = name && has_rules(name);

	for (int i = 0; i < BPF_CORNERS * 3; i++) {
		uint64_t args[6] = { 0 };
		uint32_t got, want = base;

		args[i % 3] = bpf_corner(i / 3);
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
	     the_built_in_filters_are_what_would_be_built, no_program_is_long,
	     memory_that_is_refused_is_an_error)
