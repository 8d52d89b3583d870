#include "pipeline/lines.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

enum { LINES_FIRST = 256 * 1024, LINES_WAIT_MS = 500 };

void
sg_lines_init(struct sg_lines *l, int fd, size_t max,
	      const volatile sig_atomic_t *stop)
{
	*l = (struct sg_lines){ .fd = fd, .max = max, .stop = stop };
}

void
sg_lines_release(struct sg_lines *l)
{
	free(l->data);
	*l = (struct sg_lines){ .fd = -1 };
}

/* The offset of the first LF at or after start, or end. */
static size_t
find_lf(struct sg_lines *l)
{
	const char *hit;

	if (l->scanned < l->start)
		l->scanned = l->start;
	if (l->scanned == l->end)
		return l->end;
	hit = memchr(l->data + l->scanned, '\n', l->end - l->scanned);
	l->scanned = hit ? (size_t)(hit - l->data) : l->end;
	return l->scanned;
}

bool
sg_lines_ready(struct sg_lines *l)
{
	return l->data && !l->skipping && find_lf(l) < l->end;
}

/* Moves what is left to the front and makes room to read more. */
static int
make_room(struct sg_lines *l, struct sg_err *err)
{
	size_t room = l->room ? l->room : LINES_FIRST, top = l->max + 2;
	char *data;

	if (l->data && l->start > 0) {
		memmove(l->data, l->data + l->start, l->end - l->start);
		l->scanned -= l->scanned > l->start ? l->start : l->scanned;
		l->end -= l->start;
		l->start = 0;
	}
	if (l->end < l->room)
		return SG_OK;
	if (l->room)
		room = l->room * 2;
	if (room > top)
		room = top;
	data = realloc(l->data, room);
	if (!data)
		return sg_err_set(err, SG_ENOMEM, "no memory for a line");
	l->data = data;
	l->room = room;
	return SG_OK;
}

/*
 * Waits for input; false when *stop became true.  A signal that comes between
 * the look at *stop and the wait does not interrupt the wait, which therefore
 * ends now and then by itself.
 */
static bool
wait_for_input(const struct sg_lines *l)
{
	struct pollfd p = { .fd = l->fd, .events = POLLIN };

	while (!*l->stop) {
		if (poll(&p, 1, LINES_WAIT_MS) != 0 && !*l->stop)
			return true;
	}
	return false;
}

static int
fill(struct sg_lines *l, bool *ret_stopped, struct sg_err *err)
{
	ssize_t n;
	int status;

	if ((status = make_room(l, err)) < 0)
		return status;
	do {
		if (l->stop && !wait_for_input(l)) {
			*ret_stopped = true;
			return SG_OK;
		}
		n = read(l->fd, l->data + l->end, l->room - l->end);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return sg_err_sys(err, SG_EIO, errno, "cannot read");
	if (n == 0)
		l->eof = true;
	l->end += (size_t)n;
	return SG_OK;
}

/* Gives out [start, end_of_line) and drops `drop` bytes in all. */
static void
give(struct sg_lines *l, size_t length, size_t drop, struct sg_str *ret)
{
	*ret = (struct sg_str){ l->data + l->start, length };
	l->start += drop;
	l->offset += drop;
	l->number++;
}

/* Drops the rest of a line that was too long; true when its end is gone. */
static bool
skip_rest(struct sg_lines *l)
{
	size_t lf = find_lf(l);
	bool found = lf < l->end;
	size_t drop = lf - l->start + (found ? 1 : 0);

	l->start += drop;
	l->offset += drop;
	if (found || l->eof)
		l->skipping = false;
	return !l->skipping;
}

int
sg_lines_next(struct sg_lines *l, enum sg_line *ret_kind,
	      struct sg_str *ret_line, struct sg_err *err)
{
	bool stopped = false;
	size_t lf;
	int status;

	for (;;) {
		if (l->data && (!l->skipping || skip_rest(l))) {
			lf = find_lf(l);
			if (lf - l->start > l->max) {
				*ret_kind = SG_LINE_LONG;
				l->skipping = true;
				give(l, 80 < l->max ? 80 : l->max, 0, ret_line);
				return SG_OK;
			}
			if (lf < l->end) {
				*ret_kind = SG_LINE_WHOLE;
				lf -= l->start;
				give(l, lf, lf + 1, ret_line);
				return SG_OK;
			}
		}
		if (l->eof)
			break;
		if ((status = fill(l, &stopped, err)) < 0)
			return status;
		if (stopped) {
			*ret_kind = SG_LINE_STOPPED;
			*ret_line = SG_STR_NONE;
			return SG_OK;
		}
	}
	*ret_line = SG_STR_NONE;
	*ret_kind = SG_LINE_END;
	if (l->end > l->start) {
		*ret_kind = SG_LINE_TORN;
		give(l, l->end - l->start, l->end - l->start, ret_line);
	}
	return SG_OK;
}
