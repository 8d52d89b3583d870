#include "pipeline/service.h"

#include "pipeline/verify.h"
#include "unit/pipeline/tasks.h"

/* ---- waiting ---- */

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

SG_TEST_MAIN("service queue", beyond_the_queue_there_is_a_refusal,
	     time_in_the_queue_counts, a_deadline_ends_a_run,
	     what_waits_can_be_cancelled,
	     what_runs_can_be_cancelled_and_the_next_one_is_well,
	     a_drain_waits_and_then_takes_no_more,
	     a_drain_that_has_waited_cancels,
	     its_end_leaves_no_task_without_an_end,
	     each_task_ends_once_and_each_verdict_has_its_record)
