#ifndef SG_ANALYZER_CHARNAME_H
#define SG_ANALYZER_CHARNAME_H

/*
 * The characters of Unicode by name, as CPython takes them within \N{...}:
 * each minor version of Python 3 has a Unicode of its own.  Made at build
 * time from rules/characters/ (see tools/charnames.py, tools/chartable.py).
 */

#include "base/str.h"

/* The character that Python 3.`minor` knows by that name, in any case.  An
 * unknown name is taken for a known one once in some ten million. */
bool sg_charname_find(struct sg_str name, uint32_t minor, uint32_t *ret);

/* False for a character that came after the Unicode of Python 3.`minor`;
 * says nothing of those that the newest does not have either. */
bool sg_charname_in_version(uint32_t cp, uint32_t minor);

/* The generated tables.  A key is 40 bits of the name's hash, 3 of the
 * version less 9, 21 of the code point; they go up. */
struct sg_charname_span {
	uint32_t first, last, since;
};
extern const uint64_t sg_charname_keys[];
extern const uint32_t sg_charname_nkeys;
extern const struct sg_charname_span sg_charname_new[], /* since 3.10 ... */
	sg_charname_ideographs[];
extern const uint32_t sg_charname_nnew, sg_charname_nideographs;

#endif
