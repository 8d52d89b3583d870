/*
 * Theory of operation.
 *
 * An append is: take the lock, make sure that the descriptor is still the
 * file of that name (another process may have rotated it), read the last
 * record if somebody else wrote since our last one, write the new line,
 * fdatasync(), replace the head file, let the lock go.
 *
 * Order is what makes a crash harmless.  The line is durable before the head
 * names it, so the head is at most one record behind.  A line that was cut
 * off by a crash or a full disk is the last one and has no LF; its record was
 * never acknowledged, so nothing ran on the strength of it.  The next writer
 * copies those bytes to a file of their own, makes that durable, cuts the log
 * back to its last whole line and continues with a "repair" record that names
 * size, digest and file.  If our own write fails half-way (a full disk) the
 * log is cut back at once.
 *
 * A last line without its LF that is a sound successor is a record of which
 * only the LF is missing: it gets one.
 *
 * Rotation renames LOG to LOG.SEQUENCE (of its last record, twelve digits)
 * and starts a new file whose first record ("rotate") continues the chain.
 * A crash between the two leaves no LOG; the head file still says where the
 * chain stands, and the next writer continues from there.
 */

#include "pipeline/audit.h"

#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };

struct sg_audit {
	char path[PATH_ROOM];
	int fd;
	uint64_t max_bytes;
	off_t size; /* of the file when `last` was its end */
	struct sg_link last;
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
	char part[PATH_ROOM];

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

/* A new name is durable when its folder is. */
static int
sync_folder(const char *path, struct sg_err *err)
{
	char part[PATH_ROOM];
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;
	int fd, status = SG_OK;

	memcpy(part, path, n);
	part[n] = '\0';
	fd = open(slash ? (n ? part : "/") : ".",
		  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || (fsync(fd) < 0 && errno != EINVAL && errno != EROFS))
		status = sg_err_sys(err, SG_EAUDIT, errno,
				    "cannot sync the folder of '%s'", path);
	sg_fd_close(&fd);
	return status;
}

static int
open_file(struct sg_audit *a, bool *ret_new, struct sg_err *err)
{
	struct stat st;
	int fd;

	*ret_new = false;
	fd = open(a->path,
		  O_RDWR | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT) {
		fd = open(a->path, O_RDWR | O_APPEND | O_CLOEXEC | O_CREAT,
			  0600);
		*ret_new = true;
	}
	if (fd < 0)
		return sg_err_sys(err, SG_EAUDIT, errno,
				  "cannot open the audit log '%s'", a->path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		sg_fd_close(&fd);
		return sg_err_set(err, SG_EAUDIT,
				  "the audit log '%s' is not a regular file",
				  a->path);
	}
	sg_fd_close(&a->fd);
	a->fd = fd;
	return *ret_new ? sync_folder(a->path, err) : SG_OK;
}

/* ---- the lock ---- */

static int
lock(struct sg_audit *a, struct sg_err *err)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	uint64_t end = sg_clock_mono() + SG_AUDIT_WAIT_MS * UINT64_C(1000000);

