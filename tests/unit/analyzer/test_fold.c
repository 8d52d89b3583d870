/* What Python's text operations give for constants. */

#include <stdio.h>

#include "analyzer/fold.h"
#include "unit/analyzer/facts.h"

static struct sg_buf out;

static struct sg_fold
str(const char *s)
{
	return (struct sg_fold){ .kind = SG_FOLD_STR, .s = sg_str_c(s) };
}

static struct sg_fold
num(int64_t i)
{
	return (struct sg_fold){ .kind = SG_FOLD_INT, .i = i };
}

static void
method_is(const char *self, const char *name, struct sg_fold a,
	  struct sg_fold b, uint32_t n, const char *want)
{
	struct sg_fold args[2] = { a, b }, me = str(self), ret;

	sg_buf_init(&out, 4096);
	ck_assert_msg(sg_fold_method(sg_str_c(name), &me, args, n, &out, &ret),
		      "%s.%s", self, name);
	ck_str_is(ret.s, want);
	sg_buf_release(&out);
}

START_TEST(methods_do_as_python_does)
{
	method_is("EVAL", "lower", num(0), num(0), 0, "eval");
	method_is("eVaL", "swapcase", num(0), num(0), 0, "EvAl");
	method_is("a-b c", "title", num(0), num(0), 0, "A-B C");
	method_is("aBC", "capitalize", num(0), num(0), 0, "Abc");
	method_is("  x ", "strip", num(0), num(0), 0, "x");
	method_is("xxeyx", "strip", str("xy"), num(0), 1, "e");
	method_is("xxe", "lstrip", str("x"), num(0), 1, "e");
	method_is("eXvXal", "replace", str("X"), str(""), 2, "eval");
	method_is("ab", "replace", str(""), str("-"), 2, "-a-b-");
	method_is("os.path", "removeprefix", str("os."), num(0), 1, "path");
	method_is("os.path", "removesuffix", str(".path"), num(0), 1, "os");
	method_is("a", "ljust", num(3), str("-"), 2, "a--");
	method_is("a", "rjust", num(3), num(0), 1, "  a");
	method_is("a", "center", num(4), str("."), 2, ".a..");
	method_is("7", "zfill", num(3), num(0), 1, "007");
	method_is("\303\251a", "upper", num(0), num(0), 0, "\303\251A");
}
END_TEST

START_TEST(an_unknown_method_does_not_fold)
{
	struct sg_fold me = str("x"), ret;

	sg_buf_init(&out, 64);
	ck_assert(!sg_fold_method(SG_STR("frobnicate"), &me, NULL, 0, &out,
				  &ret));
	ck_assert(!sg_fold_method(SG_STR(""), &me, NULL, 0, &out, &ret));
	sg_buf_release(&out);
}
END_TEST

START_TEST(a_result_beyond_the_buffer_does_not_fold)
{
	struct sg_fold me = str("abcdefgh"), ret;

	sg_buf_init(&out, 7);
	ck_assert(!sg_fold_method(SG_STR("upper"), &me, NULL, 0, &out, &ret));
	sg_buf_release(&out);
	sg_buf_init(&out, 8);
	ck_assert(sg_fold_method(SG_STR("upper"), &me, NULL, 0, &out, &ret));
	ck_str_is(ret.s, "ABCDEFGH");
	sg_buf_release(&out);
}
END_TEST

static void
slice_is(const char *self, unsigned has, int64_t a, int64_t b, int64_t c,
	 const char *want)
{
	struct sg_fold me = str(self), ret;

	sg_buf_init(&out, 4096);
	ck_assert(sg_fold_slice(&me, has, a, b, c, &out, &ret));
	ck_str_is(ret.s, want);
	sg_buf_release(&out);
}

START_TEST(slices_count_code_points_and_may_run_backwards)
{
	slice_is("lave", 4, 0, 0, -1, "eval");
	slice_is("xevalx", 3, 1, 5, 0, "eval");
	slice_is("xevalx", 3, 1, -1, 0, "eval");
	slice_is("e.v.a.l", 4, 0, 0, 2, "eval");
	slice_is("\303\251\303\250x", 2, 0, 2, 0, "\303\251\303\250");
	slice_is("abc", 3, 2, 1, 0, "");
	slice_is("abc", 1, -99, 0, 0, "abc");
	slice_is("abc", 5, 99, 0, -1, "cba");
}
END_TEST

START_TEST(indices_are_checked)
{
	struct sg_fold me = str("a\303\251"), ret;

	ck_assert(sg_fold_index(&me, -1, &ret));
	ck_str_is(ret.s, "\303\251");
	ck_assert(!sg_fold_index(&me, 2, &ret));
	ck_assert(!sg_fold_index(&me, -3, &ret));
	me.kind = SG_FOLD_BYTES;
	ck_assert(sg_fold_index(&me, 0, &ret));
	ck_assert_int_eq(ret.i, 'a');
}
END_TEST

