#include "pipeline/service.h"

#include "pipeline/verify.h"

#include "unit/support.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

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
static bool
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

static struct sg_service_opts
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

static void
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

static void
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

static void
wait_for(struct outcome *o)
{
	(void)pthread_mutex_lock(&o->lock);
	while (o->times == 0)
		(void)pthread_cond_wait(&o->changed, &o->lock);
	(void)pthread_mutex_unlock(&o->lock);
}

static struct sg_task *
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

static struct sg_task *
submit(enum sg_task_kind kind, const char *code, struct outcome *o)
{
	struct sg_task *task = new_task(kind, code, o);

	ck_good(sg_service_submit(service, task, &err), &err);
	return task;
}

static void
nap(long ms)
{
	const struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	(void)nanosleep(&t, NULL);
}

/* Submits a script that sleeps, and waits until it runs. */
static struct sg_task *
occupy(struct outcome *o)
{
	struct sg_task *task = submit(SG_TASK_RUN, sleepy, o);
	uint64_t ms;

	while (sg_task_state(task, &ms) != SG_TASK_RUNNING)
		nap(2);
	return task;
}

/* ---- what it is opened with ---- */

START_TEST(what_makes_no_sense_does_not_open)
{
	struct sg_service_opts o = small();

	sg_err_clear(&err);
	o.workers = 1025;
	ck_assert_int_eq(sg_service_open(&o, &service, &err), SG_EUSAGE);
	o = small();
	o.queue = 65537;
	ck_assert_int_eq(sg_service_open(&o, &service, &err), SG_EUSAGE);
	o = small();
	o.policy = "nowhere.yaml";
	ck_assert_int_eq(sg_service_open(&o, &service, &err), SG_ENOENT);
	o = small();
	o.python = "/nowhere/python3";
	ck_assert_int_eq(sg_service_open(&o, &service, &err), SG_ENOENT);
	o = small();
	o.audit = "/nowhere/log";
	ck_assert_int_eq(sg_service_open(&o, &service, &err), SG_EAUDIT);
	o = small();
	o.limits.memory = 1;
	ck_assert_int_eq(sg_service_open(&o, &service, &err), SG_EUSAGE);
	sg_service_free(NULL);
}
END_TEST

START_TEST(what_is_not_said_has_a_default)
{
	struct sg_service_opts o = small();
	struct sg_service_stats stats;

	o.workers = o.queue = 0;
	start(&o);
	sg_service_stats(service, &stats);
	ck_assert_uint_ge(stats.workers, 2);
	ck_assert_uint_eq(stats.queue, 64);
	ck_assert_str_eq(stats.policy, "first");
	ck_assert_uint_eq(strlen(stats.policy_sha256), 64);
	ck_assert_uint_eq(sg_service_limits(service)->wall_ms, 30000);
	ck_assert_ptr_null(sg_service_warm(service));
	ck_assert_uint_eq(sg_service_retry_after(service), 1);
	sg_service_free(service);
}
END_TEST

/* ---- judging ---- */

START_TEST(a_check_is_judged_and_nothing_runs)
{
	struct outcome good = OUTCOME, bad = OUTCOME;
	struct sg_service_opts o = small();

	start(&o);
	(void)submit(SG_TASK_CHECK, "print(1)\n", &good);
	wait_for(&good);
	(void)submit(SG_TASK_CHECK, "import os\nos.system('x')\n", &bad);
	wait_for(&bad);
	ck_assert_int_eq(good.status, SG_RUN_OK);
	ck_assert_int_eq(good.decision, SG_PASS);
	ck_assert_int_eq(bad.status, SG_RUN_REJECTED);
	ck_assert_str_eq(bad.file, "a.py");
	ck_assert(!good.executed && !bad.executed && bad.checked);
	sg_service_free(service);
}
END_TEST

