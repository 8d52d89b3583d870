#include "executor/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "executor/sample.h"

/*
 * Theory of operation.  /proc/self/cgroup says in which group this process
 * is, for each hierarchy; /proc/self/mountinfo says where the hierarchy is
 * mounted and which of its folders the mount shows.  Together they give our
 * own folder.  A run's group is made inside it (so that limits set on us go
 * on to hold), or, in version 2, beside it when our own group may not have
 * children with controllers because processes live in it.
 *
 * To move another process, the kernel waits until no processor is in the
 * middle of a fork or an exit: milliseconds.  Two ways in need no wait: in
 * version 1 a process with one thread may write "0" into `tasks`, and in
 * version 2 a process can be born in a group.  What came of either is read
 * back, and the slow way is taken where they are refused.
 *
 * A group is called sandgate.<pid>.<start time>.<random>: whoever finds one
 * can tell whether its supervisor still lives, and sweep it if not.
 */

#define PREFIX "sandgate."
enum { LINE = 1024, SMALL = 4096, REMOVE_TRIES = 50 };

static ssize_t
read_at(int dir, const char *name, char *p, size_t size)
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

static int
write_at(int dir, const char *name, const char *text)
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

static int
write_number(int dir, const char *name, uint64_t v)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%" PRIu64, v);
	return write_at(dir, name, text);
}

