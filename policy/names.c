/*
 * Theory of operation
 *
 * Each pattern is filed under the hash of a part of it that has no
 * wildcard: the whole ("os.system"), the segments before the first
 * wildcard ("os" of "os.spawn*"), or the last segment ("to_csv" of
 * "*.to_csv").  A name is looked up under its whole, under each of its
 * prefixes that end before a dot and under its last segment: a handful of
 * probes however many patterns there are.  The few patterns that have no
 * such part are tried one by one.
 */

#include "policy/names.h"

#include <stdlib.h>

enum { NAMES_MAX = 1 << 20 };

uint32_t
sg_name_hash(struct sg_str s)
{
	uint32_t h = SG_NAME_SEED;
	size_t i;

	for (i = 0; i < s.n; i++)
		h = sg_name_step(h, s.p[i]);
	return h;
}

void
sg_name_init(struct sg_name *n, struct sg_str text)
{
	uint32_t h = SG_NAME_SEED, last = SG_NAME_SEED;
	size_t i;

	n->text = text;
	n->n = 0;
	n->deep = false;
	for (i = 0; i < text.n; i++) {
		if (text.p[i] == '.') {
			last = SG_NAME_SEED;
			if (n->n < SG_NAME_SEGMENTS) {
				n->prefix[n->n] = h;
				n->prefix_len[n->n++] = (uint32_t)i;
			} else {
				n->deep = true;
			}
		} else {
			last = sg_name_step(last, text.p[i]);
		}
		h = sg_name_step(h, text.p[i]);
	}
	n->hash = h;
	n->last = last;
}

void
sg_name_index_init(struct sg_name_index *ix)
{
	*ix = (struct sg_name_index){ .n = 1 };
}

void
sg_name_index_release(struct sg_name_index *ix)
{
	free(ix->v);
	free(ix->slots);
	sg_name_index_init(ix);
}

static bool
wild(char c)
{
	return c == '*' || c == '?';
}

/* Finds the part to file a pattern under. */
static enum sg_name_place
classify(struct sg_str glob, struct sg_str *ret_key)
{
	size_t i, dot = 0, last = 0;

	for (i = 0; i < glob.n && !wild(glob.p[i]); i++)
		if (glob.p[i] == '.')
			dot = i;
	if (i == glob.n) {
		*ret_key = glob;
		return SG_NAME_EXACT;
	}
	if (dot > 0) {
		*ret_key = sg_str_slice(glob, 0, dot);
		return SG_NAME_UNDER;
	}
	for (i = glob.n; i > 0 && !wild(glob.p[i - 1]); i--)
		if (glob.p[i - 1] == '.') {
			last = i;
			break;
		}
	if (last > 0 && last < glob.n) {
		*ret_key = sg_str_slice(glob, last, glob.n);
		return SG_NAME_LAST;
	}
	*ret_key = SG_STR_NONE;
	return SG_NAME_LOOSE;
}

static uint32_t
dots(struct sg_str s)
{
	uint32_t n = 0;
	size_t i;

	for (i = 0; i < s.n; i++)
		n += s.p[i] == '.';
	return n;
}

int
sg_name_index_add(struct sg_name_index *ix, struct sg_str glob, uint32_t kinds,
		  uint32_t target, struct sg_err *err)
{
	struct sg_name_entry *e;
	struct sg_str key;

	if (!SG_VEC_ROOM(ix, 1, NAMES_MAX))
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	e = &ix->v[ix->n++];
	*e = (struct sg_name_entry){ .glob = glob,
				     .kinds = kinds,
				     .target = target };
	e->place = (uint8_t)classify(glob, &key);
	e->key = sg_name_hash(key);
	while (e->plain < glob.n && !wild(glob.p[e->plain]))
		e->plain++;
	ix->deep = ix->deep ||
		   (e->place == SG_NAME_UNDER && dots(key) >= SG_NAME_SEGMENTS);
	ix->kinds |= kinds;
	return SG_OK;
}

int
sg_name_index_freeze(struct sg_name_index *ix, struct sg_err *err)
{
	uint32_t i, room = 64, *head;

	while (room < ix->n * 4)
		room *= 2;
	ix->slots = calloc(room, sizeof(*ix->slots));
	if (ix->slots == NULL)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	ix->mask = room - 1;
	for (i = 1; i < ix->n; i++) {
		struct sg_name_entry *e = &ix->v[i];

		if (e->place == SG_NAME_LOOSE) {
			head = &ix->loose;
			ix->loose_kinds |= e->kinds;
		} else {
			head = &ix->slots[e->key & ix->mask];
		}
		e->next = *head;
		*head = i;
	}
	return SG_OK;
}

static uint32_t
probe(const struct sg_name_index *ix, const struct sg_name *n,
      enum sg_name_place place, uint32_t key, uint32_t kind, uint32_t *out)
{
	uint32_t i, found = 0;

	for (i = ix->slots[key & ix->mask]; i != 0; i = ix->v[i].next) {
		const struct sg_name_entry *e = &ix->v[i];

		if (e->key != key || e->place != place ||
		    (e->kinds & kind) == 0)
			continue;
		if (place == SG_NAME_EXACT ? sg_str_eq(e->glob, n->text)
					   : sg_str_glob(e->glob, n->text))
			out[found++] = e->target;
	}
	return found;
}

/* A look at the plain part says no to most. */
static bool
fits(const struct sg_name_entry *e, struct sg_str text)
{
	if (text.n < e->plain ||
	    (e->plain && memcmp(text.p, e->glob.p, e->plain) != 0))
		return false;
	return sg_str_glob(e->glob, text);
}

/* For patterns beyond SG_NAME_SEGMENTS, and for the loose ones. */
static uint32_t
try_list(const struct sg_name_index *ix, uint32_t from, bool all,
	 const struct sg_name *n, uint32_t kind, uint32_t *out)
{
	uint32_t i, found = 0;

	for (i = from; i != 0 && i < ix->n; i = all ? i + 1 : ix->v[i].next)
		if ((ix->v[i].kinds & kind) != 0 && fits(&ix->v[i], n->text))
			out[found++] = ix->v[i].target;
	return found;
}

uint32_t
sg_name_find(const struct sg_name_index *ix, const struct sg_name *n,
	     uint32_t kind, uint32_t *out)
{
	uint32_t i, found = 0;

	if ((ix->kinds & kind) == 0)
		return 0;
	if (n->deep && ix->deep)
		return try_list(ix, 1, true, n, kind, out);
	found = probe(ix, n, SG_NAME_EXACT, n->hash, kind, out);
	for (i = 0; i < n->n; i++)
		found += probe(ix, n, SG_NAME_UNDER, n->prefix[i], kind,
			       out + found);
	found += probe(ix, n, SG_NAME_LAST, n->last, kind, out + found);
	if ((ix->loose_kinds & kind) != 0)
		found += try_list(ix, ix->loose, false, n, kind, out + found);
	return found;
}

bool
sg_name_any(const struct sg_str *globs, uint32_t n, struct sg_str name)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (sg_str_glob(globs[i], name))
			return true;
	return false;
}
