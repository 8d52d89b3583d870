#ifndef SG_POLICY_CAPABILITY_H
#define SG_POLICY_CAPABILITY_H

/*
 * What named things can do: the tables of rules/capabilities/, compiled
 * into the program by tools/gen_capabilities.py.
 *
 * A capability is a bit; their order is that of rules/capabilities/
 * names.yaml and means nothing.  There are at most 64.
 */

#include "policy/names.h"

/* Bytes of the longest pattern and the longest keyword, each with its NUL: the
 * tables have no pointers, so that the system writes none into them at start. */
enum { SG_CAP_PATHS = 3, SG_CAP_GLOB = 64, SG_CAP_KEYWORD = 23 };

enum sg_cap_flag {
	SG_CAP_URL = 1 << 0,  /* its paths may be addresses as well */
	SG_CAP_MODE = 1 << 1, /* fs.read or fs.write by the mode argument */
	/* The pattern is the name of a module: one that is listed in
	 * rules/modules/, or any name without a dot. */
	SG_CAP_MODULE = 1 << 2
};

/* An argument by position and keyword; position -1 and "" mean none. */
struct sg_cap_arg {
	int8_t position;
	char keyword[SG_CAP_KEYWORD];
};

struct sg_cap_entry {
	char glob[SG_CAP_GLOB];
	uint64_t caps;
	uint8_t flags; /* enum sg_cap_flag */
	uint8_t npaths;
	struct sg_cap_arg path[SG_CAP_PATHS];
	struct sg_cap_arg mode;
};

uint32_t sg_capability_count(void);
/* "fs.read"; static. */
const char *sg_capability_name(uint32_t bit);
/* One line that explains it; static. */
const char *sg_capability_text(uint32_t bit);
/* All capabilities that the glob means. */
uint64_t sg_capability_mask(struct sg_str glob);
/* The bit of that name as a mask, 0 when there is none. */
uint64_t sg_capability_bit(const char *name);
/* What the tables say of a dotted name, or NULL.  The most exact wins. */
const struct sg_cap_entry *sg_capability_find(const struct sg_name *name);

/* All entries, for tests and listings; *ret_n says how many. */
const struct sg_cap_entry *sg_capability_entries(uint32_t *ret_n);

/* The generated tables. */
struct sg_cap_tables {
	const char *const *names, *const *texts;
	uint32_t nnames;
	const struct sg_cap_entry *entries;
	const uint32_t *keys;  /* [entry] hash of the part filed under */
	const uint8_t *places; /* [entry] enum sg_name_place */
	uint32_t nentries;
	const uint16_t *slots; /* open addressing: entry + 1, 0 empty */
	uint32_t mask;
};
extern const struct sg_cap_tables sg_cap_tables;

#endif
