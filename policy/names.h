#ifndef SG_POLICY_NAMES_H
#define SG_POLICY_NAMES_H

/*
 * Which name patterns does this dotted name match?  Asked once for each
 * fact, so the answer must cost about the same for 30 patterns and 3000.
 */

#include "base/arena.h"
#include "base/status.h"
#include "base/vec.h"

enum { SG_NAME_SEGMENTS = 12 };

/* The hashes of a dotted name, of its prefixes and its last segment. */
struct sg_name {
	struct sg_str text;
	uint32_t hash, last;
	uint32_t n; /* dots; the hashes below are of what is before each */
	uint32_t prefix[SG_NAME_SEGMENTS];
	uint32_t prefix_len[SG_NAME_SEGMENTS];
	bool deep; /* more dots than that, whose prefixes are not kept */
};

struct sg_name_entry {
	struct sg_str glob; /* the pattern */
	uint32_t key;       /* hash of the part that is looked up */
	uint32_t kinds;     /* mask of fact kinds */
	uint32_t target;    /* the caller's */
	uint32_t next;      /* of the same slot; 0 ends */
	uint32_t plain;     /* bytes before the first wildcard */
	uint8_t place;      /* enum sg_name_place */
};

enum sg_name_place {
	SG_NAME_EXACT, /* no wildcard */
	SG_NAME_UNDER, /* the segments before the first wildcard are plain */
	SG_NAME_LAST,  /* the last segment is plain */
	SG_NAME_LOOSE  /* neither: tried on every name */
};

struct sg_name_index {
	struct sg_name_entry *v; /* [1 .. n - 1]; 0 is none */
	uint32_t n, room;
	uint32_t *slots; /* heads; made by _freeze() */
	uint32_t mask;
	uint32_t loose; /* head of the loose ones */
	bool deep;      /* a key has more dots than struct sg_name keeps */
	uint32_t kinds; /* all masks together */
	uint32_t loose_kinds;
};

#define SG_NAME_SEED 2166136261u

static inline uint32_t
sg_name_step(uint32_t hash, char c)
{
	return (hash ^ (uint8_t)c) * 16777619u;
}

/* FNV-1a; tools/gen_capabilities.py computes the same. */
uint32_t sg_name_hash(struct sg_str s);
void sg_name_init(struct sg_name *n, struct sg_str text);

void sg_name_index_init(struct sg_name_index *ix);
void sg_name_index_release(struct sg_name_index *ix);
/* `glob` is borrowed; must outlive. */
SG_MUST_CHECK int sg_name_index_add(struct sg_name_index *ix,
				    struct sg_str glob, uint32_t kinds,
				    uint32_t target, struct sg_err *err);
SG_MUST_CHECK int sg_name_index_freeze(struct sg_name_index *ix,
				       struct sg_err *err);

/*
 * Writes the targets of all patterns that match into `out`, which has room
 * for ix->n.  Returns how many; a target may stand more than once.
 */
uint32_t sg_name_find(const struct sg_name_index *ix, const struct sg_name *n,
		      uint32_t kind, uint32_t *out);

/* True when any of the patterns matches the whole name. */
bool sg_name_any(const struct sg_str *globs, uint32_t n, struct sg_str name);

#endif
