#include "pipeline/row.h"

#include "unit/support.h"

#include <stdio.h>

static struct sg_row
scan(const char *key, struct sg_str line)
{
	static struct sg_row_path path;
	struct sg_row row;
	struct sg_err err;

	sg_err_clear(&err);
	ck_good(sg_row_path_parse(sg_str_c(key), &path, &err), &err);
	sg_row_scan(line, &path, &row);
	return row;
}

/* The text that `key` finds in `line`. */
static void
finds(const char *key, const char *line, const char *want)
{
	struct sg_row row = scan(key, sg_str_c(line));
	struct sg_buf b;

	ck_assert_msg(!row.fault, "%s: %s", line, row.fault);
	sg_buf_init(&b, 1000);
	sg_row_text(&row, &b);
	ck_str_is(sg_buf_view(&b), want);
	sg_buf_release(&b);
}

static void
splices(const char *line, const char *want)
{
	struct sg_row row = scan("c", sg_str_c(line));
	struct sg_buf b;

	sg_buf_init(&b, 1000);
	sg_row_splice(&row, SG_STR("{}"), &b);
	ck_str_is(sg_buf_view(&b), want);
	sg_buf_release(&b);
}

START_TEST(the_text_is_found_and_decoded)
{
	finds("c", "{\"c\":\"x\"}", "x");
	finds("c", " { \"a\" : [1,{\"c\":\"no\"}] , \"c\" : \"y\" } ", "y");
	finds("c", "{\"\\u0063\":\"by escape\"}", "by escape");
	finds("c", "{\"c\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}", "\"\\/\b\f\n\r\t");
	finds("c", "{\"c\":\"\\u00e4\\u20AC\\ud83d\\ude00\"}",
	      "\u00e4\u20ac\U0001f600");
	finds("c", "{\"c\":\"a\u2028b\"}", "a\u2028b");
	finds("c", "{\"c\":\"\\ud800x\"}", "\xed\xa0\x80x");
	finds("c", "{\"c\":\"\\ud800\\u0041\"}",
	      "\xed\xa0\x80"
	      "A");
	finds("c", "{\"c\":\"\"}", "");
}
END_TEST

START_TEST(a_pointer_finds_what_is_nested)
{
	finds("/a/b", "{\"b\":\"no\",\"a\":{\"c\":1,\"b\":\"yes\"}}", "yes");
	finds("/m/1/code", "{\"m\":[{\"code\":1},{\"code\":\"yes\"}]}", "yes");
	finds("/a~1b/~0", "{\"a/b\":{\"~\":\"yes\"}}", "yes");
	finds("/m/0/0", "{\"m\":[[\"yes\"],\"no\"]}", "yes");
	finds("/", "{\"\":\"empty key\"}", "empty key");
}
END_TEST

START_TEST(a_malformed_pointer_is_refused)
{
	static const char *const bad[] = {
		"", "/~2", "/a~", "/1/2/3/4/5/6/7/8/9/0/1/2/3/4/5/6/7"
	};
	struct sg_row_path path;
	struct sg_err err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		sg_err_clear(&err);
		ck_assert_int_eq(
			sg_row_path_parse(sg_str_c(bad[i]), &path, &err),
			SG_EUSAGE);
	}
}
END_TEST

