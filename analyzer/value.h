#ifndef SG_ANALYZER_VALUE_H
#define SG_ANALYZER_VALUE_H

/*
 * Values: what each expression of a script may be.  Shared by
 * analyzer/value*.c and analyzer/fact*.c only; rules see facts.
 *
 * An atom is one thing an expression may be, interned.  A set of atoms is
 * one 32-bit number: 0 is the empty set ("nothing flows here"), a number
 * below SG_SET_MANY is the set of just that atom, others index a table of
 * interned sorted arrays.  So equality is a comparison of numbers, and
 * most sets cost nothing.
 *
 * A cell is a place that holds a set and remembers which nodes read it: a
 * symbol, a field, what a function returns, what a container holds.
 */

#include "analyzer/analysis.h"
#include "analyzer/modtable.h"
#include "analyzer/scope.h"
#include "base/buf.h"

#define SG_SET_MANY 0x80000000u

enum sg_atom_kind {
	SG_ATOM_NONE = 0,
	SG_ATOM_UNKNOWN,  /* anything */
	SG_ATOM_WIDE,     /* the set was cut: anything; absorbs */
	SG_ATOM_ANYSTR,   /* some text; a: 1, 2: of constants (value_made.c) */
	SG_ATOM_WIDESTR,  /* too many texts; absorbs them */
	SG_ATOM_ANYNUM,   /* some number; absorbs them */
	SG_ATOM_WIDEOBJ,  /* too many objects that tell little; absorbs */
	SG_ATOM_STR,      /* a: string */
	SG_ATOM_BYTES,    /* a: string */
	SG_ATOM_PREFIX,   /* a: string; text that begins with it */
	SG_ATOM_INT,      /* a: index of integer */
	SG_ATOM_CONST,    /* a: enum sg_const_kind (None, True ...) */
	SG_ATOM_SEQ,      /* a: sequence; a constant tuple, in order */
	SG_ATOM_PATH,     /* a: path; a foreign thing by its dotted name */
	SG_ATOM_INSTANCE, /* a: path of a class, b: atom of a pathlib path's
			     text (value_pathlib.c) or 0 */
	SG_ATOM_LIST,     /* a: node, the site; LIST .. ITER are containers */
	SG_ATOM_TUPLE,
	SG_ATOM_SET,
	SG_ATOM_DICT,
	SG_ATOM_ITER,    /* iterators, generators, views; b: which */
	SG_ATOM_FUNC,    /* a: node of a def or lambda */
	SG_ATOM_CLASS,   /* a: node of a class */
	SG_ATOM_INST,    /* a: node of a class; an instance of it */
	SG_ATOM_BOUND,   /* a: node of a def, b: atom of self */
	SG_ATOM_METHOD,  /* a: atom of receiver, b: name; of builtin types */
	SG_ATOM_PARTIAL, /* a: Call node that made it; so the next three */
	SG_ATOM_ATTRGETTER,
	SG_ATOM_METHODCALLER,
	SG_ATOM_ITEMGETTER,
	SG_ATOM_NS,       /* a: path; its namespace as a dict */
	SG_ATOM_GLOBALS,  /* of the script */
	SG_ATOM_LOCALS,   /* a: scope */
	SG_ATOM_MAIN,     /* the script as a module */
	SG_ATOM_NSCLASS,  /* a: node of a class; its __dict__ */
	SG_ATOM_NSINST,   /* a: node of a class; __dict__ of an instance */
	SG_ATOM_SUPER,    /* a: node of a class, b: atom of self */
	SG_ATOM_STATIC,   /* a: atom; staticmethod(...) */
	SG_ATOM_CLSMETH,  /* a: atom */
	SG_ATOM_PROPERTY, /* a: atom of the getter */
	SG_ATOM_CONTEXT,  /* a: Call node; what `with` gives is its value */
	SG_ATOM_HELD,     /* a: path; perhaps what was given to it */
	SG_ATOM_COUNT
};

struct sg_atom {
	uint32_t kind, a, b;
};

