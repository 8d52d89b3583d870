#include "executor/cache.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"

/*
 * Theory of operation.  An entry is one file, NAME-KEY.  KEY is a digest of
 * the interpreter's paths, of the size and change time of its program, and of
 * the salt: an upgrade makes a new key, and the old file is never read again.
 */

enum { KEY_TEXT = 512 * 1024, KEY_DIGITS = 32 };

/* True for a folder that is ours and nobody else's to write. */
static bool
is_private(const char *dir)
{
	struct stat st;

	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		return false;
	return lstat(dir, &st) == 0 && S_ISDIR(st.st_mode) &&
	       st.st_uid == geteuid() && !(st.st_mode & 022) &&
	       access(dir, W_OK) == 0;
}

static bool
folder(char *out, size_t size)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (xdg && xdg[0] == '/') {
		(void)snprintf(out, size, "%s/sandgate", xdg);
		if (is_private(out))
			return true;
	}
	if (home && home[0] == '/') {
		(void)snprintf(out, size, "%s/.cache", home);
		(void)mkdir(out, 0700);
		(void)snprintf(out, size, "%s/.cache/sandgate", home);
		if (is_private(out))
			return true;
	}
	(void)snprintf(out, size, "/var/tmp/sandgate-%u", (unsigned)geteuid());
	return is_private(out);
}

static bool
make_key(const struct sg_python *py, struct sg_str salt,
	 char out[SG_DIGEST_HEX])
{
	struct sg_digest d;
	struct stat st;
	struct sg_buf b;
	bool good;

	if (stat(py->real, &st) < 0)
		return false;
	sg_buf_init(&b, KEY_TEXT);
	sg_buf_printf(&b, "%s\n%s\n%lld %lld.%09ld\n", py->path, py->real,
		      (long long)st.st_size, (long long)st.st_mtim.tv_sec,
		      st.st_mtim.tv_nsec);
	sg_buf_str(&b, salt);
	good = !sg_buf_failed(&b);
	d = sg_digest_of(sg_buf_view(&b));
	sg_buf_release(&b);
	sg_digest_hex(&d, out);
	return good;
}

static bool
entry_path(const struct sg_python *py, const char *name, struct sg_str salt,
	   char out[PATH_MAX])
{
	char dir[PATH_MAX - 128], key[SG_DIGEST_HEX];
	int n;

	if (!folder(dir, sizeof(dir)) || !make_key(py, salt, key))
		return false;
	n = snprintf(out, PATH_MAX, "%s/%s-%.*s", dir, name, KEY_DIGITS, key);
	return n > 0 && n < PATH_MAX;
}

bool
sg_cache_load(const struct sg_python *py, const char *name, struct sg_str salt,
	      struct sg_buf *out)
{
	char path[PATH_MAX];

	return entry_path(py, name, salt, path) &&
	       sg_file_read(path, out, NULL) == SG_OK;
}

bool
sg_cache_store(const struct sg_python *py, const char *name, struct sg_str salt,
	       struct sg_str data)
{
	char path[PATH_MAX];

	return entry_path(py, name, salt, path) &&
	       sg_file_replace(path, data, 0600, NULL) == SG_OK;
}

void
sg_cache_drop(const struct sg_python *py, const char *name, struct sg_str salt)
{
	char path[PATH_MAX];

	if (entry_path(py, name, salt, path))
		(void)unlink(path);
}

bool
sg_cache_usable(void)
{
	char dir[PATH_MAX];

	return folder(dir, sizeof(dir));
}
