#include "executor/stream.h"

#include <stdlib.h>

#include "unit/support.h"

static struct sg_arena arena;

static struct sg_stream
finish(struct sg_capture *c)
{
	struct sg_stream s;
	struct sg_err err;

	sg_err_clear(&err);
	ck_good(sg_capture_finish(c, &arena, &s, &err), &err);
	sg_capture_release(c);
	return s;
}

/* Feeds `text` in pieces of `step` bytes. */
static struct sg_stream
capture(const char *text, size_t n, uint64_t keep, size_t step)
{
	struct sg_capture c;

	sg_capture_init(&c, keep);
	for (size_t at = 0; at < n; at += step)
		sg_capture_add(&c, text + at, n - at < step ? n - at : step);
	return finish(&c);
}

START_TEST(a_short_stream_is_whole)
{
	struct sg_stream s = capture("hello\n", 6, 100, 1);

	ck_str_is(s.text, "hello\n");
	ck_assert_uint_eq(s.total, 6);
	ck_assert(!s.truncated && !s.replaced);
	s = capture("", 0, 100, 1);
	ck_str_is(s.text, "");
	ck_assert_ptr_nonnull(s.text.p);
}
END_TEST

START_TEST(at_the_cap_nothing_is_left_out_and_beyond_it_the_middle_is)
{
	const char text[] = "0123456789abcdefghij";

	for (size_t step = 1; step <= 20; step++) {
		ck_str_is(capture(text, 20, 20, step).text, text);
		ck_str_is(capture(text, 20, 10, step).text,
			  "01234\n[... 10 bytes left out ...]\nfghij");
		ck_assert(capture(text, 20, 10, step).truncated);
		ck_str_is(capture(text, 11, 10, step).text,
			  "01234\n[... 1 bytes left out ...]\n6789a");
	}
}
END_TEST

START_TEST(a_flood_takes_no_more_memory_than_the_cap)
{
	struct sg_capture c;
	char chunk[1000];
	struct sg_stream s;

	memset(chunk, 'x', sizeof(chunk));
	sg_capture_init(&c, 4096);
	for (int i = 0; i < 100000; i++)
		sg_capture_add(&c, chunk, sizeof(chunk));
	ck_assert_uint_le(c.head.room, 8192);
	s = finish(&c);
	ck_assert_uint_eq(s.total, 100000000);
	ck_assert_uint_le(s.text.n, 4096 + 64);
}
END_TEST

START_TEST(code_points_are_not_split_by_the_mark)
{
	/* 2, 3 and 4 bytes, at every place of the cut. */
	static const char *const points[] = { "\xc3\xa4", "\xe2\x82\xac",
					      "\xf0\x9f\x98\x80" };
	char text[400];

	for (int k = 0; k < 3; k++)
		for (size_t pad = 0; pad < 5; pad++) {
			size_t n = pad;
			struct sg_stream s;

			memset(text, 'a', pad);
			while (n + 4 < sizeof(text)) {
				memcpy(text + n, points[k], strlen(points[k]));
				n += strlen(points[k]);
			}
			s = capture(text, n, 101, 7);
			ck_assert(s.truncated);
			ck_assert_uint_eq(s.replaced, 0);
			ck_assert_uint_eq(s.total, n);
		}
}
END_TEST

START_TEST(invalid_bytes_are_replaced_and_counted)
{
	static const struct {
		const char *in, *out;
		uint32_t n;
	} rows[] = {
		{ "a\xff"
		  "b",
		  "a\xef\xbf\xbd"
		  "b",
		  1 },
		{ "\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd", 2 },
		{ "\xe2\x82", "\xef\xbf\xbd", 1 },
		{ "\xe2\x82z", "\xef\xbf\xbdz", 1 },
		{ "\xf0\x9f\x98", "\xef\xbf\xbd", 1 },
		{ "\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd", 2 },
		{ "\xed\xa0\x80", "\xef\xbf\xbd", 1 },
		{ "\xf5\x80", "\xef\xbf\xbd\xef\xbf\xbd", 2 },
		{ "ok \xc3\xa4", "ok \xc3\xa4", 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sg_stream s = capture(rows[i].in, strlen(rows[i].in),
					     100, 1);

		ck_str_is(s.text, rows[i].out);
		ck_assert_uint_eq(s.replaced, rows[i].n);
	}
}
END_TEST

START_TEST(nul_and_control_bytes_stay)
{
	struct sg_stream s = capture("a\0b\x1b[0m", 7, 100, 1);

	ck_assert_uint_eq(s.text.n, 7);
	ck_assert_mem_eq(s.text.p, "a\0b\x1b[0m", 7);
}
END_TEST

START_TEST(a_cap_of_nothing_still_counts)
{
	struct sg_stream s = capture("abc", 3, 0, 1);

	ck_assert_uint_eq(s.total, 3);
	ck_assert(s.truncated);
}
END_TEST

START_TEST(repair_stops_at_its_cap_between_code_points)
{
	struct sg_str s = SG_STR("\xc3\xa4\xc3\xa4");
	bool cut;

	ck_str_is(sg_utf8_repair(&arena, s, 3, NULL, &cut), "\xc3\xa4");
	ck_assert(cut);
	ck_str_is(sg_utf8_repair(&arena, s, 4, NULL, &cut), "\xc3\xa4\xc3\xa4");
	ck_assert(!cut);
}
END_TEST

START_TEST(refused_memory_is_an_error_and_no_crash)
{
	struct sg_capture c;
	struct sg_stream s;
	struct sg_err err;
	int rc;

	SG_TEST_EACH_ALLOCATION() {
		sg_arena_init(&arena, 1 << 20);
		sg_err_clear(&err);
		sg_capture_init(&c, 16);
		sg_capture_add(&c, "0123456789abcdefghijklmnop", 26);
		rc = sg_capture_finish(&c, &arena, &s, &err);
		ck_assert(rc == SG_OK || rc == SG_ENOMEM);
		sg_capture_release(&c);
		sg_arena_release(&arena);
	}
	sg_arena_init(&arena, 1 << 20);
}
END_TEST

static void
setup(void)
{
	sg_arena_init(&arena, 64 << 20);
}

int
main(void)
{
	const TTest *const tests[] = {
		a_short_stream_is_whole,
		at_the_cap_nothing_is_left_out_and_beyond_it_the_middle_is,
		a_flood_takes_no_more_memory_than_the_cap,
		code_points_are_not_split_by_the_mark,
		invalid_bytes_are_replaced_and_counted,
		nul_and_control_bytes_stay,
		a_cap_of_nothing_still_counts,
		repair_stops_at_its_cap_between_code_points,
		refused_memory_is_an_error_and_no_crash,
	};

	setup();
	return sg_test_run("stream", tests, sizeof(tests) / sizeof(tests[0]));
}
