/* The sections of a policy but its rules. */

#include "policy/limits.h"
#include "policy/load.h"

/* --- what is read elsewhere, or has one value -------------------------- */

static int
read_schema(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	(void)into;
	if (v->kind == SG_DOC_SCALAR && sg_str_eq(v->text, SG_STR("1")))
		return SG_OK;
	return sg_load_fail(ld, v, "policy.schema",
			    "this program reads policies of schema 1");
}

static int
read_policy(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	struct sg_str name;
	size_t i;
	int rc = sg_load_text(ld, v, &name);

	(void)into;
	if (rc != SG_OK)
		return rc;
	for (i = 0; i < name.n; i++)
		if ((unsigned char)name.p[i] < 0x21 || name.p[i] == 0x7f)
			break;
	if (i < name.n || i == 0 || i > 64)
		return sg_load_fail(ld, v, "policy.value",
				    "a policy's name is one word of at most "
				    "64 characters");
	if (ld->depth == 0)
		ld->p->name = name;
	return SG_OK;
}

static int
read_description(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	struct sg_str text;
	int rc = sg_load_text(ld, v, &text);

	(void)into;
	if (rc == SG_OK && ld->depth == 0)
		ld->p->description = text;
	return rc;
}

static int
read_mode(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	static const struct sg_choice table[] = {
		{ "enforce", 0 },
		{ "annotate", 1 },
		{ NULL, 0 },
	};
	int value = 0, rc = sg_load_choice(ld, v, table, &value);
	bool only = value != 0;

	(void)into;
	if (rc == SG_OK &&
	    sg_load_setting(ld, SG_SET_MODE, v, only == ld->p->annotate_only))
		ld->p->annotate_only = only;
	return rc;
}

/* --- limits ------------------------------------------------------------ */

static int
read_limit(struct sg_load *ld, const struct sg_doc_node *v, uint32_t id,
	   uint32_t min, uint32_t max, uint32_t *limit)
{
	uint32_t n = 0;
	int rc = sg_load_number(ld, v, min, max, &n);

	if (rc == SG_OK && sg_load_setting(ld, id, v, n == *limit))
		*limit = n;
	return rc;
}

static int
read_bytes(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	(void)into;
	return read_limit(ld, v, SG_SET_BYTES, 1, 64u << 20,
			  &ld->p->limits.bytes);
}

static int
read_depth(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	(void)into;
	return read_limit(ld, v, SG_SET_DEPTH, 1, 10000, &ld->p->limits.depth);
}

static int
read_nodes(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	(void)into;
	return read_limit(ld, v, SG_SET_NODES, 1, 50000000,
			  &ld->p->limits.nodes);
}

static int
read_time(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	(void)into;
	return read_limit(ld, v, SG_SET_TIME, 1, 60000, &ld->p->limits.time_ms);
}

static int
read_limits(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	static const struct sg_field fields[] = {
		{ "bytes", read_bytes, 0 }, { "depth", read_depth, 0 },
		{ "nodes", read_nodes, 0 }, { "time_ms", read_time, 0 },
		{ NULL, NULL, 0 },
	};

	return sg_load_map(ld, v, fields, "'limits'", into);
}

/* --- imports ----------------------------------------------------------- */

static const struct sg_choice allow_reject[] = {
	{ "allow", 0 },
	{ "reject", 1 },
	{ NULL, 0 },
};

static int
read_default(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	int value = 0, rc = sg_load_choice(ld, v, allow_reject, &value);
	bool reject = value != 0;

	(void)into;
	if (rc == SG_OK &&
	    sg_load_setting(ld, SG_SET_IMPORT_DEFAULT, v,
			    reject == ld->p->import_default_reject))
		ld->p->import_default_reject = reject;
	return rc;
}

