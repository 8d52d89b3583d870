#include "executor/warden.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executor/order.h"
#include "executor/root.h"

/*
 * Theory of operation.  The warden is the first process of the fresh
 * namespaces, with the supervisor's memory and the powers that building the
 * box needs.  It works through the steps below in order.  A step that fails
 * either leaves its layer out (when it is one that can be left out in place)
 * or ends the attempt: the supervisor reads the board and decides whether to
 * try again with less or to refuse.
 *
 * It then starts the worker, lets go of every descriptor but two and of
 * every power, and waits: for the worker's end, which it writes on the
 * board, or for the end of the supervisor, which it learns from the life
 * pipe (and from the parent-death signal, whichever comes first).  When it
 * exits, the kernel kills whatever is left in its pid namespace before
 * anyone can see it gone.
 */

struct warden {
	const struct sg_plan *plan;
	struct sg_board *board;
	int workspace; /* its folder, until it is sent; -1 */
	pid_t worker;
	int sock; /* of a fork of a zygote that has no order yet; -1 */
};

/* --- steps --------------------------------------------------------------- */

static int
put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), rc = 0;
	size_t n = strlen(text);

	if (fd < 0)
		return -errno;
	if (write(fd, text, n) != (ssize_t)n)
		rc = -errno;
	(void)close(fd);
	return rc;
}

/* Maps one user and one group for the process whose files are `base`. */
static int
map_ids(const char *base, uid_t in_uid, uid_t out_uid, gid_t in_gid,
	gid_t out_gid)
{
	char path[64], text[64];
	int rc;

	(void)snprintf(path, sizeof(path), "%s/setgroups", base);
	rc = put(path, "deny");
	if (rc < 0 && rc != -ENOENT)
		return rc;
	(void)snprintf(path, sizeof(path), "%s/uid_map", base);
	(void)snprintf(text, sizeof(text), "%u %u 1", in_uid, out_uid);
	rc = put(path, text);
	if (rc < 0)
		return rc;
	(void)snprintf(path, sizeof(path), "%s/gid_map", base);
	(void)snprintf(text, sizeof(text), "%u %u 1", in_gid, out_gid);
	return put(path, text);
}

static int
step_die_with_parent(struct warden *w, const char **what)
{
	struct pollfd life = { w->plan->fds.life, POLLIN, 0 };

	*what = "parent-death signal";
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		return -errno;
	/* It may have died before the line above. */
	return poll(&life, 1, 0) == 0 ? 0 : -ESRCH;
}

static int
step_user(struct warden *w, const char **what)
{
	const struct sg_plan *p = w->plan;

	*what = "mapping the user";
	if (!(p->clone_flags & CLONE_NEWUSER))
		return 0;
	return map_ids("/proc/self", p->in_uid, p->self_uid, p->in_gid,
		       p->self_gid);
}

static int
step_cgroup_ns(struct warden *w, const char **what)
{
	(void)w;
	*what = "cgroup namespace";
	return unshare(CLONE_NEWCGROUP) < 0 ? -errno : 0;
}

static int
step_uts(struct warden *w, const char **what)
{
	(void)w;
	*what = "host name";
	if (sethostname("sandbox", 7) < 0 || setdomainname("", 0) < 0)
		return -errno;
	return 0;
}

static int
step_root(struct warden *w, const char **what)
{
	return sg_root_build(w->plan, what);
}

/* What is mounted from here on is nobody else's. */
static int
step_same_root(struct warden *w, const char **what)
{
	(void)w;
	*what = "/";
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ? -errno
								     : 0;
}

static int
step_proc(struct warden *w, const char **what)
{
	return sg_root_proc(w->plan, what);
}

static int
step_workspace(struct warden *w, const char **what)
{
	return sg_root_workspace(w->plan, &w->workspace, what);
}

static int
step_seal(struct warden *w, const char **what)
{
	(void)w;
	return sg_root_seal(what);
}

