#ifndef SG_CMD_HTTP_BODY_H
#define SG_CMD_HTTP_BODY_H

/*
 * The JSON body of a request to judge or to run a script.  docs/openapi.json
 * describes it; a key that is not known is an error.
 */

#include "executor/box.h"
#include "pipeline/service.h"

enum {
	SG_BODY_POINTER = 160,
	SG_BODY_DETAIL = 400,
	SG_BODY_NAME_MAX = 255, /* bytes of a script's name */
	SG_BODY_ENV_MAX = 256   /* variables */
};

struct json_t;

struct sg_body {
	struct json_t *root; /* what the texts below are views into */
	struct sg_arena arena;
	struct sg_str code;
	const char *name; /* NULL none */
	bool has_input;
	struct sg_str input;
	const char **args; /* NULL-ended; NULL none */
	const char **env;  /* "NAME=VALUE", NULL-ended; NULL none */
	struct sg_box_input *files;
	uint32_t nfiles;
	uint64_t file_bytes; /* of all of them */
	/* 0: as the server has it. */
	uint32_t timeout_ms, cpu_ms, deadline_ms;
	uint64_t memory, workspace, output;
	bool list; /* of images and files names and sizes only */
};

/* What is wrong with a body. */
struct sg_body_fault {
	unsigned status;               /* 400, 413, 422 or 500 */
	const char *code;              /* "unknown-key"; static */
	char pointer[SG_BODY_POINTER]; /* where (RFC 6901); "" the whole */
	char detail[SG_BODY_DETAIL];
};

/*
 * Reads it; `body` must be released whatever comes back.  False: *fault says
 * why.
 */
bool sg_body_read(struct sg_str text, enum sg_task_kind kind,
		  struct sg_body *body, struct sg_body_fault *fault);
void sg_body_release(struct sg_body *body);

/*
 * Into a task whose limits are the most that may be asked for.  The task
 * borrows from `body`.
 */
bool sg_body_apply(const struct sg_body *body, struct sg_task *task,
		   struct sg_body_fault *fault);

#endif