/* Adds one module, unless a nearer document speaks of it. */
static int
add_import(struct sg_load *ld, const struct sg_doc_node *at,
	   const struct sg_import_rule *rule)
{
	struct sg_import_rule *r;
	uint32_t i;

	for (i = 0; i < ld->imports.n; i++) {
		r = &ld->imports.v[i];
		if (!sg_str_eq(r->module, rule->module))
			continue;
		if (r->depth < ld->depth)
			return SG_OK;
		if (r->depth == ld->depth)
			return sg_load_fail(ld, at, "policy.conflict",
					    "module '%.*s' stands in line %u "
					    "of %s already",
					    SG_STR_ARG(rule->module),
					    r->mark.line, r->mark.file);
		*r = *rule;
		return SG_OK;
	}
	if (!SG_VEC_ROOM(&ld->imports, 1, SG_POLICY_ITEMS))
		return sg_load_nomem(ld);
	ld->imports.v[ld->imports.n++] = *rule;
	return SG_OK;
}

static int
module_name(struct sg_load *ld, const struct sg_doc_node *at,
	    struct sg_str name)
{
	size_t i;

	for (i = 0; i < name.n; i++)
		if ((unsigned char)name.p[i] <= ' ' || name.p[i] == '/' ||
		    name.p[i] == '(')
			break;
	if (i == name.n && name.n > 0 && name.p[name.n - 1] != '.')
		return SG_OK;
	return sg_load_fail(ld, at, "policy.value",
			    "'%.*s' is not the name of a module",
			    SG_STR_ARG(name));
}

static int
read_names(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	struct sg_import_rule *r = into;

	if (v->kind == SG_DOC_SCALAR && sg_str_eq(v->text, SG_STR("public"))) {
		r->public_only = true;
		return SG_OK;
	}
	if (v->kind == SG_DOC_SCALAR && sg_str_eq(v->text, SG_STR("all")))
		return SG_OK;
	if (v->kind == SG_DOC_SCALAR && v->text.n > 0 && v->text.p[0] != '$')
		return sg_load_fail(ld, v, "policy.value",
				    "'names' is 'public', 'all' or a list");
	return sg_load_strs(ld, v, &r->allow);
}

static int
read_deny_names(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	return sg_load_strs(ld, v, &((struct sg_import_rule *)into)->refuse);
}

static int
read_import_message(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	return sg_load_text(ld, v, &((struct sg_import_rule *)into)->message);
}

static int
read_allowed(struct sg_load *ld, const struct sg_doc_node *v)
{
	static const struct sg_field fields[] = {
		{ "names", read_names, 0 },
		{ "allow", read_names, 0 },
		{ "deny", read_deny_names, 0 },
		{ "message", read_import_message, 0 },
		{ NULL, NULL, 0 },
	};
	struct sg_import_rule r = { .module = v->key->text,
				    .depth = ld->depth };
	int rc = module_name(ld, v->key, r.module);

	r.mark = sg_load_mark(ld, v->key);
	if (rc == SG_OK && !sg_doc_null(v)) {
		if (v->kind != SG_DOC_MAP)
			rc = read_names(ld, v, &r);
		else
			rc = sg_load_map(ld, v, fields, "a module", &r);
	}
	if (rc == SG_OK && sg_doc_get(v, "names") != NULL &&
	    sg_doc_get(v, "allow") != NULL)
		rc = sg_load_fail(ld, sg_doc_get(v, "allow")->key,
				  "policy.conflict",
				  "give either 'names' or 'allow'");
	return rc == SG_OK ? add_import(ld, v->key, &r) : rc;
}

static int
read_denied(struct sg_load *ld, const struct sg_doc_node *v)
{
	struct sg_import_rule r = { .module = v->key->text,
				    .deny = true,
				    .depth = ld->depth };
	int rc = module_name(ld, v->key, r.module);

	r.mark = sg_load_mark(ld, v->key);
	if (rc == SG_OK && !sg_doc_null(v))
		rc = sg_load_text(ld, v, &r.message);
	return rc == SG_OK ? add_import(ld, v->key, &r) : rc;
}

