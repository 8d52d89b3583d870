/*
 * Dotted names of foreign things, as a tree: each path is a parent and a
 * name, so that following an attribute is one table look-up.  When a path is
 * made first, the module table says whether it is only another way to
 * something (`random._os` is `os`) and what kind of thing it is.
 */

#include "analyzer/value.h"

#include <ctype.h>

#include "base/vec.h"

enum { PATHS_MAX = 1 << 22, FULL_MAX = 400, RESULTS_MAX = 3 };

/* "Session", "DataFrame": what is not listed and looks like a class is. */
static bool
looks_like_class(struct sg_str name)
{
	size_t i = 0;

	while (i < name.n && name.p[i] == '_')
		i++;
	if (i >= name.n || !isupper((unsigned char)name.p[i]))
		return false;
	for (; i < name.n; i++)
		if (islower((unsigned char)name.p[i]))
			return true;
	return false;
}

static uint8_t
kind_of(const struct sg_modinfo *info, bool listed, struct sg_str name)
{
	static const uint8_t kinds[] = {
		[SG_MOD_MODULE] = SG_PATH_MODULE,
		[SG_MOD_CLASS] = SG_PATH_CLASS,
		[SG_MOD_CALLABLE] = SG_PATH_CALLABLE,
		[SG_MOD_OTHER] = SG_PATH_OTHER,
		[SG_MOD_RETURNS] = SG_PATH_RESULT,
		[SG_MOD_LISTED] = SG_PATH_MODULE,
	};

	if (listed)
		return kinds[info->kind];
	return looks_like_class(name) ? SG_PATH_CLASS : SG_PATH_OTHER;
}

static struct sg_str
full_name(struct sg_values *v, uint32_t parent, struct sg_str name)
{
	struct sg_str p = v->paths.v[parent].full;
	char buf[FULL_MAX + 1];
	size_t n = 0;

	if (p.n + name.n + 1 > FULL_MAX)
		return SG_STR_NONE;
	memcpy(buf, p.p ? p.p : "", p.n);
	n = p.n;
	if (n && name.p[0] != '(' && name.p[0] != '[')
		buf[n++] = '.';
	memcpy(buf + n, name.p, name.n);
	return sg_arena_dup(v->arena, (struct sg_str){ buf, n + name.n });
}

/* Without following what the table says it is an alias of. */
static uint32_t
path_new(struct sg_values *v, uint32_t parent, uint32_t name,
	 struct sg_str full, const struct sg_modinfo *info, bool listed)
{
	struct sg_path *p;

	if (!SG_VEC_ROOM(&v->paths, 1, PATHS_MAX)) {
		v->failed = true;
		return 0;
	}
	p = &v->paths.v[v->paths.n];
	*p = (struct sg_path){ .parent = parent,
			       .name = name,
			       .special = SG_SPECIAL_UNSET,
			       .full = full,
			       .listed = listed };
	p->kind = kind_of(info, listed, sg_intern_str(v->names, name));
	p->results = v->paths.v[parent].results;
	if (name == v->name_call || name == v->name_item) {
		p->kind = SG_PATH_RESULT;
		p->results++;
	}
	p->root = v->paths.v[parent].root;
	if (!p->root && (p->kind == SG_PATH_RESULT || p->kind == SG_PATH_CLASS))
		p->root = v->paths.n;
	return v->paths.n++;
}

uint32_t
sg_path_child(struct sg_values *v, uint32_t parent, uint32_t name)
{
	uint64_t key = (uint64_t)parent << 32 | name;
	uint32_t *slot, id = sg_keymap_get(&v->path_map, key);
	struct sg_modinfo info = { .kind = SG_MOD_NONE };
	struct sg_str full;
	bool listed;

	if (id || !name)
		return id;
	/* What is that far from anything known says nothing any more. */
	if (v->paths.v[parent].results >= RESULTS_MAX)
		return 0;
	full = full_name(v, parent, sg_intern_str(v->names, name));
	if (!full.n) {
		if (!v->widened)
			v->widened = v->node;
		return 0;
	}
	/* Below what no table has, only results may be known. */
	listed = (!parent || v->paths.v[parent].listed ||
		  v->paths.v[parent].kind == SG_PATH_MODULE ||
		  name == v->name_call) &&
		 sg_modtable_find(full, &info);
	if (listed && info.target.n && !sg_str_eq(info.target, full))
		id = sg_path_of(v, info.target);
	else
		id = path_new(v, parent, name, full, &info, listed);
	slot = sg_keymap_at(&v->path_map, key);
	if (!slot || !id) {
		v->failed = true;
		return 0;
	}
	*slot = id;
	return id;
}

uint32_t
sg_path_of(struct sg_values *v, struct sg_str dotted)
{
	uint32_t path = 0;

	for (size_t at = 0; at < dotted.n;) {
		struct sg_str rest = sg_str_slice(dotted, at, dotted.n);
		size_t n = sg_str_find(rest, '.');

		if (!n)
			return 0;
		path = sg_path_child(
			v, path,
			sg_intern_id(v->names, sg_str_slice(rest, 0, n)));
		if (!path)
			return 0;
		at += n + 1;
	}
	return path;
}

uint32_t
sg_path_result(struct sg_values *v, uint32_t path)
{
	return sg_path_child(v, path, v->name_call);
}

uint32_t
sg_path_item(struct sg_values *v, uint32_t path)
{
	return sg_path_child(v, path, v->name_item);
}

bool
sg_path_is(const struct sg_values *v, uint32_t path, const char *full)
{
	return sg_str_eq(v->paths.v[path].full, sg_str_c(full));
}

uint32_t
sg_path_module(const struct sg_values *v, uint32_t path)
{
	uint32_t p = path;

	while (v->paths.v[p].kind != SG_PATH_MODULE && v->paths.v[p].parent)
		p = v->paths.v[p].parent;
	return p;
}

/* What the table says of a name in a module, canonical or not. */
bool
sg_path_has(struct sg_values *v, uint32_t module, uint32_t name,
	    struct sg_modinfo *ret)
{
	char buf[FULL_MAX + 1];
	struct sg_str m = v->paths.v[module].full;
	struct sg_str n = sg_intern_str(v->names, name);

	if (m.n + n.n + 1 > FULL_MAX)
		return false;
	memcpy(buf, m.p, m.n);
	buf[m.n] = '.';
	memcpy(buf + m.n + 1, n.p, n.n);
	return sg_modtable_find((struct sg_str){ buf, m.n + 1 + n.n }, ret);
}

uint32_t
sg_path_text(struct sg_values *v, uint32_t path, uint32_t name)
{
	const struct sg_known *k = &v->known;

	if (name != k->sep && name != k->curdir && name != k->pardir)
		return 0;
	if (!sg_path_is(v, path, "os") && !sg_path_is(v, path, "os.path") &&
	    !sg_path_is(v, path, "posixpath"))
		return 0;
	if (name == k->sep)
		return sg_value_str(v, SG_STR("/"));
	return sg_value_str(v, name == k->curdir ? SG_STR(".") : SG_STR(".."));
}
