/* Policies made of several documents, and warnings. */

#include <stdio.h>

#include "unit/policy/judge.h"

static const char *
file(const char *name, const char *text)
{
	return sg_test_write(name, sg_str_c(text));
}

static struct sg_policy *
opened(const char *name)
{
	struct sg_policy *p = NULL;
	struct sg_err err;

	ck_good(sg_policy_open(sg_test_path(name), &p, &err), &err);
	return p;
}

static void
fails(const char *name, const char *code, const char *in, uint32_t line)
{
	struct sg_policy *p = NULL;
	struct sg_err err;
	size_t n;

	ck_assert_int_lt(sg_policy_open(sg_test_path(name), &p, &err), 0);
	ck_assert_msg(strcmp(err.code, code) == 0, "%s: %s", err.code, err.msg);
	ck_assert_uint_eq(err.line, line);
	n = strlen(err.file);
	ck_assert_msg(n >= strlen(in) &&
			      strcmp(err.file + n - strlen(in), in) == 0,
		      "%s", err.file);
}

static const char *
rule_texts(const struct sg_policy *p)
{
	static char text[512];
	struct sg_rule_info r;
	size_t n = 0;
	uint32_t i;

	text[0] = '\0';
	for (i = 0; i < sg_policy_rule_count(p); i++) {
		sg_policy_rule(p, i, &r);
		if (r.file != NULL && n < sizeof(text))
			n += (size_t)snprintf(text + n, sizeof(text) - n,
					      "%.*s:%s ", SG_STR_ARG(r.id),
					      r.action);
	}
	return text;
}

START_TEST(rules_come_together)
{
	struct sg_policy *p;

	file("a.yaml", "schema: 1\nrules: [{id: A, match: {call: f}}]\n");
	file("b.yaml", "schema: 1\nrules: [{id: B, match: {call: f}}]\n");
	file("c.yaml", "schema: 1\nextends: [a.yaml, ./b.yaml]\n"
		       "rules: [{id: C, match: {call: f}}]\n");
	p = opened("c.yaml");
	ck_assert_str_eq(rule_texts(p), "B:reject A:reject C:reject ");
	sg_policy_free(p);
}
END_TEST

START_TEST(a_policy_that_is_extended_twice_is_read_once)
{
	struct sg_policy *p;

	file("base.yaml", "schema: 1\nrules: [{id: A, match: {call: f}}]\n");
	file("x.yaml", "schema: 1\nextends: [base.yaml]\n"
		       "overrides: [{rule: A, set: {severity: low}}]\n");
	file("y.yaml", "schema: 1\nextends: [base.yaml]\n");
	file("z.yaml", "schema: 1\nextends: [x.yaml, y.yaml]\n");
	p = opened("z.yaml");
	ck_assert_str_eq(rule_texts(p), "A:reject ");
	sg_policy_free(p);
}
END_TEST

START_TEST(cycles_are_refused)
{
	file("a.yaml", "schema: 1\nextends: [b.yaml]\n");
	file("b.yaml", "schema: 1\nextends: [a.yaml]\n");
	fails("a.yaml", "policy.extends-cycle", "b.yaml", 2);
	file("s.yaml", "schema: 1\nextends: [s.yaml]\n");
	fails("s.yaml", "policy.extends-cycle", "s.yaml", 2);
}
END_TEST

START_TEST(the_same_rule_in_two_is_refused)
{
	file("a.yaml", "schema: 1\nrules: [{id: A, match: {call: f}}]\n");
	file("b.yaml", "schema: 1\nextends: [a.yaml]\n"
		       "rules: [{id: A, match: {call: f}}]\n");
	fails("b.yaml", "policy.duplicate-rule", "b.yaml", 3);
}
END_TEST

START_TEST(the_nearer_document_wins)
{
	struct sg_policy *p;

	file("a.yaml", "schema: 1\nlimits: {depth: 10, nodes: 20}\n"
		       "rules: [{id: A, match: {call: f}, action: annotate}]\n"
		       "overrides: [{rule: A, set: {action: off}}]\n");
	file("b.yaml", "schema: 1\nextends: [a.yaml]\nlimits: {depth: 30}\n"
		       "overrides: [{rule: A, set: {action: reject}}]\n");
	p = opened("b.yaml");
	ck_assert_uint_eq(sg_policy_limits(p).depth, 30);
	ck_assert_uint_eq(sg_policy_limits(p).nodes, 20);
	ck_assert_str_eq(rule_texts(p), "A:reject ");
	sg_policy_free(p);
}
END_TEST

