#include "executor/sysfilter.h"

#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "executor/systable.h"

enum { PROGRAM_MAX = 4096 * 8 }; /* BPF_MAXINSNS of 8 bytes */

struct build {
	const struct sg_filter_opts *opts;
	scmp_filter_ctx ctx;
};

static bool
applies(const struct sg_filter_opts *o, unsigned when)
{
	return !((when & SG_WHEN_PROCS && !o->processes) ||
		 (when & SG_WHEN_NO_PROCS && o->processes) ||
		 (when & SG_WHEN_PIDNS && !o->pidns) ||
		 (when & SG_WHEN_NO_PIDNS && o->pidns));
}

/*
 * Our own set-up still needs these two after the first filter is in place.
 * With notification the supervisor lets each pass once; without it they
 * wait for the final filter.
 */
static bool
needed_once(const char *call)
{
	return strcmp(call, "execve") == 0 || strcmp(call, "seccomp") == 0;
}

/* What to do about `call`; false when this filter says nothing about it. */
static bool
action(const struct sg_filter_opts *o, enum sg_sys_verdict verdict, int err,
       const char *call, uint32_t *ret)
{
	bool first = o->stage == SG_FILTER_FIRST;
	uint32_t no = SCMP_ACT_ERRNO((uint32_t)(err ? err : EPERM));

	switch (verdict) {
	case SG_SYS_ALLOW:
		*ret = SCMP_ACT_ALLOW;
		return !first;
	case SG_SYS_LATE:
		*ret = no;
		return !first;
	case SG_SYS_DENY:
		if (o->notify)
			*ret = first ? SCMP_ACT_NOTIFY : SCMP_ACT_ALLOW;
		else
			*ret = no;
		return o->notify || !first || !needed_once(call);
	}
	return false;
}

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

/* A name that this libseccomp does not know stays unlisted: ENOSYS. */
static int
add(struct build *b, const char *call, uint32_t act,
    const struct sg_sys_arg *args)
{
	struct scmp_arg_cmp cmp[SG_SYS_ARGS];
	unsigned n = 0;
	int rc, nr = seccomp_syscall_resolve_name(call);

	if (nr == __NR_SCMP_ERROR)
		return 0;
	for (unsigned i = 0; args && i < SG_SYS_ARGS; i++)
		if (args[i].op != SG_OP_NONE)
			cmp[n++] = compare(&args[i]);
	rc = seccomp_rule_add_array(b->ctx, act, nr, n, cmp);
	/* The architecture does not have the call: nothing to say. */
	return rc == -EDOM || rc == -EEXIST ? 0 : rc;
}

static int
add_groups(struct build *b)
{
	uint32_t act;
	int rc;

	for (const struct sg_sys_group *g = sg_sys_groups; g->name; g++)
		for (const char *const *c = g->calls; *c; c++) {
			if (!action(b->opts, g->verdict, g->err, *c, &act))
				continue;
			rc = add(b, *c, act, NULL);
			if (rc < 0)
				return rc;
		}
	return 0;
}

static int
add_rules(struct build *b)
{
	uint32_t act;
	int rc;

	for (const struct sg_sys_rule *r = sg_sys_rules; r->call; r++) {
		if (!applies(b->opts, r->when) ||
		    !action(b->opts, r->verdict, r->err, r->call, &act))
			continue;
		/* libseccomp refuses a rule that says the default. */
		if (b->opts->stage == SG_FILTER_FIRST && act == SCMP_ACT_ALLOW)
			continue;
		rc = add(b, r->call, act, r->arg);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int
set_arch(struct build *b)
{
	uint32_t want, native = seccomp_arch_native();
	int rc;

	if (b->opts->arch == SG_ARCH_NATIVE)
		return 0;
	want = b->opts->arch == SG_ARCH_X86_64 ? SCMP_ARCH_X86_64
					       : SCMP_ARCH_AARCH64;
	if (want == native)
		return 0;
	rc = seccomp_arch_add(b->ctx, want);
	return rc < 0 ? rc : seccomp_arch_remove(b->ctx, native);
}

static int
fill(struct build *b)
{
	int rc;

	rc = seccomp_attr_set(b->ctx, SCMP_FLTATR_ACT_BADARCH,
			      SCMP_ACT_KILL_PROCESS);
	/* A binary tree; an old libseccomp does without. */
	(void)seccomp_attr_set(b->ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (rc == 0)
		rc = set_arch(b);
	if (rc == 0)
		rc = add_groups(b);
	if (rc == 0)
		rc = add_rules(b);
	return rc;
}

/* libseccomp writes programs to descriptors only. */
static int export(struct build *b, struct sg_arena *arena, struct sg_str *ret,
		  struct sg_err *err)
{
	char *p = sg_arena_alloc(arena, PROGRAM_MAX);
	ssize_t n = -1;
	int fd, rc = -1;

	if (!p)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	fd = memfd_create("filter", MFD_CLOEXEC);
	if (fd >= 0)
		rc = seccomp_export_bpf(b->ctx, fd);
	if (rc == 0)
		n = pread(fd, p, PROGRAM_MAX, 0);
	sg_fd_close(&fd);
	if (n <= 0 || n >= PROGRAM_MAX || n % 8)
		return sg_err_set(err, SG_EBOX,
				  "cannot export the system call filter");
	*ret = (struct sg_str){ p, (size_t)n };
	return SG_OK;
}

int
sg_filter_build(const struct sg_filter_opts *opts, struct sg_arena *arena,
		struct sg_str *ret, struct sg_err *err)
{
	struct build b = { opts, NULL };
	int rc;

	b.ctx = seccomp_init(opts->stage == SG_FILTER_FIRST
				     ? SCMP_ACT_ALLOW
				     : SCMP_ACT_ERRNO(ENOSYS));
	if (!b.ctx)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	rc = fill(&b);
	if (rc < 0)
		rc = sg_err_sys(err, SG_EBOX, -rc,
				"cannot build the system call filter");
	else
		rc = export(&b, arena, ret, err);
	seccomp_release(b.ctx);
	return rc;
}

void
sg_filter_key(const struct sg_filter_opts *opts, char out[SG_FILTER_KEY])
{
	(void)snprintf(out, SG_FILTER_KEY, "%s%s%s%s",
		       opts->stage == SG_FILTER_FIRST ? "first" : "final",
		       opts->notify ? "-notify" : "",
		       opts->processes ? "-processes" : "",
		       opts->pidns ? "-pidns" : "");
}

void
sg_filter_name(int nr, char out[SG_SYS_NAME])
{
	char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, nr);

	if (name)
		(void)snprintf(out, SG_SYS_NAME, "%s", name);
	else
		(void)snprintf(out, SG_SYS_NAME, "syscall_%d", nr);
	free(name);
}

int
sg_filter_number(const char *name)
{
	int nr = seccomp_syscall_resolve_name(name);

	return nr < 0 ? -1 : nr;
}
