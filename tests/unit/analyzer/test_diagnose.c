/* Mistakes that people and models make: where they are, and what is said. */

#include <stdio.h>

#include "unit/analyzer/reading.h"

enum { MISTAKES_MINOR = 11, DEEP = 5000 };

static const struct mistake {
	const char *text, *place, *message;
} mistakes[] = {
	{ "if x\n    y", "1:5", "a ':' is missing" },
	{ "for i in range(3)\n    print(i)", "1:18", "a ':' is missing" },
	{ "def f()\n    pass", "1:8", "a ':' is missing" },
	{ "class A\n    pass", "1:8", "a ':' is missing" },
	{ "while True\n    pass", "1:11", "a ':' is missing" },
	{ "try\n    x\nexcept: pass", "1:4", "a ':' is missing" },
	{ "if x:\n    y\nelse\n    z", "3:5", "a ':' is missing" },
	{ "with open(f) as g\n    pass", "1:18", "a ':' is missing" },
	{ "x = (1, 2\ny = 3", "1:5", "'(' was never closed" },
	{ "x = [1, 2", "1:5", "'[' was never closed" },
	{ "d = {'a': 1, 'b': 2\nprint(d)", "1:5", "'{' was never closed" },
	{ "x = 1)", "1:6", "unmatched ')'" },
	{ "x = [1, 2)", "1:10", "closing ')' does not match opening '['" },
	{ "print(\"hello", "1:7", "unterminated string" },
	{ "x = 'it's'", "1:10", "unterminated string" },
	{ "s = \"\"\"abc\nx = 1", "1:5", "unterminated triple-quoted string" },
	{ "def f():\nx = 1", "2:1", "expected an indented block after line 1" },
	{ "x = 1\n    y = 2", "2:5", "unexpected indent" },
	{ "if x:\n    y\n  z", "3:3",
	  "unindent does not match any outer indentation level" },
	{ "if x:\n\ty\n        z", "3:9",
	  "inconsistent use of tabs and spaces in indentation" },
	{ "if x = 3:\n    pass", "1:4",
	  "'=' assigns and cannot stand here; '==' compares" },
	{ "while x = 1: pass", "1:7",
	  "'=' assigns and cannot stand here; '==' compares" },
	{ "f(a b)", "1:3", "invalid syntax; is a comma missing?" },
	{ "x = [1 2 3]", "1:6", "invalid syntax; is a comma missing?" },
	{ "d = {'a' 1}", "1:6", "invalid syntax; is a comma missing?" },
	{ "d = {'a': 1 'b': 2}", "1:11",
	  "invalid syntax; is a comma missing?" },
	{ "x = foo(1, 2 3)", "1:12", "invalid syntax; is a comma missing?" },
	{ "print \"hello\"", "1:1", "print is a function: write print(...)" },
	{ "print x", "1:1", "print is a function: write print(...)" },
	{ "exec \"x\"", "1:1", "exec is a function: write exec(...)" },
	{ "raise E, \"msg\"", "1:7", "'raise' takes one exception" },
	{ "except E, e:\n    pass", "1:8",
	  "several exception types need parentheses; a name comes after 'as'" },
	{ "try:\n    pass\nexcept E, e:\n    pass", "3:8",
	  "several exception types need parentheses; a name comes after 'as'" },
	{ "x = 0777", "1:5",
	  "a decimal number cannot begin with zero; octal numbers begin with '0o'" },
	{ "x <> y", "1:3", "'<>' is not an operator; write '!='" },
	{ "`x`", "1:1", "'`' is no operator; write repr(...)" },
	{ "return 1", "1:1", "'return' outside a function" },
	{ "1 = x", "1:1", "cannot assign to a literal" },
	{ "f() = 3", "1:1", "cannot assign to a call" },
	{ "x + 1 = 2", "1:1", "cannot assign to an operation" },
	{ "None = 1", "1:1", "cannot assign to a constant" },
	{ "for 1 in x: pass", "1:5", "cannot assign to a literal" },
	{ "def f(x, x): pass", "1:10", "a parameter is repeated" },
	{ "def f(a=1, b): pass", "1:12",
	  "a parameter without a default follows one with a default" },
	{ "f(a=1, 2)", "1:8",
	  "a positional argument follows keyword arguments" },
	{ "f(**k, *a)", "1:8",
	  "a positional argument follows keyword arguments" },
	{ "import a.b as", "1:14", "invalid syntax: the line ends too soon" },
	{ "from x import", "1:14", "invalid syntax: the line ends too soon" },
	{ "import", "1:7", "invalid syntax: the line ends too soon" },
	{ "x = \n", "1:5", "invalid syntax: the line ends too soon" },
	{ "x = 5 +", "1:8", "invalid syntax: the line ends too soon" },
	{ "x ==== y", "1:5", "invalid syntax at '=='" },
	{ "x++", "1:4", "'++' is no operator; write '+= 1'" },
	{ "x = y +* z", "1:8", "a starred expression cannot stand here" },
	{ "if x == 1 then:\n    pass", "1:11", "invalid syntax at 'then'" },
	{ "else:\n    pass", "1:1",
	  "this 'else' belongs to no 'if', loop or 'try'" },
	{ "elif x:\n    pass", "1:1", "this 'elif' belongs to no 'if'" },
	{ "x = 3 if y", "1:5", "an 'if' within an expression needs an 'else'" },
	{ "lambda x: return x", "1:11", "invalid syntax at 'return'" },
	{ "f\"{x\"", "1:1", "unterminated f-string: '}' is missing" },
	{ "f\"{}\"", "1:4", "f-string: an expression is expected here" },
	{ "f\"{x!z}\"", "1:5",
	  "f-string: the conversion must be !s, !r or !a" },
	{ "f\"{a b}\"", "1:4", "invalid syntax; is a comma missing?" },
	{ "x = “hello”", "1:5", "invalid character U+201C" },
	{ "x = 5€", "1:5", "invalid decimal literal '5€'" },
	{ "x = 1abc", "1:5", "invalid decimal literal '1abc'" },
	{ "$x = 1", "1:1", "'$' stands for nothing in Python" },
	{ "x = y?", "1:6", "'?' stands for nothing in Python" },
	{ "class 1A: pass", "1:7", "invalid decimal literal '1A'" },
	{ "def 1f(): pass", "1:5", "invalid decimal literal '1f'" },
	{ "for x y in z: pass", "1:7", "invalid syntax at 'y'" },
	{ "for x of y: pass", "1:7", "invalid syntax at 'of'" },
	{ "for (int i = 0; i < n; i++): pass", "1:6",
	  "invalid syntax; is a comma missing?" },
	{ "if x { y }", "1:6", "invalid syntax at '{'" },
	{ "x = {1: 2, 3}", "1:12", "a ':' is missing after a key" },
	{ "x = {1, 2: 3}", "1:10", "invalid syntax at ':'" },
	{ "async x = 1", "1:7", "'def', 'for' or 'with' must follow 'async'" },
	{ "await x", "1:1", "'await' outside a function" },
	{ "del f()", "1:5", "cannot delete a call" },
	{ "global x = 1", "1:10", "invalid syntax at '='" },
	{ "assert(x, \"y\") = 1", "1:16", "invalid syntax at '='" },
	{ "def f(:\n    pass", "1:6", "'(' was never closed" },
	{ "def f(self, ):\n    retrun 1", "2:12", "invalid syntax at '1'" },
	{ "x = 1 y = 2", "1:7", "invalid syntax at 'y'" },
	{ "a, b += 1, 2", "1:1",
	  "an augmented assignment takes a single target" },
	{ "not = 1", "1:5", "invalid syntax at '='" },
	{ "class = 3", "1:7", "invalid syntax at '='" },
	{ "x.class = 1", "1:3", "a keyword cannot be a name" },
	{ "import x from y", "1:1", "write 'from MODULE import NAME'" },
	{ "from x import *, y", "1:16", "invalid syntax at ','" },
	{ "while True print(x)", "1:12", "invalid syntax at 'print'" },
	{ "if (x == 1:\n    pass", "1:4", "'(' was never closed" },
	{ "x = lambda: (yield", "1:13", "'(' was never closed" },
	{ "x = [i for i in range(3]", "1:24",
	  "closing ']' does not match opening '('" },
	{ "return x if y else", "1:19",
	  "invalid syntax: the line ends too soon" },
	{ "try:\n    x\ny = 1", "1:1",
	  "a 'try' needs an 'except' or 'finally'" },
	{ "@property\nx = 1", "2:1",
	  "a function or class must follow a decorator" },
	{ "def f():\n    \"\"\"doc\"\"\" x", "2:15", "invalid syntax at 'x'" },
	{ "switch x:\n    pass", "1:8", "invalid syntax at 'x'" },
	{ "do:\n    x", "1:4", "invalid syntax: the line ends too soon" },
	{ "x = true && false", "1:11", "'&&' is no operator; write 'and'" },
	{ "x = !y", "1:5", "'!' is no operator; write 'not'" },
	{ "x = a ? b : c", "1:7", "'?' stands for nothing in Python" },
	{ "let x = 1", "1:5", "invalid syntax at 'x'" },
	{ "var x = 1;", "1:5", "invalid syntax at 'x'" },
	{ "function f() {}", "1:10", "invalid syntax at 'f'" },
	{ "print(x))", "1:9", "unmatched ')'" },
	{ "x = 'a' 'b", "1:9", "unterminated string" },
	{ "x = \\ 1", "1:5",
	  "unexpected character after line continuation character" },
	{ "    x = 1", "1:5", "unexpected indent" },
	{ "import os\n  import sys", "2:3", "unexpected indent" },
	{ "for i in range(10): for j in range(10): print(i)", "1:21",
	  "invalid syntax at 'for'" },
	{ "if x: if y: z", "1:7", "invalid syntax at 'if'" },
	{ "x = if y: 1", "1:5", "invalid syntax at 'if'" },
	{ "match x:\n    case 1\n        pass", "2:11", "expected ':'" },
	{ "match x\n    case 1: pass", "1:8", "a ':' is missing" },
	{ "match x:\n    pass", "2:5",
	  "only 'case' can stand in the block of a 'match'" },
	{ "with open(f) as 1: pass", "1:17", "cannot assign to a literal" },
	{ "f(x for x in y, 1)", "1:3",
	  "a generator that is not the only argument needs parentheses" },
	{ "x = (yield = 1)", "1:12", "invalid syntax at '='" },
	{ "\"abc\" = 1", "1:1", "cannot assign to a literal" },
	{ "[x, 1] = y", "1:5", "cannot assign to a literal" },
	{ "def f(x): int:\n    pass", "1:15",
	  "invalid syntax: the line ends too soon" },
	{ "def f(x) -> int\n    pass", "1:16", "a ':' is missing" },
	{ "pip install numpy", "1:5", "invalid syntax at 'install'" },
	{ "Here is the code:", "1:13", "invalid syntax at 'code'" },
	{ "```python\nx = 1\n```", "1:1", "a Markdown fence is no Python" },
	{ "- item one", "1:8", "invalid syntax at 'one'" },
	{ "# ok\nx = 1\nThis function adds two numbers.", "3:6",
	  "invalid syntax at 'function'" },
	{ "x: int = 1 2", "1:12", "invalid syntax at '2'" },
	{ "raise ValueError \"x\"", "1:18", "invalid syntax at '\"x\"'" },
	{ "a = b c = d", "1:7", "invalid syntax at 'c'" },
	{ "if True: pass else: pass", "1:15", "invalid syntax at 'else'" },
	{ "x = *a", "1:5", "a starred expression cannot stand here" },
	{ "*a", "1:1", "a starred expression cannot stand here" },
	{ "print(*a b)", "1:8", "invalid syntax; is a comma missing?" },
	{ "x = [*a for a in b]", "1:6",
	  "a starred expression cannot stand here" },
	{ "{**a for a in b}", "1:6", "invalid syntax at 'for'" },
	{ "f(*)", "1:4", "invalid syntax at ')'" },
	{ "f(a.b=1)", "1:3",
	  "what stands before '=' must be the name of an argument; '==' compares" },
	{ "f(True=1)", "1:3",
	  "what stands before '=' must be the name of an argument; '==' compares" },
	{ "f(a for a in b, c for c in d)", "1:3",
	  "a generator that is not the only argument needs parentheses" },
	{ "x[1:2:3:4]", "1:8", "invalid syntax at ':'" },
	{ "x[]", "1:3", "invalid syntax at ']'" },
	{ "def f(*): pass", "1:6", "named parameters must follow '*'" },
	{ "def f(a, *, **k): pass", "1:13",
	  "named parameters must follow '*'" },
	{ "nonlocal x", "1:1", "'nonlocal' at module level" },
	{ "break", "1:1", "'break' outside a loop" },
	{ "if x:\n# comment only\ny = 1", "3:1",
	  "expected an indented block after line 1" },
	{ "def f():\n    # comment only", "2:19",
	  "expected an indented block after line 1" },
};

