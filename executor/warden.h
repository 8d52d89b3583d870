#ifndef SG_EXECUTOR_WARDEN_H
#define SG_EXECUTOR_WARDEN_H

/*
 * The two processes between the supervisor and the program's first line.
 * Neither allocates, takes a lock or returns: they run in the memory of a
 * caller that may have had threads.
 */

#include <stdnoreturn.h>

#include "executor/plan.h"

/* Pid 1 of the box: builds it, starts the worker, reaps, reports. */
noreturn void sg_warden_main(const struct sg_plan *plan,
			     struct sg_board *board);

/*
 * Gives up everything that the program must not have, puts the first filter
 * in place and executes the interpreter.  `go` is readable once the user
 * mapping is written (-1: there is none to wait for).
 */
noreturn void sg_worker_main(const struct sg_plan *plan, struct sg_board *board,
			     int go);

/* Takes off every capability, for good.  0 or -errno. */
int sg_caps_drop(void);

/* Fills the board's fault record; the first one stays. */
void sg_board_fail(struct sg_board *board, int layer, int sys,
		   const char *what);

/* Sends one report with a descriptor (-1: none).  0 or -errno. */
int sg_report_send(int sock, enum sg_report kind, int fd);

#endif
