/*
 * One line of JSON Lines, as `filter` reads it.  The first line of the input
 * is the path of the text, the rest is the row.  What is spliced must be
 * sound JSON with the answer in it, if the row was sound.
 */

#include "fuzz/target.h"
#include "pipeline/row.h"

enum { OUT_MAX = 16 << 20 };

static void
check_splice(const struct sg_row *row)
{
	static const char answer[] = "{\"decision\":\"pass\"}";
	struct sg_row_path path;
	struct sg_row again;
	struct sg_buf out;
	struct sg_err err;

	sg_err_clear(&err);
	sg_buf_init(&out, OUT_MAX);
	sg_row_splice(row, sg_str_c(answer), &out);
	must(!sg_buf_failed(&out));
	must(sg_str_find(sg_buf_view(&out), '\n') == out.len);
	must(sg_row_path_parse(SG_STR("/sandgate/decision"), &path, &err) ==
	     SG_OK);
	sg_row_scan(sg_buf_view(&out), &path, &again);
	must(again.fault == NULL);
	must(again.nours == 1);
	sg_buf_release(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sg_str all = { (const char *)data, size };
	size_t cut = sg_str_find(all, '\n');
	struct sg_str line = sg_str_slice(all, cut + 1, size);
	struct sg_row_path path;
	struct sg_row row;
	struct sg_buf text;
	struct sg_err err;

	/* A row never has a line end in it. */
	line = sg_str_slice(line, 0, sg_str_find(line, '\n'));
	sg_err_clear(&err);
	if (sg_row_path_parse(sg_str_slice(all, 0, cut), &path, &err) != SG_OK)
		return 0;
	sg_row_scan(line, &path, &row);
	must(row.at <= line.n);
	sg_buf_init(&text, OUT_MAX);
	if (!row.fault) {
		sg_row_text(&row, &text);
		must(!sg_buf_failed(&text));
		must(text.len <= line.n);
	}
	sg_buf_release(&text);
	check_splice(&row);
	return 0;
}
