/* What is known of the text of a pathlib path. */

#include <stdio.h>

#include "unit/analyzer/facts.h"

enum { MOST = 16 };

static const char head[] = "import os, operator, functools\n"
			   "from pathlib import Path, PurePath\n";

/* Whether the first argument of a call of `name` may be `want`. */
static bool
may_be(const char *code, const char *name, const char *want)
{
	char text[8192];
	const struct sg_analysis *an;

	(void)snprintf(text, sizeof(text), "%s%s", head, code);
	an = analyse(text);
	for (uint32_t i = 0; i < an->nfacts; i++) {
		const struct sg_fact *f = &an->facts[i];

		if (f->kind != SG_FACT_CALL || !f->nargs ||
		    !sg_str_eq(f->name, sg_str_c(name)))
			continue;
		for (uint32_t k = 0; k < f->args[0].nvalues; k++)
			if (sg_str_eq(f->args[0].values[k].text,
				      sg_str_c(want)))
				return true;
	}
	return false;
}

static void
opens(const char *code, const char *want)
{
	ck_assert_msg(may_be(code, "builtins.open", want), "%s: no %s", code,
		      want);
}

START_TEST(paths_are_joined)
{
	opens("open(Path('a') / 'b' / '../c')", "a/b/../c");
	opens("open(Path('a') / '/b')", "/b");
	opens("open('a' / Path('b'))", "a/b");
	opens("open(Path('a') / Path('b'))", "a/b");
	opens("open(Path('a', 'b', 'c'))", "a/b/c");
	opens("open(Path(Path('a'), 'b'))", "a/b");
	opens("open(Path())", ".");
	opens("open(PurePath('a').joinpath('b', 'c'))", "a/b/c");
	opens("open(Path('a').__truediv__('b'))", "a/b");
	opens("open(Path('a').__rtruediv__('b'))", "b/a");
	opens("open(operator.truediv(Path('a'), 'b'))", "a/b");
	opens("p = Path('a')\np /= 'b'\nopen(p)", "a/b");
	opens("j = Path('a').joinpath\nopen(j('b'))", "a/b");
	opens("open(getattr(Path('a'), 'joinpath')('b'))", "a/b");
	opens("open(Path.joinpath(Path('a'), 'b', 'c'))", "a/b/c");
	opens("open(PurePath.__truediv__(PurePath('a'), 'b'))", "a/b");
	opens("open(Path('a').with_segments('b', 'c'))", "b/c");
}
END_TEST

START_TEST(a_path_leads_to_others)
{
	opens("open(Path('/a/b').parent / 'c')", "/a/c");
	opens("open(Path('/a/b/c').parents[1])", "/a");
	opens("open(Path('/a/b/c').parents[-1])", "/");
	opens("for q in Path('/a/b').parents:\n    open(q)", "/a");
	opens("open(Path('/a/b').with_name('c'))", "/a/c");
	opens("open(Path('/a/b').with_suffix('.c'))", "/a");
	opens("open(Path('/a/../b').resolve())", "/b");
	opens("open(Path('a/..').absolute())", "./a/..");
	opens("open(Path('~/a').expanduser())", "~/a");
	opens("open(Path('/a/b/c').relative_to('/a'))", "b/c");
	opens("open(Path('/a').relative_to('/'))", "a");
	opens("open(Path('/a').relative_to(Path('/a')))", ".");
	opens("open(os.path.dirname('/a/b//c'))", "/a/b");
	opens("open(os.path.dirname('/a'))", "/");
	opens("open(os.path.dirname(Path('/a') / 'b'))", "/a");
	opens("def f(n): open(os.path.dirname('/a/b' + n))", "/a");
	opens("open(Path.cwd().parent)", "./..");
	opens("open(Path.cwd().anchor + 'a')", "/a");
	opens("open(os.getcwd()[0] + 'a')", "/a");
	opens("open(os.getcwd()[:1] + 'a')", "/a");
	opens("open(Path('a').resolve().parent.parent)", "./..");
	opens("open(Path('a').parent.parent)", ".");
}
END_TEST

START_TEST(a_path_gives_its_text)
{
	opens("open(str(Path('a') / 'b') + '/c')", "a/b/c");
	opens("open(os.fspath(Path('a') / 'b') + '/c')", "a/b/c");
	opens("open(f\"{Path('a') / 'b'}/c\")", "a/b/c");
	opens("open('%s/c' % (Path('a') / 'b'))", "a/b/c");
	opens("open('{}/c'.format(Path('a') / 'b'))", "a/b/c");
	opens("open(os.path.join(Path('a') / 'b', 'c'))", "a/b/c");
	opens("open((Path('a') / 'b').as_posix())", "a/b");
	opens("open(Path('a').__fspath__())", "a");
}
END_TEST

