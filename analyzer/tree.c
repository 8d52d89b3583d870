#include "analyzer/tree.h"

#include <stdlib.h>

#include "analyzer/diagnose.h"
#include "analyzer/tree_walk.h"
#include "base/vec.h"

/*
 * Theory of operation
 *
 * The lexer is ours, the grammar is tree-sitter's: the scrub writes a
 * skeleton of the text (analyzer/scrub.h), the parser (analyzer/parse.c)
 * runs the grammar's tables over it, and the walk (analyzer/tree_walk.c)
 * turns what it finds into CPython's shapes, taking every name and literal
 * from the text itself.  So comments, strings, numbers, names, indentation
 * and soft keywords are read by CPython's rules whatever the grammar thinks
 * of them.
 *
 * All memory is kept from one reading to the next.
 */

enum { MAX_NEAR = 40, MAX_STRING = 64 << 20 };

struct sg_tree {
	struct sg_parse parse;
	TSParser *reference; /* for sg_tree_parse_only(), made when asked */
	struct sg_scrub scrub;
	struct sg_build build;
};

int
sg_tree_new(struct sg_tree **ret, struct sg_err *err)
{
	struct sg_tree *t = calloc(1, sizeof(*t));

	if (!t)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	sg_scrub_init(&t->scrub);
	sg_buf_init(&t->build.chars, MAX_STRING);
	if (!sg_parse_init(&t->parse)) {
		sg_tree_free(t);
		return sg_err_set(err, SG_EINTERNAL,
				  "the grammar cannot be loaded");
	}
	*ret = t;
	return SG_OK;
}

void
sg_tree_free(struct sg_tree *t)
{
	if (!t)
		return;
	if (t->reference)
		ts_parser_delete(t->reference);
	sg_parse_release(&t->parse);
	sg_scrub_release(&t->scrub);
	free(t->build.nodes.v);
	free(t->build.consts.v);
	free(t->build.values.v);
	free(t->build.frames.v);
	free(t->build.steps.v);
	free(t->build.scopes.v);
	sg_buf_release(&t->build.chars);
	free(t);
}

int
sg_tree_parse_only(struct sg_tree *t, struct sg_str text, struct sg_err *err)
{
	TSTree *tree = NULL;

	if (!t->reference) {
		t->reference = ts_parser_new();
		if (t->reference &&
		    !ts_parser_set_language(t->reference, t->parse.language)) {
			ts_parser_delete(t->reference);
			t->reference = NULL;
		}
	}
	if (t->reference)
		tree = ts_parser_parse_string(t->reference, NULL, text.p,
					      (uint32_t)text.n);
	if (!tree)
		return sg_err_set(err, SG_EINTERNAL, "the parser gave no tree");
	ts_tree_delete(tree);
	return SG_OK;
}

/* --- errors ------------------------------------------------------------------------- */

