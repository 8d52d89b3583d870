#include "analyzer/check.h"

#include "base/map.h"

/* Imports from __future__, and of stars. */

static bool
refuse(struct sg_check *c, uint32_t at, const char *message)
{
	return sg_build_refuse(c->b, c->nodes[at].range, "%s", message);
}

static bool
is_future(const struct sg_check *c, uint32_t at)
{
	const struct sg_node *n = &c->nodes[at];

	return n->kind == SG_AST_ImportFrom &&
	       (n->level == 0 || c->b->job->minor < 13) &&
	       sg_str_eq(sg_intern_str(c->ast.names, n->name),
			 SG_STR("__future__"));
}

static bool
check_future(struct sg_check *c, uint32_t at)
{
	static const char *const features[] = {
		"nested_scopes",    "generators",     "division",
		"absolute_import",  "with_statement", "print_function",
		"unicode_literals", "barry_as_FLUFL", "generator_stop",
		"annotations"
	};
	const size_t n = sizeof(features) / sizeof(*features);

	for (uint32_t a = c->nodes[at].first; a; a = c->nodes[a].next) {
		struct sg_str name = sg_intern_str(c->ast.names,
						   c->nodes[a].name);
		size_t i = 0;

		while (i < n && !sg_str_eq(name, sg_str_c(features[i])))
			i++;
		if (i == n)
			return refuse(c, a, "there is no such future feature");
		if (sg_str_eq(name, SG_STR("annotations")))
			c->future_annotations = true;
	}
	return true;
}

/* Future imports stand at the beginning, after one docstring. */
bool
sg_check_futures(struct sg_check *c)
{
	bool late = false, docstring = false;

	for (uint32_t s = c->nodes[c->ast.n].first; s; s = c->nodes[s].next) {
		const struct sg_node *n = &c->nodes[s];

		if (is_future(c, s)) {
			if (late)
				return true; /* sg_check_import() refuses it */
			if (!check_future(c, s))
				return false;
			c->last_future = s;
		} else if (!docstring && n->kind == SG_AST_Expr &&
			   (c->nodes[n->first].flags & SG_NODE_DOCSTRING)) {
			docstring = true;
		} else {
			late = true;
		}
	}
	return true;
}

bool
sg_check_import(struct sg_check *c, uint32_t at)
{
	const struct sg_node *n = &c->nodes[at];

	if (is_future(c, at) && at > c->last_future)
		return refuse(c, at,
			      "an import from __future__ must stand at "
			      "the beginning of the file");
	if (c->nodes[n->first].role == SG_ROLE_NAME &&
	    c->b->text[c->nodes[n->first].range.start] == '*' &&
	    c->nodes[c->scopes[at]].kind != SG_AST_Module)
		return refuse(c, at, "'import *' only at module level");
	return true;
}
