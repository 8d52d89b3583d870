#include "cmd/hook.h"
#include "cmd/json_text.h"

#include <jansson.h>

/*
 * Notebooks.  Cells share their names, so all code cells together are one
 * script.  Lines that are IPython's rather than Python's are taken out; those
 * that are a shell's are read as such.
 */

/* ---- magics ---- */

/* What the rest of a cell is, after its first line. */
static const struct {
	const char *magic;
	char kind; /* 'p'ython, 's'hell, 'f'ile, '-' something else */
} magics[] = {
	{ "time", 'p' },      { "timeit", 'p' }, { "capture", 'p' },
	{ "prun", 'p' },      { "python", 'p' }, { "python3", 'p' },
	{ "bash", 's' },      { "sh", 's' },     { "script", 's' },
	{ "system", 's' },    { "sx", 's' },     { "!", 's' },
	{ "writefile", 'f' }, { "file", 'f' },
};

static struct sg_str
first_word(struct sg_str s)
{
	size_t n = 0;

	while (n < s.n && !strchr(" \t\r\n", s.p[n]))
		n++;
	return sg_str_slice(s, 0, n);
}

static char
magic_kind(struct sg_str name)
{
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (sg_str_eq(name, sg_str_c(magics[i].magic)))
			return magics[i].kind;
	return '-';
}

/* One line of Python, or a magic in its place. */
static void
add_line(struct sg_hook *h, struct sg_str line, struct sg_buf *out)
{
	struct sg_str text = sg_str_trim(line);
	size_t indent = text.n ? (size_t)(text.p - line.p) : 0;

	if (text.n && (text.p[0] == '!' || text.p[0] == '%')) {
		struct sg_str rest = sg_str_slice(text, 1, text.n);
		struct sg_str name = first_word(rest);

		if (text.p[0] == '!' || magic_kind(name) == 's')
			sg_hook_shell(h, text.p[0] == '!'
						 ? rest
						 : sg_str_slice(rest, name.n,
								rest.n));
		sg_buf_str(out, sg_str_slice(line, 0, indent));
		/* "%time f()" runs what follows it. */
		if (text.p[0] == '%' && magic_kind(name) == 'p')
			sg_buf_str(out, sg_str_trim(sg_str_slice(rest, name.n,
								 rest.n)));
		else
			sg_buf_c(out, "pass");
	} else if (text.n && text.p[text.n - 1] == '?') {
		sg_buf_c(out, "pass");
	} else {
		sg_buf_str(out, line);
	}
	sg_buf_char(out, '\n');
}

static void
add_cell(struct sg_hook *h, struct sg_str source, struct sg_buf *out)
{
	struct sg_str first = sg_str_slice(source, 0,
					   sg_str_find(source, '\n'));
	struct sg_str rest = sg_str_slice(source, first.n + 1, source.n);
	struct sg_str name;

	if (sg_str_starts(first, SG_STR("%%"))) {
		first = sg_str_slice(first, 2, first.n);
		name = first_word(first);
		first = sg_str_trim(sg_str_slice(first, name.n, first.n));
		source = SG_STR_NONE;
		switch (magic_kind(name)) {
		case 'p':
			source = rest;
			break;
		case 's':
			sg_hook_shell(h, rest);
			break;
		case 'f':
			sg_hook_write(h, first, rest);
			break;
		default:
			break;
		}
	}
	for (size_t at = 0; at < source.n;) {
		struct sg_str line = sg_str_slice(source, at, source.n);

		line = sg_str_slice(line, 0, sg_str_find(line, '\n'));
		at += line.n + 1;
		add_line(h, line, out);
	}
}

/* ---- notebooks ---- */

/* The source of a cell: a text, or a list of lines. */
static struct sg_str
source_of(struct sg_hook *h, const json_t *cell)
{
	const json_t *v = json_object_get(cell, "source"), *line;
	struct sg_str out;
	struct sg_buf b;
	size_t i;

	if (!json_is_array(v))
		return sg_arena_dup(h->arena, sg_json_text(v));
	sg_buf_init(&b, SG_HOOK_FILE);
	json_array_foreach(v, i, line) sg_buf_str(&b, sg_json_text(line));
	out = sg_arena_dup(h->arena, sg_buf_view(&b));
	sg_buf_release(&b);
	return out;
}

static bool
is_code(const json_t *cell)
{
	return sg_str_eq(sg_json_text(json_object_get(cell, "cell_type")),
			 SG_STR("code"));
}

/* A cell that is put in, changed or taken out; NULL: none is. */
struct cell_change {
	struct sg_str id, source, mode;
};

