/*
 * Theory of operation
 *
 * A policy is one document and all it extends, at most SG_POLICY_FILES of
 * them.  They are found breadth first, so that each has the smallest
 * distance from the policy itself.  What is shipped was read when sandgate
 * was built (policy/docpack.h); a file is read here.
 */

#include "base/file.h"
#include "policy/docpack.h"
#include "policy/limits.h"
#include "policy/load.h"

/* --- one document ------------------------------------------------------- */

static bool
is_path(struct sg_str name)
{
	return sg_str_find(name, '/') < name.n ||
	       sg_str_ends(name, SG_STR(".yaml")) ||
	       sg_str_ends(name, SG_STR(".yml"));
}

static const struct sg_embed *
find_shipped(struct sg_str name)
{
	const struct sg_embed *s;

	for (s = sg_policy_shipped(); s->name != NULL; s++)
		if (sg_str_eq(name, sg_str_c(s->name)))
			return s;
	return NULL;
}

/* `name` as seen from the folder of `from`, lexically cleaned of "./". */
static struct sg_str
path_beside(struct sg_load *ld, const char *from, struct sg_str name)
{
	struct sg_str base = sg_str_c(from);
	size_t n = base.n;

	while (sg_str_starts(name, SG_STR("./")))
		name = sg_str_slice(name, 2, name.n);
	while (n > 0 && base.p[n - 1] != '/')
		n--;
	if (n == 0 || name.p[0] == '/')
		return sg_arena_dup(ld->arena, name);
	return sg_arena_printf(ld->arena, "%.*s%.*s", (int)n, base.p,
			       SG_STR_ARG(name));
}

static int
unknown_policy(struct sg_load *ld, const struct sg_doc_node *at,
	       struct sg_str name)
{
	const char *words[16], *near;
	const struct sg_embed *s;
	uint32_t n = 0;

	for (s = sg_policy_shipped(); s->name != NULL && n < 15; s++)
		words[n++] = s->name;
	words[n] = NULL;
	near = sg_load_nearest(name, words);
	if (near != NULL)
		(void)sg_err_set(ld->err, SG_ENOENT,
				 "there is no policy '%.*s'; did you mean "
				 "'%s'?",
				 SG_STR_ARG(name), near);
	else
		(void)sg_err_set(ld->err, SG_ENOENT,
				 "there is no policy '%.*s'; a file's name "
				 "has a '/' or ends in .yaml",
				 SG_STR_ARG(name));
	(void)sg_err_code(ld->err, "policy.unknown-policy");
	if (at != NULL) {
		ld->err->status = SG_EPOLICY;
		(void)sg_err_at(ld->err, ld->file, at->line, at->column);
	}
	return (int)ld->err->status;
}

int
sg_load_read(struct sg_load *ld, struct sg_str text,
	     struct sg_load_document *doc)
{
	doc->digest = sg_digest_of(text);
	doc->text = text;
	return sg_doc_read(text, doc->file, ld->arena, &doc->root, ld->err);
}

static int
read_file(struct sg_load *ld, const struct sg_doc_node *at,
	  struct sg_load_document *doc)
{
	struct sg_str text;
	struct sg_buf b;
	int rc;

	sg_buf_init(&b, SG_POLICY_BYTES + 1);
	rc = sg_file_read(doc->identity.p, &b, ld->err);
	if (rc == SG_OK) {
		text = sg_arena_dup(ld->arena, sg_buf_view(&b));
		rc = text.p != NULL ? sg_load_read(ld, text, doc)
				    : sg_load_nomem(ld);
	} else if (rc == SG_ELIMIT) {
		(void)sg_err_code(ld->err, "policy.size");
		(void)sg_err_at(ld->err, doc->file, 1, 1);
	} else if (at != NULL) {
		(void)sg_err_code(ld->err, "policy.extends");
		(void)sg_err_at(ld->err, ld->file, at->line, at->column);
	}
	sg_buf_release(&b);
	return rc;
}

/* What was made of its text when sandgate was built. */
static int
read_shipped(struct sg_load *ld, const struct sg_embed *shipped,
	     struct sg_load_document *doc)
{
	const struct sg_embed *e = sg_policy_packed();

	while (e->name != NULL && strcmp(e->name, shipped->name) != 0)
		e++;
	doc->text = shipped->data;
	return sg_doc_unpack(e->data, ld->arena, &doc->digest, &doc->root,
			     ld->err);
}

/* The index of the document that `name` means, read when it is new. */
int
sg_load_open(struct sg_load *ld, const struct sg_doc_node *at,
	     struct sg_str name, uint32_t depth, uint32_t *ret)
{
	const struct sg_embed *shipped = NULL;
	struct sg_load_document doc = { .depth = depth };
	uint32_t i;
	int rc;

	if (is_path(name)) {
		doc.identity = at == NULL ? sg_arena_dup(ld->arena, name)
					  : path_beside(ld, ld->file, name);
	} else {
		shipped = find_shipped(name);
		if (shipped == NULL)
			return unknown_policy(ld, at, name);
		doc.identity = sg_str_c(shipped->name);
		doc.shipped = true;
	}
	if (doc.identity.p == NULL)
		return sg_load_nomem(ld);
	for (i = 0; i < ld->ndocs; i++)
		if (ld->docs[i].shipped == doc.shipped &&
		    sg_str_eq(ld->docs[i].identity, doc.identity)) {
			*ret = i;
			return SG_OK;
		}
	if (ld->ndocs == SG_POLICY_FILES)
		return sg_load_fail(ld, at, "policy.size",
				    "the policy is made of too many files");
	doc.file = doc.identity.p;
	rc = shipped != NULL ? read_shipped(ld, shipped, &doc)
			     : read_file(ld, at, &doc);
	if (rc != SG_OK)
		return rc;
	*ret = ld->ndocs;
	ld->docs[ld->ndocs++] = doc;
	return SG_OK;
}

