/* From findings to a verdict. */

#include <stdio.h>

#include "unit/policy/judge.h"

#define P(body) policy_of("schema: 1\npolicy: p\n" body)

static void
setup(void)
{
	if (judge_arena.cap == 0)
		sg_arena_init(&judge_arena, 256u << 20);
}

START_TEST(the_worst_action_decides)
{
	struct sg_policy *p;
	struct sg_verdict v;

	setup();
	p = P("rules:\n"
	      "  - {id: A, match: {call: builtins.print}, action: annotate}\n"
	      "  - {id: B, match: {call: builtins.len}}\n"
	      "  - {id: C, match: {call: builtins.abs}, action: off}\n");
	v = judged(p, "abs(1)");
	ck_assert_str_eq(summary(&v), "pass");
	v = judged(p, "print(1)");
	ck_assert_str_eq(summary(&v), "annotate A@1");
	v = judged(p, "len('')\nprint(1)");
	ck_assert_str_eq(summary(&v), "reject B@1 A@2");
	sg_policy_free(p);
}
END_TEST

START_TEST(what_cannot_be_judged_is_rejected_in_every_mode)
{
	struct sg_policy *p;
	struct sg_verdict v;

	setup();
	p = P("mode: annotate\nrules:\n  - {id: A, match: {call: f}}\n");
	v = judged(p, "x = (");
	ck_assert_int_eq(v.decision, SG_REJECT);
	ck_assert_uint_ge(v.nfindings, 1);
	ck_str_is(v.findings[0].rule, "syntax.error");
	ck_assert(v.findings[0].hint.n > 0);
	sg_policy_free(p);
}
END_TEST

START_TEST(rules_that_could_not_be_asked_in_time_reject)
{
	struct sg_policy *p;
	struct sg_verdict v;
	struct sg_buf b;

	setup();
	sg_buf_init(&b, 1 << 20);
	for (int i = 0; i < 50000; i++)
		sg_buf_c(&b, "print(1)\n");
	p = P("mode: annotate\nlimits: {time_ms: 1}\n"
	      "rules:\n  - {id: A, match: {call: f}}\n");
	v = judged_at(p, sg_buf_view(&b), NULL);
	ck_assert_str_eq(summary(&v), "reject limit.time@1");
	ck_assert(v.findings[0].hint.n > 0);
	/* Nothing of it is left for the next script. */
	v = judged(p, "print(1)");
	ck_assert_str_eq(summary(&v), "pass");
	sg_policy_free(p);
	sg_buf_release(&b);
}
END_TEST

START_TEST(annotate_mode_rejects_nothing_else)
{
	struct sg_policy *p;
	struct sg_verdict v;

	setup();
	p = P("mode: annotate\nimports: {deny: [os]}\n"
	      "capabilities: {reject: exec.process}\n"
	      "unresolved: {import: reject}\n"
	      "rules:\n  - {id: A, match: {call: os.system}}\n");
	v = judged(p, "import os\nos.system('x')\n__import__(input())");
	ck_assert_int_eq(v.decision, SG_ANNOTATE);
	ck_assert_uint_ge(v.nfindings, 4);
	sg_policy_free(p);
}
END_TEST

START_TEST(a_finding_says_all)
{
	struct sg_policy *p;
	struct sg_verdict v;
	const struct sg_finding *f;

	setup();
	p = P("rules:\n  - id: A\n    title: shell\n    severity: critical\n"
	      "    match: {call: os.system}\n"
	      "    message: \"'{name}' of {module}\"\n    hint: use pathlib\n"
	      "    cwe: [CWE-78]\n");
	v = judged(p, "# \xc3\xa4\nimport os as o\nx = 1; o.system('ls')\n");
	ck_assert_str_eq(summary(&v), "reject A@3");
	f = &v.findings[0];
	ck_str_is(f->title, "shell");
	ck_assert_int_eq(f->severity, SG_SEVERITY_CRITICAL);
	ck_assert_int_eq(f->action, SG_REJECT);
	ck_str_is(f->message, "'os.system' of os");
	ck_str_is(f->hint, "use pathlib");
	ck_str_is(f->name, "os.system");
	ck_str_is(f->fact, "call");
	ck_assert_uint_eq(f->begin.column, 8);
	ck_assert(sg_str_starts(f->snippet, SG_STR("o.system")));
	ck_assert_uint_eq(f->ncwe, 1);
	ck_str_is(f->cwe[0], "CWE-78");
	ck_str_is(v.policy, "p");
	sg_policy_free(p);
}
END_TEST

