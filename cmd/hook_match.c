#include "cmd/hook.h"

#include "base/utf8.h"

/*
 * Theory of operation.  Editors of agents forgive: when a file does not hold
 * a text byte by byte, they look for it with typographic quotes, dashes and
 * blanks as plain ones, then line by line without the blanks at both ends.
 * What is judged must be what they will write, so the same is done here, in
 * the same order.  A search costs at most STEPS comparisons; what needs more
 * is not found.
 */

enum { STEPS = 1 << 24 };

struct search {
	struct sg_str text, part;
	uint32_t left; /* comparisons */
};

/* ---- characters ---- */

static const struct {
	uint16_t first, last;
	char plain;
} alike[] = {
	{ 0x00a0, 0x00a0, ' ' }, { 0x2002, 0x200a, ' ' },
	{ 0x2010, 0x2015, '-' }, { 0x2018, 0x201b, '\'' },
	{ 0x201c, 0x201f, '"' }, { 0x202f, 0x202f, ' ' },
	{ 0x205f, 0x205f, ' ' }, { 0x2212, 0x2212, '-' },
	{ 0x3000, 0x3000, ' ' },
};

/* The next character, as a plain one where there is one. */
static uint32_t
next(struct sg_str s, size_t *at)
{
	uint32_t c = (unsigned char)s.p[*at];
	uint32_t n = c < 0x80 ? 1 : sg_utf8_decode(s, *at, &c);

	*at += n ? n : 1;
	for (size_t i = 0; c >= 0x80 && i < sizeof(alike) / sizeof(alike[0]);
	     i++)
		if (c >= alike[i].first && c <= alike[i].last)
			return (unsigned char)alike[i].plain;
	return c;
}

/* The end of what is like `part` at `at` of the text, or SIZE_MAX. */
static size_t
like(struct search *s, struct sg_str part, size_t at, size_t end)
{
	size_t i = 0;

	while (i < part.n) {
		if (at >= end || s->left == 0)
			return SIZE_MAX;
		s->left--;
		if (next(s->text, &at) != next(part, &i))
			return SIZE_MAX;
	}
	return at;
}

static bool
find_like(struct search *s, size_t from, struct sg_hook_place *ret)
{
	for (size_t at = from; at < s->text.n && s->left; at++) {
		ret->at = at;
		ret->end = like(s, s->part, at, s->text.n);
		if (ret->end != SIZE_MAX)
			return true;
	}
	return false;
}

/* ---- lines ---- */

static struct sg_str
line_at(struct sg_str s, size_t at)
{
	struct sg_str rest = sg_str_slice(s, at, s.n);

	return sg_str_slice(rest, 0, sg_str_find(rest, '\n'));
}

static bool
like_line(struct search *s, struct sg_str part, size_t at)
{
	struct sg_str line = sg_str_trim(line_at(s->text, at));
	size_t from = line.n ? (size_t)(line.p - s->text.p) : at;

	s->left -= s->left > 0;
	return like(s, sg_str_trim(part), from, from + line.n) == from + line.n;
}

/* The end of the lines of `part` that begin at `at`, or SIZE_MAX. */
static size_t
like_lines(struct search *s, size_t at)
{
	struct sg_str part;

	for (size_t i = 0; i < s->part.n; i += part.n + 1) {
		part = line_at(s->part, i);
		if (at >= s->text.n || s->left == 0 || !like_line(s, part, at))
			return SIZE_MAX;
		at += line_at(s->text, at).n + 1;
	}
	if (at > s->text.n)
		return s->text.n;
	/* The last line keeps its end where `part` has none. */
	return s->part.p[s->part.n - 1] == '\n' ? at : at - 1;
}

static bool
find_lines(struct search *s, size_t from, struct sg_hook_place *ret)
{
	size_t at = from;

	if (at && s->text.p[at - 1] != '\n')
		at += line_at(s->text, at).n + 1;
	for (; at < s->text.n && s->left; at += line_at(s->text, at).n + 1) {
		ret->at = at;
		ret->end = like_lines(s, at);
		if (ret->end != SIZE_MAX)
			return true;
	}
	return false;
}

/* Blank lines are found anywhere: they say nothing. */
static bool
is_blank(struct sg_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!strchr(" \t\r\n", s.p[i]))
			return false;
	return true;
}

bool
sg_hook_find(struct sg_str text, struct sg_str part, size_t from,
	     struct sg_hook_place *ret)
{
	struct search s = { text, part, STEPS };
	const char *at;

	*ret = (struct sg_hook_place){ 0 };
	if (from > text.n || part.n == 0 || text.n == 0)
		return false;
	at = memmem(text.p + from, text.n - from, part.p, part.n);
	if (at) {
		ret->at = (size_t)(at - text.p);
		ret->end = ret->at + part.n;
		return true;
	}
	if (is_blank(part))
		return false;
	if (find_like(&s, from, ret))
		return true;
	ret->lines = true;
	return find_lines(&s, from, ret);
}