/* --- extends ------------------------------------------------------------ */

static int
skip(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	(void)ld;
	(void)v;
	(void)into;
	return SG_OK;
}

static const struct sg_field extends_fields[] = {
	{ "policy", skip, SG_FIELD_REQUIRED },
	{ "sha256", skip, 0 },
	{ NULL, NULL, 0 },
};

static int
check_pin(struct sg_load *ld, const struct sg_doc_node *pin,
	  const struct sg_load_document *doc)
{
	struct sg_digest want;
	struct sg_str s;
	int rc = sg_load_text(ld, pin, &s);

	if (rc != SG_OK)
		return rc;
	if (!sg_digest_parse(s, &want))
		return sg_load_fail(ld, pin, "policy.digest",
				    "this is not a SHA-256 in hexadecimal");
	if (memcmp(want.b, doc->digest.b, sizeof(want.b)) != 0)
		return sg_load_fail(ld, pin, "policy.digest",
				    "'%s' has another digest", doc->file);
	return SG_OK;
}

static int
read_parent(struct sg_load *ld, const struct sg_doc_node *item)
{
	struct sg_load_document *me = &ld->docs[ld->document];
	const struct sg_doc_node *name = item, *pin = NULL;
	struct sg_str s;
	uint32_t parent = 0, i;
	int rc;

	if (item->kind == SG_DOC_MAP) {
		rc = sg_load_map(ld, item, extends_fields,
				 "a member of 'extends'", NULL);
		if (rc != SG_OK)
			return rc;
		name = sg_doc_get(item, "policy");
		pin = sg_doc_get(item, "sha256");
	}
	rc = sg_load_text(ld, name, &s);
	if (rc == SG_OK && s.n == 0)
		rc = sg_load_fail(ld, name, "policy.value",
				  "an empty text says nothing here");
	if (rc == SG_OK)
		rc = sg_load_open(ld, name, s, ld->depth + 1, &parent);
	if (rc == SG_OK && pin != NULL)
		rc = check_pin(ld, pin, &ld->docs[parent]);
	if (rc != SG_OK)
		return rc;
	for (i = 0; i < me->nparents; i++)
		if (me->parents[i] == parent)
			return sg_load_fail(ld, name, "policy.conflict",
					    "'%.*s' is extended twice",
					    SG_STR_ARG(s));
	me->parent_marks[me->nparents] = sg_load_mark(ld, name);
	me->parents[me->nparents++] = parent;
	return SG_OK;
}

void
sg_load_enter(struct sg_load *ld, uint32_t document)
{
	ld->document = document;
	ld->depth = ld->docs[document].depth;
	ld->file = ld->docs[document].file;
}

/* Breadth first: docs[] grows while it is walked. */
int
sg_load_documents(struct sg_load *ld)
{
	const struct sg_doc_node *list, *item;
	uint32_t i;
	int rc = SG_OK;

	for (i = 0; rc == SG_OK && i < ld->ndocs; i++) {
		sg_load_enter(ld, i);
		list = sg_doc_get(ld->docs[i].root, "extends");
		if (list == NULL)
			continue;
		if (list->kind == SG_DOC_SCALAR) {
			rc = read_parent(ld, list);
			continue;
		}
		rc = sg_load_list(ld, list, "'extends'");
		if (rc == SG_OK && list->n >= SG_POLICY_FILES)
			rc = sg_load_fail(ld, list, "policy.size",
					  "the policy is made of too many "
					  "files");
		for (item = list->first; rc == SG_OK && item != NULL;
		     item = item->next)
			rc = read_parent(ld, item);
	}
	return rc;
}

/*
 * Takes away, again and again, documents all of whose parents are gone;
 * what remains is a cycle.
 */
int
sg_load_check_cycles(struct sg_load *ld)
{
	bool gone[SG_POLICY_FILES] = { false }, changed = true;
	uint32_t i, k;

	while (changed) {
		changed = false;
		for (i = 0; i < ld->ndocs; i++) {
			for (k = 0; k < ld->docs[i].nparents; k++)
				if (!gone[ld->docs[i].parents[k]])
					break;
			if (!gone[i] && k == ld->docs[i].nparents)
				gone[i] = changed = true;
		}
	}
	for (i = ld->ndocs; i > 0; i--) {
		const struct sg_load_document *d = &ld->docs[i - 1];

		for (k = 0; k < d->nparents && !gone[i - 1]; k++) {
			if (gone[d->parents[k]])
				continue;
			(void)sg_err_set(ld->err, SG_EPOLICY,
					 "the policy extends itself through "
					 "'%s'",
					 ld->docs[d->parents[k]].file);
			(void)sg_err_code(ld->err, "policy.extends-cycle");
			return sg_err_at(ld->err, d->parent_marks[k].file,
					 d->parent_marks[k].line,
					 d->parent_marks[k].column);
		}
	}
	return SG_OK;
}
