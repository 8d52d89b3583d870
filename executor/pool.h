#ifndef SG_EXECUTOR_POOL_H
#define SG_EXECUTOR_POOL_H

/* What a run needs of a pool of zygotes; warm.h is for its owner. */

#include "executor/warm.h"
#include "executor/ready.h"

/* A box for one run, with its order. */
struct sg_lease {
	struct sg_spare box;
	struct sg_ready *run; /* to be aimed, and gone with */
	bool ahead;           /* it had its order before it was asked for */
	const char *name;     /* of the set; borrowed from the pool */
	struct sg_str guard;  /* that the zygote has; borrowed */
	struct sg_slot *slot;
};

/*
 * A box whose interpreter has most of what `spec` imports.  False: the run
 * is to be a cold one.  True: sg_warm_give() when it is over.
 */
SG_MUST_CHECK bool sg_warm_take(struct sg_warm *warm,
				const struct sg_box_spec *spec,
				struct sg_lease *ret);
/* The run is over; the pool cleans up after it. */
void sg_warm_give(struct sg_warm *warm, struct sg_lease *lease);
/* True when its zygote has died, and the run with it. */
bool sg_warm_lost(const struct sg_lease *lease);

struct sg_warm_choice {
	const char *modules; /* names, by blanks */
	bool open;           /* may be chosen */
};

/*
 * The set that has most of `imports`; of those the one with fewest modules;
 * of those the first.  `n` when none may be chosen.
 */
uint32_t sg_warm_choose(const struct sg_warm_choice *v, uint32_t n,
			const struct sg_str *imports, uint32_t nimports);
/* True when a set has module `top`, or one below it. */
bool sg_warm_has(const char *modules, struct sg_str top);
/* Milliseconds to wait after `streak` failures before the last one. */
uint64_t sg_warm_pause(uint32_t streak);

#endif
