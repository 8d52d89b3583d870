#include "pipeline/chain.h"

#include "pipeline/limits.h"
#include "unit/support.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void
canonical(const char *json, const char *want)
{
	json_t *v = json_loads(json, JSON_DECODE_ANY, NULL);
	struct sg_buf b;
	struct sg_err err;

	sg_err_clear(&err);
	ck_assert_ptr_nonnull(v);
	sg_buf_init(&b, 10000);
	ck_good(sg_canon_write(v, &b, &err), &err);
	ck_str_is(sg_buf_view(&b), want);
	sg_buf_release(&b);
	json_decref(v);
}

START_TEST(members_are_sorted_and_nothing_is_left_to_taste)
{
	canonical(" { \"b\" : 1, \"a\" : [ true , null, false, -3 ] } ",
		  "{\"a\":[true,null,false,-3],\"b\":1}");
	canonical("{\"\\u20ac\":1,\"\\r\":2,\"1\":4,\"\\u00f6\":6,"
		  "\"\\ud83d\\ude00\":5,\"\\ufb33\":3}",
		  "{\"\\r\":2,\"1\":4,\"\u00f6\":6,\"\u20ac\":1,"
		  "\"\U0001f600\":5,\"\ufb33\":3}");
	canonical("\"\\u000f\\n\\u0008\\u001b\\u007f\\/\\\"\\\\\"",
		  "\"\\u000f\\n\\b\\u001b\x7f/\\\"\\\\\"");
	canonical("{}", "{}");
	canonical("[]", "[]");
}
END_TEST

START_TEST(only_integers_are_numbers)
{
	json_t *v = json_loads("[1.5]", 0, NULL);
	struct sg_buf b;
	struct sg_err err;

	sg_err_clear(&err);
	sg_buf_init(&b, 100);
	ck_assert_int_eq(sg_canon_write(v, &b, &err), SG_EUSAGE);
	sg_buf_release(&b);
	json_decref(v);
}
END_TEST

START_TEST(depth_is_capped)
{
	char text[200];
	struct sg_buf b;

	for (int depth = 32; depth <= 34; depth++) {
		json_t *v;

		memset(text, '[', (size_t)depth);
		memset(text + depth, ']', (size_t)depth);
		text[2 * depth] = '\0';
		v = json_loads(text, 0, NULL);
		sg_buf_init(&b, 1000);
		ck_assert_int_eq(sg_canon_write(v, &b, NULL),
				 depth <= 33 ? SG_OK : SG_ELIMIT);
		sg_buf_release(&b);
		json_decref(v);
	}
}
END_TEST

/* A sealed record as a line without its LF. */
static void
seal(const struct sg_link *prev, const char *event, struct sg_buf *b,
     struct sg_link *link)
{
	json_t *v = json_pack("{s:s, s:i}", "event", event, "n", 7);
	struct sg_err err;

	sg_err_clear(&err);
	sg_buf_reset(b);
	ck_good(sg_chain_seal(v, prev, b, link, &err), &err);
	ck_assert_int_eq(b->data[b->len - 1], '\n');
	b->len--;
	json_decref(v);
}

START_TEST(a_sealed_record_reads_back)
{
	struct sg_link none = { 0 }, first, second;
	struct sg_record rec;
	struct sg_buf b;

	sg_buf_init(&b, 10000);
	seal(&none, "verdict", &b, &first);
	ck_assert_uint_eq(first.sequence, 1);
	ck_assert_int_eq(sg_record_read(sg_buf_view(&b), &rec), SG_RECORD_GOOD);
	ck_assert(!rec.has_prev);
	ck_assert_str_eq(rec.event, "verdict");
	ck_assert_str_eq(rec.self.fingerprint, first.fingerprint);
	sg_record_release(&rec);
	seal(&first, "outcome", &b, &second);
	ck_assert_int_eq(sg_record_read(sg_buf_view(&b), &rec), SG_RECORD_GOOD);
	ck_assert(rec.has_prev);
	ck_assert_uint_eq(rec.self.sequence, 2);
	ck_assert_str_eq(rec.prev_uid, first.uid);
	ck_assert_str_eq(rec.prev_fingerprint, first.fingerprint);
	ck_assert_str_eq(rec.self.chain, first.chain);
	sg_record_release(&rec);
	sg_buf_release(&b);
}
END_TEST

START_TEST(the_fingerprint_is_that_of_the_record_without_it)
{
	struct sg_link none = { 0 }, link;
	struct sg_digest d;
	char hex[SG_DIGEST_HEX];
	struct sg_buf b;
	char *at;
	size_t cut;

	sg_buf_init(&b, 10000);
	seal(&none, "verdict", &b, &link);
	at = strstr(b.data, "\"fingerprint\"");
	ck_assert_ptr_nonnull(at);
	cut = (size_t)(strchr(at, '}') - at) + 2;
	memmove(at, at + cut, b.len - (size_t)(at - b.data) - cut);
	d = sg_digest_of((struct sg_str){ b.data, b.len - cut });
	sg_digest_hex(&d, hex);
	ck_assert_str_eq(hex, link.fingerprint);
	sg_buf_release(&b);
}
END_TEST

START_TEST(every_changed_byte_is_found)
{
	struct sg_link none = { 0 }, link;
	struct sg_record rec;
	struct sg_buf b;

	sg_buf_init(&b, 10000);
	seal(&none, "verdict", &b, &link);
	for (size_t i = 0; i < b.len; i++) {
		char keep = b.data[i];

		for (int bit = 0; bit < 8; bit++) {
			b.data[i] = (char)(keep ^ (1 << bit));
			ck_assert_msg(sg_record_read(sg_buf_view(&b), &rec) !=
					      SG_RECORD_GOOD,
				      "byte %zu, bit %d", i, bit);
			sg_record_release(&rec);
		}
		b.data[i] = keep;
	}
	sg_buf_release(&b);
}
END_TEST

