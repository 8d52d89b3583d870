/* Canonical text: encodings, line ends, and the way back to places. */

#include "analyzer/source.h"
#include "unit/support.h"

enum { ROOM = 1 << 20 };

struct reading {
	struct sg_arena arena;
	struct sg_source source;
	struct sg_problem *problem;
};

static struct reading
read_bytes(struct sg_str bytes)
{
	struct reading r = { .problem = NULL };
	struct sg_err err;

	sg_err_clear(&err);
	sg_arena_init(&r.arena, 4u << 20);
	ck_good(sg_source_read(bytes, ROOM, &r.arena, &r.source, &r.problem,
			       &err),
		&err);
	return r;
}

static void
is_read_as(struct sg_str bytes, const char *text)
{
	struct reading r = read_bytes(bytes);

	ck_assert_ptr_null(r.problem);
	ck_str_is(r.source.text, text);
	ck_assert_int_eq(r.source.text.p[r.source.text.n], '\0');
	sg_arena_release(&r.arena);
}

static void
is_refused(struct sg_str bytes, const char *code, uint32_t start)
{
	struct reading r = read_bytes(bytes);

	ck_assert_msg(r.problem != NULL, "%.*s was read", SG_STR_ARG(bytes));
	ck_assert_str_eq(r.problem->code, code);
	ck_assert_uint_eq(r.problem->range.start, start);
	ck_assert_uint_gt(r.problem->message.n, 0);
	/* Findings point into the text even then. */
	ck_assert_uint_ge(r.source.nlines, 1);
	ck_assert_ptr_nonnull(r.source.text.p);
	sg_arena_release(&r.arena);
}

START_TEST(text_that_is_canonical_stays_as_it_is)
{
	is_read_as(SG_STR(""), "");
	is_read_as(SG_STR("x = 1\n"), "x = 1\n");
	is_read_as(SG_STR("no newline at the end"), "no newline at the end");
	is_read_as(SG_STR("\xc3\xa9 = '\xf0\x9f\x90\x8d'\n"),
		   "\xc3\xa9 = '\xf0\x9f\x90\x8d'\n");
}
END_TEST

START_TEST(every_line_end_becomes_a_newline)
{
	is_read_as(SG_STR("a\r\nb\rc\nd"), "a\nb\nc\nd");
	is_read_as(SG_STR("\r\r\n\n\r"), "\n\n\n\n");
	is_read_as(SG_STR("# hidden?\rimport os"), "# hidden?\nimport os");
	is_read_as(SG_STR("a\r"), "a\n");
}
END_TEST

START_TEST(a_byte_order_mark_is_dropped)
{
	is_read_as(SG_STR("\xef\xbb\xbfx = 1\n"), "x = 1\n");
	is_read_as(SG_STR("\xef\xbb\xbf"), "");
	/* Only one, and only at the beginning. */
	is_read_as(SG_STR("\xef\xbb\xbf\xef\xbb\xbfx"), "\xef\xbb\xbfx");
}
END_TEST

START_TEST(utf8_may_be_declared_in_all_its_spellings)
{
	is_read_as(SG_STR("# coding: utf-8\n"), "# coding: utf-8\n");
	is_read_as(SG_STR("#!/usr/bin/python\n# -*- coding: UTF_8 -*-\n"),
		   "#!/usr/bin/python\n# -*- coding: UTF_8 -*-\n");
	is_read_as(SG_STR("# vim: set fileencoding=utf8 :\n"),
		   "# vim: set fileencoding=utf8 :\n");
	is_read_as(SG_STR("# coding: utf-8-unix\n"), "# coding: utf-8-unix\n");
	is_read_as(SG_STR("\xef\xbb\xbf# coding: utf-8\n"),
		   "# coding: utf-8\n");
}
END_TEST

START_TEST(another_encoding_is_refused_where_it_is_named)
{
	is_refused(SG_STR("# coding: utf-7\n"), "source.encoding", 10);
	is_refused(SG_STR("# coding: latin-1\n"), "source.encoding", 10);
	is_refused(SG_STR("# coding=unicode_escape\n"), "source.encoding", 9);
	is_refused(SG_STR(" \t\f# coding:\t hz\n"), "source.encoding", 14);
	is_refused(SG_STR("\n# coding: big5\n"), "source.encoding", 11);
	is_refused(SG_STR("# first\r# coding: idna\r"), "source.encoding", 18);
	is_refused(SG_STR("# encoding coding: koi8-r"), "source.encoding", 19);
	is_refused(SG_STR("\xef\xbb\xbf# coding: utf8\n"), "source.encoding",
		   10);
}
END_TEST

START_TEST(a_cookie_counts_only_where_cpython_looks_for_it)
{
	is_read_as(SG_STR("\n\n# coding: latin-1\n"),
		   "\n\n# coding: latin-1\n");
	is_read_as(SG_STR("x = 1\n# coding: latin-1\n"),
		   "x = 1\n# coding: latin-1\n");
	is_read_as(SG_STR("x = 1 # coding: latin-1\n"),
		   "x = 1 # coding: latin-1\n");
	is_read_as(SG_STR("# coding latin-1\n"), "# coding latin-1\n");
	is_read_as(SG_STR("# coding: utf-8\n# coding: latin-1\n"),
		   "# coding: utf-8\n# coding: latin-1\n");
}
END_TEST

START_TEST(what_is_no_utf8_is_refused)
{
	is_refused(SG_STR("x = '\xe9'\n"), "source.encoding", 5);
	is_refused(SG_STR("# \xff\n"), "source.encoding", 2);
	is_refused(SG_STR("'\xed\xa0\x80'"), "source.encoding", 1);
	is_refused(SG_STR("'\xc0\x80'"), "source.encoding", 1);
	is_refused(SG_STR("x\xe2\x80"), "source.encoding", 1);
	is_refused(SG_STR("\xff\xfex\0"), "source.encoding", 0);
	is_refused(SG_STR("\xfe\xff\0x"), "source.encoding", 0);
	is_refused(SG_STR("\xff\xfe\0\0x\0\0\0"), "source.encoding", 0);
}
END_TEST

