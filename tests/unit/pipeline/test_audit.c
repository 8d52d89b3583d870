#include "pipeline/audit.h"

#include "unit/pipeline/log.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

START_TEST(records_follow_each_other_and_are_durable)
{
	const char *path = log_of(3);
	struct stat st;

	is_intact(path, 3);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0600);
	ck_assert_int_eq(verify(path).head, SG_HEAD_MATCHES);
}
END_TEST

START_TEST(a_second_writer_carries_on)
{
	const char *path = log_of(2);
	struct sg_audit *a = open_log(path, 0), *b = open_log(path, 0);

	append(a, 3);
	append(b, 4);
	append(a, 5);
	sg_audit_free(a);
	sg_audit_free(b);
	is_intact(path, 5);
}
END_TEST

START_TEST(many_processes_write_one_chain)
{
	const char *path = sg_test_path("audit.jsonl");

	for (int i = 0; i < 4; i++) {
		if (fork() == 0) {
			struct sg_audit *a = open_log(path, 3000);

			for (int k = 0; k < 25; k++)
				append(a, k);
			_exit(0);
		}
	}
	for (int i = 0; i < 4; i++) {
		int status;

		ck_assert_int_gt(wait(&status), 0);
		ck_assert_int_eq(status, 0);
	}
	ck_assert_int_eq(verify(path).kind, SG_VERIFY_INTACT);
	ck_assert_uint_ge(verify(path).last.sequence, 100);
}
END_TEST

enum { THREADS = 8, RECORDS = 25 };

struct writer {
	pthread_t thread;
	struct sg_audit *log;
	struct sg_link links[RECORDS];
	bool good[RECORDS];
};

/* Every fifth record can't be written: it has a number that is not whole. */
static void *
write_records(void *arg)
{
	struct writer *w = arg;

	for (int i = 0; i < RECORDS; i++) {
		json_t *v = i % 5 == 4 ? json_pack("{s:s, s:f}", "event",
						   "verdict", "n", 0.5)
				       : json_pack("{s:s, s:i}", "event",
						   "verdict", "n", i);
		struct sg_err err;

		sg_err_clear(&err);
		w->good[i] = sg_audit_append(w->log, v, &w->links[i], &err) ==
			     SG_OK;
		json_decref(v);
	}
	return NULL;
}

START_TEST(many_threads_share_a_log_and_a_bad_record_harms_no_other)
{
	static struct writer w[THREADS];
	const char *path = sg_test_path("audit.jsonl");
	struct sg_audit *a = open_log(path, 0);
	const int good = THREADS * RECORDS / 5 * 4;
	bool seen[THREADS * RECORDS + 1] = { false };

	for (int t = 0; t < THREADS; t++) {
		w[t].log = a;
		ck_assert_int_eq(pthread_create(&w[t].thread, NULL,
						write_records, &w[t]),
				 0);
	}
	for (int t = 0; t < THREADS; t++)
		ck_assert_int_eq(pthread_join(w[t].thread, NULL), 0);
	for (int t = 0; t < THREADS; t++) {
		uint64_t last = 0;

		for (int i = 0; i < RECORDS; i++) {
			uint64_t n = w[t].links[i].sequence;

			ck_assert_int_eq(w[t].good[i], i % 5 != 4);
			if (!w[t].good[i])
				continue;
			/* Each has a place of its own, after the one that
			 * this thread wrote before. */
			ck_assert(n > last && n <= (uint64_t)good && !seen[n]);
			seen[n] = true;
			last = n;
		}
	}
	sg_audit_free(a);
	is_intact(path, (uint64_t)good);
	ck_assert_int_eq(verify(path).head, SG_HEAD_MATCHES);
}
END_TEST

START_TEST(rotation_carries_the_chain_on)
{
	const char *const *files, *some[16];
	struct sg_arena arena;
	struct sg_audit *a;
	struct sg_verify v;
	struct sg_err err;
	char path[4096];
	uint32_t n;

	(void)snprintf(path, sizeof(path), "%s", sg_test_path("audit.jsonl"));
	a = open_log(path, 1200);
	for (int i = 0; i < 12; i++)
		append(a, i);
	sg_audit_free(a);
	/* What only looks like a rotated file. */
	(void)sg_test_write("audit.jsonl.12", SG_STR("x"));
	(void)sg_test_write("audit.jsonl.000000000001x", SG_STR("x"));
	(void)sg_test_write("other.jsonl.000000000001", SG_STR("x"));
	sg_err_clear(&err);
	sg_arena_init(&arena, 1 << 20);
	ck_good(sg_audit_files(path, &arena, &files, &n, &err), &err);
	ck_assert_uint_ge(n, 3);
	ck_assert_uint_le(n, 16);
	ck_assert_str_eq(files[n - 1], path);
	v = verify(path);
	ck_assert_int_eq(v.kind, SG_VERIFY_INTACT);
	ck_assert(v.carried_on);
	ck_good(sg_audit_verify(files, n, &v, &err), &err);
	ck_assert_int_eq(v.kind, SG_VERIFY_INTACT);
	ck_assert(!v.carried_on);
	ck_assert_uint_eq(v.records, v.last.sequence);
	ck_good(sg_audit_verify_chain(path, &arena, &v, &err), &err);
	ck_assert_int_eq(v.kind, SG_VERIFY_INTACT);
	ck_assert_uint_eq(v.records, v.last.sequence);
	/* Without the second file there is a gap. */
	memcpy(some, files, n * sizeof(*some));
	some[1] = some[0];
	ck_good(sg_audit_verify(some + 1, n - 1, &v, &err), &err);
	ck_assert_int_eq(v.kind, SG_VERIFY_REMOVED);
	sg_arena_release(&arena);
}
END_TEST

