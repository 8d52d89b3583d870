#ifndef SG_CMD_HOOK_H
#define SG_CMD_HOOK_H

/*
 * What a coding agent is about to do, as Python texts to judge.
 *
 *	hook_event.c	the event: which tool, which input
 *	hook_edit.c	files that are written, edited or patched
 *	hook_match.c	where an edit finds its place
 *	hook_cell.c	notebooks
 *	hook_shell.c	command lines: which programs they start
 *	hook_stream.c	what their streams and files hold
 *	hook_python.c	how Python is started, and with which text
 *	hook.c		the command: judges the texts, answers the agent
 *
 * What is recognized as Python but cannot be read before it runs is refused.
 * What is not recognized as Python is no business of the hook.
 */

#include "base/arena.h"
#include "base/buf.h"
#include "base/status.h"
#include "cmd/shell.h"

enum {
	SG_HOOK_PIECES = 256,
	SG_HOOK_FILES = 64,
	SG_HOOK_FOLDERS = 8,
	SG_HOOK_DEPTH = 8, /* shells within shells */
	SG_HOOK_EVENT = 32 << 20,
	SG_HOOK_FILE = 16 << 20, /* bytes of a file that is read */
	SG_HOOK_WHY = 512
};

/* One text to judge. */
struct sg_hook_piece {
	struct sg_str name; /* for people: a path, or "python -c" */
	struct sg_str text;
	struct sg_str before; /* what the file holds now; .p NULL: it is new.
				 Only what `text` brings in counts then */
	const struct sg_hook_part *parts; /* of a notebook, in order */
	uint32_t nparts;
};
/* A cell: where it begins in the text, and how many of its lines are left out
   before that. */
struct sg_hook_part {
	struct sg_str name;
	uint32_t line, skipped;
};

/* A file that the command line itself writes before it is run. */
struct sg_hook_file {
	struct sg_str path, text;
	bool known; /* else `text` is not */
};

struct sg_hook {
	struct sg_arena *arena; /* borrowed; owns everything here */
	const char *home;
	/* Where commands may run: that of the event, then those of `cd`. */
	struct sg_str folders[SG_HOOK_FOLDERS];
	uint32_t nfolders;
	bool lost; /* there was a `cd` to where nobody knows */
	struct sg_hook_piece *pieces;
	uint32_t npieces;
	struct sg_hook_file files[SG_HOOK_FILES];
	uint32_t nfiles;
	uint32_t depth;
	bool lenient; /* what cannot be read as a shell's is let pass */
	bool answers; /* the agent reads the reason from standard output */
	char why[SG_HOOK_WHY]; /* refused: the reason; "": not */
};

/* Fills `h` from an event.  SG_EPARSE when it is no event. */
SG_MUST_CHECK int sg_hook_event(struct sg_hook *h, struct sg_str text,
				struct sg_err *err);

/* NULL: there are too many, which is a reason to refuse. */
struct sg_hook_piece *sg_hook_add(struct sg_hook *h, struct sg_str name,
				  struct sg_str text, struct sg_str before);
/* The first reason stays. */
void sg_hook_refuse(struct sg_hook *h, const char *fmt, ...) SG_PRINTF(2, 3);

/* The name with the first folder before it, unless it is absolute. */
struct sg_str sg_hook_path(const struct sg_hook *h, struct sg_str name);
/* A file's text; .p NULL when there is none or it cannot be read. */
struct sg_str sg_hook_read(const struct sg_hook *h, struct sg_str path);

bool sg_hook_is_python(struct sg_str path); /* its name ends so */
bool sg_hook_is_notebook(struct sg_str path);

/* ---- hook_match.c ---- */

struct sg_hook_place {
	size_t at, end;
	bool lines; /* whole lines that differ in the blanks around them */
};
/* Where an agent's editor finds `part` in `text`, at or after `from`. */
bool sg_hook_find(struct sg_str text, struct sg_str part, size_t from,
		  struct sg_hook_place *ret);

/* ---- hook_edit.c, hook_cell.c ---- */

/* All of a file is written: Python or a notebook, or nothing of ours. */
void sg_hook_write(struct sg_hook *h, struct sg_str path, struct sg_str text);

struct sg_hook_change {
	struct sg_str from, to;
	bool all;
	bool indent; /* where only lines are alike, `to` is moved to them */
};
void sg_hook_edit(struct sg_hook *h, struct sg_str path,
		  const struct sg_hook_change *changes, uint32_t n);
/* `mode`: "replace", "insert", "delete" or empty; `id` may be empty. */
void sg_hook_cell(struct sg_hook *h, struct sg_str path, struct sg_str id,
		  struct sg_str source, struct sg_str mode);
/* "*** Begin Patch" and so on. */
void sg_hook_patch(struct sg_hook *h, struct sg_str patch);
/* All code cells of a notebook, as one script. */
void sg_hook_notebook(struct sg_hook *h, struct sg_str path, struct sg_str json,
		      struct sg_str before);

/* ---- hook_shell.c, hook_stream.c, hook_python.c ---- */

void sg_hook_shell(struct sg_hook *h, struct sg_str text);

/* A command with what it takes from the rest of its command line. */
struct sg_hook_call {
	const struct sg_sh *sh;
	const struct sg_sh_command *cmd;
	const struct sg_sh_word *argv; /* wrappers are gone from its front */
	uint32_t argc;
	bool appended; /* more arguments come from elsewhere: xargs */
};

/* The last part of a path. */
struct sg_str sg_hook_base(struct sg_str path);
/* A name that Python interpreters have. */
bool sg_hook_is_interpreter(struct sg_str base);
/* True when the text speaks of Python at all. */
bool sg_hook_mentions(struct sg_str text);
/* argv[0] is an interpreter, or, with `script`, the script itself. */
void sg_hook_python(struct sg_hook *h, const struct sg_hook_call *call,
		    bool script);
/* The Python files among the arguments, where a program runs such. */
void sg_hook_scripts(struct sg_hook *h, const struct sg_hook_call *call);
/* A Python file that is about to run. */
void sg_hook_run(struct sg_hook *h, struct sg_str path);
enum sg_hook_seen {
	SG_HOOK_NOTHING, /* there is none */
	SG_HOOK_EMPTY,   /* it is at its end: /dev/null */
	SG_HOOK_TEXT,    /* *ret is all of it */
	SG_HOOK_UNKNOWN  /* only known when it runs */
};
/* What standard input of the command will hold. */
enum sg_hook_seen sg_hook_input(struct sg_hook *h,
				const struct sg_hook_call *call,
				struct sg_str *ret);
/* What it will write to standard output. */
enum sg_hook_seen sg_hook_output(struct sg_hook *h,
				 const struct sg_hook_call *call,
				 struct sg_str *ret);
/* What a file will hold when the command runs. */
enum sg_hook_seen sg_hook_file(struct sg_hook *h, struct sg_str name,
			       struct sg_str *ret);
/* Files that the command writes, for those after it. */
void sg_hook_writes(struct sg_hook *h, const struct sg_hook_call *call);

#endif
