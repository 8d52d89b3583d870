#ifndef SG_EXECUTOR_CGROUP_H
#define SG_EXECUTOR_CGROUP_H

/*
 * One control group for one run: memory and pids, in a version 1 or version
 * 2 hierarchy, whichever has the controller.
 */

#include "base/status.h"
#include "base/str.h"

enum { SG_CGROUP_PATH = 512, SG_CGROUP_WHY = 160 };

enum sg_cgroup_kind { SG_CGROUP_NONE, SG_CGROUP_V1, SG_CGROUP_V2 };

/* One controller of one run. */
struct sg_cgroup_part {
	enum sg_cgroup_kind kind;
	const char *controller;   /* "memory" or "pids"; static */
	char dir[SG_CGROUP_PATH]; /* ours; "" when there is none */
	int dir_fd;               /* -1 */
	int procs_fd;             /* open, for moving a process in; -1 */
	int self_fd;              /* version 1: for sg_join_self(); -1 */
	int sys;                  /* errno, where it could not be made */
	char why[SG_CGROUP_WHY];  /* one line; "" when there */
};

struct sg_cgroup {
	struct sg_cgroup_part memory, pids;
};

struct sg_cgroup_limits {
	uint64_t memory; /* bytes; 0: no memory controller wanted */
	uint32_t pids;   /* 0: none wanted */
};

/* Where groups are made, for who makes many. */
struct sg_cgroup_base {
	struct sg_cgroup_place {
		enum sg_cgroup_kind kind; /* NONE: not known */
		char dir[SG_CGROUP_PATH];
	} memory, pids;
	char prefix[64]; /* of their names */
};

void sg_cgroup_base_init(struct sg_cgroup_base *base);

/*
 * Never fails as a whole: each part says what it got.  `base` may be NULL;
 * it is found then.
 */
void sg_cgroup_open(struct sg_cgroup *cg, const struct sg_cgroup_limits *l,
		    const struct sg_cgroup_base *base);
/* Ends what still runs in it and removes it. */
void sg_cgroup_close(struct sg_cgroup *cg);

/*
 * Moves process `pid` into it; its children will be in it as well.  0 or
 * -errno, for each part that was made.
 */
int sg_cgroup_join(const struct sg_cgroup_part *p, long pid);

/* True when process `pid` is in it, as the kernel says. */
bool sg_cgroup_has(const struct sg_cgroup_part *p, long pid);

/* Everything empty; descriptors -1. */
void sg_cgroup_init(struct sg_cgroup *cg);

/* Processes that the kernel ended for want of memory. */
uint64_t sg_cgroup_oom_kills(const struct sg_cgroup *cg);
/* Most bytes in use at any moment, 0 when unknown. */
uint64_t sg_cgroup_peak(const struct sg_cgroup *cg);
/* Attempts to start a process or thread that the limit refused. */
uint64_t sg_cgroup_refused(const struct sg_cgroup *cg);

/* Removes groups of supervisors that are gone.  Returns how many. */
uint32_t sg_cgroup_sweep(void);

/*
 * The folder of this process's own group in the hierarchy of `controller`,
 * without a slash at its end.  False when the host has none.
 */
bool sg_cgroup_own(const char *controller, enum sg_cgroup_kind *ret_kind,
		   char out[SG_CGROUP_PATH]);

#endif
