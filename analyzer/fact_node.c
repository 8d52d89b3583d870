/*
 * Facts that follow from a node's kind: imports, names bound, constants,
 * hooks.  What follows from evaluation is said where that happens.
 */

#include "analyzer/factlist.h"
#include "analyzer/value_node.h"

enum { FOLDED_MAX = 4 };

static struct sg_str
name_of(const struct sg_values *v, uint32_t id)
{
	return sg_intern_str(v->names, id);
}

static bool
is_dunder(struct sg_str s)
{
	return s.n > 4 && s.p[0] == '_' && s.p[1] == '_' &&
	       s.p[s.n - 1] == '_' && s.p[s.n - 2] == '_';
}

static bool
in_class(const struct sg_values *v, uint32_t node)
{
	return v->scopes->scopes[v->scopes->scope_of[node]].kind ==
	       SG_SCOPE_CLASS;
}

/* A name is bound; in a class a special one is a hook. */
static void
bound(struct sg_values *v, uint32_t node, uint32_t id)
{
	struct sg_str s = name_of(v, id);
	struct sg_facts *f = v->facts;

	if (!id)
		return;
	sg_fact_add(v, SG_FACT_BIND, node, s, 0);
	if (f->n && f->v[f->n - 1].node == node)
		f->v[f->n - 1].range = v->ast->nodes[node].name_range;
	if (is_dunder(s) && in_class(v, node)) {
		sg_fact_add(v, SG_FACT_HOOK, node, s, 0);
		if (f->n && f->v[f->n - 1].node == node)
			f->v[f->n - 1].range = v->ast->nodes[node].name_range;
	}
}

/* --- imports ------------------------------------------------------------------------- */

static void
import_alias(struct sg_values *v, uint32_t node)
{
	const struct sg_node *n = &v->ast->nodes[node];
	struct sg_str s = name_of(v, n->name);

	sg_fact_add(v, SG_FACT_IMPORT, node, s, 0);
	sg_fact_own_file(v, s);
	sg_fact_refs(v, node, sg_value_path(v, sg_path_of(v, s)), 0);
	bound(v, node,
	      n->aux ? n->aux
		     : sg_value_name_id(
			       v, sg_str_slice(s, 0, sg_str_find(s, '.'))));
}

static struct sg_str
with_dots(struct sg_values *v, const struct sg_node *stmt)
{
	struct sg_str s = name_of(v, stmt->name);

	if (!stmt->level)
		return s;
	return sg_arena_printf(v->arena, "%.*s%.*s",
			       stmt->level < 16 ? stmt->level : 16,
			       "................", SG_STR_ARG(s));
}

static void
from_alias(struct sg_values *v, uint32_t node)
{
	const struct sg_node *n = &v->ast->nodes[node];
	const struct sg_node *stmt = &v->ast->nodes[n->parent];
	struct sg_str module = with_dots(v, stmt);
	uint32_t path = stmt->level ? 0 : sg_path_of(v, module), child;
	struct sg_modinfo info;

	if (n->name == v->known.star) {
		sg_fact_add(v, SG_FACT_IMPORT, n->parent, module,
			    SG_FACT_FROM | SG_FACT_STAR);
		if (!path || (!v->paths.v[path].listed &&
			      !sg_modtable_find(v->paths.v[path].full, &info)))
			sg_fact_dynamic(v, SG_DYNAMIC_STAR, n->parent, module);
		return;
	}
	sg_fact_add(v, SG_FACT_IMPORT, n->parent, module, SG_FACT_FROM);
	sg_fact_own_file(v, module);
	if (path) {
		sg_fact_refs(v, n->parent, sg_value_path(v, path), 0);
		child = sg_path_child(v, path, n->name);
		if (child) {
			sg_fact_refs(v, node, sg_value_path(v, child), 0);
			if (v->paths.v[child].kind == SG_PATH_MODULE)
				sg_fact_add(v, SG_FACT_IMPORT, node,
					    v->paths.v[child].full,
					    SG_FACT_FROM);
		}
	}
	bound(v, node, n->aux ? n->aux : n->name);
}

/* --- strings --------------------------------------------------------------------------- */

static void
constant(struct sg_values *v, uint32_t node)
{
	const struct sg_node *n = &v->ast->nodes[node];
	const struct sg_const *c = &v->ast->consts[n->aux];
	uint32_t flags = 0;

	if (c->kind != SG_CONST_STR && c->kind != SG_CONST_BYTES)
		return;
	if (n->flags & SG_NODE_DOCSTRING)
		flags |= SG_FACT_DOCSTRING;
	if (c->kind == SG_CONST_BYTES)
		flags |= SG_FACT_BYTES;
	sg_fact_add(v, SG_FACT_STRING, node, c->str, flags);
}

/* Text that is the outcome of an operation. */
static void
folded(struct sg_values *v, uint32_t node)
{
	uint32_t one, n, said = 0;
	const uint32_t *atoms = sg_set_atoms(v, v->val[node], &one, &n);

	for (uint32_t i = 0; i < n && said < FOLDED_MAX; i++) {
		struct sg_atom a = sg_atom_at(v, atoms[i]);

		if (a.kind != SG_ATOM_STR && a.kind != SG_ATOM_BYTES)
			continue;
		sg_fact_add(
			v, SG_FACT_STRING, node, v->strs.v[a.a],
			SG_FACT_FOLDED |
				(a.kind == SG_ATOM_BYTES ? SG_FACT_BYTES : 0));
		said++;
	}
}

/* --- hooks ------------------------------------------------------------------------------- */

