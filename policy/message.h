#ifndef SG_POLICY_MESSAGE_H
#define SG_POLICY_MESSAGE_H

/* Message templates: "{name} runs text as code". */

#include "base/arena.h"

struct sg_message_values {
	struct sg_str name, module, path, value, capability;
};

/* False when a {word} is not known; *ret_bad is the word in braces. */
bool sg_message_check(struct sg_str tmpl, struct sg_str *ret_bad);
/*
 * Fills in.  Values come from the script: controls become '?', long ones
 * are cut.  One line, owned by `arena`; empty when memory is refused.
 */
struct sg_str sg_message_fill(struct sg_str tmpl,
			      const struct sg_message_values *values,
			      struct sg_arena *arena);
/* The same cleaning for any text of the script. */
struct sg_str sg_message_quote(struct sg_str text, struct sg_arena *arena);

#endif
