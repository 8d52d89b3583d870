#ifndef SG_CMD_HTTP_METRICS_H
#define SG_CMD_HTTP_METRICS_H

/* What the HTTP server counts, and all of it as Prometheus reads it. */

#include "base/buf.h"

#include <stdatomic.h>

enum {
	SG_METRICS_ROUTES = 16,
	SG_METRICS_STATUSES = 20,
	SG_METRICS_BUCKETS = 15
};

struct sg_http_metrics {
	/* The last route is "other", the last status anything else. */
	atomic_ullong requests[SG_METRICS_ROUTES][SG_METRICS_STATUSES];
	struct {
		atomic_ullong bucket[SG_METRICS_BUCKETS + 1];
		atomic_ullong sum_us;
	} took[SG_METRICS_ROUTES];
	atomic_ullong received, sent; /* bytes of bodies */
	atomic_ullong cancelled;      /* by clients that went away */
	atomic_bool reload_failed;    /* the last one */
	double started;               /* seconds since 1970 */
};

struct sg_http;
struct sg_http_req;

void sg_metrics_init(struct sg_http_metrics *m);
/* One request ended. */
void sg_metrics_count(struct sg_http *h, const struct sg_http_req *req,
		      unsigned status, uint64_t took_us);
/* GET /metrics */
void sg_http_metrics(struct sg_http_req *req);

#endif