enum sg_cell_kind {
	SG_CELL_SYMBOL = 1, /* a: symbol */
	SG_CELL_FIELD,      /* a: node of class or def, b: name */
	SG_CELL_FIELDS,     /* a: the same; those that lead on, joined */
	SG_CELL_RETURN,     /* a: node of def or lambda */
	SG_CELL_SENT,       /* a: the same; what send() gives to its yield */
	SG_CELL_ALL,        /* a: site; every element */
	SG_CELL_KEY,        /* a: site, b: atom of a constant key */
	SG_CELL_ANYKEY,     /* a: site; elements under unknown keys */
	SG_CELL_DKEYS,      /* a: site; keys of a dict */
	SG_CELL_PATH,       /* a: path; what was written to it */
	SG_CELL_HELD        /* a: path; what was given to it */
};

struct sg_cell {
	uint32_t set;
	uint32_t readers; /* chain of struct sg_reader */
};

struct sg_reader {
	uint32_t node, next;
};

enum sg_path_kind {
	SG_PATH_OTHER = 0,
	SG_PATH_MODULE,
	SG_PATH_CLASS,
	SG_PATH_CALLABLE,
	SG_PATH_RESULT /* "()" or "[]" of its parent */
};

struct sg_path {
	uint32_t parent, name;
	uint32_t cell;    /* what was written to it; 0 none */
	uint32_t root;    /* class or result that it is a part of; or 0 */
	uint32_t held;    /* cell of what that holds (value_hold.c); or 0 */
	uint16_t special; /* see value_special.c; SG_SPECIAL_UNSET first */
	uint8_t kind;     /* enum sg_path_kind */
	uint8_t results;  /* calls and items on the way to it */
	uint8_t maker;    /* see value_made.c */
	bool listed;      /* the table has it */
	struct sg_str full;
};

enum { SG_SPECIAL_NONE = 0, SG_SPECIAL_UNSET = 0xffff };

/* From 64-bit keys to ids. */
struct sg_keymap {
	struct sg_keyslot {
		uint64_t key;
		uint32_t id;
	} * slots;
	uint32_t n, room;
};

/* Arrays of numbers in one pool. */
struct sg_spans {
	struct sg_span {
		uint32_t at, n;
	} * v;
	uint32_t n, room;
};

struct sg_pool {
	uint32_t *v;
	uint32_t n, room;
};

/* Identifiers the analysis knows; X(field, text). */
/* clang-format off */
#define SG_KNOWN_NAMES(X) \
	X(dict_, "__dict__") X(class_, "__class__") X(self_, "__self__") \
	X(globals_, "__globals__") X(builtins_, "__builtins__") \
	X(wrapped_, "__wrapped__") X(func_, "__func__") \
	X(call_, "__call__") X(init_, "__init__") X(new_, "__new__") \
	X(name_, "__name__") X(iter_, "__iter__") X(next_, "__next__") \
	X(getitem_, "__getitem__") X(enter_, "__enter__") \
	X(aenter_, "__aenter__") X(getattr_, "__getattr__") \
	X(getattribute_, "__getattribute__") \
	X(class_getitem_, "__class_getitem__") \
	X(match_args_, "__match_args__") X(main_, "__main__") \
	X(qualname_, "__qualname__") X(get_, "__get__") X(star, "*") \
	X(metaclass, "metaclass") X(func, "func") X(fget, "fget") \
	X(key, "key") X(target, "target") X(args, "args") \
	X(function, "function") X(initializer, "initializer") \
	X(format, "format") X(format_map, "format_map") X(str, "str") \
	X(object, "object") X(encoding, "encoding") \
	X(post_init_, "__post_init__") \
	X(init_subclass_, "__init_subclass__") \
	X(sep, "sep") X(curdir, "curdir") X(pardir, "pardir") \
	X(load_module, "load_module") X(value, "value") \
	X(doc_, "__doc__") X(kwargs, "kwargs") X(keywords, "keywords") \
	X(value_, "_value_") X(members_, "__members__") \
	X(setattr_, "__setattr__")
/* clang-format on */

struct sg_known {
#define SG_KNOWN_FIELD(field, text) uint32_t field;
	SG_KNOWN_NAMES(SG_KNOWN_FIELD)
#undef SG_KNOWN_FIELD
};

struct sg_facts;

/* A script with more star imports than that is said to be widened. */
enum { SG_STARS_MAX = 12 };

