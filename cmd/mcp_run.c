#include "cmd/mcp_core.h"
#include "cmd/json_text.h"

#include "base/base64.h"

/*
 * The arguments of a tool become a task.  Whatever is wrong with them is a
 * result of the tool, for the model to read, and not an error of the
 * protocol, which a model never sees.
 */

/* Answers with what is wrong; false. */
#define WRONG(call, ...) \
	(sg_mcp_tool_error(&(call)->origin, __VA_ARGS__), false)

/* ---- arguments ---- */

static bool
take_code(struct sg_mcp_call *call, const json_t *args)
{
	const json_t *code = json_object_get(args, "code");
	struct sg_task *task = call->task;
	struct sg_str text = sg_json_text(code);

	if (!json_is_string(code))
		return WRONG(call, "'code' must be a string: the script");
	task->spec.code = sg_task_copy(task, text.p, text.n);
	return task->spec.code.p || WRONG(call, "out of memory");
}

static bool
take_stdin(struct sg_mcp_call *call, const json_t *args)
{
	const json_t *input = json_object_get(args, "stdin");
	struct sg_task *task = call->task;
	struct sg_str text = sg_json_text(input);

	if (!input || json_is_null(input))
		return true;
	if (!json_is_string(input))
		return WRONG(call, "'stdin' must be a string");
	task->spec.box.has_input = true;
	task->spec.box.input = sg_task_copy(task, text.p, text.n);
	return task->spec.box.input.p || WRONG(call, "out of memory");
}

static bool
take_args(struct sg_mcp_call *call, const json_t *args)
{
	const json_t *list = json_object_get(args, "args"), *v;
	struct sg_task *task = call->task;
	const char **argv;
	size_t i;

	if (!list || json_is_null(list))
		return true;
	if (!json_is_array(list))
		return WRONG(call, "'args' must be a list of strings");
	argv = SG_NEWN(&task->arena, const char *, json_array_size(list) + 1);
	json_array_foreach(list, i, v)
	{
		struct sg_str text = sg_json_text(v);

		if (!json_is_string(v) || memchr(text.p, '\0', text.n))
			return WRONG(call, "'args' must be a list of strings "
					   "without NUL");
		if (argv)
			argv[i] = sg_task_copy(task, text.p, text.n).p;
		if (!argv || !argv[i])
			return WRONG(call, "out of memory");
	}
	task->spec.box.argv = argv;
	return true;
}

/* "content" or "base64" of one file. */
static bool
take_content(struct sg_mcp_call *call, const json_t *file, const char *path,
	     struct sg_str *ret)
{
	const json_t *content = json_object_get(file, "content");
	const json_t *base64 = json_object_get(file, "base64");
	struct sg_task *task = call->task;
	struct sg_str text = sg_json_text(content ? content : base64);

	if (!content == !base64)
		return WRONG(call,
			     "file '%.100s' must have either 'content' or "
			     "'base64'",
			     path);
	if (!json_is_string(content ? content : base64))
		return WRONG(call, "'%s' of file '%.100s' must be a string",
			     content ? "content" : "base64", path);
	if (content)
		*ret = sg_task_copy(task, text.p, text.n);
	else if (!sg_base64_decode(text, &task->arena, ret) &&
		 !sg_arena_failed(&task->arena))
		return WRONG(call, "'base64' of file '%.100s' is not base64",
			     path);
	return !sg_arena_failed(&task->arena) ||
	       WRONG(call, "the files are too large");
}

static bool
take_file(struct sg_mcp_call *call, const json_t *file,
	  struct sg_box_input *ret)
{
	const json_t *path = json_object_get(file, "path");
	struct sg_task *task = call->task;
	struct sg_str name = sg_json_text(path);
	const struct sg_str home = SG_STR("/mnt/data/");
	const char *key;
	json_t *value;

	if (!json_is_object(file) || !json_is_string(path))
		return WRONG(call, "each of 'files' must be an object with "
				   "'path' and 'content' or 'base64'");
	json_object_foreach((json_t *)(uintptr_t)file, key, value)
	{
		if (strcmp(key, "path") != 0 && strcmp(key, "content") != 0 &&
		    strcmp(key, "base64") != 0)
			return WRONG(call, "a file has no '%.100s'", key);
	}
	/* Models like to name it as the script will see it. */
	if (sg_str_starts(name, home))
		name = sg_str_slice(name, home.n, name.n);
	ret->name = sg_task_copy(task, name.p, name.n);
	return take_content(call, file, json_string_value(path), &ret->data);
}

