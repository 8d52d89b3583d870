#include "executor/box.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "executor/collect.h"
#include "executor/limits.h"
#include "executor/outcome.h"
#include "executor/pool.h"
#include "executor/prepared.h"

void
sg_box_spec_init(struct sg_box_spec *spec)
{
	memset(spec, 0, sizeof(*spec));
	spec->script = SG_STR("script.py");
	spec->require = SG_REQUIRE_STANDARD;
	spec->cancel_fd = -1;
	spec->limits = (struct sg_box_limits){
		.wall_ms = 30000,
		.cpu_ms = 30000,
		.memory = 512ull << 20,
		.workspace = 64ull << 20,
		.inodes = 16384,
		.threads = 64,
		.processes = 0,
		.open_files = 256,
		.output = 1ull << 20,
		.output_total = 256ull << 20,
		.result = 64u << 10,
		.images = 20,
		.image_bytes = 8ull << 20,
		.files = 100,
		.file_bytes = 32ull << 20,
		.collect_ms = 2000,
	};
}

/* --- does the request make sense ----------------------------------------- */

int
sg_box_limits_check(const struct sg_box_limits *l, struct sg_err *err)
{
	const struct {
		const char *name;
		uint64_t value, min, max;
	} rows[] = {
		{ "wall time (ms)", l->wall_ms, 1, UINT32_MAX },
		{ "cpu time (ms)", l->cpu_ms, 1, UINT32_MAX },
		{ "memory", l->memory, 16u << 20, 1ull << 46 },
		{ "workspace", l->workspace, 64u << 10, 1ull << 46 },
		{ "inodes", l->inodes, 16, 100000000 },
		{ "file size", l->file_size ? l->file_size : 64u << 10, 1,
		  1ull << 46 },
		{ "threads", l->threads, 1, 65536 },
		{ "processes", l->processes, 0, 65536 },
		{ "open files", l->open_files, 16, 1u << 20 },
		{ "output", l->output, 64, 1u << 30 },
		{ "output in all", l->output_total, 64, 1ull << 46 },
		{ "result", l->result, 16, 64u << 20 },
		{ "images", l->images, 0, 10000 },
		{ "image bytes", l->image_bytes, 64, 256u << 20 },
		{ "files", l->files, 0, 100000 },
		{ "file bytes", l->file_bytes, 0, 1ull << 40 },
		{ "collection time (ms)", l->collect_ms, 1, 600000 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].value < rows[i].min || rows[i].value > rows[i].max)
			return sg_err_set(err, SG_EUSAGE,
					  "limit '%s' is not within %llu and "
					  "%llu",
					  rows[i].name,
					  (unsigned long long)rows[i].min,
					  (unsigned long long)rows[i].max);
	return SG_OK;
}

static int
check_files(const struct sg_box_spec *spec, struct sg_err *err)
{
	if (spec->nfiles > SG_BOX_INPUTS_MAX)
		return sg_err_set(err, SG_EUSAGE, "more than %d input files",
				  SG_BOX_INPUTS_MAX);
	for (uint32_t i = 0; i < spec->nfiles; i++) {
		struct sg_str name = spec->files[i].name;

		if (!sg_name_safe(name))
			return sg_err_set(err, SG_EUSAGE,
					  "input file name '%.*s' is not a "
					  "plain relative path",
					  name.n > 128 ? 128
						       : SG_STR_ARG(name));
		for (uint32_t j = 0; j < i; j++)
			if (sg_str_eq(spec->files[j].name, name))
				return sg_err_set(
					err, SG_EUSAGE,
					"two input files are called '%.*s'",
					SG_STR_ARG(name));
	}
	return SG_OK;
}

static int
check_args(const struct sg_box_spec *spec, struct sg_err *err)
{
	int n = 0;

	for (const char *const *a = spec->argv; a && *a; a++)
		n++;
	if (n > SG_BOX_ARGS_MAX)
		return sg_err_set(err, SG_EUSAGE, "more than %d arguments",
				  SG_BOX_ARGS_MAX);
	if (spec->code.n > SG_BOX_CODE_MAX)
		return sg_err_set(err, SG_EUSAGE,
				  "the program is longer than %d bytes",
				  SG_BOX_CODE_MAX);
	if (spec->script.n == 0 || spec->script.n > SG_BOX_NAME_MAX ||
	    memchr(spec->script.p, '\0', spec->script.n))
		return sg_err_set(err, SG_EUSAGE,
				  "the program's name is empty or too long");
	return SG_OK;
}

