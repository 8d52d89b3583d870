#include "analyzer/scrub.h"

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

enum {
	MAX_OUT = 1u << 27,
	ROOM = 32 /* bytes that one token may write at most */
};

enum open_kind {
	OPEN_LINE, /* the bottom; never on the stack */
	OPEN_BRACKET,
	OPEN_PARAMS,  /* parentheses of a def */
	OPEN_TYPES,   /* brackets of type parameters; see types_state */
	OPEN_FIELD,
	OPEN_STAR,    /* closes with ']' */
	OPEN_TYPE,    /* an annotation, bound or default: closes with ')' */
	OPEN_LAMBDA,  /* up to its colon */
	OPEN_FOR,     /* up to its `in` */
	OPEN_ITEM,    /* an item of a with that is no primary: with ')' */
	OPEN_WALRUS,  /* the value of `:=`: closes with ')' */
	OPEN_TUPLE,   /* exceptions without parentheses: closes with ')' */
	OPEN_GUARD,   /* the `if` of a case, up to the colon */
	OPEN_AWAIT    /* up to the end of its operand: closes with ')' */
};

enum types_state { TYPES_START, TYPES_NAME, TYPES_BOUND, TYPES_DEFAULT };

enum statement {
	STMT_PLAIN, STMT_COMPOUND, STMT_WITH, STMT_MATCH, STMT_CASE,
	STMT_TYPE, STMT_IMPORT
};

struct emit {
	struct sg_scrub *s;
	struct sg_token *t;      /* the line's tokens */
	uint32_t n, i;
	uint32_t pending;        /* out of a bracket put before, or none */
	uint32_t opened;         /* out.n after the last bracket put */
	enum statement stmt;
	uint32_t stmt_start;     /* token */
	uint32_t tuple_at;       /* token before which a tuple opens */
	uint32_t item_at;        /* token with which an item of a with begins */
	bool starts;             /* the next token begins a statement */
	bool def;                /* after `def`, before its parentheses */
	bool operand;            /* the last token ends an operand */
	bool from;               /* a from-import without its `import` yet */
	bool block;              /* the last token is a block's colon */
	uint32_t depth;          /* brackets open */
	uint32_t conditions;     /* `if` without its `else` yet, outside of
				    brackets */
};

static const struct text {
	char text[9];
	uint8_t len;
} texts[SG_TOK_COUNT] = {
	[SG_TOK_NAME] = { "n", 1 }, [SG_TOK_MATCH] = { "n", 1 },
	[SG_TOK_CASE] = { "n", 1 }, [SG_TOK_TYPE] = { "n", 1 },
	[SG_TOK_NUMBER] = { "0", 1 }, [SG_TOK_STRING] = { "0", 1 },
	[SG_TOK_FIELD] = { "(", 1 }, [SG_TOK_FIELD_END] = { ")", 1 },
	[SG_TOK_STRING_END] = { "}", 1 },
#define TEXT(name, text) [SG_TOK_##name] = { text, sizeof(text) - 1 },
	SG_KEYWORDS(TEXT)
	SG_OPERATORS(TEXT)
#undef TEXT
};

static void
put(struct emit *e, const char *text, uint32_t n)
{
	memcpy(e->s->out.v + e->s->out.n, text, n);
	e->s->out.n += n;
}

#define PUT(e, lit) put(e, "" lit, sizeof(lit) - 1)

static bool
room(struct emit *e)
{
	if (SG_VEC_ROOM(&e->s->out, ROOM, MAX_OUT))
		return true;
	e->s->refused_memory = true;
	return false;
}

/* Puts text that opens a bracket before the next token. */
static void
put_open(struct emit *e, const char *text, uint32_t n)
{
	put(e, text, n);
	if (e->pending == UINT32_MAX)
		e->pending = e->s->out.n - 1;
	e->opened = e->s->out.n;
}

#define PUT_OPEN(e, lit) put_open(e, "" lit, sizeof(lit) - 1)

static bool
refuse(struct emit *e)
{
	const struct sg_token *t = &e->t[e->i < e->n ? e->i : e->n - 1];
	uint32_t start = t->start, end = t->end;

	if (e->i >= e->n)
		start = end;
	return sg_scrub_refuse(e->s, start, end, "invalid syntax");
}

