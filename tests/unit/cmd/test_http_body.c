#include "cmd/http_body.h"

#include "unit/support.h"

#include <stdio.h>
#include <stdlib.h>

static bool
reads(enum sg_task_kind kind, const char *json, struct sg_body *body,
      struct sg_body_fault *fault)
{
	return sg_body_read(sg_str_c(json), kind, body, fault);
}

/* A body of a run that is refused so. */
static void
wrong(const char *json, unsigned status, const char *code, const char *pointer)
{
	struct sg_body body;
	struct sg_body_fault fault;

	ck_assert_msg(!reads(SG_TASK_RUN, json, &body, &fault), "%s", json);
	ck_assert_msg(fault.status == status, "%s: %u", json, fault.status);
	ck_assert_str_eq(fault.code, code);
	ck_assert_str_eq(fault.pointer, pointer);
	ck_assert_uint_gt(strlen(fault.detail), 0);
	sg_body_release(&body);
}

static void
right(const char *json)
{
	struct sg_body body;
	struct sg_body_fault fault;

	ck_assert_msg(reads(SG_TASK_RUN, json, &body, &fault), "%s: %s", json,
		      fault.detail);
	sg_body_release(&body);
}

START_TEST(everything_that_can_be_asked_for)
{
	struct sg_body b;
	struct sg_body_fault fault;

	ck_assert(reads(SG_TASK_RUN,
			"{\"code\":\"a\\u0000b\",\"name\":\"d/n.py\","
			"\"stdin\":\"\",\"args\":[\"x\",\"\"],"
			"\"env\":{\"A\":\"b=c\"},\"files\":["
			"{\"path\":\"p\",\"content\":\"text\"},"
			"{\"base64\":\"AP8=\",\"path\":\"q\"}],"
			"\"timeout_s\":1.5,\"cpu_s\":2,\"deadline_s\":0.0001,"
			"\"memory_bytes\":3,\"workspace_bytes\":4,"
			"\"output_bytes\":5,\"data\":\"list\"}",
			&b, &fault));
	ck_assert(sg_str_eq(b.code, SG_STR("a\0b")));
	ck_assert_str_eq(b.name, "d/n.py");
	ck_assert(b.has_input);
	ck_assert_uint_eq(b.input.n, 0);
	ck_assert_str_eq(b.args[0], "x");
	ck_assert_str_eq(b.args[1], "");
	ck_assert_ptr_null(b.args[2]);
	ck_assert_str_eq(b.env[0], "A=b=c");
	ck_assert_ptr_null(b.env[1]);
	ck_assert_uint_eq(b.nfiles, 2);
	ck_assert(sg_str_eq(b.files[1].data, SG_STR("\0\xff")));
	ck_assert_uint_eq(b.file_bytes, 6);
	ck_assert_uint_eq(b.timeout_ms, 1500);
	ck_assert_uint_eq(b.cpu_ms, 2000);
	/* Never none: that would mean the server's. */
	ck_assert_uint_eq(b.deadline_ms, 1);
	ck_assert_uint_eq(b.memory, 3);
	ck_assert_uint_eq(b.workspace, 4);
	ck_assert_uint_eq(b.output, 5);
	ck_assert(b.list);
	sg_body_release(&b);
}
END_TEST

START_TEST(nothing_but_code_is_needed)
{
	struct sg_body b;
	struct sg_body_fault fault;

	ck_assert(reads(SG_TASK_CHECK, " {\"code\": \"\"} ", &b, &fault));
	ck_assert_uint_eq(b.code.n, 0);
	ck_assert_ptr_nonnull(b.code.p);
	ck_assert(!b.has_input && !b.name && !b.args && !b.env && !b.list);
	sg_body_release(&b);
	wrong("{}", 422, "missing-key", "");
	wrong("{\"name\":\"n\"}", 422, "missing-key", "");
}
END_TEST

START_TEST(what_is_no_json_is_told_apart)
{
	wrong("", 400, "bad-json", "");
	wrong("{\"code\":\"1\"} x", 400, "bad-json", "");
	wrong("{\"code\":\"1\",\"code\":\"1\"}", 400, "bad-json", "");
	wrong("{\"code\":\"\xff\"}", 400, "bad-json", "");
	wrong("{\"code\":\"\\udc00\"}", 400, "bad-json", "");
	wrong("{'code':'1'}", 400, "bad-json", "");
	wrong("{\"code\":\"1\",\"a\\u0000\":1}", 400, "bad-json", "");
	wrong("[1]", 422, "wrong-type", "");
	wrong("\"code\"", 400, "bad-json", "");
}
END_TEST