START_TEST(findings_at_one_place_are_one)
{
	struct sg_policy *p;
	struct sg_verdict v;

	setup();
	p = P("rules:\n  - {id: A, match: {any: [{ref: 'os*'}, {call: "
	      "'os*'}]}}\n");
	v = judged(p, "import os\nos.system('ls')\n");
	ck_assert_str_eq(summary(&v), "reject A@1 A@2");
	ck_str_is(v.findings[1].name, "os.system");
	sg_policy_free(p);
}
END_TEST

START_TEST(findings_are_in_order_of_place)
{
	struct sg_policy *p;
	struct sg_verdict v;

	setup();
	p = P("rules:\n"
	      "  - {id: Z, match: {call: builtins.print}}\n"
	      "  - {id: A, match: {regex: 'print', in: code}, action: "
	      "annotate}\n"
	      "  - {id: N, match: {node: While}}\n");
	v = judged(p, "while 0:\n    print(1)\nprint(2)\n");
	ck_assert_str_eq(summary(&v), "reject N@1 Z@2 A@2 Z@3 A@3");
	sg_policy_free(p);
}
END_TEST

static struct sg_verdict
many(const struct sg_policy *p, uint32_t n, const char *last)
{
	struct sg_verdict v;
	struct sg_buf b;
	uint32_t i;

	sg_buf_init(&b, 1 << 22);
	for (i = 0; i < n; i++)
		sg_buf_c(&b, "print(1)\n");
	sg_buf_c(&b, last);
	v = judged_at(p, sg_buf_view(&b), NULL);
	sg_buf_release(&b);
	return v;
}

START_TEST(findings_have_a_cap_and_are_counted)
{
	struct sg_policy *p;
	struct sg_verdict v;

	setup();
	p = P("rules:\n"
	      "  - {id: A, match: {call: builtins.print}, action: annotate}\n"
	      "  - {id: B, match: {call: builtins.len}}\n");
	v = many(p, 1000, "");
	ck_assert_uint_eq(v.nfindings, 1000);
	ck_assert_uint_eq(v.nsuppressed, 0);
	v = many(p, 1001, "");
	ck_assert_uint_eq(v.nfindings, 1000);
	ck_assert_uint_eq(v.nsuppressed, 1);
	ck_assert_int_eq(v.decision, SG_ANNOTATE);
	/* a rejection is never what is left out */
	v = many(p, 3000, "len('')\n");
	ck_assert_uint_eq(v.nfindings, 1000);
	ck_assert_uint_eq(v.nsuppressed, 2001);
	ck_assert_int_eq(v.decision, SG_REJECT);
	ck_str_is(v.findings[999].rule, "B");
	/* and decides even beyond what is kept at all */
	v = many(p, 12000, "len('')\n");
	ck_assert_int_eq(v.decision, SG_REJECT);
	sg_policy_free(p);
}
END_TEST

START_TEST(capabilities_have_lines)
{
	struct sg_policy *p;
	struct sg_verdict v;

	setup();
	p = P("rules: []\n");
	v = judged(p, "import os\nopen('a')\nopen('b'); open('c')\n"
		      "os.system('x')\nopen('d', 'w')\n");
	ck_assert_int_eq(v.decision, SG_PASS);
	ck_assert_uint_eq(v.ncapabilities, 3);
	ck_str_is(v.capabilities[0].name, "exec.process");
	ck_str_is(v.capabilities[1].name, "fs.read");
	ck_assert_uint_eq(v.capabilities[1].nlines, 2);
	ck_assert_uint_eq(v.capabilities[1].lines[0], 2);
	ck_assert_uint_eq(v.capabilities[1].lines[1], 3);
	ck_str_is(v.capabilities[2].name, "fs.write");
	sg_policy_free(p);
}
END_TEST

