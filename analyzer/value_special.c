/* Finds the handler of a foreign callable; once per path. */

#include "analyzer/value_special.h"

#include <stdlib.h>

static int
by_name(const void *key, const void *row)
{
	const struct sg_special *s = row;

	return sg_str_cmp(*(const struct sg_str *)key, sg_str_c(s->name));
}

static const struct sg_special *
special_at(uint16_t id)
{
	uint32_t i = id - 1u;

	if (i < sg_specials_reflect_n)
		return &sg_specials_reflect[i];
	i -= sg_specials_reflect_n;
	if (i < sg_specials_iterate_n)
		return &sg_specials_iterate[i];
	i -= sg_specials_iterate_n;
	if (i < sg_specials_text_n)
		return &sg_specials_text[i];
	i -= sg_specials_text_n;
	if (i < sg_specials_ospath_n)
		return &sg_specials_ospath[i];
	return &sg_specials_pathlib[i - sg_specials_ospath_n];
}

static uint16_t
special_find(struct sg_str full)
{
	const struct {
		const struct sg_special *rows;
		uint32_t n;
	} tables[] = {
		{ sg_specials_reflect, sg_specials_reflect_n },
		{ sg_specials_iterate, sg_specials_iterate_n },
		{ sg_specials_text, sg_specials_text_n },
		{ sg_specials_ospath, sg_specials_ospath_n },
		{ sg_specials_pathlib, sg_specials_pathlib_n },
	};
	uint32_t base = 1;

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		const struct sg_special *hit = bsearch(&full, tables[i].rows,
						       tables[i].n,
						       sizeof(*hit), by_name);

		if (hit)
			return (uint16_t)(base +
					  (uint32_t)(hit - tables[i].rows));
		base += tables[i].n;
	}
	return SG_SPECIAL_NONE;
}

bool
sg_value_special(struct sg_values *v, uint32_t path, const struct sg_call *call,
		 uint32_t *ret)
{
	struct sg_path *p = &v->paths.v[path];

	if (p->special == SG_SPECIAL_UNSET)
		p->special = special_find(p->full);
	if (p->special == SG_SPECIAL_NONE) {
		/* type(x).__getattribute__(x, 'n'), x.__getattribute__('n') */
		if (p->name == v->known.getattribute_ && call->nargs) {
			*ret = call->nargs > 1
				       ? sg_value_attr_by(
						 v, sg_call_arg(call, 0, 0),
						 sg_call_arg(call, 1, 0))
				       : sg_value_attr_by(
						 v, sg_value_path(v, p->parent),
						 sg_call_arg(call, 0, 0));
			return true;
		}
		if (sg_value_pathlib_unbound(v, path, call, ret))
			return true;
		/* loader.load_module('x'), whatever the loader. */
		if (p->name != v->known.load_module || !call->nargs)
			return false;
		*ret = sg_value_import(v, sg_call_arg(call, 0, 0),
				       SG_FACT_BY_NAME);
		return true;
	}
	*ret = special_at(p->special)->call(v, path, call);
	return true;
}
