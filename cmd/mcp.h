#ifndef SG_CMD_MCP_H
#define SG_CMD_MCP_H

/*
 * The Model Context Protocol over a service, without a transport: JSON
 * messages in, JSON messages out by way of a callback.
 *
 *	sg_mcp_open(&opts, &mcp, &err);
 *	sg_mcp_peer_new(mcp, headers, reply, ctx, &peer, &err);
 *	sg_mcp_peer_feed(peer, bytes);
 *	... reply() is called, now or from a thread of the service ...
 *	sg_mcp_peer_free(peer);
 *
 * A peer is what requests have in common that may name each other: over
 * standard input and output there is one, and it is fed each line.  Over HTTP
 * each POST is a peer of its own that is fed its body, once; GET and DELETE
 * are 405, and what a browser must not reach is the business of the server.
 *
 * Both families of the protocol are spoken: with `initialize` (2025-11-25
 * and earlier), and without state (2026-07-28), told apart message by
 * message.  Whatever a client sends, wrong or not, is answered by a message;
 * no function here fails because of it.
 */

#include "pipeline/service.h"

struct sg_mcp;
struct sg_mcp_peer;

struct sg_mcp_opts {
	struct sg_service *service; /* borrowed; must outlive */
	size_t message_max;         /* bytes of a message; 0: 64 MiB */
	uint32_t timeout_ms;        /* of a run that asks for none; 0: the
				       service's limit */
};

/* Of a POST, as they came; NULL where there is none.  Copies. */
struct sg_mcp_headers {
	const char *version; /* MCP-Protocol-Version */
	const char *method;  /* Mcp-Method */
	const char *name;    /* Mcp-Name */
	const char *session; /* Mcp-Session-Id */
};

struct sg_mcp_reply {
	/* One JSON text without LF, valid during the call.  Empty, with
	 * `last`: there is nothing to say (to a notification; to a request
	 * that was cancelled): a 202 without a body. */
	struct sg_str message;
	bool last;           /* answers what was fed; before it come
				notifications, which need a stream of events:
				a POST that gets `last` first is answered by
				application/json */
	unsigned http;       /* with `last`, the status: 200, 202, 400, 404 */
	const char *session; /* with `last`, the Mcp-Session-Id to send along;
				NULL none */
};

/*
 * Takes what goes back.  It may be called while sg_mcp_peer_feed() is under
 * way, and from other threads, one call at a time for each peer.  It must
 * not free the peer and should not block for long.
 */
typedef void sg_mcp_reply_fn(void *ctx, const struct sg_mcp_reply *reply);

/* *ret belongs to the caller: sg_mcp_free(), after all peers. */
SG_MUST_CHECK int sg_mcp_open(const struct sg_mcp_opts *opts,
			      struct sg_mcp **ret, struct sg_err *err);
/* Waits for runs that nobody waits for any more. */
void sg_mcp_free(struct sg_mcp *mcp);

/*
 * `headers` NULL: standard input and output.  *ret belongs to the caller:
 * sg_mcp_peer_free().
 */
SG_MUST_CHECK int sg_mcp_peer_new(struct sg_mcp *mcp,
				  const struct sg_mcp_headers *headers,
				  sg_mcp_reply_fn *reply, void *ctx,
				  struct sg_mcp_peer **ret, struct sg_err *err);

/* One message (or a batch of them, where the protocol knows batches). */
void sg_mcp_peer_feed(struct sg_mcp_peer *peer, struct sg_str bytes);

/* Requests that were fed and not yet answered. */
uint32_t sg_mcp_peer_waiting(struct sg_mcp_peer *peer);

/*
 * The other side is gone: `reply` is not called again once this has
 * returned.  What is still under way is cancelled, but for HTTP with
 * `initialize`, where a lost connection means nothing: that runs to its end
 * unheard.
 */
void sg_mcp_peer_free(struct sg_mcp_peer *peer);

#endif
