/* What rules may ask about a value without being told what it is. */

#include "analyzer/factlist.h"

bool
sg_fact_is_local(const struct sg_values *v, uint32_t set)
{
	uint32_t one, n;
	const uint32_t *atoms = sg_set_atoms(v, set, &one, &n);

	for (uint32_t i = 0; i < n; i++)
		switch (sg_atom_at(v, atoms[i]).kind) {
		case SG_ATOM_CLASS:
		case SG_ATOM_FUNC:
		case SG_ATOM_BOUND:
			break;
		default:
			return false;
		}
	return n != 0;
}

bool
sg_fact_is_own(const struct sg_values *v, uint32_t set)
{
	uint32_t one, n;
	const uint32_t *atoms = sg_set_atoms(v, set, &one, &n);

	for (uint32_t i = 0; i < n; i++)
		switch (sg_atom_at(v, atoms[i]).kind) {
		case SG_ATOM_CLASS:
		case SG_ATOM_FUNC:
		case SG_ATOM_BOUND:
		case SG_ATOM_INST:
		case SG_ATOM_LIST:
		case SG_ATOM_DICT:
			break;
		default:
			return false;
		}
	return n != 0;
}

/* Whether instances of a foreign class may be texts, by its name. */
static bool
names_text(struct sg_str name)
{
	static const char *const words[] = { "str",    "Str",  "text",
					     "Text",   "byte", "name",
					     "Markup", "bs4",  "CData" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (memmem(name.p, name.n, words[i], strlen(words[i])))
			return true;
	return false;
}

bool
sg_fact_may_be_text(const struct sg_values *v, uint32_t atom)
{
	struct sg_atom a = sg_atom_at(v, atom);

	switch (a.kind) {
	case SG_ATOM_PATH:
		return v->paths.v[a.a].kind == SG_PATH_OTHER ||
		       v->paths.v[a.a].kind == SG_PATH_RESULT;
	case SG_ATOM_INSTANCE:
		return names_text(v->paths.v[a.a].full);
	case SG_ATOM_ANYNUM:
	case SG_ATOM_INT:
	case SG_ATOM_CONST:
	case SG_ATOM_SEQ:
	case SG_ATOM_LIST:
	case SG_ATOM_TUPLE:
	case SG_ATOM_SET:
	case SG_ATOM_DICT:
	case SG_ATOM_ITER:
	case SG_ATOM_FUNC:
	case SG_ATOM_CLASS:
	case SG_ATOM_BOUND:
	case SG_ATOM_METHOD:
	case SG_ATOM_PARTIAL:
	case SG_ATOM_ATTRGETTER:
	case SG_ATOM_METHODCALLER:
	case SG_ATOM_ITEMGETTER:
		return false;
	default:
		return true;
	}
}
