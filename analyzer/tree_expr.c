#include "analyzer/tree_build.h"

/* Expressions. */

/* Leaves the values to the parent as they are. */
bool
sg_build_pass_on(struct sg_build *b, struct sg_frame *f)
{
	(void)b;
	(void)f;
	return true;
}

static bool
takes_all(struct sg_build *b, struct sg_frame *f, enum sg_role role,
	  unsigned allow)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);

	for (uint32_t i = 0; i < n; i++)
		if (!sg_build_take(b, &v[i], role, allow))
			return false;
	return true;
}

/* --- brackets ------------------------------------------------------------------ */

/* True when the parentheses are the skeleton's and not the script's. */
bool
sg_build_is_virtual(const struct sg_build *b, const struct sg_frame *f)
{
	const struct sg_frame *parent = sg_build_parent(f);
	unsigned tok = sg_build_tok(b, parent->tok0);

	switch (parent->rule) {
	case SG_RULE_TYPE:
	case SG_RULE_FSTRING:
	case SG_RULE_NAMED:
		return true;
	case SG_RULE_WHILE:
		return tok == SG_TOK_MATCH;
	case SG_RULE_ASSERT:
		return tok == SG_TOK_TYPE;
	case SG_RULE_BOOLEAN:
		return parent[-1].rule == SG_RULE_WHILE &&
		       sg_build_tok(b, parent[-1].tok0) == SG_TOK_CASE;
	case SG_RULE_KEYWORD_ARGUMENT:
		tok = sg_build_tok(b, b->values.v[parent->base].tok0);
		return tok == SG_TOK_COLON || tok == SG_TOK_EQUAL;
	default:
		return sg_build_tok(b, f->tok0) == SG_TOK_AWAIT;
	}
}

bool
sg_build_paren(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);
	unsigned allow = SG_ALLOW_NAMED | SG_ALLOW_YIELD;
	unsigned parent = sg_build_parent(f)->rule;
	bool is_virt = sg_build_is_virtual(b, f);

	if (n != 1)
		return sg_build_refuse(b, sg_build_range(b, f->tok0, b->end_at),
				       "invalid syntax");
	if (is_virt) {
		allow = 0;
		if (parent == SG_RULE_WHILE || parent == SG_RULE_BOOLEAN)
			allow = SG_ALLOW_NAMED;
		else if (parent == SG_RULE_FSTRING)
			allow = SG_ALLOW_YIELD;
		else if (parent == SG_RULE_TYPE ||
			 parent == SG_RULE_KEYWORD_ARGUMENT)
			allow = SG_ALLOW_STAR;
	}
	if (!sg_build_take(b, v, SG_ROLE_VALUE, allow))
		return false;
	v->paren = v->paren || !is_virt;
	v->tok0 = f->tok0;
	v->tok1 = b->end_at;
	return true;
}

static bool
emit_elements(struct sg_build *b, struct sg_frame *f, enum sg_ast_kind kind)
{
	return takes_all(b, f, SG_ROLE_ELT, SG_ALLOW_STAR | SG_ALLOW_NAMED) &&
	       sg_build_node(b, f, kind);
}

/* tuple, expression_list, pattern_list, tuple_pattern: those of one value
 * without a comma are only parentheses. */
