#ifndef SG_CMD_HTTP_LIB_H
#define SG_CMD_HTTP_LIB_H

/*
 * What the server uses of libmicrohttpd, which is loaded when a server is
 * opened: it brings a library for TLS with it, and being linked with both
 * takes longer than all else that a command does before its main().
 *
 * To use one more of its functions: a member here, a row in the table of
 * http_lib.c.
 */

#include <microhttpd.h>

#include "base/status.h"

/* MHD_start_daemon() is `start_daemon`, and so on. */
struct sg_http_lib {
	__typeof__(MHD_add_response_header) *add_response_header;
	__typeof__(MHD_create_response_from_buffer)
		*create_response_from_buffer;
	__typeof__(MHD_create_response_from_callback)
		*create_response_from_callback;
	__typeof__(MHD_destroy_response) *destroy_response;
	__typeof__(MHD_get_connection_info) *get_connection_info;
	__typeof__(MHD_get_connection_values) *get_connection_values;
	__typeof__(MHD_get_connection_values_n) *get_connection_values_n;
	__typeof__(MHD_lookup_connection_value) *lookup_connection_value;
	__typeof__(MHD_queue_response) *queue_response;
	__typeof__(MHD_quiesce_daemon) *quiesce_daemon;
	__typeof__(MHD_resume_connection) *resume_connection;
	__typeof__(MHD_start_daemon) *start_daemon;
	__typeof__(MHD_stop_daemon) *stop_daemon;
	__typeof__(MHD_suspend_connection) *suspend_connection;
};

/*
 * Fills *ret, all of it or nothing; the library then stays until the process
 * ends.  SG_ENOENT when it is not there, or is not the one that sandgate was
 * built for.
 */
SG_MUST_CHECK int sg_http_lib_load(struct sg_http_lib *ret, struct sg_err *err);

#endif
