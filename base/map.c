/*
 * Theory of operation.  Open addressing with linear probing over a power
 * of two of slots, at most three quarters full.  The 32 bits of the hash
 * that are kept in the slot reject nearly every other key without a look
 * at its bytes, and make growing cheap.
 *
 * The hash folds 128-bit products of the key's words with a seed.  Keys
 * come from judged text, so the seed differs from map to map and cannot be
 * known from outside: it is drawn from the random bytes that the kernel
 * gives each process (no system call), the map's address and the clock.
 * Nothing that is printed depends on the order of slots.
 */

#include "base/map.h"

#include <stdlib.h>
#include <sys/auxv.h>

#include "base/clock.h"
#include "base/vec.h"

enum { FIRST_ROOM = 16 };

struct sg_map_slot {
	const char *p;
	uint32_t n;
	uint32_t hash; /* 0 when the slot is free */
	uint32_t value;
};

#define K0 UINT64_C(0x9e3779b97f4a7c15)
#define K1 UINT64_C(0xd1b54a32d192ed03)
#define K2 UINT64_C(0x8cb92ba72f3d8dd7)

static uint64_t
fold(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 m = a;

	m *= b;
	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

static uint64_t
word8(const char *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof(w));
	return w;
}

static uint64_t
word4(const char *p)
{
	uint32_t w;

	memcpy(&w, p, sizeof(w));
	return w;
}

static uint32_t
hash_of(uint64_t seed, struct sg_str s)
{
	const char *p = s.p;
	size_t n = s.n;
	uint64_t a, b, h = seed ^ fold(seed ^ K0, n ^ K1);

	for (; n > 16; p += 16, n -= 16)
		h = fold(word8(p) ^ K1 ^ h, word8(p + 8) ^ h ^ K2);
	if (n >= 8) {
		a = word8(p);
		b = word8(p + n - 8);
	} else if (n >= 4) {
		a = word4(p);
		b = word4(p + n - 4);
	} else if (n > 0) {
		a = (uint64_t)(unsigned char)p[0] << 16 |
		    (uint64_t)(unsigned char)p[n >> 1] << 8 |
		    (unsigned char)p[n - 1];
		b = 0;
	} else {
		a = b = 0;
	}
	h = fold(a ^ K1 ^ h, b ^ h ^ K2);
	h = fold(h ^ K0, seed ^ K2);
	return (uint32_t)(h >> 32 ^ h) | 1;
}

static uint64_t
seed_new(const struct sg_map *m)
{
	uint64_t seed = sg_clock_mono() * K0 ^ (uint64_t)(uintptr_t)m;
	uint64_t key[2];
	void *random;
	uintptr_t at = getauxval(AT_RANDOM);

	memcpy(&random, &at, sizeof(random));
	if (random) {
		memcpy(key, random, sizeof(key));
		seed = fold(seed ^ key[0], key[1] ^ K1);
	}
	return seed;
}

void
sg_map_init(struct sg_map *m, uint32_t max)
{
	*m = (struct sg_map){ .max = max };
}

void
sg_map_release(struct sg_map *m)
{
	free(m->slots);
	sg_map_init(m, m->max);
}

void
sg_map_reset(struct sg_map *m)
{
	/*
	 * Keeps the memory unless it was mostly unused: one large request
	 * may not make clearing dear for all the small ones after it.
	 */
	if (m->n < m->room / 8) {
		sg_map_release(m);
		return;
	}
	if (m->slots)
		memset(m->slots, 0, m->room * sizeof(*m->slots));
	m->n = 0;
}

/* The slot of the key, or the free one where it belongs. */
static struct sg_map_slot *
probe(const struct sg_map *m, struct sg_str key, uint32_t hash)
{
	uint32_t mask = m->room - 1, i = (hash >> 1) & mask;
	struct sg_map_slot *s = &m->slots[i];

	while (s->hash) {
		if (s->hash == hash && s->n == key.n &&
		    (key.n == 0 || memcmp(s->p, key.p, key.n) == 0))
			return s;
		i = (i + 1) & mask;
		s = &m->slots[i];
	}
	return s;
}