START_TEST(another_spelling_of_the_same_record_is_found)
{
	struct sg_link none = { 0 }, link;
	struct sg_record rec;
	struct sg_buf b;

	sg_buf_init(&b, 10000);
	seal(&none, "verdict", &b, &link);
	sg_buf_char(&b, ' ');
	ck_assert_int_eq(sg_record_read(sg_buf_view(&b), &rec), SG_RECORD_FORM);
	sg_record_release(&rec);
	sg_buf_release(&b);
}
END_TEST

START_TEST(what_is_no_record_is_said_so)
{
	struct sg_record rec;

	ck_assert_int_eq(sg_record_read(SG_STR(""), &rec), SG_RECORD_SYNTAX);
	sg_record_release(&rec);
	ck_assert_int_eq(sg_record_read(SG_STR("[]"), &rec), SG_RECORD_SYNTAX);
	sg_record_release(&rec);
	ck_assert_int_eq(sg_record_read(SG_STR("{\"a\":1}"), &rec),
			 SG_RECORD_SHAPE);
	sg_record_release(&rec);
}
END_TEST

START_TEST(the_head_reads_back)
{
	const char *log = sg_test_path("log");
	struct sg_link link = { .sequence = 12 }, back;
	struct sg_err err;

	sg_err_clear(&err);
	ck_assert_int_eq(sg_head_read(log, &back, &err), SG_ENOENT);
	sg_uid_make("", link.chain);
	sg_uid_make("", link.uid);
	memset(link.fingerprint, 'a', SG_DIGEST_HEX - 1);
	sg_err_clear(&err);
	ck_good(sg_head_write(log, &link, &err), &err);
	ck_good(sg_head_read(log, &back, &err), &err);
	ck_assert_uint_eq(back.sequence, 12);
	ck_assert_str_eq(back.chain, link.chain);
	ck_assert_str_eq(back.uid, link.uid);
	ck_assert_str_eq(back.fingerprint, link.fingerprint);
	(void)sg_test_write("log.head", SG_STR("{}"));
	sg_err_clear(&err);
	ck_assert_int_eq(sg_head_read(log, &back, &err), SG_EPARSE);
}
END_TEST

static ino_t
number_of(const char *path)
{
	struct stat st;

	ck_assert_int_eq(lstat(path, &st), 0);
	ck_assert(S_ISREG(st.st_mode));
	ck_assert_int_eq(st.st_size, SG_HEAD_SIZE);
	return st.st_ino;
}

START_TEST(a_head_is_written_over_only_where_it_is_ours_alone)
{
	const char *log = sg_test_path("over");
	const char *head = sg_test_path("over.head");
	const char *other = sg_test_path("other");
	struct sg_link link = { .sequence = 9 }, back;
	struct sg_err err;
	ino_t first;

	sg_err_clear(&err);
	sg_uid_make("", link.chain);
	sg_uid_make("", link.uid);
	memset(link.fingerprint, 'b', SG_DIGEST_HEX - 1);
	ck_good(sg_head_write(log, &link, &err), &err);
	first = number_of(head);
	/* The longest number; the file keeps its size and its place. */
	link.sequence = INT64_MAX;
	ck_good(sg_head_write(log, &link, &err), &err);
	ck_assert(number_of(head) == first);
	ck_good(sg_head_read(log, &back, &err), &err);
	ck_assert(back.sequence == INT64_MAX);
	/* With a second name, or behind a link, it is somebody else's. */
	ck_assert_int_eq(linkat(AT_FDCWD, head, AT_FDCWD, other, 0), 0);
	ck_good(sg_head_write(log, &link, &err), &err);
	ck_assert(number_of(head) != first);
	ck_assert_int_eq(unlink(head), 0);
	ck_assert_int_eq(symlink(other, head), 0);
	link.sequence = 7;
	ck_good(sg_head_write(log, &link, &err), &err);
	ck_assert(number_of(head) != first && number_of(other) == first);
	/* Another size is another version's. */
	(void)sg_test_write("over.head", SG_STR("{}"));
	ck_good(sg_head_write(log, &link, &err), &err);
	ck_good(sg_head_read(log, &back, &err), &err);
	ck_assert_uint_eq(back.sequence, 7);
}
END_TEST

START_TEST(without_memory_nothing_is_sealed)
{
	struct sg_link none = { 0 }, link;
	struct sg_err err;
	struct sg_buf b;

	SG_TEST_EACH_ALLOCATION() {
		json_t *v = json_pack("{s:s}", "event", "verdict");
		int status;

		sg_err_clear(&err);
		sg_buf_init(&b, 10000);
		status = v ? sg_chain_seal(v, &none, &b, &link, &err)
			   : SG_ENOMEM;
		ck_assert(status == SG_OK || status == SG_ENOMEM);
		sg_buf_release(&b);
		json_decref(v);
	}
}
END_TEST

SG_TEST_MAIN("chain", members_are_sorted_and_nothing_is_left_to_taste,
	     only_integers_are_numbers, depth_is_capped,
	     a_sealed_record_reads_back,
	     the_fingerprint_is_that_of_the_record_without_it,
	     every_changed_byte_is_found,
	     another_spelling_of_the_same_record_is_found,
	     what_is_no_record_is_said_so, the_head_reads_back,
	     a_head_is_written_over_only_where_it_is_ours_alone,
	     without_memory_nothing_is_sealed)
