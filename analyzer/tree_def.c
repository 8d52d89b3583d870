#include "analyzer/tree_build.h"

/* Functions, classes, their parameters and type parameters. */

static bool
invalid(struct sg_build *b, struct sg_frame *f)
{
	return sg_build_refuse(b, sg_build_range(b, f->tok0, b->end_at),
			       "invalid syntax");
}

/* --- parameters ------------------------------------------------------------------ */

/* Emits the arg of the frame, named by `token`. */
static bool
emit_arg(struct sg_build *b, struct sg_frame *f, uint32_t token, unsigned flags)
{
	struct sg_value *v = sg_build_node(b, f, SG_AST_arg);
	struct sg_node *n;

	if (!v)
		return false;
	n = sg_build_of(b, v);
	n->flags |= (uint16_t)flags;
	n->name = sg_build_name(b, token);
	n->name_range = sg_build_range(b, token, token);
	return n->name != 0;
}

/* `*args` and `**kwargs`: an arg below parameters, else a bare name. */
bool
sg_build_splat_pattern(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);
	unsigned parent = sg_build_parent(f)->rule;

	if (n != 1 || v[0].node != 0)
		return invalid(b, f);
	if (parent == SG_RULE_TYPED_PARAMETER) {
		v[0].rule = f->rule;
		return true;
	}
	if (parent != SG_RULE_PARAMETERS && parent != SG_RULE_LAMBDA_PARAMETERS)
		return invalid(b, f);
	return emit_arg(b, f, v[0].tok0,
			f->rule == SG_RULE_STAR_PATTERN ? SG_NODE_VARARG
							: SG_NODE_KWARG);
}

/* `x=1`, `x: T = 1` */
bool
sg_build_default(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);

	if (n < 2 || v[0].node != 0 ||
	    !sg_build_take(b, &v[n - 1], SG_ROLE_DEFAULT, 0) ||
	    (n == 3 && !sg_build_take(b, &v[1], SG_ROLE_ANNOTATION, 0)))
		return invalid(b, f);
	if (n == 3 && b->job->minor >= 14)
		sg_build_of(b, &v[1])->flags |= SG_NODE_LAZY;
	return emit_arg(b, f, v[0].tok0, 0);
}

/* `x: T`, `*x: T` */
bool
sg_build_typed(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);
	unsigned flags = 0, allow = 0;

	if (n != 2 || v[0].node != 0)
		return invalid(b, f);
	if (v[0].rule == SG_RULE_STAR_PATTERN) {
		flags = SG_NODE_VARARG;
		allow = b->job->minor >= 11 ? SG_ALLOW_STAR : 0;
	} else if (v[0].rule == SG_RULE_DOUBLESTAR_PATTERN) {
		flags = SG_NODE_KWARG;
	}
	/* The type's value keeps the rule of what it holds. */
	if (b->nodes.v[v[1].node].kind == SG_AST_Starred)
		v[1].rule = SG_RULE_STAR;
	if (!sg_build_take(b, &v[1], SG_ROLE_ANNOTATION, allow))
		return false;
	if (b->job->minor >= 14)
		sg_build_of(b, &v[1])->flags |= SG_NODE_LAZY;
	return emit_arg(b, f, v[0].tok0, flags);
}

/* What has been seen of a parameter list. */
struct list {
	bool slash, star, kwarg, defaults;
	bool star_only; /* a `*` that still needs a name after it */
};

/* Checks one parameter against those before it and gives it its flags. */
static bool
check_param(struct sg_build *b, const struct sg_value *v, struct list *l)
{
	struct sg_node *n = &b->nodes.v[v->node];
	bool has_default = false;

	for (uint32_t c = n->first; c; c = b->nodes.v[c].next)
		has_default = has_default ||
			      b->nodes.v[c].role == SG_ROLE_DEFAULT;
	n->role = SG_ROLE_PARAM;
	if (l->kwarg)
		return sg_build_refuse_value(b, v, "a parameter follows '**'");
	if (n->flags & SG_NODE_KWARG) {
		l->kwarg = true;
		return !l->star_only ||
		       sg_build_refuse_value(
			       b, v, "named parameters must follow '*'");
	}
	if (n->flags & SG_NODE_VARARG) {
		if (l->star)
			return sg_build_refuse_value(
				b, v,
				"'*' can stand only once in a parameter list");
		l->star = true;
		return true;
	}
	if (l->star) {
		l->star_only = false;
		n->flags |= SG_NODE_KWONLY;
		return true;
	}
	if (l->defaults && !has_default)
		return sg_build_refuse_value(
			b, v,
			"a parameter without a "
			"default follows one with a default");
	l->defaults = l->defaults || has_default;
	return true;
}

