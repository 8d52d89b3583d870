/*
 * Theory of operation
 *
 * Everything is interned, so that equal things have equal numbers: atoms by
 * kind and two operands, sets by their sorted members (value_set.c), strings
 * by their bytes.
 *
 * Cells are the variables of the analysis.  A cell that grows marks the nodes
 * that read it; value_eval.c evaluates marked nodes until none is left.
 */

#include "analyzer/value.h"

#include <stdlib.h>

#include "base/vec.h"

enum {
	ROOM_MAX = 1 << 26,
	KEEP_SLOTS = 1 << 11, /* tables above it are kept while used */
	CLASS_LINES = 64,     /* as in value_attr.c */
	TEXT_MAX = 1 << 14    /* of one folded string */
};

/* --- tables of 64-bit keys --------------------------------------------- */

static struct sg_keyslot *
slot_at(const struct sg_keymap *m, uint64_t key)
{
	uint32_t mask = m->room - 1, i = (uint32_t)sg_value_mix(key) & mask;

	while (m->slots[i].id && m->slots[i].key != key)
		i = (i + 1) & mask;
	return &m->slots[i];
}

static bool
keymap_grow(struct sg_keymap *m)
{
	struct sg_keyslot *old = m->slots;
	uint32_t room = m->room;

	m->room = room ? room * 2 : 512;
	m->slots = calloc(m->room, sizeof(*m->slots));
	if (!m->slots) {
		m->slots = old;
		m->room = room;
		return false;
	}
	for (uint32_t i = 0; i < room; i++)
		if (old[i].id)
			*slot_at(m, old[i].key) = old[i];
	free(old);
	return true;
}

/* The caller must give a new slot an id other than 0. */
uint32_t *
sg_keymap_at(struct sg_keymap *m, uint64_t key)
{
	struct sg_keyslot *s;

	if ((m->n + 1) * 2 > m->room && !keymap_grow(m))
		return NULL;
	s = slot_at(m, key);
	if (!s->id) {
		s->key = key;
		m->n++;
	}
	return &s->id;
}

uint32_t
sg_keymap_get(const struct sg_keymap *m, uint64_t key)
{
	return m->room ? slot_at(m, key)->id : 0;
}

static void
keymap_reset(struct sg_keymap *m)
{
	/* One large script must not make many small ones slow. */
	if (m->room > KEEP_SLOTS && m->n < m->room / 8) {
		free(m->slots);
		m->slots = NULL;
		m->room = 0;
	} else if (m->n) {
		memset(m->slots, 0, m->room * sizeof(*m->slots));
	}
	m->n = 0;
}

static uint64_t
bytes_hash(const void *p, size_t n)
{
	const unsigned char *c = p;
	uint64_t h = 0x9e3779b97f4a7c15u ^ n, w;

	for (; n >= 8; n -= 8, c += 8) {
		memcpy(&w, c, 8);
		h = (h ^ w) * 0xff51afd7ed558ccdu;
		h ^= h >> 29;
	}
	w = 0;
	if (n)
		memcpy(&w, c, n);
	h = (h ^ w) * 0xc4ceb9fe1a85ec53u;
	return h ^ h >> 31;
}

/* --- atoms -------------------------------------------------------------- */

#define ROOM(v, vec) \
	(SG_VEC_ROOM(&(v)->vec, 1, ROOM_MAX) || ((v)->failed = true, false))

uint32_t
sg_atom(struct sg_values *v, enum sg_atom_kind kind, uint32_t a, uint32_t b)
{
	uint64_t key = (uint64_t)kind << 56 | (uint64_t)(a & 0xfffffff) << 28 |
		       (b & 0xfffffff);
	uint32_t *id = sg_keymap_at(&v->atom_map, key);

	if (!id || !ROOM(v, atoms)) {
		v->failed = true;
		return v->unknown;
	}
	if (!*id) {
		*id = v->atoms.n;
		v->atoms.v[v->atoms.n++] = (struct sg_atom){ (uint32_t)kind, a,
							     b };
	}
	return *id;
}

/* The id of a string; `keep`: its bytes live as long as the analysis. */
static uint32_t
string_id(struct sg_values *v, struct sg_str s, bool keep)
{
	uint64_t h = bytes_hash(s.p, s.n);
	uint32_t *id;

	if (!s.n)
		return 0;
	for (;; h++) {
		id = sg_keymap_at(&v->str_map, h);
		if (!id || !ROOM(v, strs)) {
			v->failed = true;
			return 0;
		}
		if (!*id)
			break;
		if (sg_str_eq(v->strs.v[*id], s))
			return *id;
	}
	*id = v->strs.n; /* even if the copy fails: no slot stays empty */
	if (!keep) {
		s = sg_arena_dup(v->arena, s);
		v->failed = v->failed || !s.p;
	}
	v->strs.v[v->strs.n] = s;
	return v->strs.n++;
}