/* Without a mount namespace the supervisor has made the folders. */
static int
step_plain_workspace(struct warden *w, const char **what)
{
	int temp, rc;

	if (w->plan->want & SG_L_BIT(SG_L_WORKSPACE))
		return 0;
	*what = w->plan->workspace;
	w->workspace = open(w->plan->workspace,
			    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	temp = open(w->plan->temp, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->workspace < 0 || temp < 0)
		return -errno;
	rc = sg_root_inputs(w->plan, w->workspace, temp, what);
	(void)close(temp);
	return rc;
}

static int
step_enter(struct warden *w, const char **what)
{
	int rc;

	*what = w->plan->workspace;
	if (chdir(w->plan->workspace) < 0)
		return -errno;
	(void)umask(022);
	rc = sg_report_send(w->plan->fds.report, SG_REPORT_WORKSPACE,
			    w->workspace);
	(void)close(w->workspace);
	w->workspace = -1;
	return rc;
}

/* Steps that may be left out where they stand say so with `soft`. */
struct step {
	int layer; /* enum sg_layer_id, -1: always done, never left out */
	bool soft;
	int (*run)(struct warden *w, const char **what);
};

static const struct step steps[] = {
	{ -1, false, step_die_with_parent },
	{ SG_L_USER_NS, false, step_user },
	{ SG_L_CGROUP_NS, true, step_cgroup_ns },
	{ SG_L_UTS_NS, false, step_uts },
	{ SG_L_ROOT, false, step_root },
	{ SG_L_PROC, true, step_proc },
	{ SG_L_WORKSPACE, false, step_workspace },
	{ SG_L_ROOT, false, step_seal },
	{ -1, false, step_plain_workspace },
	{ -1, false, step_enter },
	{ 0, false, NULL },
};

/* In a fork of a zygote, whose root is the box's: before the order, */
static const struct step early_steps[] = {
	{ SG_L_USER_NS, false, step_user },
	{ SG_L_CGROUP_NS, true, step_cgroup_ns },
	{ SG_L_UTS_NS, false, step_uts },
	{ SG_L_ROOT, false, step_same_root },
	{ SG_L_PROC, false, step_proc },
	{ 0, false, NULL },
};
/* and after it. */
static const struct step late_steps[] = {
	{ SG_L_WORKSPACE, false, step_workspace },
	{ -1, false, step_enter },
	{ 0, false, NULL },
};

/* The end of a warden that has failed: the supervisor reads the board. */
static noreturn void
give_up(struct warden *w)
{
	if (w->sock >= 0)
		(void)send(w->sock, w->board, sizeof(*w->board), MSG_NOSIGNAL);
	_exit(1);
}

static void
run_steps(struct warden *w, const struct step *s)
{
	for (; s->run; s++) {
		const char *what = "";
		int rc;

		if (s->layer >= 0 && !(w->plan->want & SG_L_BIT(s->layer)))
			continue;
		rc = s->run(w, &what);
		if (rc < 0 &&
		    (!s->soft || w->plan->must & SG_L_BIT(s->layer))) {
			sg_board_fail(w->board, s->layer, -rc, what);
			give_up(w);
		}
		if (s->layer < 0)
			continue;
		w->board->note[s->layer].sys = rc < 0 ? -rc : 0;
		w->board->note[s->layer].state = rc < 0 ? SG_LAYER_UNAVAILABLE
							: SG_LAYER_ACTIVE;
	}
}

/* --- worker -------------------------------------------------------------- */

static pid_t
fork_worker(const struct sg_plan *p, uint64_t flags)
{
	return sg_fork(flags, SIGCHLD, NULL, p->tid, p->fds.group);
}

/*
 * What libraries keep for each process they may tell by its id: a zygote
 * must not have the one that the workers of its runs will have.
 */
static void
burn_pid(void)
{
	pid_t pid = sg_fork(0, SIGCHLD, NULL, NULL, -1);

	if (pid == 0)
		_exit(0);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Writes the worker's mapping and lets it go on. */
static int
release_worker(const struct sg_plan *p, pid_t pid, int go)
{
	char base[32];
	int rc;

	(void)snprintf(base, sizeof(base), "/proc/%d", (int)pid);
	rc = map_ids(base, p->in_uid, p->out_uid, p->in_gid, p->out_gid);
	if (rc == 0 && write(go, "g", 1) != 1)
		rc = -errno;
	return rc;
}

/*
 * The worker gets a user namespace of its own, so that not even a process
 * with every capability in it has any over the mounts around it.  Without
 * /proc the mapping cannot be written; then its namespace is the warden's.
 * True in the worker, if it is to go on.
 */
static bool
start_worker(struct warden *w)
{
	const struct sg_plan *p = w->plan;
	struct sg_layer_note *user = &w->board->note[SG_L_USER_NS];
	bool nest = p->want & SG_L_BIT(SG_L_USER_NS) &&
		    w->board->note[SG_L_PROC].state == SG_LAYER_ACTIVE;
	int go[2] = { -1, -1 }, rc = 0, why = ENOENT;
	pid_t pid = -1;

	/* Ours is none for root: the worker learns that from the board. */
	if (p->is_root)
		user->state = SG_LAYER_OFF;
	if (nest && pipe2(go, O_CLOEXEC) == 0) {
		pid = fork_worker(p, CLONE_NEWUSER);
		why = errno;
	}
	nest = pid >= 0;
	if (!nest && p->is_root && p->want & SG_L_BIT(SG_L_USER_NS)) {
		user->state = SG_LAYER_UNAVAILABLE;
		user->sys = why;
		if (p->must & SG_L_BIT(SG_L_USER_NS)) {
			sg_board_fail(w->board, SG_L_USER_NS, why,
				      "starting the worker");
			_exit(1);
		}
	}
	if (!nest)
		pid = fork_worker(p, 0);
	if (pid == 0 && p->forked && !p->spec) {
		/* There is no order yet. */
		sg_worker_wait(nest ? go[0] : -1, w->board);
		return true;
	}
	if (pid == 0) {
		sg_worker_main(p, w->board, nest ? go[0] : -1);
		return true;
	}
	if (pid > 0 && nest)
		rc = release_worker(p, pid, go[1]);
	if (pid < 0 || rc < 0) {
		sg_board_fail(w->board, SG_L_USER_NS, pid < 0 ? errno : -rc,
			      "starting the worker");
		_exit(1);
	}
	if (nest)
		user->state = SG_LAYER_ACTIVE;
	(void)close(go[0]);
	(void)close(go[1]);
	w->worker = pid;
	return false;
}

/* Closes all but the `n` descriptors in `keep`. */
static void
close_others(const int *keep, size_t n)
{
	unsigned from = 0;

	for (;;) {
		unsigned next = ~0u;

		for (size_t i = 0; i < n; i++)
			if (keep[i] >= 0 && (unsigned)keep[i] >= from &&
			    (unsigned)keep[i] < next)
				next = (unsigned)keep[i];
		if (next == ~0u)
			break;
		if (next > from)
			(void)syscall(SYS_close_range, from, next - 1, 0);
		from = next + 1;
	}
	(void)syscall(SYS_close_range, from, ~0u, 0);
}

/* From here on the warden can wait, exit, and nothing else. */
static void
give_up_powers(struct warden *w)
{
	const struct sg_plan *p = w->plan;
	const int keep[] = { p->fds.life };

	close_others(keep, 1);
	if (p->is_root) {
		(void)syscall(SYS_setresgid, p->out_gid, p->out_gid,
			      p->out_gid);
		(void)syscall(SYS_setresuid, p->out_uid, p->out_uid,
			      p->out_uid);
	}
	(void)sg_caps_drop();
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	/* A change of user clears it. */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

/* True once the worker is gone; what it came to stands on the board. */
static bool
reap(struct warden *w)
{
	struct rusage ru;
	int status;
	pid_t pid;

	while ((pid = wait4(-1, &status, WNOHANG | __WALL, &ru)) > 0) {
		if (pid != w->worker)
			continue;
		w->board->wait_status = status;
		w->board->cpu_us =
			(uint64_t)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) *
				1000000 +
			(uint64_t)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec);
		w->board->max_rss = (uint64_t)ru.ru_maxrss * 1024;
		w->board->done = 1;
		if (w->plan->forked)
			(void)send(w->plan->fds.life, "D", 1, MSG_NOSIGNAL);
		return true;
	}
	return false;
}

static noreturn void
watch(struct warden *w, const sigset_t *child)
{
	int signals = signalfd(-1, child, SFD_CLOEXEC | SFD_NONBLOCK);
	struct signalfd_siginfo info;
	struct pollfd pfd[2] = { { signals, POLLIN, 0 },
				 { w->plan->fds.life, POLLIN, 0 } };

	for (;;) {
		if (reap(w))
			_exit(0);
		if (poll(pfd, 2, -1) < 0 && errno != EINTR)
			_exit(1);
		if (pfd[1].revents)
			_exit(1);
		if (pfd[0].revents && read(signals, &info, sizeof(info)) < 0 &&
		    errno != EAGAIN)
			_exit(1);
	}
}

/* The caller's handlers must not run here; SIGCHLD comes by descriptor. */
static void
own_signals(sigset_t *child)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };

	for (int s = 1; s < NSIG; s++)
		(void)sigaction(s, &dfl, NULL);
	(void)sigemptyset(child);
	(void)sigaddset(child, SIGCHLD);
	(void)sigprocmask(SIG_SETMASK, child, NULL);
}

