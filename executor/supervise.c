#include "executor/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "executor/report.h"
#include "executor/warden.h"

/*
 * Theory of operation.  One loop that polls our ends of the pipes, the
 * warden's pidfd, the filter's listener and the caller's cancel descriptor,
 * until whatever is due next (watch_limits.c).  They are few, and most of
 * them are ready once or twice in a short run: to register each with an
 * epoll descriptor, and a timer, takes longer than to pass all of them to a
 * few calls.
 *
 * In a box of a zygote the warden has a whole interpreter to take down with
 * itself.  Where the program may have no processes, nothing of it is left
 * once the warden has reaped the worker, and the run is over when it says so.
 *
 * Once the pidfd is readable nobody can write any more, and what is left in
 * the pipes is bounded by their size; it is read without waiting for an end
 * of file.
 */

/* Those of the worker first. */
enum source {
	SRC_OUT,
	SRC_ERR,
	SRC_RESULT,
	SRC_REQUEST,
	SRC_INPUT,
	SRC_REPORT,
	SRC_LISTENER,
	SRC_PIDFD,
	SRC_LIFE,
	SRC_CANCEL,
	SOURCES
};

enum { CHUNK = 65536 };

/* Written before it is read, and too large to be zeroed each time. */
#if defined(__has_attribute)
#if __has_attribute(uninitialized)
#define UNSET __attribute__((uninitialized))
#endif
#endif
#ifndef UNSET
#define UNSET
#endif

#define MS 1000000ull

void
sg_watch_init(struct sg_watch *w, const struct sg_box_spec *spec,
	      struct sg_board *board)
{
	memset(w, 0, sizeof(*w));
	w->spec = spec;
	w->board = board;
	w->fds = (struct sg_watch_fds){ -1, -1, -1, -1, -1, -1, -1, -1 };
	w->worker_fd = w->workspace = -1;
	sg_capture_init(&w->out, spec->limits.output);
	sg_capture_init(&w->err, spec->limits.output);
	sg_denials_init(&w->denials);
}

void
sg_watch_release(struct sg_watch *w)
{
	int *const fds[] = { &w->fds.in,     &w->fds.out,     &w->fds.err,
			     &w->fds.result, &w->fds.request, &w->fds.report,
			     &w->fds.life,   &w->fds.pidfd,   &w->worker_fd,
			     &w->workspace };

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		sg_fd_close(fds[i]);
	sg_capture_release(&w->out);
	sg_capture_release(&w->err);
	sg_frame_release(&w->frames);
	sg_denials_release(&w->denials);
}

/* --- pipes --------------------------------------------------------------- */

static void
check_output(struct sg_watch *w)
{
	uint64_t total = w->out.total + w->err.total;

	if (w->spec->seen)
		atomic_store(w->spec->seen, total);
	if (total > w->spec->limits.output_total)
		sg_watch_end(w, SG_END_OUTPUT);
}

/* One read; false when there is nothing more for now. */
static bool
read_stream(struct sg_watch *w, int *fd, struct sg_capture *c)
{
	char chunk[CHUNK] UNSET;
	ssize_t n;

	if (*fd < 0)
		return false;
	n = read(*fd, chunk, sizeof(chunk));
	if (n > 0) {
		sg_capture_add(c, chunk, (size_t)n);
		check_output(w);
		return true;
	}
	if (n == 0 || (errno != EAGAIN && errno != EINTR))
		sg_fd_close(fd);
	return false;
}

static void
note_start(struct sg_watch *w)
{
	if (w->started || !w->frames.started)
		return;
	/* What was written last may be read when all is over. */
	w->started = w->ended ? w->ended : sg_clock_mono();
	w->cpu_at_start = sg_watch_cpu(w);
	/* We may be late; a program cannot have said this. */
	if (w->frames.at > w->begun && w->frames.at < w->started) {
		w->started = w->frames.at;
		w->cpu_at_start = w->frames.cpu;
	}
	sg_watch_check(w);
}

