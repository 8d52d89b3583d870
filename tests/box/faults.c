/*
 * What the box does when something around it is wrong: requests that make no
 * sense, hosts that refuse a layer, supervisors that die, callers that
 * cancel.  Each test is a process of its own.  Prints TAP.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "executor/box.h"
#include "executor/cgroup.h"

enum { ARENA = 512 << 20, BIG = 8 << 20 };

/* A process under AddressSanitizer takes long to take down. */
#ifdef __SANITIZE_ADDRESS__
enum { SLACK_US = 100000 };
#else
enum { SLACK_US = 10000 };
#endif

struct run {
	struct sg_box_spec spec;
	struct sg_arena arena;
	struct sg_result r;
	struct sg_err err;
	int rc;
};

static void
run_init(struct run *t, const char *code)
{
	memset(t, 0, sizeof(*t));
	sg_box_spec_init(&t->spec);
	t->spec.code = sg_str_c(code);
	t->spec.limits.wall_ms = 20000;
	sg_arena_init(&t->arena, ARENA);
	sg_err_clear(&t->err);
}

static int
run(struct run *t)
{
	t->rc = sg_box_run(&t->spec, &t->arena, &t->r, &t->err);
	return t->rc;
}

#define NEED(cond)                                                  \
	do {                                                        \
		if (!(cond)) {                                      \
			printf("# line %d: %s\n", __LINE__, #cond); \
			return 1;                                   \
		}                                                   \
	} while (0)

/* The run went through with this status. */
#define NEED_RUN(t, want)                                                  \
	do {                                                               \
		if (run(t) != SG_OK) {                                     \
			printf("# line %d: %s\n", __LINE__, (t)->err.msg); \
			return 1;                                          \
		}                                                          \
		if ((t)->r.status != (want)) {                             \
			printf("# line %d: status %s\n# %.*s\n", __LINE__, \
			       sg_run_status_name((t)->r.status),          \
			       SG_STR_ARG((t)->r.err.text));               \
			return 1;                                          \
		}                                                          \
	} while (0)

static bool
out_is(const struct run *t, const char *want)
{
	if (sg_str_eq(t->r.out.text, sg_str_c(want)))
		return true;
	printf("# output: %.*s\n", SG_STR_ARG(t->r.out.text));
	return false;
}

static const struct sg_layer *
layer(const struct run *t, const char *name)
{
	for (uint32_t i = 0; i < t->r.nlayers; i++)
		if (strcmp(t->r.layers[i].name, name) == 0)
			return &t->r.layers[i];
	return NULL;
}

static bool
layer_is(const struct run *t, const char *name, enum sg_layer_state want)
{
	const struct sg_layer *l = layer(t, name);

	if (l && l->state == want)
		return true;
	printf("# layer %s: %d %.*s\n", name, l ? (int)l->state : -1,
	       SG_STR_ARG(l ? l->detail : SG_STR_NONE));
	return false;
}

/* --- requests ------------------------------------------------------------ */

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

/* --- manners ------------------------------------------------------------- */

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
		  SG_STR("SG7: no subprocess here") },
		{ SG_STR("os.system"), SG_STR_NONE,
		  SG_STR("SG8: no commands here") },
		{ SG_STR("socket.*"), SG_STR_NONE,
		  SG_STR("SG9: no network here") },
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

/* --- ends ---------------------------------------------------------------- */

/* How late this machine wakes a sleeper just now, in microseconds. */
static uint64_t
lateness(void)
{
	uint64_t worst = 0;

	for (int i = 0; i < 20; i++) {
		uint64_t begun = sg_clock_mono(), us;

		(void)usleep(10000);
		us = (sg_clock_mono() - begun) / 1000;
		if (us > 10000 && us - 10000 > worst)
			worst = us - 10000;
	}
	return worst;
}

