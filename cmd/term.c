#include "cmd/term.h"

#include "cmd/cmd.h"
#include "cmd/policy_place.h"

#include "base/file.h"
#include "pipeline/render.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool
sg_term_write(int fd, const struct sg_buf *b, int *ret_errno)
{
	struct sg_err err;

	if (b->len == 0)
		return true;
	sg_err_clear(&err);
	if (sg_fd_write_all(fd, b->data, b->len, &err) == SG_OK)
		return true;
	*ret_errno = err.sys;
	return false;
}

void
sg_say(const char *fmt, ...)
{
	char text[2048];
	struct sg_buf b;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	sg_buf_init(&b, 4 * sizeof(text));
	sg_buf_c(&b, "sandgate: ");
	sg_render_safe(sg_str_c(text), &b);
	sg_buf_char(&b, '\n');
	/* There is no other place to say that this one is gone. */
	(void)sg_term_write(2, &b, &n);
	sg_buf_release(&b);
}

void
sg_say_err(const struct sg_err *err)
{
	char line[SG_ERR_FILE + SG_ERR_MSG + SG_ERR_CODE + 64];
	struct sg_buf b;
	int number;

	sg_say("%s", sg_err_format(err, line, sizeof(line)));
	if (strncmp(err->code, "policy.", 7) != 0)
		return;
	sg_buf_init(&b, SG_TERM_MAX);
	sg_policy_excerpt(err->file, err->line, err->column, &b);
	(void)sg_term_write(2, &b, &number);
	sg_buf_release(&b);
}

void
sg_say_audit(const char *why, void *ctx)
{
	(void)ctx;
	if (why)
		sg_say("%s; nothing runs until it can be", why);
	else
		sg_say("the audit log can be written again");
}

bool
sg_term_colour(int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return !(no && no[0]) && isatty(fd) && term &&
	       strcmp(term, "dumb") != 0;
}

int
sg_term_put(struct sg_buf *b, int status, int failed)
{
	int number = 0;

	if (sg_buf_failed(b)) {
		sg_say("the output is too large");
		status = failed;
	} else if (!sg_term_write(1, b, &number) && number == EPIPE) {
		status = SG_EXIT_PIPE;
	} else if (number) {
		sg_say("cannot write to standard output: %s", strerror(number));
		status = failed;
	}
	sg_buf_reset(b);
	return status;
}
