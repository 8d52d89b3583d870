#include "analyzer/check.h"

#include <stdlib.h>

#include "base/vec.h"

/* Patterns: names bound, and what can never be reached. */

static bool
refuse(struct sg_check *c, uint32_t at, const char *message)
{
	return sg_build_refuse(c->b, c->nodes[at].range, "%s", message);
}

static bool
is_capture(const struct sg_node *n)
{
	return n->name &&
	       (n->kind == SG_AST_MatchAs || n->kind == SG_AST_MatchStar ||
		n->kind == SG_AST_MatchMapping);
}

/* Names bound by a pattern; a growing array. */
struct names {
	struct {
		struct sg_bound *v;
		uint32_t n, room;
	} list;
};

/* Collects what [first .. pattern] binds.  Of alternatives only the first
 * counts: they bind the same names. */
static bool
collect(struct sg_check *c, uint32_t pattern, struct names *names)
{
	uint32_t first = c->nodes[pattern].first_in_subtree;

	names->list.n = 0;
	for (uint32_t i = pattern; i >= first;) {
		const struct sg_node *n = &c->nodes[i];
		const struct sg_node *up = &c->nodes[n->parent];

		if (i != pattern && up->kind == SG_AST_MatchOr &&
		    up->first != i) {
			i = n->first_in_subtree - 1;
			continue;
		}
		if (is_capture(n)) {
			if (!SG_VEC_ROOM(&names->list, 1, UINT32_MAX / 2))
				return sg_build_no_memory(c->b);
			names->list.v[names->list.n++] =
				(struct sg_bound){ n->name, i };
		}
		i--;
	}
	sg_check_sort(names->list.v, names->list.n);
	return true;
}

static bool
same_names(const struct names *a, const struct names *b)
{
	if (a->list.n != b->list.n)
		return false;
	for (uint32_t i = 0; i < a->list.n; i++)
		if (a->list.v[i].name != b->list.v[i].name)
			return false;
	return true;
}

/* A pattern that always matches: a capture or wildcard. */
static bool
is_irrefutable(const struct sg_check *c, uint32_t pattern)
{
	const struct sg_node *n = &c->nodes[pattern];

	while (n->first &&
	       (n->kind == SG_AST_MatchAs || n->kind == SG_AST_MatchOr)) {
		uint32_t last = n->first;

		while (c->nodes[last].next)
			last = c->nodes[last].next;
		n = &c->nodes[last];
	}
	return n->kind == SG_AST_MatchAs;
}

bool
sg_check_or(struct sg_check *c, uint32_t at)
{
	struct names one = { 0 }, other = { 0 };
	uint32_t first = c->nodes[at].first;
	bool good = collect(c, first, &one);

	for (uint32_t p = first; p && good; p = c->nodes[p].next) {
		if (c->nodes[p].next && is_irrefutable(c, p))
			good = refuse(c, p,
				      "the alternatives after this one "
				      "can never match");
		else if (p != first)
			good = collect(c, p, &other) &&
			       (same_names(&one, &other) ||
				refuse(c, p,
				       "alternative patterns bind "
				       "different names"));
	}
	free(one.list.v);
	free(other.list.v);
	return good;
}

bool
sg_check_case(struct sg_check *c, uint32_t at)
{
	struct names names = { 0 };
	uint32_t pattern = sg_ast_child(&c->ast, at, SG_ROLE_PATTERN, 0);
	bool good = collect(c, pattern, &names);

	for (uint32_t i = 1; i < names.list.n && good; i++)
		if (names.list.v[i].name == names.list.v[i - 1].name)
			good = refuse(c, names.list.v[i].node,
				      "a pattern binds a name twice");
	free(names.list.v);
	return good;
}

bool
sg_check_match(struct sg_check *c, uint32_t at)
{
	for (uint32_t k = sg_ast_child(&c->ast, at, SG_ROLE_CASE, 0); k;) {
		uint32_t next = sg_ast_child(&c->ast, at, SG_ROLE_CASE, k);
		uint32_t pattern = sg_ast_child(&c->ast, k, SG_ROLE_PATTERN, 0);

		if (next && !sg_ast_child(&c->ast, k, SG_ROLE_GUARD, 0) &&
		    is_irrefutable(c, pattern))
			return refuse(c, pattern,
				      "the cases after this one "
				      "can never match");
		k = next;
	}
	return true;
}

/* A key that is a number: a whole one is kept as such, for a double would
 * take it for its neighbours. */
struct key_number {
	bool whole;
	int64_t num;
	double real, imaginary;
};

