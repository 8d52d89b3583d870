/* `sandgate policy diff`, `coverage`, `bench`, `schema`: the tools around
 * policies that look at more than one text. */

#include "cmd/corpus.h"
#include "cmd/policy.h"
#include "cmd/policy_place.h"

#include "pipeline/render.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/vec.h"
#include "policy/coverage.h"
#include "policy/diff.h"
#include "policy/show.h"

/* ---- diff ---- */

struct diff {
	const char *key;
	struct sg_opt_list corpus;
};

#define DIFF(field) offsetof(struct diff, field)
static const struct sg_opt diff_options[] = {
	{ SG_OPT_LIST, 'c', "corpus", "PATH",
	  "a script, a folder of *.py, or JSON Lines; may be given again",
	  DIFF(corpus) },
	{ SG_OPT_TEXT, 'k', "text-key", "KEY",
	  "member of a row that holds the code (default: code, text or "
	  "content)",
	  DIFF(key) },
	SG_OPT_ALL,
	{ 0 },
};

static int
diff_script(void *ctx, struct sg_str code, const char *label,
	    struct sg_err *err)
{
	return sg_diff_add(ctx, code, label, err);
}

static void
put_changes(const struct sg_diff *d, struct sg_buf *b)
{
	uint32_t o, n, changed = 0;

	for (o = 0; o < 3; o++)
		for (n = 0; n < 3; n++)
			changed += o != n ? d->changed[o][n] : 0;
	sg_buf_printf(b, "%u scripts, %u verdicts change\n", d->scripts,
		      changed);
	for (o = 0; o < 3; o++)
		for (n = 0; n < 3; n++)
			if (o != n && d->changed[o][n] > 0)
				sg_buf_printf(
					b, "  %-8s -> %-8s %6u\n",
					sg_decision_name((enum sg_decision)o),
					sg_decision_name((enum sg_decision)n),
					d->changed[o][n]);
}

static void
put_rules(const struct sg_diff *d, struct sg_buf *b)
{
	uint32_t i, k;

	if (d->nrules > 0)
		sg_buf_c(b, "\nrule               rejects  no more  for "
			    "example\n");
	for (i = 0; i < d->nrules; i++) {
		const struct sg_diff_rule *r = &d->rules[i];

		sg_buf_printf(b, "%-18.*s %7u  %7u ", SG_STR_ARG(r->rule),
			      r->rejects, r->no_more);
		for (k = 0; k < r->nexamples; k++) {
			sg_buf_c(b, k > 0 ? ", " : " ");
			sg_render_safe(sg_str_c(r->examples[k]), b);
		}
		sg_buf_char(b, '\n');
	}
}

static int
diff_all(const struct diff *f, struct sg_policy *const p[2], struct sg_buf *b)
{
	struct sg_diff *d = NULL;
	uint32_t i, skipped = 0;
	struct sg_err err;
	int rc;

	sg_err_clear(&err);
	rc = sg_diff_new(p[0], p[1], &d, &err);
	for (i = 0; rc == SG_OK && i < f->corpus.n; i++)
		rc = sg_corpus_each(f->corpus.v[i], f->key, diff_script, d,
				    &skipped, &err);
	if (rc == SG_OK) {
		sg_diff_finish(d);
		put_changes(d, b);
		put_rules(d, b);
		if (skipped > 0)
			sg_say("policy diff: %u rows without code", skipped);
	} else {
		sg_say_err(&err);
	}
	sg_diff_free(d);
	return rc == SG_OK ? SG_EXIT_OK : SG_EXIT_ERROR;
}

static int
run_diff(const struct sg_args *args, void *fields)
{
	const struct diff *f = fields;
	struct sg_policy *p[2] = { NULL, NULL };
	struct sg_buf b;
	int status;

	if (args->n != 2 || f->corpus.n == 0) {
		sg_say("policy diff: name two policies, and scripts with "
		       "--corpus");
		return SG_EXIT_ERROR;
	}
	sg_buf_init(&b, SG_TERM_MAX);
	status = sg_cmd_open_policy(args->v[0], &p[0]);
	if (status == SG_EXIT_OK)
		status = sg_cmd_open_policy(args->v[1], &p[1]);
	status = status == SG_EXIT_OK ? diff_all(f, p, &b) : SG_EXIT_ERROR;
	status = sg_term_put(&b, status, SG_EXIT_ERROR);
	sg_buf_release(&b);
	sg_policy_free(p[0]);
	sg_policy_free(p[1]);
	return status;
}

