/* Codecs and numbers: what hides a name most often. */

#include "analyzer/fold.h"

#include <ctype.h>

#include "base/utf8.h"

bool
sg_fold_chr(int64_t cp, struct sg_buf *out)
{
	char c[4];
	uint32_t n;

	if (cp < 0 || cp > 0x10ffff)
		return false;
	if (cp >= 0xd800 && cp <= 0xdfff) {
		/* A lone surrogate is legal in a str. */
		c[0] = (char)(0xe0 | cp >> 12);
		c[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		c[2] = (char)(0x80 | (cp & 0x3f));
		n = 3;
	} else {
		n = sg_utf8_encode((uint32_t)cp, c);
	}
	sg_buf_add(out, c, n);
	return n && !sg_buf_failed(out);
}

static int
digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (isalpha((unsigned char)c))
		return tolower((unsigned char)c) - 'a' + 10;
	return 99;
}

bool
sg_fold_int(struct sg_str s, int64_t base, int64_t *ret)
{
	int64_t v = 0;
	size_t i = 0;
	bool minus = false, some = false;

	while (s.n && isspace((unsigned char)s.p[s.n - 1]))
		s.n--;
	while (i < s.n && isspace((unsigned char)s.p[i]))
		i++;
	if (i < s.n && (s.p[i] == '-' || s.p[i] == '+'))
		minus = s.p[i++] == '-';
	if (s.n - i > 2 && s.p[i] == '0' &&
	    isalpha((unsigned char)s.p[i + 1])) {
		char c = (char)tolower((unsigned char)s.p[i + 1]);
		int64_t of = c == 'x' ? 16 : c == 'o' ? 8 : c == 'b' ? 2 : 0;

		if (of && (base == of || base == 0)) {
			base = of;
			i += 2;
		}
	}
	if (!base)
		base = 10;
	if (base < 2 || base > 36)
		return false;
	for (; i < s.n; i++) {
		int d = digit_of(s.p[i]);

		if (s.p[i] == '_' && some)
			continue;
		if (d >= base || __builtin_mul_overflow(v, base, &v) ||
		    __builtin_add_overflow(v, d, &v))
			return false;
		some = true;
	}
	*ret = minus ? -v : v;
	return some;
}

/* --- codecs ---------------------------------------------------------------------- */

typedef bool codec_fn(struct sg_str in, struct sg_buf *out);

static bool
copy(struct sg_str in, struct sg_buf *out)
{
	sg_buf_str(out, in);
	return !sg_buf_failed(out);
}

static bool
latin1_decode(struct sg_str in, struct sg_buf *out)
{
	for (size_t i = 0; i < in.n; i++)
		(void)sg_fold_chr((uint8_t)in.p[i], out);
	return !sg_buf_failed(out);
}

static bool
latin1_encode(struct sg_str in, struct sg_buf *out)
{
	for (size_t i = 0; i < in.n;) {
		uint32_t cp, n = sg_utf8_decode(in, i, &cp);

		if (!n || cp > 0xff)
			return false;
		sg_buf_char(out, (char)cp);
		i += n;
	}
	return !sg_buf_failed(out);
}

static bool
hex_decode(struct sg_str in, struct sg_buf *out)
{
	for (size_t i = 0; i < in.n;) {
		int a, b;

		if (isspace((unsigned char)in.p[i])) {
			i++;
			continue;
		}
		if (i + 1 >= in.n)
			return false;
		a = digit_of(in.p[i]);
		b = digit_of(in.p[i + 1]);
		if (a > 15 || b > 15)
			return false;
		sg_buf_char(out, (char)(a << 4 | b));
		i += 2;
	}
	return !sg_buf_failed(out);
}

static bool
hex_encode(struct sg_str in, struct sg_buf *out)
{
	for (size_t i = 0; i < in.n; i++)
		sg_buf_printf(out, "%02x", (uint8_t)in.p[i]);
	return !sg_buf_failed(out);
}

static bool
rot13(struct sg_str in, struct sg_buf *out)
{
	for (size_t i = 0; i < in.n; i++) {
		char c = in.p[i];

		if (isalpha((unsigned char)c)) {
			char base = islower((unsigned char)c) ? 'a' : 'A';

			c = (char)((c - base + 13) % 26 + base);
		}
		sg_buf_char(out, c);
	}
	return !sg_buf_failed(out);
}

