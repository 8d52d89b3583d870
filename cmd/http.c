/*
 * Theory of operation.
 *
 * One daemon of libmicrohttpd for each socket, each with one thread that does
 * epoll over its connections and never waits for anything else.  The library
 * calls on_request() when the headers are there, for each piece of the body,
 * and when all of it is; a handler that cannot answer at once suspends the
 * connection, and on_request() is called once more when it was resumed.
 *
 *	on_connection	a slot among the connections (cmd/http_conn.c)
 *	on_line		a request line was read
 *	on_request	headers: who may ask what (cmd/http_route.c)
 *			body: collected, or dropped when refused
 *			end: the handler; or suspended, then the reply
 *	on_completed	counted, logged, given back
 *
 * A connection must not be suspended when its daemon is stopped: requests are
 * counted (`open`), and the main thread waits for none to be left.
 */

#include "cmd/http.h"

#include "base/clock.h"
#include "base/file.h"
#include "cmd/http_lib.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct sg_http_daemon {
	struct sg_http *http;
	struct MHD_Daemon *daemon;
	bool local, inherited;
};

enum {
	STREAM_BLOCK = 32 * 1024,
	/* The sweep ends slow clients, and says so; the library's own limit
	   stands behind it. */
	SLACK_S = 5
};

/* ---- what routes may ask ---- */

const char *
sg_http_header(const struct sg_http_req *req, const char *name)
{
	return req->http->lib->lookup_connection_value(req->connection,
						       MHD_HEADER_KIND, name);
}

struct counting {
	const char *name;
	uint32_t n;
};

static enum MHD_Result
count_header(void *cls, enum MHD_ValueKind kind, const char *key,
	     const char *value)
{
	struct counting *c = cls;

	(void)kind;
	(void)value;
	c->n += strcasecmp(key, c->name) == 0;
	return MHD_YES;
}

struct looking {
	sg_http_field_fn *field;
	void *ctx;
};

static enum MHD_Result
look(void *cls, enum MHD_ValueKind kind, const char *key, size_t nkey,
     const char *value, size_t nvalue)
{
	const struct looking *l = cls;

	(void)kind;
	return l->field(l->ctx, (struct sg_str){ key, nkey },
			(struct sg_str){ value ? value : "",
					 value ? nvalue : 0 })
		       ? MHD_YES
		       : MHD_NO;
}

void
sg_http_each(const struct sg_http_req *req, sg_http_field_fn *field, void *ctx)
{
	struct looking l = { field, ctx };

	(void)req->http->lib->get_connection_values_n(
		req->connection, MHD_HEADER_KIND, look, &l);
}

uint32_t
sg_http_headers(const struct sg_http_req *req, const char *name)
{
	struct counting c = { name, 0 };

	(void)req->http->lib->get_connection_values(
		req->connection, MHD_HEADER_KIND, count_header, &c);
	return c.n;
}

static void
enter(struct sg_http_req *req, enum sg_conn_state state)
{
	if (req->conn)
		sg_conn_enter(&req->http->conns, req->conn, state);
}

void
sg_http_wait(struct sg_http_req *req)
{
	enter(req, SG_CONN_BUSY);
	req->waits = true;
	req->http->lib->suspend_connection(req->connection);
}

void
sg_http_wake(struct sg_http_req *req)
{
	req->http->lib->resume_connection(req->connection);
}

/* ---- the reply ---- */

static void
sleep_now(struct sg_http_req *req)
{
	req->http->lib->suspend_connection(req->connection);
}

static ssize_t
read_stream(void *cls, uint64_t at, char *out, size_t room)
{
	struct sg_http_req *req = cls;
	int n = sg_http_stream_take(req->reply.stream, out, room, sleep_now);

	(void)at;
	if (n == -1)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (n < 0)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	req->sent += (uint64_t)n;
	return n;
}

static struct MHD_Response *
make_response(struct sg_http_req *req)
{
	const struct sg_http_lib *lib = req->http->lib;
	struct sg_http_reply *r = &req->reply;
	struct MHD_Response *response;

	if (r->stream)
		return lib->create_response_from_callback(
			MHD_SIZE_UNKNOWN, STREAM_BLOCK, read_stream, req, NULL);
	if (r->text.p) {
		req->sent = r->text.n;
		/* Nobody writes to it. */
		return lib->create_response_from_buffer(
			r->text.n, (void *)(uintptr_t)r->text.p,
			MHD_RESPMEM_PERSISTENT);
	}
	req->sent = r->body.len;
	response = lib->create_response_from_buffer(r->body.len, r->body.data,
						    MHD_RESPMEM_MUST_FREE);
	/* It is the response's now. */
	if (response)
		r->body = (struct sg_buf){ 0 };
	return response;
}

