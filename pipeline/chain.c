/*
 * Theory of operation.
 *
 * canonical form: values are walked with a depth cap of 32 (records are
 * ours, or lines of a log that somebody may have edited).  RFC 8785 sorts
 * members by UTF-16 code units; that is byte order of UTF-8 except where a
 * character beyond U+FFFF meets one from U+E000 to U+FFFF.
 *
 * A record is parsed, written again in canonical form and compared with the
 * bytes that were read: so there is exactly one way to write a record, and a
 * change of white space or of a number's spelling is a change.
 */

#include "pipeline/chain.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void
sg_uid_make(const char *prefix, char out[SG_UID])
{
	uint8_t r[12];
	char hex[2 * sizeof(r) + 1];

	sg_random_bytes(r, sizeof(r));
	for (size_t i = 0; i < sizeof(r); i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", r[i]);
	(void)snprintf(out, SG_UID, "%s%s", prefix, hex);
}

/* ---- canonical form ---- */

static bool
is_plain(char c)
{
	return (unsigned char)c >= 32 && c != '"' && c != '\\';
}

static void
canon_special(unsigned char c, struct sg_buf *out)
{
	static const char *const shorts[32] = {
		['\b'] = "\\b", ['\t'] = "\\t", ['\n'] = "\\n",
		['\f'] = "\\f", ['\r'] = "\\r",
	};

	if (c >= 32)
		sg_buf_printf(out, "\\%c", c);
	else if (shorts[c])
		sg_buf_c(out, shorts[c]);
	else
		sg_buf_printf(out, "\\u%04x", (unsigned)c);
}

static void
canon_string(struct sg_str s, struct sg_buf *out)
{
	size_t from = 0, to;

	sg_buf_char(out, '"');
	while (from < s.n) {
		for (to = from; to < s.n && is_plain(s.p[to]); to++)
			;
		sg_buf_add(out, s.p + from, to - from);
		if (to < s.n)
			canon_special((unsigned char)s.p[to], out);
		from = to + 1;
	}
	sg_buf_char(out, '"');
}

/* The first UTF-16 unit of the character at s[*at]; moves *at past it. */
static uint32_t
utf16_unit(struct sg_str s, size_t *at)
{
	uint32_t cp = 0, n = sg_utf8_decode(s, *at, &cp);

	*at += n ? n : 1;
	return cp < 0x10000 ? cp : 0xd800 + ((cp - 0x10000) >> 10);
}

static int
by_utf16(const void *a, const void *b)
{
	struct sg_str x = sg_str_c(*(const char *const *)a);
	struct sg_str y = sg_str_c(*(const char *const *)b);
	size_t i = 0, j = 0;

	while (i < x.n && j < y.n) {
		uint32_t u = utf16_unit(x, &i), v = utf16_unit(y, &j);

		if (u != v)
			return u < v ? -1 : 1;
	}
	return i < x.n ? 1 : j < y.n ? -1 : sg_str_cmp(x, y);
}

static int canon_value(const json_t *v, unsigned depth, struct sg_buf *out,
		       struct sg_err *err);

/* *mark, unless it is NULL, is where a member "fingerprint" would begin. */
static int
canon_object(const json_t *v, unsigned depth, struct sg_buf *out, size_t *mark,
	     struct sg_err *err)
{
	size_t n = json_object_size(v), i = 0;
	const char **keys = calloc(n + 1, sizeof(*keys));
	int status = SG_OK;

	if (!keys)
		return sg_err_set(err, SG_ENOMEM, "no memory for a record");
	/* The walk of jansson wants a value that is not const. */
	for (void *it = json_object_iter((json_t *)(uintptr_t)v); it && i < n;
	     it = json_object_iter_next((json_t *)(uintptr_t)v, it))
		keys[i++] = json_object_iter_key(it);
	qsort(keys, i, sizeof(*keys), by_utf16);
	sg_buf_char(out, '{');
	for (size_t k = 0; k < i && status == SG_OK; k++) {
		if (k)
			sg_buf_char(out, ',');
		if (mark && !*mark && strcmp(keys[k], "fingerprint") > 0)
			*mark = out->len;
		canon_string(sg_str_c(keys[k]), out);
		sg_buf_char(out, ':');
		status = canon_value(json_object_get(v, keys[k]), depth + 1,
				     out, err);
	}
	sg_buf_char(out, '}');
	free(keys);
	return status;
}

static int
canon_array(const json_t *v, unsigned depth, struct sg_buf *out,
	    struct sg_err *err)
{
	int status = SG_OK;

	sg_buf_char(out, '[');
	for (size_t k = 0; k < json_array_size(v) && status == SG_OK; k++) {
		if (k)
			sg_buf_char(out, ',');
		status = canon_value(json_array_get(v, k), depth + 1, out, err);
	}
	sg_buf_char(out, ']');
	return status;
}

static int
canon_value(const json_t *v, unsigned depth, struct sg_buf *out,
	    struct sg_err *err)
{
	if (depth > SG_RECORD_DEPTH)
		return sg_err_set(err, SG_ELIMIT, "nested beyond %d",
				  (int)SG_RECORD_DEPTH);
	if (!v)
		return sg_err_set(err, SG_ENOMEM, "no memory for a record");
	switch (json_typeof(v)) {
	case JSON_OBJECT:
		return canon_object(v, depth, out, NULL, err);
	case JSON_ARRAY:
		return canon_array(v, depth, out, err);
	case JSON_STRING:
		canon_string((struct sg_str){ json_string_value(v),
					      json_string_length(v) },
			     out);
		return SG_OK;
	case JSON_INTEGER:
		sg_buf_printf(out, "%" JSON_INTEGER_FORMAT,
			      json_integer_value(v));
		return SG_OK;
	case JSON_TRUE:
		sg_buf_c(out, "true");
		return SG_OK;
	case JSON_FALSE:
		sg_buf_c(out, "false");
		return SG_OK;
	case JSON_NULL:
		sg_buf_c(out, "null");
		return SG_OK;
	case JSON_REAL:
	default:
		return sg_err_set(err, SG_EUSAGE, "a number is no integer");
	}
}

int
sg_canon_write(const struct json_t *v, struct sg_buf *out, struct sg_err *err)
{
	int status = canon_value(v, 0, out, err);

	if (status < 0)
		return status;
	if (sg_buf_failed(out))
		return sg_err_set(err, SG_ENOMEM, "a record is too large");
	return SG_OK;
}

/* ---- records ---- */

static json_t *
fingerprint_json(const char *hex)
{
	return json_pack("{s:s, s:s}", "algorithm", "SHA-256", "value", hex);
}

static int
add_chain(json_t *record, const struct sg_link *prev, struct sg_link *next)
{
	int64_t now = sg_clock_real_us();
	char iso[SG_CLOCK_ISO];
	json_t *before =
		prev->sequence == 0
			? json_null()
			: json_pack("{s:o, s:s}", "fingerprint",
				    fingerprint_json(prev->fingerprint), "uid",
				    prev->uid);

	sg_clock_iso(now, iso);
	sg_uid_make("", next->uid);
	return json_object_set_new(record, "chain_uid",
				   json_string(next->chain)) |
	       json_object_set_new(record, "prev_event", before) |
	       json_object_set_new(record, "sequence",
				   json_integer((json_int_t)next->sequence)) |
	       json_object_set_new(record, "time", json_integer(now / 1000)) |
	       json_object_set_new(record, "time_dt", json_string(iso)) |
	       json_object_set_new(record, "uid", json_string(next->uid));
}

/* Puts the fingerprint of a record where it belongs. */
static void
insert_fingerprint(struct sg_buf *out, size_t mark, const char *hex)
{
	char text[160];
	size_t n = (size_t)snprintf(text, sizeof(text),
				    "\"fingerprint\":{\"algorithm\":"
				    "\"SHA-256\",\"value\":\"%s\"},",
				    hex);
	char *room = sg_buf_room(out, n);

	if (!room)
		return;
	memmove(out->data + mark + n, out->data + mark, out->len - mark);
	memcpy(out->data + mark, text, n);
	out->len += n;
}

int
sg_chain_seal(struct json_t *record, const struct sg_link *prev,
	      struct sg_buf *out, struct sg_link *ret_link, struct sg_err *err)
{
	struct sg_link next = { .sequence = prev->sequence + 1 };
	struct sg_digest digest;
	size_t start = out->len, mark = 0;
	int status;

	memcpy(next.chain, prev->chain, sizeof(next.chain));
	if (next.chain[0] == '\0')
		sg_uid_make("", next.chain);
	if (add_chain(record, prev, &next) != 0)
		return sg_err_set(err, SG_ENOMEM, "no memory for a record");
	(void)json_object_del(record, "fingerprint");
	if ((status = canon_object(record, 0, out, &mark, err)) < 0)
		return status;
	if (sg_buf_failed(out))
		return sg_err_set(err, SG_ENOMEM, "a record is too large");
	digest = sg_digest_of(
		(struct sg_str){ out->data + start, out->len - start });
	sg_digest_hex(&digest, next.fingerprint);
	/* There is a member behind it: `prev_event`. */
	insert_fingerprint(out, mark, next.fingerprint);
	sg_buf_char(out, '\n');
	if (sg_buf_failed(out) ||
	    json_object_set_new(record, "fingerprint",
				fingerprint_json(next.fingerprint)) != 0)
		return sg_err_set(err, SG_ENOMEM, "a record is too large");
	*ret_link = next;
	return SG_OK;
}

/* Copies a string member of limited length; false when it is not one. */
static bool
take(const json_t *object, const char *key, char *out, size_t room)
{
	const json_t *v = json_object_get(object, key);
	size_t n = v ? json_string_length(v) : 0;

	if (!json_is_string(v) || n == 0 || n >= room ||
	    strlen(json_string_value(v)) != n)
		return false;
	memcpy(out, json_string_value(v), n + 1);
	return true;
}

static bool
take_fingerprint(const json_t *object, char out[SG_DIGEST_HEX])
{
	const json_t *f = json_object_get(object, "fingerprint");
	const char *algorithm =
		json_string_value(json_object_get(f, "algorithm"));

	return algorithm && strcmp(algorithm, "SHA-256") == 0 &&
	       json_object_size(f) == 2 &&
	       take(f, "value", out, SG_DIGEST_HEX) &&
	       strlen(out) == SG_DIGEST_HEX - 1;
}

static bool
take_chain(struct sg_record *rec)
{
	const json_t *prev = json_object_get(rec->json, "prev_event");
	const json_t *seq = json_object_get(rec->json, "sequence");
	const char *event =
		json_string_value(json_object_get(rec->json, "event"));

	if (!json_is_integer(seq) || json_integer_value(seq) < 1 || !event ||
	    !json_is_integer(json_object_get(rec->json, "time")) ||
	    !take(rec->json, "chain_uid", rec->self.chain, SG_UID) ||
	    !take(rec->json, "uid", rec->self.uid, SG_UID) ||
	    !take_fingerprint(rec->json, rec->self.fingerprint))
		return false;
	rec->self.sequence = (uint64_t)json_integer_value(seq);
	rec->event = event;
	if (json_is_null(prev))
		return true;
	rec->has_prev = true;
	return take(prev, "uid", rec->prev_uid, SG_UID) &&
	       take_fingerprint(prev, rec->prev_fingerprint);
}

static enum sg_record_fault
check_form(struct sg_record *rec, struct sg_str line, struct sg_buf *b)
{
	json_t *bare;
	struct sg_digest digest;
	char hex[SG_DIGEST_HEX];
	int status;

	if (sg_canon_write(rec->json, b, NULL) < 0 ||
	    !sg_str_eq(sg_buf_view(b), line))
		return SG_RECORD_FORM;
	bare = json_copy(rec->json);
	sg_buf_reset(b);
	(void)json_object_del(bare, "fingerprint");
	status = sg_canon_write(bare, b, NULL);
	json_decref(bare);
	if (status < 0)
		return SG_RECORD_FORM;
	digest = sg_digest_of(sg_buf_view(b));
	sg_digest_hex(&digest, hex);
	return strcmp(hex, rec->self.fingerprint) == 0 ? SG_RECORD_GOOD
						       : SG_RECORD_CHANGED;
}

enum sg_record_fault
sg_record_read(struct sg_str line, struct sg_record *rec)
{
	enum sg_record_fault fault;
	struct sg_buf b;

	*rec = (struct sg_record){ .event = "" };
	rec->json = json_loadb(line.p ? line.p : "", line.n,
			       JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
	if (!json_is_object(rec->json))
		return SG_RECORD_SYNTAX;
	if (!take_chain(rec))
		return SG_RECORD_SHAPE;
	sg_buf_init(&b, SG_RECORD_MAX);
	fault = check_form(rec, line, &b);
	sg_buf_release(&b);
	return fault;
}

void
sg_record_release(struct sg_record *rec)
{
	json_decref(rec->json);
	rec->json = NULL;
}

/* ---- head file ---- */

static int
head_path(const char *log, const char *suffix, char *out, size_t room,
	  struct sg_err *err)
{
	if ((size_t)snprintf(out, room, "%s%s", log, suffix) >= room)
		return sg_err_set(err, SG_EUSAGE,
				  "the name of the audit log is too long");
	return SG_OK;
}

/*
 * Over what is there: a file of that size lies in one block, is read and
 * written as a whole, and needs no room on the disk.  A new file under the
 * old name would make the file system write it out at once.
 */
static bool
head_overwrite(const char *path, struct sg_str text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	bool done = false;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 &&
	    st.st_size == (off_t)text.n)
		done = pwrite(fd, text.p, text.n, 0) == (ssize_t)text.n;
	sg_fd_close(&fd);
	return done;
}

static int
head_store(const char *temp, const char *path, struct sg_str text,
	   struct sg_err *err)
{
	int fd = open(temp,
		      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		      0600);
	int status;

	if (fd < 0)
		return sg_err_sys(err, SG_EAUDIT, errno, "cannot write '%s'",
				  temp);
	status = sg_fd_write_all(fd, text.p, text.n, err);
	sg_fd_close(&fd);
	if (status == SG_OK && rename(temp, path) < 0)
		status = sg_err_sys(err, SG_EAUDIT, errno, "cannot write '%s'",
				    path);
	if (status < 0)
		(void)unlink(temp);
	return status;
}

int
sg_head_write(const char *log, const struct sg_link *link, struct sg_err *err)
{
	char path[4096], temp[4096], text[SG_HEAD_MAX];
	int n, status;

	if ((status = head_path(log, ".head", path, sizeof(path), err)) < 0 ||
	    (status = head_path(log, ".head.new", temp, sizeof(temp), err)) < 0)
		return status;
	n = snprintf(text, sizeof(text),
		     "{\"chain_uid\":\"%s\",\"fingerprint\":{\"algorithm\":"
		     "\"SHA-256\",\"value\":\"%s\"},\"sequence\":%" PRIu64
		     ",\"uid\":\"%s\"}",
		     link->chain, link->fingerprint, link->sequence, link->uid);
	if (n < 0 || n >= SG_HEAD_SIZE)
		return sg_err_set(err, SG_EINTERNAL, "the head is too long");
	memset(text + n, ' ', (size_t)(SG_HEAD_SIZE - n));
	text[SG_HEAD_SIZE - 1] = '\n';
	if (head_overwrite(path, (struct sg_str){ text, SG_HEAD_SIZE }))
		return SG_OK;
	return head_store(temp, path, (struct sg_str){ text, SG_HEAD_SIZE },
			  err);
}

int
sg_head_sync(const char *log, struct sg_err *err)
{
	char path[4096];
	int fd, status = head_path(log, ".head", path, sizeof(path), err);

	if (status < 0)
		return status;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT)
		return SG_OK;
	if (fd < 0 || fsync(fd) < 0)
		status = sg_err_sys(err, SG_EAUDIT, errno, "cannot sync '%s'",
				    path);
	sg_fd_close(&fd);
	return status;
}

