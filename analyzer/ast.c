#include "analyzer/ast.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/map.h"

static const char *const kind_names[SG_AST_COUNT] = { "",
#define NAME_OF(name) #name,
						      SG_AST_KINDS(NAME_OF)
#undef NAME_OF
};

static const char *const role_names[SG_ROLE_COUNT] = {
	[SG_ROLE_NONE] = "",
	[SG_ROLE_BODY] = "body",
	[SG_ROLE_ORELSE] = "orelse",
	[SG_ROLE_FINALBODY] = "finalbody",
	[SG_ROLE_HANDLER] = "handler",
	[SG_ROLE_TEST] = "test",
	[SG_ROLE_TARGET] = "target",
	[SG_ROLE_VALUE] = "value",
	[SG_ROLE_ITER] = "iter",
	[SG_ROLE_IF] = "if",
	[SG_ROLE_GENERATOR] = "generator",
	[SG_ROLE_ELT] = "elt",
	[SG_ROLE_KEY] = "key",
	[SG_ROLE_FUNC] = "func",
	[SG_ROLE_ARG] = "arg",
	[SG_ROLE_KEYWORD] = "keyword",
	[SG_ROLE_BASE] = "base",
	[SG_ROLE_DECORATOR] = "decorator",
	[SG_ROLE_ARGUMENTS] = "arguments",
	[SG_ROLE_PARAM] = "param",
	[SG_ROLE_DEFAULT] = "default",
	[SG_ROLE_ANNOTATION] = "annotation",
	[SG_ROLE_RETURNS] = "returns",
	[SG_ROLE_TYPE_PARAM] = "type_param",
	[SG_ROLE_BOUND] = "bound",
	[SG_ROLE_TYPE] = "type",
	[SG_ROLE_EXC] = "exc",
	[SG_ROLE_CAUSE] = "cause",
	[SG_ROLE_MSG] = "msg",
	[SG_ROLE_NAME] = "name",
	[SG_ROLE_ITEM] = "item",
	[SG_ROLE_CONTEXT] = "context",
	[SG_ROLE_VARS] = "vars",
	[SG_ROLE_SUBJECT] = "subject",
	[SG_ROLE_CASE] = "case",
	[SG_ROLE_PATTERN] = "pattern",
	[SG_ROLE_GUARD] = "guard",
	[SG_ROLE_CLS] = "cls",
	[SG_ROLE_KWD_PATTERN] = "kwd_pattern",
	[SG_ROLE_LEFT] = "left",
	[SG_ROLE_RIGHT] = "right",
	[SG_ROLE_COMPARATOR] = "comparator",
	[SG_ROLE_OPERAND] = "operand",
	[SG_ROLE_SLICE] = "slice",
	[SG_ROLE_LOWER] = "lower",
	[SG_ROLE_UPPER] = "upper",
	[SG_ROLE_STEP] = "step",
	[SG_ROLE_FORMAT_SPEC] = "format_spec",
};

static const char *const op_names[] = {
	[SG_OP_NONE] = "",           [SG_OP_ADD] = "Add",
	[SG_OP_SUB] = "Sub",         [SG_OP_MULT] = "Mult",
	[SG_OP_MATMULT] = "MatMult", [SG_OP_DIV] = "Div",
	[SG_OP_MOD] = "Mod",         [SG_OP_POW] = "Pow",
	[SG_OP_LSHIFT] = "LShift",   [SG_OP_RSHIFT] = "RShift",
	[SG_OP_BITOR] = "BitOr",     [SG_OP_BITXOR] = "BitXor",
	[SG_OP_BITAND] = "BitAnd",   [SG_OP_FLOORDIV] = "FloorDiv",
	[SG_OP_AND] = "And",         [SG_OP_OR] = "Or",
	[SG_OP_INVERT] = "Invert",   [SG_OP_NOT] = "Not",
	[SG_OP_UADD] = "UAdd",       [SG_OP_USUB] = "USub",
	[SG_OP_EQ] = "Eq",           [SG_OP_NOTEQ] = "NotEq",
	[SG_OP_LT] = "Lt",           [SG_OP_LTE] = "LtE",
	[SG_OP_GT] = "Gt",           [SG_OP_GTE] = "GtE",
	[SG_OP_IS] = "Is",           [SG_OP_ISNOT] = "IsNot",
	[SG_OP_IN] = "In",           [SG_OP_NOTIN] = "NotIn",
};

/* The letters of a dump, for the flags in order of their bits; the docstring
 * and lazy marks are ours alone and are left out. */
static const char flag_letters[] = "sdBkpvwDiLa";

const char *
sg_ast_kind_name(enum sg_ast_kind kind)
{
	return (unsigned)kind < SG_AST_COUNT ? kind_names[kind] : "";
}

enum sg_ast_kind
sg_ast_kind_find(struct sg_str name)
{
	for (unsigned k = 1; k < SG_AST_COUNT; k++)
		if (sg_str_eq(name, sg_str_c(kind_names[k])))
			return (enum sg_ast_kind)k;
	return SG_AST_NONE;
}