bool
sg_build_tuple(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n, last = b->end_at;
	struct sg_value *v = sg_build_values(b, f, &n);
	bool brackets = f->rule == SG_RULE_TUPLE ||
			f->rule == SG_RULE_TUPLE_PATTERN;
	unsigned parent = sg_build_parent(f)->rule;

	if (f->rule == SG_RULE_EXPRESSION_LIST && parent == SG_RULE_DELETE)
		return true;
	if (f->rule == SG_RULE_EXPRESSION_LIST && parent == SG_RULE_RAISE)
		return sg_build_refuse(b, sg_build_range(b, f->tok0, last),
				       "'raise' takes one exception");
	if (brackets && (sg_build_tok(b, last) == SG_TOK_RPAR ||
			 sg_build_tok(b, last) == SG_TOK_FIELD_END))
		last--;
	if (brackets && n == 1 && !sg_build_is_comma(b, last)) {
		if (!sg_build_take(b, v, SG_ROLE_VALUE, SG_ALLOW_NAMED))
			return false;
		v->paren = true;
		v->tok0 = f->tok0;
		v->tok1 = b->end_at;
		return true;
	}
	if (brackets && parent == SG_RULE_BOOLEAN && sg_build_is_virtual(b, f))
		return sg_build_refuse(b, sg_build_range(b, f->tok0, last),
				       "a guard is one expression");
	if (!takes_all(b, f, SG_ROLE_ELT,
		       SG_ALLOW_STAR | (brackets ? SG_ALLOW_NAMED : 0)))
		return false;
	v = sg_build_node(b, f, SG_AST_Tuple);
	if (v)
		v->paren = brackets && !sg_build_is_virtual(b, f);
	return v != NULL;
}

bool
sg_build_list(struct sg_build *b, struct sg_frame *f)
{
	return emit_elements(b, f, SG_AST_List);
}

bool
sg_build_set(struct sg_build *b, struct sg_frame *f)
{
	return emit_elements(b, f, SG_AST_Set);
}

/* Leaves its key and value to the dictionary. */
bool
sg_build_pair(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);

	return n == 2 && sg_build_take(b, &v[0], SG_ROLE_KEY, 0) &&
	       sg_build_take(b, &v[1], SG_ROLE_VALUE, 0);
}

/* The grammar takes a comma for an empty list of things. */
bool
sg_build_check_comma(struct sg_build *b, struct sg_frame *f)
{
	if (b->values.n > f->base || b->end_at <= f->tok0 + 1)
		return true;
	return sg_build_refuse(b, sg_build_range(b, f->tok0, b->end_at),
			       "invalid syntax");
}

bool
sg_build_dictionary(struct sg_build *b, struct sg_frame *f)
{
	return sg_build_check_comma(b, f) && sg_build_node(b, f, SG_AST_Dict);
}

/* `**x`: in a dictionary a VALUE, in a call a keyword without a name. */
bool
sg_build_doublestar(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);
	bool call = sg_build_parent(f)->rule == SG_RULE_ARGUMENTS;

	if (n != 1 || !sg_build_take(b, v, SG_ROLE_VALUE, 0))
		return false;
	if (!call)
		return sg_build_is_tight(v, false) ||
		       sg_build_refuse_value(b, v,
					     "'**' needs parentheses "
					     "around this");
	v = sg_build_node(b, f, SG_AST_keyword);
	if (!v)
		return false;
	sg_build_of(b, v)->flags = SG_NODE_KWARG;
	return true;
}

bool
sg_build_star(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);
	unsigned parent = sg_build_parent(f)->rule;

	/* The first value is the skeleton's own name. */
	if (n != 2 || !sg_build_take(b, &v[1], SG_ROLE_VALUE, 0))
		return sg_build_refuse(b, sg_build_range(b, f->tok0, b->end_at),
				       "invalid syntax");
	if (parent != SG_RULE_ARGUMENTS && parent != SG_RULE_SUBSCRIPT &&
	    !sg_build_is_tight(&v[1], false))
		return sg_build_refuse_value(b, &v[1],
					     "'*' needs parentheses "
					     "around this");
	return sg_build_node(b, f, SG_AST_Starred) != NULL;
}

/* --- operators ------------------------------------------------------------------ */

