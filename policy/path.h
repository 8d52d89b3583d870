#ifndef SG_POLICY_PATH_H
#define SG_POLICY_PATH_H

/* Is a path that a script names within its workspace?  Text only: nothing
 * is looked up in a file system. */

#include "base/str.h"

/*
 * `workspace` holds absolute folders or files, and "." for whatever is
 * relative.  "~" and "~user" are outside, "..", where it leads out, too.
 */
bool sg_path_outside(const struct sg_str *workspace, uint32_t n,
		     struct sg_str path);

/* The scheme of an address ("https"), empty for a plain path. */
struct sg_str sg_path_scheme(struct sg_str path);

#endif
