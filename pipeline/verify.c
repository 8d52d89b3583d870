/*
 * Theory of operation.
 *
 * One pass over the lines that stood there when it began; no writer waits for
 * its end.  Each record is checked for itself, then against
 * the one before it.  A record with too high a number means that something
 * is missing in front of it; whether it was removed or only moved is found by
 * looking for the missing record in the rest of the file.  The first fault
 * ends the pass: what follows a broken link proves nothing.
 *
 * A last line without LF is what a crash leaves.  It is no fault as long as
 * the head file does not claim that a record stood there.  Where the machine
 * crashed, lines may be no records any more from some byte on; that is no fault
 * either behind the record that the head file names, for what is not durable
 * is never named there.
 *
 * Runs that began and have not ended yet are kept in a list; few ever are at
 * a time.
 */

#include "pipeline/verify.h"

#include "base/file.h"
#include "pipeline/event.h"
#include "pipeline/lines.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 1024 }; /* that were cut off and are kept by name */

struct pass {
	struct sg_verify *v;
	char (*runs)[SG_UID]; /* room for RUNS */
	uint32_t nruns;
	bool is_last, torn; /* of the file; torn: nothing follows */
	struct sg_lines lines;
	struct sg_link head;
	bool has_head, head_seen; /* seen: the record it names is there */
	uint64_t nlines, size;    /* of the last file */
};

const char *
sg_verify_kind_name(enum sg_verify_kind kind)
{
	static const char *const names[] = {
		[SG_VERIFY_INTACT] = "intact",
		[SG_VERIFY_CHANGED] = "changed",
		[SG_VERIFY_REMOVED] = "removed",
		[SG_VERIFY_INSERTED] = "inserted",
		[SG_VERIFY_REORDERED] = "reordered",
		[SG_VERIFY_TAIL] = "tail removed",
		[SG_VERIFY_HEAD] = "head differs",
	};

	return names[kind];
}

const char *
sg_head_state_name(enum sg_head_state state)
{
	static const char *const names[] = {
		[SG_HEAD_MATCHES] = "matches",
		[SG_HEAD_BEHIND] = "behind",
		[SG_HEAD_MISSING] = "missing",
		[SG_HEAD_UNREADABLE] = "unreadable",
	};

	return names[state];
}

SG_PRINTF(4, 5)
static void
fault(struct sg_verify *v, enum sg_verify_kind kind, uint64_t line,
      const char *fmt, ...)
{
	va_list ap;

	v->kind = kind;
	v->line = line;
	va_start(ap, fmt);
	(void)vsnprintf(v->what, sizeof(v->what), fmt, ap);
	va_end(ap);
}

/* Whether the record with `sequence` stands in the rest of the file. */
static bool
comes_later(struct pass *p, uint64_t sequence)
{
	struct sg_record rec;
	enum sg_line kind;
	struct sg_str line;
	bool found = false;

	while (!found && sg_lines_next(&p->lines, &kind, &line, NULL) == 0 &&
	       kind == SG_LINE_WHOLE) {
		found = sg_record_read(line, &rec) == SG_RECORD_GOOD &&
			rec.self.sequence == sequence;
		sg_record_release(&rec);
	}
	return found;
}

/* The first record of the first file. */
static void
check_first(struct sg_verify *v, const struct sg_record *rec, uint64_t line)
{
	v->first_sequence = rec->self.sequence;
	if (rec->self.sequence == 1 && !rec->has_prev)
		return;
	if (strcmp(rec->event, "rotate") == 0 && rec->has_prev)
		v->carried_on = true;
	else if (rec->self.sequence > 1)
		fault(v, SG_VERIFY_REMOVED, line,
		      "the log begins with record %" PRIu64
		      ": what came before it was removed",
		      rec->self.sequence);
	else
		fault(v, SG_VERIFY_CHANGED, line,
		      "record 1 names a record before it");
}

