/*
 * Wrong policies: each gives exactly one error, with this code and place.
 * (Exactly one is how errors are made: the first ends the loading.)
 */

#include <stdio.h>

#include "policy/policy.h"
#include "unit/policy/wrong.h"
#include "unit/support.h"

/* True when the policy is refused just as the row says. */
static bool
is_refused(uint32_t i)
{
	struct sg_policy *p = NULL;
	struct sg_err err;
	int rc = sg_policy_read(sg_str_c(wrong[i].text), "p.yaml", &p, &err);

	if (rc == SG_OK) {
		fprintf(stderr, "%u is taken:\n%s\n", i, wrong[i].text);
		sg_policy_free(p);
		return false;
	}
	if (rc == (int)err.status && p == NULL && strlen(err.msg) > 5 &&
	    strchr(err.msg, '\n') == NULL &&
	    strcmp(err.code, wrong[i].code) == 0 && err.line == wrong[i].line &&
	    err.column == wrong[i].column && strcmp(err.file, "p.yaml") == 0)
		return true;
	fprintf(stderr, "%u:\n%s\n%u:%u %s: %s; wanted %u:%u %s\n", i,
		wrong[i].text, err.line, err.column, err.code, err.msg,
		wrong[i].line, wrong[i].column, wrong[i].code);
	return false;
}

START_TEST(each_wrong_policy_has_one_clear_error)
{
	uint32_t i, bad = 0;

	ck_assert_uint_ge(WRONG, 120);
	for (i = 0; i < WRONG; i++)
		bad += !is_refused(i);
	ck_assert_uint_eq(bad, 0);
}
END_TEST

/* --- suggestions -------------------------------------------------------- */

static const struct {
	const char *text, *suggestion;
} suggested[] = {
	{ TOP "rulez: []\n", "did you mean 'rules'?" },
	{ TOP "exception: []\n", "did you mean 'exceptions'?" },
	{ RULE "{calls: f}\n", "did you mean 'call'?" },
	{ RULE "{node: Globl}\n", "did you mean 'Global'?" },
	{ CALL "    severity: hihg\n", "did you mean 'high'?" },
	{ TOP "capabilities: {reject: exec.procces}\n",
	  "did you mean 'exec.process'?" },
	{ TOP "capabilities: {reject: net}\n", "did you mean 'net.*'?" },
	{ RULE "{source: bidy}\n", "did you mean 'bidi'?" },
	{ RULE "{call: *.f}\n", "begins with '*' needs quotes" },
	{ "schema: 1\n\tmode: enforce\n", "a tab" },
	{ CALL "    name: f\n", "there are: id, title, severity" },
	{ TOP "extends: [defualt]\n", "did you mean 'default'?" },
	{ TOP "lists: {frames: [a], b: $frame}\n", "did you mean 'frames'?" },
	{ CALL "overrides: [{rule: R2, set: {action: off}}]\n",
	  "did you mean 'R1'?" },
	{ TOP "mode: enforced\n", "did you mean 'enforce'?" },
};

START_TEST(errors_suggest_the_nearest_word)
{
	struct sg_policy *p = NULL;
	struct sg_err err;
	uint32_t i;

	for (i = 0; i < sizeof(suggested) / sizeof(suggested[0]); i++) {
		ck_assert_int_lt(sg_policy_read(sg_str_c(suggested[i].text),
						"p.yaml", &p, &err),
				 0);
		ck_assert_msg(strstr(err.msg, suggested[i].suggestion) != NULL,
			      "%u: %s", i, err.msg);
	}
}
END_TEST

/* --- limits: at them and beyond ------------------------------------------ */

static int
read_text(struct sg_buf *b, struct sg_err *err)
{
	struct sg_policy *p = NULL;
	int rc = sg_policy_read(sg_buf_view(b), "p.yaml", &p, err);

	sg_policy_free(p);
	return rc;
}

static void
nested(struct sg_buf *b, uint32_t depth)
{
	uint32_t i;

	sg_buf_reset(b);
	sg_buf_c(b, "schema: 1\nlists:\n  a: ");
	for (i = 0; i < depth; i++)
		sg_buf_char(b, '[');
	sg_buf_char(b, 'x');
	for (i = 0; i < depth; i++)
		sg_buf_char(b, ']');
	sg_buf_char(b, '\n');
}