uint32_t
sg_value_string(struct sg_values *v, struct sg_str s)
{
	return string_id(v, s, false);
}

uint32_t
sg_value_literal(struct sg_values *v, const struct sg_const *c)
{
	return sg_atom(v,
		       c->kind == SG_CONST_BYTES ? SG_ATOM_BYTES : SG_ATOM_STR,
		       string_id(v, c->str, true), 0);
}

uint32_t
sg_value_str(struct sg_values *v, struct sg_str s)
{
	return sg_atom(v, SG_ATOM_STR, sg_value_string(v, s), 0);
}

uint32_t
sg_value_bytes(struct sg_values *v, struct sg_str s)
{
	return sg_atom(v, SG_ATOM_BYTES, sg_value_string(v, s), 0);
}

uint32_t
sg_value_prefix(struct sg_values *v, struct sg_str s)
{
	if (!s.n)
		return v->anystr;
	return sg_atom(v, SG_ATOM_PREFIX, sg_value_string(v, s), 0);
}

uint32_t
sg_value_int(struct sg_values *v, int64_t i)
{
	uint64_t key = (uint64_t)i;
	uint32_t *id = sg_keymap_at(&v->int_map, key);

	if (!id || !ROOM(v, ints)) {
		v->failed = true;
		return v->anynum;
	}
	if (!*id) {
		*id = v->ints.n;
		v->ints.v[v->ints.n++] = i;
	}
	return sg_atom(v, SG_ATOM_INT, *id, 0);
}

uint32_t
sg_value_const(struct sg_values *v, enum sg_const_kind kind)
{
	return sg_atom(v, SG_ATOM_CONST, kind, 0);
}

uint32_t
sg_value_path(struct sg_values *v, uint32_t path)
{
	return path ? sg_atom(v, SG_ATOM_PATH, path, 0) : v->unknown;
}

uint32_t
sg_value_span(struct sg_values *v, struct sg_keymap *map,
	      struct sg_spans *spans, struct sg_pool *pool,
	      const uint32_t *items, uint32_t n)
{
	uint64_t h = bytes_hash(items, n * sizeof(*items));
	uint32_t *id;

	for (;; h++) {
		id = sg_keymap_at(map, h);
		if (!id || !SG_VEC_ROOM(spans, 1, ROOM_MAX) ||
		    !SG_VEC_ROOM(pool, n, ROOM_MAX)) {
			v->failed = true;
			return 0;
		}
		if (!*id)
			break;
		if (spans->v[*id].n == n &&
		    (!n || memcmp(pool->v + spans->v[*id].at, items,
				  n * sizeof(*items)) == 0))
			return *id;
	}
	*id = spans->n;
	spans->v[spans->n].at = pool->n;
	spans->v[spans->n].n = n;
	if (n)
		memcpy(pool->v + pool->n, items, n * sizeof(*items));
	pool->n += n;
	return spans->n++;
}

uint32_t
sg_value_seq(struct sg_values *v, const uint32_t *atoms, uint32_t n)
{
	uint32_t id = sg_value_span(v, &v->seq_map, &v->seqs, &v->elements,
				    atoms, n);
	uint32_t atom = id ? sg_atom(v, SG_ATOM_SEQ, id, 0) : 0;

	/* Refused memory must not pass for a sequence. */
	return v->failed ? 0 : atom;
}

/* --- cells -------------------------------------------------------------- */

static uint64_t
cell_key(enum sg_cell_kind kind, uint32_t a, uint32_t b)
{
	return (uint64_t)kind << 56 | (uint64_t)(a & 0xfffffff) << 28 |
	       (b & 0xfffffff);
}

uint32_t
sg_cell(struct sg_values *v, enum sg_cell_kind kind, uint32_t a, uint32_t b)
{
	uint32_t *id;

	if (kind == SG_CELL_SYMBOL)
		return a; /* they come first, see sg_values_begin() */
	id = sg_keymap_at(&v->cell_map, cell_key(kind, a, b));
	if (!id || !ROOM(v, cells)) {
		v->failed = true;
		return 0;
	}
	if (!*id) {
		*id = v->cells.n;
		v->cells.v[v->cells.n++] = (struct sg_cell){ 0, 0 };
	}
	return *id;
}

