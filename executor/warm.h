#ifndef SG_EXECUTOR_WARM_H
#define SG_EXECUTOR_WARM_H

/*
 * Warm interpreters: runs that begin in milliseconds.
 *
 * A *zygote* is an interpreter in a box of its own that has imported a set of
 * modules and stands still.  A run whose sg_box_spec names a warm pool is a
 * fork of the zygote that fits its imports best; everything else about the
 * run, its walls, limits and result, is as in a cold one.  Where no zygote
 * can serve, the run is a cold one.
 *
 *	struct sg_warm_opts opts;
 *	sg_warm_opts_init(&opts);
 *	sg_warm_open(&opts, &warm, &err);
 *	spec.warm = warm;
 *	spec.imports = names; spec.nimports = n;
 *	sg_box_run(&spec, ...);
 *
 * A pool may be used by several threads at once.
 */

#include "executor/box.h"

/* What a zygote imports ahead. */
struct sg_warm_set {
	const char *name;    /* "numpy+pandas": for reports */
	const char *modules; /* "numpy pandas": names, by blanks */
};

struct sg_warm_opts {
	const char *python; /* NULL: found (sg_box_python()) */
	const struct sg_warm_set *sets;
	uint32_t nsets;      /* 0: the sets that sg_warm_opts_init() names */
	uint32_t max_runs;   /* of one zygote: 4,000; 0: any number */
	uint32_t max_age_ms; /* of one zygote: 10 minutes; 0: any */
	bool eager;          /* start every set at once, not when wanted */
	struct sg_str guard; /* as sg_warm_guard(); may be empty */
	enum sg_box_require require;
};

struct sg_warm_stats {
	const char *name; /* of the set; borrowed from the pool */
	bool alive;       /* a zygote stands ready */
	uint64_t runs;    /* served by this set so far */
	uint64_t ahead;   /* of these, in boxes that had their order before */
	uint64_t started; /* zygotes; recycled ones count */
	uint64_t failed;  /* zygotes that died or would not start */
	uint64_t memory;  /* resident bytes of the zygote; 0 unknown */
};

void sg_warm_opts_init(struct sg_warm_opts *opts);

/*
 * Makes a pool; what `opts` points to is copied.  A set whose modules are not
 * installed is left out.  *ret belongs to the caller: sg_warm_free().
 * SG_ENOENT (no interpreter), SG_EBOX, SG_ENOMEM.
 */
SG_MUST_CHECK int sg_warm_open(const struct sg_warm_opts *opts,
			       struct sg_warm **ret, struct sg_err *err);
/* Ends all zygotes.  No run may be under way.  NULL is fine. */
void sg_warm_free(struct sg_warm *warm);

/*
 * The guard_text (box.h) that most runs will have: zygotes make it ready, and
 * those that have another are replaced.  A run that has another than its
 * zygote takes longer.  A copy is made; SG_ENOMEM: the old one stays, and
 * nothing but time is lost.
 */
int sg_warm_guard(struct sg_warm *warm, struct sg_str guard,
		  struct sg_err *err);

/*
 * Cleans up after the runs that are over and lets the boxes go that wait for
 * runs to come, so that nothing is held but the zygotes.  The next run has
 * to wait for a box.
 */
void sg_warm_rest(struct sg_warm *warm);

/* Fills up to `room` entries, one a set; returns how many sets there are. */
uint32_t sg_warm_stats(struct sg_warm *warm, struct sg_warm_stats *out,
		       uint32_t room);

#endif
