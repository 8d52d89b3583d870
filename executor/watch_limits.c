#include "executor/watch.h"

#include <poll.h>
#include <signal.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "executor/sample.h"

/*
 * Theory of operation.  The next look is at whatever is due next: the wall
 * deadline, the earliest moment at which the CPU budget can be used up (what
 * is left of it, by the number of processors), or the next look at memory.
 *
 * To end a run is to kill the warden: it is pid 1 of the box, so the kernel
 * kills the rest before the pidfd becomes readable.
 */

#ifndef PIDFD_SIGNAL_PROCESS_GROUP
#define PIDFD_SIGNAL_PROCESS_GROUP (1u << 2)
#endif

#define MS 1000000ull

uint64_t
sg_watch_cpu(const struct sg_watch *w)
{
	struct sg_sample s;

	if (!w->saw_worker || w->board->done)
		return 0;
	if (w->spec->limits.processes && sg_sample_tree(w->warden, &s))
		return s.cpu;
	return sg_sample_cpu(w->worker);
}

/* As sg_watch_cpu(); the last of it that was seen stays. */
static uint64_t
note_cpu(struct sg_watch *w)
{
	uint64_t cpu = sg_watch_cpu(w);

	if (cpu)
		w->cpu_seen = cpu;
	return cpu;
}

static int
send_kill(int pidfd, unsigned flags)
{
	if (pidfd < 0)
		return 0;
	return (int)syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, flags);
}

/* The worker, and what has stayed in its group. */
static void
kill_worker(int pidfd)
{
	/* Before Linux 6.9 there is no such flag. */
	if (send_kill(pidfd, PIDFD_SIGNAL_PROCESS_GROUP) < 0)
		(void)send_kill(pidfd, 0);
}

int
sg_pidfd_open(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

/*
 * Where it may have no other processes, whoever has the filter is the worker;
 * and while somebody has it, its number is nobody else's.
 */
void
sg_watch_hold(struct sg_watch *w)
{
	struct pollfd pfd = { w->denials.fd, POLLIN, 0 };

	if (w->worker_fd >= 0 || w->worker <= 0 || w->denials.fd < 0 ||
	    w->spec->limits.processes)
		return;
	w->worker_fd = sg_pidfd_open(w->worker);
	if (poll(&pfd, 1, 0) < 0 || pfd.revents & POLLHUP)
		sg_fd_close(&w->worker_fd);
}

void
sg_watch_end(struct sg_watch *w, enum sg_end why)
{
	/* Walking a tree takes longer than killing it. */
	if (!w->spec->limits.processes)
		note_cpu(w);
	if (w->end == SG_END_NONE && !w->board->done)
		w->end = why;
	(void)send_kill(w->fds.pidfd, 0);
	/* Without a pid namespace the warden's end does not take it along.
	   With one it does, but the kernel only sees to that when the warden
	   has been given a processor and is through with most of its end. */
	sg_watch_hold(w);
	kill_worker(w->worker_fd);
}

/* --- limits -------------------------------------------------------------- */

/* Bytes that the box holds, in memory and in its workspace. */
static uint64_t
box_memory(const struct sg_watch *w)
{
	struct sg_sample s = { 0, 0, 0 };
	struct statfs fs;

	if (!w->spec->limits.processes || !sg_sample_tree(w->warden, &s))
		s.memory = sg_sample_memory(w->worker);
	if (w->workspace >= 0 && w->tmpfs && fstatfs(w->workspace, &fs) == 0)
		s.memory += (uint64_t)(fs.f_blocks - fs.f_bfree) *
			    (uint64_t)fs.f_bsize;
	return s.memory;
}

static void
check_memory(struct sg_watch *w)
{
	uint64_t now;

	if (!w->poll_memory || !w->saw_worker || w->board->done)
		return;
	now = box_memory(w);
	if (now > w->peak)
		w->peak = now;
	if (now > w->spec->limits.memory)
		sg_watch_end(w, SG_END_MEMORY);
}

/* What is left of the CPU budget, in nanoseconds; ends the run at none. */
static uint64_t
check_cpu(struct sg_watch *w)
{
	uint64_t limit = (uint64_t)w->spec->limits.cpu_ms * MS;
	uint64_t used = note_cpu(w);

	used -= used < w->cpu_at_start ? used : w->cpu_at_start;
	if (used < limit)
		return limit - used;
	sg_watch_end(w, SG_END_CPU);
	return 0;
}

static uint64_t
deadline(const struct sg_watch *w)
{
	if (w->started)
		return w->started + (uint64_t)w->spec->limits.wall_ms * MS;
	return w->begun + (uint64_t)SG_BOX_START_MS * MS;
}

static uint64_t
least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint32_t
sg_watch_cpus(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (uint32_t)n : 1;
}

void
sg_watch_check(struct sg_watch *w)
{
	uint64_t now = sg_clock_mono(), next = deadline(w), left, least_nap;

	if (now >= next)
		sg_watch_end(w, w->started ? SG_END_WALL : SG_END_START);
	if (w->end != SG_END_NONE) {
		/* Looking at what dies would only hold it up.  A worker that
		   was not known yet is met the next time. */
		sg_watch_end(w, w->end);
		w->due = now + SG_BOX_REKILL_MS * MS;
		return;
	}
	check_memory(w);
	if (w->poll_memory)
		next = least(next, now + SG_BOX_POLL_MS * MS);
	if (w->started) {
		if (!w->cpus)
			w->cpus = sg_watch_cpus();
		left = check_cpu(w) / w->cpus;
		/* Walking a tree takes a while; do not do nothing else. */
		least_nap = w->spec->limits.processes ? 10 * MS : MS;
		next = least(next, now + (left < least_nap ? least_nap : left));
	}
	w->due = next > now ? next : now + MS;
}
