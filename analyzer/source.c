#include "analyzer/source.h"

#include "base/utf8.h"

/*
 * Theory of operation
 *
 * Canonical text differs from the submitted text in three ways only: a
 * UTF-8 byte order mark is dropped, CRLF becomes LF (one byte less), and a
 * lone CR becomes LF (same length).  All three keep lines and the columns
 * within them, so a place in the submitted text is found by line and code
 * points alone; the drift table serves those who need byte offsets.
 *
 * The encoding is decided as PEP 263 has it: a cookie counts in line one or
 * two, in the second only when the first has nothing but a comment, and only
 * in a line that holds nothing but a comment.  Any spelling of a codec other
 * than UTF-8 is refused, whatever the bytes are: the text would mean one
 * thing to the gate and another to an interpreter that honours the cookie.
 */

enum { MAX_COOKIE = 32 };

/* The names under which CPython's codec registry knows UTF-8, folded to
 * lower case with '_' for '-'. */
static const char *const utf8_names[] = { "utf_8",  "utf8",      "u8",
					  "utf",    "utf8_ucs2", "utf8_ucs4",
					  "cp65001" };

static const struct mark {
	const char *bytes;
	size_t n;
	const char *name;
} foreign_marks[] = {
	{ "\xff\xfe\0\0", 4, "UTF-32" },
	{ "\0\0\xfe\xff", 4, "UTF-32" },
	{ "\xff\xfe", 2, "UTF-16" },
	{ "\xfe\xff", 2, "UTF-16" },
};

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\f';
}

static bool
is_codec_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

static int
refuse(struct sg_arena *arena, struct sg_problem **ret, const char *code,
       struct sg_range range, struct sg_str message, struct sg_err *err)
{
	struct sg_problem *p = SG_NEW(arena, struct sg_problem);

	if (!p || !message.p)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	p->code = code;
	p->range = range;
	p->message = message;
	*ret = p;
	return SG_OK;
}

/* Where a line's comment begins, or its end when it has no comment or has
 * something before it; *ret_bare says that it has nothing else. */
static size_t
comment_start(struct sg_str line, bool *ret_bare)
{
	size_t i = 0;

	while (i < line.n && is_blank(line.p[i]))
		i++;
	*ret_bare = i == line.n || line.p[i] == '#';
	return i < line.n && line.p[i] == '#' ? i : line.n;
}

/* The codec named by a cookie in `line`, as a view; empty when none is. */
static struct sg_str
find_cookie(struct sg_str line, size_t from)
{
	for (size_t i = from; i + 7 < line.n; i++) {
		size_t start, end;

		if (memcmp(line.p + i, "coding", 6) != 0 ||
		    (line.p[i + 6] != ':' && line.p[i + 6] != '='))
			continue;
		start = i + 7;
		while (start < line.n &&
		       (line.p[start] == ' ' || line.p[start] == '\t'))
			start++;
		end = start;
		while (end < line.n && is_codec_char(line.p[end]))
			end++;
		if (end > start)
			return sg_str_slice(line, start, end);
	}
	return SG_STR_NONE;
}

static bool
is_utf8_name(struct sg_str name)
{
	char folded[MAX_COOKIE];
	struct sg_str s = { folded, name.n };

	if (name.n > sizeof(folded))
		return false;
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		folded[i] = c == '-' ? '_' : c;
	}
	/* CPython takes "utf-8-unix" and the like for UTF-8 as well. */
	if (sg_str_starts(s, SG_STR("utf_8_")))
		return true;
	for (size_t i = 0; i < sizeof(utf8_names) / sizeof(*utf8_names); i++)
		if (sg_str_eq(s, sg_str_c(utf8_names[i])))
			return true;
	return false;
}

/* After a byte order mark CPython takes no other name than this. */
static bool
is_exact_name(struct sg_str name)
{
	static const char exact[] = "utf-8";

	for (size_t i = 0; i < sizeof(exact) - 1; i++) {
		char c = i < name.n ? name.p[i] : '\0';

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if (c != exact[i] && !(c == '_' && exact[i] == '-'))
			return false;
	}
	return true;
}

