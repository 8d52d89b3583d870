/* The facts themselves: kinds, flags, places, arguments, chains. */

#include "analyzer/factlist.h"
#include "analyzer/tree.h"
#include "unit/analyzer/facts.h"

START_TEST(each_kind_is_given)
{
	static const struct sg_case cases[] = {
		HAS("import os.path", IMPORT, "os.path"),
		HAS("from os import path", IMPORT, "os"),
		HAS("__import__('os')", IMPORT, "os"),
		HAS("import os\nos.path.join", REF, "os"),
		HAS("import os\nos.path.join", REF, "os.path"),
		HAS("import os\nos.path.join", REF, "os.path.join"),
		HAS("print(1)", CALL, "builtins.print"),
		HAS("x.y", ATTR, "y"),
		HAS("getattr(x, 'y')", ATTR, "y"),
		HAS("x.__dict__['y']", ATTR, "__dict__"),
		HAS("import os\nos.__dict__['y']", ATTR, "y"),
		HAS("import operator\noperator.attrgetter('a.b')", ATTR, "b"),
		HAS("match x:\n case N(y=1): pass", ATTR, "y"),
		HAS("x = 1", BIND, "x"),
		HAS("import builtins\nbuiltins.print = 1", BIND,
		    "builtins.print"),
		HAS("import sys\nsys.modules['x'] = 1", BIND, "sys.modules[]"),
		HAS("import a.b as c", BIND, "c"),
		HAS("import a.b", BIND, "a"),
		HAS("x = 'text'", STRING, "text"),
		HAS("x = 'te' + 'xt'", STRING, "text"),
		HAS("x = b'text'", STRING, "text"),
		HAS("'{0.a[b]}'.format(x)", FORMAT, "a"),
		HAS("'{0.a[b]}'.format(x)", FORMAT, "b"),
		HAS("'{x.a}'.format_map(m)", FORMAT, "a"),
		HAS("str.format('{0.a}', x)", FORMAT, "a"),
		HAS("import os\n'{0.name}'.format(os)", REF, "os.name"),
		HAS("import os\n'{}{.name}'.format(1, os)", REF, "os.name"),
		HAS("import os\n'{m.name!r:>4}'.format(m=os)", REF, "os.name"),
		HAS("import os\n'{m.path.sep}'.format_map({'m': os})", REF,
		    "os.path"),
		HAS("import os\nos.environ['A'] = 'b'", CALL,
		    "os.environ.__setitem__"),
		HAS("import sys\nopen(sys.argv[0])", REF, "__main__.__file__"),
		HAS("import os\nx = os.sep + 'a'", STRING, "/a"),
		HAS("import os\nx = os.sep + 'a'", REF, "os.sep"),
		HAS("from os import path as p\nx = p.join(p.pardir, 'a')",
		    STRING, "../a"),
		HAS("import operator, os\n"
		    "operator.attrgetter('name').__call__(os)",
		    REF, "os.name"),
		LACKS("import sys\nopen(sys.argv[1])", REF,
		      "__main__.__file__"),
		LACKS("d = {}\nd['A'] = 'b'", CALL, NULL),
		LACKS("match input():\n case str(t): pass", DYNAMIC, NULL),
		HAS("class C:\n def __getattr__(s, n): pass", HOOK,
		    "__getattr__"),
		HAS("class C:\n __getitem__ = f", HOOK, "__getitem__"),
		HAS("import functools\n@functools.cache\ndef f(): pass", HOOK,
		    "@functools.cache"),
		HAS("@f\ndef g(): pass", HOOK, "@__main__.f"),
		HAS("x = 1 # nosec", SOURCE, "suppression"),
		HAS("# ruff: noqa\nx = 1", SOURCE, "suppression"),
		HAS("# -*- coding: utf-8 -*-\nx = 1", SOURCE, "cookie"),
		HAS("x = 'a\342\200\256b'", SOURCE, "bidi"),
		HAS("x = 'a\342\200\213b'", SOURCE, "invisible"),
		HAS("\357\273\277x = 1", SOURCE, "bom"),
		LACKS("x = 1 # a comment", SOURCE, NULL),
		LACKS("'{{0.a}}'.format(x)", FORMAT, NULL),
		LACKS("def __len__(): pass", HOOK, NULL),
	};

	CHECK_CASES(cases);
}
END_TEST

