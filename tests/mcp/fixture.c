/*
 * A server of the Model Context Protocol with the tools, resources and
 * prompts that the official conformance suite asks for, on the protocol and
 * HTTP code of sandgate itself.
 *
 *	fixture PORT
 *
 * What it has never runs a script: answers are rows of a table.
 */

#include "cmd/http.h"
#include "cmd/mcp_core.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A picture of one red point. */
#define PNG                                                                \
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8Dw" \
	"HwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
/* A sound without a sample. */
#define WAV "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="

#define TEXT(t) "{\"type\":\"text\",\"text\":\"" t "\"}"
#define IMAGE                                             \
	"{\"type\":\"image\",\"mimeType\":\"image/png\"," \
	"\"data\":\"" PNG "\"}"
#define RESOURCE(uri, mime, text)                                   \
	"{\"type\":\"resource\",\"resource\":{\"uri\":\"" uri "\"," \
	"\"mimeType\":\"" mime "\",\"text\":\"" text "\"}}"
#define USER(content) "{\"role\":\"user\",\"content\":" content "}"
#define TOOL(name)                                          \
	"{\"name\":\"" name                                 \
	"\",\"description\":\"for the conformance suite\"," \
	"\"inputSchema\":{\"type\":\"object\"}}"
#define ARG(name) "{\"name\":\"" name "\",\"required\":true}"
#define PROMPT(name, args)                                              \
	"{\"name\":\"" name "\",\"description\":\"for the conformance " \
	"suite\",\"arguments\":[" args "]}"

/* What is answered to a method, and for which name or URI. */
static const struct row {
	const char *method;
	const char *name;    /* NULL: any */
	const char *members; /* of the result; NULL: it is empty, and only of
				the older protocol */
	bool cached;
} rows[] = {
	{ "tools/list", NULL,
	  "\"tools\":[" TOOL("test_simple_text") "," TOOL("test_image_content") "," TOOL("test_audio_content") "," TOOL("test_embedded_resource") "," TOOL("test_multiple_content_types") "," TOOL(
		  "test_error_handling") "," TOOL("test_tool_with_progress") "," TOOL("test_missing_capability") "," TOOL("test_streaming_elicitation") "," TOOL("test_logging_tool") "," TOOL("test_tool_with_logging") "]",
	  true },
	{ "tools/call", "test_simple_text",
	  "\"content\":[" TEXT(
		  "This is a simple text response for testing.") "]",
	  false },
	{ "tools/call", "test_image_content", "\"content\":[" IMAGE "]",
	  false },
	{ "tools/call", "test_audio_content",
	  "\"content\":[{\"type\":\"audio\",\"mimeType\":\"audio/wav\","
	  "\"data\":\"" WAV "\"}]",
	  false },
	{ "tools/call", "test_embedded_resource",
	  "\"content\":[" RESOURCE("test://embedded-resource", "text/plain",
				   "This is an embedded resource "
				   "content.") "]",
	  false },
	{ "tools/call", "test_multiple_content_types",
	  "\"content\":[" TEXT("Multiple content types test:") "," IMAGE "," RESOURCE(
		  "test://mixed-content-resource", "application/json",
		  "{\\\"test\\\":\\\"data\\\",\\\"value\\\":123}") "]",
	  false },
	{ "tools/call", "test_error_handling",
	  "\"isError\":true,\"content\":[" TEXT(
		  "This tool intentionally returns an error for testing") "]",
	  false },
	{ "tools/call", "test_tool_with_progress",
	  "\"content\":[" TEXT("done") "]", false },
	{ "tools/call", "test_missing_capability",
	  "\"content\":[" TEXT("done") "]", false },
	{ "tools/call", "test_streaming_elicitation",
	  "\"content\":[" TEXT("done") "]", false },
	{ "tools/call", "test_tool_with_logging",
	  "\"content\":[" TEXT("done") "]", false },
	{ "tools/call", "test_logging_tool", "\"content\":[" TEXT("done") "]",
	  false },
	{ "resources/list", NULL,
	  "\"resources\":[{\"uri\":\"test://static-text\",\"name\":\"text\","
	  "\"mimeType\":\"text/plain\",\"description\":\"a text\"},"
	  "{\"uri\":\"test://static-binary\",\"name\":\"binary\","
	  "\"mimeType\":\"image/png\",\"description\":\"a picture\"}]",
	  true },
	{ "resources/templates/list", NULL,
	  "\"resourceTemplates\":[{\"uriTemplate\":\"test://template/{id}/"
	  "data\",\"name\":\"template\",\"mimeType\":\"application/json\"}]",
	  true },
	{ "resources/read", "test://static-text",
	  "\"contents\":[{\"uri\":\"test://static-text\",\"mimeType\":"
	  "\"text/plain\",\"text\":\"This is the content of the static text "
	  "resource.\"}]",
	  true },
	{ "resources/read", "test://static-binary",
	  "\"contents\":[{\"uri\":\"test://static-binary\",\"mimeType\":"
	  "\"image/png\",\"blob\":\"" PNG "\"}]",
	  true },
	{ "prompts/list", NULL,
	  "\"prompts\":[" PROMPT("test_simple_prompt", "") "," PROMPT(
		  "test_prompt_with_arguments",
		  ARG("arg1") "," ARG(
			  "arg2")) "," PROMPT("test_prompt_with_embedded_resource",
					      ARG("resourceUri")) "," PROMPT("test_prompt_with_image",
									     "") "]",
	  true },
	{ "prompts/get", "test_simple_prompt",
	  "\"messages\":[" USER(
		  TEXT("This is a simple prompt for testing.")) "]",
	  false },
	{ "prompts/get", "test_prompt_with_image",
	  "\"messages\":[" USER(IMAGE) "," USER(
		  TEXT("Please analyze the image above.")) "]",
	  false },
	{ "logging/setLevel", NULL, NULL, false },
	{ "resources/subscribe", NULL, NULL, false },
	{ "resources/unsubscribe", NULL, NULL, false },
	{ "completion/complete", NULL,
	  "\"completion\":{\"values\":[\"paris\",\"park\"],\"total\":2,"
	  "\"hasMore\":false}",
	  false },
};

