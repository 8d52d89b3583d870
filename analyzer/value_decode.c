/*
 * Foreign callables that make text of text: conversions and codecs.  Each
 * handler folds every combination of what its first argument may be, and
 * gives "some text" for the rest.
 */

#include "analyzer/factlist.h"
#include "analyzer/fold.h"
#include "analyzer/value_hook.h"
#include "analyzer/value_node.h"
#include "analyzer/value_special.h"

enum { LITERAL_ITEMS = 256 };

typedef bool fold_fn(struct sg_values *v, const struct sg_fold *in,
		     const struct sg_call *c, struct sg_fold *out);

/* Applies `fold` to each constant the first argument may be. */
static uint32_t
each(struct sg_values *v, const struct sg_call *c, fold_fn *fold,
     uint32_t otherwise)
{
	uint32_t atoms[SG_SET_MAX], out = 0;
	uint32_t n = sg_set_copy(v, sg_call_arg(c, 0, 0), atoms);

	for (uint32_t i = 0; i < n; i++) {
		struct sg_fold in, r;

		sg_buf_reset(&v->text);
		if (!sg_value_fold(v, atoms[i], &in))
			out = sg_set_union(
				v, out,
				atoms[i] == v->made && otherwise == v->anystr
					? v->made
					: otherwise);
		else if (fold(v, &in, c, &r))
			out = sg_set_union(v, out, sg_value_unfold(v, &r));
		else
			out = sg_set_union(
				v, out,
				otherwise == v->anystr
					? sg_value_decoded(v, atoms[i])
					: otherwise);
	}
	return out || (c->nargs && !v->settled) ? out : otherwise;
}

static bool
give_text(struct sg_values *v, enum sg_fold_kind kind, struct sg_fold *out)
{
	*out = (struct sg_fold){ .kind = kind, .s = sg_buf_view(&v->text) };
	return !sg_buf_failed(&v->text);
}

/* The text of an argument by place or as encoding=; empty when none. */
static bool
codec_arg(struct sg_values *v, const struct sg_call *c, struct sg_str *ret)
{
	uint32_t set = sg_call_arg(c, 1, v->known.encoding);

	*ret = SG_STR_NONE;
	if (!set)
		return true;
	if (set >= SG_SET_MANY || !sg_atom_is(v, set, SG_ATOM_STR))
		return false;
	*ret = sg_atom_str(v, set);
	return true;
}

static bool
fold_chr(struct sg_values *v, const struct sg_fold *in, const struct sg_call *c,
	 struct sg_fold *out)
{
	(void)c;
	return in->kind == SG_FOLD_INT && sg_fold_chr(in->i, &v->text) &&
	       give_text(v, SG_FOLD_STR, out);
}

static bool
fold_ord(struct sg_values *v, const struct sg_fold *in, const struct sg_call *c,
	 struct sg_fold *out)
{
	int64_t cp;

	(void)v;
	(void)c;
	if (in->kind == SG_FOLD_BYTES && in->s.n == 1)
		cp = (uint8_t)in->s.p[0];
	else if (in->kind == SG_FOLD_STR && in->s.n >= 1 && in->s.n <= 4) {
		uint8_t b = (uint8_t)in->s.p[0];

		cp = b < 0x80   ? b
		     : b < 0xe0 ? b & 31
		     : b < 0xf0 ? b & 15
				: b & 7;
		for (size_t i = 1; i < in->s.n; i++)
			cp = cp << 6 | ((uint8_t)in->s.p[i] & 63);
	} else
		return false;
	*out = (struct sg_fold){ .kind = SG_FOLD_INT, .i = cp };
	return true;
}

static bool
fold_str(struct sg_values *v, const struct sg_fold *in, const struct sg_call *c,
	 struct sg_fold *out)
{
	struct sg_str codec;
	enum sg_fold_kind kind;

	if (!codec_arg(v, c, &codec))
		return false;
	if (in->kind == SG_FOLD_BYTES && codec.n)
		return sg_fold_decode(codec, in->s, &v->text, &kind) &&
		       give_text(v, SG_FOLD_STR, out);
	return in->kind != SG_FOLD_NONE &&
	       sg_fold_spec(in, 0, SG_STR_NONE, &v->text) &&
	       give_text(v, SG_FOLD_STR, out);
}

