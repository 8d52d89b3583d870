#include "cmd/mcp_core.h"

#include "base/utf8.h"
#include "pipeline/model.h"

#include <strings.h>

enum { RETURN_MAX = 8 << 20 }; /* bytes of files that are sent along */

/* ---- text ---- */

static void
put_repeated(const struct sg_mcp_call *call, const struct sg_run *run,
	     struct sg_buf *out)
{
	uint32_t times;

	if (run->result.status != SG_RUN_REJECTED || !run->check.judged)
		return;
	times = sg_mcp_rejected(call->mcp, &run->check.verdict);
	if (times > 1)
		sg_buf_printf(out,
			      "\nThis same code was rejected %u times now, and "
			      "will be again: change the lines that the "
			      "findings name.\n",
			      times);
}

/* Models take it for a session, where what one call made is there for the
 * next. */
static void
put_forgotten(const struct sg_run *run, struct sg_buf *out)
{
	static const struct {
		const char *error, *what;
	} rows[] = {
		{ "NameError", "what an earlier call defined or imported" },
		{ "FileNotFoundError", "what an earlier call wrote" },
	};
	const struct sg_result *r = &run->result;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (r->error.is_set &&
		    sg_str_eq(r->error.name, sg_str_c(rows[i].error)))
			sg_buf_printf(out,
				      "\nnote: each call is a new process in "
				      "an empty folder; %s is gone.\n",
				      rows[i].what);
	}
}

static void
put_text(const struct sg_mcp_call *call, const struct sg_run *run,
	 struct sg_json *j)
{
	const struct sg_model_opts opts = { .check = call->check };
	struct sg_buf b;

	sg_buf_init(&b, 1 << 20);
	sg_model_text(run, &opts, &b);
	put_repeated(call, run, &b);
	put_forgotten(run, &b);
	sg_mcp_put_text(j, sg_buf_view(&b));
	sg_buf_release(&b);
}

/* ---- images and files ---- */

static void
put_images(const struct sg_result *r, struct sg_json *j)
{
	for (uint32_t i = 0; i < r->nimages; i++) {
		sg_json_object(j);
		sg_json_kc(j, "type", "image");
		sg_json_key(j, "data");
		sg_json_base64(j, r->images[i].png);
		sg_json_kc(j, "mimeType", "image/png");
		sg_json_end(j);
	}
}

static bool
ends_in(struct sg_str name, const char *suffix)
{
	size_t n = strlen(suffix);

	return name.n > n && strncasecmp(name.p + name.n - n, suffix, n) == 0;
}

static const char *
mime_of(struct sg_str name, bool text)
{
	static const struct {
		const char *suffix, *mime;
	} rows[] = {
		{ ".csv", "text/csv" },        { ".json", "application/json" },
		{ ".txt", "text/plain" },      { ".md", "text/markdown" },
		{ ".html", "text/html" },      { ".png", "image/png" },
		{ ".jpg", "image/jpeg" },      { ".jpeg", "image/jpeg" },
		{ ".svg", "image/svg+xml" },   { ".pdf", "application/pdf" },
		{ ".xml", "application/xml" }, { ".zip", "application/zip" },
		{ ".py", "text/x-python" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (ends_in(name, rows[i].suffix))
			return rows[i].mime;
	}
	return text ? "text/plain" : "application/octet-stream";
}

/* A name as part of a URI. */
static void
put_escaped(struct sg_str name, struct sg_buf *out)
{
	for (size_t i = 0; i < name.n; i++) {
		unsigned char c = (unsigned char)name.p[i];
		bool plain = (c >= '0' && c <= '9') ||
			     ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
			     (c != '\0' && strchr("/-_.~", c));

		if (plain)
			sg_buf_char(out, (char)c);
		else
			sg_buf_printf(out, "%%%02X", c);
	}
}

static void
put_file(const struct sg_run *run, const struct sg_out_file *file,
	 struct sg_json *j)
{
	bool text = sg_utf8_check(file->data) == file->data.n &&
		    !memchr(file->data.n ? file->data.p : "", '\0',
			    file->data.n);
	struct sg_buf uri;

	sg_buf_init(&uri, 8192);
	sg_buf_printf(&uri, "sandgate://%s/", run->id);
	put_escaped(file->name, &uri);
	sg_json_object(j);
	sg_json_kc(j, "type", "resource");
	sg_json_key(j, "resource");
	sg_json_object(j);
	sg_json_kstr(j, "uri", sg_buf_view(&uri));
	sg_json_kc(j, "mimeType", mime_of(file->name, text));
	sg_json_key(j, text ? "text" : "blob");
	if (text)
		sg_json_str(j, file->data);
	else
		sg_json_base64(j, file->data);
	sg_json_end(j);
	sg_json_end(j);
	sg_buf_release(&uri);
}

static void
put_files(const struct sg_run *run, struct sg_json *j)
{
	const struct sg_result *r = &run->result;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < r->nfiles; i++) {
		bytes += r->files[i].data.n;
		if (bytes > RETURN_MAX) {
			sg_mcp_put_text(j, SG_STR("Files beyond 8 MiB in all "
						  "are not sent along."));
			return;
		}
		put_file(run, &r->files[i], j);
	}
}

/* ---- the result ---- */

/* Whether the model must do something else, rather than read the output. */
static bool
is_error(const struct sg_mcp_call *call, enum sg_run_status status)
{
	if (status == SG_RUN_OK || status == SG_RUN_ERROR)
		return false;
	return !(call->check && status == SG_RUN_REJECTED);
}

void
sg_mcp_put_run(const struct sg_mcp_call *call, const struct sg_run *run,
	       const struct sg_report_opts *report)
{
	struct sg_report_opts list = *report;
	struct sg_mcp_answer a;
	struct sg_buf b;
	struct sg_err err;

	list.data = SG_REPORT_LIST;
	sg_err_clear(&err);
	sg_buf_init(&b, SG_MCP_ANSWER);
	sg_mcp_answer_begin(&call->origin, &a);
	sg_json_key(&a.j, "content");
	sg_json_array(&a.j);
	put_text(call, run, &a.j);
	put_images(&run->result, &a.j);
	if (call->return_files)
		put_files(run, &a.j);
	sg_json_end(&a.j);
	if (!call->origin.plain &&
	    sg_report_run(run, &list, &b, &err) == SG_OK) {
		sg_json_key(&a.j, "structuredContent");
		sg_json_raw(&a.j, sg_buf_view(&b));
	}
	sg_json_kbool(&a.j, "isError", is_error(call, run->result.status));
	sg_mcp_answer_end(&a);
	sg_buf_release(&b);
}
