#ifndef SG_TESTS_SUPPORT_H
#define SG_TESTS_SUPPORT_H

/*
 * What every unit test needs: a main(), folders that go away, and
 * allocations that fail on purpose.  #include "unit/support.h"
 *
 *	START_TEST(an_empty_map_has_nothing)
 *	{
 *		...
 *	}
 *	END_TEST
 *
 *	SG_TEST_MAIN("map", an_empty_map_has_nothing, ...)
 */

#include <check.h>

#include "base/buf.h"

/* Runs all of them, each in a process of its own; the exit status. */
int sg_test_run(const char *name, const TTest *const *tests, size_t n);

#define SG_TEST_MAIN(name, ...)                                         \
	int main(void)                                                  \
	{                                                               \
		const TTest *const tests_[] = { __VA_ARGS__ };          \
		return sg_test_run((name), tests_,                      \
				   sizeof(tests_) / sizeof(tests_[0])); \
	}

#define ck_str_is(got, want) sg_test_str_is(__FILE__, __LINE__, (got), (want))
void sg_test_str_is(const char *file, int line, struct sg_str got,
		    const char *want);

/* Fails the test with the message of *err unless `status` is SG_OK. */
#define ck_good(status, err) sg_test_good(__FILE__, __LINE__, (status), (err))
void sg_test_good(const char *file, int line, int status,
		  const struct sg_err *err);

/* A new empty folder; it and all in it goes when the test ends well or
 * badly.  The text is static. */
const char *sg_test_dir(void);
/* "DIR/name", in one of some static texts used in turn. */
const char *sg_test_path(const char *name);
/* Writes a file in the folder; returns its path as sg_test_path(). */
const char *sg_test_write(const char *name, struct sg_str data);

/*
 * Makes the n-th call of malloc(), calloc() or realloc() of our own code
 * return NULL, for n = 0, 1, 2 ... until the body runs without reaching it:
 *
 *	SG_TEST_EACH_ALLOCATION() {
 *		status = sg_thing_new(&thing, &err);
 *		ck_assert(status == SG_OK || status == SG_ENOMEM);
 *		if (status == SG_OK)
 *			sg_thing_free(thing);
 *	}
 */
#define SG_TEST_EACH_ALLOCATION() \
	for (sg_test_alloc_start(); sg_test_alloc_next();)
void sg_test_alloc_start(void);
bool sg_test_alloc_next(void);
/* Stops it, for a part of the body that may not fail. */
void sg_test_alloc_pause(void);

#endif
