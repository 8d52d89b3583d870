/* The patterns that look at something themselves: a fact, a node, an
 * argument, a piece of text. */

#include "policy/capability.h"
#include "policy/load.h"
#include "policy/query.h"

/* --- facts --------------------------------------------------------------- */

static int
set_flag(struct sg_load *ld, const struct sg_doc_node *v, void *into,
	 uint16_t flag)
{
	struct sg_pat *pat = into;
	bool on = false;
	int rc = sg_load_bool(ld, v, &on);

	if (rc != SG_OK)
		return rc;
	if (on)
		pat->flags |= flag;
	else
		pat->no_flags |= flag;
	return SG_OK;
}

#define FLAG_READER(name, flag)                                         \
	static int read_##name(struct sg_load *ld,                      \
			       const struct sg_doc_node *v, void *into) \
	{                                                               \
		return set_flag(ld, v, into, flag);                     \
	}
FLAG_READER(unresolved, SG_FACT_UNRESOLVED)
FLAG_READER(implicit, SG_FACT_IMPLICIT)
FLAG_READER(indirect, SG_FACT_INDIRECT)
FLAG_READER(from, SG_FACT_FROM)
FLAG_READER(star, SG_FACT_STAR)
FLAG_READER(store, SG_FACT_STORE)
FLAG_READER(folded, SG_FACT_FOLDED)
FLAG_READER(docstring, SG_FACT_DOCSTRING)
FLAG_READER(bytes, SG_FACT_BYTES)
FLAG_READER(by_name, SG_FACT_BY_NAME)
FLAG_READER(bare, SG_FACT_BARE)
FLAG_READER(local, SG_FACT_LOCAL)

enum {
	/* facts that have canonical names, and those of them whose bare names
	 * are those of builtins */
	CANONICAL = 1 << SG_FACT_REF | 1 << SG_FACT_CALL | 1 << SG_FACT_BIND |
		    1 << SG_FACT_DYNAMIC,
	BUILTINS = 1 << SG_FACT_REF | 1 << SG_FACT_CALL
};

/* A call of what has no dot would be one of a module. */
static void
warn_bare(struct sg_load *ld, const struct sg_doc_node *v,
	  const struct sg_pat *pat)
{
	uint32_t i;

	for (i = 0; i < pat->names.n; i++) {
		struct sg_str s = pat->names.v[i];

		if (s.n == 0 || sg_str_find(s, '.') < s.n ||
		    sg_str_find(s, '*') < s.n || sg_str_find(s, '?') < s.n)
			continue;
		sg_load_warn(ld, sg_load_mark(ld, sg_load_item(ld, v, i)),
			     "policy.bare-name",
			     "nothing that is called is named '%.*s': write "
			     "'__main__.%.*s' for a function of the script "
			     "itself, '*.%.*s' for any",
			     SG_STR_ARG(s), SG_STR_ARG(s), SG_STR_ARG(s));
	}
}

/* Attributes have no dots, hooks are special or decorate. */
static void
warn_form(struct sg_load *ld, const struct sg_doc_node *v,
	  const struct sg_pat *pat)
{
	bool attr = pat->facts == 1u << SG_FACT_ATTR;
	uint32_t i;

	for (i = 0; i < pat->names.n; i++) {
		struct sg_str s = pat->names.v[i];
		bool good = attr ? sg_str_find(s, '.') == s.n
				 : sg_str_starts(s, SG_STR("__")) ||
					    s.p[0] == '@' || s.p[0] == '*' ||
					    s.p[0] == '?';

		if (good)
			continue;
		sg_load_warn(ld, sg_load_mark(ld, sg_load_item(ld, v, i)),
			     "policy.never-matches",
			     attr ? "no attribute is named '%.*s': 'attr' "
				    "looks at the last name alone, 'ref' at "
				    "dotted ones"
				  : "nothing runs by the name of '%.*s': hooks "
				    "are special methods, like __getattr__, "
				    "or '@name' for a decorator",
			     SG_STR_ARG(s));
	}
}

