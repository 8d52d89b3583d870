#include "cmd/http_lib.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define ROW(name)                                                \
	{                                                        \
		"MHD_" #name, offsetof(struct sg_http_lib, name) \
	}
static const struct {
	const char *name;
	size_t at; /* of the pointer in struct sg_http_lib */
} rows[] = {
	ROW(add_response_header),
	ROW(create_response_from_buffer),
	ROW(create_response_from_callback),
	ROW(destroy_response),
	ROW(get_connection_info),
	ROW(get_connection_values),
	ROW(get_connection_values_n),
	ROW(lookup_connection_value),
	ROW(queue_response),
	ROW(quiesce_daemon),
	ROW(resume_connection),
	ROW(start_daemon),
	ROW(stop_daemon),
	ROW(suspend_connection),
};
enum { NROWS = sizeof(rows) / sizeof(rows[0]) };

_Static_assert(NROWS * sizeof(void *) == sizeof(struct sg_http_lib),
	       "each member has a row");
/* An empty name would be that of the program itself. */
_Static_assert(sizeof(SG_MHD_SONAME) > 1, "the makefile found the library");

static int
missing(struct sg_err *err)
{
	const char *why = dlerror();

	return sg_err_set(err, SG_ENOENT, "the server needs libmicrohttpd: %s",
			  why ? why : SG_MHD_SONAME);
}

int
sg_http_lib_load(struct sg_http_lib *ret, struct sg_err *err)
{
	void *handle = dlopen(SG_MHD_SONAME, RTLD_NOW | RTLD_LOCAL);
	struct sg_http_lib lib;

	if (!handle)
		return missing(err);
	for (uint32_t i = 0; i < NROWS; i++) {
		void *symbol = dlsym(handle, rows[i].name);

		if (!symbol)
			return missing(err);
		/* C knows no way from one kind of pointer to the other. */
		memcpy((char *)&lib + rows[i].at, &symbol, sizeof(symbol));
	}
	*ret = lib;
	return SG_OK;
}
