/*
 * Zygotes come and go: whatever happens to one, no run is lost; and where
 * one cannot serve, the runs are cold ones.
 */

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "executor/sample.h"
#include "tests/box/lib/pool.h"

enum { TEXT = 4096 };

static bool
feed_shell(const char *command, const char *text)
{
	int fds[2], st = -1;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return false;
	pid = fork();
	if (pid == 0) {
		(void)dup2(fds[0], 0);
		(void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	(void)close(fds[0]);
	if (write(fds[1], text, strlen(text)) < 0)
		st = -1;
	(void)close(fds[1]);
	return pid > 0 && waitpid(pid, &st, 0) == pid && st == 0;
}

/* --- zygotes come and go ------------------------------------------------- */

/* The first child of `pid` whose name begins so; 0: there is none. */
static pid_t
child_named(pid_t pid, const char *name)
{
	char path[512], comm[64];
	pid_t found = 0;
	struct dirent *e;
	int child;
	FILE *f, *g;
	DIR *d;

	(void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	d = opendir(path);
	while (d && !found && (e = readdir(d)) != NULL) {
		(void)snprintf(path, sizeof(path), "/proc/%d/task/%s/children",
			       (int)pid, e->d_name);
		f = fopen(path, "re");
		while (f && !found && fscanf(f, "%d", &child) == 1) {
			(void)snprintf(path, sizeof(path), "/proc/%d/comm",
				       child);
			g = fopen(path, "re");
			if (g && fgets(comm, sizeof(comm), g) &&
			    strncmp(comm, name, strlen(name)) == 0)
				found = child;
			if (g)
				(void)fclose(g);
		}
		if (f)
			(void)fclose(f);
	}
	if (d)
		(void)closedir(d);
	return found;
}

/* The interpreter that stands; 0: none does. */
static pid_t
find_zygote(void)
{
	pid_t box = child_named(getpid(), "sg-zygote");

	return box ? child_named(box, "python") : 0;
}

static int
a_zygote_that_dies_is_replaced(void)
{
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);
	struct run t;
	pid_t pid;

	NEED(warm);
	run_in(&t, warm, "print(1)");
	NEED_RUN(&t, SG_RUN_OK);
	NEED(t.r.warm.n);
	pid = find_zygote();
	NEED(pid > 0);
	NEED(kill(pid, SIGKILL) == 0);
	run_in(&t, warm, "print(2)");
	NEED_RUN(&t, SG_RUN_OK);
	NEED(out_is(&t, "2\n"));
	NEED(warm_stands(warm));
	for (int i = 0; i < 100 && find_zygote() == pid; i++)
		nap_ms(20);
	NEED(warm_stands(warm));
	run_in(&t, warm, "print(3)");
	NEED_RUN(&t, SG_RUN_OK);
	NEED(t.r.warm.n);
	NEED(stats_of(warm).failed >= 1 && stats_of(warm).started == 2);
	sg_warm_free(warm);
	return 0;
}

struct load {
	struct sg_warm *warm;
	atomic_uint next, done, forked;
	unsigned runs;
	_Atomic bool bad;
};

static void *
keep_running(void *arg)
{
	struct load *l = arg;
	char want[32];
	struct run t;
	unsigned i;

	while ((i = atomic_fetch_add(&l->next, 1)) < l->runs) {
		(void)snprintf(want, sizeof(want), "%u\n", i);
		run_in(&t, l->warm,
		       "import sys, time\ntime.sleep(0.01)\n"
		       "print(int(sys.stdin.read()))");
		t.spec.has_input = true;
		t.spec.input = sg_str_c(want);
		if (run(&t) != SG_OK || t.r.status != SG_RUN_OK ||
		    !out_is(&t, want)) {
			printf("# run %u: %s, %s %.*s\n", i, t.err.msg,
			       sg_run_status_name(t.r.status),
			       SG_STR_ARG(t.r.err.text));
			l->bad = true;
		}
		atomic_fetch_add(&l->forked, t.r.warm.n > 0);
		atomic_fetch_add(&l->done, 1);
		sg_arena_release(&t.arena);
	}
	return NULL;
}

/* Runs by three threads while `disturb` goes on; the runs that were warm. */
static int
run_under(struct load *l, void (*disturb)(unsigned round))
{
	pthread_t t[3];

	for (size_t i = 0; i < 3; i++)
		if (pthread_create(&t[i], NULL, keep_running, l) != 0)
			return -1;
	for (unsigned i = 0; atomic_load(&l->done) < l->runs; i++)
		disturb(i);
	for (size_t i = 0; i < 3; i++)
		(void)pthread_join(t[i], NULL);
	return (int)atomic_load(&l->forked);
}

static void
kill_zygote(unsigned round)
{
	pid_t pid = find_zygote();

	nap_ms((long)(round * 37 % 90));
	/* It may have gone meanwhile; nothing else is called so here. */
	if (pid > 0 && pid == find_zygote())
		(void)kill(pid, SIGKILL);
}

static int
no_run_is_lost_when_zygotes_die_at_any_moment(void)
{
	struct load l = { .warm = pool_of(&plain_set, 0, 0), .runs = 150 };

	NEED(l.warm);
	NEED(run_under(&l, kill_zygote) >= 0);
	NEED(!l.bad && l.done == l.runs);
	NEED(stats_of(l.warm).failed >= 1);
	sg_warm_free(l.warm);
	return 0;
}

static void
kill_boxes(unsigned round)
{
	pid_t box = child_named(getpid(), "sg-zygote");
	pid_t zygote = box ? child_named(box, "python") : 0;
	pid_t spare = zygote ? child_named(zygote, "sg-warden") : 0;

	(void)round;
	nap_ms(10);
	/* Nothing runs: it waits for its order. */
	if (spare > 0 && zygote == find_zygote())
		(void)kill(spare, SIGKILL);
}

static int
no_run_is_lost_when_boxes_that_wait_die(void)
{
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);
	struct run t;

	NEED(warm);
	for (int i = 0; i < 30; i++) {
		kill_boxes(0);
		run_in(&t, warm, "print(1)");
		NEED_RUN(&t, SG_RUN_OK);
		NEED(out_is(&t, "1\n"));
		sg_arena_release(&t.arena);
	}
	sg_warm_free(warm);
	return 0;
}

static void
wait_only(unsigned round)
{
	(void)round;
	nap_ms(5);
}

static int
a_zygote_is_replaced_after_its_runs(void)
{
	struct load l = { .warm = pool_of(&plain_set, 10, 0), .runs = 100 };

	NEED(l.warm);
	NEED(run_under(&l, wait_only) > 0);
	NEED(!l.bad && l.done == l.runs);
	for (int i = 0; i < 200 && stats_of(l.warm).started < 2; i++)
		nap_ms(20);
	NEED(stats_of(l.warm).started >= 2 && stats_of(l.warm).failed == 0);
	sg_warm_free(l.warm);
	return 0;
}

static int
a_zygote_is_replaced_after_its_time(void)
{
	struct sg_warm *warm = pool_of(&plain_set, 0, 200);

	NEED(warm);
	for (int i = 0; i < 500 && stats_of(warm).started < 3; i++)
		nap_ms(20);
	NEED(stats_of(warm).started >= 3 && stats_of(warm).failed == 0);
	sg_warm_free(warm);
	return 0;
}

static int
the_end_of_a_pool_leaves_nothing(void)
{
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);
	struct sg_sample s;
	struct run t;

	NEED(warm);
	run_in(&t, warm, "print(1)");
	NEED_RUN(&t, SG_RUN_OK);
	NEED(sg_sample_tree(getpid(), &s) && s.processes >= 2);
	sg_warm_free(warm);
	NEED(sg_sample_tree(getpid(), &s) && s.processes == 0);
	return 0;
}

