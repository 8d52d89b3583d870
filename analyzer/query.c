/*
 * Theory of operation
 *
 * The tree that facts come from is of a skeleton without names or literals
 * (analyzer/scrub.h), so queries get a tree of their own: of the canonical
 * text in which comments, and continued lines outside of strings, are
 * blanks, because the grammar's scanner is quadratic in both.  Nothing moves,
 * so that offsets in the tree are offsets in the text.
 *
 * What tree-sitter cannot be given is refused first: query_outline.c.
 */

#include "analyzer/query.h"

#include <stdlib.h>

#include <tree_sitter/api.h>

#include "analyzer/query_outline.h"
#include "base/clock.h"
#include "base/vec.h"

const TSLanguage *tree_sitter_python(void);

struct sg_query {
	TSQuery *ts;
	struct sg_query_predicate *preds;
	struct sg_query_arg *args;
	uint32_t npreds, nargs;
	bool *captures; /* [pattern] */
};

struct sg_query_run {
	TSParser *parser;
	TSQueryCursor *cursor;
	TSTree *tree;
	struct sg_buf text;
	bool read; /* tree, or why there is none, is of this text */
	enum sg_query_answer why;
	uint32_t time_ms;
	uint64_t deadline; /* sg_clock_cpu() */
	uint32_t calls;
	bool late;
	struct {
		struct sg_query_hit *v;
		uint32_t n, room;
	} hits;
};

enum {
	CALLS_PER_LOOK = 8, /* asking the time is dear */
	NEAR_MAX = 64,
	HITS_MAX = 1 << 20
};

/* --- compiling ---------------------------------------------------------- */

static struct sg_str
word_at(struct sg_str text, size_t at)
{
	size_t end = at;

	while (end < text.n &&
	       !strchr(" \t\r\n()[]{}:;@#!/+*?,'\"", text.p[end]))
		end++;
	if (end == at && at < text.n)
		end++;
	return sg_str_slice(text, at, end);
}

/* The nearest of the grammar's node names (or field names). */
static const char *
nearest(struct sg_str word, bool fields)
{
	const TSLanguage *l = tree_sitter_python();
	uint32_t n = fields ? ts_language_field_count(l) + 1
			    : ts_language_symbol_count(l);
	uint32_t cap = (uint32_t)(word.n / 3 + 1);
	const char *best = NULL, *name;

	for (uint32_t i = 1; i < n; i++) {
		uint32_t d;

		if (!fields && ts_language_symbol_type(l, (TSSymbol)i) !=
				       TSSymbolTypeRegular)
			continue;
		name = fields ? ts_language_field_name_for_id(l, (TSFieldId)i)
			      : ts_language_symbol_name(l, (TSSymbol)i);
		d = name ? sg_str_distance(word, sg_str_c(name), cap) : cap + 1;
		if (d > cap || d >= word.n || name == NULL)
			continue;
		best = name;
		if (d == 0)
			break;
		cap = d - 1;
	}
	return best;
}

static int
unknown_name(struct sg_err *err, const char *what, struct sg_str word,
	     bool fields)
{
	const char *near = nearest(word, fields);

	if (near)
		return sg_err_set(err, SG_EPOLICY,
				  "the grammar has no %s '%.*s'; did you mean "
				  "'%s'?",
				  what, SG_STR_ARG(word), near);
	return sg_err_set(err, SG_EPOLICY, "the grammar has no %s '%.*s'", what,
			  SG_STR_ARG(word));
}

static int
refuse(struct sg_str text, size_t at, TSQueryError kind, struct sg_err *err)
{
	struct sg_str word = word_at(text, at);

	if (word.n > NEAR_MAX)
		word.n = NEAR_MAX;
	switch (kind) {
	case TSQueryErrorNodeType:
		return unknown_name(err, "node", word, false);
	case TSQueryErrorField:
		return unknown_name(err, "field", word, true);
	case TSQueryErrorCapture:
		return sg_err_set(err, SG_EPOLICY,
				  "nothing is captured as '@%.*s'",
				  SG_STR_ARG(word));
	case TSQueryErrorStructure:
		return sg_err_set(err, SG_EPOLICY,
				  "no tree of the grammar looks like this");
	case TSQueryErrorNone:
	case TSQueryErrorSyntax:
	case TSQueryErrorLanguage:
	default:
		break;
	}
	if (word.n == 0)
		return sg_err_set(err, SG_EPOLICY,
				  "the query ends too early: a bracket, quote "
				  "or name is missing");
	return sg_err_set(err, SG_EPOLICY,
			  "the query is not well-formed at '%.*s'",
			  SG_STR_ARG(word));
}

