/*
 * Theory of operation.
 *
 * A scanner with an explicit stack walks the line once.  Each level knows
 * whether it is an object or an array and how many keys of the wanted path
 * led to it (or that it lies beside the path).  A member whose key continues
 * the path at its level is on the path; a value that completes it is the
 * text.
 *
 * Members of the outer object named "sandgate" are cut out together with one
 * comma: the one after it as long as nothing else stands before it, else the
 * one in front of it.  So the rest stays a valid object whichever of its
 * members go.
 */

#include "pipeline/row.h"

#include "base/utf8.h"

#define OFF_PATH UINT32_MAX

struct level {
	bool object;
	uint32_t matched; /* keys of the path above this level; OFF_PATH */
	uint32_t index;   /* in an array */
};

struct scan {
	struct sg_row *row;
	const struct sg_row_path *path;
	const char *p;
	size_t n, at;
	struct level stack[SG_ROW_DEPTH];
	uint32_t depth;
	uint32_t value_match; /* keys matched by the value that comes next */
	size_t member, comma; /* of the outer object: its key, the comma */
	bool is_ours;         /* that member is named "sandgate" */
	bool cut_comma;       /* the next comma belongs to the last cut */
	bool soft;            /* the fault found leaves a sound object */
};

/* ---- path ---- */

static int
decode_key(struct sg_str raw, struct sg_row_path *path, size_t *used,
	   struct sg_str *ret, struct sg_err *err)
{
	char *out = path->decoded + *used;
	size_t n = 0;

	if (raw.n > sizeof(path->decoded) - *used)
		return sg_err_set(err, SG_EUSAGE, "the key is too long");
	for (size_t i = 0; i < raw.n; i++) {
		char c = raw.p[i];

		if (c == '~') {
			i++;
			if (i == raw.n || (raw.p[i] != '0' && raw.p[i] != '1'))
				return sg_err_set(err, SG_EUSAGE,
						  "'~' in a JSON pointer "
						  "must be '~0' or '~1'");
			c = raw.p[i] == '0' ? '~' : '/';
		}
		out[n++] = c;
	}
	*used += n;
	*ret = (struct sg_str){ out, n };
	return SG_OK;
}

int
sg_row_path_parse(struct sg_str text, struct sg_row_path *ret,
		  struct sg_err *err)
{
	size_t used = 0, from = 1;
	int status;

	*ret = (struct sg_row_path){ .nkeys = 1 };
	if (text.n == 0)
		return sg_err_set(err, SG_EUSAGE, "the key is empty");
	ret->keys[0] = text;
	if (text.p[0] != '/')
		return SG_OK;
	ret->nkeys = 0;
	while (from <= text.n) {
		struct sg_str rest = sg_str_slice(text, from, text.n);
		size_t n = sg_str_find(rest, '/');

		if (ret->nkeys == SG_ROW_KEYS)
			return sg_err_set(err, SG_EUSAGE,
					  "the JSON pointer has more than %d "
					  "keys",
					  (int)SG_ROW_KEYS);
		status = decode_key(sg_str_slice(rest, 0, n), ret, &used,
				    &ret->keys[ret->nkeys++], err);
		if (status < 0)
			return status;
		from += n + 1;
	}
	return SG_OK;
}

/* ---- scanner ---- */

/* Ends the scan.  A fault found before is kept unless the line went on. */
static bool
refuse(struct scan *s, const char *code, const char *why)
{
	if (!s->row->fault || s->soft) {
		s->row->fault = code;
		s->row->why = why;
		s->row->at = s->at;
		s->soft = false;
	}
	return false;
}

/* Notes what is wrong with the text to judge; the object may be sound. */
static void
object_to(struct scan *s, const char *code, const char *why)
{
	if (s->row->fault)
		return;
	(void)refuse(s, code, why);
	s->soft = true;
}

static bool
bad(struct scan *s, const char *why)
{
	return refuse(s, "row.syntax", why);
}

static void
blanks(struct scan *s)
{
	while (s->at < s->n && (s->p[s->at] == ' ' || s->p[s->at] == '\t' ||
				s->p[s->at] == '\r' || s->p[s->at] == '\n'))
		s->at++;
}

static bool
is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
	       (c >= 'A' && c <= 'F');
}

