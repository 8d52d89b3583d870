#include "pipeline/explain.h"

#include "pipeline/render.h"
#include "policy/coverage.h"

/* clang-format off */
static const struct {
	unsigned flag;
	const char *word;
} words[] = {
	{ SG_FACT_UNRESOLVED, "unresolved" },
	{ SG_FACT_IMPLICIT, "implicit" },
	{ SG_FACT_INDIRECT, "indirect" },
	{ SG_FACT_FROM, "from" },
	{ SG_FACT_STAR, "star" },
	{ SG_FACT_STORE, "store" },
	{ SG_FACT_FOLDED, "folded" },
	{ SG_FACT_DOCSTRING, "docstring" },
	{ SG_FACT_BYTES, "bytes" },
	{ SG_FACT_BY_NAME, "by-name" },
	{ SG_FACT_LOCAL, "local" },
};
/* clang-format on */

static bool
is_wanted(const struct sg_explain_opts *o, uint32_t line)
{
	return o->line == 0 || o->line == line;
}

static bool
is_rule(const struct sg_explain_opts *o, const struct sg_finding *f)
{
	return !o->rule || sg_str_eq(f->rule, sg_str_c(o->rule));
}

/* ---- arguments ---- */

static void
write_value(const struct sg_arg_value *v, struct sg_buf *out)
{
	const char *quote = v->kind == SG_ARG_STR     ? "\""
			    : v->kind == SG_ARG_BYTES ? "b\""
						      : "";

	sg_buf_c(out, quote);
	sg_render_safe(sg_str_slice(v->text, 0, 80), out);
	sg_buf_c(out, v->text.n > 80 ? "..." : "");
	sg_buf_c(out, quote[0] ? "\"" : "");
}

static void
write_arg(const struct sg_arg *arg, struct sg_buf *out)
{
	if (arg->starred)
		sg_buf_c(out, arg->keyword.n ? "**" : "*");
	if (arg->keyword.n) {
		sg_render_safe(arg->keyword, out);
		sg_buf_char(out, '=');
	}
	for (uint32_t i = 0; i < arg->nvalues; i++) {
		sg_buf_c(out, i ? "|" : "");
		write_value(&arg->values[i], out);
	}
	if (arg->unknown || arg->nvalues == 0)
		sg_buf_c(out, arg->nvalues ? "|?" : "?");
}

static void
write_args(const struct sg_fact *f, struct sg_buf *out)
{
	sg_buf_char(out, '(');
	for (uint32_t i = 0; i < f->nargs; i++) {
		sg_buf_c(out, i ? ", " : "");
		write_arg(&f->args[i], out);
	}
	sg_buf_char(out, ')');
}

/* ---- text ---- */

static void
write_fact(const struct sg_check *c, const struct sg_fact *f,
	   struct sg_place at, struct sg_arena *arena, struct sg_buf *out)
{
	struct sg_str chain = sg_analysis_chain(c->analysis, f, arena);

	sg_buf_printf(out, "    %5u:%-4u %-8s ", at.line, at.column,
		      sg_fact_kind_name((enum sg_fact_kind)f->kind));
	if (f->kind == SG_FACT_DYNAMIC)
		sg_buf_printf(out, "%s ",
			      sg_dynamic_name((enum sg_dynamic)f->detail));
	sg_render_safe(sg_str_slice(f->name, 0, 120), out);
	if (f->kind == SG_FACT_CALL)
		write_args(f, out);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (f->flags & words[i].flag)
			sg_buf_printf(out, " [%s]", words[i].word);
	}
	if (chain.n) {
		sg_buf_c(out, "  through ");
		sg_render_safe(chain, out);
	}
	sg_buf_char(out, '\n');
}

static void
write_found(const struct sg_finding *f, const struct sg_explain_opts *o,
	    struct sg_buf *out)
{
	sg_buf_printf(out, "%s  ->%5u:%-4u %s %.*s: %s",
		      o->colour ? "\033[1;31m" : "", f->begin.line,
		      f->begin.column, sg_decision_name(f->action),
		      SG_STR_ARG(f->rule), o->colour ? "\033[0m" : "");
	sg_render_safe(f->message, out);
	sg_buf_char(out, '\n');
}

static void
write_line(const struct sg_check *c, struct sg_place at, uint32_t offset,
	   struct sg_buf *out)
{
	struct sg_str text = c->canonical;
	size_t from = offset < text.n ? offset : text.n, to = from;

