/*
 * Patterns of `match`, and comprehensions over constants, which are worked
 * through one element at a time: ''.join(chr(c ^ 7) for c in [98, 113]).
 *
 * Such a trial evaluates the element's nodes in pure mode: cells are not
 * written, nothing is marked, and what it put into node values is undone.
 */

#include "analyzer/factlist.h"
#include "analyzer/value_node.h"

enum { UNROLL_ITEMS = 96, UNROLL_NODES = 96, UNROLL_ALL = 100000 };

/* --- comprehensions ----------------------------------------------------------------- */

void
sg_value_bind_pure(struct sg_values *v, uint32_t symbol, uint32_t set)
{
	if (symbol)
		v->cells.v[symbol].set = set;
}

static bool
plain(const struct sg_values *v, uint32_t node)
{
	const struct sg_node *nodes = v->ast->nodes;

	for (uint32_t i = nodes[node].first_in_subtree; i <= node; i++)
		if (v->scopes->inner_of[i] || nodes[i].kind == SG_AST_NamedExpr)
			return false;
	return node - nodes[node].first_in_subtree < UNROLL_NODES;
}

/* The constants that the only generator runs over; a SEQ or 0. */
static uint32_t
unrollable(struct sg_values *v, uint32_t comp, uint32_t *ret_target)
{
	const struct sg_node *nodes = v->ast->nodes;
	uint32_t gen = sg_ast_child(v->ast, comp, SG_ROLE_GENERATOR, 0);
	uint32_t iter, target, seq;

	if (!gen || sg_ast_child(v->ast, comp, SG_ROLE_GENERATOR, gen) ||
	    sg_ast_child(v->ast, gen, SG_ROLE_IF, 0))
		return 0;
	iter = sg_ast_child(v->ast, gen, SG_ROLE_ITER, 0);
	target = sg_ast_child(v->ast, gen, SG_ROLE_TARGET, 0);
	if (!iter || !target || nodes[target].kind != SG_AST_Name)
		return 0;
	*ret_target = v->scopes->symbol_of[target];
	seq = sg_value_first_sequence(v, v->val[iter]);
	return *ret_target ? seq : 0;
}

uint32_t
sg_value_unroll(struct sg_values *v, uint32_t comp)
{
	uint32_t elt = sg_ast_child(v->ast, comp, SG_ROLE_ELT, 0);
	uint32_t out[UNROLL_ITEMS], saved[UNROLL_NODES + 1], symbol = 0, old;
	uint32_t seq, first, at = 0;
	struct sg_span s;
	bool good = true;

	if (!elt || v->pure || v->facts ||
	    !(seq = unrollable(v, comp, &symbol)) || !plain(v, elt))
		return 0;
	s = v->seqs.v[sg_atom_at(v, seq).a];
	first = v->ast->nodes[elt].first_in_subtree;
	if (s.n > UNROLL_ITEMS || v->unrolled > UNROLL_ALL)
		return 0;
	memcpy(saved, v->val + first, (elt - first + 1) * sizeof(*saved));
	old = v->cells.v[symbol].set;
	v->pure = true;
	for (; at < s.n && good; at++) {
		v->cells.v[symbol].set = v->elements.v[s.at + at];
		sg_value_eval_range(v, first, elt);
		out[at] = v->val[elt];
		good = out[at] && out[at] < SG_SET_MANY;
		v->unrolled += elt - first + 1;
	}
	v->pure = false;
	v->cells.v[symbol].set = old;
	memcpy(v->val + first, saved, (elt - first + 1) * sizeof(*saved));
	return good ? sg_value_seq(v, out, s.n) : 0;
}

uint32_t
sg_value_first_sequence(struct sg_values *v, uint32_t set)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, set, atoms), seq;

	for (uint32_t i = 0; i < n; i++)
		if ((seq = sg_value_sequence(v, atoms[i])))
			return seq;
	return 0;
}

/* --- patterns ------------------------------------------------------------------------- */

/* The attribute that positional pattern `at` of a class reads. */
static uint32_t
match_arg(struct sg_values *v, uint32_t cls, uint32_t at)
{
	uint32_t names, nth, seq;

	names = sg_value_attr(v, cls, v->known.match_args_);
	seq = sg_value_first_sequence(v, names);
	if (!seq || !sg_value_nth(v, seq, at, &nth) || nth >= SG_SET_MANY)
		return 0;
	return nth;
}

