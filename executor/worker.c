#include "executor/warden.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "executor/landlock.h"
#include "executor/limits.h"

/*
 * Theory of operation.  The worker starts with the warden's powers and ends,
 * at execve(), with none.  The order matters: descriptors and limits first,
 * then the user, then the capabilities (which the change of user would have
 * needed), then no_new_privs, without which neither Landlock nor a filter is
 * granted, then the first filter, which forbids all of the above.
 */

enum { NFDS = 5, REQUEST_FD = 4, REPORT_FD = 5, HIGH_FD = 64, LAST_CAP = 63 };

struct worker {
	const struct sg_plan *plan;
	struct sg_board *board;
};

int
sg_caps_drop(void)
{
	/*
	 * This needs CAP_SETPCAP, and so does the next; who lacks it has little
	 * to lose.  Or there is none of this number, nor of those beyond.
	 */
	for (int c = 0; c <= LAST_CAP; c++)
		if (prctl(PR_CAPBSET_DROP, c, 0, 0, 0) < 0)
			break;
	(void)prctl(
		PR_SET_SECUREBITS,
		SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
			SECBIT_NO_SETUID_FIXUP_LOCKED |
			SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE |
			SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED,
		0, 0, 0);
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return sg_caps_none();
}

/* Moves the five descriptors to 0..4 and the socket to 5; no other stays. */
static int
step_fds(struct worker *w, const char **what)
{
	const struct sg_plan_fds *f = &w->plan->fds;
	int fd[NFDS] = { f->in, f->out, f->err, f->result, f->request };
	int report;

	*what = "descriptors";
	if (fd[0] < 0)
		fd[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	for (int i = 0; i < NFDS; i++) {
		fd[i] = fcntl(fd[i], F_DUPFD_CLOEXEC, HIGH_FD);
		if (fd[i] < 0)
			return -errno;
	}
	report = fcntl(f->report, F_DUPFD_CLOEXEC, HIGH_FD);
	if (report < 0)
		return -errno;
	for (int i = 0; i < NFDS; i++)
		if (dup2(fd[i], i) < 0)
			return -errno;
	if (dup3(report, REPORT_FD, O_CLOEXEC) < 0)
		return -errno;
	if (syscall(SYS_close_range, REPORT_FD + 1, ~0u, 0) < 0)
		return -errno;
	return 0;
}

/*
 * Before anything is given up.  Where it fails the supervisor does it from
 * outside, as it does when there is nothing here to do it with and the
 * worker was not born in the group.
 */
static int
step_groups(struct worker *w, const char **what)
{
	*what = "control groups";
	if (sg_join_self(w->plan->fds.memory) == 0)
		w->board->note[SG_L_MEMORY].state = SG_LAYER_ACTIVE;
	if (sg_join_self(w->plan->fds.pids) == 0)
		w->board->note[SG_L_PIDS].state = SG_LAYER_ACTIVE;
	return 0;
}

static int
step_signals(struct worker *w, const char **what)
{
	sigset_t none;

	(void)w;
	*what = "signals";
	(void)sigemptyset(&none);
	if (sigprocmask(SIG_SETMASK, &none, NULL) < 0)
		return -errno;
	(void)setsid();
	return 0;
}

/* The kernel picks the worker first when memory runs out. */
static int
step_oom(struct worker *w, const char **what)
{
	ssize_t n;
	int fd;

	*what = "oom score";
	/* A fork of a zygote has it from there. */
	if (w->plan->forked)
		return 0;
	fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = write(fd, "1000", 4);
	(void)close(fd);
	(void)n;
	return 0;
}

static int
set_limit(int which, uint64_t soft, uint64_t hard)
{
	struct rlimit now, want = { soft, hard };

	if (getrlimit((__rlimit_resource_t)which, &now) < 0)
		return -errno;
	/* A lower one that is in force already is as good. */
	if (want.rlim_max > now.rlim_max)
		want.rlim_max = now.rlim_max;
	if (want.rlim_cur > want.rlim_max)
		want.rlim_cur = want.rlim_max;
	return setrlimit((__rlimit_resource_t)which, &want) < 0 ? -errno : 0;
}

static int
step_rlimits(struct worker *w, const char **what)
{
	const struct sg_box_limits *l = &w->plan->spec->limits;
	uint64_t cpu = l->cpu_ms / 1000 + SG_BOX_CPU_SLACK_S;
	uint64_t tasks = (uint64_t)l->threads + l->processes + 2;
	uint64_t file = l->file_size ? l->file_size : l->workspace;
	/* Else whatever the caller's user runs would count as well. */
	bool own_user = w->plan->is_root ||
			w->plan->want & SG_L_BIT(SG_L_USER_NS);
	/* A zygote hands on the stack's, which its interpreter has read. */
	const struct {
		int which;
		bool always;
		uint64_t soft, hard;
	} rows[] = {
		{ RLIMIT_CORE, true, 0, 0 },
		{ RLIMIT_CPU, false, cpu, cpu },
		{ RLIMIT_DATA, false, w->plan->data_limit,
		  w->plan->data_limit },
		{ RLIMIT_FSIZE, false, file, file },
		{ RLIMIT_NOFILE, false, l->open_files, l->open_files },
		{ RLIMIT_NPROC, false, tasks, tasks },
		{ RLIMIT_STACK, true, SG_BOX_STACK, 8ull * SG_BOX_STACK },
		{ RLIMIT_MEMLOCK, false, 64 * 1024, 64 * 1024 },
		{ RLIMIT_MSGQUEUE, true, 0, 0 },
		{ RLIMIT_SIGPENDING, false, 1024, 1024 },
		{ RLIMIT_NICE, true, 0, 0 },
		{ RLIMIT_RTPRIO, true, 0, 0 },
	};
	int rc = 0;

	*what = "resource limits";
	for (size_t i = 0; rc == 0 && i < sizeof(rows) / sizeof(rows[0]); i++)
		if ((rows[i].always || !w->plan->zygote) &&
		    (rows[i].which != RLIMIT_NPROC || own_user))
			rc = set_limit(rows[i].which, rows[i].soft,
				       rows[i].hard);
	return rc;
}

/*
 * A zygote pins memory that its forks are to have a copy of, so that there
 * must be no large page while it grows (python/pin.c).  Both are helps: where
 * they are not to be had it goes on without.
 */
static int
step_pages(struct worker *w, const char **what)
{
	struct rlimit now, want = { SG_BOX_PINNED, SG_BOX_PINNED };

	*what = "pages";
	if (!w->plan->zygote)
		return 0;
	(void)prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	if (setrlimit(RLIMIT_MEMLOCK, &want) < 0 &&
	    getrlimit(RLIMIT_MEMLOCK, &now) == 0) {
		now.rlim_cur = now.rlim_max;
		(void)setrlimit(RLIMIT_MEMLOCK, &now);
	}
	return 0;
}

/*
 * By system call: the C library would tell the other threads, and those of
 * the caller are not here.
 */
static int
step_user(struct worker *w, const char **what)
{
	const struct sg_plan *p = w->plan;
	bool mapped = w->board->note[SG_L_USER_NS].state == SG_LAYER_ACTIVE;
	gid_t gid = mapped ? p->in_gid : p->out_gid;
	uid_t uid = mapped ? p->in_uid : p->out_uid;

	*what = "user";
	if (!mapped && !p->is_root)
		return 0;
	if (syscall(SYS_setresgid, gid, gid, gid) < 0 ||
	    syscall(SYS_setresuid, uid, uid, uid) < 0)
		return -errno;
	return 0;
}

/*
 * A zygote keeps one, in a user namespace to which nothing but its network
 * namespaces belongs: it hands those on.
 */
static int
keep_admin(void)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3,
						 0 };
	const uint32_t bit = 1u << CAP_SYS_ADMIN;
	struct __user_cap_data_struct data[2] = { { bit, bit, bit },
						  { 0, 0, 0 } };

	if (syscall(SYS_capset, &head, data) < 0)
		return -errno;
	return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SYS_ADMIN, 0,
		     0) < 0
		       ? -errno
		       : 0;
}

