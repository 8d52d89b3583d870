/* Texts and lists of them, with `$name` for the items of a named list. */

#include <stdlib.h>

#include "policy/canon.h"
#include "policy/limits.h"
#include "policy/load.h"

/* Looks in the document itself, then in what it extends, nearest first. */
static struct sg_named_list *
find_list(struct sg_load *ld, struct sg_str name)
{
	struct sg_named_list *l, *best = NULL;
	uint32_t i;

	for (i = 0; i < ld->lists.n; i++) {
		l = &ld->lists.v[i];
		if (!sg_str_eq(l->name, name) ||
		    ld->docs[l->document].depth < ld->depth)
			continue;
		if (l->document == ld->document)
			return l;
		if (best == NULL || ld->docs[l->document].depth <
					    ld->docs[best->document].depth)
			best = l;
	}
	return best;
}

static int
unknown_list(struct sg_load *ld, const struct sg_doc_node *v,
	     struct sg_str name)
{
	const char *words[64], *near;
	uint32_t i;

	for (i = 0; i < ld->lists.n && i < 63; i++)
		words[i] = ld->lists.v[i].name.p;
	words[i] = NULL;
	near = sg_load_nearest(name, words);
	if (near != NULL)
		return sg_load_fail(ld, v, "policy.unknown-list",
				    "there is no list '%.*s'; did you mean "
				    "'%s'?",
				    SG_STR_ARG(name), near);
	return sg_load_fail(ld, v, "policy.unknown-list",
			    "there is no list '%.*s'", SG_STR_ARG(name));
}

struct str_vec {
	struct sg_str *v;
	uint32_t n, room;
};

static int
add_str(struct sg_load *ld, const struct sg_doc_node *v, struct str_vec *out,
	const struct sg_str *items, uint32_t n)
{
	if (out->n + n > SG_POLICY_ITEMS)
		return sg_load_fail(ld, v, "policy.size",
				    "the list has too many items");
	if (!SG_VEC_ROOM(out, n, SG_POLICY_ITEMS))
		return sg_load_nomem(ld);
	if (n > 0)
		memcpy(out->v + out->n, items, n * sizeof(*items));
	out->n += n;
	return SG_OK;
}

static int
add_item(struct sg_load *ld, const struct sg_doc_node *v, struct str_vec *out)
{
	struct sg_named_list *l;
	struct sg_str s;
	int rc = sg_load_text(ld, v, &s);

	if (rc != SG_OK)
		return rc;
	if (s.n == 0)
		return sg_load_fail(ld, v, "policy.value",
				    "an empty text says nothing here");
	if (s.n < 2 || s.p[0] != '$')
		return add_str(ld, v, out, &s, 1);
	s = sg_str_slice(s, 1, s.n);
	l = find_list(ld, s);
	if (l == NULL)
		return unknown_list(ld, v, s);
	l->used = true;
	return add_str(ld, v, out, l->items.v, l->items.n);
}

int
sg_load_strs(struct sg_load *ld, const struct sg_doc_node *v,
	     struct sg_strs *ret)
{
	struct str_vec out = { NULL, 0, 0 };
	const struct sg_doc_node *item;
	struct sg_str *copy;
	int rc = SG_OK;

	if (v->kind == SG_DOC_SCALAR) {
		rc = add_item(ld, v, &out);
	} else if (v->kind == SG_DOC_MAP) {
		rc = sg_load_fail(ld, v, "policy.type",
				  "a text or a list of texts is wanted here, "
				  "not a mapping");
	} else {
		if (v->first == NULL)
			rc = sg_load_fail(ld, v, "policy.value",
					  "the list is empty");
		for (item = v->first; rc == SG_OK && item != NULL;
		     item = item->next)
			rc = add_item(ld, item, &out);
	}
	if (rc == SG_OK) {
		copy = SG_NEWN(ld->arena, struct sg_str, out.n);
		if (copy == NULL) {
			rc = sg_load_nomem(ld);
		} else {
			if (out.n > 0)
				memcpy(copy, out.v, out.n * sizeof(*copy));
			*ret = (struct sg_strs){ copy, out.n };
		}
	}
	free(out.v);
	return rc;
}

int
sg_load_canon(struct sg_load *ld, bool builtins, struct sg_strs *names)
{
	struct sg_str *v = NULL, s;
	uint32_t i;

	for (i = 0; i < names->n; i++) {
		s = names->v[i];
		if (builtins && sg_canon_is_builtin(s))
			s = sg_arena_printf(ld->arena, "builtins.%.*s",
					    SG_STR_ARG(s));
		else
			s = sg_canon(s, ld->arena);
		if (s.p == names->v[i].p)
			continue;
		if (v == NULL && s.p != NULL)
			v = SG_NEWN(ld->arena, struct sg_str, names->n);
		if (v == NULL || s.p == NULL)
			return sg_load_nomem(ld);
		if (names->v != v)
			memcpy(v, names->v, names->n * sizeof(*v));
		v[i] = s;
		names->v = v;
	}
	return SG_OK;
}

const struct sg_doc_node *
sg_load_item(struct sg_load *ld, const struct sg_doc_node *v, uint32_t index)
{
	const struct sg_doc_node *item = v->first;
	const struct sg_named_list *l;
	uint32_t n;

	for (; v->kind == SG_DOC_LIST && item != NULL; item = item->next) {
		n = 1;
		if (item->text.n > 1 && item->text.p[0] == '$') {
			l = find_list(
				ld, sg_str_slice(item->text, 1, item->text.n));
			n = l != NULL ? l->items.n : 1;
		}
		if (index < n)
			return item;
		index -= n;
	}
	return v;
}