static enum open_kind
top(const struct emit *e)
{
	return e->s->nopen ? (enum open_kind)e->s->open[e->s->nopen - 1].kind :
			     OPEN_LINE;
}

static bool
push(struct emit *e, enum open_kind kind)
{
	if (e->s->nopen == SG_MAX_OPEN)
		return sg_scrub_refuse(e->s, e->t[e->i].start,
			e->t[e->i].end, "the expression is nested too deeply");
	e->s->open[e->s->nopen++] = (struct sg_open){ (uint8_t)kind, 0 };
	return true;
}

/* Takes the top off the stack and closes what the skeleton opened for it. */
static bool
pop(struct emit *e)
{
	enum open_kind kind = top(e);

	if (kind == OPEN_STAR || kind == OPEN_TYPE || kind == OPEN_AWAIT ||
	    kind == OPEN_TUPLE || kind == OPEN_ITEM || kind == OPEN_WALRUS) {
		if (e->opened == e->s->out.n)
			return refuse(e);
		if (!room(e))
			return false;
		put(e, kind == OPEN_STAR ? "]" : ")", 1);
	}
	e->s->nopen--;
	return true;
}

static bool
pop_stars(struct emit *e)
{
	while (top(e) == OPEN_STAR || top(e) == OPEN_WALRUS)
		if (!pop(e))
			return false;
	return true;
}

/* Ends stars and annotations: at commas, equal signs and the like. */
static bool
pop_wraps(struct emit *e)
{
	while (top(e) == OPEN_STAR || top(e) == OPEN_TYPE ||
	       top(e) == OPEN_WALRUS || top(e) == OPEN_ITEM)
		if (!pop(e))
			return false;
	return true;
}

static bool
pop_to_bracket(struct emit *e)
{
	while (e->s->nopen && top(e) != OPEN_BRACKET &&
	       top(e) != OPEN_PARAMS && top(e) != OPEN_TYPES &&
	       top(e) != OPEN_FIELD)
		if (!pop(e))
			return false;
	return true;
}

static bool
is_wordish(unsigned kind)
{
	return kind <= SG_TOK_STRING || sg_tok_is_keyword(kind);
}

/* Writes the token itself, after a space where one is needed to keep it
 * apart from the one before. */
static void
put_token(struct emit *e)
{
	struct sg_token *t = &e->t[e->i];
	const struct text *text = &texts[t->kind];

	if (e->i && e->opened != e->s->out.n) {
		const struct sg_token *last = t - 1;
		bool word = is_wordish(t->kind), before = is_wordish(last->kind);

		if ((word && before) ||
		    (!word && !before && last->end != t->start) ||
		    (before && texts[t->kind].text[0] == '.'))
			put(e, " ", 1);
	}
	t->out = e->pending != UINT32_MAX ? e->pending : e->s->out.n;
	e->pending = UINT32_MAX;
	put(e, text->text, text->len);
}

/* Notes where a token is that writes something else than itself. */
static void
place_token(struct emit *e)
{
	e->t[e->i].out = e->pending != UINT32_MAX ? e->pending : e->s->out.n;
	e->pending = UINT32_MAX;
}

static bool
ends_operand(unsigned kind)
{
	return (kind >= SG_TOK_NAME && kind <= SG_TOK_STRING) ||
	       kind == SG_TOK_STRING_END || kind == SG_TOK_RPAR ||
	       kind == SG_TOK_RSQB || kind == SG_TOK_RBRACE ||
	       kind == SG_TOK_ELLIPSIS || kind == SG_TOK_TRUE ||
	       kind == SG_TOK_FALSE || kind == SG_TOK_NONE;
}

/* --- statements -------------------------------------------------------------- */

static unsigned
kind_at(const struct emit *e, uint32_t i)
{
	return i < e->n ? e->t[i].kind : SG_TOK_NIL;
}

static bool
too_old(struct emit *e, uint32_t minor, const char *what)
{
	return sg_scrub_refuse(e->s, e->t[e->i].start, e->t[e->i].end,
			       "%s needs Python 3.%u", what, (unsigned)minor);
}

