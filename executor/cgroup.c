#include "executor/cgroup_place.h"

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
 * Theory of operation.  Where groups are made is found in cgroup_place.c.
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
enum { SMALL = 4096, REMOVE_TRIES = 50 };

static int
write_number(int dir, const char *name, uint64_t v)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%" PRIu64, v);
	return sg_cgroup_write(dir, name, text);
}

/* The number after `key` and a space in a text of such lines; 0 without. */
static uint64_t
find_key(const char *text, const char *key)
{
	const char *at;
	size_t n = strlen(key);

	for (at = text; at && *at; at = strchr(at, '\n'), at = at ? at + 1 : at)
		if (strncmp(at, key, n) == 0 && at[n] == ' ')
			return strtoull(at + n + 1, NULL, 10);
	return 0;
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

void
sg_cgroup_base_init(struct sg_cgroup_base *base)
{
	const char *why;
	int sys;

	memset(base, 0, sizeof(*base));
	make_prefix(base->prefix);
	if (!sg_cgroup_find("memory", &base->memory, &why, &sys))
		base->memory.kind = SG_CGROUP_NONE;
	if (!sg_cgroup_find("pids", &base->pids, &why, &sys))
		base->pids.kind = SG_CGROUP_NONE;
}

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

/* The name of a file of a group; NULL: there is none. */
static const char *
file_name(const struct sg_cgroup_part *p, enum sg_cgroup_file which)
{
	static const char *const memory[2][SG_CGROUP_FILES] = {
		{ "memory.oom_control", "memory.max_usage_in_bytes",
		  "memory.usage_in_bytes" },
		{ "memory.events", "memory.peak", "memory.current" },
	};

	if (strcmp(p->controller, "memory") == 0)
		return memory[p->kind == SG_CGROUP_V2][which];
	return which == SG_CGROUP_EVENTS ? "pids.events" : NULL;
}

/* Where one cannot be opened the group is not used again. */
static void
open_files(struct sg_cgroup_part *p)
{
	for (unsigned i = 0; i < SG_CGROUP_FILES; i++) {
		const char *name = file_name(p, (enum sg_cgroup_file)i);
		int flags = i == SG_CGROUP_PEAK ? O_RDWR : O_RDONLY;

		if (name)
			p->files[i] = openat(p->dir_fd, name,
					     flags | O_CLOEXEC);
	}
}

/* False when it cannot be read, or there is none. */
static bool
read_file(const struct sg_cgroup_part *p, enum sg_cgroup_file which,
	  char text[SMALL])
{
	ssize_t n;

	if (p->dir_fd < 0 || !file_name(p, which))
		return false;
	if (p->files[which] < 0)
		return sg_cgroup_read(p->dir_fd, file_name(p, which), text,
				      SMALL) > 0;
	n = pread(p->files[which], text, SMALL - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static uint64_t
read_events(const struct sg_cgroup_part *p, const char *key)
{
	char text[SMALL];
	uint64_t n = read_file(p, SG_CGROUP_EVENTS, text) ? find_key(text, key)
							  : 0;

	return n > p->before ? n - p->before : 0;
}

static uint64_t
read_bytes(const struct sg_cgroup_part *p, enum sg_cgroup_file which)
{
	char text[SMALL];

	return read_file(p, which, text) ? strtoull(text, NULL, 10) : 0;
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
	const char *why;
	int sys;

	p->controller = controller;
	if (!known || known->kind == SG_CGROUP_NONE ||
	    !make_dir(p, known, name)) {
		p->dir[0] = '\0';
		if (!sg_cgroup_find(controller, &place, &why, &sys)) {
			part_fail(p, 0, why);
			p->sys = sys;
			return false;
		}
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
	else if (known && p->kind == SG_CGROUP_V1)
		open_files(p);
	return p->procs_fd >= 0;
}

static void
part_remove(struct sg_cgroup_part *p)
{
	struct timespec nap = { 0, 1000000 };

	sg_fd_close(&p->procs_fd);
	sg_fd_close(&p->self_fd);
	for (unsigned i = 0; i < SG_CGROUP_FILES; i++)
		sg_fd_close(&p->files[i]);
	if (p->dir[0])
		for (int i = 0;
		     i < REMOVE_TRIES && rmdir(p->dir) < 0 && errno == EBUSY;
		     i++)
			(void)nanosleep(&nap, NULL);
	sg_fd_close(&p->dir_fd);
	p->dir[0] = '\0';
}

/* A limit of memory alone would be got round by swapping. */
static void
limit_swap(const struct sg_cgroup_part *p, uint64_t bytes)
{
	(void)write_number(p->dir_fd, "memory.memsw.limit_in_bytes", bytes);
}

static int
set_limit(struct sg_cgroup_part *p, uint64_t limit)
{
	int rc;

	if (strcmp(p->controller, "pids") == 0) {
		rc = write_number(p->dir_fd, "pids.max", limit);
	} else if (p->kind == SG_CGROUP_V2) {
		rc = write_number(p->dir_fd, "memory.max", limit);
		(void)sg_cgroup_write(p->dir_fd, "memory.swap.max", "0");
		(void)sg_cgroup_write(p->dir_fd, "memory.oom.group", "1");
	} else {
		/* The second may never be lower than the first. */
		if (p->limit && limit > p->limit)
			limit_swap(p, limit);
		rc = write_number(p->dir_fd, "memory.limit_in_bytes", limit);
		limit_swap(p, limit);
	}
	p->limit = rc < 0 ? 0 : limit;
	return rc;
}

static void
part_open(struct sg_cgroup_part *p, const char *controller, const char *name,
	  uint64_t limit, const struct sg_cgroup_place *known)
{
	int rc;

	if (!part_make(p, controller, name, known))
		return;
	rc = set_limit(p, limit);
	if (rc < 0) {
		part_fail(p, -rc, "its limit cannot be set");
		part_remove(p);
	}
}

void
sg_cgroup_part_init(struct sg_cgroup_part *p)
{
	memset(p, 0, sizeof(*p));
	p->dir_fd = p->procs_fd = p->self_fd = -1;
	for (unsigned i = 0; i < SG_CGROUP_FILES; i++)
		p->files[i] = -1;
}

void
sg_cgroup_init(struct sg_cgroup *cg)
{
	sg_cgroup_part_init(&cg->memory);
	sg_cgroup_part_init(&cg->pids);
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
		part_open(&cg->memory, "memory", name, l->memory,
			  base ? &base->memory : NULL);
	if (l->pids)
		part_open(&cg->pids, "pids", name, l->pids,
			  base ? &base->pids : NULL);
}

void
sg_cgroup_part_open(struct sg_cgroup_part *p, const char *controller,
		    uint64_t limit, const struct sg_cgroup_base *base)
{
	bool memory = strcmp(controller, "memory") == 0;
	char name[96];

	sg_cgroup_part_init(p);
	make_name(base->prefix, name);
	part_open(p, controller, name, limit,
		  memory ? &base->memory : &base->pids);
}

/* --- ending -------------------------------------------------------------- */

/* Kills every process in the group, whatever the kernel offers. */
static void
kill_all(int dir)
{
	char text[SMALL], *at, *end;
	long pid;

	if (dir < 0 || sg_cgroup_write(dir, "cgroup.kill", "1") == 0)
		return;
	if (sg_cgroup_read(dir, "cgroup.procs", text, sizeof(text)) <= 0)
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

void
sg_cgroup_part_close(struct sg_cgroup_part *p)
{
	kill_all(p->dir_fd);
	part_remove(p);
}

/*
 * Opened anew each time: a file of version 1 that stays open goes on to give
 * the list that it has given before.
 */
static bool
is_empty(const struct sg_cgroup_part *p)
{
	char text[SMALL];

	return sg_cgroup_read(p->dir_fd, "cgroup.procs", text, sizeof(text)) ==
	       0;
}

static bool
has_files(const struct sg_cgroup_part *p)
{
	for (unsigned i = 0; i < SG_CGROUP_FILES; i++)
		if (p->files[i] < 0 && file_name(p, (enum sg_cgroup_file)i))
			return false;
	return true;
}

bool
sg_cgroup_part_reset(struct sg_cgroup_part *p, uint64_t limit)
{
	bool memory;

	if (p->kind != SG_CGROUP_V1 || p->dir_fd < 0 || !has_files(p) ||
	    !is_empty(p))
		return false;
	memory = strcmp(p->controller, "memory") == 0;
	if (memory && read_bytes(p, SG_CGROUP_USAGE) > SG_CGROUP_LEFT)
		return false;
	if (limit != p->limit && set_limit(p, limit) < 0)
		return false;
	/* It begins again at what is in use. */
	if (memory && pwrite(p->files[SG_CGROUP_PEAK], "0", 1, 0) != 1)
		return false;
	p->before = 0;
	p->before = read_events(p, memory ? "oom_kill" : "max");
	return true;
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
	if (!name || !sg_cgroup_path_of(file, p->controller, &kind, path))
		return false;
	/* No other group has its last part. */
	at = strrchr(path, '/');
	return kind == p->kind && at && strcmp(at, name) == 0;
}

uint64_t
sg_cgroup_oom_kills(const struct sg_cgroup *cg)
{
	return read_events(&cg->memory, "oom_kill");
}

uint64_t
sg_cgroup_peak(const struct sg_cgroup *cg)
{
	return read_bytes(&cg->memory, SG_CGROUP_PEAK);
}

uint64_t
sg_cgroup_refused(const struct sg_cgroup *cg)
{
	return read_events(&cg->pids, "max");
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
