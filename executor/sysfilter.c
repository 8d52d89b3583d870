#include "executor/sysfilter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "executor/sysprog.h"
#include "executor/systable.h"

/*
 * Theory of operation.  The names of the table become numbers, of which each
 * has an answer or a piece of program that looks at its arguments; one switch
 * over numbers goes to them.  libseccomp knows the numbers.  It could write
 * the programs as well, three times as long; a test holds ours against its.
 *
 * Of the rules for one call the last that holds counts.
 */

enum {
	NUMBERS = 1024,   /* of system calls; no architecture has more */
	CALL_RULES = 32,  /* for one call */
	X32 = 0x40000000, /* a bit of numbers on x86-64 */
	NO_CALL = -1      /* what a tracer makes of one: as one that is not */
};

struct build {
	const struct sg_filter_opts *opts;
	uint32_t scmp, audit;
	struct sg_prog prog;
	uint32_t other; /* place: what is named nowhere */
	uint32_t place[NUMBERS];
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
	bool last = o->stage == SG_FILTER_FINAL;
	uint32_t no = SECCOMP_RET_ERRNO | (uint32_t)(err ? err : EPERM);

	switch (verdict) {
	case SG_SYS_ALLOW:
		*ret = SECCOMP_RET_ALLOW;
		return !first;
	case SG_SYS_LATE:
		*ret = no;
		return !first;
	case SG_SYS_DENY:
		*ret = no;
		if (o->notify)
			*ret = last ? SECCOMP_RET_ALLOW
				    : SECCOMP_RET_USER_NOTIF;
		return o->notify || !first || !needed_once(call);
	}
	return false;
}

/* -1: this architecture has none, or libseccomp does not know it. */
static int
number(const struct build *b, const char *call)
{
	int nr = seccomp_syscall_resolve_name_arch(b->scmp, call);

	return nr >= 0 && nr < NUMBERS ? nr : -1;
}

static void
add_groups(struct build *b)
{
	uint32_t act;
	int nr;

	for (const struct sg_sys_group *g = sg_sys_groups; g->name; g++)
		for (const char *const *c = g->calls; *c; c++) {
			nr = number(b, *c);
			if (nr >= 0 &&
			    action(b->opts, g->verdict, g->err, *c, &act))
				b->place[nr] = sg_prog_ret(&b->prog, act);
		}
}

/* --- arguments ----------------------------------------------------------- */

/* What decides about one call, in the order of the table. */
struct rules {
	const struct sg_sys_rule *v[CALL_RULES];
	uint32_t act[CALL_RULES];
	uint32_t n;
};

/* False when the table has more of them than there is room for. */
static bool
gather(const struct build *b, const char *call, struct rules *ret)
{
	uint32_t act;

	ret->n = 0;
	for (const struct sg_sys_rule *r = sg_sys_rules; r->call; r++) {
		if (strcmp(r->call, call) != 0 || !applies(b->opts, r->when) ||
		    !action(b->opts, r->verdict, r->err, r->call, &act))
			continue;
		if (ret->n == CALL_RULES)
			return false;
		ret->v[ret->n] = r;
		ret->act[ret->n++] = act;
	}
	return true;
}

/* Where a half of an argument lies; both architectures are little-endian. */
static uint32_t
half_at(const struct sg_sys_arg *a, bool high)
{
	return (uint32_t)offsetof(struct seccomp_data, args) + a->index * 8 +
	       (high ? 4 : 0);
}

/* (half of argument & mask) == value. */
static uint32_t
test_half(struct sg_prog *p, uint32_t at, uint32_t mask, uint32_t value,
	  uint32_t yes, uint32_t no)
{
	uint32_t place;

	if (!mask)
		return value ? no : yes;
	if (mask == UINT32_MAX) {
		place = sg_prog_test(p, BPF_JEQ, value, yes, no);
	} else if (!value) {
		place = sg_prog_test(p, BPF_JSET, mask, no, yes);
	} else if (value == mask && !(mask & (mask - 1))) {
		place = sg_prog_test(p, BPF_JSET, mask, yes, no);
	} else {
		place = sg_prog_test(p, BPF_JEQ, value, yes, no);
		place = sg_prog_and(p, mask, place);
	}
	return sg_prog_load(p, at, place);
}

