#include "executor/ready.h"

#include <stdlib.h>

#include "base/clock.h"

/*
 * Theory of operation.  The order is made of a specification that has what
 * it depends on and nothing else, so that a mistake in what is compared
 * shows as a run without its files, not as one with another's.
 *
 * Limits are compared byte by byte: padding can make two that are the same
 * look different, which costs a box, but never the other way round.
 */

enum { ARENA = 1 << 20 }; /* a filter, where none is built in */

void
sg_ready_spec(const struct sg_box_spec *spec, struct sg_box_spec *ret)
{
	sg_box_spec_init(ret);
	ret->limits = spec->limits;
	ret->has_input = spec->has_input;
	ret->require = spec->require;
	ret->files = spec->files;
	ret->nfiles = spec->nfiles;
}

bool
sg_ready_fits(const struct sg_box_spec *of, const struct sg_box_spec *spec)
{
	const void *a = &of->limits, *b = &spec->limits;

	return of->nfiles == 0 && spec->nfiles == 0 &&
	       of->has_input == spec->has_input &&
	       of->require == spec->require &&
	       memcmp(a, b, sizeof(of->limits)) == 0;
}

struct sg_ready *
sg_ready_new(const struct sg_ready_for *f, int sock, int report)
{
	struct sg_ready *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->spec = f->spec;
	r->prepared = f->prepared;
	sg_arena_init(&r->arena, ARENA);
	sg_attempt_init(&r->a, &r->spec, NULL, &r->arena, &r->none);
	r->a.prepared = *f->prepared;
	r->a.groups = f->groups;
	r->a.orders = f->orders;
	r->a.want = f->want;
	r->a.cpus = f->cpus;
	memcpy(r->a.missing, f->missing, sizeof(r->a.missing));
	if (sg_attempt_arrange(&r->a, sock, report, NULL) == SG_OK)
		return r;
	sg_ready_free(r);
	return NULL;
}

void
sg_ready_aim(struct sg_ready *r, const struct sg_box_spec *spec,
	     struct sg_arena *arena, struct sg_result *ret)
{
	r->a.spec = r->a.watch.spec = r->a.plan.spec = spec;
	r->a.arena = arena;
	r->a.ret = ret;
	r->a.begun = sg_clock_mono();
}

void
sg_ready_free(struct sg_ready *r)
{
	if (!r)
		return;
	sg_attempt_release(&r->a);
	sg_arena_release(&r->arena);
	free(r);
}
