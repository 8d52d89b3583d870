/*
 * Many runs of many kinds, one after the other and side by side; then counts
 * what is left.
 *
 *	soak [--warm] RUNS [THREADS]
 *
 * Goes in ten rounds.  After each, when nothing runs, prints a row of figures.
 * Prints TAP; fails when a process, a descriptor, a control group, a mount, a
 * file or memory has stayed behind, when a run ended otherwise than it
 * should, or when the last round is slower than twice the first.
 *
 * `--warm`: in forks of a zygote that is replaced every thousand runs.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "executor/box.h"
#include "executor/cgroup.h"
#include "executor/sample.h"
#include "tests/box/warmly.h"

enum { ARENA = 64 << 20, THREADS = 16, ROUNDS = 10, INPUT = 1 << 20 };
/*
 * What the allocator may keep back: of one half, of all.  The largest output
 * of a kind is a megabyte, which grows by doubling in the heap of whichever
 * thread has it: a short soak may meet that in its second half only.
 */
enum { HALF = ROUNDS / 2, SPARE_KB = 4096, HEAPS_KB = 16384 };

static const struct kind {
	const char *name, *code;
	enum sg_run_status status;
	uint32_t wall_ms, cpu_ms, processes;
	uint64_t memory;
	bool input, cancel, guard;
} kinds[] = {
	{ .name = "pass", .code = "print(1)" },
	{ .name = "error", .code = "1/0", .status = SG_RUN_ERROR },
	{ .name = "exit",
	  .code = "import os; os._exit(3)",
	  .status = SG_RUN_ERROR },
	{ .name = "value", .code = "x = list(range(1000))\nx" },
	{ .name = "files",
	  .code = "import os\nos.makedirs('d/e')\n"
		  "for i in range(50):\n"
		  "    open('d/e/%d' % i, 'w').write('x' * 10000)\n"
		  "os.symlink('/etc/passwd', 'd/link')" },
	{ .name = "shared memory",
	  .code = "open('/dev/shm/a', 'w').write('x' * 100000)\n"
		  "open('/tmp/b', 'w').write('x' * 100000)" },
	{ .name = "disk full",
	  .code = "f = open('a', 'wb')\n"
		  "while True: f.write(b'x' * 65536)",
	  .status = SG_RUN_DISK_LIMIT },
	{ .name = "crash",
	  .code = "import ctypes; ctypes.string_at(0)",
	  .status = SG_RUN_SIGNALED },
	{ .name = "abort",
	  .code = "import os; os.abort()",
	  .status = SG_RUN_SIGNALED },
	{ .name = "time-out",
	  .code = "import time\ntime.sleep(60)",
	  .status = SG_RUN_TIMEOUT,
	  .wall_ms = 50 },
	{ .name = "busy time-out",
	  .code = "while True: pass",
	  .status = SG_RUN_TIMEOUT,
	  .wall_ms = 50 },
	{ .name = "processor time",
	  .code = "while True: pass",
	  .status = SG_RUN_CPU_LIMIT,
	  .cpu_ms = 50 },
	{ .name = "cancelled",
	  .code = "while True: pass",
	  .status = SG_RUN_CANCELLED,
	  .cancel = true },
	{ .name = "flood",
	  .code = "import os\nb = b'x' * 65536\nwhile True: os.write(1, b)",
	  .status = SG_RUN_OUTPUT_LIMIT },
	{ .name = "memory",
	  .code = "x = []\nwhile True: x.append(bytearray(1 << 20))",
	  .status = SG_RUN_MEMORY_LIMIT,
	  .memory = 48 << 20 },
	{ .name = "fork refused",
	  .code = "import os\nos.fork()",
	  .status = SG_RUN_SYSCALL_DENIED },
	{ .name = "socket refused",
	  .code = "import socket\nsocket.socket()",
	  .status = SG_RUN_SYSCALL_DENIED },
	{ .name = "forged frames",
	  .code = "import os; os.write(3, b'\\xff' * 100); print(2)" },
	{ .name = "threads",
	  .code = "import threading\n"
		  "t = [threading.Thread(target=sum, args=([1],)) "
		  "for _ in range(8)]\n"
		  "[x.start() for x in t]\n[x.join() for x in t]" },
	{ .name = "threads left behind",
	  .code = "import threading, time\n"
		  "for _ in range(4):\n"
		  "    threading.Thread(target=time.sleep, args=(60,), "
		  "daemon=True).start()" },
	{ .name = "processes",
	  .code = "import os\n"
		  "if os.fork() == 0:\n    os._exit(0)\nos.wait()",
	  .processes = 4 },
	{ .name = "processes left behind",
	  .code = "import os, time\n"
		  "for _ in range(3):\n"
		  "    if os.fork() == 0:\n"
		  "        os.setsid(); time.sleep(60)",
	  .processes = 4 },
	{ .name = "unread input", .code = "print('no')", .input = true },
	{ .name = "guard",
	  .code = "import decimal",
	  .status = SG_RUN_ERROR,
	  .guard = true },
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

struct state {
	atomic_uint next, wrong;
	unsigned until;
	int cancel;  /* always readable */
	char *input; /* INPUT bytes */
	_Atomic uint64_t us;
	struct sg_warm *warm; /* NULL: cold runs */
	atomic_uint forked;   /* runs that were warm */
};

static void
fill(const struct state *s, const struct kind *k, struct sg_box_spec *spec)
{
	static const struct sg_box_guard guard = {
		{ "import", 6 }, { "decimal", 7 }, { "no", 2 }, true
	};

	sg_box_spec_init(spec);
	spec->warm = s->warm;
	spec->code = sg_str_c(k->code);
	spec->collect = true;
	spec->limits.wall_ms = k->wall_ms ? k->wall_ms : 20000;
	spec->limits.output_total = 1 << 20;
	spec->limits.workspace = 4 << 20;
	spec->limits.processes = k->processes;
	if (k->cpu_ms)
		spec->limits.cpu_ms = k->cpu_ms;
	if (k->memory)
		spec->limits.memory = k->memory;
	if (k->cancel)
		spec->cancel_fd = s->cancel;
	if (k->input) {
		spec->has_input = true;
		spec->input = (struct sg_str){ s->input, INPUT };
	}
	if (k->guard) {
		spec->guard = &guard;
		spec->nguard = 1;
	}
}

static bool
one(struct state *s, const struct kind *k)
{
	struct sg_box_spec spec;
	struct sg_arena arena;
	struct sg_result r;
	struct sg_err err;
	bool good;

	fill(s, k, &spec);
	sg_arena_init(&arena, ARENA);
	sg_err_clear(&err);
	if (sg_box_run(&spec, &arena, &r, &err) < 0) {
		printf("# %s: %s\n", k->name, err.msg);
		good = false;
	} else {
		good = r.status == k->status;
		atomic_fetch_add(&s->forked, r.warm.n > 0);
		if (!good)
			printf("# %s: %s %.*s\n", k->name,
			       sg_run_status_name(r.status),
			       SG_STR_ARG(r.err.text));
	}
	sg_arena_release(&arena);
	return good;
}

static void *
work(void *arg)
{
	struct state *s = arg;
	unsigned i;

	while ((i = atomic_fetch_add(&s->next, 1)) < s->until) {
		uint64_t begun = sg_clock_mono();

		if (!one(s, &kinds[i % KINDS]))
			atomic_fetch_add(&s->wrong, 1);
		atomic_fetch_add(&s->us, (sg_clock_mono() - begun) / 1000);
	}
	return NULL;
}

/* --- what is there ------------------------------------------------------- */

struct counts {
	long below; /* processes, at any depth */
	long children, fds, mounts, groups, files, bytes, resident_kb;
	double ms; /* of a run, in the round before */
};

static long
count_entries(const char *path, const char *prefix, long *bytes)
{
	struct dirent *e;
	DIR *d = opendir(path);
	long n = 0;

	while (d && (e = readdir(d)) != NULL) {
		struct stat st;

		if (strncmp(e->d_name, prefix, strlen(prefix)) != 0)
			continue;
		n++;
		if (bytes &&
		    fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
			*bytes += (long)st.st_size;
	}
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

/* Zombies count; whoever else runs sandgate here does not. */
static long
count_children(void)
{
	char path[512];
	struct dirent *e;
	DIR *d = opendir("/proc/self/task");
	long n = 0;
	int pid;
	FILE *f;

	while (d && (e = readdir(d)) != NULL) {
		(void)snprintf(path, sizeof(path),
			       "/proc/self/task/%s/children", e->d_name);
		f = fopen(path, "re");
		while (f && fscanf(f, "%d", &pid) == 1)
			n++;
		if (f)
			(void)fclose(f);
	}
	if (d)
		(void)closedir(d);
	return n;
}

/* All below us: of the zygotes and their boxes. */
static long
count_below(void)
{
	struct sg_sample s;

	return sg_sample_tree(getpid(), &s) ? (long)s.processes : 0;
}

/* A zygote that is replaced, and boxes that are let go, take a while. */
static void
settle(struct sg_warm *warm, const struct counts *before)
{
	const struct timespec nap = { 0, 100000000 };

	for (int i = 0; i < 100; i++) {
		sg_warm_rest(warm);
		(void)nanosleep(&nap, NULL);
		if (!before || count_below() == before->below)
			return;
	}
}

static struct counts
count(void)
{
	struct counts c = { 0 };
	char dir[SG_CGROUP_PATH], prefix[64];
	enum sg_cgroup_kind kind;

	(void)malloc_trim(0);
	(void)snprintf(prefix, sizeof(prefix), "sandgate.%ld.", (long)getpid());
	c.children = count_children();
	c.below = count_below();
	c.fds = count_entries("/proc/self/fd", "", NULL);
	c.mounts = count_lines("/proc/self/mountinfo");
	if (sg_cgroup_own("memory", &kind, dir))
		c.groups = count_entries(dir, prefix, NULL);
	if (sg_cgroup_own("pids", &kind, dir))
		c.groups += count_entries(dir, prefix, NULL);
	c.files = count_entries("/tmp", "sandgate-box-", &c.bytes) +
		  count_entries("/dev/shm", "sandgate", &c.bytes);
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

static long
most(const struct counts *c, unsigned n)
{
	long kb = 0;

	for (unsigned i = 0; i < n; i++)
		kb = c[i].resident_kb > kb ? c[i].resident_kb : kb;
	return kb;
}

/* The first row is from before; then one a round. */
static unsigned
compare(const struct state *s, const struct counts *c)
{
	const struct counts *a = &c[0], *b = &c[ROUNDS];
	unsigned bad = 0;
	int st;

	bad += say(s->wrong == 0, "runs that ended otherwise", 0,
		   (long)s->wrong);
	if (s->warm)
		bad += say(a->children == b->children && a->below == b->below,
			   "processes of the zygote", a->below, b->below);
	else
		bad += say(waitpid(-1, &st, WNOHANG | __WALL) < 0 &&
				   errno == ECHILD && b->children == 0,
			   "children", a->children, b->children);
	bad += say(a->fds == b->fds, "descriptors", a->fds, b->fds);
	bad += say(a->mounts == b->mounts, "mounts", a->mounts, b->mounts);
	bad += say(b->groups == 0, "control groups", a->groups, b->groups);
	bad += say(a->files == b->files && a->bytes == b->bytes,
		   "files in /tmp and /dev/shm", a->files, b->files);
	/* One thread's heap more is what chance gives; then it must be flat. */
	bad += say(most(c + 1 + HALF, HALF) <= most(c + 1, HALF) + SPARE_KB,
		   "KiB resident at most, first half and second",
		   most(c + 1, HALF), most(c + 1 + HALF, HALF));
	bad += say(b->resident_kb <= a->resident_kb + HEAPS_KB, "KiB resident",
		   a->resident_kb, b->resident_kb);
	bad += say(b->ms < 2 * c[1].ms + 20, "milliseconds a run",
		   (long)c[1].ms, (long)b->ms);
	return bad;
}

static bool
run_round(struct state *s, unsigned threads)
{
	pthread_t t[THREADS];

	for (unsigned i = 0; i < threads; i++)
		if (pthread_create(&t[i], NULL, work, s) != 0)
			return false;
	for (unsigned i = 0; i < threads; i++)
		(void)pthread_join(t[i], NULL);
	return true;
}

static void
print_row(unsigned runs, const struct counts *c)
{
	printf("# %6u %8ld %5ld %6ld %6ld %6ld %8ld %9ld %6.1f\n", runs,
	       c->children, c->fds, c->mounts, c->groups, c->files, c->bytes,
	       c->resident_kb, c->ms);
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	static struct state s;
	unsigned runs, n;
	struct counts c[ROUNDS + 1];
	int fds[2];
	uint64_t begun;
	unsigned bad;

	if (!warm_option(&argc, argv, 1, 1000, &s.warm))
		return 1;
	runs = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 200;
	n = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 2;
	s.input = calloc(1, INPUT);
	if (n > THREADS || n == 0 || !s.input || pipe2(fds, O_CLOEXEC) < 0 ||
	    write(fds[1], "x", 1) != 1)
		return 2;
	s.cancel = fds[0];
	/* Once each, so that what is made only once is there. */
	s.until = KINDS;
	if (!run_round(&s, n))
		return 2;
	printf("#   runs children   fds mounts groups  files    bytes   RSS "
	       "KiB ms/run\n");
	if (s.warm)
		settle(s.warm, NULL);
	c[0] = count();
	print_row(0, &c[0]);
	begun = sg_clock_mono();
	for (unsigned i = 1; i <= ROUNDS; i++) {
		unsigned from = runs / ROUNDS * (i - 1);

		s.until = i == ROUNDS ? runs : from + runs / ROUNDS;
		s.next = from;
		s.us = 0;
		if (!run_round(&s, n))
			return 2;
		if (s.warm)
			settle(s.warm, &c[0]);
		c[i] = count();
		c[i].ms = (double)s.us / 1000 / (s.until - from);
		print_row(s.until, &c[i]);
	}
	bad = compare(&s, c);
	printf("# %u runs of %d kinds by %u threads, %u warm, %.1f a second\n",
	       runs, (int)KINDS, n, s.forked,
	       runs / ((double)(sg_clock_mono() - begun) / 1e9));
	sg_warm_free(s.warm);
	printf("%d passed, %u failed (what is left)\n", number - (int)bad, bad);
	return bad > 0;
}