static uint32_t
test_argument(struct sg_prog *p, const struct sg_sys_arg *a, uint32_t yes,
	      uint32_t no)
{
	uint64_t mask = a->op == SG_OP_MASK ? a->mask : UINT64_MAX;
	uint32_t then;

	if (a->op == SG_OP_NONE)
		return yes;
	if (a->op == SG_OP_NE) {
		then = yes;
		yes = no;
		no = then;
	}
	then = test_half(p, half_at(a, true), (uint32_t)(mask >> 32),
			 (uint32_t)(a->value >> 32), yes, no);
	return test_half(p, half_at(a, false), (uint32_t)mask,
			 (uint32_t)a->value, then, no);
}

/* From the first rule on, because programs are written from their end. */
static uint32_t
write_rules(struct build *b, const struct rules *r)
{
	uint32_t place = b->other, yes;

	for (uint32_t i = 0; i < r->n; i++) {
		yes = sg_prog_ret(&b->prog, r->act[i]);
		for (uint32_t k = SG_SYS_ARGS; k > 0; k--)
			yes = test_argument(&b->prog, &r->v[i]->arg[k - 1], yes,
					    place);
		place = yes;
	}
	return place;
}

/* True when all look at the same bits of the low half of one argument. */
static bool
is_switch(const struct rules *r)
{
	const struct sg_sys_arg *first = &r->v[0]->arg[0];

	for (uint32_t i = 0; i < r->n; i++) {
		const struct sg_sys_arg *a = r->v[i]->arg;

		if (a[0].op != SG_OP_MASK || a[1].op != SG_OP_NONE ||
		    a[0].index != first->index || a[0].mask != first->mask ||
		    a[0].mask > UINT32_MAX || a[0].value & ~a[0].mask)
			return false;
	}
	return true;
}

/* Where value `at` goes, and in *ret_end the next that may go elsewhere. */
static uint32_t
look_up(const struct build *b, const struct rules *r, const uint32_t *yes,
	uint64_t at, uint64_t *ret_end)
{
	uint32_t place = b->other;

	*ret_end = 1ull << 32;
	for (uint32_t i = 0; i < r->n; i++) {
		uint64_t v = r->v[i]->arg[0].value;

		if (v == at)
			place = yes[i];
		v += v <= at;
		if (v > at && v < *ret_end)
			*ret_end = v;
	}
	return place;
}

static uint32_t
write_switch(struct build *b, const struct rules *r)
{
	const struct sg_sys_arg *a = &r->v[0]->arg[0];
	struct sg_prog_case v[2 * CALL_RULES + 1];
	uint32_t yes[CALL_RULES], n = 0, place;
	uint64_t at = 0, end;

	for (uint32_t i = 0; i < r->n; i++)
		yes[i] = sg_prog_ret(&b->prog, r->act[i]);
	for (; at < 1ull << 32; at = end) {
		place = look_up(b, r, yes, at, &end);
		if (n == 0 || v[n - 1].place != place)
			v[n++] = (struct sg_prog_case){ (uint32_t)at, place };
	}
	place = sg_prog_switch(&b->prog, v, n);
	if (a->mask != UINT32_MAX)
		place = sg_prog_and(&b->prog, (uint32_t)a->mask, place);
	return sg_prog_load(&b->prog, half_at(a, false), place);
}

