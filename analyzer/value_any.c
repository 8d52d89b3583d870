/*
 * Names that are values: getattr() and its kin.  A name that is known is an
 * attribute like any other.
 *
 * Where nobody knows it, what is found is any field of a class of the
 * script, anything that a scope binds.  Only what may lead on is taken: texts
 * and numbers stay unknown.  And enumerations, whose members are found by
 * name, by value and by iteration.
 *
 * The union is taken beside "unknown", never in its place, so that the lookup
 * is still counted as unresolved.
 */

#include "analyzer/value.h"

#include "analyzer/factlist.h"

enum {
	/* More functions than that are no table of handlers; to call them
	 * all would cost more than it tells. */
	MAX_FUNCTIONS = 24
};

struct any {
	struct sg_str prefix; /* of the name, where that much is known */
	uint32_t set;
	uint32_t functions; /* set of them */
	uint32_t nfunctions;
};

static bool
leads_on(uint32_t kind)
{
	return kind >= SG_ATOM_PATH && kind != SG_ATOM_METHOD;
}

uint32_t
sg_value_leading(struct sg_values *v, uint32_t set)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, set, atoms), kept = 0;

	for (uint32_t i = 0; i < n; i++)
		if (leads_on(sg_atom_at(v, atoms[i]).kind))
			atoms[kept++] = atoms[i];
	return kept == n ? set : sg_set_of(v, atoms, kept);
}

static void
take(struct sg_values *v, struct any *any, uint32_t set)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, set, atoms);

	for (uint32_t i = 0; i < n; i++) {
		if (sg_atom_is(v, atoms[i], SG_ATOM_FUNC)) {
			if (any->nfunctions++ < MAX_FUNCTIONS)
				any->functions = sg_set_union(v, any->functions,
							      atoms[i]);
		} else if (leads_on(sg_atom_at(v, atoms[i]).kind)) {
			any->set = sg_set_union(v, any->set, atoms[i]);
		}
	}
}

static bool
fits(const struct sg_values *v, const struct any *any, uint32_t name)
{
	struct sg_str s = sg_intern_str(v->names, name);

	return any->prefix.n ? sg_str_starts(s, any->prefix)
			     : !sg_str_starts(s, SG_STR("__"));
}

static void
take_scope(struct sg_values *v, struct any *any, uint32_t scope)
{
	const struct sg_scopes *s = v->scopes;

	for (uint32_t i = s->scopes[scope].first_symbol; i;
	     i = s->symbols[i].next) {
		sg_value_work(v, 1);
		if ((s->symbols[i].flags & SG_SYMBOL_BOUND) &&
		    fits(v, any, s->symbols[i].name))
			take(v, any, sg_cell_read(v, s->symbols[i].target));
	}
}

/* A class and its bases, with whatever was put into them or an instance. */
static void
take_class(struct sg_values *v, struct any *any, uint32_t cls)
{
	uint32_t line[SG_CLASS_DEPTH];
	uint32_t n = sg_class_line(v, cls, line);

	for (uint32_t i = 0; i < n; i++) {
		struct sg_atom a = sg_atom_at(v, line[i]);

		if (a.kind != SG_ATOM_CLASS)
			continue;
		if (v->ast->nodes[a.a].kind == SG_AST_ClassDef)
			take_scope(v, any, v->scopes->inner_of[a.a]);
		take(v, any,
		     sg_cell_read(v, sg_cell(v, SG_CELL_FIELDS, a.a, 0)));
	}
}

static struct any
begin(struct sg_values *v, uint32_t name)
{
	struct any any = { .prefix = SG_STR_NONE };

	if (name && sg_atom_is(v, name, SG_ATOM_PREFIX))
		any.prefix = sg_atom_str(v, name);
	return any;
}

uint32_t
sg_value_any_attr(struct sg_values *v, uint32_t atom, uint32_t name)
{
	struct sg_atom a = sg_atom_at(v, atom);
	struct any any = begin(v, name);

	switch (a.kind) {
	case SG_ATOM_CLASS:
	case SG_ATOM_INST:
		take_class(v, &any, a.a);
		break;
	case SG_ATOM_FUNC:
		take(v, &any,
		     sg_cell_read(v, sg_cell(v, SG_CELL_FIELDS, a.a, 0)));
		break;
	case SG_ATOM_MAIN:
		return sg_value_any_bound(v, 1, name);
	default:
		return 0;
	}
	if (any.nfunctions > MAX_FUNCTIONS)
		return any.set;
	if (a.kind == SG_ATOM_INST)
		any.functions = sg_class_bind(v, any.functions, atom);
	return sg_set_union(v, any.set, any.functions);
}

