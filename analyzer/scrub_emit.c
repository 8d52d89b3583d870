#include "analyzer/scrub_emit.h"

#include "base/vec.h"

/*
 * Writes the skeleton, one logical line at a time.
 *
 * `open` is a stack of what has been opened and must be closed: brackets of
 * the script, and constructs that the skeleton puts a bracket around
 * (stars, annotations) or that give a token another meaning while they last
 * (the parameters of a lambda, the targets of a for).  A construct ends at
 * the first token that CPython's grammar does not take into it.
 *
 * A token's `out` is where it begins in the skeleton, with whatever bracket
 * was put before it, so that a node of tree-sitter that begins there begins
 * with that token; a bracket that closes belongs to the token before it.
 */

static const struct text {
	char text[9];
	uint8_t len;
} texts[SG_TOK_COUNT] = {
	[SG_TOK_NAME] = { "n", 1 },          [SG_TOK_MATCH] = { "n", 1 },
	[SG_TOK_CASE] = { "n", 1 },          [SG_TOK_TYPE] = { "n", 1 },
	[SG_TOK_NUMBER] = { "0", 1 },        [SG_TOK_STRING] = { "0", 1 },
	[SG_TOK_FIELD] = { "(", 1 },         [SG_TOK_FIELD_END] = { ")", 1 },
	[SG_TOK_STRING_END] = { "}", 1 },
#define TEXT(name, text) [SG_TOK_##name] = { text, sizeof(text) - 1 },
	SG_KEYWORDS(TEXT) SG_OPERATORS(TEXT)
#undef TEXT
};

void
sg_emit_put(struct sg_emit *e, const char *text, uint32_t n)
{
	memcpy(e->s->out.v + e->s->out.n, text, n);
	e->s->out.n += n;
}

bool
sg_emit_room(struct sg_emit *e)
{
	if (SG_VEC_ROOM(&e->s->out, SG_EMIT_ROOM, SG_MAX_SKELETON))
		return true;
	e->s->refused_memory = true;
	return false;
}

/* Puts text that opens a bracket before the next token. */
void
sg_emit_open(struct sg_emit *e, const char *text, uint32_t n)
{
	sg_emit_put(e, text, n);
	if (e->pending == UINT32_MAX)
		e->pending = e->s->out.n - 1;
	e->opened = e->s->out.n;
}

bool
sg_emit_refuse(struct sg_emit *e)
{
	const struct sg_token *t = &e->t[e->i < e->n ? e->i : e->n - 1];
	uint32_t start = t->start, end = t->end;

	if (e->i >= e->n)
		start = end;
	return sg_scrub_refuse(e->s, start, end, "invalid syntax");
}

bool
sg_emit_is_wordish(unsigned kind)
{
	return kind <= SG_TOK_STRING || sg_tok_is_keyword(kind);
}

/* Whether the character may become one token with another operator. */
static bool
merges(char c)
{
	return !strchr("()[]{},;", c);
}

/* Writes the token itself, after a space where one is needed to keep it
 * apart from the one before. */
void
sg_emit_token(struct sg_emit *e)
{
	struct sg_token *t = &e->t[e->i];
	const struct text *text = &texts[t->kind];

	if (e->i && e->opened != e->s->out.n) {
		const struct sg_token *last = t - 1;
		bool word = sg_emit_is_wordish(t->kind),
		     before = sg_emit_is_wordish(last->kind);

		if ((word && before) ||
		    ((last->kind == SG_TOK_NUMBER ||
		      last->kind == SG_TOK_STRING) &&
		     text->text[0] == '.') ||
		    (!word && !before && last->end != t->start &&
		     merges(e->s->out.v[e->s->out.n - 1]) &&
		     merges(text->text[0])))
			sg_emit_put(e, " ", 1);
	}
	t->out = e->pending != UINT32_MAX ? e->pending : e->s->out.n;
	e->pending = UINT32_MAX;
	sg_emit_put(e, text->text, text->len);
}

