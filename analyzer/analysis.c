/*
 * The analyzer's workspace, and one script's way through it: source, tree,
 * scopes, values, facts.  What a script does wrong ends it with a problem;
 * every stage after a problem is skipped, since its facts would be of another
 * program than the one submitted.
 */

#include "analyzer/analysis.h"

#include <stdlib.h>

#include "analyzer/fact_explain.h"
#include "analyzer/factlist.h"
#include "analyzer/tree.h"
#include "base/clock.h"

enum {
	ARENA_MAX = 192 << 20,
	NAMES_MAX = 1 << 22,
	NAMES_BYTES = 48 << 20,
	NODES_MAX = 1 << 21 /* see SG_SITE() */
};

struct sg_analyzer {
	struct sg_analysis an;
	struct sg_tree *tree;
	struct sg_scopes scopes;
	struct sg_values values;
	struct sg_facts facts;
	struct sg_chains chains;
	struct sg_intern names;
	struct sg_arena arena;
	uint32_t minor;
};

int
sg_analyzer_new(const struct sg_analyzer_opts *opts, struct sg_analyzer **ret,
		struct sg_err *err)
{
	struct sg_analyzer *a = calloc(1, sizeof(*a));
	int rc;

	if (!a)
		return sg_err_set(err, SG_ENOMEM, "no memory for an analyzer");
	a->minor = opts && opts->minor ? opts->minor : SG_ANALYZER_MINOR;
	sg_scopes_init(&a->scopes);
	sg_values_init(&a->values);
	sg_facts_init(&a->facts);
	sg_intern_init(&a->names, NAMES_MAX, NAMES_BYTES);
	sg_arena_init(&a->arena, ARENA_MAX);
	if (a->minor < 9 || a->minor > 14) {
		(void)sg_err_set(err, SG_EUSAGE, "Python 3.%u is not supported",
				 a->minor);
		sg_analyzer_free(a);
		return SG_EUSAGE;
	}
	rc = sg_tree_new(&a->tree, err);
	if (rc < 0) {
		sg_analyzer_free(a);
		return rc;
	}
	*ret = a;
	return SG_OK;
}

void
sg_analyzer_free(struct sg_analyzer *a)
{
	if (!a)
		return;
	sg_tree_free(a->tree);
	sg_scopes_release(&a->scopes);
	sg_values_release(&a->values);
	sg_facts_release(&a->facts);
	sg_intern_release(&a->names);
	sg_arena_release(&a->arena);
	free(a);
}

static int
add_problem(struct sg_analyzer *a, const char *code, struct sg_str message,
	    struct sg_err *err)
{
	struct sg_analysis *an = &a->an;
	struct sg_problem *grown = SG_NEWN(&a->arena, struct sg_problem,
					   (size_t)an->nproblems + 1);

	if (!grown)
		return sg_err_set(err, SG_ENOMEM, "no memory for a problem");
	if (an->nproblems)
		memcpy(grown, an->problems, an->nproblems * sizeof(*grown));
	grown[an->nproblems++] = (struct sg_problem){ .code = code,
						      .message = message };
	an->problems = grown;
	return SG_OK;
}

static int
read_tree(struct sg_analyzer *a, const struct sg_limits *limits,
	  uint64_t deadline, struct sg_err *err)
{
	struct sg_tree_job job = {
		.source = &a->an.source,
		.limits = limits,
		.minor = a->minor,
		.deadline = deadline,
		.arena = &a->arena,
		.names = &a->names,
	};
	int rc = sg_tree_read(a->tree, &job, err);

	if (rc < 0)
		return rc;
	a->an.ast = job.ast;
	a->an.problems = job.problems;
	a->an.nproblems = job.nproblems;
	a->an.comments = job.comments;
	a->an.ncomments = job.ncomments;
	if (a->an.ast.n >= NODES_MAX)
		return add_problem(a, "limit.nodes",
				   SG_STR("more nodes than can be analysed"),
				   err);
	return SG_OK;
}

