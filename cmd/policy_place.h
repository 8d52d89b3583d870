#ifndef SG_CMD_POLICY_PLACE_H
#define SG_CMD_POLICY_PLACE_H

/*
 * Places in policies for people: the line itself, and a caret below it.
 *
 *	team.yaml:4:5: unknown key 'calls' in a pattern; did you mean 'call'?
 *	    4 |     calls: os.system
 *	      |     ^
 */

#include "base/buf.h"

/*
 * Appends the two lines, or nothing when there is no such line: `file` is a
 * regular file or the name of a shipped policy.  Long lines are cut around
 * the column, and what a terminal would act on is shown as an escape.
 */
void sg_policy_excerpt(const char *file, uint32_t line, uint32_t column,
		       struct sg_buf *out);

/* The message without its suggestion, and the word that is suggested. */
void sg_policy_suggestion(struct sg_str message, struct sg_str *ret_message,
			  struct sg_str *ret_word);

#endif
