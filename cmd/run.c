#include "cmd/box_opts.h"
#include "cmd/cmd.h"
#include "cmd/job.h"
#include "cmd/save.h"

#include "base/file.h"
#include "pipeline/render.h"
#include "pipeline/report.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct run {
	const char *policy, *input, *out, *audit, *store;
	struct sg_opt_list files;
	struct sg_box_opts box;
	uint64_t audit_max;
	bool json, no_gate, quiet;
};

#define AT(field) offsetof(struct run, field)
static const struct sg_opt options[] = {
	{ SG_OPT_FLAG, 0, "json", NULL,
	  "print one JSON document instead of the program's output", AT(json) },
	{ SG_OPT_TEXT, 'p', "policy", "NAME|FILE",
	  "default, strict, audit, or a YAML file", AT(policy) },
	{ SG_OPT_TEXT, 'i', "stdin", "FILE|-",
	  "standard input of the program (default: none)", AT(input) },
	{ SG_OPT_LIST, 'f', "file", "SRC[:NAME]",
	  "put a copy of SRC into the workspace; may be repeated", AT(files) },
	{ SG_OPT_TEXT, 'o', "out", "DIR",
	  "write images and files that the program makes here", AT(out) },
	{ SG_OPT_FLAG, 0, "no-gate", NULL,
	  "run whatever the verdict; the box alone protects the host",
	  AT(no_gate) },
	{ SG_OPT_FLAG, 'q', "quiet", NULL,
	  "print what the program printed and nothing else", AT(quiet) },
	{ SG_OPT_TEXT, 0, "audit", "FILE",
	  "audit log (default: SANDGATE_AUDIT, or the user's own log)",
	  AT(audit) },
	{ SG_OPT_SIZE, 0, "audit-max", "SIZE",
	  "start a new log file when this one has that size", AT(audit_max) },
	{ SG_OPT_TEXT, 0, "audit-store-code", "DIR",
	  "keep each script that is judged here, named by its digest",
	  AT(store) },
	SG_BOX_OPTS(AT(box)),
	SG_OPT_ALL,
	{ 0 },
};

enum { ENV_MAX = 1 << 20 };

/* All that one run holds. */
struct work {
	const struct run *opts;
	const char *path, *name;
	struct sg_job job;
	struct sg_run_spec spec;
	struct sg_box_input inputs[SG_OPT_LIST_MAX];
	struct sg_buf input_bytes[SG_OPT_LIST_MAX];
	struct sg_buf code, input, out, err;
	struct sg_arena arena, env;
	struct sg_run run;
	struct sg_saved saved;
};

/* ---- cancelling ---- */

/* Signal handlers have no other way to know it. */
static volatile sig_atomic_t cancel_fd = -1;

static void
on_signal(int number)
{
	const uint64_t one = 1;
	int keep = errno;

	(void)number;
	if (write(cancel_fd, &one, sizeof(one)) < 0)
		_exit(SG_EXIT_FAILED);
	errno = keep;
}

static int
catch_signals(struct sg_err *err)
{
	const struct sigaction action = { .sa_handler = on_signal };
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (fd < 0)
		return sg_err_sys(err, SG_EIO, errno,
				  "cannot make an event descriptor");
	cancel_fd = fd;
	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGHUP, &action, NULL);
	return SG_OK;
}

/* ---- input ---- */

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Splits "SRC:NAME" unless there is a file with the whole name. */
static int
read_input(struct work *w, const char *text, struct sg_err *err)
{
	uint32_t i = w->spec.box.nfiles;
	struct sg_buf *b = &w->input_bytes[i];
	const char *colon = strrchr(text, ':');
	const char *name = base_name(text);
	char src[4096];
	int status;

	if (colon && colon != text && access(text, F_OK) < 0 &&
	    (size_t)(colon - text) < sizeof(src)) {
		memcpy(src, text, (size_t)(colon - text));
		src[colon - text] = '\0';
		name = colon[1] ? colon + 1 : base_name(src);
		text = src;
	}
	sg_buf_init(b, w->spec.box.limits.workspace);
	w->spec.box.nfiles++;
	status = sg_job_read(text, b, err);
	if (status == SG_ELIMIT)
		return sg_err_set(err, SG_EUSAGE,
				  "'%s' does not fit into the workspace; see "
				  "'--workspace'",
				  text);
	if (status < 0)
		return status;
	w->inputs[i] = (struct sg_box_input){ sg_str_c(name), sg_buf_view(b) };
	return SG_OK;
}

