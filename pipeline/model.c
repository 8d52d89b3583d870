#include "pipeline/model.h"

#include "base/utf8.h"
#include "pipeline/render.h"

#include <inttypes.h>
#include <signal.h>

/* ---- parts of a text ---- */

/* Where the first `lines` lines of s end. */
static size_t
lines_end(struct sg_str s, uint32_t lines)
{
	size_t at = 0;

	while (at < s.n && lines > 0) {
		at += sg_str_find(sg_str_slice(s, at, s.n), '\n');
		if (at < s.n)
			at++;
		lines--;
	}
	return at;
}

/* Where the last `lines` lines of s begin. */
static size_t
lines_begin(struct sg_str s, uint32_t lines)
{
	size_t at = s.n;

	if (at > 0 && s.p[at - 1] == '\n')
		at--;
	while (at > 0) {
		if (s.p[at - 1] == '\n' && --lines == 0)
			break;
		at--;
	}
	return at;
}

void
sg_model_cut(struct sg_str s, size_t bytes, uint32_t lines, struct sg_buf *out)
{
	size_t head, tail;

	if (s.n <= bytes && lines_end(s, lines) >= s.n) {
		sg_buf_str(out, s);
		return;
	}
	head = lines_end(s, lines / 2);
	tail = lines_begin(s, lines - lines / 2);
	if (head > bytes / 2)
		head = sg_utf8_floor(s, bytes / 2);
	if (s.n - tail > bytes - bytes / 2)
		tail = sg_utf8_floor(s, s.n - (bytes - bytes / 2));
	if (tail <= head) {
		sg_buf_str(out, s);
		return;
	}
	sg_buf_str(out, sg_str_slice(s, 0, head));
	sg_buf_printf(out, "%s[... %zu bytes are not shown ...]\n",
		      head > 0 && s.p[head - 1] == '\n' ? "" : "\n",
		      tail - head);
	sg_buf_str(out, sg_str_slice(s, tail, s.n));
}

/* Ends a line that may not have been ended. */
static void
end_line(struct sg_buf *out)
{
	if (out->len > 0 && out->data[out->len - 1] != '\n')
		sg_buf_char(out, '\n');
}

/* "0.04 s" */
static void
seconds(uint64_t us, struct sg_buf *out)
{
	sg_buf_printf(out, "%.2f s", (double)us / 1e6);
}

/* ---- what became of it ---- */

static void
put_ended(const struct sg_run *run, struct sg_buf *out)
{
	const struct sg_result *r = &run->result;

	if (r->error.is_set) {
		sg_render_safe(r->error.name, out);
		sg_buf_c(out, " in ");
	} else {
		sg_buf_printf(out, "Exit code %d in ", r->exit_code);
	}
	seconds(r->usage.wall_us, out);
	if (r->error.is_set && r->exit_code > 0)
		sg_buf_printf(out, " (exit code %d)", r->exit_code);
	sg_buf_c(out, ".\n");
}

static void
put_limit(const struct sg_run *run, struct sg_buf *out)
{
	const struct sg_result *r = &run->result;
	const struct sg_box_limits *l = &run->limits;
	const char *name = sigabbrev_np(r->signal);

	switch (r->status) {
	case SG_RUN_TIMEOUT:
		sg_buf_printf(out, "Time limit of %g s reached",
			      l->wall_ms / 1e3);
		break;
	case SG_RUN_CPU_LIMIT:
		sg_buf_printf(out, "Processor time limit of %g s reached",
			      l->cpu_ms / 1e3);
		break;
	case SG_RUN_MEMORY_LIMIT:
		sg_buf_printf(out, "Memory limit of %" PRIu64 " MiB reached",
			      l->memory >> 20);
		break;
	case SG_RUN_DISK_LIMIT:
		sg_buf_printf(out, "Limit of %" PRIu64 " MiB of files reached",
			      l->workspace >> 20);
		break;
	case SG_RUN_OUTPUT_LIMIT:
		sg_buf_printf(out, "Limit of %" PRIu64 " MiB of output reached",
			      l->output_total >> 20);
		break;
	case SG_RUN_PROCESS_LIMIT:
		sg_buf_c(out, "Limit of processes or threads reached");
		break;
	case SG_RUN_SYSCALL_DENIED:
		sg_buf_c(out, "Ended because of a system call that is refused");
		break;
	case SG_RUN_SIGNALED:
		sg_buf_printf(out, "Ended by signal %d (SIG%s)", r->signal,
			      name ? name : "?");
		break;
	case SG_RUN_OK:
	case SG_RUN_ERROR:
	case SG_RUN_REJECTED:
	case SG_RUN_CANCELLED:
	case SG_RUN_OVERLOADED:
	case SG_RUN_INVALID:
	case SG_RUN_INTERNAL:
	case SG_RUN_STATUS_COUNT:
		sg_buf_printf(out, "Status %s", sg_run_status_name(r->status));
		break;
	}
	sg_buf_c(out, " after ");
	seconds(r->usage.wall_us, out);
	sg_buf_c(out, "; what it printed until then follows.\n");
}

/* Nothing ran, and not because of the script. */
static void
put_unstarted(const struct sg_run *run, struct sg_buf *out)
{
	static const char *const what[SG_RUN_STATUS_COUNT] = {
		[SG_RUN_TIMEOUT] = "Too late",
		[SG_RUN_CANCELLED] = "Cancelled",
		[SG_RUN_OVERLOADED] = "The server is busy",
		[SG_RUN_INVALID] = "The request is wrong",
		[SG_RUN_INTERNAL] = "The sandbox failed, not the code",
	};
	const struct sg_result *r = &run->result;
	const char *text = what[r->status];

	sg_buf_c(out, text ? text : sg_run_status_name(r->status));
	if (run->failure.status || r->message.n) {
		sg_buf_c(out, ": ");
		sg_render_safe(run->failure.status ? sg_str_c(run->failure.msg)
						   : r->message,
			       out);
	}
	sg_buf_c(out, r->executed ? ".\n" : ". Nothing was executed.\n");
}

