#include "base/base64.h"

#include <sodium.h>

bool
sg_base64_decode(struct sg_str text, struct sg_arena *a, struct sg_str *ret)
{
	size_t room = text.n / 4 * 3, n = 0;
	const char *end;
	unsigned char *out;

	if (text.n == 0) {
		*ret = SG_STR("");
		return true;
	}
	if (text.n % 4 != 0)
		return false;
	/* The library takes some of these for digits. */
	for (size_t i = 0; i < text.n; i++) {
		if ((unsigned char)text.p[i] > 127)
			return false;
	}
	out = sg_arena_alloc(a, room + 1);
	if (!out ||
	    sodium_base642bin(out, room, text.p, text.n, NULL, &n, &end,
			      sodium_base64_VARIANT_ORIGINAL) != 0 ||
	    end != text.p + text.n)
		return false;
	*ret = (struct sg_str){ (const char *)out, n };
	return true;
}
