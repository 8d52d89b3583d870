#ifndef SG_PIPELINE_SERVICE_CORE_H
#define SG_PIPELINE_SERVICE_CORE_H

/* What the parts of a service share; only pipeline/service*.c. */

#include "pipeline/service.h"

#include <pthread.h>
#include <stdatomic.h>

/* A policy and who uses it: the service, and each worker that has a gate for
 * it.  The last one frees it. */
struct sg_generation {
	struct sg_policy *policy;
	uint64_t number; /* 1, 2, 3 ... */
	uint32_t users;  /* under the service's lock */
};

struct sg_svc_worker;

/* The service's side of a task. */
struct sg_ticket {
	struct sg_task *task;
	struct sg_service *service;
	atomic_ullong output; /* bytes so far */
	/* What follows is under the service's lock. */
	enum sg_task_state state;
	uint64_t since;    /* when it entered that state */
	uint64_t deadline; /* nanoseconds; UINT64_MAX none */
	bool cancelled;
	struct sg_svc_worker *worker; /* that runs it; or NULL */
	struct sg_ticket *next, *prev;
};

struct sg_svc_worker {
	struct sg_service *service;
	pthread_t thread;
	struct sg_generation *generation; /* of its gate */
	struct sg_gate *gate;
	struct sg_arena arena; /* of the run under way */
	int cancel_fd;         /* readable: end the run */
	struct sg_ticket *ticket;
	struct sg_run run;
};

/* What scripts can import, as it was found out. */
struct sg_packages {
	pthread_mutex_t lock;  /* of what follows, and of finding out */
	uint64_t number;       /* of the generation that `text` is for */
	struct sg_arena texts; /* all that were ever handed out */
	struct sg_str raw;     /* as the interpreter said */
	struct sg_str text;
};

struct sg_service {
	struct sg_service_opts opts;
	struct sg_arena arena; /* of what opts points to */
	const char *policy;
	struct sg_str python, version;
	uint32_t minor;
	struct sg_audit *audit; /* or NULL */
	struct sg_warm *warm;   /* or NULL */
	struct sg_svc_worker *workers;
	uint32_t nworkers; /* that were started */
	pthread_t clerk;
	bool has_clerk;
	struct sg_packages packages;
	pthread_mutex_t reloading; /* one at a time */

	pthread_mutex_t lock; /* of all that follows */
	pthread_cond_t work;  /* for a worker */
	pthread_cond_t late;  /* for the clerk */
	pthread_cond_t idle;  /* for a drain: nothing is pending */
	struct sg_generation *generation;
	struct sg_ticket *first, *last; /* the queue */
	uint64_t clerk_wakes;           /* at the latest */
	uint64_t pending;               /* submitted, `done` not returned */
	uint64_t mean_us;               /* of runs; a moving average */
	bool cancelling;                /* whatever is left */
	bool stopping;
	struct sg_service_stats stats;
};

/* ---- service_task.c: all under the lock ---- */

void sg_queue_add(struct sg_service *s, struct sg_ticket *t);
void sg_queue_remove(struct sg_service *s, struct sg_ticket *t);
/* Enters a state now. */
void sg_ticket_enter(struct sg_ticket *t, enum sg_task_state state);
/* Gives a run its signal to end, or wakes the clerk to do so in the queue. */
void sg_ticket_cancel(struct sg_ticket *t);

/* ---- service_worker.c ---- */

/* Thread functions: of a worker, and of the clerk. */
void *sg_service_worker(void *worker);
void *sg_service_clerk(void *service);
/* Wakes the clerk if it would sleep beyond `when`; under the lock. */
void sg_clerk_expect(struct sg_service *s, uint64_t when);

/* How a service reports a task's run. */
struct sg_report_opts sg_service_report(const struct sg_service *s,
					const struct sg_task *task);
/* A run that was never begun. */
void sg_run_unstarted(const struct sg_task *task, enum sg_run_status status,
		      const char *message, struct sg_run *ret);

/* ---- service.c ---- */

/* Both under the lock; the policy that nobody uses any more is *ret, to be
 * freed without the lock. */
struct sg_generation *sg_generation_use(struct sg_generation *g);
struct sg_policy *sg_generation_drop(struct sg_generation *g);

#endif
