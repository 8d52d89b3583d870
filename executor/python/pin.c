#include "executor/python/pin.h"

#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Theory of operation.  Memory that a device may write to cannot change its
 * place under it, so a fork copies such pages at once and leaves the parent's
 * alone (Linux 5.10 and later; mm/memory.c).  That costs half of what the
 * child's first write to a shared page does: no fault, nothing to look up,
 * no other processor to tell.  The one way to have memory pinned without a
 * device is to register it with io_uring.  The ring is never used, and only
 * the zygote holds it; its wardens close it, and runs may not make one.
 *
 * A large page is pinned as a whole, and would be copied as a whole.
 *
 * Of mappings of files a fork gets no pages: the child asks for each when it
 * needs it.  It does get them where one is the process's own (vma_needs_copy()
 * in mm/memory.c).  /proc/self/mem writes to private memory that is mapped
 * read-only, as a debugger sets a breakpoint: one byte, the same again, makes
 * a page our own.
 */

/* True when some of our memory is in large pages. */
static bool
has_large_pages(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "re");
	unsigned long kib = 1;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "AnonHugePages: %lu", &kib) == 1)
			break;
	if (f)
		(void)fclose(f);
	return kib > 0;
}

bool
sg_pin(const struct iovec *v, unsigned n)
{
	struct io_uring_params p;
	int ring;

	if (n == 0 || has_large_pages())
		return false;
	memset(&p, 0, sizeof(p));
	ring = (int)syscall(SYS_io_uring_setup, 1, &p);
	if (ring < 0)
		return false;
	if (syscall(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS, v,
		    n) == 0)
		return true;
	(void)close(ring);
	return false;
}

bool
sg_hand_down(const void *at)
{
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	char byte;
	bool good = mem >= 0 &&
		    pread(mem, &byte, 1, (off_t)(intptr_t)at) == 1 &&
		    pwrite(mem, &byte, 1, (off_t)(intptr_t)at) == 1;

	if (mem >= 0)
		(void)close(mem);
	return good;
}