struct sg_values {
	/* Borrowed for one analysis. */
	const struct sg_ast *ast;
	struct sg_scopes *scopes;
	struct sg_intern *names;
	struct sg_arena *arena;
	struct sg_facts *facts; /* NULL but in the last pass */
	uint64_t deadline;
	uint32_t minor;

	/* Interned things; index 0 of each is not used. */
	struct {
		struct sg_atom *v;
		uint32_t n, room;
	} atoms;
	struct sg_spans sets;
	struct sg_pool members;
	struct {
		struct sg_str *v;
		uint32_t n, room;
	} strs;
	struct {
		int64_t *v;
		uint32_t n, room;
	} ints;
	struct sg_spans seqs;
	struct sg_pool elements; /* of seqs */
	struct {
		struct sg_path *v;
		uint32_t n, room;
	} paths;
	struct {
		struct sg_cell *v;
		uint32_t n, room;
	} cells;
	struct {
		struct sg_reader *v;
		uint32_t n, room;
	} readers;
	struct sg_keymap atom_map, set_map, str_map, int_map, seq_map, path_map,
		cell_map, reader_map;
	/* Where to look in a class; see linearise() in value_class.c. */
	struct sg_class_line {
		uint32_t cls, epoch, n;
		uint32_t line[64]; /* SG_CLASS_DEPTH */
	} * lines;
	uint32_t class_epoch; /* a base of some class has changed */
	struct sg_union_memo {
		uint32_t a, b, r;
	} * memo;

	/* Per node; owned by the arena. */
	uint32_t *val;
	uint8_t *visits;
	uint64_t *dirty;      /* one bit a node */
	uint32_t *place_mark; /* of a display: hash of its places' sets */
	uint32_t *prev_bind;  /* AugAssign: binding before it, or 0 */
	uint32_t *next_bind;  /* the other way */
	uint32_t *last_bind;  /* per symbol, while linking */

	struct sg_buf text; /* scratch for folding */
	struct sg_known known;
	uint32_t builtins;             /* path of the module */
	uint32_t name_call, name_item; /* "()" and "[]" */
	uint32_t unknown;              /* atom; the set of it as well */
	uint32_t anystr, made, onechar, anynum, widestr, wideobj, wide;
	uint32_t globals_atom, main_atom, none_atom;
	uint32_t star_imports;        /* how many modules they bring names of */
	uint32_t stars[SG_STARS_MAX]; /* paths of those modules */
	uint32_t node;                /* being evaluated */
	uint32_t passes;
	uint32_t work;     /* steps since the clock was looked at */
	uint32_t evals;    /* work done, for the budget */
	uint32_t unrolled; /* of it, in trials */
	uint32_t widened;  /* node where a bound was hit first, or 0 */
	uint32_t depth;    /* of calls within calls */
	uint32_t chain[8]; /* atoms being called, outermost first */
	uint32_t fanout;   /* calls made for the node so far */
	bool failed;       /* memory was refused */
	bool late;         /* the deadline has passed */
	bool lossy;        /* some call may have been lost by widening */
	bool endless;      /* the walk was stopped before its end */
	bool settled;      /* what is empty now stays so: unknown */
	bool attr_hooks;   /* some class has __setattr__ */
	bool names_files;  /* sg_value_names_files(), in the last pass */
	bool pure;         /* trial evaluation: nothing is written */
};

/* Work within one evaluation, so that the clock is looked at in time. */
static inline void
sg_value_work(struct sg_values *v, uint32_t steps)
{
	v->work += steps;
}

/* Places in a container that are kept apart. */
enum { SG_PLACES = 64 };

/* The next child of a def, class or call with that role, body left out. */
static inline uint32_t
sg_head_child(const struct sg_ast *ast, uint32_t node, enum sg_role role,
	      uint32_t after)
{
	uint32_t i = after ? ast->nodes[after].next : ast->nodes[node].first;

	for (; i; i = ast->nodes[i].next) {
		if (ast->nodes[i].role == role)
			return i;
		if (ast->nodes[i].role == SG_ROLE_BODY)
			break;
	}
	return 0;
}

/* One call as a handler sees it. */
enum { SG_CALL_ARGS = 24 };

