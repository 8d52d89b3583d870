#include "analyzer/scrub.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"

/*
 * Theory of operation
 *
 * One logical line at a time: the indentation of its first physical line is
 * measured, its tokens are read up to the newline at bracket level zero, and
 * sg_scrub_emit_line() writes them into the skeleton.  Within an f-string the
 * reader alternates between literal text (`in_text`) and the tokens of a
 * field; `modes` is the stack of f-strings, `brackets` that of brackets,
 * in which an open field counts as one, as it does for CPython.
 *
 * Up to Python 3.11 an f-string is first read as an ordinary string, and
 * its fields are read afterwards.  The same code does both: `limit` is then
 * the end of the string's body, and nothing within reads past it.
 */

enum {
	TAB = 8, /* CPython's TABSIZE; its ALTTABSIZE is 1 */
	MAX_TOKENS = 1u << 26,
	MAX_MESSAGE = 256
};

void
sg_scrub_init(struct sg_scrub *s)
{
	memset(s, 0, sizeof(*s));
	s->max_tokens = MAX_TOKENS;
}

void
sg_scrub_release(struct sg_scrub *s)
{
	free(s->out.v);
	free(s->tokens.v);
	free(s->parts.v);
	free(s->literals.v);
	free(s->comments.v);
	sg_scrub_init(s);
}

bool
sg_scrub_refuse(struct sg_scrub *s, uint32_t start, uint32_t end,
		const char *fmt, ...)
{
	char text[MAX_MESSAGE];
	va_list ap;

	if (s->problem || s->refused_memory)
		return false;
	/* What is missing is told to be at the end. */
	if (end > s->size)
		end = s->size;
	if (start > end)
		start = end;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	s->problem = SG_NEW(s->arena, struct sg_problem);
	if (!s->problem) {
		s->refused_memory = true;
		return false;
	}
	s->problem->code = "syntax.error";
	s->problem->range = (struct sg_range){ start, end };
	s->problem->message = sg_arena_dup(s->arena, sg_str_c(text));
	return false;
}

bool
sg_scrub_token(struct sg_scrub *s, enum sg_tok kind, uint32_t start,
	       uint32_t end, uint32_t aux)
{
	if (s->tokens.n >= s->max_tokens) {
		(void)sg_scrub_refuse(s, start, end,
				      "the text has too many tokens");
		if (s->problem)
			s->problem->code = "limit.nodes";
		return false;
	}
	if (!SG_VEC_ROOM(&s->tokens, 1, MAX_TOKENS)) {
		s->refused_memory = true;
		return false;
	}
	s->tokens.v[s->tokens.n++] = (struct sg_token){
		.start = start, .end = end, .aux = aux, .kind = (uint8_t)kind
	};
	return true;
}

/* --- operators and brackets ------------------------------------------------ */

