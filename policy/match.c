/*
 * Theory of operation
 *
 * sg_match() holds a pattern against one candidate: a fact, a node, or a
 * piece of text.  `inside` and `has` go to other nodes, and at each of them
 * the inner pattern is held against the node and against every fact of it.
 * Recursion follows the pattern, whose depth the loader bounds; the work of
 * `inside` and `has` has a budget for each judgement.
 */

#include "policy/match.h"

#include <stdlib.h>

#include "base/clock.h"
#include "policy/limits.h"
#include "policy/path.h"

/* --- arguments ----------------------------------------------------------- */

static bool
texts_match(struct sg_judge *j, const struct sg_argpred *pred,
	    struct sg_str text)
{
	size_t start, end;

	if (pred->has_strings)
		return sg_name_any(pred->strings.v, pred->strings.n, text);
	switch (sg_regex_find(pred->regex, j->run, text, 0, &start, &end)) {
	case SG_REGEX_YES:
		return true;
	case SG_REGEX_LIMIT:
		j->regex_over = true;
		return false;
	case SG_REGEX_NO:
	default:
		return false;
	}
}

static bool
value_matches(struct sg_judge *j, const struct sg_argpred *pred,
	      const struct sg_arg_value *v, struct sg_candidate *c)
{
	bool text = v->kind == SG_ARG_STR || v->kind == SG_ARG_BYTES;

	if (pred->has_strings || pred->regex != NULL) {
		if (!text || !texts_match(j, pred, v->text))
			return false;
	}
	if (pred->has_values &&
	    (v->kind != SG_ARG_CONST ||
	     !sg_name_any(pred->values.v, pred->values.n, v->text)))
		return false;
	if (pred->has_names &&
	    (v->kind != SG_ARG_NAME ||
	     !sg_name_any(pred->names.v, pred->names.n, v->text)))
		return false;
	if (pred->has_outside) {
		if (!text || !sg_path_outside(j->p->workspace.v,
					      j->p->workspace.n, v->text))
			return false;
		c->path = v->text;
	}
	c->value = v->text;
	return true;
}

/* What a call or an item gives is named, and still not known. */
static bool
arg_unknown(const struct sg_arg *a)
{
	uint32_t i;

	if (a->starred || a->unknown)
		return true;
	for (i = 0; i < a->nvalues; i++)
		if (a->values[i].kind == SG_ARG_NAME &&
		    (sg_str_ends(a->values[i].text, SG_STR("()")) ||
		     sg_str_ends(a->values[i].text, SG_STR("[]"))))
			return true;
	return false;
}

static bool
arg_matches(struct sg_judge *j, const struct sg_argpred *pred,
	    const struct sg_arg *a, struct sg_candidate *c)
{
	uint32_t i;

	if (pred->has_literal && (!a->starred && a->literal) != pred->literal)
		return false;
	if (pred->has_unknown && arg_unknown(a) != pred->unknown)
		return false;
	if (pred->has_text && (a->starred || a->text) != pred->text)
		return false;
	if (pred->has_local && (!a->starred && a->local) != pred->local)
		return false;
	if (!pred->has_strings && pred->regex == NULL && !pred->has_values &&
	    !pred->has_names && !pred->has_outside)
		return true;
	for (i = 0; i < a->nvalues; i++)
		if (value_matches(j, pred, &a->values[i], c))
			return true;
	return false;
}

static bool
pred_holds(struct sg_judge *j, const struct sg_argpred *pred,
	   struct sg_candidate *c)
{
	const struct sg_fact *f = c->fact;
	bool found = false;
	uint32_t i;

	for (i = 0; i < f->nargs; i++) {
		const struct sg_arg *a = &f->args[i];

		/* *args and **kwargs may hold whatever is asked for */
		if (!a->starred && pred->position != -2 &&
		    !sg_arg_is(a, pred->position, pred->keyword))
			continue;
		if (pred->has_present && !pred->present)
			return pred->negate;
		found = true;
		if (arg_matches(j, pred, a, c) == pred->negate)
			continue;
		if (pred->negate && a->nvalues > 0)
			c->value = a->values[0].text;
		return true;
	}
	if (!found && pred->has_present && !pred->present)
		return !pred->negate;
	return !found && pred->negate && pred->has_present;
}

