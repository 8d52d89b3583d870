#include "cmd/shell_read.h"

#include <ctype.h>

/* Words of the shell: quotes, escapes, and what is only known at run time. */

struct word {
	struct sg_buf b;
	bool dynamic, quoted;
	bool brace, comma; /* "{a,b}" becomes two words */
	size_t plain;
};

void
sg_sh_fail(struct sg_sh_reader *r, enum sg_status status, const char *why)
{
	if (r->status != SG_OK)
		return;
	r->status = status;
	r->why = why;
}

static char
peek(const struct sg_sh_reader *r, size_t ahead)
{
	return r->at + ahead < r->text.n ? r->text.p[r->at + ahead] : '\0';
}

static bool
more(const struct sg_sh_reader *r)
{
	return r->status == SG_OK && r->at < r->text.n;
}

void
sg_sh_blanks(struct sg_sh_reader *r)
{
	for (;;) {
		char c = peek(r, 0);

		if (c == ' ' || c == '\t' || c == '\r')
			r->at++;
		else if (c == '\\' && peek(r, 1) == '\n')
			r->at += 2;
		else
			break;
	}
	if (peek(r, 0) == '#')
		while (more(r) && peek(r, 0) != '\n')
			r->at++;
}

bool
sg_sh_is_process(const struct sg_sh_reader *r, size_t at)
{
	return at + 1 < r->text.n &&
	       (r->text.p[at] == '<' || r->text.p[at] == '>') &&
	       r->text.p[at + 1] == '(';
}

/* ---- substitutions ---- */

/* Part of the text as a text of its own. */
static void
in_part(struct sg_sh_reader *r, struct sg_str part, bool is_list,
	struct word *w, void (*body)(struct sg_sh_reader *, struct word *))
{
	struct sg_sh_reader inner = { .sh = r->sh,
				      .text = part,
				      .depth = r->depth + 1 };

	if (inner.depth >= SG_SH_DEPTH)
		sg_sh_fail(&inner, SG_ELIMIT, "nested too deeply");
	else if (is_list)
		sg_sh_list(&inner, '\0');
	else
		body(&inner, w);
	if (inner.status != SG_OK)
		sg_sh_fail(r, inner.status, inner.why);
}

static void
backquotes(struct sg_sh_reader *r, struct word *w)
{
	struct sg_buf b;

	sg_buf_init(&b, SG_SH_TEXT);
	w->dynamic = true;
	for (r->at++; more(r) && peek(r, 0) != '`'; r->at++) {
		if (peek(r, 0) == '\\' && strchr("`\\$", peek(r, 1)) &&
		    peek(r, 1))
			r->at++;
		sg_buf_char(&b, peek(r, 0));
	}
	if (!more(r))
		sg_sh_fail(r, SG_EPARSE, "an unclosed backquote");
	r->at++;
	if (r->status == SG_OK)
		in_part(r, sg_arena_dup(r->sh->arena, sg_buf_view(&b)), true, w,
			NULL);
	sg_buf_release(&b);
}

/* The end of `${...}` or `$((...))`, by counting. */
static void
counted(struct sg_sh_reader *r, char open, char close, struct sg_str *ret)
{
	size_t from = r->at;
	uint32_t level = 1;

	for (; more(r); r->at++) {
		char c = peek(r, 0);

		if (c == '\\')
			r->at++;
		else if (c == open)
			level++;
		else if (c == close && --level == 0)
			break;
	}
	*ret = sg_str_slice(r->text, from, r->at);
	if (!more(r))
		sg_sh_fail(r, SG_EPARSE, "an unclosed brace or parenthesis");
	r->at++;
}

static bool
is_name(struct sg_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '_' && !isalnum((unsigned char)s.p[i]))
			return false;
	return s.n > 0 && !isdigit((unsigned char)s.p[0]);
}

static void
add_variable(struct sg_sh_reader *r, struct word *w, struct sg_str name,
	     bool quoted)
{
	const struct sg_sh *sh = r->sh;
	struct sg_str value = SG_STR_NONE;
	bool known = false;

	for (uint32_t i = 0; i < sh->nvars; i++)
		if (sg_str_eq(sh->vars[i].name, name)) {
			value = sh->vars[i].value;
			known = true;
		}
	if (!known && sh->home && sg_str_eq(name, SG_STR("HOME"))) {
		value = sg_str_c(sh->home);
		known = true;
	}
	/* Without quotes it becomes words of its own. */
	for (size_t i = 0; !quoted && i < value.n; i++)
		known = known && !strchr(" \t\n*?[", value.p[i]);
	if (known)
		sg_buf_str(&w->b, value);
	else
		w->dynamic = true;
}

