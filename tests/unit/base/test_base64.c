#include "base/base64.h"

#include "unit/support.h"

static bool
decodes(struct sg_arena *a, const char *text, struct sg_str want)
{
	struct sg_str got;

	return sg_base64_decode(sg_str_c(text), a, &got) &&
	       sg_str_eq(got, want);
}

START_TEST(text_comes_back)
{
	struct sg_arena a;

	sg_arena_init(&a, 1 << 20);
	ck_assert(decodes(&a, "", SG_STR("")));
	ck_assert(decodes(&a, "Zg==", SG_STR("f")));
	ck_assert(decodes(&a, "Zm8=", SG_STR("fo")));
	ck_assert(decodes(&a, "Zm9v", SG_STR("foo")));
	ck_assert(decodes(&a, "Zm9vYmFy", SG_STR("foobar")));
	ck_assert(decodes(&a, "+/8A", SG_STR("\xfb\xff\0")));
	sg_arena_release(&a);
}
END_TEST

START_TEST(what_is_not_base64_is_refused)
{
	static const char *const bad[] = {
		"Z",        "Zg",       "Zg=",  "Zg===", "Zm9v\n",  "Zm 9v",
		"Zm9vZh==", "Zm9vY=Fy", "====", "-_8A",  "Zm9\xff", "Zm9*",
	};
	struct sg_arena a;
	struct sg_str got;

	sg_arena_init(&a, 1 << 20);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ck_assert_msg(!sg_base64_decode(sg_str_c(bad[i]), &a, &got),
			      "%s", bad[i]);
	ck_assert(!sg_arena_failed(&a));
	sg_arena_release(&a);
}
END_TEST

START_TEST(memory_that_is_refused_is_told)
{
	struct sg_arena a;
	struct sg_str got;

	sg_arena_init(&a, 0);
	ck_assert(!sg_base64_decode(SG_STR("Zm9v"), &a, &got));
	ck_assert(sg_arena_failed(&a));
	sg_arena_release(&a);
}
END_TEST

SG_TEST_MAIN("base64", text_comes_back, what_is_not_base64_is_refused,
	     memory_that_is_refused_is_told)
