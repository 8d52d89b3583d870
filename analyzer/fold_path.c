/* Paths as pathlib composes them. */

#include "analyzer/fold_path.h"

static const struct sg_str dot = { ".", 1 }, up = { "..", 2 };

/* The next component from *at on that says something; false at the end. */
static bool
next_part(struct sg_str path, size_t *at, struct sg_str *ret)
{
	while (*at < path.n) {
		struct sg_str rest = sg_str_slice(path, *at, path.n);
		size_t n = sg_str_find(rest, '/');

		*at += n + 1;
		*ret = sg_str_slice(rest, 0, n);
		if (n && !sg_str_eq(*ret, dot))
			return true;
	}
	return false;
}

/* What a path begins with: "/", "./" or nothing. */
static size_t
root_of(struct sg_str path)
{
	if (path.n && path.p[0] == '/')
		return 1;
	return sg_str_starts(path, SG_STR("./")) ? 2 : 0;
}

bool
sg_fold_path_rooted(struct sg_str path)
{
	return root_of(path) != 0;
}

/* One more component at the end of what was written from `from` on. */
static void
put_part(struct sg_buf *out, size_t from, struct sg_str part)
{
	if (out->len > from && out->data[out->len - 1] != '/')
		sg_buf_char(out, '/');
	sg_buf_str(out, part);
}

static void
put_parts(struct sg_buf *out, size_t from, struct sg_str path)
{
	struct sg_str part;
	size_t at = 0;

	while (next_part(path, &at, &part))
		put_part(out, from, part);
}

void
sg_fold_path_join(struct sg_str base, struct sg_str part, struct sg_buf *out)
{
	size_t from = out->len;

	if (part.n && part.p[0] == '/')
		sg_buf_char(out, '/');
	else if (!sg_str_eq(base, dot))
		sg_buf_str(out, base);
	put_parts(out, from, part);
	if (out->len == from)
		sg_buf_str(out, dot);
}

void
sg_fold_path_parent(struct sg_str path, struct sg_buf *out)
{
	size_t root = root_of(path), from = out->len, at = root, last = root;
	struct sg_str part, name = SG_STR_NONE;

	while (next_part(path, &at, &part)) {
		last = (size_t)(part.p - path.p);
		name = part;
	}
	if (root == 2 && (!name.n || sg_str_eq(name, up))) {
		sg_buf_str(out, path);
		put_part(out, from, up);
		return;
	}
	if (last > root)
		last--;
	sg_buf_str(out, last ? sg_str_slice(path, 0, last) : dot);
}

void
sg_fold_path_absolute(struct sg_str path, struct sg_buf *out)
{
	size_t from = out->len;

	if (root_of(path) || (path.n && path.p[0] == '~')) {
		sg_buf_str(out, path);
		return;
	}
	sg_buf_c(out, "./");
	put_parts(out, from, path);
}

/* Takes the last component off, down to `root`. */
static void
take_part(struct sg_buf *out, size_t root)
{
	while (out->len > root && out->data[out->len - 1] != '/')
		out->len--;
	if (out->len > root)
		out->len--;
	out->data[out->len] = '\0';
}

void
sg_fold_path_resolve(struct sg_str path, struct sg_buf *out)
{
	bool top = path.n && path.p[0] == '/';
	size_t from = out->len, at = 0, root;
	uint32_t level = 0;
	struct sg_str part;

	if (path.n && path.p[0] == '~') {
		sg_buf_str(out, path);
		return;
	}
	sg_buf_c(out, top ? "/" : "./");
	root = out->len;
	while (!sg_buf_failed(out) && next_part(path, &at, &part)) {
		if (!sg_str_eq(part, up)) {
			put_part(out, from, part);
			level++;
		} else if (level) {
			take_part(out, root);
			level--;
		} else if (!top) {
			put_part(out, from, part);
		}
	}
}

bool
sg_fold_path_below(struct sg_str base, struct sg_str path)
{
	struct sg_str part;
	size_t at = 0;

	if (sg_str_eq(base, dot)) {
		if (root_of(path) == 1)
			return false;
	} else {
		if (!sg_str_starts(path, base))
			return false;
		at = base.n;
		if (at && base.p[at - 1] != '/' && at < path.n &&
		    path.p[at] != '/')
			return false;
	}
	while (next_part(path, &at, &part))
		if (sg_str_eq(part, up))
			return false;
	return true;
}