/* --- where a zygote cannot serve ----------------------------------------- */

static int
a_set_that_is_not_installed_is_left_out(void)
{
	static const struct sg_warm_set set = { "none", "json no_such_thing" };
	struct sg_warm_stats st;
	struct sg_warm_opts opts;
	struct sg_warm *warm;
	struct run t;

	sg_warm_opts_init(&opts);
	opts.sets = &set;
	opts.nsets = 1;
	opts.eager = true;
	NEED(sg_warm_open(&opts, &warm, NULL) == SG_OK);
	for (int i = 0; i < 500 && sg_warm_stats(warm, &st, 1); i++)
		nap_ms(20);
	NEED(sg_warm_stats(warm, &st, 1) == 0);
	run_in(&t, warm, "print(1)");
	NEED_RUN(&t, SG_RUN_OK);
	NEED(t.r.warm.n == 0 && out_is(&t, "1\n"));
	sg_warm_free(warm);
	return 0;
}

/* A virtual environment in `dir` with `code` as module `own` in it. */
static bool
make_venv(const char *dir, const char *code)
{
	char command[1024];

	(void)snprintf(command, sizeof(command),
		       "/usr/bin/python3 -m venv --without-pip %s && "
		       "cat >$(echo %s/lib/python3*/site-packages)/own.py && "
		       "chmod -R a+rX %s",
		       dir, dir, dir);
	return feed_shell(command, code);
}

