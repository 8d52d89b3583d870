/*
 * Theory of operation.
 *
 * While a request is being answered its connection is suspended, and the
 * library that serves it sees nothing of it: not that the client went away.
 * Nor does it bound how long a client takes, only how long it is silent.  So
 * every connection is registered here, too, in an epoll of its own that asks
 * for nothing but the end of the other side, edge-triggered: no wake-up while
 * requests come and go.
 *
 * An event may be for a connection that is gone and whose slot is in use
 * again: it carries the slot's generation.  The lock is held over `start` and
 * `cancel`, so neither can meet a request that has ended; whoever ends one
 * calls sg_conn_detach() first.  Lock order: this one, then the service's.
 *
 * A slow client is told 408 by hand: the library has no call that answers a
 * request which is not there yet.
 */

#include "cmd/http_conn.h"

#include "base/clock.h"
#include "base/file.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	/* Bytes that buy one second more: nobody is slower on purpose. */
	BYTES_PER_SECOND = 16 * 1024
};

static const uint32_t no_slot = UINT32_MAX;

int
sg_conns_init(struct sg_conns *c, uint32_t n, uint32_t client_ms,
	      struct sg_err *err)
{
	*c = (struct sg_conns){ .client_ms = client_ms, .epoll = -1 };
	if (pthread_mutex_init(&c->lock, NULL) != 0)
		return sg_err_set(err, SG_ENOMEM, "cannot make a lock");
	c->v = calloc(n, sizeof(*c->v));
	if (!c->v)
		return sg_err_set(err, SG_ENOMEM,
				  "no memory for %u connections", n);
	c->n = n;
	for (uint32_t i = 0; i < n; i++) {
		c->v[i].index = i;
		c->v[i].fd = -1;
		c->v[i].next_free = i + 1 < n ? i + 1 : no_slot;
	}
	c->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (c->epoll < 0)
		return sg_err_sys(err, SG_EIO, errno, "cannot make an epoll");
	return SG_OK;
}

void
sg_conns_release(struct sg_conns *c)
{
	if (!c->v)
		return;
	sg_fd_close(&c->epoll);
	(void)pthread_mutex_destroy(&c->lock);
	free(c->v);
	*c = (struct sg_conns){ .epoll = -1 };
}

/* Who is on the other side, for the log. */
static void
name_peer(struct sg_conn *conn)
{
	struct sockaddr_storage ss = { 0 };
	socklen_t n = sizeof(ss);
	struct ucred who;
	char host[INET6_ADDRSTRLEN] = "?";
	unsigned port = 0;

	conn->peer[0] = '\0';
	if (conn->local) {
		n = sizeof(who);
		if (getsockopt(conn->fd, SOL_SOCKET, SO_PEERCRED, &who, &n) ==
		    0)
			(void)snprintf(conn->peer, sizeof(conn->peer), "uid=%u",
				       (unsigned)who.uid);
		return;
	}
	if (getpeername(conn->fd, (struct sockaddr *)&ss, &n) < 0)
		return;
	if (ss.ss_family == AF_INET) {
		const struct sockaddr_in *in = (const void *)&ss;

		(void)inet_ntop(AF_INET, &in->sin_addr, host, sizeof(host));
		port = ntohs(in->sin_port);
	} else if (ss.ss_family == AF_INET6) {
		const struct sockaddr_in6 *in = (const void *)&ss;

		(void)inet_ntop(AF_INET6, &in->sin6_addr, host, sizeof(host));
		port = ntohs(in->sin6_port);
	}
	(void)snprintf(conn->peer, sizeof(conn->peer),
		       ss.ss_family == AF_INET6 ? "[%s]:%u" : "%s:%u", host,
		       port);
}

struct sg_conn *
sg_conn_open(struct sg_conns *c, int fd, bool local)
{
	struct epoll_event ev = { .events = EPOLLRDHUP | EPOLLET };
	struct sg_conn *conn = NULL;

	(void)pthread_mutex_lock(&c->lock);
	if (c->free != no_slot) {
		conn = &c->v[c->free];
		c->free = conn->next_free;
		c->used++;
		conn->generation++;
		conn->fd = fd;
		conn->local = local;
		conn->gone = false;
		conn->cancel = NULL;
		conn->state = SG_CONN_NEW;
		conn->since = sg_clock_mono();
		conn->bytes = 0;
		name_peer(conn);
		ev.data.u64 = (uint64_t)conn->generation << 32 | conn->index;
		/* Without it a client that goes away is not noticed, no more
		 * than that. */
		(void)epoll_ctl(c->epoll, EPOLL_CTL_ADD, fd, &ev);
	}
	(void)pthread_mutex_unlock(&c->lock);
	return conn;
}

void
sg_conn_close(struct sg_conns *c, struct sg_conn *conn)
{
	(void)pthread_mutex_lock(&c->lock);
	(void)epoll_ctl(c->epoll, EPOLL_CTL_DEL, conn->fd, NULL);
	conn->fd = -1;
	conn->state = SG_CONN_FREE;
	conn->cancel = NULL;
	conn->next_free = c->free;
	c->free = conn->index;
	c->used--;
	(void)pthread_mutex_unlock(&c->lock);
}