/* The token that holds, or follows, offset `out` of the skeleton. */
static uint32_t
token_at(const struct sg_build *b, uint32_t out)
{
	uint32_t lo = 0, hi = b->ntokens;

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (b->tokens[mid].out <= out)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* The beginning of a range, as far as a message shows it. */
static int
near_bytes(const struct sg_build *b, struct sg_range range)
{
	uint32_t n = 0;

	while (range.start + n < range.end && n < MAX_NEAR &&
	       b->text[range.start + n] != '\n')
		n++;
	while (n && (b->text[range.start + n] & 0xc0) == 0x80)
		n--;
	return (int)n;
}

static void
refuse_syntax(struct sg_build *b, struct sg_range range)
{
	if (range.start == range.end)
		sg_build_refuse(b, range,
				"invalid syntax: the line ends too soon");
	else
		sg_build_refuse(b, range, "invalid syntax at '%.*s'",
				near_bytes(b, range), b->text + range.start);
}

/* A refusal that says no more than that something is wrong, or that followed
 * from a mistake before it. */
static bool
says_little(const struct sg_problem *p)
{
	static const char *const messages[] = { "invalid syntax",
						"expected ':'",
						"unexpected indent",
						"a comprehension iterates" };

	for (size_t i = 0; i < sizeof(messages) / sizeof(*messages); i++)
		if (sg_str_starts(p->message, sg_str_c(messages[i])))
			return true;
	return false;
}

/* Looks for the place and the reason that help most.  The lexer comes upon
 * mistakes that are behind others. */
static void
improve_problem(struct sg_build *b)
{
	bool little = says_little(b->problem);
	struct sg_diagnosis d;

	if (strcmp(b->problem->code, "syntax.error") != 0 ||
	    (!little && b->problem != b->scrub->problem) ||
	    !sg_diagnose(b->scrub, little, &d))
		return;
	b->problem = NULL;
	if (d.message)
		sg_build_refuse(b, d.range, "%s", d.message);
	else
		refuse_syntax(b, d.range);
}

/* Says why there is no tree; false. */
static bool
tell_failure(struct sg_build *b, const struct sg_parse *parse,
	     enum sg_parse_end end)
{
	uint32_t at;

	if (end == SG_PARSE_NO_MEMORY)
		return sg_build_no_memory(b);
	if (end == SG_PARSE_LATE)
		return sg_build_problem(b, "limit.time",
					(struct sg_range){ 0, 0 },
					"the analysis took too long");
	if (end == SG_PARSE_LIMIT)
		return sg_build_problem(b, "limit.nodes",
					(struct sg_range){ 0, 0 },
					"the syntax tree has too many nodes");
	at = token_at(b, parse->reached);
	refuse_syntax(b, sg_build_range(b, at, at));
	return false;
}

/* --- the whole ---------------------------------------------------------------------- */

static bool
prepare(struct sg_build *b)
{
	static const enum sg_const_kind fixed[] = {
		[SG_CONST_AT_NONE] = SG_CONST_NONE,
		[SG_CONST_AT_TRUE] = SG_CONST_TRUE,
		[SG_CONST_AT_FALSE] = SG_CONST_FALSE,
		[SG_CONST_AT_ELLIPSIS] = SG_CONST_ELLIPSIS
	};

	b->at = b->end_at = 0;
	b->nodes.n = b->consts.n = b->values.n = b->frames.n = 0;
	b->nfstrings = 0;
	sg_buf_reset(&b->chars);
	b->problem = NULL;
	b->refused_memory = false;
	if (!SG_VEC_ROOM(&b->nodes, 2, UINT32_MAX / 2) ||
	    !SG_VEC_ROOM(&b->consts, SG_CONST_AT_FIRST, UINT32_MAX / 2) ||
	    !SG_VEC_ROOM(&b->frames, 1, UINT32_MAX / 2))
		return sg_build_no_memory(b);
	memset(&b->nodes.v[0], 0, sizeof(*b->nodes.v));
	b->nodes.n = 1;
	memset(b->consts.v, 0, SG_CONST_AT_FIRST * sizeof(*b->consts.v));
	for (unsigned i = 0; i < SG_CONST_AT_FIRST; i++)
		b->consts.v[i].kind = fixed[i];
	b->consts.n = SG_CONST_AT_FIRST;
	return true;
}

/* A text without a token. */
static bool
empty_module(struct sg_build *b)
{
	b->nodes.v[1] = (struct sg_node){ .kind = SG_AST_Module,
					  .first_in_subtree = 1 };
	b->nodes.n = 2;
	return true;
}

static bool
build(struct sg_tree *t, struct sg_build *b)
{
	enum sg_parse_end end;

	if (b->ntokens == 0)
		return empty_module(b);
	end = sg_parse_run(&t->parse, t->scrub.out.v, t->scrub.out.n,
			   b->job->deadline);
	if (end != SG_PARSE_GOOD)
		return tell_failure(b, &t->parse, end);
	return sg_walk(b, &t->parse) && sg_check_tree(b);
}

int
sg_tree_read(struct sg_tree *t, struct sg_tree_job *job, struct sg_err *err)
{
	struct sg_build *b = &t->build;
	uint32_t nodes = job->limits->nodes;
	bool good;
	int rc;

	t->scrub.max_tokens = nodes < UINT32_MAX / SG_TOKENS_A_NODE
				      ? nodes * SG_TOKENS_A_NODE
				      : UINT32_MAX;
	rc = sg_scrub_read(&t->scrub, job->source->text, job->minor, job->arena,
			   err);
	job->ast = (struct sg_ast){ 0 };
	job->nproblems = 0;
	if (rc != SG_OK)
		return rc;
	job->comments = t->scrub.comments.v;
	job->ncomments = t->scrub.comments.n;
	b->job = job;
	b->scrub = &t->scrub;
	b->text = job->source->text.p;
	b->tokens = t->scrub.tokens.v;
	b->ntokens = t->scrub.tokens.n;
	good = prepare(b);
	b->problem = t->scrub.problem;
	good = good && !b->problem && build(t, b);
	if (b->problem)
		improve_problem(b);
	if (b->refused_memory)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	if (b->problem) {
		job->problems = b->problem;
		job->nproblems = 1;
		return SG_OK;
	}
	if (!good)
		return sg_err_set(err, SG_EINTERNAL,
				  "the syntax tree was not built");
	job->ast = (struct sg_ast){ .nodes = b->nodes.v,
				    .n = b->nodes.n - 1,
				    .consts = b->consts.v,
				    .nconsts = b->consts.n,
				    .names = job->names };
	return SG_OK;
}
