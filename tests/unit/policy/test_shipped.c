/* The shipped policies, and the examples of the documentation. */

#include <stdio.h>

#include "base/file.h"
#include "policy/capability.h"
#include "policy/compiled.h"
#include "policy/coverage.h"
#include "unit/policy/judge.h"

static void
each_test(void *ctx, const struct sg_policy_test *t)
{
	uint32_t *bad = ctx;

	if (t->good)
		return;
	(*bad)++;
	fprintf(stderr, "%.*s %s %u (line %u): %.*s\n%.*s\n\n",
		SG_STR_ARG(t->rule), t->hit ? "hit" : "pass", t->index + 1,
		t->line, SG_STR_ARG(t->reason), SG_STR_ARG(t->code));
}

static void
inline_tests_hold(const struct sg_policy *p)
{
	uint32_t run = 0, failed = 0, bad = 0;
	struct sg_err err;

	ck_good(sg_policy_test_run(p, each_test, &bad, &run, &failed, &err),
		&err);
	ck_assert_uint_eq(bad, failed);
	ck_assert_msg(failed == 0, "%u of %u inline tests of %.*s fail", failed,
		      run, SG_STR_ARG(sg_policy_name(p)));
}

START_TEST(shipped_policies_load_without_a_warning)
{
	const struct sg_embed *s;
	const struct sg_policy_warning *w;
	struct sg_policy *p = NULL;
	struct sg_err err;
	uint32_t n, shipped = 0;

	for (s = sg_policy_shipped(); s->name != NULL; s++, shipped++) {
		ck_good(sg_policy_open(s->name, &p, &err), &err);
		ck_str_is(sg_policy_name(p), s->name);
		w = sg_policy_warnings(p, &n);
		ck_assert_msg(n == 0, "%s:%u:%u: %.*s", w[0].file, w[0].line,
			      w[0].column, SG_STR_ARG(w[0].message));
		sg_policy_free(p);
	}
	ck_assert_uint_ge(shipped, 3);
}
END_TEST

START_TEST(shipped_regexes_are_known)
{
	const struct sg_embed *s;
	struct sg_policy *p = NULL;
	struct sg_err err;
	uint32_t i;

	for (s = sg_policy_shipped(); s->name != NULL; s++) {
		ck_good(sg_policy_open(s->name, &p, &err), &err);
		for (i = 0; i < p->nregexes; i++)
			ck_assert(!sg_regex_is_compiled(p->regexes[i]));
		sg_policy_free(p);
	}
}
END_TEST

/* Tests of each side, by the id of their rule. */
struct sides {
	struct sg_str rule;
	uint32_t hits, passes;
};

static void
count_side(void *ctx, const struct sg_policy_test *t)
{
	struct sides *s = ctx;

	if (!sg_str_eq(t->rule, s->rule))
		return;
	s->hits += t->hit;
	s->passes += !t->hit;
}

static void
is_complete(const struct sg_policy *p, const struct sg_rule_info *r)
{
	struct sides s = { r->id, 0, 0 };
	uint32_t run, failed;
	struct sg_err err;

	ck_assert_msg(r->message.n > 10 && r->hint.n > 10 && r->title.n > 5,
		      "texts of %.*s", SG_STR_ARG(r->id));
	ck_assert_msg(r->ncwe > 0, "cwe of %.*s", SG_STR_ARG(r->id));
	if (r->file == NULL)
		return; /* built in */
	ck_assert_msg(r->ntags > 0, "tags of %.*s", SG_STR_ARG(r->id));
	ck_good(sg_policy_test_run(p, count_side, &s, &run, &failed, &err),
		&err);
	ck_assert_msg(s.hits >= 2 && s.passes >= 2, "%.*s: %u hit, %u pass",
		      SG_STR_ARG(r->id), s.hits, s.passes);
	ck_assert_uint_eq(s.hits + s.passes, r->ntests);
}

