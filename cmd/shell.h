#ifndef SG_CMD_SHELL_H
#define SG_CMD_SHELL_H

/*
 * Reads a command line as a POSIX shell or bash would, as far as one can
 * without running it: which simple commands there are, with which words,
 * redirections and here-documents, and which of them feeds which.  Commands
 * within lists, groups, loops, functions and substitutions all count: that
 * one may never come to run is not looked at.
 */

#include "base/arena.h"
#include "base/status.h"

enum {
	SG_SH_COMMANDS = 1024,
	SG_SH_WORDS = 512,
	SG_SH_DEPTH = 16,
	SG_SH_VARS = 64,
	SG_SH_TEXT = 1 << 20 /* bytes of one command line */
};

struct sg_sh_word {
	struct sg_str text; /* without quotes, escapes undone */
	bool dynamic;       /* part of it is only known when it runs */
	size_t plain;       /* bytes at its start that were not quoted */
};

enum sg_sh_op {
	SG_SH_IN,       /* < */
	SG_SH_OUT,      /* > >| &> <> */
	SG_SH_APPEND,   /* >> &>> */
	SG_SH_DOCUMENT, /* <<: `word` is the whole body */
	SG_SH_STRING,   /* <<<: `word` is the text, without its line end */
	SG_SH_COPY      /* >& <& */
};

struct sg_sh_redir {
	enum sg_sh_op op;
	int fd; /* -1: what the operator means by itself */
	struct sg_sh_word word;
	struct sg_sh_redir *next;
};

enum { SG_SH_FEED_NONE = -1, SG_SH_FEED_MANY = -2 };

struct sg_sh_command {
	const struct sg_sh_word *words; /* assignments in front included */
	uint32_t nwords;
	struct sg_sh_redir *redirs; /* in order */
	int feed; /* index of the command whose output it reads; or NONE; or
		     MANY: a group's */
};

struct sg_sh_var {
	struct sg_str name, value;
};

struct sg_sh {
	struct sg_arena *arena; /* borrowed; owns all of it */
	const char *home;       /* of `~` and $HOME; NULL unknown */
	struct sg_sh_command *v;
	uint32_t n;
	struct sg_sh_var vars[SG_SH_VARS]; /* set by the text itself */
	uint32_t nvars;
};

/* `home` is borrowed; must outlive. */
SG_MUST_CHECK int sg_sh_init(struct sg_sh *sh, const char *home,
			     struct sg_arena *arena, struct sg_err *err);

/*
 * Appends the commands of `text`, those of a substitution before the one that
 * it is part of.  SG_EPARSE (an unclosed quote or parenthesis), SG_ELIMIT,
 * SG_ENOMEM.
 */
SG_MUST_CHECK int sg_sh_parse(struct sg_sh *sh, struct sg_str text,
			      struct sg_err *err);

#endif
