/*
 * Theory of operation.
 *
 * Lines come in batches: as many whole lines as one read has brought, so that
 * a program that writes a line and waits for the answer gets it, and a file
 * is read in large pieces.  The lines of a batch are judged by -j threads,
 * each with a gate of its own, that take the next line from a counter; each
 * answer goes into the buffer of its line, and when all are there they are
 * written in order.  One thread does the same without a pool.
 *
 * A line that can't be judged is answered, too: with "decision": "reject" and
 * an "error".  SIGINT, SIGTERM and SIGUSR1 let the batch end, then exit 75.
 */

#include "cmd/cmd.h"
#include "cmd/job.h"

#include "pipeline/lines.h"
#include "pipeline/report.h"
#include "pipeline/row.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	LINE_MAX_BYTES = 64 << 20,
	BATCH_MAX = 4096,
	THREADS_MAX = 256,
	/* An answer holds the line, and a verdict of at most 1,000 findings. */
	ANSWER_MAX = LINE_MAX_BYTES + (16 << 20)
};

struct filter {
	const char *text_key, *policy, *python_version, *keep;
	uint64_t threads;
	bool verdict_only, summary;
};

#define AT(field) offsetof(struct filter, field)
static const struct sg_opt options[] = {
	{ SG_OPT_TEXT, 'k', "text-key", "KEY",
	  "member that holds the code, or a JSON pointer such as /a/0/code "
	  "(default: text)",
	  AT(text_key) },
	{ SG_OPT_TEXT, 'p', "policy", "NAME|FILE",
	  "default, strict, audit, or a YAML file", AT(policy) },
	{ SG_OPT_TEXT, 0, "python-version", "3.N",
	  "version that will run the code (default: the interpreter found)",
	  AT(python_version) },
	{ SG_OPT_TEXT, 0, "keep", "WHICH",
	  "write only lines that are allowed, or only those rejected",
	  AT(keep) },
	{ SG_OPT_FLAG, 0, "verdict-only", NULL,
	  "write {\"line\": N, \"sandgate\": ...} instead of the whole line",
	  AT(verdict_only) },
	{ SG_OPT_COUNT, 'j', "threads", "N",
	  "judge with N threads (default: 1)", AT(threads) },
	{ SG_OPT_FLAG, 0, "summary", NULL,
	  "print counts as JSON on standard error at the end", AT(summary) },
	SG_OPT_ALL,
	{ 0 },
};

enum kept { KEEP_ALL, KEEP_ALLOWED, KEEP_REJECTED };

/* One line and its answer. */
struct slot {
	struct sg_str line;
	enum sg_line kind;
	uint64_t number;
	enum sg_decision decision;
	bool error;
	struct sg_buf answer;
};

struct work;

struct worker {
	struct work *work;
	struct sg_gate *gate;
	struct sg_buf text, verdict;
	pthread_t thread;
};

struct work {
	const struct filter *opts;
	struct sg_row_path path;
	enum kept keep;
	struct sg_job job;
	struct sg_lines lines;
	struct slot *slots; /* BATCH_MAX */
	uint32_t nslots;
	atomic_uint next; /* slot to take */
	struct worker *workers;
	uint32_t nworkers, nstarted;
	pthread_mutex_t lock;
	pthread_cond_t go, done;
	uint64_t batch; /* number of the one that is judged */
	uint32_t busy;
	bool quit;
	struct sg_buf out;
	struct {
		uint64_t lines, pass, annotate, reject, errors;
		uint64_t first_error;
	} count;
};

static volatile sig_atomic_t stop;

static void
on_stop(int number)
{
	(void)number;
	stop = 1;
}

/* ---- one line ---- */

static void
write_error(struct slot *s, const char *code, const char *why, size_t at,
	    struct sg_buf *out)
{
	struct sg_json j;

	s->error = true;
	s->decision = SG_REJECT;
	sg_json_init(&j, out);
	sg_json_object(&j);
	sg_json_kc(&j, "decision", "reject");
	sg_json_key(&j, "error");
	sg_json_object(&j);
	sg_json_kc(&j, "code", code);
	sg_json_kuint(&j, "line", s->number);
	sg_json_kuint(&j, "byte", at + 1);
	sg_json_kc(&j, "message", why);
	sg_json_end(&j);
	sg_json_key(&j, "findings");
	sg_json_array(&j);
	sg_json_end(&j);
	sg_json_key(&j, "capabilities");
	sg_json_array(&j);
	sg_json_end(&j);
	sg_json_end(&j);
}

