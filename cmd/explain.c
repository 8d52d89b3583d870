#include "cmd/cmd.h"
#include "cmd/job.h"

#include "pipeline/explain.h"
#include "pipeline/render.h"

struct explain {
	const char *policy, *python_version, *rule;
	uint64_t line;
	bool json;
};

#define AT(field) offsetof(struct explain, field)
/* clang-format off */
static const struct sg_opt options[] = {
	{ SG_OPT_COUNT, 'l', "line", "N", "this line only", AT(line) },
	{ SG_OPT_TEXT, 'r', "rule", "ID",
	  "say what this rule is, and where it matched", AT(rule) },
	{ SG_OPT_FLAG, 0, "json", NULL, "print facts and findings as JSON",
	  AT(json) },
	{ SG_OPT_TEXT, 'p', "policy", "NAME|FILE",
	  "default, strict, audit, or a YAML file", AT(policy) },
	{ SG_OPT_TEXT, 0, "python-version", "3.N",
	  "version that will run the code (default: the interpreter found)",
	  AT(python_version) },
	SG_OPT_ALL,
	{ 0 },
};
/* clang-format on */

static uint32_t
count_matches(const struct sg_check *check, const char *rule)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < check->verdict.nfindings; i++)
		n += sg_str_eq(check->verdict.findings[i].rule, sg_str_c(rule));
	return n;
}

/* What the rule is, and why it did not match if it did not. */
static bool
explain_rule(const struct sg_job *job, const struct explain *f,
	     const struct sg_check *check, struct sg_buf *out)
{
	uint32_t n = count_matches(check, f->rule);
	struct sg_err err;

	sg_err_clear(&err);
	if (!sg_explain_rule(job->policy, f->rule, out) && n == 0) {
		sg_say("explain: policy '%s' has no rule '%s'",
		       f->policy ? f->policy : "default", f->rule);
		return false;
	}
	if (n) {
		sg_buf_printf(out, "matched %u time%s\n\n", n,
			      n == 1 ? "" : "s");
		return true;
	}
	sg_buf_c(out,
		 "did not match; its patterns, held against this script:\n");
	if (sg_explain_why(job->policy, f->rule, check, out, &err) < 0) {
		sg_say_err(&err);
		return false;
	}
	sg_buf_char(out, '\n');
	return true;
}

static int
explain_code(const struct sg_job *job, const struct explain *f,
	     struct sg_str code, const char *name, struct sg_buf *out)
{
	const struct sg_explain_opts opts = {
		.line = (uint32_t)f->line,
		.rule = f->rule,
		.colour = sg_term_colour(1),
	};
	struct sg_arena arena;
	struct sg_check check;
	struct sg_json j;

	sg_gate_check(job->gate, code, name, &check);
	if (f->rule && !f->json && !explain_rule(job, f, &check, out))
		return SG_EXIT_ERROR;
	sg_arena_init(&arena, 64 << 20);
	if (f->json) {
		sg_json_init(&j, out);
		sg_explain_json(&check, &opts, &arena, &j);
		sg_buf_char(out, '\n');
	} else {
		sg_explain_text(&check, &opts, &arena, out);
	}
	sg_arena_release(&arena);
	if (check.judged)
		return SG_EXIT_OK;
	sg_say_err(&check.failure);
	return SG_EXIT_ERROR;
}

static int
explain_file(const struct explain *f, const char *path, struct sg_buf *out)
{
	const struct sg_job_opts opts = { .policy = f->policy,
					  .python_version = f->python_version,
					  .no_audit = true };
	int status = SG_EXIT_ERROR;
	struct sg_job job;
	struct sg_err err;
	struct sg_buf code;

	sg_err_clear(&err);
	sg_buf_init(&code, SG_JOB_SOURCE_MAX);
	if (sg_job_open(&opts, &job, &err) < 0 ||
	    sg_job_read(path, &code, &err) < 0)
		sg_say_err(&err);
	else
		status = explain_code(&job, f, sg_buf_view(&code),
				      sg_job_name(path), out);
	sg_job_release(&job);
	sg_buf_release(&code);
	return status;
}

static int
run_explain(const struct sg_args *args, void *fields)
{
	const struct explain *f = fields;
	struct sg_buf out;
	int status;

	if (args->n != 1) {
		sg_say("explain: name one script; '-' is standard input");
		return SG_EXIT_ERROR;
	}
	if (f->line > UINT32_MAX) {
		sg_say("explain: option '--line': there is no such line");
		return SG_EXIT_ERROR;
	}
	sg_buf_init(&out, SG_TERM_MAX);
	status = explain_file(f, args->v[0], &out);
	status = sg_term_put(&out, status, SG_EXIT_ERROR);
	sg_buf_release(&out);
	return status;
}

const struct sg_cmd sg_cmd_explain = {
	.name = "explain",
	.synopsis = "FILE|-",
	.summary =
		"shows what the gate sees in a script, and why a rule matched",
	.text = "For each line: what is imported, mentioned, called and bound, "
		"under which name,\nhow that name was reached, and what could "
		"not be resolved.\nExit status: 0 whatever the verdict, 2 an "
		"error.\n",
	.opts = options,
	.fields = sizeof(struct explain),
	.failed = SG_EXIT_ERROR,
	.run = run_explain,
};
