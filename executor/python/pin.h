#ifndef SG_EXECUTOR_PYTHON_PIN_H
#define SG_EXECUTOR_PYTHON_PIN_H

#include <stdbool.h>
#include <sys/uio.h>

/*
 * Makes forks copy these pages when they are made, not when they are first
 * written to, until the calling process ends.  `v` holds whole pages, at
 * most 1024 ranges.  False where the kernel does not, or what may be pinned
 * is used up: then nothing has changed.
 */
bool sg_pin(const struct iovec *v, unsigned n);

#endif