static bool
read_result(struct sg_watch *w)
{
	char chunk[CHUNK] UNSET;
	ssize_t n;

	if (w->fds.result < 0)
		return false;
	n = read(w->fds.result, chunk, sizeof(chunk));
	if (n > 0) {
		sg_frame_feed(&w->frames, chunk, (size_t)n);
		note_start(w);
		return true;
	}
	if (n == 0 || (errno != EAGAIN && errno != EINTR))
		sg_fd_close(&w->fds.result);
	return false;
}

/* Writes on; closes when all is written or nobody reads. */
static void
write_stream(int *fd, struct sg_str s, size_t *at)
{
	ssize_t n = 0;

	if (*fd < 0)
		return;
	while (*at < s.n) {
		n = write(*fd, s.p + *at, s.n - *at);
		if (n < 0)
			break;
		*at += (size_t)n;
	}
	if (*at == s.n || (n < 0 && errno != EAGAIN && errno != EINTR))
		sg_fd_close(fd);
}

/* --- reports ------------------------------------------------------------- */

/* True when the worker is in, or may do without. */
static bool
join_group(struct sg_watch *w, const struct sg_cgroup_part *p,
	   enum sg_layer_id id)
{
	int rc = 0;

	/* It has moved itself, or was born there, or needs to be moved. */
	if (w->board->note[id].state != SG_LAYER_ACTIVE &&
	    !sg_cgroup_has(p, (long)w->worker))
		rc = sg_cgroup_join(p, (long)w->worker);
	w->board->note[id].state = rc < 0 ? SG_LAYER_UNAVAILABLE
					  : SG_LAYER_ACTIVE;
	w->board->note[id].sys = rc < 0 ? -rc : 0;
	if (rc < 0 && w->must & SG_L_BIT(id)) {
		sg_board_fail(w->board, (int)id, -rc,
			      "joining the control group");
		sg_watch_end(w, SG_END_START);
	}
	return rc == 0;
}

/*
 * True when the program may start.  When not, there is no way any more on
 * which it could get into the box.
 */
static bool
admitted(struct sg_watch *w, bool must)
{
	int rc = SG_OK;

	if (w->refused < 0)
		return false;
	if (w->spec->admit && w->request.n && !w->admitted)
		rc = w->spec->admit(w->spec->admit_ctx, must, &w->refusal);
	w->admitted = rc == SG_OK;
	if (rc < 0) {
		w->refused = rc;
		sg_fd_close(&w->fds.request);
		sg_watch_end(w, SG_END_START);
	}
	return w->admitted;
}

/*
 * Moving another process between groups may take milliseconds; the
 * interpreter loads meanwhile.  It cannot get as far as the program: it has
 * no request yet.
 */
static void
join_groups(struct sg_watch *w)
{
	if (w->joined)
		return;
	w->joined = true;
	w->poll_memory = !join_group(w, &w->cgroup->memory, SG_L_MEMORY);
	if (w->spec->limits.processes)
		(void)join_group(w, &w->cgroup->pids, SG_L_PIDS);
	else
		w->board->note[SG_L_PIDS].state = SG_LAYER_ACTIVE;
	sg_watch_check(w);
	w->asking = admitted(w, true);
	if (w->asking)
		write_stream(&w->fds.request, w->request, &w->request_at);
}

static void
take_report(struct sg_watch *w, char kind, int fd, pid_t pid)
{
	switch (kind) {
	case SG_REPORT_WORKSPACE:
		sg_fd_close(&w->workspace);
		w->workspace = fd;
		return;
	case SG_REPORT_LISTENER:
	case SG_REPORT_WORKER:
		w->worker = pid;
		w->saw_worker = pid > 0;
		/* It waits for us, or nobody else would end it. */
		if (pid > 0 &&
		    (fd >= 0 ? w->spec->limits.processes > 0 : !w->pidns))
			w->worker_fd = sg_pidfd_open(pid);
		if (fd >= 0)
			sg_denials_listen(&w->denials, fd);
		/* Else at the interpreter's execve(), which asks first. */
		if (fd < 0 || w->denials.exec_used ||
		    w->spec->limits.processes || !w->request.n)
			join_groups(w);
		return;
	default:
		sg_fd_close(&fd);
	}
}

