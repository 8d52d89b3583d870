#include "executor/root.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "executor/limits.h"

/*
 * Theory of operation.  A tmpfs is mounted over some folder of the host and
 * pivoted into at once, with the old root below it at /old: from then on the
 * host's folders have names (/old/usr) that nothing of ours can cover.  The
 * places on the list are bound from there, each made read-only with all that
 * is mounted below it.  /proc and the workspace follow (workspace.c), then /old is
 * let go and the root itself becomes read-only.
 */

#define OLD SG_ROOT_OLD

enum { PATH_ROOM = 4096 + 16, ROOT_BYTES = 8 * 1024 * 1024, ROOT_NODES = 4096 };

static const struct {
	const char *at, *from;
} devices[] = {
	{ "/dev/null", OLD "/dev/null" },
	{ "/dev/zero", OLD "/dev/zero" },
	{ "/dev/full", OLD "/dev/full" },
	{ "/dev/random", OLD "/dev/random" },
	{ "/dev/urandom", OLD "/dev/urandom" },
};

static const struct sg_plan_link device_links[] = {
	{ "/proc/self/fd", "/dev/fd" },
	{ "/proc/self/fd/0", "/dev/stdin" },
	{ "/proc/self/fd/1", "/dev/stdout" },
	{ "/proc/self/fd/2", "/dev/stderr" },
};

/* "a" + "b" into room; false when it does not fit. */
static bool
concat(char room[PATH_ROOM], const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);

	if (n + m + 1 > PATH_ROOM)
		return false;
	memcpy(room, a, n);
	memcpy(room + n, b, m + 1);
	return true;
}

int
sg_root_parents(const char *path)
{
	char part[PATH_ROOM];
	size_t n = strlen(path);

	if (n + 1 > sizeof(part))
		return -ENAMETOOLONG;
	for (size_t i = 1; i < n; i++) {
		if (path[i] != '/')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		if (mkdir(part, 0755) < 0 && errno != EEXIST)
			return -errno;
	}
	return 0;
}

int
sg_root_write(int dir, const char *path, struct sg_str data, mode_t mode,
	      uid_t uid, gid_t gid)
{
	int fd = openat(dir, path,
			O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			mode);
	size_t at = 0;
	ssize_t n;
	int rc = 0;

	if (fd < 0)
		return -errno;
	while (at < data.n) {
		n = write(fd, data.p + at, data.n - at);
		if (n < 0) {
			rc = -errno;
			break;
		}
		at += (size_t)n;
	}
	if (rc == 0 && uid != (uid_t)-1 && fchown(fd, uid, gid) < 0)
		rc = -errno;
	(void)close(fd);
	return rc;
}

/* Whatever lacked them may be tried again.  Most do not. */
static bool
made_parents(const char *path)
{
	return errno == ENOENT && sg_root_parents(path) == 0;
}

static int
make_dir(const char *path)
{
	int rc = mkdir(path, 0755);

	if (rc < 0 && made_parents(path))
		rc = mkdir(path, 0755);
	return rc < 0 && errno != EEXIST ? -errno : 0;
}

/* An empty file or folder at `path`, like `from`, to bind onto. */
static int
make_target(const char *path, const struct stat *from)
{
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
	int fd;

	if (S_ISDIR(from->st_mode))
		return make_dir(path);
	fd = open(path, flags, 0644);
	if (fd < 0 && made_parents(path))
		fd = open(path, flags, 0644);
	if (fd < 0)
		return -errno;
	(void)close(fd);
	return 0;
}

static int
read_only(const char *path)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_RDONLY |
					       MOUNT_ATTR_NOSUID |
					       MOUNT_ATTR_NODEV };

	if (syscall(SYS_mount_setattr, AT_FDCWD, path, AT_RECURSIVE, &attr,
		    sizeof(attr)) == 0)
		return 0;
	return -errno;
}

/*
 * Before Linux 5.12 only one mount can be made read-only at a time, so
 * nothing that is mounted below comes along.
 */
static int
bind_one(const char *from, const char *to)
{
	unsigned long flags = MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID |
			      MS_NODEV;

	if (mount(from, to, NULL, MS_BIND, NULL) < 0 ||
	    mount(NULL, to, NULL, flags, NULL) < 0)
		return -errno;
	return 0;
}

static int
bind_place(const struct sg_bind *b)
{
	char from[PATH_ROOM];
	struct stat st;
	int rc;

	if (!concat(from, OLD, b->from))
		return -ENAMETOOLONG;
	if (stat(from, &st) < 0)
		return errno == ENOENT ? 0 : -errno;
	rc = make_target(b->to, &st);
	if (rc < 0)
		return rc;
	if (mount(from, b->to, NULL, MS_BIND | MS_REC, NULL) < 0)
		return -errno;
	rc = read_only(b->to);
	if (rc != -ENOSYS)
		return rc;
	if (umount2(b->to, MNT_DETACH) < 0)
		return -errno;
	return bind_one(from, b->to);
}

static int
make_devices(const char **what)
{
	struct stat st;
	int rc;

	if (mkdir("/dev", 0755) < 0)
		return -errno;
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
		*what = devices[i].at;
		if (stat(devices[i].from, &st) < 0 || !S_ISCHR(st.st_mode))
			continue;
		rc = make_target(devices[i].at, &st);
		if (rc < 0)
			return rc;
		if (mount(devices[i].from, devices[i].at, NULL, MS_BIND, NULL) <
		    0)
			return -errno;
	}
	return 0;
}

static int
make_links(const struct sg_plan_link *links, size_t n)
{
	int rc;

	for (size_t i = 0; i < n; i++) {
		rc = symlink(links[i].to, links[i].at);
		if (rc < 0 && made_parents(links[i].at))
			rc = symlink(links[i].to, links[i].at);
		if (rc < 0 && errno != EEXIST)
			return -errno;
	}
	return 0;
}

