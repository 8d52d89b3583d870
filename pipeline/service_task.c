#include "pipeline/service_core.h"

#include "base/clock.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- the queue ---- */

void
sg_queue_add(struct sg_service *s, struct sg_ticket *t)
{
	t->next = NULL;
	t->prev = s->last;
	if (s->last)
		s->last->next = t;
	else
		s->first = t;
	s->last = t;
	s->stats.queued++;
}

void
sg_queue_remove(struct sg_service *s, struct sg_ticket *t)
{
	if (t->prev)
		t->prev->next = t->next;
	else
		s->first = t->next;
	if (t->next)
		t->next->prev = t->prev;
	else
		s->last = t->prev;
	t->next = t->prev = NULL;
	s->stats.queued--;
}

void
sg_ticket_enter(struct sg_ticket *t, enum sg_task_state state)
{
	t->state = state;
	t->since = sg_clock_mono();
}

void
sg_ticket_cancel(struct sg_ticket *t)
{
	const uint64_t one = 1;

	t->cancelled = true;
	if (t->state == SG_TASK_QUEUED)
		sg_clerk_expect(t->service, 0);
	else if (t->state == SG_TASK_RUNNING)
		/* A counter that is full is readable as well. */
		(void)!write(t->worker->cancel_fd, &one, sizeof(one));
}

/* ---- tasks ---- */

int
sg_task_new(struct sg_service *s, enum sg_task_kind kind, struct sg_task **ret,
	    struct sg_err *err)
{
	struct sg_task *task = calloc(1, sizeof(*task));
	struct sg_ticket *t = calloc(1, sizeof(*t));

	if (!task || !t) {
		free(task);
		free(t);
		return sg_err_set(err, SG_ENOMEM, "no memory for a task");
	}
	t->task = task;
	t->service = s;
	task->kind = kind;
	task->private = t;
	sg_arena_init(&task->arena, SG_TASK_ARENA);
	sg_box_spec_init(&task->spec.box);
	task->spec.box.limits = s->opts.limits;
	task->spec.box.require = s->opts.require;
	task->spec.box.python = s->python.p;
	task->spec.box.env = s->opts.env;
	task->spec.box.collect = true;
	*ret = task;
	return SG_OK;
}

void
sg_task_free(struct sg_task *task)
{
	if (!task)
		return;
	sg_arena_release(&task->arena);
	free(task->private);
	free(task);
}

struct sg_str
sg_task_copy(struct sg_task *task, const void *bytes, size_t n)
{
	return sg_arena_dup(&task->arena, (struct sg_str){ bytes, n });
}

void
sg_task_cancel(struct sg_task *task)
{
	struct sg_ticket *t = task->private;

	(void)pthread_mutex_lock(&t->service->lock);
	sg_ticket_cancel(t);
	(void)pthread_mutex_unlock(&t->service->lock);
}

enum sg_task_state
sg_task_state(struct sg_task *task, uint64_t *ret_ms)
{
	struct sg_ticket *t = task->private;
	enum sg_task_state state;
	uint64_t since;

	(void)pthread_mutex_lock(&t->service->lock);
	state = t->state;
	since = t->since;
	(void)pthread_mutex_unlock(&t->service->lock);
	*ret_ms = state == SG_TASK_NEW ? 0
				       : (sg_clock_mono() - since) / 1000000;
	return state;
}

uint64_t
sg_task_output(struct sg_task *task)
{
	struct sg_ticket *t = task->private;

	return atomic_load(&t->output);
}

/* ---- submitting ---- */

/* The limits that a request may not raise. */
static int
check_limits(const struct sg_box_limits *want, const struct sg_box_limits *most,
	     struct sg_err *err)
{
	const struct {
		const char *name;
		uint64_t want, most;
	} rows[] = {
		{ "wall time (ms)", want->wall_ms, most->wall_ms },
		{ "cpu time (ms)", want->cpu_ms, most->cpu_ms },
		{ "memory", want->memory, most->memory },
		{ "workspace", want->workspace, most->workspace },
		{ "inodes", want->inodes, most->inodes },
		{ "file size", want->file_size,
		  most->file_size ? most->file_size : UINT64_MAX },
		{ "threads", want->threads, most->threads },
		{ "processes", want->processes, most->processes },
		{ "open files", want->open_files, most->open_files },
		{ "output", want->output, most->output },
		{ "output in all", want->output_total, most->output_total },
		{ "result", want->result, most->result },
		{ "images", want->images, most->images },
		{ "image bytes", want->image_bytes, most->image_bytes },
		{ "files", want->files, most->files },
		{ "file bytes", want->file_bytes, most->file_bytes },
		{ "collection time (ms)", want->collect_ms, most->collect_ms },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].want > rows[i].most)
			return sg_err_set(
				err, SG_EUSAGE,
				"limit '%s' is at most %llu here, not %llu",
				rows[i].name, (unsigned long long)rows[i].most,
				(unsigned long long)rows[i].want);
	}
	/* 0 would mean as much as the workspace holds. */
	if (most->file_size && !want->file_size)
		return sg_err_set(err, SG_EUSAGE,
				  "limit 'file size' must be set here");
	return sg_box_limits_check(want, err);
}

static int
enqueue(struct sg_service *s, struct sg_task *task, struct sg_err *err)
{
	struct sg_ticket *t = task->private;

	if (s->stats.draining)
		return sg_err_set(err, SG_ELIMIT, "the service shuts down");
	if (s->stats.queued >= s->opts.queue &&
	    s->stats.queued + s->stats.running >=
		    s->opts.queue + s->opts.workers)
		return sg_err_set(err, SG_ELIMIT,
				  "%u scripts are waiting already",
				  s->stats.queued);
	sg_ticket_enter(t, SG_TASK_QUEUED);
	t->deadline = task->deadline_ms
			      ? t->since + (uint64_t)task->deadline_ms * 1000000
			      : UINT64_MAX;
	s->pending++;
	s->stats.accepted++;
	sg_queue_add(s, t);
	sg_clerk_expect(s, t->deadline);
	return SG_OK;
}

int
sg_service_submit(struct sg_service *s, struct sg_task *task,
		  struct sg_err *err)
{
	int status = check_limits(&task->spec.box.limits, &s->opts.limits, err);

	if (status < 0)
		return status;
	(void)pthread_mutex_lock(&s->lock);
	status = enqueue(s, task, err);
	if (status < 0)
		s->stats.refused++;
	(void)pthread_mutex_unlock(&s->lock);
	/* After it: who wakes up would meet the lock. */
	if (status == SG_OK)
		(void)pthread_cond_signal(&s->work);
	return status;
}

void
sg_service_refusal(struct sg_service *s, const struct sg_task *task,
		   const struct sg_err *why, struct sg_run *ret_run,
		   struct sg_report_opts *ret_report)
{
	bool full = why->status == SG_ELIMIT;

	sg_run_unstarted(task, full ? SG_RUN_OVERLOADED : SG_RUN_INVALID,
			 why->msg, ret_run);
	if (full)
		ret_run->result.hint =
			SG_STR("nothing was executed; send it again later");
	*ret_report = sg_service_report(s, task);
}

uint32_t
sg_service_retry_after(struct sg_service *s)
{
	const uint64_t most = 60;
	uint64_t us, seconds;

	(void)pthread_mutex_lock(&s->lock);
	us = s->mean_us * (s->stats.queued + s->stats.running) /
	     s->opts.workers;
	(void)pthread_mutex_unlock(&s->lock);
	seconds = (us + 999999) / 1000000;
	if (seconds < 1)
		return 1;
	return (uint32_t)(seconds < most ? seconds : most);
}
