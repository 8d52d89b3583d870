#include "cmd/http_body.h"
#include "cmd/json_text.h"

#include "base/base64.h"
#include "executor/limits.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>

enum { ARENA_SLACK = 1 << 20 };

struct reader {
	struct sg_body *body;
	struct sg_body_fault *fault;
	enum sg_task_kind kind;
	struct sg_box_input *file; /* that is being read */
	bool has_data;             /* of it */
	char pointer[SG_BODY_POINTER];
};

struct member {
	const char *key; /* NULL ends a table */
	bool run_only;
	json_type type; /* JSON_REAL: any number */
	const char *want;
	bool (*read)(struct reader *r, const json_t *v);
};

static bool wrong(struct reader *r, unsigned status, const char *code,
		  const char *fmt, ...) SG_PRINTF(4, 5);

static bool
wrong(struct reader *r, unsigned status, const char *code, const char *fmt, ...)
{
	va_list ap;

	r->fault->status = status;
	r->fault->code = code;
	memcpy(r->fault->pointer, r->pointer, sizeof(r->pointer));
	va_start(ap, fmt);
	(void)vsnprintf(r->fault->detail, sizeof(r->fault->detail), fmt, ap);
	va_end(ap);
	return false;
}

static bool
no_memory(struct reader *r)
{
	return wrong(r, 500, "internal", "no memory for the request");
}

/* ---- values ---- */

/* A text that goes where C strings go. */
static bool
plain_text(struct reader *r, const json_t *v, const char **ret)
{
	struct sg_str s = sg_json_text(v);

	if (!s.p || memchr(s.p, '\0', s.n))
		return wrong(r, 422, "bad-value", "NUL cannot be in it");
	*ret = s.p;
	return true;
}

static bool
milliseconds(struct reader *r, const json_t *v, uint32_t *ret)
{
	double s = json_number_value(v);

	if (!(s > 0) || s > 30 * 86400)
		return wrong(r, 422, "bad-value",
			     "must be a number of seconds above 0, and less "
			     "than a month");
	*ret = (uint32_t)(s * 1000 + 0.5);
	if (*ret == 0)
		*ret = 1;
	return true;
}

static bool
bytes_of(struct reader *r, const json_t *v, uint64_t *ret)
{
	json_int_t n = json_integer_value(v);

	if (n <= 0)
		return wrong(r, 422, "bad-value",
			     "must be a number of bytes above 0");
	*ret = (uint64_t)n;
	return true;
}

/* ---- objects by their tables ---- */

static const char *
nearest(const struct member *table, enum sg_task_kind kind, const char *key)
{
	const char *best = NULL;
	uint32_t least = 4;

	for (; table->key; table++) {
		uint32_t d = sg_str_distance(sg_str_c(key),
					     sg_str_c(table->key), 3);

		/* "timeout" for "timeout_s" */
		if (strlen(key) >= 3 &&
		    sg_str_starts(sg_str_c(table->key), sg_str_c(key)))
			d = 0;
		if (d < least && d * 2 <= strlen(key) &&
		    !(table->run_only && kind == SG_TASK_CHECK)) {
			least = d;
			best = table->key;
		}
	}
	return best;
}

static bool
unknown_key(struct reader *r, const struct member *table, const char *key)
{
	const char *near = nearest(table, r->kind, key);

	for (const struct member *m = table; m->key; m++) {
		if (strcmp(m->key, key) == 0)
			return wrong(r, 422, "unknown-key",
				     "'%.64s' is a key of runs; nothing is "
				     "run here",
				     key);
	}
	return wrong(r, 422, "unknown-key",
		     near ? "there is no key '%.64s'; is '%s' meant?"
			  : "there is no key '%.64s'",
		     key, near);
}

static bool
is_type(const json_t *v, json_type type)
{
	return json_typeof(v) == type ||
	       (type == JSON_REAL && json_is_number(v)) ||
	       (type == JSON_TRUE && json_is_boolean(v));
}