/* Looks for a cookie in the first two lines of the canonical text. */
static int
check_cookie(const struct sg_source *s, bool bom, struct sg_arena *arena,
	     struct sg_problem **ret, struct sg_err *err)
{
	for (uint32_t line = 1; line <= 2 && line <= s->nlines; line++) {
		struct sg_str text = sg_source_line(s, line);
		bool bare;
		size_t at = comment_start(text, &bare);
		struct sg_str name = find_cookie(text, at);
		uint32_t start;

		if (name.n &&
		    (!is_utf8_name(name) || (bom && !is_exact_name(name)))) {
			start = (uint32_t)(name.p - s->text.p);
			return refuse(
				arena, ret, "source.encoding",
				(struct sg_range){ start,
						   start + (uint32_t)name.n },
				sg_arena_printf(
					arena,
					"the text declares "
					"encoding '%.*s'; only UTF-8 is read",
					(int)(name.n < 40 ? name.n : 40),
					name.p),
				err);
		}
		if (name.n || !bare)
			break;
	}
	return SG_OK;
}

static int
split_lines(struct sg_source *s, struct sg_arena *arena, struct sg_err *err)
{
	const char *p = s->text.p, *end = p + s->text.n;
	uint32_t n = 1;

	/* NOLINTNEXTLINE: there is a text when there was no error */
	for (const char *q = p; (q = memchr(q, '\n', (size_t)(end - q))); q++)
		n++;
	s->line_starts = SG_NEWN(arena, uint32_t, n);
	if (!s->line_starts)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	n = 1;
	for (const char *q = p; (q = memchr(q, '\n', (size_t)(end - q))); q++)
		s->line_starts[n++] = (uint32_t)(q - p) + 1;
	s->nlines = n;
	return SG_OK;
}

static uint32_t
count_crlf(struct sg_str bytes)
{
	uint32_t n = 0;
	const char *end = bytes.p + bytes.n;
	const char *q = bytes.p;

	while (q < end && (q = memchr(q, '\r', (size_t)(end - q)))) {
		q++;
		n += q < end && *q == '\n';
	}
	return n;
}

/* Fills s->text and s->drift from bytes past the mark. */
static int
unify_line_ends(struct sg_source *s, struct sg_str bytes, uint32_t bom,
		struct sg_arena *arena, struct sg_err *err)
{
	uint32_t ncrlf = count_crlf(bytes), n = 0, removed = bom;
	char *out = sg_arena_alloc(arena, bytes.n + 1);

	s->drift = SG_NEWN(arena, struct sg_source_drift, ncrlf + 1);
	if (!out || !s->drift)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	if (bom)
		s->drift[s->ndrift++] = (struct sg_source_drift){ 0, bom };
	for (size_t i = 0; i < bytes.n;) {
		const char *cr = memchr(bytes.p + i, '\r', bytes.n - i);
		size_t run = cr ? (size_t)(cr - bytes.p) - i : bytes.n - i;

		memcpy(out + n, bytes.p + i, run);
		n += (uint32_t)run;
		i += run;
		if (!cr)
			break;
		out[n++] = '\n';
		i++;
		if (i < bytes.n && bytes.p[i] == '\n') {
			i++;
			removed++;
			s->drift[s->ndrift++] =
				(struct sg_source_drift){ n, removed };
		}
	}
	out[n] = '\0';
	s->text = (struct sg_str){ out, n };
	return SG_OK;
}

/* Invalid bytes become '?', so that the text can be shown; the script has
 * been refused by then. */
static void
mend_text(struct sg_str text, size_t from)
{
	char *p = (char *)(uintptr_t)text.p;

	for (size_t i = from; i < text.n;) {
		uint32_t cp, n = sg_utf8_decode(text, i, &cp);

		if (n == 0 || p[i] == '\0')
			p[i] = '?';
		i += n ? n : 1;
	}
}

static int
check_bytes(const struct sg_source *s, struct sg_arena *arena,
	    struct sg_problem **ret, struct sg_err *err)
{
	size_t bad = sg_utf8_check(s->text), nul;
	uint32_t at;
	int rc = SG_OK;

