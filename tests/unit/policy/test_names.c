#include "policy/names.h"
#include "unit/support.h"

static struct sg_name_index
index_of(const char *const *globs)
{
	struct sg_name_index ix;
	struct sg_err err;
	uint32_t i;

	sg_name_index_init(&ix);
	for (i = 0; globs[i] != NULL; i++)
		ck_good(sg_name_index_add(&ix, sg_str_c(globs[i]), 1, i, &err),
			&err);
	ck_good(sg_name_index_freeze(&ix, &err), &err);
	return ix;
}

/* A mask of the targets that a name finds. */
static uint32_t
find(const struct sg_name_index *ix, const char *text, uint32_t kind)
{
	uint32_t out[64], n, i, mask = 0;
	struct sg_name name;

	sg_name_init(&name, sg_str_c(text));
	n = sg_name_find(ix, &name, kind, out);
	for (i = 0; i < n; i++)
		mask |= 1u << out[i];
	return mask;
}

START_TEST(each_kind_of_pattern_is_found)
{
	static const char *const globs[] = { "os.system", "os.*", "os.spawn*",
					     "*.to_csv",  "*",    "?.tofile",
					     "a.*.c",     "eval", "*()",
					     NULL };
	struct sg_name_index ix = index_of(globs);

	ck_assert_uint_eq(find(&ix, "os.system", 1), 1 | 2 | 16);
	ck_assert_uint_eq(find(&ix, "os.spawnl", 1), 2 | 4 | 16);
	ck_assert_uint_eq(find(&ix, "os", 1), 16);
	ck_assert_uint_eq(find(&ix, "os.path.join", 1), 2 | 16);
	ck_assert_uint_eq(find(&ix, "pandas.DataFrame.to_csv", 1), 8 | 16);
	ck_assert_uint_eq(find(&ix, "?.tofile", 1), 16 | 32);
	ck_assert_uint_eq(find(&ix, "x.tofile", 1), 16 | 32);
	ck_assert_uint_eq(find(&ix, "xx.tofile", 1), 16);
	ck_assert_uint_eq(find(&ix, "a.b.c", 1), 16 | 64);
	ck_assert_uint_eq(find(&ix, "a.b.d", 1), 16);
	ck_assert_uint_eq(find(&ix, "eval", 1), 16 | 128);
	ck_assert_uint_eq(find(&ix, "f()", 1), 16 | 256);
	ck_assert_uint_eq(find(&ix, "", 1), 16);
	sg_name_index_release(&ix);
}
END_TEST

START_TEST(kinds_are_told_apart)
{
	struct sg_name_index ix;
	struct sg_err err;

	sg_name_index_init(&ix);
	ck_good(sg_name_index_add(&ix, SG_STR("a"), 1, 0, &err), &err);
	ck_good(sg_name_index_add(&ix, SG_STR("a"), 2 | 4, 1, &err), &err);
	ck_good(sg_name_index_add(&ix, SG_STR("*"), 8, 2, &err), &err);
	ck_good(sg_name_index_freeze(&ix, &err), &err);
	ck_assert_uint_eq(find(&ix, "a", 1), 1);
	ck_assert_uint_eq(find(&ix, "a", 4), 2);
	ck_assert_uint_eq(find(&ix, "a", 8), 4);
	ck_assert_uint_eq(find(&ix, "a", 16), 0);
	sg_name_index_release(&ix);
}
END_TEST

/* Beyond SG_NAME_SEGMENTS dots the patterns are tried one by one. */
START_TEST(deep_names_are_found_too)
{
	static const char *const globs[] = {
		"a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.b", "a.a.*", "*.b",
		"a.a.a.a.a.a.a.a.a.a.a.a.a.a.*",   "*.c",   NULL
	};
	struct sg_name_index ix = index_of(globs);

	ck_assert_uint_eq(find(&ix, "a.a.a.a.a.a.a.a.a.a.a.a.b", 1), 2 | 4);
	ck_assert_uint_eq(find(&ix, "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.b", 1),
			  1 | 2 | 4 | 8);
	sg_name_index_release(&ix);
}
END_TEST

/* Whatever the index says must be what trying each pattern says. */
START_TEST(the_index_agrees_with_the_patterns)
{
	static const char *const parts[] = { "a",  "b",  "ab", "*",
					     "a*", "*b", "?" };
	static const char *const words[] = { "a", "b", "ab", "aab", "" };
	struct sg_name_index ix;
	struct sg_arena arena;
	struct sg_str globs[343];
	struct sg_err err;
	uint32_t n = 0, i, k, out[400], count, want;

	sg_arena_init(&arena, 1 << 20);
	sg_name_index_init(&ix);
	for (i = 0; i < 343; i++) {
		globs[n] = sg_arena_printf(&arena, "%s.%s.%s", parts[i % 7],
					   parts[i / 7 % 7], parts[i / 49]);
		ck_good(sg_name_index_add(&ix, globs[n], 1, n, &err), &err);
		n++;
	}
	ck_good(sg_name_index_freeze(&ix, &err), &err);
	for (i = 0; i < 125; i++) {
		struct sg_name name;
		struct sg_str text =
			sg_arena_printf(&arena, "%s.%s.%s", words[i % 5],
					words[i / 5 % 5], words[i / 25]);

		sg_name_init(&name, text);
		count = sg_name_find(&ix, &name, 1, out);
		want = 0;
		for (k = 0; k < n; k++)
			want += sg_str_glob(globs[k], text);
		ck_assert_uint_eq(count, want);
	}
	sg_name_index_release(&ix);
	sg_arena_release(&arena);
}
END_TEST

SG_TEST_MAIN("names", each_kind_of_pattern_is_found, kinds_are_told_apart,
	     deep_names_are_found_too, the_index_agrees_with_the_patterns)
