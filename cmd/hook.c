#include "cmd/hook.h"

#include "base/json.h"
#include "cmd/cmd.h"
#include "cmd/job.h"
#include "cmd/mcp_config.h"
#include "pipeline/render.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

struct hook {
	const char *policy, *audit, *config;
	uint64_t audit_max;
};

#define AT(field) offsetof(struct hook, field)
static const struct sg_opt options[] = {
	{ SG_OPT_TEXT, 'p', "policy", "NAME|FILE",
	  "default, strict, audit, or a YAML file", AT(policy) },
	{ SG_OPT_TEXT, 0, "audit", "FILE",
	  "keep a record of each text that is judged (default: "
	  "SANDGATE_AUDIT)",
	  AT(audit) },
	{ SG_OPT_SIZE, 0, "audit-max", "SIZE",
	  "start a new log file when this one has that size", AT(audit_max) },
	{ SG_OPT_TEXT, 0, "print-config", "AGENT",
	  "print the settings for claude, codex, copilot, cursor or gemini",
	  AT(config) },
	SG_OPT_ALL,
	{ 0 },
};

enum { ARENA = 256 << 20, SHOWN = 10, BLOCKED = 2 };

/* All of one call. */
struct work {
	const struct hook *opts;
	struct sg_arena arena;
	struct sg_hook hook;
	struct sg_job job;
	struct sg_buf event, why; /* why: what the agent is told */
};

/* ---- judging ---- */

struct known {
	struct sg_str rule, message;
	bool used; /* by a finding of the new text */
};

/* Nothing excuses a text that could not be read to its end. */
static bool
is_unread(struct sg_str rule)
{
	return sg_str_starts(rule, SG_STR("syntax.")) ||
	       sg_str_starts(rule, SG_STR("limit.")) ||
	       sg_str_starts(rule, SG_STR("internal."));
}

/* The rejections of what is there now; owned by the arena. */
static uint32_t
judge_before(struct work *w, const struct sg_hook_piece *p,
	     struct known **ret_known)
{
	struct sg_check c;
	struct known *list;
	uint32_t n = 0;

	*ret_known = NULL;
	if (!p->before.p)
		return 0;
	sg_gate_check(w->job.gate, p->before, NULL, &c);
	list = SG_NEWN(&w->arena, struct known, c.verdict.nfindings + 1u);
	for (uint32_t i = 0; list && i < c.verdict.nfindings; i++) {
		const struct sg_finding *f = &c.verdict.findings[i];

		if (f->action != SG_REJECT || is_unread(f->rule))
			continue;
		list[n].rule = sg_arena_dup(&w->arena, f->rule);
		list[n++].message = sg_arena_dup(&w->arena, f->message);
	}
	*ret_known = list;
	return n;
}

static bool
was_there(const struct sg_finding *f, struct known *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (list[i].used || !sg_str_eq(list[i].rule, f->rule) ||
		    !sg_str_eq(list[i].message, f->message))
			continue;
		list[i].used = true;
		return true;
	}
	return false;
}

/* "name:line:column", in a notebook as its cells count their lines. */
static void
tell_place(struct work *w, const struct sg_hook_piece *p, struct sg_place at)
{
	const struct sg_hook_part *in = NULL;

	sg_render_safe(p->name, &w->why);
	for (uint32_t i = 0; i < p->nparts && p->parts[i].line <= at.line; i++)
		in = &p->parts[i];
	if (in) {
		sg_buf_c(&w->why, ", ");
		sg_render_safe(in->name, &w->why);
		at.line += 1 + in->skipped - in->line;
	}
	sg_buf_printf(&w->why, ":%u:%u: ", at.line, at.column);
}

static void
tell(struct work *w, const struct sg_hook_piece *p, const struct sg_finding *f)
{
	tell_place(w, p, f->begin);
	sg_buf_printf(&w->why, "%.*s: ", SG_STR_ARG(f->rule));
	sg_render_safe(f->message, &w->why);
	if (f->hint.n) {
		sg_buf_c(&w->why, "; ");
		sg_render_safe(f->hint, &w->why);
	}
	sg_buf_char(&w->why, '\n');
}

/* False when the text must not come about. */
static bool
judge_piece(struct work *w, const struct sg_hook_piece *p)
{
	const char *path = sg_arena_dup(&w->arena, p->name).p;
	const struct sg_run_spec spec = { .code = p->text,
					  .path = path,
					  .audit = w->job.audit };
	struct known *known;
	uint32_t nknown = judge_before(w, p, &known), bad = 0;
	struct sg_run run;

	if (sg_run_check(w->job.gate, &spec, &run) < 0) {
		sg_buf_printf(&w->why, "%s cannot be judged: %s\n",
			      path ? path : "it", run.failure.msg);
		return false;
	}
	for (uint32_t i = 0; i < run.check.verdict.nfindings; i++) {
		const struct sg_finding *f = &run.check.verdict.findings[i];

		if (f->action != SG_REJECT || was_there(f, known, nknown))
			continue;
		if (bad++ < SHOWN)
			tell(w, p, f);
	}
	if (bad > SHOWN)
		sg_buf_printf(&w->why, "... and %u more\n", bad - SHOWN);
	/* Findings beyond the cap are not seen: they count as new. */
	return bad == 0 && !(run.check.verdict.nsuppressed &&
			     run.check.verdict.decision == SG_REJECT);
}

