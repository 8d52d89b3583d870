/*
 * Theory of operation
 *
 * One pass over the facts: each is looked up in the tables of capabilities
 * and in the index of the policy, and the rules found there are evaluated
 * at it.  Then the nodes, where some rule looks at nodes, and the zones of
 * text, where some rule has a regex.  What is found is kept raw;
 * policy/finding.c makes the verdict of it.
 */

#include <stdlib.h>

#include "base/clock.h"
#include "policy/capability.h"
#include "policy/limits.h"
#include "policy/match.h"

int
sg_judge_new(const struct sg_policy *p, struct sg_judge **ret,
	     struct sg_err *err)
{
	struct sg_judge *j = calloc(1, sizeof(*j));
	int rc;

	if (j == NULL)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	j->p = p;
	j->found = calloc(p->index.n + p->import_index.n + 1u,
			  sizeof(*j->found));
	j->stamps = calloc(p->nrules + 1u, sizeof(*j->stamps));
	j->contained = calloc(p->npatterns + 1u, 1);
	j->has = calloc(p->npatterns + 1u, sizeof(*j->has));
	sg_buf_init(&j->code, UINT32_MAX);
	j->cap_outside = sg_capability_bit("fs.outside");
	j->cap_read = sg_capability_bit("fs.read");
	j->cap_write = sg_capability_bit("fs.write");
	j->cap_net = sg_capability_bit("net.client");
	j->queries = calloc(p->nqueries + 1u, sizeof(*j->queries));
	rc = sg_regex_run_new(&j->run, err);
	if (rc == SG_OK && p->nqueries > 0)
		rc = sg_query_run_new(&j->query_run, err);
	if (rc == SG_OK &&
	    (j->found == NULL || j->stamps == NULL || j->contained == NULL ||
	     j->has == NULL || j->queries == NULL))
		rc = sg_err_set(err, SG_ENOMEM, "out of memory");
	if (rc != SG_OK) {
		sg_judge_free(j);
		return rc;
	}
	*ret = j;
	return SG_OK;
}

void
sg_judge_free(struct sg_judge *j)
{
	uint32_t i;

	if (j == NULL)
		return;
	sg_regex_run_free(j->run);
	sg_query_run_free(j->query_run);
	for (i = 0; j->queries != NULL && i < j->p->nqueries; i++) {
		free(j->queries[i].found.v);
		free(j->queries[i].nodes.v);
	}
	free(j->queries);
	sg_buf_release(&j->code);
	free(j->found);
	free(j->stamps);
	free(j->contained);
	free(j->has);
	free(j->raw.v);
	free(j->uses.v);
	free(j->by_node.v);
	free(j->finders.v);
	free(j->modules.v);
	free(j);
}

/* --- keeping what is found ------------------------------------------------ */

void
sg_judge_add(struct sg_judge *j, const struct sg_raw_finding *raw)
{
	struct sg_raw_finding f = *raw;

	if (f.action > j->worst)
		j->worst = f.action;
	if (j->raw.n == SG_FINDINGS_RAW) {
		j->dropped++;
		return;
	}
	if (!SG_VEC_ROOM(&j->raw, 1, SG_FINDINGS_RAW)) {
		j->failed = true;
		return;
	}
	f.order = j->raw.n;
	j->raw.v[j->raw.n++] = f;
}

static enum sg_decision
decision_of(const struct sg_judge *j, enum sg_action action)
{
	return action == SG_ACTION_REJECT && !j->p->annotate_only ? SG_REJECT
								  : SG_ANNOTATE;
}

/* A check that could not be made rejects, whatever the mode. */
void
sg_judge_limit(struct sg_judge *j, enum sg_builtin what, uint32_t rule,
	       struct sg_range range)
{
	struct sg_raw_finding f = { .rule = what,
				    .action = SG_REJECT,
				    .range = range };

	f.name = j->p->rules[rule].id;
	sg_judge_add(j, &f);
}

