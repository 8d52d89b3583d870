#ifndef SG_BASE_MAP_H
#define SG_BASE_MAP_H

/*
 * From strings to 32-bit numbers: open addressing, keyed hash (SipHash of
 * libsodium with a per-process random key is not needed where `seed` is
 * fresh per map), keys are views that must outlive the map.
 *
 * And an interner on top: strings to dense ids 1, 2, 3 ... (0 is "none").
 */

#include "base/arena.h"
#include "base/status.h"

struct sg_map_slot;

struct sg_map {
	struct sg_map_slot *slots; /* NULL while empty */
	uint32_t n, room;
	uint32_t max; /* entries */
	uint64_t seed;
};

/* Takes no memory yet. */
void sg_map_init(struct sg_map *m, uint32_t max);
void sg_map_release(struct sg_map *m);
void sg_map_reset(struct sg_map *m);

/* True and *ret_value when `key` is there. */
bool sg_map_get(const struct sg_map *m, struct sg_str key, uint32_t *ret_value);
/*
 * Adds or replaces.  The key's bytes are borrowed; they must outlive the
 * map.  False when memory or `max` refuses.
 */
SG_MUST_CHECK bool sg_map_put(struct sg_map *m, struct sg_str key,
			      uint32_t value);

struct sg_intern {
	struct sg_map map;
	struct sg_arena arena; /* holds the strings */
	struct sg_str *strs;   /* [id]; strs[0] is empty */
	uint32_t n, room;      /* ids in use, with 0 */
};

/* `max_ids` distinct strings of `max_bytes` in all. */
void sg_intern_init(struct sg_intern *in, uint32_t max_ids, size_t max_bytes);
void sg_intern_release(struct sg_intern *in);
void sg_intern_reset(struct sg_intern *in);
/* The id of s, made when new (copies s); 0 when refused or s is empty. */
uint32_t sg_intern_id(struct sg_intern *in, struct sg_str s);
/* The id of s, or 0 when it was never interned. */
uint32_t sg_intern_find(const struct sg_intern *in, struct sg_str s);
/* View into the interner, valid until its release or reset. */
struct sg_str sg_intern_str(const struct sg_intern *in, uint32_t id);

#endif