noreturn void
sg_warden_main(const struct sg_plan *plan, struct sg_board *board)
{
	const struct sg_plan_fds *f = &plan->fds;
	const int keep[] = { f->in,      f->out,    f->err,  f->result,
			     f->request, f->report, f->life, f->memory,
			     f->pids,    f->group };
	struct warden w = { plan, board, -1, -1, -1 };
	sigset_t child;

	close_others(keep, sizeof(keep) / sizeof(keep[0]));
	own_signals(&child);
	(void)setsid();
	(void)prctl(PR_SET_NAME, plan->zygote ? "sg-zygote" : "sg-warden", 0, 0,
		    0);
	if (plan->is_root)
		(void)syscall(SYS_setgroups, 0, NULL);
	run_steps(&w, steps);
	if (plan->zygote)
		burn_pid();
	(void)start_worker(&w);
	give_up_powers(&w);
	watch(&w, &child);
}

/* --- in a fork of a zygote ----------------------------------------------- */

/* What the order leaves open. */
static void
complete(struct sg_plan *plan, const struct sg_plan *early, int sock)
{
	plan->clone_flags = early->clone_flags;
	plan->in_uid = plan->out_uid = plan->self_uid = early->in_uid;
	plan->in_gid = plan->out_gid = plan->self_gid = early->in_gid;
	plan->workspace = "/mnt/data";
	plan->temp = "/tmp";
	plan->forked = true;
	plan->tid = early->tid;
	plan->fds.life = sock;
}