	while (flock(a->fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return sg_err_sys(err, SG_EAUDIT, errno,
					  "cannot lock the audit log '%s'",
					  a->path);
		if (sg_clock_mono() > end)
			return sg_err_set(err, SG_EAUDIT,
					  "another writer holds the audit log "
					  "'%s' for %d s",
					  a->path, SG_AUDIT_WAIT_MS / 1000);
		(void)nanosleep(&pause, NULL);
	}
	return SG_OK;
}

/* True when the descriptor is the file that has the name now. */
static bool
is_current(const struct sg_audit *a)
{
	struct stat mine, named;

	return fstat(a->fd, &mine) == 0 && stat(a->path, &named) == 0 &&
	       mine.st_ino == named.st_ino && mine.st_dev == named.st_dev;
}

static int
lock_current(struct sg_audit *a, struct sg_err *err)
{
	bool is_new;
	int status;

	for (int tries = 0; tries < 100; tries++) {
		if (a->fd < 0 && (status = open_file(a, &is_new, err)) < 0)
			return status;
		if ((status = lock(a, err)) < 0)
			return status;
		if (is_current(a))
			return SG_OK;
		sg_fd_close(&a->fd);
		a->size = -1;
	}
	return sg_err_set(err, SG_EAUDIT,
			  "the audit log '%s' is replaced all the time",
			  a->path);
}

/* ---- the end of the log ---- */

/* What stands at the end of the file. */
struct tail {
	struct sg_buf bytes; /* the last line and what is torn after it */
	struct sg_str line;  /* the last whole line; n is 0: none */
	struct sg_str torn;  /* after the last LF */
	off_t torn_at;       /* offset of `torn` in the file */
};

static int
tail_split(struct tail *t, off_t start, off_t size, const char *path,
	   struct sg_err *err)
{
	const char *p = t->bytes.data;
	size_t n = t->bytes.len, end = n, begin;

