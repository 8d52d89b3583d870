/*
 * Four lists: the scopes and what each name in them may be, the names as
 * they are used with how they were reached, the facts that rules see, and
 * what stayed unresolved.  With a line only what stands on it is told.
 */

#include "analyzer/fact_explain.h"

enum { VALUES_SHOWN = 8, TEXT_SHOWN = 60, CHAINS_MAX = 1 << 20 };

static uint32_t
line_of(const struct sg_explain *e, uint32_t node)
{
	return sg_source_place(&e->an->source,
			       e->an->ast.nodes[node].range.start)
		.line;
}

static bool
on_line(const struct sg_explain *e, struct sg_range r)
{
	uint32_t from, to;

	if (!e->line)
		return true;
	from = sg_source_place(&e->an->source, r.start).line;
	to = sg_source_place(&e->an->source,
			     r.end > r.start ? r.end - 1 : r.start)
		     .line;
	return from <= e->line && e->line <= to;
}

static void
put_quoted(struct sg_buf *out, struct sg_str s)
{
	sg_buf_char(out, '\'');
	for (size_t i = 0; i < s.n && i < TEXT_SHOWN; i++) {
		uint8_t c = (uint8_t)s.p[i];

		if (c == '\n')
			sg_buf_c(out, "\\n");
		else if (c < 0x20 || c == 0x7f)
			sg_buf_printf(out, "\\x%02x", c);
		else
			sg_buf_char(out, (char)c);
	}
	sg_buf_c(out, s.n > TEXT_SHOWN ? "'..." : "'");
}

/* --- values ---------------------------------------------------------------- */

static const char *const kind_text[SG_ATOM_COUNT] = {
	[SG_ATOM_UNKNOWN] = "anything",
	[SG_ATOM_WIDE] = "anything (too many values)",
	[SG_ATOM_ANYSTR] = "some text",
	[SG_ATOM_WIDESTR] = "some text (too many values)",
	[SG_ATOM_ANYNUM] = "some number",
	[SG_ATOM_WIDEOBJ] = "some object",
	[SG_ATOM_SEQ] = "a constant sequence",
	[SG_ATOM_LIST] = "a list",
	[SG_ATOM_TUPLE] = "a tuple",
	[SG_ATOM_SET] = "a set",
	[SG_ATOM_DICT] = "a dict",
	[SG_ATOM_ITER] = "an iterator",
	[SG_ATOM_PARTIAL] = "a partial call",
	[SG_ATOM_ATTRGETTER] = "an attrgetter",
	[SG_ATOM_METHODCALLER] = "a methodcaller",
	[SG_ATOM_ITEMGETTER] = "an itemgetter",
	[SG_ATOM_GLOBALS] = "the script's globals",
	[SG_ATOM_LOCALS] = "local names as a dict",
	[SG_ATOM_MAIN] = "the script as a module",
	[SG_ATOM_CONTEXT] = "a context manager",
};

static void
put_defined(const struct sg_explain *e, const char *what, uint32_t node)
{
	const struct sg_node *n = &e->an->ast.nodes[node];

	sg_buf_printf(
		e->out, "%s %.*s (line %u)", what,
		SG_STR_ARG(n->name ? sg_intern_str(e->values->names, n->name)
				   : SG_STR("lambda")),
		line_of(e, node));
}

