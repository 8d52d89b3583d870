#include "executor/report.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

ssize_t
sg_report_take(int sock, void *data, size_t room, int *ret_fd, pid_t *ret_pid)
{
	struct iovec iov = { data, room };
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(int)) +
			  CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	struct ucred cred = { 0, 0, 0 };
	ssize_t n;

	*ret_fd = -1;
	do
		n = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	for (struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&msg) : NULL; c;
	     c = CMSG_NXTHDR(&msg, c)) {
		if (c->cmsg_type == SCM_RIGHTS)
			memcpy(ret_fd, CMSG_DATA(c), sizeof(*ret_fd));
		else if (c->cmsg_type == SCM_CREDENTIALS)
			memcpy(&cred, CMSG_DATA(c), sizeof(cred));
	}
	*ret_pid = cred.pid;
	return n;
}