uint32_t
sg_cell_find(const struct sg_values *v, enum sg_cell_kind kind, uint32_t a,
	     uint32_t b)
{
	if (kind == SG_CELL_SYMBOL)
		return a;
	return sg_keymap_get(&v->cell_map, cell_key(kind, a, b));
}

/*
 * Readers of the first evaluation are not looked up, so a node may be in the
 * chain twice, which only marks it twice.
 */
static void
reader_add(struct sg_values *v, uint32_t cell)
{
	struct sg_cell *c = &v->cells.v[cell];
	uint32_t *seen;

	if (c->readers && v->readers.v[c->readers].node == v->node)
		return;
	if (!ROOM(v, readers)) {
		v->failed = true;
		return;
	}
	if (v->visits[v->node]) {
		seen = sg_keymap_at(&v->reader_map,
				    (uint64_t)cell << 32 | v->node);
		if (!seen) {
			v->failed = true;
			return;
		}
		if (*seen)
			return;
		*seen = 1;
	}
	v->readers.v[v->readers.n] = (struct sg_reader){ v->node, c->readers };
	c->readers = v->readers.n++;
}

/* For a node that reads the cell whenever it is evaluated: told once. */
uint32_t
sg_cell_read_always(struct sg_values *v, uint32_t cell)
{
	struct sg_cell *c = &v->cells.v[cell];

	if (v->visits[v->node] || v->facts || v->pure)
		return c->set;
	if (!ROOM(v, readers)) {
		v->failed = true;
		return c->set;
	}
	v->readers.v[v->readers.n] = (struct sg_reader){ v->node, c->readers };
	c->readers = v->readers.n++;
	return c->set;
}

uint32_t
sg_cell_read(struct sg_values *v, uint32_t cell)
{
	if (!v->facts && !v->pure)
		reader_add(v, cell);
	return v->cells.v[cell].set;
}

void
sg_value_mark(struct sg_values *v, uint32_t node)
{
	v->dirty[node >> 6] |= (uint64_t)1 << (node & 63);
}

void
sg_cell_touch(struct sg_values *v, uint32_t cell)
{
	for (uint32_t r = v->cells.v[cell].readers; r; r = v->readers.v[r].next)
		sg_value_mark(v, v->readers.v[r].node);
}

void
sg_cell_add(struct sg_values *v, uint32_t cell, uint32_t set)
{
	struct sg_cell *c = &v->cells.v[cell];
	uint32_t now;

	if (v->facts || !set)
		return;
	now = sg_set_union(v, c->set, set);
	if (now == c->set)
		return;
	if (v->pure)
		return;
	c->set = now;
	sg_cell_touch(v, cell);
}

/* --- workspace ----------------------------------------------------------- */

void
sg_values_init(struct sg_values *v)
{
	memset(v, 0, sizeof(*v));
	sg_buf_init(&v->text, TEXT_MAX);
}

static struct sg_keymap *
keymap_nth(struct sg_values *v, uint32_t i)
{
	struct sg_keymap *const all[] = { &v->atom_map, &v->set_map,
					  &v->str_map,  &v->int_map,
					  &v->seq_map,  &v->path_map,
					  &v->cell_map, &v->reader_map };

	return i < sizeof(all) / sizeof(*all) ? all[i] : NULL;
}

void
sg_values_release(struct sg_values *v)
{
	struct sg_keymap *m;

	for (uint32_t i = 0; (m = keymap_nth(v, i)); i++)
		free(m->slots);
	free(v->atoms.v); /* NOLINT: v is not NULL */
	free(v->sets.v);
	free(v->members.v);
	free(v->strs.v);
	free(v->ints.v);
	free(v->seqs.v);
	free(v->elements.v);
	free(v->paths.v);
	free(v->cells.v);
	free(v->readers.v);
	free(v->memo);
	free(v->lines);
	sg_buf_release(&v->text);
	sg_values_init(v);
}

