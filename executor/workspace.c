#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mount.h>

#include "executor/root.h"
#include "executor/sys.h"

/*
 * Theory of operation.  The workspace is a tmpfs of its own, with three
 * folders that are bound to the places where programs look: /mnt/data, /tmp
 * and /dev/shm.  They share one cap.  Its own root is mounted where nobody
 * looks any more: inside the old root, with which it goes (every unmounting
 * waits for all processors, so there is only one), or below one of the three.
 *
 * As in warden.c, nothing here leaves anything in the C library's memory.
 */

/* Nothing more is bound from there once the devices are. */
#define STAGE SG_ROOT_OLD "/dev"
/* In a warm run there is no old root, and this is covered last. */
#define WARM_STAGE "/dev/shm"

int
sg_workspace_proc(const char **what)
{
	int rc = sg_sys_mkdir("/proc", 0555);

	*what = "/proc";
	if (rc < 0 && rc != -EEXIST)
		return rc;
	return sg_sys_mount("proc", "/proc", "proc",
			    MS_NOSUID | MS_NODEV | MS_NOEXEC,
			    "subset=pid,hidepid=invisible");
}

/* The folder to bind onto; in a warm run it is the zygote's. */
static int
make_place(const struct sg_plan *plan, const char *at)
{
	int rc = sg_sys_mkdir(at, 0755);

	if (rc == -ENOENT && !plan->forked) {
		rc = sg_root_parents(at);
		if (rc == 0)
			rc = sg_sys_mkdir(at, 0755);
	}
	return rc == -EEXIST ? 0 : rc;
}

/* One folder of the staged tmpfs, bound to its place. */
static int
place(const struct sg_plan *plan, const char *name, const char *at)
{
	char from[64];
	int rc;

	(void)snprintf(from, sizeof(from), "%s/%s",
		       plan->forked ? WARM_STAGE : STAGE, name);
	rc = sg_sys_mkdir(from, 0700);
	if (rc == 0)
		rc = sg_sys_chmod(from, 0755);
	if (rc == 0)
		rc = sg_sys_chown(from, plan->out_uid, plan->out_gid);
	if (rc == 0)
		rc = make_place(plan, at);
	return rc < 0 ? rc : sg_sys_mount(from, at, NULL, MS_BIND, NULL);
}

int
sg_workspace_mount(const struct sg_plan *plan, uint64_t bytes, uint64_t inodes,
		   const char **what)
{
	char options[96];
	int rc;

	*what = plan->workspace;
	(void)snprintf(options, sizeof(options),
		       "mode=0755,size=%" PRIu64 ",nr_inodes=%" PRIu64, bytes,
		       inodes + 8);
	rc = sg_sys_mount("workspace", plan->forked ? WARM_STAGE : STAGE,
			  "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, options);
	if (rc == 0)
		rc = place(plan, "data", plan->workspace);
	if (rc == 0)
		rc = place(plan, "tmp", plan->temp);
	return rc < 0 ? rc : place(plan, "shm", "/dev/shm");
}
