/*
 * Gathers facts.  A fact is appended when the evaluation meets it; in the end
 * they are brought into the order of their places by a radix sort over
 * offsets, since there may be a hundred thousand and comparing is slow.
 */

#include "analyzer/factlist.h"

#include <stdlib.h>

#include "analyzer/fold.h"
#include "analyzer/value_hook.h"
#include "base/vec.h"

enum { FACTS_MAX = 1 << 23, SAME_LOOK_BACK = 8, KEEP_FACTS = 1 << 16 };

static const char *const kind_names[SG_FACT_COUNT] = {
	[SG_FACT_NONE] = "none",     [SG_FACT_IMPORT] = "import",
	[SG_FACT_REF] = "ref",       [SG_FACT_CALL] = "call",
	[SG_FACT_ATTR] = "attr",     [SG_FACT_BIND] = "bind",
	[SG_FACT_STRING] = "string", [SG_FACT_FORMAT] = "format",
	[SG_FACT_HOOK] = "hook",     [SG_FACT_DYNAMIC] = "dynamic",
	[SG_FACT_SOURCE] = "source",
};

static const char *const dynamic_names[SG_DYNAMIC_COUNT] = {
	[SG_DYNAMIC_NONE] = "none",           [SG_DYNAMIC_IMPORT] = "import",
	[SG_DYNAMIC_ATTRIBUTE] = "attribute", [SG_DYNAMIC_ITEM] = "item",
	[SG_DYNAMIC_CALLEE] = "callee",       [SG_DYNAMIC_STAR] = "star",
	[SG_DYNAMIC_FORMAT] = "format",       [SG_DYNAMIC_WIDENED] = "widened",
};

const char *
sg_fact_kind_name(enum sg_fact_kind kind)
{
	return kind < SG_FACT_COUNT ? kind_names[kind] : "none";
}

const char *
sg_dynamic_name(enum sg_dynamic what)
{
	return what < SG_DYNAMIC_COUNT ? dynamic_names[what] : "none";
}

void
sg_facts_init(struct sg_facts *f)
{
	memset(f, 0, sizeof(*f));
}

void
sg_facts_release(struct sg_facts *f)
{
	free(f->v);
	sg_facts_init(f);
}

void
sg_facts_reset(struct sg_facts *f)
{
	if (f->room > KEEP_FACTS)
		sg_facts_release(f);
	f->n = 0;
	f->failed = false;
	memset(f->dynamic, 0, sizeof(f->dynamic));
}

/* One pass of a stable radix sort over 11 bits of the key. */
static void
radix(const struct sg_fact *facts, const uint32_t *in, uint32_t *out,
      uint32_t n, unsigned shift)
{
	uint32_t at[2048] = { 0 }, sum = 0;

	for (uint32_t i = 0; i < n; i++)
		at[facts[i].range.start >> shift & 2047]++;
	for (uint32_t i = 0; i < 2048; i++) {
		uint32_t count = at[i];

		at[i] = sum;
		sum += count;
	}
	for (uint32_t i = 0; i < n; i++)
		out[at[facts[in[i]].range.start >> shift & 2047]++] = in[i];
}

static void
insertion(struct sg_fact *v, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		struct sg_fact f = v[i];
		uint32_t j = i;

		for (; j && v[j - 1].range.start > f.range.start; j--)
			v[j] = v[j - 1];
		v[j] = f;
	}
}

void
sg_facts_sort(struct sg_facts *f, struct sg_arena *arena)
{
	uint32_t *a, *b;
	struct sg_fact *sorted;

	if (f->n < 64) {
		insertion(f->v, f->n);
		return;
	}
	a = SG_NEWN(arena, uint32_t, f->n);
	b = SG_NEWN(arena, uint32_t, f->n);
	sorted = SG_NEWN(arena, struct sg_fact, f->n);
	if (sg_arena_failed(arena)) {
		f->failed = true;
		return;
	}
	for (uint32_t i = 0; i < f->n; i++)
		a[i] = i;
	radix(f->v, a, b, f->n, 0);
	radix(f->v, b, a, f->n, 11);
	radix(f->v, a, b, f->n, 22);
	for (uint32_t i = 0; i < f->n; i++)
		sorted[i] = f->v[b[i]];
	memcpy(f->v, sorted, f->n * sizeof(*sorted));
}

static struct sg_fact *
fact_new(struct sg_values *v, enum sg_fact_kind kind, uint32_t node,
	 struct sg_str name, uint32_t flags)
{
	struct sg_facts *f = v->facts;
	struct sg_fact *fact;

