#include "analyzer/tree_build.h"

/*
 * Patterns.  The skeleton writes a case's pattern as a list with one element,
 * and the grammar reads it as an expression; CPython's patterns are a subset
 * of those by shape, with other meanings.  Every frame below that list comes
 * here when it is left, so that no node of an expression is emitted where a
 * pattern's belongs, except within values: literals, and dotted names.
 */

enum { MAX_BEFORE_STAR = 256 };

static bool
refuse(struct sg_build *b, const struct sg_frame *f)
{
	return sg_build_refuse(b, sg_build_range(b, f->tok0, b->end_at),
			       "this cannot stand in a pattern");
}

/* True when a value at [tok0, tok1] below f is a part of a literal, not a
 * pattern of its own: an operand of a sign, a sum or a dot, or a key. */
static bool
is_part(const struct sg_build *b, const struct sg_frame *f, uint32_t tok0,
	uint32_t tok1, uint32_t nvalues)
{
	unsigned op;

	switch (f->rule) {
	case SG_RULE_UNARY:
	case SG_RULE_ATTRIBUTE:
		return true;
	case SG_RULE_PAIR:
		return nvalues == 0;
	case SG_RULE_BINARY:
		op = nvalues == 0 ? sg_build_tok(b, tok1 + 1)
				  : sg_build_tok(b, tok0 - 1);
		return op != SG_TOK_VBAR;
	default:
		return false;
	}
}

/* Wraps the last value into a MatchValue, unless it is a part. */
static bool
wrap_value(struct sg_build *b, const struct sg_frame *parent, uint32_t tok0,
	   uint32_t tok1)
{
	struct sg_value *v = &b->values.v[b->values.n - 1];
	uint32_t before = b->values.n - 1 - parent->base;

	if (is_part(b, parent, tok0, tok1, before))
		return true;
	sg_build_of(b, v)->role = SG_ROLE_VALUE;
	v = sg_build_emit(b, SG_AST_MatchValue, SG_RULE_INTEGER, tok0, tok1,
			  b->values.n - 1);
	return v != NULL;
}

static bool
is_wild(const struct sg_build *b, uint32_t token)
{
	const struct sg_token *t = &b->tokens[token];

	return t->end - t->start == 1 && b->text[t->start] == '_';
}

static bool
leaf_name(struct sg_build *b, uint32_t token, const struct sg_frame *f)
{
	bool first = b->values.n == f->base;
	bool wild = is_wild(b, token);
	struct sg_value *v;

	if (sg_build_tok(b, token) == SG_TOK_STAR || f->rule == SG_RULE_STAR ||
	    f->rule == SG_RULE_DOUBLESTAR || f->rule == SG_RULE_AS_TARGET ||
	    (f->rule == SG_RULE_KEYWORD_ARGUMENT && first))
		return sg_build_push(
			b, (struct sg_value){ .tok0 = token,
					      .tok1 = token,
					      .rule = SG_RULE_IDENTIFIER });
	if (!sg_tok_is_name(sg_build_tok(b, token)) ||
	    is_part(b, f, token, token, b->values.n - f->base))
		return sg_build_refuse(b, sg_build_range(b, token, token),
				       "this cannot stand in a pattern");
	v = sg_build_emit(b, SG_AST_MatchAs, SG_RULE_IDENTIFIER, token, token,
			  b->values.n);
	if (!v)
		return false;
	if (!wild)
		sg_build_of(b, v)->name = sg_build_name(b, token);
	return wild || sg_build_of(b, v)->name != 0;
}

/* None, True and False are MatchSingleton, but Constant as a key. */
static bool
leaf_singleton(struct sg_build *b, uint32_t token, uint32_t at,
	       const struct sg_frame *f)
{
	bool key = f->rule == SG_RULE_PAIR && b->values.n == f->base;
	struct sg_value *v;

	if (!key && is_part(b, f, token, token, b->values.n - f->base))
		return sg_build_refuse(b, sg_build_range(b, token, token),
				       "this cannot stand in a pattern");
	v = sg_build_emit(b, key ? SG_AST_Constant : SG_AST_MatchSingleton,
			  SG_RULE_NONE, token, token, b->values.n);
	if (v)
		sg_build_of(b, v)->aux = at;
	return v != NULL;
}

