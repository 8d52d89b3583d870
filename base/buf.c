#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_ROOM = 256 };

void
sg_buf_init(struct sg_buf *b, size_t max)
{
	/* One byte more is taken for the NUL. */
	*b = (struct sg_buf){ .max = max < SIZE_MAX ? max : SIZE_MAX - 1 };
}

void
sg_buf_release(struct sg_buf *b)
{
	free(b->data);
	sg_buf_init(b, b->max);
}

void
sg_buf_reset(struct sg_buf *b)
{
	b->len = 0;
	b->failed = false;
	if (b->data)
		b->data[0] = '\0';
}

char *
sg_buf_room(struct sg_buf *b, size_t n)
{
	size_t need, room;
	char *data;

	if (b->failed)
		return NULL;
	if (n > b->max - b->len) {
		b->failed = true;
		return NULL;
	}
	need = b->len + n + 1;
	if (need <= b->room)
		return b->data + b->len;
	room = b->room < FIRST_ROOM ? FIRST_ROOM : b->room;
	while (room < need)
		room = room > SIZE_MAX / 2 ? need : room * 2;
	if (room > b->max + 1)
		room = b->max + 1;
	data = realloc(b->data, room);
	if (!data) {
		b->failed = true;
		return NULL;
	}
	b->data = data;
	b->room = room;
	b->data[b->len] = '\0';
	return b->data + b->len;
}

void
sg_buf_add(struct sg_buf *b, const void *p, size_t n)
{
	char *at = sg_buf_room(b, n);

	if (!at)
		return;
	if (n)
		memcpy(at, p, n);
	at[n] = '\0';
	b->len += n;
}

void
sg_buf_str(struct sg_buf *b, struct sg_str s)
{
	sg_buf_add(b, s.p, s.n);
}

void
sg_buf_c(struct sg_buf *b, const char *c)
{
	if (c)
		sg_buf_add(b, c, strlen(c));
}

void
sg_buf_char(struct sg_buf *b, char c)
{
	sg_buf_add(b, &c, 1);
}

void
sg_buf_printf(struct sg_buf *b, const char *fmt, ...)
{
	char small[256];
	va_list ap;
	char *at;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	if (n < 0) {
		b->failed = true;
	} else if ((size_t)n < sizeof(small)) {
		sg_buf_add(b, small, (size_t)n);
	} else if ((at = sg_buf_room(b, (size_t)n)) != NULL) {
		va_start(ap, fmt);
		(void)vsnprintf(at, (size_t)n + 1, fmt, ap);
		va_end(ap);
		b->len += (size_t)n;
	}
}
