/* What flows where: the ways a script can carry a thing to its use. */

#include "unit/analyzer/facts.h"

/* In each of these builtins.eval is called. */
static const char *const carried[] = {
	/* containers */
	"[eval][0]('1')",
	"[eval][-1]('1')",
	"(1, eval)[1]('1')",
	"{'k': eval}['k']('1')",
	"{'k': eval}.get('k')('1')",
	"{**{'k': eval}}['k']('1')",
	"[*[eval]][0]('1')",
	"d = dict(k=eval)\nd['k']('1')",
	"d = {}\nd['k'] = eval\nd['k']('1')",
	"d = {}\nd.update(k=eval)\nd['k']('1')",
	"d = {}\nd.update({'k': eval})\nd['k']('1')",
	"d = {}\nd.setdefault('k', eval)('1')",
	"d = {'k': eval}\nd.pop('k')('1')",
	"l = []\nl.append(eval)\nl[0]('1')",
	"l = [0]\nl[0] = eval\nl[0]('1')",
	"l = []\nl.insert(0, eval)\nl.pop()('1')",
	"l = []\nl.extend([eval])\nl[0]('1')",
	"l = []\nl += [eval]\nl[0]('1')",
	"a = b = [0]\na[0] = eval\nb[0]('1')",
	"x = [[eval]]\nx[0][0]('1')",
	"x = {'a': {'b': eval}}\nx['a']['b']('1')",
	"next(iter([eval]))('1')",
	"list(map(lambda x: x, [eval]))[0]('1')",
	"[f for f in [eval]][0]('1')",
	"{f for f in [eval]}.pop()('1')",
	"{k: f for k, f in [('a', eval)]}['a']('1')",
	"for i, f in enumerate([eval]): f('1')",
	"for a, f in zip([1], [eval]): f('1')",
	"for k, f in {'a': eval}.items(): f('1')",
	"for f in {'a': eval}.values(): f('1')",
	"sorted([eval])[0]('1')",
	"for f in reversed([eval]): f('1')",
	"s = {eval}\nf, = s\nf('1')",
	/* functions */
	"def g(): return eval\ng()('1')",
	"def g():\n def h(): return eval\n return h\ng()()('1')",
	"def g(f): f('1')\ng(eval)",
	"def g(f): f('1')\ng(f=eval)",
	"def g(*a): a[0]('1')\ng(eval)",
	"def g(*a): a[0]('1')\ng(*[eval])",
	"def g(a, f): f('1')\ng(*(1, eval))",
	"def g(a, f): f('1')\ng(**{'a': 1, 'f': eval})",
	"(lambda f: f('1'))(eval)",
	"(lambda *a: a[0])(eval)('1')",
	"(lambda **k: k['f'])(f=eval)('1')",
	"(lambda f=eval: f)()('1')",
	"def g(): yield eval\nnext(g())('1')",
	"def g(): yield eval\nfor f in g(): f('1')",
	"def g(): yield from [eval]\nlist(g())[0]('1')",
	"async def g(): return eval\nasync def h(): (await g())('1')",
	"def g():\n return h()\ndef h():\n return eval\ng()('1')",
	"def d(f): return eval\n@d\ndef g(): pass\ng('1')",
	"def d(f):\n def w(*a): return f(*a)\n return w\n"
	"@d\ndef g(): return eval\ng()('1')",
	"@eval\n@lambda f: '1'\ndef g(): pass",
	"@eval\n@lambda c: '1'\nclass C: pass",
	"def g(): pass\ng.f = eval\ng.f('1')",
	/* classes */
	"class C:\n f = eval\nC.f('1')",
	"class C:\n f = eval\nC().f('1')",
	"class C:\n def __init__(s, f): s.f = f\nC(eval).f('1')",
	"class C:\n def m(s): s.f = eval\n def n(s): s.f('1')",
	"class B:\n f = eval\nclass C(B): pass\nC().f('1')",
	"class B:\n def m(s): return eval\nclass C(B):\n"
	" def m(s): return super().m()\nC().m()('1')",
	"class C:\n @property\n def f(s): return eval\nC().f('1')",
	"class C:\n @staticmethod\n def f(): return eval\nC.f()('1')",
	"class C:\n @classmethod\n def f(c): return eval\nC.f()('1')",
	"class C:\n f = staticmethod(eval)\nC.f('1')",
	"class C:\n def __call__(s): return eval\nC()()('1')",
	"class C:\n __call__ = eval\nC()('1')",
	"class C:\n def __getitem__(s, k): return eval\nC()[0]('1')",
	"class C:\n __class_getitem__ = eval\nC['1']",
	"class C:\n def __getattr__(s, n): return eval\nC().x('1')",
	"class C:\n def __enter__(s): return eval\n"
	" def __exit__(s, *a): pass\nwith C() as f: f('1')",
	"class C:\n def __iter__(s): return iter([eval])\n"
	"for f in C(): f('1')",
	"class C:\n def __iter__(s): return s\n"
	" def __next__(s): return eval\nfor f in C(): f('1')",
	"class M(type):\n def __getitem__(c, k): return eval\n"
	"class C(metaclass=M): pass\nC[0]('1')",
	"class M(type):\n def __call__(c, s): eval(s)\n"
	"class C(metaclass=M): pass\nC('1')",
	"from dataclasses import dataclass\n@dataclass\nclass C:\n"
	" f: object\nC(eval).f('1')",
	/* expressions */
	"(eval if x else 0)('1')",
	"(0 or eval)('1')",
	"(1 and eval)('1')",
	"(f := eval)('1')",
	"x = eval, 1\nx[0]('1')",
	"f = g = eval\ng('1')",
	"f, g = 1, eval\ng('1')",
	"[f, *g] = [1, 2, eval]\ng[1]('1')",
	/* namespaces */
	"import builtins as b\nb.eval('1')",
	"import builtins\nbuiltins.__dict__['eval']('1')",
	"__builtins__.eval('1')",
	"__builtins__['eval']('1')",
	"vars(__builtins__)['eval']('1')",
	"globals()['__builtins__'].eval('1')",
	"globals().get('__builtins__').eval('1')",
	"locals()['__builtins__'].eval('1')",
	"vars()['__builtins__'].eval('1')",
	"__builtins__.__getattribute__('eval')('1')",
	"object.__getattribute__(__builtins__, 'eval')('1')",
	"type(__builtins__).__getattribute__(__builtins__, 'eval')('1')",
	"import inspect\ninspect.getattr_static(__builtins__, 'eval')('1')",
	"print.__self__.eval('1')",
	"len.__self__.__dict__['eval']('1')",
	"def f(): pass\nf.__builtins__['eval']('1')",
	"def f(): pass\nf.__globals__['__builtins__'].eval('1')",
	"e = eval\nglobals()['e']('1')",
	"e = eval\nimport sys\nsys.modules['__main__'].e('1')",
	"import __main__\n__main__.__builtins__.eval('1')",
	"globals()['e'] = eval\ne('1')",
	"globals().update(e=eval)\ne('1')",
	"class C: e = eval\nvars(C)['e']('1')",
	"class C: e = eval\nC.__dict__['e']('1')",
	"class C: pass\nsetattr(C, 'e', eval)\nC.e('1')",
	"def f():\n e = eval\n return locals()['e']('1')",
	"import json\njson.codecs.builtins.eval('1')",
	/* objects that hold a call */
	"from functools import partial\npartial(eval, '1')()",
	"from functools import partial as p\np(p(eval), '1')()",
	"import functools\nfunctools.partial(eval).func('1')",
	"import functools\nfunctools.reduce(getattr, ['__self__', 'eval'],"
	" print)('1')",
	"import functools\nfunctools.reduce(lambda o, n: getattr(o, n),"
	" '__self__.eval'.split('.'), print)('1')",
	"import operator\noperator.attrgetter('eval')(__builtins__)('1')",
	"import operator\noperator.attrgetter('__self__.eval')(print)('1')",
	"import operator\noperator.methodcaller('eval', '1')(__builtins__)",
	"import operator\noperator.itemgetter('eval')(vars(__builtins__))"
	"('1')",
	"import operator\noperator.call(eval, '1')",
	"import contextlib\nwith contextlib.nullcontext(eval) as f: f('1')",
	"import contextlib\n@contextlib.contextmanager\ndef c(): yield eval\n"
	"with c() as f: f('1')",
	"import copy\ncopy.copy(eval)('1')",
	"import pkgutil\npkgutil.resolve_name('builtins:eval')('1')",
	"import pydoc\npydoc.locate('builtins.eval')('1')",
	"import importlib\nimportlib.import_module('builtins').eval('1')",
	"import importlib.util as u\n"
	"u.module_from_spec(u.find_spec('builtins')).eval('1')",
	"__import__('builtins').eval('1')",
	"m = {n: __import__(n) for n in ['builtins']}\nm['builtins'].eval('1')",
	"__loader__.load_module('builtins').eval('1')",
	/* called by somebody else */
	"list(map(eval, ['1']))",
	"list(filter(eval, ['1']))",
	"sorted(['1'], key=eval)",
	"max(['1'], key=eval)",
	"import threading\nthreading.Thread(target=eval, args=('1',)).start()",
	"import multiprocessing as m\nm.Process(target=eval).start()",
	"from concurrent.futures import ThreadPoolExecutor as T\n"
	"T().submit(eval, '1')",
	"def f(pool): pool.submit(eval, '1')",
	"import pandas as pd\npd.Series(['1']).apply(eval)",
	"import numpy as np\nnp.vectorize(eval)(['1'])",
	"import itertools\nlist(itertools.starmap(eval, [('1',)]))",
	/* patterns */
	"match eval:\n case f: f('1')",
	"match __builtins__:\n case object(eval=f): f('1')",
	"class N: __match_args__ = ('eval',)\n"
	"match __builtins__:\n case N(f): f('1')",
	"match [eval]:\n case [f] | (f,): f('1')",
	/* a name that nobody knows */
	"class C:\n f = eval\ngetattr(C, input())('1')",
	"class C:\n def g(s): return eval\ngetattr(C(), input())()('1')",
	"class C:\n def on_a(s): return eval\n"
	"getattr(C(), 'on_' + input())()('1')",
	"class B:\n f = eval\nclass C(B): pass\ngetattr(C(), input())('1')",
	"class C: pass\nc = C()\nc.f = eval\ngetattr(c, input())('1')",
	"class C: pass\nc = C()\nc.f = eval\nvars(c)[input()]('1')",
	"def g(): pass\ng.f = eval\ngetattr(g, input())('1')",
	"f = eval\nglobals()[input()]('1')",
	"def g():\n f = eval\n return locals()[input()]\ng()('1')",
	/* the script as a module */
	"import __main__\nf = eval\n__main__.f('1')",
	"import __main__ as m\nf = eval\ngetattr(m, input())('1')",
	"from __main__ import f\nf = eval\nf('1')",
	/* enumerations */
	"import enum\nclass E(enum.Enum):\n F = eval\nE.F.value('1')",
	"import enum\nclass E(enum.Enum):\n F = eval\nE['F'].value('1')",
	"import enum\nclass E(enum.Enum):\n F = eval\n"
	"for e in E: e.value('1')",
	"import enum\nclass E(enum.Enum):\n F = eval\n"
	"E.__members__['F'].value('1')",
	"import enum\nclass E(enum.Enum):\n F = eval\n"
	" def g(s): return s.value\nE.F.g()('1')",
	/* held by something foreign */
	"import random\nrandom.choice([eval])('1')",
	"import queue\nq = queue.Queue()\nq.put(eval)\nq.get()('1')",
	"import queue\nq = queue.Queue()\ndef g(): return q.get()\n"
	"f = g()\nf('1')\nq.put(eval)",
	"import argparse\na = argparse.Namespace(f=eval)\na.f('1')",
	"import argparse\na = argparse.Namespace(f=eval)\nf = a.f\nf('1')",
	"import collections\nN = collections.namedtuple('N', 'a f')\n"
	"N(1, eval)[1]('1')",
	"import collections\nN = collections.namedtuple('N', 'a f')\n"
	"a, f = N(1, eval)\nf('1')",
	"import types\ntypes.MappingProxyType({'f': eval})['f']('1')",
	"import itertools\nnext(itertools.product([eval]))[0]('1')",
	"import heapq\nh = []\nheapq.heappush(h, (1, eval))\n"
	"heapq.heappop(h)[1]('1')",
	"from concurrent.futures import Future\nf = Future()\n"
	"f.set_result(eval)\nf.result()('1')",
	"import asyncio\nasync def g():\n q = asyncio.Queue()\n"
	" await q.put(eval)\n (await q.get())('1')",
	"import dataclasses\n@dataclasses.dataclass\nclass D: f: object\n"
	"dataclasses.asdict(D(eval))['f']('1')",
	"class D(dict): pass\nd = D(f=eval)\nd['f']('1')",
	"class D(dict):\n def __getattr__(s, n): return s[n]\n"
	"D(f=eval).f('1')",
	"class L(list): pass\nl = L()\nl.append(eval)\nl[0]('1')",
	/* stores that are not written as such */
	"class C: pass\nc = C()\nobject.__setattr__(c, 'f', eval)\nc.f('1')",
	"class C: pass\ntype.__setattr__(C, 'f', eval)\nC.f('1')",
	"l = [1, 2]\nl[:1] = [eval]\nl[0]('1')",
	"import typing\nT = typing.TypeVar('T')\n"
	"class B(typing.Generic[T]):\n def __init__(s, v): s.v = v\n"
	"B[int](eval).v('1')",
	/* lists whose elements change places */
	"l = [1, eval]\nl.pop(0)\nl[0]('1')",
	"l = [1, eval]\nl.reverse()\nl[0]('1')",
	"l = [eval, 2]\nl.insert(0, 1)\nl[1]('1')",
	"l = [1, eval]\nl.remove(1)\nl[0]('1')",
	"l = [1, eval]\nl.sort(key=id)\nl[0]('1')",
	"l = [1, eval]\ndel l[0]\nl[0]('1')",
	"import random\nl = [1, eval]\nrandom.shuffle(l)\nl[0]('1')",
	/* operators of the script's classes */
	"class C:\n def __add__(s, o): return eval\n(C() + 1)('1')",
	"class C:\n def __radd__(s, o): return o\n(eval + C())('1')",
	"class C:\n def __iadd__(s, o): return o\nc = C()\nc += eval\n"
	"c('1')",
	"class C:\n def __matmul__(s, o): return o\n(C() @ eval)('1')",
	"class C:\n def __neg__(s): return eval\n(-C())('1')",
	"class C:\n def __lt__(s, o): return eval\n(C() < 1)('1')",
	"class C:\n def __gt__(s, o): return eval\n(1 < C())('1')",
	"class C:\n def __getattribute__(s, n): return eval\nC().x('1')",
};