static int
read_inputs(struct work *w, struct sg_err *err)
{
	const struct run *f = w->opts;
	int status;

	if ((status = sg_job_read(w->path, &w->code, err)) < 0)
		return status;
	w->spec.code = sg_buf_view(&w->code);
	w->spec.path = w->name;
	if (f->input) {
		if ((status = sg_job_read(f->input, &w->input, err)) < 0)
			return status;
		w->spec.box.has_input = true;
		w->spec.box.input = sg_buf_view(&w->input);
	}
	for (uint32_t i = 0; i < f->files.n; i++) {
		if ((status = read_input(w, f->files.v[i], err)) < 0)
			return status;
	}
	w->spec.box.files = w->inputs;
	return SG_OK;
}

/* ---- the box ---- */

static int
set_box(struct work *w, struct sg_err *err)
{
	const struct sg_box_opts *f = &w->opts->box;
	struct sg_box_spec *box = &w->spec.box;
	int status = sg_box_opts_limits(f, &box->limits, err);

	if (status == SG_OK)
		status = sg_run_require(f->require, &box->require, err);
	if (status == SG_OK)
		status = sg_box_opts_env(f, &w->env, &box->env, err);
	box->python = f->python;
	return status;
}

static int
prepare(struct work *w, const struct sg_args *args, struct sg_err *err)
{
	const struct run *f = w->opts;
	const struct sg_job_opts job = { .policy = f->policy,
					 .python = f->box.python,
					 .audit = f->audit,
					 .audit_max = f->audit_max,
					 .audit_always = true };
	int status;

	sg_box_spec_init(&w->spec.box);
	w->spec.no_gate = f->no_gate;
	w->spec.store = f->store;
	w->spec.box.script = sg_str_c(base_name(w->name));
	w->spec.box.argv = args->n > 1 ? args->v + 1 : NULL;
	w->spec.box.collect = true;
	if ((status = set_box(w, err)) < 0 ||
	    (f->out && (status = sg_save_check(f->out, err)) < 0) ||
	    (status = read_inputs(w, err)) < 0 ||
	    (status = sg_job_open(&job, &w->job, err)) < 0)
		return status;
	w->spec.audit = w->job.audit;
	return SG_OK;
}

/* ---- output ---- */

static void
note(struct work *w, const char *label, struct sg_str text)
{
	if (w->opts->quiet || text.n == 0)
		return;
	sg_buf_printf(&w->err, "sandgate: %s", label);
	sg_render_safe(text, &w->err);
	sg_buf_char(&w->err, '\n');
}

static void
stream(const struct sg_stream *s, int fd, struct sg_buf *out)
{
	if (isatty(fd))
		sg_render_terminal(s->text, out);
	else
		sg_buf_str(out, s->text);
}

static void
note_made(struct work *w)
{
	const struct sg_result *r = &w->run.result;
	struct sg_buf b;

	sg_buf_init(&b, 4096);
	for (uint32_t i = 0; w->opts->out && i < r->nimages; i++)
		note(w, "wrote ", sg_str_c(w->saved.images[i]));
	for (uint32_t i = 0; w->opts->out && i < r->nfiles; i++)
		note(w, "wrote ", sg_str_c(w->saved.files[i]));
	if (!w->opts->out && r->nimages + r->nfiles > 0) {
		sg_buf_printf(&b,
			      "the program made %u image%s and %u file%s; "
			      "'--out DIR' keeps them",
			      r->nimages, r->nimages == 1 ? "" : "s", r->nfiles,
			      r->nfiles == 1 ? "" : "s");
		note(w, "", sg_buf_view(&b));
	}
	sg_buf_reset(&b);
	if (r->images_dropped + r->files_dropped > 0) {
		sg_buf_printf(
			&b,
			"%u image%s and %u file%s were left out: too "
			"large, too many or not regular",
			r->images_dropped, r->images_dropped == 1 ? "" : "s",
			r->files_dropped, r->files_dropped == 1 ? "" : "s");
		note(w, "", sg_buf_view(&b));
	}
	sg_buf_release(&b);
}

/* "1 s", "0.5 s": a limit as people write it. */
static void
seconds(uint32_t ms, struct sg_buf *out)
{
	char digits[8];
	int n = snprintf(digits, sizeof(digits), ".%03u", ms % 1000);

	while (n > 0 && (digits[n - 1] == '0' || digits[n - 1] == '.'))
		n--;
	sg_buf_printf(out, "%u%.*s s", ms / 1000, n, digits);
}

/* Why it did not end well, where the program itself did not say so. */
static void
write_status(const struct sg_result *r, const struct sg_box_limits *l,
	     struct sg_buf *out)
{
	const char *name = sigabbrev_np(r->signal);