static bool
fold_repr(struct sg_values *v, const struct sg_fold *in,
	  const struct sg_call *c, struct sg_fold *out)
{
	(void)c;
	return sg_fold_spec(in, 'r', SG_STR_NONE, &v->text) &&
	       give_text(v, SG_FOLD_STR, out);
}

static bool
fold_format(struct sg_values *v, const struct sg_fold *in,
	    const struct sg_call *c, struct sg_fold *out)
{
	uint32_t set = sg_call_arg(c, 1, 0);
	struct sg_str spec = SG_STR_NONE;

	if (set >= SG_SET_MANY || (set && !sg_atom_is(v, set, SG_ATOM_STR)))
		return false;
	if (set)
		spec = sg_atom_str(v, set);
	return sg_fold_spec(in, 0, spec, &v->text) &&
	       give_text(v, SG_FOLD_STR, out);
}

static bool
fold_int(struct sg_values *v, const struct sg_fold *in, const struct sg_call *c,
	 struct sg_fold *out)
{
	uint32_t set = sg_call_arg(c, 1, 0);
	int64_t base = 10;

	if (in->kind == SG_FOLD_INT)
		return *out = *in, true;
	if (set && (set >= SG_SET_MANY || !sg_atom_int(v, set, &base)))
		return false;
	*out = (struct sg_fold){ .kind = SG_FOLD_INT };
	return in->kind != SG_FOLD_NONE && sg_fold_int(in->s, base, &out->i);
}

static bool
based(struct sg_values *v, const struct sg_fold *in, const char *spec,
      struct sg_fold *out)
{
	return in->kind == SG_FOLD_INT &&
	       sg_fold_spec(in, 0, sg_str_c(spec), &v->text) &&
	       give_text(v, SG_FOLD_STR, out);
}

static bool
fold_hex(struct sg_values *v, const struct sg_fold *in, const struct sg_call *c,
	 struct sg_fold *out)
{
	(void)c;
	return based(v, in, "#x", out);
}

static bool
fold_len(struct sg_values *v, const struct sg_fold *in, const struct sg_call *c,
	 struct sg_fold *out)
{
	(void)c;
	return in->kind != SG_FOLD_INT && in->kind != SG_FOLD_NONE &&
	       sg_fold_method(SG_STR("__len__"), in, NULL, 0, &v->text, out);
}

static bool
decode_by(struct sg_values *v, const struct sg_fold *in, const char *codec,
	  struct sg_fold *out)
{
	enum sg_fold_kind kind;

	return (in->kind == SG_FOLD_STR || in->kind == SG_FOLD_BYTES) &&
	       sg_fold_decode(sg_str_c(codec), in->s, &v->text, &kind) &&
	       give_text(v, kind, out);
}

static bool
fold_unhex(struct sg_values *v, const struct sg_fold *in,
	   const struct sg_call *c, struct sg_fold *out)
{
	(void)c;
	return decode_by(v, in, "hex", out);
}

static bool
fold_base64(struct sg_values *v, const struct sg_fold *in,
	    const struct sg_call *c, struct sg_fold *out)
{
	(void)c;
	return decode_by(v, in, "base64", out);
}

static bool
fold_base32(struct sg_values *v, const struct sg_fold *in,
	    const struct sg_call *c, struct sg_fold *out)
{
	(void)c;
	return decode_by(v, in, "base32", out);
}

static bool
encode_by(struct sg_values *v, const struct sg_fold *in, const char *codec,
	  struct sg_fold *out)
{
	enum sg_fold_kind kind;

	return (in->kind == SG_FOLD_STR || in->kind == SG_FOLD_BYTES) &&
	       sg_fold_encode(sg_str_c(codec), in->s, &v->text, &kind) &&
	       give_text(v, kind, out);
}

static bool
fold_b64encode(struct sg_values *v, const struct sg_fold *in,
	       const struct sg_call *c, struct sg_fold *out)
{
	(void)c;
	return encode_by(v, in, "base64", out);
}