/* The number after `key` and a space in a file of such lines; 0 without. */
static uint64_t
read_key(int dir, const char *name, const char *key)
{
	char text[SMALL], *at;
	size_t n = strlen(key);

	if (dir < 0 || read_at(dir, name, text, sizeof(text)) <= 0)
		return 0;
	for (at = text; at && *at; at = strchr(at, '\n'), at = at ? at + 1 : at)
		if (strncmp(at, key, n) == 0 && at[n] == ' ')
			return strtoull(at + n + 1, NULL, 10);
	return 0;
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

/* --- where we are -------------------------------------------------------- */

/*
 * The path of a process in the hierarchy of `controller`, from its file
 * /proc/PID/cgroup: a version 1 line that lists it, else the version 2 line.
 */
static bool
path_of(const char *file, const char *controller, enum sg_cgroup_kind *kind,
	char out[SG_CGROUP_PATH])
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

	if (!path_of("/proc/self/cgroup", controller, &kind, path))
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

/* --- names --------------------------------------------------------------- */

static void
make_prefix(char out[64])
{
	(void)snprintf(out, 64, PREFIX "%ld.%" PRIu64 ".", (long)getpid(),
		       sg_sample_start(getpid()));
}

static void
make_name(const char *prefix, char out[96])
{
	unsigned char r[4];

	sg_random_bytes(r, sizeof(r));
	(void)snprintf(out, 96, "%s%02x%02x%02x%02x", prefix, r[0], r[1], r[2],
		       r[3]);
}

/* --- making -------------------------------------------------------------- */

static void
part_fail(struct sg_cgroup_part *p, int sys, const char *what)
{
	if (sys)
		(void)snprintf(p->why, sizeof(p->why), "%s: %s", what,
			       strerror(sys));
	else
		(void)snprintf(p->why, sizeof(p->why), "%s", what);
	p->sys = sys ? sys : ENOENT;
}

/* True when children of `dir` get `controller`, switched on if need be. */
static bool
v2_gives(const char *dir, const char *controller)
{
	char path[SG_CGROUP_PATH + 32], text[SMALL], on[32];

	(void)snprintf(path, sizeof(path), "%s/cgroup.subtree_control", dir);
	if (read_at(AT_FDCWD, path, text, sizeof(text)) < 0)
		return false;
	if (has_word(text, controller, " \n"))
		return true;
	(void)snprintf(on, sizeof(on), "+%s", controller);
	return write_at(AT_FDCWD, path, on) == 0;
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

/* Where groups with `controller` are made; says why not in *p. */
static bool
find_place(struct sg_cgroup_part *p, const char *controller,
	   struct sg_cgroup_place *place)
{
	if (!sg_cgroup_own(controller, &place->kind, place->dir)) {
		part_fail(p, 0, "no control group hierarchy is mounted");
		p->sys = ENODEV;
		return false;
	}
	if (place->kind == SG_CGROUP_V2 && !v2_parent(place->dir, controller)) {
		part_fail(p, 0, "the controller is not delegated to us");
		return false;
	}
	return true;
}

void
sg_cgroup_base_init(struct sg_cgroup_base *base)
{
	struct sg_cgroup_part why;

	memset(base, 0, sizeof(*base));
	make_prefix(base->prefix);
	if (!find_place(&why, "memory", &base->memory))
		base->memory.kind = SG_CGROUP_NONE;
	if (!find_place(&why, "pids", &base->pids))
		base->pids.kind = SG_CGROUP_NONE;
}

/* We may have been moved meanwhile, and our old group removed. */
static bool
make_dir(struct sg_cgroup_part *p, const struct sg_cgroup_place *place,
	 const char *name)
{
	int n = snprintf(p->dir, sizeof(p->dir), "%s/%s", place->dir, name);

	p->kind = place->kind;
	return n > 0 && n < SG_CGROUP_PATH &&
	       (mkdir(p->dir, 0755) == 0 || errno == EEXIST);
}

static bool
part_make(struct sg_cgroup_part *p, const char *controller, const char *name,
	  const struct sg_cgroup_place *known)
{
	struct sg_cgroup_place place;

	p->controller = controller;
	if (!known || known->kind == SG_CGROUP_NONE ||
	    !make_dir(p, known, name)) {
		p->dir[0] = '\0';
		if (!find_place(p, controller, &place))
			return false;
		if (!make_dir(p, &place, name)) {
			part_fail(p, errno, "a group cannot be made");
			p->dir[0] = '\0';
			return false;
		}
	}
	p->dir_fd = open(p->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p->dir_fd >= 0)
		p->procs_fd = openat(p->dir_fd, "cgroup.procs",
				     O_WRONLY | O_CLOEXEC);
	if (p->dir_fd >= 0 && p->kind == SG_CGROUP_V1)
		p->self_fd = openat(p->dir_fd, "tasks", O_WRONLY | O_CLOEXEC);
	if (p->procs_fd < 0)
		part_fail(p, errno, "a group cannot be joined");
	return p->procs_fd >= 0;
}

static void
part_remove(struct sg_cgroup_part *p)
{
	struct timespec nap = { 0, 1000000 };

	sg_fd_close(&p->procs_fd);
	sg_fd_close(&p->self_fd);
	if (p->dir[0])
		for (int i = 0;
		     i < REMOVE_TRIES && rmdir(p->dir) < 0 && errno == EBUSY;
		     i++)
			(void)nanosleep(&nap, NULL);
	sg_fd_close(&p->dir_fd);
	p->dir[0] = '\0';
}

static void
memory_open(struct sg_cgroup_part *p, const char *name, uint64_t bytes,
	    const struct sg_cgroup_place *known)
{
	int rc;

	if (!part_make(p, "memory", name, known))
		return;
	if (p->kind == SG_CGROUP_V2) {
		rc = write_number(p->dir_fd, "memory.max", bytes);
		(void)write_at(p->dir_fd, "memory.swap.max", "0");
		(void)write_at(p->dir_fd, "memory.oom.group", "1");
	} else {
		rc = write_number(p->dir_fd, "memory.limit_in_bytes", bytes);
		(void)write_number(p->dir_fd, "memory.memsw.limit_in_bytes",
				   bytes);
	}
	if (rc < 0) {
		part_fail(p, -rc, "its limit cannot be set");
		part_remove(p);
	}
}

static void
pids_open(struct sg_cgroup_part *p, const char *name, uint32_t max,
	  const struct sg_cgroup_place *known)
{
	int rc;

	if (!part_make(p, "pids", name, known))
		return;
	rc = write_number(p->dir_fd, "pids.max", max);
	if (rc < 0) {
		part_fail(p, -rc, "its limit cannot be set");
		part_remove(p);
	}
}

void
sg_cgroup_init(struct sg_cgroup *cg)
{
	memset(cg, 0, sizeof(*cg));
	cg->memory.dir_fd = cg->memory.procs_fd = cg->memory.self_fd = -1;
	cg->pids.dir_fd = cg->pids.procs_fd = cg->pids.self_fd = -1;
}

void
sg_cgroup_open(struct sg_cgroup *cg, const struct sg_cgroup_limits *l,
	       const struct sg_cgroup_base *base)
{
	char prefix[64], name[96];

	sg_cgroup_init(cg);
	if (!base)
		make_prefix(prefix);
	make_name(base ? base->prefix : prefix, name);
	if (l->memory)
		memory_open(&cg->memory, name, l->memory,
			    base ? &base->memory : NULL);
	if (l->pids)
		pids_open(&cg->pids, name, l->pids, base ? &base->pids : NULL);
}

/* --- ending -------------------------------------------------------------- */

/* Kills every process in the group, whatever the kernel offers. */
static void
kill_all(int dir)
{
	char text[SMALL], *at, *end;
	long pid;

	if (dir < 0 || write_at(dir, "cgroup.kill", "1") == 0)
		return;
	if (read_at(dir, "cgroup.procs", text, sizeof(text)) <= 0)
		return;
	for (at = text; *at; at = end + 1) {
		pid = strtol(at, &end, 10);
		if (pid > 1)
			(void)kill((pid_t)pid, SIGKILL);
		if (*end == '\0')
			break;
	}
}

void
sg_cgroup_close(struct sg_cgroup *cg)
{
	bool shared = strcmp(cg->memory.dir, cg->pids.dir) == 0;

	kill_all(cg->memory.dir_fd);
	kill_all(cg->pids.dir_fd);
	part_remove(&cg->memory);
	if (shared)
		cg->pids.dir[0] = '\0';
	part_remove(&cg->pids);
}

int
sg_cgroup_join(const struct sg_cgroup_part *p, long pid)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "%ld", pid);

	if (p->procs_fd < 0)
		return p->sys ? -p->sys : -ENOENT;
	return write(p->procs_fd, text, (size_t)n) == n ? 0 : -errno;
}

