#include "analyzer/tree_build.h"

/* Comprehensions, and items of a with. */

/* --- comprehensions --------------------------------------------------------------- */

/* Leaves target and iterable; the target's rule marks where it begins. */
bool
sg_build_for_in(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);

	if (n != 2 || sg_build_is_comma(b, b->end_at))
		return sg_build_refuse(
			b, sg_build_range(b, f->tok0, b->end_at),
			"a comprehension iterates over one "
			"expression; put a tuple in parentheses");
	if (!sg_build_target(b, &v[0], SG_ROLE_TARGET, SG_NODE_STORE) ||
	    !sg_build_take(b, &v[1], SG_ROLE_ITER, 0) ||
	    !sg_build_want_loose(b, &v[1]))
		return false;
	v[0].rule = SG_RULE_FOR_IN;
	v[0].tok0 = f->tok0;
	return true;
}

bool
sg_build_if_clause(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);

	return n == 1 && sg_build_take(b, v, SG_ROLE_IF, 0) &&
	       sg_build_want_loose(b, v);
}

bool
sg_build_close_comprehension(struct sg_build *b, uint32_t base)
{
	uint32_t at = b->values.n;
	struct sg_value *v;
	bool async;

	while (at > base && b->values.v[at - 1].rule != SG_RULE_FOR_IN)
		at--;
	if (at == base)
		return true;
	v = &b->values.v[at - 1];
	async = sg_build_tok(b, v->tok0) == SG_TOK_ASYNC;
	v = sg_build_emit(b, SG_AST_comprehension, SG_RULE_IF_CLAUSE, v->tok0,
			  b->values.v[b->values.n - 1].tok1, at - 1);
	if (!v)
		return false;
	sg_build_of(b, v)->role = SG_ROLE_GENERATOR;
	if (async)
		sg_build_of(b, v)->flags = SG_NODE_ASYNC;
	return true;
}

bool
sg_build_comprehension(struct sg_build *b, struct sg_frame *f)
{
	static const uint8_t kinds[SG_RULE_COUNT] = {
		[SG_RULE_LIST_COMP] = SG_AST_ListComp,
		[SG_RULE_SET_COMP] = SG_AST_SetComp,
		[SG_RULE_DICT_COMP] = SG_AST_DictComp,
		[SG_RULE_GENERATOR] = SG_AST_GeneratorExp,
	};
	struct sg_value *v;

	if (f->rule == SG_RULE_GENERATOR && sg_build_is_virtual(b, f) &&
	    !(sg_build_parent(f)->rule == SG_RULE_FSTRING &&
	      b->job->minor < 12))
		return sg_build_refuse(
			b, sg_build_range(b, f->tok0, b->end_at),
			"a generator expression needs parentheses "
			"here");
	if (!sg_build_close_comprehension(b, f->base))
		return false;
	v = b->values.v + f->base;
	if (f->rule != SG_RULE_DICT_COMP &&
	    !sg_build_take(b, v, SG_ROLE_ELT, SG_ALLOW_NAMED))
		return false;
	v = sg_build_node(b, f, (enum sg_ast_kind)kinds[f->rule]);
	return v != NULL;
}

/* --- as ------------------------------------------------------------------------ */

/* `a as b`: a withitem, or the parts of an except clause. */
bool
sg_build_as(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);
	unsigned parent = sg_build_parent(f)->rule;

	if (n != 2 || (parent != SG_RULE_ITEMS && parent != SG_RULE_EXCEPT))
		return sg_build_refuse(b, sg_build_range(b, f->tok0, b->end_at),
				       "'as' cannot stand here");
	if (parent == SG_RULE_EXCEPT)
		return true;
	if (!sg_build_take(b, &v[0], SG_ROLE_CONTEXT, 0) ||
	    !sg_build_target(b, &v[1], SG_ROLE_VARS, SG_NODE_STORE))
		return false;
	v = sg_build_node(b, f, SG_AST_withitem);
	if (!v)
		return false;
	sg_build_of(b, v)->role = SG_ROLE_ITEM;
	return true;
}

bool
sg_build_close_item(struct sg_build *b, const struct sg_frame *f)
{
	struct sg_value *v = &b->values.v[b->values.n - 1];
	unsigned allow =
		f->aux ? SG_ALLOW_STAR | SG_ALLOW_NAMED | SG_ALLOW_YIELD : 0;

	if (b->values.n == f->base ||
	    (v->node && b->nodes.v[v->node].kind == SG_AST_withitem))
		return true;
	if (!sg_build_take(b, v, SG_ROLE_CONTEXT, allow))
		return false;
	v = sg_build_emit(b, SG_AST_withitem, SG_RULE_ITEMS, v->tok0, v->tok1,
			  b->values.n - 1);
	if (!v)
		return false;
	sg_build_of(b, v)->role = SG_ROLE_ITEM;
	return true;
}

/* `with ():` has an empty tuple for its item. */
bool
sg_build_items(struct sg_build *b, struct sg_frame *f)
{
	if (b->values.n == f->base && f->aux)
		return sg_build_node(b, f, SG_AST_Tuple) != NULL;
	return sg_build_close_item(b, f);
}
