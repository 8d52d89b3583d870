#include "executor/order.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "executor/zygote.h"
#include "unit/support.h"

enum { CAP = 8 << 20 };

/* A plan with something in each part that an order carries. */
struct sample {
	struct sg_box_spec spec;
	struct sg_box_input files[2];
	struct sg_prepared prepared;
	struct sg_plan plan;
	struct sg_buf bytes;
};

static void
sample_init(struct sample *s)
{
	memset(s, 0, sizeof(*s));
	sg_box_spec_init(&s->spec);
	s->files[0] = (struct sg_box_input){ SG_STR("a.txt"), SG_STR("one") };
	s->files[1] = (struct sg_box_input){ SG_STR("d/b"), SG_STR("\0\n") };
	s->spec.files = s->files;
	s->spec.nfiles = 2;
	s->spec.limits.memory = 12345678;
	s->prepared.fonts_name = ".matplotlib/fontlist.json";
	s->prepared.fonts = SG_STR("{}");
	sg_plan_forked(&s->spec, &s->prepared, SG_L_ALL, &s->plan);
	s->plan.first = SG_STR("filter");
	s->plan.final = SG_STR("last filter");
	sg_buf_init(&s->bytes, CAP);
	sg_order_encode(&s->plan, &s->bytes);
}

START_TEST(an_order_arrives_as_it_was_given)
{
	static struct sg_order o;
	struct sample s;

	sample_init(&s);
	ck_assert(sg_order_decode(sg_buf_view(&s.bytes), &o));
	ck_assert_uint_eq(o.plan.want, SG_L_ALL);
	ck_assert_uint_eq(o.plan.must, s.plan.must);
	ck_assert_uint_eq(o.plan.data_limit, s.plan.data_limit);
	ck_assert_ptr_eq(o.plan.spec, &o.spec);
	ck_assert_ptr_eq(o.plan.prepared, &o.prepared);
	ck_assert_mem_eq(&o.spec.limits, &s.spec.limits, sizeof(s.spec.limits));
	ck_str_is(o.plan.first, "filter");
	ck_str_is(o.plan.final, "last filter");
	ck_assert_str_eq(o.prepared.fonts_name, s.prepared.fonts_name);
	ck_str_is(o.prepared.fonts, "{}");
	ck_assert_uint_eq(o.spec.nfiles, 2);
	ck_str_is(o.spec.files[0].name, "a.txt");
	ck_str_is(o.spec.files[0].data, "one");
	ck_str_is(o.spec.files[1].name, "d/b");
	ck_assert_uint_eq(o.spec.files[1].data.n, 2);
	sg_buf_release(&s.bytes);
}
END_TEST

START_TEST(an_order_may_be_without_files_and_fonts)
{
	static struct sg_order o;
	struct sample s;

	sample_init(&s);
	s.spec.nfiles = 0;
	s.prepared.fonts_name = NULL;
	s.prepared.fonts = SG_STR_NONE;
	sg_buf_reset(&s.bytes);
	sg_order_encode(&s.plan, &s.bytes);
	ck_assert(sg_order_decode(sg_buf_view(&s.bytes), &o));
	ck_assert_uint_eq(o.spec.nfiles, 0);
	ck_assert_ptr_null(o.prepared.fonts_name);
	ck_assert_uint_eq(o.prepared.fonts.n, 0);
	sg_buf_release(&s.bytes);
}
END_TEST

START_TEST(an_order_that_is_cut_or_longer_is_none)
{
	static struct sg_order o;
	struct sample s;

	sample_init(&s);
	for (size_t n = 0; n < s.bytes.len; n++)
		ck_assert(!sg_order_decode(
			sg_str_slice(sg_buf_view(&s.bytes), 0, n), &o));
	sg_buf_char(&s.bytes, 'x');
	ck_assert(!sg_order_decode(sg_buf_view(&s.bytes), &o));
	sg_buf_release(&s.bytes);
}
END_TEST

/* The order with its byte at `at` changed by one bit. */
static bool
still_good(struct sample *s, size_t at, int bit)
{
	static struct sg_order o;
	bool good;

	s->bytes.data[at] = (char)(s->bytes.data[at] ^ 1 << bit);
	good = sg_order_decode(sg_buf_view(&s->bytes), &o);
	s->bytes.data[at] = (char)(s->bytes.data[at] ^ 1 << bit);
	return good && o.spec.nfiles > 2;
}

START_TEST(a_count_beyond_the_cap_is_refused)
{
	struct sample s;

	sample_init(&s);
	for (size_t at = 0; at < s.bytes.len; at++)
		for (int bit = 0; bit < 8; bit++)
			ck_assert(!still_good(&s, at, bit));
	sg_buf_release(&s.bytes);
}
END_TEST

