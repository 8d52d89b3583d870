#include "executor/frame.h"

#include "executor/limits.h"
#include "executor/stream.h"

enum { HEADER = 5, PNG_SIGNATURE = 8, PNG_CHUNK = 12, SMALL = 64 };

static uint32_t
le32(const char *p)
{
	const unsigned char *b = (const unsigned char *)p;

	return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
	       (uint32_t)b[3] << 24;
}

static uint64_t
le64(const char *p)
{
	return le32(p) | (uint64_t)le32(p + 4) << 32;
}

static uint32_t
be32(const char *p)
{
	const unsigned char *b = (const unsigned char *)p;

	return (uint32_t)b[3] | (uint32_t)b[2] << 8 | (uint32_t)b[1] << 16 |
	       (uint32_t)b[0] << 24;
}

bool
sg_png_check(struct sg_str s, uint32_t *ret_width, uint32_t *ret_height)
{
	size_t at = PNG_SIGNATURE;
	uint32_t len, w, h;

	if (s.n < PNG_SIGNATURE + PNG_CHUNK + 13 ||
	    memcmp(s.p, "\x89PNG\r\n\x1a\n", PNG_SIGNATURE) != 0 ||
	    be32(s.p + at) != 13 || memcmp(s.p + at + 4, "IHDR", 4) != 0)
		return false;
	w = be32(s.p + at + 8);
	h = be32(s.p + at + 12);
	if (!w || !h || w > SG_BOX_PNG_SIDE_MAX || h > SG_BOX_PNG_SIDE_MAX)
		return false;
	while (s.n - at >= PNG_CHUNK) {
		len = be32(s.p + at);
		if (len > s.n - at - PNG_CHUNK)
			return false;
		if (memcmp(s.p + at + 4, "IEND", 4) == 0) {
			*ret_width = w;
			*ret_height = h;
			return len == 0 && at + PNG_CHUNK == s.n;
		}
		at += PNG_CHUNK + (size_t)len;
	}
	return false;
}

/* Takes one text off the front of *s. */
static bool
take_text(struct sg_str *s, struct sg_str *ret)
{
	uint32_t n;

	if (s->n < 4)
		return false;
	n = le32(s->p);
	if (n > s->n - 4)
		return false;
	*ret = sg_str_slice(*s, 4, 4 + (size_t)n);
	*s = sg_str_slice(*s, 4 + (size_t)n, s->n);
	return true;
}

static bool
take_value(struct sg_frame_reader *r, struct sg_str s)
{
	struct sg_str type, repr;
	bool cut, more;

	if (s.n < 1)
		return false;
	cut = s.p[0] != 0;
	s = sg_str_slice(s, 1, s.n);
	if (!take_text(&s, &type) || !take_text(&s, &repr) || s.n)
		return false;
	r->into->value.type = sg_utf8_repair(r->arena, type, SMALL * 4, NULL,
					     NULL);
	r->into->value.repr = sg_utf8_repair(r->arena, repr, r->caps.value,
					     NULL, &more);
	r->into->value.truncated = cut || more;
	r->into->value.is_set = r->into->value.repr.p != NULL;
	return true;
}

static bool
take_error(struct sg_frame_reader *r, struct sg_str s)
{
	struct sg_str name, value, trace;
	uint32_t line;

	if (s.n < 4)
		return false;
	line = le32(s.p);
	s = sg_str_slice(s, 4, s.n);
	if (!take_text(&s, &name) || !take_text(&s, &value) ||
	    !take_text(&s, &trace) || s.n)
		return false;
	r->into->error.name = sg_utf8_repair(r->arena, name, SMALL * 4, NULL,
					     NULL);
	r->into->error.value = sg_utf8_repair(r->arena, value, SG_BOX_TEXT_MAX,
					      NULL, NULL);
	r->into->error.traceback = sg_utf8_repair(r->arena, trace,
						  SG_BOX_TEXT_MAX, NULL, NULL);
	r->into->error.line = line;
	r->into->error.is_set = r->into->error.name.p != NULL;
	return true;
}