/* A string, from its opening quote on; *ret is it with both quotes. */
static bool
string(struct scan *s, struct sg_row_span *ret)
{
	size_t i = s->at + 1;

	ret->start = s->at;
	for (; i < s->n && s->p[i] != '"'; i++) {
		s->at = i;
		if ((unsigned char)s->p[i] < 32)
			return bad(s, "a control character in a string");
		if (s->p[i] != '\\')
			continue;
		i++;
		if (i < s->n && s->p[i] == 'u') {
			for (int k = 1; k <= 4; k++) {
				if (i + (size_t)k >= s->n ||
				    !is_hex(s->p[i + (size_t)k]))
					return bad(s, "a bad \\u escape");
			}
			i += 4;
		} else if (i >= s->n || s->p[i] == '\0' ||
			   !strchr("\"\\/bfnrt", s->p[i])) {
			return bad(s, "an unknown escape in a string");
		}
	}
	if (i >= s->n)
		return bad(s, "a string without its end");
	s->at = ret->end = i + 1;
	return true;
}

static size_t
digits(struct scan *s)
{
	size_t from = s->at;

	while (s->at < s->n && s->p[s->at] >= '0' && s->p[s->at] <= '9')
		s->at++;
	return s->at - from;
}

static bool
number(struct scan *s)
{
	size_t from;

	if (s->p[s->at] == '-')
		s->at++;
	from = s->at;
	if (digits(s) == 0 || (s->p[from] == '0' && s->at - from > 1))
		return bad(s, "a malformed number");
	if (s->at < s->n && s->p[s->at] == '.') {
		s->at++;
		if (digits(s) == 0)
			return bad(s, "a malformed number");
	}
	if (s->at < s->n && (s->p[s->at] == 'e' || s->p[s->at] == 'E')) {
		s->at++;
		if (s->at < s->n && (s->p[s->at] == '+' || s->p[s->at] == '-'))
			s->at++;
		if (digits(s) == 0)
			return bad(s, "a malformed number");
	}
	return true;
}

static bool
word(struct scan *s, const char *w)
{
	size_t n = strlen(w);

	if (s->n - s->at < n || memcmp(s->p + s->at, w, n) != 0)
		return bad(s, "not a JSON value");
	s->at += n;
	return true;
}

/* ---- keys ---- */

/* One code unit's worth of a string's inside: bytes out, source consumed. */
static size_t
unescape(struct sg_str s, size_t at, char out[4], uint32_t *ret_n)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	uint32_t cp = 0, low = 0;
	size_t used = 6;

	if (s.p[at] != '\\') {
		out[0] = s.p[at];
		*ret_n = 1;
		return 1;
	}
	if (s.p[at + 1] != 'u') {
		out[0] = to[strchr(from, s.p[at + 1]) - from];
		*ret_n = 1;
		return 2;
	}
	for (size_t k = 2; k < 6; k++) {
		char c = s.p[at + k];

		cp = cp * 16 +
		     (uint32_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
	}
	if (cp >= 0xd800 && cp < 0xdc00 && at + 11 < s.n &&
	    s.p[at + 6] == '\\' && s.p[at + 7] == 'u') {
		for (size_t k = 8; k < 12; k++) {
			char c = s.p[at + k];

			low = low * 16 +
			      (uint32_t)(c <= '9' ? c - '0'
						  : (c | 32) - 'a' + 10);
		}
		if (low >= 0xdc00 && low < 0xe000) {
			cp = 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00);
			used = 12;
		}
	}
	*ret_n = sg_utf8_encode(cp, out);
	if (*ret_n == 0) { /* a lone surrogate */
		out[0] = (char)(0xe0 | (cp >> 12));
		out[1] = (char)(0x80 | ((cp >> 6) & 63));
		out[2] = (char)(0x80 | (cp & 63));
		*ret_n = 3;
	}
	return used;
}

/* Whether the string at `span` (with quotes) is `want`, escapes decoded. */
static bool
is_key(const struct scan *s, struct sg_row_span span, struct sg_str want)
{
	struct sg_str in = { s->p + span.start + 1, span.end - span.start - 2 };
	size_t at = 0, done = 0;

	while (at < in.n) {
		char out[4];
		uint32_t n;

		at += unescape(in, at, out, &n);
		if (n > want.n - done || memcmp(out, want.p + done, n) != 0)
			return false;
		done += n;
	}
	return done == want.n;
}