static int
judge(struct work *w)
{
	const struct sg_job_opts job = { .policy = w->opts->policy,
					 .audit = w->opts->audit,
					 .audit_max = w->opts->audit_max };
	struct sg_err err;
	bool good = true;
	char text[SG_ERR_MSG + SG_ERR_FILE + 64];

	sg_err_clear(&err);
	if (sg_job_open(&job, &w->job, &err) < 0) {
		(void)sg_err_format(&err, text, sizeof(text));
		sg_buf_printf(&w->why, "nothing can be judged: %s\n", text);
		return BLOCKED;
	}
	for (uint32_t i = 0; i < w->hook.npieces; i++)
		good = judge_piece(w, &w->hook.pieces[i]) && good;
	return good ? SG_EXIT_OK : BLOCKED;
}

/* ---- the event ---- */

static int
look(struct work *w)
{
	struct sg_err err;

	sg_err_clear(&err);
	if (sg_job_read("-", &w->event, &err) < 0) {
		sg_buf_printf(&w->why, "the event cannot be read: %s\n",
			      err.msg);
		return BLOCKED;
	}
	if (sg_hook_event(&w->hook, sg_buf_view(&w->event), &err) < 0) {
		sg_buf_printf(&w->why,
			      "the event cannot be read, so nothing in it can "
			      "be judged: %s\n",
			      err.msg);
		return BLOCKED;
	}
	if (w->hook.why[0]) {
		sg_render_safe(sg_str_c(w->hook.why), &w->why);
		sg_buf_char(&w->why, '\n');
		return BLOCKED;
	}
	return w->hook.npieces ? judge(w) : SG_EXIT_OK;
}

/* The reason for Copilot, which shows its model nothing else. */
static void
answer(struct work *w)
{
	struct sg_buf b;
	struct sg_json j;
	int number;

	sg_buf_init(&b, 8 << 20);
	sg_json_init(&j, &b);
	sg_json_object(&j);
	sg_json_kc(&j, "permissionDecision", "deny");
	sg_json_kstr(&j, "permissionDecisionReason", sg_buf_view(&w->why));
	sg_json_end(&j);
	sg_buf_char(&b, '\n');
	if (sg_json_done(&j))
		(void)sg_term_write(1, &b, &number);
	sg_buf_release(&b);
}

static int
run_event(struct work *w)
{
	int status, number;

	sg_arena_init(&w->arena, ARENA);
	sg_buf_init(&w->event, SG_HOOK_EVENT);
	sg_buf_init(&w->why, 1 << 20);
	w->hook.arena = &w->arena;
	w->hook.home = getenv("HOME");
	w->hook.pieces = SG_NEWN(&w->arena, struct sg_hook_piece,
				 SG_HOOK_PIECES);
	sg_buf_printf(&w->why, "sandgate blocked this (policy %s):\n",
		      w->opts->policy ? w->opts->policy : "default");
	status = w->hook.pieces ? look(w) : BLOCKED;
	if (status != SG_EXIT_OK) {
		(void)sg_term_write(2, &w->why, &number);
		if (w->hook.answers)
			answer(w);
	}
	sg_job_release(&w->job);
	sg_buf_release(&w->why);
	sg_buf_release(&w->event);
	sg_arena_release(&w->arena);
	return status;
}

/* ---- settings ---- */

/* For a shell, as agents run it. */
static void
add_quoted(struct sg_buf *b, struct sg_str value)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ_./-+:@%,";
	bool quoted = value.n == 0;

	for (size_t i = 0; i < value.n; i++)
		quoted = quoted ||
			 !memchr(plain, value.p[i], sizeof(plain) - 1);
	if (quoted)
		sg_buf_char(b, '\'');
	for (size_t i = 0; i < value.n; i++)
		if (value.p[i] == '\'')
			sg_buf_c(b, "'\\''");
		else
			sg_buf_char(b, value.p[i]);
	if (quoted)
		sg_buf_char(b, '\'');
}

static void
add_option(struct sg_buf *b, const char *option, const char *value)
{
	struct sg_buf path;

	if (!value)
		return;
	sg_buf_init(&path, 1 << 16);
	sg_config_path(&path, sg_str_c(value));
	sg_buf_printf(b, " --%s ", option);
	add_quoted(b, sg_buf_view(&path));
	sg_buf_release(&path);
}

