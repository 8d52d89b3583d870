/*
 * Theory of operation
 *
 * A rule can only match something that one of its *anchors* finds: leaves of
 * which at least one holds whenever the whole pattern does.  The anchor of
 * an `all` is that of its most telling member, of an `any` those of all
 * members; `not`, `inside`, `has` and `arg` have none.  Anchors go into the
 * indexes, so that judging looks at a rule only where an anchor holds, and
 * then evaluates the whole pattern there.  A rule whose pattern is nothing
 * but anchors needs no evaluation.
 */

#include <stdlib.h>

#include "policy/canon.h"
#include "policy/capability.h"
#include "policy/compiled.h"
#include "policy/limits.h"
#include "policy/load.h"

/* How telling an anchor is; the largest of an `all` is taken. */
enum {
	TELL_NONE,
	TELL_REGEX,
	TELL_QUERY,
	TELL_NODE,
	TELL_ANY_NAME,
	TELL_GLOB,
	TELL_NAME
};

static int
tell_of(const struct sg_pat *pat)
{
	int best = TELL_NONE, one;
	uint32_t i;

	switch ((enum sg_pat_kind)pat->kind) {
	case SG_PAT_FACT:
		if (pat->regex != NULL)
			return TELL_GLOB;
		return pat->any_name ? TELL_ANY_NAME : TELL_NAME;
	case SG_PAT_CAPABILITY:
		return TELL_NAME;
	case SG_PAT_NODE:
		return TELL_NODE;
	case SG_PAT_REGEX:
		return TELL_REGEX;
	case SG_PAT_QUERY:
		return TELL_QUERY;
	case SG_PAT_ALL:
		for (i = 0; i < pat->nsub; i++) {
			one = tell_of(pat->sub[i]);
			best = one > best ? one : best;
		}
		return best;
	case SG_PAT_ANY:
		best = TELL_NAME;
		for (i = 0; i < pat->nsub; i++) {
			one = tell_of(pat->sub[i]);
			best = one < best ? one : best;
		}
		return best;
	case SG_PAT_NOT:
	case SG_PAT_INSIDE:
	case SG_PAT_HAS:
	case SG_PAT_PARENT:
	case SG_PAT_ARG:
	case SG_PAT_UNREACHED:
	case SG_PAT_CALLEE:
	case SG_PAT_CONTAINED:
	default:
		return TELL_NONE;
	}
}

struct compiler {
	struct sg_policy *p;
	struct sg_err *err;
	uint32_t rule;
	struct {
		struct leaf {
			const struct sg_pat *pat;
			uint32_t rule;
		} * v;
		uint32_t n, room;
	} nodes; /* leaves that look at nodes */
	struct {
		struct leaf *v;
		uint32_t n, room;
	} regexes; /* leaves that look at names by a regex */
};

static bool
add_once(uint32_t *v, uint32_t *n, uint32_t rule)
{
	if (*n == 0 || v[*n - 1] != rule)
		v[(*n)++] = rule;
	return true;
}

static int
index_fact(struct compiler *c, const struct sg_pat *pat)
{
	struct sg_policy *p = c->p;
	struct sg_str below;
	uint32_t i;
	int rc = SG_OK;

	if (pat->any_name) {
		(void)add_once(p->any_name, &p->nany_name, c->rule);
		p->any_name_facts |= pat->facts;
		return SG_OK;
	}
	if (pat->regex != NULL) {
		p->string_regex_facts |= pat->facts;
		if (!SG_VEC_ROOM(&c->regexes, 1, UINT32_MAX / 32))
			return sg_err_set(c->err, SG_ENOMEM, "out of memory");
		c->regexes.v[c->regexes.n++] = (struct leaf){ pat, c->rule };
		return SG_OK;
	}
	for (i = 0; rc == SG_OK && i < pat->names.n; i++) {
		rc = sg_name_index_add(&p->index, pat->names.v[i], pat->facts,
				       c->rule, c->err);
		if (rc != SG_OK || !pat->or_below)
			continue;
		below = sg_arena_printf(&p->arena, "%.*s.*",
					SG_STR_ARG(pat->names.v[i]));
		if (below.p == NULL)
			return sg_err_set(c->err, SG_ENOMEM, "out of memory");
		rc = sg_name_index_add(&p->index, below, pat->facts, c->rule,
				       c->err);
	}
	return rc;
}

