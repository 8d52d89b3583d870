/*
 * A chain goes from the expression that a fact is about to the names in it,
 * and from each name to the binding that may have given it its value: the
 * last one before the use, or else the first.  It ends at an import, at a
 * builtin or after STEPS steps.
 */

#include "analyzer/fact_chain.h"

enum { STEPS = 6, TEXT_MAX = 72, CHAIN_MAX = 512 };

void
sg_chains_reset(struct sg_chains *c)
{
	c->head = c->next = NULL;
}

static bool
binds(const struct sg_node *n)
{
	switch (n->kind) {
	case SG_AST_Name:
		return n->flags & SG_NODE_STORE;
	case SG_AST_alias:
	case SG_AST_arg:
	case SG_AST_FunctionDef:
	case SG_AST_AsyncFunctionDef:
	case SG_AST_ClassDef:
	case SG_AST_ExceptHandler:
	case SG_AST_MatchAs:
		return n->name != 0;
	default:
		return false;
	}
}

static bool
make_index(struct sg_chains *c, const struct sg_values *v,
	   struct sg_arena *scratch)
{
	const struct sg_scopes *s = v->scopes;

	if (c->head)
		return true;
	c->head = SG_NEWN(scratch, uint32_t, (size_t)s->nsymbols + 1);
	c->next = SG_NEWN(scratch, uint32_t, (size_t)v->ast->n + 1);
	if (!c->head || !c->next) {
		c->head = NULL;
		return false;
	}
	for (uint32_t i = v->ast->n; i > 0; i--) {
		uint32_t id = s->symbol_of[i];

		if (!id || !binds(&v->ast->nodes[i]))
			continue;
		id = s->symbols[id].target;
		c->next[i] = c->head[id];
		c->head[id] = i;
	}
	return true;
}

/* The statement or expression that gives the binding its value. */
static uint32_t
value_node(const struct sg_values *v, uint32_t binding)
{
	const struct sg_node *nodes = v->ast->nodes, *n = &nodes[binding];
	uint32_t up = n->parent, i;

	if (n->kind == SG_AST_alias)
		return up;
	if (n->kind == SG_AST_arg) {
		i = sg_ast_child(v->ast, binding, SG_ROLE_DEFAULT, 0);
		return i ? i : binding;
	}
	if (n->kind != SG_AST_Name)
		return binding;
	while (nodes[up].kind == SG_AST_Tuple ||
	       nodes[up].kind == SG_AST_List ||
	       nodes[up].kind == SG_AST_Starred)
		up = nodes[up].parent;
	i = sg_ast_child(v->ast, up, SG_ROLE_VALUE, 0);
	if (!i)
		i = sg_ast_child(v->ast, up, SG_ROLE_ITER, 0);
	if (!i)
		i = sg_ast_child(v->ast, up, SG_ROLE_CONTEXT, 0);
	return i ? i : up;
}

/* The first name read in an expression whose value leads on. */
static uint32_t
name_in(const struct sg_values *v, uint32_t node)
{
	const struct sg_node *nodes = v->ast->nodes;
	uint32_t best = 0;

	for (uint32_t i = nodes[node].first_in_subtree; i <= node; i++) {
		uint32_t id = v->scopes->symbol_of[i];

		if (nodes[i].kind != SG_AST_Name || !id ||
		    nodes[i].flags & (SG_NODE_STORE | SG_NODE_DEL))
			continue;
		id = v->scopes->symbols[id].target;
		if (!(v->scopes->symbols[id].flags & SG_SYMBOL_BOUND))
			continue;
		if (!best)
			best = i;
		if (v->val[i] && v->val[i] != v->unknown)
			return i;
	}
	return best;
}

static uint32_t
binding_of(const struct sg_chains *c, const struct sg_values *v, uint32_t name)
{
	uint32_t id = v->scopes->symbol_of[name], best = 0;
	uint32_t at = v->ast->nodes[name].range.start;

	for (uint32_t b = c->head[v->scopes->symbols[id].target]; b;
	     b = c->next[b])
		if (!best || v->ast->nodes[b].range.start < at)
			best = b;
	return best;
}

/* The text of a node on one line, cut where it is long. */
static void
put_text(struct sg_buf *out, const struct sg_values *v,
	 const struct sg_source *source, uint32_t node)
{
	struct sg_range r = v->ast->nodes[node].range;
	struct sg_str s = sg_str_slice(source->text, r.start, r.end);
	bool space = false;
	size_t begin = out->len;

	for (size_t i = 0; i < s.n; i++) {
		if (strchr(" \t\n\f\\", s.p[i])) {
			space = true;
			continue;
		}
		if (space && out->len > begin)
			sg_buf_char(out, ' ');
		space = false;
		if (out->len - begin >= TEXT_MAX &&
		    ((uint8_t)s.p[i] & 0xc0) != 0x80) {
			sg_buf_c(out, "...");
			return;
		}
		sg_buf_char(out, s.p[i]);
	}
}

static void
put_line(struct sg_buf *out, const struct sg_values *v,
	 const struct sg_source *source, uint32_t node)
{
	struct sg_place p = sg_source_place(source,
					    v->ast->nodes[node].range.start);

	sg_buf_printf(out, " (line %u)", p.line);
}

static bool
is_import(uint8_t kind)
{
	return kind == SG_AST_Import || kind == SG_AST_ImportFrom ||
	       kind == SG_AST_alias;
}

struct sg_str
sg_chains_text(struct sg_chains *c, struct sg_values *v,
	       const struct sg_source *source, const struct sg_fact *fact,
	       struct sg_arena *scratch, struct sg_arena *arena)
{
	const struct sg_str builtins = SG_STR("builtins.");
	uint32_t node = fact->node, name, steps = 0;
	struct sg_str ret = SG_STR_NONE, written;
	struct sg_buf out;

	if (is_import(v->ast->nodes[node].kind) || !make_index(c, v, scratch))
		return ret;
	sg_buf_init(&out, CHAIN_MAX);
	if (v->ast->nodes[node].kind == SG_AST_Call &&
	    fact->kind == SG_FACT_CALL && !(fact->flags & SG_FACT_IMPLICIT)) {
		uint32_t f = sg_ast_child(v->ast, node, SG_ROLE_FUNC, 0);

		node = f ? f : node;
	}
	put_text(&out, v, source, node);
	written = sg_buf_view(&out);
	if (sg_str_eq(written, fact->name) ||
	    (sg_str_starts(fact->name, builtins) &&
	     sg_str_eq(written,
		       sg_str_slice(fact->name, builtins.n, fact->name.n))))
		sg_buf_reset(&out);
	while (steps++ < STEPS && (name = name_in(v, node))) {
		uint32_t binding = binding_of(c, v, name), from;

		if (!binding)
			break;
		from = value_node(v, binding);
		if (from == node)
			break;
		if (out.len)
			sg_buf_c(&out, " <- ");
		put_text(&out, v, source, from);
		put_line(&out, v, source, from);
		if (is_import(v->ast->nodes[from].kind) ||
		    v->scopes->inner_of[from])
			break;
		node = from;
	}
	if (!sg_buf_failed(&out))
		ret = sg_arena_dup(arena, sg_buf_view(&out));
	sg_buf_release(&out);
	return ret.n ? ret : SG_STR_NONE;
}
