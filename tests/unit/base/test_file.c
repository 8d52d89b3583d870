#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/support.h"

static struct sg_err err;
static struct sg_buf buf;

static int
read_file(const char *path, size_t max)
{
	sg_err_clear(&err);
	sg_buf_release(&buf);
	sg_buf_init(&buf, max);
	return sg_file_read(path, &buf, &err);
}

START_TEST(a_file_is_read_whole)
{
	static char big[200001];

	memset(big, 'x', sizeof(big));
	ck_good(read_file(sg_test_write("a", SG_STR("one\0two")), 7), &err);
	ck_assert(sg_str_eq(sg_buf_view(&buf), SG_STR("one\0two")));
	ck_assert_int_eq(buf.data[7], '\0');
	ck_good(read_file(sg_test_write("b", SG_STR("")), 0), &err);
	ck_assert_uint_eq(buf.len, 0);
	ck_good(read_file(
			sg_test_write("c", (struct sg_str){ big, sizeof(big) }),
			1 << 20),
		&err);
	ck_assert_uint_eq(buf.len, sizeof(big));
	sg_buf_release(&buf);
}
END_TEST

START_TEST(a_file_beyond_the_maximum_is_refused)
{
	const char *path = sg_test_write("a", SG_STR("0123456789"));

	ck_good(read_file(path, 10), &err);
	ck_assert_int_eq(read_file(path, 9), SG_ELIMIT);
	ck_assert_str_eq(err.file, path);
	ck_assert_str_eq(err.msg, "more than 9 bytes");
	ck_assert_int_eq(read_file(path, 0), SG_ELIMIT);
	sg_buf_release(&buf);
}
END_TEST

START_TEST(reading_appends)
{
	const char *path = sg_test_write("a", SG_STR("two"));

	sg_buf_init(&buf, 6);
	sg_buf_c(&buf, "one");
	sg_err_clear(&err);
	ck_good(sg_file_read(path, &buf, &err), &err);
	ck_str_is(sg_buf_view(&buf), "onetwo");
	sg_buf_release(&buf);
}
END_TEST

START_TEST(what_is_no_file_is_an_error)
{
	ck_assert_int_eq(read_file(sg_test_path("none"), 10), SG_ENOENT);
	ck_assert_int_eq(err.sys, ENOENT);
	ck_assert_str_eq(err.file, sg_test_path("none"));
	ck_assert_int_eq(read_file(sg_test_dir(), 10), SG_EIO);
	ck_assert_int_eq(err.sys, EISDIR);
	ck_assert_int_eq(read_file("", 10), SG_ENOENT);
	sg_buf_release(&buf);
}
END_TEST

START_TEST(a_dash_is_standard_input)
{
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(write(fds[1], "in", 2), 2);
	ck_assert_int_eq(close(fds[1]), 0);
	ck_assert_int_eq(dup2(fds[0], STDIN_FILENO), STDIN_FILENO);
	ck_good(read_file("-", 10), &err);
	ck_str_is(sg_buf_view(&buf), "in");
	/* It stays open. */
	ck_assert_int_ge(fcntl(STDIN_FILENO, F_GETFD), 0);
	sg_buf_release(&buf);
}
END_TEST

START_TEST(errors_name_standard_input)
{
	ck_assert_int_eq(close(STDIN_FILENO), 0);
	ck_assert_int_eq(read_file("-", 10), SG_EIO);
	ck_assert_str_eq(err.file, "<stdin>");
	sg_buf_release(&buf);
}
END_TEST

static void
no_op(int sig)
{
	(void)sig;
}

