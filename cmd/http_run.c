/*
 * Theory of operation.
 *
 * A request to judge or to run becomes a task of the service, and its
 * connection is suspended.  The task ends on a thread of the service, which
 * writes the reply there (images as base64 take their time) and wakes the
 * connection.  Between the two the main thread may cancel the task because
 * the client is gone; see cmd/http_conn.c for why it never meets one that has
 * ended.
 *
 * The body's texts are views into what was parsed, which the request owns
 * and which so outlives the task.
 */

#include "cmd/http.h"
#include "cmd/http_body.h"

#include <stdlib.h>

struct work {
	struct sg_http_req *req;
	struct sg_task *task;
	struct sg_body body;
};

static void
say_fault(struct sg_http_req *req, const struct sg_body_fault *fault)
{
	struct sg_json j;

	sg_http_problem_begin(req, fault->status, fault->code, fault->detail,
			      &j);
	if (fault->status == 422)
		sg_json_kc(&j, "pointer", fault->pointer);
	sg_http_problem_end(req, &j);
}

/* ---- the reply ---- */

/* The result as a member of a problem, so that nothing of it is lost. */
static void
say_internal(struct sg_http_req *req, unsigned status, const char *code,
	     const struct sg_run *run, const struct sg_report_opts *opts)
{
	const char *why = run->failure.status ? run->failure.msg : "";
	struct sg_buf result;
	struct sg_err err;
	struct sg_json j;

	sg_err_clear(&err);
	sg_buf_init(&result, SG_RESULT_MAX);
	sg_http_problem_begin(req, status, code, why, &j);
	if (sg_report_run(run, opts, &result, &err) == SG_OK) {
		sg_json_key(&j, "result");
		sg_json_raw(&j, sg_buf_view(&result));
	}
	sg_http_problem_end(req, &j);
	sg_buf_release(&result);
}

static void
say_result(struct sg_http_req *req, const struct sg_run *run,
	   const struct sg_report_opts *opts)
{
	struct sg_http_reply *r = &req->reply;
	struct sg_err err;

	sg_err_clear(&err);
	sg_buf_init(&r->body, SG_RESULT_MAX);
	if (sg_report_run(run, opts, &r->body, &err) < 0) {
		sg_http_problem(req, 500, "internal", "%s", err.msg);
		return;
	}
	r->status = 200;
	r->type = "application/json";
}

static void
note_run(struct sg_http_req *req, const struct sg_run *run)
{
	memcpy(req->run, run->id, sizeof(req->run));
	req->result = sg_run_status_name(run->result.status);
}

/* There is nobody who would hear it. */
static void
say_nothing(struct sg_http_req *req, const struct sg_run *run)
{
	note_run(req, run);
	req->reply.status = 499;
}

static void
say_run(struct sg_http_req *req, const struct sg_run *run,
	const struct sg_report_opts *opts)
{
	note_run(req, run);
	switch (run->result.status) {
	case SG_RUN_OVERLOADED:
		sg_http_overloaded(req);
		return;
	case SG_RUN_CANCELLED:
		/* By a drain: the client is there and may try elsewhere. */
		req->reply.retry_after = 5;
		req->reply.close = true;
		say_internal(req, 503, "cancelled", run, opts);
		return;
	case SG_RUN_INVALID:
		say_internal(req, 422, "invalid", run, opts);
		return;
	case SG_RUN_INTERNAL:
		say_internal(req, 500, "internal", run, opts);
		return;
	case SG_RUN_OK:
	case SG_RUN_ERROR:
	case SG_RUN_REJECTED:
	case SG_RUN_TIMEOUT:
	case SG_RUN_CPU_LIMIT:
	case SG_RUN_MEMORY_LIMIT:
	case SG_RUN_PROCESS_LIMIT:
	case SG_RUN_DISK_LIMIT:
	case SG_RUN_OUTPUT_LIMIT:
	case SG_RUN_SYSCALL_DENIED:
	case SG_RUN_SIGNALED:
	case SG_RUN_STATUS_COUNT:
		break;
	}
	say_result(req, run, opts);
}

/* ---- the task ---- */

static void
release(struct sg_http_req *req)
{
	struct work *w = req->work;

	sg_task_free(w->task);
	sg_body_release(&w->body);
	free(w);
}

