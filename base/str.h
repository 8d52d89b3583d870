#ifndef SG_BASE_STR_H
#define SG_BASE_STR_H

/*
 * A view of bytes: pointer and length, not ended by NUL.  It owns nothing;
 * whoever hands one out says in which arena or buffer it lies.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct sg_str {
	const char *p; /* may be NULL when n is 0 */
	size_t n;
};

#define SG_STR(lit) ((struct sg_str){ "" lit "", sizeof(lit) - 1 })
#define SG_STR_NONE ((struct sg_str){ NULL, 0 })
/* For printf: printf("%.*s", SG_STR_ARG(s)) */
#define SG_STR_ARG(s) ((int)(s).n), ((s).p ? (s).p : "")

static inline struct sg_str
sg_str_c(const char *c)
{
	return (struct sg_str){ c, c ? strlen(c) : 0 };
}

static inline bool
sg_str_eq(struct sg_str a, struct sg_str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* Byte order, shorter first on a tie: for sorting and binary search. */
int sg_str_cmp(struct sg_str a, struct sg_str b);
bool sg_str_starts(struct sg_str s, struct sg_str prefix);
bool sg_str_ends(struct sg_str s, struct sg_str suffix);
/* The offset of the first `c`, or s.n. */
size_t sg_str_find(struct sg_str s, char c);
/* The part [from, to), clamped to s. */
struct sg_str sg_str_slice(struct sg_str s, size_t from, size_t to);
/* What stands before the first `c`; all of s when there is none. */
struct sg_str sg_str_until(struct sg_str s, char c);

/* Without spaces, tabs and carriage returns at both ends. */
struct sg_str sg_str_trim(struct sg_str s);

/*
 * Shell-like match of a whole string: `*` any run (dots included), `?` one
 * byte.  Linear in pattern times text, no recursion.
 */
bool sg_str_glob(struct sg_str pattern, struct sg_str s);

/*
 * Levenshtein distance, capped: returns `cap` + 1 when it is larger.  Both
 * are taken as bytes, of at most 64 each; longer ones give cap + 1.
 */
uint32_t sg_str_distance(struct sg_str a, struct sg_str b, uint32_t cap);

#endif
