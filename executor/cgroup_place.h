#ifndef SG_EXECUTOR_CGROUP_PLACE_H
#define SG_EXECUTOR_CGROUP_PLACE_H

/* Where groups are, and their files; for cgroup.c. */

#include <sys/types.h>

#include "executor/cgroup.h"

/* A file of folder `dir` as text; the bytes of it, or -1. */
ssize_t sg_cgroup_read(int dir, const char *name, char *p, size_t size);
/* 0 or -errno. */
int sg_cgroup_write(int dir, const char *name, const char *text);

/*
 * The path of a process in the hierarchy of `controller`, from its file
 * /proc/PID/cgroup: a version 1 line that lists it, else the version 2 line.
 */
bool sg_cgroup_path_of(const char *file, const char *controller,
		       enum sg_cgroup_kind *kind, char out[SG_CGROUP_PATH]);

/*
 * Where groups with `controller` are made.  False with *why, static, and an
 * errno in *sys.
 */
bool sg_cgroup_find(const char *controller, struct sg_cgroup_place *ret,
		    const char **why, int *sys);

#endif
