#ifndef SG_EXECUTOR_SLOT_H
#define SG_EXECUTOR_SLOT_H

/*
 * One zygote that serves, and its boxes that wait.
 *
 * A box that waits may have the order of a run already: runs mostly want the
 * same, so the last one tells what the next will want.
 */

#include <pthread.h>

#include "executor/ready.h"

struct sg_slot {
	struct sg_zygote z;
	pthread_mutex_t io;       /* for the talk with z, and what follows */
	struct sg_ready_for like; /* the last run, for boxes to come */
	uint32_t alike;           /* runs in a row that were like it */

	/* The pool's. */
	void *set;
	uint64_t born, runs;
	uint32_t users, guard;
	struct sg_slot *next;
};

/*
 * Starts a zygote.  NULL with *err as sg_zygote_start() sets it; otherwise
 * sg_slot_free() when it has no users.
 */
struct sg_slot *sg_slot_new(const struct sg_python *py,
			    const struct sg_prepared *prepared,
			    struct sg_groups *groups, struct sg_orders *orders,
			    enum sg_box_require require, const char *modules,
			    struct sg_str guard, struct sg_err *err);
void sg_slot_free(struct sg_slot *slot);

enum sg_slot_answer {
	SG_SLOT_BOX,
	SG_SLOT_UNFIT, /* this run cannot have a box of a zygote here */
	SG_SLOT_DEAD   /* the zygote gives none */
};

/*
 * A box with its order for a run of `spec`; waits until one stands.  The run
 * is owned by the caller then: sg_ready_free().  *ret_ahead: the box had its
 * order already.
 */
SG_MUST_CHECK enum sg_slot_answer
sg_slot_take(struct sg_slot *slot, const struct sg_box_spec *spec,
	     const struct sg_prepared *prepared, struct sg_spare *ret_box,
	     struct sg_ready **ret_run, bool *ret_ahead);
/* Asks for as many boxes as are to wait. */
void sg_slot_refill(struct sg_slot *slot);
/* Lets them all go. */
void sg_slot_empty(struct sg_slot *slot);

#endif
