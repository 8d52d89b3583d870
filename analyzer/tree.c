#include "analyzer/tree.h"

#include <stdlib.h>

#include "analyzer/tree_walk.h"
#include "base/clock.h"
#include "base/vec.h"

/*
 * Theory of operation
 *
 * The lexer is ours, the grammar is tree-sitter's: the scrub writes a
 * skeleton of the text (analyzer/scrub.h), tree-sitter parses that, and the
 * walk (analyzer/tree_walk.c) turns what it finds into CPython's shapes,
 * taking every name and literal from the text itself.  So comments,
 * strings, numbers, names, indentation and soft keywords are read by
 * CPython's rules whatever the grammar thinks of them.
 *
 * Everything is kept from one reading to the next but the tree.
 */

const TSLanguage *tree_sitter_python(void);

enum {
	/* Error recovery is for editors; beyond this size of skeleton the
	 * place that the parser has reached is told instead. */
	RECOVER_BYTES = 16 << 10,
	MAX_NEAR = 40,
	MAX_STRING = 64 << 20,
	CALLS_PER_LOOK = 8
};

struct sg_tree {
	TSParser *parser;
	struct sg_rules rules;
	struct sg_scrub scrub;
	struct sg_build build;
};

/* What the parser's progress is measured against. */
struct watch {
	struct sg_str text;
	uint64_t deadline;
	uint32_t reached;
	uint32_t calls;
	bool late, failed;
};

int
sg_tree_new(struct sg_tree **ret, struct sg_err *err)
{
	struct sg_tree *t = calloc(1, sizeof(*t));

	if (!t)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	sg_scrub_init(&t->scrub);
	sg_buf_init(&t->build.chars, MAX_STRING);
	t->parser = ts_parser_new();
	if (!t->parser ||
	    !ts_parser_set_language(t->parser, tree_sitter_python()) ||
	    !sg_rules_init(&t->rules, tree_sitter_python())) {
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
	if (t->parser)
		ts_parser_delete(t->parser);
	free(t->rules.of);
	sg_scrub_release(&t->scrub);
	free(t->build.nodes.v);
	free(t->build.consts.v);
	free(t->build.values.v);
	free(t->build.frames.v);
	free(t->build.scopes.v);
	sg_buf_release(&t->build.chars);
	free(t);
}

/* --- parsing ------------------------------------------------------------------------ */

static const char *
read_text(void *payload, uint32_t at, TSPoint point, uint32_t *ret_n)
{
	const struct watch *w = payload;

	(void)point;
	*ret_n = at < w->text.n ? (uint32_t)w->text.n - at : 0;
	return at < w->text.n ? w->text.p + at : "";
}

/* True to stop. */
static bool
watch_progress(TSParseState *state)
{
	struct watch *w = state->payload;

	w->reached = state->current_byte_offset;
	w->failed = state->has_error;
	/* Asking the time costs more than what lies between two calls. */
	if (w->calls++ % CALLS_PER_LOOK == 0)
		w->late = sg_clock_cpu() >= w->deadline;
	return w->late || (w->failed && w->text.n > RECOVER_BYTES);
}

static TSTree *
parse(struct sg_tree *t, struct watch *w)
{
	TSInput input = { .payload = w,
			  .read = read_text,
			  .encoding = TSInputEncodingUTF8 };
	TSParseOptions opts = { .payload = w,
				.progress_callback = watch_progress };
	TSTree *tree = ts_parser_parse_with_options(t->parser, NULL, input,
						    opts);

	if (!tree)
		ts_parser_reset(t->parser);
	return tree;
}

int
sg_tree_parse_only(struct sg_tree *t, struct sg_str text, struct sg_err *err)
{
	TSTree *tree = ts_parser_parse_string(t->parser, NULL, text.p,
					      (uint32_t)text.n);

	if (!tree)
		return sg_err_set(err, SG_EINTERNAL, "the parser gave no tree");
	ts_tree_delete(tree);
	return SG_OK;
}

/* --- errors ------------------------------------------------------------------------- */

/* The first node that is an error: found by going down into those that have
 * one. */
static TSNode
find_error(TSNode root)
{
	TSTreeCursor cursor = ts_tree_cursor_new(root);
	TSNode node;

	for (;;) {
		node = ts_tree_cursor_current_node(&cursor);
		if (ts_node_is_error(node) || ts_node_is_missing(node))
			break;
		if (ts_node_has_error(node) &&
		    ts_tree_cursor_goto_first_child(&cursor))
			continue;
		while (!ts_tree_cursor_goto_next_sibling(&cursor))
			if (!ts_tree_cursor_goto_parent(&cursor))
				goto out;
	}
out:
	ts_tree_cursor_delete(&cursor);
	return node;
}

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

static void
refuse_syntax(struct sg_build *b, uint32_t start, uint32_t end)
{
	uint32_t tok0 = token_at(b, start), tok1 = tok0;
	struct sg_range range = sg_build_range(b, tok0, tok0);
	uint32_t n = 0;

	if (end > start)
		tok1 = token_at(b, end - 1);
	range.end = b->tokens[tok1].end;
	while (range.start + n < range.end && n < MAX_NEAR &&
	       b->text[range.start + n] != '\n')
		n++;
	while (n && (b->text[range.start + n] & 0xc0) == 0x80)
		n--;
	sg_build_refuse(b, range, "invalid syntax at '%.*s'", (int)n,
			b->text + range.start);
}

static void
tell_failure(struct sg_build *b, const struct watch *w)
{
	if (w->late)
		sg_build_problem(b, "limit.time", (struct sg_range){ 0, 0 },
				 "the analysis took too long");
	else
		refuse_syntax(b, w->reached, w->reached);
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

/* The parser gets most of the time that is left: a tree that took all of it
 * would not be looked at, and must be given back in time as well. */
static uint64_t
parse_deadline(uint64_t deadline)
{
	uint64_t now = sg_clock_cpu();

	return deadline <= now ? now : now + (deadline - now) / 8 * 7;
}

static bool
build(struct sg_tree *t, struct sg_build *b)
{
	struct watch w = { .text = { t->scrub.out.v, t->scrub.out.n },
			   .deadline = parse_deadline(b->job->deadline) };
	TSTreeCursor cursor;
	TSTree *tree;
	TSNode root;
	bool good;

	if (b->ntokens == 0)
		return empty_module(b);
	tree = parse(t, &w);
	if (!tree) {
		tell_failure(b, &w);
		return false;
	}
	root = ts_tree_root_node(tree);
	if (ts_node_has_error(root)) {
		TSNode node = find_error(root);

		refuse_syntax(b, ts_node_start_byte(node),
			      ts_node_end_byte(node));
		ts_tree_delete(tree);
		return false;
	}
	cursor = ts_tree_cursor_new(root);
	good = sg_walk(b, &t->rules, &cursor);
	ts_tree_cursor_delete(&cursor);
	ts_tree_delete(tree);
	return good && sg_check_tree(b);
}

int
sg_tree_read(struct sg_tree *t, struct sg_tree_job *job, struct sg_err *err)
{
	struct sg_build *b = &t->build;
	int rc = sg_scrub_read(&t->scrub, job->source->text, job->minor,
			       job->arena, err);
	bool good;

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