/* A list of modules stands for a mapping without values. */
static int
read_module_list(struct sg_load *ld, const struct sg_doc_node *v, bool deny)
{
	struct sg_import_rule r = { .deny = deny, .depth = ld->depth };
	const struct sg_doc_node *at;
	struct sg_strs names;
	uint32_t i;
	int rc = sg_load_strs(ld, v, &names);

	for (i = 0; rc == SG_OK && i < names.n; i++) {
		at = sg_load_item(ld, v, i);
		r.module = names.v[i];
		r.mark = sg_load_mark(ld, at);
		rc = module_name(ld, at, r.module);
		if (rc == SG_OK)
			rc = add_import(ld, at, &r);
	}
	return rc;
}

static int
read_allow(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	const struct sg_doc_node *m;
	int rc = SG_OK;

	(void)into;
	if (v->kind != SG_DOC_MAP)
		return read_module_list(ld, v, false);
	for (m = v->first; rc == SG_OK && m != NULL; m = m->next)
		rc = read_allowed(ld, m);
	return rc;
}

static int
read_deny(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	const struct sg_doc_node *m;
	int rc = SG_OK;

	(void)into;
	if (v->kind != SG_DOC_MAP)
		return read_module_list(ld, v, true);
	for (m = v->first; rc == SG_OK && m != NULL; m = m->next)
		rc = read_denied(ld, m);
	return rc;
}

static int
read_imports(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	static const struct sg_field fields[] = {
		{ "default", read_default, 0 },
		{ "allow", read_allow, 0 },
		{ "deny", read_deny, 0 },
		{ NULL, NULL, 0 },
	};

	return sg_load_map(ld, v, fields, "'imports'", into);
}

/* --- capabilities ------------------------------------------------------ */

static int
add_caps(struct sg_load *ld, const struct sg_doc_node *v, enum sg_action action,
	 bool allow)
{
	struct sg_strs globs = { NULL, 0 };
	uint64_t mask;
	uint32_t i;
	int rc = sg_load_capabilities(ld, v, &mask, &globs);

	for (i = 0; rc == SG_OK && i < globs.n; i++) {
		if (!SG_VEC_ROOM(&ld->caps, 1, SG_POLICY_ITEMS))
			return sg_load_nomem(ld);
		ld->caps.v[ld->caps.n++] =
			(struct sg_cap_rule){ globs.v[i], action, allow,
					      ld->depth, sg_load_mark(ld, v) };
	}
	return rc;
}

static int
read_cap_reject(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	(void)into;
	return add_caps(ld, v, SG_ACTION_REJECT, false);
}

static int
read_cap_annotate(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	(void)into;
	return add_caps(ld, v, SG_ACTION_ANNOTATE, false);
}

static int
read_cap_allow(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	(void)into;
	return add_caps(ld, v, SG_ACTION_OFF, true);
}

static int
read_capabilities(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	static const struct sg_field fields[] = {
		{ "reject", read_cap_reject, 0 },
		{ "annotate", read_cap_annotate, 0 },
		{ "allow", read_cap_allow, 0 },
		{ NULL, NULL, 0 },
	};

	return sg_load_map(ld, v, fields, "'capabilities'", into);
}

/* --- paths, unresolved ------------------------------------------------- */

static int
read_workspace(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	struct sg_strs paths;
	uint32_t i;
	int rc = sg_load_strs(ld, v, &paths);

	(void)into;
	for (i = 0; rc == SG_OK && i < paths.n; i++)
		if (paths.v[i].p[0] != '/' &&
		    !sg_str_eq(paths.v[i], SG_STR(".")))
			return sg_load_fail(ld, sg_load_item(ld, v, i),
					    "policy.path",
					    "'%.*s' is neither '.' nor an "
					    "absolute path",
					    SG_STR_ARG(paths.v[i]));
	if (rc == SG_OK && sg_load_setting(ld, SG_SET_WORKSPACE, v, false))
		ld->p->workspace = paths;
	return rc;
}