const struct sg_cmd sg_cmd_policy_diff = {
	.name = "diff",
	.synopsis = "OLD NEW --corpus PATH...",
	.summary = "shows which verdicts change from one policy to another",
	.text = "Exit status: 0, whatever changes; 2 an error.\n",
	.opts = diff_options,
	.fields = sizeof(struct diff),
	.failed = SG_EXIT_ERROR,
	.run = run_diff,
};

/* ---- coverage ---- */

static const struct sg_opt plain[] = { SG_OPT_ALL, { 0 } };

static void
on_coverage(void *ctx, const struct sg_coverage *c)
{
	struct sg_buf *b = ctx;

	if (!c->missed)
		return;
	sg_render_safe(sg_str_c(c->file), b);
	sg_buf_printf(b, ":%u:%u: %.*s: '%s' never %s in the tests\n", c->line,
		      c->column, SG_STR_ARG(c->rule), c->what,
		      c->held ? "fails" : "holds");
	sg_policy_excerpt(c->file, c->line, c->column, b);
}

static int
run_coverage(const struct sg_args *args, void *fields)
{
	struct sg_policy *p = NULL;
	uint32_t n = 0, missed = 0;
	struct sg_err err;
	struct sg_buf b;
	int status;

	(void)fields;
	if (args->n != 1) {
		sg_say("policy coverage: name one policy");
		return SG_EXIT_ERROR;
	}
	status = sg_cmd_open_policy(args->v[0], &p);
	if (status != SG_EXIT_OK)
		return status;
	sg_err_clear(&err);
	sg_buf_init(&b, SG_TERM_MAX);
	if (sg_policy_coverage(p, on_coverage, &b, &n, &missed, &err) < 0) {
		sg_say_err(&err);
		status = SG_EXIT_ERROR;
	} else {
		sg_buf_printf(&b,
			      "%u patterns, %u not wholly exercised by the "
			      "tests\n",
			      n, missed);
		status = missed > 0 ? SG_EXIT_REJECT : SG_EXIT_OK;
	}
	status = sg_term_put(&b, status, SG_EXIT_ERROR);
	sg_buf_release(&b);
	sg_policy_free(p);
	return status;
}

const struct sg_cmd sg_cmd_policy_coverage = {
	.name = "coverage",
	.synopsis = "FILE|NAME",
	.summary = "shows which patterns the tests of a policy never exercise",
	.text = "Exit status: 0 all are, 1 some are not, 2 an error.\n",
	.opts = plain,
	.failed = SG_EXIT_ERROR,
	.run = run_coverage,
};

/* ---- bench ---- */

struct bench {
	const char *key;
	struct sg_opt_list corpus;
};

static const struct sg_opt bench_options[] = {
	{ SG_OPT_LIST, 'c', "corpus", "PATH",
	  "a script, a folder of *.py, or JSON Lines; may be given again",
	  offsetof(struct bench, corpus) },
	{ SG_OPT_TEXT, 'k', "text-key", "KEY",
	  "member of a row that holds the code (default: code, text or "
	  "content)",
	  offsetof(struct bench, key) },
	SG_OPT_ALL,
	{ 0 },
};

enum { SCRIPTS_MAX = 1 << 20, LOADS = 10 };

struct scripts {
	struct sg_arena arena;
	struct sg_str *v;
	uint32_t n, room;
};

static int
keep_script(void *ctx, struct sg_str code, const char *label,
	    struct sg_err *err)
{
	struct scripts *s = ctx;
	struct sg_str copy = sg_arena_dup(&s->arena, code);

	(void)label;
	if (copy.p == NULL || !SG_VEC_ROOM(s, 1, SCRIPTS_MAX))
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	s->v[s->n++] = copy;
	return SG_OK;
}

static int
slowest_first(const void *a, const void *b)
{
	const struct sg_rule_time *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return sg_str_cmp(x->rule, y->rule);
}

static void
put_times(struct sg_rule_time *times, uint32_t n, const struct scripts *s,
	  uint64_t ns, struct sg_buf *b)
{
	uint32_t i;

	qsort(times, n, sizeof(*times), slowest_first);
	sg_buf_printf(b,
		      "%u scripts, %.1f us each\n\nrule               "
		      "us each    looked at\n",
		      s->n, (double)ns / 1e3 / (s->n > 0 ? s->n : 1));
	for (i = 0; i < n && times[i].tried > 0; i++)
		sg_buf_printf(b, "%-18.*s %7.3f %12u\n",
			      SG_STR_ARG(times[i].rule),
			      (double)times[i].ns / 1e3 / (s->n > 0 ? s->n : 1),
			      times[i].tried);
}

