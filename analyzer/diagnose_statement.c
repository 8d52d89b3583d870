#include "analyzer/diagnose.h"

/* Statements, one logical line at a time. */

/* --- simple statements -------------------------------------------------------------- */

static bool
at_end(const struct sg_diag *d)
{
	return d->i == d->end || d->t[d->i].kind == SG_TOK_SEMI;
}

static bool
read_dotted(struct sg_diag *d)
{
	do {
		if (!sg_diag_name(d))
			return false;
	} while (sg_diag_take(d, SG_TOK_DOT));
	return true;
}

static bool
read_as(struct sg_diag *d)
{
	return !sg_diag_take(d, SG_TOK_AS) || sg_diag_name(d);
}

static bool
read_import(struct sg_diag *d)
{
	uint32_t at = d->i++;

	do {
		if (!read_dotted(d) || !read_as(d))
			return false;
	} while (sg_diag_take(d, SG_TOK_COMMA));
	if (sg_diag_peek(d, 0) == SG_TOK_FROM)
		return sg_diag_fail_at(d, at,
				       "write 'from MODULE import NAME'");
	return true;
}

static bool
read_from(struct sg_diag *d)
{
	bool paren;

	d->i++;
	while (sg_diag_take(d, SG_TOK_DOT) || sg_diag_take(d, SG_TOK_ELLIPSIS))
		;
	if (sg_diag_peek(d, 0) != SG_TOK_IMPORT && !read_dotted(d))
		return false;
	if (!sg_diag_take(d, SG_TOK_IMPORT))
		return sg_diag_fail(d);
	if (sg_diag_take(d, SG_TOK_STAR))
		return true;
	paren = sg_diag_take(d, SG_TOK_LPAR);
	do {
		if (paren && sg_diag_peek(d, 0) == SG_TOK_RPAR)
			break;
		if (!sg_diag_name(d) || !read_as(d))
			return false;
	} while (sg_diag_take(d, SG_TOK_COMMA));
	return !paren || sg_diag_take(d, SG_TOK_RPAR) || sg_diag_fail(d);
}

static bool
read_names(struct sg_diag *d)
{
	d->i++;
	do {
		if (!sg_diag_name(d))
			return false;
	} while (sg_diag_take(d, SG_TOK_COMMA));
	return true;
}

/* `print x`, as Python 2 has it. */
static bool
is_print(const struct sg_diag *d)
{
	const struct sg_token *t = &d->t[d->i];
	struct sg_str name = { d->s->text + t->start, t->end - t->start };

	return t->kind == SG_TOK_NAME &&
	       (sg_str_eq(name, SG_STR("print")) ||
		sg_str_eq(name, SG_STR("exec"))) &&
	       sg_diag_starts_operand(sg_diag_peek(d, 1));
}

static bool
read_assigned(struct sg_diag *d, struct sg_diag_value *v)
{
	while (sg_diag_take(d, SG_TOK_EQUAL))
		if (!sg_diag_target(d, v) || !sg_diag_list(d, v))
			return false;
	return true;
}

static bool
read_expression(struct sg_diag *d)
{
	struct sg_diag_value v = { 0 };

	if (is_print(d))
		return sg_diag_fail_at(d, d->i,
				       d->t[d->i].end - d->t[d->i].start == 5
					       ? "print is a function: write "
						 "print(...)"
					       : "exec is a function: write "
						 "exec(...)");
	if (!sg_diag_list(d, &v))
		return false;
	if (sg_diag_peek(d, 0) == SG_TOK_EQUAL)
		return read_assigned(d, &v);
	if (sg_diag_peek(d, 0) >= SG_TOK_PLUSEQUAL) {
		if (v.kind > SG_DIAG_ITEM)
			return sg_diag_fail_at(d, v.tok0,
					       "only a name, an attribute or "
					       "an item can be changed so");
		d->i++;
		return sg_diag_list(d, &v);
	}
	if (sg_diag_peek(d, 0) != SG_TOK_COLON || v.kind > SG_DIAG_ITEM)
		return true;
	d->i++;
	if (!sg_diag_test(d, &v))
		return false;
	return !sg_diag_take(d, SG_TOK_EQUAL) || sg_diag_list(d, &v);
}

static bool
read_raise(struct sg_diag *d)
{
	struct sg_diag_value v = { 0 };

	d->i++;
	if (at_end(d))
		return true;
	return sg_diag_test(d, &v) &&
	       (!sg_diag_take(d, SG_TOK_FROM) || sg_diag_test(d, &v));
}