/* Notes where a token is that writes something else than itself. */
void
sg_emit_place(struct sg_emit *e)
{
	e->t[e->i].out = e->pending != UINT32_MAX ? e->pending : e->s->out.n;
	e->pending = UINT32_MAX;
}

bool
sg_emit_ends_operand(unsigned kind)
{
	return (kind >= SG_TOK_NAME && kind <= SG_TOK_STRING) ||
	       kind == SG_TOK_STRING_END || kind == SG_TOK_RPAR ||
	       kind == SG_TOK_RSQB || kind == SG_TOK_RBRACE ||
	       kind == SG_TOK_ELLIPSIS || kind == SG_TOK_TRUE ||
	       kind == SG_TOK_FALSE || kind == SG_TOK_NONE;
}

unsigned
sg_emit_kind(const struct sg_emit *e, uint32_t i)
{
	return i < e->n ? e->t[i].kind : SG_TOK_NIL;
}

/* --- tokens ------------------------------------------------------------------ */

static bool
emit_star(struct sg_emit *e)
{
	unsigned last = e->i ? e->t[e->i - 1].kind : SG_TOK_NIL;

	if (e->operand || sg_emit_top(e) == SG_OPEN_PARAMS ||
	    sg_emit_top(e) == SG_OPEN_LAMBDA || last == SG_TOK_EXCEPT ||
	    last == SG_TOK_IMPORT) {
		sg_emit_token(e);
		return true;
	}
	if (sg_emit_top(e) == SG_OPEN_TYPES) {
		sg_emit_place(e);
		return true;
	}
	if (last == SG_TOK_DOT || last == SG_TOK_DEF || last == SG_TOK_CLASS ||
	    sg_emit_top(e) == SG_OPEN_STAR)
		return sg_emit_refuse(e);
	if (e->t[e->i].kind == SG_TOK_DOUBLESTAR) {
		sg_emit_token(e);
		return true;
	}
	if (e->i && sg_emit_is_wordish(last) && e->opened != e->s->out.n)
		SG_EMIT_PUT(e, " ");
	sg_emit_place(e);
	SG_EMIT_PUT(e, "S[");
	e->opened = e->s->out.n;
	return sg_emit_push(e, SG_OPEN_STAR);
}

static bool
emit_name(struct sg_emit *e)
{
	sg_emit_token(e);
	if (sg_emit_top(e) == SG_OPEN_TYPES) {
		struct sg_open *types = &e->s->open[e->s->nopen - 1];

		if (types->state != SG_TYPES_START)
			return sg_emit_refuse(e);
		types->state = SG_TYPES_NAME;
		SG_EMIT_PUT(e, "(");
	}
	return true;
}

static bool
emit_open(struct sg_emit *e)
{
	enum sg_open_kind kind = SG_OPEN_BRACKET;

	if (e->t[e->i].kind == SG_TOK_LSQB && sg_emit_is_types(e)) {
		if (e->s->minor < 12)
			return sg_emit_too_old(e, 12, "a type parameter");
		kind = SG_OPEN_TYPES;
	} else if (e->def && e->s->nopen == 0 &&
		   e->t[e->i].kind == SG_TOK_LPAR) {
		kind = SG_OPEN_PARAMS;
		e->def = false;
	}
	sg_emit_token(e);
	e->depth++;
	return sg_emit_push(e, kind);
}

static bool
emit_close(struct sg_emit *e)
{
	if (!sg_emit_pop_to_bracket(e) || !sg_emit_room(e))
		return false;
	if (sg_emit_top(e) == SG_OPEN_TYPES) {
		if (!sg_emit_types_mark(e, SG_TOK_RSQB))
			return false;
	} else {
		sg_emit_token(e);
	}
	e->s->nopen--;
	e->depth--;
	return true;
}