	if (bad < s->text.n) {
		at = (uint32_t)bad;
		rc = refuse(arena, ret, "source.encoding",
			    (struct sg_range){ at, at + 1 },
			    sg_arena_printf(arena,
					    "the byte 0x%02x is not "
					    "valid UTF-8",
					    (unsigned char)s->text.p[bad]),
			    err);
	}
	nul = sg_str_find(s->text, '\0');
	if (rc == SG_OK && !*ret && nul < s->text.n) {
		at = (uint32_t)nul;
		rc = refuse(arena, ret, "source.nul",
			    (struct sg_range){ at, at + 1 },
			    SG_STR("the text contains a NUL byte"), err);
	}
	if (*ret)
		mend_text(s->text, bad < nul ? bad : nul);
	return rc;
}

static const struct mark *
foreign_mark(struct sg_str bytes)
{
	for (size_t i = 0; i < sizeof(foreign_marks) / sizeof(*foreign_marks);
	     i++)
		if (bytes.n >= foreign_marks[i].n &&
		    memcmp(bytes.p, foreign_marks[i].bytes,
			   foreign_marks[i].n) == 0)
			return &foreign_marks[i];
	return NULL;
}

int
sg_source_read(struct sg_str bytes, size_t max_bytes, struct sg_arena *arena,
	       struct sg_source *ret, struct sg_problem **ret_problem,
	       struct sg_err *err)
{
	static const struct sg_range nowhere = { 0, 0 };
	struct sg_source s = { 0 };
	struct sg_problem *problem = NULL;
	const struct mark *mark = foreign_mark(bytes);
	const struct sg_str submitted = bytes;
	uint32_t bom = 0;
	int rc = SG_OK;

	s.submitted = sg_digest_of(bytes);
	if (max_bytes > UINT32_MAX / 2)
		max_bytes = UINT32_MAX / 2;
	if (bytes.n > max_bytes) {
		rc = refuse(arena, &problem, "limit.bytes", nowhere,
			    sg_arena_printf(arena,
					    "the text has %zu bytes; "
					    "%zu is the limit",
					    bytes.n, max_bytes),
			    err);
		bytes.n = 0;
	} else if (mark) {
		rc = refuse(arena, &problem, "source.encoding", nowhere,
			    sg_arena_printf(arena,
					    "the text is %s; only "
					    "UTF-8 is read",
					    mark->name),
			    err);
		bytes.n = 0;
	} else if (sg_str_starts(bytes, SG_STR("\xef\xbb\xbf"))) {
		bom = 3;
		bytes = sg_str_slice(bytes, bom, bytes.n);
	}
	if (rc == SG_OK)
		rc = unify_line_ends(&s, bytes, bom, arena, err);
	if (rc == SG_OK && !problem)
		rc = check_bytes(&s, arena, &problem, err);
	if (rc == SG_OK)
		rc = split_lines(&s, arena, err);
	if (rc == SG_OK && !problem)
		rc = check_cookie(&s, bom != 0, arena, &problem, err);
	if (rc != SG_OK)
		return rc;
	/* Most texts are canonical as they come. */
	s.canonical = problem || s.text.n != submitted.n ||
				      (s.text.n && memcmp(s.text.p, submitted.p,
							  s.text.n) != 0)
			      ? sg_digest_of(s.text)
			      : s.submitted;
	*ret = s;
	*ret_problem = problem;
	return SG_OK;
}

/* The 0-based line that holds `offset`. */
static uint32_t
line_index(const struct sg_source *s, uint32_t offset)
{
	uint32_t lo = 0, hi = s->nlines;

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (s->line_starts[mid] <= offset)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

struct sg_place
sg_source_place(const struct sg_source *s, uint32_t offset)
{
	uint32_t line, start;

	if (offset > s->text.n)
		offset = (uint32_t)s->text.n;
	line = line_index(s, offset);
	start = s->line_starts[line];
	return (struct sg_place){ line + 1,
				  (uint32_t)sg_utf8_count(sg_str_slice(
					  s->text, start, offset)) +
					  1 };
}

struct sg_str
sg_source_line(const struct sg_source *s, uint32_t line)
{
	uint32_t start, end;

	if (line == 0 || line > s->nlines)
		return SG_STR_NONE;
	start = s->line_starts[line - 1];
	end = line < s->nlines ? s->line_starts[line] - 1 : (uint32_t)s->text.n;
	return sg_str_slice(s->text, start, end);
}