START_TEST(documents_at_one_distance_must_agree)
{
	struct sg_policy *p;

	file("a.yaml", "schema: 1\nlimits: {depth: 10}\n");
	file("b.yaml", "schema: 1\nlimits: {depth: 20}\n");
	file("same.yaml", "schema: 1\nlimits: {depth: 10}\n");
	file("c.yaml", "schema: 1\nextends: [a.yaml, b.yaml]\n");
	fails("c.yaml", "policy.conflict", "a.yaml", 2);
	file("d.yaml", "schema: 1\nextends: [a.yaml, b.yaml]\n"
		       "limits: {depth: 5}\n");
	p = opened("d.yaml");
	ck_assert_uint_eq(sg_policy_limits(p).depth, 5);
	sg_policy_free(p);
	file("e.yaml", "schema: 1\nextends: [a.yaml, same.yaml]\n");
	p = opened("e.yaml");
	ck_assert_uint_eq(sg_policy_limits(p).depth, 10);
	sg_policy_free(p);
}
END_TEST

START_TEST(the_order_of_extends_means_nothing)
{
	struct sg_policy *p, *q;
	struct sg_digest x, y;

	file("a.yaml", "schema: 1\nmode: annotate\n");
	file("b.yaml", "schema: 1\nlimits: {depth: 20}\n");
	file("ab.yaml", "schema: 1\npolicy: p\nextends: [a.yaml, b.yaml]\n");
	file("ba.yaml", "schema: 1\npolicy: p\nextends: [b.yaml, a.yaml]\n");
	p = opened("ab.yaml");
	q = opened("ba.yaml");
	ck_assert_uint_eq(sg_policy_limits(p).depth, sg_policy_limits(q).depth);
	/* the digest is over the bytes of all documents */
	x = sg_policy_digest(p);
	y = sg_policy_digest(q);
	ck_assert(memcmp(x.b, y.b, sizeof(x.b)) != 0);
	sg_policy_free(p);
	sg_policy_free(q);
}
END_TEST

START_TEST(a_pinned_policy_must_be_the_one)
{
	char hex[SG_DIGEST_HEX], text[300];
	const char *a = "schema: 1\npolicy: a\n";
	struct sg_digest d = sg_digest_of(sg_str_c(a));
	struct sg_policy *p;

	sg_digest_hex(&d, hex);
	file("a.yaml", a);
	(void)snprintf(text, sizeof(text),
		       "schema: 1\nextends: [{policy: a.yaml, sha256: %s}]\n",
		       hex);
	file("b.yaml", text);
	p = opened("b.yaml");
	sg_policy_free(p);
	file("a.yaml", "schema: 1\npolicy: b\n");
	fails("b.yaml", "policy.digest", "b.yaml", 2);
}
END_TEST

START_TEST(errors_of_an_extended_file_are_in_that_file)
{
	file("a.yaml", "schema: 1\nrulez: []\n");
	file("b.yaml", "schema: 1\nextends: [a.yaml]\n");
	fails("b.yaml", "policy.unknown-key", "a.yaml", 2);
}
END_TEST

START_TEST(lists_of_extended_policies_can_be_used)
{
	struct sg_policy *p;
	struct sg_verdict v;

	file("a.yaml", "schema: 1\nlists: {fs: [builtins.abs], own: [x]}\n"
		       "rules: [{id: A, match: {call: $fs}}]\n");
	file("b.yaml", "schema: 1\nextends: [a.yaml]\n"
		       "lists: {fs: [builtins.len]}\n"
		       "rules: [{id: B, match: {call: [$fs, $own]}}]\n");
	p = opened("b.yaml");
	v = judged(p, "abs(1)\nlen('')\n");
	/* each document means its own list */
	ck_assert_str_eq(summary(&v), "reject A@1 B@2");
	sg_policy_free(p);
}
END_TEST

START_TEST(at_most_sixteen_documents)
{
	struct sg_policy *p;
	char name[32], text[64];
	int i;

	for (i = 0; i < 17; i++) {
		(void)snprintf(name, sizeof(name), "p%d.yaml", i);
		(void)snprintf(text, sizeof(text),
			       i < 16 ? "schema: 1\nextends: [p%d.yaml]\n"
				      : "schema: 1\n",
			       i + 1);
		file(name, text);
	}
	p = opened("p1.yaml");
	sg_policy_free(p);
	fails("p0.yaml", "policy.size", "p15.yaml", 2);
}
END_TEST

/* --- warnings ---------------------------------------------------------------- */

#define R "tests: {hit: ['f()'], pass: ['1']}, message: m"