START_TEST(a_function_is_followed_to_its_call)
{
	for (size_t i = 0; i < sizeof(carried) / sizeof(*carried); i++) {
		const struct sg_case c = HAS(carried[i], CALL, "builtins.eval");

		ck_assert_msg(case_holds(&c), "not followed:\n%s", carried[i]);
	}
}
END_TEST

START_TEST(names_are_canonical)
{
	static const struct sg_case cases[] = {
		HAS("import random\nrandom._os.system('x')", CALL, "os.system"),
		HAS("import pathlib\npathlib.os.system", REF, "os.system"),
		HAS("import typing\ntyping.sys.modules['os'].system", REF,
		    "os.system"),
		HAS("import logging.handlers as h\nh.socket.socket()", CALL,
		    "socket.socket"),
		HAS("import pandas as pd\npd.io.common.os.system", REF,
		    "os.system"),
		HAS("from os.path import os\nos.system('x')", CALL,
		    "os.system"),
		HAS("import posixpath\nposixpath.join('a')", CALL,
		    "os.path.join"),
		HAS("import posix\nposix.system('x')", CALL, "posix.system"),
		HAS("import _pickle\n_pickle.loads(b'')", CALL, "pickle.loads"),
		HAS("import io\nio.open('x')", CALL, "builtins.open"),
		HAS("import numpy as np\nnp.lib.npyio.load('x')", CALL,
		    "numpy.load"),
		HAS("from pandas.io.parsers import read_csv\nread_csv('x')",
		    CALL, "pandas.read_csv"),
		HAS("import warnings\n"
		    "warnings.catch_warnings()._module.sys.modules['os']",
		    REF, "os"),
		/* what Python 3.14 brought */
		HAS("from compression import gzip\ngzip.decompress(b'')", CALL,
		    "gzip.decompress"),
		HAS("import annotationlib as a\na.sys.exit()", CALL,
		    "sys.exit"),
		HAS("from concurrent import interpreters as i\ni.create()",
		    CALL, "concurrent.interpreters.create"),
		HAS("import concurrent.interpreters as i\n"
		    "i._interpreters.run_string('1')",
		    CALL, "_interpreters.run_string"),
		HAS("from compression.zstd import *\ntrain_dict([], 1)", CALL,
		    "compression.zstd.train_dict"),
	};

	CHECK_CASES(cases);
}
END_TEST