	while (from > 0 && text.p[from - 1] != '\n')
		from--;
	while (to < text.n && text.p[to] != '\n')
		to++;
	sg_buf_printf(out, "%5u | ", at.line);
	sg_render_safe(
		sg_str_slice(text, from, to < from + 160 ? to : from + 160),
		out);
	sg_buf_char(out, '\n');
}

/* Findings that begin before `end`, from *next on. */
static void
write_findings(const struct sg_check *c, const struct sg_explain_opts *o,
	       uint32_t end, uint32_t *next, struct sg_buf *out)
{
	const struct sg_verdict *v = &c->verdict;

	for (; *next < v->nfindings && v->findings[*next].begin.line < end;
	     ++*next) {
		const struct sg_finding *f = &v->findings[*next];

		if (is_rule(o, f) && is_wanted(o, f->begin.line))
			write_found(f, o, out);
	}
}

static void
write_summary(const struct sg_check *c, struct sg_buf *out)
{
	const struct sg_analysis *an = c->analysis;
	const struct sg_verdict *v = &c->verdict;

	sg_buf_printf(out,
		      "%u lines, %u nodes, %u facts, %u pass%s; %s by policy "
		      "%.*s\n",
		      an->source.nlines, an->ast.n, an->nfacts, an->passes,
		      an->passes == 1 ? "" : "es",
		      sg_decision_name(v->decision), SG_STR_ARG(v->policy));
	for (uint32_t i = SG_DYNAMIC_NONE + 1; i < SG_DYNAMIC_COUNT; i++) {
		if (v->dynamic[i])
			sg_buf_printf(out, "unresolved %s: %u\n",
				      sg_dynamic_name((enum sg_dynamic)i),
				      v->dynamic[i]);
	}
	for (uint32_t i = 0; i < v->ncapabilities; i++) {
		const struct sg_capability_use *use = &v->capabilities[i];

		sg_buf_printf(out, "capability %.*s: line",
			      SG_STR_ARG(use->name));
		for (uint32_t k = 0; k < use->nlines; k++)
			sg_buf_printf(out, " %u", use->lines[k]);
		sg_buf_char(out, '\n');
	}
	sg_buf_char(out, '\n');
}

void
sg_explain_text(const struct sg_check *check,
		const struct sg_explain_opts *opts, struct sg_arena *arena,
		struct sg_buf *out)
{
	const struct sg_analysis *an = check->analysis;
	uint32_t shown = 0, next = 0;

	if (an && !opts->line && !opts->rule)
		write_summary(check, out);
	for (uint32_t i = 0; an && i < an->nfacts; i++) {
		const struct sg_fact *f = &an->facts[i];
		struct sg_place at = sg_source_place(&an->source,
						     f->range.start);

		if (at.line != shown)
			write_findings(check, opts, at.line, &next, out);
		if (!is_wanted(opts, at.line))
			continue;
		if (at.line != shown)
			write_line(check, at, f->range.start, out);
		shown = at.line;
		write_fact(check, f, at, arena, out);
	}
	write_findings(check, opts, UINT32_MAX, &next, out);
}

/* ---- JSON ---- */

static void
json_value(const struct sg_arg_value *v, struct sg_json *j)
{
	static const char *const kinds[] = {
		[SG_ARG_STR] = "str",
		[SG_ARG_BYTES] = "bytes",
		[SG_ARG_CONST] = "const",
		[SG_ARG_NAME] = "name",
	};

	sg_json_object(j);
	sg_json_kc(j, "kind", kinds[v->kind]);
	sg_json_kstr(j, "text", v->text);
	sg_json_end(j);
}

static void
json_arg(const struct sg_arg *arg, struct sg_json *j)
{
	sg_json_object(j);
	if (arg->keyword.n)
		sg_json_kstr(j, "keyword", arg->keyword);
	else
		sg_json_kuint(j, "position", arg->position);
	sg_json_kbool(j, "literal", arg->literal);
	sg_json_kbool(j, "starred", arg->starred);
	sg_json_kbool(j, "unknown", arg->unknown);
	sg_json_key(j, "values");
	sg_json_array(j);
	for (uint32_t i = 0; i < arg->nvalues; i++)
		json_value(&arg->values[i], j);
	sg_json_end(j);
	sg_json_end(j);
}

static void
json_fact(const struct sg_check *c, const struct sg_fact *f, struct sg_place at,
	  struct sg_arena *arena, struct sg_json *j)
{
	struct sg_str chain = sg_analysis_chain(c->analysis, f, arena);

