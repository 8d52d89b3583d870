/*
 * Theory of operation.
 *
 * A call is a request that a task of the service answers.  It is in the list
 * of those under way from before its task is submitted until the task's
 * `done` takes it out; only in between, and under the lock, may its task be
 * touched by others: by a cancellation, by a peer that goes away, by the
 * ticker.
 *
 * The ticker sends progress once a second to calls that asked for it.  It
 * holds a reference on a call while it sends, and the peer's lock keeps it
 * from sending after the answer.
 */

#include "cmd/mcp_core.h"

#include "base/clock.h"

#include <stdlib.h>
#include <time.h>

enum { TICK_NS = 1000000000 };

/* ---- calls ---- */

/* params._meta.progressToken as JSON, or NULL. */
static char *
progress_token(const json_t *params)
{
	const json_t *token = json_object_get(json_object_get(params, "_meta"),
					      "progressToken");

	if (!json_is_string(token) && !json_is_integer(token))
		return NULL;
	return json_dumps(token, JSON_ENCODE_ANY | JSON_COMPACT);
}

struct sg_mcp_call *
sg_mcp_call_new(const struct sg_mcp_msg *m)
{
	struct sg_mcp_call *call = calloc(1, sizeof(*call));
	char *id = strdup(m->origin.id);

	if (!call || !id) {
		free(call);
		free(id);
		sg_mcp_error(&m->origin, SG_MCP_INTERNAL, 200, "out of memory");
		return NULL;
	}
	call->mcp = m->origin.peer->mcp;
	call->origin = m->origin;
	call->origin.id = id;
	call->token = progress_token(m->params);
	call->refs = 1;
	(void)sg_mcp_peer_use(m->origin.peer);
	(void)pthread_mutex_lock(&call->mcp->lock);
	call->mcp->active++;
	(void)pthread_mutex_unlock(&call->mcp->lock);
	return call;
}

static void
release(struct sg_mcp_call *call)
{
	sg_mcp_peer_drop(call->origin.peer);
	free(call->origin.id);
	free(call->token);
	free(call);
}

void
sg_mcp_call_drop(struct sg_mcp_call *call)
{
	struct sg_mcp *mcp = call->mcp;
	bool last;

	(void)pthread_mutex_lock(&mcp->lock);
	last = --call->refs == 0;
	/* Whoever frees the core waits for the last one. */
	if (last && --mcp->active == 0)
		(void)pthread_cond_broadcast(&mcp->changed);
	(void)pthread_mutex_unlock(&mcp->lock);
	if (last)
		release(call);
}

/* ---- the list of those under way: under the lock ---- */

static void
link_call(struct sg_mcp_call *call)
{
	struct sg_mcp *mcp = call->mcp;

	call->started = sg_clock_mono();
	call->next = mcp->calls;
	if (mcp->calls)
		mcp->calls->prev = call;
	mcp->calls = call;
	if (call->token)
		(void)pthread_cond_broadcast(&mcp->changed);
}

static void
unlink_call(struct sg_mcp_call *call)
{
	struct sg_mcp *mcp = call->mcp;

	if (call->prev)
		call->prev->next = call->next;
	else
		mcp->calls = call->next;
	if (call->next)
		call->next->prev = call->prev;
	call->task = NULL;
}

static void
cancel(struct sg_mcp_call *call)
{
	call->cancelled = true;
	if (call->task)
		sg_task_cancel(call->task);
}

/* ---- answering ---- */

/* Marks it answered, so that no progress follows. */
static void
close_progress(struct sg_mcp_call *call)
{
	struct sg_mcp_peer *peer = call->origin.peer;

	(void)pthread_mutex_lock(&peer->lock);
	call->answered = true;
	(void)pthread_mutex_unlock(&peer->lock);
}

