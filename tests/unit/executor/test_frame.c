#include "executor/frame.h"

#include <stdlib.h>

#include "executor/limits.h"
#include "unit/support.h"

struct bench {
	struct sg_arena arena;
	struct sg_result r;
	struct sg_frame_reader reader;
	struct sg_buf bytes;
};

static void
bench_init(struct bench *b)
{
	struct sg_frame_caps caps = { 32, 2, 4096 };
	struct sg_err err;

	memset(b, 0, sizeof(*b));
	sg_err_clear(&err);
	sg_arena_init(&b->arena, 8 << 20);
	sg_buf_init(&b->bytes, 8 << 20);
	ck_good(sg_frame_init(&b->reader, &caps, &b->arena, &b->r, &err), &err);
}

static void
bench_release(struct bench *b)
{
	sg_frame_release(&b->reader);
	sg_buf_release(&b->bytes);
	sg_arena_release(&b->arena);
}

static void
put32(struct sg_buf *b, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		sg_buf_char(b, (char)(v >> 8 * i));
}

static void
put_text(struct sg_buf *b, const char *text)
{
	put32(b, (uint32_t)strlen(text));
	sg_buf_c(b, text);
}

static void
put_frame(struct bench *b, char kind, struct sg_str payload)
{
	sg_buf_char(&b->bytes, kind);
	put32(&b->bytes, (uint32_t)payload.n);
	sg_buf_str(&b->bytes, payload);
}

static void
put_value(struct bench *b, const char *type, const char *repr)
{
	struct sg_buf p;

	sg_buf_init(&p, 1 << 20);
	sg_buf_char(&p, 0);
	put_text(&p, type);
	put_text(&p, repr);
	put_frame(b, 'V', sg_buf_view(&p));
	sg_buf_release(&p);
}