	if (!SG_VEC_ROOM(f, 1, FACTS_MAX)) {
		f->failed = v->failed = true;
		return NULL;
	}
	fact = &f->v[f->n++];
	*fact = (struct sg_fact){ .kind = (uint8_t)kind,
				  .flags = (uint16_t)flags,
				  .node = node,
				  .name = name,
				  .origin = node };
	if (node)
		fact->range = v->ast->nodes[node].range;
	return fact;
}

static bool
said_already(const struct sg_facts *f, enum sg_fact_kind kind, uint32_t node,
	     struct sg_str name, uint32_t flags)
{
	for (uint32_t i = f->n, k = 0; i-- > 0 && k < SAME_LOOK_BACK; k++)
		if (f->v[i].kind == kind && f->v[i].node == node &&
		    f->v[i].flags == flags && sg_str_eq(f->v[i].name, name))
			return true;
	return false;
}

void
sg_fact_add(struct sg_values *v, enum sg_fact_kind kind, uint32_t node,
	    struct sg_str name, uint32_t flags)
{
	if (!said_already(v->facts, kind, node, name, flags))
		(void)fact_new(v, kind, node, name, flags);
}

void
sg_fact_dynamic(struct sg_values *v, enum sg_dynamic what, uint32_t node,
		struct sg_str base)
{
	struct sg_facts *f = v->facts;
	struct sg_fact *fact;

	if (!f)
		return;
	for (uint32_t i = f->n, k = 0; i-- > 0 && k < SAME_LOOK_BACK; k++)
		if (f->v[i].kind == SG_FACT_DYNAMIC && f->v[i].node == node &&
		    f->v[i].detail == what && sg_str_eq(f->v[i].name, base))
			return;
	fact = fact_new(v, SG_FACT_DYNAMIC, node, base, 0);
	if (!fact)
		return;
	fact->detail = (uint8_t)what;
	f->dynamic[what]++;
}

struct sg_str
sg_fact_base(const struct sg_values *v, uint32_t atom)
{
	struct sg_atom a = sg_atom_at(v, atom);

	switch (a.kind) {
	case SG_ATOM_PATH:
	case SG_ATOM_NS:
	case SG_ATOM_INSTANCE:
		return v->paths.v[a.a].full;
	case SG_ATOM_GLOBALS:
		return SG_STR("globals()");
	case SG_ATOM_MAIN:
		return SG_STR("__main__");
	default:
		return SG_STR_NONE;
	}
}

/* --- references ------------------------------------------------------------------- */

/* Whether the script wrote the path's own last name at the node. */
static bool
plainly_named(const struct sg_values *v, uint32_t node, uint32_t path)
{
	const struct sg_node *n = &v->ast->nodes[node];
	const struct sg_path *p = &v->paths.v[path];

	return (n->kind == SG_AST_Name || n->kind == SG_AST_Attribute) &&
	       n->name == p->name;
}

/*
 * Whether what stands at `node` is only looked into there (m.x, getattr(m,
 * 'x'), m as a statement) or given a name, both of which the values follow.
 */
static bool
stays_in_sight(const struct sg_values *v, uint32_t node)
{
	static const char *const lookers[] = {
		"builtins.getattr", "builtins.hasattr", "builtins.setattr",
		"builtins.delattr", "builtins.vars",    "builtins.dir"
	};
	const struct sg_node *nodes = v->ast->nodes, *n = &nodes[node];
	const struct sg_node *up = &nodes[n->parent];
	uint32_t callee, target = 0;

	switch (up->kind) {
	case SG_AST_Attribute:
	case SG_AST_Expr:
	case SG_AST_alias:
	case SG_AST_MatchClass:
		return true;
	case SG_AST_Subscript:
		return n->role == SG_ROLE_VALUE;
	case SG_AST_Assign:
		while ((target = sg_ast_child(v->ast, n->parent, SG_ROLE_TARGET,
					      target)))
			if (nodes[target].kind != SG_AST_Name)
				return false;
		return true;
	case SG_AST_Call:
		callee = v->val[up->first];
		if (n->role != SG_ROLE_ARG || callee >= SG_SET_MANY ||
		    !sg_atom_is(v, callee, SG_ATOM_PATH))
			return false;
		for (size_t i = 0; i < sizeof(lookers) / sizeof(*lookers); i++)
			if (sg_path_is(v, sg_atom_at(v, callee).a, lookers[i]))
				return sg_ast_child(v->ast, n->parent,
						    SG_ROLE_ARG, 0) == node;
		return false;
	default:
		return n->kind == SG_AST_alias || n->kind == SG_AST_ImportFrom;
	}
}

