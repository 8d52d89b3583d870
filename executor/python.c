#include "executor/python.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "executor/box.h"
#include "executor/cache.h"
#include "executor/limits.h"

enum { HOPS_MAX = 16, VERSION_MS = 10000, VERSION_TEXT = 128 };
/* What the native module of the driver can be loaded into, and is tried. */
enum { MINOR_MIN = 9, MINOR_MAX = 14 };

/* True for an ELF file that we may execute. */
static bool
is_program(const char *path, const char **ret_why)
{
	char magic[4] = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t n;

	if (fd < 0) {
		*ret_why = "it cannot be opened";
		return false;
	}
	n = read(fd, magic, sizeof(magic));
	sg_fd_close(&fd);
	*ret_why = "it may not be executed";
	if (access(path, X_OK) != 0)
		return false;
	*ret_why = "it is a script; name the interpreter itself";
	if (n >= 2 && memcmp(magic, "#!", 2) == 0)
		return false;
	*ret_why = "it is not a program";
	return n == 4 && memcmp(magic, "\177ELF", 4) == 0;
}

static const char *
absolute(struct sg_arena *arena, const char *path)
{
	char cwd[PATH_MAX];

	if (path[0] == '/')
		return sg_arena_dup(arena, sg_str_c(path)).p;
	if (!getcwd(cwd, sizeof(cwd)))
		return NULL;
	return sg_arena_printf(arena, "%s/%s", cwd, path).p;
}

/* The first program called `name` in PATH, NULL when there is none. */
static const char *
search(struct sg_arena *arena, const char *name)
{
	struct sg_str path = sg_str_c(getenv("PATH"));
	const char *why, *full;

	while (path.n) {
		size_t end = sg_str_find(path, ':');
		struct sg_str dir = sg_str_slice(path, 0, end);

		path = sg_str_slice(path, end + 1, path.n);
		if (!dir.n || dir.p[0] != '/')
			continue;
		full = sg_arena_printf(arena, "%.*s/%s", SG_STR_ARG(dir), name)
			       .p;
		if (full && is_program(full, &why))
			return full;
	}
	return NULL;
}

static const char *
candidate(const char *wanted, struct sg_arena *arena)
{
	static const char usual[] = "/usr/bin/python3";
	const char *why;

	if (!wanted)
		return is_program(usual, &why) ? usual
					       : search(arena, "python3");
	if (!strchr(wanted, '/'))
		return search(arena, wanted);
	return absolute(arena, wanted);
}

int
sg_python_find(const char *wanted, struct sg_arena *arena,
	       struct sg_python *ret, struct sg_err *err)
{
	const char *path = candidate(wanted, arena), *why;
	char real[PATH_MAX];

	if (!path)
		return sg_err_set(err, SG_ENOENT,
				  "no python interpreter '%s' found",
				  wanted ? wanted : "python3");
	if (!realpath(path, real))
		return sg_err_sys(err, SG_ENOENT, errno,
				  "no python interpreter at '%s'", path);
	if (!is_program(real, &why))
		return sg_err_set(err, SG_ENOENT,
				  "'%s' is no python interpreter: %s", path,
				  why);
	ret->path = path;
	ret->real = sg_arena_dup(arena, sg_str_c(real)).p;
	if (!ret->real)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	return SG_OK;
}

/* --- what it needs ------------------------------------------------------- */

int
sg_binds_add(struct sg_binds *binds, struct sg_arena *arena, const char *path,
	     struct sg_err *err)
{
	char real[PATH_MAX];
	struct sg_bind *b;

	if (!realpath(path, real))
		return SG_OK;
	for (uint32_t i = 0; i < binds->n; i++)
		if (strcmp(binds->v[i].to, path) == 0)
			return SG_OK;
	if (binds->n == SG_BOX_BINDS_MAX)
		return sg_err_set(err, SG_ELIMIT,
				  "too many places to bind into the box");
	b = &binds->v[binds->n];
	b->from = sg_arena_dup(arena, sg_str_c(real)).p;
	b->to = sg_arena_dup(arena, sg_str_c(path)).p;
	if (!b->from || !b->to)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	binds->n++;
	return SG_OK;
}

static bool
in_usr(const char *path)
{
	return strncmp(path, "/usr/", 5) == 0 ||
	       strncmp(path, "/bin/", 5) == 0 || strncmp(path, "/lib", 4) == 0;
}

/* The folders of the installation whose bin folder holds `exe`. */
static int
add_prefix(struct sg_binds *binds, struct sg_arena *arena, const char *exe,
	   struct sg_err *err)
{
	static const char *const parts[] = { "bin",   "lib", "lib64",
					     "share", "etc", "pyvenv.cfg" };
	char prefix[PATH_MAX];
	const char *path;
	char *slash;
	int rc = SG_OK;

	(void)snprintf(prefix, sizeof(prefix), "%s", exe);
	for (int up = 0; up < 2; up++) {
		slash = strrchr(prefix, '/');
		if (!slash || slash == prefix)
			return sg_binds_add(binds, arena, exe, err);
		*slash = '\0';
	}
	for (size_t i = 0; rc == SG_OK && i < sizeof(parts) / sizeof(*parts);
	     i++) {
		path = sg_arena_printf(arena, "%s/%s", prefix, parts[i]).p;
		if (!path)
			return sg_err_set(err, SG_ENOMEM, "out of memory");
		rc = sg_binds_add(binds, arena, path, err);
	}
	return rc;
}