static int
understand(struct sg_analyzer *a, uint64_t deadline, struct sg_err *err)
{
	struct sg_analysis *an = &a->an;
	struct sg_values *v = &a->values;
	int rc = sg_scopes_build(&a->scopes, &an->ast, &a->names, &a->arena,
				 err);

	if (rc == SG_OK)
		rc = sg_values_begin(v, &a->scopes, &a->arena, deadline, err);
	if (rc == SG_OK)
		rc = sg_values_run(v, err);
	if (rc < 0)
		return rc;
	if (v->endless)
		return add_problem(
			a, "limit.values",
			SG_STR("values flow through more steps than are followed"),
			err);
	if (!v->late)
		sg_values_emit(v, &a->facts);
	if (!v->late) {
		v->facts = &a->facts;
		sg_fact_source(v, &an->source, an->comments, an->ncomments);
		v->facts = NULL;
		sg_facts_sort(&a->facts, &a->arena);
	}
	if (v->failed || a->facts.failed || sg_arena_failed(&a->arena))
		return sg_err_set(err, SG_ENOMEM, "no memory for facts");
	an->passes = v->passes;
	if (v->late)
		return add_problem(a, "limit.time",
				   SG_STR("the analysis took too long"), err);
	an->facts = a->facts.v;
	an->nfacts = a->facts.n;
	memcpy(an->dynamic, a->facts.dynamic, sizeof(an->dynamic));
	return SG_OK;
}

/* Nanoseconds.  What there is to say about a script takes time to judge as
 * well, and to write down. */
static uint64_t
time_for_analysis(const struct sg_limits *limits)
{
	return (uint64_t)limits->time_ms * 700000u;
}

int
sg_analyze(struct sg_analyzer *a, struct sg_str bytes,
	   const struct sg_limits *limits, const struct sg_analysis **ret,
	   struct sg_err *err)
{
	struct sg_limits defaults = sg_limits_default();
	struct sg_problem *problem = NULL;
	uint64_t begun = sg_clock_cpu(), deadline;
	int rc;

	if (!limits)
		limits = &defaults;
	deadline = begun + time_for_analysis(limits);
	memset(&a->an, 0, sizeof(a->an));
	a->an.owner = a;
	sg_arena_reset(&a->arena);
	sg_intern_reset(&a->names);
	sg_facts_reset(&a->facts);
	sg_chains_reset(&a->chains);
	rc = sg_source_read(bytes, limits->bytes, &a->arena, &a->an.source,
			    &problem, err);
	if (rc < 0)
		return rc;
	if (problem) {
		a->an.problems = problem;
		a->an.nproblems = 1;
	} else {
		rc = read_tree(a, limits, deadline, err);
		if (rc == SG_OK && !a->an.nproblems && a->an.ast.n)
			rc = understand(a, deadline, err);
		if (rc < 0)
			return rc;
	}
	a->an.took = sg_clock_cpu() - begun;
	*ret = &a->an;
	return SG_OK;
}

struct sg_str
sg_analysis_chain(const struct sg_analysis *an, const struct sg_fact *fact,
		  struct sg_arena *arena)
{
	struct sg_analyzer *a = an->owner;

	if (!an->ast.n || !fact->node)
		return SG_STR_NONE;
	return sg_chains_text(&a->chains, &a->values, &an->source, fact,
			      &a->arena, arena);
}

void
sg_analysis_explain(const struct sg_analysis *an, uint32_t line,
		    struct sg_buf *out)
{
	struct sg_analyzer *a = an->owner;
	const struct sg_explain e = {
		.an = an,
		.values = &a->values,
		.chains = &a->chains,
		.scratch = &a->arena,
		.out = out,
		.line = line,
	};

	for (uint32_t i = 0; i < an->nproblems; i++) {
		struct sg_place p = sg_source_place(
			&an->source, an->problems[i].range.start);

		sg_buf_printf(out, "%u:%u %s: %.*s\n", p.line, p.column,
			      an->problems[i].code,
			      SG_STR_ARG(an->problems[i].message));
	}
	if (!an->nproblems && an->ast.n)
		sg_explain_write(&e);
}

const char *
sg_analyzer_versions(void)
{
	return "tree-sitter " SG_TREE_SITTER_VERSION
	       ", tree-sitter-python " SG_TREE_SITTER_PYTHON_VERSION;
}