	sg_json_object(j);
	sg_json_kc(j, "kind", sg_fact_kind_name((enum sg_fact_kind)f->kind));
	sg_json_kstr(j, "name", f->name);
	if (f->kind == SG_FACT_DYNAMIC)
		sg_json_kc(j, "detail",
			   sg_dynamic_name((enum sg_dynamic)f->detail));
	sg_json_kuint(j, "line", at.line);
	sg_json_kuint(j, "column", at.column);
	sg_json_key(j, "flags");
	sg_json_array(j);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (f->flags & words[i].flag)
			sg_json_c(j, words[i].word);
	}
	sg_json_end(j);
	if (f->kind == SG_FACT_CALL) {
		sg_json_key(j, "args");
		sg_json_array(j);
		for (uint32_t i = 0; i < f->nargs; i++)
			json_arg(&f->args[i], j);
		sg_json_end(j);
	}
	sg_json_kstr(j, "chain", chain);
	sg_json_end(j);
}

void
sg_explain_json(const struct sg_check *check,
		const struct sg_explain_opts *opts, struct sg_arena *arena,
		struct sg_json *j)
{
	const struct sg_analysis *an = check->analysis;
	const struct sg_verdict *v = &check->verdict;

	sg_json_object(j);
	sg_json_kc(j, "decision", sg_decision_name(v->decision));
	sg_json_key(j, "facts");
	sg_json_array(j);
	for (uint32_t i = 0; an && i < an->nfacts; i++) {
		struct sg_place at = sg_source_place(&an->source,
						     an->facts[i].range.start);

		if (is_wanted(opts, at.line))
			json_fact(check, &an->facts[i], at, arena, j);
	}
	sg_json_end(j);
	sg_json_key(j, "findings");
	sg_json_array(j);
	for (uint32_t i = 0; i < v->nfindings; i++) {
		const struct sg_finding *f = &v->findings[i];

		if (!is_rule(opts, f) || !is_wanted(opts, f->begin.line))
			continue;
		sg_json_object(j);
		sg_json_kstr(j, "rule", f->rule);
		sg_json_kc(j, "action", sg_decision_name(f->action));
		sg_json_kuint(j, "line", f->begin.line);
		sg_json_kuint(j, "column", f->begin.column);
		sg_json_kc(j, "fact", f->fact.n ? f->fact.p : NULL);
		sg_json_kstr(j, "name", f->name);
		sg_json_kstr(j, "message", f->message);
		sg_json_end(j);
	}
	sg_json_end(j);
	sg_json_end(j);
}

/* ---- rules ---- */

static void
write_field(const char *label, struct sg_str s, struct sg_buf *out)
{
	if (s.n == 0)
		return;
	sg_buf_printf(out, "  %-9s ", label);
	sg_render_safe(s, out);
	sg_buf_char(out, '\n');
}

bool
sg_explain_rule(const struct sg_policy *policy, const char *id,
		struct sg_buf *out)
{
	struct sg_rule_info r;

	for (uint32_t i = 0; i < sg_policy_rule_count(policy); i++) {
		sg_policy_rule(policy, i, &r);
		if (!sg_str_eq(r.id, sg_str_c(id)))
			continue;
		sg_buf_printf(out, "rule %.*s (%s, %s)", SG_STR_ARG(r.id),
			      r.action, sg_severity_name(r.severity));
		if (r.file)
			sg_buf_printf(out, ", %s:%u", r.file, r.line);
		sg_buf_char(out, '\n');
		write_field("title", r.title, out);
		write_field("message", r.message, out);
		write_field("hint", r.hint, out);
		for (uint32_t k = 0; k < r.ncwe; k++)
			write_field("cwe", r.cwe[k], out);
		return true;
	}
	return false;
}

static void
write_pattern(void *ctx, const struct sg_coverage *c)
{
	static const char *const fates[2][2] = {
		{ "never asked", "did not hold" },
		{ "held", "held, but not everywhere" },
	};
	struct sg_buf *out = ctx;
	int indent = 2 + 2 * (int)(c->depth < 16 ? c->depth : 16);

	sg_buf_printf(out, "%*s%-*s %s", indent, "", 36 - indent, c->what,
		      fates[c->held][c->failed]);
	if (c->file)
		sg_buf_printf(out, " (%s:%u:%u)", c->file, c->line, c->column);
	sg_buf_char(out, '\n');
}

int
sg_explain_why(const struct sg_policy *policy, const char *id,
	       const struct sg_check *check, struct sg_buf *out,
	       struct sg_err *err)
{
	bool found;

	if (!check->analysis)
		return SG_OK;
	return sg_policy_why(policy, sg_str_c(id), check->analysis,
			     write_pattern, out, &found, err);
}
