#include "cmd/cmd.h"

#include "analyzer/analysis.h"

#include <stdio.h>
#include <stdlib.h>

struct help {
	bool options; /* the options of a command, one a line, for tests */
};

static const struct sg_opt options[] = {
	{ SG_OPT_FLAG, 0, "options", NULL,
	  "print the names of the options only",
	  offsetof(struct help, options) },
	SG_OPT_ALL,
	{ 0 },
};

static const struct sg_opt plain[] = { SG_OPT_ALL, { 0 } };

static void
list_options(const struct sg_opt *o, struct sg_buf *b)
{
	char left[80];

	sg_buf_c(b, "\noptions:\n");
	for (; o->kind != SG_OPT_END; o++) {
		int n = snprintf(left, sizeof(left), "%c%c%s--%s%s%s",
				 o->letter ? '-' : ' ',
				 o->letter ? o->letter : ' ',
				 o->letter ? ", " : "  ", o->name,
				 o->value ? " " : "", o->value ? o->value : "");

		sg_buf_printf(
			b,
			n <= 28 ? "  %-28s  %s\n"
				: "  %s\n                                %s\n",
			left, o->help);
	}
}

static void
list_commands(const struct sg_cmd *const *table, struct sg_buf *b)
{
	sg_buf_c(b, "\ncommands:\n");
	for (; *table; table++)
		sg_buf_printf(b, "  %-10s  %s\n", (*table)->name,
			      (*table)->summary);
}

int
sg_cmd_usage(const struct sg_cmd *cmd, const char *parent)
{
	struct sg_buf b;
	int status;

	sg_buf_init(&b, SG_TERM_MAX);
	sg_buf_printf(&b, "usage: sandgate %s%s%s%s %s\n", parent ? parent : "",
		      parent ? " " : "", cmd->name,
		      cmd->subs ? "" : " [OPTION...]", cmd->synopsis);
	sg_buf_printf(&b, "%s\n", cmd->summary);
	if (cmd->text)
		sg_buf_printf(&b, "\n%s", cmd->text);
	if (cmd->subs)
		list_commands(cmd->subs, &b);
	else
		list_options(cmd->opts, &b);
	status = sg_term_put(&b, SG_EXIT_OK, SG_EXIT_ERROR);
	sg_buf_release(&b);
	return status;
}

static int
overview(void)
{
	struct sg_buf b;
	int status;

	sg_buf_init(&b, SG_TERM_MAX);
	sg_buf_c(&b, "usage: sandgate COMMAND [OPTION...] [ARGUMENT...]\n"
		     "Judges Python scripts by a policy and runs what passes "
		     "in a sandbox.\n");
	list_commands(sg_cmd_table(), &b);
	sg_buf_c(&b, "\n'sandgate help COMMAND' says more about one.\n");
	status = sg_term_put(&b, SG_EXIT_OK, SG_EXIT_ERROR);
	sg_buf_release(&b);
	return status;
}

static int
names_of_options(const struct sg_cmd *cmd)
{
	struct sg_buf b;
	int status;

	sg_buf_init(&b, SG_TERM_MAX);
	for (const struct sg_opt *o = cmd->opts; o && o->kind != SG_OPT_END;
	     o++)
		sg_buf_printf(&b, "--%s\n", o->name);
	status = sg_term_put(&b, SG_EXIT_OK, SG_EXIT_ERROR);
	sg_buf_release(&b);
	return status;
}

static int
run_help(const struct sg_args *args, void *fields)
{
	const struct help *f = fields;
	const struct sg_cmd *const *table = sg_cmd_table();
	const struct sg_cmd *cmd = NULL;
	const char *parent = NULL;

	for (uint32_t i = 0; i < args->n; i++) {
		if (cmd)
			parent = cmd->name;
		cmd = table ? sg_cmd_find(table, args->v[i]) : NULL;
		if (!cmd) {
			sg_cmd_unknown(table ? table : sg_cmd_table(), parent,
				       args->v[i]);
			return SG_EXIT_ERROR;
		}
		table = cmd->subs;
	}
	if (!cmd)
		return overview();
	return f->options ? names_of_options(cmd) : sg_cmd_usage(cmd, parent);
}

static int
run_version(const struct sg_args *args, void *fields)
{
	struct sg_buf b;
	int status;

	(void)fields;
	if (args->n) {
		sg_say("version: '%s' is one argument too many", args->v[0]);
		return SG_EXIT_ERROR;
	}
	sg_buf_init(&b, SG_TERM_MAX);
	sg_buf_printf(&b, "sandgate %s (%s)\n", SG_VERSION,
		      sg_analyzer_versions());
	status = sg_term_put(&b, SG_EXIT_OK, SG_EXIT_ERROR);
	sg_buf_release(&b);
	return status;
}

const struct sg_cmd sg_cmd_help = {
	.name = "help",
	.synopsis = "[COMMAND...]",
	.summary = "says what a command does and which options it has",
	.opts = options,
	.fields = sizeof(struct help),
	.failed = SG_EXIT_ERROR,
	.run = run_help,
};

const struct sg_cmd sg_cmd_version = {
	.name = "version",
	.synopsis = "",
	.summary = "prints the versions of sandgate and of its parser",
	.opts = plain,
	.failed = SG_EXIT_ERROR,
	.run = run_version,
};
