/*
 * Measures policies in process: how long they take to load, and what rules
 * add to the time of the gate.
 *
 *	policy FILE...
 *
 * As in bench/gate.c all figures of one line come from one run, in turns, and
 * the least time of each counts; time is that of the processor.
 */

#include <stdio.h>
#include <stdlib.h>

#include <time.h>

#include "analyzer/analysis.h"
#include "base/file.h"
#include "policy/policy.h"

enum {
	ROUNDS = 9,
	LOADS = 30,
	FILE_MAX = 1 << 20,
	ARENA_CAP = 64 << 20,
	FILES = 60, /* of those that are given */
	SIDES = 4
};

/* One policy that is measured beside others. */
struct side {
	const char *name;
	struct sg_policy *policy;
	struct sg_judge *judge;
	uint64_t total;
};

struct bench {
	struct sg_analyzer *analyzer;
	struct sg_arena arena;
	struct sg_limits limits;
	struct side sides[SIDES];
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

static uint64_t
now(void)
{
	struct timespec t = { 0, 0 };

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

static void
say(const char *what, double value, const char *unit, const char *hold,
    bool met)
{
	(void)printf("%-44s %9.2f %-4s  %-10s %s\n", what, value, unit, hold,
		     met ? "" : "MISSED");
	(void)fflush(stdout);
}

/* --- generated policies ---------------------------------------------------- */

/* What rule i of thirty looks at; %d: a number that makes it its own. */
static const char *const forms[] = {
	"{call: pack%d.mod.function}",
	"{call: [pack%d.mod.f, pack%d.mod.g, 'pack%d.other.*']}",
	"{ref: os.thing%d}",
	"{ref: 'json.thing%d*'}",
	"{import: pack%d}",
	"{attr: [attribute_%d, _private_%d]}",
	"{call: '*.method_%d'}",
	"{call: pandas.DataFrame.to_%d, arg: {0: {literal: false}}}",
	"{call: numpy.load_%d, arg: {mode: {string: 'r*'}}}",
	"{string: /data/%d/*}",
	"{string: {regex: '^secret-%d-\\w+$'}}",
	"{bind: sys.thing%d}",
	"{hook: __hook_%d__}",
	"{node: {kind: FunctionDef, name: visit_%d}}",
	"{ref: math.f%d, inside: {node: FunctionDef}}",
};

static void
put_form(struct sg_buf *b, const char *form, int number)
{
	for (; *form; form++)
		if (form[0] == '%' && form[1] == 'd') {
			sg_buf_printf(b, "%d", number);
			form++;
		} else {
			sg_buf_char(b, *form);
		}
}

static void
generate(struct sg_buf *b, int rules)
{
	const int n = sizeof(forms) / sizeof(forms[0]);

	sg_buf_reset(b);
	sg_buf_c(b, "schema: 1\npolicy: generated\nrules:\n");
	for (int i = 0; i < rules; i++) {
		sg_buf_printf(b,
			      "  - id: GEN%d\n    title: rule %d\n"
			      "    severity: high\n    match: ",
			      i, i);
		put_form(b, forms[i % n], i);
		sg_buf_printf(b,
			      "\n    message: \"'{name}' is not allowed\"\n"
			      "    hint: use something else, number %d\n"
			      "    cwe: [CWE-95]\n    tags: [generated]\n"
			      "    tests:\n"
			      "      hit: [\"import a\\na.b(%d)\", \"c(%d)\"]\n"
			      "      pass: [\"x = %d\", \"def f():\\n"
			      "    return %d\"]\n",
			      i, i, i, i, i);
	}
}

/* --- loading ------------------------------------------------------------------- */

static uint64_t
load_named(struct bench *b, const char *name)
{
	uint64_t start = now();
	struct sg_policy *p;

	if (sg_policy_open(name, &p, &b->err) != SG_OK)
		die(&b->err, name);
	start = now() - start;
	sg_policy_free(p);
	return start;
}

static uint64_t
load_text(struct bench *b, struct sg_str text)
{
	uint64_t start = now();
	struct sg_policy *p;

	if (sg_policy_read(text, "generated", &p, &b->err) != SG_OK)
		die(&b->err, "generated");
	start = now() - start;
	sg_policy_free(p);
	return start;
}

static void
bench_load(struct bench *b)
{
	uint64_t shipped = UINT64_MAX, read = UINT64_MAX, made = UINT64_MAX, t;
	const struct sg_embed *file = sg_policy_shipped();
	struct sg_buf text;

	while (strcmp(file->name, "default") != 0)
		file++;
	sg_buf_init(&text, 4u << 20);
	generate(&text, 300);
	for (int i = 0; i < LOADS; i++) {
		t = load_named(b, "default");
		shipped = t < shipped ? t : shipped;
		t = load_text(b, file->data);
		read = t < read ? t : read;
		t = load_text(b, sg_buf_view(&text));
		made = t < made ? t : made;
	}
	say("policy load, default", (double)shipped / 1e6, "ms", "<= 1.5 ms",
	    shipped <= 1500000);
	say("policy load, its text as a file", (double)read / 1e6, "ms",
	    "<= 5 ms", read <= 5000000);
	say("policy load, 300 generated rules", (double)made / 1e6, "ms",
	    "<= 20 ms", made <= 20000000);
	sg_buf_release(&text);
}

/* --- judging --------------------------------------------------------------------- */

static void
open_side(struct bench *b, int i, const char *name, struct sg_str text)
{
	struct side *s = &b->sides[i];

	s->name = name;
	if (sg_policy_read(text, name, &s->policy, &b->err) != SG_OK ||
	    sg_judge_new(s->policy, &s->judge, &b->err) != SG_OK)
		die(&b->err, name);
}

static uint64_t
judge(struct bench *b, const struct side *s, struct sg_str text)
{
	const struct sg_analysis *an;
	struct sg_verdict verdict;
	uint64_t start = now();

	sg_arena_reset(&b->arena);
	if (sg_analyze(b->analyzer, text, &b->limits, &an, &b->err) != SG_OK ||
	    sg_judge_run(s->judge, an, NULL, &b->arena, &verdict, &b->err) !=
		    SG_OK)
		die(&b->err, "judge");
	return now() - start;
}

static void
bench_file(struct bench *b, struct sg_str text)
{
	uint64_t least[SIDES], t;
	int i, k;

	for (i = 0; i < SIDES; i++)
		least[i] = UINT64_MAX;
	for (k = 0; k < ROUNDS; k++)
		for (i = 0; i < SIDES; i++) {
			t = judge(b, &b->sides[i], text);
			least[i] = t < least[i] ? t : least[i];
		}
	for (i = 0; i < SIDES; i++)
		b->sides[i].total += least[i];
}

static double
ratio(const struct bench *b, int a, int of)
{
	return (double)b->sides[a].total / (double)b->sides[of].total;
}

static void
bench_judge(struct bench *b, int n, char **paths)
{
	static const char query[] =
		"schema: 1\nrules:\n  - {id: Q, match: {query: '(call function:"
		" (identifier) @f (#eq? @f \"no_such\"))'}}\n";
	struct sg_buf text;
	int step = n > FILES ? n / FILES : 1;

	sg_buf_init(&text, 4u << 20);
	open_side(b, 0, "none", SG_STR("schema: 1\n"));
	generate(&text, 30);
	open_side(b, 1, "30 rules", sg_buf_view(&text));
	generate(&text, 300);
	open_side(b, 2, "300 rules", sg_buf_view(&text));
	open_side(b, 3, "a query", sg_str_c(query));
	for (int i = 0; i < n; i += step) {
		sg_buf_reset(&text);
		if (sg_file_read(paths[i], &text, &b->err) == SG_OK)
			bench_file(b, sg_buf_view(&text));
		else
			sg_err_clear(&b->err);
	}
	sg_buf_release(&text);
	say("gate with 30 rules over none", ratio(b, 1, 0), "x", "", true);
	say("gate with 300 rules over 30", ratio(b, 2, 1), "x", "<= 1.10x",
	    ratio(b, 2, 1) <= 1.10);
	say("gate with a query over none", ratio(b, 3, 0), "x", "", true);
}

int
main(int argc, char **argv)
{
	struct bench b = { .limits = sg_limits_default() };

	sg_arena_init(&b.arena, ARENA_CAP);
	b.limits.time_ms = 10000;
	if (sg_analyzer_new(NULL, &b.analyzer, &b.err) != SG_OK)
		die(&b.err, "analyzer");
	bench_load(&b);
	if (argc > 1)
		bench_judge(&b, argc - 1, argv + 1);
	for (int i = 0; i < SIDES; i++) {
		sg_judge_free(b.sides[i].judge);
		sg_policy_free(b.sides[i].policy);
	}
	sg_analyzer_free(b.analyzer);
	sg_arena_release(&b.arena);
	return EXIT_SUCCESS;
}
