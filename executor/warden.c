#include "executor/steps.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "executor/order.h"
#include "executor/sys.h"

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
 *
 * A warm run's does the same with less: see warden.h for what it may touch.
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
	while (pid > 0 && sg_sys_wait_for(pid) == -EINTR)
		;
}

/* Writes the worker's mapping and lets it go on. */
static int
release_worker(const struct sg_plan *p, pid_t pid, int go)
{
	char base[32];
	int rc;

	(void)snprintf(base, sizeof(base), "/proc/%d", (int)pid);
	rc = sg_steps_map(base, p->forked || p->clone_flags & CLONE_NEWUSER,
			  p->in_uid, p->out_uid, p->in_gid, p->out_gid);
	if (rc == 0)
		rc = (int)sg_sys_write(go, "g", 1);
	return rc < 0 ? rc : 0;
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
	int go[2] = { -1, -1 }, rc = 0;
	pid_t pid = -ENOENT;

	/* Ours is none for root: the worker learns that from the board. */
	if (p->is_root)
		user->state = SG_LAYER_OFF;
	if (nest && sg_sys_pipe(go) == 0)
		pid = fork_worker(p, CLONE_NEWUSER);
	nest = pid >= 0;
	if (!nest && p->is_root && p->want & SG_L_BIT(SG_L_USER_NS)) {
		user->state = SG_LAYER_UNAVAILABLE;
		user->sys = -pid;
		if (p->must & SG_L_BIT(SG_L_USER_NS)) {
			sg_board_fail(w->board, SG_L_USER_NS, -pid,
				      "starting the worker");
			sg_steps_give_up(w);
		}
	}
	if (!nest)
		pid = fork_worker(p, 0);
	if (pid == 0 && p->forked) {
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
		sg_board_fail(w->board, SG_L_USER_NS, pid < 0 ? -pid : -rc,
			      "starting the worker");
		sg_steps_give_up(w);
	}
	if (nest)
		user->state = SG_LAYER_ACTIVE;
	(void)sg_sys_close(go[0]);
	(void)sg_sys_close(go[1]);
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
			(void)sg_sys_close_range(from, next - 1);
		from = next + 1;
	}
	(void)sg_sys_close_range(from, ~0u);
}

/* From here on the warden can wait, exit, and nothing else. */
static void
give_up_powers(struct sg_warden *w)
{
	const struct sg_plan *p = w->plan;
	const int keep[] = { p->fds.life, w->order.fds[SG_ORDER_FILE] };

	close_others(keep, 2);
	if (p->is_root) {
		(void)sg_sys(SYS_setresgid, p->out_gid, p->out_gid, p->out_gid,
			     0, 0);
		(void)sg_sys(SYS_setresuid, p->out_uid, p->out_uid, p->out_uid,
			     0, 0);
	}
	(void)(p->forked ? sg_caps_none() : sg_caps_drop());
	(void)sg_sys_prctl(PR_SET_NO_NEW_PRIVS, 1, 0);
	/* It is the zygote's in a warm run, whose files wardens must write. */
	if (!p->forked)
		(void)sg_sys_prctl(PR_SET_DUMPABLE, 0, 0);
	/* A change of user clears it. */
	(void)sg_sys_prctl(PR_SET_PDEATHSIG, SIGKILL, 0);
}

/* What the worker came to, on the board. */
static void
put_end(struct sg_warden *w, int status, const struct rusage *ru)
{
	const size_t at = offsetof(struct sg_board, done);
	struct sg_board *b = w->board;

	b->wait_status = status;
	b->cpu_us = (uint64_t)(ru->ru_utime.tv_sec + ru->ru_stime.tv_sec) *
			    1000000 +
		    (uint64_t)(ru->ru_utime.tv_usec + ru->ru_stime.tv_usec);
	b->max_rss = (uint64_t)ru->ru_maxrss * 1024;
	b->done = 1;
	if (!w->plan->forked)
		return;
	/* The rest of it may be the worker's. */
	(void)sg_sys_pwrite(w->order.fds[SG_ORDER_FILE], (char *)b + at,
			    sizeof(*b) - at, (off_t)at);
	(void)sg_sys_send(w->plan->fds.life, "D", 1);
}

/* True once the worker is gone; what it came to stands on the board. */
static bool
reap(struct sg_warden *w)
{
	struct rusage ru = { .ru_maxrss = 0 };
	int status = 0;
	pid_t pid;

	while ((pid = sg_sys_wait_now(&status, &ru)) > 0) {
		if (pid != w->worker)
			continue;
		put_end(w, status, &ru);
		return true;
	}
	return false;
}

#define CHILD (UINT64_C(1) << (SIGCHLD - 1))

