#include "cmd/http.h"

#include "base/clock.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum { TEXT_MAX = 1 << 20, OTHER_ROUTE = SG_METRICS_ROUTES - 1, SETS = 32 };

static const uint16_t statuses[SG_METRICS_STATUSES] = {
	200, 202, 204, 400, 401, 403, 404, 405, 408,
	411, 413, 415, 422, 429, 499, 500, 503, 0,
};

/* Upper bounds, in microseconds: from a warm run to a long one. */
static const uint32_t bounds[SG_METRICS_BUCKETS] = {
	1000,   2500,    5000,    10000,   25000,    50000,    100000,   250000,
	500000, 1000000, 2500000, 5000000, 10000000, 30000000, 60000000,
};

void
sg_metrics_init(struct sg_http_metrics *m)
{
	m->started = (double)sg_clock_real_us() / 1e6;
}

void
sg_metrics_count(struct sg_http *h, const struct sg_http_req *req,
		 unsigned status, uint64_t took_us)
{
	struct sg_http_metrics *m = &h->metrics;
	size_t route = req->route ? (size_t)(req->route - sg_routes)
				  : OTHER_ROUTE;
	size_t i = 0, bucket = 0;

	while (statuses[i] && statuses[i] != status)
		i++;
	while (bucket < SG_METRICS_BUCKETS && took_us > bounds[bucket])
		bucket++;
	atomic_fetch_add(&m->requests[route][i], 1);
	atomic_fetch_add(&m->took[route].bucket[bucket], 1);
	atomic_fetch_add(&m->took[route].sum_us, took_us);
	atomic_fetch_add(&m->received, req->received);
	atomic_fetch_add(&m->sent, req->sent);
}

/* ---- text ---- */

static void
family(struct sg_buf *b, const char *name, const char *type, const char *help)
{
	sg_buf_printf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name,
		      type);
}

static void
one(struct sg_buf *b, const char *name, const char *type, const char *help,
    uint64_t value)
{
	family(b, name, type, help);
	sg_buf_printf(b, "%s %" PRIu64 "\n", name, value);
}

/* The value of a label, escaped. */
static void
label(struct sg_buf *b, const char *value)
{
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			sg_buf_char(b, '\\');
		sg_buf_char(b, *value == '\n' ? ' ' : *value);
	}
}

static const char *
route_name(size_t route)
{
	return route == OTHER_ROUTE ? "other" : sg_routes[route].path;
}

static bool
is_route(size_t route)
{
	if (route == OTHER_ROUTE)
		return true;
	for (size_t i = 0; i <= route; i++) {
		if (!sg_routes[i].path)
			return false;
	}
	return true;
}

static void
write_requests(const struct sg_http_metrics *m, struct sg_buf *b)
{
	family(b, "sandgate_http_requests_total", "counter",
	       "Requests that ended, by path and status.");
	for (size_t r = 0; r < SG_METRICS_ROUTES; r++) {
		for (size_t i = 0; is_route(r) && i < SG_METRICS_STATUSES;
		     i++) {
			uint64_t n = atomic_load(&m->requests[r][i]);

			if (n)
				sg_buf_printf(b,
					      "sandgate_http_requests_total{"
					      "path=\"%s\",code=\"%u\"} "
					      "%" PRIu64 "\n",
					      route_name(r), statuses[i], n);
		}
	}
}

static void
write_duration(const struct sg_http_metrics *m, size_t r, struct sg_buf *b)
{
	static const char name[] = "sandgate_http_request_duration_seconds";
	uint64_t sum = 0;

	for (size_t i = 0; i <= SG_METRICS_BUCKETS; i++) {
		sum += atomic_load(&m->took[r].bucket[i]);
		sg_buf_printf(b, "%s_bucket{path=\"%s\",le=\"", name,
			      route_name(r));
		if (i < SG_METRICS_BUCKETS)
			sg_buf_printf(b, "%g", bounds[i] / 1e6);
		else
			sg_buf_c(b, "+Inf");
		sg_buf_printf(b, "\"} %" PRIu64 "\n", sum);
	}
	sg_buf_printf(b, "%s_sum{path=\"%s\"} %.6f\n", name, route_name(r),
		      (double)atomic_load(&m->took[r].sum_us) / 1e6);
	sg_buf_printf(b, "%s_count{path=\"%s\"} %" PRIu64 "\n", name,
		      route_name(r), sum);
}

