#include "executor/collect.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "executor/limits.h"
#include "unit/support.h"

struct bench {
	struct sg_box_spec spec;
	struct sg_arena arena;
	struct sg_result r;
	int dir;
};

static void
bench_init(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	sg_box_spec_init(&b->spec);
	sg_arena_init(&b->arena, 16 << 20);
	b->dir = open(sg_test_dir(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(b->dir, 0);
}

static void
collect(struct bench *b)
{
	struct sg_err err;

	sg_err_clear(&err);
	ck_good(sg_collect(b->dir, &b->spec, &b->arena, &b->r, &err), &err);
}

static void
bench_release(struct bench *b)
{
	(void)close(b->dir);
	sg_arena_release(&b->arena);
}

START_TEST(names_that_stay_beneath_are_safe)
{
	ck_assert(sg_name_safe(SG_STR("a")));
	ck_assert(sg_name_safe(SG_STR("a/b.txt")));
	ck_assert(sg_name_safe(SG_STR("..a/...")));
	ck_assert(sg_name_safe(SG_STR("gr\xc3\xbc\xc3\x9f e")));
}
END_TEST

START_TEST(names_that_could_lead_out_or_deceive_are_not)
{
	static const char *const names[] = {
		"",      "/",    "/a",   "a/",           "a//b", ".",
		"..",    "a/..", "../a", "a/./b",        "a\nb", "\x1b[1m",
		"a\x7f", "\xff", "\xc3", "\xed\xa0\x80",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_msg(!sg_name_safe(sg_str_c(names[i])), "'%s'",
			      names[i]);
	ck_assert(!sg_name_safe((struct sg_str){ "a\0b", 3 }));
}
END_TEST

START_TEST(names_have_a_length_and_a_depth)
{
	char name[SG_BOX_NAME_MAX + 2];

	memset(name, 'a', sizeof(name));
	for (size_t i = 200; i < sizeof(name); i += 200)
		name[i] = '/';
	ck_assert(sg_name_safe((struct sg_str){ name, SG_BOX_NAME_MAX }));
	ck_assert(!sg_name_safe((struct sg_str){ name, SG_BOX_NAME_MAX + 1 }));
	memset(name, 'a', sizeof(name));
	ck_assert(sg_name_safe((struct sg_str){ name, 255 }));
	ck_assert(!sg_name_safe((struct sg_str){ name, 256 }));
	for (size_t i = 1; i < sizeof(name); i += 2)
		name[i] = '/';
	ck_assert(sg_name_safe(
		(struct sg_str){ name, SG_BOX_DEPTH_MAX * 2 - 1 }));
	ck_assert(!sg_name_safe(
		(struct sg_str){ name, SG_BOX_DEPTH_MAX * 2 + 1 }));
}
END_TEST

START_TEST(plain_files_come_out_by_name)
{
	struct bench b;

	bench_init(&b);
	ck_assert_int_eq(mkdir(sg_test_path("d"), 0755), 0);
	(void)sg_test_write("z", SG_STR("last"));
	(void)sg_test_write("d/a", SG_STR("first"));
	collect(&b);
	ck_assert_uint_eq(b.r.nfiles, 2);
	ck_assert_uint_eq(b.r.files_dropped, 0);
	ck_str_is(b.r.files[0].name, "d/a");
	ck_str_is(b.r.files[0].data, "first");
	ck_str_is(b.r.files[0].sha256,
		  "a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461"
		  "a08e");
	ck_str_is(b.r.files[1].name, "z");
	bench_release(&b);
}
END_TEST

START_TEST(links_and_special_files_stay_behind)
{
	struct bench b;

	bench_init(&b);
	(void)sg_test_write("one", SG_STR("x"));
	ck_assert_int_eq(link(sg_test_path("one"), sg_test_path("two")), 0);
	ck_assert_int_eq(symlink("/etc/passwd", sg_test_path("link")), 0);
	ck_assert_int_eq(symlink("/etc", sg_test_path("folder")), 0);
	ck_assert_int_eq(mkfifo(sg_test_path("fifo"), 0644), 0);
	collect(&b);
	ck_assert_uint_eq(b.r.nfiles, 0);
	ck_assert_uint_eq(b.r.files_dropped, 5);
	bench_release(&b);
}
END_TEST

START_TEST(at_the_cap_all_come_and_beyond_it_the_rest_is_counted)
{
	struct bench b;

	bench_init(&b);
	(void)sg_test_write("a", SG_STR("12345"));
	(void)sg_test_write("b", SG_STR("12345"));
	b.spec.limits.files = 2;
	b.spec.limits.file_bytes = 10;
	collect(&b);
	ck_assert_uint_eq(b.r.nfiles, 2);
	ck_assert_uint_eq(b.r.files_dropped, 0);
	b.spec.limits.file_bytes = 9;
	collect(&b);
	ck_assert_uint_eq(b.r.nfiles, 1);
	ck_assert_uint_eq(b.r.files_dropped, 1);
	b.spec.limits.file_bytes = 10;
	b.spec.limits.files = 1;
	collect(&b);
	ck_assert_uint_eq(b.r.nfiles, 1);
	ck_assert_uint_eq(b.r.files_dropped, 1);
	bench_release(&b);
}
END_TEST

START_TEST(inputs_come_out_only_when_they_changed)
{
	struct sg_box_input in[2] = { { SG_STR("same"), SG_STR("1") },
				      { SG_STR("new"), SG_STR("1") } };
	struct bench b;

	bench_init(&b);
	(void)sg_test_write("same", SG_STR("1"));
	(void)sg_test_write("new", SG_STR("2"));
	b.spec.files = in;
	b.spec.nfiles = 2;
	collect(&b);
	ck_assert_uint_eq(b.r.nfiles, 1);
	ck_str_is(b.r.files[0].name, "new");
	bench_release(&b);
}
END_TEST

START_TEST(a_sparse_file_costs_nothing)
{
	struct bench b;
	const char *path;

	bench_init(&b);
	path = sg_test_write("s", SG_STR("x"));
	ck_assert_int_eq(truncate(path, 1ll << 40), 0);
	collect(&b);
	ck_assert_uint_eq(b.r.nfiles, 0);
	ck_assert_uint_eq(b.r.files_dropped, 1);
	ck_assert_uint_lt(b.arena.held, 1 << 20);
	bench_release(&b);
}
END_TEST

SG_TEST_MAIN("collect", names_that_stay_beneath_are_safe,
	     names_that_could_lead_out_or_deceive_are_not,
	     names_have_a_length_and_a_depth, plain_files_come_out_by_name,
	     links_and_special_files_stay_behind,
	     at_the_cap_all_come_and_beyond_it_the_rest_is_counted,
	     inputs_come_out_only_when_they_changed,
	     a_sparse_file_costs_nothing)
