/*
 * What the box costs, against the same without it, in one run.
 */

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "executor/box.h"
#include "executor/filterset.h"

enum { ARENA = 256 << 20, ROUNDS = 30, CALLS = 2000000, FEW = 10 };

static int
by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static double
median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), by_value);
	return v[n / 2];
}

static double
ms_since(uint64_t begun)
{
	return (double)(sg_clock_mono() - begun) / 1e6;
}

static double
spawn_true(void)
{
	char name[] = "true";
	char *argv[] = { name, NULL }, *envp[] = { NULL };
	uint64_t begun = sg_clock_mono();
	pid_t pid;
	int st;

	if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, envp) != 0 ||
	    waitpid(pid, &st, 0) < 0)
		exit(1);
	return ms_since(begun);
}

/* The whole box, set up and torn down, with nothing executed in it. */
static double
probe(void)
{
	uint64_t begun = sg_clock_mono();
	const struct sg_layer *layers;
	struct sg_arena arena;
	uint32_t n;
	bool meets;

	sg_arena_init(&arena, ARENA);
	if (sg_box_probe(SG_REQUIRE_STANDARD, &arena, &layers, &n, &meets,
			 NULL) < 0)
		exit(1);
	sg_arena_release(&arena);
	return ms_since(begun);
}

static void
bench_setup(void)
{
	double bare[ROUNDS], box[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		bare[i] = spawn_true();
		box[i] = probe();
	}
	printf("box set up and torn down       %8.2f ms, fork and exec "
	       "%.2f ms, %+.2f ms\n",
	       median(box, ROUNDS), median(bare, ROUNDS),
	       median(box, ROUNDS) - median(bare, ROUNDS));
}

/* Nanoseconds for one getppid(). */
static double
call_cost(void)
{
	uint64_t begun = sg_clock_mono();

	for (int i = 0; i < CALLS; i++)
		(void)syscall(SYS_getppid);
	return (double)(sg_clock_mono() - begun) / CALLS;
}

static int
add_filter(enum sg_filter_stage stage)
{
	struct sg_filter_opts o = { stage, SG_ARCH_NATIVE, false, false, true };
	struct sock_fprog prog;
	struct sg_str s;

	if (!sg_filter_builtin(&o, &s))
		return -1;
	prog.len = (unsigned short)(s.n / sizeof(struct sock_filter));
	prog.filter = (struct sock_filter *)(uintptr_t)s.p;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog);
}

static void
bench_filter(void)
{
	double bare, filtered;
	int fds[2], st;

	fflush(stdout);
	if (pipe(fds) < 0)
		exit(1);
	if (fork() == 0) {
		bare = call_cost();
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		    add_filter(SG_FILTER_FIRST) < 0 ||
		    add_filter(SG_FILTER_FINAL) < 0)
			_exit(1);
		filtered = call_cost();
		dprintf(fds[1],
			"filters, a permitted call      %8.0f ns, without "
			"%.0f ns, %.2f times\n",
			filtered, bare, filtered / bare);
		_exit(0);
	}
	(void)wait(&st);
	if (st == 0) {
		char text[256];
		ssize_t n = read(fds[0], text, sizeof(text));

		if (n > 0)
			printf("%.*s", (int)n, text);
	}
	(void)close(fds[0]);
	(void)close(fds[1]);
}

static void
run_code(const char *code, struct sg_box_spec *spec, struct sg_arena *arena,
	 struct sg_result *r)
{
	struct sg_err err;

	sg_err_clear(&err);
	spec->code = sg_str_c(code);
	sg_arena_init(arena, ARENA);
	if (sg_box_run(spec, arena, r, &err) < 0) {
		printf("%s\n", err.msg);
		exit(1);
	}
}

static void
bench_denial(void)
{
	struct sg_box_spec spec;
	struct sg_arena arena;
	struct sg_result r;

	sg_box_spec_init(&spec);
	run_code("import os, time\n"
		 "def cost(f):\n"
		 "    t = time.perf_counter()\n"
		 "    for _ in range(1000):\n"
		 "        try: f()\n"
		 "        except OSError: pass\n"
		 "    return (time.perf_counter() - t) * 1000\n"
		 "a = cost(lambda: os.setuid(0))\n"
		 "b = cost(lambda: os.stat('/nonexistent'))\n"
		 "print('a refused and recorded call    %8.1f us, one that "
		 "fails %.1f us' % (a, b))\n",
		 &spec, &arena, &r);
	printf("%.*s", SG_STR_ARG(r.out.text));
	sg_arena_release(&arena);
}

