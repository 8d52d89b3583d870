#include "analyzer/scrub.h"

#include <utf8proc.h>

#include "analyzer/charname.h"
#include "base/utf8.h"

/* Names, keywords and numbers. */

/* --- identifiers beyond ASCII ---------------------------------------------- */

struct span {
	uint32_t first, last;
};

static bool
in_spans(const struct span *spans, size_t n, uint32_t cp)
{
	for (size_t i = 0; i < n; i++)
		if (cp >= spans[i].first && cp <= spans[i].last)
			return true;
	return false;
}

#define IN_SPANS(table, cp) \
	in_spans(table, sizeof(table) / sizeof(*(table)), cp)

/* Code points that are letters by category, and yet may not begin an
 * identifier, or not stand in one, since NFKC would break it up. */
static const struct span never_start[] = {
	{ 0x037a, 0x037a }, { 0x0e33, 0x0e33 }, { 0x0eb3, 0x0eb3 },
	{ 0x2e2f, 0x2e2f }, { 0xfc5e, 0xfc63 }, { 0xfdfa, 0xfdfb },
	{ 0xfe70, 0xfe70 }, { 0xfe72, 0xfe72 }, { 0xfe74, 0xfe74 },
	{ 0xfe76, 0xfe76 }, { 0xfe78, 0xfe78 }, { 0xfe7a, 0xfe7a },
	{ 0xfe7c, 0xfe7c }, { 0xfe7e, 0xfe7e }, { 0xff9e, 0xff9f }
};
static const struct span never_continue[] = {
	{ 0x037a, 0x037a }, { 0x2e2f, 0x2e2f }, { 0xfc5e, 0xfc63 },
	{ 0xfdfa, 0xfdfb }, { 0xfe70, 0xfe70 }, { 0xfe72, 0xfe72 },
	{ 0xfe74, 0xfe74 }, { 0xfe76, 0xfe76 }, { 0xfe78, 0xfe78 },
	{ 0xfe7a, 0xfe7a }, { 0xfe7c, 0xfe7c }, { 0xfe7e, 0xfe7e }
};
/* Unicode's Other_ID_Start and Other_ID_Continue. */
static const struct span also_start[] = { { 0x1885, 0x1886 },
					  { 0x2118, 0x2118 },
					  { 0x212e, 0x212e },
					  /* ideographs of Unicode 15.1 */
					  { 0x2ebf0, 0x2ee5d } };
static const struct span also_continue[] = { { 0x00b7, 0x00b7 },
					     { 0x0387, 0x0387 },
					     { 0x1369, 0x1371 },
					     { 0x19da, 0x19da } };

static bool
is_start(uint32_t cp)
{
	switch ((int)utf8proc_category((utf8proc_int32_t)cp)) {
	case UTF8PROC_CATEGORY_LU:
	case UTF8PROC_CATEGORY_LL:
	case UTF8PROC_CATEGORY_LT:
	case UTF8PROC_CATEGORY_LM:
	case UTF8PROC_CATEGORY_LO:
	case UTF8PROC_CATEGORY_NL:
		return !IN_SPANS(never_start, cp);
	default:
		return IN_SPANS(also_start, cp);
	}
}

/* Since Unicode 15.1, which Python 3.13 has. */
static const struct span newly_continue[] = { { 0x200c, 0x200d },
					      { 0x30fb, 0x30fb },
					      { 0xff65, 0xff65 } };

static bool
is_continue(uint32_t cp, uint32_t minor)
{
	switch ((int)utf8proc_category((utf8proc_int32_t)cp)) {
	case UTF8PROC_CATEGORY_LU:
	case UTF8PROC_CATEGORY_LL:
	case UTF8PROC_CATEGORY_LT:
	case UTF8PROC_CATEGORY_LM:
	case UTF8PROC_CATEGORY_LO:
	case UTF8PROC_CATEGORY_NL:
	case UTF8PROC_CATEGORY_MN:
	case UTF8PROC_CATEGORY_MC:
	case UTF8PROC_CATEGORY_ND:
	case UTF8PROC_CATEGORY_PC:
		return !IN_SPANS(never_continue, cp);
	default:
		return IN_SPANS(also_start, cp) ||
		       IN_SPANS(also_continue, cp) ||
		       (minor >= 13 && IN_SPANS(newly_continue, cp));
	}
}

/* Refuses [start, s->at) unless it is an identifier. */
static bool
check_identifier(struct sg_scrub *s, uint32_t start)
{
	struct sg_str text = { s->text, s->at };

	for (uint32_t i = start; i < s->at;) {
		uint32_t cp, n = sg_utf8_decode(text, i, &cp);
		bool good = cp < 0x80 || is_continue(cp, s->minor);

		if (i == start)
			good = cp < 0x80 || is_start(cp);
		if (cp >= 0x80 && !sg_charname_in_version(cp, s->minor))
			good = false;
		if (n == 0 || !good)
			return sg_scrub_refuse(s, i, i + (n ? n : 1),
					       "invalid character U+%04X",
					       (unsigned)cp);
		i += n;
	}
	return true;
}

/* --- words ------------------------------------------------------------------- */

