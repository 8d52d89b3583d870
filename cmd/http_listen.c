#include "cmd/http_listen.h"

#include "base/file.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum {
	BACKLOG = 1024,
	FIRST_INHERITED = 3 /* by the protocol of socket activation */
};

static void
clear(struct sg_listener *l)
{
	*l = (struct sg_listener){ .fd = -1 };
}

/* ---- TCP ---- */

static bool
is_loopback(const struct sockaddr *sa)
{
	if (sa->sa_family == AF_INET) {
		const struct sockaddr_in *in = (const void *)sa;

		return ntohl(in->sin_addr.s_addr) >> 24 == 127;
	}
	if (sa->sa_family == AF_INET6) {
		const struct sockaddr_in6 *in = (const void *)sa;

		return IN6_IS_ADDR_LOOPBACK(&in->sin6_addr);
	}
	return false;
}

/* Fills in what the socket itself knows. */
static int
describe(struct sg_listener *l, struct sg_err *err)
{
	struct sockaddr_storage ss = { 0 };
	const struct sockaddr_un *un = (const void *)&ss;
	socklen_t n = sizeof(ss);
	char host[NI_MAXHOST], port[NI_MAXSERV];

	if (getsockname(l->fd, (struct sockaddr *)&ss, &n) < 0)
		return sg_err_sys(err, SG_EIO, errno,
				  "cannot ask for the name of a socket");
	if (ss.ss_family == AF_UNIX) {
		l->local = true;
		/* One without a file has no permissions either. */
		l->open = n <= offsetof(struct sockaddr_un, sun_path) ||
			  un->sun_path[0] == '\0';
		(void)snprintf(l->name, sizeof(l->name), "unix:%s",
			       l->open ? "(abstract)" : un->sun_path);
		return SG_OK;
	}
	l->open = !is_loopback((const struct sockaddr *)&ss);
	if (getnameinfo((const struct sockaddr *)&ss, n, host, sizeof(host),
			port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV) != 0)
		return sg_err_set(err, SG_EUSAGE,
				  "a socket is neither TCP nor Unix");
	(void)snprintf(l->name, sizeof(l->name),
		       ss.ss_family == AF_INET6 ? "http://[%.200s]:%.8s"
						: "http://%.200s:%.8s",
		       host, port);
	return SG_OK;
}

/* Parts "host:port"; the host loses its brackets. */
static int
part(const char *text, char *host, size_t room, const char **port,
     struct sg_err *err)
{
	const char *colon = strrchr(text, ':');
	size_t n = colon ? (size_t)(colon - text) : 0;
	bool brackets = n >= 2 && text[0] == '[' && colon[-1] == ']';

	if (!colon || colon[1] == '\0' ||
	    strspn(colon + 1, "0123456789") != strlen(colon + 1) ||
	    strtoul(colon + 1, NULL, 10) > 65535 || n >= room ||
	    (!brackets && memchr(text, ':', n)))
		return sg_err_set(err, SG_EUSAGE,
				  "'%.100s' is not an address such as "
				  "127.0.0.1:8080 or [::1]:8080",
				  text);
	memcpy(host, text + brackets, n - 2 * brackets);
	host[n - 2 * brackets] = '\0';
	*port = colon + 1;
	return SG_OK;
}

static int
bind_tcp(const struct addrinfo *ai, const char *text, int *ret,
	 struct sg_err *err)
{
	const int one = 1;
	int fd = socket(ai->ai_family,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return sg_err_sys(err, SG_EIO, errno, "cannot make a socket");
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (ai->ai_family == AF_INET6 && text[0] != ':')
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one,
				 sizeof(one));
	if (bind(fd, ai->ai_addr, ai->ai_addrlen) < 0 ||
	    listen(fd, BACKLOG) < 0) {
		int number = errno;

		sg_fd_close(&fd);
		return sg_err_sys(err, SG_EIO, number,
				  "cannot listen on '%.100s'", text);
	}
	*ret = fd;
	return SG_OK;
}

int
sg_listen_tcp(const char *text, struct sg_listener *ret, struct sg_err *err)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC,
				  .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
	struct addrinfo *list = NULL;
	char host[NI_MAXHOST];
	const char *port;
	int status, why;

	clear(ret);
	if ((status = part(text, host, sizeof(host), &port, err)) < 0)
		return status;
	/* All addresses: one socket for both families. */
	if (!host[0])
		hints.ai_family = AF_INET6;
	why = getaddrinfo(host[0] ? host : NULL, port, &hints, &list);
	if (why != 0)
		return sg_err_set(err, SG_EUSAGE, "'%.100s': %s", text,
				  gai_strerror(why));
	status = bind_tcp(list, text, &ret->fd, err);
	if (status == SG_OK)
		status = describe(ret, err);
	freeaddrinfo(list);
	return status;
}

/* ---- Unix ---- */

