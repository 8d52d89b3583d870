/*
 * Methods of builtin types: text, containers, namespaces used as dicts.  The
 * receiver is an atom, the name an identifier; what is not known here gives
 * "some text" where the receiver is text, and unknown otherwise.
 */

#include "analyzer/factlist.h"
#include "analyzer/fold.h"
#include "analyzer/value_hook.h"
#include "analyzer/value_node.h"

enum { JOIN_MAX = 256, ARGS_MAX = 8 };

static bool
named(const struct sg_values *v, uint32_t name, const char *text)
{
	return sg_str_eq(sg_intern_str(v->names, name), sg_str_c(text));
}

/* --- text -------------------------------------------------------------------------- */

static bool
fold_args(const struct sg_values *v, const struct sg_call *c,
	  struct sg_fold args[ARGS_MAX], uint32_t *ret_n)
{
	*ret_n = 0;
	if (c->starred || c->nargs > ARGS_MAX)
		return false;
	for (uint32_t i = 0; i < c->nargs; i++) {
		uint32_t set = c->args[i].set;

		if (c->args[i].keyword == v->known.encoding ||
		    !c->args[i].keyword) {
			if (!set || set >= SG_SET_MANY ||
			    !sg_value_fold(v, set, &args[*ret_n]))
				return false;
			++*ret_n;
		}
	}
	return true;
}

/* sep.join(seq), of constants. */
static uint32_t
join(struct sg_values *v, uint32_t sep, uint32_t seq)
{
	struct sg_span s = v->seqs.v[sg_atom_at(v, seq).a];
	uint32_t kind = sg_atom_at(v, sep).kind;
	struct sg_fold f;

	sg_buf_reset(&v->text);
	for (uint32_t i = 0; i < s.n; i++) {
		uint32_t item = v->elements.v[s.at + i];

		if (sg_atom_at(v, item).kind != kind) {
			struct sg_str head;

			if (i && kind == SG_ATOM_STR)
				sg_buf_str(&v->text, sg_atom_str(v, sep));
			if (sg_atom_is(v, item, SG_ATOM_PREFIX))
				sg_buf_str(&v->text, sg_atom_str(v, item));
			head = sg_buf_view(&v->text);
			if (!head.n && item == v->made)
				return item;
			return kind == SG_ATOM_STR ? sg_value_prefix(v, head)
						   : v->anystr;
		}
		if (i)
			sg_buf_str(&v->text, sg_atom_str(v, sep));
		sg_buf_str(&v->text, sg_atom_str(v, item));
	}
	f = (struct sg_fold){ .kind = kind == SG_ATOM_STR ? SG_FOLD_STR
							  : SG_FOLD_BYTES,
			      .s = sg_buf_view(&v->text) };
	return sg_buf_failed(&v->text) ? v->anystr : sg_value_unfold(v, &f);
}

static uint32_t
call_join(struct sg_values *v, uint32_t sep, const struct sg_call *c)
{
	uint32_t atoms[SG_SET_MAX], out = 0;
	uint32_t n = sg_set_copy(v, sg_call_arg(c, 0, 0), atoms);
	bool folded = false, later = false;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t seq = sg_value_sequence(v, atoms[i]);

		later = later || (!seq && sg_atom_is_container(v, atoms[i]));
		if (!seq)
			continue;
		folded = true;
		out = sg_set_union(v, out, join(v, sep, seq));
		later = later || !sg_value_in_order(v, atoms[i]);
	}
	/* What was put into a list after it was made. */
	if (folded && later) {
		uint32_t made = sg_value_made_by_method(v, sep, SG_STR("join"),
							c);

		if (made == v->made)
			out = sg_set_union(v, out, made);
	}
	return folded || !v->settled
		       ? out
		       : sg_value_made_by_method(v, sep, SG_STR("join"), c);
}

static uint32_t
call_format(struct sg_values *v, uint32_t self, const struct sg_call *c)
{
	struct sg_fold_arg args[SG_CALL_ARGS];
	struct sg_fold text, out;
	bool whole;

	for (uint32_t i = 0; i < c->nargs; i++) {
		uint32_t set = c->args[i].set;

		if (!set && !v->settled)
			return 0;
		args[i].name = sg_intern_str(v->names, c->args[i].keyword);
		args[i].known = set && set < SG_SET_MANY && !c->args[i].stars &&
				sg_value_fold(v, set, &args[i].value);
	}
	(void)sg_value_fold(v, self, &text);
	if (v->facts)
		sg_fact_format(v, text.s, c, false);
	sg_buf_reset(&v->text);
	if (!sg_fold_format(&text, args, c->nargs, &v->text, &out, &whole) ||
	    (!whole && !out.s.n))
		return sg_value_made_by_method(v, self, SG_STR("format"), c);
	return whole ? sg_value_unfold(v, &out) : sg_value_prefix(v, out.s);
}

