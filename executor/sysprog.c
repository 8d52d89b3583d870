#include "executor/sysprog.h"

#include <stdlib.h>

/*
 * Theory of operation.  A conditional jump reaches 255 instructions.  Where
 * its target is farther, a copy of it is put in between when it is an answer,
 * and a plain jump otherwise.
 *
 * A switch becomes a tree of comparisons: at each node, everything from a
 * value on goes one way.  Where few single values part from what is around
 * them, as system calls that are refused do, a list of tests for equality is
 * shorter.  Which of them it is, and where a tree divides, is found from the
 * short stretches of cases to the long ones, so that the whole costs least:
 * an instruction costs when the program is translated; and as the kernel
 * follows the program once for each system call when it is installed, every
 * value costs at every instruction that it passes.
 */

enum {
	REACH = 250,
	NODE = 400,  /* an instruction, in visits to one */
	WIDE = 64,   /* values of one case that count */
	LIST_MAX = 8 /* tests one after the other */
};

static uint32_t
add(struct sg_prog *p, uint16_t code, uint8_t jt, uint8_t jf, uint32_t k)
{
	if (p->n == SG_PROG_MAX)
		p->bad = true;
	if (p->bad)
		return 0;
	p->code[p->n] = (struct sock_filter){ code, jt, jf, k };
	return p->n++;
}

uint32_t
sg_prog_ret(struct sg_prog *p, uint32_t answer)
{
	uint32_t low = p->n > REACH ? p->n - REACH : 0;

	for (uint32_t i = p->n; i > low; i--)
		if (p->code[i - 1].code == (BPF_RET | BPF_K) &&
		    p->code[i - 1].k == answer)
			return i - 1;
	return add(p, BPF_RET | BPF_K, 0, 0, answer);
}

/* What stands for `place` where it cannot be reached itself. */
static uint32_t
stand_in(struct sg_prog *p, uint32_t place)
{
	if (p->bad)
		return 0;
	if (p->code[place].code == (BPF_RET | BPF_K))
		return sg_prog_ret(p, p->code[place].k);
	return add(p, BPF_JMP | BPF_JA, 0, 0, p->n - place - 1);
}

static uint32_t
straight(struct sg_prog *p, uint16_t code, uint32_t k, uint32_t next)
{
	if (!p->bad && next + 1 != p->n) {
		if (p->code[next].code == (BPF_RET | BPF_K))
			(void)add(p, BPF_RET | BPF_K, 0, 0, p->code[next].k);
		else
			(void)add(p, BPF_JMP | BPF_JA, 0, 0, p->n - next - 1);
	}
	return add(p, code, 0, 0, k);
}

uint32_t
sg_prog_load(struct sg_prog *p, uint32_t at, uint32_t next)
{
	return straight(p, BPF_LD | BPF_W | BPF_ABS, at, next);
}

uint32_t
sg_prog_and(struct sg_prog *p, uint32_t mask, uint32_t next)
{
	return straight(p, BPF_ALU | BPF_AND | BPF_K, mask, next);
}

uint32_t
sg_prog_test(struct sg_prog *p, uint16_t op, uint32_t k, uint32_t yes,
	     uint32_t no)
{
	if (p->n - yes > REACH)
		yes = stand_in(p, yes);
	if (p->n - no > REACH)
		no = stand_in(p, no);
	return add(p, (uint16_t)(BPF_JMP | op | BPF_K),
		   (uint8_t)(p->n - yes - 1), (uint8_t)(p->n - no - 1), k);
}

/* --- switches ------------------------------------------------------------ */

/* Cases i..j, and what is best for them. */
struct cell {
	uint32_t cost;
	uint16_t split; /* the first case of the right half; 0: a list */
	uint16_t rest;  /* of a list: the case that is not tested for */
};

struct table {
	const struct sg_prog_case *v;
	uint32_t n;
	struct cell *cells; /* n rows of n */
};

static struct cell *
cell(const struct table *t, uint32_t i, uint32_t j)
{
	return &t->cells[(size_t)i * t->n + j];
}

/* Values of case i; the last one has all that are left. */
static uint64_t
width(const struct table *t, uint32_t i)
{
	uint64_t end = i + 1 < t->n ? t->v[i + 1].from : 1ull << 32;

	return end - t->v[i].from;
}

static uint32_t
visits(const struct table *t, uint32_t i, uint32_t j)
{
	uint32_t sum = 0;

	for (; i <= j; i++)
		sum += width(t, i) < WIDE ? (uint32_t)width(t, i) : WIDE;
	return sum;
}

