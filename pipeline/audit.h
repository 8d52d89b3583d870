#ifndef SG_PIPELINE_AUDIT_H
#define SG_PIPELINE_AUDIT_H

/*
 * Writes the audit log: JSON Lines, append-only, chained
 * (pipeline/chain.h), durable when sg_audit_append() returns.
 *
 * Many processes may have the log open; each append takes the lock of the
 * file, so there is one writer at a time and one chain.  Threads may share a
 * handle: what several of them append at the same time is made durable by one
 * sync, so that many records cost little more than one.  Whatever can't be
 * made durable is SG_EAUDIT, and the caller must not go on with what the
 * record is about.
 */

#include "pipeline/logfile.h"

#include <pthread.h>

struct sg_audit;

enum sg_audit_sync {
	SG_AUDIT_SYNC_ANSWER, /* outcomes are durable like anything else */
	SG_AUDIT_SYNC_START   /* they are written, and durable no later than
				 SG_AUDIT_LAG_MS after that */
};

struct sg_audit_opts {
	const char *path;   /* NULL: sg_audit_default_path() */
	uint64_t max_bytes; /* a longer log is rotated; 0: never */
	bool shared;        /* by threads: has one of its own, so that posts
			       are on their way at once */
	enum sg_audit_sync sync; /* of outcomes; only where it is shared */
};

/* "answer", "start"; NULL leaves *ret as it is.  SG_EUSAGE. */
SG_MUST_CHECK int sg_audit_sync_named(const char *text, enum sg_audit_sync *ret,
				      struct sg_err *err);

/*
 * Root: /var/log/sandgate/audit.jsonl.  Others:
 * $XDG_STATE_HOME/sandgate/audit.jsonl, by default below
 * ~/.local/state.  SG_ENOENT when there is no home.
 */
SG_MUST_CHECK int sg_audit_default_path(char *out, size_t room,
					struct sg_err *err);

/*
 * Opens for appending and makes what is missing: folders with mode 0700
 * (of the default path only), the file with 0600.  A log that ends in a torn
 * line after a crash is repaired here: the torn bytes go to
 * "LOG.torn.SEQUENCE", and a record says so.
 * *ret belongs to the caller: sg_audit_free().
 */
SG_MUST_CHECK int sg_audit_open(const struct sg_audit_opts *opts,
				struct sg_audit **ret, struct sg_err *err);
void sg_audit_free(struct sg_audit *a);

/*
 * Adds the members of the chain to `record` (an object whose "event" says
 * what it is), appends it and makes it durable.  `record` stays the
 * caller's.  *ret is its link.
 */
SG_MUST_CHECK int sg_audit_append(struct sg_audit *a, struct json_t *record,
				  struct sg_link *ret, struct sg_err *err);

/*
 * The same of an outcome: with SG_AUDIT_SYNC_START it is in the file when
 * this returns, where a crash of this process does not harm it and every
 * reader finds it, and becomes durable soon after.
 */
SG_MUST_CHECK int sg_audit_append_outcome(struct sg_audit *a,
					  struct json_t *record,
					  struct sg_link *ret,
					  struct sg_err *err);

/*
 * sg_audit_append() in two steps: a record that is posted is on its way in a
 * log that is shared; in another it becomes durable with the next one that
 * anybody waits for.
 *
 *	struct sg_audit_post post;
 *	sg_audit_post(a, record, &post);
 *	if (!sg_audit_settle(a, &post, false))
 *		... do something else, and then
 *		(void)sg_audit_settle(a, &post, true);
 *	status = post.entry.status;	link = post.entry.link;
 *
 * Record and post must live until it is settled, and it must be.
 */
struct sg_audit_post {
	struct sg_log_entry entry;
	/* ---- */
	struct sg_err err;
	bool lags;    /* is done when it is written */
	bool written; /* with a->written at `mark` */
	bool done, waits;
	uint64_t mark;
	pthread_cond_t turn; /* done, or there is something to do */
	struct sg_audit_post *next;
};

void sg_audit_post(struct sg_audit *a, struct json_t *record,
		   struct sg_audit_post *post);
/*
 * True when it is settled, well or not.  Without `wait` it is left to others
 * when there are any that will write soon, and to the log's own thread.
 */
bool sg_audit_settle(struct sg_audit *a, struct sg_audit_post *post, bool wait);

/* View into a. */
const char *sg_audit_path(const struct sg_audit *a);

#endif
