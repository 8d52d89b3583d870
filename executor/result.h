#ifndef SG_EXECUTOR_RESULT_H
#define SG_EXECUTOR_RESULT_H

/* What happened to one program in the box. */

#include "base/arena.h"

enum sg_run_status {
	SG_RUN_OK = 0,
	SG_RUN_ERROR,    /* exception or exit status that is not 0 */
	SG_RUN_REJECTED, /* by the gate; set by pipeline */
	SG_RUN_TIMEOUT,  /* wall clock */
	SG_RUN_CPU_LIMIT,
	SG_RUN_MEMORY_LIMIT,
	SG_RUN_PROCESS_LIMIT,
	SG_RUN_DISK_LIMIT,
	SG_RUN_OUTPUT_LIMIT,
	SG_RUN_SYSCALL_DENIED, /* ended by, or because of, the filter */
	SG_RUN_SIGNALED,
	SG_RUN_CANCELLED,
	SG_RUN_OVERLOADED,
	SG_RUN_INVALID,  /* the request made no sense */
	SG_RUN_INTERNAL, /* sandgate failed */
	SG_RUN_STATUS_COUNT
};

/* One captured stream: valid UTF-8, head and tail kept. */
struct sg_stream {
	struct sg_str text; /* with a mark where something was left out */
	uint64_t total;     /* bytes that the program wrote, as counted */
	bool truncated;
	uint32_t replaced; /* invalid UTF-8 sequences replaced */
};

struct sg_image {
	struct sg_str png; /* verified signature, bounded */
	uint32_t width, height;
};

struct sg_out_file {
	struct sg_str name; /* relative, safe, beneath the workspace */
	struct sg_str data;
	struct sg_str sha256; /* hexadecimal */
};

enum sg_layer_state {
	SG_LAYER_OFF = 0, /* not asked for */
	SG_LAYER_ACTIVE,
	SG_LAYER_UNAVAILABLE /* asked for; `why` says more */
};

struct sg_layer {
	const char *name; /* "user namespace", "seccomp" ...; static */
	enum sg_layer_state state;
	bool required;        /* by the configuration in force */
	struct sg_str detail; /* "cgroup v1: memory, pids", or why not */
	struct sg_str advice; /* what to do about it; may be empty */
};

struct sg_denied {
	struct sg_str name; /* of the system call */
	uint32_t count;
};

struct sg_result {
	enum sg_run_status status;
	bool executed; /* user code was started */
	int exit_code; /* -1 when it did not exit by itself */
	int signal;    /* 0 none */
	struct sg_stream out, err;
	struct {
		bool is_set;
		struct sg_str repr, type; /* valid UTF-8, bounded */
		bool truncated;
	} value; /* of the last expression */
	struct {
		bool is_set;
		struct sg_str name, value, traceback;
		uint32_t line; /* in the submitted text; 0 unknown */
	} error;
	const struct sg_image *images;
	uint32_t nimages;
	uint32_t images_dropped; /* beyond the caps */
	const struct sg_out_file *files;
	uint32_t nfiles;
	uint32_t files_dropped; /* beyond the caps, or not regular */
	struct {
		/* The first two from the program's start; until then. */
		uint64_t wall_us, cpu_us, setup_us;
		uint64_t peak_memory; /* bytes; 0 unknown */
	} usage;
	const struct sg_layer *layers;
	uint32_t nlayers;
	const struct sg_denied *denied;
	uint32_t ndenied;
	struct sg_str warm;    /* set of the zygote it was forked from; empty:
				  a cold run */
	struct sg_str hint;    /* for the model; may be empty */
	struct sg_str message; /* why, for INTERNAL and INVALID */
};

/* "ok", "error", "memory_limit" ...; static. */
const char *sg_run_status_name(enum sg_run_status s);

#endif
