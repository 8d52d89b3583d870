#include "analyzer/literal.h"
#include "analyzer/tree_build.h"

/*
 * Strings.  A string without fields is a leaf.  One with fields is a set in
 * the skeleton, whose elements are the fields' expressions in order, those
 * of format specs included: before each, the parts that precede it are
 * written, and the rest when the set is left.
 */

static bool
too_long(struct sg_build *b)
{
	return sg_buf_failed(&b->chars) ? sg_build_no_memory(b) : true;
}

/* Appends the decoded text of one part. */
static bool
decode_part(struct sg_build *b, const struct sg_part *p, uint32_t token)
{
	struct sg_str text = { b->text + p->start, p->end - p->start };
	unsigned flags = 0;
	const char *wrong;

	if (p->flags & SG_PART_RAW)
		flags |= SG_LITERAL_RAW;
	if (p->flags & SG_PART_BYTES)
		flags |= SG_LITERAL_BYTES;
	if ((p->flags & SG_PART_FORMAT) && !(p->flags & SG_PART_IN_SPEC))
		flags |= SG_LITERAL_BRACES;
	wrong = sg_literal_decode(text, flags, b->job->minor, &b->chars);
	if (wrong)
		return sg_build_refuse(b, sg_build_range(b, token, token), "%s",
				       wrong);
	return too_long(b);
}

/* Emits what has been decoded as a constant, when there is something or
 * `even_empty`. */
static bool
flush(struct sg_build *b, uint32_t token, bool bytes, bool even_empty)
{
	struct sg_const c = { .kind = bytes ? SG_CONST_BYTES : SG_CONST_STR };

	if (b->chars.len == 0 && !even_empty)
		return true;
	c.str = sg_arena_dup(b->job->arena, sg_buf_view(&b->chars));
	if (!c.str.p)
		return sg_build_no_memory(b);
	sg_buf_reset(&b->chars);
	if (!sg_build_constant(b, token, c))
		return false;
	sg_build_of(b, &b->values.v[b->values.n - 1])->role = SG_ROLE_VALUE;
	return true;
}

/* Most strings are one part without escapes: a view of the text will do. */
static bool
plain_view(struct sg_build *b, const struct sg_part *p, struct sg_const *ret)
{
	const char *text = b->text + p->start;
	size_t n = p->end - p->start;

	if (p->next || (!(p->flags & SG_PART_RAW) && memchr(text, '\\', n)))
		return false;
	ret->kind = p->flags & SG_PART_BYTES ? SG_CONST_BYTES : SG_CONST_STR;
	ret->str = (struct sg_str){ text, n };
	return true;
}

static bool
emit_string(struct sg_build *b, uint32_t token, const struct sg_literal *l)
{
	struct sg_const c = { 0 };
	const struct sg_part *parts = b->scrub->parts.v;
	uint32_t base = b->values.n;
	struct sg_value *v;

	if (l->first && !l->format && !l->templ &&
	    plain_view(b, &parts[l->first], &c))
		return sg_build_constant(b, token, c);
	for (uint32_t p = l->first; p; p = parts[p].next)
		if (!decode_part(b, &parts[p], token))
			return false;
	if (!l->format && !l->templ)
		return flush(b, token, l->bytes, true);
	if (!flush(b, token, false, false))
		return false;
	v = sg_build_emit(b, l->templ ? SG_AST_TemplateStr : SG_AST_JoinedStr,
			  SG_RULE_FSTRING, token, token, base);
	return v != NULL;
}

bool
sg_build_literal(struct sg_build *b, uint32_t token)
{
	const struct sg_token *t = &b->tokens[token];
	struct sg_const c;

	if (t->kind == SG_TOK_STRING)
		return emit_string(b, token, &b->scrub->literals.v[t->aux]);
	if (t->kind != SG_TOK_NUMBER)
		return sg_build_refuse(b, sg_build_range(b, token, token),
				       "invalid syntax");
	sg_literal_number(
		(struct sg_str){ b->text + t->start, t->end - t->start }, &c);
	return sg_build_constant(b, token, c);
}

/* --- strings with fields ------------------------------------------------------ */

bool
sg_build_fstring_begin(struct sg_build *b, struct sg_frame *f)
{
	uint32_t literal = b->tokens[f->tok0].aux;

	if (b->nfstrings == SG_MAX_FSTRINGS)
		return sg_build_refuse(b, sg_build_range(b, f->tok0, f->tok0),
				       "too many nested f-strings");
	f->aux = (uint16_t)b->nfstrings++;
	b->fstrings[f->aux] = (struct sg_fstring){
		.part = b->scrub->literals.v[literal].first
	};
	return true;
}

static bool
push_base(struct sg_build *b, struct sg_fstring *s)
{
	if (s->nbases == sizeof(s->base) / sizeof(*s->base))
		return sg_build_no_memory(b);
	s->base[s->nbases++] = b->values.n;
	return true;
}