START_TEST(members_of_instances_are_named_by_their_class)
{
	static const struct sg_case cases[] = {
		HAS("from pathlib import Path\nPath('a').read_text()", CALL,
		    "pathlib.Path.read_text"),
		HAS("from pathlib import Path\n(Path('a') / 'b').unlink()",
		    CALL, "pathlib.Path.unlink"),
		HAS("from pathlib import Path\nPath.home().rmdir()", CALL,
		    "pathlib.Path.rmdir"),
		HAS("import pandas as pd\npd.read_csv('a').to_csv('b')", CALL,
		    "pandas.DataFrame.to_csv"),
		HAS("import pandas as pd\n"
		    "pd.DataFrame().dropna().head().to_pickle('b')",
		    CALL, "pandas.DataFrame.to_pickle"),
		HAS("import subprocess as s\ns.Popen('x').wait()", CALL,
		    "subprocess.Popen.wait"),
		HAS("with open('a') as f: f.read()", CALL,
		    "io.TextIOWrapper.read"),
		HAS("import sqlite3\nsqlite3.connect(':memory:')"
		    ".execute('x')",
		    CALL, "sqlite3.Connection.execute"),
		HAS("import pathlib\nclass P(pathlib.Path): pass\n"
		    "P('a').unlink()",
		    CALL, "pathlib.Path.unlink"),
		HAS("import foo\nfoo.bar().baz()", CALL, "foo.bar().baz"),
		HAS("import foo\nfoo.Bar().baz()", CALL, "foo.Bar.baz"),
		HAS("def f(x): x.y.z()", CALL, "?.z"),
	};

	CHECK_CASES(cases);
}
END_TEST

