/*
 * What a policy says of a module or a capability as such, without a script:
 * for guards that work while a program runs.
 *
 * A rule counts only when its pattern is nothing but the name or the
 * capability; one that asks for more (an argument, a place) depends on the
 * script, and so says nothing here.  Two things may be asked beside it: whether
 * the code is reached, for what runs is reached; and, of paths, by what text
 * they came about, for what runs has the path itself.
 */

#include "policy/capability.h"
#include "policy/compiled.h"

static enum sg_decision
decision_of(const struct sg_policy *p, enum sg_action action)
{
	if (action == SG_ACTION_OFF)
		return SG_PASS;
	return action == SG_ACTION_REJECT && !p->annotate_only ? SG_REJECT
							       : SG_ANNOTATE;
}

/* Takes the rule when it is worse than what is known so far. */
static void
worsen(struct sg_policy_decision *d, enum sg_decision decision,
       const struct sg_rule *rule, struct sg_str message)
{
	if (decision <= d->decision)
		return;
	d->decision = decision;
	d->rule = rule->id;
	d->message = message.n > 0 ? message : rule->message;
	d->hint = rule->hint;
}

/* --- capabilities ------------------------------------------------------- */

/* A `not` that only speaks of code which does not run. */
static bool
spares_unreached(const struct sg_pat *pat)
{
	const struct sg_pat *in = pat->sub[0];
	uint32_t i;

	if (in->kind == SG_PAT_UNREACHED)
		return in->wanted;
	for (i = 0; in->kind == SG_PAT_ALL && i < in->nsub; i++)
		if (in->sub[i]->kind == SG_PAT_UNREACHED && in->sub[i]->wanted)
			return true;
	return false;
}

/* One capability, and what does not matter when code runs; `outside` is the
 * bit of the one that a text may be asked for. */
static uint64_t
joined_caps(const struct sg_pat *pat, uint64_t outside)
{
	uint64_t caps = UINT64_MAX;
	bool found = false;
	uint32_t i;

	for (i = 0; i < pat->nsub; i++) {
		const struct sg_pat *s = pat->sub[i];

		if (s->kind == SG_PAT_CAPABILITY) {
			caps &= s->capabilities;
			found = true;
		} else if (s->kind == SG_PAT_NOT) {
			if (!spares_unreached(s))
				caps &= outside;
		} else if (s->kind != SG_PAT_UNREACHED || s->wanted) {
			return 0;
		}
	}
	return found ? caps : 0;
}

/* The capabilities whose mere use the pattern finds. */
static uint64_t
plain_caps(const struct sg_pat *pat, uint64_t outside)
{
	uint64_t caps = 0;
	uint32_t i;

	if (pat->kind == SG_PAT_CAPABILITY)
		return pat->capabilities;
	if (pat->kind == SG_PAT_ALL)
		return joined_caps(pat, outside);
	if (pat->kind != SG_PAT_ANY)
		return 0;
	for (i = 0; i < pat->nsub; i++) {
		const struct sg_pat *s = pat->sub[i];

		if (s->kind == SG_PAT_CAPABILITY)
			caps |= s->capabilities;
		else if (s->kind == SG_PAT_ALL)
			caps |= joined_caps(s, outside);
	}
	return caps;
}

static void
decide_caps(const struct sg_policy *p, uint64_t caps,
	    struct sg_policy_decision *d)
{
	const struct sg_rule *section = &p->rules[SG_BUILTIN_CAPABILITY];
	uint32_t i;

	caps &= ~p->cap_allow;
	if (section->action != SG_ACTION_OFF) {
		if ((caps & p->cap_reject) != 0)
			worsen(d, decision_of(p, SG_ACTION_REJECT), section,
			       SG_STR_NONE);
		else if ((caps & p->cap_annotate) != 0)
			worsen(d, SG_ANNOTATE, section, SG_STR_NONE);
	}
	for (i = 0; i < p->ncap_rules; i++) {
		const struct sg_rule *r = &p->rules[p->cap_rules[i]];

		if ((p->plain_caps[i] & caps) != 0)
			worsen(d, decision_of(p, r->action), r, SG_STR_NONE);
	}
}

bool
sg_policy_capability_decision(const struct sg_policy *p, struct sg_str name,
			      struct sg_policy_decision *ret)
{
	uint32_t i;

	for (i = 0; i < sg_capability_count(); i++)
		if (sg_str_eq(name, sg_str_c(sg_capability_name(i))))
			break;
	if (i == sg_capability_count())
		return false;
	*ret = (struct sg_policy_decision){ .decision = SG_PASS };
	decide_caps(p, UINT64_C(1) << i, ret);
	return true;
}

/* --- imports -------------------------------------------------------------- */

/* The most exact module of the section, as policy/import.c finds it. */
static const struct sg_import_rule *
find_import(const struct sg_policy *p, struct sg_str module)
{
	const struct sg_import_rule *best = NULL, *r;
	struct sg_str glob;
	uint32_t i;
	size_t n;

	for (i = 0; i < p->nimports; i++) {
		r = &p->imports[i];
		glob = r->module;
		for (n = 0; n <= module.n; n++)
			if ((n == module.n || module.p[n] == '.') &&
			    sg_str_glob(glob, sg_str_slice(module, 0, n)))
				break;
		if (n > module.n)
			continue;
		if (best == NULL || r->module.n > best->module.n ||
		    (r->module.n == best->module.n && r->deny))
			best = r;
	}
	return best;
}

