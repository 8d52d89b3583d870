/*
 * Events of coding agents, and command lines.  An input that begins with '{'
 * is an event; one that begins with '@' is a text, a NUL, and what is looked
 * for in it; any other is a command line.  What a shell is given by -c must be
 * seen as it is without one.
 */

#include "cmd/hook.h"
#include "fuzz/target.h"

enum { ARENA = 256 << 20, LINE_MAX_BYTES = 1 << 16 };

struct seen {
	struct sg_arena arena;
	struct sg_hook hook;
};

static void
open_hook(struct seen *s)
{
	*s = (struct seen){ .hook = { .arena = &s->arena, .home = "/home" } };
	sg_arena_init(&s->arena, ARENA);
	s->hook.pieces = SG_NEWN(&s->arena, struct sg_hook_piece,
				 SG_HOOK_PIECES);
	must(s->hook.pieces != NULL);
}

static void
check_pieces(const struct sg_hook *h)
{
	must(h->npieces <= SG_HOOK_PIECES);
	must(h->depth == 0);
	for (uint32_t i = 0; i < h->npieces; i++)
		must(h->pieces[i].name.n > 0);
}

static void
try_event(struct sg_str text)
{
	struct sg_err err;
	struct seen s;

	sg_err_clear(&err);
	open_hook(&s);
	if (sg_hook_event(&s.hook, text, &err) < 0)
		must(err.msg[0]);
	else
		check_pieces(&s.hook);
	sg_arena_release(&s.arena);
}

static void
quote(struct sg_str text, struct sg_buf *out)
{
	sg_buf_c(out, "sh -c -- '");
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '\'')
			sg_buf_c(out, "'\\''");
		else
			sg_buf_char(out, text.p[i]);
	sg_buf_char(out, '\'');
}

static void
compare(const struct sg_hook *bare, const struct sg_hook *within)
{
	/* One shell more may be one too many. */
	if (within->why[0])
		return;
	must(!bare->why[0]);
	must(bare->npieces == within->npieces);
	for (uint32_t i = 0; i < bare->npieces; i++)
		must(sg_str_eq(bare->pieces[i].text, within->pieces[i].text));
}

static void
try_line(struct sg_str text)
{
	struct seen bare, within;
	struct sg_buf b;

	open_hook(&bare);
	open_hook(&within);
	sg_hook_shell(&bare.hook, text);
	check_pieces(&bare.hook);
	sg_buf_init(&b, 4 * LINE_MAX_BYTES + 64);
	quote(text, &b);
	sg_hook_shell(&within.hook, sg_buf_view(&b));
	check_pieces(&within.hook);
	compare(&bare.hook, &within.hook);
	sg_buf_release(&b);
	sg_arena_release(&bare.arena);
	sg_arena_release(&within.arena);
}

/* What is there byte by byte is found; what is found is there. */
static void
try_find(struct sg_str input)
{
	size_t n = sg_str_find(input, '\0');
	struct sg_str text = sg_str_slice(input, 0, n);
	struct sg_str part = sg_str_slice(input, n + 1, input.n);
	struct sg_hook_place place;
	bool found = sg_hook_find(text, part, 0, &place);

	if (part.n && memmem(text.p, text.n, part.p, part.n)) {
		must(found && !place.lines);
		must(place.end - place.at == part.n);
		must(memcmp(text.p + place.at, part.p, part.n) == 0);
	}
	if (!found)
		return;
	must(place.at < place.end && place.end <= text.n);
	must(!place.lines || place.at == 0 || text.p[place.at - 1] == '\n');
	/* The rest holds no end of it. */
	must(!sg_hook_find(text, part, text.n, &place));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sg_str text = { (const char *)data, size };

	if (size > LINE_MAX_BYTES)
		return 0;
	if (size && data[0] == '{')
		try_event(text);
	else if (size && data[0] == '@')
		try_find(sg_str_slice(text, 1, text.n));
	else
		try_line(text);
	return 0;
}
