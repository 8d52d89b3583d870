#include "cmd/mcp_line.h"

enum { SLACK = 1 << 20 }; /* most of one piece */

void
sg_mcp_lines_init(struct sg_mcp_lines *l, struct sg_mcp_peer *peer, size_t max)
{
	*l = (struct sg_mcp_lines){ .peer = peer, .max = max };
	sg_buf_init(&l->line, max + SLACK);
}

void
sg_mcp_lines_release(struct sg_mcp_lines *l)
{
	sg_buf_release(&l->line);
}

static void
feed(struct sg_mcp_lines *l)
{
	struct sg_str text = sg_buf_view(&l->line);
	bool blank = true;

	for (size_t i = 0; i < text.n && blank; i++)
		blank = text.p[i] == ' ' || text.p[i] == '\t' ||
			text.p[i] == '\r';
	if (!blank)
		sg_mcp_peer_feed(l->peer, text);
	/* One long line is no reason to keep its memory. */
	if (l->line.room > SLACK)
		sg_buf_release(&l->line);
	sg_buf_reset(&l->line);
}

/* Some bytes of one line; `whole` when they are its last ones. */
static void
add(struct sg_mcp_lines *l, struct sg_str part, bool whole)
{
	while (!l->skipping && (part.n > 0 || whole)) {
		struct sg_str piece = sg_str_slice(part, 0, SLACK / 2);

		sg_buf_str(&l->line, piece);
		part = sg_str_slice(part, piece.n, part.n);
		l->skipping = l->line.len > l->max || sg_buf_failed(&l->line);
		if (l->skipping || (whole && part.n == 0)) {
			feed(l);
			break;
		}
	}
	if (whole)
		l->skipping = false;
}

void
sg_mcp_lines_take(struct sg_mcp_lines *l, const char *p, size_t n)
{
	const struct sg_str all = { p, n };

	for (size_t at = 0; at < n;) {
		size_t len = sg_str_find(sg_str_slice(all, at, n), '\n');
		bool whole = at + len < n;

		add(l, sg_str_slice(all, at, at + len), whole);
		at += len + whole;
	}
}

void
sg_mcp_lines_end(struct sg_mcp_lines *l)
{
	if (l->line.len > 0 && !l->skipping)
		feed(l);
}
