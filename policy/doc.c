/*
 * Theory of operation
 *
 * libyaml gives events; this file keeps a stack of the open lists and
 * mappings and hangs each new node into the innermost one.  In a mapping
 * every second node is a key, which waits in its level until its value
 * comes.  libyaml never sees bytes that are not UTF-8: they are looked for
 * first, so that the error has their place.
 */

#include "policy/doc.h"

#include <yaml.h>

#include "base/utf8.h"
#include "policy/limits.h"

struct level {
	struct sg_doc_node *node, *last; /* the newest member */
	struct sg_doc_node *key;         /* waits for its value */
};

struct builder {
	const char *file;
	struct sg_arena *arena;
	struct sg_err *err;
	struct sg_doc_node *root;
	uint32_t depth, nodes, documents;
	struct level level[SG_POLICY_DEPTH];
};

static int
fail(struct builder *b, uint32_t line, uint32_t column, int status,
     const char *code, const char *message)
{
	(void)sg_err_set(b->err, (enum sg_status)status, "%s", message);
	(void)sg_err_code(b->err, code);
	(void)sg_err_at(b->err, b->file, line, column);
	return status;
}

static int
fail_mark(struct builder *b, const yaml_mark_t *m, const char *code,
	  const char *message)
{
	return fail(b, (uint32_t)m->line + 1, (uint32_t)m->column + 1,
		    SG_EPARSE, code, message);
}

static struct sg_doc_node *
new_node(struct builder *b, const yaml_event_t *ev, enum sg_doc_kind kind)
{
	struct sg_doc_node *n = SG_NEW(b->arena, struct sg_doc_node);

	if (n == NULL) {
		(void)sg_err_set(b->err, SG_ENOMEM, "out of memory");
		return NULL;
	}
	n->kind = (uint8_t)kind;
	n->line = (uint32_t)ev->start_mark.line + 1;
	n->column = (uint32_t)ev->start_mark.column + 1;
	return n;
}

static int
check_key(struct builder *b, const struct sg_doc_node *map,
	  const struct sg_doc_node *key)
{
	const struct sg_doc_node *v;

	if (key->kind != SG_DOC_SCALAR)
		return fail(b, key->line, key->column, SG_EPARSE, "policy.type",
			    "a key must be a word");
	for (v = map->first; v != NULL; v = v->next) {
		if (!sg_str_eq(v->key->text, key->text))
			continue;
		(void)sg_err_set(b->err, SG_EPARSE,
				 "duplicate key '%.*s', first in line %u",
				 SG_STR_ARG(key->text), v->key->line);
		(void)sg_err_code(b->err, "policy.duplicate-key");
		return sg_err_at(b->err, b->file, key->line, key->column);
	}
	return SG_OK;
}

/* Hangs n into the innermost open container, or makes it the root. */
static int
attach(struct builder *b, struct sg_doc_node *n)
{
	struct level *l;
	int rc;

	if (b->nodes++ >= SG_POLICY_NODES)
		return fail(b, n->line, n->column, SG_ELIMIT, "policy.size",
			    "the document has too many nodes");
	if (b->depth == 0) {
		b->root = n;
		return SG_OK;
	}
	l = &b->level[b->depth - 1];
	/* NOLINTNEXTLINE: an open level has a node */
	if (l->node->kind == SG_DOC_MAP && l->key == NULL) {
		rc = check_key(b, l->node, n);
		l->key = n;
		return rc;
	}
	if (l->node->n >= SG_POLICY_MEMBERS)
		return fail(b, n->line, n->column, SG_ELIMIT, "policy.size",
			    "too many members in one list or mapping");
	n->key = l->key;
	l->key = NULL;
	if (l->last != NULL)
		l->last->next = n;
	else
		l->node->first = n;
	l->last = n;
	l->node->n++;
	return SG_OK;
}

