#ifndef SG_PIPELINE_GATE_H
#define SG_PIPELINE_GATE_H

/*
 * The gate as one call: bytes in, verdict out.
 *
 * It can't fail.  What could not be judged to its end, for whatever reason,
 * comes back as a verdict that rejects, with a finding of its own and `judged`
 * false: no caller can mistake a failure of ours for a pass.
 *
 * A gate is a workspace for one thread; gates of many threads share a policy.
 */

#include "pipeline/guard.h"

struct sg_gate;

struct sg_check {
	struct sg_verdict verdict;
	struct sg_str canonical;        /* what a run must be given */
	const struct sg_source *source; /* NULL when nothing could be read */
	const struct sg_analysis *analysis; /* NULL then as well */
	bool judged;           /* false: a failure of ours, see `failure` */
	struct sg_err failure; /* SG_OK when judged */
	uint64_t bytes;        /* that were submitted */
	uint64_t took_us;
};

/*
 * `policy` is borrowed; must outlive.  `minor` is that of the Python 3 that
 * will run what passes (9 to 14), 0 for SG_ANALYZER_MINOR.
 * *ret belongs to the caller: sg_gate_free().
 */
SG_MUST_CHECK int sg_gate_new(const struct sg_policy *policy, uint32_t minor,
			      struct sg_gate **ret, struct sg_err *err);
void sg_gate_free(struct sg_gate *g);

/*
 * Judges `code`.  `path` (may be NULL) is what exceptions of the policy look
 * at.  *ret is a view into g, valid until the next call.
 */
void sg_gate_check(struct sg_gate *g, struct sg_str code, const char *path,
		   struct sg_check *ret);

/*
 * The run-time guard of the gate's policy, made when it is first asked for:
 * a view into g.  SG_ENOMEM.
 */
SG_MUST_CHECK int sg_gate_guard(struct sg_gate *g, struct sg_policy_guard **ret,
				struct sg_err *err);

#endif
