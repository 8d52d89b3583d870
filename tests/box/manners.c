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

/* The driver tells it from the text where it can, else by a syntax tree. */
static int
the_last_statement_is_found_however_it_is_written(void)
{
	static const struct {
		const char *code, *repr;
	} rows[] = {
		{ "7", "7" },
		{ "x = 7\nx\n\n# end\n  # of it\n  ", "7" },
		{ "x = [\n7\n]\nx[\n  0\n]\n", "7" },
		{ "x = 1; x + 6", "7" },
		{ "x = 7\rx", "7" },
		{ "if 1:\n  pass\n \f7", "7" },
		{ "x = 1 + \\\n6\nx", "7" },
		{ "x = 6\nx + \\\n1", "7" },
		{ "*[1, 2], 3", "(1, 2, 3)" },
		{ "x = 1\n*[x, 2], 3", "(1, 2, 3)" },
		{ "'doc'", "'doc'" },
		{ "'''\nif 1:\n  x'''", "'\\nif 1:\\n  x'" },
		{ "str('''\nif 1:\n  x\n  ''')", "'\\nif 1:\\n  x\\n  '" },
		{ "x = '''\n7'''\nx\n", "'\\n7'" },
		{ "from __future__ import annotations\ndef f(a: b): 0\n"
		  "f.__annotations__",
		  "{'a': 'b'}" },
		{ "x = '''\nx'''", NULL },
		{ "x = (\n1,\n7)", NULL },
		{ "x = 7\nif x:\n  x\nelse:\n  x", NULL },
		{ "try:\n  7\nfinally:\n  7", NULL },
		{ "@staticmethod\ndef f(): 7", NULL },
		{ "7\nx = 7", NULL },
		{ "7\nx: int = 7", NULL },
		{ "7\npass", NULL },
		{ "# nothing", NULL },
		{ "", NULL },
	};
	struct run t;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool good;

		run_init(&t, rows[i].code);
		NEED_RUN(&t, SG_RUN_OK);
		good = t.r.value.is_set == (rows[i].repr != NULL) &&
		       sg_str_eq(t.r.value.repr, sg_str_c(rows[i].repr));
		if (!good)
			printf("# %s\n", rows[i].code);
		NEED(good);
	}
	return 0;
}

static const char *
find(struct sg_str in, const char *what)
{
	return in.n ? memmem(in.p, in.n, what, strlen(what)) : NULL;
}

/* Whichever way the program was taken apart. */
static int
lines_are_those_of_the_program(void)
{
	static const struct {
		const char *code, *err;
	} rows[] = {
		{ "x = 1\n\nx.y\n", "script.py\", line 3, in <module>" },
		{ "x = 1\n\nx.y; 1\n", "script.py\", line 3, in <module>" },
		{ "x = 1\nif x:\n  x.y\n", "script.py\", line 3, in <module>" },
		{ "x = 1\n\nx y\n", "script.py\", line 3\n" },
		{ "x = 1\nx = (\n\nx\n", "script.py\", line 2\n" },
		{ "if x:\ny\n", "script.py\", line 2\n" },
		{ "x = 1\nx\nglobal x", "script.py\", line 3\n" },
		{ "x = 1\nif x:\n  global x", "script.py\", line 3\n" },
	};
	struct run t;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		run_init(&t, rows[i].code);
		NEED_RUN(&t, SG_RUN_ERROR);
		if (!find(t.r.err.text, rows[i].err))
			printf("# %s\n# %.*s\n", rows[i].code,
			       SG_STR_ARG(t.r.err.text));
		NEED(find(t.r.err.text, rows[i].err));
	}
	return 0;
}

static int
the_compiler_warns_once(void)
{
	static const char *const codes[] = {
		"x = 1\nx is 1",      "x = 1\nx is 1; x",
		"x = 1\nx = x is 1",  "1 is 1\nx = [\n1\n]",
		"1 is 1\nif 1:\n  1", "x = 1 + \\\n1\n1 is 1",
	};
	struct run t;

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		const char *at;

		run_init(&t, codes[i]);
		NEED_RUN(&t, SG_RUN_OK);
		at = find(t.r.err.text, "SyntaxWarning");
		NEED(at);
		NEED(!find(sg_str_slice(t.r.err.text,
					(size_t)(at - t.r.err.text.p) + 1,
					t.r.err.text.n),
			   "SyntaxWarning"));
	}
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
	TEST(the_last_statement_is_found_however_it_is_written),
	TEST(lines_are_those_of_the_program),
	TEST(the_compiler_warns_once),
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