/* The operator at p, and its length. */
static enum sg_tok
operator_at(const char *p, uint32_t *ret_len)
{
	static const uint8_t single[128] = {
		[','] = SG_TOK_COMMA,   [':'] = SG_TOK_COLON,
		[';'] = SG_TOK_SEMI,    ['.'] = SG_TOK_DOT,
		['='] = SG_TOK_EQUAL,   ['+'] = SG_TOK_PLUS,
		['-'] = SG_TOK_MINUS,   ['*'] = SG_TOK_STAR,
		['/'] = SG_TOK_SLASH,   ['%'] = SG_TOK_PERCENT,
		['@'] = SG_TOK_AT,      ['|'] = SG_TOK_VBAR,
		['&'] = SG_TOK_AMPER,   ['^'] = SG_TOK_CIRCUMFLEX,
		['~'] = SG_TOK_TILDE,   ['<'] = SG_TOK_LESS,
		['>'] = SG_TOK_GREATER,
	};
	static const uint8_t with_equal[128] = {
		['='] = SG_TOK_EQEQUAL,    ['!'] = SG_TOK_NOTEQUAL,
		['<'] = SG_TOK_LESSEQUAL,  ['>'] = SG_TOK_GREATEREQUAL,
		[':'] = SG_TOK_COLONEQUAL, ['+'] = SG_TOK_PLUSEQUAL,
		['-'] = SG_TOK_MINEQUAL,   ['*'] = SG_TOK_STAREQUAL,
		['/'] = SG_TOK_SLASHEQUAL, ['%'] = SG_TOK_PERCENTEQUAL,
		['@'] = SG_TOK_ATEQUAL,    ['|'] = SG_TOK_VBAREQUAL,
		['&'] = SG_TOK_AMPEREQUAL, ['^'] = SG_TOK_CIRCUMFLEXEQUAL,
	};
	static const uint8_t doubled[128][2] = {
		['*'] = { SG_TOK_DOUBLESTAR, SG_TOK_DOUBLESTAREQUAL },
		['/'] = { SG_TOK_DOUBLESLASH, SG_TOK_DOUBLESLASHEQUAL },
		['<'] = { SG_TOK_LEFTSHIFT, SG_TOK_LEFTSHIFTEQUAL },
		['>'] = { SG_TOK_RIGHTSHIFT, SG_TOK_RIGHTSHIFTEQUAL },
	};
	unsigned char c = (unsigned char)p[0];

	if (c >= 128)
		return SG_TOK_NIL;
	if (p[1] == p[0] && doubled[c][0]) {
		*ret_len = p[2] == '=' ? 3 : 2;
		return (enum sg_tok)doubled[c][p[2] == '='];
	}
	if (p[1] == '=' && with_equal[c]) {
		*ret_len = 2;
		return (enum sg_tok)with_equal[c];
	}
	if (c == '-' && p[1] == '>') {
		*ret_len = 2;
		return SG_TOK_RARROW;
	}
	if (c == '.' && p[1] == '.' && p[2] == '.') {
		*ret_len = 3;
		return SG_TOK_ELLIPSIS;
	}
	*ret_len = 1;
	return (enum sg_tok)single[c];
}

bool
sg_scrub_open(struct sg_scrub *s, char open, uint32_t at)
{
	if (s->nbrackets == SG_MAX_BRACKETS)
		return sg_scrub_refuse(s, at, at + 1,
				       "more than %d nested brackets",
				       SG_MAX_BRACKETS);
	s->brackets[s->nbrackets++] = (struct sg_bracket){ .at = at,
							   .open = open };
	return true;
}

static bool
read_open(struct sg_scrub *s, char c)
{
	enum sg_tok kind = c == '('   ? SG_TOK_LPAR
			   : c == '[' ? SG_TOK_LSQB
				      : SG_TOK_LBRACE;

	if (!sg_scrub_open(s, c, s->at))
		return false;
	s->at++;
	return sg_scrub_token(s, kind, s->at - 1, s->at, 0);
}

static bool
read_close(struct sg_scrub *s, char c)
{
	char open = c == ')' ? '(' : c == ']' ? '[' : '{';
	enum sg_tok kind = c == ')'   ? SG_TOK_RPAR
			   : c == ']' ? SG_TOK_RSQB
				      : SG_TOK_RBRACE;
	char top;

	if (s->nbrackets == 0)
		return sg_scrub_refuse(s, s->at, s->at + 1, "unmatched '%c'",
				       c);
	top = s->brackets[s->nbrackets - 1].open;
	if (top != open)
		return sg_scrub_refuse(s, s->at, s->at + 1,
				       "closing '%c' "
				       "does not match opening '%c'",
				       c, top == 'f' ? '{' : top);
	s->nbrackets--;
	s->at++;
	return sg_scrub_token(s, kind, s->at - 1, s->at, 0);
}

