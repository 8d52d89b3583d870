/* Methods, indices and slices of constant text. */

#include "analyzer/fold.h"

#include <ctype.h>

#include "base/utf8.h"

typedef bool method_fn(const struct sg_fold *self, const struct sg_fold *args,
		       uint32_t nargs, struct sg_buf *out, struct sg_fold *ret);

/* --- code points -------------------------------------------------------------- */

static size_t
step(const struct sg_fold *t, size_t at)
{
	size_t n = 1;

	if (t->kind == SG_FOLD_STR)
		while (at + n < t->s.n &&
		       ((uint8_t)t->s.p[at + n] & 0xc0) == 0x80)
			n++;
	return n;
}

static int64_t
length(const struct sg_fold *t)
{
	int64_t n = 0;

	if (t->kind == SG_FOLD_BYTES)
		return (int64_t)t->s.n;
	for (size_t at = 0; at < t->s.n; at += step(t, at))
		n++;
	return n;
}

/* Byte offset of element i, which must be in range. */
static size_t
offset(const struct sg_fold *t, int64_t i)
{
	size_t at = 0;

	if (t->kind == SG_FOLD_BYTES)
		return (size_t)i;
	while (i-- > 0)
		at += step(t, at);
	return at;
}

bool
sg_fold_index(const struct sg_fold *self, int64_t i, struct sg_fold *ret)
{
	int64_t n = length(self);
	size_t at;

	if (i < 0)
		i += n;
	if (i < 0 || i >= n)
		return false;
	at = offset(self, i);
	if (self->kind == SG_FOLD_BYTES)
		*ret = (struct sg_fold){ .kind = SG_FOLD_INT,
					 .i = (uint8_t)self->s.p[at] };
	else
		*ret = (struct sg_fold){
			.kind = SG_FOLD_STR,
			.s = sg_str_slice(self->s, at, at + step(self, at)),
		};
	return true;
}

static int64_t
clamp(int64_t i, int64_t n, int64_t low, int64_t high)
{
	if (i < 0)
		i += n;
	return i < low ? low : i > high ? high : i;
}

bool
sg_fold_slice(const struct sg_fold *self, unsigned has, int64_t a, int64_t b,
	      int64_t c, struct sg_buf *out, struct sg_fold *ret)
{
	int64_t n = length(self), by = has & 4 ? c : 1;
	size_t begin = out->len;

	if (!by || by > (1 << 20) || by < -(1 << 20) ||
	    (n > 4096 && self->kind == SG_FOLD_STR && by != 1))
		return false;
	if (by > 0) {
		a = has & 1 ? clamp(a, n, 0, n) : 0;
		b = has & 2 ? clamp(b, n, 0, n) : n;
	} else {
		a = has & 1 ? clamp(a, n, -1, n - 1) : n - 1;
		b = has & 2 ? clamp(b, n, -1, n - 1) : -1;
	}
	for (int64_t i = a; by > 0 ? i < b : i > b; i += by) {
		size_t at = offset(self, i);

		sg_buf_add(out, self->s.p + at, step(self, at));
	}
	*ret = (struct sg_fold){
		.kind = self->kind,
		.s = { out->data ? out->data + begin : NULL, out->len - begin },
	};
	return !sg_buf_failed(out);
}

/* --- methods ------------------------------------------------------------------- */

static bool
give(const struct sg_fold *self, struct sg_buf *out, size_t begin,
     struct sg_fold *ret)
{
	*ret = (struct sg_fold){
		.kind = self->kind,
		.s = { out->data ? out->data + begin : NULL, out->len - begin },
	};
	return !sg_buf_failed(out);
}

static bool
give_view(const struct sg_fold *self, struct sg_str s, struct sg_fold *ret)
{
	*ret = (struct sg_fold){ .kind = self->kind, .s = s };
	return true;
}

static bool
give_int(int64_t i, struct sg_fold *ret)
{
	*ret = (struct sg_fold){ .kind = SG_FOLD_INT, .i = i };
	return true;
}

#define METHOD(name)                                                 \
	static bool name(const struct sg_fold *self,                 \
			 const struct sg_fold *args, uint32_t nargs, \
			 struct sg_buf *out, struct sg_fold *ret)
#define UNUSED_ARGS ((void)args, (void)nargs)

METHOD(do_lower)
{
	size_t begin = out->len;

	UNUSED_ARGS;
	for (size_t i = 0; i < self->s.n; i++)
		sg_buf_char(out, (char)tolower((unsigned char)self->s.p[i]));
	return give(self, out, begin, ret);
}