uint32_t
sg_value_any_bound(struct sg_values *v, uint32_t scope, uint32_t name)
{
	struct any any = begin(v, name);

	take_scope(v, &any, scope);
	if (any.nfunctions > MAX_FUNCTIONS)
		return any.set;
	return sg_set_union(v, any.set, any.functions);
}

/* --- names as values ------------------------------------------------------ */

/* What an unresolved name was looked up on, for the fact. */
static void
emit_unknown_name(struct sg_values *v, uint32_t base)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, base, atoms);
	bool some = false;

	for (uint32_t i = 0; i < n; i++) {
		struct sg_str s = sg_fact_base(v, atoms[i]);

		if (!s.n)
			continue;
		some = true;
		sg_fact_dynamic(v, SG_DYNAMIC_ATTRIBUTE, v->node, s);
	}
	if (!some)
		sg_fact_dynamic(v, SG_DYNAMIC_ATTRIBUTE, v->node, SG_STR_NONE);
}

static uint32_t
any_attr(struct sg_values *v, uint32_t base, uint32_t name)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, base, atoms), out = 0;

	for (uint32_t i = 0; i < n; i++)
		out = sg_set_union(v, out,
				   sg_value_any_attr(v, atoms[i], name));
	return out;
}

uint32_t
sg_value_attr_by(struct sg_values *v, uint32_t base, uint32_t name)
{
	uint32_t atoms[SG_SET_MAX], n = sg_set_copy(v, name, atoms), out = 0;
	bool unknown = n == 0 && v->settled;

	for (uint32_t i = 0; i < n; i++) {
		struct sg_atom a = sg_atom_at(v, atoms[i]);
		uint32_t id, set;

		if (a.kind != SG_ATOM_STR) {
			unknown = unknown || a.kind != SG_ATOM_CONST;
			out = sg_set_union(v, out, any_attr(v, base, atoms[i]));
			continue;
		}
		id = sg_value_name_id(v, v->strs.v[a.a]);
		if (!id)
			continue;
		set = sg_value_attr(v, base, id);
		out = sg_set_union(v, out, set);
		if (v->facts)
			sg_fact_attr(v, base, id, set, SG_FACT_BY_NAME);
	}
	if (unknown) {
		out = sg_set_union(v, out, v->unknown);
		if (v->facts)
			emit_unknown_name(v, base);
	}
	return out;
}

uint32_t
sg_value_dotted(struct sg_values *v, uint32_t base, struct sg_str s)
{
	for (size_t at = 0; at < s.n && base;) {
		struct sg_str rest = sg_str_slice(s, at, s.n);
		size_t n = sg_str_find(rest, '.');

		if (n)
			base = sg_value_attr_by(
				v, base,
				sg_value_str(v, sg_str_slice(rest, 0, n)));
		at += n + 1;
	}
	return base;
}

/* --- enumerations ------------------------------------------------------------ */

bool
sg_class_is_enum(struct sg_values *v, uint32_t cls)
{
	uint32_t line[SG_CLASS_DEPTH];
	uint32_t n = sg_class_line(v, cls, line);

	for (uint32_t i = 1; i < n; i++) {
		struct sg_atom a = sg_atom_at(v, line[i]);

		if (a.kind == SG_ATOM_PATH &&
		    sg_str_starts(v->paths.v[a.a].full, SG_STR("enum.")))
			return true;
	}
	return false;
}

uint32_t
sg_enum_values(struct sg_values *v, uint32_t cls)
{
	const struct sg_scopes *s = v->scopes;
	uint32_t i = s->scopes[s->inner_of[cls]].first_symbol, out = 0;

	for (; i; i = s->symbols[i].next) {
		sg_value_work(v, 1);
		if (s->symbols[i].flags & SG_SYMBOL_BOUND)
			out = sg_set_union(v, out, sg_cell_read(v, i));
	}
	return out;
}
