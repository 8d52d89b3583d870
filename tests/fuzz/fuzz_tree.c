/*
 * The front alone: source, lexer, tree.  The first byte chooses the version
 * of Python.  For every input the tree is in post-order, its ranges nest and
 * lie in the text, and the places of the text go up.
 */

#include "analyzer/tree.h"
#include "base/clock.h"
#include "base/map.h"
#include "base/utf8.h"
#include "fuzz/mutate.h"
#include "fuzz/target.h"

enum { ARENA_CAP = 64 << 20, NAMES_MAX = 1 << 20, VERSIONS = 6 };

static struct sg_tree *tree;

static void
check_node(const struct sg_tree_job *job, uint32_t i)
{
	const struct sg_ast *ast = &job->ast;
	const struct sg_node *node = &ast->nodes[i];

	must(node->kind > SG_AST_NONE && node->kind < SG_AST_COUNT);
	must(node->range.start <= node->range.end);
	must(node->range.end <= job->source->text.n);
	must(node->first_in_subtree >= 1 && node->first_in_subtree <= i);
	must(i == ast->n ? node->parent == 0 : node->parent > i);
	must(node->depth <= job->limits->depth);
	for (uint32_t c = node->first; c; c = ast->nodes[c].next) {
		must(c < i && c >= node->first_in_subtree);
		must(ast->nodes[c].parent == i);
	}
	if (node->kind == SG_AST_Constant)
		must(node->aux < ast->nconsts);
}

static void
check_places(const struct sg_source *s)
{
	struct sg_place last = { 1, 1 };

	for (uint32_t at = 0; at <= s->text.n && at < 4096; at++) {
		struct sg_place p;

		if (sg_utf8_floor(s->text, at) != at)
			continue;
		p = sg_source_place(s, at);
		must(p.line > last.line ||
		     (p.line == last.line && p.column >= last.column));
		last = p;
	}
}

static void
read_tree(struct sg_tree_job *job, struct sg_err *err)
{
	must(sg_tree_read(tree, job, err) == SG_OK);
	must((job->ast.n == 0) == (job->nproblems > 0));
	for (uint32_t i = 0; i < job->nproblems; i++) {
		must(job->problems[i].code != NULL);
		must(job->problems[i].range.start <=
		     job->problems[i].range.end);
		must(job->problems[i].range.end <= job->source->text.n);
	}
	for (uint32_t i = 1; i <= job->ast.n; i++)
		check_node(job, i);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sg_limits limits = sg_limits_default();
	struct sg_problem *problem = NULL;
	struct sg_source source;
	struct sg_intern names;
	struct sg_arena arena;
	struct sg_tree_job job;
	struct sg_err err;

	if (size == 0)
		return 0;
	sg_err_clear(&err);
	sg_arena_init(&arena, ARENA_CAP);
	sg_intern_init(&names, NAMES_MAX, ARENA_CAP);
	must(tree || sg_tree_new(&tree, &err) == SG_OK);
	must(sg_source_read((struct sg_str){ (const char *)data + 1, size - 1 },
			    limits.bytes, &arena, &source, &problem,
			    &err) == SG_OK);
	check_places(&source);
	job = (struct sg_tree_job){
		.source = &source,
		.limits = &limits,
		.minor = 9 + data[0] % VERSIONS,
		.deadline = sg_clock_mono() + UINT64_C(600000000000),
		.arena = &arena,
		.names = &names,
	};
	if (!problem)
		read_tree(&job, &err);
	sg_intern_release(&names);
	sg_arena_release(&arena);
	return 0;
}