bool
sg_ast_is_private(struct sg_str name)
{
	return name.n > 2 && name.p[0] == '_' && name.p[1] == '_' &&
	       !(name.p[name.n - 1] == '_' && name.p[name.n - 2] == '_') &&
	       !memchr(name.p, '.', name.n);
}

uint32_t
sg_ast_mangle(struct sg_intern *names, uint32_t class_name, uint32_t name)
{
	struct sg_str n = sg_intern_str(names, name);
	struct sg_str k = sg_intern_str(names, class_name);
	char few[256], *p = few;
	size_t skip = 0;
	uint32_t id = 0;

	if (!class_name || !sg_ast_is_private(n))
		return name;
	while (skip < k.n && k.p[skip] == '_')
		skip++;
	if (skip == k.n)
		return name;
	k = sg_str_slice(k, skip, k.n);
	if (1 + k.n + n.n > sizeof(few))
		p = malloc(1 + k.n + n.n);
	if (!p)
		return 0;
	p[0] = '_';
	memcpy(p + 1, k.p, k.n);
	memcpy(p + 1 + k.n, n.p, n.n);
	id = sg_intern_id(names, (struct sg_str){ p, 1 + k.n + n.n });
	if (p != few)
		free(p);
	return id;
}

uint32_t
sg_ast_child(const struct sg_ast *ast, uint32_t node, enum sg_role role,
	     uint32_t after)
{
	uint32_t child = after ? ast->nodes[after].next
			       : ast->nodes[node].first;

	while (child && ast->nodes[child].role != role)
		child = ast->nodes[child].next;
	return child;
}

static void
dump_text(struct sg_str s, struct sg_buf *out)
{
	sg_buf_char(out, '"');
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c > ' ' && c < 0x7f && c != '"' && c != '\\')
			sg_buf_char(out, (char)c);
		else
			sg_buf_printf(out, "\\x%02x", c);
	}
	sg_buf_char(out, '"');
}

static void
dump_const(const struct sg_const *c, struct sg_buf *out)
{
	static const char *const plain[] = {
		[SG_CONST_NONE] = "None",   [SG_CONST_TRUE] = "True",
		[SG_CONST_FALSE] = "False", [SG_CONST_ELLIPSIS] = "...",
		[SG_CONST_BIG] = "big",     [SG_CONST_STR] = "s",
		[SG_CONST_BYTES] = "b",
	};

	sg_buf_char(out, ' ');
	if (c->kind == SG_CONST_INT) {
		sg_buf_printf(out, "%" PRId64, c->num);
		return;
	}
	if (c->kind == SG_CONST_FLOAT || c->kind == SG_CONST_COMPLEX) {
		sg_buf_printf(out, "%.17g%s", c->real,
			      c->kind == SG_CONST_FLOAT ? "f" : "j");
		return;
	}
	sg_buf_c(out, plain[c->kind]);
	if (c->kind == SG_CONST_STR || c->kind == SG_CONST_BYTES)
		dump_text(c->str, out);
}

static void
dump_name(const struct sg_ast *ast, const char *key, uint32_t id,
	  struct sg_buf *out)
{
	if (id == 0)
		return;
	sg_buf_c(out, key);
	sg_buf_str(out, sg_intern_str(ast->names, id));
}

static void
dump_open(const struct sg_ast *ast, uint32_t index, struct sg_buf *out)
{
	const struct sg_node *n = &ast->nodes[index];

	sg_buf_char(out, '(');
	sg_buf_c(out, kind_names[n->kind]);
	if (n->role) {
		sg_buf_char(out, ':');
		sg_buf_c(out, role_names[n->role]);
	}
	dump_name(ast, " n=", n->name, out);
	if (n->kind == SG_AST_Constant || n->kind == SG_AST_MatchSingleton)
		dump_const(&ast->consts[n->aux], out);
	else
		dump_name(ast, " a=", n->aux, out);
	if (n->op) {
		sg_buf_c(out, " o=");
		sg_buf_c(out, op_names[n->op]);
	}
	if (n->level)
		sg_buf_printf(out, " l=%u", n->level);
	for (unsigned bit = 0; flag_letters[bit]; bit++)
		if ((n->flags >> bit & 1) && bit != 2 && bit != 7 && bit != 9)
			sg_buf_printf(out, " +%c", flag_letters[bit]);
}

void
sg_ast_dump(const struct sg_ast *ast, struct sg_buf *out)
{
	uint32_t at = ast->n;

	while (at) {
		dump_open(ast, at, out);
		if (ast->nodes[at].first) {
			sg_buf_char(out, ' ');
			at = ast->nodes[at].first;
			continue;
		}
		sg_buf_char(out, ')');
		while (at != ast->n && !ast->nodes[at].next) {
			at = ast->nodes[at].parent;
			sg_buf_char(out, ')');
		}
		if (at == ast->n)
			break;
		sg_buf_char(out, ' ');
		at = ast->nodes[at].next;
	}
}
