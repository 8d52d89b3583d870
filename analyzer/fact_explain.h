#ifndef SG_ANALYZER_FACT_EXPLAIN_H
#define SG_ANALYZER_FACT_EXPLAIN_H

/* For people: what the analysis sees.  Others use sg_analysis_explain(). */

#include "analyzer/fact_chain.h"

struct sg_explain {
	const struct sg_analysis *an;
	struct sg_values *values;
	struct sg_chains *chains;
	struct sg_arena *scratch; /* as long as the analysis */
	struct sg_buf *out;
	uint32_t line; /* of the submitted text; 0 all */
};

void sg_explain_write(const struct sg_explain *e);

#endif