static bool
head_parse(struct sg_str text, struct sg_link *ret)
{
	json_t *v = json_loadb(text.p ? text.p : "", text.n,
			       JSON_REJECT_DUPLICATES, NULL);
	const json_t *seq = json_object_get(v, "sequence");
	bool good = json_is_integer(seq) && json_integer_value(seq) > 0 &&
		    take(v, "chain_uid", ret->chain, SG_UID) &&
		    take(v, "uid", ret->uid, SG_UID) &&
		    take_fingerprint(v, ret->fingerprint);

	if (good)
		ret->sequence = (uint64_t)json_integer_value(seq);
	json_decref(v);
	return good;
}

int
sg_head_read(const char *log, struct sg_link *ret, struct sg_err *err)
{
	char path[4096];
	struct sg_buf b;
	struct stat st;
	int status;

	if ((status = head_path(log, ".head", path, sizeof(path), err)) < 0)
		return status;
	if (lstat(path, &st) < 0 && errno == ENOENT)
		return sg_err_set(err, SG_ENOENT, "there is no '%s'", path);
	sg_buf_init(&b, SG_HEAD_MAX);
	status = sg_file_read(path, &b, err);
	*ret = (struct sg_link){ 0 };
	if (status == SG_OK && !head_parse(sg_buf_view(&b), ret))
		status = sg_err_set(err, SG_EPARSE,
				    "'%s' is not the head of a log", path);
	sg_buf_release(&b);
	return status;
}
