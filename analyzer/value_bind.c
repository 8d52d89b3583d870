/*
 * What statements do to values: imports, definitions, assignments, loops,
 * `with`, `except`, `match`, returns and yields.
 */

#include "analyzer/factlist.h"
#include "analyzer/value_hook.h"
#include "analyzer/value_node.h"

static uint32_t
child_value(const struct sg_values *v, uint32_t node, enum sg_role role)
{
	uint32_t i = sg_ast_child(v->ast, node, role, 0);

	return i ? v->val[i] : 0;
}

/* The symbol that a binding node binds, as the one that holds the value. */
static uint32_t
target_symbol(const struct sg_values *v, uint32_t node)
{
	uint32_t id = v->scopes->symbol_of[node];

	return id ? v->scopes->symbols[id].target : 0;
}

void
sg_value_bind_symbol(struct sg_values *v, uint32_t node, uint32_t set)
{
	uint32_t id = target_symbol(v, node);

	if (id)
		sg_cell_add(v, id, set);
}

/* --- targets ------------------------------------------------------------------------ */

/* Places of a tuple target, from what may be unpacked into it. */
static void
distribute(struct sg_values *v, uint32_t target, uint32_t set)
{
	const struct sg_node *nodes = v->ast->nodes;
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, set, atoms), at = 0;
	bool star = false;

	for (uint32_t i = nodes[target].first; i; i = nodes[i].next, at++) {
		uint32_t part = 0;

		star = star || nodes[i].kind == SG_AST_Starred;
		for (uint32_t k = 0; k < n; k++) {
			uint32_t nth;

			if (star || at >= SG_PLACES ||
			    !sg_value_nth(v, atoms[k], at, &nth))
				nth = sg_value_elements(v, atoms[k]);
			part = sg_set_union(v, part, nth);
		}
		if (nodes[i].kind == SG_AST_Starred)
			part = sg_value_container(v, SG_ATOM_LIST, i, part);
		v->val[i] = sg_set_union(v, v->val[i], part);
	}
}

/* x[i] = set, x[a:b] = set */
static void
store_item(struct sg_values *v, uint32_t node, uint32_t set)
{
	uint32_t key = sg_ast_child(v->ast, node, SG_ROLE_SLICE, 0);

	if (key && v->ast->nodes[key].kind == SG_AST_Slice)
		sg_value_item_store(v, v->val[v->ast->nodes[node].first],
				    v->unknown, sg_value_elements(v, set));
	else
		sg_value_item_store(v, v->val[v->ast->nodes[node].first],
				    child_value(v, node, SG_ROLE_SLICE), set);
}

/*
 * Parents come after their children, so going backwards through the target's
 * nodes hands each part down before it is looked at.
 */
void
sg_value_bind(struct sg_values *v, uint32_t target, uint32_t set)
{
	const struct sg_node *nodes = v->ast->nodes;
	uint32_t first = nodes[target].first_in_subtree;

	if (!v->facts && v->pure && nodes[target].kind == SG_AST_Name) {
		sg_value_bind_pure(v, target_symbol(v, target), set);
		return;
	}
	v->val[target] = sg_set_union(v, v->val[target], set);
	for (uint32_t i = target; i >= first && i; i--) {
		const struct sg_node *n = &nodes[i];

		if (!(n->flags & SG_NODE_STORE))
			continue;
		set = v->val[i];
		switch (n->kind) {
		case SG_AST_Name:
			sg_value_bind_symbol(v, i, set);
			break;
		case SG_AST_Tuple:
		case SG_AST_List:
			distribute(v, i, set);
			break;
		case SG_AST_Starred:
			v->val[n->first] = sg_set_union(v, v->val[n->first],
							set);
			break;
		case SG_AST_Attribute:
			sg_value_attr_store(
				v, v->val[n->first],
				sg_scopes_mangle(v->scopes,
						 v->scopes->scope_of[i],
						 n->name),
				set);
			break;
		case SG_AST_Subscript:
			store_item(v, i, set);
			break;
		default:
			break;
		}
	}
}

