#include "base/str.h"

enum { DISTANCE_MAX = 64 };

int
sg_str_cmp(struct sg_str a, struct sg_str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	if (c)
		return c;
	return (a.n > b.n) - (a.n < b.n);
}

bool
sg_str_starts(struct sg_str s, struct sg_str prefix)
{
	return s.n >= prefix.n &&
	       (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

bool
sg_str_ends(struct sg_str s, struct sg_str suffix)
{
	return s.n >= suffix.n &&
	       (suffix.n == 0 ||
		memcmp(s.p + (s.n - suffix.n), suffix.p, suffix.n) == 0);
}

size_t
sg_str_find(struct sg_str s, char c)
{
	const char *at = s.n ? memchr(s.p, c, s.n) : NULL;

	return at ? (size_t)(at - s.p) : s.n;
}

struct sg_str
sg_str_slice(struct sg_str s, size_t from, size_t to)
{
	if (to > s.n)
		to = s.n;
	if (from > to)
		from = to;
	return (struct sg_str){ s.p ? s.p + from : NULL, to - from };
}

struct sg_str
sg_str_until(struct sg_str s, char c)
{
	return sg_str_slice(s, 0, sg_str_find(s, c));
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

struct sg_str
sg_str_trim(struct sg_str s)
{
	while (s.n && is_blank(s.p[0]))
		s = sg_str_slice(s, 1, s.n);
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

/*
 * Only the last `*` needs to be remembered: whatever an earlier one could
 * take, the last one can take too.  Hence no more than pattern times text.
 */
bool
sg_str_glob(struct sg_str pattern, struct sg_str s)
{
	size_t p = 0, i = 0, star = SIZE_MAX, retry = 0;

	while (i < s.n) {
		if (p < pattern.n && pattern.p[p] == '*') {
			star = p++;
			retry = i;
		} else if (p < pattern.n &&
			   (pattern.p[p] == '?' || pattern.p[p] == s.p[i])) {
			p++;
			i++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			i = ++retry;
		} else {
			return false;
		}
	}
	while (p < pattern.n && pattern.p[p] == '*')
		p++;
	return p == pattern.n;
}

static uint32_t
min3(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t m = a < b ? a : b;

	return m < c ? m : c;
}

uint32_t
sg_str_distance(struct sg_str a, struct sg_str b, uint32_t cap)
{
	uint32_t row[DISTANCE_MAX + 1], above, left;

	if (a.n > DISTANCE_MAX || b.n > DISTANCE_MAX)
		return cap + 1;
	for (uint32_t j = 0; j <= b.n; j++)
		row[j] = j;
	for (uint32_t i = 1; i <= a.n; i++) {
		above = row[0];
		row[0] = i;
		for (uint32_t j = 1; j <= b.n; j++) {
			left = row[j];
			row[j] = min3(row[j] + 1, row[j - 1] + 1,
				      above + (a.p[i - 1] != b.p[j - 1]));
			above = left;
		}
	}
	return row[b.n] > cap ? cap + 1 : row[b.n];
}
