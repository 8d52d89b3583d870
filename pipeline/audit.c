/*
 * Theory of operation.
 *
 * A record goes two ways: it is written, which takes microseconds, and it is
 * made durable by a sync of the disk, which costs more than a warm run.  One
 * thread at a time writes, all that stands in the queue; one at a time syncs,
 * all that was written before; and there may be one of each, so nobody who
 * only writes waits for a disk.  Those who wait for a sync under way, and
 * came too late for it, share the next one.  Nobody waits for company.
 *
 * Whoever waits does what is to be done next, if nobody else is at it.  The
 * clerk, a thread of a log that is shared, does it for those who do not wait:
 * a record that is posted is on its way to the disk while its owner does
 * something else, and what needs to be durable only some time is at most
 * SG_AUDIT_LAG_MS behind.  It rests in two ways: with its eyes open for that
 * time when it has just had something to do, so that records which come in a
 * row need not wake it; or until it is woken.
 *
 * The head file is written after a sync by whoever has the log to itself;
 * where that is somebody else, it does so when it has written.
 */

#include "pipeline/audit.h"

#include "base/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum rest { AT_WORK, EYES_OPEN, ASLEEP };

/* What failed is tried again: a disk, and a head file when somebody else has
 * the log. */
enum { DISK_AGAIN_MS = 200, HEAD_AGAIN_MS = 20 };

struct sg_audit {
	struct sg_logfile *file;
	bool lags; /* SG_AUDIT_SYNC_START */
	bool has_clerk;
	pthread_t clerk;
	pthread_cond_t work;  /* for the clerk */
	pthread_mutex_t lock; /* of what follows */
	bool writing, syncing, stopping;
	enum rest rest;           /* of the clerk */
	uint32_t open;            /* posts that are not settled */
	uint64_t written, synced; /* writes, and those that are durable */
	uint64_t due; /* when the clerk is to sync by itself; 0: never */
	bool head_due;
	struct sg_link head;                  /* what the head file is to say */
	struct sg_audit_post *first, **end;   /* to be written */
	struct sg_audit_post *wet, **wet_end; /* written, not durable */
};

/* ---- where it lies ---- */

int
sg_audit_default_path(char *out, size_t room, struct sg_err *err)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int n;

	if (geteuid() == 0)
		n = snprintf(out, room, "/var/log/sandgate/audit.jsonl");
	else if (state && state[0] == '/')
		n = snprintf(out, room, "%s/sandgate/audit.jsonl", state);
	else if (home && home[0] == '/')
		n = snprintf(out, room, "%s/.local/state/sandgate/audit.jsonl",
			     home);
	else
		return sg_err_set(err, SG_ENOENT,
				  "no audit log is named and "
				  "HOME is not set");
	if (n < 0 || (size_t)n >= room)
		return sg_err_set(err, SG_EUSAGE,
				  "the name of the audit log is too long");
	return SG_OK;
}

/* Makes the folders above `path`, each with mode 0700. */
static int
make_folders(const char *path, struct sg_err *err)
{
	char part[SG_AUDIT_PATH];

	for (size_t i = 1; path[i]; i++) {
		if (path[i] != '/')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		if (mkdir(part, 0700) < 0 && errno != EEXIST)
			return sg_err_sys(err, SG_EAUDIT, errno,
					  "cannot make the folder '%s'", part);
	}
	return SG_OK;
}

/* ---- turns; all under the lock, but for the work itself ---- */

/* There is something for the first in the list that waits, or the clerk. */
static void
wake(struct sg_audit *a, struct sg_audit_post *list)
{
	struct sg_audit_post *p = list;

	while (p && !p->waits)
		p = p->next;
	if (p)
		(void)pthread_cond_signal(&p->turn);
	else if (list && a->rest != AT_WORK)
		(void)pthread_cond_signal(&a->work);
}

static void
finish(struct sg_audit_post *p)
{
	p->done = true;
	(void)pthread_cond_signal(&p->turn);
}

