#include "analyzer/literal.h"

#include <stdlib.h>

#include "base/utf8.h"

enum { MAX_NUMBER = 400, MAX_NAME = 64 };

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
	} else {
		read_int(s, 10, ret);
	}
}

/* --- names of characters ----------------------------------------------------- */

static const struct named {
	const char *name;
	uint32_t cp;
} named[] = {
	{ "NULL", 0 },
	{ "BELL", 0x1f514 },
	{ "ALERT", 7 },
	{ "BACKSPACE", 8 },
	{ "CHARACTER TABULATION", 9 },
	{ "HORIZONTAL TABULATION", 9 },
	{ "TAB", 9 },
	{ "LINE FEED", 10 },
	{ "NEW LINE", 10 },
	{ "END OF LINE", 10 },
	{ "NL", 10 },
	{ "LF", 10 },
	{ "EOL", 10 },
	{ "FORM FEED", 12 },
	{ "CARRIAGE RETURN", 13 },
	{ "CR", 13 },
	{ "ESCAPE", 27 },
	{ "DELETE", 127 },
	{ "SPACE", ' ' },
	{ "SP", ' ' },
	{ "EXCLAMATION MARK", '!' },
	{ "QUOTATION MARK", '"' },
	{ "NUMBER SIGN", '#' },
	{ "DOLLAR SIGN", '$' },
	{ "PERCENT SIGN", '%' },
	{ "AMPERSAND", '&' },
	{ "APOSTROPHE", '\'' },
	{ "LEFT PARENTHESIS", '(' },
	{ "RIGHT PARENTHESIS", ')' },
	{ "ASTERISK", '*' },
	{ "PLUS SIGN", '+' },
	{ "COMMA", ',' },
	{ "HYPHEN-MINUS", '-' },
	{ "FULL STOP", '.' },
	{ "SOLIDUS", '/' },
	{ "DIGIT ZERO", '0' },
	{ "DIGIT ONE", '1' },
	{ "DIGIT TWO", '2' },
	{ "DIGIT THREE", '3' },
	{ "DIGIT FOUR", '4' },
	{ "DIGIT FIVE", '5' },
	{ "DIGIT SIX", '6' },
	{ "DIGIT SEVEN", '7' },
	{ "DIGIT EIGHT", '8' },
	{ "DIGIT NINE", '9' },
	{ "COLON", ':' },
	{ "SEMICOLON", ';' },
	{ "LESS-THAN SIGN", '<' },
	{ "EQUALS SIGN", '=' },
	{ "GREATER-THAN SIGN", '>' },
	{ "QUESTION MARK", '?' },
	{ "COMMERCIAL AT", '@' },
	{ "LEFT SQUARE BRACKET", '[' },
	{ "REVERSE SOLIDUS", '\\' },
	{ "RIGHT SQUARE BRACKET", ']' },
	{ "CIRCUMFLEX ACCENT", '^' },
	{ "LOW LINE", '_' },
	{ "GRAVE ACCENT", '`' },
	{ "LEFT CURLY BRACKET", '{' },
	{ "VERTICAL LINE", '|' },
	{ "RIGHT CURLY BRACKET", '}' },
	{ "TILDE", '~' },
	{ "NO-BREAK SPACE", 0xa0 },
	{ "NBSP", 0xa0 },
	{ "ZERO WIDTH SPACE", 0x200b },
	{ "ZWSP", 0x200b },
	{ "EN DASH", 0x2013 },
	{ "EM DASH", 0x2014 },
	{ "BULLET", 0x2022 },
	{ "HORIZONTAL ELLIPSIS", 0x2026 },
	{ "DEGREE SIGN", 0xb0 },
	{ "EURO SIGN", 0x20ac },
	{ "FRACTION SLASH", 0x2044 },
	{ "DIVISION SLASH", 0x2215 },
	{ "FULLWIDTH SOLIDUS", 0xff0f },
	{ "FULLWIDTH LOW LINE", 0xff3f },
};

/* "LATIN SMALL LETTER X" and the like, fullwidth ones too. */
static uint32_t
letter_named(const char *name, size_t n)
{
	static const struct {
		const char *prefix;
		uint32_t a;
	} rows[] = {
		{ "LATIN SMALL LETTER ", 'a' },
		{ "LATIN CAPITAL LETTER ", 'A' },
		{ "FULLWIDTH LATIN SMALL LETTER ", 0xff41 },
		{ "FULLWIDTH LATIN CAPITAL LETTER ", 0xff21 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t len = strlen(rows[i].prefix);

		if (n == len + 1 && memcmp(name, rows[i].prefix, len) == 0 &&
		    name[len] >= 'A' && name[len] <= 'Z')
			return rows[i].a + (uint32_t)(name[len] - 'A');
	}
	return 0;
}

uint32_t
sg_literal_char_named(struct sg_str s)
{
	char upper[MAX_NAME];

	if (s.n >= sizeof(upper))
		return 0;
	for (size_t i = 0; i < s.n; i++)
		upper[i] = s.p[i] >= 'a' && s.p[i] <= 'z'
				   ? (char)(s.p[i] - 'a' + 'A')
				   : s.p[i];
	upper[s.n] = '\0';
	for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++)
		if (strcmp(named[i].name, upper) == 0)
			return named[i].cp;
	return letter_named(upper, s.n);
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
decode_named(struct sg_str s, size_t *at, struct sg_buf *out, bool *partial)
{
	size_t end = *at + 1;
	uint32_t cp;

	if (*at >= s.n || s.p[*at] != '{')
		return "malformed \\N character escape";
	while (end < s.n && s.p[end] != '}')
		end++;
	if (end >= s.n || end == *at + 1)
		return "malformed \\N character escape";
	cp = sg_literal_char_named(sg_str_slice(s, *at + 1, end));
	if (cp == 0 &&
	    !sg_str_eq(sg_str_slice(s, *at + 1, end), SG_STR("NULL"))) {
		cp = 0xfffd;
		*partial = true;
	}
	add_char(out, cp);
	*at = end + 1;
	return NULL;
}

/* The escape whose letter stands at *at. */
static const char *
decode_escape(struct sg_str s, size_t *at, bool bytes, struct sg_buf *out,
	      bool *partial)
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
		return decode_named(s, at, out, partial);
	} else {
		sg_buf_char(out, '\\');
	}
	return NULL;
}

const char *
sg_literal_decode(struct sg_str s, unsigned flags, struct sg_buf *out,
		  bool *partial)
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
					      out, partial);
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
