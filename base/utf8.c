#include "base/utf8.h"

/* Continuation bytes beyond the first have no bounds of their own. */
static bool
is_tail(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

uint32_t
sg_utf8_decode(struct sg_str s, size_t at, uint32_t *ret_cp)
{
	const unsigned char *p;
	size_t left;
	uint32_t cp;

	if (at >= s.n)
		return 0;
	p = (const unsigned char *)s.p + at;
	left = s.n - at;
	if (p[0] < 0x80) {
		*ret_cp = p[0];
		return 1;
	}
	if (p[0] < 0xc2 || p[0] > 0xf4 || left < 2 || !is_tail(p[1]))
		return 0;
	if (p[0] < 0xe0) {
		*ret_cp = (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
		return 2;
	}
	if (left < 3 || !is_tail(p[2]))
		return 0;
	if (p[0] < 0xf0) {
		cp = (p[0] & 0xfu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
		if (cp < 0x800 || (cp >= 0xd800 && cp <= 0xdfff))
			return 0;
		*ret_cp = cp;
		return 3;
	}
	if (left < 4 || !is_tail(p[3]))
		return 0;
	cp = (p[0] & 7u) << 18 | (p[1] & 0x3fu) << 12 | (p[2] & 0x3fu) << 6 |
	     (p[3] & 0x3fu);
	if (cp < 0x10000 || cp > 0x10ffff)
		return 0;
	*ret_cp = cp;
	return 4;
}

uint32_t
sg_utf8_encode(uint32_t cp, char out[4])
{
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (char)(0xc0 | cp >> 6);
		out[1] = (char)(0x80 | (cp & 0x3f));
		return 2;
	}
	if (cp < 0x10000) {
		if (cp >= 0xd800 && cp <= 0xdfff)
			return 0;
		out[0] = (char)(0xe0 | cp >> 12);
		out[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		out[2] = (char)(0x80 | (cp & 0x3f));
		return 3;
	}
	if (cp > 0x10ffff)
		return 0;
	out[0] = (char)(0xf0 | cp >> 18);
	out[1] = (char)(0x80 | (cp >> 12 & 0x3f));
	out[2] = (char)(0x80 | (cp >> 6 & 0x3f));
	out[3] = (char)(0x80 | (cp & 0x3f));
	return 4;
}

/* From `at` on: the offset of the first byte that is not ASCII, or s.n. */
static size_t
skip_ascii(struct sg_str s, size_t at)
{
	uint64_t w;

	for (; s.n - at >= sizeof(w); at += sizeof(w)) {
		memcpy(&w, s.p + at, sizeof(w));
		if (w & UINT64_C(0x8080808080808080))
			break;
	}
	while (at < s.n && (unsigned char)s.p[at] < 0x80)
		at++;
	return at;
}

size_t
sg_utf8_check(struct sg_str s)
{
	size_t at = 0;
	uint32_t cp, n;

	while ((at = skip_ascii(s, at)) < s.n) {
		n = sg_utf8_decode(s, at, &cp);
		if (!n)
			return at;
		at += n;
	}
	return s.n;
}

size_t
sg_utf8_count(struct sg_str s)
{
	size_t at = 0, next, count = 0;
	uint32_t cp, n;

	while (at < s.n) {
		next = skip_ascii(s, at);
		count += next - at;
		at = next;
		if (at == s.n)
			break;
		n = sg_utf8_decode(s, at, &cp);
		at += n ? n : 1;
		count++;
	}
	return count;
}

size_t
sg_utf8_floor(struct sg_str s, size_t at)
{
	uint32_t cp;

	if (at >= s.n)
		return s.n;
	for (size_t back = 1; back <= 3 && back <= at; back++)
		if (sg_utf8_decode(s, at - back, &cp) > back)
			return at - back;
	return at;
}
