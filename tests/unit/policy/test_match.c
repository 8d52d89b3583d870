/* Patterns against scripts, with the real analyzer. */

#include "unit/policy/judge.h"

START_TEST(imports)
{
	JUDGE("{import: os}", "import os", "reject R@1");
	JUDGE("{import: os}", "import os.path as p", "reject R@1");
	JUDGE("{import: os}", "x = 1\nfrom os import sep", "reject R@2");
	JUDGE("{import: os}", "import osx\nos = 1", "pass");
	JUDGE("{import: [a, 'b*']}", "import bcd\nimport a.b",
	      "reject R@1 R@2");
	JUDGE("{import: {name: os, from: true}}", "import os", "pass");
	JUDGE("{import: {name: os, from: true}}", "from os import sep",
	      "reject R@1");
	JUDGE("{import: {star: true}}", "from math import *\nimport math",
	      "reject R@1");
	JUDGE("{import: {name: os, by_name: true}}",
	      "import os\n__import__('o' + 's')", "reject R@2");
}
END_TEST

START_TEST(references_and_calls)
{
	JUDGE("{ref: os.environ}", "import os as o\nprint(o.environ)",
	      "reject R@2");
	JUDGE("{ref: builtins.eval}", "f = [eval]", "reject R@1");
	JUDGE("{call: builtins.eval}", "f = [eval]", "pass");
	JUDGE("{call: builtins.eval}", "e = eval\ne('1')", "reject R@2");
	JUDGE("{call: 'os.*'}", "import os\nos.getcwd()\nos.sep", "reject R@2");
	JUDGE("{call: '*.to_csv'}", "def f(t):\n    t.to_csv('a')",
	      "reject R@2");
	JUDGE("{call: {name: builtins.eval, implicit: true}}",
	      "eval('1')\nlist(map(eval, ['1']))", "reject R@2");
	JUDGE("{ref: {name: 'sys.*', store: true}}",
	      "import sys\nprint(sys.argv)\nsys.argv = 1", "reject R@3");
}
END_TEST

START_TEST(attributes_names_and_texts)
{
	JUDGE("{attr: __globals__}", "f.__globals__", "reject R@1");
	JUDGE("{attr: __globals__}", "getattr(f, '__glo' + 'bals__')",
	      "reject R@1");
	JUDGE("{attr: {name: x, by_name: true}}", "a.x\ngetattr(a, 'x')",
	      "reject R@2");
	JUDGE("{attr: {regex: '^_[a-z]'}}", "a._x\na.__x__\na.x", "reject R@1");
	JUDGE("{string: '/etc/*'}", "x = '/etc/passwd'\ny = 'etc'",
	      "reject R@1");
	JUDGE("{string: secret}", "x = 'sec' + 'ret'", "reject R@1");
	JUDGE("{string: {regex: '^sec', folded: false}}", "x = 'secret'",
	      "reject R@1");
	JUDGE("{string: {regex: word, docstring: false}}",
	      "'''a word'''\nx = 'a word'", "reject R@2");
	JUDGE("{format: '__*'}",
	      "'{0.__class__}'.format(1)\n'{0.real}'.format(1)", "reject R@1");
	JUDGE("{hook: __getattr__}",
	      "class A:\n    def __getattr__(s, n): pass", "reject R@2");
	JUDGE("{bind: 'sys.*'}", "import sys\nsys.excepthook = print",
	      "reject R@2");
	JUDGE("{dynamic: import}", "__import__(input())", "reject R@1");
	JUDGE("{dynamic: {what: attribute, base: os}}",
	      "import os, re\ngetattr(os, input())\ngetattr(re, input())",
	      "reject R@2");
}
END_TEST

START_TEST(nodes)
{
	JUDGE("{node: Global}", "def f():\n    global x\n    x = 1",
	      "reject R@2");
	JUDGE("{node: [While, For]}", "while 0:\n    pass\nfor i in []: pass",
	      "reject R@1 R@3");
	JUDGE("{node: {kind: FunctionDef, name: 'test_*'}}",
	      "def test_a(): pass\ndef b(): pass", "reject R@1");
	JUDGE("{node: Lambda}", "x = 1", "pass");
}
END_TEST

