/*
 * Theory of operation.
 *
 * The protocol has descriptors of its own: standard input and output are
 * moved away at the start and replaced, by /dev/null and by standard error,
 * so that nothing else can read or write a byte of it, and no child inherits
 * it.
 *
 * The main thread reads lines and feeds them.  Answers are written by the
 * threads that have them, a few thousand bytes at a time and only when the
 * pipe takes them, so that a client that does not read can be given up.
 *
 * At the end of input what is under way may finish, for a moment, as long as
 * somebody reads; SIGTERM and SIGINT end it at once; SIGHUP loads the policy
 * anew.
 */

#include "cmd/mcp.h"
#include "cmd/box_opts.h"
#include "cmd/cmd.h"
#include "cmd/mcp_config.h"
#include "cmd/mcp_line.h"

#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct mcp {
	const char *policy, *audit, *config, *audit_sync;
	struct sg_box_opts box;
	uint64_t audit_max, workers, queue;
	bool cold, no_audit;
};

#define AT(field) offsetof(struct mcp, field)
static const struct sg_opt options[] = {
	{ SG_OPT_TEXT, 'p', "policy", "NAME|FILE",
	  "default, strict, audit, or a YAML file", AT(policy) },
	{ SG_OPT_COUNT, 'j', "workers", "N",
	  "scripts that run at a time (default: three a processor)",
	  AT(workers) },
	{ SG_OPT_COUNT, 0, "queue", "N",
	  "scripts that may wait beyond that (default: 64)", AT(queue) },
	{ SG_OPT_FLAG, 0, "cold", NULL,
	  "start a new interpreter for each script, keep none ready",
	  AT(cold) },
	{ SG_OPT_TEXT, 0, "audit", "FILE",
	  "audit log (default: SANDGATE_AUDIT, or the user's own log)",
	  AT(audit) },
	{ SG_OPT_SIZE, 0, "audit-max", "SIZE",
	  "start a new log file when this one has that size", AT(audit_max) },
	{ SG_OPT_TEXT, 0, "audit-sync", "WHEN",
	  "what waits for the disk: start (default), the start of a program "
	  "for its verdict; answer, the answer for the outcome, too",
	  AT(audit_sync) },
	{ SG_OPT_FLAG, 0, "no-audit", NULL, "keep no audit log", AT(no_audit) },
	{ SG_OPT_TEXT, 0, "print-config", "CLIENT",
	  "print what claude, vscode, cursor or codex wants to hear, and end",
	  AT(config) },
	SG_BOX_OPTS(AT(box)),
	SG_OPT_ALL,
	{ 0 },
};

enum {
	MESSAGE_MAX = 64 << 20,
	CHUNK = 65536,
	PIECE = 4096, /* what a pipe that is ready takes at once */
	LINGER_MS = 5000
};

/* All that one server holds. */
struct server {
	int in, out;
	int stop; /* readable: give up writing */
	struct sg_service *service;
	struct sg_mcp *mcp;
	struct sg_mcp_peer *peer;
	struct sg_mcp_lines lines;
	struct sg_arena env; /* of the runs */
	bool broken;         /* nobody reads; under the peer's lock */
};

/* ---- signals ---- */

/* Signal handlers have no other way to know it. */
static volatile sig_atomic_t signal_fd = -1, stop_fd = -1;
static volatile sig_atomic_t must_end, must_reload;

static void
on_signal(int number)
{
	const uint64_t one = 1;
	int keep = errno;

	if (number == SIGHUP) {
		must_reload = 1;
	} else {
		must_end = 1;
		(void)!write(stop_fd, &one, sizeof(one));
	}
	(void)!write(signal_fd, &one, sizeof(one));
	errno = keep;
}

static int
catch_signals(struct server *s, struct sg_err *err)
{
	const struct sigaction action = { .sa_handler = on_signal };
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	s->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (fd < 0 || s->stop < 0)
		return sg_err_sys(err, SG_EIO, errno,
				  "cannot make an event descriptor");
	signal_fd = fd;
	stop_fd = s->stop;
	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGHUP, &action, NULL);
	return SG_OK;
}

