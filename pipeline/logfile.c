/*
 * Theory of operation.
 *
 * To write is: take the lock, make sure that the descriptor is still the
 * file of that name (another process may have rotated it), read the last
 * record if somebody else wrote since our last one, write the new lines, let
 * the lock go.  To sync is fdatasync(), with no lock and on a descriptor of
 * its own, so that others write meanwhile; then the head file is written.
 *
 * Order is what makes a crash harmless.  The lines are durable before the
 * head names the last of them, so the head is never ahead of the log.  What
 * stands in the log after the head's record may or may not have been durable.
 * A crash of the writer or a full disk leaves a last line without its LF; one
 * of the machine may leave anything from some byte on that was not synced.
 * The next writer copies those bytes to a file of their own, makes that durable,
 * cuts the log back to its last sound line and continues with a "repair" record
 * that names size, digest and file.  If our own write fails half-way (a full
 * disk) the log is cut back at once.
 *
 * A last line without its LF that is a sound successor is a record of which
 * only the LF is missing: it gets one.
 *
 * Rotation renames LOG to LOG.SEQUENCE (of its last record, twelve digits)
 * and starts a new file whose first record ("rotate") continues the chain.
 * A crash between the two leaves no LOG; the head file still says where the
 * chain stands, and the next writer continues from there.
 */

#include "pipeline/logfile_core.h"

#include "base/file.h"
#include "pipeline/logtail.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the end of the log ---- */

/* Takes the link of the last whole line. */
static int
tail_link(struct sg_logfile *f, const struct sg_logtail *t, struct sg_err *err)
{
	struct sg_record rec;
	enum sg_record_fault fault;

	if (t->line.n == 0) {
		if (t->line.p)
			return sg_err_set(err, SG_EAUDIT,
					  "the audit log '%s' ends in an empty "
					  "line",
					  f->path);
		/* An empty file: the chain may go on from a rotated one. */
		if (sg_head_read(f->path, &f->last, NULL) < 0)
			f->last = (struct sg_link){ 0 };
		return SG_OK;
	}
	fault = sg_record_read(t->line, &rec);
	if (fault == SG_RECORD_GOOD)
		f->last = rec.self;
	sg_record_release(&rec);
	if (fault == SG_RECORD_GOOD)
		return SG_OK;
	return sg_err_set(err, SG_EAUDIT,
			  "the last record of the audit log '%s' was changed; "
			  "see 'sandgate audit verify'",
			  f->path);
}

/* ---- writing ---- */

/*
 * A sync of what lies in blocks that the file has already is shorter by a
 * tenth, and by far more where it would have to find one.  It does not matter
 * where that can't be.
 */
static void
reserve(struct sg_logfile *f, off_t from, size_t n)
{
	if (!f->reserves || from + (off_t)n <= f->reserved)
		return;
	if (fallocate(f->fd, FALLOC_FL_KEEP_SIZE, from, SG_AUDIT_RESERVE) == 0)
		f->reserved = from + SG_AUDIT_RESERVE;
	else
		f->reserves = false;
}

static int
write_line(struct sg_logfile *f, struct sg_str line, struct sg_err *err)
{
	struct stat st;
	int number;

	if (fstat(f->fd, &st) < 0)
		return sg_err_sys(err, SG_EAUDIT, errno, "cannot look at '%s'",
				  f->path);
	reserve(f, st.st_size, line.n);
	if (sg_fd_write_all(f->fd, line.p, line.n, err) == SG_OK) {
		f->size = st.st_size + (off_t)line.n;
		return SG_OK;
	}
	number = errno;
	/* Nothing half written may stay; if it must, the next writer's repair
	 * deals with it. */
	(void)!ftruncate(f->fd, st.st_size);
	f->size = -1;
	return sg_err_sys(err, SG_EAUDIT, number,
			  "cannot write the audit log '%s'", f->path);
}

static int
sync_lines(int fd, struct sg_err *err)
{
	if (fdatasync(fd) == 0)
		return SG_OK;
	return sg_err_sys(err, SG_EAUDIT, errno, "cannot sync the audit log");
}

/* The lock is held; the log is durable up to *end. */
static int
write_head(struct sg_logfile *f, const struct sg_link *end, struct sg_err *err)
{
	int status = sg_head_write(f->path, end, err);

	if (status == SG_OK)
		f->head = end->sequence;
	return status;
}

