/*
 * Theory of operation
 *
 * Nodes lie in post-order, so one walk from the first to the last sees every
 * operand before its operator; evaluating a node is a look at its children's
 * sets.  The first walk visits all.  After it only marked nodes are visited:
 * parents of nodes that changed, and readers of cells that grew.  Sets only
 * grow and are bounded, so the marks run out; should that take more than
 * PASSES walks or EVALS evaluations, the script is refused (limit.values), for
 * what is known by then is not all.
 *
 * Bindings happen as early as the order allows: imports and plain functions
 * before the first walk, a loop's target when its iterable is known.  In
 * straight code a chain of `s += x` is folded along the text (prev_bind);
 * within a loop every value of the symbol goes into the next.
 */

#include "analyzer/value.h"

#include "analyzer/factlist.h"
#include "analyzer/value_hook.h"
#include "analyzer/value_node.h"
#include "base/clock.h"

enum {
	PASSES = 200,
	EVALS_PER_NODE = 24,
	EVALS_MIN = 20000,
	CLOCK_EVERY = 512
};

/* --- names ------------------------------------------------------------------------- */

static bool
certainly_bound(const struct sg_values *v, const struct sg_symbol *y,
		uint32_t node)
{
	uint32_t at = v->ast->nodes[node].range.start;
	const struct sg_scope *s =
		&v->scopes->scopes[v->scopes->scope_of[node]];

	if (y->flags & SG_SYMBOL_DELETED)
		return false;
	if (v->scopes->scopes[y->scope].kind == SG_SCOPE_MODULE &&
	    s->outer_start < at)
		at = s->outer_start;
	return y->certain_end <= at;
}

static uint32_t
builtin_name(struct sg_values *v, uint32_t name)
{
	struct sg_modinfo info;

	if (name == v->known.builtins_)
		return sg_set_union(v, sg_value_path(v, v->builtins),
				    sg_atom(v, SG_ATOM_NS, v->builtins, 0));
	if (name == v->known.name_)
		return sg_value_str(v, SG_STR("__main__"));
	if (!sg_path_has(v, v->builtins, name, &info))
		return 0;
	return sg_value_path(v, sg_path_child(v, v->builtins, name));
}

/* What star imports may bring under the name. */
uint32_t
sg_value_starred(struct sg_values *v, uint32_t name, bool bound)
{
	uint32_t out = 0;

	for (uint32_t i = 0; i < v->star_imports; i++) {
		uint32_t module = v->stars[i];
		struct sg_modinfo info;
		bool known = v->paths.v[module].listed ||
			     sg_modtable_find(v->paths.v[module].full, &info);

		if (known && sg_path_has(v, module, name, &info)) {
			if (info.starred)
				out = sg_set_union(
					v, out,
					sg_value_path(v,
						      sg_path_child(v, module,
								    name)));
		} else if (!bound) {
			out = sg_set_union(
				v, out,
				sg_value_path(v,
					      sg_path_child(v, module, name)));
		}
	}
	return out;
}

/* A name of the module scope that may not be bound by the script (yet). */
static uint32_t
outside_name(struct sg_values *v, uint32_t name, bool bound)
{
	uint32_t builtin = builtin_name(v, name), out;
	struct sg_str s;

	out = v->star_imports ? sg_value_starred(v, name, bound || builtin) : 0;
	out = sg_set_union(v, out, builtin);
	if (out || bound)
		return out;
	s = sg_intern_str(v->names, name);
	return sg_value_path(
		v, sg_path_child(v, sg_path_child(v, 0, v->known.main_),
				 sg_value_name_id(v, s)));
}

uint32_t
sg_value_name(struct sg_values *v, uint32_t node)
{
	uint32_t id = v->scopes->symbol_of[node], set = 0, target;
	const struct sg_symbol *y;

	if (!id)
		return v->unknown;
	y = &v->scopes->symbols[id];
	target = y->target;
	if (y->outer) {
		/* In a class body: its own, or what is outside before it. */
		set = sg_cell_read_always(v, id);
		if (certainly_bound(v, y, node))
			return set;
		target = y->outer;
	}
	y = &v->scopes->symbols[target];
	set = sg_set_union(v, set, sg_cell_read_always(v, target));
	if (v->scopes->scopes[y->scope].kind != SG_SCOPE_MODULE ||
	    certainly_bound(v, y, node))
		return set;
	return sg_set_union(
		v, set,
		outside_name(v, y->name, (y->flags & SG_SYMBOL_BOUND) || set));
}

