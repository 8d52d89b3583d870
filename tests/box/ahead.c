/*
 * Boxes that have their order before there is a run: each run has what it
 * asked for all the same, and begins where it begins.
 */

#include <string.h>

#include "tests/box/lib/pool.h"

static const char limits[] =
	"import resource as r\n"
	"print(r.getrlimit(r.RLIMIT_NOFILE)[0], r.getrlimit(r.RLIMIT_FSIZE)[0])";

static int
a_run_like_the_last_ones_finds_its_box_with_its_order(void)
{
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);

	NEED(warm && make_habit(warm));
	sg_warm_free(warm);
	return 0;
}

static int
a_run_has_its_own_limits_whatever_was_expected(void)
{
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);
	struct run t;

	NEED(warm && make_habit(warm));
	for (unsigned i = 0; i < 4; i++) {
		run_in(&t, warm, limits);
		t.spec.limits.open_files = i % 2 ? 64 : 65;
		t.spec.limits.file_size = i % 2 ? 1 << 20 : 2 << 20;
		NEED_RUN(&t, SG_RUN_OK);
		NEED(t.r.warm.n);
		NEED(out_is(&t, i % 2 ? "64 1048576\n" : "65 2097152\n"));
		sg_arena_release(&t.arena);
	}
	sg_warm_free(warm);
	return 0;
}

static int
files_are_there_in_the_run_that_has_them_only(void)
{
	struct sg_box_input file = { SG_STR("x"), SG_STR("here") };
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);
	struct run t;

	NEED(warm && make_habit(warm));
	for (unsigned i = 0; i < 4; i++) {
		run_in(&t, warm, "import os; print(os.listdir())");
		t.spec.files = &file;
		t.spec.nfiles = i % 2;
		NEED_RUN(&t, SG_RUN_OK);
		NEED(t.r.warm.n && out_is(&t, i % 2 ? "['x']\n" : "[]\n"));
		sg_arena_release(&t.arena);
	}
	sg_warm_free(warm);
	return 0;
}

static int
input_is_there_in_the_run_that_has_it_only(void)
{
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);
	struct run t;

	NEED(warm && make_habit(warm));
	for (unsigned i = 0; i < 4; i++) {
		run_in(&t, warm, "import sys; print(repr(sys.stdin.read()))");
		t.spec.has_input = i % 2;
		t.spec.input = i % 2 ? SG_STR("word") : SG_STR_NONE;
		NEED_RUN(&t, SG_RUN_OK);
		NEED(t.r.warm.n && out_is(&t, i % 2 ? "'word'\n" : "''\n"));
		sg_arena_release(&t.arena);
	}
	sg_warm_free(warm);
	return 0;
}

static int
processes_are_refused_again_after_a_run_that_might_have_them(void)
{
	static const char fork[] = "import os\n"
				   "try: p = os.fork()\n"
				   "except PermissionError: print('refused')\n"
				   "else:\n"
				   "    if not p: os._exit(0)\n"
				   "    os.waitpid(p, 0); print('forked')\n";
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);
	struct run t;

	NEED(warm && make_habit(warm));
	for (unsigned i = 0; i < 4; i++) {
		run_in(&t, warm, fork);
		t.spec.limits.processes = i % 2 ? 2 : 0;
		NEED_RUN(&t, SG_RUN_OK);
		NEED(out_is(&t, i % 2 ? "forked\n" : "refused\n"));
		sg_arena_release(&t.arena);
	}
	sg_warm_free(warm);
	return 0;
}

/* And is given its whole time. */
static int
a_run_begins_when_it_is_asked_for(void)
{
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);
	struct run t;

	NEED(warm && make_habit(warm));
	nap_ms(1500);
	run_in(&t, warm,
	       "import logging, resource\n"
	       "r = logging.LogRecord('', 0, '', 0, '', (), None)\n"
	       "print(r.relativeCreated < 1000)");
	NEED_RUN(&t, SG_RUN_OK);
	NEED(out_is(&t, "True\n"));
	NEED(t.r.usage.wall_us < 1000000 && t.r.usage.setup_us < 1000000);
	sg_warm_free(warm);
	return 0;
}

/* A call that is refused is put to the supervisor, which is there by then. */
static int
what_a_box_with_its_order_refuses_has_a_name(void)
{
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);
	struct run t;

	NEED(warm && make_habit(warm));
	run_in(&t, warm,
	       "import ctypes\n"
	       "c = ctypes.CDLL(None)\n"
	       "for n in (317, 317, 101): c.syscall(n, 4, 0, 0, 0)\n"
	       "print(open('/proc/self/status').read()"
	       ".split('Seccomp_filters:\\t')[1][0])");
	NEED_RUN(&t, SG_RUN_OK);
	/* One in place of the two of a cold run. */
	NEED(out_is(&t, "1\n"));
	NEED(t.r.ndenied == 2);
	NEED(sg_str_eq(t.r.denied[0].name, SG_STR("seccomp")));
	NEED(t.r.denied[0].count == 2);
	sg_warm_free(warm);
	return 0;
}

