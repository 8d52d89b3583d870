#include "executor/zygote.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "executor/attempt.h"
#include "executor/order.h"
#include "executor/ready.h"
#include "executor/root.h"
#include "executor/report.h"
#include "executor/sample.h"

/*
 * Theory of operation.  A zygote is started as a cold run is, by an attempt
 * that takes layers away which the host refuses; it differs in what the
 * worker leaves out, and in what it executes.  Its result pipe is a socket,
 * on which it is asked for boxes.
 *
 * Boxes are asked for ahead: an ask is one end of a socket pair, and our
 * ends wait in a queue.  Answers come in the order of the asks and wait in
 * the sockets, so nothing of ours has to be awake for a box to be built.
 */

enum {
	START_MS = 60000, /* importing may take seconds, on a busy machine */
	ARENA = 64 << 20
};

/* Without these a box of a zygote is none. */
#define NEEDED                                                               \
	(SG_L_BIT(SG_L_USER_NS) | SG_L_BIT(SG_L_MOUNT_NS) |                  \
	 SG_L_BIT(SG_L_PID_NS) | SG_L_BIT(SG_L_ROOT) | SG_L_BIT(SG_L_PROC) | \
	 SG_L_BIT(SG_L_WORKSPACE))

/* --- messages ------------------------------------------------------------ */

/* One message: its bytes, a descriptor (-1: none) and who sent it (0). */
struct message {
	char data[sizeof(struct sg_board)];
	ssize_t n;
	int fd;
	pid_t pid;
};

static void
receive(int sock, struct message *m)
{
	m->n = sg_report_take(sock, m->data, sizeof(m->data), &m->fd, &m->pid);
}

/* Waits until `sock` has something; false at `end`, or when `gone` has. */
static bool
wait_readable(int sock, int gone, uint64_t end)
{
	struct pollfd pfd[2] = { { sock, POLLIN, 0 }, { gone, POLLIN, 0 } };

	for (;;) {
		uint64_t now = sg_clock_mono();
		int n = poll(pfd, gone < 0 ? 1 : 2,
			     now < end ? (int)((end - now) / 1000000) + 1 : 0);

		if (n < 0 && errno == EINTR)
			continue;
		/* What the dead have said still counts. */
		if (n > 0 && pfd[0].revents & POLLIN)
			return true;
		return false;
	}
}

/* --- starting ------------------------------------------------------------ */

static void
reap(int pidfd)
{
	siginfo_t info;

	(void)syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
	while (waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED | __WALL) < 0 &&
	       errno == EINTR)
		;
}

static int
explain(const struct sg_watch *w, struct sg_err *err)
{
	char text[200];
	ssize_t n = -1;

	if (fcntl(w->fds.err, F_SETFL, O_NONBLOCK) == 0)
		n = read(w->fds.err, text, sizeof(text));
	return sg_err_set(err, SG_EBOX, "the zygote did not start: %.*s",
			  n > 0 ? (int)n : 0, text);
}

int
sg_zygote_greet(struct sg_watch *w, struct sg_err *err)
{
	uint64_t end = sg_clock_mono() + START_MS * 1000000ull;
	struct message m = { .n = 0, .fd = -1 };
	int rc = sg_fd_write_all(w->fds.request, w->request.p, w->request.n,
				 err);

	sg_fd_close(&w->fds.request);
	if (rc == SG_OK && wait_readable(w->fds.result, w->fds.pidfd, end))
		receive(w->fds.result, &m);
	sg_fd_close(&m.fd);
	w->worker = m.pid;
	if (m.n == 1 && m.data[0] == SG_ZYGOTE_READY)
		return SG_OK;
	reap(w->fds.pidfd);
	w->dead = true;
	if (m.n == 1 && m.data[0] == SG_ZYGOTE_MISSING)
		return sg_err_set(err, SG_ENOENT,
				  "a module of the set is not installed");
	if (m.n == 1)
		return sg_err_set(err, SG_EBOX,
				  "a module of the set starts threads or keeps "
				  "files open");
	return explain(w, err);
}

