#ifndef SG_PIPELINE_GUARD_H
#define SG_PIPELINE_GUARD_H

/*
 * What a policy rejects, as the run-time guard of the box wants it: the
 * imports and capabilities that the gate may not have seen in the text, each
 * with the rule that rejects it.  Worked out once for a policy.
 *
 * It explains.  Whoever gets round it meets the box.
 */

#include "executor/box.h"
#include "policy/policy.h"

struct sg_policy_guard;

/*
 * `policy` is borrowed; must outlive.  *ret belongs to the caller:
 * sg_policy_guard_free().  SG_ENOMEM.
 */
SG_MUST_CHECK int sg_policy_guard_new(const struct sg_policy *policy,
				      struct sg_policy_guard **ret,
				      struct sg_err *err);
void sg_policy_guard_free(struct sg_policy_guard *g);

/*
 * Sets box->guard, nguard and guard_text for one script: without the rules that it is
 * excepted from, and, where it may start processes (box->limits), without
 * those that would keep libraries from it.  Owned by `arena`; the text is a
 * view into g, valid until the next call.  SG_ENOMEM, SG_EUSAGE.
 */
SG_MUST_CHECK int
sg_policy_guard_fill(struct sg_policy_guard *g, const char *path,
		     const struct sg_digest *submitted, struct sg_arena *arena,
		     struct sg_box_spec *box, struct sg_err *err);

/*
 * When the program ended by an exception of the guard, says in the hint of
 * the result which rule it was and what to do instead.
 */
void sg_policy_guard_explain(const struct sg_policy_guard *g,
			     struct sg_arena *arena, struct sg_result *r);

#endif
