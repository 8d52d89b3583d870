#ifndef SG_TESTS_BOX_CASE_H
#define SG_TESTS_BOX_CASE_H

/*
 * What the programs of tests/box have in common: a run in the box, claims
 * about it, and a main() that runs each test in a process of its own and
 * prints TAP.
 */

#include <stdio.h>

#include "executor/box.h"

struct run {
	struct sg_box_spec spec;
	struct sg_arena arena;
	struct sg_result r;
	struct sg_err err;
	int rc;
};

void run_init(struct run *t, const char *code);
int run(struct run *t);

/* Says what there was instead. */
bool out_is(const struct run *t, const char *want);
/* NULL when there is no layer of that name. */
const struct sg_layer *layer(const struct run *t, const char *name);
bool layer_is(const struct run *t, const char *name, enum sg_layer_state want);

/* Control groups of runs of this very process that are still there. */
int box_groups(void);

#define NEED(cond)                                                  \
	do {                                                        \
		if (!(cond)) {                                      \
			printf("# line %d: %s\n", __LINE__, #cond); \
			return 1;                                   \
		}                                                   \
	} while (0)

/* The run went through with this status. */
#define NEED_RUN(t, want)                                                  \
	do {                                                               \
		if (run(t) != SG_OK) {                                     \
			printf("# line %d: %s\n", __LINE__, (t)->err.msg); \
			return 1;                                          \
		}                                                          \
		if ((t)->r.status != (want)) {                             \
			printf("# line %d: status %s\n# %.*s\n", __LINE__, \
			       sg_run_status_name((t)->r.status),          \
			       SG_STR_ARG((t)->r.err.text));               \
			return 1;                                          \
		}                                                          \
	} while (0)

/* A test returns 0 when all is well. */
struct box_test {
	const char *name;
	int (*run)(void);
};

/* Its name as a sentence, and itself; tests/box/list.sh reads these lines. */
#define TEST(name)          \
	{                   \
#name, name \
	}

/*
 * Runs those of `tests` (ended by an entry without a name) whose names hold
 * argv[1]; `what` names them in the last line.  The exit status.  Where the
 * box cannot be built and SG_BOX_MUST_WORK is not 1, runs none.
 */
int box_tests(const struct box_test *tests, const char *what, int argc,
	      char **argv);

#endif
