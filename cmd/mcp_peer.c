/*
 * Theory of operation.
 *
 * A message is parsed under a cap of bytes and of depth, looked at, and
 * handed to its method, which answers at once or leaves a call behind that
 * the service ends (cmd/mcp_call.c).  Each request is answered once; the
 * answers of a batch are collected until the last one is there.  The reader
 * of a batch counts as one that has to answer, so that it is not finished
 * while it is read; the peer frees finished ones when the next one comes.
 *
 * A peer lives as long as its user and every call of it.  `reply` is called
 * under the peer's lock, so that sg_mcp_peer_free(), which takes it to say
 * that the user has gone, returns when no reply is under way any more.
 */

#include "cmd/mcp_core.h"

#include <stdlib.h>

enum { MESSAGE_MAX = 64 << 20 };

/* ---- the core ---- */

int
sg_mcp_open(const struct sg_mcp_opts *opts, struct sg_mcp **ret,
	    struct sg_err *err)
{
	struct sg_mcp *mcp = calloc(1, sizeof(*mcp));
	pthread_condattr_t attr;
	int number;

	if (!mcp)
		return sg_err_set(err, SG_ENOMEM, "no memory");
	mcp->opts = *opts;
	mcp->service = opts->service;
	mcp->capabilities = "{\"tools\":{},\"resources\":{}}";
	if (!mcp->opts.message_max)
		mcp->opts.message_max = MESSAGE_MAX;
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_mutex_init(&mcp->lock, NULL);
	(void)pthread_cond_init(&mcp->changed, &attr);
	(void)pthread_condattr_destroy(&attr);
	mcp->tools = sg_mcp_tools_write(mcp->service, false);
	mcp->plain_tools = sg_mcp_tools_write(mcp->service, true);
	mcp->instructions = sg_mcp_instructions(mcp->service);
	if (!mcp->tools || !mcp->plain_tools || !mcp->instructions) {
		sg_mcp_free(mcp);
		return sg_err_set(err, SG_ENOMEM, "no memory");
	}
	number = pthread_create(&mcp->ticker, NULL, sg_mcp_ticker, mcp);
	if (number) {
		sg_mcp_free(mcp);
		return sg_err_sys(err, SG_EIO, number, "cannot start a thread");
	}
	mcp->has_ticker = true;
	*ret = mcp;
	return SG_OK;
}

void
sg_mcp_free(struct sg_mcp *mcp)
{
	if (!mcp)
		return;
	(void)pthread_mutex_lock(&mcp->lock);
	while (mcp->active > 0)
		(void)pthread_cond_wait(&mcp->changed, &mcp->lock);
	mcp->stopping = true;
	(void)pthread_cond_broadcast(&mcp->changed);
	(void)pthread_mutex_unlock(&mcp->lock);
	if (mcp->has_ticker)
		(void)pthread_join(mcp->ticker, NULL);
	(void)pthread_mutex_destroy(&mcp->lock);
	(void)pthread_cond_destroy(&mcp->changed);
	free(mcp->tools);
	free(mcp->plain_tools);
	free(mcp->instructions);
	free(mcp);
}

/* ---- peers ---- */

static bool
copy(const char *text, char **ret)
{
	*ret = text ? strdup(text) : NULL;
	return !text || *ret;
}

struct sg_mcp_peer *
sg_mcp_peer_use(struct sg_mcp_peer *peer)
{
	atomic_fetch_add(&peer->refs, 1);
	return peer;
}

/* Frees the batches with at most `left` to answer. */
static void
free_batches(struct sg_mcp_peer *peer, uint32_t left)
{
	struct sg_mcp_batch **at = &peer->batches;

	while (*at) {
		struct sg_mcp_batch *b = *at;

		if (b->left > left) {
			at = &b->next;
			continue;
		}
		*at = b->next;
		sg_buf_release(&b->answers);
		free(b);
	}
}

void
sg_mcp_peer_drop(struct sg_mcp_peer *peer)
{
	if (atomic_fetch_sub(&peer->refs, 1) > 1)
		return;
	free_batches(peer, UINT32_MAX);
	(void)pthread_mutex_destroy(&peer->lock);
	free(peer->version);
	free(peer->method);
	free(peer->name);
	free(peer->session);
	free(peer);
}

int
sg_mcp_peer_new(struct sg_mcp *mcp, const struct sg_mcp_headers *headers,
		sg_mcp_reply_fn *reply, void *ctx, struct sg_mcp_peer **ret,
		struct sg_err *err)
{
	struct sg_mcp_peer *peer = calloc(1, sizeof(*peer));

