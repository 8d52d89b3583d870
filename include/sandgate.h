#ifndef SANDGATE_H
#define SANDGATE_H

/*
 * libsandgate: judges Python that a language model wrote, and runs what
 * passes.
 *
 *	struct sg_lib *lib;
 *	struct sg_lib_error error;
 *	struct sg_lib_text result;
 *
 *	if (sg_lib_open(NULL, &lib, &error) != 0)
 *		errx(1, "%s", error.message);
 *	if (sg_lib_run(lib, &request, &result, &error) == 0)
 *		fwrite(result.data, 1, result.size, stdout);
 *	sg_lib_text_free(&result);
 *	sg_lib_free(lib);
 *
 * Results are JSON, in the shape of docs/result.schema.json.  A verdict that
 * rejects and a program that fails are results, not errors of a call.
 *
 * Structs that the caller fills in begin with their own size, so that fields
 * can be added: start from SG_LIB_OPTIONS_INIT and SG_LIB_REQUEST_INIT.
 *
 * A handle is for one thread at a time; several handles may be used by several
 * threads at once.  sg_lib_run() forks: the caller's SIGCHLD handling is left
 * alone, and descriptors of the caller that are not O_CLOEXEC are not passed
 * on.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SG_LIB_API __attribute__((visibility("default")))
#else
#define SG_LIB_API
#endif

/* What a call returns: 0, or one of these, which stand in error.status. */
enum sg_lib_status {
	SG_LIB_OK = 0,
	SG_LIB_NO_MEMORY = -1,
	SG_LIB_IO = -2,     /* the system refused a file operation */
	SG_LIB_USAGE = -3,  /* the call makes no sense */
	SG_LIB_POLICY = -4, /* the policy is missing or wrong */
	SG_LIB_BOX = -5,    /* the box could not be built; nothing ran */
	SG_LIB_AUDIT = -6,  /* a record could not be written */
	SG_LIB_NO_PYTHON = -7,
	SG_LIB_INTERNAL = -8 /* a bug; nothing was allowed */
};

struct sg_lib_error {
	int status;         /* enum sg_lib_status */
	int system_errno;   /* 0 when none is behind it */
	char message[1024]; /* one line, with file, line and column if known */
};

/* A handle: a policy, the interpreter's version, an audit log. */
struct sg_lib;

struct sg_lib_options {
	size_t size;         /* sizeof(struct sg_lib_options) */
	const char *policy;  /* name or file; NULL: "default" */
	const char *python;  /* interpreter; NULL: found */
	const char *audit;   /* audit log; NULL: no records are written */
	uint64_t audit_max;  /* bytes; a longer log is rotated; 0: never */
	const char *require; /* "strict", "standard", "any"; NULL: standard */
};

#define SG_LIB_OPTIONS_INIT                                              \
	{                                                                \
		sizeof(struct sg_lib_options), NULL, NULL, NULL, 0, NULL \
	}

/* A file for the workspace of the program. */
struct sg_lib_file {
	const char *name; /* relative path */
	const void *data;
	size_t data_size;
};

struct sg_lib_request {
	size_t size;      /* sizeof(struct sg_lib_request) */
	const char *code; /* bytes of the script */
	size_t code_size;
	const char *name; /* of the script, in messages; may be NULL */
	/* The rest is for sg_lib_run(); 0 and NULL mean the default. */
	const char *const *arguments; /* NULL-ended */
	const void *input;            /* standard input; NULL: none */
	size_t input_size;
	const struct sg_lib_file *files;
	size_t nfiles;
	uint32_t timeout_ms; /* 30,000 */
	uint64_t memory;     /* bytes; 512 MiB */
	int cancel_fd;       /* readable: cancel the run; -1: none */
};

#define SG_LIB_REQUEST_INIT                                                  \
	{                                                                    \
		sizeof(struct sg_lib_request), NULL, 0, NULL, NULL, NULL, 0, \
			NULL, 0, 0, 0, -1                                    \
	}

/* JSON on one line, ended by a NUL that `size` does not count. */
struct sg_lib_text {
	char *data;
	size_t size;
};

/*
 * Opens a handle.  `options` may be NULL; what it points to is copied.
 * *lib belongs to the caller: sg_lib_free().  `error` may be NULL.
 */
SG_LIB_API int sg_lib_open(const struct sg_lib_options *options,
			   struct sg_lib **lib, struct sg_lib_error *error);
/* `lib` may be NULL. */
SG_LIB_API void sg_lib_free(struct sg_lib *lib);

/*
 * Judges a script and runs nothing.  *result belongs to the caller:
 * sg_lib_text_free().  After an error *result is empty, and the script must
 * be treated as rejected.
 */
SG_LIB_API int sg_lib_check(struct sg_lib *lib,
			    const struct sg_lib_request *request,
			    struct sg_lib_text *result,
			    struct sg_lib_error *error);

/*
 * Judges a script and, if it passes, runs it in the box; blocks until all of
 * its processes are gone.  Images and files stand in the result as base64.
 * *result belongs to the caller: sg_lib_text_free().
 */
SG_LIB_API int sg_lib_run(struct sg_lib *lib,
			  const struct sg_lib_request *request,
			  struct sg_lib_text *result,
			  struct sg_lib_error *error);

/* Frees the text and makes it empty. */
SG_LIB_API void sg_lib_text_free(struct sg_lib_text *text);

/* "0.1.0": static. */
SG_LIB_API const char *sg_lib_version(void);

#ifdef __cplusplus
}
#endif

#endif