static int
a_deadline_is_kept(void)
{
	struct run t;
	uint64_t over = UINT64_MAX, late = lateness();

	for (int i = 0; i < 5; i++) {
		run_init(&t, "while True: pass");
		t.spec.limits.wall_ms = 300;
		NEED_RUN(&t, SG_RUN_TIMEOUT);
		NEED(t.r.usage.wall_us >= 300000);
		NEED(t.r.exit_code == -1 && t.r.signal == SIGKILL);
		if (t.r.usage.wall_us - 300000 < over)
			over = t.r.usage.wall_us - 300000;
	}
	/* The best of five, less what the machine's own load costs. */
	if (over >= SLACK_US + late)
		printf("# %llu us over, sleepers are %llu us late\n",
		       (unsigned long long)over, (unsigned long long)late);
	NEED(over < SLACK_US + late);
	return 0;
}

struct canceller {
	int fd;
	unsigned ms;
};

static void *
cancel_later(void *arg)
{
	const struct canceller *c = arg;

	(void)usleep(c->ms * 1000);
	(void)!write(c->fd, "x", 1);
	return NULL;
}

static int
a_caller_can_cancel(void)
{
	struct canceller c;
	pthread_t thread;
	struct run t;
	int fds[2];

	NEED(pipe2(fds, O_CLOEXEC) == 0);
	run_init(&t, "print('begun')\nwhile True: pass");
	t.spec.cancel_fd = fds[0];
	c = (struct canceller){ fds[1], 500 };
	NEED(pthread_create(&thread, NULL, cancel_later, &c) == 0);
	NEED_RUN(&t, SG_RUN_CANCELLED);
	NEED(t.r.executed && out_is(&t, "begun\n"));
	(void)pthread_join(thread, NULL);
	/* It is still readable: the next one is cancelled at once. */
	run_init(&t, "print('never')");
	t.spec.cancel_fd = fds[0];
	NEED_RUN(&t, SG_RUN_CANCELLED);
	NEED(out_is(&t, ""));
	return 0;
}

/* The only child of `pid`, 0 when there is none. */
static pid_t
child_of(pid_t pid)
{
	char path[64];
	int child = 0;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children",
		       (int)pid, (int)pid);
	f = fopen(path, "re");
	if (f && fscanf(f, "%d", &child) != 1)
		child = 0;
	if (f)
		(void)fclose(f);
	return child;
}

static bool
is_gone(pid_t pid)
{
	char path[64], text[256];
	FILE *f;
	bool gone = true;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (f && fgets(text, sizeof(text), f)) {
		const char *at = strrchr(text, ')');

		gone = at && (at[2] == 'Z' || at[2] == 'X');
	}
	if (f)
		(void)fclose(f);
	return gone;
}

static int
nothing_outlives_its_supervisor(void)
{
	for (int i = 0; i < 10; i++) {
		pid_t sup = fork(), warden = 0, worker = 0;
		int st;

		if (sup == 0) {
			struct run t;

			run_init(&t, "import time\ntime.sleep(100)");
			(void)run(&t);
			_exit(0);
		}
		NEED(sup > 0);
		for (int ms = 0; ms < 5000 && !worker; ms++) {
			(void)usleep(1000);
			warden = child_of(sup);
			worker = warden ? child_of(warden) : 0;
		}
		NEED(worker);
		(void)usleep((useconds_t)i * 5000);
		NEED(kill(sup, SIGKILL) == 0);
		NEED(waitpid(sup, &st, 0) == sup);
		for (int ms = 0; ms < 1000; ms++) {
			if (is_gone(warden) && is_gone(worker))
				break;
			(void)usleep(1000);
		}
		NEED(is_gone(warden) && is_gone(worker));
	}
	(void)sg_cgroup_sweep();
	NEED(sg_cgroup_sweep() == 0);
	return 0;
}

static void *
bomb(void *arg)
{
	struct run *t = arg;

	(void)run(t);
	return NULL;
}

static int
a_neighbour_does_not_notice(void)
{
	struct run bad, good;
	pthread_t thread;

	run_init(&bad, "x = []\nwhile True: x.append(bytearray(1 << 20))");
	bad.spec.limits.memory = 64u << 20;
	run_init(&good, "import time\n"
			"t = bytearray(32 << 20)\n"
			"time.sleep(1)\nprint(len(t))");
	good.spec.limits.memory = 128u << 20;
	NEED(pthread_create(&thread, NULL, bomb, &bad) == 0);
	NEED_RUN(&good, SG_RUN_OK);
	NEED(out_is(&good, "33554432\n"));
	NEED(pthread_join(thread, NULL) == 0);
	NEED(bad.rc == SG_OK && bad.r.status == SG_RUN_MEMORY_LIMIT);
	return 0;
}

