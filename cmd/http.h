#ifndef SG_CMD_HTTP_H
#define SG_CMD_HTTP_H

/*
 * The HTTP server: what its parts share.  cmd/http.c alone knows the library
 * that speaks HTTP; everything else sees requests and replies.
 *
 * To add a route: write its handler, name it in the table of cmd/http_route.c
 * and describe it in docs/openapi.json.
 */

#include "base/buf.h"
#include "base/json.h"
#include "cmd/http_conn.h"
#include "cmd/http_guard.h"
#include "cmd/http_listen.h"
#include "cmd/http_metrics.h"
#include "pipeline/service.h"

#include <stdatomic.h>

enum sg_http_method {
	SG_HTTP_GET = 1 << 0,
	SG_HTTP_HEAD = 1 << 1,
	SG_HTTP_POST = 1 << 2,
	SG_HTTP_OPTIONS = 1 << 3,
	SG_HTTP_OTHER = 1 << 4
};

enum {
	/* A request that is refused is read to its end when it is no longer
	   than this, so that the connection can go on. */
	SG_HTTP_SWALLOW = 64 * 1024,
	/* A longer body is read by cmd/http_later.c: that takes milliseconds,
	   and the connections of one socket share a thread. */
	SG_HTTP_LONG = 256 * 1024,
	/* Bodies of the largest size that are held at a time, so that many
	   clients together cannot use up the memory. */
	SG_HTTP_BODIES = 8,
	SG_HTTP_ID_MAX = 128, /* characters of a request's name */
	SG_HTTP_LISTENERS = 16,
	SG_HTTP_ALLOW_MAX = 64,
	SG_HTTP_POLICY_MAX = 384
};

struct sg_http_opts {
	struct sg_service *service; /* borrowed; must outlive */
	const char *policy;         /* as given to the service; borrowed */
	const char *token_file;     /* NULL none; borrowed */
	const struct sg_opt_list *hosts, *origins; /* cmd/http_guard.h */
	const char *const *env; /* of each run, "NAME=VALUE"; NULL none */
	uint32_t listeners;     /* that there will be */
	uint64_t body_max;      /* bytes of a request */
	uint32_t connections;   /* at a time, on each listener */
	uint32_t client_ms;     /* a client may take for a request */
	uint32_t queue_ms;      /* a request may wait to begin */
	bool log;               /* a line for each request */
};

struct sg_http_lib;

struct sg_http {
	struct sg_http_opts opts;
	struct sg_http_lib *lib; /* cmd/http_lib.h */
	struct sg_guard guard;
	struct sg_conns conns;
	struct sg_http_metrics metrics;
	atomic_bool draining;
	atomic_uint open;   /* requests that were begun and not ended */
	atomic_ullong held; /* bytes of their bodies */
	struct sg_http_policy *policy;                     /* http_policy.c */
	struct sg_http_later *later;                       /* http_later.c */
	struct sg_mcp *mcp;                                /* cmd/mcp.h */
	struct sg_http_daemon *daemons[SG_HTTP_LISTENERS]; /* http.c */
	uint32_t ndaemons;
};

struct sg_mcp;

/*
 * A reply that comes in pieces.  Written from any thread; read by the one
 * that serves the connection, which sleeps when there is nothing to send.
 */
struct sg_http_stream {
	pthread_mutex_t lock;
	struct sg_http_req *req;
	struct sg_buf out;
	size_t taken; /* of `out` */
	bool ended;   /* nothing more will come */
	bool broken;  /* the client is gone: send no more */
	bool asleep;
};

struct sg_http_reply {
	unsigned status;  /* 0: there is none yet */
	const char *type; /* of the body; static; NULL none */
	struct sg_buf body;
	struct sg_str text; /* instead of `body`: static bytes */
	char allow[SG_HTTP_ALLOW_MAX];
	uint32_t retry_after;            /* seconds; 0 none */
	bool close;                      /* the connection, after it */
	char policy[SG_HTTP_POLICY_MAX]; /* Content-Security-Policy; "" none */
	struct sg_http_stream *stream;   /* instead of a body; of the handler */
	char session[SG_HTTP_ID_MAX];    /* Mcp-Session-Id to send; "" none */
};

struct sg_http_req {
	struct sg_http *http;
	const struct sg_route *route; /* NULL: no such path */
	unsigned method;              /* enum sg_http_method */
	const char *verb, *path;      /* as sent; of the connection */
	bool hostless;                /* HTTP/1.0: needs no Host */
	char id[SG_HTTP_ID_MAX + 1];
	struct sg_conn *conn;
	struct sg_buf body;
	bool refused; /* the body is of no interest */
	struct sg_http_reply reply;
	const char *origin; /* that may read the reply; NULL none */
	void *work;         /* of the handler, */
	void (*release)(struct sg_http_req *req); /* which gives it back */
	uint64_t begun;                           /* sg_clock_mono() */
	/* For the log. */
	char run[SG_UID];
	const char *result; /* static; NULL none */
	/* ---- cmd/http.c and http_later.c ---- */
	void *connection;
	struct sg_http_req *next;
	uint64_t received, sent; /* bytes of the bodies */
	bool queued;             /* the reply was */
	bool cut;                /* the reply was sent past the library */
	uint64_t holds;          /* its part of http->held */
	bool called;             /* the handler was */
	bool waits;              /* it called sg_http_wait() */
};

/* Fills in req->reply, or calls sg_http_wait() and lets somebody else. */
typedef void sg_route_fn(struct sg_http_req *req);