static uint32_t
flags_of(const char *code, enum sg_fact_kind kind, const char *name)
{
	const struct sg_fact *f = find_fact(analyse(code), kind, name);

	ck_assert_msg(f != NULL, "no such fact in %s", code);
	return f->flags;
}

START_TEST(flags_say_how)
{
	ck_assert_uint_eq(
		flags_of("x.y", SG_FACT_ATTR, "y") & SG_FACT_UNRESOLVED, 0);
	ck_assert(flags_of("def f(x): x.y", SG_FACT_ATTR, "y") &
		  SG_FACT_UNRESOLVED);
	ck_assert(flags_of("getattr(x, 'y')", SG_FACT_ATTR, "y") &
		  SG_FACT_BY_NAME);
	ck_assert(flags_of("x.y = 1", SG_FACT_ATTR, "y") & SG_FACT_STORE);
	ck_assert(flags_of("__import__('os')", SG_FACT_IMPORT, "os") &
		  SG_FACT_BY_NAME);
	ck_assert(flags_of("from os import path", SG_FACT_IMPORT, "os") &
		  SG_FACT_FROM);
	ck_assert(flags_of("from os import *", SG_FACT_IMPORT, "os") &
		  SG_FACT_STAR);
	ck_assert(flags_of("map(eval, x)", SG_FACT_CALL, "builtins.eval") &
		  SG_FACT_IMPLICIT);
	ck_assert(flags_of("e = eval\ne('1')", SG_FACT_CALL, "builtins.eval") ==
		  0);
	ck_assert(flags_of("'''doc'''", SG_FACT_STRING, "doc") &
		  SG_FACT_DOCSTRING);
	ck_assert(flags_of("b'x'", SG_FACT_STRING, "x") & SG_FACT_BYTES);
	ck_assert(flags_of("'x' + 'y'", SG_FACT_STRING, "xy") & SG_FACT_FOLDED);
	ck_assert(flags_of("import os as o\no.x", SG_FACT_REF, "os") &
		  SG_FACT_INDIRECT);
	ck_assert_uint_eq(flags_of("import os\nos.x", SG_FACT_REF, "os.x"), 0);
}
END_TEST

static const struct sg_arg *
arg_of(const char *code, const char *call, uint32_t i)
{
	const struct sg_fact *f = find_fact(analyse(code), SG_FACT_CALL, call);

	ck_assert_msg(f != NULL && f->nargs > i, "no such argument in %s",
		      code);
	return &f->args[i];
}

static void
first_arg_is(const char *code, const char *call, const char *want, bool unknown)
{
	const struct sg_arg *a = arg_of(code, call, 0);

	ck_assert_msg(a->nvalues == 1, "%u values in %s", a->nvalues, code);
	ck_str_is(a->values[0].text, want);
	ck_assert_msg(a->unknown == unknown, "%s", code);
}

START_TEST(calls_carry_their_arguments)
{
	const struct sg_arg *a;

	first_arg_is("open('a')", "builtins.open", "a", false);
	first_arg_is("p = 'a'\nopen(p)", "builtins.open", "a", false);
	first_arg_is("open(b'a')", "builtins.open", "a", false);
	first_arg_is("f(None)", "__main__.f", "None", false);
	first_arg_is("f(True)", "__main__.f", "True", false);
	first_arg_is("f(-12)", "__main__.f", "-12", false);
	first_arg_is("f(len)", "__main__.f", "builtins.len", false);
	a = arg_of("f(1, x='y', *z)", "__main__.f", 1);
	ck_str_is(a->keyword, "x");
	ck_str_is(a->values[0].text, "y");
	ck_assert(a->literal);
	a = arg_of("f(1, *z)", "__main__.f", 1);
	ck_assert(a->starred);
	a = arg_of("def g(z): f(1, z)", "__main__.f", 1);
	ck_assert(a->unknown);
	ck_assert_uint_eq(a->position, 1);
	a = arg_of("p = 'a' if x else 'b'\nopen(p)", "builtins.open", 0);
	ck_assert_uint_eq(a->nvalues, 2);
	ck_assert(!a->literal);
}
END_TEST

