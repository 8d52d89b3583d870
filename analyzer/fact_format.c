/*
 * Format templates: "{0.a[b]}" reads the attribute `a` of an argument, and
 * the item `b` of that.  Each step is a fact of its own, and where the
 * argument is known what is reached is mentioned as if it had been written.
 */

#include "analyzer/factlist.h"

enum { NUMBER_MAX = 1000 };

/* One step of a field; `set` is what it leads from and to, 0 not known. */
static void
step(struct sg_values *v, struct sg_str name, bool item, uint32_t *set)
{
	uint32_t id;

	sg_fact_add(v, SG_FACT_FORMAT, v->node, name, 0);
	if (!*set)
		return;
	id = item ? 0 : sg_value_name_id(v, name);
	if (item)
		*set = sg_value_item(v, *set, sg_value_str(v, name));
	else
		*set = id ? sg_value_attr(v, *set, id) : 0;
	sg_fact_refs(v, v->node, *set, SG_FACT_INDIRECT);
}

/* What the first name of a field means: an argument, or a key of the one
 * mapping that format_map() is given. */
static uint32_t
first_value(struct sg_values *v, struct sg_str name, const struct sg_call *c,
	    bool mapping, uint32_t *next)
{
	uint32_t at = 0;

	if (!c)
		return 0;
	if (mapping)
		return sg_value_item(v, sg_call_arg(c, 0, 0),
				     sg_value_str(v, name));
	if (!name.n)
		return sg_call_arg(c, (*next)++, 0);
	for (size_t i = 0; i < name.n && at < NUMBER_MAX; i++) {
		if (name.p[i] < '0' || name.p[i] > '9')
			return sg_call_arg(c, SG_CALL_ARGS,
					   sg_value_name_id(v, name));
		at = at * 10 + (uint32_t)(name.p[i] - '0');
	}
	return sg_call_arg(c, at, 0);
}

static void
field(struct sg_values *v, struct sg_str s, uint32_t set)
{
	size_t i = 0;

	while (i < s.n) {
		bool item = s.p[i] == '[';
		size_t from = ++i;

		while (i < s.n && s.p[i] != (item ? ']' : '.') &&
		       (item || s.p[i] != '['))
			i++;
		if (i > from)
			step(v, sg_str_slice(s, from, i), item, &set);
		if (item && i < s.n)
			i++;
	}
}

void
sg_fact_format(struct sg_values *v, struct sg_str t, const struct sg_call *c,
	       bool mapping)
{
	struct sg_str copy = sg_arena_dup(v->arena, t);
	uint32_t next = 0, set;

	for (size_t i = 0; i < copy.n; i++) {
		size_t from = i + 1, name;

		if (copy.p[i] != '{')
			continue;
		if (from < copy.n && copy.p[from] == '{') {
			i++;
			continue;
		}
		while (i + 1 < copy.n && !strchr("{}!:", copy.p[i + 1]))
			i++;
		for (name = from;
		     name <= i && copy.p[name] != '.' && copy.p[name] != '[';
		     name++)
			;
		set = first_value(v, sg_str_slice(copy, from, name), c, mapping,
				  &next);
		field(v, sg_str_slice(copy, name, i + 1), set);
	}
}