bool
sg_build_pattern_leaf(struct sg_build *b, enum sg_rule rule, uint32_t token,
		      const struct sg_frame *f)
{
	struct sg_value *v;

	switch ((int)rule) {
	case SG_RULE_IDENTIFIER:
		return leaf_name(b, token, f);
	case SG_RULE_NONE:
		return leaf_singleton(b, token, SG_CONST_AT_NONE, f);
	case SG_RULE_TRUE:
		return leaf_singleton(b, token, SG_CONST_AT_TRUE, f);
	case SG_RULE_FALSE:
		return leaf_singleton(b, token, SG_CONST_AT_FALSE, f);
	case SG_RULE_INTEGER:
	case SG_RULE_FLOAT:
		break;
	default:
		return sg_build_refuse(b, sg_build_range(b, token, token),
				       "this cannot stand in a pattern");
	}
	if (!sg_build_literal(b, token))
		return false;
	v = &b->values.v[b->values.n - 1];
	if (sg_build_of(b, v)->kind != SG_AST_Constant ||
	    (f->rule == SG_RULE_UNARY &&
	     b->tokens[token].kind != SG_TOK_NUMBER))
		return sg_build_refuse(b, sg_build_range(b, token, token),
				       "this cannot stand in a pattern");
	return wrap_value(b, f, token, token);
}

/* Gives patterns, from one on, their role; stars only where they are allowed. */
static bool
take_patterns(struct sg_build *b, struct sg_frame *f, uint32_t from, bool stars)
{
	uint32_t n, nstars = 0;
	struct sg_value *v = sg_build_values(b, f, &n);

	for (uint32_t i = from; i < n; i++) {
		struct sg_node *node = sg_build_of(b, &v[i]);

		if (v[i].node == 0 || node->kind < SG_AST_MatchValue ||
		    node->kind > SG_AST_MatchOr)
			return refuse(b, f);
		if (node->kind == SG_AST_MatchStar && (!stars || ++nstars > 1))
			return sg_build_refuse_value(
				b, &v[i],
				nstars > 1
					? "several starred patterns in a sequence"
					: "a starred pattern cannot stand here");
		if (node->kind == SG_AST_MatchStar && i >= MAX_BEFORE_STAR)
			return sg_build_refuse_value(
				b, &v[i],
				"too many patterns before a starred one");
		node->role = SG_ROLE_PATTERN;
	}
	return true;
}

static bool
is_outermost(const struct sg_frame *f)
{
	return !sg_build_parent(f)->pattern;
}

/* A list or tuple; the outermost list is the skeleton's. */
static bool
sequence(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v;
	bool comma = sg_build_tok(b, b->end_at) == SG_TOK_COMMA;

	(void)sg_build_values(b, f, &n);
	if (is_outermost(f) && n == 1 && !comma)
		return take_patterns(b, f, 0, false);
	if (!take_patterns(b, f, 0, true))
		return false;
	v = sg_build_node(b, f, SG_AST_MatchSequence);
	if (!v)
		return false;
	sg_build_of(b, v)->role = SG_ROLE_PATTERN;
	return true;
}

static bool
group(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);

	if (n != 1 || !take_patterns(b, f, 0, false))
		return refuse(b, f);
	v->paren = true;
	v->tok0 = f->tok0;
	v->tok1 = b->end_at;
	return true;
}

static bool
star(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n, token;
	struct sg_value *v = sg_build_values(b, f, &n);
	bool wild;

	if (n != 2 || v[1].node != 0)
		return refuse(b, f);
	token = v[1].tok0;
	wild = is_wild(b, token);
	v = sg_build_node(b, f, SG_AST_MatchStar);
	if (!v)
		return false;
	if (!wild)
		sg_build_of(b, v)->name = sg_build_name(b, token);
	sg_build_of(b, v)->name_range = sg_build_range(b, token, token);
	return wild || sg_build_of(b, v)->name != 0;
}

/* `a | b | c` is one node, as with `and`. */
static bool
alternatives(struct sg_build *b, struct sg_frame *f)
{
	const struct sg_frame *parent = sg_build_parent(f);
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);
	uint32_t from = n > 2 ? n - 1 : 0;

	/* What an inner one has left here has been taken by it. */
	for (uint32_t i = from; i < n; i++)
		if (v[i].rule == SG_RULE_AS && !v[i].paren)
			return refuse(b, f);
	if (!take_patterns(b, f, from, false))
		return false;
	if (parent->rule == SG_RULE_BINARY && parent->base == f->base &&
	    sg_build_tok(b, b->end_at + 1) == SG_TOK_VBAR)
		return true;
	return sg_build_node(b, f, SG_AST_MatchOr) != NULL;
}

