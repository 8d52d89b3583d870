#ifndef SG_ANALYZER_AST_H
#define SG_ANALYZER_AST_H

/*
 * The abstract syntax tree that everything above analyzer/tree sees.  Kinds
 * and shapes are those of CPython's `ast` module (Python 3.9 to 3.14), so
 * that a rule speaks of Import, Call or Global whatever the grammar's own
 * node names are.
 *
 * Nodes lie in one array in post-order: a child comes before its parent, so
 * one pass from 1 to n sees every operand before its operator and needs no
 * stack.  Index 0 is "none"; the root (Module) is the last node.  The nodes
 * of a subtree are contiguous: `first_in_subtree .. itself`.
 *
 * Children are in source order, linked by `first` and `next`, each with the
 * role it plays.  Roles follow the field names of `ast`; what `ast` keeps in
 * parallel lists is kept here as neighbours: a Dict has KEY, VALUE, KEY,
 * VALUE ... (`**m` is a VALUE without a KEY before it), Compare has LEFT
 * and then COMPARATORs, arguments has its `arg` children, each with its
 * annotation (ANNOTATION) and default (DEFAULT) below it.
 */

#include "analyzer/source.h"

/* X(name): the kinds, spelt as CPython spells them. */
/* clang-format off */
#define SG_AST_KINDS(X)                                                      \
	X(Module) X(FunctionDef) X(AsyncFunctionDef) X(ClassDef) X(Return)   \
	X(Delete) X(Assign) X(TypeAlias) X(AugAssign) X(AnnAssign) X(For)    \
	X(AsyncFor) X(While) X(If) X(With) X(AsyncWith) X(Match) X(Raise)    \
	X(Try) X(TryStar) X(Assert) X(Import) X(ImportFrom) X(Global)        \
	X(Nonlocal) X(Expr) X(Pass) X(Break) X(Continue)                     \
	X(BoolOp) X(NamedExpr) X(BinOp) X(UnaryOp) X(Lambda) X(IfExp)        \
	X(Dict) X(Set) X(ListComp) X(SetComp) X(DictComp) X(GeneratorExp)    \
	X(Await) X(Yield) X(YieldFrom) X(Compare) X(Call) X(FormattedValue)  \
	X(Interpolation) X(JoinedStr) X(TemplateStr) X(Constant)             \
	X(Attribute) X(Subscript) X(Starred) X(Name) X(List) X(Tuple)        \
	X(Slice)                                                             \
	X(comprehension) X(ExceptHandler) X(arguments) X(arg) X(keyword)     \
	X(alias) X(withitem) X(match_case) X(MatchValue) X(MatchSingleton)   \
	X(MatchSequence) X(MatchMapping) X(MatchClass) X(MatchStar)          \
	X(MatchAs) X(MatchOr) X(TypeVar) X(ParamSpec) X(TypeVarTuple)
/* clang-format on */

enum sg_ast_kind {
	SG_AST_NONE = 0,
#define SG_AST_ENUM(name) SG_AST_##name,
	SG_AST_KINDS(SG_AST_ENUM)
#undef SG_AST_ENUM
		SG_AST_COUNT
};

