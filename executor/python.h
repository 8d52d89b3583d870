#ifndef SG_EXECUTOR_PYTHON_H
#define SG_EXECUTOR_PYTHON_H

/*
 * Which interpreter runs, and what it needs to see of this machine.
 *
 * Nothing is executed to find out what to bind: the path is followed link
 * by link (shell -> venv -> base), and of each installation on the way only
 * its own folders (bin, lib, lib64, share, etc, pyvenv.cfg) are taken, so
 * that an interpreter in somebody's home does not bring the home along.
 */

#include "base/arena.h"
#include "base/status.h"

/* Something of this machine that appears read-only in the box. */
struct sg_bind {
	const char *from; /* without symbolic links */
	const char *to;   /* where it appears; absolute */
};

struct sg_binds {
	struct sg_bind *v; /* [SG_BOX_BINDS_MAX]; owned by an arena */
	uint32_t n;
};

struct sg_python {
	const char *path; /* as asked for, absolute: what is executed */
	const char *real; /* without symbolic links */
};

/*
 * `wanted` is a path, a name to look up in PATH, or NULL (/usr/bin/python3,
 * else python3 in PATH).  SG_ENOENT when there is none, when it is a script
 * (a shim), or cannot be executed.
 */
SG_MUST_CHECK int sg_python_find(const char *wanted, struct sg_arena *arena,
				 struct sg_python *ret, struct sg_err *err);

/*
 * SG_ENOENT, which says what it is and what it should be, when programs cannot
 * run in it.  Executes it, outside of any box, unless its version is known.
 */
SG_MUST_CHECK int sg_python_check(const struct sg_python *py,
				  struct sg_err *err);

/* Adds to `binds` what `py` needs outside /usr.  SG_ELIMIT, SG_ENOMEM. */
SG_MUST_CHECK int sg_python_binds(const struct sg_python *py,
				  struct sg_arena *arena,
				  struct sg_binds *binds, struct sg_err *err);

/* Adds one, unless it is there already or does not exist. */
SG_MUST_CHECK int sg_binds_add(struct sg_binds *binds, struct sg_arena *arena,
			       const char *path, struct sg_err *err);

#endif
