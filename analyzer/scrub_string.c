#include "analyzer/scrub.h"

#include "base/vec.h"

/*
 * Strings and f-strings.
 *
 * A string literal that follows another at once joins it: both are one
 * SG_TOK_STRING whose parts are linked in order.  The tokens of a string
 * with fields are STRING, then FIELD ... FIELD_END for each field, those of
 * format specs included, then STRING_END.
 */

enum { MAX_PARTS = 1u << 26 };

static bool
no_memory(struct sg_scrub *s)
{
	s->refused_memory = true;
	return false;
}

/* Appends a part to a literal; 0 when memory is refused. */
static uint32_t
add_part(struct sg_scrub *s, uint32_t literal, enum sg_part_kind kind,
	 uint32_t start, uint32_t end, uint8_t flags)
{
	struct sg_literal *l = &s->literals.v[literal];
	uint32_t part = s->parts.n;

	if (!SG_VEC_ROOM(&s->parts, 1, MAX_PARTS)) {
		s->refused_memory = true;
		return 0;
	}
	s->parts.v[s->parts.n++] = (struct sg_part){ .start = start,
						     .end = end,
						     .kind = (uint8_t)kind,
						     .flags = flags };
	if (l->last)
		s->parts.v[l->last].next = part;
	else
		l->first = part;
	l->last = part;
	return part;
}

static bool
add_text(struct sg_scrub *s, uint32_t literal, uint32_t start, uint32_t end,
	 uint8_t flags)
{
	return start == end ||
	       add_part(s, literal, SG_PART_TEXT, start, end, flags) != 0;
}

/* The literal that a string at `start` belongs to: that of the string just
 * before it, or a new one. */
static bool
begin_literal(struct sg_scrub *s, uint32_t start, uint32_t *ret)
{
	struct sg_token *last = NULL;

	if (s->tokens.n > s->line_token)
		last = &s->tokens.v[s->tokens.n - 1];
	if (last && last->kind == SG_TOK_STRING) {
		*ret = last->aux;
		return true;
	}
	if (last && last->kind == SG_TOK_STRING_END) {
		*ret = last->aux;
		s->tokens.n--;
		return true;
	}
	if (!SG_VEC_ROOM(&s->literals, 1, MAX_PARTS))
		return no_memory(s);
	*ret = s->literals.n++;
	s->literals.v[*ret] = (struct sg_literal){ 0 };
	return sg_scrub_token(s, SG_TOK_STRING, start, start + 1, *ret);
}

static bool
end_literal(struct sg_scrub *s, uint32_t literal, uint32_t end)
{
	if (s->literals.v[literal].nfields)
		return sg_scrub_token(s, SG_TOK_STRING_END, end - 1, end,
				      literal);
	s->tokens.v[s->tokens.n - 1].end = end;
	return true;
}

static bool
note_kind(struct sg_scrub *s, uint32_t literal, uint8_t flags, uint32_t start)
{
	struct sg_literal *l = &s->literals.v[literal];
	bool bytes = flags & SG_PART_BYTES, templ = flags & SG_PART_TEMPLATE;
	bool format = (flags & SG_PART_FORMAT) && !templ;

	l->bytes = l->bytes || bytes;
	l->templ = l->templ || templ;
	l->format = l->format || format;
	l->plain = l->plain || (!bytes && !templ && !format);
	if (l->bytes && (l->plain || l->format || l->templ))
		return sg_scrub_refuse(
			s, start, s->at,
			"cannot mix bytes and nonbytes literals");
	if (l->templ && (l->plain || l->format))
		return sg_scrub_refuse(
			s, start, s->at,
			"cannot mix t-string literals with others");
	return true;
}

/* --- plain strings ----------------------------------------------------------- */