/* `with`, `async with`, `match` and `case` become `while`, with a bracket
 * around what follows. */
static bool
begin_while(struct emit *e, enum statement stmt)
{
	e->stmt = stmt;
	place_token(e);
	PUT(e, "while");
	if (e->t[e->i].kind == SG_TOK_ASYNC) {
		e->i++;
		place_token(e);
	}
	e->pending = UINT32_MAX;
	if (stmt == STMT_MATCH)
		PUT_OPEN(e, "(");
	else
		PUT_OPEN(e, "[");
	if (stmt == STMT_WITH)
		e->item_at = e->i + 1;
	e->operand = false;
	return true;
}

static bool
begin_type(struct emit *e)
{
	e->stmt = STMT_TYPE;
	place_token(e);
	PUT(e, "assert ");
	e->operand = false;
	return true;
}

/* `except A, B:` needs a bracket, and Python 3.14. */
static bool
begin_except(struct emit *e)
{
	uint32_t depth = 0, comma = 0, i = e->i + 1;
	bool as = false;

	for (; i < e->n; i++) {
		unsigned kind = e->t[i].kind;

		if (kind == SG_TOK_LPAR || kind == SG_TOK_LSQB ||
		    kind == SG_TOK_LBRACE)
			depth++;
		else if (kind == SG_TOK_RPAR || kind == SG_TOK_RSQB ||
			 kind == SG_TOK_RBRACE)
			depth--;
		else if (depth == 0 && kind == SG_TOK_COLON)
			break;
		else if (depth == 0 && kind == SG_TOK_COMMA)
			comma = i;
		as = as || (depth == 0 && kind == SG_TOK_AS);
	}
	if (comma == 0)
		return true;
	if (as || e->s->minor < 14 || comma + 1 == i)
		return sg_scrub_refuse(e->s, e->t[comma].start,
			e->t[comma].end, "several exception types need "
			"parentheses");
	e->tuple_at = e->i + 1 +
		      (kind_at(e, e->i + 1) == SG_TOK_STAR ? 1 : 0);
	return true;
}

/* The first token of a statement.  *ret_done: it has been written. */
static bool
begin_statement(struct emit *e, uint32_t level, bool *ret_done)
{
	unsigned kind = e->t[e->i].kind, next = kind_at(e, e->i + 1);
	bool case_due = e->s->in_match[level] && e->i == 0;

	e->starts = e->block = e->from = false;
	e->stmt = STMT_PLAIN;
	e->stmt_start = e->i;
	e->conditions = 0;
	e->def = false;
	*ret_done = true;
	if (case_due && kind != SG_TOK_CASE)
		return sg_scrub_refuse(e->s, e->t[0].start, e->t[0].end,
			"only 'case' can stand in the block of a 'match'");
	if (case_due)
		return begin_while(e, STMT_CASE);
	if (kind == SG_TOK_MATCH && e->i == 0 &&
	    kind_at(e, e->n - 1) == SG_TOK_COLON)
		return e->s->minor < 10 ? too_old(e, 10, "'match'") :
					  begin_while(e, STMT_MATCH);
	if (kind == SG_TOK_WITH ||
	    (kind == SG_TOK_ASYNC && next == SG_TOK_WITH))
		return begin_while(e, STMT_WITH);
	if (kind == SG_TOK_TYPE && e->s->minor >= 12 && sg_tok_is_name(next))
		return begin_type(e);
	*ret_done = false;
	switch (kind) {
	case SG_TOK_DEF:
	case SG_TOK_ASYNC:
		e->def = kind == SG_TOK_DEF || next == SG_TOK_DEF;
		__attribute__((fallthrough));
	case SG_TOK_IF: case SG_TOK_ELIF: case SG_TOK_ELSE:
	case SG_TOK_WHILE: case SG_TOK_FOR: case SG_TOK_TRY:
	case SG_TOK_FINALLY: case SG_TOK_CLASS:
		e->stmt = STMT_COMPOUND;
		break;
	case SG_TOK_EXCEPT:
		e->stmt = STMT_COMPOUND;
		return begin_except(e);
	case SG_TOK_IMPORT:
	case SG_TOK_FROM:
		e->stmt = STMT_IMPORT;
		e->from = kind == SG_TOK_FROM;
		break;
	default:
		break;
	}
	return true;
}

