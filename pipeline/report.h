#ifndef SG_PIPELINE_REPORT_H
#define SG_PIPELINE_REPORT_H

/*
 * The one JSON shape of verdicts and results ("sandgate.result/1"), as
 * docs/result.schema.json describes it, for every interface.
 */

#include "base/json.h"
#include "pipeline/run.h"

#define SG_REPORT_SCHEMA "sandgate.result/1"

/* What the program made, and where it went. */
enum sg_report_data {
	SG_REPORT_INLINE, /* images and files as base64 in "data" */
	SG_REPORT_PATHS,  /* they were written: "path" says where */
	SG_REPORT_LIST    /* neither: names and sizes only */
};

struct sg_report_opts {
	const char *file; /* name of the script; NULL none */
	enum sg_report_data data;
	const char *const *image_paths, *const *file_paths; /* for PATHS */
	struct sg_str python; /* version of the interpreter; may be empty */
	const char *audit;    /* path of the log; NULL none */
};

/* The members of a verdict, into an object that is open. */
void sg_report_verdict(struct sg_json *j, const struct sg_check *check);

/*
 * A whole document on one line, without LF.  SG_ENOMEM, SG_ELIMIT when it
 * does not fit into `out`.
 */
SG_MUST_CHECK int sg_report_run(const struct sg_run *run,
				const struct sg_report_opts *opts,
				struct sg_buf *out, struct sg_err *err);

/*
 * The same shape for a script that was not even read: status "invalid" (or
 * "internal"), no verdict.
 */
SG_MUST_CHECK int sg_report_failure(const struct sg_err *failure,
				    const struct sg_report_opts *opts,
				    struct sg_buf *out, struct sg_err *err);

#endif
