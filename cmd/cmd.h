#ifndef SG_CMD_CMD_H
#define SG_CMD_CMD_H

/*
 * The commands.  To add one:
 *
 *	1. write cmd/NAME.c with its fields, its option table and a
 *	   `const struct sg_cmd sg_cmd_NAME`;
 *	2. declare it below and name it in the table of cmd/main.c;
 *	3. describe it in docs/sandgate.1 or a page of its own;
 *	4. pin its exit statuses in tests/cli.
 */

#include "cmd/opt.h"
#include "cmd/term.h"

/* Exit statuses; docs/sandgate.1 lists them by command. */
enum sg_exit {
	SG_EXIT_OK = 0,
	SG_EXIT_REJECT = 1, /* rejected; a test failed; broken; weaker */
	SG_EXIT_ERROR = 2,  /* could not do what was asked */
	SG_EXIT_INTERRUPTED = 75,
	SG_EXIT_TIME = 124, /* run: the rest is for run alone */
	SG_EXIT_FAILED = 125,
	SG_EXIT_REJECTED = 126,
	SG_EXIT_NO_PYTHON = 127,
	SG_EXIT_PIPE = 141 /* nobody reads our output any more */
};

struct sg_cmd {
	const char *name;
	const char *synopsis; /* of the arguments: "FILE..." */
	const char *summary;  /* one line for the list of commands */
	const char *text;     /* for --help, lines ended by LF; or NULL */
	const struct sg_opt *opts;
	size_t fields; /* size of the struct that opts fill in */
	int failed;    /* exit status for bad usage */
	const struct sg_cmd *const *subs; /* NULL-ended; then `run` is NULL */
	int (*run)(const struct sg_args *args, void *fields);
};

extern const struct sg_cmd sg_cmd_check;
extern const struct sg_cmd sg_cmd_run;
extern const struct sg_cmd sg_cmd_serve;
extern const struct sg_cmd sg_cmd_mcp;
extern const struct sg_cmd sg_cmd_filter;
extern const struct sg_cmd sg_cmd_explain;
extern const struct sg_cmd sg_cmd_policy;
extern const struct sg_cmd sg_cmd_audit;
extern const struct sg_cmd sg_cmd_doctor;
extern const struct sg_cmd sg_cmd_hook;
extern const struct sg_cmd sg_cmd_tool_schema;
extern const struct sg_cmd sg_cmd_help;
extern const struct sg_cmd sg_cmd_version;

/* NULL-ended. */
const struct sg_cmd *const *sg_cmd_table(void);
/* The one with that name in `table`, or NULL. */
const struct sg_cmd *sg_cmd_find(const struct sg_cmd *const *table,
				 const char *name);
/* Says that there is no such command, and which one may be meant. */
void sg_cmd_unknown(const struct sg_cmd *const *table, const char *parent,
		    const char *name);
/* Writes the help of a command to standard output; `parent` may be NULL. */
int sg_cmd_usage(const struct sg_cmd *cmd, const char *parent);

#endif
