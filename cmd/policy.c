#include "cmd/corpus.h"
#include "cmd/policy.h"

#include "pipeline/render.h"

#include "policy/show.h"

#include <stdlib.h>

struct test {
	bool verbose;
	struct sg_opt_list corpus;
};

#define TEST(field) offsetof(struct test, field)
static const struct sg_opt test_options[] = {
	{ SG_OPT_FLAG, 'v', "verbose", NULL,
	  "name the tests that are good, too", TEST(verbose) },
	{ SG_OPT_LIST, 'c', "corpus", "PATH",
	  "scripts with \"# expect: RULE\" on each line where something must "
	  "be found; may be given again",
	  TEST(corpus) },
	SG_OPT_ALL,
	{ 0 },
};

static const struct sg_opt plain[] = { SG_OPT_ALL, { 0 } };

/* A wrong policy is what was asked about, a missing one is not. */
int
sg_cmd_policy_status(const struct sg_err *err)
{
	return err->status == SG_EPARSE || err->status == SG_EPOLICY ||
			       err->status == SG_ELIMIT
		       ? SG_EXIT_REJECT
		       : SG_EXIT_ERROR;
}

int
sg_cmd_open_policy(const char *name, struct sg_policy **ret)
{
	struct sg_err err;
	int status;

	sg_err_clear(&err);
	status = sg_policy_open(name, ret, &err);
	if (status == SG_OK)
		return SG_EXIT_OK;
	sg_say_err(&err);
	return sg_cmd_policy_status(&err);
}

static bool
wants_names(const struct sg_args *args, const char *what)
{
	if (args->n)
		return true;
	sg_say("policy %s: no policy is named", what);
	return false;
}

static int
put_line(struct sg_buf *b, int status)
{
	int put;

	sg_buf_char(b, '\n');
	put = sg_term_put(b, SG_EXIT_OK, SG_EXIT_ERROR);
	return put > status ? put : status;
}

/* ---- test ---- */

struct testing {
	const char *name;
	bool verbose;
	struct sg_buf out;
};

/* A script below what is said of it, each line indented. */
static void
put_code(struct sg_str code, struct sg_buf *out)
{
	size_t n;

	while (code.n > 0) {
		n = sg_str_find(code, '\n');
		sg_buf_c(out, "\n    ");
		sg_render_safe(sg_str_slice(code, 0, n), out);
		code = sg_str_slice(code, n + 1, code.n);
	}
}

static void
on_test(void *ctx, const struct sg_policy_test *t)
{
	struct testing *c = ctx;

	if (t->good && !c->verbose)
		return;
	sg_render_safe(sg_str_c(c->name), &c->out);
	sg_buf_printf(&c->out, ":%u:%u: %s %.*s %s[%u]", t->line, t->column,
		      t->good ? "good" : "FAILED", SG_STR_ARG(t->rule),
		      t->hit ? "hit" : "pass", t->index);
	if (!t->good) {
		sg_buf_c(&c->out, ": ");
		sg_render_safe(t->reason, &c->out);
		put_code(t->code, &c->out);
	}
	sg_buf_char(&c->out, '\n');
}

static int
test_policy(struct testing *c, const struct sg_policy *p)
{
	uint32_t run = 0, failed = 0;
	struct sg_err err;
	int status;

	sg_err_clear(&err);
	if (sg_policy_test_run(p, on_test, c, &run, &failed, &err) < 0) {
		sg_say_err(&err);
		return SG_EXIT_ERROR;
	}
	status = failed ? SG_EXIT_REJECT : SG_EXIT_OK;
	sg_render_safe(sg_str_c(c->name), &c->out);
	if (failed)
		sg_buf_printf(&c->out, ": %u of %u tests failed", failed, run);
	else
		sg_buf_printf(&c->out, ": %u test%s, all good", run,
			      run == 1 ? "" : "s");
	return put_line(&c->out, status);
}

/* ---- scripts that say what must be found ---- */