/* Emits a node over what was pushed since the last base, with the part's
 * range. */
static bool
close_base(struct sg_build *b, struct sg_fstring *s, enum sg_ast_kind kind,
	   enum sg_role role, uint32_t token, struct sg_range range)
{
	struct sg_value *v = sg_build_emit(b, kind, SG_RULE_FSTRING, token,
					   token, s->base[--s->nbases]);

	if (!v)
		return false;
	sg_build_of(b, v)->role = (uint8_t)role;
	sg_build_of(b, v)->range = range;
	return true;
}

/* The field that ends with part `end`: its FIELD part lies at `field`. */
static bool
close_field(struct sg_build *b, struct sg_fstring *s, uint32_t token,
	    uint32_t field)
{
	const struct sg_part *p = &b->scrub->parts.v[field];
	struct sg_value *first = &b->values.v[s->base[s->nbases - 1]];
	bool spec = b->values.n - s->base[s->nbases - 1] > 1;
	/* The format spec of a template is an f-string. */
	bool templ = (p->flags & SG_PART_TEMPLATE) && s->nfields == 0;
	char conversion = p->conversion;

	if (!sg_build_take(b, first, SG_ROLE_VALUE, SG_ALLOW_YIELD))
		return false;
	if (p->debug_end && !conversion && !spec)
		conversion = 'r';
	if (!close_base(b, s,
			templ ? SG_AST_Interpolation : SG_AST_FormattedValue,
			SG_ROLE_VALUE, token,
			(struct sg_range){ p->start, p->end }))
		return false;
	sg_build_of(b, &b->values.v[b->values.n - 1])->level =
		(uint8_t)conversion;
	return true;
}

/* Adds text of the script without the joins of its lines. */
static void
add_joined(struct sg_build *b, uint32_t start, uint32_t end)
{
	for (uint32_t i = start; i + 1 < end; i++) {
		if (b->text[i] != '\\' || b->text[i + 1] != '\n')
			continue;
		sg_buf_add(&b->chars, b->text + start, i - start);
		start = i + 2;
		i++;
	}
	sg_buf_add(&b->chars, b->text + start, end - start);
}

/* The text of `{x = }` up to where its value comes, without comments. */
static void
add_debug(struct sg_build *b, uint32_t start, uint32_t end)
{
	uint32_t lo = 0, hi = b->scrub->comments.n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (b->scrub->comments.v[mid].start < start)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (;
	     lo < b->scrub->comments.n && b->scrub->comments.v[lo].start < end;
	     lo++) {
		const struct sg_range *c = &b->scrub->comments.v[lo];

		add_joined(b, start, c->start);
		start = c->end;
	}
	add_joined(b, start, end);
}

/* Writes parts up to the next field's expression, or to the end. */
static bool
write_parts(struct sg_build *b, struct sg_frame *f, bool to_field)
{
	struct sg_fstring *s = &b->fstrings[f->aux];
	const struct sg_part *parts = b->scrub->parts.v;
	uint32_t token = f->tok0;

	for (uint32_t at = s->part; at; at = s->part) {
		const struct sg_part *p = &parts[at];
		struct sg_range range = { p->start, p->end };
		bool good = true;

		s->part = p->next;
		switch (p->kind) {
		case SG_PART_TEXT:
			good = decode_part(b, p, token);
			break;
		case SG_PART_FIELD:
			if (p->debug_end) {
				add_debug(b, p->start + 1, p->debug_end);
				good = too_long(b);
			}
			good = good && flush(b, token, false, false) &&
			       push_base(b, s);
			s->field[s->nfields++] = at;
			if (good && to_field)
				return true;
			break;
		case SG_PART_SPEC:
			good = push_base(b, s);
			break;
		case SG_PART_SPEC_END:
			good = flush(b, token, false, false) &&
			       close_base(b, s, SG_AST_JoinedStr,
					  SG_ROLE_FORMAT_SPEC, token, range);
			break;
		default:
			good = close_field(b, s, token, s->field[--s->nfields]);
			break;
		}
		if (!good)
			return false;
	}
	return true;
}

bool
sg_build_fstring_next(struct sg_build *b, struct sg_frame *f)
{
	return write_parts(b, f, true);
}

bool
sg_build_fstring(struct sg_build *b, struct sg_frame *f)
{
	const struct sg_literal *l =
		&b->scrub->literals.v[b->tokens[f->tok0].aux];
	struct sg_value *v;

	if (!write_parts(b, f, false) || !flush(b, f->tok0, false, false))
		return false;
	b->nfstrings--;
	v = sg_build_emit(b, l->templ ? SG_AST_TemplateStr : SG_AST_JoinedStr,
			  SG_RULE_FSTRING, f->tok0, b->end_at, f->base);
	return v != NULL;
}
