/*
 * Reads paths from standard input, one a line, and writes one line for each:
 * "ok DUMP", or "refused LINE:COLUMN CODE: MESSAGE".  The dump is that of
 * sg_ast_dump().  tools/astdiff.py compares it with CPython's own tree.
 *
 *	astdump [MINOR]
 */

#include <stdio.h>
#include <stdlib.h>

#include "analyzer/tree.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/map.h"

enum {
	MAX_PATH = 4096,
	MAX_TEXT = 64 << 20,
	MAX_DUMP = 512 << 20,
	MAX_NAMES = 1 << 22
};

struct dump {
	struct sg_tree *tree;
	struct sg_arena arena;
	struct sg_intern names;
	struct sg_buf text, out;
	uint32_t minor;
};

static void
tell(struct dump *d, const struct sg_source *source, const struct sg_problem *p)
{
	struct sg_place at = sg_source_place(source, p->range.start);

	sg_buf_printf(&d->out, "refused %u:%u %s: %.*s", at.line, at.column,
		      p->code, SG_STR_ARG(p->message));
}

static int
dump_text(struct dump *d, struct sg_err *err)
{
	struct sg_limits limits = sg_limits_default();
	struct sg_source source;
	struct sg_problem *problem = NULL;
	struct sg_tree_job job = { .source = &source,
				   .limits = &limits,
				   .minor = d->minor,
				   .arena = &d->arena,
				   .names = &d->names };
	int rc;

	limits.bytes = MAX_TEXT;
	limits.nodes = 1u << 25;
	job.deadline = sg_clock_mono() + 60u * 1000000000ull;
	rc = sg_source_read(sg_buf_view(&d->text), MAX_TEXT, &d->arena, &source,
			    &problem, err);
	if (rc == SG_OK && !problem)
		rc = sg_tree_read(d->tree, &job, err);
	if (rc != SG_OK)
		return rc;
	if (!problem && job.nproblems)
		problem = job.problems;
	if (problem) {
		tell(d, &source, problem);
	} else {
		sg_buf_c(&d->out, "ok ");
		sg_ast_dump(&job.ast, &d->out);
	}
	return SG_OK;
}

static void
dump_file(struct dump *d, const char *path)
{
	struct sg_err err;
	char text[SG_ERR_MSG + SG_ERR_FILE];

	sg_err_clear(&err);
	sg_arena_reset(&d->arena);
	sg_intern_reset(&d->names);
	sg_buf_reset(&d->text);
	sg_buf_reset(&d->out);
	if (sg_file_read(path, &d->text, &err) != SG_OK ||
	    dump_text(d, &err) != SG_OK) {
		sg_buf_reset(&d->out);
		sg_buf_printf(&d->out, "failed %s",
			      sg_err_format(&err, text, sizeof(text)));
	}
	sg_buf_char(&d->out, '\n');
	fwrite(d->out.data, 1, d->out.len, stdout);
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	static struct dump d;
	char path[MAX_PATH];
	struct sg_err err;

	d.minor = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 11;
	sg_arena_init(&d.arena, 1u << 30);
	sg_intern_init(&d.names, MAX_NAMES, MAX_TEXT);
	sg_buf_init(&d.text, MAX_TEXT);
	sg_buf_init(&d.out, MAX_DUMP);
	sg_err_clear(&err);
	if (sg_tree_new(&d.tree, &err) != SG_OK) {
		fprintf(stderr, "astdump: %s\n", err.msg);
		return 2;
	}
	while (fgets(path, sizeof(path), stdin)) {
		path[strcspn(path, "\n")] = '\0';
		dump_file(&d, path);
	}
	sg_tree_free(d.tree);
	sg_buf_release(&d.text);
	sg_buf_release(&d.out);
	sg_intern_release(&d.names);
	sg_arena_release(&d.arena);
	return 0;
}
