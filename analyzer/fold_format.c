/* %-formatting, str.format and format specifications. */

#include "analyzer/fold.h"

#include <ctype.h>
#include <stdio.h>

enum { WIDTH_MAX = 1024 };

/* --- one value -------------------------------------------------------------------- */

static void
put_repr(struct sg_buf *out, const struct sg_fold *v)
{
	if (v->kind == SG_FOLD_INT || v->kind == SG_FOLD_NONE) {
		(void)sg_fold_spec(v, 0, SG_STR_NONE, out);
		return;
	}
	sg_buf_c(out, v->kind == SG_FOLD_BYTES ? "b'" : "'");
	sg_buf_str(out, v->s);
	sg_buf_char(out, '\'');
}

static void
put_digits(struct sg_buf *out, int64_t i, unsigned base, bool upper)
{
	char buf[72];
	size_t at = sizeof(buf);
	uint64_t u = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;

	do {
		unsigned d = (unsigned)(u % base);

		buf[--at] = (char)(d < 10 ? '0' + d
					  : (upper ? 'A' : 'a') + d - 10);
		u /= base;
	} while (u);
	if (i < 0)
		buf[--at] = '-';
	sg_buf_add(out, buf + at, sizeof(buf) - at);
}

struct spec {
	char fill, align, type;
	bool alternate;
	int64_t width, precision; /* -1: not given */
};

static bool
spec_read(struct sg_str s, struct spec *ret)
{
	size_t i = 0;

	*ret = (struct spec){ ' ', 0, 0, false, 0, -1 };
	if (s.n > 1 && strchr("<>^=", s.p[1]) && s.p[1]) {
		ret->fill = s.p[0];
		ret->align = s.p[1];
		i = 2;
	} else if (s.n && s.p[0] && strchr("<>^=", s.p[0])) {
		ret->align = s.p[0];
		i = 1;
	}
	if (i < s.n && s.p[i] == '#') {
		ret->alternate = true;
		i++;
	}
	if (i < s.n && s.p[i] == '0' && !ret->align) {
		ret->fill = '0';
		ret->align = '=';
		i++;
	}
	for (; i < s.n && isdigit((unsigned char)s.p[i]); i++)
		if ((ret->width = ret->width * 10 + s.p[i] - '0') > WIDTH_MAX)
			return false;
	if (i < s.n && s.p[i] == '.') {
		ret->precision = 0;
		for (i++; i < s.n && isdigit((unsigned char)s.p[i]); i++) {
			ret->precision = ret->precision * 10 + s.p[i] - '0';
			if (ret->precision > WIDTH_MAX)
				return false;
		}
	}
	if (i < s.n)
		ret->type = s.p[i++];
	return i == s.n;
}

static bool
put_body(const struct sg_fold *v, char conv, const struct spec *f,
	 struct sg_buf *out)
{
	if (conv == 'r' || conv == 'a') {
		put_repr(out, v);
		return true;
	}
	if (v->kind == SG_FOLD_NONE) {
		sg_buf_c(out, "None");
	} else if (v->kind == SG_FOLD_BYTES) {
		put_repr(out, v);
	} else if (v->kind == SG_FOLD_STR) {
		struct sg_str s = v->s;

		if (f->type && f->type != 's')
			return false;
		if (f->precision >= 0)
			s = sg_str_slice(s, 0, (size_t)f->precision);
		sg_buf_str(out, s);
	} else if (f->type == 'c') {
		return sg_fold_chr(v->i, out);
	} else {
		unsigned base = f->type == 'x' || f->type == 'X' ? 16
				: f->type == 'o'                 ? 8
				: f->type == 'b'                 ? 2
								 : 10;

		if (f->type && !strchr("xXobdn", f->type))
			return false;
		if (f->alternate && base != 10) {
			sg_buf_char(out, '0');
			sg_buf_char(out, f->type);
		}
		put_digits(out, v->i, base, f->type == 'X');
	}
	return true;
}

bool
sg_fold_spec(const struct sg_fold *v, char conv, struct sg_str spec,
	     struct sg_buf *out)
{
	struct spec f;
	size_t begin = out->len, n;
	int64_t pad, left;

	if (!spec_read(spec, &f) || !put_body(v, conv, &f, out))
		return false;
	n = out->len - begin;
	pad = f.width - (int64_t)n;
	if (pad <= 0 || sg_buf_failed(out))
		return !sg_buf_failed(out);
	if (!f.align)
		f.align = v->kind == SG_FOLD_INT ? '>' : '<';
	left = f.align == '<' ? 0 : f.align == '^' ? pad / 2 : pad;
	if (!sg_buf_room(out, (size_t)pad))
		return false;
	memmove(out->data + begin + left, out->data + begin, n);
	memset(out->data + begin, f.fill, (size_t)left);
	memset(out->data + begin + left + n, f.fill, (size_t)(pad - left));
	out->len += (size_t)pad;
	out->data[out->len] = '\0';
	return true;
}

