#include "analyzer/check.h"

/* The stack of blocks that CPython keeps for a function: twenty of them. */

/* How many of CPython's blocks a statement has open in the part of it that
 * has the given role; set_scopes() has looked at its children. */
static unsigned
blocks_of(const struct sg_check *c, uint32_t at, enum sg_role role)
{
	const struct sg_node *n = &c->nodes[at];
	unsigned finally = (n->op & SG_CHECK_FINALLY) != 0;

	switch (n->kind) {
	case SG_AST_For:
	case SG_AST_AsyncFor:
	case SG_AST_While:
		return role == SG_ROLE_BODY;
	case SG_AST_With:
	case SG_AST_AsyncWith:
		return n->op;
	case SG_AST_Try:
	case SG_AST_TryStar:
		if (role == SG_ROLE_FINALBODY)
			return 1;
		if (role == SG_ROLE_HANDLER)
			return finally + 2;
		return finally +
		       ((n->op & SG_CHECK_HANDLERS) && role == SG_ROLE_BODY);
	default:
		return 0;
	}
}

bool
sg_check_blocks(struct sg_check *c, uint32_t at)
{
	unsigned max = c->b->job->minor >= 13 ? SG_MAX_BLOCKS + 1
					      : SG_MAX_BLOCKS;
	bool handlers = sg_check_is_try(c, at) &&
			(c->nodes[at].op & SG_CHECK_HANDLERS);
	unsigned blocks = blocks_of(c, at,
				    handlers ? SG_ROLE_HANDLER : SG_ROLE_BODY);
	uint32_t child = at;

	/* Each block around this one is a level of the tree, and a `try`
	 * counts for three at most. */
	c->nodes[at].op = 0;
	if (c->nodes[at].depth * 3u + blocks <= max)
		return true;
	for (uint32_t p = c->nodes[at].parent; p;
	     child = p, p = c->nodes[p].parent) {
		c->steps++;
		if (sg_check_is_function(c->nodes[p].kind) ||
		    c->nodes[p].kind == SG_AST_ClassDef)
			break;
		blocks += blocks_of(c, p, (enum sg_role)c->nodes[child].role);
	}
	return blocks <= max || sg_build_refuse(c->b, c->nodes[at].range,
						"too many nested blocks");
}
