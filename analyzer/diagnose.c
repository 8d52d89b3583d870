#include "analyzer/diagnose.h"

/*
 * Theory of operation
 *
 * tree-sitter says that a text is no program, and in its attempts to go on
 * loses the place where that became certain.  So a second, simpler reader
 * goes over the tokens, a logical line at a time, and stops at the first that
 * cannot stand where it is.  It is no judge: it takes more than CPython does
 * wherever that makes it simpler (patterns are not read at all), and nothing
 * but the place and the message of a refusal depends on it.
 */

/* --- failure ------------------------------------------------------------------- */

bool
sg_diag_fail_at(struct sg_diag *d, uint32_t tok, const char *message)
{
	if (!d->failed) {
		d->failed = true;
		d->tok0 = tok;
		d->tok1 = d->i > tok && d->i < d->end ? d->i : tok;
		d->message = message;
	}
	return false;
}

/* Two operators that are one in other languages. */
static const char *
foreign_operator(const struct sg_diag *d)
{
	static const struct {
		uint8_t first, second;
		const char *message;
	} pairs[] = {
		{ SG_TOK_AMPER, SG_TOK_AMPER,
		  "'&&' is no operator; write 'and'" },
		{ SG_TOK_VBAR, SG_TOK_VBAR, "'||' is no operator; write 'or'" },
		{ SG_TOK_EQEQUAL, SG_TOK_EQUAL,
		  "'===' is no operator; write '=='" },
		{ SG_TOK_NOTEQUAL, SG_TOK_EQUAL,
		  "'!==' is no operator; write '!='" },
		{ SG_TOK_EQUAL, SG_TOK_GREATER,
		  "'=>' is no operator; write '>='" },
		{ SG_TOK_EQUAL, SG_TOK_LESS,
		  "'=<' is no operator; write '<='" },
		{ SG_TOK_PLUS, SG_TOK_PLUS,
		  "'++' is no operator; write '+= 1'" },
		{ SG_TOK_MINUS, SG_TOK_MINUS,
		  "'--' is no operator; write '-= 1'" },
	};
	uint32_t at = d->i;

	/* `x++` fails after the second. */
	if (at > 1 &&
	    (at == d->end || d->t[at].kind == SG_TOK_SEMI ||
	     d->t[at].kind == SG_TOK_RPAR) &&
	    (d->t[at - 1].kind == SG_TOK_PLUS ||
	     d->t[at - 1].kind == SG_TOK_MINUS))
		at--;
	if (at == 0 || at >= d->end || d->t[at - 1].end != d->t[at].start)
		return NULL;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		if (d->t[at - 1].kind == pairs[i].first &&
		    d->t[at].kind == pairs[i].second)
			return pairs[i].message;
	return NULL;
}

bool
sg_diag_give_up(struct sg_diag *d)
{
	d->failed = d->gave_up = true;
	return false;
}

bool
sg_diag_fail(struct sg_diag *d)
{
	return sg_diag_fail_at(d, d->i, foreign_operator(d));
}

/* --- lines ------------------------------------------------------------------------ */

/* Whether a newline that counts stands between two tokens. */
static bool
is_newline(const char *text, uint32_t from, uint32_t to)
{
	for (; from < to; from++) {
		if (text[from] == '\n')
			return true;
		if (text[from] == '#')
			return memchr(text + from, '\n', to - from) != NULL;
		if (text[from] == '\\')
			from++;
	}
	return false;
}

int
sg_diag_opens(const struct sg_diag *d, const struct sg_token *t)
{
	switch (t->kind) {
	case SG_TOK_STRING:
		return d->s->literals.v[t->aux].nfields != 0;
	case SG_TOK_LPAR:
	case SG_TOK_LSQB:
	case SG_TOK_LBRACE:
		return 1;
	case SG_TOK_STRING_END:
	case SG_TOK_RPAR:
	case SG_TOK_RSQB:
	case SG_TOK_RBRACE:
		return -1;
	default:
		return 0;
	}
}