static bool
emit_colon(struct sg_emit *e)
{
	bool annotation;

	if (!sg_emit_pop_stars(e))
		return false;
	if (sg_emit_top(e) == SG_OPEN_LAMBDA) {
		e->s->nopen--;
		sg_emit_token(e);
		return true;
	}
	if (sg_emit_top(e) == SG_OPEN_TYPES)
		return sg_emit_types_mark(e, SG_TOK_COLON);
	if (e->s->nopen == 1 &&
	    (sg_emit_top(e) == SG_OPEN_TYPE || sg_emit_top(e) == SG_OPEN_ITEM ||
	     sg_emit_top(e) == SG_OPEN_TUPLE) &&
	    !sg_emit_pop(e))
		return false;
	if ((e->s->nopen == 0 || sg_emit_top(e) == SG_OPEN_GUARD) &&
	    e->stmt != SG_STMT_PLAIN)
		return e->conditions == 0 ? sg_emit_block_colon(e)
					  : sg_emit_refuse(e);
	annotation = e->s->nopen == 0 || sg_emit_top(e) == SG_OPEN_PARAMS;
	if (!sg_emit_room(e))
		return false;
	sg_emit_token(e);
	if (!annotation)
		return true;
	SG_EMIT_OPEN(e, "(");
	return sg_emit_push(e, SG_OPEN_TYPE);
}

static bool
emit_equal(struct sg_emit *e)
{
	if (!sg_emit_pop_wraps(e) || !sg_emit_room(e))
		return false;
	if (sg_emit_top(e) == SG_OPEN_TYPES)
		return sg_emit_types_mark(e, SG_TOK_EQUAL);
	if (e->stmt == SG_STMT_TYPE && e->s->nopen == 0) {
		if (e->value)
			return sg_emit_refuse(e);
		e->value = true;
		sg_emit_place(e);
		SG_EMIT_PUT(e, ",");
		SG_EMIT_OPEN(e, "(");
		return sg_emit_push(e, SG_OPEN_TYPE);
	}
	sg_emit_token(e);
	return true;
}

static bool
emit_comma(struct sg_emit *e)
{
	if (!sg_emit_pop_wraps(e) || !sg_emit_room(e))
		return false;
	if (sg_emit_top(e) == SG_OPEN_TYPES)
		return sg_emit_types_mark(e, SG_TOK_COMMA);
	if (e->stmt == SG_STMT_TYPE && e->s->nopen == 0)
		return sg_emit_refuse(e);
	sg_emit_token(e);
	if (e->stmt == SG_STMT_WITH && e->s->nopen == 0)
		e->item_at = e->i + 1;
	return true;
}

static bool
emit_in(struct sg_emit *e)
{
	uint32_t n = e->s->nopen;

	while (n && e->s->open[n - 1].kind == SG_OPEN_STAR)
		n--;
	if (n && e->s->open[n - 1].kind == SG_OPEN_FOR) {
		if (!sg_emit_pop_stars(e) || !sg_emit_room(e))
			return false;
		e->s->nopen--;
	}
	sg_emit_token(e);
	return true;
}

static bool
emit_if(struct sg_emit *e)
{
	uint32_t n = e->s->nopen;

	while (n && e->s->open[n - 1].kind == SG_OPEN_STAR)
		n--;
	if (e->stmt != SG_STMT_CASE || n) {
		e->conditions += e->depth == 0 && e->i != e->stmt_start;
		sg_emit_token(e);
		return true;
	}
	if (e->opened == e->s->out.n)
		return sg_emit_refuse(e);
	if (!sg_emit_pop_stars(e) || !sg_emit_room(e))
		return false;
	SG_EMIT_PUT(e, "]");
	sg_emit_place(e);
	SG_EMIT_PUT(e, "and");
	SG_EMIT_OPEN(e, "(");
	return sg_emit_push(e, SG_OPEN_GUARD);
}

/* The grammar gives `^` and `&` each other's precedence. */
static bool
emit_swapped(struct sg_emit *e, enum sg_tok other)
{
	uint8_t kind = e->t[e->i].kind;

	e->t[e->i].kind = (uint8_t)other;
	sg_emit_token(e);
	e->t[e->i].kind = kind;
	return true;
}