bool
sg_cgroup_has(const struct sg_cgroup_part *p, long pid)
{
	const char *name = strrchr(p->dir, '/'), *at;
	char file[64], path[SG_CGROUP_PATH];
	enum sg_cgroup_kind kind;

	(void)snprintf(file, sizeof(file), "/proc/%ld/cgroup", pid);
	if (!name || !path_of(file, p->controller, &kind, path))
		return false;
	/* No other group has its last part. */
	at = strrchr(path, '/');
	return kind == p->kind && at && strcmp(at, name) == 0;
}

uint64_t
sg_cgroup_oom_kills(const struct sg_cgroup *cg)
{
	bool v2 = cg->memory.kind == SG_CGROUP_V2;

	return read_key(cg->memory.dir_fd,
			v2 ? "memory.events" : "memory.oom_control",
			"oom_kill");
}

uint64_t
sg_cgroup_peak(const struct sg_cgroup *cg)
{
	char text[64];
	bool v2 = cg->memory.kind == SG_CGROUP_V2;

	if (cg->memory.dir_fd < 0 ||
	    read_at(cg->memory.dir_fd,
		    v2 ? "memory.peak" : "memory.max_usage_in_bytes", text,
		    sizeof(text)) <= 0)
		return 0;
	return strtoull(text, NULL, 10);
}

uint64_t
sg_cgroup_refused(const struct sg_cgroup *cg)
{
	return read_key(cg->pids.dir_fd, "pids.events", "max");
}

static uint32_t
sweep_dir(const char *path)
{
	char full[SG_CGROUP_PATH * 2];
	struct dirent *e;
	uint32_t n = 0;
	DIR *d = opendir(path);
	int dir;

	while (d && (e = readdir(d)) != NULL) {
		if (!sg_sample_stale(e->d_name, PREFIX))
			continue;
		(void)snprintf(full, sizeof(full), "%s/%s", path, e->d_name);
		dir = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		kill_all(dir);
		sg_fd_close(&dir);
		n += rmdir(full) == 0;
	}
	if (d)
		(void)closedir(d);
	return n;
}

uint32_t
sg_cgroup_sweep(void)
{
	static const char *const controllers[] = { "memory", "pids" };
	char dir[SG_CGROUP_PATH], *slash;
	enum sg_cgroup_kind kind;
	uint32_t n = 0;

	for (size_t i = 0; i < 2; i++) {
		if (!sg_cgroup_own(controllers[i], &kind, dir))
			continue;
		n += sweep_dir(dir);
		slash = strrchr(dir, '/');
		if (kind == SG_CGROUP_V2 && slash && slash != dir) {
			*slash = '\0';
			n += sweep_dir(dir);
		}
	}
	return n;
}
