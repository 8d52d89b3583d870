#include "cmd/mcp_core.h"

#include "base/embed.h"

#include <stdlib.h>

/* The schema of results, without what a tool's results have not. */
extern const struct sg_embed sg_embed_mcp_schema[];

/* ---- what tools say of themselves ---- */

static void
describe_run(const struct sg_service *s, struct sg_buf *out)
{
	const struct sg_box_limits *l = sg_service_limits(s);
	struct sg_str python = sg_service_python(s);

	sg_buf_printf(
		out,
		"Runs a Python %.*s script and returns what it printed, the "
		"value of its last expression, its figures (plt.show() and "
		"open figures, as images) and the names of files it wrote. "
		"The script is judged by a policy first; when it is rejected, "
		"nothing runs and the findings say which line to change. Each "
		"call is a new process in an empty folder, /mnt/data: no "
		"variable and no file is kept from one call to the next. "
		"There is no network and no package can be installed; "
		"list_packages says what can be imported. Limits: %g s, "
		"%llu MiB of memory, %llu MiB of files.",
		SG_STR_ARG(python), l->wall_ms / 1e3,
		(unsigned long long)(l->memory >> 20),
		(unsigned long long)(l->workspace >> 20));
}

static void
describe_check(const struct sg_service *s, struct sg_buf *out)
{
	(void)s;
	sg_buf_c(out,
		 "Judges a Python script by the policy and runs nothing. Says "
		 "whether run_python would run it, and if not, which lines to "
		 "change.");
}

static void
describe_packages(const struct sg_service *s, struct sg_buf *out)
{
	(void)s;
	sg_buf_c(out,
		 "Lists what scripts of run_python can import: packages with "
		 "their versions, modules of the standard library, and what "
		 "is installed but not allowed.");
}

/* ---- schemas ---- */

#define CODE                                                           \
	"\"code\":{\"type\":\"string\",\"description\":\"the script: " \
	"Python source as it would stand in a file\"}"

static void
schema_run(const struct sg_service *s, struct sg_buf *out)
{
	sg_buf_printf(
		out,
		"{\"type\":\"object\",\"properties\":{" CODE
		",\"stdin\":{\"type\":\"string\",\"description\":\"standard "
		"input of the script; without it input() ends at once\"},"
		"\"args\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},"
		"\"description\":\"sys.argv[1:]\"},"
		"\"files\":{\"type\":\"array\",\"description\":\"files to put "
		"into /mnt/data before it runs\",\"items\":{\"type\":"
		"\"object\",\"properties\":{"
		"\"path\":{\"type\":\"string\",\"description\":\"relative to "
		"/mnt/data\"},"
		"\"content\":{\"type\":\"string\",\"description\":\"text of "
		"the file\"},"
		"\"base64\":{\"type\":\"string\",\"description\":\"bytes of "
		"the file, instead of content\"}},"
		"\"required\":[\"path\"],\"additionalProperties\":false}},"
		"\"timeout_s\":{\"type\":\"number\",\"exclusiveMinimum\":0,"
		"\"maximum\":%g,\"description\":\"seconds it may take; at most "
		"and by default %g\"},"
		"\"return_files\":{\"type\":\"boolean\",\"description\":\"also "
		"return the content of the files that it wrote\"}},"
		"\"required\":[\"code\"],\"additionalProperties\":false}",
		sg_service_limits(s)->wall_ms / 1e3,
		sg_service_limits(s)->wall_ms / 1e3);
}

static void
schema_check(const struct sg_service *s, struct sg_buf *out)
{
	(void)s;
	sg_buf_c(out,
		 "{\"type\":\"object\",\"properties\":{" CODE
		 "},\"required\":[\"code\"],\"additionalProperties\":false}");
}

static void
schema_nothing(const struct sg_service *s, struct sg_buf *out)
{
	(void)s;
	sg_buf_c(out, "{\"type\":\"object\",\"properties\":{},"
		      "\"additionalProperties\":false}");
}

static void
schema_result(const struct sg_service *s, struct sg_buf *out)
{
	(void)s;
	sg_buf_str(out, sg_embed_mcp_schema[0].data);
}

#define NAMES "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"

static void
schema_packages(const struct sg_service *s, struct sg_buf *out)
{
	(void)s;
	sg_buf_c(out,
		 "{\"type\":\"object\",\"properties\":{"
		 "\"python\":{\"type\":\"string\"},"
		 "\"policy\":{\"type\":\"string\"},"
		 "\"packages\":{\"type\":\"array\",\"items\":{\"type\":"
		 "\"object\",\"properties\":{\"name\":{\"type\":\"string\"},"
		 "\"version\":{\"type\":\"string\"},\"modules\":" NAMES
		 "},\"required\":[\"name\",\"version\",\"modules\"],"
		 "\"additionalProperties\":false}},"
		 "\"standard_library\":" NAMES ",\"rejected\":" NAMES
		 "},\"required\":[\"python\",\"policy\",\"packages\","
		 "\"standard_library\",\"rejected\"],"
		 "\"additionalProperties\":false}");
}

