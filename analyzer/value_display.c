/* Lists, tuples, sets and dicts as they are written, and comprehensions. */

#include "analyzer/value_node.h"

/*
 * The elements of a display, joined.  Those at a place are read from the
 * tree when asked for (sg_value_nth), so who read them must hear of changes.
 */
uint32_t
sg_value_display(struct sg_values *v, uint32_t node, enum sg_atom_kind kind)
{
	const struct sg_node *nodes = v->ast->nodes;
	uint32_t atoms[SG_SET_MAX], n = 0, set = 0, mark = 1, steps = 0;

	if (nodes[node].flags & (SG_NODE_STORE | SG_NODE_DEL))
		return v->val[node];
	for (uint32_t i = nodes[node].first; i; i = nodes[i].next) {
		uint32_t e = v->val[i];

		steps++;
		mark = (mark ^ e) * 0x9e3779b1u;
		if (e >= SG_SET_MANY) {
			set = sg_set_union(v, set, e);
		} else if (e) {
			atoms[n++] = e;
			if (n == SG_SET_MAX) {
				set = sg_set_union(v, set,
						   sg_set_of(v, atoms, n));
				n = 0;
			}
		}
	}
	sg_value_work(v, steps / 8);
	set = sg_set_union(v, set, sg_set_of(v, atoms, n));
	if (mark != v->place_mark[node] && !v->pure && !v->facts) {
		if (v->place_mark[node])
			sg_cell_touch(v, sg_cell(v, SG_CELL_ALL, node, 0));
		v->place_mark[node] = mark;
	}
	return sg_value_container(v, kind, node, set);
}

uint32_t
sg_value_dict_display(struct sg_values *v, uint32_t node)
{
	const struct sg_node *nodes = v->ast->nodes;
	uint32_t dict = sg_atom(v, SG_ATOM_DICT, node, 0), key = 0, out = dict;
	bool has_key = false;

	for (uint32_t i = nodes[node].first; i; i = nodes[i].next) {
		if (nodes[i].role == SG_ROLE_KEY) {
			key = v->val[i];
			has_key = true;
			continue;
		}
		if (has_key)
			sg_value_item_store(v, dict, key ? key : v->unknown,
					    v->val[i]);
		else
			out = sg_set_union(v, out, v->val[i]);
		has_key = false;
	}
	return out;
}

uint32_t
sg_value_comprehension(struct sg_values *v, uint32_t node,
		       enum sg_atom_kind kind)
{
	uint32_t elt = sg_ast_child(v->ast, node, SG_ROLE_ELT, 0);
	uint32_t made, seq;

	if (kind == SG_ATOM_DICT) {
		uint32_t key = sg_ast_child(v->ast, node, SG_ROLE_KEY, 0);
		uint32_t val = sg_ast_child(v->ast, node, SG_ROLE_VALUE, 0);

		made = sg_atom(v, SG_ATOM_DICT, node, 0);
		sg_value_item_store(v, made, key ? v->val[key] : 0,
				    val ? v->val[val] : 0);
		return made;
	}
	made = sg_value_container(v, kind, node, elt ? v->val[elt] : 0);
	seq = sg_value_unroll(v, node);
	return sg_set_union(v, seq, made);
}
