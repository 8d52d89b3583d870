#include "pipeline/logtail.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum { TAIL_FIRST = 8 << 10 }; /* bytes */

/* Finds both; `whole` says that the bytes are all there are.  False when the
 * line may have begun before them. */
static bool
split(struct sg_logtail *t, bool whole, off_t size)
{
	const char *p = t->bytes.data;
	size_t n = t->bytes.len, end = n, begin;

	while (end > 0 && p[end - 1] != '\n')
		end--;
	begin = end ? end - 1 : 0;
	while (begin > 0 && p[begin - 1] != '\n')
		begin--;
	if (begin == 0 && !whole)
		return false;
	t->torn = (struct sg_str){ p + end, n - end };
	t->torn_at = size - (off_t)t->torn.n;
	if (end)
		t->line = (struct sg_str){ p + begin, end - 1 - begin };
	return true;
}

/* The last `want` bytes. */
static int
load(int fd, const char *path, off_t size, size_t want, struct sg_buf *out,
     struct sg_err *err)
{
	off_t start = size - (off_t)want;
	size_t got = 0;
	char *p;

	sg_buf_reset(out);
	if (!(p = sg_buf_room(out, want)))
		return sg_err_set(err, SG_ENOMEM, "no memory for a record");
	while (got < want) {
		ssize_t n = pread(fd, p + got, want - got, start + (off_t)got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return sg_err_sys(err, SG_EAUDIT, n < 0 ? errno : EIO,
					  "cannot read the audit log '%s'",
					  path);
		got += (size_t)n;
	}
	out->len += want;
	return SG_OK;
}

/* Most records are short: little is read first, and more while it is not
 * enough. */
int
sg_logtail_read(int fd, const char *path, off_t size, struct sg_logtail *t,
		struct sg_err *err)
{
	const off_t most = 2 * (off_t)SG_RECORD_MAX + 2;
	off_t want = 0;
	int status;

	*t = (struct sg_logtail){ .torn_at = size };
	sg_buf_init(&t->bytes, (size_t)most);
	while (want < size && want < most) {
		want = want ? 16 * want : TAIL_FIRST;
		if (want > most)
			want = most;
		if (want > size)
			want = size;
		status = load(fd, path, size, (size_t)want, &t->bytes, err);
		if (status < 0)
			return status;
		if (split(t, want == size, size))
			return SG_OK;
	}
	if (size == 0)
		return SG_OK;
	return sg_err_set(err, SG_EAUDIT,
			  "the audit log '%s' ends in a line that is no record "
			  "of ours",
			  path);
}

/* ---- after a crash ---- */

/* The whole line at `at`, without its LF; p is NULL when there is none. */
static struct sg_str
line_at(struct sg_str all, size_t at)
{
	struct sg_str rest = sg_str_slice(all, at, all.n);
	size_t n = sg_str_find(rest, '\n');

	return n < rest.n ? sg_str_slice(rest, 0, n) : SG_STR_NONE;
}

/* Where the record of the head begins, or all.n. */
static size_t
find_head(struct sg_str all, const struct sg_link *head)
{
	const char *hit = all.n ? memmem(all.p, all.n, head->fingerprint,
					 strlen(head->fingerprint))
				: NULL;
	size_t at = hit ? (size_t)(hit - all.p) : all.n;
	struct sg_record rec;
	bool is_it;

	if (!hit)
		return all.n;
	while (at > 0 && all.p[at - 1] != '\n')
		at--;
	/* The record after it says the same of the one before it. */
	is_it = sg_record_read(line_at(all, at), &rec) == SG_RECORD_GOOD &&
		rec.self.sequence == head->sequence &&
		strcmp(rec.self.fingerprint, head->fingerprint) == 0;
	sg_record_release(&rec);
	return is_it ? at : all.n;
}

enum step { STEP_GOOD, STEP_UNSOUND, STEP_STRANGE };

/* What the line is after *last, which it becomes. */
static enum step
step(struct sg_str line, struct sg_link *last)
{
	enum step what = STEP_UNSOUND;
	struct sg_record rec;

	if (sg_record_read(line, &rec) == SG_RECORD_GOOD) {
		what = rec.self.sequence == last->sequence + 1 &&
				       rec.has_prev &&
				       strcmp(rec.prev_fingerprint,
					      last->fingerprint) == 0
			       ? STEP_GOOD
			       : STEP_STRANGE;
		*last = rec.self;
	}
	sg_record_release(&rec);
	return what;
}

/* Walks from the head's record at `at` to the end of what is sound. */
static void
walk(struct sg_logtail *t, size_t at, struct sg_link last, off_t size)
{
	struct sg_str all = sg_buf_view(&t->bytes);
	struct sg_str good = line_at(all, at);
	enum step what = STEP_GOOD;

	at += good.n + 1;
	while (what == STEP_GOOD && at < all.n) {
		struct sg_str line = line_at(all, at);

		if (!line.p)
			break;
		what = step(line, &last);
		if (what == STEP_GOOD) {
			good = line;
			at += line.n + 1;
		}
	}
	if (what == STEP_STRANGE)
		return;
	t->line = good;
	t->torn = sg_str_slice(all, at, all.n);
	t->torn_at = size - (off_t)t->torn.n;
}

int
sg_logtail_recover(int fd, const char *path, off_t size,
		   const struct sg_link *head, struct sg_logtail *t,
		   struct sg_err *err)
{
	off_t want = size < SG_AUDIT_LOOK ? size : SG_AUDIT_LOOK;
	struct sg_logtail more = { .torn_at = size };
	size_t at;
	int status;

	sg_buf_init(&more.bytes, SG_AUDIT_LOOK);
	status = load(fd, path, size, (size_t)want, &more.bytes, err);
	if (status < 0) {
		sg_logtail_release(&more);
		return status;
	}
	at = find_head(sg_buf_view(&more.bytes), head);
	if (at < more.bytes.len)
		walk(&more, at, *head, size);
	if (!more.line.p) {
		sg_logtail_release(&more);
		return SG_OK;
	}
	sg_logtail_release(t);
	*t = more;
	return SG_OK;
}

void
sg_logtail_release(struct sg_logtail *t)
{
	sg_buf_release(&t->bytes);
	t->line = t->torn = SG_STR_NONE;
}