METHOD(do_upper)
{
	size_t begin = out->len;

	UNUSED_ARGS;
	for (size_t i = 0; i < self->s.n; i++)
		sg_buf_char(out, (char)toupper((unsigned char)self->s.p[i]));
	return give(self, out, begin, ret);
}

METHOD(do_swapcase)
{
	size_t begin = out->len;

	UNUSED_ARGS;
	for (size_t i = 0; i < self->s.n; i++) {
		int c = (unsigned char)self->s.p[i];

		sg_buf_char(out, (char)(islower(c) ? toupper(c) : tolower(c)));
	}
	return give(self, out, begin, ret);
}

METHOD(do_title)
{
	size_t begin = out->len;
	bool within = false;

	UNUSED_ARGS;
	for (size_t i = 0; i < self->s.n; i++) {
		int c = (unsigned char)self->s.p[i];

		sg_buf_char(out, (char)(within ? tolower(c) : toupper(c)));
		within = isalpha(c) != 0;
	}
	return give(self, out, begin, ret);
}

METHOD(do_capitalize)
{
	size_t begin = out->len;

	UNUSED_ARGS;
	for (size_t i = 0; i < self->s.n; i++) {
		int c = (unsigned char)self->s.p[i];

		sg_buf_char(out, (char)(i ? tolower(c) : toupper(c)));
	}
	return give(self, out, begin, ret);
}

static bool
strip(const struct sg_fold *self, const struct sg_fold *args, uint32_t nargs,
      unsigned ends, struct sg_fold *ret)
{
	struct sg_str s = self->s, set = SG_STR(" \t\n\r\f\v");

	if (nargs && args[0].kind == self->kind)
		set = args[0].s;
	else if (nargs && args[0].kind != SG_FOLD_NONE)
		return false;
	while ((ends & 1) && s.n && set.n && memchr(set.p, s.p[0], set.n))
		s = sg_str_slice(s, 1, s.n);
	while ((ends & 2) && s.n && set.n && memchr(set.p, s.p[s.n - 1], set.n))
		s.n--;
	return give_view(self, s, ret);
}

METHOD(do_strip)
{
	(void)out;
	return strip(self, args, nargs, 3, ret);
}

METHOD(do_lstrip)
{
	(void)out;
	return strip(self, args, nargs, 1, ret);
}

METHOD(do_rstrip)
{
	(void)out;
	return strip(self, args, nargs, 2, ret);
}

METHOD(do_replace)
{
	size_t begin = out->len;
	struct sg_str from, to;
	int64_t left = nargs > 2 && args[2].kind == SG_FOLD_INT ? args[2].i
								: INT64_MAX;

	if (nargs < 2 || args[0].kind != self->kind ||
	    args[1].kind != self->kind)
		return false;
	from = args[0].s;
	to = args[1].s;
	if (left < 0)
		left = INT64_MAX;
	for (size_t i = 0; i < self->s.n;) {
		if (from.n && left > 0 && self->s.n - i >= from.n &&
		    memcmp(self->s.p + i, from.p, from.n) == 0) {
			sg_buf_str(out, to);
			i += from.n;
			left--;
			continue;
		}
		if (!from.n)
			sg_buf_str(out, to);
		sg_buf_char(out, self->s.p[i++]);
	}
	if (!from.n)
		sg_buf_str(out, to);
	return give(self, out, begin, ret);
}

METHOD(do_removeprefix)
{
	(void)out;
	if (nargs != 1 || args[0].kind != self->kind)
		return false;
	return give_view(self,
			 sg_str_starts(self->s, args[0].s)
				 ? sg_str_slice(self->s, args[0].s.n, self->s.n)
				 : self->s,
			 ret);
}

METHOD(do_removesuffix)
{
	(void)out;
	if (nargs != 1 || args[0].kind != self->kind)
		return false;
	return give_view(
		self,
		sg_str_ends(self->s, args[0].s)
			? sg_str_slice(self->s, 0, self->s.n - args[0].s.n)
			: self->s,
		ret);
}