static void
put_policy(const struct sg_run *run, const char *before, const char *after,
	   struct sg_buf *out)
{
	sg_buf_c(out, before);
	sg_render_safe(run->check.verdict.policy, out);
	sg_buf_c(out, after);
}

static void
put_status(const struct sg_run *run, bool check, struct sg_buf *out)
{
	const struct sg_result *r = &run->result;

	if (r->status == SG_RUN_REJECTED)
		put_policy(run, "Rejected by policy ",
			   check ? ": it would not be executed.\n"
				 : ": not executed.\n",
			   out);
	else if (r->status == SG_RUN_INTERNAL || (!r->executed && !check) ||
		 (check && r->status != SG_RUN_OK))
		put_unstarted(run, out);
	else if (check)
		put_policy(run, "Passes policy ", "; nothing was executed.\n",
			   out);
	else if (r->status == SG_RUN_OK || r->status == SG_RUN_ERROR)
		put_ended(run, out);
	else
		put_limit(run, out);
}

/* ---- what to do about it ---- */

static void
put_findings(const struct sg_run *run, struct sg_buf *out)
{
	static const struct sg_render_opts opts = { .file = "script.py",
						    .most = 20 };

	if (!run->checked || run->check.verdict.nfindings == 0)
		return;
	sg_buf_char(out, '\n');
	sg_render_findings(&run->check, &opts, out);
}

static void
put_hint(const struct sg_result *r, struct sg_buf *out)
{
	if (r->hint.n == 0)
		return;
	sg_buf_c(out, "\nhint: ");
	sg_render_safe(r->hint, out);
	sg_buf_char(out, '\n');
}

static void
put_denied(const struct sg_result *r, struct sg_buf *out)
{
	if (r->ndenied == 0 || r->status == SG_RUN_OK)
		return;
	sg_buf_c(out, "\nrefused system calls:");
	for (uint32_t i = 0; i < r->ndenied; i++) {
		sg_buf_c(out, i ? ", " : " ");
		sg_render_safe(r->denied[i].name, out);
		if (r->denied[i].count > 1)
			sg_buf_printf(out, " (%u times)", r->denied[i].count);
	}
	sg_buf_char(out, '\n');
}

/* ---- what the program gave ---- */

static void
put_stream(const char *label, const struct sg_stream *s, struct sg_str text,
	   const struct sg_model_opts *o, struct sg_buf *out)
{
	sg_buf_printf(out, "\n%s", label);
	if (s->truncated)
		sg_buf_printf(out, " (%" PRIu64 " bytes in all)", s->total);
	sg_buf_c(out, ":\n");
	sg_model_cut(text, o->bytes ? o->bytes : 10000,
		     o->lines ? o->lines : 256, out);
	end_line(out);
}

/* What was written to standard error beside the traceback that is shown. */
static struct sg_str
without_traceback(const struct sg_result *r)
{
	struct sg_str s = r->err.text;

	if (r->error.is_set && r->error.traceback.n &&
	    sg_str_ends(s, r->error.traceback))
		s.n -= r->error.traceback.n;
	return s;
}

static void
put_files(const struct sg_result *r, struct sg_buf *out)
{
	if (r->nimages > 0)
		sg_buf_printf(out, "\nimages: %u\n", r->nimages);
	if (r->images_dropped > 0)
		sg_buf_printf(out, "\nimages left out: %u\n",
			      r->images_dropped);
	if (r->nfiles > 0)
		sg_buf_c(out, "\nfiles written:\n");
	for (uint32_t i = 0; i < r->nfiles; i++) {
		sg_buf_c(out, "  ");
		sg_render_safe(r->files[i].name, out);
		sg_buf_printf(out, " (%zu bytes)\n", r->files[i].data.n);
	}
	if (r->files_dropped > 0)
		sg_buf_printf(out,
			      "files left out (too large, too many or not "
			      "regular): %u\n",
			      r->files_dropped);
}

static void
put_output(const struct sg_run *run, const struct sg_model_opts *o,
	   struct sg_buf *out)
{
	const struct sg_result *r = &run->result;
	struct sg_str err = without_traceback(r);

	if (r->out.text.n > 0)
		put_stream("stdout", &r->out, r->out.text, o, out);
	else
		sg_buf_c(out, r->value.is_set
				      ? "\nstdout: empty\n"
				      : "\nstdout: empty; print() what you "
					"want to see\n");
	if (err.n > 0)
		put_stream("stderr", &r->err, err, o, out);
	if (r->value.is_set) {
		sg_buf_c(out, "\nresult:\n");
		sg_model_cut(r->value.repr, o->bytes ? o->bytes : 10000,
			     o->lines ? o->lines : 256, out);
		end_line(out);
		if (r->value.truncated)
			sg_buf_c(out, "(cut)\n");
	}
	put_files(r, out);
}

void
sg_model_text(const struct sg_run *run, const struct sg_model_opts *opts,
	      struct sg_buf *out)
{
	const struct sg_result *r = &run->result;

	put_status(run, opts->check, out);
	if (r->status == SG_RUN_REJECTED || opts->check)
		put_findings(run, out);
	if (r->executed && r->error.is_set) {
		sg_buf_char(out, '\n');
		sg_model_cut(r->error.traceback, 8000, 60, out);
		end_line(out);
	}
	put_denied(r, out);
	put_hint(r, out);
	if (r->executed)
		put_output(run, opts, out);
}
