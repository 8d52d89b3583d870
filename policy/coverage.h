#ifndef SG_POLICY_COVERAGE_H
#define SG_POLICY_COVERAGE_H

/*
 * What the inline tests of a policy exercised: for each pattern of each
 * rule, whether it held at least once and whether it failed to hold at
 * least once.
 */

#include "policy/policy.h"

struct sg_coverage {
	struct sg_str rule; /* id */
	const char *file;   /* where the pattern stands */
	uint32_t line, column;
	const char *what; /* "call", "arg" ...; static */
	bool held, failed;
	bool missed; /* one of the two is wanted and was not seen */
};

typedef void sg_coverage_fn(void *ctx, const struct sg_coverage *c);

/*
 * Tells of every pattern in order; *ret_n counts them, *ret_missed those
 * that never held or, where something else than the index could tell,
 * never failed.
 */
SG_MUST_CHECK int sg_policy_coverage(const struct sg_policy *p,
				     sg_coverage_fn *each, void *ctx,
				     uint32_t *ret_n, uint32_t *ret_missed,
				     struct sg_err *err);

/*
 * Time that each rule took while judging, in nanoseconds: the least of some
 * rounds, since others use the machine as well.
 */
struct sg_rule_time {
	struct sg_str rule;
	uint64_t ns;
	uint32_t tried; /* how often its pattern was looked at */
};

/* ret[] has room for sg_policy_rule_count(p). */
SG_MUST_CHECK int sg_policy_time(const struct sg_policy *p,
				 const struct sg_str *scripts, uint32_t n,
				 struct sg_rule_time *ret, uint64_t *ret_ns,
				 struct sg_err *err);

#endif
