#ifndef SG_CMD_HTTP_GUARD_H
#define SG_CMD_HTTP_GUARD_H

/*
 * Who may speak to the HTTP server: tokens, and the names by which browsers
 * may reach it.
 *
 * A token is a line of a file; several may hold, so that one can be replaced
 * by another while both are in use.  The names are against web pages that
 * make a browser send requests: one of an attacker who made his own name
 * point to 127.0.0.1 carries that name as Host, one of another page carries
 * that page's Origin.  An IP address as Host is nobody's name.
 */

#include "base/digest.h"
#include "base/status.h"
#include "cmd/opt.h"

#include <pthread.h>

enum {
	SG_GUARD_TOKENS = 64,
	SG_GUARD_TOKEN_MIN = 16, /* characters; shorter ones get guessed */
	SG_GUARD_TOKEN_MAX = 512
};

struct sg_guard {
	const char *token_file;            /* NULL: no token is wanted */
	const struct sg_opt_list *hosts;   /* names beside localhost */
	const struct sg_opt_list *origins; /* "https://page", or "*" */
	pthread_mutex_t lock;
	struct sg_digest tokens[SG_GUARD_TOKENS];
	uint32_t ntokens;
};

/* All three are borrowed; must outlive.  SG_EUSAGE, SG_EIO. */
SG_MUST_CHECK int sg_guard_init(struct sg_guard *g, const char *token_file,
				const struct sg_opt_list *hosts,
				const struct sg_opt_list *origins,
				struct sg_err *err);
void sg_guard_release(struct sg_guard *g);
/* Reads the tokens anew; a failure leaves the old ones. */
SG_MUST_CHECK int sg_guard_reload(struct sg_guard *g, struct sg_err *err);

/*
 * Whether one of the tokens was sent: `authorization` is the field of that
 * name, `api_key` that of X-Api-Key; either may be NULL.  Takes the same time
 * whatever is wrong with a token.
 */
bool sg_guard_token(struct sg_guard *g, const char *authorization,
		    const char *api_key);

/* Whether a Host field names this machine. */
bool sg_guard_host(const struct sg_guard *g, const char *host);

enum sg_guard_origin {
	SG_ORIGIN_BAD,
	SG_ORIGIN_SAME,  /* a page of this server */
	SG_ORIGIN_LISTED /* may read replies */
};

enum sg_guard_origin sg_guard_origin(const struct sg_guard *g,
				     const char *origin, const char *host);

#endif
