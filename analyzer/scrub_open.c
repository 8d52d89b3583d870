#include "analyzer/scrub_emit.h"

/* The stack of what is open in the skeleton. */

bool
sg_emit_push(struct sg_emit *e, enum sg_open_kind kind)
{
	if (e->s->nopen == SG_MAX_OPEN)
		return sg_scrub_refuse(e->s, e->t[e->i].start, e->t[e->i].end,
				       "the expression is nested too deeply");
	e->s->open[e->s->nopen++] = (struct sg_open){ (uint8_t)kind, 0 };
	return true;
}

/* Takes the top off the stack and closes what the skeleton opened for it. */
bool
sg_emit_pop(struct sg_emit *e)
{
	enum sg_open_kind kind = sg_emit_top(e);

	if (kind == SG_OPEN_STAR || kind == SG_OPEN_TYPE ||
	    kind == SG_OPEN_AWAIT || kind == SG_OPEN_TUPLE ||
	    kind == SG_OPEN_ITEM || kind == SG_OPEN_WALRUS) {
		if (e->opened == e->s->out.n)
			return sg_emit_refuse(e);
		if (!sg_emit_room(e))
			return false;
		sg_emit_put(e, kind == SG_OPEN_STAR ? "]" : ")", 1);
	}
	e->s->nopen--;
	return true;
}

bool
sg_emit_pop_stars(struct sg_emit *e)
{
	while (sg_emit_top(e) == SG_OPEN_STAR ||
	       sg_emit_top(e) == SG_OPEN_WALRUS)
		if (!sg_emit_pop(e))
			return false;
	return true;
}

/* Ends stars and annotations: at commas, equal signs and the like. */
bool
sg_emit_pop_wraps(struct sg_emit *e)
{
	while (sg_emit_top(e) == SG_OPEN_STAR ||
	       sg_emit_top(e) == SG_OPEN_TYPE ||
	       sg_emit_top(e) == SG_OPEN_WALRUS ||
	       sg_emit_top(e) == SG_OPEN_ITEM)
		if (!sg_emit_pop(e))
			return false;
	return true;
}

bool
sg_emit_pop_to_bracket(struct sg_emit *e)
{
	while (e->s->nopen && sg_emit_top(e) != SG_OPEN_BRACKET &&
	       sg_emit_top(e) != SG_OPEN_PARAMS &&
	       sg_emit_top(e) != SG_OPEN_TYPES &&
	       sg_emit_top(e) != SG_OPEN_FIELD)
		if (!sg_emit_pop(e))
			return false;
	return true;
}