static int
on_scalar(struct builder *b, const yaml_event_t *ev)
{
	struct sg_doc_node *n = new_node(b, ev, SG_DOC_SCALAR);

	if (n == NULL)
		return SG_ENOMEM;
	n->plain = ev->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	n->text = sg_arena_dup(
		b->arena, (struct sg_str){ (const char *)ev->data.scalar.value,
					   ev->data.scalar.length });
	if (n->text.p == NULL)
		return sg_err_set(b->err, SG_ENOMEM, "out of memory");
	return attach(b, n);
}

static int
on_open(struct builder *b, const yaml_event_t *ev, enum sg_doc_kind kind)
{
	struct sg_doc_node *n = new_node(b, ev, kind);
	int rc;

	if (n == NULL)
		return SG_ENOMEM;
	if (b->depth == SG_POLICY_DEPTH)
		return fail(b, n->line, n->column, SG_ELIMIT, "policy.depth",
			    "lists and mappings are nested too deep");
	rc = attach(b, n);
	if (rc != SG_OK)
		return rc;
	b->level[b->depth++] = (struct level){ .node = n };
	return SG_OK;
}

/* What strict documents do not have: tags, anchors, a second document. */
static int
check_plain(struct builder *b, const yaml_event_t *ev)
{
	const yaml_char_t *tag = NULL, *anchor = NULL;

	if (ev->type == YAML_SCALAR_EVENT) {
		tag = ev->data.scalar.tag;
		anchor = ev->data.scalar.anchor;
	} else if (ev->type == YAML_SEQUENCE_START_EVENT) {
		tag = ev->data.sequence_start.tag;
		anchor = ev->data.sequence_start.anchor;
	} else if (ev->type == YAML_MAPPING_START_EVENT) {
		tag = ev->data.mapping_start.tag;
		anchor = ev->data.mapping_start.anchor;
	} else if (ev->type == YAML_DOCUMENT_START_EVENT) {
		if (ev->data.document_start.tag_directives.start !=
		    ev->data.document_start.tag_directives.end)
			return fail_mark(b, &ev->start_mark, "policy.tag",
					 "tag directives are not allowed");
	}
	if (ev->type == YAML_ALIAS_EVENT || anchor != NULL)
		return fail_mark(b, &ev->start_mark, "policy.alias",
				 "anchors and aliases are not allowed; "
				 "use 'lists' and '$name'");
	if (tag != NULL)
		return fail_mark(b, &ev->start_mark, "policy.tag",
				 "tags are not allowed");
	return SG_OK;
}

static int
on_event(struct builder *b, const yaml_event_t *ev)
{
	int rc = check_plain(b, ev);

	if (rc != SG_OK)
		return rc;
	switch (ev->type) {
	case YAML_SCALAR_EVENT:
		return on_scalar(b, ev);
	case YAML_SEQUENCE_START_EVENT:
		return on_open(b, ev, SG_DOC_LIST);
	case YAML_MAPPING_START_EVENT:
		return on_open(b, ev, SG_DOC_MAP);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		b->depth--;
		return SG_OK;
	case YAML_DOCUMENT_START_EVENT:
		if (b->documents++ == 0)
			return SG_OK;
		return fail_mark(b, &ev->start_mark, "policy.documents",
				 "a policy is one document");
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_STREAM_END_EVENT:
	case YAML_DOCUMENT_END_EVENT:
	case YAML_ALIAS_EVENT:
	default:
		return SG_OK;
	}
}

/* An error at a byte offset, for what has no mark. */
static int
fail_offset(struct builder *b, struct sg_str text, size_t at, const char *code,
	    const char *message)
{
	uint32_t line = 1;
	size_t i, start = 0;

	for (i = 0; i < at && i < text.n; i++)
		if (text.p[i] == '\n') {
			line++;
			start = i + 1;
		}
	i = sg_utf8_count(sg_str_slice(text, start, at));
	return fail(b, line, (uint32_t)i + 1, SG_EPARSE, code, message);
}

