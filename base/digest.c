#include "base/digest.h"

#include <sodium.h>

_Static_assert((int)SG_DIGEST_BYTES == (int)crypto_hash_sha256_BYTES,
	       "SHA-256");

struct sg_digest
sg_digest_of(struct sg_str s)
{
	struct sg_digest d;

	(void)crypto_hash_sha256(d.b, (const unsigned char *)(s.p ? s.p : ""),
				 s.n);
	return d;
}

void
sg_digest_hex(const struct sg_digest *d, char out[SG_DIGEST_HEX])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < SG_DIGEST_BYTES; i++) {
		out[2 * i] = digits[d->b[i] >> 4];
		out[2 * i + 1] = digits[d->b[i] & 15];
	}
	out[SG_DIGEST_HEX - 1] = '\0';
}

static int
nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool
sg_digest_parse(struct sg_str s, struct sg_digest *ret)
{
	struct sg_digest d;

	if (s.n != SG_DIGEST_HEX - 1)
		return false;
	for (size_t i = 0; i < SG_DIGEST_BYTES; i++) {
		int high = nibble(s.p[2 * i]), low = nibble(s.p[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		d.b[i] = (uint8_t)(high << 4 | low);
	}
	*ret = d;
	return true;
}

bool
sg_digest_same(const struct sg_digest *a, const struct sg_digest *b)
{
	return sodium_memcmp(a->b, b->b, sizeof(a->b)) == 0;
}

void
sg_random_bytes(void *p, size_t n)
{
	randombytes_buf(p, n);
}
