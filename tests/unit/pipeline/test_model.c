#include "pipeline/model.h"

#include "unit/support.h"

#include <stdio.h>

static char text_room[65536];

static const char *
text_of(const struct sg_run *run, const struct sg_model_opts *o)
{
	static const struct sg_model_opts usual;
	struct sg_buf b;

	sg_buf_init(&b, sizeof(text_room) - 1);
	sg_model_text(run, o ? o : &usual, &b);
	ck_assert(!sg_buf_failed(&b));
	memcpy(text_room, b.data, b.len + 1);
	sg_buf_release(&b);
	return text_room;
}

static const char *
cut(const char *s, size_t bytes, uint32_t lines)
{
	struct sg_buf b;

	sg_buf_init(&b, sizeof(text_room) - 1);
	sg_model_cut(sg_str_c(s), bytes, lines, &b);
	ck_assert(!sg_buf_failed(&b));
	if (b.len)
		memcpy(text_room, b.data, b.len);
	text_room[b.len] = '\0';
	sg_buf_release(&b);
	return text_room;
}

static struct sg_run
ran(enum sg_run_status status)
{
	return (struct sg_run){
		.gated = true,
		.checked = true,
		.limits = { .wall_ms = 2500,
			    .cpu_ms = 3000,
			    .memory = 64 << 20,
			    .workspace = 8 << 20,
			    .output_total = 4 << 20 },
		.result = { .status = status,
			    .executed = true,
			    .usage = { .wall_us = 123456 } },
	};
}

#define CUT(n) "[... " #n " bytes are not shown ...]\n"

START_TEST(what_fits_is_not_cut)
{
	ck_assert_str_eq(cut("", 10, 4), "");
	ck_assert_str_eq(cut("0123456789", 10, 4), "0123456789");
	ck_assert_str_eq(cut("a\nb\nc\nd\n", 10, 4), "a\nb\nc\nd\n");
	ck_assert_str_eq(cut("a\nb\nc\nd", 10, 4), "a\nb\nc\nd");
}
END_TEST

START_TEST(head_and_tail_stay_of_what_does_not)
{
	ck_assert_str_eq(cut("0123456789x", 10, 4), "01234\n" CUT(1) "6789x");
	ck_assert_str_eq(cut("a\nb\nc\nd\ne\n", 100, 4),
			 "a\nb\n" CUT(2) "d\ne\n");
	ck_assert_str_eq(cut("a\nb\nc\nd\ne", 100, 4), "a\nb\n" CUT(2) "d\ne");
}
END_TEST

START_TEST(a_cut_splits_no_character)
{
	/* Six times three bytes; 10 bytes would end inside two of them. */
	const char *s = cut("\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
			    "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac",
			    10, 4);

	ck_assert_str_eq(s, "\xe2\x82\xac\n" CUT(9) "\xe2\x82\xac\xe2\x82\xac");
}
END_TEST