struct sg_call {
	uint32_t node; /* where; effects and facts go there */
	uint32_t nargs;
	uint32_t self; /* receiver atom of a method, or 0 */
	bool starred;  /* *a or **m among them, or too many */
	bool implicit; /* not written as a call */
	struct sg_call_arg {
		uint32_t set;
		uint32_t keyword; /* name; 0 positional */
		uint32_t node;
		uint8_t stars; /* 1: *a, 2: **m; set is of elements */
	} args[SG_CALL_ARGS];
};

enum { SG_UNION_MEMO = 4096 };

static inline uint64_t
sg_value_mix(uint64_t k)
{
	k ^= k >> 32;
	k *= 0xd6e8feb86659fd93u;
	return k ^ k >> 32;
}

/* --- value.c, value_set.c: workspace, atoms, sets, cells --------------------------- */

void sg_values_init(struct sg_values *v);
void sg_values_release(struct sg_values *v);
/* Forgets the script before; takes what is borrowed.  SG_ENOMEM. */
SG_MUST_CHECK int sg_values_begin(struct sg_values *v, struct sg_scopes *s,
				  struct sg_arena *arena, uint64_t deadline,
				  struct sg_err *err);

/* The slot of a key, its id 0 when it is new; NULL when refused. */
uint32_t *sg_keymap_at(struct sg_keymap *m, uint64_t key);
uint32_t sg_keymap_get(const struct sg_keymap *m, uint64_t key);

uint32_t sg_atom(struct sg_values *v, enum sg_atom_kind kind, uint32_t a,
		 uint32_t b);
uint32_t sg_value_string(struct sg_values *v, struct sg_str s); /* id */
uint32_t sg_value_str(struct sg_values *v, struct sg_str s);    /* atom */
uint32_t sg_value_literal(struct sg_values *v, const struct sg_const *c);
uint32_t sg_value_bytes(struct sg_values *v, struct sg_str s);
uint32_t sg_value_prefix(struct sg_values *v, struct sg_str s);
uint32_t sg_value_int(struct sg_values *v, int64_t i);
uint32_t sg_value_const(struct sg_values *v, enum sg_const_kind kind);
uint32_t sg_value_seq(struct sg_values *v, const uint32_t *atoms, uint32_t n);
uint32_t sg_value_path(struct sg_values *v, uint32_t path);

/* Interns n numbers in `pool`, found through `spans` and `map`; the id. */
uint32_t sg_value_span(struct sg_values *v, struct sg_keymap *map,
		       struct sg_spans *spans, struct sg_pool *pool,
		       const uint32_t *items, uint32_t n);
uint32_t sg_set_union(struct sg_values *v, uint32_t a, uint32_t b);
/* Of n atoms in any order. */
uint32_t sg_set_of(struct sg_values *v, uint32_t *atoms, uint32_t n);

/* View of a set's atoms, valid until the next set is made; singles are put
 * into *one. */
static inline const uint32_t *
sg_set_atoms(const struct sg_values *v, uint32_t set, uint32_t *one,
	     uint32_t *ret_n)
{
	if (set < SG_SET_MANY) {
		*one = set;
		*ret_n = set != 0;
		return one;
	}
	*ret_n = v->sets.v[set & ~SG_SET_MANY].n;
	return v->members.v + v->sets.v[set & ~SG_SET_MANY].at;
}

/* Copies a set's atoms, for loops that make sets meanwhile. */
enum { SG_SET_MAX = 48 };
uint32_t sg_set_copy(const struct sg_values *v, uint32_t set,
		     uint32_t out[SG_SET_MAX]);
bool sg_set_has(const struct sg_values *v, uint32_t set, uint32_t atom);
/* Whether it may be anything, or nothing is known of it. */
bool sg_set_open(const struct sg_values *v, uint32_t set);

static inline struct sg_atom
sg_atom_at(const struct sg_values *v, uint32_t atom)
{
	return v->atoms.v[atom];
}

static inline struct sg_str
sg_atom_str(const struct sg_values *v, uint32_t atom)
{
	return v->strs.v[v->atoms.v[atom].a];
}

static inline bool
sg_atom_is(const struct sg_values *v, uint32_t atom, enum sg_atom_kind kind)
{
	return v->atoms.v[atom].kind == kind;
}

uint32_t sg_cell(struct sg_values *v, enum sg_cell_kind kind, uint32_t a,
		 uint32_t b);
