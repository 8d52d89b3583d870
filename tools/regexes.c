/*
 * Writes what PCRE2 says of the regexes of policies as a table in C
 * (struct sg_regex_known, policy/regex.h), in the order in which they stand,
 * each once.
 *
 *	regexes OUT.c FILE.yaml...
 */

#include <stdio.h>

#include "base/file.h"
#include "policy/doc.h"
#include "policy/limits.h"
#include "policy/regex.h"

/* This program knows none. */
const struct sg_regex_known sg_regex_known[] = { { .pattern = NULL } };
const char sg_regex_known_by[] = "";

struct writer {
	struct sg_buf out;
	struct sg_str seen[SG_POLICY_REGEXES];
	uint32_t n;
	struct sg_err err;
};

static void
put_text(struct sg_buf *out, struct sg_str s)
{
	sg_buf_char(out, '"');
	for (size_t i = 0; i < s.n; i++)
		sg_buf_printf(out, "\\%03o", (unsigned)(uint8_t)s.p[i]);
	sg_buf_char(out, '"');
}

static int
put_regex(struct writer *w, struct sg_str pattern)
{
	struct sg_regex_traits t;
	size_t offset;
	int rc;

	for (uint32_t i = 0; i < w->n; i++)
		if (sg_str_eq(w->seen[i], pattern))
			return SG_OK;
	if (w->n == SG_POLICY_REGEXES)
		return sg_err_set(&w->err, SG_ELIMIT, "too many regexes");
	w->seen[w->n++] = pattern;
	rc = sg_regex_study(pattern, &t, &offset, &w->err);
	if (rc != SG_OK)
		return rc;
	sg_buf_c(&w->out, "\t{ ");
	put_text(&w->out, pattern);
	sg_buf_printf(&w->out, ", %zu,\n\t  { { ", pattern.n);
	for (size_t i = 0; i < sizeof(t.starts); i++)
		sg_buf_printf(&w->out, "%u, ", t.starts[i]);
	sg_buf_printf(&w->out, "}, %d, %d, %d, %d, %d, %u } },\n", t.has_starts,
		      t.has_need, t.need, t.need_too, t.empty, t.min_length);
	return SG_OK;
}

/* Every scalar with the key `regex`; nothing else in a policy has it. */
static int
put_document(struct writer *w, const struct sg_doc_node *root)
{
	const struct sg_doc_node *open[SG_POLICY_DEPTH], *n = root;
	uint32_t depth = 0;
	int rc = SG_OK;

	while (rc == SG_OK) {
		if (n->key != NULL && n->kind == SG_DOC_SCALAR &&
		    sg_str_eq(n->key->text, SG_STR("regex")))
			rc = put_regex(w, n->text);
		if (n->first != NULL) {
			open[depth++] = n;
			n = n->first;
			continue;
		}
		while (n->next == NULL && depth > 0)
			n = open[--depth];
		if (n == root)
			break;
		n = n->next;
	}
	return rc;
}

static int
read_all(struct writer *w, struct sg_arena *arena, char *const *files)
{
	struct sg_doc_node *root;
	struct sg_buf text;
	int rc = SG_OK;

	sg_buf_init(&text, SG_POLICY_BYTES);
	for (; *files != NULL && rc == SG_OK; files++) {
		sg_buf_reset(&text);
		rc = sg_file_read(*files, &text, &w->err);
		if (rc == SG_OK)
			rc = sg_doc_read(sg_buf_view(&text), *files, arena,
					 &root, &w->err);
		if (rc == SG_OK)
			rc = put_document(w, root);
	}
	sg_buf_release(&text);
	return rc;
}

static int
write_table(struct writer *w, const char *path, char *const *files)
{
	char version[SG_REGEX_VERSION];
	struct sg_arena arena;
	int rc;

	sg_regex_version(version);
	sg_arena_init(&arena, SG_POLICY_ARENA);
	sg_buf_c(&w->out,
		 "/* Written by tools/regexes.c. */\n"
		 "#include \"policy/regex.h\"\n"
		 "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n"
		 "const char sg_regex_known_by[] = ");
	put_text(&w->out, sg_str_c(version));
	sg_buf_c(&w->out, ";\nconst struct sg_regex_known "
			  "sg_regex_known[] = {\n");
	rc = read_all(w, &arena, files);
	sg_buf_c(&w->out, "\t{ .pattern = NULL },\n};\n");
	if (rc == SG_OK && sg_buf_failed(&w->out))
		rc = sg_err_set(&w->err, SG_ENOMEM, "out of memory");
	if (rc == SG_OK)
		rc = sg_file_replace(path, sg_buf_view(&w->out), 0644, &w->err);
	sg_arena_release(&arena);
	return rc;
}

int
main(int argc, char **argv)
{
	static struct writer w;
	char text[1024];
	int rc;

	if (argc < 3)
		return 2;
	sg_err_clear(&w.err);
	sg_buf_init(&w.out, SG_POLICY_ARENA);
	rc = write_table(&w, argv[1], argv + 2);
	if (rc != SG_OK)
		fprintf(stderr, "regexes: %s\n",
			sg_err_format(&w.err, text, sizeof(text)));
	sg_buf_release(&w.out);
	return rc != SG_OK;
}
