/*
 * Theory of operation.
 *
 * A run has up to two records.  "verdict" says what was decided and what
 * follows from it; it is on disk before anything of the program is handed to
 * a box, so there is no program of which the log does not know.  "outcome"
 * says how it ended, and is in the log before the caller sees the result:
 * what can't be recorded is not handed out.  Whether it is on disk by then
 * is the log's choice (enum sg_audit_sync).  A rejected script has the
 * verdict record only.
 *
 * The box is built while the first record is written: both take long, and
 * neither needs the other.  The executor asks (`admit`) before it hands the
 * program in, and every box that it tries asks again.
 */

#include "pipeline/run.h"

#include "base/file.h"
#include "pipeline/event.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

/* Takes `record` over. */
static int
write_outcome(struct sg_audit *audit, json_t *record, struct sg_link *ret,
	      struct sg_err *err)
{
	int status;

	if (!record)
		return sg_err_set(err, SG_ENOMEM, "no memory for a record");
	status = sg_audit_append_outcome(audit, record, ret, err);
	json_decref(record);
	return status;
}

/* Puts the submitted text into the store, under its digest. */
static int
store_code(const struct sg_run_spec *spec, const struct sg_check *c,
	   struct sg_err *err)
{
	char hex[SG_DIGEST_HEX], path[4096];
	struct stat st;

	sg_digest_hex(&c->verdict.submitted, hex);
	if (mkdir(spec->store, 0700) < 0 && errno != EEXIST)
		return sg_err_sys(err, SG_EAUDIT, errno,
				  "cannot make the folder '%s'", spec->store);
	if ((size_t)snprintf(path, sizeof(path), "%s/%s.py", spec->store,
			     hex) >= sizeof(path))
		return sg_err_set(err, SG_EUSAGE,
				  "the name of the store is too long");
	if (stat(path, &st) == 0 && (uint64_t)st.st_size == spec->code.n)
		return SG_OK;
	if (sg_file_replace(path, spec->code, 0600, err) < 0) {
		err->status = SG_EAUDIT;
		return SG_EAUDIT;
	}
	return SG_OK;
}

static int
fail(struct sg_run *run, int status)
{
	bool executed = run->result.executed;

	run->failure.status = (enum sg_status)status;
	run->result = (struct sg_result){
		.status = status == SG_EUSAGE ? SG_RUN_INVALID
					      : SG_RUN_INTERNAL,
		.executed = executed,
		.exit_code = -1,
		.message = sg_str_c(run->failure.msg),
	};
	return status;
}

static void
begin(struct sg_gate *gate, const struct sg_run_spec *spec, struct sg_run *run)
{
	*run = (struct sg_run){ .gated = !spec->no_gate, .checked = true };
	sg_err_clear(&run->failure);
	sg_uid_make("run_", run->id);
	run->limits = spec->box.limits;
	run->result.exit_code = -1;
	sg_gate_check(gate, spec->code, spec->path, &run->check);
}

/* A verdict on its way into the log. */
struct verdict {
	const struct sg_run_spec *spec;
	struct sg_run *run;
	json_t *record;
	struct sg_audit_post post;
	bool settled;
	int status; /* once settled */
	struct sg_err err;
};

static void
settle_verdict(struct verdict *v, int status)
{
	json_decref(v->record);
	v->record = NULL;
	v->status = status;
	v->settled = true;
}

/* Hands the record in; without a log it is settled at once. */
static void
post_verdict(struct verdict *v, const struct sg_run_spec *spec,
	     struct sg_run *run, const char *action)
{
	int status = SG_OK;

	*v = (struct verdict){ .spec = spec, .run = run };
	sg_err_clear(&v->err);
	if (spec->store)
		status = store_code(spec, &run->check, &v->err);
	if (status < 0 || !spec->audit) {
		settle_verdict(v, status);
		return;
	}
	v->record = sg_event_verdict(run, spec->path, action);
	if (!v->record)
		settle_verdict(v, sg_err_set(&v->err, SG_ENOMEM,
					     "no memory for a record"));
	else
		sg_audit_post(spec->audit, v->record, &v->post);
}

