/*
 * Theory of operation
 *
 * The generated table files each entry under the hash of a part without
 * wildcards, as policy/names.c does, in one array with open addressing.
 * A name is looked up whole first, then under its longest prefix, then
 * shorter ones, then under its last segment: the first that matches is the
 * most exact one.
 */

#include "policy/capability.h"

uint32_t
sg_capability_count(void)
{
	return sg_cap_tables.nnames;
}

const char *
sg_capability_name(uint32_t bit)
{
	return sg_cap_tables.names[bit];
}

const char *
sg_capability_text(uint32_t bit)
{
	return sg_cap_tables.texts[bit];
}

uint64_t
sg_capability_mask(struct sg_str glob)
{
	uint64_t mask = 0;
	uint32_t i;

	for (i = 0; i < sg_cap_tables.nnames; i++)
		if (sg_str_glob(glob, sg_str_c(sg_cap_tables.names[i])))
			mask |= UINT64_C(1) << i;
	return mask;
}

uint64_t
sg_capability_bit(const char *name)
{
	uint32_t i;

	for (i = 0; i < sg_cap_tables.nnames; i++)
		if (strcmp(name, sg_cap_tables.names[i]) == 0)
			return UINT64_C(1) << i;
	return 0;
}

/* Of the entries filed under `key`, the one with the longest pattern. */
static const struct sg_cap_entry *
probe(const struct sg_name *n, uint32_t key, enum sg_name_place place)
{
	const struct sg_cap_tables *t = &sg_cap_tables;
	const struct sg_cap_entry *best = NULL;
	struct sg_str glob;
	size_t length = 0;
	uint32_t i, e;

	for (i = key & t->mask; t->slots[i] != 0; i = (i + 1) & t->mask) {
		e = t->slots[i] - 1u;
		if (t->keys[e] != key || t->places[e] != place)
			continue;
		/* NOLINTNEXTLINE: the generated table has entries */
		glob = sg_str_c(t->entries[e].glob);
		if (glob.n <= length || !sg_str_glob(glob, n->text))
			continue;
		best = &t->entries[e];
		length = glob.n;
	}
	return best;
}

const struct sg_cap_entry *
sg_capability_find(const struct sg_name *n)
{
	const struct sg_cap_entry *e = probe(n, n->hash, SG_NAME_EXACT);
	uint32_t i;

	for (i = n->n; e == NULL && i > 0; i--)
		e = probe(n, n->prefix[i - 1], SG_NAME_UNDER);
	if (e == NULL && n->n > 0)
		e = probe(n, n->last, SG_NAME_LAST);
	return e;
}

const struct sg_cap_entry *
sg_capability_entries(uint32_t *ret_n)
{
	*ret_n = sg_cap_tables.nentries;
	return sg_cap_tables.entries;
}
