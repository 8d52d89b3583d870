#include "analyzer/literal.h"
#include "analyzer/tree_build.h"
#include "base/vec.h"

/* Leaves of the concrete tree: names, literals, one-word statements. */

enum { MAX_CONSTS = 1u << 24 };

bool
sg_build_constant(struct sg_build *b, uint32_t token, struct sg_const value)
{
	struct sg_value *v = sg_build_emit(b, SG_AST_Constant, SG_RULE_INTEGER,
					   token, token, b->values.n);

	if (!v)
		return false;
	if (!SG_VEC_ROOM(&b->consts, 1, MAX_CONSTS))
		return sg_build_no_memory(b);
	sg_build_of(b, v)->aux = b->consts.n;
	if (value.kind == SG_CONST_BYTES)
		sg_build_of(b, v)->flags |= SG_NODE_BYTES;
	b->consts.v[b->consts.n++] = value;
	return true;
}

/* None, True, False and the ellipsis have places of their own. */
static bool
emit_fixed(struct sg_build *b, uint32_t token, uint32_t at)
{
	struct sg_value *v = sg_build_emit(b, SG_AST_Constant, SG_RULE_NONE,
					   token, token, b->values.n);

	if (!v)
		return false;
	sg_build_of(b, v)->aux = at;
	return true;
}

static bool
emit_simple(struct sg_build *b, enum sg_ast_kind kind, enum sg_rule rule,
	    uint32_t token)
{
	return sg_build_emit(b, kind, rule, token, token, b->values.n) != NULL;
}

/* A name that is no expression: the parent asks the token for it. */
static bool
push_bare(struct sg_build *b, enum sg_rule rule, uint32_t token)
{
	return sg_build_push(b, (struct sg_value){ .tok0 = token,
						   .tok1 = token,
						   .rule = (uint8_t)rule });
}

static bool
emit_named(struct sg_build *b, enum sg_ast_kind kind, uint32_t token)
{
	struct sg_value *v = sg_build_emit(b, kind, SG_RULE_IDENTIFIER, token,
					   token, b->values.n);

	if (!v)
		return false;
	sg_build_of(b, v)->name = sg_build_name(b, token);
	return sg_build_of(b, v)->name != 0;
}

static bool
leaf_name(struct sg_build *b, uint32_t token, const struct sg_frame *f)
{
	bool first = b->values.n == f->base;
	unsigned kind = sg_build_tok(b, token);

	/* What the skeleton put there itself. */
	if ((kind == SG_TOK_STAR && f->rule == SG_RULE_STAR) ||
	    ((kind == SG_TOK_COLON || kind == SG_TOK_EQUAL) &&
	     f->rule == SG_RULE_KEYWORD_ARGUMENT))
		return push_bare(b, SG_RULE_IDENTIFIER, token);
	if (!sg_tok_is_name(kind))
		return sg_build_refuse(b, sg_build_range(b, token, token),
				       "invalid syntax");
	switch (f->rule) {
	case SG_RULE_ATTRIBUTE:
		if (first)
			break;
		return push_bare(b, SG_RULE_IDENTIFIER, token);
	case SG_RULE_FUNCTION:
	case SG_RULE_CLASS:
	case SG_RULE_KEYWORD_ARGUMENT:
	case SG_RULE_DEFAULT_PARAMETER:
	case SG_RULE_TYPED_DEFAULT:
	case SG_RULE_TYPED_PARAMETER:
	case SG_RULE_TYPE_VAR:
		if (!first)
			break;
		return push_bare(b, SG_RULE_IDENTIFIER, token);
	case SG_RULE_DOTTED:
	case SG_RULE_ALIASED:
	case SG_RULE_STAR_PATTERN:
	case SG_RULE_DOUBLESTAR_PATTERN:
		return push_bare(b, SG_RULE_IDENTIFIER, token);
	case SG_RULE_EXCEPT:
		if (sg_build_tok(b, token - 1) != SG_TOK_AS)
			break;
		return push_bare(b, SG_RULE_IDENTIFIER, token);
	case SG_RULE_AS_TARGET:
		if (f[-2].rule != SG_RULE_EXCEPT)
			break;
		return push_bare(b, SG_RULE_IDENTIFIER, token);
	case SG_RULE_PARAMETERS:
	case SG_RULE_LAMBDA_PARAMETERS:
		return emit_named(b, SG_AST_arg, token);
	default:
		break;
	}
	return emit_named(b, SG_AST_Name, token);
}

static bool
leaf_wildcard(struct sg_build *b, uint32_t token)
{
	struct sg_value *v = sg_build_emit(b, SG_AST_alias, SG_RULE_WILDCARD,
					   token, token, b->values.n);

	if (!v)
		return false;
	sg_build_of(b, v)->role = SG_ROLE_NAME;
	sg_build_of(b, v)->name = sg_build_name(b, token);
	return sg_build_of(b, v)->name != 0;
}

bool
sg_build_leaf(struct sg_build *b, enum sg_rule rule, uint32_t token,
	      const struct sg_frame *f)
{
	if (f->pattern && f->rule != SG_RULE_ATTRIBUTE &&
	    !(f->rule == SG_RULE_CALL && b->values.n == f->base))
		return sg_build_pattern_leaf(b, rule, token, f);
	switch ((int)rule) {
	case SG_RULE_IDENTIFIER:
		return leaf_name(b, token, f);
	case SG_RULE_INTEGER:
	case SG_RULE_FLOAT:
		return sg_build_literal(b, token);
	case SG_RULE_NONE:
		return emit_fixed(b, token, SG_CONST_AT_NONE);
	case SG_RULE_TRUE:
		return emit_fixed(b, token, SG_CONST_AT_TRUE);
	case SG_RULE_FALSE:
		return emit_fixed(b, token, SG_CONST_AT_FALSE);
	case SG_RULE_ELLIPSIS:
		return emit_fixed(b, token, SG_CONST_AT_ELLIPSIS);
	case SG_RULE_PASS:
		return emit_simple(b, SG_AST_Pass, rule, token);
	case SG_RULE_BREAK:
		return emit_simple(b, SG_AST_Break, rule, token);
	case SG_RULE_CONTINUE:
		return emit_simple(b, SG_AST_Continue, rule, token);
	case SG_RULE_WILDCARD:
		return leaf_wildcard(b, token);
	case SG_RULE_SLASH:
	case SG_RULE_STAR_ONLY:
		return push_bare(b, rule, token);
	default:
		return true;
	}
}