/* What libyaml says, and what is meant for who writes rules. */
static const struct {
	const char *context, *problem, *text; /* NULL: any */
	char at;                              /* 0: any */
} yaml_texts[] = {
	{ "while scanning an alias", NULL,
	  "a text that begins with '*' needs quotes", 0 },
	{ "while scanning an anchor", NULL,
	  "a text that begins with '&' needs quotes", 0 },
	{ NULL, "found character that cannot start any token",
	  "a tab: lines are indented with blanks", '\t' },
	{ NULL, "found character that cannot start any token",
	  "a text that begins with this character needs quotes", 0 },
	{ NULL, "mapping values are not allowed in this context",
	  "a second ':' in one line: put the inner mapping into braces or on "
	  "its own line, or the text into quotes",
	  0 },
};

static const char *
yaml_text(const yaml_parser_t *p, char at)
{
	const char *context = p->context != NULL ? p->context : "";
	const char *problem = p->problem != NULL ? p->problem
						 : "not valid YAML";
	size_t i;

	for (i = 0; i < sizeof(yaml_texts) / sizeof(yaml_texts[0]); i++)
		if ((yaml_texts[i].context == NULL ||
		     strcmp(context, yaml_texts[i].context) == 0) &&
		    (yaml_texts[i].problem == NULL ||
		     strcmp(problem, yaml_texts[i].problem) == 0) &&
		    (yaml_texts[i].at == 0 || yaml_texts[i].at == at))
			return yaml_texts[i].text;
	return problem;
}

/* The byte at a mark of libyaml, which counts code points. */
static char
byte_at(struct sg_str text, const yaml_mark_t *m)
{
	size_t at = 0, n = m->index;
	uint32_t cp, length;

	for (; n > 0 && at < text.n; n--) {
		length = sg_utf8_decode(text, at, &cp);
		at += length > 0 ? length : 1;
	}
	return at < text.n ? text.p[at] : '\0';
}

static int
yaml_error(struct builder *b, const yaml_parser_t *p, struct sg_str text)
{
	const char *what = yaml_text(p, byte_at(text, &p->problem_mark));

	if (p->error == YAML_MEMORY_ERROR)
		return sg_err_set(b->err, SG_ENOMEM, "out of memory");
	if (p->error == YAML_READER_ERROR)
		return fail_offset(b, text, p->problem_offset,
				   "policy.encoding",
				   "a character that YAML does not allow");
	return fail_mark(b, &p->problem_mark, "policy.yaml", what);
}

static int
check_text(struct builder *b, struct sg_str text)
{
	size_t at;

	if (text.n > SG_POLICY_BYTES)
		return fail(b, 1, 1, SG_ELIMIT, "policy.size",
			    "the document is too long");
	at = sg_utf8_check(text);
	if (at < text.n)
		return fail_offset(b, text, at, "policy.encoding",
				   "not valid UTF-8");
	at = sg_str_find(text, '\0');
	if (at < text.n)
		return fail_offset(b, text, at, "policy.encoding",
				   "a NUL byte");
	return SG_OK;
}

static int
parse(struct builder *b, struct sg_str text)
{
	yaml_parser_t parser;
	yaml_event_t ev;
	bool end = false;
	int rc = SG_OK;

	if (!yaml_parser_initialize(&parser))
		return sg_err_set(b->err, SG_ENOMEM, "out of memory");
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text.p,
				     text.n);
	while (rc == SG_OK && !end) {
		if (!yaml_parser_parse(&parser, &ev)) {
			rc = yaml_error(b, &parser, text);
			break;
		}
		end = ev.type == YAML_STREAM_END_EVENT;
		rc = on_event(b, &ev);
		yaml_event_delete(&ev);
	}
	yaml_parser_delete(&parser);
	return rc;
}

int
sg_doc_read(struct sg_str text, const char *file, struct sg_arena *arena,
	    struct sg_doc_node **ret, struct sg_err *err)
{
	struct builder b = { .file = file, .arena = arena, .err = err };
	int rc;

	if (text.n >= 3 && memcmp(text.p, "\xef\xbb\xbf", 3) == 0)
		text = sg_str_slice(text, 3, text.n);
	if (text.p == NULL)
		text = SG_STR("");
	rc = check_text(&b, text);
	if (rc == SG_OK)
		rc = parse(&b, text);
	if (rc != SG_OK)
		return rc;
	if (b.root == NULL || sg_doc_null(b.root))
		return fail(&b, 1, 1, SG_EPARSE, "policy.empty",
			    "the document is empty");
	*ret = b.root;
	return SG_OK;
}

