#ifndef SG_ANALYZER_TREE_BUILD_H
#define SG_ANALYZER_TREE_BUILD_H

/*
 * The conversion from the grammar's nodes to ours; for analyzer/tree*.c only.
 *
 * The concrete tree is walked once, bottom up.  Each concrete node that is
 * left takes the values its children pushed and pushes its own: most often
 * one node of ours, sometimes several (a block gives its statements) or
 * none (a token).  Nodes are emitted as they are left, which is
 * post-order.
 */

#include "analyzer/scrub.h"
#include "analyzer/tree.h"
#include "base/buf.h"

/* X(NAME, "name in the grammar"): the concrete nodes that are known.  Those
 * up to LEAVES are leaves. */
/* clang-format off */
#define SG_RULE_LEAVES(X)                                                    \
	X(IDENTIFIER, "identifier") X(INTEGER, "integer")                    \
	X(FLOAT, "float") X(TRUE, "true") X(FALSE, "false")                  \
	X(NONE, "none") X(ELLIPSIS, "ellipsis") X(PASS, "pass_statement")    \
	X(BREAK, "break_statement") X(CONTINUE, "continue_statement")        \
	X(WILDCARD, "wildcard_import") X(PREFIX, "import_prefix")            \
	X(SLASH, "positional_separator") X(STAR_ONLY, "keyword_separator")
/* clang-format on */

/* clang-format off */
#define SG_RULE_INNER(X)                                                     \
	X(MODULE, "module") X(BLOCK, "block") X(IMPORT, "import_statement")  \
	X(IMPORT_FROM, "import_from_statement")                              \
	X(RELATIVE, "relative_import") X(DOTTED, "dotted_name")              \
	X(ALIASED, "aliased_import") X(ASSERT, "assert_statement")           \
	X(EXPR, "expression_statement") X(NAMED, "named_expression")         \
	X(RETURN, "return_statement") X(DELETE, "delete_statement")          \
	X(RAISE, "raise_statement") X(GLOBAL, "global_statement")            \
	X(NONLOCAL, "nonlocal_statement") X(IF, "if_statement")              \
	X(ELIF, "elif_clause") X(ELSE, "else_clause")                        \
	X(FOR, "for_statement") X(WHILE, "while_statement")                  \
	X(TRY, "try_statement") X(EXCEPT, "except_clause")                   \
	X(FINALLY, "finally_clause") X(FUNCTION, "function_definition")      \
	X(CLASS, "class_definition") X(DECORATED, "decorated_definition")    \
	X(DECORATOR, "decorator") X(PARAMETERS, "parameters")                \
	X(LAMBDA_PARAMETERS, "lambda_parameters")                            \
	X(DEFAULT_PARAMETER, "default_parameter")                            \
	X(TYPED_PARAMETER, "typed_parameter")                                \
	X(TYPED_DEFAULT, "typed_default_parameter")                          \
	X(STAR_PATTERN, "list_splat_pattern")                                \
	X(DOUBLESTAR_PATTERN, "dictionary_splat_pattern")                    \
	X(TYPE, "type") X(TYPE_PARAMETER, "type_parameter")                  \
	X(DOUBLESTAR, "dictionary_splat") X(ARGUMENTS, "argument_list")      \
	X(KEYWORD_ARGUMENT, "keyword_argument")                              \
	X(EXPRESSION_LIST, "expression_list") X(PATTERN_LIST, "pattern_list")\
	X(TUPLE_PATTERN, "tuple_pattern") X(LIST_PATTERN, "list_pattern")    \
	X(AS, "as_pattern") X(AS_TARGET, "as_pattern_target")                \
	X(NOT, "not_operator") X(BOOLEAN, "boolean_operator")                \
	X(BINARY, "binary_operator") X(UNARY, "unary_operator")              \
	X(COMPARISON, "comparison_operator") X(LAMBDA, "lambda")             \
	X(ASSIGNMENT, "assignment") X(AUGMENTED, "augmented_assignment")     \
	X(YIELD, "yield") X(ATTRIBUTE, "attribute")                          \
	X(SUBSCRIPT, "subscript") X(SLICE, "slice") X(CALL, "call")          \
	X(LIST, "list") X(SET, "set") X(TUPLE, "tuple")                      \
	X(DICTIONARY, "dictionary") X(PAIR, "pair")                          \
	X(LIST_COMP, "list_comprehension") X(SET_COMP, "set_comprehension")  \
	X(DICT_COMP, "dictionary_comprehension")                             \
	X(GENERATOR, "generator_expression")                                 \
	X(PAREN, "parenthesized_expression") X(FOR_IN, "for_in_clause")      \
	X(IF_CLAUSE, "if_clause") X(CONDITIONAL, "conditional_expression")   \
	X(AWAIT, "await")
