#ifndef SG_EXECUTOR_PREPARED_H
#define SG_EXECUTOR_PREPARED_H

/*
 * What a run is given so that it need not work it out again: the driver as
 * byte code of this very interpreter, and matplotlib's list of fonts.  Each
 * is made by a run of its own, the first time, and kept (cache.h).
 */

#include "executor/box.h"
#include "executor/python.h"
#include "executor/result.h"

struct sg_prepared {
	struct sg_str driver, late; /* .pyc files; empty: use the source */
	const char *fonts_name;     /* below the temporary folder; or NULL */
	struct sg_str fonts;
};

enum sg_prepared_state {
	SG_PREPARED_KNOWN,   /* *p has it, or it is known to be none */
	SG_PREPARED_UNKNOWN, /* run the program and store what it leaves */
	SG_PREPARED_NEVER    /* there is no place to keep it */
};

/* One thing that is prepared. */
struct sg_preparation {
	/* Fills its part of *p, owned by `arena`. */
	enum sg_prepared_state (*load)(const struct sg_python *py,
				       struct sg_arena *arena,
				       struct sg_prepared *p);
	const char *program; /* leaves it as files in its workspace */
	uint32_t processes;  /* that it may start */
	/* Keeps what the program left; then load() again. */
	void (*store)(const struct sg_python *py, const struct sg_result *r);
};

extern const struct sg_preparation sg_prepare_driver, sg_prepare_fonts;

/*
 * Loads one thing, and makes it first if need be, by a run with the
 * requirements of `spec`.  What cannot be had stays empty.
 */
void sg_prepare(const struct sg_preparation *how,
		const struct sg_box_spec *spec, const struct sg_python *py,
		struct sg_arena *arena, struct sg_prepared *p);

/* True when a program may come to draw. */
bool sg_fonts_wanted(struct sg_str code);
/* Forgets the byte code, which this interpreter did not take. */
void sg_prepared_forget_driver(const struct sg_python *py);

#endif
