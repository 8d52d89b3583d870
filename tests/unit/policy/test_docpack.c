/* Packed documents: the same tree, and nothing but it. */

#include <stdlib.h>

#include "policy/docpack.h"
#include "policy/limits.h"
#include "policy/policy.h"
#include "unit/support.h"

/* What a text is read and packed to, and what that is unpacked to. */
struct both {
	struct sg_arena arena;
	struct sg_buf packed;
	struct sg_doc_node *read, *unpacked;
	struct sg_digest digest;
};

static void
node_is(const struct sg_doc_node *a, const struct sg_doc_node *b)
{
	ck_assert_int_eq(a->kind, b->kind);
	ck_assert(a->plain == b->plain);
	ck_assert_uint_eq(a->line, b->line);
	ck_assert_uint_eq(a->column, b->column);
	ck_assert_uint_eq(a->n, b->n);
	ck_assert(sg_str_eq(a->text, b->text));
	if (a->kind == SG_DOC_SCALAR)
		ck_assert_int_eq(b->text.p[b->text.n], '\0');
	ck_assert((a->key == NULL) == (b->key == NULL));
	ck_assert((a->first == NULL) == (b->first == NULL));
	ck_assert((a->next == NULL) == (b->next == NULL));
}

static void
tree_is(const struct sg_doc_node *a, const struct sg_doc_node *b,
	uint32_t depth)
{
	const struct sg_doc_node *x = a->first, *y = b->first;

	ck_assert_uint_le(depth, SG_POLICY_DEPTH);
	node_is(a, b);
	if (a->key != NULL)
		tree_is(a->key, b->key, depth + 1);
	for (; x != NULL; x = x->next, y = y->next)
		tree_is(x, y, depth + 1);
}

static void
pack(struct both *b, struct sg_str text)
{
	struct sg_err err;

	sg_err_clear(&err);
	sg_arena_init(&b->arena, SG_POLICY_ARENA);
	sg_buf_init(&b->packed, SG_POLICY_ARENA);
	ck_good(sg_doc_read(text, "test", &b->arena, &b->read, &err), &err);
	sg_doc_pack(b->read, text, &b->packed);
	ck_assert(!sg_buf_failed(&b->packed));
}

static void
release(struct both *b)
{
	sg_buf_release(&b->packed);
	sg_arena_release(&b->arena);
}

static void
survives(struct sg_str text)
{
	struct sg_digest want = sg_digest_of(text);
	struct both b;
	struct sg_err err;

	sg_err_clear(&err);
	pack(&b, text);
	ck_good(sg_doc_unpack(sg_buf_view(&b.packed), &b.arena, &b.digest,
			      &b.unpacked, &err),
		&err);
	tree_is(b.read, b.unpacked, 0);
	ck_assert_mem_eq(&b.digest, &want, sizeof(want));
	release(&b);
}

START_TEST(a_packed_document_is_the_same_tree)
{
	static const char *const texts[] = {
		"a",
		"''",
		"[]",
		"{}",
		"a: b",
		"a: ''\nb: \"quoted\"\nc: |\n  block\n  of lines\n",
		"- 1\n- [2, [3], {}]\n- {a: {b: [c]}}\n- ~\n",
		"k:\n  - l: [m]\n    n: {o: p}\n\n\nlast: \xc3\xa4\n",
		"[[[[[[[[]]]]]]]]",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		survives(sg_str_c(texts[i]));
}
END_TEST

/* Lines, columns and counts on both sides of each length of a number. */
START_TEST(numbers_of_each_length_are_kept)
{
	static const size_t sizes[] = { 126, 127,   128,   129,
					130, 16382, 16384, 16390 };
	struct sg_buf b;

	sg_buf_init(&b, SG_POLICY_BYTES);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		sg_buf_reset(&b);
		for (size_t k = 0; k < sizes[i]; k++)
			sg_buf_char(&b, '\n');
		sg_buf_c(&b, "a: [");
		for (size_t k = 0; k < sizes[i]; k++)
			sg_buf_char(&b, ' ');
		sg_buf_char(&b, '"');
		for (size_t k = 0; k < sizes[i]; k++)
			sg_buf_char(&b, 'x');
		sg_buf_c(&b, "\"]");
		survives(sg_buf_view(&b));
	}
	sg_buf_release(&b);
}
END_TEST

