/*
 * Theory of operation
 *
 * An instance of a pathlib class carries what is known of its text: b of its
 * atom is a STR, a PREFIX (what follows is not known), WIDESTR (too many to
 * tell apart) or 0.  What pathlib composes of it - `/`, joinpath, parent,
 * parents, with_name, resolve - gives an instance with the text composed, by
 * analyzer/fold_path.h.  The methods that compose are METHOD atoms, so that
 * they keep their receiver; all others are dotted names, as of any class.
 *
 * In a loop a text may grow for ever; after VISITS_WIDEN rounds only its
 * beginning is kept.
 */

#include "analyzer/value.h"

#include "analyzer/factlist.h"
#include "analyzer/fold_path.h"
#include "analyzer/value_special.h"

enum {
	VISITS_WIDEN = 6,
	VISITS_END = 12,
	COMBINE = 64,
	PARENTS_MAX = 16,
	TEXT_MAX = 4096 /* what a system takes */
};

/* --- atoms ---------------------------------------------------------------- */

bool
sg_atom_is_pathlib(const struct sg_values *v, uint32_t atom)
{
	struct sg_atom a = sg_atom_at(v, atom);

	return a.kind == SG_ATOM_INSTANCE &&
	       (a.b || sg_str_starts(v->paths.v[a.a].full, SG_STR("pathlib.")));
}

uint32_t
sg_value_pathlib_known(const struct sg_values *v, uint32_t atom)
{
	struct sg_atom a = sg_atom_at(v, atom);

	return a.kind == SG_ATOM_INSTANCE && a.b != v->widestr ? a.b : 0;
}

uint32_t
sg_value_pathlib_text(const struct sg_values *v, uint32_t atom)
{
	uint32_t text = sg_value_pathlib_known(v, atom);

	/* Of "./x" Python gives a text that nobody here knows. */
	if (text && sg_str_starts(sg_atom_str(v, text), SG_STR("./")) &&
	    !sg_str_starts(sg_atom_str(v, text), SG_STR("./..")))
		return 0;
	return text;
}

uint32_t
sg_value_pathlib_member(struct sg_values *v, uint32_t atom)
{
	struct sg_atom a = sg_atom_at(v, atom);

	if (a.kind != SG_ATOM_METHOD || !sg_atom_is(v, a.a, SG_ATOM_INSTANCE))
		return 0;
	return sg_path_child(v, sg_atom_at(v, a.a).a, a.b);
}

static uint32_t
instance(struct sg_values *v, uint32_t cls, uint32_t text)
{
	return sg_atom(v, SG_ATOM_INSTANCE, cls, text);
}

static uint32_t
beginning(struct sg_values *v, uint32_t text)
{
	return sg_value_prefix(v, sg_atom_str(v, text));
}

/* Each path of the set, as one whose text is not told apart any more. */
static uint32_t
blurred(struct sg_values *v, uint32_t set)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, set, atoms), out = 0;

	for (uint32_t i = 0; i < n; i++)
		if (sg_atom_is_pathlib(v, atoms[i]))
			out = sg_set_union(v, out,
					   instance(v,
						    sg_atom_at(v, atoms[i]).a,
						    v->widestr));
	return out;
}

/* --- composing ------------------------------------------------------------- */

/* What was folded into the scratch; or what it began with, in a loop. */
static uint32_t
folded(struct sg_values *v, uint32_t cls, uint32_t from, bool whole)
{
	struct sg_str s = sg_buf_view(&v->text);

	if (sg_buf_failed(&v->text) || s.n > TEXT_MAX ||
	    v->visits[v->node] > VISITS_WIDEN)
		return instance(v, cls, beginning(v, from));
	return instance(v, cls,
			whole ? sg_value_str(v, s) : sg_value_prefix(v, s));
}