static void
check_next(struct pass *p, const struct sg_record *rec, uint64_t line)
{
	struct sg_verify *v = p->v;
	uint64_t want = v->last.sequence + 1, got = rec->self.sequence;

	if (strcmp(rec->self.chain, v->last.chain) != 0)
		fault(v, SG_VERIFY_INSERTED, line,
		      "the record belongs to another chain");
	else if (got < want)
		fault(v, SG_VERIFY_INSERTED, line,
		      "record %" PRIu64 " stands here where record %" PRIu64
		      " should be: inserted or moved",
		      got, want);
	else if (got > want && comes_later(p, want))
		fault(v, SG_VERIFY_REORDERED, line,
		      "record %" PRIu64 " stands here where record %" PRIu64
		      " should be, which comes later: reordered",
		      got, want);
	else if (got > want)
		fault(v, SG_VERIFY_REMOVED, line,
		      "record %" PRIu64 " stands here where record %" PRIu64
		      " should be: %" PRIu64 " removed",
		      got, want, got - want);
	else if (!rec->has_prev || strcmp(rec->prev_uid, v->last.uid) != 0 ||
		 strcmp(rec->prev_fingerprint, v->last.fingerprint) != 0)
		fault(v, SG_VERIFY_INSERTED, line,
		      "record %" PRIu64 " does not follow the record before it:"
		      " one of the two was put in later",
		      got);
	else if (strcmp(rec->event, "resume") == 0)
		fault(v, SG_VERIFY_REMOVED, line,
		      "the log had been removed when record %" PRIu64
		      " was written",
		      got);
}

/* ---- runs that were begun ---- */

static void
begin_run(struct pass *p, const char *run)
{
	if (p->nruns == RUNS) {
		memmove(p->runs, p->runs + 1, (RUNS - 1) * sizeof(*p->runs));
		p->nruns--;
	}
	(void)snprintf(p->runs[p->nruns++], SG_UID, "%s", run);
	p->v->unfinished++;
}

static void
end_run(struct pass *p, const char *run)
{
	uint32_t i = p->nruns;

	while (i > 0 && strcmp(p->runs[i - 1], run) != 0)
		i--;
	if (i == 0)
		return;
	memmove(p->runs + i - 1, p->runs + i,
		(p->nruns - i) * sizeof(*p->runs));
	p->nruns--;
	p->v->unfinished--;
}

static void
note_run(struct pass *p, const struct sg_record *rec)
{
	const char *run = sg_event_run(rec);

	if (sg_event_begins_run(rec))
		begin_run(p, run);
	else if (strcmp(rec->event, "outcome") == 0)
		end_run(p, run);
}

/* ---- lines ---- */

/* What is no record, after the one that the head file names, was not durable
 * yet: it and all that follows are what a crash left. */
static bool
is_torn(struct pass *p, size_t n)
{
	if (!p->is_last || !p->head_seen)
		return false;
	p->torn = true;
	p->v->torn = p->size - (p->lines.offset - n);
	return true;
}

static void
check_line(struct pass *p, struct sg_str line)
{
	static const char *const whats[] = {
		[SG_RECORD_GOOD] = "",
		[SG_RECORD_SYNTAX] = "the line is not a JSON object",
		[SG_RECORD_SHAPE] = "the line is not a record of the log",
		[SG_RECORD_FORM] = "the record was written by another hand: "
				   "not in canonical form",
		[SG_RECORD_CHANGED] = "the record was changed: its fingerprint "
				      "does not fit",
	};
	struct sg_verify *v = p->v;
	uint64_t number = p->lines.number;
	struct sg_record rec;
	enum sg_record_fault bad = sg_record_read(line, &rec);

	if (bad != SG_RECORD_GOOD && is_torn(p, line.n + 1)) {
		sg_record_release(&rec);
		return;
	}
	if (bad != SG_RECORD_GOOD)
		fault(v, SG_VERIFY_CHANGED, number, "%s", whats[bad]);
	else if (v->records == 0)
		check_first(v, &rec, number);
	else
		check_next(p, &rec, number);
	if (v->kind == SG_VERIFY_INTACT) {
		v->records++;
		v->last = rec.self;
		note_run(p, &rec);
		if (p->has_head && p->head.sequence == rec.self.sequence)
			p->head_seen = strcmp(p->head.fingerprint,
					      rec.self.fingerprint) == 0;
	}
	sg_record_release(&rec);
}

/* A last line without LF: torn by a crash, or a whole record cut short. */
static void
check_torn(struct pass *p, struct sg_str line, bool is_last)
{
	struct sg_verify *v = p->v;
	struct sg_record rec;
	bool whole = sg_record_read(line, &rec) == SG_RECORD_GOOD;

	sg_record_release(&rec);
	if (whole)
		check_line(p, line);
	else if (!is_last)
		fault(v, SG_VERIFY_CHANGED, p->lines.number,
		      "the last record of a rotated log is cut off");
	else
		v->torn = line.n;
}

/* A file as it was at one moment. */
struct snap {
	int fd; /* -1: none */
	uint64_t size;
	ino_t ino;
	dev_t dev;
};

/*
 * Takes it between two writes, and lets the writers go on: whatever they add
 * stands behind it.
 */
