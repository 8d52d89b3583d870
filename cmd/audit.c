#include "cmd/cmd.h"

#include "base/file.h"
#include "base/json.h"
#include "pipeline/audit.h"
#include "pipeline/event.h"
#include "pipeline/lines.h"
#include "pipeline/render.h"
#include "pipeline/verify.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

struct audit {
	bool json;
	const char *run;
};

#define AT(field) offsetof(struct audit, field)
static const struct sg_opt verify_options[] = {
	{ SG_OPT_FLAG, 0, "json", NULL, "print the findings as JSON",
	  AT(json) },
	SG_OPT_ALL,
	{ 0 },
};

static const struct sg_opt show_options[] = {
	{ SG_OPT_FLAG, 0, "json", NULL, "print the records as they are",
	  AT(json) },
	{ SG_OPT_TEXT, 0, "run", "ID", "only the records of this run",
	  AT(run) },
	SG_OPT_ALL,
	{ 0 },
};

static const struct sg_opt plain[] = { SG_OPT_ALL, { 0 } };

/* The logs named, or the one that `run` would write to. */
struct named {
	const char *const *paths;
	uint32_t n;
	const char *one;
	char room[4096];
};

static bool
name_logs(const struct sg_args *args, struct named *ret)
{
	const char *env = getenv("SANDGATE_AUDIT");
	struct sg_err err;

	sg_err_clear(&err);
	ret->paths = args->v;
	ret->n = args->n;
	if (args->n)
		return true;
	ret->one = env && env[0] ? env : ret->room;
	ret->paths = &ret->one;
	ret->n = 1;
	if (ret->one == ret->room &&
	    sg_audit_default_path(ret->room, sizeof(ret->room), &err) < 0) {
		sg_say_err(&err);
		return false;
	}
	return true;
}

/* ---- verify ---- */

static void
verify_json(const struct sg_verify *v, struct sg_buf *out)
{
	struct sg_json j;

	sg_json_init(&j, out);
	sg_json_object(&j);
	sg_json_kbool(&j, "intact", v->kind == SG_VERIFY_INTACT);
	sg_json_kc(&j, "kind", sg_verify_kind_name(v->kind));
	sg_json_kc(&j, "file", v->file);
	sg_json_key(&j, "line");
	if (v->line)
		sg_json_uint(&j, v->line);
	else
		sg_json_null(&j);
	sg_json_kc(&j, "what", v->what[0] ? v->what : NULL);
	sg_json_kuint(&j, "records", v->records);
	sg_json_kuint(&j, "first_sequence", v->first_sequence);
	sg_json_kuint(&j, "last_sequence", v->last.sequence);
	sg_json_kc(&j, "last_fingerprint",
		   v->records ? v->last.fingerprint : NULL);
	sg_json_kbool(&j, "carried_on", v->carried_on);
	sg_json_kc(&j, "head", sg_head_state_name(v->head));
	sg_json_kuint(&j, "torn_bytes", v->torn);
	sg_json_kuint(&j, "unfinished_runs", v->unfinished);
	sg_json_end(&j);
	sg_buf_char(out, '\n');
}

/* What is no fault and still worth a line. */
static void
verify_notes(const struct sg_verify *v, struct sg_buf *out)
{
	if (v->carried_on)
		sg_buf_printf(out,
			      "  note: begins with record %" PRIu64
			      ", carried on from an older file\n",
			      v->first_sequence);
	if (v->torn)
		sg_buf_printf(out,
			      "  note: %" PRIu64
			      " bytes at the end are torn, as a crash leaves "
			      "them; the next writer sets them aside\n",
			      v->torn);
	if (v->unfinished)
		sg_buf_printf(out,
			      "  note: %" PRIu64 " run%s no outcome: cut off, "
			      "or under way; the first is %s\n",
			      v->unfinished,
			      v->unfinished == 1 ? " has" : "s have",
			      v->first_unfinished);
	if (v->head == SG_HEAD_BEHIND)
		sg_buf_c(out, "  note: the head file is behind, as after a "
			      "crash or while a server is at work\n");
	if (v->head == SG_HEAD_MISSING || v->head == SG_HEAD_UNREADABLE)
		sg_buf_printf(out,
			      "  note: the head file is %s: a removed tail "
			      "would not be seen\n",
			      sg_head_state_name(v->head));
}

static void
verify_text(const struct sg_verify *v, struct sg_buf *out)
{
	sg_render_safe(sg_str_c(v->file), out);
	if (v->kind == SG_VERIFY_INTACT) {
		sg_buf_printf(out, ": intact, %" PRIu64 " record%s\n",
			      v->records, v->records == 1 ? "" : "s");
		verify_notes(v, out);
		return;
	}
	if (v->line)
		sg_buf_printf(out, ":%" PRIu64, v->line);
	sg_buf_printf(out, ": BROKEN (%s): %s\n", sg_verify_kind_name(v->kind),
		      v->what);
	if (v->records)
		sg_buf_printf(out,
			      "  records before it that are sound: %" PRIu64
			      "\n",
			      v->records);
}