static void
judge_text(struct worker *w, struct slot *s, const struct sg_row *row)
{
	struct sg_check check;
	struct sg_json j;

	sg_buf_reset(&w->text);
	sg_row_text(row, &w->text);
	if (sg_buf_failed(&w->text)) {
		write_error(s, "row.memory", "no memory for the text",
			    row->text.start, &w->verdict);
		return;
	}
	sg_gate_check(w->gate, sg_buf_view(&w->text), NULL, &check);
	s->decision = check.verdict.decision;
	s->error = !check.judged;
	sg_json_init(&j, &w->verdict);
	sg_json_object(&j);
	sg_report_verdict(&j, &check);
	sg_json_end(&j);
	if (!sg_json_done(&j) || sg_buf_failed(&w->verdict)) {
		sg_buf_reset(&w->verdict);
		write_error(s, "row.memory", "no memory for the verdict",
			    row->text.start, &w->verdict);
	}
}

static void
write_answer(const struct worker *w, struct slot *s, const struct sg_row *row)
{
	struct sg_str verdict = sg_buf_view(&w->verdict);

	if (w->work->opts->verdict_only) {
		sg_buf_printf(&s->answer,
			      "{\"line\":%" PRIu64 ",\"sandgate\":", s->number);
		sg_buf_str(&s->answer, verdict);
		sg_buf_char(&s->answer, '}');
	} else {
		sg_row_splice(row, verdict, &s->answer);
	}
	sg_buf_char(&s->answer, '\n');
}

static void
answer(struct worker *w, struct slot *s)
{
	struct sg_row row = { .line = s->line };

	s->error = false;
	sg_buf_reset(&s->answer);
	sg_buf_reset(&w->verdict);
	if (s->kind == SG_LINE_LONG) {
		row.fault = "row.long";
		row.why = "the line is longer than 64 MiB";
	} else {
		sg_row_scan(s->line, &w->work->path, &row);
	}
	if (row.fault)
		write_error(s, row.fault, row.why, row.at, &w->verdict);
	else
		judge_text(w, s, &row);
	write_answer(w, s, &row);
	if (sg_buf_failed(&s->answer)) {
		/* The line does not fit beside its verdict: drop the line. */
		sg_buf_reset(&s->answer);
		sg_buf_reset(&w->verdict);
		row.is_object = false;
		write_error(s, "row.memory", "no memory for the answer", 0,
			    &w->verdict);
		write_answer(w, s, &row);
	}
}

static void
answer_slots(struct worker *w)
{
	for (;;) {
		uint32_t i = atomic_fetch_add(&w->work->next, 1);

		if (i >= w->work->nslots)
			return;
		answer(w, &w->work->slots[i]);
	}
}

/* ---- threads ---- */

static void *
worker_main(void *arg)
{
	struct worker *w = arg;
	struct work *k = w->work;
	uint64_t seen = 0;

	(void)pthread_mutex_lock(&k->lock);
	for (;;) {
		while (k->batch == seen && !k->quit)
			(void)pthread_cond_wait(&k->go, &k->lock);
		if (k->quit)
			break;
		seen = k->batch;
		(void)pthread_mutex_unlock(&k->lock);
		answer_slots(w);
		(void)pthread_mutex_lock(&k->lock);
		if (--k->busy == 0)
			(void)pthread_cond_signal(&k->done);
	}
	(void)pthread_mutex_unlock(&k->lock);
	return NULL;
}

/* Judges the batch: this thread is worker 0, the others are woken. */
static void
judge_batch(struct work *k)
{
	atomic_store(&k->next, 0);
	(void)pthread_mutex_lock(&k->lock);
	k->busy = k->nstarted;
	k->batch++;
	(void)pthread_cond_broadcast(&k->go);
	(void)pthread_mutex_unlock(&k->lock);
	answer_slots(&k->workers[0]);
	(void)pthread_mutex_lock(&k->lock);
	while (k->busy > 0)
		(void)pthread_cond_wait(&k->done, &k->lock);
	(void)pthread_mutex_unlock(&k->lock);
}

static int
start_workers(struct work *k, struct sg_err *err)
{
	sigset_t all, before;
	int status = SG_OK;

	for (uint32_t i = 0; i < k->nworkers && status == SG_OK; i++) {
		struct worker *w = &k->workers[i];

		w->work = k;
		sg_buf_init(&w->text, LINE_MAX_BYTES);
		sg_buf_init(&w->verdict, ANSWER_MAX - LINE_MAX_BYTES);
		status = sg_job_gate(&k->job, &w->gate, err);
	}
	/* Signals are for the thread that reads. */
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_BLOCK, &all, &before);
	for (uint32_t i = 1; i < k->nworkers && status == SG_OK; i++) {
		int number = pthread_create(&k->workers[i].thread, NULL,
					    worker_main, &k->workers[i]);

		if (number)
			status = sg_err_sys(err, SG_ENOMEM, number,
					    "cannot start a thread");
		else
			k->nstarted++;
	}
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return status;
}

