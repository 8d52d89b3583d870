#ifndef SG_ANALYZER_FOLD_H
#define SG_ANALYZER_FOLD_H

/*
 * What Python's text operations give for constants.  Pure functions: no
 * state, no tree.  Each returns false when the operation would raise, is not
 * known here, or its result would not fit into the buffer given; the caller
 * then takes the result as "some text".
 *
 * Text is UTF-8 and indexed by code points; bytes are bytes.  Results are
 * views into `out`, valid until it changes.
 */

#include "base/buf.h"

enum sg_fold_kind {
	SG_FOLD_NONE = 0, /* the value None */
	SG_FOLD_STR,
	SG_FOLD_BYTES,
	SG_FOLD_INT
};

struct sg_fold {
	enum sg_fold_kind kind;
	struct sg_str s;
	int64_t i;
};

/* A keyword or positional argument of str.format. */
struct sg_fold_arg {
	struct sg_str name; /* empty: positional */
	struct sg_fold value;
	bool known;
};

enum { SG_FOLD_PIECES = 256 };

/* self.name(args) where it gives text, bytes or a number. */
bool sg_fold_method(struct sg_str name, const struct sg_fold *self,
		    const struct sg_fold *args, uint32_t nargs,
		    struct sg_buf *out, struct sg_fold *ret);
/* split, rsplit, splitlines, partition, rpartition: views into self. */
bool sg_fold_split(struct sg_str name, const struct sg_fold *self,
		   const struct sg_fold *args, uint32_t nargs,
		   struct sg_str pieces[SG_FOLD_PIECES], uint32_t *ret_n);
/* self[i]; of bytes it is a number. */
bool sg_fold_index(const struct sg_fold *self, int64_t i, struct sg_fold *ret);
/* self[a:b:c]; `has` bit 0, 1, 2: a, b, c are given. */
bool sg_fold_slice(const struct sg_fold *self, unsigned has, int64_t a,
		   int64_t b, int64_t c, struct sg_buf *out,
		   struct sg_fold *ret);
/* text % args */
bool sg_fold_percent(const struct sg_fold *self, const struct sg_fold *args,
		     uint32_t nargs, struct sg_buf *out, struct sg_fold *ret);
/*
 * self.format(args).  *ret_whole is false when something unknown stood in
 * it: what was written is then the known beginning only.
 */
bool sg_fold_format(const struct sg_fold *self, const struct sg_fold_arg *args,
		    uint32_t nargs, struct sg_buf *out, struct sg_fold *ret,
		    bool *ret_whole);
/* One value by a format spec, as f"{v:spec}" does; conv 0, 's', 'r', 'a'. */
bool sg_fold_spec(const struct sg_fold *v, char conv, struct sg_str spec,
		  struct sg_buf *out);
/* codecs.decode / bytes.decode by the codec's name. */
bool sg_fold_decode(struct sg_str codec, struct sg_str in, struct sg_buf *out,
		    enum sg_fold_kind *ret_kind);
bool sg_fold_encode(struct sg_str codec, struct sg_str in, struct sg_buf *out,
		    enum sg_fold_kind *ret_kind);
/* int(text, base) */
bool sg_fold_int(struct sg_str s, int64_t base, int64_t *ret);
/* The str of a code point, lone surrogates included. */
bool sg_fold_chr(int64_t cp, struct sg_buf *out);

#endif
