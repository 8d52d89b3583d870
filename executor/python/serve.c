#include "executor/python/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#pragma weak __rseq_offset
#pragma weak __rseq_size
#endif

#include "executor/order.h"
#include "executor/python/hot.h"
#include "executor/warden.h"

/*
 * Theory of operation.  A box begins with its warden, a process in fresh
 * namespaces that shares the zygote's memory and runs nothing but the C of
 * warden.c, on a stack of its own: it need not be copied, nor taken down.
 * The warden forks the worker, which is the copy.  In that the interpreter
 * goes on where the zygote's stands: in sg_serve(), to which it comes back
 * by a long jump.  The zygote may be anywhere in the loop below then, so
 * that loop is C that neither allocates nor touches the interpreter, and
 * whatever must be done before a fork is done once, before the loop.
 *
 * What wardens have lies in slots.  A slot is used again when the warden is
 * gone; workers let go of all of them at once.
 *
 * A network namespace takes longer to make and to take down than all else of
 * a box.  Nothing of a run stays in it when its processes are gone, least of
 * a program that can make no socket and has no power over it; so a slot keeps
 * it for its next box.
 *
 * A fork copies one thread.  If a module that was imported has started
 * others, whatever they held would stay held in every worker: such a zygote
 * serves nobody.
 */

enum {
	CONTROL_FD = 3,
	SLOTS = 256,
	STACK = 64 << 10,
	RSEQ_LEAST = 32 /* bytes; Linux takes no less */
};

struct serve;

/* One box: its warden's stack, and what that has been told. */
struct slot {
	struct serve *serve;
	int pidfd; /* the warden's; -1: never used */
	int net;   /* its network namespace; -1: none yet */
	struct sg_spare_opts opts;
	struct sg_parked parked;
};

