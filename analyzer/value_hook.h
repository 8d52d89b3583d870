#ifndef SG_ANALYZER_VALUE_HOOK_H
#define SG_ANALYZER_VALUE_HOOK_H

/* Special methods of the script's classes, and texts that are made of
 * constants (theory in value_made.c). */

#include "analyzer/value.h"

/* --- value_operator.c --------------------------------------------------- */

/* What the operator of a class of the script gives; 0: there is none. */
uint32_t sg_value_op_hook(struct sg_values *v, enum sg_op op, uint32_t a,
			  uint32_t b);
uint32_t sg_value_unary_hook(struct sg_values *v, enum sg_op op, uint32_t a);
/* The text that an instance gives of itself: str() (conv 's'), repr() ('r'),
 * format() with a spec (0); or 0. */
uint32_t sg_value_text_hook(struct sg_values *v, uint32_t atom, char conv,
			    uint32_t spec);
uint32_t sg_value_path_hook(struct sg_values *v, uint32_t atom); /* fspath */
/* An instance is stored to: atom[key] = set, atom.name = set. */
void sg_value_item_hook(struct sg_values *v, uint32_t atom, uint32_t key,
			uint32_t set);
void sg_value_attr_hook(struct sg_values *v, uint32_t atom, uint32_t name,
			uint32_t set);
void sg_value_delete_hook(struct sg_values *v, uint32_t target);
/* The value of a Compare. */
uint32_t sg_value_compare(struct sg_values *v, uint32_t node);

/* --- value_made.c ------------------------------------------------------- */

/* Whether all in a set, containers included, are constants of the script. */
enum sg_made {
	SG_MADE_NO = 0,
	SG_MADE_PLAIN,
	SG_MADE_HAS,  /* with a path of the host in it */
	SG_MADE_LEADS /* with one that begins as an absolute path */
};
enum sg_made sg_value_made(struct sg_values *v, uint32_t set);
/* Some text that was decoded of the set, or joined of it; an atom. */
uint32_t sg_value_decoded(struct sg_values *v, uint32_t set);
uint32_t sg_value_joined_text(struct sg_values *v, uint32_t set);
/* Whether the container has its elements as they are written, and no others
 * were put into it. */
bool sg_value_in_order(struct sg_values *v, uint32_t atom);
/* What a method of a text gives that is not folded; an atom. */
uint32_t sg_value_made_by_method(struct sg_values *v, uint32_t self,
				 struct sg_str name, const struct sg_call *c);
/* The same of a foreign function, besides what it gives anyway; or 0. */
uint32_t sg_value_made_by(struct sg_values *v, uint32_t path,
			  const struct sg_call *c);

#endif
