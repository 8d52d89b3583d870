#ifndef SG_TESTS_FUZZ_MUTATE_H
#define SG_TESTS_FUZZ_MUTATE_H

/*
 * Changes a Python text by its words and lines: half of the time libFuzzer
 * changes bytes as ever, else a word or line is taken out, put in again, or
 * put in the place of another.  For targets that read Python.
 */

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "fuzz/target.h"

/* Of libFuzzer; the driver that replays seeds has none. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max)
	__attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
			       unsigned seed);

struct piece {
	size_t at, n;
};

static inline unsigned
next_random(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static inline bool
is_word(uint8_t c)
{
	return isalnum(c) || c == '_' || c >= 0x80;
}

/* The word that holds the byte at `at`: letters, blanks, or one other. */
static inline struct piece
word_at(const uint8_t *data, size_t size, size_t at)
{
	size_t end = at + 1;

	if (is_word(data[at])) {
		while (at > 0 && is_word(data[at - 1]))
			at--;
		while (end < size && is_word(data[end]))
			end++;
	} else if (data[at] == ' ') {
		while (at > 0 && data[at - 1] == ' ')
			at--;
		while (end < size && data[end] == ' ')
			end++;
	}
	return (struct piece){ at, end - at };
}

/* The line that holds the byte at `at`, with its end. */
static inline struct piece
line_at(const uint8_t *data, size_t size, size_t at)
{
	size_t end = at;

	while (at > 0 && data[at - 1] != '\n')
		at--;
	while (end < size && data[end] != '\n')
		end++;
	return (struct piece){ at, (end < size ? end + 1 : end) - at };
}

/* Puts a copy of `copy` in the place of `old`; the new size. */
static inline size_t
replace(uint8_t *data, size_t size, size_t max, struct piece old,
	struct piece copy)
{
	uint8_t kept[1024];
	size_t tail = size - old.at - old.n;

	if (copy.n > sizeof(kept) || old.at + copy.n + tail > max)
		return size;
	memcpy(kept, data + copy.at, copy.n);
	memmove(data + old.at + copy.n, data + old.at + old.n, tail);
	memcpy(data + old.at, kept, copy.n);
	return old.at + copy.n + tail;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	unsigned what = next_random(&seed);
	struct piece one, other;

	if (size == 0 || what % 2 == 0)
		return LLVMFuzzerMutate(data, size, max);
	if (what / 2 % 3) {
		one = word_at(data, size, next_random(&seed) % size);
		other = word_at(data, size, next_random(&seed) % size);
	} else {
		one = line_at(data, size, next_random(&seed) % size);
		other = line_at(data, size, next_random(&seed) % size);
	}
	switch (next_random(&seed) % 3) {
	case 0: /* taken out */
		other.n = 0;
		break;
	case 1: /* put in again */
		one.n = 0;
		break;
	default:
		break;
	}
	return replace(data, size, max, one, other);
}

#endif