static void
makes(uint32_t minor, const struct mistake *m)
{
	struct sg_place at;
	char place[32];

	refuses_for(minor, m->text);
	at = sg_source_place(&w.source, w.job.problems[0].range.start);
	(void)snprintf(place, sizeof(place), "%u:%u", at.line, at.column);
	ck_assert_msg(strcmp(place, m->place) == 0, "%s: at %s, not %s",
		      m->text, place, m->place);
	ck_str_is(w.job.problems[0].message, m->message);
}

START_TEST(mistakes_are_told_where_and_what_they_are)
{
	begin();
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++)
		makes(MISTAKES_MINOR, &mistakes[i]);
	end();
}
END_TEST

START_TEST(no_text_is_read_with_the_tokens_of_another)
{
	static const struct mistake first = {
		"\\x", "1:1",
		"unexpected character after line continuation character"
	};

	begin();
	makes(MINOR, &mistakes[0]);
	ck_assert_int_eq(
		read_text(SG_STR("a = b, c, d, e, f, g\n"), MINOR, UINT64_MAX),
		SG_OK);
	makes(MINOR, &first);
	end();
}
END_TEST

START_TEST(the_first_mistake_of_several_is_told)
{
	static const struct mistake several[] = {
		{ "if x:\n    y = (1 2)\nelse\n    z\nf(3 4)", "2:10",
		  "invalid syntax; is a comma missing?" },
		{ "f(1 2)\nx = 'abc", "1:3",
		  "invalid syntax; is a comma missing?" },
		{ "raise E, 'x'\nx = (1,\n'abc\n)", "1:8",
		  "invalid syntax at ','" },
		{ "x = (1,\n'abc\n)", "2:1", "unterminated string" },
		{ "x y\nz = 0777", "1:3", "invalid syntax at 'y'" },
		{ "x = 1\nif x\n    y = 2\nelse\n    y = 3", "2:5",
		  "a ':' is missing" },
		{ "try:\n    a\nexcept b:\n    c\nelse:\n    d\nelse:\n    e",
		  "7:1", "this 'else' belongs to no 'if', loop or 'try'" },
	};

	begin();
	for (size_t i = 0; i < sizeof(several) / sizeof(*several); i++)
		makes(MINOR, &several[i]);
	end();
}
END_TEST

