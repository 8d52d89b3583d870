#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 8 };

bool
sg_vec_room(void **v, uint32_t n, uint32_t *room, uint32_t more, uint32_t max,
	    size_t size)
{
	uint64_t need = (uint64_t)n + more, want;
	size_t bytes;
	void *p;

	if (need > max)
		return false;
	if (need <= *room)
		return true;
	want = *room < FIRST_ROOM ? FIRST_ROOM : (uint64_t)*room * 2;
	if (want < need)
		want = need;
	if (want > max)
		want = max;
	if (__builtin_mul_overflow((size_t)want, size, &bytes))
		return false;
	/* *v is a pointer to some other type: copied, not read as void *. */
	memcpy(&p, v, sizeof(p));
	p = realloc(p, bytes ? bytes : 1);
	if (!p)
		return false;
	memcpy(v, &p, sizeof(p));
	*room = (uint32_t)want;
	return true;
}
