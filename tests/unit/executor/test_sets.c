#include "executor/pool.h"
#include "unit/support.h"

static const struct sg_warm_choice sets[] = {
	{ "json re math", true },
	{ "json re math numpy", true },
	{ "json re math numpy pandas", true },
	{ "json re math numpy matplotlib.pyplot", true },
	{ "json re math numpy pandas matplotlib.pyplot", true },
};
enum { SETS = sizeof(sets) / sizeof(sets[0]), NAMES = 8 };

/* The choice for names that are parted by blanks. */
static uint32_t
chosen(const struct sg_warm_choice *v, uint32_t n, const char *imports)
{
	struct sg_str rest = sg_str_c(imports), names[NAMES];
	uint32_t count = 0;

	while (rest.n && count < NAMES) {
		size_t end = sg_str_find(rest, ' ');

		names[count++] = sg_str_slice(rest, 0, end);
		rest = sg_str_slice(rest, end + 1, rest.n);
	}
	return sg_warm_choose(v, n, names, count);
}

START_TEST(the_smallest_set_that_has_most_is_chosen)
{
	ck_assert_uint_eq(chosen(sets, SETS, ""), 0);
	ck_assert_uint_eq(chosen(sets, SETS, "json"), 0);
	ck_assert_uint_eq(chosen(sets, SETS, "numpy"), 1);
	ck_assert_uint_eq(chosen(sets, SETS, "json numpy"), 1);
	ck_assert_uint_eq(chosen(sets, SETS, "pandas"), 2);
	ck_assert_uint_eq(chosen(sets, SETS, "pandas numpy re"), 2);
	ck_assert_uint_eq(chosen(sets, SETS, "matplotlib"), 3);
	ck_assert_uint_eq(chosen(sets, SETS, "matplotlib pandas"), 4);
	ck_assert_uint_eq(chosen(sets, SETS, "scipy"), 0);
	ck_assert_uint_eq(chosen(sets, SETS, "scipy numpy"), 1);
}
END_TEST

START_TEST(of_a_name_the_first_part_counts)
{
	ck_assert_uint_eq(chosen(sets, SETS, "numpy.linalg"), 1);
	ck_assert_uint_eq(chosen(sets, SETS, "matplotlib.pyplot"), 3);
	ck_assert_uint_eq(chosen(sets, SETS, "matplotlib.colors"), 3);
	ck_assert_uint_eq(chosen(sets, SETS, "num"), 0);
	ck_assert_uint_eq(chosen(sets, SETS, "numpyro"), 0);
	ck_assert_uint_eq(chosen(sets, SETS, "pyplot"), 0);
}
END_TEST

START_TEST(a_module_that_is_named_twice_counts_once)
{
	const struct sg_warm_choice v[] = { { "a", true }, { "b c", true } };

	ck_assert_uint_eq(chosen(v, 2, "a.x a.y b c"), 1);
	ck_assert_uint_eq(chosen(v, 2, "a a a b"), 0);
}
END_TEST

START_TEST(a_set_that_is_not_open_is_passed_over)
{
	struct sg_warm_choice v[SETS];

	memcpy(v, sets, sizeof(sets));
	v[1].open = false;
	ck_assert_uint_eq(chosen(v, SETS, "numpy"), 2);
	v[0].open = false;
	ck_assert_uint_eq(chosen(v, SETS, "json"), 2);
	for (int i = 0; i < SETS; i++)
		v[i].open = false;
	ck_assert_uint_eq(chosen(v, SETS, "json"), SETS);
	ck_assert_uint_eq(chosen(v, 0, "json"), 0);
}
END_TEST

START_TEST(blanks_between_modules_do_not_matter)
{
	ck_assert(sg_warm_has("  a   b.c ", SG_STR("a")));
	ck_assert(sg_warm_has("  a   b.c ", SG_STR("b")));
	ck_assert(!sg_warm_has("  a   b.c ", SG_STR("c")));
	ck_assert(!sg_warm_has("", SG_STR("a")));
	ck_assert(!sg_warm_has("a", SG_STR("")));
}
END_TEST

START_TEST(pauses_double_up_to_a_minute)
{
	ck_assert_uint_eq(sg_warm_pause(0), 200);
	ck_assert_uint_eq(sg_warm_pause(1), 400);
	ck_assert_uint_eq(sg_warm_pause(8), 51200);
	ck_assert_uint_eq(sg_warm_pause(9), 60000);
	ck_assert_uint_eq(sg_warm_pause(UINT32_MAX), 60000);
}
END_TEST

START_TEST(options_that_make_no_sense_are_refused)
{
	static const struct sg_warm_set bad[] = {
		{ "", "json" }, { NULL, "json" }, { "a", "" }, { "a", NULL }
	};
	struct sg_warm_set many[33];
	struct sg_warm_opts opts;
	struct sg_warm *warm = NULL;
	struct sg_err err;

	sg_warm_opts_init(&opts);
	ck_assert_uint_eq(opts.nsets, 5);
	ck_assert_uint_eq(opts.max_runs, 4000);
	ck_assert_uint_eq(opts.max_age_ms, 600000);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		sg_err_clear(&err);
		opts.sets = &bad[i];
		opts.nsets = 1;
		ck_assert_int_eq(sg_warm_open(&opts, &warm, &err), SG_EUSAGE);
	}
	for (size_t i = 0; i < 33; i++)
		many[i] = (struct sg_warm_set){ "a", "json" };
	sg_err_clear(&err);
	opts.sets = many;
	opts.nsets = 33;
	ck_assert_int_eq(sg_warm_open(&opts, &warm, &err), SG_EUSAGE);
	sg_err_clear(&err);
	opts.nsets = 1;
	opts.python = "/nonexistent/python3";
	ck_assert_int_eq(sg_warm_open(&opts, &warm, &err), SG_ENOENT);
	ck_assert_ptr_null(warm);
	sg_warm_free(NULL);
}
END_TEST

SG_TEST_MAIN("sets", the_smallest_set_that_has_most_is_chosen,
	     of_a_name_the_first_part_counts,
	     a_module_that_is_named_twice_counts_once,
	     a_set_that_is_not_open_is_passed_over,
	     blanks_between_modules_do_not_matter, pauses_double_up_to_a_minute,
	     options_that_make_no_sense_are_refused)
