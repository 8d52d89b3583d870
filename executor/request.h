#ifndef SG_EXECUTOR_REQUEST_H
#define SG_EXECUTOR_REQUEST_H

/*
 * What the driver is asked to do, as it reads it from its request pipe:
 * texts of four bytes length (little endian) and bytes, in this order:
 *
 *	filter, code, script, options, guard, environment, argv...
 *
 * `options` are numbers in decimal, parted by blanks: bytes of a value,
 * images, bytes of an image.  `guard` is event, name, "d" or nothing, and
 * message of each entry, `environment` is NAME=VALUE; each part is ended by
 * NUL.  A guard that is "=" is the one that the zygote was started with.
 */

#include "base/buf.h"
#include "executor/box.h"

/* Writes the entries of a guard; SG_EUSAGE. */
SG_MUST_CHECK int sg_request_guard(const struct sg_box_guard *v, uint32_t n,
				   struct sg_buf *out, struct sg_err *err);

/* `known` is the zygote's guard; or SG_STR_NONE. */
SG_MUST_CHECK int sg_request_encode(const struct sg_box_spec *spec,
				    struct sg_str filter, struct sg_str known,
				    struct sg_arena *arena, struct sg_str *ret,
				    struct sg_err *err);

#endif
