#include "analyzer/tree_walk.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/vec.h"

enum {
	MAX_FRAMES = 1u << 24,
	CLOCK_EVERY = 1u << 14 /* nodes between looks at the clock */
};

typedef SG_BUILD_FN((*leave_fn));

/* What is done when a node is left. */
static const leave_fn leave[SG_RULE_COUNT] = {
	[SG_RULE_MODULE] = sg_build_module,
	[SG_RULE_BLOCK] = sg_build_block,
	[SG_RULE_IMPORT] = sg_build_import,
	[SG_RULE_IMPORT_FROM] = sg_build_import_from,
	[SG_RULE_RELATIVE] = sg_build_dotted_name,
	[SG_RULE_DOTTED] = sg_build_dotted_name,
	[SG_RULE_ALIASED] = sg_build_aliased,
	[SG_RULE_ASSERT] = sg_build_assert,
	[SG_RULE_EXPR] = sg_build_expr,
	[SG_RULE_NAMED] = sg_build_named,
	[SG_RULE_RETURN] = sg_build_return,
	[SG_RULE_DELETE] = sg_build_delete,
	[SG_RULE_RAISE] = sg_build_raise,
	[SG_RULE_GLOBAL] = sg_build_global,
	[SG_RULE_NONLOCAL] = sg_build_global,
	[SG_RULE_IF] = sg_build_if,
	[SG_RULE_ELIF] = sg_build_elif,
	[SG_RULE_ELSE] = sg_build_else,
	[SG_RULE_FOR] = sg_build_for,
	[SG_RULE_WHILE] = sg_build_while,
	[SG_RULE_TRY] = sg_build_try,
	[SG_RULE_EXCEPT] = sg_build_except,
	[SG_RULE_FINALLY] = sg_build_else,
	[SG_RULE_FUNCTION] = sg_build_function,
	[SG_RULE_CLASS] = sg_build_class,
	[SG_RULE_DECORATED] = sg_build_decorated,
	[SG_RULE_DECORATOR] = sg_build_decorator,
	[SG_RULE_PARAMETERS] = sg_build_parameters,
	[SG_RULE_LAMBDA_PARAMETERS] = sg_build_parameters,
	[SG_RULE_DEFAULT_PARAMETER] = sg_build_default,
	[SG_RULE_TYPED_PARAMETER] = sg_build_typed,
	[SG_RULE_TYPED_DEFAULT] = sg_build_default,
	[SG_RULE_STAR_PATTERN] = sg_build_splat_pattern,
	[SG_RULE_DOUBLESTAR_PATTERN] = sg_build_splat_pattern,
	[SG_RULE_TYPE] = sg_build_type,
	[SG_RULE_TYPE_PARAMETER] = sg_build_type_parameter,
	[SG_RULE_DOUBLESTAR] = sg_build_doublestar,
	[SG_RULE_ARGUMENTS] = sg_build_arguments,
	[SG_RULE_KEYWORD_ARGUMENT] = sg_build_keyword,
	[SG_RULE_EXPRESSION_LIST] = sg_build_tuple,
	[SG_RULE_PATTERN_LIST] = sg_build_tuple,
	[SG_RULE_TUPLE_PATTERN] = sg_build_tuple,
	[SG_RULE_LIST_PATTERN] = sg_build_list,
	[SG_RULE_AS] = sg_build_as,
	[SG_RULE_AS_TARGET] = sg_build_pass_on,
	[SG_RULE_NOT] = sg_build_not,
	[SG_RULE_BOOLEAN] = sg_build_boolean,
	[SG_RULE_BINARY] = sg_build_binary,
	[SG_RULE_UNARY] = sg_build_unary,
	[SG_RULE_COMPARISON] = sg_build_comparison,
	[SG_RULE_LAMBDA] = sg_build_lambda,
	[SG_RULE_ASSIGNMENT] = sg_build_assign,
	[SG_RULE_AUGMENTED] = sg_build_augmented,
	[SG_RULE_YIELD] = sg_build_yield,
	[SG_RULE_ATTRIBUTE] = sg_build_attribute,
	[SG_RULE_SUBSCRIPT] = sg_build_subscript,
	[SG_RULE_SLICE] = sg_build_slice,
	[SG_RULE_CALL] = sg_build_call,
	[SG_RULE_LIST] = sg_build_list,
	[SG_RULE_SET] = sg_build_set,
	[SG_RULE_TUPLE] = sg_build_tuple,
	[SG_RULE_DICTIONARY] = sg_build_dictionary,
	[SG_RULE_PAIR] = sg_build_pair,
	[SG_RULE_LIST_COMP] = sg_build_comprehension,
	[SG_RULE_SET_COMP] = sg_build_comprehension,
	[SG_RULE_DICT_COMP] = sg_build_comprehension,
	[SG_RULE_GENERATOR] = sg_build_comprehension,
	[SG_RULE_PAREN] = sg_build_paren,
	[SG_RULE_FOR_IN] = sg_build_for_in,
	[SG_RULE_IF_CLAUSE] = sg_build_if_clause,
	[SG_RULE_CONDITIONAL] = sg_build_conditional,
	[SG_RULE_AWAIT] = sg_build_await,
	[SG_RULE_STAR] = sg_build_star,
	[SG_RULE_TYPE_VAR] = sg_build_type_var,
	[SG_RULE_FSTRING] = sg_build_fstring,
	[SG_RULE_ITEMS] = sg_build_items,
};