static bool
read_assert(struct sg_diag *d)
{
	struct sg_diag_value v = { 0 };

	d->i++;
	return sg_diag_test(d, &v) &&
	       (!sg_diag_take(d, SG_TOK_COMMA) || sg_diag_test(d, &v));
}

/* Type parameters are passed over. */
static void
skip_types(struct sg_diag *d)
{
	int open = 0;

	if (sg_diag_peek(d, 0) != SG_TOK_LSQB)
		return;
	do {
		open += sg_diag_opens(d, &d->t[d->i++]);
	} while (open > 0 && d->i < d->end);
}

/* `type X[T] = Y` */
static bool
read_type(struct sg_diag *d)
{
	struct sg_diag_value v = { 0 };

	d->i += 2;
	skip_types(d);
	if (!sg_diag_take(d, SG_TOK_EQUAL))
		return sg_diag_fail(d);
	return sg_diag_test(d, &v);
}

static bool
read_simple(struct sg_diag *d)
{
	struct sg_diag_value v = { 0 };

	switch (sg_diag_peek(d, 0)) {
	case SG_TOK_PASS:
	case SG_TOK_BREAK:
	case SG_TOK_CONTINUE:
		d->i++;
		return true;
	case SG_TOK_RETURN:
		d->i++;
		return at_end(d) || sg_diag_list(d, &v);
	case SG_TOK_RAISE:
		return read_raise(d);
	case SG_TOK_DEL:
		d->i++;
		return sg_diag_list(d, &v);
	case SG_TOK_ASSERT:
		return read_assert(d);
	case SG_TOK_IMPORT:
		return read_import(d);
	case SG_TOK_FROM:
		return read_from(d);
	case SG_TOK_GLOBAL:
	case SG_TOK_NONLOCAL:
		return read_names(d);
	case SG_TOK_TYPE:
		if (d->s->minor >= 12 && sg_tok_is_name(sg_diag_peek(d, 1)))
			return read_type(d);
		return read_expression(d);
	default:
		return read_expression(d);
	}
}

/* Simple statements up to the end of the line. */
static bool
read_simples(struct sg_diag *d)
{
	do {
		if (d->i == d->end)
			return true;
		if (!read_simple(d))
			return false;
	} while (sg_diag_take(d, SG_TOK_SEMI));
	return d->i == d->end || sg_diag_fail(d);
}

/* --- compound statements ------------------------------------------------------------- */

/* The colon that ends a head, and what stands after it. */
static bool
read_colon(struct sg_diag *d)
{
	if (d->i == d->end)
		return sg_diag_fail_at(d, d->i, "a ':' is missing");
	if (!sg_diag_take(d, SG_TOK_COLON))
		return sg_diag_fail(d);
	return read_simples(d);
}

static bool
read_condition(struct sg_diag *d)
{
	struct sg_diag_value v = { 0 };

	d->i++;
	return sg_diag_named(d, &v) && read_colon(d);
}

static bool
read_word(struct sg_diag *d)
{
	if (sg_diag_peek(d, 0) == SG_TOK_ELSE &&
	    sg_diag_peek(d, 1) == SG_TOK_IF)
		return sg_diag_fail_at(d, d->i, "write 'elif' for 'else if'");
	d->i++;
	if (sg_diag_peek(d, 0) != SG_TOK_COLON)
		return sg_diag_fail_at(d, d->i, "a ':' is missing");
	return read_colon(d);
}

static bool
read_for(struct sg_diag *d)
{
	struct sg_diag_value v = { 0 };

	d->i++;
	if (!sg_diag_targets(d, false))
		return false;
	if (!sg_diag_take(d, SG_TOK_IN))
		return sg_diag_fail(d);
	return sg_diag_list(d, &v) && read_colon(d);
}

static bool
read_items(struct sg_diag *d, unsigned end)
{
	struct sg_diag_value v = { 0 };

	do {
		if (sg_diag_peek(d, 0) == end && end == SG_TOK_RPAR)
			break;
		if (!sg_diag_test(d, &v))
			return false;
		if (sg_diag_take(d, SG_TOK_AS) && !sg_diag_targets(d, true))
			return false;
	} while (sg_diag_take(d, SG_TOK_COMMA));
	return true;
}

/* Whether the bracket at d->i is closed just before the colon. */
static bool
holds_all(const struct sg_diag *d)
{
	int open = 0;
	uint32_t i = d->i;

	do {
		open += sg_diag_opens(d, &d->t[i++]);
	} while (open > 0 && i < d->end);
	return i < d->end && d->t[i].kind == SG_TOK_COLON;
}