	if (!peer)
		return sg_err_set(err, SG_ENOMEM, "no memory");
	peer->mcp = mcp;
	peer->http = headers != NULL;
	peer->reply = reply;
	peer->ctx = ctx;
	atomic_init(&peer->refs, 1);
	atomic_init(&peer->waiting, 0);
	(void)pthread_mutex_init(&peer->lock, NULL);
	if (headers && (!copy(headers->version, &peer->version) ||
			!copy(headers->method, &peer->method) ||
			!copy(headers->name, &peer->name) ||
			!copy(headers->session, &peer->session))) {
		sg_mcp_peer_drop(peer);
		return sg_err_set(err, SG_ENOMEM, "no memory");
	}
	*ret = peer;
	return SG_OK;
}

uint32_t
sg_mcp_peer_waiting(struct sg_mcp_peer *peer)
{
	return atomic_load(&peer->waiting);
}

void
sg_mcp_peer_free(struct sg_mcp_peer *peer)
{
	if (!peer)
		return;
	(void)pthread_mutex_lock(&peer->lock);
	peer->gone = true;
	(void)pthread_mutex_unlock(&peer->lock);
	sg_mcp_calls_abandon(peer);
	sg_mcp_peer_drop(peer);
}

/* ---- sending ---- */

static void
reply(struct sg_mcp_peer *peer, const struct sg_mcp_reply *r)
{
	if (!peer->gone)
		peer->reply(peer->ctx, r);
}

void
sg_mcp_notify(const struct sg_mcp_origin *o, struct sg_str text)
{
	const struct sg_mcp_reply r = { .message = text };

	(void)pthread_mutex_lock(&o->peer->lock);
	reply(o->peer, &r);
	(void)pthread_mutex_unlock(&o->peer->lock);
}

/* One less to wait for: sends what was collected after the last one.  The
 * peer's lock is held. */
static void
leave_batch(struct sg_mcp_peer *peer, struct sg_mcp_batch *b)
{
	struct sg_mcp_reply r = { .last = true, .http = 202 };

	if (--b->left > 0)
		return;
	if (b->answers.len > 0) {
		sg_buf_char(&b->answers, ']');
		r.http = 200;
		r.message = sg_buf_view(&b->answers);
	}
	if (sg_buf_failed(&b->answers))
		r.message = SG_STR("[]");
	reply(peer, &r);
	sg_buf_release(&b->answers);
}

/* A batch that waits for its reader; NULL without memory. */
static struct sg_mcp_batch *
enter_batch(struct sg_mcp_peer *peer)
{
	struct sg_mcp_batch *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	sg_buf_init(&b->answers, SG_MCP_ANSWER);
	b->left = 1;
	(void)pthread_mutex_lock(&peer->lock);
	free_batches(peer, 0);
	b->next = peer->batches;
	peer->batches = b;
	(void)pthread_mutex_unlock(&peer->lock);
	return b;
}

static void
add_to_batch(struct sg_mcp_batch *b, struct sg_str text)
{
	if (text.n > 0) {
		sg_buf_char(&b->answers, b->answers.len > 0 ? ',' : '[');
		sg_buf_str(&b->answers, text);
	}
}

void
sg_mcp_send(const struct sg_mcp_origin *o, struct sg_str text, unsigned http)
{
	struct sg_mcp_peer *peer = o->peer;
	const struct sg_mcp_reply r = {
		.message = text,
		.last = true,
		.http = text.n > 0 ? http : 202,
		.session = peer->fresh[0] ? peer->fresh : NULL,
	};

	(void)pthread_mutex_lock(&peer->lock);
	if (o->batch) {
		add_to_batch(o->batch, text);
		if (o->id)
			leave_batch(peer, o->batch);
	} else {
		reply(peer, &r);
	}
	if (o->id)
		atomic_fetch_sub(&peer->waiting, 1);
	(void)pthread_mutex_unlock(&peer->lock);
}

/* ---- reading ---- */

/* Whether brackets outside of strings nest deeper than SG_MCP_DEPTH. */
static bool
too_deep(struct sg_str s)
{
	unsigned depth = 0;
	bool quoted = false;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (quoted && c == '\\')
			i++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == '[' || c == '{')) {
			if (++depth > SG_MCP_DEPTH)
				return true;
		} else if (!quoted && (c == ']' || c == '}') && depth > 0) {
			depth--;
		}
	}
	return false;
}

/* The id as JSON; NULL when it is none that a request may have. */
static char *
id_text(const json_t *id)
{
	char *text;

	if (!json_is_string(id) && !json_is_integer(id))
		return NULL;
	text = json_dumps(id, JSON_ENCODE_ANY | JSON_COMPACT);
	if (text && strlen(text) > SG_MCP_ID) {
		free(text);
		text = NULL;
	}
	return text;
}

