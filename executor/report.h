#ifndef SG_EXECUTOR_REPORT_H
#define SG_EXECUTOR_REPORT_H

/* What wardens, workers and zygotes say to their supervisor. */

#include <stddef.h>
#include <sys/types.h>

/*
 * Takes one message from `sock` (SOCK_SEQPACKET with SO_PASSCRED), without
 * waiting.  Returns its bytes in `data`, 0 when the other side is gone, -1
 * with errno.  *ret_fd is the descriptor that came along and belongs to the
 * caller, -1: none; *ret_pid is the sender, as the kernel says, 0: unknown.
 */
ssize_t sg_report_take(int sock, void *data, size_t room, int *ret_fd,
		       pid_t *ret_pid);

#endif