static uint32_t
call_split(struct sg_values *v, uint32_t self, struct sg_str name,
	   const struct sg_fold *args, uint32_t nargs)
{
	struct sg_str pieces[SG_FOLD_PIECES];
	uint32_t items[SG_FOLD_PIECES], n;
	struct sg_fold text;

	(void)sg_value_fold(v, self, &text);
	if (!sg_fold_split(name, &text, args, nargs, pieces, &n))
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		struct sg_fold piece = { .kind = text.kind, .s = pieces[i] };

		items[i] = sg_value_unfold(v, &piece);
	}
	return sg_value_seq(v, items, n);
}

bool
sg_value_text_method(struct sg_values *v, uint32_t self, struct sg_str name,
		     const struct sg_call *c, uint32_t *ret)
{
	struct sg_fold args[ARGS_MAX], text, out;
	uint32_t nargs;

	if (sg_str_eq(name, SG_STR("join")))
		return *ret = call_join(v, self, c), true;
	if (sg_str_eq(name, SG_STR("format")))
		return *ret = call_format(v, self, c), true;
	if (sg_str_eq(name, SG_STR("format_map"))) {
		(void)sg_value_fold(v, self, &text);
		if (v->facts)
			sg_fact_format(v, text.s, c, true);
		*ret = sg_value_made_by_method(v, self, name, c);
		return true;
	}
	for (uint32_t i = 0; i < c->nargs && !v->settled; i++)
		if (!c->args[i].set)
			return *ret = 0, true;
	if (!fold_args(v, c, args, &nargs) || !sg_value_fold(v, self, &text))
		return false;
	*ret = call_split(v, self, name, args, nargs);
	if (*ret)
		return true;
	sg_buf_reset(&v->text);
	if (!sg_fold_method(name, &text, args, nargs, &v->text, &out))
		return false;
	*ret = sg_value_unfold(v, &out);
	return true;
}

static uint32_t
text_method(struct sg_values *v, uint32_t self, uint32_t name,
	    const struct sg_call *c)
{
	uint32_t kind = sg_atom_at(v, self).kind, ret;
	struct sg_str s = sg_intern_str(v->names, name);

	if (name == v->known.getitem_)
		return sg_value_item(v, self, sg_call_arg(c, 0, 0));
	if (sg_str_eq(s, SG_STR("__add__")))
		return sg_value_binop(v, SG_OP_ADD, self, sg_call_arg(c, 0, 0));
	if (sg_str_eq(s, SG_STR("__mod__")))
		return sg_value_binop(v, SG_OP_MOD, self, sg_call_arg(c, 0, 0));
	if ((kind == SG_ATOM_STR || kind == SG_ATOM_BYTES) &&
	    sg_value_text_method(v, self, s, c, &ret))
		return ret;
	if (v->facts && kind != SG_ATOM_STR &&
	    (name == v->known.format || name == v->known.format_map))
		sg_fact_dynamic(v, SG_DYNAMIC_FORMAT, c->node, SG_STR_NONE);
	if (sg_str_eq(s, SG_STR("split")) || sg_str_eq(s, SG_STR("rsplit")) ||
	    sg_str_eq(s, SG_STR("splitlines")) ||
	    sg_str_eq(s, SG_STR("partition")))
		return sg_value_container(
			v, SG_ATOM_LIST, c->node,
			sg_value_made_by_method(v, self, s, c));
	if (sg_str_starts(s, SG_STR("is")) || sg_str_ends(s, SG_STR("with")))
		return v->unknown;
	if (sg_str_ends(s, SG_STR("find")) || sg_str_ends(s, SG_STR("index")) ||
	    sg_str_eq(s, SG_STR("count")))
		return v->anynum;
	return sg_value_made_by_method(v, self, s, c);
}

/* --- containers ----------------------------------------------------------------------- */