/* The supervisor is not woken for each end of a pipe. */
static int
what_is_written_last_is_read(void)
{
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);
	struct run t;

	NEED(warm && make_habit(warm));
	for (unsigned i = 0; i < 20; i++) {
		run_in(&t, warm,
		       "import os, sys\n"
		       "os.write(2, b'e' * 30000)\n"
		       "os.write(1, b'o' * 60000)\n"
		       "sys.stdout.write('last')\n"
		       "'value'");
		NEED_RUN(&t, SG_RUN_OK);
		NEED(t.r.out.total == 60004 && t.r.err.total == 30000);
		NEED(sg_str_eq(t.r.value.repr, SG_STR("'value'")));
		sg_arena_release(&t.arena);
	}
	sg_warm_free(warm);
	return 0;
}

/* Nor what one was told of its limits, nor how much it took. */
static int
want_of_memory_is_that_of_one_run(void)
{
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);
	struct run t;

	NEED(warm && make_habit(warm));
	for (unsigned i = 0; i < 12; i++) {
		run_in(&t, warm,
		       i % 3 ? "print(1)"
			     : "import mmap\n"
			       "m = mmap.mmap(-1, 400 << 20)\n"
			       "for i in range(0, len(m), 4096): m[i] = 1\n");
		t.spec.limits.memory = 96 << 20;
		NEED_RUN(&t, i % 3 ? SG_RUN_OK : SG_RUN_MEMORY_LIMIT);
		NEED(t.r.warm.n);
		if (i % 3)
			NEED(t.r.usage.peak_memory < 64 << 20);
		else
			NEED(t.r.usage.peak_memory > 64 << 20);
		sg_arena_release(&t.arena);
	}
	sg_warm_free(warm);
	return 0;
}

static int
a_pool_at_rest_holds_its_zygotes_only(void)
{
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);
	struct run t;

	NEED(warm && make_habit(warm));
	sg_warm_rest(warm);
	NEED(box_groups() == 0);
	run_in(&t, warm, "print(1)");
	NEED_RUN(&t, SG_RUN_OK);
	NEED(t.r.warm.n && out_is(&t, "1\n"));
	sg_warm_free(warm);
	NEED(box_groups() == 0);
	return 0;
}

/* Else each would stop the program for a page to be copied. */
static int
pages_that_programs_write_to_are_copied_ahead(void)
{
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);
	struct run t;

	/* Some of them only in a box that has its order, and had time. */
	NEED(warm && make_habit(warm));
	nap_ms(200);
	run_in(&t, warm,
	       "import resource, sys\n"
	       "def faults(): return resource.getrusage(0).ru_minflt\n"
	       "a = faults()\n"
	       "import json, random\n"
	       "text = json.dumps({str(i): i for i in range(30)}, indent=1)\n"
	       "code = compile('def f(x):\\n return [x * n for n in x]', '', "
	       "'exec')\n"
	       "exec(code); random.random(); json.loads(text)\n"
	       "b = faults()\n"
	       "print(b - a, file=sys.stderr); print(b - a < 12)");
	NEED_RUN(&t, SG_RUN_OK);
	NEED(t.r.warm.n && out_is(&t, "True\n"));
	sg_warm_free(warm);
	return 0;
}

/* The same of modules that write to much more; 760 and 2,500 without it. */
static int
pages_of_large_modules_are_copied_ahead(void)
{
	static const struct {
		struct sg_warm_set set;
		const char *use;
	} rows[] = {
		{ { "pandas", "pandas" },
		  "import pandas\n"
		  "d = pandas.DataFrame({'k': [1, 2, 1], 'v': [4., 5., 6.]})\n"
		  "text = str(d.groupby('k').v.sum())\n" },
		{ { "pyplot", "matplotlib.pyplot" },
		  "import matplotlib.pyplot as plt\n"
		  "figure, axes = plt.subplots()\n"
		  "axes.plot([1, 2, 3])\n"
		  "plt.close(figure)\n" },
	};
	char code[1024];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sg_warm *warm = pool_of(&rows[i].set, 0, 0);
		struct run t;

		NEED(warm);
		(void)snprintf(code, sizeof(code),
			       "import resource, sys\n"
			       "a = resource.getrusage(0).ru_minflt\n%s"
			       "b = resource.getrusage(0).ru_minflt - a\n"
			       "print(b, file=sys.stderr); print(b < 300)",
			       rows[i].use);
		run_in(&t, warm, code);
		NEED_RUN(&t, SG_RUN_OK);
		NEED(t.r.warm.n && out_is(&t, "True\n"));
		sg_arena_release(&t.arena);
		sg_warm_free(warm);
	}
	return 0;
}

static const struct box_test tests[] = {
	TEST(a_run_like_the_last_ones_finds_its_box_with_its_order),
	TEST(a_run_has_its_own_limits_whatever_was_expected),
	TEST(files_are_there_in_the_run_that_has_them_only),
	TEST(input_is_there_in_the_run_that_has_it_only),
	TEST(processes_are_refused_again_after_a_run_that_might_have_them),
	TEST(a_run_begins_when_it_is_asked_for),
	TEST(what_a_box_with_its_order_refuses_has_a_name),
	TEST(what_is_written_last_is_read),
	TEST(want_of_memory_is_that_of_one_run),
	TEST(a_pool_at_rest_holds_its_zygotes_only),
	TEST(pages_that_programs_write_to_are_copied_ahead),
	TEST(pages_of_large_modules_are_copied_ahead),
	{ 0 },
};

int
main(int argc, char **argv)
{
	return box_tests(tests, "boxes that wait", argc, argv);
}