enum sg_role {
	SG_ROLE_NONE = 0,
	SG_ROLE_BODY,
	SG_ROLE_ORELSE,
	SG_ROLE_FINALBODY,
	SG_ROLE_HANDLER,   /* ExceptHandler of Try */
	SG_ROLE_TEST,      /* If, While, IfExp, Assert */
	SG_ROLE_TARGET,    /* bound or deleted expression */
	SG_ROLE_VALUE,     /* of Assign, Return, Attribute, Subscript ... */
	SG_ROLE_ITER,      /* For, comprehension */
	SG_ROLE_IF,        /* condition of a comprehension */
	SG_ROLE_GENERATOR, /* comprehension of ListComp and so on */
	SG_ROLE_ELT,       /* element of List, Tuple, Set, comprehension */
	SG_ROLE_KEY,       /* Dict, DictComp, MatchMapping */
	SG_ROLE_FUNC,      /* callee */
	SG_ROLE_ARG,       /* positional argument of Call (Starred too) */
	SG_ROLE_KEYWORD,   /* keyword of Call or ClassDef */
	SG_ROLE_BASE,      /* positional base of ClassDef */
	SG_ROLE_DECORATOR,
	SG_ROLE_ARGUMENTS,
	SG_ROLE_PARAM,      /* arg of arguments */
	SG_ROLE_DEFAULT,    /* below arg, or of a type parameter */
	SG_ROLE_ANNOTATION, /* below arg, AnnAssign */
	SG_ROLE_RETURNS,
	SG_ROLE_TYPE_PARAM,
	SG_ROLE_BOUND,   /* of TypeVar */
	SG_ROLE_TYPE,    /* of ExceptHandler */
	SG_ROLE_EXC,     /* of Raise */
	SG_ROLE_CAUSE,   /* of Raise */
	SG_ROLE_MSG,     /* of Assert */
	SG_ROLE_NAME,    /* alias of Import; name of TypeAlias */
	SG_ROLE_ITEM,    /* withitem of With */
	SG_ROLE_CONTEXT, /* context_expr of withitem */
	SG_ROLE_VARS,    /* optional_vars of withitem */
	SG_ROLE_SUBJECT, /* of Match */
	SG_ROLE_CASE,    /* match_case of Match */
	SG_ROLE_PATTERN, /* any pattern below match_case or a pattern */
	SG_ROLE_GUARD,
	SG_ROLE_CLS,         /* of MatchClass */
	SG_ROLE_KWD_PATTERN, /* of MatchClass; a `keyword` whose `name` is the
			       attribute, with the PATTERN below it */
	SG_ROLE_LEFT,        /* BinOp, Compare */
	SG_ROLE_RIGHT,
	SG_ROLE_COMPARATOR,
	SG_ROLE_OPERAND,
	SG_ROLE_SLICE, /* index of Subscript */
	SG_ROLE_LOWER,
	SG_ROLE_UPPER,
	SG_ROLE_STEP,
	SG_ROLE_FORMAT_SPEC, /* JoinedStr below FormattedValue */
	SG_ROLE_COUNT
};

/* Binary and unary operators: BinOp, AugAssign, BoolOp, UnaryOp, and the
 * operator before a COMPARATOR (kept in that child's `level`, since its `op`
 * may be one of its own: a < b + c). */
enum sg_op {
	SG_OP_NONE = 0,
	SG_OP_ADD,
	SG_OP_SUB,
	SG_OP_MULT,
	SG_OP_MATMULT,
	SG_OP_DIV,
	SG_OP_MOD,
	SG_OP_POW,
	SG_OP_LSHIFT,
	SG_OP_RSHIFT,
	SG_OP_BITOR,
	SG_OP_BITXOR,
	SG_OP_BITAND,
	SG_OP_FLOORDIV,
	SG_OP_AND,
	SG_OP_OR,
	SG_OP_INVERT,
	SG_OP_NOT,
	SG_OP_UADD,
	SG_OP_USUB,
	SG_OP_EQ,
	SG_OP_NOTEQ,
	SG_OP_LT,
	SG_OP_LTE,
	SG_OP_GT,
	SG_OP_GTE,
	SG_OP_IS,
	SG_OP_ISNOT,
	SG_OP_IN,
	SG_OP_NOTIN
};

enum sg_node_flag {
	SG_NODE_STORE = 1 << 0,     /* ctx Store: Name, Attribute, Subscript,
				      Starred, List, Tuple as a target */
	SG_NODE_DEL = 1 << 1,       /* ctx Del */
	SG_NODE_BYTES = 1 << 2,     /* Constant: bytes rather than str */
	SG_NODE_KWONLY = 1 << 3,    /* arg: keyword-only */
	SG_NODE_POSONLY = 1 << 4,   /* arg: positional-only */
	SG_NODE_VARARG = 1 << 5,    /* arg: *args */
	SG_NODE_KWARG = 1 << 6,     /* arg: **kwargs; keyword: `**m` */
	SG_NODE_DOCSTRING = 1 << 7, /* Constant: is a docstring */
	SG_NODE_SIMPLE = 1 << 8,    /* AnnAssign: simple name target */
	SG_NODE_LAZY = 1 << 9,      /* evaluated in a scope of its own later
				      (3.14 annotations, type aliases) */
	SG_NODE_ASYNC = 1 << 10     /* comprehension: `async for` */
};

