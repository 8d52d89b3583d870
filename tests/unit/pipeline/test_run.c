#include "pipeline/run.h"

#include "pipeline/report.h"
#include "pipeline/verify.h"

#include "base/file.h"

#include "unit/support.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* A policy that rejects os.system and points out math.sqrt. */
static const char policy_text[] =
	"schema: 1\n"
	"policy: small\n"
	"limits: {bytes: 1000}\n"
	"rules:\n"
	"  - id: R1\n"
	"    title: no commands\n"
	"    severity: high\n"
	"    action: reject\n"
	"    match: {ref: os.system}\n"
	"    message: \"{name} is a command\"\n"
	"    hint: \"don't\"\n"
	"    tests: {hit: [\"import os; os.system('x')\"], pass: [\"x\"]}\n"
	"  - id: R2\n"
	"    title: roots\n"
	"    severity: info\n"
	"    action: annotate\n"
	"    match: {ref: math.sqrt}\n"
	"    message: \"{name} is a root\"\n"
	"    tests: {hit: [\"import math; math.sqrt(1)\"], pass: [\"x\"]}\n";

/* Paths of a test; sg_test_path() uses its own again. */
static const char *
keep(const char *path)
{
	static char kept[4096];

	(void)snprintf(kept, sizeof(kept), "%s", path);
	return kept;
}

static struct sg_policy *policy;
static struct sg_gate *gate;

static void
open_gate(void)
{
	struct sg_err err;

	sg_err_clear(&err);
	ck_good(sg_policy_read(sg_str_c(policy_text), "small.yaml", &policy,
			       &err),
		&err);
	ck_good(sg_gate_new(policy, 11, &gate, &err), &err);
}

static void
close_gate(void)
{
	sg_gate_free(gate);
	sg_policy_free(policy);
}

static struct sg_check
check(struct sg_str code)
{
	struct sg_check c;

	sg_gate_check(gate, code, "a.py", &c);
	return c;
}

START_TEST(a_gate_passes_annotates_and_rejects)
{
	struct sg_check c;

	open_gate();
	c = check(SG_STR("print(1)\n"));
	ck_assert(c.judged);
	ck_assert_int_eq(c.verdict.decision, SG_PASS);
	ck_str_is(c.canonical, "print(1)\n");
	ck_assert_uint_eq(c.bytes, 9);
	c = check(SG_STR("import math\nmath.sqrt(2)\n"));
	ck_assert_int_eq(c.verdict.decision, SG_ANNOTATE);
	c = check(SG_STR("import os\nos.system('x')\n"));
	ck_assert_int_eq(c.verdict.decision, SG_REJECT);
	ck_str_is(c.verdict.findings[0].rule, "R1");
	ck_assert_uint_eq(c.verdict.findings[0].begin.line, 2);
	close_gate();
}
END_TEST

START_TEST(what_is_judged_is_the_canonical_text)
{
	struct sg_check c;
	struct sg_digest want;

	open_gate();
	c = check(SG_STR("\xef\xbb\xbfx = 1\r\ny = 2\r"));
	ck_str_is(c.canonical, "x = 1\ny = 2\n");
	want = sg_digest_of(c.canonical);
	ck_assert_mem_eq(&c.verdict.canonical, &want, sizeof(want));
	want = sg_digest_of(SG_STR("\xef\xbb\xbfx = 1\r\ny = 2\r"));
	ck_assert_mem_eq(&c.verdict.submitted, &want, sizeof(want));
	close_gate();
}
END_TEST

START_TEST(what_can_not_be_read_is_rejected)
{
	static const char *const bad[] = { "def f(:\n", "x = '\n", "print 1\n",
					   "# coding: latin-1\n", "\xff\n" };

	open_gate();
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct sg_check c = check(sg_str_c(bad[i]));

		ck_assert_msg(c.verdict.decision == SG_REJECT, "%s", bad[i]);
		ck_assert_uint_ge(c.verdict.nfindings, 1);
	}
	ck_assert_int_eq(check(SG_STR("x = 'a\0b'\n")).verdict.decision,
			 SG_REJECT);
	close_gate();
}
END_TEST

START_TEST(a_limit_of_the_policy_holds_exactly)
{
	char text[1002];

	open_gate();
	memset(text, ' ', sizeof(text));
	text[0] = '#';
	ck_assert_int_eq(check((struct sg_str){ text, 1000 }).verdict.decision,
			 SG_PASS);
	ck_assert_int_eq(check((struct sg_str){ text, 1001 }).verdict.decision,
			 SG_REJECT);
	close_gate();
}
END_TEST

