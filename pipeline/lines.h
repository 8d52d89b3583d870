#ifndef SG_PIPELINE_LINES_H
#define SG_PIPELINE_LINES_H

/*
 * Lines from a descriptor, with a cap on each.  A line beyond the cap is
 * announced and skipped, never held: a file without line ends costs no more
 * memory than one line may.
 */

#include "base/status.h"
#include "base/str.h"

#include <signal.h>

enum sg_line {
	SG_LINE_END = 0, /* there is none any more */
	SG_LINE_WHOLE,   /* ended by LF */
	SG_LINE_TORN,    /* the last one, not ended by LF */
	SG_LINE_LONG,    /* beyond the cap; *ret_line is its beginning */
	SG_LINE_STOPPED  /* *stop became true while waiting for input */
};

struct sg_lines {
	int fd; /* borrowed; must outlive */
	char *data;
	size_t start, end; /* what is in data and was not given out */
	size_t scanned;    /* no LF before this offset, from start on */
	size_t room, max;  /* `max`: bytes of one line */
	bool eof, skipping;
	uint64_t number; /* of the line given out last; 1-based */
	uint64_t offset; /* in the stream, of the byte after that line */
	const volatile sig_atomic_t *stop; /* may be NULL; borrowed */
};

void sg_lines_init(struct sg_lines *l, int fd, size_t max,
		   const volatile sig_atomic_t *stop);
/* Does not close the descriptor. */
void sg_lines_release(struct sg_lines *l);

/*
 * The next line, without its LF: view into l, valid until a call that has
 * to read.  As long as sg_lines_ready() is true before each call, all lines
 * given out stay valid.  SG_EIO, SG_ENOMEM.
 */
SG_MUST_CHECK int sg_lines_next(struct sg_lines *l, enum sg_line *ret_kind,
				struct sg_str *ret_line, struct sg_err *err);
/* True when a whole line lies in memory, so that the next call won't wait. */
bool sg_lines_ready(struct sg_lines *l);

#endif
