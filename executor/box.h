#ifndef SG_EXECUTOR_BOX_H
#define SG_EXECUTOR_BOX_H

/*
 * Runs one Python program in a box and says what happened.
 *
 *	struct sg_box_spec spec;
 *	sg_box_spec_init(&spec);
 *	spec.code = text;
 *	sg_box_run(&spec, &arena, &result, &err);
 *
 * docs/processes.md says which processes there are and what each may do.
 */

#include "base/status.h"
#include "executor/result.h"

#include <stdatomic.h>

struct sg_box_limits {
	uint32_t wall_ms;      /* 30,000 */
	uint32_t cpu_ms;       /* 30,000 */
	uint64_t memory;       /* bytes: 512 MiB */
	uint64_t workspace;    /* bytes: 64 MiB */
	uint32_t inodes;       /* in the workspace: 16,384 */
	uint64_t file_size;    /* bytes of one file; 0: as the workspace */
	uint32_t threads;      /* 64 */
	uint32_t processes;    /* beside the program itself: 0.  Where there
				  are any, they and all threads together are
				  at most the sum of both */
	uint32_t open_files;   /* 256 */
	uint64_t output;       /* bytes kept of stdout, and of stderr: 1 MiB */
	uint64_t output_total; /* bytes written before it is ended: 256 MiB */
	uint32_t result;       /* bytes of the last value's repr: 64 KiB */
	uint32_t images;       /* 20 */
	uint64_t image_bytes;  /* each: 8 MiB */
	uint32_t files;        /* collected: 100 */
	uint64_t file_bytes;   /* all together: 32 MiB */
	uint32_t collect_ms;   /* 2,000 */
};

/* What to do where the host refuses a layer. */
enum sg_box_require {
	SG_REQUIRE_STRICT,   /* every layer, or nothing runs */
	SG_REQUIRE_STANDARD, /* namespaces, mounts, seccomp, no capabilities;
				a memory limit of some kind */
	SG_REQUIRE_ANY       /* seccomp and no_new_privs at least */
};

struct sg_box_input {
	struct sg_str name; /* relative path in the workspace */
	struct sg_str data;
};

/*
 * Something that the program is told not to do, by an exception with a
 * reason instead of whatever the walls would have answered.  It explains;
 * the walls hold without it.
 *
 * Entries of one event stand together; the first that fits decides.
 */
struct sg_box_guard {
	struct sg_str event;   /* of CPython's audit table: "os.system",
				  "socket.*"; or "import": any import by
				  statement or function, of C code none */
	struct sg_str name;    /* first argument, or what it lies in: "os"
				  also means "os.path", "/tmp" "/tmp/a";
				  empty: any */
	struct sg_str message; /* of the PermissionError: one line, {name} is
				  the first argument; empty: let it pass */
	bool direct;           /* only where the program itself does it, not
				  what it imports or calls */
};

struct sg_warm;

enum { SG_BOX_LATER = 1 }; /* the answer of sg_box_spec.admit */

struct sg_box_spec {
	struct sg_str code;   /* canonical text; borrowed */
	struct sg_str script; /* name in tracebacks: "script.py" */
	const char *python;   /* NULL: found (sg_box_python()) */
	struct sg_str input;  /* standard input; SG_STR_NONE: none */
	bool has_input;
	const struct sg_box_input *files;
	uint32_t nfiles;
	const char *const *argv; /* of the program; NULL-ended or NULL */
	const char *const *env;  /* "NAME=VALUE", beside those that every
				    program gets; NULL-ended or NULL */
	const struct sg_box_guard *guard;
	uint32_t nguard;
	struct sg_str guard_text; /* the same as sg_request_guard() wrote it;
				     borrowed; SG_STR_NONE: written anew */
	bool collect;             /* bring new files out */
	enum sg_box_require require;
	struct sg_box_limits limits;
	int cancel_fd;                /* readable: cancel the run; -1 none */
	atomic_ullong *seen;          /* bytes of output so far, for other
					 threads to look at; NULL: none do */
	struct sg_warm *warm;         /* executor/warm.h; NULL: a cold run */
	const struct sg_str *imports; /* modules that the program imports, to
					 choose a warm interpreter by */
	uint32_t nimports;
	/*
	 * Whether the program may start; on the thread of sg_box_run().  Asked
	 * while the box is being built, when SG_BOX_LATER is an answer, and,
	 * until it was SG_OK, again (`must`) before the box gets the program.
	 * A negative status is what sg_box_run() returns, and
	 * then nothing of the program ran.  Each try to build a box asks;
	 * without one nobody does.  NULL: it may.
	 */
	int (*admit)(void *ctx, bool must, struct sg_err *err);
	void *admit_ctx;
};

/* SG_EUSAGE names a limit that makes no sense, and what would. */
SG_MUST_CHECK int sg_box_limits_check(const struct sg_box_limits *limits,
				      struct sg_err *err);
/* The same of an environment. */
SG_MUST_CHECK int sg_box_env_check(const char *const *env, struct sg_err *err);

/* Fills in the defaults named above. */
void sg_box_spec_init(struct sg_box_spec *spec);

/*
 * Runs it.  SG_OK: *ret says what happened, owned by `arena` (whose cap must
 * allow for the output and file limits).  Otherwise nothing of the program
 * ran: SG_EBOX (a required layer is missing, set-up failed), SG_EUSAGE,
 * SG_ENOENT (no interpreter, or not one that can be used), SG_ENOMEM, SG_EIO.
 */
SG_MUST_CHECK int sg_box_run(const struct sg_box_spec *spec,
			     struct sg_arena *arena, struct sg_result *ret,
			     struct sg_err *err);

/*
 * Probes every layer by doing.  *ret_layers is owned by `arena`.  SG_OK also
 * when layers are missing; *ret_meets says whether `require` holds.
 */
SG_MUST_CHECK int sg_box_probe(enum sg_box_require require,
			       struct sg_arena *arena,
			       const struct sg_layer **ret_layers,
			       uint32_t *ret_n, bool *ret_meets,
			       struct sg_err *err);

/*
 * The interpreter that would run: path, version (3.11.2) and its minor
 * number.  SG_ENOENT when there is none.
 */
SG_MUST_CHECK int sg_box_python(const char *wanted, struct sg_arena *arena,
				struct sg_str *ret_path,
				struct sg_str *ret_version, uint32_t *ret_minor,
				struct sg_err *err);

#endif
