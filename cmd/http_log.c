#include "cmd/http.h"

#include "base/clock.h"
#include "base/file.h"

#include <unistd.h>

enum { LINE_MAX_BYTES = 16 * 1024 };

void
sg_http_log(const struct sg_http_req *req, unsigned status, uint64_t took_us)
{
	char when[SG_CLOCK_ISO];
	struct sg_json j;
	struct sg_buf b;

	sg_clock_iso(sg_clock_real_us(), when);
	sg_buf_init(&b, LINE_MAX_BYTES);
	sg_json_init(&j, &b);
	sg_json_object(&j);
	sg_json_kc(&j, "time", when);
	sg_json_kc(&j, "request_id", req->id);
	sg_json_kc(&j, "peer", req->conn ? req->conn->peer : "");
	sg_json_kstr(&j, "method", sg_str_slice(sg_str_c(req->verb), 0, 32));
	sg_json_kstr(&j, "path", sg_str_slice(sg_str_c(req->path), 0, 512));
	sg_json_kuint(&j, "status", status);
	sg_json_kuint(&j, "bytes_in", req->received);
	sg_json_kuint(&j, "bytes_out", req->sent);
	sg_json_kuint(&j, "took_us", took_us);
	if (req->run[0])
		sg_json_kc(&j, "run", req->run);
	if (req->result)
		sg_json_kc(&j, "result", req->result);
	sg_json_end(&j);
	sg_buf_char(&b, '\n');
	/* One write, so that lines of two threads never mix.  A log whose
	 * reader is gone must not stop the server. */
	if (sg_json_done(&j) && !sg_buf_failed(&b))
		(void)!write(STDERR_FILENO, b.data, b.len);
	sg_buf_release(&b);
}
