#ifndef SG_CMD_HTTP_CONN_H
#define SG_CMD_HTTP_CONN_H

/*
 * The connections of the HTTP server as its main thread sees them: whose
 * client went away, and whose client takes too long.
 */

#include "base/status.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sg_conn_state {
	SG_CONN_FREE,
	SG_CONN_NEW,    /* nothing was asked yet */
	SG_CONN_IDLE,   /* between two requests */
	SG_CONN_HEAD,   /* a request line was read */
	SG_CONN_BODY,   /* all headers were */
	SG_CONN_BUSY,   /* the request is being answered */
	SG_CONN_SENDING /* the reply is on its way */
};

enum { SG_CONN_PEER = 64 };

struct sg_conn {
	int fd; /* borrowed from whoever serves it */
	uint32_t index, generation;
	enum sg_conn_state state;
	uint64_t since; /* sg_clock_mono() of the state */
	uint64_t bytes; /* that went in or out in this state */
	bool gone;      /* the client ended its side */
	bool local;     /* a Unix socket */
	void (*cancel)(void *ctx);
	void *ctx;
	uint32_t next_free;
	char peer[SG_CONN_PEER]; /* "127.0.0.1:41234", "uid=1000" */
};

struct sg_conns {
	pthread_mutex_t lock;
	struct sg_conn *v;
	uint32_t n, used, free;
	uint32_t client_ms;
	int epoll; /* readable when sg_conns_watch() has something to do */
};

/* Room for `n`.  SG_ENOMEM, SG_EIO. */
SG_MUST_CHECK int sg_conns_init(struct sg_conns *c, uint32_t n,
				uint32_t client_ms, struct sg_err *err);
void sg_conns_release(struct sg_conns *c);

/* NULL when there is no room. */
struct sg_conn *sg_conn_open(struct sg_conns *c, int fd, bool local);
/* Before the descriptor is closed. */
void sg_conn_close(struct sg_conns *c, struct sg_conn *conn);
void sg_conn_enter(struct sg_conns *c, struct sg_conn *conn,
		   enum sg_conn_state state);
/* More bytes went in; they buy time. */
void sg_conn_moved(struct sg_conns *c, struct sg_conn *conn, uint64_t bytes);

/*
 * Calls start(ctx), and cancel(ctx) when the client goes away between now and
 * sg_conn_detach().  Both are called with the connections locked; the second
 * only after the first has returned SG_OK.  Returns what `start` did, or
 * SG_ENOENT when the client is gone already.
 */
SG_MUST_CHECK int sg_conn_attach(struct sg_conns *c, struct sg_conn *conn,
				 int (*start)(void *ctx, struct sg_err *err),
				 void (*cancel)(void *ctx), void *ctx,
				 struct sg_err *err);
/* `cancel` is not called any more, and not under way.  True when the client
 * is gone. */
bool sg_conn_detach(struct sg_conns *c, struct sg_conn *conn);

/* Looks who went away. */
void sg_conns_watch(struct sg_conns *c);
/* Ends who takes too long; to be called about every second. */
void sg_conns_sweep(struct sg_conns *c);
/* Answers, past the library, the one whose head is being read; none when
 * there are several.  See sg_conn_blurt(). */
void sg_conns_refuse(struct sg_conns *c, unsigned status, const char *title,
		     const char *code);
/* Cancels whatever is under way. */
void sg_conns_cancel(struct sg_conns *c);
uint32_t sg_conns_count(struct sg_conns *c);

/*
 * Writes a whole reply past the library, where that has no way to send one,
 * and ends the connection.  Nothing may be sent on it otherwise.
 */
void sg_conn_blurt(struct sg_conn *conn, unsigned status, const char *title,
		   const char *code);

#endif
