/*
 * Control groups that are used again: what one run has done in its group
 * does not show in the next, whatever it was.
 *
 * Needs hierarchies of version 1 in which groups may be made; elsewhere
 * nothing is used again, and there is nothing to test.
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executor/groups.h"
#include "unit/support.h"

#define MIB (1ull << 20)

static const struct sg_cgroup_limits usual = { 64 * MIB, 4 };

/* False where there is nothing to test. */
static bool
begin(struct sg_groups *g)
{
	struct sg_cgroup cg;
	bool good;

	sg_groups_init(g);
	sg_groups_take(g, &usual, &cg);
	good = g->apart && cg.memory.kind == SG_CGROUP_V1 &&
	       cg.memory.procs_fd >= 0 && cg.pids.kind == SG_CGROUP_V1 &&
	       cg.pids.procs_fd >= 0;
	sg_cgroup_close(&cg);
	if (!good) {
		printf("skipped: no groups of version 1 can be made\n");
		sg_groups_release(g);
	}
	return good;
}

static void
write_pages(char *p, size_t n)
{
	for (size_t i = 0; i < n; i += 4096)
		((volatile char *)p)[i] = 1;
}

/* What a run does in its group. */
struct deed {
	size_t bytes; /* of memory that it writes to */
	int file;     /* -1, or where it writes them instead */
	int forks;    /* processes that it tries to start */
	int stays;    /* the end of a pipe that it reads from; -1 */
};

static void
act(const struct sg_cgroup *cg, const struct deed *d)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	char byte, *p;

	if (write(cg->memory.self_fd, "0", 1) != 1 ||
	    write(cg->pids.self_fd, "0", 1) != 1)
		_exit(9);
	if (d->file >= 0)
		flags = MAP_SHARED;
	if (d->bytes) {
		p = mmap(NULL, d->bytes, PROT_READ | PROT_WRITE, flags, d->file,
			 0);
		if (p == MAP_FAILED)
			_exit(8);
		write_pages(p, d->bytes);
	}
	for (int i = 0; i < d->forks; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(pause());
		/* They stay until the parent has counted them all. */
		if (pid < 0)
			break;
	}
	if (d->stays >= 0)
		(void)!read(d->stays, &byte, 1);
	if (d->forks)
		(void)kill(0, SIGKILL);
	_exit(0);
}

static pid_t
start(const struct sg_cgroup *cg, const struct deed *d)
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		(void)setsid();
		act(cg, d);
	}
	return pid;
}

/* How it ended, once the group is empty. */
static int
run(const struct sg_cgroup *cg, const struct deed *d)
{
	pid_t pid = start(cg, d);
	char text[64] = "x";
	int st;

	ck_assert_int_eq(waitpid(pid, &st, 0), pid);
	/* What it has started is nobody's child of ours. */
	for (int i = 0; i < 2000 && text[0]; i++) {
		int fd = openat(cg->pids.dir_fd, "cgroup.procs", O_RDONLY);
		ssize_t n = read(fd, text, sizeof(text) - 1);

		text[n > 0 ? n : 0] = '\0';
		(void)close(fd);
		(void)usleep(1000);
	}
	return st;
}

static const struct deed nothing = { 0, -1, 0, -1 };

static uint64_t
limit_of(const struct sg_cgroup_part *p, const char *name)
{
	char text[64] = "";
	int fd = openat(p->dir_fd, name, O_RDONLY);

	ck_assert_int_gt(read(fd, text, sizeof(text) - 1), 0);
	(void)close(fd);
	return strtoull(text, NULL, 10);
}

START_TEST(a_group_is_used_again)
{
	struct sg_cgroup a, b;
	struct sg_groups g;

	if (!begin(&g))
		return;
	sg_groups_take(&g, &usual, &a);
	b = a;
	ck_assert_int_eq(run(&a, &nothing), 0);
	sg_groups_give(&g, &a);
	ck_assert_int_eq(a.memory.dir_fd, -1);
	ck_assert_str_eq(a.memory.dir, "");
	sg_groups_take(&g, &usual, &a);
	ck_assert_str_eq(a.memory.dir, b.memory.dir);
	ck_assert_str_eq(a.pids.dir, b.pids.dir);
	ck_assert_int_eq(a.memory.self_fd, b.memory.self_fd);
	sg_groups_give(&g, &a);
	sg_groups_release(&g);
	ck_assert_int_eq(access(b.memory.dir, F_OK), -1);
	ck_assert_int_eq(access(b.pids.dir, F_OK), -1);
}
END_TEST