/*
 * Before Linux 5.14 the processes of a user are counted together, whatever
 * user namespace each is in, and all runs of a zygote have one user.
 */
static bool
counts_apart(void)
{
	unsigned major, minor;
	struct utsname u;

	return uname(&u) == 0 &&
	       sscanf(u.release, "%u.%u", &major, &minor) == 2 &&
	       (major > 5 || (major == 5 && minor >= 14));
}

/* What the attempt has built, from its watch. */
static void
take_over(struct sg_zygote *z, struct sg_attempt *a)
{
	struct sg_watch_fds *f = &a->watch.fds;

	z->control = f->result;
	z->life = f->life;
	z->pidfd = f->pidfd;
	z->out = f->out;
	z->err = f->err;
	z->pid = a->watch.worker;
	z->want = a->want;
	memcpy(z->missing, a->missing, sizeof(z->missing));
	f->result = f->life = f->pidfd = f->out = f->err = -1;
}

/* The workspace of each run would cover part of the interpreter. */
static bool
is_covered(const struct sg_attempt *a)
{
	for (uint32_t i = 0; i < a->plan.binds.n; i++)
		if (sg_root_is_late(&a->plan, a->plan.binds.v[i].to))
			return true;
	return false;
}

static int
start(struct sg_zygote *z, struct sg_attempt *a, struct sg_err *err)
{
	int rc = sg_attempt_run(a, err);

	if (rc == SG_OK && (a->want & NEEDED) == NEEDED && !is_covered(a)) {
		take_over(z, a);
		return SG_OK;
	}
	if (a->watch.fds.pidfd >= 0 && !a->watch.dead)
		reap(a->watch.fds.pidfd);
	if (rc == SG_OK)
		rc = sg_err_set(err, SG_EBOX,
				"this host has not what a zygote needs, or "
				"the interpreter lies in the workspace");
	return rc;
}

/* Without memory its runs bring theirs. */
static void
keep_guard(struct sg_zygote *z, struct sg_str guard)
{
	char *p = guard.n ? malloc(guard.n) : NULL;

	if (!p)
		return;
	memcpy(p, guard.p, guard.n);
	z->guard = (struct sg_str){ p, guard.n };
}

int
sg_zygote_start(struct sg_zygote *z, const struct sg_python *py,
		const struct sg_prepared *prepared, enum sg_box_require require,
		const char *modules, struct sg_str guard, struct sg_err *err)
{
	char threads[16];
	const char *argv[] = { threads, NULL };
	struct sg_box_spec spec;
	struct sg_arena arena;
	struct sg_attempt a;
	struct sg_result r;
	int rc;

	memset(z, 0, sizeof(*z));
	z->control = z->life = z->pidfd = z->out = z->err = -1;
	if (!counts_apart())
		return sg_err_set(err, SG_EBOX,
				  "this kernel is too old for zygotes");
	(void)snprintf(threads, sizeof(threads), "%ld", sg_plan_threads());
	memset(&r, 0, sizeof(r));
	sg_box_spec_init(&spec);
	spec.code = sg_str_c(modules);
	spec.require = require;
	spec.argv = argv;
	spec.guard_text = guard;
	sg_arena_init(&arena, ARENA);
	sg_attempt_init(&a, &spec, py, &arena, &r);
	a.zygote = modules;
	a.prepared = *prepared;
	rc = start(z, &a, err);
	if (rc == SG_OK)
		keep_guard(z, guard);
	sg_attempt_release(&a);
	sg_arena_release(&arena);
	return rc;
}

void
sg_zygote_stop(struct sg_zygote *z)
{
	int *const fds[] = { &z->control, &z->life, &z->pidfd, &z->out,
			     &z->err };

	for (uint32_t i = 0; i < z->nasked; i++)
		sg_spare_drop(&z->asked[i]);
	z->nasked = 0;
	if (z->pidfd >= 0)
		reap(z->pidfd);
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		sg_fd_close(fds[i]);
	free((void *)(uintptr_t)z->guard.p);
	z->guard = SG_STR_NONE;
}