static bool
emit_walrus(struct sg_emit *e)
{
	sg_emit_token(e);
	SG_EMIT_OPEN(e, "(");
	return sg_emit_push(e, SG_OPEN_WALRUS);
}

static bool
emit_as(struct sg_emit *e)
{
	if (sg_emit_top(e) == SG_OPEN_ITEM &&
	    (!sg_emit_pop(e) || !sg_emit_room(e)))
		return false;
	sg_emit_token(e);
	return true;
}

static bool
emit_string(struct sg_emit *e)
{
	if (e->s->literals.v[e->t[e->i].aux].nfields == 0) {
		sg_emit_token(e);
		return true;
	}
	if (e->i && sg_emit_is_wordish(e->t[e->i - 1].kind))
		SG_EMIT_PUT(e, " ");
	sg_emit_place(e);
	SG_EMIT_PUT(e, "{");
	return true;
}

static bool
emit_field(struct sg_emit *e)
{
	if (e->t[e->i - 1].kind != SG_TOK_STRING)
		SG_EMIT_PUT(e, ",");
	sg_emit_token(e);
	e->depth++;
	return sg_emit_push(e, SG_OPEN_FIELD);
}

static bool
emit_field_end(struct sg_emit *e)
{
	if (!sg_emit_pop_to_bracket(e) || !sg_emit_room(e))
		return false;
	sg_emit_token(e);
	e->s->nopen--;
	e->depth--;
	return true;
}

static bool
emit_arrow(struct sg_emit *e)
{
	e->arrow = true;
	sg_emit_token(e);
	SG_EMIT_OPEN(e, "(");
	return sg_emit_push(e, SG_OPEN_TYPE);
}

static bool
emit_semicolon(struct sg_emit *e)
{
	if (!sg_emit_end_statement(e) || !sg_emit_room(e))
		return false;
	sg_emit_token(e);
	e->starts = true;
	return true;
}

/* The grammar lets `await` take a power as its operand; CPython does not. */
static bool
emit_await(struct sg_emit *e)
{
	unsigned next = sg_emit_kind(e, e->i + 1);

	if (e->operand)
		return sg_emit_refuse(e);
	if (!sg_emit_ends_operand(next) && next != SG_TOK_LPAR &&
	    next != SG_TOK_LSQB && next != SG_TOK_LBRACE) {
		e->i++;
		return sg_emit_refuse(e);
	}
	if (e->i && sg_emit_is_wordish(e->t[e->i - 1].kind))
		SG_EMIT_PUT(e, " ");
	SG_EMIT_OPEN(e, "(");
	sg_emit_token(e);
	return sg_emit_push(e, SG_OPEN_AWAIT);
}

static bool
end_awaits(struct sg_emit *e, unsigned kind)
{
	if (!e->operand || kind == SG_TOK_DOT || kind == SG_TOK_LPAR ||
	    kind == SG_TOK_LSQB)
		return true;
	while (sg_emit_top(e) == SG_OPEN_AWAIT)
		if (!sg_emit_pop(e))
			return false;
	return sg_emit_room(e);
}

