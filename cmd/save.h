#ifndef SG_CMD_SAVE_H
#define SG_CMD_SAVE_H

/*
 * Writes what a program made (images and files) into a folder.
 *
 * Names come from untrusted code.  They are resolved beneath the folder one
 * component at a time, through no symbolic link, and an existing file is
 * never overwritten: a taken name gets "-1", "-2" and so on.
 */

#include "executor/result.h"
#include "base/status.h"

struct sg_saved {
	const char **images, **files; /* paths; owned by the arena */
};

/*
 * Whether sg_save() may write into `dir`, as far as can be said before there
 * is anything to write.  Makes nothing.  SG_EIO.
 */
SG_MUST_CHECK int sg_save_check(const char *dir, struct sg_err *err);

/*
 * Makes `dir` when it is missing.  `images` and `files` of *ret are as
 * long as those of `r`.  SG_EIO, SG_ENOMEM; what was written before stays.
 */
SG_MUST_CHECK int sg_save(const struct sg_result *r, const char *dir,
			  struct sg_arena *arena, struct sg_saved *ret,
			  struct sg_err *err);

#endif
