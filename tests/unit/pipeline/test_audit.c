#include "pipeline/audit.h"
#include "pipeline/verify.h"

#include "base/file.h"

#include "unit/support.h"

#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sg_audit *
open_log(const char *path, uint64_t max)
{
	struct sg_audit_opts opts = { path, max };
	struct sg_audit *a = NULL;
	struct sg_err err;

	sg_err_clear(&err);
	ck_good(sg_audit_open(&opts, &a, &err), &err);
	return a;
}

static int
try_append(struct sg_audit *a, int n, struct sg_link *link, struct sg_err *err)
{
	json_t *v = json_pack("{s:s, s:i}", "event", "verdict", "n", n);
	int status = sg_audit_append(a, v, link, err);

	json_decref(v);
	return status;
}

static void
append(struct sg_audit *a, int n)
{
	struct sg_link link;
	struct sg_err err;

	sg_err_clear(&err);
	ck_good(try_append(a, n, &link, &err), &err);
}

/* A log of n records, written by one writer after another. */
static const char *
log_of(int n)
{
	const char *path = sg_test_path("audit.jsonl");
	struct sg_audit *a = open_log(path, 0);

	for (int i = 0; i < n; i++)
		append(a, i);
	sg_audit_free(a);
	return path;
}

static struct sg_verify
verify(const char *path)
{
	struct sg_verify v;
	struct sg_err err;

	sg_err_clear(&err);
	ck_good(sg_audit_verify(&path, 1, &v, &err), &err);
	return v;
}

static void
is_intact(const char *path, uint64_t records)
{
	struct sg_verify v = verify(path);

	ck_assert_msg(v.kind == SG_VERIFY_INTACT, "line %u: %s",
		      (unsigned)v.line, v.what);
	ck_assert_uint_eq(v.records, records);
}

static void
is_broken(const char *path, enum sg_verify_kind kind, uint64_t line)
{
	struct sg_verify v = verify(path);

	ck_assert_msg(v.kind == kind, "%s: %s", sg_verify_kind_name(v.kind),
		      v.what);
	ck_assert_uint_eq(v.line, line);
	ck_assert_str_ne(v.what, "");
}

/* ---- a log as lines, to be tampered with ---- */

struct text {
	struct sg_buf all;
	struct sg_str line[32]; /* with their LF */
	uint32_t n;
};

static void
load(const char *path, struct text *t)
{
	struct sg_err err;
	size_t at = 0;

	sg_err_clear(&err);
	sg_buf_init(&t->all, 1 << 20);
	ck_good(sg_file_read(path, &t->all, &err), &err);
	t->n = 0;
	while (at < t->all.len) {
		struct sg_str rest = sg_str_slice(sg_buf_view(&t->all), at,
						  t->all.len);
		size_t n = sg_str_find(rest, '\n') + 1;

		t->line[t->n++] = sg_str_slice(rest, 0, n);
		at += n;
	}
}

/* Writes the lines with these indices, -1 ends. */
static void
store(const char *path, const struct text *t, const int *order)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	for (; *order >= 0; order++)
		ck_assert_uint_eq(
			fwrite(t->line[*order].p, 1, t->line[*order].n, f),
			t->line[*order].n);
	ck_assert_int_eq(fclose(f), 0);
}

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

