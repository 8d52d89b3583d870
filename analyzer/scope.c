/*
 * Theory of operation
 *
 * Nodes lie in post-order, so a walk from the last node to the first meets
 * every parent before its children: the scope of a node follows from its
 * parent's scope and its role.  The same walk makes a symbol for each pair of
 * scope and name that occurs and notes how it is bound.  `global` and
 * `nonlocal` hold for a whole scope wherever they stand, so targets are
 * resolved only after the walk, once per symbol rather than once per use.
 */

#include "analyzer/scope.h"

#include <stdlib.h>

#include "base/vec.h"

enum { SCOPES_MAX = 1 << 22, SYMBOLS_MAX = 1 << 22 };

static const char *const kind_names[] = {
	[SG_SCOPE_NONE] = "",
	[SG_SCOPE_MODULE] = "module",
	[SG_SCOPE_FUNCTION] = "function",
	[SG_SCOPE_LAMBDA] = "lambda",
	[SG_SCOPE_CLASS] = "class",
	[SG_SCOPE_COMPREHENSION] = "comprehension",
	[SG_SCOPE_TYPE] = "type parameters",
};

const char *
sg_scope_kind_name(enum sg_scope_kind kind)
{
	return kind_names[kind];
}

void
sg_scopes_init(struct sg_scopes *s)
{
	memset(s, 0, sizeof(*s));
}

void
sg_scopes_release(struct sg_scopes *s)
{
	free(s->scopes);
	free(s->symbols);
	free(s->slots);
	free(s->defs.v);
	sg_scopes_init(s);
}

static uint32_t
slot_hash(uint32_t scope, uint32_t name)
{
	uint64_t h = ((uint64_t)scope << 32 | name) * 0x9e3779b97f4a7c15u;

	return (uint32_t)(h >> 32);
}

static uint32_t *
slot_at(const struct sg_scopes *s, uint32_t scope, uint32_t name)
{
	uint32_t mask = s->nslots - 1;
	uint32_t i = slot_hash(scope, name) & mask;

	for (; s->slots[i]; i = (i + 1) & mask) {
		const struct sg_symbol *y = &s->symbols[s->slots[i]];

		if (y->scope == scope && y->name == name)
			break;
	}
	return &s->slots[i];
}

uint32_t
sg_scopes_find(const struct sg_scopes *s, uint32_t scope, uint32_t name)
{
	return s->nslots ? *slot_at(s, scope, name) : 0;
}

/* Keeps the table at most half full. */
static bool
slots_room(struct sg_scopes *s)
{
	uint32_t *old = s->slots, n = s->nslots ? s->nslots * 2 : 1024;

	if (s->nslots && s->nsymbols + 2 < s->nslots / 2)
		return true;
	s->slots = calloc(n, sizeof(*s->slots));
	if (!s->slots) {
		s->slots = old;
		return false;
	}
	free(old);
	s->nslots = n;
	for (uint32_t i = 1; i <= s->nsymbols; i++)
		*slot_at(s, s->symbols[i].scope, s->symbols[i].name) = i;
	return true;
}

static bool
symbols_room(struct sg_scopes *s)
{
	return s->nsymbols + 2 <= s->symbols_room ||
	       sg_vec_room((void **)(void *)&s->symbols, s->nsymbols + 1,
			   &s->symbols_room, 1, SYMBOLS_MAX,
			   sizeof(*s->symbols));
}

/* The symbol, made when it is new; 0 when memory is refused. */
static uint32_t
symbol_get(struct sg_scopes *s, uint32_t scope, uint32_t name)
{
	uint32_t *slot;
	struct sg_symbol *y;

	if (!name || !slots_room(s) || !symbols_room(s)) {
		s->failed = s->failed || name;
		return 0;
	}
	slot = slot_at(s, scope, name);
	if (*slot)
		return *slot;
	*slot = ++s->nsymbols;
	y = &s->symbols[s->nsymbols];
	*y = (struct sg_symbol){ .scope = scope,
				 .name = name,
				 .certain_end = UINT32_MAX,
				 .next = s->scopes[scope].first_symbol };
	s->scopes[scope].first_symbol = s->nsymbols;
	return s->nsymbols;
}

static uint32_t
scope_new(struct sg_scopes *s, enum sg_scope_kind kind, uint32_t node,
	  uint32_t parent)
{
	const struct sg_scope *p;
	struct sg_scope *c;

	if (s->nscopes + 2 > s->scopes_room &&
	    !sg_vec_room((void **)(void *)&s->scopes, s->nscopes + 1,
			 &s->scopes_room, 1, SCOPES_MAX, sizeof(*s->scopes))) {
		s->failed = true;
		return parent;
	}
	c = &s->scopes[++s->nscopes];
	*c = (struct sg_scope){ .kind = (uint8_t)kind,
				.node = node,
				.parent = parent,
				.outer_start = UINT32_MAX };
	if (parent) {
		p = &s->scopes[parent];
		c->class_name = p->class_name;
		c->function = p->function;
		c->outer_start = p->outer_start;
	}
	if (kind == SG_SCOPE_CLASS)
		c->class_name = s->ast->nodes[node].name;
	if (kind == SG_SCOPE_FUNCTION || kind == SG_SCOPE_LAMBDA) {
		c->function = s->nscopes;
		if (c->outer_start == UINT32_MAX)
			c->outer_start = s->ast->nodes[node].range.start;
	}
	return s->nscopes;
}

