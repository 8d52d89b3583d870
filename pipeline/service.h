#ifndef SG_PIPELINE_SERVICE_H
#define SG_PIPELINE_SERVICE_H

/*
 * Many scripts at a time, for the servers: a policy, an audit log and an
 * interpreter shared by a fixed number of workers, behind a bounded queue.
 *
 *	struct sg_task *task;
 *	sg_task_new(service, SG_TASK_RUN, &task, &err);
 *	task->spec.code = sg_task_copy(task, bytes, n);
 *	task->done = done; task->ctx = mine;
 *	if (sg_service_submit(service, task, &err) == SG_ELIMIT)
 *		... overloaded; the task is still the caller's
 *
 * Every submitted task ends in exactly one call of its `done`, on a thread of
 * the service, also when it was cancelled, too late or caught in a drain.
 * What stood in the queue past its deadline is never started.
 */

#include "executor/warm.h"
#include "pipeline/report.h"

struct sg_service;

enum sg_task_kind { SG_TASK_CHECK, SG_TASK_RUN };

enum sg_task_state {
	SG_TASK_NEW,
	SG_TASK_QUEUED,
	SG_TASK_RUNNING,
	SG_TASK_DONE
};

/* One script.  The fields above the line are the caller's to fill in. */
struct sg_task {
	enum sg_task_kind kind;
	struct sg_run_spec spec; /* sg_task_new() sets the service's limits;
				    `audit` and box.cancel_fd are the
				    service's */
	uint32_t deadline_ms;    /* from submission, time in the queue
				    included; 0: the run's own limit only */
	/*
	 * `run` (also of a task that never started: SG_RUN_CANCELLED,
	 * SG_RUN_OVERLOADED, SG_RUN_TIMEOUT with executed false) is valid
	 * until it returns.  It may free the task, or hand it on.
	 */
	void (*done)(struct sg_task *task, const struct sg_run *run,
		     const struct sg_report_opts *report, void *ctx);
	void *ctx;
	/* ---- */
	struct sg_arena arena; /* for what `spec` points to */
	void *private;
};

struct sg_service_opts {
	const char *policy; /* name or file; NULL: "default" */
	const char *python; /* interpreter; NULL: found */
	const char *audit;  /* log; NULL: none is kept */
	bool audit_default; /* without a name: sg_audit_default_path() */
	uint64_t audit_max; /* bytes; a longer log is rotated; 0: never */
	enum sg_audit_sync audit_sync; /* SG_AUDIT_SYNC_START */
	/* Called when the log cannot be written, and (`why` NULL) when it can
	   again; on a thread of the service.  May be NULL. */
	void (*audit_state)(const char *why, void *ctx);
	void *audit_ctx;
	enum sg_box_require require;
	struct sg_box_limits limits; /* defaults of a run, and the most that
					a request may ask for */
	const char *const *env;      /* of each run, as in sg_box_spec;
					borrowed; must outlive */
	uint32_t workers;            /* at a time; 0: three a processor */
	uint32_t queue;              /* that may wait; 0: 64 */
	bool cold;                   /* no warm interpreters */
	struct sg_warm_opts warm;
};

struct sg_service_stats {
	uint64_t accepted, refused;              /* submissions */
	uint64_t by_status[SG_RUN_STATUS_COUNT]; /* of tasks that ended */
	uint64_t by_decision[3];  /* enum sg_decision, of what was judged */
	uint32_t queued, running; /* now */
	uint32_t workers, queue;  /* as configured */
	uint64_t reloads, reloads_failed;
	uint64_t audit_failures;  /* records that could not be written */
	uint64_t audit_failed_at; /* sg_clock_mono() of the last one; 0 when
				     one was written since */
	bool draining;
	char policy[64], policy_sha256[65]; /* in force */
};

void sg_service_opts_init(struct sg_service_opts *opts);

/*
 * Starts the workers; what `opts` points to is copied.  *ret belongs to the
 * caller: sg_service_free(), which drains first.
 */
SG_MUST_CHECK int sg_service_open(const struct sg_service_opts *opts,
				  struct sg_service **ret, struct sg_err *err);
void sg_service_free(struct sg_service *s);

/* *ret belongs to the caller until submitted: sg_task_free(). */
SG_MUST_CHECK int sg_task_new(struct sg_service *s, enum sg_task_kind kind,
			      struct sg_task **ret, struct sg_err *err);
void sg_task_free(struct sg_task *task);

/* A copy owned by the task, NUL-ended; data NULL when there is no memory. */
struct sg_str sg_task_copy(struct sg_task *task, const void *bytes, size_t n);

/*
 * SG_OK: the task is the service's until `done`.  SG_ELIMIT: the queue is
 * full or the service drains; SG_EUSAGE: a limit asked for is above the
 * service's.
 */
SG_MUST_CHECK int sg_service_submit(struct sg_service *s, struct sg_task *task,
				    struct sg_err *err);

/*
 * What a refused task comes to, in the shape of all others: *ret_run with
 * status SG_RUN_OVERLOADED (`why` is SG_ELIMIT) or SG_RUN_INVALID, and how to
 * report it.  Views into `task` and `why`.
 */
void sg_service_refusal(struct sg_service *s, const struct sg_task *task,
			const struct sg_err *why, struct sg_run *ret_run,
			struct sg_report_opts *ret_report);

/* Ends it wherever it stands; `done` follows.  Only before `done` returns. */
void sg_task_cancel(struct sg_task *task);
/* Also *ret_ms: since it entered that state. */
enum sg_task_state sg_task_state(struct sg_task *task, uint64_t *ret_ms);
/* Bytes that its program has written so far, to both streams. */
uint64_t sg_task_output(struct sg_task *task);

/* Seconds after which a refused caller may try again: at least 1. */
uint32_t sg_service_retry_after(struct sg_service *s);

/*
 * Loads the policy anew.  A bad one changes nothing and is the error.  Tasks
 * under way end by the policy that they began with.
 */
SG_MUST_CHECK int sg_service_reload(struct sg_service *s, struct sg_err *err);

/*
 * Takes no more, waits up to `wait_ms` for what is queued or running, then
 * cancels it and waits for that.
 */
void sg_service_drain(struct sg_service *s, uint32_t wait_ms);

void sg_service_stats(struct sg_service *s, struct sg_service_stats *ret);
/* Of a run: its defaults, and the most that a request may ask for. */
const struct sg_box_limits *sg_service_limits(const struct sg_service *s);
/* The policy's name or file, as it was given: view into s. */
const char *sg_service_policy(const struct sg_service *s);
/* "3.11.2": view into s. */
struct sg_str sg_service_python(const struct sg_service *s);
/* May be NULL: no warm interpreters. */
struct sg_warm *sg_service_warm(struct sg_service *s);

/*
 * What scripts can import under the policy in force, as a JSON object:
 *
 *	{"python": "3.11.2", "policy": "default",
 *	 "packages": [{"name", "version", "modules"}, ...],
 *	 "standard_library": [module, ...],
 *	 "rejected": [module, ...]}	what is installed and not allowed
 *
 * The interpreter is asked in the box, once; the gate for each policy.  *ret
 * is a view into s, valid as long as s.  SG_EBOX, SG_EIO, SG_ENOMEM.
 */
SG_MUST_CHECK int sg_service_packages(struct sg_service *s, struct sg_str *ret,
				      struct sg_err *err);

#endif
