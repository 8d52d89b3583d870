#include "cmd/mcp_core.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- results ---- */

static void
open_message(const struct sg_mcp_origin *o, struct sg_mcp_answer *a)
{
	*a = (struct sg_mcp_answer){ .origin = o, .type = "complete" };
	sg_buf_init(&a->buf, SG_MCP_ANSWER);
	sg_json_init(&a->j, &a->buf);
	sg_json_object(&a->j);
	sg_json_kc(&a->j, "jsonrpc", "2.0");
	/* Without one, who sent it can't be told; null is no id. */
	if (o->id) {
		sg_json_key(&a->j, "id");
		sg_json_raw(&a->j, sg_str_c(o->id));
	}
}

static void
send_message(struct sg_mcp_answer *a, unsigned http)
{
	sg_json_end(&a->j);
	if (sg_buf_failed(&a->buf) || !sg_json_done(&a->j)) {
		const struct sg_mcp_origin *o = a->origin;

		sg_buf_release(&a->buf);
		open_message(o, a);
		sg_json_key(&a->j, "error");
		sg_json_object(&a->j);
		sg_json_kint(&a->j, "code", SG_MCP_INTERNAL);
		sg_json_kc(&a->j, "message", "the answer is too large");
		sg_json_end(&a->j);
		sg_json_end(&a->j);
	}
	sg_mcp_send(a->origin, sg_buf_view(&a->buf), http);
	sg_buf_release(&a->buf);
}

void
sg_mcp_answer_begin(const struct sg_mcp_origin *o, struct sg_mcp_answer *a)
{
	open_message(o, a);
	sg_json_key(&a->j, "result");
	sg_json_object(&a->j);
}

void
sg_mcp_answer_cache(struct sg_mcp_answer *a, uint32_t ttl_ms)
{
	if (!a->origin->modern)
		return;
	sg_json_kuint(&a->j, "ttlMs", ttl_ms);
	sg_json_kc(&a->j, "cacheScope", "private");
}

void
sg_mcp_answer_end(struct sg_mcp_answer *a)
{
	struct sg_json *j = &a->j;

	if (a->origin->modern) {
		sg_json_kc(j, "resultType", a->type);
		sg_json_key(j, "_meta");
		sg_json_object(j);
		sg_json_key(j, "io.modelcontextprotocol/serverInfo");
		sg_mcp_put_server(j);
		sg_json_end(j);
	}
	sg_json_end(j);
	send_message(a, 200);
}

void
sg_mcp_put_server(struct sg_json *j)
{
	sg_json_object(j);
	sg_json_kc(j, "name", "sandgate");
	sg_json_kc(j, "title", "sandgate: Python, judged and boxed");
	sg_json_kc(j, "version", SG_VERSION);
	sg_json_end(j);
}

/* ---- errors ---- */

void
sg_mcp_error_data(const struct sg_mcp_origin *o, enum sg_mcp_code code,
		  unsigned http, const char *data, const char *message)
{
	struct sg_mcp_answer a;

	open_message(o, &a);
	sg_json_key(&a.j, "error");
	sg_json_object(&a.j);
	sg_json_kint(&a.j, "code", code);
	sg_json_kc(&a.j, "message", message);
	if (data) {
		sg_json_key(&a.j, "data");
		sg_json_raw(&a.j, sg_str_c(data));
	}
	sg_json_end(&a.j);
	send_message(&a, http);
}

void
sg_mcp_error(const struct sg_mcp_origin *o, enum sg_mcp_code code,
	     unsigned http, const char *fmt, ...)
{
	char message[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	sg_mcp_error_data(o, code, http, NULL, message);
}

void
sg_mcp_tool_error(const struct sg_mcp_origin *o, const char *fmt, ...)
{
	struct sg_mcp_answer a;
	char message[1024];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	sg_mcp_answer_begin(o, &a);
	sg_json_key(&a.j, "content");
	sg_json_array(&a.j);
	sg_mcp_put_text(&a.j, sg_str_c(message));
	sg_json_end(&a.j);
	sg_json_kbool(&a.j, "isError", true);
	sg_mcp_answer_end(&a);
}

void
sg_mcp_put_text(struct sg_json *j, struct sg_str text)
{
	sg_json_object(j);
	sg_json_kc(j, "type", "text");
	sg_json_kstr(j, "text", text);
	sg_json_end(j);
}
