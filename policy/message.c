#include "policy/message.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "policy/limits.h"

enum { MESSAGE_MAX = 4096 };

static const struct {
	const char *word;
	size_t offset;
} words[] = {
	{ "{name}", offsetof(struct sg_message_values, name) },
	{ "{module}", offsetof(struct sg_message_values, module) },
	{ "{path}", offsetof(struct sg_message_values, path) },
	{ "{value}", offsetof(struct sg_message_values, value) },
	{ "{capability}", offsetof(struct sg_message_values, capability) },
};

/* The index of the word that stands at the start of s, or -1. */
static int
word_at(struct sg_str s)
{
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (sg_str_starts(s, sg_str_c(words[i].word)))
			return (int)i;
	return -1;
}

static bool
lower(char c)
{
	return (c >= 'a' && c <= 'z') || c == '_';
}

bool
sg_message_check(struct sg_str tmpl, struct sg_str *ret_bad)
{
	struct sg_str rest;
	size_t i, k;

	for (i = 0; i < tmpl.n; i++) {
		if (tmpl.p[i] != '{')
			continue;
		rest = sg_str_slice(tmpl, i, tmpl.n);
		for (k = 1; k < rest.n && lower(rest.p[k]); k++)
			continue;
		if (k < 2 || k >= rest.n || rest.p[k] != '}')
			continue; /* braces, but no placeholder */
		if (word_at(rest) < 0) {
			*ret_bad = sg_str_slice(rest, 0, k + 1);
			return false;
		}
	}
	return true;
}

/* As much of it as there is room for. */
static void
add_some(struct sg_buf *b, const char *text, size_t n)
{
	size_t room = MESSAGE_MAX - b->len;

	sg_buf_add(b, text, n < room ? n : room);
}

/* Controls, line separators and whatever turns the direction of text could
 * forge what a reader sees. */
static bool
is_forgery(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) ||
	       (cp >= 0x200b && cp <= 0x200f) ||
	       (cp >= 0x2028 && cp <= 0x202e) ||
	       (cp >= 0x2066 && cp <= 0x2069) || cp == 0xfeff;
}

/* Adds what begins with byte `from`, and says where it ends: bytes of ASCII
 * up to the first other one, or a character. */
static size_t
add_piece(struct sg_buf *b, struct sg_str text, size_t from, size_t end)
{
	uint32_t n, cp = 0;
	size_t i = from;

	while (i < end && text.p[i] >= ' ' && text.p[i] < 0x7f)
		i++;
	if (i > from) {
		add_some(b, text.p + from, i - from);
		return i;
	}
	n = sg_utf8_decode(text, i, &cp);
	if (n == 0 || is_forgery(cp))
		sg_buf_char(b, '?');
	else
		sg_buf_add(b, text.p + i, n);
	return i + (n == 0 ? 1 : n);
}

static void
add_clean(struct sg_buf *b, struct sg_str text)
{
	size_t i = 0, end = text.n;

	if (end > SG_QUOTE_BYTES)
		end = sg_utf8_floor(text, SG_QUOTE_BYTES);
	while (i < end)
		i = add_piece(b, text, i, end);
	if (end < text.n)
		sg_buf_c(b, "...");
}

struct sg_str
sg_message_fill(struct sg_str tmpl, const struct sg_message_values *values,
		struct sg_arena *arena)
{
	struct sg_str out, v, rest = tmpl;
	struct sg_buf b;
	int w;

	sg_buf_init(&b, MESSAGE_MAX);
	if (tmpl.n < MESSAGE_MAX / 2)
		(void)sg_buf_room(&b, tmpl.n + SG_QUOTE_BYTES);
	while (rest.n > 0) {
		/* up to a brace, or the brace itself when it is no word */
		size_t n = sg_str_find(rest, '{');

		w = n == 0 ? word_at(rest) : -1;
		if (w < 0) {
			n += n == 0;
			add_some(&b, rest.p, n);
		} else {
			memcpy(&v, (const char *)values + words[w].offset,
			       sizeof(v));
			add_clean(&b, v);
			n = strlen(words[w].word);
		}
		rest = sg_str_slice(rest, n, rest.n);
	}
	out = sg_arena_dup(arena, sg_buf_view(&b));
	sg_buf_release(&b);
	return out;
}

struct sg_str
sg_message_quote(struct sg_str text, struct sg_arena *arena)
{
	struct sg_str out;
	struct sg_buf b;

	sg_buf_init(&b, MESSAGE_MAX);
	add_clean(&b, text);
	out = sg_arena_dup(arena, sg_buf_view(&b));
	sg_buf_release(&b);
	return out;
}
