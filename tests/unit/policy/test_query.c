/* The pattern `query`: what it finds, where, and what its limits do. */

#include <stdio.h>

#include "unit/policy/judge.h"

static const char *
found_of(const struct sg_policy *p, const char *code)
{
	struct sg_verdict v = judged(p, code);

	return summary(&v);
}

static struct sg_policy *
query_rule(const char *match)
{
	if (judge_arena.cap == 0)
		sg_arena_init(&judge_arena, 256u << 20);
	return rule_of(match);
}

/* A rule of one query, and what it finds in a script. */
static const char *
query_finds(const char *query, const char *code)
{
	struct sg_policy *p;
	const char *found;
	char match[512];

	(void)snprintf(match, sizeof(match), "{query: '%s'}", query);
	p = query_rule(match);
	found = found_of(p, code);

	sg_policy_free(p);
	return found;
}

static const char *
rule_finds(const char *match, const char *code)
{
	struct sg_policy *p = query_rule(match);
	const char *found = found_of(p, code);

	sg_policy_free(p);
	return found;
}

START_TEST(the_place_is_that_of_a_capture)
{
	ck_assert_str_eq(query_finds("(call) @c", "x = 1\nf(\n 2)"),
			 "reject R@2");
	/* @match wins, then what has no underscore */
	ck_assert_str_eq(query_finds("(call function: (_) @f arguments: "
				     "(argument_list (_) @match))",
				     "f(\n2)"),
			 "reject R@2");
	ck_assert_str_eq(query_finds("(call function: (_) @_f arguments: "
				     "(argument_list (_) @a))",
				     "f(\n2)"),
			 "reject R@2");
	ck_assert_str_eq(query_finds("(call) @c", "f = 1"), "pass");
	ck_assert_str_eq(query_finds("(call) @c (assignment) @a", "f = 1\nf()"),
			 "reject R@1 R@2");
}
END_TEST

START_TEST(comments_and_continued_lines_move_nothing)
{
	ck_assert_str_eq(query_finds("(call) @c", "x = '# \\\n' # f()\n"
						  "y = 1 + \\\n  g()  # h()\n"),
			 "reject R@4");
	ck_assert_str_eq(query_finds("(string) @c", "# 'a'\nx = \\\n 'b'"),
			 "reject R@3");
}
END_TEST

START_TEST(texts_are_compared)
{
	const char *code = "f(1)\ng(2)\ngg(3)";

	ck_assert_str_eq(query_finds("((identifier) @x (#eq? @x \"g\"))", code),
			 "reject R@2");
	ck_assert_str_eq(query_finds("((identifier) @x (#not-eq? @x g))", code),
			 "reject R@1 R@3");
	ck_assert_str_eq(
		query_finds("((identifier) @x (#match? @x \"^g+$\"))", code),
		"reject R@2 R@3");
	ck_assert_str_eq(query_finds("((integer) @x (#match? @x \"[\\\\d]\") "
				     "(#not-match? @x \"2|3\"))",
				     code),
			 "reject R@1");
	ck_assert_str_eq(query_finds("((identifier) @x "
				     "(#any-of? @x \"f\" \"gg\"))",
				     code),
			 "reject R@1 R@3");
	ck_assert_str_eq(query_finds("((identifier) @x "
				     "(#not-any-of? @x \"f\" \"gg\"))",
				     code),
			 "reject R@2");
}
END_TEST

START_TEST(captures_are_compared)
{
	const char *q = "(comparison_operator . (_) @a . (_) @b "
			"(#eq? @a @b)) @match";

	ck_assert_str_eq(query_finds(q, "x == x\nx == y\nf(1) < f(1)"),
			 "reject R@1 R@3");
	q = "(comparison_operator . (_) @a . (_) @b (#not-eq? @a @b)) @match";
	ck_assert_str_eq(query_finds(q, "x == x\nx == y"), "reject R@2");
}
END_TEST

START_TEST(of_several_nodes_all_or_any_agree)
{
	const char *code = "[1, 1]\n[1, 2]\n[2, 2]";

	ck_assert_str_eq(query_finds("(list . (integer) @n . (integer) @n . "
				     "(#eq? @n \"1\")) @match",
				     code),
			 "reject R@1");
	ck_assert_str_eq(query_finds("(list . (integer) @n . (integer) @n . "
				     "(#any-eq? @n \"1\")) @match",
				     code),
			 "reject R@1 R@2");
	ck_assert_str_eq(query_finds("(list . (integer) @n . (integer) @n . "
				     "(#any-not-eq? @n \"1\")) @match",
				     code),
			 "reject R@2 R@3");
	ck_assert_str_eq(query_finds("(list . (integer) @n . (integer) @n . "
				     "(#any-match? @n \"2\")) @match",
				     code),
			 "reject R@2 R@3");
	ck_assert_str_eq(query_finds("(list . (integer) @n . (integer) @n . "
				     "(#any-not-match? @n \"2\")) @match",
				     code),
			 "reject R@1 R@2");
	/* what is not there says nothing against it */
	ck_assert_str_eq(query_finds("(list (integer)* @n "
				     "(#eq? @n \"1\")) @match",
				     "[]"),
			 "reject R@1");
}
END_TEST