static void *
append_many(void *log)
{
	for (int i = 0; i < 300; i++)
		append(log, i);
	return NULL;
}

START_TEST(a_chain_is_intact_while_it_is_rotated)
{
	const char *path = sg_test_path("audit.jsonl");
	struct sg_audit *a = open_log(path, 3000);
	pthread_t writer;
	uint64_t records = 0;

	append(a, 1);
	ck_assert_int_eq(pthread_create(&writer, NULL, append_many, a), 0);
	while (records < 301) {
		struct sg_arena arena;
		struct sg_verify v;
		struct sg_err err;

		sg_err_clear(&err);
		sg_arena_init(&arena, 16 << 20);
		ck_good(sg_audit_verify_chain(path, &arena, &v, &err), &err);
		ck_assert_msg(v.kind == SG_VERIFY_INTACT, "%s", v.what);
		/* Beside ours those of the rotations. */
		records = v.last.sequence > 301 ? 301 : v.records;
		sg_arena_release(&arena);
	}
	ck_assert_int_eq(pthread_join(writer, NULL), 0);
	sg_audit_free(a);
}
END_TEST

START_TEST(a_log_that_was_taken_away_is_reported_for_ever)
{
	const char *path = log_of(3);
	struct sg_audit *a = open_log(path, 0);

	ck_assert_int_eq(unlink(path), 0);
	append(a, 4);
	sg_audit_free(a);
	is_broken(path, SG_VERIFY_REMOVED, 1);
}
END_TEST

START_TEST(what_is_no_log_is_refused)
{
	static const char *const bad[] = { "", "/dev/null", "/nowhere/x" };
	struct sg_err err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct sg_audit_opts opts = { .path = bad[i] };
		struct sg_audit *a = NULL;

		sg_err_clear(&err);
		ck_assert_int_lt(sg_audit_open(&opts, &a, &err), 0);
		ck_assert_ptr_null(a);
	}
}
END_TEST

START_TEST(a_text_file_is_not_taken_for_a_log)
{
	const char *path = sg_test_write("notes", SG_STR("my notes\n"));
	struct sg_audit_opts opts = { .path = path };
	struct sg_audit *a = NULL;
	struct sg_buf b;
	struct sg_err err;

	sg_err_clear(&err);
	ck_assert_int_eq(sg_audit_open(&opts, &a, &err), SG_EAUDIT);
	sg_buf_init(&b, 100);
	ck_good(sg_file_read(path, &b, &err), &err);
	ck_str_is(sg_buf_view(&b), "my notes\n");
	sg_buf_release(&b);
}
END_TEST

START_TEST(without_memory_there_is_no_record_and_no_harm)
{
	const char *path = log_of(1);
	uint64_t records = 1;

	SG_TEST_EACH_ALLOCATION() {
		struct sg_audit_opts opts = { .path = path };
		struct sg_audit *a = NULL;
		struct sg_link link;
		struct sg_err err;
		int status;

		sg_err_clear(&err);
		status = sg_audit_open(&opts, &a, &err);
		if (status == SG_OK)
			status = try_append(a, 1, &link, &err);
		if (status == SG_OK)
			records++;
		sg_audit_free(a);
	}
	is_intact(path, records);
}
END_TEST

SG_TEST_MAIN("audit", records_follow_each_other_and_are_durable,
	     a_second_writer_carries_on, many_processes_write_one_chain,
	     many_threads_share_a_log_and_a_bad_record_harms_no_other,
	     rotation_carries_the_chain_on,
	     a_chain_is_intact_while_it_is_rotated,
	     a_log_that_was_taken_away_is_reported_for_ever,
	     what_is_no_log_is_refused, a_text_file_is_not_taken_for_a_log,
	     without_memory_there_is_no_record_and_no_harm)
