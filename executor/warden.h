#ifndef SG_EXECUTOR_WARDEN_H
#define SG_EXECUTOR_WARDEN_H

/*
 * The two processes between the supervisor and the program's first line.
 * Neither allocates, takes a lock or returns: they run in the memory of a
 * caller that may have had threads.
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
	const struct sg_ask *ask;
	void *tid; /* where the C library keeps the id; or NULL */
	int signals[SG_SPARE_SIGNALS];
	struct sigaction actions[SG_SPARE_SIGNALS];
};

/* A worker that has been forked ahead of its order. */
struct sg_parked {
	int gate;    /* where the order will come from; -1: it has come */
	bool sealed; /* the final filter is in place */
	struct sg_ask ask;
	void *tid;
	char name[16];
	int signals[SG_SPARE_SIGNALS];
	struct sigaction actions[SG_SPARE_SIGNALS];
};

/*
 * The warden of a run in a fork of a zygote, in the fresh namespaces.
 * Builds what needs no order, waits for one, and goes on as
 * sg_warden_main().  Returns in the worker only: when the request may be
 * read, or, where the ask says so, at once; then sg_parked_wait() comes
 * before that.
 */
void sg_warden_spare(const struct sg_spare_opts *opts, struct sg_parked *ret);
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
 * -1 with errno.
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

/* Fills the board's fault record; the first one stays. */
void sg_board_fail(struct sg_board *board, int layer, int sys,
		   const char *what);

/* Sends one report with a descriptor (-1: none).  0 or -errno. */
int sg_report_send(int sock, enum sg_report kind, int fd);

#endif
