/*
 * Theory of operation.
 *
 * The main thread makes everything and then waits: for signals, for clients
 * that go away (cmd/http_conn.c), and for the next second, in which slow
 * clients are ended.  Requests are served by the threads of cmd/http.c, and
 * judged and run by those of the service.
 *
 * The end comes in this order, so that nothing is lost and nothing waits for
 * ever: no new work; what is under way ends, or is cancelled when its time is
 * over; its replies are sent; only then the connections are closed.  The
 * first two are one call that blocks, on a thread of its own: the main thread
 * goes on watching.  A second signal cancels what is under way.
 */

#include "cmd/box_opts.h"
#include "cmd/cmd.h"
#include "cmd/http.h"

#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

struct serve {
	struct sg_opt_list listen, local, hosts, origins;
	const char *mode, *policy, *audit, *token_file, *audit_sync;
	uint64_t audit_max, workers, queue, body, connections, client, wait,
		drain;
	bool no_audit, cold, eager, log;
	struct sg_box_opts box;
};

#define AT(field) offsetof(struct serve, field)
static const struct sg_opt options[] = {
	{ SG_OPT_LIST, 'l', "listen", "ADDRESS:PORT",
	  "listen there (default: 127.0.0.1:8080); may be repeated",
	  AT(listen) },
	{ SG_OPT_LIST, 'u', "unix", "PATH",
	  "listen at a Unix socket; may be repeated", AT(local) },
	{ SG_OPT_TEXT, 0, "unix-mode", "MODE",
	  "permissions of Unix sockets (default: 0600)", AT(mode) },
	{ SG_OPT_TEXT, 0, "token-file", "FILE",
	  "answer only who sends a token that is a line of FILE",
	  AT(token_file) },
	{ SG_OPT_LIST, 0, "allow-host", "NAME",
	  "a name of this server beside localhost; may be repeated",
	  AT(hosts) },
	{ SG_OPT_LIST, 0, "allow-origin", "ORIGIN",
	  "let pages of ORIGIN use the server; may be repeated", AT(origins) },
	{ SG_OPT_TEXT, 'p', "policy", "NAME|FILE",
	  "default, strict, audit, or a YAML file", AT(policy) },
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
	{ SG_OPT_COUNT, 'j', "workers", "N",
	  "scripts at a time (default: three a processor)", AT(workers) },
	{ SG_OPT_COUNT, 0, "queue", "N", "scripts that may wait (default: 64)",
	  AT(queue) },
	{ SG_OPT_TIME, 0, "queue-time", "SECONDS",
	  "how long a script may wait (default: 30)", AT(wait) },
	{ SG_OPT_FLAG, 0, "cold", NULL,
	  "start an interpreter for each run; keep none warm", AT(cold) },
	{ SG_OPT_FLAG, 0, "eager", NULL,
	  "start warm interpreters at once, not when they are wanted",
	  AT(eager) },
	{ SG_OPT_SIZE, 0, "body-size", "SIZE",
	  "bytes of a request (default: 32MiB)", AT(body) },
	{ SG_OPT_COUNT, 0, "connections", "N",
	  "connections at a time, on each socket (default: 512)",
	  AT(connections) },
	{ SG_OPT_TIME, 0, "client-time", "SECONDS",
	  "a client may take to send a request (default: 30)", AT(client) },
	{ SG_OPT_TIME, 0, "drain-time", "SECONDS",
	  "at the end, wait for what is under way (default: 30)", AT(drain) },
	{ SG_OPT_FLAG, 0, "log", NULL,
	  "write a line of JSON for each request to standard error", AT(log) },
	SG_BOX_OPTS(offsetof(struct serve, box)),
	SG_OPT_ALL,
	{ 0 },
};

enum {
	SWEEP_MS = 1000,
	/* For replies that are still being sent when all runs have ended. */
	FLUSH_MS = 5000,
	DESCRIPTORS = 65536,
	DEFAULT_MODE = 0600
};

struct server {
	const struct serve *opts;
	struct sg_service *service;
	struct sg_http http;
	struct sg_listener listeners[SG_HTTP_LISTENERS];
	uint32_t nlisteners;
	int signals, drained; /* descriptors */
	pthread_t drainer;
	bool draining;
	uint64_t watchdog_ms;
	struct sg_arena arena; /* of `env` */
	const char *const *env;
};

