#include "analyzer/tree_build.h"

/* Statements. */

/* Changes the role of all values that have `from`. */
static void
change_roles(struct sg_build *b, struct sg_frame *f, enum sg_role from,
	     enum sg_role to)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);

	for (uint32_t i = 0; i < n; i++)
		if (v[i].node && b->nodes.v[v[i].node].role == from)
			b->nodes.v[v[i].node].role = (uint8_t)to;
}

static bool
invalid(struct sg_build *b, struct sg_frame *f)
{
	return sg_build_refuse(b, sg_build_range(b, f->tok0, b->end_at),
			       "invalid syntax");
}

static void
mark_docstring(struct sg_build *b, const struct sg_value *v)
{
	const struct sg_node *n = &b->nodes.v[v->node];
	struct sg_node *value = &b->nodes.v[n->first];

	if (n->kind == SG_AST_Expr && value->kind == SG_AST_Constant &&
	    b->consts.v[value->aux].kind == SG_CONST_STR)
		value->flags |= SG_NODE_DOCSTRING;
}

/* A block leaves its statements, with the role BODY. */
bool
sg_build_block(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);
	unsigned parent = sg_build_parent(f)->rule;

	for (uint32_t i = 0; i < n; i++) {
		if (v[i].node == 0)
			return invalid(b, f);
		sg_build_of(b, &v[i])->role = SG_ROLE_BODY;
	}
	if (n && (parent == SG_RULE_FUNCTION || parent == SG_RULE_CLASS))
		mark_docstring(b, v);
	return n > 0 || invalid(b, f);
}

bool
sg_build_module(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);

	for (uint32_t i = 0; i < n; i++)
		sg_build_of(b, &v[i])->role = SG_ROLE_BODY;
	if (n)
		mark_docstring(b, v);
	return sg_build_node(b, f, SG_AST_Module) != NULL;
}

/* --- simple statements ----------------------------------------------------------- */

bool
sg_build_expr(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);
	bool comma = sg_build_tok(b, b->end_at) == SG_TOK_COMMA &&
		     v[n - 1].tok1 != b->end_at;

	if (n == 1 &&
	    (v->rule == SG_RULE_ASSIGNMENT || v->rule == SG_RULE_AUGMENTED))
		return true;
	if (n > 1 || comma) {
		for (uint32_t i = 0; i < n; i++)
			if (!sg_build_take(b, &v[i], SG_ROLE_ELT,
					   SG_ALLOW_STAR))
				return false;
		v = sg_build_emit(b, SG_AST_Tuple, SG_RULE_EXPRESSION_LIST,
				  f->tok0, b->end_at, f->base);
		if (!v)
			return false;
	}
	return sg_build_take(b, v, SG_ROLE_VALUE, SG_ALLOW_YIELD) &&
	       sg_build_node(b, f, SG_AST_Expr);
}

/* `target: annotation [= value]` */
static bool
annotated(struct sg_build *b, struct sg_frame *f, struct sg_value *v,
	  uint32_t n)
{
	struct sg_node *target = sg_build_of(b, v);
	bool simple = target->kind == SG_AST_Name && !v->paren;

	if (target->kind == SG_AST_Tuple || target->kind == SG_AST_List)
		return sg_build_refuse_value(b, v,
					     "only a single target can "
					     "be annotated");
	if (sg_build_parent(f)->rule == SG_RULE_ASSIGNMENT || n > 3 ||
	    sg_build_of(b, &v[1])->kind == SG_AST_Starred)
		return invalid(b, f);
	if (!sg_build_target(b, v, SG_ROLE_TARGET, SG_NODE_STORE) ||
	    !sg_build_take(b, &v[1], SG_ROLE_ANNOTATION, 0) ||
	    (n == 3 && !sg_build_take(b, &v[2], SG_ROLE_VALUE, SG_ALLOW_YIELD)))
		return false;
	if (b->job->minor >= 14)
		sg_build_of(b, &v[1])->flags |= SG_NODE_LAZY;
	v = sg_build_node(b, f, SG_AST_AnnAssign);
	if (v && simple)
		sg_build_of(b, v)->flags |= SG_NODE_SIMPLE;
	return v != NULL;
}

