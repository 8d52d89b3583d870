/* Warnings: what loads, and yet is likely to be a mistake. */

#include <stdlib.h>

#include "base/clock.h"
#include "policy/load.h"

static void
check_lists(struct sg_load *ld)
{
	uint32_t i;

	for (i = 0; i < ld->lists.n; i++)
		if (!ld->lists.v[i].used)
			sg_load_warn(ld, ld->lists.v[i].mark,
				     "policy.unused-list",
				     "the list '%.*s' is not used",
				     SG_STR_ARG(ld->lists.v[i].name));
}

/* --- patterns that contradict themselves ------------------------------- */

/* The fact kinds and whether a node or text the pattern may start at. */
struct may {
	uint32_t facts;
	bool other; /* a node, or text */
};

static struct may
may_match(const struct sg_pat *pat)
{
	struct may all = { UINT32_MAX, true }, any = { 0, false }, one;
	uint32_t i;

	switch ((enum sg_pat_kind)pat->kind) {
	case SG_PAT_FACT:
		if ((pat->flags & pat->no_flags) != 0)
			return any;
		return (struct may){ pat->facts, false };
	case SG_PAT_CAPABILITY:
		return (struct may){ 1u << SG_FACT_IMPORT | 1u << SG_FACT_REF |
					     1u << SG_FACT_CALL,
				     false };
	case SG_PAT_ARG:
		return (struct may){ 1u << SG_FACT_CALL, false };
	case SG_PAT_ALL:
		for (i = 0; i < pat->nsub; i++) {
			one = may_match(pat->sub[i]);
			all.facts &= one.facts;
			all.other = all.other && one.other;
		}
		return all;
	case SG_PAT_ANY:
		for (i = 0; i < pat->nsub; i++) {
			one = may_match(pat->sub[i]);
			any.facts |= one.facts;
			any.other = any.other || one.other;
		}
		return any;
	case SG_PAT_REGEX:
		/* with `in` it looks at text of its own, else at the text
		 * of whatever else matched */
		all.facts = pat->zones != 0 ? 0 : all.facts;
		return all;
	case SG_PAT_NODE:
	case SG_PAT_NOT:
	case SG_PAT_UNREACHED:
	case SG_PAT_CALLEE:
	case SG_PAT_CONTAINED:
	case SG_PAT_QUERY:
	case SG_PAT_INSIDE:
	case SG_PAT_HAS:
	case SG_PAT_PARENT:
	default:
		return all;
	}
}

static void
check_sides(struct sg_load *ld, const struct sg_rule *r)
{
	bool hit = false, pass = false;
	uint32_t i;

	for (i = 0; i < r->ntests; i++) {
		hit = hit || r->tests[i].hit;
		pass = pass || !r->tests[i].hit;
	}
	if (r->ntests == 0)
		sg_load_warn(ld, r->mark, "policy.tests",
			     "rule '%.*s' has no inline tests",
			     SG_STR_ARG(r->id));
	else if (!hit || !pass)
		sg_load_warn(ld, r->mark, "policy.tests",
			     "rule '%.*s' has no inline test that must %s",
			     SG_STR_ARG(r->id), hit ? "pass" : "hit");
}

static void
check_texts(struct sg_load *ld, const struct sg_rule *r)
{
	if (r->message.n == 0)
		sg_load_warn(ld, r->mark, "policy.no-message",
			     "rule '%.*s' has no message: readers will not "
			     "know what is wrong",
			     SG_STR_ARG(r->id));
}

static void
check_rules(struct sg_load *ld)
{
	uint32_t i;

	for (i = 0; i < ld->rules.n; i++) {
		const struct sg_rule *r = &ld->rules.v[i];
		struct may m;

		if (r->match == NULL)
			continue;
		m = may_match(r->match);
		if (m.facts == 0 && !m.other)
			sg_load_warn(ld, r->mark, "policy.never-matches",
				     "rule '%.*s' can never match: its "
				     "members look at different things",
				     SG_STR_ARG(r->id));
		check_sides(ld, r);
		check_texts(ld, r);
	}
}

/* --- shadowed rules ------------------------------------------------------ */

static bool
is_names(const struct sg_pat *pat)
{
	return pat != NULL && pat->kind == SG_PAT_FACT && !pat->any_name &&
	       pat->regex == NULL && pat->flags == 0 && pat->no_flags == 0;
}

/* True when `outer` finds whatever `inner` finds. */
static bool
covers(const struct sg_rule *outer, const struct sg_rule *inner)
{
	const struct sg_pat *a = outer->match, *b = inner->match;
	uint32_t i;

	if (!is_names(a) || !is_names(b) || (b->facts & ~a->facts) != 0 ||
	    outer->action < inner->action)
		return false;
	for (i = 0; i < b->names.n; i++)
		if (!sg_name_any(a->names.v, a->names.n, b->names.v[i]))
			return false;
	return true;
}

enum { SHADOW_RULES_MAX = 1000 }; /* each is held against each */

static void
check_shadows(struct sg_load *ld)
{
	uint32_t i, k;

	if (ld->rules.n > SHADOW_RULES_MAX)
		return;
	for (i = 0; i < ld->rules.n; i++) {
		const struct sg_rule *r = &ld->rules.v[i];

		for (k = 0; is_names(r->match) && k < ld->rules.n; k++) {
			const struct sg_rule *o = &ld->rules.v[k];

			if (k == i || !covers(o, r) || (covers(r, o) && i < k))
				continue;
			sg_load_warn(ld, r->mark, "policy.shadowed",
				     "rule '%.*s' finds nothing that rule "
				     "'%.*s' does not find",
				     SG_STR_ARG(r->id), SG_STR_ARG(o->id));
			break;
		}
	}
}

/* --- exceptions ----------------------------------------------------------- */

static void
check_exceptions(struct sg_load *ld)
{
	char now[SG_CLOCK_ISO];
	uint32_t i;

	if (ld->exceptions.n == 0)
		return;
	sg_clock_iso(sg_clock_real_us(), now);
	for (i = 0; i < ld->exceptions.n; i++) {
		const struct sg_exception *ex = &ld->exceptions.v[i];

		if (ex->until.n == 10 && memcmp(ex->until.p, now, 10) < 0)
			sg_load_warn(ld, ex->mark, "policy.expired",
				     "the exception for '%.*s' ended on "
				     "%.*s",
				     SG_STR_ARG(ex->rule),
				     SG_STR_ARG(ex->until));
		if (ex->until.n == 0)
			sg_load_warn(ld, ex->mark, "policy.no-end",
				     "the exception for '%.*s' has no "
				     "'until'",
				     SG_STR_ARG(ex->rule));
	}
}

static int
by_place(const void *a, const void *b)
{
	const struct sg_policy_warning *x = a, *y = b;
	int files = strcmp(x->file ? x->file : "", y->file ? y->file : "");

	if (files != 0)
		return files;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	return strcmp(x->code, y->code);
}

void
sg_lint(struct sg_load *ld)
{
	check_lists(ld);
	check_rules(ld);
	check_shadows(ld);
	check_exceptions(ld);
	if (ld->warnings.n > 1)
		qsort(ld->warnings.v, ld->warnings.n, sizeof(*ld->warnings.v),
		      by_place);
}