static enum sg_op
binary_op(unsigned tok)
{
	static const uint8_t ops[SG_TOK_COUNT] = {
		[SG_TOK_PLUS] = SG_OP_ADD,
		[SG_TOK_MINUS] = SG_OP_SUB,
		[SG_TOK_STAR] = SG_OP_MULT,
		[SG_TOK_AT] = SG_OP_MATMULT,
		[SG_TOK_SLASH] = SG_OP_DIV,
		[SG_TOK_PERCENT] = SG_OP_MOD,
		[SG_TOK_DOUBLESTAR] = SG_OP_POW,
		[SG_TOK_LEFTSHIFT] = SG_OP_LSHIFT,
		[SG_TOK_RIGHTSHIFT] = SG_OP_RSHIFT,
		[SG_TOK_VBAR] = SG_OP_BITOR,
		[SG_TOK_CIRCUMFLEX] = SG_OP_BITXOR,
		[SG_TOK_AMPER] = SG_OP_BITAND,
		[SG_TOK_DOUBLESLASH] = SG_OP_FLOORDIV,
		[SG_TOK_PLUSEQUAL] = SG_OP_ADD,
		[SG_TOK_MINEQUAL] = SG_OP_SUB,
		[SG_TOK_STAREQUAL] = SG_OP_MULT,
		[SG_TOK_ATEQUAL] = SG_OP_MATMULT,
		[SG_TOK_SLASHEQUAL] = SG_OP_DIV,
		[SG_TOK_PERCENTEQUAL] = SG_OP_MOD,
		[SG_TOK_DOUBLESTAREQUAL] = SG_OP_POW,
		[SG_TOK_LEFTSHIFTEQUAL] = SG_OP_LSHIFT,
		[SG_TOK_RIGHTSHIFTEQUAL] = SG_OP_RSHIFT,
		[SG_TOK_VBAREQUAL] = SG_OP_BITOR,
		[SG_TOK_CIRCUMFLEXEQUAL] = SG_OP_BITXOR,
		[SG_TOK_AMPEREQUAL] = SG_OP_BITAND,
		[SG_TOK_DOUBLESLASHEQUAL] = SG_OP_FLOORDIV,
		[SG_TOK_AND] = SG_OP_AND,
		[SG_TOK_OR] = SG_OP_OR,
		[SG_TOK_LESS] = SG_OP_LT,
		[SG_TOK_GREATER] = SG_OP_GT,
		[SG_TOK_EQEQUAL] = SG_OP_EQ,
		[SG_TOK_NOTEQUAL] = SG_OP_NOTEQ,
		[SG_TOK_LESSEQUAL] = SG_OP_LTE,
		[SG_TOK_GREATEREQUAL] = SG_OP_GTE,
		[SG_TOK_IN] = SG_OP_IN,
		[SG_TOK_NOT] = SG_OP_NOTIN,
		[SG_TOK_IS] = SG_OP_IS,
	};

	return tok < SG_TOK_COUNT ? (enum sg_op)ops[tok] : SG_OP_NONE;
}

bool
sg_build_binary(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);
	enum sg_op op;

	if (n != 2 || !sg_build_take(b, &v[0], SG_ROLE_LEFT, 0) ||
	    !sg_build_take(b, &v[1], SG_ROLE_RIGHT, 0))
		return false;
	op = binary_op(sg_build_tok(b, v[0].tok1 + 1));
	v = sg_build_node(b, f, SG_AST_BinOp);
	if (!v)
		return false;
	sg_build_of(b, v)->op = (uint8_t)op;
	return true;
}

bool
sg_build_unary(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);
	unsigned tok = sg_build_tok(b, f->tok0);

	if (n != 1 || !sg_build_take(b, v, SG_ROLE_OPERAND, 0))
		return false;
	v = sg_build_node(b, f, SG_AST_UnaryOp);
	if (!v)
		return false;
	sg_build_of(b, v)->op = tok == SG_TOK_PLUS    ? SG_OP_UADD
				: tok == SG_TOK_MINUS ? SG_OP_USUB
						      : SG_OP_INVERT;
	return true;
}

bool
sg_build_want_loose(struct sg_build *b, const struct sg_value *v)
{
	return sg_build_is_tight(v, true) ||
	       sg_build_refuse_value(b, v, "this needs parentheses here");
}