START_TEST(what_ended_is_counted)
{
	struct sg_service_opts o = small();
	struct sg_service_stats stats;
	struct outcome v[5] = { OUTCOME, OUTCOME, OUTCOME, OUTCOME, OUTCOME };

	start(&o);
	for (int i = 0; i < 5; i++) {
		(void)submit(SG_TASK_CHECK,
			     i < 2 ? "import os\nos.system('x')\n" : "x = 1\n",
			     &v[i]);
		wait_for(&v[i]);
	}
	sg_service_drain(service, 10000);
	sg_service_stats(service, &stats);
	ck_assert_uint_eq(stats.accepted, 5);
	ck_assert_uint_eq(stats.refused, 0);
	ck_assert_uint_eq(stats.by_status[SG_RUN_OK], 3);
	ck_assert_uint_eq(stats.by_status[SG_RUN_REJECTED], 2);
	ck_assert_uint_eq(stats.by_decision[SG_PASS], 3);
	ck_assert_uint_eq(stats.by_decision[SG_REJECT], 2);
	ck_assert_uint_eq(stats.queued + stats.running, 0);
	sg_service_free(service);
}
END_TEST

START_TEST(no_request_raises_a_limit)
{
	struct sg_service_opts o = small();
	struct outcome at = OUTCOME;
	struct sg_report_opts report;
	struct sg_run run;
	struct sg_task *task;

	o.limits.wall_ms = 500;
	start(&o);
	task = new_task(SG_TASK_CHECK, "x = 1\n", &at);
	ck_assert_uint_eq(task->spec.box.limits.wall_ms, 500);
	task->spec.box.limits.wall_ms = 501;
	ck_assert_int_eq(sg_service_submit(service, task, &err), SG_EUSAGE);
	sg_service_refusal(service, task, &err, &run, &report);
	ck_assert_int_eq(run.result.status, SG_RUN_INVALID);
	ck_assert(!run.checked && !run.result.executed);
	task->spec.box.limits.wall_ms = 500;
	task->spec.box.limits.memory++;
	ck_assert_int_eq(sg_service_submit(service, task, &err), SG_EUSAGE);
	task->spec.box.limits.memory--;
	sg_err_clear(&err);
	ck_good(sg_service_submit(service, task, &err), &err);
	wait_for(&at);
	sg_service_free(service);
}
END_TEST

/* ---- running ---- */

START_TEST(a_script_that_passes_runs)
{
	struct sg_service_opts o = small();
	struct outcome good = OUTCOME, bad = OUTCOME;

	if (!has_box())
		return;
	start(&o);
	(void)submit(SG_TASK_RUN, "print(6 * 7)\n", &good);
	wait_for(&good);
	ck_assert_int_eq(good.status, SG_RUN_OK);
	ck_assert_str_eq(good.out, "42\n");
	(void)submit(SG_TASK_RUN, "import os\nos.system('x')\n", &bad);
	wait_for(&bad);
	ck_assert_int_eq(bad.status, SG_RUN_REJECTED);
	ck_assert(!bad.executed);
	sg_service_free(service);
}
END_TEST

START_TEST(beyond_the_queue_there_is_a_refusal)
{
	struct sg_service_opts o = small();
	struct outcome first = OUTCOME, second = OUTCOME, third = OUTCOME;
	struct sg_service_stats stats;
	struct sg_report_opts report;
	struct sg_task *task, *refused;
	struct sg_run run;

	if (!has_box())
		return;
	start(&o);
	task = occupy(&first);
	(void)submit(SG_TASK_CHECK, "x = 1\n", &second);
	refused = new_task(SG_TASK_CHECK, "x = 1\n", &third);
	ck_assert_int_eq(sg_service_submit(service, refused, &err), SG_ELIMIT);
	sg_service_refusal(service, refused, &err, &run, &report);
	ck_assert_int_eq(run.result.status, SG_RUN_OVERLOADED);
	ck_assert(!run.checked && !run.result.executed);
	ck_assert_str_eq(report.file, "a.py");
	ck_assert_uint_ge(sg_service_retry_after(service), 1);
	sg_service_stats(service, &stats);
	ck_assert_uint_eq(stats.accepted, 2);
	ck_assert_uint_eq(stats.refused, 1);
	ck_assert_uint_eq(stats.queued, 1);
	ck_assert_uint_eq(stats.running, 1);
	sg_task_cancel(task);
	wait_for(&first);
	wait_for(&second);
	ck_assert_int_eq(second.status, SG_RUN_OK);
	/* Now there is room. */
	sg_err_clear(&err);
	ck_good(sg_service_submit(service, refused, &err), &err);
	wait_for(&third);
	ck_assert_int_eq(third.status, SG_RUN_OK);
	sg_service_free(service);
}
END_TEST

