/*
 * Theory of operation.  Each value passes one gate, value_begins(), which
 * knows from the innermost level whether a value may stand here and whether
 * a comma is due.  Once something was refused the writer is deaf: what
 * stands in the buffer is then a beginning of a document, and
 * sg_json_done() says that it is not to be used.
 */

#include "base/json.h"

#include <inttypes.h>

#include "base/utf8.h"

void
sg_json_init(struct sg_json *j, struct sg_buf *out)
{
	j->out = out;
	j->depth = 0;
	j->failed = j->after_key = j->some = false;
}

static bool
refuse(struct sg_json *j)
{
	j->failed = true;
	return false;
}

/* True when a value may be written now; writes the comma before it. */
static bool
value_begins(struct sg_json *j)
{
	bool *some;

	if (j->failed || sg_buf_failed(j->out))
		return refuse(j);
	if (j->after_key) {
		j->after_key = false;
		return true;
	}
	if (j->depth > 0 && j->level[j->depth - 1].object)
		return refuse(j);
	some = j->depth > 0 ? &j->level[j->depth - 1].some : &j->some;
	if (*some && j->depth == 0)
		return refuse(j);
	if (*some)
		sg_buf_char(j->out, ',');
	*some = true;
	return true;
}

static void
open_level(struct sg_json *j, bool object)
{
	if (!value_begins(j))
		return;
	if (j->depth == SG_JSON_DEPTH) {
		(void)refuse(j);
		return;
	}
	j->level[j->depth].object = object;
	j->level[j->depth].some = false;
	j->depth++;
	sg_buf_char(j->out, object ? '{' : '[');
}

void
sg_json_object(struct sg_json *j)
{
	open_level(j, true);
}

void
sg_json_array(struct sg_json *j)
{
	open_level(j, false);
}

void
sg_json_end(struct sg_json *j)
{
	if (j->failed || j->depth == 0 || j->after_key) {
		(void)refuse(j);
		return;
	}
	j->depth--;
	sg_buf_char(j->out, j->level[j->depth].object ? '}' : ']');
}

/* The letter after the backslash for what has one, else 0. */
static char
short_escape(unsigned char c)
{
	switch (c) {
	case '"':
	case '\\':
		return (char)c;
	case '\b':
		return 'b';
	case '\t':
		return 't';
	case '\n':
		return 'n';
	case '\f':
		return 'f';
	case '\r':
		return 'r';
	default:
		return 0;
	}
}

/* Length of the run from `at` that needs no escape. */
static size_t
plain_run(struct sg_str s, size_t at)
{
	size_t i = at;
	uint32_t cp, n;

	while (i < s.n) {
		unsigned char c = (unsigned char)s.p[i];

		if (c < 0x20 || c == '"' || c == '\\')
			break;
		if (c < 0x80) {
			i++;
			continue;
		}
		n = sg_utf8_decode(s, i, &cp);
		if (n == 0 || cp == 0x2028 || cp == 0x2029)
			break;
		i += n;
	}
	return i - at;
}

/* Writes the one code point at `at` that is not plain; returns its bytes. */
static size_t
escape(struct sg_buf *out, struct sg_str s, size_t at)
{
	unsigned char c = (unsigned char)s.p[at];
	char letter = short_escape(c);
	uint32_t cp = 0, n;

	if (letter) {
		sg_buf_char(out, '\\');
		sg_buf_char(out, letter);
		return 1;
	}
	n = sg_utf8_decode(s, at, &cp);
	if (n == 0)
		sg_buf_c(out, "\xef\xbf\xbd");
	else
		sg_buf_printf(out, "\\u%04" PRIx32, cp);
	return n ? n : 1;
}

static void
quoted(struct sg_buf *out, struct sg_str s)
{
	sg_buf_char(out, '"');
	for (size_t at = 0; at < s.n;) {
		size_t n = plain_run(s, at);

		sg_buf_add(out, s.p + at, n);
		at += n;
		if (at < s.n)
			at += escape(out, s, at);
	}
	sg_buf_char(out, '"');
}

void
sg_json_key(struct sg_json *j, const char *key)
{
	if (j->failed || j->depth == 0 || !j->level[j->depth - 1].object ||
	    j->after_key || !key) {
		(void)refuse(j);
		return;
	}
	if (j->level[j->depth - 1].some)
		sg_buf_char(j->out, ',');
	j->level[j->depth - 1].some = true;
	quoted(j->out, sg_str_c(key));
	sg_buf_char(j->out, ':');
	j->after_key = true;
}

void
sg_json_str(struct sg_json *j, struct sg_str s)
{
	if (value_begins(j))
		quoted(j->out, s);
}

void
sg_json_c(struct sg_json *j, const char *c)
{
	if (c)
		sg_json_str(j, sg_str_c(c));
	else
		sg_json_null(j);
}

void
sg_json_int(struct sg_json *j, int64_t v)
{
	if (value_begins(j))
		sg_buf_printf(j->out, "%" PRId64, v);
}

void
sg_json_uint(struct sg_json *j, uint64_t v)
{
	if (value_begins(j))
		sg_buf_printf(j->out, "%" PRIu64, v);
}

void
sg_json_bool(struct sg_json *j, bool v)
{
	if (value_begins(j))
		sg_buf_c(j->out, v ? "true" : "false");
}

void
sg_json_null(struct sg_json *j)
{
	if (value_begins(j))
		sg_buf_c(j->out, "null");
}

void
sg_json_raw(struct sg_json *j, struct sg_str raw)
{
	if (raw.n == 0)
		(void)refuse(j);
	else if (value_begins(j))
		sg_buf_str(j->out, raw);
}

void
sg_json_base64(struct sg_json *j, struct sg_str bytes)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = (const unsigned char *)bytes.p;
	char *at;

	if (!value_begins(j))
		return;
	sg_buf_char(j->out, '"');
	for (size_t i = 0; i < bytes.n; i += 3) {
		size_t left = bytes.n - i;
		uint32_t w = (uint32_t)p[i] << 16;

		w |= left > 1 ? (uint32_t)p[i + 1] << 8 : 0;
		w |= left > 2 ? p[i + 2] : 0;
		at = sg_buf_room(j->out, 4);
		if (!at)
			return;
		at[0] = digits[w >> 18];
		at[1] = digits[w >> 12 & 63];
		at[2] = left > 1 ? digits[w >> 6 & 63] : '=';
		at[3] = left > 2 ? digits[w & 63] : '=';
		j->out->len += 4;
	}
	sg_buf_char(j->out, '"');
}

bool
sg_json_done(const struct sg_json *j)
{
	return !j->failed && !sg_buf_failed(j->out) && j->depth == 0 && j->some;
}

void
sg_json_kstr(struct sg_json *j, const char *key, struct sg_str s)
{
	sg_json_key(j, key);
	sg_json_str(j, s);
}

void
sg_json_kc(struct sg_json *j, const char *key, const char *c)
{
	sg_json_key(j, key);
	sg_json_c(j, c);
}

void
sg_json_kint(struct sg_json *j, const char *key, int64_t v)
{
	sg_json_key(j, key);
	sg_json_int(j, v);
}

void
sg_json_kuint(struct sg_json *j, const char *key, uint64_t v)
{
	sg_json_key(j, key);
	sg_json_uint(j, v);
}

void
sg_json_kbool(struct sg_json *j, const char *key, bool v)
{
	sg_json_key(j, key);
	sg_json_bool(j, v);
}
