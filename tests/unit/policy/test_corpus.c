/*
 * tests/corpus/RULE/: bad_*.py, in which the default policy must find what
 * their comments expect and nothing else, and good_*.py, in which it must
 * find nothing.  And the reader of such files itself.
 */

#include <dirent.h>
#include <stdio.h>

#include "base/file.h"
#include "unit/policy/judge.h"

static void
on_miss(void *ctx, const struct sg_expect_miss *m)
{
	fprintf(stderr, "%s:%u: %s %.*s %.*s\n", (const char *)ctx, m->line,
		sg_expect_name(m->kind), SG_STR_ARG(m->rule),
		SG_STR_ARG(m->message));
}

static uint32_t
file_misses(const struct sg_policy *p, char *path, uint32_t *ret_expected)
{
	uint32_t missed = 0;
	struct sg_err err;
	struct sg_buf text;

	sg_buf_init(&text, 1 << 20);
	ck_good(sg_file_read(path, &text, &err), &err);
	ck_good(sg_policy_test_script(p, sg_buf_view(&text), on_miss, path,
				      ret_expected, &missed, &err),
		&err);
	sg_buf_release(&text);
	return missed;
}

static uint32_t
folder_misses(const struct sg_policy *p, const char *folder, uint32_t *files)
{
	uint32_t missed = 0, expected;
	struct dirent *d;
	char path[600];
	DIR *dir = opendir(folder);

	ck_assert_ptr_nonnull(dir);
	while ((d = readdir(dir)) != NULL) {
		if (!sg_str_ends(sg_str_c(d->d_name), SG_STR(".py")))
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", folder, d->d_name);
		missed += file_misses(p, path, &expected);
		/* a bad file that expects nothing would test nothing */
		ck_assert_msg((strncmp(d->d_name, "bad_", 4) == 0) ==
				      (expected > 0),
			      "%s", path);
		(*files)++;
	}
	(void)closedir(dir);
	return missed;
}

START_TEST(each_script_of_the_corpus_is_found_as_it_expects)
{
	uint32_t missed = 0, files = 0;
	struct sg_policy *p = NULL;
	struct dirent *d;
	struct sg_err err;
	char folder[300];
	DIR *dir = opendir("tests/corpus");

	ck_assert_ptr_nonnull(dir);
	ck_good(sg_policy_open("default", &p, &err), &err);
	while ((d = readdir(dir)) != NULL) {
		if (strncmp(d->d_name, "SG", 2) != 0)
			continue;
		(void)snprintf(folder, sizeof(folder), "tests/corpus/%s",
			       d->d_name);
		missed += folder_misses(p, folder, &files);
	}
	(void)closedir(dir);
	sg_policy_free(p);
	ck_assert_uint_eq(missed, 0);
	ck_assert_uint_ge(files, 100);
}
END_TEST

struct seen {
	char text[200];
	size_t n;
};

static void
note(void *ctx, const struct sg_expect_miss *m)
{
	struct seen *s = ctx;

	s->n += (size_t)snprintf(s->text + s->n, sizeof(s->text) - s->n,
				 "%s %.*s@%u ", sg_expect_name(m->kind),
				 SG_STR_ARG(m->rule), m->line);
}

START_TEST(misses_are_told_apart)
{
	struct sg_policy *p = policy_of(
		"schema: 1\nrules:\n"
		"  - {id: A, match: {call: builtins.print}}\n"
		"  - {id: B, match: {call: builtins.len}}\n");
	uint32_t expected = 0, missed = 0;
	struct seen s = { "", 0 };
	struct sg_err err;

	ck_good(sg_policy_test_script(p,
				      SG_STR("print(1)  # expect: A\n"
					     "len('')\n"
					     "len('')  # expect: A\n"
					     "x = 1  # expect: B, A and so\n"
					     "print(len(''))  # expect: A,B\n"),
				      note, &s, &expected, &missed, &err),
		&err);
	ck_assert_uint_eq(expected, 6);
	ck_assert_str_eq(s.text, "Noisy B@2 Wrong B@3 Missing A@3 "
				 "Missing B@4 Missing A@4 ");
	ck_assert_uint_eq(missed, 5);
	sg_policy_free(p);
}
END_TEST

SG_TEST_MAIN("corpus", each_script_of_the_corpus_is_found_as_it_expects,
	     misses_are_told_apart)
