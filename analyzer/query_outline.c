/*
 * Theory of operation
 *
 * tree-sitter reads queries of people that it trusts: it recurses into each
 * bracket, follows its own links for ever when a predicate stands where a
 * node should, reads beyond its arrays when one stands alone, and loses
 * memory when a field has no such name.  So a query is walked over here
 * first, mark by mark, and what is not safe to hand on is refused, with
 * its place.  What is merely wrong tree-sitter says itself.
 */

#include "analyzer/query_outline.h"

#include <tree_sitter/api.h>

const TSLanguage *tree_sitter_python(void);

static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

/* Where the blank or comment at `at` ends. */
static size_t
skip_blanks(struct sg_str text, size_t at)
{
	while (at < text.n) {
		if (text.p[at] == ';')
			while (at < text.n && text.p[at] != '\n')
				at++;
		else if (strchr(" \t\r\n\f\v", text.p[at]) && text.p[at])
			at++;
		else
			break;
	}
	return at;
}

/* After the string whose quote is at `at`. */
static size_t
skip_string(struct sg_str text, size_t at)
{
	for (at++; at < text.n && text.p[at] != '"' && text.p[at] != '\n'; at++)
		if (text.p[at] == '\\')
			at++;
	return at + 1;
}

static bool
fails(struct sg_query_outline *o, size_t at, const char *why)
{
	o->at = at;
	o->why = why;
	return false;
}

/* A node has been seen, or a name, at this level. */
static void
fill(struct sg_query_outline *o)
{
	o->level[o->depth].filled = true;
	o->after_colon = o->negated = false;
}

static bool
check_field(struct sg_query_outline *o)
{
	struct sg_str word = sg_str_slice(o->text, o->word, o->word_end);

	if (word.n == 0 ||
	    ts_language_field_id_for_name(tree_sitter_python(), word.p,
					  (uint32_t)word.n) != 0)
		return true;
	return fails(o, o->word, NULL);
}

static bool
read_word(struct sg_query_outline *o, size_t *at)
{
	bool negated = o->negated;

	o->word = *at;
	while (*at < o->text.n &&
	       (is_word(o->text.p[*at]) || o->text.p[*at] == '?' ||
		o->text.p[*at] == '!'))
		++*at;
	o->word_end = *at;
	fill(o);
	return !negated || check_field(o);
}

static bool
read_string(struct sg_query_outline *o, size_t *at)
{
	if (*at + 1 < o->text.n && o->text.p[*at + 1] == '"')
		return fails(o, *at, "an empty text finds nothing");
	*at = skip_string(o->text, *at);
	o->fields = 0;
	fill(o);
	return true;
}

/* `(#` or `(.`: only after a node, within round brackets. */
static bool
check_predicate(struct sg_query_outline *o, size_t at)
{
	const struct sg_query_level *l = &o->level[o->depth];

	if (l->open == '(' && l->filled && !o->after_colon)
		return true;
	return fails(o, at,
		     "a predicate stands within the brackets of a pattern, "
		     "after its node: ((call) @a (#eq? @a \"f\"))");
}

static bool
is_predicate(const struct sg_query_outline *o, size_t at)
{
	at = skip_blanks(o->text, at + 1);
	return at < o->text.n && (o->text.p[at] == '#' || o->text.p[at] == '.');
}

static bool
open_bracket(struct sg_query_outline *o, size_t at)
{
	char c = o->text.p[at];

	if (c == '(' && is_predicate(o, at) && !check_predicate(o, at))
		return false;
	if (o->depth == SG_QUERY_DEPTH)
		return fails(o, at, "the query is nested too deep");
	o->level[++o->depth] = (struct sg_query_level){ c, false };
	o->fields = 0;
	o->after_colon = false;
	return true;
}

/* Any other character. */
static bool
read_mark(struct sg_query_outline *o, size_t at)
{
	char c = o->text.p[at];

	o->negated = c == '!';
	if (c == ':') {
		if (!check_field(o))
			return false;
		if (++o->fields > SG_QUERY_DEPTH)
			return fails(o, at, "the query is nested too deep");
		o->after_colon = true;
	} else if (c == '(' || c == '[') {
		if (!open_bracket(o, at))
			return false;
	} else if (c == ')' || c == ']') {
		o->depth -= o->depth > 0;
		o->fields = 0;
		fill(o);
	}
	o->word = o->word_end = 0;
	return true;
}

bool
sg_query_outline_read(struct sg_query_outline *o,
		      struct sg_query_predicate *preds, uint32_t room)
{
	struct sg_str text = o->text;
	size_t at = 0;

	while ((at = skip_blanks(text, at)) < text.n) {
		char c = text.p[at];

		if (c == '"') {
			if (!read_string(o, &at))
				return false;
			continue;
		}
		if (is_word(c)) {
			if (!read_word(o, &at))
				return false;
			continue;
		}
		if (!read_mark(o, at))
			return false;
		if (c == '(' && is_predicate(o, at) && o->npreds < room)
			preds[o->npreds++].at = (uint32_t)skip_blanks(text,
								      at + 1);
		at++;
	}
	return true;
}