START_TEST(time_in_the_queue_counts)
{
	struct sg_service_opts o = small();
	struct outcome first = OUTCOME, late = OUTCOME;
	struct sg_task *task, *other;

	if (!has_box())
		return;
	start(&o);
	task = occupy(&first);
	other = new_task(SG_TASK_RUN, "print(1)\n", &late);
	other->deadline_ms = 50;
	ck_good(sg_service_submit(service, other, &err), &err);
	/* It ends although the only worker is busy. */
	wait_for(&late);
	ck_assert_int_eq(late.status, SG_RUN_TIMEOUT);
	ck_assert(!late.executed && !late.checked);
	ck_assert_uint_eq(first.times, 0);
	sg_task_cancel(task);
	wait_for(&first);
	sg_service_free(service);
}
END_TEST

START_TEST(a_deadline_ends_a_run)
{
	struct sg_service_opts o = small();
	struct outcome late = OUTCOME;
	struct sg_task *task;

	if (!has_box())
		return;
	start(&o);
	task = new_task(SG_TASK_RUN, sleepy, &late);
	task->deadline_ms = 1500;
	ck_good(sg_service_submit(service, task, &err), &err);
	wait_for(&late);
	ck_assert_int_eq(late.status, SG_RUN_TIMEOUT);
	ck_assert(late.executed);
	sg_service_free(service);
}
END_TEST

START_TEST(what_waits_can_be_cancelled)
{
	struct sg_service_opts o = small();
	struct outcome first = OUTCOME, second = OUTCOME;
	struct sg_task *task;

	if (!has_box())
		return;
	start(&o);
	task = occupy(&first);
	sg_task_cancel(submit(SG_TASK_RUN, "print(1)\n", &second));
	wait_for(&second);
	ck_assert_int_eq(second.status, SG_RUN_CANCELLED);
	ck_assert(!second.executed);
	ck_assert_uint_eq(first.times, 0);
	sg_task_cancel(task);
	wait_for(&first);
	sg_service_free(service);
}
END_TEST

START_TEST(what_runs_can_be_cancelled_and_the_next_one_is_well)
{
	struct sg_service_opts o = small();
	struct outcome first = OUTCOME, second = OUTCOME;
	struct sg_task *task;

	if (!has_box())
		return;
	start(&o);
	task = occupy(&first);
	sg_task_cancel(task);
	sg_task_cancel(task);
	wait_for(&first);
	ck_assert_int_eq(first.status, SG_RUN_CANCELLED);
	(void)submit(SG_TASK_RUN, "print(2)\n", &second);
	wait_for(&second);
	ck_assert_int_eq(second.status, SG_RUN_OK);
	ck_assert_str_eq(second.out, "2\n");
	ck_assert_uint_eq(first.times, 1);
	sg_service_free(service);
}
END_TEST

/* ---- draining ---- */

START_TEST(a_drain_waits_and_then_takes_no_more)
{
	struct sg_service_opts o = small();
	struct outcome v[2] = { OUTCOME, OUTCOME }, more = OUTCOME;
	struct sg_service_stats stats;
	struct sg_task *task;

	if (!has_box())
		return;
	start(&o);
	(void)submit(SG_TASK_RUN, "print(1)\n", &v[0]);
	(void)submit(SG_TASK_RUN, "print(2)\n", &v[1]);
	sg_service_drain(service, 60000);
	ck_assert_uint_eq(v[0].times + v[1].times, 2);
	ck_assert_int_eq(v[1].status, SG_RUN_OK);
	sg_service_stats(service, &stats);
	ck_assert(stats.draining);
	task = new_task(SG_TASK_CHECK, "x\n", &more);
	ck_assert_int_eq(sg_service_submit(service, task, &err), SG_ELIMIT);
	sg_task_free(task);
	sg_service_drain(service, 0);
	sg_service_free(service);
}
END_TEST

