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
	int sock; /* of a fork of a zygote that has no order yet; -1 */
};

/* In a cold run, */
void sg_steps_all(struct sg_warden *w);
/* and in a fork of a zygote, whose root is the box's: before the order */
void sg_steps_early(struct sg_warden *w);
/* and after it. */
void sg_steps_late(struct sg_warden *w);

/*
 * Maps one user and one group for the process whose files are `base`.  0 or
 * -errno.
 */
int sg_steps_map(const char *base, uid_t in_uid, uid_t out_uid, gid_t in_gid,
		 gid_t out_gid);

#endif