/*
 * What a statement's last token may be.  The grammar takes a newline for
 * white space wherever a statement cannot end, so that it would read on.
 */
static bool
ends_statement(unsigned kind)
{
	return ends_operand(kind) || kind == SG_TOK_COMMA ||
	       kind == SG_TOK_STAR || kind == SG_TOK_PASS ||
	       kind == SG_TOK_BREAK || kind == SG_TOK_CONTINUE ||
	       kind == SG_TOK_RETURN || kind == SG_TOK_RAISE ||
	       kind == SG_TOK_YIELD;
}

/* At a semicolon or the end of the line, with e->i there. */
static bool
end_statement(struct emit *e)
{
	unsigned last = e->i ? e->t[e->i - 1].kind : SG_TOK_NIL;

	while (top(e) == OPEN_STAR || top(e) == OPEN_TYPE ||
	       top(e) == OPEN_AWAIT || top(e) == OPEN_WALRUS)
		if (!pop(e))
			return false;
	if (e->s->nopen || e->conditions || e->from)
		return refuse(e);
	if (!e->block && !ends_statement(last) &&
	    !(last == SG_TOK_SEMI && e->starts && e->i == e->n))
		return refuse(e);
	if (e->stmt == STMT_IMPORT && e->i &&
	    e->t[e->i - 1].kind == SG_TOK_COMMA)
		return sg_scrub_refuse(e->s, e->t[e->i - 1].start,
			e->t[e->i - 1].end, "a comma at the end needs "
			"parentheses around the names");
	if (e->stmt == STMT_TYPE && e->opened == e->s->out.n)
		return refuse(e);
	if (e->stmt != STMT_PLAIN && e->stmt != STMT_TYPE &&
	    e->stmt != STMT_IMPORT && !e->starts)
		return sg_scrub_refuse(e->s, e->t[e->n - 1].end,
			e->t[e->n - 1].end, "expected ':'");
	return true;
}

/* --- tokens ------------------------------------------------------------------ */

static bool
emit_star(struct emit *e)
{
	unsigned last = e->i ? e->t[e->i - 1].kind : SG_TOK_NIL;

	if (e->operand || top(e) == OPEN_PARAMS || top(e) == OPEN_LAMBDA ||
	    last == SG_TOK_EXCEPT || last == SG_TOK_IMPORT) {
		put_token(e);
		return true;
	}
	if (top(e) == OPEN_TYPES) {
		place_token(e);
		return true;
	}
	if (e->t[e->i].kind == SG_TOK_DOUBLESTAR) {
		put_token(e);
		return true;
	}
	if (e->i && is_wordish(last) && e->opened != e->s->out.n)
		PUT(e, " ");
	place_token(e);
	PUT(e, "S[");
	e->opened = e->s->out.n;
	return push(e, OPEN_STAR);
}

/* A bound or default of a type parameter, or the end of one. */
static bool
emit_types_mark(struct emit *e, unsigned kind)
{
	struct sg_open *types;

	if (!pop_wraps(e))
		return false;
	types = &e->s->open[e->s->nopen - 1];
	if (types->state == TYPES_START && kind != SG_TOK_RSQB)
		return refuse(e);
	if (kind == SG_TOK_COMMA || kind == SG_TOK_RSQB) {
		if (types->state != TYPES_START)
			PUT(e, ")");
		types->state = TYPES_START;
		put_token(e);
		return true;
	}
	place_token(e);
	if (kind == SG_TOK_COLON && types->state == TYPES_NAME) {
		PUT(e, "b=");
		types->state = TYPES_BOUND;
	} else if (kind == SG_TOK_EQUAL && types->state < TYPES_DEFAULT) {
		if (e->s->minor < 13)
			return too_old(e, 13, "a type parameter's default");
		if (types->state == TYPES_BOUND)
			PUT(e, ",");
		PUT(e, "d=");
		types->state = TYPES_DEFAULT;
	} else {
		return refuse(e);
	}
	PUT_OPEN(e, "(");
	return push(e, OPEN_TYPE);
}