static noreturn void
watch(struct sg_warden *w)
{
	int signals = sg_sys_signalfd(CHILD);
	unsigned char info[128]; /* struct signalfd_siginfo */
	struct pollfd pfd[2] = { { signals, POLLIN, 0 },
				 { w->plan->fds.life, POLLIN, 0 } };
	ssize_t n;

	for (;;) {
		if (reap(w))
			_exit(0);
		n = sg_sys_poll(pfd, 2);
		if (n < 0 && n != -EINTR)
			_exit(1);
		if (pfd[1].revents)
			_exit(1);
		n = pfd[0].revents ? sg_sys_read(signals, info, sizeof(info))
				   : 0;
		if (n < 0 && n != -EAGAIN && n != -EINTR)
			_exit(1);
	}
}

#define NO_ORDER                                \
	{                                       \
		.fds = { [SG_ORDER_FILE] = -1 } \
	}

/* The caller's handlers must not run here; SIGCHLD comes by descriptor. */
static void
begin(const char *name, uint64_t handled)
{
	sg_sys_signals(handled, CHILD);
	(void)sg_sys(SYS_setsid, 0, 0, 0, 0, 0);
	(void)sg_sys_prctl(PR_SET_NAME, (unsigned long)(uintptr_t)name, 0);
}

noreturn void
sg_warden_main(const struct sg_plan *plan, struct sg_board *board)
{
	const struct sg_plan_fds *f = &plan->fds;
	const int keep[] = { f->in,      f->out,    f->err,  f->result,
			     f->request, f->report, f->life, f->memory,
			     f->pids,    f->group };
	struct sg_warden w = { plan, board, -1, -1, -1, NO_ORDER };

	close_others(keep, sizeof(keep) / sizeof(keep[0]));
	begin(plan->zygote ? "sg-zygote" : "sg-warden", ~UINT64_C(0));
	if (plan->is_root)
		(void)sg_sys(SYS_setgroups, 0, 0, 0, 0, 0);
	sg_steps_all(&w);
	if (plan->zygote)
		burn_pid();
	(void)start_worker(&w);
	give_up_powers(&w);
	watch(&w);
}

/* --- in a clone of a zygote ---------------------------------------------- */

/* Both ends of what hands the order on; false in the warden. */
static bool
park(struct sg_warden *w, int gate[2])
{
	if (sg_sys_socketpair(SOCK_SEQPACKET, gate) < 0)
		_exit(1);
	if (start_worker(w)) {
		close_others(&gate[1], 1);
		return true;
	}
	(void)sg_sys_close(gate[1]);
	return false;
}

/* Goes on with an order; returns in the worker only, if that is not parked. */
static void
serve_order(struct sg_warden *w, struct sg_plan *p, int gate)
{
	if (!sg_order_wait(w->sock, &w->order))
		_exit(0);
	p->fds.life = w->sock;
	p->fds.report = w->order.fds[SG_ORDER_REPORT];
	p->fds.group = w->order.fds[SG_ORDER_GROUP];
	w->sock = -1;
	sg_steps_late(w);
	sg_steps_publish(w);
	if (gate >= 0 ? sg_order_send(gate, &w->order) : !start_worker(w)) {
		give_up_powers(w);
		watch(w);
	}
	if (gate >= 0)
		_exit(1);
}

void
sg_warden_spare(const struct sg_spare_opts *o, struct sg_parked *ret)
{
	struct sg_plan plan = sg_parked_plan(&o->ask, o->tid);
	struct sg_board board;
	struct sg_warden w = { &plan, &board, -1, -1, o->sock, NO_ORDER };
	int gate[2] = { -1, -1 };

	memset(ret, 0, sizeof(*ret));
	ret->gate = -1;
	ret->ask = o->ask;
	ret->tid = o->tid;
	ret->batch = o->batch;
	memcpy(ret->signals, o->signals, sizeof(ret->signals));
	memcpy(ret->actions, o->actions, sizeof(ret->actions));
	memset(&board, 0, sizeof(board));
	close_others(&o->sock, 1);
	(void)sg_sys_prctl(PR_GET_NAME, (unsigned long)(uintptr_t)ret->name, 0);
	begin("sg-warden", o->handled);
	sg_steps_early(&w);
	if (o->ask.park && park(&w, gate)) {
		ret->gate = gate[1];
	} else {
		if (sg_sys_send(o->sock, "R", 1) != 1)
			_exit(1);
		serve_order(&w, &plan, gate[0]);
		ret->order = w.order;
	}
	ret->nested = board.note[SG_L_USER_NS].state == SG_LAYER_ACTIVE;
}