/* --- augmented assignment -------------------------------------------------------------- */

static bool
in_loop(const struct sg_values *v, uint32_t node)
{
	const struct sg_node *nodes = v->ast->nodes;

	for (uint32_t i = nodes[node].parent; i; i = nodes[i].parent) {
		if (nodes[i].kind == SG_AST_For ||
		    nodes[i].kind == SG_AST_While ||
		    nodes[i].kind == SG_AST_AsyncFor)
			return true;
		if (v->scopes->inner_of[i])
			return false;
	}
	return false;
}

/* Whether the statement stands in the body of its scope, not below an `if`. */
static bool
straight(const struct sg_values *v, uint32_t node)
{
	uint32_t up = v->ast->nodes[node].parent;

	return v->scopes->inner_of[up] || up == v->ast->n;
}

static uint32_t
bound_by(const struct sg_values *v, uint32_t node)
{
	return v->ast->nodes[node].kind == SG_AST_AugAssign
		       ? v->val[node]
		       : child_value(v, node, SG_ROLE_VALUE);
}

/* Notes the binding before this one in the text, once. */
static void
link_binding(struct sg_values *v, uint32_t node, uint32_t target)
{
	uint32_t id, before;

	if (v->ast->nodes[target].kind != SG_AST_Name || v->visits[node] > 1 ||
	    v->facts || v->pure)
		return;
	id = target_symbol(v, target);
	if (!id)
		return;
	before = v->last_bind[id];
	v->last_bind[id] = node;
	if (!before || before == node ||
	    v->scopes->scope_of[before] != v->scopes->scope_of[node])
		return;
	v->prev_bind[node] = before;
	v->next_bind[before] = node;
}

uint32_t
sg_value_augmented(struct sg_values *v, uint32_t node)
{
	const struct sg_node *n = &v->ast->nodes[node];
	uint32_t target = sg_ast_child(v->ast, node, SG_ROLE_TARGET, 0);
	uint32_t right = child_value(v, node, SG_ROLE_VALUE), before, out;

	if (!target)
		return 0;
	if (v->ast->nodes[target].kind != SG_AST_Name)
		return sg_set_union(v, v->unknown, right);
	if (!v->visits[node])
		v->visits[node] = 1;
	link_binding(v, node, target);
	before = v->prev_bind[node] ? bound_by(v, v->prev_bind[node]) : 0;
	if (!before || v->pure || in_loop(v, node))
		before = sg_set_union(
			v, before, sg_cell_read(v, target_symbol(v, target)));
	out = sg_value_binop(v, (enum sg_op)n->op, before, right);
	return straight(v, node) ? out : sg_set_union(v, out, before);
}

/* --- definitions -------------------------------------------------------------------------- */

static bool
decorated_by(const struct sg_values *v, uint32_t def, const char *name)
{
	uint32_t d = 0;

	while ((d = sg_head_child(v->ast, def, SG_ROLE_DECORATOR, d)))
		if (v->ast->nodes[d].kind == SG_AST_Name &&
		    sg_str_eq(sg_intern_str(v->names, v->ast->nodes[d].name),
			      sg_str_c(name)))
			return true;
	return false;
}

/* The first parameter of a method is an instance, or the class. */
static void
bind_self(struct sg_values *v, uint32_t def)
{
	const struct sg_node *nodes = v->ast->nodes;
	const struct sg_scope *s = &v->scopes->scopes[v->scopes->scope_of[def]];
	uint32_t name = nodes[def].name, arguments, self;
	enum sg_atom_kind kind = SG_ATOM_INST;

	if (s->kind != SG_SCOPE_CLASS || decorated_by(v, def, "staticmethod"))
		return;
	arguments = sg_head_child(v->ast, def, SG_ROLE_ARGUMENTS, 0);
	self = arguments ? nodes[arguments].first : 0;
	if (!self || nodes[self].flags &
			     (SG_NODE_VARARG | SG_NODE_KWARG | SG_NODE_KWONLY))
		return;
	if (decorated_by(v, def, "classmethod") || name == v->known.new_ ||
	    name == v->known.init_subclass_ || name == v->known.class_getitem_)
		kind = SG_ATOM_CLASS;
	sg_value_bind_symbol(v, self, sg_atom(v, kind, s->node, 0));
}