/* Names as a shell takes them. */
int
sg_box_env_check(const char *const *env, struct sg_err *err)
{
	size_t bytes = 0;

	for (const char *const *e = env; e && *e; e++) {
		size_t n = strcspn(*e, "=");
		bool good = n > 0 && (*e)[n] == '=' && (**e < '0' || **e > '9');

		for (size_t i = 0; good && i < n; i++) {
			char c = (*e)[i];

			good = c == '_' || (c >= '0' && c <= '9') ||
			       ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
		}
		if (!good)
			return sg_err_set(err, SG_EUSAGE,
					  "'%.64s' is not NAME=VALUE", *e);
		bytes += strlen(*e) + 1;
		if (bytes > SG_BOX_ENV_TEXT)
			return sg_err_set(err, SG_EUSAGE,
					  "the environment is longer than %d "
					  "bytes",
					  SG_BOX_ENV_TEXT);
	}
	return SG_OK;
}

static int
check_spec(const struct sg_box_spec *spec, struct sg_err *err)
{
	int rc = sg_box_limits_check(&spec->limits, err);

	if (rc == SG_OK)
		rc = check_files(spec, err);
	if (rc == SG_OK)
		rc = check_args(spec, err);
	if (rc == SG_OK)
		rc = sg_box_env_check(spec->env, err);
	return rc;
}

enum { PREPARE_ARENA = 128 << 20 };

/* --- run ----------------------------------------------------------------- */

/*
 * The program has run: whatever goes wrong from here on is part of the
 * result, and no reason to say that nothing happened.
 */
static void
finish(struct sg_attempt *a)
{
	struct sg_result *r = a->ret;
	struct sg_err err;
	int rc;

	sg_err_clear(&err);
	rc = sg_outcome(a, &err);
	if (rc == SG_OK)
		rc = sg_attempt_layers(a, &r->layers, &err);
	if (rc == SG_OK)
		r->nlayers = SG_L_COUNT;
	if (rc == SG_OK && a->spec->collect && a->watch.workspace >= 0)
		rc = sg_collect(a->watch.workspace, a->spec, a->arena, r, &err);
	if (rc == SG_OK) {
		sg_hint_dropped(a->spec, a->arena, r);
		return;
	}
	r->executed = a->watch.started != 0;
	r->status = SG_RUN_INTERNAL;
	r->message = sg_arena_dup(a->arena, sg_str_c(err.msg));
	if (!r->message.p)
		r->message = SG_STR("out of memory");
}

void
sg_prepare(const struct sg_preparation *how, const struct sg_box_spec *spec,
	   const struct sg_python *py, struct sg_arena *arena,
	   struct sg_prepared *p)
{
	struct sg_arena room;
	struct sg_box_spec own;
	struct sg_attempt a;
	struct sg_result r;
	struct sg_err err;

	if (how->load(py, arena, p) != SG_PREPARED_UNKNOWN)
		return;
	memset(&r, 0, sizeof(r));
	sg_err_clear(&err);
	sg_arena_init(&room, PREPARE_ARENA);
	sg_box_spec_init(&own);
	own.code = sg_str_c(how->program);
	own.limits.processes = how->processes;
	own.require = spec->require;
	own.cancel_fd = spec->cancel_fd;
	own.collect = true;
	sg_attempt_init(&a, &own, py, &room, &r);
	if (sg_attempt_run(&a, &err) == SG_OK) {
		finish(&a);
		if (r.status == SG_RUN_OK) {
			how->store(py, &r);
			(void)how->load(py, arena, p);
		}
	}
	sg_attempt_release(&a);
	sg_arena_release(&room);
}

static int
run_once(const struct sg_box_spec *spec, const struct sg_python *py,
	 const struct sg_prepared *p, struct sg_arena *arena,
	 struct sg_result *ret, struct sg_err *err)
{
	struct sg_attempt a;
	struct sg_result r;
	int rc;

	memset(&r, 0, sizeof(r));
	sg_attempt_init(&a, spec, py, arena, &r);
	a.prepared = *p;
	rc = sg_attempt_run(&a, err);
	if (rc == SG_OK)
		finish(&a);
	sg_attempt_release(&a);
	if (rc == SG_OK)
		*ret = r;
	return rc;
}

/*
 * By somebody else than us or the kernel for want of memory.  When a zygote
 * dies, the worker may go first, and its warden may see that.
 */
static bool
was_killed(const struct sg_attempt *a)
{
	int st = a->board->wait_status;

	return a->watch.end == SG_END_NONE &&
	       (!a->board->done ||
		(WIFSIGNALED(st) && WTERMSIG(st) == SIGKILL)) &&
	       !sg_cgroup_oom_kills(&a->cgroup);
}

