#ifndef SG_BASE_BUF_H
#define SG_BASE_BUF_H

/*
 * A growing byte buffer on the heap with a mandatory maximum.
 *
 * Invariant: data[len] is NUL whenever data is not NULL.  The first
 * refused append marks the buffer as failed; later appends do nothing, so
 * a writer may append many times and check sg_buf_failed() once.
 */

#include "base/status.h"
#include "base/str.h"

struct sg_buf {
	char *data; /* NULL while empty */
	size_t len;
	size_t room; /* bytes allocated */
	size_t max;  /* len never exceeds this */
	bool failed;
};

void sg_buf_init(struct sg_buf *b, size_t max);
void sg_buf_release(struct sg_buf *b);
/* Empties it, keeps the memory, clears the failure. */
void sg_buf_reset(struct sg_buf *b);

void sg_buf_add(struct sg_buf *b, const void *p, size_t n);
void sg_buf_str(struct sg_buf *b, struct sg_str s);
void sg_buf_c(struct sg_buf *b, const char *c);
void sg_buf_char(struct sg_buf *b, char c);
void sg_buf_printf(struct sg_buf *b, const char *fmt, ...) SG_PRINTF(2, 3);

/*
 * Room for n more bytes at the end, or NULL.  The caller writes them, adds to
 * len and, if anybody reads data as a C string, puts the NUL there.
 */
char *sg_buf_room(struct sg_buf *b, size_t n);

/* View into b, valid until the next change of b. */
static inline struct sg_str
sg_buf_view(const struct sg_buf *b)
{
	return (struct sg_str){ b->data, b->len };
}

static inline bool
sg_buf_failed(const struct sg_buf *b)
{
	return b->failed;
}

#endif