START_TEST(keys_that_are_not_known_are_errors)
{
	struct sg_body b;
	struct sg_body_fault fault;

	wrong("{\"code\":\"1\",\"a~b/c\":1}", 422, "unknown-key", "/a~0b~1c");
	wrong("{\"code\":\"1\",\"\":1}", 422, "unknown-key", "/");
	wrong("{\"code\":\"1\",\"files\":[{\"path\":\"a\",\"size\":1}]}", 422,
	      "unknown-key", "/files/0/size");
	ck_assert(!reads(SG_TASK_RUN, "{\"timeout\":1}", &b, &fault));
	ck_assert_msg(strstr(fault.detail, "is 'timeout_s' meant?"), "%s",
		      fault.detail);
	sg_body_release(&b);
	ck_assert(!reads(SG_TASK_CHECK, "{\"stdn\":1}", &b, &fault));
	ck_assert_msg(!strstr(fault.detail, "stdin"), "%s", fault.detail);
	sg_body_release(&b);
	ck_assert(!reads(SG_TASK_CHECK, "{\"stdin\":\"\"}", &b, &fault));
	ck_assert_msg(strstr(fault.detail, "nothing is run"), "%s",
		      fault.detail);
	sg_body_release(&b);
}
END_TEST

/* {"code":"1","KEY":[ITEM, ...]} of n items; belongs to the caller. */
static char *
many(const char *key, uint32_t n, const char *open, const char *item,
     const char *close)
{
	struct sg_buf b;

	sg_buf_init(&b, 1 << 20);
	sg_buf_printf(&b, "{\"code\":\"1\",\"%s\":%s", key, open);
	for (uint32_t i = 0; i < n; i++) {
		sg_buf_c(&b, i ? "," : "");
		if (open[0] == '{')
			sg_buf_printf(&b, "\"v%u\":%s", i, item);
		else
			sg_buf_c(&b, item);
	}
	sg_buf_printf(&b, "%s}", close);
	ck_assert(!sg_buf_failed(&b));
	return b.data;
}

static void
at_most(const char *key, uint32_t n, const char *open, const char *item,
	const char *close, const char *pointer)
{
	char *json = many(key, n, open, item, close);

	right(json);
	free(json);
	json = many(key, n + 1, open, item, close);
	wrong(json, 422, "bad-value", pointer);
	free(json);
}

START_TEST(limits_of_lists)
{
	at_most("args", 256, "[", "\"\"", "]", "/args");
	at_most("env", SG_BODY_ENV_MAX, "{", "\"\"", "}", "/env");
	at_most("files", 1000, "[", "{\"path\":\"a\",\"content\":\"\"}", "]",
		"/files");
}
END_TEST

START_TEST(limits_of_names)
{
	char json[SG_BODY_NAME_MAX + 64], name[SG_BODY_NAME_MAX + 2];

	memset(name, 'n', sizeof(name));
	name[SG_BODY_NAME_MAX + 1] = '\0';
	(void)snprintf(json, sizeof(json), "{\"code\":\"1\",\"name\":\"%s\"}",
		       name);
	wrong(json, 422, "bad-value", "/name");
	(void)snprintf(json, sizeof(json), "{\"code\":\"1\",\"name\":\"%s\"}",
		       name + 1);
	right(json);
	wrong("{\"code\":\"1\",\"name\":\"\"}", 422, "bad-value", "/name");
	wrong("{\"code\":\"1\",\"name\":\"a\\u007f\"}", 422, "bad-value",
	      "/name");
	wrong("{\"code\":\"1\",\"name\":\"a\\u0000\"}", 422, "bad-value",
	      "/name");
}
END_TEST

