#ifndef SG_EXECUTOR_READY_H
#define SG_EXECUTOR_READY_H

/*
 * A warm run that lacks nothing but its program.
 *
 * Control groups, pipes, filters, limits and the mounted workspace depend on
 * little of what a run is asked for, and on the same in most runs.  So a box
 * can have its order before anybody has asked for the run.
 */

#include "executor/attempt.h"

/* What the pool knows of its boxes, and what is looked at of a run. */
struct sg_ready_for {
	struct sg_orders *orders;            /* borrowed */
	struct sg_groups *groups;            /* borrowed */
	const struct sg_prepared *prepared;  /* borrowed */
	const struct sg_layer_note *missing; /* borrowed */
	unsigned want;                       /* layers */
	uint32_t cpus;                       /* processors of the host */
	struct sg_box_spec spec; /* its limits, `has_input`, `require` */
};

struct sg_ready {
	struct sg_attempt a;
	/* These until sg_ready_aim(). */
	struct sg_box_spec spec;
	struct sg_result none;
	struct sg_arena arena;
	const struct sg_prepared *prepared;
	/* For who keeps it. */
	struct sg_ready *next;
	struct sg_slot *slot;
};

/* True when a run of `spec` may have an order that was made for `of`. */
bool sg_ready_fits(const struct sg_box_spec *of,
		   const struct sg_box_spec *spec);
/* What of `spec` an order is made of; the files too, borrowed. */
void sg_ready_spec(const struct sg_box_spec *spec, struct sg_box_spec *ret);

/*
 * Makes one and sends the order by `sock`, the box's.  NULL: something that
 * it needs was refused; `sock` may have an order then, or none, and is to be
 * closed.  `report` as in sg_attempt_arrange().  sg_ready_free().
 */
struct sg_ready *sg_ready_new(const struct sg_ready_for *f, int sock,
			      int report);
/* From here on it is the run of `spec`; all borrowed until it is freed. */
void sg_ready_aim(struct sg_ready *r, const struct sg_box_spec *spec,
		  struct sg_arena *arena, struct sg_result *ret);
void sg_ready_free(struct sg_ready *r);

#endif