/* A character that is in no token. */
static bool
refuse_foreign(struct sg_scrub *s, const char *p)
{
	if (p[0] == '`' && p[1] == '`' && p[2] == '`')
		return sg_scrub_refuse(s, s->at, s->at + 3,
				       "a Markdown fence is no Python");
	if (*p == '!')
		return sg_scrub_refuse(s, s->at, s->at + 1,
				       "'!' is no operator; write 'not'");
	if (*p == '`')
		return sg_scrub_refuse(s, s->at, s->at + 1,
				       "'`' is no operator; write repr(...)");
	return sg_scrub_refuse(s, s->at, s->at + 1,
			       "'%c' stands for nothing in Python", *p);
}

static bool
read_operator(struct sg_scrub *s)
{
	const char *p = s->text + s->at;
	uint32_t len = 1;
	enum sg_tok kind = operator_at(p, &len);

	if (p[0] == '<' && p[1] == '>')
		return sg_scrub_refuse(s, s->at, s->at + 2,
				       "'<>' is not an operator; write '!='");
	if (kind == SG_TOK_NIL && *p > ' ' && *p < 0x7f)
		return refuse_foreign(s, p);
	if (kind == SG_TOK_NIL)
		return sg_scrub_refuse(s, s->at, s->at + 1,
				       "invalid non-printable character U+%04X",
				       (unsigned)(unsigned char)*p);
	s->at += len;
	return sg_scrub_token(s, kind, s->at - len, s->at, 0);
}

/* --- lines ------------------------------------------------------------------ */

bool
sg_scrub_comment(struct sg_scrub *s)
{
	const char *p = s->text + s->at;
	const char *nl = memchr(p, '\n', s->limit - s->at);
	uint32_t end = nl ? (uint32_t)(nl - s->text) : s->limit;

	if (s->nmodes && s->minor < 12)
		return sg_scrub_refuse(
			s, s->at, s->at + 1,
			"an f-string's "
			"expression cannot have a comment before Python 3.12");
	if (!SG_VEC_ROOM(&s->comments, 1, MAX_TOKENS)) {
		s->refused_memory = true;
		return false;
	}
	s->comments.v[s->comments.n++] = (struct sg_range){ s->at, end };
	s->at = end;
	return true;
}

/* A backslash: only a newline may follow it, and then more text. */
static bool
read_continuation(struct sg_scrub *s)
{
	if (s->at + 1 < s->limit && s->text[s->at + 1] != '\n')
		return sg_scrub_refuse(
			s, s->at, s->at + 1,
			"unexpected "
			"character after line continuation character");
	if (s->at + 2 >= s->limit)
		return sg_scrub_refuse(
			s, s->at, s->at + 1,
			"the text ends after a line continuation character");
	s->at += 2;
	return true;
}

static bool
refuse_open_end(struct sg_scrub *s)
{
	if (s->nmodes)
		return sg_scrub_refuse(s, s->modes[s->nmodes - 1].start, s->at,
				       "unterminated f-string: '}' is missing");
	return sg_scrub_refuse(s, s->brackets[s->nbrackets - 1].at,
			       s->brackets[s->nbrackets - 1].at + 1,
			       "'%c' was never closed",
			       s->brackets[s->nbrackets - 1].open);
}

enum sg_class {
	CLASS_OTHER,
	CLASS_BLANK,
	CLASS_NEWLINE,
	CLASS_COMMENT,
	CLASS_SLASH,
	CLASS_WORD,
	CLASS_DIGIT,
	CLASS_QUOTE,
	CLASS_OPEN,
	CLASS_CLOSE,
	CLASS_DOT,
	CLASS_END
};

