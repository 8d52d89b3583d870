/* A log whose last line was cut off by a crash, and its repair. */

#include "pipeline/audit.h"

#include "unit/pipeline/log.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

SG_TEST_MAIN("audit torn", a_torn_last_line_is_no_tampering_and_is_set_aside,
	     a_tail_that_was_cut_off_mid_line_is_tampering_if_the_head_knows_it,
	     a_record_that_only_lacks_its_lf_is_kept,
	     every_length_of_a_torn_line_is_repaired,
	     the_last_record_is_found_however_long_it_is,
	     a_long_record_that_was_torn_is_set_aside)
