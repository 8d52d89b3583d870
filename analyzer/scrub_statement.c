#include "analyzer/scrub_emit.h"

#include "base/vec.h"

/* Statements: which they are, what opens with them and ends with them. */

bool
sg_emit_too_old(struct sg_emit *e, uint32_t minor, const char *what)
{
	return sg_scrub_refuse(e->s, e->t[e->i].start, e->t[e->i].end,
			       "%s needs Python 3.%u", what, (unsigned)minor);
}

/* `with`, `async with`, `match` and `case` become `while`, with a bracket
 * around what follows. */
static bool
begin_while(struct sg_emit *e, enum sg_statement stmt)
{
	e->stmt = stmt;
	sg_emit_place(e);
	SG_EMIT_PUT(e, "while");
	if (e->t[e->i].kind == SG_TOK_ASYNC) {
		e->i++;
		sg_emit_place(e);
	}
	e->pending = UINT32_MAX;
	if (stmt == SG_STMT_MATCH)
		SG_EMIT_OPEN(e, "(");
	else
		SG_EMIT_OPEN(e, "[");
	if (stmt == SG_STMT_WITH)
		e->item_at = e->i + 1;
	e->operand = false;
	return true;
}

static bool
begin_type(struct sg_emit *e)
{
	e->stmt = SG_STMT_TYPE;
	e->value = false;
	sg_emit_place(e);
	SG_EMIT_PUT(e, "assert");
	e->operand = false;
	return true;
}

/* `except A, B:` needs a bracket, and Python 3.14. */
static bool
begin_except(struct sg_emit *e)
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
	if (as || e->s->minor < 14)
		return sg_scrub_refuse(e->s, e->t[e->i + 1].start,
				       e->t[i - 1].end,
				       "several exception types need "
				       "parentheses; a name comes after 'as'");
	e->tuple_at = e->i + 1 +
		      (sg_emit_kind(e, e->i + 1) == SG_TOK_STAR ? 1 : 0);
	return true;
}