START_TEST(signals_and_short_writes_lose_nothing)
{
	static char data[1 << 20];
	struct sigaction act = { .sa_handler = no_op };
	int fds[2], wstatus;
	pid_t child;

	/* No SA_RESTART: each alarm interrupts. */
	ck_assert_int_eq(sigaction(SIGUSR1, &act, NULL), 0);
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (char)(i * 31);
	ck_assert_int_eq(pipe(fds), 0);
	child = fork();
	if (child == 0) {
		(void)close(fds[0]);
		_exit(sg_fd_write_all(fds[1], data, sizeof(data), NULL) !=
		      SG_OK);
	}
	(void)close(fds[1]);
	for (int i = 0; i < 20; i++) {
		(void)kill(child, SIGUSR1);
		(void)usleep(1000);
	}
	sg_buf_init(&buf, sizeof(data));
	sg_err_clear(&err);
	ck_good(sg_fd_read_all(fds[0], &buf, &err), &err);
	ck_assert_uint_eq(buf.len, sizeof(data));
	ck_assert_mem_eq(buf.data, data, sizeof(data));
	ck_assert_int_eq(waitpid(child, &wstatus, 0), child);
	ck_assert_int_eq(wstatus, 0);
	sg_buf_release(&buf);
}
END_TEST

START_TEST(a_failed_write_is_an_error)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	sg_err_clear(&err);
	ck_assert_int_eq(sg_fd_write_all(fd, "x", 1, &err), SG_EIO);
	ck_assert_int_eq(err.sys, ENOSPC);
	ck_good(sg_fd_write_all(fd, NULL, 0, &err), &err);
	sg_fd_close(&fd);
}
END_TEST

START_TEST(closing_keeps_errno_and_happens_once)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), was = fd;

	errno = EXDEV;
	sg_fd_close(&fd);
	ck_assert_int_eq(fd, -1);
	ck_assert_int_eq(fcntl(was, F_GETFD), -1);
	errno = EXDEV;
	sg_fd_close(&fd);
	ck_assert_int_eq(errno, EXDEV);
}
END_TEST

START_TEST(a_file_is_replaced_as_a_whole)
{
	const char *path = sg_test_write("a", SG_STR("old"));
	struct stat st;
	int old = open(path, O_RDONLY | O_CLOEXEC);
	char text[4] = "";

	ck_assert_int_ge(old, 0);
	sg_err_clear(&err);
	ck_good(sg_file_replace(path, SG_STR("new"), 0640, &err), &err);
	ck_good(read_file(path, 10), &err);
	ck_str_is(sg_buf_view(&buf), "new");
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777 & ~0640u, 0);
	/* Who had it open still reads the old one. */
	ck_assert_int_eq(read(old, text, 3), 3);
	ck_assert_str_eq(text, "old");
	sg_fd_close(&old);
	sg_buf_release(&buf);
}
END_TEST

START_TEST(a_replacement_that_fails_leaves_nothing_behind)
{
	const char *folder = sg_test_path("folder");

	ck_assert_int_eq(mkdir(folder, 0700), 0);
	ck_assert_int_eq(mkdir(sg_test_path("folder/inner"), 0700), 0);
	sg_err_clear(&err);
	/* rename() does not put a file over a folder. */
	ck_assert_int_eq(sg_file_replace(sg_test_path("folder/inner"),
					 SG_STR("x"), 0600, &err),
			 SG_EIO);
	ck_assert_str_eq(err.file, sg_test_path("folder/inner"));
	ck_assert_int_eq(rmdir(sg_test_path("folder/inner")), 0);
	ck_assert_int_eq(rmdir(folder), 0);
	sg_err_clear(&err);
	ck_assert_int_eq(sg_file_replace(sg_test_path("none/x"), SG_STR("x"),
					 0600, &err),
			 SG_ENOENT);
}
END_TEST

START_TEST(a_name_without_a_folder_is_in_this_one)
{
	ck_assert_int_eq(chdir(sg_test_dir()), 0);
	sg_err_clear(&err);
	ck_good(sg_file_replace("plain", SG_STR("x"), 0600, &err), &err);
	ck_good(read_file("plain", 10), &err);
	ck_str_is(sg_buf_view(&buf), "x");
	sg_buf_release(&buf);
}
END_TEST

SG_TEST_MAIN("file", a_file_is_read_whole, a_file_beyond_the_maximum_is_refused,
	     reading_appends, what_is_no_file_is_an_error,
	     a_dash_is_standard_input, errors_name_standard_input,
	     signals_and_short_writes_lose_nothing, a_failed_write_is_an_error,
	     closing_keeps_errno_and_happens_once,
	     a_file_is_replaced_as_a_whole,
	     a_replacement_that_fails_leaves_nothing_behind,
	     a_name_without_a_folder_is_in_this_one)
