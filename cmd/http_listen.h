#ifndef SG_CMD_HTTP_LISTEN_H
#define SG_CMD_HTTP_LISTEN_H

/*
 * Sockets to listen on, and what the service manager wants to know.
 */

#include "base/buf.h"

enum { SG_LISTEN_NAME = 256 };

struct sg_listener {
	int fd;         /* belongs to the caller until given away */
	bool local;     /* a Unix socket */
	bool open;      /* reachable from beyond this machine, or by anybody
			   on it without a file's permissions */
	bool inherited; /* by socket activation: stays when we end */
	char name[SG_LISTEN_NAME]; /* "http://127.0.0.1:8080", "unix:/path" */
	/* Of a Unix socket that we made. */
	char path[SG_LISTEN_NAME];
	uint64_t device, inode;
};

/*
 * "127.0.0.1:8080", "[::1]:8080", "localhost:8080" or ":8080" (all
 * addresses); port 0 is any.  SG_EUSAGE, SG_EIO.
 */
SG_MUST_CHECK int sg_listen_tcp(const char *text, struct sg_listener *ret,
				struct sg_err *err);

/*
 * A socket at `path` with these permissions.  One that is left over from a
 * server that is gone is replaced; SG_EIO when somebody listens there or it
 * is something else.
 */
SG_MUST_CHECK int sg_listen_unix(const char *path, unsigned mode,
				 struct sg_listener *ret, struct sg_err *err);

/*
 * Sockets that the service manager opened (LISTEN_FDS), up to `room`; *ret_n
 * says how many, 0 when there are none.  SG_EUSAGE for what is no listening
 * stream socket.
 */
SG_MUST_CHECK int sg_listen_inherited(struct sg_listener *v, uint32_t room,
				      uint32_t *ret_n, struct sg_err *err);

/* Takes the file of a Unix socket away when it is still ours. */
void sg_listen_forget(const struct sg_listener *l);

/* Tells the service manager ("READY=1"); does nothing where there is none. */
void sg_notify(const char *state);
/* How often it wants to hear "WATCHDOG=1", in milliseconds; 0 never. */
uint64_t sg_notify_watchdog(void);

#endif
