/*
 * How programs run: values, exit statuses, tracebacks, figures, refusals.
 */

#include <signal.h>
#include <string.h>

#include "tests/box/lib/case.h"

static int
the_last_expression_is_the_value(void)
{
	static const struct {
		const char *code, *repr, *type;
	} rows[] = {
		{ "2 ** 10", "1024", "int" },
		{ "x = [1]\nx", "[1]", "list" },
		{ "class A:\n  def __repr__(s): return 'me'\nA()", "me", "A" },
		{ "import decimal\ndecimal.Decimal(1)", "Decimal('1')",
		  "decimal.Decimal" },
		{ "'\xc3\xa4\\ud800'", "'\xc3\xa4\\ud800'", "str" },
	};
	struct run t;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		run_init(&t, rows[i].code);
		NEED_RUN(&t, SG_RUN_OK);
		NEED(t.r.value.is_set && !t.r.value.truncated);
		NEED(sg_str_eq(t.r.value.repr, sg_str_c(rows[i].repr)));
		NEED(sg_str_eq(t.r.value.type, sg_str_c(rows[i].type)));
	}
	run_init(&t, "print('x')");
	NEED_RUN(&t, SG_RUN_OK);
	NEED(!t.r.value.is_set);
	run_init(&t, "x = 1");
	NEED_RUN(&t, SG_RUN_OK);
	NEED(!t.r.value.is_set);
	return 0;
}

static int
exit_statuses_are_exact(void)
{
	static const struct {
		const char *code;
		int exit_code, signal;
		enum sg_run_status status;
	} rows[] = {
		{ "", 0, 0, SG_RUN_OK },
		{ "raise SystemExit", 0, 0, SG_RUN_OK },
		{ "raise SystemExit(0)", 0, 0, SG_RUN_OK },
		{ "import sys; sys.exit(7)", 7, 0, SG_RUN_ERROR },
		{ "import sys; sys.exit(256 + 5)", 5, 0, SG_RUN_ERROR },
		{ "import sys; sys.exit(True)", 1, 0, SG_RUN_ERROR },
		{ "import sys; sys.exit('bad')", 1, 0, SG_RUN_ERROR },
		{ "import sys; sys.exit([1])", 1, 0, SG_RUN_ERROR },
		{ "exit(3)", 3, 0, SG_RUN_ERROR },
		{ "1/0", 1, 0, SG_RUN_ERROR },
		{ "import os; os._exit(0)", 0, 0, SG_RUN_OK },
		{ "import os; os._exit(42)", 42, 0, SG_RUN_ERROR },
		{ "import os; os.abort()", -1, SIGABRT, SG_RUN_SIGNALED },
		{ "import os; os.kill(os.getpid(), 9)", -1, SIGKILL,
		  SG_RUN_SIGNALED },
		{ "import os; os.kill(os.getpid(), 15)", -1, SIGTERM,
		  SG_RUN_SIGNALED },
		{ "import ctypes; ctypes.string_at(0)", -1, SIGSEGV,
		  SG_RUN_SIGNALED },
		{ "raise KeyboardInterrupt", -1, SIGINT, SG_RUN_SIGNALED },
		{ "import atexit, os; atexit.register(os._exit, 9)", 9, 0,
		  SG_RUN_ERROR },
		{ "import threading\nt = threading.Thread(target=lambda: 1/0)\n"
		  "t.start()",
		  0, 0, SG_RUN_OK },
		{ "def f(): f()\nf()", 1, 0, SG_RUN_ERROR },
		{ "x = (", 1, 0, SG_RUN_ERROR },
	};
	struct run t;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		run_init(&t, rows[i].code);
		NEED(run(&t) == SG_OK);
		if (t.r.status != rows[i].status ||
		    t.r.exit_code != rows[i].exit_code ||
		    t.r.signal != rows[i].signal) {
			printf("# %s: %s exit %d signal %d\n", rows[i].code,
			       sg_run_status_name(t.r.status), t.r.exit_code,
			       t.r.signal);
			return 1;
		}
		sg_arena_release(&t.arena);
	}
	return 0;
}

