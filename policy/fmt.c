/*
 * The layout of policy files: line ends, blanks at line ends, blank lines.
 * Nothing else is touched, comments and quoting stay as they are; the
 * document must say the same before and after.
 */

#include "policy/limits.h"
#include "policy/show.h"

static void
add_line(struct sg_buf *out, struct sg_str line, uint32_t *blank)
{
	while (line.n > 0 &&
	       (line.p[line.n - 1] == ' ' || line.p[line.n - 1] == '\t' ||
		line.p[line.n - 1] == '\r'))
		line.n--;
	if (line.n == 0) {
		(*blank)++;
		return;
	}
	if (*blank > 0 && out->len > 0)
		sg_buf_char(out, '\n');
	*blank = 0;
	sg_buf_str(out, line);
	sg_buf_char(out, '\n');
}

static int
same_document(struct sg_str before, struct sg_str after, const char *file,
	      struct sg_err *err)
{
	struct sg_buf a, b;
	int rc;

	sg_buf_init(&a, 8 * SG_POLICY_BYTES);
	sg_buf_init(&b, 8 * SG_POLICY_BYTES);
	rc = sg_policy_to_json(before, file, &a, err);
	if (rc == SG_OK)
		rc = sg_policy_to_json(after, file, &b, err);
	if (rc == SG_OK && !sg_str_eq(sg_buf_view(&a), sg_buf_view(&b))) {
		rc = sg_err_set(err, SG_EPOLICY,
				"blanks at line ends belong to a text here");
		(void)sg_err_code(err, "policy.fmt");
		(void)sg_err_at(err, file, 0, 0);
	}
	sg_buf_release(&a);
	sg_buf_release(&b);
	return rc;
}

int
sg_policy_fmt(struct sg_str text, const char *file, struct sg_buf *out,
	      struct sg_err *err)
{
	struct sg_str rest = text;
	uint32_t blank = 0;
	size_t n;

	if (sg_str_starts(rest, SG_STR("\xef\xbb\xbf")))
		rest = sg_str_slice(rest, 3, rest.n);
	while (rest.n > 0) {
		n = sg_str_find(rest, '\n');
		add_line(out, sg_str_slice(rest, 0, n), &blank);
		rest = sg_str_slice(rest, n + 1, rest.n);
	}
	if (sg_buf_failed(out))
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	return same_document(text, sg_buf_view(out), file, err);
}
