#include "pipeline/lines.h"

#include "unit/support.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static int
file_with(struct sg_str data)
{
	int fd = open(sg_test_write("lines", data), O_RDONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	return fd;
}

static enum sg_line
next(struct sg_lines *l, struct sg_str *line)
{
	enum sg_line kind;
	struct sg_err err;

	sg_err_clear(&err);
	ck_good(sg_lines_next(l, &kind, line, &err), &err);
	return kind;
}

START_TEST(lines_come_without_their_ends)
{
	int fd = file_with(SG_STR("one\n\ntwo\r\n\0x\nrest"));
	struct sg_lines l;
	struct sg_str s;

	sg_lines_init(&l, fd, 100, NULL);
	ck_assert_int_eq(next(&l, &s), SG_LINE_WHOLE);
	ck_str_is(s, "one");
	ck_assert_uint_eq(l.offset, 4);
	ck_assert_int_eq(next(&l, &s), SG_LINE_WHOLE);
	ck_assert_uint_eq(s.n, 0);
	ck_assert_int_eq(next(&l, &s), SG_LINE_WHOLE);
	ck_str_is(s, "two\r");
	ck_assert_int_eq(next(&l, &s), SG_LINE_WHOLE);
	ck_assert(sg_str_eq(s, SG_STR("\0x")));
	ck_assert_int_eq(next(&l, &s), SG_LINE_TORN);
	ck_str_is(s, "rest");
	ck_assert_uint_eq(l.number, 5);
	ck_assert_int_eq(next(&l, &s), SG_LINE_END);
	ck_assert_int_eq(next(&l, &s), SG_LINE_END);
	sg_lines_release(&l);
	(void)close(fd);
}
END_TEST

START_TEST(a_line_of_the_maximum_is_whole_and_one_more_is_skipped)
{
	int fd = file_with(SG_STR("12345678\n123456789\nshort\n"
				  "123456789012345678901234567890"));
	struct sg_lines l;
	struct sg_str s;

	sg_lines_init(&l, fd, 8, NULL);
	ck_assert_int_eq(next(&l, &s), SG_LINE_WHOLE);
	ck_str_is(s, "12345678");
	ck_assert_int_eq(next(&l, &s), SG_LINE_LONG);
	ck_assert_uint_eq(l.number, 2);
	ck_assert_int_eq(next(&l, &s), SG_LINE_WHOLE);
	ck_str_is(s, "short");
	ck_assert_uint_eq(l.number, 3);
	ck_assert_int_eq(next(&l, &s), SG_LINE_LONG);
	ck_assert_int_eq(next(&l, &s), SG_LINE_END);
	ck_assert_uint_le(l.room, 10);
	sg_lines_release(&l);
	(void)close(fd);
}
END_TEST

START_TEST(lines_stay_valid_while_more_are_ready)
{
	int fd = file_with(SG_STR("a\nb\nc\nd"));
	struct sg_str s[3];
	struct sg_lines l;

	sg_lines_init(&l, fd, 100, NULL);
	ck_assert(!sg_lines_ready(&l));
	ck_assert_int_eq(next(&l, &s[0]), SG_LINE_WHOLE);
	ck_assert(sg_lines_ready(&l));
	ck_assert_int_eq(next(&l, &s[1]), SG_LINE_WHOLE);
	ck_assert(sg_lines_ready(&l));
	ck_assert_int_eq(next(&l, &s[2]), SG_LINE_WHOLE);
	ck_assert(!sg_lines_ready(&l));
	ck_str_is(s[0], "a");
	ck_str_is(s[1], "b");
	ck_str_is(s[2], "c");
	sg_lines_release(&l);
	(void)close(fd);
}
END_TEST

START_TEST(a_file_larger_than_the_first_buffer_is_read_whole)
{
	const size_t n = 300000;
	char *text = malloc(2 * n);
	struct sg_lines l;
	struct sg_str s;
	int fd;

	ck_assert_ptr_nonnull(text);
	memset(text, 'x', 2 * n);
	text[n] = '\n';
	fd = file_with((struct sg_str){ text, 2 * n });
	sg_lines_init(&l, fd, 1 << 20, NULL);
	ck_assert_int_eq(next(&l, &s), SG_LINE_WHOLE);
	ck_assert_uint_eq(s.n, n);
	ck_assert_int_eq(next(&l, &s), SG_LINE_TORN);
	ck_assert_uint_eq(s.n, n - 1);
	sg_lines_release(&l);
	(void)close(fd);
	free(text);
}
END_TEST

START_TEST(a_stop_ends_the_wait_and_keeps_what_is_there)
{
	static volatile sig_atomic_t stop;
	struct sg_lines l;
	struct sg_str s;
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(write(fds[1], "a\nb", 3), 3);
	sg_lines_init(&l, fds[0], 100, &stop);
	ck_assert_int_eq(next(&l, &s), SG_LINE_WHOLE);
	stop = 1;
	ck_assert_int_eq(next(&l, &s), SG_LINE_STOPPED);
	sg_lines_release(&l);
	(void)close(fds[0]);
	(void)close(fds[1]);
}
END_TEST

START_TEST(a_folder_cannot_be_read)
{
	int fd = open(sg_test_dir(), O_RDONLY | O_CLOEXEC);
	struct sg_lines l;
	enum sg_line kind;
	struct sg_err err;
	struct sg_str s;

	sg_err_clear(&err);
	sg_lines_init(&l, fd, 100, NULL);
	ck_assert_int_eq(sg_lines_next(&l, &kind, &s, &err), SG_EIO);
	sg_lines_release(&l);
	(void)close(fd);
}
END_TEST

SG_TEST_MAIN("lines", lines_come_without_their_ends,
	     a_line_of_the_maximum_is_whole_and_one_more_is_skipped,
	     lines_stay_valid_while_more_are_ready,
	     a_file_larger_than_the_first_buffer_is_read_whole,
	     a_stop_ends_the_wait_and_keeps_what_is_there,
	     a_folder_cannot_be_read)