static int
tracebacks_show_the_users_frames_only(void)
{
	struct run t;

	run_init(&t, "def f(x):\n"
		     "    return 1 / x\n"
		     "f(0)\n");
	NEED_RUN(&t, SG_RUN_ERROR);
	NEED(sg_str_starts(t.r.err.text,
			   SG_STR("Traceback (most recent call last):\n"
				  "  File \"script.py\", line 3, in <module>\n"
				  "    f(0)\n")));
	NEED(t.r.error.is_set && t.r.error.line == 2);
	NEED(sg_str_eq(t.r.error.name, SG_STR("ZeroDivisionError")));
	NEED(sg_str_eq(t.r.error.value, SG_STR("division by zero")));
	NEED(sg_str_eq(t.r.error.traceback, t.r.err.text));

	run_init(&t, "x = 1\ny = (\n");
	NEED_RUN(&t, SG_RUN_ERROR);
	NEED(sg_str_starts(t.r.err.text,
			   SG_STR("  File \"script.py\", line 2\n")));
	NEED(t.r.error.line == 2);

	run_init(&t, "import warnings\nwarnings.warn('w', stacklevel=2)\n");
	NEED_RUN(&t, SG_RUN_OK);
	NEED(sg_str_eq(t.r.err.text, SG_STR("sys:1: UserWarning: w\n")));
	return 0;
}

static int
a_missing_module_gets_the_nearest_one(void)
{
	struct run t;

	run_init(&t, "import jsn");
	NEED_RUN(&t, SG_RUN_ERROR);
	NEED(sg_str_eq(t.r.error.name, SG_STR("ModuleNotFoundError")));
	NEED(sg_str_starts(t.r.hint, SG_STR("'jsn' is not installed, and "
					    "nothing can be installed. Did "
					    "you mean 'json'?")));
	return 0;
}

static int
the_guard_explains(void)
{
	const struct sg_box_guard guard[] = {
		{ SG_STR("import"), SG_STR("subprocess"),
		  SG_STR("SG7: no {name} here"), true },
		{ SG_STR("os.system"), SG_STR_NONE,
		  SG_STR("SG8: no commands here"), false },
		{ SG_STR("socket.*"), SG_STR_NONE,
		  SG_STR("SG9: no network here"), true },
	};
	static const struct {
		const char *code, *value;
	} rows[] = {
		{ "import subprocess", "SG7: no subprocess here" },
		{ "from subprocess import run", "SG7: no subprocess here" },
		{ "__import__('sub' + 'process')", "SG7: no subprocess here" },
		{ "import importlib\n"
		  "importlib.import_module('subprocess')",
		  "SG7: no subprocess here" },
		{ "import os\ngetattr(os, 'sys' + 'tem')('ls')",
		  "SG8: no commands here" },
		{ "import socket\nsocket.socket()", "SG9: no network here" },
	};
	struct run t;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		run_init(&t, rows[i].code);
		t.spec.guard = guard;
		t.spec.nguard = 3;
		NEED_RUN(&t, SG_RUN_ERROR);
		NEED(sg_str_eq(t.r.error.name, SG_STR("PermissionError")));
		NEED(sg_str_eq(t.r.error.value, sg_str_c(rows[i].value)));
		NEED(t.r.ndenied == 0);
	}
	/* What a library imports for itself is its own business. */
	run_init(&t, "import asyncio\nprint(asyncio.subprocess.PIPE)");
	t.spec.guard = guard;
	t.spec.nguard = 3;
	NEED_RUN(&t, SG_RUN_OK);
	NEED(out_is(&t, "-1\n"));
	return 0;
}

static int
figures_come_out_as_png(void)
{
	struct run t;

	run_init(&t, "try:\n"
		     "    import matplotlib.pyplot as plt\n"
		     "except ImportError:\n"
		     "    raise SystemExit(77)\n"
		     "plt.plot([1, 2]); plt.show()\n"
		     "plt.figure(); plt.plot([2, 1])\n");
	NEED(run(&t) == SG_OK);
	if (t.r.exit_code == 77)
		return 0;
	NEED(t.r.status == SG_RUN_OK);
	NEED(t.r.nimages == 2 && t.r.images_dropped == 0);
	NEED(t.r.images[0].width > 100 && t.r.images[0].height > 100);
	NEED(t.r.err.text.n == 0);
	NEED(t.r.ndenied == 0);
	return 0;
}

static const struct box_test tests[] = {
	TEST(the_last_expression_is_the_value),
	TEST(exit_statuses_are_exact),
	TEST(tracebacks_show_the_users_frames_only),
	TEST(a_missing_module_gets_the_nearest_one),
	TEST(the_guard_explains),
	TEST(figures_come_out_as_png),
	{ 0 },
};

int
main(int argc, char **argv)
{
	return box_tests(tests, "manners", argc, argv);
}
