/*
 * What a warm run finds loaded, and what is left to do at its end, as if it
 * had loaded it itself.
 */

#include "executor/limits.h"
#include "executor/request.h"
#include "tests/box/lib/pool.h"

static int
a_file_of_the_workspace_stands_before_a_module(void)
{
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);
	struct sg_box_input file = { SG_STR("json.py"),
				     SG_STR("def dumps(x): return 'mine'\n") };
	struct run t;

	NEED(warm);
	run_in(&t, warm, "import json\nprint(json.dumps(1))");
	t.spec.files = &file;
	t.spec.nfiles = 1;
	NEED_RUN(&t, SG_RUN_OK);
	NEED(t.r.warm.n && out_is(&t, "mine\n"));
	sg_warm_free(warm);
	return 0;
}

static int
the_guard_holds_for_modules_that_are_there_ahead(void)
{
	static const char *const programs[] = {
		"import json", "from json import dumps",
		"import importlib\nimportlib.import_module('json')",
		"__import__('js' + 'on')"
	};
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);
	struct sg_box_guard guard;
	struct run t;

	NEED(warm);
	memset(&guard, 0, sizeof(guard));
	guard.event = SG_STR("import");
	guard.name = SG_STR("json");
	guard.message = SG_STR("json is not for you");
	guard.direct = true;
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		run_in(&t, warm, programs[i]);
		t.spec.guard = &guard;
		t.spec.nguard = 1;
		NEED_RUN(&t, SG_RUN_ERROR);
		NEED(t.r.warm.n);
		NEED(sg_str_eq(t.r.error.name, SG_STR("PermissionError")));
		NEED(sg_str_eq(t.r.error.value, guard.message));
	}
	/* What the library imports for itself is not the program's doing, and
	   the next run has no guard. */
	run_in(&t, warm, "import json\nprint(json.dumps(1))");
	NEED_RUN(&t, SG_RUN_OK);
	NEED(t.r.warm.n && out_is(&t, "1\n"));
	sg_warm_free(warm);
	return 0;
}

static struct sg_box_guard
refusal(const char *module, const char *message)
{
	return (struct sg_box_guard){ .event = SG_STR("import"),
				      .name = sg_str_c(module),
				      .message = sg_str_c(message),
				      .direct = true };
}

/* Has zygotes make it ready, and waits until one stands that has. */
static bool
make_ready(struct sg_warm *warm, const struct sg_box_guard *guard)
{
	uint64_t before = stats_of(warm).started;
	struct sg_buf text;
	struct sg_err err;
	bool good;

	sg_err_clear(&err);
	sg_buf_init(&text, SG_BOX_GUARD_TEXT);
	good = sg_request_guard(guard, 1, &text, &err) == SG_OK &&
	       sg_warm_guard(warm, sg_buf_view(&text), &err) == SG_OK;
	sg_buf_release(&text);
	for (int i = 0; good && i < 200 && stats_of(warm).started == before;
	     i++)
		nap_ms(50);
	return good && stats_of(warm).started == before + 1;
}

/* Each refuses its own module and no other; NULL: there is no guard. */
static int
guarded_by(struct sg_warm *warm, const struct sg_box_guard *guard)
{
	static const char *const modules[] = { "json", "random" };
	char code[64];
	struct run t;

	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
		bool refused = guard &&
			       sg_str_eq(guard->name, sg_str_c(modules[i]));

		(void)snprintf(code, sizeof(code), "import %s\nprint('in')",
			       modules[i]);
		run_in(&t, warm, code);
		t.spec.guard = guard;
		t.spec.nguard = guard ? 1 : 0;
		NEED_RUN(&t, refused ? SG_RUN_ERROR : SG_RUN_OK);
		NEED(t.r.warm.n);
		NEED(!refused || sg_str_eq(t.r.error.value, guard->message));
		NEED(refused || out_is(&t, "in\n"));
		sg_arena_release(&t.arena);
	}
	return 0;
}