START_TEST(zones_of_text)
{
	const char *code = "word = 1  # word one\nx = 'word two'\n";

	JUDGE("{regex: word, in: comments}", code, "reject R@1");
	JUDGE("{regex: 'word \\w', in: strings}", code, "reject R@2");
	JUDGE("{regex: 'word \\w', in: code}", code, "pass");
	JUDGE("{regex: '^word$', in: names}", code, "reject R@1");
	JUDGE("{regex: 'word \\w', in: raw}", code, "reject R@1 R@2");
	JUDGE("{regex: 'word \\w'}", code, "reject R@2");
	JUDGE("{regex: 'wo' , in: [comments, strings]}", code,
	      "reject R@1 R@2");
	JUDGE("{regex: 'hidden', in: strings}", "x = 'hid' + 'den'",
	      "reject R@1");
	JUDGE("{call: print, regex: lambda}", "print(1)", "pass");
	JUDGE("{call: builtins.print, regex: lambda}",
	      "print(1)\nprint(lambda: 1)", "reject R@2");
}
END_TEST

START_TEST(combinations)
{
	JUDGE("{all: [{call: 'os.*'}, {not: {call: os.getcwd}}]}",
	      "import os\nos.getcwd()\nos.listdir()", "reject R@3");
	JUDGE("{any: [{call: os.getcwd}, {node: Global}]}",
	      "import os\nos.getcwd()\ndef f():\n    global x",
	      "reject R@2 R@4");
	JUDGE("{call: builtins.print, inside: {node: For}}",
	      "print(1)\nfor i in []:\n    print(2)", "reject R@3");
	JUDGE("{node: For, has: {call: builtins.print}}",
	      "for i in []:\n    pass\nfor j in []:\n    if j:\n        print(2)",
	      "reject R@3");
	JUDGE("{node: For, has: {any: [{call: os.getcwd}, {node: Break}]}}",
	      "import os\nfor x in y:\n    break\nfor x in y:\n    pass\n"
	      "for x in y:\n    os.getcwd()",
	      "reject R@2 R@6");
	JUDGE("{node: For, has: {all: [{node: Call}, {call: os.getcwd}]}}",
	      "import os\nfor x in y:\n    os.getcwd\nos.getcwd()\n"
	      "for x in y:\n    z(os.getcwd())\nos.getcwd()",
	      "reject R@5");
	JUDGE("{node: For, has: {capability: exec.process}}",
	      "import os\nfor x in y:\n    os.system('a')\nfor x in y:\n"
	      "    os.getcwd()",
	      "reject R@2");
	JUDGE("{node: For, not: {has: {node: Break}}}",
	      "for i in []:\n    break\nfor j in []:\n    pass", "reject R@3");
	JUDGE("{call: builtins.len, inside: {call: builtins.print}}",
	      "print(len([]))\nlen([])", "reject R@1");
	JUDGE("{node: Global, inside: {node: FunctionDef, inside: {node: "
	      "FunctionDef}}}",
	      "def f():\n    global x\n    def g():\n        global y",
	      "reject R@4");
}
END_TEST

START_TEST(arguments)
{
	const char *open2 = "open(a, 'w')\nopen(a)\nopen(a, mode='r')";

	JUDGE("{call: builtins.open, arg: {1|mode: {string: 'w*'}}}", open2,
	      "reject R@1");
	JUDGE("{call: builtins.open, arg: {1|mode: {present: false}}}", open2,
	      "reject R@2");
	JUDGE("{call: builtins.open, arg: {mode: {present: true}}}", open2,
	      "reject R@3");
	JUDGE("{call: builtins.open, arg: {1: {present: true}}}", open2,
	      "reject R@1");
	JUDGE("{call: builtins.open, arg: {'*': {string: r}}}", open2,
	      "reject R@3");
	JUDGE("{call: builtins.print, arg: {0: {literal: true}}}",
	      "x = 1\nprint(1)\nprint(x)", "reject R@2");
	JUDGE("{call: builtins.print, arg: {0: {literal: false}}}",
	      "x = 1\nprint(1)\nprint(x)\nprint()", "reject R@3");
	JUDGE("{call: builtins.print, arg: {0: {string: {regex: '^a'}}}}",
	      "print('ab')\nx = 'a' + 'c'\nprint(x)\nprint('b')",
	      "reject R@1 R@3");
	JUDGE("{call: builtins.print, arg: {0: {value: ['True', '12']}}}",
	      "print(True)\nprint(12)\nprint(False)", "reject R@1 R@2");
	JUDGE("{call: builtins.map, arg: {0: {name: builtins.eval}}}",
	      "map(eval, [])\nmap(len, [])", "reject R@1");
	JUDGE("{call: builtins.open, arg: {0: {outside: workspace}}}",
	      "open('/etc/x')\nopen('x')\nopen('../x')", "reject R@1 R@3");
	JUDGE("{call: builtins.open, arg: {0: {unknown: true}}}",
	      "open(input())\nopen('x')\nopen(*a)", "reject R@1 R@3");
	JUDGE("{call: builtins.open, arg: {1: {not: {string: r}}}}",
	      "open('a', 'w')\nopen('a', 'r')\nopen('a')", "reject R@1");
	JUDGE("{call: builtins.open, arg: {1: {string: w}, 0: {string: a}}}",
	      "open('a', 'w')\nopen('b', 'w')", "reject R@1");
}
END_TEST

