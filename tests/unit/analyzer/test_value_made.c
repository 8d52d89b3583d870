/* Texts that are made of constants and not worked out; what holds constants. */

#include "unit/analyzer/facts.h"

/* Whether the first argument of open() may be `want`. */
static bool
may_open(const char *code, const char *want)
{
	const struct sg_analysis *an = analyse(code);

	for (uint32_t i = 0; i < an->nfacts; i++) {
		const struct sg_fact *f = &an->facts[i];

		if (f->kind != SG_FACT_CALL || !f->nargs ||
		    !sg_str_eq(f->name, SG_STR("builtins.open")))
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
	ck_assert_msg(may_open(code, want), "%s: no %s", code, want);
}

static void
computes(const char *code)
{
	opens(code, SG_ARG_MADE);
}

static void
plain(const char *code)
{
	ck_assert_msg(!may_open(code, SG_ARG_MADE), "%s: is computed", code);
}

START_TEST(decoders_make_any_text_of_constants)
{
	computes("open('.a.b'.translate({46: '/'}))");
	computes("import struct\nopen(struct.pack('2B', 47, 97))");
	computes("import zlib\nopen(zlib.decompress(b'x').decode())");
	computes("import html\nopen(html.unescape('&#47;a'))");
	computes("from urllib.parse import unquote as u\nopen(u('%2Fa'))");
	computes("import array\nopen(array.array('B', [47, 97]).tobytes())");
	computes("open((0x2f6162636465666768).to_bytes(9, 'big'))");
	computes("open(b'+AC8-a'.decode('utf-7'))");
	computes("s = ''\nfor c in [1, 2, 3, 4, 5, 6, 7, 8]:\n"
		 "    s += chr(c ^ 9)\nopen(s)");
	computes("c = [1, 2, 3, 4, 5, 6, 7, 8]\n"
		 "open(''.join(chr(x ^ 9) for i, x in enumerate(c)))");
	computes("b = bytearray(b'a/')\nb.reverse()\nopen(b.decode())");
	computes("import xml.etree.ElementTree as E\n"
		 "open(E.fromstring('<a>/etc/a</a>').text)");
	computes("b = bytearray()\nb.append(47)\nopen(bytes(b))");
	plain("for i in range(26):\n    open(chr(97 + i) + '.txt')");
	plain("open(input().translate({46: '/'}))");
	plain("import struct, sys\nopen(struct.pack('s', sys.argv[1]))");
}
END_TEST

START_TEST(what_joins_leads_on_with_its_first_part)
{
	computes("p = []\np.append('/a')\np.append('b')\nopen(''.join(p))");
	computes("p = ['']\np.append('a')\nopen('/'.join(p))");
	computes(
		"d = {1: '/a', 2: 'b'}\nopen(''.join(d[k] for k in sorted(d)))");
	computes("import itertools\nopen(''.join(itertools.chain('/a', 'b')))");
	computes("open(''.join(sum([['/a'], ['b']], [])))");
	computes("open('%(a)s/b' % {'a': '/c'})");
	computes("from string import Template\n"
		 "open(Template('$r/b').substitute(r='/a'))");
	computes("import string\nopen(string.Formatter().format('{}', '/a'))");
	plain("for n in ['a', 'b']:\n"
	      "    for m in ['c', 'd']:\n"
	      "        open(''.join(['out', '/', n, m]))");
	plain("p = []\np.append('a')\np.append('b')\nopen(''.join(p))");
	plain("p = ['/a']\np.append(input())\nopen(''.join(p))");
	plain("for i in range(1000):\n    open('%d.txt' % i)");
	plain("from string import Template\n"
	      "open(Template('out/$n').substitute(n='a'))");
}
END_TEST

START_TEST(what_cuts_leads_on_where_a_slash_is)
{
	computes("import re\nopen(re.match(r'x(.*)', 'x/etc/a').group(1))");
	computes("import re\nopen(''.join(re.findall('[a-z/]', '/1/2a')))");
	computes("import re\nopen(re.compile('-').sub('/', '-a-b'))");
	computes("import textwrap\nopen(textwrap.dedent('   /a'))");
	plain("import re\nopen(re.sub('[^a-z]+', '_', 'A title') + '.txt')");
	computes("import re\nopen(re.search('[.].*', 'a../../b').group())");
	plain("import re\nopen(re.match('(.*)', input()).group(1))");
	plain("import re\nopen(re.search('/([^/]+)$', 'http://x/a').group(1))");
	plain("t = 'a/b'\nfor c in '<>:/':\n    t = t.replace(c, '')\nopen(t)");
	plain("t = 'a b'\nfor c in ' /:':\n    t = t.replace(c, '_')\nopen(t)");
	plain("s = 'a,b'\nopen(s.split(',', int(input()))[0])");
}
END_TEST

START_TEST(it_stays_so_in_other_texts_that_it_begins)
{
	computes("import html\np = html.unescape('&#47;a')\nopen(p + '/b')");
	computes("import html\np = html.unescape('&#47;a')\nopen(f'{p}/b')");
	computes("import html\np = html.unescape('&#47;a')\nopen(p[1:])");
	computes("import html\np = html.unescape('&#47;a')\nopen(p.strip())");
	computes("import html, os\np = html.unescape('&#47;a')\n"
		 "open(os.path.join(p, input()))");
	plain("import html\np = html.unescape('&#47;a')\nopen('out/' + p)");
}
END_TEST

START_TEST(literals_in_texts_hold_what_they_say)
{
	opens("import json\nopen(json.loads('{\"p\": \"a\"}')['p'])", "a");
	opens("import json\nopen(json.loads('{\"k\": {\"p\": \"a\"}}')['k']['p'])",
	      "a");
	opens("import ast\nfor p in ast.literal_eval(\"['a', 'b']\"):\n"
	      "    open(p)",
	      "b");
	ck_assert(!may_open(
		"import json\n"
		"open(json.loads('{\"p\": \"a\", \"q\": \"b\"}')['p'])",
		"b"));
	/* Ends without its quote, or with a backslash. */
	analyse("import json\njson.loads('[\"a')\njson.loads('[\"a\\\\')");
}
END_TEST

START_TEST(foreign_bases_make_what_they_make)
{
	opens("from pathlib import Path\nclass P(Path):\n    pass\n"
	      "open(P('/a', 'b'))",
	      "/a/b");
	opens("class P(type(__import__('pathlib').Path())):\n    pass\n"
	      "open(P('/a') / 'b')",
	      "/a/b");
	opens("class S(str):\n    pass\nopen(S('/a') + 'b')", "/ab");
	opens("import os\nopen(os.fsencode('/a' + 'b'))", "/ab");
	opens("import os\nopen(os.fsdecode(b'/a'))", "/a");
}
END_TEST

START_TEST(arguments_are_kept_by_what_holds_a_call)
{
	opens("from functools import partial\n"
	      "p = partial(print, 'a', end='b')\nopen(p.args[0])",
	      "a");
	opens("from functools import partial\n"
	      "p = partial(print, 'a', end='b')\nopen(p.keywords['end'])",
	      "b");
	opens("import threading\ndef f(p=None):\n    open(p)\n"
	      "threading.Timer(1, f, kwargs={'p': 'a'})",
	      "a");
	opens("a = {'file': 'b'}\nopen(**{**a, **{'mode': 'w'}})", "b");
	opens("d = {'a': 'b'}\nk, v = d.popitem()\nopen(k + v)", "ab");
	opens("import itertools\nfor k, g in itertools.groupby(['a']):\n"
	      "    open(k)\n    open(next(g) + 'b')",
	      "ab");
	opens("import itertools\nfor a, b in itertools.product('a', 'b'):\n"
	      "    open(a + b)",
	      "ab");
}
END_TEST

START_TEST(special_methods_get_what_they_are_given)
{
	opens("class A:\n    def __setitem__(self, k, v):\n        open(k + v)\n"
	      "A()['a'] = 'b'",
	      "ab");
	opens("class A:\n    def __setattr__(self, k, v):\n        open(k + v)\n"
	      "A().a = 'b'",
	      "ab");
	opens("class A:\n    def __delitem__(self, k):\n        open(k)\n"
	      "del A()['a']",
	      "a");
	opens("class A:\n    def __delattr__(self, k):\n        open(k)\n"
	      "del A().a",
	      "a");
	opens("class A:\n    def __contains__(self, k):\n        open(k)\n"
	      "'a' in A()",
	      "a");
	opens("class A:\n    def __format__(self, k):\n        return '/' + k\n"
	      "open(f'{A():a}')",
	      "/a");
	opens("class A:\n    def __str__(self):\n        return 'a'\nopen(str(A()))",
	      "a");
	opens("class A:\n    def __repr__(self):\n        return 'a'\n"
	      "open(f'{A()!r}')",
	      "a");
	opens("class A:\n    def __fspath__(self):\n        return 'a'\nopen(A())",
	      "a");
}
END_TEST

START_TEST(a_generator_gets_what_it_is_sent)
{
	opens("def g():\n    while True:\n        p = yield\n        open(p)\n"
	      "c = g()\nnext(c)\nc.send('a')",
	      "a");
	opens("def g():\n    open((yield))\ndef h():\n    yield from g()\n"
	      "c = h()\nc.send('a')",
	      "a");
	opens("async def g():\n    p = yield\n    open(p)\n"
	      "async def m():\n    await g().asend('a')",
	      "a");
}
END_TEST

START_TEST(a_module_whose_file_is_named_is_loaded_by_its_path)
{
#define LOADER "importlib.machinery.SourceFileLoader"
	static const struct sg_case cases[] = {
		HAS("open('m.py', 'w')\nimport m", REF, LOADER),
		HAS("open('a/m.py', 'w')\nfrom m import x", REF, LOADER),
		HAS("open('m/__init__.py')\nimport m.n", REF, LOADER),
		HAS("x = 'm' + '.py'\n__import__('m')", REF, LOADER),
		LACKS("open('a_m.py')\nimport m", REF, LOADER),
		LACKS("open('m.txt')\nimport m", REF, LOADER),
		LACKS("open('m.py')\nfrom . import m", REF, LOADER),
		HAS("from os import *\nglobals()['sys' + 'tem']('x')", CALL,
		    "os.system"),
	};
#undef LOADER

	CHECK_CASES(cases);
}
END_TEST

START_TEST(a_docstring_is_a_text)
{
	opens("def f():\n    'a'\nopen(f.__doc__)", "a");
	opens("class A:\n    'a'\nopen(A.__doc__)", "a");
	ck_assert(!may_open("def f():\n    x = 'a'\nopen(f.__doc__)", "a"));
}
END_TEST

SG_TEST_MAIN("value_made", decoders_make_any_text_of_constants,
	     what_joins_leads_on_with_its_first_part,
	     what_cuts_leads_on_where_a_slash_is,
	     it_stays_so_in_other_texts_that_it_begins,
	     literals_in_texts_hold_what_they_say,
	     foreign_bases_make_what_they_make,
	     arguments_are_kept_by_what_holds_a_call,
	     special_methods_get_what_they_are_given,
	     a_generator_gets_what_it_is_sent, a_docstring_is_a_text,
	     a_module_whose_file_is_named_is_loaded_by_its_path)
