/* The arguments of a call as they are written: by place and by keyword, and
 * what `*` and `**` spread. */

#include "analyzer/value.h"

void
sg_call_push(struct sg_call *c, uint32_t set, uint32_t keyword, uint32_t node,
	     uint8_t stars)
{
	if (stars)
		c->starred = true;
	if (c->nargs == SG_CALL_ARGS) {
		/* The last one stands for all that do not fit. */
		c->starred = true;
		c->args[SG_CALL_ARGS - 1].stars = 1;
		return;
	}
	c->args[c->nargs].set = set;
	c->args[c->nargs].keyword = keyword;
	c->args[c->nargs].node = node;
	c->args[c->nargs].stars = stars;
	c->nargs++;
}

/* *(a, b): the elements one by one, where their places are known. */
static bool
spread(struct sg_values *v, struct sg_call *c, uint32_t set, uint32_t node)
{
	struct sg_atom a;
	uint32_t before = c->nargs;

	if (!set || set >= SG_SET_MANY)
		return false;
	a = sg_atom_at(v, set);
	if (a.kind == SG_ATOM_SEQ) {
		for (uint32_t i = 0; i < v->seqs.v[a.a].n; i++)
			sg_call_push(c, v->elements.v[v->seqs.v[a.a].at + i], 0,
				     node, 0);
		return true;
	}
	for (uint32_t i = 0; i < SG_CALL_ARGS; i++) {
		uint32_t nth;

		if (!sg_value_nth(v, set, i, &nth))
			break;
		sg_call_push(c, nth, 0, node, 0);
	}
	return c->nargs > before;
}

/* A keyword that may be given by several dicts is one argument. */
static void
push_keyword(struct sg_values *v, struct sg_call *c, uint32_t set,
	     uint32_t keyword, uint32_t node)
{
	for (uint32_t i = 0; i < c->nargs; i++)
		if (c->args[i].keyword == keyword && c->args[i].node == node) {
			c->args[i].set = sg_set_union(v, c->args[i].set, set);
			return;
		}
	sg_call_push(c, set, keyword, node, 0);
}

static bool
spread_one(struct sg_values *v, struct sg_call *c, struct sg_atom a,
	   uint32_t node)
{
	uint32_t keys[SG_SET_MAX], n;

	if (a.kind != SG_ATOM_DICT)
		return false;
	n = sg_set_copy(v, sg_cell_read(v, sg_cell(v, SG_CELL_DKEYS, a.a, 0)),
			keys);
	for (uint32_t i = 0; i < n; i++)
		if (!sg_atom_is(v, keys[i], SG_ATOM_STR))
			return false;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t cell = sg_cell_find(v, SG_CELL_KEY, a.a, keys[i]);

		if (cell)
			push_keyword(
				v, c, sg_cell_read(v, cell),
				sg_value_name_id(v, sg_atom_str(v, keys[i])),
				node);
	}
	return true;
}

/* **{'k': x}: as keywords, where the keys are known. */
static bool
spread_dict(struct sg_values *v, struct sg_call *c, uint32_t set, uint32_t node)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, set, atoms);
	uint32_t before = c->nargs;
	bool known = true;

	for (uint32_t i = 0; i < n; i++)
		known = spread_one(v, c, sg_atom_at(v, atoms[i]), node) &&
			known;
	return known && c->nargs > before;
}

void
sg_call_spread(struct sg_values *v, struct sg_call *c, uint32_t set,
	       uint32_t node)
{
	if (!spread_dict(v, c, set, node))
		sg_call_push(c, sg_value_item(v, set, v->anystr), 0, node, 2);
}

void
sg_value_call_of(struct sg_values *v, uint32_t node, struct sg_call *ret)
{
	const struct sg_node *nodes = v->ast->nodes;

	ret->node = node;
	ret->nargs = 0;
	ret->self = 0;
	ret->starred = ret->implicit = false;
	for (uint32_t i = nodes[node].first; i; i = nodes[i].next) {
		const struct sg_node *n = &nodes[i];

		if (n->role == SG_ROLE_ARG && n->kind == SG_AST_Starred) {
			if (!spread(v, ret, v->val[n->first], i))
				sg_call_push(ret, v->val[i], 0, i, 1);
		} else if (n->role == SG_ROLE_ARG) {
			sg_call_push(ret, v->val[i], 0, i, 0);
		} else if (n->role == SG_ROLE_KEYWORD) {
			if (!(n->flags & SG_NODE_KWARG))
				sg_call_push(ret, v->val[i], n->name, n->first,
					     0);
			else
				sg_call_spread(v, ret, v->val[i], n->first);
		}
	}
}

uint32_t
sg_call_arg(const struct sg_call *call, uint32_t position, uint32_t keyword)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < call->nargs; i++) {
		if (keyword && call->args[i].keyword == keyword)
			return call->args[i].set;
		if (call->args[i].keyword || call->args[i].stars == 2)
			continue;
		if (at == position || call->args[i].stars == 1)
			return call->args[i].set;
		at++;
	}
	return 0;
}
