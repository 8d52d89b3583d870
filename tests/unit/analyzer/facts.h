#ifndef SG_TESTS_FACTS_H
#define SG_TESTS_FACTS_H

/*
 * One line a case: a script, and a fact that it must or must not give.
 *
 *	static const struct sg_case cases[] = {
 *		HAS("import os as o\no.system('x')", CALL, "os.system"),
 *		LACKS("model.eval()", REF, "builtins.eval"),
 *	};
 *	check_cases(cases, sizeof(cases) / sizeof(*cases));
 */

#include "analyzer/analysis.h"
#include "unit/support.h"

struct sg_case {
	int line;
	const char *code;
	enum sg_fact_kind kind;
	enum sg_dynamic detail;
	const char *name;
	bool present;
};

#define HAS(code, kind, name)                                               \
	{                                                                   \
		__LINE__, code, SG_FACT_##kind, SG_DYNAMIC_NONE, name, true \
	}
#define LACKS(code, kind, name)                                              \
	{                                                                    \
		__LINE__, code, SG_FACT_##kind, SG_DYNAMIC_NONE, name, false \
	}
/* Something that could not be resolved; name: its base, "" for none. */
#define DYNAMIC(code, what, name)                                              \
	{                                                                      \
		__LINE__, code, SG_FACT_DYNAMIC, SG_DYNAMIC_##what, name, true \
	}
#define KNOWN(code, what)                                                 \
	{                                                                 \
		__LINE__, code, SG_FACT_DYNAMIC, SG_DYNAMIC_##what, NULL, \
			false                                             \
	}

/* The analysis of `code`; one analyzer for the whole program. */
static inline const struct sg_analysis *
analyse(const char *code)
{
	static struct sg_analyzer *a;
	const struct sg_analysis *an = NULL;
	struct sg_limits limits = sg_limits_default();
	struct sg_err err = { .status = SG_OK };

	limits.time_ms = 60000; /* the host may be busy */
	if (!a)
		ck_good(sg_analyzer_new(NULL, &a, &err), &err);
	ck_good(sg_analyze(a, sg_str_c(code), &limits, &an, &err), &err);
	return an;
}

/* The first fact like that, or NULL; name NULL takes any. */
static inline const struct sg_fact *
find_fact(const struct sg_analysis *an, enum sg_fact_kind kind,
	  const char *name)
{
	for (uint32_t i = 0; i < an->nfacts; i++)
		if (an->facts[i].kind == kind &&
		    (!name || sg_str_eq(an->facts[i].name, sg_str_c(name))))
			return &an->facts[i];
	return NULL;
}

static inline bool
case_holds(const struct sg_case *c)
{
	const struct sg_analysis *an = analyse(c->code);
	bool found = false;

	if (an->nproblems)
		return false;
	for (uint32_t i = 0; i < an->nfacts; i++)
		found = found || (an->facts[i].kind == c->kind &&
				  an->facts[i].detail == c->detail &&
				  (!c->name || sg_str_eq(an->facts[i].name,
							 sg_str_c(c->name))));
	return found == c->present;
}

static inline void
check_cases(const struct sg_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!case_holds(&cases[i]))
			ck_abort_msg("line %d: %s %s %s in:\n%s", cases[i].line,
				     cases[i].present ? "no" : "a",
				     sg_fact_kind_name(cases[i].kind),
				     cases[i].name ? cases[i].name : "",
				     cases[i].code);
}

#define CHECK_CASES(cases) check_cases(cases, sizeof(cases) / sizeof(*(cases)))

#endif