uint32_t
sg_scopes_mangled(struct sg_scopes *s, uint32_t scope, uint32_t name)
{
	if (!sg_ast_is_private(sg_intern_str(s->names, name))) {
		if (name < SG_LOW_NAMES)
			s->plain[name] = 1;
		return name;
	}
	return sg_ast_mangle(s->names, s->scopes[scope].class_name, name);
}

/* --- the walk --------------------------------------------------------- */

static bool
is_def(uint8_t kind)
{
	return kind == SG_AST_FunctionDef || kind == SG_AST_AsyncFunctionDef;
}

static bool
is_comprehension(uint8_t kind)
{
	return kind == SG_AST_ListComp || kind == SG_AST_SetComp ||
	       kind == SG_AST_DictComp || kind == SG_AST_GeneratorExp;
}

/* Where the parts of a def, class or alias other than its body live. */
static uint32_t
header_scope(const struct sg_scopes *s, uint32_t node)
{
	uint32_t inner = s->inner_of[node];
	uint32_t p = s->scopes[inner].parent;

	return s->scopes[p].kind == SG_SCOPE_TYPE && s->scopes[p].node == node
		       ? p
		       : s->scope_of[node];
}

static uint32_t
scope_in_parent(const struct sg_scopes *s, uint32_t i)
{
	const struct sg_node *n = &s->ast->nodes[i];
	const struct sg_node *p = &s->ast->nodes[n->parent];
	uint32_t up = n->parent;

	if (is_def(p->kind) || p->kind == SG_AST_ClassDef ||
	    p->kind == SG_AST_TypeAlias) {
		if (n->role == SG_ROLE_BODY)
			return s->inner_of[up];
		if (n->role == SG_ROLE_DECORATOR || n->role == SG_ROLE_NAME)
			return s->scope_of[up];
		return header_scope(s, up);
	}
	if (p->kind == SG_AST_Lambda)
		return n->role == SG_ROLE_ARGUMENTS ? s->scope_of[up]
						    : s->inner_of[up];
	if (is_comprehension(p->kind))
		return s->inner_of[up];
	if (p->kind == SG_AST_comprehension && n->role == SG_ROLE_ITER &&
	    sg_ast_child(s->ast, p->parent, SG_ROLE_GENERATOR, 0) == up)
		return s->scope_of[p->parent];
	return s->scope_of[up];
}

static bool
type_params(const struct sg_ast *ast, uint32_t node)
{
	for (uint32_t i = ast->nodes[node].first; i; i = ast->nodes[i].next) {
		if (ast->nodes[i].role == SG_ROLE_TYPE_PARAM)
			return true;
		if (ast->nodes[i].role == SG_ROLE_BODY)
			break;
	}
	return false;
}

static void
open_scope(struct sg_scopes *s, uint32_t i)
{
	const struct sg_node *n = &s->ast->nodes[i];
	uint32_t up = s->scope_of[i];
	enum sg_scope_kind kind;

	if (is_def(n->kind))
		kind = SG_SCOPE_FUNCTION;
	else if (n->kind == SG_AST_ClassDef)
		kind = SG_SCOPE_CLASS;
	else if (n->kind == SG_AST_Lambda)
		kind = SG_SCOPE_LAMBDA;
	else if (n->kind == SG_AST_TypeAlias)
		kind = SG_SCOPE_TYPE;
	else if (is_comprehension(n->kind))
		kind = SG_SCOPE_COMPREHENSION;
	else
		return;
	if (kind != SG_SCOPE_COMPREHENSION && kind != SG_SCOPE_LAMBDA &&
	    type_params(s->ast, i))
		up = scope_new(s, SG_SCOPE_TYPE, i, up);
	s->inner_of[i] = scope_new(s, kind, i, up);
}

/*
 * The end of the statement that binds at node `i`, when it stands directly
 * in the body of a module or class and so can't be skipped.
 */
