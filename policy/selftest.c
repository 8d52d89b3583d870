/* The inline tests of a policy, run by a real analyzer. */

#include "policy/compiled.h"

enum { TEST_ARENA = 64 << 20 };

struct runner {
	const struct sg_policy *p;
	struct sg_analyzer *analyzer;
	struct sg_judge *judge;
	struct sg_arena arena;
	struct sg_limits limits;
	sg_policy_test_fn *each;
	void *ctx;
	uint32_t run, failed;
};

static bool
has_rule(const struct sg_verdict *v, struct sg_str id)
{
	uint32_t i;

	for (i = 0; i < v->nfindings; i++)
		if (sg_str_eq(v->findings[i].rule, id))
			return true;
	return false;
}

static struct sg_str
problem_text(struct runner *r, const struct sg_analysis *an)
{
	struct sg_place at = sg_source_place(&an->source,
					     an->problems[0].range.start);

	return sg_arena_printf(&r->arena,
			       "the code is not accepted: %s, line %u: %.*s",
			       an->problems[0].code, at.line,
			       SG_STR_ARG(an->problems[0].message));
}

static void
report(struct runner *r, struct sg_policy_test *t)
{
	r->run++;
	r->failed += !t->good;
	if (r->each != NULL)
		r->each(r->ctx, t);
}

static int
run_one(struct runner *r, const struct sg_rule *rule,
	const struct sg_rule_test *test, struct sg_err *err)
{
	struct sg_policy_test t = {
		.rule = rule->id,
		.hit = test->hit,
		.index = test->index,
		.line = test->mark.line,
		.column = test->mark.column,
		.code = test->code,
		.good = true,
	};
	const struct sg_analysis *an = NULL;
	struct sg_verdict v;
	bool hit;
	int rc;

	sg_arena_reset(&r->arena);
	rc = sg_analyze(r->analyzer, test->code, &r->limits, &an, err);
	if (rc == SG_OK)
		rc = sg_judge_run(r->judge, an, NULL, &r->arena, &v, err);
	if (rc != SG_OK)
		return rc;
	hit = has_rule(&v, rule->id);
	if (an->nproblems > 0) {
		t.good = false;
		t.reason = problem_text(r, an);
	} else if (hit != test->hit) {
		t.good = false;
		t.reason = test->hit ? SG_STR("the rule does not hit")
				     : SG_STR("the rule hits");
	}
	report(r, &t);
	return SG_OK;
}

/* A rule without a test on either side is a test that fails. */
static void
report_missing(struct runner *r, const struct sg_rule *rule, bool hit)
{
	struct sg_policy_test t = {
		.rule = rule->id,
		.hit = hit,
		.line = rule->mark.line,
		.column = rule->mark.column,
		.reason = hit ? SG_STR("the rule has no test that must hit")
			      : SG_STR("the rule has no test that must pass"),
	};
	uint32_t i;

	for (i = 0; i < rule->ntests; i++)
		if (rule->tests[i].hit == hit)
			return;
	report(r, &t);
}

static int
run_rule(struct runner *r, const struct sg_rule *rule, struct sg_err *err)
{
	uint32_t i;
	int rc = SG_OK;

	if (rule->match == NULL || rule->action == SG_ACTION_OFF)
		return SG_OK;
	report_missing(r, rule, true);
	report_missing(r, rule, false);
	for (i = 0; rc == SG_OK && i < rule->ntests; i++)
		rc = run_one(r, rule, &rule->tests[i], err);
	return rc;
}

int
sg_policy_test_run(const struct sg_policy *p, sg_policy_test_fn *each,
		   void *ctx, uint32_t *ret_run, uint32_t *ret_failed,
		   struct sg_err *err)
{
	struct runner r = { .p = p, .each = each, .ctx = ctx };
	uint32_t i;
	int rc;

	sg_arena_init(&r.arena, TEST_ARENA);
	r.limits = p->limits;
	/* a busy host must not make a test of a rule fail */
	r.limits.time_ms *= 20;
	rc = sg_analyzer_new(NULL, &r.analyzer, err);
	if (rc == SG_OK)
		rc = sg_judge_new(p, &r.judge, err);
	for (i = 0; rc == SG_OK && i < p->nrules; i++)
		rc = run_rule(&r, &p->rules[i], err);
	sg_judge_free(r.judge);
	sg_analyzer_free(r.analyzer);
	sg_arena_release(&r.arena);
	if (rc != SG_OK)
		return rc;
	*ret_run = r.run;
	*ret_failed = r.failed;
	return SG_OK;
}