/* False when it is not durable yet, and nobody waits for that. */
static bool
await_verdict(struct verdict *v, bool wait)
{
	if (v->settled)
		return true;
	if (!sg_audit_settle(v->spec->audit, &v->post, wait))
		return false;
	if (v->post.entry.status == SG_OK)
		v->run->verdict_record = v->post.entry.link;
	else
		v->err = v->post.err;
	settle_verdict(v, v->post.entry.status);
	return true;
}

static int
record_verdict(const struct sg_run_spec *spec, struct sg_run *run,
	       const char *action)
{
	struct verdict v;

	post_verdict(&v, spec, run, action);
	(void)await_verdict(&v, true);
	if (v.status < 0)
		run->failure = v.err;
	return v.status;
}

static void
set_rejected(struct sg_run *run)
{
	run->result.status = SG_RUN_REJECTED;
	run->result.hint = SG_STR(
		"nothing was executed; change what the findings name and "
		"submit the script again: the same text will be rejected "
		"again");
}

int
sg_run_check(struct sg_gate *gate, const struct sg_run_spec *spec,
	     struct sg_run *ret)
{
	int status;

	begin(gate, spec, ret);
	if (ret->check.verdict.decision == SG_REJECT)
		set_rejected(ret);
	if (!ret->check.judged) {
		ret->failure = ret->check.failure;
		(void)fail(ret, ret->failure.status);
	}
	status = record_verdict(spec, ret, "check");
	if (status < 0)
		return fail(ret, status);
	return ret->failure.status;
}

static bool
is_listed(const struct sg_str *list, uint32_t n, struct sg_str name)
{
	for (uint32_t i = 0; i < n; i++) {
		if (sg_str_eq(list[i], name))
			return true;
	}
	return false;
}

/* What the script imports, each module once: a warm interpreter is chosen by
 * it.  Relative imports have no name before their first dot. */
static void
set_imports(const struct sg_analysis *an, struct sg_arena *arena,
	    struct sg_box_spec *box)
{
	struct sg_str *list = SG_NEWN(arena, struct sg_str, SG_RUN_IMPORTS);
	uint32_t n = 0;

	for (uint32_t i = 0; list && i < an->nfacts && n < SG_RUN_IMPORTS;
	     i++) {
		struct sg_str name = sg_str_until(an->facts[i].name, '.');

		if (an->facts[i].kind == SG_FACT_IMPORT && name.n > 0 &&
		    !is_listed(list, n, name))
			list[n++] = name;
	}
	box->imports = list;
	box->nimports = n;
}

/* sg_box_spec.admit: once the verdict is recorded, and only then. */
static int
admit(void *ctx, bool must, struct sg_err *err)
{
	struct verdict *v = ctx;

	if (!await_verdict(v, must))
		return SG_BOX_LATER;
	if (v->status < 0)
		*err = v->err;
	return v->status;
}

/* Where the verdict does not count, nothing speaks for the policy later. */
static int
run_box(struct sg_gate *gate, struct verdict *v, struct sg_arena *arena)
{
	const struct sg_run_spec *spec = v->spec;
	struct sg_run *run = v->run;
	struct sg_box_spec box = spec->box;
	struct sg_policy_guard *guard = NULL;
	int status = SG_OK;

	box.admit = admit;
	box.admit_ctx = v;
	box.code = run->check.canonical;
	set_imports(run->check.analysis, arena, &box);
	if (!spec->no_gate)
		status = sg_gate_guard(gate, &guard, &run->failure);
	if (status == SG_OK && guard)
		status = sg_policy_guard_fill(guard, spec->path,
					      &run->check.verdict.submitted,
					      arena, &box, &run->failure);
	if (status == SG_OK)
		status = sg_box_run(&box, arena, &run->result, &run->failure);
	if (status == SG_OK && guard)
		sg_policy_guard_explain(guard, arena, &run->result);
	return status;
}