/* Tests that tell i..j from where case `rest` goes; LIST_MAX + 1: too many. */
static uint32_t
list_length(const struct table *t, uint32_t i, uint32_t j, uint32_t rest)
{
	uint64_t sum = 0;

	for (; i <= j && sum <= LIST_MAX; i++)
		if (t->v[i].place != t->v[rest].place)
			sum += width(t, i);
	return sum <= LIST_MAX ? (uint32_t)sum : LIST_MAX + 1;
}

static void
try_lists(const struct table *t, uint32_t i, uint32_t j, struct cell *best)
{
	uint32_t all = visits(t, i, j);

	/* Two neighbours are never the same, so a long one cannot do. */
	if (j - i > 2 * LIST_MAX)
		return;
	for (uint32_t r = i; r <= j; r++) {
		uint32_t len = list_length(t, i, j, r);

		if (len <= LIST_MAX && len * (NODE + all) < best->cost)
			*best = (struct cell){ len * (NODE + all), 0,
					       (uint16_t)r };
	}
}

static void
fill(const struct table *t)
{
	for (uint32_t len = 0; len < t->n; len++)
		for (uint32_t i = 0; i + len < t->n; i++) {
			struct cell best = { UINT32_MAX, 0, 0 };
			uint32_t j = i + len, all = NODE + visits(t, i, j);

			try_lists(t, i, j, &best);
			for (uint32_t k = i + 1; k <= j; k++) {
				uint32_t cost = all + cell(t, i, k - 1)->cost +
						cell(t, k, j)->cost;

				if (cost < best.cost)
					best = (struct cell){ cost, (uint16_t)k,
							      0 };
			}
			*cell(t, i, j) = best;
		}
}

static uint32_t
write_list(struct sg_prog *p, const struct table *t, uint32_t i, uint32_t j,
	   uint32_t rest)
{
	uint32_t place = t->v[rest].place;

	for (; i <= j; i++) {
		if (t->v[i].place == t->v[rest].place)
			continue;
		for (uint64_t k = 0; k < width(t, i); k++)
			place = sg_prog_test(p, BPF_JEQ,
					     t->v[i].from + (uint32_t)k,
					     t->v[i].place, place);
	}
	return place;
}

/* A stretch of which first the right half is written, then the left one. */
struct todo {
	uint32_t i, j, step;
	uint32_t right; /* its place */
};

/* `todo` has room for one entry a case: each is shorter than the one below. */
static uint32_t
write_tree(struct sg_prog *p, const struct table *t, struct todo *todo)
{
	uint32_t n = 0, place = 0;

	todo[n++] = (struct todo){ 0, t->n - 1, 0, 0 };
	while (n) {
		struct todo *now = &todo[n - 1];
		const struct cell *c = cell(t, now->i, now->j);
		uint32_t k = c->split;

		if (!k) {
			place = write_list(p, t, now->i, now->j, c->rest);
			n--;
		} else if (now->step == 0) {
			now->step = 1;
			todo[n++] = (struct todo){ k, now->j, 0, 0 };
		} else if (now->step == 1) {
			now->step = 2;
			now->right = place;
			todo[n++] = (struct todo){ now->i, k - 1, 0, 0 };
		} else {
			place = sg_prog_test(p, BPF_JGE, t->v[k].from,
					     now->right, place);
			n--;
		}
	}
	return place;
}

uint32_t
sg_prog_switch(struct sg_prog *p, const struct sg_prog_case *v, uint32_t n)
{
	struct table t = { v, n, NULL };
	struct todo *todo = NULL;
	uint32_t place = 0;

	if (n == 0 || n > SG_PROG_CASES) {
		p->bad = true;
		return 0;
	}
	t.cells = calloc((size_t)n * n, sizeof(*t.cells));
	todo = calloc(n, sizeof(*todo));
	if (t.cells && todo) {
		fill(&t);
		place = write_tree(p, &t, todo);
	} else {
		p->bad = true;
	}
	free(todo);
	free(t.cells);
	return place;
}

int
sg_prog_export(const struct sg_prog *p, struct sg_arena *arena,
	       struct sg_str *ret, struct sg_err *err)
{
	struct sock_filter *v;

	if (p->bad || p->n == 0)
		return sg_err_set(err, SG_EBOX,
				  "the system call filter is too long");
	v = SG_NEWN(arena, struct sock_filter, p->n);
	if (!v)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	for (uint32_t i = 0; i < p->n; i++)
		v[i] = p->code[p->n - 1 - i];
	*ret = (struct sg_str){ (const char *)v, p->n * sizeof(*v) };
	return SG_OK;
}
