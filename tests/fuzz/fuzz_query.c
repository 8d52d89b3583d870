/*
 * Queries of tree-sitter.  Whatever the text: a query that can be run over
 * a script, or an error that says which byte is wrong.
 */

#include "analyzer/query.h"
#include "fuzz/target.h"

static const char script[] = "import os as o\n"
			     "class A(B, metaclass=C):\n"
			     "    def f(self, *a, **k):  # one\n"
			     "        return [x for x in a if x == k['y']] \\\n"
			     "            + self.f(1, b=2)\n"
			     "print(f'{x!r:>4}', 'a' 'b')\n";

static const struct sg_analysis *analysis;
static struct sg_query_run *run;

static bool
count(void *ctx, uint32_t pattern, const struct sg_query_hit *hits, uint32_t n)
{
	const struct sg_query *q = ctx;

	must(pattern < sg_query_patterns(q));
	for (uint32_t i = 0; i < n; i++) {
		must(hits[i].capture < sg_query_captures(q));
		must(hits[i].range.start <= hits[i].range.end);
		must(hits[i].range.end <= analysis->source.text.n);
	}
	return true;
}

static void
start(struct sg_err *err)
{
	static struct sg_analyzer *analyzer;

	if (analysis)
		return;
	must(sg_analyzer_new(NULL, &analyzer, err) == SG_OK);
	must(sg_analyze(analyzer, sg_str_c(script), NULL, &analysis, err) ==
	     SG_OK);
	must(analysis->nproblems == 0);
	must(sg_query_run_new(&run, err) == SG_OK);
}

static void
use(struct sg_query *q, struct sg_str text)
{
	uint32_t n;
	const struct sg_query_predicate *p = sg_query_predicates(q, &n);
	enum sg_query_answer answer;

	for (uint32_t i = 0; i < n; i++) {
		must(p[i].pattern < sg_query_patterns(q));
		must(p[i].at < text.n &&
		     (text.p[p[i].at] == '#' || text.p[p[i].at] == '.'));
	}
	sg_query_run_reset(run, 100);
	answer = sg_query_each(run, analysis, q, count, q);
	must(answer == SG_QUERY_DONE || answer == SG_QUERY_LIMIT);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sg_str text = { (const char *)data, size };
	struct sg_query *q = NULL;
	size_t offset = 0;
	struct sg_err err;

	sg_err_clear(&err);
	start(&err);
	if (sg_query_new(text, &q, &offset, &err) == SG_OK) {
		use(q, text);
		sg_query_free(q);
		return 0;
	}
	must(q == NULL);
	must(err.status == SG_EPOLICY);
	must(err.msg[0] != '\0');
	must(offset <= size);
	return 0;
}