#ifndef __SANITIZE_ADDRESS__ /* which needs memory of its own */
/* Lets this process have no more memory than it has, and 1 MiB. */
static void
take_memory_away(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	struct rlimit limit;

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fscanf(f, "%lu", &pages), 1);
	(void)fclose(f);
	limit.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) + (1 << 20);
	limit.rlim_max = RLIM_INFINITY;
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
}

START_TEST(what_can_not_be_judged_is_rejected)
{
	const size_t n = (size_t)8 << 20;
	char *text = malloc(n);
	struct sg_run_spec spec = { .code = { text, n } };
	struct sg_policy *p = NULL;
	struct sg_run r;
	struct sg_err err;

	sg_err_clear(&err);
	ck_assert_ptr_nonnull(text);
	memset(text, '\n', n);
	ck_good(sg_policy_read(SG_STR("schema: 1\npolicy: large\n"
				      "limits: {bytes: 8MiB}\n"),
			       "large.yaml", &p, &err),
		&err);
	ck_good(sg_gate_new(p, 11, &gate, &err), &err);
	take_memory_away();
	ck_assert_int_eq(sg_run_check(gate, &spec, &r), SG_ENOMEM);
	ck_assert(!r.check.judged);
	ck_assert_int_eq(r.check.verdict.decision, SG_REJECT);
	ck_assert_uint_eq(r.check.verdict.nfindings, 1);
	ck_str_is(r.check.verdict.findings[0].rule, "internal.memory");
	ck_assert_int_eq(r.result.status, SG_RUN_INTERNAL);
	ck_assert_int_eq(sg_run_exit_status(&r), 125);
	/* Nor is it run, gate or not. */
	spec.no_gate = true;
	ck_assert_int_eq(sg_run(gate, &spec, NULL, &r), SG_ENOMEM);
	ck_assert(!r.result.executed);
	sg_gate_free(gate);
	sg_policy_free(p);
	free(text);
}
END_TEST
#else
START_TEST(what_can_not_be_judged_is_rejected)
{
}
END_TEST
#endif

/* ---- runs ---- */

static struct sg_run
run(struct sg_str code, const char *log, bool no_gate, int *ret_status)
{
	struct sg_audit_opts opts = { .path = log };
	struct sg_run_spec spec = { .code = code, .no_gate = no_gate };
	struct sg_arena arena;
	struct sg_run r;
	struct sg_err err;

	sg_err_clear(&err);
	if (log)
		ck_good(sg_audit_open(&opts, &spec.audit, &err), &err);
	sg_box_spec_init(&spec.box);
	spec.box.python = "/nowhere/python3";
	sg_arena_init(&arena, sg_run_arena_size(&spec.box.limits));
	*ret_status = sg_run(gate, &spec, &arena, &r);
	sg_arena_release(&arena);
	sg_audit_free(spec.audit);
	return r;
}

static uint64_t
records(const char *log)
{
	struct sg_verify v;
	struct sg_err err;

	sg_err_clear(&err);
	ck_good(sg_audit_verify(&log, 1, &v, &err), &err);
	ck_assert_int_eq(v.kind, SG_VERIFY_INTACT);
	return v.records;
}

START_TEST(a_rejected_script_has_one_record_and_is_not_run)
{
	const char *log = keep(sg_test_path("log"));
	struct sg_run r;
	int status;

	open_gate();
	r = run(SG_STR("import os\nos.system('x')\n"), log, false, &status);
	ck_assert_int_eq(status, SG_OK);
	ck_assert_int_eq(r.result.status, SG_RUN_REJECTED);
	ck_assert(!r.result.executed);
	ck_assert_uint_eq(r.verdict_record.sequence, 1);
	ck_assert_uint_eq(r.outcome_record.sequence, 0);
	ck_assert_uint_eq(records(log), 1);
	ck_assert_int_eq(sg_run_exit_status(&r), 126);
	close_gate();
}
END_TEST

START_TEST(without_an_interpreter_the_outcome_says_so)
{
	const char *log = keep(sg_test_path("log"));
	struct sg_run r;
	int status;

	open_gate();
	r = run(SG_STR("print(1)\n"), log, false, &status);
	ck_assert_int_eq(status, SG_ENOENT);
	ck_assert_int_eq(r.result.status, SG_RUN_INTERNAL);
	ck_assert(!r.result.executed);
	ck_assert_uint_eq(records(log), 2);
	ck_assert_int_eq(sg_run_exit_status(&r), 127);
	/* A rejected one is rejected all the same. */
	r = run(SG_STR("import os\nos.system('x')\n"), log, false, &status);
	ck_assert_int_eq(sg_run_exit_status(&r), 126);
	/* And one that is not enforced gets as far as the box. */
	r = run(SG_STR("import os\nos.system('x')\n"), log, true, &status);
	ck_assert(!r.gated);
	ck_assert_int_eq(sg_run_exit_status(&r), 127);
	close_gate();
}
END_TEST