/* Sets d->end to the end of the logical line that begins at d->i. */
static void
find_end(struct sg_diag *d)
{
	int open = 0;

	d->end = d->i;
	while (d->end < d->n) {
		const struct sg_token *t = &d->t[d->end++];

		open += sg_diag_opens(d, t);
		if (open <= 0 && d->end < d->n &&
		    is_newline(d->s->text, t->end, d->t[d->end].start))
			break;
	}
}

/* --- the whole ---------------------------------------------------------------------- */

/* The column of a line's first token, with tabs as CPython counts them. */
static uint32_t
column_of(const struct sg_diag *d, uint32_t tok)
{
	uint32_t at = d->t[tok].start, column = 0;

	while (at && d->s->text[at - 1] != '\n')
		at--;
	for (; at < d->t[tok].start; at++)
		column = d->s->text[at] == '\t' ? column / 8 * 8 + 8
						: column + 1;
	return column;
}

/* Whether a line that begins with `kind` may continue a statement that
 * begins with `head`. */
static bool
continues(unsigned kind, unsigned head)
{
	switch (kind) {
	case SG_TOK_ELIF:
		return head == SG_TOK_IF || head == SG_TOK_ELIF;
	case SG_TOK_ELSE:
		return head == SG_TOK_IF || head == SG_TOK_ELIF ||
		       head == SG_TOK_FOR || head == SG_TOK_WHILE ||
		       head == SG_TOK_EXCEPT || head == SG_TOK_ASYNC;
	case SG_TOK_EXCEPT:
		return head == SG_TOK_TRY || head == SG_TOK_EXCEPT;
	default:
		return head == SG_TOK_TRY || head == SG_TOK_EXCEPT ||
		       head == SG_TOK_ELSE;
	}
}

/* `elif`, `else`, `except` and `finally` need something to belong to: the
 * statement before that begins in the same column. */
static bool
check_belongs(struct sg_diag *d)
{
	unsigned kind = d->t[d->i].kind;
	uint32_t column = column_of(d, d->i);
	struct sg_diag_level *top;

	while (d->nlevels && d->levels[d->nlevels - 1].column > column)
		d->nlevels--;
	if (d->nlevels == 0 || d->levels[d->nlevels - 1].column < column) {
		if (d->nlevels == SG_MAX_INDENT)
			return sg_diag_give_up(d);
		d->levels[d->nlevels++] = (struct sg_diag_level){ column, 0 };
	}
	top = &d->levels[d->nlevels - 1];
	if ((kind == SG_TOK_ELIF || kind == SG_TOK_ELSE ||
	     kind == SG_TOK_EXCEPT || kind == SG_TOK_FINALLY) &&
	    !continues(kind, top->head))
		return sg_diag_fail_at(
			d, d->i,
			kind == SG_TOK_ELIF   ? "this 'elif' belongs to no 'if'"
			: kind == SG_TOK_ELSE ? "this 'else' belongs to no "
						"'if', loop or 'try'"
			: kind == SG_TOK_EXCEPT
				? "this 'except' belongs to no 'try'"
				: "this 'finally' belongs to no 'try'");
	top->head = (uint8_t)kind;
	return true;
}

/* Where the line goes on after its last token. */
static struct sg_range
end_of_line(const struct sg_diag *d)
{
	uint32_t at = d->t[d->end - 1].end;

	while (d->s->text[at] == ' ' || d->s->text[at] == '\t')
		at++;
	return (struct sg_range){ at, at };
}

bool
sg_diagnose(const struct sg_scrub *s, bool whole, struct sg_diagnosis *ret)
{
	struct sg_diag d = { .s = s,
			     .t = s->tokens.v,
			     .n = whole ? s->tokens.n : s->line_token };

	for (; d.i < d.n; d.i = d.end) {
		find_end(&d);
		d.brackets = d.depth = 0;
		if (!check_belongs(&d) || !sg_diag_line(&d))
			break;
	}
	if (!d.failed || d.gave_up)
		return false;
	ret->message = d.message;
	if (d.tok0 < d.end)
		ret->range = (struct sg_range){ d.t[d.tok0].start,
						d.t[d.tok1].end };
	else
		ret->range = end_of_line(&d);
	return true;
}
