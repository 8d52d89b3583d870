#include "pipeline/render.h"

#include "base/utf8.h"
#include "pipeline/limits.h"

#include <stdio.h>

#define RED "\033[1;31m"
#define YELLOW "\033[1;33m"
#define CYAN "\033[36m"
#define BOLD "\033[1m"
#define PLAIN "\033[0m"

/* Characters that change how others are shown, or that nobody sees. */
static bool
is_hidden(uint32_t cp)
{
	return cp < 32 || (cp >= 0x7f && cp < 0xa0) || cp == 0xad ||
	       cp == 0x61c || (cp >= 0x200b && cp <= 0x200f) ||
	       (cp >= 0x2028 && cp <= 0x202e) ||
	       (cp >= 0x2060 && cp <= 0x2069) || cp == 0xfeff ||
	       (cp >= 0xe0000 && cp < 0xe1000);
}

static void
escape(uint32_t cp, struct sg_buf *out)
{
	if (cp < 0x100)
		sg_buf_printf(out, "\\x%02x", (unsigned)cp);
	else
		sg_buf_printf(out, cp < 0x10000 ? "\\u%04x" : "\\U%08x",
			      (unsigned)cp);
}

void
sg_render_safe(struct sg_str s, struct sg_buf *out)
{
	size_t at = 0;

	while (at < s.n) {
		uint32_t cp = 0, n = sg_utf8_decode(s, at, &cp);

		if (n == 0)
			escape((unsigned char)s.p[at], out);
		else if (cp == '\t')
			sg_buf_char(out, '\t');
		else if (is_hidden(cp))
			escape(cp, out);
		else
			sg_buf_add(out, s.p + at, n);
		at += n ? n : 1;
	}
}

/* The length of a colour sequence (ESC [ digits ; ... m) at s[at], or 0. */
static size_t
colour_length(struct sg_str s, size_t at)
{
	size_t i = at + 2;

	if (i >= s.n || s.p[at] != '\033' || s.p[at + 1] != '[')
		return 0;
	while (i < s.n && i - at < 32 &&
	       ((s.p[i] >= '0' && s.p[i] <= '9') || s.p[i] == ';'))
		i++;
	return i < s.n && s.p[i] == 'm' ? i + 1 - at : 0;
}

void
sg_render_terminal(struct sg_str s, struct sg_buf *out)
{
	size_t at = 0;

	while (at < s.n) {
		uint32_t cp = 0, n = sg_utf8_decode(s, at, &cp);
		size_t keep = colour_length(s, at);

		if (keep) {
			sg_buf_add(out, s.p + at, keep);
			at += keep;
			continue;
		}
		if (n == 0)
			escape((unsigned char)s.p[at], out);
		else if (cp == '\t' || cp == '\n' || cp == '\r' || cp == '\b' ||
			 !is_hidden(cp))
			sg_buf_add(out, s.p + at, n);
		else
			escape(cp, out);
		at += n ? n : 1;
	}
}

/* The line of the canonical text around an offset: view into it. */
static struct sg_str
line_around(struct sg_str text, uint32_t offset, uint32_t *ret_start)
{
	size_t from = offset < text.n ? offset : text.n, to = from;

	while (from > 0 && text.p[from - 1] != '\n')
		from--;
	while (to < text.n && text.p[to] != '\n')
		to++;
	*ret_start = (uint32_t)from;
	return sg_str_slice(text, from, to);
}

/* Columns that sg_render_safe() gives, tabs counted as one. */
static size_t
shown_width(struct sg_str s)
{
	struct sg_buf b;
	size_t n;

	sg_buf_init(&b, 16 * SG_SHOWN_LINE);
	sg_render_safe(s, &b);
	n = sg_utf8_count(sg_buf_view(&b));
	sg_buf_release(&b);
	return n;
}

/* The white space under `s` that keeps tabs in line. */
static void
indent_like(struct sg_str s, struct sg_buf *out)
{
	for (size_t i = 0; i < s.n;) {
		uint32_t cp, n = sg_utf8_decode(s, i, &cp);
		struct sg_str one = sg_str_slice(s, i, i + (n ? n : 1));

		if (s.p[i] == '\t')
			sg_buf_char(out, '\t');
		else
			sg_buf_printf(out, "%*s", (int)shown_width(one), "");
		i += n ? n : 1;
	}
}

static void
render_source(const struct sg_check *c, const struct sg_finding *f,
	      const struct sg_render_opts *o, struct sg_buf *out)
{
	uint32_t start;
	struct sg_str line = line_around(c->canonical, f->range.start, &start);
	size_t at = f->range.start - start, end = f->range.end - start;
	size_t from = at > SG_SHOWN_LINE - SG_SHOWN_BEFORE
			      ? at - SG_SHOWN_BEFORE
			      : 0;
	struct sg_str shown, before, marked;
	size_t width;

	if (f->range.start > c->canonical.n)
		return;
	if (end > line.n)
		end = line.n;
	from = sg_utf8_floor(line, from);
	shown = sg_str_slice(line, from,
			     sg_utf8_floor(line, from + SG_SHOWN_LINE));
	before = sg_str_slice(line, from, at);
	marked = sg_str_slice(shown, at - from, end > at ? end - from : 0);
	sg_buf_printf(out, "%5u | %s", f->begin.line, from ? "..." : "");
	sg_render_safe(shown, out);
	sg_buf_printf(out, "%s\n      | %s",
		      from + shown.n < line.n ? "..." : "", from ? "   " : "");
	indent_like(before, out);
	sg_buf_c(out, o->colour ? RED : "");
	width = marked.n ? shown_width(marked) : 1;
	for (size_t i = 0; i < width; i++)
		sg_buf_char(out, '^');
	sg_buf_printf(out, "%s\n", o->colour ? PLAIN : "");
}

static void
render_note(const char *label, struct sg_str s, const struct sg_render_opts *o,
	    struct sg_buf *out)
{
	if (s.n == 0)
		return;
	sg_buf_printf(out, "      = %s%s%s: ", o->colour ? CYAN : "", label,
		      o->colour ? PLAIN : "");
	sg_render_safe(s, out);
	sg_buf_char(out, '\n');
}

static void
render_finding(const struct sg_check *c, const struct sg_finding *f,
	       const struct sg_render_opts *o, struct sg_buf *out)
{
	const char *hue = f->action == SG_REJECT ? RED : YELLOW;

	sg_buf_c(out, o->colour ? BOLD : "");
	sg_render_safe(sg_str_c(o->file), out);
	sg_buf_printf(out, ":%u:%u:%s ", f->begin.line, f->begin.column,
		      o->colour ? PLAIN : "");
	sg_buf_printf(out, "%s%s%s ", o->colour ? hue : "",
		      sg_decision_name(f->action), o->colour ? PLAIN : "");
	sg_render_safe(f->rule, out);
	sg_buf_c(out, ": ");
	sg_render_safe(f->message, out);
	sg_buf_char(out, '\n');
	if (o->concise)
		return;
	if (c->source)
		render_source(c, f, o, out);
	render_note("through", f->chain, o, out);
	render_note("hint", f->hint, o, out);
}

void
sg_render_findings(const struct sg_check *check,
		   const struct sg_render_opts *opts, struct sg_buf *out)
{
	const struct sg_verdict *v = &check->verdict;
	uint32_t n = v->nfindings, most = opts->most ? opts->most : n;

	for (uint32_t i = 0; i < n && i < most; i++)
		render_finding(check, &v->findings[i], opts, out);
	n += v->nsuppressed;
	if (n > most)
		sg_buf_printf(out, "  ... and %u more\n", n - most);
}