/* Seals what can be sealed into `out`; *end is the new end of the chain. */
static uint32_t
seal_all(struct sg_log_entry *const *v, uint32_t n, struct sg_buf *out,
	 struct sg_link *end)
{
	struct sg_buf line;
	uint32_t good = 0;

	sg_buf_init(&line, SG_RECORD_MAX);
	for (uint32_t i = 0; i < n; i++) {
		struct sg_log_entry *e = v[i];

		sg_buf_reset(&line);
		e->status = sg_chain_seal(e->record, end, &line, &e->link,
					  e->err);
		if (e->status < 0)
			continue;
		*end = e->link;
		good++;
		sg_buf_str(out, sg_buf_view(&line));
	}
	sg_buf_release(&line);
	return good;
}

/* Writes the records; the lock is held and `last` is the end. */
static int
put_all(struct sg_logfile *f, struct sg_log_entry *const *v, uint32_t n,
	struct sg_err *err)
{
	struct sg_link end = f->last;
	struct sg_buf lines;
	int status = SG_OK;

	sg_buf_init(&lines, (size_t)n * SG_RECORD_MAX);
	if (seal_all(v, n, &lines, &end) > 0) {
		if (sg_buf_failed(&lines))
			status = sg_err_set(err, SG_ENOMEM,
					    "no memory for a record");
		if (status == SG_OK)
			status = write_line(f, sg_buf_view(&lines), err);
		if (status == SG_OK)
			f->last = end;
	}
	sg_buf_release(&lines);
	return status;
}

/* One record of our own, made durable. */
static int
put(struct sg_logfile *f, json_t *record, struct sg_err *err)
{
	struct sg_log_entry entry = { .record = record, .err = err };
	struct sg_log_entry *const list[] = { &entry };
	int status = put_all(f, list, 1, err);

	if (status == SG_OK)
		status = entry.status;
	if (status == SG_OK)
		status = sync_lines(f->fd, err);
	return status < 0 ? status : write_head(f, &f->last, err);
}

/* ---- repair ---- */

/* Copies the torn bytes to LOG.torn.SEQUENCE; never over another file. */
static int
keep_torn(const struct sg_logfile *f, struct sg_str torn, char *name,
	  size_t room, struct sg_err *err)
{
	int fd = -1, status;

	for (unsigned i = 0; fd < 0 && i < 1000; i++) {
		int n = snprintf(name, room, "%s.torn.%012" PRIu64, f->path,
				 f->last.sequence + 1);

		if (i)
			(void)snprintf(name + n, room - (size_t)n, ".%u", i);
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0)
		return sg_err_sys(err, SG_EAUDIT, errno,
				  "cannot set the torn line aside in '%s'",
				  name);
	status = sg_fd_write_all(fd, torn.p, torn.n, err);
	if (status == SG_OK && fsync(fd) < 0)
		status = sg_err_sys(err, SG_EAUDIT, errno, "cannot sync '%s'",
				    name);
	sg_fd_close(&fd);
	return status < 0 ? status : sg_logfile_sync_folder(name, err);
}

static int
repair(struct sg_logfile *f, const struct sg_logtail *t, struct sg_err *err)
{
	struct sg_digest digest = sg_digest_of(t->torn);
	char hex[SG_DIGEST_HEX], name[SG_AUDIT_PATH + 40];
	const char *slash;
	json_t *record;
	int status;

	if ((status = keep_torn(f, t->torn, name, sizeof(name), err)) < 0)
		return status;
	if (ftruncate(f->fd, t->torn_at) < 0)
		return sg_err_sys(err, SG_EAUDIT, errno,
				  "cannot repair the audit log '%s'", f->path);
	sg_digest_hex(&digest, hex);
	slash = strrchr(name, '/');
	record = json_pack("{s:s, s:{s:I, s:s, s:s}}", "event", "repair",
			   "torn", "bytes", (json_int_t)t->torn.n, "file",
			   slash ? slash + 1 : name, "sha256", hex);
	if (!record)
		return sg_err_set(err, SG_ENOMEM, "no memory for a record");
	status = put(f, record, err);
	json_decref(record);
	return status;
}

