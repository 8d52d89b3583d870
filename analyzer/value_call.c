/*
 * Calls: what is passed into local functions and what comes back.
 *
 * A local function is not walked again for each call: its parameters are
 * cells that every call adds to, and its result is a cell that every call
 * reads.  That joins the callers, which is coarse and always ends.
 */

#include "analyzer/value.h"

#include "analyzer/factlist.h"
#include "analyzer/value_hook.h"

enum { CALL_DEPTH = 8, FANOUT = 96 };

uint32_t
sg_value_apply(struct sg_values *v, uint32_t callee, uint32_t node,
	       uint32_t nargs, const uint32_t *sets)
{
	struct sg_call c = { .node = node };

	for (uint32_t i = 0; i < nargs; i++)
		sg_call_push(&c, sets[i], 0, node, 0);
	return sg_value_call(v, callee, &c);
}

/* --- local functions --------------------------------------------------------- */

/* What is left for *args: its own tuple, elements joined and by place. */
static void
bind_rest(struct sg_values *v, uint32_t param, const struct sg_call *c,
	  uint32_t from)
{
	int64_t at = 0;

	sg_cell_add(v, v->scopes->symbol_of[param],
		    sg_atom(v, SG_ATOM_TUPLE, param, 0));
	for (; from < c->nargs; from++) {
		const struct sg_call_arg *a = &c->args[from];

		if (a->keyword || a->stars == 2)
			continue;
		sg_cell_add(v, sg_cell(v, SG_CELL_ALL, param, 0), a->set);
		if (!c->starred)
			sg_cell_add(v,
				    sg_cell(v, SG_CELL_KEY, param,
					    sg_value_int(v, at++)),
				    a->set);
	}
}

static bool
has_param(const struct sg_values *v, uint32_t arguments, uint32_t name)
{
	const struct sg_node *nodes = v->ast->nodes;

	for (uint32_t i = nodes[arguments].first; i; i = nodes[i].next)
		if (nodes[i].name == name &&
		    !(nodes[i].flags & (SG_NODE_VARARG | SG_NODE_KWARG)))
			return true;
	return false;
}

static void
bind_keywords(struct sg_values *v, uint32_t param, uint32_t arguments,
	      const struct sg_call *c)
{
	sg_cell_add(v, v->scopes->symbol_of[param],
		    sg_atom(v, SG_ATOM_DICT, param, 0));
	for (uint32_t i = 0; i < c->nargs; i++) {
		const struct sg_call_arg *a = &c->args[i];
		uint32_t key;

		if (!a->keyword && a->stars != 2)
			continue;
		if (a->keyword && has_param(v, arguments, a->keyword))
			continue;
		key = a->keyword ? sg_value_str(v, sg_intern_str(v->names,
								 a->keyword))
				 : v->anystr;
		sg_value_item_store(v, sg_atom(v, SG_ATOM_DICT, param, 0), key,
				    a->set);
	}
}

/* The next positional argument from *at on, or 0. */
static uint32_t
next_positional(const struct sg_call *c, uint32_t *at)
{
	while (*at < c->nargs &&
	       (c->args[*at].keyword || c->args[*at].stars == 2))
		++*at;
	if (*at >= c->nargs)
		return 0;
	if (c->args[*at].stars == 1)
		return c->args[*at].set; /* goes on for ever */
	return c->args[(*at)++].set;
}

static uint32_t
named(const struct sg_values *v, const struct sg_call *c, uint32_t name)
{
	uint32_t set = 0;

	for (uint32_t i = 0; i < c->nargs; i++)
		if (c->args[i].keyword == name || c->args[i].stars == 2)
			set = c->args[i].set;
	(void)v;
	return set;
}

