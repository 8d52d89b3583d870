#ifndef SG_CMD_OPT_H
#define SG_CMD_OPT_H

/*
 * Options as tables.  One table parses the command line, prints --help and is
 * held against the manual page by a test (`sandgate help --options COMMAND`).
 *
 * `--` ends options, `-` is an argument, `--name=VALUE` and `--name VALUE`
 * are the same, as are `-j4` and `-j 4`; options may follow arguments.
 *
 * The option of kind SG_OPT_CONFIG names a file of lines `name = value`, or
 * `name` for a flag; `#` begins a comment.  The names are those of the
 * table.  What the command line gives takes its place; lists add up.
 */

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sg_opt_kind {
	SG_OPT_END = 0,
	SG_OPT_FLAG,   /* bool: set to true */
	SG_OPT_TEXT,   /* const char *: the value */
	SG_OPT_LIST,   /* struct sg_opt_list: values, in order */
	SG_OPT_SIZE,   /* uint64_t: bytes; 64K, 512MiB, 1g */
	SG_OPT_TIME,   /* uint64_t: milliseconds; 2, 0.5, 2s, 500ms */
	SG_OPT_COUNT,  /* uint64_t: a whole number, not 0 */
	SG_OPT_NUMBER, /* struct sg_opt_number: a whole number */
	SG_OPT_CONFIG  /* no field: a file with more options */
};

struct sg_opt_number {
	bool given;
	uint64_t value;
};

struct sg_opt {
	enum sg_opt_kind kind;
	char letter;       /* 0 none */
	const char *name;  /* without the dashes */
	const char *value; /* what --help calls the value; NULL for a flag */
	const char *help;
	size_t offset; /* of the field in the command's struct */
};

#define SG_OPT_ALL                                                         \
	{                                                                  \
		SG_OPT_FLAG, 'h', "help", NULL, "show this help", SIZE_MAX \
	}

enum { SG_OPT_LIST_MAX = 256 };

struct sg_opt_list {
	const char *v[SG_OPT_LIST_MAX];
	uint32_t n;
};

/* What is left of a command line. */
struct sg_args {
	const char **v; /* the arguments, and what fields point to; belongs to
			   the caller: free() */
	uint32_t n;
	uint32_t before; /* how many of them stood before a `--` */
	bool dashes;     /* there was a `--` */
	bool help;       /* --help was given; nothing else was looked at */
};

/*
 * Parses argv[1 ..] into `fields` (of the command's own type) and *ret.
 * SG_EUSAGE says what is wrong and, where there is one, names the option that
 * was meant.
 */
SG_MUST_CHECK int sg_opt_parse(const struct sg_opt *table, int argc,
			       char **argv, void *fields, struct sg_args *ret,
			       struct sg_err *err);

/* "512MiB" to bytes, "0.5" to milliseconds.  SG_EUSAGE. */
SG_MUST_CHECK int sg_opt_size(const char *text, uint64_t *ret,
			      struct sg_err *err);
SG_MUST_CHECK int sg_opt_time(const char *text, uint64_t *ret,
			      struct sg_err *err);

#endif
