#include "executor/outcome.h"

#include <signal.h>
#include <sys/statfs.h>
#include <sys/wait.h>

/*
 * Theory of operation.  The status comes from what the program cannot
 * forge: the wait status that the warden read, the supervisor's own reason
 * for ending the run, the control group's counters, the state of the
 * workspace, the record of refused calls.  What the driver says of an
 * exception only chooses between names for a program that failed anyway.
 */

static bool
names(const struct sg_result *r, const char *const *list)
{
	for (; r->error.is_set && *list; list++)
		if (sg_str_eq(r->error.name, sg_str_c(*list)))
			return true;
	return false;
}

static bool
disk_full(const struct sg_attempt *a)
{
	static const char *const os[] = { "OSError", NULL };
	static const struct sg_str signs[] = { { "[Errno 28]", 10 },
					       { "[Errno 27]", 10 },
					       { "[Errno 122]", 11 } };
	struct statfs fs;

	if (names(a->ret, os))
		for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
			if (sg_str_starts(a->ret->error.value, signs[i]))
				return true;
	return a->watch.tmpfs && a->watch.workspace >= 0 &&
	       fstatfs(a->watch.workspace, &fs) == 0 &&
	       (fs.f_bfree == 0 || fs.f_ffree == 0);
}

/* No more threads or processes, by whichever of the limits. */
static bool
crowded(const struct sg_attempt *a)
{
	static const char *const thread[] = { "RuntimeError", NULL };
	static const char *const fork[] = { "BlockingIOError", NULL };

	if (names(a->ret, thread))
		return sg_str_starts(a->ret->error.value,
				     SG_STR("can't start new thread"));
	return names(a->ret, fork) && a->spec->limits.processes &&
	       (sg_cgroup_refused(&a->cgroup) ||
		sg_str_starts(a->ret->error.value, SG_STR("[Errno 11]")));
}

/* Which kind of failure an exit status other than 0 was. */
static enum sg_run_status
failed(const struct sg_attempt *a)
{
	static const char *const refused[] = { "PermissionError", "OSError",
					       "BlockingIOError", NULL };
	if (disk_full(a))
		return SG_RUN_DISK_LIMIT;
	if (crowded(a))
		return SG_RUN_PROCESS_LIMIT;
	if (a->watch.denials.n && names(a->ret, refused))
		return SG_RUN_SYSCALL_DENIED;
	return SG_RUN_ERROR;
}

static enum sg_run_status
ended_by_itself(const struct sg_attempt *a)
{
	int st = a->board->wait_status;
	bool oom = sg_cgroup_oom_kills(&a->cgroup) > 0;

	if (!a->board->done)
		return oom ? SG_RUN_MEMORY_LIMIT : SG_RUN_INTERNAL;
	if (WIFEXITED(st))
		return WEXITSTATUS(st) ? failed(a) : SG_RUN_OK;
	switch (WTERMSIG(st)) {
	case SIGKILL:
		return oom ? SG_RUN_MEMORY_LIMIT : SG_RUN_SIGNALED;
	case SIGSYS:
		return SG_RUN_SYSCALL_DENIED;
	case SIGXCPU:
		return SG_RUN_CPU_LIMIT;
	default:
		return SG_RUN_SIGNALED;
	}
}

static enum sg_run_status
status_of(const struct sg_attempt *a)
{
	switch (a->watch.end) {
	case SG_END_WALL:
		return SG_RUN_TIMEOUT;
	case SG_END_CPU:
		return SG_RUN_CPU_LIMIT;
	case SG_END_MEMORY:
		return SG_RUN_MEMORY_LIMIT;
	case SG_END_OUTPUT:
		return SG_RUN_OUTPUT_LIMIT;
	case SG_END_CANCEL:
		return SG_RUN_CANCELLED;
	case SG_END_START:
		return SG_RUN_INTERNAL;
	case SG_END_NONE:
		break;
	}
	return ended_by_itself(a);
}

static void
set_ending(const struct sg_attempt *a, struct sg_result *r)
{
	int st = a->board->wait_status;

	r->exit_code = -1;
	if (a->watch.end != SG_END_NONE)
		r->signal = SIGKILL;
	else if (a->board->done && WIFEXITED(st))
		r->exit_code = WEXITSTATUS(st);
	else if (a->board->done)
		r->signal = WTERMSIG(st);
	else
		r->signal = SIGKILL;
}

static uint64_t
without(uint64_t all, uint64_t part)
{
	return all > part ? all - part : 0;
}

static void
set_usage(const struct sg_attempt *a, struct sg_result *r)
{
	const struct sg_watch *w = &a->watch;
	uint64_t peak = sg_cgroup_peak(&a->cgroup);

	if (w->started) {
		r->usage.setup_us = (w->started - a->begun) / 1000;
		r->usage.wall_us = (w->ended - w->started) / 1000;
	}
	/* Killed with its box: the last that the clock said. */
	r->usage.cpu_us = without(a->board->done ? a->board->cpu_us
						 : w->cpu_seen / 1000,
				  w->cpu_at_start / 1000);
	/* What was there before the group was joined is not in its count. */
	if (peak < a->board->max_rss)
		peak = a->board->max_rss;
	if (peak < w->peak)
		peak = w->peak;
	r->usage.peak_memory = peak;
}

int
sg_outcome(const struct sg_attempt *a, struct sg_err *err)
{
	struct sg_result *r = a->ret;
	int rc;

	rc = sg_capture_finish(&a->watch.out, a->arena, &r->out, err);
	if (rc == SG_OK)
		rc = sg_capture_finish(&a->watch.err, a->arena, &r->err, err);
	if (rc < 0)
		return rc;
	r->executed = a->watch.started != 0;
	sg_denials_report(&a->watch.denials, a->arena, r);
	r->status = status_of(a);
	set_ending(a, r);
	set_usage(a, r);
	if (r->status == SG_RUN_INTERNAL)
		r->message = SG_STR("the box ended without a report");
	sg_hint_set(a->spec, a->arena, r);
	return SG_OK;
}