START_TEST(want_of_memory_shows_in_its_own_run)
{
	const struct deed greedy = { 128 * MIB, -1, 0, -1 };
	struct sg_groups g;
	struct sg_cgroup a;
	int st;

	if (!begin(&g))
		return;
	for (int i = 0; i < 6; i++) {
		sg_groups_take(&g, &usual, &a);
		ck_assert_uint_eq(sg_cgroup_oom_kills(&a), 0);
		st = run(&a, i % 2 ? &nothing : &greedy);
		ck_assert_int_eq(WIFSIGNALED(st), i % 2 == 0);
		ck_assert_uint_eq(sg_cgroup_oom_kills(&a), i % 2 == 0);
		sg_groups_give(&g, &a);
	}
	sg_groups_release(&g);
}
END_TEST

START_TEST(a_peak_is_that_of_the_run)
{
	struct sg_groups g;
	struct sg_cgroup a;

	if (!begin(&g))
		return;
	for (size_t i = 0; i < 6; i++) {
		const size_t mib[] = { 40, 3, 20, 1, 50, 2 };
		const struct deed d = { mib[i] * MIB, -1, 0, -1 };
		uint64_t peak;

		sg_groups_take(&g, &usual, &a);
		ck_assert_uint_le(sg_cgroup_peak(&a), SG_CGROUP_LEFT);
		ck_assert_int_eq(run(&a, &d), 0);
		peak = sg_cgroup_peak(&a);
		ck_assert_uint_ge(peak, mib[i] * MIB);
		/* The kernel takes some at a time, for each processor. */
		ck_assert_uint_le(peak, (mib[i] + 4) * MIB);
		sg_groups_give(&g, &a);
	}
	sg_groups_release(&g);
}
END_TEST

START_TEST(refused_processes_show_in_their_own_run)
{
	const struct deed many = { 0, -1, 8, -1 };
	struct sg_groups g;
	struct sg_cgroup a;

	if (!begin(&g))
		return;
	for (int i = 0; i < 6; i++) {
		sg_groups_take(&g, &usual, &a);
		ck_assert_uint_eq(sg_cgroup_refused(&a), 0);
		(void)run(&a, i % 2 ? &nothing : &many);
		ck_assert_uint_eq(sg_cgroup_refused(&a), i % 2 == 0);
		sg_groups_give(&g, &a);
	}
	sg_groups_release(&g);
}
END_TEST

START_TEST(limits_are_those_of_the_run)
{
	static const struct sg_cgroup_limits limits[] = {
		{ 64 * MIB, 4 }, { 128 * MIB, 9 }, { 32 * MIB, 2 },
		{ 32 * MIB, 2 }, { 256 * MIB, 3 },
	};
	struct sg_groups g;
	struct sg_cgroup a;

	if (!begin(&g))
		return;
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		sg_groups_take(&g, &limits[i], &a);
		ck_assert_uint_eq(a.memory.uses, i);
		ck_assert_uint_eq(limit_of(&a.memory, "memory.limit_in_bytes"),
				  limits[i].memory);
		ck_assert_uint_eq(limit_of(&a.pids, "pids.max"),
				  limits[i].pids);
		if (faccessat(a.memory.dir_fd, "memory.memsw.limit_in_bytes",
			      F_OK, 0) == 0)
			ck_assert_uint_eq(
				limit_of(&a.memory,
					 "memory.memsw.limit_in_bytes"),
				limits[i].memory);
		sg_groups_give(&g, &a);
	}
	sg_groups_release(&g);
}
END_TEST

START_TEST(a_group_with_a_process_is_not_used)
{
	char dir[SG_CGROUP_PATH];
	struct sg_cgroup a, b;
	struct sg_groups g;
	struct deed stays = nothing;
	int gate[2], st;
	pid_t pid;

	if (!begin(&g))
		return;
	ck_assert_int_eq(pipe(gate), 0);
	stays.stays = gate[0];
	sg_groups_take(&g, &usual, &a);
	memcpy(dir, a.memory.dir, sizeof(dir));
	pid = start(&a, &stays);
	while (!sg_cgroup_has(&a.pids, pid))
		(void)usleep(1000);
	sg_groups_give(&g, &a);
	for (int i = 0; i < 2; i++) {
		sg_groups_take(&g, &usual, &b);
		ck_assert_str_ne(b.memory.dir, dir);
		sg_cgroup_close(&b);
	}
	/* It is there when the process is not. */
	ck_assert_int_eq(write(gate[1], "x", 1), 1);
	ck_assert_int_eq(waitpid(pid, &st, 0), pid);
	ck_assert_int_eq(st, 0);
	sg_groups_take(&g, &usual, &b);
	ck_assert_str_eq(b.memory.dir, dir);
	sg_groups_give(&g, &b);
	(void)close(gate[0]);
	(void)close(gate[1]);
	sg_groups_release(&g);
}
END_TEST

