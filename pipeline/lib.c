/*
 * The public interface (include/sandgate.h) on top of sg_run().
 *
 * Options and requests may come from a caller that was compiled against an
 * older header: only as many bytes are taken as the caller says there are,
 * the rest keeps its default.
 */

#include "sandgate.h"

#include "pipeline/report.h"

#include <stdio.h>
#include <stdlib.h>

struct sg_lib {
	struct sg_policy *policy;
	struct sg_gate *gate;
	struct sg_audit *audit;
	char *python;
	struct sg_str version;
	struct sg_arena arena; /* holds `version` */
	enum sg_box_require require;
};

/* ---- errors ---- */

static int
lib_status(enum sg_status status)
{
	switch (status) {
	case SG_OK:
		return SG_LIB_OK;
	case SG_ENOMEM:
	case SG_ELIMIT:
		return SG_LIB_NO_MEMORY;
	case SG_EIO:
		return SG_LIB_IO;
	case SG_EUSAGE:
		return SG_LIB_USAGE;
	case SG_EPARSE:
	case SG_EPOLICY:
		return SG_LIB_POLICY;
	case SG_EBOX:
		return SG_LIB_BOX;
	case SG_EAUDIT:
	case SG_EBROKEN:
		return SG_LIB_AUDIT;
	case SG_ENOENT:
		return SG_LIB_NO_PYTHON;
	case SG_EINTERNAL:
		break;
	}
	return SG_LIB_INTERNAL;
}

static int
give_error(const struct sg_err *err, int status, struct sg_lib_error *error)
{
	if (!error)
		return status;
	error->status = status;
	error->system_errno = err->sys;
	(void)sg_err_format(err, error->message, sizeof(error->message));
	return status;
}

static int
usage(const char *message, struct sg_lib_error *error)
{
	struct sg_err err;

	sg_err_clear(&err);
	(void)sg_err_set(&err, SG_EUSAGE, "%s", message);
	return give_error(&err, SG_LIB_USAGE, error);
}

/* ---- handle ---- */

static int
open_gate(struct sg_lib *lib, struct sg_err *err)
{
	struct sg_str path;
	struct sg_err none;
	uint32_t minor = 0;

	/* Without an interpreter scripts can still be judged. */
	sg_err_clear(&none);
	if (sg_box_python(lib->python, &lib->arena, &path, &lib->version,
			  &minor, &none) < 0 ||
	    minor < 9 || minor > 14)
		minor = 0;
	return sg_gate_new(lib->policy, minor, &lib->gate, err);
}

static int
fill(struct sg_lib *lib, const struct sg_lib_options *o,
     struct sg_lib_error *error)
{
	const struct sg_audit_opts audit = { .path = o->audit,
					     .max_bytes = o->audit_max };
	struct sg_err err;
	int status;

	sg_err_clear(&err);
	if (sg_policy_open(o->policy ? o->policy : "default", &lib->policy,
			   &err) < 0)
		return give_error(&err, SG_LIB_POLICY, error);
	if (o->python && !(lib->python = strdup(o->python)))
		return give_error(&err, SG_LIB_NO_MEMORY, error);
	lib->require = SG_REQUIRE_STANDARD;
	status = sg_run_require(o->require, &lib->require, &err);
	if (status == SG_OK)
		status = open_gate(lib, &err);
	if (status == SG_OK && o->audit)
		status = sg_audit_open(&audit, &lib->audit, &err);
	if (status < 0)
		return give_error(&err, lib_status((enum sg_status)status),
				  error);
	return SG_LIB_OK;
}

int
sg_lib_open(const struct sg_lib_options *options, struct sg_lib **lib,
	    struct sg_lib_error *error)
{
	struct sg_lib_options o = SG_LIB_OPTIONS_INIT;
	struct sg_lib *l;
	int status;

	if (options &&
	    (options->size < sizeof(size_t) || options->size > sizeof(o)))
		return usage("the options are of another version", error);
	if (options)
		memcpy(&o, options, options->size);
	l = calloc(1, sizeof(*l));
	if (!l)
		return usage("no memory", error);
	sg_arena_init(&l->arena, 1 << 20);
	status = fill(l, &o, error);
	if (status != SG_LIB_OK) {
		sg_lib_free(l);
		return status;
	}
	*lib = l;
	return SG_LIB_OK;
}

void
sg_lib_free(struct sg_lib *lib)
{
	if (!lib)
		return;
	sg_audit_free(lib->audit);
	sg_gate_free(lib->gate);
	sg_policy_free(lib->policy);
	sg_arena_release(&lib->arena);
	free(lib->python);
	free(lib);
}

/* ---- requests ---- */

