#ifndef SG_BASE_CLOCK_H
#define SG_BASE_CLOCK_H

#include <stdint.h>

enum { SG_CLOCK_ISO = 32 };

/* CLOCK_MONOTONIC in nanoseconds; deadlines of runs are kept by this one. */
uint64_t sg_clock_mono(void);
/*
 * Processor time of the calling thread in nanoseconds.  What the gate spends
 * on a script is measured by this one, so that a verdict does not depend on
 * what else the host is doing.
 */
uint64_t sg_clock_cpu(void);
/* CLOCK_REALTIME in microseconds since 1970. */
int64_t sg_clock_real_us(void);
/* "2026-11-30T06:53:27.123456Z" */
void sg_clock_iso(int64_t real_us, char out[SG_CLOCK_ISO]);

#endif