/* `a = b = c` is one node: an inner assignment leaves its parts. */
bool
sg_build_assign(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);
	const struct sg_frame *parent = sg_build_parent(f);

	if (n < 2 || v[0].node == 0 || v[1].node == 0)
		return invalid(b, f);
	if (v[1].rule == SG_RULE_TYPE)
		return annotated(b, f, v, n);
	if (!sg_build_target(b, &v[0], SG_ROLE_TARGET, SG_NODE_STORE))
		return false;
	if (parent->rule == SG_RULE_ASSIGNMENT)
		return true;
	if (parent->rule != SG_RULE_EXPR)
		return invalid(b, f);
	return sg_build_take(b, &v[n - 1], SG_ROLE_VALUE, SG_ALLOW_YIELD) &&
	       sg_build_node(b, f, SG_AST_Assign);
}

static enum sg_op
augmented_op(unsigned tok)
{
	static const uint8_t ops[] = {
		SG_OP_ADD,     SG_OP_SUB,     SG_OP_MULT,   SG_OP_DIV,
		SG_OP_MOD,     SG_OP_MATMULT, SG_OP_BITOR,  SG_OP_BITAND,
		SG_OP_BITXOR,  SG_OP_LSHIFT,  SG_OP_RSHIFT, SG_OP_POW,
		SG_OP_FLOORDIV
	};

	return tok >= SG_TOK_PLUSEQUAL && tok <= SG_TOK_DOUBLESLASHEQUAL
		       ? (enum sg_op)ops[tok - SG_TOK_PLUSEQUAL]
		       : SG_OP_NONE;
}

bool
sg_build_augmented(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);
	enum sg_op op;

	if (n != 2 || v[0].node == 0 ||
	    sg_build_parent(f)->rule != SG_RULE_EXPR)
		return invalid(b, f);
	if (sg_build_of(b, v)->kind == SG_AST_Tuple ||
	    sg_build_of(b, v)->kind == SG_AST_List)
		return sg_build_refuse_value(b, v,
					     "an augmented assignment "
					     "takes a single target");
	if (!sg_build_target(b, &v[0], SG_ROLE_TARGET, SG_NODE_STORE) ||
	    !sg_build_take(b, &v[1], SG_ROLE_VALUE, SG_ALLOW_YIELD))
		return false;
	op = augmented_op(sg_build_tok(b, v[0].tok1 + 1));
	v = sg_build_node(b, f, SG_AST_AugAssign);
	if (!v)
		return false;
	sg_build_of(b, v)->op = (uint8_t)op;
	return true;
}

bool
sg_build_return(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);

	return n <= 1 && (n == 0 || sg_build_take(b, v, SG_ROLE_VALUE, 0)) &&
	       sg_build_node(b, f, SG_AST_Return);
}

bool
sg_build_delete(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);

	for (uint32_t i = 0; i < n; i++)
		if (!sg_build_target(b, &v[i], SG_ROLE_TARGET, SG_NODE_DEL))
			return false;
	return sg_build_node(b, f, SG_AST_Delete) != NULL;
}

bool
sg_build_raise(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);
	bool bare_from = b->end_at > f->tok0 &&
			 sg_build_tok(b, f->tok0 + 1) == SG_TOK_FROM;

	if (n > 2 || bare_from)
		return invalid(b, f);
	return (n < 1 || sg_build_take(b, &v[0], SG_ROLE_EXC, 0)) &&
	       (n < 2 || sg_build_take(b, &v[1], SG_ROLE_CAUSE, 0)) &&
	       sg_build_node(b, f, SG_AST_Raise);
}

/* `assert x, y`, and `type X = y`, which the skeleton writes like it. */
bool
sg_build_assert(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);

	if (sg_build_tok(b, f->tok0) != SG_TOK_TYPE)
		return n >= 1 && n <= 2
			       ? sg_build_take(b, &v[0], SG_ROLE_TEST, 0) &&
					 (n < 2 ||
					  sg_build_take(b, &v[1], SG_ROLE_MSG,
							0)) &&
					 sg_build_node(b, f, SG_AST_Assert)
			       : invalid(b, f);
	/* The name, type parameters, the value. */
	if (n < 2 || v[0].node == 0 || sg_build_of(b, v)->kind != SG_AST_Name)
		return invalid(b, f);
	for (uint32_t i = 1; i + 1 < n; i++)
		if (sg_build_of(b, &v[i])->role != SG_ROLE_TYPE_PARAM)
			return invalid(b, f);
	if (!sg_build_target(b, &v[0], SG_ROLE_NAME, SG_NODE_STORE) ||
	    !sg_build_take(b, &v[n - 1], SG_ROLE_VALUE, 0))
		return false;
	sg_build_of(b, &v[n - 1])->flags |= SG_NODE_LAZY;
	return sg_build_node(b, f, SG_AST_TypeAlias) != NULL;
}

