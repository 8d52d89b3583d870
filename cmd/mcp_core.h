#ifndef SG_CMD_MCP_CORE_H
#define SG_CMD_MCP_CORE_H

/*
 * What the parts of the protocol share; only cmd/mcp_*.c and tests/mcp.
 *
 * To add a method: a row in the table of cmd/mcp_method.c.
 * To add a tool: a row in the table of cmd/mcp_tool.c, and its schemas.
 */

#include "cmd/mcp.h"

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>

enum sg_mcp_code {
	SG_MCP_PARSE = -32700,
	SG_MCP_INVALID = -32600, /* not a request */
	SG_MCP_METHOD = -32601,  /* no such method */
	SG_MCP_PARAMS = -32602,
	SG_MCP_INTERNAL = -32603,
	SG_MCP_NO_RESOURCE = -32002, /* with `initialize` only */
	SG_MCP_HEADER = -32020,
	SG_MCP_CAPABILITY = -32021,
	SG_MCP_VERSION = -32022
};

enum {
	SG_MCP_DEPTH = 64,       /* nesting of a message */
	SG_MCP_BATCH = 100,      /* messages of one batch */
	SG_MCP_ID = 1024,        /* bytes of an id as JSON */
	SG_MCP_SEEN = 64,        /* rejected scripts that are remembered */
	SG_MCP_ANSWER = 1 << 30, /* bytes of one answer */
	SG_MCP_TTL_MS = 300000   /* how long lists may be kept */
};

struct sg_mcp_call;
struct sg_mcp_msg;

/* A script that was rejected, and how often. */
struct sg_mcp_seen {
	struct sg_digest code, policy;
	uint32_t times;
};

struct sg_mcp {
	struct sg_mcp_opts opts;
	struct sg_service *service;
	char *tools;        /* JSON array of what tools/list gives */
	char *plain_tools;  /* the same for clients that are `plain` */
	char *instructions; /* for the model */
	/* Sees each request first; true: it has answered.  NULL: none. */
	bool (*hook)(void *ctx, const struct sg_mcp_msg *m);
	void *hook_ctx;
	const char *capabilities; /* JSON object */
	pthread_t ticker;
	bool has_ticker;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	struct sg_mcp_call *calls; /* under way */
	uint32_t active;           /* calls that exist */
	bool stopping;
	struct sg_mcp_seen seen[SG_MCP_SEEN];
	uint32_t nseen; /* ever; the oldest is forgotten */
};

/* Several messages of one array, answered together. */
struct sg_mcp_batch {
	struct sg_mcp_batch *next;
	struct sg_buf answers; /* JSON values, with commas */
	uint32_t left; /* requests that are not answered, and the reader */
};

struct sg_mcp_peer {
	struct sg_mcp *mcp;
	bool http;
	char *version, *method, *name, *session; /* headers, or NULL */
	char fresh[SG_UID]; /* session that `initialize` made, or "" */
	sg_mcp_reply_fn *reply;
	void *ctx;
	atomic_uint refs;
	atomic_uint waiting;
	const char *legacy;   /* version that `initialize` settled; stdio */
	bool plain;           /* the client that it named is such; stdio */
	pthread_mutex_t lock; /* of replying, and of what follows */
	bool gone;
	struct sg_mcp_batch *batches; /* the peer's; finished ones too */
};

/* Where an answer goes. */
struct sg_mcp_origin {
	struct sg_mcp_peer *peer;
	struct sg_mcp_batch *batch; /* or NULL */
	char *id;                   /* JSON; NULL for a notification */
	bool modern;
	bool plain; /* no structured content: see sg_mcp_is_plain() */
};

/* One request or notification, looked at. */
struct sg_mcp_msg {
	struct sg_mcp_origin origin;
	const char *method;
	const json_t *params; /* an object, or NULL */
	const char *version;  /* of the protocol; static */
};

/* A request that a task of the service answers. */
struct sg_mcp_call {
	struct sg_mcp *mcp;
	struct sg_mcp_origin origin;
	char *token; /* JSON; NULL: no progress is wanted */
	struct sg_task *task;
	bool check, return_files;
	uint64_t started;
	uint32_t ticks; /* seconds, at the last notification */
	bool answered;  /* under the peer's lock */
	bool cancelled; /* under the lock of mcp, as all that follows */
	uint32_t refs;
	struct sg_mcp_call *next, *prev;
};

/* ---- mcp_peer.c ---- */

struct sg_mcp_peer *sg_mcp_peer_use(struct sg_mcp_peer *peer);
void sg_mcp_peer_drop(struct sg_mcp_peer *peer);
/* Sends what is no answer. */
void sg_mcp_notify(const struct sg_mcp_origin *o, struct sg_str text);
/* Answers with `text`; empty: without a word. */
void sg_mcp_send(const struct sg_mcp_origin *o, struct sg_str text,
		 unsigned http);