START_TEST(what_is_held_is_inert_until_it_is_called)
{
	static const struct sg_case cases[] = {
		/* nothing is stored into it, or found in it */
		LACKS("def g(df):\n x = df.agg(len)\n x.index = 1\n", BIND,
		      "builtins.len.index"),
		LACKS("import numpy as np\nx = np.vectorize(len)\nx.y.z", REF,
		      "builtins.len.y"),
		/* to ask for nothing, or to give another, is no call */
		LACKS("import queue\nq = queue.Queue()\nq.put(eval)\n"
		      "q.get()",
		      CALL, "builtins.eval"),
		LACKS("import queue\nq = queue.Queue()\nq.put(eval)\n"
		      "q.put(print)",
		      CALL, "builtins.eval"),
		/* a test case has too many functions to be one of them */
		LACKS("import unittest\nclass T(unittest.TestCase):\n"
		      " def test(s):\n  s.assertRaises(E, eval)\n"
		      "  s.assertEqual(1, 2)\n",
		      CALL, "builtins.eval"),
	};

	check_cases(cases, sizeof(cases) / sizeof(*cases));
}
END_TEST

START_TEST(an_operator_that_refuses_gives_nothing)
{
	static const struct sg_case cases[] = {
		LACKS("class C:\n def __init__(s): s.d = [0]\n"
		      " def __add__(s, o):\n  if o: return NotImplemented\n"
		      "  return C()\n"
		      "x = C() + C()\nx.d[0] = 1\n",
		      BIND, "builtins.NotImplemented.d[]"),
		HAS("class C:\n def __add__(s, o):\n"
		    "  if o: return NotImplemented\n  return eval\n"
		    "(C() + 1)('1')",
		    CALL, "builtins.eval"),
	};

	check_cases(cases, sizeof(cases) / sizeof(*cases));
}
END_TEST

