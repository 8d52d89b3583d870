#include "executor/python/fill.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Theory of operation.  What a program allocates would fill holes among what
 * its zygote has: a page for nearly each block.  So the zygote fills them
 * itself, for good, until an allocation comes from where nothing is yet; what
 * its forks allocate lies together then.
 *
 * Of the interpreter's allocator that is the first block of a pool, of the C
 * library's the end of the heap.
 */

enum {
	/* Of CPython's allocator: objects, pools before 3.10 and since. */
	OBJECT_MAX = 512,
	OBJECT_STEP = 16,
	POOL_OLD = 4096,
	POOL = 16384,
	POOL_HEAD = 48,
	/* Of the C library's. */
	HOLE_MAX = 64 << 10,
	HOLE_MIN = 16,
	NEAR = 4096,
	MOST = 16 << 20, /* bytes; no harm where the above is other */
};

/* Where the end of the heap begins: what is not there fills a hole. */
static uintptr_t
end_of_heap(void)
{
#if __GLIBC_PREREQ(2, 33)
	size_t n = mallinfo2().keepcost;
#else
	size_t n = (size_t)mallinfo().keepcost;
#endif
	return (uintptr_t)sbrk(0) - n;
}

static void
fill_heap(size_t size, size_t *left)
{
	uintptr_t end = end_of_heap();

	for (; *left >= size; *left -= size) {
		void *p = malloc(size);

		if (!p || (uintptr_t)p >= end - NEAR) {
			free(p);
			return;
		}
	}
}

/* Until the interpreter has to begin a pool for objects of the size. */
static void
fill_pools(size_t size, size_t pool, size_t *left)
{
	for (; *left >= size; *left -= size) {
		void *p = PyObject_Malloc(size);

		if (!p || (uintptr_t)p % pool == POOL_HEAD) {
			PyObject_Free(p);
			return;
		}
	}
}

PyObject *
sg_fill(PyObject *self, PyObject *ignored)
{
	PyObject *version = PySys_GetObject("hexversion");
	bool old = version && PyLong_AsLong(version) < 0x030a0000;
	size_t left = MOST, size;

	(void)self;
	(void)ignored;
	for (size = OBJECT_MAX; size > 0; size -= OBJECT_STEP)
		fill_pools(size, old ? POOL_OLD : POOL, &left);
	for (size = HOLE_MAX; size > OBJECT_MAX; size /= 2)
		fill_heap(size, &left);
	for (; size > HOLE_MIN; size -= OBJECT_STEP)
		fill_heap(size, &left);
	PyErr_Clear();
	Py_RETURN_NONE;
}