static int
index_node(struct compiler *c, const struct sg_pat *pat)
{
	uint32_t i;
	int rc = SG_OK;

	if (!pat->any_name) {
		c->p->named_set[0] |= pat->nodes[0];
		c->p->named_set[1] |= pat->nodes[1];
		for (i = 0; rc == SG_OK && i < pat->names.n; i++)
			rc = sg_name_index_add(&c->p->index, pat->names.v[i],
					       SG_INDEX_NODE, c->rule, c->err);
		return rc;
	}
	if (!SG_VEC_ROOM(&c->nodes, 1, UINT32_MAX / 32))
		return sg_err_set(c->err, SG_ENOMEM, "out of memory");
	c->nodes.v[c->nodes.n++] = (struct leaf){ pat, c->rule };
	c->p->node_set[0] |= pat->nodes[0];
	c->p->node_set[1] |= pat->nodes[1];
	return SG_OK;
}

/* For each kind of node the rules that look at it. */
static int
file_nodes(struct compiler *c)
{
	struct sg_policy *p = c->p;
	uint32_t kind, i, n = 0;

	for (kind = 0; kind < SG_AST_COUNT; kind++)
		for (i = 0; i < c->nodes.n; i++)
			n += sg_node_set_has(c->nodes.v[i].pat->nodes, kind);
	p->node_rules = SG_NEWN(&p->arena, uint32_t, n + 1u);
	if (p->node_rules == NULL)
		return sg_err_set(c->err, SG_ENOMEM, "out of memory");
	for (kind = 0, n = 0; kind < SG_AST_COUNT; kind++) {
		p->node_at[kind] = n;
		for (i = 0; i < c->nodes.n; i++)
			if (sg_node_set_has(c->nodes.v[i].pat->nodes, kind))
				p->node_rules[n++] = c->nodes.v[i].rule;
	}
	p->node_at[SG_AST_COUNT] = n;
	return SG_OK;
}

static bool
begins(const struct sg_pat *pat, uint32_t byte)
{
	return byte == 256 || sg_regex_may_begin(pat->regex, (uint8_t)byte);
}

/* For each byte the rules with a regex that a name may match which begins
 * so; most regexes on texts are about their beginning. */
static int
file_regexes(struct compiler *c)
{
	struct sg_policy *p = c->p;
	uint32_t byte, i, n;

	p->string_regex = SG_NEWN(&p->arena, uint32_t,
				  (size_t)257 * c->regexes.n + 1);
	if (p->string_regex == NULL)
		return sg_err_set(c->err, SG_ENOMEM, "out of memory");
	for (byte = 0, n = 0; byte < 257; byte++) {
		p->regex_at[byte] = n;
		for (i = 0; i < c->regexes.n; i++)
			if (begins(c->regexes.v[i].pat, byte))
				p->string_regex[n++] = c->regexes.v[i].rule;
	}
	p->regex_at[257] = n;
	return SG_OK;
}

static int
index_leaf(struct compiler *c, const struct sg_pat *pat)
{
	struct sg_policy *p = c->p;

	switch ((enum sg_pat_kind)pat->kind) {
	case SG_PAT_FACT:
		return index_fact(c, pat);
	case SG_PAT_CAPABILITY:
		(void)add_once(p->cap_rules, &p->ncap_rules, c->rule);
		p->cap_rule_mask |= pat->capabilities;
		return SG_OK;
	case SG_PAT_NODE:
		return index_node(c, pat);
	case SG_PAT_REGEX:
		(void)add_once(p->zone_rules, &p->nzone_rules, c->rule);
		p->zones |= pat->zones;
		return SG_OK;
	case SG_PAT_QUERY:
		(void)add_once(p->query_rules, &p->nquery_rules, c->rule);
		return SG_OK;
	case SG_PAT_ALL:
	case SG_PAT_ANY:
	case SG_PAT_NOT:
	case SG_PAT_INSIDE:
	case SG_PAT_HAS:
	case SG_PAT_PARENT:
	case SG_PAT_ARG:
	case SG_PAT_UNREACHED:
	case SG_PAT_CALLEE:
	case SG_PAT_CONTAINED:
	default:
		return SG_OK;
	}
}

/* Recursion is bounded by the depth of the document. */
static int
index_pattern(struct compiler *c, const struct sg_pat *pat)
{
	uint32_t i, best = 0;
	int rc = SG_OK;

	if (pat->kind == SG_PAT_ALL) {
		for (i = 1; i < pat->nsub; i++)
			if (tell_of(pat->sub[i]) > tell_of(pat->sub[best]))
				best = i;
		return index_pattern(c, pat->sub[best]);
	}
	if (pat->kind == SG_PAT_ANY) {
		for (i = 0; rc == SG_OK && i < pat->nsub; i++)
			rc = index_pattern(c, pat->sub[i]);
		return rc;
	}
	return index_leaf(c, pat);
}

