/*
 * The definitions of the tools, as different interfaces of models take them.
 * All are made from what the protocol server itself would list (mcp_tool.c),
 * so they cannot come to differ from it.
 */

#include "cmd/box_opts.h"
#include "cmd/cmd.h"
#include "cmd/mcp_core.h"

#include <jansson.h>
#include <stdlib.h>

struct tool_schema {
	const char *format, *policy;
	struct sg_box_opts box;
};

#define AT(field) offsetof(struct tool_schema, field)
static const struct sg_opt options[] = {
	{ SG_OPT_TEXT, 0, "format", "NAME",
	  "openai, openai-responses, anthropic, gemini or mcp (default)",
	  AT(format) },
	{ SG_OPT_TEXT, 'p', "policy", "NAME|FILE",
	  "default, strict, audit, or a YAML file", AT(policy) },
	SG_BOX_OPTS(AT(box)),
	SG_OPT_ALL,
	{ 0 },
};

/* ---- formats: one tool ---- */

static json_t *
member(const json_t *tool, const char *key)
{
	return json_object_get(tool, key);
}

static json_t *
openai_tool(const json_t *t)
{
	return json_pack("{s:s, s:{s:O, s:O, s:O}}", "type", "function",
			 "function", "name", member(t, "name"), "description",
			 member(t, "description"), "parameters",
			 member(t, "inputSchema"));
}

static json_t *
responses_tool(const json_t *t)
{
	return json_pack("{s:s, s:O, s:O, s:O, s:b}", "type", "function",
			 "name", member(t, "name"), "description",
			 member(t, "description"), "parameters",
			 member(t, "inputSchema"), "strict", 0);
}

static json_t *
anthropic_tool(const json_t *t)
{
	return json_pack("{s:O, s:O, s:O}", "name", member(t, "name"),
			 "description", member(t, "description"),
			 "input_schema", member(t, "inputSchema"));
}

static json_t *
gemini_tool(const json_t *t)
{
	return json_pack("{s:O, s:O, s:O}", "name", member(t, "name"),
			 "description", member(t, "description"),
			 "parametersJsonSchema", member(t, "inputSchema"));
}

static json_t *
mcp_tool(const json_t *t)
{
	return json_deep_copy(t);
}

static const struct format {
	const char *name;
	json_t *(*tool)(const json_t *tool);
	const char *within; /* the member that holds the list; NULL: none */
} formats[] = {
	{ "mcp", mcp_tool, "tools" },
	{ "openai", openai_tool, NULL },
	{ "openai-responses", responses_tool, NULL },
	{ "anthropic", anthropic_tool, NULL },
	{ "gemini", gemini_tool, "functionDeclarations" },
};

static const struct format *
find_format(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	return NULL;
}

/* ---- all of them ---- */

static json_t *
convert(const json_t *tools, const struct format *f)
{
	json_t *list = json_array(), *out;
	const json_t *tool;
	size_t i;

	json_array_foreach(tools, i, tool)(void)
		json_array_append_new(list, f->tool(tool));
	if (!f->within)
		return list;
	out = json_pack("{s:o}", f->within, list);
	return out;
}

static int
print_tools(const struct sg_service *s, const struct format *f,
	    struct sg_err *err)
{
	char *text = sg_mcp_tools_write(s, false), *shown = NULL;
	json_t *tools = text ? json_loads(text, 0, NULL) : NULL;
	json_t *out = tools ? convert(tools, f) : NULL;
	struct sg_buf b;
	int status = SG_EXIT_ERROR;

	sg_buf_init(&b, SG_TERM_MAX);
	if (out)
		shown = json_dumps(out, JSON_INDENT(2));
	if (shown) {
		sg_buf_c(&b, shown);
		sg_buf_char(&b, '\n');
		status = sg_term_put(&b, SG_EXIT_OK, SG_EXIT_ERROR);
	} else {
		(void)sg_err_set(err, SG_ENOMEM, "no memory");
	}
	sg_buf_release(&b);
	json_decref(out);
	json_decref(tools);
	free(shown);
	free(text);
	return status;
}

static int
open_service(const struct tool_schema *f, struct sg_service **ret,
	     struct sg_err *err)
{
	struct sg_service_opts o;
	int status;

	sg_service_opts_init(&o);
	o.policy = f->policy;
	o.python = f->box.python;
	o.workers = 1;
	o.cold = true;
	status = sg_box_opts_limits(&f->box, &o.limits, err);
	return status < 0 ? status : sg_service_open(&o, ret, err);
}

static int
run_tool_schema(const struct sg_args *args, void *fields)
{
	const struct tool_schema *f = fields;
	const struct format *format = find_format(f->format ? f->format
							    : "mcp");
	struct sg_service *service = NULL;
	struct sg_err err;
	int status = SG_EXIT_ERROR;

	if (args->n) {
		sg_say("tool-schema: '%s' is one argument too many",
		       args->v[0]);
		return SG_EXIT_ERROR;
	}
	if (!format) {
		sg_say("tool-schema: format '%s' is none of openai, "
		       "openai-responses, anthropic, gemini, mcp",
		       f->format);
		return SG_EXIT_ERROR;
	}
	sg_err_clear(&err);
	if (open_service(f, &service, &err) == SG_OK)
		status = print_tools(service, format, &err);
	if (err.status != SG_OK)
		sg_say_err(&err);
	sg_service_free(service);
	return status;
}

const struct sg_cmd sg_cmd_tool_schema = {
	.name = "tool-schema",
	.synopsis = "",
	.summary = "prints the tools' definitions, as a model's API takes them",
	.text = "The definitions are those of 'sandgate mcp' with the same "
		"options.\n",
	.opts = options,
	.fields = sizeof(struct tool_schema),
	.failed = SG_EXIT_ERROR,
	.run = run_tool_schema,
};
