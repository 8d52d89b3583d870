/*
 * Theory of operation
 *
 * A judge that is given an array `seen` notes in it, by the number of each
 * pattern, that the pattern held or did not; one that is given `times`
 * measures each rule.  Both are for the tools here and cost judging one
 * comparison otherwise.
 */

#include "policy/coverage.h"

#include <stdlib.h>

#include "base/clock.h"
#include "policy/match.h"

enum { COVERAGE_ARENA = 64 << 20, TIME_ROUNDS = 5 };

static const char *const kinds[] = {
	[SG_PAT_ALL] = "all",       [SG_PAT_ANY] = "any",
	[SG_PAT_NOT] = "not",       [SG_PAT_INSIDE] = "inside",
	[SG_PAT_HAS] = "has",       [SG_PAT_PARENT] = "parent",
	[SG_PAT_FACT] = "fact",     [SG_PAT_CAPABILITY] = "capability",
	[SG_PAT_NODE] = "node",     [SG_PAT_REGEX] = "regex",
	[SG_PAT_ARG] = "arg",       [SG_PAT_UNREACHED] = "unreached",
	[SG_PAT_CALLEE] = "callee", [SG_PAT_CONTAINED] = "contained",
	[SG_PAT_QUERY] = "query",
};

struct telling {
	const struct sg_rule *rule;
	const uint8_t *seen;
	sg_coverage_fn *each;
	void *ctx;
	uint32_t n, missed;
};

static const char *
kind_of(const struct sg_pat *pat)
{
	uint32_t i;

	for (i = 1; pat->kind == SG_PAT_FACT && i < SG_FACT_COUNT; i++)
		if (pat->facts == 1u << i)
			return sg_fact_kind_name((enum sg_fact_kind)i);
	return kinds[pat->kind];
}

/* Recursion is bounded by the depth of documents. */
static void
tell(struct telling *t, const struct sg_pat *pat, uint32_t depth)
{
	struct sg_coverage c = { .rule = t->rule->id,
				 .file = pat->mark.file,
				 .line = pat->mark.line,
				 .column = pat->mark.column,
				 .what = kind_of(pat),
				 .depth = depth };
	uint32_t i;

	c.held = (t->seen[pat->id] & 1) != 0;
	c.failed = (t->seen[pat->id] & 2) != 0;
	t->n++;
	/* that the pattern as a whole fails is what `pass` tests show */
	c.missed = !c.held || (depth > 0 && !c.failed && pat->nsub == 0 &&
			       pat->kind != SG_PAT_FACT &&
			       pat->kind != SG_PAT_CAPABILITY &&
			       (pat->kind != SG_PAT_NODE || pat->below));
	t->missed += c.missed;
	if (t->each != NULL)
		t->each(t->ctx, &c);
	for (i = 0; i < pat->nsub; i++)
		tell(t, pat->sub[i], depth + 1);
}

struct bench {
	struct sg_analyzer *analyzer;
	struct sg_judge *judge;
	struct sg_arena arena;
	struct sg_limits limits;
};

static int
open_bench(const struct sg_policy *p, struct bench *b, struct sg_err *err)
{
	int rc;

	sg_arena_init(&b->arena, COVERAGE_ARENA);
	b->limits = p->limits;
	b->limits.time_ms *= 20;
	rc = sg_analyzer_new(NULL, &b->analyzer, err);
	return rc == SG_OK ? sg_judge_new(p, &b->judge, err) : rc;
}

static void
close_bench(struct bench *b)
{
	sg_judge_free(b->judge);
	sg_analyzer_free(b->analyzer);
	sg_arena_release(&b->arena);
}

static int
judge_one(struct bench *b, struct sg_str code, struct sg_err *err)
{
	const struct sg_analysis *an = NULL;
	struct sg_verdict v;
	int rc;

	sg_arena_reset(&b->arena);
	rc = sg_analyze(b->analyzer, code, &b->limits, &an, err);
	if (rc == SG_OK)
		rc = sg_judge_run(b->judge, an, NULL, &b->arena, &v, err);
	return rc;
}

