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
	uint32_t depth;   /* of the pattern in the rule's, which has 0 */
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
 * What one rule's patterns made of one script: those that hold neither nor
 * fail were never asked, since nothing there has the name or kind that
 * they, or what stands before them, want.  The rules that the policy has
 * off are told of as well, but are not asked either.  False in *ret_found:
 * there is no such rule, or it has no patterns.
 */
SG_MUST_CHECK int sg_policy_why(const struct sg_policy *p, struct sg_str rule,
				const struct sg_analysis *an,
				sg_coverage_fn *each, void *ctx,
				bool *ret_found, struct sg_err *err);

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
