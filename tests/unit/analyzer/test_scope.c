/* Which binding a name means: scopes, builtins, star imports, mangling. */

#include "unit/analyzer/facts.h"

START_TEST(a_local_name_is_not_the_builtin)
{
	static const struct sg_case cases[] = {
		LACKS("def eval(x): return x * 2\neval(3)", REF,
		      "builtins.eval"),
		LACKS("def f(eval): return eval('1')", REF, "builtins.eval"),
		LACKS("def f():\n eval = 1\n return eval", REF,
		      "builtins.eval"),
		LACKS("def f():\n print(eval)\n eval = 1", REF,
		      "builtins.eval"),
		LACKS("def f(open=None, input=None): return open or input", REF,
		      "builtins.open"),
		LACKS("f = lambda eval: eval", REF, "builtins.eval"),
		LACKS("[eval for eval in []]", REF, "builtins.eval"),
		LACKS("import re\nfrom ast import literal_eval as eval\n"
		      "eval('1')",
		      REF, "builtins.eval"),
		LACKS("class eval: pass\neval()", REF, "builtins.eval"),
		LACKS("eval, x = 1, 2\nprint(eval)", REF, "builtins.eval"),
		LACKS("eval: int = 3\nprint(eval)", REF, "builtins.eval"),
		LACKS("def eval(x): return x\ndef g(): return eval('1')", REF,
		      "builtins.eval"),
	};

	CHECK_CASES(cases);
}
END_TEST

START_TEST(a_binding_that_may_not_have_happened_hides_nothing)
{
	static const struct sg_case cases[] = {
		HAS("if 0:\n eval = 1\neval('x')", CALL, "builtins.eval"),
		HAS("eval('x')\ndef eval(x): return x", CALL, "builtins.eval"),
		HAS("def g(): return eval('1')\ng()\ndef eval(x): pass", CALL,
		    "builtins.eval"),
		HAS("def eval(x): return x\ndel eval\neval('1')", CALL,
		    "builtins.eval"),
		HAS("def f():\n global eval\n eval = 1\neval('1')", CALL,
		    "builtins.eval"),
		HAS("try:\n eval = raw\nexcept NameError: pass\neval('1')",
		    CALL, "builtins.eval"),
		HAS("for eval in []: pass\neval('1')", CALL, "builtins.eval"),
		HAS("while x:\n eval = 1\neval('1')", CALL, "builtins.eval"),
		HAS("eval: int\neval('1')", CALL, "builtins.eval"),
		HAS("with a: eval = 1\neval('1')", CALL, "builtins.eval"),
		HAS("def f():\n global eval\n del eval\ndef eval(x): pass\n"
		    "eval('1')",
		    CALL, "builtins.eval"),
	};

	CHECK_CASES(cases);
}
END_TEST

START_TEST(classes_have_their_own_rules)
{
	static const struct sg_case cases[] = {
		HAS("class C:\n eval = eval", REF, "builtins.eval"),
		HAS("class C:\n eval = 1\n def m(s): return eval('1')", CALL,
		    "builtins.eval"),
		LACKS("class C:\n eval = 1\n print(eval)", REF,
		      "builtins.eval"),
		HAS("class C:\n eval = 1\n x = [eval for _ in '1']", REF,
		    "builtins.eval"),
		HAS("class C:\n import os\n def m(s): s.os.system('x')", CALL,
		    "os.system"),
		LACKS("class C:\n def eval(s): pass\n"
		      " def m(s): return s.eval()",
		      REF, "builtins.eval"),
		LACKS("def f(model): model.eval()", REF, "builtins.eval"),
		HAS("def f(model): model.eval()", CALL, "?.eval"),
		HAS("import torch\ntorch.nn.Linear(2, 2).eval()", CALL,
		    "torch.nn.Linear.eval"),
	};

	CHECK_CASES(cases);
}
END_TEST

START_TEST(private_names_are_mangled)
{
	static const struct sg_case cases[] = {
		HAS("class C:\n __e = eval\n def m(s): return s._C__e('1')",
		    CALL, "builtins.eval"),
		HAS("class C:\n __e = eval\nC._C__e('1')", CALL,
		    "builtins.eval"),
		HAS("class _C:\n __e = eval\n_C._C__e('1')", CALL,
		    "builtins.eval"),
		HAS("class C:\n def m(s): s.__x", ATTR, "_C__x"),
		HAS("class C:\n def m(s): s.__x__", ATTR, "__x__"),
		HAS("class C:\n def m(s, __p): return __p('1')\n"
		    "C().m(eval)",
		    CALL, "builtins.eval"),
	};

	CHECK_CASES(cases);
}
END_TEST

