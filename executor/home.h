#ifndef SG_EXECUTOR_HOME_H
#define SG_EXECUTOR_HOME_H

/*
 * A folder of this machine that stands in for the workspace where there is
 * no mount namespace to have a tmpfs in.
 */

#include "executor/plan.h"

/* A fresh private folder; its path goes into `path`.  Kept when not "". */
SG_MUST_CHECK int sg_home_make(char *path, size_t size, struct sg_err *err);
/* Makes data, tmp and run in it, and writes what run needs. */
SG_MUST_CHECK int sg_home_fill(const char *path, const struct sg_plan *plan,
			       struct sg_err *err);
/* Removes those of supervisors that are gone. */
void sg_home_sweep(void);
/* Removes it with all below; "" is none. */
void sg_home_remove(const char *path);

#endif