/* What a warden knows before its order. */
static struct sg_plan
early_plan(const struct sg_ask *ask, void *tid)
{
	return (struct sg_plan){ .want = ask->want,
				 .clone_flags = ask->clone_flags,
				 .in_uid = ask->uid,
				 .out_uid = ask->uid,
				 .self_uid = ask->uid,
				 .in_gid = ask->gid,
				 .out_gid = ask->gid,
				 .self_gid = ask->gid,
				 .forked = true,
				 .fds = { .group = -1 },
				 .tid = tid };
}

/* As it was in the interpreter, which goes on. */
static void
wake_up(const struct sg_parked *p)
{
	(void)prctl(PR_SET_NAME, p->name, 0, 0, 0);
	for (int i = 0; i < SG_SPARE_SIGNALS; i++)
		(void)sigaction(p->signals[i], &p->actions[i], NULL);
}

/* In the worker; gone again when the interpreter goes on. */
static void
become_worker(const struct sg_plan *plan, struct sg_board *board, size_t size)
{
	sg_worker_main(plan, board, -1);
	(void)munmap(board, size);
}

void
sg_parked_wait(struct sg_parked *p)
{
	struct sg_plan early = early_plan(&p->ask, p->tid);
	struct sg_board *board;
	struct sg_order order;
	size_t size;

	board = sg_order_take(p->gate, &order, &size);
	if (!board)
		_exit(0);
	p->gate = -1;
	complete(&order.plan, &early, -1);
	/* The warden has mounted it since we were forked. */
	if (chdir(order.plan.workspace) < 0)
		_exit(1);
	(void)umask(022);
	p->sealed = order.plan.final.n > 0;
	become_worker(&order.plan, board, size);
}