START_TEST(capabilities)
{
	JUDGE("{capability: exec.process}", "import os\nos.system('x')",
	      "reject R@2");
	JUDGE("{capability: 'net.*'}", "import socket", "reject R@1");
	JUDGE("{capability: fs.write}", "open('a', 'w')\nopen('a')",
	      "reject R@1");
	JUDGE("{capability: fs.read}", "open('a', 'w')\nopen('a')",
	      "reject R@2");
	JUDGE("{capability: fs.write}", "open('a', input())", "reject R@1");
	JUDGE("{capability: fs.write}", "f = open\nprint(f)", "reject R@1 R@2");
	JUDGE("{capability: fs.outside}", "open('/x')\nopen('x')",
	      "reject R@1");
}
END_TEST

START_TEST(neighbours)
{
	JUDGE("{ref: os.sep, parent: {node: BinOp}}",
	      "import os\nos.sep + 'x'\nf(os.sep)\n(os.sep, 'a' + 'b')",
	      "reject R@2");
	JUDGE("{call: os.getcwd, parent: {attr: lower}}",
	      "import os\nos.getcwd()\nos.getcwd().lower()", "reject R@3");
	JUDGE("{ref: os.getcwd, callee: false}",
	      "import os\nfrom os import getcwd\ngetcwd()\nf(getcwd)\n"
	      "@getcwd\ndef g(): pass",
	      "reject R@4");
	JUDGE("{ref: os.getcwd, callee: true}",
	      "import os\nos.getcwd()\nf = [os.getcwd]", "reject R@2");
}
END_TEST

START_TEST(things_of_the_script)
{
	JUDGE("{attr: {name: x, local: true}}",
	      "class A: pass\nA.x\nlen.x\ndef f(a):\n    a.x", "reject R@2");
	JUDGE("{attr: {name: x, local: false}}",
	      "class A: pass\nA.x\nlen.x\n(A if A else len).x",
	      "reject R@3 R@4");
	JUDGE("{call: builtins.print, arg: {0: {local: true}}}",
	      "def f(): pass\nprint(f)\nprint([1])\nprint(len)\n"
	      "print(f, len)\nprint(*f)",
	      "reject R@2 R@3 R@5");
	JUDGE("{call: builtins.print, arg: {0: {text: true}}}",
	      "def f(a):\n    print(f)\n    print('a')\n    print(a)\n"
	      "    print(1)\n    print(len)\n    print(lambda: 1)\n"
	      "    print(b'a')",
	      "reject R@3 R@4 R@8");
	JUDGE("{call: builtins.print, arg: {0: {text: false}}}",
	      "print('a')\nprint([1])\nprint(len)", "reject R@2 R@3");
}
END_TEST

START_TEST(scripts_that_reach_nothing)
{
	const char *rule = "{string: secret, not: {contained: [re, 'c*']}}";

	JUDGE(rule, "import re, csv\nx = 'secret'", "pass");
	JUDGE(rule, "import json\nx = 'secret'", "reject R@2");
	JUDGE(rule, "x = 'secret'\nopen('a')", "reject R@1");
	JUDGE(rule, "x = 'secret'\nf = open", "reject R@1");
	JUDGE(rule, "x = 'secret'\ngetattr(x, input())", "reject R@1");
	JUDGE(rule, "x = 'secret'\ngetattr(x, 'y')", "reject R@1");
	JUDGE(rule, "def open(x): pass\nopen('secret')\ninput()", "pass");
	JUDGE(rule, "def f(g):\n    g.read('secret')", "pass");
}
END_TEST

