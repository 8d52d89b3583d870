#ifndef SG_ANALYZER_FOLD_PATH_H
#define SG_ANALYZER_FOLD_PATH_H

/*
 * What pathlib's operations give for constant paths, as text and without
 * asking a file system.  Results are appended to `out`.
 *
 * Texts are as pathlib writes them: no "." but alone, no doubled slashes,
 * ".." as it stands.  A path below the working directory that was made
 * absolute begins with "./" here, "./" alone being that directory: going up
 * from there leaves it, while the parent of a relative "." is ".".
 */

#include "base/buf.h"

/* base / part; an absolute part stands alone. */
void sg_fold_path_join(struct sg_str base, struct sg_str part,
		       struct sg_buf *out);
void sg_fold_path_parent(struct sg_str path, struct sg_buf *out);
/* path.absolute(): ".." stays. */
void sg_fold_path_absolute(struct sg_str path, struct sg_buf *out);
/* path.resolve() where nothing is a link. */
void sg_fold_path_resolve(struct sg_str path, struct sg_buf *out);
/* Whether it is one, a working directory made absolute included. */
bool sg_fold_path_rooted(struct sg_str path);
/* Whether `path` is `base` or plainly lies in it: no ".." on the way. */
bool sg_fold_path_below(struct sg_str base, struct sg_str path);

#endif
