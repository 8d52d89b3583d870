/*
 * Theory of operation
 *
 * The sections are written from the compiled policy, one key a line, with
 * values in YAML's flow style, which is JSON.  Patterns are written from
 * the nodes of their documents, which live as long as the policy does, with
 * `$name` replaced by the items that its document means.
 */

#include "policy/show.h"

#include "policy/capability.h"
#include "policy/compiled.h"
#include "policy/doc.h"

extern const struct sg_embed sg_embed_schema[];

struct sg_str
sg_policy_schema(void)
{
	return sg_embed_schema[0].data;
}

/* --- documents ---------------------------------------------------------- */

static bool
whole_number(struct sg_str s, int64_t *ret)
{
	int64_t n = 0;
	size_t i;

	if (s.n == 0 || s.n > 15)
		return false;
	for (i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		n = n * 10 + (s.p[i] - '0');
	}
	*ret = n;
	return true;
}

static void
put_scalar(struct sg_json *j, const struct sg_doc_node *n)
{
	int64_t number;

	if (!n->plain)
		sg_json_str(j, n->text);
	else if (sg_doc_null(n))
		sg_json_null(j);
	else if (sg_str_eq(n->text, SG_STR("true")))
		sg_json_bool(j, true);
	else if (sg_str_eq(n->text, SG_STR("false")))
		sg_json_bool(j, false);
	else if (whole_number(n->text, &number))
		sg_json_int(j, number);
	else
		sg_json_str(j, n->text);
}

/* The list that `$name` means in the document of a rule, or NULL. */
static const struct sg_named_list *
find_list(const struct sg_policy *p, const struct sg_doc_node *n,
	  uint32_t document)
{
	const struct sg_named_list *l, *best = NULL;
	struct sg_str name;
	uint32_t i, near = p->files[document].depth;

	if (n->kind != SG_DOC_SCALAR || n->text.n < 2 || n->text.p[0] != '$')
		return NULL;
	name = sg_str_slice(n->text, 1, n->text.n);
	for (i = 0; i < p->nlists; i++) {
		l = &p->lists[i];
		if (!sg_str_eq(l->name, name) ||
		    p->files[l->document].depth < near)
			continue;
		if (l->document == document)
			return l;
		if (best == NULL || p->files[l->document].depth <
					    p->files[best->document].depth)
			best = l;
	}
	return best;
}

static void
put_items(struct sg_json *j, struct sg_strs items)
{
	uint32_t i;

	for (i = 0; i < items.n; i++)
		sg_json_str(j, items.v[i]);
}

/* Recursion is bounded by the depth of documents.  `p` is NULL where
 * `$name` stays as it is. */
static void
put_node(struct sg_json *j, const struct sg_policy *p, uint32_t document,
	 const struct sg_doc_node *n)
{
	const struct sg_named_list *l = p != NULL ? find_list(p, n, document)
						  : NULL;
	const struct sg_doc_node *m;

	if (l != NULL) {
		sg_json_array(j);
		put_items(j, l->items);
		sg_json_end(j);
		return;
	}
	if (n->kind == SG_DOC_SCALAR) {
		put_scalar(j, n);
		return;
	}
	if (n->kind == SG_DOC_MAP)
		sg_json_object(j);
	else
		sg_json_array(j);
	for (m = n->first; m != NULL; m = m->next) {
		l = p != NULL && n->kind == SG_DOC_LIST
			    ? find_list(p, m, document)
			    : NULL;
		if (m->key != NULL)
			sg_json_key(j, m->key->text.p);
		if (l != NULL)
			put_items(j, l->items);
		else
			put_node(j, p, document, m);
	}
	sg_json_end(j);
}

int
sg_policy_to_json(struct sg_str text, const char *file, struct sg_buf *out,
		  struct sg_err *err)
{
	struct sg_doc_node *root = NULL;
	struct sg_arena arena;
	struct sg_json j;
	int rc;

	sg_arena_init(&arena, 64u << 20);
	rc = sg_doc_read(text, file, &arena, &root, err);
	if (rc == SG_OK) {
		sg_json_init(&j, out);
		put_node(&j, NULL, 0, root);
		if (!sg_json_done(&j))
			rc = sg_err_set(err, SG_ENOMEM, "out of memory");
	}
	sg_arena_release(&arena);
	return rc;
}

/* --- sections -------------------------------------------------------------- */

static const char *const actions[] = { "off", "annotate", "reject" };
static const char *const unresolved[] = { "allow", "annotate", "reject" };