START_TEST(a_mistake_is_found_behind_all_that_is_right)
{
	static const char good[] =
		"from . import (a as b, c,)\n"
		"import d.e as f, g\n"
		"@h(i, *j, k=l, **m)\n"
		"async def n(o, /, p: q = r, *s: t, u=v, **x) -> y:\n"
		"    global z\n"
		"    async with a as (b, c), d: await e\n"
		"    async for f in g, *h: yield i\n"
		"    else: return\n"
		"class j(k, metaclass=l): m: n = o; p: q\n"
		"with (r as s.t, u as v[w],): pass\n"
		"with (x), y: pass\n"
		"try: raise a from b\n"
		"except (c, d) as e: del f, g[h:i, ::j]\n"
		"except: assert k, l\n"
		"else: m = n = yield_\n"
		"finally: o += p if q else r\n"
		"while s := t: continue\n"
		"else: break\n"
		"x = [*a, b], {c: d, **e}, {f, *g}, (h,), (), [], {}\n"
		"x = [a async for b, *c in d if e if not f for g in h]\n"
		"x = lambda a, *b, c=d, **e: lambda: f\n"
		"x = not a in b is not c not in d <= -e ** ~f @ g\n"
		"x = f'{a!r:>{b}}{c = }' 'd'; y = ...\n"
		"match x, *y:\n"
		"    case {'a': [b, *_], **c} | d.e() if f: pass\n"
		"match = case = type = print\n"
		"match(x)[y].z\n"
		"if a: b\n"
		"elif c: d\n"
		"else: e\n";
	struct mistake m = { .place = "31:3",
			     .message = "invalid syntax at 'b'" };
	struct sg_buf text;

	sg_buf_init(&text, 1u << 12);
	sg_buf_c(&text, good);
	sg_buf_c(&text, "a b\n");
	m.text = (const char *)text.data;
	sg_buf_char(&text, '\0');
	begin();
	makes(MINOR, &m);
	end();
	sg_buf_release(&text);
}
END_TEST