/* ---- mcp_answer.c ---- */

/* An answer being written: an object that is open for members. */
struct sg_mcp_answer {
	const struct sg_mcp_origin *origin;
	const char *type; /* resultType: "complete" */
	struct sg_buf buf;
	struct sg_json j;
};

void sg_mcp_answer_begin(const struct sg_mcp_origin *o,
			 struct sg_mcp_answer *a);
/* Adds what every result has, and sends it. */
void sg_mcp_answer_end(struct sg_mcp_answer *a);
/* For lists: how long a client may keep them. */
void sg_mcp_answer_cache(struct sg_mcp_answer *a, uint32_t ttl_ms);
void sg_mcp_error(const struct sg_mcp_origin *o, enum sg_mcp_code code,
		  unsigned http, const char *fmt, ...) SG_PRINTF(4, 5);
/* With `data`, a JSON value. */
void sg_mcp_error_data(const struct sg_mcp_origin *o, enum sg_mcp_code code,
		       unsigned http, const char *data, const char *message);
/* A tool's result that is an error of its input. */
void sg_mcp_tool_error(const struct sg_mcp_origin *o, const char *fmt, ...)
	SG_PRINTF(2, 3);
/* Name and version of this server, as an object. */
void sg_mcp_put_server(struct sg_json *j);
/* {"type": "text", "text": ...}, into the array that is open. */
void sg_mcp_put_text(struct sg_json *j, struct sg_str text);

/* ---- mcp_era.c ---- */

extern const char *const sg_mcp_legacy[]; /* newest first, NULL-ended */
extern const char *const sg_mcp_modern[];

/* The one of the list that is `text`, or NULL. */
const char *sg_mcp_version(const char *const *list, const char *text);
/*
 * True of clients that give their model the structured content of a result
 * beside its texts and images, or instead of them: no model sees a figure
 * there, nor where a long output was cut.  `client` is a clientInfo, or NULL.
 */
bool sg_mcp_is_plain(const json_t *client);
/* How the ids of sessions of such clients begin. */
#define SG_MCP_PLAIN_SESSION "session_plain_"

/*
 * Settles by which rules a message is served, and holds it against its
 * headers.  False: it was answered with an error.
 */
bool sg_mcp_classify(struct sg_mcp_msg *m);

/* ---- mcp_method.c ---- */

/* Answers a request, or takes a notification. */
void sg_mcp_dispatch(struct sg_mcp_msg *m);

/* ---- mcp_tool.c ---- */

/* JSON array, for free(); NULL without memory. */
char *sg_mcp_tools_write(const struct sg_service *s, bool plain);
/* What a model should know of this server, for free(). */
char *sg_mcp_instructions(struct sg_service *s);
void sg_mcp_tools_list(const struct sg_mcp_msg *m);
void sg_mcp_tools_call(const struct sg_mcp_msg *m);

/* ---- mcp_run.c ---- */

void sg_mcp_run_python(const struct sg_mcp_msg *m, const json_t *args);
void sg_mcp_check_python(const struct sg_mcp_msg *m, const json_t *args);

/* ---- mcp_result.c ---- */

/* Answers with a run. */
void sg_mcp_put_run(const struct sg_mcp_call *call, const struct sg_run *run,
		    const struct sg_report_opts *report);

/* ---- mcp_call.c ---- */

/* NULL, and answered, when there is no memory. */
struct sg_mcp_call *sg_mcp_call_new(const struct sg_mcp_msg *m);
/* Puts it among those under way, hands it to the service. */
void sg_mcp_call_submit(struct sg_mcp_call *call);
void sg_mcp_call_drop(struct sg_mcp_call *call);
/* notifications/cancelled */
void sg_mcp_cancelled(const struct sg_mcp_msg *m);
/* The peer has gone. */
void sg_mcp_calls_abandon(struct sg_mcp_peer *peer);
void *sg_mcp_ticker(void *mcp);
/* "running 3 s of 10 s, 6 bytes of output", as a JSON string. */
void sg_mcp_put_running(struct sg_json *j, uint64_t seconds, uint32_t limit,
			uint64_t bytes);
/* How often this script has been rejected, this time included. */
uint32_t sg_mcp_rejected(struct sg_mcp *mcp, const struct sg_verdict *v);

/* ---- mcp_resource.c ---- */

void sg_mcp_resources_list(const struct sg_mcp_msg *m);
void sg_mcp_templates_list(const struct sg_mcp_msg *m);
void sg_mcp_resources_read(const struct sg_mcp_msg *m);

#endif