/* A pattern whose anchors decide: no flags, only names. */
static bool
is_direct(const struct sg_pat *pat)
{
	return pat->kind == SG_PAT_FACT && !pat->any_name &&
	       pat->regex == NULL && pat->flags == 0 && pat->no_flags == 0;
}

/* How much it costs to ask: by name, by regex, by a walk. */
static int
cost_of(const struct sg_pat *pat)
{
	int worst = 0, one;
	uint32_t i;

	switch ((enum sg_pat_kind)pat->kind) {
	case SG_PAT_FACT:
		return pat->regex != NULL ? 1 : 0;
	case SG_PAT_CAPABILITY:
	case SG_PAT_NODE:
		return 0;
	case SG_PAT_REGEX:
	case SG_PAT_ARG:
	case SG_PAT_CALLEE:
		return 1;
	case SG_PAT_INSIDE:
	case SG_PAT_PARENT:
	case SG_PAT_UNREACHED:
	case SG_PAT_CONTAINED:
	case SG_PAT_QUERY:
		return 2;
	case SG_PAT_HAS:
		return 3;
	case SG_PAT_ALL:
	case SG_PAT_ANY:
	case SG_PAT_NOT:
	default:
		break;
	}
	for (i = 0; i < pat->nsub; i++) {
		one = cost_of(pat->sub[i]);
		worst = one > worst ? one : worst;
	}
	return worst;
}

/* Of an `all` and an `any` the cheap members are asked first; members that
 * cost the same keep their order. */
static void
cheap_first(struct sg_pat *pat)
{
	struct sg_pat *one;
	uint32_t i, k;

	for (i = 0; i < pat->nsub; i++)
		cheap_first(pat->sub[i]);
	if (pat->kind != SG_PAT_ALL && pat->kind != SG_PAT_ANY)
		return;
	for (i = 1; i < pat->nsub; i++) {
		one = pat->sub[i];
		for (k = i; k > 0 && cost_of(pat->sub[k - 1]) > cost_of(one);
		     k--)
			pat->sub[k] = pat->sub[k - 1];
		pat->sub[k] = one;
	}
}

/* Marks the patterns that look at the nodes of `inside` and `has`, and
 * gives a free-standing regex its zone. */
static void
mark_below(struct sg_pat *pat, bool below, bool combined)
{
	uint32_t i;

	pat->below = below;
	if (pat->kind == SG_PAT_REGEX && pat->zones == 0 && !combined)
		pat->zones = SG_ZONE_CODE | SG_ZONE_STRINGS;
	if (pat->kind == SG_PAT_INSIDE || pat->kind == SG_PAT_HAS ||
	    pat->kind == SG_PAT_PARENT)
		below = true;
	if (pat->kind == SG_PAT_ALL)
		combined = tell_of(pat) > TELL_REGEX;
	for (i = 0; i < pat->nsub; i++)
		mark_below(pat->sub[i], below,
			   combined || below || pat->kind == SG_PAT_NOT);
}

static int
no_anchor(struct sg_err *err, const struct sg_rule *r)
{
	(void)sg_err_set(err, SG_EPOLICY,
			 "the pattern of rule '%.*s' has nothing to start "
			 "from: it needs a member that looks at a fact, a "
			 "node or text and is not negated",
			 SG_STR_ARG(r->id));
	(void)sg_err_code(err, "policy.match");
	return sg_err_at(err, r->match->mark.file, r->match->mark.line,
			 r->match->mark.column);
}

static int
compile_rules(struct compiler *c)
{
	struct sg_policy *p = c->p;
	uint32_t i;
	int rc = SG_OK;

	for (i = 0; rc == SG_OK && i < p->nrules; i++) {
		struct sg_rule *r = &p->rules[i];

		if (r->match == NULL)
			continue;
		if (tell_of(r->match) == TELL_NONE)
			return no_anchor(c->err, r);
		if (r->action == SG_ACTION_OFF)
			continue;
		mark_below(r->match, false, false);
		cheap_first(r->match);
		r->direct = is_direct(r->match);
		c->rule = i;
		rc = index_pattern(c, r->match);
	}
	return rc;
}