START_TEST(each_shipped_rule_is_complete)
{
	const struct sg_embed *s;
	struct sg_policy *p = NULL;
	struct sg_rule_info r;
	struct sg_err err;
	uint32_t i;

	for (s = sg_policy_shipped(); s->name != NULL; s++) {
		ck_good(sg_policy_open(s->name, &p, &err), &err);
		for (i = 0; i < sg_policy_rule_count(p); i++) {
			sg_policy_rule(p, i, &r);
			/* the rules of default are the same in all */
			if (strcmp(s->name, "default") == 0 || r.file == NULL ||
			    strcmp(r.file, "default") != 0)
				is_complete(p, &r);
		}
		sg_policy_free(p);
	}
}
END_TEST

static void
tell_missed(void *ctx, const struct sg_coverage *c)
{
	(void)ctx;
	if (c->missed)
		fprintf(stderr, "%s:%u:%u: %.*s: '%s' never %s\n", c->file,
			c->line, c->column, SG_STR_ARG(c->rule), c->what,
			c->held ? "fails" : "holds");
}

START_TEST(each_shipped_pattern_is_exercised)
{
	struct sg_policy *p = NULL;
	uint32_t n, missed;
	struct sg_err err;

	ck_good(sg_policy_open("strict", &p, &err), &err);
	ck_good(sg_policy_coverage(p, tell_missed, NULL, &n, &missed, &err),
		&err);
	ck_assert_uint_gt(n, 400);
	ck_assert_uint_eq(missed, 0);
	sg_policy_free(p);
}
END_TEST

START_TEST(inline_tests_of_default_hold)
{
	struct sg_policy *p = NULL;
	struct sg_err err;

	ck_good(sg_policy_open("default", &p, &err), &err);
	inline_tests_hold(p);
	sg_policy_free(p);
}
END_TEST

START_TEST(inline_tests_of_strict_hold)
{
	struct sg_policy *p = NULL;
	struct sg_err err;

	ck_good(sg_policy_open("strict", &p, &err), &err);
	inline_tests_hold(p);
	sg_policy_free(p);
}
END_TEST

START_TEST(embedded_policies_are_the_files)
{
	const struct sg_embed *s;
	struct sg_policy *a = NULL, *b = NULL;
	struct sg_digest x, y;
	struct sg_err err;
	struct sg_buf text;
	char path[64];

	sg_buf_init(&text, 1 << 20);
	for (s = sg_policy_shipped(); s->name != NULL; s++) {
		(void)snprintf(path, sizeof(path), "rules/%s.yaml", s->name);
		sg_buf_reset(&text);
		ck_good(sg_file_read(path, &text, &err), &err);
		ck_assert(sg_str_eq(sg_buf_view(&text), s->data));
		ck_good(sg_policy_open(s->name, &a, &err), &err);
		ck_good(sg_policy_open(path, &b, &err), &err);
		x = sg_policy_digest(a);
		y = sg_policy_digest(b);
		ck_assert_mem_eq(x.b, y.b, sizeof(x.b));
		sg_policy_free(a);
		sg_policy_free(b);
	}
	sg_buf_release(&text);
}
END_TEST

static bool
has_text(const struct sg_buf *b, struct sg_str s)
{
	return memmem(b->data, b->len, s.p, s.n) != NULL;
}

START_TEST(the_documentation_lists_rules_and_capabilities)
{
	struct sg_policy *p = NULL;
	struct sg_rule_info r;
	struct sg_err err;
	struct sg_buf text;
	char row[300];
	uint32_t i;

	sg_buf_init(&text, 1 << 20);
	ck_good(sg_file_read("docs/policy.md", &text, &err), &err);
	ck_good(sg_policy_open("strict", &p, &err), &err);
	for (i = 0; i < sg_policy_rule_count(p); i++) {
		sg_policy_rule(p, i, &r);
		(void)snprintf(row, sizeof(row), "| %.*s | %.*s | %s | %s |",
			       SG_STR_ARG(r.id), SG_STR_ARG(r.title),
			       sg_severity_name(r.severity), r.action);
		ck_assert_msg(
			has_text(&text, r.file != NULL ? sg_str_c(row) : r.id),
			"%s", row);
	}
	for (i = 0; i < sg_capability_count(); i++) {
		(void)snprintf(row, sizeof(row), "| `%s` | %s |",
			       sg_capability_name(i), sg_capability_text(i));
		ck_assert_msg(has_text(&text, sg_str_c(row)), "%s", row);
	}
	sg_policy_free(p);
	sg_buf_release(&text);
}
END_TEST

/* --- checks of other tools -------------------------------------------------- */

