/*
 * Items and elements: containers of the script, namespaces used as dicts,
 * module tables, and what a loop takes from them.
 *
 * A container is known by its site, the node that made it.  Its elements
 * are joined, and those under a constant key are kept apart as well, so that
 * `d['f']` of a dispatch table is exact while `d[x]` is any of it.
 */

#include "analyzer/value.h"

#include "analyzer/factlist.h"
#include "analyzer/value_hook.h"

enum { CHARS_MAX = 48 };

bool
sg_atom_is_container(const struct sg_values *v, uint32_t atom)
{
	uint32_t kind = v->atoms.v[atom].kind;

	return kind >= SG_ATOM_LIST && kind <= SG_ATOM_ITER;
}

/* --- imports by name ------------------------------------------------------ */

/* Modules of those names; what is not known is said. */
uint32_t
sg_value_import(struct sg_values *v, uint32_t names, uint32_t flags)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, names, atoms), out = 0;
	bool unknown = n == 0 && v->settled;

	for (uint32_t i = 0; i < n; i++) {
		struct sg_atom a = sg_atom_at(v, atoms[i]);
		struct sg_str s;
		uint32_t path;

		if (a.kind != SG_ATOM_STR) {
			unknown = unknown || a.kind != SG_ATOM_CONST;
			continue;
		}
		s = v->strs.v[a.a];
		if (sg_str_eq(s, SG_STR("__main__"))) {
			out = sg_set_union(v, out, v->main_atom);
			continue;
		}
		path = sg_path_of(v, s);
		if (!path) {
			unknown = true;
			continue;
		}
		out = sg_set_union(v, out, sg_value_path(v, path));
		if (v->facts) {
			sg_fact_import(v, s, flags);
			sg_fact_refs(v, v->node, sg_value_path(v, path),
				     SG_FACT_INDIRECT);
		}
	}
	if (unknown) {
		out = sg_set_union(v, out, v->unknown);
		if (v->facts)
			sg_fact_dynamic(v, SG_DYNAMIC_IMPORT, v->node,
					SG_STR_NONE);
	}
	return out;
}

/* --- namespaces as dicts -------------------------------------------------- */

static uint32_t
namespace_base(struct sg_values *v, struct sg_atom a)
{
	switch (a.kind) {
	case SG_ATOM_NS:
		return sg_atom(v, SG_ATOM_PATH, a.a, 0);
	case SG_ATOM_NSCLASS:
		return sg_atom(v, SG_ATOM_CLASS, a.a, 0);
	case SG_ATOM_NSINST:
		return v->ast->nodes[a.a].kind == SG_AST_ClassDef
			       ? sg_atom(v, SG_ATOM_INST, a.a, 0)
			       : sg_atom(v, SG_ATOM_FUNC, a.a, 0);
	default:
		return v->main_atom;
	}
}

static uint32_t
locals_item(struct sg_values *v, uint32_t scope, uint32_t key)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, key, atoms), out = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t name, symbol;

		if (!sg_atom_is(v, atoms[i], SG_ATOM_STR))
			continue;
		name = sg_value_name_id(v, sg_atom_str(v, atoms[i]));
		symbol = sg_scopes_find(v->scopes, scope, name);
		if (symbol)
			out = sg_set_union(v, out, sg_cell_read(v, symbol));
	}
	if (!out)
		out = sg_set_union(v, v->unknown,
				   sg_value_any_bound(v, scope, 0));
	return out;
}

static uint32_t
unknown_item(struct sg_values *v, uint32_t atom)
{
	if (v->facts)
		sg_fact_dynamic(v, SG_DYNAMIC_ITEM, v->node,
				sg_fact_base(v, atom));
	return v->unknown;
}

