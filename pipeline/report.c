#include "pipeline/report.h"

/* ---- verdict ---- */

static void
key_digest(struct sg_json *j, const char *key, const struct sg_digest *d)
{
	char hex[SG_DIGEST_HEX];

	sg_digest_hex(d, hex);
	sg_json_kc(j, key, hex);
}

/* A member that is null where there is nothing to say. */
static void
key_text(struct sg_json *j, const char *key, struct sg_str s)
{
	sg_json_key(j, key);
	if (s.n)
		sg_json_str(j, s);
	else
		sg_json_null(j);
}

static void
write_finding(struct sg_json *j, const struct sg_finding *f)
{
	sg_json_object(j);
	sg_json_kstr(j, "rule", f->rule);
	sg_json_kstr(j, "title", f->title);
	sg_json_kc(j, "severity", sg_severity_name(f->severity));
	sg_json_kc(j, "action", sg_decision_name(f->action));
	sg_json_kstr(j, "message", f->message);
	key_text(j, "hint", f->hint);
	sg_json_kuint(j, "line", f->begin.line);
	sg_json_kuint(j, "column", f->begin.column);
	sg_json_kuint(j, "end_line", f->end.line);
	sg_json_kuint(j, "end_column", f->end.column);
	key_text(j, "name", f->name);
	key_text(j, "chain", f->chain);
	key_text(j, "snippet", f->snippet);
	sg_json_key(j, "cwe");
	sg_json_array(j);
	for (uint32_t i = 0; i < f->ncwe; i++)
		sg_json_str(j, f->cwe[i]);
	sg_json_end(j);
	sg_json_end(j);
}

static void
write_capabilities(struct sg_json *j, const struct sg_verdict *v)
{
	sg_json_key(j, "capabilities");
	sg_json_array(j);
	for (uint32_t i = 0; i < v->ncapabilities; i++) {
		const struct sg_capability_use *use = &v->capabilities[i];

		sg_json_object(j);
		sg_json_kstr(j, "name", use->name);
		sg_json_key(j, "lines");
		sg_json_array(j);
		for (uint32_t k = 0; k < use->nlines; k++)
			sg_json_uint(j, use->lines[k]);
		sg_json_end(j);
		sg_json_end(j);
	}
	sg_json_end(j);
}

static void
write_unresolved(struct sg_json *j, const struct sg_verdict *v)
{
	sg_json_key(j, "unresolved");
	sg_json_object(j);
	for (uint32_t i = SG_DYNAMIC_NONE + 1; i < SG_DYNAMIC_COUNT; i++) {
		if (v->dynamic[i])
			sg_json_kuint(j, sg_dynamic_name((enum sg_dynamic)i),
				      v->dynamic[i]);
	}
	sg_json_end(j);
}

void
sg_report_verdict(struct sg_json *j, const struct sg_check *check)
{
	const struct sg_verdict *v = &check->verdict;

	sg_json_kc(j, "decision", sg_decision_name(v->decision));
	sg_json_kstr(j, "policy", v->policy);
	key_digest(j, "policy_sha256", &v->policy_digest);
	sg_json_kbool(j, "judged", check->judged);
	sg_json_key(j, "findings");
	sg_json_array(j);
	for (uint32_t i = 0; i < v->nfindings; i++)
		write_finding(j, &v->findings[i]);
	sg_json_end(j);
	sg_json_kuint(j, "findings_left_out", v->nsuppressed);
	write_capabilities(j, v);
	write_unresolved(j, v);
	key_digest(j, "source_sha256", &v->submitted);
	key_digest(j, "canonical_sha256", &v->canonical);
}

/* ---- result ---- */

static void
write_stream(struct sg_json *j, const char *key, const struct sg_stream *s)
{
	sg_json_key(j, key);
	sg_json_object(j);
	sg_json_kuint(j, "bytes_total", s->total);
	sg_json_kbool(j, "truncated", s->truncated);
	sg_json_kuint(j, "replaced", s->replaced);
	sg_json_end(j);
}

static void
write_value(struct sg_json *j, const struct sg_result *r)
{
	sg_json_key(j, "result");
	if (!r->value.is_set) {
		sg_json_null(j);
		return;
	}
	sg_json_object(j);
	sg_json_kstr(j, "repr", r->value.repr);
	sg_json_kstr(j, "type", r->value.type);
	sg_json_kbool(j, "truncated", r->value.truncated);
	sg_json_end(j);
}

static void
write_error(struct sg_json *j, const struct sg_result *r)
{
	sg_json_key(j, "error");
	if (!r->error.is_set) {
		sg_json_null(j);
		return;
	}
	sg_json_object(j);
	sg_json_kstr(j, "name", r->error.name);
	sg_json_kstr(j, "value", r->error.value);
	sg_json_key(j, "line");
	if (r->error.line)
		sg_json_uint(j, r->error.line);
	else
		sg_json_null(j);
	sg_json_kstr(j, "traceback", r->error.traceback);
	sg_json_end(j);
}

