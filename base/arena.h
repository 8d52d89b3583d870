#ifndef SG_BASE_ARENA_H
#define SG_BASE_ARENA_H

/*
 * Memory by lifetime: everything of one policy, or of one request, lies in
 * one arena and goes away together.  Nothing that lives longer may point
 * into something that lives shorter.
 *
 * An arena has a cap.  Allocation returns NULL when the cap or the system
 * refuses, and the arena remembers it (sg_arena_failed), so that a
 * builder may check once at its end.
 */

#include "base/str.h"

struct sg_arena_block;

struct sg_arena {
	struct sg_arena_block *head; /* newest block; NULL while empty */
	size_t used;                 /* bytes handed out, with padding */
	size_t held;                 /* bytes taken from the system */
	size_t cap;                  /* held never exceeds this */
	bool failed;
};

/* `cap` in bytes.  Takes no memory yet. */
void sg_arena_init(struct sg_arena *a, size_t cap);
/* Gives everything back; the arena may be used again after it. */
void sg_arena_release(struct sg_arena *a);
/* Forgets all contents, keeps the largest block for the next request. */
void sg_arena_reset(struct sg_arena *a);

/* Zeroed, aligned for any type; NULL when refused.  Owned by the arena. */
void *sg_arena_alloc(struct sg_arena *a, size_t size);
/* count * size with overflow checked. */
void *sg_arena_array(struct sg_arena *a, size_t count, size_t size);
/* Copies, ended by a NUL that is not counted; p is NULL when refused. */
struct sg_str sg_arena_dup(struct sg_arena *a, struct sg_str s);
struct sg_str sg_arena_printf(struct sg_arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static inline bool
sg_arena_failed(const struct sg_arena *a)
{
	return a->failed;
}

#define SG_NEW(arena, type) ((type *)sg_arena_alloc((arena), sizeof(type)))
#define SG_NEWN(arena, type, n) \
	((type *)sg_arena_array((arena), (n), sizeof(type)))

#endif