static int
step_caps(struct worker *w, const char **what)
{
	bool apart = w->board->note[SG_L_USER_NS].state == SG_LAYER_ACTIVE;

	*what = "capabilities";
	return w->plan->zygote && apart ? keep_admin() : sg_caps_drop();
}

static int
step_nnp(struct worker *w, const char **what)
{
	*what = "no_new_privs";
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	/* Where no pid namespace does it, die with the warden. */
	if (!(w->plan->want & SG_L_BIT(SG_L_PID_NS)) &&
	    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		return -errno;
	return 0;
}

static int
step_landlock(struct worker *w, const char **what)
{
	int rc = sg_landlock_apply(w->plan);

	*what = "landlock";
	if (rc > 0)
		w->board->landlock_abi = rc;
	return rc < 0 ? rc : 0;
}

static int
add_filter(struct sg_str filter, unsigned flags)
{
	struct sock_fprog prog = { (unsigned short)(filter.n /
						    sizeof(struct sock_filter)),
				   (struct sock_filter *)(uintptr_t)filter.p };
	int fd = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags,
			      &prog);

	return fd < 0 ? -errno : fd;
}

/* With the program goes the report of who we are, and the listener. */
static int
step_seccomp(struct worker *w, const char **what)
{
	bool notify = w->plan->want & SG_L_BIT(SG_L_NOTIFY);
	bool final = w->plan->final.n > 0;
	int fd, rc;

	*what = "system call filter";
	/* The interpreter that is there already will do neither. */
	if (final && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return -errno;
	fd = add_filter(final ? w->plan->final : w->plan->first,
			notify ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0);
	if (fd < 0)
		return fd;
	rc = sg_report_send(REPORT_FD,
			    notify ? SG_REPORT_LISTENER : SG_REPORT_WORKER,
			    notify ? fd : -1);
	if (notify)
		(void)close(fd);
	w->board->note[SG_L_NOTIFY].state = notify ? SG_LAYER_ACTIVE
						   : SG_LAYER_OFF;
	return rc;
}

static const struct step {
	int layer; /* enum sg_layer_id, -1: always done, never left out */
	bool soft;
	int (*run)(struct worker *w, const char **what);
} steps[] = {
	{ -1, false, step_groups },
	{ -1, false, step_fds },
	{ -1, false, step_signals },
	{ -1, false, step_oom },
	{ SG_L_RLIMITS, false, step_rlimits },
	{ -1, false, step_pages },
	{ -1, false, step_user },
	{ SG_L_CAPS, false, step_caps },
	{ SG_L_NNP, false, step_nnp },
	{ SG_L_LANDLOCK, true, step_landlock },
	{ SG_L_SECCOMP, false, step_seccomp },
};

/*
 * Each run that is forked from a zygote does these for itself; they would
 * keep the zygote from making boxes.
 */
static bool
is_for_runs(int layer)
{
	return layer == SG_L_LANDLOCK || layer == SG_L_SECCOMP;
}

/* Waits for the mapping; the warden's end would close the pipe as well. */
void
sg_worker_wait(int go, struct sg_board *board)
{
	char byte;

	if (go < 0)
		return;
	if (read(go, &byte, 1) != 1)
		_exit(1);
	board->note[SG_L_USER_NS].state = SG_LAYER_ACTIVE;
}

void
sg_worker_main(const struct sg_plan *plan, struct sg_board *board, int go)
{
	struct worker w = { plan, board };
	const char *what = "";

	sg_worker_wait(go, board);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		const struct step *s = &steps[i];
		int rc;

		if (s->layer >= 0 && !(plan->want & SG_L_BIT(s->layer)))
			continue;
		if (plan->zygote && is_for_runs(s->layer))
			continue;
		rc = s->run(&w, &what);
		if (rc < 0 && (!s->soft || plan->must & SG_L_BIT(s->layer))) {
			/* A filter without a listener may still be had. */
			int layer =
				s->layer == SG_L_SECCOMP &&
						plan->want &
							SG_L_BIT(SG_L_NOTIFY)
					? SG_L_NOTIFY
					: s->layer;

			sg_board_fail(board, layer, -rc, what);
			_exit(1);
		}
		if (s->layer < 0)
			continue;
		board->note[s->layer].sys = rc < 0 ? -rc : 0;
		board->note[s->layer].state = rc < 0 ? SG_LAYER_UNAVAILABLE
						     : SG_LAYER_ACTIVE;
	}
	if (plan->probe) {
		char byte;

		/* Until the supervisor has had its look. */
		_exit(read(REQUEST_FD, &byte, 1) == 0 ? 0 : 1);
	}
	if (plan->forked) {
		/* Else execve() would close it. */
		(void)close(REPORT_FD);
		return;
	}
	(void)execve(plan->argv[0], plan->argv, plan->envp);
	sg_board_fail(board, -1, errno, "executing the interpreter");
	_exit(1);
}