static int
base64_of(char c)
{
	if (isupper((unsigned char)c))
		return c - 'A';
	if (islower((unsigned char)c))
		return c - 'a' + 26;
	if (isdigit((unsigned char)c))
		return c - '0' + 52;
	if (c == '+' || c == '-')
		return 62;
	return c == '/' || c == '_' ? 63 : -1;
}

static bool
base64_decode(struct sg_str in, struct sg_buf *out)
{
	uint32_t acc = 0, bits = 0;

	for (size_t i = 0; i < in.n && in.p[i] != '='; i++) {
		int d = base64_of(in.p[i]);

		if (d < 0)
			continue; /* as Python does by default */
		acc = acc << 6 | (uint32_t)d;
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			sg_buf_char(out, (char)(acc >> bits & 0xff));
		}
	}
	return !sg_buf_failed(out);
}

static bool
base64_encode(struct sg_str in, struct sg_buf *out)
{
	static const char abc[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "abcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < in.n; i += 3) {
		uint32_t w = (uint32_t)(uint8_t)in.p[i] << 16;

		if (i + 1 < in.n)
			w |= (uint32_t)(uint8_t)in.p[i + 1] << 8;
		if (i + 2 < in.n)
			w |= (uint8_t)in.p[i + 2];
		sg_buf_char(out, abc[w >> 18]);
		sg_buf_char(out, abc[w >> 12 & 63]);
		sg_buf_char(out, i + 1 < in.n ? abc[w >> 6 & 63] : '=');
		sg_buf_char(out, i + 2 < in.n ? abc[w & 63] : '=');
	}
	return !sg_buf_failed(out);
}

static bool
base32_decode(struct sg_str in, struct sg_buf *out)
{
	uint64_t acc = 0;
	uint32_t bits = 0;

	for (size_t i = 0; i < in.n && in.p[i] != '='; i++) {
		int c = toupper((unsigned char)in.p[i]);
		int d = isalpha(c) ? c - 'A' : c - '2' + 26;

		if (d < 0 || d > 31)
			return false;
		acc = acc << 5 | (uint64_t)d;
		bits += 5;
		if (bits >= 8) {
			bits -= 8;
			sg_buf_char(out, (char)(acc >> bits & 0xff));
		}
	}
	return !sg_buf_failed(out);
}

/* The value of n hexadecimal digits at *at, which moves on. */
static bool
hex_digits(struct sg_str in, size_t *at, unsigned n, uint32_t *ret)
{
	*ret = 0;
	if (in.n - *at < n)
		return false;
	for (unsigned k = 0; k < n; k++, ++*at) {
		int d = digit_of(in.p[*at]);

		if (d > 15)
			return false;
		*ret = *ret << 4 | (uint32_t)d;
	}
	return true;
}

static bool
escape_decode(struct sg_str in, struct sg_buf *out)
{
	static const char from[] = "abfnrtv\\'\"";
	static const char to[] = "\a\b\f\n\r\t\v\\'\"";

	for (size_t i = 0; i < in.n;) {
		char c = in.p[i++];
		uint32_t cp;
		const char *at;

		if (c != '\\' || i >= in.n) {
			(void)sg_fold_chr((uint8_t)c, out);
			continue;
		}
		c = in.p[i++];
		if (c == 'x' || c == 'u' || c == 'U') {
			if (!hex_digits(in, &i,
					c == 'x'   ? 2
					: c == 'u' ? 4
						   : 8,
					&cp) ||
			    !sg_fold_chr(cp, out))
				return false;
		} else if (c >= '0' && c <= '7') {
			cp = (uint32_t)(c - '0');
			for (int k = 0; k < 2 && i < in.n && in.p[i] >= '0' &&
					in.p[i] <= '7';
			     k++)
				cp = cp * 8 + (uint32_t)(in.p[i++] - '0');
			(void)sg_fold_chr(cp, out);
		} else if ((at = memchr(from, c, sizeof(from) - 1))) {
			sg_buf_char(out, to[at - from]);
		} else if (c != '\n') {
			sg_buf_char(out, '\\');
			sg_buf_char(out, c);
		}
	}
	return !sg_buf_failed(out);
}

