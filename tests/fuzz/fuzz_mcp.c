/*
 * The Model Context Protocol.  The first byte says by which door:
 *
 *	'h'	a POST: one line "version|method|name|session" of headers, then
 *		the body
 *	else	standard input: lines, in pieces as long as that byte says
 *
 * Every reply is one JSON text without a line end that answers or notifies; a
 * POST is answered once; what is read in pieces is answered as what is read
 * at once.  The service drains, so that no script is run: each is refused.
 */

#include "cmd/mcp_line.h"
#include "fuzz/target.h"

#include <jansson.h>

enum { LINE = 1 << 16, REPLIES = 4096 };

/* What came back. */
struct seen {
	uint32_t n, last;
	uint32_t digest; /* of the ids and error codes, in order */
	bool http;
};

static struct sg_mcp *mcp;

static void
open_once(void)
{
	struct sg_service_opts o;
	struct sg_mcp_opts m = { .message_max = LINE };
	struct sg_err err;

	if (mcp)
		return;
	sg_err_clear(&err);
	sg_service_opts_init(&o);
	o.cold = true;
	o.workers = 1;
	must(sg_service_open(&o, &m.service, &err) == SG_OK);
	sg_service_drain(m.service, 0);
	must(sg_mcp_open(&m, &mcp, &err) == SG_OK);
}

static void
mix(struct seen *seen, const json_t *v)
{
	char *text = v ? json_dumps(v, JSON_ENCODE_ANY | JSON_SORT_KEYS) : NULL;

	for (const char *p = text; p && *p; p++)
		seen->digest = (seen->digest ^ (unsigned char)*p) * 16777619u;
	free(text);
}

static void
look_at(struct seen *seen, const json_t *v)
{
	const json_t *error = json_object_get(v, "error");
	const char *version = json_string_value(json_object_get(v, "jsonrpc"));

	must(json_is_object(v));
	must(version && strcmp(version, "2.0") == 0);
	if (json_object_get(v, "method")) {
		must(!json_object_get(v, "id"));
		return;
	}
	must(!json_object_get(v, "result") != !error);
	must(error || json_object_get(v, "id"));
	if (error) {
		must(json_is_integer(json_object_get(error, "code")));
		must(json_is_string(json_object_get(error, "message")));
	}
	mix(seen, json_object_get(v, "id"));
	mix(seen, json_object_get(error, "code"));
}

static void
on_reply(void *ctx, const struct sg_mcp_reply *r)
{
	struct seen *seen = ctx;
	const json_t *one;
	json_t *v;
	size_t i;

	seen->n++;
	seen->last += r->last;
	must(r->message.n > 0 || r->last);
	if (seen->http && r->last)
		must(r->message.n == 0 ? r->http == 202
				       : r->http == 200 || r->http == 400 ||
						 r->http == 404);
	if (r->message.n == 0)
		return;
	must(!memchr(r->message.p, '\n', r->message.n));
	v = json_loadb(r->message.p, r->message.n,
		       JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
	must(v != NULL);
	if (json_is_array(v)) {
		must(json_array_size(v) > 0);
		json_array_foreach(v, i, one) look_at(seen, one);
	} else {
		look_at(seen, v);
	}
	json_decref(v);
}

/* ---- the doors ---- */

/* The part before the next '|', NUL-ended; NULL when it is empty. */
static const char *
field(char **at)
{
	char *start = *at, *bar;

	if (!start)
		return NULL;
	bar = strchr(start, '|');
	if (bar)
		*bar = '\0';
	*at = bar ? bar + 1 : NULL;
	return *start ? start : NULL;
}

static void
post(const char *data, size_t size)
{
	struct seen seen = { .http = true };
	struct sg_mcp_headers h;
	struct sg_mcp_peer *peer;
	struct sg_err err;
	char line[512], *at = line;
	size_t n = sg_str_find((struct sg_str){ data, size }, '\n');
	size_t kept = n < sizeof(line) ? n : sizeof(line) - 1;

	memcpy(line, data, kept);
	line[kept] = '\0';
	h.version = field(&at);
	h.method = field(&at);
	h.name = field(&at);
	h.session = field(&at);
	n = n < size ? n + 1 : size;
	sg_err_clear(&err);
	must(sg_mcp_peer_new(mcp, &h, on_reply, &seen, &peer, &err) == SG_OK);
	sg_mcp_peer_feed(peer, (struct sg_str){ data + n, size - n });
	must(sg_mcp_peer_waiting(peer) == 0);
	sg_mcp_peer_free(peer);
	must(seen.last == 1);
}

static struct seen
talk(const char *data, size_t size, size_t piece)
{
	struct seen seen = { 0 };
	struct sg_mcp_lines lines;
	struct sg_mcp_peer *peer;
	struct sg_err err;

	sg_err_clear(&err);
	must(sg_mcp_peer_new(mcp, NULL, on_reply, &seen, &peer, &err) == SG_OK);
	sg_mcp_lines_init(&lines, peer, LINE);
	for (size_t at = 0; at < size; at += piece)
		sg_mcp_lines_take(&lines, data + at,
				  size - at < piece ? size - at : piece);
	sg_mcp_lines_end(&lines);
	must(sg_mcp_peer_waiting(peer) == 0);
	sg_mcp_peer_free(peer);
	sg_mcp_lines_release(&lines);
	return seen;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct seen once, pieces;

	open_once();
	if (size == 0)
		return 0;
	if (data[0] == 'h') {
		post(text + 1, size - 1);
		return 0;
	}
	once = talk(text + 1, size - 1, size);
	pieces = talk(text + 1, size - 1, data[0] % 16u + 1);
	must(once.n == pieces.n && once.last == pieces.last);
	must(once.digest == pieces.digest);
	return 0;
}