static void
add_match(struct sg_judge *j, uint32_t index, const struct sg_candidate *c)
{
	struct sg_raw_finding f = {
		.rule = index,
		.action = decision_of(j, j->p->rules[index].action),
		.fact = c->fact,
		.range = c->range,
		.value = c->value,
		.path = c->path,
		.caps = c->caps,
	};

	if (c->fact != NULL) {
		f.name = c->fact->name;
		f.module = sg_str_until(c->fact->name, '.');
		if (f.value.p == NULL)
			f.value = c->fact->name;
	} else {
		f.name = c->value.p != NULL ? c->value : c->text;
	}
	sg_judge_add(j, &f);
}

static void
try_rule(struct sg_judge *j, uint32_t index, struct sg_candidate *c, bool sure)
{
	const struct sg_rule *r = &j->p->rules[index];
	struct sg_candidate copy = *c;
	bool holds;

	j->regex_over = j->steps_over = false;
	j->query_over = SG_QUERY_DONE;
	holds = (sure && r->direct && j->seen == NULL) ||
		sg_match(j, r->match, &copy);
	/* What was cut short says nothing, and the verdict says so. */
	if (j->late)
		return;
	if (holds)
		add_match(j, index, &copy);
	else if (j->regex_over)
		sg_judge_limit(j, SG_BUILTIN_LIMIT_REGEX, index, c->range);
	else if (j->steps_over)
		sg_judge_limit(j, SG_BUILTIN_LIMIT_MATCH, index, c->range);
	else if (j->query_over != SG_QUERY_DONE)
		sg_judge_limit(j,
			       j->query_over == SG_QUERY_UNREAD
				       ? SG_BUILTIN_QUERY_UNREAD
				       : SG_BUILTIN_LIMIT_QUERY,
			       index, c->range);
}

void
sg_judge_try(struct sg_judge *j, uint32_t index, struct sg_candidate *c,
	     bool sure)
{
	uint64_t began;

	if (j->times == NULL) {
		try_rule(j, index, c, sure);
		return;
	}
	began = sg_clock_mono();
	try_rule(j, index, c, sure);
	j->times[index].ns += sg_clock_mono() - began;
	j->times[index].tried++;
}

/* --- facts ------------------------------------------------------------------ */

static void
keep_uses(struct sg_judge *j, uint64_t caps, uint32_t at)
{
	uint32_t bit;

	for (bit = 0; caps != 0; bit++, caps >>= 1) {
		if ((caps & 1) == 0)
			continue;
		if (j->uses.n > 0 && j->uses.v[j->uses.n - 1].bit == bit &&
		    j->uses.v[j->uses.n - 1].at == at)
			continue;
		if (!SG_VEC_ROOM(&j->uses, 1, UINT32_MAX / 16)) {
			j->failed = true;
			return;
		}
		j->uses.v[j->uses.n++] = (struct sg_cap_use){ bit, at };
	}
}

/* The section `capabilities`. */
static void
check_section(struct sg_judge *j, const struct sg_candidate *c)
{
	uint64_t reject = c->caps & j->p->cap_reject;
	uint64_t annotate = c->caps & j->p->cap_annotate;
	struct sg_raw_finding f = { .rule = SG_BUILTIN_CAPABILITY,
				    .fact = c->fact,
				    .range = c->range };

	if ((reject | annotate) == 0 ||
	    j->p->rules[SG_BUILTIN_CAPABILITY].action == SG_ACTION_OFF)
		return;
	f.caps = reject != 0 ? reject : annotate;
	f.action = decision_of(j, reject != 0 ? SG_ACTION_REJECT
					      : SG_ACTION_ANNOTATE);
	f.name = c->fact->name;
	f.module = sg_str_until(f.name, '.');
	f.value = c->value;
	f.path = c->path;
	sg_judge_add(j, &f);
}

static void
try_once(struct sg_judge *j, uint32_t rule, struct sg_candidate *c, bool sure)
{
	if (j->stamps[rule] == j->stamp)
		return;
	j->stamps[rule] = j->stamp;
	sg_judge_try(j, rule, c, sure);
}

static void
check_rules(struct sg_judge *j, const struct sg_name *name,
	    struct sg_candidate *c)
{
	const struct sg_policy *p = j->p;
	const uint32_t bit = 1u << c->fact->kind;
	const struct sg_str text = c->fact->name;
	const uint32_t first = text.n > 0 ? (uint8_t)text.p[0] : 256;
	uint32_t i, n;

