#ifndef SG_POLICY_SHOW_H
#define SG_POLICY_SHOW_H

/* Documents and policies as text. */

#include "base/json.h"
#include "policy/policy.h"

/*
 * A YAML document as JSON, for schemas: plain true, false, null and whole
 * numbers become what they are, everything else a string.  Syntax is all
 * that is checked.  SG_EPARSE, SG_ELIMIT, SG_ENOMEM.
 */
SG_MUST_CHECK int sg_policy_to_json(struct sg_str text, const char *file,
				    struct sg_buf *out, struct sg_err *err);

/*
 * The policy that is in force, all that it extends, overrides and refers to
 * worked in: a document that loads to the same policy.
 */
SG_MUST_CHECK int sg_policy_show(const struct sg_policy *p, struct sg_buf *out,
				 struct sg_err *err);

/*
 * The text of a policy file with tidy line ends, no blanks at line ends and
 * single blank lines.  SG_EPOLICY when that would change what it says.
 */
SG_MUST_CHECK int sg_policy_fmt(struct sg_str text, const char *file,
				struct sg_buf *out, struct sg_err *err);

/* The JSON Schema of policies, docs/policy.schema.json. */
struct sg_str sg_policy_schema(void);

#endif