static void
write_http(struct sg_http *h, struct sg_buf *b)
{
	struct sg_http_metrics *m = &h->metrics;

	write_requests(m, b);
	family(b, "sandgate_http_request_duration_seconds", "histogram",
	       "From the headers to the end of the reply, by path.");
	for (size_t r = 0; r < SG_METRICS_ROUTES; r++) {
		if (is_route(r))
			write_duration(m, r, b);
	}
	one(b, "sandgate_http_connections", "gauge", "Connections now.",
	    sg_conns_count(&h->conns));
	one(b, "sandgate_http_requests_active", "gauge",
	    "Requests that are being answered now.", atomic_load(&h->open));
	one(b, "sandgate_http_held_bytes", "gauge",
	    "Bytes of request bodies that are held now.",
	    atomic_load(&h->held));
	one(b, "sandgate_http_received_bytes_total", "counter",
	    "Bytes of request bodies.", atomic_load(&m->received));
	one(b, "sandgate_http_sent_bytes_total", "counter",
	    "Bytes of reply bodies.", atomic_load(&m->sent));
	one(b, "sandgate_http_cancelled_total", "counter",
	    "Runs cancelled because the client went away.",
	    atomic_load(&m->cancelled));
}

static void
write_tasks(const struct sg_service_stats *s, struct sg_buf *b)
{
	one(b, "sandgate_tasks_accepted_total", "counter", "Scripts taken on.",
	    s->accepted);
	one(b, "sandgate_tasks_refused_total", "counter",
	    "Scripts refused because the queue was full.", s->refused);
	family(b, "sandgate_tasks_total", "counter",
	       "Scripts that ended, by status.");
	for (int i = 0; i < SG_RUN_STATUS_COUNT; i++)
		sg_buf_printf(b,
			      "sandgate_tasks_total{status=\"%s\"} "
			      "%" PRIu64 "\n",
			      sg_run_status_name((enum sg_run_status)i),
			      s->by_status[i]);
	family(b, "sandgate_verdicts_total", "counter",
	       "Scripts that were judged, by decision.");
	for (int i = 0; i < 3; i++)
		sg_buf_printf(b,
			      "sandgate_verdicts_total{decision=\"%s\"} "
			      "%" PRIu64 "\n",
			      sg_decision_name((enum sg_decision)i),
			      s->by_decision[i]);
	one(b, "sandgate_tasks_queued", "gauge", "Scripts that wait now.",
	    s->queued);
	one(b, "sandgate_tasks_running", "gauge",
	    "Scripts that are judged or run now.", s->running);
	one(b, "sandgate_workers", "gauge", "Scripts that can run at a time.",
	    s->workers);
	one(b, "sandgate_queue_size", "gauge", "Scripts that may wait.",
	    s->queue);
	one(b, "sandgate_audit_failures_total", "counter",
	    "Records that could not be written; what they are about did not "
	    "start, or was not handed out.",
	    s->audit_failures);
	one(b, "sandgate_draining", "gauge",
	    "1 when nothing is taken on any more.", s->draining);
}

static void
write_policy(const struct sg_http *h, const struct sg_service_stats *s,
	     struct sg_buf *b)
{
	one(b, "sandgate_policy_reloads_total", "counter",
	    "Reloads of the policy that were tried and worked.", s->reloads);
	one(b, "sandgate_policy_reload_failures_total", "counter",
	    "Reloads that failed and left the policy as it was.",
	    s->reloads_failed);
	one(b, "sandgate_policy_reload_success", "gauge",
	    "0 when the last reload failed.",
	    !atomic_load(&h->metrics.reload_failed));
	family(b, "sandgate_policy_info", "gauge", "The policy in force.");
	sg_buf_c(b, "sandgate_policy_info{policy=\"");
	label(b, s->policy);
	sg_buf_printf(b, "\",sha256=\"%s\"} 1\n", s->policy_sha256);
	family(b, "sandgate_build_info", "gauge", "This program.");
	sg_buf_printf(b, "sandgate_build_info{version=\"%s\"} 1\n", SG_VERSION);
}