START_TEST(depth_is_limited)
{
	struct sg_err err;
	struct sg_buf b;

	sg_buf_init(&b, 1 << 24);
	/* two mappings are open already: 30 lists make 32 levels */
	nested(&b, 30);
	ck_assert_int_lt(read_text(&b, &err), 0);
	ck_assert_str_eq(err.code, "policy.type");
	nested(&b, 31);
	ck_assert_int_lt(read_text(&b, &err), 0);
	ck_assert_str_eq(err.code, "policy.depth");
	nested(&b, 200000);
	ck_assert_int_lt(read_text(&b, &err), 0);
	ck_assert_str_eq(err.code, "policy.depth");
	sg_buf_release(&b);
}
END_TEST

static void
padded(struct sg_buf *b, size_t size)
{
	sg_buf_reset(b);
	sg_buf_c(b, "schema: 1\n#");
	while (b->len + 1 < size)
		sg_buf_char(b, '-');
	sg_buf_char(b, '\n');
}

START_TEST(size_is_limited)
{
	struct sg_err err;
	struct sg_buf b;

	sg_buf_init(&b, 1 << 24);
	padded(&b, 1 << 20);
	ck_good(read_text(&b, &err), &err);
	padded(&b, (1 << 20) + 1);
	ck_assert_int_eq(read_text(&b, &err), SG_ELIMIT);
	ck_assert_str_eq(err.code, "policy.size");
	sg_buf_release(&b);
}
END_TEST

static void
many_items(struct sg_buf *b, uint32_t lists, uint32_t n)
{
	uint32_t i, k;

	sg_buf_reset(b);
	sg_buf_c(b, "schema: 1\nlists:\n");
	for (k = 0; k < lists; k++) {
		sg_buf_printf(b, "  l%u: [", k);
		for (i = 0; i < n; i++)
			sg_buf_c(b, "a,");
		sg_buf_c(b, "]\n");
	}
}

START_TEST(nodes_and_members_are_limited)
{
	struct sg_err err;
	struct sg_buf b;

	sg_buf_init(&b, 1 << 24);
	many_items(&b, 1, 4096);
	ck_good(read_text(&b, &err), &err);
	many_items(&b, 1, 4097);
	ck_assert_int_eq(read_text(&b, &err), SG_ELIMIT);
	ck_assert_str_eq(err.code, "policy.size");
	many_items(&b, 24, 4096);
	ck_good(read_text(&b, &err), &err);
	many_items(&b, 25, 4096);
	ck_assert_int_eq(read_text(&b, &err), SG_ELIMIT);
	ck_assert_str_eq(err.code, "policy.size");
	sg_buf_release(&b);
}
END_TEST

/* Lists that name lists that name lists: 8 levels of 8 would be 16 million
 * items. */
START_TEST(references_cannot_blow_up)
{
	struct sg_err err;
	struct sg_buf b;
	uint32_t i;

	sg_buf_init(&b, 1 << 20);
	sg_buf_c(&b, "schema: 1\nlists:\n  l0: [a, a, a, a, a, a, a, a]\n");
	for (i = 1; i < 8; i++)
		sg_buf_printf(&b,
			      "  l%u: [$l%u, $l%u, $l%u, $l%u, $l%u, $l%u,"
			      " $l%u, $l%u]\n",
			      i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1,
			      i - 1, i - 1);
	ck_assert_int_lt(read_text(&b, &err), 0);
	ck_assert_str_eq(err.code, "policy.size");
	sg_buf_release(&b);
}
END_TEST

/* --- allocation ------------------------------------------------------------ */

START_TEST(refused_memory_is_an_error)
{
	struct sg_policy *p = NULL;
	struct sg_err err;
	int rc;

	SG_TEST_EACH_ALLOCATION() {
		rc = sg_policy_read(
			SG_STR(CALL "    tests: {hit: ['f()'], pass: ['g()']}\n"
				    "lists: {a: [b]}\n"
				    "imports: {deny: [ctypes]}\n"
				    "capabilities: {reject: net.*}\n"),
			"p.yaml", &p, &err);
		ck_assert(rc == SG_OK || rc == SG_ENOMEM);
		if (rc == SG_OK)
			sg_policy_free(p);
	}
}
END_TEST

SG_TEST_MAIN("malformed", each_wrong_policy_has_one_clear_error,
	     errors_suggest_the_nearest_word, depth_is_limited, size_is_limited,
	     nodes_and_members_are_limited, references_cannot_blow_up,
	     refused_memory_is_an_error)
