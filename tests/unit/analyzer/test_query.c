/* Queries of tree-sitter: what is taken, what is refused and where. */

#include "analyzer/query.h"
#include "unit/support.h"

static const struct {
	const char *text;
	size_t at;
	const char *message;
} refused[] = {
	{ "", 0, "no pattern" },
	{ "; a comment", 0, "no pattern" },
	{ "(cal)", 1, "did you mean 'call'?" },
	{ "(call", 5, "ends too early" },
	{ "(call functio: (_) @f)", 6, "did you mean 'function'?" },
	{ "(call !functio) @c", 7, "did you mean 'function'?" },
	{ "(call) @c (#eq? @c \"f\")", 10, "within the brackets" },
	{ "[(#eq? @c \"f\") (call)] @c", 1, "within the brackets" },
	{ "((#eq? @c \"f\") (call) @c)", 1, "within the brackets" },
	{ "(call function: (#eq? @c \"f\")) @c", 16, "within the brackets" },
	{ "((call) @c (#eq? @d \"f\"))", 18, "nothing is captured as '@d'" },
	{ "((call) @c (#eq? @c \"\"))", 20, "empty text" },
	{ "\"\" @x", 0, "empty text" },
	{ "(module (call) @c)", 8, "no tree" },
};

START_TEST(what_tree_sitter_cannot_be_given_is_refused)
{
	struct sg_query *q = NULL;
	struct sg_err err;
	size_t i, at;

	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		sg_err_clear(&err);
		ck_assert_int_eq(
			sg_query_new(sg_str_c(refused[i].text), &q, &at, &err),
			SG_EPOLICY);
		ck_assert_ptr_null(q);
		ck_assert_msg(at == refused[i].at &&
				      strstr(err.msg, refused[i].message),
			      "%s: %zu: %s", refused[i].text, at, err.msg);
	}
}
END_TEST

static struct sg_query *
query(const char *text)
{
	struct sg_query *q = NULL;
	struct sg_err err;
	size_t at;

	sg_err_clear(&err);
	ck_good(sg_query_new(sg_str_c(text), &q, &at, &err), &err);
	return q;
}

START_TEST(predicates_are_data)
{
	struct sg_query *q = query("((call) @a)\n; (#no)\n((list) @b . (_) @c"
				   " (#eq? @b word) (#any-of? @c \"x\\\"\"))");
	const struct sg_query_predicate *p;
	uint32_t n;

	ck_assert_uint_eq(sg_query_patterns(q), 2);
	ck_assert_uint_eq(sg_query_pattern_at(q, 1), 20);
	ck_assert_uint_eq(sg_query_captures(q), 3);
	ck_str_is(sg_query_capture(q, 2), "c");
	ck_assert(sg_query_pattern_captures(q, 1));
	p = sg_query_predicates(q, &n);
	ck_assert_uint_eq(n, 2);
	ck_str_is(p[0].name, "eq?");
	ck_assert_uint_eq(p[0].pattern, 1);
	ck_assert_uint_eq(p[0].at, 41);
	ck_assert_uint_eq(p[0].nargs, 2);
	ck_assert(p[0].args[0].is_capture && p[0].args[0].capture == 1);
	ck_str_is(p[0].args[1].text, "word");
	ck_str_is(p[1].args[1].text, "x\"");
	sg_query_free(q);
}
END_TEST

/* --- limits -------------------------------------------------------------- */

static struct sg_str
repeated(struct sg_buf *b, const char *head, char c, size_t n, const char *tail)
{
	sg_buf_reset(b);
	sg_buf_c(b, head);
	while (n-- > 0)
		sg_buf_char(b, c);
	sg_buf_c(b, tail);
	return sg_buf_view(b);
}

