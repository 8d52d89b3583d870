/*
 * What the library lets through and a server must not: where two programs on
 * the way of a request read it differently, one of them can be made to see a
 * request that the other one did not (RFC 9112, 11.2).  So whatever could be
 * read in two ways is refused, and the connection with it.
 */

#include "cmd/http.h"

struct form {
	uint32_t hosts, lengths, codings;
	bool bad_name, bad_value;
	bool chunked; /* the coding is that, alone */
};

static bool
is_token(struct sg_str s)
{
	static const char marks[] = "!#$%&'*+-.^_`|~";

	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i], low = c | 0x20;

		if (!(c >= '0' && c <= '9') && !(low >= 'a' && low <= 'z') &&
		    (c == '\0' || !strchr(marks, c)))
			return false;
	}
	return s.n > 0;
}

static bool
is_text(struct sg_str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

static bool
is(struct sg_str s, const char *word)
{
	return s.n == strlen(word) && strncasecmp(s.p, word, s.n) == 0;
}

static bool
take_field(void *ctx, struct sg_str name, struct sg_str value)
{
	struct form *f = ctx;

	f->bad_name |= !is_token(name);
	f->bad_value |= !is_text(value);
	f->hosts += is(name, "Host");
	f->lengths += is(name, "Content-Length");
	if (is(name, "Transfer-Encoding")) {
		f->codings++;
		f->chunked = f->codings == 1 && is(value, "chunked");
	}
	return true;
}

bool
sg_http_admit_form(struct sg_http_req *req)
{
	struct form f = { 0 };

	sg_http_each(req, take_field, &f);
	if (f.bad_name)
		sg_http_problem(req, 400, "bad-header",
				"the name of a field is not one");
	else if (f.bad_value)
		sg_http_problem(req, 400, "bad-header",
				"a field has a control character");
	else if (f.hosts > 1 || (f.hosts == 0 && !req->hostless))
		sg_http_problem(req, 400, "bad-host", "there %s",
				f.hosts ? "are two hosts"
					: "is no field 'Host'");
	else if (f.lengths > 1 || (f.lengths && f.codings))
		sg_http_problem(req, 400, "bad-length",
				"the length is said twice");
	else if (f.codings && !f.chunked)
		sg_http_problem(req, 501, "bad-coding",
				"of transfer codings only 'chunked' is known");
	req->reply.close = req->reply.status != 0;
	return !req->reply.close;
}
