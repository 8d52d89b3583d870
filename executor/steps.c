#include "executor/steps.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "executor/root.h"
#include "executor/sys.h"

/*
 * As in warden.c, nothing here allocates, takes a lock, or leaves anything
 * in the C library's memory; what a cold run alone does may do the last.
 */

static int
put(const char *path, const char *text)
{
	int fd = sg_sys_open(path, O_WRONLY | O_CLOEXEC);
	size_t n = strlen(text);
	ssize_t rc;

	if (fd < 0)
		return fd;
	rc = sg_sys_write(fd, text, n);
	(void)sg_sys_close(fd);
	return rc < 0 ? (int)rc : (size_t)rc < n ? -EIO : 0;
}

int
sg_steps_map(const char *base, bool below, uid_t in_uid, uid_t out_uid,
	     gid_t in_gid, gid_t out_gid)
{
	char path[64], text[64];
	int rc = 0;

	(void)snprintf(path, sizeof(path), "%s/setgroups", base);
	if (!below)
		rc = put(path, "deny");
	if (rc < 0 && rc != -ENOENT)
		return rc;
	(void)snprintf(path, sizeof(path), "%s/uid_map", base);
	(void)snprintf(text, sizeof(text), "%u %u 1", in_uid, out_uid);
	rc = put(path, text);
	if (rc < 0)
		return rc;
	(void)snprintf(path, sizeof(path), "%s/gid_map", base);
	(void)snprintf(text, sizeof(text), "%u %u 1", in_gid, out_gid);
	return put(path, text);
}

static int
step_die_with_parent(struct sg_warden *w, const char **what)
{
	struct pollfd life = { w->plan->fds.life, POLLIN, 0 };

	int rc = sg_sys_prctl(PR_SET_PDEATHSIG, SIGKILL, 0);

	*what = "parent-death signal";
	if (rc < 0)
		return rc;
	/* It may have died before the line above. */
	return sg_sys_poll_now(&life, 1) == 0 ? 0 : -ESRCH;
}

static int
step_user(struct sg_warden *w, const char **what)
{
	const struct sg_plan *p = w->plan;

	*what = "mapping the user";
	if (!(p->clone_flags & CLONE_NEWUSER))
		return 0;
	return sg_steps_map("/proc/self", p->forked, p->in_uid, p->self_uid,
			    p->in_gid, p->self_gid);
}

static int
step_cgroup_ns(struct sg_warden *w, const char **what)
{
	(void)w;
	*what = "cgroup namespace";
	return sg_sys_unshare(CLONE_NEWCGROUP);
}

/* clone() has no room for it; of the two only the worker is born there. */
static int
step_time(struct sg_warden *w, const char **what)
{
	*what = "time namespace";
	return w->plan->clone_flags & CLONE_NEWTIME
		       ? sg_sys_unshare(CLONE_NEWTIME)
		       : 0;
}

static int
step_uts(struct sg_warden *w, const char **what)
{
	long rc = sg_sys(SYS_sethostname, sg_sys_arg("sandbox"), 7, 0, 0, 0);

	(void)w;
	*what = "host name";
	if (rc == 0)
		rc = sg_sys(SYS_setdomainname, sg_sys_arg(""), 0, 0, 0, 0);
	return (int)rc;
}

static int
step_root(struct sg_warden *w, const char **what)
{
	return sg_root_build(w->plan, what);
}