/* The clerk looks again in `ms`, or when it is to already. */
static void
expect(struct sg_audit *a, uint32_t ms)
{
	if (!a->due)
		a->due = sg_clock_mono() + (uint64_t)ms * 1000000;
	if (a->rest == ASLEEP)
		(void)pthread_cond_signal(&a->work);
}

/* Writes the head file, as the one who has the log to itself. */
static void
tell_head(struct sg_audit *a)
{
	struct sg_link head = a->head;
	bool wait = !a->has_clerk || a->stopping;
	int status;

	if (!a->head_due)
		return;
	a->head_due = false;
	a->writing = true;
	(void)pthread_mutex_unlock(&a->lock);
	status = sg_logfile_synced(a->file, &head, wait, NULL);
	(void)pthread_mutex_lock(&a->lock);
	a->writing = false;
	if (status == SG_OK || wait)
		return;
	/* Somebody reads the log, or another process writes. */
	a->head_due = true;
	expect(a, HEAD_AGAIN_MS);
}

/* What was written waits to be durable, unless nobody waits for that. */
static void
take_written(struct sg_audit *a, struct sg_audit_post *p)
{
	p->next = NULL;
	p->written = true;
	p->mark = a->written;
	if (p->entry.status < 0 || p->lags) {
		finish(p);
		return;
	}
	*a->wet_end = p;
	a->wet_end = &p->next;
}

/* Writes the front of the queue; `self` is the caller's own post, or NULL. */
static void
write_front(struct sg_audit *a, const struct sg_audit_post *self)
{
	struct sg_log_entry *entries[SG_AUDIT_BATCH];
	struct sg_audit_post *batch = a->first, *p;
	uint32_t n = 0;
	bool lags = false;

	for (p = batch; p && n < SG_AUDIT_BATCH; p = p->next) {
		lags |= p->lags;
		entries[n++] = &p->entry;
	}
	a->first = p;
	if (!p)
		a->end = &a->first;
	a->writing = true;
	(void)pthread_mutex_unlock(&a->lock);
	sg_logfile_write(a->file, entries, n);
	(void)pthread_mutex_lock(&a->lock);
	a->writing = false;
	a->written++;
	for (uint32_t i = 0; i < n; i++) {
		p = batch;
		batch = p->next;
		take_written(a, p);
	}
	if (lags)
		expect(a, SG_AUDIT_LAG_MS);
	tell_head(a);
	wake(a, a->first);
	/* Otherwise the caller syncs. */
	if (!a->syncing && (!self || self->done))
		wake(a, a->wet);
}

/* Those that a sync was for. */
static void
settle_synced(struct sg_audit *a, uint64_t mark, int status,
	      const struct sg_err *err)
{
	while (a->wet && a->wet->mark <= mark) {
		struct sg_audit_post *p = a->wet;

		a->wet = p->next;
		if (!a->wet)
			a->wet_end = &a->wet;
		if (status < 0) {
			p->entry.status = status;
			p->err = *err;
		}
		finish(p);
	}
}

/* Makes durable what was written. */
static void
sync_front(struct sg_audit *a)
{
	uint64_t mark = a->written;
	struct sg_log_sync sync;
	struct sg_err err;
	int status;

	sg_err_clear(&err);
	sg_logfile_sync_begin(a->file, &sync);
	a->syncing = true;
	a->due = 0;
	(void)pthread_mutex_unlock(&a->lock);
	status = sg_logfile_sync(&sync, &err);
	(void)pthread_mutex_lock(&a->lock);
	a->syncing = false;
	settle_synced(a, mark, status, &err);
	if (status == SG_OK) {
		a->synced = mark;
		a->head = sync.end;
		a->head_due = true;
	} else if (a->has_clerk) {
		/* Once more, when the disk may have come back. */
		expect(a, DISK_AGAIN_MS);
	}
	if (!a->writing) {
		tell_head(a);
		wake(a, a->first);
	}
	if (!a->syncing)
		wake(a, a->wet);
}

/* ---- appending ---- */

