#include "executor/python/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "executor/order.h"
#include "executor/python/hot.h"
#include "executor/warden.h"

/*
 * Theory of operation.  The zygote forks by system call, because the child is
 * not a second interpreter: it is the warden of a run, in namespaces of its
 * own, and it runs nothing but the C of warden.c.  The interpreter in it
 * sleeps until the warden forks again; in that second child, the worker, it
 * wakes up, is told that it has been forked, and goes on.
 *
 * A network namespace takes longer to make and to take down than all else of
 * a box.  Nothing of a run stays in it when its processes are gone, least of
 * a program that can make no socket and has no power over it; so boxes get
 * those of boxes that are no more.
 *
 * A fork copies one thread.  If a module that was imported has started
 * others, whatever they held would stay held in every worker: such a zygote
 * serves nobody.
 */

enum { CONTROL_FD = 3, NETS_MAX = 64 };

/* A network namespace, and the warden whose box has it or had it last. */
struct net {
	int fd, pidfd;
};

struct nets {
	struct net v[NETS_MAX];
	int n;
};

/* Answers, perhaps with a descriptor. */
static int
say(enum sg_zygote_word word, int fd)
{
	return sg_report_send(CONTROL_FD, (enum sg_report)word, fd);
}

/* One link for each thread, beside the folder's own two. */
static int
is_single(void)
{
	struct stat st;

	return stat("/proc/self/task", &st) == 0 && st.st_nlink == 3;
}

/*
 * The C library keeps the thread's id in its own memory and has told the
 * kernel where; forks of ours must correct it as its own would.
 */
static void *
id_address(void)
{
	int *at = NULL;

	if (prctl(PR_GET_TID_ADDRESS, &at, 0, 0, 0) < 0 || !at ||
	    *at != (int)syscall(SYS_gettid))
		return NULL;
	return at;
}

static int
take_ask(struct sg_ask *ask)
{
	struct iovec iov = { ask, sizeof(*ask) };
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *c;
	int fd = -1;
	ssize_t n;

	do
		n = recvmsg(CONTROL_FD, &msg, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	/* The supervisor is gone, or has had enough of us. */
	if (n <= 0)
		_exit(0);
	c = CMSG_FIRSTHDR(&msg);
	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	if (n != (ssize_t)sizeof(*ask) || fd < 0)
		_exit(1);
	return fd;
}

/* One whose box is gone, or a new one; NULL: there is none to be had. */
static struct net *
enter_net(struct nets *nets)
{
	struct net *net;
	struct pollfd p;

	for (int i = 0; i < nets->n; i++) {
		net = &nets->v[i];
		p = (struct pollfd){ net->pidfd, POLLIN, 0 };
		if (net->pidfd >= 0 && poll(&p, 1, 0) != 1)
			continue;
		if (setns(net->fd, CLONE_NEWNET) < 0)
			return NULL;
		return net;
	}
	if (nets->n == NETS_MAX || unshare(CLONE_NEWNET) < 0)
		return NULL;
	net = &nets->v[nets->n];
	net->pidfd = -1;
	net->fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (net->fd < 0)
		return NULL;
	nets->n++;
	return net;
}

/* True in a worker. */
static int
make_box(struct sg_spare_opts *o, struct nets *nets, const struct hot *hot,
	 struct sg_parked *ret)
{
	uint64_t flags = o->ask->clone_flags;
	struct net *net = NULL;
	int pidfd = -1;
	pid_t pid;

	if (flags & CLONE_NEWNET)
		net = enter_net(nets);
	if (net)
		flags &= ~(uint64_t)CLONE_NEWNET;
	PyOS_BeforeFork();
	pid = sg_fork(flags, SIGCHLD, &pidfd, o->tid, -1);
	if (pid == 0) {
		sg_warden_spare(o, ret);
		sg_hot_heat(hot);
		PyOS_AfterFork_Child();
		return 1;
	}
	PyOS_AfterFork_Parent();
	(void)close(o->sock);
	if (pid < 0 || say(SG_ZYGOTE_BOX, pidfd) < 0)
		(void)say(SG_ZYGOTE_FAILED, -1);
	if (net && pid > 0) {
		if (net->pidfd >= 0)
			(void)close(net->pidfd);
		net->pidfd = pidfd;
	} else if (pidfd >= 0) {
		(void)close(pidfd);
	}
	return 0;
}

PyObject *
sg_serve(PyObject *self, PyObject *args)
{
	static const int kept[SG_SPARE_SIGNALS] = { SIGINT, SIGPIPE, SIGXFSZ };
	struct sigaction leave = { .sa_handler = SIG_IGN };
	struct sg_spare_opts o = { .tid = id_address() };
	struct nets nets = { .n = 0 };
	struct sg_parked parked;
	struct sg_str learnt;
	struct hot *hot;
	struct sg_ask ask;
	Py_ssize_t n;
	int fit;

	(void)self;
	if (!PyArg_ParseTuple(args, "py#", &fit, &learnt.p, &n))
		return NULL;
	learnt.n = (size_t)n;
	for (int i = 0; i < SG_SPARE_SIGNALS; i++) {
		o.signals[i] = kept[i];
		(void)sigaction(kept[i], NULL, &o.actions[i]);
	}
	/* Nobody waits for wardens: the supervisor has their pidfds. */
	(void)sigaction(SIGCHLD, &leave, NULL);
	hot = sg_hot_keep(learnt);
	/* Wardens switch it on again, for the files that they must write. */
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	if (say(fit && is_single() && o.tid ? SG_ZYGOTE_READY
					    : SG_ZYGOTE_FAILED,
		-1) < 0)
		_exit(1);
	o.ask = &ask;
	for (;;) {
		o.sock = take_ask(&ask);
		if (!is_single())
			_exit(1);
		if (make_box(&o, &nets, hot, &parked))
			return PyBytes_FromStringAndSize((const char *)&parked,
							 sizeof(parked));
	}
}

PyObject *
sg_serve_wait(PyObject *self, PyObject *arg)
{
	struct sg_parked parked;
	char *bytes;
	Py_ssize_t n;

	(void)self;
	if (PyBytes_AsStringAndSize(arg, &bytes, &n) < 0)
		return NULL;
	if (n != (Py_ssize_t)sizeof(parked)) {
		PyErr_SetString(PyExc_ValueError, "not what serve() gave");
		return NULL;
	}
	memcpy(&parked, bytes, sizeof(parked));
	if (parked.gate >= 0)
		sg_parked_wait(&parked);
	return PyBool_FromLong(parked.sealed);
}

PyObject *
sg_serve_missing(PyObject *self, PyObject *ignored)
{
	(void)self;
	(void)ignored;
	(void)say(SG_ZYGOTE_MISSING, -1);
	_exit(0);
}
