/*
 * Sets of atoms.  They only grow towards a bound: beyond MAX_STRINGS strings,
 * MAX_NUMBERS numbers or MAX_OBJECTS objects that tell little, those of a set
 * become one atom that stands for all and absorbs what comes later; a set of
 * more than SG_SET_MAX atoms is cut and says so (SG_ATOM_WIDE).  What a
 * widened set has lost comes back as an unresolved fact, never as silence.
 */

#include "analyzer/value.h"

enum {
	MAX_NUMBERS = 6,
	MAX_STRINGS = 32,
	MAX_OBJECTS = 12,
	MAX_FILES = 16, /* pathlib paths told apart by their texts */
	KEEP_FILES = 8,
	SET_ROOM = 2 * SG_SET_MAX + 8 /* while two are joined */
};

static bool
is_string(uint32_t kind)
{
	return kind == SG_ATOM_STR || kind == SG_ATOM_BYTES ||
	       kind == SG_ATOM_PREFIX;
}

static bool
is_number(uint32_t kind)
{
	return kind == SG_ATOM_INT;
}

/* What some foreign call gave, or a part of that. */
static bool
is_derived(const struct sg_values *v, struct sg_atom a)
{
	return a.kind == SG_ATOM_PATH && v->paths.v[a.a].results;
}

/* Things of the script may be in it, and be called through it. */
static bool
holds(const struct sg_values *v, uint32_t atom)
{
	uint32_t kind = v->atoms.v[atom].kind;

	return kind >= SG_ATOM_SEQ && kind <= SG_ATOM_ITER &&
	       kind != SG_ATOM_PATH && kind != SG_ATOM_INSTANCE;
}

enum group { NO_GROUP, STRINGS, NUMBERS, OBJECTS, GROUPS };

static enum group
group_of(const struct sg_values *v, uint32_t atom)
{
	struct sg_atom a = v->atoms.v[atom];

	if (is_string(a.kind) || a.kind == SG_ATOM_WIDESTR)
		return STRINGS;
	if (is_number(a.kind) || a.kind == SG_ATOM_ANYNUM)
		return NUMBERS;
	if (a.kind == SG_ATOM_WIDEOBJ || is_derived(v, a) ||
	    (a.kind >= SG_ATOM_SEQ && a.kind <= SG_ATOM_ITER &&
	     a.kind != SG_ATOM_PATH && a.kind != SG_ATOM_INSTANCE) ||
	    (a.kind == SG_ATOM_METHOD &&
	     v->atoms.v[a.a].kind != SG_ATOM_INSTANCE))
		return OBJECTS;
	return NO_GROUP;
}

/*
 * Brings sorted distinct atoms within the bounds, in place: of a group that
 * is too large, or that was so before, one atom that stands for all remains.
 * It absorbs what comes later, so that sets only ever grow.
 */
static uint32_t
widen(struct sg_values *v, uint32_t *a, uint32_t n)
{
	static const uint32_t most[GROUPS] = {
		[STRINGS] = MAX_STRINGS,
		[NUMBERS] = MAX_NUMBERS,
		[OBJECTS] = MAX_OBJECTS,
	};
	const uint32_t whole[GROUPS] = { 0, v->widestr, v->anynum, v->wideobj };
	uint32_t count[GROUPS] = { 0 }, kept = 0, at;
	bool cut[GROUPS] = { false }, any = false;

	for (uint32_t i = 0; i < n; i++) {
		enum group g = group_of(v, a[i]);

		count[g]++;
		cut[g] = cut[g] || (g && a[i] == whole[g]);
	}
	for (unsigned g = STRINGS; g < GROUPS; g++) {
		cut[g] = count[g] > most[g] || (cut[g] && count[g] > 1);
		any = any || cut[g];
	}
	if (!any)
		return n;
	for (uint32_t i = 0; i < n; i++) {
		if (!cut[group_of(v, a[i])])
			a[kept++] = a[i];
		else if (holds(v, a[i]))
			v->lossy = true;
	}
	for (unsigned g = STRINGS; g < GROUPS; g++) {
		if (!cut[g])
			continue;
		for (at = kept++; at && a[at - 1] > whole[g]; at--)
			a[at] = a[at - 1];
		a[at] = whole[g];
	}
	return kept;
}

static bool
is_module(const struct sg_values *v, uint32_t atom)
{
	struct sg_atom a = v->atoms.v[atom];

	return a.kind == SG_ATOM_PATH && v->paths.v[a.a].kind == SG_PATH_MODULE;
}

/* Takes the last atoms out of a set that has too many, and modules last: all
 * that leads out of a script goes through one. */
static uint32_t
cut(struct sg_values *v, uint32_t *a, uint32_t n)
{
	uint32_t room = SG_SET_MAX - 1, kept = 1, modules = 0;

	if (!v->widened)
		v->widened = v->node;
	v->lossy = true;
	for (uint32_t i = 0; i < n; i++)
		modules += is_module(v, a[i]);
	room -= modules < room ? modules : room;
	if (a[0] != v->wide) {
		memmove(a + 1, a, n * sizeof(*a));
		a[0] = v->wide;
		n++;
	}
	for (uint32_t i = 1; i < n && kept < SG_SET_MAX; i++) {
		bool module = is_module(v, a[i]);

		if (!module && !room)
			continue;
		room -= !module;
		a[kept++] = a[i];
	}
	return kept;
}

