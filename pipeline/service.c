/*
 * Theory of operation.
 *
 * A policy is counted: the service uses the one in force, and each worker the
 * one its gate was made for.  A reload puts another in force; workers take it
 * on before their next task, and the last user of the old one frees it.
 *
 * A drain closes the door, waits, and then cancels: the clerk ends what is in
 * the queue, runs under way get their signal.  Nothing is waited for that
 * could wait for a client.
 */

#include "pipeline/service_core.h"

#include "base/clock.h"
#include "base/file.h"
#include "executor/limits.h"
#include "executor/request.h"
#include "pipeline/guard.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>

enum {
	QUEUE = 64,
	SERVICE_ARENA = 1 << 20,
	/* Workers for each processor: some wait for a disk or for a box to
	   end, and with two now and then all of them do. */
	PER_CPU = 3
};

/* ---- policies ---- */

struct sg_generation *
sg_generation_use(struct sg_generation *g)
{
	g->users++;
	return g;
}

struct sg_policy *
sg_generation_drop(struct sg_generation *g)
{
	struct sg_policy *policy = g->policy;

	if (--g->users > 0)
		return NULL;
	free(g);
	return policy;
}

static int
load_policy(const char *name, struct sg_generation **ret, struct sg_err *err)
{
	struct sg_generation *g = calloc(1, sizeof(*g));
	int status;

	if (!g)
		return sg_err_set(err, SG_ENOMEM, "no memory for a policy");
	status = sg_policy_open(name, &g->policy, err);
	if (status < 0) {
		free(g);
		return status;
	}
	g->users = 1;
	*ret = g;
	return SG_OK;
}

/* Puts a policy in force; under the lock.  The old one, when nobody uses it
 * any more, is to be freed by the caller. */
static struct sg_policy *
put_in_force(struct sg_service *s, struct sg_generation *g)
{
	struct sg_digest digest = sg_policy_digest(g->policy);
	struct sg_str name = sg_policy_name(g->policy);
	struct sg_generation *old = s->generation;

	g->number = old ? old->number + 1 : 1;
	s->generation = g;
	(void)snprintf(s->stats.policy, sizeof(s->stats.policy), "%.*s",
		       SG_STR_ARG(name));
	sg_digest_hex(&digest, s->stats.policy_sha256);
	(void)pthread_cond_broadcast(&s->work);
	return old ? sg_generation_drop(old) : NULL;
}

/* The guard of all scripts but those that the policy excepts from a rule. */
static int
guard_of(const struct sg_service *s, const struct sg_policy *policy,
	 struct sg_buf *out, struct sg_err *err)
{
	struct sg_policy_guard *guard = NULL;
	const struct sg_digest none = { 0 };
	struct sg_box_spec box;
	struct sg_arena arena;
	int status;

	sg_box_spec_init(&box);
	box.limits = s->opts.limits;
	sg_arena_init(&arena, SERVICE_ARENA);
	status = sg_policy_guard_new(policy, &guard, err);
	if (status == SG_OK)
		status = sg_policy_guard_fill(guard, NULL, &none, &arena, &box,
					      err);
	if (status == SG_OK)
		sg_buf_str(out, box.guard_text);
	sg_policy_guard_free(guard);
	sg_arena_release(&arena);
	return status;
}

/* Where it fails runs bring their guard themselves. */
static void
renew_guard(struct sg_service *s, const struct sg_policy *policy)
{
	struct sg_buf guard;
	struct sg_err err;

	sg_err_clear(&err);
	sg_buf_init(&guard, SG_BOX_GUARD_TEXT);
	if (s->warm && guard_of(s, policy, &guard, &err) == SG_OK)
		(void)sg_warm_guard(s->warm, sg_buf_view(&guard), &err);
	sg_buf_release(&guard);
}

int
sg_service_reload(struct sg_service *s, struct sg_err *err)
{
	struct sg_generation *g;
	struct sg_policy *unused = NULL;
	int status;

	(void)pthread_mutex_lock(&s->reloading);
	status = load_policy(s->policy, &g, err);
	(void)pthread_mutex_lock(&s->lock);
	if (status == SG_OK) {
		unused = put_in_force(s, g);
		s->stats.reloads++;
	} else {
		s->stats.reloads_failed++;
	}
	(void)pthread_mutex_unlock(&s->lock);
	sg_policy_free(unused);
	/* Nobody else puts another in force meanwhile. */
	if (status == SG_OK)
		renew_guard(s, g->policy);
	(void)pthread_mutex_unlock(&s->reloading);
	return status;
}

/* ---- opening ---- */

void
sg_service_opts_init(struct sg_service_opts *opts)
{
	struct sg_box_spec spec;

	sg_box_spec_init(&spec);
	*opts = (struct sg_service_opts){
		.require = spec.require,
		.limits = spec.limits,
		.queue = QUEUE,
		.audit_sync = SG_AUDIT_SYNC_START,
	};
	sg_warm_opts_init(&opts->warm);
}

