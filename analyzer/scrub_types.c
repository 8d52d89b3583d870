#include "analyzer/scrub_emit.h"

/* Type parameters: written as calls, with bound and default as keywords. */

/* A bound or default of a type parameter, or the end of one. */
bool
sg_emit_types_mark(struct sg_emit *e, unsigned kind)
{
	struct sg_open *types;

	if (!sg_emit_pop_wraps(e))
		return false;
	types = &e->s->open[e->s->nopen - 1];
	if (types->state == SG_TYPES_START && kind != SG_TOK_RSQB)
		return sg_emit_refuse(e);
	if (kind == SG_TOK_COMMA || kind == SG_TOK_RSQB) {
		if (types->state != SG_TYPES_START)
			SG_EMIT_PUT(e, ")");
		types->state = SG_TYPES_START;
		sg_emit_token(e);
		return true;
	}
	sg_emit_place(e);
	if (kind == SG_TOK_COLON && types->state == SG_TYPES_NAME) {
		SG_EMIT_PUT(e, "b=");
		types->state = SG_TYPES_BOUND;
	} else if (kind == SG_TOK_EQUAL && types->state < SG_TYPES_DEFAULT) {
		if (e->s->minor < 13)
			return sg_emit_too_old(e, 13,
					       "a type parameter's default");
		if (types->state == SG_TYPES_BOUND)
			SG_EMIT_PUT(e, ",");
		SG_EMIT_PUT(e, "d=");
		types->state = SG_TYPES_DEFAULT;
	} else {
		return sg_emit_refuse(e);
	}
	SG_EMIT_OPEN(e, "(");
	return sg_emit_push(e, SG_OPEN_TYPE);
}

bool
sg_emit_is_types(const struct sg_emit *e)
{
	unsigned before;

	if (e->i < 2 || !sg_tok_is_name(e->t[e->i - 1].kind) || e->s->nopen)
		return false;
	before = e->t[e->i - 2].kind;
	return before == SG_TOK_DEF || before == SG_TOK_CLASS ||
	       (e->stmt == SG_STMT_TYPE && e->i == e->stmt_start + 2);
}

/* Whether a token may stand in a list of type parameters, where the skeleton
 * has a call open after each name. */
bool
sg_emit_fits_types(const struct sg_emit *e, unsigned kind)
{
	const struct sg_open *types = &e->s->open[e->s->nopen - 1];
	unsigned next = sg_emit_kind(e, e->i + 1);

	if (types->state == SG_TYPES_START)
		return sg_tok_is_name(kind) || kind == SG_TOK_RSQB ||
		       ((kind == SG_TOK_STAR || kind == SG_TOK_DOUBLESTAR) &&
			sg_tok_is_name(next));
	return kind == SG_TOK_COLON || kind == SG_TOK_EQUAL ||
	       kind == SG_TOK_COMMA || kind == SG_TOK_RSQB;
}