/* --- expressions --------------------------------------------------------------------- */

static uint32_t
eval_constant(struct sg_values *v, uint32_t node)
{
	const struct sg_const *c = &v->ast->consts[v->ast->nodes[node].aux];

	if (v->visits[node] || v->ast->nodes[node].flags & SG_NODE_DOCSTRING)
		return v->val[node];
	switch (c->kind) {
	case SG_CONST_STR:
	case SG_CONST_BYTES:
		if (c->str.n > 1 << 13)
			return c->kind == SG_CONST_STR
				       ? sg_value_prefix(
						 v,
						 sg_str_slice(c->str, 0, 1024))
				       : v->anystr;
		return sg_value_literal(v, c);
	case SG_CONST_INT:
		return sg_value_int(v, c->num);
	case SG_CONST_BIG:
	case SG_CONST_FLOAT:
	case SG_CONST_COMPLEX:
		return v->anynum;
	case SG_CONST_NONE:
	case SG_CONST_TRUE:
	case SG_CONST_FALSE:
	case SG_CONST_ELLIPSIS:
		break;
	}
	return sg_value_const(v, c->kind);
}

static uint32_t
eval_attribute(struct sg_values *v, uint32_t node)
{
	const struct sg_node *n = &v->ast->nodes[node];
	uint32_t base = v->val[n->first], name, set;

	name = sg_scopes_mangle(v->scopes, v->scopes->scope_of[node], n->name);
	if (n->flags & (SG_NODE_STORE | SG_NODE_DEL)) {
		if (v->facts)
			sg_fact_attr(v, base, name, 0, SG_FACT_STORE);
		return v->val[node];
	}
	set = sg_value_attr(v, base, name);
	if (v->facts)
		sg_fact_attr(v, base, name, set, 0);
	return set;
}

static uint32_t
eval_subscript(struct sg_values *v, uint32_t node)
{
	const struct sg_node *n = &v->ast->nodes[node];
	uint32_t key = sg_ast_child(v->ast, node, SG_ROLE_SLICE, 0), set;

	if (!key || n->flags & (SG_NODE_STORE | SG_NODE_DEL))
		return v->val[node];
	if (v->ast->nodes[key].kind == SG_AST_Slice)
		set = sg_value_slice(v, v->val[n->first], key);
	else
		set = sg_value_item(v, v->val[n->first], v->val[key]);
	return set;
}

/* The last name of a callee, for calls that do not resolve. */
static void
emit_unresolved_call(struct sg_values *v, uint32_t func, uint32_t callee,
		     const struct sg_call *c)
{
	const struct sg_node *n = &v->ast->nodes[func];
	char buf[160];
	struct sg_str name = SG_STR("?");

	if (!sg_set_open(v, callee))
		return;
	if (n->kind == SG_AST_Attribute) {
		struct sg_str attr = sg_intern_str(v->names, n->name);

		if (attr.n + 2 <= sizeof(buf)) {
			buf[0] = '?';
			buf[1] = '.';
			memcpy(buf + 2, attr.p, attr.n);
			name = sg_arena_dup(v->arena,
					    (struct sg_str){ buf, attr.n + 2 });
		}
	} else {
		sg_fact_dynamic(v, SG_DYNAMIC_CALLEE, c->node, SG_STR_NONE);
	}
	sg_fact_call(v, name, c, SG_FACT_UNRESOLVED);
}

static uint32_t
eval_call(struct sg_values *v, uint32_t node)
{
	uint32_t func = sg_ast_child(v->ast, node, SG_ROLE_FUNC, 0), callee;
	struct sg_call c;

	if (!func)
		return v->unknown;
	callee = v->val[func];
	sg_value_call_of(v, node, &c);
	if (v->facts) {
		emit_unresolved_call(v, func, callee, &c);
		if (sg_set_open(v, callee))
			sg_value_unresolved_args(v, func, &c);
	}
	if (!callee || callee == v->unknown) {
		for (uint32_t i = 0; i < c.nargs; i++)
			sg_value_escape(v, c.args[i].set);
		return callee ? v->unknown : 0;
	}
	return sg_value_call(v, callee, &c);
}