static bool
fold_hexlify(struct sg_values *v, const struct sg_fold *in,
	     const struct sg_call *c, struct sg_fold *out)
{
	(void)c;
	return encode_by(v, in, "hex", out);
}

static bool
fold_codec_decode(struct sg_values *v, const struct sg_fold *in,
		  const struct sg_call *c, struct sg_fold *out)
{
	struct sg_str codec;
	enum sg_fold_kind kind;

	if (!codec_arg(v, c, &codec) || in->kind == SG_FOLD_INT ||
	    in->kind == SG_FOLD_NONE)
		return false;
	return sg_fold_decode(codec.n ? codec : SG_STR("utf-8"), in->s,
			      &v->text, &kind) &&
	       give_text(v, kind, out);
}

static bool
fold_codec_encode(struct sg_values *v, const struct sg_fold *in,
		  const struct sg_call *c, struct sg_fold *out)
{
	struct sg_str codec;
	enum sg_fold_kind kind;

	if (!codec_arg(v, c, &codec) || in->kind == SG_FOLD_INT ||
	    in->kind == SG_FOLD_NONE)
		return false;
	return sg_fold_encode(codec.n ? codec : SG_STR("utf-8"), in->s,
			      &v->text, &kind) &&
	       give_text(v, kind, out);
}

/* A literal in a text: "eval" with quotes, or a number. */
static bool
fold_literal(struct sg_values *v, const struct sg_fold *in,
	     const struct sg_call *c, struct sg_fold *out)
{
	struct sg_str s = in->s;
	enum sg_fold_kind kind;
	char q;

	(void)c;
	if (in->kind != SG_FOLD_STR && in->kind != SG_FOLD_BYTES)
		return false;
	while (s.n && strchr(" \t\n\r", s.p[s.n - 1]))
		s.n--;
	while (s.n && strchr(" \t\n\r", s.p[0]))
		s = sg_str_slice(s, 1, s.n);
	if (s.n < 2 || (s.p[0] != '"' && s.p[0] != '\'')) {
		*out = (struct sg_fold){ .kind = SG_FOLD_INT };
		return sg_fold_int(s, 10, &out->i);
	}
	q = s.p[0];
	if (s.p[s.n - 1] != q ||
	    sg_str_find(sg_str_slice(s, 1, s.n - 1), q) < s.n - 2)
		return false;
	return sg_fold_decode(SG_STR("unicode_escape"),
			      sg_str_slice(s, 1, s.n - 1), &v->text, &kind) &&
	       give_text(v, SG_FOLD_STR, out);
}

/*
 * What a text says that holds a list or a dict: one container for all of
 * them, so that what is nested is an element of it again.
 */
static uint32_t
literal_container(struct sg_values *v, struct sg_str s, uint32_t node)
{
	uint32_t dict = sg_atom(v, SG_ATOM_DICT, node, 0);
	uint32_t list = sg_atom(v, SG_ATOM_LIST, node, 0), key = 0, n = 0;
	uint32_t both = sg_set_union(v, dict, list);

	sg_value_item_store(v, both, v->anystr, both);
	for (size_t at = 0; at < s.n; at++) {
		size_t from = at + 1, end = from;
		enum sg_fold_kind kind;
		uint32_t one;

		if (s.p[at] != '"' && s.p[at] != '\'')
			continue;
		while (end < s.n && s.p[end] != s.p[at])
			end += s.p[end] == '\\' ? 2 : 1;
		if (end >= s.n || n++ == LITERAL_ITEMS)
			break;
		sg_buf_reset(&v->text);
		if (!sg_fold_decode(SG_STR("unicode_escape"),
				    sg_str_slice(s, from, end), &v->text,
				    &kind))
			continue;
		one = sg_value_str(v, sg_buf_view(&v->text));
		for (at = end; at + 1 < s.n && s.p[at + 1] == ' ';)
			at++;
		if (at + 1 < s.n && s.p[at + 1] == ':') {
			key = one;
			continue;
		}
		sg_value_item_store(v, dict, key ? key : v->anystr, one);
		key = 0;
	}
	return both;
}