/* Appends "/key", escaped, and returns the length to cut back to. */
static size_t
descend(struct reader *r, const char *key)
{
	size_t was = strlen(r->pointer), n = was;

	if (n + 1 < sizeof(r->pointer))
		r->pointer[n++] = '/';
	for (; *key && n + 2 < sizeof(r->pointer); key++) {
		if (*key == '~' || *key == '/') {
			r->pointer[n++] = '~';
			r->pointer[n++] = *key == '~' ? '0' : '1';
		} else {
			r->pointer[n++] = *key;
		}
	}
	r->pointer[n] = '\0';
	return was;
}

static bool
read_member(struct reader *r, const struct member *table, const char *key,
	    const json_t *v)
{
	size_t was = descend(r, key);
	const struct member *m = table;

	while (m->key && (strcmp(m->key, key) != 0 ||
			  (m->run_only && r->kind == SG_TASK_CHECK)))
		m++;
	if (!m->key)
		return unknown_key(r, table, key);
	if (!is_type(v, m->type))
		return wrong(r, 422, "wrong-type", "must be %s", m->want);
	if (!m->read(r, v))
		return false;
	r->pointer[was] = '\0';
	return true;
}

static bool
read_object(struct reader *r, const struct member *table, const json_t *v)
{
	/* The iterators of jansson want a value that is not const. */
	json_t *object = (json_t *)(uintptr_t)v;
	const char *key;
	json_t *member;

	json_object_foreach(object, key, member)
	{
		if (!read_member(r, table, key, member))
			return false;
	}
	return true;
}

/* ---- files ---- */

static bool
read_path(struct reader *r, const json_t *v)
{
	const char *path = "";

	if (!plain_text(r, v, &path))
		return false;
	if (path[0] == '\0')
		return wrong(r, 422, "bad-value", "a file needs a name");
	r->file->name = sg_str_c(path);
	return true;
}

static bool
read_content(struct reader *r, const json_t *v)
{
	if (r->has_data)
		return wrong(r, 422, "bad-value",
			     "a file has 'content' or 'base64', not both");
	r->file->data = sg_json_text(v);
	r->has_data = true;
	return true;
}

static bool
read_base64(struct reader *r, const json_t *v)
{
	if (r->has_data)
		return read_content(r, v);
	r->has_data = true;
	if (sg_base64_decode(sg_json_text(v), &r->body->arena, &r->file->data))
		return true;
	if (sg_arena_failed(&r->body->arena))
		return no_memory(r);
	return wrong(r, 422, "bad-value", "is not base64");
}

static const struct member file_members[] = {
	{ "path", true, JSON_STRING, "a string", read_path },
	{ "content", true, JSON_STRING, "a string", read_content },
	{ "base64", true, JSON_STRING, "a string", read_base64 },
	{ 0 },
};

static bool
read_file(struct reader *r, const json_t *v)
{
	if (!json_is_object(v))
		return wrong(r, 422, "wrong-type", "must be an object");
	r->has_data = false;
	if (!read_object(r, file_members, v))
		return false;
	if (!r->file->name.n)
		return wrong(r, 422, "missing-key", "'path' is missing");
	if (!r->has_data)
		return wrong(r, 422, "missing-key",
			     "'content' or 'base64' is missing");
	r->body->file_bytes += r->file->data.n;
	return true;
}

static bool
read_files(struct reader *r, const json_t *v)
{
	struct sg_body *b = r->body;
	size_t n = json_array_size(v);
	char number[16];

	if (n > SG_BOX_INPUTS_MAX)
		return wrong(r, 422, "bad-value", "at most %d files",
			     (int)SG_BOX_INPUTS_MAX);
	b->files = SG_NEWN(&b->arena, struct sg_box_input, n + 1);
	if (!b->files)
		return no_memory(r);
	for (size_t i = 0; i < n; i++) {
		size_t was;

		(void)snprintf(number, sizeof(number), "%zu", i);
		was = descend(r, number);
		r->file = &b->files[b->nfiles++];
		if (!read_file(r, json_array_get(v, i)))
			return false;
		r->pointer[was] = '\0';
	}
	return true;
}

/* ---- the members of a request ---- */

static bool
read_code(struct reader *r, const json_t *v)
{
	r->body->code = sg_json_text(v);
	return true;
}

