#ifndef SG_TESTS_READING_H
#define SG_TESTS_READING_H

/*
 * Texts are read, one after another in one workspace, as a server does it:
 *
 *	begin();
 *	is("x = 1", "(Assign:body (Name:target n=x +s) ...");
 *	refuses_for(9, "match a:\n case 1: b");
 *	end();
 *
 * or whole lists of them, each with a workspace of its own:
 *
 *	REFUSES(13, "f() = 1", "1 += x");
 *	READS(13, "a.b = 1");
 */

#include "analyzer/tree.h"
#include "base/map.h"
#include "unit/support.h"

enum { MINOR = 13, MAX_NAMES = 1 << 18 };

static struct workspace {
	struct sg_tree *tree;
	struct sg_arena arena;
	struct sg_intern names;
	struct sg_source source;
	struct sg_limits limits;
	struct sg_tree_job job;
} w;

static inline void
begin(void)
{
	struct sg_err err;

	sg_err_clear(&err);
	sg_arena_init(&w.arena, 64u << 20);
	sg_intern_init(&w.names, MAX_NAMES, 16u << 20);
	w.limits = sg_limits_default();
	ck_good(sg_tree_new(&w.tree, &err), &err);
}

static inline void
end(void)
{
	sg_tree_free(w.tree);
	sg_intern_release(&w.names);
	sg_arena_release(&w.arena);
}

static inline int
read_text(struct sg_str text, uint32_t minor, uint64_t deadline)
{
	struct sg_problem *problem = NULL;
	struct sg_err err;
	int rc;

	sg_err_clear(&err);
	sg_arena_reset(&w.arena);
	sg_intern_reset(&w.names);
	ck_good(sg_source_read(text, 4u << 20, &w.arena, &w.source, &problem,
			       &err),
		&err);
	ck_assert_ptr_null(problem);
	w.job = (struct sg_tree_job){ .source = &w.source,
				      .limits = &w.limits,
				      .minor = minor,
				      .deadline = deadline,
				      .arena = &w.arena,
				      .names = &w.names };
	rc = sg_tree_read(w.tree, &w.job, &err);
	ck_assert(rc == SG_OK || rc == SG_ENOMEM);
	return rc;
}

/* The tree's children of the module are `want`. */
static inline void
is_for(uint32_t minor, const char *text, const char *want)
{
	struct sg_buf out;
	struct sg_str body;

	sg_buf_init(&out, 1u << 20);
	ck_assert_int_eq(read_text(sg_str_c(text), minor, UINT64_MAX), SG_OK);
	ck_assert_msg(w.job.nproblems == 0, "%s: %.*s", text,
		      SG_STR_ARG(w.job.nproblems ? w.job.problems[0].message
						 : SG_STR_NONE));
	sg_ast_dump(&w.job.ast, &out);
	body = sg_buf_view(&out);
	ck_assert(sg_str_starts(body, SG_STR("(Module ")));
	ck_str_is(sg_str_slice(body, 8, body.n - 1), want);
	sg_buf_release(&out);
}

static inline void
is(const char *text, const char *want)
{
	is_for(MINOR, text, want);
}

static inline void
refuses_for(uint32_t minor, const char *text)
{
	ck_assert_int_eq(read_text(sg_str_c(text), minor, UINT64_MAX), SG_OK);
	ck_assert_msg(w.job.nproblems == 1, "3.%u reads %s", minor, text);
	ck_assert_str_eq(w.job.problems[0].code, "syntax.error");
	ck_assert_uint_gt(w.job.problems[0].message.n, 0);
	ck_assert_uint_le(w.job.problems[0].range.end, w.source.text.n);
	ck_assert_uint_eq(w.job.ast.n, 0);
}

static inline void
refuses_each(uint32_t minor, const char *const *texts, size_t n)
{
	begin();
	for (size_t i = 0; i < n; i++)
		refuses_for(minor, texts[i]);
	end();
}

static inline void
reads_each(uint32_t minor, const char *const *texts, size_t n)
{
	begin();
	for (size_t i = 0; i < n; i++) {
		read_text(sg_str_c(texts[i]), minor, UINT64_MAX);
		ck_assert_msg(w.job.nproblems == 0, "3.%u refuses %s: %.*s",
			      minor, texts[i],
			      SG_STR_ARG(w.job.nproblems
						 ? w.job.problems[0].message
						 : SG_STR_NONE));
	}
	end();
}

#define REFUSES(minor, ...)                                          \
	do {                                                         \
		static const char *const texts_[] = { __VA_ARGS__ }; \
		refuses_each((minor), texts_,                        \
			     sizeof(texts_) / sizeof(*texts_));      \
	} while (0)
#define READS(minor, ...)                                                      \
	do {                                                                   \
		static const char *const texts_[] = { __VA_ARGS__ };           \
		reads_each((minor), texts_, sizeof(texts_) / sizeof(*texts_)); \
	} while (0)

/* What the text is refused with; "" when it is read. */
static inline const char *
code_of(struct sg_str text, uint64_t deadline)
{
	ck_assert_int_eq(read_text(text, MINOR, deadline), SG_OK);
	return w.job.nproblems ? w.job.problems[0].code : "";
}

#endif
