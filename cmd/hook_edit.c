#include "cmd/hook.h"

/* Files that are written, edited or patched. */

static bool
is_script(struct sg_str path, struct sg_str text)
{
	struct sg_str line = sg_str_slice(text, 0, sg_str_find(text, '\n'));

	return sg_hook_is_python(path) ||
	       (sg_str_starts(line, SG_STR("#!")) && sg_hook_mentions(line));
}

void
sg_hook_write(struct sg_hook *h, struct sg_str path, struct sg_str text)
{
	struct sg_str before;

	if (!sg_hook_is_notebook(path) && !is_script(path, text))
		return;
	before = sg_hook_read(h, sg_hook_path(h, path));
	if (sg_hook_is_notebook(path))
		sg_hook_notebook(h, path, text, before);
	else
		sg_hook_add(h, path, text, before);
}

/* ---- edits ---- */

/*
 * With line ends of one byte: agents show files so, whatever they hold, and
 * Python reads both alike.
 */
static struct sg_str
plain(const struct sg_hook *h, struct sg_str s)
{
	struct sg_buf b;

	if (!s.p || !memmem(s.p, s.n, "\r\n", 2))
		return s;
	sg_buf_init(&b, SG_HOOK_FILE);
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '\r' || i + 1 == s.n || s.p[i + 1] != '\n')
			sg_buf_char(&b, s.p[i]);
	s = sg_arena_dup(h->arena, sg_buf_view(&b));
	sg_buf_release(&b);
	return s;
}

static size_t
indent_of(struct sg_str s, size_t at)
{
	size_t n = 0;

	while (at + n < s.n && (s.p[at + n] == ' ' || s.p[at + n] == '\t'))
		n++;
	return n;
}

/* The text with its first indentation for another: that of the file. */
static void
add_indented(struct sg_buf *b, struct sg_str to, struct sg_str indent)
{
	struct sg_str own = sg_str_slice(to, 0, indent_of(to, 0));

	for (size_t at = 0; at < to.n;) {
		struct sg_str rest = sg_str_slice(to, at, to.n);
		struct sg_str line = sg_str_slice(rest, 0,
						  sg_str_find(rest, '\n'));
		size_t in = indent_of(line, 0);

		at += line.n + 1;
		if (in < line.n) {
			sg_buf_str(b, indent);
			if (sg_str_starts(line, own))
				in = own.n;
			sg_buf_str(b, sg_str_slice(line, in, line.n));
		}
		if (at <= to.n)
			sg_buf_char(b, '\n');
	}
}

static void
add_change(struct sg_buf *b, const struct sg_hook_change *c, struct sg_str text,
	   const struct sg_hook_place *p)
{
	size_t indent = indent_of(text, p->at);

	if (p->lines && c->indent)
		add_indented(b, c->to,
			     sg_str_slice(text, p->at, p->at + indent));
	else
		sg_buf_str(b, c->to);
}

/*
 * False when the text does not hold what is to be replaced at or after *pos,
 * which becomes the end of what took its place.
 */
static bool
apply(struct sg_hook *h, const struct sg_hook_change *c, struct sg_str *text,
      size_t *pos)
{
	struct sg_hook_place p;
	size_t from = 0, at = *pos;
	struct sg_buf b;
	bool found;

	sg_buf_init(&b, SG_HOOK_FILE);
	/* Nothing to be replaced: a new file, or what is added to one. */
	if (c->from.n == 0) {
		sg_buf_str(&b, *text);
		sg_buf_str(&b, c->to);
		from = text->n;
	} else if (!sg_hook_find(*text, c->from, at, &p)) {
		return false;
	}
	for (found = c->from.n; found;
	     found = c->all && sg_hook_find(*text, c->from, from, &p)) {
		sg_buf_str(&b, sg_str_slice(*text, from, p.at));
		add_change(&b, c, *text, &p);
		from = p.end;
	}
	*pos = b.len;
	sg_buf_str(&b, sg_str_slice(*text, from, text->n));
	*text = sg_arena_dup(h->arena, sg_buf_view(&b));
	if (sg_buf_failed(&b) || !text->p)
		sg_hook_refuse(h, "the edited file is too large to judge");
	sg_buf_release(&b);
	return true;
}

void
sg_hook_edit(struct sg_hook *h, struct sg_str path,
	     const struct sg_hook_change *changes, uint32_t n)
{
	struct sg_str before = plain(h, sg_hook_read(h, sg_hook_path(h, path)));
	struct sg_str text = before.p ? before : SG_STR("");
	bool ours = sg_hook_is_notebook(path) || is_script(path, text);

	for (uint32_t i = 0; i < n; i++) {
		struct sg_hook_change c = changes[i];
		size_t pos = 0;

		c.from = plain(h, c.from);
		c.to = plain(h, c.to);
		c.indent = true;
		if (apply(h, &c, &text, &pos))
			continue;
		if (ours)
			sg_hook_refuse(
				h,
				"'%.*s' does not hold the text that is to be "
				"replaced, so what it would hold cannot be "
				"judged; read it again",
				SG_STR_ARG(path));
		return;
	}
	if (sg_hook_is_notebook(path))
		sg_hook_notebook(h, path, text, before);
	else if (is_script(path, text))
		sg_hook_add(h, path, text, before);
}

