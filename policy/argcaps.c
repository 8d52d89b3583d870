/* What a fact can do, with the arguments of a call looked at: which mode a
 * file is opened with, and whether a path leads out of the workspace. */

#include "policy/capability.h"
#include "policy/match.h"
#include "policy/path.h"

static bool
text_value(const struct sg_arg_value *v)
{
	return v->kind == SG_ARG_STR || v->kind == SG_ARG_BYTES;
}

static bool
is_spec(const struct sg_arg *a, const struct sg_cap_arg *spec)
{
	return sg_arg_is(a, spec->position, sg_str_c(spec->keyword));
}

static bool
mode_writes(struct sg_str mode)
{
	size_t i;

	for (i = 0; i < mode.n; i++)
		if (memchr("wax+", mode.p[i], 4) != NULL)
			return true;
	return false;
}

static uint64_t
value_mode(const struct sg_judge *j, const struct sg_arg_value *v)
{
	if (!text_value(v))
		return j->cap_read | j->cap_write;
	return mode_writes(v->text) ? j->cap_write : j->cap_read;
}

/* fs.read, fs.write or both, by what the mode of a call may be. */
static uint64_t
mode_caps(const struct sg_judge *j, const struct sg_fact *f,
	  const struct sg_cap_arg *spec)
{
	uint64_t caps = 0;
	uint32_t i, k;

	for (i = 0; i < f->nargs; i++) {
		const struct sg_arg *a = &f->args[i];

		if (a->starred)
			return j->cap_read | j->cap_write;
		if (!is_spec(a, spec))
			continue;
		if (a->unknown || a->nvalues == 0)
			caps |= j->cap_read | j->cap_write;
		for (k = 0; k < a->nvalues; k++)
			caps |= value_mode(j, &a->values[k]);
	}
	return caps != 0 ? caps : j->cap_read;
}

static uint64_t
path_caps(const struct sg_judge *j, const struct sg_cap_entry *e,
	  const struct sg_arg_value *v, struct sg_candidate *c)
{
	const struct sg_strs *ws = &j->p->workspace;
	struct sg_str path = v->text, scheme;

	if (v->kind == SG_ARG_NAME && (sg_str_ends(path, SG_STR("__file__")) ||
				       sg_str_eq(path, SG_STR(SG_ARG_MADE)))) {
		c->path = c->value = path;
		return j->cap_outside;
	}
	if (!text_value(v))
		return 0;
	scheme = (e->flags & SG_CAP_URL) != 0 ? sg_path_scheme(path)
					      : SG_STR_NONE;
	if (sg_str_eq(scheme, SG_STR("file")) ||
	    sg_str_eq(scheme, SG_STR("sqlite"))) {
		path = sg_str_slice(path, scheme.n + 3, path.n);
	} else if (scheme.n == 0 && sg_str_starts(path, SG_STR("file:"))) {
		path = sg_str_slice(path, 5, sg_str_find(path, '?'));
	} else if (scheme.n > 0) {
		c->path = c->value = path;
		return j->cap_net;
	}
	if (!sg_path_outside(ws->v, ws->n, path))
		return 0;
	c->path = c->value = path;
	return j->cap_outside;
}

static uint64_t
argument_caps(const struct sg_judge *j, const struct sg_fact *f,
	      const struct sg_cap_entry *e, struct sg_candidate *c)
{
	uint64_t caps = 0;
	uint32_t i, k, s;

	for (i = 0; i < f->nargs; i++)
		for (s = 0; s < e->npaths; s++) {
			if (!is_spec(&f->args[i], &e->path[s]))
				continue;
			for (k = 0; k < f->args[i].nvalues; k++)
				caps |= path_caps(j, e, &f->args[i].values[k],
						  c);
		}
	return caps;
}

/* Texts of one judgement stay where they are, so the address tells. */
const struct sg_known *
sg_judge_known(struct sg_judge *j, struct sg_str name)
{
	struct sg_known *k =
		&j->known[((uintptr_t)name.p >> 3 ^ name.n) % SG_KNOWN];

	if (name.p != NULL && k->name.text.p == name.p &&
	    k->name.text.n == name.n)
		return k;
	sg_name_init(&k->name, name);
	k->caps = sg_capability_find(&k->name);
	return k;
}

uint64_t
sg_judge_caps(struct sg_judge *j, const struct sg_fact *fact,
	      const struct sg_known *known, struct sg_candidate *c)
{
	const struct sg_cap_entry *e = known->caps;
	const struct sg_ast *ast = &j->an->ast;
	uint64_t caps;

	if (e == NULL)
		return 0;
	caps = e->caps;
	if (fact->kind == SG_FACT_CALL) {
		if ((e->flags & SG_CAP_MODE) != 0)
			caps |= mode_caps(j, fact, &e->mode);
		return caps | argument_caps(j, fact, e, c);
	}
	/* A mere mention may do either; the callee of a call is judged with
	 * its arguments. */
	if ((e->flags & SG_CAP_MODE) != 0 &&
	    !(fact->node != 0 && fact->node <= ast->n &&
	      ast->nodes[fact->node].role == SG_ROLE_FUNC))
		caps |= j->cap_read | j->cap_write;
	return caps;
}
