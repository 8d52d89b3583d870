/* Where the evaluation ends, and what is said there; its tables. */

#include "analyzer/value_special.h"
#include "unit/analyzer/facts.h"

/* A chain of names in the order of the text, or against it. */
static struct sg_buf
alias_chain(uint32_t n, bool backwards)
{
	struct sg_buf b;

	sg_buf_init(&b, 1 << 20);
	sg_buf_c(&b, "def f():\n global x0\n x0 = eval\n");
	for (uint32_t i = 1; i < n; i++) {
		uint32_t k = backwards ? n - i : i;

		sg_buf_printf(&b, "x%u = x%u\n", k, k - 1);
	}
	sg_buf_printf(&b, "x%u('1')\n", n - 1);
	ck_assert(!sg_buf_failed(&b));
	return b;
}

START_TEST(a_chain_of_aliases_is_followed)
{
	for (unsigned backwards = 0; backwards < 2; backwards++) {
		struct sg_buf b = alias_chain(1000, backwards);
		const struct sg_case c = HAS(b.data, CALL, "builtins.eval");

		ck_assert(case_holds(&c));
		sg_buf_release(&b);
	}
}
END_TEST

/* Not by counting: that would take hours, and no clock is looked at. */
START_TEST(nothing_is_nothing_however_often)
{
	const struct sg_analysis *an = analyse(
		"import os\n"
		"n = 999999999999999\n"
		"getattr(os, '' * n + 'sys' + n * '' + 'tem')('id')\n"
		"b'' * n\n'a' * -n\n");
	bool found = false;

	ck_assert_uint_eq(an->nproblems, 0);
	for (uint32_t i = 0; i < an->nfacts; i++)
		found = found ||
			sg_str_eq(an->facts[i].name, SG_STR("os.system"));
	ck_assert(found);
}
END_TEST

START_TEST(a_chain_beyond_the_bound_is_refused)
{
	struct sg_buf b = alias_chain(10000, true);
	const struct sg_analysis *an = analyse(b.data);

	ck_assert_uint_eq(an->nproblems, 1);
	ck_assert_str_eq(an->problems[0].code, "limit.values");
	ck_assert_uint_eq(an->nfacts, 0);
	sg_buf_release(&b);
}
END_TEST

/* One of many functions in a list is called; which is not known any more. */
START_TEST(a_cut_set_hides_no_call)
{
	static const char tail[] =
		"]\ndef f(n): return getattr(os, n)\nf('path')\n"
		"l.append(f)\nl[x]('system')\n";
	struct sg_buf b;
	struct sg_case c;

	sg_buf_init(&b, 1 << 20);
	sg_buf_c(&b, "import os\nl = [");
	for (unsigned i = 0; i < 60; i++)
		sg_buf_printf(&b, "lambda: %u,", i);
	sg_buf_c(&b, tail);
	c = (struct sg_case)DYNAMIC(b.data, WIDENED, "");
	ck_assert(case_holds(&c));
	c = (struct sg_case)DYNAMIC(b.data, ATTRIBUTE, "os");
	ck_assert(case_holds(&c));
	sg_buf_release(&b);
}
END_TEST

START_TEST(a_cut_set_keeps_modules)
{
	struct sg_buf b;
	const struct sg_analysis *an;

	sg_buf_init(&b, 1u << 16);
	sg_buf_c(&b, "import math, os\nx = math\n");
	for (unsigned i = 0; i < 3 * SG_SET_MAX; i++)
		sg_buf_printf(&b, "x = math.f%u\n", i);
	sg_buf_c(&b, "x = os\nx.listdir('/')\n");
	sg_buf_char(&b, '\0');
	an = analyse(b.data);
	ck_assert_ptr_nonnull(find_fact(an, SG_FACT_CALL, "os.listdir"));
	ck_assert_uint_gt(an->dynamic[SG_DYNAMIC_WIDENED], 0);
	sg_buf_release(&b);
}
END_TEST

/* `n` classes, each the base of the next; the first has a field. */
static const struct sg_analysis *
inherit(unsigned n)
{
	static struct sg_buf b;

	sg_buf_release(&b);
	sg_buf_init(&b, 1u << 16);
	sg_buf_c(&b, "class C0: f = eval\n");
	for (unsigned i = 1; i < n; i++)
		sg_buf_printf(&b, "class C%u(C%u): pass\n", i, i - 1);
	sg_buf_printf(&b, "C%u.f('1')\n", n - 1);
	sg_buf_char(&b, '\0');
	return analyse(b.data);
}

