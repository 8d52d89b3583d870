#ifndef SG_EXECUTOR_ATTEMPT_H
#define SG_EXECUTOR_ATTEMPT_H

/*
 * One try at building a box with a given set of layers and running in it;
 * and the loop that tries again with less where the caller allows it.
 */

#include "executor/groups.h"
#include "executor/orders.h"
#include "executor/prepared.h"
#include "executor/supervise.h"
#include "executor/zygote.h"

struct sg_attempt {
	const struct sg_box_spec *spec; /* borrowed */
	const struct sg_python *py;     /* borrowed; NULL when probing */
	struct sg_arena *arena;         /* borrowed */
	struct sg_result *ret;          /* borrowed; value, error, images */
	struct sg_prepared prepared;
	struct sg_groups *groups; /* borrowed; NULL: its own, made anew */
	struct sg_orders *orders; /* borrowed; in a box of a zygote */
	uint32_t cpus;            /* of the host; 0: found */
	bool probe;
	/* Modules that a zygote imports, by blanks; NULL: a run. */
	const char *zygote;
	struct sg_str known; /* borrowed; the guard that the zygote has */

	struct sg_plan plan;
	bool open;              /* sg_attempt_release() has something to do */
	struct sg_board *board; /* shared memory; NULL until it is needed */
	size_t board_size;
	struct sg_order_file order; /* has the board, where there is one */
	struct sg_watch watch;
	struct sg_cgroup cgroup;
	unsigned want;
	/* What was found out about layers that had to be left out. */
	struct sg_layer_note missing[SG_L_COUNT];
	char home[128]; /* folder for runs without a mount namespace */
	uint64_t begun;
};

/*
 * Before the first pipe: one would land on 0, 1 or 2 when the caller has
 * closed those, and be in the way of the program's own.
 */
SG_MUST_CHECK int sg_hold_standard_fds(struct sg_err *err);

void sg_attempt_init(struct sg_attempt *a, const struct sg_box_spec *spec,
		     const struct sg_python *py, struct sg_arena *arena,
		     struct sg_result *ret);
void sg_attempt_release(struct sg_attempt *a);

/*
 * Runs to the end.  SG_EBOX when a required layer is missing or the box
 * cannot be built; the program did not start then.
 */
SG_MUST_CHECK int sg_attempt_run(struct sg_attempt *a, struct sg_err *err);

/*
 * A run in a box that a zygote has made, in two steps; `a->want` and
 * `missing` are the zygote's.  The first makes what the run has of its own
 * but its program, and sends the box its order by `sock`: of `a->spec` it
 * looks at the limits, the files, `has_input` and `require`.  `report` is the
 * box's end of `sock`, to report on; -1 where it is out of reach.  The second
 * runs the program that `a->spec` has by then.  SG_EBOX: it came to nothing,
 * and the program did not start.
 */
SG_MUST_CHECK int sg_attempt_arrange(struct sg_attempt *a, int sock, int report,
				     struct sg_err *err);
SG_MUST_CHECK int sg_attempt_go(struct sg_attempt *a, struct sg_spare *spare,
				struct sg_err *err);

/* What each layer came to, into ret->layers, owned by the arena. */
SG_MUST_CHECK int sg_attempt_layers(const struct sg_attempt *a,
				    const struct sg_layer **ret_layers,
				    struct sg_err *err);

#endif