/* True when `torn` is the sound successor of `last`: only its LF is gone. */
static bool
only_lf_missing(const struct sg_logfile *f, struct sg_str torn,
		struct sg_link *ret)
{
	struct sg_record rec;
	bool sound = sg_record_read(torn, &rec) == SG_RECORD_GOOD &&
		     rec.self.sequence == f->last.sequence + 1 &&
		     (f->last.sequence == 0 ||
		      (rec.has_prev &&
		       strcmp(rec.prev_fingerprint, f->last.fingerprint) == 0));

	*ret = rec.self;
	sg_record_release(&rec);
	return sound;
}

/* Whether the line is the record that the head file names, or there is none
 * to go by. */
static bool
is_head(const struct sg_logfile *f, struct sg_str line, struct sg_link *ret)
{
	struct sg_record rec;
	bool same;

	if (sg_head_read(f->path, ret, NULL) < 0)
		return true;
	same = sg_record_read(line, &rec) == SG_RECORD_GOOD &&
	       strcmp(rec.self.fingerprint, ret->fingerprint) == 0;
	sg_record_release(&rec);
	return same;
}

/* What we did not write ourselves a crash may have left. */
static int
read_tail(struct sg_logfile *f, off_t size, struct sg_logtail *t,
	  struct sg_err *err)
{
	struct sg_link head;
	int status = sg_logtail_read(f->fd, f->path, size, t, err);

	if (f->size >= 0 || status == SG_ENOMEM || is_head(f, t->line, &head))
		return status;
	if (status == SG_OK)
		return sg_logtail_recover(f->fd, f->path, size, &head, t, err);
	if (sg_logtail_recover(f->fd, f->path, size, &head, t, NULL) == SG_OK &&
	    t->line.p)
		return SG_OK;
	return status;
}

/* Makes `last` the true end of the log; the lock is held. */
static int
catch_up(struct sg_logfile *f, struct sg_err *err)
{
	struct sg_link next;
	struct sg_logtail t;
	struct stat st;
	int status;

	if (fstat(f->fd, &st) < 0)
		return sg_err_sys(err, SG_EAUDIT, errno, "cannot look at '%s'",
				  f->path);
	if (st.st_size == f->size)
		return SG_OK;
	status = read_tail(f, st.st_size, &t, err);
	if (status == SG_OK)
		status = tail_link(f, &t, err);
	if (status == SG_OK && t.torn.n == 0) {
		f->size = st.st_size;
	} else if (status == SG_OK && only_lf_missing(f, t.torn, &next)) {
		status = write_line(f, SG_STR("\n"), err);
		if (status == SG_OK)
			status = sync_lines(f->fd, err);
		if (status == SG_OK)
			f->last = next;
	} else if (status == SG_OK) {
		status = repair(f, &t, err);
	}
	sg_logtail_release(&t);
	return status;
}

/* ---- rotation ---- */

static void
rotated_name(const struct sg_logfile *f, char *out, size_t room)
{
	(void)snprintf(out, room, "%s.%012" PRIu64, f->path, f->last.sequence);
}

/*
 * The first record of a file that continues a chain: after a rotation, or
 * ("resume") after the log has gone away, which verification then reports.
 */
static int
carry_on(struct sg_logfile *f, struct sg_err *err)
{
	char old[SG_AUDIT_PATH + 24];
	const char *slash;
	json_t *record;
	bool rotated;
	int status;

	rotated_name(f, old, sizeof(old));
	rotated = access(old, F_OK) == 0;
	slash = strrchr(old, '/');
	record = json_pack("{s:s, s:s}", "event", rotated ? "rotate" : "resume",
			   "from", rotated ? (slash ? slash + 1 : old) : "");
	if (!record)
		return sg_err_set(err, SG_ENOMEM, "no memory for a record");
	status = put(f, record, err);
	json_decref(record);
	return status;
}

/* Renames, never over another file.  0, or -1 and errno. */
static int
move_away(const char *from, const char *to)
{
	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	/* A file system that can't: in two steps. */
	return link(from, to) < 0 ? -1 : unlink(from);
}

static int
rotate(struct sg_logfile *f, struct sg_err *err)
{
	char old[SG_AUDIT_PATH + 24];
	int status;

	rotated_name(f, old, sizeof(old));
	/* Until the new file has its first record, only the head knows. */
	if ((status = sync_lines(f->fd, err)) < 0 ||
	    (status = write_head(f, &f->last, err)) < 0 ||
	    (status = sg_head_sync(f->path, err)) < 0)
		return status;
	if (move_away(f->path, old) < 0)
		return sg_err_sys(err, SG_EAUDIT, errno,
				  "cannot rotate the audit log to '%s'", old);
	sg_fd_close(&f->fd);
	f->size = -1;
	if ((status = sg_logfile_lock_current(f, err)) < 0)
		return status;
	return catch_up(f, err);
}