static enum sg_class
class_of(unsigned char c)
{
	static const uint8_t classes[128] = {
		[0] = CLASS_END,        [' '] = CLASS_BLANK,
		['\t'] = CLASS_BLANK,   ['\f'] = CLASS_BLANK,
		['\n'] = CLASS_NEWLINE, ['#'] = CLASS_COMMENT,
		['\\'] = CLASS_SLASH,   ['"'] = CLASS_QUOTE,
		['\''] = CLASS_QUOTE,   ['('] = CLASS_OPEN,
		['['] = CLASS_OPEN,     ['{'] = CLASS_OPEN,
		[')'] = CLASS_CLOSE,    [']'] = CLASS_CLOSE,
		['}'] = CLASS_CLOSE,    ['.'] = CLASS_DOT,
		['0'] = CLASS_DIGIT,    ['1'] = CLASS_DIGIT,
		['2'] = CLASS_DIGIT,    ['3'] = CLASS_DIGIT,
		['4'] = CLASS_DIGIT,    ['5'] = CLASS_DIGIT,
		['6'] = CLASS_DIGIT,    ['7'] = CLASS_DIGIT,
		['8'] = CLASS_DIGIT,    ['9'] = CLASS_DIGIT,
	};

	if (c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    c == '_')
		return CLASS_WORD;
	return (enum sg_class)classes[c];
}

/* Reads one token, or what stands between two. */
static bool
read_token(struct sg_scrub *s)
{
	unsigned char c = (unsigned char)s->text[s->at];
	bool done = false;

	switch (class_of(c)) {
	case CLASS_BLANK:
	case CLASS_NEWLINE:
		s->at++;
		return true;
	case CLASS_COMMENT:
		return sg_scrub_comment(s);
	case CLASS_SLASH:
		return read_continuation(s);
	case CLASS_WORD:
		return sg_scrub_word(s);
	case CLASS_DIGIT:
		return sg_scrub_number(s);
	case CLASS_QUOTE:
		return sg_scrub_string(s, s->at, 0);
	case CLASS_OPEN:
		return read_open(s, (char)c);
	case CLASS_DOT:
		if (class_of((unsigned char)s->text[s->at + 1]) == CLASS_DIGIT)
			return sg_scrub_number(s);
		return read_operator(s);
	case CLASS_CLOSE:
	case CLASS_OTHER:
	case CLASS_END:
		break;
	}
	if (s->nmodes && !sg_scrub_field_mark(s, &done))
		return false;
	if (done)
		return true;
	return class_of(c) == CLASS_CLOSE ? read_close(s, (char)c)
					  : read_operator(s);
}

/* Reads up to the newline that ends the logical line. */
static bool
read_tokens(struct sg_scrub *s)
{
	for (;;) {
		if (s->in_text) {
			if (!sg_scrub_fstring_text(s))
				return false;
			continue;
		}
		if (s->at >= s->limit) {
			if (s->nbrackets || s->nmodes)
				return refuse_open_end(s);
			return true;
		}
		if (s->text[s->at] == '\n' && s->nbrackets == 0) {
			s->at++;
			return true;
		}
		if (!read_token(s))
			return false;
	}
}

/*
 * Measures the indentation at the beginning of a line, as CPython does it:
 * with tabs to multiples of eight and, to find those that depend on it, with
 * tabs of one.  A form feed begins anew.  After a continuation the first
 * line's columns hold, if there are any; in Python 3.9 such a line stays at
 * the level that is open, whatever its columns.
 */
static bool
measure(struct sg_scrub *s, uint32_t *ret_column, uint32_t *ret_alt)
{
	uint32_t column = 0, alt = 0, first = 0;
	bool split = false;

	for (;; s->at++) {
		char c = s->text[s->at];

		if (c == ' ') {
			column++;
			alt++;
		} else if (c == '\t') {
			column = (column / TAB + 1) * TAB;
			alt++;
		} else if (c == '\f') {
			column = alt = 0;
		} else if (c == '\\') {
			if (first == 0)
				first = column;
			split = true;
			if (!read_continuation(s))
				return false;
			s->at--;
		} else {
			break;
		}
	}
	if (split && s->minor < 10) {
		*ret_column = s->columns[s->nindents];
		*ret_alt = s->alt_columns[s->nindents];
		return true;
	}
	*ret_column = first ? first : column;
	*ret_alt = first ? first : alt;
	return true;
}