/* json.loads(), ast.literal_eval(): a literal in a text. */
static uint32_t
call_literal(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t out = each(v, c, fold_literal, v->unknown);
	uint32_t atoms[SG_SET_MAX];
	uint32_t n = sg_set_copy(v, sg_call_arg(c, 0, 0), atoms);

	(void)path;
	for (uint32_t i = 0; i < n; i++) {
		struct sg_str s = SG_STR_NONE;

		if (sg_atom_is(v, atoms[i], SG_ATOM_STR) ||
		    sg_atom_is(v, atoms[i], SG_ATOM_BYTES))
			s = sg_atom_str(v, atoms[i]);
		while (s.n && strchr(" \t\n\r", s.p[0]))
			s = sg_str_slice(s, 1, s.n);
		if (s.n && strchr("[({", s.p[0]))
			out = sg_set_union(v, out,
					   literal_container(v, s, c->node));
	}
	return out;
}

/* bytes(...), bytearray(...): of numbers, of bytes, of text. */
static uint32_t
call_bytes(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t set = sg_call_arg(c, 0, 0), seq = 0;
	struct sg_span s;

	(void)path;
	if (!set && !v->settled)
		return 0;
	if (!set)
		return v->made;
	if (set < SG_SET_MANY && sg_atom_is(v, set, SG_ATOM_BYTES))
		return set;
	if (set < SG_SET_MANY && sg_atom_is(v, set, SG_ATOM_STR))
		return each(v, c, fold_codec_encode, v->anystr);
	seq = sg_value_first_sequence(v, set);
	if (!seq)
		return v->settled ? sg_value_decoded(v, set) : 0;
	sg_buf_reset(&v->text);
	s = v->seqs.v[sg_atom_at(v, seq).a];
	for (uint32_t i = 0; i < s.n; i++) {
		int64_t b;

		if (!sg_atom_int(v, v->elements.v[s.at + i], &b) || b < 0 ||
		    b > 255)
			return sg_value_decoded(v, set);
		sg_buf_char(&v->text, (char)b);
	}
	seq = sg_value_bytes(v, sg_buf_view(&v->text));
	return set < SG_SET_MANY
		       ? seq
		       : sg_set_union(v, seq, sg_value_decoded(v, set));
}

static uint32_t
call_get_field(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t atoms[SG_SET_MAX], n;
	char buf[256];

	(void)path;
	n = sg_set_copy(v, sg_call_arg(c, 0, 0), atoms);
	for (uint32_t i = 0; i < n && v->facts; i++) {
		struct sg_str s;

		if (!sg_atom_is(v, atoms[i], SG_ATOM_STR) ||
		    (s = sg_atom_str(v, atoms[i])).n + 2 > sizeof(buf))
			continue;
		buf[0] = '{';
		memcpy(buf + 1, s.p ? s.p : "", s.n);
		buf[s.n + 1] = '}';
		sg_fact_format(v, (struct sg_str){ buf, s.n + 2 }, NULL, false);
	}
	return v->unknown;
}

static uint32_t
call_formatter(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t atoms[SG_SET_MAX], n;

	n = sg_set_copy(v, sg_call_arg(c, 0, 0), atoms);
	for (uint32_t i = 0; i < n && v->facts; i++) {
		if (sg_atom_is(v, atoms[i], SG_ATOM_STR))
			sg_fact_format(v, sg_atom_str(v, atoms[i]), NULL,
				       false);
		else
			sg_fact_dynamic(v, SG_DYNAMIC_FORMAT, c->node,
					SG_STR_NONE);
	}
	return sg_value_made_by(v, path, c) == v->made ? v->made : v->anystr;
}

static uint32_t
call_input(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	(void)path;
	(void)c;
	return v->anystr;
}

/* str(x), repr(x), format(x, spec) of an instance of the script. */
static uint32_t
hooked(struct sg_values *v, const struct sg_call *c, char conv)
{
	uint32_t atoms[SG_SET_MAX], out = 0;
	uint32_t n = sg_set_copy(v, sg_call_arg(c, 0, 0), atoms);

	for (uint32_t i = 0; i < n; i++)
		if (sg_atom_is(v, atoms[i], SG_ATOM_INST))
			out = sg_set_union(
				v, out,
				sg_value_text_hook(v, atoms[i], conv,
						   sg_call_arg(c, 1, 0)));
	return out;
}

