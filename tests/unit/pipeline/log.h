#ifndef SG_TESTS_LOG_H
#define SG_TESTS_LOG_H

/*
 * A log of some records, and the same as lines, to be tampered with:
 *
 *	const char *path = log_of(3);
 *	struct text t;
 *
 *	load(path, &t);
 *	store(path, &t, (const int[]){ 0, 2, -1 });
 *	is_broken(path, SG_VERIFY_REMOVED, 2);
 */

#include "base/file.h"
#include "pipeline/audit.h"
#include "pipeline/verify.h"
#include "unit/support.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static inline struct sg_audit *
open_log(const char *path, uint64_t max)
{
	struct sg_audit_opts opts = { .path = path, .max_bytes = max };
	struct sg_audit *a = NULL;
	struct sg_err err;

	sg_err_clear(&err);
	ck_good(sg_audit_open(&opts, &a, &err), &err);
	return a;
}

static inline int
try_append(struct sg_audit *a, int n, struct sg_link *link, struct sg_err *err)
{
	json_t *v = json_pack("{s:s, s:i}", "event", "verdict", "n", n);
	int status = sg_audit_append(a, v, link, err);

	json_decref(v);
	return status;
}

static inline void
append(struct sg_audit *a, int n)
{
	struct sg_link link;
	struct sg_err err;

	sg_err_clear(&err);
	ck_good(try_append(a, n, &link, &err), &err);
}

/* A log of n records, written by one writer after another. */
static inline const char *
log_of(int n)
{
	const char *path = sg_test_path("audit.jsonl");
	struct sg_audit *a = open_log(path, 0);

	for (int i = 0; i < n; i++)
		append(a, i);
	sg_audit_free(a);
	return path;
}

static inline struct sg_verify
verify(const char *path)
{
	struct sg_verify v;
	struct sg_err err;

	sg_err_clear(&err);
	ck_good(sg_audit_verify(&path, 1, &v, &err), &err);
	return v;
}

static inline void
is_intact(const char *path, uint64_t records)
{
	struct sg_verify v = verify(path);

	ck_assert_msg(v.kind == SG_VERIFY_INTACT, "line %u: %s",
		      (unsigned)v.line, v.what);
	ck_assert_uint_eq(v.records, records);
}

static inline void
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

static inline void
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
static inline void
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

#endif
