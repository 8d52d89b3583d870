#ifndef SG_EXECUTOR_STEPS_H
#define SG_EXECUTOR_STEPS_H

/*
 * The steps by which a warden builds its box, in order.  One that fails is
 * left out, when it is of a layer that can be, or ends the process: its layer
 * stands on the board then.
 */

#include "executor/warden.h"

struct sg_warden {
	const struct sg_plan *plan;
	struct sg_board *board;
	int workspace; /* its folder, until it is sent; -1 */
	pid_t worker;
	int sock; /* of a warm run that has no order yet; -1 */
	/* Of a warm run: its order; the file's descriptor is -1 before. */
	struct sg_order_msg order;
};

/* In a cold run, */
void sg_steps_all(struct sg_warden *w);
/* and in a warm one, whose root is the zygote's: before the order */
void sg_steps_early(struct sg_warden *w);
/* and after it. */
void sg_steps_late(struct sg_warden *w);

/*
 * Writes the board where the supervisor can read it, if it is not in shared
 * memory: all of it, so the worker must not write to it yet.
 */
void sg_steps_publish(struct sg_warden *w);
/* The end of a warden that has failed: the supervisor reads the board. */
noreturn void sg_steps_give_up(struct sg_warden *w);

/*
 * Maps one user and one group for the process whose files are `base`.
 * `below`: its namespace lies in one of ours, and has inherited that groups
 * cannot be set.  0 or -errno.
 */
int sg_steps_map(const char *base, bool below, uid_t in_uid, uid_t out_uid,
		 gid_t in_gid, gid_t out_gid);

#endif