/* A notebook that is being read. */
struct book {
	struct sg_hook *h;
	struct sg_buf code;
	struct sg_hook_part *parts;
	uint32_t nparts;
	size_t counted; /* bytes of the code, that have `lines` line ends */
	uint32_t lines;
};

static struct sg_str
name_of(struct sg_hook *h, const json_t *cell, size_t index)
{
	struct sg_str id = sg_json_text(json_object_get(cell, "id"));

	if (id.n)
		return sg_arena_printf(h->arena, "cell '%.*s'", SG_STR_ARG(id));
	return sg_arena_printf(h->arena, "cell-%zu", index);
}

static bool
is_cell(const json_t *cell, size_t index, struct sg_str id)
{
	char number[32];

	(void)snprintf(number, sizeof(number), "cell-%zu", index);
	return sg_str_eq(sg_json_text(json_object_get(cell, "id")), id) ||
	       sg_str_eq(sg_str_c(number), id);
}

static void
take(struct book *b, struct sg_str name, struct sg_str source)
{
	bool magic = sg_str_starts(source, SG_STR("%%"));

	for (; b->counted < b->code.len; b->counted++)
		b->lines += b->code.data[b->counted] == '\n';
	b->parts[b->nparts++] = (struct sg_hook_part){ name, b->lines + 1,
						       magic };
	add_cell(b->h, source, &b->code);
}

/* All code cells, after the change. */
static void
take_cells(struct book *b, const json_t *cells, const struct cell_change *c)
{
	const struct sg_str new = SG_STR("the new cell");
	bool done = !c, insert = c && sg_str_eq(c->mode, SG_STR("insert"));
	const json_t *cell;
	size_t i;

	if (insert && c->id.n == 0) {
		take(b, new, c->source);
		done = true;
	}
	json_array_foreach(cells, i, cell)
	{
		bool it = !done && is_cell(cell, i, c->id);

		if (is_code(cell) && (!it || insert))
			take(b, name_of(b->h, cell, i), source_of(b->h, cell));
		if (it && !sg_str_eq(c->mode, SG_STR("delete")))
			take(b, insert ? new : name_of(b->h, cell, i),
			     c->source);
		done = done || it;
	}
	if (!done)
		take(b, new, c->source);
}

/* The notebook after the change.  .text.p NULL: it is none. */
static struct sg_hook_piece
read_book(struct sg_hook *h, struct sg_str text, const struct cell_change *c)
{
	json_t *root = json_loadb(text.p ? text.p : "", text.n, 0, NULL);
	const json_t *cells = json_object_get(root, "cells");
	struct sg_hook_piece out = { 0 };
	struct book b = { .h = h };

	b.parts = SG_NEWN(h->arena, struct sg_hook_part,
			  json_array_size(cells) + 2);
	sg_buf_init(&b.code, SG_HOOK_FILE);
	if (b.parts && (json_is_array(cells) || c)) {
		take_cells(&b, cells, c);
		out.text = sg_arena_dup(h->arena, b.code.data
							  ? sg_buf_view(&b.code)
							  : SG_STR(""));
		out.parts = b.parts;
		out.nparts = b.nparts;
	}
	if (sg_buf_failed(&b.code))
		sg_hook_refuse(h, "the notebook is too large to judge");
	sg_buf_release(&b.code);
	json_decref(root);
	return out;
}

/* What stands there already is not asked for its shell lines again. */
static struct sg_str
read_before(struct sg_hook *h, struct sg_str json)
{
	struct sg_hook quiet = { .arena = h->arena,
				 .pieces = h->pieces,
				 .npieces = SG_HOOK_PIECES };

	return json.p ? read_book(&quiet, json, NULL).text : SG_STR_NONE;
}

static void
add_book(struct sg_hook *h, struct sg_str path,
	 const struct sg_hook_piece *book, struct sg_str before)
{
	struct sg_hook_piece *p = sg_hook_add(h, path, book->text, before);

	if (p) {
		p->parts = book->parts;
		p->nparts = book->nparts;
	}
}

void
sg_hook_notebook(struct sg_hook *h, struct sg_str path, struct sg_str json,
		 struct sg_str before)
{
	struct sg_str old = read_before(h, before);
	struct sg_hook_piece book = read_book(h, json, NULL);

	if (book.text.p)
		add_book(h, path, &book, old);
	else
		sg_hook_refuse(h, "'%.*s' would be no notebook",
			       SG_STR_ARG(path));
}

void
sg_hook_cell(struct sg_hook *h, struct sg_str path, struct sg_str id,
	     struct sg_str source, struct sg_str mode)
{
	const struct cell_change c = { id, source, mode };
	struct sg_str json = sg_hook_read(h, sg_hook_path(h, path));
	struct sg_hook_piece book = read_book(h, json, &c);

	add_book(h, path, &book, read_before(h, json));
}