static void quoted_part(struct sg_sh_reader *r, struct word *w);

static void
braces(struct sg_sh_reader *r, struct word *w, bool quoted)
{
	struct sg_str inner;

	r->at += 2;
	counted(r, '{', '}', &inner);
	if (is_name(inner)) {
		add_variable(r, w, inner, quoted);
		return;
	}
	/* "${x:-$(command)}": what is in it may run. */
	w->dynamic = true;
	in_part(r, inner, false, w, quoted_part);
}

/* After a `$`. */
static void
dollar(struct sg_sh_reader *r, struct word *w, bool quoted)
{
	struct sg_str inner;
	char c = peek(r, 1);
	size_t n = 1;

	if (c == '(' && peek(r, 2) == '(') {
		r->at += 2;
		counted(r, '(', ')', &inner);
		w->dynamic = true;
		in_part(r, inner, false, w, quoted_part);
	} else if (c == '(') {
		r->at += 2;
		w->dynamic = true;
		sg_sh_list(r, ')');
	} else if (c == '{') {
		braces(r, w, quoted);
	} else if (c == '_' || isalpha((unsigned char)c)) {
		while (peek(r, n) == '_' || isalnum((unsigned char)peek(r, n)))
			n++;
		add_variable(r, w, sg_str_slice(r->text, r->at + 1, r->at + n),
			     quoted);
		r->at += n;
	} else if (c && (isdigit((unsigned char)c) || strchr("@*#?$!-", c))) {
		w->dynamic = true;
		r->at += 2;
	} else {
		sg_buf_char(&w->b, '$');
		r->at++;
	}
}

/* ---- quotes ---- */

static void
single_quotes(struct sg_sh_reader *r, struct word *w)
{
	for (r->at++; more(r) && peek(r, 0) != '\''; r->at++)
		sg_buf_char(&w->b, peek(r, 0));
	if (!more(r))
		sg_sh_fail(r, SG_EPARSE, "an unclosed quote");
	r->at++;
}

/* One character, or one substitution, of a text in double quotes. */
static void
quoted_char(struct sg_sh_reader *r, struct word *w, const char *escapes)
{
	char c = peek(r, 0);

	if (c == '\\' && peek(r, 1) == '\n') {
		r->at += 2;
	} else if (c == '\\' && peek(r, 1) && strchr(escapes, peek(r, 1))) {
		sg_buf_char(&w->b, peek(r, 1));
		r->at += 2;
	} else if (c == '$') {
		dollar(r, w, true);
	} else if (c == '`') {
		backquotes(r, w);
	} else {
		sg_buf_char(&w->b, c);
		r->at++;
	}
}

static void
quoted_part(struct sg_sh_reader *r, struct word *w)
{
	while (more(r))
		quoted_char(r, w, "$`\"\\");
}

static void
document_part(struct sg_sh_reader *r, struct word *w)
{
	while (more(r))
		quoted_char(r, w, "$`\\");
}

static void
double_quotes(struct sg_sh_reader *r, struct word *w)
{
	r->at++;
	while (more(r) && peek(r, 0) != '"')
		quoted_char(r, w, "$`\"\\");
	if (!more(r))
		sg_sh_fail(r, SG_EPARSE, "an unclosed quote");
	r->at++;
}

/* Up to `most` digits of that base, from the second character on. */
static uint32_t
digits(struct sg_sh_reader *r, unsigned base, size_t from, size_t most)
{
	uint32_t v = 0;
	size_t n = from;

	for (; n < from + most; n++) {
		int c = tolower((unsigned char)peek(r, n));
		unsigned d = isdigit(c)             ? (unsigned)(c - '0')
			     : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
						    : 99;

		if (d >= base)
			break;
		v = v * base + d;
	}
	r->at += n;
	return v;
}

static void
add_utf8(struct sg_buf *b, uint32_t cp)
{
	if (cp < 0x80) {
		sg_buf_char(b, (char)cp);
		return;
	}
	if (cp < 0x800) {
		sg_buf_char(b, (char)(0xc0 | cp >> 6));
	} else {
		if (cp < 0x10000) {
			sg_buf_char(b, (char)(0xe0 | cp >> 12));
		} else {
			sg_buf_char(b, (char)(0xf0 | (cp >> 18 & 7)));
			sg_buf_char(b, (char)(0x80 | (cp >> 12 & 63)));
		}
		sg_buf_char(b, (char)(0x80 | (cp >> 6 & 63)));
	}
	sg_buf_char(b, (char)(0x80 | (cp & 63)));
}

