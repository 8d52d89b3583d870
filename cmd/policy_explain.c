/* `sandgate policy explain`: what a rule is about, for who met it in a
 * finding. */

#include "cmd/policy.h"

#include "pipeline/render.h"

struct explain {
	const char *policy;
};

static const struct sg_opt options[] = {
	{ SG_OPT_TEXT, 'p', "policy", "NAME|FILE",
	  "the policy that has the rules (default: default)",
	  offsetof(struct explain, policy) },
	SG_OPT_ALL,
	{ 0 },
};

static void
put_text(const char *label, struct sg_str s, struct sg_buf *b)
{
	if (s.n == 0)
		return;
	sg_buf_printf(b, "  %-9s ", label);
	sg_render_safe(s, b);
	sg_buf_char(b, '\n');
}

static void
put_texts(const char *label, const struct sg_str *v, uint32_t n,
	  struct sg_buf *b)
{
	if (n == 0)
		return;
	sg_buf_printf(b, "  %-9s ", label);
	for (uint32_t i = 0; i < n; i++) {
		sg_buf_c(b, i > 0 ? ", " : "");
		sg_render_safe(v[i], b);
	}
	sg_buf_char(b, '\n');
}

/* A script, each line indented. */
static void
put_code(struct sg_str code, struct sg_buf *b)
{
	const char *mark = "    - ";

	for (size_t n; code.n > 0; code = sg_str_slice(code, n + 1, code.n)) {
		n = sg_str_find(code, '\n');
		sg_buf_c(b, mark);
		sg_render_safe(sg_str_slice(code, 0, n), b);
		sg_buf_char(b, '\n');
		mark = "      ";
	}
}

static void
put_tests(const struct sg_policy *p, uint32_t rule, bool hit, struct sg_buf *b)
{
	struct sg_policy_test t;
	bool heading = false;

	for (uint32_t i = 0; sg_policy_rule_test(p, rule, i, &t); i++) {
		if (t.hit != hit)
			continue;
		if (!heading)
			sg_buf_c(b, hit ? "  is found in\n"
					: "  is not found in\n");
		heading = true;
		put_code(t.code, b);
	}
}

static void
put_rule(const struct sg_policy *p, uint32_t rule, struct sg_buf *b)
{
	struct sg_rule_info r;

	sg_policy_rule(p, rule, &r);
	sg_render_safe(r.id, b);
	sg_buf_c(b, ": ");
	sg_render_safe(r.title, b);
	sg_buf_char(b, '\n');
	sg_buf_printf(b, "  %-9s %s, severity %s\n", "action", r.action,
		      sg_severity_name(r.severity));
	put_text("message", r.message, b);
	put_text("hint", r.hint, b);
	put_texts("cwe", r.cwe, r.ncwe, b);
	put_texts("tags", r.tags, r.ntags, b);
	put_texts("see", r.references, r.nreferences, b);
	if (r.file != NULL) {
		sg_buf_printf(b, "  %-9s ", "stands in");
		sg_render_safe(sg_str_c(r.file), b);
		sg_buf_printf(b, ", line %u\n", r.line);
	}
	put_tests(p, rule, true, b);
	put_tests(p, rule, false, b);
}

static bool
put_named(const struct sg_policy *p, const char *name, struct sg_buf *b)
{
	struct sg_rule_info r;
	bool found = false;

	for (uint32_t i = 0; i < sg_policy_rule_count(p); i++) {
		sg_policy_rule(p, i, &r);
		if (!sg_str_glob(sg_str_c(name), r.id))
			continue;
		if (b->len > 0)
			sg_buf_char(b, '\n');
		put_rule(p, i, b);
		found = true;
	}
	return found;
}

static int
run_explain(const struct sg_args *args, void *fields)
{
	const struct explain *f = fields;
	const char *name = f->policy != NULL ? f->policy : "default";
	struct sg_policy *p = NULL;
	struct sg_buf b;
	int status;

	if (args->n == 0) {
		sg_say("policy explain: no rule is named");
		return SG_EXIT_ERROR;
	}
	status = sg_cmd_open_policy(name, &p);
	if (status != SG_EXIT_OK)
		return SG_EXIT_ERROR;
	sg_buf_init(&b, SG_TERM_MAX);
	for (uint32_t i = 0; i < args->n; i++)
		if (!put_named(p, args->v[i], &b)) {
			sg_say("policy explain: %s has no rule '%s'", name,
			       args->v[i]);
			status = SG_EXIT_ERROR;
		}
	status = sg_term_put(&b, status, SG_EXIT_ERROR);
	sg_buf_release(&b);
	sg_policy_free(p);
	return status;
}

const struct sg_cmd sg_cmd_policy_explain = {
	.name = "explain",
	.synopsis = "RULE...",
	.summary = "says what rules are about, with their tests as examples",
	.text = "A rule is named by its id, or by a glob of ids.\n"
		"Exit status: 0, or 2 when there is no such rule.\n",
	.opts = options,
	.fields = sizeof(struct explain),
	.failed = SG_EXIT_ERROR,
	.run = run_explain,
};
