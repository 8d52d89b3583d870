#include <errno.h>
#include <linux/sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "executor/order.h"
#include "executor/warden.h"

/*
 * What wardens and zygotes have in common: to fork, to report, to take an
 * order.  As in warden.c nothing here allocates or takes a lock.
 */

void
sg_board_fail(struct sg_board *board, int layer, int sys, const char *what)
{
	size_t n = strlen(what);

	if (board->faulty)
		return;
	if (n >= sizeof(board->fault.what))
		n = sizeof(board->fault.what) - 1;
	board->fault.layer = layer;
	board->fault.sys = sys;
	memcpy(board->fault.what, what, n);
	board->fault.what[n] = '\0';
	board->faulty = 1;
}

int
sg_report_send(int sock, enum sg_report kind, int fd)
{
	char byte = (char)kind;
	struct iovec iov = { &byte, 1 };
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (fd >= 0) {
		struct cmsghdr *c;

		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(int));
	}
	return sendmsg(sock, &msg, MSG_NOSIGNAL) == 1 ? 0 : -errno;
}

pid_t
sg_fork(uint64_t flags, int signal, int *ret_pidfd, void *tid, int group)
{
	struct clone_args args = { .flags = flags,
				   .pidfd = (uint64_t)(uintptr_t)ret_pidfd,
				   .child_tid = (uint64_t)(uintptr_t)tid,
				   .exit_signal = (uint32_t)signal };
	long pid;

	if (ret_pidfd)
		args.flags |= CLONE_PIDFD;
	if (tid)
		args.flags |= CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
	if (group >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint32_t)group;
		pid = syscall(SYS_clone3, &args, sizeof(args));
		if (pid >= 0)
			return (pid_t)pid;
		args.flags &= ~(uint64_t)CLONE_INTO_CGROUP;
		args.cgroup = 0;
	}
	pid = syscall(SYS_clone3, &args, sizeof(args));
	if (pid >= 0 || errno != ENOSYS || tid)
		return (pid_t)pid;
	/* Boxes like ours hide clone3(); the time namespace needs it. */
	return (pid_t)syscall(SYS_clone,
			      (args.flags & ~(uint64_t)0xff) | (uint32_t)signal,
			      NULL, ret_pidfd, NULL, NULL);
}

int
sg_join_self(int self_fd)
{
	if (self_fd < 0)
		return -ENOENT;
	return write(self_fd, "0", 1) == 1 ? 0 : -errno;
}

/* --- orders -------------------------------------------------------------- */

/* The descriptors of an order, each in its place; false when it is none. */
static bool
take_fds(struct msghdr *msg, uint32_t present, int fds[SG_ORDER_FDS])
{
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	const unsigned char *at;
	size_t n;

	if (!c || c->cmsg_type != SCM_RIGHTS)
		return false;
	at = CMSG_DATA(c);
	n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	for (unsigned i = 0; i < SG_ORDER_FDS; i++) {
		fds[i] = -1;
		if (!(present & 1u << i))
			continue;
		if (n-- == 0)
			return false;
		memcpy(&fds[i], at, sizeof(int));
		at += sizeof(int);
	}
	return n == 0 && fds[SG_ORDER_FILE] >= 0;
}

bool
sg_order_wait(int sock, int fds[SG_ORDER_FDS])
{
	uint32_t present = 0;
	struct iovec iov = { &present, sizeof(present) };
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(SG_ORDER_FDS * sizeof(int))];
	} control;
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	ssize_t n;

	do
		n = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(present) && take_fds(&msg, present, fds);
}

/* The board, with the text of the order behind it; NULL: not there. */
static struct sg_board *
map_order(int fd, bool last, size_t *ret_size)
{
	struct stat st;
	void *p;

	if (fstat(fd, &st) < 0 || st.st_size <= SG_ORDER_AT)
		return NULL;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		 fd, 0);
	if (last)
		(void)close(fd);
	*ret_size = (size_t)st.st_size;
	return p == MAP_FAILED ? NULL : p;
}

struct sg_board *
sg_order_read(const int fds[SG_ORDER_FDS], bool last, struct sg_order *ret,
	      size_t *ret_size)
{
	struct sg_board *board;
	struct sg_str text;

	board = map_order(fds[SG_ORDER_FILE], last, ret_size);
	if (!board)
		return NULL;
	text.p = (const char *)board + SG_ORDER_AT;
	text.n = *ret_size - SG_ORDER_AT;
	if (!sg_order_decode(text, ret))
		return NULL;
	ret->plan.fds = (struct sg_plan_fds){
		fds[SG_ORDER_IN],
		fds[SG_ORDER_OUT],
		fds[SG_ORDER_ERR],
		fds[SG_ORDER_RESULT],
		fds[SG_ORDER_REQUEST],
		fds[SG_ORDER_REPORT],
		-1,
		fds[SG_ORDER_MEMORY],
		fds[SG_ORDER_PIDS],
		fds[SG_ORDER_GROUP],
	};
	return board;
}

struct sg_board *
sg_order_take(int sock, struct sg_order *ret, size_t *ret_size)
{
	int fds[SG_ORDER_FDS];

	return sg_order_wait(sock, fds)
		       ? sg_order_read(fds, true, ret, ret_size)
		       : NULL;
}

bool
sg_order_send(int sock, const int fds[SG_ORDER_FDS])
{
	uint32_t present = 0;
	struct iovec iov = { &present, sizeof(present) };
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(SG_ORDER_FDS * sizeof(int))];
	} control = { 0 };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &control };
	struct cmsghdr *c;
	int list[SG_ORDER_FDS];
	size_t n = 0;

	for (unsigned i = 0; i < SG_ORDER_FDS; i++) {
		if (fds[i] < 0)
			continue;
		present |= 1u << i;
		list[n++] = fds[i];
	}
	msg.msg_controllen = CMSG_SPACE(n * sizeof(int));
	c = CMSG_FIRSTHDR(&msg);
	/* There is a file in every order. */
	if (!c)
		return false;
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n * sizeof(int));
	memcpy(CMSG_DATA(c), list, n * sizeof(int));
	return sendmsg(sock, &msg, MSG_NOSIGNAL) == (ssize_t)sizeof(present);
}
