#ifndef SG_BASE_UTF8_H
#define SG_BASE_UTF8_H

/* UTF-8 as RFC 3629 defines it: no surrogates, no overlong forms. */

#include "base/str.h"

/*
 * Decodes the code point at s.p[at].  Returns its length in bytes, 1 to 4,
 * or 0 when the bytes there are not valid.
 */
uint32_t sg_utf8_decode(struct sg_str s, size_t at, uint32_t *ret_cp);
/* Writes cp into out (room for 4) and returns its length, 0 if invalid. */
uint32_t sg_utf8_encode(uint32_t cp, char out[4]);
/* The offset of the first invalid byte, or s.n when all is valid. */
size_t sg_utf8_check(struct sg_str s);
/* Code points in s; an invalid byte counts as one. */
size_t sg_utf8_count(struct sg_str s);
/* The largest cut <= at that does not split a code point. */
size_t sg_utf8_floor(struct sg_str s, size_t at);

#endif