static uint32_t
union_of_children(struct sg_values *v, uint32_t node, enum sg_role skip)
{
	const struct sg_node *nodes = v->ast->nodes;
	uint32_t set = 0;

	for (uint32_t i = nodes[node].first; i; i = nodes[i].next)
		if (nodes[i].role != skip)
			set = sg_set_union(v, set, v->val[i]);
	return set;
}

static uint32_t
child_value(const struct sg_values *v, uint32_t node, enum sg_role role)
{
	uint32_t i = sg_ast_child(v->ast, node, role, 0);

	return i ? v->val[i] : 0;
}

static uint32_t
eval_lambda(struct sg_values *v, uint32_t node)
{
	sg_cell_add(v, sg_cell(v, SG_CELL_RETURN, node, 0),
		    child_value(v, node, SG_ROLE_BODY));
	return sg_atom(v, SG_ATOM_FUNC, node, 0);
}

/* Expressions; what is not one gives 0. */
static uint32_t
eval_expr(struct sg_values *v, uint32_t node)
{
	const struct sg_node *n = &v->ast->nodes[node];

	switch (n->kind) {
	case SG_AST_Constant:
		return eval_constant(v, node);
	case SG_AST_AugAssign:
		return sg_value_augmented(v, node);
	case SG_AST_Name:
		return n->flags & (SG_NODE_STORE | SG_NODE_DEL)
			       ? v->val[node]
			       : sg_value_name(v, node);
	case SG_AST_Attribute:
		return eval_attribute(v, node);
	case SG_AST_Subscript:
		return eval_subscript(v, node);
	case SG_AST_Call:
		return eval_call(v, node);
	case SG_AST_BinOp:
		return sg_value_binop(v, (enum sg_op)n->op,
				      child_value(v, node, SG_ROLE_LEFT),
				      child_value(v, node, SG_ROLE_RIGHT));
	case SG_AST_UnaryOp:
		return sg_value_unary(v, (enum sg_op)n->op, v->val[n->first]);
	case SG_AST_BoolOp:
		return union_of_children(v, node, SG_ROLE_NONE);
	case SG_AST_IfExp:
		return union_of_children(v, node, SG_ROLE_TEST);
	case SG_AST_NamedExpr:
		return child_value(v, node, SG_ROLE_VALUE);
	case SG_AST_Starred:
		return n->flags & SG_NODE_STORE
			       ? v->val[node]
			       : sg_value_elements(v, v->val[n->first]);
	case SG_AST_Await:
	case SG_AST_keyword:
		return n->first ? v->val[n->first] : 0;
	case SG_AST_Lambda:
		return eval_lambda(v, node);
	case SG_AST_List:
		return sg_value_display(v, node, SG_ATOM_LIST);
	case SG_AST_Tuple:
		return sg_value_display(v, node, SG_ATOM_TUPLE);
	case SG_AST_Set:
		return sg_value_display(v, node, SG_ATOM_SET);
	case SG_AST_Dict:
		return sg_value_dict_display(v, node);
	case SG_AST_ListComp:
		return sg_value_comprehension(v, node, SG_ATOM_LIST);
	case SG_AST_SetComp:
		return sg_value_comprehension(v, node, SG_ATOM_SET);
	case SG_AST_GeneratorExp:
		return sg_value_comprehension(v, node, SG_ATOM_ITER);
	case SG_AST_DictComp:
		return sg_value_comprehension(v, node, SG_ATOM_DICT);
	case SG_AST_JoinedStr:
		return sg_value_joined(v, node);
	case SG_AST_FormattedValue:
		return sg_value_formatted(v, node);
	case SG_AST_Compare:
		return sg_value_compare(v, node);
	case SG_AST_Yield:
		return sg_value_yielded(v, node);
	case SG_AST_YieldFrom:
	case SG_AST_TemplateStr:
	case SG_AST_Interpolation:
		return v->unknown;
	default:
		return 0;
	}
}

/* Whether evaluating the node says facts of its own. */
static bool
speaks(const struct sg_node *n)
{
	switch (n->kind) {
	case SG_AST_Attribute:
	case SG_AST_Subscript:
	case SG_AST_Call:
		return true;
	default:
		return false;
	}
}

/* --- the walk ------------------------------------------------------------------------- */