/* The first token of a statement.  *ret_done: it has been written. */
bool
sg_emit_begin_statement(struct sg_emit *e, uint32_t level, bool *ret_done)
{
	unsigned kind = e->t[e->i].kind, next = sg_emit_kind(e, e->i + 1);
	bool case_due = e->s->in_match[level] && e->i == 0;

	e->starts = e->block = e->from = false;
	e->stmt = SG_STMT_PLAIN;
	e->stmt_start = e->i;
	e->conditions = 0;
	e->def = false;
	*ret_done = true;
	if (case_due && kind != SG_TOK_CASE)
		return sg_scrub_refuse(
			e->s, e->t[0].start, e->t[0].end,
			"only 'case' can stand in the block of a 'match'");
	if (case_due)
		return begin_while(e, SG_STMT_CASE);
	if (kind == SG_TOK_MATCH && e->i == 0 &&
	    sg_emit_kind(e, e->n - 1) == SG_TOK_COLON)
		return e->s->minor < 10 ? sg_emit_too_old(e, 10, "'match'")
					: begin_while(e, SG_STMT_MATCH);
	if (kind == SG_TOK_WITH ||
	    (kind == SG_TOK_ASYNC && next == SG_TOK_WITH))
		return begin_while(e, SG_STMT_WITH);
	if (kind == SG_TOK_TYPE && e->s->minor >= 12 && sg_tok_is_name(next))
		return begin_type(e);
	*ret_done = false;
	switch (kind) {
	case SG_TOK_DEF:
	case SG_TOK_ASYNC:
		e->def = kind == SG_TOK_DEF || next == SG_TOK_DEF;
		__attribute__((fallthrough));
	case SG_TOK_IF:
	case SG_TOK_ELIF:
	case SG_TOK_ELSE:
	case SG_TOK_WHILE:
	case SG_TOK_FOR:
	case SG_TOK_TRY:
	case SG_TOK_FINALLY:
	case SG_TOK_CLASS:
		e->stmt = SG_STMT_COMPOUND;
		break;
	case SG_TOK_EXCEPT:
		e->stmt = SG_STMT_COMPOUND;
		return begin_except(e);
	case SG_TOK_IMPORT:
	case SG_TOK_FROM:
		e->stmt = SG_STMT_IMPORT;
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
	return sg_emit_ends_operand(kind) || kind == SG_TOK_COMMA ||
	       kind == SG_TOK_STAR || kind == SG_TOK_PASS ||
	       kind == SG_TOK_BREAK || kind == SG_TOK_CONTINUE ||
	       kind == SG_TOK_RETURN || kind == SG_TOK_RAISE ||
	       kind == SG_TOK_YIELD;
}

/* At a semicolon or the end of the line, with e->i there. */
bool
sg_emit_end_statement(struct sg_emit *e)
{
	unsigned last = e->i ? e->t[e->i - 1].kind : SG_TOK_NIL;

	while (sg_emit_top(e) == SG_OPEN_STAR ||
	       sg_emit_top(e) == SG_OPEN_TYPE ||
	       sg_emit_top(e) == SG_OPEN_AWAIT ||
	       sg_emit_top(e) == SG_OPEN_WALRUS)
		if (!sg_emit_pop(e))
			return false;
	if (e->s->nopen || e->conditions || e->from)
		return sg_emit_refuse(e);
	if (!e->block && !ends_statement(last) &&
	    !(last == SG_TOK_SEMI && e->starts && e->i == e->n))
		return sg_emit_refuse(e);
	if (e->stmt == SG_STMT_IMPORT && e->i &&
	    e->t[e->i - 1].kind == SG_TOK_COMMA)
		return sg_scrub_refuse(e->s, e->t[e->i - 1].start,
				       e->t[e->i - 1].end,
				       "a comma at the end needs "
				       "parentheses around the names");
	if (e->stmt == SG_STMT_TYPE && (!e->value || e->opened == e->s->out.n))
		return sg_emit_refuse(e);
	if (e->stmt != SG_STMT_PLAIN && e->stmt != SG_STMT_TYPE &&
	    e->stmt != SG_STMT_IMPORT && !e->starts)
		return sg_scrub_refuse(e->s, e->t[e->n - 1].end,
				       e->t[e->n - 1].end, "expected ':'");
	return true;
}

/* After `-> T:` the grammar takes what follows on the line for more of the
 * type, so that the body gets a line of its own. */
static bool
break_line(struct sg_emit *e)
{
	if (!SG_VEC_ROOM(&e->s->out, SG_MAX_INDENT + SG_EMIT_ROOM,
			 SG_MAX_SKELETON)) {
		e->s->refused_memory = true;
		return false;
	}
	SG_EMIT_PUT(e, "\n");
	memset(e->s->out.v + e->s->out.n, ' ', e->level + 1);
	e->s->out.n += e->level + 1;
	e->opened = e->s->out.n;
	return true;
}

/* The colon that ends the head of a compound statement. */
bool
sg_emit_block_colon(struct sg_emit *e)
{
	bool empty = e->opened == e->s->out.n;
	unsigned last = e->i ? e->t[e->i - 1].kind : SG_TOK_NIL;

	while (e->s->nopen && sg_emit_top(e) != SG_OPEN_GUARD)
		if (!sg_emit_pop(e))
			return false;
	if (!sg_emit_room(e))
		return false;
	if (e->stmt >= SG_STMT_WITH) {
		if (empty || (e->stmt == SG_STMT_WITH && last == SG_TOK_COMMA))
			return sg_emit_refuse(e);
		sg_emit_put(e,
			    e->stmt == SG_STMT_MATCH ||
					    sg_emit_top(e) == SG_OPEN_GUARD
				    ? ")"
				    : "]",
			    1);
	}
	e->s->nopen = 0;
	sg_emit_token(e);
	e->stmt = SG_STMT_PLAIN;
	e->block = true;
	e->starts = true;
	return !e->arrow || e->i + 1 == e->n || break_line(e);
}

/*
 * An item of a with that is more than a primary gets a bracket: the grammar
 * would take `as` into a lambda or a condition.
 */
bool
sg_emit_begin_item(struct sg_emit *e)
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
			return sg_emit_refuse(e);
		else if (kind != SG_TOK_DOT && !sg_emit_ends_operand(kind))
			wrap = true;
		if (kind == SG_TOK_LAMBDA)
			break;
	}
	if (!wrap)
		return true;
	SG_EMIT_OPEN(e, "(");
	return sg_emit_push(e, SG_OPEN_ITEM);
}
