#include "cmd/http.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/clock.h"

/* ---- small routes ---- */

static void
alive(struct sg_http_req *req)
{
	req->reply.status = 200;
	req->reply.type = "text/plain; charset=utf-8";
	req->reply.text = SG_STR("alive\n");
}

enum { RETRY_S = 5, AUDIT_S = 10 };

/*
 * For some seconds after a record could not be written: whoever sends nothing
 * to a server that is not ready must come to try again.
 */
static bool
records(struct sg_service *service)
{
	struct sg_service_stats s;

	sg_service_stats(service, &s);
	return !s.audit_failed_at ||
	       sg_clock_mono() - s.audit_failed_at > AUDIT_S * 1000000000ull;
}

static void
ready(struct sg_http_req *req)
{
	if (atomic_load(&req->http->draining)) {
		req->reply.retry_after = RETRY_S;
		sg_http_problem(req, 503, "draining",
				"the server is about to end");
		return;
	}
	if (!records(req->http->opts.service)) {
		req->reply.retry_after = RETRY_S;
		sg_http_problem(req, 503, "audit-log",
				"the audit log cannot be written, so nothing "
				"runs");
		return;
	}
	req->reply.status = 200;
	req->reply.type = "text/plain; charset=utf-8";
	req->reply.text = SG_STR("ready\n");
}

static void
version(struct sg_http_req *req)
{
	struct sg_json j;

	sg_buf_init(&req->reply.body, 4096);
	sg_json_init(&j, &req->reply.body);
	sg_json_object(&j);
	sg_json_kc(&j, "sandgate", SG_VERSION);
	sg_json_kc(&j, "analyzer", sg_analyzer_versions());
	sg_json_kc(&j, "result_schema", SG_REPORT_SCHEMA);
	sg_json_end(&j);
	sg_http_json(req, 200, &j);
}

static void
packages(struct sg_http_req *req)
{
	struct sg_str json;
	struct sg_err err;

	sg_err_clear(&err);
	if (sg_service_packages(req->http->opts.service, &json, &err) < 0) {
		sg_http_problem(req, 503, "no-packages", "%s", err.msg);
	} else {
		req->reply.status = 200;
		req->reply.type = "application/json";
		req->reply.text = json;
	}
	sg_http_wake(req);
}

const struct sg_route sg_routes[] = {
	{ "/v1/run", SG_HTTP_POST, 0, sg_http_run },
	{ "/v1/check", SG_HTTP_POST, 0, sg_http_check },
	{ "/mcp", SG_HTTP_POST, SG_ROUTE_SLOW, sg_http_mcp },
	{ "/v1/packages", SG_HTTP_GET, SG_ROUTE_SLOW, packages },
	{ "/v1/policy", SG_HTTP_GET, 0, sg_http_policy },
	{ "/healthz", SG_HTTP_GET, SG_ROUTE_OPEN, alive },
	{ "/readyz", SG_HTTP_GET, SG_ROUTE_OPEN, ready },
	{ "/metrics", SG_HTTP_GET, 0, sg_http_metrics },
	{ "/openapi.json", SG_HTTP_GET, 0, sg_http_openapi },
	{ "/version", SG_HTTP_GET, 0, version },
	{ "/", SG_HTTP_GET, SG_ROUTE_OPEN, sg_http_page },
	{ 0 },
};

_Static_assert(sizeof(sg_routes) / sizeof(*sg_routes) <= SG_METRICS_ROUTES,
	       "a counter for each route and one for the others");

/* ---- what is looked at before the body ---- */

static const struct sg_route *
find(const char *path)
{
	const struct sg_route *r = sg_routes;

	while (r->path && strcmp(r->path, path) != 0)
		r++;
	return r->path ? r : NULL;
}

static void
allow(struct sg_http_req *req)
{
	unsigned methods = req->route ? req->route->methods
				      : SG_HTTP_GET | SG_HTTP_POST;

	(void)snprintf(req->reply.allow, sizeof(req->reply.allow),
		       "%s%sOPTIONS",
		       methods & SG_HTTP_GET ? "GET, HEAD, " : "",
		       methods & SG_HTTP_POST ? "POST, " : "");
}

/* Who asks, and by which name: against pages that use somebody's browser. */
static bool
admit_names(struct sg_http_req *req, bool local)
{
	const struct sg_guard *g = &req->http->guard;
	const char *host = sg_http_header(req, "Host");
	const char *origin = sg_http_header(req, "Origin");

	/* No browser gets at a Unix socket. */
	if (!local && host && !sg_guard_host(g, host)) {
		sg_http_problem(req, 403, "bad-host",
				"'%.100s' is no name of this server; see "
				"--allow-host",
				host);
		return false;
	}
	if (!origin)
		return true;
	switch (sg_guard_origin(g, origin, host)) {
	case SG_ORIGIN_LISTED:
		req->origin = origin;
		return true;
	case SG_ORIGIN_SAME:
		return true;
	case SG_ORIGIN_BAD:
		break;
	}
	sg_http_problem(req, 403, "bad-origin",
			"pages of '%.100s' may not use this server; see "
			"--allow-origin",
			origin);
	return false;
}

