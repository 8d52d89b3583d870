/*
 * The section `imports`: which modules may be used, and which of their
 * names.
 *
 * Import statements are judged by their module.  Names that resolve into a
 * module are judged too, because a module may be reached without importing
 * it (`random._os` is `os`); but a module that was refused where it was
 * imported is not refused again at each use.
 */

#include "policy/limits.h"
#include "policy/match.h"

static const struct sg_import_rule *
find_rule(struct sg_judge *j, const struct sg_name *name)
{
	const struct sg_import_rule *best = NULL, *r;
	uint32_t i, n;

	n = sg_name_find(&j->p->import_index, name, 1, j->found);
	for (i = 0; i < n; i++) {
		r = &j->p->imports[j->found[i]];
		if (best == NULL || r->module.n > best->module.n ||
		    (r->module.n == best->module.n && r->deny))
			best = r;
	}
	return best;
}

/* True when this module was refused before; remembers it otherwise. */
static bool
seen(struct sg_judge *j, struct sg_str module)
{
	uint32_t i;

	for (i = 0; i < j->modules.n; i++)
		if (sg_str_eq(j->modules.v[i], module))
			return true;
	if (!SG_VEC_ROOM(&j->modules, 1, 256))
		return false;
	j->modules.v[j->modules.n++] = module;
	return false;
}

static void
refuse(struct sg_judge *j, const struct sg_fact *fact, enum sg_builtin what,
       const struct sg_import_rule *r, struct sg_str module)
{
	struct sg_raw_finding f = { .rule = what,
				    .fact = fact,
				    .range = fact->range,
				    .name = fact->name,
				    .module = module,
				    .value = fact->name };
	const struct sg_rule *rule = &j->p->rules[what];

	if (rule->action == SG_ACTION_OFF)
		return;
	if (r != NULL)
		f.message = r->message;
	f.action = rule->action == SG_ACTION_REJECT && !j->p->annotate_only
			   ? SG_REJECT
			   : SG_ANNOTATE;
	sg_judge_add(j, &f);
}

/* The patterns name things below the module; what is below those is meant
 * as well. */
static bool
names_any(const struct sg_strs *globs, struct sg_str rest)
{
	struct sg_str part;
	size_t i;

	for (i = 0; i <= rest.n; i++) {
		/* what a thing gives, x() and x[], is as good as the thing */
		if (i < rest.n && rest.p[i] != '.' && rest.p[i] != '(' &&
		    rest.p[i] != '[')
			continue;
		part = sg_str_slice(rest, 0, i);
		if (sg_name_any(globs->v, globs->n, part))
			return true;
	}
	return false;
}

static bool
is_dunder(struct sg_str s)
{
	return s.n > 4 && sg_str_starts(s, SG_STR("__")) &&
	       sg_str_ends(s, SG_STR("__"));
}

/* A leading underscore says that a name is not for others; of the special
 * names only the descriptive ones of a module are. */
static bool
is_private(struct sg_str rest)
{
	static const struct sg_str plain[] = {
		{ "__version__", 11 },
		{ "__name__", 8 },
		{ "__doc__", 7 },
		{ "__all__", 7 },
	};
	struct sg_str part;
	bool first = true;
	size_t n;

	for (; rest.n > 0; rest = sg_str_slice(rest, n + 1, rest.n)) {
		n = sg_str_find(rest, '.');
		part = sg_str_slice(rest, 0, n);
		if (is_dunder(part)) {
			if (first && !sg_name_any(plain, 4, part))
				return true;
		} else if (part.n > 1 && part.p[0] == '_') {
			return true;
		}
		first = false;
	}
	return false;
}

static void
check_name(struct sg_judge *j, const struct sg_fact *fact,
	   const struct sg_import_rule *r)
{
	size_t n = 0, i;
	struct sg_str rest;

	/* the module may be a glob: as many segments as the pattern has */
	for (i = 0; i < r->module.n; i++)
		n += r->module.p[i] == '.';
	for (i = 0; i < fact->name.n; i++)
		if (fact->name.p[i] == '.' && n-- == 0)
			break;
	rest = sg_str_slice(fact->name, i + 1, fact->name.n);
	if (rest.n == 0)
		return;
	if ((r->refuse.n > 0 && names_any(&r->refuse, rest)) ||
	    (r->allow.n > 0 && !names_any(&r->allow, rest)) ||
	    (r->public_only && is_private(rest)))
		refuse(j, fact, SG_BUILTIN_IMPORT_NAME, r, r->module);
}

void
sg_judge_import(struct sg_judge *j, const struct sg_fact *fact,
		const struct sg_name *name)
{
	struct sg_str root = sg_str_until(fact->name, '.');
	const struct sg_import_rule *r;
	bool import = fact->kind == SG_FACT_IMPORT;

	if (fact->kind == SG_FACT_CALL || root.n == 0 ||
	    fact->name.p[0] == '?' || sg_str_eq(root, SG_STR("__future__")))
		return;
	r = find_rule(j, name);
	if (r != NULL && !r->deny) {
		check_name(j, fact, r);
		return;
	}
	if (r == NULL && (!j->p->import_default_reject ||
			  (!import && sg_str_eq(root, SG_STR("builtins")))))
		return;
	if (r != NULL)
		root = r->module;
	if (seen(j, root) && !import)
		return;
	refuse(j, fact,
	       r != NULL ? SG_BUILTIN_IMPORT_DENIED
			 : SG_BUILTIN_IMPORT_UNLISTED,
	       r, import ? fact->name : root);
}
