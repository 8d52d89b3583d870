#include "cmd/box_opts.h"

#include <stdlib.h>

enum { MIB = 1 << 20 };

/* Most that one answer can hold; base/json.h and SG_TERM_MAX go with it. */
static const uint64_t output_max = 256ull * MIB;
static const uint64_t memory_min = 16ull * MIB;

static void
set_u64(uint64_t given, uint64_t *field)
{
	if (given)
		*field = given;
}

/* What does not fit stays above every cap, and is refused by the check. */
static void
set_u32(uint64_t given, uint32_t *field)
{
	if (given)
		*field = given > UINT32_MAX ? UINT32_MAX : (uint32_t)given;
}

static void
set_number(const struct sg_opt_number *given, uint32_t *field)
{
	if (given->given)
		*field = given->value > UINT32_MAX ? UINT32_MAX
						   : (uint32_t)given->value;
}

static void
set_times(const struct sg_box_opts *o, struct sg_box_limits *l)
{
	set_u32(o->timeout, &l->wall_ms);
	/* Who allows more time means it for the processor, too. */
	if (o->timeout && l->wall_ms > l->cpu_ms)
		l->cpu_ms = l->wall_ms;
	set_u32(o->cpu, &l->cpu_ms);
	set_u32(o->collect, &l->collect_ms);
}

int
sg_box_opts_limits(const struct sg_box_opts *o, struct sg_box_limits *l,
		   struct sg_err *err)
{
	set_times(o, l);
	set_u64(o->memory, &l->memory);
	set_u64(o->workspace, &l->workspace);
	set_u64(o->file_size, &l->file_size);
	set_u64(o->output, &l->output);
	set_u64(o->output_total, &l->output_total);
	set_u64(o->image_size, &l->image_bytes);
	set_u64(o->files_size, &l->file_bytes);
	set_u32(o->result, &l->result);
	set_u32(o->inodes, &l->inodes);
	set_u32(o->threads, &l->threads);
	set_u32(o->open_files, &l->open_files);
	set_number(&o->processes, &l->processes);
	set_number(&o->images, &l->images);
	set_number(&o->files, &l->files);
	if (l->output > output_max)
		return sg_err_set(err, SG_EUSAGE,
				  "option '--output': at most 256MiB");
	if (l->memory < memory_min)
		return sg_err_set(err, SG_EUSAGE,
				  "option '--memory': at least 16MiB; Python "
				  "itself needs that");
	return sg_box_limits_check(l, err);
}

/* "NAME" to "NAME=VALUE" by our own environment. */
static int
complete(const char *text, struct sg_arena *arena, const char **ret,
	 struct sg_err *err)
{
	const char *value;

	*ret = text;
	if (strchr(text, '='))
		return SG_OK;
	value = getenv(text);
	if (!value)
		return sg_err_set(
			err, SG_EUSAGE,
			"option '--env': there is no variable '%.64s' "
			"here; give NAME=VALUE",
			text);
	*ret = sg_arena_printf(arena, "%s=%s", text, value).p;
	return *ret ? SG_OK : sg_err_set(err, SG_ENOMEM, "no memory");
}

int
sg_box_opts_env(const struct sg_box_opts *o, struct sg_arena *arena,
		const char *const **ret, struct sg_err *err)
{
	const char **list;
	int status = SG_OK;

	*ret = NULL;
	if (o->env.n == 0)
		return SG_OK;
	list = SG_NEWN(arena, const char *, o->env.n + 1u);
	if (!list)
		return sg_err_set(err, SG_ENOMEM, "no memory");
	for (uint32_t i = 0; i < o->env.n && status == SG_OK; i++)
		status = complete(o->env.v[i], arena, &list[i], err);
	if (status == SG_OK)
		status = sg_box_env_check(list, err);
	if (status == SG_OK)
		*ret = list;
	return status;
}
