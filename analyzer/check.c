#include "analyzer/check.h"

#include "base/map.h"
#include "base/vec.h"

/*
 * Theory of operation
 *
 * One pass from the root down (parents have the higher index) gives each
 * node its depth and the node that owns the scope it is in.  One pass from
 * the leaves up, which is the order of the text, then looks at each node
 * whose kind has a rule.  Rules that need more look at parents, or, for the
 * names of scopes, at the table of check_name.c.
 */

static bool
refuse(struct sg_check *c, uint32_t at, const char *message)
{
	return sg_build_refuse(c->b, c->nodes[at].range, "%s", message);
}

/* --- scopes ------------------------------------------------------------------------ */

static bool
is_comprehension(unsigned kind)
{
	return kind >= SG_AST_ListComp && kind <= SG_AST_GeneratorExp;
}

/* The scope of a node below `parent`: the first iterable of a comprehension
 * and all but the body of a definition belong to what is around it. */
static uint32_t
scope_below(const struct sg_check *c, uint32_t at)
{
	const struct sg_node *n = &c->nodes[at];
	uint32_t parent = n->parent, above;

	switch (c->nodes[parent].kind) {
	case SG_AST_FunctionDef:
	case SG_AST_AsyncFunctionDef:
	case SG_AST_ClassDef:
	case SG_AST_Lambda:
		return n->role == SG_ROLE_BODY ? parent : c->scopes[parent];
	case SG_AST_ListComp:
	case SG_AST_SetComp:
	case SG_AST_DictComp:
	case SG_AST_GeneratorExp:
		return parent;
	case SG_AST_comprehension:
		above = c->nodes[parent].parent;
		if (n->role == SG_ROLE_ITER &&
		    sg_ast_child(&c->ast, above, SG_ROLE_GENERATOR, 0) ==
			    parent)
			return c->scopes[above];
		return c->scopes[parent];
	default:
		return c->scopes[parent];
	}
}

/* What sg_check_blocks() wants to know of a statement's children: the items of
 * a with, the parts of a try.  Kept in its op until it is looked at. */
static unsigned
seen_below(const struct sg_check *c, uint32_t at)
{
	const struct sg_node *n = &c->nodes[at];
	unsigned items = 0, seen = 0;

	if (n->kind == SG_AST_With || n->kind == SG_AST_AsyncWith) {
		for (uint32_t i = n->first;
		     i && items < UINT8_MAX && c->nodes[i].role == SG_ROLE_ITEM;
		     i = c->nodes[i].next)
			items++;
		return items;
	}
	if (!sg_check_is_try(c, at))
		return 0;
	for (uint32_t i = n->first; i; i = c->nodes[i].next) {
		if (c->nodes[i].role == SG_ROLE_HANDLER)
			seen |= SG_CHECK_HANDLERS;
		if (c->nodes[i].role == SG_ROLE_FINALBODY)
			seen |= SG_CHECK_FINALLY;
	}
	return seen;
}

static bool
set_scopes(struct sg_check *c)
{
	uint32_t limit = c->b->job->limits->depth;

	c->scopes[c->ast.n] = c->ast.n;
	c->nodes[c->ast.n].depth = 0;
	for (uint32_t i = c->ast.n - 1; i > 0; i--) {
		struct sg_node *n = &c->nodes[i];
		uint32_t depth = c->nodes[n->parent].depth + 1u;

		if (depth > limit || depth > UINT16_MAX)
			return sg_build_problem(
				c->b, "limit.depth", n->range,
				"the syntax tree is nested too deeply");
		n->depth = (uint16_t)depth;
		c->scopes[i] = scope_below(c, i);
		n->op |= (uint8_t)seen_below(c, i);
		c->has[n->kind] = true;
	}
	return true;
}

/* The scope around a comprehension's, where its walruses bind. */
static uint32_t
outer_scope(const struct sg_check *c, uint32_t scope)
{
	while (is_comprehension(c->nodes[scope].kind))
		scope = c->scopes[scope];
	return scope;
}