/* "data" or "path", whichever the caller wants. */
static void
write_content(struct sg_json *j, const struct sg_report_opts *o,
	      const char *const *paths, uint32_t i, struct sg_str data)
{
	if (o->data == SG_REPORT_INLINE) {
		sg_json_key(j, "data");
		sg_json_base64(j, data);
	} else if (o->data == SG_REPORT_PATHS && paths) {
		sg_json_kc(j, "path", paths[i]);
	}
}

static void
write_images(struct sg_json *j, const struct sg_result *r,
	     const struct sg_report_opts *o)
{
	sg_json_key(j, "images");
	sg_json_array(j);
	for (uint32_t i = 0; i < r->nimages; i++) {
		const struct sg_image *image = &r->images[i];

		sg_json_object(j);
		sg_json_kc(j, "mime", "image/png");
		sg_json_kuint(j, "width", image->width);
		sg_json_kuint(j, "height", image->height);
		sg_json_kuint(j, "bytes", image->png.n);
		write_content(j, o, o->image_paths, i, image->png);
		sg_json_end(j);
	}
	sg_json_end(j);
	sg_json_kuint(j, "images_left_out", r->images_dropped);
}

static void
write_files(struct sg_json *j, const struct sg_result *r,
	    const struct sg_report_opts *o)
{
	sg_json_key(j, "files");
	sg_json_array(j);
	for (uint32_t i = 0; i < r->nfiles; i++) {
		const struct sg_out_file *file = &r->files[i];

		sg_json_object(j);
		sg_json_kstr(j, "name", file->name);
		sg_json_kuint(j, "bytes", file->data.n);
		sg_json_kstr(j, "sha256", file->sha256);
		write_content(j, o, o->file_paths, i, file->data);
		sg_json_end(j);
	}
	sg_json_end(j);
	sg_json_kuint(j, "files_left_out", r->files_dropped);
}

static const char *
layer_state(enum sg_layer_state state)
{
	static const char *const names[] = {
		[SG_LAYER_OFF] = "off",
		[SG_LAYER_ACTIVE] = "active",
		[SG_LAYER_UNAVAILABLE] = "unavailable",
	};

	return names[state];
}

static void
write_layers(struct sg_json *j, const struct sg_result *r)
{
	sg_json_key(j, "layers");
	sg_json_array(j);
	for (uint32_t i = 0; i < r->nlayers; i++) {
		sg_json_object(j);
		sg_json_kc(j, "name", r->layers[i].name);
		sg_json_kc(j, "state", layer_state(r->layers[i].state));
		key_text(j, "detail", r->layers[i].detail);
		sg_json_end(j);
	}
	sg_json_end(j);
	sg_json_key(j, "denied");
	sg_json_array(j);
	for (uint32_t i = 0; i < r->ndenied; i++) {
		sg_json_object(j);
		sg_json_kstr(j, "name", r->denied[i].name);
		sg_json_kuint(j, "count", r->denied[i].count);
		sg_json_end(j);
	}
	sg_json_end(j);
}

/* All of them, in the order in which the commands have them as options. */
static void
write_limits(struct sg_json *j, const struct sg_box_limits *l)
{
	const struct {
		const char *key;
		uint64_t value;
	} rows[] = {
		{ "wall_ms", l->wall_ms },
		{ "cpu_ms", l->cpu_ms },
		{ "memory_bytes", l->memory },
		{ "threads", l->threads },
		{ "processes", l->processes },
		{ "workspace_bytes", l->workspace },
		{ "inodes", l->inodes },
		{ "file_size_bytes",
		  l->file_size ? l->file_size : l->workspace },
		{ "open_files", l->open_files },
		{ "output_bytes", l->output },
		{ "output_total_bytes", l->output_total },
		{ "result_bytes", l->result },
		{ "images", l->images },
		{ "image_bytes", l->image_bytes },
		{ "files_out", l->files },
		{ "files_out_bytes", l->file_bytes },
		{ "collect_ms", l->collect_ms },
	};

	sg_json_key(j, "limits");
	sg_json_object(j);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		sg_json_kuint(j, rows[i].key, rows[i].value);
	sg_json_end(j);
}

static void
write_usage(struct sg_json *j, const struct sg_run *run)
{
	const struct sg_result *r = &run->result;

	sg_json_key(j, "usage");
	sg_json_object(j);
	sg_json_kuint(j, "wall_us", r->usage.wall_us);
	sg_json_kuint(j, "cpu_us", r->usage.cpu_us);
	sg_json_kuint(j, "setup_us", r->usage.setup_us);
	sg_json_kuint(j, "gate_us", run->check.took_us);
	sg_json_kuint(j, "peak_memory_bytes", r->usage.peak_memory);
	sg_json_end(j);
	write_limits(j, &run->limits);
}

