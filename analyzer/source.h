#ifndef SG_ANALYZER_SOURCE_H
#define SG_ANALYZER_SOURCE_H

/*
 * From submitted bytes to the one canonical text that is judged and run.
 *
 * Canonical text is valid UTF-8, has no BOM, ends each line with LF (CPython
 * ends a line at LF, CRLF and lone CR alike) and has no NUL.  What CPython
 * would read otherwise than as UTF-8 is refused, never guessed.  The
 * executor is given this text and nothing else.
 */

#include "base/arena.h"
#include "base/digest.h"
#include "base/status.h"

/* Bytes [start, end) of the canonical text. */
struct sg_range {
	uint32_t start, end;
};

/* A place in the text as it was submitted. */
struct sg_place {
	uint32_t line;   /* 1-based */
	uint32_t column; /* 1-based, in code points */
};

/*
 * Something that ends the judgement: the script is rejected with `code` as
 * the rule ("syntax.error", "source.encoding", "limit.depth" ...).
 */
struct sg_problem {
	const char *code;      /* static */
	struct sg_range range; /* in canonical text; may be empty */
	struct sg_str message; /* owned by the arena of the analysis */
};

struct sg_source {
	struct sg_str text;    /* canonical; followed by one NUL byte */
	uint32_t *line_starts; /* offset of each line's first byte */
	uint32_t nlines;       /* at least 1 */
	struct sg_digest submitted, canonical;
	/* Where canonical and submitted offsets drift apart: entry i says
	 * that from canonical offset `at` on, `removed` bytes more were
	 * dropped before it.  Sorted; a lone CR drops none. */
	struct sg_source_drift {
		uint32_t at, removed;
	} * drift;
	uint32_t ndrift;
};

/*
 * Makes the canonical text of `bytes`.  All of *ret is owned by `arena`.
 * On SG_OK either *ret_problem is NULL or it says why the script must be
 * rejected; *ret then still has a text that findings can point into.
 */
SG_MUST_CHECK int sg_source_read(struct sg_str bytes, size_t max_bytes,
				 struct sg_arena *arena, struct sg_source *ret,
				 struct sg_problem **ret_problem,
				 struct sg_err *err);

/* The place of a canonical offset in the submitted text. */
struct sg_place sg_source_place(const struct sg_source *s, uint32_t offset);
/* The line (1-based) of the canonical text without its LF: view into s. */
struct sg_str sg_source_line(const struct sg_source *s, uint32_t line);

#endif