/* The end of the body that begins at `from`; false when there is none. */
static bool
find_end(const struct sg_scrub *s, uint32_t from, char quote, unsigned quotes,
	 uint32_t *ret)
{
	const char *p = s->text;

	for (uint32_t i = from; i < s->limit; i++) {
		if (p[i] == '\\') {
			i++;
		} else if (p[i] == '\n' && quotes == 1) {
			return false;
		} else if (p[i] == quote &&
			   (quotes == 1 ||
			    (i + 2 < s->limit && p[i + 1] == quote &&
			     p[i + 2] == quote))) {
			*ret = i;
			return true;
		}
	}
	return false;
}

static bool
check_bytes(struct sg_scrub *s, uint32_t start, uint32_t end)
{
	for (uint32_t i = start; i < end; i++)
		if ((unsigned char)s->text[i] >= 0x80)
			return sg_scrub_refuse(
				s, i, i + 1,
				"bytes can only "
				"contain ASCII literal characters");
	return true;
}

static bool
begin_mode(struct sg_scrub *s, uint32_t literal, uint32_t start, uint8_t flags,
	   char quote, unsigned quotes)
{
	if (s->nmodes == SG_MAX_FSTRINGS)
		return sg_scrub_refuse(s, start, s->at,
				       "too many nested f-strings");
	s->modes[s->nmodes++] = (struct sg_fmode){ .start = start,
						   .outer = s->limit,
						   .literal = literal,
						   .flags = flags,
						   .quotes = (uint8_t)quotes,
						   .quote = quote };
	s->in_text = true;
	return true;
}

bool
sg_scrub_string(struct sg_scrub *s, uint32_t start, uint8_t flags)
{
	const char *p = s->text + s->at;
	unsigned quotes = s->at + 2 < s->limit && p[1] == *p && p[2] == *p ? 3
									   : 1;
	uint32_t body = s->at + quotes, end = body, literal;
	bool split = (flags & SG_PART_FORMAT) && s->minor >= 12;

	if (!split && !find_end(s, body, *p, quotes, &end))
		return sg_scrub_refuse(s, start, body, "unterminated %s",
				       quotes == 3 ? "triple-quoted string"
						   : "string");
	if (!begin_literal(s, start, &literal) ||
	    !note_kind(s, literal, flags, start))
		return false;
	if (flags & SG_PART_FORMAT) {
		s->at = body;
		if (!begin_mode(s, literal, start, flags, *p, quotes))
			return false;
		if (!split)
			s->limit = end;
		return true;
	}
	s->at = end + quotes;
	if ((flags & SG_PART_BYTES) && !check_bytes(s, body, end))
		return false;
	return add_text(s, literal, body, end, flags) &&
	       end_literal(s, literal, s->at);
}

/* --- f-strings --------------------------------------------------------------- */

static struct sg_fmode *
mode_of(struct sg_scrub *s)
{
	return &s->modes[s->nmodes - 1];
}

static bool
open_field(struct sg_scrub *s)
{
	struct sg_fmode *m = mode_of(s);
	uint32_t at = s->at, part;

	if (m->specs >= (s->minor < 12 ? 2 : 3))
		return sg_scrub_refuse(s, at, at + 1,
				       "an f-string's "
				       "expressions are nested too deeply");
	part = add_part(s, m->literal, SG_PART_FIELD, at, at, m->flags);
	if (!part || !sg_scrub_open(s, 'f', at))
		return false;
	s->brackets[s->nbrackets - 1].part = part;
	s->literals.v[m->literal].nfields++;
	s->at = at + 1;
	s->in_text = false;
	return sg_scrub_token(s, SG_TOK_FIELD, at + 1, at + 1, part);
}

/* The field that is open is over, its `}` stands at s->at. */
static bool
close_field(struct sg_scrub *s)
{
	uint32_t part = s->brackets[--s->nbrackets].part;

	s->at++;
	s->parts.v[part].end = s->at;
	s->in_text = true;
	mode_of(s)->in_spec = false;
	return add_part(s, mode_of(s)->literal, SG_PART_FIELD_END, s->at, s->at,
			0) != 0;
}

