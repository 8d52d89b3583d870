#ifndef SG_TESTS_POLICY_JUDGE_H
#define SG_TESTS_POLICY_JUDGE_H

/*
 * One line is one test: a policy, a script, and what must be found, as
 * "decision RULE@line ...".  Everything belongs to one static arena, which
 * each test process has for itself.
 */

#include <stdlib.h>

#include "policy/policy.h"
#include "unit/support.h"

static struct sg_arena judge_arena;

static inline struct sg_policy *
policy_of(const char *text)
{
	struct sg_policy *p = NULL;
	struct sg_err err;

	ck_good(sg_policy_read(sg_str_c(text), "p.yaml", &p, &err), &err);
	return p;
}

/* A policy of one rule: its match, as YAML. */
static inline struct sg_policy *
rule_of(const char *match)
{
	struct sg_str text;

	text = sg_arena_printf(&judge_arena,
			       "schema: 1\npolicy: p\nrules:\n"
			       "  - {id: R, match: %s, message: "
			       "'{name}|{value}|{path}|{module}'}\n",
			       match);
	return policy_of(text.p);
}

static inline struct sg_verdict
judged_at(const struct sg_policy *p, struct sg_str code, const char *path)
{
	const struct sg_analysis *an = NULL;
	struct sg_analysis quick;
	struct sg_analyzer *a = NULL;
	struct sg_judge *j = NULL;
	struct sg_verdict v;
	struct sg_limits limits = sg_policy_limits(p);
	struct sg_err err;

	if (judge_arena.cap == 0)
		sg_arena_init(&judge_arena, 256u << 20);
	limits.time_ms = 60000; /* the host may be busy */
	ck_good(sg_analyzer_new(NULL, &a, &err), &err);
	ck_good(sg_judge_new(p, &j, &err), &err);
	ck_good(sg_analyze(a, code, &limits, &an, &err), &err);
	quick = *an;
	quick.took = 0;
	ck_good(sg_judge_run(j, &quick, path, &judge_arena, &v, &err), &err);
	sg_judge_free(j);
	/* chains and snippets were copied; names of rules belong to p */
	sg_analyzer_free(a);
	return v;
}

static inline struct sg_verdict
judged(const struct sg_policy *p, const char *code)
{
	return judged_at(p, sg_str_c(code), NULL);
}

/* "reject R@1 R@3" */
static inline const char *
summary(const struct sg_verdict *v)
{
	struct sg_buf b;
	struct sg_str text;
	uint32_t i;

	sg_buf_init(&b, 1 << 20);
	sg_buf_c(&b, sg_decision_name(v->decision));
	for (i = 0; i < v->nfindings; i++)
		sg_buf_printf(&b, " %.*s@%u", SG_STR_ARG(v->findings[i].rule),
			      v->findings[i].begin.line);
	text = sg_arena_dup(&judge_arena, sg_buf_view(&b));
	sg_buf_release(&b);
	return text.p;
}

#define JUDGE(match, code, want)                                 \
	do {                                                     \
		struct sg_policy *p_;                            \
		struct sg_verdict v_;                            \
                                                                 \
		if (judge_arena.cap == 0)                        \
			sg_arena_init(&judge_arena, 256u << 20); \
		p_ = rule_of(match);                             \
		v_ = judged(p_, (code));                         \
		ck_assert_str_eq(summary(&v_), (want));          \
		sg_policy_free(p_);                              \
	} while (0)

#endif
