/*
 * What the box costs, against the same without it, in one run.
 */

#include <linux/filter.h>
#include <linux/seccomp.h>
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

/* Milliseconds from the deadline until everything is dead and reaped. */
static void
bench_deadline(const char *what, const char *code, uint32_t processes)
{
	struct sg_box_spec spec;
	struct sg_arena arena;
	struct sg_result r;
	double over[FEW];

	for (int i = 0; i < FEW; i++) {
		sg_box_spec_init(&spec);
		spec.limits.wall_ms = processes ? 1500 : 200;
		spec.limits.processes = processes;
		run_code(code, &spec, &arena, &r);
		over[i] = (double)r.usage.wall_us / 1000 - spec.limits.wall_ms;
		sg_arena_release(&arena);
	}
	printf("%-30s %8.2f ms beyond the deadline\n", what, median(over, FEW));
}

int
main(void)
{
	bench_setup();
	bench_filter();
	bench_denial();
	bench_deadline("an endless loop", "while True: pass", 0);
	bench_deadline("100 processes",
		       "import os, time\n"
		       "for _ in range(100):\n"
		       "    if os.fork() == 0:\n"
		       "        time.sleep(1000)\n"
		       "time.sleep(1000)\n",
		       120);
	return 0;
}
