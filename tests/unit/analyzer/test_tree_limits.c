/* The tree at its limits, and beyond them. */

#include "unit/analyzer/reading.h"

START_TEST(the_cap_on_nodes_holds_at_it_and_beyond)
{
	begin();
	w.limits.nodes = 7;
	ck_assert_str_eq(code_of(SG_STR("x = f(a, b)\n"), UINT64_MAX), "");
	w.limits.nodes = 6;
	ck_assert_str_eq(code_of(SG_STR("x = f(a, b)\n"), UINT64_MAX),
			 "limit.nodes");
	end();
}
END_TEST

START_TEST(tokens_have_a_cap_by_nodes)
{
	begin();
	w.limits.nodes = 3; /* tokens: 12 */
	ck_assert_str_eq(code_of(SG_STR("(((((x)))));\n"), UINT64_MAX), "");
	ck_assert_str_eq(code_of(SG_STR("((((((x))))))\n"), UINT64_MAX),
			 "limit.nodes");
	/* Those of strings count, of fields too. */
	ck_assert_str_eq(code_of(SG_STR("f'{a}{a}{a}{a}'\n"), UINT64_MAX),
			 "limit.nodes");
	w.limits.nodes = UINT32_MAX;
	ck_assert_str_eq(code_of(SG_STR("((((((x))))))\n"), UINT64_MAX), "");
	end();
}
END_TEST

START_TEST(the_cap_on_depth_holds_at_it_and_beyond)
{
	begin();
	w.limits.depth = 3;
	ck_assert_str_eq(code_of(SG_STR("x = f(a, b)\n"), UINT64_MAX), "");
	w.limits.depth = 2;
	ck_assert_str_eq(code_of(SG_STR("x = f(a, b)\n"), UINT64_MAX),
			 "limit.depth");
	end();
}
END_TEST

START_TEST(the_deadline_ends_the_parse)
{
	struct sg_buf b;

	begin();
	sg_buf_init(&b, 1u << 20);
	for (unsigned i = 0; i < 50000; i++)
		sg_buf_c(&b, "x = f(a)\n");
	ck_assert_str_eq(code_of(sg_buf_view(&b), 0), "limit.time");
	/* The next reading is not disturbed. */
	ck_assert_str_eq(code_of(SG_STR("x = 1\n"), UINT64_MAX), "");
	sg_buf_release(&b);
	end();
}
END_TEST

START_TEST(dotted_names_have_a_cap)
{
	struct sg_buf b;

	begin();
	sg_buf_init(&b, 1u << 18);
	for (unsigned n = 30000; n <= 40000; n += 10000) {
		sg_buf_reset(&b);
		sg_buf_c(&b, "import a");
		for (unsigned i = 0; i < n; i++)
			sg_buf_c(&b, ".a");
		ck_assert_str_eq(code_of(sg_buf_view(&b), UINT64_MAX),
				 n == 30000 ? "" : "limit.depth");
	}
	sg_buf_release(&b);
	end();
}
END_TEST

START_TEST(long_chains_need_no_stack)
{
	static const char *const units[] = {
		"a.", "a or ", "a + ", "not ", "-", "lambda:", "a if b else "
	};
	struct sg_buf b;

	begin();
	sg_buf_init(&b, 1u << 20);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		sg_buf_reset(&b);
		sg_buf_c(&b, "x = ");
		for (unsigned k = 0; k < 20000; k++)
			sg_buf_c(&b, units[i]);
		sg_buf_c(&b, "a\n");
		/* Only `or` is not nested: it is one node. */
		ck_assert_str_eq(code_of(sg_buf_view(&b), UINT64_MAX),
				 i == 1 ? "" : "limit.depth");
	}
	sg_buf_release(&b);
	end();
}
END_TEST

START_TEST(refused_memory_is_told)
{
	struct sg_arena small;
	struct sg_buf b;
	struct sg_err err;

	begin();
	sg_err_clear(&err);
	sg_arena_init(&small, 1024);
	sg_buf_init(&b, 1u << 16);
	sg_buf_c(&b, "x = '");
	for (unsigned i = 0; i < 2000; i++)
		sg_buf_c(&b, "\\n");
	sg_buf_c(&b, "'\n");
	read_text(sg_buf_view(&b), MINOR, UINT64_MAX);
	w.job.arena = &small;
	ck_assert_int_eq(sg_tree_read(w.tree, &w.job, &err), SG_ENOMEM);
	sg_arena_release(&small);
	sg_buf_release(&b);
	end();
}
END_TEST

START_TEST(names_beyond_the_interners_cap_are_refused)
{
	struct sg_err err;

	begin();
	sg_err_clear(&err);
	read_text(SG_STR("a = b = c\n"), MINOR, UINT64_MAX);
	sg_intern_release(&w.names);
	sg_intern_init(&w.names, 2, 1u << 16);
	ck_assert_int_eq(sg_tree_read(w.tree, &w.job, &err), SG_ENOMEM);
	end();
}
END_TEST

SG_TEST_MAIN("tree limits", the_cap_on_nodes_holds_at_it_and_beyond,
	     tokens_have_a_cap_by_nodes,
	     the_cap_on_depth_holds_at_it_and_beyond,
	     the_deadline_ends_the_parse, dotted_names_have_a_cap,
	     long_chains_need_no_stack, refused_memory_is_told,
	     names_beyond_the_interners_cap_are_refused)
