#ifndef SG_EXECUTOR_PLAN_H
#define SG_EXECUTOR_PLAN_H

/*
 * Everything that the warden and the worker will need, worked out before
 * they exist: after the fork they may neither allocate nor look anything up
 * (the caller may have threads).  And the memory in which they answer.
 */

#include <sys/resource.h>
#include <sys/types.h>

#include "executor/box.h"
#include "executor/layer.h"
#include "executor/prepared.h"
#include "executor/python.h"

/* Descriptors of the supervisor's children, as the warden inherits them. */
struct sg_plan_fds {
	int in, out, err; /* the program's */
	int result;       /* writing end */
	int request;      /* reading end */
	int report;       /* socket to the supervisor */
	int life;         /* pipe: end of file when the supervisor is gone */
	int memory, pids; /* control groups to move itself into; -1 */
	int group;        /* folder of one to be born in; -1 */
};

/* A text file that the warden writes into the box. */
struct sg_plan_file {
	const char *path;
	struct sg_str data;
};

struct sg_plan_link {
	const char *to, *at;
};

struct sg_plan {
	const struct sg_box_spec *spec; /* borrowed */
	unsigned want;                  /* layers to try */
	unsigned must; /* layers whose failure ends the set-up */
	uint64_t clone_flags;

	/* Who the program is: inside, and as the warden sees it. */
	uid_t in_uid, out_uid, self_uid;
	gid_t in_gid, out_gid, self_gid;
	bool is_root; /* the supervisor may set users and mount */

	struct sg_binds binds;
	const struct sg_plan_link *links;
	uint32_t nlinks;
	const struct sg_plan_file *files;
	uint32_t nfiles;
	const struct sg_prepared *prepared; /* borrowed */

	/* Paths as the program sees them. */
	const char *workspace, *temp, *support;
	char **argv, **envp;
	struct sg_str first; /* first filter; struct sock_filter */
	/* In a fork of a zygote: the whole one; there is no first one then. */
	struct sg_str final;
	uint64_t data_limit; /* RLIMIT_DATA */
	struct sg_plan_fds fds;
	bool probe;  /* end instead of executing anything */
	bool zygote; /* what is executed stays, and forks */
	bool forked; /* the interpreter is there: return instead of executing */
	void *tid;   /* where the C library keeps the thread's id; or NULL */
};

/* What went wrong in a step of the set-up. */
struct sg_board_fault {
	int layer; /* enum sg_layer_id, or -1 */
	int sys;
	char what[96];
};

/*
 * Shared with the warden, and with the worker until it executes the
 * interpreter.  Written by them, read by the supervisor.
 */
struct sg_board {
	struct sg_layer_note note[SG_L_COUNT];
	volatile int faulty;
	struct sg_board_fault fault;
	int landlock_abi;
	int ncaps; /* capabilities that could not be dropped */
	/* The worker's end, from the warden's wait. */
	volatile int done;
	int wait_status;
	uint64_t cpu_us, max_rss;
};

/* Messages on the report socket: one byte, perhaps a descriptor. */
enum sg_report {
	SG_REPORT_WORKSPACE = 'W', /* with the workspace's folder */
	SG_REPORT_WORKER = 'P',    /* sent by the worker: credentials */
	SG_REPORT_LISTENER = 'L'   /* as P, with the filter's listener */
};

/*
 * Fills *plan from the specification, but for `zygote` which is the caller's
 * and stands before.  Everything in it is owned by `arena`
 * or borrowed from `spec`.  `home` is the folder for runs without a mount
 * namespace, NULL when there is one.
 */
SG_MUST_CHECK int sg_plan_make(const struct sg_box_spec *spec,
			       const struct sg_python *py,
			       const struct sg_prepared *prepared,
			       unsigned want, const char *home,
			       struct sg_arena *arena, struct sg_plan *plan,
			       struct sg_err *err);

/* Linear algebra in a box gets so many threads. */
long sg_plan_threads(void);

/*
 * The part of a plan for a run in a fork of a zygote that the supervisor
 * knows: `want` and the filters are for the caller.
 */
void sg_plan_forked(const struct sg_box_spec *spec,
		    const struct sg_prepared *prepared, unsigned want,
		    struct sg_plan *plan);

#endif