static void
write_sets(const struct sg_warm_stats *v, uint32_t n, const char *name,
	   const char *type, const char *help,
	   uint64_t (*value)(const struct sg_warm_stats *s), struct sg_buf *b)
{
	family(b, name, type, help);
	for (uint32_t i = 0; i < n; i++) {
		sg_buf_printf(b, "%s{set=\"", name);
		label(b, v[i].name);
		sg_buf_printf(b, "\"} %" PRIu64 "\n", value(&v[i]));
	}
}

static uint64_t
set_alive(const struct sg_warm_stats *s)
{
	return s->alive;
}

static uint64_t
set_runs(const struct sg_warm_stats *s)
{
	return s->runs;
}

static uint64_t
set_ahead(const struct sg_warm_stats *s)
{
	return s->ahead;
}

static uint64_t
set_started(const struct sg_warm_stats *s)
{
	return s->started;
}

static uint64_t
set_failed(const struct sg_warm_stats *s)
{
	return s->failed;
}

static uint64_t
set_memory(const struct sg_warm_stats *s)
{
	return s->memory;
}

static void
write_warm(struct sg_service *service, struct sg_buf *b)
{
	struct sg_warm *warm = sg_service_warm(service);
	struct sg_warm_stats v[SETS];
	uint32_t n;

	if (!warm)
		return;
	n = sg_warm_stats(warm, v, SETS);
	n = n < SETS ? n : SETS;
	write_sets(v, n, "sandgate_warm_up", "gauge",
		   "1 when a warm interpreter stands ready, by set.", set_alive,
		   b);
	write_sets(v, n, "sandgate_warm_runs_total", "counter",
		   "Runs served by warm interpreters.", set_runs, b);
	write_sets(v, n, "sandgate_warm_ahead_total", "counter",
		   "Of these, runs whose box lacked nothing but the program.",
		   set_ahead, b);
	write_sets(v, n, "sandgate_warm_started_total", "counter",
		   "Warm interpreters that were started.", set_started, b);
	write_sets(v, n, "sandgate_warm_failed_total", "counter",
		   "Warm interpreters that died or would not start.",
		   set_failed, b);
	write_sets(v, n, "sandgate_warm_memory_bytes", "gauge",
		   "Resident memory of a warm interpreter.", set_memory, b);
}

static uint32_t
open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	uint32_t n = 0;

	if (!dir)
		return 0;
	while (readdir(dir))
		n++;
	(void)closedir(dir);
	/* Without ".", ".." and the folder's own. */
	return n - 3;
}

static void
write_process(const struct sg_http_metrics *m, struct sg_buf *b)
{
	FILE *f = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;
	struct rusage use = { 0 };

	(void)getrusage(RUSAGE_SELF, &use);
	if (f) {
		if (fscanf(f, "%*u %lu", &pages) != 1)
			pages = 0;
		(void)fclose(f);
	}
	one(b, "process_resident_memory_bytes", "gauge",
	    "Memory of the server itself.",
	    (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE));
	one(b, "process_open_fds", "gauge", "Open descriptors.",
	    open_descriptors());
	family(b, "process_cpu_seconds_total", "counter",
	       "Processor time of the server itself.");
	sg_buf_printf(
		b, "process_cpu_seconds_total %.3f\n",
		(double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
			(double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) /
				1e6);
	family(b, "process_start_time_seconds", "gauge",
	       "When the server began.");
	sg_buf_printf(b, "process_start_time_seconds %.3f\n", m->started);
}

void
sg_http_metrics(struct sg_http_req *req)
{
	struct sg_http *h = req->http;
	struct sg_service_stats stats;
	struct sg_buf *b = &req->reply.body;

	sg_service_stats(h->opts.service, &stats);
	sg_buf_init(b, TEXT_MAX);
	write_http(h, b);
	write_tasks(&stats, b);
	write_policy(h, &stats, b);
	write_warm(h->opts.service, b);
	write_process(&h->metrics, b);
	if (sg_buf_failed(b)) {
		sg_http_problem(req, 500, "internal", "no memory for a reply");
		return;
	}
	req->reply.status = 200;
	req->reply.type = "text/plain; version=0.0.4; charset=utf-8";
}
