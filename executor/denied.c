#include "executor/denied.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "executor/sysfilter.h"
#include "executor/systable.h"

void
sg_denials_init(struct sg_denials *d)
{
	memset(d, 0, sizeof(*d));
	d->fd = -1;
	d->exec_nr = sg_filter_number("execve");
	d->seccomp_nr = sg_filter_number("seccomp");
}

void
sg_denials_release(struct sg_denials *d)
{
	sg_fd_close(&d->fd);
	free(d->req);
	free(d->resp);
	d->req = d->resp = NULL;
}

void
sg_denials_listen(struct sg_denials *d, int fd)
{
	sg_fd_close(&d->fd);
	d->fd = fd;
}

/* With the first question; most programs give rise to none. */
static bool
make_room(struct sg_denials *d)
{
	struct seccomp_notif_sizes sizes;
	size_t req = sizeof(struct seccomp_notif);
	size_t resp = sizeof(struct seccomp_notif_resp);

	if (d->req && d->resp)
		return true;
	if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) == 0) {
		req = sizes.seccomp_notif > req ? sizes.seccomp_notif : req;
		resp = sizes.seccomp_notif_resp > resp
			       ? sizes.seccomp_notif_resp
			       : resp;
	}
	free(d->req);
	free(d->resp);
	d->req = malloc(req);
	d->resp = calloc(1, resp);
	d->req_size = req;
	return d->req && d->resp;
}

static void
record(struct sg_denials *d, int nr)
{
	uint32_t i;

	d->calls++;
	for (i = 0; i < d->n; i++)
		if (d->seen[i].nr == nr)
			break;
	if (i == SG_BOX_DENIED_NAMES)
		return;
	if (i == d->n)
		d->seen[d->n++].nr = nr;
	d->seen[i].count++;
}

/* True for the two calls of ours, once each. */
static bool
ours(struct sg_denials *d, int nr)
{
	bool *used = nr == d->exec_nr      ? &d->exec_used
		     : nr == d->seccomp_nr ? &d->seccomp_used
					   : NULL;

	if (!used || *used)
		return false;
	*used = true;
	return true;
}

static void
decide(struct sg_denials *d, const struct seccomp_notif *req,
       struct seccomp_notif_resp *resp)
{
	char name[SG_SYS_NAME];

	if (ours(d, req->data.nr)) {
		resp->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		resp->error = 0;
		return;
	}
	sg_filter_name(req->data.nr, name);
	resp->flags = 0;
	resp->error = -sg_sys_errno(name);
	record(d, req->data.nr);
}

bool
sg_denials_answer(struct sg_denials *d)
{
	struct seccomp_notif *req;
	struct seccomp_notif_resp *resp;

	if (!make_room(d))
		return false;
	req = d->req;
	resp = d->resp;
	/* The kernel insists on zeroes. */
	memset(req, 0, d->req_size);
	if (ioctl(d->fd, SECCOMP_IOCTL_NOTIF_RECV, req) < 0)
		return errno == ENOENT || errno == EINTR || errno == EAGAIN;
	resp->id = req->id;
	resp->val = 0;
	decide(d, req, resp);
	/* ENOENT: the caller died meanwhile. */
	if (ioctl(d->fd, SECCOMP_IOCTL_NOTIF_SEND, resp) < 0 && errno != ENOENT)
		return false;
	return d->calls < SG_BOX_DENIED_CALLS;
}

static int
by_count(const void *a, const void *b)
{
	const struct sg_denied *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return sg_str_cmp(x->name, y->name);
}

void
sg_denials_report(const struct sg_denials *d, struct sg_arena *arena,
		  struct sg_result *ret)
{
	struct sg_denied *v = SG_NEWN(arena, struct sg_denied, d->n + 1u);
	char name[SG_SYS_NAME];

	if (!v)
		return;
	for (uint32_t i = 0; i < d->n; i++) {
		sg_filter_name(d->seen[i].nr, name);
		v[i].name = sg_arena_dup(arena, sg_str_c(name));
		v[i].count = d->seen[i].count;
	}
	qsort(v, d->n, sizeof(*v), by_count);
	ret->denied = v;
	ret->ndenied = d->n;
}
