#ifndef SG_PIPELINE_EXPLAIN_H
#define SG_PIPELINE_EXPLAIN_H

/*
 * What the analyzer saw in a script, and what the policy made of it: for
 * those who write rules, and for those who wonder about a verdict.
 */

#include "base/json.h"
#include "pipeline/gate.h"

struct sg_explain_opts {
	uint32_t line;    /* of the text as submitted; 0: all */
	const char *rule; /* findings of this one only; NULL: all */
	bool colour;
};

/* Appends text for people.  `arena` is scratch. */
void sg_explain_text(const struct sg_check *check,
		     const struct sg_explain_opts *opts, struct sg_arena *arena,
		     struct sg_buf *out);

/* Appends one JSON object; `arena` is scratch. */
void sg_explain_json(const struct sg_check *check,
		     const struct sg_explain_opts *opts, struct sg_arena *arena,
		     struct sg_json *j);

/*
 * Appends what a rule of the policy is: where it stands, what it does and
 * says.  False when there is no rule with that id.
 */
bool sg_explain_rule(const struct sg_policy *policy, const char *id,
		     struct sg_buf *out);

/*
 * Appends what each pattern of the rule made of the script, in the order of
 * the policy: where the one that did not hold stands is why the rule did
 * not match.  SG_ENOMEM.
 */
SG_MUST_CHECK int sg_explain_why(const struct sg_policy *policy, const char *id,
				 const struct sg_check *check,
				 struct sg_buf *out, struct sg_err *err);

#endif