/* An item of a module's or the script's namespace. */
static uint32_t
namespace_item(struct sg_values *v, uint32_t atom, uint32_t key)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, key, atoms), out = 0;
	uint32_t base = namespace_base(v, sg_atom_at(v, atom));
	bool unknown = n == 0 && v->settled;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t name, set;

		if (!sg_atom_is(v, atoms[i], SG_ATOM_STR)) {
			unknown = unknown ||
				  !sg_atom_is(v, atoms[i], SG_ATOM_INT);
			out = sg_set_union(
				v, out, sg_value_any_attr(v, base, atoms[i]));
			continue;
		}
		name = sg_value_name_id(v, sg_atom_str(v, atoms[i]));
		if (!name)
			continue;
		set = sg_value_atom_attr(v, base, name);
		out = sg_set_union(v, out, set);
		if (v->facts)
			sg_fact_attr(v, base, name, set, SG_FACT_BY_NAME);
	}
	return unknown ? sg_set_union(v, out, unknown_item(v, atom)) : out;
}

/* --- containers ----------------------------------------------------------- */

/* The i-th child of a list or tuple display; 0 when that is not certain. */
static uint32_t
display_nth(struct sg_values *v, uint32_t site, uint32_t at)
{
	const struct sg_node *nodes = v->ast->nodes;
	uint32_t i;

	if (at >= SG_PLACES || site != SG_SITE_NODE(site) ||
	    (nodes[site].kind != SG_AST_List &&
	     nodes[site].kind != SG_AST_Tuple))
		return 0;
	for (i = nodes[site].first; i; i = nodes[i].next) {
		if (nodes[i].kind == SG_AST_Starred)
			return 0;
		if (!at--)
			break;
	}
	return i;
}

bool
sg_value_nth(struct sg_values *v, uint32_t atom, uint32_t i, uint32_t *ret)
{
	struct sg_atom a = sg_atom_at(v, atom);
	uint32_t cell, child;

	if (a.kind == SG_ATOM_SEQ) {
		if (i >= v->seqs.v[a.a].n)
			return false;
		*ret = v->elements.v[v->seqs.v[a.a].at + i];
		return true;
	}
	if (a.kind != SG_ATOM_LIST && a.kind != SG_ATOM_TUPLE &&
	    a.kind != SG_ATOM_ITER)
		return false;
	child = display_nth(v, a.a, i);
	cell = sg_cell_find(v, SG_CELL_KEY, a.a, sg_value_int(v, i));
	if (!child && !cell)
		return false;
	(void)sg_cell_read(v, sg_cell(v, SG_CELL_ALL, a.a, 0));
	*ret = child ? v->val[child] : 0;
	if (cell)
		*ret = sg_set_union(v, *ret, sg_cell_read(v, cell));
	return true;
}

/* 0 when there are too many to tell places apart. */
static uint32_t
display_length(const struct sg_values *v, uint32_t site)
{
	const struct sg_node *nodes = v->ast->nodes;
	uint32_t n = 0;

	for (uint32_t i = nodes[site].first; i && n <= SG_PLACES;
	     i = nodes[i].next)
		n++;
	return n <= SG_PLACES ? n : 0;
}

static uint32_t
container_item(struct sg_values *v, uint32_t atom, uint32_t key)
{
	uint32_t site = sg_atom_at(v, atom).a, atoms[SG_SET_MAX], n, out = 0;
	bool all = false;

	n = sg_set_copy(v, key, atoms);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t cell = sg_cell_find(v, SG_CELL_KEY, site, atoms[i]);
		uint32_t kind = sg_atom_at(v, atoms[i]).kind, nth;
		int64_t at;

		if (sg_atom_int(v, atoms[i], &at) &&
		    !sg_atom_is(v, atom, SG_ATOM_DICT)) {
			if (at < 0 && site == SG_SITE_NODE(site))
				at += display_length(v, site);
			if (at >= 0 && at < 1 << 16 &&
			    sg_value_nth(v, atom, (uint32_t)at, &nth))
				out = sg_set_union(v, out, nth);
			else
				all = true;
		} else if (cell) {
			out = sg_set_union(v, out, sg_cell_read(v, cell));
		} else {
			all = all || kind != SG_ATOM_STR;
		}
	}
	if (all || !n || !out)
		return sg_cell_read(v, sg_cell(v, SG_CELL_ALL, site, 0));
	return sg_set_union(
		v, out, sg_cell_read(v, sg_cell(v, SG_CELL_ANYKEY, site, 0)));
}

