#ifndef SG_BASE_JSON_H
#define SG_BASE_JSON_H

/*
 * Writes JSON, append-only, into a buffer.  Objects keep the order in
 * which their members are written; whoever needs the canonical form of RFC
 * 8785 (the audit log) writes the members in byte order of their names and
 * uses integers only.
 *
 * Output is always valid: strings are repaired (invalid UTF-8 becomes
 * U+FFFD, controls are escaped, U+2028 and U+2029 too), nesting is checked
 * and depth is capped.  A misuse marks the writer as failed.
 *
 *	struct sg_json j;
 *	sg_json_init(&j, &buf);
 *	sg_json_object(&j);
 *	sg_json_key(&j, "decision");
 *	sg_json_str(&j, SG_STR("pass"));
 *	sg_json_end(&j);
 */

#include "base/buf.h"

enum { SG_JSON_DEPTH = 32 };

struct sg_json {
	struct sg_buf *out; /* borrowed; must outlive */
	uint32_t depth;
	bool failed;
	bool after_key;
	bool some; /* a value was written at the top */
	struct {
		bool object;
		bool some; /* something was written at this level */
	} level[SG_JSON_DEPTH];
};

void sg_json_init(struct sg_json *j, struct sg_buf *out);
void sg_json_object(struct sg_json *j);
void sg_json_array(struct sg_json *j);
void sg_json_end(struct sg_json *j); /* of the innermost of either */
void sg_json_key(struct sg_json *j, const char *key);
void sg_json_str(struct sg_json *j, struct sg_str s);
void sg_json_c(struct sg_json *j, const char *c); /* NULL gives null */
void sg_json_int(struct sg_json *j, int64_t v);
void sg_json_uint(struct sg_json *j, uint64_t v);
void sg_json_bool(struct sg_json *j, bool v);
void sg_json_null(struct sg_json *j);
/* `raw` must be one whole JSON value. */
void sg_json_raw(struct sg_json *j, struct sg_str raw);
/* Bytes as a base64 string (standard alphabet, padded). */
void sg_json_base64(struct sg_json *j, struct sg_str bytes);

/* True when nothing was refused and all levels are closed. */
bool sg_json_done(const struct sg_json *j);

/* Shorthands for a member of an object. */
void sg_json_kstr(struct sg_json *j, const char *key, struct sg_str s);
void sg_json_kc(struct sg_json *j, const char *key, const char *c);
void sg_json_kint(struct sg_json *j, const char *key, int64_t v);
void sg_json_kuint(struct sg_json *j, const char *key, uint64_t v);
void sg_json_kbool(struct sg_json *j, const char *key, bool v);

#endif
