#include "policy/policy.h"

extern const struct sg_embed sg_embed_rules[];
extern const struct sg_embed sg_embed_packed[];

const struct sg_embed *
sg_policy_shipped(void)
{
	return sg_embed_rules;
}

const struct sg_embed *
sg_policy_packed(void)
{
	return sg_embed_packed;
}
