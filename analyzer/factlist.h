#ifndef SG_ANALYZER_FACTLIST_H
#define SG_ANALYZER_FACTLIST_H

/*
 * Facts while they are gathered: what the evaluation says it has seen.  All
 * of these speak of the node being evaluated (v->node) where none is given.
 */

#include "analyzer/value.h"

struct sg_facts {
	struct sg_fact *v; /* heap */
	uint32_t n, room;
	uint32_t *order; /* heap, scratch for sorting */
	uint32_t order_room;
	uint32_t dynamic[SG_DYNAMIC_COUNT];
	bool failed;
};

void sg_facts_init(struct sg_facts *f);
void sg_facts_release(struct sg_facts *f);
void sg_facts_reset(struct sg_facts *f);
/* Brings them into the order of their places. */
void sg_facts_sort(struct sg_facts *f, struct sg_arena *arena);

void sg_fact_add(struct sg_values *v, enum sg_fact_kind kind, uint32_t node,
		 struct sg_str name, uint32_t flags);
void sg_fact_dynamic(struct sg_values *v, enum sg_dynamic what, uint32_t node,
		     struct sg_str base);
/* The name of an atom where it is one that DYNAMIC facts should tell. */
struct sg_str sg_fact_base(const struct sg_values *v, uint32_t atom);
/* REF for each path in `set`. */
void sg_fact_refs(struct sg_values *v, uint32_t node, uint32_t set,
		  uint32_t flags);
/* ATTR for the name on that base, and REF for what it gave. */
void sg_fact_attr(struct sg_values *v, uint32_t base, uint32_t name,
		  uint32_t set, uint32_t flags);
/* BIND of a foreign thing, unless it is only what some call has given. */
void sg_fact_bind_path(struct sg_values *v, uint32_t path);
void sg_fact_import(struct sg_values *v, struct sg_str module, uint32_t flags);
void sg_fact_call(struct sg_values *v, struct sg_str name,
		  const struct sg_call *call, uint32_t flags);
/* ATTR for each part of dotted texts: attrgetter("a.b"). */
void sg_fact_attr_path(struct sg_values *v, uint32_t names);
/* The field paths of a format template.  `c` is the call that fills it, or
 * NULL; with `mapping` its first argument holds the values. */
void sg_fact_format(struct sg_values *v, struct sg_str template,
		    const struct sg_call *c, bool mapping);

/* CALL of the class, when the node composes a pathlib path of another that
 * it does not lie in. */
void sg_fact_composed_path(struct sg_values *v, uint32_t node);

/* SOURCE facts: what stands beside the program in the text. */
struct sg_source;
void sg_fact_source(struct sg_values *v, const struct sg_source *s,
		    const struct sg_range *comments, uint32_t ncomments);

/* Whether all that the set may be is a class or function of the script. */
bool sg_fact_is_local(const struct sg_values *v, uint32_t set);
/* Or an instance or a container that the script made. */
bool sg_fact_is_own(const struct sg_values *v, uint32_t set);
/* False when the atom is surely neither text nor bytes. */
bool sg_fact_may_be_text(const struct sg_values *v, uint32_t atom);

#endif