static void
reload(struct server *s)
{
	struct sg_err err;

	must_reload = 0;
	sg_err_clear(&err);
	if (sg_service_reload(s->service, &err) == SG_OK) {
		sg_say("the policy was loaded anew");
		return;
	}
	sg_say_err(&err);
	sg_say("the policy that was in force stays so");
}

/* ---- descriptors ---- */

/* Moves `fd` away and puts `with` in its place. */
static int
move_away(int fd, int with, int *ret, struct sg_err *err)
{
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	if (moved < 0 || dup2(with, fd) < 0)
		return sg_err_sys(err, SG_EIO, errno,
				  "cannot take over standard %s",
				  fd == 0 ? "input" : "output");
	*ret = moved;
	return SG_OK;
}

static int
take_descriptors(struct server *s, struct sg_err *err)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), status;

	if (null < 0)
		return sg_err_sys(err, SG_EIO, errno, "cannot open /dev/null");
	status = move_away(0, null, &s->in, err);
	if (status == SG_OK)
		status = move_away(1, 2, &s->out, err);
	sg_fd_close(&null);
	return status;
}

/* ---- writing ---- */

static bool
write_all(const struct server *s, struct sg_str text)
{
	while (text.n > 0) {
		struct pollfd fds[] = { { .fd = s->out, .events = POLLOUT },
					{ .fd = s->stop, .events = POLLIN } };
		ssize_t n;

		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return false;
		if (fds[1].revents || (fds[0].revents & (POLLERR | POLLNVAL)))
			return false;
		if (!(fds[0].revents & POLLOUT))
			continue;
		n = write(s->out, text.p, text.n < PIECE ? text.n : PIECE);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return false;
		if (n > 0)
			text = sg_str_slice(text, (size_t)n, text.n);
	}
	return true;
}

/* Called under the peer's lock: one line at a time. */
static void
on_reply(void *ctx, const struct sg_mcp_reply *reply)
{
	struct server *s = ctx;

	if (reply->message.n == 0 || s->broken)
		return;
	s->broken = !write_all(s, reply->message) ||
		    !write_all(s, SG_STR("\n"));
}

/* True when nobody can read what is written. */
static bool
reader_gone(const struct server *s)
{
	struct pollfd fd = { .fd = s->out };

	return poll(&fd, 1, 0) > 0 && (fd.revents & (POLLERR | POLLNVAL));
}

/* ---- reading ---- */

/* Reads until the end of input, a signal, or nobody to answer to. */
static void
serve(struct server *s)
{
	static char chunk[CHUNK];
	uint64_t count;

	while (!must_end) {
		struct pollfd fds[] = { { .fd = s->in, .events = POLLIN },
					{ .fd = signal_fd, .events = POLLIN },
					{ .fd = s->out } };
		ssize_t n;

		if (poll(fds, 3, -1) < 0 && errno != EINTR)
			return;
		if (fds[1].revents)
			(void)!read(signal_fd, &count, sizeof(count));
		if (must_reload)
			reload(s);
		if (fds[2].revents & (POLLERR | POLLNVAL))
			return;
		if (!fds[0].revents)
			continue;
		n = read(s->in, chunk, sizeof(chunk));
		if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
			break;
		if (n > 0)
			sg_mcp_lines_take(&s->lines, chunk, (size_t)n);
	}
	if (!must_end)
		sg_mcp_lines_end(&s->lines);
}

/* Lets what is under way finish, as long as that makes sense. */
static void
linger(struct server *s)
{
	uint64_t end = sg_clock_mono() + LINGER_MS * UINT64_C(1000000);

	while (!must_end && sg_mcp_peer_waiting(s->peer) > 0 &&
	       sg_clock_mono() < end && !reader_gone(s)) {
		struct pollfd fd = { .fd = signal_fd, .events = POLLIN };
		uint64_t count;

		if (poll(&fd, 1, 10) > 0)
			(void)!read(signal_fd, &count, sizeof(count));
	}
}

