#include "pipeline/guard.h"

#include "analyzer/modtable.h"
#include "executor/request.h"
#include "policy/capability.h"

#include "unit/support.h"

#include <string.h>

static const char tiny[] =
	"schema: 1\n"
	"policy: tiny\n"
	"paths: {workspace: [\".\", /mnt/data]}\n"
	"capabilities: {reject: [exec.process, fs.outside]}\n"
	"imports: {default: allow, deny: {decimal: use fractions}}\n"
	"rules:\n"
	"  - {id: R1, title: native, severity: high, action: reject,\n"
	"     match: {capability: native}, message: \"{name} is native\",\n"
	"     hint: write Python}\n"
	"  - {id: R2, title: sums, severity: high, action: reject,\n"
	"     match: {import: fractions}, message: \"no {module}\"}\n"
	"  - {id: R3, title: notes, severity: low, action: annotate,\n"
	"     match: {capability: signal}, message: noted}\n"
	"exceptions:\n"
	"  - {rule: R1, when: {path: trusted.py}, reason: it is ours}\n";

static struct sg_policy *policy;
static struct sg_policy_guard *guard;
static struct sg_arena arena;
static struct sg_box_spec box;
static const struct sg_digest nothing;

static void
open_policy(const char *text)
{
	struct sg_err err;

	sg_err_clear(&err);
	ck_good(strchr(text, '\n') ? sg_policy_read(sg_str_c(text), "t.yaml",
						    &policy, &err)
				   : sg_policy_open(text, &policy, &err),
		&err);
	ck_good(sg_policy_guard_new(policy, &guard, &err), &err);
	sg_arena_init(&arena, 4 << 20);
	sg_box_spec_init(&box);
}

static void
fill(const char *path)
{
	struct sg_err err;

	sg_err_clear(&err);
	ck_good(sg_policy_guard_fill(guard, path, &nothing, &arena, &box, &err),
		&err);
}

static void
close_policy(void)
{
	sg_arena_release(&arena);
	sg_policy_guard_free(guard);
	sg_policy_free(policy);
}

/* The first entry for that event and name, or NULL. */
static const struct sg_box_guard *
find(const char *event, const char *name)
{
	for (uint32_t i = 0; i < box.nguard; i++)
		if (sg_str_eq(box.guard[i].event, sg_str_c(event)) &&
		    sg_str_eq(box.guard[i].name, sg_str_c(name)))
			return &box.guard[i];
	return NULL;
}

static uint32_t
count(const char *event)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < box.nguard; i++)
		n += sg_str_eq(box.guard[i].event, sg_str_c(event));
	return n;
}

START_TEST(events_are_refused_by_the_rule_that_rejects_the_capability)
{
	open_policy(tiny);
	fill(NULL);
	ck_str_is(find("os.system", "")->message,
		  "capability: 'os.system' needs the capability exec.process, "
		  "which is not allowed");
	ck_str_is(find("ctypes.*", "")->message, "R1: ctypes is native");
	ck_assert(find("ctypes.*", "")->direct);
	close_policy();
}
END_TEST

START_TEST(what_is_not_rejected_has_no_entry)
{
	open_policy(tiny);
	fill(NULL);
	ck_assert_ptr_null(find("os.kill", "")); /* annotated */
	ck_assert_ptr_null(find("os.remove", ""));
	ck_assert_ptr_null(find("import", "json"));
	close_policy();
}
END_TEST

START_TEST(modules_are_refused_by_section_rule_and_capability)
{
	open_policy(tiny);
	fill(NULL);
	ck_str_is(find("import", "decimal")->message,
		  "import.denied: use fractions");
	ck_str_is(find("import", "fractions")->message, "R2: no fractions");
	ck_str_is(find("import", "ctypes")->message, "R1: ctypes is native");
	ck_str_is(find("import", "subprocess")->message,
		  "capability: 'subprocess' needs the capability "
		  "exec.process, which is not allowed");
	close_policy();
}
END_TEST

START_TEST(imports_are_direct_only)
{
	open_policy(tiny);
	fill(NULL);
	for (uint32_t i = 0; i < box.nguard; i++)
		if (sg_str_eq(box.guard[i].event, SG_STR("import")))
			ck_assert(box.guard[i].direct);
	close_policy();
}
END_TEST