static int
make_file(const struct sg_plan_file *f)
{
	return sg_root_write(AT_FDCWD, f->path, f->data, 0444, (uid_t)-1,
			     (gid_t)-1);
}

static int
make_files(const struct sg_plan *plan, const char **what)
{
	int rc;

	for (uint32_t i = 0; i < plan->nfiles; i++) {
		*what = plan->files[i].path;
		rc = make_file(&plan->files[i]);
		if (rc == -ENOENT && sg_root_parents(*what) == 0)
			rc = make_file(&plan->files[i]);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Mounts the new root over some folder that exists, and pivots into it. */
static int
pivot(const char **what)
{
	static const char *const spots[] = { "/tmp", "/mnt", "/usr", "/dev" };
	char options[80];
	size_t i;

	*what = "/";
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return -errno;
	(void)snprintf(options, sizeof(options),
		       "mode=0755,size=%d,nr_inodes=%d", ROOT_BYTES,
		       ROOT_NODES);
	for (i = 0; i < sizeof(spots) / sizeof(spots[0]); i++)
		if (mount("sandgate", spots[i], "tmpfs", MS_NOSUID | MS_NODEV,
			  options) == 0)
			break;
	if (i == sizeof(spots) / sizeof(spots[0]) || chdir(spots[i]) < 0 ||
	    mkdir("old", 0700) < 0)
		return -errno;
	*what = "pivot_root";
	if (syscall(SYS_pivot_root, ".", "old") < 0 || chdir("/") < 0)
		return -errno;
	return 0;
}

bool
sg_root_is_late(const struct sg_plan *plan, const char *to)
{
	const char *const covers[] = { plan->workspace, plan->temp,
				       "/dev/shm" };

	for (size_t i = 0; i < sizeof(covers) / sizeof(covers[0]); i++) {
		size_t n = strlen(covers[i]);

		if (strncmp(to, covers[i], n) == 0 && to[n] == '/')
			return true;
	}
	return false;
}

static int
bind_places(const struct sg_plan *plan, bool late, const char **what)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < plan->binds.n; i++) {
		*what = plan->binds.v[i].to;
		if (sg_root_is_late(plan, *what) == late)
			rc = bind_place(&plan->binds.v[i]);
	}
	return rc;
}

int
sg_root_build(const struct sg_plan *plan, const char **what)
{
	int rc = pivot(what);

	if (rc == 0)
		rc = bind_places(plan, false, what);
	if (rc == 0)
		rc = make_devices(what);
	if (rc == 0)
		rc = make_links(device_links,
				sizeof(device_links) / sizeof(device_links[0]));
	if (rc == 0)
		rc = make_links(plan->links, plan->nlinks);
	if (rc == 0)
		rc = make_files(plan, what);
	return rc;
}

/* --- workspace ----------------------------------------------------------- */

/* Makes the folders above a relative path, owned by the program. */
static int
input_parents(const struct sg_plan *plan, int dir, const char *path)
{
	char part[SG_BOX_NAME_MAX + 1];

	for (size_t i = 1; path[i] && i < sizeof(part); i++) {
		if (path[i] != '/')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		if (mkdirat(dir, part, 0755) < 0) {
			if (errno != EEXIST)
				return -errno;
			continue;
		}
		if (fchownat(dir, part, plan->out_uid, plan->out_gid,
			     AT_SYMLINK_NOFOLLOW) < 0)
			return -errno;
	}
	return 0;
}

static int
input_file(const struct sg_plan *plan, int dir, struct sg_str name,
	   struct sg_str data)
{
	char path[SG_BOX_NAME_MAX + 1];
	int rc;

	memcpy(path, name.p, name.n);
	path[name.n] = '\0';
	rc = input_parents(plan, dir, path);
	if (rc < 0)
		return rc;
	return sg_root_write(dir, path, data, 0644, plan->out_uid,
			     plan->out_gid);
}

int
sg_root_inputs(const struct sg_plan *plan, const char **what)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	int dir, temp, rc = 0;

	*what = "an input file";
	dir = plan->spec->nfiles ? open(plan->workspace, flags) : -1;
	for (uint32_t i = 0; rc == 0 && i < plan->spec->nfiles; i++)
		rc = input_file(plan, dir, plan->spec->files[i].name,
				plan->spec->files[i].data);
	if (dir >= 0)
		(void)close(dir);
	if (rc < 0 || !plan->prepared->fonts.n)
		return rc;
	*what = "the font cache";
	temp = open(plan->temp, flags);
	rc = input_file(plan, temp, sg_str_c(plan->prepared->fonts_name),
			plan->prepared->fonts);
	if (temp >= 0)
		(void)close(temp);
	return rc;
}

int
sg_root_workspace(const struct sg_plan *plan, int *ret_fd, const char **what)
{
	const struct sg_box_limits *l = &plan->spec->limits;
	int rc = sg_workspace_mount(plan, l->workspace, l->inodes, what);

	if (rc == 0)
		rc = sg_root_inputs(plan, what);
	if (rc == 0)
		rc = bind_places(plan, true, what);
	if (rc < 0)
		return rc;
	*ret_fd = open(plan->workspace, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return *ret_fd < 0 ? -errno : 0;
}

int
sg_root_seal(const char **what)
{
	*what = OLD;
	if (umount2(OLD, MNT_DETACH) < 0 || rmdir(OLD) < 0)
		return -errno;
	*what = "/";
	if (mount(NULL, "/", NULL,
		  MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV,
		  NULL) < 0)
		return -errno;
	return 0;
}