static const struct {
	const char *text, *code;
	uint32_t line, column;
} warned[] = {
	{ "schema: 1\nlists: {a: [b]}\n", "policy.unused-list", 2, 9 },
	{ "schema: 1\nrules:\n  - {id: A, match: {call: m.f, ref: g}, " R "}\n",
	  "policy.never-matches", 3, 10 },
	{ "schema: 1\nrules:\n  - {id: A, match: {call: m.f, regex: x, in: "
	  "comments}, " R "}\n",
	  "policy.never-matches", 3, 10 },
	{ "schema: 1\nrules:\n  - {id: A, match: {attr: {by_name: true}, arg: "
	  "{0: {literal: true}}}, " R "}\n",
	  "policy.never-matches", 3, 10 },
	{ "schema: 1\nrules:\n  - {id: A, match: {call: 'os.*'}, " R "}\n"
	  "  - {id: B, match: {call: os.system}, " R "}\n",
	  "policy.shadowed", 4, 10 },
	{ "schema: 1\nrules:\n  - {id: A, match: {regex: 'a*'}, " R "}\n",
	  "policy.regex-empty", 3, 28 },
	{ "schema: 1\nrules:\n  - {id: A, match: {call: m.f}, message: m, "
	  "tests: {hit: ['f()']}}\n",
	  "policy.tests", 3, 10 },
	{ "schema: 1\nrules:\n  - {id: A, match: {call: m.f}, tests: {hit: "
	  "['f()'], pass: ['1']}}\n",
	  "policy.no-message", 3, 10 },
	{ "schema: 1\nexceptions:\n  - {rule: import.denied, when: {path: a}, "
	  "reason: r, until: 2001-01-01}\n",
	  "policy.expired", 3, 12 },
	{ "schema: 1\nexceptions:\n  - {rule: import.denied, when: {path: a}, "
	  "reason: r}\n",
	  "policy.no-end", 3, 12 },
	{ "schema: 1\nrules:\n  - {id: A, match: {regex: \"\\bx\"}, " R "}\n",
	  "policy.regex-control", 3, 28 },
	{ "schema: 1\nrules:\n  - {id: A, match: {attr: [a, b.c]}, " R "}\n",
	  "policy.never-matches", 3, 31 },
	{ "schema: 1\nrules:\n  - {id: A, match: {hook: getattr}, " R "}\n",
	  "policy.never-matches", 3, 27 },
	{ "schema: 1\nrules:\n  - {id: A, match: {call: [m.g, f]}, " R "}\n",
	  "policy.bare-name", 3, 33 },
};

START_TEST(likely_mistakes_are_warned_of)
{
	const struct sg_policy_warning *w;
	struct sg_policy *p;
	uint32_t i, n;

	for (i = 0; i < sizeof(warned) / sizeof(warned[0]); i++) {
		p = policy_of(warned[i].text);
		w = sg_policy_warnings(p, &n);
		ck_assert_msg(n == 1, "%u: %u warnings", i, n);
		ck_assert_msg(strcmp(w->code, warned[i].code) == 0 &&
				      w->line == warned[i].line &&
				      w->column == warned[i].column,
			      "%u: %s %u:%u %.*s", i, w->code, w->line,
			      w->column, SG_STR_ARG(w->message));
		sg_policy_free(p);
	}
}
END_TEST

START_TEST(a_rule_without_tests_fails_its_tests)
{
	struct sg_policy *p =
		policy_of("schema: 1\nrules: [{id: A, match: {call: f}}]\n");
	uint32_t run = 0, failed = 0;
	struct sg_err err;

	ck_good(sg_policy_test_run(p, NULL, NULL, &run, &failed, &err), &err);
	ck_assert_uint_eq(run, 2);
	ck_assert_uint_eq(failed, 2);
	sg_policy_free(p);
}
END_TEST

START_TEST(inline_tests_can_fail)
{
	struct sg_policy *p = policy_of(
		"schema: 1\nrules:\n  - id: A\n    match: {call: "
		"builtins.print}\n    tests:\n"
		"      hit: ['print(1)', 'x = 1', 'x = (']\n"
		"      pass: ['x = 1', 'print(1)']\n");
	uint32_t run = 0, failed = 0;
	struct sg_err err;

	ck_good(sg_policy_test_run(p, NULL, NULL, &run, &failed, &err), &err);
	ck_assert_uint_eq(run, 5);
	ck_assert_uint_eq(failed, 3);
	sg_policy_free(p);
}
END_TEST

SG_TEST_MAIN("extends", rules_come_together,
	     a_policy_that_is_extended_twice_is_read_once, cycles_are_refused,
	     the_same_rule_in_two_is_refused, the_nearer_document_wins,
	     documents_at_one_distance_must_agree,
	     the_order_of_extends_means_nothing,
	     a_pinned_policy_must_be_the_one,
	     errors_of_an_extended_file_are_in_that_file,
	     lists_of_extended_policies_can_be_used, at_most_sixteen_documents,
	     likely_mistakes_are_warned_of,
	     a_rule_without_tests_fails_its_tests, inline_tests_can_fail)