	if (r->status == SG_RUN_TIMEOUT) {
		sg_buf_c(out, "time limit of ");
		seconds(l->wall_ms, out);
		sg_buf_c(out, " reached");
	} else if (r->status == SG_RUN_CPU_LIMIT) {
		sg_buf_c(out, "processor time limit of ");
		seconds(l->cpu_ms, out);
		sg_buf_c(out, " reached");
	} else if (r->status == SG_RUN_MEMORY_LIMIT) {
		sg_buf_printf(out, "memory limit of %llu MiB reached",
			      (unsigned long long)(l->memory >> 20));
	} else if (r->status == SG_RUN_SIGNALED ||
		   (r->status <= SG_RUN_ERROR && r->signal)) {
		sg_buf_printf(out, "ended by signal %d (SIG%s)", r->signal,
			      name ? name : "?");
	} else if (r->status > SG_RUN_ERROR) {
		sg_buf_printf(out, "status %s", sg_run_status_name(r->status));
	}
}

static void
note_status(struct work *w)
{
	const struct sg_result *r = &w->run.result;
	struct sg_buf b;

	sg_buf_init(&b, 4096);
	write_status(r, &w->run.limits, &b);
	note(w, "", sg_buf_view(&b));
	for (uint32_t i = 0; i < r->ndenied && r->status != SG_RUN_OK; i++) {
		sg_buf_reset(&b);
		sg_buf_str(&b, r->denied[i].name);
		if (r->denied[i].count > 1)
			sg_buf_printf(&b, " (%u times)", r->denied[i].count);
		note(w, "refused system call: ", sg_buf_view(&b));
	}
	if (r->status != SG_RUN_OK)
		note(w, "hint: ", r->hint);
	sg_buf_release(&b);
}

static void
put_executed(struct work *w)
{
	const struct sg_result *r = &w->run.result;

	stream(&r->out, 1, &w->out);
	stream(&r->err, 2, &w->err);
	if (r->value.is_set && !w->opts->quiet) {
		if (r->out.text.n && r->out.text.p[r->out.text.n - 1] != '\n')
			sg_buf_char(&w->out, '\n');
		sg_buf_c(&w->out, "result: ");
		sg_render_terminal(r->value.repr, &w->out);
		sg_buf_c(&w->out, r->value.truncated ? " ... (cut)\n" : "\n");
	}
	note_made(w);
	note_status(w);
}

static void
put_rejected(struct work *w)
{
	const struct sg_render_opts text = { .file = w->name,
					     .colour = sg_term_colour(2) };

	sg_render_findings(&w->run.check, &text, &w->err);
	sg_buf_c(&w->err, "sandgate: rejected by policy ");
	sg_render_safe(w->run.check.verdict.policy, &w->err);
	sg_buf_c(&w->err, ": nothing was executed\n");
}

static int
put_json(struct work *w, int status)
{
	const struct sg_report_opts json = {
		.file = w->name,
		.data = w->opts->out ? SG_REPORT_PATHS : SG_REPORT_INLINE,
		.image_paths = w->saved.images,
		.file_paths = w->saved.files,
		.python = w->job.version,
		.audit = w->job.audit ? sg_audit_path(w->job.audit) : NULL,
	};
	struct sg_err err;

	sg_err_clear(&err);
	if (sg_report_run(&w->run, &json, &w->out, &err) < 0) {
		sg_buf_reset(&w->out);
		sg_say_err(&err);
		return SG_EXIT_FAILED;
	}
	sg_buf_char(&w->out, '\n');
	return status;
}

static int
put_text(struct work *w, int status)
{
	if (w->run.result.executed && w->run.failure.status == SG_OK)
		put_executed(w);
	else if (w->run.result.status == SG_RUN_REJECTED)
		put_rejected(w);
	else if (w->run.failure.status == SG_OK)
		note(w, "nothing was executed: ",
		     w->run.result.message.n ? w->run.result.message
					     : sg_str_c(sg_run_status_name(
						       w->run.result.status)));
	return status;
}

static int
put(struct work *w, int status)
{
	int number;

	if (w->opts->json)
		status = put_json(w, status);
	else
		status = put_text(w, status);
	if (w->run.failure.status != SG_OK)
		sg_say_err(&w->run.failure);
	status = sg_term_put(&w->out, status, SG_EXIT_FAILED);
	if (!sg_term_write(2, &w->err, &number) && status == SG_EXIT_OK)
		status = SG_EXIT_FAILED;
	return status;
}

/* Images and files go to disk before anything is said about them. */
static int
save(struct work *w, int status)
{
	struct sg_err err;

	sg_err_clear(&err);
	if (!w->opts->out || !w->run.result.executed ||
	    sg_save(&w->run.result, w->opts->out, &w->arena, &w->saved, &err) ==
		    SG_OK)
		return status;
	sg_say_err(&err);
	w->run.result.nimages = w->run.result.nfiles = 0;
	return SG_EXIT_FAILED;
}

