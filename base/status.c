#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* Here are the functions themselves. */
#undef sg_err_set
#undef sg_err_sys

static const char *const texts[] = {
	[-SG_OK] = "no error",
	[-SG_ENOMEM] = "out of memory",
	[-SG_EIO] = "input or output failed",
	[-SG_EUSAGE] = "used in a way that makes no sense",
	[-SG_ELIMIT] = "a limit was reached",
	[-SG_EPARSE] = "the document is malformed",
	[-SG_EPOLICY] = "the policy is wrong",
	[-SG_EBOX] = "the sandbox could not be built",
	[-SG_EAUDIT] = "the audit record could not be written",
	[-SG_ENOENT] = "there is no such thing",
	[-SG_EBROKEN] = "the audit log does not verify",
	[-SG_EINTERNAL] = "internal error",
};

const char *
sg_status_text(enum sg_status status)
{
	int i = -(int)status;

	if (i < 0 || i >= (int)(sizeof(texts) / sizeof(texts[0])))
		return "unknown status";
	return texts[i];
}

/*
 * Copies what fits, ended by NUL.  Messages quote names that come from
 * scripts and policies, so a cut may not split a code point, and a control
 * character may not start a second line.
 */
static void
put_line(char *dst, size_t room, const char *src)
{
	struct sg_str s = sg_str_c(src);
	size_t n = s.n < room ? s.n : sg_utf8_floor(s, room - 1);

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)src[i];

		dst[i] = c < 0x20 || c == 0x7f ? ' ' : src[i];
	}
	dst[n] = '\0';
}

void
sg_err_clear(struct sg_err *err)
{
	if (!err)
		return;
	err->status = SG_OK;
	err->sys = 0;
	err->line = err->column = 0;
	err->file[0] = err->code[0] = err->msg[0] = '\0';
}

SG_PRINTF(4, 0)
static void
set_message(struct sg_err *err, enum sg_status status, int sys, const char *fmt,
	    va_list ap)
{
	char text[SG_ERR_MSG + 8], why[128];
	int n;

	if (err->status != SG_OK)
		sg_err_clear(err);
	err->status = status;
	err->sys = sys;
	n = vsnprintf(text, sizeof(text), fmt, ap);
	if (n < 0)
		text[n = 0] = '\0';
	if (sys && (size_t)n < sizeof(text))
		(void)snprintf(text + n, sizeof(text) - (size_t)n, "%s%s",
			       n ? ": " : "",
			       strerror_r(sys, why, sizeof(why)));
	put_line(err->msg, sizeof(err->msg), text);
}

int
sg_err_set(struct sg_err *err, enum sg_status status, const char *fmt, ...)
{
	va_list ap;

	if (err) {
		va_start(ap, fmt);
		set_message(err, status, 0, fmt, ap);
		va_end(ap);
	}
	return status;
}

int
sg_err_sys(struct sg_err *err, enum sg_status status, int sys, const char *fmt,
	   ...)
{
	va_list ap;

	if (err) {
		va_start(ap, fmt);
		set_message(err, status, sys, fmt, ap);
		va_end(ap);
	}
	return status;
}

int
sg_err_at(struct sg_err *err, const char *file, uint32_t line, uint32_t column)
{
	if (!err)
		return SG_OK;
	if (file)
		put_line(err->file, sizeof(err->file), file);
	err->line = line;
	err->column = column;
	return err->status;
}

int
sg_err_code(struct sg_err *err, const char *code)
{
	if (!err)
		return SG_OK;
	put_line(err->code, sizeof(err->code), code ? code : "");
	return err->status;
}

char *
sg_err_format(const struct sg_err *err, char *buf, uint32_t size)
{
	char place[SG_ERR_FILE + 32], whole[SG_ERR_FILE + SG_ERR_MSG + 128];
	const char *msg = err->msg[0] ? err->msg : sg_status_text(err->status);
	int n = 0;

	if (size == 0)
		return buf;
	place[0] = '\0';
	if (err->file[0])
		n = snprintf(place, sizeof(place), "%s:", err->file);
	if (err->line)
		n += snprintf(place + n, sizeof(place) - (size_t)n,
			      "%s%u:", n ? "" : "line ", err->line);
	if (err->line && err->column)
		n += snprintf(place + n, sizeof(place) - (size_t)n,
			      "%u:", err->column);
	(void)snprintf(whole, sizeof(whole), "%s%s%s%s%s%s", place,
		       n ? " " : "", msg, err->code[0] ? " [" : "", err->code,
		       err->code[0] ? "]" : "");
	put_line(buf, size, whole);
	return buf;
}
