#include "cmd/mcp_core.h"

#include <stdlib.h>

enum { EITHER, LEGACY, MODERN };

/* ---- methods ---- */

static void
put_versions(struct sg_json *j)
{
	sg_json_key(j, "supportedVersions");
	sg_json_array(j);
	for (size_t i = 0; sg_mcp_modern[i]; i++)
		sg_json_c(j, sg_mcp_modern[i]);
	sg_json_end(j);
}

static void
put_abilities(const struct sg_mcp *mcp, struct sg_json *j)
{
	sg_json_key(j, "capabilities");
	sg_json_raw(j, sg_str_c(mcp->capabilities));
	sg_json_kc(j, "instructions", mcp->instructions);
}

static void
initialize(const struct sg_mcp_msg *m)
{
	struct sg_mcp_peer *peer = m->origin.peer;
	const char *wanted = json_string_value(
		json_object_get(m->params, "protocolVersion"));
	const char *version = sg_mcp_version(sg_mcp_legacy, wanted);
	bool plain = sg_mcp_is_plain(json_object_get(m->params, "clientInfo"));
	struct sg_mcp_answer a;

	if (!wanted) {
		sg_mcp_error(&m->origin, SG_MCP_PARAMS, 200,
			     "params.protocolVersion is missing");
		return;
	}
	if (!version)
		version = sg_mcp_legacy[0];
	if (peer->http) {
		sg_uid_make(plain ? SG_MCP_PLAIN_SESSION : "session_",
			    peer->fresh);
	} else {
		peer->legacy = version;
		peer->plain = plain;
	}
	sg_mcp_answer_begin(&m->origin, &a);
	sg_json_kc(&a.j, "protocolVersion", version);
	sg_json_key(&a.j, "serverInfo");
	sg_mcp_put_server(&a.j);
	put_abilities(peer->mcp, &a.j);
	sg_mcp_answer_end(&a);
}

static void
discover(const struct sg_mcp_msg *m)
{
	struct sg_mcp_answer a;

	sg_mcp_answer_begin(&m->origin, &a);
	put_versions(&a.j);
	put_abilities(m->origin.peer->mcp, &a.j);
	sg_mcp_answer_cache(&a, SG_MCP_TTL_MS);
	sg_mcp_answer_end(&a);
}

static void
ping(const struct sg_mcp_msg *m)
{
	struct sg_mcp_answer a;

	sg_mcp_answer_begin(&m->origin, &a);
	sg_mcp_answer_end(&a);
}

/* ---- the table ---- */

static const struct method {
	const char *name;
	int era;
	bool list; /* has pages, of which there is one */
	void (*call)(const struct sg_mcp_msg *m);
} methods[] = {
	{ "initialize", LEGACY, false, initialize },
	{ "ping", LEGACY, false, ping },
	{ "server/discover", MODERN, false, discover },
	{ "tools/list", EITHER, true, sg_mcp_tools_list },
	{ "tools/call", EITHER, false, sg_mcp_tools_call },
	{ "resources/list", EITHER, true, sg_mcp_resources_list },
	{ "resources/templates/list", EITHER, true, sg_mcp_templates_list },
	{ "resources/read", EITHER, false, sg_mcp_resources_read },
};

static const struct method *
find(const struct sg_mcp_msg *m)
{
	const int other = m->origin.modern ? LEGACY : MODERN;

	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++) {
		if (strcmp(methods[i].name, m->method) == 0)
			return methods[i].era == other ? NULL : &methods[i];
	}
	return NULL;
}

static void
take_notification(const struct sg_mcp_msg *m)
{
	if (strcmp(m->method, "notifications/cancelled") == 0)
		sg_mcp_cancelled(m);
	sg_mcp_send(&m->origin, SG_STR_NONE, 202);
}

void
sg_mcp_dispatch(struct sg_mcp_msg *m)
{
	const struct sg_mcp *mcp = m->origin.peer->mcp;
	const struct method *method;

	if (!sg_mcp_classify(m))
		return;
	if (!m->origin.id) {
		take_notification(m);
		return;
	}
	if (mcp->hook && mcp->hook(mcp->hook_ctx, m))
		return;
	method = find(m);
	if (!method)
		sg_mcp_error(&m->origin, SG_MCP_METHOD,
			     m->origin.modern ? 404 : 200,
			     "there is no method '%.100s' in version %s",
			     m->method, m->version);
	else if (method->list && json_object_get(m->params, "cursor"))
		sg_mcp_error(&m->origin, SG_MCP_PARAMS, 200,
			     "there is no such page: lists have one");
	else
		method->call(m);
}
