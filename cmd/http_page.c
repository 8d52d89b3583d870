#include "cmd/http.h"

#include "base/digest.h"
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

/* What stands between two tags of the page. */
static struct sg_str
inside(struct sg_str page, const char *open, const char *close)
{
	const char *from = memmem(page.p, page.n, open, strlen(open));
	const char *to;

	if (!from)
		return SG_STR_NONE;
	from += strlen(open);
	to = memmem(from, page.n - (size_t)(from - page.p), close,
		    strlen(close));
	return to ? (struct sg_str){ from, (size_t)(to - from) } : SG_STR_NONE;
}

/* "'sha256-...'": this text and no other may be there. */
static void
add_hash(struct sg_buf *out, const char *what, struct sg_str text)
{
	struct sg_digest d = sg_digest_of(text);
	struct sg_json j;
	struct sg_buf quoted;

	sg_buf_init(&quoted, 64);
	sg_json_init(&j, &quoted);
	sg_json_base64(&j, (struct sg_str){ (const char *)d.b, sizeof(d.b) });
	if (sg_json_done(&j) && quoted.len > 2)
		sg_buf_printf(out, "%s 'sha256-%.*s'; ", what,
			      (int)quoted.len - 2, quoted.data + 1);
	sg_buf_release(&quoted);
}

/* All of the page is in it, and it speaks to nobody but us. */
static void
write_policy(struct sg_str page, struct sg_buf *out)
{
	add_hash(out, "script-src", inside(page, "<script>", "</script>"));
	add_hash(out, "style-src", inside(page, "<style>", "</style>"));
	sg_buf_c(out, "default-src 'none'; img-src data:; connect-src 'self'; "
		      "base-uri 'none'; form-action 'none'; "
		      "frame-ancestors 'none'");
}

void
sg_http_page(struct sg_http_req *req)
{
	struct sg_http_reply *r = &req->reply;
	struct sg_buf policy;

	say_file(req, "page.html", "text/html; charset=utf-8");
	sg_buf_init(&policy, sizeof(r->policy) - 1);
	write_policy(r->text, &policy);
	if (sg_buf_failed(&policy))
		sg_http_problem(req, 500, "internal", "no memory for a reply");
	else
		memcpy(r->policy, policy.data, policy.len + 1);
	sg_buf_release(&policy);
}