static void
add(const struct sg_http_req *req, struct MHD_Response *response,
    const char *name, const char *value)
{
	/* Without memory for a field the reply does without it. */
	if (value && value[0])
		(void)req->http->lib->add_response_header(response, name,
							  value);
}

static void
add_fields(const struct sg_http_req *req, struct MHD_Response *response)
{
	const struct sg_http_reply *r = &req->reply;
	char number[16] = "";

	if (r->retry_after)
		(void)snprintf(number, sizeof(number), "%u", r->retry_after);
	add(req, response, "Content-Type", r->type);
	add(req, response, "X-Request-Id", req->id);
	add(req, response, "Cache-Control", "no-store");
	add(req, response, "X-Content-Type-Options", "nosniff");
	add(req, response, "Allow", r->allow);
	add(req, response, "Retry-After", number);
	add(req, response, "Mcp-Session-Id", r->session);
	if (r->status == 401)
		add(req, response, "WWW-Authenticate",
		    "Bearer realm=\"sandgate\"");
	if (r->stream)
		add(req, response, "X-Accel-Buffering", "no");
	add(req, response, "Content-Security-Policy", r->policy);
	if (r->close || atomic_load(&req->http->draining))
		add(req, response, "Connection", "close");
	if (req->http->opts.origins->n)
		add(req, response, "Vary", "Origin");
	if (!req->origin)
		return;
	add(req, response, "Access-Control-Allow-Origin", req->origin);
	add(req, response, "Access-Control-Expose-Headers",
	    "X-Request-Id, Retry-After, Mcp-Session-Id");
	if (req->method == SG_HTTP_OPTIONS) {
		add(req, response, "Access-Control-Allow-Methods", r->allow);
		add(req, response, "Access-Control-Allow-Headers",
		    "Authorization, Content-Type, X-Api-Key, X-Request-Id, "
		    "MCP-Protocol-Version, Mcp-Method, Mcp-Name, "
		    "Mcp-Session-Id");
		add(req, response, "Access-Control-Max-Age", "600");
	}
}

static enum MHD_Result
send_reply(struct sg_http_req *req)
{
	struct MHD_Response *response;
	enum MHD_Result done;

	/* There is nobody to tell. */
	if (req->reply.status == 499)
		return MHD_NO;
	response = make_response(req);
	if (!response)
		return MHD_NO;
	add_fields(req, response);
	enter(req, req->reply.stream ? SG_CONN_BUSY : SG_CONN_SENDING);
	if (req->conn)
		sg_conn_moved(&req->http->conns, req->conn, req->sent);
	done = req->http->lib->queue_response(req->connection,
					      req->reply.status, response);
	req->http->lib->destroy_response(response);
	req->queued = done == MHD_YES;
	return done;
}

/* ---- the request ---- */

static unsigned
method_of(const char *verb)
{
	static const struct {
		const char *verb;
		unsigned method;
	} verbs[] = {
		{ "GET", SG_HTTP_GET },
		{ "HEAD", SG_HTTP_HEAD },
		{ "POST", SG_HTTP_POST },
		{ "OPTIONS", SG_HTTP_OPTIONS },
	};

	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++) {
		if (strcmp(verbs[i].verb, verb) == 0)
			return verbs[i].method;
	}
	return SG_HTTP_OTHER;
}

/* The client's own name of the request, when it is one. */
static void
name_request(struct sg_http_req *req)
{
	const char *sent = sg_http_header(req, "X-Request-Id");
	size_t n = sent ? strlen(sent) : 0;

	if (n > 0 && n <= SG_HTTP_ID_MAX &&
	    strspn(sent, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			 "0123456789-_.:+/=") == n)
		memcpy(req->id, sent, n + 1);
	else
		sg_uid_make("req_", req->id);
}