static bool
emit_name(struct emit *e)
{
	put_token(e);
	if (top(e) == OPEN_TYPES) {
		struct sg_open *types = &e->s->open[e->s->nopen - 1];

		if (types->state != TYPES_START)
			return refuse(e);
		types->state = TYPES_NAME;
		PUT(e, "(");
	}
	return true;
}

static bool
is_types_bracket(const struct emit *e)
{
	unsigned before;

	if (e->i < 2 || !sg_tok_is_name(e->t[e->i - 1].kind) || e->s->nopen)
		return false;
	before = e->t[e->i - 2].kind;
	return before == SG_TOK_DEF || before == SG_TOK_CLASS ||
	       (e->stmt == STMT_TYPE && e->i == e->stmt_start + 2);
}

static bool
emit_open(struct emit *e)
{
	enum open_kind kind = OPEN_BRACKET;

	if (e->t[e->i].kind == SG_TOK_LSQB && is_types_bracket(e)) {
		if (e->s->minor < 12)
			return too_old(e, 12, "a type parameter");
		kind = OPEN_TYPES;
	} else if (e->def && e->s->nopen == 0 &&
		   e->t[e->i].kind == SG_TOK_LPAR) {
		kind = OPEN_PARAMS;
		e->def = false;
	}
	put_token(e);
	e->depth++;
	return push(e, kind);
}

static bool
emit_close(struct emit *e)
{
	if (!pop_to_bracket(e) || !room(e))
		return false;
	if (top(e) == OPEN_TYPES) {
		if (!emit_types_mark(e, SG_TOK_RSQB))
			return false;
	} else {
		put_token(e);
	}
	e->s->nopen--;
	e->depth--;
	return true;
}

/* The colon that ends the head of a compound statement. */
static bool
emit_block_colon(struct emit *e)
{
	bool empty = e->opened == e->s->out.n;
	unsigned last = e->i ? e->t[e->i - 1].kind : SG_TOK_NIL;

	while (e->s->nopen && top(e) != OPEN_GUARD)
		if (!pop(e))
			return false;
	if (!room(e))
		return false;
	if (e->stmt >= STMT_WITH) {
		if (empty || (e->stmt == STMT_WITH && last == SG_TOK_COMMA))
			return refuse(e);
		put(e, e->stmt == STMT_MATCH || top(e) == OPEN_GUARD ? ")" :
		    "]", 1);
	}
	e->s->nopen = 0;
	put_token(e);
	e->stmt = STMT_PLAIN;
	e->block = true;
	e->starts = true;
	return true;
}

static bool
emit_colon(struct emit *e)
{
	bool annotation;

	if (!pop_stars(e))
		return false;
	if (top(e) == OPEN_LAMBDA) {
		e->s->nopen--;
		put_token(e);
		return true;
	}
	if (top(e) == OPEN_TYPES)
		return emit_types_mark(e, SG_TOK_COLON);
	if (e->s->nopen == 1 && (top(e) == OPEN_TYPE || top(e) == OPEN_ITEM ||
				 top(e) == OPEN_TUPLE) && !pop(e))
		return false;
	if ((e->s->nopen == 0 || top(e) == OPEN_GUARD) &&
	    e->stmt != STMT_PLAIN)
		return e->conditions == 0 ? emit_block_colon(e) : refuse(e);
	annotation = e->s->nopen == 0 || top(e) == OPEN_PARAMS;
	if (!room(e))
		return false;
	put_token(e);
	if (!annotation)
		return true;
	PUT_OPEN(e, "(");
	return push(e, OPEN_TYPE);
}

static bool
emit_equal(struct emit *e)
{
	if (!pop_wraps(e) || !room(e))
		return false;
	if (top(e) == OPEN_TYPES)
		return emit_types_mark(e, SG_TOK_EQUAL);
	if (e->stmt == STMT_TYPE && e->s->nopen == 0) {
		place_token(e);
		PUT(e, ",");
		PUT_OPEN(e, "(");
		return push(e, OPEN_TYPE);
	}
	put_token(e);
	return true;
}

