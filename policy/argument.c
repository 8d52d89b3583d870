/* Predicates on the arguments of a call: `arg: {0: {...}, mode: {...}}`. */

#include "policy/limits.h"
#include "policy/load.h"

enum { ARG_POSITION_MAX = 255 };

static int
read_string(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	struct sg_argpred *pred = into;
	struct sg_doc_node *regex;

	if (v->kind != SG_DOC_MAP) {
		pred->has_strings = true;
		return sg_load_strs(ld, v, &pred->strings);
	}
	regex = sg_doc_get(v, "regex");
	if (regex == NULL || v->n != 1)
		return sg_load_fail(ld, v, "policy.match",
				    "write 'string: TEXT', 'string: [TEXT, "
				    "...]' or 'string: {regex: TEXT}'");
	return sg_load_regex(ld, regex, &pred->regex);
}

static int
read_value(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	struct sg_argpred *pred = into;

	pred->has_values = true;
	return sg_load_strs(ld, v, &pred->values);
}

static int
read_name(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	struct sg_argpred *pred = into;

	int rc;

	pred->has_names = true;
	rc = sg_load_strs(ld, v, &pred->names);
	return rc == SG_OK ? sg_load_canon(ld, true, &pred->names) : rc;
}

static int
read_literal(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	struct sg_argpred *pred = into;

	pred->has_literal = true;
	return sg_load_bool(ld, v, &pred->literal);
}

static int
read_present(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	struct sg_argpred *pred = into;

	pred->has_present = true;
	return sg_load_bool(ld, v, &pred->present);
}

static int
read_unknown(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	struct sg_argpred *pred = into;

	pred->has_unknown = true;
	return sg_load_bool(ld, v, &pred->unknown);
}

static int
read_text(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	struct sg_argpred *pred = into;

	pred->has_text = true;
	return sg_load_bool(ld, v, &pred->text);
}

static int
read_local(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	struct sg_argpred *pred = into;

	pred->has_local = true;
	return sg_load_bool(ld, v, &pred->local);
}

static int
read_outside(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	static const struct sg_choice table[] = {
		{ "workspace", 1 },
		{ NULL, 0 },
	};
	struct sg_argpred *pred = into;
	int what = 0;

	pred->has_outside = true;
	pred->outside = true;
	return sg_load_choice(ld, v, table, &what);
}

static const struct sg_field fields[] = {
	{ "string", read_string, 0 },   { "value", read_value, 0 },
	{ "name", read_name, 0 },       { "literal", read_literal, 0 },
	{ "present", read_present, 0 }, { "unknown", read_unknown, 0 },
	{ "outside", read_outside, 0 }, { "text", read_text, 0 },
	{ "local", read_local, 0 },     { NULL, NULL, 0 },
};

static const struct sg_field fields_not[] = {
	{ "not", NULL, SG_FIELD_SKIP },
	{ NULL, NULL, 0 },
};

/* "0", "mode", "0|file" or "*". */
static int
read_key(struct sg_load *ld, const struct sg_doc_node *key,
	 struct sg_argpred *pred)
{
	struct sg_str s = key->text;
	uint32_t n = 0;
	size_t i;

	pred->position = -1;
	if (sg_str_eq(s, SG_STR("*"))) {
		pred->position = -2;
		return SG_OK;
	}
	for (i = 0; i < s.n && s.p[i] >= '0' && s.p[i] <= '9'; i++)
		if (n <= ARG_POSITION_MAX)
			n = n * 10 + (uint32_t)(s.p[i] - '0');
	if (n > ARG_POSITION_MAX)
		return sg_load_fail(ld, key, "policy.range",
				    "an argument's position is at most %d",
				    ARG_POSITION_MAX);
	if (i > 0) {
		pred->position = (int32_t)n;
		if (i == s.n)
			return SG_OK;
		if (s.p[i] == '|')
			i++;
		else
			i = s.n;
	}
	pred->keyword = sg_str_slice(s, i, s.n);
	if (pred->keyword.n == 0)
		return sg_load_fail(ld, key, "policy.match",
				    "an argument is named by its position, "
				    "its keyword, 'POSITION|KEYWORD' or '*'");
	return SG_OK;
}

static int
read_pred(struct sg_load *ld, const struct sg_doc_node *v,
	  struct sg_argpred *pred)
{
	const struct sg_doc_node *inner = sg_doc_get(v, "not");
	int rc = read_key(ld, v->key, pred);

	if (rc != SG_OK)
		return rc;
	if (inner != NULL) {
		rc = sg_load_map(ld, v, fields_not,
				 "a negated argument predicate", NULL);
		if (rc != SG_OK)
			return rc;
		pred->negate = true;
		v = inner;
	}
	if (v->kind == SG_DOC_MAP && v->n == 0)
		return sg_load_fail(ld, v, "policy.match",
				    "the argument predicate is empty");
	return sg_load_map(ld, v, fields, "an argument predicate", pred);
}

int
sg_load_args(struct sg_load *ld, const struct sg_doc_node *v,
	     struct sg_pat *into)
{
	const struct sg_doc_node *m;
	struct sg_argpred *preds;
	uint32_t n = 0;
	int rc;

	if (v->kind != SG_DOC_MAP || v->n == 0)
		return sg_load_fail(ld, v, "policy.type",
				    "'arg' must map arguments to what they "
				    "are to be");
	preds = SG_NEWN(ld->arena, struct sg_argpred, v->n);
	if (preds == NULL)
		return sg_load_nomem(ld);
	for (m = v->first; m != NULL; m = m->next) {
		rc = read_pred(ld, m, &preds[n++]);
		if (rc != SG_OK)
			return rc;
	}
	into->args = preds;
	into->nargs = n;
	return SG_OK;
}
