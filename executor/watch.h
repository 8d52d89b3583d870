#ifndef SG_EXECUTOR_WATCH_H
#define SG_EXECUTOR_WATCH_H

/* What the two files of the supervisor have in common. */

#include "executor/supervise.h"

/* CPU time of the box so far, in nanoseconds; 0: there is nothing to ask. */
uint64_t sg_watch_cpu(const struct sg_watch *w);
/* Makes sure that the worker can be killed by itself, where that is known. */
void sg_watch_hold(struct sg_watch *w);
int sg_pidfd_open(pid_t pid);
/* Kills all of the box.  The first reason stays. */
void sg_watch_end(struct sg_watch *w, enum sg_end why);
/* Ends the run at a limit, or sets when to look again. */
void sg_watch_check(struct sg_watch *w);

#endif
