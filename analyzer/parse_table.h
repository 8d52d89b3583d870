#ifndef SG_ANALYZER_PARSE_TABLE_H
#define SG_ANALYZER_PARSE_TABLE_H

/* The layout of a generated grammar, for analyzer/parse*.c only. */

#include <tree_sitter/api.h>
/* after the API, which has some of its types */
#include <tree_sitter/parser.h>

const TSLanguage *tree_sitter_python(void);

#endif
