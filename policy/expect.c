/*
 * Theory of operation
 *
 * The comments of a script give pairs of line and rule that must be found;
 * the verdict gives pairs that were found.  Each found pair crosses out an
 * expected one; what is left on either side is a miss.
 */

#include <stdlib.h>

#include "base/vec.h"
#include "policy/policy.h"

enum { EXPECT_ARENA = 64 << 20, EXPECT_MAX = 100000 };

struct pair {
	uint32_t line;
	struct sg_str rule;
	bool met;
};

struct expecting {
	const struct sg_analysis *an;
	struct sg_verdict verdict;
	struct {
		struct pair *v;
		uint32_t n, room;
	} pairs;
	sg_expect_fn *each;
	void *ctx;
	uint32_t missed;
};

static const char *const names[] = { "Missing", "Noisy", "Wrong" };

const char *
sg_expect_name(enum sg_expect_kind kind)
{
	return names[kind];
}

static bool
is_id(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

/* The ids after "expect:", with commas between them. */
static bool
read_ids(struct expecting *e, struct sg_str text, uint32_t line)
{
	size_t i = 0, start;

	for (;;) {
		while (i < text.n && text.p[i] == ' ')
			i++;
		for (start = i; i < text.n && is_id(text.p[i]); i++)
			continue;
		if (i == start)
			return true;
		if (!SG_VEC_ROOM(&e->pairs, 1, EXPECT_MAX))
			return false;
		e->pairs.v[e->pairs.n++] = (struct pair){
			line, sg_str_slice(text, start, i), false
		};
		while (i < text.n && text.p[i] == ' ')
			i++;
		if (i == text.n || text.p[i++] != ',')
			return true;
	}
}

static bool
read_comments(struct expecting *e)
{
	static const char mark[] = "# expect:";
	uint32_t i;

	for (i = 0; i < e->an->ncomments; i++) {
		struct sg_range r = e->an->comments[i];
		struct sg_str text = sg_str_slice(e->an->source.text, r.start,
						  r.end);
		const char *at = memmem(text.p, text.n, mark, sizeof(mark) - 1);

		if (at == NULL)
			continue;
		at += sizeof(mark) - 1;
		if (!read_ids(e,
			      (struct sg_str){ at,
					       (size_t)(text.p + text.n - at) },
			      sg_source_place(&e->an->source, r.start).line))
			return false;
	}
	return true;
}

static void
miss(struct expecting *e, enum sg_expect_kind kind, struct sg_str rule,
     uint32_t line, struct sg_str message)
{
	struct sg_expect_miss m = { kind, rule, line, message };

	e->missed++;
	if (e->each != NULL)
		e->each(e->ctx, &m);
}

static void
compare(struct expecting *e)
{
	uint32_t i, k;

	for (i = 0; i < e->verdict.nfindings; i++) {
		const struct sg_finding *f = &e->verdict.findings[i];
		bool line = false, met = false;

		for (k = 0; k < e->pairs.n; k++) {
			if (e->pairs.v[k].line != f->begin.line)
				continue;
			line = true;
			if (!sg_str_eq(e->pairs.v[k].rule, f->rule))
				continue;
			e->pairs.v[k].met = met = true;
		}
		if (!met)
			miss(e, line ? SG_EXPECT_WRONG : SG_EXPECT_NOISY,
			     f->rule, f->begin.line, f->message);
	}
	for (k = 0; k < e->pairs.n; k++)
		if (!e->pairs.v[k].met)
			miss(e, SG_EXPECT_MISSING, e->pairs.v[k].rule,
			     e->pairs.v[k].line, SG_STR_NONE);
}

int
sg_policy_test_script(const struct sg_policy *p, struct sg_str code,
		      sg_expect_fn *each, void *ctx, uint32_t *ret_expected,
		      uint32_t *ret_missed, struct sg_err *err)
{
	struct expecting e = { .each = each, .ctx = ctx };
	struct sg_limits limits = sg_policy_limits(p);
	struct sg_analyzer *analyzer = NULL;
	struct sg_judge *judge = NULL;
	struct sg_arena arena;
	int rc;

	sg_arena_init(&arena, EXPECT_ARENA);
	limits.time_ms *= 20; /* a busy host is no reason to fail */
	rc = sg_analyzer_new(NULL, &analyzer, err);
	if (rc == SG_OK)
		rc = sg_judge_new(p, &judge, err);
	if (rc == SG_OK)
		rc = sg_analyze(analyzer, code, &limits, &e.an, err);
	if (rc == SG_OK)
		rc = sg_judge_run(judge, e.an, NULL, &arena, &e.verdict, err);
	if (rc == SG_OK && !read_comments(&e))
		rc = sg_err_set(err, SG_ENOMEM, "out of memory");
	if (rc == SG_OK) {
		compare(&e);
		*ret_expected = e.pairs.n;
		*ret_missed = e.missed;
	}
	free(e.pairs.v);
	sg_judge_free(judge);
	sg_analyzer_free(analyzer);
	sg_arena_release(&arena);
	return rc;
}
