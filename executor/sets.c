#include "executor/pool.h"

/*
 * Which set of modules fits a program, and how long to wait after failures.
 * Of a module's name only the first part counts: whoever imports
 * numpy.linalg is served by a set that has numpy, and the other way round.
 */

enum { PAUSE_MS = 200, PAUSE_MAX_MS = 60000 };

/* The next word of *list, taken off it. */
static struct sg_str
take_word(struct sg_str *list)
{
	struct sg_str word;

	while (list->n && list->p[0] == ' ')
		*list = sg_str_slice(*list, 1, list->n);
	word = sg_str_until(*list, ' ');
	*list = sg_str_slice(*list, word.n, list->n);
	return word;
}

bool
sg_warm_has(const char *modules, struct sg_str top)
{
	struct sg_str list = sg_str_c(modules), word;

	while ((word = take_word(&list)).n)
		if (sg_str_eq(sg_str_until(word, '.'), top))
			return true;
	return false;
}

static uint32_t
covers(const char *modules, const struct sg_str *names, uint32_t n)
{
	uint32_t hits = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct sg_str top = sg_str_until(names[i], '.');
		bool again = false;

		for (uint32_t j = 0; j < i && !again; j++)
			again = sg_str_eq(sg_str_until(names[j], '.'), top);
		hits += !again && sg_warm_has(modules, top);
	}
	return hits;
}

static uint32_t
count_words(const char *modules)
{
	struct sg_str list = sg_str_c(modules);
	uint32_t n = 0;

	while (take_word(&list).n)
		n++;
	return n;
}

uint32_t
sg_warm_choose(const struct sg_warm_choice *v, uint32_t n,
	       const struct sg_str *imports, uint32_t nimports)
{
	uint32_t best = n, best_hits = 0, best_size = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t hits, size;

		if (!v[i].open)
			continue;
		hits = covers(v[i].modules, imports, nimports);
		size = count_words(v[i].modules);
		if (best < n && (hits < best_hits ||
				 (hits == best_hits && size >= best_size)))
			continue;
		best = i;
		best_hits = hits;
		best_size = size;
	}
	return best;
}

uint64_t
sg_warm_pause(uint32_t streak)
{
	uint64_t ms = PAUSE_MS;

	for (uint32_t i = 0; i < streak && ms < PAUSE_MAX_MS; i++)
		ms *= 2;
	return ms < PAUSE_MAX_MS ? ms : PAUSE_MAX_MS;
}
