#include "pipeline/logfile_core.h"

#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int
sg_logfile_sync_folder(const char *path, struct sg_err *err)
{
	char part[SG_AUDIT_PATH];
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;
	int fd, status = SG_OK;

	memcpy(part, path, n);
	part[n] = '\0';
	fd = open(slash ? (n ? part : "/") : ".",
		  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || (fsync(fd) < 0 && errno != EINVAL && errno != EROFS))
		status = sg_err_sys(err, SG_EAUDIT, errno,
				    "cannot sync the folder of '%s'", path);
	sg_fd_close(&fd);
	return status;
}

static int
open_file(struct sg_logfile *f, bool *ret_new, struct sg_err *err)
{
	struct stat st;
	int fd;

	*ret_new = false;
	fd = open(f->path,
		  O_RDWR | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT) {
		fd = open(f->path, O_RDWR | O_APPEND | O_CLOEXEC | O_CREAT,
			  0600);
		*ret_new = true;
	}
	if (fd < 0)
		return sg_err_sys(err, SG_EAUDIT, errno,
				  "cannot open the audit log '%s'", f->path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		sg_fd_close(&fd);
		return sg_err_set(err, SG_EAUDIT,
				  "the audit log '%s' is not a regular file",
				  f->path);
	}
	sg_fd_close(&f->fd);
	f->fd = fd;
	f->reserved = 0;
	return *ret_new ? sg_logfile_sync_folder(f->path, err) : SG_OK;
}

/* ---- the lock ---- */

int
sg_logfile_lock(struct sg_logfile *f, struct sg_err *err)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	uint64_t end = sg_clock_mono() + SG_AUDIT_WAIT_MS * UINT64_C(1000000);

	while (flock(f->fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return sg_err_sys(err, SG_EAUDIT, errno,
					  "cannot lock the audit log '%s'",
					  f->path);
		if (sg_clock_mono() > end)
			return sg_err_set(err, SG_EAUDIT,
					  "another writer holds the audit log "
					  "'%s' for %d s",
					  f->path, SG_AUDIT_WAIT_MS / 1000);
		(void)nanosleep(&pause, NULL);
	}
	return SG_OK;
}

bool
sg_logfile_is_current(const struct sg_logfile *f)
{
	struct stat mine, named;

	return fstat(f->fd, &mine) == 0 && stat(f->path, &named) == 0 &&
	       mine.st_ino == named.st_ino && mine.st_dev == named.st_dev;
}

int
sg_logfile_lock_current(struct sg_logfile *f, struct sg_err *err)
{
	bool is_new;
	int status;

	for (int tries = 0; tries < 100; tries++) {
		if (f->fd < 0 && (status = open_file(f, &is_new, err)) < 0)
			return status;
		if ((status = sg_logfile_lock(f, err)) < 0)
			return status;
		if (sg_logfile_is_current(f))
			return SG_OK;
		sg_fd_close(&f->fd);
		f->size = -1;
	}
	return sg_err_set(err, SG_EAUDIT,
			  "the audit log '%s' is replaced all the time",
			  f->path);
}
