#ifndef SG_ANALYZER_VALUE_NODE_H
#define SG_ANALYZER_VALUE_NODE_H

/* Between value_eval.c, value_display.c, value_bind.c, value_import.c,
 * value_unroll.c and fact_node.c. */

#include "analyzer/value.h"

/* value_display.c: the containers that such nodes make. */
uint32_t sg_value_display(struct sg_values *v, uint32_t node,
			  enum sg_atom_kind kind);
uint32_t sg_value_dict_display(struct sg_values *v, uint32_t node);
uint32_t sg_value_comprehension(struct sg_values *v, uint32_t node,
				enum sg_atom_kind kind);
/* What a name that is read may be. */
uint32_t sg_value_name(struct sg_values *v, uint32_t node);
/* Binds the symbol of a node; what an alias of an import says. */
void sg_value_bind_symbol(struct sg_values *v, uint32_t node, uint32_t set);
void sg_value_bind_alias(struct sg_values *v, uint32_t node);
/* Binds what can be bound before the first walk. */
void sg_value_prepare(struct sg_values *v);
/* What a yield gives; a generator is sent something. */
uint32_t sg_value_yielded(struct sg_values *v, uint32_t node);
void sg_value_send(struct sg_values *v, uint32_t generators, uint32_t set);
/* What the node does besides having a value: bindings, returns ... */
void sg_value_effects(struct sg_values *v, uint32_t node);
/* The value after `x += y`; binds nothing. */
uint32_t sg_value_augmented(struct sg_values *v, uint32_t node);
/* Evaluates nodes from..to once more, in order. */
void sg_value_eval_range(struct sg_values *v, uint32_t from, uint32_t to);
/* A comprehension over constants, element by element: a SEQ or 0. */
uint32_t sg_value_unroll(struct sg_values *v, uint32_t comp);
/* The first of a set that has its elements in order; a SEQ or 0. */
uint32_t sg_value_first_sequence(struct sg_values *v, uint32_t set);
/* Binds a symbol during a trial: replaces what it is. */
void sg_value_bind_pure(struct sg_values *v, uint32_t symbol, uint32_t set);
/* Hands the subject down to the parts of a pattern. */
void sg_value_match(struct sg_values *v, uint32_t pattern, uint32_t subject);
/* The attribute that a keyword pattern of a class reads. */
uint32_t sg_value_pattern_attr(const struct sg_values *v, uint32_t node);
/* The entry of a `with`: what `as` is bound to. */
uint32_t sg_value_enter(struct sg_values *v, uint32_t context);
/* Facts of a call of something unknown: callables it is given. */
void sg_value_unresolved_args(struct sg_values *v, uint32_t func,
			      const struct sg_call *c);
/* Facts that follow from the node's kind alone. */
void sg_fact_node(struct sg_values *v, uint32_t node);

#endif
