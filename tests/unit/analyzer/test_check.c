/* What CPython's compiler refuses although its grammar takes it. */

#include "unit/analyzer/reading.h"

START_TEST(targets_are_checked)
{
	REFUSES(MINOR, "f() = 1", "1 += x", "(a, b) += 1", "x = yield = 1",
		"None = 1", "del f()", "a + b = c", "x = y += 1", "*a = b",
		"*a, *b = c", "(a, b): int", "x: int = y = 1",
		"for f() in x: y", "with a as f(): b", "[x for f() in y]",
		"del *a", "f'{x}' = 1", "a if b else c = 1", "'a' = 1",
		"(x := 1) = 2", "__debug__ = 1", "lambda: x = 1");
	READS(MINOR, "a.b, c[d], (e), [f, *g] = h", "(a) = 1", "() = []",
	      "for a.b in c: d", "(a.b): int = 1", "with a as (b, c): d",
	      "del (a), [b]", "(a) += 1", "f().x = g()[0] = 1");
}
END_TEST

START_TEST(calls_and_parameters_are_checked)
{
	REFUSES(MINOR, "f(a=1, a=2)", "f(a=1, b)", "f(**a, *b)", "f(**a, b)",
		"f(x for x in y, 1)", "f(x for x in y,)", "f(,)", "f(a.b=1)",
		"f(None=1)", "def f(a, a): pass", "def f(a=1, b): pass",
		"def f(*): pass", "def f(*, **k): pass", "def f(/): pass",
		"def f(a, *, b, *, c): pass", "def f(**k, a): pass",
		"lambda a, a: 1", "class A(b=1, b=2): pass", "{**a or b}");
	READS(MINOR, "f(a, *b, c, *d, e=1, *f, **g)", "f(x for x in y)",
	      "f(a := 1)", "f(*a or b)", "def f(a, /, b=1, *c, d, **e): pass",
	      "def f(a,): pass", "lambda *, a: a");
}
END_TEST

START_TEST(places_of_statements_are_checked)
{
	REFUSES(MINOR, "return", "yield", "await x", "break", "continue",
		"class A: return", "class A: yield", "def f(): await x",
		"if x: break", "for x in y:\n def f(): break",
		"for x in y: pass\nelse: break", "async with a: b",
		"def f():\n async for x in y: z", "[(yield) for x in y]",
		"async def f(): yield from x",
		"async def f():\n yield\n return 1",
		"def f(): return [x async for x in y]",
		"try: a\nexcept: b\nexcept C: d", "try: a",
		"try: a\nelse: b\nfinally: c",
		"def f():\n try: a\n except* B: return",
		"def f(): from a import *", "class A: from a import *");
	READS(MINOR, "def f(): return (yield)", "lambda: (yield)",
	      "async def f(): return [await x async for x in y]",
	      "while 1:\n try: pass\n finally: continue",
	      "(x async for x in y)", "def f(): a: await b");
}
END_TEST

START_TEST(declarations_are_checked)
{
	REFUSES(MINOR, "nonlocal x", "def f():\n nonlocal x",
		"def f():\n x = 1\n global x", "def f(x): global x",
		"def f():\n print(x)\n global x",
		"def f():\n global x\n x: int = 1",
		"def f():\n def g():\n  global x\n  nonlocal x",
		"x = 1\nglobal x");
	READS(MINOR, "global x\nx = 1", "def f():\n global x, y",
	      "def f():\n x = 1\n def g(): nonlocal x",
	      "def f():\n import x\n global x",
	      "class A:\n def f(self): nonlocal __class__");
}
END_TEST

START_TEST(walruses_and_futures_are_checked)
{
	REFUSES(MINOR, "x := 1", "x = y := 1", "f(a=b := 1)",
		"[(x := 1) for x in y]", "[x for x in (y := z)]",
		"class A: [y := 1 for x in z]", "{a := 1: b}",
		"x = 1\nfrom __future__ import division",
		"from __future__ import nothing",
		"def f(): from __future__ import division");
	READS(MINOR, "(x := 1)", "[y := 1, y]", "if x := y: z",
	      "[y for x in z if (y := x)]", "a[b := 1]", "a[b:=c]",
	      "'d'\nfrom __future__ import division, annotations");
}
END_TEST

START_TEST(private_names_are_mangled_before_they_are_compared)
{
	REFUSES(MINOR, "class A:\n def f(self, __x, _A__x): pass",
		"class _A:\n f = lambda __x, _A__x: 1",
		"class A[__T, _A__T]: pass",
		"class A:\n def f[__T, _A__T](self): pass",
		"class A:\n def f(self):\n  __x = 1\n  global _A__x",
		"class A:\n def f(self):\n  __x = 1\n  class B:\n"
		"   def g(self): nonlocal __x");
	READS(MINOR, "class __:\n def f(self, __x, _A__x): pass",
	      "class A:\n def f(self, __x__, _A__x__): pass",
	      "def f(__x, _A__x): pass", "class A:\n f(__x=1, _A__x=2)",
	      "class A:\n def f(self):\n  __x = 1\n"
	      "  def g(): nonlocal _A__x");
}
END_TEST