static uint32_t
certain_end(const struct sg_scopes *s, uint32_t i)
{
	const struct sg_node *nodes = s->ast->nodes, *n = &nodes[i], *p;

	if (n->kind == SG_AST_Name) {
		if (n->role != SG_ROLE_TARGET && n->role != SG_ROLE_ELT &&
		    n->role != SG_ROLE_VALUE)
			return UINT32_MAX;
		do {
			n = &nodes[n->parent];
		} while (n->kind == SG_AST_Tuple || n->kind == SG_AST_List ||
			 n->kind == SG_AST_Starred);
		if (n->kind == SG_AST_AnnAssign &&
		    !sg_ast_child(s->ast, (uint32_t)(n - nodes), SG_ROLE_VALUE,
				  0))
			return UINT32_MAX;
		if (n->kind != SG_AST_Assign && n->kind != SG_AST_AnnAssign)
			return UINT32_MAX;
	} else if (n->kind == SG_AST_alias) {
		n = &nodes[n->parent];
	} else if (!is_def(n->kind) && n->kind != SG_AST_ClassDef) {
		return UINT32_MAX;
	}
	p = &nodes[n->parent];
	if (n->role != SG_ROLE_BODY ||
	    (p->kind != SG_AST_Module && p->kind != SG_AST_ClassDef))
		return UINT32_MAX;
	return n->range.end;
}

static void
bind(struct sg_scopes *s, uint32_t i, uint32_t scope, uint32_t name,
     uint32_t flags)
{
	uint32_t id, end;
	struct sg_symbol *y;

	id = symbol_get(s, scope, sg_scopes_mangle(s, scope, name));
	if (!id)
		return;
	s->symbol_of[i] = id;
	y = &s->symbols[id];
	y->flags |= SG_SYMBOL_BOUND | flags;
	if (s->scopes[scope].kind == SG_SCOPE_MODULE ||
	    s->scopes[scope].kind == SG_SCOPE_CLASS) {
		end = certain_end(s, i);
		if (end < y->certain_end)
			y->certain_end = end;
	}
}

/* A walrus target leaks out of comprehensions. */
static uint32_t
walrus_scope(const struct sg_scopes *s, uint32_t scope)
{
	while (s->scopes[scope].kind == SG_SCOPE_COMPREHENSION)
		scope = s->scopes[scope].parent;
	return scope;
}

static void
mention(struct sg_scopes *s, uint32_t name)
{
	if (name < SG_LOW_NAMES)
		s->mentioned[name] = 1;
}

static void
visit_name(struct sg_scopes *s, uint32_t i)
{
	const struct sg_node *n = &s->ast->nodes[i];
	const struct sg_node *p = &s->ast->nodes[n->parent];
	uint32_t scope = s->scope_of[i], id;

	if (p->kind == SG_AST_Global || p->kind == SG_AST_Nonlocal) {
		id = symbol_get(s, scope, sg_scopes_mangle(s, scope, n->name));
		s->symbol_of[i] = id;
		if (id)
			s->symbols[id].flags |= p->kind == SG_AST_Global
							? SG_SYMBOL_GLOBAL
							: SG_SYMBOL_NONLOCAL;
		return;
	}
	if (n->flags & (SG_NODE_STORE | SG_NODE_DEL)) {
		if (p->kind == SG_AST_NamedExpr && n->role == SG_ROLE_TARGET)
			scope = walrus_scope(s, scope);
		bind(s, i, scope, n->name,
		     n->flags & SG_NODE_DEL ? SG_SYMBOL_DELETED : 0);
		return;
	}
	mention(s, n->name);
	s->symbol_of[i] = symbol_get(s, scope,
				     sg_scopes_mangle(s, scope, n->name));
}

/* What an alias binds: "import a.b" binds a. */
static void
visit_alias(struct sg_scopes *s, uint32_t i)
{
	const struct sg_node *n = &s->ast->nodes[i];
	struct sg_str name = sg_intern_str(s->names, n->name);
	uint32_t id = n->aux;

	if (!id && name.n == 1 && name.p[0] == '*')
		return;
	if (!id && s->ast->nodes[n->parent].kind == SG_AST_ImportFrom)
		id = n->name;
	if (!id)
		id = sg_intern_id(
			s->names,
			sg_str_slice(name, 0, sg_str_find(name, '.')));
	bind(s, i, s->scope_of[i], id, 0);
}

static void
note_def(struct sg_scopes *s, uint32_t i)
{
	if (SG_VEC_ROOM(&s->defs, 1, SYMBOLS_MAX))
		s->defs.v[s->defs.n++] = i;
	else
		s->failed = true;
}