/* --- places of statements ------------------------------------------------------------ */

/* What a jump may meet on its way out: a loop, or what stops it. */
static bool
check_jump(struct sg_check *c, uint32_t at)
{
	const struct sg_node *n = &c->nodes[at];
	bool is_return = n->kind == SG_AST_Return;
	uint32_t child = at;

	for (uint32_t p = n->parent; p; child = p, p = c->nodes[p].parent) {
		const struct sg_node *up = &c->nodes[p];

		c->steps++;

		if ((up->kind == SG_AST_For || up->kind == SG_AST_AsyncFor ||
		     up->kind == SG_AST_While) &&
		    !is_return && c->nodes[child].role == SG_ROLE_BODY)
			return true;
		if (up->kind == SG_AST_TryStar &&
		    c->nodes[child].role == SG_ROLE_HANDLER)
			return refuse(
				c, at,
				"'break', 'continue' and "
				"'return' cannot appear in an 'except*' block");
		if (sg_check_is_function(up->kind) ||
		    up->kind == SG_AST_ClassDef)
			break;
	}
	if (is_return)
		return true;
	return refuse(c, at,
		      n->kind == SG_AST_Break ? "'break' outside a loop"
					      : "'continue' outside a loop");
}

static bool
check_return(struct sg_check *c, uint32_t at)
{
	uint32_t scope = c->scopes[at];

	if (!sg_check_is_function(c->nodes[scope].kind))
		return refuse(c, at, "'return' outside a function");
	if (c->nodes[scope].kind == SG_AST_AsyncFunctionDef &&
	    c->nodes[at].first)
		c->nodes[scope].op |= SG_CHECK_RETURNS;
	return !c->has[SG_AST_TryStar] || check_jump(c, at);
}

/* An expression that cannot stand in what is evaluated apart: annotations
 * that are not evaluated, bounds, type aliases, headers of generics. */
static const char *
apart(struct sg_check *c, uint32_t at)
{
	bool lazy = c->future_annotations || c->b->job->minor >= 14;
	uint32_t child = at;

	for (uint32_t p = c->nodes[at].parent; p;
	     child = p, p = c->nodes[p].parent) {
		unsigned role = c->nodes[child].role;
		unsigned kind = c->nodes[p].kind;

		c->steps++;
		if (sg_check_is_function(kind) && role == SG_ROLE_BODY)
			return NULL;
		if (lazy &&
		    (role == SG_ROLE_ANNOTATION || role == SG_ROLE_RETURNS))
			return "an annotation";
		if (kind >= SG_AST_TypeVar && kind <= SG_AST_TypeVarTuple)
			return "a type parameter";
		if (kind == SG_AST_TypeAlias)
			return "a type alias";
		if ((kind == SG_AST_FunctionDef ||
		     kind == SG_AST_AsyncFunctionDef ||
		     kind == SG_AST_ClassDef) &&
		    role != SG_ROLE_DECORATOR && role != SG_ROLE_BODY &&
		    sg_ast_child(&c->ast, p, SG_ROLE_TYPE_PARAM, 0) &&
		    c->nodes[at].role != SG_ROLE_DEFAULT &&
		    !(role == SG_ROLE_ARGUMENTS && c->in_default))
			return "the definition of a generic";
	}
	return NULL;
}

static bool
in_default(const struct sg_check *c, uint32_t at)
{
	while (at && c->nodes[at].role != SG_ROLE_BODY) {
		if (c->nodes[at].role == SG_ROLE_DEFAULT &&
		    c->nodes[c->nodes[at].parent].kind == SG_AST_arg)
			return true;
		at = c->nodes[at].parent;
	}
	return false;
}

