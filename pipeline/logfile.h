#ifndef SG_PIPELINE_LOGFILE_H
#define SG_PIPELINE_LOGFILE_H

/*
 * The file of an audit log: its lock, its end, its repair and rotation.
 * For pipeline/audit.c, which lets one thread at a time in here.
 */

#include "pipeline/chain.h"

struct sg_logfile;

/* One record on its way. */
struct sg_log_entry {
	struct json_t *record; /* borrowed; completed by the append */
	struct sg_link link;   /* its own, when status is SG_OK */
	int status;
	struct sg_err *err;
};

/* Opens for appending; repairs a torn end.  `path` is not too long. */
SG_MUST_CHECK int sg_logfile_open(const char *path, uint64_t max_bytes,
				  struct sg_logfile **ret, struct sg_err *err);
void sg_logfile_free(struct sg_logfile *f);

/*
 * Appends all of them, in order, with one write, and says in each entry how
 * that went.  They are in the file then and not yet durable.
 */
void sg_logfile_write(struct sg_logfile *f, struct sg_log_entry *const *v,
		      uint32_t n);

/* Of what was written so far. */
struct sg_log_sync {
	struct sg_link end; /* the last record of it */
	int fd, number;     /* number: errno where fd is -1 */
};

/*
 * Makes durable what was written before sg_logfile_sync_begin(), which must
 * not meet a write.  sg_logfile_sync() may, and follows in any case.
 */
void sg_logfile_sync_begin(const struct sg_logfile *f, struct sg_log_sync *ret);
SG_MUST_CHECK int sg_logfile_sync(struct sg_log_sync *sync, struct sg_err *err);
/*
 * Tells the head file of it; must not meet a write.  Without `wait` it is
 * SG_EAUDIT where another process has the lock.
 */
SG_MUST_CHECK int sg_logfile_synced(struct sg_logfile *f,
				    const struct sg_link *end, bool wait,
				    struct sg_err *err);

/* There will be many records: takes room on the disk ahead of them. */
void sg_logfile_reserve(struct sg_logfile *f);

/* View into f. */
const char *sg_logfile_path(const struct sg_logfile *f);

#endif