START_TEST(each_fault_has_its_code)
{
	static const struct {
		const char *line, *code;
		bool is_object;
	} rows[] = {
		{ "", "row.syntax", false },
		{ "null", "row.object", false },
		{ "[1]", "row.object", false },
		{ "\"c\"", "row.object", false },
		{ "{}", "row.missing", true },
		{ "{\"a\":{\"c\":\"x\"}}", "row.missing", true },
		{ "{\"c\":1}", "row.type", true },
		{ "{\"c\":null}", "row.type", true },
		{ "{\"c\":[\"x\"],\"d\":1}", "row.type", true },
		{ "{\"c\":{},\"c\":\"x\"}", "row.type", true },
		{ "{\"c\":\"x\",\"\\u0063\":\"y\"}", "row.duplicate", true },
		{ "{\"c\":1", "row.syntax", false },
		{ "{\"c\":\"x\"", "row.syntax", false },
		{ "{\"c\":\"x\"}}", "row.syntax", false },
		{ "{\"c\":\"x\"} x", "row.syntax", false },
		{ "{\"c\":\"x\",}", "row.syntax", false },
		{ "{\"c\" \"x\"}", "row.syntax", false },
		{ "{c:\"x\"}", "row.syntax", false },
		{ "{\"c\":\"\t\"}", "row.syntax", false },
		{ "{\"c\":\"\\x\"}", "row.syntax", false },
		{ "{\"c\":\"\\u12g4\"}", "row.syntax", false },
		{ "{\"c\":\"\\u12", "row.syntax", false },
		{ "{\"c\":\"x", "row.syntax", false },
		{ "{\"c\":\"\\", "row.syntax", false },
		{ "{\"c\":'x'}", "row.syntax", false },
		{ "{\"c\":\"x\",\"n\":01}", "row.syntax", false },
		{ "{\"c\":\"x\",\"n\":1.}", "row.syntax", false },
		{ "{\"c\":\"x\",\"n\":-}", "row.syntax", false },
		{ "{\"c\":\"x\",\"n\":1e}", "row.syntax", false },
		{ "{\"c\":\"x\",\"n\":+1}", "row.syntax", false },
		{ "{\"c\":\"x\",\"n\":NaN}", "row.syntax", false },
		{ "{\"c\":\"x\",\"n\":tru}", "row.syntax", false },
		{ "{\"c\":\"x\",\"n\":[1 2]}", "row.syntax", false },
		{ "{\"c\":\"x\",\"n\":[1}", "row.syntax", false },
		{ "{\"c\":\"\xff\"}", "row.utf8", false },
		{ "{\"c\":\"x\",\"n\":\"\xed\xa0\x80\"}", "row.utf8", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct sg_row row = scan("c", sg_str_c(rows[i].line));

		ck_assert_msg(row.fault, "%s", rows[i].line);
		ck_assert_str_eq(row.fault, rows[i].code);
		ck_assert_msg(row.is_object == rows[i].is_object, "%s",
			      rows[i].line);
	}
}
END_TEST

START_TEST(a_nul_byte_is_no_json)
{
	struct sg_row row = scan("c", SG_STR("{\"c\":\"a\0b\"}"));

	ck_assert_str_eq(row.fault, "row.syntax");
}
END_TEST

START_TEST(numbers_and_words_of_all_kinds_pass)
{
	finds("c",
	      "{\"n\":[0,-0,10,-1.5,2e3,1E-9,0.5e+10,true,false,null,{},[],"
	      "{\"a\":[]}],\"c\":\"x\"}",
	      "x");
}
END_TEST

START_TEST(depth_is_capped_exactly)
{
	char line[2 * SG_ROW_DEPTH + 64];
	struct sg_row row;

	for (int depth = SG_ROW_DEPTH - 1; depth <= SG_ROW_DEPTH; depth++) {
		int n = snprintf(line, sizeof(line), "{\"c\":\"x\",\"d\":");

		memset(line + n, '[', (size_t)depth);
		memset(line + n + depth, ']', (size_t)depth);
		line[n + 2 * depth] = '}';
		line[n + 2 * depth + 1] = '\0';
		row = scan("c", sg_str_c(line));
		if (depth < SG_ROW_DEPTH)
			ck_assert_ptr_null(row.fault);
		else
			ck_assert_str_eq(row.fault, "row.depth");
	}
}
END_TEST

START_TEST(the_answer_is_spliced_in_and_all_else_stays)
{
	splices("{}", "{\"sandgate\":{}}");
	splices("{\"c\":\"x\"}", "{\"c\":\"x\",\"sandgate\":{}}");
	splices(" { \"c\" : \"x\\u0041\" , \"n\":1.50e0 } \r",
		" { \"c\" : \"x\\u0041\" , \"n\":1.50e0 ,\"sandgate\":{}} \r");
	splices("{\"c\":1}", "{\"c\":1,\"sandgate\":{}}");
	splices("null", "{\"sandgate\":{}}");
	splices("{\"c\":", "{\"sandgate\":{}}");
}
END_TEST

START_TEST(an_older_answer_is_replaced)
{
	splices("{\"sandgate\":1}", "{\"sandgate\":{}}");
	splices("{\"sandgate\":1,\"c\":\"x\"}",
		"{\"c\":\"x\",\"sandgate\":{}}");
	splices("{\"c\":\"x\",\"sandgate\":{\"a\":[1,2]}}",
		"{\"c\":\"x\",\"sandgate\":{}}");
	splices("{\"a\":1,\"sandgate\":2,\"c\":\"x\"}",
		"{\"a\":1,\"c\":\"x\",\"sandgate\":{}}");
	splices("{\"sandgate\":1,\"sandgate\":2,\"c\":\"x\"}",
		"{\"c\":\"x\",\"sandgate\":{}}");
	splices("{\"sandgate\":1,\"sandgate\":2}", "{\"sandgate\":{}}");
	splices("{\"c\":\"x\",\"sandgate\":1,\"d\":2,\"sandgate\":3}",
		"{\"c\":\"x\",\"d\":2,\"sandgate\":{}}");
	splices("{\"s\\u0061ndgate\":1,\"c\":\"x\"}",
		"{\"c\":\"x\",\"sandgate\":{}}");
	splices("{\"c\":{\"sandgate\":1}}",
		"{\"c\":{\"sandgate\":1},\"sandgate\":{}}");
}
END_TEST

START_TEST(too_many_older_answers_are_refused)
{
	struct sg_row row;
	struct sg_buf b;

	sg_buf_init(&b, 10000);
	sg_buf_c(&b, "{\"c\":\"x\"");
	for (int i = 0; i < SG_ROW_OURS; i++)
		sg_buf_c(&b, ",\"sandgate\":1");
	sg_buf_char(&b, '}');
	ck_assert_ptr_null(scan("c", sg_buf_view(&b)).fault);
	b.len--;
	sg_buf_c(&b, ",\"sandgate\":1}");
	row = scan("c", sg_buf_view(&b));
	ck_assert_str_eq(row.fault, "row.duplicate");
	ck_assert(!row.is_object);
	sg_buf_release(&b);
}
END_TEST

SG_TEST_MAIN("row", the_text_is_found_and_decoded,
	     a_pointer_finds_what_is_nested, a_malformed_pointer_is_refused,
	     each_fault_has_its_code, a_nul_byte_is_no_json,
	     numbers_and_words_of_all_kinds_pass, depth_is_capped_exactly,
	     the_answer_is_spliced_in_and_all_else_stays,
	     an_older_answer_is_replaced, too_many_older_answers_are_refused)
