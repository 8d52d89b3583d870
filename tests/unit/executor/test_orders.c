/*
 * Files of orders that are used again: what a box reads is what was ordered
 * for it, and the board of its run is empty.
 */

#include <stdlib.h>
#include <unistd.h>

#include "executor/order.h"
#include "executor/orders.h"
#include "unit/support.h"

static struct sg_order_file
take(struct sg_orders *o, struct sg_str text)
{
	struct sg_order_file f;
	struct sg_err err;

	sg_err_clear(&err);
	ck_good(sg_orders_take(o, text, &f, &err), &err);
	return f;
}

/* As the box sees it: by the descriptor. */
static void
hold(const struct sg_order_file *f, struct sg_str text)
{
	static const char none[SG_ORDER_AT];
	char *p = malloc(SG_ORDER_AT + text.n + 1);
	ssize_t n;

	ck_assert_ptr_nonnull(p);
	n = pread(f->fd, p, SG_ORDER_AT + text.n + 1, 0);
	ck_assert_int_eq(n, (ssize_t)(SG_ORDER_AT + text.n));
	ck_assert_int_eq(memcmp(p, none, SG_ORDER_AT), 0);
	ck_assert_int_eq(memcmp(p + SG_ORDER_AT, text.p, text.n), 0);
	free(p);
}

static void
use(struct sg_order_file *f)
{
	const char word[] = "what a warden has written";

	f->board->done = 1;
	f->board->fault.what[0] = 'x';
	/* Beyond the board, too. */
	ck_assert_int_eq(
		pwrite(f->fd, word, sizeof(word), SG_ORDER_AT - sizeof(word)),
		sizeof(word));
}

START_TEST(a_file_of_the_same_order_is_used_again)
{
	struct sg_order_file f;
	struct sg_orders o;
	int fd;

	sg_orders_init(&o);
	f = take(&o, SG_STR("the usual"));
	hold(&f, SG_STR("the usual"));
	fd = f.fd;
	use(&f);
	sg_orders_give(&o, &f);
	ck_assert_int_eq(f.fd, -1);
	ck_assert_ptr_null(f.board);
	f = take(&o, SG_STR("the usual"));
	ck_assert_int_eq(f.fd, fd);
	hold(&f, SG_STR("the usual"));
	sg_orders_give(&o, &f);
	sg_orders_release(&o);
}
END_TEST

START_TEST(another_order_has_another_file)
{
	static const char *const texts[] = { "the usual", "the USUAL", "the",
					     "the usual and more" };
	struct sg_order_file f;
	struct sg_orders o;

	sg_orders_init(&o);
	for (size_t i = 0; i < 12; i++) {
		struct sg_str text = sg_str_c(texts[i % 4]);

		f = take(&o, text);
		hold(&f, text);
		use(&f);
		sg_orders_give(&o, &f);
		ck_assert_uint_eq(o.n, 1);
	}
	sg_orders_release(&o);
}
END_TEST

START_TEST(a_large_one_is_not_kept)
{
	const size_t most = SG_ORDERS_SIZE - SG_ORDER_AT;
	char *p = calloc(1, most + 1);
	struct sg_order_file f;
	struct sg_orders o;

	ck_assert_ptr_nonnull(p);
	sg_orders_init(&o);
	f = take(&o, (struct sg_str){ p, most + 1 });
	sg_orders_give(&o, &f);
	ck_assert_uint_eq(o.n, 0);
	ck_assert_int_eq(f.fd, -1);
	f = take(&o, (struct sg_str){ p, most });
	sg_orders_give(&o, &f);
	ck_assert_uint_eq(o.n, 1);
	sg_orders_release(&o);
	free(p);
}
END_TEST

START_TEST(so_many_wait_and_no_more)
{
	struct sg_order_file v[SG_ORDERS_IDLE + 1];
	struct sg_orders o;

	sg_orders_init(&o);
	for (int i = 0; i <= SG_ORDERS_IDLE; i++)
		v[i] = take(&o, SG_STR("text"));
	for (int i = 0; i <= SG_ORDERS_IDLE; i++)
		sg_orders_give(&o, &v[i]);
	ck_assert_uint_eq(o.n, SG_ORDERS_IDLE);
	sg_orders_empty(&o);
	ck_assert_uint_eq(o.n, 0);
	/* None can be given, too. */
	sg_orders_give(&o, &v[0]);
	ck_assert_uint_eq(o.n, 0);
	sg_orders_release(&o);
}
END_TEST

SG_TEST_MAIN("orders", a_file_of_the_same_order_is_used_again,
	     another_order_has_another_file, a_large_one_is_not_kept,
	     so_many_wait_and_no_more)
