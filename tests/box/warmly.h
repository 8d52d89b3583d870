#ifndef SG_TESTS_BOX_WARMLY_H
#define SG_TESTS_BOX_WARMLY_H

/* For test programs that run in forks of a zygote when told `--warm`. */

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "executor/warm.h"

/* True when every set of the pool serves, after up to two minutes. */
static inline bool
warm_stands(struct sg_warm *warm)
{
	const struct timespec nap = { 0, 20000000 };
	struct sg_warm_stats st[32];

	for (int i = 0; i < 6000; i++) {
		uint32_t n = sg_warm_stats(warm, st, 32), up = 0;

		for (uint32_t j = 0; j < n; j++)
			up += st[j].alive;
		if (n && up == n)
			return true;
		(void)nanosleep(&nap, NULL);
	}
	return false;
}

/*
 * Takes `--warm` off the arguments.  *ret is NULL without it; else a pool
 * with the first `nsets` of the usual sets (0: all), all of which stand, and
 * serve `max_runs` each (0: any number).  False: there is no such pool.
 */
static inline bool
warm_option(int *argc, char **argv, uint32_t nsets, uint32_t max_runs,
	    struct sg_warm **ret)
{
	struct sg_warm_opts opts;
	struct sg_err err;

	*ret = NULL;
	if (*argc < 2 || strcmp(argv[1], "--warm") != 0)
		return true;
	for (int i = 1; i < *argc; i++)
		argv[i] = argv[i + 1];
	--*argc;
	sg_err_clear(&err);
	sg_warm_opts_init(&opts);
	if (nsets)
		opts.nsets = nsets;
	opts.max_runs = max_runs;
	opts.max_age_ms = 0;
	opts.eager = true;
	if (sg_warm_open(&opts, ret, &err) < 0) {
		printf("%s\n", err.msg);
		return false;
	}
	if (warm_stands(*ret))
		return true;
	printf("the zygotes do not stand\n");
	sg_warm_free(*ret);
	*ret = NULL;
	return false;
}

#endif
