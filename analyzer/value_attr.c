/*
 * What is found under a name: attributes of values and what is written to
 * them.  Items and iteration are in value_item.c.
 *
 * A foreign thing's attribute is a longer dotted name.  A local class is
 * looked up as Python does, own scope first and then its bases, but by union
 * over what each may hold; when nothing local has the name, a foreign base
 * lends it ("class P(Path)": P().read_text is pathlib.Path.read_text).
 */

#include "analyzer/value.h"

#include "analyzer/factlist.h"
#include "analyzer/value_hook.h"

enum {
	QUALIFIED_MAX = 64 /* levels between a def and the module */
};

uint32_t
sg_value_name_id(struct sg_values *v, struct sg_str s)
{
	return sg_intern_id(v->names, s);
}

static uint32_t
builtins_set(struct sg_values *v)
{
	return sg_set_union(v, sg_value_path(v, v->builtins),
			    sg_atom(v, SG_ATOM_NS, v->builtins, 0));
}

/* --- foreign things ------------------------------------------------------ */

static uint32_t
path_attr(struct sg_values *v, uint32_t path, uint32_t name)
{
	const struct sg_known *k = &v->known;
	uint32_t parent = v->paths.v[path].parent, child, set;
	uint32_t module = sg_path_module(v, path);

	if (name == k->dict_)
		return sg_atom(v, SG_ATOM_NS, path, 0);
	if (name == k->self_ && parent)
		return sg_value_path(v, parent);
	if (name == k->globals_)
		return sg_atom(v, SG_ATOM_NS, module, 0);
	if (name == k->builtins_)
		return builtins_set(v);
	if (name == k->call_ || name == k->wrapped_ || name == k->func_)
		return sg_value_path(v, path);
	if (name == k->name_ && v->paths.v[path].kind == SG_PATH_MODULE)
		return sg_value_str(v, v->paths.v[path].full);
	if ((name == k->name_ || name == k->qualname_) &&
	    (v->paths.v[path].kind == SG_PATH_CALLABLE ||
	     v->paths.v[path].kind == SG_PATH_CLASS))
		return sg_value_str(
			v, sg_intern_str(v->names, v->paths.v[path].name));
	child = sg_path_child(v, path, name);
	if (!child)
		return v->unknown;
	set = sg_path_text(v, path, name);
	if (set)
		return set;
	set = sg_value_path(v, child);
	set = sg_set_union(v, set, sg_value_held(v, path));
	if (v->paths.v[child].cell)
		set = sg_set_union(v, set,
				   sg_cell_read(v, v->paths.v[child].cell));
	return set;
}

/* An attribute of an instance whose own class is known by a table. */
static uint32_t
instance_attr(struct sg_values *v, uint32_t atom, uint32_t name)
{
	uint32_t path = sg_atom_at(v, atom).a, set;

	if (name == v->known.class_)
		return sg_value_path(v, path);
	if (name == v->known.dict_)
		return v->unknown;
	set = sg_value_pathlib_attr(v, atom, name);
	return set ? set : path_attr(v, path, name);
}

/* --- local classes -------------------------------------------------------- */

static uint32_t
metaclass_of(struct sg_values *v, uint32_t cls)
{
	uint32_t kw = 0;

	while ((kw = sg_head_child(v->ast, cls, SG_ROLE_KEYWORD, kw)))
		if (v->ast->nodes[kw].name == v->known.metaclass)
			return v->val[kw];
	return 0;
}

/* "C.f", "f.<locals>.g" */
static struct sg_str
qualified(struct sg_values *v, uint32_t node)
{
	const struct sg_node *nodes = v->ast->nodes;
	struct sg_str s = sg_intern_str(v->names, nodes[node].name);

	for (unsigned i = 0; i < QUALIFIED_MAX && node; i++) {
		struct sg_str outer;
		bool class;

		node = nodes[node].parent;
		class = nodes[node].kind == SG_AST_ClassDef;
		if (!class && nodes[node].kind != SG_AST_FunctionDef &&
		    nodes[node].kind != SG_AST_AsyncFunctionDef)
			continue;
		outer = sg_intern_str(v->names, nodes[node].name);
		s = sg_arena_printf(v->arena, "%.*s.%s%.*s", SG_STR_ARG(outer),
				    class ? "" : "<locals>.", SG_STR_ARG(s));
	}
	return s;
}