START_TEST(tampering_is_found_at_the_first_bad_line)
{
	static const struct {
		const char *what;
		int order[12];
		enum sg_verify_kind kind;
		uint64_t line;
	} cases[] = {
		{ "as it was", { 0, 1, 2, 3, 4, 5, -1 }, SG_VERIFY_INTACT, 0 },
		{ "first removed",
		  { 1, 2, 3, 4, 5, -1 },
		  SG_VERIFY_REMOVED,
		  1 },
		{ "one removed", { 0, 1, 3, 4, 5, -1 }, SG_VERIFY_REMOVED, 3 },
		{ "two removed", { 0, 3, 4, 5, -1 }, SG_VERIFY_REMOVED, 2 },
		{ "tail removed", { 0, 1, 2, 3, 4, -1 }, SG_VERIFY_TAIL, 5 },
		{ "all removed", { -1 }, SG_VERIFY_TAIL, 0 },
		{ "two swapped",
		  { 0, 2, 1, 3, 4, 5, -1 },
		  SG_VERIFY_REORDERED,
		  2 },
		{ "first two swapped",
		  { 1, 0, 2, 3, 4, 5, -1 },
		  SG_VERIFY_REMOVED,
		  1 },
		{ "last moved up",
		  { 0, 1, 5, 2, 3, 4, -1 },
		  SG_VERIFY_REORDERED,
		  3 },
		{ "one doubled",
		  { 0, 1, 1, 2, 3, 4, 5, -1 },
		  SG_VERIFY_INSERTED,
		  3 },
		{ "one copied down",
		  { 0, 1, 2, 3, 0, 4, 5, -1 },
		  SG_VERIFY_INSERTED,
		  5 },
	};
	const char *path = log_of(6);
	struct text t;

	load(path, &t);
	ck_assert_uint_eq(t.n, 6);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct sg_verify v;

		store(path, &t, cases[i].order);
		v = verify(path);
		ck_assert_msg(
			v.kind == cases[i].kind && v.line == cases[i].line,
			"%s: %s in line %u: %s", cases[i].what,
			sg_verify_kind_name(v.kind), (unsigned)v.line, v.what);
	}
	sg_buf_release(&t.all);
}
END_TEST

START_TEST(a_changed_record_is_found)
{
	const char *path = log_of(4);
	int all[] = { 0, 1, 2, 3, -1 };
	struct text t;
	char *n;

	load(path, &t);
	n = strstr(t.all.data + (t.line[2].p - t.all.data), "\"n\":2");
	ck_assert_ptr_nonnull(n);
	n[4] = '7';
	store(path, &t, all);
	is_broken(path, SG_VERIFY_CHANGED, 3);
	sg_buf_release(&t.all);
}
END_TEST

START_TEST(a_record_of_another_chain_is_found)
{
	const char *path = log_of(3), *other;
	int all[] = { 0, 1, 2, 3, -1 };
	struct sg_audit *a;
	struct text t, u;

	load(path, &t);
	other = sg_test_path("other");
	a = open_log(other, 0);
	append(a, 0);
	sg_audit_free(a);
	load(other, &u);
	t.line[3] = t.line[2];
	t.line[2] = u.line[0];
	store(path, &t, all);
	is_broken(path, SG_VERIFY_INSERTED, 3);
	sg_buf_release(&t.all);
	sg_buf_release(&u.all);
}
END_TEST

START_TEST(a_log_rewritten_from_some_point_on_is_found_by_its_head)
{
	const char *path = log_of(4), *head = sg_test_path("audit.jsonl.head");
	int some[] = { 0, 1, -1 };
	struct sg_buf kept;
	struct sg_err err;
	struct text t;
	struct sg_audit *a;

	sg_err_clear(&err);
	sg_buf_init(&kept, 4096);
	ck_good(sg_file_read(head, &kept, &err), &err);
	load(path, &t);
	store(path, &t, some);
	a = open_log(path, 0);
	append(a, 100);
	append(a, 101);
	sg_audit_free(a);
	is_intact(path, 4); /* nothing shows with a head that fits */
	ck_good(sg_file_replace(head, sg_buf_view(&kept), 0600, &err), &err);
	is_broken(path, SG_VERIFY_HEAD, 0);
	sg_buf_release(&kept);
	sg_buf_release(&t.all);
}
END_TEST