START_TEST(bases_are_followed_to_the_bound_and_said_beyond)
{
	const struct sg_analysis *an = inherit(SG_CLASS_DEPTH);

	ck_assert_ptr_nonnull(find_fact(an, SG_FACT_CALL, "builtins.eval"));
	ck_assert_uint_eq(an->dynamic[SG_DYNAMIC_WIDENED], 0);
	an = inherit(SG_CLASS_DEPTH + 1);
	ck_assert_uint_gt(an->dynamic[SG_DYNAMIC_WIDENED], 0);
}
END_TEST

START_TEST(recursion_ends)
{
	static const struct sg_case cases[] = {
		HAS("def f(x): return g(x)\ndef g(x): return f(x) or x\n"
		    "f(eval)('1')",
		    CALL, "builtins.eval"),
		HAS("class C:\n def __call__(s): return s\n"
		    "x = C()()()()\neval('1')",
		    CALL, "builtins.eval"),
		HAS("class C:\n def __getattr__(s, n): return s.q\n"
		    "C().x\neval('1')",
		    CALL, "builtins.eval"),
		HAS("class C(C): pass\nC().x\neval('1')", CALL,
		    "builtins.eval"),
		HAS("x = []\nx.append(x)\nx[0][0][0]\neval('1')", CALL,
		    "builtins.eval"),
		HAS("def f(): return f\nf()()()\neval('1')", CALL,
		    "builtins.eval"),
		HAS("from functools import partial as p\nf = p(eval)\n"
		    "while x: f = p(f)\nf('1')",
		    CALL, "builtins.eval"),
		HAS("s = 'a'\nwhile x: s = s + s\neval(s)", CALL,
		    "builtins.eval"),
		HAS("n = 1\nwhile x: n = n * 2 + 1\neval(n)", CALL,
		    "builtins.eval"),
	};

	CHECK_CASES(cases);
}
END_TEST

/* They are searched by halves. */
START_TEST(tables_of_known_callables_are_sorted)
{
	const struct {
		const struct sg_special *rows;
		uint32_t n;
	} tables[] = {
		{ sg_specials_reflect, sg_specials_reflect_n },
		{ sg_specials_iterate, sg_specials_iterate_n },
		{ sg_specials_text, sg_specials_text_n },
		{ sg_specials_ospath, sg_specials_ospath_n },
		{ sg_specials_pathlib, sg_specials_pathlib_n },
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		for (uint32_t k = 1; k < tables[i].n; k++)
			ck_assert_msg(strcmp(tables[i].rows[k - 1].name,
					     tables[i].rows[k].name) < 0,
				      "%s", tables[i].rows[k].name);
}
END_TEST

/* A row under another name than the canonical one would never be found. */
START_TEST(tables_of_known_callables_use_canonical_names)
{
	const struct {
		const struct sg_special *rows;
		uint32_t n;
	} tables[] = {
		{ sg_specials_reflect, sg_specials_reflect_n },
		{ sg_specials_iterate, sg_specials_iterate_n },
		{ sg_specials_text, sg_specials_text_n },
		{ sg_specials_ospath, sg_specials_ospath_n },
		{ sg_specials_pathlib, sg_specials_pathlib_n },
	};
	struct sg_modinfo info;

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		for (uint32_t k = 0; k < tables[i].n; k++) {
			const char *name = tables[i].rows[k].name;

			if (sg_modtable_find(sg_str_c(name), &info))
				ck_assert_msg(info.target.n == 0, "%s", name);
		}
}
END_TEST

SG_TEST_MAIN("value_bounds", a_chain_of_aliases_is_followed,
	     nothing_is_nothing_however_often,
	     a_chain_beyond_the_bound_is_refused, a_cut_set_hides_no_call,
	     a_cut_set_keeps_modules,
	     bases_are_followed_to_the_bound_and_said_beyond, recursion_ends,
	     tables_of_known_callables_are_sorted,
	     tables_of_known_callables_use_canonical_names)
