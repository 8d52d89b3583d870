/* The section `exceptions`: scripts for which a rule does not reject. */

#include "policy/limits.h"
#include "policy/load.h"

static int
read_ex_rule(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	return sg_load_text(ld, v, &((struct sg_exception *)into)->rule);
}

static int
read_ex_path(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	return sg_load_strs(ld, v, &((struct sg_exception *)into)->paths);
}

static int
read_ex_digest(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	struct sg_exception *ex = into;
	struct sg_digest d;
	uint32_t i;
	int rc = sg_load_strs(ld, v, &ex->digests);

	for (i = 0; rc == SG_OK && i < ex->digests.n; i++)
		if (!sg_digest_parse(ex->digests.v[i], &d))
			return sg_load_fail(ld, sg_load_item(ld, v, i),
					    "policy.digest",
					    "'%.*s' is not a SHA-256 in "
					    "hexadecimal",
					    SG_STR_ARG(ex->digests.v[i]));
	return rc;
}

static int
read_ex_when(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	static const struct sg_field fields[] = {
		{ "path", read_ex_path, 0 },
		{ "digest", read_ex_digest, 0 },
		{ NULL, NULL, 0 },
	};
	int rc = sg_load_map(ld, v, fields, "'when'", into);

	if (rc == SG_OK && v->n == 0)
		rc = sg_load_fail(ld, v, "policy.value",
				  "'when' names neither path nor digest");
	return rc;
}

static bool
two_digits(const char *p, uint32_t min, uint32_t max, uint32_t *ret)
{
	uint32_t n;

	if (p[0] < '0' || p[0] > '9' || p[1] < '0' || p[1] > '9')
		return false;
	n = (uint32_t)(p[0] - '0') * 10 + (uint32_t)(p[1] - '0');
	*ret = n;
	return n >= min && n <= max;
}

static int
read_ex_until(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	static const uint8_t days[] = { 31, 29, 31, 30, 31, 30,
					31, 31, 30, 31, 30, 31 };
	struct sg_exception *ex = into;
	uint32_t century, year, month, day;
	const char *p;
	int rc = sg_load_text(ld, v, &ex->until);

	if (rc != SG_OK)
		return rc;
	p = ex->until.p;
	if (ex->until.n != 10 || p[4] != '-' || p[7] != '-' ||
	    !two_digits(p, 19, 99, &century) ||
	    !two_digits(p + 2, 0, 99, &year) ||
	    !two_digits(p + 5, 1, 12, &month) ||
	    !two_digits(p + 8, 1, days[month - 1], &day))
		return sg_load_fail(ld, v, "policy.date",
				    "'%.*s' is not a date like 2027-01-31",
				    SG_STR_ARG(ex->until));
	ex->until_day = ((century * 100 + year) * 100 + month) * 100 + day;
	return SG_OK;
}

static int
read_ex_reason(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	return sg_load_text(ld, v, &((struct sg_exception *)into)->reason);
}

int
sg_load_exceptions(struct sg_load *ld, const struct sg_doc_node *v, void *into)
{
	static const struct sg_field fields[] = {
		{ "rule", read_ex_rule, SG_FIELD_REQUIRED },
		{ "when", read_ex_when, SG_FIELD_REQUIRED },
		{ "until", read_ex_until, 0 },
		{ "reason", read_ex_reason, SG_FIELD_REQUIRED },
		{ NULL, NULL, 0 },
	};
	const struct sg_doc_node *item;
	int rc = sg_load_list(ld, v, "'exceptions'");

	(void)into;
	for (item = v->first; rc == SG_OK && item != NULL; item = item->next) {
		struct sg_exception ex = { .until_day = 0 };

		rc = sg_load_map(ld, item, fields, "an exception", &ex);
		if (rc != SG_OK)
			return rc;
		ex.mark = sg_load_mark(ld, sg_doc_get(item, "rule"));
		if (!SG_VEC_ROOM(&ld->exceptions, 1, SG_POLICY_ITEMS))
			return sg_load_nomem(ld);
		ld->exceptions.v[ld->exceptions.n++] = ex;
	}
	return rc;
}

int
sg_load_check_exceptions(struct sg_load *ld)
{
	uint32_t i, k;

	for (i = 0; i < ld->exceptions.n; i++) {
		const struct sg_exception *ex = &ld->exceptions.v[i];

		for (k = 0; k < ld->rules.n; k++)
			if (sg_str_glob(ex->rule, ld->rules.v[k].id))
				break;
		if (k < ld->rules.n)
			continue;
		(void)sg_err_set(ld->err, SG_EPOLICY, "there is no rule '%.*s'",
				 SG_STR_ARG(ex->rule));
		(void)sg_err_code(ld->err, "policy.unknown-rule");
		return sg_err_at(ld->err, ex->mark.file, ex->mark.line,
				 ex->mark.column);
	}
	return SG_OK;
}