static const struct word {
	char text[9];
	uint8_t len, kind;
} words[] = {
#define WORD(name, text) { text, sizeof(text) - 1, SG_TOK_##name },
	SG_KEYWORDS(WORD)
#undef WORD
		{ "case", 4, SG_TOK_CASE },
	{ "match", 5, SG_TOK_MATCH },
	{ "type", 4, SG_TOK_TYPE },
};

/* Candidates by first letter: indexes into words[], ended by -1. */
static const int8_t by_letter['z' - 'a' + 1][6] = {
	['a' - 'a'] = { 3, 4, 5, 6, 7, -1 },
	['b' - 'a'] = { 8, -1 },
	['c' - 'a'] = { 9, 10, 35, -1 },
	['d' - 'a'] = { 11, 12, -1 },
	['e' - 'a'] = { 13, 14, 15, -1 },
	['f' - 'a'] = { 16, 17, 18, -1 },
	['g' - 'a'] = { 19, -1 },
	['h' - 'a'] = { -1 },
	['i' - 'a'] = { 20, 21, 22, 23, -1 },
	['j' - 'a'] = { -1 },
	['k' - 'a'] = { -1 },
	['l' - 'a'] = { 24, -1 },
	['m' - 'a'] = { 36, -1 },
	['n' - 'a'] = { 25, 26, -1 },
	['o' - 'a'] = { 27, -1 },
	['p' - 'a'] = { 28, -1 },
	['q' - 'a'] = { -1 },
	['r' - 'a'] = { 29, 30, -1 },
	['s' - 'a'] = { -1 },
	['t' - 'a'] = { 31, 37, -1 },
	['u' - 'a'] = { -1 },
	['v' - 'a'] = { -1 },
	['w' - 'a'] = { 32, 33, -1 },
	['x' - 'a'] = { -1 },
	['y' - 'a'] = { 34, -1 },
	['z' - 'a'] = { -1 },
};

static enum sg_tok
word_kind(const char *p, uint32_t n)
{
	static const int8_t capitals[] = { 0, 1, 2, -1 };
	const int8_t *at = capitals;

	if (n < 2 || n > 8)
		return SG_TOK_NAME;
	if (*p >= 'a' && *p <= 'z')
		at = by_letter[*p - 'a'];
	for (; *at >= 0; at++)
		if (words[*at].len == n && memcmp(words[*at].text, p, n) == 0)
			return (enum sg_tok)words[*at].kind;
	return SG_TOK_NAME;
}

static bool
is_word_char(unsigned char c)
{
	static const bool table[128] = {
		['0'] = 1, ['1'] = 1, ['2'] = 1, ['3'] = 1, ['4'] = 1,
		['5'] = 1, ['6'] = 1, ['7'] = 1, ['8'] = 1, ['9'] = 1,
		['_'] = 1, ['a'] = 1, ['b'] = 1, ['c'] = 1, ['d'] = 1,
		['e'] = 1, ['f'] = 1, ['g'] = 1, ['h'] = 1, ['i'] = 1,
		['j'] = 1, ['k'] = 1, ['l'] = 1, ['m'] = 1, ['n'] = 1,
		['o'] = 1, ['p'] = 1, ['q'] = 1, ['r'] = 1, ['s'] = 1,
		['t'] = 1, ['u'] = 1, ['v'] = 1, ['w'] = 1, ['x'] = 1,
		['y'] = 1, ['z'] = 1, ['A'] = 1, ['B'] = 1, ['C'] = 1,
		['D'] = 1, ['E'] = 1, ['F'] = 1, ['G'] = 1, ['H'] = 1,
		['I'] = 1, ['J'] = 1, ['K'] = 1, ['L'] = 1, ['M'] = 1,
		['N'] = 1, ['O'] = 1, ['P'] = 1, ['Q'] = 1, ['R'] = 1,
		['S'] = 1, ['T'] = 1, ['U'] = 1, ['V'] = 1, ['W'] = 1,
		['X'] = 1, ['Y'] = 1, ['Z'] = 1,
	};

	return c >= 0x80 || table[c];
}

/* The flags of a string prefix [p, p + n); false when it is none.  CPython
 * takes b, r, f and t in any case and order, but u only alone. */
static bool
prefix_flags(const char *p, uint32_t n, uint32_t minor, uint8_t *ret_flags)
{
	bool u = false, other = false;
	uint8_t flags = 0;

	for (uint32_t i = 0; i < n; i++) {
		char c = (char)(p[i] | 0x20);

		if (c == 'u' && n == 1)
			u = true;
		else if (c == 'r' && !(flags & SG_PART_RAW))
			flags |= SG_PART_RAW;
		else if (c == 'b' && !other)
			flags |= SG_PART_BYTES;
		else if (c == 'f' && !other)
			flags |= SG_PART_FORMAT;
		else if (c == 't' && !other && minor >= 14)
			flags |= SG_PART_FORMAT | SG_PART_TEMPLATE;
		else
			return false;
		other = other || c != 'r';
	}
	*ret_flags = flags;
	return u || flags || n == 0;
}

