#ifndef SG_CMD_JOB_H
#define SG_CMD_JOB_H

/*
 * What check, run and filter have in common: a policy, a gate for an
 * interpreter, an audit log.
 */

#include "pipeline/run.h"

enum { SG_JOB_SOURCE_MAX = 64 << 20 }; /* bytes of a script that is read */

struct sg_job {
	struct sg_policy *policy;
	struct sg_gate *gate;
	struct sg_audit *audit; /* NULL: no log is kept */
	struct sg_arena arena;  /* for what the interpreter says of itself */
	struct sg_str python, version; /* path, "3.11.2"; empty: none found */
	uint32_t minor;
};

struct sg_job_opts {
	const char *policy;         /* NULL: "default" */
	const char *python;         /* interpreter; NULL: found */
	const char *python_version; /* "3.12"; NULL: the interpreter's */
	const char *audit;          /* NULL: SANDGATE_AUDIT */
	uint64_t audit_max;
	bool audit_always; /* without a name: the default path */
	bool no_audit;     /* whatever SANDGATE_AUDIT says */
};

/*
 * Opens all of it.  A missing interpreter is no error here.  `job` must be
 * released whatever comes back.
 */
SG_MUST_CHECK int sg_job_open(const struct sg_job_opts *opts,
			      struct sg_job *job, struct sg_err *err);
void sg_job_release(struct sg_job *job);

/* One more gate on the job's policy: belongs to the caller. */
SG_MUST_CHECK int sg_job_gate(const struct sg_job *job, struct sg_gate **ret,
			      struct sg_err *err);

/* Reads a script, "-" for standard input; "<stdin>" is its name then. */
SG_MUST_CHECK int sg_job_read(const char *path, struct sg_buf *out,
			      struct sg_err *err);
const char *sg_job_name(const char *path);

#endif