static struct sg_query_arg
arg_of(const TSQuery *ts, const TSQueryPredicateStep *step)
{
	struct sg_query_arg a = { .is_capture = false };
	uint32_t n = 0;

	if (step->type == TSQueryPredicateStepTypeCapture) {
		a.is_capture = true;
		a.capture = step->value_id;
		a.text.p = ts_query_capture_name_for_id(ts, a.capture, &n);
	} else {
		a.text.p = ts_query_string_value_for_id(ts, step->value_id, &n);
	}
	a.text.n = n;
	return a;
}

/* Counts, or where there is room for them keeps, the predicates. */
static void
take_predicates(struct sg_query *q)
{
	uint32_t npatterns = ts_query_pattern_count(q->ts), preds = 0, args = 0;

	for (uint32_t p = 0; p < npatterns; p++) {
		uint32_t n, first = args;
		const TSQueryPredicateStep *s =
			ts_query_predicates_for_pattern(q->ts, p, &n);

		for (uint32_t i = 0; i < n; i++) {
			if (s[i].type != TSQueryPredicateStepTypeDone) {
				if (q->args)
					q->args[args] = arg_of(q->ts, &s[i]);
				args++;
				continue;
			}
			if (q->preds && args > first)
				q->preds[preds] = (struct sg_query_predicate){
					.name = q->args[first].text,
					.args = q->args + first + 1,
					.nargs = args - first - 1,
					.pattern = p
				};
			preds += args > first;
			first = args;
		}
	}
	q->npreds = preds;
	q->nargs = args;
}

static void
take_captures(struct sg_query *q, uint32_t npatterns)
{
	uint32_t n = ts_query_capture_count(q->ts);

	for (uint32_t p = 0; p < npatterns; p++)
		for (uint32_t c = 0; c < n && !q->captures[p]; c++) {
			TSQuantifier k =
				ts_query_capture_quantifier_for_id(q->ts, p, c);

			q->captures[p] = k == TSQuantifierOne ||
					 k == TSQuantifierOneOrMore;
		}
}

static int
take(struct sg_query *q, struct sg_str text, struct sg_err *err)
{
	uint32_t npatterns = ts_query_pattern_count(q->ts);
	struct sg_query_outline o = { .text = text };

	take_predicates(q);
	q->preds = calloc(q->npreds + 1u, sizeof(*q->preds));
	q->args = calloc(q->nargs + 1u, sizeof(*q->args));
	q->captures = calloc(npatterns + 1u, sizeof(*q->captures));
	if (!q->preds || !q->args || !q->captures)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	take_predicates(q);
	take_captures(q, npatterns);
	(void)sg_query_outline_read(&o, q->preds, q->npreds);
	return SG_OK;
}

int
sg_query_new(struct sg_str text, struct sg_query **ret, size_t *ret_offset,
	     struct sg_err *err)
{
	struct sg_query_outline o = { .text = text };
	TSQueryError kind = TSQueryErrorNone;
	struct sg_query *q;
	uint32_t at = 0;
	int rc;

	*ret_offset = 0;
	if (text.n > SG_QUERY_BYTES)
		return sg_err_set(err, SG_EPOLICY,
				  "a query has at most %u bytes",
				  SG_QUERY_BYTES);
	*ret_offset = sg_str_find(text, '\0');
	if (*ret_offset < text.n)
		return sg_err_set(err, SG_EPOLICY, "a NUL byte in the query");
	if (!sg_query_outline_read(&o, NULL, 0)) {
		*ret_offset = o.at;
		if (o.why)
			return sg_err_set(err, SG_EPOLICY, "%s", o.why);
		return refuse(text, o.at, TSQueryErrorField, err);
	}
	q = calloc(1, sizeof(*q));
	if (!q)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	q->ts = ts_query_new(tree_sitter_python(), text.p, (uint32_t)text.n,
			     &at, &kind);
	*ret_offset = at;
	rc = q->ts ? take(q, text, err) : refuse(text, at, kind, err);
	if (rc == SG_OK && ts_query_pattern_count(q->ts) == 0) {
		*ret_offset = 0;
		rc = sg_err_set(err, SG_EPOLICY, "the query has no pattern");
	}
	if (rc != SG_OK) {
		sg_query_free(q);
		return rc;
	}
	*ret = q;
	return SG_OK;
}