static bool
emit_comma(struct emit *e)
{
	if (!pop_wraps(e) || !room(e))
		return false;
	if (top(e) == OPEN_TYPES)
		return emit_types_mark(e, SG_TOK_COMMA);
	put_token(e);
	if (e->stmt == STMT_WITH && e->s->nopen == 0)
		e->item_at = e->i + 1;
	return true;
}

static bool
emit_in(struct emit *e)
{
	uint32_t n = e->s->nopen;

	while (n && e->s->open[n - 1].kind == OPEN_STAR)
		n--;
	if (n && e->s->open[n - 1].kind == OPEN_FOR) {
		if (!pop_stars(e) || !room(e))
			return false;
		e->s->nopen--;
	}
	put_token(e);
	return true;
}

static bool
emit_if(struct emit *e)
{
	uint32_t n = e->s->nopen;

	while (n && e->s->open[n - 1].kind == OPEN_STAR)
		n--;
	if (e->stmt != STMT_CASE || n) {
		e->conditions += e->depth == 0 && e->i != e->stmt_start;
		put_token(e);
		return true;
	}
	if (e->opened == e->s->out.n)
		return refuse(e);
	if (!pop_stars(e) || !room(e))
		return false;
	PUT(e, "]");
	place_token(e);
	PUT(e, "and");
	PUT_OPEN(e, "(");
	return push(e, OPEN_GUARD);
}

/* The grammar gives `^` and `&` each other's precedence. */
static bool
emit_swapped(struct emit *e, enum sg_tok other)
{
	uint8_t kind = e->t[e->i].kind;

	e->t[e->i].kind = (uint8_t)other;
	put_token(e);
	e->t[e->i].kind = kind;
	return true;
}

static bool
emit_walrus(struct emit *e)
{
	put_token(e);
	PUT_OPEN(e, "(");
	return push(e, OPEN_WALRUS);
}

static bool
emit_as(struct emit *e)
{
	if (top(e) == OPEN_ITEM && (!pop(e) || !room(e)))
		return false;
	put_token(e);
	return true;
}

/*
 * An item of a with that is more than a primary gets a bracket: the grammar
 * would take `as` into a lambda or a condition.
 */
static bool
begin_item(struct emit *e)
{
	uint32_t depth = 0;
	bool wrap = false;

	for (uint32_t i = e->i; i < e->n; i++) {
		unsigned kind = e->t[i].kind;

		if (kind == SG_TOK_LPAR || kind == SG_TOK_LSQB ||
		    kind == SG_TOK_LBRACE || kind == SG_TOK_FIELD)
			depth++;
		else if (kind == SG_TOK_RPAR || kind == SG_TOK_RSQB ||
			 kind == SG_TOK_RBRACE || kind == SG_TOK_FIELD_END)
			depth--;
		else if (depth)
			continue;
		else if (kind == SG_TOK_COLON || kind == SG_TOK_COMMA ||
			 kind == SG_TOK_AS)
			break;
		else if (kind == SG_TOK_COLONEQUAL || kind == SG_TOK_YIELD ||
			 kind == SG_TOK_FOR ||
			 (kind == SG_TOK_STAR && i == e->i))
			return refuse(e);
		else if (kind != SG_TOK_DOT && !ends_operand(kind))
			wrap = true;
		if (kind == SG_TOK_LAMBDA)
			break;
	}
	if (!wrap)
		return true;
	PUT_OPEN(e, "(");
	return push(e, OPEN_ITEM);
}

static bool
emit_string(struct emit *e)
{
	if (e->s->literals.v[e->t[e->i].aux].nfields == 0) {
		put_token(e);
		return true;
	}
	if (e->i && is_wordish(e->t[e->i - 1].kind))
		PUT(e, " ");
	place_token(e);
	PUT(e, "{");
	return true;
}

static bool
emit_field(struct emit *e)
{
	if (e->t[e->i - 1].kind != SG_TOK_STRING)
		PUT(e, ",");
	put_token(e);
	e->depth++;
	return push(e, OPEN_FIELD);
}

static bool
emit_field_end(struct emit *e)
{
	if (!pop_to_bracket(e) || !room(e))
		return false;
	put_token(e);
	e->s->nopen--;
	e->depth--;
	return true;
}

static bool
emit_arrow(struct emit *e)
{
	put_token(e);
	PUT_OPEN(e, "(");
	return push(e, OPEN_TYPE);
}

