#include "executor/pipes.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"

void
sg_pipes_close_theirs(struct sg_pipes *p)
{
	int *const theirs[] = { &p->in[1],     &p->out[1],     &p->err[1],
				&p->result[1], &p->request[1], &p->report[1],
				&p->life[1] };

	for (size_t i = 0; i < sizeof(theirs) / sizeof(theirs[0]); i++)
		sg_fd_close(theirs[i]);
}

/* `ours_reads`: the first descriptor is the reading end. */
static int
make_pipe(int pair[2], bool ours_reads)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	pair[0] = fds[ours_reads ? 0 : 1];
	pair[1] = fds[ours_reads ? 1 : 0];
	return 0;
}

/* Ours says who has sent what comes through it. */
static int
make_socket(int pair[2])
{
	int on = 1;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	return setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
}

int
sg_pipes_make(struct sg_pipes *p, unsigned which, struct sg_err *err)
{
	bool talk = which & SG_PIPES_TALK;

	if ((which & SG_PIPES_INPUT && make_pipe(p->in, false) < 0) ||
	    make_pipe(p->out, true) < 0 || make_pipe(p->err, true) < 0 ||
	    (talk ? make_socket(p->result) : make_pipe(p->result, true)) < 0 ||
	    make_pipe(p->request, false) < 0 ||
	    (which & SG_PIPES_LIFE && make_pipe(p->life, false) < 0) ||
	    (which & SG_PIPES_REPORT && make_socket(p->report) < 0))
		return sg_err_sys(err, SG_EIO, errno, "cannot make pipes");
	return SG_OK;
}
