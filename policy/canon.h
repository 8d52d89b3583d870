#ifndef SG_POLICY_CANON_H
#define SG_POLICY_CANON_H

/* Names as the analyzer gives them: a rule that says `io.open` must find
 * what is called builtins.open whatever way leads there. */

#include "base/arena.h"

/*
 * The canonical form of a dotted name or glob: its segments before the first
 * wildcard are followed through the tables of modules.  `name` itself when
 * nothing is to be changed, else owned by `arena`; empty when memory is
 * refused.
 */
struct sg_str sg_canon(struct sg_str name, struct sg_arena *arena);
/* True for the name of a builtin ("open") that is no module. */
bool sg_canon_is_builtin(struct sg_str name);

#endif