/* Takes a socket away at which nobody listens. */
static int
clear_path(const struct sockaddr_un *un, struct sg_err *err)
{
	struct stat st;
	int fd, number;

	if (lstat(un->sun_path, &st) < 0)
		return SG_OK;
	if (!S_ISSOCK(st.st_mode))
		return sg_err_set(err, SG_EIO, "'%s' is there and is no socket",
				  un->sun_path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return sg_err_sys(err, SG_EIO, errno, "cannot make a socket");
	number = connect(fd, (const struct sockaddr *)un, sizeof(*un)) < 0
			 ? errno
			 : 0;
	sg_fd_close(&fd);
	if (number != ECONNREFUSED)
		return sg_err_set(err, SG_EIO, "somebody listens at '%s'",
				  un->sun_path);
	if (unlink(un->sun_path) < 0)
		return sg_err_sys(err, SG_EIO, errno,
				  "cannot take the old '%s' away",
				  un->sun_path);
	return SG_OK;
}

static int
bind_unix(const struct sockaddr_un *un, unsigned mode, struct sg_listener *ret,
	  struct sg_err *err)
{
	mode_t mask = umask(0177);
	bool good = bind(ret->fd, (const struct sockaddr *)un, sizeof(*un)) ==
		    0;
	int number = errno;
	struct stat st;

	(void)umask(mask);
	if (!good)
		return sg_err_sys(err, SG_EIO, number,
				  "cannot make the socket '%s'", un->sun_path);
	/* Nobody can connect before it listens. */
	if (chmod(un->sun_path, mode) < 0 || stat(un->sun_path, &st) < 0 ||
	    listen(ret->fd, BACKLOG) < 0) {
		number = errno;
		(void)unlink(un->sun_path);
		return sg_err_sys(err, SG_EIO, number, "cannot listen at '%s'",
				  un->sun_path);
	}
	ret->device = st.st_dev;
	ret->inode = st.st_ino;
	(void)snprintf(ret->path, sizeof(ret->path), "%s", un->sun_path);
	return describe(ret, err);
}

int
sg_listen_unix(const char *path, unsigned mode, struct sg_listener *ret,
	       struct sg_err *err)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int status;

	clear(ret);
	if (!path[0] || strlen(path) >= sizeof(un.sun_path))
		return sg_err_set(err, SG_EUSAGE,
				  "the path of a socket has 1 to %zu bytes",
				  sizeof(un.sun_path) - 1);
	memcpy(un.sun_path, path, strlen(path) + 1);
	if ((status = clear_path(&un, err)) < 0)
		return status;
	ret->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			 0);
	if (ret->fd < 0)
		return sg_err_sys(err, SG_EIO, errno, "cannot make a socket");
	status = bind_unix(&un, mode, ret, err);
	if (status < 0)
		sg_fd_close(&ret->fd);
	return status;
}

void
sg_listen_forget(const struct sg_listener *l)
{
	struct stat st;

	if (l->path[0] && lstat(l->path, &st) == 0 && st.st_dev == l->device &&
	    st.st_ino == l->inode)
		(void)unlink(l->path);
}

/* ---- the service manager ---- */

static uint64_t
number_of(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : 0;
}

static int
take_inherited(int fd, struct sg_listener *l, struct sg_err *err)
{
	int listens = 0, type = 0;
	socklen_t n = sizeof(listens), m = sizeof(type);

	clear(l);
	if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &n) < 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &m) < 0 || !listens ||
	    type != SOCK_STREAM)
		return sg_err_set(err, SG_EUSAGE,
				  "descriptor %d is not a stream socket that "
				  "listens (Accept=no)",
				  fd);
	(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	(void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	l->fd = fd;
	l->inherited = true;
	return describe(l, err);
}

int
sg_listen_inherited(struct sg_listener *v, uint32_t room, uint32_t *ret_n,
		    struct sg_err *err)
{
	uint64_t n = number_of("LISTEN_FDS");
	bool ours = number_of("LISTEN_PID") == (uint64_t)getpid();
	int status = SG_OK;

	*ret_n = 0;
	(void)unsetenv("LISTEN_FDS");
	(void)unsetenv("LISTEN_PID");
	(void)unsetenv("LISTEN_FDNAMES");
	if (!ours || n == 0)
		return SG_OK;
	if (n > room)
		return sg_err_set(err, SG_EUSAGE, "at most %u sockets, please",
				  room);
	for (uint64_t i = 0; i < n && status == SG_OK; i++) {
		status = take_inherited(FIRST_INHERITED + (int)i, &v[i], err);
		if (status == SG_OK)
			*ret_n = (uint32_t)i + 1;
	}
	return status;
}

void
sg_notify(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	size_t n = path ? strlen(path) : 0;
	int fd;

	if (n < 2 || n >= sizeof(un.sun_path) ||
	    (path[0] != '/' && path[0] != '@'))
		return;
	memcpy(un.sun_path, path, n);
	if (path[0] == '@')
		un.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	(void)sendto(fd, state, strlen(state), MSG_NOSIGNAL,
		     (const struct sockaddr *)&un,
		     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
	sg_fd_close(&fd);
}

uint64_t
sg_notify_watchdog(void)
{
	uint64_t us = number_of("WATCHDOG_USEC");
	uint64_t pid = number_of("WATCHDOG_PID");

	if (pid != 0 && pid != (uint64_t)getpid())
		return 0;
	return us / 2000;
}