static bool
is_index(struct sg_str key, uint32_t index)
{
	uint32_t v = 0;

	if (key.n == 0 || key.n > 9 || (key.n > 1 && key.p[0] == '0'))
		return false;
	for (size_t i = 0; i < key.n; i++) {
		if (key.p[i] < '0' || key.p[i] > '9')
			return false;
		v = v * 10 + (uint32_t)(key.p[i] - '0');
	}
	return v == index;
}

/* How many keys of the path the value below `top` matches. */
static uint32_t
match_key(const struct scan *s, const struct level *top, struct sg_row_span key)
{
	const struct sg_row_path *path = s->path;

	if (top->matched == OFF_PATH || top->matched >= path->nkeys)
		return OFF_PATH;
	if (top->object ? !is_key(s, key, path->keys[top->matched])
			: !is_index(path->keys[top->matched], top->index))
		return OFF_PATH;
	return top->matched + 1;
}

/* ---- members of the outer object ---- */

static bool
cut_ours(struct scan *s)
{
	struct sg_row *row = s->row;
	struct sg_row_span *cut = &row->ours[row->nours];

	if (row->nours == SG_ROW_OURS)
		return refuse(s, "row.duplicate",
			      "too many members named 'sandgate'");
	cut->start = row->others ? s->comma : s->member;
	cut->end = s->at;
	s->cut_comma = !row->others;
	row->nours++;
	return true;
}

static bool
member_done(struct scan *s)
{
	if (!s->is_ours) {
		s->row->others = true;
		return true;
	}
	return cut_ours(s);
}

/* A key with its colon; says what comes next is a value of the member. */
static bool
key(struct scan *s)
{
	const struct level *top = &s->stack[s->depth - 1];
	struct sg_row_span span = { 0 };

	blanks(s);
	if (s->at >= s->n || s->p[s->at] != '"')
		return bad(s, "a member without its name");
	if (!string(s, &span))
		return false;
	if (s->depth == 1) {
		s->member = span.start;
		s->is_ours = is_key(s, span, SG_STR("sandgate"));
	}
	s->value_match = match_key(s, top, span);
	blanks(s);
	if (s->at >= s->n || s->p[s->at] != ':')
		return bad(s, "a member without ':'");
	s->at++;
	return true;
}

/* ---- values ---- */

static bool
push(struct scan *s, bool object)
{
	if (s->depth == SG_ROW_DEPTH)
		return refuse(s, "row.depth", "nested too deep");
	s->stack[s->depth++] = (struct level){
		.object = object,
		.matched = s->value_match,
	};
	s->at++;
	return true;
}

static void
note_text(struct scan *s, struct sg_row_span span)
{
	if (s->row->text.end != 0)
		object_to(s, "row.duplicate",
			  "the text to judge is there twice");
	s->row->text = span;
}

/*
 * Reads one value that is no container, or the opening of one.
 * *ret_open: a container was opened and is not empty.
 */
static bool
value(struct scan *s, bool *ret_open)
{
	bool wanted = s->depth > 0 && s->value_match == s->path->nkeys;
	struct sg_row_span span;
	char c, close;

	blanks(s);
	*ret_open = false;
	if (s->at >= s->n)
		return bad(s, "the line ends too early");
	c = s->p[s->at];
	if (wanted && c != '"') {
		/* Sound or not, it is not a text; keep looking for errors. */
		object_to(s, "row.type", "the text to judge is no string");
		note_text(s, (struct sg_row_span){ s->at, s->at });
	}
	switch (c) {
	case '"':
		if (!string(s, &span))
			return false;
		if (wanted)
			note_text(s, span);
		return true;
	case '{':
	case '[':
		if (!push(s, c == '{'))
			return false;
		close = c == '{' ? '}' : ']';
		blanks(s);
		if (s->at < s->n && s->p[s->at] == close) {
			s->row->close = s->at++;
			s->depth--;
			return true;
		}
		*ret_open = true;
		return c == '[' || key(s);
	case 't':
		return word(s, "true");
	case 'f':
		return word(s, "false");
	case 'n':
		return word(s, "null");
	default:
		if (c == '-' || (c >= '0' && c <= '9'))
			return number(s);
		return bad(s, "not a JSON value");
	}
}