/* What stands beside the program is of few kinds. */
static int
check_source(struct sg_load *ld, const struct sg_doc_node *v,
	     const struct sg_pat *pat)
{
	static const struct sg_str kinds[] = {
		{ "suppression", 11 }, { "bidi", 4 }, { "invisible", 9 },
		{ "cookie", 6 },       { "bom", 3 },
	};
	static const char *const words[] = { "suppression", "bidi", "invisible",
					     "cookie",      "bom",  NULL };
	const char *near;
	uint32_t i, k;

	for (i = 0; i < pat->names.n; i++) {
		for (k = 0; k < 5; k++)
			if (sg_str_glob(pat->names.v[i], kinds[k]))
				break;
		if (k < 5)
			continue;
		near = sg_load_nearest(pat->names.v[i], words);
		return sg_load_fail(ld, sg_load_item(ld, v, i), "policy.value",
				    "'%.*s' is none of: suppression, bidi, "
				    "invisible, cookie, bom%s%s%s",
				    SG_STR_ARG(pat->names.v[i]),
				    near != NULL ? "; did you mean '" : "",
				    near != NULL ? near : "",
				    near != NULL ? "'?" : "");
	}
	return SG_OK;
}

/* The names of a fact, as the analyzer will give them. */
static int
load_names(struct sg_load *ld, const struct sg_doc_node *v, struct sg_pat *pat)
{
	int rc = sg_load_strs(ld, v, &pat->names);

	if (rc == SG_OK && (pat->facts & CANONICAL) != 0)
		rc = sg_load_canon(ld, (pat->facts & BUILTINS) != 0,
				   &pat->names);
	if (rc == SG_OK && pat->facts == 1u << SG_FACT_CALL)
		warn_bare(ld, v, pat);
	if (rc == SG_OK && pat->facts == 1u << SG_FACT_SOURCE)
		rc = check_source(ld, v, pat);
	if (rc == SG_OK && (pat->facts == 1u << SG_FACT_ATTR ||
			    pat->facts == 1u << SG_FACT_HOOK))
		warn_form(ld, v, pat);
	return rc;
}

static int
read_name(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	struct sg_pat *pat = into;

	pat->any_name = false;
	return load_names(ld, v, pat);
}

static int
read_leaf_regex(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	struct sg_pat *pat = into;

	pat->any_name = false;
	return sg_load_regex(ld, v, &pat->regex);
}

static const struct sg_field fact_fields[] = {
	{ "name", read_name, 0 },
	{ "regex", read_leaf_regex, 0 },
	{ "unresolved", read_unresolved, 0 },
	{ "implicit", read_implicit, 0 },
	{ "indirect", read_indirect, 0 },
	{ "from", read_from, 0 },
	{ "star", read_star, 0 },
	{ "store", read_store, 0 },
	{ "folded", read_folded, 0 },
	{ "docstring", read_docstring, 0 },
	{ "bytes", read_bytes, 0 },
	{ "by_name", read_by_name, 0 },
	{ "bare", read_bare, 0 },
	{ "local", read_local, 0 },
	{ NULL, NULL, 0 },
};

static int
load_fact(struct sg_load *ld, const struct sg_form *form,
	  const struct sg_doc_node *map, const struct sg_doc_node *v,
	  struct sg_pat **ret)
{
	struct sg_pat *pat = sg_load_new_pattern(ld, v, SG_PAT_FACT);
	int rc;

	(void)map;
	if (pat == NULL)
		return SG_ENOMEM;
	pat->facts = 1u << form->what;
	pat->or_below = form->what == SG_FACT_IMPORT;
	*ret = pat;
	if (v->kind != SG_DOC_MAP)
		return load_names(ld, v, pat);
	pat->any_name = true;
	rc = sg_load_map(ld, v, fact_fields, form->key, pat);
	if (rc == SG_OK && pat->regex != NULL && pat->names.n > 0)
		rc = sg_load_fail(ld, v, "policy.match",
				  "give either 'name' or 'regex'");
	if (rc == SG_OK && v->n == 0)
		rc = sg_load_fail(ld, v, "policy.match",
				  "the mapping is empty");
	return rc;
}

/* --- dynamic --------------------------------------------------------- */

static int
dynamic_of(struct sg_load *ld, const struct sg_doc_node *v, uint8_t *mask)
{
	struct sg_choice table[SG_DYNAMIC_COUNT];
	int what = 0, rc;
	uint32_t i;

	for (i = 1; i < SG_DYNAMIC_COUNT; i++)
		table[i - 1] = (struct sg_choice){
			sg_dynamic_name((enum sg_dynamic)i), (int)i
		};
	table[SG_DYNAMIC_COUNT - 1] = (struct sg_choice){ NULL, 0 };
	rc = sg_load_choice(ld, v, table, &what);
	*mask |= (uint8_t)(1u << what);
	return rc;
}