/* clang-format on */

enum sg_rule {
	SG_RULE_TOKEN = 0, /* anonymous: of no interest */
	SG_RULE_UNKNOWN,   /* named, and not in the lists: refused */
#define SG_RULE_ENUM(name, text) SG_RULE_##name,
	SG_RULE_LEAVES(SG_RULE_ENUM) SG_RULE_INNER(SG_RULE_ENUM)
#undef SG_RULE_ENUM
		SG_RULE_STAR, /* a subscript that stands for a starred expression */
	SG_RULE_TYPE_VAR,     /* a call that stands for a type parameter */
	SG_RULE_BEFORE,       /* the ones below act before each child */
	SG_RULE_FSTRING,      /* a set that stands for a string with fields */
	SG_RULE_ITEMS,        /* a list, or parentheses: items of a with */
	SG_RULE_COUNT
};

/* What a concrete node gave to its parent. */
struct sg_value {
	uint32_t node;       /* ours; 0 for a bare name and the like */
	uint32_t tok0, tok1; /* first and last token, brackets included */
	uint8_t rule;        /* enum sg_rule, of what is within brackets */
	bool paren;          /* was in parentheses of its own */
	bool trailing;       /* TUPLE_PATTERN and so on: ends with a comma */
};

struct sg_frame {
	uint32_t tok0;
	uint32_t base;       /* first of its values on the stack */
	uint32_t start, end; /* in the skeleton */
	uint16_t aux;        /* FSTRING: index into fstrings; ITEMS: whether it
			   is within parentheses */
	uint8_t rule;        /* enum sg_rule */
	bool pattern;        /* within a case's pattern */
};

/* A concrete node whose children are being visited. */
struct sg_step {
	uint32_t kid, end; /* the next of them, and the end */
	bool hidden;       /* it has no frame */
};

/* How far a string with fields has been written. */
struct sg_fstring {
	uint32_t part;
	uint32_t nbases, nfields;
	uint32_t base[2 * SG_MAX_SPECS + 2]; /* of fields and specs open */
	uint32_t field[SG_MAX_SPECS + 1];    /* parts of the fields open */
};

struct sg_build {
	struct sg_tree_job *job;
	const struct sg_scrub *scrub;
	const char *text;
	const struct sg_token *tokens;
	uint32_t ntokens;
	uint32_t at, end_at; /* tokens reached by starts and ends */
	struct {
		struct sg_node *v;
		uint32_t n, room;
	} nodes;
	struct {
		struct sg_const *v;
		uint32_t n, room;
	} consts;
	struct {
		struct sg_value *v;
		uint32_t n, room;
	} values;
	struct {
		struct sg_frame *v;
		uint32_t n, room;
	} frames;
	struct {
		struct sg_step *v;
		uint32_t n, room;
	} steps;
	struct {
		uint32_t *v;
		uint32_t n, room;
	} scopes; /* for check.c */
	struct sg_fstring fstrings[SG_MAX_FSTRINGS];
	uint32_t nfstrings;
	struct sg_buf chars; /* of a string that is being decoded */
	struct sg_problem *problem;
	bool refused_memory;
};

enum sg_allow {
	SG_ALLOW_STAR = 1 << 0,
	SG_ALLOW_NAMED = 1 << 1, /* a bare walrus */
	SG_ALLOW_YIELD = 1 << 2, /* a bare yield */
	SG_ALLOW_AS = 1 << 3,
	SG_ALLOW_SLICE = 1 << 4
};

/* What happens when a rule's node is left; false when refused. */
#define SG_BUILD_FN(name) bool name(struct sg_build *b, struct sg_frame *f)

/* Fixed places of the constants. */
enum {
	SG_CONST_AT_NONE,
	SG_CONST_AT_TRUE,
	SG_CONST_AT_FALSE,
	SG_CONST_AT_ELLIPSIS,
	SG_CONST_AT_FIRST
};