START_TEST(a_status_comes_first)
{
	static const struct {
		enum sg_run_status status;
		const char *want;
	} rows[] = {
		{ SG_RUN_OK, "Exit code 0 in 0.12 s.\n" },
		{ SG_RUN_ERROR, "Exit code 0 in 0.12 s.\n" },
		{ SG_RUN_TIMEOUT, "Time limit of 2.5 s reached after 0.12 s; "
				  "what it printed until then follows.\n" },
		{ SG_RUN_CPU_LIMIT, "Processor time limit of 3 s reached" },
		{ SG_RUN_MEMORY_LIMIT, "Memory limit of 64 MiB reached" },
		{ SG_RUN_DISK_LIMIT, "Limit of 8 MiB of files reached" },
		{ SG_RUN_OUTPUT_LIMIT, "Limit of 4 MiB of output reached" },
		{ SG_RUN_PROCESS_LIMIT, "Limit of processes or threads" },
		{ SG_RUN_SYSCALL_DENIED, "Ended because of a system call" },
		{ SG_RUN_SIGNALED, "Ended by signal 11 (SIGSEGV) after" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct sg_run r = ran(rows[i].status);

		if (rows[i].status == SG_RUN_SIGNALED)
			r.result.signal = 11;
		ck_assert_msg(strncmp(text_of(&r, NULL), rows[i].want,
				      strlen(rows[i].want)) == 0,
			      "%s", text_room);
	}
}
END_TEST

START_TEST(what_never_ran_says_so)
{
	static const struct {
		enum sg_run_status status;
		const char *want;
	} rows[] = {
		{ SG_RUN_OVERLOADED,
		  "The server is busy: why. Nothing was executed.\n" },
		{ SG_RUN_TIMEOUT, "Too late: why. Nothing was executed.\n" },
		{ SG_RUN_CANCELLED, "Cancelled: why. Nothing was executed.\n" },
		{ SG_RUN_INVALID,
		  "The request is wrong: why. Nothing was executed.\n" },
		{ SG_RUN_INTERNAL, "The sandbox failed, not the code: why. "
				   "Nothing was executed.\n" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct sg_run r = ran(rows[i].status);

		r.checked = r.result.executed = false;
		r.result.message = SG_STR("why");
		ck_assert_str_eq(text_of(&r, NULL), rows[i].want);
	}
}
END_TEST

START_TEST(a_rejection_names_what_to_change)
{
	const struct sg_finding finding = {
		.rule = SG_STR("R1"),
		.action = SG_REJECT,
		.message = SG_STR("no \033[1m"),
		.hint = SG_STR("do that"),
		.begin = { 3, 7 },
	};
	const struct sg_model_opts check = { .check = true };
	struct sg_run r = ran(SG_RUN_REJECTED);

	r.result.executed = false;
	r.check.verdict.decision = SG_REJECT;
	r.check.verdict.policy = SG_STR("mine");
	r.check.verdict.findings = &finding;
	r.check.verdict.nfindings = 1;
	ck_assert_str_eq(text_of(&r, NULL),
			 "Rejected by policy mine: not executed.\n\n"
			 "script.py:3:7: reject R1: no \\x1b[1m\n"
			 "      = hint: do that\n");
	ck_assert_ptr_nonnull(strstr(text_of(&r, &check),
				     "Rejected by policy mine: it would not "
				     "be executed.\n"));
	r.result.status = SG_RUN_OK;
	r.check.verdict.decision = SG_PASS;
	r.check.verdict.nfindings = 0;
	ck_assert_str_eq(text_of(&r, &check),
			 "Passes policy mine; nothing was executed.\n");
}
END_TEST

START_TEST(output_follows_and_a_traceback_is_shown_once)
{
	struct sg_run r = ran(SG_RUN_ERROR);

	r.result.exit_code = 1;
	r.result.error.is_set = true;
	r.result.error.name = SG_STR("ValueError");
	r.result.error.traceback = SG_STR("Traceback\nValueError: x\n");
	r.result.hint = SG_STR("try y");
	r.result.out.text = SG_STR("out");
	r.result.err.text = SG_STR("warned\nTraceback\nValueError: x\n");
	ck_assert_str_eq(text_of(&r, NULL),
			 "ValueError in 0.12 s (exit code 1).\n\n"
			 "Traceback\nValueError: x\n\n"
			 "hint: try y\n\n"
			 "stdout:\nout\n\n"
			 "stderr:\nwarned\n");
}
END_TEST

START_TEST(no_output_is_said_and_a_value_shown)
{
	const struct sg_out_file file = { .name = SG_STR("a.csv"),
					  .data = SG_STR("123") };
	struct sg_run r = ran(SG_RUN_OK);

	ck_assert_str_eq(text_of(&r, NULL),
			 "Exit code 0 in 0.12 s.\n\n"
			 "stdout: empty; print() what you want to see\n");
	r.result.value.is_set = true;
	r.result.value.repr = SG_STR("42");
	r.result.files = &file;
	r.result.nfiles = 1;
	r.result.files_dropped = 2;
	r.result.nimages = 1;
	ck_assert_str_eq(text_of(&r, NULL),
			 "Exit code 0 in 0.12 s.\n\nstdout: empty\n\n"
			 "result:\n42\n\nimages: 1\n\nfiles written:\n"
			 "  a.csv (3 bytes)\nfiles left out (too large, too "
			 "many or not regular): 2\n");
}
END_TEST

START_TEST(a_stream_that_was_cut_says_how_long_it_was)
{
	const struct sg_model_opts o = { .bytes = 10, .lines = 4 };
	struct sg_run r = ran(SG_RUN_OK);

	r.result.out.text = SG_STR("0123456789x");
	r.result.out.truncated = true;
	r.result.out.total = 5000000;
	ck_assert_str_eq(
		text_of(&r, &o),
		"Exit code 0 in 0.12 s.\n\n"
		"stdout (5000000 bytes in all):\n01234\n" CUT(1) "6789x\n");
}
END_TEST

SG_TEST_MAIN("model", what_fits_is_not_cut, head_and_tail_stay_of_what_does_not,
	     a_cut_splits_no_character, a_status_comes_first,
	     what_never_ran_says_so, a_rejection_names_what_to_change,
	     output_follows_and_a_traceback_is_shown_once,
	     no_output_is_said_and_a_value_shown,
	     a_stream_that_was_cut_says_how_long_it_was)