static int
nothing_is_left_for_the_next_run(void)
{
	struct run t;

	run_init(&t, "import os\n"
		     "for p in ('a', '/tmp/a', '/dev/shm/a'):\n"
		     "    open(p, 'w').write('x')\n"
		     "import fcntl\n"
		     "f = open('/usr/bin/python3')\n"
		     "fcntl.flock(f, fcntl.LOCK_SH)\n");
	NEED_RUN(&t, SG_RUN_OK);
	run_init(&t, "import os\n"
		     "print([os.listdir(p) for p in "
		     "('.', '/tmp', '/dev/shm')])");
	NEED_RUN(&t, SG_RUN_OK);
	NEED(out_is(&t, "[[], [], []]\n"));
	return 0;
}

static int
hashes_and_random_numbers_differ_between_runs(void)
{
	static const char code[] = "import random, uuid\n"
				   "print(hash('a'), random.random(), "
				   "uuid.uuid4(), id(object()))";
	struct run a, b;

	run_init(&a, code);
	NEED_RUN(&a, SG_RUN_OK);
	run_init(&b, code);
	NEED_RUN(&b, SG_RUN_OK);
	NEED(!sg_str_eq(a.r.out.text, b.r.out.text));
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

/* --- hosts that refuse --------------------------------------------------- */

/* Makes `call` fail with `sys` for us and all below, from now on. */
static int
forbid(const char *call, int sys, int arg, uint64_t mask, uint64_t value)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	struct scmp_arg_cmp cmp = { (unsigned)(arg < 0 ? 0 : arg),
				    SCMP_CMP_MASKED_EQ, mask, value };
	int rc = -1;

	if (ctx)
		rc = seccomp_rule_add_array(ctx, SCMP_ACT_ERRNO((uint32_t)sys),
					    seccomp_syscall_resolve_name(call),
					    arg < 0 ? 0 : 1, &cmp);
	if (rc == 0)
		rc = seccomp_load(ctx);
	seccomp_release(ctx);
	return rc;
}

/* STRICT and STANDARD refuse, or not, and ANY runs and says what is off. */
static int
degrades(const char *name, bool standard_refuses)
{
	struct run t;

	run_init(&t, "print('ran')");
	t.spec.require = SG_REQUIRE_STRICT;
	NEED(run(&t) == SG_EBOX);
	run_init(&t, "print('ran')");
	t.spec.require = SG_REQUIRE_STANDARD;
	NEED(run(&t) == (standard_refuses ? SG_EBOX : SG_OK));
	run_init(&t, "print('ran')");
	t.spec.require = SG_REQUIRE_ANY;
	NEED_RUN(&t, SG_RUN_OK);
	NEED(out_is(&t, "ran\n"));
	NEED(layer_is(&t, name, SG_LAYER_UNAVAILABLE));
	NEED(layer(&t, name)->advice.n > 0);
	NEED(layer_is(&t, "seccomp", SG_LAYER_ACTIVE));
	NEED(layer_is(&t, "no new privileges", SG_LAYER_ACTIVE));
	return 0;
}