static void
stop_workers(struct work *k)
{
	(void)pthread_mutex_lock(&k->lock);
	k->quit = true;
	(void)pthread_cond_broadcast(&k->go);
	(void)pthread_mutex_unlock(&k->lock);
	for (uint32_t i = 0; i < k->nworkers; i++) {
		struct worker *w = &k->workers[i];

		if (i > 0 && i <= k->nstarted)
			(void)pthread_join(w->thread, NULL);
		sg_gate_free(w->gate);
		sg_buf_release(&w->text);
		sg_buf_release(&w->verdict);
	}
}

/* ---- batches ---- */

/* A byte order mark before the first line is not part of it. */
static struct sg_str
without_mark(struct sg_str line, uint64_t number)
{
	if (number == 1 && sg_str_starts(line, SG_STR("\xef\xbb\xbf")))
		return sg_str_slice(line, 3, line.n);
	return line;
}

static int
read_batch(struct work *k, bool *ret_end, struct sg_err *err)
{
	enum sg_line kind;
	struct sg_str line;
	int status;

	k->nslots = 0;
	*ret_end = false;
	do {
		struct slot *s = &k->slots[k->nslots];

		status = sg_lines_next(&k->lines, &kind, &line, err);
		if (status < 0)
			return status;
		if (kind == SG_LINE_END || kind == SG_LINE_STOPPED) {
			*ret_end = true;
			return SG_OK;
		}
		s->line = without_mark(line, k->lines.number);
		s->kind = kind;
		s->number = k->lines.number;
		k->nslots++;
	} while (k->nslots < BATCH_MAX && kind == SG_LINE_WHOLE && !stop &&
		 sg_lines_ready(&k->lines));
	return SG_OK;
}

static bool
is_kept(const struct work *k, const struct slot *s)
{
	return k->keep == KEEP_ALL ||
	       (s->decision == SG_REJECT) == (k->keep == KEEP_REJECTED);
}

static void
count_slot(struct work *k, const struct slot *s)
{
	k->count.lines++;
	if (s->error && k->count.errors++ == 0)
		k->count.first_error = s->number;
	if (s->decision == SG_PASS)
		k->count.pass++;
	else if (s->decision == SG_ANNOTATE)
		k->count.annotate++;
	else
		k->count.reject++;
}

static int
write_batch(struct work *k)
{
	int status = SG_EXIT_OK;

	for (uint32_t i = 0; i < k->nslots && status == SG_EXIT_OK; i++) {
		struct slot *s = &k->slots[i];

		count_slot(k, s);
		if (is_kept(k, s))
			sg_buf_str(&k->out, sg_buf_view(&s->answer));
		/* A rare giant must not keep its memory. */
		if (s->answer.room > (1 << 20))
			sg_buf_release(&s->answer);
		if (s->answer.data == NULL)
			sg_buf_init(&s->answer, ANSWER_MAX);
		if (k->out.len > (4 << 20))
			status = sg_term_put(&k->out, status, SG_EXIT_ERROR);
	}
	return sg_term_put(&k->out, status, SG_EXIT_ERROR);
}

static int
filter_all(struct work *k)
{
	struct sg_err err;
	bool end = false;
	int status = SG_EXIT_OK;

	sg_err_clear(&err);
	while (!end && status == SG_EXIT_OK) {
		if (stop)
			break;
		if (read_batch(k, &end, &err) < 0) {
			sg_say_err(&err);
			status = SG_EXIT_ERROR;
			break;
		}
		judge_batch(k);
		status = write_batch(k);
	}
	if (status == SG_EXIT_OK && stop) {
		sg_say("interrupted after line %" PRIu64, k->count.lines);
		status = SG_EXIT_INTERRUPTED;
	}
	return status;
}