void
sg_fact_refs(struct sg_values *v, uint32_t node, uint32_t set, uint32_t flags)
{
	uint32_t one, n;
	const uint32_t *atoms = sg_set_atoms(v, set, &one, &n);

	for (uint32_t i = 0; i < n; i++) {
		struct sg_atom a = sg_atom_at(v, atoms[i]);
		uint32_t more = flags;

		if (a.kind == SG_ATOM_NS)
			a.kind = SG_ATOM_PATH;
		else if (a.kind == SG_ATOM_METHOD &&
			 (a.a = sg_value_pathlib_member(v, atoms[i])) != 0)
			a.kind = SG_ATOM_PATH;
		if (a.kind != SG_ATOM_PATH ||
		    v->paths.v[a.a].kind == SG_PATH_RESULT)
			continue;
		if (!plainly_named(v, node, a.a))
			more |= SG_FACT_INDIRECT;
		if (v->paths.v[a.a].kind == SG_PATH_MODULE &&
		    !stays_in_sight(v, node))
			more |= SG_FACT_BARE;
		sg_fact_add(v, SG_FACT_REF, node, v->paths.v[a.a].full, more);
	}
}

/* What is written to: a foreign thing's attribute by its dotted name. */
static void
stored_refs(struct sg_values *v, uint32_t base, uint32_t name)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, base, atoms);

	for (uint32_t i = 0; i < n; i++) {
		struct sg_atom a = sg_atom_at(v, atoms[i]);
		uint32_t child;

		if (a.kind != SG_ATOM_PATH && a.kind != SG_ATOM_INSTANCE)
			continue;
		child = sg_path_child(v, a.a, name);
		if (child)
			sg_fact_add(v, SG_FACT_REF, v->node,
				    v->paths.v[child].full, SG_FACT_STORE);
	}
}

/* os.sep is a text, and yet mentioned under its name. */
static void
constant_refs(struct sg_values *v, uint32_t base, uint32_t name)
{
	const struct sg_known *k = &v->known;
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, base, atoms);

	if (name != k->sep && name != k->curdir && name != k->pardir)
		return;
	for (uint32_t i = 0; i < n; i++)
		if (sg_atom_is(v, atoms[i], SG_ATOM_PATH))
			sg_fact_refs(
				v, v->node,
				sg_value_path(
					v, sg_path_child(
						   v, sg_atom_at(v, atoms[i]).a,
						   name)),
				0);
}

void
sg_fact_attr(struct sg_values *v, uint32_t base, uint32_t name, uint32_t set,
	     uint32_t flags)
{
	struct sg_str s = sg_intern_str(v->names, name);
	uint32_t more = flags;

	if (sg_set_open(v, base))
		more |= SG_FACT_UNRESOLVED;
	if (sg_fact_is_local(v, base))
		more |= SG_FACT_LOCAL;
	(void)fact_new(v, SG_FACT_ATTR, v->node, s, more);
	if (flags & SG_FACT_STORE) {
		stored_refs(v, base, name);
		return;
	}
	constant_refs(v, base, name);
	sg_fact_refs(v, v->node, set, 0);
}

void
sg_fact_attr_path(struct sg_values *v, uint32_t names)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, names, atoms);

	if (sg_set_open(v, names) || sg_set_has(v, names, v->anystr) ||
	    sg_set_has(v, names, v->made) || sg_set_has(v, names, v->onechar))
		sg_fact_dynamic(v, SG_DYNAMIC_ATTRIBUTE, v->node, SG_STR_NONE);
	for (uint32_t i = 0; i < n; i++) {
		struct sg_str s;

		if (!sg_atom_is(v, atoms[i], SG_ATOM_STR))
			continue;
		s = sg_atom_str(v, atoms[i]);
		for (size_t at = 0; at < s.n;) {
			struct sg_str rest = sg_str_slice(s, at, s.n);
			size_t dot = sg_str_find(rest, '.');

			if (dot)
				sg_fact_add(v, SG_FACT_ATTR, v->node,
					    sg_str_slice(rest, 0, dot),
					    SG_FACT_BY_NAME |
						    SG_FACT_UNRESOLVED);
			at += dot + 1;
		}
	}
}

void
sg_fact_bind_path(struct sg_values *v, uint32_t path)
{
	for (uint32_t p = v->paths.v[path].parent; p; p = v->paths.v[p].parent)
		if (v->paths.v[p].kind == SG_PATH_RESULT)
			return;
	sg_fact_add(v, SG_FACT_BIND, v->node, v->paths.v[path].full,
		    SG_FACT_STORE);
}

void
sg_fact_import(struct sg_values *v, struct sg_str module, uint32_t flags)
{
	sg_fact_add(v, SG_FACT_IMPORT, v->node, module, flags);
	sg_fact_own_file(v, module);
}

/* --- calls -------------------------------------------------------------------------- */