START_TEST(a_drain_that_has_waited_cancels)
{
	struct sg_service_opts o = small();
	struct outcome first = OUTCOME, second = OUTCOME;

	if (!has_box())
		return;
	start(&o);
	(void)occupy(&first);
	(void)submit(SG_TASK_RUN, sleepy, &second);
	sg_service_drain(service, 10);
	ck_assert_uint_eq(first.times, 1);
	ck_assert_uint_eq(second.times, 1);
	ck_assert_int_eq(first.status, SG_RUN_CANCELLED);
	ck_assert_int_eq(second.status, SG_RUN_CANCELLED);
	ck_assert(!second.executed);
	sg_service_free(service);
}
END_TEST

START_TEST(its_end_leaves_no_task_without_an_end)
{
	struct sg_service_opts o = small();
	struct outcome first = OUTCOME, second = OUTCOME;

	if (!has_box())
		return;
	start(&o);
	(void)occupy(&first);
	(void)submit(SG_TASK_CHECK, "x\n", &second);
	sg_service_free(service);
	ck_assert_uint_eq(first.times, 1);
	ck_assert_uint_eq(second.times, 1);
}
END_TEST

/* ---- policies ---- */

static enum sg_run_status
judged(const char *code, char policy[32])
{
	struct outcome o = OUTCOME;

	(void)submit(SG_TASK_CHECK, code, &o);
	wait_for(&o);
	memcpy(policy, o.policy, 32);
	return o.status;
}

START_TEST(a_policy_can_be_loaded_anew)
{
	static const char root[] = "import math\nmath.sqrt(4)\n";
	struct sg_service_opts o = small();
	struct sg_service_stats stats;
	char policy[32];

	o.workers = 3;
	start(&o);
	ck_assert_int_eq(judged(root, policy), SG_RUN_OK);
	ck_assert_str_eq(policy, "first");
	(void)sg_test_write("policy.yaml",
			    SG_STR(POLICY("second", "math.sqrt")));
	ck_good(sg_service_reload(service, &err), &err);
	/* Whichever worker takes it. */
	for (int i = 0; i < 12; i++) {
		ck_assert_int_eq(judged(root, policy), SG_RUN_REJECTED);
		ck_assert_str_eq(policy, "second");
	}
	sg_service_stats(service, &stats);
	ck_assert_uint_eq(stats.reloads, 1);
	ck_assert_str_eq(stats.policy, "second");
	sg_service_free(service);
}
END_TEST

START_TEST(a_bad_policy_changes_nothing)
{
	struct sg_service_opts o = small();
	struct sg_service_stats before, after;
	char policy[32];

	start(&o);
	sg_service_stats(service, &before);
	(void)sg_test_write("policy.yaml", SG_STR("schema: 1\nrulez: []\n"));
	ck_assert_int_lt(sg_service_reload(service, &err), 0);
	ck_assert_ptr_nonnull(strstr(err.file, "policy.yaml"));
	sg_err_clear(&err);
	ck_assert_int_eq(judged("import os\nos.system('x')\n", policy),
			 SG_RUN_REJECTED);
	ck_assert_str_eq(policy, "first");
	sg_service_stats(service, &after);
	ck_assert_uint_eq(after.reloads, 0);
	ck_assert_uint_eq(after.reloads_failed, 1);
	ck_assert_str_eq(after.policy_sha256, before.policy_sha256);
	sg_service_free(service);
}
END_TEST

START_TEST(packages_are_those_that_the_policy_lets_in)
{
	struct sg_service_opts o = small();
	struct sg_str first, again, strict;

	if (!has_box())
		return;
	start(&o);
	ck_good(sg_service_packages(service, &first, &err), &err);
	ck_assert_ptr_nonnull(strstr(first.p, "\"ctypes\""));
	ck_assert_ptr_nonnull(strstr(first.p, "\"rejected\":[]"));
	ck_good(sg_service_packages(service, &again, &err), &err);
	ck_assert_ptr_eq(first.p, again.p);
	(void)sg_test_write("policy.yaml", SG_STR("schema: 1\npolicy: no\n"
						  "imports: {deny: {ctypes: "
						  "\"native code\"}}\n"));
	ck_good(sg_service_reload(service, &err), &err);
	ck_good(sg_service_packages(service, &strict, &err), &err);
	ck_assert_ptr_nonnull(strstr(strict.p, "\"rejected\":[\"ctypes\"]"));
	/* What was handed out before is still there. */
	ck_assert_ptr_nonnull(strstr(first.p, "\"rejected\":[]"));
	sg_service_free(service);
}
END_TEST

