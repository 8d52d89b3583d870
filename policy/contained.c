/*
 * Theory of operation
 *
 * Does a script reach nothing but itself?  A list of words or a simulation
 * may hold any text, "/etc/passwd" too, as long as nothing could open it.
 *
 * The answer is yes when the script imports none but the modules that the
 * rule lists, none of its things can do more than tell the time and the
 * like, and no name is looked up by a text.  What is not known then was
 * still made by the script, for there is nowhere else to get it from.
 */

#include "policy/capability.h"
#include "policy/match.h"

static const char *const harmless[] = { "time", "random", "sleep", "input",
					"exit" };

static uint64_t
harmless_caps(void)
{
	uint64_t caps = 0;
	size_t i;

	for (i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		caps |= sg_capability_bit(harmless[i]);
	return caps;
}

static bool
fact_is_contained(struct sg_judge *j, const struct sg_pat *pat,
		  const struct sg_fact *f, uint64_t allowed)
{
	struct sg_candidate c = { .fact = f, .node = f->node };

	if (f->kind == SG_FACT_DYNAMIC)
		return f->detail == SG_DYNAMIC_CALLEE ||
		       f->detail == SG_DYNAMIC_FORMAT;
	if (f->kind == SG_FACT_ATTR)
		return (f->flags & SG_FACT_BY_NAME) == 0;
	if (f->kind == SG_FACT_IMPORT &&
	    ((f->flags & SG_FACT_BY_NAME) != 0 ||
	     !sg_name_any(pat->names.v, pat->names.n, f->name)))
		return false;
	if (f->kind != SG_FACT_IMPORT && f->kind != SG_FACT_REF &&
	    f->kind != SG_FACT_CALL)
		return true;
	return (sg_judge_caps(j, f, sg_judge_known(j, f->name), &c) &
		~allowed) == 0;
}

bool
sg_match_contained(struct sg_judge *j, const struct sg_pat *pat)
{
	uint64_t allowed;
	bool yes = true;
	uint32_t i;

	/* asked of the same script again and again */
	if (j->contained[pat->id] != 0)
		return j->contained[pat->id] == 1;
	allowed = harmless_caps();
	for (i = 0; i < j->an->nfacts && yes; i++)
		yes = fact_is_contained(j, pat, &j->an->facts[i], allowed);
	j->contained[pat->id] = yes ? 1 : 2;
	return yes;
}