static int
take_request(const struct sg_lib_request *given, struct sg_lib_request *ret,
	     struct sg_lib_text *result, struct sg_lib_error *error)
{
	static const struct sg_lib_request init = SG_LIB_REQUEST_INIT;

	*result = (struct sg_lib_text){ 0 };
	*ret = init;
	if (!given || given->size < sizeof(size_t) ||
	    given->size > sizeof(*ret))
		return usage("the request is of another version", error);
	memcpy(ret, given, given->size);
	if (!ret->code && ret->code_size)
		return usage("the request has no code", error);
	return SG_LIB_OK;
}

/* Hands over the JSON of a run; `b` is empty afterwards. */
static int
give_result(const struct sg_lib *lib, const struct sg_run *run,
	    const struct sg_lib_request *r, enum sg_report_data data,
	    struct sg_lib_text *result, struct sg_lib_error *error)
{
	const struct sg_report_opts opts = {
		.file = r->name,
		.data = data,
		.python = lib->version,
		.audit = lib->audit ? sg_audit_path(lib->audit) : NULL,
	};
	struct sg_buf b;
	struct sg_err err;
	int status;

	sg_err_clear(&err);
	sg_buf_init(&b, SG_RESULT_MAX);
	status = sg_report_run(run, &opts, &b, &err);
	if (status < 0) {
		sg_buf_release(&b);
		return give_error(&err, lib_status((enum sg_status)status),
				  error);
	}
	result->data = b.data;
	result->size = b.len;
	return SG_LIB_OK;
}

int
sg_lib_check(struct sg_lib *lib, const struct sg_lib_request *request,
	     struct sg_lib_text *result, struct sg_lib_error *error)
{
	struct sg_run_spec spec = { .audit = lib->audit };
	struct sg_lib_request r;
	struct sg_run run;
	int status = take_request(request, &r, result, error);

	if (status != SG_LIB_OK)
		return status;
	spec.code = (struct sg_str){ r.code, r.code_size };
	spec.path = r.name;
	status = sg_run_check(lib->gate, &spec, &run);
	if (status < 0)
		return give_error(&run.failure,
				  lib_status((enum sg_status)status), error);
	return give_result(lib, &run, &r, SG_REPORT_LIST, result, error);
}

static struct sg_box_input *
copy_files(const struct sg_lib_request *r)
{
	struct sg_box_input *files = calloc(r->nfiles + 1, sizeof(*files));

	for (size_t i = 0; files && i < r->nfiles; i++)
		files[i] = (struct sg_box_input){
			sg_str_c(r->files[i].name),
			{ r->files[i].data, r->files[i].data_size },
		};
	return files;
}

static void
set_box(const struct sg_lib *lib, const struct sg_lib_request *r,
	struct sg_box_spec *box)
{
	sg_box_spec_init(box);
	box->python = lib->python;
	if (r->name)
		box->script = sg_str_c(r->name);
	box->argv = r->arguments;
	box->has_input = r->input != NULL;
	box->input = (struct sg_str){ r->input, r->input_size };
	box->nfiles = (uint32_t)r->nfiles;
	box->collect = true;
	box->require = lib->require;
	box->cancel_fd = r->cancel_fd;
	if (r->timeout_ms)
		box->limits.wall_ms = r->timeout_ms;
	if (r->timeout_ms > box->limits.cpu_ms)
		box->limits.cpu_ms = r->timeout_ms;
	if (r->memory)
		box->limits.memory = r->memory;
}

int
sg_lib_run(struct sg_lib *lib, const struct sg_lib_request *request,
	   struct sg_lib_text *result, struct sg_lib_error *error)
{
	struct sg_run_spec spec = { .audit = lib->audit };
	struct sg_box_input *files;
	struct sg_lib_request r;
	struct sg_arena arena;
	struct sg_run run;
	int status = take_request(request, &r, result, error);

	if (status != SG_LIB_OK)
		return status;
	if (r.nfiles > UINT32_MAX || (r.nfiles && !r.files) ||
	    !(files = copy_files(&r)))
		return usage("the request's files make no sense", error);
	set_box(lib, &r, &spec.box);
	spec.box.files = files;
	spec.code = (struct sg_str){ r.code, r.code_size };
	spec.path = r.name;
	sg_arena_init(&arena, sg_run_arena_size(&spec.box.limits));
	status = sg_run(lib->gate, &spec, &arena, &run);
	if (status < 0)
		status = give_error(&run.failure,
				    lib_status((enum sg_status)status), error);
	else
		status = give_result(lib, &run, &r, SG_REPORT_INLINE, result,
				     error);
	sg_arena_release(&arena);
	free(files);
	return status;
}

void
sg_lib_text_free(struct sg_lib_text *text)
{
	free(text->data);
	*text = (struct sg_lib_text){ 0 };
}

const char *
sg_lib_version(void)
{
	return SG_VERSION;
}