START_TEST(a_process_is_refused_to_libraries_only_where_there_are_none)
{
	open_policy(tiny);
	fill(NULL);
	ck_assert_uint_eq(count("subprocess.Popen"), 2);
	box.limits.processes = 1;
	fill(NULL);
	ck_assert_uint_eq(count("subprocess.Popen"), 1);
	ck_assert(find("subprocess.Popen", "")->direct);
	close_policy();
}
END_TEST

START_TEST(paths_outside_are_refused_after_those_inside)
{
	const struct sg_box_guard *in, *out;

	open_policy(tiny);
	fill(NULL);
	in = find("open", "/mnt/data");
	out = find("open", "/");
	ck_assert_ptr_nonnull(in);
	ck_assert_uint_eq(in->message.n, 0);
	ck_assert(in < out);
	ck_str_is(out->message,
		  "capability: '{name}' needs the capability fs.outside, "
		  "which is not allowed");
	ck_assert_uint_eq(find("open", "/usr")->message.n, 0);
	close_policy();
}
END_TEST

START_TEST(entries_of_one_event_stand_together)
{
	static const char *const policies[] = { tiny, "default", "strict" };

	for (size_t p = 0; p < 3; p++) {
		open_policy(policies[p]);
		fill(NULL);
		ck_assert_uint_gt(box.nguard, 10);
		for (uint32_t i = 1; i < box.nguard; i++) {
			bool same = sg_str_eq(box.guard[i].event,
					      box.guard[i - 1].event);

			for (uint32_t k = 0; !same && k < i; k++)
				ck_assert(!sg_str_eq(box.guard[k].event,
						     box.guard[i].event));
		}
		close_policy();
	}
}
END_TEST

START_TEST(what_a_script_is_excepted_from_is_not_refused)
{
	open_policy(tiny);
	fill("trusted.py");
	ck_assert_ptr_null(find("ctypes.*", ""));
	ck_assert_ptr_null(find("import", "ctypes"));
	ck_assert_ptr_nonnull(find("import", "decimal"));
	fill("other.py");
	ck_assert_ptr_nonnull(find("ctypes.*", ""));
	close_policy();
}
END_TEST

/* The text is that of the entries, whatever was filled in before. */
static void
text_is_right(const char *path, uint32_t processes)
{
	struct sg_err err;
	struct sg_buf b;

	sg_err_clear(&err);
	sg_buf_init(&b, 1 << 20);
	box.limits.processes = processes;
	fill(path);
	ck_good(sg_request_guard(box.guard, box.nguard, &b, &err), &err);
	ck_assert_uint_gt(b.len, 0);
	ck_assert(sg_str_eq(sg_buf_view(&b), box.guard_text));
	sg_buf_release(&b);
}

START_TEST(the_text_follows_the_entries)
{
	static const struct {
		const char *path;
		uint32_t processes;
	} rows[] = {
		{ "other.py", 0 },   { "another.py", 0 }, { "trusted.py", 0 },
		{ "trusted.py", 0 }, { "other.py", 0 },   { "other.py", 4 },
		{ "trusted.py", 4 }, { NULL, 4 },         { NULL, 0 },
	};

	open_policy(tiny);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		text_is_right(rows[i].path, rows[i].processes);
	close_policy();
	open_policy("audit");
	fill(NULL);
	ck_assert_uint_eq(box.guard_text.n, 0);
	close_policy();
}
END_TEST

START_TEST(a_list_of_modules_lets_them_pass_and_refuses_the_rest)
{
	const struct sg_box_guard *rest;

	open_policy("strict");
	fill(NULL);
	ck_assert_uint_eq(find("import", "json")->message.n, 0);
	rest = find("import", "");
	ck_assert_ptr_nonnull(rest);
	ck_assert(find("import", "json") < rest);
	ck_assert_ptr_null(find("import", "os"));
	ck_str_is(rest->message, "import.unlisted: module '{name}' is not on "
				 "the list of allowed modules");
	close_policy();
}
END_TEST

START_TEST(a_policy_that_only_annotates_refuses_nothing)
{
	open_policy("audit");
	fill(NULL);
	ck_assert_uint_eq(box.nguard, 0);
	close_policy();
}
END_TEST

