#include "executor/request.h"

#include <inttypes.h>

#include "base/buf.h"

enum { SPARE = 1024 * 1024 };

static void
add_text(struct sg_buf *b, struct sg_str s)
{
	char len[4];

	for (int i = 0; i < 4; i++)
		len[i] = (char)(s.n >> 8 * i & 0xff);
	sg_buf_add(b, len, sizeof(len));
	sg_buf_str(b, s);
}

int
sg_request_encode(const struct sg_box_spec *spec, const struct sg_plan *plan,
		  struct sg_str filter, struct sg_arena *arena,
		  struct sg_str *ret, struct sg_err *err)
{
	const struct sg_box_limits *l = &spec->limits;
	struct sg_str options;
	struct sg_buf b;

	options = sg_arena_printf(arena, "%u %u %" PRIu64 " %d", l->result,
				  l->images, l->image_bytes,
				  spec->has_input ? 1 : 0);
	sg_buf_init(&b, filter.n + spec->code.n + SPARE);
	add_text(&b, filter);
	add_text(&b, spec->code);
	add_text(&b, spec->script);
	add_text(&b, options);
	add_text(&b, sg_str_c(plan->temp));
	for (const char *const *a = spec->argv; a && *a; a++)
		add_text(&b, sg_str_c(*a));
	*ret = sg_buf_failed(&b) ? SG_STR_NONE
				 : sg_arena_dup(arena, sg_buf_view(&b));
	sg_buf_release(&b);
	if (!ret->p)
		return sg_err_set(err, SG_ENOMEM, "no memory for the request");
	return SG_OK;
}