/* `/` or `*` alone. */
static bool
check_mark(struct sg_build *b, struct sg_value *all, uint32_t at,
	   struct list *l)
{
	const struct sg_value *v = &all[at];

	if (v->rule == SG_RULE_SLASH) {
		if (l->slash || l->star || l->kwarg || at == 0)
			return sg_build_refuse_value(b, v,
						     "'/' cannot stand "
						     "here");
		l->slash = true;
		for (uint32_t i = 0; i < at; i++)
			sg_build_of(b, &all[i])->flags |= SG_NODE_POSONLY;
		return true;
	}
	if (l->star || l->kwarg)
		return sg_build_refuse_value(b, v, "'*' cannot stand here");
	l->star = l->star_only = true;
	return true;
}

bool
sg_build_parameters(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);
	struct list l = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		bool good;

		if (v[i].node == 0)
			good = (v[i].rule == SG_RULE_SLASH ||
				v[i].rule == SG_RULE_STAR_ONLY) &&
			       check_mark(b, v, i, &l);
		else
			good = sg_build_of(b, &v[i])->kind == SG_AST_arg &&
			       check_param(b, &v[i], &l);
		if (!good)
			return invalid(b, f);
	}
	if (l.star_only)
		return sg_build_refuse(b, sg_build_range(b, f->tok0, b->end_at),
				       "named parameters must follow '*'");
	v = sg_build_node(b, f, SG_AST_arguments);
	if (!v)
		return false;
	sg_build_of(b, v)->role = SG_ROLE_ARGUMENTS;
	return true;
}

bool
sg_build_no_arguments(struct sg_build *b, struct sg_frame *f)
{
	struct sg_value *v = sg_build_emit(b, SG_AST_arguments,
					   SG_RULE_LAMBDA_PARAMETERS, f->tok0,
					   f->tok0, b->values.n);

	if (!v)
		return false;
	sg_build_of(b, v)->role = SG_ROLE_ARGUMENTS;
	sg_build_of(b, v)->range.start = sg_build_of(b, v)->range.end;
	return true;
}

/* An annotation: its value goes to the parent, under this rule. */
bool
sg_build_type(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);

	if (n != 1 || v[0].node == 0)
		return invalid(b, f);
	if (v[0].rule != SG_RULE_TYPE_VAR)
		v[0].rule = SG_RULE_TYPE;
	return true;
}

/* --- type parameters --------------------------------------------------------------- */

/* Written as a call: the name, then bound and default. */
bool
sg_build_type_var(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);
	unsigned before = f->tok0 ? sg_build_tok(b, f->tok0 - 1) : SG_TOK_NIL;
	enum sg_ast_kind kind = before == SG_TOK_STAR ? SG_AST_TypeVarTuple
				: before == SG_TOK_DOUBLESTAR ? SG_AST_ParamSpec
							      : SG_AST_TypeVar;
	uint32_t token = f->tok0;
	struct sg_node *node;

	for (uint32_t i = 0; i < n; i++) {
		if (v[i].node == 0)
			continue;
		node = sg_build_of(b, &v[i]);
		if (node->role == SG_ROLE_BOUND && kind != SG_AST_TypeVar)
			return sg_build_refuse_value(
				b, &v[i],
				"only a plain "
				"type parameter can have a bound");
		if (node->kind == SG_AST_Starred &&
		    (node->role == SG_ROLE_BOUND ||
		     kind != SG_AST_TypeVarTuple))
			return sg_build_refuse_value(
				b, &v[i],
				"a starred "
				"expression cannot stand here");
		node->flags |= SG_NODE_LAZY;
	}
	v = sg_build_emit(b, kind, SG_RULE_TYPE_VAR,
			  kind == SG_AST_TypeVar ? token : token - 1, b->end_at,
			  f->base);
	if (!v)
		return false;
	node = sg_build_of(b, v);
	node->role = SG_ROLE_TYPE_PARAM;
	node->name = sg_build_name(b, token);
	node->name_range = sg_build_range(b, token, token);
	return node->name != 0;
}

