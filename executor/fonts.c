#include "executor/fonts.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/digest.h"
#include "base/file.h"

/*
 * Theory of operation.  An entry is one file, fonts-KEY: a line with the
 * name that matplotlib looks for, then the list as matplotlib wrote it; an
 * empty file says that there is no matplotlib.  KEY is a digest of the
 * interpreter's path and of the change times of the folders in which its
 * packages and the fonts are: whatever is installed or removed makes a new
 * key.  The list is made and read inside the box only.
 */

enum { ENTRY_MAX = 4 * 1024 * 1024, KEY_TEXT = 8192 };

#define BELOW ".matplotlib/"

bool
sg_fonts_wanted(struct sg_str code)
{
	static const char *const words[] = { "matplotlib", "pylab", "seaborn",
					     "plot", "hist(" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (code.n &&
		    memmem(code.p, code.n, words[i], strlen(words[i])))
			return true;
	return false;
}

struct sg_str
sg_fonts_program(void)
{
	return SG_STR("import os, shutil\n"
		      "try:\n"
		      "    import matplotlib.font_manager\n"
		      "except ImportError:\n"
		      "    raise SystemExit\n"
		      "d = os.environ['MPLCONFIGDIR']\n"
		      "for n in os.listdir(d):\n"
		      "    if n.startswith('fontlist'):\n"
		      "        shutil.copy(os.path.join(d, n), n)\n");
}

static void
add_times(struct sg_buf *b, const char *pattern)
{
	struct stat st;
	glob_t g;

	if (glob(pattern, 0, NULL, &g) != 0)
		return;
	for (size_t i = 0; i < g.gl_pathc; i++)
		if (stat(g.gl_pathv[i], &st) == 0)
			sg_buf_printf(b, "%s %lld.%09ld\n", g.gl_pathv[i],
				      (long long)st.st_mtim.tv_sec,
				      st.st_mtim.tv_nsec);
	globfree(&g);
}

static void
add_prefix_times(struct sg_buf *b, const char *exe)
{
	char pattern[PATH_MAX + 64];
	const char *slash = strrchr(exe, '/');
	size_t n = slash ? (size_t)(slash - exe) : 0;

	while (n > 0 && exe[n - 1] != '/')
		n--;
	if (n == 0 || n > PATH_MAX)
		return;
	(void)snprintf(pattern, sizeof(pattern), "%.*slib/python3*/*-packages",
		       (int)n, exe);
	add_times(b, pattern);
}

static bool
make_key(const struct sg_python *py, char out[SG_DIGEST_HEX])
{
	struct sg_digest d;
	struct sg_buf b;
	bool good;

	sg_buf_init(&b, KEY_TEXT);
	sg_buf_printf(&b, "%s\n%s\n", py->path, py->real);
	add_times(&b, py->real);
	add_prefix_times(&b, py->path);
	add_prefix_times(&b, py->real);
	add_times(&b, "/usr/lib/python3/dist-packages");
	add_times(&b, "/usr/local/lib/python3*/*-packages");
	add_times(&b, "/usr/share/fonts/*");
	add_times(&b, "/usr/share/fonts/*/*");
	good = !sg_buf_failed(&b);
	d = sg_digest_of(sg_buf_view(&b));
	sg_buf_release(&b);
	sg_digest_hex(&d, out);
	return good;
}

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
cache_dir(char *out, size_t size)
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
entry_path(const struct sg_python *py, char *out, size_t size)
{
	char dir[PATH_MAX], key[SG_DIGEST_HEX];
	int n;

	if (!cache_dir(dir, sizeof(dir)) || !make_key(py, key))
		return false;
	n = snprintf(out, size, "%s/fonts-%.32s", dir, key);
	return n > 0 && (size_t)n < size;
}

/* A plain file name and the list behind it. */
static bool
parse(struct sg_str entry, struct sg_arena *arena, struct sg_fonts *ret)
{
	size_t n = sg_str_find(entry, '\n');
	struct sg_str name = sg_str_slice(entry, 0, n);

	if (n == entry.n || n == 0 || n > 100 ||
	    sg_str_find(name, '/') != name.n)
		return false;
	ret->name = sg_arena_printf(arena, BELOW "%.*s", SG_STR_ARG(name)).p;
	ret->data = sg_arena_dup(arena, sg_str_slice(entry, n + 1, entry.n));
	return ret->name && ret->data.p;
}

enum sg_fonts_state
sg_fonts_load(const struct sg_python *py, struct sg_arena *arena,
	      struct sg_fonts *ret)
{
	enum sg_fonts_state state = SG_FONTS_UNKNOWN;
	char path[PATH_MAX];
	struct sg_buf b;

	if (!entry_path(py, path, sizeof(path)))
		return SG_FONTS_NONE;
	sg_buf_init(&b, ENTRY_MAX);
	if (sg_file_read(path, &b, NULL) == SG_OK) {
		if (b.len == 0)
			state = SG_FONTS_NONE;
		else if (parse(sg_buf_view(&b), arena, ret))
			state = SG_FONTS_KNOWN;
	}
	sg_buf_release(&b);
	return state;
}

void
sg_fonts_store(const struct sg_python *py, struct sg_arena *arena,
	       const struct sg_result *r, struct sg_fonts *ret)
{
	char path[PATH_MAX];
	struct sg_buf b;

	if (!entry_path(py, path, sizeof(path)))
		return;
	sg_buf_init(&b, ENTRY_MAX);
	if (r->nfiles == 1) {
		sg_buf_str(&b, r->files[0].name);
		sg_buf_char(&b, '\n');
		sg_buf_str(&b, r->files[0].data);
	}
	if (!sg_buf_failed(&b) &&
	    sg_file_replace(path, sg_buf_view(&b), 0600, NULL) == SG_OK &&
	    b.len)
		(void)parse(sg_buf_view(&b), arena, ret);
	sg_buf_release(&b);
}
