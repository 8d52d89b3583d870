/* What a loaded policy says of itself. */

#include "policy/policy.h"

#include <stdlib.h>

#include "analyzer/query.h"
#include "policy/compiled.h"

void
sg_policy_free(struct sg_policy *p)
{
	uint32_t i;

	if (p == NULL)
		return;
	for (i = 0; i < p->nregexes; i++)
		sg_regex_free(p->regexes[i]);
	for (i = 0; i < p->nqueries; i++)
		sg_query_free(p->queries[i]);
	sg_name_index_release(&p->index);
	sg_name_index_release(&p->import_index);
	sg_arena_release(&p->arena);
	free(p);
}

struct sg_str
sg_policy_name(const struct sg_policy *p)
{
	return p->name;
}

struct sg_digest
sg_policy_digest(const struct sg_policy *p)
{
	return p->digest;
}

struct sg_limits
sg_policy_limits(const struct sg_policy *p)
{
	return p->limits;
}

uint32_t
sg_policy_rule_count(const struct sg_policy *p)
{
	return p->nrules;
}

void
sg_policy_rule(const struct sg_policy *p, uint32_t index,
	       struct sg_rule_info *ret)
{
	static const char *const actions[] = { "off", "annotate", "reject" };
	const struct sg_rule *r = &p->rules[index];

	*ret = (struct sg_rule_info){
		.id = r->id,
		.title = r->title,
		.message = r->message,
		.hint = r->hint,
		.severity = r->severity,
		.action = actions[r->action],
		.file = r->mark.file,
		.line = r->mark.line,
		.column = r->mark.column,
		.cwe = r->cwe.v,
		.ncwe = r->cwe.n,
		.tags = r->tags.v,
		.ntags = r->tags.n,
		.references = r->references.v,
		.nreferences = r->references.n,
		.ntests = r->ntests,
	};
}

bool
sg_policy_rule_test(const struct sg_policy *p, uint32_t rule, uint32_t index,
		    struct sg_policy_test *ret)
{
	const struct sg_rule *r = &p->rules[rule];
	const struct sg_rule_test *t;

	if (index >= r->ntests)
		return false;
	t = &r->tests[index];
	*ret = (struct sg_policy_test){ .rule = r->id,
					.hit = t->hit,
					.index = t->index,
					.line = t->mark.line,
					.column = t->mark.column,
					.code = t->code };
	return true;
}

const struct sg_policy_warning *
sg_policy_warnings(const struct sg_policy *p, uint32_t *ret_n)
{
	*ret_n = p->nwarnings;
	return p->warnings;
}
