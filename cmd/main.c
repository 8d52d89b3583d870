#include "cmd/cmd.h"

#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct sg_cmd *const commands[] = {
	&sg_cmd_check,       &sg_cmd_run,
	&sg_cmd_serve,       &sg_cmd_mcp,
	&sg_cmd_filter,      &sg_cmd_explain,
	&sg_cmd_policy,      &sg_cmd_audit,
	&sg_cmd_doctor,      &sg_cmd_hook,
	&sg_cmd_tool_schema, &sg_cmd_help,
	&sg_cmd_version,     NULL,
};

const struct sg_cmd *const *
sg_cmd_table(void)
{
	return commands;
}

const struct sg_cmd *
sg_cmd_find(const struct sg_cmd *const *table, const char *name)
{
	for (; *table; table++) {
		if (strcmp((*table)->name, name) == 0)
			return *table;
	}
	return NULL;
}

void
sg_cmd_unknown(const struct sg_cmd *const *table, const char *parent,
	       const char *name)
{
	const char *best = NULL, *gap = parent ? " " : "";
	uint32_t nearest = 3;

	for (; *table; table++) {
		uint32_t d = sg_str_distance(sg_str_c(name),
					     sg_str_c((*table)->name), 3);

		/* Half of it may be mistyped, no more. */
		if (d < nearest && d * 2 <= strlen(name)) {
			nearest = d;
			best = (*table)->name;
		}
	}
	parent = parent ? parent : "";
	if (best)
		sg_say("unknown command '%s%s%s'; did you mean '%s'?", parent,
		       gap, name, best);
	else
		sg_say("unknown command '%s%s%s'; 'sandgate help%s%s' lists "
		       "them",
		       parent, gap, name, gap, parent);
}

/* The standard descriptors must be open, or the next file opened would be
 * taken for one of them. */
static bool
open_standard(void)
{
	int fd = open("/dev/null", O_RDWR);

	while (fd >= 0 && fd <= 2)
		fd = open("/dev/null", O_RDWR);
	if (fd > 2)
		(void)close(fd);
	return fd > 2;
}

static int
call(const struct sg_cmd *cmd, const char *parent, int argc, char **argv)
{
	struct sg_args args;
	struct sg_err err;
	void *fields;
	int status;

	sg_err_clear(&err);
	fields = calloc(1, cmd->fields ? cmd->fields : 1);
	if (!fields) {
		sg_say("out of memory");
		return cmd->failed;
	}
	if (sg_opt_parse(cmd->opts, argc, argv, fields, &args, &err) < 0) {
		sg_say("%s%s%s: %s; see 'sandgate %s%s%s --help'",
		       parent ? parent : "", parent ? " " : "", cmd->name,
		       err.msg, parent ? parent : "", parent ? " " : "",
		       cmd->name);
		free(fields);
		return cmd->failed;
	}
	status = args.help ? sg_cmd_usage(cmd, parent)
			   : cmd->run(&args, fields);
	free(args.v);
	free(fields);
	return status;
}

static int
call_sub(const struct sg_cmd *cmd, int argc, char **argv)
{
	const struct sg_cmd *sub;

	if (argc < 2) {
		sg_say("'%s' wants a command; see 'sandgate %s --help'",
		       cmd->name, cmd->name);
		return cmd->failed;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return sg_cmd_usage(cmd, NULL);
	sub = sg_cmd_find(cmd->subs, argv[1]);
	if (!sub) {
		sg_cmd_unknown(cmd->subs, cmd->name, argv[1]);
		return cmd->failed;
	}
	return call(sub, cmd->name, argc - 1, argv + 1);
}

/* `sandgate --help` and `sandgate --version` are commands, too. */
static const char *
command_name(const char *arg)
{
	if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0)
		return "help";
	if (strcmp(arg, "--version") == 0 || strcmp(arg, "-V") == 0)
		return "version";
	return arg;
}

int
main(int argc, char **argv)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	const struct sg_cmd *cmd;

	if (!open_standard())
		return SG_EXIT_ERROR;
	/* A reader that goes away, or a limit on the size of files, is an
	 * error of a write, not a death. */
	(void)sigaction(SIGPIPE, &ignore, NULL);
	(void)sigaction(SIGXFSZ, &ignore, NULL);
	if (argc < 2) {
		sg_say("no command is given; 'sandgate help' lists them");
		return SG_EXIT_ERROR;
	}
	cmd = sg_cmd_find(commands, command_name(argv[1]));
	if (!cmd) {
		sg_cmd_unknown(commands, NULL, argv[1]);
		return SG_EXIT_ERROR;
	}
	if (cmd->subs)
		return call_sub(cmd, argc - 1, argv + 1);
	return call(cmd, NULL, argc - 1, argv + 1);
}