/*
 * Only the warden, and the worker before the program, hold the other end.
 * False when there is nothing more for now.
 */
static bool
read_report(struct sg_watch *w)
{
	char kind = 0;
	pid_t sender;
	int fd;
	ssize_t n = sg_report_take(w->fds.report, &kind, 1, &fd, &sender);

	if (n < 0 && errno == EAGAIN)
		return false;
	if (n <= 0) {
		sg_fd_close(&w->fds.report);
		return false;
	}
	take_report(w, kind, fd, sender);
	return true;
}

/*
 * The socket of a box: the reports of one that had its order ahead, and the
 * warden's last word.  Its end closes the socket as well; then there is none.
 * False when there is nothing more for now.
 */
static bool
read_life(struct sg_watch *w)
{
	char kind = 0;
	pid_t sender;
	int fd;
	ssize_t n = sg_report_take(w->fds.life, &kind, 1, &fd, &sender);

	if (n < 0 && errno == EAGAIN)
		return false;
	if (n > 0 && kind != SG_SPARE_DONE) {
		take_report(w, kind, fd, sender);
		return true;
	}
	sg_fd_close(&fd);
	w->parted = true;
	/* Where there may be others of the program, their end is waited for. */
	if (w->board->done && !w->spec->limits.processes) {
		w->dead = true;
		w->ended = sg_clock_mono();
	}
	return false;
}

static void
answer(struct sg_watch *w)
{
	if (w->denials.fd >= 0 && !sg_denials_answer(&w->denials)) {
		sg_watch_hold(w);
		sg_fd_close(&w->denials.fd);
	}
	/* The first answer has let the interpreter go. */
	join_groups(w);
}

/* --- the loop ------------------------------------------------------------ */

static void
reap(struct sg_watch *w)
{
	siginfo_t info;

	while (waitid(P_PIDFD, (id_t)w->fds.pidfd, &info, WEXITED | __WALL) <
		       0 &&
	       errno == EINTR)
		;
	w->dead = true;
	w->ended = sg_clock_mono();
}

/*
 * The kernel says so when the last thread that has the filter is ending: what
 * its end closes need not wake us.
 */
static void
unfiltered(struct sg_watch *w)
{
	sg_fd_close(&w->denials.fd);
	(void)read_result(w);
	w->quiet = true;
}

/* What `src` has; `events` of poll(). */
static void
handle(struct sg_watch *w, enum source src, int events)
{
	switch (src) {
	case SRC_OUT:
		(void)read_stream(w, &w->fds.out, &w->out);
		break;
	case SRC_ERR:
		(void)read_stream(w, &w->fds.err, &w->err);
		break;
	case SRC_RESULT:
		(void)read_result(w);
		break;
	case SRC_REQUEST:
		write_stream(&w->fds.request, w->request, &w->request_at);
		break;
	case SRC_INPUT:
		write_stream(&w->fds.in, w->spec->input, &w->input_at);
		break;
	case SRC_REPORT:
		while (w->fds.report >= 0 && read_report(w))
			;
		break;
	case SRC_LISTENER:
		if (events & POLLIN)
			answer(w);
		else
			unfiltered(w);
		break;
	case SRC_PIDFD:
		reap(w);
		break;
	case SRC_LIFE:
		while (!w->parted && read_life(w))
			;
		break;
	case SRC_CANCEL:
		w->cancelled = true;
		sg_watch_end(w, SG_END_CANCEL);
		break;
	case SOURCES:
		break;
	}
}

