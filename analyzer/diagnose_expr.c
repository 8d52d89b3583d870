#include "analyzer/diagnose.h"

/*
 * Expressions.  Precedence is of no matter here but in two places: what may
 * begin an operand after which operator, and what ends one.
 *
 * Reading goes down by calls; beyond MAX_DEPTH of them the diagnosis is
 * given up.
 */

enum { MAX_DEPTH = 250 };

static bool
enter(struct sg_diag *d)
{
	if (++d->depth <= MAX_DEPTH)
		return true;
	return sg_diag_give_up(d);
}

struct sg_diag_value
sg_diag_value_of(enum sg_diag_kind kind, uint32_t tok0)
{
	bool never = kind >= SG_DIAG_CALL;

	return (struct sg_diag_value){ .tok0 = tok0,
				       .bad_at = tok0,
				       .kind = (uint8_t)kind,
				       .bad = never ? (uint8_t)kind : 0 };
}

bool
sg_diag_starts_operand(unsigned kind)
{
	return (kind >= SG_TOK_NAME && kind <= SG_TOK_STRING) ||
	       kind == SG_TOK_FALSE || kind == SG_TOK_NONE ||
	       kind == SG_TOK_TRUE || kind == SG_TOK_ELLIPSIS ||
	       kind == SG_TOK_LBRACE || kind == SG_TOK_LAMBDA ||
	       kind == SG_TOK_AWAIT || kind == SG_TOK_NOT ||
	       kind == SG_TOK_TILDE;
}

bool
sg_diag_name(struct sg_diag *d)
{
	unsigned kind = sg_diag_peek(d, 0);

	if (sg_tok_is_name(kind)) {
		d->i++;
		return true;
	}
	if (sg_tok_is_keyword(kind))
		return sg_diag_fail_at(d, d->i, "a keyword cannot be a name");
	return sg_diag_fail(d);
}

bool
sg_diag_target(struct sg_diag *d, const struct sg_diag_value *v)
{
	static const char *const messages[SG_DIAG_KINDS] = {
		[SG_DIAG_CALL] = "cannot assign to a call",
		[SG_DIAG_LITERAL] = "cannot assign to a literal",
		[SG_DIAG_FSTRING] = "cannot assign to an f-string",
		[SG_DIAG_CONSTANT] = "cannot assign to a constant",
		[SG_DIAG_OPERATION] = "cannot assign to an operation",
		[SG_DIAG_COMPARISON] = "cannot assign to a comparison",
		[SG_DIAG_LAMBDA] = "cannot assign to a lambda",
		[SG_DIAG_CONDITION] = "cannot assign to an if-else",
		[SG_DIAG_COMPREHENSION] = "cannot assign to a comprehension",
		[SG_DIAG_DISPLAY] = "cannot assign to a dictionary or set",
		[SG_DIAG_AWAIT] = "cannot assign to an await",
		[SG_DIAG_YIELD] = "cannot assign to a yield",
		[SG_DIAG_WALRUS] = "cannot assign to a named expression",
	};

	return !v->bad || sg_diag_fail_at(d, v->bad_at, messages[v->bad]);
}

/* --- operands -------------------------------------------------------------------- */

/* A string, and the fields of one that has some. */
static bool
read_string(struct sg_diag *d, struct sg_diag_value *ret)
{
	const struct sg_token *t = &d->t[d->i];
	struct sg_diag_value v = { 0 };

	*ret = sg_diag_value_of(SG_DIAG_LITERAL, d->i++);
	if (d->s->literals.v[t->aux].nfields == 0)
		return true;
	*ret = sg_diag_value_of(SG_DIAG_FSTRING, ret->tok0);
	while (sg_diag_take(d, SG_TOK_FIELD)) {
		d->brackets++;
		if (!sg_diag_list(d, &v) || !sg_diag_check_comma(d, &v) ||
		    !sg_diag_close(d, SG_TOK_FIELD_END))
			return false;
	}
	return sg_diag_take(d, SG_TOK_STRING_END) || sg_diag_fail(d);
}

static bool
read_atom(struct sg_diag *d, struct sg_diag_value *ret)
{
	switch (sg_diag_peek(d, 0)) {
	case SG_TOK_NAME:
	case SG_TOK_MATCH:
	case SG_TOK_CASE:
	case SG_TOK_TYPE:
		*ret = sg_diag_value_of(SG_DIAG_NAME, d->i++);
		return true;
	case SG_TOK_NUMBER:
		*ret = sg_diag_value_of(SG_DIAG_LITERAL, d->i++);
		return true;
	case SG_TOK_TRUE:
	case SG_TOK_FALSE:
	case SG_TOK_NONE:
	case SG_TOK_ELLIPSIS:
		*ret = sg_diag_value_of(SG_DIAG_CONSTANT, d->i++);
		return true;
	case SG_TOK_STRING:
		return read_string(d, ret);
	case SG_TOK_LPAR:
		return sg_diag_paren(d, ret);
	case SG_TOK_LSQB:
		return sg_diag_square(d, ret);
	case SG_TOK_LBRACE:
		return sg_diag_brace(d, ret);
	default:
		return sg_diag_fail(d);
	}
}

