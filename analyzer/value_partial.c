/* Objects that hold a call, or a part of one: functools.partial and the
 * getters of operator. */

#include "analyzer/value.h"

/* partial(f, a)(b) is f(a, b). */
uint32_t
sg_value_partial_call(struct sg_values *v, uint32_t maker,
		      const struct sg_call *c)
{
	struct sg_call all, p;
	uint32_t callee;

	sg_value_call_of(v, maker, &p);
	callee = sg_call_arg(&p, 0, v->known.func);
	all = (struct sg_call){ .node = c->node,
				.starred = p.starred,
				.implicit = c->implicit };
	for (uint32_t i = 1; i < p.nargs; i++)
		sg_call_push(&all, p.args[i].set, p.args[i].keyword,
			     p.args[i].node, p.args[i].stars);
	for (uint32_t i = 0; i < c->nargs; i++)
		sg_call_push(&all, c->args[i].set, c->args[i].keyword,
			     c->args[i].node, c->args[i].stars);
	return sg_value_call(v, callee, &all);
}

uint32_t
sg_value_partial_part(struct sg_values *v, uint32_t maker, uint32_t name)
{
	uint32_t tuple = SG_SITE(maker, 3), dict = SG_SITE(maker, 4);
	struct sg_call p;
	int64_t at = 0;

	sg_value_call_of(v, maker, &p);
	if (name == v->known.func)
		return sg_call_arg(&p, 0, v->known.func);
	for (uint32_t i = 0; i < p.nargs; i++) {
		uint32_t set = p.args[i].set, k = p.args[i].keyword;

		if (k || p.args[i].stars == 2) {
			sg_value_item_store(
				v, sg_atom(v, SG_ATOM_DICT, dict, 0),
				k ? sg_value_str(v, sg_intern_str(v->names, k))
				  : v->anystr,
				set);
		} else if (i) {
			sg_cell_add(v, sg_cell(v, SG_CELL_ALL, tuple, 0), set);
			sg_cell_add(v,
				    sg_cell(v, SG_CELL_KEY, tuple,
					    sg_value_int(v, at++)),
				    set);
		}
	}
	if (name == v->known.args)
		return sg_atom(v, SG_ATOM_TUPLE, tuple, 0);
	if (name == v->known.keywords)
		return sg_atom(v, SG_ATOM_DICT, dict, 0);
	return v->unknown;
}

uint32_t
sg_value_attrgetter_call(struct sg_values *v, uint32_t maker,
			 const struct sg_call *c)
{
	uint32_t base = sg_call_arg(c, 0, 0), out = 0;
	struct sg_call m;

	sg_value_call_of(v, maker, &m);
	for (uint32_t i = 0; i < m.nargs; i++) {
		uint32_t atoms[SG_SET_MAX];
		uint32_t n = sg_set_copy(v, m.args[i].set, atoms);

		for (uint32_t j = 0; j < n; j++)
			out = sg_set_union(
				v, out,
				sg_atom_is(v, atoms[j], SG_ATOM_STR)
					? sg_value_dotted(
						  v, base,
						  sg_atom_str(v, atoms[j]))
					: sg_value_attr_by(v, base, atoms[j]));
		if (!n)
			out = sg_set_union(v, out,
					   sg_value_attr_by(v, base, 0));
	}
	return out;
}

uint32_t
sg_value_methodcaller_call(struct sg_values *v, uint32_t maker,
			   const struct sg_call *c)
{
	struct sg_call m, with = { .node = c->node };
	uint32_t method;

	sg_value_call_of(v, maker, &m);
	method = sg_value_attr_by(v, sg_call_arg(c, 0, 0),
				  sg_call_arg(&m, 0, v->known.name_));
	for (uint32_t i = 1; i < m.nargs; i++)
		sg_call_push(&with, m.args[i].set, m.args[i].keyword,
			     m.args[i].node, m.args[i].stars);
	return sg_value_call(v, method, &with);
}
