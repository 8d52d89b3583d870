#include <errno.h>
#include <linux/capability.h>
#include <string.h>

#include "executor/order.h"
#include "executor/sys.h"
#include "executor/warden.h"

/*
 * What wardens and zygotes have in common: to fork, to report, to take an
 * order.  As in warden.c nothing here allocates, takes a lock, or leaves
 * anything in the C library's memory.
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
	ssize_t n;

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
	n = sg_sys_sendmsg(sock, &msg);
	return n == 1 ? 0 : n < 0 ? (int)n : -EIO;
}

pid_t
sg_fork(uint64_t flags, int signal, int *ret_pidfd, void *tid, int group)
{
	struct clone_args args = { .flags = flags,
				   .pidfd = (uint64_t)(uintptr_t)ret_pidfd,
				   .child_tid = (uint64_t)(uintptr_t)tid,
				   .exit_signal = (uint32_t)signal };
	pid_t pid;

	if (ret_pidfd)
		args.flags |= CLONE_PIDFD;
	if (tid)
		args.flags |= CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
	if (group >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint32_t)group;
		pid = sg_sys_clone3(&args);
		if (pid >= 0)
			return pid;
		args.flags &= ~(uint64_t)CLONE_INTO_CGROUP;
		args.cgroup = 0;
	}
	pid = sg_sys_clone3(&args);
	if (pid != -ENOSYS || tid)
		return pid;
	/* Boxes like ours hide clone3(); the time namespace needs it. */
	return (pid_t)sg_sys(
		SYS_clone,
		(long)((args.flags & ~(uint64_t)0xff) | (uint32_t)signal), 0,
		sg_sys_arg(ret_pidfd), 0, 0);
}

int
sg_caps_none(void)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3,
						 0 };
	struct __user_cap_data_struct none[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

	return (int)sg_sys(SYS_capset, sg_sys_arg(&head), sg_sys_arg(none), 0,
			   0, 0);
}

int
sg_join_self(int self_fd)
{
	ssize_t n = self_fd < 0 ? -ENOENT : sg_sys_write(self_fd, "0", 1);

	return n == 1 ? 0 : n < 0 ? (int)n : -EIO;
}

struct sg_plan
sg_parked_plan(const struct sg_ask *ask, void *tid)
{
	return (struct sg_plan){ .want = ask->want,
				 .clone_flags = ask->clone_flags,
				 .in_uid = ask->uid,
				 .out_uid = ask->uid,
				 .self_uid = ask->uid,
				 .in_gid = ask->gid,
				 .out_gid = ask->gid,
				 .self_gid = ask->gid,
				 .workspace = "/mnt/data",
				 .temp = "/tmp",
				 .forked = true,
				 .fds = { .group = -1, .life = -1 },
				 .tid = tid };
}

/* --- orders -------------------------------------------------------------- */

struct wire {
	uint32_t present; /* a bit for each descriptor that is sent */
	uint32_t zero;
	uint64_t workspace, inodes;
};

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
sg_order_wait(int sock, struct sg_order_msg *ret)
{
	struct wire wire = { 0, 0, 0, 0 };
	struct iovec iov = { &wire, sizeof(wire) };
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(SG_ORDER_FDS * sizeof(int))];
	} control = { 0 };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	ssize_t n;

	do
		n = sg_sys_recvmsg(sock, &msg);
	while (n == -EINTR);
	ret->workspace = wire.workspace;
	ret->inodes = wire.inodes;
	return n == (ssize_t)sizeof(wire) &&
	       take_fds(&msg, wire.present, ret->fds);
}

bool
sg_order_send(int sock, const struct sg_order_msg *m)
{
	struct wire wire = { 0, 0, m->workspace, m->inodes };
	struct iovec iov = { &wire, sizeof(wire) };
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
		if (m->fds[i] < 0)
			continue;
		wire.present |= 1u << i;
		list[n++] = m->fds[i];
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
	return sg_sys_sendmsg(sock, &msg) == (ssize_t)sizeof(wire);
}