static int
write_all(struct sg_logfile *f, struct sg_log_entry *const *v, uint32_t n,
	  struct sg_err *err)
{
	int status = sg_logfile_lock_current(f, err);

	if (status == SG_OK)
		status = catch_up(f, err);
	if (status == SG_OK && f->max_bytes && f->size > 0 &&
	    (uint64_t)f->size >= f->max_bytes)
		status = rotate(f, err);
	if (status == SG_OK && f->size == 0 && f->last.sequence > 0)
		status = carry_on(f, err);
	if (status == SG_OK)
		status = put_all(f, v, n, err);
	if (f->fd >= 0)
		(void)flock(f->fd, LOCK_UN);
	return status;
}

void
sg_logfile_write(struct sg_logfile *f, struct sg_log_entry *const *v,
		 uint32_t n)
{
	struct sg_err err;
	int status;

	sg_err_clear(&err);
	status = write_all(f, v, n, &err);
	for (uint32_t i = 0; status < 0 && i < n; i++) {
		if (v[i]->status == SG_OK && v[i]->err)
			*v[i]->err = err;
		v[i]->status = status;
	}
}

/* ---- making it durable ---- */

void
sg_logfile_sync_begin(const struct sg_logfile *f, struct sg_log_sync *ret)
{
	ret->end = f->last;
	ret->fd = f->fd < 0 ? -1 : fcntl(f->fd, F_DUPFD_CLOEXEC, 3);
	ret->number = errno;
}

int
sg_logfile_sync(struct sg_log_sync *sync, struct sg_err *err)
{
	int status;

	if (sync->fd < 0)
		return sg_err_sys(err, SG_EAUDIT, sync->number,
				  "cannot sync the audit log");
	status = sync_lines(sync->fd, err);
	sg_fd_close(&sync->fd);
	return status;
}

/*
 * Somebody else may have written since, and the head with it: here, or in
 * the file that has the name now, when this one was rotated.
 */
static bool
is_ahead(const struct sg_logfile *f, const struct sg_link *end)
{
	struct sg_link head;
	struct stat st;

	if (fstat(f->fd, &st) == 0 && st.st_size == f->size &&
	    sg_logfile_is_current(f))
		return true;
	return sg_head_read(f->path, &head, NULL) < 0 ||
	       (strcmp(head.chain, end->chain) == 0 &&
		head.sequence < end->sequence);
}

int
sg_logfile_synced(struct sg_logfile *f, const struct sg_link *end, bool wait,
		  struct sg_err *err)
{
	int status = SG_OK;

	if (f->fd < 0 || end->sequence <= f->head)
		return SG_OK;
	if (wait ? sg_logfile_lock(f, err) < 0
		 : flock(f->fd, LOCK_EX | LOCK_NB) < 0)
		return SG_EAUDIT;
	if (is_ahead(f, end))
		status = write_head(f, end, err);
	(void)flock(f->fd, LOCK_UN);
	return status;
}

int
sg_logfile_open(const char *path, uint64_t max_bytes, struct sg_logfile **ret,
		struct sg_err *err)
{
	struct sg_logfile *f = calloc(1, sizeof(*f));
	int status;

	if (!f)
		return sg_err_set(err, SG_ENOMEM, "no memory");
	f->fd = -1;
	f->size = -1;
	f->max_bytes = max_bytes;
	(void)snprintf(f->path, sizeof(f->path), "%s", path);
	status = sg_logfile_lock_current(f, err);
	if (status == SG_OK)
		status = catch_up(f, err);
	if (f->fd >= 0)
		(void)flock(f->fd, LOCK_UN);
	if (status < 0) {
		sg_logfile_free(f);
		return status;
	}
	*ret = f;
	return SG_OK;
}

void
sg_logfile_free(struct sg_logfile *f)
{
	if (!f)
		return;
	sg_fd_close(&f->fd);
	free(f);
}

void
sg_logfile_reserve(struct sg_logfile *f)
{
	f->reserves = true;
}

const char *
sg_logfile_path(const struct sg_logfile *f)
{
	return f->path;
}
