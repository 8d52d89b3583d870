#ifndef SG_CMD_CORPUS_H
#define SG_CMD_CORPUS_H

/*
 * Many scripts, one after the other: files of Python, JSON Lines (names that
 * end in ".jsonl" or ".ndjson"), and folders with either below them.
 */

#include "base/status.h"
#include "base/str.h"

struct sg_corpus {
	const char *const *paths;
	uint32_t npaths;
	const char *text_key; /* NULL: "text", "code" or "content" */
	uint64_t skipped;     /* lines without a text, counted here */
};

/* `label` says where `code` stands: "a.py", "rows.jsonl:7". */
typedef int sg_corpus_fn(void *ctx, struct sg_str code, const char *label,
			 struct sg_err *err);

/*
 * Calls `each` for every script, in order of names; a negative status of it
 * ends the walk.  SG_EIO, SG_ENOENT, SG_EUSAGE, SG_ENOMEM.
 */
SG_MUST_CHECK int sg_corpus_walk(struct sg_corpus *c, sg_corpus_fn *each,
				 void *ctx, struct sg_err *err);

#endif
