/* The skeleton: what each thing becomes, and what the lexer refuses. */

#include <stdlib.h>

#include "analyzer/scrub.h"
#include "unit/support.h"

enum { MINOR = 13 };

struct reading {
	struct sg_arena arena;
	struct sg_scrub *scrub;
};

static struct reading
scrub(struct sg_str text, uint32_t minor)
{
	struct reading r;
	struct sg_err err;

	sg_err_clear(&err);
	sg_arena_init(&r.arena, 1u << 20);
	r.scrub = malloc(sizeof(*r.scrub));
	ck_assert_ptr_nonnull(r.scrub);
	sg_scrub_init(r.scrub);
	ck_good(sg_scrub_read(r.scrub, text, minor, &r.arena, &err), &err);
	return r;
}

static void
release(struct reading *r)
{
	sg_scrub_release(r->scrub);
	free(r->scrub);
	sg_arena_release(&r->arena);
}

static void
becomes_for(uint32_t minor, const char *text, const char *skeleton)
{
	struct reading r = scrub(sg_str_c(text), minor);

	ck_assert_msg(!r.scrub->problem, "%s: %.*s", text,
		      SG_STR_ARG(r.scrub->problem ? r.scrub->problem->message
						  : SG_STR_NONE));
	ck_str_is(((struct sg_str){ r.scrub->out.v, r.scrub->out.n }),
		  skeleton);
	release(&r);
}

static void
becomes(const char *text, const char *skeleton)
{
	becomes_for(MINOR, text, skeleton);
}

static void
refuses_for(uint32_t minor, const char *text, uint32_t start)
{
	struct reading r = scrub(sg_str_c(text), minor);

	ck_assert_msg(r.scrub->problem != NULL, "3.%u reads %s", minor, text);
	ck_assert_str_eq(r.scrub->problem->code, "syntax.error");
	ck_assert_msg(r.scrub->problem->range.start == start,
		      "%s: refused at %u, not %u", text,
		      r.scrub->problem->range.start, start);
	release(&r);
}

static void
refuses(const char *text, uint32_t start)
{
	refuses_for(MINOR, text, start);
}

START_TEST(names_numbers_and_strings_are_one_letter)
{
	becomes("abc = 12.5e3\n", "n=0;\n");
	becomes("print = 'it''s' \"me\"\n", "n=0;\n");
	becomes("\xc3\xa9t\xc3\xa9 = 0xff_ff\n", "n=0;\n");
	becomes("1if x else 2.j\n", "0 if n else 0;\n");
	becomes("1 .real, 1..real\n", "0 .n,0 .n;\n");
	becomes("x = ''\n", "n=0;\n");
	becomes("", "");
}
END_TEST

START_TEST(comments_blank_lines_and_line_joins_are_gone)
{
	becomes("# one\n\n  # two\nx # three\n", "n;\n");
	becomes("x = \\\n  1\n", "n=0;\n");
	becomes("f(a, # first\n  b)\n", "n(n,n);\n");
	becomes("a; b;\n", "n;n;\n");
	becomes("x", "n;\n");
}
END_TEST

START_TEST(comments_are_kept_as_ranges)
{
	struct reading r = scrub(SG_STR("#a\nx = '# no' # b\n"), MINOR);

	ck_assert_uint_eq(r.scrub->comments.n, 2);
	ck_assert_uint_eq(r.scrub->comments.v[0].start, 0);
	ck_assert_uint_eq(r.scrub->comments.v[0].end, 2);
	ck_assert_uint_eq(r.scrub->comments.v[1].start, 14);
	ck_assert_uint_eq(r.scrub->comments.v[1].end, 17);
	release(&r);
}
END_TEST

START_TEST(each_level_of_indentation_is_one_space)
{
	becomes("if x:\n        y\nz\n", "if n:\n n;\nn;\n");
	becomes("if x:\n\tif y:\n\t        z\n", "if n:\n if n:\n  n;\n");
	becomes("if x:\n \tif y:\n         z\n", "if n:\n if n:\n  n;\n");
}
END_TEST