/* ---- answers ---- */

static void
answer(const struct sg_mcp_msg *m, const char *members, bool cached)
{
	struct sg_mcp_answer a;

	/* The members as they stand: what a JSON writer would do with them is
	 * tested by the program itself. */
	sg_mcp_answer_begin(&m->origin, &a);
	if (members) {
		sg_buf_c(&a.buf, members);
		a.j.level[a.j.depth - 1].some = true;
	}
	if (cached)
		sg_mcp_answer_cache(&a, 1000);
	sg_mcp_answer_end(&a);
}

static const char *
text_at(const json_t *params, const char *key)
{
	const char *text = json_string_value(json_object_get(params, key));

	return text ? text : "";
}

/* What a call, a prompt or a resource is named by. */
static const char *
name_of(const struct sg_mcp_msg *m)
{
	return strcmp(m->method, "resources/read") == 0
		       ? text_at(m->params, "uri")
		       : text_at(m->params, "name");
}

static void
answer_template(const struct sg_mcp_msg *m, const char *id, int n)
{
	char members[1024];

	(void)snprintf(members, sizeof(members),
		       "\"contents\":[{\"uri\":\"test://template/%.*s/data\","
		       "\"mimeType\":\"application/json\",\"text\":\"{"
		       "\\\"id\\\":\\\"%.*s\\\",\\\"templateTest\\\":true,"
		       "\\\"data\\\":\\\"Data for ID: %.*s\\\"}\"}]",
		       n, id, n, id, n, id);
	answer(m, members, true);
}

static void
answer_arguments(const struct sg_mcp_msg *m)
{
	const json_t *args = json_object_get(m->params, "arguments");
	char members[1024];

	(void)snprintf(members, sizeof(members),
		       "\"messages\":[" USER(TEXT("Prompt with arguments: "
						  "arg1='%s', arg2='%s'")) "]",
		       text_at(args, "arg1"), text_at(args, "arg2"));
	answer(m, members, false);
}

