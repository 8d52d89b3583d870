/*
 * One line of an audit log.  A record that reads as sound is in canonical
 * form, and carries the fingerprint of itself without it: sealing the like
 * again from its own parts gives a record that reads as sound.
 */

#include "fuzz/target.h"
#include "pipeline/event.h"

#include <jansson.h>

enum { OUT_MAX = 4 << 20 };

static void
seal_again(struct sg_record *rec)
{
	struct sg_link prev = { .sequence = 7, .chain = "c", .uid = "u" };
	struct sg_record again;
	struct sg_link link;
	struct sg_buf line;
	struct sg_err err;

	sg_err_clear(&err);
	memset(prev.fingerprint, 'f', SG_DIGEST_HEX - 1);
	sg_buf_init(&line, OUT_MAX);
	must(sg_chain_seal(rec->json, &prev, &line, &link, &err) == SG_OK);
	must(line.len > 0 && line.data[line.len - 1] == '\n');
	line.len--;
	must(sg_record_read(sg_buf_view(&line), &again) == SG_RECORD_GOOD);
	must(again.self.sequence == 8);
	sg_record_release(&again);
	sg_buf_release(&line);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sg_str line = { (const char *)data, size };
	struct sg_record rec;
	enum sg_record_fault fault = sg_record_read(line, &rec);
	struct sg_buf out;

	sg_buf_init(&out, OUT_MAX);
	if (fault == SG_RECORD_GOOD || fault == SG_RECORD_CHANGED) {
		must(sg_canon_write(rec.json, &out, NULL) == SG_OK);
		must(sg_str_eq(sg_buf_view(&out), line));
		sg_buf_reset(&out);
		sg_event_render(&rec, &out);
		must(!sg_buf_failed(&out));
		must(sg_str_find(sg_buf_view(&out), '\n') == out.len);
		seal_again(&rec);
	}
	sg_buf_release(&out);
	sg_record_release(&rec);
	return 0;
}