static int
run_verify(const struct sg_args *args, void *fields)
{
	const struct audit *f = fields;
	struct sg_arena arena;
	struct sg_verify v;
	struct named logs;
	struct sg_err err;
	struct sg_buf b;
	int status;

	if (!name_logs(args, &logs))
		return SG_EXIT_ERROR;
	sg_err_clear(&err);
	sg_arena_init(&arena, 16 << 20);
	/* One log stands for all that it was rotated to. */
	status = logs.n == 1 ? sg_audit_verify_chain(logs.paths[0], &arena, &v,
						     &err)
			     : sg_audit_verify(logs.paths, logs.n, &v, &err);
	if (status != SG_OK) {
		sg_say_err(&err);
		sg_arena_release(&arena);
		return SG_EXIT_ERROR;
	}
	sg_buf_init(&b, SG_TERM_MAX);
	if (f->json)
		verify_json(&v, &b);
	else
		verify_text(&v, &b);
	status = v.kind == SG_VERIFY_INTACT ? SG_EXIT_OK : SG_EXIT_REJECT;
	status = sg_term_put(&b, status, SG_EXIT_ERROR);
	sg_buf_release(&b);
	sg_arena_release(&arena);
	return status;
}

/* ---- show ---- */

static bool
show_line(const struct audit *f, const char *path, uint64_t number,
	  struct sg_str line, struct sg_buf *out)
{
	struct sg_record rec;
	enum sg_record_fault bad = sg_record_read(line, &rec);
	bool known = bad != SG_RECORD_SYNTAX && bad != SG_RECORD_SHAPE;

	if (!known) {
		sg_say("%s:%" PRIu64 ": not a record of an audit log", path,
		       number);
	} else if (!f->run || strcmp(sg_event_run(&rec), f->run) == 0) {
		if (f->json)
			sg_buf_str(out, line);
		else
			sg_event_render(&rec, out);
		sg_buf_char(out, '\n');
	}
	sg_record_release(&rec);
	return known;
}

static int
show_lines(const struct audit *f, const char *path, struct sg_lines *lines,
	   struct sg_buf *out)
{
	enum sg_line kind = SG_LINE_WHOLE;
	int status = SG_EXIT_OK;
	struct sg_str line;
	struct sg_err err;

	sg_err_clear(&err);
	while (status < SG_EXIT_ERROR) {
		if (sg_lines_next(lines, &kind, &line, &err) < 0) {
			sg_say_err(&err);
			return SG_EXIT_ERROR;
		}
		if (kind == SG_LINE_END)
			break;
		if (!show_line(f, path, lines->number, line, out))
			status = SG_EXIT_REJECT;
		if (out->len > 1 << 20)
			status = sg_term_put(out, status, SG_EXIT_ERROR);
	}
	return sg_term_put(out, status, SG_EXIT_ERROR);
}

static int
show_file(const struct audit *f, const char *path, struct sg_buf *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), status;
	struct sg_lines lines;

	if (fd < 0) {
		sg_say("%s: %s", path, strerror(errno));
		return SG_EXIT_ERROR;
	}
	sg_lines_init(&lines, fd, SG_RECORD_MAX, NULL);
	status = show_lines(f, path, &lines, out);
	sg_lines_release(&lines);
	sg_fd_close(&fd);
	return status;
}

static int
run_show(const struct sg_args *args, void *fields)
{
	int worst = SG_EXIT_OK;
	struct named logs;
	struct sg_buf b;

	if (!name_logs(args, &logs))
		return SG_EXIT_ERROR;
	sg_buf_init(&b, SG_TERM_MAX);
	for (uint32_t i = 0; i < logs.n && worst < SG_EXIT_ERROR; i++) {
		int status = show_file(fields, logs.paths[i], &b);

		if (status > worst)
			worst = status;
	}
	sg_buf_release(&b);
	return worst;
}

static const struct sg_cmd verify = {
	.name = "verify",
	.synopsis = "[FILE...]",
	.summary = "says whether an audit log is as it was written",
	.text = "Without FILE: SANDGATE_AUDIT, or the user's own log.  One log "
		"stands for all files\nit was rotated to; several files are "
		"one chain, oldest first.  Exit status: 0 intact, "
		"1 broken, 2 unreadable.\n",
	.opts = verify_options,
	.fields = sizeof(struct audit),
	.failed = SG_EXIT_ERROR,
	.run = run_verify,
};

static const struct sg_cmd show = {
	.name = "show",
	.synopsis = "[FILE...]",
	.summary = "prints the records of an audit log, one a line",
	.text = "Exit status: 0, 1 when a line is no record, 2 unreadable.\n",
	.opts = show_options,
	.fields = sizeof(struct audit),
	.failed = SG_EXIT_ERROR,
	.run = run_show,
};

static const struct sg_cmd *const subs[] = { &verify, &show, NULL };

const struct sg_cmd sg_cmd_audit = {
	.name = "audit",
	.synopsis = "COMMAND [OPTION...] ...",
	.summary = "verify and show audit logs",
	.opts = plain,
	.failed = SG_EXIT_ERROR,
	.subs = subs,
};
