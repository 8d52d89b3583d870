#include "base/status.h"

#include <errno.h>

#include "unit/support.h"

static struct sg_err err;
static char text[1024];

static const char *
formatted(void)
{
	return sg_err_format(&err, text, sizeof(text));
}

START_TEST(every_status_has_a_text)
{
	for (int s = SG_EINTERNAL; s <= SG_OK; s++)
		ck_assert_str_ne(sg_status_text((enum sg_status)s),
				 "unknown status");
	ck_assert_str_eq(sg_status_text((enum sg_status)1), "unknown status");
	ck_assert_str_eq(sg_status_text((enum sg_status) - 12),
			 "unknown status");
}
END_TEST

START_TEST(an_error_holds_what_was_said)
{
	sg_err_clear(&err);
	ck_assert_int_eq(sg_err_set(&err, SG_EPOLICY, "no rule '%s'", "X1"),
			 SG_EPOLICY);
	ck_assert_int_eq(err.status, SG_EPOLICY);
	ck_assert_int_eq(err.sys, 0);
	ck_assert_str_eq(err.msg, "no rule 'X1'");
	ck_assert_int_eq(sg_err_code(&err, "policy.no-rule"), SG_EPOLICY);
	ck_assert_int_eq(sg_err_at(&err, "p.yaml", 3, 7), SG_EPOLICY);
	ck_assert_str_eq(formatted(),
			 "p.yaml:3:7: no rule 'X1' [policy.no-rule]");
}
END_TEST

START_TEST(the_system_says_why)
{
	sg_err_clear(&err);
	ck_assert_int_eq(sg_err_sys(&err, SG_EIO, ENOENT, "cannot open"),
			 SG_EIO);
	ck_assert_int_eq(err.sys, ENOENT);
	ck_assert_str_eq(err.msg, "cannot open: No such file or directory");
}
END_TEST

START_TEST(the_place_may_be_put_first)
{
	sg_err_clear(&err);
	(void)sg_err_at(&err, "a", 1, 2);
	(void)sg_err_set(&err, SG_EIO, "one");
	ck_assert_str_eq(formatted(), "a:1:2: one");
	/* A second failure has a place of its own. */
	(void)sg_err_set(&err, SG_EIO, "two");
	ck_assert_str_eq(formatted(), "two");
}
END_TEST

START_TEST(a_place_is_as_long_as_it_is_known)
{
	sg_err_clear(&err);
	(void)sg_err_set(&err, SG_EIO, "m");
	(void)sg_err_at(&err, "f", 0, 0);
	ck_assert_str_eq(formatted(), "f: m");
	(void)sg_err_at(&err, NULL, 4, 0);
	ck_assert_str_eq(formatted(), "f:4: m");
	sg_err_clear(&err);
	(void)sg_err_set(&err, SG_EIO, "m");
	(void)sg_err_at(&err, NULL, 4, 5);
	ck_assert_str_eq(formatted(), "line 4:5: m");
}
END_TEST

START_TEST(no_message_gives_the_text_of_the_status)
{
	sg_err_clear(&err);
	err.status = SG_ENOMEM;
	ck_assert_str_eq(formatted(), "out of memory");
}
END_TEST

START_TEST(a_message_stays_one_line)
{
	sg_err_clear(&err);
	(void)sg_err_set(&err, SG_EIO, "a\nb\x1b[31m\tc\x7f");
	ck_assert_str_eq(err.msg, "a b [31m c ");
	(void)sg_err_at(&err, "x\ny", 0, 0);
	ck_assert_str_eq(err.file, "x y");
}
END_TEST

START_TEST(a_long_message_is_cut_between_code_points)
{
	static char longer[2 * SG_ERR_MSG];

	for (size_t i = 0; i + 2 < sizeof(longer); i += 2)
		memcpy(longer + i, "\xc3\xa9", 2);
	sg_err_clear(&err);
	(void)sg_err_set(&err, SG_EIO, "%s", longer);
	ck_assert_uint_eq(strlen(err.msg), SG_ERR_MSG - 2);
	(void)sg_err_set(&err, SG_EIO, "x%s", longer);
	ck_assert_uint_eq(strlen(err.msg), SG_ERR_MSG - 1);
	(void)sg_err_sys(&err, SG_EIO, EIO, "%s", longer);
	ck_assert_uint_eq(strlen(err.msg), SG_ERR_MSG - 2);
}
END_TEST

START_TEST(a_small_buffer_is_not_overrun)
{
	char small[8];

	sg_err_clear(&err);
	(void)sg_err_set(&err, SG_EIO, "a long message");
	for (uint32_t n = 0; n <= sizeof(small); n++) {
		memset(small, '#', sizeof(small));
		(void)sg_err_format(&err, small, n);
		for (size_t i = n; i < sizeof(small); i++)
			ck_assert_int_eq(small[i], '#');
		if (n > 0)
			ck_assert_uint_eq(strlen(small), n - 1);
	}
}
END_TEST

START_TEST(nobody_has_to_listen)
{
	ck_assert_int_eq(sg_err_set(NULL, SG_EIO, "m"), SG_EIO);
	ck_assert_int_eq(sg_err_sys(NULL, SG_EIO, EIO, "m"), SG_EIO);
	ck_assert_int_eq(sg_err_at(NULL, "f", 1, 1), SG_OK);
	ck_assert_int_eq(sg_err_code(NULL, "c"), SG_OK);
	sg_err_clear(NULL);
}
END_TEST

SG_TEST_MAIN("status", every_status_has_a_text, an_error_holds_what_was_said,
	     the_system_says_why, the_place_may_be_put_first,
	     a_place_is_as_long_as_it_is_known,
	     no_message_gives_the_text_of_the_status, a_message_stays_one_line,
	     a_long_message_is_cut_between_code_points,
	     a_small_buffer_is_not_overrun, nobody_has_to_listen)