START_TEST(a_form_feed_begins_the_line_anew)
{
	becomes("\fx\n", "n;\n");
	becomes("if x:\n  \f  y\n", "if n:\n n;\n");
	refuses("if x:\n    \fy\n", 11);
}
END_TEST

START_TEST(indentation_is_held_against_cpythons_rules)
{
	refuses("  x\n", 2);
	refuses("if x:\ny\n", 6);
	refuses("if x:\n", 6);
	refuses("x\n y\n", 3);
	refuses("if x:\n    y\n  z\n", 14);
	/* Tabs of eight and of one must not disagree. */
	refuses("if x:\n        y\n\tz\n", 17);
	refuses("if x:\n\ty\n        z\n", 17);
	becomes("if x:\n  y\n  # c\n # d\n  z\n", "if n:\n n;\n n;\n");
}
END_TEST

START_TEST(a_continuation_keeps_the_columns_before_it)
{
	becomes("if x:\n    y\n    \\\n  z\n", "if n:\n n;\n n;\n");
	becomes("if x:\n    y\n\\\n    z\n", "if n:\n n;\n n;\n");
	becomes("if x:\n    y\n\\\nz\n", "if n:\n n;\nn;\n");
	/* Python 3.9 stays at the level that is open. */
	becomes_for(9, "if x:\n    y\n\\\nz\n", "if n:\n n;\n n;\n");
	refuses("x = 1 \\", 6);
	refuses("x = 1 \\\n", 6);
	refuses("x = \\ 1\n", 4);
}
END_TEST

START_TEST(brackets_must_match)
{
	refuses("x = (1\n", 4);
	refuses("x = 1)\n", 5);
	refuses("x = (1]\n", 6);
	refuses("{(}\n", 2);
}
END_TEST

START_TEST(characters_that_are_no_token_are_refused)
{
	refuses("x = $\n", 4);
	refuses("x = `y`\n", 4);
	refuses("x ? y\n", 2);
	refuses("x <> y\n", 2);
	refuses("x\xe2\x80\x8b = 1\n", 1);
	refuses("x = \xc2\xa0y\n", 4);
	refuses("\xe2\x80\x9cx\xe2\x80\x9d\n", 0);
	refuses("x\x0b\n", 1);
	refuses("x = \xef\xbb\xbf 1\n", 4);
}
END_TEST

