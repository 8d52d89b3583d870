#ifndef SG_PIPELINE_VERIFY_H
#define SG_PIPELINE_VERIFY_H

/*
 * Reads an audit log and says whether its chain is whole.
 *
 * What the chain alone can show: a record that was changed, removed from the
 * middle, inserted or moved.  A removed tail shows by the head file beside
 * the log.  Somebody who may write log and head file can compute both again:
 * keep copies of the head where that somebody can't write.
 */

#include "base/arena.h"
#include "pipeline/chain.h"

enum sg_verify_kind {
	SG_VERIFY_INTACT = 0,
	SG_VERIFY_CHANGED,   /* a record is not what was written */
	SG_VERIFY_REMOVED,   /* records are missing before this one */
	SG_VERIFY_INSERTED,  /* a record does not follow the one before it */
	SG_VERIFY_REORDERED, /* the record belongs further down */
	SG_VERIFY_TAIL,      /* records are missing at the end */
	SG_VERIFY_HEAD       /* the head file speaks of another chain */
};

enum sg_head_state {
	SG_HEAD_MATCHES = 0,
	SG_HEAD_BEHIND,  /* one or more records older: after a crash */
	SG_HEAD_MISSING, /* a removed tail can't be seen */
	SG_HEAD_UNREADABLE
};

struct sg_verify {
	enum sg_verify_kind kind; /* of the first fault */
	const char *file;         /* with the fault; one of the paths given */
	uint64_t line;            /* of the first fault; 0 none */
	char what[256];           /* one line about it */
	uint64_t records;         /* that were found sound */
	uint64_t first_sequence;
	struct sg_link last; /* sound one */
	enum sg_head_state head;
	uint64_t torn;       /* bytes at the end that a crash left; 0 none */
	uint64_t unfinished; /* runs that have a verdict and no outcome: cut
				off, or under way */
	char first_unfinished[SG_UID]; /* of them; "" none */
	bool carried_on;               /* begins with a rotated chain */
};

/*
 * Verifies the files of one chain, oldest first; the last one is the log
 * itself, whose head file is looked at.  SG_OK whatever is found:
 * ret->kind says it.  SG_ENOENT, SG_EIO, SG_ENOMEM when a file can't be read.
 */
SG_MUST_CHECK int sg_audit_verify(const char *const *paths, uint32_t npaths,
				  struct sg_verify *ret, struct sg_err *err);

/*
 * The files of the chain that `log` is the newest of: what it was rotated to,
 * oldest first, then `log` itself.  *ret_paths is owned by `arena`.
 */
SG_MUST_CHECK int sg_audit_files(const char *log, struct sg_arena *arena,
				 const char *const **ret_paths, uint32_t *ret_n,
				 struct sg_err *err);

/*
 * Verifies all the files of the chain that `log` is the newest of, as they
 * were when it began.  What *ret points to is owned by `arena`.
 */
SG_MUST_CHECK int sg_audit_verify_chain(const char *log, struct sg_arena *arena,
					struct sg_verify *ret,
					struct sg_err *err);

/* "intact", "changed" ...; static. */
const char *sg_verify_kind_name(enum sg_verify_kind kind);
const char *sg_head_state_name(enum sg_head_state state);

#endif
