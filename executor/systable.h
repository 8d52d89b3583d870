#ifndef SG_EXECUTOR_SYSTABLE_H
#define SG_EXECUTOR_SYSTABLE_H

/*
 * Which system calls the worker may make.  Data only; sysfilter.h turns it
 * into programs for the kernel.
 *
 * To allow or refuse one: add its name to a group, or a rule when its
 * arguments decide.  A call that is named nowhere gives ENOSYS, on which
 * libraries fall back to what they did before the call existed.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sg_sys_verdict {
	SG_SYS_ALLOW,
	SG_SYS_DENY, /* hostile: fails with the errno given, and is recorded */
	SG_SYS_LATE  /* refused as well, but only once the interpreter runs,
			and not recorded: set-up code of ours uses it */
};

/* A rule counts only where all of its conditions hold. */
enum sg_sys_when {
	SG_WHEN_PROCS = 1 << 0,    /* the program may start processes */
	SG_WHEN_NO_PROCS = 1 << 1, /* it may not */
	SG_WHEN_PIDNS = 1 << 2,    /* it has a pid namespace of its own */
	SG_WHEN_NO_PIDNS = 1 << 3
};

struct sg_sys_group {
	const char *name; /* "files" */
	const char *help; /* one line */
	enum sg_sys_verdict verdict;
	int err;                  /* of DENY */
	const char *const *calls; /* NULL-ended */
};

enum sg_sys_op {
	SG_OP_NONE,
	SG_OP_EQ,
	SG_OP_NE,
	SG_OP_MASK /* (argument & mask) == value */
};

struct sg_sys_arg {
	enum sg_sys_op op;
	uint32_t index;
	uint64_t mask, value;
};

enum { SG_SYS_ARGS = 2 };

struct sg_sys_rule {
	const char *call;
	enum sg_sys_verdict verdict;
	int err;
	unsigned when;
	struct sg_sys_arg arg[SG_SYS_ARGS];
};

/* Both static; ended by an entry without a name. */
extern const struct sg_sys_group sg_sys_groups[];
extern const struct sg_sys_rule sg_sys_rules[];

/* The errno with which `call` is refused: EPERM when nothing else is said. */
int sg_sys_errno(const char *call);

#endif
