/*
 * Supervisors that are killed, by SIGKILL, at any moment.
 *
 *	killed PROGRAM [ROUNDS]
 *
 * Each round starts `sandgate run`, or a server with warm interpreters, waits
 * for a random part of what a run takes, and kills it.  Whatever it leaves
 * running becomes our child, so we see all of it: nothing may be left after
 * a second.  The audit log must verify each time, and carry on.  At last, when
 * another run has swept, no control group, mount or file may be left.
 *
 * Prints TAP; SG_SEED repeats a run.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "executor/box.h"
#include "executor/cgroup.h"

enum { ROUNDS = 20, GONE_MS = 1000, MAX_ROUNDS = 10000 };

static const char *const scripts[] = {
	"import time\ntime.sleep(60)\n",
	"while True: pass\n",
	"import os\nwhile True: os.write(1, b'x' * 65536)\n",
	"import threading, time\n"
	"for _ in range(8): threading.Thread(target=time.sleep, "
	"args=(60,)).start()\n",
	"import os, time\n"
	"for _ in range(6):\n"
	"    if os.fork() == 0:\n"
	"        os.setsid()\n"
	"        while True: time.sleep(1)\n"
	"time.sleep(60)\n",
	"import signal, time\n"
	"for s in range(1, 32):\n"
	"    try: signal.signal(s, signal.SIG_IGN)\n"
	"    except (OSError, ValueError): pass\n"
	"time.sleep(60)\n",
	"open('a', 'w').write('x' * 1000000)\n",
	"print(1)\n",
};
enum { SCRIPTS = sizeof(scripts) / sizeof(scripts[0]) };

/* A call of the tool that sleeps, so that a warm interpreter serves it. */
static const char requests[] =
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":"
	"{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},"
	"\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}\n"
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
	"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":"
	"{\"name\":\"run_python\",\"arguments\":{\"code\":"
	"\"import time; time.sleep(60)\"}}}\n";

struct test {
	const char *program;
	char dir[64], log[96], script[96];
	unsigned rounds;
	pid_t killed[MAX_ROUNDS];
	unsigned left, broken, other; /* rounds that went wrong */
	uint64_t longest;             /* ms until all were gone */
};

static int number;

static unsigned
say(bool good, const char *what, unsigned long figure)
{
	printf("%s %d - %s: %lu\n", good ? "ok" : "not ok", ++number, what,
	       figure);
	return !good;
}

static void
sleep_us(uint64_t us)
{
	(void)usleep((useconds_t)us);
}

/* ---- starting ---- */

static void
write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	if (f) {
		(void)fputs(text, f);
		(void)fclose(f);
	}
}

/* Standard input comes from `in`; what is said goes nowhere. */
static pid_t
start(char *const argv[], int in)
{
	pid_t pid = fork();
	int null;

	if (pid != 0)
		return pid;
	null = open("/dev/null", O_RDWR);
	(void)dup2(in >= 0 ? in : null, 0);
	(void)dup2(null, 1);
	(void)dup2(null, 2);
	(void)execv(argv[0], argv);
	_exit(127);
}

static int
finish(char *const argv[])
{
	pid_t pid = start(argv, -1);
	int st;

	if (pid < 0 || waitpid(pid, &st, 0) != pid)
		return -1;
	return WIFEXITED(st) ? WEXITSTATUS(st) : -1;
}

static pid_t
start_run(struct test *t, unsigned round)
{
	char *const argv[] = { (char *)(uintptr_t)t->program,
			       (char *)(uintptr_t) "run",
			       (char *)(uintptr_t) "--no-gate",
			       (char *)(uintptr_t) "--audit",
			       t->log,
			       (char *)(uintptr_t) "--processes=8",
			       t->script,
			       NULL };

	write_file(t->script, scripts[round % SCRIPTS]);
	return start(argv, -1);
}

/* *ret_pipe keeps its standard input open. */
static pid_t
start_server(struct test *t, int *ret_pipe)
{
	char *const argv[] = {
		(char *)(uintptr_t)t->program,        (char *)(uintptr_t) "mcp",
		(char *)(uintptr_t) "--audit",        t->log,
		(char *)(uintptr_t) "--policy=audit", NULL
	};
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	pid = start(argv, fds[0]);
	(void)close(fds[0]);
	if (write(fds[1], requests, strlen(requests)) < 0)
		printf("# nobody listens\n");
	*ret_pipe = fds[1];
	return pid;
}

/* ---- looking ---- */

/* Reaps what has become ours; true when all are gone in time. */
static bool
all_gone(uint64_t *ret_ms)
{
	uint64_t begun = sg_clock_mono();

	for (;;) {
		pid_t pid = waitpid(-1, NULL, WNOHANG | __WALL);

		*ret_ms = (sg_clock_mono() - begun) / 1000000;
		if (pid < 0 && errno == ECHILD)
			return true;
		if (pid > 0)
			continue;
		if (*ret_ms > GONE_MS)
			return false;
		sleep_us(1000);
	}
}

static void
name_children(void)
{
	char path[64], line[256];
	FILE *f;
	int pid;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/children",
		       (int)getpid());
	f = fopen(path, "re");
	while (f && fscanf(f, "%d", &pid) == 1) {
		FILE *s;

		(void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
		s = fopen(path, "re");
		if (s && fgets(line, sizeof(line), s))
			printf("# left: %s", line);
		if (s)
			(void)fclose(s);
		(void)kill(pid, SIGKILL);
	}
	if (f)
		(void)fclose(f);
}

