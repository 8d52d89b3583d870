/*
 * What the classes of the script have under a name.
 *
 * Theory of operation.  A class is looked up as Python does, its own scope
 * first and then its bases, level by level; each may be several, and what any
 * of them has is joined.  The order is kept for each class until some class
 * gets another base.
 */

#include "analyzer/value.h"

enum { CLASS_LINES = 64 };

/* A function found in a class, as seen through `self` (0: the class). */
static uint32_t
unwrap(struct sg_values *v, uint32_t atom, uint32_t cls, uint32_t self)
{
	struct sg_atom a = sg_atom_at(v, atom);
	uint32_t inner;

	switch (a.kind) {
	case SG_ATOM_FUNC:
		return self ? sg_atom(v, SG_ATOM_BOUND, a.a, self) : atom;
	case SG_ATOM_STATIC:
		return a.a;
	case SG_ATOM_CLSMETH:
		inner = a.a;
		return sg_atom_is(v, inner, SG_ATOM_FUNC)
			       ? sg_atom(v, SG_ATOM_BOUND,
					 sg_atom_at(v, inner).a, cls)
			       : inner;
	case SG_ATOM_PROPERTY:
		if (!self)
			return atom;
		return sg_value_apply(v, a.a, v->node, 1, &self);
	default:
		return atom;
	}
}

uint32_t
sg_class_own_field(struct sg_values *v, uint32_t cls, uint32_t name)
{
	uint32_t scope = v->scopes->inner_of[cls], set = 0, symbol, field;

	if (v->ast->nodes[cls].kind == SG_AST_ClassDef) {
		symbol = sg_scopes_find(v->scopes, scope, name);
		if (symbol &&
		    (v->scopes->symbols[symbol].flags & SG_SYMBOL_BOUND))
			set = sg_cell_read(v, symbol);
	}
	field = sg_cell_find(v, SG_CELL_FIELD, cls, name);
	/* Who finds nothing hears when a field is added. */
	if (!field)
		(void)sg_cell_read(v, sg_cell(v, SG_CELL_FIELD, cls, 0));
	return field ? sg_set_union(v, set, sg_cell_read(v, field)) : set;
}

static uint32_t
push_bases(struct sg_values *v, uint32_t cls, uint32_t out[SG_CLASS_DEPTH],
	   uint32_t n)
{
	uint32_t base = 0, atoms[SG_SET_MAX];

	while ((base = sg_head_child(v->ast, cls, SG_ROLE_BASE, base))) {
		uint32_t m = sg_set_copy(v, v->val[base], atoms);

		for (uint32_t j = 0; j < m; j++) {
			uint32_t seen = 0;

			while (seen < n && out[seen] != atoms[j])
				seen++;
			if (seen < n)
				continue;
			if (n < SG_CLASS_DEPTH) {
				out[n++] = atoms[j];
			} else {
				out[n - 1] = v->unknown;
				if (!v->widened)
					v->widened = v->node;
			}
		}
	}
	return n;
}

/*
 * The classes to look in, itself first; foreign bases are atoms too.  Kept
 * until some class gets another base.
 */
static const struct sg_class_line *
linearise(struct sg_values *v, uint32_t cls)
{
	struct sg_class_line *l = &v->lines[cls % CLASS_LINES];

	if (l->cls == cls && l->epoch == v->class_epoch)
		return l;
	l->cls = cls;
	l->epoch = v->class_epoch;
	l->line[0] = sg_atom(v, SG_ATOM_CLASS, cls, 0);
	l->n = 1;
	for (uint32_t i = 0; i < l->n; i++)
		if (sg_atom_is(v, l->line[i], SG_ATOM_CLASS))
			l->n = push_bases(v, sg_atom_at(v, l->line[i]).a,
					  l->line, l->n);
	return l;
}

uint32_t
sg_class_line(struct sg_values *v, uint32_t cls, uint32_t ret[SG_CLASS_DEPTH])
{
	const struct sg_class_line *l = linearise(v, cls);

	memcpy(ret, l->line, l->n * sizeof(*ret));
	return l->n;
}

/*
 * What a foreign base lends.  A method that is called is not taken for what
 * the base holds, unless the base is a container: a test case is given many
 * functions, and has many methods.
 */
static uint32_t
inherited(struct sg_values *v, uint32_t path, uint32_t name)
{
	uint32_t set = sg_value_atom_attr(v, sg_value_path(v, path), name);

	return v->ast->nodes[v->node].role != SG_ROLE_FUNC ||
			       v->paths.v[path].parent == v->builtins
		       ? set
		       : sg_value_unheld(v, set);
}

/*
 * What the class, or a base, has under the name: raw, not bound.  *ret_found
 * is false when no local class has it; foreign bases then give a path.
 */
static uint32_t
lookup_from(struct sg_values *v, const uint32_t *line, uint32_t n,
	    uint32_t name, bool *ret_found)
{
	uint32_t set = 0;

	*ret_found = false;
	for (uint32_t i = 0; i < n; i++) {
		struct sg_atom a = sg_atom_at(v, line[i]);

		if (a.kind == SG_ATOM_CLASS) {
			uint32_t own = sg_class_own_field(v, a.a, name);

			set = sg_set_union(v, set, own);
			if (own) {
				*ret_found = true;
				return set;
			}
		} else if (a.kind == SG_ATOM_PATH &&
			   a.a != sg_path_child(v, v->builtins,
						v->known.object)) {
			set = sg_set_union(v, set, inherited(v, a.a, name));
		} else if (a.kind == SG_ATOM_UNKNOWN ||
			   a.kind == SG_ATOM_WIDE) {
			set = sg_set_union(v, set, v->unknown);
		}
	}
	return set;
}

uint32_t
sg_class_lookup(struct sg_values *v, uint32_t cls, uint32_t name,
		bool *ret_found)
{
	const struct sg_class_line l = *linearise(v, cls);

	return lookup_from(v, l.line, l.n, name, ret_found);
}

uint32_t
sg_class_bind_all(struct sg_values *v, uint32_t raw, uint32_t cls,
		  uint32_t self)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, raw, atoms), set = 0;

	for (uint32_t i = 0; i < n; i++)
		set = sg_set_union(v, set, unwrap(v, atoms[i], cls, self));
	return set;
}

uint32_t
sg_class_bind(struct sg_values *v, uint32_t raw, uint32_t self)
{
	uint32_t cls = sg_atom(v, SG_ATOM_CLASS, sg_atom_at(v, self).a, 0);

	return sg_class_bind_all(v, raw, cls, self);
}

uint32_t
sg_class_lookup_above(struct sg_values *v, uint32_t cls, uint32_t name)
{
	const struct sg_class_line l = *linearise(v, cls);
	bool found;

	return lookup_from(v, l.line + 1, l.n - 1, name, &found);
}