struct sg_doc_node *
sg_doc_get(const struct sg_doc_node *map, const char *key)
{
	struct sg_doc_node *v;

	if (map->kind != SG_DOC_MAP)
		return NULL;
	for (v = map->first; v != NULL; v = v->next)
		if (sg_str_eq(v->key->text, sg_str_c(key)))
			return v;
	return NULL;
}

bool
sg_doc_null(const struct sg_doc_node *node)
{
	return node->kind == SG_DOC_SCALAR && node->plain &&
	       (node->text.n == 0 || sg_str_eq(node->text, SG_STR("~")) ||
		sg_str_eq(node->text, SG_STR("null")));
}

/* --- places within scalars --------------------------------------------- */

struct walker {
	struct sg_str text;
	size_t at;
	uint32_t line, column;
};

static void
step(struct walker *w)
{
	uint32_t cp, n;

	if (w->at >= w->text.n)
		return;
	if (w->text.p[w->at] == '\n') {
		w->line++;
		w->column = 1;
		w->at++;
		return;
	}
	n = sg_utf8_decode(w->text, w->at, &cp);
	w->at += n > 0 ? n : 1;
	w->column++;
}

static char
here(const struct walker *w, size_t ahead)
{
	return w->at + ahead < w->text.n ? w->text.p[w->at + ahead] : '\0';
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* Of the escapes of a text in double quotes, those that mean a blank, or
 * nothing: they are passed with the blanks. */
static bool
blank_escape(const struct walker *w)
{
	char c = here(w, 1);

	return here(w, 0) == '\\' && c != '\0' && strchr("ntr \t\n", c) != NULL;
}

static void
skip_blanks(struct walker *w, char quote)
{
	for (;;) {
		if (quote == '"' && blank_escape(w))
			step(w);
		else if (!is_blank(here(w, 0)) || w->at >= w->text.n)
			return;
		step(w);
	}
}

/* Passes what one character of the value is written as. */
static void
pass_character(struct walker *w, char quote)
{
	static const struct {
		char letter;
		uint8_t digits;
	} hex[] = { { 'x', 2 }, { 'u', 4 }, { 'U', 8 } };
	uint32_t i, digits = 0;

	if (quote == '\'' && here(w, 0) == '\'') {
		step(w);
	} else if (quote == '"' && here(w, 0) == '\\') {
		step(w);
		for (i = 0; i < 3; i++)
			if (here(w, 0) == hex[i].letter)
				digits = hex[i].digits;
	}
	step(w);
	while (digits-- > 0)
		step(w);
}

void
sg_doc_place(struct sg_str text, const struct sg_doc_node *scalar, size_t at,
	     uint32_t *ret_line, uint32_t *ret_column)
{
	struct walker w = { text, 0, 1, 1 };
	struct sg_str value = scalar->text;
	uint32_t cp, n;
	char quote;
	size_t i;

	if (text.n >= 3 && memcmp(text.p, "\xef\xbb\xbf", 3) == 0)
		w.at = 3;
	while (w.at < text.n &&
	       (w.line < scalar->line ||
		(w.line == scalar->line && w.column < scalar->column)))
		step(&w);
	quote = here(&w, 0);
	if (quote == '|' || quote == '>') {
		while (w.at < text.n && here(&w, 0) != '\n')
			step(&w);
	} else if (quote == '\'' || quote == '"') {
		step(&w);
	}
	for (i = 0; i < value.n && i<at; i += n> 0 ? n : 1) {
		n = sg_utf8_decode(value, i, &cp);
		if (is_blank(value.p[i]))
			continue;
		skip_blanks(&w, quote);
		pass_character(&w, quote);
	}
	if (at < value.n && !is_blank(value.p[at]))
		skip_blanks(&w, quote);
	*ret_line = w.line;
	*ret_column = w.column;
}