uint32_t sg_cell_find(const struct sg_values *v, enum sg_cell_kind kind,
		      uint32_t a, uint32_t b);
/* The value, with the current node remembered as a reader. */
uint32_t sg_cell_read(struct sg_values *v, uint32_t cell);
/* Marks the readers although the set has not grown. */
void sg_cell_touch(struct sg_values *v, uint32_t cell);
/* The same for a node that does so at each evaluation: cheaper. */
uint32_t sg_cell_read_always(struct sg_values *v, uint32_t cell);
void sg_cell_add(struct sg_values *v, uint32_t cell, uint32_t set);
void sg_value_mark(struct sg_values *v, uint32_t node);

/* --- value_path.c ------------------------------------------------------ */

uint32_t sg_path_child(struct sg_values *v, uint32_t parent, uint32_t name);
uint32_t sg_path_of(struct sg_values *v, struct sg_str dotted);
uint32_t sg_path_result(struct sg_values *v, uint32_t path); /* D() */
uint32_t sg_path_item(struct sg_values *v, uint32_t path);   /* D[] */
/* os.sep and its kin are texts: the atom, or 0. */
uint32_t sg_path_text(struct sg_values *v, uint32_t path, uint32_t name);
bool sg_path_is(const struct sg_values *v, uint32_t path, const char *full);
/* The module that a path lies in (itself if it is one). */
uint32_t sg_path_module(const struct sg_values *v, uint32_t path);
bool sg_path_has(struct sg_values *v, uint32_t module, uint32_t name,
		 struct sg_modinfo *ret);

/* --- value_attr.c, value_class.c, value_item.c ------------------------- */

uint32_t sg_value_attr(struct sg_values *v, uint32_t set, uint32_t name);
uint32_t sg_value_atom_attr(struct sg_values *v, uint32_t atom, uint32_t name);
/* With the name as a value: getattr(base, name). */
uint32_t sg_value_attr_by(struct sg_values *v, uint32_t base, uint32_t name);
void sg_value_attr_store(struct sg_values *v, uint32_t base, uint32_t name,
			 uint32_t set);
/* The classes to look in, itself first; foreign bases are atoms too. */
enum { SG_CLASS_DEPTH = 64 };
uint32_t sg_class_line(struct sg_values *v, uint32_t cls,
		       uint32_t ret[SG_CLASS_DEPTH]);
/* What the class itself has; what those above it have. */
uint32_t sg_class_own_field(struct sg_values *v, uint32_t cls, uint32_t name);
uint32_t sg_class_lookup_above(struct sg_values *v, uint32_t cls,
			       uint32_t name);
/* What was found in a class, as seen through `self` (0: the class). */
uint32_t sg_class_bind_all(struct sg_values *v, uint32_t raw, uint32_t cls,
			   uint32_t self);
/* What a class holds, as seen through an instance of it. */
uint32_t sg_class_bind(struct sg_values *v, uint32_t raw, uint32_t self);
/* A field of instances of a local class. */
void sg_value_field_add(struct sg_values *v, uint32_t cls, uint32_t name,
			uint32_t set);
uint32_t sg_value_item(struct sg_values *v, uint32_t base, uint32_t key);
void sg_value_item_store(struct sg_values *v, uint32_t base, uint32_t key,
			 uint32_t set);
/* The elements of a list have changed places. */
void sg_value_disorder(struct sg_values *v, uint32_t set);
/* Element i of an ordered container; whether places are known of it. */
bool sg_value_nth(struct sg_values *v, uint32_t atom, uint32_t i,
		  uint32_t *ret);
uint32_t sg_value_elements(struct sg_values *v, uint32_t set);
/* A dotted path of names on a value: attrgetter('a.b'). */
uint32_t sg_value_dotted(struct sg_values *v, uint32_t base, struct sg_str s);
/* Methods of a local class: the field or method as it stands there. */
uint32_t sg_class_lookup(struct sg_values *v, uint32_t cls, uint32_t name,
			 bool *ret_found);
uint32_t sg_value_import(struct sg_values *v, uint32_t names, uint32_t flags);
/* What star imports may bring under a name that the script does not bind;
 * `bound`: or may bind. */
