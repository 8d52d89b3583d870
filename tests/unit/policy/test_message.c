#include "policy/message.h"
#include "policy/limits.h"
#include "unit/support.h"

static struct sg_arena arena;

static struct sg_str
fill(const char *tmpl, const char *name, const char *value)
{
	struct sg_message_values v = { .name = sg_str_c(name),
				       .value = sg_str_c(value),
				       .module = SG_STR("os"),
				       .path = SG_STR("/x"),
				       .capability = SG_STR("fs.read") };

	sg_arena_release(&arena);
	sg_arena_init(&arena, 1 << 20);
	return sg_message_fill(sg_str_c(tmpl), &v, &arena);
}

START_TEST(words_are_filled_in)
{
	ck_str_is(fill("'{name}' of {module}", "os.system", ""),
		  "'os.system' of os");
	ck_str_is(fill("{path} {value} {capability}", "", "v"), "/x v fs.read");
	ck_str_is(fill("no words", "a", "b"), "no words");
	ck_str_is(fill("", "a", "b"), "");
	ck_str_is(fill("{ name } {} {a b}", "x", ""), "{ name } {} {a b}");
}
END_TEST

/* 4096 bytes; what is beyond them is left out. */
START_TEST(a_message_has_a_largest_size)
{
	char text[5001];
	struct sg_str got;

	memset(text, 'x', 5000);
	text[5000] = '\0';
	ck_assert_uint_eq(fill(text, "", "").n, 4096);
	memcpy(text + 4000, "{value}", 7);
	got = fill(text, "", "abc");
	ck_assert_uint_eq(got.n, 4096);
	ck_str_is(sg_str_slice(got, 3998, 4005), "xxabcxx");
	memcpy(text + 4094, "{value}", 7);
	got = fill(text, "", "abc");
	ck_assert_uint_eq(got.n, 4096);
}
END_TEST

START_TEST(unknown_words_are_found_when_loading)
{
	struct sg_str bad;

	ck_assert(sg_message_check(SG_STR("{name} {'a': 1} {} {A}"), &bad));
	ck_assert(!sg_message_check(SG_STR("a {nam} b"), &bad));
	ck_str_is(bad, "{nam}");
}
END_TEST

/* Values come from hostile text: they must not forge lines or hide. */
START_TEST(values_cannot_break_the_line)
{
	ck_str_is(fill("{value}", "", "a\nb\tc\x1b[31m\x7f"), "a?b?c?[31m?");
	ck_str_is(fill("{value}", "",
		       "a\xe2\x80\xae"
		       "b"),
		  "a?b");
	ck_str_is(fill("{value}", "",
		       "a\xff"
		       "b\xc3"),
		  "a?b?");
	ck_str_is(fill("{value}", "", "\xc3\xa4{name}"), "\xc3\xa4{name}");
}
END_TEST

START_TEST(long_values_are_cut_between_characters)
{
	char text[400];
	struct sg_str got;
	size_t i;

	for (i = 0; i + 1 < sizeof(text); i += 2)
		memcpy(text + i, "\xc3\xa4", 2);
	text[398] = '\0';
	got = fill("{value}", "", text);
	ck_assert_uint_eq(got.n, SG_QUOTE_BYTES + 3);
	ck_assert(sg_str_ends(got, SG_STR("\xc3\xa4...")));
}
END_TEST

SG_TEST_MAIN("message", words_are_filled_in, a_message_has_a_largest_size,
	     unknown_words_are_found_when_loading, values_cannot_break_the_line,
	     long_values_are_cut_between_characters)
