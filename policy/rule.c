/* The sections `rules` and `overrides`. */

#include "policy/limits.h"
#include "policy/load.h"
#include "policy/message.h"

static const struct sg_choice severities[] = {
	{ "info", SG_SEVERITY_INFO },         { "low", SG_SEVERITY_LOW },
	{ "medium", SG_SEVERITY_MEDIUM },     { "high", SG_SEVERITY_HIGH },
	{ "critical", SG_SEVERITY_CRITICAL }, { NULL, 0 },
};

static const struct sg_choice actions[] = {
	{ "reject", SG_ACTION_REJECT },
	{ "annotate", SG_ACTION_ANNOTATE },
	{ "off", SG_ACTION_OFF },
	{ NULL, 0 },
};

static struct sg_rule *
find_rule(struct sg_load *ld, struct sg_str id)
{
	uint32_t i;

	for (i = 0; i < ld->rules.n; i++)
		if (sg_str_eq(ld->rules.v[i].id, id))
			return &ld->rules.v[i];
	return NULL;
}

/* --- members of a rule ------------------------------------------------ */

static bool
id_char(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

static int
read_id(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	struct sg_rule *rule = into;
	size_t i;
	int rc = sg_load_text(ld, v, &rule->id);

	if (rc != SG_OK)
		return rc;
	for (i = 0; i < rule->id.n && id_char(rule->id.p[i]); i++)
		continue;
	if (i < rule->id.n || i == 0 || i > 64)
		return sg_load_fail(ld, v, "policy.value",
				    "a rule's id has 1 to 64 of A-Z a-z 0-9 "
				    "- _ .");
	return SG_OK;
}

static int
one_line(struct sg_load *ld, const struct sg_doc_node *v, struct sg_str *ret)
{
	int rc = sg_load_text(ld, v, ret);

	if (rc == SG_OK && sg_str_find(*ret, '\n') < ret->n)
		return sg_load_fail(ld, v, "policy.value",
				    "this text must be one line");
	return rc;
}

static int
read_title(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	return one_line(ld, v, &((struct sg_rule *)into)->title);
}

static int
template_text(struct sg_load *ld, const struct sg_doc_node *v,
	      struct sg_str *ret)
{
	struct sg_str bad;
	int rc = one_line(ld, v, ret);

	if (rc != SG_OK || sg_message_check(*ret, &bad))
		return rc;
	return sg_load_fail_in(ld, v, (size_t)(bad.p - ret->p),
			       "policy.template",
			       "'%.*s' is not known in a message; use {name}, "
			       "{module}, {path}, {value} or {capability}",
			       SG_STR_ARG(bad));
}

static int
read_message(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	return template_text(ld, v, &((struct sg_rule *)into)->message);
}

static int
read_hint(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	return template_text(ld, v, &((struct sg_rule *)into)->hint);
}

static int
read_severity(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	struct sg_rule *rule = into;
	int value = 0, rc = sg_load_choice(ld, v, severities, &value);

	rule->severity = (enum sg_severity)value;
	return rc;
}

static int
read_action(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	struct sg_rule *rule = into;
	int value = 0, rc = sg_load_choice(ld, v, actions, &value);

	rule->action = (enum sg_action)value;
	return rc;
}

static int
read_match(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	struct sg_rule *rule = into;

	rule->doc = v;
	rule->document = ld->document;
	return sg_load_pattern(ld, v, &rule->match);
}

static int
read_cwe(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	struct sg_rule *rule = into;
	uint32_t i;
	size_t k;
	int rc = sg_load_strs(ld, v, &rule->cwe);

	for (i = 0; rc == SG_OK && i < rule->cwe.n; i++) {
		struct sg_str s = rule->cwe.v[i];

		for (k = 4; k < s.n && s.p[k] >= '0' && s.p[k] <= '9'; k++)
			continue;
		if (!sg_str_starts(s, SG_STR("CWE-")) || k < s.n || k < 5)
			return sg_load_fail(ld, sg_load_item(ld, v, i),
					    "policy.value",
					    "'%.*s' is not of the form "
					    "CWE-95",
					    SG_STR_ARG(s));
	}
	return rc;
}

static int
read_references(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	return sg_load_strs(ld, v, &((struct sg_rule *)into)->references);
}

static int
read_tags(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	return sg_load_strs(ld, v, &((struct sg_rule *)into)->tags);
}

/* --- inline tests ----------------------------------------------------- */

struct test_list {
	struct sg_rule_test *v;
	uint32_t n;
};

static int
read_side(struct sg_load *ld, const struct sg_doc_node *v, void *into, bool hit)
{
	struct test_list *tests = into;
	const struct sg_doc_node *item;
	uint32_t index = 0;
	int rc = sg_load_list(ld, v, hit ? "'hit'" : "'pass'");

	for (item = v->first; rc == SG_OK && item != NULL; item = item->next) {
		struct sg_rule_test *t = &tests->v[tests->n++];

		t->hit = hit;
		t->index = index++;
		t->mark = sg_load_mark(ld, item);
		rc = sg_load_text(ld, item, &t->code);
	}
	return rc;
}

static int
read_hits(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	return read_side(ld, v, into, true);
}

static int
read_passes(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	return read_side(ld, v, into, false);
}

static int
read_tests(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	static const struct sg_field fields[] = {
		{ "hit", read_hits, 0 },
		{ "pass", read_passes, 0 },
		{ NULL, NULL, 0 },
	};
	struct sg_rule *rule = into;
	struct test_list tests = { NULL, 0 };
	const struct sg_doc_node *m;
	uint32_t n = 0;
	int rc;

	for (m = v->first; m != NULL; m = m->next)
		n += m->n;
	tests.v = SG_NEWN(ld->arena, struct sg_rule_test, n + 1);
	if (tests.v == NULL)
		return sg_load_nomem(ld);
	rc = sg_load_map(ld, v, fields, "'tests'", &tests);
	rule->tests = tests.v;
	rule->ntests = tests.n;
	return rc;
}

static const struct sg_field rule_fields[] = {
	{ "id", read_id, SG_FIELD_REQUIRED },
	{ "title", read_title, 0 },
	{ "severity", read_severity, 0 },
	{ "action", read_action, 0 },
	{ "match", read_match, SG_FIELD_REQUIRED },
	{ "message", read_message, 0 },
	{ "hint", read_hint, 0 },
	{ "cwe", read_cwe, 0 },
	{ "references", read_references, 0 },
	{ "tags", read_tags, 0 },
	{ "tests", read_tests, 0 },
	{ NULL, NULL, 0 },
};

static int
load_rule(struct sg_load *ld, const struct sg_doc_node *v)
{
	struct sg_rule rule = { .severity = SG_SEVERITY_MEDIUM,
				.action = SG_ACTION_REJECT };
	const struct sg_rule *other;
	const struct sg_doc_node *id;
	int rc = sg_load_map(ld, v, rule_fields, "a rule", &rule);

	if (rc != SG_OK)
		return rc;
	id = sg_doc_get(v, "id");
	other = find_rule(ld, rule.id);
	if (other != NULL)
		return sg_load_fail(ld, id, "policy.duplicate-rule",
				    "there is a rule '%.*s' already, in line "
				    "%u of %s; use 'overrides' to change it",
				    SG_STR_ARG(rule.id), other->mark.line,
				    other->mark.file != NULL
					    ? other->mark.file
					    : "sandgate itself");
	if (ld->rules.n >= SG_POLICY_RULES)
		return sg_load_fail(ld, v, "policy.size",
				    "the policy has too many rules");
	rule.mark = sg_load_mark(ld, id);
	if (rule.title.n == 0)
		rule.title = rule.id;
	if (!SG_VEC_ROOM(&ld->rules, 1, SG_POLICY_RULES + SG_BUILTIN_COUNT))
		return sg_load_nomem(ld);
	ld->rules.v[ld->rules.n++] = rule;
	return SG_OK;
}

int
sg_load_rules(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	const struct sg_doc_node *item;
	int rc = sg_load_list(ld, v, "'rules'");

	(void)into;
	for (item = v->first; rc == SG_OK && item != NULL; item = item->next)
		rc = load_rule(ld, item);
	return rc;
}

/* --- overrides --------------------------------------------------------- */

static const struct sg_field set_fields[] = {
	{ "action", read_action, 0 },
	{ "severity", read_severity, 0 },
	{ "message", read_message, 0 },
	{ "hint", read_hint, 0 },
	{ NULL, NULL, 0 },
};

static int
read_set(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	return sg_load_map(ld, v, set_fields, "'set'", into);
}

static int
unknown_rule(struct sg_load *ld, const struct sg_doc_node *v, struct sg_str s)
{
	const char **words, *near = NULL;
	uint32_t i;

	words = SG_NEWN(ld->arena, const char *, ld->rules.n + 1);
	if (words == NULL)
		return sg_load_nomem(ld);
	for (i = 0; i < ld->rules.n; i++)
		words[i] = ld->rules.v[i].id.p;
	near = sg_load_nearest(s, words);
	if (near != NULL)
		return sg_load_fail(ld, v, "policy.unknown-rule",
				    "there is no rule '%.*s'; did you mean "
				    "'%s'?",
				    SG_STR_ARG(s), near);
	return sg_load_fail(ld, v, "policy.unknown-rule",
			    "there is no rule '%.*s'", SG_STR_ARG(s));
}

/* True when this override is to be taken; *rc tells of a conflict. */
static bool
take(struct sg_load *ld, const struct sg_doc_node *v, struct sg_override *o,
     int *rc)
{
	if (v == NULL || *rc != SG_OK)
		return false;
	if (o->used && o->depth < ld->depth)
		return false;
	if (o->used && o->depth == ld->depth) {
		*rc = sg_load_fail(ld, v->key, "policy.conflict",
				   "'%.*s' of this rule is overridden in "
				   "line %u of %s already",
				   SG_STR_ARG(v->key->text), o->mark.line,
				   o->mark.file);
		return false;
	}
	o->used = true;
	o->depth = ld->depth;
	o->mark = sg_load_mark(ld, v->key);
	return true;
}

static int
apply(struct sg_load *ld, const struct sg_doc_node *set,
      const struct sg_rule *from, struct sg_rule *to)
{
	int rc = SG_OK;

	if (take(ld, sg_doc_get(set, "action"), &to->set_action, &rc))
		to->action = from->action;
	if (take(ld, sg_doc_get(set, "severity"), &to->set_severity, &rc))
		to->severity = from->severity;
	if (take(ld, sg_doc_get(set, "message"), &to->set_message, &rc))
		to->message = from->message;
	if (take(ld, sg_doc_get(set, "hint"), &to->set_hint, &rc))
		to->hint = from->hint;
	return rc;
}

static int
load_override(struct sg_load *ld, const struct sg_doc_node *v)
{
	static const struct sg_field fields[] = {
		{ "rule", NULL, SG_FIELD_REQUIRED | SG_FIELD_SKIP },
		{ "set", read_set, SG_FIELD_REQUIRED },
		{ NULL, NULL, 0 },
	};
	const struct sg_doc_node *set, *id;
	struct sg_rule from = { .action = SG_ACTION_OFF }, *to;
	struct sg_strs ids;
	uint32_t i;
	int rc = sg_load_map(ld, v, fields, "an override", &from);

	if (rc != SG_OK)
		return rc;
	id = sg_doc_get(v, "rule");
	set = sg_doc_get(v, "set");
	if (set->n == 0)
		return sg_load_fail(ld, set, "policy.value",
				    "the override sets nothing");
	rc = sg_load_strs(ld, id, &ids);
	for (i = 0; rc == SG_OK && i < ids.n; i++) {
		to = find_rule(ld, ids.v[i]);
		if (to == NULL)
			return unknown_rule(ld, sg_load_item(ld, id, i),
					    ids.v[i]);
		rc = apply(ld, set, &from, to);
	}
	return rc;
}

int
sg_load_overrides(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	const struct sg_doc_node *item;
	int rc = sg_load_list(ld, v, "'overrides'");

	(void)into;
	for (item = v->first; rc == SG_OK && item != NULL; item = item->next)
		rc = load_override(ld, item);
	return rc;
}