static bool
grow(struct sg_map *m)
{
	struct sg_map_slot *old = m->slots;
	uint32_t was = m->room, mask, j;

	if (was > UINT32_MAX / 2)
		return false;
	m->room = was ? was * 2 : FIRST_ROOM;
	m->slots = calloc(m->room, sizeof(*m->slots));
	if (!m->slots) {
		m->slots = old;
		m->room = was;
		return false;
	}
	if (!was)
		m->seed = seed_new(m);
	mask = m->room - 1;
	for (uint32_t i = 0; old && i < was; i++) {
		if (!old[i].hash)
			continue;
		for (j = (old[i].hash >> 1) & mask; m->slots[j].hash;)
			j = (j + 1) & mask;
		m->slots[j] = old[i];
	}
	free(old);
	return true;
}

/*
 * The slot of the key, made when it is new (*ret_new), or NULL.  A new slot
 * has its hash set and counts; the caller fills the rest.
 */
static struct sg_map_slot *
slot_for(struct sg_map *m, struct sg_str key, bool *ret_new)
{
	struct sg_map_slot *s;
	uint32_t hash;

	*ret_new = false;
	if (key.n > UINT32_MAX || (!m->slots && !grow(m)))
		return NULL;
	hash = hash_of(m->seed, key);
	s = probe(m, key, hash);
	if (s->hash)
		return s;
	if (m->n >= m->max)
		return NULL;
	if (m->n >= m->room - m->room / 4) {
		if (!grow(m))
			return NULL;
		s = probe(m, key, hash);
	}
	s->hash = hash;
	m->n++;
	*ret_new = true;
	return s;
}

bool
sg_map_get(const struct sg_map *m, struct sg_str key, uint32_t *ret_value)
{
	const struct sg_map_slot *s;

	if (!m->slots || key.n > UINT32_MAX)
		return false;
	s = probe(m, key, hash_of(m->seed, key));
	if (!s->hash)
		return false;
	*ret_value = s->value;
	return true;
}

bool
sg_map_put(struct sg_map *m, struct sg_str key, uint32_t value)
{
	bool is_new;
	struct sg_map_slot *s = slot_for(m, key, &is_new);

	if (!s)
		return false;
	s->p = key.p;
	s->n = (uint32_t)key.n;
	s->value = value;
	return true;
}

void
sg_intern_init(struct sg_intern *in, uint32_t max_ids, size_t max_bytes)
{
	*in = (struct sg_intern){ .strs = NULL };
	sg_map_init(&in->map, max_ids);
	sg_arena_init(&in->arena, max_bytes);
}

void
sg_intern_release(struct sg_intern *in)
{
	sg_map_release(&in->map);
	sg_arena_release(&in->arena);
	free(in->strs);
	in->strs = NULL;
	in->n = in->room = 0;
}

void
sg_intern_reset(struct sg_intern *in)
{
	sg_map_reset(&in->map);
	sg_arena_reset(&in->arena);
	in->n = 0;
}

/* One for the string, and at first one for id 0. */
static bool
room_for_two(struct sg_intern *in)
{
	return in->n + UINT64_C(2) <= in->room ||
	       sg_vec_room((void **)(void *)&in->strs, in->n, &in->room, 2,
			   UINT32_MAX, sizeof(*in->strs));
}

uint32_t
sg_intern_id(struct sg_intern *in, struct sg_str s)
{
	struct sg_map_slot *slot;
	struct sg_str copy;
	bool is_new;

	if (s.n == 0 || !room_for_two(in))
		return 0;
	slot = slot_for(&in->map, s, &is_new);
	if (!slot)
		return 0;
	if (!is_new)
		return slot->value;
	copy = sg_arena_dup(&in->arena, s);
	if (!copy.p) {
		/* It was the last to be added: free, it breaks no chain. */
		slot->hash = 0;
		in->map.n--;
		return 0;
	}
	if (in->n == 0)
		in->strs[in->n++] = SG_STR_NONE;
	slot->p = copy.p;
	slot->n = (uint32_t)copy.n;
	slot->value = in->n;
	in->strs[in->n] = copy;
	return in->n++;
}

uint32_t
sg_intern_find(const struct sg_intern *in, struct sg_str s)
{
	uint32_t id;

	return s.n && sg_map_get(&in->map, s, &id) ? id : 0;
}

struct sg_str
sg_intern_str(const struct sg_intern *in, uint32_t id)
{
	return id < in->n ? in->strs[id] : SG_STR_NONE;
}
