#ifndef SG_ANALYZER_MODTABLE_H
#define SG_ANALYZER_MODTABLE_H

/*
 * What is known of importable modules: which of their names are other
 * modules, classes or callables, which come with a star import, and what is
 * the canonical name of a thing that can be reached in several ways.  Made
 * at build time from rules/modules/ (see tools/modules.py, tools/modtable.py).
 */

#include "base/str.h"

enum sg_modkind {
	SG_MOD_NONE = 0,
	SG_MOD_MODULE, /* a name that is a module */
	SG_MOD_CLASS,
	SG_MOD_CALLABLE,
	SG_MOD_OTHER,
	SG_MOD_RETURNS, /* "f()": `target` is the class of the result */
	SG_MOD_LISTED   /* a module whose names are listed */
};

struct sg_modinfo {
	enum sg_modkind kind;
	bool starred;         /* a star import of its module brings it */
	struct sg_str target; /* canonical dotted name; empty: as it is */
	struct sg_str bases;  /* foreign bases of a class, comma-separated */
};

/* What is known of a dotted name; static views.  False when nothing is. */
bool sg_modtable_find(struct sg_str path, struct sg_modinfo *ret);

/* The generated table. */
struct sg_modtable_row {
	uint32_t path;
	uint16_t path_len;
	uint8_t kind, starred;
	uint32_t target, bases;
};
extern const char sg_modtable_text[][1024];
extern const struct sg_modtable_row sg_modtable_rows[];
extern const uint16_t sg_modtable_slots[];
extern const uint32_t sg_modtable_mask;

#endif
