#ifndef SG_EXECUTOR_COLLECT_H
#define SG_EXECUTOR_COLLECT_H

/*
 * Brings files out of a workspace in which nothing runs any more.  The tree
 * was in the hands of the program: every name is checked, no link is
 * followed, nothing but plain files is opened, and number, bytes, depth and
 * time are capped.
 */

#include "executor/box.h"

/*
 * New and changed files below `dir` (borrowed; not closed), by name, into
 * ret->files, nfiles and files_dropped.  Owned by `arena`.
 */
SG_MUST_CHECK int sg_collect(int dir, const struct sg_box_spec *spec,
			     struct sg_arena *arena, struct sg_result *ret,
			     struct sg_err *err);

/*
 * True for a relative path without empty, "." and ".." parts, without
 * control characters, valid UTF-8, and within the caps of limits.h.
 */
bool sg_name_safe(struct sg_str name);

#endif