static void
enqueue(struct sg_audit *a, struct json_t *record, bool lags,
	struct sg_audit_post *post)
{
	*post = (struct sg_audit_post){
		.entry = { .record = record, .err = &post->err },
		.lags = lags,
		.turn = PTHREAD_COND_INITIALIZER,
	};
	sg_err_clear(&post->err);
	(void)pthread_mutex_lock(&a->lock);
	*a->end = post;
	a->end = &post->next;
	a->open++;
	(void)pthread_mutex_unlock(&a->lock);
}

void
sg_audit_post(struct sg_audit *a, struct json_t *record,
	      struct sg_audit_post *post)
{
	enqueue(a, record, false, post);
	if (!a->has_clerk)
		return;
	/* It looks at the queue before it rests.  When it has come to, the
	 * record is written. */
	(void)pthread_cond_signal(&a->work);
	(void)pthread_mutex_lock(&a->lock);
	if (!a->writing && a->first)
		write_front(a, NULL);
	(void)pthread_mutex_unlock(&a->lock);
}

bool
sg_audit_settle(struct sg_audit *a, struct sg_audit_post *post, bool wait)
{
	bool done;

	(void)pthread_mutex_lock(&a->lock);
	post->waits = wait || (!a->has_clerk && a->open == 1 && !a->writing);
	while (post->waits && !post->done) {
		if (!post->written && !a->writing)
			write_front(a, post);
		else if (post->written && !a->writing && !a->syncing)
			sync_front(a);
		else
			(void)pthread_cond_wait(&post->turn, &a->lock);
	}
	done = post->done;
	if (done)
		a->open--;
	(void)pthread_mutex_unlock(&a->lock);
	if (done)
		(void)pthread_cond_destroy(&post->turn);
	return done;
}

static int
append(struct sg_audit *a, struct json_t *record, bool lags,
       struct sg_link *ret, struct sg_err *err)
{
	struct sg_audit_post post;

	enqueue(a, record, lags && a->lags, &post);
	(void)sg_audit_settle(a, &post, true);
	if (post.entry.status == SG_OK)
		*ret = post.entry.link;
	else if (err)
		*err = post.err;
	return post.entry.status;
}

int
sg_audit_append(struct sg_audit *a, struct json_t *record, struct sg_link *ret,
		struct sg_err *err)
{
	return append(a, record, false, ret, err);
}

int
sg_audit_append_outcome(struct sg_audit *a, struct json_t *record,
			struct sg_link *ret, struct sg_err *err)
{
	return append(a, record, true, ret, err);
}

/* ---- the clerk ---- */

/* What is to be done now, if anything; false when there is nothing. */
static bool
do_next(struct sg_audit *a)
{
	bool late = a->due && sg_clock_mono() >= a->due;

	if (a->writing) {
		return false;
	} else if (a->first) {
		write_front(a, NULL);
	} else if (!a->syncing &&
		   (a->wet || (late && a->written > a->synced))) {
		sync_front(a);
	} else if (late && a->written == a->synced) {
		a->due = 0;
		tell_head(a);
	} else {
		return false;
	}
	return true;
}

/* Until there is work, or may be some; at most `ns`. */
static void
rest(struct sg_audit *a, uint64_t ns)
{
	const uint64_t second = 1000000000;
	uint64_t until = sg_clock_mono() + ns;
	struct timespec end = { .tv_sec = (time_t)(until / second),
				.tv_nsec = (long)(until % second) };

	a->rest = ns == UINT64_MAX ? ASLEEP : EYES_OPEN;
	if (ns == UINT64_MAX)
		(void)pthread_cond_wait(&a->work, &a->lock);
	else
		(void)pthread_cond_timedwait(&a->work, &a->lock, &end);
	a->rest = AT_WORK;
}

static void *
keep(void *log)
{
	const uint64_t lag = (uint64_t)SG_AUDIT_LAG_MS * 1000000;
	struct sg_audit *a = log;
	bool fresh = false; /* there was something to do since it rested */

	(void)pthread_mutex_lock(&a->lock);
	while (!a->stopping) {
		uint64_t now = sg_clock_mono();

		if (do_next(a)) {
			fresh = true;
			continue;
		}
		if (a->due > now)
			rest(a, a->due - now);
		else if (a->due || fresh)
			rest(a, lag);
		else
			rest(a, UINT64_MAX);
		fresh = false;
	}
	(void)pthread_mutex_unlock(&a->lock);
	return NULL;
}

