#ifndef SG_TESTS_FUZZ_TARGET_H
#define SG_TESTS_FUZZ_TARGET_H

/*
 * A fuzz target is tests/fuzz/fuzz_NAME.c with this one function; its seeds
 * lie in tests/fuzz/seeds/NAME/.  `make fuzz` links it with libFuzzer,
 * `make check` with tests/fuzz/driver.c, which replays the seeds.
 *
 * What a target asserts must hold for every input: it calls must() and ends
 * the program otherwise.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define must(cond) ((cond) ? (void)0 : must_fail(__FILE__, __LINE__, #cond))

static inline void
must_fail(const char *file, int line, const char *what)
{
	(void)fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
	abort();
}

#endif