/* The name of a class or function: as it is defined, and as it was set. */
static uint32_t
named(struct sg_values *v, uint32_t node, uint32_t name)
{
	struct sg_str s = name == v->known.name_
				  ? sg_intern_str(v->names,
						  v->ast->nodes[node].name)
				  : qualified(v, node);

	return sg_set_union(v, sg_value_str(v, s),
			    sg_class_own_field(v, node, name));
}

/* The text that a class or function begins with. */
static uint32_t
docstring(struct sg_values *v, uint32_t node)
{
	const struct sg_node *nodes = v->ast->nodes;
	uint32_t expr = sg_ast_child(v->ast, node, SG_ROLE_BODY, 0);
	uint32_t text = expr ? nodes[expr].first : 0;

	if (!text || nodes[text].kind != SG_AST_Constant ||
	    !(nodes[text].flags & SG_NODE_DOCSTRING))
		return v->none_atom;
	return sg_value_literal(v, &v->ast->consts[nodes[text].aux]);
}

static uint32_t
class_attr(struct sg_values *v, uint32_t atom, uint32_t name)
{
	uint32_t cls = sg_atom_at(v, atom).a, raw, set, meta;
	uint32_t atoms[SG_SET_MAX], n;
	bool found;

	if (name == v->known.dict_)
		return sg_atom(v, SG_ATOM_NSCLASS, cls, 0);
	if (name == v->known.name_ || name == v->known.qualname_)
		return named(v, cls, name);
	raw = sg_class_lookup(v, cls, name, &found);
	set = sg_class_bind_all(v, raw, atom, 0);
	if (name == v->known.doc_)
		set = sg_set_union(v, set, docstring(v, cls));
	if (v->ast->nodes[cls].first && sg_class_is_enum(v, cls)) {
		if (name == v->known.members_)
			return sg_atom(v, SG_ATOM_NSCLASS, cls, 0);
		set = sg_set_union(v, set, sg_atom(v, SG_ATOM_INST, cls, 0));
	}
	meta = metaclass_of(v, cls);
	n = sg_set_copy(v, meta, atoms);
	for (uint32_t i = 0; i < n; i++) {
		struct sg_atom m = sg_atom_at(v, atoms[i]);

		if (m.kind != SG_ATOM_CLASS)
			continue;
		raw = sg_class_lookup(v, m.a, name, &found);
		set = sg_set_union(v, set,
				   sg_class_bind_all(v, raw, m.a, atom));
	}
	return set ? set : v->unknown;
}

/* Functions that were put into an instance, where nothing binds them. */
static uint32_t
kept_functions(struct sg_values *v, uint32_t cls, uint32_t name)
{
	uint32_t line[SG_CLASS_DEPTH], levels = sg_class_line(v, cls, line);
	uint32_t atoms[SG_SET_MAX], out = 0;

	for (uint32_t i = 0; i < levels; i++) {
		uint32_t field = 0, n;

		if (sg_atom_is(v, line[i], SG_ATOM_CLASS))
			field = sg_cell_find(v, SG_CELL_FIELD,
					     sg_atom_at(v, line[i]).a, name);
		n = field ? sg_set_copy(v, v->cells.v[field].set, atoms) : 0;
		for (uint32_t k = 0; k < n; k++)
			if (sg_atom_is(v, atoms[k], SG_ATOM_FUNC))
				out = sg_set_union(v, out, atoms[k]);
	}
	return out;
}

/* __getattribute__ is asked for whatever is there. */
static uint32_t
intercepted(struct sg_values *v, uint32_t atom, uint32_t cls, uint32_t name)
{
	uint32_t hook, str;
	bool found;

	hook = sg_class_lookup(v, sg_atom_at(v, cls).a, v->known.getattribute_,
			       &found);
	if (!found)
		return 0;
	str = sg_value_str(v, sg_intern_str(v->names, name));
	return sg_value_apply(v, sg_class_bind_all(v, hook, cls, atom), v->node,
			      1, &str);
}

