#include "executor/cleaner.h"

#include <signal.h>
#include <time.h>

enum {
	BEHIND = 8,
	NAP_US = 1000 /* the answer goes out first, when there is time */
};

static void
clean(struct sg_cleaner *c, struct sg_ready *run)
{
	struct sg_slot *slot = run->slot;

	sg_ready_free(run);
	sg_slot_refill(slot);
	c->done(c->ctx, slot);
}

static struct sg_ready *
take_all(struct sg_cleaner *c)
{
	struct sg_ready *list = c->runs;

	c->runs = NULL;
	c->n = 0;
	return list;
}

/* With the lock, which is let go meanwhile. */
static void
nap(struct sg_cleaner *c)
{
	const struct timespec us = { 0, NAP_US * 1000L };

	(void)pthread_mutex_unlock(&c->lock);
	(void)nanosleep(&us, NULL);
	(void)pthread_mutex_lock(&c->lock);
}

static void *
work(void *arg)
{
	struct sg_cleaner *c = arg;
	struct sg_ready *list;
	sigset_t all;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_BLOCK, &all, NULL);
	(void)pthread_mutex_lock(&c->lock);
	while (!c->stop || c->runs) {
		if (!c->runs) {
			(void)pthread_cond_wait(&c->work, &c->lock);
			continue;
		}
		c->busy = true;
		if (c->n == 1 && !c->stop)
			nap(c);
		list = take_all(c);
		(void)pthread_mutex_unlock(&c->lock);
		while (list) {
			struct sg_ready *run = list;

			list = run->next;
			clean(c, run);
		}
		(void)pthread_mutex_lock(&c->lock);
		c->busy = false;
		(void)pthread_cond_broadcast(&c->idle);
	}
	(void)pthread_mutex_unlock(&c->lock);
	return NULL;
}

int
sg_cleaner_open(struct sg_cleaner *c,
		void (*done)(void *ctx, struct sg_slot *slot), void *ctx,
		struct sg_err *err)
{
	int rc;

	c->done = done;
	c->ctx = ctx;
	(void)pthread_mutex_init(&c->lock, NULL);
	(void)pthread_cond_init(&c->work, NULL);
	(void)pthread_cond_init(&c->idle, NULL);
	rc = pthread_create(&c->thread, NULL, work, c);
	c->running = rc == 0;
	if (rc != 0)
		return sg_err_sys(err, SG_EBOX, rc, "cannot start a thread");
	return SG_OK;
}

void
sg_cleaner_give(struct sg_cleaner *c, struct sg_ready *run,
		struct sg_slot *slot)
{
	bool behind;

	run->slot = slot;
	(void)pthread_mutex_lock(&c->lock);
	behind = c->n >= BEHIND;
	if (!behind) {
		run->next = c->runs;
		c->runs = run;
		c->n++;
		(void)pthread_cond_signal(&c->work);
	}
	(void)pthread_mutex_unlock(&c->lock);
	if (behind)
		clean(c, run);
}

void
sg_cleaner_rest(struct sg_cleaner *c)
{
	(void)pthread_mutex_lock(&c->lock);
	while (c->runs || c->busy)
		(void)pthread_cond_wait(&c->idle, &c->lock);
	(void)pthread_mutex_unlock(&c->lock);
}

void
sg_cleaner_close(struct sg_cleaner *c)
{
	if (!c->running)
		return;
	(void)pthread_mutex_lock(&c->lock);
	c->stop = true;
	(void)pthread_cond_signal(&c->work);
	(void)pthread_mutex_unlock(&c->lock);
	(void)pthread_join(c->thread, NULL);
	(void)pthread_mutex_destroy(&c->lock);
	(void)pthread_cond_destroy(&c->work);
	(void)pthread_cond_destroy(&c->idle);
	c->running = false;
}