void
sg_query_free(struct sg_query *q)
{
	if (!q)
		return;
	if (q->ts)
		ts_query_delete(q->ts);
	free(q->preds);
	free(q->args);
	free(q->captures);
	free(q);
}

uint32_t
sg_query_captures(const struct sg_query *q)
{
	return ts_query_capture_count(q->ts);
}

struct sg_str
sg_query_capture(const struct sg_query *q, uint32_t capture)
{
	uint32_t n = 0;
	const char *p = ts_query_capture_name_for_id(q->ts, capture, &n);

	return (struct sg_str){ p, n };
}

uint32_t
sg_query_patterns(const struct sg_query *q)
{
	return ts_query_pattern_count(q->ts);
}

uint32_t
sg_query_pattern_at(const struct sg_query *q, uint32_t pattern)
{
	return ts_query_start_byte_for_pattern(q->ts, pattern);
}

bool
sg_query_pattern_captures(const struct sg_query *q, uint32_t pattern)
{
	return q->captures[pattern];
}

const struct sg_query_predicate *
sg_query_predicates(const struct sg_query *q, uint32_t *ret_n)
{
	*ret_n = q->npreds;
	return q->preds;
}

/* --- the text ------------------------------------------------------------- */

static void
blank(struct sg_buf *b, struct sg_range r)
{
	for (uint32_t i = r.start; i < r.end && i < b->len; i++)
		if (b->data[i] != '\n')
			b->data[i] = ' ';
}

static bool
is_text(const struct sg_ast *ast, const struct sg_node *n)
{
	enum sg_const_kind kind;

	if (n->kind == SG_AST_JoinedStr || n->kind == SG_AST_TemplateStr)
		return true;
	if (n->kind != SG_AST_Constant)
		return false;
	kind = ast->consts[n->aux].kind;
	return kind == SG_CONST_STR || kind == SG_CONST_BYTES;
}

/* Continued lines become one, but for those within strings, which are found
 * by marking the backslashes that are not to be touched. */
static bool
join_lines(struct sg_buf *b, const struct sg_analysis *an)
{
	struct sg_str text = an->source.text;
	struct sg_buf keep;
	bool good;

	if (!memchr(text.p, '\\', text.n))
		return true;
	sg_buf_init(&keep, text.n + 1);
	sg_buf_str(&keep, text);
	good = !sg_buf_failed(&keep);
	for (uint32_t i = 1; good && i <= an->ast.n; i++)
		if (is_text(&an->ast, &an->ast.nodes[i]))
			blank(&keep, an->ast.nodes[i].range);
	for (size_t i = 0; good && i + 1 < keep.len; i++)
		if (keep.data[i] == '\\' && keep.data[i + 1] == '\n')
			b->data[i] = b->data[i + 1] = ' ';
	sg_buf_release(&keep);
	return good;
}

static bool
write_text(struct sg_query_run *run, const struct sg_analysis *an)
{
	sg_buf_reset(&run->text);
	sg_buf_str(&run->text, an->source.text);
	if (sg_buf_failed(&run->text))
		return false;
	for (uint32_t i = 0; i < an->ncomments; i++)
		blank(&run->text, an->comments[i]);
	return join_lines(&run->text, an);
}

/* --- searching -------------------------------------------------------------- */

int
sg_query_run_new(struct sg_query_run **ret, struct sg_err *err)
{
	struct sg_query_run *run = calloc(1, sizeof(*run));

	if (!run)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	sg_buf_init(&run->text, SG_QUERY_TEXT + 1);
	run->parser = ts_parser_new();
	run->cursor = ts_query_cursor_new();
	if (!run->parser || !run->cursor ||
	    !ts_parser_set_language(run->parser, tree_sitter_python())) {
		sg_query_run_free(run);
		return sg_err_set(err, SG_EINTERNAL,
				  "the grammar cannot be loaded");
	}
	ts_query_cursor_set_match_limit(run->cursor, SG_QUERY_STATES);
	*ret = run;
	return SG_OK;
}

