#ifndef SG_EXECUTOR_WARDEN_H
#define SG_EXECUTOR_WARDEN_H

/*
 * The two processes between the supervisor and the program's first line.
 * Neither allocates, takes a lock or returns: they run in a copy of the
 * memory of a caller that may have had threads.
 *
 * The warden of a warm run has not even a copy: it shares the memory of its
 * zygote, with other wardens, and has a stack of its own.  It therefore makes
 * system calls by itself (sys.h) and calls nothing that keeps something for
 * its thread; and nothing of a run may be in its memory, for every worker is
 * a copy of that.  It never reads an order, but hands it on.
 */

#include <signal.h>
#include <stdnoreturn.h>

#include "executor/order.h"

/* Pid 1 of the box: builds it, starts the worker, reaps, reports. */
noreturn void sg_warden_main(const struct sg_plan *plan,
			     struct sg_board *board);

/* What a fork of an interpreter must put back as it was. */
enum { SG_SPARE_SIGNALS = 3 };
struct sg_spare_opts {
	int sock; /* order.h */
	struct sg_ask ask;
	void *tid;        /* where the C library keeps the id; or NULL */
	uint64_t handled; /* signals that are not as in a fresh process */
	bool batch;       /* boxes are built as SCHED_BATCH; runs are not */
	int signals[SG_SPARE_SIGNALS];
	struct sigaction actions[SG_SPARE_SIGNALS];
};

/* A worker that has been forked, and reads its order itself. */
struct sg_parked {
	int gate; /* where the order will come from; -1: it is here */
	struct sg_order_msg order;
	bool nested; /* in a user namespace of its own */
	bool sealed; /* the final filter is in place */
	bool batch;  /* of the options */
	struct sg_ask ask;
	void *tid;
	char name[16];
	int signals[SG_SPARE_SIGNALS];
	struct sigaction actions[SG_SPARE_SIGNALS];
};

/*
 * The warden of a run in a clone of a zygote that shares its memory, in the
 * fresh namespaces and on a stack of its own.  Builds what needs no order,
 * waits for one, and goes on as sg_warden_main().  Returns in the worker
 * only, a copy of the zygote's memory, still on that stack: it calls
 * sg_parked_wake() when it has left that, and sg_parked_wait() before it
 * reads its request.
 */
void sg_warden_spare(const struct sg_spare_opts *opts, struct sg_parked *ret);
void sg_parked_wake(const struct sg_parked *parked);
/* What both know of themselves without an order. */
struct sg_plan sg_parked_plan(const struct sg_ask *ask, void *tid);
/* Waits for the order and does what a worker does. */
void sg_parked_wait(struct sg_parked *parked);

/*
 * Gives up everything that the program must not have and puts the first
 * filter in place.  Then executes the interpreter, or returns when it is a
 * fork of one.  `go` is readable once the user mapping is written (-1: there
 * is none to wait for).
 */
void sg_worker_main(const struct sg_plan *plan, struct sg_board *board, int go);

/*
 * fork() by the kernel alone: no handler runs.  `pidfd` and `tid` (where the
 * C library keeps the thread's id) may be NULL, `group` -1.  0 in the child,
 * or -errno.
 */
pid_t sg_fork(uint64_t flags, int signal, int *ret_pidfd, void *tid, int group);

/*
 * Moves the calling process, which must have one thread, into the control
 * group whose `tasks` file is open.  0 or -errno.
 */
int sg_join_self(int self_fd);

/* Waits until the mapping is written. */
void sg_worker_wait(int go, struct sg_board *board);

/* Takes off every capability, for good.  0 or -errno. */
int sg_caps_drop(void);
/* The same for who executes nothing any more. */
int sg_caps_none(void);

/* Fills the board's fault record; the first one stays. */
void sg_board_fail(struct sg_board *board, int layer, int sys,
		   const char *what);

/* Sends one report with a descriptor (-1: none).  0 or -errno. */
int sg_report_send(int sock, enum sg_report kind, int fd);

#endif