static int
in_a_venv(const char *place, const char *code, bool serves)
{
	static const struct sg_warm_set set = { "own", "own" };
	char dir[64], python[96];
	struct sg_warm_opts opts;
	struct sg_warm_stats st;
	struct sg_warm *warm;
	struct run t;

	(void)snprintf(dir, sizeof(dir), "%s/sg-warm-XXXXXX", place);
	NEED(mkdtemp(dir) && make_venv(dir, code));
	(void)snprintf(python, sizeof(python), "%s/bin/python3", dir);
	sg_warm_opts_init(&opts);
	opts.python = python;
	opts.sets = &set;
	opts.nsets = 1;
	opts.eager = true;
	NEED(sg_warm_open(&opts, &warm, NULL) == SG_OK);
	for (int i = 0; i < 1000; i++) {
		NEED(sg_warm_stats(warm, &st, 1) == 1);
		if (st.started || st.failed)
			break;
		nap_ms(20);
	}
	NEED(st.alive == serves && (st.failed == 0) == serves);
	run_in(&t, warm, "import own\nprint(own.__name__)");
	t.spec.python = python;
	NEED_RUN(&t, SG_RUN_OK);
	NEED(out_is(&t, "own\n"));
	NEED((t.r.warm.n > 0) == serves);
	sg_warm_free(warm);
	(void)snprintf(python, sizeof(python), "rm -rf %s", dir);
	NEED(feed_shell(python, ""));
	return 0;
}

static int
a_module_that_starts_a_thread_makes_no_zygote(void)
{
	return in_a_venv("/var/tmp",
			 "import threading, time\n"
			 "threading.Thread(target=time.sleep, args=(99,),\n"
			 "                 daemon=True).start()\n",
			 false);
}

static int
a_module_that_keeps_a_file_open_makes_no_zygote(void)
{
	return in_a_venv("/var/tmp", "f = open('/etc/passwd')\n", false);
}

static int
a_module_that_ends_its_interpreter_makes_no_zygote(void)
{
	return in_a_venv("/var/tmp",
			 "import os\n"
			 "if not os.path.exists('/mnt/data/script.py') and \\\n"
			 "        os.environ['OMP_NUM_THREADS'] == '1' and \\\n"
			 "        len(os.sched_getaffinity(0)) > 1:\n"
			 "    os._exit(7)\n",
			 sysconf(_SC_NPROCESSORS_ONLN) < 2);
}