uint32_t
sg_value_pattern_attr(const struct sg_values *v, uint32_t node)
{
	return v->ast->nodes[node].name;
}

/* "case str(x)": these hand the subject itself to the pattern. */
static bool
matches_itself(const struct sg_values *v, uint32_t cls)
{
	static const char *const names[] = {
		"builtins.bool", "builtins.bytearray", "builtins.bytes",
		"builtins.dict", "builtins.float",     "builtins.frozenset",
		"builtins.int",  "builtins.list",      "builtins.set",
		"builtins.str",  "builtins.tuple",
	};

	if (!cls || cls >= SG_SET_MANY || !sg_atom_is(v, cls, SG_ATOM_PATH))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (sg_path_is(v, sg_atom_at(v, cls).a, names[i]))
			return true;
	return false;
}

static void
match_class(struct sg_values *v, uint32_t node)
{
	const struct sg_node *nodes = v->ast->nodes;
	uint32_t cls = 0, at = 0, subject = v->val[node];

	for (uint32_t i = nodes[node].first; i; i = nodes[i].next) {
		uint32_t set = subject, name;

		if (nodes[i].role == SG_ROLE_CLS) {
			cls = v->val[i];
			continue;
		}
		if (nodes[i].role == SG_ROLE_KWD_PATTERN) {
			name = sg_value_pattern_attr(v, i);
			set = name ? sg_value_attr(v, subject, name) : 0;
			if (v->facts && name)
				sg_fact_attr(v, subject, name, set, 0);
		} else if (!matches_itself(v, cls)) {
			name = match_arg(v, cls, at++);
			if (name)
				set = sg_value_attr_by(v, subject, name);
			else if (v->facts)
				(void)sg_value_attr_by(v, cls, name);
		}
		v->val[i] = sg_set_union(v, v->val[i], set);
	}
}

static void
match_children(struct sg_values *v, uint32_t node)
{
	const struct sg_node *nodes = v->ast->nodes;
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, v->val[node], atoms);
	uint32_t at = 0, key = 0;

	for (uint32_t i = nodes[node].first; i; i = nodes[i].next) {
		uint32_t part = 0;

		if (nodes[i].role == SG_ROLE_KEY) {
			key = v->val[i];
			continue;
		}
		if (nodes[i].role != SG_ROLE_PATTERN)
			continue;
		if (nodes[node].kind == SG_AST_MatchMapping) {
			part = sg_value_item(v, v->val[node], key);
		} else if (nodes[node].kind == SG_AST_MatchSequence) {
			for (uint32_t k = 0; k < n; k++) {
				uint32_t nth;

				if (at >= SG_PLACES ||
				    !sg_value_nth(v, atoms[k], at, &nth))
					nth = sg_value_elements(v, atoms[k]);
				part = sg_set_union(v, part, nth);
			}
			at++;
		} else {
			part = v->val[node];
		}
		v->val[i] = sg_set_union(v, v->val[i], part);
	}
}

void
sg_value_match(struct sg_values *v, uint32_t pattern, uint32_t subject)
{
	const struct sg_node *nodes = v->ast->nodes;
	uint32_t first = nodes[pattern].first_in_subtree, at = v->node;

	v->val[pattern] = sg_set_union(v, v->val[pattern], subject);
	for (uint32_t i = pattern; i >= first && i; i--) {
		uint32_t id = v->scopes->symbol_of[i], set = v->val[i];

		v->node = at;
		switch (nodes[i].kind) {
		case SG_AST_MatchClass:
			match_class(v, i);
			break;
		case SG_AST_MatchStar:
			set = sg_value_container(v, SG_ATOM_LIST, i, set);
			if (id)
				sg_cell_add(v, v->scopes->symbols[id].target,
					    set);
			break;
		case SG_AST_MatchAs:
		case SG_AST_MatchMapping:
			if (id)
				sg_cell_add(v, v->scopes->symbols[id].target,
					    set);
			match_children(v, i);
			break;
		case SG_AST_MatchSequence:
		case SG_AST_MatchOr:
		case SG_AST_keyword:
			match_children(v, i);
			break;
		default:
			break;
		}
	}
}
