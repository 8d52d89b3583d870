/*
 * Theory of operation.
 *
 * A POST is a peer of the protocol (cmd/mcp.h) that is fed its body.  What
 * the peer says first decides the reply: an answer alone is a document; a
 * notification makes it a stream of events.  It may be said on any thread,
 * so the flags of `work` have a lock: the connection is woken once for the
 * reply, by the answer, by the first notification, or by the client going
 * away; but not before the call that feeds the peer is back.
 *
 * The peer is given back by the thread of the connection when the request
 * ends, never by a callback; from then on nothing is said any more.
 */

#include "cmd/http.h"
#include "cmd/mcp.h"

#include <stdio.h>
#include <stdlib.h>

struct work {
	struct sg_http_req *req;
	struct sg_mcp_peer *peer;
	struct sg_http_stream stream;
	pthread_mutex_t lock;
	bool events;  /* the client takes a stream of them */
	bool feeding; /* the peer is not to be given back yet */
	bool decided; /* what the reply is */
};

int
sg_http_mcp_open(struct sg_http *h, struct sg_err *err)
{
	const struct sg_mcp_opts opts = {
		.service = h->opts.service,
		.message_max = (size_t)h->opts.body_max,
	};

	return sg_mcp_open(&opts, &h->mcp, err);
}

void
sg_http_mcp_free(struct sg_mcp *mcp)
{
	if (mcp)
		sg_mcp_free(mcp);
}

static void
release(struct sg_http_req *req)
{
	struct work *w = req->work;

	(void)sg_conn_detach(&req->http->conns, req->conn);
	if (w->peer)
		sg_mcp_peer_free(w->peer);
	sg_http_stream_release(&w->stream);
	(void)pthread_mutex_destroy(&w->lock);
	free(w);
}

/* ---- what the peer says ---- */

static void
decide_stream(struct sg_http_req *req, struct work *w)
{
	req->reply.status = 200;
	req->reply.type = "text/event-stream";
	req->reply.stream = &w->stream;
}

static void
decide_document(struct sg_http_req *req, const struct sg_mcp_reply *reply)
{
	struct sg_http_reply *r = &req->reply;

	sg_buf_init(&r->body, SG_RESULT_MAX);
	sg_buf_str(&r->body, reply->message);
	if (sg_buf_failed(&r->body)) {
		sg_http_problem(req, 500, "internal", "no memory for a reply");
		return;
	}
	r->status = reply->http ? reply->http : 200;
	r->type = reply->message.n ? "application/json" : NULL;
	if (reply->session)
		(void)snprintf(r->session, sizeof(r->session), "%s",
			       reply->session);
}

static void
put_event(struct sg_http_stream *s, const struct sg_mcp_reply *reply)
{
	if (reply->message.n) {
		sg_http_stream_put(s, SG_STR("event: message\ndata: "), false);
		sg_http_stream_put(s, reply->message, false);
		sg_http_stream_put(s, SG_STR("\n\n"), reply->last);
	} else if (reply->last) {
		sg_http_stream_put(s, SG_STR_NONE, true);
	}
}

static void
on_reply(void *ctx, const struct sg_mcp_reply *reply)
{
	struct work *w = ctx;
	bool wake = false;

	(void)pthread_mutex_lock(&w->lock);
	if (w->req->reply.stream) {
		put_event(&w->stream, reply);
	} else if (!w->decided && (reply->last || w->events)) {
		if (reply->last)
			decide_document(w->req, reply);
		else
			decide_stream(w->req, w);
		if (!reply->last)
			put_event(&w->stream, reply);
		w->decided = true;
		wake = !w->feeding;
	}
	(void)pthread_mutex_unlock(&w->lock);
	if (wake)
		sg_http_wake(w->req);
}

/* ---- the request ---- */

static void
on_gone(void *ctx)
{
	struct work *w = ctx;
	bool wake = false;

	(void)pthread_mutex_lock(&w->lock);
	if (w->decided) {
		sg_http_stream_break(&w->stream);
	} else {
		w->req->reply.status = 499;
		w->decided = true;
		wake = !w->feeding;
	}
	(void)pthread_mutex_unlock(&w->lock);
	if (wake)
		sg_http_wake(w->req);
}

static int
nothing(void *ctx, struct sg_err *err)
{
	(void)ctx;
	(void)err;
	return SG_OK;
}

static bool
make_peer(struct work *w, struct sg_err *err)
{
	struct sg_http_req *req = w->req;
	const struct sg_mcp_headers headers = {
		.version = sg_http_header(req, "MCP-Protocol-Version"),
		.method = sg_http_header(req, "Mcp-Method"),
		.name = sg_http_header(req, "Mcp-Name"),
		.session = sg_http_header(req, "Mcp-Session-Id"),
	};

	return sg_mcp_peer_new(req->http->mcp, &headers, on_reply, w, &w->peer,
			       err) == SG_OK;
}

static void
feed(struct work *w)
{
	struct sg_http_req *req = w->req;
	bool wake;

	sg_mcp_peer_feed(w->peer, sg_buf_view(&req->body));
	(void)pthread_mutex_lock(&w->lock);
	w->feeding = false;
	wake = w->decided;
	(void)pthread_mutex_unlock(&w->lock);
	if (wake)
		sg_http_wake(req);
}

void
sg_http_mcp(struct sg_http_req *req)
{
	struct work *w = calloc(1, sizeof(*w));
	const char *accept = sg_http_header(req, "Accept");
	struct sg_err err;

	sg_err_clear(&err);
	if (!w) {
		sg_http_problem(req, 500, "internal", "no memory");
		sg_http_wake(req);
		return;
	}
	w->req = req;
	w->feeding = true;
	w->events = accept && strstr(accept, "text/event-stream");
	(void)pthread_mutex_init(&w->lock, NULL);
	sg_http_stream_init(&w->stream, req);
	req->work = w;
	req->release = release;
	if (!make_peer(w, &err)) {
		sg_http_problem(req, 500, "internal", "%s", err.msg);
		sg_http_wake(req);
		return;
	}
	if (sg_conn_attach(&req->http->conns, req->conn, nothing, on_gone, w,
			   &err) < 0) {
		req->reply.status = 499;
		sg_http_wake(req);
		return;
	}
	feed(w);
}