START_TEST(nesting_up_to_the_limit_is_kept)
{
	char text[2 * SG_POLICY_DEPTH + 1];

	memset(text, '[', SG_POLICY_DEPTH);
	memset(text + SG_POLICY_DEPTH, ']', SG_POLICY_DEPTH);
	text[2 * SG_POLICY_DEPTH] = '\0';
	survives(sg_str_c(text));
}
END_TEST

/* What the makefile built in is what the texts beside it say. */
START_TEST(shipped_policies_are_packed_as_they_are_written)
{
	const struct sg_embed *text = sg_policy_shipped();
	const struct sg_embed *packed = sg_policy_packed();
	struct sg_doc_node *root;
	struct sg_digest digest, want;
	struct sg_err err;

	sg_err_clear(&err);
	for (; text->name != NULL; text++, packed++) {
		struct both b;

		ck_assert_str_eq(text->name, packed->name);
		pack(&b, text->data);
		ck_assert(sg_str_eq(sg_buf_view(&b.packed), packed->data));
		ck_good(sg_doc_unpack(packed->data, &b.arena, &digest, &root,
				      &err),
			&err);
		tree_is(b.read, root, 0);
		want = sg_digest_of(text->data);
		ck_assert_mem_eq(&digest, &want, sizeof(want));
		release(&b);
	}
	ck_assert_ptr_null(packed->name);
}
END_TEST

static const char broken_text[] = "a: [b, {c: dd}]\ne: ''\n";

static int
unpack(struct sg_str packed)
{
	struct sg_doc_node *root = NULL;
	struct sg_digest digest;
	struct sg_arena arena;
	struct sg_err err;
	int rc;

	sg_err_clear(&err);
	sg_arena_init(&arena, 1 << 20);
	rc = sg_doc_unpack(packed, &arena, &digest, &root, &err);
	ck_assert((rc == SG_OK) == (root != NULL));
	sg_arena_release(&arena);
	return rc;
}

START_TEST(what_is_cut_short_or_too_long_is_refused)
{
	struct both b;

	pack(&b, sg_str_c(broken_text));
	for (size_t n = 0; n < b.packed.len; n++) {
		/* a copy, so that reading on is seen */
		char *copy = malloc(n + 1);

		ck_assert_ptr_nonnull(copy);
		memcpy(copy, b.packed.data, n);
		ck_assert_int_eq(unpack((struct sg_str){ copy, n }),
				 SG_EINTERNAL);
		free(copy);
	}
	sg_buf_char(&b.packed, '\0');
	ck_assert_int_eq(unpack(sg_buf_view(&b.packed)), SG_EINTERNAL);
	release(&b);
}
END_TEST

/* Whatever stands there: a tree or a refusal, never more. */
START_TEST(changed_bytes_harm_nobody)
{
	struct both b;

	pack(&b, sg_str_c(broken_text));
	for (size_t i = SG_DIGEST_BYTES; i < b.packed.len; i++) {
		char was = b.packed.data[i];

		for (int byte = 0; byte < 256; byte++) {
			int rc;

			b.packed.data[i] = (char)byte;
			rc = unpack(sg_buf_view(&b.packed));
			ck_assert(rc == SG_OK || rc == SG_EINTERNAL);
		}
		b.packed.data[i] = was;
	}
	ck_assert_int_eq(unpack(sg_buf_view(&b.packed)), SG_OK);
	release(&b);
}
END_TEST

START_TEST(without_memory_there_is_no_tree)
{
	struct both b;

	pack(&b, sg_str_c(broken_text));
	SG_TEST_EACH_ALLOCATION() {
		int rc = unpack(sg_buf_view(&b.packed));

		ck_assert(rc == SG_OK || rc == SG_ENOMEM);
	}
	release(&b);
}
END_TEST

SG_TEST_MAIN("docpack", a_packed_document_is_the_same_tree,
	     numbers_of_each_length_are_kept, nesting_up_to_the_limit_is_kept,
	     shipped_policies_are_packed_as_they_are_written,
	     what_is_cut_short_or_too_long_is_refused,
	     changed_bytes_harm_nobody, without_memory_there_is_no_tree)
