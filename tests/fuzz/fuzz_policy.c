/*
 * The policy loader.  Whatever the text: a policy that can judge, or one
 * error of one line that has a code and a file.
 */

#include "fuzz/target.h"
#include "policy/policy.h"

enum { ARENA_CAP = 16 << 20 };

static const char script[] = "import os as o\n"
			     "x = [o.path.join(a, 'b') for a in 'cd']\n"
			     "print(f'{x!r:>4}', eval('1'))  # done\n";

static struct sg_analyzer *analyzer;

static void
use(const struct sg_policy *policy, struct sg_err *err)
{
	const struct sg_analysis *an;
	struct sg_limits limits = sg_limits_default();
	struct sg_verdict verdict;
	struct sg_judge *judge;
	struct sg_arena arena;

	if (!analyzer)
		must(sg_analyzer_new(NULL, &analyzer, err) == SG_OK);
	sg_arena_init(&arena, ARENA_CAP);
	must(sg_judge_new(policy, &judge, err) == SG_OK);
	must(sg_analyze(analyzer, sg_str_c(script), &limits, &an, err) ==
	     SG_OK);
	must(sg_judge_run(judge, an, "a/b.py", &arena, &verdict, err) == SG_OK);
	sg_judge_free(judge);
	sg_arena_release(&arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sg_str text = { (const char *)data, size };
	struct sg_policy *policy = NULL;
	struct sg_err err;

	sg_err_clear(&err);
	if (sg_policy_read(text, "fuzz.yaml", &policy, &err) == SG_OK) {
		must(policy != NULL);
		must(err.status == SG_OK);
		use(policy, &err);
		sg_policy_free(policy);
		return 0;
	}
	must(err.status != SG_OK && err.status != SG_EINTERNAL);
	must(err.msg[0] != '\0');
	must(err.code[0] != '\0');
	must(err.file[0] != '\0');
	return 0;
}
