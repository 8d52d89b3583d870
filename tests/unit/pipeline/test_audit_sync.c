/*
 * What waits for the disk, and what does not.  The disk is ours: it can be
 * held up and can fail.
 */

#include "pipeline/audit.h"

#include "base/clock.h"
#include "unit/pipeline/log.h"

#include <errno.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- the disk ---- */

static struct {
	pthread_mutex_t lock;
	pthread_cond_t moved;
	bool held, fails;
	unsigned begun, done;
} disk = { .lock = PTHREAD_MUTEX_INITIALIZER,
	   .moved = PTHREAD_COND_INITIALIZER };

/* In place of the C library's. */
int
fdatasync(int fd)
{
	bool fails;

	(void)fd;
	(void)pthread_mutex_lock(&disk.lock);
	disk.begun++;
	(void)pthread_cond_broadcast(&disk.moved);
	while (disk.held)
		(void)pthread_cond_wait(&disk.moved, &disk.lock);
	disk.done++;
	fails = disk.fails;
	(void)pthread_cond_broadcast(&disk.moved);
	(void)pthread_mutex_unlock(&disk.lock);
	if (fails)
		errno = EIO;
	return fails ? -1 : 0;
}

static void
set_disk(bool held, bool fails)
{
	(void)pthread_mutex_lock(&disk.lock);
	disk.held = held;
	disk.fails = fails;
	(void)pthread_cond_broadcast(&disk.moved);
	(void)pthread_mutex_unlock(&disk.lock);
}

static unsigned
syncs(void)
{
	unsigned n;

	(void)pthread_mutex_lock(&disk.lock);
	n = disk.done;
	(void)pthread_mutex_unlock(&disk.lock);
	return n;
}

/* Comes back when so many syncs were begun. */
static void
await_begun(unsigned n)
{
	(void)pthread_mutex_lock(&disk.lock);
	while (disk.begun < n)
		(void)pthread_cond_wait(&disk.moved, &disk.lock);
	(void)pthread_mutex_unlock(&disk.lock);
}

static void
await_done(unsigned n)
{
	(void)pthread_mutex_lock(&disk.lock);
	while (disk.done < n)
		(void)pthread_cond_wait(&disk.moved, &disk.lock);
	(void)pthread_mutex_unlock(&disk.lock);
}

/* ---- logs ---- */

static struct sg_audit *
open_shared(const char *path, enum sg_audit_sync sync)
{
	struct sg_audit_opts opts = { .path = path,
				      .shared = true,
				      .sync = sync };
	struct sg_audit *a = NULL;
	struct sg_err err;

	sg_err_clear(&err);
	ck_good(sg_audit_open(&opts, &a, &err), &err);
	return a;
}

static int
try_outcome(struct sg_audit *a, const char *run, struct sg_err *err)
{
	json_t *v = json_pack("{s:s, s:s}", "event", "outcome", "run", run);
	struct sg_link link;
	int status = sg_audit_append_outcome(a, v, &link, err);

	json_decref(v);
	return status;
}

static void
outcome(struct sg_audit *a, const char *run)
{
	struct sg_err err;

	sg_err_clear(&err);
	ck_good(try_outcome(a, run, &err), &err);
}

static void
begin_run(struct sg_audit *a, const char *run)
{
	json_t *v = json_pack("{s:s, s:s, s:s}", "event", "verdict", "action",
			      "run", "run", run);
	struct sg_link link;
	struct sg_err err;

	sg_err_clear(&err);
	ck_good(sg_audit_append(a, v, &link, &err), &err);
	json_decref(v);
}

/* Until the head names the last record. */
static void
await_head(const char *path)
{
	const struct timespec nap = { .tv_nsec = 1000000 };

	while (verify(path).head != SG_HEAD_MATCHES)
		(void)nanosleep(&nap, NULL);
}

START_TEST(an_outcome_does_not_wait_for_the_disk)
{
	const char *path = sg_test_path("log");
	struct sg_audit *a = open_shared(path, SG_AUDIT_SYNC_START);

	set_disk(true, false);
	for (int i = 0; i < 3; i++)
		outcome(a, "run_1");
	/* Whoever reads the log finds it. */
	is_intact(path, 3);
	ck_assert_uint_eq(syncs(), 0);
	set_disk(false, false);
	sg_audit_free(a);
	ck_assert_uint_ge(syncs(), 1);
	ck_assert_int_eq(verify(path).head, SG_HEAD_MATCHES);
}
END_TEST

START_TEST(an_outcome_is_durable_soon_though_nobody_asks)
{
	const char *path = sg_test_path("log");
	struct sg_audit *a = open_shared(path, SG_AUDIT_SYNC_START);

	for (unsigned i = 1; i <= 3; i++) {
		outcome(a, "run_1");
		await_done(i);
		await_head(path);
	}
	is_intact(path, 3);
	sg_audit_free(a);
}
END_TEST

