#include "pipeline/event.h"

#include "base/utf8.h"
#include "pipeline/render.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <unistd.h>

/* A JSON string of `s`, cut at SG_EVENT_TEXT bytes, invalid bytes replaced. */
static json_t *
text(struct sg_str s)
{
	char out[3 * SG_EVENT_TEXT + 8];
	size_t n = 0, at = 0;
	struct sg_str cut = sg_str_slice(s, 0, sg_utf8_floor(s, SG_EVENT_TEXT));

	while (at < cut.n) {
		uint32_t cp, len = sg_utf8_decode(cut, at, &cp);

		if (len && cp)
			memcpy(out + n, cut.p + at, len);
		else
			memcpy(out + n, "\xef\xbf\xbd", 3);
		n += len && cp ? len : 3;
		at += len ? len : 1;
	}
	return json_stringn(out, n);
}

static json_t *
digest(const struct sg_digest *d)
{
	char hex[SG_DIGEST_HEX];

	sg_digest_hex(d, hex);
	return json_string(hex);
}

static json_t *
finding(const struct sg_finding *f)
{
	return json_pack("{s:s, s:I, s:I, s:o, s:o, s:s}", "action",
			 sg_decision_name(f->action), "column",
			 (json_int_t)f->begin.column, "line",
			 (json_int_t)f->begin.line, "message", text(f->message),
			 "rule", text(f->rule), "severity",
			 sg_severity_name(f->severity));
}

static json_t *
findings(const struct sg_verdict *v)
{
	json_t *list = json_array();

	for (uint32_t i = 0; list && i < v->nfindings && i < SG_EVENT_FINDINGS;
	     i++) {
		if (json_array_append_new(list, finding(&v->findings[i])) < 0) {
			json_decref(list);
			list = NULL;
		}
	}
	return list;
}

static json_t *
capabilities(const struct sg_verdict *v)
{
	json_t *list = json_array();

	for (uint32_t i = 0; list && i < v->ncapabilities; i++) {
		if (json_array_append_new(list, text(v->capabilities[i].name)) <
		    0) {
			json_decref(list);
			list = NULL;
		}
	}
	return list;
}

struct json_t *
sg_event_verdict(const struct sg_run *run, const char *path, const char *action)
{
	const struct sg_check *c = &run->check;
	const struct sg_verdict *v = &c->verdict;

	return json_pack(
		"{s:s, s:s, s:o, s:s, s:b, s:b, s:o, s:I,"
		" s:{s:o, s:o}, s:s, s:I,"
		" s:{s:I, s:o, s:o, s:o}, s:{s:s, s:s}}",
		"action", action, "decision", sg_decision_name(v->decision),
		"capabilities", capabilities(v), "event", "verdict", "enforced",
		run->gated, "judged", c->judged, "findings", findings(v),
		"findings_total",
		(json_int_t)v->nfindings + (json_int_t)v->nsuppressed, "policy",
		"name", text(v->policy), "sha256", digest(&v->policy_digest),
		"run", run->id, "user", (json_int_t)getuid(), "source", "bytes",
		(json_int_t)c->bytes, "canonical_sha256", digest(&v->canonical),
		"path", path ? text(sg_str_c(path)) : json_null(), "sha256",
		digest(&v->submitted), "version", "analyzer",
		sg_analyzer_versions(), "sandgate", SG_VERSION);
}

static json_t *
denied(const struct sg_result *r)
{
	json_t *list = json_array();

	for (uint32_t i = 0; list && i < r->ndenied && i < SG_EVENT_DENIED;
	     i++) {
		json_t *one = json_pack("{s:I, s:o}", "count",
					(json_int_t)r->denied[i].count, "name",
					text(r->denied[i].name));

		if (json_array_append_new(list, one) < 0) {
			json_decref(list);
			list = NULL;
		}
	}
	return list;
}

static json_t *
layers(const struct sg_result *r)
{
	json_t *list = json_array();

	for (uint32_t i = 0; list && i < r->nlayers; i++) {
		if (r->layers[i].state == SG_LAYER_ACTIVE &&
		    json_array_append_new(list,
					  json_string(r->layers[i].name)) < 0) {
			json_decref(list);
			list = NULL;
		}
	}
	return list;
}

struct json_t *
sg_event_outcome(const struct sg_run *run)
{
	const struct sg_result *r = &run->result;

	return json_pack(
		"{s:o, s:s, s:b, s:I, s:I, s:I, s:o, s:o, s:s, s:I, s:s,"
		" s:{s:I, s:I}, s:{s:I, s:I, s:I}}",
		"denied", denied(r), "event", "outcome", "executed",
		r->executed, "exit_code", (json_int_t)r->exit_code, "files",
		(json_int_t)r->nfiles, "images", (json_int_t)r->nimages,
		"isolation", layers(r), "message",
		run->failure.status ? text(sg_str_c(run->failure.msg))
				    : text(r->message),
		"run", run->id, "signal", (json_int_t)r->signal, "status",
		sg_run_status_name(r->status), "output", "stderr_bytes",
		(json_int_t)r->err.total, "stdout_bytes",
		(json_int_t)r->out.total, "usage", "cpu_us",
		(json_int_t)r->usage.cpu_us, "peak_memory",
		(json_int_t)r->usage.peak_memory, "wall_us",
		(json_int_t)r->usage.wall_us);
}

/* ---- reading ---- */

static const char *
member(const json_t *record, const char *key)
{
	const char *text = json_string_value(json_object_get(record, key));

	return text ? text : "";
}

static void
add_word(const char *label, const char *text, struct sg_buf *out)
{
	if (!text[0])
		return;
	sg_buf_c(out, label);
	sg_render_safe(sg_str_c(text), out);
}

const char *
sg_event_run(const struct sg_record *rec)
{
	return member(rec->json, "run");
}

bool
sg_event_begins_run(const struct sg_record *rec)
{
	return strcmp(rec->event, "verdict") == 0 &&
	       strcmp(member(rec->json, "action"), "run") == 0;
}

void
sg_event_render(const struct sg_record *rec, struct sg_buf *out)
{
	const json_t *v = rec->json;
	const json_t *found = json_object_get(v, "findings");
	const char *event = rec->event;

	sg_buf_printf(out, "%6" PRIu64 "  %s  %-8s", rec->self.sequence,
		      member(v, "time_dt"), event);
	add_word(" ", member(v, "run"), out);
	add_word(" ", member(v, "decision"), out);
	add_word(" action=", member(v, "action"), out);
	add_word(" status=", member(v, "status"), out);
	if (strcmp(event, "verdict") == 0 &&
	    json_is_false(json_object_get(v, "enforced")))
		sg_buf_c(out, " NOT-ENFORCED");
	add_word(" ", member(json_object_get(v, "source"), "path"), out);
	for (size_t i = 0; i < json_array_size(found) && i < 5; i++)
		add_word(i ? "," : " [",
			 member(json_array_get(found, i), "rule"), out);
	if (json_array_size(found) > 0)
		sg_buf_c(out, json_array_size(found) > 5 ? ",...]" : "]");
	add_word(" from=", member(v, "from"), out);
	add_word(" ", member(v, "message"), out);
}
