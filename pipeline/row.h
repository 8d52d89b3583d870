#ifndef SG_PIPELINE_ROW_H
#define SG_PIPELINE_ROW_H

/*
 * One line of JSON Lines: found, not rebuilt.
 *
 * The line is checked against RFC 8259 in one pass, and the pass notes where
 * the text to judge stands, where the object ends and where members named
 * "sandgate" are, so that the answer can be spliced in and every other byte
 * stays as it was.
 */

#include "base/buf.h"
#include "pipeline/limits.h"

struct sg_row_span {
	size_t start, end;
};

/*
 * Where the text is: the keys of a JSON pointer (RFC 6901, "/a/b/0") or one
 * member ("code").  Views into what was parsed, except where ~0 and ~1 had
 * to be decoded: those lie in `decoded`.
 */
struct sg_row_path {
	struct sg_str keys[SG_ROW_KEYS];
	uint32_t nkeys;
	char decoded[SG_ROW_POINTER];
};

/* SG_EUSAGE for a malformed pointer. `text` is borrowed; must outlive. */
SG_MUST_CHECK int sg_row_path_parse(struct sg_str text, struct sg_row_path *ret,
				    struct sg_err *err);

struct sg_row {
	struct sg_str line;      /* borrowed; must outlive */
	const char *fault;       /* code of what is wrong, NULL nothing */
	const char *why;         /* one line about it; static */
	size_t at;               /* offset of the fault */
	bool is_object;          /* sound, so that it can be spliced */
	struct sg_row_span text; /* with its quotes; start == end: none */
	struct sg_row_span ours[SG_ROW_OURS]; /* to cut out */
	uint32_t nours;
	bool others;  /* has other members */
	size_t close; /* offset of the last '}' */
};

/*
 * Looks at one line.  Faults: "row.utf8", "row.syntax", "row.depth",
 * "row.object" (no object), "row.missing" (no such member), "row.type" (not a
 * string), "row.duplicate" (the text is there twice, or "sandgate" more than
 * SG_ROW_OURS times).
 */
void sg_row_scan(struct sg_str line, const struct sg_row_path *path,
		 struct sg_row *ret);

/*
 * Appends the decoded text.  A lone surrogate escape becomes its three
 * bytes, which the gate refuses as not UTF-8.
 */
void sg_row_text(const struct sg_row *row, struct sg_buf *out);

/*
 * Appends the line with `answer` (a JSON object) as its member "sandgate";
 * a line that is no object gives an object with that member alone.
 */
void sg_row_splice(const struct sg_row *row, struct sg_str answer,
		   struct sg_buf *out);

#endif