static void
list_sources(const struct sg_watch *w, struct pollfd v[SOURCES])
{
	const struct pollfd rows[SOURCES] = {
		[SRC_OUT] = { w->fds.out, POLLIN, 0 },
		[SRC_ERR] = { w->fds.err, POLLIN, 0 },
		[SRC_RESULT] = { w->fds.result, POLLIN, 0 },
		[SRC_REQUEST] = { w->asking ? w->fds.request : -1, POLLOUT, 0 },
		[SRC_INPUT] = { w->fds.in, POLLOUT, 0 },
		[SRC_REPORT] = { w->fds.report, POLLIN, 0 },
		[SRC_LISTENER] = { w->denials.fd, POLLIN, 0 },
		[SRC_PIDFD] = { w->fds.pidfd, POLLIN, 0 },
		[SRC_LIFE] = { w->forked && !w->parted ? w->fds.life : -1,
			       POLLIN, 0 },
		[SRC_CANCEL] = { w->cancelled ? -1 : w->spec->cancel_fd, POLLIN,
				 0 },
	};

	memcpy(v, rows, sizeof(rows));
	for (int i = 0; w->quiet && i < SRC_PIDFD; i++)
		v[i].fd = -1;
}

static int
prepare(struct sg_watch *w, struct sg_err *err)
{
	int *const ours[] = { &w->fds.out, &w->fds.err, &w->fds.result,
			      &w->fds.request, &w->fds.in };

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (*ours[i] >= 0 && fcntl(*ours[i], F_SETFL, O_NONBLOCK) < 0)
			return sg_err_sys(err, SG_EIO, errno,
					  "cannot watch the box");
	if (w->spec->cancel_fd >= 0 && fcntl(w->spec->cancel_fd, F_GETFD) < 0)
		return sg_err_sys(err, SG_EIO, errno,
				  "cannot watch for cancellation");
	return SG_OK;
}

/* After the last process: what the pipes still hold. */
static void
drain(struct sg_watch *w)
{
	uint64_t end = sg_clock_mono() + 1000 * MS;

	while (read_stream(w, &w->fds.out, &w->out) && sg_clock_mono() < end)
		;
	while (read_stream(w, &w->fds.err, &w->err) && sg_clock_mono() < end)
		;
	while (read_result(w) && sg_clock_mono() < end)
		;
}

/* Waits until one of them has something, or the next look is due. */
static int
wait_for(const struct sg_watch *w, struct pollfd v[SOURCES])
{
	uint64_t now = sg_clock_mono();
	uint64_t left = w->due > now ? w->due - now : 0;
	const struct timespec ts = { (time_t)(left / (1000 * MS)),
				     (long)(left % (1000 * MS)) };

	list_sources(w, v);
	return ppoll(v, SOURCES, &ts, NULL);
}

static void
loop(struct sg_watch *w)
{
	struct pollfd v[SOURCES];
	int n;

	while (!w->dead) {
		n = wait_for(w, v);
		if (n < 0 && errno != EINTR) {
			sg_watch_end(w, SG_END_START);
			reap(w);
		}
		for (int i = 0; n > 0 && i < SOURCES; i++)
			if (v[i].revents)
				handle(w, (enum source)i, v[i].revents);
		if (!w->dead && sg_clock_mono() >= w->due)
			sg_watch_check(w);
	}
}

/*
 * Writing to a program that has closed its input must not end the caller:
 * SIGPIPE is held back here, and taken off again if it came.
 */
static void
hold_sigpipe(sigset_t *old)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGPIPE);
	(void)pthread_sigmask(SIG_BLOCK, &set, old);
}

static void
release_sigpipe(const sigset_t *old)
{
	const struct timespec none = { 0, 0 };
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGPIPE);
	if (!sigismember(old, SIGPIPE))
		while (sigtimedwait(&set, NULL, &none) > 0)
			;
	(void)pthread_sigmask(SIG_SETMASK, old, NULL);
}

int
sg_watch_run(struct sg_watch *w, struct sg_err *err)
{
	sigset_t old;
	int rc;

	hold_sigpipe(&old);
	rc = prepare(w, err);
	if (rc == SG_OK) {
		sg_watch_check(w);
		(void)admitted(w, false);
		loop(w);
		drain(w);
	} else {
		sg_watch_end(w, SG_END_START);
		reap(w);
	}
	release_sigpipe(&old);
	if (w->refused < 0 && err)
		*err = w->refusal;
	return w->refused < 0 ? w->refused : rc;
}
