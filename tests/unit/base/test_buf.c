#include "base/buf.h"

#include "unit/support.h"

START_TEST(what_is_added_stands_there_with_a_nul_behind)
{
	struct sg_buf b;

	sg_buf_init(&b, 1000);
	ck_assert_ptr_null(b.data);
	sg_buf_c(&b, "ab");
	sg_buf_char(&b, 'c');
	sg_buf_str(&b, SG_STR("\0d"));
	sg_buf_printf(&b, "%d", 12);
	sg_buf_c(&b, NULL);
	sg_buf_add(&b, NULL, 0);
	ck_assert_uint_eq(b.len, 7);
	ck_assert_mem_eq(b.data, "abc\0d12", 8);
	ck_assert(sg_str_eq(sg_buf_view(&b), SG_STR("abc\0d12")));
	sg_buf_release(&b);
	ck_assert_ptr_null(b.data);
}
END_TEST

START_TEST(the_maximum_is_exact)
{
	struct sg_buf b;

	sg_buf_init(&b, 300);
	for (int i = 0; i < 300; i++)
		sg_buf_char(&b, 'x');
	ck_assert(!sg_buf_failed(&b));
	ck_assert_uint_eq(b.len, 300);
	ck_assert_int_eq(b.data[300], '\0');
	sg_buf_char(&b, 'y');
	ck_assert(sg_buf_failed(&b));
	ck_assert_uint_eq(b.len, 300);
	sg_buf_release(&b);
}
END_TEST

START_TEST(after_a_refusal_nothing_more_is_added)
{
	struct sg_buf b;

	sg_buf_init(&b, 4);
	sg_buf_c(&b, "ab");
	sg_buf_c(&b, "cde");
	sg_buf_c(&b, "f");
	sg_buf_printf(&b, "%d", 1);
	ck_assert(sg_buf_failed(&b));
	ck_assert_ptr_null(sg_buf_room(&b, 0));
	ck_str_is(sg_buf_view(&b), "ab");
	sg_buf_reset(&b);
	ck_assert(!sg_buf_failed(&b));
	sg_buf_c(&b, "cdef");
	ck_str_is(sg_buf_view(&b), "cdef");
	sg_buf_release(&b);
}
END_TEST

START_TEST(long_formatted_text_fits_up_to_the_maximum)
{
	struct sg_buf b;

	sg_buf_init(&b, 1000);
	sg_buf_printf(&b, "%01000d", 5);
	ck_assert(!sg_buf_failed(&b));
	ck_assert_uint_eq(b.len, 1000);
	ck_assert_int_eq(b.data[999], '5');
	sg_buf_reset(&b);
	sg_buf_printf(&b, "%01001d", 5);
	ck_assert(sg_buf_failed(&b));
	ck_assert_uint_eq(b.len, 0);
	sg_buf_release(&b);
}
END_TEST

START_TEST(no_maximum_still_leaves_room_for_the_nul)
{
	struct sg_buf b;

	sg_buf_init(&b, SIZE_MAX);
	sg_buf_c(&b, "x");
	ck_assert_ptr_null(sg_buf_room(&b, SIZE_MAX));
	ck_assert(sg_buf_failed(&b));
	sg_buf_release(&b);
}
END_TEST

START_TEST(room_is_written_by_the_caller)
{
	struct sg_buf b;
	char *at;

	sg_buf_init(&b, 10);
	at = sg_buf_room(&b, 10);
	ck_assert_ptr_nonnull(at);
	memcpy(at, "0123456789", 10);
	b.len += 10;
	ck_assert_uint_eq(sg_buf_view(&b).n, 10);
	ck_assert_ptr_nonnull(sg_buf_room(&b, 0));
	ck_assert_ptr_null(sg_buf_room(&b, 1));
	sg_buf_release(&b);
}
END_TEST

START_TEST(memory_that_the_system_refuses_is_a_failure)
{
	struct sg_buf b;

	SG_TEST_EACH_ALLOCATION() {
		sg_buf_init(&b, 100000);
		for (int i = 0; i < 1000; i++)
			sg_buf_printf(&b, "%d,", i);
		ck_assert(sg_buf_failed(&b) || b.len == 3890);
		sg_buf_release(&b);
	}
}
END_TEST

SG_TEST_MAIN("buf", what_is_added_stands_there_with_a_nul_behind,
	     the_maximum_is_exact, after_a_refusal_nothing_more_is_added,
	     long_formatted_text_fits_up_to_the_maximum,
	     no_maximum_still_leaves_room_for_the_nul,
	     room_is_written_by_the_caller,
	     memory_that_the_system_refuses_is_a_failure)