	j->stamp++;
	n = (p->index.kinds & bit) != 0
		    ? sg_name_find(&p->index, name, bit, j->found)
		    : 0;
	for (i = 0; i < n; i++)
		try_once(j, j->found[i], c, true);
	if ((c->caps & p->cap_rule_mask) != 0)
		for (i = 0; i < p->ncap_rules; i++)
			try_once(j, p->cap_rules[i], c, false);
	if ((p->any_name_facts & bit) != 0)
		for (i = 0; i < p->nany_name; i++)
			try_once(j, p->any_name[i], c, false);
	if ((p->string_regex_facts & bit) != 0)
		for (i = p->regex_at[first]; i < p->regex_at[first + 1]; i++)
			try_once(j, p->string_regex[i], c, false);
}

static const char *const dynamic_texts[SG_DYNAMIC_COUNT] = {
	[SG_DYNAMIC_IMPORT] = "name of the module",
	[SG_DYNAMIC_ATTRIBUTE] = "name of the attribute",
	[SG_DYNAMIC_ITEM] = "name that is looked up",
	[SG_DYNAMIC_CALLEE] = "function that is called",
	[SG_DYNAMIC_STAR] = "set of names that are imported",
	[SG_DYNAMIC_FORMAT] = "format template",
	[SG_DYNAMIC_WIDENED] = "value",
};

static void
check_dynamic(struct sg_judge *j, const struct sg_fact *fact)
{
	enum sg_action action = j->p->unresolved[fact->detail];
	struct sg_raw_finding f = { .rule = SG_BUILTIN_UNRESOLVED,
				    .fact = fact,
				    .range = fact->range };

	if (action == SG_ACTION_OFF ||
	    j->p->rules[SG_BUILTIN_UNRESOLVED].action == SG_ACTION_OFF)
		return;
	f.action = decision_of(j, action);
	f.name = fact->name;
	f.value = sg_str_c(dynamic_texts[fact->detail]);
	sg_judge_add(j, &f);
}

enum {
	NAMED_FACTS = 1 << SG_FACT_IMPORT | 1 << SG_FACT_REF | 1 << SG_FACT_CALL
};

/* Nothing is asked any more once the time is up.  Reading the clock takes as
 * long as a few facts. */
static bool
is_late(struct sg_judge *j)
{
	if (!j->late && j->looks++ % SG_JUDGE_CLOCK == 0)
		j->late = sg_clock_cpu() > j->deadline;
	return j->late;
}

static void
judge_fact(struct sg_judge *j, const struct sg_fact *fact)
{
	const struct sg_policy *p = j->p;
	const uint32_t bit = 1u << fact->kind;
	struct sg_candidate c = { .fact = fact,
				  .node = fact->node,
				  .range = fact->range };
	const struct sg_known *known;
	const struct sg_name *name;
	struct sg_name plain;

	if (((NAMED_FACTS | p->index.kinds | p->any_name_facts |
	      p->string_regex_facts | 1u << SG_FACT_DYNAMIC) &
	     bit) == 0)
		return;
	if ((bit & NAMED_FACTS) != 0) {
		known = sg_judge_known(j, fact->name);
		name = &known->name;
		c.caps = sg_judge_caps(j, fact, known, &c);
		c.caps_known = true;
		if (c.caps != 0) {
			keep_uses(j, c.caps, fact->range.start);
			c.caps &= ~p->cap_allow;
			check_section(j, &c);
		}
		if (p->has_imports)
			sg_judge_import(j, fact, name);
	} else {
		name = &plain;
		/* of kinds that the index lacks nothing is looked up */
		if ((p->index.kinds & bit) != 0)
			sg_name_init(&plain, fact->name);
	}
	check_rules(j, name, &c);
	if (fact->kind == SG_FACT_DYNAMIC)
		check_dynamic(j, fact);
}

/* --- nodes -------------------------------------------------------------------- */