START_TEST(an_outcome_waits_where_that_is_wanted)
{
	const char *path = sg_test_path("log");
	struct sg_audit *a = open_shared(path, SG_AUDIT_SYNC_ANSWER);

	for (unsigned i = 1; i <= 3; i++) {
		outcome(a, "run_1");
		ck_assert_uint_eq(syncs(), i);
	}
	sg_audit_free(a);
	ck_assert_uint_eq(syncs(), 3);
}
END_TEST

/* A thread of one record. */
static void *
append_one(void *log)
{
	append(log, 1);
	return NULL;
}

START_TEST(a_verdict_waits_for_the_disk)
{
	const char *path = sg_test_path("log");
	struct sg_audit *a = open_shared(path, SG_AUDIT_SYNC_START);
	struct sg_audit_post post;
	struct sg_err err;
	json_t *v = json_pack("{s:s}", "event", "verdict");

	sg_err_clear(&err);
	set_disk(true, false);
	sg_audit_post(a, v, &post);
	/* It is on its way, with nobody waiting. */
	await_begun(1);
	is_intact(path, 1);
	ck_assert(!sg_audit_settle(a, &post, false));
	/* The head never names what may yet be lost. */
	ck_assert_int_eq(verify(path).head, SG_HEAD_MISSING);
	set_disk(false, false);
	ck_assert(sg_audit_settle(a, &post, true));
	ck_good(post.entry.status, &post.err);
	ck_assert_uint_eq(post.entry.link.sequence, 1);
	json_decref(v);
	sg_audit_free(a);
}
END_TEST

START_TEST(who_only_writes_does_not_wait_for_who_syncs)
{
	const char *path = sg_test_path("log");
	struct sg_audit *a = open_shared(path, SG_AUDIT_SYNC_START);
	pthread_t thread;

	set_disk(true, false);
	ck_assert_int_eq(pthread_create(&thread, NULL, append_one, a), 0);
	await_begun(1);
	outcome(a, "run_1");
	is_intact(path, 2);
	set_disk(false, false);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	sg_audit_free(a);
	is_intact(path, 2);
}
END_TEST

enum { THREADS = 8 };

START_TEST(those_who_come_during_a_sync_share_the_next)
{
	const char *path = sg_test_path("log");
	struct sg_audit *a = open_shared(path, SG_AUDIT_SYNC_START);
	const struct timespec nap = { .tv_nsec = 1000000 };
	pthread_t t[THREADS + 1];

	set_disk(true, false);
	ck_assert_int_eq(pthread_create(&t[0], NULL, append_one, a), 0);
	await_begun(1);
	for (int i = 1; i <= THREADS; i++)
		ck_assert_int_eq(pthread_create(&t[i], NULL, append_one, a), 0);
	while (verify(path).records < THREADS + 1)
		(void)nanosleep(&nap, NULL);
	set_disk(false, false);
	for (int i = 0; i <= THREADS; i++)
		ck_assert_int_eq(pthread_join(t[i], NULL), 0);
	ck_assert_uint_eq(syncs(), 2);
	sg_audit_free(a);
	is_intact(path, THREADS + 1);
}
END_TEST

START_TEST(a_disk_that_fails_fails_the_verdict)
{
	const char *path = sg_test_path("log");
	struct sg_audit *a = open_shared(path, SG_AUDIT_SYNC_START);
	struct sg_link link;
	struct sg_err err;

	sg_err_clear(&err);
	append(a, 1);
	set_disk(false, true);
	ck_assert_int_eq(try_append(a, 2, &link, &err), SG_EAUDIT);
	ck_assert_ptr_nonnull(strstr(err.msg, "sync"));
	set_disk(false, false);
	/* It may be in the log; the head does not vouch for it. */
	append(a, 3);
	sg_audit_free(a);
	ck_assert_int_eq(verify(path).kind, SG_VERIFY_INTACT);
	ck_assert_int_eq(verify(path).head, SG_HEAD_MATCHES);
}
END_TEST

START_TEST(the_head_is_written_when_a_reader_lets_go)
{
	const char *path = sg_test_path("log");
	struct sg_audit *a = open_shared(path, SG_AUDIT_SYNC_START);
	struct sg_link head;
	FILE *reader;

	append(a, 1);
	reader = fopen(path, "r");
	ck_assert_ptr_nonnull(reader);
	set_disk(true, false);
	outcome(a, "run_1");
	await_begun(2);
	/* Another reads while it is synced. */
	ck_assert_int_eq(flock(fileno(reader), LOCK_SH), 0);
	set_disk(false, false);
	await_done(2);
	ck_good(sg_head_read(path, &head, NULL), NULL);
	ck_assert_uint_eq(head.sequence, 1);
	ck_assert_int_eq(fclose(reader), 0);
	await_head(path);
	sg_audit_free(a);
}
END_TEST

