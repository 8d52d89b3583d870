#ifndef SG_POLICY_VERDICT_H
#define SG_POLICY_VERDICT_H

/* What the gate says of one script. */

#include "analyzer/analysis.h"

enum sg_decision { SG_PASS = 0, SG_ANNOTATE, SG_REJECT };

enum sg_severity {
	SG_SEVERITY_INFO = 0,
	SG_SEVERITY_LOW,
	SG_SEVERITY_MEDIUM,
	SG_SEVERITY_HIGH,
	SG_SEVERITY_CRITICAL
};

struct sg_finding {
	struct sg_str rule; /* "SG101", "syntax.error", "limit.time" */
	struct sg_str title;
	enum sg_severity severity;
	enum sg_decision action; /* SG_ANNOTATE or SG_REJECT */
	struct sg_str message;   /* one line, names filled in */
	struct sg_str hint;      /* what to do instead; may be empty */
	struct sg_str chain;     /* how the name was reached; may be empty */
	const struct sg_str *cwe;
	uint32_t ncwe;
	struct sg_range range;      /* in canonical text */
	struct sg_place begin, end; /* in submitted text; end is exclusive */
	struct sg_str snippet;      /* the text of the range, cut at one line */
	struct sg_str fact;         /* kind of fact: "call", "import" ... */
	struct sg_str name;         /* the fact's name; may be empty */
};

struct sg_capability_use {
	struct sg_str name;    /* "fs.read" */
	const uint32_t *lines; /* sorted, each once, in submitted text */
	uint32_t nlines;
};

struct sg_verdict {
	enum sg_decision decision;
	const struct sg_finding *findings; /* by place, rejects first on ties */
	uint32_t nfindings;
	uint32_t nsuppressed; /* findings left out beyond the cap of 1000 */
	const struct sg_capability_use *capabilities;
	uint32_t ncapabilities;
	uint32_t dynamic[SG_DYNAMIC_COUNT];
	struct sg_str policy; /* its name */
	struct sg_digest policy_digest, submitted, canonical;
};

const char *sg_decision_name(enum sg_decision d); /* "pass" ... */
const char *sg_severity_name(enum sg_severity s); /* "info" ... */

#endif