/* The text of a part: STR, PREFIX or 0; whether it stands alone. */
static uint32_t
part_text(const struct sg_values *v, uint32_t part, bool *ret_rooted)
{
	uint32_t text = part;

	*ret_rooted = false;
	if (sg_atom_is(v, part, SG_ATOM_INSTANCE)) {
		text = sg_value_pathlib_known(v, part);
		*ret_rooted = text && sg_fold_path_rooted(sg_atom_str(v, text));
	} else if (!sg_atom_is(v, part, SG_ATOM_STR) &&
		   !sg_atom_is(v, part, SG_ATOM_PREFIX)) {
		return 0;
	}
	if (text && sg_str_starts(sg_atom_str(v, text), SG_STR("/")))
		*ret_rooted = true;
	return text;
}

/* The path of class `cls` that begins as `base` and goes on with `part`. */
static uint32_t
join(struct sg_values *v, uint32_t cls, uint32_t base, uint32_t part)
{
	bool rooted;
	uint32_t text = part_text(v, part, &rooted);

	if (rooted && sg_atom_is(v, part, SG_ATOM_INSTANCE))
		return instance(v, cls, text);
	if (rooted)
		base = sg_value_str(v, SG_STR("."));
	if (!base || base == v->widestr || sg_atom_is(v, base, SG_ATOM_PREFIX))
		return instance(v, cls, base);
	if (!text)
		return instance(v, cls,
				sg_str_eq(sg_atom_str(v, base), SG_STR("."))
					? 0
					: beginning(v, base));
	sg_buf_reset(&v->text);
	sg_fold_path_join(sg_atom_str(v, base), sg_atom_str(v, text), &v->text);
	return folded(v, cls, base, sg_atom_is(v, text, SG_ATOM_STR));
}

/* The same for each of a set of paths and each part that it may be. */
static uint32_t
join_sets(struct sg_values *v, uint32_t bases, uint32_t parts)
{
	uint32_t xs[SG_SET_MAX], ys[SG_SET_MAX], out = 0;
	uint32_t n = sg_set_copy(v, bases, xs), m = sg_set_copy(v, parts, ys);

	if (!m && !v->settled)
		return 0;
	if (!m)
		ys[m++] = v->unknown;
	if (n * m > COMBINE || v->visits[v->node] > VISITS_END)
		return blurred(v, bases);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < m; k++) {
			struct sg_atom a = sg_atom_at(v, xs[i]);

			out = sg_set_union(v, out, join(v, a.a, a.b, ys[k]));
		}
	return out;
}

static uint32_t
join_args(struct sg_values *v, uint32_t base, const struct sg_call *c)
{
	for (uint32_t i = 0; i < c->nargs && base; i++)
		base = join_sets(v, base,
				 c->args[i].stars ? v->unknown
						  : c->args[i].set);
	return base;
}

uint32_t
sg_value_pathlib_div(struct sg_values *v, uint32_t a, uint32_t b)
{
	struct sg_atom path = sg_atom_at(v, a);

	if (sg_atom_is_pathlib(v, a))
		return join(v, path.a, path.b, b);
	path = sg_atom_at(v, b);
	b = join(v, path.a, sg_value_str(v, SG_STR(".")), b);
	if (sg_atom_is(v, a, SG_ATOM_STR) || sg_atom_is(v, a, SG_ATOM_PREFIX)) {
		a = join(v, path.a, sg_value_str(v, SG_STR(".")), a);
		return join(v, path.a, sg_atom_at(v, a).b, b);
	}
	return sg_value_pathlib_known(v, b) &&
			       sg_fold_path_rooted(sg_atom_str(
				       v, sg_value_pathlib_known(v, b)))
		       ? b
		       : instance(v, path.a, 0);
}

uint32_t
sg_value_pathlib_div_many(struct sg_values *v, uint32_t a, uint32_t b)
{
	return sg_set_union(v, blurred(v, a), blurred(v, b));
}

/* --- steps from one path to another ------------------------------------------ */

static uint32_t
step(struct sg_values *v, uint32_t self,
     void (*fold)(struct sg_str, struct sg_buf *))
{
	struct sg_atom a = sg_atom_at(v, self);

	if (!a.b || !sg_atom_is(v, a.b, SG_ATOM_STR))
		return self;
	sg_buf_reset(&v->text);
	fold(sg_atom_str(v, a.b), &v->text);
	return folded(v, a.a, a.b, true);
}