/* The command of the hook.  With its whole path: agents go on, unguarded,
 * where there is no such program. */
static int
write_command(const struct hook *f, struct sg_buf *b)
{
	struct sg_buf program;
	struct sg_err err;
	int status;

	sg_err_clear(&err);
	status = sg_config_program(&program, &err);
	if (status < 0) {
		sg_say_err(&err);
	} else {
		add_quoted(b, sg_buf_view(&program));
		sg_buf_c(b, " hook");
		add_option(b, "policy", f->policy);
		add_option(b, "audit", f->audit);
		if (f->audit_max)
			sg_buf_printf(b, " --audit-max %llu",
				      (unsigned long long)f->audit_max);
	}
	sg_buf_release(&program);
	return status;
}

static json_t *
nested(const char *event, const char *matcher, const char *command)
{
	return json_pack("{s:{s:[{s:s, s:[{s:s, s:s, s:s}]}]}}", "hooks", event,
			 "matcher", matcher, "hooks", "name", "sandgate",
			 "type", "command", "command", command);
}

static json_t *
for_claude(const char *command)
{
	return json_pack("{s:{s:[{s:s, s:[{s:s, s:s}]}]}}", "hooks",
			 "PreToolUse", "matcher",
			 "Bash|Write|Edit|MultiEdit|NotebookEdit", "hooks",
			 "type", "command", "command", command);
}

static json_t *
for_codex(const char *command)
{
	return json_pack("{s:{s:[{s:s, s:[{s:s, s:s}]}]}}", "hooks",
			 "PreToolUse", "matcher", "Bash|apply_patch|Edit|Write",
			 "hooks", "type", "command", "command", command);
}

static json_t *
for_gemini(const char *command)
{
	return nested("BeforeTool", "run_shell_command|write_file|replace",
		      command);
}

static json_t *
for_copilot(const char *command)
{
	return json_pack("{s:i, s:{s:[{s:s, s:s, s:i}]}}", "version", 1,
			 "hooks", "preToolUse", "type", "command", "bash",
			 command, "timeoutSec", 30);
}

static json_t *
for_cursor(const char *command)
{
	return json_pack("{s:i, s:{s:[{s:s, s:b}], s:[{s:s, s:s, s:b}]}}",
			 "version", 1, "hooks", "beforeShellExecution",
			 "command", command, "failClosed", 1, "preToolUse",
			 "command", command, "matcher", "Write|Edit",
			 "failClosed", 1);
}

static const struct {
	const char *name;
	json_t *(*make)(const char *command);
} agents[] = {
	{ "claude", for_claude },   { "codex", for_codex },
	{ "copilot", for_copilot }, { "cursor", for_cursor },
	{ "gemini", for_gemini },
};

static int
print_config(const struct hook *f)
{
	int status = SG_EXIT_ERROR;
	struct sg_buf b;

	sg_buf_init(&b, 1 << 18);
	if (write_command(f, &b) < 0) {
		sg_buf_release(&b);
		return SG_EXIT_ERROR;
	}
	for (size_t i = 0; i < sizeof(agents) / sizeof(agents[0]); i++) {
		json_t *v;
		char *text;

		if (strcmp(agents[i].name, f->config) != 0)
			continue;
		v = agents[i].make(b.data);
		text = json_dumps(v, JSON_INDENT(2));
		json_decref(v);
		sg_buf_reset(&b);
		sg_buf_c(&b, text ? text : "");
		sg_buf_char(&b, '\n');
		free(text);
		status = sg_term_put(&b, SG_EXIT_OK, SG_EXIT_ERROR);
		sg_buf_release(&b);
		return status;
	}
	sg_say("hook: '%s' is none of claude, codex, copilot, cursor, gemini",
	       f->config);
	sg_buf_release(&b);
	return status;
}

static int
run_hook(const struct sg_args *args, void *fields)
{
	struct work *w;
	int status;

	if (args->n) {
		sg_say("hook: '%s' is one argument too many; the event comes "
		       "on standard input",
		       args->v[0]);
		return SG_EXIT_ERROR;
	}
	if (((const struct hook *)fields)->config)
		return print_config(fields);
	w = calloc(1, sizeof(*w));
	if (!w) {
		sg_say("out of memory");
		return SG_EXIT_ERROR;
	}
	w->opts = fields;
	status = run_event(w);
	free(w);
	return status;
}

const struct sg_cmd sg_cmd_hook = {
	.name = "hook",
	.synopsis = "",
	.summary = "judges the Python in what a coding agent is about to do",
	.text = "Reads the event of a hook on standard input.  Exit status: 0 "
		"without a word, it\nmay go on; 2 it is blocked, and standard "
		"error says why.\n",
	.opts = options,
	.fields = sizeof(struct hook),
	.failed = SG_EXIT_ERROR,
	.run = run_hook,
};