static bool
check_apart(struct sg_check *c, uint32_t at, const char *what)
{
	const char *where;

	if (!c->has[SG_AST_TypeVar] && !c->has[SG_AST_ParamSpec] &&
	    !c->has[SG_AST_TypeVarTuple] && !c->has[SG_AST_TypeAlias] &&
	    !c->future_annotations && c->b->job->minor < 14)
		return true;
	c->in_default = in_default(c, at);
	where = apart(c, at);
	if (!where || (c->future_annotations && c->b->job->minor < 10))
		return true;
	return sg_build_refuse(c->b, c->nodes[at].range,
			       "%s cannot stand in %s", what, where);
}

static bool
check_yield(struct sg_check *c, uint32_t at)
{
	uint32_t scope = c->scopes[at];
	unsigned kind = c->nodes[scope].kind;

	if (is_comprehension(kind))
		return refuse(c, at, "'yield' inside a comprehension");
	if (!sg_check_is_function(kind))
		return refuse(c, at, "'yield' outside a function");
	if (kind == SG_AST_AsyncFunctionDef) {
		if (c->nodes[at].kind == SG_AST_YieldFrom)
			return refuse(c, at,
				      "'yield from' inside an async "
				      "function");
		c->nodes[scope].op |= SG_CHECK_YIELDS;
	}
	return check_apart(c, at, "'yield'");
}

/* --- async ------------------------------------------------------------------------------ */

/* The annotation of a variable in a function, which is never compiled. */
static bool
is_dropped(const struct sg_check *c, uint32_t at)
{
	uint32_t child = at;

	for (uint32_t p = c->nodes[at].parent; p;
	     child = p, p = c->nodes[p].parent)
		if (c->nodes[p].kind == SG_AST_AnnAssign)
			return c->nodes[child].role == SG_ROLE_ANNOTATION &&
			       sg_check_is_function(
				       c->nodes[c->scopes[p]].kind);
	return false;
}

static bool
check_await(struct sg_check *c, uint32_t at)
{
	uint32_t scope = c->scopes[at];
	unsigned kind = c->nodes[scope].kind;

	if (is_comprehension(kind)) {
		c->nodes[scope].op = SG_CHECK_AWAITS;
		return check_apart(c, at, "'await'");
	}
	if (!sg_check_is_function(kind))
		return refuse(c, at, "'await' outside a function");
	if (kind != SG_AST_AsyncFunctionDef && !is_dropped(c, at))
		return refuse(c, at, "'await' outside an async function");
	return check_apart(c, at, "'await'");
}

static bool
check_async_statement(struct sg_check *c, uint32_t at)
{
	if (c->nodes[c->scopes[at]].kind == SG_AST_AsyncFunctionDef)
		return true;
	return refuse(c, at,
		      c->nodes[at].kind == SG_AST_AsyncFor
			      ? "'async for' outside an async function"
			      : "'async with' outside an async function");
}

/*
 * A comprehension with `async for` or `await` needs an async function around
 * it, unless it is a generator.  From 3.11 on another comprehension will do,
 * which is then one that needs it as well.
 */
static bool
check_comprehension(struct sg_check *c, uint32_t at)
{
	struct sg_node *n = &c->nodes[at];
	uint32_t scope = c->scopes[at];
	unsigned outer = c->nodes[scope].kind;
	bool async = n->op == SG_CHECK_AWAITS;

	for (uint32_t g = sg_ast_child(&c->ast, at, SG_ROLE_GENERATOR, 0); g;
	     g = sg_ast_child(&c->ast, at, SG_ROLE_GENERATOR, g))
		async = async || (c->nodes[g].flags & SG_NODE_ASYNC);
	n->op = 0;
	if (!async || n->kind == SG_AST_GeneratorExp || is_dropped(c, at))
		return true;
	if (outer == SG_AST_AsyncFunctionDef)
		return check_apart(c, at, "an asynchronous comprehension");
	if (c->b->job->minor < 11 || !is_comprehension(outer))
		return refuse(c, at,
			      "an asynchronous comprehension outside "
			      "an async function");
	c->nodes[scope].op = SG_CHECK_AWAITS;
	return true;
}