/* After a value: a comma and what follows it, or the ends of containers. */
static bool
after_value(struct scan *s, bool *ret_more)
{
	*ret_more = false;
	while (s->depth > 0) {
		struct level *top = &s->stack[s->depth - 1];
		char close = top->object ? '}' : ']';

		if (s->depth == 1 && top->object && !member_done(s))
			return false;
		blanks(s);
		if (s->at >= s->n)
			return bad(s, "the line ends too early");
		if (s->p[s->at] == ',') {
			if (s->depth == 1)
				s->comma = s->at;
			s->at++;
			if (s->depth == 1 && s->cut_comma)
				s->row->ours[s->row->nours - 1].end = s->at;
			if (s->depth == 1)
				s->cut_comma = false;
			top->index++;
			*ret_more = true;
			return !top->object || key(s);
		}
		if (s->p[s->at] != close)
			return bad(s, "a ',' or the end of a list or object "
				      "is missing");
		s->row->close = s->at++;
		s->depth--;
	}
	return true;
}

/* The matching of an array's element is not known before it is read. */
static void
match_element(struct scan *s)
{
	const struct level *top;

	if (s->depth == 0)
		return;
	top = &s->stack[s->depth - 1];
	if (!top->object)
		s->value_match = match_key(s, top, (struct sg_row_span){ 0 });
}

static bool
document(struct scan *s)
{
	bool more = true, open;

	while (more) {
		match_element(s);
		if (!value(s, &open))
			return false;
		if (open)
			continue;
		if (!after_value(s, &more))
			return false;
	}
	blanks(s);
	if (s->at < s->n)
		return bad(s, "more after the end of the object");
	return true;
}

void
sg_row_scan(struct sg_str line, const struct sg_row_path *path,
	    struct sg_row *ret)
{
	struct scan s = { .row = ret, .path = path, .p = line.p, .n = line.n };
	size_t valid = sg_utf8_check(line);
	size_t first = 0;

	*ret = (struct sg_row){ .line = line };
	s.at = valid;
	if (valid < line.n) {
		(void)refuse(&s, "row.utf8", "the line is not UTF-8");
		return;
	}
	s.at = 0;
	blanks(&s);
	first = s.at;
	if (!document(&s))
		return;
	if (line.p[first] != '{') {
		s.at = first;
		s.soft = true;
		(void)refuse(&s, "row.object", "the line is no object");
		return;
	}
	ret->is_object = true;
	if (!ret->fault && ret->text.end == 0)
		(void)refuse(&s, "row.missing", "there is no text to judge");
}

/* ---- output ---- */

void
sg_row_text(const struct sg_row *row, struct sg_buf *out)
{
	struct sg_str in = sg_str_slice(row->line, row->text.start + 1,
					row->text.end - 1);
	size_t at = 0;

	while (at < in.n) {
		const char *hit = memchr(in.p + at, '\\', in.n - at);
		size_t plain = hit ? (size_t)(hit - in.p) - at : in.n - at;
		char bytes[4];
		uint32_t n;

		sg_buf_add(out, in.p + at, plain);
		at += plain;
		if (at == in.n)
			break;
		at += unescape(in, at, bytes, &n);
		sg_buf_add(out, bytes, n);
	}
}

void
sg_row_splice(const struct sg_row *row, struct sg_str answer,
	      struct sg_buf *out)
{
	size_t at = 0;

	if (!row->is_object) {
		sg_buf_c(out, "{\"sandgate\":");
		sg_buf_str(out, answer);
		sg_buf_char(out, '}');
		return;
	}
	for (uint32_t i = 0; i < row->nours; i++) {
		sg_buf_str(out,
			   sg_str_slice(row->line, at, row->ours[i].start));
		at = row->ours[i].end;
	}
	sg_buf_str(out, sg_str_slice(row->line, at, row->close));
	sg_buf_c(out, row->others ? ",\"sandgate\":" : "\"sandgate\":");
	sg_buf_str(out, answer);
	sg_buf_str(out, sg_str_slice(row->line, row->close, row->line.n));
}