static bool
justify(const struct sg_fold *self, const struct sg_fold *args, uint32_t nargs,
	unsigned where, struct sg_buf *out, struct sg_fold *ret)
{
	size_t begin = out->len;
	struct sg_str fill = SG_STR(" ");
	int64_t pad, left;

	if (!nargs || args[0].kind != SG_FOLD_INT || args[0].i > 4096)
		return false;
	if (nargs > 1 && args[1].kind == self->kind)
		fill = args[1].s;
	pad = args[0].i - length(self);
	pad = pad < 0 ? 0 : pad;
	left = where == 0 ? 0 : where == 1 ? pad : pad / 2;
	for (int64_t i = 0; i < left; i++)
		sg_buf_str(out, fill);
	sg_buf_str(out, self->s);
	for (int64_t i = left; i < pad; i++)
		sg_buf_str(out, fill);
	return give(self, out, begin, ret);
}

METHOD(do_ljust)
{
	return justify(self, args, nargs, 0, out, ret);
}

METHOD(do_rjust)
{
	return justify(self, args, nargs, 1, out, ret);
}

METHOD(do_center)
{
	return justify(self, args, nargs, 2, out, ret);
}

METHOD(do_zfill)
{
	struct sg_fold with[2];

	if (nargs != 1)
		return false;
	with[0] = args[0];
	with[1] = (struct sg_fold){ .kind = self->kind, .s = SG_STR("0") };
	return justify(self, with, 2, 1, out, ret);
}

static int64_t
find(struct sg_str s, struct sg_str what, size_t from)
{
	for (size_t i = from; i + what.n <= s.n; i++)
		if (!what.n || memcmp(s.p + i, what.p, what.n) == 0)
			return (int64_t)i;
	return -1;
}

METHOD(do_find)
{
	int64_t at;
	struct sg_fold head;

	(void)out;
	if (nargs != 1 || args[0].kind != self->kind)
		return false;
	at = find(self->s, args[0].s, 0);
	if (at < 0)
		return give_int(at, ret);
	head = (struct sg_fold){ .kind = self->kind,
				 .s = sg_str_slice(self->s, 0, (size_t)at) };
	return give_int(length(&head), ret);
}

METHOD(do_rfind)
{
	int64_t at = -1, next;

	(void)out;
	if (nargs != 1 || args[0].kind != self->kind || !args[0].s.n)
		return false;
	while ((next = find(self->s, args[0].s, (size_t)(at + 1))) >= 0)
		at = next;
	return give_int(at, ret);
}

METHOD(do_count)
{
	int64_t n = 0, at = 0;

	(void)out;
	if (nargs != 1 || args[0].kind != self->kind || !args[0].s.n)
		return false;
	while ((at = find(self->s, args[0].s, (size_t)at)) >= 0) {
		at += (int64_t)args[0].s.n;
		n++;
	}
	return give_int(n, ret);
}

METHOD(do_len)
{
	UNUSED_ARGS;
	(void)out;
	return give_int(length(self), ret);
}

METHOD(do_hex)
{
	size_t begin = out->len;

	UNUSED_ARGS;
	for (size_t i = 0; i < self->s.n; i++)
		sg_buf_printf(out, "%02x", (uint8_t)self->s.p[i]);
	(void)give(self, out, begin, ret);
	ret->kind = SG_FOLD_STR;
	return !sg_buf_failed(out) && self->kind == SG_FOLD_BYTES;
}

METHOD(do_decode)
{
	size_t begin = out->len;
	struct sg_str codec = SG_STR("utf-8");
	enum sg_fold_kind kind;

	if (nargs && args[0].kind == SG_FOLD_STR)
		codec = args[0].s;
	if (self->kind != SG_FOLD_BYTES ||
	    !sg_fold_decode(codec, self->s, out, &kind))
		return false;
	(void)give(self, out, begin, ret);
	ret->kind = kind;
	return true;
}

METHOD(do_encode)
{
	size_t begin = out->len;
	struct sg_str codec = SG_STR("utf-8");
	enum sg_fold_kind kind;

	if (nargs && args[0].kind == SG_FOLD_STR)
		codec = args[0].s;
	if (self->kind != SG_FOLD_STR ||
	    !sg_fold_encode(codec, self->s, out, &kind))
		return false;
	(void)give(self, out, begin, ret);
	ret->kind = kind;
	return true;
}

METHOD(do_same)
{
	UNUSED_ARGS;
	(void)out;
	*ret = *self;
	return true;
}