/* --- entering ---------------------------------------------------------------------- */

/* Below a `while` of the skeleton that stands for `kind`. */
static bool
is_while(const struct sg_build *b, const struct sg_frame *f, unsigned kind)
{
	return f->rule == SG_RULE_WHILE && sg_build_tok(b, f->tok0) == kind;
}

static bool
is_with(const struct sg_build *b, const struct sg_frame *f)
{
	return is_while(b, f, SG_TOK_WITH) || is_while(b, f, SG_TOK_ASYNC);
}

/* Whether parentheses after `with` are those of its items.  They are not
 * when something in them is no item: then they are a tuple or a group. */
static bool
are_items(const struct sg_build *b, const struct sg_frame *f)
{
	uint32_t depth = 0;

	for (uint32_t i = f->tok0; i < b->ntokens && b->tokens[i].out < f->end;
	     i++) {
		unsigned kind = b->tokens[i].kind;

		if (kind == SG_TOK_LPAR || kind == SG_TOK_LSQB ||
		    kind == SG_TOK_LBRACE)
			depth++;
		else if (kind == SG_TOK_RPAR || kind == SG_TOK_RSQB ||
			 kind == SG_TOK_RBRACE)
			depth--;
		if (depth > 1)
			continue;
		if (kind == SG_TOK_COLONEQUAL || kind == SG_TOK_YIELD ||
		    (kind == SG_TOK_STAR && i > f->tok0 &&
		     (b->tokens[i - 1].kind == SG_TOK_COMMA ||
		      b->tokens[i - 1].kind == SG_TOK_LPAR)))
			return false;
	}
	return true;
}

/* What a node of the skeleton stands for. */
static enum sg_rule
meaning(const struct sg_build *b, const struct sg_frame *f,
	const struct sg_frame *parent)
{
	unsigned tok = sg_build_tok(b, f->tok0);

	switch (f->rule) {
	case SG_RULE_SUBSCRIPT:
		if (tok == SG_TOK_STAR)
			return SG_RULE_STAR;
		if (parent->rule == SG_RULE_ASSERT &&
		    sg_build_tok(b, parent->tok0) == SG_TOK_TYPE)
			return SG_RULE_TYPE_PARAMETER;
		break;
	case SG_RULE_SET:
		if (tok == SG_TOK_STRING)
			return SG_RULE_FSTRING;
		break;
	case SG_RULE_CALL:
		if (parent->rule == SG_RULE_TYPE_PARAMETER ||
		    (parent->rule == SG_RULE_TYPE &&
		     parent[-1].rule == SG_RULE_TYPE_PARAMETER))
			return SG_RULE_TYPE_VAR;
		break;
	case SG_RULE_LIST:
		if (is_with(b, parent) && b->values.n == parent->base)
			return SG_RULE_ITEMS;
		break;
	case SG_RULE_TUPLE:
	case SG_RULE_PAREN:
		if (parent->rule == SG_RULE_ITEMS && !parent->aux &&
		    f->start == parent->start + 1 &&
		    f->end == parent->end - 1 && are_items(b, f))
			return SG_RULE_ITEMS;
		break;
	default:
		break;
	}
	return (enum sg_rule)f->rule;
}

static bool
in_pattern(const struct sg_build *b, const struct sg_frame *f,
	   const struct sg_frame *parent)
{
	bool first = b->values.n == parent->base;

	if (parent->pattern)
		return parent->rule != SG_RULE_ATTRIBUTE &&
		       !(parent->rule == SG_RULE_CALL && first);
	/* What stands where the skeleton's list belongs, and is none, is
	 * refused as a pattern. */
	if (!first)
		return false;
	if (is_while(b, parent, SG_TOK_CASE))
		return f->rule != SG_RULE_BOOLEAN;
	return parent->rule == SG_RULE_BOOLEAN &&
	       is_while(b, parent - 1, SG_TOK_CASE);
}

