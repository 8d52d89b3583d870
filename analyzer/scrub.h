#ifndef SG_ANALYZER_SCRUB_H
#define SG_ANALYZER_SCRUB_H

/*
 * The lexer.  One linear pass over the canonical text reads CPython's tokens
 * by CPython's own rules, refuses what its tokenizer refuses, and writes
 * the skeleton: a short text for the parser in which all that its grammar
 * reads otherwise than CPython has been replaced by something that both
 * read alike.  Each token knows where it stands in both texts.
 *
 * The rewrites, all of them:
 *
 *	written                 in the skeleton
 *	comment, blank line,
 *	continuation, newline
 *	within brackets         nothing, or one space
 *	indentation             one space for each level
 *	end of a simple line    ; and a newline
 *	name, soft keyword      n
 *	number                  0
 *	"text" 'more'           0
 *	f"a{x}b{y!r:>{w}}"      {(x),(y),(w)}
 *	*x as an expression     S[x]
 *	x: T, def f() -> T: y   x:(T), def f()->(T): and y on a new line
 *	[T: B = D, *U] after
 *	def, class, type        [n(b=(B),d=(D)),n()]
 *	await x, y := x         (await x), y:=(x)
 *	a ^ b & c               a&b^c, for the grammar has them the wrong
 *	                        way round
 *	with a as b, c:         while[a as b,c]:
 *	except A, B:            except(A,B):
 *	match x:                while(x):
 *	case p if g:            while[p]and(g):
 *	type X = T              assert X,(T)
 *
 * Whether `match`, `case` and `type` are keywords is decided here, as
 * CPython's grammar decides it: a line that begins with a name and ends with
 * a colon can only be a match statement, the lines of its block can
 * only be cases, and `type` is a keyword before another name.
 */

#include "analyzer/source.h"

/* X(NAME, "text"): kinds of tokens with one spelling. */
/* clang-format off */
#define SG_KEYWORDS(X)                                                       \
	X(FALSE, "False") X(NONE, "None") X(TRUE, "True") X(AND, "and")      \
	X(AS, "as") X(ASSERT, "assert") X(ASYNC, "async")                    \
	X(AWAIT, "await") X(BREAK, "break") X(CLASS, "class")                \
	X(CONTINUE, "continue") X(DEF, "def") X(DEL, "del")                  \
	X(ELIF, "elif") X(ELSE, "else") X(EXCEPT, "except")                  \
	X(FINALLY, "finally") X(FOR, "for") X(FROM, "from")                  \
	X(GLOBAL, "global") X(IF, "if") X(IMPORT, "import") X(IN, "in")      \
	X(IS, "is") X(LAMBDA, "lambda") X(NONLOCAL, "nonlocal")              \
	X(NOT, "not") X(OR, "or") X(PASS, "pass") X(RAISE, "raise")          \
	X(RETURN, "return") X(TRY, "try") X(WHILE, "while")                  \
	X(WITH, "with") X(YIELD, "yield")
/* clang-format on */

/* clang-format off */
#define SG_OPERATORS(X)                                                      \
	X(LPAR, "(") X(RPAR, ")") X(LSQB, "[") X(RSQB, "]") X(LBRACE, "{")   \
	X(RBRACE, "}") X(COMMA, ",") X(COLON, ":") X(SEMI, ";") X(DOT, ".")  \
	X(EQUAL, "=") X(PLUS, "+") X(MINUS, "-") X(STAR, "*")                \
	X(SLASH, "/") X(PERCENT, "%") X(AT, "@") X(VBAR, "|")                \
	X(AMPER, "&") X(CIRCUMFLEX, "^") X(TILDE, "~") X(LESS, "<")          \
	X(GREATER, ">") X(EQEQUAL, "==") X(NOTEQUAL, "!=")                   \
	X(LESSEQUAL, "<=") X(GREATEREQUAL, ">=") X(LEFTSHIFT, "<<")          \
	X(RIGHTSHIFT, ">>") X(DOUBLESTAR, "**") X(DOUBLESLASH, "//")         \
	X(RARROW, "->") X(COLONEQUAL, ":=") X(ELLIPSIS, "...")               \
	X(PLUSEQUAL, "+=") X(MINEQUAL, "-=") X(STAREQUAL, "*=")              \
	X(SLASHEQUAL, "/=") X(PERCENTEQUAL, "%=") X(ATEQUAL, "@=")           \
	X(VBAREQUAL, "|=") X(AMPEREQUAL, "&=") X(CIRCUMFLEXEQUAL, "^=")      \
	X(LEFTSHIFTEQUAL, "<<=") X(RIGHTSHIFTEQUAL, ">>=")                   \
	X(DOUBLESTAREQUAL, "**=") X(DOUBLESLASHEQUAL, "//=")
