#include "executor/ready.h"

#include "unit/support.h"

static struct sg_box_spec
usual(void)
{
	struct sg_box_spec spec;

	sg_box_spec_init(&spec);
	return spec;
}

START_TEST(an_order_fits_a_run_that_wants_the_same)
{
	struct sg_box_spec of, spec = usual();

	sg_ready_spec(&spec, &of);
	/* The program, and what is asked for with it, comes later. */
	spec.code = SG_STR("print(1)");
	spec.script = SG_STR("other.py");
	spec.collect = true;
	ck_assert(sg_ready_fits(&of, &spec));
}
END_TEST

START_TEST(every_limit_makes_a_difference)
{
	struct sg_box_spec of, spec = usual();

	sg_ready_spec(&spec, &of);
	/* Whatever fields there are: any byte that is other. */
	for (size_t i = 0; i < sizeof(spec.limits); i++) {
		unsigned char *byte = (unsigned char *)&spec.limits + i;

		*byte ^= 1;
		ck_assert(!sg_ready_fits(&of, &spec));
		*byte ^= 1;
	}
	ck_assert(sg_ready_fits(&of, &spec));
}
END_TEST

START_TEST(input_and_walls_make_a_difference)
{
	struct sg_box_spec of, spec = usual();

	sg_ready_spec(&spec, &of);
	spec.has_input = true;
	ck_assert(!sg_ready_fits(&of, &spec));
	spec = usual();
	spec.require = SG_REQUIRE_STRICT;
	ck_assert(!sg_ready_fits(&of, &spec));
}
END_TEST

START_TEST(an_order_with_files_fits_nobody_else)
{
	const struct sg_box_input file = { SG_STR("a"), SG_STR("b") };
	struct sg_box_spec of, spec = usual();

	sg_ready_spec(&spec, &of);
	spec.files = &file;
	spec.nfiles = 1;
	ck_assert(!sg_ready_fits(&of, &spec));
	sg_ready_spec(&spec, &of);
	ck_assert_uint_eq(of.nfiles, 1);
	ck_assert(!sg_ready_fits(&of, &spec));
}
END_TEST

SG_TEST_MAIN("ready", an_order_fits_a_run_that_wants_the_same,
	     every_limit_makes_a_difference, input_and_walls_make_a_difference,
	     an_order_with_files_fits_nobody_else)