START_TEST(bytes_of_a_query_are_limited)
{
	struct sg_query *q = NULL;
	struct sg_err err;
	struct sg_buf b;
	size_t at;

	sg_err_clear(&err);
	sg_buf_init(&b, 1 << 20);
	ck_good(sg_query_new(
			repeated(&b, "(call) @c", ' ', SG_QUERY_BYTES - 9, ""),
			&q, &at, &err),
		&err);
	sg_query_free(q);
	q = NULL;
	ck_assert_int_eq(sg_query_new(repeated(&b, "(call) @c", ' ',
					       SG_QUERY_BYTES - 8, ""),
				      &q, &at, &err),
			 SG_EPOLICY);
	sg_buf_release(&b);
}
END_TEST

static int
nested(uint32_t depth)
{
	struct sg_query *q = NULL;
	struct sg_err err;
	struct sg_buf b;
	size_t at;
	int rc;

	sg_err_clear(&err);
	sg_buf_init(&b, 1 << 20);
	(void)repeated(&b, "", '(', depth, "call) @c");
	while (--depth > 0)
		sg_buf_char(&b, ')');
	rc = sg_query_new(sg_buf_view(&b), &q, &at, &err);
	sg_query_free(q);
	sg_buf_release(&b);
	return rc;
}

START_TEST(depth_of_a_query_is_limited)
{
	ck_assert_int_eq(nested(SG_QUERY_DEPTH), SG_OK);
	ck_assert_int_eq(nested(SG_QUERY_DEPTH + 1), SG_EPOLICY);
	ck_assert_int_eq(nested(10000), SG_EPOLICY);
}
END_TEST

static bool
count(void *ctx, uint32_t pattern, const struct sg_query_hit *hits, uint32_t n)
{
	uint32_t *found = ctx;

	(void)pattern;
	(void)hits;
	*found += n;
	return *found < 3;
}

static enum sg_query_answer
answer(const char *pattern, struct sg_str code, uint32_t time_ms)
{
	struct sg_limits limits = { 4u << 20, 1000, 10000000, 60000 };
	const struct sg_analysis *an;
	struct sg_analyzer *a = NULL;
	struct sg_query_run *run = NULL;
	struct sg_query *q = query(pattern);
	enum sg_query_answer got;
	uint32_t found = 0;
	struct sg_err err;

	sg_err_clear(&err);
	ck_good(sg_analyzer_new(NULL, &a, &err), &err);
	ck_good(sg_analyze(a, code, &limits, &an, &err), &err);
	ck_assert_uint_eq(an->nproblems, 0);
	ck_good(sg_query_run_new(&run, &err), &err);
	sg_query_run_reset(run, time_ms);
	got = sg_query_each(run, an, q, count, &found);
	sg_query_run_free(run);
	sg_query_free(q);
	sg_analyzer_free(a);
	return got;
}

START_TEST(a_search_says_how_it_ended)
{
	struct sg_buf b;
	uint32_t i;

	sg_buf_init(&b, 4u << 20);
	ck_assert_int_eq(answer("(call) @c", SG_STR("f()\ng()"), 60000),
			 SG_QUERY_DONE);
	ck_assert_int_eq(
		answer("(call) @c", SG_STR("f()\ng()\nh()\ni()"), 60000),
		SG_QUERY_STOPPED);
	ck_assert_int_eq(answer("(call) @c",
				SG_STR("def f(a) -> T: h[a] = a; return a"),
				60000),
			 SG_QUERY_UNREAD);
	/* no time at all */
	for (i = 0; i < 20000; i++)
		sg_buf_c(&b, "x = [1, 2]\n");
	ck_assert_int_eq(answer("(call) @c", sg_buf_view(&b), 0),
			 SG_QUERY_LIMIT);
	ck_assert_int_eq(
		answer("(call) @c",
		       repeated(&b, "f()#", 'a', SG_QUERY_TEXT - 4, ""), 60000),
		SG_QUERY_DONE);
	ck_assert_int_eq(
		answer("(call) @c",
		       repeated(&b, "f()#", 'a', SG_QUERY_TEXT - 3, ""), 60000),
		SG_QUERY_LIMIT);
	sg_buf_release(&b);
}
END_TEST

SG_TEST_MAIN("query", what_tree_sitter_cannot_be_given_is_refused,
	     predicates_are_data, bytes_of_a_query_are_limited,
	     depth_of_a_query_is_limited, a_search_says_how_it_ended)
