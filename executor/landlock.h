#ifndef SG_EXECUTOR_LANDLOCK_H
#define SG_EXECUTOR_LANDLOCK_H

/* Landlock by raw system calls: the second wall around files. */

#include "executor/plan.h"

/* The version that this kernel offers, or -errno. */
int sg_landlock_version(void);

/*
 * Confines the calling thread to what `plan` shows it: reading, and writing
 * in the workspace.  Needs no_new_privs.  The version used, or -errno.
 * Async-signal-safe.
 */
int sg_landlock_apply(const struct sg_plan *plan);

#endif