static bool
take_image(struct sg_frame_reader *r, struct sg_str s)
{
	struct sg_image im = { SG_STR_NONE, 0, 0 };

	if (!sg_png_check(s, &im.width, &im.height))
		return false;
	if (r->into->nimages < r->caps.images)
		im.png = sg_arena_dup(r->arena, s);
	if (!im.png.p) {
		r->into->images_dropped++;
		return true;
	}
	r->images[r->into->nimages++] = im;
	return true;
}

static bool
take_hint(struct sg_frame_reader *r, struct sg_str s)
{
	struct sg_str text = sg_utf8_repair(r->arena, s, SG_BOX_HINT_MAX, NULL,
					    NULL);

	if (text.p)
		r->into->hint = text;
	return true;
}

static bool
take_dropped(struct sg_frame_reader *r, struct sg_str s)
{
	if (s.n != 4)
		return false;
	r->into->images_dropped = le32(s.p);
	return true;
}

static bool
take_start(struct sg_frame_reader *r, struct sg_str s)
{
	if (s.n == 16 && !r->started) {
		r->at = le64(s.p);
		r->cpu = le64(s.p + 8);
	}
	r->started = true;
	return s.n == 0 || s.n == 16;
}

static const struct {
	char kind;
	bool (*take)(struct sg_frame_reader *r, struct sg_str s);
} kinds[] = {
	{ 'S', take_start }, { 'V', take_value },   { 'E', take_error },
	{ 'I', take_image }, { 'D', take_dropped }, { 'H', take_hint },
};

/* The longest payload a frame of this kind may have; 0: unknown kind. */
static uint64_t
cap_of(const struct sg_frame_reader *r, char kind)
{
	switch (kind) {
	case 'S':
	case 'D':
		return SMALL;
	case 'V':
		return (uint64_t)r->caps.value + SG_BOX_HINT_MAX;
	case 'E':
		return 3 * (uint64_t)SG_BOX_TEXT_MAX;
	case 'I':
		return r->caps.image_bytes;
	case 'H':
		return SG_BOX_HINT_MAX;
	default:
		return 0;
	}
}

static bool
take(struct sg_frame_reader *r, char kind, struct sg_str payload)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].kind == kind)
			return kinds[i].take(r, payload);
	return false;
}

int
sg_frame_init(struct sg_frame_reader *r, const struct sg_frame_caps *caps,
	      struct sg_arena *arena, struct sg_result *into,
	      struct sg_err *err)
{
	uint64_t max = 3 * (uint64_t)SG_BOX_TEXT_MAX;

	memset(r, 0, sizeof(*r));
	r->caps = *caps;
	r->arena = arena;
	r->into = into;
	if (max < caps->image_bytes)
		max = caps->image_bytes;
	if (max < caps->value)
		max = caps->value;
	sg_buf_init(&r->buf, (size_t)max + SG_BOX_HINT_MAX + HEADER);
	r->images = SG_NEWN(arena, struct sg_image, caps->images + 1u);
	if (!r->images)
		return sg_err_set(err, SG_ENOMEM, "no memory for the images");
	into->images = r->images;
	return SG_OK;
}

void
sg_frame_release(struct sg_frame_reader *r)
{
	sg_buf_release(&r->buf);
}

/* Moves bytes from *s until the buffer holds `want`; true when it does. */
static bool
fill(struct sg_frame_reader *r, struct sg_str *s, size_t want)
{
	size_t n = want - r->buf.len;

	if (n > s->n)
		n = s->n;
	sg_buf_add(&r->buf, s->p, n);
	*s = sg_str_slice(*s, n, s->n);
	if (sg_buf_failed(&r->buf))
		r->broken = true;
	return !r->broken && r->buf.len == want;
}

void
sg_frame_feed(struct sg_frame_reader *r, const char *p, size_t n)
{
	struct sg_str s = { p, n };
	uint64_t len;

	while (!r->broken && s.n) {
		if (r->buf.len < HEADER && !fill(r, &s, HEADER))
			return;
		len = le32(r->buf.data + 1);
		if (len > cap_of(r, r->buf.data[0]) ||
		    cap_of(r, r->buf.data[0]) == 0) {
			r->broken = true;
			return;
		}
		if (!fill(r, &s, HEADER + (size_t)len))
			return;
		if (!take(r, r->buf.data[0],
			  (struct sg_str){ r->buf.data + HEADER, (size_t)len }))
			r->broken = true;
		sg_buf_reset(&r->buf);
	}
}