struct expecting {
	struct testing *c;
	const struct sg_policy *p;
	const char *label;
	uint32_t scripts, expected, missed;
};

static void
on_miss(void *ctx, const struct sg_expect_miss *m)
{
	struct expecting *e = ctx;

	sg_render_safe(sg_str_c(e->label), &e->c->out);
	sg_buf_printf(&e->c->out, ":%u: %s %.*s", m->line,
		      sg_expect_name(m->kind), SG_STR_ARG(m->rule));
	if (m->message.n) {
		sg_buf_c(&e->c->out, ": ");
		sg_render_safe(m->message, &e->c->out);
	}
	sg_buf_char(&e->c->out, '\n');
}

static int
expect_script(void *ctx, struct sg_str code, const char *label,
	      struct sg_err *err)
{
	struct expecting *e = ctx;
	uint32_t expected = 0, missed = 0;
	int rc;

	e->label = label;
	rc = sg_policy_test_script(e->p, code, on_miss, e, &expected, &missed,
				   err);
	e->scripts++;
	e->expected += expected;
	e->missed += missed;
	return rc;
}

static int
test_scripts(struct testing *c, const struct sg_policy *p,
	     const struct sg_opt_list *corpus)
{
	struct expecting e = { .c = c, .p = p };
	uint32_t skipped = 0;
	struct sg_err err;
	int rc = SG_OK;

	sg_err_clear(&err);
	for (uint32_t i = 0; rc == SG_OK && i < corpus->n; i++)
		rc = sg_corpus_each(corpus->v[i], NULL, expect_script, &e,
				    &skipped, &err);
	if (rc != SG_OK) {
		sg_say_err(&err);
		return SG_EXIT_ERROR;
	}
	sg_render_safe(sg_str_c(c->name), &c->out);
	sg_buf_printf(&c->out, ": %u scripts, %u findings expected, %u missed",
		      e.scripts, e.expected, e.missed);
	return put_line(&c->out, e.missed ? SG_EXIT_REJECT : SG_EXIT_OK);
}

static int
run_test(const struct sg_args *args, void *fields)
{
	const struct test *f = fields;
	struct testing c = { .verbose = f->verbose };
	int worst = SG_EXIT_OK;

	if (!wants_names(args, "test"))
		return SG_EXIT_ERROR;
	sg_buf_init(&c.out, SG_TERM_MAX);
	for (uint32_t i = 0; i < args->n; i++) {
		struct sg_policy *p = NULL;
		int status = sg_cmd_open_policy(args->v[i], &p);

		c.name = args->v[i];
		if (status == SG_EXIT_OK)
			status = test_policy(&c, p);
		if (p && f->corpus.n && status != SG_EXIT_ERROR) {
			int scripts = test_scripts(&c, p, &f->corpus);

			status = scripts > status ? scripts : status;
		}
		sg_policy_free(p);
		if (status > worst)
			worst = status;
	}
	sg_buf_release(&c.out);
	return worst;
}

/* ---- list, show ---- */

uint32_t
sg_cmd_rule_count(const struct sg_policy *p)
{
	struct sg_rule_info r;
	uint32_t n = 0;

	for (uint32_t i = 0; i < sg_policy_rule_count(p); i++) {
		sg_policy_rule(p, i, &r);
		n += r.file != NULL;
	}
	return n;
}

static int
run_list(const struct sg_args *args, void *fields)
{
	int status = SG_EXIT_OK;
	struct sg_buf b;

	(void)fields;
	if (args->n) {
		sg_say("policy list: '%s' is one argument too many",
		       args->v[0]);
		return SG_EXIT_ERROR;
	}
	sg_buf_init(&b, SG_TERM_MAX);
	for (const struct sg_embed *s = sg_policy_shipped(); s->name; s++) {
		struct sg_policy *p = NULL;
		char hex[SG_DIGEST_HEX];
		struct sg_digest d;
		int opened = sg_cmd_open_policy(s->name, &p);

		if (opened != SG_EXIT_OK) {
			status = opened;
			continue;
		}
		d = sg_policy_digest(p);
		sg_digest_hex(&d, hex);
		sg_buf_printf(&b, "%-10s %4u rules  sha256 %s\n", s->name,
			      sg_cmd_rule_count(p), hex);
		sg_policy_free(p);
	}
	status = sg_term_put(&b, status, SG_EXIT_ERROR);
	sg_buf_release(&b);
	return status;
}