static uint32_t
processors(void)
{
	cpu_set_t set;
	int n = 1;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		n = CPU_COUNT(&set);
	return n > 0 ? (uint32_t)n : 1;
}

static int
copy_text(struct sg_service *s, const char *text, const char **ret,
	  struct sg_err *err)
{
	*ret = NULL;
	if (!text)
		return SG_OK;
	*ret = sg_arena_dup(&s->arena, sg_str_c(text)).p;
	return *ret ? SG_OK : sg_err_set(err, SG_ENOMEM, "no memory");
}

static int
take_opts(struct sg_service *s, const struct sg_service_opts *o,
	  struct sg_err *err)
{
	int status;

	s->opts = *o;
	if (o->workers > SG_SERVICE_WORKERS)
		return sg_err_set(err, SG_EUSAGE, "at most %d workers",
				  SG_SERVICE_WORKERS);
	if (o->queue > SG_SERVICE_QUEUE)
		return sg_err_set(err, SG_EUSAGE, "at most %d may wait",
				  SG_SERVICE_QUEUE);
	s->opts.workers = o->workers ? o->workers : PER_CPU * processors();
	s->opts.queue = o->queue ? o->queue : QUEUE;
	s->stats.workers = s->opts.workers;
	s->stats.queue = s->opts.queue;
	status = sg_box_limits_check(&o->limits, err);
	if (status == SG_OK)
		status = copy_text(s, o->policy ? o->policy : "default",
				   &s->policy, err);
	if (status == SG_OK)
		status = copy_text(s, o->audit, &s->opts.audit, err);
	s->opts.policy = s->policy;
	s->opts.python = NULL;
	return status;
}

static int
open_parts(struct sg_service *s, const struct sg_service_opts *o,
	   struct sg_err *err)
{
	struct sg_audit_opts audit = { .max_bytes = o->audit_max,
				       .shared = true,
				       .sync = o->audit_sync };
	struct sg_generation *g;
	int status;

	if ((status = take_opts(s, o, err)) < 0 ||
	    (status = load_policy(s->policy, &g, err)) < 0)
		return status;
	(void)put_in_force(s, g);
	status = sg_box_python(o->python, &s->arena, &s->python, &s->version,
			       &s->minor, err);
	if (status < 0)
		return status;
	if (s->minor < 9 || s->minor > 14)
		return sg_err_set(err, SG_EUSAGE,
				  "Python %.*s is none of 3.9 to 3.14",
				  SG_STR_ARG(s->version));
	audit.path = s->opts.audit;
	if (!audit.path && !o->audit_default)
		return SG_OK;
	return sg_audit_open(&audit, &s->audit, err);
}

static int
open_warm(struct sg_service *s, struct sg_err *err)
{
	struct sg_warm_opts warm = s->opts.warm;
	struct sg_buf guard;
	int status;

	if (s->opts.cold)
		return SG_OK;
	sg_buf_init(&guard, SG_BOX_GUARD_TEXT);
	status = guard_of(s, s->generation->policy, &guard, err);
	warm.python = s->python.p;
	warm.require = s->opts.require;
	warm.guard = sg_buf_view(&guard);
	if (status == SG_OK)
		status = sg_warm_open(&warm, &s->warm, err);
	sg_buf_release(&guard);
	return status;
}

static int
start_worker(struct sg_service *s, struct sg_svc_worker *w, struct sg_err *err)
{
	int number;

	w->service = s;
	sg_arena_init(&w->arena, sg_run_arena_size(&s->opts.limits));
	w->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->cancel_fd < 0)
		return sg_err_sys(err, SG_EIO, errno,
				  "cannot make an event descriptor");
	number = pthread_create(&w->thread, NULL, sg_service_worker, w);
	if (number) {
		sg_fd_close(&w->cancel_fd);
		return sg_err_sys(err, SG_EIO, number, "cannot start a thread");
	}
	s->nworkers++;
	return SG_OK;
}

static int
start_threads(struct sg_service *s, struct sg_err *err)
{
	int number, status = SG_OK;

	s->workers = calloc(s->opts.workers, sizeof(*s->workers));
	if (!s->workers)
		return sg_err_set(err, SG_ENOMEM, "no memory for workers");
	for (uint32_t i = 0; i < s->opts.workers && status == SG_OK; i++)
		status = start_worker(s, &s->workers[i], err);
	if (status < 0)
		return status;
	number = pthread_create(&s->clerk, NULL, sg_service_clerk, s);
	if (number)
		return sg_err_sys(err, SG_EIO, number, "cannot start a thread");
	s->has_clerk = true;
	return SG_OK;
}