/* What a backslash means within $'...'; stands at the backslash. */
static void
ansi_escape(struct sg_sh_reader *r, struct sg_buf *b)
{
	static const char from[] = "abefnrtv\\'\"?E",
			  to[] = "\a\b\x1b\f\n\r\t\v\\'\"?\x1b";
	char c = peek(r, 1);
	const char *at = c ? strchr(from, c) : NULL;

	if (at) {
		sg_buf_char(b, to[at - from]);
		r->at += 2;
	} else if (c == 'x') {
		sg_buf_char(b, (char)digits(r, 16, 2, 2));
	} else if (c == 'u' || c == 'U') {
		add_utf8(b, digits(r, 16, 2, c == 'u' ? 4 : 8));
	} else if (c >= '0' && c <= '7') {
		sg_buf_char(b, (char)digits(r, 8, 1, 3));
	} else {
		sg_buf_char(b, '\\');
		r->at++;
	}
}

static void
ansi_quotes(struct sg_sh_reader *r, struct word *w)
{
	r->at += 2;
	while (more(r) && peek(r, 0) != '\'') {
		if (peek(r, 0) == '\\') {
			ansi_escape(r, &w->b);
		} else {
			sg_buf_char(&w->b, peek(r, 0));
			r->at++;
		}
	}
	if (!more(r))
		sg_sh_fail(r, SG_EPARSE, "an unclosed quote");
	r->at++;
}

/* ---- words ---- */

/* What opens a quote or a substitution; false when nothing does. */
static bool
special(struct sg_sh_reader *r, struct word *w)
{
	char c = peek(r, 0), d = peek(r, 1);

	if (c == '\'') {
		w->quoted = true;
		single_quotes(r, w);
	} else if (c == '"') {
		w->quoted = true;
		double_quotes(r, w);
	} else if (c == '$' && d == '\'') {
		w->quoted = true;
		ansi_quotes(r, w);
	} else if (c == '$' && d == '"') {
		w->quoted = true;
		r->at++;
		double_quotes(r, w);
	} else if (c == '$') {
		dollar(r, w, false);
	} else if (c == '`') {
		backquotes(r, w);
	} else if (sg_sh_is_process(r, r->at)) {
		r->at += 2;
		w->dynamic = true;
		sg_sh_list(r, ')');
	} else {
		return false;
	}
	return true;
}

static void
plain_char(struct sg_sh_reader *r, struct word *w)
{
	char c = peek(r, 0);

	if (c == '\\') {
		if (peek(r, 1) != '\n') {
			w->quoted = true;
			sg_buf_char(&w->b, peek(r, 1));
		}
		r->at += 2;
		return;
	}
	if (c == '~' && w->b.len == 0 && !w->quoted &&
	    (peek(r, 1) == '/' || !peek(r, 1) ||
	     isspace((unsigned char)peek(r, 1)))) {
		if (r->sh->home)
			sg_buf_c(&w->b, r->sh->home);
		else
			w->dynamic = true;
	} else {
		if (c == '*' || c == '?' || (c == '[' && w->b.len > 0))
			w->dynamic = true;
		w->brace = w->brace || c == '{';
		w->comma = w->comma || (w->brace && c == ',');
		w->dynamic = w->dynamic || (w->comma && c == '}');
		sg_buf_char(&w->b, c);
	}
	if (!w->quoted)
		w->plain = w->b.len;
	r->at++;
}

bool
sg_sh_word(struct sg_sh_reader *r, struct sg_sh_word *ret)
{
	struct word w = { .dynamic = false };
	size_t from = r->at;

	sg_buf_init(&w.b, SG_SH_TEXT + 1);
	while (more(r)) {
		char c = peek(r, 0);

		if (special(r, &w))
			continue;
		if (strchr(" \t\r\n;&|()<>", c))
			break;
		plain_char(r, &w);
	}
	ret->text = sg_arena_dup(r->sh->arena, sg_buf_view(&w.b));
	ret->dynamic = w.dynamic;
	ret->plain = w.plain;
	r->quoted = w.quoted;
	sg_buf_release(&w.b);
	if (!ret->text.p)
		sg_sh_fail(r, SG_ENOMEM, "no memory");
	return r->at > from && r->status == SG_OK;
}

void
sg_sh_expand_document(struct sg_sh_reader *r, struct sg_sh_word *body)
{
	struct word w = { .dynamic = false };

	sg_buf_init(&w.b, SG_SH_TEXT + 1);
	in_part(r, body->text, false, &w, document_part);
	body->text = sg_arena_dup(r->sh->arena, sg_buf_view(&w.b));
	body->dynamic = w.dynamic;
	sg_buf_release(&w.b);
}
