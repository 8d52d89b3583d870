/*
 * Paths that pathlib composes: what `p / '..'` gives is made as Path(...)
 * makes one, so it is a CALL of the class (flag IMPLICIT) with the composed
 * path as its argument.  What plainly lies in a path that it was made of says
 * nothing new and gives none.
 */

#include "analyzer/factlist.h"
#include "analyzer/fold_path.h"

/* The atoms of `set` that are paths with a text, receivers of methods and
 * elements of a constant tuple included. */
static uint32_t
paths_in(const struct sg_values *v, uint32_t set, uint32_t *out, uint32_t n)
{
	uint32_t one, m;
	const uint32_t *atoms = sg_set_atoms(v, set, &one, &m);

	for (uint32_t i = 0; i < m && n < SG_SET_MAX; i++) {
		uint32_t atom = atoms[i];

		if (sg_atom_is(v, atom, SG_ATOM_METHOD))
			atom = sg_atom_at(v, atom).a;
		if (sg_value_pathlib_known(v, atom))
			out[n++] = atom;
	}
	return n;
}

static struct sg_str
text_of(const struct sg_values *v, uint32_t atom)
{
	return sg_atom_str(v, sg_value_pathlib_known(v, atom));
}

/*
 * Whether a path says nothing that one of `from` has not said.  In a loop what
 * is made comes back as what it is made of: with the same text only a
 * beginning says less, unless the call but hands on (`same`).
 */
static bool
lies_in(const struct sg_values *v, uint32_t atom, const uint32_t *from,
	uint32_t n, bool same)
{
	struct sg_str text = text_of(v, atom);
	bool cut = sg_atom_is(v, sg_atom_at(v, atom).b, SG_ATOM_PREFIX);

	for (uint32_t i = 0; i < n; i++) {
		struct sg_str base = text_of(v, from[i]);
		bool less = cut && sg_atom_is(v, sg_atom_at(v, from[i]).b,
					      SG_ATOM_STR);

		if ((same || less || !sg_str_eq(base, text)) &&
		    sg_fold_path_below(base, text))
			return true;
	}
	return false;
}

/* Whether a call may compose: the script's own functions do so in their
 * bodies, and of the class there is a fact anyway. */
static bool
may_compose(const struct sg_values *v, uint32_t callee)
{
	struct sg_atom a;

	if (!callee || callee >= SG_SET_MANY)
		return false;
	a = sg_atom_at(v, callee);
	switch (a.kind) {
	case SG_ATOM_PATH:
		return v->paths.v[a.a].kind != SG_PATH_CLASS;
	case SG_ATOM_PARTIAL:
	case SG_ATOM_ATTRGETTER:
	case SG_ATOM_METHODCALLER:
	case SG_ATOM_ITEMGETTER:
		return true;
	default:
		return false;
	}
}

/* for q in p.parents: all of them are made. */
static uint32_t
walked(const struct sg_values *v, uint32_t node, uint32_t *out)
{
	uint32_t set = v->val[node], n = 0;
	struct sg_span s;

	if (v->ast->nodes[node].role != SG_ROLE_ITER || !set ||
	    set >= SG_SET_MANY || !sg_atom_is(v, set, SG_ATOM_SEQ))
		return 0;
	s = v->seqs.v[sg_atom_at(v, set).a];
	for (uint32_t i = 0; i < s.n && n < SG_SET_MAX; i++)
		n = paths_in(v, v->elements.v[s.at + i], out, n);
	return n;
}

void
sg_fact_composed_path(struct sg_values *v, uint32_t node)
{
	const struct sg_node *nodes = v->ast->nodes, *n = &nodes[node];
	uint32_t made[SG_SET_MAX], from[SG_SET_MAX], nmade, nfrom = 0;
	uint32_t kept = 0, cls;
	bool foreign = false;
	struct sg_call c = { .node = node, .nargs = 1, .implicit = true };

	if (n->flags & (SG_NODE_STORE | SG_NODE_DEL))
		return;
	nmade = paths_in(v, v->val[node], made, 0);
	if (n->kind == SG_AST_Attribute && !nmade)
		nmade = walked(v, node, made);
	for (uint32_t i = n->first; i && nmade; i = nodes[i].next) {
		nfrom = paths_in(v, v->val[i], from, nfrom);
		if (i != n->first || nfrom || n->kind != SG_AST_Call)
			continue;
		foreign = may_compose(v, v->val[i]);
		if (!foreign)
			return;
	}
	if (!nmade || (n->kind == SG_AST_Attribute && !nfrom))
		return;
	sg_value_work(v, nmade * (nfrom + 1));
	for (uint32_t i = 0; i < nmade; i++)
		if (!lies_in(v, made[i], from, nfrom, foreign))
			made[kept++] = made[i];
	if (!kept)
		return;
	cls = sg_atom_at(v, made[0]).a;
	c.args[0].set = sg_set_of(v, made, kept);
	c.args[0].node = node;
	sg_fact_call(v, v->paths.v[cls].full, &c, SG_FACT_IMPLICIT);
}