/* The list of them: leaves them to the definition. */
bool
sg_build_type_parameter(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);
	bool alias = n && v[0].rule != SG_RULE_TYPE_VAR;
	bool defaults = false;

	for (uint32_t i = alias; i < n; i++) {
		bool has = false;

		if (v[i].node == 0 ||
		    sg_build_of(b, &v[i])->role != SG_ROLE_TYPE_PARAM)
			return invalid(b, f);
		for (uint32_t c = sg_build_of(b, &v[i])->first; c;
		     c = b->nodes.v[c].next)
			has = has || b->nodes.v[c].role == SG_ROLE_DEFAULT;
		if (defaults && !has)
			return sg_build_refuse_value(
				b, &v[i],
				"a type "
				"parameter without a default follows one with "
				"a default");
		defaults = defaults || has;
	}
	return n > (alias ? 1u : 0u) || invalid(b, f);
}

/* --- definitions ---------------------------------------------------------------------- */

/* Where the values of a definition begin: with its decorators, which wait
 * in the frame around it. */
static uint32_t
with_decorators(const struct sg_frame *f)
{
	const struct sg_frame *parent = sg_build_parent(f);

	return parent->rule == SG_RULE_DECORATED ? parent->base : f->base;
}

bool
sg_build_function(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);
	bool async = sg_build_tok(b, f->tok0) == SG_TOK_ASYNC;
	uint32_t token = f->tok0 + (async ? 2 : 1);
	struct sg_node *node;

	for (uint32_t i = 0; i < n; i++) {
		if (v[i].rule != SG_RULE_TYPE)
			continue;
		if (b->nodes.v[v[i].node].kind == SG_AST_Starred)
			return sg_build_refuse_value(
				b, &v[i],
				"a starred "
				"expression cannot stand here");
		sg_build_of(b, &v[i])->role = SG_ROLE_RETURNS;
		if (b->job->minor >= 14)
			sg_build_of(b, &v[i])->flags |= SG_NODE_LAZY;
	}
	v = sg_build_emit(
		b, async ? SG_AST_AsyncFunctionDef : SG_AST_FunctionDef,
		SG_RULE_FUNCTION, f->tok0, b->end_at, with_decorators(f));
	if (!v)
		return false;
	node = sg_build_of(b, v);
	node->name = sg_build_name(b, token);
	node->name_range = sg_build_range(b, token, token);
	return node->name != 0;
}

bool
sg_build_class(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n, token = f->tok0 + 1;
	struct sg_value *v = sg_build_values(b, f, &n);
	struct sg_node *node;

	for (uint32_t i = 0; i < n; i++)
		if (v[i].node && sg_build_of(b, &v[i])->role == SG_ROLE_ARG)
			sg_build_of(b, &v[i])->role = SG_ROLE_BASE;
	v = sg_build_emit(b, SG_AST_ClassDef, SG_RULE_CLASS, f->tok0, b->end_at,
			  with_decorators(f));
	if (!v)
		return false;
	node = sg_build_of(b, v);
	node->name = sg_build_name(b, token);
	node->name_range = sg_build_range(b, token, token);
	return node->name != 0;
}

bool
sg_build_decorator(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);

	return n == 1 && sg_build_take(b, v, SG_ROLE_DECORATOR, SG_ALLOW_NAMED);
}

/* The definition has taken the decorators. */
bool
sg_build_decorated(struct sg_build *b, struct sg_frame *f)
{
	return b->values.n == f->base + 1 || invalid(b, f);
}