static struct sg_conn *
conn_of(const struct sg_http *h, struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = h->lib->get_connection_info(
		connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

/* Whether to read what is refused before saying so. */
static bool
is_short(const struct sg_http_req *req)
{
	const char *length = sg_http_header(req, "Content-Length");

	if (sg_http_header(req, "Expect") ||
	    sg_http_header(req, "Transfer-Encoding"))
		return false;
	return !length || strtoull(length, NULL, 10) <= SG_HTTP_SWALLOW;
}

static struct sg_http_req *
begin(struct sg_http_daemon *d, struct MHD_Connection *connection,
      const char *path, const char *verb, const char *version)
{
	struct sg_http_req *req = calloc(1, sizeof(*req));

	if (!req)
		return NULL;
	req->http = d->http;
	req->connection = connection;
	req->conn = conn_of(d->http, connection);
	req->path = path;
	req->verb = verb;
	req->method = method_of(verb);
	req->hostless = strcmp(version, MHD_HTTP_VERSION_1_0) == 0;
	req->begun = sg_clock_mono();
	sg_buf_init(&req->body, (size_t)d->http->opts.body_max);
	name_request(req);
	atomic_fetch_add(&d->http->open, 1);
	enter(req, SG_CONN_BODY);
	if (req->conn)
		sg_route_admit(req, d->local);
	else
		sg_http_overloaded(req);
	return req;
}

/* A piece of the body.  0, or the status when it is too much. */
static unsigned
take(struct sg_http_req *req, const char *data, size_t n)
{
	struct sg_http *h = req->http;
	uint64_t held;

	req->received += n;
	if (req->conn)
		sg_conn_moved(&h->conns, req->conn, n);
	if (req->refused || req->method != SG_HTTP_POST)
		return req->received <= SG_HTTP_SWALLOW ? 0 : 413;
	held = atomic_fetch_add(&h->held, n) + n;
	req->holds += n;
	if (held > SG_HTTP_BODIES * h->opts.body_max)
		return 429;
	sg_buf_add(&req->body, data, n);
	return sg_buf_failed(&req->body) ? 413 : 0;
}

/* Amid a body the library sends no reply. */
static enum MHD_Result
cut_short(struct sg_http_req *req, unsigned status)
{
	req->reply.status = status;
	req->cut = true;
	if (req->conn)
		sg_conn_blurt(req->conn, status, sg_http_title(status),
			      status == 429 ? "overloaded" : "too-large");
	return MHD_NO;
}

static enum MHD_Result
on_request(void *cls, struct MHD_Connection *connection, const char *path,
	   const char *verb, const char *version, const char *data, size_t *n,
	   void **ret_req)
{
	struct sg_http_req *req = *ret_req;

	if (!req) {
		*ret_req = req = begin(cls, connection, path, verb, version);
		if (!req)
			return MHD_NO;
		req->refused = req->reply.status != 0;
		return req->refused && !is_short(req) ? send_reply(req)
						      : MHD_YES;
	}
	if (*n) {
		unsigned status = take(req, data, *n);

		*n = 0;
		return status ? cut_short(req, status) : MHD_YES;
	}
	if (!req->reply.status && !req->called) {
		req->called = true;
		sg_route_call(req);
		if (req->waits)
			return MHD_YES;
	}
	return send_reply(req);
}

static void
on_completed(void *cls, struct MHD_Connection *connection, void **ret_req,
	     enum MHD_RequestTerminationCode why)
{
	struct sg_http_req *req = *ret_req;
	struct sg_http *h;
	unsigned status;
	uint64_t took, holds;

	(void)cls;
	(void)connection;
	(void)why;
	if (!req)
		return;
	h = req->http;
	holds = req->holds;
	status = req->queued || req->cut ? req->reply.status : 499;
	took = (sg_clock_mono() - req->begun) / 1000;
	if (req->release)
		req->release(req);
	sg_metrics_count(h, req, status, took);
	if (h->opts.log)
		sg_http_log(req, status, took);
	enter(req, SG_CONN_IDLE);
	sg_buf_release(&req->body);
	sg_buf_release(&req->reply.body);
	free(req);
	*ret_req = NULL;
	atomic_fetch_sub(&h->held, holds);
	atomic_fetch_sub(&h->open, 1);
}

/* ---- connections ---- */

static void *
on_line(void *cls, const char *uri, struct MHD_Connection *connection)
{
	struct sg_http_daemon *d = cls;
	struct sg_conn *conn = conn_of(d->http, connection);

	(void)uri;
	if (conn)
		sg_conn_enter(&d->http->conns, conn, SG_CONN_HEAD);
	return NULL;
}

static void
on_connection(void *cls, struct MHD_Connection *connection, void **ret_conn,
	      enum MHD_ConnectionNotificationCode what)
{
	struct sg_http_daemon *d = cls;
	const union MHD_ConnectionInfo *info;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		info = d->http->lib->get_connection_info(
			connection, MHD_CONNECTION_INFO_CONNECTION_FD);
		*ret_conn = info ? sg_conn_open(&d->http->conns,
						info->connect_fd, d->local)
				 : NULL;
	} else if (*ret_conn) {
		sg_conn_close(&d->http->conns, *ret_conn);
		*ret_conn = NULL;
	}
}

/*
 * A length that is no number the library answers by itself, and twice.  It
 * says so before it does, when all of a head is there, but not of which
 * connection; where only one can be meant, that one has our answer and
 * nothing after it.
 */
SG_PRINTF(2, 0)
static void
on_log(void *cls, const char *fmt, va_list ap)
{
	static const struct {
		const char *sign, *code;
		unsigned status;
	} rows[] = {
		{ "Failed to parse `Content-Length' header", "bad-length",
		  400 },
		{ "Too large value of 'Content-Length' header", "too-large",
		  413 },
	};
	struct sg_http_daemon *d = cls;

	(void)ap;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (strncmp(fmt, rows[i].sign, strlen(rows[i].sign)) == 0)
			sg_conns_refuse(&d->http->conns, rows[i].status,
					sg_http_title(rows[i].status),
					rows[i].code);
	}
}

