#include "executor/home.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "executor/root.h"
#include "executor/sample.h"

enum { WALK_FDS = 16 };

#define PREFIX "sandgate-box-"

static const char *
temp_folder(void)
{
	const char *temp = getenv("TMPDIR");

	return temp && temp[0] == '/' && strlen(temp) < 64 ? temp : "/tmp";
}

int
sg_home_make(char *path, size_t size, struct sg_err *err)
{
	if (path[0])
		return SG_OK;
	(void)snprintf(path, size, "%s/" PREFIX "%d.%" PRIu64 "-XXXXXX",
		       temp_folder(), (int)getpid(), sg_sample_start(getpid()));
	if (!mkdtemp(path)) {
		path[0] = '\0';
		return sg_err_sys(err, SG_EBOX, errno,
				  "cannot make a folder for the workspace");
	}
	return SG_OK;
}

static int
make_folder(const char *path, const struct sg_plan *plan, bool theirs)
{
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return -errno;
	if (theirs && plan->is_root &&
	    chown(path, plan->out_uid, plan->out_gid) < 0)
		return -errno;
	return 0;
}

int
sg_home_fill(const char *path, const struct sg_plan *plan, struct sg_err *err)
{
	int rc = 0;

	/* Others may pass, to what the program's user may open. */
	if (chmod(path, plan->is_root ? 0711 : 0700) < 0)
		rc = -errno;
	if (rc == 0)
		rc = make_folder(plan->workspace, plan, true);
	if (rc == 0)
		rc = make_folder(plan->temp, plan, true);
	if (rc == 0)
		rc = make_folder(plan->support, plan, false);
	for (uint32_t i = 0; rc == 0 && i < plan->nfiles; i++) {
		rc = sg_root_write(AT_FDCWD, plan->files[i].path,
				   plan->files[i].data, 0444, (uid_t)-1,
				   (gid_t)-1);
		if (rc == -EEXIST)
			rc = 0;
	}
	if (rc < 0)
		return sg_err_sys(err, SG_EBOX, -rc,
				  "cannot prepare the workspace");
	return SG_OK;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *f)
{
	(void)st;
	(void)type;
	(void)f;
	(void)remove(path);
	return 0;
}

void
sg_home_remove(const char *path)
{
	if (path[0])
		(void)nftw(path, remove_one, WALK_FDS, FTW_DEPTH | FTW_PHYS);
}

void
sg_home_sweep(void)
{
	char path[PATH_MAX];
	struct dirent *e;
	struct stat st;
	DIR *d = opendir(temp_folder());

	while (d && (e = readdir(d)) != NULL) {
		if (!sg_sample_stale(e->d_name, PREFIX))
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", temp_folder(),
			       e->d_name);
		if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
		    st.st_uid == geteuid())
			sg_home_remove(path);
	}
	if (d)
		(void)closedir(d);
}
