/*
 * Short programs: whatever way a switch is written, every value goes where
 * its case says.
 */

#include <stdlib.h>

#include "executor/sysprog.h"
#include "unit/executor/bpf.h"

enum { ANSWERS = 5 };

struct draft {
	struct sg_prog *prog;
	struct sg_arena arena;
};

static void
begin(struct draft *d)
{
	d->prog = calloc(1, sizeof(*d->prog));
	ck_assert_ptr_nonnull(d->prog);
	sg_arena_init(&d->arena, 1 << 20);
}

static void
end(struct draft *d)
{
	free(d->prog);
	sg_arena_release(&d->arena);
}

static struct sg_str
export_all(struct draft *d, uint32_t place)
{
	struct sg_str ret;
	struct sg_err err;

	sg_err_clear(&err);
	(void)sg_prog_load(d->prog, 0, place);
	ck_good(sg_prog_export(d->prog, &d->arena, &ret, &err), &err);
	return ret;
}

static uint32_t
ask(struct sg_str prog, uint32_t nr)
{
	const struct seccomp_data data = { .nr = (int)nr };

	return bpf_eval(prog, &data);
}

/* Cases at `from`, with answers 1, 2, ...; each value at an edge is asked. */
static void
hold(struct draft *d, const uint32_t *from, const uint32_t *answer, uint32_t n)
{
	struct sg_prog_case v[SG_PROG_CASES] = { { 0, 0 } };
	struct sg_str prog;

	for (uint32_t i = 0; i < n; i++)
		v[i] = (struct sg_prog_case){ from[i],
					      sg_prog_ret(d->prog, answer[i]) };
	prog = export_all(d, sg_prog_switch(d->prog, v, n));
	for (uint32_t i = 0; i < n; i++) {
		ck_assert_uint_eq(ask(prog, from[i]), answer[i]);
		if (i + 1 < n)
			ck_assert_uint_eq(ask(prog, from[i + 1] - 1),
					  answer[i]);
	}
	ck_assert_uint_eq(ask(prog, UINT32_MAX), answer[n - 1]);
}

START_TEST(one_case_is_all_values)
{
	const uint32_t from[] = { 0 }, answer[] = { 7 };
	struct draft d;

	begin(&d);
	hold(&d, from, answer, 1);
	/* The load, and the answer. */
	ck_assert_uint_eq(d.prog->n, 2);
	end(&d);
}
END_TEST

START_TEST(single_values_are_tested_for)
{
	const uint32_t from[] = { 0, 5, 6, 9, 10, UINT32_MAX };
	const uint32_t answer[] = { 1, 2, 1, 2, 1, 2 };
	struct draft d;

	begin(&d);
	hold(&d, from, answer, 6);
	/* Two answers, three tests, the load. */
	ck_assert_uint_eq(d.prog->n, 6);
	end(&d);
}
END_TEST

START_TEST(stretches_are_divided)
{
	const uint32_t from[] = { 0, 100, 200, 300, 400 };
	const uint32_t answer[] = { 1, 2, 1, 2, 1 };
	struct draft d;

	begin(&d);
	hold(&d, from, answer, 5);
	ck_assert_uint_eq(d.prog->n, 2 + 4 + 1);
	end(&d);
}
END_TEST

/* Numbers that are the same in every run of the test. */
static uint32_t
next(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

START_TEST(any_mix_is_told_apart)
{
	for (uint32_t round = 0; round < 200; round++) {
		uint32_t from[SG_PROG_CASES], answer[SG_PROG_CASES];
		uint32_t n = 1 + round % 100, seed = round, at = 0;
		struct draft d;

		for (uint32_t i = 0; i < n; i++) {
			from[i] = at;
			answer[i] = 1 + next(&seed) % ANSWERS;
			at += next(&seed) % 3 ? 1 : 1 + next(&seed) % 50;
		}
		begin(&d);
		hold(&d, from, answer, n);
		end(&d);
	}
}
END_TEST

START_TEST(far_targets_are_reached)
{
	uint32_t from[SG_PROG_CASES], answer[SG_PROG_CASES];
	struct draft d;

	/* Each with an answer of its own: most lie beyond a jump's reach. */
	for (uint32_t i = 0; i < 600; i++) {
		from[i] = i * 100;
		answer[i] = i + 1;
	}
	begin(&d);
	hold(&d, from, answer, 600);
	end(&d);
}
END_TEST

START_TEST(what_goes_on_elsewhere_goes_there)
{
	struct draft d;
	struct sg_str prog;
	uint32_t far, place;

	begin(&d);
	far = sg_prog_test(d.prog, BPF_JEQ, 3, sg_prog_ret(d.prog, 1),
			   sg_prog_ret(d.prog, 2));
	for (uint32_t i = 0; i < 300; i++)
		(void)sg_prog_ret(d.prog, 100 + i);
	/* Not the instruction before it, and too far for a jump. */
	place = sg_prog_and(d.prog, 3, far);
	place = sg_prog_test(d.prog, BPF_JSET, 8, place,
			     sg_prog_ret(d.prog, 9));
	prog = export_all(&d, place);
	ck_assert_uint_eq(ask(prog, 0), 9);
	ck_assert_uint_eq(ask(prog, 8), 2);
	ck_assert_uint_eq(ask(prog, 11), 1);
	ck_assert_uint_eq(ask(prog, 15), 1);
	end(&d);
}
END_TEST

START_TEST(a_program_has_its_most)
{
	struct draft d;
	struct sg_str ret;
	struct sg_err err;

	sg_err_clear(&err);
	begin(&d);
	ck_assert_int_eq(sg_prog_export(d.prog, &d.arena, &ret, &err), SG_EBOX);
	for (uint32_t i = 0; i < SG_PROG_MAX; i++)
		(void)sg_prog_ret(d.prog, i);
	ck_good(sg_prog_export(d.prog, &d.arena, &ret, &err), &err);
	ck_assert_uint_eq(ret.n, SG_PROG_MAX * 8);
	(void)sg_prog_ret(d.prog, SG_PROG_MAX);
	ck_assert_int_eq(sg_prog_export(d.prog, &d.arena, &ret, &err), SG_EBOX);
	end(&d);
}
END_TEST

START_TEST(a_switch_has_its_most)
{
	struct sg_prog_case v[SG_PROG_CASES + 1] = { { 0, 0 } };
	struct draft d;

	begin(&d);
	(void)sg_prog_ret(d.prog, 1);
	(void)sg_prog_switch(d.prog, v, 0);
	ck_assert(d.prog->bad);
	end(&d);
	begin(&d);
	(void)sg_prog_ret(d.prog, 1);
	(void)sg_prog_switch(d.prog, v, SG_PROG_CASES + 1);
	ck_assert(d.prog->bad);
	end(&d);
}
END_TEST

SG_TEST_MAIN("sysprog", one_case_is_all_values, single_values_are_tested_for,
	     stretches_are_divided, any_mix_is_told_apart,
	     far_targets_are_reached, what_goes_on_elsewhere_goes_there,
	     a_program_has_its_most, a_switch_has_its_most)