static bool
emit_token(struct sg_emit *e)
{
	unsigned kind = e->t[e->i].kind;

	if (sg_emit_top(e) == SG_OPEN_TYPES && !sg_emit_fits_types(e, kind))
		return sg_emit_refuse(e);
	if (sg_emit_top(e) == SG_OPEN_AWAIT && !end_awaits(e, kind))
		return false;
	switch (kind) {
	case SG_TOK_AWAIT:
		return emit_await(e);
	case SG_TOK_NAME:
	case SG_TOK_MATCH:
	case SG_TOK_CASE:
	case SG_TOK_TYPE:
		return emit_name(e);
	case SG_TOK_STRING:
		return emit_string(e);
	case SG_TOK_FIELD:
		return emit_field(e);
	case SG_TOK_FIELD_END:
		return emit_field_end(e);
	case SG_TOK_STAR:
	case SG_TOK_DOUBLESTAR:
		return emit_star(e);
	case SG_TOK_LPAR:
	case SG_TOK_LSQB:
	case SG_TOK_LBRACE:
		return emit_open(e);
	case SG_TOK_RPAR:
	case SG_TOK_RSQB:
	case SG_TOK_RBRACE:
		return emit_close(e);
	case SG_TOK_COLON:
		return emit_colon(e);
	case SG_TOK_EQUAL:
		return emit_equal(e);
	case SG_TOK_COMMA:
		return emit_comma(e);
	case SG_TOK_RARROW:
		return emit_arrow(e);
	case SG_TOK_SEMI:
		return emit_semicolon(e);
	case SG_TOK_IN:
		return emit_in(e);
	case SG_TOK_IF:
		return emit_if(e);
	case SG_TOK_ELSE:
		if (e->depth == 0 && e->i != e->stmt_start &&
		    e->conditions-- == 0)
			return sg_emit_refuse(e);
		sg_emit_token(e);
		return true;
	case SG_TOK_AMPER:
		return emit_swapped(e, SG_TOK_CIRCUMFLEX);
	case SG_TOK_CIRCUMFLEX:
		return emit_swapped(e, SG_TOK_AMPER);
	case SG_TOK_COLONEQUAL:
		return emit_walrus(e);
	case SG_TOK_AS:
		return emit_as(e);
	case SG_TOK_IMPORT:
		e->from = false;
		sg_emit_token(e);
		return true;
	case SG_TOK_LAMBDA:
		sg_emit_token(e);
		return sg_emit_push(e, SG_OPEN_LAMBDA);
	case SG_TOK_FOR:
		if (!sg_emit_pop_stars(e) || !sg_emit_room(e))
			return false;
		sg_emit_token(e);
		return sg_emit_push(e, SG_OPEN_FOR);
	default:
		if (kind >= SG_TOK_PLUSEQUAL && !sg_emit_pop_stars(e))
			return false;
		if (!sg_emit_room(e))
			return false;
		sg_emit_token(e);
		return true;
	}
}

bool
sg_scrub_emit_line(struct sg_scrub *s, uint32_t level)
{
	struct sg_emit e = { .s = s,
			     .level = level,
			     .t = s->tokens.v + s->line_token,
			     .n = s->tokens.n - s->line_token,
			     .pending = UINT32_MAX,
			     .opened = UINT32_MAX,
			     .tuple_at = UINT32_MAX,
			     .item_at = UINT32_MAX,
			     .starts = true };
	bool done, match = false;

	if (!SG_VEC_ROOM(&s->out, SG_MAX_INDENT + SG_EMIT_ROOM,
			 SG_MAX_SKELETON)) {
		s->refused_memory = true;
		return false;
	}
	s->nopen = 0;
	memset(s->out.v + s->out.n, ' ', level);
	s->out.n += level;
	for (; e.i < e.n; e.i++) {
		done = false;
		if (!sg_emit_room(&e))
			return false;
		if (e.starts && !sg_emit_begin_statement(&e, level, &done))
			return false;
		match = match || e.stmt == SG_STMT_MATCH;
		if (done)
			continue;
		if (e.i == e.tuple_at) {
			SG_EMIT_OPEN(&e, "(");
			if (!sg_emit_push(&e, SG_OPEN_TUPLE))
				return false;
		}
		if (e.i == e.item_at && !sg_emit_begin_item(&e))
			return false;
		if (!emit_token(&e))
			return false;
		e.operand = sg_emit_ends_operand(e.t[e.i].kind);
	}
	if (!sg_emit_end_statement(&e) || !sg_emit_room(&e))
		return false;
	/* A newline alone would be no more than white space to a version of
	 * the parse that takes `a,` for the beginning of targets. */
	if (!e.block && !e.starts && e.t[e.stmt_start].kind != SG_TOK_AT)
		SG_EMIT_PUT(&e, ";");
	SG_EMIT_PUT(&e, "\n");
	s->block_due = e.block;
	s->block_head = e.t[0].start;
	s->in_match[level + 1] = match;
	return true;
}
