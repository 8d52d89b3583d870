#include "executor/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Newer than the C library's headers may be; the numbers are fixed. */
#define FS_EXECUTE (1ull << 0)
#define FS_WRITE_FILE (1ull << 1)
#define FS_READ_FILE (1ull << 2)
#define FS_READ_DIR (1ull << 3)
#define FS_V1 ((1ull << 13) - 1)
#define FS_REFER (1ull << 13)
#define FS_TRUNCATE (1ull << 14)
#define FS_IOCTL_DEV (1ull << 15)
#define NET_ALL 3ull
#define SCOPE_ALL 3ull

#define FS_LOOK (FS_READ_FILE | FS_READ_DIR | FS_EXECUTE)
#define FS_DEVICE (FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE)
#define FS_ON_FILE (FS_EXECUTE | FS_DEVICE | FS_IOCTL_DEV)
/* Whatever may be done in the workspace: no devices, no execution. */
#define FS_WORK                                                        \
	((FS_V1 & ~(FS_EXECUTE | 1ull << 6 | 1ull << 11)) | FS_REFER | \
	 FS_TRUNCATE)

struct ruleset {
	uint64_t fs, net, scoped;
};

static long
create(const void *attr, size_t size, uint32_t flags)
{
	return syscall(SYS_landlock_create_ruleset, attr, size, flags);
}

int
sg_landlock_version(void)
{
	long v = create(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	return v < 0 ? -errno : (int)v;
}

/* What version `abi` knows of the rights that we would like to handle. */
static struct ruleset
rights(int abi, size_t *ret_size)
{
	struct ruleset r = { FS_V1, 0, 0 };

	*ret_size = sizeof(r.fs);
	if (abi >= 2)
		r.fs |= FS_REFER;
	if (abi >= 3)
		r.fs |= FS_TRUNCATE;
	if (abi >= 4) {
		r.net = NET_ALL;
		*ret_size = offsetof(struct ruleset, scoped);
	}
	if (abi >= 5)
		r.fs |= FS_IOCTL_DEV;
	if (abi >= 6) {
		r.scoped = SCOPE_ALL;
		*ret_size = sizeof(r);
	}
	return r;
}

/* A path that is not there needs no rule. */
static int
allow(int set, const struct ruleset *r, const char *path, uint64_t access)
{
	struct landlock_path_beneath_attr attr = { 0 };
	struct stat st;
	int rc = 0;
	int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fstat(fd, &st) == 0 && !S_ISDIR(st.st_mode))
		access &= FS_ON_FILE;
	attr.allowed_access = access & r->fs;
	attr.parent_fd = fd;
	if (syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PATH_BENEATH,
		    &attr, 0) < 0)
		rc = -errno;
	(void)close(fd);
	return rc;
}

/* Reading: all of a root of our own, or else only what was listed. */
static int
allow_reading(int set, const struct ruleset *r, const struct sg_plan *plan)
{
	int rc;

	if (plan->want & SG_L_BIT(SG_L_ROOT))
		return allow(set, r, "/", FS_LOOK);
	rc = allow(set, r, plan->support, FS_LOOK);
	for (uint32_t i = 0; rc == 0 && i < plan->binds.n; i++)
		rc = allow(set, r, plan->binds.v[i].to, FS_LOOK);
	return rc;
}

static int
allow_all(int set, const struct ruleset *r, const struct sg_plan *plan)
{
	static const char *const devices[] = { "/dev/null", "/dev/zero",
					       "/dev/full", "/dev/random",
					       "/dev/urandom" };
	int rc = allow_reading(set, r, plan);

	for (size_t i = 0; rc == 0 && i < sizeof(devices) / sizeof(*devices);
	     i++)
		rc = allow(set, r, devices[i], FS_DEVICE);
	if (rc == 0)
		rc = allow(set, r, plan->workspace, FS_WORK);
	if (rc == 0)
		rc = allow(set, r, plan->temp, FS_WORK);
	if (rc == 0 && plan->want & SG_L_BIT(SG_L_WORKSPACE))
		rc = allow(set, r, "/dev/shm", FS_WORK);
	return rc;
}

int
sg_landlock_apply(const struct sg_plan *plan)
{
	int abi = sg_landlock_version(), rc, set;
	struct ruleset r;
	size_t size;

	if (abi < 0)
		return abi;
	r = rights(abi, &size);
	set = (int)create(&r, size, 0);
	if (set < 0)
		return -errno;
	rc = allow_all(set, &r, plan);
	if (rc == 0 && syscall(SYS_landlock_restrict_self, set, 0) < 0)
		rc = -errno;
	(void)close(set);
	return rc < 0 ? rc : abi;
}
