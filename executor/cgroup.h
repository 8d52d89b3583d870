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

/* What is read of a group again and again. */
enum sg_cgroup_file {
	SG_CGROUP_EVENTS, /* what its limit has led to */
	SG_CGROUP_PEAK,
	SG_CGROUP_USAGE,
	SG_CGROUP_FILES
};

/* One controller of one run. */
struct sg_cgroup_part {
	enum sg_cgroup_kind kind;
	const char *controller;     /* "memory" or "pids"; static */
	char dir[SG_CGROUP_PATH];   /* ours; "" when there is none */
	int dir_fd;                 /* -1 */
	int procs_fd;               /* open, for moving a process in; -1 */
	int self_fd;                /* version 1: for sg_join_self(); -1 */
	int files[SG_CGROUP_FILES]; /* kept open, or -1 */
	uint64_t limit;             /* as it was set */
	uint64_t before;            /* events of the runs that had it before */
	uint32_t uses, asked;       /* for executor/groups.h */
	int sys;                    /* errno, where it could not be made */
	char why[SG_CGROUP_WHY];    /* one line; "" when there */
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
 * The same for one controller, in version 1, where it has a group to itself.
 * With `known` its files are kept open, for who uses it again.
 */
void sg_cgroup_part_open(struct sg_cgroup_part *p, const char *controller,
			 uint64_t limit, const struct sg_cgroup_base *base);
void sg_cgroup_part_close(struct sg_cgroup_part *p);
void sg_cgroup_part_init(struct sg_cgroup_part *p);

/*
 * Most bytes that runs before may have left charged to a group that is used
 * again, in files of the system's that they were the first to read and in
 * what the kernel keeps at hand.  So much of the limit of memory may be gone,
 * and so much too high may the peak be.
 */
enum { SG_CGROUP_LEFT = 1 << 19 };

/*
 * Makes a group whose run is over as good as a new one.  False: something
 * still runs in it, too much is left, or this hierarchy cannot (version 2
 * never forgets a peak).  It is to be closed then, or asked again later.
 */
SG_MUST_CHECK bool sg_cgroup_part_reset(struct sg_cgroup_part *p,
					uint64_t limit);

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
