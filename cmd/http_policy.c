#include "cmd/http.h"

#include <stdlib.h>

/*
 * The document that GET /v1/policy answers with.  The service keeps its
 * policy to itself; what is shown is loaded from the same place, and only
 * when it is the same by its digest.
 */
struct sg_http_policy {
	pthread_mutex_t lock;
	struct sg_buf json;
};

enum { POLICY_MAX = 16 << 20 };

static void
write_texts(struct sg_json *j, const char *key, const struct sg_str *v,
	    uint32_t n)
{
	sg_json_key(j, key);
	sg_json_array(j);
	for (uint32_t i = 0; i < n; i++)
		sg_json_str(j, v[i]);
	sg_json_end(j);
}

static void
write_rule(struct sg_json *j, const struct sg_rule_info *rule)
{
	sg_json_object(j);
	sg_json_kstr(j, "id", rule->id);
	sg_json_kstr(j, "title", rule->title);
	sg_json_kc(j, "severity", sg_severity_name(rule->severity));
	sg_json_kc(j, "action", rule->action);
	sg_json_kstr(j, "message", rule->message);
	sg_json_kstr(j, "hint", rule->hint);
	write_texts(j, "cwe", rule->cwe, rule->ncwe);
	write_texts(j, "tags", rule->tags, rule->ntags);
	sg_json_end(j);
}

static int
render(const struct sg_policy *p, struct sg_buf *out, struct sg_err *err)
{
	struct sg_digest digest = sg_policy_digest(p);
	char hex[SG_DIGEST_HEX];
	struct sg_json j;

	sg_digest_hex(&digest, hex);
	sg_json_init(&j, out);
	sg_json_object(&j);
	sg_json_kstr(&j, "policy", sg_policy_name(p));
	sg_json_kc(&j, "policy_sha256", hex);
	sg_json_key(&j, "rules");
	sg_json_array(&j);
	for (uint32_t i = 0; i < sg_policy_rule_count(p); i++) {
		struct sg_rule_info rule;

		sg_policy_rule(p, i, &rule);
		write_rule(&j, &rule);
	}
	sg_json_end(&j);
	sg_json_end(&j);
	if (!sg_json_done(&j) || sg_buf_failed(out))
		return sg_err_set(err, SG_ENOMEM, "no memory for the policy");
	return SG_OK;
}

static int
same_as_service(const struct sg_http *h, const struct sg_policy *p,
		struct sg_err *err)
{
	struct sg_digest digest = sg_policy_digest(p);
	char hex[SG_DIGEST_HEX];
	struct sg_service_stats stats;

	sg_digest_hex(&digest, hex);
	sg_service_stats(h->opts.service, &stats);
	if (strcmp(hex, stats.policy_sha256) == 0)
		return SG_OK;
	return sg_err_set(err, SG_EPOLICY,
			  "the policy changed while it was loaded; load it "
			  "once more");
}

int
sg_http_policy_load(struct sg_http *h, struct sg_err *err)
{
	const char *name = h->opts.policy ? h->opts.policy : "default";
	struct sg_policy *p = NULL;
	struct sg_buf json, old;
	int status;

	if (!h->policy) {
		h->policy = calloc(1, sizeof(*h->policy));
		if (!h->policy)
			return sg_err_set(err, SG_ENOMEM, "no memory");
		(void)pthread_mutex_init(&h->policy->lock, NULL);
		sg_buf_init(&h->policy->json, POLICY_MAX);
	}
	sg_buf_init(&json, POLICY_MAX);
	status = sg_policy_open(name, &p, err);
	if (status == SG_OK)
		status = same_as_service(h, p, err);
	if (status == SG_OK)
		status = render(p, &json, err);
	sg_policy_free(p);
	if (status < 0) {
		sg_buf_release(&json);
		return status;
	}
	(void)pthread_mutex_lock(&h->policy->lock);
	old = h->policy->json;
	h->policy->json = json;
	(void)pthread_mutex_unlock(&h->policy->lock);
	sg_buf_release(&old);
	return SG_OK;
}

void
sg_http_policy_free(struct sg_http_policy *p)
{
	if (!p)
		return;
	sg_buf_release(&p->json);
	(void)pthread_mutex_destroy(&p->lock);
	free(p);
}

void
sg_http_policy(struct sg_http_req *req)
{
	struct sg_http_policy *p = req->http->policy;
	struct sg_http_reply *r = &req->reply;

	sg_buf_init(&r->body, POLICY_MAX);
	(void)pthread_mutex_lock(&p->lock);
	sg_buf_str(&r->body, sg_buf_view(&p->json));
	(void)pthread_mutex_unlock(&p->lock);
	if (sg_buf_failed(&r->body)) {
		sg_http_problem(req, 500, "internal", "no memory for a reply");
		return;
	}
	r->status = 200;
	r->type = "application/json";
}
