#include "base/utf8.h"

#include "unit/support.h"

START_TEST(every_code_point_goes_there_and_back)
{
	char b[4];
	uint32_t cp, n;

	for (uint32_t want = 0; want <= 0x110000; want++) {
		n = sg_utf8_encode(want, b);
		if (want > 0x10ffff || (want >= 0xd800 && want <= 0xdfff)) {
			ck_assert_uint_eq(n, 0);
			continue;
		}
		if (sg_utf8_decode((struct sg_str){ b, n }, 0, &cp) != n ||
		    cp != want)
			ck_abort_msg("U+%04X", want);
		/* Cut short, it is nothing. */
		for (uint32_t k = 1; k < n; k++)
			if (sg_utf8_decode((struct sg_str){ b, k }, 0, &cp))
				ck_abort_msg("U+%04X cut", want);
	}
}
END_TEST

START_TEST(what_is_not_utf8_is_nothing)
{
	static const char *const bad[] = {
		"\x80",
		"\xbf",
		"\xc0\x80",
		"\xc1\xbf",
		"\xc2\x41",
		"\xe0\x80\x80",
		"\xe0\x9f\xbf",
		"\xed\xa0\x80",
		"\xed\xbf\xbf",
		"\xe1\x80\x41",
		"\xf0\x80\x80\x80",
		"\xf0\x8f\xbf\xbf",
		"\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80",
		"\xf1\x80\x80\x41",
		"\xfe",
		"\xff",
	};
	uint32_t cp;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(sg_utf8_decode(sg_str_c(bad[i]), 0, &cp) == 0,
			      "number %zu", i);
	ck_assert_uint_eq(sg_utf8_decode(SG_STR("a"), 1, &cp), 0);
	ck_assert_uint_eq(sg_utf8_decode(SG_STR_NONE, 0, &cp), 0);
}
END_TEST

START_TEST(the_first_bad_byte_is_found)
{
	char text[64];

	ck_assert_uint_eq(sg_utf8_check(SG_STR("")), 0);
	ck_assert_uint_eq(sg_utf8_check(SG_STR("h\xc3\xa9llo w\xc3\xb6rld")),
			  13);
	for (size_t i = 0; i < sizeof(text); i++) {
		memset(text, 'a', sizeof(text));
		text[i] = '\x80';
		ck_assert_uint_eq(
			sg_utf8_check((struct sg_str){ text, sizeof(text) }),
			i);
	}
}
END_TEST

START_TEST(code_points_are_counted)
{
	ck_assert_uint_eq(sg_utf8_count(SG_STR("")), 0);
	ck_assert_uint_eq(sg_utf8_count(SG_STR("abcdefghijk")), 11);
	ck_assert_uint_eq(sg_utf8_count(SG_STR("\xf0\x9f\x90\x8d\xc3\xa9x")),
			  3);
	ck_assert_uint_eq(sg_utf8_count(SG_STR("\xff\xfe\xc3")), 3);
}
END_TEST

START_TEST(a_cut_does_not_split)
{
	struct sg_str s = SG_STR("a\xc3\xa9\xf0\x9f\x90\x8dz");
	static const size_t want[] = { 0, 1, 1, 3, 3, 3, 3, 7, 8, 8 };

	for (size_t at = 0; at < sizeof(want) / sizeof(want[0]); at++)
		ck_assert_uint_eq(sg_utf8_floor(s, at), want[at]);
	/* Stray bytes are pieces of nothing. */
	ck_assert_uint_eq(sg_utf8_floor(SG_STR("\x80\x80\x80\x80"), 2), 2);
}
END_TEST

SG_TEST_MAIN("utf8", every_code_point_goes_there_and_back,
	     what_is_not_utf8_is_nothing, the_first_bad_byte_is_found,
	     code_points_are_counted, a_cut_does_not_split)