static bool
read_operand(struct sg_diag *d, struct sg_diag_value *ret)
{
	uint32_t at = d->i;
	bool waits = sg_diag_take(d, SG_TOK_AWAIT);

	if (!read_atom(d, ret))
		return false;
	for (;;) {
		unsigned kind = sg_diag_peek(d, 0);

		if (kind == SG_TOK_DOT) {
			d->i++;
			if (!sg_diag_name(d))
				return false;
			*ret = sg_diag_value_of(SG_DIAG_ATTRIBUTE, at);
		} else if (kind == SG_TOK_LPAR) {
			if (!sg_diag_arguments(d))
				return false;
			*ret = sg_diag_value_of(SG_DIAG_CALL, at);
		} else if (kind == SG_TOK_LSQB) {
			if (!sg_diag_item(d))
				return false;
			*ret = sg_diag_value_of(SG_DIAG_ITEM, at);
		} else {
			break;
		}
	}
	if (waits)
		*ret = sg_diag_value_of(SG_DIAG_AWAIT, at);
	return true;
}

/* The operator at d->i, which is taken: what it makes of its operands; 0 when
 * there is none.  *ret_not: its operand may begin with `not`. */
static enum sg_diag_kind
take_operator(struct sg_diag *d, bool compare, bool *ret_not)
{
	unsigned kind = sg_diag_peek(d, 0);

	*ret_not = false;
	if (compare && (kind == SG_TOK_AND || kind == SG_TOK_OR)) {
		d->i++;
		*ret_not = true;
		return SG_DIAG_OPERATION;
	}
	if (compare &&
	    (kind == SG_TOK_IN || kind == SG_TOK_IS ||
	     (kind >= SG_TOK_EQEQUAL && kind <= SG_TOK_GREATEREQUAL) ||
	     kind == SG_TOK_LESS || kind == SG_TOK_GREATER)) {
		d->i++;
		if (kind == SG_TOK_IS)
			sg_diag_take(d, SG_TOK_NOT);
		return SG_DIAG_COMPARISON;
	}
	if (compare && kind == SG_TOK_NOT && sg_diag_peek(d, 1) == SG_TOK_IN) {
		d->i += 2;
		return SG_DIAG_COMPARISON;
	}
	if ((kind >= SG_TOK_PLUS && kind <= SG_TOK_CIRCUMFLEX) ||
	    (kind >= SG_TOK_LEFTSHIFT && kind <= SG_TOK_DOUBLESLASH)) {
		d->i++;
		return SG_DIAG_OPERATION;
	}
	return 0;
}

/* Operands and operators; `compare`: with those that bind less than `|`. */
bool
sg_diag_operation(struct sg_diag *d, bool compare, struct sg_diag_value *ret)
{
	uint32_t at = d->i;
	enum sg_diag_kind kind = 0, op;
	bool nots = compare;

	for (;;) {
		unsigned next = sg_diag_peek(d, 0);

		while ((nots && next == SG_TOK_NOT) || next == SG_TOK_PLUS ||
		       next == SG_TOK_MINUS || next == SG_TOK_TILDE) {
			nots = nots && next == SG_TOK_NOT;
			kind = SG_DIAG_OPERATION;
			d->i++;
			next = sg_diag_peek(d, 0);
		}
		if (!read_operand(d, ret))
			return false;
		op = take_operator(d, compare, &nots);
		if (!op)
			break;
		kind = op;
	}
	if (kind)
		*ret = sg_diag_value_of(kind, at);
	return true;
}

static bool
read_lambda(struct sg_diag *d, struct sg_diag_value *ret)
{
	uint32_t at = d->i++;

	if (!sg_diag_parameters(d, SG_TOK_COLON))
		return false;
	d->i++;
	if (!sg_diag_test(d, ret))
		return false;
	*ret = sg_diag_value_of(SG_DIAG_LAMBDA, at);
	return true;
}

static bool
read_test(struct sg_diag *d, struct sg_diag_value *ret)
{
	uint32_t at = d->i;

	if (sg_diag_peek(d, 0) == SG_TOK_LAMBDA)
		return read_lambda(d, ret);
	if (!sg_diag_operation(d, true, ret))
		return false;
	if (!sg_diag_take(d, SG_TOK_IF))
		return true;
	if (!sg_diag_operation(d, true, ret))
		return false;
	if (!sg_diag_take(d, SG_TOK_ELSE))
		return sg_diag_peek(d, 0) == SG_TOK_COLON
			       ? sg_diag_fail(d)
			       : sg_diag_fail_at(d, at,
						 "an 'if' within an expression "
						 "needs an 'else'");
	if (!sg_diag_test(d, ret))
		return false;
	*ret = sg_diag_value_of(SG_DIAG_CONDITION, at);
	return true;
}