static bool
take_files(struct sg_mcp_call *call, const json_t *args)
{
	const json_t *list = json_object_get(args, "files"), *file;
	struct sg_task *task = call->task;
	struct sg_box_input *files;
	uint64_t bytes = 0;
	size_t i, n = json_array_size(list);

	if (!list || json_is_null(list))
		return true;
	if (!json_is_array(list) || n > 1000)
		return WRONG(call, "'files' must be a list of at most 1000");
	files = SG_NEWN(&task->arena, struct sg_box_input, n + 1);
	if (!files)
		return WRONG(call, "out of memory");
	json_array_foreach(list, i, file)
	{
		if (!take_file(call, file, &files[i]))
			return false;
		bytes += files[i].data.n;
	}
	if (bytes > task->spec.box.limits.workspace)
		return WRONG(
			call,
			"'files' do not fit into the workspace of %llu "
			"MiB",
			(unsigned long long)(task->spec.box.limits.workspace >>
					     20));
	task->spec.box.files = files;
	task->spec.box.nfiles = (uint32_t)n;
	return true;
}

static bool
take_timeout(struct sg_mcp_call *call, const json_t *args)
{
	const json_t *v = json_object_get(args, "timeout_s");
	struct sg_box_limits *l = &call->task->spec.box.limits;
	const uint32_t most = l->wall_ms, usual = call->mcp->opts.timeout_ms;
	double s = json_number_value(v);

	if (usual && usual < most)
		l->wall_ms = usual;
	if (!v || json_is_null(v))
		return true;
	if (!json_is_number(v) || !(s > 0) || s > most / 1e3)
		return WRONG(call,
			     "'timeout_s' must be a number of seconds above 0 "
			     "and up to %g",
			     most / 1e3);
	l->wall_ms = (uint32_t)(s * 1e3);
	if (l->wall_ms == 0)
		l->wall_ms = 1;
	return true;
}

static bool
take_return_files(struct sg_mcp_call *call, const json_t *args)
{
	const json_t *v = json_object_get(args, "return_files");

	if (v && !json_is_boolean(v) && !json_is_null(v))
		return WRONG(call, "'return_files' must be true or false");
	call->return_files = json_is_true(v);
	return true;
}

/* ---- calls ---- */

static struct sg_mcp_call *
begin(const struct sg_mcp_msg *m, enum sg_task_kind kind)
{
	struct sg_mcp_call *call = sg_mcp_call_new(m);
	struct sg_err err;

	if (!call)
		return NULL;
	sg_err_clear(&err);
	if (sg_task_new(call->mcp->service, kind, &call->task, &err) == SG_OK)
		return call;
	sg_mcp_error(&m->origin, SG_MCP_INTERNAL, 200, "out of memory");
	sg_mcp_call_drop(call);
	return NULL;
}

/* It may wait as long as it may run, and ten seconds in any case. */
static void
set_deadline(struct sg_task *task)
{
	const uint64_t wall = task->spec.box.limits.wall_ms, least = 10000;
	uint64_t ms = wall + (wall > least ? wall : least);

	task->deadline_ms = ms < UINT32_MAX ? (uint32_t)ms : UINT32_MAX;
}

/* Hands it to the service, or forgets what was answered with an error. */
static void
submit(struct sg_mcp_call *call, bool good)
{
	if (good) {
		set_deadline(call->task);
		sg_mcp_call_submit(call);
		return;
	}
	sg_task_free(call->task);
	sg_mcp_call_drop(call);
}

void
sg_mcp_run_python(const struct sg_mcp_msg *m, const json_t *args)
{
	struct sg_mcp_call *call = begin(m, SG_TASK_RUN);

	if (!call)
		return;
	submit(call,
	       take_code(call, args) && take_stdin(call, args) &&
		       take_args(call, args) && take_timeout(call, args) &&
		       take_files(call, args) && take_return_files(call, args));
}

void
sg_mcp_check_python(const struct sg_mcp_msg *m, const json_t *args)
{
	struct sg_mcp_call *call = begin(m, SG_TASK_CHECK);

	if (!call)
		return;
	call->check = true;
	submit(call, take_code(call, args));
}
