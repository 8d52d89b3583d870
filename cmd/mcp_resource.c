#include "cmd/mcp_core.h"

#include "base/file.h"
#include "policy/policy.h"

#include <stdlib.h>

enum { POLICY_MAX = 4 << 20 };

#define PACKAGES "sandgate://packages"
#define POLICY "sandgate://policy/"

/* ---- lists ---- */

static void
put_resource(struct sg_json *j, const char *uri, const char *name,
	     const char *title, const char *description, const char *mime)
{
	sg_json_object(j);
	sg_json_kc(j, "uri", uri);
	sg_json_kc(j, "name", name);
	sg_json_kc(j, "title", title);
	sg_json_kc(j, "description", description);
	sg_json_kc(j, "mimeType", mime);
	sg_json_end(j);
}

void
sg_mcp_resources_list(const struct sg_mcp_msg *m)
{
	struct sg_service_stats stats;
	struct sg_mcp_answer a;
	struct sg_buf uri;

	sg_service_stats(m->origin.peer->mcp->service, &stats);
	sg_buf_init(&uri, 256);
	sg_buf_c(&uri, POLICY);
	sg_buf_c(&uri, stats.policy);
	sg_mcp_answer_begin(&m->origin, &a);
	sg_json_key(&a.j, "resources");
	sg_json_array(&a.j);
	if (!sg_buf_failed(&uri))
		put_resource(&a.j, uri.data, "policy", "Policy in force",
			     "the rules that scripts are judged by",
			     "application/yaml");
	put_resource(&a.j, PACKAGES, "packages", "Importable packages",
		     "what scripts can import, as list_packages says it",
		     "application/json");
	sg_json_end(&a.j);
	sg_mcp_answer_cache(&a, SG_MCP_TTL_MS);
	sg_mcp_answer_end(&a);
	sg_buf_release(&uri);
}

void
sg_mcp_templates_list(const struct sg_mcp_msg *m)
{
	struct sg_mcp_answer a;

	sg_mcp_answer_begin(&m->origin, &a);
	sg_json_key(&a.j, "resourceTemplates");
	sg_json_array(&a.j);
	sg_json_object(&a.j);
	sg_json_kc(&a.j, "uriTemplate", POLICY "{name}");
	sg_json_kc(&a.j, "name", "policies");
	sg_json_kc(&a.j, "title", "Policies");
	sg_json_kc(&a.j, "description",
		   "the one in force, and those that come with sandgate");
	sg_json_kc(&a.j, "mimeType", "application/yaml");
	sg_json_end(&a.j);
	sg_json_end(&a.j);
	sg_mcp_answer_cache(&a, SG_MCP_TTL_MS);
	sg_mcp_answer_end(&a);
}

/* ---- reading ---- */

static void
put_content(const struct sg_mcp_msg *m, const char *uri, const char *mime,
	    struct sg_str text)
{
	struct sg_mcp_answer a;

	sg_mcp_answer_begin(&m->origin, &a);
	sg_json_key(&a.j, "contents");
	sg_json_array(&a.j);
	sg_json_object(&a.j);
	sg_json_kc(&a.j, "uri", uri);
	sg_json_kc(&a.j, "mimeType", mime);
	sg_json_kstr(&a.j, "text", text);
	sg_json_end(&a.j);
	sg_json_end(&a.j);
	sg_mcp_answer_cache(&a, SG_MCP_TTL_MS);
	sg_mcp_answer_end(&a);
}

static void
not_found(const struct sg_mcp_msg *m, const char *uri)
{
	json_t *data = json_pack("{s:s}", "uri", uri);
	char *text = data ? json_dumps(data, JSON_COMPACT) : NULL;

	sg_mcp_error_data(&m->origin,
			  m->origin.modern ? SG_MCP_PARAMS : SG_MCP_NO_RESOURCE,
			  200, text, "there is no such resource");
	free(text);
	json_decref(data);
}

static void
read_packages(const struct sg_mcp_msg *m)
{
	struct sg_str text;
	struct sg_err err;

	sg_err_clear(&err);
	if (sg_service_packages(m->origin.peer->mcp->service, &text, &err) < 0)
		sg_mcp_error(&m->origin, SG_MCP_INTERNAL, 200, "%s", err.msg);
	else
		put_content(m, PACKAGES, "application/json", text);
}

/* The text of a shipped policy: static.  NULL when there is none. */
static const struct sg_embed *
shipped(const char *name)
{
	const struct sg_embed *e = sg_policy_shipped();

	for (; e->name; e++) {
		if (strcmp(e->name, name) == 0)
			return e;
	}
	return NULL;
}

static void
read_policy(const struct sg_mcp_msg *m, const char *uri)
{
	struct sg_service *s = m->origin.peer->mcp->service;
	const char *name = uri + sizeof(POLICY) - 1;
	const char *source = sg_service_policy(s);
	struct sg_service_stats stats;
	const struct sg_embed *e;
	struct sg_buf b;

	sg_service_stats(s, &stats);
	e = strcmp(name, stats.policy) == 0 ? shipped(source) : shipped(name);
	if (e) {
		put_content(m, uri, "application/yaml", e->data);
		return;
	}
	sg_buf_init(&b, POLICY_MAX);
	if (strcmp(name, stats.policy) == 0 &&
	    sg_file_read(source, &b, NULL) == SG_OK)
		put_content(m, uri, "application/yaml", sg_buf_view(&b));
	else
		not_found(m, uri);
	sg_buf_release(&b);
}

void
sg_mcp_resources_read(const struct sg_mcp_msg *m)
{
	const char *uri = json_string_value(json_object_get(m->params, "uri"));

	if (!uri)
		sg_mcp_error(&m->origin, SG_MCP_PARAMS, 200,
			     "params.uri is missing");
	else if (strcmp(uri, PACKAGES) == 0)
		read_packages(m);
	else if (strncmp(uri, POLICY, sizeof(POLICY) - 1) == 0)
		read_policy(m, uri);
	else
		not_found(m, uri);
}