START_TEST(the_name_of_a_file_has_its_longest)
{
	static struct sg_order o;
	static char name[SG_BOX_NAME_MAX + 1];
	struct sample s;

	memset(name, 'a', sizeof(name));
	for (size_t n = SG_BOX_NAME_MAX; n <= SG_BOX_NAME_MAX + 1; n++) {
		sample_init(&s);
		s.files[0].name = (struct sg_str){ name, n };
		sg_buf_reset(&s.bytes);
		sg_order_encode(&s.plan, &s.bytes);
		ck_assert(sg_order_decode(sg_buf_view(&s.bytes), &o) ==
			  (n == SG_BOX_NAME_MAX));
		sg_buf_release(&s.bytes);
	}
	sample_init(&s);
	s.files[0].name = SG_STR("a\0b");
	sg_buf_reset(&s.bytes);
	sg_order_encode(&s.plan, &s.bytes);
	ck_assert(!sg_order_decode(sg_buf_view(&s.bytes), &o));
	sg_buf_release(&s.bytes);
}
END_TEST

/* What has come to `sock`, read; NULL: no order. */
static struct sg_board *
take_order(int sock, struct sg_order *ret, struct sg_order_msg *m,
	   size_t *ret_size)
{
	return sg_order_wait(sock, m) ? sg_order_read(m, ret, ret_size) : NULL;
}

/* A file as the supervisor makes it: room for the board, then the text. */
static int
order_file(struct sg_str text)
{
	int fd = memfd_create("order", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, SG_ORDER_AT), 0);
	ck_assert_int_eq(lseek(fd, SG_ORDER_AT, SEEK_SET), SG_ORDER_AT);
	ck_assert_int_eq(write(fd, text.p, text.n), (ssize_t)text.n);
	return fd;
}

START_TEST(descriptors_come_to_their_places)
{
	static struct sg_order o;
	struct sg_spare spare = { -1, -1, 0, NULL };
	struct sg_board *board;
	struct sample s;
	int pair[2], null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct sg_order_msg m = { .workspace = 1 << 20, .inodes = 77 }, got;
	size_t size = 0;

	sample_init(&s);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	spare.sock = pair[0];
	for (int i = 0; i < SG_ORDER_FDS; i++)
		m.fds[i] = null;
	m.fds[SG_ORDER_IN] = m.fds[SG_ORDER_PIDS] = -1;
	m.fds[SG_ORDER_FILE] = order_file(sg_buf_view(&s.bytes));
	ck_assert(sg_order_send(spare.sock, &m));
	board = take_order(pair[1], &o, &got, &size);
	ck_assert_uint_eq(got.workspace, 1 << 20);
	ck_assert_uint_eq(got.inodes, 77);
	ck_assert_ptr_nonnull(board);
	ck_assert_int_eq(o.plan.fds.in, -1);
	ck_assert_int_eq(o.plan.fds.pids, -1);
	ck_assert_int_ge(o.plan.fds.out, 0);
	ck_assert_int_ge(o.plan.fds.memory, 0);
	ck_assert_int_ge(o.plan.fds.group, 0);
	ck_assert_int_eq(o.plan.fds.life, -1);
	ck_str_is(o.spec.files[0].data, "one");
	ck_assert_int_eq(munmap(board, size), 0);
	sg_buf_release(&s.bytes);
}
END_TEST

START_TEST(what_is_no_order_is_not_taken)
{
	static struct sg_order o;
	struct sg_spare spare = { -1, -1, 0, NULL };
	struct sg_order_msg m, got;
	size_t size;
	int pair[2];

	/* Nothing, no descriptors, a file that is too short, rubbish. */
	for (int i = 0; i < 4; i++) {
		ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair),
				 0);
		spare.sock = pair[0];
		memset(&m, 0xff, sizeof(m));
		if (i == 1)
			ck_assert_int_eq(send(pair[0], "abcd", 4, 0), 4);
		if (i == 2)
			m.fds[SG_ORDER_FILE] = memfd_create("short", 0);
		if (i == 3)
			m.fds[SG_ORDER_FILE] = order_file(SG_STR("rubbish"));
		if (i > 1)
			ck_assert(sg_order_send(spare.sock, &m));
		ck_assert_int_eq(close(pair[0]), 0);
		ck_assert_ptr_null(take_order(pair[1], &o, &got, &size));
		ck_assert_int_eq(close(pair[1]), 0);
	}
}
END_TEST

START_TEST(a_box_that_is_gone_takes_no_order)
{
	struct sg_spare spare = { -1, -1, 0, NULL };
	struct sg_order_msg m;
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	spare.sock = pair[0];
	ck_assert_int_eq(close(pair[1]), 0);
	memset(&m, 0xff, sizeof(m));
	m.fds[SG_ORDER_FILE] = order_file(SG_STR("text"));
	ck_assert(!sg_order_send(spare.sock, &m));
	ck_assert(!sg_spare_alive(&spare));
	sg_spare_drop(&spare);
	ck_assert_int_eq(spare.sock, -1);
}
END_TEST

SG_TEST_MAIN("order", an_order_arrives_as_it_was_given,
	     an_order_may_be_without_files_and_fonts,
	     an_order_that_is_cut_or_longer_is_none,
	     a_count_beyond_the_cap_is_refused,
	     the_name_of_a_file_has_its_longest,
	     descriptors_come_to_their_places, what_is_no_order_is_not_taken,
	     a_box_that_is_gone_takes_no_order)
