#ifndef SG_CMD_TERM_H
#define SG_CMD_TERM_H

/* What the commands say, and where: results to standard output and nothing
 * else there; notes and errors to standard error. */

#include "base/buf.h"
#include "base/status.h"

enum { SG_TERM_MAX = 1 << 30 }; /* bytes of one output */

/* "sandgate: ..." on standard error, controls made visible. */
void sg_say(const char *fmt, ...) SG_PRINTF(1, 2);
/* The same for an error, with its place and code. */
void sg_say_err(const struct sg_err *err);

/* sg_service_opts.audit_state; `ctx` is not looked at. */
void sg_say_audit(const char *why, void *ctx);

/* Whether to colour what goes to `fd`: a terminal, and no NO_COLOR. */
bool sg_term_colour(int fd);

/*
 * Writes b to standard output and empties it.  Returns `status`, or what
 * must be the exit status instead because the output is lost: `failed`, or
 * SG_EXIT_PIPE when nobody reads it.
 */
int sg_term_put(struct sg_buf *b, int status, int failed);

/* Writes b to `fd` as it is; false when that fails. */
bool sg_term_write(int fd, const struct sg_buf *b, int *ret_errno);

#endif