START_TEST(section_capabilities)
{
	struct sg_policy *p;
	struct sg_verdict v;

	setup();
	p = P("capabilities: {reject: ['exec.*'], annotate: ['fs.*'], allow: "
	      "[fs.read]}\n");
	v = judged(p, "import os\nopen('a')\nos.remove('x')\n");
	ck_assert_str_eq(summary(&v), "annotate capability@3");
	v = judged(p, "import os\nos.system('x')\n");
	ck_assert_str_eq(summary(&v), "reject capability@2");
	ck_assert(memmem(v.findings[0].message.p, v.findings[0].message.n,
			 "exec.process", 12) != NULL);
	sg_policy_free(p);
	/* allow switches off the rules that look for the capability */
	p = P("extends: [default]\ncapabilities: {allow: [net.*]}\n");
	v = judged(p, "import requests\nrequests.get('http://a')\n");
	ck_assert_str_eq(summary(&v), "pass");
	sg_policy_free(p);
}
END_TEST

START_TEST(section_imports)
{
	struct sg_policy *p;
	struct sg_verdict v;

	setup();
	p = P("imports:\n  default: reject\n  allow:\n    math:\n"
	      "    random: public\n    collections: [Counter]\n"
	      "    json: {deny: [loads, 'd*']}\n    os.path:\n");
	v = judged(p, "import math, os.path\nmath.sin(1)\nlen('')");
	ck_assert_str_eq(summary(&v), "pass");
	v = judged(p, "import os");
	ck_assert_str_eq(summary(&v), "reject import.unlisted@1");
	v = judged(p, "from math import sin\nfrom sys import path");
	ck_assert_str_eq(summary(&v), "reject import.unlisted@2");
	v = judged(p, "import random\nrandom._os.getcwd()");
	ck_assert_int_eq(v.decision, SG_REJECT);
	v = judged(p, "import random\nrandom._inst");
	ck_assert_str_eq(summary(&v), "reject import.name@2");
	v = judged(p, "from collections import Counter\nCounter('a')");
	ck_assert_str_eq(summary(&v), "pass");
	v = judged(p, "from collections import deque\ndeque()");
	ck_assert_int_eq(v.decision, SG_REJECT);
	v = judged(p, "import json\njson.dumps(1)");
	ck_assert_str_eq(summary(&v), "reject import.name@2");
	sg_policy_free(p);
	p = P("imports: {deny: {os: 'module {module} is not here'}}\n");
	v = judged(p, "import os, math");
	ck_assert_str_eq(summary(&v), "reject import.denied@1");
	ck_str_is(v.findings[0].message, "module os is not here");
	v = judged(p, "import random\nprint(random._os)");
	ck_assert_str_eq(summary(&v), "reject import.denied@2");
	sg_policy_free(p);
}
END_TEST

START_TEST(section_unresolved)
{
	struct sg_policy *p;
	struct sg_verdict v;

	setup();
	p = P("unresolved: {import: reject, attribute: annotate}\n");
	v = judged(p, "__import__(input())");
	ck_assert_str_eq(summary(&v), "reject unresolved@1");
	v = judged(p, "getattr(input(), input())");
	ck_assert_str_eq(summary(&v), "annotate unresolved@1");
	ck_assert_uint_eq(v.dynamic[SG_DYNAMIC_ATTRIBUTE], 1);
	sg_policy_free(p);
}
END_TEST

START_TEST(overrides_change_rules)
{
	struct sg_policy *p;
	struct sg_verdict v;

	setup();
	p = P("extends: [default]\noverrides:\n"
	      "  - {rule: SG104, set: {action: annotate, severity: info, "
	      "message: 'own', hint: 'other'}}\n"
	      "  - {rule: unresolved, set: {action: off}}\n");
	v = judged(p, "import os, importlib as i\nos.system('x')\n"
		      "i.import_module(input())");
	ck_assert_str_eq(summary(&v), "annotate SG104@2");
	ck_str_is(v.findings[0].message, "own");
	ck_str_is(v.findings[0].hint, "other");
	ck_assert_int_eq(v.findings[0].severity, SG_SEVERITY_INFO);
	sg_policy_free(p);
}
END_TEST

#define EXCEPT(when)                                                     \
	P("rules:\n  - {id: A, match: {call: builtins.print}, message: " \
	  "m}\nexceptions:\n  - {rule: 'A*', reason: job, " when "}\n")

