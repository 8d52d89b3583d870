#ifndef SG_CMD_BOX_OPTS_H
#define SG_CMD_BOX_OPTS_H

/*
 * The options that say what a run may use and what it gets, the same for
 * every command that runs scripts: a group of rows for the command's table.
 *
 *	struct serve { ...; struct sg_box_opts box; };
 *	static const struct sg_opt options[] = {
 *		...,
 *		SG_BOX_OPTS(offsetof(struct serve, box)),
 *		SG_OPT_ALL,
 *		{ 0 },
 *	};
 *
 *	sg_box_opts_limits(&f->box, &opts.limits, &err);
 *	sg_run_require(f->box.require, &opts.require, &err);
 *	sg_box_opts_env(&f->box, &arena, &env, &err);
 *
 * docs/sandgate-run.1 describes them; a command's own page may refer to it.
 */

#include "cmd/opt.h"
#include "executor/box.h"

struct sg_box_opts {
	const char *python;  /* NULL: found */
	const char *require; /* NULL: as it is; for sg_run_require() */
	/* Limits; 0 and not given: as they are. */
	uint64_t timeout, cpu, collect; /* milliseconds */
	uint64_t memory, workspace, file_size, output, output_total, result,
		image_size, files_size;
	uint64_t inodes, threads, open_files;
	struct sg_opt_number processes, images, files;
	struct sg_opt_list env;
};

#define SG_BOX_OPT_AT(base, field) \
	((base) + offsetof(struct sg_box_opts, field))

/* Rows in an initializer's braces, so out of reach of clang-format. */
/* clang-format off */
#define SG_BOX_OPTS(base)                                                     \
	{ SG_OPT_TEXT, 0, "python", "PATH",                                   \
	  "interpreter (default: python3 that is found)",                     \
	  SG_BOX_OPT_AT(base, python) },                                      \
	{ SG_OPT_TEXT, 0, "require", "LEVEL",                                 \
	  "strict, standard (default) or any: layers that must hold",         \
	  SG_BOX_OPT_AT(base, require) },                                     \
	{ SG_OPT_TIME, 't', "timeout", "SECONDS",                             \
	  "limit of wall clock time (default: 30)",                           \
	  SG_BOX_OPT_AT(base, timeout) },                                     \
	{ SG_OPT_TIME, 0, "cpu", "SECONDS",                                   \
	  "limit of processor time (default: 30)",                            \
	  SG_BOX_OPT_AT(base, cpu) },                                         \
	{ SG_OPT_SIZE, 'm', "memory", "SIZE",                                 \
	  "limit of memory (default: 512MiB)",                                \
	  SG_BOX_OPT_AT(base, memory) },                                      \
	{ SG_OPT_COUNT, 0, "threads", "N",                                    \
	  "threads at a time (default: 64)",                                  \
	  SG_BOX_OPT_AT(base, threads) },                                     \
	{ SG_OPT_NUMBER, 0, "processes", "N",                                 \
	  "other processes, counted together with threads (default: 0)",      \
	  SG_BOX_OPT_AT(base, processes) },                                   \
	{ SG_OPT_SIZE, 0, "workspace", "SIZE",                                \
	  "what the program's files may hold (default: 64MiB)",               \
	  SG_BOX_OPT_AT(base, workspace) },                                   \
	{ SG_OPT_COUNT, 0, "inodes", "N",                                     \
	  "files and folders in the workspace (default: 16384)",              \
	  SG_BOX_OPT_AT(base, inodes) },                                      \
	{ SG_OPT_SIZE, 0, "file-size", "SIZE",                                \
	  "bytes of one file (default: as the workspace)",                    \
	  SG_BOX_OPT_AT(base, file_size) },                                   \
	{ SG_OPT_COUNT, 0, "open-files", "N",                                 \
	  "files open at a time (default: 256)",                              \
	  SG_BOX_OPT_AT(base, open_files) },                                  \
	{ SG_OPT_SIZE, 0, "output", "SIZE",                                   \
	  "bytes kept of stdout and of stderr (default: 1MiB)",               \
	  SG_BOX_OPT_AT(base, output) },                                      \
	{ SG_OPT_SIZE, 0, "output-total", "SIZE",                             \
	  "bytes written before the run is ended (default: 256MiB)",          \
	  SG_BOX_OPT_AT(base, output_total) },                                \
	{ SG_OPT_SIZE, 0, "result-size", "SIZE",                              \
	  "bytes kept of the last expression's value (default: 64KiB)",       \
	  SG_BOX_OPT_AT(base, result) },                                      \
	{ SG_OPT_NUMBER, 0, "images", "N",                                    \
	  "images brought out (default: 20)",                                 \
	  SG_BOX_OPT_AT(base, images) },                                      \
	{ SG_OPT_SIZE, 0, "image-size", "SIZE",                               \
	  "bytes of one image (default: 8MiB)",                               \
	  SG_BOX_OPT_AT(base, image_size) },                                  \
	{ SG_OPT_NUMBER, 0, "files-out", "N",                                 \
	  "files brought out (default: 100)",                                 \
	  SG_BOX_OPT_AT(base, files) },                                       \
	{ SG_OPT_SIZE, 0, "files-out-size", "SIZE",                           \
	  "bytes of all files brought out (default: 32MiB)",                  \
	  SG_BOX_OPT_AT(base, files_size) },                                  \
	{ SG_OPT_TIME, 0, "collect-time", "SECONDS",                          \
	  "limit of the time to bring files out (default: 2)",                \
	  SG_BOX_OPT_AT(base, collect) },                                     \
	{ SG_OPT_CONFIG, 0, "config", "FILE",                                 \
	  "more options, from a file: a line NAME = VALUE for each",          \
	  SIZE_MAX },                                                         \
	{ SG_OPT_LIST, 'e', "env", "NAME[=VALUE]",                            \
	  "variable of the program's environment; without a value, ours",     \
	  SG_BOX_OPT_AT(base, env) }
/* clang-format on */

/* Sets what was given in *limits, and checks all of it.  SG_EUSAGE. */
SG_MUST_CHECK int sg_box_opts_limits(const struct sg_box_opts *o,
				     struct sg_box_limits *limits,
				     struct sg_err *err);

/*
 * "NAME=VALUE" of each, NULL-ended, for sg_box_spec.env: owned by `arena`;
 * NULL when none was given.  SG_EUSAGE for a name without a value that is not
 * in our own environment either.
 */
SG_MUST_CHECK int sg_box_opts_env(const struct sg_box_opts *o,
				  struct sg_arena *arena,
				  const char *const **ret, struct sg_err *err);

#endif
