#ifndef SG_BASE_BASE64_H
#define SG_BASE_BASE64_H

/* Reads base64 (RFC 4648, standard alphabet, padded); base/json.h writes it. */

#include "base/arena.h"

/*
 * *ret is owned by `a`.  False when the text is not base64 through and
 * through (blanks, line ends, missing padding) or there is no memory: then
 * sg_arena_failed(a).
 */
bool sg_base64_decode(struct sg_str text, struct sg_arena *a,
		      struct sg_str *ret);

#endif
