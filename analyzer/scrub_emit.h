#ifndef SG_ANALYZER_SCRUB_EMIT_H
#define SG_ANALYZER_SCRUB_EMIT_H

/* The writer of the skeleton, for analyzer/scrub_*.c only. */

#include "analyzer/scrub.h"

enum {
	SG_MAX_SKELETON = 1u << 27,
	SG_EMIT_ROOM = 32 /* bytes that one token may write at most */
};

enum sg_open_kind {
	SG_OPEN_LINE, /* the bottom; never on the stack */
	SG_OPEN_BRACKET,
	SG_OPEN_PARAMS, /* parentheses of a def */
	SG_OPEN_TYPES,  /* brackets of type parameters; see types_state */
	SG_OPEN_FIELD,
	SG_OPEN_STAR,   /* closes with ']' */
	SG_OPEN_TYPE,   /* an annotation, bound or default: closes with ')' */
	SG_OPEN_LAMBDA, /* up to its colon */
	SG_OPEN_FOR,    /* up to its `in` */
	SG_OPEN_ITEM,   /* an item of a with that is no primary: with ')' */
	SG_OPEN_WALRUS, /* the value of `:=`: closes with ')' */
	SG_OPEN_TUPLE,  /* exceptions without parentheses: closes with ')' */
	SG_OPEN_GUARD,  /* the `if` of a case, up to the colon */
	SG_OPEN_AWAIT   /* up to the end of its operand: closes with ')' */
};

enum sg_types_state {
	SG_TYPES_START,
	SG_TYPES_NAME,
	SG_TYPES_BOUND,
	SG_TYPES_DEFAULT
};

enum sg_statement {
	SG_STMT_PLAIN,
	SG_STMT_COMPOUND,
	SG_STMT_WITH,
	SG_STMT_MATCH,
	SG_STMT_CASE,
	SG_STMT_TYPE,
	SG_STMT_IMPORT
};

struct sg_emit {
	struct sg_scrub *s;
	struct sg_token *t; /* the line's tokens */
	uint32_t n, i, level;
	uint32_t pending; /* out of a bracket put before, or none */
	uint32_t opened;  /* out.n after the last bracket put */
	enum sg_statement stmt;
	uint32_t stmt_start; /* token */
	uint32_t tuple_at;   /* token before which a tuple opens */
	uint32_t item_at;    /* token with which an item of a with begins */
	bool starts;         /* the next token begins a statement */
	bool def;            /* after `def`, before its parentheses */
	bool arrow;          /* a `->` was seen */
	bool value;          /* a type alias has its equal sign */
	bool operand;        /* the last token ends an operand */
	bool from;           /* a from-import without its `import` yet */
	bool block;          /* the last token is a block's colon */
	uint32_t depth;      /* brackets open */
	uint32_t conditions; /* `if` without its `else` yet, outside of
				    brackets */
};

/* --- writing ----------------------------------------------------------------- */

/* True when there is room for what one token writes. */
bool sg_emit_room(struct sg_emit *e);
void sg_emit_put(struct sg_emit *e, const char *text, uint32_t n);
/* Puts text that opens a bracket before the next token. */
void sg_emit_open(struct sg_emit *e, const char *text, uint32_t n);
/* Writes the token at e->i, after a space where one is needed to keep it
 * apart from the one before. */
void sg_emit_token(struct sg_emit *e);
/* Notes where a token is that writes something else than itself. */
void sg_emit_place(struct sg_emit *e);
/* Refuses the script at the token e->i; false. */
bool sg_emit_refuse(struct sg_emit *e);
bool sg_emit_too_old(struct sg_emit *e, uint32_t minor, const char *what);

#define SG_EMIT_PUT(e, lit) sg_emit_put(e, "" lit, sizeof(lit) - 1)
#define SG_EMIT_OPEN(e, lit) sg_emit_open(e, "" lit, sizeof(lit) - 1)

/* --- what is open -------------------------------------------------------------- */

static inline enum sg_open_kind
sg_emit_top(const struct sg_emit *e)
{
	return e->s->nopen ? (enum sg_open_kind)e->s->open[e->s->nopen - 1].kind
			   : SG_OPEN_LINE;
}

bool sg_emit_push(struct sg_emit *e, enum sg_open_kind kind);
/* Takes the top off the stack and closes what the skeleton opened for it. */
bool sg_emit_pop(struct sg_emit *e);
/* Ends stars and walruses, annotations too, or all up to a bracket. */
bool sg_emit_pop_stars(struct sg_emit *e);
bool sg_emit_pop_wraps(struct sg_emit *e);
bool sg_emit_pop_to_bracket(struct sg_emit *e);

/* --- tokens ------------------------------------------------------------------- */

unsigned sg_emit_kind(const struct sg_emit *e, uint32_t i);
bool sg_emit_is_wordish(unsigned kind);
bool sg_emit_ends_operand(unsigned kind);

/* --- scrub_types.c ------------------------------------------------------------- */

/* The `[` at e->i opens type parameters. */
bool sg_emit_is_types(const struct sg_emit *e);
/* Whether a token may stand in a list of type parameters, where the skeleton
 * has a call open after each name. */
bool sg_emit_fits_types(const struct sg_emit *e, unsigned kind);
/* A bound or default of a type parameter, or the end of one. */
bool sg_emit_types_mark(struct sg_emit *e, unsigned kind);

/* --- scrub_statement.c -------------------------------------------------------- */

/* The first token of a statement.  *ret_done: it has been written. */
bool sg_emit_begin_statement(struct sg_emit *e, uint32_t level, bool *ret_done);
/* At a semicolon or the end of the line, with e->i there. */
bool sg_emit_end_statement(struct sg_emit *e);
/* The colon that ends the head of a compound statement. */
bool sg_emit_block_colon(struct sg_emit *e);
/* An item of a with begins. */
bool sg_emit_begin_item(struct sg_emit *e);

#endif