/* Kinds that bind, pass on or return; see value_bind.c. */
static void
eval_node(struct sg_values *v, uint32_t node)
{
	uint32_t old = v->val[node], set;

	v->node = node;
	v->fanout = 0;
	if (v->facts) {
		if (speaks(&v->ast->nodes[node]))
			(void)eval_expr(v, node);
		sg_value_effects(v, node);
		return;
	}
	set = eval_expr(v, node);
	if (!v->pure) {
		if (v->visits[node] < 255)
			v->visits[node]++;
		set = sg_set_union(v, old, set);
	}
	if (set != old) {
		v->val[node] = set;
		v->class_epoch += v->ast->nodes[node].role == SG_ROLE_BASE;
		if (!v->pure)
			sg_value_mark(v, v->ast->nodes[node].parent);
	}
	sg_value_effects(v, node);
}

void
sg_value_eval_range(struct sg_values *v, uint32_t from, uint32_t to)
{
	uint32_t node = v->node;

	for (uint32_t i = from; i <= to; i++)
		eval_node(v, i);
	v->node = node;
}

static bool
out_of_time(struct sg_values *v)
{
	v->evals++;
	if (++v->work < CLOCK_EVERY)
		return v->failed;
	v->work = 0;
	v->late = sg_clock_cpu() >= v->deadline;
	return v->late || v->failed;
}

/* One walk over the marked nodes; false when it must stop. */
static bool
walk(struct sg_values *v, uint64_t budget, bool *ret_some)
{
	uint32_t words = v->ast->n / 64 + 1;

	*ret_some = false;
	for (uint32_t w = 0; w < words; w++) {
		while (v->dirty[w]) {
			uint32_t bit = (uint32_t)__builtin_ctzll(v->dirty[w]);
			uint32_t node = w * 64 + bit;

			v->dirty[w] &= v->dirty[w] - 1;
			if (!node)
				continue;
			*ret_some = true;
			eval_node(v, node);
			if (out_of_time(v))
				return false;
			if (v->evals > budget) {
				v->endless = true;
				return false;
			}
		}
	}
	return true;
}

/* Walks until nothing is marked; false when it had to stop. */
static bool
walk_all(struct sg_values *v, uint64_t budget)
{
	bool some = true;

	while (some) {
		if (!walk(v, budget, &some))
			return false;
		if (some && ++v->passes >= PASSES) {
			v->endless = true;
			return false;
		}
	}
	return true;
}

/*
 * What has no value by now gets none from the script: parameters of functions
 * that nobody here calls may be anything, and operations on what is not known
 * keep what they can.  Where a set was cut that a function of the script may
 * have been in, any function may have been called with anything.
 */
static void
settle(struct sg_values *v)
{
	const struct sg_node *nodes = v->ast->nodes;

	v->settled = true;
	for (uint32_t i = 1; i <= v->ast->n; i++) {
		if (nodes[i].kind == SG_AST_arg) {
			uint32_t id = v->scopes->symbol_of[i];

			if (id && (v->lossy || !v->cells.v[id].set))
				sg_cell_add(v, id, v->unknown);
		} else if (!v->val[i] && nodes[i].kind >= SG_AST_BoolOp &&
			   nodes[i].kind <= SG_AST_Slice) {
			sg_value_mark(v, i);
		}
	}
}

int
sg_values_run(struct sg_values *v, struct sg_err *err)
{
	uint64_t budget;

	budget = (uint64_t)v->ast->n * EVALS_PER_NODE + EVALS_MIN;
	sg_value_prepare(v);
	for (uint32_t i = 1; i <= v->ast->n; i++)
		sg_value_mark(v, i);
	if (walk_all(v, budget)) {
		bool lossy = v->lossy;

		settle(v);
		if (walk_all(v, budget) && v->lossy && !lossy) {
			settle(v);
			(void)walk_all(v, budget);
		}
	}
	v->settled = true;
	if (v->failed)
		return sg_err_set(err, SG_ENOMEM, "no memory for values");
	return SG_OK;
}

void
sg_values_emit(struct sg_values *v, struct sg_facts *f)
{
	v->facts = f;
	v->names_files = sg_value_names_files(v);
	for (uint32_t i = 1; i <= v->ast->n; i++) {
		eval_node(v, i);
		sg_fact_node(v, i);
		if (out_of_time(v))
			break;
	}
	v->node = v->widened;
	if (v->widened)
		sg_fact_dynamic(v, SG_DYNAMIC_WIDENED, v->widened, SG_STR_NONE);
	v->facts = NULL;
}