/* All that lie above, the nearest first; a constant tuple. */
static uint32_t
parents(struct sg_values *v, uint32_t self)
{
	uint32_t items[PARENTS_MAX], n = 0, at = self, next;

	while (n < PARENTS_MAX) {
		next = step(v, at, sg_fold_path_parent);
		if (next == at)
			break;
		items[n++] = at = next;
	}
	return sg_value_seq(v, items, n);
}

static uint32_t
with_name(struct sg_values *v, uint32_t self, const struct sg_call *c)
{
	return join_args(v, step(v, self, sg_fold_path_parent), c);
}

/* A sibling whose name is not told. */
static uint32_t
sibling(struct sg_values *v, uint32_t self)
{
	uint32_t at = step(v, self, sg_fold_path_parent);

	return join(v, sg_atom_at(v, at).a, sg_atom_at(v, at).b, v->unknown);
}

/* What of a path is left below another. */
static uint32_t
relative(struct sg_values *v, uint32_t self, const struct sg_call *c)
{
	struct sg_atom a = sg_atom_at(v, self);
	uint32_t set = sg_call_arg(c, 0, 0), to;
	struct sg_str s, base;

	if (!set && !v->settled)
		return 0;
	if (!set || set >= SG_SET_MANY || c->nargs != 1 ||
	    !sg_atom_is(v, a.b, SG_ATOM_STR))
		return instance(v, a.a, 0);
	to = join(v, a.a, sg_value_str(v, SG_STR(".")), set);
	to = sg_atom_at(v, to).b;
	if (!to || !sg_atom_is(v, to, SG_ATOM_STR))
		return instance(v, a.a, 0);
	s = sg_atom_str(v, a.b);
	base = sg_atom_str(v, to);
	if (!sg_fold_path_below(base, s))
		return instance(v, a.a, 0);
	if (sg_str_eq(base, SG_STR(".")))
		return self;
	/* Whatever stands between the two, what is left has no root. */
	sg_buf_reset(&v->text);
	sg_buf_c(&v->text, "./");
	sg_buf_str(&v->text, sg_str_slice(s, base.n, s.n));
	set = sg_value_str(v, sg_buf_view(&v->text));
	return join(v, a.a, sg_value_str(v, SG_STR(".")), set);
}

static uint32_t
as_text(struct sg_values *v, uint32_t self)
{
	uint32_t text = sg_value_pathlib_text(v, self);

	return text ? text : v->anystr;
}

/* --- methods -------------------------------------------------------------------- */

enum op {
	ABSOLUTE,
	JOIN,
	NAME,
	RELATIVE,
	RESOLVE,
	RJOIN,
	SAME,
	SEGMENTS,
	SIBLING,
	TEXT
};

/* In byte order of the names. */
static const struct {
	const char *name;
	enum op op;
} methods[] = {
	{ "__fspath__", TEXT },      { "__rtruediv__", RJOIN },
	{ "__str__", TEXT },         { "__truediv__", JOIN },
	{ "absolute", ABSOLUTE },    { "as_posix", TEXT },
	{ "expanduser", SAME },      { "joinpath", JOIN },
	{ "relative_to", RELATIVE }, { "resolve", RESOLVE },
	{ "with_name", NAME },       { "with_segments", SEGMENTS },
	{ "with_stem", SIBLING },    { "with_suffix", SIBLING },
};

static int
method_of(struct sg_str name)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		if (sg_str_eq(name, sg_str_c(methods[i].name)))
			return (int)methods[i].op;
	return -1;
}

uint32_t
sg_value_pathlib_attr(struct sg_values *v, uint32_t self, uint32_t name)
{
	struct sg_str s = sg_intern_str(v->names, name);
	uint32_t cls = sg_atom_at(v, self).a, child;

	if (!sg_atom_at(v, self).b)
		return 0;
	/* Something else was put there. */
	child = sg_path_child(v, cls, name);
	if (!child || v->paths.v[child].cell || sg_value_held(v, cls))
		return 0;
	/* Path.cwd().anchor, p.resolve().root */
	if (sg_str_eq(s, SG_STR("anchor")) || sg_str_eq(s, SG_STR("root")))
		return sg_value_str(v, SG_STR("/"));
	if (sg_str_eq(s, SG_STR("parent")))
		return step(v, self, sg_fold_path_parent);
	if (sg_str_eq(s, SG_STR("parents")) &&
	    sg_atom_is(v, sg_atom_at(v, self).b, SG_ATOM_STR))
		return parents(v, self);
	return method_of(s) < 0 ? 0 : sg_atom(v, SG_ATOM_METHOD, self, name);
}