static bool
end_fstring(struct sg_scrub *s)
{
	struct sg_fmode m = *mode_of(s);

	if (m.specs)
		return sg_scrub_refuse(s, s->at, s->at + 1,
				       "f-string: expecting '}'");
	s->limit = m.outer;
	s->at += m.quotes;
	s->nmodes--;
	s->in_text = false;
	return end_literal(s, m.literal, s->at);
}

static bool
at_end_quote(const struct sg_scrub *s, const struct sg_fmode *m)
{
	const char *p = s->text + s->at;

	if (s->minor < 12)
		return s->at >= s->limit;
	return s->at < s->limit && *p == m->quote &&
	       (m->quotes == 1 ||
		(s->at + 2 < s->limit && p[1] == m->quote && p[2] == m->quote));
}

/* Steps over a backslash and what it takes with it. */
static void
skip_escape(struct sg_scrub *s, const struct sg_fmode *m, bool *named)
{
	char next = s->at + 1 < s->limit ? s->text[s->at + 1] : '\0';

	s->at++;
	if (next == '{' || next == '}' || next == '\0')
		return;
	if (m->flags & SG_PART_RAW) {
		s->at += s->minor >= 12;
		return;
	}
	s->at++;
	if (next == 'N' && s->at < s->limit && s->text[s->at] == '{') {
		*named = true;
		s->at++;
	}
}

/* A `}` in literal text: the end of a format spec, a doubled one, or wrong.
 * *ret_literal says that the text goes on. */
static bool
close_brace(struct sg_scrub *s, struct sg_fmode *m, uint32_t start,
	    bool *ret_literal)
{
	uint8_t flags = (uint8_t)(m->flags | SG_PART_IN_SPEC);

	*ret_literal = false;
	if (m->specs) {
		m->specs--;
		return add_text(s, m->literal, start, s->at, flags) &&
		       add_part(s, m->literal, SG_PART_SPEC_END, s->at, s->at,
				0) &&
		       close_field(s);
	}
	if (s->at + 1 >= s->limit || s->text[s->at + 1] != '}')
		return sg_scrub_refuse(s, s->at, s->at + 1,
				       "f-string: single '}' is not allowed");
	s->at += 2;
	*ret_literal = true;
	return true;
}

/* Skips white space within a field, and from 3.12 on comments. */
static bool
skip_blanks(struct sg_scrub *s)
{
	for (; s->at < s->limit; s->at++) {
		char c = s->text[s->at];

		if (c == '#' && s->minor >= 12) {
			if (!sg_scrub_comment(s))
				return false;
			s->at--;
		} else if (c == '\\' && s->minor >= 12 &&
			   s->text[s->at + 1] == '\n') {
			s->at++;
		} else if (c != ' ' && c != '\t' && c != '\f' && c != '\n') {
			break;
		}
	}
	return true;
}

/* From 3.12 on a newline ends the format spec of a string in single quotes:
 * only white space may follow it before the `}`.  In 3.13 there is no such
 * newline after a field of the spec, since 3.14 there is none at all. */
static bool
newline_in_spec(struct sg_scrub *s, struct sg_fmode *m, uint32_t start,
		uint8_t flags)
{
	bool goes_on;

	if (!add_text(s, m->literal, start, s->at, flags))
		return false;
	if (!skip_blanks(s))
		return false;
	if (s->at >= s->limit || s->text[s->at] != '}')
		return sg_scrub_refuse(s, s->at, s->at + 1,
				       "f-string: expecting '}'");
	return close_brace(s, m, s->at, &goes_on);
}

