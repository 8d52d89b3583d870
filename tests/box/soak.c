/*
 * Many runs of many kinds, one after the other and side by side; then counts
 * what is left.
 *
 *	soak RUNS [THREADS]
 *
 * Prints its figures and TAP; fails when a process, a descriptor, a control
 * group, a mount, a file or memory has stayed behind, when a run ended
 * otherwise than it should, or when the last thousandth is slower than twice
 * the first.
 */

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "executor/box.h"
#include "executor/cgroup.h"

enum { ARENA = 64 << 20, THREADS = 16 };

static const struct kind {
	const char *code;
	enum sg_run_status status;
	uint32_t wall_ms;
	uint64_t memory;
} kinds[] = {
	{ "print(1)", SG_RUN_OK, 20000, 0 },
	{ "1/0", SG_RUN_ERROR, 20000, 0 },
	{ "open('a', 'w').write('x' * 10000)", SG_RUN_OK, 20000, 0 },
	{ "import ctypes; ctypes.string_at(0)", SG_RUN_SIGNALED, 20000, 0 },
	{ "while True: pass", SG_RUN_TIMEOUT, 50, 0 },
	{ "import os\nb = b'x' * 65536\nwhile True: os.write(1, b)",
	  SG_RUN_OUTPUT_LIMIT, 20000, 0 },
	{ "x = []\nwhile True: x.append(bytearray(1 << 20))",
	  SG_RUN_MEMORY_LIMIT, 20000, 48 << 20 },
	{ "import os\nos.fork()", SG_RUN_SYSCALL_DENIED, 20000, 0 },
	{ "import os; os.write(3, b'\\xff' * 100); print(2)", SG_RUN_OK, 20000,
	  0 },
	{ "import threading\n"
	  "t = [threading.Thread(target=sum, args=([1],)) for _ in range(8)]\n"
	  "[x.start() for x in t]\n[x.join() for x in t]",
	  SG_RUN_OK, 20000, 0 },
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

struct state {
	atomic_uint next, wrong;
	unsigned runs;
	_Atomic uint64_t first_us, last_us;
	unsigned edge; /* runs at either end that are timed */
};

static bool
one(const struct kind *k)
{
	struct sg_box_spec spec;
	struct sg_arena arena;
	struct sg_result r;
	struct sg_err err;
	bool good;

	sg_box_spec_init(&spec);
	spec.code = sg_str_c(k->code);
	spec.collect = true;
	spec.limits.wall_ms = k->wall_ms;
	spec.limits.output_total = 1 << 20;
	if (k->memory)
		spec.limits.memory = k->memory;
	sg_arena_init(&arena, ARENA);
	sg_err_clear(&err);
	if (sg_box_run(&spec, &arena, &r, &err) < 0) {
		printf("# %s\n", err.msg);
		good = false;
	} else {
		good = r.status == k->status;
		if (!good)
			printf("# %s: %s\n", k->code,
			       sg_run_status_name(r.status));
	}
	sg_arena_release(&arena);
	return good;
}

static void *
work(void *arg)
{
	struct state *s = arg;
	unsigned i;

	while ((i = atomic_fetch_add(&s->next, 1)) < s->runs) {
		uint64_t begun = sg_clock_mono(), us;

		if (!one(&kinds[i % KINDS]))
			atomic_fetch_add(&s->wrong, 1);
		us = (sg_clock_mono() - begun) / 1000;
		if (i < s->edge)
			atomic_fetch_add(&s->first_us, us);
		else if (i >= s->runs - s->edge)
			atomic_fetch_add(&s->last_us, us);
	}
	return NULL;
}

/* --- what is there ------------------------------------------------------- */

struct counts {
	long fds, mounts, groups, files, resident_kb;
};

static long
count_entries(const char *path, const char *prefix)
{
	struct dirent *e;
	DIR *d = opendir(path);
	long n = 0;

	while (d && (e = readdir(d)) != NULL)
		n += strncmp(e->d_name, prefix, strlen(prefix)) == 0;
	if (d)
		(void)closedir(d);
	return n;
}

static long
count_lines(const char *path)
{
	FILE *f = fopen(path, "re");
	long n = 0;
	int c;

	while (f && (c = fgetc(f)) != EOF)
		n += c == '\n';
	if (f)
		(void)fclose(f);
	return n;
}

static long
resident(void)
{
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f && fscanf(f, "%*d %ld", &pages) != 1)
		pages = 0;
	if (f)
		(void)fclose(f);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static struct counts
count(void)
{
	struct counts c = { 0, 0, 0, 0, 0 };
	char dir[SG_CGROUP_PATH], prefix[64];
	enum sg_cgroup_kind kind;

	(void)snprintf(prefix, sizeof(prefix), "sandgate.%ld.", (long)getpid());
	c.fds = count_entries("/proc/self/fd", "");
	c.mounts = count_lines("/proc/self/mountinfo");
	if (sg_cgroup_own("memory", &kind, dir))
		c.groups = count_entries(dir, prefix);
	c.files = count_entries("/tmp", "sandgate-box-");
	c.resident_kb = resident();
	return c;
}

static int number;

static unsigned
say(bool good, const char *what, long before, long after)
{
	printf("%s %d - %s: %ld before, %ld after\n", good ? "ok" : "not ok",
	       ++number, what, before, after);
	return !good;
}

static unsigned
compare(const struct state *s, const struct counts *a, const struct counts *b)
{
	uint64_t edge = s->edge ? s->edge : 1;
	long first = (long)(s->first_us / edge);
	long last = (long)(s->last_us / edge);
	unsigned bad = 0;
	int st;

	bad += say(s->wrong == 0, "runs that ended otherwise", 0,
		   (long)s->wrong);
	bad += say(waitpid(-1, &st, WNOHANG | __WALL) < 0 && errno == ECHILD,
		   "children", 0, 0);
	bad += say(a->fds == b->fds, "descriptors", a->fds, b->fds);
	bad += say(a->mounts == b->mounts, "mounts", a->mounts, b->mounts);
	bad += say(b->groups == 0, "control groups", a->groups, b->groups);
	bad += say(a->files == b->files, "files in /tmp", a->files, b->files);
	bad += say(b->resident_kb < a->resident_kb + 8192, "KiB resident",
		   a->resident_kb, b->resident_kb);
	bad += say(last < 2 * first + 20000, "microseconds a run, ends", first,
		   last);
	return bad;
}

int
main(int argc, char **argv)
{
	struct state s = {
		.runs = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 200
	};
	unsigned n = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 2;
	struct counts before, after;
	pthread_t t[THREADS];
	uint64_t begun;
	unsigned bad;

	if (n > THREADS || n == 0)
		return 2;
	s.edge = s.runs > 100 ? 50 : 0;
	/* Once each, so that what is made only once is there. */
	for (size_t i = 0; i < KINDS; i++)
		if (!one(&kinds[i]))
			s.wrong++;
	before = count();
	begun = sg_clock_mono();
	for (unsigned i = 0; i < n; i++)
		if (pthread_create(&t[i], NULL, work, &s) != 0)
			return 2;
	for (unsigned i = 0; i < n; i++)
		(void)pthread_join(t[i], NULL);
	after = count();
	bad = compare(&s, &before, &after);
	printf("# %u runs by %u threads, %.1f a second\n", s.runs, n,
	       s.runs / ((double)(sg_clock_mono() - begun) / 1e9));
	printf("%d passed, %u failed (what is left)\n", number - (int)bad, bad);
	return bad > 0;
}
