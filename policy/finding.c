/*
 * Theory of operation
 *
 * What was found is sorted by place; findings of one rule that start at the
 * same place are one (a call, its callee and the module it is in all start
 * there), told by the most exact name.  Exceptions are applied, texts are
 * made for what is kept, and the decision is the worst of all findings,
 * those beyond the cap included.
 */

#include <stdlib.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "policy/capability.h"
#include "policy/limits.h"
#include "policy/match.h"
#include "policy/message.h"

static const char *const decision_names[] = { "pass", "annotate", "reject" };
static const char *const severity_names[] = { "info", "low", "medium", "high",
					      "critical" };

const char *
sg_decision_name(enum sg_decision d)
{
	return decision_names[d];
}

const char *
sg_severity_name(enum sg_severity s)
{
	return severity_names[s];
}

/* --- merging ----------------------------------------------------------------- */

static bool
is_call(const struct sg_raw_finding *f)
{
	return f->fact != NULL && f->fact->kind == SG_FACT_CALL;
}

static int
by_place(const void *a, const void *b)
{
	const struct sg_raw_finding *x = a, *y = b;

	if (x->range.start != y->range.start)
		return x->range.start < y->range.start ? -1 : 1;
	if (x->action != y->action)
		return x->action > y->action ? -1 : 1;
	if (x->rule != y->rule)
		return x->rule < y->rule ? -1 : 1;
	if (x->path.n != y->path.n && (x->path.n == 0 || y->path.n == 0))
		return x->path.n > y->path.n ? -1 : 1;
	if (is_call(x) != is_call(y))
		return is_call(x) ? -1 : 1;
	if (x->name.n != y->name.n)
		return x->name.n > y->name.n ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void
merge(struct sg_judge *j)
{
	uint32_t i, n = 0;

	if (j->raw.n > 1)
		qsort(j->raw.v, j->raw.n, sizeof(*j->raw.v), by_place);
	for (i = 0; i < j->raw.n; i++) {
		const struct sg_raw_finding *f = &j->raw.v[i];
		const struct sg_raw_finding *last = n > 0 ? &j->raw.v[n - 1]
							  : NULL;

		if (last != NULL && f->rule == last->rule &&
		    f->rule != UINT32_MAX &&
		    f->range.start == last->range.start)
			continue;
		j->raw.v[n++] = *f;
	}
	j->raw.n = n;
}

/* Leaves out what is beyond the cap: annotations first, from the end. */
static void
cap(struct sg_judge *j)
{
	uint32_t i, n = 0, rejects = 0, room;

	if (j->raw.n <= SG_FINDINGS_MAX)
		return;
	for (i = 0; i < j->raw.n; i++)
		rejects += j->raw.v[i].action == SG_REJECT;
	room = rejects < SG_FINDINGS_MAX ? SG_FINDINGS_MAX - rejects : 0;
	for (i = 0; i < j->raw.n && n < SG_FINDINGS_MAX; i++) {
		if (j->raw.v[i].action != SG_REJECT && room-- == 0) {
			room = 0;
			continue;
		}
		j->raw.v[n++] = j->raw.v[i];
	}
	j->dropped += j->raw.n - n;
	j->raw.n = n;
}

/* --- exceptions ---------------------------------------------------------------- */

static uint32_t
today(void)
{
	char iso[SG_CLOCK_ISO];
	uint32_t day = 0, i;

	sg_clock_iso(sg_clock_real_us(), iso);
	for (i = 0; i < 10; i++)
		if (iso[i] >= '0' && iso[i] <= '9')
			day = day * 10 + (uint32_t)(iso[i] - '0');
	return day;
}

bool
sg_exception_applies(const struct sg_exception *ex, const char *path,
		     const struct sg_digest *submitted)
{
	char hex[SG_DIGEST_HEX];
	uint32_t i;

	if (ex->until_day != 0 && ex->until_day < today())
		return false;
	if (ex->paths.n > 0 &&
	    (path == NULL ||
	     !sg_name_any(ex->paths.v, ex->paths.n, sg_str_c(path))))
		return false;
	if (ex->digests.n == 0)
		return true;
	sg_digest_hex(submitted, hex);
	for (i = 0; i < ex->digests.n; i++)
		if (sg_str_eq(ex->digests.v[i], sg_str_c(hex)))
			return true;
	return false;
}

/* The exception that turns this finding into an annotation, or NULL. */
static const struct sg_exception *
exception_of(const struct sg_judge *j, const struct sg_raw_finding *f,
	     const bool *applies)
{
	uint32_t i;

	if (f->rule == UINT32_MAX)
		return NULL;
	for (i = 0; i < j->p->nexceptions; i++)
		if (applies[i] && sg_str_glob(j->p->exceptions[i].rule,
					      j->p->rules[f->rule].id))
			return &j->p->exceptions[i];
	return NULL;
}

static void
add_reason(struct sg_judge *j, struct sg_raw_finding *f,
	   const struct sg_exception *ex)
{
	const struct sg_rule *r = &j->p->rules[f->rule];
	struct sg_str text = f->message.n > 0 ? f->message : r->message;

	f->action = SG_ANNOTATE;
	f->message = sg_arena_printf(j->arena, "%.*s (excepted: %.*s)",
				     SG_STR_ARG(text), SG_STR_ARG(ex->reason));
}

/*
 * Only findings that are kept can be excepted; when some were dropped the
 * decision stays as it was.
 */
static int
apply_exceptions(struct sg_judge *j, const char *path, struct sg_err *err)
{
	const struct sg_exception *ex;
	bool *applies;
	uint32_t i;

	if (j->p->nexceptions == 0)
		return SG_OK;
	applies = SG_NEWN(j->arena, bool, j->p->nexceptions);
	if (applies == NULL)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	for (i = 0; i < j->p->nexceptions; i++)
		applies[i] = sg_exception_applies(&j->p->exceptions[i], path,
						  &j->an->source.submitted);
	if (j->dropped == 0)
		j->worst = SG_PASS;
	for (i = 0; i < j->raw.n; i++) {
		struct sg_raw_finding *f = &j->raw.v[i];

		ex = exception_of(j, f, applies);
		if (ex != NULL && f->action == SG_REJECT)
			add_reason(j, f, ex);
		if (f->action > j->worst)
			j->worst = f->action;
	}
	return SG_OK;
}

/* --- texts ----------------------------------------------------------------------- */

static struct sg_str
first_cap(uint64_t caps)
{
	uint32_t bit;

	for (bit = 0; bit < sg_capability_count(); bit++)
		if ((caps >> bit & 1) != 0)
			return sg_str_c(sg_capability_name(bit));
	return SG_STR_NONE;
}

static struct sg_str
snippet(const struct sg_judge *j, struct sg_range r)
{
	struct sg_str text = sg_str_slice(j->an->source.text, r.start, r.end);

	return sg_message_quote(sg_str_slice(text, 0, sg_str_find(text, '\n')),
				j->arena);
}

static struct sg_str
static_text(const char *c)
{
	return c != NULL ? sg_str_c(c) : SG_STR("");
}

static void
problem_texts(struct sg_judge *j, const struct sg_raw_finding *raw,
	      struct sg_finding *f)
{
	const struct sg_problem *p = raw->problem;
	const struct sg_problem_text *t = sg_problem_text_find(p->code);
	struct sg_str *cwe;

	f->rule = sg_str_c(p->code);
	f->title = static_text(t->title);
	f->hint = static_text(t->hint);
	f->severity = t->severity;
	f->message = p->message.n > 0 ? sg_message_quote(p->message, j->arena)
				      : f->title;
	f->fact = SG_STR("problem");
	if (t->cwe == NULL)
		return;
	cwe = SG_NEW(j->arena, struct sg_str);
	if (cwe == NULL)
		return;
	*cwe = sg_str_c(t->cwe);
	f->cwe = cwe;
	f->ncwe = 1;
}

static void
rule_texts(struct sg_judge *j, const struct sg_raw_finding *raw,
	   struct sg_finding *f)
{
	const struct sg_rule *r = &j->p->rules[raw->rule];
	struct sg_message_values values = { raw->name, raw->module, raw->path,
					    raw->value, first_cap(raw->caps) };
	struct sg_str tmpl = raw->message.n > 0 ? raw->message : r->message;

	if (tmpl.n == 0)
		tmpl = r->title;
	if (values.path.n == 0)
		values.path = values.value;
	f->rule = r->id;
	f->title = r->title;
	f->severity = r->severity;
	f->message = sg_message_fill(tmpl, &values, j->arena);
	f->hint = sg_message_fill(r->hint, &values, j->arena);
	f->cwe = r->cwe.v;
	f->ncwe = r->cwe.n;
	f->name = sg_message_quote(raw->name, j->arena);
	if (raw->fact != NULL) {
		f->fact = static_text(
			sg_fact_kind_name((enum sg_fact_kind)raw->fact->kind));
		f->chain = sg_analysis_chain(j->an, raw->fact, j->arena);
	} else {
		f->fact = SG_STR("text");
	}
}

static void
make_finding(struct sg_judge *j, const struct sg_raw_finding *raw,
	     struct sg_finding *f)
{
	f->action = raw->action;
	f->range = raw->range;
	f->begin = sg_source_place(&j->an->source, raw->range.start);
	f->end = sg_source_place(&j->an->source, raw->range.end);
	f->snippet = snippet(j, raw->range);
	if (raw->rule == UINT32_MAX)
		problem_texts(j, raw, f);
	else
		rule_texts(j, raw, f);
}

/* --- capabilities ------------------------------------------------------------------ */

static int
by_use(const void *a, const void *b)
{
	const struct sg_cap_use *x = a, *y = b;

	if (x->bit != y->bit)
		return strcmp(sg_capability_name(x->bit),
			      sg_capability_name(y->bit));
	return x->at < y->at ? -1 : x->at > y->at;
}

static void
make_uses(struct sg_judge *j, struct sg_verdict *v)
{
	struct sg_capability_use *uses;
	uint32_t *lines, i, n = 0, nlines = 0, line;

	if (j->uses.n == 0)
		return;
	qsort(j->uses.v, j->uses.n, sizeof(*j->uses.v), by_use);
	uses = SG_NEWN(j->arena, struct sg_capability_use,
		       sg_capability_count());
	lines = SG_NEWN(j->arena, uint32_t, j->uses.n);
	if (uses == NULL || lines == NULL)
		return;
	for (i = 0; i < j->uses.n; i++) {
		line = sg_source_place(&j->an->source, j->uses.v[i].at).line;
		if (i == 0 || j->uses.v[i].bit != j->uses.v[i - 1].bit) {
			uses[n].name =
				sg_str_c(sg_capability_name(j->uses.v[i].bit));
			uses[n++].lines = &lines[nlines];
		} else if (lines[nlines - 1] == line) {
			continue;
		}
		uses[n - 1].nlines++;
		lines[nlines++] = line;
	}
	v->capabilities = uses;
	v->ncapabilities = n;
}

int
sg_judge_finish(struct sg_judge *j, const char *path, struct sg_verdict *ret,
		struct sg_err *err)
{
	struct sg_verdict v = { .decision = SG_PASS };
	struct sg_finding *findings;
	uint32_t i;
	int rc;

	merge(j);
	rc = apply_exceptions(j, path, err);
	if (rc != SG_OK)
		return rc;
	cap(j);
	findings = SG_NEWN(j->arena, struct sg_finding, j->raw.n + 1);
	if (findings == NULL)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	for (i = 0; i < j->raw.n; i++)
		make_finding(j, &j->raw.v[i], &findings[i]);
	make_uses(j, &v);
	if (sg_arena_failed(j->arena))
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	v.decision = j->worst;
	v.findings = findings;
	v.nfindings = j->raw.n;
	v.nsuppressed = j->dropped;
	memcpy(v.dynamic, j->an->dynamic, sizeof(v.dynamic));
	v.policy = j->p->name;
	v.policy_digest = j->p->digest;
	v.submitted = j->an->source.submitted;
	v.canonical = j->an->source.canonical;
	*ret = v;
	return SG_OK;
}
