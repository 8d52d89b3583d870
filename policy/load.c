/*
 * Theory of operation
 *
 * When all documents are there (policy/document.c), their sections are read
 * in an order that does not depend on the order in which documents stand:
 * lists first (rules refer to them), then everything else, overrides last.
 * Where two documents say different things the nearer one wins, and two at
 * the same distance must agree.
 */

#include "policy/load.h"

#include <stdlib.h>

#include "analyzer/query.h"
#include "policy/limits.h"

/* --- sections ------------------------------------------------------------ */

static int
each_document(struct sg_load *ld, const char *key, sg_load_fn *read)
{
	const struct sg_doc_node *v;
	uint32_t i;
	int rc = SG_OK;

	for (i = ld->ndocs; rc == SG_OK && i > 0; i--) {
		sg_load_enter(ld, i - 1);
		v = sg_doc_get(ld->docs[i - 1].root, key);
		if (v != NULL)
			rc = read(ld, v, NULL);
	}
	return rc;
}

static int
read_sections(struct sg_load *ld)
{
	uint32_t i;
	int rc;

	/* The shape of each document first: a misspelt key must not hide
	 * behind what follows from it. */
	rc = each_document(ld, "lists", sg_load_lists);
	for (i = ld->ndocs; rc == SG_OK && i > 0; i--) {
		sg_load_enter(ld, i - 1);
		rc = sg_load_map(ld, ld->docs[i - 1].root, sg_load_sections,
				 "the policy", NULL);
	}
	if (rc == SG_OK)
		rc = each_document(ld, "overrides", sg_load_overrides);
	if (rc == SG_OK)
		rc = sg_load_check_settings(ld);
	if (rc == SG_OK)
		rc = sg_load_check_exceptions(ld);
	return rc;
}

static int
skip(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	(void)ld;
	(void)v;
	(void)into;
	return SG_OK;
}

/* Unknown keys and the schema, before anything that depends on them. */
static int
check_top(struct sg_load *ld)
{
	static const struct sg_field schema_only[] = {
		{ "schema", skip, SG_FIELD_REQUIRED },
		{ "policy", skip, 0 },
		{ "description", skip, 0 },
		{ "extends", skip, 0 },
		{ "mode", skip, 0 },
		{ "limits", skip, 0 },
		{ "imports", skip, 0 },
		{ "capabilities", skip, 0 },
		{ "paths", skip, 0 },
		{ "unresolved", skip, 0 },
		{ "lists", skip, 0 },
		{ "rules", skip, 0 },
		{ "overrides", skip, 0 },
		{ "exceptions", skip, 0 },
		{ NULL, NULL, 0 },
	};
	const struct sg_doc_node *schema;
	int rc;

	sg_load_enter(ld, 0);
	rc = sg_load_map(ld, ld->docs[0].root, schema_only, "the policy", NULL);
	if (rc != SG_OK)
		return rc;
	schema = sg_doc_get(ld->docs[0].root, "schema");
	return sg_load_sections[0].read(ld, schema, NULL);
}

/* --- into the policy ------------------------------------------------------ */

static void *
keep(struct sg_load *ld, const void *v, uint32_t n, size_t size)
{
	void *copy = sg_arena_array(ld->arena, n + 1u, size);

	if (copy != NULL && n > 0)
		memcpy(copy, v, n * size);
	return copy;
}

#define KEEP(ld, vec, to, count)                                            \
	((to) = keep((ld), (ld)->vec.v, (ld)->vec.n, sizeof(*(ld)->vec.v)), \
	 (count) = (ld)->vec.n, (to) != NULL)

static int
compare_digests(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct sg_digest));
}

static void
set_digest(struct sg_load *ld)
{
	struct sg_digest all[SG_POLICY_FILES];
	uint32_t i;

	for (i = 0; i < ld->ndocs; i++)
		all[i] = ld->docs[i].digest;
	qsort(all + 1, ld->ndocs - 1, sizeof(all[0]), compare_digests);
	ld->p->digest = ld->ndocs == 1 ? all[0]
				       : sg_digest_of((struct sg_str){
						 (const char *)all[0].b,
						 ld->ndocs * sizeof(all[0]) });
}

