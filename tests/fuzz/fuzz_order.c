/*
 * What a warden reads of an order.  Whatever the bytes are, what is taken
 * from them lies within them, and written again it is read as the same.
 */

#include "executor/order.h"
#include "fuzz/target.h"

enum { CAP = 64 << 20 };

static bool
within(struct sg_str part, struct sg_str whole)
{
	return part.n == 0 || (part.p >= whole.p && part.n <= whole.n &&
			       (size_t)(part.p - whole.p) <= whole.n - part.n);
}

static void
check_order(const struct sg_order *o, struct sg_str text)
{
	must(o->spec.nfiles <= SG_BOX_INPUTS_MAX);
	must(within(o->plan.first, text));
	must(within(o->plan.final, text));
	must(within(o->prepared.fonts, text));
	if (o->prepared.fonts_name)
		must(strlen(o->prepared.fonts_name) <= SG_BOX_NAME_MAX);
	for (uint32_t i = 0; i < o->spec.nfiles; i++) {
		const struct sg_box_input *f = &o->spec.files[i];

		must(within(f->name, text) && within(f->data, text));
		must(f->name.n > 0 && f->name.n <= SG_BOX_NAME_MAX);
		must(!memchr(f->name.p, '\0', f->name.n));
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sg_order o, again;
	struct sg_str text = { (const char *)data, size };
	struct sg_buf b;

	if (!sg_order_decode(text, &o))
		return 0;
	check_order(&o, text);
	sg_buf_init(&b, CAP);
	sg_order_encode(&o.plan, &b);
	must(!sg_buf_failed(&b));
	must(sg_order_decode(sg_buf_view(&b), &again));
	must(again.spec.nfiles == o.spec.nfiles);
	must(again.plan.want == o.plan.want);
	must(sg_str_eq(again.plan.first, o.plan.first));
	must(sg_str_eq(again.plan.final, o.plan.final));
	for (uint32_t i = 0; i < o.spec.nfiles; i++)
		must(sg_str_eq(again.spec.files[i].data, o.spec.files[i].data));
	sg_buf_release(&b);
	return 0;
}
