/* The tree: CPython's shapes, and what its compiler refuses. */

#include "analyzer/tree.h"
#include "base/clock.h"
#include "base/map.h"
#include "unit/support.h"

enum { MINOR = 13, MAX_NAMES = 1 << 18 };

/* One reading after another, as a server does it. */
static struct workspace {
	struct sg_tree *tree;
	struct sg_arena arena;
	struct sg_intern names;
	struct sg_source source;
	struct sg_limits limits;
	struct sg_tree_job job;
} w;

static void
begin(void)
{
	struct sg_err err;

	sg_err_clear(&err);
	sg_arena_init(&w.arena, 64u << 20);
	sg_intern_init(&w.names, MAX_NAMES, 16u << 20);
	w.limits = sg_limits_default();
	ck_good(sg_tree_new(&w.tree, &err), &err);
}

static void
end(void)
{
	sg_tree_free(w.tree);
	sg_intern_release(&w.names);
	sg_arena_release(&w.arena);
}

static int
read_text(struct sg_str text, uint32_t minor, uint64_t deadline)
{
	struct sg_problem *problem = NULL;
	struct sg_err err;
	int rc;

	sg_err_clear(&err);
	sg_arena_reset(&w.arena);
	sg_intern_reset(&w.names);
	ck_good(sg_source_read(text, 4u << 20, &w.arena, &w.source, &problem,
			       &err),
		&err);
	ck_assert_ptr_null(problem);
	w.job = (struct sg_tree_job){ .source = &w.source,
				      .limits = &w.limits,
				      .minor = minor,
				      .deadline = deadline,
				      .arena = &w.arena,
				      .names = &w.names };
	rc = sg_tree_read(w.tree, &w.job, &err);
	ck_assert(rc == SG_OK || rc == SG_ENOMEM);
	return rc;
}

/* The tree's children of the module are `want`. */
static void
is_for(uint32_t minor, const char *text, const char *want)
{
	struct sg_buf out;
	struct sg_str body;

	sg_buf_init(&out, 1u << 20);
	ck_assert_int_eq(read_text(sg_str_c(text), minor, UINT64_MAX), SG_OK);
	ck_assert_msg(w.job.nproblems == 0, "%s: %.*s", text,
		      SG_STR_ARG(w.job.nproblems ? w.job.problems[0].message
						 : SG_STR_NONE));
	sg_ast_dump(&w.job.ast, &out);
	body = sg_buf_view(&out);
	ck_assert(sg_str_starts(body, SG_STR("(Module ")));
	ck_str_is(sg_str_slice(body, 8, body.n - 1), want);
	sg_buf_release(&out);
}

static void
is(const char *text, const char *want)
{
	is_for(MINOR, text, want);
}

static void
refuses_for(uint32_t minor, const char *text)
{
	ck_assert_int_eq(read_text(sg_str_c(text), minor, UINT64_MAX), SG_OK);
	ck_assert_msg(w.job.nproblems == 1, "3.%u reads %s", minor, text);
	ck_assert_str_eq(w.job.problems[0].code, "syntax.error");
	ck_assert_uint_gt(w.job.problems[0].message.n, 0);
	ck_assert_uint_le(w.job.problems[0].range.end, w.source.text.n);
	ck_assert_uint_eq(w.job.ast.n, 0);
}

static void
refuses_each(uint32_t minor, const char *const *texts, size_t n)
{
	begin();
	for (size_t i = 0; i < n; i++)
		refuses_for(minor, texts[i]);
	end();
}

static void
reads_each(uint32_t minor, const char *const *texts, size_t n)
{
	begin();
	for (size_t i = 0; i < n; i++) {
		read_text(sg_str_c(texts[i]), minor, UINT64_MAX);
		ck_assert_msg(w.job.nproblems == 0, "3.%u refuses %s: %.*s",
			      minor, texts[i],
			      SG_STR_ARG(w.job.nproblems
						 ? w.job.problems[0].message
						 : SG_STR_NONE));
	}
	end();
}