static bool
check_function(struct sg_check *c, uint32_t at)
{
	struct sg_node *n = &c->nodes[at];
	unsigned seen = n->op;

	n->op = 0;
	if (!sg_check_type_params(c, at))
		return false;
	if (seen == (SG_CHECK_YIELDS | SG_CHECK_RETURNS))
		return sg_build_refuse(c->b, n->name_range,
				       "'return' with a "
				       "value in an async generator");
	return true;
}

static bool
check_class(struct sg_check *c, uint32_t at)
{
	return sg_check_keywords(c, at) && sg_check_type_params(c, at);
}

/* --- walrus ----------------------------------------------------------------------------- */

/* The name that a comprehension's own targets bind. */
static bool
binds_target(struct sg_check *c, uint32_t comprehension, uint32_t name)
{
	const struct sg_node *nodes = c->nodes;

	for (uint32_t g = nodes[comprehension].first; g; g = nodes[g].next) {
		uint32_t target = sg_ast_child(&c->ast, g, SG_ROLE_TARGET, 0);

		c->steps += target - nodes[target].first_in_subtree + 1;
		if (nodes[g].kind != SG_AST_comprehension || !target)
			continue;
		for (uint32_t i = nodes[target].first_in_subtree; i <= target;
		     i++)
			if (nodes[i].kind == SG_AST_Name &&
			    (nodes[i].flags & SG_NODE_STORE) &&
			    nodes[i].name == name)
				return true;
	}
	return false;
}

static bool
in_iterable(struct sg_check *c, uint32_t at)
{
	for (; at; at = c->nodes[at].parent) {
		uint32_t parent = c->nodes[at].parent;

		c->steps++;
		if (c->nodes[at].role == SG_ROLE_ITER &&
		    c->nodes[parent].kind == SG_AST_comprehension)
			return true;
		/* A statement: nothing above it is an expression. */
		if (c->nodes[at].role == SG_ROLE_BODY &&
		    c->nodes[parent].kind != SG_AST_Lambda &&
		    c->nodes[parent].kind != SG_AST_IfExp)
			return false;
	}
	return false;
}

static bool
check_named(struct sg_check *c, uint32_t at)
{
	uint32_t scope = c->scopes[at];
	uint32_t name = c->nodes[c->nodes[at].first].name;

	if (c->some_comprehension && in_iterable(c, at))
		return refuse(c, at,
			      "':=' cannot stand in the iterable of a "
			      "comprehension");
	if (is_comprehension(c->nodes[scope].kind) &&
	    c->nodes[outer_scope(c, scope)].kind == SG_AST_ClassDef)
		return refuse(c, at,
			      "':=' cannot stand in a comprehension in "
			      "the body of a class");
	for (; is_comprehension(c->nodes[scope].kind); scope = c->scopes[scope])
		if (binds_target(c, scope, name))
			return refuse(c, at,
				      "':=' cannot bind again what the "
				      "comprehension binds");
	return check_apart(c, at, "':='");
}

/* --- others ------------------------------------------------------------------------------ */

static bool
check_try(struct sg_check *c, uint32_t at)
{
	for (uint32_t h = sg_ast_child(&c->ast, at, SG_ROLE_HANDLER, 0); h;) {
		uint32_t next = sg_ast_child(&c->ast, at, SG_ROLE_HANDLER, h);

		if (next && !sg_ast_child(&c->ast, h, SG_ROLE_TYPE, 0))
			return refuse(c, h, "a bare 'except' must be the last");
		h = next;
	}
	return true;
}

/* CPython takes the indentation out of docstrings as UTF-8, which cannot
 * hold a surrogate. */
static bool
check_docstring(struct sg_check *c, uint32_t at)
{
	struct sg_str s = c->ast.consts[c->nodes[at].aux].str;

	for (size_t i = 0; i + 1 < s.n; i++)
		if ((unsigned char)s.p[i] == 0xed &&
		    (unsigned char)s.p[i + 1] >= 0xa0)
			return refuse(c, at,
				      "a docstring cannot have a surrogate");
	return true;
}

