/*
 * A client that costs next to nothing, for bench/serve.py: sends the same
 * request to /v1/run over kept connections to a Unix socket, and times each
 * answer from the first byte sent to the last one read.
 *
 *	load [-c CLIENTS] [-s SECONDS | -n REQUESTS] [-p PAUSE_MS] [-r]
 *	     SOCKET BODY
 *
 * BODY is a file with the JSON to send.  With a pause, each client waits that
 * long after an answer before it asks again.  -r: a line for each answer
 * instead of the summary: its status, the microseconds it took, and those of
 * them that the result puts down to the box.
 */

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

enum {
	CLIENTS = 1024,
	BODY_MAX = 1 << 20,
	ANSWER = 64 << 20,
	ANSWERS = 1 << 20,
	READ = 64 << 10
};

struct answer {
	unsigned status; /* 0: the connection was lost */
	uint32_t us, box_us;
};

struct client {
	int fd;
	bool waits;   /* for an answer */
	uint64_t due; /* when it asks next */
	uint64_t begun;
	struct sg_buf in;
};

struct load {
	const char *socket;
	struct sg_buf request;
	struct client clients[CLIENTS];
	uint32_t nclients;
	uint64_t asked, most; /* requests */
	uint64_t end, pause;  /* nanoseconds */
	struct answer *answers;
	uint64_t n;
	bool raw;
};

static void
die(const char *what)
{
	(void)fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* ---- one client ---- */

static void
dial(struct load *l, struct client *c)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };

	(void)snprintf(to.sun_path, sizeof(to.sun_path), "%s", l->socket);
	c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (c->fd < 0 ||
	    connect(c->fd, (const struct sockaddr *)&to, sizeof(to)) < 0)
		die(l->socket);
}

static void
ask(struct load *l, struct client *c)
{
	struct sg_err err;

	c->waits = true;
	c->begun = sg_clock_mono();
	l->asked++;
	if (sg_fd_write_all(c->fd, l->request.data, l->request.len, &err) < 0)
		die("cannot send");
}

/* The number behind `key`, or 0. */
static unsigned long
number_after(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoul(at + strlen(key), NULL, 10) : 0;
}

static void
note(struct load *l, struct client *c, unsigned status)
{
	uint64_t now = sg_clock_mono();
	const char *text = c->in.data ? c->in.data : "";

	if (l->n < ANSWERS)
		l->answers[l->n++] = (struct answer){
			.status = status,
			.us = (uint32_t)((now - c->begun) / 1000),
			.box_us =
				(uint32_t)(number_after(text, "\"wall_us\":") +
					   number_after(text, "\"setup_us\":")),
		};
	c->waits = false;
	c->due = now + l->pause;
	sg_buf_reset(&c->in);
}

/* The length of the whole answer, once its head is there; or 0. */
static size_t
whole(const struct client *c)
{
	const char *end = strstr(c->in.data, "\r\n\r\n");

	return end ? (size_t)(end - c->in.data) + 4 +
			       number_after(c->in.data, "Content-Length: ")
		   : 0;
}

static void
hear(struct load *l, struct client *c)
{
	char *room = sg_buf_room(&c->in, READ);
	ssize_t n;
	size_t all;

	if (!room)
		die("an answer is too long");
	n = read(c->fd, room, READ - 1);
	if (n < 0 && errno == EINTR)
		return;
	if (n <= 0) {
		sg_fd_close(&c->fd);
		note(l, c, 0);
		dial(l, c);
		return;
	}
	c->in.len += (size_t)n;
	c->in.data[c->in.len] = '\0';
	all = whole(c);
	if (all && c->in.len >= all)
		note(l, c, (unsigned)number_after(c->in.data, "HTTP/1.1 "));
}

/* ---- all of them ---- */

/* Those who may ask do.  Returns when the next one may. */
static uint64_t
ask_all(struct load *l, uint32_t *ret_waiting)
{
	uint64_t now = sg_clock_mono(), next = UINT64_MAX;

	*ret_waiting = 0;
	for (uint32_t i = 0; i < l->nclients; i++) {
		struct client *c = &l->clients[i];

		if (!c->waits && c->due <= now && l->asked < l->most &&
		    now < l->end)
			ask(l, c);
		if (c->waits)
			(*ret_waiting)++;
		else if (l->asked < l->most && c->due < l->end && c->due < next)
			next = c->due;
	}
	return next;
}