static bool
is_number(const struct sg_build *b, const struct sg_value *v, bool complex)
{
	const struct sg_node *n = &b->nodes.v[v->node];
	enum sg_const_kind kind;

	if (v->node == 0 || v->paren)
		return false;
	if (!complex && n->kind == SG_AST_UnaryOp)
		n = &b->nodes.v[n->first];
	if (n->kind != SG_AST_Constant)
		return false;
	kind = b->consts.v[n->aux].kind;
	return complex ? kind == SG_CONST_COMPLEX
		       : kind == SG_CONST_INT || kind == SG_CONST_BIG ||
				 kind == SG_CONST_FLOAT;
}

/* `-1`, `1 + 2j` */
static bool
number(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);
	unsigned tok;
	bool good;

	if (f->rule == SG_RULE_UNARY) {
		good = n == 1 && sg_build_tok(b, f->tok0) == SG_TOK_MINUS &&
		       (is_number(b, v, false) || is_number(b, v, true)) &&
		       b->nodes.v[v->node].kind == SG_AST_Constant &&
		       sg_build_unary(b, f);
	} else {
		tok = n ? sg_build_tok(b, v[0].tok1 + 1) : SG_TOK_NIL;
		good = n == 2 && (tok == SG_TOK_PLUS || tok == SG_TOK_MINUS) &&
		       is_number(b, &v[0], false) &&
		       is_number(b, &v[1], true) && sg_build_binary(b, f);
	}
	if (!good)
		return refuse(b, f);
	return wrap_value(b, sg_build_parent(f), f->tok0, b->end_at);
}

/* A dotted name is a value. */
static bool
attribute(struct sg_build *b, struct sg_frame *f)
{
	const struct sg_frame *parent = sg_build_parent(f);
	const struct sg_node *n;

	if (!sg_build_attribute(b, f))
		return false;
	n = &b->nodes.v[b->values.v[f->base].node];
	n = &b->nodes.v[n->first];
	if (n->kind != SG_AST_Name && n->kind != SG_AST_Attribute)
		return refuse(b, f);
	if (is_wild(b, f->tok0) && parent->rule != SG_RULE_PAIR)
		return refuse(b, f);
	if (parent->rule == SG_RULE_UNARY ||
	    (parent->rule == SG_RULE_BINARY &&
	     is_part(b, parent, f->tok0, b->end_at, f->base - parent->base)))
		return refuse(b, f);
	return wrap_value(b, parent, f->tok0, b->end_at);
}

static bool
pair(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);
	struct sg_node *key;

	if (n != 2 || v[0].node == 0 || v[0].paren || v[1].node == 0)
		return refuse(b, f);
	key = sg_build_of(b, &v[0]);
	if (key->kind != SG_AST_Constant && key->kind != SG_AST_Attribute &&
	    key->kind != SG_AST_UnaryOp && key->kind != SG_AST_BinOp)
		return refuse(b, f);
	key->role = SG_ROLE_KEY;
	if (sg_build_of(b, &v[1])->kind < SG_AST_MatchValue ||
	    sg_build_of(b, &v[1])->kind == SG_AST_MatchStar)
		return refuse(b, f);
	sg_build_of(b, &v[1])->role = SG_ROLE_PATTERN;
	return true;
}

static bool
mapping(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n, rest = 0;
	struct sg_value *v = sg_build_values(b, f, &n);

	if (n == 0 && sg_build_tok(b, f->tok0 + 1) == SG_TOK_COMMA)
		return refuse(b, f);
	for (uint32_t i = 0; i < n; i++) {
		if (rest)
			return sg_build_refuse_value(
				b, &v[i],
				"nothing can follow '**' in a mapping");
		if (v[i].node == 0)
			rest = v[i].tok0;
		if (rest && is_wild(b, rest))
			return refuse(b, f);
	}
	v = sg_build_node(b, f, SG_AST_MatchMapping);
	if (!v)
		return false;
	if (rest)
		sg_build_of(b, v)->name = sg_build_name(b, rest);
	return !rest || sg_build_of(b, v)->name != 0;
}