bool
sg_build_global(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);

	for (uint32_t i = 0; i < n; i++)
		if (!sg_build_take(b, &v[i], SG_ROLE_NAME, 0))
			return false;
	return sg_build_node(b, f,
			     f->rule == SG_RULE_GLOBAL
				     ? SG_AST_Global
				     : SG_AST_Nonlocal) != NULL;
}

/* --- imports --------------------------------------------------------------------- */

/* Emits an alias over the frame's values, which have no nodes. */
static bool
emit_alias(struct sg_build *b, struct sg_frame *f, uint32_t tok0, uint32_t tok1,
	   uint32_t as)
{
	struct sg_value *v = sg_build_node(b, f, SG_AST_alias);
	struct sg_node *n;

	if (!v)
		return false;
	n = sg_build_of(b, v);
	n->role = SG_ROLE_NAME;
	n->name = sg_build_dotted(b, tok0, tok1);
	n->name_range = sg_build_range(b, tok0, tok1);
	if (as)
		n->aux = sg_build_name(b, as);
	return n->name != 0 && (!as || n->aux != 0);
}

/* A dotted name is an alias below an import, but not the module of a
 * from-import. */
bool
sg_build_dotted_name(struct sg_build *b, struct sg_frame *f)
{
	const struct sg_frame *parent = sg_build_parent(f);
	bool from = parent->rule == SG_RULE_IMPORT_FROM;

	if (from && f->base > parent->base && f->tok0 != b->end_at)
		return invalid(b, f);
	if (parent->rule == SG_RULE_IMPORT || (from && f->base > parent->base))
		return emit_alias(b, f, f->tok0, b->end_at, 0);
	b->values.n = f->base;
	return sg_build_push(b, (struct sg_value){ .tok0 = f->tok0,
						   .tok1 = b->end_at,
						   .rule = f->rule });
}

bool
sg_build_aliased(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);

	if (n != 2 || (v[0].tok0 != v[0].tok1 &&
		       sg_build_parent(f)->rule == SG_RULE_IMPORT_FROM))
		return invalid(b, f);
	return emit_alias(b, f, v[0].tok0, v[0].tok1, v[1].tok0);
}

bool
sg_build_import(struct sg_build *b, struct sg_frame *f)
{
	return sg_build_node(b, f, SG_AST_Import) != NULL;
}

/* The module: dots, then maybe a name. */
bool
sg_build_import_from(struct sg_build *b, struct sg_frame *f)
{
	uint32_t at = f->tok0 + 1, first, level = 0;
	struct sg_value *v;
	struct sg_node *n;

	for (;; at++) {
		unsigned tok = sg_build_tok(b, at);

		if (tok == SG_TOK_DOT)
			level++;
		else if (tok == SG_TOK_ELLIPSIS)
			level += 3;
		else
			break;
	}
	first = at;
	while (sg_tok_is_name(sg_build_tok(b, at)) ||
	       sg_build_tok(b, at) == SG_TOK_DOT)
		at++;
	if (level > UINT8_MAX)
		return invalid(b, f);
	v = sg_build_node(b, f, SG_AST_ImportFrom);
	if (!v)
		return false;
	n = sg_build_of(b, v);
	n->level = (uint8_t)level;
	if (at > first) {
		n->name = sg_build_dotted(b, first, at - 1);
		n->name_range = sg_build_range(b, first, at - 1);
		return n->name != 0;
	}
	return true;
}

/* --- if, loops, with ---------------------------------------------------------------- */

/* Leaves its condition, marked, and its body to the `if`. */
bool
sg_build_elif(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);

	if (n < 2 || !sg_build_take(b, v, SG_ROLE_TEST, SG_ALLOW_NAMED))
		return false;
	v->rule = SG_RULE_ELIF;
	v->paren = false;
	v->tok0 = f->tok0;
	return true;
}

bool
sg_build_else(struct sg_build *b, struct sg_frame *f)
{
	change_roles(b, f, SG_ROLE_BODY,
		     f->rule == SG_RULE_FINALLY ? SG_ROLE_FINALBODY
						: SG_ROLE_ORELSE);
	return true;
}

/* Each elif is an If in the orelse of the one before: built from the last. */
bool
sg_build_if(struct sg_build *b, struct sg_frame *f)
{
	struct sg_value *v = b->values.v + f->base;

	if (!sg_build_take(b, v, SG_ROLE_TEST, SG_ALLOW_NAMED))
		return false;
	for (uint32_t i = b->values.n - 1; i > f->base; i--) {
		if (b->values.v[i].rule != SG_RULE_ELIF)
			continue;
		v = sg_build_emit(b, SG_AST_If, SG_RULE_IF, b->values.v[i].tok0,
				  b->end_at, i);
		if (!v)
			return false;
		sg_build_of(b, v)->role = SG_ROLE_ORELSE;
	}
	return sg_build_node(b, f, SG_AST_If) != NULL;
}

