#ifndef SG_PIPELINE_RUN_H
#define SG_PIPELINE_RUN_H

/*
 * Gate, box and audit as one operation.
 *
 * The order is the point of it: judge; make the verdict durable; only then
 * start the program; record the outcome; only then hand it out.
 */

#include "executor/box.h"
#include "pipeline/audit.h"
#include "pipeline/gate.h"

struct sg_run_spec {
	struct sg_str code;     /* as submitted; borrowed */
	const char *path;       /* its name; NULL none */
	bool no_gate;           /* run whatever the verdict; recorded */
	const char *store;      /* folder for submitted texts by digest, or
				    NULL; borrowed */
	struct sg_box_spec box; /* `code` and `imports` in it are set by
				   sg_run() */
	struct sg_audit *audit; /* NULL: no records */
};

struct sg_run {
	char id[SG_UID];         /* "run_..." */
	bool checked;            /* false: it never came to the gate */
	struct sg_check check;   /* view into the gate */
	bool gated;              /* false: the verdict was not enforced */
	struct sg_result result; /* owned by the arena given */
	struct sg_box_limits limits;
	struct sg_err failure; /* of sandgate itself; SG_OK none */
	struct sg_link verdict_record, outcome_record; /* sequence 0: none */
};

/*
 * Runs one script.  Always fills *ret; what failed is ret->failure, and
 * ret->result.status is then SG_RUN_INTERNAL.  Returns that status.
 * `arena` holds what the box gives back; sg_run_arena_size() says how much
 * that may be.
 */
int sg_run(struct sg_gate *gate, const struct sg_run_spec *spec,
	   struct sg_arena *arena, struct sg_run *ret);

size_t sg_run_arena_size(const struct sg_box_limits *limits);

/*
 * A check with its record, and no run: `audit` may be NULL.  Fills *ret as
 * sg_run() does, with SG_RUN_OK or SG_RUN_REJECTED and executed false.
 */
int sg_run_check(struct sg_gate *gate, const struct sg_run_spec *spec,
		 struct sg_run *ret);

/*
 * The exit status of `sandgate run`: the program's own, 124 for a time limit,
 * 125 when sandgate failed, 126 rejected, 127 no interpreter, 128+n for a
 * signal.  Never 0 unless the status is "ok".
 */
int sg_run_exit_status(const struct sg_run *run);

/* "strict", "standard", "any"; NULL leaves *ret as it is.  SG_EUSAGE. */
SG_MUST_CHECK int sg_run_require(const char *text, enum sg_box_require *ret,
				 struct sg_err *err);

#endif