/* --- text % args -------------------------------------------------------------------- */

bool
sg_fold_percent(const struct sg_fold *self, const struct sg_fold *args,
		uint32_t nargs, struct sg_buf *out, struct sg_fold *ret)
{
	size_t begin = out->len;
	uint32_t next = 0;

	for (size_t i = 0; i < self->s.n; i++) {
		char c = self->s.p[i];
		size_t from = i + 1;
		struct sg_str flags;

		if (c != '%') {
			sg_buf_char(out, c);
			continue;
		}
		i++;
		while (i < self->s.n && self->s.p[i] &&
		       strchr("0123456789.-+ #", self->s.p[i]))
			i++;
		if (i >= self->s.n)
			return false;
		c = self->s.p[i];
		if (c == '%') {
			sg_buf_char(out, '%');
			continue;
		}
		flags = sg_str_slice(self->s, from, i);
		if (next >= nargs || flags.n > 8)
			return false;
		if (c == 'c' && args[next].kind == SG_FOLD_STR) {
			sg_buf_str(out, args[next++].s);
		} else if (c == 's' || c == 'r' || c == 'a') {
			if (self->kind == SG_FOLD_BYTES)
				sg_buf_str(out, args[next++].s);
			else if (!sg_fold_spec(&args[next++], c, flags, out))
				return false;
		} else if (strchr("dixXoc", c) &&
			   args[next].kind == SG_FOLD_INT) {
			char spec[16];
			int n = snprintf(spec, sizeof(spec), "%.*s%c",
					 SG_STR_ARG(flags), c == 'i' ? 'd' : c);

			if (!sg_fold_spec(&args[next++], 0,
					  (struct sg_str){ spec, (size_t)n },
					  out))
				return false;
		} else {
			return false;
		}
	}
	*ret = (struct sg_fold){
		.kind = self->kind,
		.s = { out->data ? out->data + begin : NULL, out->len - begin },
	};
	return next == nargs && !sg_buf_failed(out);
}

/* --- str.format ------------------------------------------------------------------------ */

static const struct sg_fold_arg *
field_arg(struct sg_str field, const struct sg_fold_arg *args, uint32_t nargs,
	  uint32_t *next)
{
	int64_t want = -1, at = 0;

	if (!field.n)
		want = (*next)++;
	else if (isdigit((unsigned char)field.p[0]) &&
		 !sg_fold_int(field, 10, &want))
		return NULL;
	for (uint32_t i = 0; i < nargs; i++) {
		if (args[i].name.n) {
			if (want < 0 && sg_str_eq(args[i].name, field))
				return &args[i];
		} else if (at++ == want) {
			return &args[i];
		}
	}
	return NULL;
}

/* "{field!conv:spec}" between the braces. */
static bool
put_field(struct sg_str inner, const struct sg_fold_arg *args, uint32_t nargs,
	  uint32_t *next, struct sg_buf *out)
{
	size_t colon = sg_str_find(inner, ':');
	struct sg_str field = sg_str_slice(inner, 0, colon);
	struct sg_str spec = sg_str_slice(inner, colon + 1, inner.n);
	size_t bang = sg_str_find(field, '!');
	const struct sg_fold_arg *a;
	char conv = 0;

	if (bang + 1 < field.n)
		conv = field.p[bang + 1];
	field = sg_str_slice(field, 0, bang);
	if (sg_str_find(field, '.') < field.n ||
	    sg_str_find(field, '[') < field.n ||
	    sg_str_find(spec, '{') < spec.n)
		return false;
	a = field_arg(field, args, nargs, next);
	return a && a->known && sg_fold_spec(&a->value, conv, spec, out);
}

bool
sg_fold_format(const struct sg_fold *self, const struct sg_fold_arg *args,
	       uint32_t nargs, struct sg_buf *out, struct sg_fold *ret,
	       bool *ret_whole)
{
	size_t begin = out->len;
	uint32_t next = 0;

	*ret_whole = true;
	for (size_t i = 0; i < self->s.n && *ret_whole; i++) {
		char c = self->s.p[i];
		size_t close;

		if (c != '{' && c != '}') {
			sg_buf_char(out, c);
			continue;
		}
		if (i + 1 < self->s.n && self->s.p[i + 1] == c) {
			sg_buf_char(out, c);
			i++;
			continue;
		}
		if (c == '}')
			return false;
		close = i + 1;
		while (close < self->s.n && self->s.p[close] != '}')
			close++;
		if (close == self->s.n)
			return false;
		*ret_whole = put_field(sg_str_slice(self->s, i + 1, close),
				       args, nargs, &next, out);
		i = close;
	}
	*ret = (struct sg_fold){
		.kind = SG_FOLD_STR,
		.s = { out->data ? out->data + begin : NULL, out->len - begin },
	};
	return !sg_buf_failed(out);
}