static void
answer_embedded(const struct sg_mcp_msg *m)
{
	const json_t *args = json_object_get(m->params, "arguments");
	char members[1024];

	(void)snprintf(members, sizeof(members),
		       "\"messages\":[" USER(RESOURCE(
			       "%s", "text/plain",
			       "Embedded resource content for "
			       "testing.")) "," USER(TEXT("Please process the "
							  "embedded resource "
							  "above.")) "]",
		       text_at(args, "resourceUri"));
	answer(m, members, false);
}

static void
send_progress(const struct sg_mcp_msg *m)
{
	const json_t *token = json_object_get(
		json_object_get(m->params, "_meta"), "progressToken");
	const struct timespec pause = { .tv_nsec = 50000000 };
	char *text = json_dumps(token, JSON_ENCODE_ANY);
	char message[512];

	for (int i = 0; text && i <= 100; i += 50) {
		(void)snprintf(message, sizeof(message),
			       "{\"jsonrpc\":\"2.0\",\"method\":"
			       "\"notifications/progress\",\"params\":{"
			       "\"progressToken\":%s,\"progress\":%d,"
			       "\"total\":100}}",
			       text, i);
		sg_mcp_notify(&m->origin, sg_str_c(message));
		(void)nanosleep(&pause, NULL);
	}
	free(text);
}

/* Log messages, of which only the older protocol knows. */
static void
send_log(const struct sg_mcp_msg *m)
{
	const struct timespec pause = { .tv_nsec = 50000000 };

	for (int i = 0; i < 3 && !m->origin.modern; i++) {
		sg_mcp_notify(&m->origin,
			      SG_STR("{\"jsonrpc\":\"2.0\",\"method\":"
				     "\"notifications/message\",\"params\":{"
				     "\"level\":\"info\",\"data\":"
				     "\"working\"}}"));
		(void)nanosleep(&pause, NULL);
	}
}

/* ---- tools that ask the client first ---- */

#define ASK(message, name, type)                                                \
	"{\"method\":\"elicitation/create\",\"params\":{\"message\":\"" message \
	"\",\"requestedSchema\":{\"type\":\"object\","                          \
	"\"properties\":{\"" name "\":{\"type\":\"" type "\"}},"                \
	"\"required\":[\"" name "\"]}}}"
#define SAMPLE(text)                                          \
	"{\"method\":\"sampling/createMessage\",\"params\":{" \
	"\"messages\":[{\"role\":\"user\",\"content\":" TEXT( \
		text) "}],"                                   \
		      "\"maxTokens\":100}}"
#define ROOTS "{\"method\":\"roots/list\",\"params\":{}}"

enum { ASKS = 3 };

/* One round: what is asked, each with what the client must be able to do; and
 * the state that comes back with the answers. */
static const struct round {
	const char *name; /* of the tool or prompt; rounds in their order */
	struct {
		const char *key, *ability, *request;
	} asks[ASKS];
	const char *state; /* NULL: none */
} rounds[] = {
	{ "test_input_required_result_elicitation",
	  { { "user_name", "elicitation",
	      ASK("What is your name?", "name", "string") } },
	  NULL },
	{ "test_input_required_result_sampling",
	  { { "capital_question", "sampling",
	      SAMPLE("What is the capital of France?") } },
	  NULL },
	{ "test_input_required_result_list_roots",
	  { { "client_roots", "roots", ROOTS } },
	  NULL },
	{ "test_input_required_result_request_state",
	  { { "confirm", "elicitation",
	      ASK("Please confirm", "ok", "boolean") } },
	  "state-of-one" },
	{ "test_input_required_result_multiple_inputs",
	  { { "user_name", "elicitation",
	      ASK("What is your name?", "name", "string") },
	    { "greeting", "sampling", SAMPLE("Generate a greeting") },
	    { "client_roots", "roots", ROOTS } },
	  "state-of-three" },
	{ "test_input_required_result_multi_round",
	  { { "step1", "elicitation",
	      ASK("Step 1: What is your name?", "name", "string") } },
	  "state-of-round-1" },
	{ "test_input_required_result_multi_round",
	  { { "step2", "elicitation",
	      ASK("Step 2: What is your favorite color?", "color",
		  "string") } },
	  "state-of-round-2" },
	{ "test_input_required_result_prompt",
	  { { "user_context", "elicitation",
	      ASK("What context should the prompt use?", "context",
		  "string") } },
	  NULL },
	{ "test_input_required_result_tampered_state",
	  { { "confirm", "elicitation",
	      ASK("Please confirm", "ok", "boolean") } },
	  "state-that-nobody-guesses" },
	{ "test_input_required_result_capabilities",
	  { { "ask_user", "elicitation", ASK("Who?", "name", "string") },
	    { "ask_model", "sampling", SAMPLE("What?") } },
	  NULL },
};

