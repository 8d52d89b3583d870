#ifndef SG_TESTS_BOX_LIB_POOL_H
#define SG_TESTS_BOX_LIB_POOL_H

/* Pools of one set, for tests of warm runs. */

#include <string.h>
#include <time.h>

#include "tests/box/lib/case.h"
#include "tests/box/warmly.h"

static const struct sg_warm_set plain_set = { "plain",
					      "json random tempfile uuid "
					      "threading logging" };

/* A pool of one set, which stands; NULL when it does not come to that. */
static inline struct sg_warm *
pool_of(const struct sg_warm_set *set, uint32_t max_runs, uint32_t max_age_ms)
{
	struct sg_warm *warm = NULL;
	struct sg_warm_opts opts;
	struct sg_err err;

	sg_err_clear(&err);
	sg_warm_opts_init(&opts);
	opts.sets = set;
	opts.nsets = 1;
	opts.eager = true;
	opts.max_runs = max_runs;
	opts.max_age_ms = max_age_ms;
	if (sg_warm_open(&opts, &warm, &err) == SG_OK && warm_stands(warm))
		return warm;
	printf("# no pool: %s\n", err.msg);
	sg_warm_free(warm);
	return NULL;
}

static inline void
run_in(struct run *t, struct sg_warm *warm, const char *code)
{
	run_init(t, code);
	t->spec.warm = warm;
}

static inline struct sg_warm_stats
stats_of(struct sg_warm *warm)
{
	struct sg_warm_stats st = { 0 };

	(void)sg_warm_stats(warm, &st, 1);
	return st;
}

static inline void
nap_ms(long ms)
{
	struct timespec nap = { ms / 1000, ms % 1000 * 1000000 };

	(void)nanosleep(&nap, NULL);
}

/* Runs a shell command with `text` as its input. */
/*
 * Runs until boxes have their order ahead, for runs like these.  False: they
 * do not get it, or a run failed.
 */
static inline bool
make_habit(struct sg_warm *warm)
{
	uint64_t ahead = stats_of(warm).ahead;
	struct run t;
	bool good;

	for (int i = 0; i < 20 && stats_of(warm).ahead == ahead; i++) {
		run_in(&t, warm, "pass");
		good = run(&t) == SG_OK && t.r.status == SG_RUN_OK;
		sg_arena_release(&t.arena);
		if (!good)
			return false;
		/* Boxes are asked for when the run is over. */
		nap_ms(20);
	}
	return stats_of(warm).ahead > ahead;
}

/* The first line in which two texts differ, on standard output. */
static inline void
show_difference(struct sg_str a, struct sg_str b)
{
	while (a.n || b.n) {
		size_t i = sg_str_find(a, '\n'), j = sg_str_find(b, '\n');
		struct sg_str x = sg_str_slice(a, 0, i);
		struct sg_str y = sg_str_slice(b, 0, j);

		if (!sg_str_eq(x, y))
			printf("# cold: %.*s\n# warm: %.*s\n", SG_STR_ARG(x),
			       SG_STR_ARG(y));
		a = sg_str_slice(a, i + 1, a.n);
		b = sg_str_slice(b, j + 1, b.n);
	}
}

#endif
