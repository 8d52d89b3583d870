#include "base/arena.h"

#include "unit/support.h"

START_TEST(a_fresh_arena_takes_no_memory)
{
	struct sg_arena a;

	sg_arena_init(&a, 1000);
	ck_assert_uint_eq(a.held, 0);
	ck_assert_ptr_null(a.head);
	ck_assert(!sg_arena_failed(&a));
	sg_arena_release(&a);
}
END_TEST

START_TEST(memory_is_zeroed_and_aligned_whatever_was_there)
{
	struct sg_arena a;

	sg_arena_init(&a, 1 << 20);
	for (int round = 0; round < 3; round++) {
		for (size_t n = 1; n < 200; n++) {
			char *p = sg_arena_alloc(&a, n);

			ck_assert_ptr_nonnull(p);
			ck_assert_uint_eq((uintptr_t)p % _Alignof(max_align_t),
					  0);
			for (size_t i = 0; i < n; i++)
				ck_assert_int_eq(p[i], 0);
			memset(p, 0xa5, n);
			/* Text is packed; what follows is aligned again. */
			(void)sg_arena_dup(&a, SG_STR("odd"));
		}
		sg_arena_reset(&a);
	}
	sg_arena_release(&a);
}
END_TEST

/* The most that a fresh arena of that cap gives in one piece. */
static size_t
most_of(size_t cap)
{
	struct sg_arena a;
	size_t low = 0, high = cap + 1;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		sg_arena_init(&a, cap);
		if (sg_arena_alloc(&a, mid))
			low = mid;
		else
			high = mid;
		sg_arena_release(&a);
	}
	return low;
}

START_TEST(the_cap_is_exact)
{
	struct sg_arena a;
	size_t most = most_of(100000);

	sg_arena_init(&a, 100000);
	ck_assert_ptr_nonnull(sg_arena_alloc(&a, most));
	ck_assert_uint_eq(a.held, 100000);
	ck_assert(!sg_arena_failed(&a));
	ck_assert_ptr_null(sg_arena_alloc(&a, 1));
	ck_assert(sg_arena_failed(&a));
	ck_assert_uint_eq(a.held, 100000);
	sg_arena_release(&a);

	sg_arena_init(&a, 100000);
	ck_assert_ptr_null(sg_arena_alloc(&a, most + 1));
	ck_assert_ptr_null(sg_arena_alloc(&a, SIZE_MAX));
	ck_assert_uint_eq(a.held, 0);
	sg_arena_release(&a);
}
END_TEST

START_TEST(nearly_all_of_the_cap_can_be_used_in_small_pieces)
{
	struct sg_arena a;
	size_t got = 0;

	sg_arena_init(&a, 1 << 20);
	while (sg_arena_alloc(&a, 64)) {
		got += 64;
		ck_assert_uint_le(a.held, a.cap);
	}
	ck_assert_uint_ge(got, (1 << 20) / 100 * 99);
	ck_assert(sg_arena_failed(&a));
	sg_arena_release(&a);
}
END_TEST

START_TEST(a_large_piece_does_not_waste_the_block_in_use)
{
	struct sg_arena a;
	char *before, *after;

	sg_arena_init(&a, 1 << 20);
	before = sg_arena_alloc(&a, 16);
	ck_assert_ptr_nonnull(sg_arena_alloc(&a, 100000));
	after = sg_arena_alloc(&a, 16);
	ck_assert_ptr_eq(after, before + 16);
	sg_arena_release(&a);
}
END_TEST

START_TEST(a_reset_keeps_memory_and_forgets_failure)
{
	struct sg_arena a;
	size_t held;
	char *first, *again;

	sg_arena_init(&a, 50000);
	first = sg_arena_alloc(&a, 10000);
	ck_assert_ptr_nonnull(first);
	ck_assert_ptr_null(sg_arena_alloc(&a, 50000));
	ck_assert(sg_arena_failed(&a));
	sg_arena_reset(&a);
	ck_assert(!sg_arena_failed(&a));
	ck_assert_uint_eq(a.used, 0);
	ck_assert_uint_ge(a.held, 10000);
	held = a.held;
	again = sg_arena_alloc(&a, 10000);
	ck_assert_ptr_eq(first, again);
	ck_assert_uint_eq(a.held, held);
	sg_arena_release(&a);
	ck_assert_uint_eq(a.held, 0);
}
END_TEST

START_TEST(a_reset_keeps_the_largest_block)
{
	struct sg_arena a;

	sg_arena_init(&a, 1 << 20);
	(void)sg_arena_alloc(&a, 100);
	(void)sg_arena_alloc(&a, 300000);
	(void)sg_arena_alloc(&a, 100);
	sg_arena_reset(&a);
	ck_assert_uint_ge(a.held, 300000);
	ck_assert_uint_lt(a.held, 310000);
	sg_arena_release(&a);
}
END_TEST

START_TEST(an_array_that_overflows_is_refused)
{
	struct sg_arena a;

	sg_arena_init(&a, 1 << 20);
	ck_assert_ptr_null(sg_arena_array(&a, SIZE_MAX / 2, 3));
	ck_assert(sg_arena_failed(&a));
	sg_arena_release(&a);
}
END_TEST

START_TEST(text_is_copied_and_ended)
{
	struct sg_arena a;
	struct sg_str s;

	sg_arena_init(&a, 1 << 20);
	s = sg_arena_dup(&a, SG_STR("one\0two"));
	ck_assert_uint_eq(s.n, 7);
	ck_assert_mem_eq(s.p, "one\0two", 8);
	s = sg_arena_dup(&a, SG_STR_NONE);
	ck_assert_ptr_nonnull(s.p);
	ck_assert_uint_eq(s.n, 0);
	ck_str_is(sg_arena_printf(&a, "%s-%d", "x", 12), "x-12");
	s = sg_arena_printf(&a, "%01000d", 7);
	ck_assert_uint_eq(s.n, 1000);
	ck_assert_int_eq(s.p[999], '7');
	ck_assert_int_eq(s.p[1000], '\0');
	sg_arena_release(&a);
}
END_TEST

START_TEST(text_beyond_the_cap_is_refused)
{
	struct sg_arena a;

	sg_arena_init(&a, 100);
	ck_assert_ptr_null(sg_arena_printf(&a, "%0500d", 7).p);
	ck_assert(sg_arena_failed(&a));
	sg_arena_reset(&a);
	ck_assert_ptr_null(sg_arena_dup(&a, (struct sg_str){ "", SIZE_MAX }).p);
	ck_assert(sg_arena_failed(&a));
	sg_arena_release(&a);
}
END_TEST

START_TEST(memory_that_the_system_refuses_is_a_failure)
{
	struct sg_arena a;

	SG_TEST_EACH_ALLOCATION() {
		bool good = true;

		sg_arena_init(&a, 1 << 20);
		for (int i = 0; i < 100; i++)
			good = sg_arena_alloc(&a, 1000) && good;
		ck_assert(good == !sg_arena_failed(&a));
		sg_arena_release(&a);
	}
}
END_TEST

SG_TEST_MAIN("arena", a_fresh_arena_takes_no_memory,
	     memory_is_zeroed_and_aligned_whatever_was_there, the_cap_is_exact,
	     nearly_all_of_the_cap_can_be_used_in_small_pieces,
	     a_large_piece_does_not_waste_the_block_in_use,
	     a_reset_keeps_memory_and_forgets_failure,
	     a_reset_keeps_the_largest_block,
	     an_array_that_overflows_is_refused, text_is_copied_and_ended,
	     text_beyond_the_cap_is_refused,
	     memory_that_the_system_refuses_is_a_failure)
