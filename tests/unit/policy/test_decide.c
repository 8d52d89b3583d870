/* What a policy says of modules and capabilities before any script. */

#include <stdio.h>

#include "unit/policy/judge.h"

static struct sg_policy *
shipped(const char *name)
{
	struct sg_policy *p = NULL;
	struct sg_err err;

	ck_good(sg_policy_open(name, &p, &err), &err);
	return p;
}

/* "reject SG105", "pass" and so on. */
static const char *
said(const struct sg_policy_decision *d)
{
	static char text[96];

	(void)snprintf(text, sizeof(text), "%s%s%.*s",
		       sg_decision_name(d->decision), d->rule.n > 0 ? " " : "",
		       SG_STR_ARG(d->rule));
	return text;
}

static const char *
of_import(const struct sg_policy *p, const char *module)
{
	struct sg_policy_decision d;

	sg_policy_import_decision(p, sg_str_c(module), &d);
	return said(&d);
}

static const char *
of_capability(const struct sg_policy *p, const char *name)
{
	struct sg_policy_decision d;

	ck_assert(sg_policy_capability_decision(p, sg_str_c(name), &d));
	return said(&d);
}

START_TEST(modules_of_the_shipped_policies)
{
	struct sg_policy *p = shipped("default");

	ck_assert_str_eq(of_import(p, "math"), "pass");
	ck_assert_str_eq(of_import(p, "os"), "pass");
	ck_assert_str_eq(of_import(p, "ctypes"), "reject SG105");
	ck_assert_str_eq(of_import(p, "ctypes.util"), "reject SG105");
	ck_assert_str_eq(of_import(p, "subprocess"), "reject SG104");
	ck_assert_str_eq(of_import(p, "socket"), "reject SG301");
	ck_assert_str_eq(of_import(p, "builtins"), "reject SG204");
	sg_policy_free(p);

	p = shipped("strict");
	ck_assert_str_eq(of_import(p, "math"), "pass");
	ck_assert_str_eq(of_import(p, "__future__"), "pass");
	ck_assert_str_eq(of_import(p, "shelve"), "reject import.unlisted");
	ck_assert_str_eq(of_import(p, "matplotlib.pyplot"), "pass");
	ck_assert(!sg_policy_import_default(p));
	sg_policy_free(p);

	p = shipped("audit");
	ck_assert_str_eq(of_import(p, "ctypes"), "annotate SG105");
	ck_assert(sg_policy_import_default(p));
	sg_policy_free(p);
}
END_TEST

START_TEST(capabilities_by_section_and_by_rule)
{
	struct sg_policy *p = policy_of(
		"schema: 1\n"
		"capabilities:\n"
		"  reject: [exec.*]\n"
		"  annotate: [fs.write]\n"
		"  allow: [exec.code, native]\n"
		"rules:\n"
		"  - {id: A, match: {any: [{capability: [native, signal]},"
		" {call: f}]}}\n"
		"  - {id: B, match: {capability: net.*, not: {call: f}}}\n"
		"  - {id: C, match: {capability: gui}, action: annotate}\n"
		"  - {id: D, match: {capability: persist}, action: 'off'}\n");
	struct sg_policy_decision d;

	ck_assert_str_eq(of_capability(p, "exec.process"), "reject capability");
	ck_assert_str_eq(of_capability(p, "exec.code"), "pass");
	ck_assert_str_eq(of_capability(p, "fs.write"), "annotate capability");
	ck_assert_str_eq(of_capability(p, "fs.read"), "pass");
	ck_assert_str_eq(of_capability(p, "native"), "pass");
	ck_assert_str_eq(of_capability(p, "signal"), "reject A");
	/* it asks for more than the capability */
	ck_assert_str_eq(of_capability(p, "net.client"), "pass");
	ck_assert_str_eq(of_capability(p, "gui"), "annotate C");
	ck_assert_str_eq(of_capability(p, "persist"), "pass");
	ck_assert(!sg_policy_capability_decision(p, SG_STR("fs"), &d));
	ck_assert(!sg_policy_capability_decision(p, SG_STR("fs.*"), &d));
	sg_policy_free(p);
}
END_TEST

START_TEST(the_nearest_module_decides)
{
	struct sg_policy *p = policy_of(
		"schema: 1\n"
		"imports:\n"
		"  default: reject\n"
		"  allow:\n"
		"    a: {names: public, deny: [x, 'y.*'], message: m}\n"
		"    a.b.c: {allow: [one]}\n"
		"  deny: {a.b: 'no {module}', 'q*': }\n"
		"rules:\n"
		"  - {id: A, match: {import: a.bad}}\n"
		"  - {id: B, match: {import: {name: a, from: true}}}\n");
	struct sg_policy_decision d;

	ck_assert_str_eq(of_import(p, "a"), "pass");
	ck_assert_str_eq(of_import(p, "a.z"), "pass");
	ck_assert_str_eq(of_import(p, "a.b"), "reject import.denied");
	ck_assert_str_eq(of_import(p, "a.b.z"), "reject import.denied");
	ck_assert_str_eq(of_import(p, "a.b.c.d"), "pass");
	ck_assert_str_eq(of_import(p, "ab"), "reject import.unlisted");
	ck_assert_str_eq(of_import(p, "quux.x"), "reject import.denied");
	ck_assert_str_eq(of_import(p, "a.bad.x"), "reject A");
	sg_policy_import_decision(p, SG_STR("a.b"), &d);
	ck_str_is(d.message, "no {module}");
	sg_policy_free(p);
}
END_TEST

START_TEST(the_modules_are_listed)
{
	struct sg_policy *p = policy_of(
		"schema: 1\n"
		"imports:\n"
		"  allow: {a: {names: public, deny: [x, y]}, b: {names: [z]}}\n"
		"  deny: {c: gone}\n");
	struct sg_policy_import m;

	ck_assert_uint_eq(sg_policy_import_count(p), 3);
	sg_policy_import(p, 0, &m);
	ck_str_is(m.module, "a");
	ck_assert(m.public_only && !m.denied && m.nallow == 0);
	ck_assert_uint_eq(m.ndeny, 2);
	ck_str_is(m.deny[1], "y");
	sg_policy_import(p, 1, &m);
	ck_assert_uint_eq(m.nallow, 1);
	ck_str_is(m.allow[0], "z");
	sg_policy_import(p, 2, &m);
	ck_assert(m.denied);
	ck_str_is(m.message, "gone");
	sg_policy_free(p);
}
END_TEST

SG_TEST_MAIN("decide", modules_of_the_shipped_policies,
	     capabilities_by_section_and_by_rule, the_nearest_module_decides,
	     the_modules_are_listed)
