#ifndef SG_PIPELINE_LOGTAIL_H
#define SG_PIPELINE_LOGTAIL_H

/* The end of a log's file, as it is found; for pipeline/logfile.c. */

#include "pipeline/chain.h"

#include <sys/types.h>

struct sg_logtail {
	struct sg_buf bytes;
	struct sg_str line; /* the last whole line; n is 0: none */
	struct sg_str torn; /* what stands after it */
	off_t torn_at;      /* offset of `torn` in the file */
};

/*
 * Reads the end of a file of `size` bytes.  *t is views into its own bytes
 * and must be released whatever comes back.  SG_EAUDIT.
 */
SG_MUST_CHECK int sg_logtail_read(int fd, const char *path, off_t size,
				  struct sg_logtail *t, struct sg_err *err);
/*
 * The same where a crash of the machine may have left less than was written:
 * *head is the last record that is known to be durable.  What follows it up
 * to the first line that is no record stays; from there on it is torn.
 * Where the head's record is not among the last SG_AUDIT_LOOK bytes, or one
 * that is sound does not follow the one before it, nothing is changed.
 */
SG_MUST_CHECK int sg_logtail_recover(int fd, const char *path, off_t size,
				     const struct sg_link *head,
				     struct sg_logtail *t, struct sg_err *err);
void sg_logtail_release(struct sg_logtail *t);

#endif