/* Element i (negative from the end) of a constant sequence. */
static uint32_t
seq_item(struct sg_values *v, struct sg_atom a, uint32_t key)
{
	struct sg_span s = v->seqs.v[a.a];
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, key, atoms), out = 0;

	for (uint32_t i = 0; i < n; i++) {
		int64_t at;

		if (!sg_atom_int(v, atoms[i], &at)) {
			uint32_t all[SG_SET_MAX];
			uint32_t m = s.n < SG_SET_MAX ? s.n : SG_SET_MAX;

			memcpy(all, v->elements.v + s.at, m * sizeof(*all));
			out = sg_set_union(v, out, sg_set_of(v, all, m));
			if (m < s.n)
				out = sg_set_union(v, out, v->widestr);
			continue;
		}
		at = at < 0 ? at + (int64_t)s.n : at;
		if (at >= 0 && at < (int64_t)s.n)
			out = sg_set_union(v, out,
					   v->elements.v[s.at + (uint32_t)at]);
	}
	return out;
}

/* obj[key] where a local class says what that is. */
static uint32_t
hook_item(struct sg_values *v, uint32_t atom, uint32_t key)
{
	struct sg_atom a = sg_atom_at(v, atom);
	uint32_t name = a.kind == SG_ATOM_INST ? v->known.getitem_
					       : v->known.class_getitem_;
	uint32_t hook = sg_value_atom_attr(v, atom, name), same = 0;

	if (a.kind == SG_ATOM_CLASS && sg_class_is_enum(v, a.a))
		return sg_atom(v, SG_ATOM_INST, a.a, 0);
	if (a.kind == SG_ATOM_CLASS) {
		bool found;

		(void)sg_class_lookup(v, a.a, name, &found);
		if (!found) /* Box[int] */
			hook = 0;
		same = found ? 0 : atom;
	}
	if (a.kind == SG_ATOM_CLASS)
		hook = sg_set_union(
			v, hook,
			sg_value_atom_attr(v, atom, v->known.getitem_));
	return sg_set_union(v, same, sg_value_apply(v, hook, v->node, 1, &key));
}

static uint32_t
path_item(struct sg_values *v, uint32_t atom, uint32_t key)
{
	struct sg_atom a = sg_atom_at(v, atom);
	uint32_t item;

	if (a.kind == SG_ATOM_PATH && sg_path_is(v, a.a, "sys.modules"))
		return sg_value_import(v, key, SG_FACT_BY_NAME);
	if (a.kind == SG_ATOM_PATH && v->paths.v[a.a].kind == SG_PATH_CLASS)
		return atom; /* list[int] */
	/* The first of these is the script's own file. */
	if (a.kind == SG_ATOM_PATH && key && key < SG_SET_MANY &&
	    sg_atom_is(v, key, SG_ATOM_INT) &&
	    !v->ints.v[sg_atom_at(v, key).a] && sg_path_is(v, a.a, "sys.argv"))
		return sg_value_path(
			v, sg_path_of(v, SG_STR("__main__.__file__")));
	item = sg_path_item(v, a.a);
	item = sg_set_union(v, sg_value_path(v, item), sg_value_held(v, a.a));
	/* os.getcwd()[0], os.getcwd()[:1] */
	return sg_path_is(v, a.a, "os.getcwd()")
		       ? sg_set_union(v, item, sg_value_str(v, SG_STR("/")))
		       : item;
}

