/* The tree: CPython's shapes. */

#include "unit/analyzer/reading.h"

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
	REFUSES(MINOR, "match x:\n case a for b in c: d",
		"match x:\n case *a for b in c: d",
		"match x:\n case a(b=c) for d in e: f",
		"match x:\n case a for b in c if d: e",
		"match x:\n case (a for b in c): d", "match x:\n case a(,): b",
		"match x:\n case {,}: a", "match a for b in c:\n case d: e");
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
	   "s\"\\xe2\\x98\\x83\"))");
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

START_TEST(characters_are_known_by_name)
{
	begin();
	is("'\\N{latin small letter a}\\N{NULL}'",
	   "(Expr:body (Constant:value s\"a\\x00\"))");
	is("f'\\N{DIGIT ONE}{x}'",
	   "(Expr:body (JoinedStr:value (Constant:value s\"1\") "
	   "(FormattedValue:value (Name:value n=x))))");
	is("b'\\N{NOTHING}'",
	   "(Expr:body (Constant:value b\"\\x5cN{NOTHING}\"))");
	is("r'\\N{NOTHING}'",
	   "(Expr:body (Constant:value s\"\\x5cN{NOTHING}\"))");
	is_for(11, "'\\N{MELTING FACE}'",
	       "(Expr:body (Constant:value s\"\\xf0\\x9f\\xab\\xa0\"))");
	end();
	REFUSES(10, "'\\N{MELTING FACE}'", "\xf0\x9e\x93\x90 = 1");
	REFUSES(MINOR, "'\\N{NOTHING}'", "f'\\N{NOTHING}'", "'\\N{}'", "'\\N'",
		"'\\N{DIGIT ONE'", "'\\NDIGIT ONE'",
		"'\\N{KEYCAP DIGIT ZERO}'");
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
	/* What CPython makes of it, by accident. */
	is("x if 010else y",
	   "(Expr:body (IfExp:value (Name:body n=x) (Constant:test 10f) "
	   "(Name:orelse n=y)))");
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

/* Of 3.14 there may be no interpreter to compare with: what is known of it
 * stands here. */
START_TEST(templates_are_read_since_314)
{
	begin();
	is_for(14, "t'a{b}'",
	       "(Expr:body (TemplateStr:value (Constant:value s\"a\") "
	       "(Interpolation:value (Name:value n=b))))");
	is_for(14, "t''", "(Expr:body (TemplateStr:value))");
	is_for(14, "rT'\\{a!r:>{b}}'",
	       "(Expr:body (TemplateStr:value (Constant:value s\"\\x5c\") "
	       "(Interpolation:value l=114 (Name:value n=a) "
	       "(JoinedStr:format_spec (Constant:value s\">\") "
	       "(FormattedValue:value (Name:value n=b))))))");
	is_for(14, "t'{a=}'",
	       "(Expr:body (TemplateStr:value (Constant:value s\"a=\") "
	       "(Interpolation:value l=114 (Name:value n=a))))");
	is_for(14, "t'a' t'{b}'",
	       "(Expr:body (TemplateStr:value (Constant:value s\"a\") "
	       "(Interpolation:value (Name:value n=b))))");
	is_for(14, "t'{t'{a}'}'",
	       "(Expr:body (TemplateStr:value (Interpolation:value "
	       "(TemplateStr:value (Interpolation:value (Name:value "
	       "n=a))))))");
	end();
	REFUSES(13, "t'a'", "rt'a'");
	REFUSES(14, "bt'a'", "ut'a'", "ft'a'", "tf'a'", "tt'a'", "t'a' 'b'",
		"'a' t'b'", "t'a' f'b'", "t'a' b'b'", "t'{}'", "t'{a'",
		"t'{a:\n}'", "t'a' = b", "match x:\n case t'a': b",
		"match x:\n case {t'a': b}: c");
	READS(14, "t", "t = 1", "t('a')", "T'''\n{\na\n}'''", "t'{{}}'");
}
END_TEST

START_TEST(exceptions_need_no_parentheses_since_314)
{
	begin();
	is_for(14, "try: a\nexcept B, C: d",
	       "(Try:body (Expr:body (Name:value n=a)) (ExceptHandler:handler "
	       "(Tuple:type (Name:elt n=B) (Name:elt n=C)) (Expr:body "
	       "(Name:value n=d))))");
	is_for(14, "try: a\nexcept* B, C,: d",
	       "(TryStar:body (Expr:body (Name:value n=a)) "
	       "(ExceptHandler:handler (Tuple:type (Name:elt n=B) (Name:elt "
	       "n=C)) (Expr:body (Name:value n=d))))");
	is_for(14, "try: a\nexcept B,: d",
	       "(Try:body (Expr:body (Name:value n=a)) (ExceptHandler:handler "
	       "(Tuple:type (Name:elt n=B)) (Expr:body (Name:value n=d))))");
	end();
	REFUSES(13, "try: a\nexcept B, C: d", "try: a\nexcept B,: d");
	REFUSES(14, "try: a\nexcept B, C as d: e", "try: a\nexcept , : b",
		"try: a\nexcept B, C, as d: e");
	READS(14, "try: a\nexcept (B, C) as d: e",
	      "try: a\nexcept f(b, c), D: e");
}
END_TEST

/* Jumps out of a `finally` are warned of by CPython, and compiled. */
START_TEST(jumps_out_of_finally_are_read)
{
	static const char *const texts[] = {
		"def f():\n try: a\n finally: return 1",
		"for x in y:\n try: a\n finally: break",
		"while x:\n try: a\n finally: continue",
	};

	for (uint32_t minor = 9; minor <= 14; minor++)
		reads_each(minor, texts, sizeof(texts) / sizeof(*texts));
}
END_TEST

/* Since 3.14 annotations are evaluated later, in a scope of their own. */
START_TEST(annotations_have_a_scope_since_314)
{
	READS(13, "def f():\n x: (yield)", "def f(x: (y := 1)): pass",
	      "async def f():\n def g() -> (await x): pass");
	REFUSES(14, "def f():\n x: (yield)", "def f(x: (y := 1)): pass",
		"async def f():\n def g() -> (await x): pass",
		"async def f():\n def g(x: [y async for y in z]): pass",
		"x: (y := 1)");
	READS(14, "x: Later\nclass Later: pass",
	      "class A:\n x: 'B' = 1\n def f(self) -> A: pass",
	      "def f(x: lambda: (yield)): pass",
	      "from __future__ import annotations\nx: int = 1");
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
	end();
	REFUSES(9, "match a:\n case 1: b");
	REFUSES(10, "try: a\nexcept* B: c", "a[*b]", "def f(*a: *b): pass");
	REFUSES(11, "type X = 1", "class A[T]: pass");
	REFUSES(12, "class A[T = 1]: pass");
	READS(9, "with (a as b, c as d): e", "a[b]");
	READS(11, "a[*b]", "def f(*a: *b): pass", "try: a\nexcept* B: c");
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

SG_TEST_MAIN("tree", expressions_have_cpythons_shapes,
	     python_2_forms_are_expressions_or_refused,
	     statements_have_cpythons_shapes, patterns_have_cpythons_shapes,
	     strings_are_decoded, fstrings_are_joined_strings,
	     characters_are_known_by_name, numbers_are_computed,
	     names_are_folded_by_nfkc, newer_syntax_is_read_by_version,
	     errors_tell_the_place_and_the_text, comments_come_with_the_tree,
	     nodes_know_their_subtree_and_depth,
	     an_empty_text_is_an_empty_module, templates_are_read_since_314,
	     exceptions_need_no_parentheses_since_314,
	     jumps_out_of_finally_are_read, annotations_have_a_scope_since_314)