START_TEST(a_path_is_known_by_its_beginning)
{
	first_arg_is("def g(u): open(f'/home/{u}/x')", "builtins.open",
		     "/home/", true);
	first_arg_is("def g(u): open('/etc/' + u)", "builtins.open", "/etc/",
		     true);
	first_arg_is("def g(u): open('/etc/%s' % u)", "builtins.open", "/etc/",
		     true);
	first_arg_is("def g(u): open('/etc/{}'.format(u))", "builtins.open",
		     "/etc/", true);
	first_arg_is("import os\nopen(os.path.join('/etc', 'passwd'))",
		     "builtins.open", "/etc/passwd", false);
	first_arg_is("import os\ndef g(u): open(os.path.join('/etc', u))",
		     "builtins.open", "/etc", true);
	first_arg_is("import os\nopen(os.path.expanduser('~/x'))",
		     "builtins.open", "~/x", false);
	first_arg_is("from pathlib import Path\nopen(Path('/etc') / 'x')",
		     "builtins.open", "/etc/x", true);
	first_arg_is("from pathlib import Path\n"
		     "def g(u): open(Path('/etc') / u)",
		     "builtins.open", "/etc", true);
}
END_TEST

START_TEST(facts_come_in_the_order_of_their_places)
{
	struct sg_buf b;
	const struct sg_analysis *an;

	sg_buf_init(&b, 1 << 20);
	for (unsigned i = 0; i < 3000; i++)
		sg_buf_printf(&b, "x%u = f(g(%u), a.b[c] + 'd')\n", i, i);
	an = analyse(b.data);
	ck_assert_uint_gt(an->nfacts, 10000);
	for (uint32_t i = 1; i < an->nfacts; i++)
		ck_assert(an->facts[i - 1].range.start <=
			  an->facts[i].range.start);
	sg_buf_release(&b);
}
END_TEST

static void
chain_is(const char *code, enum sg_fact_kind kind, const char *name,
	 const char *want)
{
	const struct sg_analysis *an = analyse(code);
	const struct sg_fact *f = NULL;
	struct sg_arena arena;

	for (uint32_t i = 0; i < an->nfacts; i++)
		if (an->facts[i].kind == kind &&
		    sg_str_eq(an->facts[i].name, sg_str_c(name)))
			f = &an->facts[i];
	ck_assert_msg(f != NULL, "no such fact in %s", code);
	sg_arena_init(&arena, 1 << 20);
	ck_str_is(sg_analysis_chain(an, f, &arena), want);
	sg_arena_release(&arena);
}

START_TEST(a_chain_tells_how_a_name_was_reached)
{
	chain_is("import os as o\ns = getattr(o, 'sys' + 'tem')\ns('x')",
		 SG_FACT_CALL, "os.system",
		 "s <- getattr(o, 'sys' + 'tem') (line 2) <- "
		 "import os as o (line 1)");
	chain_is("e = eval\ne('1')", SG_FACT_CALL, "builtins.eval",
		 "e <- eval (line 1)");
	chain_is("from os import (\n system as s)\ns('1')", SG_FACT_CALL,
		 "os.system", "s <- from os import ( system as s) (line 1)");
	chain_is("eval('1')", SG_FACT_CALL, "builtins.eval", "");
	chain_is("import os as o\nx = getattr(o, 'system')", SG_FACT_REF,
		 "os.system",
		 "getattr(o, 'system') <- import os as o (line 1)");
	chain_is("import os", SG_FACT_REF, "os", "");
}
END_TEST

static void
explains(const char *code, uint32_t line, const char *want)
{
	struct sg_buf b;

	sg_buf_init(&b, 1 << 20);
	sg_analysis_explain(analyse(code), line, &b);
	ck_assert_msg(b.data && strstr(b.data, want), "no '%s' in:\n%s", want,
		      b.data ? b.data : "");
	sg_buf_release(&b);
}

START_TEST(an_analysis_explains_itself)
{
	static const char code[] = "import os as o\n"
				   "def f(n):\n"
				   "    s = getattr(o, 'sys' + 'tem')\n"
				   "    return s(f'/etc/{n}')\n"
				   "f(1)\n";

	explains(code, 0, "  1 module\n");
	explains(code, 0, "    f: function f (line 2)\n");
	explains(code, 0, "  2 function f, line 2, in scope 1\n");
	explains(code, 0, "    n: parameter, 1\n");
	explains(code, 0, "    s: os.system\n");
	explains(code, 4, "  4:12 s: os.system\n");
	explains(code, 4,
		 "call os.system ('/etc/1'), through s <- getattr(o, "
		 "'sys' + 'tem') (line 3)");
	explains("getattr(x, input())", 0, "unresolved\n  1:1 attribute");
	explains("x = (", 0, "syntax.error");
}
END_TEST

