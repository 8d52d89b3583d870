#include "analyzer/diagnose.h"

/* What stands in brackets: displays, comprehensions, arguments, indexes. */

static bool read_comprehension(struct sg_diag *d);

/* --- in brackets -------------------------------------------------------------- */

bool
sg_diag_check_comma(struct sg_diag *d, const struct sg_diag_value *v)
{
	unsigned kind = sg_diag_peek(d, 0);

	if (!d->brackets || !sg_diag_starts_operand(kind) ||
	    (kind == SG_TOK_STRING && sg_tok_is_name(d->t[d->i - 1].kind)))
		return true;
	return sg_diag_fail_at(d, v->tok0,
			       "invalid syntax; is a comma missing?");
}

bool
sg_diag_check_equal(struct sg_diag *d, const struct sg_diag_value *v)
{
	if (sg_diag_peek(d, 0) != SG_TOK_EQUAL)
		return true;
	return sg_diag_fail_at(d, v->tok0,
			       "'=' assigns and cannot stand here; "
			       "'==' compares");
}

bool
sg_diag_close(struct sg_diag *d, enum sg_tok kind)
{
	if (!sg_diag_take(d, kind))
		return sg_diag_fail(d);
	d->brackets--;
	return true;
}

/* An element of a tuple, list or set: a star or a named expression. */
static bool
read_element(struct sg_diag *d, struct sg_diag_value *ret)
{
	uint32_t at = d->i;

	if (sg_diag_take(d, SG_TOK_STAR)) {
		if (!sg_diag_test(d, ret))
			return false;
		ret->kind = SG_DIAG_STAR;
		ret->tok0 = at;
		return sg_diag_check_comma(d, ret);
	}
	return sg_diag_named(d, ret) && sg_diag_check_comma(d, ret);
}

/* The rest of a display after its first element: more of them, or a
 * comprehension. */
static bool
read_elements(struct sg_diag *d, enum sg_tok end, struct sg_diag_value *v)
{
	struct sg_diag_value more = { 0 };

	if (sg_diag_peek(d, 0) == SG_TOK_FOR ||
	    sg_diag_peek(d, 0) == SG_TOK_ASYNC) {
		v->bad = v->kind = SG_DIAG_COMPREHENSION;
		return read_comprehension(d) && sg_diag_close(d, end);
	}
	while (sg_diag_take(d, SG_TOK_COMMA)) {
		if (sg_diag_peek(d, 0) == end)
			break;
		if (!read_element(d, &more))
			return false;
		if (more.bad && !v->bad) {
			v->bad = more.bad;
			v->bad_at = more.bad_at;
		}
	}
	return sg_diag_close(d, end);
}

bool
sg_diag_paren(struct sg_diag *d, struct sg_diag_value *ret)
{
	uint32_t at = d->i++;
	bool tuple;

	d->brackets++;
	*ret = sg_diag_value_of(SG_DIAG_TUPLE, at);
	if (sg_diag_peek(d, 0) == SG_TOK_RPAR)
		return sg_diag_close(d, SG_TOK_RPAR);
	if (sg_diag_peek(d, 0) == SG_TOK_YIELD) {
		if (!sg_diag_list(d, ret) || !sg_diag_close(d, SG_TOK_RPAR))
			return false;
		*ret = sg_diag_value_of(SG_DIAG_YIELD, at);
		return true;
	}
	if (!read_element(d, ret))
		return false;
	tuple = sg_diag_peek(d, 0) == SG_TOK_COMMA;
	if (!read_elements(d, SG_TOK_RPAR, ret))
		return false;
	ret->tok0 = at;
	if (tuple)
		ret->kind = SG_DIAG_TUPLE;
	return true;
}

bool
sg_diag_square(struct sg_diag *d, struct sg_diag_value *ret)
{
	uint32_t at = d->i++;

	d->brackets++;
	*ret = sg_diag_value_of(SG_DIAG_LIST, at);
	if (sg_diag_peek(d, 0) == SG_TOK_RSQB)
		return sg_diag_close(d, SG_TOK_RSQB);
	if (!read_element(d, ret) || !read_elements(d, SG_TOK_RSQB, ret))
		return false;
	if (ret->kind != SG_DIAG_COMPREHENSION)
		ret->kind = SG_DIAG_LIST;
	ret->tok0 = at;
	if (ret->kind == SG_DIAG_COMPREHENSION)
		ret->bad_at = at;
	return true;
}

/* An item of a dictionary after its key. */
static bool
read_pair(struct sg_diag *d, const struct sg_diag_value *key)
{
	struct sg_diag_value v = { 0 };

	if (sg_diag_peek(d, 0) != SG_TOK_COLON) {
		if (!sg_diag_check_comma(d, key))
			return false;
		return sg_diag_fail_at(d, d->i - 1,
				       "a ':' is missing after a key");
	}
	d->i++;
	return sg_diag_test(d, &v) && sg_diag_check_comma(d, &v);
}

/* A dictionary from an item on; `key`: its key has been read, NULL: not. */
static bool
read_dict(struct sg_diag *d, const struct sg_diag_value *key)
{
	struct sg_diag_value v = { 0 };

	for (;; key = NULL) {
		if (key) {
			if (!read_pair(d, key))
				return false;
		} else if (sg_diag_take(d, SG_TOK_DOUBLESTAR)) {
			if (!sg_diag_test(d, &v) || !sg_diag_check_comma(d, &v))
				return false;
		} else if (!sg_diag_test(d, &v) || !read_pair(d, &v)) {
			return false;
		}
		if (sg_diag_peek(d, 0) == SG_TOK_FOR ||
		    sg_diag_peek(d, 0) == SG_TOK_ASYNC)
			return read_comprehension(d) &&
			       sg_diag_close(d, SG_TOK_RBRACE);
		if (!sg_diag_take(d, SG_TOK_COMMA) ||
		    sg_diag_peek(d, 0) == SG_TOK_RBRACE)
			return sg_diag_close(d, SG_TOK_RBRACE);
	}
}

