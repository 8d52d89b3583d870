#include "cmd/http.h"

#include "base/embed.h"

/* openapi.json and page.html, as the build put them together. */
extern const struct sg_embed sg_embed_http[];

static void
say_file(struct sg_http_req *req, const char *name, const char *type)
{
	struct sg_http_reply *r = &req->reply;

	for (const struct sg_embed *e = sg_embed_http; e->name; e++) {
		if (strcmp(e->name, name) != 0)
			continue;
		r->status = 200;
		r->type = type;
		r->text = e->data;
		return;
	}
	sg_http_problem(req, 500, "internal", "'%s' is not built in", name);
}

void
sg_http_openapi(struct sg_http_req *req)
{
	say_file(req, "openapi.json", "application/json");
}

void
sg_http_page(struct sg_http_req *req)
{
	say_file(req, "page.html", "text/html; charset=utf-8");
	/* All of the page is in it, and it speaks to nobody but us. */
	req->reply.policy = "default-src 'none'; style-src 'unsafe-inline'; "
			    "script-src 'unsafe-inline'; img-src data:; "
			    "connect-src 'self'; base-uri 'none'; "
			    "form-action 'none'; frame-ancestors 'none'";
}
