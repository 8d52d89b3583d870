/*
 * What a program in the box may write into the result pipe.  The first byte
 * says how the stream is cut into pieces; however it is cut, the same comes
 * out, and it is bounded.
 */

#include "base/utf8.h"
#include "executor/frame.h"
#include "fuzz/target.h"

enum { ARENA_CAP = 8 << 20 };

static const struct sg_frame_caps caps = { .value = 1000,
					   .images = 3,
					   .image_bytes = 5000 };

static void
check_result(const struct sg_result *r)
{
	must(r->value.repr.n <= caps.value + 64);
	must(sg_utf8_check(r->value.repr) == r->value.repr.n);
	must(sg_utf8_check(r->value.type) == r->value.type.n);
	must(sg_utf8_check(r->error.name) == r->error.name.n);
	must(sg_utf8_check(r->error.value) == r->error.value.n);
	must(sg_utf8_check(r->error.traceback) == r->error.traceback.n);
	must(sg_utf8_check(r->hint) == r->hint.n);
	must(r->nimages <= caps.images);
	for (uint32_t i = 0; i < r->nimages; i++) {
		uint32_t w, h;

		must(r->images[i].png.n <= caps.image_bytes);
		must(sg_png_check(r->images[i].png, &w, &h));
	}
	/* Nothing that is said in the box is a status. */
	must(r->status == SG_RUN_OK && r->exit_code == 0 && r->signal == 0);
}

static struct sg_result
feed(struct sg_str s, size_t step, struct sg_arena *arena)
{
	struct sg_frame_reader reader;
	struct sg_result result = { .status = SG_RUN_OK };
	struct sg_err err;

	sg_err_clear(&err);
	must(sg_frame_init(&reader, &caps, arena, &result, &err) == SG_OK);
	for (size_t at = 0; at < s.n; at += step) {
		struct sg_str part = sg_str_slice(s, at, at + step);

		sg_frame_feed(&reader, part.p, part.n);
	}
	check_result(&result);
	sg_frame_release(&reader);
	return result;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sg_str s = { (const char *)data + 1, size ? size - 1 : 0 };
	struct sg_result whole, cut;
	struct sg_arena arena;

	if (!size)
		return 0;
	sg_arena_init(&arena, ARENA_CAP);
	whole = feed(s, s.n ? s.n : 1, &arena);
	cut = feed(s, (size_t)data[0] % 64 + 1, &arena);
	must(whole.value.is_set == cut.value.is_set);
	must(sg_str_eq(whole.value.repr, cut.value.repr));
	must(whole.error.is_set == cut.error.is_set);
	must(sg_str_eq(whole.error.value, cut.error.value));
	must(whole.nimages == cut.nimages);
	must(whole.images_dropped == cut.images_dropped);
	must(sg_str_eq(whole.hint, cut.hint));
	sg_arena_release(&arena);
	return 0;
}