START_TEST(it_is_followed_through_functions_and_loops)
{
	opens("def f(p): return p / '..'\nopen(f(f(Path('a'))))", "a/../..");
	opens("p = Path('a')\nfor x in ['b', 'c']:\n    p = p / x\nopen(p)",
	      "a/b/c");
	opens("open(functools.reduce(lambda p, x: p / x, ['b', 'c'], "
	      "Path('a')))",
	      "a/b/c");
	opens("class C:\n    d = Path('a')\nopen(C.d / 'b')", "a/b");
	opens("for d in [Path('a'), Path('b')]:\n    open(d / 'c')", "b/c");
	opens("open(os.path.join('a' if x else 'b', 'c'))", "b/c");
}
END_TEST

START_TEST(of_what_is_not_known_the_beginning_remains)
{
	opens("def f(n): open(Path('/a') / n)", "/a");
	opens("def f(n): open(Path('/a') / n / 'b')", "/a");
	opens("def f(n): open(Path('/a', n))", "/a");
	opens("def f(n): open(Path(n) / '/b')", "/b");
	opens("p = Path('/a')\nwhile x():\n    p = p / 'b'\nopen(p)", "/a");
	ck_assert(
		!may_be("def f(n): open(Path(n) / 'b')", "builtins.open", "b"));
}
END_TEST

/* What leaves the path that it was made of is made like any other. */
START_TEST(a_path_that_leads_elsewhere_is_a_call_of_its_class)
{
	const char *path = "pathlib.Path";

	ck_assert(may_be("Path('/a') / '..'", path, "/a/.."));
	ck_assert(may_be("Path('/a').parent", path, "/"));
	ck_assert(may_be("Path('/a/b').parents[0]", path, "/a"));
	ck_assert(may_be("Path('/a').with_name('b')", path, "/b"));
	ck_assert(may_be("Path('/a').joinpath('..')", path, "/a/.."));
	ck_assert(may_be("getattr(Path('/a'), 'parent')", path, "/"));
	ck_assert(may_be("for q in Path('/a').parents: pass", path, "/"));
	ck_assert(may_be("p = Path('/a')\np /= '..'", path, "/a/.."));
	ck_assert(may_be("def f(p): return p / '..'\nf(f(Path('/a')))", path,
			 "/a/../.."));
	ck_assert(!may_be("Path('/a') / 'b'", path, "/a/b"));
	ck_assert(!may_be("Path('/a').joinpath('b')", path, "/a/b"));
	ck_assert(!may_be("Path('/a').parents", path, "/"));
	ck_assert(!may_be("PurePath('/a').parent", path, "/"));
}
END_TEST

/* Opens each of `n` paths of a list. */
static bool
one_of_many_is(unsigned n, const char *want)
{
	char code[4096];
	size_t at = 0;

	for (unsigned i = 0; i < n; i++)
		at += (size_t)snprintf(code + at, sizeof(code) - at,
				       "%sPath('f%u')", i ? ", " : "ps = [", i);
	(void)snprintf(code + at, sizeof(code) - at,
		       "]\nfor p in ps:\n    open(p / 'x')\n    p.unlink()\n");
	return may_be(code, "builtins.open", want);
}

START_TEST(so_many_are_told_apart_and_no_more)
{
	const struct sg_analysis *an;

	ck_assert(one_of_many_is(MOST, "f15/x"));
	ck_assert(one_of_many_is(MOST + 1, "f0/x"));
	ck_assert(!one_of_many_is(MOST + 1, "f16/x"));
	/* What they are is known all the same. */
	(void)one_of_many_is(60, "f0/x");
	an = analyse("from pathlib import Path\n"
		     "for a in ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']:\n"
		     "    for b in ['1', '2', '3', '4', '5', '6', '7', '8']:\n"
		     "        (Path('x') / a / b).joinpath('z').unlink()\n");
	ck_assert_ptr_nonnull(
		find_fact(an, SG_FACT_CALL, "pathlib.Path.unlink"));
	ck_assert_ptr_null(find_fact(an, SG_FACT_DYNAMIC, NULL));
}
END_TEST

START_TEST(methods_that_compose_are_mentioned_and_called_by_name)
{
	static const struct sg_case cases[] = {
		HAS("from pathlib import Path\nPath('a').joinpath('b')", CALL,
		    "pathlib.Path.joinpath"),
		HAS("from pathlib import Path\nPath('a').resolve", REF,
		    "pathlib.Path.resolve"),
		HAS("from pathlib import Path\n(Path('a').parent).unlink()",
		    CALL, "pathlib.Path.unlink"),
		HAS("from pathlib import Path\n"
		    "(Path('a') / 'b').resolve().unlink()",
		    CALL, "pathlib.Path.unlink"),
		/* What is put in their place is seen. */
		HAS("import os\nfrom pathlib import Path\n"
		    "Path.resolve = os.system\nPath('a').resolve()",
		    CALL, "os.system"),
	};

	CHECK_CASES(cases);
}
END_TEST

SG_TEST_MAIN("value_pathlib", paths_are_joined, a_path_leads_to_others,
	     a_path_gives_its_text, it_is_followed_through_functions_and_loops,
	     of_what_is_not_known_the_beginning_remains,
	     a_path_that_leads_elsewhere_is_a_call_of_its_class,
	     so_many_are_told_apart_and_no_more,
	     methods_that_compose_are_mentioned_and_called_by_name)
