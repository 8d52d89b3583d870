#include "cmd/http.h"

#include <stdarg.h>
#include <stdio.h>

const char *
sg_http_title(unsigned status)
{
	static const struct {
		unsigned status;
		const char *title;
	} titles[] = {
		{ 200, "OK" },
		{ 202, "Accepted" },
		{ 204, "No Content" },
		{ 400, "Bad Request" },
		{ 401, "Unauthorized" },
		{ 403, "Forbidden" },
		{ 404, "Not Found" },
		{ 405, "Method Not Allowed" },
		{ 408, "Request Timeout" },
		{ 411, "Length Required" },
		{ 413, "Content Too Large" },
		{ 415, "Unsupported Media Type" },
		{ 422, "Unprocessable Content" },
		{ 429, "Too Many Requests" },
		{ 499, "Client Closed Request" },
		{ 500, "Internal Server Error" },
		{ 501, "Not Implemented" },
		{ 503, "Service Unavailable" },
	};

	for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++) {
		if (titles[i].status == status)
			return titles[i].title;
	}
	return "Error";
}

void
sg_http_problem_begin(struct sg_http_req *req, unsigned status,
		      const char *code, const char *detail, struct sg_json *j)
{
	struct sg_http_reply *r = &req->reply;

	if (r->body.max == 0)
		sg_buf_init(&r->body, SG_RESULT_MAX);
	sg_buf_reset(&r->body);
	r->text = SG_STR_NONE;
	r->status = status;
	r->type = "application/problem+json";
	sg_json_init(j, &r->body);
	sg_json_object(j);
	sg_json_kc(j, "type", "about:blank");
	sg_json_kc(j, "title", sg_http_title(status));
	sg_json_kuint(j, "status", status);
	sg_json_kc(j, "code", code);
	sg_json_kc(j, "detail", detail);
	sg_json_kc(j, "request_id", req->id);
}

void
sg_http_problem_end(struct sg_http_req *req, struct sg_json *j)
{
	sg_json_end(j);
	if (sg_json_done(j) && !sg_buf_failed(&req->reply.body))
		return;
	/* The status alone has to do. */
	sg_buf_release(&req->reply.body);
	req->reply.type = NULL;
}

void
sg_http_problem(struct sg_http_req *req, unsigned status, const char *code,
		const char *fmt, ...)
{
	char detail[1024];
	struct sg_json j;
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(detail, sizeof(detail), fmt, ap);
	va_end(ap);
	sg_http_problem_begin(req, status, code, detail, &j);
	sg_http_problem_end(req, &j);
}

void
sg_http_overloaded(struct sg_http_req *req)
{
	bool draining = atomic_load(&req->http->draining);
	uint32_t wait =
		draining ? 5 : sg_service_retry_after(req->http->opts.service);
	struct sg_json j;

	req->reply.retry_after = wait ? wait : 1;
	req->reply.close = draining;
	if (draining)
		sg_http_problem_begin(req, 503, "draining",
				      "the server is about to end", &j);
	else
		sg_http_problem_begin(req, 429, "overloaded",
				      "more requests wait than may wait", &j);
	sg_json_kuint(&j, "retry_after_seconds", req->reply.retry_after);
	sg_http_problem_end(req, &j);
}

void
sg_http_json(struct sg_http_req *req, unsigned status, const struct sg_json *j)
{
	if (!sg_json_done(j) || sg_buf_failed(&req->reply.body)) {
		sg_http_problem(req, 500, "internal", "no memory for a reply");
		return;
	}
	req->reply.status = status;
	req->reply.type = "application/json";
}
