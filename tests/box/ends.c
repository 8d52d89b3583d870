/*
 * How runs end, and what is left of them: deadlines, callers that cancel,
 * supervisors that die, neighbours.
 */

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "executor/cgroup.h"
#include "tests/box/lib/case.h"

/* A process under AddressSanitizer takes long to take down. */
#ifdef __SANITIZE_ADDRESS__
enum { SLACK_US = 100000 };
#else
enum { SLACK_US = 10000 };
#endif

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
	struct run next;

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
	/* Whatever they left behind, the next run removes. */
	run_init(&next, "print('next')");
	NEED_RUN(&next, SG_RUN_OK);
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

static const struct box_test tests[] = {
	TEST(a_deadline_is_kept),
	TEST(a_caller_can_cancel),
	TEST(nothing_outlives_its_supervisor),
	TEST(a_neighbour_does_not_notice),
	TEST(nothing_is_left_for_the_next_run),
	TEST(hashes_and_random_numbers_differ_between_runs),
	{ 0 },
};

int
main(int argc, char **argv)
{
	return box_tests(tests, "ends", argc, argv);
}