static int
read_paths(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	static const struct sg_field fields[] = {
		{ "workspace", read_workspace, SG_FIELD_REQUIRED },
		{ NULL, NULL, 0 },
	};

	return sg_load_map(ld, v, fields, "'paths'", into);
}

static int
read_unresolved(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	static const struct sg_choice table[] = {
		{ "reject", SG_ACTION_REJECT },
		{ "annotate", SG_ACTION_ANNOTATE },
		{ "allow", SG_ACTION_OFF },
		{ NULL, 0 },
	};
	struct sg_field fields[SG_DYNAMIC_COUNT];
	const struct sg_doc_node *m;
	uint32_t i, n = 0;
	int value = 0, rc;

	for (i = 1; i < SG_DYNAMIC_COUNT; i++)
		fields[n++] = (struct sg_field){
			sg_dynamic_name((enum sg_dynamic)i), NULL, SG_FIELD_SKIP
		};
	fields[n] = (struct sg_field){ NULL, NULL, 0 };
	rc = sg_load_map(ld, v, fields, "'unresolved'", into);
	for (m = v->first; rc == SG_OK && m != NULL; m = m->next) {
		rc = sg_load_choice(ld, m, table, &value);
		for (i = 1; rc == SG_OK && i < SG_DYNAMIC_COUNT; i++)
			if (sg_str_eq(m->key->text,
				      sg_str_c(fields[i - 1].key)) &&
			    sg_load_setting(ld, SG_SET_UNRESOLVED + i, m,
					    (int)ld->p->unresolved[i] == value))
				ld->p->unresolved[i] = (enum sg_action)value;
	}
	return rc;
}

/* --- settings ---------------------------------------------------------- */

int
sg_load_check_settings(struct sg_load *ld)
{
	uint32_t i;

	for (i = 0; i < SG_SET_COUNT; i++) {
		const struct sg_setting *s = &ld->settings[i];

		if (!s->set || !s->conflict)
			continue;
		(void)sg_err_set(ld->err, SG_EPOLICY,
				 "two policies that are extended disagree "
				 "here; say it in the policy itself");
		(void)sg_err_code(ld->err, "policy.conflict");
		return sg_err_at(ld->err, s->mark.file, s->mark.line,
				 s->mark.column);
	}
	return SG_OK;
}

/* --- lists ------------------------------------------------------------- */

int
sg_load_lists(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	const struct sg_doc_node *m;
	int rc = SG_OK;

	(void)into;
	if (v->kind != SG_DOC_MAP)
		return sg_load_fail(ld, v, "policy.type",
				    "'lists' must map names to lists");
	for (m = v->first; rc == SG_OK && m != NULL; m = m->next) {
		struct sg_named_list l = { .name = m->key->text,
					   .document = ld->document };

		l.mark = sg_load_mark(ld, m->key);
		rc = sg_load_strs(ld, m, &l.items);
		if (rc != SG_OK)
			return rc;
		if (!SG_VEC_ROOM(&ld->lists, 1, SG_POLICY_ITEMS))
			return sg_load_nomem(ld);
		ld->lists.v[ld->lists.n++] = l;
	}
	return rc;
}

const struct sg_field sg_load_sections[] = {
	{ "schema", read_schema, SG_FIELD_REQUIRED },
	{ "policy", read_policy, 0 },
	{ "description", read_description, 0 },
	{ "extends", NULL, SG_FIELD_SKIP },
	{ "mode", read_mode, 0 },
	{ "limits", read_limits, 0 },
	{ "imports", read_imports, 0 },
	{ "capabilities", read_capabilities, 0 },
	{ "paths", read_paths, 0 },
	{ "unresolved", read_unresolved, 0 },
	{ "lists", NULL, SG_FIELD_SKIP },
	{ "rules", sg_load_rules, 0 },
	{ "overrides", NULL, SG_FIELD_SKIP },
	{ "exceptions", sg_load_exceptions, 0 },
	{ NULL, NULL, 0 },
};