START_TEST(a_pointer_that_is_too_long_is_cut)
{
	char json[1024], key[512];
	struct sg_body b;
	struct sg_body_fault fault;

	memset(key, '~', sizeof(key) - 1);
	key[sizeof(key) - 1] = '\0';
	(void)snprintf(json, sizeof(json), "{\"%s\":1}", key);
	ck_assert(!reads(SG_TASK_RUN, json, &b, &fault));
	ck_assert_uint_lt(strlen(fault.pointer), SG_BODY_POINTER);
	ck_assert_uint_gt(strlen(fault.pointer), SG_BODY_POINTER - 4);
	/* No half of an escape at its end. */
	ck_assert_int_eq(fault.pointer[strlen(fault.pointer) - 1], '0');
	sg_body_release(&b);
}
END_TEST

/* Whether a run of at most `most` milliseconds may take these. */
static bool
fits(const char *json, struct sg_task *task, struct sg_body_fault *fault)
{
	struct sg_body b;
	bool good;

	ck_assert_msg(reads(SG_TASK_RUN, json, &b, fault), "%s", fault->detail);
	sg_box_spec_init(&task->spec.box);
	task->spec.box.limits.wall_ms = 2000;
	task->spec.box.limits.cpu_ms = 2000;
	task->spec.box.limits.memory = 1000;
	task->spec.box.limits.workspace = 100;
	task->spec.box.limits.output = 10;
	good = sg_body_apply(&b, task, fault);
	sg_body_release(&b);
	return good;
}

START_TEST(no_limit_above_that_of_the_server)
{
	static const struct {
		const char *at, *above, *pointer;
	} rows[] = {
		{ "\"timeout_s\":2", "\"timeout_s\":2.001", "/timeout_s" },
		{ "\"cpu_s\":2", "\"cpu_s\":2.001", "/cpu_s" },
		{ "\"memory_bytes\":1000", "\"memory_bytes\":1001",
		  "/memory_bytes" },
		{ "\"workspace_bytes\":100", "\"workspace_bytes\":101",
		  "/workspace_bytes" },
		{ "\"output_bytes\":10", "\"output_bytes\":11",
		  "/output_bytes" },
		{ "\"workspace_bytes\":3,\"files\":[{\"path\":\"a\","
		  "\"content\":\"123\"}]",
		  "\"workspace_bytes\":3,\"files\":[{\"path\":\"a\","
		  "\"content\":\"12\"},{\"path\":\"b\",\"content\":\"12\"}]",
		  "/files" },
	};
	struct sg_task task = { .kind = SG_TASK_RUN };
	struct sg_body_fault fault;
	char json[256];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		(void)snprintf(json, sizeof(json), "{\"code\":\"1\",%s}",
			       rows[i].at);
		ck_assert_msg(fits(json, &task, &fault), "%s", json);
		(void)snprintf(json, sizeof(json), "{\"code\":\"1\",%s}",
			       rows[i].above);
		ck_assert_msg(!fits(json, &task, &fault), "%s", json);
		ck_assert_uint_eq(fault.status, 422);
		ck_assert_str_eq(fault.code, "above-limit");
		ck_assert_str_eq(fault.pointer, rows[i].pointer);
	}
	/* What is not asked for is the server's. */
	ck_assert(fits("{\"code\":\"1\",\"cpu_s\":1}", &task, &fault));
	ck_assert_uint_eq(task.spec.box.limits.wall_ms, 2000);
	ck_assert_uint_eq(task.spec.box.limits.cpu_ms, 1000);
	ck_assert_uint_eq(task.deadline_ms, 0);
}
END_TEST

START_TEST(memory_that_is_refused_is_an_error_of_ours)
{
	struct sg_body b;
	struct sg_body_fault fault;
	bool good = false;

	SG_TEST_EACH_ALLOCATION() {
		good = reads(SG_TASK_RUN,
			     "{\"code\":\"1\",\"args\":[\"a\"],\"env\":"
			     "{\"A\":\"b\"},\"files\":[{\"path\":\"a\","
			     "\"base64\":\"AAAA\"}]}",
			     &b, &fault);
		ck_assert(good || fault.status == 500);
		sg_body_release(&b);
	}
	ck_assert(good);
}
END_TEST

SG_TEST_MAIN("http_body", everything_that_can_be_asked_for,
	     nothing_but_code_is_needed, what_is_no_json_is_told_apart,
	     keys_that_are_not_known_are_errors, limits_of_lists,
	     limits_of_names, a_pointer_that_is_too_long_is_cut,
	     no_limit_above_that_of_the_server,
	     memory_that_is_refused_is_an_error_of_ours)