/* Beyond a depth there is no more than the place that the parser came to. */
START_TEST(deep_expressions_need_no_stack)
{
	struct sg_buf text;

	sg_buf_init(&text, 1u << 20);
	for (unsigned i = 0; i < DEEP; i++)
		sg_buf_c(&text, "lambda: ");
	sg_buf_c(&text, "a b\n");
	begin();
	ck_assert_int_eq(read_text(sg_buf_view(&text), MINOR, UINT64_MAX),
			 SG_OK);
	ck_assert_uint_eq(w.job.nproblems, 1);
	ck_str_is(w.job.problems[0].message, "invalid syntax at 'b'");
	end();
	sg_buf_release(&text);
}
END_TEST

/* Each bracket is read once, however many there are within each other. */
START_TEST(nested_brackets_are_read_once)
{
	static const char *const pairs[][2] = {
		{ "{", ":1}" }, { "{**{", "}}" }, { "[", "]" },
		{ "(", ",)" },  { "f(", ")" },    { "x[", ":]" },
		{ "{*", "}" },  { "f'{", "}'" },
	};
	struct sg_buf text;

	sg_buf_init(&text, 1u << 16);
	begin();
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		sg_buf_reset(&text);
		sg_buf_c(&text, "x = ");
		for (unsigned k = 0; k < 70; k++)
			sg_buf_c(&text, pairs[i][0]);
		sg_buf_c(&text, "a b");
		for (unsigned k = 0; k < 70; k++)
			sg_buf_c(&text, pairs[i][1]);
		ck_assert_int_eq(
			read_text(sg_buf_view(&text), MINOR, UINT64_MAX),
			SG_OK);
		ck_assert_uint_eq(w.job.nproblems, 1);
		ck_str_is(w.job.problems[0].message,
			  "invalid syntax; is a comma missing?");
	}
	end();
	sg_buf_release(&text);
}
END_TEST

SG_TEST_MAIN("diagnose", mistakes_are_told_where_and_what_they_are,
	     no_text_is_read_with_the_tokens_of_another,
	     the_first_mistake_of_several_is_told,
	     a_mistake_is_found_behind_all_that_is_right,
	     deep_expressions_need_no_stack, nested_brackets_are_read_once)