static uint32_t
call_str(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t set = sg_call_arg(c, 0, 0), out;

	(void)path;
	out = each(v, c, fold_str,
		   set && set < SG_SET_MANY ? sg_value_beginning(v, set)
					    : v->anystr);
	return sg_set_union(v, out, hooked(v, c, 's'));
}

static uint32_t
call_repr(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	(void)path;
	return sg_set_union(v, each(v, c, fold_repr, v->anystr),
			    hooked(v, c, 'r'));
}

static uint32_t
call_format(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	(void)path;
	return sg_set_union(v, each(v, c, fold_format, v->anystr),
			    hooked(v, c, 0));
}

/* chr(x ^ 1): of numbers of which only that is known, one character. */
static uint32_t
call_chr(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	bool number = sg_set_has(v, sg_call_arg(c, 0, 0), v->anynum);

	(void)path;
	return each(v, c, fold_chr, number ? v->onechar : v->anystr);
}

/* bytearray(...): what is put into it later is not seen. */
static uint32_t
call_bytearray(struct sg_values *v, uint32_t path, const struct sg_call *c)
{
	uint32_t set = sg_call_arg(c, 0, 0);

	return sg_set_union(v, call_bytes(v, path, c),
			    set ? sg_value_decoded(v, set) : 0);
}

#define FOLD(name, fold, otherwise)                              \
	static uint32_t name(struct sg_values *v, uint32_t path, \
			     const struct sg_call *c)            \
	{                                                        \
		(void)path;                                      \
		return each(v, c, fold, otherwise);              \
	}

FOLD(call_ord, fold_ord, v->anynum)
FOLD(call_int, fold_int, v->anynum)
FOLD(call_hex, fold_hex, v->anystr)
FOLD(call_len, fold_len, v->anynum)
FOLD(call_unhex, fold_unhex, v->anystr)
FOLD(call_base64, fold_base64, v->anystr)
FOLD(call_base32, fold_base32, v->anystr)
FOLD(call_b64encode, fold_b64encode, v->anystr)
FOLD(call_hexlify, fold_hexlify, v->anystr)
FOLD(call_decode, fold_codec_decode, v->anystr)
FOLD(call_encode, fold_codec_encode, v->anystr)

/* In byte order of the names. */
const struct sg_special sg_specials_text[] = {
	{ "ast.literal_eval", call_literal },
	{ "base64.b16decode", call_unhex },
	{ "base64.b32decode", call_base32 },
	{ "base64.b64decode", call_base64 },
	{ "base64.b64encode", call_b64encode },
	{ "base64.decodebytes", call_base64 },
	{ "base64.standard_b64decode", call_base64 },
	{ "base64.urlsafe_b64decode", call_base64 },
	{ "binascii.a2b_base64", call_base64 },
	{ "binascii.a2b_hex", call_unhex },
	{ "binascii.b2a_hex", call_hexlify },
	{ "binascii.hexlify", call_hexlify },
	{ "binascii.unhexlify", call_unhex },
	{ "builtins.ascii", call_repr },
	{ "builtins.bytearray", call_bytearray },
	{ "builtins.bytearray.fromhex", call_unhex },
	{ "builtins.bytes", call_bytes },
	{ "builtins.bytes.fromhex", call_unhex },
	{ "builtins.chr", call_chr },
	{ "builtins.format", call_format },
	{ "builtins.hex", call_hex },
	{ "builtins.input", call_input },
	{ "builtins.int", call_int },
	{ "builtins.len", call_len },
	{ "builtins.memoryview", call_bytes },
	{ "builtins.ord", call_ord },
	{ "builtins.repr", call_repr },
	{ "builtins.str", call_str },
	{ "codecs.decode", call_decode },
	{ "codecs.encode", call_encode },
	{ "json.loads", call_literal },
	{ "string.Formatter.format", call_formatter },
	{ "string.Formatter.get_field", call_get_field },
	{ "string.Formatter.vformat", call_formatter },
};
const uint32_t sg_specials_text_n = sizeof(sg_specials_text) /
				    sizeof(*sg_specials_text);