START_TEST(a_nul_byte_is_refused)
{
	is_refused(SG_STR("# a\0b\nimport os\n"), "source.nul", 3);
	is_refused(SG_STR("\0"), "source.nul", 0);
}
END_TEST

START_TEST(the_cap_on_bytes_holds_at_it_and_beyond)
{
	struct sg_arena arena;
	struct sg_source source;
	struct sg_problem *problem;
	struct sg_err err;

	sg_err_clear(&err);
	sg_arena_init(&arena, 1u << 20);
	ck_good(sg_source_read(SG_STR("12345"), 5, &arena, &source, &problem,
			       &err),
		&err);
	ck_assert_ptr_null(problem);
	ck_good(sg_source_read(SG_STR("123456"), 5, &arena, &source, &problem,
			       &err),
		&err);
	ck_assert_str_eq(problem->code, "limit.bytes");
	ck_assert_uint_eq(source.text.n, 0);
	sg_arena_release(&arena);
}
END_TEST

static void
is_at(const struct sg_source *s, uint32_t offset, uint32_t line,
      uint32_t column)
{
	struct sg_place at = sg_source_place(s, offset);

	ck_assert_uint_eq(at.line, line);
	ck_assert_uint_eq(at.column, column);
}

START_TEST(places_are_those_of_the_submitted_text)
{
	struct reading r = read_bytes(
		SG_STR("\xef\xbb\xbfq\r\n\xc3\xa9\xf0\x9f\x90\x8dx\ry"));

	ck_str_is(r.source.text, "q\n\xc3\xa9\xf0\x9f\x90\x8dx\ny");
	is_at(&r.source, 0, 1, 1);
	is_at(&r.source, 1, 1, 2);
	is_at(&r.source, 2, 2, 1);
	is_at(&r.source, 4, 2, 2);
	is_at(&r.source, 8, 2, 3);
	is_at(&r.source, 10, 3, 1);
	is_at(&r.source, 11, 3, 2);
	is_at(&r.source, 99, 3, 2);
	sg_arena_release(&r.arena);
}
END_TEST

START_TEST(the_drift_tells_bytes_that_were_dropped)
{
	struct reading r = read_bytes(SG_STR("\xef\xbb\xbf"
					     "a\r\nb\rc\r\n"));

	ck_assert_uint_eq(r.source.ndrift, 3);
	ck_assert_uint_eq(r.source.drift[0].at, 0);
	ck_assert_uint_eq(r.source.drift[0].removed, 3);
	ck_assert_uint_eq(r.source.drift[1].at, 2);
	ck_assert_uint_eq(r.source.drift[1].removed, 4);
	ck_assert_uint_eq(r.source.drift[2].at, 6);
	ck_assert_uint_eq(r.source.drift[2].removed, 5);
	sg_arena_release(&r.arena);
}
END_TEST

START_TEST(lines_come_without_their_newline)
{
	struct reading r = read_bytes(SG_STR("one\r\ntwo\n\nfour"));

	ck_assert_uint_eq(r.source.nlines, 4);
	ck_str_is(sg_source_line(&r.source, 1), "one");
	ck_str_is(sg_source_line(&r.source, 2), "two");
	ck_str_is(sg_source_line(&r.source, 3), "");
	ck_str_is(sg_source_line(&r.source, 4), "four");
	ck_assert_uint_eq(sg_source_line(&r.source, 0).n, 0);
	ck_assert_uint_eq(sg_source_line(&r.source, 5).n, 0);
	sg_arena_release(&r.arena);
}
END_TEST

START_TEST(digests_tell_the_two_texts_apart)
{
	struct reading a = read_bytes(SG_STR("x\r\n"));
	struct reading b = read_bytes(SG_STR("x\n"));
	const size_t n = sizeof(a.source.canonical);

	ck_assert_mem_eq(&a.source.canonical, &b.source.canonical, n);
	ck_assert_mem_ne(&a.source.submitted, &b.source.submitted, n);
	ck_assert_mem_eq(&b.source.submitted, &b.source.canonical, n);
	sg_arena_release(&a.arena);
	sg_arena_release(&b.arena);
}
END_TEST

START_TEST(refused_memory_is_told)
{
	struct sg_arena arena;
	struct sg_source source;
	struct sg_problem *problem = NULL;
	struct sg_err err;
	static char text[4096];

	sg_err_clear(&err);
	memset(text, '\n', sizeof(text));
	sg_arena_init(&arena, 1024);
	ck_assert_int_eq(sg_source_read((struct sg_str){ text, sizeof(text) },
					ROOM, &arena, &source, &problem, &err),
			 SG_ENOMEM);
	sg_arena_release(&arena);
}
END_TEST

SG_TEST_MAIN("source", text_that_is_canonical_stays_as_it_is,
	     every_line_end_becomes_a_newline, a_byte_order_mark_is_dropped,
	     utf8_may_be_declared_in_all_its_spellings,
	     another_encoding_is_refused_where_it_is_named,
	     a_cookie_counts_only_where_cpython_looks_for_it,
	     what_is_no_utf8_is_refused, a_nul_byte_is_refused,
	     the_cap_on_bytes_holds_at_it_and_beyond,
	     places_are_those_of_the_submitted_text,
	     the_drift_tells_bytes_that_were_dropped,
	     lines_come_without_their_newline, digests_tell_the_two_texts_apart,
	     refused_memory_is_told)