static int
a_virtual_environment_may_have_zygotes(void)
{
	return in_a_venv("/var/tmp", "x = 1\n", true);
}

static int
one_that_the_workspace_covers_may_not(void)
{
	return in_a_venv("/tmp", "x = 1\n", false);
}

static int
another_interpreter_gets_a_cold_run(void)
{
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);
	struct run t;

	NEED(warm);
	run_in(&t, warm, "print(1)");
	t.spec.python = "/usr/bin/python3.11";
	if (access(t.spec.python, X_OK) != 0)
		return 0;
	NEED_RUN(&t, SG_RUN_OK);
	NEED(t.r.warm.n == 0);
	sg_warm_free(warm);
	return 0;
}

/* Where processes cannot be counted: as an ordinary user. */
static int
a_run_that_can_have_no_box_costs_no_zygote(void)
{
	struct sg_warm *warm = pool_of(&plain_set, 0, 0);
	struct run t;

	NEED(warm);
	for (int i = 0; i < 3; i++) {
		run_in(&t, warm, "print(1)");
		t.spec.limits.processes = 1;
		NEED_RUN(&t, SG_RUN_OK);
		sg_arena_release(&t.arena);
		run_in(&t, warm, "print(2)");
		NEED_RUN(&t, SG_RUN_OK);
		NEED(t.r.warm.n);
		sg_arena_release(&t.arena);
	}
	NEED(stats_of(warm).alive && stats_of(warm).failed == 0);
	sg_warm_free(warm);
	return 0;
}

static int
a_set_is_started_when_it_is_wanted(void)
{
	static const struct sg_warm_set sets[] = { { "small", "json" },
						   { "large", "json csv" } };
	struct sg_str want = SG_STR("csv.reader");
	struct sg_warm_stats st[2];
	struct sg_warm_opts opts;
	struct sg_warm *warm;
	struct run t;

	sg_warm_opts_init(&opts);
	opts.sets = sets;
	opts.nsets = 2;
	NEED(sg_warm_open(&opts, &warm, NULL) == SG_OK);
	NEED(sg_warm_stats(warm, st, 2) == 2 && !st[0].alive && !st[1].alive);
	for (int i = 0; i < 300; i++) {
		run_in(&t, warm, "print(1)");
		t.spec.imports = &want;
		t.spec.nimports = 1;
		NEED_RUN(&t, SG_RUN_OK);
		if (t.r.warm.n)
			break;
		nap_ms(20);
	}
	NEED(sg_str_eq(t.r.warm, SG_STR("large")));
	NEED(sg_warm_stats(warm, st, 2) == 2 && !st[0].started);
	NEED(st[1].alive && st[1].runs == 1 && st[1].memory > 0);
	sg_warm_free(warm);
	return 0;
}

static const struct box_test tests[] = {
	TEST(a_zygote_that_dies_is_replaced),
	TEST(no_run_is_lost_when_zygotes_die_at_any_moment),
	TEST(no_run_is_lost_when_boxes_that_wait_die),
	TEST(a_zygote_is_replaced_after_its_runs),
	TEST(a_zygote_is_replaced_after_its_time),
	TEST(the_end_of_a_pool_leaves_nothing),
	TEST(a_set_that_is_not_installed_is_left_out),
	TEST(a_module_that_starts_a_thread_makes_no_zygote),
	TEST(a_module_that_keeps_a_file_open_makes_no_zygote),
	TEST(a_module_that_ends_its_interpreter_makes_no_zygote),
	TEST(a_virtual_environment_may_have_zygotes),
	TEST(one_that_the_workspace_covers_may_not),
	TEST(another_interpreter_gets_a_cold_run),
	TEST(a_run_that_can_have_no_box_costs_no_zygote),
	TEST(a_set_is_started_when_it_is_wanted),
	{ 0 },
};

int
main(int argc, char **argv)
{
	return box_tests(tests, "zygotes", argc, argv);
}