/*
 * What nobody mentions is called by nobody here: its parameters may be
 * anything from the start, which spares a second walk (see settle()).
 */
static void
open_params(struct sg_values *v, uint32_t def)
{
	const struct sg_node *nodes = v->ast->nodes;
	uint32_t name = nodes[def].name;
	uint32_t arguments = sg_head_child(v->ast, def, SG_ROLE_ARGUMENTS, 0);
	struct sg_str s = sg_intern_str(v->names, name);

	if (!arguments || name >= SG_LOW_NAMES ||
	    (v->scopes->mentioned[name] && !sg_str_ends(s, SG_STR("__"))) ||
	    name == v->known.init_)
		return;
	for (uint32_t i = nodes[arguments].first; i; i = nodes[i].next)
		if (nodes[i].kind == SG_AST_arg &&
		    !v->cells.v[v->scopes->symbol_of[i]].set)
			sg_value_bind_symbol(v, i, v->unknown);
}

static uint32_t
defined(struct sg_values *v, uint32_t node)
{
	return sg_atom(v,
		       v->ast->nodes[node].kind == SG_AST_ClassDef
			       ? SG_ATOM_CLASS
			       : SG_ATOM_FUNC,
		       node, 0);
}

/* Decorators are calls with the definition as their argument. */
static void
bind_decorated(struct sg_values *v, uint32_t node)
{
	uint32_t list[32], n = 0, d = 0, plain = defined(v, node), set = plain;

	while ((d = sg_head_child(v->ast, node, SG_ROLE_DECORATOR, d)) &&
	       n < 32)
		list[n++] = d;
	while (n--) {
		struct sg_call c = { .node = list[n],
				     .nargs = 1,
				     .implicit = true };
		uint32_t made;

		c.args[0] = (struct sg_call_arg){ .set = set, .node = list[n] };
		made = sg_value_call(v, v->val[list[n]], &c);
		if (sg_set_open(v, made) ||
		    (made < SG_SET_MANY && sg_atom_is(v, made, SG_ATOM_PATH)))
			made = sg_set_union(v, made, plain);
		set = made;
	}
	sg_value_bind_symbol(v, node, set);
}

void
sg_value_prepare(struct sg_values *v)
{
	for (uint32_t i = v->scopes->defs.n; i-- > 0;) {
		uint32_t node = v->scopes->defs.v[i];
		uint8_t kind = v->ast->nodes[node].kind;

		v->node = node;
		if (kind == SG_AST_alias) {
			sg_value_bind_alias(v, node);
			continue;
		}
		v->attr_hooks = v->attr_hooks ||
				v->ast->nodes[node].name == v->known.setattr_;
		if (!sg_head_child(v->ast, node, SG_ROLE_DECORATOR, 0))
			sg_value_bind_symbol(v, node, defined(v, node));
		if (kind != SG_AST_ClassDef) {
			bind_self(v, node);
			open_params(v, node);
		}
	}
}

/* --- with, except ------------------------------------------------------------------------------ */

