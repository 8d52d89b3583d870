#include "executor/request.h"
#include "unit/support.h"

enum { ARENA = 1 << 20, GUARD = 4 };

static struct sg_arena arena;

/* Text `at` of the request of a run that has this guard. */
static struct sg_str
text_at(uint32_t at, struct sg_str guard, struct sg_str known)
{
	struct sg_box_spec spec;
	struct sg_str all, rest;
	struct sg_err err;

	sg_err_clear(&err);
	sg_box_spec_init(&spec);
	spec.code = SG_STR("print(1)");
	spec.guard_text = guard;
	ck_assert_int_eq(sg_request_encode(&spec, SG_STR("filter"), known,
					   &arena, &all, &err),
			 SG_OK);
	for (rest = all;; at--) {
		const unsigned char *p = (const unsigned char *)rest.p;
		size_t n;

		ck_assert_uint_ge(rest.n, 4);
		n = p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16;
		ck_assert_uint_ge(rest.n, 4 + n);
		if (at == 0)
			return sg_str_slice(rest, 4, 4 + n);
		rest = sg_str_slice(rest, 4 + n, rest.n);
	}
}

static bool
is(struct sg_str s, const char *text)
{
	return sg_str_eq(s, sg_str_c(text));
}

START_TEST(texts_come_in_their_order)
{
	sg_arena_init(&arena, ARENA);
	ck_assert(is(text_at(0, SG_STR("g"), SG_STR_NONE), "filter"));
	ck_assert(is(text_at(1, SG_STR("g"), SG_STR_NONE), "print(1)"));
	ck_assert(is(text_at(GUARD, SG_STR("g"), SG_STR_NONE), "g"));
	sg_arena_release(&arena);
}
END_TEST

START_TEST(a_guard_is_left_out_only_where_it_is_known)
{
	sg_arena_init(&arena, ARENA);
	ck_assert(is(text_at(GUARD, SG_STR("abc"), SG_STR("abc")), "="));
	ck_assert(is(text_at(GUARD, SG_STR("abc"), SG_STR("abd")), "abc"));
	ck_assert(is(text_at(GUARD, SG_STR("abc"), SG_STR("ab")), "abc"));
	ck_assert(is(text_at(GUARD, SG_STR("ab"), SG_STR("abc")), "ab"));
	/* None is none, whatever the zygote has. */
	ck_assert(is(text_at(GUARD, SG_STR_NONE, SG_STR("abc")), ""));
	ck_assert(is(text_at(GUARD, SG_STR_NONE, SG_STR_NONE), ""));
	sg_arena_release(&arena);
}
END_TEST

SG_TEST_MAIN("request", texts_come_in_their_order,
	     a_guard_is_left_out_only_where_it_is_known)
