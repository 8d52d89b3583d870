#include "pipeline/service.h"

#include "unit/pipeline/tasks.h"

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

SG_TEST_MAIN("service", what_makes_no_sense_does_not_open,
	     what_is_not_said_has_a_default, a_check_is_judged_and_nothing_runs,
	     what_ended_is_counted, no_request_raises_a_limit,
	     a_script_that_passes_runs, a_policy_can_be_loaded_anew,
	     a_bad_policy_changes_nothing,
	     packages_are_those_that_the_policy_lets_in)
