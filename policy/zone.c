/*
 * Regexes over zones of the text: code (comments and strings blanked),
 * folded strings, comments, identifiers, or the text as it is.
 */

#include "policy/limits.h"
#include "policy/match.h"

/* One rule's regex over one text.  `at` is where the text stands in the
 * script, or UINT32_MAX when only `c->range` says so. */
struct search {
	uint32_t rule;
	const struct sg_pat *leaf;
	struct sg_str text;
	uint32_t at;
	struct sg_range range;
	const struct sg_fact *fact;
	uint32_t node;
};

static struct sg_str
line_around(struct sg_str text, size_t at)
{
	size_t start = at, end = at;

	while (start > 0 && text.p[start - 1] != '\n')
		start--;
	while (end < text.n && text.p[end] != '\n')
		end++;
	return sg_str_slice(text, start, end);
}

static void
try_hit(struct sg_judge *j, const struct search *s, size_t start, size_t end)
{
	struct sg_candidate c = { .fact = s->fact,
				  .node = s->node,
				  .range = s->range,
				  .is_text = true,
				  .leaf = s->leaf,
				  .text = s->text };

	c.value = sg_str_slice(s->text, start, end);
	if (s->at != UINT32_MAX) {
		c.range.start = s->at + (uint32_t)start;
		c.range.end = s->at + (uint32_t)end;
		if (s->leaf->zones & (SG_ZONE_CODE | SG_ZONE_RAW))
			c.text = line_around(s->text, start);
	}
	sg_judge_try(j, s->rule, &c, false);
}

static void
search(struct sg_judge *j, const struct search *s)
{
	size_t from = 0, start = 0, end = 0;
	uint32_t hits = 0;

	while (hits < SG_REGEX_HITS && from <= s->text.n) {
		switch (sg_regex_find(s->leaf->regex, j->run, s->text, from,
				      &start, &end)) {
		case SG_REGEX_LIMIT:
			sg_judge_limit(j, SG_BUILTIN_LIMIT_REGEX, s->rule,
				       s->range);
			return;
		case SG_REGEX_YES:
			break;
		case SG_REGEX_NO:
		default:
			return;
		}
		hits++;
		try_hit(j, s, start, end);
		if (s->at == UINT32_MAX)
			return; /* one finding for a string or a name */
		from = end > start ? end : end + 1;
	}
}

/* --- zones ----------------------------------------------------------------- */

static void
blank(struct sg_buf *b, struct sg_range r)
{
	uint32_t i;

	for (i = r.start; i < r.end && i < b->len; i++)
		if (b->data[i] != '\n')
			b->data[i] = ' ';
}

/* The text with comments and string constants blanked. */
static bool
make_code(struct sg_judge *j)
{
	const struct sg_analysis *an = j->an;
	const struct sg_node *nodes = an->ast.nodes;
	uint32_t i;

	if (j->code.len > 0)
		return true;
	sg_buf_str(&j->code, an->source.text);
	if (sg_buf_failed(&j->code)) {
		j->failed = true;
		return false;
	}
	for (i = 0; i < an->ncomments; i++)
		blank(&j->code, an->comments[i]);
	for (i = 1; i <= an->ast.n; i++) {
		enum sg_const_kind kind;

		if (nodes[i].kind != SG_AST_Constant)
			continue;
		kind = an->ast.consts[nodes[i].aux].kind;
		if (kind == SG_CONST_STR || kind == SG_CONST_BYTES)
			blank(&j->code, nodes[i].range);
	}
	return true;
}

static void
search_comments(struct sg_judge *j, struct search s)
{
	uint32_t i;

	for (i = 0; i < j->an->ncomments; i++) {
		s.range = j->an->comments[i];
		s.text = sg_str_slice(j->an->source.text, s.range.start,
				      s.range.end);
		s.at = s.range.start;
		search(j, &s);
	}
}

static void
search_strings(struct sg_judge *j, struct search s)
{
	uint32_t i;

	for (i = 0; i < j->an->nfacts; i++) {
		const struct sg_fact *f = &j->an->facts[i];

		if (f->kind != SG_FACT_STRING)
			continue;
		s.fact = f;
		s.node = f->node;
		s.text = f->name;
		s.range = f->range;
		s.at = UINT32_MAX;
		search(j, &s);
	}
}

static void
search_names(struct sg_judge *j, struct search s)
{
	const struct sg_ast *ast = &j->an->ast;
	uint32_t i;

	for (i = 1; i <= ast->n; i++) {
		if (ast->nodes[i].name == 0)
			continue;
		s.text = sg_intern_str(ast->names, ast->nodes[i].name);
		s.range = ast->nodes[i].name_range.end > 0
				  ? ast->nodes[i].name_range
				  : ast->nodes[i].range;
		s.node = i;
		s.at = UINT32_MAX;
		search(j, &s);
	}
}

static void
search_leaf(struct sg_judge *j, uint32_t rule, const struct sg_pat *leaf)
{
	struct search s = { .rule = rule, .leaf = leaf };
	struct sg_str text = j->an->source.text;

	if ((leaf->zones & SG_ZONE_RAW) != 0) {
		s.text = text;
		search(j, &s);
	}
	if ((leaf->zones & SG_ZONE_CODE) != 0 && make_code(j)) {
		s.text = sg_buf_view(&j->code);
		search(j, &s);
	}
	if ((leaf->zones & SG_ZONE_COMMENTS) != 0)
		search_comments(j, s);
	if ((leaf->zones & SG_ZONE_STRINGS) != 0)
		search_strings(j, s);
	if ((leaf->zones & SG_ZONE_NAMES) != 0)
		search_names(j, s);
}

/* All regexes of a pattern that have zones of their own and are not below
 * another node.  Recursion is bounded by the depth of the document. */
static void
search_pattern(struct sg_judge *j, uint32_t rule, const struct sg_pat *pat)
{
	uint32_t i;

	if (pat->kind == SG_PAT_REGEX && pat->zones != 0)
		search_leaf(j, rule, pat);
	if (pat->kind == SG_PAT_ALL || pat->kind == SG_PAT_ANY)
		for (i = 0; i < pat->nsub; i++)
			search_pattern(j, rule, pat->sub[i]);
}

void
sg_judge_zones(struct sg_judge *j)
{
	uint32_t i;

	for (i = 0; i < j->p->nzone_rules && !j->failed; i++)
		search_pattern(j, j->p->zone_rules[i],
			       j->p->rules[j->p->zone_rules[i]].match);
}
