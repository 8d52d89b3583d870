#ifndef SG_EXECUTOR_FILTERSET_H
#define SG_EXECUTOR_FILTERSET_H

/*
 * The filters that runs need, made when sandgate was built: one takes
 * milliseconds.  A test holds them against fresh ones.
 */

#include "executor/sysfilter.h"

/*
 * As sg_filter_build(); a view of the built-in program where there is one
 * for this architecture, static.
 */
SG_MUST_CHECK int sg_filter_get(const struct sg_filter_opts *opts,
				struct sg_arena *arena, struct sg_str *ret,
				struct sg_err *err);

/* True when *ret is a built-in program for these options. */
bool sg_filter_builtin(const struct sg_filter_opts *opts, struct sg_str *ret);

#endif