/* What only a program that was started has. */
static void
write_executed(struct sg_json *j, const struct sg_run *run,
	       const struct sg_report_opts *o)
{
	const struct sg_result *r = &run->result;

	sg_json_key(j, "exit_code");
	if (r->exit_code >= 0)
		sg_json_int(j, r->exit_code);
	else
		sg_json_null(j);
	sg_json_key(j, "signal");
	if (r->signal > 0)
		sg_json_int(j, r->signal);
	else
		sg_json_null(j);
	sg_json_kstr(j, "stdout", r->out.text);
	sg_json_kstr(j, "stderr", r->err.text);
	sg_json_key(j, "streams");
	sg_json_object(j);
	write_stream(j, "stdout", &r->out);
	write_stream(j, "stderr", &r->err);
	sg_json_end(j);
	write_value(j, r);
	write_error(j, r);
	write_images(j, r, o);
	write_files(j, r, o);
	write_usage(j, run);
	write_layers(j, r);
}

/* ---- document ---- */

static void
write_link(struct sg_json *j, const char *key, const struct sg_link *link)
{
	sg_json_key(j, key);
	if (link->sequence == 0) {
		sg_json_null(j);
		return;
	}
	sg_json_object(j);
	sg_json_kuint(j, "sequence", link->sequence);
	sg_json_kc(j, "uid", link->uid);
	sg_json_kc(j, "fingerprint", link->fingerprint);
	sg_json_end(j);
}

static void
write_audit(struct sg_json *j, const struct sg_run *run,
	    const struct sg_report_opts *o)
{
	sg_json_key(j, "audit");
	if (!o->audit) {
		sg_json_null(j);
		return;
	}
	sg_json_object(j);
	sg_json_kc(j, "log", o->audit);
	write_link(j, "verdict", &run->verdict_record);
	write_link(j, "outcome", &run->outcome_record);
	sg_json_end(j);
}

static void
write_versions(struct sg_json *j, const struct sg_report_opts *o)
{
	sg_json_key(j, "versions");
	sg_json_object(j);
	sg_json_kc(j, "sandgate", SG_VERSION);
	sg_json_kc(j, "analyzer", sg_analyzer_versions());
	key_text(j, "python", o->python);
	sg_json_end(j);
}

/* Whether the same text may end otherwise when it is sent again. */
static bool
is_retryable(enum sg_run_status status, bool executed)
{
	return status == SG_RUN_OVERLOADED || status == SG_RUN_CANCELLED ||
	       status == SG_RUN_INTERNAL ||
	       (status == SG_RUN_TIMEOUT && !executed);
}

static int
finish(const struct sg_json *j, const struct sg_buf *out, struct sg_err *err)
{
	if (sg_buf_failed(out))
		return sg_err_set(err, SG_ENOMEM, "the result is too large");
	if (!sg_json_done(j))
		return sg_err_set(err, SG_EINTERNAL,
				  "the result could not be written");
	return SG_OK;
}

static void
write_opening(struct sg_json *j, const char *id, const char *file,
	      enum sg_run_status status, bool executed)
{
	sg_json_object(j);
	sg_json_kc(j, "schema", SG_REPORT_SCHEMA);
	sg_json_kc(j, "id", id);
	sg_json_kc(j, "file", file);
	sg_json_kc(j, "status", sg_run_status_name(status));
	sg_json_kbool(j, "executed", executed);
	sg_json_kbool(j, "retryable", is_retryable(status, executed));
}

int
sg_report_run(const struct sg_run *run, const struct sg_report_opts *opts,
	      struct sg_buf *out, struct sg_err *err)
{
	const struct sg_result *r = &run->result;
	struct sg_json j;

	sg_json_init(&j, out);
	write_opening(&j, run->id, opts->file, r->status, r->executed);
	sg_json_kbool(&j, "enforced", run->gated);
	sg_json_key(&j, "verdict");
	if (run->checked) {
		sg_json_object(&j);
		sg_report_verdict(&j, &run->check);
		sg_json_end(&j);
	} else {
		sg_json_null(&j);
	}
	if (r->executed)
		write_executed(&j, run, opts);
	key_text(&j, "hint", r->hint);
	key_text(&j, "message",
		 run->failure.status ? sg_str_c(run->failure.msg) : r->message);
	write_audit(&j, run, opts);
	write_versions(&j, opts);
	sg_json_end(&j);
	return finish(&j, out, err);
}

int
sg_report_failure(const struct sg_err *failure,
		  const struct sg_report_opts *opts, struct sg_buf *out,
		  struct sg_err *err)
{
	char line[SG_ERR_FILE + SG_ERR_MSG + SG_ERR_CODE + 64], id[SG_UID];
	bool theirs = failure->status != SG_EINTERNAL &&
		      failure->status != SG_ENOMEM;
	struct sg_json j;

	sg_uid_make("run_", id);
	sg_json_init(&j, out);
	write_opening(&j, id, opts->file,
		      theirs ? SG_RUN_INVALID : SG_RUN_INTERNAL, false);
	sg_json_kbool(&j, "enforced", true);
	sg_json_key(&j, "verdict");
	sg_json_null(&j);
	sg_json_key(&j, "hint");
	sg_json_null(&j);
	sg_json_kc(&j, "message", sg_err_format(failure, line, sizeof(line)));
	sg_json_key(&j, "audit");
	sg_json_null(&j);
	write_versions(&j, opts);
	sg_json_end(&j);
	return finish(&j, out, err);
}