enum sg_route_flag {
	SG_ROUTE_OPEN = 1 << 0, /* needs no token */
	SG_ROUTE_SLOW = 1 << 1  /* the handler may block */
};

struct sg_route {
	const char *path;
	unsigned methods; /* GET or POST; HEAD and OPTIONS follow */
	unsigned flags;
	sg_route_fn *handle;
};

/* ---- http.c ---- */

/* `h` is all zero; what `opts` points to is borrowed. */
SG_MUST_CHECK int sg_http_open(struct sg_http *h,
			       const struct sg_http_opts *opts,
			       struct sg_err *err);
/* After sg_http_stop(). */
void sg_http_release(struct sg_http *h);

/* Starts to answer there; the descriptor becomes ours.  SG_EIO. */
SG_MUST_CHECK int sg_http_listen(struct sg_http *h, struct sg_listener *l,
				 struct sg_err *err);
/* Takes no new connections where the service manager keeps them for whoever
 * comes after us. */
void sg_http_quiesce(struct sg_http *h);
/* Ends all connections.  No request may be waiting. */
void sg_http_stop(struct sg_http *h);

/* The first header field of that name, or NULL; valid as long as `req`. */
const char *sg_http_header(const struct sg_http_req *req, const char *name);
/* How many fields of that name there are. */
uint32_t sg_http_headers(const struct sg_http_req *req, const char *name);

/* Calls `field` for each until it returns false. */
typedef bool sg_http_field_fn(void *ctx, struct sg_str name,
			      struct sg_str value);
void sg_http_each(const struct sg_http_req *req, sg_http_field_fn *field,
		  void *ctx);

/*
 * The reply comes later: whoever fills it in calls sg_http_wake() after it,
 * once, from any thread, and does not touch `req` any more.
 */
void sg_http_wait(struct sg_http_req *req);
void sg_http_wake(struct sg_http_req *req);

/* ---- http_stream.c ---- */

void sg_http_stream_init(struct sg_http_stream *s, struct sg_http_req *req);
void sg_http_stream_release(struct sg_http_stream *s);
/* Appends to what is sent; `last`: and that is all. */
void sg_http_stream_put(struct sg_http_stream *s, struct sg_str bytes,
			bool last);
void sg_http_stream_break(struct sg_http_stream *s);
/* Up to `room` bytes; 0: there is nothing now, and the stream is asleep after
 * sleep(req); -1 the end; -2 broken. */
int sg_http_stream_take(struct sg_http_stream *s, char *out, size_t room,
			void (*sleep)(struct sg_http_req *req));

/* ---- http_route.c ---- */

/* The table, ended by a path that is NULL. */
extern const struct sg_route sg_routes[];

/* Finds the route and looks at everything but the body; refuses by filling
 * in the reply. */
void sg_route_admit(struct sg_http_req *req, bool local);
/* The body is there. */
void sg_route_call(struct sg_http_req *req);

/* ---- http_form.c ---- */

/* Whether the request is well-formed; otherwise the reply says what is not,
 * and ends the connection: its next byte may be anything. */
bool sg_http_admit_form(struct sg_http_req *req);

/* ---- http_reply.c ---- */

/* "Not Found"; static. */
const char *sg_http_title(unsigned status);

/* An error as application/problem+json; `code` is static. */
void sg_http_problem(struct sg_http_req *req, unsigned status, const char *code,
		     const char *fmt, ...) SG_PRINTF(4, 5);
/* The same, with more members: the caller writes them and ends the object
 * by sg_http_problem_end(). */
void sg_http_problem_begin(struct sg_http_req *req, unsigned status,
			   const char *code, const char *detail,
			   struct sg_json *j);
void sg_http_problem_end(struct sg_http_req *req, struct sg_json *j);
/* 429 or, while draining, 503. */
void sg_http_overloaded(struct sg_http_req *req);

/* req->reply.body is the document; says 500 when it is broken. */
void sg_http_json(struct sg_http_req *req, unsigned status,
		  const struct sg_json *j);

/* ---- http_later.c: handlers that take long, on a thread of their own.  The
 * request waits already; they wake it. ---- */

SG_MUST_CHECK int sg_http_later_open(struct sg_http *h, struct sg_err *err);
void sg_http_later(struct sg_http_req *req);
/* Comes back when all that was given to it is done; what comes later is
 * refused. */
void sg_http_later_end(struct sg_http_later *l);
/* After sg_http_stop(). */
void sg_http_later_free(struct sg_http_later *l);

/* ---- http_policy.c: GET /v1/policy ---- */

/* Renders the policy that is in force; also after a reload. */
SG_MUST_CHECK int sg_http_policy_load(struct sg_http *h, struct sg_err *err);
void sg_http_policy_free(struct sg_http_policy *p);
void sg_http_policy(struct sg_http_req *req);

/* ---- http_run.c ---- */

void sg_http_run(struct sg_http_req *req);
void sg_http_check(struct sg_http_req *req);

/* ---- http_mcp.c ---- */

SG_MUST_CHECK int sg_http_mcp_open(struct sg_http *h, struct sg_err *err);
void sg_http_mcp_free(struct sg_mcp *mcp);
void sg_http_mcp(struct sg_http_req *req);

/* ---- http_page.c: documents that are built in ---- */

void sg_http_openapi(struct sg_http_req *req);
void sg_http_page(struct sg_http_req *req);

/* ---- serve_group.c ---- */

/* Before any thread is made. */
void sg_serve_group(void);

/* ---- http_log.c ---- */

/* One line of JSON on standard error. */
void sg_http_log(const struct sg_http_req *req, unsigned status,
		 uint64_t took_us);

#endif