bool
sg_zygote_alive(const struct sg_zygote *z)
{
	struct pollfd pfd[2] = { { z->pidfd, POLLIN, 0 },
				 { z->control, 0, 0 } };

	return z->pidfd >= 0 && poll(pfd, 2, 0) == 0;
}

uint64_t
sg_zygote_memory(const struct sg_zygote *z)
{
	return sg_sample_memory(z->pid);
}

/* --- boxes --------------------------------------------------------------- */

static bool
send_ask(const struct sg_zygote *z, int fd)
{
	struct sg_box_spec spec;
	struct sg_prepared none;
	struct sg_plan plan;
	struct sg_ask ask;
	struct iovec iov = { &ask, sizeof(ask) };
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	memset(&none, 0, sizeof(none));
	sg_box_spec_init(&spec);
	sg_plan_forked(&spec, &none, z->want, &plan);
	memset(&ask, 0, sizeof(ask));
	ask.clone_flags = plan.clone_flags;
	ask.want = z->want;
	ask.uid = plan.in_uid;
	ask.gid = plan.in_gid;
	ask.park = !z->late;
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return sendmsg(z->control, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) ==
	       (ssize_t)sizeof(ask);
}

bool
sg_zygote_ask(struct sg_zygote *z, const struct sg_ready_for *f)
{
	struct sg_ready *run = NULL;
	int pair[2], on = 1;
	bool good;

	if (z->nasked == SG_ZYGOTE_PENDING || !sg_zygote_alive(z) ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return false;
	good = setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) ==
	       0;
	/* The order waits in the socket until the box can read it. */
	if (good && f)
		good = (run = sg_ready_new(f, pair[0], pair[1])) != NULL;
	good = good && send_ask(z, pair[1]);
	sg_fd_close(&pair[1]);
	if (good) {
		z->asked[z->nasked++] = (struct sg_spare){ pair[0], -1, 0,
							   run };
	} else {
		sg_ready_free(run);
		sg_fd_close(&pair[0]);
	}
	return good;
}

static struct sg_spare
take_asked(struct sg_zygote *z)
{
	struct sg_spare s = z->asked[0];

	z->nasked--;
	memmove(z->asked, z->asked + 1, z->nasked * sizeof(z->asked[0]));
	return s;
}

bool
sg_zygote_answer(struct sg_zygote *z, int ms, struct sg_spare *ret)
{
	uint64_t end = sg_clock_mono() + (uint64_t)ms * 1000000;
	struct sg_spare s;
	struct message m;

	if (!z->nasked || !wait_readable(z->control, z->pidfd, end))
		return false;
	receive(z->control, &m);
	if (m.n <= 0)
		return false;
	s = take_asked(z);
	s.pidfd = m.fd;
	m.n = 0;
	if (s.pidfd >= 0 && wait_readable(s.sock, s.pidfd, end))
		receive(s.sock, &m);
	s.pid = m.pid;
	if (m.n != 1 || m.data[0] != SG_SPARE_READY) {
		sg_spare_drop(&s);
		return false;
	}
	*ret = s;
	return true;
}

bool
sg_spare_alive(const struct sg_spare *s)
{
	struct pollfd pfd = { s->pidfd, POLLIN, 0 };

	return s->pidfd >= 0 && poll(&pfd, 1, 0) == 0;
}

void
sg_spare_drop(struct sg_spare *s)
{
	sg_fd_close(&s->sock);
	if (s->pidfd >= 0)
		(void)syscall(SYS_pidfd_send_signal, s->pidfd, SIGKILL, NULL,
			      0);
	sg_fd_close(&s->pidfd);
	sg_ready_free(s->run);
	s->run = NULL;
}
