/*
 * Theory of operation.
 *
 * There are two families of the protocol.  In the older one a client begins
 * with `initialize`, and what was settled then holds for the peer.  In the
 * newer one each request says in params._meta which version it speaks and
 * what its client can do, and nothing is kept.  A message belongs to the
 * newer family when it has a version in _meta or, over HTTP, when its header
 * names a version that is none of the older ones.
 *
 * Over HTTP the newer family repeats version, method and name in headers, for
 * proxies that look no further; a header that says something else than the
 * body is refused, as a proxy may have decided by it.
 */

#include "cmd/mcp_core.h"

#include "base/base64.h"

#include <stdio.h>

const char *const sg_mcp_legacy[] = { "2025-11-25", "2025-06-18", "2025-03-26",
				      "2024-11-05", NULL };
const char *const sg_mcp_modern[] = { "2026-07-28", NULL };

#define META "io.modelcontextprotocol/"

const char *
sg_mcp_version(const char *const *list, const char *text)
{
	for (; text && *list; list++) {
		if (strcmp(*list, text) == 0)
			return *list;
	}
	return NULL;
}

bool
sg_mcp_is_plain(const json_t *client)
{
	static const char *const names[] = { "claude-code", "codex-mcp-client",
					     "copilot-cli" };
	const char *name = json_string_value(json_object_get(client, "name"));

	for (size_t i = 0; name && i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

/* ---- headers ---- */

/* "=?base64?...?=" to what it stands for; anything else is as it is. */
static struct sg_str
decode(const char *header, struct sg_arena *arena)
{
	const struct sg_str begin = SG_STR("=?base64?"), end = SG_STR("?=");
	struct sg_str s = sg_str_c(header), text;

	while (s.n > 0 && (*s.p == ' ' || *s.p == '\t'))
		s = sg_str_slice(s, 1, s.n);
	while (s.n > 0 && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
		s.n--;
	if (s.n < begin.n + end.n || !sg_str_starts(s, begin) ||
	    !sg_str_ends(s, end))
		return s;
	if (!sg_base64_decode(sg_str_slice(s, begin.n, s.n - end.n), arena,
			      &text))
		return SG_STR_NONE;
	return text;
}

/* True when the header is there and says what the body says. */
static bool
says(const char *header, struct sg_str body)
{
	struct sg_arena arena;
	bool same;

	if (!header)
		return false;
	sg_arena_init(&arena, 1 << 20);
	same = sg_str_eq(decode(header, &arena), body);
	sg_arena_release(&arena);
	return same;
}

/* Which member of params a header repeats; NULL none. */
static const char *
named_by(const char *method)
{
	static const struct {
		const char *method, *member;
	} rows[] = {
		{ "tools/call", "name" },
		{ "prompts/get", "name" },
		{ "resources/read", "uri" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (strcmp(rows[i].method, method) == 0)
			return rows[i].member;
	}
	return NULL;
}

static bool
check_headers(const struct sg_mcp_msg *m)
{
	const struct sg_mcp_peer *peer = m->origin.peer;
	const char *member = named_by(m->method);
	const json_t *name = member ? json_object_get(m->params, member) : NULL;

	if (!says(peer->method, sg_str_c(m->method))) {
		sg_mcp_error(&m->origin, SG_MCP_HEADER, 400,
			     "the header Mcp-Method must be '%.100s'",
			     m->method);
		return false;
	}
	if (json_is_string(name) &&
	    !says(peer->name, (struct sg_str){ json_string_value(name),
					       json_string_length(name) })) {
		sg_mcp_error(&m->origin, SG_MCP_HEADER, 400,
			     "the header Mcp-Name must be params.%s", member);
		return false;
	}
	return true;
}

/* ---- versions ---- */

static bool
refuse_version(const struct sg_mcp_msg *m, const char *requested)
{
	json_t *supported = json_array(), *data;
	char *text;

	for (size_t i = 0; sg_mcp_modern[i]; i++)
		(void)json_array_append_new(supported,
					    json_string(sg_mcp_modern[i]));
	data = json_pack("{s:o, s:s}", "supported", supported, "requested",
			 requested);
	text = data ? json_dumps(data, JSON_COMPACT) : NULL;
	sg_mcp_error_data(&m->origin, SG_MCP_VERSION, 400, text,
			  "this version of the protocol is not supported");
	free(text);
	json_decref(data);
	return false;
}

static bool
refuse_meta(const struct sg_mcp_msg *m, const char *what)
{
	sg_mcp_error(&m->origin, SG_MCP_PARAMS, 400,
		     "params._meta must have \"" META "%s\"%s", what,
		     m->origin.peer->http
			     ? ""
			     : "; with a version up to 2025-11-25, begin with "
			       "'initialize'");
	return false;
}

/* The newer family: all is in the message. */
static bool
classify_modern(struct sg_mcp_msg *m, const json_t *meta)
{
	const struct sg_mcp_peer *peer = m->origin.peer;
	const char *version = json_string_value(
		json_object_get(meta, META "protocolVersion"));

	m->origin.modern = true;
	m->origin.plain =
		sg_mcp_is_plain(json_object_get(meta, META "clientInfo"));
	m->version = sg_mcp_modern[0];
	if (!m->origin.id)
		return true;
	if (!version)
		return refuse_meta(m, "protocolVersion");
	if (peer->http && !says(peer->version, sg_str_c(version))) {
		sg_mcp_error(&m->origin, SG_MCP_HEADER, 400,
			     "the header MCP-Protocol-Version must be "
			     "'%.40s', as in params._meta",
			     version);
		return false;
	}
	m->version = sg_mcp_version(sg_mcp_modern, version);
	if (!m->version)
		return refuse_version(m, version);
	if (!json_is_object(json_object_get(meta, META "clientCapabilities")))
		return refuse_meta(m, "clientCapabilities");
	return !peer->http || check_headers(m);
}

/* What may be said before `initialize`, or is that. */
static bool
needs_no_handshake(const struct sg_mcp_msg *m)
{
	return !m->origin.id || strcmp(m->method, "initialize") == 0 ||
	       strcmp(m->method, "ping") == 0;
}

bool
sg_mcp_classify(struct sg_mcp_msg *m)
{
	const struct sg_mcp_peer *peer = m->origin.peer;
	const json_t *meta = json_object_get(m->params, "_meta");
	const char *header = peer->http ? peer->version : NULL;
	bool older = !header || sg_mcp_version(sg_mcp_legacy, header);

	if (json_object_get(meta, META "protocolVersion") || !older)
		return classify_modern(m, meta);
	if (!peer->http && !peer->legacy && !needs_no_handshake(m))
		return refuse_meta(m, "protocolVersion");
	m->origin.plain = peer->plain ||
			  (peer->session &&
			   sg_str_starts(sg_str_c(peer->session),
					 SG_STR(SG_MCP_PLAIN_SESSION)));
	m->version = header         ? sg_mcp_version(sg_mcp_legacy, header)
		     : peer->legacy ? peer->legacy
				    : "2025-03-26";
	return true;
}
