/* What verification says of a log that somebody has changed. */

#include "pipeline/audit.h"

#include "unit/pipeline/log.h"

#include <unistd.h>

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

START_TEST(nothing_is_appended_to_a_log_whose_end_was_changed)
{
	const char *path = log_of(2);
	struct sg_audit_opts opts = { .path = path };
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

SG_TEST_MAIN("audit tamper", tampering_is_found_at_the_first_bad_line,
	     a_changed_record_is_found, a_record_of_another_chain_is_found,
	     a_log_rewritten_from_some_point_on_is_found_by_its_head,
	     a_missing_or_older_head_is_told_apart,
	     nothing_is_appended_to_a_log_whose_end_was_changed)