START_TEST(room_that_is_taken_ahead_is_no_part_of_the_log)
{
	const char *path = sg_test_path("log");
	struct sg_audit *a = open_shared(path, SG_AUDIT_SYNC_START);
	struct text t;
	struct stat st;

	for (int i = 0; i < 3; i++)
		append(a, i);
	load(path, &t);
	ck_assert_uint_eq(t.n, 3);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq((size_t)st.st_size, t.all.len);
	ck_assert_int_eq(t.all.data[t.all.len - 1], '\n');
	/* Another writer, which takes none, finds the end as well. */
	append(a, 3);
	sg_audit_free(a);
	sg_audit_free(open_log(path, 0));
	is_intact(path, 4);
	sg_buf_release(&t.all);
}
END_TEST

/* ---- crashes ---- */

START_TEST(a_crash_of_the_process_loses_nothing)
{
	const char *path = sg_test_path("log");
	struct sg_verify v;
	int status;

	if (fork() == 0) {
		struct sg_audit *a = open_shared(path, SG_AUDIT_SYNC_START);

		begin_run(a, "run_1");
		begin_run(a, "run_2");
		set_disk(true, false);
		outcome(a, "run_2");
		_exit(0);
	}
	ck_assert_int_gt(wait(&status), 0);
	ck_assert_int_eq(status, 0);
	v = verify(path);
	ck_assert_int_eq(v.kind, SG_VERIFY_INTACT);
	ck_assert_uint_eq(v.records, 3);
	ck_assert_uint_eq(v.unfinished, 1);
	ck_assert_str_eq(v.first_unfinished, "run_1");
	ck_assert_int_eq(v.head, SG_HEAD_BEHIND);
	/* The next writer carries on from there. */
	sg_audit_free(open_log(path, 0));
	is_intact(path, 3);
}
END_TEST

/* Six records: two runs, of which the head knows the verdicts only. */
static void
make_late(const char *path, struct text *t)
{
	struct sg_audit *a = open_log(path, 0);
	struct sg_record rec;

	begin_run(a, "run_1");
	begin_run(a, "run_2");
	outcome(a, "run_1");
	outcome(a, "run_2");
	append(a, 5);
	append(a, 6);
	sg_audit_free(a);
	load(path, t);
	ck_assert_int_eq(
		sg_record_read(sg_str_slice(t->line[1], 0, t->line[1].n - 1),
			       &rec),
		SG_RECORD_GOOD);
	ck_good(sg_head_write(path, &rec.self, NULL), NULL);
	sg_record_release(&rec);
}

/* Where line n begins. */
static long
start_of(const struct text *t, uint32_t n)
{
	return (long)(t->line[n].p - t->line[0].p);
}

