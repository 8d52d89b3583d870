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
 * Appends all of them, in order, with one write and one sync, and says in
 * each entry how that went.
 */
void sg_logfile_append(struct sg_logfile *f, struct sg_log_entry *const *v,
		       uint32_t n);

/* View into f. */
const char *sg_logfile_path(const struct sg_logfile *f);

#endif