static void
visit(struct sg_scopes *s, uint32_t i)
{
	const struct sg_node *n = &s->ast->nodes[i];
	uint32_t up;

	switch (n->kind) {
	case SG_AST_Name:
		visit_name(s, i);
		break;
	case SG_AST_Attribute:
		mention(s, n->name);
		break;
	case SG_AST_alias:
		note_def(s, i);
		visit_alias(s, i);
		break;
	case SG_AST_arg:
		up = s->ast->nodes[n->parent].parent;
		bind(s, i, s->inner_of[up], n->name, SG_SYMBOL_PARAM);
		break;
	case SG_AST_FunctionDef:
	case SG_AST_AsyncFunctionDef:
	case SG_AST_ClassDef:
		note_def(s, i);
		bind(s, i, s->scope_of[i], n->name, 0);
		open_scope(s, i);
		break;
	case SG_AST_Lambda:
	case SG_AST_ListComp:
	case SG_AST_SetComp:
	case SG_AST_DictComp:
	case SG_AST_GeneratorExp:
	case SG_AST_TypeAlias:
		open_scope(s, i);
		break;
	case SG_AST_ExceptHandler:
	case SG_AST_MatchAs:
	case SG_AST_MatchStar:
	case SG_AST_MatchMapping:
	case SG_AST_TypeVar:
	case SG_AST_ParamSpec:
	case SG_AST_TypeVarTuple:
		if (n->name)
			bind(s, i, s->scope_of[i], n->name, 0);
		break;
	default:
		break;
	}
}

/* --- targets ---------------------------------------------------------- */

/* The symbol that `name` means in the scopes around `scope`. */
static uint32_t
resolve_outside(struct sg_scopes *s, uint32_t scope, uint32_t name)
{
	for (uint32_t p = s->scopes[scope].parent; p; p = s->scopes[p].parent) {
		uint32_t id;

		if (s->scopes[p].kind == SG_SCOPE_CLASS)
			continue;
		if (s->scopes[p].kind == SG_SCOPE_MODULE)
			break;
		id = sg_scopes_find(s, p, name);
		if (!id)
			continue;
		if (s->symbols[id].flags & SG_SYMBOL_GLOBAL)
			break;
		if ((s->symbols[id].flags &
		     (SG_SYMBOL_BOUND | SG_SYMBOL_NONLOCAL)) == SG_SYMBOL_BOUND)
			return id;
	}
	return symbol_get(s, 1, name);
}

static void
resolve(struct sg_scopes *s, uint32_t id)
{
	const struct sg_symbol y = s->symbols[id];
	uint32_t target = id, outer = 0;
	uint8_t kind = s->scopes[y.scope].kind;

	if (kind == SG_SCOPE_MODULE) {
		target = id;
	} else if (y.flags & SG_SYMBOL_GLOBAL) {
		target = symbol_get(s, 1, y.name);
		if (target)
			s->symbols[target].flags |=
				y.flags & (SG_SYMBOL_BOUND | SG_SYMBOL_DELETED);
	} else if (!(y.flags & SG_SYMBOL_BOUND) ||
		   (y.flags & SG_SYMBOL_NONLOCAL)) {
		target = resolve_outside(s, y.scope, y.name);
	} else if (kind == SG_SCOPE_CLASS) {
		outer = resolve_outside(s, y.scope, y.name);
	}
	s->symbols[id].target = target ? target : id;
	s->symbols[id].outer = outer;
}

int
sg_scopes_build(struct sg_scopes *s, const struct sg_ast *ast,
		struct sg_intern *names, struct sg_arena *arena,
		struct sg_err *err)
{
	s->ast = ast;
	s->names = names;
	s->failed = false;
	/* One large script must not make many small ones slow. */
	if (s->nslots > 8192 && s->nsymbols < s->nslots / 16) {
		free(s->slots);
		s->slots = NULL;
		s->nslots = 0;
	}
	if (s->nslots)
		memset(s->slots, 0, s->nslots * sizeof(*s->slots));
	s->nscopes = s->nsymbols = s->defs.n = 0;
	s->plain = SG_NEWN(arena, uint8_t, SG_LOW_NAMES);
	s->mentioned = SG_NEWN(arena, uint8_t, SG_LOW_NAMES);
	s->scope_of = SG_NEWN(arena, uint32_t, (size_t)ast->n + 1);
	s->symbol_of = SG_NEWN(arena, uint32_t, (size_t)ast->n + 1);
	s->inner_of = SG_NEWN(arena, uint32_t, (size_t)ast->n + 1);
	if (sg_arena_failed(arena))
		return sg_err_set(err, SG_ENOMEM, "no memory for scopes");
	if (scope_new(s, SG_SCOPE_MODULE, ast->n, 0) != 1)
		return sg_err_set(err, SG_ENOMEM, "no memory for scopes");
	for (uint32_t i = ast->n; i > 0 && !s->failed; i--) {
		s->scope_of[i] = i == ast->n ? 1 : scope_in_parent(s, i);
		visit(s, i);
	}
	/* New module symbols may be added at the end meanwhile. */
	for (uint32_t i = 1; i <= s->nsymbols && !s->failed; i++)
		resolve(s, i);
	if (s->failed)
		return sg_err_set(err, SG_ENOMEM, "no memory for scopes");
	return SG_OK;
}
