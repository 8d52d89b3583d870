/*
 * Theory of operation
 *
 * The tables of modules (analyzer/modtable.h) say of a name in a module that
 * it is another thing: `random._os` is `os`.  A name is followed segment by
 * segment, as the analyzer follows attributes: what has been reached so far
 * is always canonical, and the next segment is looked up below it.
 */

#include "policy/canon.h"

#include "analyzer/modtable.h"

enum { NAME_MAX_BYTES = 400 };

struct reached {
	char text[NAME_MAX_BYTES];
	size_t n;
	bool known; /* what it is, the tables say */
};

static bool
put(struct reached *r, struct sg_str s)
{
	if (s.n > sizeof(r->text))
		return false;
	memcpy(r->text, s.p, s.n);
	r->n = s.n;
	return true;
}

/* Adds a segment, and takes what it stands for. */
static bool
go(struct reached *r, struct sg_str segment)
{
	struct sg_modinfo info = { .kind = SG_MOD_NONE };
	bool root = r->n == 0;

	if (r->n + segment.n + 1 > sizeof(r->text))
		return false;
	if (!root)
		r->text[r->n++] = '.';
	memcpy(r->text + r->n, segment.p, segment.n);
	r->n += segment.n;
	r->known = (root || r->known) &&
		   sg_modtable_find((struct sg_str){ r->text, r->n }, &info);
	if (!r->known || info.target.n == 0)
		return true;
	return put(r, info.target);
}

/* Where the segment at `at` ends: at a dot, or at what is no plain name. */
static size_t
segment_end(struct sg_str name, size_t at)
{
	while (at < name.n && !strchr(".*?([", name.p[at]))
		at++;
	return at;
}

bool
sg_canon_is_builtin(struct sg_str name)
{
	struct sg_modinfo info;
	struct reached r = { .n = 0 };

	if (sg_str_find(name, '.') < name.n || sg_modtable_find(name, &info))
		return false;
	return go(&r, SG_STR("builtins")) && go(&r, name) && r.known;
}

struct sg_str
sg_canon(struct sg_str name, struct sg_arena *arena)
{
	struct reached r = { .n = 0 };
	size_t at = 0, end, done = 0;

	while (at < name.n) {
		end = segment_end(name, at);
		/* a segment with a wildcard stays as it is */
		if (end == at || (end < name.n && name.p[end] != '.' &&
				  name.p[end] != '(' && name.p[end] != '['))
			break;
		if (!go(&r, sg_str_slice(name, at, end)))
			return name;
		done = end;
		if (end == name.n || name.p[end] != '.')
			break;
		at = end + 1;
	}
	if (sg_str_eq((struct sg_str){ r.text, r.n },
		      sg_str_slice(name, 0, done)))
		return name;
	return sg_arena_printf(arena, "%.*s%.*s", (int)r.n, r.text,
			       (int)(name.n - done), name.p + done);
}