static int
execute(struct sg_gate *gate, const struct sg_run_spec *spec,
	struct sg_arena *arena, struct sg_run *run)
{
	struct verdict v;
	int status, recorded;

	post_verdict(&v, spec, run, "run");
	status = v.settled && v.status < 0 ? v.status
					   : run_box(gate, &v, arena);
	/* Also of what no box was tried for. */
	(void)await_verdict(&v, true);
	if (v.status < 0) {
		run->failure = v.err;
		return fail(run, v.status);
	}
	if (status < 0)
		(void)fail(run, status);
	if (!spec->audit)
		return status;
	recorded = write_outcome(spec->audit, sg_event_outcome(run),
				 &run->outcome_record, &run->failure);
	return recorded < 0 ? fail(run, recorded) : status;
}

int
sg_run(struct sg_gate *gate, const struct sg_run_spec *spec,
       struct sg_arena *arena, struct sg_run *ret)
{
	bool rejected;
	int status;

	begin(gate, spec, ret);
	rejected = ret->check.verdict.decision == SG_REJECT && !spec->no_gate;
	if (!rejected && ret->check.source)
		return execute(gate, spec, arena, ret);
	status = record_verdict(spec, ret, rejected ? "reject" : "run");
	if (status < 0)
		return fail(ret, status);
	/* Not judged is not the script's fault; without a text there is
	 * nothing to run, gate or not. */
	if (!ret->check.judged || !ret->check.source) {
		ret->failure = ret->check.failure;
		return fail(ret, ret->failure.status);
	}
	set_rejected(ret);
	return SG_OK;
}

size_t
sg_run_arena_size(const struct sg_box_limits *limits)
{
	const size_t slack = (size_t)32 << 20;

	/* The box reads into growing buffers and keeps the final copy. */
	return slack + 3 * (2 * (size_t)limits->output + limits->result +
			    (size_t)limits->images * limits->image_bytes +
			    (size_t)limits->file_bytes);
}

int
sg_run_exit_status(const struct sg_run *run)
{
	const struct sg_result *r = &run->result;

	switch (r->status) {
	case SG_RUN_OK:
		return r->exit_code > 0 ? r->exit_code : 0;
	case SG_RUN_TIMEOUT:
	case SG_RUN_CPU_LIMIT:
		return 124;
	case SG_RUN_REJECTED:
		return 126;
	case SG_RUN_CANCELLED:
		return 128 + SIGINT;
	case SG_RUN_OVERLOADED:
	case SG_RUN_INVALID:
	case SG_RUN_INTERNAL:
		return run->failure.status == SG_ENOENT ? 127 : 125;
	case SG_RUN_ERROR:
	case SG_RUN_MEMORY_LIMIT:
	case SG_RUN_PROCESS_LIMIT:
	case SG_RUN_DISK_LIMIT:
	case SG_RUN_OUTPUT_LIMIT:
	case SG_RUN_SYSCALL_DENIED:
	case SG_RUN_SIGNALED:
	case SG_RUN_STATUS_COUNT:
		break;
	}
	if (r->exit_code > 0)
		return r->exit_code;
	return r->signal > 0 ? 128 + r->signal : 1;
}

int
sg_run_require(const char *text, enum sg_box_require *ret, struct sg_err *err)
{
	static const char *const names[] = {
		[SG_REQUIRE_STRICT] = "strict",
		[SG_REQUIRE_STANDARD] = "standard",
		[SG_REQUIRE_ANY] = "any",
	};

	for (size_t i = 0; text && i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(text, names[i]) == 0) {
			*ret = (enum sg_box_require)i;
			return SG_OK;
		}
	}
	if (!text)
		return SG_OK;
	return sg_err_set(err, SG_EUSAGE,
			  "level '%.64s' is none of strict, "
			  "standard, any",
			  text);
}
