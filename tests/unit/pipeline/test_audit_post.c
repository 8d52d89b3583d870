/* Records that are handed in at one time and must be durable at another. */

#include "pipeline/audit.h"

#include "unit/pipeline/log.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* A record and its way. */
struct letter {
	json_t *record;
	struct sg_audit_post post;
};

static void
post(struct sg_audit *a, int n, struct letter *l)
{
	l->record = json_pack("{s:s, s:i}", "event", "verdict", "n", n);
	ck_assert_ptr_nonnull(l->record);
	sg_audit_post(a, l->record, &l->post);
}

/* It was settled as record `sequence`. */
static void
arrived(struct letter *l, uint64_t sequence)
{
	ck_good(l->post.entry.status, &l->post.err);
	ck_assert_uint_eq(l->post.entry.link.sequence, sequence);
	json_decref(l->record);
}

START_TEST(a_lonely_record_is_not_left_lying)
{
	const char *path = sg_test_path("log");
	struct sg_audit *a = open_log(path, 0);
	struct letter l;

	post(a, 1, &l);
	ck_assert(sg_audit_settle(a, &l.post, false));
	arrived(&l, 1);
	is_intact(path, 1);
	sg_audit_free(a);
}
END_TEST

START_TEST(where_there_are_others_one_writes_for_all)
{
	const char *path = sg_test_path("log");
	struct sg_audit *a = open_log(path, 0);
	struct letter l[3];

	for (int i = 0; i < 3; i++)
		post(a, i, &l[i]);
	for (int i = 0; i < 3; i++)
		ck_assert(!sg_audit_settle(a, &l[i].post, false));
	is_intact(path, 0);
	ck_assert(sg_audit_settle(a, &l[1].post, true));
	is_intact(path, 3);
	/* What the others know without waiting for it. */
	ck_assert(sg_audit_settle(a, &l[0].post, false));
	ck_assert(sg_audit_settle(a, &l[2].post, false));
	for (int i = 0; i < 3; i++)
		arrived(&l[i], (uint64_t)i + 1);
	sg_audit_free(a);
}
END_TEST

START_TEST(an_append_takes_along_what_was_posted)
{
	const char *path = sg_test_path("log");
	struct sg_audit *a = open_log(path, 0);
	struct letter l[2];

	post(a, 1, &l[0]);
	post(a, 2, &l[1]);
	append(a, 3);
	is_intact(path, 3);
	ck_assert(sg_audit_settle(a, &l[1].post, false));
	ck_assert(sg_audit_settle(a, &l[0].post, false));
	arrived(&l[0], 1);
	arrived(&l[1], 2);
	/* Nobody is there any more: the next one need not wait. */
	post(a, 4, &l[0]);
	ck_assert(sg_audit_settle(a, &l[0].post, false));
	arrived(&l[0], 4);
	sg_audit_free(a);
}
END_TEST

START_TEST(what_can_not_be_written_is_settled_too)
{
	const char *path = sg_test_path("log");
	struct sg_audit *a = open_log(path, 0);
	struct letter bad, good;

	post(a, 1, &good);
	bad.record = json_pack("{s:s, s:f}", "event", "verdict", "n", 0.5);
	sg_audit_post(a, bad.record, &bad.post);
	ck_assert(sg_audit_settle(a, &good.post, true));
	ck_assert(sg_audit_settle(a, &bad.post, true));
	ck_assert_int_eq(bad.post.entry.status, SG_EUSAGE);
	ck_assert_str_ne(bad.post.err.msg, "");
	json_decref(bad.record);
	arrived(&good, 1);
	is_intact(path, 1);
	sg_audit_free(a);
}
END_TEST

/* ---- many at a time ---- */

static void *
append_one(void *log)
{
	append(log, 1);
	return NULL;
}

static void
begin_append(struct sg_audit *a, pthread_t *ret)
{
	const struct timespec soon = { .tv_nsec = 50000000 };

	ck_assert_int_eq(pthread_create(ret, NULL, append_one, a), 0);
	(void)nanosleep(&soon, NULL);
}

START_TEST(who_waits_does_not_depend_on_who_does_not)
{
	const char *path = sg_test_path("log");
	struct sg_audit *a = open_log(path, 0);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	pthread_t first, second;
	struct letter l;

	/* The first one writes, held up by another process, as it were. */
	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	begin_append(a, &first);
	post(a, 2, &l);
	ck_assert(!sg_audit_settle(a, &l.post, false));
	begin_append(a, &second);
	ck_assert_int_eq(flock(fd, LOCK_UN), 0);
	/* Nobody settles the post meanwhile. */
	ck_assert_int_eq(pthread_join(first, NULL), 0);
	ck_assert_int_eq(pthread_join(second, NULL), 0);
	ck_assert(sg_audit_settle(a, &l.post, false));
	arrived(&l, 2);
	is_intact(path, 3);
	(void)close(fd);
	sg_audit_free(a);
}
END_TEST

enum { THREADS = 8, EACH = 200 };

struct poster {
	pthread_t thread;
	struct sg_audit *log;
	unsigned number;
};

/* Runs, as it were: posts, does something else, settles, appends. */
static void *
post_all(void *arg)
{
	struct poster *p = arg;

	for (int i = 0; i < EACH; i++) {
		struct letter l;

		post(p->log, i, &l);
		if (!sg_audit_settle(p->log, &l.post, false)) {
			if ((p->number + (unsigned)i) % 3 == 0)
				(void)sched_yield();
			ck_assert(sg_audit_settle(p->log, &l.post, true));
		}
		ck_good(l.post.entry.status, &l.post.err);
		json_decref(l.record);
		append(p->log, i);
	}
	return NULL;
}

START_TEST(nobody_waits_for_ever)
{
	static struct poster p[THREADS];
	const char *path = sg_test_path("log");
	struct sg_audit *a = open_log(path, 0);

	for (unsigned t = 0; t < THREADS; t++) {
		p[t] = (struct poster){ .log = a, .number = t };
		ck_assert_int_eq(
			pthread_create(&p[t].thread, NULL, post_all, &p[t]), 0);
	}
	for (unsigned t = 0; t < THREADS; t++)
		ck_assert_int_eq(pthread_join(p[t].thread, NULL), 0);
	sg_audit_free(a);
	is_intact(path, (uint64_t)2 * THREADS * EACH);
	ck_assert_int_eq(verify(path).head, SG_HEAD_MATCHES);
}
END_TEST

SG_TEST_MAIN("audit post", a_lonely_record_is_not_left_lying,
	     where_there_are_others_one_writes_for_all,
	     an_append_takes_along_what_was_posted,
	     what_can_not_be_written_is_settled_too,
	     who_waits_does_not_depend_on_who_does_not, nobody_waits_for_ever)
