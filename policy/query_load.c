/*
 * Loading the pattern `query`.  tree-sitter reads the query and keeps its
 * predicates as data; what they mean is checked here, so that a predicate
 * that nothing would evaluate is an error and not a silent yes.
 */

#include "policy/limits.h"
#include "policy/load.h"
#include "policy/query.h"

/* An error at byte `at` of the query's text. */
#define FAIL(ld, v, at, ...) \
	sg_load_fail_in((ld), (v), (at), "policy.query", __VA_ARGS__)

static const struct {
	const char *name;
	uint8_t op;
	bool negate, any;
} known[] = {
	{ "eq?", SG_QUERY_EQ, false, false },
	{ "not-eq?", SG_QUERY_EQ, true, false },
	{ "any-eq?", SG_QUERY_EQ, false, true },
	{ "any-not-eq?", SG_QUERY_EQ, true, true },
	{ "match?", SG_QUERY_MATCH, false, false },
	{ "not-match?", SG_QUERY_MATCH, true, false },
	{ "any-match?", SG_QUERY_MATCH, false, true },
	{ "any-not-match?", SG_QUERY_MATCH, true, true },
	{ "any-of?", SG_QUERY_ANY_OF, false, false },
	{ "not-any-of?", SG_QUERY_ANY_OF, true, false },
};

enum { KNOWN = sizeof(known) / sizeof(known[0]) };

struct reading {
	struct sg_load *ld;
	const struct sg_doc_node *v;
	const struct sg_query_predicate *pred;
	struct sg_query_test *test;
};

/* --- where an argument stands ------------------------------------------ */

static size_t
skip_word(struct sg_str s, size_t at)
{
	if (at < s.n && s.p[at] == '"') {
		for (at++; at < s.n && s.p[at] != '"'; at++)
			at += s.p[at] == '\\';
		return at + 1;
	}
	while (at < s.n && !strchr(" \t\r\n()\"", s.p[at]))
		at++;
	return at;
}

static size_t
skip_blank(struct sg_str s, size_t at)
{
	while (at < s.n && strchr(" \t\r\n;", s.p[at]))
		if (s.p[at] == ';')
			while (at < s.n && s.p[at] != '\n')
				at++;
		else
			at++;
	return at;
}

/* The offset of argument `index` of the predicate. */
static size_t
argument_at(const struct reading *r, uint32_t index)
{
	struct sg_str s = r->v->text;
	size_t at = skip_word(s, r->pred->at);

	for (at = skip_blank(s, at); index > 0; index--)
		at = skip_blank(s, skip_word(s, at));
	return at;
}

/* Where byte `offset` of an argument's value is written. */
static size_t
within_argument(const struct reading *r, uint32_t index, size_t offset)
{
	struct sg_str s = r->v->text;
	size_t at = argument_at(r, index);

	if (at >= s.n || s.p[at] != '"')
		return at + offset;
	for (at++; offset > 0 && at < s.n; offset--)
		at += s.p[at] == '\\' ? 2 : 1;
	return at;
}

/* --- predicates ------------------------------------------------------------ */

static int
unknown_predicate(const struct reading *r)
{
	const char *words[KNOWN + 1], *near;
	uint32_t i;

	for (i = 0; i < KNOWN; i++)
		words[i] = known[i].name;
	words[KNOWN] = NULL;
	near = sg_load_nearest(r->pred->name, words);
	if (near != NULL)
		return FAIL(r->ld, r->v, r->pred->at,
			    "there is no predicate '#%.*s'; did you mean "
			    "'#%s'?",
			    SG_STR_ARG(r->pred->name), near);
	return FAIL(r->ld, r->v, r->pred->at,
		    "there is no predicate '#%.*s'; there are #eq?, #match? "
		    "and #any-of?, with not- and any- before them",
		    SG_STR_ARG(r->pred->name));
}

static int
count_wrong(const struct reading *r, const char *wanted)
{
	return FAIL(r->ld, r->v, r->pred->at, "'#%.*s' takes %s",
		    SG_STR_ARG(r->pred->name), wanted);
}

/* A regex in a predicate; its errors have the place within the query. */
static int
read_regex(const struct reading *r)
{
	size_t offset = 0;
	int rc = sg_load_new_regex(r->ld, r->v, r->pred->args[1].text,
				   &r->test->regex, &offset);

	if (rc == SG_EPOLICY)
		sg_load_place(r->ld, r->v, within_argument(r, 1, offset));
	return rc;
}

