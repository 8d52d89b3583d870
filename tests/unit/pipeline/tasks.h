#ifndef SG_TESTS_TASKS_H
#define SG_TESTS_TASKS_H

/*
 * A service and what became of its tasks:
 *
 *	struct sg_service_opts o = small();
 *	struct outcome first = OUTCOME;
 *
 *	start(&o);
 *	(void)submit(SG_TASK_CHECK, "x = 1\n", &first);
 *	wait_for(&first);
 *	ck_assert_int_eq(first.status, SG_RUN_OK);
 *	sg_service_free(service);
 */

#include "pipeline/service.h"
#include "unit/support.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A policy that rejects os.system, and one that rejects math.sqrt. */
#define POLICY(name, ref)                                                     \
	"schema: 1\npolicy: " name "\nrules:\n  - id: R1\n    title: t\n"     \
	"    severity: high\n    action: reject\n    match: {ref: " ref "}\n" \
	"    message: m\n    hint: h\n"                                       \
	"    tests: {hit: [\"import os, math\\nx = " ref "\"], "              \
	"pass: [\"x\"]}\n"

static const char sleepy[] = "import time\ntime.sleep(30)\n";

/* ---- a service and what became of its tasks ---- */

static struct sg_service *service;
static struct sg_err err;

/* Where the box does not work, what needs it is passed over, unless
 * SG_BOX_MUST_WORK says that it must. */
static inline bool
has_box(void)
{
	const char *must = getenv("SG_BOX_MUST_WORK");
	const struct sg_layer *layers;
	struct sg_arena arena;
	bool meets = false;
	uint32_t n;

	sg_err_clear(&err);
	sg_arena_init(&arena, 64 << 20);
	if (sg_box_probe(SG_REQUIRE_STANDARD, &arena, &layers, &n, &meets,
			 &err) < 0)
		meets = false;
	sg_arena_release(&arena);
	sg_err_clear(&err);
	ck_assert_msg(meets || !must || strcmp(must, "1") != 0,
		      "the box does not work");
	return meets;
}

static inline struct sg_service_opts
small(void)
{
	struct sg_service_opts o;

	sg_service_opts_init(&o);
	o.policy = sg_test_write("policy.yaml",
				 SG_STR(POLICY("first", "os.system")));
	o.workers = 1;
	o.queue = 1;
	o.cold = true;
	return o;
}

static inline void
start(const struct sg_service_opts *o)
{
	sg_err_clear(&err);
	ck_good(sg_service_open(o, &service, &err), &err);
}

/* What one task came to; `times` counts calls of its done(). */
struct outcome {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned times;
	enum sg_run_status status;
	bool executed, checked;
	enum sg_decision decision;
	char policy[32], file[32], out[32];
};

#define OUTCOME                                     \
	{                                           \
		.lock = PTHREAD_MUTEX_INITIALIZER,  \
		.changed = PTHREAD_COND_INITIALIZER \
	}

static inline void
done(struct sg_task *task, const struct sg_run *run,
     const struct sg_report_opts *report, void *ctx)
{
	struct outcome *o = ctx;

	(void)pthread_mutex_lock(&o->lock);
	o->times++;
	o->status = run->result.status;
	o->executed = run->result.executed;
	o->checked = run->checked;
	o->decision = run->check.verdict.decision;
	(void)snprintf(o->policy, sizeof(o->policy), "%.*s",
		       SG_STR_ARG(run->check.verdict.policy));
	(void)snprintf(o->file, sizeof(o->file), "%s",
		       report->file ? report->file : "");
	(void)snprintf(o->out, sizeof(o->out), "%.*s",
		       SG_STR_ARG(run->result.out.text));
	(void)pthread_cond_broadcast(&o->changed);
	(void)pthread_mutex_unlock(&o->lock);
	sg_task_free(task);
}

static inline void
wait_for(struct outcome *o)
{
	(void)pthread_mutex_lock(&o->lock);
	while (o->times == 0)
		(void)pthread_cond_wait(&o->changed, &o->lock);
	(void)pthread_mutex_unlock(&o->lock);
}

static inline struct sg_task *
new_task(enum sg_task_kind kind, const char *code, struct outcome *o)
{
	struct sg_task *task;

	ck_good(sg_task_new(service, kind, &task, &err), &err);
	task->spec.code = sg_task_copy(task, code, strlen(code));
	ck_assert_ptr_nonnull(task->spec.code.p);
	task->spec.path = "a.py";
	task->done = done;
	task->ctx = o;
	return task;
}

static inline struct sg_task *
submit(enum sg_task_kind kind, const char *code, struct outcome *o)
{
	struct sg_task *task = new_task(kind, code, o);

	ck_good(sg_service_submit(service, task, &err), &err);
	return task;
}

static inline void
nap(long ms)
{
	const struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	(void)nanosleep(&t, NULL);
}

/* Submits a script that sleeps, and waits until it runs. */
static inline struct sg_task *
occupy(struct outcome *o)
{
	struct sg_task *task = submit(SG_TASK_RUN, sleepy, o);
	uint64_t ms;

	while (sg_task_state(task, &ms) != SG_TASK_RUNNING)
		nap(2);
	return task;
}

#endif