#define REFUSES(minor, ...)                                          \
	do {                                                         \
		static const char *const texts_[] = { __VA_ARGS__ }; \
		refuses_each((minor), texts_,                        \
			     sizeof(texts_) / sizeof(*texts_));      \
	} while (0)
#define READS(minor, ...)                                                      \
	do {                                                                   \
		static const char *const texts_[] = { __VA_ARGS__ };           \
		reads_each((minor), texts_, sizeof(texts_) / sizeof(*texts_)); \
	} while (0)

START_TEST(expressions_have_cpythons_shapes)
{
	begin();
	is("f(a, *b, c=1, **d)",
	   "(Expr:body (Call:value (Name:func n=f) (Name:arg n=a) "
	   "(Starred:arg (Name:value n=b)) (keyword:keyword n=c "
	   "(Constant:value 1)) (keyword:keyword +w (Name:value n=d))))");
	is("a.b[c:d, ::e]",
	   "(Expr:body (Subscript:value (Attribute:value n=b (Name:value "
	   "n=a)) (Tuple:slice (Slice:elt (Name:lower n=c) (Name:upper n=d)) "
	   "(Slice:elt (Name:step n=e)))))");
	is("a and b and c or d",
	   "(Expr:body (BoolOp:value o=Or (BoolOp:value o=And (Name:value n=a) "
	   "(Name:value n=b) (Name:value n=c)) (Name:value n=d)))");
	is("not a < b is not c",
	   "(Expr:body (UnaryOp:value o=Not (Compare:operand (Name:left n=a) "
	   "(Name:comparator n=b l=22) (Name:comparator n=c l=27))))");
	is("a ^ b & c",
	   "(Expr:body (BinOp:value o=BitXor (Name:left n=a) (BinOp:right "
	   "o=BitAnd (Name:left n=b) (Name:right n=c))))");
	is("-a ** -b",
	   "(Expr:body (UnaryOp:value o=USub (BinOp:operand o=Pow (Name:left "
	   "n=a) (UnaryOp:right o=USub (Name:operand n=b)))))");
	is("x = a if b else lambda: c",
	   "(Assign:body (Name:target n=x +s) (IfExp:value (Name:body n=a) "
	   "(Name:test n=b) (Lambda:orelse (arguments:arguments) (Name:body "
	   "n=c))))");
	is("(x async for x in y if z for w, in v)",
	   "(Expr:body (GeneratorExp:value (Name:elt n=x) "
	   "(comprehension:generator +a (Name:target n=x +s) (Name:iter n=y) "
	   "(Name:if n=z)) (comprehension:generator (Tuple:target +s (Name:elt "
	   "n=w +s)) (Name:iter n=v))))");
	end();
}
END_TEST

START_TEST(python_2_forms_are_expressions_or_refused)
{
	begin();
	is("print >>a, 'b'",
	   "(Expr:body (Tuple:value (BinOp:elt o=RShift (Name:left n=print) "
	   "(Name:right n=a)) (Constant:elt s\"b\")))");
	is("print -1",
	   "(Expr:body (BinOp:value o=Sub (Name:left n=print) (Constant:right "
	   "1)))");
	is("exec = print",
	   "(Assign:body (Name:target n=exec +s) (Name:value n=print))");
	end();
	REFUSES(MINOR, "print 'a'", "exec 'a'", "raise E, 'x'",
		"try: a\nexcept E, e: b", "ur'a'", "fb'a'",
		"def f((a, b)): pass", "[x for x in 1, 2]");
}
END_TEST

