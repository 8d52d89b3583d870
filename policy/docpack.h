#ifndef SG_POLICY_DOCPACK_H
#define SG_POLICY_DOCPACK_H

/*
 * A document (policy/doc.h) as a sequence of bytes: what sg_doc_read() made
 * of a shipped policy when sandgate was built, so that no YAML is read when
 * it starts.  A file is always read as YAML, whatever it holds.
 *
 * The bytes begin with the digest of the text that was read: whoever has
 * another text must not use them.
 */

#include "base/buf.h"
#include "base/digest.h"
#include "policy/doc.h"

/* Appends the packed form of `root`, which was read out of `text`. */
void sg_doc_pack(const struct sg_doc_node *root, struct sg_str text,
		 struct sg_buf *out);

/*
 * The tree again, as sg_doc_read() would give it.  The nodes are owned by
 * `arena`, their texts are views into `packed`, each with a NUL behind it.
 * SG_ENOMEM, or SG_EINTERNAL when these are no such bytes.
 */
SG_MUST_CHECK int sg_doc_unpack(struct sg_str packed, struct sg_arena *arena,
				struct sg_digest *ret_digest,
				struct sg_doc_node **ret, struct sg_err *err);

#endif