uint32_t
sg_value_enter(struct sg_values *v, uint32_t context)
{
	static const uint32_t none = 0;
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, context, atoms);
	uint32_t out = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct sg_atom a = sg_atom_at(v, atoms[i]);
		uint32_t set = atoms[i];

		if (a.kind == SG_ATOM_CONTEXT) {
			struct sg_call c;

			sg_value_call_of(v, a.a, &c);
			set = sg_call_arg(&c, 0, 0);
		} else if (a.kind == SG_ATOM_ITER) {
			set = sg_value_elements(v, atoms[i]);
		} else if (a.kind == SG_ATOM_INST) {
			set = sg_value_apply(
				v,
				sg_value_atom_attr(v, atoms[i],
						   v->known.enter_),
				v->node, 0, &none);
			set = sg_set_union(
				v, set,
				sg_value_apply(
					v,
					sg_value_atom_attr(v, atoms[i],
							   v->known.aenter_),
					v->node, 0, &none));
		}
		out = sg_set_union(v, out, set);
	}
	return out;
}

static void
bind_exception(struct sg_values *v, uint32_t handler, uint32_t types)
{
	uint32_t atoms[SG_SET_MAX], n, out = 0;

	if (!v->ast->nodes[handler].name)
		return;
	n = sg_set_copy(v, types, atoms);
	for (uint32_t i = 0; i < n; i++) {
		struct sg_atom a = sg_atom_at(v, atoms[i]);

		if (sg_atom_is_container(v, atoms[i]))
			bind_exception(
				v, handler,
				sg_value_elements(v, atoms[i]) == types
					? 0
					: sg_value_elements(v, atoms[i]));
		else if (a.kind == SG_ATOM_PATH)
			out = sg_set_union(
				v, out, sg_atom(v, SG_ATOM_INSTANCE, a.a, 0));
		else if (a.kind == SG_ATOM_CLASS)
			out = sg_set_union(v, out,
					   sg_atom(v, SG_ATOM_INST, a.a, 0));
		else
			out = sg_set_union(v, out, v->unknown);
	}
	sg_value_bind_symbol(v, handler, out);
}

/* --- returns ------------------------------------------------------------------------------------- */

static uint32_t
function_of(const struct sg_values *v, uint32_t node)
{
	const struct sg_scope *s =
		&v->scopes->scopes[v->scopes->scope_of[node]];

	return s->function ? v->scopes->scopes[s->function].node : 0;
}

/* What the function around a yield is sent. */
static uint32_t
sent_to(struct sg_values *v, uint32_t node)
{
	uint32_t f = function_of(v, node);

	return f ? sg_cell_read(v, sg_cell(v, SG_CELL_SENT, f, 0)) : 0;
}

uint32_t
sg_value_yielded(struct sg_values *v, uint32_t node)
{
	return sg_set_union(v, v->unknown, sent_to(v, node));
}

void
sg_value_send(struct sg_values *v, uint32_t generators, uint32_t set)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, generators, atoms);

	for (uint32_t i = 0; i < n && set; i++) {
		struct sg_atom a = sg_atom_at(v, atoms[i]);

		if (a.kind == SG_ATOM_ITER)
			sg_cell_add(v, sg_cell(v, SG_CELL_SENT, a.a, 0), set);
	}
}

static void
add_yield(struct sg_values *v, uint32_t node, uint32_t set)
{
	uint32_t f = function_of(v, node);

	if (!f)
		return;
	sg_cell_add(v, sg_cell(v, SG_CELL_RETURN, f, 0),
		    sg_value_container(v, SG_ATOM_ITER, f, set));
}

static void
add_return(struct sg_values *v, uint32_t node)
{
	uint32_t f = function_of(v, node);

	if (f)
		sg_cell_add(v, sg_cell(v, SG_CELL_RETURN, f, 0),
			    child_value(v, node, SG_ROLE_VALUE));
}

/* What a match statement looks at is known better than at the patterns. */
static void
bind_cases(struct sg_values *v, uint32_t node)
{
	const struct sg_node *nodes = v->ast->nodes;
	uint32_t subject = child_value(v, node, SG_ROLE_SUBJECT);

	for (uint32_t c = nodes[node].first; c; c = nodes[c].next) {
		uint32_t pattern = nodes[c].kind == SG_AST_match_case
					   ? sg_ast_child(v->ast, c,
							  SG_ROLE_PATTERN, 0)
					   : 0;

		if (pattern)
			sg_value_match(v, pattern, subject);
	}
}

