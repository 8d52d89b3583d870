#include "executor/attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "executor/filterset.h"
#include "executor/home.h"
#include "executor/order.h"
#include "executor/pipes.h"
#include "executor/request.h"

#include "executor/warden.h"

/*
 * Theory of operation.  What a host refuses is found out by trying.  The
 * first try wants every layer.  When a step fails that cannot be left out
 * where it stands, the board names its layer; if the caller does not require
 * it, the next try does without it and all that depends on it.  Each try
 * takes at least one layer away, so there are few.
 */

enum { TRIES = 12 };

/* What cannot be had without the layer. */
static unsigned
dependents(const struct sg_attempt *a, int layer)
{
	const unsigned tree = SG_L_BIT(SG_L_MOUNT_NS) | SG_L_BIT(SG_L_ROOT) |
			      SG_L_BIT(SG_L_PROC) | SG_L_BIT(SG_L_WORKSPACE);
	const unsigned spaces = SG_L_BIT(SG_L_PID_NS) | SG_L_BIT(SG_L_NET_NS) |
				SG_L_BIT(SG_L_IPC_NS) | SG_L_BIT(SG_L_UTS_NS) |
				SG_L_BIT(SG_L_CGROUP_NS) |
				SG_L_BIT(SG_L_TIME_NS);

	switch (layer) {
	case SG_L_USER_NS:
		/* Root has the others without it. */
		return SG_L_BIT(SG_L_USER_NS) |
		       (a->plan.is_root ? 0 : tree | spaces);
	case SG_L_MOUNT_NS:
	case SG_L_ROOT:
	case SG_L_WORKSPACE:
		return tree;
	case SG_L_PID_NS:
		return SG_L_BIT(SG_L_PID_NS) | SG_L_BIT(SG_L_PROC);
	default:
		return SG_L_BIT(layer);
	}
}

int
sg_hold_standard_fds(struct sg_err *err)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= 2);
	if (fd < 0)
		return sg_err_sys(err, SG_EIO, errno, "cannot open /dev/null");
	(void)close(fd);
	return SG_OK;
}

void
sg_attempt_init(struct sg_attempt *a, const struct sg_box_spec *spec,
		const struct sg_python *py, struct sg_arena *arena,
		struct sg_result *ret)
{
	memset(a, 0, sizeof(*a));
	a->spec = spec;
	a->py = py;
	a->arena = arena;
	a->ret = ret;
	a->want = SG_L_ALL;
	a->begun = sg_clock_mono();
	sg_cgroup_init(&a->cgroup);
	a->board_size = sizeof(*a->board);
	a->order.fd = -1;
	a->open = true;
	sg_watch_init(&a->watch, spec, NULL);
}