static int
keep_all(struct sg_load *ld)
{
	struct sg_policy *p = ld->p;
	uint32_t i;

	if (!KEEP(ld, rules, p->rules, p->nrules) ||
	    !KEEP(ld, regexes, p->regexes, p->nregexes) ||
	    !KEEP(ld, queries, p->queries, p->nqueries) ||
	    !KEEP(ld, imports, p->imports, p->nimports) ||
	    !KEEP(ld, caps, p->caps, p->ncaps) ||
	    !KEEP(ld, exceptions, p->exceptions, p->nexceptions) ||
	    !KEEP(ld, lists, p->lists, p->nlists) ||
	    !KEEP(ld, warnings, p->warnings, p->nwarnings))
		return sg_load_nomem(ld);
	/* the policy frees them from now on */
	ld->regexes.n = ld->queries.n = 0;
	for (i = 0; i < ld->ndocs; i++)
		p->files[i] = (struct sg_policy_file){ ld->docs[i].file,
						       ld->docs[i].digest,
						       ld->docs[i].depth };
	p->nfiles = ld->ndocs;
	set_digest(ld);
	return SG_OK;
}

static void
release(struct sg_load *ld)
{
	uint32_t i;

	for (i = 0; i < ld->regexes.n; i++)
		sg_regex_free(ld->regexes.v[i]);
	for (i = 0; i < ld->queries.n; i++)
		sg_query_free(ld->queries.v[i]);
	free(ld->queries.v);
	free(ld->rules.v);
	free(ld->regexes.v);
	free(ld->imports.v);
	free(ld->caps.v);
	free(ld->exceptions.v);
	free(ld->lists.v);
	free(ld->warnings.v);
}

static int
add_builtins(struct sg_load *ld)
{
	if (!SG_VEC_ROOM(&ld->rules, SG_BUILTIN_COUNT,
			 SG_POLICY_RULES + SG_BUILTIN_COUNT))
		return sg_load_nomem(ld);
	memcpy(ld->rules.v, sg_builtin_rules, sizeof(sg_builtin_rules));
	ld->rules.n = SG_BUILTIN_COUNT;
	return SG_OK;
}

static struct sg_policy *
new_policy(void)
{
	static const struct sg_str here[] = { { ".", 1 } };
	struct sg_policy *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	sg_arena_init(&p->arena, SG_POLICY_ARENA);
	sg_name_index_init(&p->index);
	sg_name_index_init(&p->import_index);
	p->limits = sg_limits_default();
	p->workspace = (struct sg_strs){ here, 1 };
	return p;
}

/* Documents 0 is there; everything else follows from it. */
static int
build(struct sg_load *ld)
{
	int rc = check_top(ld);

	if (rc == SG_OK)
		rc = add_builtins(ld);
	if (rc == SG_OK)
		rc = sg_load_documents(ld);
	if (rc == SG_OK)
		rc = sg_load_check_cycles(ld);
	if (rc == SG_OK)
		rc = read_sections(ld);
	if (rc == SG_OK)
		sg_lint(ld);
	if (rc == SG_OK)
		rc = keep_all(ld);
	if (rc == SG_OK)
		rc = sg_compile(ld->p, ld->err);
	if (rc == SG_OK && ld->p->name.n == 0)
		ld->p->name = ld->docs[0].identity;
	return rc;
}

typedef int source_fn(struct sg_load *ld, const void *what);

static int
from_name(struct sg_load *ld, const void *what)
{
	uint32_t index;

	return sg_load_open(ld, NULL, sg_str_c(what), 0, &index);
}

struct given {
	struct sg_str text;
	const char *file;
};

static int
from_text(struct sg_load *ld, const void *what)
{
	const struct given *g = what;
	struct sg_load_document doc = { .depth = 0 };
	int rc;

	doc.identity = sg_arena_dup(ld->arena, sg_str_c(g->file));
	if (doc.identity.p == NULL)
		return sg_load_nomem(ld);
	doc.file = doc.identity.p;
	rc = sg_load_read(ld, g->text, &doc);
	ld->docs[ld->ndocs++] = doc;
	return rc;
}

static int
load(source_fn *source, const void *what, struct sg_policy **ret,
     struct sg_err *err)
{
	struct sg_policy *p = new_policy();
	struct sg_load ld = { .p = p };
	struct sg_err scratch;
	int rc;

	if (err == NULL)
		err = &scratch;
	sg_err_clear(err);
	if (p == NULL)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	ld.arena = &p->arena;
	ld.err = err;
	rc = source(&ld, what);
	if (rc == SG_OK)
		rc = build(&ld);
	release(&ld);
	if (rc != SG_OK) {
		sg_policy_free(p);
		return rc;
	}
	*ret = p;
	return SG_OK;
}

int
sg_policy_open(const char *name_or_path, struct sg_policy **ret,
	       struct sg_err *err)
{
	return load(from_name, name_or_path, ret, err);
}

int
sg_policy_read(struct sg_str text, const char *file, struct sg_policy **ret,
	       struct sg_err *err)
{
	struct given g = { text, file != NULL ? file : "policy" };

	return load(from_text, &g, ret, err);
}
