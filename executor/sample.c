#include "executor/sample.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"

/*
 * Theory of operation.  The box is a tree of processes under its warden:
 * whoever loses its parent becomes the warden's child.  The tree is walked
 * by levels through /proc/PID/task/TID/children, in an array that is its own
 * queue: a child is its thread's.  It changes while it is walked; a process that is missed is found
 * the next time.
 */

enum { TEXT = 8192, NODES = 2048, NAME = 64 };

static size_t
read_file(const char *path, char text[TEXT])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t at = 0;
	ssize_t n = 0;

	if (fd >= 0)
		while (at < TEXT - 1 &&
		       (n = read(fd, text + at, TEXT - 1 - at)) > 0)
			at += (size_t)n;
	sg_fd_close(&fd);
	text[at] = '\0';
	return at;
}

uint64_t
sg_sample_cpu(pid_t pid)
{
	/* The kernel's encoding of "CPU clock of process". */
	clockid_t id = (clockid_t)((~(unsigned)pid << 3) | 2);
	struct timespec ts;

	if (pid <= 0 || clock_gettime(id, &ts) < 0)
		return 0;
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* The number of KiB behind `key` in a status file. */
static uint64_t
field(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

uint64_t
sg_sample_memory(pid_t pid)
{
	char path[NAME], text[TEXT];

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (!read_file(path, text))
		return 0;
	return (field(text, "\nRssAnon:") + field(text, "\nRssShmem:") +
		field(text, "\nVmPTE:")) *
	       1024;
}

/* CPU time of the children that `pid` has waited for, in ns. */
static uint64_t
waited_cpu(pid_t pid)
{
	unsigned long long user = 0, system = 0;
	long hz = sysconf(_SC_CLK_TCK);
	char path[NAME], text[TEXT], *at;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (!read_file(path, text))
		return 0;
	/* Fields 16 and 17; the name, field 2, may hold anything. */
	at = strrchr(text, ')');
	for (int f = 2; at && f < 16; f++)
		at = strchr(at + 1, ' ');
	if (!at || sscanf(at, " %llu %llu", &user, &system) != 2)
		return 0;
	return (user + system) * (1000000000u / (uint64_t)(hz > 0 ? hz : 100));
}

static void
add_of_thread(const char *path, pid_t *queue, uint32_t *n)
{
	char text[TEXT], *at = text, *end;
	long child;

	(void)read_file(path, text);
	for (; *n < NODES; at = end) {
		child = strtol(at, &end, 10);
		if (end == at)
			break;
		queue[(*n)++] = (pid_t)child;
	}
}

/* Adds the children of `pid` to the queue; false when it cannot be told. */
static bool
add_children(pid_t pid, pid_t *queue, uint32_t *n)
{
	char path[NAME + NAME_MAX];
	struct dirent *e;
	bool known;
	DIR *d;

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children",
		       (int)pid, (int)pid);
	known = access(path, R_OK) == 0;
	(void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	d = known ? opendir(path) : NULL;
	while (d && (e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		(void)snprintf(path, sizeof(path), "/proc/%d/task/%s/children",
			       (int)pid, e->d_name);
		add_of_thread(path, queue, n);
	}
	if (d)
		(void)closedir(d);
	return known;
}

bool
sg_sample_tree(pid_t root, struct sg_sample *ret)
{
	struct sg_sample s = { waited_cpu(root), 0, 0 };
	pid_t queue[NODES];
	uint32_t n = 0;

	if (!add_children(root, queue, &n))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		s.cpu += sg_sample_cpu(queue[i]) + waited_cpu(queue[i]);
		s.memory += sg_sample_memory(queue[i]);
		(void)add_children(queue[i], queue, &n);
	}
	s.processes = n;
	*ret = s;
	return true;
}

uint64_t
sg_sample_start(pid_t pid)
{
	char path[NAME], text[TEXT], *at;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (!read_file(path, text))
		return 0;
	at = strrchr(text, ')');
	for (int f = 2; at && f < 22; f++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at + 1, NULL, 10) : 0;
}

bool
sg_sample_stale(const char *name, const char *prefix)
{
	size_t n = strlen(prefix);
	unsigned long long start;
	int pid;

	if (strncmp(name, prefix, n) != 0 ||
	    sscanf(name + n, "%d.%llu", &pid, &start) != 2 || pid <= 0)
		return false;
	return sg_sample_start(pid) != start;
}