static bool
log_verifies(struct test *t)
{
	char *const argv[] = { (char *)(uintptr_t)t->program,
			       (char *)(uintptr_t) "audit",
			       (char *)(uintptr_t) "verify", t->log, NULL };

	return access(t->log, F_OK) < 0 || finish(argv) == 0;
}

/* Entries of a folder that carry the pid of one that was killed. */
static unsigned
count_left(const struct test *t, const char *dir, const char *prefix)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	unsigned n = 0;
	char name[64];

	while (d && (e = readdir(d)) != NULL)
		for (unsigned i = 0; i < t->rounds; i++) {
			(void)snprintf(name, sizeof(name), "%s%d.", prefix,
				       (int)t->killed[i]);
			if (strncmp(e->d_name, name, strlen(name)) != 0)
				continue;
			printf("# left: %s/%s\n", dir, e->d_name);
			n++;
			break;
		}
	if (d)
		(void)closedir(d);
	return n;
}

static unsigned
count_groups(const struct test *t)
{
	static const char *const controllers[] = { "memory", "pids" };
	char dir[SG_CGROUP_PATH];
	enum sg_cgroup_kind kind;
	unsigned n = 0;

	for (int i = 0; i < 2; i++)
		if (sg_cgroup_own(controllers[i], &kind, dir))
			n += count_left(t, dir, "sandgate.");
	return n;
}

static unsigned long
count_mounts(void)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	unsigned long n = 0;
	int c;

	while (f && (c = fgetc(f)) != EOF)
		n += c == '\n';
	if (f)
		(void)fclose(f);
	return n;
}

/* ---- rounds ---- */

static void
one(struct test *t, unsigned round, unsigned *seed)
{
	bool server = round % 5 == 4;
	/* A cold run takes a tenth of a second, a busy machine's more. */
	uint64_t us = (uint64_t)rand_r(seed) % (server ? 1000000 : 250000);
	int pipe = -1;
	uint64_t ms;
	pid_t pid = server ? start_server(t, &pipe) : start_run(t, round);

	if (pid < 0) {
		t->other++;
		return;
	}
	t->killed[round] = pid;
	sleep_us(us);
	(void)kill(pid, SIGKILL);
	if (waitpid(pid, NULL, 0) != pid)
		t->other++;
	if (!all_gone(&ms)) {
		printf("# round %u, %s, killed after %lu us\n", round,
		       server ? "server" : "run", (unsigned long)us);
		name_children();
		(void)all_gone(&ms);
		t->left++;
	}
	if (ms > t->longest)
		t->longest = ms;
	if (pipe >= 0)
		(void)close(pipe);
	if (!log_verifies(t)) {
		printf("# round %u: the log does not verify\n", round);
		t->broken++;
	}
}

/* A run that may live: it sweeps, and carries the log on. */
static bool
next_start(struct test *t)
{
	char *const argv[] = { (char *)(uintptr_t)t->program,
			       (char *)(uintptr_t) "run",
			       (char *)(uintptr_t) "--audit",
			       t->log,
			       t->script,
			       NULL };

	write_file(t->script, "print(1)\n");
	return finish(argv) == 0;
}

static unsigned
report(struct test *t, unsigned long mounts)
{
	unsigned bad = 0, groups, files;
	bool next = next_start(t);

	groups = count_groups(t);
	files = count_left(t, "/tmp", "sandgate-box-") +
		count_left(t, "/dev/shm", "sandgate-box-");
	bad += say(t->left == 0, "rounds after which something still ran",
		   t->left);
	bad += say(t->broken == 0, "rounds after which the log did not verify",
		   t->broken);
	bad += say(t->other == 0, "rounds that could not begin", t->other);
	bad += say(next, "the next run is well", next);
	bad += say(groups == 0, "control groups after it", groups);
	bad += say(files == 0, "files after it", files);
	bad += say(count_mounts() == mounts, "mounts", count_mounts());
	bad += say(log_verifies(t), "the log verifies at last", 1);
	printf("# %u killed; all gone after %lu ms at most\n", t->rounds,
	       (unsigned long)t->longest);
	return bad;
}

static void
clean(struct test *t)
{
	char path[128];

	(void)unlink(t->log);
	(void)unlink(t->script);
	(void)snprintf(path, sizeof(path), "%s.lock", t->log);
	(void)unlink(path);
	(void)rmdir(t->dir);
}

int
main(int argc, char **argv)
{
	static struct test t = { .dir = "/tmp/sg-killed-XXXXXX" };
	const char *given = getenv("SG_SEED"),
		   *must = getenv("SG_BOX_MUST_WORK");
	unsigned long mounts = count_mounts();
	unsigned seed, bad;

	if (argc < 2 || !mkdtemp(t.dir))
		return 2;
	t.program = argv[1];
	t.rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : ROUNDS;
	seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)getpid();
	(void)snprintf(t.log, sizeof(t.log), "%s/log", t.dir);
	(void)snprintf(t.script, sizeof(t.script), "%s/script.py", t.dir);
	(void)signal(SIGPIPE, SIG_IGN);
	if (t.rounds > MAX_ROUNDS ||
	    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return 2;
	if (!next_start(&t) && !(must && *must == '1')) {
		printf("the box cannot be built on this host\n");
		clean(&t);
		return 0;
	}
	printf("# SG_SEED=%u\n", seed);
	for (unsigned i = 0; i < t.rounds; i++)
		one(&t, i, &seed);
	bad = report(&t, mounts);
	clean(&t);
	printf("%d passed, %u failed (supervisors killed, as %s)\n",
	       number - (int)bad, bad,
	       geteuid() == 0 ? "root" : "an ordinary user");
	return bad > 0;
}