START_TEST(statements_have_cpythons_shapes)
{
	begin();
	is("a = b, c = d",
	   "(Assign:body (Name:target n=a +s) (Tuple:target +s (Name:elt n=b "
	   "+s) (Name:elt n=c +s)) (Name:value n=d))");
	is("if a: b\nelif c: d\nelse: e",
	   "(If:body (Name:test n=a) (Expr:body (Name:value n=b)) (If:orelse "
	   "(Name:test n=c) (Expr:body (Name:value n=d)) (Expr:orelse "
	   "(Name:value n=e))))");
	is("from ..a import (b as c, d)",
	   "(ImportFrom:body n=a l=2 (alias:name n=b a=c) (alias:name n=d))");
	is("import a.b as c, d.e",
	   "(Import:body (alias:name n=a.b a=c) (alias:name n=d.e))");
	is("with (a as b, c): d",
	   "(With:body (withitem:item (Name:context n=a) (Name:vars n=b +s)) "
	   "(withitem:item (Name:context n=c)) (Expr:body (Name:value n=d)))");
	is("with (a, b) as c: d",
	   "(With:body (withitem:item (Tuple:context (Name:elt n=a) (Name:elt "
	   "n=b)) (Name:vars n=c +s)) (Expr:body (Name:value n=d)))");
	is("try: a\nexcept* B as c: d\nelse: e\nfinally: f",
	   "(TryStar:body (Expr:body (Name:value n=a)) (ExceptHandler:handler "
	   "n=c (Name:type n=B) (Expr:body (Name:value n=d))) (Expr:orelse "
	   "(Name:value n=e)) (Expr:finalbody (Name:value n=f)))");
	is("@d\nasync def f(a, /, b: c = 1, *, e) -> g: pass",
	   "(AsyncFunctionDef:body n=f (Name:decorator n=d) "
	   "(arguments:arguments (arg:param n=a +p) (arg:param n=b "
	   "(Name:annotation n=c) (Constant:default 1)) (arg:param n=e +k)) "
	   "(Name:returns n=g) (Pass:body))");
	is("del a, (b.c, d[0])",
	   "(Delete:body (Name:target n=a +d) (Tuple:target +d (Attribute:elt "
	   "n=c +d (Name:value n=b)) (Subscript:elt +d (Name:value n=d) "
	   "(Constant:slice 0))))");
	is("a,\nb = c",
	   "(Expr:body (Tuple:value (Name:elt n=a))) (Assign:body (Name:target "
	   "n=b +s) (Name:value n=c))");
	end();
}
END_TEST

START_TEST(patterns_have_cpythons_shapes)
{
	begin();
	is("match a:\n case B(_, d=-1) | [None, *_] if e: f",
	   "(Match:body (Name:subject n=a) (match_case:case (MatchOr:pattern "
	   "(MatchClass:pattern (Name:cls n=B) (MatchAs:pattern) "
	   "(keyword:kwd_pattern n=d (MatchValue:pattern (UnaryOp:value o=USub "
	   "(Constant:operand 1))))) (MatchSequence:pattern "
	   "(MatchSingleton:pattern None) (MatchStar:pattern))) (Name:guard "
	   "n=e) (Expr:body (Name:value n=f))))");
	is("match a, b:\n case {'k': v, **r} as w: c",
	   "(Match:body (Tuple:subject (Name:elt n=a) (Name:elt n=b)) "
	   "(match_case:case (MatchAs:pattern n=w (MatchMapping:pattern n=r "
	   "(Constant:key s\"k\") (MatchAs:pattern n=v))) (Expr:body "
	   "(Name:value n=c))))");
	end();
	REFUSES(MINOR, "match a:\n case 1 + 1: b", "match a:\n case x, x: b",
		"match a:\n case x: b\n case y: c", "match a:\n case x | 1: b",
		"match a:\n case f'x': b", "match a:\n case {**r, 'k': v}: b",
		"match a:\n case *b: c", "match a:\n case {'k': 1, 'k': 2}: b");
}
END_TEST

