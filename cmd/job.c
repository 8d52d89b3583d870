#include "cmd/job.h"

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>

/* "3.9" to "3.14" (a third number is ignored) to its minor. */
static int
parse_version(const char *text, uint32_t *ret, struct sg_err *err)
{
	unsigned minor = 0;
	char after = '\0';
	int n = sscanf(text, "3.%2u%c", &minor, &after);

	if (n < 1 || (n == 2 && after != '.') || minor < 9 || minor > 14)
		return sg_err_set(err, SG_EUSAGE,
				  "'%.32s' is not a version of Python that is "
				  "known: 3.9 to 3.14",
				  text);
	*ret = minor;
	return SG_OK;
}

static int
find_python(const struct sg_job_opts *o, struct sg_job *job, struct sg_err *err)
{
	struct sg_err none;
	uint32_t minor = 0;
	int status;

	sg_err_clear(&none);
	if (o->python_version)
		return parse_version(o->python_version, &job->minor, err);
	status = sg_box_python(o->python, &job->arena, &job->python,
			       &job->version, &minor, &none);
	if (status == SG_OK && minor >= 9 && minor <= 14)
		job->minor = minor;
	return SG_OK;
}

static int
open_audit(const struct sg_job_opts *o, struct sg_job *job, struct sg_err *err)
{
	struct sg_audit_opts opts = { .path = o->audit,
				      .max_bytes = o->audit_max };
	const char *named = getenv("SANDGATE_AUDIT");

	if (o->no_audit)
		return SG_OK;
	if (!opts.path && named && named[0])
		opts.path = named;
	if (!opts.path && !o->audit_always)
		return SG_OK;
	return sg_audit_open(&opts, &job->audit, err);
}

int
sg_job_open(const struct sg_job_opts *opts, struct sg_job *job,
	    struct sg_err *err)
{
	int status;

	*job = (struct sg_job){ 0 };
	sg_arena_init(&job->arena, 1 << 20);
	status = sg_policy_open(opts->policy ? opts->policy : "default",
				&job->policy, err);
	if (status == SG_OK)
		status = find_python(opts, job, err);
	if (status == SG_OK)
		status = sg_job_gate(job, &job->gate, err);
	if (status == SG_OK)
		status = open_audit(opts, job, err);
	return status;
}

void
sg_job_release(struct sg_job *job)
{
	sg_audit_free(job->audit);
	sg_gate_free(job->gate);
	sg_policy_free(job->policy);
	sg_arena_release(&job->arena);
	*job = (struct sg_job){ 0 };
}

int
sg_job_gate(const struct sg_job *job, struct sg_gate **ret, struct sg_err *err)
{
	return sg_gate_new(job->policy, job->minor, ret, err);
}

int
sg_job_read(const char *path, struct sg_buf *out, struct sg_err *err)
{
	int status = sg_file_read(path, out, err);

	if (status < 0 && err && err->file[0] == '\0')
		(void)sg_err_at(err, sg_job_name(path), 0, 0);
	return status;
}

const char *
sg_job_name(const char *path)
{
	return strcmp(path, "-") == 0 ? "<stdin>" : path;
}
