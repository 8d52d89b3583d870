#include "cmd/policy_place.h"

#include <sys/stat.h>

#include "base/file.h"
#include "base/utf8.h"
#include "pipeline/render.h"
#include "policy/policy.h"

enum {
	FILE_MAX = 1 << 20, /* as policies may have */
	WIDTH = 100,        /* code points of a line that are shown */
	BEFORE = 60         /* of them before the caret */
};

/* The text of a policy; `own` holds what is not built in. */
static struct sg_str
text_of(const char *file, struct sg_buf *own)
{
	const struct sg_embed *s;
	struct sg_err err;
	struct stat st;

	for (s = sg_policy_shipped(); s->name != NULL; s++)
		if (strcmp(s->name, file) == 0)
			return s->data;
	/* a pipe has been read already, and would wait for a writer */
	if (stat(file, &st) != 0 || !S_ISREG(st.st_mode))
		return SG_STR_NONE;
	sg_err_clear(&err);
	if (sg_file_read(file, own, &err) != SG_OK)
		return SG_STR_NONE;
	return sg_buf_view(own);
}

static bool
line_of(struct sg_str text, uint32_t line, struct sg_str *ret)
{
	size_t at = 0, n;

	if (sg_str_starts(text, SG_STR("\xef\xbb\xbf")))
		at = 3;
	for (; line > 1 && at < text.n; line--)
		at += sg_str_find(sg_str_slice(text, at, text.n), '\n') + 1;
	if (line != 1 || at > text.n)
		return false;
	*ret = sg_str_slice(text, at, text.n);
	n = sg_str_find(*ret, '\n');
	if (n > 0 && ret->p[n - 1] == '\r')
		n--;
	ret->n = n;
	return true;
}

/* The offset of code point `n` of a line, its end at most. */
static size_t
offset_of(struct sg_str line, size_t n)
{
	uint32_t cp, length;
	size_t at = 0;

	for (; n > 0 && at < line.n; n--) {
		length = sg_utf8_decode(line, at, &cp);
		at += length > 0 ? length : 1;
	}
	return at;
}

/* Tabs take one column here, on both lines. */
static void
put_part(struct sg_str part, struct sg_buf *out)
{
	size_t n;

	while (part.n > 0) {
		n = sg_str_find(part, '\t');
		sg_render_safe(sg_str_slice(part, 0, n), out);
		if (n < part.n)
			sg_buf_char(out, ' ');
		part = sg_str_slice(part, n + 1, part.n);
	}
}

static void
put_lines(struct sg_str line, uint32_t number, size_t column,
	  struct sg_buf *out)
{
	size_t first = column > WIDTH ? column - BEFORE : 0;
	size_t from = offset_of(line, first), at = offset_of(line, column);
	size_t end = offset_of(line, first + WIDTH), shown, i;

	sg_buf_printf(out, "%5u | %s", number, first > 0 ? "..." : "");
	shown = out->len;
	put_part(sg_str_slice(line, from, at), out);
	shown = out->len - shown > 0
			? sg_utf8_count((struct sg_str){ out->data + shown,
							 out->len - shown })
			: 0;
	put_part(sg_str_slice(line, at, end), out);
	sg_buf_printf(out, "%s\n      | ", end < line.n ? "..." : "");
	for (i = 0; i < shown + (first > 0 ? 3 : 0); i++)
		sg_buf_char(out, ' ');
	sg_buf_c(out, "^\n");
}

void
sg_policy_excerpt(const char *file, uint32_t line, uint32_t column,
		  struct sg_buf *out)
{
	struct sg_str text, at;
	struct sg_buf own;

	if (file == NULL || line == 0 || column == 0)
		return;
	sg_buf_init(&own, FILE_MAX + 1);
	text = text_of(file, &own);
	if (line_of(text, line, &at))
		put_lines(at, line, column - 1, out);
	sg_buf_release(&own);
}

void
sg_policy_suggestion(struct sg_str message, struct sg_str *ret_message,
		     struct sg_str *ret_word)
{
	static const char ask[] = "; did you mean '";
	const char *p = message.n > 0 ? memmem(message.p, message.n, ask,
					       sizeof(ask) - 1)
				      : NULL;
	size_t at = p != NULL ? (size_t)(p - message.p) : message.n;

	*ret_message = sg_str_slice(message, 0, at);
	*ret_word = sg_str_slice(message, at + sizeof(ask) - 1, message.n);
	ret_word->n = sg_str_find(*ret_word, '\'');
}
