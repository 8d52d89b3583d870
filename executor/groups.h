#ifndef SG_EXECUTOR_GROUPS_H
#define SG_EXECUTOR_GROUPS_H

/*
 * Control groups that are used again: the kernel takes longer to make and
 * unmake one than a short program runs.  For several threads at once.
 */

#include <pthread.h>

#include "executor/cgroup.h"

enum {
	SG_GROUPS_IDLE = 16, /* of each controller, between two runs */
	SG_GROUPS_USES = 200 /* of one group, before it is made anew */
};

/* Groups of one controller, the one that waits longest first. */
struct sg_groups_idle {
	struct sg_cgroup_part v[SG_GROUPS_IDLE];
	uint32_t n;
};

struct sg_groups {
	struct sg_cgroup_base base;
	bool apart; /* each controller has groups of its own */
	pthread_mutex_t lock;
	struct sg_groups_idle memory, pids;
};

void sg_groups_init(struct sg_groups *g);
/* Removes all that wait. */
void sg_groups_release(struct sg_groups *g);
/* The same, and goes on. */
void sg_groups_empty(struct sg_groups *g);

/* As sg_cgroup_open(). */
void sg_groups_take(struct sg_groups *g, const struct sg_cgroup_limits *l,
		    struct sg_cgroup *ret);
/*
 * Takes over what a run had whose processes are all gone; *cg is as after
 * sg_cgroup_close().
 */
void sg_groups_give(struct sg_groups *g, struct sg_cgroup *cg);

#endif
