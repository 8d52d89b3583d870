/*
 * Measures the gate in process.
 *
 *	gate FILE...
 *
 * Theory of operation.  Machines differ and so does their mood, hence all
 * figures of one line come from one run, in turns: each file is parsed and
 * judged alternately, ROUNDS times, and the least time of each is taken.  Time
 * is that of the processor, so that others who use the machine matter less.
 * What is printed beside a figure is what is promised of it.
 */

#include <stdio.h>
#include <stdlib.h>

#include <time.h>

#include "analyzer/analysis.h"
#include "analyzer/tree.h"
#include "base/file.h"
#include "policy/policy.h"

enum {
	ROUNDS = 5,
	LOADS = 30,
	FILE_MAX = 1 << 20,
	SHAPE_BYTES = 1 << 20,
	ARENA_CAP = 64 << 20,
	SCRIPTS = 4000
};

struct bench {
	struct sg_policy *policy;
	struct sg_judge *judge;
	struct sg_analyzer *analyzer;
	struct sg_tree *tree;
	struct sg_arena arena;
	struct sg_limits limits;
	struct sg_err err;
};

static void
die(struct sg_err *err, const char *what)
{
	char text[1024];

	(void)fprintf(stderr, "bench: %s: %s\n", what,
		      sg_err_format(err, text, sizeof(text)));
	exit(EXIT_FAILURE);
}

