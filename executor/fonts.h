#ifndef SG_EXECUTOR_FONTS_H
#define SG_EXECUTOR_FONTS_H

/*
 * The list of fonts that matplotlib would otherwise make again in every run.
 * Kept in a private folder of the caller's user, by interpreter and by the
 * state of its packages.
 */

#include "executor/python.h"
#include "executor/result.h"

struct sg_fonts {
	const char *name; /* path below the temporary folder; NULL: none */
	struct sg_str data;
};

enum sg_fonts_state {
	SG_FONTS_KNOWN,  /* *ret says what to give */
	SG_FONTS_NONE,   /* this interpreter has no matplotlib, or there is
			    no place to keep anything */
	SG_FONTS_UNKNOWN /* run sg_fonts_program() and store what comes */
};

/* True when a program may come to draw. */
bool sg_fonts_wanted(struct sg_str code);
enum sg_fonts_state sg_fonts_load(const struct sg_python *py,
				  struct sg_arena *arena, struct sg_fonts *ret);
/* A program that leaves the list as the one file in its workspace. */
struct sg_str sg_fonts_program(void);
/* Keeps what that program left, and fills *ret; failure is silent. */
void sg_fonts_store(const struct sg_python *py, struct sg_arena *arena,
		    const struct sg_result *r, struct sg_fonts *ret);

#endif