static void
put_strs(struct sg_json *j, const char *key, struct sg_strs s)
{
	if (s.n == 0)
		return;
	sg_json_key(j, key);
	sg_json_array(j);
	put_items(j, s);
	sg_json_end(j);
}

static void
kstr(struct sg_json *j, const char *key, struct sg_str s)
{
	if (s.n > 0)
		sg_json_kstr(j, key, s);
}

static void
put_limits(const struct sg_policy *p, struct sg_json *j)
{
	sg_json_object(j);
	sg_json_kuint(j, "bytes", p->limits.bytes);
	sg_json_kuint(j, "depth", p->limits.depth);
	sg_json_kuint(j, "nodes", p->limits.nodes);
	sg_json_kuint(j, "time_ms", p->limits.time_ms);
	sg_json_end(j);
}

static void
put_module(const struct sg_import_rule *r, struct sg_json *j)
{
	sg_json_object(j);
	if (r->public_only)
		sg_json_kc(j, "names", "public");
	put_strs(j, "names", r->allow);
	put_strs(j, "deny", r->refuse);
	kstr(j, "message", r->message);
	sg_json_end(j);
}

static void
put_modules(const struct sg_policy *p, bool deny, struct sg_json *j)
{
	uint32_t i;

	sg_json_key(j, deny ? "deny" : "allow");
	sg_json_object(j);
	for (i = 0; i < p->nimports; i++) {
		const struct sg_import_rule *r = &p->imports[i];

		if (r->deny != deny || r->implied)
			continue;
		sg_json_key(j, r->module.p);
		if (!deny)
			put_module(r, j);
		else if (r->message.n > 0)
			sg_json_str(j, r->message);
		else
			sg_json_null(j);
	}
	sg_json_end(j);
}

static void
put_imports(const struct sg_policy *p, struct sg_json *j)
{
	sg_json_object(j);
	sg_json_kc(j, "default", p->import_default_reject ? "reject" : "allow");
	put_modules(p, false, j);
	put_modules(p, true, j);
	sg_json_end(j);
}

static void
put_mask(const char *key, uint64_t mask, struct sg_json *j)
{
	uint32_t bit;

	if (mask == 0)
		return;
	sg_json_key(j, key);
	sg_json_array(j);
	for (bit = 0; bit < sg_capability_count(); bit++)
		if ((mask >> bit & 1) != 0)
			sg_json_c(j, sg_capability_name(bit));
	sg_json_end(j);
}

static void
put_capabilities(const struct sg_policy *p, struct sg_json *j)
{
	sg_json_object(j);
	put_mask("reject", p->cap_reject, j);
	put_mask("annotate", p->cap_annotate, j);
	put_mask("allow", p->cap_allow, j);
	sg_json_end(j);
}

static void
put_paths(const struct sg_policy *p, struct sg_json *j)
{
	sg_json_object(j);
	put_strs(j, "workspace", p->workspace);
	sg_json_end(j);
}

static void
put_unresolved(const struct sg_policy *p, struct sg_json *j)
{
	uint32_t i;

	sg_json_object(j);
	for (i = 1; i < SG_DYNAMIC_COUNT; i++)
		sg_json_kc(j, sg_dynamic_name((enum sg_dynamic)i),
			   unresolved[p->unresolved[i]]);
	sg_json_end(j);
}

static void
put_line(struct sg_buf *out, const char *key,
	 void (*put)(const struct sg_policy *p, struct sg_json *j),
	 const struct sg_policy *p)
{
	struct sg_json j;

	sg_buf_printf(out, "%s: ", key);
	sg_json_init(&j, out);
	put(p, &j);
	sg_buf_char(out, '\n');
}

/* --- rules -------------------------------------------------------------------- */

static void
put_tests(const struct sg_rule *r, bool hit, struct sg_json *j)
{
	uint32_t i;

	sg_json_key(j, hit ? "hit" : "pass");
	sg_json_array(j);
	for (i = 0; i < r->ntests; i++)
		if (r->tests[i].hit == hit)
			sg_json_str(j, r->tests[i].code);
	sg_json_end(j);
}

