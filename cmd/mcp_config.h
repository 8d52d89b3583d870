#ifndef SG_CMD_MCP_CONFIG_H
#define SG_CMD_MCP_CONFIG_H

#include "base/buf.h"
#include "base/status.h"

/*
 * Prints what the configuration of an MCP client wants to hold about this
 * program, with the options that it was called with.  `client` is "claude",
 * "cursor", "vscode" or "codex".  An exit status.
 */
int sg_mcp_print_config(const char *client);

/* For configurations that are used from any folder: the path of this program,
 * into a buffer that this initializes; the caller releases it. */
SG_MUST_CHECK int sg_config_program(struct sg_buf *program, struct sg_err *err);
/* Appends the path as an absolute one; a bare name, of a policy, as it is. */
void sg_config_path(struct sg_buf *out, struct sg_str path);

#endif
