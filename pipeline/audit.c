/*
 * Theory of operation.
 *
 * A record costs a sync of the disk, and a sync of many records costs no
 * more.  So threads that append queue up here: the first one writes what
 * stands in the queue, all of it with one sync, while those that come
 * meanwhile wait; when it has finished, the first of these writes for
 * itself and the others, and so on.  Nobody waits for company.
 *
 * Who posts a record and has something else to do until it must be durable
 * leaves it in the queue, where the next writer takes it along; unless there
 * is nobody else, for then waiting gains nothing.
 */

#include "pipeline/audit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct sg_audit {
	struct sg_logfile *file;
	pthread_mutex_t lock; /* of what follows */
	bool writing;
	uint32_t open; /* posts that are not settled */
	struct sg_audit_post *first, **end;
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

/* ---- appending ---- */

/* Writes the front of the queue; the lock is held, but for the writing. */
static void
write_front(struct sg_audit *a)
{
	struct sg_log_entry *entries[SG_AUDIT_BATCH];
	struct sg_audit_post *batch = a->first, *w;
	uint32_t n = 0;

	for (w = batch; w && n < SG_AUDIT_BATCH; w = w->next)
		entries[n++] = &w->entry;
	a->first = w;
	if (!w)
		a->end = &a->first;
	a->writing = true;
	(void)pthread_mutex_unlock(&a->lock);
	sg_logfile_append(a->file, entries, n);
	(void)pthread_mutex_lock(&a->lock);
	a->writing = false;
	for (uint32_t i = 0; i < n; i++) {
		w = batch;
		batch = w->next;
		w->done = true;
		(void)pthread_cond_signal(&w->turn);
	}
	for (w = a->first; w && !w->waits; w = w->next)
		;
	if (w)
		(void)pthread_cond_signal(&w->turn);
}

void
sg_audit_post(struct sg_audit *a, struct json_t *record,
	      struct sg_audit_post *post)
{
	*post = (struct sg_audit_post){
		.entry = { .record = record, .err = &post->err },
		.turn = PTHREAD_COND_INITIALIZER,
	};
	sg_err_clear(&post->err);
	(void)pthread_mutex_lock(&a->lock);
	*a->end = post;
	a->end = &post->next;
	a->open++;
	(void)pthread_mutex_unlock(&a->lock);
}

bool
sg_audit_settle(struct sg_audit *a, struct sg_audit_post *post, bool wait)
{
	bool done;

	(void)pthread_mutex_lock(&a->lock);
	post->waits = wait || (a->open == 1 && !a->writing);
	while (post->waits && !post->done) {
		if (a->writing)
			(void)pthread_cond_wait(&post->turn, &a->lock);
		else
			write_front(a);
	}
	done = post->done;
	if (done)
		a->open--;
	(void)pthread_mutex_unlock(&a->lock);
	if (done)
		(void)pthread_cond_destroy(&post->turn);
	return done;
}

int
sg_audit_append(struct sg_audit *a, struct json_t *record, struct sg_link *ret,
		struct sg_err *err)
{
	struct sg_audit_post post;

	sg_audit_post(a, record, &post);
	(void)sg_audit_settle(a, &post, true);
	if (post.entry.status == SG_OK)
		*ret = post.entry.link;
	else if (err)
		*err = post.err;
	return post.entry.status;
}

/* ---- the handle ---- */

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

int
sg_audit_open(const struct sg_audit_opts *opts, struct sg_audit **ret,
	      struct sg_err *err)
{
	struct sg_audit *a = calloc(1, sizeof(*a));
	char path[SG_AUDIT_PATH];
	int status;

	if (!a)
		return sg_err_set(err, SG_ENOMEM, "no memory");
	(void)pthread_mutex_init(&a->lock, NULL);
	a->end = &a->first;
	status = choose_path(opts, path, err);
	if (status == SG_OK)
		status = sg_logfile_open(path, opts->max_bytes, &a->file, err);
	if (status < 0) {
		sg_audit_free(a);
		return status;
	}
	*ret = a;
	return SG_OK;
}

void
sg_audit_free(struct sg_audit *a)
{
	if (!a)
		return;
	sg_logfile_free(a->file);
	(void)pthread_mutex_destroy(&a->lock);
	free(a);
}

const char *
sg_audit_path(const struct sg_audit *a)
{
	return sg_logfile_path(a->file);
}