void
sg_conn_enter(struct sg_conns *c, struct sg_conn *conn,
	      enum sg_conn_state state)
{
	(void)pthread_mutex_lock(&c->lock);
	conn->state = state;
	conn->since = sg_clock_mono();
	conn->bytes = 0;
	(void)pthread_mutex_unlock(&c->lock);
}

void
sg_conn_moved(struct sg_conns *c, struct sg_conn *conn, uint64_t bytes)
{
	(void)pthread_mutex_lock(&c->lock);
	conn->bytes += bytes;
	(void)pthread_mutex_unlock(&c->lock);
}

int
sg_conn_attach(struct sg_conns *c, struct sg_conn *conn,
	       int (*start)(void *ctx, struct sg_err *err),
	       void (*cancel)(void *ctx), void *ctx, struct sg_err *err)
{
	int status;

	(void)pthread_mutex_lock(&c->lock);
	if (conn->gone) {
		status = sg_err_set(err, SG_ENOENT, "the client went away");
	} else {
		conn->cancel = cancel;
		conn->ctx = ctx;
		status = start(ctx, err);
		if (status < 0)
			conn->cancel = NULL;
	}
	(void)pthread_mutex_unlock(&c->lock);
	return status;
}

bool
sg_conn_detach(struct sg_conns *c, struct sg_conn *conn)
{
	bool gone;

	(void)pthread_mutex_lock(&c->lock);
	conn->cancel = NULL;
	gone = conn->gone;
	(void)pthread_mutex_unlock(&c->lock);
	return gone;
}

static void
client_gone(struct sg_conns *c, uint64_t which)
{
	uint32_t index = (uint32_t)which, generation = (uint32_t)(which >> 32);
	struct sg_conn *conn = &c->v[index];

	(void)pthread_mutex_lock(&c->lock);
	if (conn->state != SG_CONN_FREE && conn->generation == generation) {
		conn->gone = true;
		if (conn->cancel)
			conn->cancel(conn->ctx);
		conn->cancel = NULL;
	}
	(void)pthread_mutex_unlock(&c->lock);
}

void
sg_conns_watch(struct sg_conns *c)
{
	struct epoll_event ev[64];
	int n = epoll_wait(c->epoll, ev, 64, 0);

	for (int i = 0; i < n; i++)
		client_gone(c, ev[i].data.u64);
}

void
sg_conns_cancel(struct sg_conns *c)
{
	(void)pthread_mutex_lock(&c->lock);
	for (uint32_t i = 0; i < c->n; i++) {
		struct sg_conn *conn = &c->v[i];

		if (conn->state != SG_CONN_FREE && conn->cancel) {
			conn->cancel(conn->ctx);
			conn->cancel = NULL;
		}
	}
	(void)pthread_mutex_unlock(&c->lock);
}

void
sg_conns_sweep(struct sg_conns *c)
{
	uint64_t now = sg_clock_mono();

	(void)pthread_mutex_lock(&c->lock);
	for (uint32_t i = 0; i < c->n; i++) {
		struct sg_conn *conn = &c->v[i];
		uint64_t may = (uint64_t)c->client_ms +
			       conn->bytes * 1000 / BYTES_PER_SECOND;

		if (conn->state == SG_CONN_FREE ||
		    conn->state == SG_CONN_BUSY ||
		    now < conn->since + may * 1000000)
			continue;
		if (conn->state == SG_CONN_HEAD || conn->state == SG_CONN_BODY)
			sg_conn_blurt(conn, 408, "Request Timeout", "too-slow");
		else
			(void)shutdown(conn->fd, SHUT_RDWR);
	}
	(void)pthread_mutex_unlock(&c->lock);
}

void
sg_conns_refuse(struct sg_conns *c, unsigned status, const char *title,
		const char *code)
{
	struct sg_conn *only = NULL;
	uint32_t n = 0;

	(void)pthread_mutex_lock(&c->lock);
	for (uint32_t i = 0; i < c->n; i++) {
		if (c->v[i].state != SG_CONN_HEAD)
			continue;
		only = &c->v[i];
		n++;
	}
	if (n == 1)
		sg_conn_blurt(only, status, title, code);
	(void)pthread_mutex_unlock(&c->lock);
}

uint32_t
sg_conns_count(struct sg_conns *c)
{
	uint32_t n;

	(void)pthread_mutex_lock(&c->lock);
	n = c->used;
	(void)pthread_mutex_unlock(&c->lock);
	return n;
}

void
sg_conn_blurt(struct sg_conn *conn, unsigned status, const char *title,
	      const char *code)
{
	char body[256], all[512];
	int n = snprintf(body, sizeof(body),
			 "{\"type\":\"about:blank\",\"title\":\"%s\","
			 "\"status\":%u,\"code\":\"%s\"}",
			 title, status, code);

	n = snprintf(all, sizeof(all),
		     "HTTP/1.1 %u %s\r\n"
		     "Content-Type: application/problem+json\r\n"
		     "Content-Length: %d\r\n%sConnection: close\r\n\r\n%s",
		     status, title, n,
		     status == 429 ? "Retry-After: 1\r\n" : "", body);
	if (n > 0)
		(void)send(conn->fd, all, (size_t)n,
			   MSG_DONTWAIT | MSG_NOSIGNAL);
	(void)shutdown(conn->fd, SHUT_RDWR);
}
