#ifndef SG_BASE_FILE_H
#define SG_BASE_FILE_H

/* Whole files and descriptors.  Every descriptor made is O_CLOEXEC. */

#include "base/buf.h"

/* Closes *fd when it is >= 0 and sets it to -1; keeps errno. */
void sg_fd_close(int *fd);

/*
 * Reads to the end into `out` (appends).  SG_ELIMIT when out's maximum is
 * reached with more to come; SG_EIO otherwise on failure.
 */
SG_MUST_CHECK int sg_fd_read_all(int fd, struct sg_buf *out,
				 struct sg_err *err);
/* All n bytes, through interruptions and short writes. */
SG_MUST_CHECK int sg_fd_write_all(int fd, const void *p, size_t n,
				  struct sg_err *err);

/* Reads a file, or standard input for "-".  Regular files, pipes, ttys. */
SG_MUST_CHECK int sg_file_read(const char *path, struct sg_buf *out,
			       struct sg_err *err);
/*
 * Replaces `path` as a whole: temporary file beside it, fsync, rename,
 * fsync of the folder.  `mode` as for open().
 */
SG_MUST_CHECK int sg_file_replace(const char *path, struct sg_str data,
				  unsigned mode, struct sg_err *err);

#endif
