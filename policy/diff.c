#include "policy/diff.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "policy/limits.h"

enum { DIFF_ARENA = 256 << 20 };

struct sg_diff_work {
	struct sg_analyzer *analyzer;
	struct sg_judge *judge[2];
	const struct sg_policy *policy[2];
	struct sg_arena arena;
	uint32_t room; /* of rules */
};

int
sg_diff_new(const struct sg_policy *before, const struct sg_policy *after,
	    struct sg_diff **ret, struct sg_err *err)
{
	struct sg_diff *d = calloc(1, sizeof(*d));
	struct sg_diff_work *w = calloc(1, sizeof(*w));
	int rc;

	if (d == NULL || w == NULL) {
		free(d);
		free(w);
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	}
	d->work = w;
	w->policy[0] = before;
	w->policy[1] = after;
	sg_arena_init(&w->arena, DIFF_ARENA);
	rc = sg_analyzer_new(NULL, &w->analyzer, err);
	if (rc == SG_OK)
		rc = sg_judge_new(before, &w->judge[0], err);
	if (rc == SG_OK)
		rc = sg_judge_new(after, &w->judge[1], err);
	if (rc != SG_OK) {
		sg_diff_free(d);
		return rc;
	}
	*ret = d;
	return SG_OK;
}

void
sg_diff_free(struct sg_diff *d)
{
	if (d == NULL)
		return;
	sg_judge_free(d->work->judge[0]);
	sg_judge_free(d->work->judge[1]);
	sg_analyzer_free(d->work->analyzer);
	sg_arena_release(&d->work->arena);
	free(d->work);
	free(d->rules);
	free(d);
}

static struct sg_diff_rule *
rule_of(struct sg_diff *d, struct sg_str rule)
{
	struct {
		struct sg_diff_rule *v;
		uint32_t n, room;
	} rules = { d->rules, d->nrules, d->work->room };
	uint32_t i;

	for (i = 0; i < rules.n; i++)
		if (sg_str_eq(rules.v[i].rule, rule))
			return &rules.v[i];
	if (!SG_VEC_ROOM(&rules, 1, 2 * SG_POLICY_RULES))
		return NULL;
	d->rules = rules.v;
	d->work->room = rules.room;
	d->rules[d->nrules] = (struct sg_diff_rule){ .rule = rule };
	return &d->rules[d->nrules++];
}

static bool
rejects_before(const struct sg_verdict *v, uint32_t n, struct sg_str rule)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (v->findings[i].action == SG_REJECT &&
		    sg_str_eq(v->findings[i].rule, rule))
			return true;
	return false;
}

/* Each rule that rejects in `v` gets one script, and maybe an example. */
static int
count_rules(struct sg_diff *d, const struct sg_verdict *v, bool newly,
	    const char *label, struct sg_err *err)
{
	struct sg_diff_rule *r;
	uint32_t i;

	for (i = 0; i < v->nfindings; i++) {
		const struct sg_finding *f = &v->findings[i];

		if (f->action != SG_REJECT || rejects_before(v, i, f->rule))
			continue;
		r = rule_of(d, f->rule);
		if (r == NULL)
			return sg_err_set(err, SG_ENOMEM, "out of memory");
		if (newly)
			r->rejects++;
		else
			r->no_more++;
		if (r->nexamples < SG_DIFF_EXAMPLES)
			(void)snprintf(r->examples[r->nexamples++],
				       SG_DIFF_LABEL, "%s:%u", label,
				       f->begin.line);
	}
	return SG_OK;
}

int
sg_diff_add(struct sg_diff *d, struct sg_str code, const char *label,
	    struct sg_err *err)
{
	struct sg_diff_work *w = d->work;
	const struct sg_analysis *an = NULL;
	struct sg_verdict v[2];
	struct sg_limits limits;
	int i, rc = SG_OK;

	sg_arena_reset(&w->arena);
	for (i = 0; rc == SG_OK && i < 2; i++) {
		limits = sg_policy_limits(w->policy[i]);
		rc = sg_analyze(w->analyzer, code, &limits, &an, err);
		if (rc == SG_OK)
			rc = sg_judge_run(w->judge[i], an, label, &w->arena,
					  &v[i], err);
	}
	if (rc != SG_OK)
		return rc;
	d->scripts++;
	d->changed[v[0].decision][v[1].decision]++;
	if (v[0].decision != SG_REJECT && v[1].decision == SG_REJECT)
		rc = count_rules(d, &v[1], true, label, err);
	if (v[0].decision == SG_REJECT && v[1].decision != SG_REJECT)
		rc = count_rules(d, &v[0], false, label, err);
	return rc;
}

static int
most_first(const void *a, const void *b)
{
	const struct sg_diff_rule *x = a, *y = b;
	uint32_t n = x->rejects + x->no_more, m = y->rejects + y->no_more;

	if (n != m)
		return n > m ? -1 : 1;
	return sg_str_cmp(x->rule, y->rule);
}

void
sg_diff_finish(struct sg_diff *d)
{
	if (d->nrules > 1)
		qsort(d->rules, d->nrules, sizeof(*d->rules), most_first);
}
