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

static void
add_clean(struct sg_buf *b, struct sg_str text)
{
	size_t i = 0, end = text.n;
	uint32_t n, cp = 0;

	if (end > SG_QUOTE_BYTES)
		end = sg_utf8_floor(text, SG_QUOTE_BYTES);
	while (i < end) {
		n = sg_utf8_decode(text, i, &cp);
		/* controls, line separators and whatever turns the
		 * direction of text could forge what a reader sees */
		if (n == 0 || cp < 0x20 || (cp >= 0x7f && cp < 0xa0) ||
		    (cp >= 0x200b && cp <= 0x200f) ||
		    (cp >= 0x2028 && cp <= 0x202e) ||
		    (cp >= 0x2066 && cp <= 0x2069) || cp == 0xfeff)
			sg_buf_char(b, '?');
		else
			sg_buf_add(b, text.p + i, n);
		i += n == 0 ? 1 : n;
	}
	if (end < text.n)
		sg_buf_c(b, "...");
}

struct sg_str
sg_message_fill(struct sg_str tmpl, const struct sg_message_values *values,
		struct sg_arena *arena)
{
	struct sg_str out, v;
	struct sg_buf b;
	size_t i = 0;
	int w;

	sg_buf_init(&b, MESSAGE_MAX);
	while (i < tmpl.n) {
		w = tmpl.p[i] == '{' ? word_at(sg_str_slice(tmpl, i, tmpl.n))
				     : -1;
		if (w < 0) {
			sg_buf_char(&b, tmpl.p[i++]);
			continue;
		}
		memcpy(&v, (const char *)values + words[w].offset, sizeof(v));
		add_clean(&b, v);
		i += strlen(words[w].word);
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