static int
snap_take(const char *path, struct snap *ret, struct sg_err *err)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return sg_err_sys(err, errno == ENOENT ? SG_ENOENT : SG_EIO,
				  errno, "cannot open '%s'", path);
	(void)flock(fd, LOCK_SH);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		sg_fd_close(&fd);
		return sg_err_set(err, SG_EIO, "'%s' is not a regular file",
				  path);
	}
	*ret = (struct snap){ fd, (uint64_t)st.st_size, st.st_ino, st.st_dev };
	return SG_OK;
}

/* The next line of the file as it was. */
static int
next_line(struct pass *p, enum sg_line *ret_kind, struct sg_str *ret,
	  struct sg_err *err)
{
	uint64_t before = p->lines.offset;
	int status;

	*ret_kind = SG_LINE_END;
	if (before >= p->size)
		return SG_OK;
	status = sg_lines_next(&p->lines, ret_kind, ret, err);
	/* It had no end by then. */
	if (status == SG_OK && p->lines.offset > p->size) {
		*ret_kind = SG_LINE_TORN;
		*ret = sg_str_slice(*ret, 0, (size_t)(p->size - before));
	}
	return status;
}

static int
check_lines(struct pass *p, const struct snap *snap, struct sg_err *err)
{
	struct sg_verify *v = p->v;
	enum sg_line kind = SG_LINE_WHOLE;
	struct sg_str line;
	int status = SG_OK;

	p->size = snap->size;
	sg_lines_init(&p->lines, snap->fd, SG_RECORD_MAX, NULL);
	while (status == SG_OK && v->kind == SG_VERIFY_INTACT && !p->torn &&
	       kind != SG_LINE_END) {
		status = next_line(p, &kind, &line, err);
		if (status < 0)
			break;
		if (kind == SG_LINE_WHOLE)
			check_line(p, line);
		else if (kind == SG_LINE_TORN)
			check_torn(p, line, p->is_last);
		else if (kind == SG_LINE_LONG && !is_torn(p, 0))
			fault(v, SG_VERIFY_CHANGED, p->lines.number,
			      "the line is longer than a record can be");
	}
	p->nlines = p->lines.number;
	sg_lines_release(&p->lines);
	return status;
}

/* `snap` is that of the file, which is closed, or none yet. */
static int
check_file(struct pass *p, const char *path, bool is_last, struct snap *snap,
	   struct sg_err *err)
{
	int status = SG_OK;

	p->v->file = path;
	p->is_last = is_last;
	if (snap->fd < 0)
		status = snap_take(path, snap, err);
	if (status < 0)
		return status;
	(void)flock(snap->fd, LOCK_UN);
	status = check_lines(p, snap, err);
	sg_fd_close(&snap->fd);
	return status;
}

/* Holds the end of the log against the head file. */
static void
check_head(struct pass *p)
{
	struct sg_verify *v = p->v;

	if (v->kind != SG_VERIFY_INTACT || !p->has_head)
		return;
	if (v->records > 0 && strcmp(p->head.chain, v->last.chain) != 0)
		fault(v, SG_VERIFY_HEAD, 0,
		      "the head file belongs to another chain");
	else if (p->head.sequence > v->last.sequence)
		fault(v, SG_VERIFY_TAIL, p->nlines,
		      "the log ends with record %" PRIu64
		      ", the head file says %" PRIu64 ": the tail was removed",
		      v->last.sequence, p->head.sequence);
	else if (p->head.sequence >= v->first_sequence && !p->head_seen)
		fault(v, SG_VERIFY_HEAD, 0,
		      "record %" PRIu64 " is not the one that the head file "
		      "names",
		      p->head.sequence);
	else if (p->head.sequence < v->last.sequence)
		v->head = SG_HEAD_BEHIND;
}

static void
read_head(struct pass *p, const char *log)
{
	int status = sg_head_read(log, &p->head, NULL);

	p->has_head = status == SG_OK;
	p->v->head = status == SG_OK       ? SG_HEAD_MATCHES
		     : status == SG_ENOENT ? SG_HEAD_MISSING
					   : SG_HEAD_UNREADABLE;
}

/* *last is of the last file, or none; it is closed. */
static int
verify(struct pass *p, const char *const *paths, uint32_t npaths,
       struct snap *last, struct sg_err *err)
{
	struct snap none = { .fd = -1 };
	struct sg_verify *v = p->v;
	int status = SG_OK;

	p->runs = calloc(RUNS, sizeof(*p->runs));
	if (!p->runs)
		status = sg_err_set(err, SG_ENOMEM, "no memory");
	for (uint32_t i = 0;
	     i < npaths && status == SG_OK && v->kind == SG_VERIFY_INTACT; i++)
		status = check_file(p, paths[i], i + 1 == npaths,
				    i + 1 == npaths ? last : &none, err);
	sg_fd_close(&last->fd);
	if (status == SG_OK)
		check_head(p);
	if (p->runs && p->nruns)
		memcpy(v->first_unfinished, p->runs[0], SG_UID);
	free(p->runs);
	return status;
}