static void
answer(struct sg_mcp_call *call, const struct sg_run *run,
       const struct sg_report_opts *report)
{
	struct sg_mcp *mcp = call->mcp;
	bool cancelled;

	(void)pthread_mutex_lock(&mcp->lock);
	unlink_call(call);
	cancelled = call->cancelled;
	(void)pthread_mutex_unlock(&mcp->lock);
	close_progress(call);
	if (cancelled)
		sg_mcp_send(&call->origin, SG_STR_NONE, 202);
	else
		sg_mcp_put_run(call, run, report);
	sg_mcp_call_drop(call);
}

static void
done(struct sg_task *task, const struct sg_run *run,
     const struct sg_report_opts *report, void *ctx)
{
	answer(ctx, run, report);
	sg_task_free(task);
}

void
sg_mcp_call_submit(struct sg_mcp_call *call)
{
	struct sg_mcp *mcp = call->mcp;
	struct sg_task *task = call->task;
	struct sg_report_opts report;
	struct sg_err err;
	struct sg_run run;

	task->done = done;
	task->ctx = call;
	(void)pthread_mutex_lock(&mcp->lock);
	link_call(call);
	(void)pthread_mutex_unlock(&mcp->lock);
	sg_err_clear(&err);
	if (sg_service_submit(mcp->service, task, &err) == SG_OK)
		return;
	sg_service_refusal(mcp->service, task, &err, &run, &report);
	answer(call, &run, &report);
	sg_task_free(task);
}

/* ---- cancelling ---- */

/* Whether `peer` may name the request of `call`. */
static bool
is_of(const struct sg_mcp_call *call, const struct sg_mcp_peer *peer)
{
	const char *session = call->origin.peer->session;

	if (call->origin.peer == peer)
		return true;
	return peer->http && !call->origin.modern && session && peer->session &&
	       strcmp(session, peer->session) == 0;
}

void
sg_mcp_cancelled(const struct sg_mcp_msg *m)
{
	struct sg_mcp_peer *peer = m->origin.peer;
	struct sg_mcp *mcp = peer->mcp;
	const json_t *id = json_object_get(m->params, "requestId");
	char *text = json_dumps(id, JSON_ENCODE_ANY | JSON_COMPACT);

	(void)pthread_mutex_lock(&mcp->lock);
	for (struct sg_mcp_call *c = mcp->calls; text && c; c = c->next) {
		if (is_of(c, peer) && strcmp(c->origin.id, text) == 0)
			cancel(c);
	}
	(void)pthread_mutex_unlock(&mcp->lock);
	free(text);
}

void
sg_mcp_calls_abandon(struct sg_mcp_peer *peer)
{
	struct sg_mcp *mcp = peer->mcp;

	(void)pthread_mutex_lock(&mcp->lock);
	for (struct sg_mcp_call *c = mcp->calls; c; c = c->next) {
		if (c->origin.peer == peer && (c->origin.modern || !peer->http))
			cancel(c);
	}
	(void)pthread_mutex_unlock(&mcp->lock);
}

/* ---- progress ---- */

/* How far a call has come, as a notification; the lock is held. */
static void
write_progress(const struct sg_mcp_call *call, struct sg_buf *out)
{
	uint64_t ms;
	uint32_t limit = call->task->spec.box.limits.wall_ms / 1000;
	bool queued = sg_task_state(call->task, &ms) == SG_TASK_QUEUED;
	struct sg_json j;

	sg_json_init(&j, out);
	sg_json_object(&j);
	sg_json_kc(&j, "jsonrpc", "2.0");
	sg_json_kc(&j, "method", "notifications/progress");
	sg_json_key(&j, "params");
	sg_json_object(&j);
	sg_json_key(&j, "progressToken");
	sg_json_raw(&j, sg_str_c(call->token));
	sg_json_kuint(&j, "progress", call->ticks);
	if (!queued && call->ticks <= limit)
		sg_json_kuint(&j, "total", limit);
	sg_json_key(&j, "message");
	if (queued)
		sg_json_c(&j, "waiting for a free worker");
	else
		sg_mcp_put_running(&j, ms / 1000, limit,
				   sg_task_output(call->task));
	sg_json_end(&j);
	sg_json_end(&j);
}