/* --- building ---------------------------------------------------------------- */

/* Refuses the script as syntax.error; false. */
bool sg_build_refuse(struct sg_build *b, struct sg_range range, const char *fmt,
		     ...) SG_PRINTF(3, 4);
bool sg_build_refuse_value(struct sg_build *b, const struct sg_value *v,
			   const char *message);
/* As above with another code. */
bool sg_build_problem(struct sg_build *b, const char *code,
		      struct sg_range range, const char *message);
bool sg_build_no_memory(struct sg_build *b);

/* Emits a node over the values from `base` on, whose roles are set, and puts
 * its value in their place.  The value, or NULL when refused. */
struct sg_value *sg_build_emit(struct sg_build *b, enum sg_ast_kind kind,
			       enum sg_rule rule, uint32_t tok0, uint32_t tok1,
			       uint32_t base);
/* As above, over tokens of the frame. */
struct sg_value *sg_build_node(struct sg_build *b, struct sg_frame *f,
			       enum sg_ast_kind kind);
/* Pushes a value without a node. */
bool sg_build_push(struct sg_build *b, struct sg_value v);

/* Gives the value's node a role; refuses bare walruses, stars and so on that
 * are not allowed there. */
bool sg_build_take(struct sg_build *b, struct sg_value *v, enum sg_role role,
		   unsigned allow);
/* Makes the value's node a target: flags STORE or DEL, down its tuples. */
bool sg_build_target(struct sg_build *b, struct sg_value *v, enum sg_role role,
		     enum sg_node_flag flag);
/* True when the value binds as tightly as a bitwise or (or, `loose`, as
 * a boolean or), so that it may stand where CPython wants that. */
bool sg_build_is_tight(const struct sg_value *v, bool loose);

/* Refuses what binds more loosely than a boolean or. */
bool sg_build_want_loose(struct sg_build *b, const struct sg_value *v);
/* True when the frame's parentheses are the skeleton's, not the script's. */
bool sg_build_is_virtual(const struct sg_build *b, const struct sg_frame *f);
/* Refuses a comma alone in brackets, which the grammar takes. */
bool sg_build_check_comma(struct sg_build *b, struct sg_frame *f);

/* The interned name of a token, or of the dotted name of several. */
uint32_t sg_build_name(struct sg_build *b, uint32_t token);
uint32_t sg_build_dotted(struct sg_build *b, uint32_t tok0, uint32_t tok1);
/* A constant's node for a literal token. */
bool sg_build_constant(struct sg_build *b, uint32_t token,
		       struct sg_const value);
/* Number and string tokens without fields. */
bool sg_build_literal(struct sg_build *b, uint32_t token);

static inline struct sg_node *
sg_build_of(struct sg_build *b, const struct sg_value *v)
{
	return &b->nodes.v[v->node];
}

static inline unsigned
sg_build_tok(const struct sg_build *b, uint32_t token)
{
	return token < b->ntokens ? b->tokens[token].kind : SG_TOK_NIL;
}

static inline bool
sg_build_is_comma(const struct sg_build *b, uint32_t token)
{
	return sg_build_tok(b, token) == SG_TOK_COMMA;
}

static inline struct sg_range
sg_build_range(const struct sg_build *b, uint32_t tok0, uint32_t tok1)
{
	return (struct sg_range){ b->tokens[tok0].start, b->tokens[tok1].end };
}

/* Values of the frame. */
static inline struct sg_value *
sg_build_values(struct sg_build *b, const struct sg_frame *f, uint32_t *ret_n)
{
	*ret_n = b->values.n - f->base;
	return b->values.v + f->base;
}

/* The frame around f: f's parent. */
static inline const struct sg_frame *
sg_build_parent(const struct sg_frame *f)
{
	return f - 1;
}

/* --- what the rules do, by file ---------------------------------------------- */

