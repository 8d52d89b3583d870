/*
 * The body of a request over HTTP.  The first byte says which kind it is.
 * What is taken must fit what the executor is promised; what is not must say
 * why in text that can be sent.
 */

#include "cmd/http_body.h"
#include "executor/limits.h"
#include "fuzz/target.h"

static void
check_texts(const struct sg_body *b)
{
	uint32_t n = 0;
	uint64_t bytes = 0;

	must(b->code.p);
	must(b->code.p[b->code.n] == '\0');
	for (const char **a = b->args; a && *a; a++)
		n++;
	must(n <= SG_BOX_ARGS_MAX);
	for (const char **e = b->env; e && *e; e++)
		must(strchr(*e, '=') > *e);
	must(b->nfiles <= SG_BOX_INPUTS_MAX);
	for (uint32_t i = 0; i < b->nfiles; i++) {
		must(b->files[i].name.n > 0);
		must(!memchr(b->files[i].name.p, '\0', b->files[i].name.n));
		bytes += b->files[i].data.n;
	}
	must(bytes == b->file_bytes);
	must(!b->name || (b->name[0] && strlen(b->name) <= SG_BODY_NAME_MAX));
}

static void
check_task(const struct sg_body *b)
{
	struct sg_task task = { .kind = SG_TASK_RUN };
	const struct sg_box_limits *l = &task.spec.box.limits;
	struct sg_box_limits most;
	struct sg_body_fault fault;

	sg_box_spec_init(&task.spec.box);
	most = *l;
	if (!sg_body_apply(b, &task, &fault)) {
		must(fault.status == 422 && fault.pointer[0] == '/');
		return;
	}
	must(l->wall_ms > 0 && l->wall_ms <= most.wall_ms);
	must(l->cpu_ms > 0 && l->cpu_ms <= most.cpu_ms);
	must(l->memory > 0 && l->memory <= most.memory);
	must(l->workspace > 0 && l->workspace <= most.workspace);
	must(l->output > 0 && l->output <= most.output);
	must(b->file_bytes <= l->workspace);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum sg_task_kind kind = size && data[0] == 'c' ? SG_TASK_CHECK
							: SG_TASK_RUN;
	struct sg_body_fault fault;
	struct sg_body body;

	if (!size)
		return 0;
	if (sg_body_read((struct sg_str){ (const char *)data + 1, size - 1 },
			 kind, &body, &fault)) {
		check_texts(&body);
		check_task(&body);
		must(kind == SG_TASK_RUN || (!body.args && !body.files &&
					     !body.env && !body.has_input));
	} else {
		must(fault.status == 400 || fault.status == 422);
		must(fault.code && fault.detail[0]);
		must(memchr(fault.pointer, '\0', sizeof(fault.pointer)));
		must(memchr(fault.detail, '\0', sizeof(fault.detail)));
	}
	sg_body_release(&body);
	return 0;
}