START_TEST(debug_cannot_be_bound)
{
	REFUSES(MINOR, "__debug__ = 1", "__debug__ += 1", "del __debug__",
		"x.__debug__ = 1", "for x.__debug__ in y: pass",
		"def __debug__(): pass", "def f(__debug__): pass",
		"f(__debug__=1)", "import __debug__", "(__debug__ := 1)",
		"import a as __debug__", "match x:\n case __debug__: pass");
	/* What CPython forgets. */
	READS(MINOR, "x.__debug__ += 1", "del x.__debug__", "x.__debug__",
	      "__debug__");
	REFUSES(14, "x.__debug__ += 1", "del x.__debug__");
}
END_TEST

START_TEST(keys_and_attributes_of_patterns_come_once)
{
	REFUSES(MINOR, "match x:\n case {'a': b, 'a': c}: d",
		"match x:\n case {1: a, 1.0: b}: c",
		"match x:\n case {0: a, -0: b}: c",
		"match x:\n case {True: a, 1: b}: c",
		"match x:\n case {1+1j: a, 1+1j: b}: c",
		"match x:\n case {1j: a, -1j: b, 0+1j: c}: d",
		"match x:\n case {99999999999999999999: a, "
		"99999999999999999999: b}: c",
		"match x:\n case A(b=1, b=2): c");
	READS(MINOR, "match x:\n case {'a': b, b'a': c}: d",
	      "match x:\n case {9007199254740993: a, 9007199254740992.0: b}: c",
	      "match x:\n case {1j: a, -1j: b, 1+1j: c, 1-1j: d}: e",
	      "match x:\n case {a.b: c, a.b: d}: e");
}
END_TEST

START_TEST(starred_patterns_and_targets_have_a_cap_before_them)
{
	struct sg_buf b;

	begin();
	sg_buf_init(&b, 1u << 14);
	for (unsigned i = 0; i < 4; i++) {
		unsigned n = 255 + i % 2;

		sg_buf_reset(&b);
		sg_buf_c(&b, i < 2 ? "match x:\n case [" : "[");
		for (unsigned k = 0; k < n; k++)
			sg_buf_c(&b, "_, ");
		sg_buf_c(&b, i < 2 ? "*y]: pass\n" : "*y] = x\n");
		ck_assert_str_eq(code_of(sg_buf_view(&b), UINT64_MAX),
				 n == 255 ? "" : "syntax.error");
	}
	sg_buf_release(&b);
	end();
}
END_TEST

START_TEST(async_comprehensions_need_an_async_scope_of_their_own)
{
	REFUSES(MINOR, "async def f():\n type X = [y async for y in z]",
		"async def f():\n def g[T: [x async for x in y]](): pass",
		"async def f():\n class A[T]([x async for x in y]): pass");
	READS(MINOR, "async def f():\n class A([x async for x in y]): pass",
	      "async def f():\n type X = (y async for y in z)");
}
END_TEST

START_TEST(docstrings_have_no_surrogates_since_313)
{
	READS(12, "'\\ud800'");
	REFUSES(13, "'\\ud800'", "def f():\n '\\udfff'", "class A: '\\ud800'");
	READS(13, "x = '\\ud800'", "1; '\\ud800'", "'\\ud7ff\\ue000'");
}
END_TEST

START_TEST(a_type_alias_is_a_name_its_parameters_and_a_value)
{
	REFUSES(MINOR, "type A[T]", "type A, B // int", "type A = B = C",
		"type A[T] + 1", "type A: int = 3", "type A = b, c",
		"type A = (yield)", "type A.b = c", "type A[] = b");
	READS(MINOR, "type A = int; type B[T] = A", "type = 1", "type(A)",
	      "type[A]", "type: int = 1", "type\nA = 1");
}
END_TEST

SG_TEST_MAIN("check", targets_are_checked, calls_and_parameters_are_checked,
	     places_of_statements_are_checked, declarations_are_checked,
	     walruses_and_futures_are_checked,
	     private_names_are_mangled_before_they_are_compared,
	     debug_cannot_be_bound,
	     a_type_alias_is_a_name_its_parameters_and_a_value,
	     keys_and_attributes_of_patterns_come_once,
	     starred_patterns_and_targets_have_a_cap_before_them,
	     async_comprehensions_need_an_async_scope_of_their_own,
	     docstrings_have_no_surrogates_since_313)
