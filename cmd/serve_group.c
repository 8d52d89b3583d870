/*
 * In control groups of version 2 a group that has processes can't hand
 * controllers down, so that no run could have a group of its own beside us.
 * Where a service manager has given us a group (Delegate=), we move into one
 * below it, and the runs get theirs beside ours.
 */

#include "cmd/http.h"

#include "base/buf.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#define GROUPS "/sys/fs/cgroup"

enum { LIST_MAX = 64 * 1024, PATH_ROOM = 4096 };

/* Our folder, unless version 2 is not all there is. */
static bool
own_folder(char *out, size_t room)
{
	struct sg_str rest, line;
	struct statfs fs;
	struct sg_buf b;
	bool found = false;

	if (statfs(GROUPS, &fs) < 0 || fs.f_type != CGROUP2_SUPER_MAGIC)
		return false;
	sg_buf_init(&b, LIST_MAX);
	if (sg_file_read("/proc/self/cgroup", &b, NULL) == SG_OK) {
		for (rest = sg_buf_view(&b); rest.n > 0 && !found;
		     rest = sg_str_slice(rest, line.n + 1, rest.n)) {
			line = sg_str_slice(rest, 0, sg_str_find(rest, '\n'));
			if (line.n < 4 || memcmp(line.p, "0::/", 4) != 0)
				continue;
			found = (size_t)snprintf(out, room, GROUPS "%.*s",
						 (int)line.n - 3,
						 line.p + 3) < room;
		}
	}
	sg_buf_release(&b);
	return found;
}

void
sg_serve_group(void)
{
	char folder[PATH_ROOM], path[PATH_ROOM + 32], given = 0;
	int fd;

	if (!own_folder(folder, sizeof(folder)) ||
	    getxattr(folder, "user.delegate", &given, 1) != 1 || given != '1')
		return;
	(void)snprintf(path, sizeof(path), "%s/server", folder);
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return;
	(void)snprintf(path, sizeof(path), "%s/server/cgroup.procs", folder);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	/* What then is missing stands in each result. */
	if (fd >= 0)
		(void)!write(fd, "0", 1);
	sg_fd_close(&fd);
}
