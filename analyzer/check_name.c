#include "analyzer/check.h"

#include <stdlib.h>

#include "base/map.h"

/*
 * Names: repeated where they may not be, __debug__, and the declarations
 * `global` and `nonlocal`.
 *
 * For the latter a table knows of each scope what each name is used for so
 * far.  It is filled in the order of the text, and only for scripts that
 * have such a declaration.
 */

enum use {
	USE_LOAD = 1 << 0,
	USE_BOUND = 1 << 1,
	USE_PARAM = 1 << 2,
	USE_ANNOTATED = 1 << 3,
	USE_GLOBAL = 1 << 4,
	USE_NONLOCAL = 1 << 5,
	USE_IMPORTED = 1 << 6 /* bound, and no use before `global` */
};

/* From (scope, name) to its uses: open addressing, half full at most. */
struct uses {
	struct slot {
		uint64_t key; /* 0: free */
		uint32_t use;
	} * v;
	uint32_t n, room; /* room is a power of two */
};

static bool
refuse(struct sg_check *c, uint32_t at, const char *message)
{
	return sg_build_refuse(c->b, c->nodes[at].range, "%s", message);
}

/* --- repeated names ------------------------------------------------------------------ */

static int
by_name(const void *a, const void *b)
{
	const struct sg_bound *x = a, *y = b;

	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

void
sg_check_sort(struct sg_bound *v, uint32_t n)
{
	if (n > 1)
		qsort(v, n, sizeof(*v), by_name);
}

/* The name as it reads in `scope`: within a class private ones are mangled. */
static uint32_t
mangled(const struct sg_check *c, uint32_t scope, uint32_t name)
{
	while (c->nodes[scope].kind != SG_AST_Module &&
	       c->nodes[scope].kind != SG_AST_ClassDef)
		scope = c->scopes[scope];
	return sg_ast_mangle(c->b->job->names, c->nodes[scope].name, name);
}

/* Refuses a name that two children of `at` with that role have, as names
 * read in `scope`; 0: as they are written. */
static bool
check_repeated(struct sg_check *c, uint32_t at, enum sg_role role,
	       uint32_t scope, const char *message)
{
	struct sg_bound few[16], *v = few;
	uint32_t n = 0, count = 0;
	bool good = true;

	for (uint32_t k = c->nodes[at].first; k; k = c->nodes[k].next)
		n += c->nodes[k].role == role && c->nodes[k].name;
	if (n < 2)
		return true;
	if (n > sizeof(few) / sizeof(*few))
		v = calloc(n, sizeof(*v));
	if (!v)
		return sg_build_no_memory(c->b);
	for (uint32_t k = c->nodes[at].first; k; k = c->nodes[k].next)
		if (c->nodes[k].role == role && c->nodes[k].name)
			v[count++] = (struct sg_bound){
				scope ? mangled(c, scope, c->nodes[k].name)
				      : c->nodes[k].name,
				k
			};
	sg_check_sort(v, n);
	for (uint32_t i = 1; i < n && good; i++)
		if (v[i].name == v[i - 1].name)
			good = sg_build_refuse(c->b, c->nodes[v[i].node].range,
					       "%s", message);
	if (v != few)
		free(v);
	return good;
}

bool
sg_check_keywords(struct sg_check *c, uint32_t at)
{
	return check_repeated(c, at, SG_ROLE_KEYWORD, 0,
			      "a keyword argument is repeated");
}

bool
sg_check_parameters(struct sg_check *c, uint32_t at)
{
	return check_repeated(c, at, SG_ROLE_PARAM, c->scopes[at],
			      "a parameter is repeated");
}

bool
sg_check_type_params(struct sg_check *c, uint32_t at)
{
	return check_repeated(c, at, SG_ROLE_TYPE_PARAM, at,
			      "a type parameter is repeated");
}

/* --- __debug__ ------------------------------------------------------------------------ */

/* The name that an alias binds: of `import a.b` it is `a`. */
static uint32_t
alias_binds(const struct sg_check *c, const struct sg_node *n)
{
	struct sg_str name;
	size_t dot;

	if (n->aux)
		return n->aux;
	name = sg_intern_str(c->ast.names, n->name);
	dot = sg_str_find(name, '.');
	return dot == name.n ? n->name
			     : sg_intern_find(c->ast.names,
					      sg_str_slice(name, 0, dot));
}

/* The name that the node binds or deletes, or 0. */
static uint32_t
binds(const struct sg_check *c, const struct sg_node *n)
{
	switch (n->kind) {
	case SG_AST_Name:
		return n->flags & (SG_NODE_STORE | SG_NODE_DEL) ? n->name : 0;
	case SG_AST_alias:
		return alias_binds(c, n);
	case SG_AST_FunctionDef:
	case SG_AST_AsyncFunctionDef:
	case SG_AST_ClassDef:
	case SG_AST_ExceptHandler:
	case SG_AST_MatchAs:
	case SG_AST_MatchStar:
	case SG_AST_MatchMapping:
	case SG_AST_TypeVar:
	case SG_AST_ParamSpec:
	case SG_AST_TypeVarTuple:
	case SG_AST_arg:
		return n->name;
	default:
		return 0;
	}
}

static bool
check_debug(struct sg_check *c)
{
	for (uint32_t i = 1; i < c->ast.n; i++) {
		const struct sg_node *n = &c->nodes[i];
		bool bad = binds(c, n) == c->debug;

		/* Python 3.9 lets it be deleted. */
		if (c->b->job->minor < 10 && (n->flags & SG_NODE_DEL))
			continue;
		/* Before 3.14 CPython forgets `x.__debug__ += 1` and `del`. */
		if (n->name == c->debug && n->kind == SG_AST_Attribute)
			bad = c->b->job->minor >= 14
				      ? n->flags & (SG_NODE_STORE | SG_NODE_DEL)
				      : (n->flags & SG_NODE_STORE) &&
						c->nodes[n->parent].kind !=
							SG_AST_AugAssign;
		if (n->name == c->debug && n->kind == SG_AST_keyword)
			bad = true;
		if (bad)
			return refuse(c, i, "__debug__ cannot be assigned");
	}
	return true;
}

/* --- global and nonlocal ---------------------------------------------------------------- */

static struct slot *
find_slot(const struct uses *u, uint64_t key)
{
	uint64_t h = key * 0x9e3779b97f4a7c15ull;
	uint32_t at = (uint32_t)(h >> 32) & (u->room - 1);

	while (u->v[at].key && u->v[at].key != key)
		at = (at + 1) & (u->room - 1);
	return &u->v[at];
}

static bool
grow(struct uses *u)
{
	struct uses more = { .room = u->room ? u->room * 2 : 1024 };

	more.v = calloc(more.room, sizeof(*more.v));
	if (!more.v)
		return false;
	for (uint32_t i = 0; i < u->room; i++)
		if (u->v[i].key)
			*find_slot(&more, u->v[i].key) = u->v[i];
	more.n = u->n;
	free(u->v);
	*u = more;
	return true;
}

static uint64_t
key_of(const struct sg_check *c, uint32_t scope, uint32_t name)
{
	return (uint64_t)scope << 32 | mangled(c, scope, name);
}

static uint32_t
get(const struct sg_check *c, const struct uses *u, uint32_t scope,
    uint32_t name)
{
	return find_slot(u, key_of(c, scope, name))->use;
}

static bool
add(struct sg_check *c, struct uses *u, uint32_t scope, uint32_t name,
    uint32_t use)
{
	uint64_t key = key_of(c, scope, name);
	struct slot *s;

	if (u->n * 2 >= u->room && !grow(u))
		return sg_build_no_memory(c->b);
	s = find_slot(u, key);
	u->n += s->key == 0;
	s->key = key;
	s->use |= use;
	return true;
}

static bool
declare(struct sg_check *c, struct uses *u, uint32_t at)
{
	uint32_t scope = c->scopes[at];
	bool global = c->nodes[at].kind == SG_AST_Global;

	if (!global && c->nodes[scope].kind == SG_AST_Module)
		return refuse(c, at, "'nonlocal' at module level");
	for (uint32_t k = c->nodes[at].first; k; k = c->nodes[k].next) {
		uint32_t use = get(c, u, scope, c->nodes[k].name);

		if (use & USE_PARAM)
			return refuse(c, k,
				      "a parameter is declared global or "
				      "nonlocal");
		if (use & (global ? USE_NONLOCAL : USE_GLOBAL))
			return refuse(c, k,
				      "a name is both nonlocal and "
				      "global");
		if (use & (USE_LOAD | USE_BOUND | USE_ANNOTATED))
			return refuse(c, k,
				      "a name is used before its global "
				      "or nonlocal declaration");
		if (!add(c, u, scope, c->nodes[k].name,
			 global ? USE_GLOBAL : USE_NONLOCAL))
			return false;
	}
	return true;
}

static bool
note_name(struct sg_check *c, struct uses *u, uint32_t at)
{
	const struct sg_node *n = &c->nodes[at];
	const struct sg_node *up = &c->nodes[n->parent];
	uint32_t scope = c->scopes[at], use = USE_LOAD;

	if (n->flags & (SG_NODE_STORE | SG_NODE_DEL))
		use = USE_BOUND;
	if (up->kind == SG_AST_Global || up->kind == SG_AST_Nonlocal)
		return true;
	if (up->kind == SG_AST_NamedExpr && use == USE_BOUND)
		while (c->nodes[scope].kind >= SG_AST_ListComp &&
		       c->nodes[scope].kind <= SG_AST_GeneratorExp)
			scope = c->scopes[scope];
	if (up->kind == SG_AST_AnnAssign && n->role == SG_ROLE_TARGET &&
	    (up->flags & SG_NODE_SIMPLE)) {
		if ((get(c, u, scope, n->name) & (USE_GLOBAL | USE_NONLOCAL)) &&
		    c->nodes[scope].kind != SG_AST_Module)
			return refuse(c, at,
				      "an annotated name cannot be "
				      "global or nonlocal");
		use |= USE_ANNOTATED;
	}
	return add(c, u, scope, n->name, use);
}

static bool
note(struct sg_check *c, struct uses *u, uint32_t at)
{
	const struct sg_node *n = &c->nodes[at];
	uint32_t name;

	switch (n->kind) {
	case SG_AST_Name:
		return note_name(c, u, at);
	case SG_AST_arg:
		/* Of the function whose `arguments` it is in. */
		return add(c, u, c->nodes[n->parent].parent, n->name,
			   USE_PARAM);
	case SG_AST_Global:
	case SG_AST_Nonlocal:
		return declare(c, u, at);
	case SG_AST_TypeVar:
	case SG_AST_ParamSpec:
	case SG_AST_TypeVarTuple:
		return true;
	default:
		name = binds(c, n);
		return !name ||
		       add(c, u, c->scopes[at], name,
			   n->kind == SG_AST_alias ? USE_IMPORTED : USE_BOUND);
	}
}

/* A function around `scope` must bind the name. */
static bool
check_nonlocal(struct sg_check *c, const struct uses *u, uint32_t at)
{
	uint32_t name = mangled(c, c->scopes[at], c->nodes[at].name);
	uint32_t scope = c->scopes[c->scopes[at]];
	bool in_class = sg_str_eq(sg_intern_str(c->ast.names, name),
				  SG_STR("__class__"));

	for (; c->nodes[scope].kind != SG_AST_Module;
	     scope = c->scopes[scope]) {
		uint32_t use = get(c, u, scope, name);

		if (c->nodes[scope].kind == SG_AST_ClassDef) {
			if (in_class)
				return true;
			continue;
		}
		if (use & USE_GLOBAL)
			break;
		if (use & (USE_BOUND | USE_PARAM | USE_IMPORTED))
			return true;
	}
	return refuse(c, at, "no binding for a nonlocal name");
}

static bool
check_declarations(struct sg_check *c)
{
	struct uses u = { 0 };
	bool good = grow(&u) || sg_build_no_memory(c->b);

	for (uint32_t i = 1; i < c->ast.n && good; i++)
		good = note(c, &u, i);
	for (uint32_t i = 1; i < c->ast.n && good; i++)
		if (c->nodes[i].kind == SG_AST_Name &&
		    c->nodes[c->nodes[i].parent].kind == SG_AST_Nonlocal)
			good = check_nonlocal(c, &u, i);
	free(u.v);
	return good;
}

bool
sg_check_names(struct sg_check *c)
{
	if (c->debug && !check_debug(c))
		return false;
	if (c->has[SG_AST_Global] || c->has[SG_AST_Nonlocal])
		return check_declarations(c);
	return true;
}