static struct sg_str
int_text(struct sg_values *v, int64_t i)
{
	char buf[24];
	size_t at = sizeof(buf);
	uint64_t u = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;

	do {
		buf[--at] = (char)('0' + u % 10);
		u /= 10;
	} while (u);
	if (i < 0)
		buf[--at] = '-';
	return sg_arena_dup(v->arena,
			    (struct sg_str){ buf + at, sizeof(buf) - at });
}

static struct sg_str
const_text(uint32_t kind)
{
	switch (kind) {
	case SG_CONST_NONE:
		return SG_STR("None");
	case SG_CONST_TRUE:
		return SG_STR("True");
	case SG_CONST_FALSE:
		return SG_STR("False");
	default:
		return SG_STR("...");
	}
}

/* False when the atom says nothing that a rule could look at. */
static bool
value_of(struct sg_values *v, uint32_t atom, struct sg_arg_value *ret,
	 bool *unknown)
{
	struct sg_atom a = sg_atom_at(v, atom);
	uint32_t text;

	switch (a.kind) {
	case SG_ATOM_PREFIX:
		*unknown = true;
		*ret = (struct sg_arg_value){ SG_ARG_STR, v->strs.v[a.a] };
		return true;
	case SG_ATOM_STR:
		*ret = (struct sg_arg_value){ SG_ARG_STR, v->strs.v[a.a] };
		return true;
	case SG_ATOM_BYTES:
		*ret = (struct sg_arg_value){ SG_ARG_BYTES, v->strs.v[a.a] };
		return true;
	case SG_ATOM_INT:
		*ret = (struct sg_arg_value){ SG_ARG_CONST,
					      int_text(v, v->ints.v[a.a]) };
		return true;
	case SG_ATOM_CONST:
		*ret = (struct sg_arg_value){ SG_ARG_CONST, const_text(a.a) };
		return true;
	case SG_ATOM_PATH:
		*ret = (struct sg_arg_value){ SG_ARG_NAME,
					      v->paths.v[a.a].full };
		return true;
	case SG_ATOM_ANYSTR:
		*unknown = true;
		*ret = (struct sg_arg_value){ SG_ARG_NAME,
					      SG_STR(SG_ARG_MADE) };
		return atom == v->made;
	case SG_ATOM_INSTANCE:
		*unknown = true;
		text = sg_value_pathlib_known(v, atom);
		if (text)
			*ret = (struct sg_arg_value){ SG_ARG_STR,
						      sg_atom_str(v, text) };
		return text != 0;
	default:
		*unknown = true;
		return false;
	}
}

/* What takes paths asks objects for theirs: __fspath__. */
static uint32_t
with_paths(struct sg_values *v, uint32_t set)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, set, atoms);

	for (uint32_t i = 0; i < n; i++)
		if (sg_atom_is(v, atoms[i], SG_ATOM_INST))
			set = sg_set_union(v, set,
					   sg_value_path_hook(v, atoms[i]));
	return set;
}

static void
fill_arg(struct sg_values *v, const struct sg_call_arg *from, struct sg_arg *to)
{
	uint32_t atoms[SG_SET_MAX],
		n = sg_set_copy(v, with_paths(v, from->set), atoms);
	struct sg_arg_value *values = NULL;

	to->keyword = sg_intern_str(v->names, from->keyword);
	to->node = from->node;
	to->literal = v->ast->nodes[from->node].kind == SG_AST_Constant;
	to->starred = from->stars != 0;
	to->unknown = to->text = n == 0;
	for (uint32_t i = 0; i < n; i++)
		to->text = to->text || sg_fact_may_be_text(v, atoms[i]);
	to->local = sg_fact_is_own(v, from->set);
	if (n)
		values = SG_NEWN(v->arena, struct sg_arg_value, n);
	if (!values)
		return;
	for (uint32_t i = 0; i < n; i++)
		if (value_of(v, atoms[i], &values[to->nvalues], &to->unknown))
			to->nvalues++;
	to->values = values;
}

void
sg_fact_call(struct sg_values *v, struct sg_str name,
	     const struct sg_call *call, uint32_t flags)
{
	struct sg_fact *fact;
	struct sg_arg *args = NULL;
	uint32_t position = 0;

	if (said_already(v->facts, SG_FACT_CALL, call->node, name, flags))
		return;
	fact = fact_new(v, SG_FACT_CALL, call->node, name, flags);
	if (!fact || !call->nargs)
		return;
	args = SG_NEWN(v->arena, struct sg_arg, call->nargs);
	if (!args) {
		v->failed = true;
		return;
	}
	for (uint32_t i = 0; i < call->nargs; i++) {
		fill_arg(v, &call->args[i], &args[i]);
		if (!call->args[i].keyword)
			args[i].position = position++;
	}
	fact->args = args;
	fact->nargs = call->nargs;
}