static void
put_zeros(const char *path, long from, long n)
{
	FILE *f = fopen(path, "r+");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fseek(f, from, SEEK_SET), 0);
	while (n-- > 0)
		ck_assert_int_eq(fputc(0, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

/* The log is sound up to record `good`, and after a repair. */
static void
is_mended(const char *path, uint64_t good, uint64_t unfinished)
{
	struct sg_verify v = verify(path);
	struct sg_audit *a;

	ck_assert_msg(v.kind == SG_VERIFY_INTACT, "%s", v.what);
	ck_assert_uint_eq(v.records, good);
	ck_assert_uint_gt(v.torn, 0);
	ck_assert_uint_eq(v.unfinished, unfinished);
	a = open_log(path, 0);
	append(a, 7);
	sg_audit_free(a);
	v = verify(path);
	ck_assert_msg(v.kind == SG_VERIFY_INTACT, "%s", v.what);
	ck_assert_uint_eq(v.records, good + 2);
	ck_assert_uint_eq(v.torn, 0);
	ck_assert_uint_eq(v.unfinished, unfinished);
	ck_assert_int_eq(v.head, SG_HEAD_MATCHES);
}

START_TEST(a_crash_of_the_machine_loses_outcomes_and_verify_names_them)
{
	const char *path = sg_test_path("log");
	struct text t;

	/* The last pages were never written. */
	make_late(path, &t);
	put_zeros(path, start_of(&t, 3) + 20,
		  start_of(&t, 5) + (long)t.line[5].n - start_of(&t, 3) - 20);
	is_mended(path, 3, 1);
	ck_assert_str_eq(verify(path).first_unfinished, "run_2");
	sg_buf_release(&t.all);
}
END_TEST

START_TEST(a_page_may_be_lost_and_the_next_be_there)
{
	const char *path = sg_test_path("log");
	struct text t;

	make_late(path, &t);
	put_zeros(path, start_of(&t, 2) + 5, start_of(&t, 4) - start_of(&t, 2));
	is_mended(path, 2, 2);
	sg_buf_release(&t.all);
}
END_TEST

START_TEST(what_the_head_names_was_durable_and_is_never_torn)
{
	const char *path = sg_test_path("log");
	struct text t;

	make_late(path, &t);
	put_zeros(path, start_of(&t, 1) + 5, 10);
	is_broken(path, SG_VERIFY_CHANGED, 2);
	sg_buf_release(&t.all);
}
END_TEST

START_TEST(a_sound_record_in_a_wrong_place_is_no_crash)
{
	const char *path = sg_test_path("log");
	const int order[] = { 0, 1, 2, 4, 5, -1 };
	struct sg_audit *a;
	struct text t;

	make_late(path, &t);
	store(path, &t, order);
	is_broken(path, SG_VERIFY_REMOVED, 4);
	a = open_log(path, 0);
	append(a, 7);
	sg_audit_free(a);
	is_broken(path, SG_VERIFY_REMOVED, 4);
	sg_buf_release(&t.all);
}
END_TEST

START_TEST(when_to_sync_has_a_name)
{
	enum sg_audit_sync sync = SG_AUDIT_SYNC_START;
	struct sg_err err;

	sg_err_clear(&err);
	ck_good(sg_audit_sync_named(NULL, &sync, &err), &err);
	ck_assert_int_eq(sync, SG_AUDIT_SYNC_START);
	ck_good(sg_audit_sync_named("answer", &sync, &err), &err);
	ck_assert_int_eq(sync, SG_AUDIT_SYNC_ANSWER);
	ck_good(sg_audit_sync_named("start", &sync, &err), &err);
	ck_assert_int_eq(sync, SG_AUDIT_SYNC_START);
	ck_assert_int_eq(sg_audit_sync_named("never", &sync, &err), SG_EUSAGE);
	ck_assert_ptr_nonnull(strstr(err.msg, "answer, start"));
}
END_TEST

/* Two processes: the other one rotates while the first one's sync goes on. */
START_TEST(a_late_sync_takes_no_head_back)
{
	const char *path = sg_test_path("audit.jsonl");
	struct sg_log_entry one = { .record = json_pack("{s:s}", "event",
							"a") },
			    two = { .record = json_pack("{s:s}", "event",
							"b") };
	struct sg_log_entry *const first[] = { &one }, *const second[] = {
		&two
	};
	struct sg_logfile *late, *other;
	struct sg_log_sync sync;
	struct sg_link head;
	struct sg_err err;

	sg_err_clear(&err);
	one.err = two.err = &err;
	ck_good(sg_logfile_open(path, 0, &late, &err), &err);
	ck_good(sg_logfile_open(path, 1, &other, &err), &err);
	sg_logfile_write(late, first, 1);
	ck_good(one.status, &err);
	sg_logfile_sync_begin(late, &sync);
	sg_logfile_write(other, second, 1);
	ck_good(two.status, &err);
	ck_good(sg_logfile_sync(&sync, &err), &err);
	ck_good(sg_logfile_synced(late, &sync.end, true, &err), &err);
	ck_good(sg_head_read(path, &head, &err), &err);
	/* The record that carries on was made durable at once. */
	ck_assert_uint_eq(head.sequence, one.link.sequence + 1);
	ck_assert_int_eq(verify(path).kind, SG_VERIFY_INTACT);
	json_decref(one.record);
	json_decref(two.record);
	sg_logfile_free(late);
	sg_logfile_free(other);
}
END_TEST

SG_TEST_MAIN("audit sync", a_late_sync_takes_no_head_back,
	     an_outcome_does_not_wait_for_the_disk,
	     an_outcome_is_durable_soon_though_nobody_asks,
	     an_outcome_waits_where_that_is_wanted,
	     a_verdict_waits_for_the_disk,
	     who_only_writes_does_not_wait_for_who_syncs,
	     those_who_come_during_a_sync_share_the_next,
	     a_disk_that_fails_fails_the_verdict,
	     the_head_is_written_when_a_reader_lets_go,
	     room_that_is_taken_ahead_is_no_part_of_the_log,
	     a_crash_of_the_process_loses_nothing,
	     a_crash_of_the_machine_loses_outcomes_and_verify_names_them,
	     a_page_may_be_lost_and_the_next_be_there,
	     what_the_head_names_was_durable_and_is_never_torn,
	     a_sound_record_in_a_wrong_place_is_no_crash,
	     when_to_sync_has_a_name)
