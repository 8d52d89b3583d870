/* Operators on instances of the script's classes: `a + b` is a.__add__(b),
 * b.__radd__(a) or, for `a += b`, a.__iadd__(b); which one is not asked.
 * The same for what is called when one is stored to, or taken for a text. */

#include "analyzer/value_hook.h"

static const char *const binary[] = {
	[SG_OP_ADD] = "add",           [SG_OP_SUB] = "sub",
	[SG_OP_MULT] = "mul",          [SG_OP_MATMULT] = "matmul",
	[SG_OP_DIV] = "truediv",       [SG_OP_MOD] = "mod",
	[SG_OP_POW] = "pow",           [SG_OP_LSHIFT] = "lshift",
	[SG_OP_RSHIFT] = "rshift",     [SG_OP_BITOR] = "or",
	[SG_OP_BITXOR] = "xor",        [SG_OP_BITAND] = "and",
	[SG_OP_FLOORDIV] = "floordiv",
};

/* In a comparison the other operand is asked with the mirrored one. */
static const struct {
	const char *name, *mirrored;
} comparing[] = {
	[SG_OP_EQ] = { "eq", "eq" },       [SG_OP_NOTEQ] = { "ne", "ne" },
	[SG_OP_LT] = { "lt", "gt" },       [SG_OP_LTE] = { "le", "ge" },
	[SG_OP_GT] = { "gt", "lt" },       [SG_OP_GTE] = { "ge", "le" },
	[SG_OP_IN] = { NULL, "contains" }, [SG_OP_NOTIN] = { NULL, "contains" },
};

/* Who returns NotImplemented gives nothing. */
static uint32_t
without_refusals(struct sg_values *v, uint32_t set)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, set, atoms), kept = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct sg_atom a = sg_atom_at(v, atoms[i]);

		if (a.kind != SG_ATOM_PATH ||
		    !sg_path_is(v, a.a, "builtins.NotImplemented"))
			atoms[kept++] = atoms[i];
	}
	return kept == n ? set : sg_set_of(v, atoms, kept);
}

/* What atom.__PREFIXname__(arguments) gives; 0: its class has no such. */
static uint32_t
hook(struct sg_values *v, uint32_t atom, const char *prefix, const char *name,
     uint32_t nargs, const uint32_t *args)
{
	uint32_t id, out = 0;
	bool found;

	if (!name || !sg_atom_is(v, atom, SG_ATOM_INST))
		return 0;
	id = sg_value_name_id(
		v, sg_arena_printf(v->arena, "__%s%s__", prefix, name));
	(void)sg_class_lookup(v, sg_atom_at(v, atom).a, id, &found);
	if (found)
		out = sg_value_apply(v, sg_value_atom_attr(v, atom, id),
				     v->node, nargs, args);
	return without_refusals(v, out);
}

uint32_t
sg_value_op_hook(struct sg_values *v, enum sg_op op, uint32_t a, uint32_t b)
{
	const char *name = op < sizeof(binary) / sizeof(*binary) ? binary[op]
								 : NULL;
	uint32_t out = hook(v, a, "", name, 1, &b);

	out = sg_set_union(v, out, hook(v, a, "i", name, 1, &b));
	return sg_set_union(v, out, hook(v, b, "r", name, 1, &a));
}

uint32_t
sg_value_unary_hook(struct sg_values *v, enum sg_op op, uint32_t a)
{
	static const uint32_t none = 0;

	return hook(v, a, "",
		    op == SG_OP_USUB     ? "neg"
		    : op == SG_OP_UADD   ? "pos"
		    : op == SG_OP_INVERT ? "invert"
					 : NULL,
		    0, &none);
}

static uint32_t
compare_atoms(struct sg_values *v, enum sg_op op, uint32_t a, uint32_t b)
{
	if (op >= sizeof(comparing) / sizeof(*comparing))
		return 0;
	return sg_set_union(v, hook(v, a, "", comparing[op].name, 1, &b),
			    hook(v, b, "", comparing[op].mirrored, 1, &a));
}

uint32_t
sg_value_compare(struct sg_values *v, uint32_t node)
{
	const struct sg_node *nodes = v->ast->nodes;
	uint32_t left = nodes[node].first, out = v->unknown;
	uint32_t xs[SG_SET_MAX], ys[SG_SET_MAX];

	for (uint32_t i = left ? nodes[left].next : 0; i;
	     left = i, i = nodes[i].next) {
		uint32_t n = sg_set_copy(v, v->val[left], xs);
		uint32_t m = sg_set_copy(v, v->val[i], ys);

		for (uint32_t k = 0; k < n; k++)
			for (uint32_t l = 0; l < m; l++)
				if (sg_atom_is(v, xs[k], SG_ATOM_INST) ||
				    sg_atom_is(v, ys[l], SG_ATOM_INST))
					out = sg_set_union(
						v, out,
						compare_atoms(
							v,
							(enum sg_op)nodes[i]
								.level,
							xs[k], ys[l]));
	}
	return out;
}

uint32_t
sg_value_text_hook(struct sg_values *v, uint32_t atom, char conv, uint32_t spec)
{
	static const uint32_t none = 0;
	uint32_t out = 0;

	if (!conv)
		out = hook(v, atom, "", "format", 1, &spec);
	if (!out && conv != 'r')
		out = hook(v, atom, "", "str", 0, &none);
	return out ? out : hook(v, atom, "", "repr", 0, &none);
}

uint32_t
sg_value_path_hook(struct sg_values *v, uint32_t atom)
{
	static const uint32_t none = 0;

	return hook(v, atom, "", "fspath", 0, &none);
}

void
sg_value_item_hook(struct sg_values *v, uint32_t atom, uint32_t key,
		   uint32_t set)
{
	uint32_t args[2] = { key, set };

	(void)hook(v, atom, "", "setitem", 2, args);
}

void
sg_value_attr_hook(struct sg_values *v, uint32_t atom, uint32_t name,
		   uint32_t set)
{
	uint32_t args[2] = { 0, set };

	if (!v->attr_hooks)
		return;
	args[0] = sg_value_str(v, sg_intern_str(v->names, name));
	(void)hook(v, atom, "", "setattr", 2, args);
}

void
sg_value_delete_hook(struct sg_values *v, uint32_t target)
{
	const struct sg_node *n = &v->ast->nodes[target];
	uint32_t atoms[SG_SET_MAX], count, arg, key;
	bool item = n->kind == SG_AST_Subscript;

	if (!item && n->kind != SG_AST_Attribute)
		return;
	count = sg_set_copy(v, v->val[n->first], atoms);
	key = item ? sg_ast_child(v->ast, target, SG_ROLE_SLICE, 0) : 0;
	arg = item ? (key ? v->val[key] : v->unknown)
		   : sg_value_str(v, sg_intern_str(v->names, n->name));
	for (uint32_t i = 0; i < count; i++)
		(void)hook(v, atoms[i], "", item ? "delitem" : "delattr", 1,
			   &arg);
}
