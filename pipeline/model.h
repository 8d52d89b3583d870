#ifndef SG_PIPELINE_MODEL_H
#define SG_PIPELINE_MODEL_H

/*
 * A run as text for a language model: first what became of it, then what to
 * do about it, then what the program gave.
 *
 *	ZeroDivisionError in 0.04 s (exit code 1).
 *
 *	Traceback (most recent call last):
 *	  File "script.py", line 4, in <module>
 *	ZeroDivisionError: division by zero
 *
 *	stdout:
 *	...
 *
 * Long output is cut in its middle, and the text says so.
 */

#include "base/buf.h"
#include "pipeline/run.h"

struct sg_model_opts {
	bool check;     /* it was judged only */
	size_t bytes;   /* of a stream that are shown; 0: 10,000 */
	uint32_t lines; /* of a stream that are shown; 0: 256 */
};

void sg_model_text(const struct sg_run *run, const struct sg_model_opts *opts,
		   struct sg_buf *out);

/*
 * Appends `s`, or its head and tail when it has more bytes or lines than
 * that, cut at whole code points, with a line between them that says how much
 * is missing.
 */
void sg_model_cut(struct sg_str s, size_t bytes, uint32_t lines,
		  struct sg_buf *out);

#endif