START_TEST(strings_are_decoded)
{
	begin();
	is("x = 'a\\x41\\101\\n\\u00e9' \"b\" r'\\d'",
	   "(Assign:body (Name:target n=x +s) (Constant:value "
	   "s\"aAA\\x0a\\xc3\\xa9b\\x5cd\"))");
	is("x = b'\\xff\\u0041'",
	   "(Assign:body (Name:target n=x +s) (Constant:value "
	   "b\"\\xff\\x5cu0041\"))");
	is("x = '\\N{LATIN SMALL LETTER A}\\N{FULL STOP}'",
	   "(Assign:body (Name:target n=x +s) (Constant:value s\"a.\"))");
	is("x = '\\N{SNOWMAN}'",
	   "(Assign:body (Name:target n=x +s) (Constant:value "
	   "p\"\\xef\\xbf\\xbd\"))");
	is("x = '\\ud800'", "(Assign:body (Name:target n=x +s) (Constant:value "
			    "s\"\\xed\\xa0\\x80\"))");
	is("x = 'a\\\nb'",
	   "(Assign:body (Name:target n=x +s) (Constant:value s\"ab\"))");
	end();
	REFUSES(MINOR, "x = '\\x1'", "x = '\\u12'", "x = '\\U00110000'",
		"x = '\\N'", "x = b'\\x'");
}
END_TEST

START_TEST(fstrings_are_joined_strings)
{
	begin();
	is("'a' f'b{c!r:>{d}}{{e}}' 'f'",
	   "(Expr:body (JoinedStr:value (Constant:value s\"ab\") "
	   "(FormattedValue:value l=114 (Name:value n=c) "
	   "(JoinedStr:format_spec (Constant:value s\">\") "
	   "(FormattedValue:value (Name:value n=d)))) (Constant:value "
	   "s\"{e}f\")))");
	is("f'{x:=5}'",
	   "(Expr:body (JoinedStr:value (FormattedValue:value (Name:value n=x) "
	   "(JoinedStr:format_spec (Constant:value s\"=5\")))))");
	is("f'{x = }'",
	   "(Expr:body (JoinedStr:value (Constant:value s\"x\\x20=\\x20\") "
	   "(FormattedValue:value l=114 (Name:value n=x))))");
	is("f''", "(Expr:body (JoinedStr:value))");
	is("f'{a, *b}'",
	   "(Expr:body (JoinedStr:value (FormattedValue:value (Tuple:value "
	   "(Name:elt n=a) (Starred:elt (Name:value n=b))))))");
	end();
}
END_TEST

START_TEST(numbers_are_computed)
{
	begin();
	is("x = 0xff, 1_000, 0b11, 9223372036854775807, 9223372036854775808",
	   "(Assign:body (Name:target n=x +s) (Tuple:value (Constant:elt 255) "
	   "(Constant:elt 1000) (Constant:elt 3) (Constant:elt "
	   "9223372036854775807) (Constant:elt big)))");
	is("x = 1.5e3, 2j, True, None, ...",
	   "(Assign:body (Name:target n=x +s) (Tuple:value (Constant:elt 1500f) "
	   "(Constant:elt 2j) (Constant:elt True) (Constant:elt None) "
	   "(Constant:elt ...)))");
	end();
}
END_TEST

START_TEST(names_are_folded_by_nfkc)
{
	begin();
	is("\xef\xbd\x8f\xef\xbd\x93.\xe2\x84\x8asystem",
	   "(Expr:body (Attribute:value n=gsystem (Name:value n=os)))");
	is("import \xef\xbd\x8f\xef\xbd\x93.path",
	   "(Import:body (alias:name n=os.path))");
	end();
}
END_TEST

START_TEST(newer_syntax_is_read_by_version)
{
	begin();
	is_for(12, "type X[T: int] = T",
	       "(TypeAlias:body (Name:name n=X +s) (TypeVar:type_param n=T "
	       "(Name:bound n=int)) (Name:value n=T))");
	is_for(13, "def f[T = int, *U = *V](): pass",
	       "(FunctionDef:body n=f (TypeVar:type_param n=T (Name:default "
	       "n=int)) (TypeVarTuple:type_param n=U (Starred:default "
	       "(Name:value n=V))) (arguments:arguments) (Pass:body))");
	is_for(14, "try: a\nexcept B, C: d",
	       "(Try:body (Expr:body (Name:value n=a)) (ExceptHandler:handler "
	       "(Tuple:type (Name:elt n=B) (Name:elt n=C)) (Expr:body "
	       "(Name:value n=d))))");
	is_for(14, "t'a{b}'",
	       "(Expr:body (TemplateStr:value (Constant:value s\"a\") "
	       "(Interpolation:value (Name:value n=b))))");
	end();
	REFUSES(9, "match a:\n case 1: b");
	REFUSES(10, "try: a\nexcept* B: c", "a[*b]", "def f(*a: *b): pass");
	REFUSES(11, "type X = 1", "class A[T]: pass");
	REFUSES(12, "class A[T = 1]: pass");
	REFUSES(13, "try: a\nexcept B, C: d", "t'a'");
	READS(9, "with (a as b, c as d): e", "a[b]");
	READS(11, "a[*b]", "def f(*a: *b): pass", "try: a\nexcept* B: c");
}
END_TEST

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