bool
sg_scrub_word(struct sg_scrub *s)
{
	uint32_t start = s->at, at = s->at, n;
	unsigned char high = 0;
	char next;
	uint8_t flags;

	while (at < s->limit && is_word_char((unsigned char)s->text[at]))
		high |= (unsigned char)s->text[at++];
	s->at = at;
	n = at - start;
	next = at < s->limit ? s->text[at] : '\0';
	if ((next == '"' || next == '\'') && n <= 2 &&
	    prefix_flags(s->text + start, n, s->minor, &flags))
		return sg_scrub_string(s, start, flags);
	if (high < 0x80)
		return sg_scrub_token(s, word_kind(s->text + start, n), start,
				      at, 0);
	if (!check_identifier(s, start) ||
	    !sg_scrub_token(s, SG_TOK_NAME, start, at, 0))
		return false;
	s->tokens.v[s->tokens.n - 1].wide = true;
	return true;
}

/* --- numbers ----------------------------------------------------------------- */

static char
peek(const struct sg_scrub *s)
{
	return s->at < s->limit ? s->text[s->at] : '\0';
}

static bool
is_digit(char c, unsigned base)
{
	if (base == 16 && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')))
		return true;
	return c >= '0' && c < (char)('0' + (base < 10 ? base : 10));
}

static bool
refuse_number(struct sg_scrub *s, uint32_t start, const char *what)
{
	uint32_t end = s->at;

	while (end < s->limit && is_word_char((unsigned char)s->text[end]))
		end++;
	return sg_scrub_refuse(s, start, end, "invalid %s literal '%.*s'", what,
			       (int)(end - start < 40 ? end - start : 40),
			       s->text + start);
}

/* Digits with single underscores between them, at least one. */
static bool
read_digits(struct sg_scrub *s, unsigned base)
{
	for (;;) {
		if (!is_digit(peek(s), base))
			return false;
		while (is_digit(peek(s), base))
			s->at++;
		if (peek(s) != '_')
			return true;
		s->at++;
	}
}

/* What may follow a number at once: no name, but some keywords. */
static bool
check_end(struct sg_scrub *s, uint32_t start, const char *what)
{
	static const char *const allowed[] = { "and", "else", "for", "if",
					       "in",  "is",   "or",  "not" };
	uint32_t end = s->at;

	if (!is_word_char((unsigned char)peek(s)))
		return true;
	while (end < s->limit && is_word_char((unsigned char)s->text[end]))
		end++;
	for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++)
		if (sg_str_starts(
			    (struct sg_str){ s->text + s->at, end - s->at },
			    sg_str_c(allowed[i])))
			return true;
	return refuse_number(s, start, what);
}

static bool
read_based(struct sg_scrub *s, uint32_t start, unsigned base, const char *what)
{
	s->at += 2;
	if (peek(s) == '_')
		s->at++;
	if (!read_digits(s, base) || is_digit(peek(s), 10))
		return refuse_number(s, start, what);
	return check_end(s, start, what) &&
	       sg_scrub_token(s, SG_TOK_NUMBER, start, s->at, 0);
}

/* An exponent, when there is one: "1else" has none. */
static bool
read_exponent(struct sg_scrub *s)
{
	uint32_t e = s->at;
	char sign;

	if ((peek(s) | 0x20) != 'e')
		return true;
	s->at++;
	sign = peek(s);
	if (sign == '+' || sign == '-')
		s->at++;
	if (is_digit(peek(s), 10))
		return read_digits(s, 10);
	if (sign == '+' || sign == '-')
		return false;
	s->at = e;
	return true;
}

bool
sg_scrub_number(struct sg_scrub *s)
{
	uint32_t start = s->at, whole;
	const char *what = "decimal";
	bool zero = s->text[start] == '0', floating = false;

	if (zero && s->at + 1 < s->limit) {
		char x = (char)(s->text[s->at + 1] | 0x20);

		if (x == 'x')
			return read_based(s, start, 16, "hexadecimal");
		if (x == 'o')
			return read_based(s, start, 8, "octal");
		if (x == 'b')
			return read_based(s, start, 2, "binary");
	}
	if (peek(s) != '.' && !read_digits(s, 10))
		return refuse_number(s, start, what);
	whole = s->at;
	if (peek(s) == '.') {
		floating = true;
		s->at++;
		if (is_digit(peek(s), 10) && !read_digits(s, 10))
			return refuse_number(s, start, what);
	}
	if (!read_exponent(s))
		return refuse_number(s, start, what);
	floating = floating || s->at > whole;
	if ((peek(s) | 0x20) == 'j') {
		s->at++;
		what = "imaginary";
		floating = true;
	}
	/* CPython forgets zeros at the beginning of `01else`. */
	if (zero && !floating && (peek(s) | 0x20) != 'e')
		for (uint32_t i = start; i < whole; i++)
			if (s->text[i] != '0' && s->text[i] != '_')
				return sg_scrub_refuse(
					s, start, whole,
					"a decimal number cannot begin with "
					"zero; octal numbers begin with '0o'");
	return check_end(s, start, what) &&
	       sg_scrub_token(s, SG_TOK_NUMBER, start, s->at, 0);
}