START_TEST(queries_stand_in_combinations)
{
	ck_assert_str_eq(
		rule_finds("{call: open, not: {inside: {query: "
			   "'(with_statement) @w'}}}",
			   "with open('a') as f:\n    pass\nopen('b')"),
		"reject R@3");
	ck_assert_str_eq(rule_finds("{query: '(call) @c', inside: "
				    "{node: FunctionDef}}",
				    "f()\ndef g():\n    f()"),
			 "reject R@3");
	ck_assert_str_eq(
		rule_finds("{query: '(call) @c', regex: 'b'}", "f(a)\nf(b)"),
		"reject R@2");
	ck_assert_str_eq(rule_finds("{any: [{query: '(list) @c'}, "
				    "{call: '*.f'}]}",
				    "[1]\nf(b)\n{2}"),
			 "reject R@1 R@2");
	ck_assert_str_eq(rule_finds("{query: '(call) @c', not: {query: "
				    "'(call (argument_list (integer))) @d'}}",
				    "f(a)\nf(1)"),
			 "reject R@1");
	ck_assert_str_eq(rule_finds("{node: FunctionDef, has: {query: "
				    "'(call) @c'}}",
				    "def f():\n    g()\ndef h():\n    pass"),
			 "reject R@1");
}
END_TEST

START_TEST(messages_have_the_text)
{
	struct sg_policy *p = query_rule("{query: '(call) @c'}");
	struct sg_verdict v = judged(p, "x = f(\n  1)");

	ck_assert_uint_eq(v.nfindings, 1);
	ck_str_is(v.findings[0].message, "f(?  1)|f(?  1)|f(?  1)|");
	sg_policy_free(p);
}
END_TEST

/* --- limits ------------------------------------------------------------- */

static struct sg_str
repeated(const char *line, uint32_t n)
{
	struct sg_buf b;
	struct sg_str s;
	uint32_t i;

	sg_buf_init(&b, 4u << 20);
	for (i = 0; i < n; i++)
		sg_buf_c(&b, line);
	s = sg_arena_dup(&judge_arena, sg_buf_view(&b));
	sg_buf_release(&b);
	return s;
}

static const char *
first_rule(const struct sg_policy *p, struct sg_str code)
{
	struct sg_verdict v = judged_at(p, code, NULL);

	if (v.nfindings == 0)
		return "none";
	return sg_arena_printf(&judge_arena, "%s %.*s",
			       sg_decision_name(v.decision),
			       SG_STR_ARG(v.findings[0].rule))
		.p;
}

START_TEST(matches_are_limited)
{
	struct sg_policy *p = query_rule("{query: '(integer) @c'}");

	sg_policy_free(p);
	/* with all the time that there is */
	p = policy_of("schema: 1\nlimits: {time_ms: 60000}\n"
		      "rules: [{id: R, match: {query: '(integer) @c'}}]\n");
	ck_assert_str_eq(first_rule(p, repeated("1\n", 10000)), "reject R");
	ck_assert_str_eq(first_rule(p, repeated("1\n", 10001)),
			 "reject limit.query");
	sg_policy_free(p);
}
END_TEST

START_TEST(time_is_limited)
{
	/* pairs of all with all */
	struct sg_policy *p = query_rule(
		"{query: '(module (_) @a (_) @b (_) @c (_) @d "
		"(#eq? @a \"x\"))'}");

	ck_assert_str_eq(first_rule(p, repeated("1\n", 20000)),
			 "reject limit.query");
	sg_policy_free(p);
}
END_TEST

START_TEST(regexes_in_queries_are_limited)
{
	struct sg_policy *p = query_rule("{query: '((string) @c (#match? @c "
					 "\"(a|aa)+[!?]\"))'}");
	struct sg_str code = sg_arena_printf(&judge_arena, "x = '%.*s'",
					     SG_STR_ARG(repeated("a", 40)));

	ck_assert_str_eq(first_rule(p, code), "reject limit.query");
	sg_policy_free(p);
}
END_TEST

START_TEST(what_was_not_decided_rejects_also_below_not)
{
	struct sg_policy *p =
		query_rule("{call: '*.f', not: {query: '(integer) @c'}}");
	struct sg_verdict v =
		judged_at(p,
			  sg_arena_printf(&judge_arena, "f()\n%.*s",
					  SG_STR_ARG(repeated("1\n", 10001))),
			  NULL);

	ck_assert_int_eq(v.decision, SG_REJECT);
	sg_policy_free(p);
}
END_TEST

START_TEST(what_the_grammar_cannot_read_is_not_passed)
{
	struct sg_policy *p = query_rule("{query: '(call) @c'}");

	ck_assert_str_eq(found_of(p, "def f(a): return a"), "pass");
	ck_assert_str_eq(found_of(p, "def f(a) -> T: h[a] = a; return a"),
			 "reject query.unread@1");
	sg_policy_free(p);
}
END_TEST

START_TEST(policies_without_queries_do_not_parse_again)
{
	struct sg_policy *p = query_rule("{call: '*.f'}");

	ck_assert_str_eq(found_of(p, "f()"), "reject R@1");
	sg_policy_free(p);
}
END_TEST

SG_TEST_MAIN("query", the_place_is_that_of_a_capture,
	     comments_and_continued_lines_move_nothing, texts_are_compared,
	     captures_are_compared, of_several_nodes_all_or_any_agree,
	     queries_stand_in_combinations, messages_have_the_text,
	     matches_are_limited, time_is_limited,
	     regexes_in_queries_are_limited,
	     what_was_not_decided_rejects_also_below_not,
	     what_the_grammar_cannot_read_is_not_passed,
	     policies_without_queries_do_not_parse_again)