static bool
read_set_or_dict(struct sg_diag *d)
{
	struct sg_diag_value v = { 0 };

	if (sg_diag_peek(d, 0) == SG_TOK_RBRACE)
		return sg_diag_close(d, SG_TOK_RBRACE);
	if (sg_diag_peek(d, 0) == SG_TOK_DOUBLESTAR)
		return read_dict(d, NULL);
	if (!read_element(d, &v))
		return false;
	if (sg_diag_peek(d, 0) != SG_TOK_COLON || v.kind == SG_DIAG_STAR ||
	    v.kind == SG_DIAG_WALRUS)
		return read_elements(d, SG_TOK_RBRACE, &v);
	return read_dict(d, &v);
}

bool
sg_diag_brace(struct sg_diag *d, struct sg_diag_value *ret)
{
	*ret = sg_diag_value_of(SG_DIAG_DISPLAY, d->i++);
	d->brackets++;
	return read_set_or_dict(d);
}

static bool
read_comprehension(struct sg_diag *d)
{
	struct sg_diag_value v = { 0 };

	while (sg_diag_peek(d, 0) == SG_TOK_FOR ||
	       sg_diag_peek(d, 0) == SG_TOK_ASYNC) {
		sg_diag_take(d, SG_TOK_ASYNC);
		if (!sg_diag_take(d, SG_TOK_FOR))
			return sg_diag_fail(d);
		if (!sg_diag_targets(d, false))
			return false;
		if (!sg_diag_take(d, SG_TOK_IN))
			return sg_diag_fail(d);
		if (!sg_diag_operation(d, true, &v))
			return false;
		while (sg_diag_take(d, SG_TOK_IF))
			if (!sg_diag_operation(d, true, &v) ||
			    !sg_diag_check_equal(d, &v))
				return false;
		if (!sg_diag_check_comma(d, &v))
			return false;
	}
	return true;
}

/* --- calls and items ------------------------------------------------------------ */

static bool
read_argument(struct sg_diag *d, struct sg_diag_value *v)
{
	if (sg_diag_take(d, SG_TOK_STAR) || sg_diag_take(d, SG_TOK_DOUBLESTAR))
		return sg_diag_test(d, v) && sg_diag_check_comma(d, v);
	if (sg_tok_is_name(sg_diag_peek(d, 0)) &&
	    sg_diag_peek(d, 1) == SG_TOK_EQUAL) {
		d->i += 2;
		return sg_diag_test(d, v) && sg_diag_check_comma(d, v);
	}
	if (!sg_diag_test(d, v))
		return false;
	if (sg_diag_take(d, SG_TOK_COLONEQUAL) && !sg_diag_test(d, v))
		return false;
	if (sg_diag_peek(d, 0) == SG_TOK_EQUAL)
		return sg_diag_fail_at(
			d, v->tok0,
			"what stands before '=' must be the name of an "
			"argument; '==' compares");
	return sg_diag_check_comma(d, v);
}

bool
sg_diag_arguments(struct sg_diag *d)
{
	struct sg_diag_value v = { 0 };
	unsigned n = 0;

	d->i++;
	d->brackets++;
	while (sg_diag_peek(d, 0) != SG_TOK_RPAR) {
		if (!read_argument(d, &v))
			return false;
		n++;
		if (sg_diag_peek(d, 0) == SG_TOK_FOR ||
		    sg_diag_peek(d, 0) == SG_TOK_ASYNC) {
			if (!read_comprehension(d))
				return false;
			if (n > 1 || sg_diag_peek(d, 0) == SG_TOK_COMMA)
				return sg_diag_fail_at(
					d, v.tok0,
					"a generator that is not the only "
					"argument needs parentheses");
		}
		if (!sg_diag_take(d, SG_TOK_COMMA))
			break;
	}
	return sg_diag_close(d, SG_TOK_RPAR);
}

static bool
read_slice(struct sg_diag *d)
{
	struct sg_diag_value v = { 0 };
	unsigned colons = 0;

	if (sg_diag_peek(d, 0) == SG_TOK_STAR)
		return read_element(d, &v);
	if (sg_diag_peek(d, 0) != SG_TOK_COLON &&
	    (!sg_diag_named(d, &v) || !sg_diag_check_comma(d, &v)))
		return false;
	while (colons++ < 2 && sg_diag_take(d, SG_TOK_COLON)) {
		unsigned next = sg_diag_peek(d, 0);

		if (next != SG_TOK_COLON && next != SG_TOK_COMMA &&
		    next != SG_TOK_RSQB && !sg_diag_test(d, &v))
			return false;
	}
	return true;
}

bool
sg_diag_item(struct sg_diag *d)
{
	d->i++;
	d->brackets++;
	do {
		if (!read_slice(d))
			return false;
	} while (sg_diag_take(d, SG_TOK_COMMA) &&
		 sg_diag_peek(d, 0) != SG_TOK_RSQB);
	return sg_diag_close(d, SG_TOK_RSQB);
}
