/*
 * What the box says to requests that make no sense, and to callers in an odd
 * state.
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/box/lib/case.h"

enum { BIG = 8 << 20 };

static int
unsafe_input_names_are_refused(void)
{
	static const char *const names[] = {
		"",   "/x", "../x", "a/../b", "a//b",  "./a",
		"a/", "..", ".",    "a\nb",   "a\x7f", "\xff",
	};
	struct sg_box_input f;
	struct run t;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		run_init(&t, "");
		f.name = sg_str_c(names[i]);
		f.data = SG_STR("x");
		t.spec.files = &f;
		t.spec.nfiles = 1;
		NEED(run(&t) == SG_EUSAGE);
	}
	return 0;
}

static int
limits_that_make_no_sense_are_refused(void)
{
	struct run t;

	run_init(&t, "");
	t.spec.limits.wall_ms = 0;
	NEED(run(&t) == SG_EUSAGE);
	run_init(&t, "");
	t.spec.limits.memory = 1;
	NEED(run(&t) == SG_EUSAGE);
	run_init(&t, "");
	t.spec.limits.open_files = 3;
	NEED(run(&t) == SG_EUSAGE);
	return 0;
}

static int
an_interpreter_that_is_none_is_said(void)
{
	static const char *const paths[] = { "/nonexistent/python3",
					     "/etc/passwd", "/usr",
					     "no-such-python" };
	struct run t;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		run_init(&t, "");
		t.spec.python = paths[i];
		NEED(run(&t) == SG_ENOENT);
	}
	/* A program, but no interpreter: it ends before the first line. */
	run_init(&t, "");
	t.spec.python = "/usr/bin/true";
	NEED(run(&t) == SG_EBOX);
	return 0;
}

static int
input_files_are_there_and_come_out_only_when_changed(void)
{
	const struct sg_box_input f[] = {
		{ SG_STR("same.txt"), SG_STR("one") },
		{ SG_STR("in/deep/changed.txt"), SG_STR("two") },
		{ SG_STR("gone.txt"), SG_STR("three") },
	};
	struct run t;

	run_init(&t, "import os\n"
		     "print(open('same.txt').read())\n"
		     "open('in/deep/changed.txt', 'a').write('!')\n"
		     "os.remove('gone.txt')\n"
		     "open('new.bin', 'wb').write(bytes(range(256)))\n");
	t.spec.files = f;
	t.spec.nfiles = 3;
	t.spec.collect = true;
	NEED_RUN(&t, SG_RUN_OK);
	NEED(out_is(&t, "one\n"));
	NEED(t.r.nfiles == 2 && t.r.files_dropped == 0);
	NEED(sg_str_eq(t.r.files[0].name, SG_STR("in/deep/changed.txt")));
	NEED(sg_str_eq(t.r.files[0].data, SG_STR("two!")));
	NEED(sg_str_eq(t.r.files[1].name, SG_STR("new.bin")));
	NEED(t.r.files[1].data.n == 256);
	NEED(t.r.files[1].sha256.n == 64);
	return 0;
}

static int
input_larger_than_a_pipe_need_not_be_read(void)
{
	char *big = malloc(BIG);
	struct run t;

	NEED(big);
	memset(big, 'a', BIG);
	run_init(&t, "print('done')");
	t.spec.has_input = true;
	t.spec.input = (struct sg_str){ big, BIG };
	NEED_RUN(&t, SG_RUN_OK);
	NEED(out_is(&t, "done\n"));
	run_init(&t, "import sys; print(len(sys.stdin.read()))");
	t.spec.has_input = true;
	t.spec.input = (struct sg_str){ big, BIG };
	NEED_RUN(&t, SG_RUN_OK);
	NEED(out_is(&t, "8388608\n"));
	free(big);
	return 0;
}

static int
arguments_and_name_are_the_programs(void)
{
	static const char *const argv[] = { "a b", "--x", "\xff", NULL };
	struct run t;

	run_init(&t, "import sys; print(sys.argv, __name__, __file__)");
	t.spec.argv = argv;
	t.spec.script = SG_STR("my script.py");
	NEED_RUN(&t, SG_RUN_OK);
	NEED(out_is(&t, "['my script.py', 'a b', '--x', '\\udcff'] __main__ "
			"my script.py\n"));
	return 0;
}

static int
an_arena_that_is_too_small_is_an_error(void)
{
	struct run t;

	run_init(&t, "print('x' * 100000)");
	sg_arena_init(&t.arena, 8 * 1024);
	NEED(run(&t) == SG_ENOMEM);
	/* Once the program has run, it is never said that it did not. */
	run_init(&t, "print('x' * 1000000)");
	sg_arena_init(&t.arena, 700 * 1024);
	NEED_RUN(&t, SG_RUN_INTERNAL);
	NEED(t.r.executed && t.r.message.n > 0);
	return 0;
}

/* --- callers ------------------------------------------------------------- */

static int
the_callers_environment_stays_outside(void)
{
	struct run t;

	NEED(setenv("SG_CANARY", "secret", 1) == 0);
	NEED(setenv("PYTHONPATH", "/tmp", 1) == 0);
	NEED(setenv("PYTHONSTARTUP", "/tmp/x", 1) == 0);
	run_init(&t, "import os, sys\n"
		     "print('SG_CANARY' in os.environ, '/tmp' in sys.path)");
	NEED_RUN(&t, SG_RUN_OK);
	NEED(out_is(&t, "False False\n"));
	return 0;
}

static int
a_caller_without_standard_descriptors_works(void)
{
	struct run t;
	int keep = fcntl(1, F_DUPFD_CLOEXEC, 100);

	NEED(keep > 0);
	(void)close(0);
	(void)close(1);
	(void)close(2);
	run_init(&t, "import sys\nprint('x')\nprint('y', file=sys.stderr)");
	(void)run(&t);
	(void)dup2(keep, 1);
	NEED(t.rc == SG_OK && t.r.status == SG_RUN_OK);
	NEED(out_is(&t, "x\n"));
	NEED(sg_str_eq(t.r.err.text, SG_STR("y\n")));
	return 0;
}

static int
a_caller_that_ignores_its_children_works(void)
{
	struct run t;

	(void)signal(SIGCHLD, SIG_IGN);
	(void)signal(SIGPIPE, SIG_DFL);
	run_init(&t, "print('x')");
	t.spec.has_input = true;
	t.spec.input = SG_STR("unread");
	NEED_RUN(&t, SG_RUN_OK);
	NEED(out_is(&t, "x\n"));
	return 0;
}

static int
running_out_of_descriptors_is_an_error(void)
{
	struct rlimit few = { 12, 12 };
	struct run t;

	NEED(setrlimit(RLIMIT_NOFILE, &few) == 0);
	run_init(&t, "print('x')");
	NEED(run(&t) < 0);
	NEED(t.err.msg[0]);
	return 0;
}

static const struct box_test tests[] = {
	TEST(unsafe_input_names_are_refused),
	TEST(limits_that_make_no_sense_are_refused),
	TEST(an_interpreter_that_is_none_is_said),
	TEST(input_files_are_there_and_come_out_only_when_changed),
	TEST(input_larger_than_a_pipe_need_not_be_read),
	TEST(arguments_and_name_are_the_programs),
	TEST(an_arena_that_is_too_small_is_an_error),
	TEST(the_callers_environment_stays_outside),
	TEST(a_caller_without_standard_descriptors_works),
	TEST(a_caller_that_ignores_its_children_works),
	TEST(running_out_of_descriptors_is_an_error),
	{ 0 },
};

int
main(int argc, char **argv)
{
	return box_tests(tests, "requests", argc, argv);
}