/* ---- the server ---- */

static int
open_service(struct server *s, const struct mcp *f, struct sg_err *err)
{
	struct sg_service_opts o;
	struct sg_mcp_opts mcp = { .message_max = MESSAGE_MAX };
	const char *named = getenv("SANDGATE_AUDIT");
	int status;

	sg_service_opts_init(&o);
	o.policy = f->policy;
	o.python = f->box.python;
	o.workers = f->workers > UINT32_MAX ? UINT32_MAX : (uint32_t)f->workers;
	o.queue = f->queue > UINT32_MAX ? UINT32_MAX : (uint32_t)f->queue;
	o.cold = f->cold;
	o.audit_state = sg_say_audit;
	o.audit_max = f->audit_max;
	o.audit = f->audit ? f->audit : named && named[0] ? named : NULL;
	o.audit_default = true;
	if (f->no_audit) {
		o.audit = NULL;
		o.audit_default = false;
	}
	if ((status = sg_audit_sync_named(f->audit_sync, &o.audit_sync, err)) <
		    0 ||
	    (status = sg_box_opts_limits(&f->box, &o.limits, err)) < 0 ||
	    (status = sg_run_require(f->box.require, &o.require, err)) < 0 ||
	    (status = sg_box_opts_env(&f->box, &s->env, &o.env, err)) < 0 ||
	    (status = sg_service_open(&o, &s->service, err)) < 0)
		return status;
	mcp.service = s->service;
	status = sg_mcp_open(&mcp, &s->mcp, err);
	if (status == SG_OK)
		status = sg_mcp_peer_new(s->mcp, NULL, on_reply, s, &s->peer,
					 err);
	sg_mcp_lines_init(&s->lines, s->peer, MESSAGE_MAX);
	return status;
}

static void
close_server(struct server *s)
{
	const uint64_t one = 1;

	/* Whoever still writes, writes to somebody who does not read. */
	if (s->stop >= 0)
		(void)!write(s->stop, &one, sizeof(one));
	sg_mcp_peer_free(s->peer);
	if (s->service)
		sg_service_drain(s->service, 0);
	sg_mcp_free(s->mcp);
	sg_service_free(s->service);
	sg_arena_release(&s->env);
	sg_mcp_lines_release(&s->lines);
	sg_fd_close(&s->in);
	sg_fd_close(&s->out);
	stop_fd = -1;
	sg_fd_close(&s->stop);
}

static int
run_mcp(const struct sg_args *args, void *fields)
{
	const struct mcp *f = fields;
	struct server s = { .in = -1, .out = -1, .stop = -1 };
	struct sg_err err;
	int status;

	if (args->n > 0) {
		sg_say("mcp: '%s' is one argument too many; messages come on "
		       "standard input",
		       args->v[0]);
		return SG_EXIT_ERROR;
	}
	if (f->config)
		return sg_mcp_print_config(f->config);
	sg_err_clear(&err);
	sg_arena_init(&s.env, 1 << 20);
	status = catch_signals(&s, &err);
	if (status == SG_OK)
		status = take_descriptors(&s, &err);
	if (status == SG_OK)
		status = open_service(&s, f, &err);
	if (status == SG_OK) {
		serve(&s);
		linger(&s);
	} else {
		sg_say_err(&err);
	}
	close_server(&s);
	return status == SG_OK ? SG_EXIT_OK : SG_EXIT_ERROR;
}

const struct sg_cmd sg_cmd_mcp = {
	.name = "mcp",
	.synopsis = "",
	.summary = "offers the sandbox to a language model's client (MCP)",
	.text = "Speaks the Model Context Protocol on standard input and "
		"output, versions 2024-11-05\nto 2026-07-28; tools: "
		"run_python, check_python, list_packages.  SIGHUP loads the\n"
		"policy anew.  Exit status: 0, or 2 when it could not "
		"start.\n",
	.opts = options,
	.fields = sizeof(struct mcp),
	.failed = SG_EXIT_ERROR,
	.run = run_mcp,
};
