#ifndef SG_PIPELINE_LOGFILE_CORE_H
#define SG_PIPELINE_LOGFILE_CORE_H

/* What the parts of a log's file share; only pipeline/logfile*.c. */

#include "pipeline/logfile.h"

#include <sys/types.h>

struct sg_logfile {
	char path[SG_AUDIT_PATH];
	int fd;
	uint64_t max_bytes;
	off_t size; /* of the file when `last` was its end */
	struct sg_link last;
	bool reserves;
	off_t reserved; /* of the file, up to where there is room on disk */
	uint64_t head;  /* sequence in the head file, as far as we know */
};

/* ---- logfile_lock.c ---- */

/* A new name is durable when its folder is. */
SG_MUST_CHECK int sg_logfile_sync_folder(const char *path, struct sg_err *err);
/* Waits for other processes: SG_AUDIT_WAIT_MS. */
SG_MUST_CHECK int sg_logfile_lock(struct sg_logfile *f, struct sg_err *err);
/* The same for the file that has the name now, which is opened or made. */
SG_MUST_CHECK int sg_logfile_lock_current(struct sg_logfile *f,
					  struct sg_err *err);

/* True when the descriptor is the file that has the name now. */
bool sg_logfile_is_current(const struct sg_logfile *f);

#endif
