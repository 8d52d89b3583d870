#ifndef SG_BASE_EMBED_H
#define SG_BASE_EMBED_H

/*
 * Files that are built into the program.  tools/embed.py writes the table;
 * whoever owns one declares it:
 *
 *	extern const struct sg_embed sg_embed_rules[];
 *
 * To add one: a line `$(eval $(call embed,...))` in the Makefile.
 */

#include "base/str.h"

struct sg_embed {
	const char *name;   /* as the Makefile says; NULL ends the table */
	struct sg_str data; /* static; a NUL that is not counted follows */
	const char *sha256; /* of data, in hexadecimal digits */
};

#endif
