/*
 * Theory of operation.
 *
 * The threads that serve connections must never wait.  A handler that may
 * (the interpreter is asked for its packages; a message is fed to a protocol
 * that may ask for them), or that has much to read, is called here, one after
 * the other, on one thread.
 */

#include "cmd/http.h"

#include <stdlib.h>

struct sg_http_later {
	pthread_mutex_t lock;
	pthread_cond_t some;
	pthread_t thread;
	struct sg_http_req *first, *last;
	bool ending;
	bool ended; /* of the main thread */
};

static struct sg_http_req *
take(struct sg_http_later *l)
{
	struct sg_http_req *req;

	(void)pthread_mutex_lock(&l->lock);
	while (!l->first && !l->ending)
		(void)pthread_cond_wait(&l->some, &l->lock);
	req = l->first;
	if (req)
		l->first = req->next;
	(void)pthread_mutex_unlock(&l->lock);
	return req;
}

static void *
work(void *arg)
{
	struct sg_http_later *l = arg;
	struct sg_http_req *req;

	while ((req = take(l)) != NULL)
		req->route->handle(req);
	return NULL;
}

int
sg_http_later_open(struct sg_http *h, struct sg_err *err)
{
	struct sg_http_later *l = calloc(1, sizeof(*l));
	int number;

	if (!l)
		return sg_err_set(err, SG_ENOMEM, "no memory");
	(void)pthread_mutex_init(&l->lock, NULL);
	(void)pthread_cond_init(&l->some, NULL);
	number = pthread_create(&l->thread, NULL, work, l);
	if (number != 0) {
		free(l);
		return sg_err_sys(err, SG_EIO, number, "cannot start a thread");
	}
	h->later = l;
	return SG_OK;
}

void
sg_http_later(struct sg_http_req *req)
{
	struct sg_http_later *l = req->http->later;
	bool ending;

	req->next = NULL;
	(void)pthread_mutex_lock(&l->lock);
	ending = l->ending;
	if (ending) {
		/* Nobody would take it. */
	} else if (l->first) {
		l->last->next = req;
	} else {
		l->first = req;
	}
	l->last = req;
	(void)pthread_cond_signal(&l->some);
	(void)pthread_mutex_unlock(&l->lock);
	if (!ending)
		return;
	sg_http_overloaded(req);
	sg_http_wake(req);
}

void
sg_http_later_end(struct sg_http_later *l)
{
	if (!l || l->ended)
		return;
	(void)pthread_mutex_lock(&l->lock);
	l->ending = true;
	(void)pthread_cond_signal(&l->some);
	(void)pthread_mutex_unlock(&l->lock);
	(void)pthread_join(l->thread, NULL);
	l->ended = true;
}

void
sg_http_later_free(struct sg_http_later *l)
{
	if (!l)
		return;
	sg_http_later_end(l);
	(void)pthread_cond_destroy(&l->some);
	(void)pthread_mutex_destroy(&l->lock);
	free(l);
}
