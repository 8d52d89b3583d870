#ifndef SG_CMD_MCP_LINE_H
#define SG_CMD_MCP_LINE_H

/*
 * Messages as they come over standard input: one a line.
 */

#include "cmd/mcp.h"

struct sg_mcp_lines {
	struct sg_mcp_peer *peer; /* is fed; borrowed */
	size_t max;               /* bytes of a line */
	struct sg_buf line;       /* what there is of it */
	bool skipping;            /* the rest of one that is too long */
};

void sg_mcp_lines_init(struct sg_mcp_lines *l, struct sg_mcp_peer *peer,
		       size_t max);
void sg_mcp_lines_release(struct sg_mcp_lines *l);

/*
 * Takes bytes as they come, in pieces of any size.  Empty lines are passed
 * over; a line that is too long is fed as far as that is known, for the peer
 * to refuse, once, and its rest is dropped.
 */
void sg_mcp_lines_take(struct sg_mcp_lines *l, const char *p, size_t n);
/* There will be no more: feeds a last line that has no end. */
void sg_mcp_lines_end(struct sg_mcp_lines *l);

#endif
