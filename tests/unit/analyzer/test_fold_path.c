/* Paths as pathlib composes them. */

#include "analyzer/fold_path.h"
#include "unit/support.h"

static struct sg_buf out;

static void
joins(const char *base, const char *part, const char *want)
{
	sg_buf_init(&out, 256);
	sg_fold_path_join(sg_str_c(base), sg_str_c(part), &out);
	ck_str_is(sg_buf_view(&out), want);
	sg_buf_release(&out);
}

static void
gives(void (*fold)(struct sg_str, struct sg_buf *), const char *path,
      const char *want)
{
	sg_buf_init(&out, 256);
	fold(sg_str_c(path), &out);
	ck_str_is(sg_buf_view(&out), want);
	sg_buf_release(&out);
}

static bool
below(const char *base, const char *path)
{
	return sg_fold_path_below(sg_str_c(base), sg_str_c(path));
}

START_TEST(a_part_goes_below_and_an_absolute_one_stands_alone)
{
	joins("a", "b", "a/b");
	joins("/", "b", "/b");
	joins(".", "b", "b");
	joins(".", "", ".");
	joins("a", "", "a");
	joins("a", "/b", "/b");
	joins("a", "/", "/");
	joins("./", "b", "./b");
	joins("./", "..", "./..");
}
END_TEST

START_TEST(dots_and_doubled_slashes_go_and_two_dots_stay)
{
	joins("a", "./b//c/.", "a/b/c");
	joins("a", "..", "a/..");
	joins("a", "../..//x", "a/../../x");
	joins(".", "//x/", "/x");
}
END_TEST

START_TEST(a_parent_is_what_stands_before_the_last_name)
{
	gives(sg_fold_path_parent, "/a/b", "/a");
	gives(sg_fold_path_parent, "/a", "/");
	gives(sg_fold_path_parent, "/", "/");
	gives(sg_fold_path_parent, "a/b", "a");
	gives(sg_fold_path_parent, "a", ".");
	gives(sg_fold_path_parent, ".", ".");
	gives(sg_fold_path_parent, "a/..", "a");
}
END_TEST

START_TEST(above_the_working_directory_made_absolute_there_is_more)
{
	gives(sg_fold_path_absolute, ".", "./");
	gives(sg_fold_path_absolute, "a/..", "./a/..");
	gives(sg_fold_path_absolute, "/a", "/a");
	gives(sg_fold_path_absolute, "./a", "./a");
	gives(sg_fold_path_absolute, "~/a", "~/a");
	gives(sg_fold_path_parent, "./a/b", "./a");
	gives(sg_fold_path_parent, "./a", "./");
	gives(sg_fold_path_parent, "./", "./..");
	gives(sg_fold_path_parent, "./..", "./../..");
}
END_TEST

START_TEST(resolving_takes_two_dots_as_a_step_up)
{
	gives(sg_fold_path_resolve, "/a/../b", "/b");
	gives(sg_fold_path_resolve, "/a/b/..", "/a");
	gives(sg_fold_path_resolve, "/..", "/");
	gives(sg_fold_path_resolve, "/../../a", "/a");
	gives(sg_fold_path_resolve, "a/..", "./");
	gives(sg_fold_path_resolve, "a/../..", "./..");
	gives(sg_fold_path_resolve, "a/../../../b", "./../../b");
	gives(sg_fold_path_resolve, "./..", "./..");
	gives(sg_fold_path_resolve, "~/..", "~/..");
}
END_TEST

START_TEST(below_is_told_by_whole_names)
{
	ck_assert(below("/tmp", "/tmp"));
	ck_assert(below("/tmp", "/tmp/a"));
	ck_assert(below("/", "/tmp"));
	ck_assert(below(".", "a/b"));
	ck_assert(below("./", "./a"));
	ck_assert(!below("/tmp", "/tmpfs"));
	ck_assert(!below("/tmp", "/"));
	ck_assert(!below("/tmp", "/tmp/a/.."));
	ck_assert(!below(".", "/a"));
	ck_assert(!below(".", "a/../.."));
}
END_TEST

START_TEST(a_result_beyond_the_buffer_fails_it)
{
	sg_buf_init(&out, 8);
	sg_fold_path_join(SG_STR("abcd"), SG_STR("efg"), &out);
	ck_assert(!sg_buf_failed(&out));
	sg_buf_reset(&out);
	sg_fold_path_join(SG_STR("abcd"), SG_STR("efgh"), &out);
	ck_assert(sg_buf_failed(&out));
	sg_buf_reset(&out);
	sg_fold_path_resolve(SG_STR("/abcdefghi/../../x"), &out);
	ck_assert(sg_buf_failed(&out));
	sg_buf_release(&out);
}
END_TEST

SG_TEST_MAIN("fold_path", a_part_goes_below_and_an_absolute_one_stands_alone,
	     dots_and_doubled_slashes_go_and_two_dots_stay,
	     a_parent_is_what_stands_before_the_last_name,
	     above_the_working_directory_made_absolute_there_is_more,
	     resolving_takes_two_dots_as_a_step_up,
	     below_is_told_by_whole_names, a_result_beyond_the_buffer_fails_it)