void
sg_mcp_put_running(struct sg_json *j, uint64_t seconds, uint32_t limit,
		   uint64_t bytes)
{
	struct sg_buf b;

	sg_buf_init(&b, 100);
	sg_buf_printf(&b, "running %llu s of %u s", (unsigned long long)seconds,
		      limit);
	if (bytes)
		sg_buf_printf(&b, ", %llu bytes of output",
			      (unsigned long long)bytes);
	sg_json_str(j, sg_buf_view(&b));
	sg_buf_release(&b);
}

/* Sends it unless the answer was first. */
static void
send_progress(struct sg_mcp_call *call, struct sg_str text)
{
	struct sg_mcp_peer *peer = call->origin.peer;
	const struct sg_mcp_reply r = { .message = text };

	(void)pthread_mutex_lock(&peer->lock);
	if (!call->answered && !peer->gone)
		peer->reply(peer->ctx, &r);
	(void)pthread_mutex_unlock(&peer->lock);
}

/* The call whose turn it is, or NULL and when the next one is due. */
static struct sg_mcp_call *
find_due(const struct sg_mcp *mcp, uint64_t now, uint64_t *ret_next)
{
	*ret_next = UINT64_MAX;
	for (struct sg_mcp_call *c = mcp->calls; c; c = c->next) {
		uint64_t due = c->started + (c->ticks + UINT64_C(1)) * TICK_NS;

		if (!c->token || c->cancelled)
			continue;
		if (due <= now)
			return c;
		if (due < *ret_next)
			*ret_next = due;
	}
	return NULL;
}

/* One notification; the lock is held, but for the sending. */
static void
tick(struct sg_mcp *mcp, struct sg_mcp_call *call)
{
	struct sg_buf b;

	sg_buf_init(&b, 4096);
	call->ticks = (uint32_t)((sg_clock_mono() - call->started) / TICK_NS);
	write_progress(call, &b);
	call->refs++;
	(void)pthread_mutex_unlock(&mcp->lock);
	if (!sg_buf_failed(&b))
		send_progress(call, sg_buf_view(&b));
	sg_buf_release(&b);
	sg_mcp_call_drop(call);
	(void)pthread_mutex_lock(&mcp->lock);
}

void *
sg_mcp_ticker(void *arg)
{
	struct sg_mcp *mcp = arg;

	(void)pthread_mutex_lock(&mcp->lock);
	while (!mcp->stopping) {
		uint64_t next;
		struct sg_mcp_call *call = find_due(mcp, sg_clock_mono(),
						    &next);
		struct timespec until = {
			.tv_sec = (time_t)(next / TICK_NS),
			.tv_nsec = (long)(next % TICK_NS),
		};

		if (call)
			tick(mcp, call);
		else if (next == UINT64_MAX)
			(void)pthread_cond_wait(&mcp->changed, &mcp->lock);
		else
			(void)pthread_cond_timedwait(&mcp->changed, &mcp->lock,
						     &until);
	}
	(void)pthread_mutex_unlock(&mcp->lock);
	return NULL;
}

/* ---- repetition ---- */

static bool
same(const struct sg_digest *a, const struct sg_digest *b)
{
	return memcmp(a->b, b->b, sizeof(a->b)) == 0;
}

uint32_t
sg_mcp_rejected(struct sg_mcp *mcp, const struct sg_verdict *v)
{
	struct sg_mcp_seen *slot = NULL;
	uint32_t times;

	(void)pthread_mutex_lock(&mcp->lock);
	for (uint32_t i = 0; i < SG_MCP_SEEN && !slot; i++) {
		struct sg_mcp_seen *s = &mcp->seen[i];

		if (s->times > 0 && same(&s->code, &v->submitted) &&
		    same(&s->policy, &v->policy_digest))
			slot = s;
	}
	if (!slot) {
		slot = &mcp->seen[mcp->nseen++ % SG_MCP_SEEN];
		*slot = (struct sg_mcp_seen){ .code = v->submitted,
					      .policy = v->policy_digest };
	}
	times = ++slot->times;
	(void)pthread_mutex_unlock(&mcp->lock);
	return times;
}
