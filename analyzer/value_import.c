/* Imports: what their names are bound to, and stars. */

#include "analyzer/factlist.h"
#include "analyzer/value_node.h"

static void
bind_star(struct sg_values *v, uint32_t module)
{
	for (uint32_t i = 0; i < v->star_imports; i++)
		if (v->stars[i] == module)
			return;
	if (v->star_imports == SG_STARS_MAX) {
		if (!v->widened)
			v->widened = v->node;
		return;
	}
	v->stars[v->star_imports++] = module;
}

/* `from ..a import b`: relative ones keep their dots as a name. */
static uint32_t
from_module(struct sg_values *v, uint32_t stmt)
{
	const struct sg_node *n = &v->ast->nodes[stmt];
	struct sg_str s = sg_intern_str(v->names, n->name);
	uint32_t root;

	if (!n->level)
		return sg_path_of(v, s);
	root = sg_path_child(v, 0, sg_value_name_id(v, SG_STR(".")));
	for (size_t at = 0; at < s.n;) {
		struct sg_str rest = sg_str_slice(s, at, s.n);
		size_t dot = sg_str_find(rest, '.');

		root = sg_path_child(
			v, root,
			sg_value_name_id(v, sg_str_slice(rest, 0, dot)));
		at += dot + 1;
	}
	return root;
}

void
sg_value_bind_alias(struct sg_values *v, uint32_t node)
{
	const struct sg_node *n = &v->ast->nodes[node];
	const struct sg_node *stmt = &v->ast->nodes[n->parent];
	struct sg_str name = sg_intern_str(v->names, n->name);
	uint32_t path, set;

	if (stmt->kind == SG_AST_Import) {
		if (!n->aux)
			name = sg_str_slice(name, 0, sg_str_find(name, '.'));
		path = sg_path_of(v, name);
		if (path && v->paths.v[path].kind == SG_PATH_OTHER)
			v->paths.v[path].kind = SG_PATH_MODULE;
		sg_value_bind_symbol(v, node,
				     path && sg_path_is(v, path, "__main__")
					     ? v->main_atom
					     : sg_value_path(v, path));
		return;
	}
	path = from_module(v, n->parent);
	if (n->name == v->known.star) {
		if (path)
			bind_star(v, path);
		return;
	}
	if (path && v->paths.v[path].kind == SG_PATH_OTHER)
		v->paths.v[path].kind = SG_PATH_MODULE;
	if (path && sg_path_is(v, path, "__main__"))
		set = sg_value_atom_attr(v, v->main_atom, n->name);
	else
		set = path ? sg_value_atom_attr(v, sg_value_path(v, path),
						n->name)
			   : v->unknown;
	sg_value_bind_symbol(v, node, set);
}

/* Whether a text is the path of that file: "m.py", "a/m.py", "m/__init__.py". */
static bool
is_file_of(struct sg_str s, struct sg_str module)
{
	static const char *const ends[] = { ".py", "/__init__.py", ".so" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		struct sg_str end = sg_str_c(ends[i]), rest = s;

		if (!sg_str_ends(s, end))
			continue;
		rest.n -= end.n;
		if (sg_str_ends(rest, module) &&
		    (rest.n == module.n ||
		     rest.p[rest.n - module.n - 1] == '/'))
			return true;
	}
	return false;
}

bool
sg_value_names_files(const struct sg_values *v)
{
	for (uint32_t i = 1; i < v->strs.n; i++)
		if (sg_str_ends(v->strs.v[i], SG_STR(".py")) ||
		    sg_str_ends(v->strs.v[i], SG_STR(".so")))
			return true;
	return false;
}

void
sg_fact_own_file(struct sg_values *v, struct sg_str module)
{
	struct sg_str root = sg_str_slice(module, 0, sg_str_find(module, '.'));

	if (!root.n || !v->names_files)
		return;
	sg_value_work(v, v->strs.n / 4);
	for (uint32_t i = 1; i < v->strs.n; i++)
		if (is_file_of(v->strs.v[i], root)) {
			sg_fact_add(v, SG_FACT_REF, v->node,
				    SG_STR("importlib.machinery."
					   "SourceFileLoader"),
				    SG_FACT_INDIRECT);
			return;
		}
}