int
sg_audit_verify(const char *const *paths, uint32_t npaths,
		struct sg_verify *ret, struct sg_err *err)
{
	struct pass p = { .v = ret };
	struct snap none = { .fd = -1 };

	*ret = (struct sg_verify){ 0 };
	if (npaths == 0)
		return sg_err_set(err, SG_EUSAGE, "no audit log is named");
	/* Before the log, which is never behind it. */
	read_head(&p, paths[npaths - 1]);
	return verify(&p, paths, npaths, &none, err);
}

/* ---- the files of a chain ---- */

enum { ROTATED_DIGITS = 12, SNAP_TRIES = 25 };

/* Whether `name` is `base`, a dot and the number of a record. */
static bool
is_rotated(const char *name, const char *base)
{
	size_t n = strlen(base);

	return strncmp(name, base, n) == 0 && name[n] == '.' &&
	       strspn(name + n + 1, "0123456789") == ROTATED_DIGITS &&
	       name[n + 1 + ROTATED_DIGITS] == '\0';
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int
list_rotated(const char *log, const char *base, DIR *dir,
	     struct sg_arena *arena, const char **paths, uint32_t *n,
	     struct sg_err *err)
{
	const struct dirent *entry;

	while ((entry = readdir(dir))) {
		if (!is_rotated(entry->d_name, base))
			continue;
		if (*n == SG_AUDIT_FILES)
			return sg_err_set(err, SG_ELIMIT,
					  "the log was rotated to more than "
					  "%d files",
					  (int)SG_AUDIT_FILES);
		paths[*n] = sg_arena_printf(arena, "%.*s%s", (int)(base - log),
					    log, entry->d_name)
				    .p;
		if (!paths[(*n)++])
			return sg_err_set(err, SG_ENOMEM, "no memory");
	}
	qsort(paths, *n, sizeof(*paths), by_name);
	return SG_OK;
}

int
sg_audit_files(const char *log, struct sg_arena *arena,
	       const char *const **ret_paths, uint32_t *ret_n,
	       struct sg_err *err)
{
	const char *slash = strrchr(log, '/'), *base = slash ? slash + 1 : log;
	struct sg_str folder = { log, (size_t)(base - log) };
	const char **paths = SG_NEWN(arena, const char *, SG_AUDIT_FILES + 1);
	int status = SG_OK;
	uint32_t n = 0;
	DIR *dir;

	folder = sg_arena_dup(arena, folder.n ? folder : SG_STR("."));
	if (!paths || !folder.p)
		return sg_err_set(err, SG_ENOMEM, "no memory");
	dir = opendir(folder.p);
	if (dir) {
		status = list_rotated(log, base, dir, arena, paths, &n, err);
		(void)closedir(dir);
	}
	if (status < 0)
		return status;
	paths[n++] = log;
	*ret_paths = paths;
	*ret_n = n;
	return SG_OK;
}

/*
 * The file that has the name now.  A writer that rotates the log has nothing
 * by that name for a moment.
 */
static int
snap_log(const char *log, struct snap *ret, struct sg_err *err)
{
	const struct timespec nap = { .tv_nsec = 2000000 };
	struct stat st;
	int status = SG_OK;

	for (int i = 0; i < SNAP_TRIES; i++) {
		status = snap_take(log, ret, err);
		if (status == SG_OK && stat(log, &st) == 0 &&
		    st.st_ino == ret->ino && st.st_dev == ret->dev)
			return SG_OK;
		if (status == SG_OK)
			sg_fd_close(&ret->fd);
		else if (status != SG_ENOENT)
			return status;
		(void)nanosleep(&nap, NULL);
	}
	return status < 0 ? status
			  : sg_err_set(err, SG_EIO,
				       "'%s' is replaced all the time", log);
}

int
sg_audit_verify_chain(const char *log, struct sg_arena *arena,
		      struct sg_verify *ret, struct sg_err *err)
{
	struct pass p = { .v = ret };
	struct snap last = { .fd = -1 };
	const char *const *paths = NULL;
	uint32_t n = 0;
	int status;

	*ret = (struct sg_verify){ 0 };
	read_head(&p, log);
	status = snap_log(log, &last, err);
	/* Nobody rotates it while it is locked. */
	if (status == SG_OK)
		status = sg_audit_files(log, arena, &paths, &n, err);
	if (status < 0) {
		sg_fd_close(&last.fd);
		return status;
	}
	return verify(&p, paths, n, &last, err);
}