static bool
emit_semicolon(struct emit *e)
{
	if (!end_statement(e) || !room(e))
		return false;
	put_token(e);
	e->starts = true;
	return true;
}

/* The grammar lets `await` take a power as its operand; CPython does not. */
static bool
emit_await(struct emit *e)
{
	unsigned next = kind_at(e, e->i + 1);

	if (!ends_operand(next) && next != SG_TOK_LPAR &&
	    next != SG_TOK_LSQB && next != SG_TOK_LBRACE) {
		e->i++;
		return refuse(e);
	}
	if (e->i && is_wordish(e->t[e->i - 1].kind))
		PUT(e, " ");
	PUT_OPEN(e, "(");
	put_token(e);
	return push(e, OPEN_AWAIT);
}

static bool
end_awaits(struct emit *e, unsigned kind)
{
	if (!e->operand || kind == SG_TOK_DOT || kind == SG_TOK_LPAR ||
	    kind == SG_TOK_LSQB)
		return true;
	while (top(e) == OPEN_AWAIT)
		if (!pop(e))
			return false;
	return room(e);
}

static bool
emit_token(struct emit *e)
{
	unsigned kind = e->t[e->i].kind;

	if (top(e) == OPEN_AWAIT && !end_awaits(e, kind))
		return false;
	switch (kind) {
	case SG_TOK_AWAIT:
		return emit_await(e);
	case SG_TOK_NAME: case SG_TOK_MATCH: case SG_TOK_CASE:
	case SG_TOK_TYPE:
		return emit_name(e);
	case SG_TOK_STRING:
		return emit_string(e);
	case SG_TOK_FIELD:
		return emit_field(e);
	case SG_TOK_FIELD_END:
		return emit_field_end(e);
	case SG_TOK_STAR: case SG_TOK_DOUBLESTAR:
		return emit_star(e);
	case SG_TOK_LPAR: case SG_TOK_LSQB: case SG_TOK_LBRACE:
		return emit_open(e);
	case SG_TOK_RPAR: case SG_TOK_RSQB: case SG_TOK_RBRACE:
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
			return refuse(e);
		put_token(e);
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
		put_token(e);
		return true;
	case SG_TOK_LAMBDA:
		put_token(e);
		return push(e, OPEN_LAMBDA);
	case SG_TOK_FOR:
		if (!pop_stars(e) || !room(e))
			return false;
		put_token(e);
		return push(e, OPEN_FOR);
	default:
		if (kind >= SG_TOK_PLUSEQUAL && !pop_stars(e))
			return false;
		if (!room(e))
			return false;
		put_token(e);
		return true;
	}
}

bool
sg_scrub_emit_line(struct sg_scrub *s, uint32_t level)
{
	struct emit e = {
		.s = s, .t = s->tokens.v + s->line_token,
		.n = s->tokens.n - s->line_token, .pending = UINT32_MAX,
		.opened = UINT32_MAX, .tuple_at = UINT32_MAX,
		.item_at = UINT32_MAX, .starts = true
	};
	bool done, match = false;

	if (!SG_VEC_ROOM(&s->out, SG_MAX_INDENT + ROOM, MAX_OUT)) {
		s->refused_memory = true;
		return false;
	}
	s->nopen = 0;
	memset(s->out.v + s->out.n, ' ', level);
	s->out.n += level;
	for (; e.i < e.n; e.i++) {
		done = false;
		if (!room(&e))
			return false;
		if (e.starts && !begin_statement(&e, level, &done))
			return false;
		match = match || e.stmt == STMT_MATCH;
		if (done)
			continue;
		if (e.i == e.tuple_at) {
			PUT_OPEN(&e, "(");
			if (!push(&e, OPEN_TUPLE))
				return false;
		}
		if (e.i == e.item_at && !begin_item(&e))
			return false;
		if (!emit_token(&e))
			return false;
		e.operand = ends_operand(e.t[e.i].kind);
	}
	if (!end_statement(&e) || !room(&e))
		return false;
	PUT(&e, "\n");
	s->block_due = e.block;
	s->in_match[level + 1] = match;
	return true;
}