START_TEST(a_lookup_by_an_unknown_name_stays_unresolved)
{
	static const struct sg_case cases[] = {
		DYNAMIC("class C:\n f = eval\ngetattr(C, input())", ATTRIBUTE,
			""),
		DYNAMIC("f = eval\nglobals()[input()]", ITEM, "globals()"),
		/* ... and what cannot be meant is not */
		LACKS("class C:\n on_a = print\n of = eval\n"
		      "getattr(C, 'on_' + input())('1')",
		      CALL, "builtins.eval"),
		LACKS("class C:\n __f = eval\n g = print\n"
		      "getattr(C, 'g' + input())('1')",
		      CALL, "builtins.eval"),
	};

	check_cases(cases, sizeof(cases) / sizeof(*cases));
}
END_TEST

START_TEST(names_of_definitions_are_text)
{
	static const struct sg_case cases[] = {
		HAS("def eval_(): pass\n__import__(eval_.__name__)", IMPORT,
		    "eval_"),
		HAS("def f(): pass\nf.__name__ = 'o' + 's'\n"
		    "__import__(f.__name__)",
		    IMPORT, "os"),
		HAS("class C:\n def os(s): pass\n"
		    "__import__(C.os.__qualname__[2:])",
		    IMPORT, "os"),
		HAS("def f():\n def os(): pass\n"
		    " __import__(os.__qualname__.replace('f.<locals>.', ''))",
		    IMPORT, "os"),
	};

	check_cases(cases, sizeof(cases) / sizeof(*cases));
}
END_TEST

