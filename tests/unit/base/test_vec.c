#include "base/vec.h"

#include <stdlib.h>

#include "unit/support.h"

struct ints {
	int *v;
	uint32_t n, room;
};

START_TEST(an_element_fits_up_to_the_maximum_and_not_beyond)
{
	struct ints ints = { NULL, 0, 0 };

	for (int i = 0; i < 100; i++) {
		ck_assert(SG_VEC_ROOM(&ints, 1, 100));
		ints.v[ints.n++] = i;
	}
	ck_assert(!SG_VEC_ROOM(&ints, 1, 100));
	ck_assert_uint_eq(ints.room, 100);
	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(ints.v[i], i);
	free(ints.v);
}
END_TEST

START_TEST(a_refusal_leaves_the_contents)
{
	struct ints ints = { NULL, 0, 0 };

	ck_assert(SG_VEC_ROOM(&ints, 3, 8));
	ints.v[ints.n++] = 7;
	ck_assert(!SG_VEC_ROOM(&ints, 8, 8));
	ck_assert(!SG_VEC_ROOM(&ints, UINT32_MAX, UINT32_MAX - 1));
	ck_assert_uint_eq(ints.n, 1);
	ck_assert_int_eq(ints.v[0], 7);
	free(ints.v);
}
END_TEST

START_TEST(memory_that_is_refused_is_a_refusal)
{
	bool good;

	SG_TEST_EACH_ALLOCATION() {
		struct ints ints = { NULL, 0, 0 };

		good = SG_VEC_ROOM(&ints, 1, 8);
		ck_assert(good == (ints.v != NULL));
		free(ints.v);
	}
}
END_TEST

SG_TEST_MAIN("vec", an_element_fits_up_to_the_maximum_and_not_beyond,
	     a_refusal_leaves_the_contents, memory_that_is_refused_is_a_refusal)