static void
hear_all(struct load *l, uint64_t until)
{
	struct pollfd fds[CLIENTS];
	uint64_t now = sg_clock_mono();
	uint64_t left = until > now ? until - now : 0;
	struct timespec wait = { .tv_sec = (time_t)(left / 1000000000),
				 .tv_nsec = (long)(left % 1000000000) };

	for (uint32_t i = 0; i < l->nclients; i++)
		fds[i] = (struct pollfd){
			.fd = l->clients[i].waits ? l->clients[i].fd : -1,
			.events = POLLIN,
		};
	if (ppoll(fds, l->nclients, until == UINT64_MAX ? NULL : &wait, NULL) <
		    0 &&
	    errno != EINTR)
		die("cannot wait");
	for (uint32_t i = 0; i < l->nclients; i++) {
		if (fds[i].fd >= 0 && fds[i].revents)
			hear(l, &l->clients[i]);
	}
}

static void
run(struct load *l)
{
	uint32_t waiting;

	for (;;) {
		uint64_t next = ask_all(l, &waiting);

		if (!waiting && next == UINT64_MAX)
			return;
		hear_all(l, next);
	}
}

/* ---- what came of it ---- */

static int
by_time(const void *a, const void *b)
{
	const struct answer *x = a, *y = b;

	return x->us < y->us ? -1 : x->us > y->us;
}

static double
ms_at(const struct load *l, uint64_t i)
{
	return l->answers[i].us / 1e3;
}

static void
summarize(struct load *l, uint64_t took)
{
	uint64_t other = 0, n = l->n;

	for (uint64_t i = 0; i < n; i++) {
		const struct answer *a = &l->answers[i];

		if (l->raw)
			printf("%u %u %u\n", a->status, a->us, a->box_us);
		other += a->status != 200;
	}
	if (l->raw || !n)
		return;
	qsort(l->answers, n, sizeof(*l->answers), by_time);
	printf("%llu answers, %llu not 200; p50 %.2f, p90 %.2f, p99 %.2f, "
	       "most %.2f ms; %.0f /s\n",
	       (unsigned long long)n, (unsigned long long)other,
	       ms_at(l, n / 2), ms_at(l, n * 9 / 10), ms_at(l, n * 99 / 100),
	       ms_at(l, n - 1), (double)n * 1e9 / (double)took);
}

static void
make_request(struct load *l, const char *file)
{
	struct sg_buf body;
	struct sg_err err;

	sg_buf_init(&body, BODY_MAX);
	if (sg_file_read(file, &body, &err) < 0)
		die(file);
	sg_buf_init(&l->request, BODY_MAX + 1024);
	sg_buf_printf(&l->request,
		      "POST /v1/run HTTP/1.1\r\nHost: localhost\r\n"
		      "Content-Type: application/json\r\n"
		      "Content-Length: %zu\r\n\r\n",
		      body.len);
	sg_buf_str(&l->request, sg_buf_view(&body));
	sg_buf_release(&body);
}

/* Fills in the options; the index of what follows them, or 0. */
static int
read_options(struct load *l, int argc, char **argv)
{
	int c;

	l->nclients = 1;
	l->most = UINT64_MAX;
	l->end = UINT64_MAX;
	while ((c = getopt(argc, argv, "c:s:n:p:r")) != -1) {
		if (c == 'c')
			l->nclients = (uint32_t)strtoul(optarg, NULL, 10);
		else if (c == 's')
			l->end = sg_clock_mono() +
				 (uint64_t)(strtod(optarg, NULL) * 1e9);
		else if (c == 'n')
			l->most = strtoull(optarg, NULL, 10);
		else if (c == 'p')
			l->pause = (uint64_t)(strtod(optarg, NULL) * 1e6);
		else if (c == 'r')
			l->raw = true;
		else
			return 0;
	}
	if (l->nclients < 1 || l->nclients > CLIENTS || optind + 2 != argc ||
	    (l->most == UINT64_MAX && l->end == UINT64_MAX))
		return 0;
	return optind;
}

int
main(int argc, char **argv)
{
	static struct load l;
	int at = read_options(&l, argc, argv);
	uint64_t begun;

	if (!at) {
		(void)fprintf(stderr,
			      "usage: load [-c CLIENTS] [-s SECONDS | -n "
			      "REQUESTS] [-p PAUSE_MS] [-r] SOCKET BODY\n");
		return 2;
	}
	/* Pauses end when they are over. */
	(void)prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	l.socket = argv[at];
	make_request(&l, argv[at + 1]);
	l.answers = calloc(ANSWERS, sizeof(*l.answers));
	if (!l.answers)
		die("no memory");
	begun = sg_clock_mono();
	for (uint32_t i = 0; i < l.nclients; i++) {
		sg_buf_init(&l.clients[i].in, ANSWER);
		dial(&l, &l.clients[i]);
		/* Not all of them at the same moment. */
		l.clients[i].due = begun + l.pause * i / l.nclients;
	}
	run(&l);
	summarize(&l, sg_clock_mono() - begun);
	for (uint32_t i = 0; i < l.nclients; i++) {
		sg_fd_close(&l.clients[i].fd);
		sg_buf_release(&l.clients[i].in);
	}
	sg_buf_release(&l.request);
	free(l.answers);
	return 0;
}