/* --- the end of many ------------------------------------------------------ */

/* Milliseconds from the deadline until everything is dead and reaped. */
static double
beyond_deadline(const char *code, uint32_t wall_ms, uint32_t processes)
{
	struct sg_box_spec spec;
	struct sg_arena arena;
	struct sg_result r;
	double over;

	sg_box_spec_init(&spec);
	spec.limits.wall_ms = wall_ms;
	spec.limits.processes = processes;
	run_code(code, &spec, &arena, &r);
	if (r.status != SG_RUN_TIMEOUT ||
	    !sg_str_eq(r.out.text, SG_STR("up"))) {
		printf("the deadline came too early or not at all\n");
		exit(1);
	}
	over = (double)r.usage.wall_us / 1000 - wall_ms;
	sg_arena_release(&arena);
	return over;
}

/* The same program without a box, in a process group of its own. */
static pid_t
spawn_group(const char *code, int *ret_out)
{
	char name[] = "python3", isolated[] = "-I", command[] = "-c";
	char *argv[] = { name, isolated, command, (char *)(uintptr_t)code,
			 NULL };
	char *envp[] = { NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int fds[2], rc;
	pid_t pid;

	if (pipe(fds) < 0)
		exit(1);
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
	(void)posix_spawn_file_actions_addclose(&actions, fds[0]);
	(void)posix_spawn_file_actions_addclose(&actions, fds[1]);
	(void)posix_spawnattr_init(&attr);
	(void)posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
	rc = posix_spawn(&pid, "/usr/bin/python3", &actions, &attr, argv, envp);
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)posix_spawnattr_destroy(&attr);
	(void)close(fds[1]);
	if (rc != 0)
		exit(1);
	*ret_out = fds[0];
	return pid;
}

/* Milliseconds from one signal to all of them until all are reaped. */
static double
beyond_signal(const char *code)
{
	char up[2];
	uint64_t begun;
	pid_t group;
	int out;

	/* What is left of the group comes to us. */
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		exit(1);
	group = spawn_group(code, &out);
	for (size_t n = 0; n < sizeof(up);) {
		ssize_t got = read(out, up + n, sizeof(up) - n);

		if (got <= 0)
			exit(1);
		n += (size_t)got;
	}
	begun = sg_clock_mono();
	(void)kill(-group, SIGKILL);
	while (waitpid(-group, NULL, 0) > 0)
		;
	(void)close(out);
	return ms_since(begun);
}

static void
bench_end(const char *what, const char *code, uint32_t wall_ms,
	  uint32_t processes)
{
	double box[FEW], plain[FEW], a, b;

	for (int i = 0; i < FEW; i++) {
		box[i] = beyond_deadline(code, wall_ms, processes);
		plain[i] = beyond_signal(code);
	}
	a = median(box, FEW);
	b = median(plain, FEW);
	printf("%-30s %8.2f ms beyond the deadline, %.2f ms beyond a signal "
	       "to as many without a box, %.2f times\n",
	       what, a, b, a / b);
}

int
main(void)
{
	bench_setup();
	bench_filter();
	bench_denial();
	bench_end("an endless loop",
		  "import os\n"
		  "os.write(1, b'up')\n"
		  "while True: pass\n",
		  200, 0);
	bench_end("100 forks of an interpreter",
		  "import os, time\n"
		  "for _ in range(100):\n"
		  "    if os.fork() == 0:\n"
		  "        time.sleep(1000)\n"
		  "os.write(1, b'up')\n"
		  "time.sleep(1000)\n",
		  1500, 120);
	bench_end("100 small programs",
		  "import os, time\n"
		  "for _ in range(100):\n"
		  "    os.posix_spawn('/bin/sleep', ['sleep', '1000'], {})\n"
		  "os.write(1, b'up')\n"
		  "time.sleep(1000)\n",
		  1500, 120);
	return 0;
}