START_TEST(numbers_are_those_of_cpython)
{
	static const char *const bad[] = { "0777",   "00_1", "1__0", "1_",
					   "1_000_", "0x",   "0x_",  "0xg",
					   "0b2",    "0b12", "0o8",  "0b",
					   "1e+",    "1.5_", "1abc", "0_7",
					   "1_.5",   "1e1_", "0xfg", "12L" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		refuses(bad[i], 0);
	becomes("0, 00, 0_0, 0x_f, 0o17, 0B1, 1_0, 1e5, 1.e-5, .5, 0777.\n",
		"0,0,0,0,0,0,0,0,0,0,0;\n");
	becomes("0xfor x\n", "0 or n;\n");
}
END_TEST

START_TEST(strings_end_where_cpython_ends_them)
{
	becomes("x = 'a\\'b' \"\\\\\"\n", "n=0;\n");
	becomes("x = '''a'b''c\n'''\n", "n=0;\n");
	becomes("x = r'\\' + 1'\n", "n=0;\n");
	becomes("x = Rb'a' bR'b' B'c'\n", "n=0;\n");
	becomes("x = u'a' U'b'\n", "n=0;\n");
	becomes("x = 'a\\\nb'\n", "n=0;\n");
	refuses("x = 'a\n'\n", 4);
	refuses("x = '''a''\n", 4);
	refuses("x = b'\xc3\xa9'\n", 6);
	refuses("x = 'a' b'b'\n", 8);
	/* Not prefixes: a name before a string. */
	becomes("ur'a'\n", "n 0;\n");
	becomes("fb'a'\n", "n 0;\n");
}
END_TEST

START_TEST(fields_of_fstrings_are_read_as_expressions)
{
	becomes("f'a{x}b{y!r:>{w}}'\n", "{(n),(n),(n)};\n");
	becomes("f'{{}}'\n", "0;\n");
	becomes("f'{x=}' 'tail'\n", "{(n)};\n");
	becomes("'head' f'{x}' f'{y}'\n", "{(n),(n)};\n");
	/* A colon at the outer level is never a walrus or a lambda's. */
	becomes("f'{x:=5}'\n", "{(n)};\n");
	becomes("f'{x:{y:{z}}}'\n", "{(n),(n),(n)};\n");
	becomes("f'{x != y}'\n", "{(n!=n)};\n");
	becomes("f'{a[b:c]}'\n", "{(n[n:n])};\n");
	becomes("f'{f(a=1)}'\n", "{(n(n=0))};\n");
	becomes("rf'\\{x}'\n", "{(n)};\n");
	becomes("f'\\N{DIGIT ONE}{x}'\n", "{(n)};\n");
}
END_TEST

START_TEST(fstrings_are_refused_as_cpython_refuses_them)
{
	refuses("f'{}'\n", 3);
	refuses("f'{ }'\n", 4);
	refuses("f'}'\n", 2);
	refuses("f'{x'\n", 4);
	refuses("f'{x!z}'\n", 4);
	refuses("f'{x!}'\n", 4);
	refuses("f'{x)}'\n", 4);
	refuses("f'{x=y}'\n", 5);
	refuses("f'{x!r y}'\n", 7);
}
END_TEST

START_TEST(fstrings_nest_by_version)
{
	becomes_for(12, "f'{f'{x}'}'\n", "{({(n)})};\n");
	becomes_for(12, "f'{d['a']}'\n", "{(n[0])};\n");
	becomes_for(12, "f'{'\\n'.join(x)}'\n", "{(0 .n(n))};\n");
	becomes_for(12, "f'{x # c\n}'\n", "{(n)};\n");
	refuses_for(11, "f'{d['a']}'\n", 0);
	refuses_for(11, "f'{\"\\n\"}'\n", 2);
	refuses_for(11, "f'''{x # c\n}'''\n", 7);
	becomes_for(11, "f'{d[\"a\"]}'\n", "{(n[0])};\n");
	becomes_for(11, "f'''{\nx}'''\n", "{(n)};\n");
	refuses_for(11, "f'{x:{y:{z}}}'\n", 8);
	refuses_for(12, "f'{x:{y:{z:{w}}}}'\n", 11);
}
END_TEST

START_TEST(tstrings_are_of_314)
{
	becomes_for(14, "t'{x}'\n", "{(n)};\n");
	becomes_for(13, "t'{x}'\n", "n 0;\n");
	refuses_for(14, "t'{x}' 'a'\n", 7);
}
END_TEST

START_TEST(stars_become_subscripts)
{
	becomes("return *a, b\n", "return S[n],n;\n");
	becomes("f(*a or b, **c)\n", "n(S[n or n],**n);\n");
	becomes("for *a, b in c: pass\n", "for S[n],n in n:pass;\n");
	becomes("x[*a]\n", "n[S[n]];\n");
	becomes("a * b ** c\n", "n*n**n;\n");
	becomes("def f(*a, **k): pass\n", "def n(*n,**n):pass;\n");
	becomes("lambda *a: a\n", "lambda*n:n;\n");
	becomes("from a import *\n", "from n import*;\n");
	becomes("print *a\n", "n*n;\n");
	refuses("x.*y\n", 2);
	refuses("def *f(): pass\n", 4);
}
END_TEST

START_TEST(annotations_stand_in_brackets)
{
	becomes("x: int = 1\n", "n:(n)=0;\n");
	becomes("def f(a: int = 1) -> str: pass\n",
		"def n(n:(n)=0)->(n):\n pass;\n");
	becomes("x: lambda: y\n", "n:(lambda:n);\n");
	refuses("x: = 1\n", 3);
	refuses("x:\n", 2);
}
END_TEST

START_TEST(type_parameters_become_calls)
{
	becomes("class A[T: int = str, *U, **V](B): pass\n",
		"class n[n(b=(n),d=(n)),n(),n()](n):pass;\n");
	becomes("type X[T] = list[T]\n", "assert n[n()],(n[n]);\n");
	becomes("type = 1\n", "n=0;\n");
	becomes("type(x)\n", "n(n);\n");
	becomes_for(11, "type X = 1\n", "n n=0;\n");
	refuses_for(11, "def f[T](): pass\n", 5);
	refuses_for(12, "def f[T = int](): pass\n", 8);
	refuses("def f[T 1](): pass\n", 8);
}
END_TEST

START_TEST(match_and_case_are_keywords_where_cpython_takes_them_so)
{
	becomes("match x:\n case [1, y] if z: pass\n",
		"while(n):\n while[[0,n]]and(n):pass;\n");
	becomes("match x, y:\n case _:\n  pass\n",
		"while(n,n):\n while[n]:\n  pass;\n");
	becomes("match = case = 1\n", "n=n=0;\n");
	becomes("match(x)\nmatch[x]: int\n", "n(n);\nn[n]:(n);\n");
	refuses_for(9, "match x:\n case _: pass\n", 0);
	refuses("match x:\n y\n", 10);
}
END_TEST

START_TEST(with_and_except_and_await_get_brackets)
{
	becomes("with a as b, c(): pass\n", "while[n as n,n()]:pass;\n");
	becomes("with lambda: x as y: pass\n",
		"while[(lambda:n) as n]:pass;\n");
	becomes("async with a: pass\n", "while[n]:pass;\n");
	becomes_for(14, "try: a\nexcept B, C: d\n", "try:n;\nexcept(n,n):n;\n");
	refuses_for(13, "try: a\nexcept B, C: d\n", 14);
	becomes("await x.y(z) ** 2\n", "(await n.n(n))**0;\n");
	becomes("(x := a if b else c)\n", "(n:=(n if n else n));\n");
	refuses("x await y\n", 2);
	refuses("await -x\n", 6);
}
END_TEST

START_TEST(a_statement_ends_with_its_line)
{
	refuses("x = 1 +\n2\n", 7);
	refuses("lambda x\n: y\n", 8);
	refuses("from a\nimport b\n", 6);
	refuses("import a,\n", 8);
	refuses("if x\n", 4);
	refuses("f(1; 2)\n", 3);
	becomes("a,\nb = c\n", "n,;\nn=n;\n");
	becomes("@d\ndef f(): pass\n", "@n\ndef n():pass;\n");
}
END_TEST

/* `n` times `unit`, after `head` and before `tail`. */
static struct sg_str
repeated(struct sg_buf *b, const char *head, const char *unit, unsigned n,
	 const char *tail)
{
	sg_buf_reset(b);
	sg_buf_c(b, head);
	while (n--)
		sg_buf_c(b, unit);
	sg_buf_c(b, tail);
	return sg_buf_view(b);
}

static bool
is_read(struct sg_str text)
{
	struct reading r = scrub(text, MINOR);
	bool good = !r.scrub->problem;

	release(&r);
	return good;
}

START_TEST(brackets_nest_to_the_cap_and_not_beyond)
{
	struct sg_buf b;

	sg_buf_init(&b, 1u << 16);
	for (unsigned n = 199; n <= 201; n++) {
		repeated(&b, "x = ", "(", n, "1");
		for (unsigned i = 0; i < n; i++)
			sg_buf_char(&b, ')');
		ck_assert_int_eq(is_read(sg_buf_view(&b)), n <= 200);
	}
	sg_buf_release(&b);
}
END_TEST

START_TEST(blocks_nest_to_the_cap_and_not_beyond)
{
	struct sg_buf b;

	sg_buf_init(&b, 1u << 16);
	for (unsigned n = 98; n <= 101; n++) {
		sg_buf_reset(&b);
		for (unsigned i = 0; i <= n; i++) {
			for (unsigned k = 0; k < i; k++)
				sg_buf_char(&b, ' ');
			sg_buf_c(&b, i == n ? "x\n" : "if x:\n");
		}
		ck_assert_int_eq(is_read(sg_buf_view(&b)), n <= 99);
	}
	sg_buf_release(&b);
}
END_TEST

START_TEST(fstrings_nest_to_the_cap_and_not_beyond)
{
	struct sg_buf b;

	sg_buf_init(&b, 1u << 16);
	for (unsigned n = 149; n <= 151; n++) {
		repeated(&b, "x = ", "f'{", n, "1");
		for (unsigned i = 0; i < n; i++)
			sg_buf_c(&b, "}'");
		ck_assert_int_eq(is_read(sg_buf_view(&b)), n <= 150);
	}
	sg_buf_release(&b);
}
END_TEST

START_TEST(what_the_skeleton_opens_has_a_cap)
{
	struct sg_buf b;

	sg_buf_init(&b, 1u << 16);
	ck_assert(is_read(repeated(&b, "x = ", "lambda:", 3000, "1\n")));
	for (unsigned n = SG_MAX_OPEN; n <= SG_MAX_OPEN + 1; n++) {
		repeated(&b, "x = ", "lambda x=", n, "1");
		for (unsigned i = 0; i < n; i++)
			sg_buf_c(&b, ":1");
		ck_assert_int_eq(is_read(sg_buf_view(&b)), n == SG_MAX_OPEN);
	}
	sg_buf_release(&b);
}
END_TEST

START_TEST(tokens_know_both_places)
{
	struct reading r = scrub(SG_STR("ab = f(\n  *cd)\n"), MINOR);
	const struct sg_token *t = r.scrub->tokens.v;

	/* ab = f ( * cd ) is n=n(S[n]) */
	ck_assert_uint_eq(r.scrub->tokens.n, 7);
	ck_assert_int_eq(t[0].kind, SG_TOK_NAME);
	ck_assert_uint_eq(t[0].end, 2);
	ck_assert_int_eq(t[4].kind, SG_TOK_STAR);
	ck_assert_uint_eq(t[4].out, 4);
	ck_assert_uint_eq(t[4].start, 10);
	ck_assert_uint_eq(t[5].out, 6);
	ck_assert_uint_eq(t[5].start, 11);
	ck_assert_uint_eq(t[5].end, 13);
	release(&r);
}
END_TEST

SG_TEST_MAIN("scrub", names_numbers_and_strings_are_one_letter,
	     comments_blank_lines_and_line_joins_are_gone,
	     comments_are_kept_as_ranges,
	     each_level_of_indentation_is_one_space,
	     a_form_feed_begins_the_line_anew,
	     indentation_is_held_against_cpythons_rules,
	     a_continuation_keeps_the_columns_before_it, brackets_must_match,
	     characters_that_are_no_token_are_refused,
	     numbers_are_those_of_cpython, strings_end_where_cpython_ends_them,
	     fields_of_fstrings_are_read_as_expressions,
	     fstrings_are_refused_as_cpython_refuses_them,
	     fstrings_nest_by_version, tstrings_are_of_314,
	     stars_become_subscripts, annotations_stand_in_brackets,
	     type_parameters_become_calls,
	     match_and_case_are_keywords_where_cpython_takes_them_so,
	     with_and_except_and_await_get_brackets,
	     a_statement_ends_with_its_line,
	     brackets_nest_to_the_cap_and_not_beyond,
	     blocks_nest_to_the_cap_and_not_beyond,
	     fstrings_nest_to_the_cap_and_not_beyond,
	     what_the_skeleton_opens_has_a_cap, tokens_know_both_places)