/* The least of some times, since others use the machine as well. */
static int
time_loading(const char *name, uint64_t *ret_ns, struct sg_err *err)
{
	uint64_t least = UINT64_MAX, ns;
	struct sg_policy *again;
	int i, rc = SG_OK;

	for (i = 0; rc == SG_OK && i < LOADS; i++) {
		again = NULL;
		ns = sg_clock_mono();
		rc = sg_policy_open(name, &again, err);
		ns = sg_clock_mono() - ns;
		least = ns < least ? ns : least;
		sg_policy_free(again);
	}
	*ret_ns = least;
	return rc;
}

static int
bench_policy(const struct sg_policy *p, const char *name, struct scripts *s,
	     struct sg_buf *b)
{
	uint32_t n = sg_policy_rule_count(p);
	struct sg_rule_time *times = calloc(n, sizeof(*times));
	uint64_t ns = 0, loading = 0;
	struct sg_err err;
	int rc;

	sg_err_clear(&err);
	rc = time_loading(name, &loading, &err);
	sg_buf_printf(b, "loading: %.2f ms, %u rules\n", (double)loading / 1e6,
		      n);
	if (times == NULL)
		rc = sg_err_set(&err, SG_ENOMEM, "out of memory");
	if (rc == SG_OK)
		rc = sg_policy_time(p, s->v, s->n, times, &ns, &err);
	if (rc == SG_OK)
		put_times(times, n, s, ns, b);
	else
		sg_say_err(&err);
	free(times);
	return rc == SG_OK ? SG_EXIT_OK : SG_EXIT_ERROR;
}

static int
run_bench(const struct sg_args *args, void *fields)
{
	const struct bench *f = fields;
	struct scripts s = { .v = NULL };
	struct sg_policy *p = NULL;
	uint32_t i, skipped = 0;
	struct sg_err err;
	struct sg_buf b;
	int status, rc = SG_OK;

	if (args->n != 1 || f->corpus.n == 0) {
		sg_say("policy bench: name one policy, and scripts with "
		       "--corpus");
		return SG_EXIT_ERROR;
	}
	status = sg_cmd_open_policy(args->v[0], &p);
	if (status != SG_EXIT_OK)
		return status;
	sg_err_clear(&err);
	sg_buf_init(&b, SG_TERM_MAX);
	sg_arena_init(&s.arena, (size_t)1 << 30);
	for (i = 0; rc == SG_OK && i < f->corpus.n; i++)
		rc = sg_corpus_each(f->corpus.v[i], f->key, keep_script, &s,
				    &skipped, &err);
	if (rc == SG_OK) {
		status = bench_policy(p, args->v[0], &s, &b);
	} else {
		sg_say_err(&err);
		status = SG_EXIT_ERROR;
	}
	status = sg_term_put(&b, status, SG_EXIT_ERROR);
	sg_buf_release(&b);
	sg_arena_release(&s.arena);
	free(s.v);
	sg_policy_free(p);
	return status;
}

const struct sg_cmd sg_cmd_policy_bench = {
	.name = "bench",
	.synopsis = "FILE|NAME --corpus PATH...",
	.summary = "measures how long each rule takes",
	.opts = bench_options,
	.fields = sizeof(struct bench),
	.failed = SG_EXIT_ERROR,
	.run = run_bench,
};

/* ---- schema ---- */

static int
run_schema(const struct sg_args *args, void *fields)
{
	struct sg_buf b;
	int status;

	(void)fields;
	if (args->n > 0) {
		sg_say("policy schema: '%s' is one argument too many",
		       args->v[0]);
		return SG_EXIT_ERROR;
	}
	sg_buf_init(&b, SG_TERM_MAX);
	sg_buf_str(&b, sg_policy_schema());
	status = sg_term_put(&b, SG_EXIT_OK, SG_EXIT_ERROR);
	sg_buf_release(&b);
	return status;
}

const struct sg_cmd sg_cmd_policy_schema = {
	.name = "schema",
	.synopsis = "",
	.summary = "prints the JSON Schema of policies, for editors",
	.opts = plain,
	.failed = SG_EXIT_ERROR,
	.run = run_schema,
};