static void
bind_params(struct sg_values *v, uint32_t func, uint32_t self,
	    const struct sg_call *c)
{
	const struct sg_node *nodes = v->ast->nodes;
	uint32_t arguments, at = 0;
	bool first = self != 0;

	arguments = sg_head_child(v->ast, func, SG_ROLE_ARGUMENTS, 0);
	if (!arguments)
		return;
	for (uint32_t i = nodes[arguments].first; i; i = nodes[i].next) {
		const struct sg_node *n = &nodes[i];
		uint32_t set = 0;

		sg_value_work(v, 1 + c->nargs / 4);
		if (n->kind != SG_AST_arg)
			continue;
		if (n->flags & SG_NODE_VARARG) {
			bind_rest(v, i, c, at);
			first = false;
			at = c->nargs;
			continue;
		}
		if (n->flags & SG_NODE_KWARG) {
			bind_keywords(v, i, arguments, c);
			continue;
		}
		if (first && !(n->flags & SG_NODE_KWONLY)) {
			set = self;
			first = false;
		} else if (!(n->flags & SG_NODE_KWONLY)) {
			set = next_positional(c, &at);
		}
		set = sg_set_union(v, set, named(v, c, n->name));
		sg_cell_add(v, v->scopes->symbol_of[i], set);
	}
}

static uint32_t
func_call(struct sg_values *v, uint32_t func, uint32_t self,
	  const struct sg_call *c)
{
	if (!v->facts)
		bind_params(v, func, self, c);
	return sg_cell_read(v, sg_cell(v, SG_CELL_RETURN, func, 0));
}

/* --- local classes ------------------------------------------------------------ */

/* A dataclass or the like: annotated fields are the parameters. */
static void
bind_fields(struct sg_values *v, uint32_t cls, const struct sg_call *c)
{
	const struct sg_node *nodes = v->ast->nodes;
	uint32_t at = 0;

	for (uint32_t i = nodes[cls].first; i; i = nodes[i].next) {
		uint32_t target, set;

		sg_value_work(v, 1);
		if (nodes[i].kind != SG_AST_AnnAssign)
			continue;
		target = sg_ast_child(v->ast, i, SG_ROLE_TARGET, 0);
		if (!target || nodes[target].kind != SG_AST_Name)
			continue;
		set = next_positional(c, &at);
		set = sg_set_union(v, set, named(v, c, nodes[target].name));
		sg_value_field_add(v, cls, nodes[target].name, set);
	}
}

/* class P(Path), class S(str): P('x') is a path, or a text, as well. */
static uint32_t
made_by_base(struct sg_values *v, uint32_t cls, const struct sg_call *c)
{
	uint32_t line[SG_CLASS_DEPTH], n = sg_class_line(v, cls, line), out = 0;

	for (uint32_t i = 1; i < n; i++) {
		struct sg_atom a = sg_atom_at(v, line[i]);
		struct sg_str s;

		if (a.kind != SG_ATOM_PATH)
			continue;
		s = v->paths.v[a.a].full;
		if (sg_str_starts(s, SG_STR("pathlib.")) ||
		    sg_str_eq(s, SG_STR("builtins.str")) ||
		    sg_str_eq(s, SG_STR("builtins.bytes")))
			out = sg_set_union(v, out,
					   sg_value_call(v, line[i], c));
	}
	return out;
}

