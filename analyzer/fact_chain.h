#ifndef SG_ANALYZER_FACT_CHAIN_H
#define SG_ANALYZER_FACT_CHAIN_H

/*
 * How a name was reached, told when somebody asks: from the expression back
 * through the bindings of the names in it.  Within the analyzer only; others
 * use sg_analysis_chain().
 */

#include "analyzer/value.h"

/* Bindings by symbol, made at the first question. */
struct sg_chains {
	uint32_t *head; /* [symbol]: a binding node; NULL: not made yet */
	uint32_t *next; /* [node] */
};

void sg_chains_reset(struct sg_chains *c);

/* `scratch` lives as long as the analysis; the text is owned by `arena`. */
struct sg_str sg_chains_text(struct sg_chains *c, struct sg_values *v,
			     const struct sg_source *source,
			     const struct sg_fact *fact,
			     struct sg_arena *scratch, struct sg_arena *arena);

#endif