enum { NROUNDS = sizeof(rounds) / sizeof(*rounds) };

static const json_t *
abilities_of(const struct sg_mcp_msg *m)
{
	return json_object_get(json_object_get(m->params, "_meta"),
			       "io.modelcontextprotocol/clientCapabilities");
}

static void
ask(const struct sg_mcp_msg *m, const struct round *r)
{
	const json_t *abilities = abilities_of(m);
	struct sg_mcp_answer a;

	sg_mcp_answer_begin(&m->origin, &a);
	a.type = "input_required";
	sg_json_key(&a.j, "inputRequests");
	sg_json_object(&a.j);
	for (int i = 0; i < ASKS && r->asks[i].key; i++) {
		if (!json_object_get(abilities, r->asks[i].ability))
			continue;
		sg_json_key(&a.j, r->asks[i].key);
		sg_json_raw(&a.j, sg_str_c(r->asks[i].request));
	}
	sg_json_end(&a.j);
	if (r->state)
		sg_json_kc(&a.j, "requestState", r->state);
	sg_mcp_answer_end(&a);
}

/* All that was asked has an answer. */
static void
complete(const struct sg_mcp_msg *m, const json_t *answers)
{
	char *text = json_dumps(answers, JSON_COMPACT);
	struct sg_mcp_answer a;

	sg_mcp_answer_begin(&m->origin, &a);
	if (strcmp(m->method, "prompts/get") == 0) {
		sg_json_key(&a.j, "messages");
		sg_json_array(&a.j);
		sg_json_object(&a.j);
		sg_json_kc(&a.j, "role", "user");
		sg_json_key(&a.j, "content");
		sg_mcp_put_text(&a.j, sg_str_c(text));
		sg_json_end(&a.j);
	} else {
		sg_json_key(&a.j, "content");
		sg_json_array(&a.j);
		sg_mcp_put_text(&a.j, SG_STR("state-ok"));
		sg_mcp_put_text(&a.j, sg_str_c(text));
	}
	sg_json_end(&a.j);
	sg_mcp_answer_end(&a);
	free(text);
}

/* Whether each question that the client can answer has an answer. */
static bool
has_all(const struct sg_mcp_msg *m, const struct round *r,
	const json_t *answers)
{
	const json_t *abilities = abilities_of(m);

	for (int i = 0; i < ASKS && r->asks[i].key; i++) {
		if (json_object_get(abilities, r->asks[i].ability) &&
		    !json_is_object(json_object_get(answers, r->asks[i].key)))
			return false;
	}
	return json_is_object(answers);
}

/* True when it was a tool or prompt that asks. */
static bool
answer_asking(const struct sg_mcp_msg *m, const char *name)
{
	const json_t *answers = json_object_get(m->params, "inputResponses");
	const char *state =
		json_string_value(json_object_get(m->params, "requestState"));
	size_t i = 0;

	while (i < NROUNDS && strcmp(rounds[i].name, name) != 0)
		i++;
	if (i == NROUNDS || !m->origin.modern)
		return false;
	while (state && i < NROUNDS && strcmp(rounds[i].name, name) == 0 &&
	       (!rounds[i].state || strcmp(rounds[i].state, state) != 0))
		i++;
	if (i == NROUNDS || strcmp(rounds[i].name, name) != 0)
		sg_mcp_error(&m->origin, SG_MCP_PARAMS, 200,
			     "params.requestState is none of ours");
	else if (!has_all(m, &rounds[i], answers) ||
		 (rounds[i].state && !state))
		ask(m, &rounds[i]);
	else if (i + 1 < NROUNDS && strcmp(rounds[i + 1].name, name) == 0)
		ask(m, &rounds[i + 1]);
	else
		complete(m, answers);
	return true;
}