/* ---- sockets ---- */

static int
unix_mode(const struct serve *f, unsigned *ret, struct sg_err *err)
{
	char *end;
	unsigned long mode = DEFAULT_MODE;

	if (f->mode) {
		mode = strtoul(f->mode, &end, 8);
		if (*end || !f->mode[0] || f->mode[0] == '-' || mode > 0777)
			return sg_err_set(err, SG_EUSAGE,
					  "option '--unix-mode': '%.32s' is "
					  "no mode such as 0660",
					  f->mode);
	}
	*ret = (unsigned)mode;
	return SG_OK;
}

static int
room_for_one(const struct server *s, struct sg_err *err)
{
	if (s->nlisteners < SG_HTTP_LISTENERS)
		return SG_OK;
	return sg_err_set(err, SG_EUSAGE, "at most %d sockets, please",
			  (int)SG_HTTP_LISTENERS);
}

static int
open_sockets(struct server *s, struct sg_err *err)
{
	const struct serve *f = s->opts;
	unsigned mode = 0;
	int status = unix_mode(f, &mode, err);

	if (status == SG_OK)
		status = sg_listen_inherited(s->listeners, SG_HTTP_LISTENERS,
					     &s->nlisteners, err);
	for (uint32_t i = 0; i < f->listen.n && status == SG_OK; i++) {
		if ((status = room_for_one(s, err)) == SG_OK &&
		    (status = sg_listen_tcp(f->listen.v[i],
					    &s->listeners[s->nlisteners],
					    err)) == SG_OK)
			s->nlisteners++;
	}
	for (uint32_t i = 0; i < f->local.n && status == SG_OK; i++) {
		if ((status = room_for_one(s, err)) == SG_OK &&
		    (status = sg_listen_unix(f->local.v[i], mode,
					     &s->listeners[s->nlisteners],
					     err)) == SG_OK)
			s->nlisteners++;
	}
	if (status == SG_OK && s->nlisteners == 0) {
		status = sg_listen_tcp("127.0.0.1:8080", &s->listeners[0], err);
		s->nlisteners = status == SG_OK;
	}
	return status;
}

/* Nobody beyond this machine runs code here without a token. */
static int
check_exposure(const struct server *s, struct sg_err *err)
{
	for (uint32_t i = 0; i < s->nlisteners && !s->opts->token_file; i++) {
		if (s->listeners[i].open)
			return sg_err_set(err, SG_EUSAGE,
					  "anybody could run code at %s; "
					  "'--token-file' is needed for that",
					  s->listeners[i].name);
	}
	for (uint32_t i = 0; i < s->opts->origins.n; i++) {
		if (strcmp(s->opts->origins.v[i], "*") == 0 &&
		    !s->opts->token_file)
			return sg_err_set(err, SG_EUSAGE,
					  "any page could run code here; "
					  "'--token-file' is needed for "
					  "'--allow-origin *'");
	}
	return SG_OK;
}

/* ---- the service ---- */

static int
open_service(struct server *s, struct sg_err *err)
{
	const struct serve *f = s->opts;
	const char *named = getenv("SANDGATE_AUDIT");
	char log[4096];
	struct sg_service_opts o;
	int status;

	sg_service_opts_init(&o);
	o.policy = f->policy;
	o.python = f->box.python;
	o.audit_max = f->audit_max;
	o.audit = f->audit ? f->audit : named && named[0] ? named : NULL;
	if (!o.audit && !f->no_audit) {
		status = sg_audit_default_path(log, sizeof(log), err);
		if (status < 0)
			return status;
		o.audit = log;
	}
	if (f->no_audit)
		o.audit = NULL;
	if ((status = sg_audit_sync_named(f->audit_sync, &o.audit_sync, err)) <
		    0 ||
	    (status = sg_run_require(f->box.require, &o.require, err)) < 0 ||
	    (status = sg_box_opts_limits(&f->box, &o.limits, err)) < 0 ||
	    (status = sg_box_opts_env(&f->box, &s->arena, &s->env, err)) < 0)
		return status;
	o.workers = (uint32_t)f->workers;
	o.queue = (uint32_t)f->queue;
	o.cold = f->cold;
	o.audit_state = sg_say_audit;
	o.warm.eager = f->eager;
	return sg_service_open(&o, &s->service, err);
}

