#ifndef SG_EXECUTOR_FRAME_H
#define SG_EXECUTOR_FRAME_H

/*
 * What comes through the result pipe.  The other end is in the hands of the
 * program, so this is a parser of hostile input: every length is capped,
 * nothing is interpreted, and nothing in it decides the status of the run.
 *
 * A frame is one byte of kind, four bytes of length (little endian) and the
 * payload.  Texts inside a payload are four bytes of length and the bytes.
 *
 *	S  [at, cpu]	the program starts; when, by CLOCK_MONOTONIC, and the
 *			processor time used by then: eight bytes each, in ns.
 *			Of several the first counts, which is sent before the
 *			program is there
 *	V  cut, type, repr	value of the last expression
 *	E  line, name, value, traceback
 *	I  png		one image
 *	D  count	images that were not sent
 *	H  text		a hint for the reader
 *
 * The first byte or length that is wrong breaks the reader for good; what
 * was complete before stays.
 */

#include "base/buf.h"
#include "executor/result.h"

struct sg_frame_caps {
	uint32_t value; /* bytes of a repr */
	uint32_t images;
	uint64_t image_bytes; /* each */
};

struct sg_frame_reader {
	struct sg_frame_caps caps;
	struct sg_arena *arena; /* borrowed; owns what is read */
	struct sg_buf buf;      /* the frame that is not complete yet */
	bool started;
	uint64_t at, cpu; /* of the start; 0: not said */
	bool broken;
	struct sg_image *images; /* [caps.images] */
	struct sg_result *into;  /* value, error, images, hint */
};

/* `arena` and `into` are borrowed and must outlive the reader. */
SG_MUST_CHECK int sg_frame_init(struct sg_frame_reader *r,
				const struct sg_frame_caps *caps,
				struct sg_arena *arena, struct sg_result *into,
				struct sg_err *err);
void sg_frame_release(struct sg_frame_reader *r);
/* Takes any part of the stream. */
void sg_frame_feed(struct sg_frame_reader *r, const char *p, size_t n);

/*
 * True when `s` is one whole PNG: signature, IHDR first with sides from 1 to
 * SG_BOX_PNG_SIDE_MAX, chunks that fit, IEND last.
 */
bool sg_png_check(struct sg_str s, uint32_t *ret_width, uint32_t *ret_height);

#endif
