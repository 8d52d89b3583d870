#include "policy/path.h"

/* Takes the next component off *rest; "" and "." are skipped. */
static bool
next_part(struct sg_str *rest, struct sg_str *part)
{
	size_t n;

	do {
		if (rest->n == 0)
			return false;
		n = sg_str_find(*rest, '/');
		*part = sg_str_slice(*rest, 0, n);
		*rest = sg_str_slice(*rest, n + 1, rest->n);
	} while (part->n == 0 || sg_str_eq(*part, SG_STR(".")));
	return true;
}

/*
 * True when `path`, taken part by part, stays at or below `base` at its
 * end.  `level` is how deep below the root the walk is, `same` how many
 * parts from the root on agree with base.
 */
static bool
under(struct sg_str path, struct sg_str base)
{
	struct sg_str rest = path, part, want, base_rest;
	uint32_t level = 0, same = 0, depth = 0, i;

	base_rest = base;
	while (next_part(&base_rest, &want))
		depth++;
	while (next_part(&rest, &part)) {
		if (sg_str_eq(part, SG_STR(".."))) {
			if (level > 0)
				level--;
			if (same > level)
				same = level;
			continue;
		}
		if (same == level && level < depth) {
			base_rest = base;
			for (i = 0; i <= level; i++)
				(void)next_part(&base_rest, &want);
			if (sg_str_eq(part, want))
				same++;
		}
		level++;
	}
	return same == depth;
}

/* True when a relative path never leaves the folder it starts in. */
static bool
stays(struct sg_str path)
{
	struct sg_str part;
	uint32_t level = 0;

	while (next_part(&path, &part)) {
		if (!sg_str_eq(part, SG_STR("..")))
			level++;
		else if (level-- == 0)
			return false;
	}
	return true;
}

bool
sg_path_outside(const struct sg_str *workspace, uint32_t n, struct sg_str path)
{
	uint32_t i;

	if (path.n == 0)
		return false;
	if (path.p[0] == '~')
		return true;
	for (i = 0; i < n; i++) {
		bool relative = sg_str_eq(workspace[i], SG_STR("."));

		if (path.p[0] == '/' ? !relative && under(path, workspace[i])
				     : relative && stays(path))
			return false;
	}
	return true;
}

struct sg_str
sg_path_scheme(struct sg_str path)
{
	size_t i;

	for (i = 0; i < path.n; i++) {
		char c = path.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		      (i > 0 && ((c >= '0' && c <= '9') || c == '+' ||
				 c == '-' || c == '.'))))
			break;
	}
	if (i > 1 && i + 2 < path.n && memcmp(path.p + i, "://", 3) == 0)
		return sg_str_slice(path, 0, i);
	return SG_STR_NONE;
}
