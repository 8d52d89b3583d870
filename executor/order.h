#ifndef SG_EXECUTOR_ORDER_H
#define SG_EXECUTOR_ORDER_H

/*
 * What passes between the supervisor, a zygote, and the wardens that are
 * forked from it.
 *
 * The zygote's control socket takes an *ask* (struct sg_ask) with one end of
 * a socket pair, and answers with one byte: SG_ZYGOTE_BOX with the pidfd of
 * the new warden, or SG_ZYGOTE_FAILED.  Its first word, without being asked,
 * is SG_ZYGOTE_READY, or SG_ZYGOTE_MISSING when a module cannot be imported.
 *
 * The warden builds what every run needs and says SG_SPARE_READY on its end
 * of the pair, or sends its board when a step has failed.  It then waits for
 * an *order*: the descriptors of one run, in the order of enum sg_order_fd,
 * and the size of its workspace.  The last descriptor is a file of the run's
 * board and the text that the functions below write and read.  The warden
 * hands all on to its worker, who alone reads the text; it writes its part of
 * the board into the file.  The other end of the pair is its life pipe, on
 * which it says SG_SPARE_DONE at the end; before, it takes the reports of a
 * box that had its order ahead.
 *
 * None of it is ever in reach of a program: by then the worker holds neither
 * socket, nor the file.
 */

#include <stddef.h>

#include "base/buf.h"
#include "executor/limits.h"
#include "executor/plan.h"

enum sg_zygote_word {
	SG_ZYGOTE_READY = 'Z',
	SG_ZYGOTE_MISSING = 'M',
	SG_ZYGOTE_BOX = 'B',
	SG_ZYGOTE_FAILED = 'F'
};

/* SG_SPARE_DONE: the worker is reaped, and the board says what it came to. */
enum { SG_SPARE_READY = 'R', SG_SPARE_DONE = 'D' };

struct sg_ask {
	uint64_t clone_flags;
	uint32_t want;     /* layers */
	uint32_t uid, gid; /* of the program, inside; the zygote's own too */
	uint32_t park;     /* fork the worker before the order is there */
};

/* A bit for each is in the message before it: absent ones are not sent. */
enum sg_order_fd {
	SG_ORDER_IN,
	SG_ORDER_OUT,
	SG_ORDER_ERR,
	SG_ORDER_RESULT,
	SG_ORDER_REQUEST,
	SG_ORDER_REPORT,
	SG_ORDER_MEMORY,
	SG_ORDER_PIDS,
	SG_ORDER_GROUP,
	SG_ORDER_FILE,
	SG_ORDER_FDS
};

/* Where the text begins in the file; the board is in front of it. */
enum { SG_ORDER_AT = 4096 };

/* What is sent: this much is the warden's to read. */
struct sg_order_msg {
	int fds[SG_ORDER_FDS]; /* -1 where absent; not in the bytes sent */
	uint64_t workspace;    /* bytes */
	uint64_t inodes;
};

/* An order as it was read; it points into itself and into the text. */
struct sg_order {
	struct sg_plan plan;
	struct sg_box_spec spec;
	struct sg_prepared prepared;
	char fonts_name[SG_BOX_NAME_MAX + 1];
	struct sg_box_input files[SG_BOX_INPUTS_MAX];
};

/* Writes what the warden must know of `plan` into `out`. */
void sg_order_encode(const struct sg_plan *plan, struct sg_buf *out);

/*
 * Fills the parts of *ret that encode() writes, as views into `text`; the
 * rest is empty.  Neither allocates nor trusts: false when the text is not
 * what encode() makes.
 */
SG_MUST_CHECK bool sg_order_decode(struct sg_str text, struct sg_order *ret);

/* Sends an order, or hands on one that has come. */
SG_MUST_CHECK bool sg_order_send(int sock, const struct sg_order_msg *m);
/* Waits for one; false when nobody will send any. */
SG_MUST_CHECK bool sg_order_wait(int sock, struct sg_order_msg *ret);
/*
 * Reads one that has come, and closes its file; `life` is left to the
 * caller.  The board, with the text behind it, *ret_size bytes for munmap();
 * NULL when it is none.
 */
struct sg_board *sg_order_read(const struct sg_order_msg *m,
			       struct sg_order *ret, size_t *ret_size);

#endif
