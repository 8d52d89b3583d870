#include "cmd/cmd.h"
#include "cmd/job.h"

#include "pipeline/render.h"
#include "pipeline/report.h"

#include <stdlib.h>

struct check {
	const char *format, *policy, *python_version, *audit, *store;
	uint64_t audit_max;
	bool quiet, json;
};

#define AT(field) offsetof(struct check, field)
static const struct sg_opt options[] = {
	{ SG_OPT_TEXT, 'f', "format", "FORMAT",
	  "text (default), concise, or json: one result a line for each file",
	  AT(format) },
	{ SG_OPT_FLAG, 0, "json", NULL, "the same as --format json", AT(json) },
	{ SG_OPT_TEXT, 'p', "policy", "NAME|FILE",
	  "default, strict, audit, or a YAML file", AT(policy) },
	{ SG_OPT_TEXT, 0, "python-version", "3.N",
	  "version that will run the code (default: the interpreter found)",
	  AT(python_version) },
	{ SG_OPT_FLAG, 'q', "quiet", NULL, "say nothing of files that pass",
	  AT(quiet) },
	{ SG_OPT_TEXT, 0, "audit", "FILE",
	  "record verdicts in this log (default: SANDGATE_AUDIT, or none)",
	  AT(audit) },
	{ SG_OPT_SIZE, 0, "audit-max", "SIZE",
	  "start a new log file when this one has that size", AT(audit_max) },
	{ SG_OPT_TEXT, 0, "audit-store-code", "DIR",
	  "keep each script that is judged here, named by its digest",
	  AT(store) },
	SG_OPT_ALL,
	{ 0 },
};

struct pass {
	const struct check *opts;
	struct sg_job *job;
	struct sg_buf out, code;
	bool json, colour;
	int worst;
};

static void
worsen(struct pass *p, int status)
{
	if (status > p->worst)
		p->worst = status;
}

/* One line that says how a file fared. */
static void
summary(struct pass *p, const char *name, const struct sg_check *c)
{
	const struct sg_verdict *v = &c->verdict;
	uint32_t n = v->nfindings + v->nsuppressed;

	if (p->opts->quiet && v->decision == SG_PASS)
		return;
	sg_render_safe(sg_str_c(name), &p->out);
	sg_buf_printf(&p->out, ": %s", sg_decision_name(v->decision));
	if (n)
		sg_buf_printf(&p->out, " (%u finding%s, policy %.*s)", n,
			      n == 1 ? "" : "s", SG_STR_ARG(v->policy));
	sg_buf_char(&p->out, '\n');
}

static void
report(struct pass *p, const char *name, const struct sg_run *run)
{
	const struct sg_render_opts text = {
		.file = name,
		.colour = p->colour,
		.concise = p->opts->format &&
			   strcmp(p->opts->format, "concise") == 0,
	};
	const struct sg_report_opts json = {
		.file = name,
		.data = SG_REPORT_LIST,
		.python = p->job->version,
		.audit = p->job->audit ? sg_audit_path(p->job->audit) : NULL,
	};
	struct sg_err err;

	sg_err_clear(&err);
	if (!p->json) {
		sg_render_findings(&run->check, &text, &p->out);
		if (!text.concise)
			summary(p, name, &run->check);
	} else if (sg_report_run(run, &json, &p->out, &err) < 0) {
		sg_say_err(&err);
		worsen(p, SG_EXIT_ERROR);
	} else {
		sg_buf_char(&p->out, '\n');
	}
}

static void
unread(struct pass *p, const char *name, const struct sg_err *failure)
{
	const struct sg_report_opts json = { .file = name };
	struct sg_err err;

	worsen(p, SG_EXIT_ERROR);
	sg_say_err(failure);
	if (!p->json)
		return;
	sg_err_clear(&err);
	if (sg_report_failure(failure, &json, &p->out, &err) < 0)
		sg_say_err(&err);
	sg_buf_char(&p->out, '\n');
}

static void
check_file(struct pass *p, const char *path)
{
	struct sg_run_spec spec = { .audit = p->job->audit,
				    .store = p->opts->store };
	const char *name = sg_job_name(path);
	struct sg_run run;
	struct sg_err err;

	sg_err_clear(&err);
	sg_buf_reset(&p->code);
	if (sg_job_read(path, &p->code, &err) < 0) {
		unread(p, name, &err);
		return;
	}
	spec.code = sg_buf_view(&p->code);
	spec.path = name;
	if (sg_run_check(p->job->gate, &spec, &run) < 0) {
		worsen(p, SG_EXIT_ERROR);
		(void)sg_err_at(&run.failure, name, 0, 0);
		sg_say_err(&run.failure);
	}
	if (run.check.verdict.decision == SG_REJECT)
		worsen(p, SG_EXIT_REJECT);
	report(p, name, &run);
}

static bool
good_usage(const struct sg_args *args, const struct check *f)
{
	uint32_t inputs = 0;

	for (uint32_t i = 0; i < args->n; i++)
		inputs += strcmp(args->v[i], "-") == 0;
	if (args->n == 0)
		sg_say("check: no file is named; '-' is standard input");
	else if (inputs > 1)
		sg_say("check: '-' is named twice");
	else if (f->format && strcmp(f->format, "text") != 0 &&
		 strcmp(f->format, "json") != 0 &&
		 strcmp(f->format, "concise") != 0)
		sg_say("check: unknown format '%s': text, concise or json",
		       f->format);
	else
		return true;
	return false;
}

static int
check_all(const struct sg_args *args, struct pass *p)
{
	int status = SG_EXIT_OK;

	for (uint32_t i = 0; i < args->n && status == SG_EXIT_OK; i++) {
		check_file(p, args->v[i]);
		status = sg_term_put(&p->out, SG_EXIT_OK, SG_EXIT_ERROR);
	}
	return status == SG_EXIT_OK ? p->worst : status;
}

static int
run_check(const struct sg_args *args, void *fields)
{
	const struct check *f = fields;
	const struct sg_job_opts opts = { .policy = f->policy,
					  .python_version = f->python_version,
					  .audit = f->audit,
					  .audit_max = f->audit_max };
	struct sg_job job;
	struct pass p = { .opts = f, .job = &job };
	struct sg_err err;
	int status = SG_EXIT_ERROR;

	if (!good_usage(args, f))
		return SG_EXIT_ERROR;
	sg_err_clear(&err);
	p.json = f->json || (f->format && strcmp(f->format, "json") == 0);
	p.colour = sg_term_colour(1);
	sg_buf_init(&p.out, SG_TERM_MAX);
	sg_buf_init(&p.code, SG_JOB_SOURCE_MAX);
	if (sg_job_open(&opts, &job, &err) < 0)
		sg_say_err(&err);
	else
		status = check_all(args, &p);
	sg_job_release(&job);
	sg_buf_release(&p.out);
	sg_buf_release(&p.code);
	return status;
}

const struct sg_cmd sg_cmd_check = {
	.name = "check",
	.synopsis = "FILE...|-",
	.summary = "judges scripts by a policy and runs nothing",
	.text = "Exit status: 0 all pass (annotations included), 1 a script "
		"is rejected,\n2 a script could not be judged.\n",
	.opts = options,
	.fields = sizeof(struct check),
	.failed = SG_EXIT_ERROR,
	.run = run_check,
};