START_TEST(one_that_is_never_free_is_ended)
{
	char dir[SG_CGROUP_PATH];
	struct sg_cgroup a, b;
	struct sg_groups g;
	struct deed stays = nothing;
	int gate[2], st;
	pid_t pid;

	if (!begin(&g))
		return;
	ck_assert_int_eq(pipe(gate), 0);
	stays.stays = gate[0];
	sg_groups_take(&g, &usual, &a);
	memcpy(dir, a.memory.dir, sizeof(dir));
	pid = start(&a, &stays);
	while (!sg_cgroup_has(&a.pids, pid))
		(void)usleep(1000);
	sg_groups_give(&g, &a);
	for (int i = 0; i < 8; i++) {
		sg_groups_take(&g, &usual, &b);
		sg_cgroup_close(&b);
	}
	ck_assert_int_eq(waitpid(pid, &st, 0), pid);
	ck_assert(WIFSIGNALED(st) && WTERMSIG(st) == SIGKILL);
	/* A zombie still counted when it was removed, perhaps. */
	sg_groups_release(&g);
	ck_assert(access(dir, F_OK) < 0 || rmdir(dir) == 0);
	(void)close(gate[0]);
	(void)close(gate[1]);
}
END_TEST

START_TEST(what_is_left_of_a_run_is_bounded)
{
	struct deed leaves = { 4 * MIB, -1, 0, -1 };
	char dir[SG_CGROUP_PATH];
	struct sg_groups g;
	struct sg_cgroup a, b;

	if (!begin(&g))
		return;
	/* Pages that outlive the process, as those of files do. */
	leaves.file = memfd_create("left", 0);
	ck_assert_int_eq(ftruncate(leaves.file, 4 * MIB), 0);
	sg_groups_take(&g, &usual, &a);
	memcpy(dir, a.memory.dir, sizeof(dir));
	ck_assert_int_eq(run(&a, &leaves), 0);
	sg_groups_give(&g, &a);
	sg_groups_take(&g, &usual, &b);
	ck_assert_str_ne(b.memory.dir, dir);
	sg_cgroup_close(&b);
	(void)close(leaves.file);
	sg_groups_take(&g, &usual, &b);
	ck_assert_str_eq(b.memory.dir, dir);
	ck_assert_uint_le(sg_cgroup_peak(&b), SG_CGROUP_LEFT);
	sg_groups_give(&g, &b);
	sg_groups_release(&g);
}
END_TEST

START_TEST(a_group_has_its_time)
{
	char dir[SG_CGROUP_PATH];
	struct sg_groups g;
	struct sg_cgroup a;

	if (!begin(&g))
		return;
	sg_groups_take(&g, &usual, &a);
	memcpy(dir, a.memory.dir, sizeof(dir));
	for (int i = 0; i < SG_GROUPS_USES; i++) {
		sg_groups_give(&g, &a);
		sg_groups_take(&g, &usual, &a);
		ck_assert_str_eq(a.memory.dir, dir);
	}
	sg_groups_give(&g, &a);
	ck_assert_int_eq(access(dir, F_OK), -1);
	sg_groups_take(&g, &usual, &a);
	ck_assert_str_ne(a.memory.dir, dir);
	sg_cgroup_close(&a);
	sg_groups_release(&g);
}
END_TEST

START_TEST(so_many_wait_and_no_more)
{
	struct sg_cgroup v[SG_GROUPS_IDLE + 1], b;
	struct sg_groups g;

	if (!begin(&g))
		return;
	for (int i = 0; i <= SG_GROUPS_IDLE; i++)
		sg_groups_take(&g, &usual, &v[i]);
	b = v[SG_GROUPS_IDLE];
	for (int i = 0; i <= SG_GROUPS_IDLE; i++)
		sg_groups_give(&g, &v[i]);
	ck_assert_uint_eq(g.memory.n, SG_GROUPS_IDLE);
	ck_assert_int_eq(access(b.memory.dir, F_OK), -1);
	sg_groups_empty(&g);
	ck_assert_uint_eq(g.memory.n, 0);
	ck_assert_uint_eq(g.pids.n, 0);
	sg_groups_release(&g);
}
END_TEST

START_TEST(version_2_is_not_used_again)
{
	struct sg_groups g;
	struct sg_cgroup a;

	if (!begin(&g))
		return;
	sg_groups_take(&g, &usual, &a);
	a.memory.kind = SG_CGROUP_V2;
	ck_assert(!sg_cgroup_part_reset(&a.memory, usual.memory));
	sg_groups_give(&g, &a);
	ck_assert_uint_eq(g.memory.n, 0);
	ck_assert_uint_eq(g.pids.n, 1);
	sg_groups_release(&g);
}
END_TEST

SG_TEST_MAIN("groups", a_group_is_used_again,
	     want_of_memory_shows_in_its_own_run, a_peak_is_that_of_the_run,
	     refused_processes_show_in_their_own_run,
	     limits_are_those_of_the_run, a_group_with_a_process_is_not_used,
	     one_that_is_never_free_is_ended, what_is_left_of_a_run_is_bounded,
	     a_group_has_its_time, so_many_wait_and_no_more,
	     version_2_is_not_used_again)