uint32_t sg_value_starred(struct sg_values *v, uint32_t name, bool bound);
/* REF of the loader of files, where the script names the file of a module that
 * is imported: it may have written it. */
void sg_fact_own_file(struct sg_values *v, struct sg_str module);
/* Whether any text is a file of a module. */
bool sg_value_names_files(const struct sg_values *v);
bool sg_atom_is_container(const struct sg_values *v, uint32_t atom);
uint32_t sg_value_name_id(struct sg_values *v, struct sg_str s);

/* --- value_any.c ------------------------------------------------------- */

/* getattr(atom, name) for a name that is a PREFIX atom or nobody knows (0):
 * what leads on from there.  0 for what is not of the script. */
uint32_t sg_value_any_attr(struct sg_values *v, uint32_t atom, uint32_t name);
/* The same for names that a scope binds. */
uint32_t sg_value_any_bound(struct sg_values *v, uint32_t scope, uint32_t name);
/* The atoms of a set that may lead on. */
uint32_t sg_value_leading(struct sg_values *v, uint32_t set);
bool sg_class_is_enum(struct sg_values *v, uint32_t cls);
/* The values of all members. */
uint32_t sg_enum_values(struct sg_values *v, uint32_t cls);

/* --- value_hold.c ------------------------------------------------------- */

/* A foreign thing is called: what it was given stays with what it gives. */
void sg_value_hold(struct sg_values *v, uint32_t path,
		   const struct sg_call *call);
/* class D(dict): what it is made of goes to the foreign base. */
void sg_value_hold_in_bases(struct sg_values *v, uint32_t cls,
			    const struct sg_call *call);
/* The set without HELD atoms. */
uint32_t sg_value_unheld(struct sg_values *v, uint32_t set);
/* The HELD atom of the thing that `path` is a part of; 0: it holds nothing. */
uint32_t sg_value_held(struct sg_values *v, uint32_t path);
uint32_t sg_value_held_call(struct sg_values *v, uint32_t atom,
			    const struct sg_call *call);

/* --- value_pathlib.c ---------------------------------------------------- */

bool sg_atom_is_pathlib(const struct sg_values *v, uint32_t atom);
/* The STR or PREFIX atom of a path's text as analyzer/fold_path.h writes it;
 * 0: it is not known, or the atom is no path. */
uint32_t sg_value_pathlib_known(const struct sg_values *v, uint32_t atom);
/* The same as str() gives it. */
uint32_t sg_value_pathlib_text(const struct sg_values *v, uint32_t atom);
/* The dotted name of a METHOD atom whose receiver is a path; or 0. */
uint32_t sg_value_pathlib_member(struct sg_values *v, uint32_t atom);
/* a / b, where one of them is a path. */
uint32_t sg_value_pathlib_div(struct sg_values *v, uint32_t a, uint32_t b);
/* The same of sets with too many combinations; 0: there is no path. */
uint32_t sg_value_pathlib_div_many(struct sg_values *v, uint32_t a, uint32_t b);
/* What a path has under the name and composes of its text; or 0. */
uint32_t sg_value_pathlib_attr(struct sg_values *v, uint32_t self,
			       uint32_t name);
uint32_t sg_value_pathlib_method(struct sg_values *v, uint32_t self,
				 uint32_t name, const struct sg_call *call);
/* Path.joinpath(p, 'x'); false when the call is no such. */
bool sg_value_pathlib_unbound(struct sg_values *v, uint32_t path,
			      const struct sg_call *call, uint32_t *ret);

/* --- value_call.c, value_argument.c, value_partial.c ------------------------------------------------------ */

uint32_t sg_value_call(struct sg_values *v, uint32_t callee,
		       const struct sg_call *call);
uint32_t sg_value_atom_call(struct sg_values *v, uint32_t atom,
			    const struct sg_call *call);
/* With positional arguments only. */
uint32_t sg_value_apply(struct sg_values *v, uint32_t callee, uint32_t node,
			uint32_t nargs, const uint32_t *sets);
void sg_value_call_of(struct sg_values *v, uint32_t node, struct sg_call *ret);
/* An argument by position or keyword; 0 when it is not given. */
uint32_t sg_call_arg(const struct sg_call *call, uint32_t position,
		     uint32_t keyword);
