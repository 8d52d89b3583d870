/* `sandgate policy fmt`. */

#include "cmd/policy.h"

#include "base/file.h"
#include "policy/show.h"

struct fmt {
	bool check;
};

static const struct sg_opt options[] = {
	{ SG_OPT_FLAG, 0, "check", NULL,
	  "change nothing; exit 1 when a file would change",
	  offsetof(struct fmt, check) },
	SG_OPT_ALL,
	{ 0 },
};

static int
format_file(const char *path, bool check, struct sg_err *err)
{
	struct sg_buf before, after;
	int status = SG_EXIT_OK, rc;

	sg_buf_init(&before, (1u << 20) + 1);
	sg_buf_init(&after, (1u << 20) + 2);
	rc = sg_file_read(path, &before, err);
	if (rc == SG_OK)
		rc = sg_policy_fmt(sg_buf_view(&before), path, &after, err);
	if (rc == SG_OK &&
	    !sg_str_eq(sg_buf_view(&before), sg_buf_view(&after))) {
		status = check ? SG_EXIT_REJECT : SG_EXIT_OK;
		sg_say(check ? "%s would change" : "%s changed", path);
		if (!check)
			rc = sg_file_replace(path, sg_buf_view(&after), 0644,
					     err);
	}
	sg_buf_release(&before);
	sg_buf_release(&after);
	if (rc == SG_OK)
		return status;
	sg_say_err(err);
	return SG_EXIT_ERROR;
}

static int
run_fmt(const struct sg_args *args, void *fields)
{
	const struct fmt *f = fields;
	int worst = SG_EXIT_OK, status;
	struct sg_err err;
	uint32_t i;

	if (args->n == 0) {
		sg_say("policy fmt: no file is named");
		return SG_EXIT_ERROR;
	}
	for (i = 0; i < args->n; i++) {
		sg_err_clear(&err);
		status = format_file(args->v[i], f->check, &err);
		worst = status > worst ? status : worst;
	}
	return worst;
}

const struct sg_cmd sg_cmd_policy_fmt = {
	.name = "fmt",
	.synopsis = "FILE...",
	.summary = "tidies line ends and blank lines of policy files",
	.text = "Exit status: 0 done, 1 with --check when a file would "
		"change, 2 an error.\n",
	.opts = options,
	.fields = sizeof(struct fmt),
	.failed = SG_EXIT_ERROR,
	.run = run_fmt,
};