static uint32_t
class_call(struct sg_values *v, uint32_t atom, const struct sg_call *c)
{
	static const uint32_t none = 0;
	uint32_t cls = sg_atom_at(v, atom).a, set, meta;
	uint32_t inst = sg_atom(v, SG_ATOM_INST, cls, 0);
	bool found;

	set = inst;
	(void)sg_class_lookup(v, cls, v->known.init_, &found);
	if (found)
		(void)sg_value_call(
			v, sg_value_atom_attr(v, inst, v->known.init_), c);
	else if (!v->facts)
		bind_fields(v, cls, c);
	if (!found) {
		sg_value_hold_in_bases(v, cls, c);
		set = sg_set_union(v, set, made_by_base(v, cls, c));
	}
	(void)sg_class_lookup(v, cls, v->known.post_init_, &found);
	if (found)
		(void)sg_value_apply(
			v, sg_value_atom_attr(v, inst, v->known.post_init_),
			c->node, 0, &none);
	meta = sg_class_lookup(v, cls, v->known.new_, &found);
	if (found) {
		struct sg_call with = *c;

		if (with.nargs < SG_CALL_ARGS) {
			memmove(with.args + 1, with.args,
				with.nargs * sizeof(*with.args));
			with.args[0] = (struct sg_call_arg){ .set = atom,
							     .node = c->node };
			with.nargs++;
		}
		set = sg_set_union(v, set, sg_value_call(v, meta, &with));
	}
	/* A metaclass may say what a call of the class is. */
	meta = 0;
	for (uint32_t kw = 0;
	     (kw = sg_head_child(v->ast, cls, SG_ROLE_KEYWORD, kw));)
		if (v->ast->nodes[kw].name == v->known.metaclass)
			meta = v->val[kw];
	if (meta && meta < SG_SET_MANY && sg_atom_is(v, meta, SG_ATOM_CLASS)) {
		uint32_t hook = sg_class_lookup(v, sg_atom_at(v, meta).a,
						v->known.call_, &found);

		if (found && hook < SG_SET_MANY && hook &&
		    sg_atom_is(v, hook, SG_ATOM_FUNC))
			set = sg_set_union(
				v, set,
				func_call(v, sg_atom_at(v, hook).a, atom, c));
		else if (found)
			set = sg_set_union(v, set, sg_value_call(v, hook, c));
	}
	return set;
}

/* --- any callee ------------------------------------------------------------------ */

void
sg_value_escape(struct sg_values *v, uint32_t set)
{
	struct sg_call c = { .node = v->node, .nargs = 1, .starred = true };
	uint32_t atoms[SG_SET_MAX], n;

	if (v->facts || !set)
		return;
	n = sg_set_copy(v, set, atoms);
	c.args[0] = (struct sg_call_arg){ .set = v->unknown,
					  .node = v->node,
					  .stars = 1 };
	for (uint32_t i = 0; i < n; i++) {
		struct sg_atom a = sg_atom_at(v, atoms[i]);

		if (a.kind == SG_ATOM_FUNC)
			bind_params(v, a.a, 0, &c);
		else if (a.kind == SG_ATOM_BOUND)
			bind_params(v, a.a, a.b, &c);
	}
}

/* str.join('', x), dict.get(d, k): the receiver is the first argument. */
static bool
unbound_method(struct sg_values *v, uint32_t path, const struct sg_call *c,
	       uint32_t *ret)
{
	uint32_t cls = v->paths.v[path].parent, atoms[SG_SET_MAX], n;
	struct sg_call rest = *c;

	if (v->paths.v[cls].parent != v->builtins ||
	    v->paths.v[cls].kind != SG_PATH_CLASS || !c->nargs ||
	    c->args[0].keyword || c->args[0].stars)
		return false;
	rest.nargs--;
	memmove(rest.args, rest.args + 1, rest.nargs * sizeof(*rest.args));
	n = sg_set_copy(v, c->args[0].set, atoms);
	*ret = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t m = sg_value_atom_attr(v, atoms[i],
						v->paths.v[path].name);

		*ret = sg_set_union(v, *ret, sg_value_call(v, m, &rest));
	}
	return n != 0;
}

static uint32_t
path_call(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	struct sg_modinfo info;
	uint32_t ret, result, held, made;

	if (!path)
		return v->unknown;
	if (v->facts)
		sg_fact_call(v, v->paths.v[path].full, c,
			     c->implicit ? SG_FACT_IMPLICIT : 0);
	if (sg_value_special(v, path, c, &ret))
		return ret;
	sg_value_hold(v, path, c);
	held = sg_value_held(v, path);
	if (unbound_method(v, path, c, &ret))
		return sg_set_union(v, ret, held);
	made = sg_value_made_by(v, path, c);
	for (uint32_t i = 0; i < c->nargs; i++)
		sg_value_escape(v, c->args[i].set);
	if (v->paths.v[path].kind == SG_PATH_CLASS)
		return sg_set_union(v, made,
				    sg_atom(v, SG_ATOM_INSTANCE, path, 0));
	result = sg_path_result(v, path);
	if (!result)
		return sg_set_union(v, v->unknown, held);
	held = sg_set_union(v, made, sg_value_held(v, result));
	if (v->paths.v[result].listed &&
	    sg_modtable_find(v->paths.v[result].full, &info) &&
	    info.kind == SG_MOD_RETURNS) {
		result = sg_path_of(v, info.target);
		return sg_set_union(
			v, held,
			result ? sg_atom(v, SG_ATOM_INSTANCE, result, 0)
			       : v->unknown);
	}
	return sg_set_union(v, held, sg_value_path(v, result));
}