/* What is mounted from here on is nobody else's. */
static int
step_same_root(struct sg_warden *w, const char **what)
{
	(void)w;
	*what = "/";
	return sg_sys_mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

static int
step_proc(struct sg_warden *w, const char **what)
{
	(void)w;
	return sg_workspace_proc(what);
}

static int
step_workspace(struct sg_warden *w, const char **what)
{
	return sg_root_workspace(w->plan, &w->workspace, what);
}

static int
step_seal(struct sg_warden *w, const char **what)
{
	(void)w;
	return sg_root_seal(what);
}

/* Its files are the worker's to write. */
static int
step_bare_workspace(struct sg_warden *w, const char **what)
{
	int rc = sg_workspace_mount(w->plan, w->order.workspace,
				    w->order.inodes, what);

	if (rc < 0)
		return rc;
	w->workspace = sg_sys_open(w->plan->workspace,
				   O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return w->workspace < 0 ? w->workspace : 0;
}

/* Without a mount namespace the supervisor has made the folders. */
static int
step_plain_workspace(struct sg_warden *w, const char **what)
{
	if (w->plan->want & SG_L_BIT(SG_L_WORKSPACE))
		return 0;
	*what = w->plan->workspace;
	w->workspace = sg_sys_open(w->plan->workspace,
				   O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->workspace < 0)
		return w->workspace;
	return sg_root_inputs(w->plan, what);
}

static int
step_enter(struct sg_warden *w, const char **what)
{
	int rc = sg_sys_chdir(w->plan->workspace);

	*what = w->plan->workspace;
	if (rc < 0)
		return rc;
	sg_sys_umask(022);
	rc = sg_report_send(w->plan->fds.report, SG_REPORT_WORKSPACE,
			    w->workspace);
	(void)sg_sys_close(w->workspace);
	w->workspace = -1;
	return rc;
}

/* Steps that may be left out where they stand say so with `soft`. */
struct step {
	int layer; /* enum sg_layer_id, -1: always done, never left out */
	bool soft;
	int (*run)(struct sg_warden *w, const char **what);
};

static const struct step steps[] = {
	{ -1, false, step_die_with_parent },
	{ SG_L_USER_NS, false, step_user },
	{ SG_L_CGROUP_NS, true, step_cgroup_ns },
	{ SG_L_UTS_NS, false, step_uts },
	{ SG_L_ROOT, false, step_root },
	{ SG_L_PROC, true, step_proc },
	{ SG_L_WORKSPACE, false, step_workspace },
	{ SG_L_ROOT, false, step_seal },
	{ -1, false, step_plain_workspace },
	{ -1, false, step_enter },
	{ 0, false, NULL },
};

/* In a fork of a zygote, whose root is the box's: before the order, */
static const struct step early_steps[] = {
	{ SG_L_USER_NS, false, step_user },
	{ SG_L_CGROUP_NS, true, step_cgroup_ns },
	{ SG_L_TIME_NS, false, step_time },
	{ SG_L_UTS_NS, false, step_uts },
	{ SG_L_ROOT, false, step_same_root },
	{ SG_L_PROC, false, step_proc },
	{ 0, false, NULL },
};
/* and after it. */
static const struct step late_steps[] = {
	{ SG_L_WORKSPACE, false, step_bare_workspace },
	{ -1, false, step_enter },
	{ 0, false, NULL },
};

void
sg_steps_publish(struct sg_warden *w)
{
	if (w->order.fds[SG_ORDER_FILE] >= 0)
		(void)sg_sys_pwrite(w->order.fds[SG_ORDER_FILE], w->board,
				    sizeof(*w->board), 0);
}

noreturn void
sg_steps_give_up(struct sg_warden *w)
{
	sg_steps_publish(w);
	if (w->sock >= 0)
		(void)sg_sys_send(w->sock, w->board, sizeof(*w->board));
	_exit(1);
}

static void
run_steps(struct sg_warden *w, const struct step *s)
{
	for (; s->run; s++) {
		const char *what = "";
		int rc;

		if (s->layer >= 0 && !(w->plan->want & SG_L_BIT(s->layer)))
			continue;
		rc = s->run(w, &what);
		if (rc < 0 &&
		    (!s->soft || w->plan->must & SG_L_BIT(s->layer))) {
			sg_board_fail(w->board, s->layer, -rc, what);
			sg_steps_give_up(w);
		}
		if (s->layer < 0)
			continue;
		w->board->note[s->layer].sys = rc < 0 ? -rc : 0;
		w->board->note[s->layer].state = rc < 0 ? SG_LAYER_UNAVAILABLE
							: SG_LAYER_ACTIVE;
	}
}

void
sg_steps_all(struct sg_warden *w)
{
	run_steps(w, steps);
}

void
sg_steps_early(struct sg_warden *w)
{
	run_steps(w, early_steps);
}

void
sg_steps_late(struct sg_warden *w)
{
	run_steps(w, late_steps);
}