static void
put_rule(const struct sg_policy *p, const struct sg_rule *r, struct sg_buf *out)
{
	struct sg_json j;

	sg_buf_c(out, "  - ");
	sg_json_init(&j, out);
	sg_json_object(&j);
	sg_json_kstr(&j, "id", r->id);
	kstr(&j, "title", r->title);
	sg_json_kc(&j, "severity", sg_severity_name(r->severity));
	sg_json_kc(&j, "action", actions[r->action]);
	sg_json_key(&j, "match");
	put_node(&j, p, r->document, r->doc);
	kstr(&j, "message", r->message);
	kstr(&j, "hint", r->hint);
	put_strs(&j, "cwe", r->cwe);
	put_strs(&j, "references", r->references);
	put_strs(&j, "tags", r->tags);
	sg_json_key(&j, "tests");
	sg_json_object(&j);
	put_tests(r, true, &j);
	put_tests(r, false, &j);
	sg_json_end(&j);
	sg_json_end(&j);
	sg_buf_char(out, '\n');
}

static bool
is_changed(const struct sg_rule *r)
{
	return r->set_action.used || r->set_severity.used ||
	       r->set_message.used || r->set_hint.used;
}

/* Built-in rules are there anyway; what was changed in them is an override. */
static void
put_override(const struct sg_rule *r, struct sg_buf *out)
{
	struct sg_json j;

	sg_buf_c(out, "  - ");
	sg_json_init(&j, out);
	sg_json_object(&j);
	sg_json_kstr(&j, "rule", r->id);
	sg_json_key(&j, "set");
	sg_json_object(&j);
	if (r->set_action.used)
		sg_json_kc(&j, "action", actions[r->action]);
	if (r->set_severity.used)
		sg_json_kc(&j, "severity", sg_severity_name(r->severity));
	if (r->set_message.used)
		sg_json_kstr(&j, "message", r->message);
	if (r->set_hint.used)
		sg_json_kstr(&j, "hint", r->hint);
	sg_json_end(&j);
	sg_json_end(&j);
	sg_buf_char(out, '\n');
}

static void
put_exception(const struct sg_exception *ex, struct sg_buf *out)
{
	struct sg_json j;

	sg_buf_c(out, "  - ");
	sg_json_init(&j, out);
	sg_json_object(&j);
	sg_json_kstr(&j, "rule", ex->rule);
	sg_json_key(&j, "when");
	sg_json_object(&j);
	put_strs(&j, "path", ex->paths);
	put_strs(&j, "digest", ex->digests);
	sg_json_end(&j);
	kstr(&j, "until", ex->until);
	sg_json_kstr(&j, "reason", ex->reason);
	sg_json_end(&j);
	sg_buf_char(out, '\n');
}

static void
put_text(struct sg_buf *out, const char *key, struct sg_str s)
{
	struct sg_json j;

	if (s.n == 0)
		return;
	sg_buf_printf(out, "%s: ", key);
	sg_json_init(&j, out);
	sg_json_str(&j, s);
	sg_buf_char(out, '\n');
}

static void
put_lists(const struct sg_policy *p, struct sg_buf *out)
{
	uint32_t i, builtin = SG_BUILTIN_COUNT;
	bool heading = false;

	sg_buf_c(out, p->nrules > builtin ? "rules:\n" : "rules: []\n");
	for (i = builtin; i < p->nrules; i++)
		put_rule(p, &p->rules[i], out);
	for (i = 0; i < builtin; i++) {
		if (!is_changed(&p->rules[i]))
			continue;
		if (!heading)
			sg_buf_c(out, "overrides:\n");
		heading = true;
		put_override(&p->rules[i], out);
	}
	if (p->nexceptions > 0)
		sg_buf_c(out, "exceptions:\n");
	for (i = 0; i < p->nexceptions; i++)
		put_exception(&p->exceptions[i], out);
}

int
sg_policy_show(const struct sg_policy *p, struct sg_buf *out,
	       struct sg_err *err)
{
	uint32_t i;

	for (i = 0; i < p->nfiles; i++)
		sg_buf_printf(out, "# from %s\n", p->files[i].file);
	sg_buf_c(out, "schema: 1\n");
	put_text(out, "policy", p->name);
	put_text(out, "description", p->description);
	sg_buf_printf(out, "mode: %s\n",
		      p->annotate_only ? "annotate" : "enforce");
	put_line(out, "limits", put_limits, p);
	put_line(out, "imports", put_imports, p);
	put_line(out, "capabilities", put_capabilities, p);
	put_line(out, "paths", put_paths, p);
	put_line(out, "unresolved", put_unresolved, p);
	put_lists(p, out);
	if (sg_buf_failed(out))
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	return SG_OK;
}
