/*
 * Theory of operation.
 *
 * The interpreter is asked in the box, by a script of ours, what there is;
 * then the gate is asked of each module whether a script that imports it
 * would pass.  Both answers are kept: the first one for good, the second one
 * as long as the policy is in force.
 */

#include "pipeline/service_core.h"

#include "base/embed.h"

#include <jansson.h>
#include <stdlib.h>

extern const struct sg_embed sg_embed_packages[];

/* ---- asking the interpreter ---- */

static int
ask_python(struct sg_service *s, struct sg_str *ret, struct sg_err *err)
{
	struct sg_box_spec spec;
	struct sg_result result;
	struct sg_arena arena;
	int status;

	sg_box_spec_init(&spec);
	spec.code = sg_embed_packages[0].data;
	spec.python = s->python.p;
	spec.require = s->opts.require;
	spec.limits.output = SG_PACKAGES_MAX;
	sg_arena_init(&arena, sg_run_arena_size(&spec.limits));
	status = sg_box_run(&spec, &arena, &result, err);
	if (status == SG_OK && result.status != SG_RUN_OK)
		status = sg_err_set(err, SG_EBOX,
				    "the interpreter could not say what it "
				    "has: %s %.*s",
				    sg_run_status_name(result.status),
				    SG_STR_ARG(result.error.value));
	if (status == SG_OK) {
		*ret = sg_arena_dup(&s->packages.texts, result.out.text);
		if (!ret->p)
			status = sg_err_set(err, SG_ENOMEM, "no memory");
	}
	sg_arena_release(&arena);
	return status;
}

/* ---- asking the gate ---- */

static bool
may_import(struct sg_gate *gate, const char *module)
{
	struct sg_check check;
	struct sg_buf code;
	bool good;

	sg_buf_init(&code, 1024);
	sg_buf_printf(&code, "import %s\n", module);
	sg_gate_check(gate, sg_buf_view(&code), NULL, &check);
	good = !sg_buf_failed(&code) && check.verdict.decision != SG_REJECT;
	sg_buf_release(&code);
	return good;
}

/* Moves what may not be imported from `modules` to `rejected`; NULL when
 * there is no memory.  The result is a new list. */
static json_t *
sift(struct sg_gate *gate, const json_t *modules, json_t *rejected)
{
	json_t *good = json_array();
	size_t i;
	json_t *m;

	json_array_foreach(modules, i, m)
	{
		json_t *list = json_is_string(m) &&
					       may_import(gate,
							  json_string_value(m))
				       ? good
				       : rejected;

		if (json_array_append(list, m) < 0) {
			json_decref(good);
			return NULL;
		}
	}
	return good;
}

/* The packages of which something may be imported. */
static json_t *
sift_packages(struct sg_gate *gate, const json_t *packages, json_t *rejected)
{
	json_t *good = json_array(), *p;
	size_t i;

	json_array_foreach(packages, i, p)
	{
		json_t *list = sift(gate, json_object_get(p, "modules"),
				    rejected);

		if (!list || json_object_set_new(p, "modules", list) < 0 ||
		    (json_array_size(list) > 0 &&
		     json_array_append(good, p) < 0)) {
			json_decref(good);
			return NULL;
		}
	}
	return good;
}

static char *
describe(const struct sg_service *s, const struct sg_policy *policy,
	 struct sg_gate *gate)
{
	struct sg_str name = sg_policy_name(policy);
	json_t *raw = json_loadb(s->packages.raw.p, s->packages.raw.n, 0, NULL);
	json_t *rejected = json_array(), *packages, *library, *all;
	char *text = NULL;

	packages = sift_packages(gate, json_object_get(raw, "packages"),
				 rejected);
	library = sift(gate, json_object_get(raw, "standard_library"),
		       rejected);
	all = json_pack("{s:s%, s:s%, s:o, s:o, s:o}", "python", s->version.p,
			s->version.n, "policy", name.p, name.n, "packages",
			packages, "standard_library", library, "rejected",
			rejected);
	if (all)
		text = json_dumps(all, JSON_COMPACT);
	json_decref(all);
	json_decref(raw);
	return text;
}

/* ---- keeping it ---- */

/* Keeps `text` for as long as the service; the same text is kept once. */
static int
keep(struct sg_packages *p, const char *text, struct sg_err *err)
{
	struct sg_str kept;

	if (text && sg_str_eq(p->text, sg_str_c(text)))
		return SG_OK;
	kept = text ? sg_arena_dup(&p->texts, sg_str_c(text)) : SG_STR_NONE;
	if (!kept.p)
		return sg_err_set(err, SG_ENOMEM,
				  "no memory for the list of packages");
	p->text = kept;
	return SG_OK;
}

static int
ask_gate(struct sg_service *s, const struct sg_policy *policy,
	 struct sg_err *err)
{
	struct sg_gate *gate;
	char *text;
	int status = sg_gate_new(policy, s->minor, &gate, err);

	if (status < 0)
		return status;
	text = describe(s, policy, gate);
	sg_gate_free(gate);
	status = keep(&s->packages, text, err);
	free(text);
	return status;
}

/* Both are known; under the lock of the packages. */
static int
find_out(struct sg_service *s, struct sg_err *err)
{
	struct sg_packages *p = &s->packages;
	struct sg_generation *g;
	struct sg_policy *unused;
	int status = SG_OK;

	(void)pthread_mutex_lock(&s->lock);
	g = sg_generation_use(s->generation);
	(void)pthread_mutex_unlock(&s->lock);
	if (!p->raw.p)
		status = ask_python(s, &p->raw, err);
	if (status == SG_OK && p->number != g->number) {
		status = ask_gate(s, g->policy, err);
		if (status == SG_OK)
			p->number = g->number;
	}
	(void)pthread_mutex_lock(&s->lock);
	unused = sg_generation_drop(g);
	(void)pthread_mutex_unlock(&s->lock);
	sg_policy_free(unused);
	return status;
}

int
sg_service_packages(struct sg_service *s, struct sg_str *ret,
		    struct sg_err *err)
{
	int status;

	(void)pthread_mutex_lock(&s->packages.lock);
	status = find_out(s, err);
	if (status == SG_OK)
		*ret = s->packages.text;
	(void)pthread_mutex_unlock(&s->packages.lock);
	return status;
}