/* ---- patches ---- */

/* A patch that is being read. */
struct patch {
	struct sg_hook *h;
	struct sg_str path, source; /* to be, and now */
	char kind;                  /* 'A'dd, 'U'pdate, '-': nothing to do */
	struct sg_buf from, to;
	struct sg_str before, text; /* of the file */
	size_t pos;                 /* in it: where the last hunk ended */
};

static void
end_hunk(struct patch *p)
{
	const struct sg_hook_change c = { .from = sg_buf_view(&p->from),
					  .to = sg_buf_view(&p->to) };
	size_t top = 0;

	/* Hunks come in order; who mixes them up is looked after once more. */
	if (p->kind == 'U' && (c.from.n || c.to.n) &&
	    !apply(p->h, &c, &p->text, &p->pos) &&
	    !apply(p->h, &c, &p->text, &top) && sg_hook_is_python(p->path))
		sg_hook_refuse(
			p->h,
			"the patch does not fit '%.*s', so what it would "
			"hold cannot be judged; read it again",
			SG_STR_ARG(p->source));
	sg_buf_reset(&p->from);
	if (p->kind == 'U')
		sg_buf_reset(&p->to);
}

static void
end_file(struct patch *p)
{
	end_hunk(p);
	if (p->kind == 'A')
		sg_hook_write(p->h, p->path,
			      sg_arena_dup(p->h->arena, sg_buf_view(&p->to)));
	else if (p->kind == 'U' && sg_hook_is_notebook(p->path))
		sg_hook_notebook(p->h, p->path, p->text, p->before);
	else if (p->kind == 'U' && is_script(p->path, p->text))
		sg_hook_add(p->h, p->path, p->text, p->before);
	sg_buf_reset(&p->to);
	p->kind = '-';
}

static void
begin_file(struct patch *p, char kind, struct sg_str path)
{
	p->kind = kind;
	p->path = p->source = path;
	p->before = plain(p->h, sg_hook_read(p->h, sg_hook_path(p->h, path)));
	p->text = p->before.p ? p->before : SG_STR("");
	p->pos = 0;
}

/* "*** Update File: path"; false when the line is none of these. */
static bool
read_heading(struct patch *p, struct sg_str line)
{
	static const struct {
		const char *text;
		char kind;
	} headings[] = {
		{ "*** Add File: ", 'A' },    { "*** Update File: ", 'U' },
		{ "*** Delete File: ", '-' }, { "*** Begin Patch", '-' },
		{ "*** End Patch", '-' },
	};

	if (sg_str_starts(line, SG_STR("*** Move to: "))) {
		p->path = sg_str_slice(line, 13, line.n);
		return true;
	}
	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++) {
		struct sg_str head = sg_str_c(headings[i].text);

		if (!sg_str_starts(line, head))
			continue;
		end_file(p);
		begin_file(p, headings[i].kind,
			   sg_str_slice(line, head.n, line.n));
		return true;
	}
	return sg_str_starts(line, SG_STR("*** "));
}

/* "@@ def f():": the hunk is behind that line. */
static void
go_to(struct patch *p, struct sg_str line)
{
	struct sg_hook_place place;

	while (line.n && line.p[0] == ' ')
		line = sg_str_slice(line, 1, line.n);
	if (p->kind == 'U' && line.n && p->text.n &&
	    sg_hook_find(p->text, line, p->pos, &place))
		p->pos = place.end + (place.end < p->text.n &&
				      p->text.p[place.end] == '\n');
}

static void
read_line(struct patch *p, struct sg_str line)
{
	char c = line.n ? line.p[0] : ' ';
	struct sg_str rest = sg_str_slice(line, 1, line.n);

	if (read_heading(p, line))
		return;
	if (sg_str_starts(line, SG_STR("@@"))) {
		end_hunk(p);
		go_to(p, sg_str_slice(line, 2, line.n));
		return;
	}
	if (c == '-' || c == ' ') {
		sg_buf_str(&p->from, rest);
		sg_buf_char(&p->from, '\n');
	}
	if (c == '+' || c == ' ') {
		sg_buf_str(&p->to, rest);
		sg_buf_char(&p->to, '\n');
	}
}

void
sg_hook_patch(struct sg_hook *h, struct sg_str patch)
{
	struct patch p = { .h = h, .kind = '-' };

	sg_buf_init(&p.from, SG_HOOK_FILE);
	sg_buf_init(&p.to, SG_HOOK_FILE);
	for (size_t at = 0; at < patch.n && !h->why[0];) {
		struct sg_str rest = sg_str_slice(patch, at, patch.n);
		struct sg_str line = sg_str_slice(rest, 0,
						  sg_str_find(rest, '\n'));

		at += line.n + 1;
		if (line.n && line.p[line.n - 1] == '\r')
			line.n--;
		read_line(&p, line);
	}
	end_file(&p);
	sg_buf_release(&p.from);
	sg_buf_release(&p.to);
}