/* Where the symbolic link `path` points, absolute; NULL when it is none. */
static const char *
follow(struct sg_arena *arena, const char *path)
{
	char to[PATH_MAX];
	ssize_t n = readlink(path, to, sizeof(to) - 1);
	const char *slash = strrchr(path, '/');

	if (n <= 0)
		return NULL;
	to[n] = '\0';
	if (to[0] == '/' || !slash)
		return sg_arena_dup(arena, sg_str_c(to)).p;
	return sg_arena_printf(arena, "%.*s/%s", (int)(slash - path), path, to)
		.p;
}

int
sg_python_binds(const struct sg_python *py, struct sg_arena *arena,
		struct sg_binds *binds, struct sg_err *err)
{
	const char *at = py->path;
	int rc;

	for (int hop = 0; at && hop < HOPS_MAX; hop++) {
		if (!in_usr(at)) {
			rc = add_prefix(binds, arena, at, err);
			if (rc < 0)
				return rc;
		}
		at = follow(arena, at);
	}
	if (!in_usr(py->real))
		return add_prefix(binds, arena, py->real, err);
	return SG_OK;
}

/* --- its version --------------------------------------------------------- */

/* Reads to the end, or until the buffer is full or time is up. */
static size_t
read_within(int fd, char *p, size_t room, int ms)
{
	uint64_t end = sg_clock_mono() + (uint64_t)ms * 1000000;
	struct pollfd pfd = { fd, POLLIN, 0 };
	size_t n = 0;
	ssize_t got;

	while (n < room) {
		uint64_t now = sg_clock_mono();

		if (now >= end ||
		    poll(&pfd, 1, (int)((end - now) / 1000000) + 1) < 1)
			break;
		got = read(fd, p + n, room - n);
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	return n;
}

/* What `path -V` prints; the option is handled before any code is loaded. */
static int
ask_version(const char *path, char out[VERSION_TEXT], struct sg_err *err)
{
	char opt[] = "-V", name[] = "python3", empty[] = "LC_ALL=C";
	char *argv[] = { name, opt, NULL }, *envp[] = { empty, NULL };
	posix_spawn_file_actions_t fa;
	int fds[2], rc, status;
	size_t n;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return sg_err_sys(err, SG_EIO, errno, "cannot make a pipe");
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&fa, fds[1], 1);
	posix_spawn_file_actions_adddup2(&fa, fds[1], 2);
	rc = posix_spawn(&pid, path, &fa, NULL, argv, envp);
	posix_spawn_file_actions_destroy(&fa);
	sg_fd_close(&fds[1]);
	if (rc != 0) {
		sg_fd_close(&fds[0]);
		return sg_err_sys(err, SG_ENOENT, rc, "cannot execute '%s'",
				  path);
	}
	n = read_within(fds[0], out, VERSION_TEXT - 1, VERSION_MS);
	out[n] = '\0';
	sg_fd_close(&fds[0]);
	(void)kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return SG_OK;
}

/* As ask_version(), or what it said the last time. */
static int
version_text(const struct sg_python *py, char out[VERSION_TEXT],
	     struct sg_err *err)
{
	struct sg_buf b;
	int rc = SG_OK;

	sg_buf_init(&b, VERSION_TEXT - 1);
	if (sg_cache_load(py, "version", SG_STR_NONE, &b) && b.len) {
		memcpy(out, b.data, b.len + 1);
	} else {
		rc = ask_version(py->path, out, err);
		if (rc == SG_OK &&
		    sg_str_starts(sg_str_c(out), SG_STR("Python 3.")))
			(void)sg_cache_store(py, "version", SG_STR_NONE,
					     sg_str_c(out));
	}
	sg_buf_release(&b);
	return rc;
}

/* "Python 3.11.2" and what may follow; false when it is something else. */
static bool
parse_version(const char *text, unsigned v[3])
{
	return sscanf(text, "Python %u.%u.%u", &v[0], &v[1], &v[2]) == 3;
}

int
sg_python_check(const struct sg_python *py, struct sg_err *err)
{
	char text[VERSION_TEXT];
	unsigned v[3];
	int rc = version_text(py, text, err);

	if (rc != SG_OK)
		return rc;
	/* Others put their own name into the second line. */
	if (!parse_version(text, v) || strstr(text, "[PyPy"))
		return sg_err_set(err, SG_ENOENT,
				  "CPython 3.%d to 3.%d is needed; '%s' is "
				  "something else",
				  MINOR_MIN, MINOR_MAX, py->path);
	if (v[0] != 3 || v[1] < MINOR_MIN || v[1] > MINOR_MAX)
		return sg_err_set(err, SG_ENOENT,
				  "CPython 3.%d to 3.%d is needed; '%s' is "
				  "%u.%u.%u",
				  MINOR_MIN, MINOR_MAX, py->path, v[0], v[1],
				  v[2]);
	return SG_OK;
}

int
sg_box_python(const char *wanted, struct sg_arena *arena,
	      struct sg_str *ret_path, struct sg_str *ret_version,
	      uint32_t *ret_minor, struct sg_err *err)
{
	struct sg_python py = { .path = NULL };
	char text[VERSION_TEXT];
	unsigned v[3];
	int rc;

	rc = sg_python_find(wanted, arena, &py, err);
	if (rc != SG_OK || !py.path)
		return rc;
	rc = version_text(&py, text, err);
	if (rc != SG_OK)
		return rc;
	if (!parse_version(text, v) || v[0] != 3)
		return sg_err_set(err, SG_ENOENT,
				  "'%s' is no python 3 interpreter", py.path);
	*ret_path = sg_str_c(py.path);
	*ret_version = sg_arena_printf(arena, "%u.%u.%u", v[0], v[1], v[2]);
	*ret_minor = v[1];
	return ret_version->p ? SG_OK
			      : sg_err_set(err, SG_ENOMEM, "out of memory");
}
