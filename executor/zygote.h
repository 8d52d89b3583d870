#ifndef SG_EXECUTOR_ZYGOTE_H
#define SG_EXECUTOR_ZYGOTE_H

/*
 * One zygote, as its supervisor has it: an interpreter in a box of its own
 * that makes boxes of runs (order.h).  Not for several threads at once.
 */

#include "executor/layer.h"
#include "executor/prepared.h"
#include "executor/supervise.h"

struct sg_ready;
struct sg_ready_for;

/* A box that waits. */
struct sg_spare {
	int sock, pidfd;      /* -1: none */
	pid_t pid;            /* of its warden, as we see it */
	struct sg_ready *run; /* what it has its order for; NULL: no order */
};

enum { SG_ZYGOTE_PENDING = 16 };

struct sg_zygote {
	int control, life, pidfd, out, err; /* -1: none */
	pid_t pid;                          /* as we see it */
	unsigned want;                      /* layers of its boxes */
	struct sg_layer_note missing[SG_L_COUNT];
	struct sg_str guard; /* its own copy: the table that it has ready */
	bool late;           /* workers are forked when their order is there */
	/* The boxes that were asked for, first come first. */
	struct sg_spare asked[SG_ZYGOTE_PENDING];
	uint32_t nasked;
};

/*
 * Starts one that imports `modules` (by blanks), makes `guard` ready (of
 * sg_request_guard(); may be empty), and waits until it stands.
 * SG_ENOENT: a module cannot be imported.  SG_EBOX: this host or this
 * interpreter cannot have zygotes.  On success: sg_zygote_stop().
 */
SG_MUST_CHECK int
sg_zygote_start(struct sg_zygote *z, const struct sg_python *py,
		const struct sg_prepared *prepared, enum sg_box_require require,
		const char *modules, struct sg_str guard, struct sg_err *err);
/* Ends it, and with it every box and run that came from it. */
void sg_zygote_stop(struct sg_zygote *z);
bool sg_zygote_alive(const struct sg_zygote *z);
/* Bytes of memory that it holds; 0 unknown. */
uint64_t sg_zygote_memory(const struct sg_zygote *z);

/*
 * Asks for a box, with an order for the runs of `f` (executor/ready.h) at
 * once, or with none (NULL).  False: it is dead, or was asked for too many.
 */
SG_MUST_CHECK bool sg_zygote_ask(struct sg_zygote *z,
				 const struct sg_ready_for *f);
/*
 * The oldest box that was asked for, when it stands; waits up to `ms`.
 * False: there is none, or it came to nothing.
 */
SG_MUST_CHECK bool sg_zygote_answer(struct sg_zygote *z, int ms,
				    struct sg_spare *ret);

/* True when it still waits. */
bool sg_spare_alive(const struct sg_spare *s);
/* Lets one go that was not used; what is no longer there is left out. */
void sg_spare_drop(struct sg_spare *s);

/* For attempt.c: hands a zygote its request and waits for its first word. */
SG_MUST_CHECK int sg_zygote_greet(struct sg_watch *w, struct sg_err *err);

#endif