START_TEST(errors_tell_the_place_and_the_text)
{
	begin();
	refuses_for(MINOR, "x = 1\ny = a b\n");
	ck_assert_uint_ge(w.job.problems[0].range.start, 6);
	ck_assert(sg_str_find(w.job.problems[0].message, 'a') <
		  w.job.problems[0].message.n);
	refuses_for(MINOR, "def f(:\n pass\n");
	end();
}
END_TEST

START_TEST(comments_come_with_the_tree)
{
	begin();
	ck_assert_int_eq(read_text(SG_STR("x # one\n# two"), MINOR, UINT64_MAX),
			 SG_OK);
	ck_assert_uint_eq(w.job.ncomments, 2);
	ck_assert_uint_eq(w.job.comments[1].start, 8);
	end();
}
END_TEST

START_TEST(nodes_know_their_subtree_and_depth)
{
	begin();
	ck_assert_int_eq(read_text(SG_STR("x = f(a, b)\n"), MINOR, UINT64_MAX),
			 SG_OK);
	/* x, f, a, b, Call, Assign, Module */
	ck_assert_uint_eq(w.job.ast.n, 7);
	ck_assert_int_eq(w.job.ast.nodes[5].kind, SG_AST_Call);
	ck_assert_uint_eq(w.job.ast.nodes[5].first_in_subtree, 2);
	ck_assert_uint_eq(w.job.ast.nodes[5].depth, 2);
	ck_assert_uint_eq(w.job.ast.nodes[2].depth, 3);
	ck_assert_uint_eq(w.job.ast.nodes[6].first_in_subtree, 1);
	ck_assert_uint_eq(w.job.ast.nodes[3].range.start, 6);
	end();
}
END_TEST

START_TEST(an_empty_text_is_an_empty_module)
{
	begin();
	ck_assert_int_eq(
		read_text(SG_STR("# only this\n\n"), MINOR, UINT64_MAX), SG_OK);
	ck_assert_uint_eq(w.job.nproblems, 0);
	ck_assert_uint_eq(w.job.ast.n, 1);
	ck_assert_int_eq(w.job.ast.nodes[1].kind, SG_AST_Module);
	end();
}
END_TEST

static const char *
code_of(struct sg_str text, uint64_t deadline)
{
	ck_assert_int_eq(read_text(text, MINOR, deadline), SG_OK);
	return w.job.nproblems ? w.job.problems[0].code : "";
}

START_TEST(the_cap_on_nodes_holds_at_it_and_beyond)
{
	begin();
	w.limits.nodes = 7;
	ck_assert_str_eq(code_of(SG_STR("x = f(a, b)\n"), UINT64_MAX), "");
	w.limits.nodes = 6;
	ck_assert_str_eq(code_of(SG_STR("x = f(a, b)\n"), UINT64_MAX),
			 "limit.nodes");
	end();
}
END_TEST

START_TEST(the_cap_on_depth_holds_at_it_and_beyond)
{
	begin();
	w.limits.depth = 3;
	ck_assert_str_eq(code_of(SG_STR("x = f(a, b)\n"), UINT64_MAX), "");
	w.limits.depth = 2;
	ck_assert_str_eq(code_of(SG_STR("x = f(a, b)\n"), UINT64_MAX),
			 "limit.depth");
	end();
}
END_TEST