static int
execute(struct work *w)
{
	struct sg_err err;
	int status;

	sg_err_clear(&err);
	if (catch_signals(&err) < 0) {
		sg_say_err(&err);
		return SG_EXIT_FAILED;
	}
	w->spec.box.cancel_fd = cancel_fd;
	sg_arena_init(&w->arena, sg_run_arena_size(&w->spec.box.limits));
	(void)sg_run(w->job.gate, &w->spec, &w->arena, &w->run);
	if (w->opts->no_gate)
		sg_say("WARNING: --no-gate: the verdict '%s' (%u finding%s) "
		       "was not enforced",
		       sg_decision_name(w->run.check.verdict.decision),
		       w->run.check.verdict.nfindings,
		       w->run.check.verdict.nfindings == 1 ? "" : "s");
	status = sg_run_exit_status(&w->run);
	return put(w, save(w, status));
}

/* Nothing was even judged; JSON says so in the usual shape. */
static int
put_unprepared(struct work *w, const struct sg_err *failure)
{
	const struct sg_report_opts json = { .file = w->name };
	struct sg_err err;

	sg_say_err(failure);
	if (!w->opts->json)
		return SG_EXIT_FAILED;
	sg_err_clear(&err);
	if (sg_report_failure(failure, &json, &w->out, &err) < 0) {
		sg_say_err(&err);
		return SG_EXIT_FAILED;
	}
	sg_buf_char(&w->out, '\n');
	return sg_term_put(&w->out, SG_EXIT_FAILED, SG_EXIT_FAILED);
}

static bool
good_usage(const struct sg_args *args, const struct run *f)
{
	uint32_t inputs = f->input && strcmp(f->input, "-") == 0;

	if (args->n == 0) {
		sg_say("run: no script is named; '-' is standard input");
		return false;
	}
	if (args->n > 1 && !args->dashes) {
		sg_say("run: what to do with '%s'? Arguments of the program "
		       "come after '--'",
		       args->v[1]);
		return false;
	}
	if (args->dashes && args->before > 1) {
		sg_say("run: one script at a time, please: '%s'", args->v[1]);
		return false;
	}
	for (uint32_t i = 0; i < f->files.n; i++)
		inputs += f->files.v[i][0] == '-' &&
			  (f->files.v[i][1] == '\0' || f->files.v[i][1] == ':');
	if (inputs + (strcmp(args->v[0], "-") == 0) > 1) {
		sg_say("run: standard input is wanted twice");
		return false;
	}
	return true;
}

static void
release(struct work *w)
{
	for (uint32_t i = 0; i < w->spec.box.nfiles; i++)
		sg_buf_release(&w->input_bytes[i]);
	sg_job_release(&w->job);
	sg_buf_release(&w->code);
	sg_buf_release(&w->input);
	sg_buf_release(&w->out);
	sg_buf_release(&w->err);
	sg_arena_release(&w->arena);
	sg_arena_release(&w->env);
	free(w);
}

static int
run_run(const struct sg_args *args, void *fields)
{
	const struct run *f = fields;
	struct sg_err err;
	struct work *w;
	int status = SG_EXIT_FAILED;

	if (!good_usage(args, f))
		return SG_EXIT_FAILED;
	w = calloc(1, sizeof(*w));
	if (!w) {
		sg_say("out of memory");
		return SG_EXIT_FAILED;
	}
	w->opts = f;
	w->path = args->v[0];
	w->name = sg_job_name(w->path);
	sg_arena_init(&w->env, ENV_MAX);
	sg_buf_init(&w->code, SG_JOB_SOURCE_MAX);
	sg_buf_init(&w->input, SG_TERM_MAX);
	sg_buf_init(&w->out, SG_TERM_MAX);
	sg_buf_init(&w->err, SG_TERM_MAX);
	sg_err_clear(&err);
	if (prepare(w, args, &err) < 0)
		status = put_unprepared(w, &err);
	else
		status = execute(w);
	release(w);
	return status;
}

const struct sg_cmd sg_cmd_run = {
	.name = "run",
	.synopsis = "FILE|- [-- ARGUMENT...]",
	.summary = "judges a script and runs it in the sandbox if it passes",
	.text = "The program's output is passed on; the value of its last "
		"expression follows\nas 'result: ...'.  Exit status: the "
		"program's own, 124 time limit, 125 sandgate\nfailed, 126 "
		"rejected and not executed, 127 no interpreter, 128+n ended "
		"by signal n.\n",
	.opts = options,
	.fields = sizeof(struct run),
	.failed = SG_EXIT_FAILED,
	.run = run_run,
};