START_TEST(what_is_counted_is_counted)
{
	const struct sg_analysis *an =
		analyse("import os\ngetattr(os, input())\n__import__(input())");

	ck_assert_uint_eq(an->dynamic[SG_DYNAMIC_ATTRIBUTE], 1);
	ck_assert_uint_eq(an->dynamic[SG_DYNAMIC_IMPORT], 1);
	ck_assert_uint_eq(an->dynamic[SG_DYNAMIC_WIDENED], 0);
	ck_assert_uint_ge(an->passes, 1);
}
END_TEST

START_TEST(a_script_that_takes_too_long_is_a_problem)
{
	struct sg_analyzer *a = NULL;
	const struct sg_analysis *an = NULL;
	struct sg_limits limits = sg_limits_default();
	struct sg_err err = { .status = SG_OK };
	struct sg_buf b;

	sg_buf_init(&b, 1 << 20);
	for (unsigned i = 0; i < 20000; i++)
		sg_buf_printf(&b, "x%u = f(g(%u), a.b[c])\n", i, i);
	limits.time_ms = 1;
	ck_good(sg_analyzer_new(NULL, &a, &err), &err);
	ck_good(sg_analyze(a, sg_buf_view(&b), &limits, &an, &err), &err);
	ck_assert_uint_eq(an->nproblems, 1);
	ck_assert_str_eq(an->problems[0].code, "limit.time");
	ck_assert_uint_eq(an->nfacts, 0);
	sg_analyzer_free(a);
	sg_buf_release(&b);
}
END_TEST

/* The tree once, then names, values and facts with allocations refused. */
START_TEST(memory_that_is_refused_is_an_error)
{
	const struct sg_limits limits = sg_limits_default();
	struct sg_err err = { .status = SG_OK };
	struct sg_problem *problem = NULL;
	struct sg_source source;
	struct sg_arena arena;
	struct sg_intern names;
	struct sg_tree *tree = NULL;
	struct sg_tree_job job = { .source = &source,
				   .limits = &limits,
				   .minor = 11,
				   .deadline = UINT64_MAX,
				   .arena = &arena,
				   .names = &names };

	sg_arena_init(&arena, 1 << 24);
	sg_intern_init(&names, 1 << 16, 1 << 20);
	ck_good(sg_source_read(SG_STR("import os as o\nclass C:\n f = o.system"
				      "\nC().f(''.join(['a', 'b']))\n"),
			       limits.bytes, &arena, &source, &problem, &err),
		&err);
	ck_good(sg_tree_new(&tree, &err), &err);
	ck_good(sg_tree_read(tree, &job, &err), &err);
	SG_TEST_EACH_ALLOCATION() {
		struct sg_scopes scopes;
		struct sg_values values;
		struct sg_facts facts;
		struct sg_arena own;
		int rc;

		sg_arena_init(&own, 1 << 24);
		sg_scopes_init(&scopes);
		sg_values_init(&values);
		sg_facts_init(&facts);
		rc = sg_scopes_build(&scopes, &job.ast, &names, &own, &err);
		if (rc == SG_OK)
			rc = sg_values_begin(&values, &scopes, &own, UINT64_MAX,
					     &err);
		if (rc == SG_OK)
			rc = sg_values_run(&values, &err);
		if (rc == SG_OK)
			sg_values_emit(&values, &facts);
		ck_assert(rc == SG_OK || rc == SG_ENOMEM);
		sg_facts_release(&facts);
		sg_values_release(&values);
		sg_scopes_release(&scopes);
		sg_arena_release(&own);
	}
	sg_tree_free(tree);
	sg_intern_release(&names);
	sg_arena_release(&arena);
}
END_TEST

SG_TEST_MAIN("fact", each_kind_is_given, flags_say_how,
	     calls_carry_their_arguments, a_path_is_known_by_its_beginning,
	     facts_come_in_the_order_of_their_places,
	     a_chain_tells_how_a_name_was_reached, an_analysis_explains_itself,
	     what_is_counted_is_counted,
	     a_script_that_takes_too_long_is_a_problem,
	     memory_that_is_refused_is_an_error)