static void
take_all(struct sg_values *v, uint32_t self, uint32_t from)
{
	uint32_t site = sg_atom_at(v, self).a, atoms[SG_SET_MAX], n;

	n = sg_set_copy(v, from, atoms);
	for (uint32_t i = 0; i < n; i++) {
		struct sg_atom a = sg_atom_at(v, atoms[i]);
		uint32_t keys[SG_SET_MAX], m;

		if (a.kind != SG_ATOM_DICT ||
		    !sg_atom_is(v, self, SG_ATOM_DICT)) {
			sg_cell_add(v, sg_cell(v, SG_CELL_ALL, site, 0),
				    sg_value_elements(v, atoms[i]));
			continue;
		}
		m = sg_set_copy(
			v, sg_cell_read(v, sg_cell(v, SG_CELL_DKEYS, a.a, 0)),
			keys);
		for (uint32_t k = 0; k < m; k++)
			sg_value_item_store(
				v, self, keys[k],
				sg_value_item(v, atoms[i], keys[k]));
	}
}

static uint32_t
dict_items(struct sg_values *v, uint32_t self, uint32_t node)
{
	uint32_t site = sg_atom_at(v, self).a, pair = SG_SITE(node, 2);
	uint32_t keys = sg_cell_read(v, sg_cell(v, SG_CELL_DKEYS, site, 0));
	uint32_t all = sg_cell_read(v, sg_cell(v, SG_CELL_ALL, site, 0));

	sg_cell_add(v, sg_cell(v, SG_CELL_KEY, pair, sg_value_int(v, 0)), keys);
	sg_cell_add(v, sg_cell(v, SG_CELL_KEY, pair, sg_value_int(v, 1)), all);
	sg_cell_add(v, sg_cell(v, SG_CELL_ALL, pair, 0),
		    sg_set_union(v, keys, all));
	return sg_value_container(v, SG_ATOM_ITER, node,
				  sg_atom(v, SG_ATOM_TUPLE, pair, 0));
}

enum op {
	OP_ADD,    /* argument 0 becomes an element */
	OP_INSERT, /* argument 1 does */
	OP_EXTEND,
	OP_GET, /* an item, else argument 1 */
	OP_SETDEFAULT,
	OP_POP, /* an element, or an item as OP_GET */
	OP_ITEMS,
	OP_VALUES,
	OP_KEYS,
	OP_SAME, /* gives the receiver */
	OP_NEXT, /* gives an element */
	OP_SEND, /* the same, and takes argument 0 to where it stands */
	OP_SET,  /* __setitem__ */
	OP_ATTR, /* __getattribute__ */
	OP_MOVE  /* the elements change places */
};

/* In byte order of the names. */
static const struct {
	const char *name;
	enum op op;
} operations[] = {
	{ "__add__", OP_SAME },
	{ "__getattribute__", OP_ATTR },
	{ "__getitem__", OP_GET },
	{ "__iter__", OP_SAME },
	{ "__next__", OP_NEXT },
	{ "__setitem__", OP_SET },
	{ "add", OP_ADD },
	{ "append", OP_ADD },
	{ "appendleft", OP_ADD },
	{ "asend", OP_SEND },
	{ "copy", OP_SAME },
	{ "difference", OP_SAME },
	{ "extend", OP_EXTEND },
	{ "extendleft", OP_EXTEND },
	{ "get", OP_GET },
	{ "insert", OP_INSERT },
	{ "intersection", OP_SAME },
	{ "items", OP_ITEMS },
	{ "keys", OP_KEYS },
	{ "pop", OP_POP },
	{ "popitem", OP_NEXT },
	{ "popleft", OP_NEXT },
	{ "remove", OP_MOVE },
	{ "reverse", OP_MOVE },
	{ "rotate", OP_MOVE },
	{ "send", OP_SEND },
	{ "setdefault", OP_SETDEFAULT },
	{ "sort", OP_MOVE },
	{ "union", OP_SAME },
	{ "update", OP_EXTEND },
	{ "values", OP_VALUES },
};