/* Counts, or no longer counts, a request that has to be answered. */
static void
expect(const struct sg_mcp_origin *o, bool more)
{
	if (!o->id)
		return;
	(void)pthread_mutex_lock(&o->peer->lock);
	if (more)
		atomic_fetch_add(&o->peer->waiting, 1);
	else
		atomic_fetch_sub(&o->peer->waiting, 1);
	if (o->batch && more)
		o->batch->left++;
	else if (o->batch)
		o->batch->left--; /* its reader is still there */
	(void)pthread_mutex_unlock(&o->peer->lock);
}

/* Looks at one message that is an object. */
static void
take_object(struct sg_mcp_peer *peer, const json_t *v,
	    struct sg_mcp_batch *batch)
{
	const char *version = json_string_value(json_object_get(v, "jsonrpc"));
	const json_t *id = json_object_get(v, "id");
	const json_t *params = json_object_get(v, "params");
	struct sg_mcp_msg m = {
		.origin = { .peer = peer, .batch = batch, .id = id_text(id) },
		.method = json_string_value(json_object_get(v, "method")),
		.params = params,
	};

	expect(&m.origin, true);
	if (!version || strcmp(version, "2.0") != 0)
		sg_mcp_error(&m.origin, SG_MCP_INVALID, 400,
			     "\"jsonrpc\" must be \"2.0\"");
	else if (id && !m.origin.id)
		sg_mcp_error(&m.origin, SG_MCP_INVALID, 400,
			     "\"id\" must be a string or a whole number");
	else if (!m.method && (json_object_get(v, "result") ||
			       json_object_get(v, "error"))) {
		/* An answer to what was never asked. */
		expect(&m.origin, false);
		free(m.origin.id);
		m.origin.id = NULL;
		sg_mcp_send(&m.origin, SG_STR_NONE, 202);
	} else if (!m.method)
		sg_mcp_error(&m.origin, SG_MCP_INVALID, 400,
			     "\"method\" is missing");
	else if (params && !json_is_object(params))
		sg_mcp_error(&m.origin, SG_MCP_PARAMS, 400,
			     "\"params\" must be an object");
	else
		sg_mcp_dispatch(&m);
	free(m.origin.id);
}

/* Whether this peer's protocol has batches. */
static bool
knows_batches(const struct sg_mcp_peer *peer)
{
	const char *version = peer->http ? peer->version : peer->legacy;

	/* Without a header it is the version that had none. */
	if (peer->http && !version)
		return true;
	return version && (strcmp(version, "2025-03-26") == 0 ||
			   strcmp(version, "2024-11-05") == 0);
}

static void
take_array(struct sg_mcp_peer *peer, const json_t *list)
{
	const struct sg_mcp_origin nobody = { .peer = peer };
	struct sg_mcp_batch *b;
	const json_t *v;
	size_t i;

	if (!knows_batches(peer) || json_array_size(list) == 0 ||
	    json_array_size(list) > SG_MCP_BATCH || !(b = enter_batch(peer))) {
		sg_mcp_error(&nobody, SG_MCP_INVALID, 400,
			     knows_batches(peer)
				     ? "a batch has 1 to 100 messages"
				     : "this version of the protocol has no "
				       "batches");
		return;
	}
	json_array_foreach(list, i, v)
	{
		const struct sg_mcp_origin here = { .peer = peer, .batch = b };

		if (json_is_object(v))
			take_object(peer, v, b);
		else
			sg_mcp_error(&here, SG_MCP_INVALID, 400,
				     "a message must be an object");
	}
	(void)pthread_mutex_lock(&peer->lock);
	leave_batch(peer, b);
	(void)pthread_mutex_unlock(&peer->lock);
}

void
sg_mcp_peer_feed(struct sg_mcp_peer *peer, struct sg_str bytes)
{
	const struct sg_mcp_origin nobody = { .peer = peer };
	json_error_t error;
	json_t *v;

	if (bytes.n > peer->mcp->opts.message_max) {
		sg_mcp_error(&nobody, SG_MCP_INVALID, 400,
			     "the message is longer than %zu bytes",
			     peer->mcp->opts.message_max);
		return;
	}
	if (too_deep(bytes)) {
		sg_mcp_error(&nobody, SG_MCP_PARSE, 400,
			     "the message is nested deeper than %d levels",
			     SG_MCP_DEPTH);
		return;
	}
	v = json_loadb(bytes.p ? bytes.p : "", bytes.n,
		       JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL |
			       JSON_DECODE_ANY,
		       &error);
	if (!v)
		sg_mcp_error(&nobody, SG_MCP_PARSE, 400,
			     "the message is not JSON: %s (byte %d)",
			     error.text, error.position);
	else if (json_is_array(v))
		take_array(peer, v);
	else if (json_is_object(v))
		take_object(peer, v, NULL);
	else
		sg_mcp_error(&nobody, SG_MCP_INVALID, 400,
			     "a message must be an object");
	json_decref(v);
}