/* In byte order of the names. */
static const struct {
	const char *name;
	method_fn *call;
} methods[] = {
	{ "__len__", do_len },
	{ "__str__", do_same },
	{ "capitalize", do_capitalize },
	{ "casefold", do_lower },
	{ "center", do_center },
	{ "count", do_count },
	{ "decode", do_decode },
	{ "encode", do_encode },
	{ "expandtabs", do_same },
	{ "find", do_find },
	{ "hex", do_hex },
	{ "index", do_find },
	{ "ljust", do_ljust },
	{ "lower", do_lower },
	{ "lstrip", do_lstrip },
	{ "removeprefix", do_removeprefix },
	{ "removesuffix", do_removesuffix },
	{ "replace", do_replace },
	{ "rfind", do_rfind },
	{ "rindex", do_rfind },
	{ "rjust", do_rjust },
	{ "rstrip", do_rstrip },
	{ "strip", do_strip },
	{ "swapcase", do_swapcase },
	{ "title", do_title },
	{ "tobytes", do_same },
	{ "upper", do_upper },
	{ "zfill", do_zfill },
};

bool
sg_fold_method(struct sg_str name, const struct sg_fold *self,
	       const struct sg_fold *args, uint32_t nargs, struct sg_buf *out,
	       struct sg_fold *ret)
{
	size_t low = 0, high = sizeof(methods) / sizeof(*methods);

	while (low < high) {
		size_t mid = (low + high) / 2;
		int cmp = sg_str_cmp(name, sg_str_c(methods[mid].name));

		if (!cmp)
			return methods[mid].call(self, args, nargs, out, ret);
		if (cmp < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return false;
}

/* --- in pieces ------------------------------------------------------------------- */

static bool
is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool
split_space(struct sg_str s, struct sg_str *pieces, uint32_t *ret_n)
{
	uint32_t n = 0;

	for (size_t i = 0; i < s.n;) {
		size_t from;

		while (i < s.n && is_space(s.p[i]))
			i++;
		from = i;
		while (i < s.n && !is_space(s.p[i]))
			i++;
		if (i == from)
			break;
		if (n == SG_FOLD_PIECES)
			return false;
		pieces[n++] = sg_str_slice(s, from, i);
	}
	*ret_n = n;
	return true;
}

static bool
split_at(struct sg_str s, struct sg_str sep, int64_t max, struct sg_str *pieces,
	 uint32_t *ret_n)
{
	uint32_t n = 0;
	size_t from = 0;
	int64_t at;

	while ((max < 0 || n < max) && (at = find(s, sep, from)) >= 0) {
		if (n + 1 >= SG_FOLD_PIECES)
			return false;
		pieces[n++] = sg_str_slice(s, from, (size_t)at);
		from = (size_t)at + sep.n;
	}
	pieces[n++] = sg_str_slice(s, from, s.n);
	*ret_n = n;
	return true;
}

static bool
partition(struct sg_str s, struct sg_str sep, bool last, struct sg_str *pieces,
	  uint32_t *ret_n)
{
	int64_t at = find(s, sep, 0), next;

	while (last && at >= 0 && (next = find(s, sep, (size_t)at + 1)) >= 0)
		at = next;
	*ret_n = 3;
	pieces[0] = last && at < 0 ? SG_STR_NONE : s;
	pieces[1] = SG_STR_NONE;
	pieces[2] = last && at < 0 ? s : SG_STR_NONE;
	if (at < 0)
		return true;
	pieces[0] = sg_str_slice(s, 0, (size_t)at);
	pieces[1] = sep;
	pieces[2] = sg_str_slice(s, (size_t)at + sep.n, s.n);
	return true;
}

bool
sg_fold_split(struct sg_str name, const struct sg_fold *self,
	      const struct sg_fold *args, uint32_t nargs,
	      struct sg_str pieces[SG_FOLD_PIECES], uint32_t *ret_n)
{
	bool sep = nargs && args[0].kind == self->kind && args[0].s.n;
	int64_t max = nargs > 1 && args[1].kind == SG_FOLD_INT ? args[1].i : -1;

	if (sg_str_eq(name, SG_STR("split")) ||
	    (sg_str_eq(name, SG_STR("rsplit")) && max < 0))
		return sep ? split_at(self->s, args[0].s, max, pieces, ret_n)
			   : split_space(self->s, pieces, ret_n);
	if (sg_str_eq(name, SG_STR("splitlines")))
		return split_at(self->s, SG_STR("\n"), -1, pieces, ret_n);
	if (sep && sg_str_eq(name, SG_STR("partition")))
		return partition(self->s, args[0].s, false, pieces, ret_n);
	if (sep && sg_str_eq(name, SG_STR("rpartition")))
		return partition(self->s, args[0].s, true, pieces, ret_n);
	return false;
}
