#ifndef SG_EXECUTOR_SUPERVISE_H
#define SG_EXECUTOR_SUPERVISE_H

/*
 * Watches one run from outside the box: feeds it, listens to it, keeps its
 * limits, and ends it.
 */

#include "executor/cgroup.h"
#include "executor/denied.h"
#include "executor/frame.h"
#include "executor/plan.h"
#include "executor/stream.h"

/* Why the supervisor ended a run. */
enum sg_end {
	SG_END_NONE, /* it did not: the program ended by itself */
	SG_END_WALL,
	SG_END_CPU,
	SG_END_MEMORY,
	SG_END_OUTPUT,
	SG_END_CANCEL,
	SG_END_START /* the interpreter did not come up in time */
};

/* Our ends; closed by sg_watch_release(). */
struct sg_watch_fds {
	int in, out, err, result, request, report, life, pidfd;
};

struct sg_watch {
	const struct sg_box_spec *spec; /* borrowed */
	struct sg_board *board;         /* borrowed */
	const struct sg_cgroup *cgroup; /* borrowed; for the worker */
	unsigned must;                  /* layers, as in the plan */
	struct sg_watch_fds fds;
	uint32_t cpus;    /* processors of the host; 0: to be found out */
	bool poll_memory; /* there is no group that limits it */
	bool pidns;
	bool forked;           /* in a box of a zygote */
	bool tmpfs;            /* the workspace is a file system of its own */
	struct sg_str request; /* borrowed */

	/* What came of it. */
	enum sg_end end;
	bool saw_worker;
	pid_t warden, worker; /* as we see them */
	int worker_fd;        /* pidfd; -1 */
	int workspace;        /* folder; -1 */
	struct sg_capture out, err;
	struct sg_frame_reader frames;
	struct sg_denials denials;
	uint64_t begun, started, ended; /* monotonic, nanoseconds; 0: never */
	uint64_t cpu_at_start;          /* of the worker, nanoseconds */
	uint64_t cpu_seen;              /* the last that was read of it */
	uint64_t peak;                  /* bytes, while polling */

	/* Private. */
	bool admitted;
	int refused; /* the negative answer of spec->admit, */
	struct sg_err refusal;
	uint64_t due;   /* when to look at the limits again */
	bool asking;    /* the request may be written */
	bool parted;    /* the warden has said all that it will */
	bool quiet;     /* the worker can write no more */
	bool cancelled; /* the caller's word has been heard */
	size_t request_at, input_at;
	bool joined;
	bool dead;
};

/* Of the host; reads a file. */
uint32_t sg_watch_cpus(void);

/* Everything empty; descriptors -1. */
void sg_watch_init(struct sg_watch *w, const struct sg_box_spec *spec,
		   struct sg_board *board);
void sg_watch_release(struct sg_watch *w);

/*
 * Returns when every process of the box is dead and reaped.  SG_EIO when
 * the host refuses what watching needs; the box is dead then too.
 */
SG_MUST_CHECK int sg_watch_run(struct sg_watch *w, struct sg_err *err);

#endif