bool
sg_build_for(struct sg_build *b, struct sg_frame *f)
{
	struct sg_value *v = b->values.v + f->base;
	bool async = sg_build_tok(b, f->tok0) == SG_TOK_ASYNC;

	return sg_build_target(b, &v[0], SG_ROLE_TARGET, SG_NODE_STORE) &&
	       sg_build_take(b, &v[1], SG_ROLE_ITER, 0) &&
	       sg_build_node(b, f, async ? SG_AST_AsyncFor : SG_AST_For);
}

/* Turns what the skeleton writes as `while` back into what it was. */
bool
sg_build_while(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);

	if (sg_build_tok(b, f->tok0) != SG_TOK_WHILE &&
	    b->nodes.v[v[n - 1].node].role == SG_ROLE_ORELSE)
		return invalid(b, f);
	switch (sg_build_tok(b, f->tok0)) {
	case SG_TOK_WITH:
		return sg_build_node(b, f, SG_AST_With) != NULL;
	case SG_TOK_ASYNC:
		return sg_build_node(b, f, SG_AST_AsyncWith) != NULL;
	case SG_TOK_MATCH:
		change_roles(b, f, SG_ROLE_BODY, SG_ROLE_CASE);
		return sg_build_take(b, v, SG_ROLE_SUBJECT, SG_ALLOW_NAMED) &&
		       sg_build_node(b, f, SG_AST_Match);
	case SG_TOK_CASE:
		if (n > 1 && sg_build_of(b, &v[1])->role != SG_ROLE_BODY)
			sg_build_of(b, &v[1])->role = SG_ROLE_GUARD;
		return sg_build_node(b, f, SG_AST_match_case) != NULL;
	default:
		return sg_build_take(b, v, SG_ROLE_TEST, SG_ALLOW_NAMED) &&
		       sg_build_node(b, f, SG_AST_While);
	}
}

/* --- try ---------------------------------------------------------------------------- */

/* The exceptions and the name come before the body. */
bool
sg_build_except(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n, types = 0, name = 0;
	struct sg_value *v = sg_build_values(b, f, &n);
	struct sg_node *node;

	while (types < n && !(v[types].node &&
			      sg_build_of(b, &v[types])->role == SG_ROLE_BODY))
		types++;
	if (types && v[types - 1].node == 0) {
		name = v[types - 1].tok0;
		types--;
	}
	for (uint32_t i = 0; i < types; i++)
		if (!sg_build_take(b, &v[i], SG_ROLE_TYPE, 0))
			return false;
	if (types > 1 || (types == 0 && (name || sg_build_tok(b, f->tok0 + 1) ==
							 SG_TOK_STAR)))
		return invalid(b, f);
	v = sg_build_node(b, f, SG_AST_ExceptHandler);
	if (!v)
		return false;
	node = sg_build_of(b, v);
	node->role = SG_ROLE_HANDLER;
	if (name) {
		node->name = sg_build_name(b, name);
		node->name_range = sg_build_range(b, name, name);
	}
	return !name || node->name != 0;
}

bool
sg_build_try(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n, handlers = 0, stars = 0;
	struct sg_value *v = sg_build_values(b, f, &n);
	bool orelse = false, finally = false;

	for (uint32_t i = 0; i < n; i++) {
		const struct sg_node *node = sg_build_of(b, &v[i]);

		orelse = orelse || node->role == SG_ROLE_ORELSE;
		finally = finally || node->role == SG_ROLE_FINALBODY;
		if (node->role != SG_ROLE_HANDLER)
			continue;
		handlers++;
		stars += sg_build_tok(b, v[i].tok0 + 1) == SG_TOK_STAR;
	}
	if (handlers == 0 && (!finally || orelse))
		return sg_build_refuse(
			b, sg_build_range(b, f->tok0, f->tok0),
			"a 'try' needs an 'except' or 'finally'");
	if (stars && stars != handlers)
		return sg_build_refuse(
			b, sg_build_range(b, f->tok0, f->tok0),
			"cannot have both 'except' and 'except*'");
	if (stars && b->job->minor < 11)
		return sg_build_refuse(b, sg_build_range(b, f->tok0, f->tok0),
				       "'except*' needs Python 3.11");
	return sg_build_node(b, f, stars ? SG_AST_TryStar : SG_AST_Try) != NULL;
}