static void
decodes(const char *codec, const char *in, const char *want)
{
	enum sg_fold_kind kind;

	sg_buf_init(&out, 4096);
	ck_assert_msg(
		sg_fold_decode(sg_str_c(codec), sg_str_c(in), &out, &kind),
		"%s of %s", codec, in);
	ck_str_is(sg_buf_view(&out), want);
	sg_buf_release(&out);
}

START_TEST(codecs_are_known_under_their_spellings)
{
	enum sg_fold_kind kind;

	decodes("utf-8", "eval", "eval");
	decodes("UTF8", "eval", "eval");
	decodes("latin-1", "\351", "\303\251");
	decodes("ISO-8859-1", "e", "e");
	decodes("hex", "6576616c", "eval");
	decodes("base64", "ZXZhbA==", "eval");
	decodes("rot13", "riny", "eval");
	decodes("rot_13", "RINY", "EVAL");
	decodes("unicode_escape", "\\x65\\u0076\\141l", "eval");
	sg_buf_init(&out, 64);
	ck_assert(!sg_fold_decode(SG_STR("ebcdic"), SG_STR("x"), &out, &kind));
	ck_assert(!sg_fold_decode(SG_STR("hex"), SG_STR("6"), &out, &kind));
	ck_assert(!sg_fold_decode(SG_STR("utf8"), SG_STR("\377"), &out, &kind));
	sg_buf_release(&out);
}
END_TEST

START_TEST(numbers_are_read_in_any_base)
{
	int64_t i;

	ck_assert(sg_fold_int(SG_STR(" 65 "), 10, &i) && i == 65);
	ck_assert(sg_fold_int(SG_STR("0x41"), 16, &i) && i == 65);
	ck_assert(sg_fold_int(SG_STR("0b1"), 0, &i) && i == 1);
	ck_assert(sg_fold_int(SG_STR("1_0"), 10, &i) && i == 10);
	ck_assert(sg_fold_int(SG_STR("-zz"), 36, &i) && i == -1295);
	ck_assert(!sg_fold_int(SG_STR(""), 10, &i));
	ck_assert(!sg_fold_int(SG_STR("9"), 8, &i));
	ck_assert(!sg_fold_int(SG_STR("99999999999999999999"), 10, &i));
}
END_TEST

static void
formats(const char *template, struct sg_fold a, struct sg_fold b,
	const char *want)
{
	const struct sg_fold_arg args[2] = { { SG_STR_NONE, a, true },
					     { SG_STR("n"), b, true } };
	struct sg_fold me = str(template), ret;
	bool whole;

	sg_buf_init(&out, 4096);
	ck_assert(sg_fold_format(&me, args, 2, &out, &ret, &whole));
	ck_assert_msg(whole, "%s", template);
	ck_str_is(ret.s, want);
	sg_buf_release(&out);
}

START_TEST(templates_are_filled_in)
{
	formats("{}{n}", str("ev"), str("al"), "eval");
	formats("{0}{{}}", str("x"), num(0), "x{}");
	formats("{0:>4}|{n:<3}|", str("x"), str("y"), "   x|y  |");
	formats("{0:04d}{n:x}", num(7), num(255), "0007ff");
	formats("{0!r}{n:c}", str("x"), num(101), "'x'e");
}
END_TEST

START_TEST(a_template_with_something_unknown_keeps_its_beginning)
{
	const struct sg_fold_arg args[1] = { { SG_STR_NONE, num(0), false } };
	struct sg_fold me = str("/home/{}/x"), ret;
	bool whole = true;

	sg_buf_init(&out, 4096);
	ck_assert(sg_fold_format(&me, args, 1, &out, &ret, &whole));
	ck_assert(!whole);
	ck_str_is(ret.s, "/home/");
	sg_buf_release(&out);
}
END_TEST

