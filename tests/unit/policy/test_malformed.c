/*
 * Wrong policies: each gives exactly one error, with this code and place.
 * (Exactly one is how errors are made: the first ends the loading.)
 */

#include "policy/policy.h"
#include "unit/support.h"

#define TOP "schema: 1\npolicy: p\n"               /* two lines */
#define RULE TOP "rules:\n  - id: R1\n    match: " /* value in 5:12 */
#define CALL TOP "rules:\n  - id: R1\n    match:\n      call: f\n" /* six */

static const struct {
	const char *text;
	const char *code;
	uint32_t line, column;
} wrong[] = {
	/* documents */
	{ "", "policy.empty", 1, 1 },
	{ "# only a comment\n", "policy.empty", 1, 1 },
	{ "~\n", "policy.empty", 1, 1 },
	{ "---\n...\n", "policy.empty", 1, 1 },
	{ "null", "policy.empty", 1, 1 },
	{ "\xff\xfe", "policy.encoding", 1, 1 },
	{ "schema: 1\npolicy: a\xc3\n", "policy.encoding", 2, 10 },
	{ "\x7f"
	  "ELF\x02\x01",
	  "policy.encoding", 1, 1 },
	{ "schema: 1\x01\n", "policy.encoding", 1, 10 },
	{ "schema: 1\n\tpolicy: p\n", "policy.yaml", 2, 1 },
	{ "schema: [1\n", "policy.yaml", 2, 1 },
	{ "schema: {1\n", "policy.yaml", 2, 1 },
	{ "schema: 'a\n", "policy.yaml", 2, 1 },
	{ "schema: 1\n policy: p\n", "policy.yaml", 2, 8 },
	{ "schema: @x\n", "policy.yaml", 1, 9 },
	{ "schema: 1\n- a\n", "policy.yaml", 2, 1 },
	{ "a\nb: c\n", "policy.yaml", 2, 2 },
	{ "just a text\n", "policy.type", 1, 1 },
	{ "- a\n- b\n", "policy.type", 1, 1 },
	{ TOP "---\nschema: 1\n", "policy.documents", 3, 1 },
	{ "schema: 1\npolicy: &a p\n", "policy.alias", 2, 9 },
	{ "schema: 1\npolicy: *a\n", "policy.alias", 2, 9 },
	{ TOP "lists: {a: &x [b], c: *x}\n", "policy.alias", 3, 12 },
	{ "a: &a [x,x]\nb: &b [*a,*a]\n", "policy.alias", 1, 4 },
	{ "<<: {a: b}\n", "policy.unknown-key", 1, 1 },
	{ "schema: !!int 1\n", "policy.tag", 1, 9 },
	{ "schema: !x 1\n", "policy.tag", 1, 9 },
	{ "schema: 1\nrules: !!seq []\n", "policy.tag", 2, 8 },
	{ "schema: 1\nlimits: !m {}\n", "policy.tag", 2, 9 },
	{ "%TAG !e! tag:e,1:\n---\nschema: 1\n", "policy.tag", 1, 1 },
	{ "%YAML 3.0\n---\nschema: 1\n", "policy.yaml", 1, 1 },
	{ "? [a]\n: b\n", "policy.type", 1, 3 },
	{ "? {a: b}\n: c\n", "policy.type", 1, 3 },
	/* keys */
	{ "schema: 1\nschema: 1\n", "policy.duplicate-key", 2, 1 },
	{ "schema: 1\n\"schema\": 1\n", "policy.duplicate-key", 2, 1 },
	{ TOP "limits: {bytes: 1, bytes: 2}\n", "policy.duplicate-key", 3, 20 },
	{ RULE "{call: f}\n    match: {call: g}\n", "policy.duplicate-key", 6,
	  5 },
	{ TOP "rulez: []\n", "policy.unknown-key", 3, 1 },
	{ TOP "Rules: []\n", "policy.unknown-key", 3, 1 },
	{ TOP "exception: []\n", "policy.unknown-key", 3, 1 },
	{ "policy: p\n", "policy.missing-key", 1, 1 },
	/* schema, name, mode */
	{ "schema: 2\n", "policy.schema", 1, 9 },
	{ "schema: one\n", "policy.schema", 1, 9 },
	{ "schema: [1]\n", "policy.schema", 1, 9 },
	{ "schema:\npolicy: p\n", "policy.schema", 1, 8 },
	{ "schema: 1\npolicy: [a]\n", "policy.type", 2, 9 },
	{ "schema: 1\npolicy:\n", "policy.type", 2, 8 },
	{ "schema: 1\npolicy: 'two words'\n", "policy.value", 2, 9 },
	{ "schema: 1\npolicy: ''\n", "policy.value", 2, 9 },
	{ TOP "description: {a: b}\n", "policy.type", 3, 14 },
	{ TOP "mode: enforced\n", "policy.value", 3, 7 },
	{ TOP "mode: [enforce]\n", "policy.type", 3, 7 },
	{ TOP "mode: true\n", "policy.value", 3, 7 },
	/* limits */
	{ TOP "limits: []\n", "policy.type", 3, 9 },
	{ TOP "limits: 5\n", "policy.type", 3, 9 },
	{ TOP "limits: {byte: 5}\n", "policy.unknown-key", 3, 10 },
	{ TOP "limits: {bytes: many}\n", "policy.type", 3, 17 },
	{ TOP "limits: {bytes: -1}\n", "policy.type", 3, 17 },
	{ TOP "limits: {bytes: 1.5}\n", "policy.type", 3, 17 },
	{ TOP "limits: {bytes: 1GiB}\n", "policy.type", 3, 17 },
	{ TOP "limits: {bytes: 100MiB}\n", "policy.range", 3, 17 },
	{ TOP "limits: {bytes: 99999999999999999999}\n", "policy.type", 3, 17 },
	{ TOP "limits: {depth: 0}\n", "policy.range", 3, 17 },
	{ TOP "limits: {nodes: 0}\n", "policy.range", 3, 17 },
	{ TOP "limits: {time_ms: 999999}\n", "policy.range", 3, 19 },
	{ TOP "limits: {time_ms: [1]}\n", "policy.type", 3, 19 },
	{ TOP "limits: {depth: }\n", "policy.type", 3, 17 },
	/* imports */
	{ TOP "imports: allow\n", "policy.type", 3, 10 },
	{ TOP "imports: {default: deny}\n", "policy.value", 3, 20 },
	{ TOP "imports: {defaults: allow}\n", "policy.unknown-key", 3, 11 },
	{ TOP "imports: {allow: {os: {name: public}}}\n", "policy.unknown-key",
	  3, 24 },
	{ TOP "imports: {allow: {os: private}}\n", "policy.value", 3, 23 },
	{ TOP "imports: {allow: {os: {deny: []}}}\n", "policy.value", 3, 30 },
	{ TOP "imports: {allow: {'o s': }}\n", "policy.value", 3, 19 },
	{ TOP "imports: {allow: {os: }, deny: {os: }}\n", "policy.conflict", 3,
	  33 },
	{ TOP "imports: {deny: {os: [a]}}\n", "policy.type", 3, 22 },
	{ TOP "imports: {allow: []}\n", "policy.value", 3, 18 },
	{ TOP "imports: {allow: {os: {names: [a], allow: [b]}}}\n",
	  "policy.conflict", 3, 36 },
	{ TOP "imports: {deny: [a, a]}\n", "policy.conflict", 3, 17 },
	/* capabilities, paths, unresolved, lists */
	{ TOP "capabilities: {reject: exec.procces}\n",
	  "policy.unknown-capability", 3, 24 },
	{ TOP "capabilities: {reject: [net.*, xyz.*]}\n",
	  "policy.unknown-capability", 3, 32 },
	{ TOP "capabilities: {deny: net.*}\n", "policy.unknown-key", 3, 16 },
	{ TOP "capabilities: [net.*]\n", "policy.type", 3, 15 },
	{ TOP "capabilities: {reject: {a: b}}\n", "policy.type", 3, 24 },
	{ TOP "paths: {workspace: relative/x}\n", "policy.path", 3, 20 },
	{ TOP "paths: {workspace: []}\n", "policy.value", 3, 20 },
	{ TOP "paths: {}\n", "policy.missing-key", 3, 8 },
	{ TOP "paths: {work: /tmp}\n", "policy.unknown-key", 3, 9 },
	{ TOP "unresolved: {imports: reject}\n", "policy.unknown-key", 3, 14 },
	{ TOP "unresolved: {import: maybe}\n", "policy.value", 3, 22 },
	{ TOP "unresolved: reject\n", "policy.type", 3, 13 },
	{ TOP "lists: [a]\n", "policy.type", 3, 8 },
	{ TOP "lists: {a: []}\n", "policy.value", 3, 12 },
	{ TOP "lists: {a: {b: c}}\n", "policy.type", 3, 12 },
	{ TOP "lists: {a: [[b]]}\n", "policy.type", 3, 13 },
	{ TOP "lists: {a: $b}\n", "policy.unknown-list", 3, 12 },
	{ TOP "lists: {a: $a}\n", "policy.unknown-list", 3, 12 },
	/* extends */
	{ TOP "extends: [defualt]\n", "policy.unknown-policy", 3, 11 },
	{ TOP "extends: [./nothing-here.yaml]\n", "policy.extends", 3, 11 },
	{ TOP "extends: {policy: default}\n", "policy.type", 3, 10 },
	{ TOP "extends: [{policy: default, sha256: abc}]\n", "policy.digest", 3,
	  37 },
	{ TOP "extends: [{sha256: abc}]\n", "policy.missing-key", 3, 11 },
	{ TOP "extends: [default, default]\n", "policy.conflict", 3, 20 },
	{ TOP "extends: ['']\n", "policy.value", 3, 11 },
	/* rules */
	{ TOP "rules: {a: b}\n", "policy.type", 3, 8 },
	{ TOP "rules: [a]\n", "policy.type", 3, 9 },
	{ TOP "rules:\n  - match: {call: f}\n", "policy.missing-key", 4, 5 },
	{ TOP "rules:\n  - id: R1\n", "policy.missing-key", 4, 5 },
	{ TOP "rules:\n  - id: 'R 1'\n    match: {call: f}\n", "policy.value",
	  4, 9 },
	{ TOP "rules:\n  - id: ''\n    match: {call: f}\n", "policy.value", 4,
	  9 },
	{ TOP "rules:\n  - id: [a]\n    match: {call: f}\n", "policy.type", 4,
	  9 },
	{ CALL "  - id: R1\n    match: {call: g}\n", "policy.duplicate-rule", 7,
	  9 },
	{ TOP "rules:\n  - id: import.denied\n    match: {call: f}\n",
	  "policy.duplicate-rule", 4, 9 },
	{ CALL "    severity: severe\n", "policy.value", 7, 15 },
	{ CALL "    severity: 5\n", "policy.value", 7, 15 },
	{ CALL "    action: block\n", "policy.value", 7, 13 },
	{ CALL "    action: Reject\n", "policy.value", 7, 13 },
	{ CALL "    actions: reject\n", "policy.unknown-key", 7, 5 },
	{ CALL "    message: '{nam} is wrong'\n", "policy.template", 7, 14 },
	{ CALL "    hint: 'use {other}'\n", "policy.template", 7, 11 },
	{ CALL "    message: \"two\\nlines\"\n", "policy.value", 7, 14 },
	{ CALL "    message: [a]\n", "policy.type", 7, 14 },
	{ CALL "    title: {a: b}\n", "policy.type", 7, 12 },
	{ CALL "    cwe: [95]\n", "policy.value", 7, 10 },
	{ CALL "    cwe: CWE-x\n", "policy.value", 7, 10 },
	{ CALL "    tags: []\n", "policy.value", 7, 11 },
	{ CALL "    references: {a: b}\n", "policy.type", 7, 17 },
	{ CALL "    tests: [a]\n", "policy.type", 7, 12 },
	{ CALL "    tests: {hits: [a]}\n", "policy.unknown-key", 7, 13 },
	{ CALL "    tests: {hit: a}\n", "policy.type", 7, 18 },
	{ CALL "    tests: {pass: [[a]]}\n", "policy.type", 7, 20 },
	/* patterns */
	{ RULE "f\n", "policy.type", 5, 12 },
	{ RULE "[{call: f}]\n", "policy.type", 5, 12 },
	{ RULE "{}\n", "policy.match", 5, 12 },
	{ RULE "{calls: f}\n", "policy.unknown-key", 5, 13 },
	{ RULE "{call: ''}\n", "policy.value", 5, 19 },
	{ RULE "{call: []}\n", "policy.value", 5, 19 },
	{ RULE "{call: {}}\n", "policy.match", 5, 19 },
	{ RULE "{call: {nam: f}}\n", "policy.unknown-key", 5, 20 },
	{ RULE "{call: {name: f, regex: g}}\n", "policy.match", 5, 19 },
	{ RULE "{call: {name: f, implicit: yes}}\n", "policy.type", 5, 39 },
	{ RULE "{call: $nothing}\n", "policy.unknown-list", 5, 19 },
	{ RULE "{node: Globl}\n", "policy.unknown-node", 5, 19 },
	{ RULE "{node: expression_statement}\n", "policy.unknown-node", 5, 19 },
	{ RULE "{node: [Call, call_expr]}\n", "policy.unknown-node", 5, 26 },
	{ RULE "{node: {name: f}}\n", "policy.missing-key", 5, 19 },
	{ RULE "{dynamic: imports}\n", "policy.value", 5, 22 },
	{ RULE "{dynamic: {base: os}}\n", "policy.missing-key", 5, 22 },
	{ RULE "{dynamic: []}\n", "policy.value", 5, 22 },
	{ RULE "{capability: net.clint}\n", "policy.unknown-capability", 5,
	  25 },
	{ RULE "{regex: '('}\n", "policy.regex", 5, 20 },
	{ RULE "{regex: '[z-a]'}\n", "policy.regex", 5, 20 },
	{ RULE "{regex: 'a**+*'}\n", "policy.regex", 5, 20 },
	{ RULE "{regex: '\\C'}\n", "policy.regex", 5, 20 },
	{ RULE "{regex: '(?<n>a)(?<n>b)'}\n", "policy.regex", 5, 20 },
	{ RULE "{regex: ''}\n", "policy.regex", 5, 20 },
	{ RULE "{regex: [a]}\n", "policy.type", 5, 20 },
	{ RULE "{regex: a, in: string}\n", "policy.value", 5, 27 },
	{ RULE "{regex: a, in: []}\n", "policy.value", 5, 27 },
	{ RULE "{call: f, in: code}\n", "policy.match", 5, 22 },
	{ RULE "{all: {call: f}}\n", "policy.type", 5, 18 },
	{ RULE "{any: []}\n", "policy.match", 5, 18 },
	{ RULE "{all: [f]}\n", "policy.type", 5, 19 },
	{ RULE "{not: {call: f}}\n", "policy.match", 5, 13 },
	{ RULE "{inside: {node: Call}}\n", "policy.match", 5, 13 },
	{ RULE "{arg: {0: {literal: true}}}\n", "policy.match", 5, 13 },
	{ RULE "{any: [{call: f}, {not: {call: g}}]}\n", "policy.match", 5,
	  13 },
	{ RULE "{call: f, arg: [a]}\n", "policy.type", 5, 27 },
	{ RULE "{call: f, arg: {}}\n", "policy.type", 5, 27 },
	{ RULE "{call: f, arg: {0: {}}}\n", "policy.match", 5, 31 },
	{ RULE "{call: f, arg: {0: a}}\n", "policy.type", 5, 31 },
	{ RULE "{call: f, arg: {999: {literal: true}}}\n", "policy.range", 5,
	  28 },
	{ RULE "{call: f, arg: {0x: {literal: true}}}\n", "policy.match", 5,
	  28 },
	{ RULE "{call: f, arg: {0: {literal: 1}}}\n", "policy.type", 5, 41 },
	{ RULE "{call: f, arg: {0: {outside: home}}}\n", "policy.value", 5,
	  41 },
	{ RULE "{call: f, arg: {0: {strings: a}}}\n", "policy.unknown-key", 5,
	  32 },
	{ RULE "{call: f, arg: {0: {string: {glob: a}}}}\n", "policy.match", 5,
	  40 },
	{ RULE "{call: f, arg: {0: {string: {regex: '('}}}}\n", "policy.regex",
	  5, 48 },
	{ RULE "{call: f, arg: {0: {not: {literal: true}, present: true}}}\n",
	  "policy.unknown-key", 5, 54 },
	/* overrides and exceptions */
	{ TOP "overrides: {}\n", "policy.type", 3, 12 },
	{ TOP "overrides: [{rule: SG9, set: {action: off}}]\n",
	  "policy.unknown-rule", 3, 20 },
	{ TOP "overrides: [{rule: import.denid, set: {action: off}}]\n",
	  "policy.unknown-rule", 3, 20 },
	{ CALL "overrides: [{rule: R1}]\n", "policy.missing-key", 7, 13 },
	{ CALL "overrides: [{rule: R1, set: {}}]\n", "policy.value", 7, 29 },
	{ CALL "overrides: [{rule: R1, set: {id: R2}}]\n", "policy.unknown-key",
	  7, 30 },
	{ CALL "overrides:\n  - {rule: R1, set: {action: off}}\n"
	       "  - {rule: R1, set: {action: reject}}\n",
	  "policy.conflict", 9, 22 },
	{ CALL "exceptions: [{rule: R1, when: {path: a}}]\n",
	  "policy.missing-key", 7, 14 },
	{ CALL "exceptions: [{rule: R1, reason: a}]\n", "policy.missing-key", 7,
	  14 },
	{ CALL "exceptions: [{rule: R1, when: {}, reason: a}]\n",
	  "policy.value", 7, 31 },
	{ CALL "exceptions: [{rule: R1, when: {file: a}, reason: a}]\n",
	  "policy.unknown-key", 7, 32 },
	{ CALL "exceptions: [{rule: R2, when: {path: a}, reason: a}]\n",
	  "policy.unknown-rule", 7, 21 },
	{ CALL "exceptions: [{rule: R1, when: {digest: a}, reason: a}]\n",
	  "policy.digest", 7, 40 },
	{ CALL "exceptions: [{rule: R1, when: {path: a}, reason: a, "
	       "until: 2027-13-01}]\n",
	  "policy.date", 7, 60 },
	{ CALL "exceptions: [{rule: R1, when: {path: a}, reason: a, "
	       "until: tomorrow}]\n",
	  "policy.date", 7, 60 },
};

enum { WRONG = sizeof(wrong) / sizeof(wrong[0]) };

START_TEST(each_wrong_policy_has_one_clear_error)
{
	struct sg_policy *p = NULL;
	struct sg_err err;
	uint32_t i;

	ck_assert_uint_ge(WRONG, 120);
	for (i = 0; i < WRONG; i++) {
		int rc = sg_policy_read(sg_str_c(wrong[i].text), "p.yaml", &p,
					&err);

		ck_assert_msg(rc < 0, "%u is taken: %s", i, wrong[i].text);
		ck_assert_msg(rc == (int)err.status, "%u", i);
		ck_assert_msg(strcmp(err.code, wrong[i].code) == 0 &&
				      err.line == wrong[i].line &&
				      err.column == wrong[i].column,
			      "%u: %s\n%u:%u %s: %s; wanted %u:%u %s", i,
			      wrong[i].text, err.line, err.column, err.code,
			      err.msg, wrong[i].line, wrong[i].column,
			      wrong[i].code);
		ck_assert_str_eq(err.file, "p.yaml");
		ck_assert_uint_gt(strlen(err.msg), 5);
		ck_assert_ptr_null(strchr(err.msg, '\n'));
		ck_assert_ptr_null(p);
	}
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