/* Signals are for other threads. */
static int
start_clerk(struct sg_audit *a, struct sg_err *err)
{
	sigset_t all, old;
	int number;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_BLOCK, &all, &old);
	number = pthread_create(&a->clerk, NULL, keep, a);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (number)
		return sg_err_sys(err, SG_EIO, number, "cannot start a thread");
	a->has_clerk = true;
	return SG_OK;
}

/* Nobody else uses it any more. */
static void
stop_clerk(struct sg_audit *a)
{
	(void)pthread_mutex_lock(&a->lock);
	a->stopping = true;
	(void)pthread_cond_signal(&a->work);
	(void)pthread_mutex_unlock(&a->lock);
	if (a->has_clerk)
		(void)pthread_join(a->clerk, NULL);
	(void)pthread_mutex_lock(&a->lock);
	if (a->written > a->synced)
		sync_front(a);
	tell_head(a);
	(void)pthread_mutex_unlock(&a->lock);
}

/* ---- the handle ---- */

int
sg_audit_sync_named(const char *text, enum sg_audit_sync *ret,
		    struct sg_err *err)
{
	if (!text)
		return SG_OK;
	if (strcmp(text, "answer") == 0)
		*ret = SG_AUDIT_SYNC_ANSWER;
	else if (strcmp(text, "start") == 0)
		*ret = SG_AUDIT_SYNC_START;
	else
		return sg_err_set(err, SG_EUSAGE,
				  "sync '%.64s' is none of answer, start",
				  text);
	return SG_OK;
}

static int
choose_path(const struct sg_audit_opts *opts, char *path, struct sg_err *err)
{
	int status;

	if (!opts->path) {
		status = sg_audit_default_path(path, SG_AUDIT_PATH, err);
		return status < 0 ? status : make_folders(path, err);
	}
	if (opts->path[0] == '\0' || strlen(opts->path) + 64 >= SG_AUDIT_PATH)
		return sg_err_set(err, SG_EUSAGE,
				  "'%.64s' can't be the name of an audit log",
				  opts->path);
	memcpy(path, opts->path, strlen(opts->path) + 1);
	return SG_OK;
}

static void
init_locks(struct sg_audit *a)
{
	pthread_condattr_t attr;

	(void)pthread_mutex_init(&a->lock, NULL);
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&a->work, &attr);
	(void)pthread_condattr_destroy(&attr);
}

int
sg_audit_open(const struct sg_audit_opts *opts, struct sg_audit **ret,
	      struct sg_err *err)
{
	struct sg_audit *a = calloc(1, sizeof(*a));
	char path[SG_AUDIT_PATH];
	int status;

	if (!a)
		return sg_err_set(err, SG_ENOMEM, "no memory");
	init_locks(a);
	a->end = &a->first;
	a->wet_end = &a->wet;
	status = choose_path(opts, path, err);
	if (status == SG_OK)
		status = sg_logfile_open(path, opts->max_bytes, &a->file, err);
	if (status == SG_OK && opts->shared)
		status = start_clerk(a, err);
	if (status < 0) {
		sg_audit_free(a);
		return status;
	}
	if (opts->shared)
		sg_logfile_reserve(a->file);
	a->lags = a->has_clerk && opts->sync == SG_AUDIT_SYNC_START;
	*ret = a;
	return SG_OK;
}

void
sg_audit_free(struct sg_audit *a)
{
	if (!a)
		return;
	if (a->file)
		stop_clerk(a);
	sg_logfile_free(a->file);
	(void)pthread_mutex_destroy(&a->lock);
	(void)pthread_cond_destroy(&a->work);
	free(a);
}

const char *
sg_audit_path(const struct sg_audit *a)
{
	return sg_logfile_path(a->file);
}
