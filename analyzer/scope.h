#ifndef SG_ANALYZER_SCOPE_H
#define SG_ANALYZER_SCOPE_H

/*
 * Scopes and symbols of one syntax tree: which name in which place means
 * which binding, as the language defines it.  Whether a binding has happened
 * by the time of a use is left to the values (sg_symbol.certain_end).
 */

#include "analyzer/ast.h"
#include "base/map.h"

enum sg_scope_kind {
	SG_SCOPE_NONE = 0,
	SG_SCOPE_MODULE,
	SG_SCOPE_FUNCTION,
	SG_SCOPE_LAMBDA,
	SG_SCOPE_CLASS,
	SG_SCOPE_COMPREHENSION,
	SG_SCOPE_TYPE /* type parameters of a def, class or alias */
};

struct sg_scope {
	uint8_t kind;        /* enum sg_scope_kind */
	uint32_t node;       /* that opens it */
	uint32_t parent;     /* scope; 0 for the module */
	uint32_t class_name; /* innermost class, for mangling; 0 none */
	uint32_t function;   /* innermost function or lambda scope, 0 none */
	/* Where the outermost function around it starts, so that a use
	 * inside counts as happening there at the earliest; UINT32_MAX when
	 * it runs where it stands. */
	uint32_t outer_start;
	uint32_t first_symbol; /* chained by sg_symbol.next */
};

enum sg_symbol_flag {
	SG_SYMBOL_BOUND = 1 << 0,
	SG_SYMBOL_GLOBAL = 1 << 1,
	SG_SYMBOL_NONLOCAL = 1 << 2,
	SG_SYMBOL_PARAM = 1 << 3,
	SG_SYMBOL_DELETED = 1 << 4
};

struct sg_symbol {
	uint32_t scope, name; /* name is mangled where that applies */
	uint32_t flags;       /* enum sg_symbol_flag */
	uint32_t target;      /* the symbol that holds the value */
	/* For a class-level binding: where a use before it looks instead. */
	uint32_t outer;
	/* End of the first unconditional binding in the scope's own body;
	 * UINT32_MAX when there is none. */
	uint32_t certain_end;
	uint32_t next; /* in the scope */
};

enum { SG_LOW_NAMES = 8192 };

struct sg_scopes {
	const struct sg_ast *ast; /* borrowed; must outlive */
	struct sg_intern *names;  /* borrowed; mangled names go here */
	struct sg_scope *scopes;  /* [1 .. nscopes]; 1 is the module */
	uint32_t nscopes, scopes_room;
	struct sg_symbol *symbols; /* [1 .. nsymbols] */
	uint32_t nsymbols, symbols_room;
	/* Nodes of defs, classes and import aliases, last first. */
	struct {
		uint32_t *v;
		uint32_t n, room;
	} defs;
	uint32_t *slots; /* hash of (scope, name) to symbol */
	uint32_t nslots;
	/* For each node; owned by the arena of the last build. */
	uint32_t *scope_of;  /* where it is evaluated */
	uint32_t *symbol_of; /* that it names or binds; 0 none */
	uint32_t *inner_of;  /* scope that it opens; 0 none */
	/* By name id below SG_LOW_NAMES: never mangled; read somewhere. */
	uint8_t *plain, *mentioned;
	bool failed; /* memory was refused */
};

/* Takes no memory yet. */
void sg_scopes_init(struct sg_scopes *s);
void sg_scopes_release(struct sg_scopes *s);

/*
 * Forgets the tree before and reads `ast`.  Per-node tables are owned by
 * `arena`.  SG_ENOMEM.
 */
SG_MUST_CHECK int sg_scopes_build(struct sg_scopes *s, const struct sg_ast *ast,
				  struct sg_intern *names,
				  struct sg_arena *arena, struct sg_err *err);

/* The symbol of `name` in exactly that scope, or 0. */
uint32_t sg_scopes_find(const struct sg_scopes *s, uint32_t scope,
			uint32_t name);
/* `name` as it reads inside `scope`: class-private names are mangled. */
uint32_t sg_scopes_mangled(struct sg_scopes *s, uint32_t scope, uint32_t name);

static inline uint32_t
sg_scopes_mangle(struct sg_scopes *s, uint32_t scope, uint32_t name)
{
	if (name < SG_LOW_NAMES && s->plain[name])
		return name;
	return sg_scopes_mangled(s, scope, name);
}

/* "module", "function" ...; static. */
const char *sg_scope_kind_name(enum sg_scope_kind kind);

#endif