/* ---- the hook ---- */

/* A tool that wants what the client does not have. */
static bool
lacks_sampling(const struct sg_mcp_msg *m)
{
	const json_t *abilities =
		json_object_get(json_object_get(m->params, "_meta"),
				"io.modelcontextprotocol/clientCapabilities");

	return m->origin.modern && !json_object_get(abilities, "sampling");
}

static bool
answer_special(const struct sg_mcp_msg *m, const char *name)
{
	const char prefix[] = "test://template/";
	const char *end;

	if (strcmp(name, "test_missing_capability") == 0 && lacks_sampling(m)) {
		sg_mcp_error_data(
			&m->origin, SG_MCP_CAPABILITY, 400,
			"{\"requiredCapabilities\":{\"sampling\":{}}}",
			"this tool needs a client that samples");
		return true;
	}
	if (strcmp(name, "test_tool_with_progress") == 0)
		send_progress(m);
	if (strcmp(name, "test_tool_with_logging") == 0)
		send_log(m);
	if (strcmp(name, "test_prompt_with_arguments") == 0) {
		answer_arguments(m);
		return true;
	}
	if (strcmp(name, "test_prompt_with_embedded_resource") == 0) {
		answer_embedded(m);
		return true;
	}
	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
		return false;
	name += sizeof(prefix) - 1;
	end = strchr(name, '/');
	if (!end || strcmp(end, "/data") != 0)
		return false;
	answer_template(m, name, (int)(end - name));
	return true;
}

static bool
hook(void *ctx, const struct sg_mcp_msg *m)
{
	const char *name = name_of(m);

	(void)ctx;
	if (answer_special(m, name) || answer_asking(m, name))
		return true;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *r = &rows[i];

		if (strcmp(r->method, m->method) != 0 ||
		    (r->name && strcmp(r->name, name) != 0) ||
		    (!r->members && m->origin.modern))
			continue;
		answer(m, r->members, r->cached);
		return true;
	}
	return false;
}

/* ---- the server ---- */

static int
open_all(const char *port, struct sg_http *http, struct sg_err *err)
{
	static const struct sg_opt_list none;
	struct sg_http_opts o = {
		.hosts = &none,
		.origins = &none,
		.listeners = 1,
		.body_max = 1 << 20,
		.connections = 64,
		.client_ms = 30000,
		.queue_ms = 30000,
	};
	struct sg_service_opts service;
	struct sg_listener listener;
	char address[64];
	int status;

	(void)snprintf(address, sizeof(address), "127.0.0.1:%.10s", port);
	sg_service_opts_init(&service);
	service.cold = true;
	service.workers = 1;
	if ((status = sg_listen_tcp(address, &listener, err)) < 0 ||
	    (status = sg_service_open(&service, &o.service, err)) < 0 ||
	    (status = sg_http_open(http, &o, err)) < 0)
		return status;
	http->mcp->hook = hook;
	http->mcp->capabilities = "{\"tools\":{},\"resources\":{},"
				  "\"prompts\":{},\"completions\":{}}";
	(void)printf("%s\n", listener.name);
	(void)fflush(stdout);
	return sg_http_listen(http, &listener, err);
}

int
main(int argc, char **argv)
{
	static struct sg_http http;
	struct pollfd p = { .events = POLLIN };
	struct sg_err err;

	sg_err_clear(&err);
	if (open_all(argc > 1 ? argv[1] : "0", &http, &err) < 0) {
		(void)fprintf(stderr, "fixture: %s\n", err.msg);
		return 2;
	}
	p.fd = http.conns.epoll;
	for (;;) {
		(void)poll(&p, 1, 1000);
		sg_conns_watch(&http.conns);
	}
}