bool
sg_scrub_fstring_text(struct sg_scrub *s)
{
	struct sg_fmode *m = mode_of(s);
	uint8_t flags = m->specs ? (uint8_t)(m->flags | SG_PART_IN_SPEC)
				 : m->flags;
	uint32_t start = s->at;
	bool named = false, goes_on;

	while (!at_end_quote(s, m)) {
		char c = s->at < s->limit ? s->text[s->at] : '\0';
		/* Before 3.12 the end of the string is known. */
		bool newline = c == '\n' && m->quotes == 1 && s->minor >= 12;

		if (newline && m->specs && s->minor < 14 &&
		    (m->in_spec || s->minor < 13)) {
			return newline_in_spec(s, m, start, flags);
		} else if (c == '\0' || newline) {
			return sg_scrub_refuse(s, m->start, s->at,
					       "unterminated f-string");
		} else if (c == '\\') {
			skip_escape(s, m, &named);
		} else if (c == '}' && named) {
			named = false;
			s->at++;
		} else if (c == '{' && !m->specs && s->at + 1 < s->limit &&
			   s->text[s->at + 1] == '{') {
			s->at += 2;
		} else if (c == '{') {
			return add_text(s, m->literal, start, s->at, flags) &&
			       open_field(s);
		} else if (c == '}') {
			if (!close_brace(s, m, start, &goes_on))
				return false;
			if (!goes_on)
				return true;
		} else {
			s->at++;
		}
	}
	return add_text(s, m->literal, start, s->at, flags) && end_fstring(s);
}

/* --- fields ------------------------------------------------------------------ */

/* The expression of the open field ends at s->at. */
static bool
end_expression(struct sg_scrub *s, struct sg_part *field)
{
	const struct sg_token *last = &s->tokens.v[s->tokens.n - 1];

	if (last->kind == SG_TOK_FIELD)
		return sg_scrub_refuse(s, s->at, s->at + 1,
				       "f-string: an "
				       "expression is expected here");
	if (s->minor < 12 &&
	    memchr(s->text + field->start, '\\', s->at - field->start))
		return sg_scrub_refuse(
			s, field->start, s->at,
			"an f-string's "
			"expression cannot include a backslash before Python "
			"3.12");
	field->expr_end = s->at;
	return sg_scrub_token(s, SG_TOK_FIELD_END, last->end, last->end, 0);
}

static bool
read_conversion(struct sg_scrub *s, struct sg_part *field)
{
	char c = s->at + 1 < s->limit ? s->text[s->at + 1] : '\0';
	char next = s->at + 2 < s->limit ? s->text[s->at + 2] : '\0';

	if ((c != 's' && c != 'r' && c != 'a') || next == '_' ||
	    (next >= '0' && next <= '9') || (next & 0x80) ||
	    ((next | 0x20) >= 'a' && (next | 0x20) <= 'z'))
		return sg_scrub_refuse(s, s->at, s->at + 2,
				       "f-string: the "
				       "conversion must be !s, !r or !a");
	field->conversion = c;
	s->at += 2;
	return s->minor < 12 || skip_blanks(s);
}

bool
sg_scrub_field_mark(struct sg_scrub *s, bool *ret_done)
{
	const struct sg_bracket *top = &s->brackets[s->nbrackets - 1];
	struct sg_part *field = &s->parts.v[top->part];
	const char *p = s->text + s->at;
	struct sg_fmode *m = mode_of(s);

	if (top->open != 'f' ||
	    (*p != '}' && *p != ':' && (*p != '!' || p[1] == '=') &&
	     (*p != '=' || p[1] == '=')))
		return true;
	*ret_done = true;
	if (!end_expression(s, field))
		return false;
	if (*p == '=') {
		s->at++;
		if (!skip_blanks(s))
			return false;
		field->debug_end = s->at;
	}
	if (s->at < s->limit && s->text[s->at] == '!' &&
	    !read_conversion(s, field))
		return false;
	if (s->at < s->limit && s->text[s->at] == '}')
		return close_field(s);
	if (s->at >= s->limit || s->text[s->at] != ':')
		return sg_scrub_refuse(s, s->at, s->at + 1,
				       "f-string: expecting '}'");
	s->at++;
	s->in_text = true;
	m->specs++;
	m->in_spec = true;
	return add_part(s, m->literal, SG_PART_SPEC, s->at, s->at, 0) != 0;
}
