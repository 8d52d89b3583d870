#include "cmd/save.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_MAX_BYTES = 255, TRIES = 1000, DEPTH_MAX = 32 };

/* One component of a path that may become a name of ours. */
static bool
is_plain(struct sg_str part)
{
	return part.n > 0 && part.n <= NAME_MAX_BYTES &&
	       !sg_str_eq(part, SG_STR(".")) &&
	       !sg_str_eq(part, SG_STR("..")) && !memchr(part.p, 0, part.n);
}

/* Opens the folder `part` beneath `dir`, made when missing; -1 and errno. */
static int
enter(int dir, struct sg_str part)
{
	char name[NAME_MAX_BYTES + 1];

	memcpy(name, part.p, part.n);
	name[part.n] = '\0';
	if (mkdirat(dir, name, 0777) < 0 && errno != EEXIST)
		return -1;
	return openat(dir, name,
		      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Makes a new file called `name`, or name-1.ext and so on when taken. */
static int
create(int dir, struct sg_str name, char *used, size_t room)
{
	size_t dot = name.n;
	int fd = -1;

	for (size_t i = name.n; i > 1; i--) {
		if (name.p[i - 1] == '.') {
			dot = i - 1;
			break;
		}
	}
	for (int i = 0; fd < 0 && i < TRIES; i++) {
		if (i == 0)
			(void)snprintf(used, room, "%.*s", SG_STR_ARG(name));
		else
			(void)snprintf(used, room, "%.*s-%d%.*s", (int)dot,
				       name.p, i, (int)(name.n - dot),
				       name.p + dot);
		fd = openat(dir, used,
			    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
				    O_CLOEXEC,
			    0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd;
}

struct place {
	const char *dir;
	int fd;
	struct sg_arena *arena;
};

static int
refused(struct sg_err *err, int number, struct sg_str name)
{
	return sg_err_sys(err, SG_EIO, number, "cannot write '%.*s'",
			  SG_STR_ARG(name));
}

static int
write_new(int dir, struct sg_str name, struct sg_str data, char *used,
	  size_t room, struct sg_err *err)
{
	int fd = create(dir, name, used, room), status;

	if (fd < 0)
		return refused(err, errno, name);
	status = sg_fd_write_all(fd, data.p, data.n, err);
	if (status < 0)
		(void)unlinkat(dir, used, 0);
	sg_fd_close(&fd);
	return status;
}

static int
save_one(const struct place *at, struct sg_str name, struct sg_str data,
	 const char **ret, struct sg_err *err)
{
	char used[NAME_MAX_BYTES + 16];
	struct sg_str rest = name, path;
	size_t slash;
	int dir = dup(at->fd), status = SG_OK, depth = 0;

	while (dir >= 0 && (slash = sg_str_find(rest, '/')) < rest.n) {
		struct sg_str part = sg_str_slice(rest, 0, slash);
		int next = -1;

		errno = EINVAL;
		if (is_plain(part) && ++depth < DEPTH_MAX)
			next = enter(dir, part);
		sg_fd_close(&dir);
		dir = next;
		rest = sg_str_slice(rest, slash + 1, rest.n);
	}
	if (dir < 0)
		return refused(err, errno, name);
	if (is_plain(rest))
		status = write_new(dir, rest, data, used, sizeof(used), err);
	else
		status = refused(err, EINVAL, name);
	sg_fd_close(&dir);
	if (status < 0)
		return status;
	path = sg_arena_printf(at->arena, "%s/%.*s%s", at->dir,
			       (int)(name.n - rest.n), name.p, used);
	if (!path.p)
		return sg_err_set(err, SG_ENOMEM, "no memory for a path");
	*ret = path.p;
	return SG_OK;
}

static int
save_all(const struct place *at, const struct sg_result *r,
	 struct sg_saved *saved, struct sg_err *err)
{
	int status = SG_OK;

	for (uint32_t i = 0; i < r->nimages && status == SG_OK; i++) {
		struct sg_str name = sg_arena_printf(at->arena, "figure-%u.png",
						     i + 1);

		status = save_one(at, name, r->images[i].png, &saved->images[i],
				  err);
	}
	for (uint32_t i = 0; i < r->nfiles && status == SG_OK; i++)
		status = save_one(at, r->files[i].name, r->files[i].data,
				  &saved->files[i], err);
	return status;
}

int
sg_save_check(const char *dir, struct sg_err *err)
{
	char parent[4096];
	const char *slash = strrchr(dir, '/'), *where = dir;
	struct stat st;
	size_t n = slash ? (size_t)(slash - dir) : 0;

	if (stat(dir, &st) == 0) {
		if (!S_ISDIR(st.st_mode))
			return sg_err_sys(err, SG_EIO, ENOTDIR,
					  "cannot write into '%s'", dir);
	} else if (!slash) {
		where = ".";
	} else if (n == 0) {
		where = "/";
	} else if (n < sizeof(parent)) {
		memcpy(parent, dir, n);
		parent[n] = '\0';
		where = parent;
	}
	if (access(where, W_OK | X_OK) < 0)
		return sg_err_sys(err, SG_EIO, errno, "cannot write into '%s'",
				  dir);
	return SG_OK;
}

int
sg_save(const struct sg_result *r, const char *dir, struct sg_arena *arena,
	struct sg_saved *ret, struct sg_err *err)
{
	struct sg_saved saved = {
		SG_NEWN(arena, const char *, (size_t)r->nimages + 1),
		SG_NEWN(arena, const char *, (size_t)r->nfiles + 1),
	};
	struct place at = { dir, -1, arena };
	int status;

	if (!saved.images || !saved.files)
		return sg_err_set(err, SG_ENOMEM, "no memory");
	if (mkdir(dir, 0777) < 0 && errno != EEXIST)
		return sg_err_sys(err, SG_EIO, errno,
				  "cannot make the folder '%s'", dir);
	at.fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (at.fd < 0)
		return sg_err_sys(err, SG_EIO, errno,
				  "cannot open the folder '%s'", dir);
	status = save_all(&at, r, &saved, err);
	sg_fd_close(&at.fd);
	if (status == SG_OK)
		*ret = saved;
	return status;
}
