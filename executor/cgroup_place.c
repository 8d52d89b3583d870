#include "executor/cgroup_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

/*
 * Theory of operation.  /proc/self/cgroup says in which group this process
 * is, for each hierarchy; /proc/self/mountinfo says where the hierarchy is
 * mounted and which of its folders the mount shows.  Together they give our
 * own folder.  A run's group is made inside it (so that limits set on us go
 * on to hold), or, in version 2, beside it when our own group may not have
 * children with controllers because processes live in it.
 */

enum { LINE = 1024, SMALL = 4096 };

ssize_t
sg_cgroup_read(int dir, const char *name, char *p, size_t size)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, p, size - 1);
	sg_fd_close(&fd);
	p[n > 0 ? n : 0] = '\0';
	return n;
}

int
sg_cgroup_write(int dir, const char *name, const char *text)
{
	int fd = openat(dir, name, O_WRONLY | O_CLOEXEC), rc = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	if (n < 0)
		rc = -errno;
	sg_fd_close(&fd);
	return rc;
}

/* True when `word` is one of the words in `list`, parted by any of `sep`. */
static bool
has_word(const char *list, const char *word, const char *sep)
{
	size_t n = strlen(word), len;

	while (*list) {
		len = strcspn(list, sep);
		if (len == n && strncmp(list, word, n) == 0)
			return true;
		list += len + (list[len] ? 1 : 0);
	}
	return false;
}

/*
 * The path of a process in the hierarchy of `controller`, from its file
 * /proc/PID/cgroup: a version 1 line that lists it, else the version 2 line.
 */
bool
sg_cgroup_path_of(const char *file, const char *controller,
		  enum sg_cgroup_kind *kind, char out[SG_CGROUP_PATH])
{
	FILE *f = fopen(file, "re");
	char line[LINE], *list, *path;

	*kind = SG_CGROUP_NONE;
	while (f && fgets(line, sizeof(line), f)) {
		list = strchr(line, ':');
		path = list ? strchr(list + 1, ':') : NULL;
		if (!path)
			continue;
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		list++;
		if (!has_word(list, controller, ",") &&
		    (*list || *kind == SG_CGROUP_V1))
			continue;
		*kind = *list ? SG_CGROUP_V1 : SG_CGROUP_V2;
		(void)snprintf(out, SG_CGROUP_PATH, "%s", path);
		if (*kind == SG_CGROUP_V1)
			break;
	}
	if (f)
		(void)fclose(f);
	return *kind != SG_CGROUP_NONE;
}

/* Joins the mount's place and our path, less what the mount leaves out. */
static bool
join(const char *root, const char *mount, const char *path,
     char out[SG_CGROUP_PATH])
{
	size_t n = strlen(root);
	int len;

	if (n > 1 && strncmp(path, root, n) == 0 &&
	    (path[n] == '/' || path[n] == '\0'))
		path += n;
	else if (n > 1)
		path = ""; /* we are outside of what the mount shows */
	if (strcmp(path, "/") == 0)
		path = "";
	len = snprintf(out, SG_CGROUP_PATH, "%s%s", mount, path);
	return len > 0 && len < SG_CGROUP_PATH;
}

/* One line of mountinfo, if it is the hierarchy that we look for. */
static bool
match_mount(char *line, const char *controller, enum sg_cgroup_kind kind,
	    const char *path, char out[SG_CGROUP_PATH])
{
	char root[LINE], mount[LINE], type[64], options[LINE];
	char *dash = strstr(line, " - ");

	if (!dash ||
	    sscanf(line, "%*s %*s %*s %1023s %1023s", root, mount) != 2 ||
	    sscanf(dash, " - %63s %*s %1023s", type, options) != 2)
		return false;
	if (strcmp(type, kind == SG_CGROUP_V1 ? "cgroup" : "cgroup2") != 0)
		return false;
	if (kind == SG_CGROUP_V1 && !has_word(options, controller, ","))
		return false;
	return join(root, mount, path, out);
}

bool
sg_cgroup_own(const char *controller, enum sg_cgroup_kind *ret_kind,
	      char out[SG_CGROUP_PATH])
{
	char path[SG_CGROUP_PATH], line[SMALL];
	enum sg_cgroup_kind kind;
	bool found = false;
	FILE *f;

	if (!sg_cgroup_path_of("/proc/self/cgroup", controller, &kind, path))
		return false;
	f = fopen("/proc/self/mountinfo", "re");
	while (f && !found && fgets(line, sizeof(line), f))
		found = match_mount(line, controller, kind, path, out);
	if (f)
		(void)fclose(f);
	if (found)
		*ret_kind = kind;
	return found;
}

/* True when children of `dir` get `controller`, switched on if need be. */
static bool
v2_gives(const char *dir, const char *controller)
{
	char path[SG_CGROUP_PATH + 32], text[SMALL], on[32];

	(void)snprintf(path, sizeof(path), "%s/cgroup.subtree_control", dir);
	if (sg_cgroup_read(AT_FDCWD, path, text, sizeof(text)) < 0)
		return false;
	if (has_word(text, controller, " \n"))
		return true;
	(void)snprintf(on, sizeof(on), "+%s", controller);
	return sg_cgroup_write(AT_FDCWD, path, on) == 0;
}

/* In version 2: our own folder, or the one around it. */
static bool
v2_parent(char dir[SG_CGROUP_PATH], const char *controller)
{
	char *slash;

	if (v2_gives(dir, controller))
		return true;
	slash = strrchr(dir, '/');
	if (!slash || slash == dir)
		return false;
	*slash = '\0';
	return v2_gives(dir, controller);
}

bool
sg_cgroup_find(const char *controller, struct sg_cgroup_place *ret,
	       const char **why, int *sys)
{
	*sys = 0;
	if (!sg_cgroup_own(controller, &ret->kind, ret->dir)) {
		*why = "no control group hierarchy is mounted";
		*sys = ENODEV;
		return false;
	}
	if (ret->kind == SG_CGROUP_V2 && !v2_parent(ret->dir, controller)) {
		*why = "the controller is not delegated to us";
		*sys = ENOENT;
		return false;
	}
	return true;
}