static void
judge_node(struct sg_judge *j, uint32_t node)
{
	const struct sg_policy *p = j->p;
	const struct sg_ast *ast = &j->an->ast;
	const struct sg_node *n = &ast->nodes[node];
	struct sg_candidate c = { .node = node, .range = n->range };
	struct sg_name name;
	uint32_t i, found;

	c.value = sg_str_c(sg_ast_kind_name((enum sg_ast_kind)n->kind));
	j->stamp++;
	for (i = p->node_at[n->kind]; i < p->node_at[n->kind + 1u]; i++)
		try_once(j, p->node_rules[i], &c, false);
	if (!sg_node_set_has(p->named_set, n->kind))
		return;
	sg_name_init(&name, sg_intern_str(ast->names, n->name));
	found = sg_name_find(&p->index, &name, SG_INDEX_NODE, j->found);
	for (i = 0; i < found; i++)
		try_once(j, j->found[i], &c, false);
}

static void
judge_nodes(struct sg_judge *j)
{
	const struct sg_policy *p = j->p;
	const uint64_t set[2] = { p->node_set[0] | p->named_set[0],
				  p->node_set[1] | p->named_set[1] };
	uint32_t i;

	if ((set[0] | set[1]) == 0)
		return;
	for (i = 1; i <= j->an->ast.n; i++)
		if (sg_node_set_has(set, j->an->ast.nodes[i].kind)) {
			if (is_late(j))
				return;
			judge_node(j, i);
		}
}

/* --- the whole ------------------------------------------------------------------ */

static void
judge_problems(struct sg_judge *j)
{
	struct sg_raw_finding f = { .rule = UINT32_MAX, .action = SG_REJECT };
	uint32_t i;

	for (i = 0; i < j->an->nproblems; i++) {
		f.problem = &j->an->problems[i];
		f.range = f.problem->range;
		f.name = SG_STR_NONE;
		sg_judge_add(j, &f);
	}
}

/* Nanoseconds: what the analysis has left, and a fifth in any case; but for
 * a tenth, in which the verdict is written. */
static uint64_t
time_left(const struct sg_policy *p, const struct sg_analysis *an)
{
	const uint64_t all = (uint64_t)p->limits.time_ms * 900000u;

	return an->took < all - all / 5 ? all - an->took : all / 5;
}

static void
start(struct sg_judge *j, const struct sg_analysis *an, struct sg_arena *arena)
{
	uint32_t i;

	j->an = an;
	j->arena = arena;
	j->raw.n = j->uses.n = j->by_node.n = j->modules.n = 0;
	j->dropped = j->steps = j->stamp = 0;
	j->worst = SG_PASS;
	j->failed = j->idle = false;
	j->idle_node = j->finders.n = 0;
	j->finders_listed = false;
	memset(j->contained, 0, j->p->npatterns + 1u);
	memset(j->has, 0, (j->p->npatterns + 1u) * sizeof(*j->has));
	j->idle_work = 0;
	for (i = 0; i < SG_KNOWN; i++)
		j->known[i].name.text = SG_STR_NONE;
	memset(j->stamps, 0, (j->p->nrules + 1u) * sizeof(*j->stamps));
	sg_buf_reset(&j->code);
	sg_regex_run_reset(j->run);
	sg_query_forget(j);
	j->looks = 0;
	j->late = false;
	j->deadline = sg_clock_cpu() + time_left(j->p, an);
}

int
sg_judge_run(struct sg_judge *j, const struct sg_analysis *an, const char *path,
	     struct sg_arena *arena, struct sg_verdict *ret, struct sg_err *err)
{
	uint32_t i;

	start(j, an, arena);
	judge_problems(j);
	for (i = 0; i < an->nfacts && !j->failed && !is_late(j); i++)
		judge_fact(j, &an->facts[i]);
	if (an->ast.n > 0 && !j->late)
		judge_nodes(j);
	if (an->ast.n > 0 && !j->late) {
		sg_judge_zones(j);
		sg_judge_queries(j);
	}
	if (j->late)
		sg_judge_limit(j, SG_BUILTIN_LIMIT_TIME, SG_BUILTIN_LIMIT_TIME,
			       (struct sg_range){ 0 });
	if (j->failed)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	return sg_judge_finish(j, path, ret, err);
}