/* More digits than CPython converts. */
static bool
check_constant(struct sg_check *c, uint32_t at)
{
	const struct sg_node *n = &c->nodes[at];
	const char *p = c->b->text + n->range.start;
	uint32_t digits = 0;

	if ((n->flags & SG_NODE_DOCSTRING) && c->b->job->minor >= 13)
		return check_docstring(c, at);
	if (n->range.end - n->range.start <= SG_MAX_INT_DIGITS ||
	    c->ast.consts[n->aux].kind != SG_CONST_BIG || (*p == '0'))
		return true;
	for (uint32_t i = n->range.start; i < n->range.end; i++)
		digits += c->b->text[i] != '_';
	return digits <= SG_MAX_INT_DIGITS ||
	       refuse(c, at, "the number has too many digits");
}

typedef bool check_fn(struct sg_check *c, uint32_t at);

static check_fn *const checks[SG_AST_COUNT] = {
	[SG_AST_Return] = check_return,
	[SG_AST_Break] = check_jump,
	[SG_AST_Continue] = check_jump,
	[SG_AST_Yield] = check_yield,
	[SG_AST_YieldFrom] = check_yield,
	[SG_AST_Await] = check_await,
	[SG_AST_ListComp] = check_comprehension,
	[SG_AST_SetComp] = check_comprehension,
	[SG_AST_DictComp] = check_comprehension,
	[SG_AST_GeneratorExp] = check_comprehension,
	[SG_AST_FunctionDef] = check_function,
	[SG_AST_AsyncFunctionDef] = check_function,
	[SG_AST_NamedExpr] = check_named,
	[SG_AST_ImportFrom] = sg_check_import,
	[SG_AST_Constant] = check_constant,
	[SG_AST_Call] = sg_check_keywords,
	[SG_AST_ClassDef] = check_class,
	[SG_AST_TypeAlias] = sg_check_type_params,
	[SG_AST_arguments] = sg_check_parameters,
	[SG_AST_Match] = sg_check_match,
	[SG_AST_MatchOr] = sg_check_or,
	[SG_AST_match_case] = sg_check_case,
	[SG_AST_MatchMapping] = sg_check_mapping,
	[SG_AST_MatchClass] = sg_check_class_pattern,
};

static bool
check_node(struct sg_check *c, uint32_t at)
{
	unsigned kind = c->nodes[at].kind;

	if (checks[kind] && !checks[kind](c, at))
		return false;
	switch (kind) {
	case SG_AST_AsyncFor:
	case SG_AST_AsyncWith:
		return check_async_statement(c, at) && sg_check_blocks(c, at);
	case SG_AST_For:
	case SG_AST_While:
	case SG_AST_With:
		return sg_check_blocks(c, at);
	case SG_AST_Try:
	case SG_AST_TryStar:
		return check_try(c, at) && sg_check_blocks(c, at);
	default:
		return true;
	}
}

bool
sg_check_tree(struct sg_build *b)
{
	struct sg_check c = { .b = b,
			      .nodes = b->nodes.v,
			      .ast = { .nodes = b->nodes.v,
				       .n = b->nodes.n - 1,
				       .consts = b->consts.v,
				       .nconsts = b->consts.n,
				       .names = b->job->names } };

	if (!SG_VEC_ROOM(&b->scopes, b->nodes.n, UINT32_MAX / 2))
		return sg_build_no_memory(b);
	c.scopes = b->scopes.v;
	c.debug = sg_intern_find(b->job->names, SG_STR("__debug__"));
	if (!set_scopes(&c))
		return false;
	c.some_comprehension = c.has[SG_AST_comprehension];
	if (c.has[SG_AST_ImportFrom] && !sg_check_futures(&c))
		return false;
	for (uint32_t i = 1; i < c.ast.n; i++) {
		if (!check_node(&c, i))
			return false;
		if (c.steps > SG_MAX_CHECK_STEPS)
			return sg_build_problem(b, "limit.time",
						c.nodes[i].range,
						"the analysis took too long");
	}
	return sg_check_names(&c);
}
