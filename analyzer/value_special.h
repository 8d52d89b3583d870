#ifndef SG_ANALYZER_VALUE_SPECIAL_H
#define SG_ANALYZER_VALUE_SPECIAL_H

/*
 * Foreign callables whose result the analysis knows.  Each of the files
 * value_reflect.c, value_iterate.c, value_decode.c, value_ospath.c and
 * value_pathlib.c gives a table sorted by dotted name; to add one, add a row
 * and a handler there.
 */

#include "analyzer/value.h"

typedef uint32_t sg_special_fn(struct sg_values *v, uint32_t path,
			       const struct sg_call *call);

struct sg_special {
	const char *name; /* canonical; "f()" is the result of f called */
	sg_special_fn *call;
};

extern const struct sg_special sg_specials_reflect[];
extern const uint32_t sg_specials_reflect_n;
extern const struct sg_special sg_specials_iterate[];
extern const uint32_t sg_specials_iterate_n;
extern const struct sg_special sg_specials_text[];
extern const uint32_t sg_specials_text_n;
extern const struct sg_special sg_specials_ospath[];
extern const uint32_t sg_specials_ospath_n;
extern const struct sg_special sg_specials_pathlib[];
extern const uint32_t sg_specials_pathlib_n;

#endif