START_TEST(exceptions_annotate)
{
	struct sg_policy *p;
	struct sg_verdict v;
	struct sg_str code = SG_STR("print(1)\n");

	setup();
	p = EXCEPT("when: {path: 'jobs/*'}, until: 2099-01-01");
	v = judged_at(p, code, "jobs/a.py");
	ck_assert_str_eq(summary(&v), "annotate A@1");
	ck_str_is(v.findings[0].message, "m (excepted: job)");
	v = judged_at(p, code, "a.py");
	ck_assert_str_eq(summary(&v), "reject A@1");
	v = judged_at(p, code, NULL);
	ck_assert_str_eq(summary(&v), "reject A@1");
	sg_policy_free(p);
	p = EXCEPT("when: {path: '*'}, until: 2001-01-01");
	v = judged_at(p, code, "a.py");
	ck_assert_str_eq(summary(&v), "reject A@1");
	sg_policy_free(p);
	p = EXCEPT(
		"when: {digest: "
		"99cdb71747c1f2d6aa1b3e5b2d9c87a15f6b1f9e5d4b21d5d9f8d0ec7e2a2b01"
		"}");
	v = judged_at(p, code, "a.py");
	ck_assert_str_eq(summary(&v), "reject A@1");
	sg_policy_free(p);
}
END_TEST

START_TEST(an_exception_by_digest)
{
	char hex[SG_DIGEST_HEX], text[600];
	struct sg_str code = SG_STR("print(1)\n");
	struct sg_digest d = sg_digest_of(code);
	struct sg_policy *p;
	struct sg_verdict v;

	setup();
	sg_digest_hex(&d, hex);
	(void)snprintf(text, sizeof(text),
		       "schema: 1\nrules:\n"
		       "  - {id: A, match: {call: builtins.print}}\n"
		       "exceptions:\n"
		       "  - {rule: A, reason: r, when: {digest: %s}}\n",
		       hex);
	p = policy_of(text);
	v = judged_at(p, code, NULL);
	ck_assert_str_eq(summary(&v), "annotate A@1");
	v = judged_at(p, SG_STR("print(2)\n"), NULL);
	ck_assert_str_eq(summary(&v), "reject A@1");
	sg_policy_free(p);
}
END_TEST

START_TEST(a_regex_at_its_limit_rejects)
{
	struct sg_policy *p;
	struct sg_verdict v;
	struct sg_buf b;
	int i;

	setup();
	p = P("mode: annotate\nrules:\n"
	      "  - {id: A, match: {regex: '^(a+)+$', in: strings}, action: "
	      "annotate}\n"
	      "  - {id: B, match: {string: {regex: '^(a+)+$'}}, action: "
	      "annotate}\n"
	      "  - {id: C, match: {call: builtins.print, not: {arg: {0: "
	      "{string: {regex: '^(a+)+$'}}}}}, action: annotate}\n");
	sg_buf_init(&b, 1 << 16);
	sg_buf_c(&b, "print('");
	for (i = 0; i < 4000; i++)
		sg_buf_char(&b, 'a');
	sg_buf_c(&b, "!')\n");
	v = judged_at(p, sg_buf_view(&b), NULL);
	ck_assert_int_eq(v.decision, SG_REJECT);
	for (i = 0; i < (int)v.nfindings; i++)
		if (sg_str_eq(v.findings[i].rule, SG_STR("limit.regex")))
			break;
	ck_assert_int_lt(i, (int)v.nfindings);
	sg_buf_release(&b);
	sg_policy_free(p);
}
END_TEST

SG_TEST_MAIN("verdict", the_worst_action_decides,
	     what_cannot_be_judged_is_rejected_in_every_mode,
	     rules_that_could_not_be_asked_in_time_reject,
	     annotate_mode_rejects_nothing_else, a_finding_says_all,
	     findings_at_one_place_are_one, findings_are_in_order_of_place,
	     findings_have_a_cap_and_are_counted, capabilities_have_lines,
	     section_capabilities, section_imports, section_unresolved,
	     overrides_change_rules, exceptions_annotate,
	     an_exception_by_digest, a_regex_at_its_limit_rejects)
