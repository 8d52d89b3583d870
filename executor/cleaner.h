#ifndef SG_EXECUTOR_CLEANER_H
#define SG_EXECUTOR_CLEANER_H

/*
 * Does what is left to do when a run is over, on a thread of its own, so that
 * it is not in the way of the answer: frees what the run had, and asks its
 * zygote for another box.
 */

#include "executor/slot.h"

struct sg_cleaner {
	pthread_mutex_t lock;
	pthread_cond_t idle;
	pthread_t thread;
	int timer; /* when to begin */
	bool running, stop, busy;
	struct sg_ready *runs; /* the last one that came in first */
	uint32_t n;
	/* A slot is needed no more; from the thread, without a lock. */
	void (*done)(void *ctx, struct sg_slot *slot);
	void *ctx;
};

/* SG_EBOX: no thread can be had. */
SG_MUST_CHECK int sg_cleaner_open(struct sg_cleaner *c,
				  void (*done)(void *ctx, struct sg_slot *slot),
				  void *ctx, struct sg_err *err);
/* Takes both over.  When it has fallen behind, does it at once. */
void sg_cleaner_give(struct sg_cleaner *c, struct sg_ready *run,
		     struct sg_slot *slot);
/* Waits until there is nothing more to do. */
void sg_cleaner_rest(struct sg_cleaner *c);
/* Does the rest, and ends. */
void sg_cleaner_close(struct sg_cleaner *c);

#endif
