#include "executor/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"

/*
 * Theory of operation.  The first `half` bytes go into `head`.  All that
 * follows goes through a ring of `half` bytes, of which the newest stay.
 * While the total is at most twice `half` nothing has been overwritten, and
 * head plus ring is the whole stream.
 *
 * Nothing is decoded while reading: a code point may arrive in two reads.
 * At the end the inner edges are moved to code-point boundaries, so that
 * the mark never splits a character, and invalid bytes are replaced.
 */

void
sg_capture_init(struct sg_capture *c, uint64_t keep)
{
	memset(c, 0, sizeof(*c));
	c->half = (size_t)(keep / 2);
	sg_buf_init(&c->head, c->half + 1);
}

void
sg_capture_release(struct sg_capture *c)
{
	sg_buf_release(&c->head);
	free(c->tail);
	c->tail = NULL;
}

static void
ring_add(struct sg_capture *c, const char *p, size_t n)
{
	size_t first;

	if (!c->half)
		return;
	if (!c->tail)
		c->tail = malloc(c->half);
	if (!c->tail) {
		c->failed = true;
		return;
	}
	if (n > c->half) {
		size_t skip = n - c->half;

		c->tail_at = (c->tail_at + skip) % c->half;
		p += skip;
		n = c->half;
	}
	first = c->half - c->tail_at;
	if (first > n)
		first = n;
	memcpy(c->tail + c->tail_at, p, first);
	memcpy(c->tail, p + first, n - first);
	c->tail_at = (c->tail_at + n) % c->half;
}

void
sg_capture_add(struct sg_capture *c, const char *p, size_t n)
{
	size_t room = c->half - c->head.len;

	c->total += n;
	if (room > n)
		room = n;
	sg_buf_add(&c->head, p, room);
	if (sg_buf_failed(&c->head))
		c->failed = true;
	if (n > room)
		ring_add(c, p + room, n - room);
}

/* Bytes of an invalid sequence to take as one, at least 1. */
static size_t
bad_length(struct sg_str s, size_t at)
{
	size_t n = 1;

	/* Continuation bytes after a lead byte belong to it. */
	if ((unsigned char)s.p[at] >= 0xc2 && (unsigned char)s.p[at] <= 0xf4)
		while (n < 3 && at + n < s.n &&
		       ((unsigned char)s.p[at + n] & 0xc0) == 0x80)
			n++;
	return n;
}

/* Bytes of s once each invalid sequence has become U+FFFD. */
static size_t
repaired_size(struct sg_str s)
{
	size_t at = sg_utf8_check(s), out = at;
	uint32_t cp;

	while (at < s.n) {
		uint32_t n = sg_utf8_decode(s, at, &cp);

		out += n ? n : 3;
		at += n ? n : bad_length(s, at);
	}
	return out;
}

struct sg_str
sg_utf8_repair(struct sg_arena *arena, struct sg_str s, size_t max,
	       uint32_t *ret_replaced, bool *ret_cut)
{
	static const char mark[] = "\xef\xbf\xbd";
	size_t at = 0, out = 0, cap = repaired_size(s);
	uint32_t cp, replaced = 0;
	char *p;

	if (cap > max)
		cap = max;
	p = sg_arena_alloc(arena, cap + 1);
	if (!p)
		return SG_STR_NONE;
	while (at < s.n) {
		uint32_t n = sg_utf8_decode(s, at, &cp);
		const char *from = n ? s.p + at : mark;
		size_t len = n ? n : 3;

		if (out + len > cap)
			break;
		memcpy(p + out, from, len);
		out += len;
		at += n ? n : bad_length(s, at);
		replaced += n ? 0 : 1;
	}
	if (ret_replaced)
		*ret_replaced = replaced;
	if (ret_cut)
		*ret_cut = at < s.n;
	return (struct sg_str){ p, out };
}

/* Takes off bytes of a code point whose beginning was left out. */
static struct sg_str
skip_continuation(struct sg_str s)
{
	size_t n = 0;

	while (n < 3 && n < s.n && ((unsigned char)s.p[n] & 0xc0) == 0x80)
		n++;
	return sg_str_slice(s, n, s.n);
}

/* Takes off a code point whose end was left out. */
static struct sg_str
drop_partial(struct sg_str s)
{
	for (size_t back = 1; back <= 3 && back <= s.n; back++) {
		unsigned char c = (unsigned char)s.p[s.n - back];
		size_t want = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;

		if ((c & 0xc0) == 0x80)
			continue;
		return c >= 0xc0 && want > back ? sg_str_slice(s, 0, s.n - back)
						: s;
	}
	return s;
}

/* The ring's contents in order, appended to `out`. */
static void
ring_copy(const struct sg_capture *c, struct sg_buf *out)
{
	uint64_t later = c->total - c->head.len;

	if (!c->tail)
		return;
	if (later <= c->half) {
		sg_buf_add(out, c->tail, (size_t)later);
		return;
	}
	sg_buf_add(out, c->tail + c->tail_at, c->half - c->tail_at);
	sg_buf_add(out, c->tail, c->tail_at);
}

static void
join(const struct sg_capture *c, struct sg_buf *out, bool *ret_cut)
{
	struct sg_str head = sg_buf_view(&c->head), tail;
	struct sg_buf ring;
	char mark[80];

	*ret_cut = c->total > (uint64_t)c->half * 2;
	if (!*ret_cut) {
		sg_buf_str(out, head);
		ring_copy(c, out);
		return;
	}
	sg_buf_init(&ring, c->half + 1);
	ring_copy(c, &ring);
	head = drop_partial(head);
	tail = skip_continuation(sg_buf_view(&ring));
	(void)snprintf(mark, sizeof(mark),
		       "\n[... %" PRIu64 " bytes left out ...]\n",
		       c->total - head.n - tail.n);
	sg_buf_str(out, head);
	sg_buf_c(out, mark);
	sg_buf_str(out, tail);
	if (sg_buf_failed(&ring))
		out->failed = true;
	sg_buf_release(&ring);
}

int
sg_capture_finish(const struct sg_capture *c, struct sg_arena *arena,
		  struct sg_stream *ret, struct sg_err *err)
{
	struct sg_stream s = { SG_STR_NONE, c->total, false, 0 };
	struct sg_buf all;
	int rc = SG_OK;

	sg_buf_init(&all, c->half * 2 + 128);
	join(c, &all, &s.truncated);
	if (!sg_buf_failed(&all))
		s.text = sg_utf8_repair(arena, sg_buf_view(&all), SIZE_MAX,
					&s.replaced, NULL);
	if (!s.text.p)
		rc = sg_err_set(err, SG_ENOMEM, "no memory for the output");
	else
		*ret = s;
	sg_buf_release(&all);
	return rc;
}