START_TEST(a_missing_or_older_head_is_told_apart)
{
	const char *path = log_of(2), *head = sg_test_path("audit.jsonl.head");
	struct sg_buf kept;
	struct sg_err err;
	struct sg_audit *a;

	sg_err_clear(&err);
	sg_buf_init(&kept, 4096);
	ck_good(sg_file_read(head, &kept, &err), &err);
	a = open_log(path, 0);
	append(a, 3);
	sg_audit_free(a);
	ck_good(sg_file_replace(head, sg_buf_view(&kept), 0600, &err), &err);
	ck_assert_int_eq(verify(path).kind, SG_VERIFY_INTACT);
	ck_assert_int_eq(verify(path).head, SG_HEAD_BEHIND);
	ck_good(sg_file_replace(head, SG_STR("x"), 0600, &err), &err);
	ck_assert_int_eq(verify(path).head, SG_HEAD_UNREADABLE);
	ck_assert_int_eq(unlink(head), 0);
	ck_assert_int_eq(verify(path).kind, SG_VERIFY_INTACT);
	ck_assert_int_eq(verify(path).head, SG_HEAD_MISSING);
	sg_buf_release(&kept);
}
END_TEST

/* Cuts `bytes` off the end, as a crash may. */
static void
cut(const char *path, off_t bytes)
{
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(truncate(path, st.st_size - bytes), 0);
}

/* A head that names the record before the last one. */
static void
set_head_back(const char *path, const struct text *t)
{
	struct sg_record rec;
	struct sg_err err;

	sg_err_clear(&err);
	ck_assert_int_eq(sg_record_read(sg_str_slice(t->line[t->n - 2], 0,
						     t->line[t->n - 2].n - 1),
					&rec),
			 SG_RECORD_GOOD);
	ck_good(sg_head_write(path, &rec.self, &err), &err);
	sg_record_release(&rec);
}

START_TEST(a_torn_last_line_is_no_tampering_and_is_set_aside)
{
	const char *path = log_of(3);
	struct sg_audit *a;
	struct text t;
	struct sg_buf kept;
	struct sg_err err;

	sg_err_clear(&err);
	load(path, &t);
	set_head_back(path, &t);
	cut(path, 20);
	ck_assert_int_eq(verify(path).kind, SG_VERIFY_INTACT);
	ck_assert_uint_eq(verify(path).torn, t.line[2].n - 20);
	a = open_log(path, 0);
	is_intact(path, 3); /* two and the repair */
	append(a, 9);
	sg_audit_free(a);
	is_intact(path, 4);
	sg_buf_init(&kept, 10000);
	ck_good(sg_file_read(sg_test_path("audit.jsonl.torn.000000000003"),
			     &kept, &err),
		&err);
	ck_assert(sg_str_eq(sg_buf_view(&kept),
			    sg_str_slice(t.line[2], 0, t.line[2].n - 20)));
	sg_buf_release(&kept);
	sg_buf_release(&t.all);
}
END_TEST

START_TEST(a_tail_that_was_cut_off_mid_line_is_tampering_if_the_head_knows_it)
{
	const char *path = log_of(3);

	cut(path, 20);
	is_broken(path, SG_VERIFY_TAIL, 3);
}
END_TEST

START_TEST(a_record_that_only_lacks_its_lf_is_kept)
{
	const char *path = log_of(3);
	struct sg_audit *a;
	struct text t;

	load(path, &t);
	set_head_back(path, &t);
	cut(path, 1);
	is_intact(path, 3);
	a = open_log(path, 0);
	append(a, 9);
	sg_audit_free(a);
	is_intact(path, 4);
	sg_buf_release(&t.all);
}
END_TEST

START_TEST(every_length_of_a_torn_line_is_repaired)
{
	const char *path = log_of(2);
	int all[] = { 0, 1, -1 };
	struct text t;

	load(path, &t);
	for (size_t n = 1; n < t.line[1].n; n += 13) {
		struct sg_audit *a;

		store(path, &t, all);
		set_head_back(path, &t);
		cut(path, (off_t)n);
		a = open_log(path, 0);
		append(a, 1);
		sg_audit_free(a);
		is_intact(path, 3);
	}
	sg_buf_release(&t.all);
}
END_TEST

