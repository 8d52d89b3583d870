#include "policy/path.h"
#include "unit/support.h"

static const struct sg_str workspace[] = {
	{ ".", 1 }, { "/tmp", 4 }, { "/mnt/data", 9 }, { "/dev/null", 9 }
};

static const char *const inside[] = {
	"",
	"a",
	"a/b.txt",
	"./a",
	"a/../b",
	"a/b/../../c",
	"...",
	"..a",
	"/tmp",
	"/tmp/",
	"/tmp/a",
	"//tmp//a",
	"/tmp/../tmp/a",
	"/./tmp/x",
	"/mnt/data",
	"/mnt/data/x.csv",
	"/mnt/data/../data/x",
	"/dev/null",
	"/tmp/a/../../tmp/b",
	"a b",
	":memory:",
	"/mnt/./data",
};

static const char *const outside[] = {
	"/",
	"/etc/passwd",
	"..",
	"../a",
	"a/../../b",
	"./../x",
	"/tmpx",
	"/tmp/..",
	"/tmp/../etc/passwd",
	"/mnt",
	"/mnt/dat",
	"/mnt/data2/x",
	"/mnt/data/..",
	"~",
	"~/x",
	"~root/x",
	"//etc/passwd",
	"/tmp/a/../../etc",
	"/dev/nul",
	"/./etc",
	"/../etc/x",
	"/mnt/data/../../etc",
	"a/b/../../../c",
	"/proc/self/environ",
};

START_TEST(paths_are_told_apart)
{
	size_t i;

	for (i = 0; i < sizeof(inside) / sizeof(inside[0]); i++)
		ck_assert_msg(
			!sg_path_outside(workspace, 4, sg_str_c(inside[i])),
			"%s", inside[i]);
	for (i = 0; i < sizeof(outside) / sizeof(outside[0]); i++)
		ck_assert_msg(
			sg_path_outside(workspace, 4, sg_str_c(outside[i])),
			"%s", outside[i]);
}
END_TEST

START_TEST(without_dot_relative_paths_are_outside)
{
	ck_assert(sg_path_outside(workspace + 1, 1, SG_STR("a")));
	ck_assert(!sg_path_outside(workspace + 1, 1, SG_STR("/tmp/a")));
	ck_assert(sg_path_outside(workspace, 0, SG_STR("/tmp/a")));
}
END_TEST

START_TEST(schemes_are_seen)
{
	ck_str_is(sg_path_scheme(SG_STR("https://h/x")), "https");
	ck_str_is(sg_path_scheme(SG_STR("s3://b/k")), "s3");
	ck_str_is(sg_path_scheme(SG_STR("sqlite+x:///a")), "sqlite+x");
	ck_str_is(sg_path_scheme(SG_STR("a/b://c")), "");
	ck_str_is(sg_path_scheme(SG_STR("c:\\x")), "");
	ck_str_is(sg_path_scheme(SG_STR("x")), "");
	ck_str_is(sg_path_scheme(SG_STR("://x")), "");
}
END_TEST

SG_TEST_MAIN("path", paths_are_told_apart,
	     without_dot_relative_paths_are_outside, schemes_are_seen)