static int
read_texts(const struct reading *r)
{
	uint32_t i, n = r->pred->nargs - 1;
	struct sg_str *v = SG_NEWN(r->ld->arena, struct sg_str, n);

	if (v == NULL)
		return sg_load_nomem(r->ld);
	for (i = 0; i < n; i++) {
		if (r->pred->args[i + 1].is_capture)
			return FAIL(r->ld, r->v, argument_at(r, i + 1),
				    "a text is wanted here, not a capture");
		v[i] = sg_arena_dup(r->ld->arena, r->pred->args[i + 1].text);
		if (v[i].p == NULL)
			return sg_load_nomem(r->ld);
	}
	r->test->texts = (struct sg_strs){ v, n };
	return SG_OK;
}

static int
read_arguments(const struct reading *r)
{
	const struct sg_query_predicate *p = r->pred;

	if (p->nargs == 0 || !p->args[0].is_capture)
		return count_wrong(r, "a capture first");
	r->test->capture = p->args[0].capture;
	if (r->test->op == SG_QUERY_ANY_OF)
		return p->nargs > 1 ? read_texts(r)
				    : count_wrong(r, "a capture and texts");
	if (p->nargs != 2)
		return count_wrong(r, "a capture and one more argument");
	if (r->test->op == SG_QUERY_EQ && p->args[1].is_capture) {
		r->test->to_capture = true;
		r->test->other = p->args[1].capture;
		return SG_OK;
	}
	if (r->test->op == SG_QUERY_MATCH && p->args[1].is_capture)
		return count_wrong(r, "a capture and a regex");
	return r->test->op == SG_QUERY_MATCH ? read_regex(r) : read_texts(r);
}

static int
read_predicate(const struct reading *r)
{
	uint32_t i;

	for (i = 0; i < KNOWN; i++)
		if (sg_str_eq(r->pred->name, sg_str_c(known[i].name)))
			break;
	if (i == KNOWN)
		return unknown_predicate(r);
	r->test->pattern = r->pred->pattern;
	r->test->op = known[i].op;
	r->test->negate = known[i].negate;
	r->test->any = known[i].any;
	return read_arguments(r);
}

static int
read_predicates(struct sg_load *ld, const struct sg_doc_node *v,
		struct sg_pat_query *into)
{
	const struct sg_query_predicate *preds;
	struct sg_query_test *tests;
	uint32_t i, n;
	int rc = SG_OK;

	preds = sg_query_predicates(into->q, &n);
	tests = SG_NEWN(ld->arena, struct sg_query_test, n + 1);
	if (tests == NULL)
		return sg_load_nomem(ld);
	for (i = 0; rc == SG_OK && i < n; i++) {
		struct reading r = { ld, v, &preds[i], &tests[i] };

		rc = read_predicate(&r);
	}
	into->tests = tests;
	into->ntests = n;
	return rc;
}

/* --- the query --------------------------------------------------------------- */

static int
check_captures(struct sg_load *ld, const struct sg_doc_node *v,
	       const struct sg_query *q)
{
	uint32_t i;
	size_t at;

	for (i = 0; i < sg_query_patterns(q); i++) {
		if (sg_query_pattern_captures(q, i))
			continue;
		at = sg_query_pattern_at(q, i);
		return FAIL(ld, v, at,
			    "nothing is captured here: put '@name' after "
			    "what is to be found");
	}
	return SG_OK;
}

int
sg_load_query(struct sg_load *ld, const struct sg_doc_node *v,
	      struct sg_pat *into)
{
	struct sg_pat_query *query = SG_NEW(ld->arena, struct sg_pat_query);
	struct sg_str text;
	size_t offset = 0;
	int rc = sg_load_text(ld, v, &text);

	if (rc != SG_OK)
		return rc;
	if (query == NULL || !SG_VEC_ROOM(&ld->queries, 1, UINT16_MAX))
		return sg_load_nomem(ld);
	if (ld->queries.n >= SG_POLICY_QUERIES)
		return sg_load_fail(ld, v, "policy.size",
				    "the policy has too many queries");
	rc = sg_query_new(text, &query->q, &offset, ld->err);
	if (rc != SG_OK) {
		(void)sg_err_code(ld->err, "policy.query");
		sg_load_place(ld, v, offset);
		return rc;
	}
	query->index = ld->queries.n;
	ld->queries.v[ld->queries.n++] = query->q;
	into->query = query;
	rc = check_captures(ld, v, query->q);
	return rc == SG_OK ? read_predicates(ld, v, query) : rc;
}
