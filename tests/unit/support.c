#include "unit/support.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"

/* --- running ------------------------------------------------------------ */

int
sg_test_run(const char *name, const TTest *const *tests, size_t n)
{
	Suite *suite = suite_create(name);
	TCase *all = tcase_create(name);
	SRunner *runner;
	int failed;

	tcase_set_timeout(all, 60);
	for (size_t i = 0; i < n; i++)
		tcase_add_test(all, tests[i]);
	suite_add_tcase(suite, all);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	if (srunner_ntests_run(runner) < (int)n)
		failed++;
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

void
sg_test_str_is(const char *file, int line, struct sg_str got, const char *want)
{
	if (!sg_str_eq(got, sg_str_c(want)))
		_ck_assert_failed(file, line, "not equal",
				  "'%.*s' where '%s' was expected",
				  SG_STR_ARG(got), want);
}

void
sg_test_good(const char *file, int line, int status, const struct sg_err *err)
{
	char text[SG_ERR_MSG];

	if (status != SG_OK)
		_ck_assert_failed(file, line, "failed", "%s",
				  sg_err_format(err, text, sizeof(text)));
}

/* --- folders ------------------------------------------------------------ */

enum { PATH_ROOM = 4096, PATHS = 8 };

static char folder[PATH_ROOM / 2];

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static void
remove_folder(void)
{
	(void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *
sg_test_dir(void)
{
	const char *temp = getenv("TMPDIR");

	if (folder[0])
		return folder;
	(void)snprintf(folder, sizeof(folder), "%s/sandgate-test-XXXXXX",
		       temp ? temp : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	(void)atexit(remove_folder);
	return folder;
}

const char *
sg_test_path(const char *name)
{
	static char paths[PATHS][PATH_ROOM];
	static unsigned next;
	char *path = paths[next++ % PATHS];

	(void)snprintf(path, PATH_ROOM, "%s/%s", sg_test_dir(), name);
	return path;
}

const char *
sg_test_write(const char *name, struct sg_str data)
{
	const char *path = sg_test_path(name);
	struct sg_err err;

	sg_err_clear(&err);
	ck_good(sg_file_replace(path, data, 0600, &err), &err);
	return path;
}

/* --- allocations that fail ---------------------------------------------- */

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

static struct {
	bool armed, reached, begun;
	uint32_t nth, left;
} alloc;

void
sg_test_alloc_start(void)
{
	memset(&alloc, 0, sizeof(alloc));
}

bool
sg_test_alloc_next(void)
{
	bool again = !alloc.begun || alloc.reached;

	if (alloc.begun)
		alloc.nth++;
	alloc.begun = true;
	alloc.reached = false;
	alloc.left = alloc.nth;
	alloc.armed = again;
	return again;
}

void
sg_test_alloc_pause(void)
{
	alloc.armed = false;
}

static bool
refuse(void)
{
	if (!alloc.armed || alloc.left-- > 0)
		return false;
	alloc.armed = false;
	alloc.reached = true;
	return true;
}

void *
__wrap_malloc(size_t n)
{
	return refuse() ? NULL : __real_malloc(n);
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return refuse() ? NULL : __real_calloc(n, size);
}

void *
__wrap_realloc(void *p, size_t n)
{
	return refuse() ? NULL : __real_realloc(p, n);
}
