#include "executor/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executor/order.h"

/*
 * Theory of operation.  The warden is the first process of the fresh
 * namespaces, with the supervisor's memory and the powers that building the
 * box needs.  It works through its steps (steps.c).  When one ends it, the
 * supervisor reads the board and decides whether to try again with less or to
 * refuse.
 *
 * It then starts the worker, lets go of every descriptor but two and of
 * every power, and waits: for the worker's end, which it writes on the
 * board, or for the end of the supervisor, which it learns from the life
 * pipe (and from the parent-death signal, whichever comes first).  When it
 * exits, the kernel kills whatever is left in its pid namespace before
 * anyone can see it gone.
 */

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
	rc = sg_steps_map(base, p->in_uid, p->out_uid, p->in_gid, p->out_gid);
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
start_worker(struct sg_warden *w)
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
give_up_powers(struct sg_warden *w)
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
reap(struct sg_warden *w)
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
watch(struct sg_warden *w, const sigset_t *child)
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
	struct sg_warden w = { plan, board, -1, -1, -1 };
	sigset_t child;

	close_others(keep, sizeof(keep) / sizeof(keep[0]));
	own_signals(&child);
	(void)setsid();
	(void)prctl(PR_SET_NAME, plan->zygote ? "sg-zygote" : "sg-warden", 0, 0,
		    0);
	if (plan->is_root)
		(void)syscall(SYS_setgroups, 0, NULL);
	sg_steps_all(&w);
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
park(struct sg_warden *w, int gate[2])
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
serve_order(struct sg_warden *w, const struct sg_plan *early, int gate,
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
	sg_steps_late(w);
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
	struct sg_warden w = { &early, &board, -1, -1, o->sock };
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
	sg_steps_early(&w);
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
