#include "executor/outcome.h"

#include <inttypes.h>

/*
 * One or two sentences for whoever wrote the program, most often a model:
 * what the limit was, and what to do instead.  What the driver suggests
 * (which modules there are) comes first; nothing here is decided by it.
 */

struct about {
	const struct sg_box_spec *spec;
	struct sg_arena *arena;
	struct sg_result *ret;
};

static struct sg_str
hint_time(const struct about *a)
{
	return sg_arena_printf(
		a->arena,
		"The program was ended at its limit of %.1f s. Do less work "
		"in one run, or look for a loop or a wait that never ends.",
		(double)a->spec->limits.wall_ms / 1000);
}

static struct sg_str
hint_cpu(const struct about *a)
{
	return sg_arena_printf(
		a->arena,
		"The program used up its %.1f s of processor time. Use a "
		"faster algorithm or a smaller input, or look for a loop "
		"that never ends.",
		(double)a->spec->limits.cpu_ms / 1000);
}

static struct sg_str
hint_memory(const struct about *a)
{
	return sg_arena_printf(
		a->arena,
		"The memory limit is %" PRIu64 " MiB, files in the workspace "
		"included. Work in chunks, or keep less at a time.",
		a->spec->limits.memory >> 20);
}

static struct sg_str
hint_disk(const struct about *a)
{
	return sg_arena_printf(
		a->arena,
		"The workspace holds %" PRIu64 " MiB and %u files, one file "
		"at most %" PRIu64 " MiB. Write less, or remove what is no "
		"longer needed.",
		a->spec->limits.workspace >> 20, a->spec->limits.inodes,
		(a->spec->limits.file_size ? a->spec->limits.file_size
					   : a->spec->limits.workspace) >>
			20);
}

static struct sg_str
hint_open_files(const struct about *a)
{
	return sg_arena_printf(a->arena,
			       "At most %u files can be open at once. Close "
			       "each when it is done, best by 'with'.",
			       a->spec->limits.open_files);
}

static struct sg_str
hint_output(const struct about *a)
{
	return sg_arena_printf(a->arena,
			       "The program was ended after %" PRIu64
			       " MiB of output. "
			       "Print a summary instead.",
			       a->spec->limits.output_total >> 20);
}

static struct sg_str
hint_processes(const struct about *a)
{
	const struct sg_box_limits *l = &a->spec->limits;

	if (l->processes == 0 && a->ret->status == SG_RUN_PROCESS_LIMIT)
		return sg_arena_printf(a->arena,
				       "At most %u threads may run. Use a "
				       "pool of a few.",
				       l->threads);
	if (l->processes == 0)
		return SG_STR("Starting processes is not available here. "
			      "Use threads, or do the work in Python.");
	return sg_arena_printf(a->arena,
			       "At most %u processes and threads, counted "
			       "together, may run beside the program's first.",
			       l->processes + l->threads);
}

static struct sg_str
hint_network(const struct about *a)
{
	(void)a;
	return SG_STR("There is no network here. Work with what was given as "
		      "input, or with data that the program makes.");
}

static struct sg_str
hint_read_only(const struct about *a)
{
	(void)a;
	return SG_STR("Only the working directory (/mnt/data) and /tmp can "
		      "be written.");
}

static struct sg_str
hint_input(const struct about *a)
{
	(void)a;
	return SG_STR("There is no standard input. Put the values into the "
		      "program instead of asking for them.");
}

static bool
is_denied(const struct about *a, const char *const *names)
{
	for (uint32_t i = 0; i < a->ret->ndenied; i++)
		for (const char *const *n = names; *n; n++)
			if (sg_str_eq(a->ret->denied[i].name, sg_str_c(*n)))
				return true;
	return false;
}

static bool
is_process(const struct about *a)
{
	static const char *const names[] = { "clone",  "fork",     "vfork",
					     "execve", "execveat", NULL };

	return is_denied(a, names);
}

static bool
is_network(const struct about *a)
{
	static const char *const names[] = { "socket", "connect", "bind",
					     "socketpair", NULL };

	return is_denied(a, names);
}

static bool
error_is(const struct about *a, const char *name)
{
	return a->ret->error.is_set &&
	       sg_str_eq(a->ret->error.name, sg_str_c(name));
}

static bool
is_read_only(const struct about *a)
{
	struct sg_str v = a->ret->error.value;

	return a->ret->error.is_set &&
	       (sg_str_starts(v, SG_STR("[Errno 30]")) ||
		sg_str_starts(v, SG_STR("[Errno 13]")));
}

static bool
is_open_files(const struct about *a)
{
	return a->ret->error.is_set &&
	       sg_str_starts(a->ret->error.value, SG_STR("[Errno 24]"));
}

static bool
is_input(const struct about *a)
{
	return error_is(a, "EOFError") && !a->spec->has_input;
}

static bool
is_memory_error(const struct about *a)
{
	return error_is(a, "MemoryError") || error_is(a, "_ArrayMemoryError");
}

/* By status where that says it all, else by the first sign that holds. */
static const struct {
	enum sg_run_status status;
	struct sg_str (*hint)(const struct about *a);
} by_status[] = {
	{ SG_RUN_TIMEOUT, hint_time },
	{ SG_RUN_CPU_LIMIT, hint_cpu },
	{ SG_RUN_MEMORY_LIMIT, hint_memory },
	{ SG_RUN_DISK_LIMIT, hint_disk },
	{ SG_RUN_OUTPUT_LIMIT, hint_output },
	{ SG_RUN_PROCESS_LIMIT, hint_processes },
};

static const struct {
	bool (*holds)(const struct about *a);
	struct sg_str (*hint)(const struct about *a);
} by_sign[] = {
	{ is_input, hint_input },         { is_memory_error, hint_memory },
	{ is_process, hint_processes },   { is_network, hint_network },
	{ is_read_only, hint_read_only }, { is_open_files, hint_open_files },
};

void
sg_hint_set(const struct sg_box_spec *spec, struct sg_arena *arena,
	    struct sg_result *ret)
{
	struct about a = { spec, arena, ret };

	for (size_t i = 0; i < sizeof(by_status) / sizeof(by_status[0]); i++)
		if (by_status[i].status == ret->status) {
			ret->hint = by_status[i].hint(&a);
			return;
		}
	if (ret->hint.n)
		return;
	for (size_t i = 0; i < sizeof(by_sign) / sizeof(by_sign[0]); i++)
		if (by_sign[i].holds(&a)) {
			ret->hint = by_sign[i].hint(&a);
			return;
		}
}

void
sg_hint_dropped(const struct sg_box_spec *spec, struct sg_arena *arena,
		struct sg_result *ret)
{
	const struct sg_box_limits *l = &spec->limits;

	if (ret->hint.n)
		return;
	if (ret->files_dropped)
		ret->hint = sg_arena_printf(
			arena,
			"%u files were left out: plain files come out only, at "
			"most %u of %" PRIu64 " MiB together, within %.1f s. "
			"Write fewer, or one archive.",
			ret->files_dropped, l->files, l->file_bytes >> 20,
			(double)l->collect_ms / 1000);
	else if (ret->images_dropped)
		ret->hint = sg_arena_printf(
			arena,
			"%u images were left out: at most %u come out, of "
			"%" PRIu64 " MiB each. Draw fewer, or smaller.",
			ret->images_dropped, l->images, l->image_bytes >> 20);
	else if (ret->value.truncated)
		ret->hint = sg_arena_printf(
			arena,
			"The value was cut at %u KiB. Print the part of it "
			"that matters, or write it to a file.",
			l->result >> 10);
}