static uint32_t
inst_attr(struct sg_values *v, uint32_t atom, uint32_t name)
{
	uint32_t cls = sg_atom_at(v, atom).a, raw, set;
	uint32_t cls_atom = sg_atom(v, SG_ATOM_CLASS, cls, 0);
	bool found;

	if (name == v->known.dict_)
		return sg_atom(v, SG_ATOM_NSINST, cls, 0);
	if (name == v->known.class_)
		return cls_atom;
	raw = sg_class_lookup(v, cls, name, &found);
	set = sg_class_bind_all(v, raw, cls_atom, atom);
	if (found)
		set = sg_set_union(v, set, kept_functions(v, cls, name));
	set = sg_set_union(v, set, intercepted(v, atom, cls_atom, name));
	if ((name == v->known.value || name == v->known.value_) &&
	    sg_class_is_enum(v, cls))
		set = sg_set_union(v, set, sg_enum_values(v, cls));
	if (!found) {
		uint32_t str = sg_value_str(v, sg_intern_str(v->names, name));
		uint32_t hook = sg_class_lookup(v, cls, v->known.getattr_,
						&found);

		if (found)
			set = sg_set_union(
				v, set,
				sg_value_apply(v,
					       sg_class_bind_all(
						       v, hook, cls_atom, atom),
					       v->node, 1, &str));
	}
	return set ? set : v->unknown;
}

static uint32_t
super_attr(struct sg_values *v, struct sg_atom a, uint32_t name)
{
	uint32_t set = sg_class_bind_all(v, sg_class_lookup_above(v, a.a, name),
					 sg_atom(v, SG_ATOM_CLASS, a.a, 0),
					 a.b);

	return set ? set : v->unknown;
}

/* --- functions ------------------------------------------------------------ */

static uint32_t
func_attr(struct sg_values *v, uint32_t atom, uint32_t node, uint32_t name)
{
	const struct sg_known *k = &v->known;
	uint32_t set;

	if (name == k->globals_)
		return v->globals_atom;
	if (name == k->builtins_)
		return builtins_set(v);
	if (name == k->call_ || name == k->func_ || name == k->get_)
		return sg_atom(v, SG_ATOM_FUNC, node, 0);
	if (name == k->dict_)
		return sg_atom(v, SG_ATOM_NSINST, node, 0);
	if (name == k->self_ && sg_atom_is(v, atom, SG_ATOM_BOUND))
		return sg_atom_at(v, atom).b;
	if (name == k->name_ || name == k->qualname_)
		return named(v, node, name);
	set = sg_class_own_field(v, node, name);
	if (name == k->doc_)
		set = sg_set_union(v, set, docstring(v, node));
	return set ? set : v->unknown;
}

static uint32_t
method_attr(struct sg_values *v, uint32_t atom, uint32_t name)
{
	struct sg_atom a = sg_atom_at(v, atom);

	if (name == v->known.self_)
		return a.a;
	if (name == v->known.call_)
		return atom;
	if (name == v->known.name_ || name == v->known.qualname_)
		return sg_value_str(v, sg_intern_str(v->names, a.b));
	return v->unknown;
}

/* The module scope's own binding of a name, or a builtin. */
static uint32_t
global_attr(struct sg_values *v, uint32_t name)
{
	uint32_t symbol = sg_scopes_find(v->scopes, 1, name);
	uint32_t set = symbol ? sg_cell_read(v, symbol) : 0;

	if (name == v->known.builtins_)
		set = sg_set_union(v, set, builtins_set(v));
	set = sg_set_union(v, set,
			   sg_cell_read(v, sg_cell(v, SG_CELL_FIELD, 0, name)));
	if (v->star_imports && !set)
		set = sg_value_starred(v, name, true);
	return set ? set : v->unknown;
}

