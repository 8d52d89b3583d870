#ifndef SG_ANALYZER_DIAGNOSE_H
#define SG_ANALYZER_DIAGNOSE_H

/*
 * Where and why tokens are no program.  For texts that have been refused
 * already: what is found here only makes the message better.
 */

#include "analyzer/scrub.h"

struct sg_diagnosis {
	struct sg_range range;
	const char *message; /* static; NULL: no more is known than where */
};

/* Reads the tokens of the lexer: of the line that it has stopped in only when
 * that is `whole`.  False when nothing wrong was found. */
bool sg_diagnose(const struct sg_scrub *s, bool whole,
		 struct sg_diagnosis *ret);

/* For analyzer/diagnose*.c. */

/* What an expression is, as far as its place matters. */
enum sg_diag_kind {
	SG_DIAG_NAME,
	SG_DIAG_ATTRIBUTE,
	SG_DIAG_ITEM,
	SG_DIAG_TUPLE,
	SG_DIAG_LIST,
	SG_DIAG_STAR,
	SG_DIAG_CALL, /* from here on never a target */
	SG_DIAG_LITERAL,
	SG_DIAG_FSTRING,
	SG_DIAG_CONSTANT, /* None, True, False, ... */
	SG_DIAG_OPERATION,
	SG_DIAG_COMPARISON,
	SG_DIAG_LAMBDA,
	SG_DIAG_CONDITION,
	SG_DIAG_COMPREHENSION,
	SG_DIAG_DISPLAY, /* of a dictionary or set */
	SG_DIAG_AWAIT,
	SG_DIAG_YIELD,
	SG_DIAG_WALRUS,
	SG_DIAG_KINDS
};

/* An expression; `bad` and `bad_at` are what of it can be no target. */
struct sg_diag_value {
	uint32_t tok0;
	uint32_t bad_at;
	uint8_t kind, bad; /* bad: 0 for none */
};

struct sg_diag {
	const struct sg_scrub *s;
	const struct sg_token *t;
	uint32_t n;
	uint32_t i, end;   /* the next token; the end of the logical line */
	uint32_t brackets; /* open */
	uint32_t depth;    /* of calls */
	struct sg_diag_level {
		uint32_t column;
		uint8_t head; /* first token of the last line there */
	} levels[SG_MAX_INDENT];
	uint32_t nlevels;
	bool failed, gave_up;
	uint32_t tok0, tok1; /* where; tok0 is `end` for the end of the line */
	const char *message;
};

static inline unsigned
sg_diag_peek(const struct sg_diag *d, uint32_t ahead)
{
	return d->i + ahead < d->end ? d->t[d->i + ahead].kind : SG_TOK_NIL;
}

static inline bool
sg_diag_take(struct sg_diag *d, enum sg_tok kind)
{
	if (sg_diag_peek(d, 0) != kind)
		return false;
	d->i++;
	return true;
}

/* Notes the first failure: at token `tok`, or at the next one; false. */
bool sg_diag_fail_at(struct sg_diag *d, uint32_t tok, const char *message);
bool sg_diag_fail(struct sg_diag *d);
/* Ends the diagnosis without one; false. */
bool sg_diag_give_up(struct sg_diag *d);

/* What a token does to the number of brackets open, an f-string with fields
 * being one. */
int sg_diag_opens(const struct sg_diag *d, const struct sg_token *t);

/* diagnose_statement.c: the logical line from d->i to d->end. */
bool sg_diag_line(struct sg_diag *d);

/* diagnose_bracket.c: each begins with the bracket at d->i. */
bool sg_diag_paren(struct sg_diag *d, struct sg_diag_value *ret);
bool sg_diag_square(struct sg_diag *d, struct sg_diag_value *ret);
bool sg_diag_brace(struct sg_diag *d, struct sg_diag_value *ret);
bool sg_diag_arguments(struct sg_diag *d);
bool sg_diag_item(struct sg_diag *d);
/* Closes the innermost bracket with that token. */
bool sg_diag_close(struct sg_diag *d, enum sg_tok kind);
/* After an element in brackets: what begins another needs a comma before it.
 * A string after a name may have been meant as a prefix. */
bool sg_diag_check_comma(struct sg_diag *d, const struct sg_diag_value *v);
/* Refuses `=` where only `==` makes sense. */
bool sg_diag_check_equal(struct sg_diag *d, const struct sg_diag_value *v);

/* diagnose_expr.c: each reads what its name says from d->i on. */
bool sg_diag_name(struct sg_diag *d);
bool sg_diag_test(struct sg_diag *d, struct sg_diag_value *ret);
/* With `:=`, and a hint where an `=` follows. */
bool sg_diag_named(struct sg_diag *d, struct sg_diag_value *ret);
/* Expressions with commas, stars among them. */
bool sg_diag_list(struct sg_diag *d, struct sg_diag_value *ret);
/* Targets of `for`, or one of `with`. */
bool sg_diag_targets(struct sg_diag *d, bool one);
/* Operands and operators; `compare`: with those that bind less than `|`. */
bool sg_diag_operation(struct sg_diag *d, bool compare,
		       struct sg_diag_value *ret);
struct sg_diag_value sg_diag_value_of(enum sg_diag_kind kind, uint32_t tok0);
/* Parameters up to `end`: a parenthesis, or the colon of a lambda. */
bool sg_diag_parameters(struct sg_diag *d, enum sg_tok end);
/* Refuses what can be no target, with the hint that fits. */
bool sg_diag_target(struct sg_diag *d, const struct sg_diag_value *v);
bool sg_diag_starts_operand(unsigned kind);

#endif
