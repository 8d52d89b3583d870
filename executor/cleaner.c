#include "executor/cleaner.h"

#include <errno.h>
#include <signal.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/file.h"

/*
 * Theory of operation.  The thread sleeps on a timer, which the first run
 * that comes in sets: the answer goes out before it is cleaned up after.
 * So the thread is woken once for one run or for several, and not at all by
 * the one that hands a run over.
 */

enum { BEHIND = 8, NAP_US = 1000 };

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

/* 0: at once. */
static void
begin_in(struct sg_cleaner *c, long us)
{
	const struct itimerspec its = { { 0, 0 }, { 0, us ? us * 1000 : 1 } };

	(void)timerfd_settime(c->timer, 0, &its, NULL);
}

static void
sleep_on(const struct sg_cleaner *c)
{
	uint64_t ticks;

	while (read(c->timer, &ticks, sizeof(ticks)) < 0 && errno == EINTR)
		;
}

/* With the lock, which is let go meanwhile. */
static void
clean_all(struct sg_cleaner *c)
{
	struct sg_ready *run, *list = take_all(c);

	c->busy = true;
	(void)pthread_mutex_unlock(&c->lock);
	while (list) {
		run = list;
		list = run->next;
		clean(c, run);
	}
	(void)pthread_mutex_lock(&c->lock);
	c->busy = false;
	(void)pthread_cond_broadcast(&c->idle);
}

static void *
work(void *arg)
{
	struct sg_cleaner *c = arg;
	sigset_t all;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_BLOCK, &all, NULL);
	(void)pthread_mutex_lock(&c->lock);
	while (!c->stop || c->runs) {
		if (!c->stop) {
			(void)pthread_mutex_unlock(&c->lock);
			sleep_on(c);
			(void)pthread_mutex_lock(&c->lock);
		}
		clean_all(c);
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
	c->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (c->timer < 0)
		return sg_err_sys(err, SG_EBOX, errno, "cannot make a timer");
	(void)pthread_mutex_init(&c->lock, NULL);
	(void)pthread_cond_init(&c->idle, NULL);
	rc = pthread_create(&c->thread, NULL, work, c);
	c->running = rc == 0;
	if (rc != 0)
		sg_fd_close(&c->timer);
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
		if (!c->runs)
			begin_in(c, NAP_US);
		run->next = c->runs;
		c->runs = run;
		c->n++;
	}
	(void)pthread_mutex_unlock(&c->lock);
	if (behind)
		clean(c, run);
}

void
sg_cleaner_rest(struct sg_cleaner *c)
{
	(void)pthread_mutex_lock(&c->lock);
	if (c->runs)
		begin_in(c, 0);
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
	begin_in(c, 0);
	(void)pthread_mutex_unlock(&c->lock);
	(void)pthread_join(c->thread, NULL);
	(void)pthread_mutex_destroy(&c->lock);
	(void)pthread_cond_destroy(&c->idle);
	sg_fd_close(&c->timer);
	c->running = false;
}