/* ---- the server ---- */

int
sg_http_open(struct sg_http *h, const struct sg_http_opts *opts,
	     struct sg_err *err)
{
	int status;

	h->opts = *opts;
	h->conns.epoll = -1;
	sg_metrics_init(&h->metrics);
	h->lib = calloc(1, sizeof(*h->lib));
	if (!h->lib)
		return sg_err_set(err, SG_ENOMEM, "no memory");
	if ((status = sg_http_lib_load(h->lib, err)) < 0 ||
	    (status = sg_guard_init(&h->guard, opts->token_file, opts->hosts,
				    opts->origins, err)) < 0 ||
	    (status = sg_conns_init(&h->conns,
				    opts->connections * opts->listeners,
				    opts->client_ms, err)) < 0) {
		/* There is nothing yet for sg_http_release(). */
		free(h->lib);
		h->lib = NULL;
		return status;
	}
	if ((status = sg_http_policy_load(h, err)) < 0 ||
	    (status = sg_http_mcp_open(h, err)) < 0)
		return status;
	return sg_http_later_open(h, err);
}

void
sg_http_release(struct sg_http *h)
{
	sg_http_later_free(h->later);
	sg_http_mcp_free(h->mcp);
	sg_http_policy_free(h->policy);
	sg_conns_release(&h->conns);
	sg_guard_release(&h->guard);
	free(h->lib);
}

int
sg_http_listen(struct sg_http *h, struct sg_listener *l, struct sg_err *err)
{
	struct sg_http_daemon *d = calloc(1, sizeof(*d));

	if (!d)
		return sg_err_set(err, SG_ENOMEM, "no memory");
	d->http = h;
	d->local = l->local;
	d->inherited = l->inherited;
	d->daemon = h->lib->start_daemon(
		MHD_USE_EPOLL | MHD_USE_INTERNAL_POLLING_THREAD |
			MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG,
		0, NULL, NULL, on_request, d,
		/* The first, so that it hears of the others. */
		MHD_OPTION_EXTERNAL_LOGGER, on_log, d, MHD_OPTION_LISTEN_SOCKET,
		l->fd, MHD_OPTION_CONNECTION_LIMIT, h->opts.connections,
		MHD_OPTION_CONNECTION_TIMEOUT,
		h->opts.client_ms / 1000 + SLACK_S, MHD_OPTION_NOTIFY_COMPLETED,
		on_completed, d, MHD_OPTION_NOTIFY_CONNECTION, on_connection, d,
		MHD_OPTION_URI_LOG_CALLBACK, on_line, d,
		/* Then cmd/http_form.c looks, and says what it is. */
		MHD_OPTION_STRICT_FOR_CLIENT, 0, MHD_OPTION_END);
	if (!d->daemon) {
		free(d);
		return sg_err_set(err, SG_EIO, "cannot serve at '%s'", l->name);
	}
	l->fd = -1;
	h->daemons[h->ndaemons++] = d;
	return SG_OK;
}

void
sg_http_quiesce(struct sg_http *h)
{
	for (uint32_t i = 0; i < h->ndaemons; i++) {
		int fd = -1;

		if (h->daemons[i]->inherited)
			fd = h->lib->quiesce_daemon(h->daemons[i]->daemon);
		sg_fd_close(&fd);
	}
}

void
sg_http_stop(struct sg_http *h)
{
	/* What it holds is suspended. */
	sg_http_later_end(h->later);
	for (uint32_t i = 0; i < h->ndaemons; i++) {
		h->lib->stop_daemon(h->daemons[i]->daemon);
		free(h->daemons[i]);
	}
	h->ndaemons = 0;
}