START_TEST(the_default_policy_guards_what_it_rejects)
{
	static const struct {
		const char *event, *name, *rule;
	} rows[] = {
		{ "os.system", "", "SG104: " },
		{ "subprocess.Popen", "", "SG104: " },
		{ "os.exec", "", "SG104: " },
		{ "os.fork", "", "SG104: " },
		{ "ctypes.*", "", "SG105: " },
		{ "pickle.find_class", "", "SG106: " },
		{ "socket.connect", "", "SG301: " },
		{ "shutil.rmtree", "", "SG403: " },
		{ "exec", "", "SG101: " },
		{ "open", "/", "SG401: " },
		{ "import", "subprocess", "SG104: " },
		{ "import", "ctypes", "SG105: " },
	};

	open_policy("default");
	fill(NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct sg_box_guard *e = find(rows[i].event,
						    rows[i].name);

		ck_assert_msg(
			e && sg_str_starts(e->message, sg_str_c(rows[i].rule)),
			"%s", rows[i].event);
	}
	close_policy();
}
END_TEST

static void
explain(struct sg_result *r, const char *name, const char *value)
{
	memset(r, 0, sizeof(*r));
	r->error.is_set = true;
	r->error.name = sg_str_c(name);
	r->error.value = sg_str_c(value);
	r->hint = SG_STR("before");
	sg_policy_guard_explain(guard, &arena, r);
}

START_TEST(a_refusal_is_explained_by_its_rule)
{
	struct sg_result r;

	open_policy(tiny);
	explain(&r, "PermissionError", "R1: ctypes is native");
	ck_str_is(r.hint, "Rule R1 of the policy refused this while the "
			  "program ran: write Python. It will be refused "
			  "again.");
	explain(&r, "PermissionError", "R2: no fractions");
	ck_str_is(r.hint, "Rule R2 of the policy refused this while the "
			  "program ran. It will be refused again.");
	/* Neither of these is one. */
	explain(&r, "PermissionError", "R1");
	ck_str_is(r.hint, "before");
	explain(&r, "PermissionError", "R3: noted");
	ck_str_is(r.hint, "before");
	explain(&r, "ValueError", "R1: ctypes is native");
	ck_str_is(r.hint, "before");
	close_policy();
}
END_TEST

/* tools/gen_capabilities.py and the analyzer read the same tables. */
START_TEST(the_tables_know_which_names_are_modules)
{
	uint32_t n, modules = 0;
	const struct sg_cap_entry *e = sg_capability_entries(&n);

	for (uint32_t i = 0; i < n; i++) {
		struct sg_str name = sg_str_c(e[i].glob);
		struct sg_modinfo info;
		bool want = sg_str_find(name, '.') == name.n;

		if (!want && sg_modtable_find(name, &info))
			want = info.kind == SG_MOD_LISTED ||
			       info.kind == SG_MOD_MODULE;
		if (strpbrk(e[i].glob, "*?["))
			want = false;
		ck_assert_msg(want == ((e[i].flags & SG_CAP_MODULE) != 0), "%s",
			      e[i].glob);
		modules += want;
	}
	ck_assert_uint_gt(modules, 100);
	ck_assert_uint_lt(modules, n);
}
END_TEST

START_TEST(refused_memory_is_an_error)
{
	struct sg_policy_guard *g;
	struct sg_err err;

	open_policy(tiny);
	SG_TEST_EACH_ALLOCATION() {
		sg_err_clear(&err);
		if (sg_policy_guard_new(policy, &g, &err) == SG_OK)
			sg_policy_guard_free(g);
		else
			ck_assert_int_eq(err.status, SG_ENOMEM);
	}
	close_policy();
}
END_TEST

SG_TEST_MAIN("guard",
	     events_are_refused_by_the_rule_that_rejects_the_capability,
	     what_is_not_rejected_has_no_entry,
	     modules_are_refused_by_section_rule_and_capability,
	     imports_are_direct_only,
	     a_process_is_refused_to_libraries_only_where_there_are_none,
	     paths_outside_are_refused_after_those_inside,
	     entries_of_one_event_stand_together,
	     what_a_script_is_excepted_from_is_not_refused,
	     the_text_follows_the_entries,
	     a_list_of_modules_lets_them_pass_and_refuses_the_rest,
	     a_policy_that_only_annotates_refuses_nothing,
	     the_default_policy_guards_what_it_rejects,
	     a_refusal_is_explained_by_its_rule,
	     the_tables_know_which_names_are_modules,
	     refused_memory_is_an_error)