static bool
as(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n, token;
	struct sg_value *v = sg_build_values(b, f, &n);

	if (n != 2 || v[1].node != 0 ||
	    (v[0].rule == SG_RULE_AS && !v[0].paren))
		return refuse(b, f);
	token = v[1].tok0;
	if (!sg_tok_is_name(sg_build_tok(b, token)) || is_wild(b, token))
		return refuse(b, f);
	b->values.n--;
	if (!take_patterns(b, f, 0, false))
		return false;
	v = sg_build_node(b, f, SG_AST_MatchAs);
	if (!v)
		return false;
	sg_build_of(b, v)->name = sg_build_name(b, token);
	sg_build_of(b, v)->name_range = sg_build_range(b, token, token);
	return sg_build_of(b, v)->name != 0;
}

static bool
keyword(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n, token;
	struct sg_value *v = sg_build_values(b, f, &n);
	struct sg_node *node;

	if (n != 2 || v[0].node != 0 || v[1].node == 0)
		return refuse(b, f);
	token = v[0].tok0;
	node = sg_build_of(b, &v[1]);
	if (node->kind < SG_AST_MatchValue || node->kind == SG_AST_MatchStar)
		return refuse(b, f);
	node->role = SG_ROLE_PATTERN;
	v = sg_build_node(b, f, SG_AST_keyword);
	if (!v)
		return false;
	node = sg_build_of(b, v);
	node->role = SG_ROLE_KWD_PATTERN;
	node->name = sg_build_name(b, token);
	node->name_range = sg_build_range(b, token, token);
	return node->name != 0;
}

static bool
class_pattern(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);
	bool keywords = false;
	const struct sg_node *cls;

	if (n == 0 || v[0].node == 0 || v[0].paren || is_wild(b, f->tok0))
		return refuse(b, f);
	cls = sg_build_of(b, v);
	if (cls->kind == SG_AST_Attribute)
		cls = &b->nodes.v[cls->first_in_subtree];
	if (cls->kind != SG_AST_Name)
		return refuse(b, f);
	/* `c(,)` */
	if (n == 1 && sg_build_tok(b, v[0].tok1 + 2) == SG_TOK_COMMA)
		return refuse(b, f);
	sg_build_of(b, v)->role = SG_ROLE_CLS;
	for (uint32_t i = 1; i < n; i++) {
		struct sg_node *node = sg_build_of(b, &v[i]);

		if (v[i].rule == SG_RULE_KEYWORD_ARGUMENT) {
			/* After a pattern CPython takes `_` for another. */
			if (!keywords && i > 1 && is_wild(b, v[i].tok0))
				return refuse(b, f);
			keywords = true;
			continue;
		}
		if (keywords || v[i].node == 0 ||
		    node->kind < SG_AST_MatchValue ||
		    node->kind == SG_AST_MatchStar)
			return refuse(b, f);
		node->role = SG_ROLE_PATTERN;
	}
	return sg_build_node(b, f, SG_AST_MatchClass) != NULL;
}

bool
sg_build_pattern(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);

	switch (f->rule) {
	case SG_RULE_LIST:
	case SG_RULE_TUPLE:
		return sequence(b, f);
	case SG_RULE_PAREN:
		return group(b, f);
	case SG_RULE_STAR:
		return star(b, f);
	case SG_RULE_DICTIONARY:
		return mapping(b, f);
	case SG_RULE_PAIR:
		return pair(b, f);
	case SG_RULE_DOUBLESTAR:
		if (n != 1 || v->node != 0 ||
		    sg_build_parent(f)->rule != SG_RULE_DICTIONARY)
			return refuse(b, f);
		return true;
	case SG_RULE_AS:
		return as(b, f);
	case SG_RULE_AS_TARGET:
	case SG_RULE_ARGUMENTS:
		return true;
	case SG_RULE_BINARY:
		if (n == 2 && sg_build_tok(b, v[0].tok1 + 1) == SG_TOK_VBAR)
			return alternatives(b, f);
		if (n > 2) /* alternatives of an inner one */
			return alternatives(b, f);
		return number(b, f);
	case SG_RULE_UNARY:
		return number(b, f);
	case SG_RULE_ATTRIBUTE:
		return attribute(b, f);
	case SG_RULE_KEYWORD_ARGUMENT:
		return keyword(b, f);
	case SG_RULE_CALL:
		return class_pattern(b, f);
	default:
		return refuse(b, f);
	}
}
