#ifndef SG_BASE_VEC_H
#define SG_BASE_VEC_H

/*
 * Growing arrays on the heap, typed by the struct that holds them:
 *
 *	struct { struct sg_fact *v; uint32_t n, room; } facts;
 *	if (!SG_VEC_ROOM(&facts, 1, SG_FACTS_MAX)) ...refused...
 *	facts.v[facts.n++] = fact;
 *
 * `max` counts elements and is mandatory.  Free v with free().
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True when *v now holds room for n + more elements of `size` bytes. */
bool sg_vec_room(void **v, uint32_t n, uint32_t *room, uint32_t more,
		 uint32_t max, size_t size);

#define SG_VEC_ROOM(vec, more, max)                                      \
	((vec)->n + (uint64_t)(more) <= (vec)->room ||                   \
	 sg_vec_room((void **)(void *)&(vec)->v, (vec)->n, &(vec)->room, \
		     (more), (max), sizeof(*(vec)->v)))

#endif
