/*
 * Theory of operation
 *
 * A query that a rule asks about is run once over the script, whole, and
 * each match is told by one place: that of the capture `@match`, or of the
 * first one whose name does not begin with an underscore.  Places are kept
 * in order, together with the smallest node that holds each, so that `query`
 * can be asked of any candidate by looking for its place or node, and stands
 * in combinations like any other pattern.
 *
 * A query that could not be run to its end is not decided: the rule then
 * rejects as a regex at its limits does.
 */

#include "policy/query.h"

#include <stdlib.h>

#include "policy/limits.h"
#include "policy/match.h"

struct search {
	struct sg_judge *j;
	const struct sg_pat_query *query;
	struct sg_query_result *r;
	bool over; /* a limit of ours */
};

/* --- predicates ----------------------------------------------------------- */

struct hits {
	const struct sg_query_hit *v;
	uint32_t n;
};

static struct sg_str
text_of(const struct sg_judge *j, const struct sg_query_hit *h)
{
	return sg_str_slice(j->an->source.text, h->range.start, h->range.end);
}

static bool
text_fits(struct search *s, const struct sg_query_test *t, struct sg_str text)
{
	size_t start, end;
	uint32_t i;

	if (t->op != SG_QUERY_MATCH) {
		for (i = 0; i < t->texts.n; i++)
			if (sg_str_eq(t->texts.v[i], text))
				return true;
		return false;
	}
	switch (sg_regex_find(t->regex, s->j->run, text, 0, &start, &end)) {
	case SG_REGEX_YES:
		return true;
	case SG_REGEX_LIMIT:
		s->over = true;
		return false;
	case SG_REGEX_NO:
	default:
		return false;
	}
}

/* The node of `capture` after the one at *at, or NULL. */
static const struct sg_query_hit *
next_hit(struct hits h, uint32_t capture, uint32_t *at)
{
	for (; *at < h.n; (*at)++)
		if (h.v[*at].capture == capture)
			return &h.v[(*at)++];
	return NULL;
}

/* Nodes of two captures, one by one; more on one side are no match. */
static bool
captures_fit(const struct search *s, const struct sg_query_test *t,
	     struct hits h)
{
	const struct sg_query_hit *a, *b;
	uint32_t i = 0, k = 0, n = 0;

	for (;; n++) {
		a = next_hit(h, t->capture, &i);
		b = next_hit(h, t->other, &k);
		if (a == NULL || b == NULL)
			return a == b && (!t->any || n == 0);
		if (sg_str_eq(text_of(s->j, a), text_of(s->j, b)) !=
		    !t->negate) {
			if (!t->any)
				return false;
		} else if (t->any) {
			return true;
		}
	}
}

/* As the bindings of tree-sitter have it: a capture without a node says
 * nothing against a match. */
static bool
test_holds(struct search *s, const struct sg_query_test *t, struct hits h)
{
	const struct sg_query_hit *hit;
	uint32_t at = 0, n = 0;

	if (t->to_capture)
		return captures_fit(s, t, h);
	while ((hit = next_hit(h, t->capture, &at)) != NULL) {
		bool good = text_fits(s, t, text_of(s->j, hit)) != t->negate;

		if (good && t->any)
			return true;
		if (!good && !t->any)
			return false;
		n++;
	}
	return !t->any || n == 0;
}

/* --- places ------------------------------------------------------------------ */

/* Smaller is told rather: @match, then names without an underscore. */
static uint32_t
rank_of(const struct sg_query *q, uint32_t capture)
{
	struct sg_str name = sg_query_capture(q, capture);

	if (sg_str_eq(name, SG_STR("match")))
		return 0;
	return capture + 1 + (name.n > 0 && name.p[0] == '_' ? UINT16_MAX : 0);
}

static struct sg_range
place_of(const struct search *s, struct hits h)
{
	struct sg_range place = { 0, 0 };
	uint32_t best = UINT32_MAX, i, rank;

	for (i = 0; i < h.n; i++) {
		rank = rank_of(s->query->q, h.v[i].capture);
		if (rank >= best)
			continue;
		best = rank;
		place = h.v[i].range;
	}
	return place;
}

static uint32_t
node_around(struct sg_judge *j, struct sg_range r)
{
	const struct sg_ast *ast = &j->an->ast;
	uint32_t node = ast->n, child = ast->nodes[node].first;

	while (child != 0) {
		const struct sg_node *n = &ast->nodes[child];

		if (n->range.start <= r.start && n->range.end >= r.end) {
			node = child;
			child = n->first;
		} else {
			child = n->next;
		}
		if (j->steps++ >= SG_MATCH_STEPS)
			break;
	}
	return node;
}