/* A PNG of one chunk of data, as small as the check allows. */
static struct sg_str
png(struct sg_buf *b, uint32_t width, uint32_t height, uint32_t data)
{
	sg_buf_init(b, 1 << 20);
	sg_buf_add(b, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
	for (int i = 24; i >= 0; i -= 8)
		sg_buf_char(b, (char)(width >> i));
	for (int i = 24; i >= 0; i -= 8)
		sg_buf_char(b, (char)(height >> i));
	sg_buf_add(b, "\x08\x06\0\0\0cccc", 9);
	for (int i = 24; i >= 0; i -= 8)
		sg_buf_char(b, (char)(data >> i));
	sg_buf_c(b, "IDAT");
	for (uint32_t i = 0; i < data + 4; i++)
		sg_buf_char(b, 'd');
	sg_buf_add(b, "\0\0\0\0IENDcccc", 12);
	return sg_buf_view(b);
}

static void
feed(struct bench *b, size_t step)
{
	for (size_t at = 0; at < b->bytes.len; at += step)
		sg_frame_feed(&b->reader, b->bytes.data + at,
			      b->bytes.len - at < step ? b->bytes.len - at
						       : step);
}

START_TEST(frames_arrive_in_any_pieces)
{
	struct sg_buf im;

	for (size_t step = 1; step < 200; step += 13) {
		struct bench b;

		bench_init(&b);
		put_frame(&b, 'S', SG_STR_NONE);
		put_value(&b, "int", "42");
		put_frame(&b, 'I', png(&im, 3, 4, 10));
		put_frame(&b, 'H', SG_STR("try this"));
		feed(&b, step);
		ck_assert(b.reader.started && !b.reader.broken);
		ck_assert(b.r.value.is_set && !b.r.value.truncated);
		ck_str_is(b.r.value.type, "int");
		ck_str_is(b.r.value.repr, "42");
		ck_assert_uint_eq(b.r.nimages, 1);
		ck_assert_uint_eq(b.r.images[0].width, 3);
		ck_assert_uint_eq(b.r.images[0].height, 4);
		ck_str_is(b.r.hint, "try this");
		sg_buf_release(&im);
		bench_release(&b);
	}
}
END_TEST

START_TEST(only_the_first_start_says_when)
{
	static const char times[16] = { 1, 2, 0, 0, 0, 0, 0, 1, 3, 0, 0, 0, 4 };
	struct bench b;

	bench_init(&b);
	put_frame(&b, 'S', (struct sg_str){ times, sizeof(times) });
	put_frame(&b, 'S', SG_STR("abcdefghijklmnop"));
	feed(&b, 1000);
	ck_assert(b.reader.started && !b.reader.broken);
	ck_assert_uint_eq(b.reader.at, (UINT64_C(1) << 56) + 0x201);
	ck_assert_uint_eq(b.reader.cpu, (UINT64_C(4) << 32) + 3);
	sg_buf_reset(&b.bytes);
	put_frame(&b, 'S', SG_STR("12345678"));
	feed(&b, 1000);
	ck_assert(b.reader.broken);
	bench_release(&b);
}
END_TEST

START_TEST(an_error_has_its_four_parts)
{
	struct bench b;
	struct sg_buf p;

	bench_init(&b);
	sg_buf_init(&p, 4096);
	put32(&p, 7);
	put_text(&p, "ValueError");
	put_text(&p, "bad \xff");
	put_text(&p, "Traceback");
	put_frame(&b, 'E', sg_buf_view(&p));
	feed(&b, 1000);
	ck_assert(b.r.error.is_set);
	ck_assert_uint_eq(b.r.error.line, 7);
	ck_str_is(b.r.error.name, "ValueError");
	ck_str_is(b.r.error.value, "bad \xef\xbf\xbd");
	ck_str_is(b.r.error.traceback, "Traceback");
	sg_buf_release(&p);
	bench_release(&b);
}
END_TEST

START_TEST(a_value_at_its_cap_is_whole_and_beyond_it_cut)
{
	struct bench b;
	char text[40];

	memset(text, 'x', sizeof(text));
	text[32] = '\0';
	bench_init(&b);
	put_value(&b, "str", text);
	feed(&b, 1000);
	ck_assert_uint_eq(b.r.value.repr.n, 32);
	ck_assert(!b.r.value.truncated);
	bench_release(&b);
	text[32] = 'x';
	text[33] = '\0';
	bench_init(&b);
	put_value(&b, "str", text);
	feed(&b, 1000);
	ck_assert_uint_eq(b.r.value.repr.n, 32);
	ck_assert(b.r.value.truncated);
	bench_release(&b);
}
END_TEST

START_TEST(images_beyond_the_cap_are_counted)
{
	struct sg_buf im;
	struct bench b;

	bench_init(&b);
	png(&im, 1, 1, 1);
	for (int i = 0; i < 5; i++)
		put_frame(&b, 'I', sg_buf_view(&im));
	feed(&b, 1000);
	ck_assert_uint_eq(b.r.nimages, 2);
	ck_assert_uint_eq(b.r.images_dropped, 3);
	ck_assert(!b.reader.broken);
	sg_buf_release(&im);
	bench_release(&b);
}
END_TEST

/* Feeds raw bytes; true when the reader is broken afterwards. */
static bool
breaks(const char *bytes, size_t n)
{
	struct bench b;
	bool broken;

	bench_init(&b);
	put_value(&b, "int", "1");
	sg_buf_add(&b.bytes, bytes, n);
	feed(&b, 3);
	broken = b.reader.broken;
	ck_assert(b.r.value.is_set);
	ck_str_is(b.r.value.repr, "1");
	bench_release(&b);
	return broken;
}

START_TEST(what_is_malformed_breaks_the_reader_and_loses_nothing)
{
	static const struct {
		const char *bytes;
		size_t n;
	} rows[] = {
		{ "X\0\0\0\0", 5 }, /* unknown kind */
		{ "\0\0\0\0\0", 5 },
		{ "\xff\xff\xff\xff\xff", 5 },
		{ "I\xff\xff\xff\xff", 5 }, /* too long */
		{ "V\xff\xff\0\0", 5 },
		{ "V\0\0\0\0", 5 }, /* too short */
		{ "V\1\0\0\0\0", 6 },
		{ "V\5\0\0\0\0\xff\xff\xff\xff", 10 },    /* text beyond it */
		{ "V\x0a\0\0\0\0\0\0\0\0\0\0\0\0x", 15 }, /* something left */
		{ "E\3\0\0\0abc", 8 },
		{ "D\3\0\0\0abc", 8 },
		{ "S\1\0\0\0x", 6 },
		{ "I\4\0\0\0abcd", 9 }, /* no PNG */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_msg(breaks(rows[i].bytes, rows[i].n), "row %zu", i);
}
END_TEST

START_TEST(an_unfinished_frame_is_nothing)
{
	struct bench b;

	bench_init(&b);
	sg_buf_add(&b.bytes, "V\x10\0\0\0\0", 6);
	feed(&b, 1);
	ck_assert(!b.r.value.is_set && !b.reader.broken);
	bench_release(&b);
}
END_TEST

START_TEST(a_png_is_checked_from_end_to_end)
{
	struct sg_buf b;
	uint32_t w, h;

	ck_assert(sg_png_check(png(&b, 640, 480, 100), &w, &h));
	ck_assert_uint_eq(w, 640);
	ck_assert_uint_eq(h, 480);
	for (size_t n = 0; n < b.len; n++)
		ck_assert(!sg_png_check(sg_str_slice(sg_buf_view(&b), 0, n), &w,
					&h));
	sg_buf_char(&b, 'x');
	ck_assert(!sg_png_check(sg_buf_view(&b), &w, &h));
	sg_buf_release(&b);
	ck_assert(!sg_png_check(png(&b, 0, 480, 1), &w, &h));
	sg_buf_release(&b);
	ck_assert(sg_png_check(png(&b, SG_BOX_PNG_SIDE_MAX, 1, 1), &w, &h));
	sg_buf_release(&b);
	ck_assert(
		!sg_png_check(png(&b, SG_BOX_PNG_SIDE_MAX + 1, 1, 1), &w, &h));
	sg_buf_release(&b);
	/* The length of a chunk wraps around. */
	ck_assert(sg_png_check(png(&b, 1, 1, 8), &w, &h));
	memset(b.data + 33, 0xff, 4);
	ck_assert(!sg_png_check(sg_buf_view(&b), &w, &h));
	sg_buf_release(&b);
}
END_TEST

START_TEST(rubbish_never_crashes)
{
	unsigned seed = 1;

	for (int round = 0; round < 2000; round++) {
		struct bench b;
		char bytes[200];

		for (size_t i = 0; i < sizeof(bytes); i++) {
			seed = seed * 1103515245u + 12345u;
			bytes[i] = (char)(seed >> 16);
		}
		bytes[0] = "SVEIDH"[round % 6];
		memset(bytes + 2, 0, 3);
		bench_init(&b);
		sg_frame_feed(&b.reader, bytes, sizeof(bytes));
		bench_release(&b);
	}
}
END_TEST

SG_TEST_MAIN("frame", frames_arrive_in_any_pieces,
	     only_the_first_start_says_when, an_error_has_its_four_parts,
	     a_value_at_its_cap_is_whole_and_beyond_it_cut,
	     images_beyond_the_cap_are_counted,
	     what_is_malformed_breaks_the_reader_and_loses_nothing,
	     an_unfinished_frame_is_nothing, a_png_is_checked_from_end_to_end,
	     rubbish_never_crashes)
