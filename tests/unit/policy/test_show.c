/* Policies as text: what is in force, and the JSON Schema. */

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "policy/show.h"
#include "unit/policy/judge.h"
#include "unit/policy/wrong.h"

static struct sg_policy *
shown(const struct sg_policy *p, struct sg_buf *text)
{
	struct sg_policy *again = NULL;
	struct sg_err err;

	sg_buf_reset(text);
	ck_good(sg_policy_show(p, text, &err), &err);
	ck_good(sg_policy_read(sg_buf_view(text), "shown.yaml", &again, &err),
		&err);
	return again;
}

static const char *const scripts[] = {
	"import os\nos.system('x')\n",
	"import random\nrandom._os.getcwd()\n",
	"getattr(input(), input())\n",
	"x = '/etc/passwd'\nopen(x)\n",
	"import numpy as np\nnp.load('a', allow_pickle=True)\n",
	"def f(x):\n    return eval(x)\n",
	"f.__globals__\n",
	"import math\nprint(math.pi)\n",
	"import collections\ncollections._x\n",
	"x = (\n",
};

static void
same(const char *name)
{
	struct sg_policy *p = NULL, *again, *third;
	struct sg_buf text, more;
	struct sg_err err;
	size_t i;

	sg_buf_init(&text, 1 << 22);
	sg_buf_init(&more, 1 << 22);
	ck_good(sg_policy_open(name, &p, &err), &err);
	again = shown(p, &text);
	ck_assert_uint_eq(sg_policy_rule_count(p), sg_policy_rule_count(again));
	for (i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		struct sg_verdict a = judged(p, scripts[i]);
		struct sg_verdict b = judged(again, scripts[i]);
		const char *want = summary(&a);

		ck_assert_str_eq(summary(&b), want);
	}
	/* what is shown of what was shown is the same text, but for the
	 * name of the file */
	third = shown(again, &more);
	ck_assert_ptr_nonnull(memmem(more.data, more.len, "schema: 1", 9));
	ck_assert_str_eq(strstr(text.data, "schema: 1"),
			 strstr(more.data, "schema: 1"));
	sg_policy_free(p);
	sg_policy_free(again);
	sg_policy_free(third);
	sg_buf_release(&text);
	sg_buf_release(&more);
}

START_TEST(what_is_shown_is_the_same_policy)
{
	same("default");
	same("strict");
	same("audit");
	same(sg_test_write(
		"own.yaml",
		SG_STR("schema: 1\nextends: [strict]\n"
		       "lists: {b: [builtins.len], a: [builtins.print, $b]}\n"
		       "imports: {allow: {os: public}, deny: {math: no}}\n"
		       "capabilities: {allow: [fs.read]}\n"
		       "rules:\n  - {id: R, match: {call: [$a, x]}}\n"
		       "overrides:\n"
		       "  - {rule: unresolved, set: {action: off}}\n"
		       "  - {rule: SG104, set: {severity: low}}\n"
		       "exceptions:\n"
		       "  - {rule: R, when: {path: x}, reason: r, until: "
		       "2099-01-01}\n")));
}
END_TEST

/* --- the schema ------------------------------------------------------------ */

static const char checker[] =
	"import json, sys\n"
	"try:\n"
	"    import jsonschema\n"
	"except ImportError:\n"
	"    sys.exit(77)\n"
	"schema = json.load(open('docs/policy.schema.json'))\n"
	"check = jsonschema.Draft202012Validator(schema)\n"
	"check.check_schema(schema)\n"
	"bad = 0\n"
	"for line in open(sys.argv[1], encoding='utf-8'):\n"
	"    row = json.loads(line)\n"
	"    if check.is_valid(row['policy']) != row['valid']:\n"
	"        bad += 1\n"
	"        print(row, file=sys.stderr)\n"
	"sys.exit(bad != 0)\n";

static int
run_checker(const char *rows)
{
	int status = 0;
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		(void)execlp("python3", "python3", "-c", checker, rows,
			     (char *)NULL);
		_exit(77);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* False when there is no document. */
static bool
add_row(struct sg_buf *rows, struct sg_str text, bool valid)
{
	struct sg_err err;
	size_t before = rows->len;

	sg_buf_printf(rows,
		      "{\"valid\":%s,\"policy\":", valid ? "true" : "false");
	if (sg_policy_to_json(text, "p", rows, &err) == SG_OK) {
		sg_buf_c(rows, "}\n");
		return true;
	}
	rows->len = before;
	return false;
}

START_TEST(the_schema_accepts_what_loads_and_refuses_what_it_can_see)
{
	const struct sg_embed *s;
	struct sg_policy *p = NULL;
	struct sg_buf rows, text;
	struct sg_err err;
	uint32_t i, seen = 0;
	int rc;

	sg_buf_init(&rows, 1 << 24);
	sg_buf_init(&text, 1 << 22);
	for (s = sg_policy_shipped(); s->name != NULL; s++) {
		ck_assert(add_row(&rows, s->data, true));
		ck_good(sg_policy_open(s->name, &p, &err), &err);
		sg_policy_free(shown(p, &text));
		ck_assert(add_row(&rows, sg_buf_view(&text), true));
		sg_policy_free(p);
	}
	for (i = 0; i < WRONG; i++) {
		bool is_document = add_row(&rows, sg_str_c(wrong[i].text),
					   wrong[i].seen == UNSEEN);

		ck_assert_msg(is_document == (wrong[i].seen != NO_DOCUMENT),
			      "%u: %s", i, wrong[i].text);
		seen += wrong[i].seen == SEEN;
	}
	ck_assert_uint_ge(seen, 150);
	rc = run_checker(sg_test_write("rows", sg_buf_view(&rows)));
	if (rc == 77)
		fprintf(stderr, "skipped: python3-jsonschema is missing\n");
	else
		ck_assert_int_eq(rc, 0);
	sg_buf_release(&rows);
	sg_buf_release(&text);
}
END_TEST

START_TEST(the_embedded_schema_is_the_file)
{
	struct sg_err err;
	struct sg_buf text;

	sg_buf_init(&text, 1 << 20);
	ck_good(sg_file_read("docs/policy.schema.json", &text, &err), &err);
	ck_assert(sg_str_eq(sg_buf_view(&text), sg_policy_schema()));
	sg_buf_release(&text);
}
END_TEST

START_TEST(documents_become_json)
{
	struct sg_err err;
	struct sg_buf b;

	sg_buf_init(&b, 1 << 16);
	ck_good(sg_policy_to_json(SG_STR("a: [1, '1', true, \"true\", ~, x, "
					 "off]\nb: {c: 0x1}\n"),
				  "f", &b, &err),
		&err);
	ck_str_is(sg_buf_view(&b),
		  "{\"a\":[1,\"1\",true,\"true\",null,\"x\",\"off\"],"
		  "\"b\":{\"c\":\"0x1\"}}");
	sg_buf_release(&b);
}
END_TEST

SG_TEST_MAIN("show", what_is_shown_is_the_same_policy,
	     the_schema_accepts_what_loads_and_refuses_what_it_can_see,
	     the_embedded_schema_is_the_file, documents_become_json)