/* Those of bandit, by their first and last numbers. */
static const struct {
	uint32_t from, to;
} bandit[] = { { 101, 113 }, { 201, 202 }, { 301, 325 }, { 401, 415 },
	       { 501, 509 }, { 601, 615 }, { 701, 704 } };

START_TEST(checks_of_other_tools_are_all_listed)
{
	struct sg_err err;
	struct sg_buf text;
	char row[16];
	uint32_t i, n;

	sg_buf_init(&text, 1 << 20);
	ck_good(sg_file_read("docs/policy.md", &text, &err), &err);
	for (i = 0; i < sizeof(bandit) / sizeof(bandit[0]); i++)
		for (n = bandit[i].from; n <= bandit[i].to; n++) {
			(void)snprintf(row, sizeof(row), "\n| B%u ", n);
			ck_assert_msg(n == 114 ||
					      has_text(&text, sg_str_c(row)),
				      "B%u is not listed", n);
		}
	sg_buf_release(&text);
}
END_TEST

/* What a row of the table says must cover a check is a rule of default. */
START_TEST(checks_of_other_tools_name_rules_that_are)
{
	struct sg_policy *p = NULL;
	struct sg_str rest, id;
	struct sg_rule_info r;
	struct sg_buf text;
	struct sg_err err;
	const char *at;
	uint32_t i, n = 0;

	sg_buf_init(&text, 1 << 20);
	ck_good(sg_file_read("docs/policy.md", &text, &err), &err);
	ck_good(sg_policy_open("default", &p, &err), &err);
	at = strstr(text.data, "## Checks of bandit and ruff");
	ck_assert_ptr_nonnull(at);
	while ((at = strstr(at + 1, "SG")) != NULL) {
		rest = sg_str_c(at);
		id = sg_str_slice(rest, 0, 5);
		for (i = 0; i < sg_policy_rule_count(p); i++) {
			sg_policy_rule(p, i, &r);
			if (sg_str_eq(r.id, id))
				break;
		}
		ck_assert_msg(i < sg_policy_rule_count(p), "%.5s", at);
		n++;
	}
	ck_assert_uint_gt(n, 40);
	sg_policy_free(p);
	sg_buf_release(&text);
}
END_TEST

/* --- docs/policy.md -------------------------------------------------------- */

/* The next ```yaml block of *rest, or false. */
static bool
next_block(struct sg_str *rest, struct sg_str *block)
{
	static const char open[] = "\n```yaml\n", close[] = "\n```\n";
	const char *from, *to;

	from = memmem(rest->p, rest->n, open, sizeof(open) - 1);
	if (from == NULL)
		return false;
	from += sizeof(open) - 1;
	to = memmem(from, (size_t)(rest->p + rest->n - from), close,
		    sizeof(close) - 1);
	ck_assert_ptr_nonnull(to);
	*block = (struct sg_str){ from, (size_t)(to - from) + 1 };
	*rest = (struct sg_str){ to, (size_t)(rest->p + rest->n - to) };
	return true;
}

START_TEST(examples_of_the_documentation_hold)
{
	struct sg_policy *p = NULL;
	struct sg_str rest, block;
	struct sg_err err;
	struct sg_buf text;
	uint32_t n = 0;

	sg_buf_init(&text, 1 << 20);
	ck_good(sg_file_read("docs/policy.md", &text, &err), &err);
	rest = sg_buf_view(&text);
	for (; next_block(&rest, &block); n++) {
		ck_good(sg_policy_read(block, "docs/policy.md", &p, &err),
			&err);
		inline_tests_hold(p);
		sg_policy_free(p);
	}
	ck_assert_uint_ge(n, 9);
	sg_buf_release(&text);
}
END_TEST

SG_TEST_MAIN("shipped", checks_of_other_tools_are_all_listed,
	     checks_of_other_tools_name_rules_that_are,
	     shipped_regexes_are_known, shipped_policies_load_without_a_warning,
	     each_shipped_rule_is_complete, each_shipped_pattern_is_exercised,
	     inline_tests_of_default_hold, inline_tests_of_strict_hold,
	     embedded_policies_are_the_files,
	     examples_of_the_documentation_hold,
	     the_documentation_lists_rules_and_capabilities)
