/*
 * Foreign callables that make paths of paths: os.path.join and its kin.  Of
 * what is not known, the beginning is kept where it is.
 */

#include "analyzer/value_special.h"

enum { COMBINE = 64, VISITS_WIDEN = 6 };

/* One text and the next part of it; of what is not known, its beginning. */
static uint32_t
path_join(struct sg_values *v, uint32_t base, uint32_t part)
{
	uint32_t text = sg_value_pathlib_text(v, part);
	struct sg_str s = SG_STR_NONE;
	bool known;

	if (text)
		part = text;
	known = sg_atom_is(v, part, SG_ATOM_STR);
	if (known || sg_atom_is(v, part, SG_ATOM_PREFIX))
		s = sg_atom_str(v, part);
	if (s.n && s.p[0] == '/')
		return part;
	if (!sg_atom_is(v, base, SG_ATOM_STR))
		return base;
	if (part == v->made && !sg_atom_str(v, base).n)
		return part;
	sg_buf_reset(&v->text);
	sg_buf_str(&v->text, sg_atom_str(v, base));
	if (!known && !s.n)
		return sg_value_prefix(v, sg_buf_view(&v->text));
	if (v->text.len && v->text.data[v->text.len - 1] != '/')
		sg_buf_char(&v->text, '/');
	sg_buf_str(&v->text, s);
	known = known && !sg_buf_failed(&v->text) &&
		v->visits[v->node] <= VISITS_WIDEN;
	return known ? sg_value_str(v, sg_buf_view(&v->text))
		     : sg_value_prefix(v, sg_buf_view(&v->text));
}

/* os.path.join(a, b): from the last absolute part on. */
static uint32_t
call_path_join(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t out = sg_value_str(v, SG_STR_NONE);

	(void)path;
	for (uint32_t i = 0; i < c->nargs; i++) {
		uint32_t xs[SG_SET_MAX], ys[SG_SET_MAX], next = 0;
		uint32_t n = sg_set_copy(v, out, xs);
		uint32_t m = sg_set_copy(v, c->args[i].set, ys);

		if (!m && !v->settled)
			return 0;
		if (!m || c->args[i].stars || n * m > COMBINE) {
			m = 1;
			ys[0] = v->unknown;
		}
		for (uint32_t k = 0; k < n * m; k++)
			next = sg_set_union(v, next,
					    path_join(v, xs[k / m], ys[k % m]));
		out = next;
	}
	return out;
}

/* Gives a text of which the argument says where it leads. */
static uint32_t
call_path_same(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t atoms[SG_SET_MAX], out = 0;
	uint32_t n = sg_set_copy(v, sg_call_arg(c, 0, 0), atoms);

	(void)path;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t text = sg_value_pathlib_text(v, atoms[i]);
		uint32_t kind = sg_atom_at(v, atoms[i]).kind;

		if (text)
			atoms[i] = text;
		out = sg_set_union(v, out,
				   kind == SG_ATOM_STR ||
						   kind == SG_ATOM_BYTES ||
						   kind == SG_ATOM_PREFIX ||
						   kind == SG_ATOM_INSTANCE
					   ? atoms[i]
					   : sg_value_beginning(v, atoms[i]));
	}
	return out || !v->settled ? out : v->anystr;
}

/* os.path.dirname(a): what stands before the last slash. */
static uint32_t
call_dirname(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t atoms[SG_SET_MAX], out = 0;
	uint32_t n = sg_set_copy(v, sg_call_arg(c, 0, 0), atoms);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t text = sg_value_pathlib_text(v, atoms[i]);
		uint32_t from = text ? text : atoms[i];
		uint32_t one = sg_value_path(v, sg_path_result(v, path));
		bool whole = sg_atom_is(v, from, SG_ATOM_STR);

		if (whole || sg_atom_is(v, from, SG_ATOM_PREFIX)) {
			struct sg_str s = sg_atom_str(v, from);
			size_t end = s.n;

			while (end && s.p[end - 1] != '/')
				end--;
			while (end > 1 && s.p[end - 1] == '/')
				end--;
			s = sg_str_slice(s, 0, end);
			one = whole ? sg_value_str(v, s)
				    : sg_value_prefix(v, s);
		}
		out = sg_set_union(v, out, one);
	}
	if (out || !v->settled)
		return out;
	return sg_value_path(v, sg_path_result(v, path));
}

/* In byte order of the names. */
const struct sg_special sg_specials_ospath[] = {
	{ "os.fsdecode", call_path_same },
	{ "os.fsencode", call_path_same },
	{ "os.fspath", call_path_same },
	{ "os.path.abspath", call_path_same },
	{ "os.path.dirname", call_dirname },
	{ "os.path.expanduser", call_path_same },
	{ "os.path.expandvars", call_path_same },
	{ "os.path.join", call_path_join },
	{ "os.path.normpath", call_path_same },
	{ "os.path.realpath", call_path_same },
	{ "sys.intern", call_path_same },
};
const uint32_t sg_specials_ospath_n = sizeof(sg_specials_ospath) /
				      sizeof(*sg_specials_ospath);