/* What a Constant is. */
enum sg_const_kind {
	SG_CONST_NONE = 0, /* the value None */
	SG_CONST_TRUE,
	SG_CONST_FALSE,
	SG_CONST_ELLIPSIS,
	SG_CONST_INT, /* `num`, unless SG_CONST_BIG */
	SG_CONST_BIG, /* an integer that does not fit int64_t */
	SG_CONST_FLOAT,
	SG_CONST_COMPLEX,
	SG_CONST_STR, /* `str`: decoded, escapes and all */
	SG_CONST_BYTES
};

struct sg_const {
	enum sg_const_kind kind;
	int64_t num;
	double real;       /* FLOAT: the value; COMPLEX: imaginary part */
	struct sg_str str; /* STR, BYTES: owned by the arena of the
			      analysis.  Lone surrogates are encoded as
			      three bytes (they are legal in a str). */
};

struct sg_node {
	uint8_t kind;   /* enum sg_ast_kind */
	uint8_t role;   /* enum sg_role in its parent */
	uint8_t op;     /* enum sg_op */
	uint8_t level;  /* ImportFrom: dots; FormattedValue:
				   conversion character or 0; a COMPARATOR:
				   enum sg_op before it */
	uint16_t flags; /* enum sg_node_flag */
	uint16_t depth; /* of nesting, root 0 */
	struct sg_range range;
	uint32_t parent, first, next;
	uint32_t first_in_subtree;
	/* Interned, NFKC-normalised, 0 none: Name.id, Attribute.attr,
	 * FunctionDef/ClassDef.name, arg.arg, keyword.arg, alias.name
	 * (dotted, "*" for a star), ImportFrom.module (dotted),
	 * ExceptHandler.name, MatchAs.name, MatchStar.name,
	 * MatchMapping.rest, type parameter's name.  Global and Nonlocal have
	 * one child Name (role NAME) for each name. */
	uint32_t name;
	/* alias.asname (interned, 0 none); Constant and MatchSingleton: index
	 * into consts. */
	uint32_t aux;
	/* Where the name itself stands (attribute after the dot, function's
	 * name ...); equal to range for Name. */
	struct sg_range name_range;
};

struct sg_intern;

struct sg_ast {
	struct sg_node *nodes; /* [1 .. n]; owned by the analysis */
	uint32_t n;            /* the root's index */
	struct sg_const *consts;
	uint32_t nconsts;
	const struct sg_intern *names; /* for all interned ids */
};

struct sg_buf;

/* "Import", "Call" ...; static text; "" for SG_AST_NONE. */
const char *sg_ast_kind_name(enum sg_ast_kind kind);
/* The kind with that name, or SG_AST_NONE. */
enum sg_ast_kind sg_ast_kind_find(struct sg_str name);
/* The child of `node` with that role, from `after` (0: the first) on; 0 when
 * there is none. */
uint32_t sg_ast_child(const struct sg_ast *ast, uint32_t node,
		      enum sg_role role, uint32_t after);

/* Whether a name is class-private: `__x`, but not `__x__`. */
bool sg_ast_is_private(struct sg_str name);
/* A name as it reads within the class `class_name` (0: outside of any), where
 * those that are private are mangled; 0 when memory is refused. */
uint32_t sg_ast_mangle(struct sg_intern *names, uint32_t class_name,
		       uint32_t name);

/*
 * Writes the tree for tests and tools to read, one line, each node as
 * (Kind:role details children...).  What is written is everything that
 * CPython's ast has too; ranges are not.
 */
void sg_ast_dump(const struct sg_ast *ast, struct sg_buf *out);

#endif