/* Processor time of this program, in nanoseconds. */
static uint64_t
now(void)
{
	struct timespec t = { 0, 0 };

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

static double
ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

/* One line of the report; `hold` is the promise, `met` whether it is kept. */
static void
say(const char *what, double value, const char *unit, const char *hold,
    bool met)
{
	(void)printf("%-44s %9.2f %-4s  %-10s %s\n", what, value, unit, hold,
		     met ? "" : "MISSED");
	(void)fflush(stdout);
}

/* Judges one script; the time it took, and whether it was read whole. */
static uint64_t
judge(struct bench *b, struct sg_str text, bool *ret_read)
{
	const struct sg_analysis *an;
	struct sg_verdict verdict;
	uint64_t start = now();

	sg_arena_reset(&b->arena);
	if (sg_analyze(b->analyzer, text, &b->limits, &an, &b->err) != SG_OK)
		die(&b->err, "analyze");
	if (sg_judge_run(b->judge, an, NULL, &b->arena, &verdict, &b->err) !=
	    SG_OK)
		die(&b->err, "judge");
	start = now() - start;
	if (ret_read)
		*ret_read = an->nproblems == 0;
	return start;
}

static uint64_t
parse(struct bench *b, struct sg_str text)
{
	uint64_t start = now();

	if (sg_tree_parse_only(b->tree, text, &b->err) != SG_OK)
		die(&b->err, "parse");
	return now() - start;
}

static void
least(uint64_t *best, uint64_t t)
{
	if (t < *best)
		*best = t;
}

static void
bench_files(struct bench *b, int n, char **paths)
{
	uint64_t parsed = 0, judged = 0, bytes = 0;
	int used = 0;
	struct sg_buf buf;

	sg_buf_init(&buf, FILE_MAX);
	for (int i = 0; i < n; i++) {
		uint64_t p = UINT64_MAX, j = UINT64_MAX;
		bool whole;

		sg_buf_reset(&buf);
		if (sg_file_read(paths[i], &buf, &b->err) != SG_OK) {
			sg_err_clear(&b->err);
			continue;
		}
		(void)judge(b, sg_buf_view(&buf), &whole);
		if (!whole)
			continue;
		for (int k = 0; k < ROUNDS; k++) {
			least(&p, parse(b, sg_buf_view(&buf)));
			least(&j, judge(b, sg_buf_view(&buf), NULL));
		}
		parsed += p;
		judged += j;
		bytes += buf.len;
		used++;
	}
	sg_buf_release(&buf);
	(void)printf("%d of %d files judged to the end, %.1f MB, "
		     "parse %.0f ms, gate %.0f ms\n",
		     used, n, (double)bytes / 1e6, ms(parsed), ms(judged));
	if (used)
		say("gate over parse alone", (double)judged / (double)parsed,
		    "x", "<= 1.35x", (double)judged <= 1.35 * (double)parsed);
}

/* Joins scripts of the corpus until they have about `size` bytes. */
static void
script_of(struct sg_buf *out, size_t size)
{
	static const char part[] =
		"import json\nimport math\nfrom collections import Counter\n\n"
		"def mean(values):\n    \"\"\"The mean of some numbers.\"\"\"\n"
		"    if not values:\n        raise ValueError('no values')\n"
		"    return sum(values) / len(values)\n\n"
		"rows = [{'name': n, 'score': i * 1.5}\n"
		"        for i, n in enumerate(['ann', 'bob', 'eve'])]\n"
		"best = max(rows, key=lambda r: r['score'])\n"
		"for row in rows:\n"
		"    row['share'] = row['score'] / best['score']\n"
		"    print(f\"{row['name']:>8} {row['share']:.2%}\")\n"
		"counts = Counter(w for r in rows for w in r['name'])\n"
		"print(json.dumps(counts.most_common(3)))\n"
		"print(math.sqrt(mean([r['score'] for r in rows])))\n\n";

	sg_buf_reset(out);
	while (out->len + sizeof(part) / 2 < size)
		sg_buf_c(out, part);
}

static int
by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void
bench_scripts(struct bench *b)
{
	static uint64_t times[SCRIPTS];
	struct sg_buf buf;
	uint64_t total = 0;
	double rate;

	sg_buf_init(&buf, FILE_MAX);
	script_of(&buf, 2048);
	for (int i = 0; i < SCRIPTS; i++)
		total += judge(b, sg_buf_view(&buf), NULL);
	rate = SCRIPTS / ((double)total / 1e9);
	say("scripts of 2 KB, one processor", rate, "/s", ">= 3000/s",
	    rate >= 3000);
	script_of(&buf, 4096);
	for (int i = 0; i < SCRIPTS; i++)
		times[i] = judge(b, sg_buf_view(&buf), NULL);
	qsort(times, SCRIPTS, sizeof(times[0]), by_value);
	say("scripts of 4 KB, 99th percentile", ms(times[SCRIPTS * 99 / 100]),
	    "ms", "<= 2 ms", ms(times[SCRIPTS * 99 / 100]) <= 2);
	sg_buf_release(&buf);
}

static void
bench_load(struct bench *b)
{
	uint64_t best = UINT64_MAX, start;
	struct sg_policy *p;

	for (int i = 0; i < LOADS; i++) {
		start = now();
		if (sg_policy_open("default", &p, &b->err) != SG_OK)
			die(&b->err, "policy");
		least(&best, now() - start);
		sg_policy_free(p);
	}
	say("policy load, default", ms(best), "ms", "<= 5 ms", ms(best) <= 5);
}

/* --- the worst that a megabyte can be ------------------------------------ */

/* head, then `each` as often as it fits, then `tail` (%d: a number). */
static const struct shape {
	const char *name, *head, *each, *tail;
} shapes[] = {
	{ "assignments", "", "a = b\n", "" },
	{ "new names", "", "v%d = v%d\n", "" },
	{ "a chain of names", "import os\nv0 = os\n", "v%d = v%d.x\n", "" },
	{ "one long sum", "x = 1", " + 1", "\n" },
	{ "one long comparison", "x = 1", " < 1", "\n" },
	{ "one long and", "x = a", " and a", "\n" },
	{ "unary operators", "x = ", "-", "1\n" },
	{ "not", "x = ", "not ", "1\n" },
	{ "attributes", "x = a", ".b", "\n" },
	{ "calls of calls", "x = f", "()", "\n" },
	{ "subscripts", "x = a", "[0]", "\n" },
	{ "open brackets", "x = ", "(", "" },
	{ "open braces", "x = ", "{", "" },
	{ "brackets of brackets", "x = [", "[],", "]\n" },
	{ "one list", "x = [", "1, ", "]\n" },
	{ "one dict", "x = {", "'k%d': 1, ", "}\n" },
	{ "one dict of lists", "x = {", "'k': [1, 2], ", "}\n" },
	{ "arguments", "f(", "a, ", ")\n" },
	{ "keyword arguments", "f(", "a%d=1, ", ")\n" },
	{ "parameters", "def f(", "a%d, ", "): pass\n" },
	{ "comments", "", "# a\n", "x = 1\n" },
	{ "one comment", "#", "aaaa", "\nx = 1\n" },
	{ "blank lines", "", "\n", "x = 1\n" },
	{ "blanks", "x = 1", "    ", "\n" },
	{ "continuations", "x = 1 + \\\n", "\\\n", "1\n" },
	{ "semicolons", "x = 1", "; x", "\n" },
	{ "one string", "x = '", "aaaa", "'\n" },
	{ "strings side by side", "x = (", "'a' ", ")\n" },
	{ "escapes", "x = '", "\\x41", "'\n" },
	{ "f-string fields", "x = f'", "{a}", "'\n" },
	{ "f-string braces", "x = f'", "{{}}", "'\n" },
	{ "f-strings", "", "x = f'{a!r:>{w}}'\n", "" },
	{ "an open string", "x = '''", "aaaa", "" },
	{ "quotes", "", "'", "" },
	{ "imports", "", "import a%d\n", "" },
	{ "from-imports", "from a import (", "b%d, ", ")\n" },
	{ "functions", "", "def f%d(a): return a\n", "" },
	{ "calls across functions", "", "def f%d(a): return f%d(a)\n", "" },
	{ "classes", "", "class C%d: x = 1\n", "" },
	{ "decorators", "", "@d\n", "def f(): pass\n" },
	{ "elif", "if a: pass\n", "elif a: pass\n", "" },
	{ "except", "try: pass\n", "except a: pass\n", "" },
	{ "cases", "match a:\n", " case %d: pass\n", "" },
	{ "lambdas", "x = ", "lambda: ", "1\n" },
	{ "conditional expressions", "x = ", "1 if a else ", "1\n" },
	{ "comprehension clauses", "x = [1", " for a in b", "]\n" },
	{ "global", "def f():\n", " global a%d\n", "" },
	{ "string building", "s = ''\n", "s += 'ab'\n", "" },
	{ "string concatenation", "x = ''", " + 'ab'", "\n" },
	{ "string doubling", "s = 'ab'\n", "s = s + s\n", "" },
	{ "getattr", "import os\n", "getattr(os, 'a%d')\n", "" },
	{ "getattr of getattr", "x = ", "getattr(", "" },
	{ "unpacking", "", "a, b = b, a\n", "" },
	{ "starred", "x = [", "*a, ", "]\n" },
	{ "dict items", "d = {}\n", "d['k%d'] = d\n", "" },
	{ "fields", "class A: pass\na = A()\n", "a.f%d = a.f%d\n", "" },
	{ "numbers", "x = ", "9", "\n" },
	{ "names of one letter", "", "a\n", "" },
	{ "one name", "", "aaaa", "\n" },
	{ "non-ASCII names", "", "\xc3\xa9\xc3\xa0 = 1\n", "" },
	{ "errors", "", "a b\n", "" },
	{ "closing brackets", "", ")", "" },
	{ "dots", "", ".", "" },
	{ "backquotes", "", "`", "" },
	{ "colons", "", ":", "" },
	{ "tabs and line ends", "", "\t\n", "" },
	{ "carriage returns", "", "\r", "" },
	{ "a class of many methods", "class C:\n",
	  " def f%d(s): return s.f%d()\n", "" },
	{ "fields by unknown names", "class C: pass\nc = C()\n",
	  "c.f%d = getattr(c, g())\n", "" },
	{ "globals by unknown names", "", "v%d = globals()[g()]\n", "" },
	{ "handlers by prefix", "class C:\n",
	  " def on%d(s, n): return getattr(s, 'on' + n)(s)\n", "" },
	{ "members of an enum", "import enum\nclass E(enum.Enum):\n",
	  " A%d = %d\n", "x = [e.value for e in E]\n" },
	{ "uses of an enum", "import enum\nclass E(enum.Enum): A = 1\n",
	  "x%d = E.A.value\n", "" },
	{ "bases", "class C0: pass\n", "class C%d(C%d): pass\n", "" },
	{ "calls of one function", "def f(x): return x\n", "f(f%d)\n", "" },
	{ "calls with what came back", "def f(x): return x\na = f\n",
	  "a = f(a)\n", "" },
	{ "closures", "", "def f%d():\n def g(): return f%d\n return g\n", "" },
	{ "generators", "", "def f%d(): yield from f%d()\n", "" },
	{ "lambdas by name", "", "f%d = lambda x: f%d(x)\n", "" },
	{ "star arguments", "def f(*a, **k): return a\n", "f(*f(*a), **k)\n",
	  "" },
	{ "nested comprehensions", "", "x = [[b for b in a] for a in c]\n",
	  "" },
	{ "comprehensions in one", "x = [", "[a for a in b], ", "]\n" },
	{ "augmented fields", "class C: pass\nc = C()\n", "c.n += c.n\n", "" },
	{ "global counters", "n = 0\n", "def f%d():\n global n\n n += f%d()\n",
	  "" },
	{ "appends", "l = []\n", "l.append([l])\n", "" },
	{ "matches", "", "match a:\n case [b, *c] | {'k': b, **c}: pass\n",
	  "" },
	{ "withs", "", "with open(a%d) as f, g(f) as h: pass\n", "" },
	{ "tries", "", "try: a\nexcept (B, C) as e: e\nfinally: b\n", "" },
	{ "imports of one name", "", "from m%d import a\n", "" },
	{ "star imports", "", "from m%d import *\n", "" },
	{ "format calls", "", "x = '{} {}'.format(x, 'a%d')\n", "" },
	{ "decoding", "import base64\nx = b''\n",
	  "x = base64.b64decode(x + b'YWJj')\n", "" },
	{ "text by characters", "s = ''\n", "s += chr(%d)\n", "" },
	{ "loops over text", "", "for c in 'abcdef': s = s + chr(ord(c) + 1)\n",
	  "" },
	{ "annotations", "", "x%d: dict[str, list[int]] = {}\n", "" },
	{ "properties", "class C:\n", " @property\n def p%d(s): return s.p%d\n",
	  "" },
	{ "conditions", "", "x = a if b and c or not d else e\n", "" },
	{ "walruses", "", "x = (y%d := y%d)\n", "" },
	{ "slices", "", "x = x[1:2, ::3, ...]\n", "" },
	{ "asynchronous", "", "async def f%d(): await f%d()\n", "" },
	{ "deeper and deeper", NULL, NULL, NULL },
};

/* Each line one blank further in than the one before. */
static void
staircase(struct sg_buf *out)
{
	for (size_t n = 0; out->len + 2 * n + 16 < SHAPE_BYTES; n++) {
		for (size_t i = 0; i < n; i++)
			sg_buf_char(out, ' ');
		sg_buf_c(out, "if a:\n");
	}
}

static void
repeat(struct sg_buf *out, const char *each, int number)
{
	for (; *each; each++) {
		if (each[0] == '%' && each[1] == 'd') {
			sg_buf_printf(out, "%d", number--);
			each++;
		} else {
			sg_buf_char(out, *each);
		}
	}
}

static void
make_shape(struct sg_buf *out, const struct shape *s)
{
	size_t tail;

	sg_buf_reset(out);
	if (!s->each) {
		staircase(out);
		return;
	}
	tail = strlen(s->tail) + 64;
	sg_buf_c(out, s->head);
	for (int i = 1; out->len + tail < SHAPE_BYTES; i++)
		repeat(out, s->each, i);
	sg_buf_c(out, s->tail);
}

static void
bench_shapes(struct bench *b)
{
	const size_t n = sizeof(shapes) / sizeof(shapes[0]);
	uint64_t worst = 0;
	const char *name = "";
	struct sg_buf buf;

	sg_buf_init(&buf, SHAPE_BYTES);
	for (size_t i = 0; i < n; i++) {
		bool whole;
		uint64_t t, second;

		make_shape(&buf, &shapes[i]);
		t = judge(b, sg_buf_view(&buf), &whole);
		second = judge(b, sg_buf_view(&buf), NULL);
		least(&t, second);
		if (ms(t) > 250)
			(void)printf("  1 MiB of %-30s %9.1f ms  %s\n",
				     shapes[i].name, ms(t),
				     whole ? "judged" : "rejected");
		if (t > worst) {
			worst = t;
			name = shapes[i].name;
		}
	}
	(void)printf("%zu shapes of 1 MiB; the slowest: %s\n", n, name);
	say("worst shape of 1 MiB", ms(worst), "ms", "<= 250 ms",
	    ms(worst) <= 250);
	sg_buf_release(&buf);
}

int
main(int argc, char **argv)
{
	struct bench b = { .policy = NULL };

	sg_err_clear(&b.err);
	sg_arena_init(&b.arena, ARENA_CAP);
	if (sg_policy_open("default", &b.policy, &b.err) != SG_OK ||
	    sg_judge_new(b.policy, &b.judge, &b.err) != SG_OK)
		die(&b.err, "policy");
	if (sg_analyzer_new(NULL, &b.analyzer, &b.err) != SG_OK ||
	    sg_tree_new(&b.tree, &b.err) != SG_OK)
		die(&b.err, "analyzer");
	b.limits = sg_policy_limits(b.policy);
	if (argc > 1)
		bench_files(&b, argc - 1, argv + 1);
	bench_scripts(&b);
	bench_load(&b);
	bench_shapes(&b);
	sg_tree_free(b.tree);
	sg_analyzer_free(b.analyzer);
	sg_judge_free(b.judge);
	sg_policy_free(b.policy);
	sg_arena_release(&b.arena);
	return EXIT_SUCCESS;
}
