#ifndef SG_ANALYZER_PARSE_H
#define SG_ANALYZER_PARSE_H

/*
 * The parser: the tables of tree-sitter's grammar, run over a skeleton
 * (analyzer/scrub.h).  For analyzer/tree*.c only.
 */

#include <tree_sitter/api.h>

#include "analyzer/tree_build.h"

/* One node of the concrete tree.  Those that the grammar hides have
 * SG_RULE_TOKEN as their rule: their children stand in their place. */
struct sg_parse_node {
	uint32_t start, end; /* in the skeleton */
	uint32_t kids;       /* its first child, index into sg_parse.kids */
	uint16_t nkids;
	uint8_t rule; /* enum sg_rule */
};

/* What has been read and is waiting for the rest of its rule. */
struct sg_parse_entry {
	uint32_t prev;       /* the entry below; 0: none */
	uint32_t node;       /* 0: a token of no interest */
	uint32_t start, end; /* in the skeleton */
	uint16_t state;
	uint16_t symbol; /* of the grammar */
};

/* A way to read the text so far. */
struct sg_parse_version {
	uint32_t top; /* entry; 0: it came to its end */
	int32_t weight;
};

enum {
	/* Ways to read the text that are followed at once.  The grammar needs
	 * two: `a, b` may be an expression, or targets. */
	SG_MAX_VERSIONS = 16,
	SG_PARSE_SLOTS = 1 << 13,
	SG_PARSE_WORDS = 1 << 7,
	SG_PARSE_OPERATORS = 64
};

struct sg_parse_text {
	char text[9];
	uint8_t n;
	uint16_t symbol;
};

struct sg_parse_token {
	uint32_t start, end;
	uint16_t symbol;
};

enum sg_parse_end {
	SG_PARSE_GOOD,
	SG_PARSE_SYNTAX,
	SG_PARSE_LATE,
	SG_PARSE_LIMIT, /* too many nodes, or ways to read it */
	SG_PARSE_NO_MEMORY
};

struct sg_parse {
	/* Resolved once. */
	const TSLanguage *language;
	uint8_t *rules;  /* by symbol: enum sg_rule; [nrules] */
	bool *has_alias; /* by production */
	uint32_t nrules;
	uint16_t identifier, integer, ellipsis, dot, star, except_star;
	uint16_t newline, indent, dedent;
	struct sg_parse_text words[SG_PARSE_WORDS];
	struct sg_parse_text operators[SG_PARSE_OPERATORS];
	uint8_t first_operator[128]; /* by character; 0: none */
	uint32_t noperators;
	struct {
		uint32_t key; /* state and symbol, or UINT32_MAX */
		uint32_t entry;
	} slots[SG_PARSE_SLOTS]; /* what was looked up in the tables */

	/* The tree; valid until the next text. */
	struct {
		struct sg_parse_node *v;
		uint32_t n, room;
	} nodes; /* [1..] */
	struct {
		uint32_t *v;
		uint32_t n, room;
	} kids;
	uint32_t root;
	uint32_t reached; /* where it stopped, in the skeleton */

	/* While parsing. */
	struct {
		struct sg_parse_entry *v;
		uint32_t n, room;
	} entries; /* [1..] */
	struct sg_parse_version versions[SG_MAX_VERSIONS];
	uint32_t nversions;
	enum sg_parse_end end;
	const char *text;
	uint32_t at, size, last_end;
	uint32_t level, dedents;
};

/* False when memory is refused or the grammar is not the one that this was
 * written for. */
bool sg_parse_init(struct sg_parse *p);
void sg_parse_release(struct sg_parse *p);

/* Parses a skeleton; unless it is good, p->reached tells how far it came. */
enum sg_parse_end sg_parse_run(struct sg_parse *p, const char *text,
			       uint32_t size, uint64_t deadline);

/* parse_token.c: resolves the terminals, and reads the next of them. */
bool sg_parse_token_init(struct sg_parse *p);
void sg_parse_token_begin(struct sg_parse *p, const char *text, uint32_t size);
bool sg_parse_token_next(struct sg_parse *p, struct sg_parse_token *ret);

#endif