static void
init_locks(struct sg_service *s)
{
	pthread_condattr_t attr;

	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_mutex_init(&s->lock, NULL);
	(void)pthread_mutex_init(&s->reloading, NULL);
	(void)pthread_mutex_init(&s->packages.lock, NULL);
	(void)pthread_cond_init(&s->work, NULL);
	(void)pthread_cond_init(&s->late, &attr);
	(void)pthread_cond_init(&s->idle, &attr);
	(void)pthread_condattr_destroy(&attr);
}

int
sg_service_open(const struct sg_service_opts *opts, struct sg_service **ret,
		struct sg_err *err)
{
	struct sg_service *s = calloc(1, sizeof(*s));
	int status;

	if (!s)
		return sg_err_set(err, SG_ENOMEM, "no memory");
	init_locks(s);
	s->clerk_wakes = UINT64_MAX;
	sg_arena_init(&s->arena, SERVICE_ARENA);
	sg_arena_init(&s->packages.texts, SG_PACKAGES_MAX);
	status = open_parts(s, opts, err);
	if (status == SG_OK)
		status = open_warm(s, err);
	if (status == SG_OK)
		status = start_threads(s, err);
	if (status < 0) {
		sg_service_free(s);
		return status;
	}
	*ret = s;
	return SG_OK;
}

/* ---- ending ---- */

/* Waits until nothing is pending; false when that takes too long. */
static bool
wait_idle(struct sg_service *s, uint64_t until)
{
	const uint64_t second = 1000000000;
	const struct timespec end = { .tv_sec = (time_t)(until / second),
				      .tv_nsec = (long)(until % second) };

	while (s->pending > 0) {
		if (until == UINT64_MAX)
			(void)pthread_cond_wait(&s->idle, &s->lock);
		else if (pthread_cond_timedwait(&s->idle, &s->lock, &end) ==
			 ETIMEDOUT)
			return s->pending == 0;
	}
	return true;
}

void
sg_service_drain(struct sg_service *s, uint32_t wait_ms)
{
	(void)pthread_mutex_lock(&s->lock);
	s->stats.draining = true;
	if (!wait_idle(s, sg_clock_mono() + (uint64_t)wait_ms * 1000000)) {
		s->cancelling = true;
		for (uint32_t i = 0; i < s->nworkers; i++) {
			if (s->workers[i].ticket)
				sg_ticket_cancel(s->workers[i].ticket);
		}
		sg_clerk_expect(s, 0);
		(void)wait_idle(s, UINT64_MAX);
	}
	(void)pthread_mutex_unlock(&s->lock);
}

static void
stop_threads(struct sg_service *s)
{
	(void)pthread_mutex_lock(&s->lock);
	s->stopping = true;
	(void)pthread_cond_broadcast(&s->work);
	(void)pthread_cond_broadcast(&s->late);
	(void)pthread_mutex_unlock(&s->lock);
	for (uint32_t i = 0; i < s->nworkers; i++)
		(void)pthread_join(s->workers[i].thread, NULL);
	if (s->has_clerk)
		(void)pthread_join(s->clerk, NULL);
}

static void
release_workers(struct sg_service *s)
{
	for (uint32_t i = 0; i < s->nworkers; i++) {
		struct sg_svc_worker *w = &s->workers[i];

		sg_gate_free(w->gate);
		if (w->generation)
			sg_policy_free(sg_generation_drop(w->generation));
		sg_arena_release(&w->arena);
		sg_fd_close(&w->cancel_fd);
	}
	free(s->workers);
}

void
sg_service_free(struct sg_service *s)
{
	if (!s)
		return;
	sg_service_drain(s, 0);
	stop_threads(s);
	release_workers(s);
	sg_warm_free(s->warm);
	if (s->generation)
		sg_policy_free(sg_generation_drop(s->generation));
	sg_audit_free(s->audit);
	sg_arena_release(&s->packages.texts);
	sg_arena_release(&s->arena);
	(void)pthread_mutex_destroy(&s->lock);
	(void)pthread_mutex_destroy(&s->reloading);
	(void)pthread_mutex_destroy(&s->packages.lock);
	(void)pthread_cond_destroy(&s->work);
	(void)pthread_cond_destroy(&s->late);
	(void)pthread_cond_destroy(&s->idle);
	free(s);
}

/* ---- what there is to know ---- */

void
sg_service_stats(struct sg_service *s, struct sg_service_stats *ret)
{
	(void)pthread_mutex_lock(&s->lock);
	*ret = s->stats;
	(void)pthread_mutex_unlock(&s->lock);
}

const struct sg_box_limits *
sg_service_limits(const struct sg_service *s)
{
	return &s->opts.limits;
}

const char *
sg_service_policy(const struct sg_service *s)
{
	return s->policy;
}

struct sg_str
sg_service_python(const struct sg_service *s)
{
	return s->version;
}

struct sg_warm *
sg_service_warm(struct sg_service *s)
{
	return s->warm;
}