/* clang-format on */

enum sg_tok {
	SG_TOK_NIL = 0,
	SG_TOK_NAME,  /* also print, exec, _ ... */
	SG_TOK_MATCH, /* names that may be keywords, up to TYPE */
	SG_TOK_CASE,
	SG_TOK_TYPE,
	SG_TOK_NUMBER,
	SG_TOK_STRING,     /* adjacent literals are one; aux: its index */
	SG_TOK_FIELD,      /* `{` in an f-string, before the expression */
	SG_TOK_FIELD_END,  /* what ends the expression */
	SG_TOK_STRING_END, /* of a string with fields */
#define SG_TOK_ENUM(name, text) SG_TOK_##name,
	SG_KEYWORDS(SG_TOK_ENUM) SG_OPERATORS(SG_TOK_ENUM)
#undef SG_TOK_ENUM
		SG_TOK_COUNT
};

struct sg_token {
	uint32_t out;        /* where it begins in the skeleton */
	uint32_t start, end; /* in the canonical text */
	uint32_t aux;
	uint8_t kind; /* enum sg_tok */
	bool wide;    /* NAME: has bytes beyond ASCII */
};

enum sg_part_kind {
	SG_PART_TEXT,  /* [start, end): undecoded text */
	SG_PART_FIELD, /* [start, end): from `{` to `}`; the expression
			     follows as a child, then maybe a SPEC */
	SG_PART_SPEC,  /* format spec begins */
	SG_PART_SPEC_END,
	SG_PART_FIELD_END
};

enum sg_part_flag {
	SG_PART_RAW = 1 << 0,
	SG_PART_BYTES = 1 << 1,
	SG_PART_FORMAT = 1 << 2,  /* of an f-string: braces are doubled */
	SG_PART_IN_SPEC = 1 << 3, /* ... but not within a format spec */
	SG_PART_TEMPLATE = 1 << 4
};

/* A piece of a string; the pieces of one string are linked in order. */
struct sg_part {
	uint32_t start, end;
	uint32_t next;      /* 0: the last */
	uint32_t debug_end; /* FIELD with `=`: end of the text to show,
				 which begins after the `{`; else 0 */
	uint32_t expr_end;  /* FIELD: end of the expression's text */
	uint8_t kind;       /* enum sg_part_kind */
	uint8_t flags;      /* enum sg_part_flag */
	char conversion;    /* FIELD: 's', 'r', 'a' or 0 */
};

/* A run of adjacent string literals. */
struct sg_literal {
	uint32_t first, last;             /* parts; 0 when it is empty */
	uint32_t nfields;                 /* at the top level and in specs */
	bool bytes, format, plain, templ; /* which kinds there are */
};

struct sg_bracket {
	uint32_t at;   /* canonical offset */
	uint32_t part; /* of a field */
	char open;     /* '(', '[', '{'; 'f' for a field */
};

/* An f-string that is being read. */
struct sg_fmode {
	uint32_t start; /* of the literal */
	uint32_t limit; /* before 3.12: the end of its body */
	uint32_t outer; /* the limit that holds outside of it */
	uint32_t literal;
	uint32_t bracket; /* brackets open where it began */
	uint8_t flags;    /* enum sg_part_flag */
	uint8_t quotes;   /* 1 or 3 */
	uint8_t specs;    /* format specs open */
	bool in_spec;     /* no field has ended since the last began */
	char quote;
};

