#include "base/str.h"

#include "unit/support.h"

START_TEST(order_is_that_of_bytes_and_shorter_first)
{
	ck_assert_int_eq(sg_str_cmp(SG_STR("a"), SG_STR("a")), 0);
	ck_assert_int_eq(sg_str_cmp(SG_STR_NONE, SG_STR("")), 0);
	ck_assert_int_lt(sg_str_cmp(SG_STR("a"), SG_STR("b")), 0);
	ck_assert_int_lt(sg_str_cmp(SG_STR("a"), SG_STR("aa")), 0);
	ck_assert_int_gt(sg_str_cmp(SG_STR("\xff"), SG_STR("a")), 0);
	ck_assert_int_gt(sg_str_cmp(SG_STR("a"), SG_STR_NONE), 0);
}
END_TEST

START_TEST(starts_and_ends)
{
	ck_assert(sg_str_starts(SG_STR("os.path"), SG_STR("os.")));
	ck_assert(sg_str_starts(SG_STR("os"), SG_STR("os")));
	ck_assert(sg_str_starts(SG_STR("os"), SG_STR_NONE));
	ck_assert(!sg_str_starts(SG_STR("o"), SG_STR("os")));
	ck_assert(sg_str_ends(SG_STR("a.yaml"), SG_STR(".yaml")));
	ck_assert(!sg_str_ends(SG_STR("yaml"), SG_STR(".yaml")));
	ck_assert(!sg_str_ends(SG_STR("a.yamk"), SG_STR(".yaml")));
}
END_TEST

START_TEST(finding_and_slicing)
{
	struct sg_str s = SG_STR("abcabc");

	ck_assert_uint_eq(sg_str_find(s, 'b'), 1);
	ck_assert_uint_eq(sg_str_find(s, 'x'), 6);
	ck_assert_uint_eq(sg_str_find(SG_STR_NONE, 'x'), 0);
	ck_str_is(sg_str_trim(SG_STR(" \t a b\r ")), "a b");
	ck_str_is(sg_str_trim(SG_STR("\na")), "\na");
	ck_str_is(sg_str_trim(SG_STR(" \t")), "");
	ck_str_is(sg_str_trim(SG_STR_NONE), "");
	ck_str_is(sg_str_until(SG_STR("os.path.join"), '.'), "os");
	ck_str_is(sg_str_until(SG_STR("os"), '.'), "os");
	ck_str_is(sg_str_until(SG_STR(".a"), '.'), "");
	ck_str_is(sg_str_until(SG_STR("a."), '.'), "a");
	ck_str_is(sg_str_until(SG_STR_NONE, '.'), "");
	ck_str_is(sg_str_slice(s, 1, 3), "bc");
	ck_str_is(sg_str_slice(s, 4, 99), "bc");
	ck_str_is(sg_str_slice(s, 99, 100), "");
	ck_str_is(sg_str_slice(s, 3, 1), "");
	ck_str_is(sg_str_slice(SG_STR_NONE, 0, 5), "");
}
END_TEST

START_TEST(patterns_match_whole_strings)
{
	static const struct {
		const char *pattern, *text;
		bool match;
	} t[] = {
		{ "", "", true },
		{ "", "a", false },
		{ "*", "", true },
		{ "*", "a.b.c", true },
		{ "a*", "a", true },
		{ "a*", "ba", false },
		{ "*a", "banana", true },
		{ "*.read_*", "pandas.io.read_csv", true },
		{ "os.*", "os", false },
		{ "os.*", "os.path.join", true },
		{ "?", "", false },
		{ "?", "a", true },
		{ "a?c", "abc", true },
		{ "a?c", "ac", false },
		{ "*ab*ab*", "abxab", true },
		{ "*ab*ab*", "abxa", false },
		{ "**a**", "a", true },
		{ "a*b*c", "aXbXbXc", true },
		{ "a*b*c", "aXbXbX", false },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		ck_assert_msg(sg_str_glob(sg_str_c(t[i].pattern),
					  sg_str_c(t[i].text)) == t[i].match,
			      "%s against %s", t[i].pattern, t[i].text);
}
END_TEST

START_TEST(a_hostile_pattern_takes_no_time)
{
	static char text[20000], pattern[2000];

	memset(text, 'a', sizeof(text));
	for (size_t i = 0; i < sizeof(pattern); i++)
		pattern[i] = i % 2 ? 'a' : '*';
	pattern[sizeof(pattern) - 1] = 'b';
	ck_assert(!sg_str_glob((struct sg_str){ pattern, sizeof(pattern) },
			       (struct sg_str){ text, sizeof(text) }));
}
END_TEST

START_TEST(distance_counts_changes)
{
	ck_assert_uint_eq(sg_str_distance(SG_STR("rules"), SG_STR("rules"), 3),
			  0);
	ck_assert_uint_eq(sg_str_distance(SG_STR("rule"), SG_STR("rules"), 3),
			  1);
	ck_assert_uint_eq(
		sg_str_distance(SG_STR("kitten"), SG_STR("sitting"), 9), 3);
	ck_assert_uint_eq(sg_str_distance(SG_STR(""), SG_STR("abc"), 9), 3);
	ck_assert_uint_eq(sg_str_distance(SG_STR("abc"), SG_STR(""), 9), 3);
	ck_assert_uint_eq(sg_str_distance(SG_STR("abc"), SG_STR("xyz"), 2), 3);
}
END_TEST

START_TEST(distance_of_long_strings_is_too_large)
{
	char a[65], b[65];

	memset(a, 'a', sizeof(a));
	memset(b, 'a', sizeof(b));
	ck_assert_uint_eq(sg_str_distance((struct sg_str){ a, 64 },
					  (struct sg_str){ b, 64 }, 5),
			  0);
	ck_assert_uint_eq(sg_str_distance((struct sg_str){ a, 65 },
					  (struct sg_str){ b, 65 }, 5),
			  6);
}
END_TEST

SG_TEST_MAIN("str", order_is_that_of_bytes_and_shorter_first, starts_and_ends,
	     finding_and_slicing, patterns_match_whole_strings,
	     a_hostile_pattern_takes_no_time, distance_counts_changes,
	     distance_of_long_strings_is_too_large)