static bool
args_hold(struct sg_judge *j, const struct sg_pat *pat, struct sg_candidate *c)
{
	uint32_t i;

	if (c->fact == NULL || c->fact->kind != SG_FACT_CALL)
		return false;
	for (i = 0; i < pat->nargs; i++)
		if (!pred_holds(j, &pat->args[i], c))
			return false;
	return true;
}

/* --- leaves ---------------------------------------------------------------- */

static bool
names_match(const struct sg_pat *pat, struct sg_str name)
{
	uint32_t i;

	for (i = 0; i < pat->names.n; i++) {
		struct sg_str glob = pat->names.v[i];

		/* most differ at once */
		if (glob.n > 0 && name.n > 0 && glob.p[0] != name.p[0] &&
		    glob.p[0] != '*' && glob.p[0] != '?')
			continue;
		if (sg_str_glob(glob, name))
			return true;
		if (pat->or_below && name.n > glob.n && name.p[glob.n] == '.' &&
		    sg_str_glob(glob, sg_str_slice(name, 0, glob.n)))
			return true;
	}
	return false;
}

static bool
regex_holds(struct sg_judge *j, struct sg_regex *re, struct sg_str text,
	    struct sg_candidate *c)
{
	size_t start = 0, end = 0;

	switch (sg_regex_find(re, j->run, text, 0, &start, &end)) {
	case SG_REGEX_YES:
		c->value = sg_str_slice(text, start, end);
		return true;
	case SG_REGEX_LIMIT:
		j->regex_over = true;
		return false;
	case SG_REGEX_NO:
	default:
		return false;
	}
}

static bool
fact_holds(struct sg_judge *j, const struct sg_pat *pat, struct sg_candidate *c)
{
	const struct sg_fact *f = c->fact;

	if (f == NULL || (pat->facts >> f->kind & 1) == 0 ||
	    (f->flags & pat->flags) != pat->flags ||
	    (f->flags & pat->no_flags) != 0)
		return false;
	if (pat->dynamics != 0 && (pat->dynamics >> f->detail & 1) == 0)
		return false;
	if (pat->any_name)
		return true;
	if (pat->regex == NULL)
		return names_match(pat, f->name);
	if (!regex_holds(j, pat->regex, f->name, c))
		return false;
	c->value = f->name;
	return true;
}

static bool
node_holds(const struct sg_judge *j, const struct sg_pat *pat,
	   const struct sg_candidate *c)
{
	const struct sg_ast *ast = &j->an->ast;

	if (c->node == 0 || c->node > ast->n ||
	    !sg_node_set_has(pat->nodes, ast->nodes[c->node].kind))
		return false;
	return pat->any_name ||
	       names_match(pat,
			   sg_intern_str(ast->names, ast->nodes[c->node].name));
}

/* Facts that are met on the way (`inside`, `has`) were not looked up yet. */
static bool
capability_holds(struct sg_judge *j, const struct sg_pat *pat,
		 struct sg_candidate *c)
{
	struct sg_candidate copy;

	if (c->fact != NULL && !c->caps_known &&
	    (c->fact->kind == SG_FACT_IMPORT || c->fact->kind == SG_FACT_REF ||
	     c->fact->kind == SG_FACT_CALL)) {
		copy = *c;
		c->caps = sg_judge_caps(j, c->fact,
					sg_judge_known(j, c->fact->name),
					&copy) &
			  ~j->p->cap_allow;
		c->caps_known = true;
	}
	return (c->caps & pat->capabilities) != 0;
}

/* A regex beside other patterns looks at the text of what they matched. */
static bool
text_holds(struct sg_judge *j, const struct sg_pat *pat, struct sg_candidate *c)
{
	if (c->is_text)
		return pat == c->leaf || regex_holds(j, pat->regex, c->text, c);
	if (pat->zones != 0)
		return false;
	return regex_holds(
		j, pat->regex,
		sg_str_slice(j->an->source.text, c->range.start, c->range.end),
		c);
}