static void
put_atom(const struct sg_explain *e, uint32_t atom)
{
	const struct sg_values *v = e->values;
	struct sg_atom a = sg_atom_at(v, atom);

	switch (a.kind) {
	case SG_ATOM_STR:
		put_quoted(e->out, v->strs.v[a.a]);
		break;
	case SG_ATOM_BYTES:
		sg_buf_char(e->out, 'b');
		put_quoted(e->out, v->strs.v[a.a]);
		break;
	case SG_ATOM_PREFIX:
		sg_buf_c(e->out, "text that begins with ");
		put_quoted(e->out, v->strs.v[a.a]);
		break;
	case SG_ATOM_INT:
		sg_buf_printf(e->out, "%lld", (long long)v->ints.v[a.a]);
		break;
	case SG_ATOM_CONST:
		sg_buf_c(e->out, a.a == SG_CONST_NONE    ? "None"
				 : a.a == SG_CONST_TRUE  ? "True"
				 : a.a == SG_CONST_FALSE ? "False"
							 : "...");
		break;
	case SG_ATOM_PATH:
		sg_buf_str(e->out, v->paths.v[a.a].full);
		break;
	case SG_ATOM_INSTANCE:
		sg_buf_printf(e->out, "an instance of %.*s",
			      SG_STR_ARG(v->paths.v[a.a].full));
		break;
	case SG_ATOM_NS:
		sg_buf_printf(e->out, "the namespace of %.*s",
			      SG_STR_ARG(v->paths.v[a.a].full));
		break;
	case SG_ATOM_FUNC:
		put_defined(e, "function", a.a);
		break;
	case SG_ATOM_BOUND:
		put_defined(e, "method", a.a);
		break;
	case SG_ATOM_CLASS:
		put_defined(e, "class", a.a);
		break;
	case SG_ATOM_INST:
		put_defined(e, "an instance of class", a.a);
		break;
	case SG_ATOM_METHOD:
		sg_buf_printf(e->out, "method %.*s",
			      SG_STR_ARG(sg_intern_str(v->names, a.b)));
		break;
	default:
		sg_buf_c(e->out, a.kind < SG_ATOM_COUNT && kind_text[a.kind]
					 ? kind_text[a.kind]
					 : "an object");
		break;
	}
}

static void
put_set(const struct sg_explain *e, uint32_t set)
{
	uint32_t one, n;
	const uint32_t *atoms = sg_set_atoms(e->values, set, &one, &n);

	if (!n)
		sg_buf_c(e->out, "nothing known");
	for (uint32_t i = 0; i < n && i < VALUES_SHOWN; i++) {
		if (i)
			sg_buf_c(e->out, " | ");
		put_atom(e, atoms[i]);
	}
	if (n > VALUES_SHOWN)
		sg_buf_printf(e->out, " | %u more", n - VALUES_SHOWN);
}

/* --- scopes ------------------------------------------------------------------ */

static void
put_symbol(const struct sg_explain *e, uint32_t id)
{
	const struct sg_scopes *s = e->values->scopes;
	const struct sg_symbol *y = &s->symbols[id];

	sg_buf_printf(e->out, "    %.*s: ",
		      SG_STR_ARG(sg_intern_str(s->names, y->name)));
	if (y->target != id) {
		sg_buf_printf(e->out, "of scope %u\n",
			      s->symbols[y->target].scope);
		return;
	}
	if (y->flags & SG_SYMBOL_PARAM)
		sg_buf_c(e->out, "parameter, ");
	if (y->flags & SG_SYMBOL_BOUND)
		put_set(e, e->values->cells.v[id].set);
	else
		sg_buf_c(e->out, "not bound here");
	sg_buf_char(e->out, '\n');
}

static void
put_scopes(const struct sg_explain *e)
{
	const struct sg_scopes *s = e->values->scopes;

	sg_buf_c(e->out, "scopes\n");
	for (uint32_t i = 1; i <= s->nscopes; i++) {
		const struct sg_scope *c = &s->scopes[i];
		const struct sg_node *n = &e->an->ast.nodes[c->node];

		if (!on_line(e, n->range))
			continue;
		sg_buf_printf(e->out, "  %u %s", i,
			      sg_scope_kind_name((enum sg_scope_kind)c->kind));
		if (n->name)
			sg_buf_printf(
				e->out, " %.*s",
				SG_STR_ARG(sg_intern_str(s->names, n->name)));
		if (i > 1)
			sg_buf_printf(e->out, ", line %u, in scope %u",
				      line_of(e, c->node), c->parent);
		sg_buf_char(e->out, '\n');
		for (uint32_t y = c->first_symbol; y; y = s->symbols[y].next)
			put_symbol(e, y);
	}
}