static int
operation_of(struct sg_str name)
{
	size_t low = 0, high = sizeof(operations) / sizeof(*operations);

	while (low < high) {
		size_t mid = (low + high) / 2;
		int cmp = sg_str_cmp(name, sg_str_c(operations[mid].name));

		if (!cmp)
			return (int)operations[mid].op;
		if (cmp < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return -1;
}

static uint32_t
container_method(struct sg_values *v, uint32_t self, uint32_t name,
		 const struct sg_call *c)
{
	uint32_t site = sg_atom_at(v, self).a;
	uint32_t a0 = sg_call_arg(c, 0, 0), a1 = sg_call_arg(c, 1, 0);
	bool dict = sg_atom_is(v, self, SG_ATOM_DICT);

	switch (operation_of(sg_intern_str(v->names, name))) {
	case OP_MOVE:
		sg_value_disorder(v, self);
		return v->none_atom;
	case OP_ADD:
		sg_cell_add(v, sg_cell(v, SG_CELL_ALL, site, 0), a0);
		return v->none_atom;
	case OP_INSERT:
		sg_cell_add(v, sg_cell(v, SG_CELL_ALL, site, 0), a1);
		sg_value_disorder(v, self);
		return v->none_atom;
	case OP_EXTEND:
		take_all(v, self, a0);
		for (uint32_t i = 0; i < c->nargs; i++)
			if (c->args[i].keyword)
				sg_value_item_store(
					v, self,
					sg_value_str(
						v, sg_intern_str(
							   v->names,
							   c->args[i].keyword)),
					c->args[i].set);
		return v->none_atom;
	case OP_GET:
		return sg_set_union(v, sg_value_item(v, self, a0), a1);
	case OP_SETDEFAULT:
		sg_value_item_store(v, self, a0, a1);
		return sg_value_item(v, self, a0);
	case OP_POP:
		if (a0)
			sg_value_disorder(v, self);
		return sg_set_union(v,
				    sg_value_item(v, self, a0 ? a0 : v->anynum),
				    dict ? a1 : 0);
	case OP_SET:
		sg_value_item_store(v, self, a0, a1);
		return v->none_atom;
	case OP_ITEMS:
		return dict ? dict_items(v, self, c->node) : self;
	case OP_VALUES:
		return sg_value_container(
			v, SG_ATOM_ITER, c->node,
			sg_cell_read(v, sg_cell(v, SG_CELL_ALL, site, 0)));
	case OP_KEYS:
		return sg_value_container(v, SG_ATOM_ITER, c->node,
					  sg_value_elements(v, self));
	case OP_SAME:
		if (a0 && a0 < SG_SET_MANY && sg_atom_is_container(v, a0))
			return sg_set_union(v, self, a0);
		return self;
	case OP_SEND:
		sg_value_send(v, self, a0);
		return sg_set_union(v, v->unknown, sg_value_elements(v, self));
	case OP_NEXT:
		if (dict)
			return sg_value_elements(v,
						 dict_items(v, self, c->node));
		if (sg_atom_is(v, self, SG_ATOM_LIST))
			sg_value_disorder(v, self);
		return sg_set_union(
			v, sg_value_elements(v, self),
			sg_cell_read(v, sg_cell(v, SG_CELL_ALL, site, 0)));
	case OP_ATTR:
		return sg_value_attr_by(v, self, a0);
	default:
		for (uint32_t i = 0; i < c->nargs; i++)
			sg_value_escape(v, c->args[i].set);
		return v->unknown;
	}
}

/* --- numbers ---------------------------------------------------------------------------- */

/* n.to_bytes(length, order) */
static uint32_t
number_method(struct sg_values *v, uint32_t self, uint32_t name,
	      const struct sg_call *c)
{
	uint32_t length = sg_call_arg(c, 0, 0), order = sg_call_arg(c, 1, 0);
	int64_t i, n;
	char buf[8];
	bool little;

	if (!named(v, name, "to_bytes"))
		return v->unknown;
	if (!length || length >= SG_SET_MANY || !sg_atom_int(v, length, &n) ||
	    !sg_atom_int(v, self, &i) || i < 0 || n < 1 || n > 8)
		return v->made;
	little = order && order < SG_SET_MANY &&
		 sg_atom_is(v, order, SG_ATOM_STR) &&
		 sg_str_eq(sg_atom_str(v, order), SG_STR("little"));
	for (int64_t k = 0; k < n; k++)
		buf[little ? k : n - 1 - k] = (char)(i >> 8 * k & 0xff);
	return sg_value_bytes(v, (struct sg_str){ buf, (size_t)n });
}

/* --- namespaces ----------------------------------------------------------------------- */

static uint32_t
namespace_method(struct sg_values *v, uint32_t self, uint32_t name,
		 const struct sg_call *c)
{
	uint32_t a0 = sg_call_arg(c, 0, 0), a1 = sg_call_arg(c, 1, 0), n;
	uint32_t atoms[SG_SET_MAX];

	switch (operation_of(sg_intern_str(v->names, name))) {
	case OP_GET:
	case OP_POP:
		if (a0)
			sg_value_disorder(v, self);
		return sg_set_union(v, sg_value_item(v, self, a0), a1);
	case OP_SETDEFAULT:
		sg_value_item_store(v, self, a0, a1);
		return sg_value_item(v, self, a0);
	case OP_SET:
		sg_value_item_store(v, self, a0, a1);
		return v->none_atom;
	case OP_SAME:
		return self;
	case OP_KEYS:
		return sg_value_container(v, SG_ATOM_ITER, c->node, v->anystr);
	case OP_ITEMS:
	case OP_VALUES:
		if (v->facts)
			sg_fact_dynamic(v, SG_DYNAMIC_ITEM, c->node,
					sg_fact_base(v, self));
		return sg_value_container(v, SG_ATOM_ITER, c->node, v->unknown);
	case OP_EXTEND:
		n = sg_set_copy(v, a0, atoms);
		for (uint32_t i = 0; i < n; i++) {
			uint32_t keys;

			if (!sg_atom_is(v, atoms[i], SG_ATOM_DICT))
				continue;
			keys = sg_value_elements(v, atoms[i]);
			sg_value_item_store(v, self, keys,
					    sg_value_item(v, atoms[i], keys));
		}
		for (uint32_t i = 0; i < c->nargs; i++)
			if (c->args[i].keyword)
				sg_value_item_store(
					v, self,
					sg_value_str(
						v, sg_intern_str(
							   v->names,
							   c->args[i].keyword)),
					c->args[i].set);
		return v->none_atom;
	default:
		return v->unknown;
	}
}

/* --- all ------------------------------------------------------------------------------- */

/* The builtin type of a receiver, for the name of the call. */
static const char *
type_name(uint32_t kind)
{
	switch (kind) {
	case SG_ATOM_STR:
	case SG_ATOM_PREFIX:
	case SG_ATOM_ANYSTR:
	case SG_ATOM_WIDESTR:
		return "builtins.str";
	case SG_ATOM_BYTES:
		return "builtins.bytes";
	case SG_ATOM_LIST:
		return "builtins.list";
	case SG_ATOM_DICT:
		return "builtins.dict";
	default:
		return NULL;
	}
}

static void
emit_call(struct sg_values *v, uint32_t kind, uint32_t name,
	  const struct sg_call *c)
{
	const char *type = type_name(kind);
	uint32_t path;

	if (!type)
		return;
	path = sg_path_child(v, sg_path_of(v, sg_str_c(type)), name);
	if (path)
		sg_fact_call(v, v->paths.v[path].full, c,
			     c->implicit ? SG_FACT_IMPLICIT : 0);
}

uint32_t
sg_value_method(struct sg_values *v, uint32_t self, uint32_t name,
		const struct sg_call *c)
{
	uint32_t kind = sg_atom_at(v, self).kind, seq;

	if (v->facts)
		emit_call(v, kind, name, c);
	switch (kind) {
	case SG_ATOM_STR:
	case SG_ATOM_BYTES:
	case SG_ATOM_PREFIX:
	case SG_ATOM_ANYSTR:
	case SG_ATOM_WIDESTR:
		return text_method(v, self, name, c);
	case SG_ATOM_LIST:
	case SG_ATOM_TUPLE:
	case SG_ATOM_SET:
	case SG_ATOM_DICT:
	case SG_ATOM_ITER:
		return container_method(v, self, name, c);
	case SG_ATOM_SEQ:
		if (named(v, name, "__getitem__") || named(v, name, "pop"))
			return sg_value_item(v, self,
					     c->nargs ? sg_call_arg(c, 0, 0)
						      : v->anynum);
		seq = named(v, name, "copy") || named(v, name, "__iter__");
		return seq ? self : v->unknown;
	case SG_ATOM_NS:
	case SG_ATOM_GLOBALS:
	case SG_ATOM_LOCALS:
	case SG_ATOM_NSCLASS:
	case SG_ATOM_NSINST:
		return namespace_method(v, self, name, c);
	case SG_ATOM_INSTANCE:
		return sg_value_pathlib_method(v, self, name, c);
	case SG_ATOM_INT:
	case SG_ATOM_ANYNUM:
		return number_method(v, self, name, c);
	case SG_ATOM_PROPERTY:
		sg_value_escape(v, sg_call_arg(c, 0, 0));
		return self;
	default:
		if (name == v->known.getattribute_)
			return sg_value_attr_by(v, self, sg_call_arg(c, 0, 0));
		for (uint32_t i = 0; i < c->nargs; i++)
			sg_value_escape(v, c->args[i].set);
		return v->unknown;
	}
}
