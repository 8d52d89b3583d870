/* `sandgate policy lint`. */

#include "cmd/policy.h"
#include "cmd/policy_place.h"

#include "base/json.h"
#include "pipeline/render.h"

struct lint {
	bool quiet;
	const char *format;
};

#define LINT(field) offsetof(struct lint, field)
static const struct sg_opt options[] = {
	{ SG_OPT_FLAG, 'q', "quiet", NULL, "say nothing of good policies",
	  LINT(quiet) },
	{ SG_OPT_TEXT, 'f', "format", "FORMAT",
	  "text (default), or json: one object a line for each policy",
	  LINT(format) },
	SG_OPT_ALL,
	{ 0 },
};

/* An error or a warning. */
struct problem {
	const char *level, *code, *file;
	uint32_t line, column;
	struct sg_str message;
};

static void
put_problem(struct sg_json *j, const struct problem *p)
{
	struct sg_str message, word;

	sg_policy_suggestion(p->message, &message, &word);
	sg_json_object(j);
	sg_json_kc(j, "level", p->level);
	sg_json_kc(j, "code", p->code[0] != '\0' ? p->code : NULL);
	sg_json_kc(j, "file", p->file[0] != '\0' ? p->file : NULL);
	if (p->line > 0) {
		sg_json_kuint(j, "line", p->line);
		sg_json_kuint(j, "column", p->column);
	}
	sg_json_kstr(j, "message", message);
	if (word.n > 0)
		sg_json_kstr(j, "suggestion", word);
	sg_json_end(j);
}

static void
put_json(const char *name, const struct sg_policy *p, const struct sg_err *err,
	 struct sg_buf *b)
{
	const struct sg_policy_warning *w = NULL;
	struct sg_json j;
	uint32_t i, n = 0;

	if (p != NULL)
		w = sg_policy_warnings(p, &n);
	sg_json_init(&j, b);
	sg_json_object(&j);
	sg_json_kc(&j, "policy", name);
	sg_json_kbool(&j, "good", p != NULL);
	if (p != NULL)
		sg_json_kuint(&j, "rules", sg_policy_rule_count(p));
	sg_json_key(&j, "problems");
	sg_json_array(&j);
	if (p == NULL)
		put_problem(&j,
			    &(struct problem){ "error", err->code, err->file,
					       err->line, err->column,
					       sg_str_c(err->msg) });
	for (i = 0; i < n; i++)
		put_problem(&j, &(struct problem){ "warning", w[i].code,
						   w[i].file, w[i].line,
						   w[i].column, w[i].message });
	sg_json_end(&j);
	sg_json_end(&j);
	sg_buf_char(b, '\n');
}

static void
put_text(const char *name, const struct sg_policy *p, bool quiet,
	 struct sg_buf *b)
{
	const struct sg_policy_warning *w;
	uint32_t i, n;

	w = sg_policy_warnings(p, &n);
	for (i = 0; i < n; i++) {
		sg_render_safe(sg_str_c(w[i].file), b);
		sg_buf_printf(b, ":%u:%u: warning: ", w[i].line, w[i].column);
		sg_render_safe(w[i].message, b);
		sg_buf_printf(b, " [%s]\n", w[i].code);
		sg_policy_excerpt(w[i].file, w[i].line, w[i].column, b);
	}
	if (quiet)
		return;
	sg_render_safe(sg_str_c(name), b);
	sg_buf_printf(b, ": good, %u rules", sg_cmd_rule_count(p));
	if (n > 0)
		sg_buf_printf(b, ", %u warning%s", n, n == 1 ? "" : "s");
	sg_buf_char(b, '\n');
}

static int
lint_one(const char *name, const struct lint *f, bool json, struct sg_buf *b)
{
	struct sg_policy *p = NULL;
	struct sg_err err;
	int status;

	sg_err_clear(&err);
	status = sg_policy_open(name, &p, &err) == SG_OK
			 ? SG_EXIT_OK
			 : sg_cmd_policy_status(&err);
	if (json)
		put_json(name, p, &err, b);
	else if (p != NULL)
		put_text(name, p, f->quiet, b);
	else
		sg_say_err(&err);
	sg_policy_free(p);
	return sg_term_put(b, status, SG_EXIT_ERROR);
}

static int
run_lint(const struct sg_args *args, void *fields)
{
	const struct lint *f = fields;
	bool json = f->format != NULL && strcmp(f->format, "json") == 0;
	int worst = SG_EXIT_OK;
	struct sg_buf b;

	if (args->n == 0) {
		sg_say("policy lint: no policy is named");
		return SG_EXIT_ERROR;
	}
	if (f->format != NULL && !json && strcmp(f->format, "text") != 0) {
		sg_say("policy lint: there is no format '%s'; there are text "
		       "and json",
		       f->format);
		return SG_EXIT_ERROR;
	}
	sg_buf_init(&b, SG_TERM_MAX);
	for (uint32_t i = 0; i < args->n; i++) {
		int status = lint_one(args->v[i], f, json, &b);

		if (status > worst)
			worst = status;
	}
	sg_buf_release(&b);
	return worst;
}

const struct sg_cmd sg_cmd_policy_lint = {
	.name = "lint",
	.synopsis = "FILE|NAME...",
	.summary = "says whether policies are well-formed",
	.text = "Exit status: 0 all are, 1 one is not, 2 one could not be "
		"read.\n",
	.opts = options,
	.fields = sizeof(struct lint),
	.failed = SG_EXIT_ERROR,
	.run = run_lint,
};
