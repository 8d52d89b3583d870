#include "base/json.h"

#include "unit/support.h"

static struct sg_buf buf;
static struct sg_json j;

static void
start(size_t max)
{
	sg_buf_release(&buf);
	sg_buf_init(&buf, max);
	sg_json_init(&j, &buf);
}

static void
done_is(const char *want)
{
	ck_assert(sg_json_done(&j));
	ck_str_is(sg_buf_view(&buf), want);
	sg_buf_release(&buf);
}

static void
is_refused(void)
{
	ck_assert(!sg_json_done(&j));
	sg_buf_release(&buf);
}

static void
text_is(struct sg_str text, const char *want)
{
	start(1000);
	sg_json_str(&j, text);
	done_is(want);
}

START_TEST(a_document_of_everything)
{
	start(1000);
	sg_json_object(&j);
	sg_json_kc(&j, "c", "x");
	sg_json_kc(&j, "none", NULL);
	sg_json_kstr(&j, "s", SG_STR("y"));
	sg_json_kint(&j, "i", INT64_MIN);
	sg_json_kuint(&j, "u", UINT64_MAX);
	sg_json_kbool(&j, "b", true);
	sg_json_key(&j, "a");
	sg_json_array(&j);
	sg_json_int(&j, -1);
	sg_json_uint(&j, 2);
	sg_json_bool(&j, false);
	sg_json_null(&j);
	sg_json_object(&j);
	sg_json_end(&j);
	sg_json_array(&j);
	sg_json_end(&j);
	sg_json_raw(&j, SG_STR("{\"r\":1}"));
	sg_json_end(&j);
	sg_json_end(&j);
	done_is("{\"c\":\"x\",\"none\":null,\"s\":\"y\","
		"\"i\":-9223372036854775808,\"u\":18446744073709551615,"
		"\"b\":true,\"a\":[-1,2,false,null,{},[],{\"r\":1}]}");
}
END_TEST

START_TEST(text_is_escaped)
{
	text_is(SG_STR(""), "\"\"");
	text_is(SG_STR_NONE, "\"\"");
	text_is(SG_STR("a\"b\\c/"), "\"a\\\"b\\\\c/\"");
	text_is(SG_STR("\b\t\n\f\r"), "\"\\b\\t\\n\\f\\r\"");
	text_is(SG_STR("\0\x01\x1f\x7f"), "\"\\u0000\\u0001\\u001f\x7f\"");
	text_is(SG_STR("\xe2\x80\xa8|\xe2\x80\xa9|\xe2\x80\xaa"),
		"\"\\u2028|\\u2029|\xe2\x80\xaa\"");
	text_is(SG_STR("h\xc3\xa9\xf0\x9f\x90\x8d"),
		"\"h\xc3\xa9\xf0\x9f\x90\x8d\"");
}
END_TEST

START_TEST(text_that_is_not_utf8_is_repaired)
{
	text_is(SG_STR("a\xff"
		       "b"),
		"\"a\xef\xbf\xbd"
		"b\"");
	/* Cut short, overlong, a surrogate: each byte is one. */
	text_is(SG_STR("\xc3"), "\"\xef\xbf\xbd\"");
	text_is(SG_STR("\xc0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
	text_is(SG_STR("\xed\xa0\x80"),
		"\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}
END_TEST

START_TEST(keys_are_escaped_too)
{
	start(1000);
	sg_json_object(&j);
	sg_json_kint(&j, "a\n\xff", 1);
	sg_json_end(&j);
	done_is("{\"a\\n\xef\xbf\xbd\":1}");
}
END_TEST

START_TEST(bytes_become_base64)
{
	static const char *const want[] = { "\"\"",         "\"Zg==\"",
					    "\"Zm8=\"",     "\"Zm9v\"",
					    "\"Zm9vYg==\"", "\"Zm9vYmE=\"",
					    "\"Zm9vYmFy\"" };

	for (size_t n = 0; n <= 6; n++) {
		start(1000);
		sg_json_base64(&j, (struct sg_str){ "foobar", n });
		done_is(want[n]);
	}
	start(1000);
	sg_json_base64(&j, SG_STR("\xff\xfe\xfd\xfb"));
	done_is("\"//79+w==\"");
}
END_TEST

START_TEST(a_value_without_a_key_is_refused)
{
	start(1000);
	sg_json_object(&j);
	sg_json_int(&j, 1);
	sg_json_end(&j);
	is_refused();
}
END_TEST

START_TEST(a_key_without_an_object_is_refused)
{
	start(1000);
	sg_json_key(&j, "a");
	is_refused();
	start(1000);
	sg_json_array(&j);
	sg_json_key(&j, "a");
	sg_json_end(&j);
	is_refused();
}
END_TEST

START_TEST(a_key_without_a_value_is_refused)
{
	start(1000);
	sg_json_object(&j);
	sg_json_key(&j, "a");
	sg_json_end(&j);
	is_refused();
	start(1000);
	sg_json_object(&j);
	sg_json_key(&j, "a");
	sg_json_key(&j, "b");
	is_refused();
}
END_TEST

START_TEST(a_document_is_one_value)
{
	start(1000);
	is_refused();
	start(1000);
	sg_json_int(&j, 1);
	sg_json_int(&j, 2);
	is_refused();
	start(1000);
	sg_json_array(&j);
	is_refused();
	start(1000);
	sg_json_array(&j);
	sg_json_end(&j);
	sg_json_end(&j);
	is_refused();
	start(1000);
	sg_json_raw(&j, SG_STR(""));
	is_refused();
}
END_TEST

START_TEST(depth_is_capped)
{
	start(1000);
	for (int i = 0; i < SG_JSON_DEPTH; i++)
		sg_json_array(&j);
	for (int i = 0; i < SG_JSON_DEPTH; i++)
		sg_json_end(&j);
	ck_assert(sg_json_done(&j));
	start(1000);
	for (int i = 0; i <= SG_JSON_DEPTH; i++)
		sg_json_array(&j);
	for (int i = 0; i <= SG_JSON_DEPTH; i++)
		sg_json_end(&j);
	is_refused();
}
END_TEST

START_TEST(a_full_buffer_is_a_refusal_and_stays_one)
{
	start(10);
	sg_json_array(&j);
	sg_json_c(&j, "0123456789");
	sg_json_end(&j);
	is_refused();
	for (size_t max = 0; max < 10; max++) {
		start(max);
		sg_json_base64(&j, SG_STR("foobar"));
		ck_assert(!sg_json_done(&j));
	}
	start(10);
	sg_json_base64(&j, SG_STR("foobar"));
	done_is("\"Zm9vYmFy\"");
}
END_TEST

SG_TEST_MAIN("json", a_document_of_everything, text_is_escaped,
	     text_that_is_not_utf8_is_repaired, keys_are_escaped_too,
	     bytes_become_base64, a_value_without_a_key_is_refused,
	     a_key_without_an_object_is_refused,
	     a_key_without_a_value_is_refused, a_document_is_one_value,
	     depth_is_capped, a_full_buffer_is_a_refusal_and_stays_one)