/* --- all --------------------------------------------------------------------------------------------- */

/* A value that is bound as soon as it is known, by its place. */
static void
early_binding(struct sg_values *v, uint32_t node)
{
	const struct sg_node *n = &v->ast->nodes[node];
	const struct sg_node *p = &v->ast->nodes[n->parent];
	uint32_t target;

	if (n->role == SG_ROLE_ITER) {
		target = sg_ast_child(v->ast, n->parent, SG_ROLE_TARGET, 0);
		if (target)
			sg_value_bind(v, target,
				      sg_value_elements(v, v->val[node]));
	} else if (n->role == SG_ROLE_TYPE && p->kind == SG_AST_ExceptHandler) {
		bind_exception(v, n->parent, v->val[node]);
	} else if (n->role == SG_ROLE_PATTERN && p->kind == SG_AST_match_case) {
		sg_value_match(v, node,
			       child_value(v, p->parent, SG_ROLE_SUBJECT));
	}
}

static void
bind_targets(struct sg_values *v, uint32_t node, uint32_t set)
{
	uint32_t target = 0;

	while ((target = sg_ast_child(v->ast, node, SG_ROLE_TARGET, target))) {
		link_binding(v, node, target);
		sg_value_bind(v, target, set);
	}
	if (v->next_bind[node] && !v->facts && !v->pure)
		sg_value_mark(v, v->next_bind[node]);
}

void
sg_value_effects(struct sg_values *v, uint32_t node)
{
	const struct sg_node *n = &v->ast->nodes[node];
	uint32_t child;

	if (n->role == SG_ROLE_ITER || n->role == SG_ROLE_TYPE ||
	    n->role == SG_ROLE_PATTERN)
		early_binding(v, node);
	switch (n->kind) {
	case SG_AST_Assign:
	case SG_AST_AnnAssign:
	case SG_AST_NamedExpr:
		child = sg_ast_child(v->ast, node, SG_ROLE_VALUE, 0);
		if (child)
			bind_targets(v, node, v->val[child]);
		break;
	case SG_AST_AugAssign:
		bind_targets(v, node, v->val[node]);
		break;
	case SG_AST_Delete:
		for (child = n->first; child;
		     child = v->ast->nodes[child].next) {
			sg_value_delete_hook(v, child);
			if (v->ast->nodes[child].kind == SG_AST_Subscript)
				sg_value_disorder(
					v, v->val[v->ast->nodes[child].first]);
		}
		break;
	case SG_AST_withitem:
		child = sg_ast_child(v->ast, node, SG_ROLE_VARS, 0);
		if (child)
			sg_value_bind(v, child,
				      sg_value_enter(
					      v, child_value(v, node,
							     SG_ROLE_CONTEXT)));
		break;
	case SG_AST_FunctionDef:
	case SG_AST_AsyncFunctionDef:
	case SG_AST_ClassDef:
		if (sg_head_child(v->ast, node, SG_ROLE_DECORATOR, 0))
			bind_decorated(v, node);
		break;
	case SG_AST_arg:
		sg_value_bind_symbol(v, node,
				     child_value(v, node, SG_ROLE_DEFAULT));
		break;
	case SG_AST_Match:
		if (!v->facts)
			bind_cases(v, node);
		break;
	case SG_AST_Return:
		add_return(v, node);
		break;
	case SG_AST_Yield:
		add_yield(v, node, child_value(v, node, SG_ROLE_VALUE));
		break;
	case SG_AST_YieldFrom:
		sg_value_send(v, child_value(v, node, SG_ROLE_VALUE),
			      sent_to(v, node));
		add_yield(v, node,
			  sg_value_elements(
				  v, child_value(v, node, SG_ROLE_VALUE)));
		break;
	default:
		break;
	}
}