struct serve {
	sigjmp_buf worker; /* where workers go on */
	struct slot *mine; /* in a worker */
	struct hot *hot;
	struct sg_spare_opts opts; /* of the next box */
	char *stacks;
	size_t size; /* of all this */
	struct slot slots[SLOTS];
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

/* False when there is none to be had. */
static bool
enter_net(struct slot *slot)
{
	if (slot->net >= 0)
		return setns(slot->net, CLONE_NEWNET) == 0;
	if (unshare(CLONE_NEWNET) < 0)
		return false;
	slot->net = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	return slot->net >= 0;
}

static struct serve *
new_serve(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t head = (sizeof(struct serve) + page - 1) / page * page;
	size_t size = head + (size_t)SLOTS * STACK;
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct serve *s = p;

	if (p == MAP_FAILED)
		return NULL;
	/* Few pages of many stacks are ever used. */
	(void)madvise(p, size, MADV_NOHUGEPAGE);
	s->stacks = (char *)p + head;
	s->size = size;
	for (int i = 0; i < SLOTS; i++)
		s->slots[i].pidfd = s->slots[i].net = -1;
	return s;
}

/* The first that is free: few are ever in use, and each has touched pages. */
static struct slot *
free_slot(struct serve *s)
{
	for (int i = 0; i < SLOTS; i++) {
		struct slot *slot = &s->slots[i];
		struct pollfd p = { slot->pidfd, POLLIN, 0 };

		if (slot->pidfd >= 0) {
			if (poll(&p, 1, 0) != 1)
				continue;
			(void)close(slot->pidfd);
			slot->pidfd = -1;
		}
		return slot;
	}
	return NULL;
}

/* What a warden runs; beyond the first line there is a worker. */
static int
be_warden(void *arg)
{
	struct slot *slot = arg;

	sg_warden_spare(&slot->opts, &slot->parked);
	slot->serve->mine = slot;
	siglongjmp(slot->serve->worker, 1);
}

static void
make_box(struct serve *s)
{
	uint64_t flags = s->opts.ask.clone_flags;
	struct slot *slot = free_slot(s);
	int pidfd = -1;

	if (slot) {
		char *top = s->stacks + (slot - s->slots + 1) * STACK;

		slot->serve = s;
		slot->opts = s->opts;
		/* Where clone() has the signal; the warden sees to it. */
		flags &= ~(uint64_t)CLONE_NEWTIME;
		if (flags & CLONE_NEWNET && enter_net(slot))
			flags &= ~(uint64_t)CLONE_NEWNET;
		if (clone(be_warden, top,
			  (int)(flags | CLONE_VM | CLONE_PIDFD | SIGCHLD), slot,
			  &pidfd) < 0)
			pidfd = -1;
		slot->pidfd = pidfd;
	}
	(void)close(s->opts.sock);
	if (pidfd < 0 || say(SG_ZYGOTE_BOX, pidfd) < 0)
		(void)say(SG_ZYGOTE_FAILED, -1);
}

static noreturn void
serve(struct serve *s)
{
	for (;;) {
		s->opts.sock = take_ask(&s->opts.ask);
		if (!is_single())
			_exit(1);
		make_box(s);
	}
}

/*
 * The kernel keeps the number of the processor in the memory of a thread that
 * has asked for it.  The C library asks once for each; a warden has not, so
 * the kernel does not know it of a worker.
 */
static void
count_processors_again(void)
{
#ifdef RSEQ_SIG
	char *self = __builtin_thread_pointer();

	if (&__rseq_size && __rseq_size)
		(void)syscall(SYS_rseq, self + __rseq_offset,
			      __rseq_size < RSEQ_LEAST ? RSEQ_LEAST
						       : __rseq_size,
			      0, RSEQ_SIG);
#endif
}

/* In a worker: the interpreter wakes up in a copy of its memory. */
static PyObject *
wake_up(struct serve *s)
{
	struct sg_parked parked = s->mine->parked;
	const struct hot *hot = s->hot;

	(void)munmap(s, s->size);
	count_processors_again();
	sg_parked_wake(&parked);
	sg_hot_heat(hot);
	PyOS_AfterFork_Child();
	return PyBytes_FromStringAndSize((const char *)&parked, sizeof(parked));
}

/* Its frame is what workers come back to. */
static __attribute__((noinline)) PyObject *
stand(struct serve *s)
{
	PyOS_BeforeFork();
	if (sigsetjmp(s->worker, 0) != 0)
		return wake_up(s);
	serve(s);
}

static void
note_signals(struct sg_spare_opts *opts)
{
	static const int kept[SG_SPARE_SIGNALS] = { SIGINT, SIGPIPE, SIGXFSZ };
	struct sigaction a = { .sa_handler = SIG_IGN };

	for (int i = 0; i < SG_SPARE_SIGNALS; i++) {
		opts->signals[i] = kept[i];
		(void)sigaction(kept[i], NULL, &opts->actions[i]);
	}
	/* Nobody waits for wardens: the supervisor has their pidfds. */
	(void)sigaction(SIGCHLD, &a, NULL);
	for (int s = 1; s < NSIG; s++)
		if (sigaction(s, NULL, &a) == 0 && a.sa_handler != SIG_DFL)
			opts->handled |= UINT64_C(1) << (s - 1);
}

/* Boxes are built ahead, and must not take the turn of runs that go on. */
static bool
step_back(void)
{
	const struct sched_param none = { .sched_priority = 0 };

	return sched_getscheduler(0) == SCHED_OTHER &&
	       sched_setscheduler(0, SCHED_BATCH, &none) == 0;
}

PyObject *
sg_serve(PyObject *self, PyObject *args)
{
	struct sg_str learnt;
	struct serve *s;
	struct hot *hot;
	Py_ssize_t n;
	bool good;
	int fit;

	(void)self;
	if (!PyArg_ParseTuple(args, "py#", &fit, &learnt.p, &n))
		return NULL;
	learnt.n = (size_t)n;
	/* First: workers have none of what is mapped after it. */
	hot = sg_hot_keep(learnt);
	sg_hot_settle(hot);
	s = new_serve();
	if (s) {
		s->hot = hot;
		s->opts.tid = id_address();
		note_signals(&s->opts);
	}
	if (s)
		s->opts.batch = step_back();
	/* Wardens must write files of theirs in /proc; else those are root's.
	   Nobody else has a name for this process. */
	(void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	good = s && fit && s->opts.tid && is_single();
	if (say(good ? SG_ZYGOTE_READY : SG_ZYGOTE_FAILED, -1) < 0 || !good)
		_exit(1);
	return stand(s);
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
