#ifndef SG_EXECUTOR_PYTHON_PIN_H
#define SG_EXECUTOR_PYTHON_PIN_H

/* Ways to spare forks the faults by which they get their pages. */

#include <stdbool.h>
#include <sys/uio.h>

/*
 * Makes forks copy these pages when they are made, not when they are first
 * written to, until the calling process ends.  `v` holds whole pages, at
 * most 1024 ranges.  False where the kernel does not, or what may be pinned
 * is used up: then nothing has changed.
 */
bool sg_pin(const struct iovec *v, unsigned n);

/*
 * Has forks begin with all the pages of a mapping of a file that are there
 * by now.  `at` lies in the mapping, which nobody writes to.  False where the
 * kernel does not let us.
 */
bool sg_hand_down(const void *at);

#endif
