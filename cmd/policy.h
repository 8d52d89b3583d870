#ifndef SG_CMD_POLICY_H
#define SG_CMD_POLICY_H

/* What the parts of `sandgate policy` share; only cmd/policy*.c. */

#include "cmd/cmd.h"

#include "policy/policy.h"

/* Opens a policy and says what is wrong with it; an exit status. */
int sg_cmd_open_policy(const char *name, struct sg_policy **ret);

/* The exit status for a policy that could not be opened. */
int sg_cmd_policy_status(const struct sg_err *err);

extern const struct sg_cmd sg_cmd_policy_lint;
extern const struct sg_cmd sg_cmd_policy_explain;
extern const struct sg_cmd sg_cmd_policy_diff;
extern const struct sg_cmd sg_cmd_policy_coverage;
extern const struct sg_cmd sg_cmd_policy_bench;
extern const struct sg_cmd sg_cmd_policy_schema;
extern const struct sg_cmd sg_cmd_policy_fmt;

/* Rules that somebody wrote: without those that are built in. */
uint32_t sg_cmd_rule_count(const struct sg_policy *p);

#endif
