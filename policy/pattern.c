/*
 * Theory of operation
 *
 * A pattern is a tree: leaves (policy/leaf.c) look at one fact, one node, one
 * argument or a piece of text, the rest combines.  In a mapping every key is one pattern,
 * and all of them must hold of the same thing.  Nesting is bounded by the
 * depth of the document.
 */

#include <stdlib.h>

#include "policy/limits.h"
#include "policy/load.h"

struct sub_vec {
	struct sg_pat **v;
	uint32_t n, room;
};

struct sg_pat *
sg_load_new_pattern(struct sg_load *ld, const struct sg_doc_node *at,
		    enum sg_pat_kind kind)
{
	struct sg_pat *pat = SG_NEW(ld->arena, struct sg_pat);

	if (pat == NULL) {
		(void)sg_load_nomem(ld);
		return NULL;
	}
	pat->kind = (uint8_t)kind;
	pat->id = ld->p->npatterns++;
	pat->mark = sg_load_mark(ld, at->key != NULL ? at->key : at);
	return pat;
}

static int
keep_subs(struct sg_load *ld, struct sub_vec *subs, struct sg_pat *into)
{
	into->sub = SG_NEWN(ld->arena, struct sg_pat *, subs->n);
	if (into->sub == NULL)
		return sg_load_nomem(ld);
	if (subs->n > 0)
		memcpy(into->sub, subs->v, subs->n * sizeof(*subs->v));
	into->nsub = subs->n;
	return SG_OK;
}

/* --- combinators ------------------------------------------------------ */

static int
load_subs(struct sg_load *ld, const struct sg_form *form,
	  const struct sg_doc_node *map, const struct sg_doc_node *v,
	  struct sg_pat **ret)
{
	enum sg_pat_kind kind = (enum sg_pat_kind)form->what;
	struct sg_pat *pat = sg_load_new_pattern(ld, v, kind), *sub;
	struct sub_vec subs = { NULL, 0, 0 };
	const struct sg_doc_node *item;
	int rc;

	(void)map;
	if (pat == NULL)
		return SG_ENOMEM;
	rc = sg_load_list(ld, v, kind == SG_PAT_ALL ? "'all'" : "'any'");
	if (rc == SG_OK && v->first == NULL)
		rc = sg_load_fail(ld, v, "policy.match",
				  "the list of patterns is empty");
	for (item = v->first; rc == SG_OK && item != NULL; item = item->next) {
		rc = sg_load_pattern(ld, item, &sub);
		if (rc != SG_OK)
			break;
		if (!SG_VEC_ROOM(&subs, 1, SG_POLICY_MEMBERS))
			rc = sg_load_nomem(ld);
		else
			subs.v[subs.n++] = sub;
	}
	if (rc == SG_OK)
		rc = keep_subs(ld, &subs, pat);
	free(subs.v);
	*ret = pat;
	return rc;
}

static int
load_one(struct sg_load *ld, const struct sg_form *form,
	 const struct sg_doc_node *map, const struct sg_doc_node *v,
	 struct sg_pat **ret)
{
	struct sg_pat *pat = sg_load_new_pattern(ld, v,
						 (enum sg_pat_kind)form->what);
	struct sg_pat *sub = NULL;
	struct sub_vec subs = { &sub, 1, 1 };
	int rc;

	(void)map;
	if (pat == NULL)
		return SG_ENOMEM;
	rc = sg_load_pattern(ld, v, &sub);
	if (rc == SG_OK)
		rc = keep_subs(ld, &subs, pat);
	*ret = pat;
	return rc;
}

static const struct sg_form combinators[] = {
	{ "parent", load_one, SG_PAT_PARENT },
	{ "all", load_subs, SG_PAT_ALL },
	{ "any", load_subs, SG_PAT_ANY },
	{ "not", load_one, SG_PAT_NOT },
	{ "inside", load_one, SG_PAT_INSIDE },
	{ "has", load_one, SG_PAT_HAS },
	{ NULL, NULL, 0 },
};

static const struct sg_form *
find_form(const struct sg_form *forms, struct sg_str key)
{
	for (; forms->key != NULL; forms++)
		if (forms->key[0] == key.p[0] &&
		    sg_str_eq(key, sg_str_c(forms->key)))
			return forms;
	return NULL;
}

static int
load_member(struct sg_load *ld, const struct sg_doc_node *map,
	    const struct sg_doc_node *v, struct sg_pat **ret)
{
	const struct sg_form *form = find_form(sg_load_leaves, v->key->text);

	if (form == NULL)
		form = find_form(combinators, v->key->text);
	if (form == NULL)
		return sg_err_set(ld->err, SG_EINTERNAL, "a key of no form");
	return form->load(ld, form, map, v, ret);
}

static int
skip(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	(void)ld;
	(void)v;
	(void)into;
	return SG_OK;
}

/* Only for the names of the keys, in the order in which messages list them;
 * load_member() reads. */
static const struct sg_field pattern_fields[] = {
	{ "import", skip, 0 },    { "ref", skip, 0 },
	{ "call", skip, 0 },      { "attr", skip, 0 },
	{ "bind", skip, 0 },      { "string", skip, 0 },
	{ "format", skip, 0 },    { "hook", skip, 0 },
	{ "dynamic", skip, 0 },   { "source", skip, 0 },
	{ "node", skip, 0 },      { "regex", skip, 0 },
	{ "in", skip, 0 },        { "capability", skip, 0 },
	{ "arg", skip, 0 },       { "all", skip, 0 },
	{ "any", skip, 0 },       { "not", skip, 0 },
	{ "inside", skip, 0 },    { "has", skip, 0 },
	{ "unreached", skip, 0 }, { "callee", skip, 0 },
	{ "parent", skip, 0 },    { "contained", skip, 0 },
	{ "query", skip, 0 },     { NULL, NULL, 0 },
};

static int
check_members(struct sg_load *ld, const struct sg_doc_node *v)
{
	const struct sg_doc_node *in;
	int rc = sg_load_map(ld, v, pattern_fields, "a pattern", NULL);

	if (rc != SG_OK)
		return rc;
	in = sg_doc_get(v, "in");
	if (in != NULL && sg_doc_get(v, "regex") == NULL)
		return sg_load_fail(ld, in->key, "policy.match",
				    "'in' belongs to 'regex'");
	if (v->n == 0)
		return sg_load_fail(ld, v, "policy.match",
				    "the pattern is empty");
	return SG_OK;
}

int
sg_load_pattern(struct sg_load *ld, const struct sg_doc_node *v,
		struct sg_pat **ret)
{
	struct sub_vec subs = { NULL, 0, 0 };
	struct sg_pat *sub = NULL, *all;
	const struct sg_doc_node *m;
	int rc = check_members(ld, v);

	for (m = v->first; rc == SG_OK && m != NULL; m = m->next) {
		if (sg_str_eq(m->key->text, SG_STR("in")))
			continue;
		rc = load_member(ld, v, m, &sub);
		if (rc != SG_OK)
			break;
		if (!SG_VEC_ROOM(&subs, 1, SG_POLICY_MEMBERS))
			rc = sg_load_nomem(ld);
		else
			subs.v[subs.n++] = sub;
	}
	if (rc == SG_OK && subs.n == 1) {
		*ret = subs.v[0];
	} else if (rc == SG_OK) {
		all = sg_load_new_pattern(ld, v, SG_PAT_ALL);
		rc = all == NULL ? SG_ENOMEM : keep_subs(ld, &subs, all);
		*ret = all;
	}
	free(subs.v);
	return rc;
}