START_TEST(the_deadline_ends_the_parse)
{
	struct sg_buf b;

	begin();
	sg_buf_init(&b, 1u << 20);
	for (unsigned i = 0; i < 50000; i++)
		sg_buf_c(&b, "x = f(a)\n");
	ck_assert_str_eq(code_of(sg_buf_view(&b), 0), "limit.time");
	/* The next reading is not disturbed. */
	ck_assert_str_eq(code_of(SG_STR("x = 1\n"), UINT64_MAX), "");
	sg_buf_release(&b);
	end();
}
END_TEST

START_TEST(dotted_names_have_a_cap)
{
	struct sg_buf b;

	begin();
	sg_buf_init(&b, 1u << 18);
	for (unsigned n = 30000; n <= 40000; n += 10000) {
		sg_buf_reset(&b);
		sg_buf_c(&b, "import a");
		for (unsigned i = 0; i < n; i++)
			sg_buf_c(&b, ".a");
		ck_assert_str_eq(code_of(sg_buf_view(&b), UINT64_MAX),
				 n == 30000 ? "" : "limit.depth");
	}
	sg_buf_release(&b);
	end();
}
END_TEST

START_TEST(long_chains_need_no_stack)
{
	static const char *const units[] = {
		"a.", "a or ", "a + ", "not ", "-", "lambda:", "a if b else "
	};
	struct sg_buf b;

	begin();
	sg_buf_init(&b, 1u << 20);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		sg_buf_reset(&b);
		sg_buf_c(&b, "x = ");
		for (unsigned k = 0; k < 20000; k++)
			sg_buf_c(&b, units[i]);
		sg_buf_c(&b, "a\n");
		/* Only `or` is not nested: it is one node. */
		ck_assert_str_eq(code_of(sg_buf_view(&b), UINT64_MAX),
				 i == 1 ? "" : "limit.depth");
	}
	sg_buf_release(&b);
	end();
}
END_TEST

START_TEST(refused_memory_is_told)
{
	struct sg_arena small;
	struct sg_buf b;
	struct sg_err err;

	begin();
	sg_err_clear(&err);
	sg_arena_init(&small, 1024);
	sg_buf_init(&b, 1u << 16);
	sg_buf_c(&b, "x = '");
	for (unsigned i = 0; i < 2000; i++)
		sg_buf_c(&b, "\\n");
	sg_buf_c(&b, "'\n");
	read_text(sg_buf_view(&b), MINOR, UINT64_MAX);
	w.job.arena = &small;
	ck_assert_int_eq(sg_tree_read(w.tree, &w.job, &err), SG_ENOMEM);
	sg_arena_release(&small);
	sg_buf_release(&b);
	end();
}
END_TEST

START_TEST(names_beyond_the_interners_cap_are_refused)
{
	struct sg_err err;

	begin();
	sg_err_clear(&err);
	read_text(SG_STR("a = b = c\n"), MINOR, UINT64_MAX);
	sg_intern_release(&w.names);
	sg_intern_init(&w.names, 2, 1u << 16);
	ck_assert_int_eq(sg_tree_read(w.tree, &w.job, &err), SG_ENOMEM);
	end();
}
END_TEST

SG_TEST_MAIN("tree", expressions_have_cpythons_shapes,
	     python_2_forms_are_expressions_or_refused,
	     statements_have_cpythons_shapes, patterns_have_cpythons_shapes,
	     strings_are_decoded, fstrings_are_joined_strings,
	     numbers_are_computed, names_are_folded_by_nfkc,
	     newer_syntax_is_read_by_version, targets_are_checked,
	     calls_and_parameters_are_checked, places_of_statements_are_checked,
	     declarations_are_checked, walruses_and_futures_are_checked,
	     errors_tell_the_place_and_the_text, comments_come_with_the_tree,
	     nodes_know_their_subtree_and_depth,
	     an_empty_text_is_an_empty_module,
	     the_cap_on_nodes_holds_at_it_and_beyond,
	     the_cap_on_depth_holds_at_it_and_beyond,
	     the_deadline_ends_the_parse, dotted_names_have_a_cap,
	     long_chains_need_no_stack, refused_memory_is_told,
	     names_beyond_the_interners_cap_are_refused)