/* tree_expr.c, tree_trailer.c, tree_comp.c */
SG_BUILD_FN(sg_build_paren);
SG_BUILD_FN(sg_build_tuple);
SG_BUILD_FN(sg_build_list);
SG_BUILD_FN(sg_build_set);
SG_BUILD_FN(sg_build_dictionary);
SG_BUILD_FN(sg_build_pair);
SG_BUILD_FN(sg_build_star);
SG_BUILD_FN(sg_build_doublestar);
SG_BUILD_FN(sg_build_binary);
SG_BUILD_FN(sg_build_unary);
SG_BUILD_FN(sg_build_not);
SG_BUILD_FN(sg_build_boolean);
SG_BUILD_FN(sg_build_comparison);
SG_BUILD_FN(sg_build_conditional);
SG_BUILD_FN(sg_build_named);
SG_BUILD_FN(sg_build_lambda);
SG_BUILD_FN(sg_build_await);
SG_BUILD_FN(sg_build_yield);
SG_BUILD_FN(sg_build_attribute);
SG_BUILD_FN(sg_build_subscript);
SG_BUILD_FN(sg_build_slice);
SG_BUILD_FN(sg_build_call);
SG_BUILD_FN(sg_build_arguments);
SG_BUILD_FN(sg_build_keyword);
SG_BUILD_FN(sg_build_comprehension);
SG_BUILD_FN(sg_build_for_in);
SG_BUILD_FN(sg_build_if_clause);
SG_BUILD_FN(sg_build_as);
SG_BUILD_FN(sg_build_pass_on);
SG_BUILD_FN(sg_build_items);
/* Ends the comprehension that is open in f: before the next `for`. */
bool sg_build_close_comprehension(struct sg_build *b, uint32_t base);
/* Makes a withitem of the last value of f, unless it is one. */
bool sg_build_close_item(struct sg_build *b, const struct sg_frame *f);
/* tree_stmt.c */
SG_BUILD_FN(sg_build_module);
SG_BUILD_FN(sg_build_block);
SG_BUILD_FN(sg_build_expr);
SG_BUILD_FN(sg_build_assign);
SG_BUILD_FN(sg_build_augmented);
SG_BUILD_FN(sg_build_return);
SG_BUILD_FN(sg_build_delete);
SG_BUILD_FN(sg_build_raise);
SG_BUILD_FN(sg_build_assert);
SG_BUILD_FN(sg_build_global);
SG_BUILD_FN(sg_build_if);
SG_BUILD_FN(sg_build_elif);
SG_BUILD_FN(sg_build_else);
SG_BUILD_FN(sg_build_for);
SG_BUILD_FN(sg_build_while);
SG_BUILD_FN(sg_build_try);
SG_BUILD_FN(sg_build_except);
SG_BUILD_FN(sg_build_import);
SG_BUILD_FN(sg_build_import_from);
SG_BUILD_FN(sg_build_dotted_name);
SG_BUILD_FN(sg_build_aliased);
/* tree_def.c */
SG_BUILD_FN(sg_build_function);
SG_BUILD_FN(sg_build_class);
SG_BUILD_FN(sg_build_decorated);
SG_BUILD_FN(sg_build_decorator);
SG_BUILD_FN(sg_build_parameters);
SG_BUILD_FN(sg_build_default);
SG_BUILD_FN(sg_build_typed);
SG_BUILD_FN(sg_build_splat_pattern);
SG_BUILD_FN(sg_build_type_parameter);
SG_BUILD_FN(sg_build_type);
SG_BUILD_FN(sg_build_type_var);
/* The arguments of a lambda without any. */
bool sg_build_no_arguments(struct sg_build *b, struct sg_frame *f);
/* tree_pattern.c: every frame within a pattern is left by the first. */
SG_BUILD_FN(sg_build_pattern);
bool sg_build_pattern_leaf(struct sg_build *b, enum sg_rule rule,
			   uint32_t token, const struct sg_frame *f);
/* tree_string.c */
bool sg_build_fstring_begin(struct sg_build *b, struct sg_frame *f);
/* Writes what comes before the next field's expression. */
bool sg_build_fstring_next(struct sg_build *b, struct sg_frame *f);
SG_BUILD_FN(sg_build_fstring);

/* --- the walk's leaves -------------------------------------------------------- */

/* tree_leaf.c: pushes what a leaf gives.  `f` is the frame it stands in. */
bool sg_build_leaf(struct sg_build *b, enum sg_rule rule, uint32_t token,
		   const struct sg_frame *f);

/* check.c: what CPython's compiler refuses, over the finished tree. */
bool sg_check_tree(struct sg_build *b);

#endif