/* Each of these is the name `eval`, looked up in __builtins__. */
START_TEST(a_composed_name_is_seen)
{
	static const char *const spellings[] = {
		"'ev' + 'al'",
		"'ev' 'al'",
		"'%s%s' % ('ev', 'al')",
		"'ev%s' % 'al'",
		"'%c%c%c%c' % (101, 118, 97, 108)",
		"'{}{}'.format('ev', 'al')",
		"'{a}{b}'.format(a='ev', b='al')",
		"f\"{'ev'}{'al'}\"",
		"f'ev{chr(97)}l'",
		"f'{101:c}val'",
		"'lave'[::-1]",
		"'xevalx'[1:5]",
		"'xevalx'[1:-1]",
		"'e.v.a.l'.replace('.', '')",
		"'EVAL'.lower()",
		"'EVAL'.swapcase()",
		"'..eval..'.strip('.')",
		"'a,eval'.split(',')[1]",
		"'a eval'.partition(' ')[2]",
		"''.join(['e', 'v', 'a', 'l'])",
		"''.join(('ev', 'al'))",
		"'v'.join(['e', 'al'])",
		"''.join(reversed('lave'))",
		"''.join(list('eval'))",
		"''.join([c for c in 'eval'])",
		"''.join(c for c in 'eval')",
		"''.join(map(chr, [101, 118, 97, 108]))",
		"''.join(chr(c) for c in [101, 118, 97, 108])",
		"''.join(chr(ord(c) - 1) for c in 'fwbm')",
		"''.join(chr(c ^ 1) for c in b'dw`m')",
		"''.join(chr(int(x, 16)) for x in '65 76 61 6c'.split())",
		"''.join('lave'[i] for i in range(3, -1, -1))",
		"''.join(['ev'] + ['al'])",
		"chr(101) + chr(0x76) + chr(97) + chr(108)",
		"bytes([101, 118, 97, 108]).decode()",
		"bytearray([101, 118, 97, 108]).decode('utf8')",
		"bytes.fromhex('6576616c').decode()",
		"b'eval'.decode()",
		"str(b'eval', 'ascii')",
		"'eval'.encode().decode()",
		"'\\x65val'",
		"'\\145val'",
		"'\\N{LATIN SMALL LETTER E}val'",
		"__import__('base64').b64decode('ZXZhbA==').decode()",
		"__import__('codecs').decode('riny', 'rot13')",
		"__import__('binascii').unhexlify('6576616c').decode()",
		"__import__('json').loads('\"eval\"')",
		"__import__('ast').literal_eval(\"'eval'\")",
		"__import__('operator').add('ev', 'al')",
		"max('eval', 'a')",
		"['x', 'eval'][1]",
		"('x', 'eval')[-1]",
		"{'k': 'eval'}['k']",
		"{'k': 'eval'}.get('k')",
		"'eval' if x else 'y'",
		"'' or 'eval'",
		"(lambda: 'eval')()",
		"(lambda a, b: a + b)('ev', 'al')",
		"eval.__name__",
		"'ev'.__add__('al')",
		"'a' * 0 + 'eval'",
		"(1818326629).to_bytes(4, 'little').decode()",
	};

	for (size_t i = 0; i < sizeof(spellings) / sizeof(*spellings); i++) {
		char code[256];
		struct sg_case c = HAS(code, CALL, "builtins.eval");

		snprintf(code, sizeof(code), "getattr(__builtins__, %s)('1')",
			 spellings[i]);
		ck_assert_msg(case_holds(&c), "%s", code);
	}
}
END_TEST

START_TEST(statements_compose_names_too)
{
	static const struct sg_case cases[] = {
		HAS("s = 'ev'\ns += 'al'\ngetattr(__builtins__, s)", REF,
		    "builtins.eval"),
		HAS("s = 'e'\ns += 'v'\ns += 'a'\ns += 'l'\n"
		    "getattr(__builtins__, s)",
		    REF, "builtins.eval"),
		HAS("s = 'ev'\ns = s + 'al'\ngetattr(__builtins__, s)", REF,
		    "builtins.eval"),
		HAS("a, b = 'ev', 'al'\ngetattr(__builtins__, a + b)", REF,
		    "builtins.eval"),
		HAS("s = 'ev'\nif x: s += 'il'\ns += 'al'\n"
		    "getattr(__builtins__, s)",
		    REF, "builtins.eval"),
		HAS("class K: n = 'eval'\ngetattr(__builtins__, K.n)", REF,
		    "builtins.eval"),
		HAS("def n(): return 'ev' + 'al'\n"
		    "getattr(__builtins__, n())",
		    REF, "builtins.eval"),
		HAS("j = ''.join\ngetattr(__builtins__, j(['ev', 'al']))", REF,
		    "builtins.eval"),
		/* What a loop composes is not known, and that is said. */
		DYNAMIC("s = ''\nfor c in x: s += c\n"
			"getattr(__builtins__, s)",
			ATTRIBUTE, "builtins"),
		DYNAMIC("getattr(__builtins__, input())", ATTRIBUTE,
			"builtins"),
		DYNAMIC("def f(n): return getattr(__builtins__, n)", ATTRIBUTE,
			"builtins"),
		KNOWN("import os\ndef f(n): return getattr(os, n)\nf('name')",
		      ATTRIBUTE),
	};

	CHECK_CASES(cases);
}
END_TEST

SG_TEST_MAIN("fold", methods_do_as_python_does, an_unknown_method_does_not_fold,
	     a_result_beyond_the_buffer_does_not_fold,
	     slices_count_code_points_and_may_run_backwards,
	     indices_are_checked, codecs_are_known_under_their_spellings,
	     numbers_are_read_in_any_base, templates_are_filled_in,
	     a_template_with_something_unknown_keeps_its_beginning,
	     a_composed_name_is_seen, statements_compose_names_too)