static bool
refuse_tabs(struct sg_scrub *s)
{
	return sg_scrub_refuse(s, s->at, s->at + 1,
			       "inconsistent use of tabs "
			       "and spaces in indentation");
}

/* Names the line that the block belongs to. */
static bool
refuse_no_block(struct sg_scrub *s, uint32_t start, uint32_t end)
{
	uint32_t line = 1;

	for (uint32_t i = 0; i < s->block_head; i++)
		line += s->text[i] == '\n';
	return sg_scrub_refuse(s, start, end,
			       "expected an indented block after line %u",
			       (unsigned)line);
}

static bool
indent(struct sg_scrub *s, uint32_t column, uint32_t alt)
{
	if (!s->block_due)
		return sg_scrub_refuse(s, s->at, s->at + 1,
				       "unexpected indent");
	if (s->nindents + 1 >= SG_MAX_INDENT)
		return sg_scrub_refuse(s, s->at, s->at + 1,
				       "too many levels of indentation");
	if (alt <= s->alt_columns[s->nindents])
		return refuse_tabs(s);
	s->nindents++;
	s->columns[s->nindents] = column;
	s->alt_columns[s->nindents] = alt;
	return true;
}

static bool
dedent(struct sg_scrub *s, uint32_t column, uint32_t alt)
{
	while (s->nindents && column < s->columns[s->nindents])
		s->nindents--;
	if (column != s->columns[s->nindents])
		return sg_scrub_refuse(s, s->at, s->at + 1,
				       "unindent does "
				       "not match any outer indentation level");
	if (alt != s->alt_columns[s->nindents])
		return refuse_tabs(s);
	return true;
}

/* Sets the level of the line that begins at s->at. */
static bool
set_level(struct sg_scrub *s, uint32_t column, uint32_t alt)
{
	uint32_t now = s->columns[s->nindents];

	if (column > now)
		return indent(s, column, alt);
	if (s->block_due)
		return refuse_no_block(s, s->at, s->at + 1);
	if (column < now)
		return dedent(s, column, alt);
	return alt == s->alt_columns[s->nindents] || refuse_tabs(s);
}

static bool
read_line(struct sg_scrub *s)
{
	uint32_t column, alt;
	char c;

	s->line_token = s->tokens.n;
	if (!measure(s, &column, &alt))
		return false;
	c = s->text[s->at];
	if (c == '#' && !sg_scrub_comment(s))
		return false;
	c = s->text[s->at];
	if (c == '\n') {
		s->at++;
		return true;
	}
	if (s->at >= s->limit)
		return true;
	if (!set_level(s, column, alt) || !read_tokens(s))
		return false;
	return sg_scrub_emit_line(s, s->nindents);
}

static bool
read_text(struct sg_scrub *s)
{
	/* Parts are linked by index, 0 is none. */
	if (!SG_VEC_ROOM(&s->parts, 1, MAX_TOKENS)) {
		s->refused_memory = true;
		return false;
	}
	s->parts.n = 1;
	while (s->at < s->limit)
		if (!read_line(s))
			return false;
	if (s->block_due)
		return refuse_no_block(s, s->limit, s->limit);
	return true;
}

int
sg_scrub_read(struct sg_scrub *s, struct sg_str text, uint32_t minor,
	      struct sg_arena *arena, struct sg_err *err)
{
	s->out.n = s->tokens.n = s->parts.n = 0;
	s->literals.n = s->comments.n = 0;
	s->problem = NULL;
	s->text = text.p;
	s->at = 0;
	s->limit = s->size = (uint32_t)text.n;
	s->minor = minor;
	s->arena = arena;
	s->nbrackets = s->nmodes = s->nindents = s->line_token = 0;
	s->refused_memory = s->in_text = s->block_due = false;
	s->columns[0] = s->alt_columns[0] = 0;
	s->in_match[0] = 0;
	if (!read_text(s) && s->refused_memory)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	return SG_OK;
}
