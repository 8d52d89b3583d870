#ifndef SG_CMD_MCP_CONFIG_H
#define SG_CMD_MCP_CONFIG_H

/*
 * Prints what the configuration of an MCP client wants to hold about this
 * program, with the options that it was called with.  `client` is "claude",
 * "cursor", "vscode" or "codex".  An exit status.
 */
int sg_mcp_print_config(const char *client);

#endif
