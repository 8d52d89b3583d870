#ifndef SG_EXECUTOR_ORDERS_H
#define SG_EXECUTOR_ORDERS_H

/*
 * The files in which boxes get their orders (order.h), each with the board of
 * one run.  Most orders are the same, so files are used again: only the board
 * has something of a run, and begins empty.  For several threads at once.
 */

#include <pthread.h>

#include "executor/plan.h"

struct sg_order_file {
	int fd; /* -1: none */
	struct sg_board *board;
	size_t size; /* of the file, all of it mapped at `board` */
};

enum {
	SG_ORDERS_IDLE = 16,
	SG_ORDERS_SIZE = 64 * 1024 /* of one that is kept; input is large */
};

struct sg_orders {
	pthread_mutex_t lock;
	struct sg_order_file v[SG_ORDERS_IDLE];
	uint32_t n;
};

void sg_orders_init(struct sg_orders *o);
void sg_orders_release(struct sg_orders *o);
/* Lets go of all that wait for another run. */
void sg_orders_empty(struct sg_orders *o);

/*
 * A file of `text`, with an empty board.  SG_EIO, SG_ENOMEM.  On success:
 * sg_orders_give() when nobody can have it any more who might write into it,
 * or else sg_order_file_close().
 */
SG_MUST_CHECK int sg_orders_take(struct sg_orders *o, struct sg_str text,
				 struct sg_order_file *ret, struct sg_err *err);
void sg_orders_give(struct sg_orders *o, struct sg_order_file *f);
/* None is fine, and is what is left. */
void sg_order_file_close(struct sg_order_file *f);

#endif