/* --- other nodes -------------------------------------------------------------- */

static int
compare_nodes(const void *a, const void *b, void *facts)
{
	const struct sg_fact *f = facts;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (f[x].node != f[y].node)
		return f[x].node < f[y].node ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Facts in order of their nodes; made when first asked for. */
static bool
order_facts(struct sg_judge *j)
{
	const struct sg_analysis *an = j->an;
	uint32_t i;

	if (j->by_node.n == an->nfacts)
		return true;
	if (!SG_VEC_ROOM(&j->by_node, an->nfacts, UINT32_MAX / 8)) {
		j->failed = true;
		return false;
	}
	for (i = 0; i < an->nfacts; i++)
		j->by_node.v[i] = i;
	j->by_node.n = an->nfacts;
	/* glibc wants a pointer to what may change; it only compares */
	qsort_r(j->by_node.v, an->nfacts, sizeof(uint32_t), compare_nodes,
		(void *)(uintptr_t)an->facts);
	return true;
}

/* The first place in by_node whose fact has a node >= `node`. */
static uint32_t
first_of_node(const struct sg_judge *j, uint32_t node)
{
	uint32_t low = 0, high = j->by_node.n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (j->an->facts[j->by_node.v[mid]].node < node)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* False when there is nothing left to spend, or no time. */
static bool
spend(struct sg_judge *j)
{
	if (j->late)
		return false;
	if (j->steps == SG_MATCH_STEPS) {
		j->steps_over = true;
		return false;
	}
	if (++j->steps % SG_MATCH_CLOCK == 0)
		j->late = sg_clock_cpu() > j->deadline;
	return true;
}

static bool
match_at_node(struct sg_judge *j, const struct sg_pat *pat, uint32_t node)
{
	struct sg_candidate c = { .node = node,
				  .met = true,
				  .range = j->an->ast.nodes[node].range };
	uint32_t i;

	if (!spend(j))
		return false;
	if (sg_match(j, pat, &c))
		return true;
	if (!order_facts(j))
		return false;
	for (i = first_of_node(j, node); i < j->by_node.n; i++) {
		c.fact = &j->an->facts[j->by_node.v[i]];
		c.caps_known = false;
		if (c.fact->node != node)
			break;
		if (sg_match(j, pat, &c))
			return true;
	}
	return false;
}

static bool
inside_holds(struct sg_judge *j, const struct sg_pat *pat, uint32_t node)
{
	const struct sg_ast *ast = &j->an->ast;

	if (node == 0 || node > ast->n)
		return false;
	for (node = ast->nodes[node].parent; node != 0;
	     node = ast->nodes[node].parent)
		if (match_at_node(j, pat->sub[0], node))
			return true;
	return false;
}

static bool
parent_holds(struct sg_judge *j, const struct sg_pat *pat, uint32_t node)
{
	const struct sg_ast *ast = &j->an->ast;

	return node != 0 && node < ast->n &&
	       match_at_node(j, pat->sub[0], ast->nodes[node].parent);
}

/* What is called or decorates right there; an import only names it. */
static bool
is_callee(const struct sg_judge *j, uint32_t node)
{
	const struct sg_ast *ast = &j->an->ast;
	const struct sg_node *n = &ast->nodes[node];

	if (node == 0 || node > ast->n)
		return false;
	return n->role == SG_ROLE_FUNC || n->role == SG_ROLE_DECORATOR ||
	       n->kind == SG_AST_alias || n->kind == SG_AST_ImportFrom;
}

/* True when it holds of nothing but facts. */
static bool
needs_fact(const struct sg_pat *pat)
{
	bool any = pat->kind == SG_PAT_ANY;
	uint32_t i;

	if (pat->kind == SG_PAT_FACT || pat->kind == SG_PAT_CAPABILITY)
		return true;
	if (!any && pat->kind != SG_PAT_ALL)
		return false;
	for (i = 0; i < pat->nsub; i++)
		if (needs_fact(pat->sub[i]) != any)
			return !any;
	return any;
}

/* match_at_node() for each node that has facts. */
static bool
look_at_facts(struct sg_judge *j, const struct sg_pat *pat, uint32_t first,
	      uint32_t end)
{
	uint32_t i;

	if (!order_facts(j))
		return false;
	for (i = first_of_node(j, first); i < j->by_node.n && spend(j); i++) {
		const struct sg_fact *f = &j->an->facts[j->by_node.v[i]];
		struct sg_candidate c = { .node = f->node,
					  .met = true,
					  .fact = f };

		if (f->node >= end)
			break;
		c.range = j->an->ast.nodes[f->node].range;
		if (sg_match(j, pat, &c))
			return true;
	}
	return false;
}

static bool
look_below(struct sg_judge *j, const struct sg_pat *pat, uint32_t node)
{
	uint32_t i = j->an->ast.nodes[node].first_in_subtree;

	if (needs_fact(pat->sub[0]))
		return look_at_facts(j, pat->sub[0], i, node);
	for (; i < node && !j->steps_over && !j->late; i++)
		if (match_at_node(j, pat->sub[0], i))
			return true;
	return false;
}

/*
 * The answer is of the node alone.  `inside: {node: Module, has: ...}` asks
 * the same one for each thing that is found in a script, so it is kept, unless
 * a limit had a part in it.
 */
static bool
has_holds(struct sg_judge *j, const struct sg_pat *pat, uint32_t node)
{
	struct sg_has *last = &j->has[pat->id];
	bool yes;

	if (node == 0 || node > j->an->ast.n)
		return false;
	if (last->node == node)
		return last->yes;
	yes = look_below(j, pat, node);
	if (!j->steps_over && !j->late && !j->regex_over &&
	    j->query_over == SG_QUERY_DONE)
		*last = (struct sg_has){ node, yes };
	return yes;
}

/* --- the tree ------------------------------------------------------------------ */

static bool
each_holds(struct sg_judge *j, const struct sg_pat *pat, bool all,
	   struct sg_candidate *c)
{
	uint32_t i;

	for (i = 0; i < pat->nsub; i++)
		if (sg_match(j, pat->sub[i], c) != all)
			return !all;
	return all;
}

static bool
holds(struct sg_judge *j, const struct sg_pat *pat, struct sg_candidate *c)
{
	struct sg_candidate copy;

	switch ((enum sg_pat_kind)pat->kind) {
	case SG_PAT_ALL:
		return each_holds(j, pat, true, c);
	case SG_PAT_ANY:
		return each_holds(j, pat, false, c);
	case SG_PAT_NOT:
		/* of a node that is met on the way nothing may match */
		if (c->met)
			return !match_at_node(j, pat->sub[0], c->node);
		copy = *c;
		return !sg_match(j, pat->sub[0], &copy);
	case SG_PAT_INSIDE:
		return inside_holds(j, pat, c->node);
	case SG_PAT_HAS:
		return has_holds(j, pat, c->node);
	case SG_PAT_FACT:
		return fact_holds(j, pat, c);
	case SG_PAT_CAPABILITY:
		return capability_holds(j, pat, c);
	case SG_PAT_NODE:
		return node_holds(j, pat, c);
	case SG_PAT_REGEX:
		return text_holds(j, pat, c);
	case SG_PAT_ARG:
		return args_hold(j, pat, c);
	case SG_PAT_PARENT:
		return parent_holds(j, pat, c->node);
	case SG_PAT_CONTAINED:
		return sg_match_contained(j, pat);
	case SG_PAT_QUERY:
		return sg_query_holds(j, pat, c);
	case SG_PAT_CALLEE:
		return is_callee(j, c->node) == pat->wanted;
	case SG_PAT_UNREACHED:
		return sg_match_unreached(j, c->node) == pat->wanted;
	default:
		return false;
	}
}

bool
sg_match(struct sg_judge *j, const struct sg_pat *pat, struct sg_candidate *c)
{
	bool yes = holds(j, pat, c);

	if (j->seen != NULL)
		j->seen[pat->id] |= yes ? 1 : 2;
	return yes;
}