bool
sg_build_not(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);

	if (n != 1 || !sg_build_take(b, v, SG_ROLE_OPERAND, 0) ||
	    !sg_build_want_loose(b, v))
		return false;
	v = sg_build_node(b, f, SG_AST_UnaryOp);
	if (!v)
		return false;
	sg_build_of(b, v)->op = SG_OP_NOT;
	return true;
}

/* `a and b and c` is one node: the inner one leaves its operands to the
 * outer, which it knows by the operator that follows. */
bool
sg_build_boolean(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);
	unsigned tok = n ? sg_build_tok(b, v[0].tok1 + 1) : SG_TOK_NIL;

	if (tok == SG_TOK_IF) /* of a case: its pattern and guard */
		return true;
	/* What an inner one has left here has been taken by it. */
	for (uint32_t i = n > 2 ? n - 1 : 0; i < n; i++)
		if (!sg_build_take(b, &v[i], SG_ROLE_VALUE, 0) ||
		    !sg_build_want_loose(b, &v[i]))
			return false;
	if (sg_build_parent(f)->rule == SG_RULE_BOOLEAN &&
	    sg_build_parent(f)->base == f->base &&
	    sg_build_tok(b, b->end_at + 1) == tok)
		return true;
	v = sg_build_node(b, f, SG_AST_BoolOp);
	if (!v)
		return false;
	sg_build_of(b, v)->op = (uint8_t)binary_op(tok);
	return true;
}

bool
sg_build_comparison(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);

	if (!sg_build_take(b, &v[0], SG_ROLE_LEFT, 0))
		return false;
	for (uint32_t i = 1; i < n; i++) {
		unsigned tok = sg_build_tok(b, v[i - 1].tok1 + 1);
		enum sg_op op = binary_op(tok);

		if (!sg_build_take(b, &v[i], SG_ROLE_COMPARATOR, 0))
			return false;
		if (tok == SG_TOK_IS &&
		    sg_build_tok(b, v[i - 1].tok1 + 2) == SG_TOK_NOT &&
		    v[i].tok0 > v[i - 1].tok1 + 2)
			op = SG_OP_ISNOT;
		b->nodes.v[v[i].node].level = (uint8_t)op;
	}
	return sg_build_node(b, f, SG_AST_Compare) != NULL;
}

bool
sg_build_conditional(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);

	return n == 3 && sg_build_take(b, &v[0], SG_ROLE_BODY, 0) &&
	       sg_build_take(b, &v[1], SG_ROLE_TEST, 0) &&
	       sg_build_take(b, &v[2], SG_ROLE_ORELSE, 0) &&
	       sg_build_want_loose(b, &v[0]) && sg_build_want_loose(b, &v[1]) &&
	       sg_build_node(b, f, SG_AST_IfExp);
}

bool
sg_build_named(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);

	return n == 2 &&
	       sg_build_target(b, &v[0], SG_ROLE_TARGET, SG_NODE_STORE) &&
	       sg_build_take(b, &v[1], SG_ROLE_VALUE, 0) &&
	       sg_build_node(b, f, SG_AST_NamedExpr);
}

bool
sg_build_lambda(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);

	return n == 2 && sg_build_take(b, &v[1], SG_ROLE_BODY, 0) &&
	       sg_build_node(b, f, SG_AST_Lambda);
}

bool
sg_build_await(struct sg_build *b, struct sg_frame *f)
{
	return takes_all(b, f, SG_ROLE_VALUE, 0) &&
	       sg_build_node(b, f, SG_AST_Await);
}

bool
sg_build_yield(struct sg_build *b, struct sg_frame *f)
{
	bool from = b->end_at > f->tok0 &&
		    sg_build_tok(b, f->tok0 + 1) == SG_TOK_FROM;

	return takes_all(b, f, SG_ROLE_VALUE, 0) &&
	       sg_build_node(b, f, from ? SG_AST_YieldFrom : SG_AST_Yield);
}