static uint32_t
atom_item(struct sg_values *v, uint32_t atom, uint32_t key)
{
	struct sg_atom a = sg_atom_at(v, atom);

	switch (a.kind) {
	case SG_ATOM_NS:
	case SG_ATOM_GLOBALS:
	case SG_ATOM_NSCLASS:
	case SG_ATOM_NSINST:
		return namespace_item(v, atom, key);
	case SG_ATOM_LOCALS:
		return locals_item(v, a.a, key);
	case SG_ATOM_PATH:
	case SG_ATOM_INSTANCE:
		return path_item(v, atom, key);
	case SG_ATOM_SEQ:
		return seq_item(v, a, key);
	case SG_ATOM_LIST:
	case SG_ATOM_TUPLE:
	case SG_ATOM_SET:
	case SG_ATOM_DICT:
	case SG_ATOM_ITER:
		return container_item(v, atom, key);
	case SG_ATOM_HELD:
		return atom;
	case SG_ATOM_INST:
	case SG_ATOM_CLASS:
		return hook_item(v, atom, key);
	case SG_ATOM_STR:
	case SG_ATOM_BYTES:
		return sg_value_text_item(v, atom, key);
	case SG_ATOM_ANYSTR:
		return atom;
	case SG_ATOM_WIDESTR:
	case SG_ATOM_PREFIX:
		return v->anystr;
	default:
		return v->unknown;
	}
}

uint32_t
sg_value_item(struct sg_values *v, uint32_t base, uint32_t key)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, base, atoms), out = 0;

	for (uint32_t i = 0; i < n; i++)
		out = sg_set_union(v, out, atom_item(v, atoms[i], key));
	return out;
}

/* --- stores ---------------------------------------------------------------- */

static void
container_store(struct sg_values *v, uint32_t site, uint32_t key, uint32_t set)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, key, atoms);

	sg_cell_add(v, sg_cell(v, SG_CELL_ALL, site, 0), set);
	sg_cell_add(v, sg_cell(v, SG_CELL_DKEYS, site, 0), key);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t kind = sg_atom_at(v, atoms[i]).kind;
		bool constant = kind == SG_ATOM_STR || kind == SG_ATOM_INT ||
				kind == SG_ATOM_CONST;

		sg_cell_add(v,
			    constant ? sg_cell(v, SG_CELL_KEY, site, atoms[i])
				     : sg_cell(v, SG_CELL_ANYKEY, site, 0),
			    set);
	}
	if (!n)
		sg_cell_add(v, sg_cell(v, SG_CELL_ANYKEY, site, 0), set);
}

static void
namespace_store(struct sg_values *v, uint32_t atom, uint32_t key, uint32_t set)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, key, atoms);
	uint32_t base = namespace_base(v, sg_atom_at(v, atom));
	bool unknown = n == 0 && v->settled;

	for (uint32_t i = 0; i < n; i++) {
		if (sg_atom_is(v, atoms[i], SG_ATOM_STR))
			sg_value_attr_store(
				v, base,
				sg_value_name_id(v, sg_atom_str(v, atoms[i])),
				set);
		else
			unknown = true;
	}
	if (unknown)
		(void)unknown_item(v, atom);
}

void
sg_value_item_store(struct sg_values *v, uint32_t base, uint32_t key,
		    uint32_t set)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, base, atoms);

	for (uint32_t i = 0; i < n; i++) {
		struct sg_atom a = sg_atom_at(v, atoms[i]);
		uint32_t item;

		switch (a.kind) {
		case SG_ATOM_NS:
		case SG_ATOM_GLOBALS:
		case SG_ATOM_NSCLASS:
		case SG_ATOM_NSINST:
			namespace_store(v, atoms[i], key, set);
			break;
		case SG_ATOM_PATH:
			item = sg_path_item(v, a.a);
			if (item && v->facts)
				sg_fact_bind_path(v, item);
			break;
		case SG_ATOM_LIST:
		case SG_ATOM_DICT:
		case SG_ATOM_ITER:
			container_store(v, a.a, key, set);
			break;
		case SG_ATOM_INST:
			sg_value_item_hook(v, atoms[i], key, set);
			break;
		default:
			break;
		}
	}
}

void
sg_value_disorder(struct sg_values *v, uint32_t set)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, set, atoms);

	for (uint32_t i = 0; i < n && !v->facts; i++) {
		struct sg_atom a = sg_atom_at(v, atoms[i]);

		if (a.kind == SG_ATOM_LIST || a.kind == SG_ATOM_ITER)
			sg_cell_add(v, sg_cell(v, SG_CELL_ANYKEY, a.a, 0),
				    sg_cell_read(v, sg_cell(v, SG_CELL_ALL, a.a,
							    0)));
	}
}