/* utf-7, utf-16 and so on are rare enough to stay unknown. */
static const struct codec {
	const char *name; /* without '-' and '_', lower case */
	codec_fn *decode, *encode;
	enum sg_fold_kind decoded, encoded; /* NONE: as what came in */
} codecs[] = {
	{ "utf8", copy, copy, SG_FOLD_STR, SG_FOLD_BYTES },
	{ "u8", copy, copy, SG_FOLD_STR, SG_FOLD_BYTES },
	{ "ascii", copy, copy, SG_FOLD_STR, SG_FOLD_BYTES },
	{ "usascii", copy, copy, SG_FOLD_STR, SG_FOLD_BYTES },
	{ "utf8sig", copy, copy, SG_FOLD_STR, SG_FOLD_BYTES },
	{ "latin1", latin1_decode, latin1_encode, SG_FOLD_STR, SG_FOLD_BYTES },
	{ "latin", latin1_decode, latin1_encode, SG_FOLD_STR, SG_FOLD_BYTES },
	{ "l1", latin1_decode, latin1_encode, SG_FOLD_STR, SG_FOLD_BYTES },
	{ "iso88591", latin1_decode, latin1_encode, SG_FOLD_STR,
	  SG_FOLD_BYTES },
	{ "cp1252", latin1_decode, latin1_encode, SG_FOLD_STR, SG_FOLD_BYTES },
	{ "cp437", latin1_decode, latin1_encode, SG_FOLD_STR, SG_FOLD_BYTES },
	{ "hex", hex_decode, hex_encode, SG_FOLD_BYTES, SG_FOLD_BYTES },
	{ "hexcodec", hex_decode, hex_encode, SG_FOLD_BYTES, SG_FOLD_BYTES },
	{ "base64", base64_decode, base64_encode, SG_FOLD_BYTES,
	  SG_FOLD_BYTES },
	{ "base64codec", base64_decode, base64_encode, SG_FOLD_BYTES,
	  SG_FOLD_BYTES },
	{ "base32", base32_decode, NULL, SG_FOLD_BYTES, SG_FOLD_BYTES },
	{ "rot13", rot13, rot13, SG_FOLD_STR, SG_FOLD_STR },
	{ "unicodeescape", escape_decode, copy, SG_FOLD_STR, SG_FOLD_BYTES },
	{ "rawunicodeescape", escape_decode, copy, SG_FOLD_STR, SG_FOLD_BYTES },
	{ "stringescape", escape_decode, copy, SG_FOLD_BYTES, SG_FOLD_BYTES },
};

static const struct codec *
codec_find(struct sg_str name)
{
	char buf[32];
	size_t n = 0;

	for (size_t i = 0; i < name.n && n < sizeof(buf); i++)
		if (isalnum((unsigned char)name.p[i]))
			buf[n++] = (char)tolower((unsigned char)name.p[i]);
	for (size_t i = 0; i < sizeof(codecs) / sizeof(*codecs); i++)
		if (sg_str_eq((struct sg_str){ buf, n },
			      sg_str_c(codecs[i].name)))
			return &codecs[i];
	return NULL;
}

bool
sg_fold_decode(struct sg_str codec, struct sg_str in, struct sg_buf *out,
	       enum sg_fold_kind *ret_kind)
{
	const struct codec *c = codec_find(codec);
	size_t begin = out->len;

	if (!c || !c->decode(in, out))
		return false;
	*ret_kind = c->decoded;
	if (c->decode == copy &&
	    sg_utf8_check((struct sg_str){
		    out->data + begin, out->len - begin }) != out->len - begin)
		return false;
	return true;
}

bool
sg_fold_encode(struct sg_str codec, struct sg_str in, struct sg_buf *out,
	       enum sg_fold_kind *ret_kind)
{
	const struct codec *c = codec_find(codec);

	if (!c || !c->encode || !c->encode(in, out))
		return false;
	*ret_kind = c->encoded;
	return true;
}
