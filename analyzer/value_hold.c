/*
 * What foreign things hold.
 *
 * Theory of operation.  What a foreign callable does with its arguments is
 * not known, but most often they stay with what it gives: random.choice([f])
 * is f, Queue().put(f) comes back from get(), Namespace(run=f).run is f.  So
 * callables and modules that are handed to a foreign thing are kept with
 * it - with the class whose method is called, or with the result of the call
 * that made it.  All things of one maker are one: whether two queues are the
 * same nobody can tell.
 *
 * Whatever is got from there may be what was kept, which a HELD atom says
 * beside the dotted name that it has anyway.  That atom is inert: nothing can
 * be found in it or stored to it but itself.  Only a call with arguments is
 * taken for a call of all that is held.
 *
 * Only foreign callables and modules are kept.  A function of the script may
 * be called by whom it is given to (sg_value_escape), and its body is
 * looked at anyway.
 */

#include "analyzer/value.h"

#include "analyzer/factlist.h"

enum {
	NESTED = 2,  /* containers within containers that are looked into */
	LOOKED = 24, /* containers of one argument that are */
	CALLED = 12  /* that are held, and taken to be called */
};

static bool
is_carried(const struct sg_values *v, struct sg_atom a)
{
	return a.kind == SG_ATOM_PATH && !v->paths.v[a.a].root &&
	       (v->paths.v[a.a].kind == SG_PATH_CALLABLE ||
		v->paths.v[a.a].kind == SG_PATH_MODULE);
}

static uint32_t
carried_at(struct sg_values *v, uint32_t set, unsigned depth, unsigned *looked)
{
	uint32_t atoms[SG_SET_MAX], n, out = 0;

	if (!set)
		return 0;
	n = sg_set_copy(v, set, atoms);
	for (uint32_t i = 0; i < n; i++) {
		struct sg_atom a = sg_atom_at(v, atoms[i]);
		uint32_t cell = 0;

		if (is_carried(v, a))
			out = sg_set_union(v, out, atoms[i]);
		else if (a.kind >= SG_ATOM_LIST && a.kind <= SG_ATOM_ITER)
			cell = sg_cell_find(v, SG_CELL_ALL, a.a, 0);
		else if (a.kind == SG_ATOM_INST)
			cell = sg_cell_find(v, SG_CELL_FIELDS, a.a, 0);
		else if (a.kind == SG_ATOM_HELD)
			cell = v->paths.v[a.a].held;
		if (cell && depth && (*looked)++ < LOOKED)
			out = sg_set_union(v, out,
					   carried_at(v, sg_cell_read(v, cell),
						      depth - 1, looked));
	}
	return out;
}

static uint32_t
carried(struct sg_values *v, uint32_t set)
{
	unsigned looked = 0;

	return carried_at(v, set, NESTED + 1, &looked);
}

/* What was got from the thing before it held anything. */
static void
look_again(struct sg_values *v, uint32_t root)
{
	uint32_t one, n;

	for (uint32_t i = 1; i <= v->ast->n; i++) {
		const uint32_t *atoms = sg_set_atoms(v, v->val[i], &one, &n);

		for (uint32_t k = 0; k < n; k++) {
			struct sg_atom a = sg_atom_at(v, atoms[k]);

			if ((a.kind == SG_ATOM_PATH ||
			     a.kind == SG_ATOM_INSTANCE) &&
			    v->paths.v[a.a].root == root) {
				sg_value_mark(v, i);
				break;
			}
		}
	}
}

static void
keep(struct sg_values *v, uint32_t path, uint32_t set)
{
	uint32_t root = v->paths.v[path].root;

	if (!root)
		root = sg_path_result(v, path);
	/* The result may go by another name. */
	root = v->paths.v[root].root;
	if (!root || v->pure)
		return;
	if (!v->paths.v[root].held) {
		uint32_t cell = sg_cell(v, SG_CELL_HELD, root, 0);

		v->paths.v[root].held = cell;
		look_again(v, root);
	}
	sg_cell_add(v, v->paths.v[root].held, set);
}

/* heappush(h, f): what is given beside a container may be put into it. */
static void
fill(struct sg_values *v, const struct sg_call *c, uint32_t set)
{
	uint32_t atoms[SG_SET_MAX];

	for (uint32_t i = 0; i < c->nargs; i++) {
		uint32_t n = sg_set_copy(v, c->args[i].set, atoms);

		for (uint32_t k = 0; k < n; k++) {
			struct sg_atom a = sg_atom_at(v, atoms[k]);

			if (a.kind == SG_ATOM_LIST || a.kind == SG_ATOM_DICT)
				sg_value_item_store(v, atoms[k], v->unknown,
						    set);
		}
	}
}

void
sg_value_hold(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t set = 0;

	if (v->facts)
		return;
	for (uint32_t i = 0; i < c->nargs; i++)
		set = sg_set_union(v, set, carried(v, c->args[i].set));
	if (!set)
		return;
	keep(v, path, set);
	if (c->nargs > 1)
		fill(v, c, set);
}

/* class D(dict): what it is made of goes to the foreign base. */
void
sg_value_hold_in_bases(struct sg_values *v, uint32_t cls,
		       const struct sg_call *c)
{
	uint32_t line[SG_CLASS_DEPTH], n = sg_class_line(v, cls, line);

	for (uint32_t i = 1; i < n; i++)
		if (sg_atom_is(v, line[i], SG_ATOM_PATH))
			sg_value_hold(v, sg_atom_at(v, line[i]).a, c);
}

uint32_t
sg_value_held(struct sg_values *v, uint32_t path)
{
	uint32_t root = v->paths.v[path].root;

	return root && v->paths.v[root].held ? sg_atom(v, SG_ATOM_HELD, root, 0)
					     : 0;
}

uint32_t
sg_value_held_call(struct sg_values *v, uint32_t atom, const struct sg_call *c)
{
	uint32_t cell = v->paths.v[sg_atom_at(v, atom).a].held, held, one, n;

	/* To be given another one is no call. */
	for (uint32_t i = 0; i < c->nargs; i++)
		if (carried(v, c->args[i].set))
			return atom;
	if (!c->nargs)
		return atom;
	held = sg_cell_read(v, cell);
	(void)sg_set_atoms(v, held, &one, &n);
	if (n <= CALLED)
		return sg_set_union(v, atom, sg_value_call(v, held, c));
	if (v->facts)
		sg_fact_dynamic(v, SG_DYNAMIC_CALLEE, c->node, SG_STR_NONE);
	return sg_set_union(v, atom, v->unknown);
}

uint32_t
sg_value_unheld(struct sg_values *v, uint32_t set)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, set, atoms), kept = 0;

	for (uint32_t i = 0; i < n; i++)
		if (!sg_atom_is(v, atoms[i], SG_ATOM_HELD))
			atoms[kept++] = atoms[i];
	return kept == n ? set : sg_set_of(v, atoms, kept);
}
