/*
 * What the box says to requests that make no sense, and to callers in an odd
 * state.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
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
	return 0;
}

static bool
err_has(const struct run *t, const char *what)
{
	return strstr(t->err.msg, what) != NULL;
}

/* Empties a folder of files and removes it. */
static void
remove_folder(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d)) != NULL)
		(void)unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		(void)closedir(d);
	(void)rmdir(dir);
}

/* This program is its own interpreter: its version is its name. */
static int
pretend(char **argv)
{
	const char *name = strrchr((const char *)getauxval(AT_EXECFN), '/');

	if (strcmp(argv[1], "-V") != 0)
		return 3;
	return puts(name + 1) < 0;
}

static int
an_interpreter_of_another_kind_is_named(void)
{
	static const struct {
		const char *name, *message;
		int status;
	} rows[] = {
		{ "Python 3.8.18", "CPython 3.9 to 3.14 is needed; '",
		  SG_ENOENT },
		{ "Python 3.8.18", "' is 3.8.18", SG_ENOENT },
		{ "Python 2.7.18", "' is 2.7.18", SG_ENOENT },
		{ "Python 3.15.0", "' is 3.15.0", SG_ENOENT },
		{ "Python 3.10.1 [PyPy 7", "' is something else", SG_ENOENT },
		{ "no version", "' is something else", SG_ENOENT },
		/* It may be one, but is broken. */
		{ "Python 3.9.0", "the interpreter", SG_EBOX },
		{ "Python 3.14.9", "the interpreter", SG_EBOX },
	};
	char dir[] = "/tmp/sg-python.XXXXXX", path[128], cache[64];
	char own[PATH_MAX];
	struct run t;

	NEED(realpath("/proc/self/exe", own));
	NEED(mkdtemp(dir) && chmod(dir, 0755) == 0);
	NEED(setenv("XDG_CACHE_HOME", dir, 1) == 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", dir, rows[i].name);
		NEED(symlink(own, path) == 0);
		run_init(&t, "");
		t.spec.python = path;
		NEED(run(&t) == rows[i].status);
		if (!err_has(&t, rows[i].message))
			printf("# %s\n", t.err.msg);
		NEED(err_has(&t, rows[i].message));
		NEED(unlink(path) == 0);
	}
	run_init(&t, "");
	t.spec.python = "/usr/bin/true";
	NEED(run(&t) == SG_ENOENT && err_has(&t, "is something else"));
	(void)snprintf(cache, sizeof(cache), "%s/sandgate", dir);
	remove_folder(cache);
	remove_folder(dir);
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
	TEST(an_interpreter_of_another_kind_is_named),
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
	if (argc > 1 && argv[1][0] == '-')
		return pretend(argv);
	return box_tests(tests, "requests", argc, argv);
}
