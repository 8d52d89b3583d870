#include "pipeline/gate.h"

#include "base/clock.h"
#include "pipeline/limits.h"

#include <stdio.h>
#include <stdlib.h>

struct sg_gate {
	const struct sg_policy *policy;
	struct sg_analyzer *analyzer;
	struct sg_judge *judge;
	struct sg_policy_guard *guard; /* NULL until it is asked for */
	struct sg_limits limits;
	struct sg_arena arena;
	struct sg_finding failed; /* the finding of a failure of ours */
	char message[SG_ERR_MSG + 64];
};

int
sg_gate_new(const struct sg_policy *policy, uint32_t minor,
	    struct sg_gate **ret, struct sg_err *err)
{
	const struct sg_analyzer_opts opts = { .minor = minor };
	struct sg_gate *g = calloc(1, sizeof(*g));
	int status;

	if (!g)
		return sg_err_set(err, SG_ENOMEM, "no memory");
	g->policy = policy;
	g->limits = sg_policy_limits(policy);
	sg_arena_init(&g->arena, SG_GATE_ARENA);
	status = sg_analyzer_new(&opts, &g->analyzer, err);
	if (status == SG_OK)
		status = sg_judge_new(policy, &g->judge, err);
	if (status < 0) {
		sg_gate_free(g);
		return status;
	}
	*ret = g;
	return SG_OK;
}

void
sg_gate_free(struct sg_gate *g)
{
	if (!g)
		return;
	sg_policy_guard_free(g->guard);
	sg_judge_free(g->judge);
	sg_analyzer_free(g->analyzer);
	sg_arena_release(&g->arena);
	free(g);
}

/* Which rule stands for a failure of ours. */
static struct sg_str
failure_rule(enum sg_status status)
{
	if (status == SG_ENOMEM || status == SG_ELIMIT)
		return SG_STR("internal.memory");
	return SG_STR("internal.failure");
}

/* Turns a failure into a verdict that rejects. */
static void
reject_unjudged(struct sg_gate *g, struct sg_check *c)
{
	struct sg_verdict *v = &c->verdict;

	(void)snprintf(g->message, sizeof(g->message),
		       "the script could not be judged: %s",
		       c->failure.msg[0] ? c->failure.msg
					 : sg_status_text(c->failure.status));
	g->failed = (struct sg_finding){
		.rule = failure_rule(c->failure.status),
		.title = SG_STR("not judged"),
		.severity = SG_SEVERITY_HIGH,
		.action = SG_REJECT,
		.message = sg_str_c(g->message),
		.begin = { 1, 1 },
		.end = { 1, 1 },
	};
	*v = (struct sg_verdict){
		.decision = SG_REJECT,
		.findings = &g->failed,
		.nfindings = 1,
		.policy = sg_policy_name(g->policy),
		.policy_digest = sg_policy_digest(g->policy),
	};
	c->judged = false;
}

static int
judge(struct sg_gate *g, struct sg_str code, const char *path,
      struct sg_check *c)
{
	const struct sg_analysis *an;
	int status;

	status = sg_analyze(g->analyzer, code, &g->limits, &an, &c->failure);
	if (status < 0)
		return status;
	c->source = &an->source;
	c->analysis = an;
	c->canonical = an->source.text;
	status = sg_judge_run(g->judge, an, path, &g->arena, &c->verdict,
			      &c->failure);
	if (status == SG_OK && sg_arena_failed(&g->arena))
		status = sg_err_set(&c->failure, SG_ENOMEM,
				    "the verdict is too large");
	/* Whatever a policy says: a script that was not read to its end has
	 * no verdict to pass on. */
	if (status == SG_OK && an->nproblems > 0)
		c->verdict.decision = SG_REJECT;
	return status;
}

void
sg_gate_check(struct sg_gate *g, struct sg_str code, const char *path,
	      struct sg_check *ret)
{
	uint64_t start = sg_clock_mono();
	int status;

	*ret = (struct sg_check){ .judged = true, .bytes = code.n };
	sg_err_clear(&ret->failure);
	sg_arena_reset(&g->arena);
	status = judge(g, code, path, ret);
	if (status < 0) {
		ret->failure.status = (enum sg_status)status;
		reject_unjudged(g, ret);
	}
	if (!ret->source || !ret->judged) {
		ret->verdict.submitted = sg_digest_of(code);
		if (ret->source)
			ret->verdict.canonical = ret->source->canonical;
	}
	ret->took_us = (sg_clock_mono() - start) / 1000;
}

int
sg_gate_guard(struct sg_gate *g, struct sg_policy_guard **ret,
	      struct sg_err *err)
{
	int status = SG_OK;

	if (!g->guard)
		status = sg_policy_guard_new(g->policy, &g->guard, err);
	*ret = g->guard;
	return status;
}