static void
say_counts(const struct work *k)
{
	char text[512];
	struct sg_buf b;
	int n;

	if (k->opts->summary) {
		n = snprintf(text, sizeof(text),
			     "{\"lines\":%" PRIu64 ",\"pass\":%" PRIu64
			     ",\"annotate\":%" PRIu64 ",\"reject\":%" PRIu64
			     ",\"errors\":%" PRIu64 "}\n",
			     k->count.lines, k->count.pass, k->count.annotate,
			     k->count.reject, k->count.errors);
		sg_buf_init(&b, sizeof(text));
		sg_buf_add(&b, text, (size_t)n);
		(void)sg_term_write(2, &b, &n);
		sg_buf_release(&b);
	} else if (k->count.errors) {
		sg_say("%" PRIu64 " of %" PRIu64 " lines could not be judged "
		       "and count as rejected; the first is line %" PRIu64,
		       k->count.errors, k->count.lines, k->count.first_error);
	}
}

static int
prepare(struct work *k, struct sg_err *err)
{
	const struct filter *f = k->opts;
	const struct sg_job_opts job = { .policy = f->policy,
					 .python_version = f->python_version,
					 .no_audit = true };
	const struct sigaction action = { .sa_handler = on_stop };
	int status;

	k->nworkers = f->threads ? (uint32_t)f->threads : 1;
	k->slots = calloc(BATCH_MAX, sizeof(*k->slots));
	k->workers = calloc(k->nworkers, sizeof(*k->workers));
	if (!k->slots || !k->workers)
		return sg_err_set(err, SG_ENOMEM, "no memory");
	for (uint32_t i = 0; i < BATCH_MAX; i++)
		sg_buf_init(&k->slots[i].answer, ANSWER_MAX);
	if ((status = sg_row_path_parse(
		     sg_str_c(f->text_key ? f->text_key : "text"), &k->path,
		     err)) < 0 ||
	    (status = sg_job_open(&job, &k->job, err)) < 0)
		return status;
	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGUSR1, &action, NULL);
	sg_lines_init(&k->lines, 0, LINE_MAX_BYTES, &stop);
	return start_workers(k, err);
}

static void
release(struct work *k)
{
	if (k->workers)
		stop_workers(k);
	for (uint32_t i = 0; k->slots && i < BATCH_MAX; i++)
		sg_buf_release(&k->slots[i].answer);
	sg_lines_release(&k->lines);
	sg_job_release(&k->job);
	sg_buf_release(&k->out);
	free(k->slots);
	free(k->workers);
	(void)pthread_cond_destroy(&k->go);
	(void)pthread_cond_destroy(&k->done);
	(void)pthread_mutex_destroy(&k->lock);
}

static bool
good_usage(const struct sg_args *args, const struct filter *f, enum kept *ret)
{
	*ret = KEEP_ALL;
	if (f->keep && strcmp(f->keep, "allowed") == 0)
		*ret = KEEP_ALLOWED;
	else if (f->keep && strcmp(f->keep, "rejected") == 0)
		*ret = KEEP_REJECTED;
	else if (f->keep && strcmp(f->keep, "all") != 0) {
		sg_say("filter: option '--keep': '%s' is none of all, "
		       "allowed, rejected",
		       f->keep);
		return false;
	}
	if (args->n > 1 || (args->n == 1 && strcmp(args->v[0], "-") != 0)) {
		sg_say("filter: '%s' is one argument too many: the lines come "
		       "from standard input",
		       args->v[args->n - 1]);
		return false;
	}
	if (f->threads > THREADS_MAX) {
		sg_say("filter: option '--threads': at most %d",
		       (int)THREADS_MAX);
		return false;
	}
	return true;
}

static int
run_filter(const struct sg_args *args, void *fields)
{
	struct work k = { .opts = fields };
	struct sg_err err;
	int status = SG_EXIT_ERROR;

	if (!good_usage(args, fields, &k.keep))
		return SG_EXIT_ERROR;
	sg_err_clear(&err);
	sg_buf_init(&k.out, SG_TERM_MAX);
	(void)pthread_mutex_init(&k.lock, NULL);
	(void)pthread_cond_init(&k.go, NULL);
	(void)pthread_cond_init(&k.done, NULL);
	if (prepare(&k, &err) < 0)
		sg_say_err(&err);
	else
		status = filter_all(&k);
	if (status != SG_EXIT_ERROR)
		say_counts(&k);
	release(&k);
	return status;
}

const struct sg_cmd sg_cmd_filter = {
	.name = "filter",
	.synopsis = "< LINES > LINES",
	.summary = "judges the scripts in JSON Lines, one answer for each line",
	.text = "Each line comes out as it went in, with the verdict as its "
		"member \"sandgate\".\nExit status: 0 whatever the verdicts, "
		"2 an error, 75 interrupted.\n",
	.opts = options,
	.fields = sizeof(struct filter),
	.failed = SG_EXIT_ERROR,
	.run = run_filter,
};
