#ifndef SG_BASE_DIGEST_H
#define SG_BASE_DIGEST_H

/* SHA-256 (FIPS 180-4) through libsodium, and hexadecimal text. */

#include "base/str.h"

enum { SG_DIGEST_BYTES = 32, SG_DIGEST_HEX = 65 };

struct sg_digest {
	uint8_t b[SG_DIGEST_BYTES];
};

struct sg_digest sg_digest_of(struct sg_str s);
/* Lower-case hexadecimal, ended by NUL. */
void sg_digest_hex(const struct sg_digest *d, char out[SG_DIGEST_HEX]);
/* False when s is not 64 hexadecimal digits. */
bool sg_digest_parse(struct sg_str s, struct sg_digest *ret);
/* In a time that does not depend on where they differ. */
bool sg_digest_same(const struct sg_digest *a, const struct sg_digest *b);
/* n bytes from the system's generator. */
void sg_random_bytes(void *p, size_t n);

#endif
