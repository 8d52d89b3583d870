#include "analyzer/tree_build.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <utf8proc.h>

#include "base/map.h"
#include "base/vec.h"

enum {
	MAX_VALUES = 1u << 24,
	MAX_MESSAGE = 256,
	MAX_DOTTED = 1 << 16,
	MAX_BEFORE_STAR = 256
};

/* --- refusing ---------------------------------------------------------------- */

bool
sg_build_no_memory(struct sg_build *b)
{
	b->refused_memory = true;
	return false;
}

bool
sg_build_problem(struct sg_build *b, const char *code, struct sg_range range,
		 const char *message)
{
	if (b->problem || b->refused_memory)
		return false;
	b->problem = SG_NEW(b->job->arena, struct sg_problem);
	if (!b->problem)
		return sg_build_no_memory(b);
	b->problem->code = code;
	b->problem->range = range;
	b->problem->message = sg_arena_dup(b->job->arena, sg_str_c(message));
	return false;
}

bool
sg_build_refuse(struct sg_build *b, struct sg_range range, const char *fmt, ...)
{
	char text[MAX_MESSAGE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return sg_build_problem(b, "syntax.error", range, text);
}

bool
sg_build_refuse_value(struct sg_build *b, const struct sg_value *v,
		      const char *message)
{
	return sg_build_refuse(b, sg_build_range(b, v->tok0, v->tok1), "%s",
			       message);
}

/* --- values and nodes -------------------------------------------------------- */

bool
sg_build_push(struct sg_build *b, struct sg_value v)
{
	if (!SG_VEC_ROOM(&b->values, 1, MAX_VALUES))
		return sg_build_no_memory(b);
	b->values.v[b->values.n++] = v;
	return true;
}

struct sg_value *
sg_build_emit(struct sg_build *b, enum sg_ast_kind kind, enum sg_rule rule,
	      uint32_t tok0, uint32_t tok1, uint32_t base)
{
	uint32_t at = b->nodes.n, last = 0;
	struct sg_node *n;

	if (at > b->job->limits->nodes) {
		sg_build_problem(b, "limit.nodes",
				 sg_build_range(b, tok0, tok1),
				 "the syntax tree has too many nodes");
		return NULL;
	}
	if (!SG_VEC_ROOM(&b->nodes, 1, UINT32_MAX / 2)) {
		sg_build_no_memory(b);
		return NULL;
	}
	b->nodes.n++;
	n = &b->nodes.v[at];
	*n = (struct sg_node){
		.kind = (uint8_t)kind,
		.first_in_subtree = at,
		.range = sg_build_range(b, tok0, tok1),
	};
	n->name_range = n->range;
	for (uint32_t i = base; i < b->values.n; i++) {
		uint32_t child = b->values.v[i].node;

		if (child == 0)
			continue;
		b->nodes.v[child].parent = at;
		if (last == 0) {
			n->first = child;
			n->first_in_subtree =
				b->nodes.v[child].first_in_subtree;
		} else {
			b->nodes.v[last].next = child;
		}
		last = child;
	}
	b->values.n = base;
	if (!sg_build_push(b, (struct sg_value){ .node = at,
						 .tok0 = tok0,
						 .tok1 = tok1,
						 .rule = (uint8_t)rule }))
		return NULL;
	return &b->values.v[base];
}

struct sg_value *
sg_build_node(struct sg_build *b, struct sg_frame *f, enum sg_ast_kind kind)
{
	return sg_build_emit(b, kind, (enum sg_rule)f->rule, f->tok0, b->end_at,
			     f->base);
}

bool
sg_build_take(struct sg_build *b, struct sg_value *v, enum sg_role role,
	      unsigned allow)
{
	const char *message = NULL;

	if (v->node == 0)
		message = "invalid syntax";
	else if (v->paren)
		message = NULL;
	else if (v->rule == SG_RULE_STAR && !(allow & SG_ALLOW_STAR))
		message = "a starred expression cannot stand here";
	else if (v->rule == SG_RULE_NAMED && !(allow & SG_ALLOW_NAMED))
		message = "':=' needs parentheses here";
	else if (v->rule == SG_RULE_YIELD && !(allow & SG_ALLOW_YIELD))
		message = "'yield' needs parentheses here";
	else if (v->rule == SG_RULE_AS && !(allow & SG_ALLOW_AS))
		message = "'as' cannot stand here";
	else if (v->rule == SG_RULE_SLICE && !(allow & SG_ALLOW_SLICE))
		message = "a slice cannot stand here";
	else if (v->rule == SG_RULE_ASSIGNMENT ||
		 v->rule == SG_RULE_AUGMENTED ||
		 v->rule == SG_RULE_KEYWORD_ARGUMENT ||
		 v->rule == SG_RULE_DOUBLESTAR || v->rule == SG_RULE_PAIR)
		message = "invalid syntax";
	if (message)
		return sg_build_refuse_value(b, v, message);
	sg_build_of(b, v)->role = (uint8_t)role;
	return true;
}

bool
sg_build_is_tight(const struct sg_value *v, bool loose)
{
	if (v->paren)
		return true;
	switch (v->rule) {
	case SG_RULE_CONDITIONAL:
	case SG_RULE_LAMBDA:
	case SG_RULE_NAMED:
		return false;
	case SG_RULE_NOT:
	case SG_RULE_BOOLEAN:
	case SG_RULE_COMPARISON:
		return loose;
	default:
		return true;
	}
}

/* --- targets ----------------------------------------------------------------- */

static bool
refuse_target(struct sg_build *b, const struct sg_node *n,
	      enum sg_node_flag flag)
{
	static const char *const words[SG_AST_COUNT] = {
		[SG_AST_Call] = "a call",
		[SG_AST_Constant] = "a literal",
		[SG_AST_JoinedStr] = "an f-string",
		[SG_AST_BinOp] = "an operation",
		[SG_AST_BoolOp] = "an operation",
		[SG_AST_UnaryOp] = "an operation",
		[SG_AST_Compare] = "a comparison",
		[SG_AST_Lambda] = "a lambda",
		[SG_AST_IfExp] = "a conditional expression",
		[SG_AST_Dict] = "a dictionary",
		[SG_AST_Set] = "a set",
		[SG_AST_NamedExpr] = "a named expression",
		[SG_AST_Starred] = "a starred expression",
	};

	return sg_build_refuse(b, n->range, "cannot %s %s",
			       flag == SG_NODE_DEL ? "delete" : "assign to",
			       words[n->kind] ? words[n->kind]
					      : "this expression");
}

static bool
check_stars(struct sg_build *b, const struct sg_node *list,
	    enum sg_node_flag flag)
{
	unsigned stars = 0, before = 0;

	for (uint32_t c = list->first; c; c = b->nodes.v[c].next, before++) {
		if (b->nodes.v[c].kind != SG_AST_Starred)
			continue;
		if (flag == SG_NODE_DEL)
			return refuse_target(b, &b->nodes.v[c], flag);
		if (++stars > 1)
			return sg_build_refuse(
				b, b->nodes.v[c].range,
				"two starred expressions in an assignment");
		if (before >= MAX_BEFORE_STAR)
			return sg_build_refuse(
				b, b->nodes.v[c].range,
				"too many targets before a starred one");
	}
	return true;
}

bool
sg_build_target(struct sg_build *b, struct sg_value *v, enum sg_role role,
		enum sg_node_flag flag)
{
	uint32_t last;

	if (v->node == 0)
		return sg_build_refuse_value(b, v, "invalid syntax");
	if (b->nodes.v[v->node].kind == SG_AST_Starred)
		return sg_build_refuse_value(b, v,
					     "a starred target must be "
					     "in a list or tuple");
	b->nodes.v[v->node].role = (uint8_t)role;
	last = b->nodes.v[v->node].first_in_subtree;
	for (uint32_t i = v->node; i >= last;) {
		struct sg_node *n = &b->nodes.v[i];

		n->flags |= (uint16_t)flag;
		switch (n->kind) {
		case SG_AST_Tuple:
		case SG_AST_List:
			if (!check_stars(b, n, flag))
				return false;
			i--;
			break;
		case SG_AST_Starred:
			i--;
			break;
		case SG_AST_Name:
		case SG_AST_Attribute:
		case SG_AST_Subscript:
			i = n->first_in_subtree - 1;
			break;
		default:
			return refuse_target(b, n, flag);
		}
	}
	return true;
}

/* --- names ------------------------------------------------------------------- */

static uint32_t
intern(struct sg_build *b, struct sg_str s)
{
	uint32_t id = sg_intern_id(b->job->names, s);

	if (id == 0)
		sg_build_no_memory(b);
	return id;
}

/* NFKC, as CPython does it to identifiers. */
static uint32_t
intern_folded(struct sg_build *b, struct sg_str s)
{
	utf8proc_uint8_t *folded = NULL;
	utf8proc_ssize_t n;
	uint32_t id = 0;

	n = utf8proc_map((const utf8proc_uint8_t *)s.p, (utf8proc_ssize_t)s.n,
			 &folded,
			 UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT);
	if (n > 0)
		id = intern(b,
			    (struct sg_str){ (const char *)folded, (size_t)n });
	else
		sg_build_no_memory(b);
	free(folded);
	return id;
}

uint32_t
sg_build_name(struct sg_build *b, uint32_t token)
{
	const struct sg_token *t = &b->tokens[token];
	struct sg_str s = { b->text + t->start, t->end - t->start };

	return t->wide ? intern_folded(b, s) : intern(b, s);
}

uint32_t
sg_build_dotted(struct sg_build *b, uint32_t tok0, uint32_t tok1)
{
	struct sg_buf buf;
	uint32_t id = 0;

	if (tok0 == tok1)
		return sg_build_name(b, tok0);
	sg_buf_init(&buf, MAX_DOTTED);
	for (uint32_t i = tok0; i <= tok1; i++) {
		uint32_t part;

		if (b->tokens[i].kind == SG_TOK_DOT) {
			sg_buf_char(&buf, '.');
			continue;
		}
		part = sg_build_name(b, i);
		if (part == 0)
			goto out;
		sg_buf_str(&buf, sg_intern_str(b->job->names, part));
	}
	if (sg_buf_failed(&buf))
		sg_build_problem(b, "limit.depth",
				 sg_build_range(b, tok0, tok1),
				 "the dotted name is too long");
	else
		id = intern(b, sg_buf_view(&buf));
out:
	sg_buf_release(&buf);
	return id;
}