/* Index 0 of each table stands for nothing. */
static bool
zeroth(struct sg_values *v)
{
	v->atoms.n = v->sets.n = v->members.n = v->strs.n = v->ints.n = 0;
	v->seqs.n = v->elements.n = v->paths.n = 0;
	v->cells.n = v->readers.n = 0;
	if (!ROOM(v, atoms) || !ROOM(v, sets) || !ROOM(v, strs) ||
	    !ROOM(v, ints) || !ROOM(v, seqs) || !ROOM(v, paths) ||
	    !ROOM(v, readers) ||
	    !SG_VEC_ROOM(&v->cells, v->scopes->nsymbols + 1, ROOM_MAX))
		return false;
	memset(v->atoms.v, 0, sizeof(*v->atoms.v));
	memset(v->sets.v, 0, sizeof(*v->sets.v));
	memset(v->strs.v, 0, sizeof(*v->strs.v));
	memset(v->paths.v, 0, sizeof(*v->paths.v));
	memset(v->cells.v, 0, (v->scopes->nsymbols + 1) * sizeof(*v->cells.v));
	v->atoms.n = v->sets.n = v->strs.n = v->ints.n = 1;
	v->seqs.n = v->paths.n = v->readers.n = 1;
	v->cells.n = v->scopes->nsymbols + 1;
	return true;
}

static void
known_atoms(struct sg_values *v)
{
	/* The order matters: sg_set_atoms() of a wide set starts with it. */
	v->wide = sg_atom(v, SG_ATOM_WIDE, 0, 0);
	v->unknown = sg_atom(v, SG_ATOM_UNKNOWN, 0, 0);
	v->widestr = sg_atom(v, SG_ATOM_WIDESTR, 0, 0);
	v->anystr = sg_atom(v, SG_ATOM_ANYSTR, 0, 0);
	v->made = sg_atom(v, SG_ATOM_ANYSTR, 1, 0);
	v->onechar = sg_atom(v, SG_ATOM_ANYSTR, 2, 0);
	v->anynum = sg_atom(v, SG_ATOM_ANYNUM, 0, 0);
	v->wideobj = sg_atom(v, SG_ATOM_WIDEOBJ, 0, 0);
	v->globals_atom = sg_atom(v, SG_ATOM_GLOBALS, 0, 0);
	v->main_atom = sg_atom(v, SG_ATOM_MAIN, 0, 0);
	v->none_atom = sg_value_const(v, SG_CONST_NONE);
#define KNOWN(field, text) \
	v->known.field = sg_intern_id(v->names, SG_STR(text));
	SG_KNOWN_NAMES(KNOWN)
#undef KNOWN
	v->name_call = sg_intern_id(v->names, SG_STR("()"));
	v->name_item = sg_intern_id(v->names, SG_STR("[]"));
	v->builtins = sg_path_of(v, SG_STR("builtins"));
}

int
sg_values_begin(struct sg_values *v, struct sg_scopes *s,
		struct sg_arena *arena, uint64_t deadline, struct sg_err *err)
{
	struct sg_keymap *m;
	size_t n = (size_t)s->ast->n + 1;

	v->ast = s->ast;
	v->scopes = s;
	v->names = s->names;
	v->arena = arena;
	v->facts = NULL;
	v->deadline = deadline;
	v->failed = v->late = v->pure = v->settled = false;
	v->lossy = v->endless = v->attr_hooks = false;
	v->node = v->passes = v->evals = v->work = v->widened = 0;
	v->depth = v->fanout = v->star_imports = v->unrolled = 0;
	for (uint32_t i = 0; (m = keymap_nth(v, i)); i++)
		keymap_reset(m);
	if (!v->memo)
		v->memo = malloc(SG_UNION_MEMO * sizeof(*v->memo));
	if (!v->lines)
		v->lines = malloc(CLASS_LINES * sizeof(*v->lines));
	if (!v->memo || !v->lines || !zeroth(v))
		return sg_err_set(err, SG_ENOMEM, "no memory for values");
	memset(v->memo, 0, SG_UNION_MEMO * sizeof(*v->memo));
	memset(v->lines, 0, CLASS_LINES * sizeof(*v->lines));
	v->class_epoch = 0;
	v->val = SG_NEWN(arena, uint32_t, n);
	v->visits = SG_NEWN(arena, uint8_t, n);
	v->dirty = SG_NEWN(arena, uint64_t, n / 64 + 1);
	v->place_mark = SG_NEWN(arena, uint32_t, n);
	v->prev_bind = SG_NEWN(arena, uint32_t, n);
	v->next_bind = SG_NEWN(arena, uint32_t, n);
	v->last_bind = SG_NEWN(arena, uint32_t, (size_t)s->nsymbols + 1);
	if (sg_arena_failed(arena))
		return sg_err_set(err, SG_ENOMEM, "no memory for values");
	known_atoms(v);
	return v->failed ? sg_err_set(err, SG_ENOMEM, "no memory for values")
			 : SG_OK;
}
