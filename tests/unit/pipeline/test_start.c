/*
 * What comes before the first instruction of a program: its verdict is in the
 * log, or it does not start, whatever the box has done meanwhile.
 */

#include "pipeline/service.h"

#include "base/clock.h"
#include "unit/pipeline/tasks.h"

#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a box that is asked to wait ---- */

struct gatekeeper {
	unsigned asked;
	bool hesitant; /* answers only when it must */
	int answer;
	int64_t opened_us; /* when it last answered */
};

static int
decide(void *ctx, bool must, struct sg_err *e)
{
	struct gatekeeper *k = ctx;

	k->asked++;
	if (k->hesitant && !must)
		return SG_BOX_LATER;
	/* Long enough for a box to be built. */
	nap(300);
	k->opened_us = sg_clock_real_us();
	if (k->answer == SG_OK)
		return SG_OK;
	return sg_err_set(e, (enum sg_status)k->answer, "not today");
}

static const char clock_script[] =
	"import time\nprint(time.time_ns() // 1000)\n";

/* Runs `clock_script`; what it says is *ret_us, unless it did not run. */
static int
run_past(struct gatekeeper *k, bool warm, int64_t *ret_us)
{
	static const struct sg_str imports[] = { { "time", 4 } };
	struct sg_box_spec spec;
	struct sg_arena arena;
	struct sg_result r;
	int status;

	sg_box_spec_init(&spec);
	spec.code = sg_str_c(clock_script);
	spec.imports = imports;
	spec.nimports = 1;
	spec.warm = warm ? sg_service_warm(service) : NULL;
	spec.admit = decide;
	spec.admit_ctx = k;
	sg_arena_init(&arena, 64 << 20);
	sg_err_clear(&err);
	status = sg_box_run(&spec, &arena, &r, &err);
	if (status == SG_OK) {
		ck_assert_int_eq(r.status, SG_RUN_OK);
		ck_assert(r.executed);
		ck_assert_int_eq(warm, r.warm.n > 0);
		*ret_us = strtoll(r.out.text.p, NULL, 10);
	}
	sg_arena_release(&arena);
	return status;
}

static bool
is_warm(void)
{
	struct sg_warm_stats stats[16];
	uint32_t n = sg_warm_stats(sg_service_warm(service), stats, 16);

	for (uint32_t i = 0; i < n && i < 16; i++) {
		if (stats[i].alive)
			return true;
	}
	return false;
}

static void
start_warm(void)
{
	struct sg_service_opts o = small();
	struct outcome wanted = OUTCOME;

	o.cold = false;
	start(&o);
	(void)submit(SG_TASK_RUN, "import time\n", &wanted);
	wait_for(&wanted);
	while (!is_warm())
		nap(10);
}

static void
waits_for_its_admission(bool warm, bool hesitant)
{
	struct gatekeeper k = { .hesitant = hesitant };
	int64_t us = 0;

	ck_good(run_past(&k, warm, &us), &err);
	ck_assert_uint_eq(k.asked, hesitant ? 2 : 1);
	ck_assert_int_ge(us, k.opened_us);
}

static void
does_not_start(bool warm, bool hesitant)
{
	struct gatekeeper k = { .hesitant = hesitant, .answer = SG_EAUDIT };
	int64_t us = 0;

	ck_assert_int_eq(run_past(&k, warm, &us), SG_EAUDIT);
	ck_assert_str_eq(err.msg, "not today");
	ck_assert_uint_ge(k.asked, 1);
}

START_TEST(a_program_waits_for_its_admission)
{
	if (!has_box())
		return;
	start_warm();
	waits_for_its_admission(false, false);
	waits_for_its_admission(false, true);
	waits_for_its_admission(true, false);
	waits_for_its_admission(true, true);
	sg_service_free(service);
}
END_TEST

START_TEST(what_is_not_admitted_does_not_start)
{
	if (!has_box())
		return;
	start_warm();
	for (int i = 0; i < 4; i++)
		does_not_start(i & 1, i & 2);
	/* And the next one is well. */
	waits_for_its_admission(false, false);
	sg_service_free(service);
}
END_TEST

/* ---- the log ---- */

static void
load_events(const char *log, json_t **ret, int n)
{
	FILE *f = fopen(log, "r");

	ck_assert_ptr_nonnull(f);
	for (int i = 0; i < n; i++) {
		ret[i] = json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL);
		ck_assert_ptr_nonnull(ret[i]);
	}
	ck_assert_ptr_null(json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL));
	(void)fclose(f);
}

static const char *
word(const json_t *v, const char *key)
{
	const char *text = json_string_value(json_object_get(v, key));

	return text ? text : "";
}

START_TEST(a_run_has_its_verdict_and_then_its_outcome)
{
	struct sg_service_opts o = small();
	struct outcome out = OUTCOME;
	json_t *v[2];

	if (!has_box())
		return;
	o.audit = sg_test_path("log");
	start(&o);
	(void)submit(SG_TASK_RUN, "print(1)\n", &out);
	wait_for(&out);
	sg_service_free(service);
	ck_assert_int_eq(out.status, SG_RUN_OK);
	load_events(o.audit, v, 2);
	ck_assert_str_eq(word(v[0], "event"), "verdict");
	ck_assert_str_eq(word(v[0], "action"), "run");
	ck_assert_str_eq(word(v[1], "event"), "outcome");
	ck_assert_str_eq(word(v[1], "status"), "ok");
	ck_assert_str_eq(word(v[0], "run"), word(v[1], "run"));
	json_decref(v[0]);
	json_decref(v[1]);
}
END_TEST

/* A folder has the log's name, so nothing can be appended. */
static void
nothing_starts_without_a_log(bool cold)
{
	char log[4096];
	struct sg_service_opts o = small();
	struct outcome before = OUTCOME, without = OUTCOME, after = OUTCOME;

	(void)snprintf(log, sizeof(log), "%s", sg_test_path("log"));
	o.audit = log;
	o.cold = cold;
	start(&o);
	(void)submit(SG_TASK_RUN, "print(1)\n", &before);
	wait_for(&before);
	ck_assert_int_eq(before.status, SG_RUN_OK);
	ck_assert_int_eq(rename(log, sg_test_path("kept")), 0);
	ck_assert_int_eq(mkdir(log, 0700), 0);
	(void)submit(SG_TASK_RUN, "print(2)\n", &without);
	wait_for(&without);
	ck_assert_int_eq(without.status, SG_RUN_INTERNAL);
	ck_assert(!without.executed);
	ck_assert_str_eq(without.out, "");
	ck_assert_int_eq(rmdir(log), 0);
	ck_assert_int_eq(rename(sg_test_path("kept"), log), 0);
	(void)submit(SG_TASK_RUN, "print(3)\n", &after);
	wait_for(&after);
	ck_assert_int_eq(after.status, SG_RUN_OK);
	ck_assert_str_eq(after.out, "3\n");
	sg_service_free(service);
	ck_assert_int_eq(unlink(log), 0);
}

START_TEST(what_can_not_be_recorded_does_not_start)
{
	if (!has_box())
		return;
	nothing_starts_without_a_log(true);
	nothing_starts_without_a_log(false);
}
END_TEST

SG_TEST_MAIN("start", a_program_waits_for_its_admission,
	     what_is_not_admitted_does_not_start,
	     a_run_has_its_verdict_and_then_its_outcome,
	     what_can_not_be_recorded_does_not_start)