START_TEST(what_is_not_known_is_said)
{
	static const struct sg_case cases[] = {
		DYNAMIC("__import__(input())", IMPORT, ""),
		DYNAMIC("import importlib\ndef f(n): "
			"return importlib.import_module(n)",
			IMPORT, ""),
		DYNAMIC("import os\ngetattr(os, input())", ATTRIBUTE, "os"),
		DYNAMIC("def f(o, n): return getattr(o, n)", ATTRIBUTE, ""),
		DYNAMIC("import os\nvars(os)[input()]", ITEM, "os"),
		DYNAMIC("globals()[input()]", ITEM, "globals()"),
		DYNAMIC("import os\nfor n, f in vars(os).items(): f()", ITEM,
			"os"),
		DYNAMIC("import sys\nsys.modules[input()]", IMPORT, ""),
		DYNAMIC("def f(g): g()", CALLEE, ""),
		DYNAMIC("input().format(1)", FORMAT, ""),
		KNOWN("import os\nos.getcwd()", ATTRIBUTE),
		KNOWN("import os\nos.getcwd()", WIDENED),
		KNOWN("class C: n = 1\ngetattr(C(), 'n', None)", ATTRIBUTE),
	};

	CHECK_CASES(cases);
}
END_TEST

SG_TEST_MAIN("value", a_function_is_followed_to_its_call, names_are_canonical,
	     members_of_instances_are_named_by_their_class,
	     what_is_held_is_inert_until_it_is_called,
	     an_operator_that_refuses_gives_nothing,
	     a_lookup_by_an_unknown_name_stays_unresolved,
	     names_of_definitions_are_text, what_is_not_known_is_said)
