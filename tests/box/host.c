/*
 * Runs a command on a host that lacks something.
 *
 *	host [-u] LACK COMMAND [ARGUMENT...]
 *
 * -u: as an ordinary user.  What is lacking is taken away from this process
 * and all below it, by a filter of system calls or a mount namespace, so root
 * is needed for some.  Ends with 125 when it cannot be taken away.
 */

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

enum { NOBODY = 65534, FAILED = 125 };

/* One call that fails, with any arguments or with these bits in one. */
struct refusal {
	const char *call;
	int sys;
	int arg; /* -1: whatever its arguments */
	uint64_t bits;
};

static int
forbid(const struct refusal *list)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	int rc = ctx ? 0 : -1;

	for (; rc == 0 && list->call; list++) {
		struct scmp_arg_cmp cmp = {
			(unsigned)(list->arg < 0 ? 0 : list->arg),
			SCMP_CMP_MASKED_EQ, list->bits, list->bits
		};

		rc = seccomp_rule_add_array(
			ctx, SCMP_ACT_ERRNO((uint32_t)list->sys),
			seccomp_syscall_resolve_name(list->call),
			list->arg < 0 ? 0 : 1, &cmp);
	}
	if (rc == 0)
		rc = seccomp_load(ctx);
	seccomp_release(ctx);
	return rc;
}

#define NO_NS(flag)                         \
	{ "clone", EPERM, 0, (flag) },      \
	{                                   \
		"unshare", EPERM, 0, (flag) \
	}

static int
no_user_namespaces(void)
{
	static const struct refusal list[] = { { "clone3", ENOSYS, -1, 0 },
					       NO_NS(CLONE_NEWUSER),
					       { 0 } };
	return forbid(list);
}

/* What a container does that is not told otherwise. */
static int
no_namespaces(void)
{
	static const struct refusal list[] = {
		{ "clone3", ENOSYS, -1, 0 }, NO_NS(CLONE_NEWUSER),
		NO_NS(CLONE_NEWNS),          NO_NS(CLONE_NEWPID),
		NO_NS(CLONE_NEWNET),         NO_NS(CLONE_NEWIPC),
		NO_NS(CLONE_NEWUTS),         NO_NS(CLONE_NEWCGROUP),
		{ "mount", EPERM, -1, 0 },   { "pivot_root", EPERM, -1, 0 },
		{ "setns", EPERM, -1, 0 },   { 0 }
	};
	return forbid(list);
}

/* A security module that grants user namespaces, but nothing in them. */
static int
no_mounts(void)
{
	static const struct refusal list[] = { { "mount", EACCES, -1, 0 },
					       { 0 } };
	return forbid(list);
}

static int
old_landlock(void)
{
	static const struct refusal list[] = {
		{ "landlock_create_ruleset", ENOSYS, -1, 0 }, { 0 }
	};
	return forbid(list);
}

static int
off_landlock(void)
{
	static const struct refusal list[] = {
		{ "landlock_create_ruleset", EOPNOTSUPP, -1, 0 }, { 0 }
	};
	return forbid(list);
}

static int
no_notification(void)
{
	/* SECCOMP_FILTER_FLAG_NEW_LISTENER */
	static const struct refusal list[] = { { "seccomp", EBUSY, 1, 8 },
					       { 0 } };
	return forbid(list);
}

static int
own_mounts(void)
{
	if (unshare(CLONE_NEWNS) < 0)
		return -1;
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

static int
no_groups(void)
{
	return own_mounts() < 0 ? -1 : umount2("/sys/fs/cgroup", MNT_DETACH);
}

/* Every hierarchy, each of which may be a file system of its own. */
static int
read_only_groups(void)
{
	static const char top[] = "/sys/fs/cgroup";
	char line[4096], path[4096];
	FILE *f;
	int rc = 0;

	if (own_mounts() < 0)
		return -1;
	f = fopen("/proc/self/mounts", "re");
	while (f && rc == 0 && fgets(line, sizeof(line), f))
		if (sscanf(line, "%*s %4095s", path) == 1 &&
		    strncmp(path, top, sizeof(top) - 1) == 0)
			rc = mount(NULL, path, NULL,
				   MS_REMOUNT | MS_BIND | MS_RDONLY, NULL);
	if (f)
		(void)fclose(f);
	return rc;
}

static bool
write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 &&
		    write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		(void)close(fd);
	return good;
}

/* Root of a user namespace in which no further one may be made. */
static int
no_more_namespaces(void)
{
	char map[64];

	(void)snprintf(map, sizeof(map), "0 %u 1\n", geteuid());
	if (unshare(CLONE_NEWUSER) < 0 ||
	    !write_text("/proc/self/setgroups", "deny") ||
	    !write_text("/proc/self/uid_map", map))
		return -1;
	(void)snprintf(map, sizeof(map), "0 %u 1\n", getegid());
	if (!write_text("/proc/self/gid_map", "0 0 1\n") &&
	    !write_text("/proc/self/gid_map", map))
		return -1;
	return write_text("/proc/sys/user/max_user_namespaces", "0") ? 0 : -1;
}

static int
nothing(void)
{
	return 0;
}

static const struct {
	const char *name;
	int (*take)(void);
	bool first; /* while still root */
} lacks[] = {
	{ "nothing", nothing, true },
	{ "user-namespaces", no_user_namespaces, false },
	{ "more-user-namespaces", no_more_namespaces, false },
	{ "namespaces", no_namespaces, false },
	{ "mounts", no_mounts, false },
	{ "landlock", old_landlock, false },
	{ "landlock-module", off_landlock, false },
	{ "notification", no_notification, false },
	{ "groups", no_groups, true },
	{ "writable-groups", read_only_groups, true },
};
enum { NLACKS = sizeof(lacks) / sizeof(lacks[0]) };

static int
become_ordinary(void)
{
	if (setgroups(0, NULL) < 0 || setgid(NOBODY) < 0)
		return -1;
	return setuid(NOBODY);
}

int
main(int argc, char **argv)
{
	bool ordinary = argc > 1 && strcmp(argv[1], "-u") == 0;
	int at = ordinary ? 2 : 1, rc = -1, i = 0;

	if (argc < at + 2)
		return FAILED;
	while (i < NLACKS && strcmp(lacks[i].name, argv[at]) != 0)
		i++;
	if (i == NLACKS)
		return FAILED;
	if (lacks[i].first)
		rc = lacks[i].take();
	if (!lacks[i].first || rc == 0)
		rc = ordinary ? become_ordinary() : 0;
	if (!lacks[i].first && rc == 0)
		rc = lacks[i].take();
	if (rc != 0) {
		fprintf(stderr, "host: %s: %s\n", argv[at], strerror(errno));
		return FAILED;
	}
	(void)execvp(argv[at + 1], argv + at + 1);
	return FAILED;
}