static void
decorators(struct sg_values *v, uint32_t node)
{
	uint32_t d = 0, atoms[SG_SET_MAX], n;

	while ((d = sg_head_child(v->ast, node, SG_ROLE_DECORATOR, d))) {
		bool some = false;

		n = sg_set_copy(v, v->val[d], atoms);
		for (uint32_t i = 0; i < n; i++) {
			struct sg_atom a = sg_atom_at(v, atoms[i]);
			struct sg_str s;

			if (a.kind != SG_ATOM_PATH &&
			    a.kind != SG_ATOM_INSTANCE)
				continue;
			s = sg_arena_printf(v->arena, "@%.*s",
					    SG_STR_ARG(v->paths.v[a.a].full));
			sg_fact_add(v, SG_FACT_HOOK, d, s, 0);
			some = true;
		}
		if (!some)
			sg_fact_add(v, SG_FACT_HOOK, d, SG_STR("@?"), 0);
	}
}

/* Callables handed to something unknown that is named like a caller. */
void
sg_value_unresolved_args(struct sg_values *v, uint32_t func,
			 const struct sg_call *c)
{
	static const char *const callers[] = {
		"submit",    "map",          "apply",     "apply_async",
		"imap",      "starmap",      "applymap",  "pipe",
		"agg",       "aggregate",    "transform", "run_in_executor",
		"call_soon", "call_later",   "call_at",   "add_done_callback",
		"run",       "call",         "filter",    "reduce",
		"register",  "connect",      "bind",      "on",
		"then",      "add_callback",
	};
	const struct sg_node *n = &v->ast->nodes[func];
	bool caller = false;

	if (n->kind != SG_AST_Attribute)
		return;
	for (size_t i = 0; i < sizeof(callers) / sizeof(*callers); i++)
		caller = caller ||
			 sg_str_eq(name_of(v, n->name), sg_str_c(callers[i]));
	for (uint32_t i = 0; i < c->nargs && caller; i++) {
		uint32_t atoms[SG_SET_MAX];
		uint32_t m = sg_set_copy(v, c->args[i].set, atoms);

		for (uint32_t k = 0; k < m; k++) {
			struct sg_atom a = sg_atom_at(v, atoms[k]);
			struct sg_call inner = { .node = c->node,
						 .starred = true };

			if (a.kind == SG_ATOM_PATH &&
			    v->paths.v[a.a].kind == SG_PATH_CALLABLE)
				sg_fact_call(v, v->paths.v[a.a].full, &inner,
					     SG_FACT_IMPLICIT);
		}
	}
}

/* d[k] = x of a foreign thing: the call that it is. */
static void
item_store(struct sg_values *v, uint32_t node)
{
	const struct sg_node *n = &v->ast->nodes[node];
	uint32_t slice = sg_ast_child(v->ast, node, SG_ROLE_SLICE, 0);
	uint32_t atoms[SG_SET_MAX], m = sg_set_copy(v, v->val[n->first], atoms);
	struct sg_call c = { .node = node, .nargs = 2, .implicit = true };

	if (!slice)
		return;
	c.args[0].set = v->val[slice];
	c.args[0].node = slice;
	c.args[1].set = v->val[node];
	c.args[1].node = node;
	for (uint32_t i = 0; i < m; i++) {
		struct sg_atom a = sg_atom_at(v, atoms[i]);
		struct sg_str s;

		if (a.kind != SG_ATOM_PATH)
			continue;
		s = sg_arena_printf(v->arena, "%.*s.__setitem__",
				    SG_STR_ARG(v->paths.v[a.a].full));
		sg_fact_call(v, s, &c, SG_FACT_IMPLICIT);
	}
}

/* --- all ---------------------------------------------------------------------------------- */

static void
store_or_load(struct sg_values *v, uint32_t node)
{
	const struct sg_node *n = &v->ast->nodes[node];
	uint8_t up = v->ast->nodes[n->parent].kind;

	if (up == SG_AST_Global || up == SG_AST_Nonlocal)
		return;
	if (n->flags & (SG_NODE_STORE | SG_NODE_DEL))
		bound(v, node, n->name);
	else
		sg_fact_refs(v, node, v->val[node], 0);
}

void
sg_fact_node(struct sg_values *v, uint32_t node)
{
	const struct sg_node *n = &v->ast->nodes[node];

	switch (n->kind) {
	case SG_AST_Name:
		store_or_load(v, node);
		break;
	case SG_AST_Constant:
		constant(v, node);
		break;
	case SG_AST_alias:
		if (v->ast->nodes[n->parent].kind == SG_AST_Import)
			import_alias(v, node);
		else
			from_alias(v, node);
		break;
	case SG_AST_Subscript:
		if (n->flags & SG_NODE_STORE)
			item_store(v, node);
		__attribute__((fallthrough));
	case SG_AST_Call:
		sg_fact_refs(v, node, v->val[node], SG_FACT_INDIRECT);
		folded(v, node);
		sg_fact_composed_path(v, node);
		break;
	case SG_AST_Attribute:
		sg_fact_composed_path(v, node);
		break;
	case SG_AST_BinOp:
	case SG_AST_AugAssign:
		sg_fact_composed_path(v, node);
		__attribute__((fallthrough));
	case SG_AST_JoinedStr:
		folded(v, node);
		break;
	case SG_AST_FunctionDef:
	case SG_AST_AsyncFunctionDef:
	case SG_AST_ClassDef:
		decorators(v, node);
		bound(v, node, n->name);
		break;
	case SG_AST_arg:
	case SG_AST_ExceptHandler:
	case SG_AST_MatchAs:
	case SG_AST_MatchStar:
	case SG_AST_MatchMapping:
	case SG_AST_TypeVar:
	case SG_AST_ParamSpec:
	case SG_AST_TypeVarTuple:
		bound(v, node, n->name);
		break;
	default:
		break;
	}
}
