#ifndef SG_POLICY_DIFF_H
#define SG_POLICY_DIFF_H

/*
 * Which verdicts change when one policy takes the place of another: the
 * question of everyone who reviews a change of rules.
 */

#include "policy/policy.h"

enum { SG_DIFF_EXAMPLES = 3, SG_DIFF_LABEL = 96 };

/* One rule's share in the changes. */
struct sg_diff_rule {
	struct sg_str rule; /* view into one of the policies */
	uint32_t rejects;   /* scripts that it newly rejects */
	uint32_t no_more;   /* scripts that it rejected and nothing
				      rejects any more */
	uint32_t nexamples;
	char examples[SG_DIFF_EXAMPLES][SG_DIFF_LABEL];
};

struct sg_diff {
	uint32_t scripts;
	uint32_t changed[3][3];     /* [old decision][new decision] */
	struct sg_diff_rule *rules; /* most first, after sg_diff_finish() */
	uint32_t nrules;
	struct sg_diff_work *work; /* its own */
};

/* Both policies are borrowed; must outlive.  sg_diff_free(). */
SG_MUST_CHECK int sg_diff_new(const struct sg_policy *before,
			      const struct sg_policy *after,
			      struct sg_diff **ret, struct sg_err *err);
void sg_diff_free(struct sg_diff *d);
/* Judges one script by both; `label` names it in examples. */
SG_MUST_CHECK int sg_diff_add(struct sg_diff *d, struct sg_str code,
			      const char *label, struct sg_err *err);
void sg_diff_finish(struct sg_diff *d);

#endif
