#include "executor/orders.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "executor/order.h"

void
sg_orders_init(struct sg_orders *o)
{
	memset(o, 0, sizeof(*o));
	(void)pthread_mutex_init(&o->lock, NULL);
}

void
sg_order_file_close(struct sg_order_file *f)
{
	if (f->board)
		(void)munmap(f->board, f->size);
	sg_fd_close(&f->fd);
	*f = (struct sg_order_file){ -1, NULL, 0 };
}

static int
make(struct sg_str text, struct sg_order_file *ret, struct sg_err *err)
{
	int rc = SG_OK;
	void *p;

	*ret = (struct sg_order_file){ memfd_create("order", MFD_CLOEXEC), NULL,
				       SG_ORDER_AT + text.n };
	if (ret->fd < 0 || lseek(ret->fd, SG_ORDER_AT, SEEK_SET) < 0)
		rc = sg_err_sys(err, SG_EIO, errno, "cannot write an order");
	if (rc == SG_OK)
		rc = sg_fd_write_all(ret->fd, text.p, text.n, err);
	if (rc == SG_OK) {
		p = mmap(NULL, ret->size, PROT_READ | PROT_WRITE, MAP_SHARED,
			 ret->fd, 0);
		if (p == MAP_FAILED)
			rc = sg_err_sys(err, SG_ENOMEM, errno, "out of memory");
		else
			ret->board = p;
	}
	if (rc < 0)
		sg_order_file_close(ret);
	return rc;
}

/* The one that was used last; false when there is none. */
static bool
pop(struct sg_orders *o, struct sg_order_file *ret)
{
	bool some;

	(void)pthread_mutex_lock(&o->lock);
	some = o->n > 0;
	if (some)
		*ret = o->v[--o->n];
	(void)pthread_mutex_unlock(&o->lock);
	return some;
}

static bool
is_of(const struct sg_order_file *f, struct sg_str text)
{
	return f->size == SG_ORDER_AT + text.n &&
	       memcmp((const char *)f->board + SG_ORDER_AT, text.p, text.n) ==
		       0;
}

int
sg_orders_take(struct sg_orders *o, struct sg_str text,
	       struct sg_order_file *ret, struct sg_err *err)
{
	if (!pop(o, ret))
		return make(text, ret, err);
	if (!is_of(ret, text)) {
		sg_order_file_close(ret);
		return make(text, ret, err);
	}
	memset(ret->board, 0, SG_ORDER_AT);
	return SG_OK;
}

void
sg_orders_give(struct sg_orders *o, struct sg_order_file *f)
{
	bool room;

	(void)pthread_mutex_lock(&o->lock);
	room = f->board && f->size <= SG_ORDERS_SIZE && o->n < SG_ORDERS_IDLE;
	if (room)
		o->v[o->n++] = *f;
	(void)pthread_mutex_unlock(&o->lock);
	if (room)
		*f = (struct sg_order_file){ -1, NULL, 0 };
	else
		sg_order_file_close(f);
}

void
sg_orders_empty(struct sg_orders *o)
{
	struct sg_order_file f;

	while (pop(o, &f))
		sg_order_file_close(&f);
}

void
sg_orders_release(struct sg_orders *o)
{
	sg_orders_empty(o);
	(void)pthread_mutex_destroy(&o->lock);
}