static uint32_t
inst_call(struct sg_values *v, uint32_t atom, const struct sg_call *c)
{
	bool found;

	(void)sg_class_lookup(v, sg_atom_at(v, atom).a, v->known.call_, &found);
	if (!found)
		return v->unknown;
	return sg_value_call(v, sg_value_atom_attr(v, atom, v->known.call_), c);
}

uint32_t
sg_value_atom_call(struct sg_values *v, uint32_t atom, const struct sg_call *c)
{
	struct sg_atom a = sg_atom_at(v, atom);

	switch (a.kind) {
	case SG_ATOM_PATH:
		return path_call(v, a.a, c);
	case SG_ATOM_FUNC:
		return func_call(v, a.a, 0, c);
	case SG_ATOM_BOUND:
		return func_call(v, a.a, a.b, c);
	case SG_ATOM_CLASS:
		return class_call(v, atom, c);
	case SG_ATOM_INST:
		return inst_call(v, atom, c);
	case SG_ATOM_INSTANCE:
		return path_call(v, sg_path_child(v, a.a, v->known.call_), c);
	case SG_ATOM_METHOD:
		return sg_value_method(v, a.a, a.b, c);
	case SG_ATOM_PARTIAL:
		return sg_value_partial_call(v, a.a, c);
	case SG_ATOM_ATTRGETTER:
		return sg_value_attrgetter_call(v, a.a, c);
	case SG_ATOM_METHODCALLER:
		return sg_value_methodcaller_call(v, a.a, c);
	case SG_ATOM_ITEMGETTER: {
		struct sg_call m;

		sg_value_call_of(v, a.a, &m);
		return sg_value_item(v, sg_call_arg(c, 0, 0),
				     sg_call_arg(&m, 0, 0));
	}
	case SG_ATOM_STATIC:
	case SG_ATOM_CLSMETH:
		return sg_value_atom_call(v, a.a, c);
	case SG_ATOM_HELD:
		return sg_value_held_call(v, atom, c);
	default:
		for (uint32_t i = 0; i < c->nargs; i++)
			sg_value_escape(v, c->args[i].set);
		return v->unknown;
	}
}

/* Whether calling `atom` is what is being worked out already. */
static bool
being_called(const struct sg_values *v, uint32_t atom)
{
	for (uint32_t i = 0; i < v->depth; i++)
		if (v->chain[i] == atom)
			return true;
	return false;
}

/*
 * A callee that leads back to itself adds nothing to what its other
 * outcomes give.  Beyond FANOUT calls for one node the outcome is unknown.
 */
uint32_t
sg_value_call(struct sg_values *v, uint32_t callee, const struct sg_call *c)
{
	uint32_t atoms[SG_SET_MAX], n, out = 0;

	if (v->depth >= CALL_DEPTH || v->fanout > FANOUT) {
		if (!v->widened)
			v->widened = v->node;
		v->lossy = true;
		return v->unknown;
	}
	n = sg_set_copy(v, callee, atoms);
	for (uint32_t i = 0; i < n; i++) {
		if (being_called(v, atoms[i]))
			continue;
		v->fanout++;
		v->chain[v->depth++] = atoms[i];
		out = sg_set_union(v, out, sg_value_atom_call(v, atoms[i], c));
		v->depth--;
	}
	return out;
}
