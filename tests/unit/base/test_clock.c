#include "base/clock.h"

#include "unit/support.h"

START_TEST(the_monotonic_clock_does_not_go_back)
{
	uint64_t last = sg_clock_mono(), now;

	ck_assert_uint_gt(last, 0);
	for (int i = 0; i < 10000; i++) {
		now = sg_clock_mono();
		ck_assert_uint_ge(now, last);
		last = now;
	}
}
END_TEST

START_TEST(the_real_clock_is_in_this_century)
{
	ck_assert_int_gt(sg_clock_real_us(), INT64_C(1600000000000000));
	ck_assert_int_lt(sg_clock_real_us(), INT64_C(4102444800000000));
}
END_TEST

START_TEST(times_are_written_in_utc)
{
	static const struct {
		int64_t us;
		const char *want;
	} t[] = {
		{ 0, "1970-01-01T00:00:00.000000Z" },
		{ 1, "1970-01-01T00:00:00.000001Z" },
		{ -1, "1969-12-31T23:59:59.999999Z" },
		{ 1796021607123456, "2026-11-30T06:53:27.123456Z" },
		{ 951827696000000, "2000-02-29T12:34:56.000000Z" },
	};
	char out[SG_CLOCK_ISO];

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		sg_clock_iso(t[i].us, out);
		ck_assert_str_eq(out, t[i].want);
	}
	/* Far off, it still fits. */
	sg_clock_iso(INT64_MAX, out);
	ck_assert_uint_lt(strlen(out), SG_CLOCK_ISO);
	sg_clock_iso(INT64_MIN, out);
	ck_assert_uint_lt(strlen(out), SG_CLOCK_ISO);
}
END_TEST

SG_TEST_MAIN("clock", the_monotonic_clock_does_not_go_back,
	     the_real_clock_is_in_this_century, times_are_written_in_utc)