uint32_t
sg_value_atom_attr(struct sg_values *v, uint32_t atom, uint32_t name)
{
	struct sg_atom a = sg_atom_at(v, atom);

	switch (a.kind) {
	case SG_ATOM_PATH:
		return path_attr(v, a.a, name);
	case SG_ATOM_INSTANCE:
		return instance_attr(v, atom, name);
	case SG_ATOM_FUNC:
	case SG_ATOM_BOUND:
		return func_attr(v, atom, a.a, name);
	case SG_ATOM_CLASS:
		return class_attr(v, atom, name);
	case SG_ATOM_INST:
		return inst_attr(v, atom, name);
	case SG_ATOM_SUPER:
		return super_attr(v, a, name);
	case SG_ATOM_MAIN:
		if (name == v->known.dict_)
			return v->globals_atom;
		return global_attr(v, name);
	case SG_ATOM_STATIC:
	case SG_ATOM_CLSMETH:
	case SG_ATOM_PROPERTY:
		return a.a;
	case SG_ATOM_PARTIAL:
		if (name == v->known.call_)
			return atom;
		return sg_value_partial_part(v, a.a, name);
	case SG_ATOM_METHOD:
		return method_attr(v, atom, name);
	case SG_ATOM_HELD:
		return atom;
	case SG_ATOM_CONST:
		/* None has nothing to call; its class leads on. */
		return sg_str_starts(sg_intern_str(v->names, name),
				     SG_STR("__"))
			       ? v->unknown
			       : 0;
	case SG_ATOM_NONE:
	case SG_ATOM_UNKNOWN:
	case SG_ATOM_WIDE:
	case SG_ATOM_WIDEOBJ:
	case SG_ATOM_CONTEXT:
		return v->unknown;
	case SG_ATOM_ATTRGETTER:
	case SG_ATOM_METHODCALLER:
	case SG_ATOM_ITEMGETTER:
		return name == v->known.call_ ? atom : v->unknown;
	case SG_ATOM_ANYSTR:
		/* An element's text, a match's string. */
		return sg_set_union(v, sg_atom(v, SG_ATOM_METHOD, atom, name),
				    atom == v->made ? atom : 0);
	default:
		return sg_atom(v, SG_ATOM_METHOD, atom, name);
	}
}

uint32_t
sg_value_attr(struct sg_values *v, uint32_t set, uint32_t name)
{
	uint32_t atoms[SG_SET_MAX], n, out = 0;

	if (set && set < SG_SET_MANY)
		return sg_value_atom_attr(v, set, name);
	n = sg_set_copy(v, set, atoms);
	for (uint32_t i = 0; i < n; i++)
		out = sg_set_union(v, out,
				   sg_value_atom_attr(v, atoms[i], name));
	return out;
}

/* --- stores ---------------------------------------------------------------- */

void
sg_value_field_add(struct sg_values *v, uint32_t cls, uint32_t name,
		   uint32_t set)
{
	if (!sg_cell_find(v, SG_CELL_FIELD, cls, name) && !v->pure)
		sg_cell_touch(v, sg_cell(v, SG_CELL_FIELD, cls, 0));
	sg_cell_add(v, sg_cell(v, SG_CELL_FIELD, cls, name), set);
	set = sg_value_leading(v, set);
	if (set)
		sg_cell_add(v, sg_cell(v, SG_CELL_FIELDS, cls, 0), set);
}

void
sg_value_attr_store(struct sg_values *v, uint32_t base, uint32_t name,
		    uint32_t set)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, base, atoms);

	for (uint32_t i = 0; i < n; i++) {
		struct sg_atom a = sg_atom_at(v, atoms[i]);
		uint32_t child, symbol;

		switch (a.kind) {
		case SG_ATOM_PATH:
		case SG_ATOM_INSTANCE:
			child = sg_path_child(v, a.a, name);
			if (!child)
				break;
			if (!v->paths.v[child].cell)
				v->paths.v[child].cell =
					sg_cell(v, SG_CELL_PATH, child, 0);
			sg_cell_add(v, v->paths.v[child].cell, set);
			if (v->facts && a.kind == SG_ATOM_PATH)
				sg_fact_bind_path(v, child);
			break;
		case SG_ATOM_INST:
			sg_value_attr_hook(v, atoms[i], name, set);
			sg_value_field_add(v, a.a, name, set);
			break;
		case SG_ATOM_CLASS:
		case SG_ATOM_FUNC:
		case SG_ATOM_BOUND:
			sg_value_field_add(v, a.a, name, set);
			break;
		case SG_ATOM_MAIN:
			symbol = sg_scopes_find(v->scopes, 1, name);
			sg_cell_add(v,
				    symbol ? symbol
					   : sg_cell(v, SG_CELL_FIELD, 0, name),
				    set);
			break;
		default:
			break;
		}
	}
}