static int
a_guard_holds_whether_zygotes_have_it_ready_or_not(void)
{
	struct sg_box_guard one = refusal("json", "no json");
	struct sg_box_guard other = refusal("random", "no random");
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);
	int rc;

	NEED(warm);
	NEED(make_ready(warm, &one));
	rc = guarded_by(warm, &one) || guarded_by(warm, &other) ||
	     guarded_by(warm, NULL) || guarded_by(warm, &one);
	/* As when a policy is loaded again. */
	NEED(rc == 0 && make_ready(warm, &other));
	rc = guarded_by(warm, &one) || guarded_by(warm, &other) ||
	     guarded_by(warm, NULL);
	sg_warm_free(warm);
	return rc;
}

static int
the_end_of_a_program_is_as_in_a_cold_run(void)
{
	static const char code[] =
		"import atexit, threading, time, sys, weakref\n"
		"class A:\n"
		"    def __init__(self, n): self.n = n\n"
		"    def __del__(self): print('del', self.n, time is None)\n"
		"a = A('global'); b = A('cycle'); b.b = b\n"
		"atexit.register(print, 'atexit')\n"
		"f = open('out.txt', 'w'); f.write('kept')\n"
		"weakref.finalize(a, print, 'finalize')\n"
		"def late(): time.sleep(0.05); print('thread')\n"
		"threading.Thread(target=late).start()\n"
		"print('end', end='')\n"
		"sys.exit('message')\n";
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);
	struct run a, b;

	NEED(warm);
	run_init(&a, code);
	run_in(&b, warm, code);
	a.spec.collect = b.spec.collect = true;
	NEED_RUN(&a, SG_RUN_ERROR);
	NEED_RUN(&b, SG_RUN_ERROR);
	NEED(b.r.warm.n && a.r.exit_code == b.r.exit_code);
	show_difference(a.r.out.text, b.r.out.text);
	NEED(sg_str_eq(a.r.out.text, b.r.out.text));
	NEED(sg_str_eq(a.r.err.text, b.r.err.text));
	NEED(a.r.nfiles == 1 && b.r.nfiles == 1);
	show_difference(a.r.files[0].data, b.r.files[0].data);
	NEED(sg_str_eq(a.r.files[0].data, b.r.files[0].data));
	sg_warm_free(warm);
	return 0;
}

static int
daemon_threads_see_no_end(void)
{
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);
	struct run t;

	NEED(warm);
	for (int i = 0; i < 5; i++) {
		run_in(&t, warm,
		       "import colorsys, threading, time\n"
		       "class Slow:\n"
		       "    def __del__(self, nap=time.sleep): nap(0.1)\n"
		       "colorsys.last = Slow()\n"
		       "def work():\n"
		       "    while True: colorsys.rgb_to_hls(1, 0, 1)\n"
		       "for i in range(4):\n"
		       "    threading.Thread(target=work, daemon=True).start()\n"
		       "print('over')");
		NEED_RUN(&t, SG_RUN_OK);
		NEED(t.r.warm.n && out_is(&t, "over\n"));
		NEED(t.r.err.text.n == 0);
		sg_arena_release(&t.arena);
	}
	sg_warm_free(warm);
	return 0;
}

static int
figures_come_out_of_warm_runs(void)
{
	static const struct sg_warm_set set = { "plots",
						"numpy matplotlib.pyplot" };
	struct sg_warm *warm = pool_of(&set, 0, 0);
	struct run t;

	NEED(warm);
	run_in(&t, warm,
	       "import matplotlib.pyplot as plt\n"
	       "plt.plot([1, 2]); plt.show()\n"
	       "print(plt.figure().number); plt.plot([3])");
	NEED_RUN(&t, SG_RUN_OK);
	NEED(t.r.warm.n && t.r.nimages == 2);
	NEED(out_is(&t, "1\n") && t.r.err.text.n == 0);
	sg_warm_free(warm);
	return 0;
}

static const struct box_test tests[] = {
	TEST(a_file_of_the_workspace_stands_before_a_module),
	TEST(the_guard_holds_for_modules_that_are_there_ahead),
	TEST(a_guard_holds_whether_zygotes_have_it_ready_or_not),
	TEST(the_end_of_a_program_is_as_in_a_cold_run),
	TEST(daemon_threads_see_no_end),
	TEST(figures_come_out_of_warm_runs),
	{ 0 },
};

int
main(int argc, char **argv)
{
	return box_tests(tests, "modules of warm runs", argc, argv);
}