bool
sg_diag_test(struct sg_diag *d, struct sg_diag_value *ret)
{
	bool good = enter(d) && read_test(d, ret);

	d->depth--;
	return good;
}

bool
sg_diag_named(struct sg_diag *d, struct sg_diag_value *ret)
{
	uint32_t at = d->i;

	if (!sg_diag_test(d, ret))
		return false;
	if (sg_diag_peek(d, 0) == SG_TOK_COLONEQUAL) {
		if (ret->kind != SG_DIAG_NAME)
			return sg_diag_fail_at(d, at,
					       "':=' needs a name before it");
		d->i++;
		if (!sg_diag_test(d, ret))
			return false;
		*ret = sg_diag_value_of(SG_DIAG_WALRUS, at);
	}
	return sg_diag_check_equal(d, ret);
}

/* --- lists ------------------------------------------------------------------------- */

static bool
read_yield(struct sg_diag *d, struct sg_diag_value *ret)
{
	uint32_t at = d->i++;
	unsigned next = sg_diag_peek(d, 0);
	bool good = true;

	if (sg_diag_take(d, SG_TOK_FROM))
		good = sg_diag_test(d, ret);
	else if (next != SG_TOK_NIL && next != SG_TOK_RPAR &&
		 next != SG_TOK_SEMI && next != SG_TOK_FIELD_END &&
		 next != SG_TOK_EQUAL)
		good = sg_diag_list(d, ret);
	*ret = sg_diag_value_of(SG_DIAG_YIELD, at);
	return good;
}

/* What may follow a list that ends with a comma. */
static bool
ends_list(unsigned kind)
{
	return kind == SG_TOK_NIL || kind == SG_TOK_EQUAL ||
	       kind == SG_TOK_SEMI || kind == SG_TOK_COLON ||
	       kind == SG_TOK_RPAR || kind == SG_TOK_IN ||
	       kind == SG_TOK_FIELD_END || kind >= SG_TOK_PLUSEQUAL;
}

bool
sg_diag_list(struct sg_diag *d, struct sg_diag_value *ret)
{
	uint32_t at = d->i;
	struct sg_diag_value more = { 0 };

	if (sg_diag_peek(d, 0) == SG_TOK_YIELD)
		return read_yield(d, ret);
	sg_diag_take(d, SG_TOK_STAR);
	if (!sg_diag_test(d, ret))
		return false;
	while (sg_diag_peek(d, 0) == SG_TOK_COMMA) {
		d->i++;
		ret->kind = SG_DIAG_TUPLE;
		ret->tok0 = at;
		if (ends_list(sg_diag_peek(d, 0)))
			break;
		sg_diag_take(d, SG_TOK_STAR);
		if (!sg_diag_test(d, &more))
			return false;
		if (more.bad && !ret->bad) {
			ret->bad = more.bad;
			ret->bad_at = more.bad_at;
		}
	}
	return true;
}

bool
sg_diag_targets(struct sg_diag *d, bool one)
{
	struct sg_diag_value v = { 0 };

	do {
		if (ends_list(sg_diag_peek(d, 0)))
			return sg_diag_peek(d, 0) == SG_TOK_IN ||
			       sg_diag_fail(d);
		sg_diag_take(d, SG_TOK_STAR);
		if (!sg_diag_operation(d, false, &v) || !sg_diag_target(d, &v))
			return false;
	} while (!one && sg_diag_take(d, SG_TOK_COMMA));
	return true;
}

static bool
read_parameter(struct sg_diag *d, bool annotated)
{
	struct sg_diag_value v = { 0 };
	bool star = sg_diag_take(d, SG_TOK_STAR);

	if (star && sg_diag_peek(d, 0) == SG_TOK_COMMA)
		return true;
	if (!star && sg_diag_take(d, SG_TOK_SLASH))
		return true;
	if (!star)
		sg_diag_take(d, SG_TOK_DOUBLESTAR);
	if (!sg_diag_name(d))
		return false;
	if (annotated && sg_diag_take(d, SG_TOK_COLON)) {
		if (star)
			sg_diag_take(d, SG_TOK_STAR);
		if (!sg_diag_test(d, &v))
			return false;
	}
	return !sg_diag_take(d, SG_TOK_EQUAL) || sg_diag_test(d, &v);
}

bool
sg_diag_parameters(struct sg_diag *d, enum sg_tok end)
{
	while (sg_diag_peek(d, 0) != end) {
		if (!read_parameter(d, end == SG_TOK_RPAR))
			return false;
		if (!sg_diag_take(d, SG_TOK_COMMA))
			break;
	}
	return sg_diag_peek(d, 0) == end || sg_diag_fail(d);
}
