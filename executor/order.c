#include "executor/order.h"

#include <string.h>

/*
 * Both sides are of one build, so numbers are as they lie in memory; texts
 * are their length and the bytes.
 */

static const char magic[8] = "sgorder";

struct head {
	char magic[sizeof(magic)];
	uint32_t want, must, nfiles;
	uint64_t data_limit;
	struct sg_box_limits limits;
};

static void
add_text(struct sg_buf *b, struct sg_str s)
{
	uint64_t n = s.n;

	sg_buf_add(b, &n, sizeof(n));
	sg_buf_str(b, s);
}

void
sg_order_encode(const struct sg_plan *plan, struct sg_buf *out)
{
	const struct sg_box_spec *spec = plan->spec;
	struct head h;

	memset(&h, 0, sizeof(h));
	memcpy(h.magic, magic, sizeof(magic));
	h.want = plan->want;
	h.must = plan->must;
	h.nfiles = spec->nfiles;
	h.data_limit = plan->data_limit;
	h.limits = spec->limits;
	sg_buf_add(out, &h, sizeof(h));
	add_text(out, plan->first);
	add_text(out, plan->final);
	add_text(out, sg_str_c(plan->prepared->fonts_name));
	add_text(out, plan->prepared->fonts);
	for (uint32_t i = 0; i < spec->nfiles; i++) {
		add_text(out, spec->files[i].name);
		add_text(out, spec->files[i].data);
	}
}

static bool
take(struct sg_str *s, void *to, size_t n)
{
	if (s->n < n)
		return false;
	memcpy(to, s->p, n);
	*s = sg_str_slice(*s, n, s->n);
	return true;
}

static bool
take_text(struct sg_str *s, struct sg_str *ret)
{
	uint64_t n;

	if (!take(s, &n, sizeof(n)) || n > s->n)
		return false;
	*ret = sg_str_slice(*s, 0, (size_t)n);
	*s = sg_str_slice(*s, (size_t)n, s->n);
	return true;
}

static bool
take_files(struct sg_str *s, struct sg_order *o)
{
	for (uint32_t i = 0; i < o->spec.nfiles; i++) {
		struct sg_box_input *f = &o->files[i];

		if (!take_text(s, &f->name) || !take_text(s, &f->data) ||
		    f->name.n == 0 || f->name.n > SG_BOX_NAME_MAX ||
		    memchr(f->name.p, '\0', f->name.n))
			return false;
	}
	return s->n == 0;
}

bool
sg_order_decode(struct sg_str text, struct sg_order *ret)
{
	struct sg_str s = text, name;
	struct head h;

	memset(ret, 0, offsetof(struct sg_order, files));
	if (!take(&s, &h, sizeof(h)) ||
	    memcmp(h.magic, magic, sizeof(magic)) != 0 ||
	    h.nfiles > SG_BOX_INPUTS_MAX)
		return false;
	ret->spec.limits = h.limits;
	ret->spec.files = ret->files;
	ret->spec.nfiles = h.nfiles;
	ret->plan.want = h.want;
	ret->plan.must = h.must;
	ret->plan.data_limit = h.data_limit;
	ret->plan.spec = &ret->spec;
	ret->plan.prepared = &ret->prepared;
	if (!take_text(&s, &ret->plan.first) ||
	    !take_text(&s, &ret->plan.final) || !take_text(&s, &name) ||
	    !take_text(&s, &ret->prepared.fonts) || name.n > SG_BOX_NAME_MAX ||
	    (name.n && memchr(name.p, 0, name.n)))
		return false;
	ret->prepared.fonts_name = NULL;
	if (name.n) {
		memcpy(ret->fonts_name, name.p, name.n);
		ret->fonts_name[name.n] = '\0';
		ret->prepared.fonts_name = ret->fonts_name;
	}
	return take_files(&s, ret);
}
