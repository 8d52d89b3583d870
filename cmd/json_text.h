#ifndef SG_CMD_JSON_TEXT_H
#define SG_CMD_JSON_TEXT_H

#include <jansson.h>

#include "base/str.h"

/* View into v, valid until v goes; SG_STR_NONE when it is no string. */
static inline struct sg_str
sg_json_text(const json_t *v)
{
	if (!json_is_string(v))
		return SG_STR_NONE;
	return (struct sg_str){ json_string_value(v), json_string_length(v) };
}

#endif