/* **set, beside what is given already. */
void sg_call_spread(struct sg_values *v, struct sg_call *call, uint32_t set,
		    uint32_t node);
/* partial(...).func, .args, .keywords */
uint32_t sg_value_partial_part(struct sg_values *v, uint32_t maker,
			       uint32_t name);
/* One more argument; what does not fit is said by `starred`. */
void sg_call_push(struct sg_call *call, uint32_t set, uint32_t keyword,
		  uint32_t node, uint8_t stars);
/* partial(...)(), attrgetter(...)(), methodcaller(...)() by their makers. */
uint32_t sg_value_partial_call(struct sg_values *v, uint32_t maker,
			       const struct sg_call *call);
uint32_t sg_value_attrgetter_call(struct sg_values *v, uint32_t maker,
				  const struct sg_call *call);
uint32_t sg_value_methodcaller_call(struct sg_values *v, uint32_t maker,
				    const struct sg_call *call);
/* Something unknown may call these. */
void sg_value_escape(struct sg_values *v, uint32_t set);

/* --- value_special.c, value_method.c, value_text.c ----------------------- */

/* The result of calling a foreign thing that is known by name; false when
 * nothing is known of it. */
bool sg_value_special(struct sg_values *v, uint32_t path,
		      const struct sg_call *call, uint32_t *ret);
/* Methods of str, bytes, list, dict, namespaces ...: v['x'].join(...) */
uint32_t sg_value_method(struct sg_values *v, uint32_t receiver, uint32_t name,
			 const struct sg_call *call);
uint32_t sg_value_binop(struct sg_values *v, enum sg_op op, uint32_t a,
			uint32_t b);
uint32_t sg_value_unary(struct sg_values *v, enum sg_op op, uint32_t a);
uint32_t sg_value_joined(struct sg_values *v, uint32_t node);
uint32_t sg_value_formatted(struct sg_values *v, uint32_t node);
uint32_t sg_value_slice(struct sg_values *v, uint32_t base, uint32_t node);
/* Characters of constant text; a number of bytes. */
uint32_t sg_value_text_item(struct sg_values *v, uint32_t atom, uint32_t key);
struct sg_fold;
/* Whether the atom is a constant that folds, and which. */
bool sg_value_fold(const struct sg_values *v, uint32_t atom,
		   struct sg_fold *ret);
/* str() of what does not fold: a PREFIX atom, or just some text. */
uint32_t sg_value_beginning(const struct sg_values *v, uint32_t atom);
uint32_t sg_value_unfold(struct sg_values *v, const struct sg_fold *f);
/* A method of constant text or bytes; false when it does not fold. */
bool sg_value_text_method(struct sg_values *v, uint32_t receiver,
			  struct sg_str name, const struct sg_call *call,
			  uint32_t *ret);
/* The elements in order when they are constants; a SEQ atom or 0. */
uint32_t sg_value_sequence(struct sg_values *v, uint32_t atom);
/* A container made by `node`, of that kind, of these elements. */
uint32_t sg_value_container(struct sg_values *v, enum sg_atom_kind kind,
			    uint32_t node, uint32_t elements);
/* More than one container may be made at a node: which, 0 to 63. */
#define SG_SITE(node, which) ((node) | (uint32_t)(which) << 21)
#define SG_SITE_NODE(site) ((site)&0x1fffffu)

static inline bool
sg_atom_int(const struct sg_values *v, uint32_t atom, int64_t *ret)
{
	struct sg_atom a = v->atoms.v[atom];

	if (a.kind == SG_ATOM_INT)
		*ret = v->ints.v[a.a];
	else if (a.kind == SG_ATOM_CONST &&
		 (a.a == SG_CONST_TRUE || a.a == SG_CONST_FALSE))
		*ret = a.a == SG_CONST_TRUE;
	else
		return false;
	return true;
}

/* --- value_eval.c ------------------------------------------------------ */

/* Runs to the fixed point.  SG_ENOMEM; `late` says that time ran out. */
SG_MUST_CHECK int sg_values_run(struct sg_values *v, struct sg_err *err);
/* Evaluates every node once more, with facts switched on. */
void sg_values_emit(struct sg_values *v, struct sg_facts *f);
void sg_value_bind(struct sg_values *v, uint32_t target, uint32_t set);

#endif