static uint64_t
or_else(uint64_t given, uint64_t otherwise)
{
	return given ? given : otherwise;
}

static int
open_http(struct server *s, struct sg_err *err)
{
	const struct serve *f = s->opts;
	const struct sg_http_opts o = {
		.service = s->service,
		.policy = f->policy,
		.token_file = f->token_file,
		.hosts = &f->hosts,
		.origins = &f->origins,
		.env = s->env,
		.listeners = s->nlisteners,
		.body_max = or_else(f->body, 32 << 20),
		.connections = (uint32_t)or_else(f->connections, 512),
		.client_ms = (uint32_t)or_else(f->client, 30000),
		.queue_ms = (uint32_t)or_else(f->wait, 30000),
		.log = f->log,
	};
	int status = sg_http_open(&s->http, &o, err);

	for (uint32_t i = 0; i < s->nlisteners && status == SG_OK; i++)
		status = sg_http_listen(&s->http, &s->listeners[i], err);
	return status;
}

/* ---- signals ---- */

static int
hold_signals(struct server *s, struct sg_err *err)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGHUP);
	/* Before any thread is made: all of them inherit it. */
	(void)pthread_sigmask(SIG_BLOCK, &set, NULL);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	s->drained = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->signals < 0 || s->drained < 0)
		return sg_err_sys(err, SG_EIO, errno,
				  "cannot make a descriptor for signals");
	return SG_OK;
}

static void
reload(struct server *s)
{
	struct sg_service_stats stats;
	char state[96];
	struct sg_err err;

	(void)snprintf(state, sizeof(state), "RELOADING=1\nMONOTONIC_USEC=%llu",
		       (unsigned long long)(sg_clock_mono() / 1000));
	sg_notify(state);
	sg_err_clear(&err);
	if (sg_service_reload(s->service, &err) < 0 ||
	    sg_http_policy_load(&s->http, &err) < 0) {
		atomic_store(&s->http.metrics.reload_failed, true);
		sg_say_err(&err);
		sg_say("the policy stays as it was");
	} else {
		atomic_store(&s->http.metrics.reload_failed, false);
		sg_service_stats(s->service, &stats);
		sg_say("policy '%s' is in force (%.12s)", stats.policy,
		       stats.policy_sha256);
	}
	sg_err_clear(&err);
	if (sg_guard_reload(&s->http.guard, &err) < 0) {
		sg_say_err(&err);
		sg_say("the tokens stay as they were");
	}
	sg_notify("READY=1");
}

static void *
drain(void *arg)
{
	struct server *s = arg;
	const uint64_t one = 1;

	sg_service_drain(s->service, (uint32_t)or_else(s->opts->drain, 30000));
	(void)!write(s->drained, &one, sizeof(one));
	return NULL;
}

static void
begin_drain(struct server *s)
{
	const uint64_t one = 1;

	if (s->draining) {
		sg_say("cancelling what is under way");
		sg_conns_cancel(&s->http.conns);
		return;
	}
	s->draining = true;
	sg_say("ending: no new work, waiting for what is under way");
	sg_notify("STOPPING=1");
	atomic_store(&s->http.draining, true);
	sg_http_quiesce(&s->http);
	if (pthread_create(&s->drainer, NULL, drain, s) != 0) {
		/* Then here, and nobody watches. */
		sg_service_drain(s->service, 0);
		s->drainer = pthread_self();
		(void)!write(s->drained, &one, sizeof(one));
	}
}

static void
take_signals(struct server *s)
{
	struct signalfd_siginfo info;

	while (read(s->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGHUP)
			reload(s);
		else
			begin_drain(s);
	}
}

/* ---- the loop ---- */