static int
read_what(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	struct sg_pat *pat = into;
	const struct sg_doc_node *item;
	int rc = SG_OK;

	if (v->kind != SG_DOC_LIST)
		return dynamic_of(ld, v, &pat->dynamics);
	if (v->first == NULL)
		return sg_load_fail(ld, v, "policy.value", "the list is empty");
	for (item = v->first; rc == SG_OK && item != NULL; item = item->next)
		rc = dynamic_of(ld, item, &pat->dynamics);
	return rc;
}

static int
load_dynamic(struct sg_load *ld, const struct sg_form *form,
	     const struct sg_doc_node *map, const struct sg_doc_node *v,
	     struct sg_pat **ret)
{
	static const struct sg_field fields[] = {
		{ "what", read_what, SG_FIELD_REQUIRED },
		{ "base", read_name, 0 },
		{ NULL, NULL, 0 },
	};
	struct sg_pat *pat = sg_load_new_pattern(ld, v, SG_PAT_FACT);

	(void)form;
	(void)map;
	if (pat == NULL)
		return SG_ENOMEM;
	pat->facts = 1u << SG_FACT_DYNAMIC;
	pat->any_name = true;
	*ret = pat;
	if (v->kind != SG_DOC_MAP)
		return read_what(ld, v, pat);
	return sg_load_map(ld, v, fields, "dynamic", pat);
}

/* --- nodes, capabilities, text --------------------------------------- */

static int
unknown_node(struct sg_load *ld, const struct sg_doc_node *v, struct sg_str s)
{
	const char *words[SG_AST_COUNT + 1], *near;
	uint32_t i;

	for (i = 1; i < SG_AST_COUNT; i++)
		words[i - 1] = sg_ast_kind_name((enum sg_ast_kind)i);
	words[SG_AST_COUNT - 1] = NULL;
	near = sg_load_nearest(s, words);
	if (near != NULL)
		return sg_load_fail(ld, v, "policy.unknown-node",
				    "'%.*s' is no node of Python's ast; did "
				    "you mean '%s'?",
				    SG_STR_ARG(s), near);
	return sg_load_fail(ld, v, "policy.unknown-node",
			    "'%.*s' is no node of Python's ast", SG_STR_ARG(s));
}

static int
read_kind(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	struct sg_pat *pat = into;
	struct sg_strs names;
	enum sg_ast_kind kind;
	uint32_t i;
	int rc = sg_load_strs(ld, v, &names);

	for (i = 0; rc == SG_OK && i < names.n; i++) {
		kind = sg_ast_kind_find(names.v[i]);
		if (kind == SG_AST_NONE)
			return unknown_node(ld, sg_load_item(ld, v, i),
					    names.v[i]);
		pat->nodes[(uint32_t)kind >> 6] |= UINT64_C(1)
						   << ((uint32_t)kind & 63);
	}
	return rc;
}

static int
load_node(struct sg_load *ld, const struct sg_form *form,
	  const struct sg_doc_node *map, const struct sg_doc_node *v,
	  struct sg_pat **ret)
{
	static const struct sg_field fields[] = {
		{ "kind", read_kind, SG_FIELD_REQUIRED },
		{ "name", read_name, 0 },
		{ NULL, NULL, 0 },
	};
	struct sg_pat *pat = sg_load_new_pattern(ld, v, SG_PAT_NODE);

	(void)form;
	(void)map;
	if (pat == NULL)
		return SG_ENOMEM;
	pat->any_name = true;
	*ret = pat;
	if (v->kind != SG_DOC_MAP)
		return read_kind(ld, v, pat);
	return sg_load_map(ld, v, fields, "node", pat);
}

static int
load_capability(struct sg_load *ld, const struct sg_form *form,
		const struct sg_doc_node *map, const struct sg_doc_node *v,
		struct sg_pat **ret)
{
	struct sg_pat *pat = sg_load_new_pattern(ld, v, SG_PAT_CAPABILITY);

	(void)form;
	(void)map;
	if (pat == NULL)
		return SG_ENOMEM;
	*ret = pat;
	return sg_load_capabilities(ld, v, &pat->capabilities, NULL);
}

