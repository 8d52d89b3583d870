#include "analyzer/literal.h"

#include <stdlib.h>

#include "analyzer/charname.h"
#include "base/utf8.h"

enum { MAX_NUMBER = 400 };

/* --- numbers ----------------------------------------------------------------- */

static unsigned
digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	return (unsigned)((c | 0x20) - 'a') + 10;
}

static void
read_int(struct sg_str s, unsigned base, struct sg_const *ret)
{
	int64_t v = 0;

	ret->kind = SG_CONST_INT;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '_')
			continue;
		if (__builtin_mul_overflow(v, (int64_t)base, &v) ||
		    __builtin_add_overflow(v, (int64_t)digit_value(s.p[i]),
					   &v)) {
			ret->kind = SG_CONST_BIG;
			return;
		}
	}
	ret->num = v;
}

/* strtod() of the digits without underscores; 0 when memory is refused, for
 * nothing is decided by a number of more than MAX_NUMBER digits. */
static double
read_float(struct sg_str s)
{
	char room[MAX_NUMBER], *buf = room;
	size_t n = 0;
	double v = 0;

	if (s.n >= sizeof(room))
		buf = malloc(s.n + 1);
	if (!buf)
		return 0;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '_')
			buf[n++] = s.p[i];
	buf[n] = '\0';
	v = strtod(buf, NULL);
	if (buf != room)
		free(buf);
	return v;
}

/* Whether there is a digit but zero. */
static bool
has_digits(struct sg_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] >= '1' && s.p[i] <= '9')
			return true;
	return false;
}

void
sg_literal_number(struct sg_str s, struct sg_const *ret)
{
	char x = s.n > 1 && s.p[0] == '0' ? (char)(s.p[1] | 0x20) : '\0';
	char last = (char)(s.p[s.n - 1] | 0x20);
	struct sg_str digits = sg_str_slice(s, 2, s.n);

	*ret = (struct sg_const){ .kind = SG_CONST_INT };
	if (x == 'x') {
		read_int(digits, 16, ret);
	} else if (x == 'o') {
		read_int(digits, 8, ret);
	} else if (x == 'b') {
		read_int(digits, 2, ret);
	} else if (last == 'j') {
		ret->kind = SG_CONST_COMPLEX;
		ret->real = read_float(sg_str_slice(s, 0, s.n - 1));
	} else if (sg_str_find(s, '.') < s.n || sg_str_find(s, 'e') < s.n ||
		   sg_str_find(s, 'E') < s.n) {
		ret->kind = SG_CONST_FLOAT;
		ret->real = read_float(s);
	} else if (s.p[0] == '0' && has_digits(s)) {
		/* `01` is no number, but CPython takes it for one before
		 * `else`, and then as it takes `01.`. */
		ret->kind = SG_CONST_FLOAT;
		ret->real = read_float(s);
	} else {
		read_int(s, 10, ret);
	}
}

/* --- strings ----------------------------------------------------------------- */

/* UTF-8, and three bytes for a lone surrogate, which a str may hold. */
static void
add_char(struct sg_buf *out, uint32_t cp)
{
	char bytes[4];
	uint32_t n = sg_utf8_encode(cp, bytes);

	if (n == 0 && cp >= 0xd800 && cp <= 0xdfff) {
		bytes[0] = (char)(0xe0 | cp >> 12);
		bytes[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		bytes[2] = (char)(0x80 | (cp & 0x3f));
		n = 3;
	}
	sg_buf_add(out, bytes, n);
}

/* Reads `want` hexadecimal digits at *at. */
static bool
read_hex(struct sg_str s, size_t *at, unsigned want, uint32_t *ret)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < want; i++, (*at)++) {
		char c = *at < s.n ? s.p[*at] : '\0';
		char low = (char)(c | 0x20);

		if (!(c >= '0' && c <= '9') && !(low >= 'a' && low <= 'f'))
			return false;
		v = v * 16 + digit_value(c);
	}
	*ret = v;
	return true;
}

static uint32_t
read_octal(struct sg_str s, size_t *at)
{
	uint32_t v = 0;

	for (unsigned i = 0;
	     i < 3 && *at < s.n && s.p[*at] >= '0' && s.p[*at] <= '7';
	     i++, (*at)++)
		v = v * 8 + (uint32_t)(s.p[*at] - '0');
	return v;
}

static char
simple_escape(char c)
{
	switch (c) {
	case '\\':
	case '\'':
	case '"':
		return c;
	case 'a':
		return '\a';
	case 'b':
		return '\b';
	case 'f':
		return '\f';
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 't':
		return '\t';
	case 'v':
		return '\v';
	default:
		return '\0';
	}
}

static const char *
decode_named(struct sg_str s, size_t *at, uint32_t minor, struct sg_buf *out)
{
	size_t end = *at + 1;
	uint32_t cp;

	if (*at >= s.n || s.p[*at] != '{')
		return "malformed \\N character escape";
	while (end < s.n && s.p[end] != '}')
		end++;
	if (end >= s.n || end == *at + 1)
		return "malformed \\N character escape";
	if (!sg_charname_find(sg_str_slice(s, *at + 1, end), minor, &cp))
		return "no character has the name within \\N{...}";
	add_char(out, cp);
	*at = end + 1;
	return NULL;
}

/* The escape whose letter stands at *at. */
static const char *
decode_escape(struct sg_str s, size_t *at, bool bytes, uint32_t minor,
	      struct sg_buf *out)
{
	char c = s.p[*at], simple = simple_escape(c);
	uint32_t cp;

	if (simple) {
		(*at)++;
		sg_buf_char(out, simple);
	} else if (c == '\n') {
		(*at)++;
	} else if (c >= '0' && c <= '7') {
		cp = read_octal(s, at);
		if (bytes)
			sg_buf_char(out, (char)cp);
		else
			add_char(out, cp);
	} else if (c == 'x') {
		(*at)++;
		if (!read_hex(s, at, 2, &cp))
			return "invalid \\x escape";
		if (bytes)
			sg_buf_char(out, (char)cp);
		else
			add_char(out, cp);
	} else if (!bytes && (c == 'u' || c == 'U')) {
		(*at)++;
		if (!read_hex(s, at, c == 'u' ? 4 : 8, &cp) || cp > 0x10ffff)
			return "invalid Unicode escape";
		add_char(out, cp);
	} else if (!bytes && c == 'N') {
		(*at)++;
		return decode_named(s, at, minor, out);
	} else {
		sg_buf_char(out, '\\');
	}
	return NULL;
}

const char *
sg_literal_decode(struct sg_str s, unsigned flags, uint32_t minor,
		  struct sg_buf *out)
{
	bool escapes = !(flags & SG_LITERAL_RAW);
	bool braces = flags & SG_LITERAL_BRACES;
	size_t run = 0;

	for (size_t i = 0; i < s.n;) {
		char c = s.p[i];
		const char *wrong;

		if (braces && (c == '{' || c == '}') && i + 1 < s.n &&
		    s.p[i + 1] == c) {
			sg_buf_add(out, s.p + run, i + 1 - run);
			run = i += 2;
		} else if (c == '\\' && escapes && i + 1 < s.n) {
			sg_buf_add(out, s.p + run, i - run);
			i++;
			wrong = decode_escape(s, &i, flags & SG_LITERAL_BYTES,
					      minor, out);
			if (wrong)
				return wrong;
			run = i;
		} else {
			i++;
		}
	}
	sg_buf_add(out, s.p + run, s.n - run);
	return NULL;
}