static void
watch(struct server *s)
{
	uint64_t next_sweep = 0, next_beat = 0;
	struct pollfd p[] = {
		{ s->signals, POLLIN, 0 },
		{ s->drained, POLLIN, 0 },
		{ s->http.conns.epoll, POLLIN, 0 },
	};

	while (!(p[1].revents & POLLIN)) {
		uint64_t now = sg_clock_mono() / 1000000;

		if (now >= next_sweep) {
			sg_conns_sweep(&s->http.conns);
			next_sweep = now + SWEEP_MS;
		}
		if (s->watchdog_ms && now >= next_beat) {
			sg_notify("WATCHDOG=1");
			next_beat = now + s->watchdog_ms;
		}
		if (poll(p, 3, SWEEP_MS) < 0)
			continue;
		if (p[0].revents)
			take_signals(s);
		if (p[2].revents)
			sg_conns_watch(&s->http.conns);
	}
	if (!pthread_equal(s->drainer, pthread_self()))
		(void)pthread_join(s->drainer, NULL);
}

/* All runs have ended; their replies may still be on their way. */
static void
flush(struct server *s)
{
	uint64_t end = sg_clock_mono() / 1000000 + FLUSH_MS;

	while (atomic_load(&s->http.open) && sg_clock_mono() / 1000000 < end) {
		(void)poll(NULL, 0, 5);
		sg_conns_watch(&s->http.conns);
	}
	/* Whoever does not take a reply now is not waited for.  None is
	 * suspended: that ended with the runs. */
}

/* Connections and runs need descriptors; boxes have a limit of their own. */
static void
raise_limits(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) < 0 || l.rlim_cur >= DESCRIPTORS)
		return;
	l.rlim_cur = l.rlim_max < DESCRIPTORS ? l.rlim_max : DESCRIPTORS;
	(void)setrlimit(RLIMIT_NOFILE, &l);
}

static void
announce(const struct server *s)
{
	struct sg_service_stats stats;

	sg_service_stats(s->service, &stats);
	for (uint32_t i = 0; i < s->nlisteners; i++)
		sg_say("listening on %s", s->listeners[i].name);
	sg_say("answering requests by policy '%s' (%.12s)", stats.policy,
	       stats.policy_sha256);
	sg_notify("READY=1\nSTATUS=Answering requests");
}

static void
close_all(struct server *s)
{
	sg_http_stop(&s->http);
	if (s->http.conns.v)
		sg_http_release(&s->http);
	sg_service_free(s->service);
	for (uint32_t i = 0; i < s->nlisteners; i++) {
		sg_fd_close(&s->listeners[i].fd);
		sg_listen_forget(&s->listeners[i]);
	}
	sg_fd_close(&s->signals);
	sg_fd_close(&s->drained);
	sg_arena_release(&s->arena);
}

static int
run_serve(const struct sg_args *args, void *fields)
{
	struct server *s = calloc(1, sizeof(*s));
	struct sg_err err;
	int status;

	sg_err_clear(&err);
	if (args->n || !s) {
		if (s)
			sg_say("serve: '%s' is one argument too many",
			       args->v[0]);
		free(s);
		return SG_EXIT_ERROR;
	}
	s->opts = fields;
	sg_arena_init(&s->arena, 1 << 20);
	s->signals = s->drained = -1;
	s->http.conns.epoll = -1;
	s->watchdog_ms = sg_notify_watchdog();
	raise_limits();
	sg_serve_group();
	status = SG_EXIT_ERROR;
	if (hold_signals(s, &err) == SG_OK && open_sockets(s, &err) == SG_OK &&
	    check_exposure(s, &err) == SG_OK &&
	    open_service(s, &err) == SG_OK && open_http(s, &err) == SG_OK) {
		announce(s);
		watch(s);
		flush(s);
		status = SG_EXIT_OK;
	} else {
		sg_say_err(&err);
	}
	close_all(s);
	free(s);
	return status;
}

const struct sg_cmd sg_cmd_serve = {
	.name = "serve",
	.synopsis = "",
	.summary = "judges and runs scripts for programs, over HTTP",
	.text = "POST /v1/run, POST /v1/check and POST /mcp; GET /openapi.json "
		"describes all.\n"
		"SIGTERM ends it when what is under way has ended; SIGHUP "
		"loads policy and\ntokens anew.\n",
	.opts = options,
	.fields = sizeof(struct serve),
	.failed = SG_EXIT_ERROR,
	.run = run_serve,
};