/* ---- list_packages ---- */

static void
put_names(const char *label, const json_t *list, struct sg_buf *out)
{
	const json_t *name;
	size_t i;

	if (json_array_size(list) == 0)
		return;
	sg_buf_printf(out, "\n%s: ", label);
	json_array_foreach(list, i, name)
	{
		sg_buf_c(out, i ? ", " : "");
		sg_buf_c(out, json_string_value(name));
	}
	sg_buf_char(out, '\n');
}

static void
put_packages(const json_t *v, struct sg_buf *out)
{
	const json_t *p;
	size_t i;

	sg_buf_printf(out, "Python %s, policy %s.\n\npackages: ",
		      json_string_value(json_object_get(v, "python")),
		      json_string_value(json_object_get(v, "policy")));
	json_array_foreach(json_object_get(v, "packages"), i, p)
		sg_buf_printf(out, "%s%s %s", i ? ", " : "",
			      json_string_value(json_object_get(p, "name")),
			      json_string_value(json_object_get(p, "version")));
	sg_buf_char(out, '\n');
	put_names("standard library", json_object_get(v, "standard_library"),
		  out);
	put_names("installed, but not allowed", json_object_get(v, "rejected"),
		  out);
}

static void
list_packages(const struct sg_mcp_msg *m, const json_t *args)
{
	struct sg_mcp_answer a;
	struct sg_str text;
	struct sg_err err;
	struct sg_buf b;
	json_t *v;

	(void)args;
	sg_err_clear(&err);
	if (sg_service_packages(m->origin.peer->mcp->service, &text, &err) <
	    0) {
		sg_mcp_tool_error(&m->origin, "The packages are not known: %s",
				  err.msg);
		return;
	}
	v = json_loadb(text.p, text.n, 0, NULL);
	sg_buf_init(&b, SG_MCP_ANSWER);
	put_packages(v, &b);
	sg_mcp_answer_begin(&m->origin, &a);
	sg_json_key(&a.j, "content");
	sg_json_array(&a.j);
	sg_mcp_put_text(&a.j, sg_buf_view(&b));
	sg_json_end(&a.j);
	if (!m->origin.plain) {
		sg_json_key(&a.j, "structuredContent");
		sg_json_raw(&a.j, text);
	}
	sg_json_kbool(&a.j, "isError", false);
	sg_mcp_answer_end(&a);
	sg_buf_release(&b);
	json_decref(v);
}

/* ---- the table: its order is that of tools/list ---- */

static const struct tool {
	const char *name, *title;
	void (*describe)(const struct sg_service *s, struct sg_buf *out);
	void (*input)(const struct sg_service *s, struct sg_buf *out);
	void (*output)(const struct sg_service *s, struct sg_buf *out);
	bool read_only;
	const char *arguments; /* names, each with a blank after it */
	void (*call)(const struct sg_mcp_msg *m, const json_t *args);
} tools[] = {
	{ "run_python", "Run Python in a sandbox", describe_run, schema_run,
	  schema_result, false, "code stdin args files timeout_s return_files ",
	  sg_mcp_run_python },
	{ "check_python", "Judge Python without running it", describe_check,
	  schema_check, schema_result, true, "code ", sg_mcp_check_python },
	{ "list_packages", "List importable packages", describe_packages,
	  schema_nothing, schema_packages, true, "", list_packages },
};

enum { NTOOLS = sizeof(tools) / sizeof(*tools) };

/* ---- tools/list ---- */

static void
put_made(struct sg_json *j, const char *key, const struct sg_service *s,
	 void (*make)(const struct sg_service *s, struct sg_buf *out),
	 bool is_json)
{
	struct sg_buf b;

	sg_buf_init(&b, 1 << 20);
	make(s, &b);
	sg_json_key(j, key);
	if (is_json)
		sg_json_raw(j, sg_buf_view(&b));
	else
		sg_json_str(j, sg_buf_view(&b));
	sg_buf_release(&b);
}

