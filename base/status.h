#ifndef SG_BASE_STATUS_H
#define SG_BASE_STATUS_H

/*
 * How every function of sandgate says that it failed.
 *
 * A function that can fail returns enum sg_status and takes a struct
 * sg_err last, which it fills on failure only.  A message is one line, with
 * no capital and no full stop, names in single quotes; the place goes into
 * the place fields, never into the text.
 *
 * These statuses speak of sandgate itself.  What was found in a script is a
 * verdict (policy/verdict.h); what a program did is a result
 * (executor/result.h).  The three are never one code.
 */

#include <stdint.h>

#define SG_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define SG_MUST_CHECK __attribute__((warn_unused_result))

enum sg_status {
	SG_OK = 0,
	SG_ENOMEM = -1,    /* memory refused, by the system or by a cap */
	SG_EIO = -2,       /* the system refused a file or pipe operation */
	SG_EUSAGE = -3,    /* the caller asked for what makes no sense */
	SG_ELIMIT = -4,    /* a cap of ours was reached */
	SG_EPARSE = -5,    /* a document (YAML, JSON, frame) is malformed */
	SG_EPOLICY = -6,   /* a policy is well-formed and wrong */
	SG_EBOX = -7,      /* the box could not be built; nothing ran */
	SG_EAUDIT = -8,    /* a record could not be made durable */
	SG_ENOENT = -9,    /* what was named is not there */
	SG_EBROKEN = -10,  /* an audit log does not verify */
	SG_EINTERNAL = -11 /* a bug of ours */
};

enum { SG_ERR_FILE = 256, SG_ERR_CODE = 48, SG_ERR_MSG = 512 };

struct sg_err {
	enum sg_status status;
	int sys;                /* errno, 0 where none is behind it */
	uint32_t line;          /* 1-based, 0 unknown */
	uint32_t column;        /* 1-based, in code points, 0 unknown */
	char file[SG_ERR_FILE]; /* "" unknown */
	char code[SG_ERR_CODE]; /* "policy.unknown-key" and so on, or "" */
	char msg[SG_ERR_MSG];
};

/* Makes *err empty, with status SG_OK. */
void sg_err_clear(struct sg_err *err);

/*
 * Fills *err (which may be NULL) and returns `status`, so that a caller can
 * write `return sg_err_set(err, SG_EIO, "...")`.  *err must have been made
 * empty before its first use; place and code that were put into an empty
 * error are kept, those of an earlier failure are not.  Control characters
 * in the message become blanks.
 */
int sg_err_set(struct sg_err *err, enum sg_status status, const char *fmt, ...)
	SG_PRINTF(3, 4);

/* As sg_err_set(), with errno number `sys` kept and its text appended. */
int sg_err_sys(struct sg_err *err, enum sg_status status, int sys,
	       const char *fmt, ...) SG_PRINTF(4, 5);

#ifdef SG_ANALYZE
/*
 * For static analyzers, which see one file at a time: both return what they
 * are given, hence never SG_OK.
 */
#define sg_err_set(err, status, ...) \
	((void)(sg_err_set)((err), (status), __VA_ARGS__), (int)(status))
#define sg_err_sys(err, status, sys, ...) \
	((void)(sg_err_sys)((err), (status), (sys), __VA_ARGS__), (int)(status))
#endif

/* Adds the place; `file` may be NULL.  Returns err->status. */
int sg_err_at(struct sg_err *err, const char *file, uint32_t line,
	      uint32_t column);

/* Adds the machine-readable code.  Returns err->status. */
int sg_err_code(struct sg_err *err, const char *code);

/* "out of memory" and so on: static text for a status. */
const char *sg_status_text(enum sg_status status);

/*
 * Writes "file:line:column: message [code]" into `buf` with as much of it
 * as is known; always ends it with NUL.  Returns buf.
 */
char *sg_err_format(const struct sg_err *err, char *buf, uint32_t size);

#endif
