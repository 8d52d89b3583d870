#ifndef SG_PIPELINE_EVENT_H
#define SG_PIPELINE_EVENT_H

/*
 * What the records of the audit log say.  The result is a jansson object
 * that belongs to the caller (json_decref()), NULL when there is no memory.
 *
 * Records hold digests of the code, not the code, and no environment value,
 * argument or output.
 */

#include "pipeline/run.h"

struct json_t;

/* "verdict": what was decided, and what follows from it (`action`). */
struct json_t *sg_event_verdict(const struct sg_run *run, const char *path,
				const char *action);
/* "outcome": what the program did. */
struct json_t *sg_event_outcome(const struct sg_run *run);

/* The run that a record is about, "" none: view into rec. */
const char *sg_event_run(const struct sg_record *rec);
/* It is a verdict after which a program was started, or was to be. */
bool sg_event_begins_run(const struct sg_record *rec);
/* Appends a record as one line for people, without LF. */
void sg_event_render(const struct sg_record *rec, struct sg_buf *out);

#endif