static bool
lists_module(const struct sg_policy *p, struct sg_str module)
{
	uint32_t i;

	for (i = 0; i < p->nimports; i++)
		if (sg_str_eq(p->imports[i].module, module))
			return true;
	return false;
}

/* What is said of a module holds under its canonical name as well, which
 * is that of its members, unless something else is said of that. */
static int
imply_imports(struct compiler *c)
{
	struct sg_policy *p = c->p;
	struct sg_import_rule *all;
	uint32_t i, n = p->nimports;
	struct sg_str canon;

	all = SG_NEWN(&p->arena, struct sg_import_rule, 2 * (size_t)n + 1);
	if (all == NULL)
		return sg_err_set(c->err, SG_ENOMEM, "out of memory");
	if (n > 0)
		memcpy(all, p->imports, n * sizeof(*all));
	p->imports = all;
	for (i = 0; i < n; i++) {
		canon = sg_canon(all[i].module, &p->arena);
		if (canon.p == NULL)
			return sg_err_set(c->err, SG_ENOMEM, "out of memory");
		if (lists_module(p, canon))
			continue;
		all[p->nimports] = all[i];
		all[p->nimports].module = canon;
		all[p->nimports++].implied = true;
	}
	return SG_OK;
}

/* Modules into the index: M and M.*, for imports and for names. */
static int
compile_imports(struct compiler *c)
{
	struct sg_policy *p = c->p;
	struct sg_str below;
	uint32_t i;
	int rc = SG_OK;

	rc = imply_imports(c);
	p->has_imports = p->nimports > 0 || p->import_default_reject;
	for (i = 0; rc == SG_OK && i < p->nimports; i++) {
		rc = sg_name_index_add(&p->import_index, p->imports[i].module,
				       1, i, c->err);
		below = sg_arena_printf(&p->arena, "%.*s.*",
					SG_STR_ARG(p->imports[i].module));
		if (below.p == NULL)
			return sg_err_set(c->err, SG_ENOMEM, "out of memory");
		if (rc == SG_OK)
			rc = sg_name_index_add(&p->import_index, below, 1, i,
					       c->err);
	}
	return rc;
}

/* Nearest document first, then the longest pattern, then the strictest. */
static bool
stronger(const struct sg_cap_rule *a, const struct sg_cap_rule *b)
{
	if (b == NULL)
		return true;
	if (a->depth != b->depth)
		return a->depth < b->depth;
	if (a->glob.n != b->glob.n)
		return a->glob.n > b->glob.n;
	return a->action > b->action;
}

static void
compile_capabilities(struct sg_policy *p)
{
	const struct sg_cap_rule *best;
	uint32_t bit, i;

	for (bit = 0; bit < sg_capability_count(); bit++) {
		best = NULL;
		for (i = 0; i < p->ncaps; i++)
			if (sg_str_glob(p->caps[i].glob,
					sg_str_c(sg_capability_name(bit))) &&
			    stronger(&p->caps[i], best))
				best = &p->caps[i];
		if (best == NULL)
			continue;
		if (best->allow)
			p->cap_allow |= UINT64_C(1) << bit;
		else if (best->action == SG_ACTION_REJECT)
			p->cap_reject |= UINT64_C(1) << bit;
		else
			p->cap_annotate |= UINT64_C(1) << bit;
	}
}

int
sg_compile(struct sg_policy *p, struct sg_err *err)
{
	struct compiler c = { .p = p, .err = err };
	uint32_t n = p->nrules;
	int rc;

	p->any_name = SG_NEWN(&p->arena, uint32_t, n);
	p->cap_rules = SG_NEWN(&p->arena, uint32_t, n);
	p->zone_rules = SG_NEWN(&p->arena, uint32_t, n);
	p->query_rules = SG_NEWN(&p->arena, uint32_t, n);
	if (sg_arena_failed(&p->arena))
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	rc = compile_rules(&c);
	if (rc == SG_OK)
		rc = file_nodes(&c);
	if (rc == SG_OK)
		rc = file_regexes(&c);
	free(c.nodes.v);
	free(c.regexes.v);
	if (rc == SG_OK)
		rc = compile_imports(&c);
	if (rc == SG_OK)
		rc = sg_name_index_freeze(&p->index, err);
	if (rc == SG_OK)
		rc = sg_name_index_freeze(&p->import_index, err);
	if (rc == SG_OK)
		compile_capabilities(p);
	if (rc == SG_OK)
		rc = sg_decide_compile(p, err);
	return rc;
}