static void
sort(uint32_t *a, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		uint32_t x = a[i], j = i;

		for (; j && a[j - 1] > x; j--)
			a[j] = a[j - 1];
		a[j] = x;
	}
}

/*
 * The same for pathlib paths with a text: when there are too many, or were
 * before, the KEEP_FILES that were made first remain, and one of each class
 * that stands for the others (its text is WIDESTR).
 */
static uint32_t
widen_files(struct sg_values *v, uint32_t *a, uint32_t n)
{
	uint32_t files = 0, texts = 0, kept = 0;
	bool wide = false;

	for (uint32_t i = 0; i < n; i++) {
		struct sg_atom x = v->atoms.v[a[i]];

		files += x.kind == SG_ATOM_INSTANCE && x.b;
		wide = wide ||
		       (x.kind == SG_ATOM_INSTANCE && x.b == v->widestr);
	}
	if (files <= (wide ? KEEP_FILES : MAX_FILES))
		return n;
	for (uint32_t i = 0; i < n; i++) {
		struct sg_atom x = v->atoms.v[a[i]];

		if (x.kind == SG_ATOM_INSTANCE && x.b && x.b != v->widestr &&
		    texts++ >= KEEP_FILES)
			a[i] = sg_atom(v, SG_ATOM_INSTANCE, x.a, v->widestr);
	}
	sort(a, n);
	for (uint32_t i = 0; i < n; i++)
		if (!kept || a[kept - 1] != a[i])
			a[kept++] = a[i];
	return kept;
}

static uint32_t
set_make(struct sg_values *v, uint32_t *a, uint32_t n)
{
	uint32_t id;

	n = widen_files(v, a, widen(v, a, n));
	if (n > SG_SET_MAX)
		n = cut(v, a, n);
	if (n <= 1)
		return n ? a[0] : 0;
	id = sg_value_span(v, &v->set_map, &v->sets, &v->members, a, n);
	return id ? id | SG_SET_MANY : v->unknown;
}

/* What a set that was cut still takes. */
static uint32_t
absorb(struct sg_values *v, uint32_t wide, uint32_t set)
{
	uint32_t out[SET_ROOM], n = sg_set_copy(v, wide, out), one, m;
	uint32_t before = n;
	const uint32_t *p = sg_set_atoms(v, set, &one, &m);

	for (uint32_t i = 0; i < m; i++)
		if (is_module(v, p[i]) && !sg_set_has(v, wide, p[i]))
			out[n++] = p[i];
	if (n == before)
		return wide;
	sort(out, n);
	return set_make(v, out, n);
}

static uint32_t
merge(struct sg_values *v, uint32_t a, uint32_t b)
{
	uint32_t out[SET_ROOM], n = 0, na, nb, one_a, one_b;
	const uint32_t *pa = sg_set_atoms(v, a, &one_a, &na);
	const uint32_t *pb = sg_set_atoms(v, b, &one_b, &nb);
	uint32_t i = 0, j = 0;

	if (pa[0] == v->wide)
		return absorb(v, a, b);
	if (pb[0] == v->wide)
		return absorb(v, b, a);
	while (i < na && j < nb) {
		uint32_t x = pa[i], y = pb[j];

		out[n++] = x < y ? x : y;
		i += x <= y;
		j += y <= x;
	}
	while (i < na)
		out[n++] = pa[i++];
	while (j < nb)
		out[n++] = pb[j++];
	return set_make(v, out, n);
}

uint32_t
sg_set_union(struct sg_values *v, uint32_t a, uint32_t b)
{
	struct sg_union_memo *m;

	if (a == b || !b)
		return a;
	if (!a)
		return b;
	if (a > b) {
		uint32_t t = a;

		a = b;
		b = t;
	}
	m = &v->memo[sg_value_mix((uint64_t)a << 32 | b) % SG_UNION_MEMO];
	if (m->a != a || m->b != b) {
		m->r = merge(v, a, b);
		m->a = a;
		m->b = b;
	}
	return m->r;
}

/* At most SG_SET_MAX * 2 at a time, the rest by union. */
uint32_t
sg_set_of(struct sg_values *v, uint32_t *atoms, uint32_t n)
{
	uint32_t set = 0;

	while (n) {
		uint32_t part = n < SG_SET_MAX ? n : SG_SET_MAX, kept = 0;

		sort(atoms, part);
		for (uint32_t i = 0; i < part; i++)
			if (atoms[i] && (!kept || atoms[kept - 1] != atoms[i]))
				atoms[kept++] = atoms[i];
		set = sg_set_union(v, set, set_make(v, atoms, kept));
		atoms += part;
		n -= part;
	}
	return set;
}

uint32_t
sg_set_copy(const struct sg_values *v, uint32_t set, uint32_t out[SG_SET_MAX])
{
	uint32_t one, n;
	const uint32_t *p = sg_set_atoms(v, set, &one, &n);

	memcpy(out, p, n * sizeof(*p));
	return n;
}

bool
sg_set_has(const struct sg_values *v, uint32_t set, uint32_t atom)
{
	uint32_t one, n;
	const uint32_t *p = sg_set_atoms(v, set, &one, &n);

	for (uint32_t i = 0; i < n; i++)
		if (p[i] == atom)
			return true;
	return false;
}

bool
sg_set_open(const struct sg_values *v, uint32_t set)
{
	return !set || sg_set_has(v, set, v->unknown) ||
	       sg_set_has(v, set, v->wideobj) || sg_set_has(v, set, v->wide);
}