/* Appends a record that has a text of n bytes. */
static void
append_long(struct sg_audit *a, size_t n)
{
	char *text = malloc(n + 1);
	struct sg_link link;
	struct sg_err err;
	json_t *v;

	ck_assert_ptr_nonnull(text);
	memset(text, 'x', n);
	text[n] = '\0';
	sg_err_clear(&err);
	v = json_pack("{s:s, s:s}", "event", "verdict", "text", text);
	ck_good(sg_audit_append(a, v, &link, &err), &err);
	json_decref(v);
	free(text);
}

/* Its end is read in pieces: each length on both sides of a piece. */
START_TEST(the_last_record_is_found_however_long_it_is)
{
	static const size_t lengths[] = { 7000,   7800,   8100,   8192,  9000,
					  130000, 131072, 140000, 900000 };
	const char *path = log_of(1);
	uint64_t records = 1;

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		struct sg_audit *a = open_log(path, 0);

		append_long(a, lengths[i]);
		sg_audit_free(a);
		a = open_log(path, 0);
		append(a, 1);
		sg_audit_free(a);
		records += 2;
		is_intact(path, records);
	}
}
END_TEST

START_TEST(a_long_record_that_was_torn_is_set_aside)
{
	static const off_t left[] = { 1, 5000, 8191, 8192, 8193, 150000 };
	const char *path = log_of(2);
	uint64_t records = 2;

	for (size_t i = 0; i < sizeof(left) / sizeof(*left); i++) {
		struct sg_audit *a = open_log(path, 0);
		struct text t;

		append_long(a, 200000);
		sg_audit_free(a);
		load(path, &t);
		set_head_back(path, &t);
		cut(path, (off_t)t.line[t.n - 1].n - left[i]);
		a = open_log(path, 0);
		append(a, 9);
		sg_audit_free(a);
		records += 2; /* with that of the repair */
		is_intact(path, records);
		sg_buf_release(&t.all);
	}
}
END_TEST

START_TEST(nothing_is_appended_to_a_log_whose_end_was_changed)
{
	const char *path = log_of(2);
	struct sg_audit_opts opts = { path, 0 };
	struct sg_audit *a = NULL;
	int all[] = { 0, 1, -1 };
	struct sg_err err;
	struct text t;

	load(path, &t);
	*strstr(t.all.data + (t.line[1].p - t.all.data), "verdict") = 'V';
	store(path, &t, all);
	sg_err_clear(&err);
	ck_assert_int_eq(sg_audit_open(&opts, &a, &err), SG_EAUDIT);
	ck_assert_ptr_null(a);
	sg_buf_release(&t.all);
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
	/* Without the second file there is a gap. */
	memcpy(some, files, n * sizeof(*some));
	some[1] = some[0];
	ck_good(sg_audit_verify(some + 1, n - 1, &v, &err), &err);
	ck_assert_int_eq(v.kind, SG_VERIFY_REMOVED);
	sg_arena_release(&arena);
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
		struct sg_audit_opts opts = { bad[i], 0 };
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
	struct sg_audit_opts opts = { path, 0 };
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
		struct sg_audit_opts opts = { path, 0 };
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
	     tampering_is_found_at_the_first_bad_line,
	     a_changed_record_is_found, a_record_of_another_chain_is_found,
	     a_log_rewritten_from_some_point_on_is_found_by_its_head,
	     a_missing_or_older_head_is_told_apart,
	     a_torn_last_line_is_no_tampering_and_is_set_aside,
	     a_tail_that_was_cut_off_mid_line_is_tampering_if_the_head_knows_it,
	     a_record_that_only_lacks_its_lf_is_kept,
	     every_length_of_a_torn_line_is_repaired,
	     the_last_record_is_found_however_long_it_is,
	     a_long_record_that_was_torn_is_set_aside,
	     nothing_is_appended_to_a_log_whose_end_was_changed,
	     rotation_carries_the_chain_on,
	     a_log_that_was_taken_away_is_reported_for_ever,
	     what_is_no_log_is_refused, a_text_file_is_not_taken_for_a_log,
	     without_memory_there_is_no_record_and_no_harm)