START_TEST(every_form_binds)
{
	static const struct sg_case cases[] = {
		HAS("(e := eval)\ne('1')", CALL, "builtins.eval"),
		HAS("[e := eval for _ in 'a']\ne('1')", CALL, "builtins.eval"),
		HAS("for e in [eval]: pass\ne('1')", CALL, "builtins.eval"),
		HAS("import contextlib\n"
		    "with contextlib.nullcontext(eval) as e: e('1')",
		    CALL, "builtins.eval"),
		HAS("match eval:\n case e: e('1')", CALL, "builtins.eval"),
		HAS("match [1, eval]:\n case [_, *e]: e[0]('1')", CALL,
		    "builtins.eval"),
		HAS("match {'k': eval}:\n case {'k': e}: e('1')", CALL,
		    "builtins.eval"),
		HAS("match (eval, 2):\n case (e, 2) as t: t[0]('1')", CALL,
		    "builtins.eval"),
		HAS("a = b = eval\nb('1')", CALL, "builtins.eval"),
		HAS("*e, x = [eval, 1]\ne[0]('1')", CALL, "builtins.eval"),
		HAS("(a, [b, c]) = (1, [2, eval])\nc('1')", CALL,
		    "builtins.eval"),
		HAS("def f(e=eval): return e('1')", CALL, "builtins.eval"),
		HAS("def f(*, e=eval): return e('1')", CALL, "builtins.eval"),
		HAS("def f(e, /): return e('1')\nf(eval)", CALL,
		    "builtins.eval"),
		HAS("def f(*a): return a[1]('1')\nf(1, eval)", CALL,
		    "builtins.eval"),
		HAS("def f(**k): return k['e']('1')\nf(e=eval)", CALL,
		    "builtins.eval"),
		HAS("def s():\n global e\n e = eval\ns()\ne('1')", CALL,
		    "builtins.eval"),
		HAS("def s():\n e = 0\n def t():\n  nonlocal e\n  e = eval\n"
		    " t()\n return e\ns()('1')",
		    CALL, "builtins.eval"),
		HAS("try: 1/0\nexcept ZeroDivisionError as e: e.obj", REF,
		    "builtins.ZeroDivisionError.obj"),
	};

	CHECK_CASES(cases);
}
END_TEST

START_TEST(imports_bind_what_the_language_says)
{
	static const struct sg_case cases[] = {
		HAS("import os.path\nos.system('x')", CALL, "os.system"),
		HAS("import os.path as p\np.os.system('x')", CALL, "os.system"),
		LACKS("import os.path as p\np.join('a')", CALL, "os.join"),
		HAS("import os.path as p\np.join('a')", CALL, "os.path.join"),
		HAS("from os import system as s\ns('x')", CALL, "os.system"),
		HAS("from . import x", IMPORT, "."),
		HAS("from ..a.b import x", IMPORT, "..a.b"),
		HAS("from os import *\nsystem('x')", CALL, "os.system"),
		HAS("from os import *\nopen('x', 1)", CALL, "os.open"),
		LACKS("from math import *\nopen('x')", CALL, "math.open"),
		HAS("from math import *\nopen('x')", CALL, "builtins.open"),
		HAS("from nowhere import *\nrun('x')", CALL, "nowhere.run"),
		DYNAMIC("from nowhere import *", STAR, "nowhere"),
		KNOWN("from os import *", STAR),
		HAS("try:\n import x as o\nexcept ImportError:\n"
		    " import os as o\no.system('x')",
		    CALL, "os.system"),
		HAS("def f():\n from os import system\n system('x')", CALL,
		    "os.system"),
	};

	CHECK_CASES(cases);
}
END_TEST

START_TEST(names_are_compared_normalised)
{
	static const struct sg_case cases[] = {
		HAS("\360\235\220\236val('1')", CALL, "builtins.eval"),
		HAS("import \357\275\217s\nos.system('x')", CALL, "os.system"),
		HAS("import os\nos.\357\275\223ystem('x')", CALL, "os.system"),
	};

	CHECK_CASES(cases);
}
END_TEST

SG_TEST_MAIN("scope", a_local_name_is_not_the_builtin,
	     a_binding_that_may_not_have_happened_hides_nothing,
	     classes_have_their_own_rules, private_names_are_mangled,
	     every_form_binds, imports_bind_what_the_language_says,
	     names_are_compared_normalised)