/* --- elements --------------------------------------------------------------- */

static uint32_t
chars_of(struct sg_values *v, uint32_t atom)
{
	uint32_t chars[CHARS_MAX], n = 0;
	struct sg_str s = sg_atom_str(v, atom);

	for (size_t at = 0; at < s.n && n < CHARS_MAX;) {
		size_t len = 1;

		while (at + len < s.n &&
		       ((uint8_t)s.p[at + len] & 0xc0) == 0x80)
			len++;
		chars[n++] = sg_value_str(v, sg_str_slice(s, at, at + len));
		s = sg_atom_str(v, atom);
		at += len;
		if (n == CHARS_MAX && at < s.n)
			return v->anystr;
	}
	return sg_set_of(v, chars, n);
}

static uint32_t
hook_elements(struct sg_values *v, uint32_t atom)
{
	static const uint32_t none = 0;
	uint32_t cls = sg_atom_at(v, atom).a, set;
	uint32_t it, next;
	bool found;

	(void)sg_class_lookup(v, cls, v->known.iter_, &found);
	if (!found) {
		(void)sg_class_lookup(v, cls, v->known.getitem_, &found);
		return found ? sg_value_item(v, atom, v->anynum) : v->unknown;
	}
	it = sg_value_apply(v, sg_value_atom_attr(v, atom, v->known.iter_),
			    v->node, 0, &none);
	next = sg_value_attr(v, it, v->known.next_);
	set = sg_set_has(v, it, atom) ? 0 : sg_value_elements(v, it);
	return sg_set_union(v, set, sg_value_apply(v, next, v->node, 0, &none));
}

static uint32_t
atom_elements(struct sg_values *v, uint32_t atom)
{
	struct sg_atom a = sg_atom_at(v, atom);

	switch (a.kind) {
	case SG_ATOM_STR:
		return chars_of(v, atom);
	case SG_ATOM_BYTES:
		return v->anynum;
	case SG_ATOM_SEQ:
		return seq_item(v, a, v->anynum);
	case SG_ATOM_LIST:
	case SG_ATOM_TUPLE:
	case SG_ATOM_SET:
	case SG_ATOM_ITER:
		return sg_cell_read(v, sg_cell(v, SG_CELL_ALL, a.a, 0));
	case SG_ATOM_DICT:
		return sg_cell_read(v, sg_cell(v, SG_CELL_DKEYS, a.a, 0));
	case SG_ATOM_PATH:
	case SG_ATOM_INSTANCE:
		if (sg_path_is(v, a.a, "sys.modules"))
			return v->anystr;
		return sg_set_union(v, sg_value_path(v, sg_path_item(v, a.a)),
				    sg_value_held(v, a.a));
	case SG_ATOM_INST:
		if (v->fanout > 256)
			return v->unknown;
		v->fanout++;
		return hook_elements(v, atom);
	case SG_ATOM_HELD:
		return atom;
	case SG_ATOM_CLASS:
		return sg_class_is_enum(v, a.a)
			       ? sg_atom(v, SG_ATOM_INST, a.a, 0)
			       : v->unknown;
	case SG_ATOM_NS:
	case SG_ATOM_GLOBALS:
	case SG_ATOM_LOCALS:
	case SG_ATOM_NSCLASS:
	case SG_ATOM_NSINST:
	case SG_ATOM_WIDESTR:
	case SG_ATOM_PREFIX:
		return v->anystr;
	case SG_ATOM_ANYSTR:
		return atom;
	default:
		return v->unknown;
	}
}

uint32_t
sg_value_elements(struct sg_values *v, uint32_t set)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, set, atoms), out = 0;

	for (uint32_t i = 0; i < n; i++)
		out = sg_set_union(v, out, atom_elements(v, atoms[i]));
	return out;
}