/* An import of some names, whatever else is so. */
static bool
is_plain_import(const struct sg_pat *pat)
{
	return pat->kind == SG_PAT_FACT &&
	       (pat->facts >> SG_FACT_IMPORT & 1) != 0 && !pat->any_name &&
	       pat->regex == NULL && pat->flags == 0 && pat->no_flags == 0;
}

/* True when the pattern finds every import of the module. */
static bool
plain_import(const struct sg_pat *pat, struct sg_str module)
{
	uint32_t i;
	size_t n;

	if (pat->kind == SG_PAT_ANY) {
		for (i = 0; i < pat->nsub; i++)
			if (plain_import(pat->sub[i], module))
				return true;
		return false;
	}
	if (!is_plain_import(pat))
		return false;
	for (n = 0; n <= module.n; n++)
		if ((n == module.n || module.p[n] == '.') &&
		    sg_name_any(pat->names.v, pat->names.n,
				sg_str_slice(module, 0, n)))
			return true;
	return false;
}

void
sg_policy_import_decision(const struct sg_policy *p, struct sg_str module,
			  struct sg_policy_decision *ret)
{
	const struct sg_import_rule *r = find_import(p, module);
	const struct sg_cap_entry *e;
	enum sg_builtin what = SG_BUILTIN_IMPORT_DENIED;
	struct sg_name name;
	uint32_t i;

	*ret = (struct sg_policy_decision){ .decision = SG_PASS };
	if (r == NULL)
		what = SG_BUILTIN_IMPORT_UNLISTED;
	if ((r != NULL && r->deny) ||
	    (r == NULL && p->import_default_reject &&
	     !sg_str_eq(module, SG_STR("__future__"))))
		worsen(ret, decision_of(p, p->rules[what].action),
		       &p->rules[what], r != NULL ? r->message : SG_STR_NONE);
	for (i = 0; i < p->nimport_rules; i++) {
		const struct sg_rule *rule = &p->rules[p->import_rules[i]];

		if (plain_import(rule->match, module))
			worsen(ret, decision_of(p, rule->action), rule,
			       SG_STR_NONE);
	}
	sg_name_init(&name, module);
	e = sg_capability_find(&name);
	if (e != NULL)
		decide_caps(p, e->caps, ret);
}

/* Whether plain_import() may be true of it. */
static bool
asks_for_imports(const struct sg_pat *pat)
{
	uint32_t i;

	if (pat->kind != SG_PAT_ANY)
		return is_plain_import(pat);
	for (i = 0; i < pat->nsub; i++)
		if (asks_for_imports(pat->sub[i]))
			return true;
	return false;
}

int
sg_decide_compile(struct sg_policy *p, struct sg_err *err)
{
	uint64_t outside = sg_capability_bit("fs.outside");
	uint32_t i;

	p->plain_caps = SG_NEWN(&p->arena, uint64_t, p->ncap_rules);
	p->import_rules = SG_NEWN(&p->arena, uint32_t, p->nrules);
	if (p->plain_caps == NULL || p->import_rules == NULL)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	for (i = 0; i < p->ncap_rules; i++)
		p->plain_caps[i] = plain_caps(p->rules[p->cap_rules[i]].match,
					      outside);
	for (i = SG_BUILTIN_COUNT; i < p->nrules; i++)
		if (asks_for_imports(p->rules[i].match))
			p->import_rules[p->nimport_rules++] = i;
	return SG_OK;
}

void
sg_policy_import_names(const struct sg_policy *p,
		       void (*each)(struct sg_str glob, void *ctx), void *ctx)
{
	for (uint32_t r = 0; r < p->nrules; r++) {
		struct sg_pat *only = p->rules[r].match;
		bool any = only != NULL && only->kind == SG_PAT_ANY;

		for (uint32_t i = 0; i < (any ? only->nsub : only != NULL);
		     i++) {
			const struct sg_pat *pat = any ? only->sub[i] : only;

			if (!is_plain_import(pat))
				continue;
			for (uint32_t k = 0; k < pat->names.n; k++)
				each(pat->names.v[k], ctx);
		}
	}
}

uint32_t
sg_policy_import_count(const struct sg_policy *p)
{
	return p->nimports;
}

void
sg_policy_import(const struct sg_policy *p, uint32_t index,
		 struct sg_policy_import *ret)
{
	const struct sg_import_rule *r = &p->imports[index];

	*ret = (struct sg_policy_import){
		.module = r->module,
		.denied = r->deny,
		.public_only = r->public_only,
		.allow = r->allow.v,
		.nallow = r->allow.n,
		.deny = r->refuse.v,
		.ndeny = r->refuse.n,
		.message = r->message,
	};
}

bool
sg_policy_import_default(const struct sg_policy *p)
{
	return !p->import_default_reject;
}

/* --- the script ------------------------------------------------------------ */

const struct sg_str *
sg_policy_workspace(const struct sg_policy *p, uint32_t *ret_n)
{
	*ret_n = p->workspace.n;
	return p->workspace.v;
}

bool
sg_policy_excepted(const struct sg_policy *p, struct sg_str rule,
		   const char *path, const struct sg_digest *submitted)
{
	uint32_t i;

	for (i = 0; i < p->nexceptions; i++)
		if (sg_str_glob(p->exceptions[i].rule, rule) &&
		    sg_exception_applies(&p->exceptions[i], path, submitted))
			return true;
	return false;
}