static bool
read_name(struct reader *r, const json_t *v)
{
	const char *name = "";

	if (!plain_text(r, v, &name))
		return false;
	if (name[0] == '\0' || strlen(name) > SG_BODY_NAME_MAX)
		return wrong(r, 422, "bad-value", "must have 1 to %d bytes",
			     (int)SG_BODY_NAME_MAX);
	for (const char *p = name; *p; p++) {
		if ((unsigned char)*p < ' ' || *p == 127)
			return wrong(r, 422, "bad-value",
				     "no control characters, please");
	}
	r->body->name = name;
	return true;
}

static bool
read_input(struct reader *r, const json_t *v)
{
	r->body->has_input = true;
	r->body->input = sg_json_text(v);
	return true;
}

static bool
read_args(struct reader *r, const json_t *v)
{
	struct sg_body *b = r->body;
	size_t n = json_array_size(v);
	char number[16];

	if (n > SG_BOX_ARGS_MAX)
		return wrong(r, 422, "bad-value", "at most %d arguments",
			     (int)SG_BOX_ARGS_MAX);
	b->args = SG_NEWN(&b->arena, const char *, n + 1);
	if (!b->args)
		return no_memory(r);
	for (size_t i = 0; i < n; i++) {
		const json_t *item = json_array_get(v, i);
		size_t was;

		(void)snprintf(number, sizeof(number), "%zu", i);
		was = descend(r, number);
		if (!json_is_string(item))
			return wrong(r, 422, "wrong-type", "must be a string");
		if (!plain_text(r, item, &b->args[i]))
			return false;
		r->pointer[was] = '\0';
	}
	return true;
}

static bool
read_env(struct reader *r, const json_t *v)
{
	struct sg_body *b = r->body;
	json_t *object = (json_t *)(uintptr_t)v;
	const char *name, *value = "";
	json_t *member;
	uint32_t n = 0;

	if (json_object_size(v) > SG_BODY_ENV_MAX)
		return wrong(r, 422, "bad-value", "at most %d variables",
			     (int)SG_BODY_ENV_MAX);
	b->env = SG_NEWN(&b->arena, const char *, json_object_size(v) + 1);
	if (!b->env)
		return no_memory(r);
	json_object_foreach(object, name, member)
	{
		size_t was = descend(r, name);

		if (!json_is_string(member))
			return wrong(r, 422, "wrong-type", "must be a string");
		if (name[0] == '\0' || strchr(name, '='))
			return wrong(r, 422, "bad-value",
				     "is not the name of a variable");
		if (!plain_text(r, member, &value))
			return false;
		b->env[n] = sg_arena_printf(&b->arena, "%s=%s", name, value).p;
		if (!b->env[n++])
			return no_memory(r);
		r->pointer[was] = '\0';
	}
	return true;
}

static bool
read_timeout(struct reader *r, const json_t *v)
{
	return milliseconds(r, v, &r->body->timeout_ms);
}

static bool
read_cpu(struct reader *r, const json_t *v)
{
	return milliseconds(r, v, &r->body->cpu_ms);
}

static bool
read_deadline(struct reader *r, const json_t *v)
{
	return milliseconds(r, v, &r->body->deadline_ms);
}

static bool
read_memory(struct reader *r, const json_t *v)
{
	return bytes_of(r, v, &r->body->memory);
}

static bool
read_workspace(struct reader *r, const json_t *v)
{
	return bytes_of(r, v, &r->body->workspace);
}

static bool
read_output(struct reader *r, const json_t *v)
{
	return bytes_of(r, v, &r->body->output);
}

static bool
read_data(struct reader *r, const json_t *v)
{
	struct sg_str s = sg_json_text(v);

	r->body->list = sg_str_eq(s, SG_STR("list"));
	if (!r->body->list && !sg_str_eq(s, SG_STR("inline")))
		return wrong(r, 422, "bad-value", "must be 'inline' or 'list'");
	return true;
}

