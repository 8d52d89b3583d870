/*
 * Theory of operation
 *
 * Is a node in code that the script itself never runs?  People hand in
 * functions and classes for others to call, and what such a function would
 * do is worth a note rather than a refusal where the function does nothing
 * by being defined.
 *
 * The answer is yes only for the body of a function that is, or is a method
 * of, a definition D at the top of the script, when
 *   - D has no decorator, no base but `object`, and no keyword (metaclass);
 *   - nothing outside D mentions D's name, as an identifier, as an attribute
 *     or as a text;
 *   - outside of function bodies D calls nothing and mentions none of its
 *     methods, so that defining D runs none of them;
 *   - nothing outside of D's function bodies can look names up that are not
 *     written: no globals(), vars() or the like, no test runner, nothing
 *     unresolved in a name space.
 * Whatever is not understood makes the answer no.
 */

#include <stdlib.h>

#include "policy/limits.h"
#include "policy/match.h"

/* What can find a definition without naming it. */
static const struct sg_str finders[] = {
	{ "builtins.globals", 16 },
	{ "builtins.locals", 15 },
	{ "builtins.vars", 13 },
	{ "builtins.dir", 12 },
	{ "builtins.eval", 13 },
	{ "builtins.exec", 13 },
	{ "builtins.compile", 16 },
	{ "builtins.__import__", 19 },
	{ "builtins.breakpoint", 19 },
	{ "builtins", 8 },
	{ "__main__", 8 },
	{ "sys.modules*", 12 },
	{ "sys._*", 6 },
	{ "sys.set*", 8 },
	{ "gc*", 3 },
	{ "inspect*", 8 },
	{ "importlib*", 10 },
	{ "unittest*", 9 },
	{ "doctest*", 8 },
	{ "pytest*", 7 },
	{ "nose*", 5 },
	{ "hypothesis*", 11 },
	{ "runpy*", 6 },
	{ "pkgutil*", 8 },
	{ "pydoc*", 6 },
	{ "code*", 5 },
	{ "pdb*", 4 },
	{ "typing.get_type_hints", 21 },
	{ "*.pickle*", 9 },
	{ "fire*", 5 },
	{ "click*", 6 },
	{ "timeit*", 7 },
	{ "trace*", 6 },
};

enum { FINDERS = sizeof(finders) / sizeof(finders[0]) };

/* The definition at the top of the script that holds `node`, or 0. */
static uint32_t
top_of(const struct sg_ast *ast, uint32_t node)
{
	while (node != 0 && ast->nodes[node].parent != ast->n)
		node = ast->nodes[node].parent;
	return node;
}

static bool
is_function(uint8_t kind)
{
	return kind == SG_AST_FunctionDef || kind == SG_AST_AsyncFunctionDef;
}

static bool
is_inside(const struct sg_ast *ast, uint32_t node, uint32_t outer)
{
	return node >= ast->nodes[outer].first_in_subtree && node <= outer;
}

/* True when `node` is below the body of the function D, or of a method of
 * the class D. */
static bool
in_body(const struct sg_ast *ast, uint32_t node, uint32_t d)
{
	const struct sg_node *n = ast->nodes;
	bool class = n[d].kind == SG_AST_ClassDef;

	for (; node != d && node != 0; node = n[node].parent) {
		uint32_t up = n[node].parent;

		if (n[node].role != SG_ROLE_BODY || !is_function(n[up].kind))
			continue;
		if (up == d ||
		    (class && n[up].parent == d && n[up].role == SG_ROLE_BODY))
			return true;
	}
	return false;
}

static bool
plain_decorator(const struct sg_ast *ast, const struct sg_node *n)
{
	static const struct sg_str plain[] = { { "staticmethod", 12 },
					       { "classmethod", 11 },
					       { "property", 8 } };

	return n->kind == SG_AST_Name &&
	       sg_name_any(plain, 3, sg_intern_str(ast->names, n->name));
}

/* Decorators, bases and keywords of D itself. */
static bool
head_is_plain(const struct sg_ast *ast, uint32_t d)
{
	const struct sg_node *n = ast->nodes;
	uint32_t i;

	for (i = n[d].first; i != 0; i = n[i].next) {
		if (n[i].role == SG_ROLE_DECORATOR ||
		    n[i].role == SG_ROLE_KEYWORD)
			return false;
		if (n[i].role == SG_ROLE_BASE &&
		    (n[i].kind != SG_AST_Name ||
		     !sg_str_eq(sg_intern_str(ast->names, n[i].name),
				SG_STR("object"))))
			return false;
	}
	return true;
}

static bool
is_method_name(const struct sg_ast *ast, uint32_t d, uint32_t name)
{
	const struct sg_node *n = ast->nodes;
	uint32_t i;

	for (i = n[d].first; i != 0; i = n[i].next)
		if (is_function(n[i].kind) && n[i].name == name)
			return true;
	return false;
}

