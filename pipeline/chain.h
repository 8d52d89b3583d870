#ifndef SG_PIPELINE_CHAIN_H
#define SG_PIPELINE_CHAIN_H

/*
 * The records of an audit log and how they hang together.
 *
 * A record is one JSON object in the canonical form of RFC 8785 (members in
 * order, integers only, no white space), so that anybody can compute it
 * again.  Each names the one before it:
 *
 *	chain_uid    which chain; the same in all records and files of it
 *	sequence     1, 2, 3 ... without a gap
 *	uid          of this record
 *	time         milliseconds since 1970; time_dt says the same in words
 *	prev_event   {"fingerprint": {...}, "uid": ...} of the one before,
 *	             null in the first record of a chain
 *	fingerprint  {"algorithm": "SHA-256", "value": hex} over the canonical
 *	             form of the record without this member
 *
 * The names are those of the record_integrity profile of OCSF.  What else a
 * record says is the business of pipeline/event.h.
 */

#include "base/buf.h"
#include "base/digest.h"
#include "pipeline/limits.h"

struct json_t;

enum { SG_UID = 40 }; /* bytes of a uid with its NUL */

/* Where a chain stands: its last record. */
struct sg_link {
	uint64_t sequence; /* 0: there is none yet */
	char chain[SG_UID];
	char uid[SG_UID];
	char fingerprint[SG_DIGEST_HEX];
};

/* Writes `prefix` and 96 random bits in hexadecimal. */
void sg_uid_make(const char *prefix, char out[SG_UID]);

/*
 * Writes the canonical form of `v`.  SG_EUSAGE for numbers that are not
 * integers, SG_ELIMIT for nesting beyond 32, SG_ENOMEM.
 */
SG_MUST_CHECK int sg_canon_write(const struct json_t *v, struct sg_buf *out,
				 struct sg_err *err);

/*
 * Completes `record` (an object) as the successor of *prev and writes it as
 * one line with its LF.  *ret_link is then the new end of the chain.
 */
SG_MUST_CHECK int sg_chain_seal(struct json_t *record,
				const struct sg_link *prev, struct sg_buf *out,
				struct sg_link *ret_link, struct sg_err *err);

enum sg_record_fault {
	SG_RECORD_GOOD = 0,
	SG_RECORD_SYNTAX, /* not a JSON object */
	SG_RECORD_SHAPE,  /* a member of the chain is missing or wrong */
	SG_RECORD_FORM,   /* not in canonical form */
	SG_RECORD_CHANGED /* the fingerprint is that of another record */
};

/* One record as read. */
struct sg_record {
	struct json_t *json; /* NULL when the line is not a JSON object */
	struct sg_link self;
	bool has_prev;
	char prev_uid[SG_UID];
	char prev_fingerprint[SG_DIGEST_HEX];
	const char *event; /* view into json; "" unknown */
};

/*
 * Reads one line (without LF) and checks it for itself, not its place in a
 * chain.  `self` and `prev_*` are filled in unless the fault is SYNTAX or
 * SHAPE.  `rec` must be released whatever comes back.
 */
enum sg_record_fault sg_record_read(struct sg_str line, struct sg_record *rec);
void sg_record_release(struct sg_record *rec);

/*
 * The head file beside a log ("LOG.head"): the link of its last record, so
 * that a removed tail is seen.  It is written as a whole, after the record is
 * durable.  It may be one append behind after a crash of the writer, and what
 * the system had not yet written back after one of the machine; never ahead.
 */
SG_MUST_CHECK int sg_head_write(const char *log, const struct sg_link *link,
				struct sg_err *err);
/* Makes it durable, if there is one.  SG_EAUDIT. */
SG_MUST_CHECK int sg_head_sync(const char *log, struct sg_err *err);
/* SG_ENOENT when there is none, SG_EPARSE when it can't be understood. */
SG_MUST_CHECK int sg_head_read(const char *log, struct sg_link *ret,
			       struct sg_err *err);

#endif