static void
put_tool(struct sg_json *j, const struct tool *t, const struct sg_service *s,
	 bool plain)
{
	sg_json_object(j);
	sg_json_kc(j, "name", t->name);
	sg_json_kc(j, "title", t->title);
	put_made(j, "description", s, t->describe, false);
	put_made(j, "inputSchema", s, t->input, true);
	if (!plain)
		put_made(j, "outputSchema", s, t->output, true);
	sg_json_key(j, "annotations");
	sg_json_object(j);
	sg_json_kc(j, "title", t->title);
	sg_json_kbool(j, "readOnlyHint", t->read_only);
	sg_json_kbool(j, "destructiveHint", false);
	sg_json_kbool(j, "idempotentHint", t->read_only);
	sg_json_kbool(j, "openWorldHint", false);
	sg_json_end(j);
	sg_json_end(j);
}

char *
sg_mcp_tools_write(const struct sg_service *s, bool plain)
{
	struct sg_buf b;
	struct sg_json j;

	sg_buf_init(&b, 1 << 20);
	sg_json_init(&j, &b);
	sg_json_array(&j);
	for (size_t i = 0; i < NTOOLS; i++)
		put_tool(&j, &tools[i], s, plain);
	sg_json_end(&j);
	if (sg_buf_failed(&b) || !sg_json_done(&j)) {
		sg_buf_release(&b);
		return NULL;
	}
	return b.data;
}

char *
sg_mcp_instructions(struct sg_service *s)
{
	const struct sg_box_limits *l = sg_service_limits(s);
	struct sg_service_stats stats;
	struct sg_buf b;

	sg_service_stats(s, &stats);
	sg_buf_init(&b, 4096);
	sg_buf_printf(
		&b,
		"run_python runs Python %.*s in a sandbox, after the policy "
		"'%s' has judged the script. Working directory: /mnt/data, "
		"empty at the start of each call but for 'files'. Nothing "
		"persists: each call is a new process, and what it needs must "
		"be in 'code' and 'files'. No network%s, no pip; "
		"list_packages says what can be imported. Limits of a "
		"call: %g s, %llu MiB of memory, %llu MiB of files, %llu KiB "
		"of output. print() what you want to see, or end with an "
		"expression; figures come back as images. A rejected script "
		"is rejected again when it is sent again: change what the "
		"findings name.",
		SG_STR_ARG(sg_service_python(s)), stats.policy,
		l->processes ? "" : ", no subprocesses", l->wall_ms / 1e3,
		(unsigned long long)(l->memory >> 20),
		(unsigned long long)(l->workspace >> 20),
		(unsigned long long)(l->output >> 10));
	if (sg_buf_failed(&b)) {
		sg_buf_release(&b);
		return NULL;
	}
	return b.data;
}

void
sg_mcp_tools_list(const struct sg_mcp_msg *m)
{
	const struct sg_mcp *mcp = m->origin.peer->mcp;
	struct sg_mcp_answer a;

	sg_mcp_answer_begin(&m->origin, &a);
	sg_json_key(&a.j, "tools");
	sg_json_raw(&a.j,
		    sg_str_c(m->origin.plain ? mcp->plain_tools : mcp->tools));
	sg_mcp_answer_cache(&a, SG_MCP_TTL_MS);
	sg_mcp_answer_end(&a);
}

/* ---- tools/call ---- */

/* The first argument that the tool has not, or NULL. */
static const char *
unknown_argument(const struct tool *t, const json_t *args)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)args, name, value)
	{
		const char *at = strstr(t->arguments, name);
		size_t n = strlen(name);

		while (at &&
		       !((at == t->arguments || at[-1] == ' ') && at[n] == ' '))
			at = strstr(at + 1, name);
		if (n == 0 || !at)
			return name;
	}
	return NULL;
}

void
sg_mcp_tools_call(const struct sg_mcp_msg *m)
{
	const char *name =
		json_string_value(json_object_get(m->params, "name"));
	const json_t *args = json_object_get(m->params, "arguments");
	const struct tool *tool = NULL;
	const char *unknown;

	for (size_t i = 0; name && i < NTOOLS; i++) {
		if (strcmp(tools[i].name, name) == 0)
			tool = &tools[i];
	}
	if (!tool) {
		sg_mcp_error(&m->origin, SG_MCP_PARAMS, 200,
			     name ? "there is no tool '%.100s'"
				  : "params.name is missing%s",
			     name ? name : "");
		return;
	}
	if (args && !json_is_object(args)) {
		sg_mcp_error(&m->origin, SG_MCP_PARAMS, 200,
			     "params.arguments must be an object");
		return;
	}
	unknown = args ? unknown_argument(tool, args) : NULL;
	if (unknown)
		sg_mcp_tool_error(
			&m->origin, "%s has no argument '%.100s'; it takes: %s",
			name, unknown,
			tool->arguments[0] ? tool->arguments : "none");
	else
		tool->call(m, args);
}