/* What must hold even where only the least is to be had. */
static int
bare_box_holds(void)
{
	struct run t;

	run_init(&t, "import os\n"
		     "bad = []\n"
		     "def held(f):\n"
		     "    try:\n"
		     "        bad.append(f())\n"
		     "    except OSError:\n"
		     "        pass\n"
		     "import socket\n"
		     "held(os.fork)\n"
		     "held(socket.socket)\n"
		     "held(lambda: os.kill(os.getppid(), 0))\n"
		     "held(lambda: open('/etc/shadow'))\n"
		     "held(lambda: os.listdir('/root'))\n"
		     "held(lambda: open('/var/tmp/x', 'w'))\n"
		     "held(lambda: os.setuid(0))\n"
		     "open('here', 'w').write('x')\n"
		     "print(bad)\n");
	t.spec.require = SG_REQUIRE_ANY;
	t.spec.collect = true;
	NEED_RUN(&t, SG_RUN_OK);
	NEED(out_is(&t, "[]\n"));
	NEED(t.r.nfiles == 1);
	if (layer_is(&t, "pid namespace", SG_LAYER_UNAVAILABLE)) {
		/* Nobody could end its children for certain. */
		run_init(&t, "import os\nos.fork()");
		t.spec.require = SG_REQUIRE_ANY;
		t.spec.limits.processes = 8;
		NEED_RUN(&t, SG_RUN_SYSCALL_DENIED);
	}
	run_init(&t, "while True: pass");
	t.spec.require = SG_REQUIRE_ANY;
	t.spec.limits.wall_ms = 300;
	NEED_RUN(&t, SG_RUN_TIMEOUT);
	return 0;
}

static int
no_namespaces_at_all(void)
{
	static const uint64_t flags[] = { CLONE_NEWUSER, CLONE_NEWNS,
					  CLONE_NEWPID };

	NEED(forbid("clone3", ENOSYS, -1, 0, 0) == 0);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		NEED(forbid("clone", EPERM, 0, flags[i], flags[i]) == 0);
	NEED(forbid("unshare", EPERM, -1, 0, 0) == 0);
	return degrades("mount namespace", true) || bare_box_holds();
}

static int
no_user_namespace_for_root(void)
{
	if (geteuid() != 0)
		return 0;
	NEED(forbid("clone", EPERM, 0, CLONE_NEWUSER, CLONE_NEWUSER) == 0);
	return degrades("user namespace", true);
}

static int
no_mounts(void)
{
	NEED(forbid("mount", EPERM, -1, 0, 0) == 0);
	return degrades("private root", true) || bare_box_holds();
}

static int
no_pivot_root(void)
{
	NEED(forbid("pivot_root", EPERM, -1, 0, 0) == 0);
	return degrades("private root", true);
}

static int
no_landlock(void)
{
	NEED(forbid("landlock_create_ruleset", ENOSYS, -1, 0, 0) == 0);
	return degrades("landlock", false);
}

static int
no_notification(void)
{
	struct run t;

	/* Its flag is bit 3 of the second argument. */
	NEED(forbid("seccomp", EBUSY, 1, 8, 8) == 0);
	NEED(degrades("seccomp notification", false) == 0);
	run_init(&t, "import os\nos.fork()");
	NEED_RUN(&t, SG_RUN_ERROR);
	NEED(sg_str_eq(t.r.error.name, SG_STR("PermissionError")));
	return 0;
}

static int
no_time_namespace(void)
{
	/* clone3() hidden: the time namespace cannot be asked for. */
	struct run t;

	NEED(forbid("clone3", ENOSYS, -1, 0, 0) == 0);
	run_init(&t, "print('ran')");
	NEED_RUN(&t, SG_RUN_OK);
	NEED(out_is(&t, "ran\n"));
	NEED(layer_is(&t, "pid namespace", SG_LAYER_ACTIVE));
	return 0;
}