START_TEST(not_below_a_node_is_of_all_its_facts)
{
	/* a node has several facts, and itself */
	JUDGE("{call: '*.f', has: {node: Name, not: {ref: '__main__.*'}}}",
	      "import os\nf(x)\nf(os)", "reject R@3");
	JUDGE("{call: '*.f', has: {node: Attribute, not: {ref: 'os.*'}}}",
	      "import os\nf(os.sep)\nf(x.sep)", "reject R@3");
	JUDGE("{call: '*.g', inside: {node: Call, not: {call: '*.f'}}}",
	      "f(g())\nh(g())", "reject R@2");
}
END_TEST

/* `line` n times; then `last`. */
static const char *
lines_of(const char *line, uint32_t n, const char *last)
{
	struct sg_buf b;
	struct sg_str text;

	if (judge_arena.cap == 0)
		sg_arena_init(&judge_arena, 256u << 20);
	sg_buf_init(&b, 1 << 20);
	for (uint32_t i = 0; i < n; i++)
		sg_buf_c(&b, line);
	sg_buf_c(&b, last);
	text = sg_arena_dup(&judge_arena, sg_buf_view(&b));
	sg_buf_release(&b);
	return text.p;
}

static const char *
decided(const char *match, const char *code)
{
	struct sg_str text =
		sg_arena_printf(&judge_arena,
				"schema: 1\nlimits: {time_ms: 60000}\n"
				"rules: [{id: R, match: %s}]\n",
				match);
	struct sg_policy *p = policy_of(text.p);
	struct sg_verdict v = judged(p, code);
	const char *what = "pass";

	if (v.nfindings > 0)
		what = sg_arena_dup(&judge_arena, v.findings[0].rule).p;
	sg_policy_free(p);
	return what;
}

/* A name and its statement in each line: some 2 n nodes are looked at for
 * each of n names, two million at most. */
START_TEST(the_work_of_neighbours_is_limited)
{
	static const char rule[] =
		"{node: Name, inside: {has: {node: Lambda}}}";

	ck_assert_str_eq(decided(rule, lines_of("x\n", 950, "")), "pass");
	ck_assert_str_eq(decided(rule, lines_of("x\n", 1050, "")),
			 "limit.match");
}
END_TEST

START_TEST(what_a_script_has_is_looked_for_once)
{
	static const char rule[] =
		"{node: Name, inside: {node: Module, has: {node: Lambda}}}";

	ck_assert_str_eq(decided(rule, lines_of("x\n", 20000, "")), "pass");
	ck_assert_str_eq(decided(rule, lines_of("x\n", 500, "lambda: 1\n")),
			 "R");
	/* two of them in turns, with other answers */
	ck_assert_str_eq(
		decided("{node: Name, all: [{inside: {node: Module, has: "
			"{node: Lambda}}}, {inside: {node: Module, has: "
			"{node: Yield}}}]}",
			lines_of("x\n", 20000, "lambda: 1\n")),
		"pass");
}
END_TEST

/* An answer of one script is none of the next. */
START_TEST(what_was_looked_for_is_forgotten)
{
	struct sg_policy *p;
	static const struct {
		const char *code;
		uint32_t findings;
	} scripts[] = {
		{ "x\nlambda: 1\n", 1 },
		{ "x\nnot 1\n1", 0 },
		{ "x\nlambda: 1\n", 1 },
	};
	struct sg_limits limits;
	struct sg_analyzer *a = NULL;
	struct sg_judge *j = NULL;
	struct sg_err err;

	sg_arena_init(&judge_arena, 1 << 20);
	p = rule_of(
		"{node: Name, inside: {node: Module, has: {node: Lambda}}}");
	limits = sg_policy_limits(p);
	ck_good(sg_analyzer_new(NULL, &a, &err), &err);
	ck_good(sg_judge_new(p, &j, &err), &err);
	for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++) {
		const struct sg_analysis *an;
		struct sg_verdict v;

		ck_good(sg_analyze(a, sg_str_c(scripts[i].code), &limits, &an,
				   &err),
			&err);
		ck_good(sg_judge_run(j, an, NULL, &judge_arena, &v, &err),
			&err);
		ck_assert_uint_eq(v.nfindings, scripts[i].findings);
	}
	sg_judge_free(j);
	sg_analyzer_free(a);
	sg_policy_free(p);
}
END_TEST

SG_TEST_MAIN("match", the_work_of_neighbours_is_limited,
	     what_a_script_has_is_looked_for_once,
	     what_was_looked_for_is_forgotten,
	     not_below_a_node_is_of_all_its_facts, imports,
	     references_and_calls, attributes_names_and_texts, nodes,
	     zones_of_text, combinations, arguments, capabilities, neighbours,
	     things_of_the_script, scripts_that_reach_nothing)