static int
add_rules(struct build *b, struct sg_err *err)
{
	struct rules r;
	int nr;

	for (const struct sg_sys_rule *s = sg_sys_rules; s->call; s++) {
		nr = number(b, s->call);
		/* The first of a call's rules does for all of them. */
		if (nr < 0 || b->place[nr] != b->other)
			continue;
		if (!gather(b, s->call, &r))
			return sg_err_set(err, SG_EBOX, "too many rules for %s",
					  s->call);
		if (r.n)
			b->place[nr] = is_switch(&r) ? write_switch(b, &r)
						     : write_rules(b, &r);
	}
	return SG_OK;
}

/* --- numbers ------------------------------------------------------------- */

static uint32_t
write_numbers(struct build *b)
{
	struct sg_prog_case v[NUMBERS + 1];
	uint32_t n = 0;

	for (uint32_t nr = 0; nr <= NUMBERS; nr++) {
		uint32_t to = nr < NUMBERS ? b->place[nr] : b->other;

		if (n == 0 || v[n - 1].place != to)
			v[n++] = (struct sg_prog_case){ nr, to };
	}
	return sg_prog_switch(&b->prog, v, n);
}

/* Other architectures first: their numbers mean other calls. */
static void
write_head(struct build *b, uint32_t place)
{
	struct sg_prog *p = &b->prog;
	uint32_t kill = sg_prog_ret(p, SECCOMP_RET_KILL_PROCESS);

	if (b->audit == AUDIT_ARCH_X86_64) {
		uint32_t x32 = sg_prog_test(p, BPF_JEQ, (uint32_t)NO_CALL,
					    b->other, kill);

		place = sg_prog_test(p, BPF_JGE, X32, x32, place);
	}
	place = sg_prog_load(p, (uint32_t)offsetof(struct seccomp_data, nr),
			     place);
	kill = sg_prog_ret(p, SECCOMP_RET_KILL_PROCESS);
	place = sg_prog_test(p, BPF_JEQ, b->audit, place, kill);
	(void)sg_prog_load(p, (uint32_t)offsetof(struct seccomp_data, arch),
			   place);
}

static int
write_all(struct build *b, struct sg_arena *arena, struct sg_str *ret,
	  struct sg_err *err)
{
	int rc;

	b->other = sg_prog_ret(&b->prog, b->opts->stage == SG_FILTER_FIRST
						 ? SECCOMP_RET_ALLOW
						 : SECCOMP_RET_ERRNO | ENOSYS);
	for (uint32_t nr = 0; nr < NUMBERS; nr++)
		b->place[nr] = b->other;
	add_groups(b);
	rc = add_rules(b, err);
	if (rc < 0)
		return rc;
	write_head(b, write_numbers(b));
	return sg_prog_export(&b->prog, arena, ret, err);
}

int
sg_filter_build(const struct sg_filter_opts *opts, struct sg_arena *arena,
		struct sg_str *ret, struct sg_err *err)
{
	uint32_t native = seccomp_arch_native();
	struct build *b;
	int rc;

	b = calloc(1, sizeof(*b));
	if (!b)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	b->opts = opts;
	b->scmp = opts->arch == SG_ARCH_X86_64    ? SCMP_ARCH_X86_64
		  : opts->arch == SG_ARCH_AARCH64 ? SCMP_ARCH_AARCH64
						  : native;
	b->audit = b->scmp == SCMP_ARCH_X86_64    ? AUDIT_ARCH_X86_64
		   : b->scmp == SCMP_ARCH_AARCH64 ? AUDIT_ARCH_AARCH64
						  : 0;
	rc = b->audit ? write_all(b, arena, ret, err)
		      : sg_err_set(err, SG_EBOX,
				   "no system call filter is known for this "
				   "architecture");
	free(b);
	return rc;
}

void
sg_filter_key(const struct sg_filter_opts *opts, char out[SG_FILTER_KEY])
{
	(void)snprintf(out, SG_FILTER_KEY, "%s%s%s%s",
		       opts->stage == SG_FILTER_FIRST   ? "first"
		       : opts->stage == SG_FILTER_FINAL ? "final"
							: "whole",
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