static int
read_only_control_groups(void)
{
	char dir[SG_CGROUP_PATH];
	enum sg_cgroup_kind kind;
	struct run t;

	if (geteuid() != 0 || !sg_cgroup_own("memory", &kind, dir))
		return 0;
	NEED(unshare(CLONE_NEWNS) == 0);
	NEED(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
	NEED(mount("/sys/fs/cgroup", "/sys/fs/cgroup", NULL, MS_BIND | MS_REC,
		   NULL) == 0);
	NEED(mount(NULL, "/sys/fs/cgroup/memory", NULL,
		   MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) == 0);
	run_init(&t, "x = []\nwhile True: x.append(bytearray(1 << 20))");
	t.spec.limits.memory = 64u << 20;
	NEED_RUN(&t, SG_RUN_MEMORY_LIMIT);
	NEED(layer_is(&t, "memory limit", SG_LAYER_UNAVAILABLE));
	run_init(&t, "");
	t.spec.require = SG_REQUIRE_STRICT;
	NEED(run(&t) == SG_EBOX);
	return 0;
}

static int
no_control_groups(void)
{
	struct run t;

	if (geteuid() != 0)
		return 0;
	NEED(unshare(CLONE_NEWNS) == 0);
	NEED(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
	(void)umount2("/sys/fs/cgroup", MNT_DETACH);
	run_init(&t, "print('ran')");
	NEED_RUN(&t, SG_RUN_OK);
	NEED(layer_is(&t, "memory limit", SG_LAYER_UNAVAILABLE));
	NEED(layer(&t, "memory limit")->detail.n > 0);
	return 0;
}

static int
probing_says_what_running_finds(void)
{
	const struct sg_layer *layers;
	struct run t;
	uint32_t n;
	bool meets;

	run_init(&t, "");
	NEED(sg_box_probe(SG_REQUIRE_STANDARD, &t.arena, &layers, &n, &meets,
			  &t.err) == SG_OK);
	NEED(meets);
	NEED_RUN(&t, SG_RUN_OK);
	NEED(n == t.r.nlayers);
	for (uint32_t i = 0; i < n; i++)
		NEED(layers[i].state == t.r.layers[i].state);
	return 0;
}

/* --- all of them --------------------------------------------------------- */

#define TEST(name)          \
	{                   \
#name, name \
	}
static const struct {
	const char *name;
	int (*run)(void);
} tests[] = {
	TEST(unsafe_input_names_are_refused),
	TEST(limits_that_make_no_sense_are_refused),
	TEST(an_interpreter_that_is_none_is_said),
	TEST(input_files_are_there_and_come_out_only_when_changed),
	TEST(input_larger_than_a_pipe_need_not_be_read),
	TEST(arguments_and_name_are_the_programs),
	TEST(an_arena_that_is_too_small_is_an_error),
	TEST(the_last_expression_is_the_value),
	TEST(exit_statuses_are_exact),
	TEST(tracebacks_show_the_users_frames_only),
	TEST(a_missing_module_gets_the_nearest_one),
	TEST(the_guard_explains),
	TEST(figures_come_out_as_png),
	TEST(a_deadline_is_kept),
	TEST(a_caller_can_cancel),
	TEST(nothing_outlives_its_supervisor),
	TEST(a_neighbour_does_not_notice),
	TEST(nothing_is_left_for_the_next_run),
	TEST(hashes_and_random_numbers_differ_between_runs),
	TEST(the_callers_environment_stays_outside),
	TEST(a_caller_without_standard_descriptors_works),
	TEST(a_caller_that_ignores_its_children_works),
	TEST(running_out_of_descriptors_is_an_error),
	TEST(no_namespaces_at_all),
	TEST(no_user_namespace_for_root),
	TEST(no_mounts),
	TEST(no_pivot_root),
	TEST(no_landlock),
	TEST(no_notification),
	TEST(no_time_namespace),
	TEST(read_only_control_groups),
	TEST(no_control_groups),
	TEST(probing_says_what_running_finds),
};

/* In a process of its own: its status, 0 when all is well. */
static int
run_apart(int (*test)(void))
{
	pid_t pid;
	int st = -1;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		st = test();
		fflush(stdout);
		_exit(st);
	}
	if (pid < 0 || waitpid(pid, &st, 0) != pid)
		return -1;
	return st;
}

int
main(int argc, char **argv)
{
	const char *must = getenv("SG_BOX_MUST_WORK");
	unsigned ran = 0, failed = 0;

	if (run_apart(probing_says_what_running_finds) != 0 &&
	    !(must && *must == '1')) {
		printf("the box cannot be built on this host\n");
		return 0;
	}
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		int st;

		if (argc > 1 && !strstr(tests[i].name, argv[1]))
			continue;
		st = run_apart(tests[i].run);
		failed += st != 0;
		ran++;
		printf("%s %zu - %s\n", st == 0 ? "ok" : "not ok", i + 1,
		       tests[i].name);
	}
	printf("%u passed, %u failed (faults, as %s)\n", ran - failed, failed,
	       geteuid() == 0 ? "root" : "an ordinary user");
	return failed > 0;
}
