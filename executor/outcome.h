#ifndef SG_EXECUTOR_OUTCOME_H
#define SG_EXECUTOR_OUTCOME_H

/* From what the kernel said of a run to its status, usage and hint. */

#include "executor/attempt.h"

/* Fills everything of a->ret but layers and files. */
SG_MUST_CHECK int sg_outcome(const struct sg_attempt *a, struct sg_err *err);

/* Sets ret->hint for the reader where there is something useful to say. */
void sg_hint_set(const struct sg_box_spec *spec, struct sg_arena *arena,
		 struct sg_result *ret);
/* The same for what was too much to bring out, once that is known. */
void sg_hint_dropped(const struct sg_box_spec *spec, struct sg_arena *arena,
		     struct sg_result *ret);

#endif
