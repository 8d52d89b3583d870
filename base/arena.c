/*
 * Theory of operation.  An arena is a chain of blocks; memory is cut from
 * the newest one by moving `pos`.  A block is as large as all earlier ones
 * together, so n bytes cost about log2(n) calls of malloc(), and never
 * larger than what the cap leaves.  A request that is large beside the
 * current block gets a block of its own, put behind the head, so that
 * the rest of the head is not lost.
 *
 * Memory is zeroed when it is handed out, not before: after a reset only
 * what is used again is touched again.
 *
 * Under AddressSanitizer everything that is not handed out is poisoned, so
 * that an overrun into padding and a use after reset are seen as they
 * would be with malloc().
 */

#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif

#ifdef ARENA_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(p, n) ASAN_POISON_MEMORY_REGION((p), (n))
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION((p), (n))
#else
#define POISON(p, n) ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

enum { ALIGN = 16, FIRST_BLOCK = 8192 };

struct sg_arena_block {
	struct sg_arena_block *next; /* older */
	size_t size;                 /* of data */
	size_t pos;
	size_t unused; /* keeps data aligned */
	_Alignas(ALIGN) char data[];
};

_Static_assert(sizeof(struct sg_arena_block) % ALIGN == 0,
	       "block data is aligned for any type");
_Static_assert(ALIGN >= _Alignof(max_align_t), "aligned for any type");

void
sg_arena_init(struct sg_arena *a, size_t cap)
{
	*a = (struct sg_arena){ .cap = cap };
}

static void
block_free(struct sg_arena_block *b)
{
	UNPOISON(b->data, b->size);
	free(b);
}

void
sg_arena_release(struct sg_arena *a)
{
	struct sg_arena_block *b, *next;

	for (b = a->head; b; b = next) {
		next = b->next;
		block_free(b);
	}
	sg_arena_init(a, a->cap);
}

void
sg_arena_reset(struct sg_arena *a)
{
	struct sg_arena_block *b, *next, *keep = a->head;

	for (b = a->head; b; b = b->next)
		if (b->size > keep->size)
			keep = b;
	for (b = a->head; b; b = next) {
		next = b->next;
		if (b != keep)
			block_free(b);
	}
	sg_arena_init(a, a->cap);
	if (!keep)
		return;
	keep->next = NULL;
	keep->pos = 0;
	POISON(keep->data, keep->size);
	a->head = keep;
	a->held = sizeof(*keep) + keep->size;
}

/* A block with room for `size` bytes, linked into the chain; or NULL. */
static struct sg_arena_block *
block_new(struct sg_arena *a, size_t size)
{
	size_t left = a->cap - a->held;
	size_t want = a->held > FIRST_BLOCK ? a->held : FIRST_BLOCK;
	struct sg_arena_block *b;
	bool own = a->head && size > want / 4;

	if (left < sizeof(*b) || size > left - sizeof(*b))
		return NULL;
	left -= sizeof(*b);
	if (own || want < size)
		want = size;
	if (want > left)
		want = left;
	b = malloc(sizeof(*b) + want);
	if (!b)
		return NULL;
	b->size = want;
	b->pos = 0;
	POISON(b->data, b->size);
	a->held += sizeof(*b) + want;
	if (own) {
		b->next = a->head->next;
		a->head->next = b;
	} else {
		b->next = a->head;
		a->head = b;
	}
	return b;
}

/* The head has no room: a new block gives it.  The bytes are not set. */
__attribute__((noinline, cold)) static char *
cut_new(struct sg_arena *a, size_t size)
{
	struct sg_arena_block *b = block_new(a, size);

	if (!b) {
		a->failed = true;
		return NULL;
	}
	b->pos = size;
	a->used += size;
	UNPOISON(b->data, size);
	return b->data;
}

/* `align` is 1 or ALIGN.  The bytes are not set. */
static inline char *
cut(struct sg_arena *a, size_t size, size_t align)
{
	struct sg_arena_block *b = a->head;
	size_t pos;

	if (!b)
		return cut_new(a, size);
	pos = (b->pos + (align - 1)) & ~(align - 1);
	if (pos > b->size || size > b->size - pos)
		return cut_new(a, size);
	a->used += pos + size - b->pos;
	b->pos = pos + size;
	UNPOISON(b->data + pos, size);
	return b->data + pos;
}

void *
sg_arena_alloc(struct sg_arena *a, size_t size)
{
	char *p = cut(a, size ? size : 1, ALIGN);

	return p ? memset(p, 0, size) : NULL;
}

void *
sg_arena_array(struct sg_arena *a, size_t count, size_t size)
{
	size_t n;

	if (__builtin_mul_overflow(count, size, &n)) {
		a->failed = true;
		return NULL;
	}
	return sg_arena_alloc(a, n);
}

struct sg_str
sg_arena_dup(struct sg_arena *a, struct sg_str s)
{
	char *p;

	if (s.n == SIZE_MAX) {
		a->failed = true;
		return SG_STR_NONE;
	}
	p = cut(a, s.n + 1, 1);
	if (!p)
		return SG_STR_NONE;
	if (s.n)
		memcpy(p, s.p, s.n);
	p[s.n] = '\0';
	return (struct sg_str){ p, s.n };
}

struct sg_str
sg_arena_printf(struct sg_arena *a, const char *fmt, ...)
{
	char small[256];
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof(small))
		return sg_arena_dup(a, (struct sg_str){ small, (size_t)n });
	p = n < 0 ? NULL : cut(a, (size_t)n + 1, 1);
	if (!p) {
		a->failed = true;
		return SG_STR_NONE;
	}
	va_start(ap, fmt);
	(void)vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return (struct sg_str){ p, (size_t)n };
}
