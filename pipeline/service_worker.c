/*
 * Theory of operation.
 *
 * A worker takes the first ticket of the queue, runs it and calls its `done`.
 * It owns a gate for the policy that was in force when it last looked, an
 * arena and a descriptor that ends the run when it becomes readable; all
 * three are used again for the next run.
 *
 * The clerk ends what must not wait for a worker: tickets in the queue that
 * were cancelled or whose deadline has come.  It sleeps until the earliest
 * deadline that it knows of; who submits or cancels wakes it only when it
 * would sleep too long.
 *
 * Whoever takes a ticket out of the queue ends it, and takes it under the
 * lock: so each ends once.  `done` is called without the lock.
 */

#include "pipeline/service_core.h"

#include "base/clock.h"

#include <errno.h>
#include <unistd.h>

/* ---- ends ---- */

struct sg_report_opts
sg_service_report(const struct sg_service *s, const struct sg_task *task)
{
	return (struct sg_report_opts){
		.file = task->spec.path,
		.data = SG_REPORT_INLINE,
		.python = s->version,
		.audit = s->audit ? sg_audit_path(s->audit) : NULL,
	};
}

void
sg_run_unstarted(const struct sg_task *task, enum sg_run_status status,
		 const char *message, struct sg_run *ret)
{
	*ret = (struct sg_run){
		.gated = !task->spec.no_gate,
		.limits = task->spec.box.limits,
		.result = { .status = status,
			    .exit_code = -1,
			    .message = sg_str_c(message) },
	};
	sg_err_clear(&ret->failure);
	sg_uid_make("run_", ret->id);
}

/* Why a ticket need not be run any more, or NULL; under the lock. */
static const char *
reason_to_end(const struct sg_ticket *t, uint64_t now,
	      enum sg_run_status *ret_status)
{
	*ret_status = SG_RUN_CANCELLED;
	if (t->cancelled)
		return "it was cancelled before it was started";
	if (t->service->cancelling)
		return "the service shut down before it was started";
	*ret_status = SG_RUN_TIMEOUT;
	if (now >= t->deadline)
		return "its time was over before it was started: the queue "
		       "was too long";
	return NULL;
}

/* Counts what became of a task; under the lock. */
static void
count(struct sg_service *s, const struct sg_run *run)
{
	uint64_t us = run->result.usage.wall_us + run->result.usage.setup_us +
		      run->check.took_us;

	s->stats.by_status[run->result.status]++;
	if (!run->checked)
		return;
	if (run->check.judged)
		s->stats.by_decision[run->check.verdict.decision]++;
	s->mean_us = s->mean_us ? (7 * s->mean_us + us) / 8 : us;
}

/* True when the log has just begun to fail, or to work again. */
static bool
watch_audit(struct sg_service *s, const struct sg_run *run)
{
	uint64_t before = s->stats.audit_failed_at;

	if (!s->audit || !run->checked)
		return false;
	s->stats.audit_failed_at = 0;
	if (run->failure.status == SG_EAUDIT) {
		s->stats.audit_failures++;
		s->stats.audit_failed_at = sg_clock_mono();
	}
	return s->opts.audit_state && !before != !s->stats.audit_failed_at;
}

/* Hands a run out; the lock is held, but for the call. */
static void
finish(struct sg_service *s, struct sg_ticket *t, const struct sg_run *run)
{
	struct sg_task *task = t->task;
	struct sg_report_opts report = sg_service_report(s, task);
	bool told, failed;

	sg_ticket_enter(t, SG_TASK_DONE);
	t->worker = NULL;
	count(s, run);
	told = watch_audit(s, run);
	failed = s->stats.audit_failed_at != 0;
	(void)pthread_mutex_unlock(&s->lock);
	if (told)
		s->opts.audit_state(failed ? run->failure.msg : NULL,
				    s->opts.audit_ctx);
	task->done(task, run, &report, task->ctx);
	(void)pthread_mutex_lock(&s->lock);
	s->pending--;
	if (s->pending == 0)
		(void)pthread_cond_broadcast(&s->idle);
}

/* ---- the clerk ---- */

void
sg_clerk_expect(struct sg_service *s, uint64_t when)
{
	if (when >= s->clerk_wakes)
		return;
	s->clerk_wakes = when;
	(void)pthread_cond_signal(&s->late);
}

/* Ends one ticket that is to end; false when there is none.  Otherwise
 * *ret_next is the earliest deadline.  Under the lock. */
static bool
end_one(struct sg_service *s, uint64_t *ret_next)
{
	uint64_t now = sg_clock_mono(), next = UINT64_MAX;
	enum sg_run_status status;
	struct sg_run run;

	for (struct sg_ticket *t = s->first; t; t = t->next) {
		const char *why = reason_to_end(t, now, &status);

		if (why) {
			sg_queue_remove(s, t);
			sg_run_unstarted(t->task, status, why, &run);
			finish(s, t, &run);
			return true;
		}
		if (t->deadline < next)
			next = t->deadline;
	}
	*ret_next = next;
	return false;
}

static struct timespec
timespec_of(uint64_t ns)
{
	const uint64_t second = 1000000000;

	return (struct timespec){ .tv_sec = (time_t)(ns / second),
				  .tv_nsec = (long)(ns % second) };
}

