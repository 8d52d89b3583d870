#ifndef SG_PIPELINE_RENDER_H
#define SG_PIPELINE_RENDER_H

/*
 * Verdicts as text for people:
 *
 *	bad.py:3:1: reject SG102: 'os.system' starts a program
 *	    3 | os.system('ls')
 *	      | ^^^^^^^^^^^^^^^
 *	      = hint: compute it in Python
 *
 * What comes out is safe on a terminal whatever the script holds: controls
 * and direction marks are shown as escapes.
 */

#include "base/buf.h"
#include "pipeline/gate.h"

struct sg_render_opts {
	const char *file; /* how the script is called */
	bool colour;
	bool concise;  /* the first line of each finding only */
	uint32_t most; /* findings shown; 0: all */
};

void sg_render_findings(const struct sg_check *check,
			const struct sg_render_opts *opts, struct sg_buf *out);

/* Appends `s` with controls, direction marks and bad bytes as escapes. */
void sg_render_safe(struct sg_str s, struct sg_buf *out);

/*
 * Makes what a program printed safe for a terminal: tabs, line ends,
 * backspaces and colour sequences stay, all other controls are shown.
 */
void sg_render_terminal(struct sg_str s, struct sg_buf *out);

#endif