static bool
key_constant(const struct sg_const *k, struct key_number *ret)
{
	ret->whole = k->kind == SG_CONST_INT || k->kind == SG_CONST_TRUE ||
		     k->kind == SG_CONST_FALSE;
	if (k->kind == SG_CONST_INT)
		ret->num = k->num;
	else if (k->kind == SG_CONST_TRUE)
		ret->num = 1;
	else if (k->kind == SG_CONST_FLOAT)
		ret->real = k->real;
	else if (k->kind == SG_CONST_COMPLEX)
		ret->imaginary = k->real;
	else
		return k->kind == SG_CONST_FALSE;
	return true;
}

/* The number that a key is: a constant, `-` and one, or the sum or difference
 * of two.  False when it is none. */
static bool
key_number(const struct sg_check *c, const struct sg_node *n,
	   struct key_number *ret)
{
	struct key_number other = { 0 };

	*ret = (struct key_number){ 0 };
	if (n->kind == SG_AST_Constant)
		return key_constant(&c->ast.consts[n->aux], ret);
	if (n->kind == SG_AST_UnaryOp) {
		if (!key_constant(&c->ast.consts[c->nodes[n->first].aux], ret))
			return false;
		ret->num = -ret->num;
		ret->real = -ret->real;
		ret->imaginary = -ret->imaginary;
		return true;
	}
	if (n->kind != SG_AST_BinOp ||
	    !key_number(c, &c->nodes[n->first], ret) ||
	    !key_number(c, &c->nodes[c->nodes[n->first].next], &other))
		return false;
	if (ret->whole)
		ret->real = (double)ret->num;
	ret->whole = false;
	ret->imaginary = n->op == SG_OP_SUB ? -other.imaginary
					    : other.imaginary;
	return true;
}

static bool
same_double(double a, double b)
{
	return !(a < b) && !(a > b);
}

static bool
same_number(const struct key_number *a, const struct key_number *b)
{
	const double beyond = 9223372036854775808.0;

	if (a->whole && b->whole)
		return a->num == b->num;
	if (!a->whole && !b->whole)
		return same_double(a->real, b->real) &&
		       same_double(a->imaginary, b->imaginary);
	if (b->whole)
		return same_number(b, a);
	return b->real >= -beyond && b->real < beyond &&
	       a->num == (int64_t)b->real &&
	       same_double((double)(int64_t)b->real, b->real) &&
	       same_double(b->imaginary, 0);
}

static struct sg_str
text_of(const struct sg_check *c, const struct sg_node *n)
{
	return (struct sg_str){ c->b->text + n->range.start,
				n->range.end - n->range.start };
}

static bool
same_key(const struct sg_check *c, const struct sg_node *a,
	 const struct sg_node *b)
{
	const struct sg_const *x, *y;
	struct key_number p, q;
	bool number = key_number(c, a, &p);

	if (number != key_number(c, b, &q))
		return false;
	if (number)
		return same_number(&p, &q);
	if (a->kind != SG_AST_Constant || b->kind != SG_AST_Constant)
		return false;
	x = &c->ast.consts[a->aux];
	y = &c->ast.consts[b->aux];
	if (x->kind != y->kind)
		return false;
	/* Of a number that is too large the text is all there is. */
	if (x->kind == SG_CONST_BIG)
		return sg_str_eq(text_of(c, a), text_of(c, b));
	return x->kind == SG_CONST_NONE ||
	       ((x->kind == SG_CONST_STR || x->kind == SG_CONST_BYTES) &&
		sg_str_eq(x->str, y->str));
}

/* Pairs of keys are compared up to this many: no one writes more. */
enum { MAX_KEYS = 256 };

bool
sg_check_mapping(struct sg_check *c, uint32_t at)
{
	unsigned n = 0;

	for (uint32_t k = c->nodes[at].first; k && n < MAX_KEYS;
	     k = c->nodes[k].next) {
		if (c->nodes[k].role != SG_ROLE_KEY)
			continue;
		n++;
		for (uint32_t o = c->nodes[at].first; o != k;
		     o = c->nodes[o].next)
			if (c->nodes[o].role == SG_ROLE_KEY &&
			    same_key(c, &c->nodes[o], &c->nodes[k]))
				return refuse(c, k,
					      "a mapping pattern has a "
					      "key twice");
	}
	return true;
}

bool
sg_check_class_pattern(struct sg_check *c, uint32_t at)
{
	unsigned n = 0;

	for (uint32_t k = c->nodes[at].first; k && n < MAX_KEYS;
	     k = c->nodes[k].next) {
		if (c->nodes[k].role != SG_ROLE_KWD_PATTERN)
			continue;
		n++;
		for (uint32_t o = c->nodes[at].first; o != k;
		     o = c->nodes[o].next)
			if (c->nodes[o].role == SG_ROLE_KWD_PATTERN &&
			    c->nodes[o].name == c->nodes[k].name)
				return refuse(c, k,
					      "a class pattern has an "
					      "attribute twice");
	}
	return true;
}