/* ---- all at once ---- */

enum { CLIENTS = 4, EACH = 60 };

struct client {
	pthread_t thread;
	struct outcome v[EACH];
	bool accepted[EACH];
};

/* Submits, and cancels every third one; some come to a full queue. */
static void *
client_main(void *arg)
{
	struct client *c = arg;

	for (int i = 0; i < EACH; i++) {
		struct sg_err e;
		struct sg_task *task;

		sg_err_clear(&e);
		ck_assert_int_eq(sg_task_new(service, SG_TASK_CHECK, &task, &e),
				 SG_OK);
		task->spec.code = SG_STR("x = 1\n");
		task->done = done;
		task->ctx = &c->v[i];
		task->deadline_ms = i % 5 == 0 ? 1 : 0;
		c->accepted[i] = sg_service_submit(service, task, &e) == SG_OK;
		if (!c->accepted[i])
			sg_task_free(task);
	}
	return NULL;
}

START_TEST(each_task_ends_once_and_each_verdict_has_its_record)
{
	static struct client clients[CLIENTS];
	const char *log = sg_test_path("log");
	struct sg_service_opts o = small();
	struct sg_service_stats stats;
	uint64_t ended = 0, checked = 0;
	struct sg_verify verify;

	o.workers = 4;
	o.queue = 16;
	o.audit = log;
	start(&o);
	for (int c = 0; c < CLIENTS; c++) {
		for (int i = 0; i < EACH; i++)
			clients[c].v[i] = (struct outcome)OUTCOME;
		ck_assert_int_eq(pthread_create(&clients[c].thread, NULL,
						client_main, &clients[c]),
				 0);
	}
	for (int c = 0; c < CLIENTS; c++) {
		if (c == 1)
			ck_good(sg_service_reload(service, &err), &err);
		ck_assert_int_eq(pthread_join(clients[c].thread, NULL), 0);
	}
	sg_service_drain(service, 60000);
	for (int c = 0; c < CLIENTS; c++) {
		for (int i = 0; i < EACH; i++) {
			ck_assert_uint_eq(clients[c].v[i].times,
					  clients[c].accepted[i]);
			ended += clients[c].v[i].times;
			checked += clients[c].v[i].checked;
		}
	}
	sg_service_stats(service, &stats);
	ck_assert_uint_eq(stats.accepted, ended);
	ck_assert_uint_eq(stats.accepted + stats.refused, CLIENTS * EACH);
	sg_service_free(service);
	ck_good(sg_audit_verify(&log, 1, &verify, &err), &err);
	ck_assert_int_eq(verify.kind, SG_VERIFY_INTACT);
	ck_assert_uint_eq(verify.records, checked);
}
END_TEST

SG_TEST_MAIN("service", what_makes_no_sense_does_not_open,
	     what_is_not_said_has_a_default, a_check_is_judged_and_nothing_runs,
	     what_ended_is_counted, no_request_raises_a_limit,
	     a_script_that_passes_runs, beyond_the_queue_there_is_a_refusal,
	     time_in_the_queue_counts, a_deadline_ends_a_run,
	     what_waits_can_be_cancelled,
	     what_runs_can_be_cancelled_and_the_next_one_is_well,
	     a_drain_waits_and_then_takes_no_more,
	     a_drain_that_has_waited_cancels,
	     its_end_leaves_no_task_without_an_end, a_policy_can_be_loaded_anew,
	     a_bad_policy_changes_nothing,
	     packages_are_those_that_the_policy_lets_in,
	     each_task_ends_once_and_each_verdict_has_its_record)