/* What of D runs when D is defined must do nothing with its functions. */
static bool
definition_is_inert(const struct sg_ast *ast, uint32_t d)
{
	const struct sg_node *n = ast->nodes;
	uint32_t i;

	for (i = n[d].first_in_subtree; i < d; i++) {
		if (in_body(ast, i, d))
			continue;
		switch (n[i].kind) {
		case SG_AST_Call:
		case SG_AST_ClassDef:
		case SG_AST_Lambda:
		case SG_AST_Import:
		case SG_AST_ImportFrom:
		case SG_AST_Await:
		case SG_AST_With:
		case SG_AST_For:
		case SG_AST_While:
		case SG_AST_Try:
		case SG_AST_Delete:
			return false;
		case SG_AST_Name:
			if (n[i].role == SG_ROLE_DECORATOR
				    ? !plain_decorator(ast, &n[i])
				    : is_method_name(ast, d, n[i].name))
				return false;
			break;
		default:
			if (n[i].role == SG_ROLE_DECORATOR)
				return false;
			break;
		}
	}
	return true;
}

static bool
contains(struct sg_str text, struct sg_str word)
{
	return word.n > 0 && text.n >= word.n &&
	       memmem(text.p, text.n, word.p, word.n) != NULL;
}

/* No node outside D has the name; no text outside D holds it. */
static bool
is_unmentioned(const struct sg_analysis *an, uint32_t d)
{
	const struct sg_ast *ast = &an->ast;
	const struct sg_node *n = ast->nodes;
	struct sg_str word = sg_intern_str(ast->names, n[d].name);
	uint32_t i;

	for (i = 1; i <= ast->n; i++)
		if (!is_inside(ast, i, d) &&
		    (n[i].name == n[d].name ||
		     (n[i].kind == SG_AST_alias && n[i].aux == n[d].name)))
			return false;
	for (i = 0; i < an->nfacts; i++) {
		const struct sg_fact *f = &an->facts[i];

		if (f->kind == SG_FACT_STRING && !is_inside(ast, f->node, d) &&
		    contains(f->name, word))
			return false;
	}
	return true;
}

static bool
finds_names(const struct sg_fact *f)
{
	if (f->kind == SG_FACT_DYNAMIC)
		return f->detail != SG_DYNAMIC_CALLEE &&
		       f->detail != SG_DYNAMIC_FORMAT &&
		       (f->detail != SG_DYNAMIC_ATTRIBUTE || f->name.n > 0);
	if (f->kind == SG_FACT_IMPORT && (f->flags & SG_FACT_STAR) != 0)
		return true;
	if (f->kind != SG_FACT_IMPORT && f->kind != SG_FACT_REF)
		return false;
	return sg_name_any(finders, FINDERS, f->name);
}

/* The nodes of all facts that can find names; made when first asked for. */
static bool
list_finders(struct sg_judge *j)
{
	uint32_t i;

	if (j->finders_listed)
		return true;
	for (i = 0; i < j->an->nfacts; i++) {
		if (!finds_names(&j->an->facts[i]))
			continue;
		if (!SG_VEC_ROOM(&j->finders, 1, UINT32_MAX / 8)) {
			j->failed = true;
			return false;
		}
		j->finders.v[j->finders.n++] = j->an->facts[i].node;
	}
	j->finders_listed = true;
	return true;
}

static bool
nothing_finds(struct sg_judge *j, uint32_t d)
{
	uint32_t i;

	if (!list_finders(j))
		return false;
	for (i = 0; i < j->finders.n; i++)
		if (!in_body(&j->an->ast, j->finders.v[i], d))
			return false;
	return true;
}

static bool
is_dunder(struct sg_str s)
{
	return sg_str_starts(s, SG_STR("__")) && sg_str_ends(s, SG_STR("__"));
}

static bool
definition_is_idle(struct sg_judge *j, uint32_t d)
{
	const struct sg_analysis *an = j->an;
	const struct sg_ast *ast = &an->ast;
	const struct sg_node *n = &ast->nodes[d];

	if (!is_function(n->kind) && n->kind != SG_AST_ClassDef)
		return false;
	return n->role == SG_ROLE_BODY &&
	       !is_dunder(sg_intern_str(ast->names, n->name)) &&
	       head_is_plain(ast, d) && definition_is_inert(ast, d) &&
	       nothing_finds(j, d) && is_unmentioned(an, d);
}

bool
sg_match_unreached(struct sg_judge *j, uint32_t node)
{
	const struct sg_ast *ast = &j->an->ast;
	uint32_t d;

	if (node == 0 || node >= ast->n)
		return false;
	d = top_of(ast, node);
	if (d == 0 || !in_body(ast, node, d))
		return false;
	/* asked of the same definition again and again */
	if (j->idle_node != d) {
		j->idle_node = d;
		j->idle = j->idle_work < SG_UNREACHED_WORK &&
			  definition_is_idle(j, d);
		j->idle_work += ast->n;
	}
	return j->idle;
}
