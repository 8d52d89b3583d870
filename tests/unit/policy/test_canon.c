/* Names of rules become those that the analyzer gives. */

#include "policy/canon.h"
#include "unit/policy/judge.h"

static const struct {
	const char *name, *canonical;
} names[] = {
	{ "os.system", "os.system" },
	{ "io.open", "builtins.open" },
	{ "posixpath.join", "os.path.join" },
	{ "random._os.system", "os.system" },
	{ "random._os.path.join", "os.path.join" },
	{ "random._os.spawn*", "os.spawn*" },
	{ "random._os.*", "os.*" },
	{ "random._o?.x", "random._o?.x" },
	{ "random._os*", "random._os*" },
	{ "random._os.getcwd()", "os.getcwd()" },
	{ "random._os.environ[]", "os.environ[]" },
	{ "pandas.io.parsers.read_csv", "pandas.read_csv" },
	{ "pandas.core.frame.DataFrame.to_csv", "pandas.DataFrame.to_csv" },
	{ "no.such.thing", "no.such.thing" },
	{ "*.open", "*.open" },
	{ "?.open", "?.open" },
	{ "open", "open" },
	{ "", "" },
	{ ".", "." },
	{ "a..b", "a..b" },
	{ "io.", "io." },
};

START_TEST(names_are_followed_to_what_they_mean)
{
	struct sg_arena arena;
	uint32_t i;

	sg_arena_init(&arena, 1 << 16);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_str_is(sg_canon(sg_str_c(names[i].name), &arena),
			  names[i].canonical);
	sg_arena_release(&arena);
}
END_TEST

START_TEST(long_names_stay_as_they_are)
{
	char name[1000];
	struct sg_arena arena;
	struct sg_str s;

	sg_arena_init(&arena, 1 << 16);
	memset(name, 'a', sizeof(name));
	memcpy(name, "random._os.", 11);
	s = sg_canon((struct sg_str){ name, sizeof(name) }, &arena);
	ck_assert_ptr_eq(s.p, name);
	ck_assert_uint_eq(s.n, sizeof(name));
	sg_arena_release(&arena);
}
END_TEST

START_TEST(bare_names_of_builtins_are_known)
{
	ck_assert(sg_canon_is_builtin(SG_STR("open")));
	ck_assert(sg_canon_is_builtin(SG_STR("eval")));
	ck_assert(!sg_canon_is_builtin(SG_STR("os")));
	ck_assert(!sg_canon_is_builtin(SG_STR("no_such_builtin")));
	ck_assert(!sg_canon_is_builtin(SG_STR("builtins.open")));
	ck_assert(!sg_canon_is_builtin(SG_STR("")));
}
END_TEST

START_TEST(rules_find_things_under_any_of_their_names)
{
	JUDGE("{call: io.open}", "open('a')\nimport io\nio.open('b')",
	      "reject R@1 R@3");
	JUDGE("{call: open}", "open('a')\nimport io\nio.open('b')",
	      "reject R@1 R@3");
	JUDGE("{ref: {name: posixpath.join}}",
	      "import os.path as p\np.join('a', 'b')", "reject R@2");
	JUDGE("{call: pandas.io.parsers.read_csv}",
	      "import pandas as pd\npd.read_csv('a')", "reject R@2");
	JUDGE("{bind: random._os.getcwd}", "import os\nos.getcwd = 1",
	      "reject R@2");
	JUDGE("{dynamic: {what: attribute, base: random._os}}",
	      "import os\ngetattr(os, input())", "reject R@2");
	JUDGE("{call: '*.f', arg: {0: {name: open}}}", "f(open)\nf(1)",
	      "reject R@1");
	/* a name that the script binds is no builtin */
	JUDGE("{bind: open}", "import io\nio.open = 1\nopen = 2", "reject R@3");
}
END_TEST

START_TEST(modules_are_allowed_under_any_of_their_names)
{
	struct sg_policy *p = policy_of("schema: 1\nimports: {default: reject, "
					"allow: [posixpath]}\n");
	struct sg_verdict v;

	sg_arena_init(&judge_arena, 64u << 20);
	v = judged(p, "import posixpath\nposixpath.join('a', 'b')");
	ck_assert_str_eq(summary(&v), "pass");
	v = judged(p, "import os.path as p\np.join('a', 'b')");
	ck_assert_str_eq(summary(&v), "pass");
	sg_policy_free(p);

	p = policy_of("schema: 1\nimports: {deny: [os.path]}\n");
	v = judged(p, "import posixpath\nposixpath.join('a', 'b')");
	ck_assert_str_eq(summary(&v), "reject import.denied@1");
	sg_policy_free(p);

	p = policy_of("schema: 1\nimports: {default: reject, allow: "
		      "{posixpath: {names: [join]}}}\n");
	v = judged(p, "import posixpath as p\np.join('a')\np.exists('a')");
	ck_assert_str_eq(summary(&v), "reject import.name@3");
	sg_policy_free(p);
}
END_TEST

SG_TEST_MAIN("canon", names_are_followed_to_what_they_mean,
	     long_names_stay_as_they_are, bare_names_of_builtins_are_known,
	     rules_find_things_under_any_of_their_names,
	     modules_are_allowed_under_any_of_their_names)