/* Both ends of what hands the order on; false in the warden. */
static bool
park(struct warden *w, int gate[2])
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, gate) < 0)
		_exit(1);
	if (start_worker(w)) {
		close_others(&gate[1], 1);
		return true;
	}
	(void)close(gate[1]);
	return false;
}

/* Goes on with an order; returns in the worker only: whether it is sealed. */
static bool
serve_order(struct warden *w, const struct sg_plan *early, int gate,
	    const sigset_t *child)
{
	struct sg_board *board;
	struct sg_order order;
	int fds[SG_ORDER_FDS];
	size_t size;

	if (!sg_order_wait(w->sock, fds))
		_exit(0);
	board = sg_order_read(fds, false, &order, &size);
	if (!board)
		_exit(1);
	memcpy(board->note, w->board->note, sizeof(board->note));
	complete(&order.plan, early, w->sock);
	w->plan = &order.plan;
	w->board = board;
	w->sock = -1;
	run_steps(w, late_steps);
	if (gate >= 0 ? sg_order_send(gate, fds) : !start_worker(w)) {
		give_up_powers(w);
		watch(w, child);
	}
	if (gate >= 0)
		_exit(1);
	(void)munmap(board, size);
	w->board = NULL;
	w->plan = early;
	return order.plan.final.n > 0;
}

void
sg_warden_spare(const struct sg_spare_opts *o, struct sg_parked *ret)
{
	struct sg_plan early = early_plan(o->ask, o->tid);
	struct sg_board board;
	struct warden w = { &early, &board, -1, -1, o->sock };
	int gate[2] = { -1, -1 };
	sigset_t child;

	memset(ret, 0, sizeof(*ret));
	ret->gate = -1;
	ret->ask = *o->ask;
	ret->tid = o->tid;
	memcpy(ret->signals, o->signals, sizeof(ret->signals));
	memcpy(ret->actions, o->actions, sizeof(ret->actions));
	memset(&board, 0, sizeof(board));
	close_others(&o->sock, 1);
	own_signals(&child);
	(void)setsid();
	(void)prctl(PR_GET_NAME, ret->name, 0, 0, 0);
	(void)prctl(PR_SET_NAME, "sg-warden", 0, 0, 0);
	/* Else the files of this very process in /proc are root's. */
	(void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	run_steps(&w, early_steps);
	if (o->ask->park && park(&w, gate)) {
		ret->gate = gate[1];
		wake_up(ret);
		return;
	}
	if (send(o->sock, "R", 1, MSG_NOSIGNAL) != 1)
		_exit(1);
	ret->sealed = serve_order(&w, &early, gate[0], &child);
	wake_up(ret);
}
