#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"

enum { CHUNK = 65536, TRIES = 16 };

void
sg_fd_close(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
	errno = saved;
}

/* read(), again after a signal. */
static ssize_t
read_some(int fd, void *p, size_t n)
{
	ssize_t got;

	do
		got = read(fd, p, n);
	while (got < 0 && errno == EINTR);
	return got;
}

int
sg_fd_read_all(int fd, struct sg_buf *out, struct sg_err *err)
{
	char extra, *at;
	ssize_t got;

	for (;;) {
		size_t left = out->max - out->len;
		size_t n = left < CHUNK ? left : CHUNK;

		at = sg_buf_room(out, n);
		if (!at)
			return sg_err_set(err, SG_ENOMEM, "out of memory");
		got = n ? read_some(fd, at, n) : read_some(fd, &extra, 1);
		if (got < 0)
			return sg_err_sys(err, SG_EIO, errno, "cannot read");
		if (got == 0)
			return SG_OK;
		if (n == 0)
			return sg_err_set(err, SG_ELIMIT, "more than %zu bytes",
					  out->max);
		out->len += (size_t)got;
		out->data[out->len] = '\0';
	}
}

int
sg_fd_write_all(int fd, const void *p, size_t n, struct sg_err *err)
{
	const char *at = p;

	while (n > 0) {
		ssize_t put = write(fd, at, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return sg_err_sys(err, SG_EIO, errno, "cannot write");
		at += put;
		n -= (size_t)put;
	}
	return SG_OK;
}

/* What a script or a policy may be read from. */
static int
check_kind(int fd, struct sg_err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return sg_err_sys(err, SG_EIO, errno, "cannot stat");
	if (S_ISDIR(st.st_mode))
		return sg_err_sys(err, SG_EIO, EISDIR, "cannot read");
	if (S_ISBLK(st.st_mode))
		return sg_err_set(err, SG_EIO, "is a block device");
	return SG_OK;
}

int
sg_file_read(const char *path, struct sg_buf *out, struct sg_err *err)
{
	bool input = strcmp(path, "-") == 0;
	int fd = input ? STDIN_FILENO
		       : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	int status;

	if (fd < 0)
		status = sg_err_sys(err, errno == ENOENT ? SG_ENOENT : SG_EIO,
				    errno, "cannot open");
	else
		status = check_kind(fd, err);
	if (status == SG_OK)
		status = sg_fd_read_all(fd, out, err);
	if (!input)
		sg_fd_close(&fd);
	if (status != SG_OK)
		(void)sg_err_at(err, input ? "<stdin>" : path, 0, 0);
	return status;
}

/* The folder of `path`, opened; -1 on failure. */
static int
open_folder(const char *path, const char *name)
{
	char *folder;
	int fd;

	if (name == path)
		return open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	folder = strndup(path, (size_t)(name - path));
	if (!folder)
		return -1;
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	return fd;
}

/* A new file in `folder` with a name nobody has; its name into `temp`. */
static int
open_temp(int folder, unsigned mode, char *temp, size_t size)
{
	uint64_t tag;
	int fd = -1;

	for (int i = 0; i < TRIES && fd < 0; i++) {
		sg_random_bytes(&tag, sizeof(tag));
		(void)snprintf(temp, size, ".sandgate-%016llx",
			       (unsigned long long)tag);
		fd = openat(folder, temp,
			    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
				    O_CLOEXEC,
			    (mode_t)mode);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd;
}

static int
write_durably(int fd, struct sg_str data, struct sg_err *err)
{
	int status = sg_fd_write_all(fd, data.p, data.n, err);

	if (status == SG_OK && fsync(fd) < 0)
		status = sg_err_sys(err, SG_EIO, errno, "cannot flush");
	return status;
}

int
sg_file_replace(const char *path, struct sg_str data, unsigned mode,
		struct sg_err *err)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	char temp[40];
	int fd = -1, status, folder = open_folder(path, name);

	if (folder < 0) {
		status = sg_err_sys(err, errno == ENOENT ? SG_ENOENT : SG_EIO,
				    errno, "cannot open the folder");
		goto out;
	}
	fd = open_temp(folder, mode, temp, sizeof(temp));
	if (fd < 0) {
		status = sg_err_sys(err, SG_EIO, errno, "cannot create");
		goto out;
	}
	status = write_durably(fd, data, err);
	if (status == SG_OK && renameat(folder, temp, folder, name) < 0)
		status = sg_err_sys(err, SG_EIO, errno, "cannot replace");
	if (status != SG_OK)
		(void)unlinkat(folder, temp, 0);
	else if (fsync(folder) < 0 && errno != EINVAL)
		status = sg_err_sys(err, SG_EIO, errno,
				    "cannot flush the folder");
out:
	sg_fd_close(&fd);
	sg_fd_close(&folder);
	if (status != SG_OK)
		(void)sg_err_at(err, path, 0, 0);
	return status;
}