void
sg_query_run_free(struct sg_query_run *run)
{
	if (!run)
		return;
	sg_query_run_reset(run, 0);
	if (run->cursor)
		ts_query_cursor_delete(run->cursor);
	if (run->parser)
		ts_parser_delete(run->parser);
	sg_buf_release(&run->text);
	free(run->hits.v);
	free(run);
}

void
sg_query_run_reset(struct sg_query_run *run, uint32_t time_ms)
{
	if (run->tree)
		ts_tree_delete(run->tree);
	run->tree = NULL;
	run->read = run->late = false;
	run->time_ms = time_ms;
	run->deadline = 0;
	run->calls = 0;
}

static bool
is_late(struct sg_query_run *run)
{
	if (!run->late && run->calls++ % CALLS_PER_LOOK == 0)
		run->late = sg_clock_cpu() >= run->deadline;
	return run->late;
}

static const char *
read_text(void *payload, uint32_t at, TSPoint point, uint32_t *ret_n)
{
	const struct sg_query_run *run = payload;

	(void)point;
	*ret_n = at < run->text.len ? (uint32_t)(run->text.len - at) : 0;
	return at < run->text.len ? run->text.data + at : "";
}

static bool
parse_progress(TSParseState *state)
{
	struct sg_query_run *run = state->payload;

	/* a text with an error is not looked at */
	return state->has_error || is_late(run);
}

static bool
query_progress(TSQueryCursorState *state)
{
	return is_late(state->payload);
}

static enum sg_query_answer
parse(struct sg_query_run *run, const struct sg_analysis *an)
{
	TSInput input = { .payload = run,
			  .read = read_text,
			  .encoding = TSInputEncodingUTF8 };
	TSParseOptions opts = { .payload = run,
				.progress_callback = parse_progress };

	if (an->source.text.n > SG_QUERY_TEXT || !write_text(run, an))
		return SG_QUERY_LIMIT;
	run->deadline = sg_clock_cpu() + run->time_ms * UINT64_C(1000000);
	run->tree = ts_parser_parse_with_options(run->parser, NULL, input,
						 opts);
	if (!run->tree) {
		ts_parser_reset(run->parser);
		return run->late ? SG_QUERY_LIMIT : SG_QUERY_UNREAD;
	}
	return ts_node_has_error(ts_tree_root_node(run->tree)) ? SG_QUERY_UNREAD
							       : SG_QUERY_DONE;
}

static bool
keep_hits(struct sg_query_run *run, const TSQueryMatch *m)
{
	run->hits.n = 0;
	if (!SG_VEC_ROOM(&run->hits, m->capture_count, HITS_MAX))
		return false;
	for (uint16_t i = 0; i < m->capture_count; i++) {
		TSNode node = m->captures[i].node;

		run->hits.v[run->hits.n++] = (struct sg_query_hit){
			m->captures[i].index,
			{ ts_node_start_byte(node), ts_node_end_byte(node) }
		};
	}
	return true;
}

enum sg_query_answer
sg_query_each(struct sg_query_run *run, const struct sg_analysis *an,
	      const struct sg_query *q, sg_query_fn *fn, void *ctx)
{
	TSQueryCursorOptions opts = { .payload = run,
				      .progress_callback = query_progress };
	TSQueryMatch m;

	if (!run->read) {
		run->why = parse(run, an);
		run->read = true;
	}
	if (run->why != SG_QUERY_DONE)
		return run->why;
	ts_query_cursor_exec_with_options(run->cursor, q->ts,
					  ts_tree_root_node(run->tree), &opts);
	while (!run->late && ts_query_cursor_next_match(run->cursor, &m)) {
		if (!keep_hits(run, &m))
			return SG_QUERY_LIMIT;
		if (!fn(ctx, m.pattern_index, run->hits.v, run->hits.n))
			return SG_QUERY_STOPPED;
	}
	if (run->late || ts_query_cursor_did_exceed_match_limit(run->cursor))
		return SG_QUERY_LIMIT;
	return SG_QUERY_DONE;
}
