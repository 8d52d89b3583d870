#include "base/clock.h"

#include <stdio.h>
#include <time.h>

static uint64_t
nanoseconds(clockid_t clock)
{
	struct timespec t = { 0, 0 };

	(void)clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

uint64_t
sg_clock_mono(void)
{
	return nanoseconds(CLOCK_MONOTONIC);
}

uint64_t
sg_clock_cpu(void)
{
	return nanoseconds(CLOCK_THREAD_CPUTIME_ID);
}

int64_t
sg_clock_real_us(void)
{
	struct timespec t = { 0, 0 };

	(void)clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

void
sg_clock_iso(int64_t real_us, char out[SG_CLOCK_ISO])
{
	int64_t us = real_us % 1000000;
	time_t sec = (time_t)(real_us / 1000000);
	struct tm tm = { 0 };
	char date[24];

	if (us < 0) {
		us += 1000000;
		sec--;
	}
	(void)gmtime_r(&sec, &tm);
	(void)strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
	(void)snprintf(out, SG_CLOCK_ISO, "%s.%06uZ", date, (unsigned)us);
}
