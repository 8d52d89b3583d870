#ifndef SG_CMD_CORPUS_H
#define SG_CMD_CORPUS_H

/*
 * Many scripts, one after the other: files of Python, JSON Lines (names that
 * end in ".jsonl" or ".ndjson"), and folders with either below them.
 */

#include "base/status.h"
#include "base/str.h"

/* `label` says where `code` stands: "a.py", "rows.jsonl#7". */
typedef int sg_corpus_fn(void *ctx, struct sg_str code, const char *label,
			 struct sg_err *err);

/*
 * Calls `each` for every script at `path`, in order of names; a negative
 * status of it ends the walk.  `key` is where a line of JSON has its text (as
 * for sg_row_path_parse()); NULL: "text", "code" or "content".  Lines without
 * a text are added to *skipped.  SG_EIO, SG_ENOENT, SG_EUSAGE, SG_ENOMEM.
 */
SG_MUST_CHECK int sg_corpus_each(const char *path, const char *key,
				 sg_corpus_fn *each, void *ctx,
				 uint32_t *skipped, struct sg_err *err);

#endif
