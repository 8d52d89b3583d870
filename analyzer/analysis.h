#ifndef SG_ANALYZER_ANALYSIS_H
#define SG_ANALYZER_ANALYSIS_H

/*
 * The analyzer as a whole: bytes in, facts out.
 *
 * An analyzer is a workspace (parser, arenas, tables) for one thread that is
 * used again and again; an analysis is a view into it, valid until the next
 * sg_analyze() or the analyzer's end.
 *
 * What is wrong with the script is a problem in the analysis, never a
 * status: a caller that gets SG_OK and a problem rejects the script.  A
 * caller that gets anything else rejects it as not judged.
 */

#include "analyzer/fact.h"
#include "analyzer/limits.h"
#include "base/buf.h"

struct sg_analyzer;

struct sg_analyzer_opts {
	/* Minor version of Python 3 that will run the text: 9 to 14; 0 means
	 * SG_ANALYZER_MINOR. */
	uint32_t minor;
};

enum { SG_ANALYZER_MINOR = 11 };

struct sg_analysis {
	struct sg_source source;
	struct sg_ast ast;                 /* n is 0 when there was no tree */
	const struct sg_problem *problems; /* any one of them rejects */
	uint32_t nproblems;
	const struct sg_fact *facts; /* in order of place */
	uint32_t nfacts;
	const struct sg_range *comments;
	uint32_t ncomments;
	uint32_t dynamic[SG_DYNAMIC_COUNT]; /* how many of each */
	uint32_t passes;                    /* of the value analysis */
	uint64_t took; /* nanoseconds of the thread's processor time */
	struct sg_analyzer *owner;
};

/* *ret belongs to the caller: sg_analyzer_free(). `opts` may be NULL. */
SG_MUST_CHECK int sg_analyzer_new(const struct sg_analyzer_opts *opts,
				  struct sg_analyzer **ret, struct sg_err *err);
void sg_analyzer_free(struct sg_analyzer *a);

/*
 * Reads one script.  `limits` NULL means sg_limits_default().  *ret is a view
 * into `a`, valid until the next call.  SG_ENOMEM, SG_EINTERNAL.
 */
SG_MUST_CHECK int sg_analyze(struct sg_analyzer *a, struct sg_str bytes,
			     const struct sg_limits *limits,
			     const struct sg_analysis **ret,
			     struct sg_err *err);

/*
 * How a fact's name was reached, one line: "s <- os.system <- import os as o
 * (line 1)".  Empty when it was written as it is.  Owned by `arena`.
 */
struct sg_str sg_analysis_chain(const struct sg_analysis *an,
				const struct sg_fact *fact,
				struct sg_arena *arena);

/*
 * What the analyzer sees, for people: scopes with what their names may be,
 * names as they are used, facts with their chains, what stayed unresolved.
 * `line` of the submitted text, or 0 for all.  Appends to `out`; says the
 * problems instead when there was no analysis.
 */
void sg_analysis_explain(const struct sg_analysis *an, uint32_t line,
			 struct sg_buf *out);

/* "tree-sitter 0.25.0, tree-sitter-python 0.25.0": static. */
const char *sg_analyzer_versions(void);

#endif