static int
load_zones(struct sg_load *ld, const struct sg_doc_node *v, uint8_t *zones)
{
	static const struct sg_choice table[] = {
		{ "code", SG_ZONE_CODE },
		{ "strings", SG_ZONE_STRINGS },
		{ "comments", SG_ZONE_COMMENTS },
		{ "names", SG_ZONE_NAMES },
		{ "raw", SG_ZONE_RAW },
		{ NULL, 0 },
	};
	const struct sg_doc_node *item;
	int one = 0, rc = SG_OK;

	if (v->kind != SG_DOC_LIST) {
		rc = sg_load_choice(ld, v, table, &one);
		*zones = (uint8_t)one;
		return rc;
	}
	if (v->first == NULL)
		return sg_load_fail(ld, v, "policy.value", "the list is empty");
	for (item = v->first; rc == SG_OK && item != NULL; item = item->next) {
		rc = sg_load_choice(ld, item, table, &one);
		*zones |= (uint8_t)one;
	}
	return rc;
}

static int
load_text(struct sg_load *ld, const struct sg_form *form,
	  const struct sg_doc_node *map, const struct sg_doc_node *v,
	  struct sg_pat **ret)
{
	const struct sg_doc_node *in = sg_doc_get(map, "in");
	struct sg_pat *pat = sg_load_new_pattern(ld, v, SG_PAT_REGEX);
	int rc;

	(void)form;
	if (pat == NULL)
		return SG_ENOMEM;
	*ret = pat;
	rc = sg_load_regex(ld, v, &pat->regex);
	if (rc == SG_OK && in != NULL)
		rc = load_zones(ld, in, &pat->zones);
	return rc;
}

static int
load_arg(struct sg_load *ld, const struct sg_form *form,
	 const struct sg_doc_node *map, const struct sg_doc_node *v,
	 struct sg_pat **ret)
{
	(void)form;
	(void)map;
	*ret = sg_load_new_pattern(ld, v, SG_PAT_ARG);
	if (*ret == NULL)
		return SG_ENOMEM;
	return sg_load_args(ld, v, *ret);
}

static int
load_query(struct sg_load *ld, const struct sg_form *form,
	   const struct sg_doc_node *map, const struct sg_doc_node *v,
	   struct sg_pat **ret)
{
	(void)form;
	(void)map;
	*ret = sg_load_new_pattern(ld, v, SG_PAT_QUERY);
	if (*ret == NULL)
		return SG_ENOMEM;
	return sg_load_query(ld, v, *ret);
}

static int
load_flag(struct sg_load *ld, const struct sg_form *form,
	  const struct sg_doc_node *map, const struct sg_doc_node *v,
	  struct sg_pat **ret)
{
	(void)map;
	*ret = sg_load_new_pattern(ld, v, (enum sg_pat_kind)form->what);
	if (*ret == NULL)
		return SG_ENOMEM;
	return sg_load_bool(ld, v, &(*ret)->wanted);
}

static int
load_contained(struct sg_load *ld, const struct sg_form *form,
	       const struct sg_doc_node *map, const struct sg_doc_node *v,
	       struct sg_pat **ret)
{
	(void)form;
	(void)map;
	*ret = sg_load_new_pattern(ld, v, SG_PAT_CONTAINED);
	if (*ret == NULL)
		return SG_ENOMEM;
	return sg_load_strs(ld, v, &(*ret)->names);
}

/* --- the table ----------------------------------------------------------- */

const struct sg_form sg_load_leaves[] = {
	{ "import", load_fact, SG_FACT_IMPORT },
	{ "ref", load_fact, SG_FACT_REF },
	{ "call", load_fact, SG_FACT_CALL },
	{ "attr", load_fact, SG_FACT_ATTR },
	{ "bind", load_fact, SG_FACT_BIND },
	{ "string", load_fact, SG_FACT_STRING },
	{ "format", load_fact, SG_FACT_FORMAT },
	{ "hook", load_fact, SG_FACT_HOOK },
	{ "source", load_fact, SG_FACT_SOURCE },
	{ "dynamic", load_dynamic, 0 },
	{ "node", load_node, 0 },
	{ "capability", load_capability, 0 },
	{ "regex", load_text, 0 },
	{ "query", load_query, 0 },
	{ "arg", load_arg, 0 },
	{ "unreached", load_flag, SG_PAT_UNREACHED },
	{ "callee", load_flag, SG_PAT_CALLEE },
	{ "contained", load_contained, 0 },
	{ NULL, NULL, 0 },
};