	while (end > 0 && p[end - 1] != '\n')
		end--;
	t->torn = (struct sg_str){ p + end, n - end };
	t->torn_at = size - (off_t)t->torn.n;
	begin = end ? end - 1 : 0;
	while (begin > 0 && p[begin - 1] != '\n')
		begin--;
	if (end)
		t->line = (struct sg_str){ p + begin, end - 1 - begin };
	if (start > 0 && begin == 0)
		return sg_err_set(err, SG_EAUDIT,
				  "the audit log '%s' ends in a line that is "
				  "no record of ours",
				  path);
	return SG_OK;
}

static int
tail_read(struct sg_audit *a, off_t size, struct tail *t, struct sg_err *err)
{
	const off_t most = 2 * (off_t)SG_RECORD_MAX + 2;
	off_t start = size > most ? size - most : 0;
	size_t want = (size_t)(size - start), got = 0;
	char *p;

	sg_buf_init(&t->bytes, (size_t)most);
	t->line = t->torn = SG_STR_NONE;
	t->torn_at = size;
	if (want == 0)
		return SG_OK;
	if (!(p = sg_buf_room(&t->bytes, want)))
		return sg_err_set(err, SG_ENOMEM, "no memory for a record");
	while (got < want) {
		ssize_t n = pread(a->fd, p + got, want - got,
				  start + (off_t)got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return sg_err_sys(err, SG_EAUDIT, n < 0 ? errno : EIO,
					  "cannot read the audit log '%s'",
					  a->path);
		got += (size_t)n;
	}
	t->bytes.len += want;
	return tail_split(t, start, size, a->path, err);
}

/* Takes the link of the last whole line. */
static int
tail_link(struct sg_audit *a, const struct tail *t, struct sg_err *err)
{
	struct sg_record rec;
	enum sg_record_fault fault;

	if (t->line.n == 0) {
		if (t->line.p)
			return sg_err_set(err, SG_EAUDIT,
					  "the audit log '%s' ends in an empty "
					  "line",
					  a->path);
		/* An empty file: the chain may go on from a rotated one. */
		if (sg_head_read(a->path, &a->last, NULL) < 0)
			a->last = (struct sg_link){ 0 };
		return SG_OK;
	}
	fault = sg_record_read(t->line, &rec);
	if (fault == SG_RECORD_GOOD)
		a->last = rec.self;
	sg_record_release(&rec);
	if (fault == SG_RECORD_GOOD)
		return SG_OK;
	return sg_err_set(err, SG_EAUDIT,
			  "the last record of the audit log '%s' was changed; "
			  "see 'sandgate audit verify'",
			  a->path);
}

/* ---- writing ---- */

static int
write_line(struct sg_audit *a, struct sg_str line, struct sg_err *err)
{
	struct stat st;
	int status;

	if (fstat(a->fd, &st) < 0)
		return sg_err_sys(err, SG_EAUDIT, errno, "cannot look at '%s'",
				  a->path);
	status = sg_fd_write_all(a->fd, line.p, line.n, err);
	if (status == SG_OK && fdatasync(a->fd) < 0)
		status = sg_err_sys(err, SG_EAUDIT, errno, "cannot sync");
	if (status == SG_OK) {
		a->size = st.st_size + (off_t)line.n;
		return SG_OK;
	}
	/* Nothing half written may stay; if it must, the next writer's repair
	 * deals with it. */
	(void)!ftruncate(a->fd, st.st_size);
	a->size = -1;
	if (err)
		err->status = SG_EAUDIT;
	return SG_EAUDIT;
}

/* Seals `record` and writes it; the lock is held and `last` is the end. */
static int
put(struct sg_audit *a, json_t *record, struct sg_err *err)
{
	struct sg_link next;
	struct sg_buf line;
	int status;

	sg_buf_init(&line, SG_RECORD_MAX);
	status = sg_chain_seal(record, &a->last, &line, &next, err);
	if (status == SG_OK)
		status = write_line(a, sg_buf_view(&line), err);
	if (status == SG_OK) {
		a->last = next;
		status = sg_head_write(a->path, &next, err);
	}
	sg_buf_release(&line);
	return status;
}

/* ---- repair ---- */

/* Copies the torn bytes to LOG.torn.SEQUENCE; never over another file. */
static int
keep_torn(const struct sg_audit *a, struct sg_str torn, char *name, size_t room,
	  struct sg_err *err)
{
	int fd = -1, status;

	for (unsigned i = 0; fd < 0 && i < 1000; i++) {
		int n = snprintf(name, room, "%s.torn.%012" PRIu64, a->path,
				 a->last.sequence + 1);

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
	return status < 0 ? status : sync_folder(name, err);
}

static int
repair(struct sg_audit *a, const struct tail *t, struct sg_err *err)
{
	struct sg_digest digest = sg_digest_of(t->torn);
	char hex[SG_DIGEST_HEX], name[PATH_ROOM + 40];
	const char *slash;
	json_t *record;
	int status;

	if ((status = keep_torn(a, t->torn, name, sizeof(name), err)) < 0)
		return status;
	if (ftruncate(a->fd, t->torn_at) < 0)
		return sg_err_sys(err, SG_EAUDIT, errno,
				  "cannot repair the audit log '%s'", a->path);
	sg_digest_hex(&digest, hex);
	slash = strrchr(name, '/');
	record = json_pack("{s:s, s:{s:I, s:s, s:s}}", "event", "repair",
			   "torn", "bytes", (json_int_t)t->torn.n, "file",
			   slash ? slash + 1 : name, "sha256", hex);
	if (!record)
		return sg_err_set(err, SG_ENOMEM, "no memory for a record");
	status = put(a, record, err);
	json_decref(record);
	return status;
}

/* True when `torn` is the sound successor of `last`: only its LF is gone. */
static bool
only_lf_missing(const struct sg_audit *a, struct sg_str torn,
		struct sg_link *ret)
{
	struct sg_record rec;
	bool sound = sg_record_read(torn, &rec) == SG_RECORD_GOOD &&
		     rec.self.sequence == a->last.sequence + 1 &&
		     (a->last.sequence == 0 ||
		      (rec.has_prev &&
		       strcmp(rec.prev_fingerprint, a->last.fingerprint) == 0));

	*ret = rec.self;
	sg_record_release(&rec);
	return sound;
}

/* Makes `last` the true end of the log; the lock is held. */
static int
catch_up(struct sg_audit *a, struct sg_err *err)
{
	struct sg_link next;
	struct tail t;
	struct stat st;
	int status;

	if (fstat(a->fd, &st) < 0)
		return sg_err_sys(err, SG_EAUDIT, errno, "cannot look at '%s'",
				  a->path);
	if (st.st_size == a->size)
		return SG_OK;
	status = tail_read(a, st.st_size, &t, err);
	if (status == SG_OK)
		status = tail_link(a, &t, err);
	if (status == SG_OK && t.torn.n == 0) {
		a->size = st.st_size;
	} else if (status == SG_OK && only_lf_missing(a, t.torn, &next)) {
		status = write_line(a, SG_STR("\n"), err);
		if (status == SG_OK)
			a->last = next;
	} else if (status == SG_OK) {
		status = repair(a, &t, err);
	}
	sg_buf_release(&t.bytes);
	return status;
}

/* ---- rotation ---- */

static void
rotated_name(const struct sg_audit *a, char *out, size_t room)
{
	(void)snprintf(out, room, "%s.%012" PRIu64, a->path, a->last.sequence);
}

/*
 * The first record of a file that continues a chain: after a rotation, or
 * ("resume") after the log has gone away, which verification then reports.
 */
static int
carry_on(struct sg_audit *a, struct sg_err *err)
{
	char old[PATH_ROOM + 24];
	const char *slash;
	json_t *record;
	bool rotated;
	int status;

	rotated_name(a, old, sizeof(old));
	rotated = access(old, F_OK) == 0;
	slash = strrchr(old, '/');
	record = json_pack("{s:s, s:s}", "event", rotated ? "rotate" : "resume",
			   "from", rotated ? (slash ? slash + 1 : old) : "");
	if (!record)
		return sg_err_set(err, SG_ENOMEM, "no memory for a record");
	status = put(a, record, err);
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
rotate(struct sg_audit *a, struct sg_err *err)
{
	char old[PATH_ROOM + 24];
	int status;

	rotated_name(a, old, sizeof(old));
	if (move_away(a->path, old) < 0)
		return sg_err_sys(err, SG_EAUDIT, errno,
				  "cannot rotate the audit log to '%s'", old);
	sg_fd_close(&a->fd);
	a->size = -1;
	if ((status = lock_current(a, err)) < 0)
		return status;
	return catch_up(a, err);
}

int
sg_audit_append(struct sg_audit *a, struct json_t *record, struct sg_link *ret,
		struct sg_err *err)
{
	int status = lock_current(a, err);

	if (status == SG_OK)
		status = catch_up(a, err);
	if (status == SG_OK && a->max_bytes && a->size > 0 &&
	    (uint64_t)a->size >= a->max_bytes)
		status = rotate(a, err);
	if (status == SG_OK && a->size == 0 && a->last.sequence > 0)
		status = carry_on(a, err);
	if (status == SG_OK)
		status = put(a, record, err);
	if (status == SG_OK)
		*ret = a->last;
	if (a->fd >= 0)
		(void)flock(a->fd, LOCK_UN);
	return status;
}

int
sg_audit_open(const struct sg_audit_opts *opts, struct sg_audit **ret,
	      struct sg_err *err)
{
	struct sg_audit *a = calloc(1, sizeof(*a));
	int status = SG_OK;

	if (!a)
		return sg_err_set(err, SG_ENOMEM, "no memory");
	a->fd = -1;
	a->size = -1;
	a->max_bytes = opts->max_bytes;
	if (!opts->path) {
		status = sg_audit_default_path(a->path, sizeof(a->path), err);
		if (status == SG_OK)
			status = make_folders(a->path, err);
	} else if (opts->path[0] == '\0' ||
		   strlen(opts->path) + 64 >= sizeof(a->path)) {
		status = sg_err_set(err, SG_EUSAGE,
				    "'%.64s' can't be the name of an audit log",
				    opts->path);
	} else {
		memcpy(a->path, opts->path, strlen(opts->path) + 1);
	}
	if (status == SG_OK)
		status = lock_current(a, err);
	if (status == SG_OK)
		status = catch_up(a, err);
	if (a->fd >= 0)
		(void)flock(a->fd, LOCK_UN);
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
	sg_fd_close(&a->fd);
	free(a);
}

const char *
sg_audit_path(const struct sg_audit *a)
{
	return a->path;
}
