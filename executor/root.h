#ifndef SG_EXECUTOR_ROOT_H
#define SG_EXECUTOR_ROOT_H

/*
 * The file tree of the box.  Called by the warden in its fresh mount
 * namespace; async-signal-safe, no allocation.  Each returns 0 or -errno
 * and may name the path at fault in *what.
 */

#include "executor/plan.h"

/* tmpfs root with binds, devices, links and files; pivots into it. */
int sg_root_build(const struct sg_plan *plan, const char **what);
/* The capped tmpfs, with the input files; *ret_fd is its folder. */
int sg_root_workspace(const struct sg_plan *plan, int *ret_fd,
		      const char **what);
/* Lets the old root go and makes the new one read-only. */
int sg_root_seal(const char **what);

/* True for a place that the workspace covers: a venv in /tmp. */
bool sg_root_is_late(const struct sg_plan *plan, const char *to);

/* Makes every folder above `path`.  Also without a mount namespace. */
int sg_root_parents(const char *path);
/* Writes input files and the font cache where the program will see them. */
int sg_root_inputs(const struct sg_plan *plan, const char **what);
/* Writes a whole new file, owned by `uid`. */
int sg_root_write(int dir, const char *path, struct sg_str data, mode_t mode,
		  uid_t uid, gid_t gid);

/* --- workspace.c; also for wardens of warm runs: see warden.h ------------- */

/* Where a cold run's old root is, until sg_root_seal(). */
#define SG_ROOT_OLD "/old"

/* A new /proc of the pid namespace. */
int sg_workspace_proc(const char **what);
/* The capped tmpfs, empty, `bytes` and `inodes` at most. */
int sg_workspace_mount(const struct sg_plan *plan, uint64_t bytes,
		       uint64_t inodes, const char **what);

#endif