struct show {
	bool source;
};

static const struct sg_opt show_options[] = {
	{ SG_OPT_FLAG, 0, "source", NULL,
	  "print a built-in policy as it was written, to start one's own from",
	  offsetof(struct show, source) },
	SG_OPT_ALL,
	{ 0 },
};

static int
put_source(const char *name, struct sg_buf *b)
{
	for (const struct sg_embed *s = sg_policy_shipped(); s->name; s++)
		if (strcmp(s->name, name) == 0) {
			sg_buf_str(b, s->data);
			return SG_EXIT_OK;
		}
	sg_say("policy show: there is no shipped policy '%s'; "
	       "'sandgate policy list' lists them",
	       name);
	return SG_EXIT_ERROR;
}

static int
put_policy(const char *name, struct sg_buf *b)
{
	struct sg_policy *p = NULL;
	struct sg_err err;
	int status = sg_cmd_open_policy(name, &p);

	sg_err_clear(&err);
	if (status == SG_EXIT_OK && sg_policy_show(p, b, &err) < 0) {
		sg_say_err(&err);
		status = SG_EXIT_ERROR;
	}
	sg_policy_free(p);
	return status;
}

static int
run_show(const struct sg_args *args, void *fields)
{
	const struct show *f = fields;
	struct sg_buf b;
	int status;

	if (args->n != 1) {
		sg_say("policy show: name one policy; 'sandgate policy list' "
		       "lists those that are built in");
		return SG_EXIT_ERROR;
	}
	sg_buf_init(&b, SG_TERM_MAX);
	status = f->source ? put_source(args->v[0], &b)
			   : put_policy(args->v[0], &b);
	status = sg_term_put(&b, status, SG_EXIT_ERROR);
	sg_buf_release(&b);
	return status;
}

static const struct sg_cmd test = {
	.name = "test",
	.synopsis = "FILE|NAME...",
	.summary = "runs the tests that stand in the rules of policies",
	.text = "Exit status: 0 all are good, 1 one failed or a policy is "
		"wrong, 2 an error.\n",
	.opts = test_options,
	.fields = sizeof(struct test),
	.failed = SG_EXIT_ERROR,
	.run = run_test,
};

static const struct sg_cmd list = {
	.name = "list",
	.synopsis = "",
	.summary = "lists the policies that are built in",
	.opts = plain,
	.failed = SG_EXIT_ERROR,
	.run = run_list,
};

static const struct sg_cmd show = {
	.name = "show",
	.synopsis = "FILE|NAME",
	.summary = "prints the policy that is in force, with all it extends",
	.opts = show_options,
	.fields = sizeof(struct show),
	.failed = SG_EXIT_ERROR,
	.run = run_show,
};

static const struct sg_cmd *const subs[] = {
	&sg_cmd_policy_lint,
	&test,
	&list,
	&show,
	&sg_cmd_policy_explain,
	&sg_cmd_policy_diff,
	&sg_cmd_policy_coverage,
	&sg_cmd_policy_bench,
	&sg_cmd_policy_schema,
	&sg_cmd_policy_fmt,
	NULL,
};

const struct sg_cmd sg_cmd_policy = {
	.name = "policy",
	.synopsis = "COMMAND [OPTION...] ...",
	.summary = "lint, test, show and compare policies",
	.opts = plain,
	.failed = SG_EXIT_ERROR,
	.subs = subs,
};