void *
sg_service_clerk(void *service)
{
	struct sg_service *s = service;
	uint64_t next;

	(void)pthread_mutex_lock(&s->lock);
	while (!s->stopping) {
		struct timespec until;

		/* Whoever comes while `done` is called is looked at again. */
		s->clerk_wakes = UINT64_MAX;
		if (end_one(s, &next))
			continue;
		if (next == UINT64_MAX) {
			(void)pthread_cond_wait(&s->late, &s->lock);
			continue;
		}
		s->clerk_wakes = next;
		until = timespec_of(next);
		(void)pthread_cond_timedwait(&s->late, &s->lock, &until);
	}
	(void)pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* ---- workers ---- */

/* Without memory there is none, and the next task tries again. */
static void
make_gate(struct sg_svc_worker *w)
{
	struct sg_err none;

	sg_err_clear(&none);
	if (sg_gate_new(w->generation->policy, w->service->minor, &w->gate,
			&none) < 0)
		w->gate = NULL;
}

/* Takes on the policy in force; under the lock, but for the making.  A gate
 * is freed before its policy may be. */
static void
renew_gate(struct sg_svc_worker *w)
{
	struct sg_service *s = w->service;
	struct sg_generation *old = w->generation;
	struct sg_policy *unused = NULL;
	struct sg_gate *gate = w->gate;

	w->generation = sg_generation_use(s->generation);
	w->gate = NULL;
	(void)pthread_mutex_unlock(&s->lock);
	sg_gate_free(gate);
	make_gate(w);
	(void)pthread_mutex_lock(&s->lock);
	if (old)
		unused = sg_generation_drop(old);
	if (!unused)
		return;
	(void)pthread_mutex_unlock(&s->lock);
	sg_policy_free(unused);
	(void)pthread_mutex_lock(&s->lock);
}

/* Waits for a ticket and takes it; NULL when the service ends.  Under the
 * lock. */
static struct sg_ticket *
take_ticket(struct sg_svc_worker *w)
{
	struct sg_service *s = w->service;
	struct sg_ticket *t;

	for (;;) {
		if (w->generation != s->generation)
			renew_gate(w);
		else if (s->first || s->stopping)
			break;
		else
			(void)pthread_cond_wait(&s->work, &s->lock);
	}
	t = s->first;
	if (t)
		sg_queue_remove(s, t);
	return t;
}

/* Runs a task; without the lock. */
static void
perform(struct sg_svc_worker *w, const struct sg_task *task, uint64_t left_ms)
{
	struct sg_ticket *ticket = task->private;
	struct sg_run_spec spec = task->spec;

	spec.audit = w->service->audit;
	spec.box.warm = w->service->warm;
	spec.box.cancel_fd = w->cancel_fd;
	spec.box.seen = &ticket->output;
	if (spec.box.limits.wall_ms > left_ms)
		spec.box.limits.wall_ms = (uint32_t)left_ms;
	if (!w->gate)
		make_gate(w);
	if (!w->gate)
		sg_run_unstarted(task, SG_RUN_INTERNAL, "out of memory",
				 &w->run);
	else if (task->kind == SG_TASK_CHECK)
		(void)sg_run_check(w->gate, &spec, &w->run);
	else
		(void)sg_run(w->gate, &spec, &w->arena, &w->run);
}

/* Makes the worker's own things ready for the next run. */
static void
clean_up(struct sg_svc_worker *w)
{
	uint64_t count;

	(void)!read(w->cancel_fd, &count, sizeof(count));
	if (w->arena.held > SG_WORKER_KEEPS)
		sg_arena_release(&w->arena);
	else
		sg_arena_reset(&w->arena);
}

/* Under the lock. */
static void
serve(struct sg_svc_worker *w, struct sg_ticket *t)
{
	struct sg_service *s = w->service;
	enum sg_run_status status;
	uint64_t now = sg_clock_mono(), left = UINT32_MAX;
	const char *why = reason_to_end(t, now, &status);

	if (why) {
		sg_run_unstarted(t->task, status, why, &w->run);
		finish(s, t, &w->run);
		return;
	}
	if (t->deadline != UINT64_MAX)
		left = (t->deadline - now) / 1000000 + 1;
	sg_ticket_enter(t, SG_TASK_RUNNING);
	t->worker = w;
	w->ticket = t;
	s->stats.running++;
	(void)pthread_mutex_unlock(&s->lock);
	perform(w, t->task, left);
	(void)pthread_mutex_lock(&s->lock);
	s->stats.running--;
	w->ticket = NULL;
	finish(s, t, &w->run);
	(void)pthread_mutex_unlock(&s->lock);
	clean_up(w);
	(void)pthread_mutex_lock(&s->lock);
}

void *
sg_service_worker(void *worker)
{
	struct sg_svc_worker *w = worker;
	struct sg_service *s = w->service;
	struct sg_ticket *t;

	(void)pthread_mutex_lock(&s->lock);
	while ((t = take_ticket(w)) != NULL)
		serve(w, t);
	(void)pthread_mutex_unlock(&s->lock);
	return NULL;
}