static const struct member members[] = {
	{ "code", false, JSON_STRING, "a string", read_code },
	{ "name", false, JSON_STRING, "a string", read_name },
	{ "deadline_s", false, JSON_REAL, "a number", read_deadline },
	{ "stdin", true, JSON_STRING, "a string", read_input },
	{ "args", true, JSON_ARRAY, "an array of strings", read_args },
	{ "env", true, JSON_OBJECT, "an object of strings", read_env },
	{ "files", true, JSON_ARRAY, "an array of objects", read_files },
	{ "timeout_s", true, JSON_REAL, "a number", read_timeout },
	{ "cpu_s", true, JSON_REAL, "a number", read_cpu },
	{ "memory_bytes", true, JSON_INTEGER, "a whole number", read_memory },
	{ "workspace_bytes", true, JSON_INTEGER, "a whole number",
	  read_workspace },
	{ "output_bytes", true, JSON_INTEGER, "a whole number", read_output },
	{ "data", true, JSON_STRING, "a string", read_data },
	{ 0 },
};

bool
sg_body_read(struct sg_str text, enum sg_task_kind kind, struct sg_body *body,
	     struct sg_body_fault *fault)
{
	struct reader r = { .body = body, .fault = fault, .kind = kind };
	json_error_t error;

	*body = (struct sg_body){ 0 };
	*fault = (struct sg_body_fault){ 0 };
	/* Decoded files are shorter than the text; tables come on top. */
	sg_arena_init(&body->arena, text.n + ARENA_SLACK);
	body->root = json_loadb(text.n ? text.p : "", text.n,
				JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL,
				&error);
	if (!body->root && json_error_code(&error) == json_error_out_of_memory)
		return no_memory(&r);
	if (!body->root)
		return wrong(&r, 400, "bad-json", "line %d, column %d: %.200s",
			     error.line, error.column, error.text);
	if (!json_is_object(body->root))
		return wrong(&r, 422, "wrong-type", "must be an object");
	if (!read_object(&r, members, body->root))
		return false;
	if (!body->code.p)
		return wrong(&r, 422, "missing-key", "'code' is missing");
	return true;
}

void
sg_body_release(struct sg_body *body)
{
	json_decref(body->root);
	sg_arena_release(&body->arena);
	*body = (struct sg_body){ 0 };
}

/* ---- into a task ---- */

struct asked {
	const char *pointer, *unit;
	uint64_t asked, most;
};

/* No limit above that of the server, and the files must fit. */
static bool
within(const struct sg_body *b, const struct sg_box_limits *l,
       struct sg_body_fault *fault)
{
	const struct asked all[] = {
		{ "/timeout_s", "ms", b->timeout_ms, l->wall_ms },
		{ "/cpu_s", "ms", b->cpu_ms, l->cpu_ms },
		{ "/memory_bytes", "bytes", b->memory, l->memory },
		{ "/workspace_bytes", "bytes", b->workspace, l->workspace },
		{ "/output_bytes", "bytes", b->output, l->output },
		{ "/files", "bytes", b->file_bytes,
		  b->workspace ? b->workspace : l->workspace },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (all[i].asked <= all[i].most)
			continue;
		*fault = (struct sg_body_fault){ 422, "above-limit", "", "" };
		(void)snprintf(fault->pointer, sizeof(fault->pointer), "%s",
			       all[i].pointer);
		(void)snprintf(fault->detail, sizeof(fault->detail),
			       "%" PRIu64 " %s are asked for; at most %" PRIu64
			       " are allowed here",
			       all[i].asked, all[i].unit, all[i].most);
		return false;
	}
	return true;
}

bool
sg_body_apply(const struct sg_body *body, struct sg_task *task,
	      struct sg_body_fault *fault)
{
	struct sg_box_spec *box = &task->spec.box;
	struct sg_box_limits *l = &box->limits;
	const char *slash = body->name ? strrchr(body->name, '/') : NULL;

	if (!within(body, l, fault))
		return false;
	task->spec.code = body->code;
	task->spec.path = body->name;
	if (body->name)
		box->script = sg_str_c(slash ? slash + 1 : body->name);
	box->has_input = body->has_input;
	box->input = body->input;
	box->argv = body->args;
	box->env = body->env;
	box->files = body->files;
	box->nfiles = body->nfiles;
	box->collect = true;
	if (body->timeout_ms)
		l->wall_ms = body->timeout_ms;
	if (body->cpu_ms)
		l->cpu_ms = body->cpu_ms;
	if (body->memory)
		l->memory = body->memory;
	if (body->workspace)
		l->workspace = body->workspace;
	if (body->output)
		l->output = body->output;
	task->deadline_ms = body->deadline_ms;
	return true;
}
