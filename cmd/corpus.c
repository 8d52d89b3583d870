#include "cmd/corpus.h"

#include "base/buf.h"
#include "base/file.h"
#include "pipeline/lines.h"
#include "pipeline/row.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <stdio.h>

enum { SCRIPT_MAX = 64 << 20, LABEL_MAX = 4200 };

struct walk {
	const char *key;
	uint32_t *skipped;
	sg_corpus_fn *each;
	void *ctx;
	struct sg_buf text;
	struct sg_row_path keys[3];
	uint32_t nkeys;
};

static int
set_keys(struct walk *w, struct sg_err *err)
{
	static const char *const usual[] = { "text", "code", "content" };
	if (w->key) {
		w->nkeys = 1;
		return sg_row_path_parse(sg_str_c(w->key), &w->keys[0], err);
	}
	for (; w->nkeys < 3; w->nkeys++) {
		if (sg_row_path_parse(sg_str_c(usual[w->nkeys]),
				      &w->keys[w->nkeys], err) < 0)
			return SG_EINTERNAL;
	}
	return SG_OK;
}

/* The text of a line, by the first key that it has. */
static bool
find_text(struct walk *w, struct sg_str line)
{
	struct sg_row row;

	sg_buf_reset(&w->text);
	for (uint32_t i = 0; i < w->nkeys; i++) {
		sg_row_scan(line, &w->keys[i], &row);
		if (row.fault)
			continue;
		sg_row_text(&row, &w->text);
		return !sg_buf_failed(&w->text);
	}
	return false;
}

static int
walk_lines(struct walk *w, const char *path, int fd, struct sg_err *err)
{
	enum sg_line kind = SG_LINE_WHOLE;
	char label[LABEL_MAX];
	struct sg_lines lines;
	struct sg_str line;
	int status = SG_OK;

	sg_lines_init(&lines, fd, SCRIPT_MAX, NULL);
	while (status == SG_OK) {
		status = sg_lines_next(&lines, &kind, &line, err);
		if (status < 0 || kind == SG_LINE_END)
			break;
		if (kind == SG_LINE_LONG || !find_text(w, line)) {
			++*w->skipped;
			continue;
		}
		(void)snprintf(label, sizeof(label), "%s#%" PRIu64, path,
			       lines.number);
		status = w->each(w->ctx, sg_buf_view(&w->text), label, err);
	}
	sg_lines_release(&lines);
	return status;
}

static bool
is_rows(const char *path)
{
	struct sg_str s = sg_str_c(path);

	return sg_str_ends(s, SG_STR(".jsonl")) ||
	       sg_str_ends(s, SG_STR(".ndjson"));
}

static int
walk_file(struct walk *w, const char *path, struct sg_err *err)
{
	int status, fd;

	if (is_rows(path)) {
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		if (fd < 0)
			return sg_err_sys(err, SG_EIO, errno,
					  "cannot open '%s'", path);
		status = walk_lines(w, path, fd, err);
		sg_fd_close(&fd);
		return status;
	}
	sg_buf_reset(&w->text);
	status = sg_file_read(path, &w->text, err);
	if (status < 0)
		return sg_err_at(err, path, 0, 0);
	return w->each(w->ctx, sg_buf_view(&w->text), path, err);
}

static int
by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Whether a file below a folder is one of ours; named ones always are. */
static bool
is_script(const FTSENT *entry)
{
	return entry->fts_level == FTS_ROOTLEVEL || is_rows(entry->fts_name) ||
	       sg_str_ends(sg_str_c(entry->fts_name), SG_STR(".py"));
}

static int
walk_entry(struct walk *w, const FTSENT *entry, struct sg_err *err)
{
	switch (entry->fts_info) {
	case FTS_F:
	case FTS_DEFAULT:
		return is_script(entry) ? walk_file(w, entry->fts_path, err)
					: SG_OK;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		return sg_err_sys(
			err, entry->fts_errno == ENOENT ? SG_ENOENT : SG_EIO,
			entry->fts_errno, "cannot read '%s'", entry->fts_path);
	default:
		return SG_OK;
	}
}

static int
walk_path(struct walk *w, const char *path, struct sg_err *err)
{
	char *roots[] = { (char *)(uintptr_t)path, NULL };
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR,
			     by_name);
	int status = SG_OK;
	const FTSENT *entry;

	if (!tree)
		return sg_err_sys(err, SG_EIO, errno, "cannot read '%s'", path);
	while (status == SG_OK && (entry = fts_read(tree)))
		status = walk_entry(w, entry, err);
	(void)fts_close(tree);
	return status;
}

int
sg_corpus_each(const char *path, const char *key, sg_corpus_fn *each, void *ctx,
	       uint32_t *skipped, struct sg_err *err)
{
	struct walk w = {
		.key = key, .skipped = skipped, .each = each, .ctx = ctx
	};
	int status = set_keys(&w, err);

	sg_buf_init(&w.text, SCRIPT_MAX);
	if (status == SG_OK)
		status = walk_path(&w, path, err);
	sg_buf_release(&w.text);
	return status;
}