static bool
read_with(struct sg_diag *d)
{
	d->i++;
	if (sg_diag_peek(d, 0) == SG_TOK_LPAR && holds_all(d)) {
		d->i++;
		d->brackets++;
		if (!read_items(d, SG_TOK_RPAR))
			return false;
		if (!sg_diag_take(d, SG_TOK_RPAR))
			return sg_diag_fail(d);
		d->brackets--;
	} else if (!read_items(d, SG_TOK_COLON)) {
		return false;
	}
	return read_colon(d);
}

static bool
read_def(struct sg_diag *d)
{
	struct sg_diag_value v = { 0 };

	d->i++;
	if (!sg_diag_name(d))
		return false;
	skip_types(d);
	if (sg_diag_peek(d, 0) != SG_TOK_LPAR)
		return sg_diag_fail_at(d, d->i,
				       "a '(' is missing: a function has a "
				       "list of parameters");
	d->i++;
	d->brackets++;
	if (!sg_diag_parameters(d, SG_TOK_RPAR))
		return false;
	d->i++;
	d->brackets--;
	if (sg_diag_take(d, SG_TOK_RARROW) && !sg_diag_test(d, &v))
		return false;
	return read_colon(d);
}

static bool
read_class(struct sg_diag *d)
{
	d->i++;
	if (!sg_diag_name(d))
		return false;
	skip_types(d);
	if (sg_diag_peek(d, 0) == SG_TOK_LPAR && !sg_diag_arguments(d))
		return false;
	return read_colon(d);
}

static bool
read_except(struct sg_diag *d)
{
	struct sg_diag_value v = { 0 };

	d->i++;
	sg_diag_take(d, SG_TOK_STAR);
	if (sg_diag_peek(d, 0) == SG_TOK_COLON || d->i == d->end)
		return read_colon(d);
	return sg_diag_list(d, &v) && read_as(d) && read_colon(d);
}

static bool
read_decorator(struct sg_diag *d)
{
	struct sg_diag_value v = { 0 };
	unsigned next = SG_TOK_NIL;

	d->i++;
	if (!sg_diag_named(d, &v))
		return false;
	if (d->i < d->end)
		return sg_diag_fail(d);
	if (d->i < d->n)
		next = d->t[d->i].kind;
	if (next == SG_TOK_DEF || next == SG_TOK_CLASS ||
	    next == SG_TOK_ASYNC || next == SG_TOK_AT)
		return true;
	d->end = d->i + (d->i < d->n);
	return sg_diag_fail_at(d, d->i,
			       "a function or class must follow a decorator");
}

static bool
read_match(struct sg_diag *d)
{
	struct sg_diag_value v = { 0 };
	unsigned next = sg_diag_peek(d, 1);
	bool colon = d->t[d->end - 1].kind == SG_TOK_COLON;

	if (!colon && !sg_diag_starts_operand(next))
		return read_simples(d);
	d->i++;
	do {
		if (sg_diag_peek(d, 0) == SG_TOK_COLON)
			break;
		sg_diag_take(d, SG_TOK_STAR);
		if (!sg_diag_named(d, &v))
			return false;
	} while (sg_diag_take(d, SG_TOK_COMMA));
	return read_colon(d);
}

/* --- lines ------------------------------------------------------------------------ */

bool
sg_diag_line(struct sg_diag *d)
{
	if (sg_diag_peek(d, 0) == SG_TOK_ASYNC) {
		unsigned next = sg_diag_peek(d, 1);

		d->i++;
		if (next != SG_TOK_DEF && next != SG_TOK_FOR &&
		    next != SG_TOK_WITH)
			return sg_diag_fail_at(d, d->i,
					       "'def', 'for' or 'with' must "
					       "follow 'async'");
	}
	switch (sg_diag_peek(d, 0)) {
	case SG_TOK_IF:
	case SG_TOK_ELIF:
	case SG_TOK_WHILE:
		return read_condition(d);
	case SG_TOK_ELSE:
	case SG_TOK_TRY:
	case SG_TOK_FINALLY:
		return read_word(d);
	case SG_TOK_FOR:
		return read_for(d);
	case SG_TOK_WITH:
		return read_with(d);
	case SG_TOK_DEF:
		return read_def(d);
	case SG_TOK_CLASS:
		return read_class(d);
	case SG_TOK_EXCEPT:
		return read_except(d);
	case SG_TOK_AT:
		return read_decorator(d);
	case SG_TOK_MATCH:
		return read_match(d);
	case SG_TOK_CASE:
		/* Patterns are left to others. */
		if (d->t[d->end - 1].kind == SG_TOK_COLON ||
		    sg_diag_starts_operand(sg_diag_peek(d, 1)))
			return true;
		return read_simples(d);
	default:
		return read_simples(d);
	}
}