START_TEST(exit_statuses_follow_the_table)
{
	static const struct {
		enum sg_run_status status;
		int exit_code, signal, want;
	} rows[] = {
		{ SG_RUN_OK, 0, 0, 0 },
		{ SG_RUN_ERROR, 1, 0, 1 },
		{ SG_RUN_ERROR, 77, 0, 77 },
		{ SG_RUN_ERROR, -1, 0, 1 },
		{ SG_RUN_REJECTED, -1, 0, 126 },
		{ SG_RUN_TIMEOUT, -1, 9, 124 },
		{ SG_RUN_CPU_LIMIT, -1, 9, 124 },
		{ SG_RUN_MEMORY_LIMIT, -1, 9, 137 },
		{ SG_RUN_MEMORY_LIMIT, 1, 0, 1 },
		{ SG_RUN_PROCESS_LIMIT, 0, 0, 1 },
		{ SG_RUN_DISK_LIMIT, 3, 0, 3 },
		{ SG_RUN_OUTPUT_LIMIT, -1, 9, 137 },
		{ SG_RUN_SYSCALL_DENIED, -1, 31, 159 },
		{ SG_RUN_SIGNALED, -1, 11, 139 },
		{ SG_RUN_CANCELLED, -1, 9, 130 },
		{ SG_RUN_OVERLOADED, -1, 0, 125 },
		{ SG_RUN_INVALID, -1, 0, 125 },
		{ SG_RUN_INTERNAL, -1, 0, 125 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct sg_run r = { .result = {
					    .status = rows[i].status,
					    .exit_code = rows[i].exit_code,
					    .signal = rows[i].signal,
				    } };

		ck_assert_int_eq(sg_run_exit_status(&r), rows[i].want);
	}
}
END_TEST

START_TEST(the_report_is_one_json_document)
{
	struct sg_report_opts opts = { .file = "a\xff.py" };
	struct sg_run r;
	struct sg_err err;
	struct sg_buf b;
	json_t *v;
	int status;

	open_gate();
	r = run(SG_STR("import os\nos.system('\xc3\xa4')\n"), NULL, false,
		&status);
	sg_err_clear(&err);
	sg_buf_init(&b, 1 << 20);
	ck_good(sg_report_run(&r, &opts, &b, &err), &err);
	ck_assert_ptr_null(memchr(b.data, '\n', b.len));
	v = json_loadb(b.data, b.len, JSON_REJECT_DUPLICATES, NULL);
	ck_assert_ptr_nonnull(v);
	ck_assert_str_eq(json_string_value(json_object_get(v, "status")),
			 "rejected");
	ck_assert_str_eq(json_string_value(json_object_get(v, "file")),
			 "a\xef\xbf\xbd.py");
	json_decref(v);
	sg_buf_release(&b);
	/* One that does not fit is refused, not cut. */
	sg_buf_init(&b, 300);
	ck_assert_int_lt(sg_report_run(&r, &opts, &b, &err), 0);
	sg_buf_release(&b);
	close_gate();
}
END_TEST

START_TEST(a_script_is_stored_by_its_digest)
{
	const char *store = keep(sg_test_path("store"));
	struct sg_run_spec spec = { .code = SG_STR("print(1)\n"),
				    .store = store };
	char hex[SG_DIGEST_HEX];
	struct sg_err err;
	struct sg_digest d = sg_digest_of(spec.code);
	struct sg_run r;
	struct sg_buf b;
	char path[8192];

	open_gate();
	ck_assert_int_eq(sg_run_check(gate, &spec, &r), SG_OK);
	ck_assert_int_eq(sg_run_check(gate, &spec, &r), SG_OK);
	sg_digest_hex(&d, hex);
	(void)snprintf(path, sizeof(path), "%s/%s.py", store, hex);
	sg_err_clear(&err);
	sg_buf_init(&b, 100);
	ck_good(sg_file_read(path, &b, &err), &err);
	ck_str_is(sg_buf_view(&b), "print(1)\n");
	sg_buf_release(&b);
	spec.store = "/dev/null/store";
	ck_assert_int_eq(sg_run_check(gate, &spec, &r), SG_EAUDIT);
	ck_assert_int_eq(r.result.status, SG_RUN_INTERNAL);
	close_gate();
}
END_TEST

SG_TEST_MAIN("run", a_gate_passes_annotates_and_rejects,
	     what_is_judged_is_the_canonical_text,
	     what_can_not_be_read_is_rejected,
	     a_limit_of_the_policy_holds_exactly,
	     what_can_not_be_judged_is_rejected,
	     a_rejected_script_has_one_record_and_is_not_run,
	     without_an_interpreter_the_outcome_says_so,
	     exit_statuses_follow_the_table, the_report_is_one_json_document,
	     a_script_is_stored_by_its_digest)