static bool
admit_method(struct sg_http_req *req)
{
	unsigned methods = req->route ? req->route->methods : 0;

	if (methods & SG_HTTP_GET)
		methods |= SG_HTTP_HEAD;
	if (req->method == SG_HTTP_OPTIONS &&
	    (req->route || strcmp(req->path, "*") == 0)) {
		allow(req);
		req->reply.status = 204;
		return false;
	}
	if (!req->route) {
		sg_http_problem(req, 404, "no-such-path",
				"there is nothing at '%.200s'; see "
				"/openapi.json",
				req->path);
		return false;
	}
	if (!(req->method & methods)) {
		sg_http_problem(req, 405, "bad-method",
				"'%.20s' does not go with '%s'", req->verb,
				req->path);
		allow(req);
		return false;
	}
	return true;
}

static bool
admit_token(struct sg_http_req *req)
{
	if (req->route->flags & SG_ROUTE_OPEN ||
	    sg_guard_token(&req->http->guard,
			   sg_http_header(req, "Authorization"),
			   sg_http_header(req, "X-Api-Key")))
		return true;
	sg_http_problem(req, 401, "no-token",
			"send 'Authorization: Bearer TOKEN' or "
			"'X-Api-Key: TOKEN'");
	return false;
}

static bool
is_json(const char *type)
{
	static const char json[] = "application/json";
	size_t n = strcspn(type, "; \t");

	return n == sizeof(json) - 1 && strncasecmp(type, json, n) == 0;
}

/* What the headers say of the body. */
static bool
admit_body(struct sg_http_req *req)
{
	const char *length = sg_http_header(req, "Content-Length");
	const char *type = sg_http_header(req, "Content-Type");
	const char *coding = sg_http_header(req, "Content-Encoding");

	if (req->method != SG_HTTP_POST)
		return true;
	if (!length && !sg_http_header(req, "Transfer-Encoding")) {
		sg_http_problem(req, 411, "no-length",
				"there is neither a Content-Length nor a "
				"Transfer-Encoding");
		return false;
	}
	if (length && strtoull(length, NULL, 10) > req->http->opts.body_max) {
		sg_http_problem(req, 413, "too-large",
				"a request may have %llu bytes",
				(unsigned long long)req->http->opts.body_max);
		return false;
	}
	if (!type || !is_json(type) ||
	    (coding && strcasecmp(coding, "identity") != 0)) {
		sg_http_problem(req, 415, "not-json",
				"send 'Content-Type: application/json', not "
				"compressed");
		return false;
	}
	return true;
}

/* Nothing that takes its time is begun any more. */
static bool
is_too_late(const struct sg_http_req *req)
{
	return atomic_load(&req->http->draining) &&
	       (req->route->methods & SG_HTTP_POST ||
		req->route->flags & SG_ROUTE_SLOW);
}

/*
 * Proxies are asked by a whole address, and so must every server let itself
 * be (RFC 9112, 3.2.2).  The host in it is the one that counts; one that is
 * not that of the field could be taken for either.
 */
static bool
admit_target(struct sg_http_req *req)
{
	static const char scheme[] = "http://";
	const char *host = sg_http_header(req, "Host"), *name, *path;
	size_t n = sizeof(scheme) - 1;

	if (strncasecmp(req->path, scheme, n) != 0)
		return true;
	name = req->path + n;
	n = strcspn(name, "/");
	path = name[n] ? name + n : "/";
	req->path = path;
	req->route = find(path);
	if (host && strlen(host) == n && strncasecmp(host, name, n) == 0)
		return true;
	sg_http_problem(req, 400, "bad-host",
			"the host of the address is not that of 'Host'");
	return false;
}

void
sg_route_admit(struct sg_http_req *req, bool local)
{
	req->route = find(req->path);
	if (!sg_http_admit_form(req) || !admit_target(req) ||
	    !admit_names(req, local) || !admit_method(req) ||
	    !admit_token(req) || !admit_body(req))
		return;
	if (is_too_late(req))
		sg_http_overloaded(req);
}

void
sg_route_call(struct sg_http_req *req)
{
	/* The end may have begun while the body came. */
	if (is_too_late(req)) {
		sg_http_overloaded(req);
	} else if (req->route->flags & SG_ROUTE_SLOW ||
		   req->body.len > SG_HTTP_LONG) {
		sg_http_wait(req);
		sg_http_later(req);
	} else {
		req->route->handle(req);
	}
}