static int
map_board(struct sg_attempt *a, struct sg_err *err)
{
	void *p = mmap(NULL, a->board_size, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return sg_err_sys(err, SG_ENOMEM, errno, "out of memory");
	a->board = a->watch.board = p;
	return SG_OK;
}

void
sg_attempt_release(struct sg_attempt *a)
{
	if (!a->open)
		return;
	sg_watch_release(&a->watch);
	/* Of a box that was let go something may still be under way. */
	if (a->groups && a->watch.dead)
		sg_groups_give(a->groups, &a->cgroup);
	else
		sg_cgroup_close(&a->cgroup);
	if (a->orders && a->watch.dead)
		sg_orders_give(a->orders, &a->order);
	else if (a->order.board)
		sg_order_file_close(&a->order);
	else if (a->board)
		(void)munmap(a->board, a->board_size);
	sg_home_remove(a->home);
	a->board = NULL;
	a->open = false;
}

/* --- one try ------------------------------------------------------------- */

/* `report`: the box's end of a socket that is there already, or -1. */
static int
make_pipes(struct sg_attempt *a, struct sg_pipes *p, int report,
	   struct sg_err *err)
{
	unsigned which = (a->spec->has_input ? SG_PIPES_INPUT : 0) |
			 (a->zygote ? SG_PIPES_TALK : 0) |
			 (a->plan.forked ? 0 : SG_PIPES_LIFE) |
			 (report < 0 ? SG_PIPES_REPORT : 0);
	int rc = sg_pipes_make(p, which, err);

	a->watch.fds = (struct sg_watch_fds){ p->in[0],      p->out[0],
					      p->err[0],     p->result[0],
					      p->request[0], p->report[0],
					      p->life[0],    -1 };
	a->plan.fds = (struct sg_plan_fds){
		p->in[1],
		p->out[1],
		p->err[1],
		p->result[1],
		p->request[1],
		report < 0 ? p->report[1] : report,
		p->life[1],
		a->cgroup.memory.self_fd,
		a->cgroup.pids.self_fd,
		a->cgroup.memory.kind == SG_CGROUP_V2 ? a->cgroup.memory.dir_fd
						      : -1,
	};
	return rc;
}

static int
spawn(struct sg_attempt *a, struct sg_err *err)
{
	sigset_t all, old;
	int pidfd = -1;
	pid_t pid;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	/* No exit signal: the caller's wait() loops must not see it. */
	pid = sg_fork(a->plan.clone_flags, 0, &pidfd, NULL, -1);
	if (pid == 0)
		sg_warden_main(&a->plan, a->board);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (pid < 0) {
		int layer = pid == -EINVAL && a->want & SG_L_BIT(SG_L_TIME_NS)
				    ? SG_L_TIME_NS
				    : SG_L_USER_NS;

		/* Root cannot make namespaces either: nothing is left. */
		if (layer == SG_L_USER_NS && a->plan.is_root)
			a->plan.is_root = false;
		sg_board_fail(a->board, a->plan.clone_flags ? layer : -1, -pid,
			      "starting the box");
		return sg_err_sys(err, SG_EBOX, -pid, "cannot start the box");
	}
	a->watch.fds.pidfd = pidfd;
	a->watch.warden = pid;
	return SG_OK;
}

/* Only a pid namespace makes sure that all of them can be ended. */
static bool
may_fork(const struct sg_attempt *a)
{
	return a->spec->limits.processes > 0 && a->want & SG_L_BIT(SG_L_PID_NS);
}

static int
get_filter(const struct sg_attempt *a, enum sg_filter_stage stage,
	   struct sg_str *ret, struct sg_err *err)
{
	struct sg_filter_opts o = { stage, SG_ARCH_NATIVE,
				    (a->want & SG_L_BIT(SG_L_NOTIFY)) != 0,
				    may_fork(a),
				    (a->want & SG_L_BIT(SG_L_PID_NS)) != 0 };

	return sg_filter_get(&o, a->arena, ret, err);
}

static int
build_request(struct sg_attempt *a, struct sg_err *err)
{
	struct sg_str filter = SG_STR_NONE;
	int rc = SG_OK;

	if (a->probe)
		return SG_OK;
	/* The order has brought it, or there is none. */
	if (!a->zygote && !a->plan.final.n)
		rc = get_filter(a, SG_FILTER_FINAL, &filter, err);
	if (rc == SG_OK)
		rc = sg_request_encode(a->spec, filter, a->known, a->arena,
				       &a->watch.request, err);
	return rc;
}

static int
plan_try(struct sg_attempt *a, struct sg_err *err)
{
	static const struct sg_python nobody = { "/usr/bin/false",
						 "/usr/bin/false" };
	bool own_root = (a->want & SG_L_BIT(SG_L_ROOT)) != 0;
	int rc;

	if (!own_root) {
		sg_home_sweep();
		rc = sg_home_make(a->home, sizeof(a->home), err);
		if (rc < 0)
			return rc;
	}
	a->plan.zygote = a->zygote != NULL;
	rc = sg_plan_make(a->spec, a->probe ? &nobody : a->py, &a->prepared,
			  a->want, own_root ? NULL : a->home, a->arena,
			  &a->plan, err);
	if (rc < 0)
		return rc;
	a->plan.probe = a->probe;
	if (!own_root) {
		rc = sg_home_fill(a->home, &a->plan, err);
		if (rc < 0)
			return rc;
	}
	return get_filter(a, SG_FILTER_FIRST, &a->plan.first, err);
}

static void
open_groups(struct sg_attempt *a)
{
	const struct sg_box_limits *l = &a->spec->limits;
	/*
	 * Where no process may be started, the rlimit counts threads as
	 * well: the user is the run's own.  Each group that is joined costs
	 * milliseconds.
	 */
	struct sg_cgroup_limits want = {
		l->memory, l->processes ? l->threads + l->processes + 1 : 0
	};

	if (a->groups)
		sg_groups_take(a->groups, &want, &a->cgroup);
	else
		sg_cgroup_open(&a->cgroup, &want, NULL);
}

static int
check_groups(const struct sg_attempt *a, struct sg_err *err)
{
	unsigned must = sg_layer_required(a->spec->require);

	if (must & SG_L_BIT(SG_L_MEMORY) && a->cgroup.memory.procs_fd < 0)
		return sg_err_set(err, SG_EBOX,
				  "required layer 'memory limit' is not "
				  "available: %s",
				  a->cgroup.memory.why);
	if (must & SG_L_BIT(SG_L_PIDS) && a->spec->limits.processes &&
	    a->cgroup.pids.procs_fd < 0)
		return sg_err_set(err, SG_EBOX,
				  "required layer 'process limit' is not "
				  "available: %s",
				  a->cgroup.pids.why);
	return SG_OK;
}

static void
new_watch(struct sg_attempt *a)
{
	if (a->board)
		memset(a->board, 0, sizeof(*a->board));
	sg_watch_release(&a->watch);
	sg_watch_init(&a->watch, a->spec, a->board);
	a->watch.cpus = a->cpus;
}

static int
open_frames(struct sg_attempt *a, struct sg_err *err)
{
	struct sg_frame_caps caps = { a->spec->limits.result,
				      a->spec->limits.images,
				      a->spec->limits.image_bytes };

	return sg_frame_init(&a->watch.frames, &caps, a->arena, a->ret, err);
}

static void
set_watch(struct sg_attempt *a)
{
	a->watch.begun = sg_clock_mono();
	a->watch.pidns = (a->want & SG_L_BIT(SG_L_PID_NS)) != 0;
	a->watch.tmpfs = (a->want & SG_L_BIT(SG_L_WORKSPACE)) != 0;
	a->watch.cgroup = &a->cgroup;
	a->watch.must = a->plan.must;
}

static int
run_try(struct sg_attempt *a, struct sg_err *err)
{
	struct sg_pipes p = SG_PIPES_NONE;
	int rc;

	new_watch(a);
	rc = open_frames(a, err);
	if (rc == SG_OK)
		rc = plan_try(a, err);
	if (rc == SG_OK)
		rc = make_pipes(a, &p, -1, err);
	set_watch(a);
	if (rc == SG_OK)
		rc = spawn(a, err);
	sg_pipes_close_theirs(&p);
	if (rc < 0)
		return rc;
	/* There is time for it now: the box is being built. */
	if (!a->zygote)
		(void)sg_cgroup_sweep();
	rc = build_request(a, err);
	if (a->zygote)
		return rc < 0 ? rc : sg_zygote_greet(&a->watch, err);
	if (rc < 0) {
		/* Nobody will ask for it: the box ends by its life pipe. */
		sg_fd_close(&a->watch.fds.request);
		sg_fd_close(&a->watch.fds.life);
		return sg_watch_run(&a->watch, NULL) < 0 ? SG_EBOX : rc;
	}
	return sg_watch_run(&a->watch, err);
}

/* --- again --------------------------------------------------------------- */

/*
 * Takes away what failed.  SG_OK: try again; SG_EBOX: it was required, or
 * there is nothing to take away.
 */
static int
give_way(struct sg_attempt *a, struct sg_err *err)
{
	const struct sg_board_fault *f = &a->board->fault;
	unsigned gone, must = sg_layer_required(a->spec->require);

	if (f->layer < 0)
		return sg_err_sys(err, SG_EBOX, f->sys,
				  "cannot build the box: %s", f->what);
	gone = dependents(a, f->layer) & a->want;
	if (!gone || gone & must)
		return sg_err_sys(err, SG_EBOX, f->sys,
				  "required layer '%s' is not available: %s",
				  sg_layer_name((enum sg_layer_id)f->layer),
				  f->what);
	for (unsigned i = 0; i < SG_L_COUNT; i++) {
		if (!(gone & SG_L_BIT(i)))
			continue;
		a->missing[i].state = SG_LAYER_UNAVAILABLE;
		a->missing[i].sys = f->sys;
		a->missing[i].with = (int)i == f->layer ? 0 : f->layer + 1;
	}
	a->want &= ~gone;
	return SG_OK;
}

/* What stands in for a program that did not even start. */
static int
explain_no_start(const struct sg_attempt *a, struct sg_err *err)
{
	const struct sg_buf *e = &a->watch.err.head;
	struct sg_str text = sg_buf_view(e), last;
	size_t at;

	if (a->watch.end == SG_END_START)
		return sg_err_set(err, SG_EBOX,
				  "the interpreter did not start in %d s",
				  SG_BOX_START_MS / 1000);
	while (text.n && text.p[text.n - 1] == '\n')
		text.n--;
	for (at = text.n; at > 0 && text.p[at - 1] != '\n'; at--)
		;
	last = sg_str_slice(text, at, text.n);
	return sg_err_set(err, SG_EBOX,
			  "the interpreter ended before the program: "
			  "status %#x: %.*s",
			  (unsigned)a->board->wait_status, SG_STR_ARG(last));
}

int
sg_attempt_run(struct sg_attempt *a, struct sg_err *err)
{
	int rc = a->board ? SG_OK : map_board(a, err);

	if (rc == SG_OK && !a->zygote) {
		open_groups(a);
		rc = check_groups(a, err);
	}
	if (rc < 0)
		return rc;
	for (int i = 0; i < TRIES; i++) {
		struct sg_err now;

		sg_err_clear(&now);
		rc = run_try(a, &now);
		if (a->board->faulty) {
			rc = give_way(a, err);
			if (rc < 0)
				return rc;
			continue;
		}
		if (rc < 0) {
			if (err)
				*err = now;
			return rc;
		}
		if (!a->probe && !a->zygote && !a->watch.started &&
		    a->watch.end != SG_END_CANCEL)
			return explain_no_start(a, err);
		return SG_OK;
	}
	return sg_err_set(err, SG_EBOX, "cannot build the box");
}

/* --- in a box of a zygote ------------------------------------------------ */

/* The board of a run and its order are one file. */
static int
make_order(struct sg_attempt *a, struct sg_err *err)
{
	struct sg_buf b;
	int rc;

	sg_buf_init(&b, SIZE_MAX / 2);
	sg_order_encode(&a->plan, &b);
	if (sg_buf_failed(&b))
		rc = sg_err_set(err, SG_ENOMEM, "out of memory");
	else
		rc = sg_orders_take(a->orders, sg_buf_view(&b), &a->order, err);
	sg_buf_release(&b);
	a->board = a->watch.board = a->order.board;
	return rc;
}

static int
send_order(struct sg_attempt *a, int sock, struct sg_err *err)
{
	const struct sg_plan_fds *f = &a->plan.fds;
	struct sg_order_msg m = {
		{ f->in, f->out, f->err, f->result, f->request, f->report,
		  f->memory, f->pids, f->group, -1 },
		a->spec->limits.workspace,
		a->spec->limits.inodes,
	};
	int rc = make_order(a, err);

	m.fds[SG_ORDER_FILE] = a->order.fd;
	if (rc == SG_OK && !sg_order_send(sock, &m))
		rc = sg_err_set(err, SG_EBOX, "the box is gone");
	return rc;
}

int
sg_attempt_arrange(struct sg_attempt *a, int sock, int report,
		   struct sg_err *err)
{
	struct sg_pipes p = SG_PIPES_NONE;
	int rc;

	open_groups(a);
	rc = check_groups(a, err);
	/* Pages of the zygote's would count in each of its processes. */
	if (rc == SG_OK && a->spec->limits.processes &&
	    a->cgroup.memory.procs_fd < 0)
		rc = sg_err_set(err, SG_EBOX, "no control group to count by");
	new_watch(a);
	sg_plan_forked(a->spec, &a->prepared, a->want, &a->plan);
	/* Else the driver does what it can, as in a cold run. */
	if (rc == SG_OK && a->want & SG_L_BIT(SG_L_SECCOMP))
		rc = get_filter(a, SG_FILTER_WHOLE, &a->plan.final, err);
	if (rc == SG_OK)
		rc = make_pipes(a, &p, report, err);
	if (rc == SG_OK)
		rc = send_order(a, sock, err);
	sg_pipes_close_theirs(&p);
	return rc;
}

int
sg_attempt_go(struct sg_attempt *a, struct sg_spare *spare, struct sg_err *err)
{
	int rc = open_frames(a, err);

	if (rc == SG_OK)
		rc = build_request(a, err);
	set_watch(a);
	/* There will be no execve() of ours, and no other seccomp(). */
	a->watch.denials.exec_used = true;
	a->watch.denials.seccomp_used = a->plan.final.n > 0;
	a->watch.forked = true;
	a->watch.fds.life = spare->sock;
	a->watch.fds.pidfd = spare->pidfd;
	a->watch.warden = spare->pid;
	spare->sock = spare->pidfd = -1;
	if (rc < 0) {
		sg_fd_close(&a->watch.fds.request);
		return sg_watch_run(&a->watch, NULL) < 0 ? SG_EBOX : rc;
	}
	rc = sg_watch_run(&a->watch, err);
	if (rc == SG_OK && a->board->faulty)
		return sg_err_sys(err, SG_EBOX, a->board->fault.sys,
				  "cannot build the box: %s",
				  a->board->fault.what);
	if (rc == SG_OK && !a->watch.started && a->watch.end != SG_END_CANCEL)
		return explain_no_start(a, err);
	return rc;
}