static bool
on_match(void *ctx, uint32_t pattern, const struct sg_query_hit *v, uint32_t n)
{
	struct search *s = ctx;
	struct hits h = { v, n };
	struct sg_query_found f;
	uint32_t i;

	for (i = 0; i < s->query->ntests; i++)
		if (s->query->tests[i].pattern == pattern &&
		    !test_holds(s, &s->query->tests[i], h))
			return !s->over;
	if (s->r->found.n == SG_QUERY_FOUND) {
		s->over = true;
		return false;
	}
	f.range = place_of(s, h);
	f.node = node_around(s->j, f.range);
	if (!SG_VEC_ROOM(&s->r->found, 1, SG_QUERY_FOUND) ||
	    !SG_VEC_ROOM(&s->r->nodes, 1, SG_QUERY_FOUND)) {
		s->j->failed = true;
		return false;
	}
	s->r->found.v[s->r->found.n++] = f;
	s->r->nodes.v[s->r->nodes.n++] = f.node;
	return true;
}

static int
by_place(const void *a, const void *b)
{
	const struct sg_query_found *x = a, *y = b;

	if (x->range.start != y->range.start)
		return x->range.start < y->range.start ? -1 : 1;
	if (x->range.end != y->range.end)
		return x->range.end < y->range.end ? -1 : 1;
	return 0;
}

static int
by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

const struct sg_query_result *
sg_query_result(struct sg_judge *j, const struct sg_pat *pat)
{
	struct sg_query_result *r = &j->queries[pat->query->index];
	struct search s = { j, pat->query, r, false };

	if (r->run)
		return r;
	r->run = true;
	r->found.n = r->nodes.n = 0;
	r->answer = sg_query_each(j->query_run, j->an, pat->query->q, on_match,
				  &s);
	if (s.over || r->answer == SG_QUERY_STOPPED)
		r->answer = SG_QUERY_LIMIT;
	if (r->found.n > 1) {
		qsort(r->found.v, r->found.n, sizeof(*r->found.v), by_place);
		qsort(r->nodes.v, r->nodes.n, sizeof(*r->nodes.v), by_number);
	}
	return r;
}

/* --- asking --------------------------------------------------------------------- */

bool
sg_query_holds(struct sg_judge *j, const struct sg_pat *pat,
	       const struct sg_candidate *c)
{
	const struct sg_query_result *r;
	struct sg_query_found key = { c->range, 0 };

	if (c->leaf == pat)
		return true;
	r = sg_query_result(j, pat);
	if (r->answer != SG_QUERY_DONE) {
		j->query_over = r->answer;
		return false;
	}
	if (r->found.n == 0)
		return false;
	if (c->node != 0 && bsearch(&c->node, r->nodes.v, r->nodes.n,
				    sizeof(*r->nodes.v), by_number) != NULL)
		return true;
	return bsearch(&key, r->found.v, r->found.n, sizeof(*r->found.v),
		       by_place) != NULL;
}

static void
look_at(struct sg_judge *j, uint32_t rule, const struct sg_pat *pat)
{
	const struct sg_query_result *r = sg_query_result(j, pat);
	uint32_t i;

	if (r->answer != SG_QUERY_DONE) {
		sg_judge_limit(j,
			       r->answer == SG_QUERY_UNREAD
				       ? SG_BUILTIN_QUERY_UNREAD
				       : SG_BUILTIN_LIMIT_QUERY,
			       rule, (struct sg_range){ 0, 0 });
		return;
	}
	for (i = 0; i < r->found.n; i++) {
		const struct sg_query_found *f = &r->found.v[i];
		struct sg_candidate c = { .node = f->node,
					  .range = f->range,
					  .leaf = pat };

		if (i > 0 && by_place(f, f - 1) == 0)
			continue;
		c.value = sg_str_slice(j->an->source.text, f->range.start,
				       f->range.end);
		sg_judge_try(j, rule, &c, false);
	}
}

/* Recursion is bounded by the depth of the document. */
static void
look_for(struct sg_judge *j, uint32_t rule, const struct sg_pat *pat)
{
	uint32_t i;

	if (pat->kind == SG_PAT_QUERY)
		look_at(j, rule, pat);
	if (pat->kind == SG_PAT_ALL || pat->kind == SG_PAT_ANY)
		for (i = 0; i < pat->nsub; i++)
			look_for(j, rule, pat->sub[i]);
}

void
sg_judge_queries(struct sg_judge *j)
{
	uint32_t i;

	for (i = 0; i < j->p->nquery_rules && !j->failed; i++)
		look_for(j, j->p->query_rules[i],
			 j->p->rules[j->p->query_rules[i]].match);
}

void
sg_query_forget(struct sg_judge *j)
{
	uint32_t i;

	for (i = 0; i < j->p->nqueries; i++)
		j->queries[i].run = false;
	if (j->query_run != NULL)
		sg_query_run_reset(j->query_run,
				   SG_QUERY_TIME_MS(j->p->limits.time_ms));
}