int
sg_policy_coverage(const struct sg_policy *p, sg_coverage_fn *each, void *ctx,
		   uint32_t *ret_n, uint32_t *ret_missed, struct sg_err *err)
{
	struct bench b = { .analyzer = NULL };
	struct telling t = { .each = each, .ctx = ctx };
	uint8_t *seen = calloc(p->npatterns + 1u, 1);
	uint32_t i, k;
	int rc;

	if (seen == NULL)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	rc = open_bench(p, &b, err);
	if (rc == SG_OK)
		b.judge->seen = seen;
	for (i = 0; rc == SG_OK && i < p->nrules; i++)
		for (k = 0; rc == SG_OK && k < p->rules[i].ntests; k++)
			rc = judge_one(&b, p->rules[i].tests[k].code, err);
	t.seen = seen;
	for (i = 0; rc == SG_OK && i < p->nrules; i++) {
		t.rule = &p->rules[i];
		if (t.rule->match != NULL && t.rule->action != SG_ACTION_OFF)
			tell(&t, t.rule->match, 0);
	}
	close_bench(&b);
	free(seen);
	if (rc != SG_OK)
		return rc;
	*ret_n = t.n;
	*ret_missed = t.missed;
	return SG_OK;
}

static const struct sg_rule *
find_rule(const struct sg_policy *p, struct sg_str id)
{
	uint32_t i;

	for (i = 0; i < p->nrules; i++)
		if (p->rules[i].match != NULL && sg_str_eq(p->rules[i].id, id))
			return &p->rules[i];
	return NULL;
}

int
sg_policy_why(const struct sg_policy *p, struct sg_str rule,
	      const struct sg_analysis *an, sg_coverage_fn *each, void *ctx,
	      bool *ret_found, struct sg_err *err)
{
	struct telling t = { .rule = find_rule(p, rule),
			     .each = each,
			     .ctx = ctx };
	struct sg_judge *judge = NULL;
	struct sg_verdict v;
	struct sg_arena arena;
	uint8_t *seen;
	int rc;

	*ret_found = t.rule != NULL;
	if (t.rule == NULL)
		return SG_OK;
	seen = calloc(p->npatterns + 1u, 1);
	if (seen == NULL)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	sg_arena_init(&arena, COVERAGE_ARENA);
	rc = sg_judge_new(p, &judge, err);
	if (rc == SG_OK) {
		judge->seen = seen;
		rc = sg_judge_run(judge, an, NULL, &arena, &v, err);
	}
	t.seen = seen;
	if (rc == SG_OK)
		tell(&t, t.rule->match, 0);
	sg_judge_free(judge);
	sg_arena_release(&arena);
	free(seen);
	return rc;
}

static int
time_round(struct bench *b, const struct sg_str *scripts, uint32_t n,
	   uint64_t *ret_ns, struct sg_err *err)
{
	uint64_t began = sg_clock_mono();
	uint32_t i;
	int rc = SG_OK;

	for (i = 0; rc == SG_OK && i < n; i++)
		rc = judge_one(b, scripts[i], err);
	*ret_ns = sg_clock_mono() - began;
	return rc;
}

static void
keep_least(struct sg_rule_time *least, const struct sg_rule_time *round,
	   uint32_t n, bool first)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		if (first || round[i].ns < least[i].ns)
			least[i].ns = round[i].ns;
		least[i].tried = round[i].tried;
	}
}

int
sg_policy_time(const struct sg_policy *p, const struct sg_str *scripts,
	       uint32_t n, struct sg_rule_time *ret, uint64_t *ret_ns,
	       struct sg_err *err)
{
	struct sg_rule_time *round = calloc(p->nrules + 1u, sizeof(*round));
	struct bench b = { .analyzer = NULL };
	uint64_t ns = 0, least = UINT64_MAX;
	uint32_t i;
	int rc;

	if (round == NULL)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	rc = open_bench(p, &b, err);
	for (i = 0; i < p->nrules; i++)
		ret[i] = (struct sg_rule_time){ .rule = p->rules[i].id };
	if (rc == SG_OK)
		b.judge->times = round;
	for (i = 0; rc == SG_OK && i < TIME_ROUNDS; i++) {
		memset(round, 0, p->nrules * sizeof(*round));
		rc = time_round(&b, scripts, n, &ns, err);
		keep_least(ret, round, p->nrules, i == 0);
		least = ns < least ? ns : least;
	}
	close_bench(&b);
	free(round);
	if (rc == SG_OK)
		*ret_ns = least;
	return rc;
}
