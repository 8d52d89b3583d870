#include "analyzer/tree_build.h"

/* Attributes, subscripts and calls. */

bool
sg_build_attribute(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n, token;
	struct sg_value *v = sg_build_values(b, f, &n);
	struct sg_node *node;

	if (n != 2 || !sg_build_take(b, &v[0], SG_ROLE_VALUE, 0))
		return false;
	token = v[1].tok0;
	v = sg_build_node(b, f, SG_AST_Attribute);
	if (!v)
		return false;
	node = sg_build_of(b, v);
	node->name = sg_build_name(b, token);
	node->name_range = sg_build_range(b, token, token);
	return node->name != 0;
}

bool
sg_build_slice(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n, colon = UINT32_MAX;
	struct sg_value *v = sg_build_values(b, f, &n);

	if (n == 0 || v[0].tok0 != f->tok0)
		colon = f->tok0;
	for (uint32_t i = 0; i < n; i++) {
		enum sg_role role = SG_ROLE_STEP;

		if (v[i].tok0 == f->tok0) {
			role = SG_ROLE_LOWER;
			colon = v[i].tok1 + 1;
		} else if (v[i].tok0 == colon + 1) {
			role = SG_ROLE_UPPER;
		}
		if (!sg_build_take(b, &v[i], role, 0))
			return false;
	}
	return sg_build_node(b, f, SG_AST_Slice) != NULL;
}

bool
sg_build_subscript(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n, minor = b->job->minor, last = b->end_at - 1;
	struct sg_value *v = sg_build_values(b, f, &n);
	unsigned allow = SG_ALLOW_SLICE;
	bool star = false, comma = sg_build_is_comma(b, last);

	if (minor >= 10)
		allow |= SG_ALLOW_NAMED;
	if (minor >= 11)
		allow |= SG_ALLOW_STAR;
	if (n < 2 || !sg_build_take(b, &v[0], SG_ROLE_VALUE, 0))
		return false;
	for (uint32_t i = 1; i < n; i++) {
		star = star || (v[i].rule == SG_RULE_STAR && !v[i].paren);
		if (!sg_build_take(b, &v[i], SG_ROLE_ELT, allow))
			return false;
	}
	if (n > 2 || comma || star) {
		v = sg_build_emit(b, SG_AST_Tuple, SG_RULE_TUPLE, v[1].tok0,
				  last, f->base + 1);
		if (!v)
			return false;
		v--;
	}
	sg_build_of(b, &v[1])->role = SG_ROLE_SLICE;
	return sg_build_node(b, f, SG_AST_Subscript) != NULL;
}

bool
sg_build_keyword(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n, token;
	struct sg_value *v = sg_build_values(b, f, &n);
	struct sg_node *node;

	if (n != 2)
		return false;
	token = v[0].tok0;
	/* A type parameter's bound or default: the bare name is dropped. */
	if (sg_build_tok(b, token) == SG_TOK_COLON)
		return sg_build_take(b, &v[1], SG_ROLE_BOUND, 0);
	if (sg_build_tok(b, token) == SG_TOK_EQUAL)
		return sg_build_take(b, &v[1], SG_ROLE_DEFAULT, SG_ALLOW_STAR);
	if (!sg_build_take(b, &v[1], SG_ROLE_VALUE, 0))
		return false;
	v = sg_build_node(b, f, SG_AST_keyword);
	if (!v)
		return false;
	node = sg_build_of(b, v);
	node->name = sg_build_name(b, token);
	node->name_range = sg_build_range(b, token, token);
	return node->name != 0;
}

/* Sets the roles of arguments and leaves them to the call or class. */
bool
sg_build_arguments(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);
	bool keyword = false, mapping = false;

	if (sg_build_parent(f)->rule == SG_RULE_TYPE_VAR)
		return true;
	if (!sg_build_check_comma(b, f))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		bool star = v[i].rule == SG_RULE_STAR && !v[i].paren;

		if (v[i].rule == SG_RULE_KEYWORD_ARGUMENT ||
		    v[i].rule == SG_RULE_DOUBLESTAR) {
			keyword = true;
			mapping = mapping || v[i].rule == SG_RULE_DOUBLESTAR;
			sg_build_of(b, &v[i])->role = SG_ROLE_KEYWORD;
			continue;
		}
		if (mapping || (keyword && !star))
			return sg_build_refuse_value(
				b, &v[i],
				"a positional argument follows keyword "
				"arguments");
		if (!sg_build_take(b, &v[i], SG_ROLE_ARG,
				   SG_ALLOW_STAR | SG_ALLOW_NAMED))
			return false;
	}
	return true;
}

bool
sg_build_call(struct sg_build *b, struct sg_frame *f)
{
	uint32_t n;
	struct sg_value *v = sg_build_values(b, f, &n);

	if (n == 0 || !sg_build_take(b, &v[0], SG_ROLE_FUNC, 0))
		return false;
	if (n == 2 && v[1].rule == SG_RULE_GENERATOR)
		sg_build_of(b, &v[1])->role = SG_ROLE_ARG;
	return sg_build_node(b, f, SG_AST_Call) != NULL;
}
