/*
 * The gate from bytes to verdict, with the default policy.  Beyond not
 * falling over, for every input: places lie in the text, the tree is in
 * post-order, a problem rejects, and a second look sees the same.
 */

#include "analyzer/analysis.h"
#include "fuzz/mutate.h"
#include "fuzz/target.h"
#include "policy/policy.h"

enum { ARENA_CAP = 64 << 20 };

static struct sg_policy *policy;
static struct sg_judge *judge;
static struct sg_analyzer *analyzer;

static void
open_once(struct sg_err *err)
{
	if (judge)
		return;
	must(sg_policy_open("default", &policy, err) == SG_OK);
	must(sg_judge_new(policy, &judge, err) == SG_OK);
	must(sg_analyzer_new(NULL, &analyzer, err) == SG_OK);
}

static void
check_range(const struct sg_analysis *an, struct sg_range r)
{
	must(r.start <= r.end);
	must(r.end <= an->source.text.n);
}

static void
check_tree(const struct sg_analysis *an)
{
	const struct sg_ast *ast = &an->ast;

	for (uint32_t i = 1; i <= ast->n; i++) {
		const struct sg_node *node = &ast->nodes[i];

		check_range(an, node->range);
		must(node->first_in_subtree >= 1);
		must(node->first_in_subtree <= i);
		must(i == ast->n ? node->parent == 0 : node->parent > i);
		for (uint32_t c = node->first; c; c = ast->nodes[c].next) {
			must(c < i && c >= node->first_in_subtree);
			must(ast->nodes[c].parent == i);
		}
	}
}

static void
check_facts(const struct sg_analysis *an, struct sg_arena *arena)
{
	for (uint32_t i = 0; i < an->nfacts; i++) {
		const struct sg_fact *fact = &an->facts[i];

		must(fact->kind > SG_FACT_NONE && fact->kind < SG_FACT_COUNT);
		check_range(an, fact->range);
		must(fact->node <= an->ast.n);
		must(i == 0 ||
		     an->facts[i - 1].range.start <= fact->range.start);
		if (i < 64)
			(void)sg_analysis_chain(an, fact, arena);
	}
}

static void
check_verdict(const struct sg_analysis *an, const struct sg_verdict *v)
{
	bool rejects = false;

	for (uint32_t i = 0; i < v->nfindings; i++) {
		const struct sg_finding *f = &v->findings[i];

		check_range(an, f->range);
		must(f->rule.n > 0 && f->message.n > 0);
		must(f->begin.line >= 1 && f->begin.column >= 1);
		must(f->end.line >= f->begin.line);
		rejects = rejects || f->action == SG_REJECT;
	}
	must(!rejects || v->decision == SG_REJECT);
	must(an->nproblems == 0 || v->decision == SG_REJECT);
}

/* What must be the same the second time. */
struct outcome {
	uint32_t facts, problems, findings;
	enum sg_decision decision;
};

static struct outcome
look(struct sg_str text, struct sg_err *err)
{
	/* No deadline of the gate's own: the fuzzer has one. */
	struct sg_limits limits = sg_limits_default();
	const struct sg_analysis *an;
	struct sg_verdict verdict;
	struct sg_arena arena;
	struct outcome o;

	limits.time_ms = 600000;
	sg_arena_init(&arena, ARENA_CAP);
	must(sg_analyze(analyzer, text, &limits, &an, err) == SG_OK);
	check_tree(an);
	check_facts(an, &arena);
	must(sg_judge_run(judge, an, NULL, &arena, &verdict, err) == SG_OK);
	check_verdict(an, &verdict);
	o = (struct outcome){ an->nfacts, an->nproblems, verdict.nfindings,
			      verdict.decision };
	sg_arena_release(&arena);
	return o;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sg_str text = { (const char *)data, size };
	struct sg_err err;
	struct outcome first, second;

	sg_err_clear(&err);
	open_once(&err);
	first = look(text, &err);
	second = look(text, &err);
	must(first.facts == second.facts);
	must(first.problems == second.problems);
	must(first.findings == second.findings);
	must(first.decision == second.decision);
	return 0;
}
