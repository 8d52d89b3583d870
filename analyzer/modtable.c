/* Open addressing over the generated table; FNV-1a as in the generator. */

#include "analyzer/modtable.h"

static const char *
text_at(uint32_t offset)
{
	return &sg_modtable_text[0][0] + offset;
}

static uint32_t
hash(struct sg_str s)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (uint8_t)s.p[i]) * 16777619u;
	return h;
}

bool
sg_modtable_find(struct sg_str path, struct sg_modinfo *ret)
{
	uint32_t i = hash(path) & sg_modtable_mask;

	for (; sg_modtable_slots[i]; i = (i + 1) & sg_modtable_mask) {
		const struct sg_modtable_row *r =
			&sg_modtable_rows[sg_modtable_slots[i]];

		if (r->path_len != path.n ||
		    memcmp(text_at(r->path), path.p, path.n) != 0)
			continue;
		ret->kind = (enum sg_modkind)r->kind;
		ret->starred = r->starred;
		ret->target = sg_str_c(text_at(r->target));
		ret->bases = sg_str_c(text_at(r->bases));
		return true;
	}
	return false;
}