static uint32_t
rjoin(struct sg_values *v, uint32_t self, uint32_t lefts)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, lefts, atoms), out = 0;

	for (uint32_t i = 0; i < n; i++)
		out = sg_set_union(v, out,
				   sg_value_pathlib_div(v, atoms[i], self));
	return out;
}

uint32_t
sg_value_pathlib_method(struct sg_values *v, uint32_t self, uint32_t name,
			const struct sg_call *c)
{
	uint32_t path = sg_path_child(v, sg_atom_at(v, self).a, name);

	if (v->facts && path)
		sg_fact_call(v, v->paths.v[path].full, c,
			     c->implicit ? SG_FACT_IMPLICIT : 0);
	switch (method_of(sg_intern_str(v->names, name))) {
	case ABSOLUTE:
		return step(v, self, sg_fold_path_absolute);
	case JOIN:
		return join_args(v, self, c);
	case NAME:
		return with_name(v, self, c);
	case RELATIVE:
		return relative(v, self, c);
	case RESOLVE:
		return step(v, self, sg_fold_path_resolve);
	case RJOIN:
		return rjoin(v, self, sg_call_arg(c, 0, 0));
	case SAME:
		return self;
	case SEGMENTS:
		return join_args(v,
				 instance(v, sg_atom_at(v, self).a,
					  sg_value_str(v, SG_STR("."))),
				 c);
	case SIBLING:
		return sibling(v, self);
	case TEXT:
		return as_text(v, self);
	default:
		return v->unknown;
	}
}

bool
sg_value_pathlib_unbound(struct sg_values *v, uint32_t path,
			 const struct sg_call *c, uint32_t *ret)
{
	uint32_t name = v->paths.v[path].name, atoms[SG_SET_MAX], n;
	struct sg_call rest;

	if (!c->nargs || c->args[0].keyword || c->args[0].stars ||
	    !sg_str_starts(v->paths.v[path].full, SG_STR("pathlib.")) ||
	    method_of(sg_intern_str(v->names, name)) < 0)
		return false;
	n = sg_set_copy(v, c->args[0].set, atoms);
	for (uint32_t i = 0; i < n; i++)
		if (!sg_value_pathlib_known(v, atoms[i]))
			return false;
	rest = *c;
	rest.nargs--;
	memmove(rest.args, rest.args + 1, rest.nargs * sizeof(*rest.args));
	*ret = 0;
	for (uint32_t i = 0; i < n; i++)
		*ret = sg_set_union(
			v, *ret,
			sg_value_pathlib_method(v, atoms[i], name, &rest));
	return n != 0;
}

/* --- what makes one ------------------------------------------------------------- */

static uint32_t
call_class(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t out;

	sg_value_hold(v, path, c);
	for (uint32_t i = 0; i < c->nargs; i++)
		sg_value_escape(v, c->args[i].set);
	out = join_args(v, instance(v, path, sg_value_str(v, SG_STR("."))), c);
	return sg_set_union(v, out, sg_value_held(v, path));
}

static uint32_t
call_cwd(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	(void)c;
	return instance(v, v->paths.v[path].parent,
			sg_value_str(v, SG_STR("./")));
}

/* In byte order of the names. */
const struct sg_special sg_specials_pathlib[] = {
	{ "pathlib.Path", call_class },
	{ "pathlib.Path.cwd", call_cwd },
	{ "pathlib.PosixPath", call_class },
	{ "pathlib.PosixPath.cwd", call_cwd },
	{ "pathlib.PurePath", call_class },
	{ "pathlib.PurePosixPath", call_class },
	{ "pathlib.PureWindowsPath", call_class },
	{ "pathlib.WindowsPath", call_class },
};
const uint32_t sg_specials_pathlib_n = sizeof(sg_specials_pathlib) /
				       sizeof(*sg_specials_pathlib);
