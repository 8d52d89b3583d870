#ifndef SG_EXECUTOR_CACHE_H
#define SG_EXECUTOR_CACHE_H

/*
 * What is worked out once for an interpreter and given to every run after
 * it: kept in a private folder of the caller's user.  All of it was made
 * inside the box by programs of ours, and is used inside the box only.
 */

#include "base/buf.h"
#include "executor/python.h"

/*
 * Reads entry `name` for `py` into `out` (appends).  `salt` is whatever else
 * the entry depends on.  False when there is none.
 */
bool sg_cache_load(const struct sg_python *py, const char *name,
		   struct sg_str salt, struct sg_buf *out);
/* Keeps an entry; false when there is no place for it. */
bool sg_cache_store(const struct sg_python *py, const char *name,
		    struct sg_str salt, struct sg_str data);
/* Removes an entry. */
void sg_cache_drop(const struct sg_python *py, const char *name,
		   struct sg_str salt);
/* True when there is a folder to keep things in. */
bool sg_cache_usable(void);

#endif
