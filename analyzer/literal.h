#ifndef SG_ANALYZER_LITERAL_H
#define SG_ANALYZER_LITERAL_H

/* The values of literals, as CPython computes them. */

#include "analyzer/ast.h"
#include "base/buf.h"

/* The value of a number as the lexer found it. */
void sg_literal_number(struct sg_str text, struct sg_const *ret);

enum sg_literal_flag {
	SG_LITERAL_BYTES = 1 << 0,
	SG_LITERAL_RAW = 1 << 1,
	SG_LITERAL_BRACES = 1 << 2 /* `{{` and `}}` stand for one */
};

/*
 * Appends what the text of a string, without its quotes, stands for in
 * Python 3.`minor`.  NULL, or what is wrong with an escape (static text).
 */
const char *sg_literal_decode(struct sg_str text, unsigned flags,
			      uint32_t minor, struct sg_buf *out);

#endif