/* The box is gone, and neither we nor the program have ended it. */
static bool
was_lost(const struct sg_attempt *a, const struct sg_lease *lease)
{
	return was_killed(a) && (!a->board->done || sg_warm_lost(lease));
}

/*
 * In a fork of a zygote.  SG_EBOX: nothing came of it, and a cold run may do
 * better; what a run did whose box was lost has stayed there.
 */
static int
run_warm(const struct sg_box_spec *spec, struct sg_arena *arena,
	 struct sg_result *ret)
{
	struct sg_lease lease;
	struct sg_attempt *a;
	struct sg_result r;
	int rc;

	if (!spec->warm || !sg_warm_take(spec->warm, spec, &lease))
		return SG_EBOX;
	memset(&r, 0, sizeof(r));
	a = &lease.run->a;
	a->known = lease.guard;
	sg_ready_aim(lease.run, spec, arena, &r);
	rc = sg_attempt_go(a, &lease.box, NULL);
	if (rc == SG_OK && was_lost(a, &lease))
		rc = SG_EBOX;
	if (rc == SG_OK) {
		r.warm = sg_arena_dup(arena, sg_str_c(lease.name));
		finish(a);
		*ret = r;
	}
	sg_warm_give(spec->warm, &lease);
	return rc == SG_OK ? SG_OK : SG_EBOX;
}

int
sg_box_run(const struct sg_box_spec *spec, struct sg_arena *arena,
	   struct sg_result *ret, struct sg_err *err)
{
	struct sg_prepared p;
	struct sg_python py;
	struct sg_err first;
	int rc;

	memset(&p, 0, sizeof(p));
	sg_err_clear(&first);
	rc = check_spec(spec, err);
	/* Descriptors of a warm run are sent, whatever their numbers. */
	if (rc == SG_OK && run_warm(spec, arena, ret) == SG_OK)
		return SG_OK;
	if (rc == SG_OK)
		rc = sg_hold_standard_fds(err);
	if (rc == SG_OK)
		rc = sg_python_find(spec->python, arena, &py, err);
	if (rc < 0)
		return rc;
	sg_prepare(&sg_prepare_driver, spec, &py, arena, &p);
	if (sg_fonts_wanted(spec->code))
		sg_prepare(&sg_prepare_fonts, spec, &py, arena, &p);
	rc = run_once(spec, &py, &p, arena, ret, &first);
	if (rc == SG_EBOX && p.driver.n) {
		/* It may be the byte code that this interpreter refuses; the
		   program has not started. */
		sg_err_clear(&first);
		p.driver = p.late = SG_STR_NONE;
		rc = run_once(spec, &py, &p, arena, ret, &first);
		if (rc == SG_OK)
			sg_prepared_forget_driver(&py);
	}
	/* Only now, for it takes long: may it be no fault of the box? */
	if (rc == SG_EBOX && sg_python_check(&py, err) == SG_ENOENT)
		return SG_ENOENT;
	if (rc < 0 && err)
		*err = first;
	return rc;
}

/* --- probe --------------------------------------------------------------- */

/*
 * The least is asked of the try itself, so that it goes as far as the host
 * lets it; then what came of it is held against what is wanted.
 */
int
sg_box_probe(enum sg_box_require require, struct sg_arena *arena,
	     const struct sg_layer **ret_layers, uint32_t *ret_n,
	     bool *ret_meets, struct sg_err *err)
{
	unsigned must = sg_layer_required(require);
	const struct sg_layer *layers = NULL;
	struct sg_box_spec spec;
	struct sg_result r;
	struct sg_attempt a;
	int rc;

	memset(&r, 0, sizeof(r));
	sg_box_spec_init(&spec);
	spec.require = SG_REQUIRE_ANY;
	rc = sg_hold_standard_fds(err);
	if (rc < 0)
		return rc;
	sg_attempt_init(&a, &spec, NULL, arena, &r);
	a.probe = true;
	rc = sg_attempt_run(&a, err);
	spec.require = require;
	if (rc == SG_OK)
		rc = sg_attempt_layers(&a, &layers, err);
	sg_attempt_release(&a);
	if (rc < 0 || !layers)
		return rc;
	*ret_meets = true;
	for (unsigned i = 0; i < SG_L_COUNT; i++)
		if (must & SG_L_BIT(i) && layers[i].state != SG_LAYER_ACTIVE)
			*ret_meets = false;
	*ret_layers = layers;
	*ret_n = SG_L_COUNT;
	return SG_OK;
}