/* --- names and facts ------------------------------------------------------------ */

static void
put_names(const struct sg_explain *e)
{
	const struct sg_ast *ast = &e->an->ast;

	sg_buf_c(e->out, "names\n");
	for (uint32_t i = 1; i <= ast->n; i++) {
		const struct sg_node *n = &ast->nodes[i];
		struct sg_place p;

		if ((n->kind != SG_AST_Name && n->kind != SG_AST_Attribute) ||
		    n->flags & (SG_NODE_STORE | SG_NODE_DEL) ||
		    n->role == SG_ROLE_NAME || !on_line(e, n->range))
			continue;
		p = sg_source_place(&e->an->source, n->range.start);
		sg_buf_printf(e->out, "  %u:%u %s%.*s: ", p.line, p.column,
			      n->kind == SG_AST_Attribute ? "." : "",
			      SG_STR_ARG(sg_intern_str(ast->names, n->name)));
		put_set(e, e->values->val[i]);
		sg_buf_char(e->out, '\n');
	}
}

static void
put_args(const struct sg_explain *e, const struct sg_fact *f)
{
	sg_buf_c(e->out, " (");
	for (uint32_t i = 0; i < f->nargs; i++) {
		const struct sg_arg *a = &f->args[i];

		sg_buf_c(e->out, i ? ", " : "");
		if (a->starred)
			sg_buf_char(e->out, '*');
		if (a->keyword.n)
			sg_buf_printf(e->out, "%.*s=", SG_STR_ARG(a->keyword));
		for (uint32_t k = 0; k < a->nvalues && k < VALUES_SHOWN; k++) {
			sg_buf_c(e->out, k ? " | " : "");
			if (a->values[k].kind == SG_ARG_STR ||
			    a->values[k].kind == SG_ARG_BYTES)
				put_quoted(e->out, a->values[k].text);
			else
				sg_buf_str(e->out, a->values[k].text);
		}
		if (a->unknown)
			sg_buf_c(e->out, a->nvalues ? " | ?" : "?");
	}
	sg_buf_char(e->out, ')');
}

static void
put_fact(const struct sg_explain *e, const struct sg_fact *f,
	 struct sg_arena *chains)
{
	struct sg_place p = sg_source_place(&e->an->source, f->range.start);
	struct sg_str chain;

	sg_buf_printf(e->out, "  %u:%u %s ", p.line, p.column,
		      f->kind == SG_FACT_DYNAMIC
			      ? sg_dynamic_name((enum sg_dynamic)f->detail)
			      : sg_fact_kind_name((enum sg_fact_kind)f->kind));
	if (f->kind == SG_FACT_STRING)
		put_quoted(e->out, f->name);
	else
		sg_buf_str(e->out, f->name);
	if (f->kind == SG_FACT_CALL)
		put_args(e, f);
	if (f->kind == SG_FACT_REF || f->kind == SG_FACT_CALL) {
		chain = sg_chains_text(e->chains, e->values, &e->an->source, f,
				       e->scratch, chains);
		if (chain.n && !sg_str_eq(chain, f->name))
			sg_buf_printf(e->out, ", through %.*s",
				      SG_STR_ARG(chain));
	}
	sg_buf_char(e->out, '\n');
}

static void
put_facts(const struct sg_explain *e, bool unresolved)
{
	struct sg_arena chains;

	sg_arena_init(&chains, CHAINS_MAX);
	sg_buf_c(e->out, unresolved ? "unresolved\n" : "facts\n");
	for (uint32_t i = 0; i < e->an->nfacts; i++) {
		const struct sg_fact *f = &e->an->facts[i];

		if ((f->kind == SG_FACT_DYNAMIC) == unresolved &&
		    on_line(e, f->range)) {
			put_fact(e, f, &chains);
			sg_arena_reset(&chains);
		}
	}
	sg_arena_release(&chains);
}

void
sg_explain_write(const struct sg_explain *e)
{
	put_scopes(e);
	put_names(e);
	put_facts(e, false);
	put_facts(e, true);
}