/* Acts before a child of `parent` that is no token. */
static bool
before_child(struct sg_build *b, struct sg_frame *parent, enum sg_rule rule)
{
	if (parent->rule == SG_RULE_FSTRING)
		return sg_build_fstring_next(b, parent);
	if (parent->rule == SG_RULE_ITEMS)
		return sg_build_close_item(b, parent);
	if (rule == SG_RULE_FOR_IN && !parent->pattern)
		return sg_build_close_comprehension(b, parent->base);
	return true;
}

static bool
enter(struct sg_build *b, enum sg_rule rule, uint32_t start, uint32_t end)
{
	struct sg_frame *f, *parent;

	if (!SG_VEC_ROOM(&b->frames, 1, MAX_FRAMES))
		return sg_build_no_memory(b);
	f = &b->frames.v[b->frames.n];
	parent = f - 1;
	*f = (struct sg_frame){ .tok0 = b->at,
				.base = b->values.n,
				.start = start,
				.end = end,
				.rule = (uint8_t)rule };
	if (b->frames.n > 1) {
		f->rule = (uint8_t)meaning(b, f, parent);
		f->pattern = in_pattern(b, f, parent);
	}
	b->frames.n++;
	if (f->rule == SG_RULE_FSTRING)
		return sg_build_fstring_begin(b, f);
	if (f->rule == SG_RULE_ITEMS)
		f->aux = parent->rule == SG_RULE_ITEMS;
	if (f->rule == SG_RULE_LAMBDA &&
	    sg_build_tok(b, f->tok0 + 1) == SG_TOK_COLON)
		return sg_build_no_arguments(b, f);
	return true;
}

static bool
leave_frame(struct sg_build *b)
{
	struct sg_frame *f = &b->frames.v[b->frames.n - 1];
	bool good;

	while (b->end_at + 1 < b->ntokens &&
	       b->tokens[b->end_at + 1].out < f->end)
		b->end_at++;
	if (f->pattern)
		good = sg_build_pattern(b, f);
	else
		good = leave[f->rule](b, f);
	b->frames.n--;
	if (!good && !b->problem && !b->refused_memory)
		sg_build_refuse(b, sg_build_range(b, f->tok0, b->end_at),
				"invalid syntax");
	return good;
}

/* Visits one node; *ret_down says that its children come next. */
static bool
visit(struct sg_build *b, const struct sg_parse_node *node, bool *ret_down)
{
	enum sg_rule rule = (enum sg_rule)node->rule;

	while (b->at + 1 < b->ntokens &&
	       b->tokens[b->at + 1].out <= node->start)
		b->at++;
	if (rule == SG_RULE_UNKNOWN)
		return sg_build_refuse(b, sg_build_range(b, b->at, b->at),
				       "invalid syntax");
	if (b->frames.n &&
	    (b->frames.v[b->frames.n - 1].rule > SG_RULE_BEFORE ||
	     rule == SG_RULE_FOR_IN) &&
	    !before_child(b, &b->frames.v[b->frames.n - 1], rule))
		return false;
	*ret_down = rule >= SG_RULE_MODULE;
	if (!*ret_down)
		return sg_build_leaf(b, rule, b->at,
				     &b->frames.v[b->frames.n - 1]);
	return enter(b, rule, node->start, node->end);
}

static bool
in_time(struct sg_build *b)
{
	if (sg_clock_cpu() < b->job->deadline)
		return true;
	return sg_build_problem(b, "limit.time", (struct sg_range){ 0, 0 },
				"the analysis took too long");
}

/* The children of a node come next. */
static bool
go_down(struct sg_build *b, const struct sg_parse_node *node)
{
	if (!SG_VEC_ROOM(&b->steps, 1, MAX_FRAMES))
		return sg_build_no_memory(b);
	b->steps.v[b->steps.n++] = (struct sg_step){
		.kid = node->kids,
		.end = node->kids + node->nkids,
		.hidden = node->rule == SG_RULE_TOKEN,
	};
	return true;
}

bool
sg_walk(struct sg_build *b, const struct sg_parse *parse)
{
	const struct sg_parse_node *node = &parse->nodes.v[parse->root];
	bool down;

	b->steps.n = 0;
	if (!visit(b, node, &down) || !go_down(b, node))
		return false;
	for (uint32_t count = 1; b->steps.n; count++) {
		struct sg_step *step = &b->steps.v[b->steps.n - 1];

		if (count % CLOCK_EVERY == 0 && !in_time(b))
			return false;
		if (step->kid == step->end) {
			b->steps.n--;
			if (!step->hidden && !leave_frame(b))
				return false;
			continue;
		}
		node = &parse->nodes.v[parse->kids.v[step->kid++]];
		down = true;
		if (node->rule != SG_RULE_TOKEN && !visit(b, node, &down))
			return false;
		if (down && !go_down(b, node))
			return false;
	}
	return true;
}