static void
on_done(struct sg_task *task, const struct sg_run *run,
	const struct sg_report_opts *report, void *ctx)
{
	struct work *w = ctx;
	struct sg_http_req *req = w->req;
	struct sg_report_opts opts = *report;
	bool gone;

	gone = sg_conn_detach(&req->http->conns, req->conn);
	opts.data = w->body.list ? SG_REPORT_LIST : SG_REPORT_INLINE;
	if (gone)
		say_nothing(req, run);
	else
		say_run(req, run, &opts);
	sg_task_free(task);
	w->task = NULL;
	sg_http_wake(req);
}

static int
submit(void *ctx, struct sg_err *err)
{
	struct work *w = ctx;

	return sg_service_submit(w->req->http->opts.service, w->task, err);
}

static void
cancel(void *ctx)
{
	struct work *w = ctx;

	atomic_fetch_add(&w->req->http->metrics.cancelled, 1);
	sg_task_cancel(w->task);
}

static bool
is_named(const char *const *env, const char *entry)
{
	size_t n = strcspn(entry, "=") + 1;

	for (; env && *env; env++) {
		if (strncmp(*env, entry, n) == 0)
			return true;
	}
	return false;
}

static uint32_t
entries(const char *const *env)
{
	uint32_t n = 0;

	while (env && env[n])
		n++;
	return n;
}

/* The request's variables, and those of the server that it does not name. */
static bool
merge_env(struct work *w)
{
	const char *const *ours = w->req->http->opts.env;
	const char *const *theirs = w->body.env;
	uint32_t n = 0;
	const char **all;

	if (!ours)
		return true;
	all = SG_NEWN(&w->task->arena, const char *,
		      entries(ours) + entries(theirs) + 1);
	if (!all)
		return false;
	for (; theirs && *theirs; theirs++)
		all[n++] = *theirs;
	for (; *ours; ours++) {
		if (!is_named(w->body.env, *ours))
			all[n++] = *ours;
	}
	w->task->spec.box.env = all;
	return true;
}

static bool
make_task(struct work *w, enum sg_task_kind kind)
{
	struct sg_http_req *req = w->req;
	struct sg_body_fault fault;
	struct sg_err err;

	sg_err_clear(&err);
	if (sg_task_new(req->http->opts.service, kind, &w->task, &err) < 0) {
		sg_http_problem(req, 500, "internal", "%s", err.msg);
		return false;
	}
	if (!sg_body_apply(&w->body, w->task, &fault)) {
		say_fault(req, &fault);
		return false;
	}
	if (!merge_env(w)) {
		sg_http_problem(req, 500, "internal", "no memory");
		return false;
	}
	/* A check takes no time to speak of; both may wait as long. */
	if (!w->task->deadline_ms)
		w->task->deadline_ms = req->http->opts.queue_ms +
				       w->task->spec.box.limits.wall_ms;
	w->task->done = on_done;
	w->task->ctx = w;
	return true;
}

/* False: the reply says why. */
static bool
prepare(struct sg_http_req *req, enum sg_task_kind kind)
{
	struct work *w = calloc(1, sizeof(*w));
	struct sg_body_fault fault;

	if (!w) {
		sg_http_problem(req, 500, "internal", "no memory");
		return false;
	}
	req->work = w;
	req->release = release;
	w->req = req;
	if (!sg_body_read(sg_buf_view(&req->body), kind, &w->body, &fault)) {
		say_fault(req, &fault);
		return false;
	}
	sg_buf_release(&req->body);
	return make_task(w, kind);
}

static void
begin(struct sg_http_req *req, enum sg_task_kind kind)
{
	/* A long body is read where nobody else waits for it. */
	bool waits = req->waits;
	struct sg_err err;
	int status;

	if (!prepare(req, kind)) {
		if (waits)
			sg_http_wake(req);
		return;
	}
	/* It may end before the call that submits it has. */
	if (!waits)
		sg_http_wait(req);
	sg_err_clear(&err);
	status = sg_conn_attach(&req->http->conns, req->conn, submit, cancel,
				req->work, &err);
	if (status == SG_OK)
		return;
	if (status == SG_ELIMIT)
		sg_http_overloaded(req);
	else if (status == SG_ENOENT)
		req->reply.status = 499;
	else if (status == SG_EUSAGE)
		sg_http_problem(req, 422, "above-limit", "%s", err.msg);
	else
		sg_http_problem(req, 500, "internal", "%s", err.msg);
	sg_http_wake(req);
}

void
sg_http_run(struct sg_http_req *req)
{
	begin(req, SG_TASK_RUN);
}

void
sg_http_check(struct sg_http_req *req)
{
	begin(req, SG_TASK_CHECK);
}
