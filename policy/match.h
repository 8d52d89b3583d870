#ifndef SG_POLICY_MATCH_H
#define SG_POLICY_MATCH_H

/* Judging from the inside: shared by policy/judge.c, match.c, zone.c and
 * finding.c only. */

#include "base/map.h"
#include "policy/capability.h"
#include "policy/compiled.h"
#include "policy/coverage.h"
#include "policy/query.h"

/* What a pattern is held against. */
struct sg_candidate {
	const struct sg_fact *fact; /* NULL: a node, or text */
	uint32_t node;
	uint64_t caps; /* of the fact */
	bool caps_known;
	struct sg_range range;
	bool is_text;              /* found by a regex in a zone */
	const struct sg_pat *leaf; /* that regex, or query */
	bool met; /* by `inside`, `has` or `parent`: with all facts of node */
	struct sg_str text; /* what it was found in */
	/* what matched, for messages */
	struct sg_str value, path;
};

/* A name that was looked up, kept since scripts repeat theirs: a call is a
 * mention as well, and the module stands before each of its members. */
struct sg_known {
	struct sg_name name;
	const struct sg_cap_entry *caps; /* or NULL */
};

enum { SG_KNOWN = 64 };

struct sg_raw_finding {
	uint32_t rule;  /* UINT32_MAX: a problem */
	uint32_t order; /* in which it was found */
	enum sg_decision action;
	const struct sg_problem *problem;
	const struct sg_fact *fact;
	struct sg_range range;
	struct sg_str name, value, path, module, message;
	uint64_t caps;
};

struct sg_cap_use {
	uint32_t bit, at; /* offset in canonical text */
};

struct sg_judge {
	const struct sg_policy *p;
	const struct sg_analysis *an;
	struct sg_arena *arena; /* of the verdict */
	struct sg_regex_run *run;
	uint32_t *found;  /* targets of one lookup */
	uint32_t *stamps; /* [rule] the candidate it saw last */
	uint32_t stamp;
	uint64_t deadline;           /* sg_clock_cpu() */
	uint32_t looks;              /* since the clock was read */
	bool late;                   /* the rest is not asked */
	uint32_t steps;              /* of inside and has */
	bool steps_over, regex_over; /* in the rule that is evaluated */
	enum sg_query_answer query_over;
	struct sg_query_run *query_run;  /* NULL: the policy has none */
	struct sg_query_result *queries; /* [query of the policy] */
	struct {
		struct sg_raw_finding *v;
		uint32_t n, room;
	} raw;
	uint32_t dropped;       /* beyond SG_FINDINGS_RAW */
	enum sg_decision worst; /* of all, dropped ones too */
	struct {
		struct sg_cap_use *v;
		uint32_t n, room;
	} uses;
	struct {
		uint32_t *v;
		uint32_t n, room;
	} by_node; /* facts */
	struct {
		struct sg_str *v;
		uint32_t n, room;
	} modules;     /* seen */
	uint8_t *seen; /* policy/coverage.c; else NULL */
	struct sg_rule_time *times;
	struct sg_buf code; /* the zone `code` */
	uint32_t idle_node; /* the last that was asked of ... */
	bool finders_listed;
	uint64_t idle_work; /* nodes looked at for it */
	struct {
		uint32_t *v;
		uint32_t n, room;
	} finders;          /* nodes of what can find names */
	bool idle;          /* ... and what was found */
	uint8_t *contained; /* [pattern] 0 not asked yet, 1 yes, 2 no */
	struct sg_has {
		uint32_t node; /* 0: none yet */
		bool yes;
	} * has; /* [pattern] what a `has` was asked of last, and the answer */
	bool failed;                     /* memory was refused */
	struct sg_known known[SG_KNOWN]; /* by the address of the text */
	uint64_t cap_outside, cap_read, cap_write, cap_net;
};

/* True when the pattern holds; fills value and path of c. */
bool sg_match(struct sg_judge *j, const struct sg_pat *pat,
	      struct sg_candidate *c);
/* True in code that the script itself never runs; policy/unreached.c. */
bool sg_match_unreached(struct sg_judge *j, uint32_t node);
/* True when the script reaches nothing but itself; policy/contained.c. */
bool sg_match_contained(struct sg_judge *j, const struct sg_pat *pat);
/* Evaluates rule `index` at c and keeps a finding when it holds. */
void sg_judge_try(struct sg_judge *j, uint32_t index, struct sg_candidate *c,
		  bool sure);
/* Looks through the zones for the rules that have a regex. */
void sg_judge_zones(struct sg_judge *j);
/* Adds a finding; `raw` is copied. */
void sg_judge_add(struct sg_judge *j, const struct sg_raw_finding *raw);
/* What `rule` says when it could not be decided. */
void sg_judge_limit(struct sg_judge *j, enum sg_builtin what, uint32_t rule,
		    struct sg_range range);
/* From raw findings to the verdict. */
int sg_judge_finish(struct sg_judge *j, const char *path,
		    struct sg_verdict *ret, struct sg_err *err);
/* The checks of the section `imports`. */
void sg_judge_import(struct sg_judge *j, const struct sg_fact *fact,
		     const struct sg_name *name);
/* What a fact can do, with the arguments of a call looked at. */
uint64_t sg_judge_caps(struct sg_judge *j, const struct sg_fact *fact,
		       const struct sg_known *known, struct sg_candidate *c);
/* Looks a name up; a view into j, valid until the next call. */
const struct sg_known *sg_judge_known(struct sg_judge *j, struct sg_str name);

/* True when argument `a` of a call is the one meant. */
static inline bool
sg_arg_is(const struct sg_arg *a, int32_t position, struct sg_str keyword)
{
	if (a->starred)
		return false;
	if (a->keyword.n > 0)
		return keyword.n > 0 && sg_str_eq(a->keyword, keyword);
	return position >= 0 && a->position == (uint32_t)position;
}

#endif