/* CPython's limits: MAXINDENT, MAXLEVEL, MAXFSTRINGLEVEL. */
enum {
	SG_MAX_INDENT = 100,
	SG_MAX_BRACKETS = 200,
	SG_MAX_FSTRINGS = 150,
	SG_MAX_SPECS = 4,
	/* Brackets, and what the skeleton has open between them. */
	SG_MAX_OPEN = 2048
};

/* What is open in the skeleton: enum in scrub_emit.c. */
struct sg_open {
	uint8_t kind;
	uint8_t state;
};

struct sg_scrub {
	/* out */
	struct {
		char *v;
		uint32_t n, room;
	} out; /* the skeleton */
	struct {
		struct sg_token *v;
		uint32_t n, room;
	} tokens;
	struct {
		struct sg_part *v;
		uint32_t n, room;
	} parts; /* [1..] */
	struct {
		struct sg_literal *v;
		uint32_t n, room;
	} literals;
	struct {
		struct sg_range *v;
		uint32_t n, room;
	} comments;
	struct sg_problem *problem; /* in the arena of the call */

	/* Tokens that a text may have, from sg_scrub_init() on as many as
	 * there is room for: limit.nodes. */
	uint32_t max_tokens;

	/* while reading */
	const char *text;
	uint32_t at, limit, size;
	uint32_t minor;
	struct sg_arena *arena;
	uint32_t line_token; /* the logical line's first token */
	uint32_t nbrackets, nmodes, nindents, nopen;
	bool refused_memory;
	bool in_text;        /* within an f-string's literal text */
	bool block_due;      /* the line before ended with a colon */
	uint32_t block_head; /* where that line begins */
	uint32_t columns[SG_MAX_INDENT], alt_columns[SG_MAX_INDENT];
	uint8_t in_match[SG_MAX_INDENT + 1]; /* by level: block of a match */
	struct sg_bracket brackets[SG_MAX_BRACKETS];
	struct sg_fmode modes[SG_MAX_FSTRINGS];
	struct sg_open open[SG_MAX_OPEN];
};

void sg_scrub_init(struct sg_scrub *s);
void sg_scrub_release(struct sg_scrub *s);

/*
 * Reads `text` for Python 3.`minor`.  On SG_OK either s->problem is set or
 * the out fields are whole; they are valid until the next call.
 */
SG_MUST_CHECK int sg_scrub_read(struct sg_scrub *s, struct sg_str text,
				uint32_t minor, struct sg_arena *arena,
				struct sg_err *err);

/* For the parts of the lexer, scrub*.c. */

/* Says why the text is refused, unless something was said before; false. */
bool sg_scrub_refuse(struct sg_scrub *s, uint32_t start, uint32_t end,
		     const char *fmt, ...) SG_PRINTF(4, 5);
/* Appends a token; false when memory is refused. */
bool sg_scrub_token(struct sg_scrub *s, enum sg_tok kind, uint32_t start,
		    uint32_t end, uint32_t aux);
/* Reads a name, number or string at s->at; false when refused. */
bool sg_scrub_word(struct sg_scrub *s);
bool sg_scrub_number(struct sg_scrub *s);
/* The literal begins at `start` (its prefix), its quote is at s->at. */
bool sg_scrub_string(struct sg_scrub *s, uint32_t start, uint8_t flags);
/* Goes on with the text of the innermost f-string. */
bool sg_scrub_fstring_text(struct sg_scrub *s);
/* `:`, `!`, `=` and `}` at the outer level of a field; sets *ret_done when
 * it was such. */
bool sg_scrub_field_mark(struct sg_scrub *s, bool *ret_done);
/* Notes the comment at s->at and skips it. */
bool sg_scrub_comment(struct sg_scrub *s);
/* Opens a bracket. */
bool sg_scrub_open(struct sg_scrub *s, char open, uint32_t at);
/* Writes the logical line of tokens [s->line_token, s->tokens.n). */
bool sg_scrub_emit_line(struct sg_scrub *s, uint32_t level);

static inline bool
sg_tok_is_name(unsigned kind)
{
	return kind >= SG_TOK_NAME && kind <= SG_TOK_TYPE;
}

static inline bool
sg_tok_is_keyword(unsigned kind)
{
	return kind >= SG_TOK_FALSE && kind <= SG_TOK_YIELD;
}

#endif
