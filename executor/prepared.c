#include "executor/prepared.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/embed.h"
#include "executor/cache.h"

enum { ENTRY_MAX = 4 * 1024 * 1024, SALT_MAX = 64 * 1024, HEAD = 4 };

#define FONTS_BELOW ".matplotlib/"

extern const struct sg_embed sg_embed_driver[];

/* --- driver -------------------------------------------------------------- */

/*
 * An entry is the length of the first file in four bytes (little endian),
 * the first file, and the second.  It depends on the sources of both.
 */

static void
driver_salt(struct sg_buf *b)
{
	sg_buf_init(b, SALT_MAX);
	for (size_t i = 0; i < 2; i++)
		sg_buf_str(b, sg_str_c(sg_embed_driver[i].sha256));
}

static enum sg_prepared_state
driver_load(const struct sg_python *py, struct sg_arena *arena,
	    struct sg_prepared *p)
{
	enum sg_prepared_state state = SG_PREPARED_UNKNOWN;
	struct sg_buf salt, b;
	struct sg_str all;
	size_t n = 0;

	driver_salt(&salt);
	sg_buf_init(&b, ENTRY_MAX);
	if (sg_cache_load(py, "driver", sg_buf_view(&salt), &b) &&
	    b.len > HEAD) {
		for (size_t i = 0; i < HEAD; i++)
			n |= (size_t)(unsigned char)b.data[i] << 8 * i;
		all = sg_arena_dup(arena, sg_buf_view(&b));
		if (all.p && n < all.n - HEAD) {
			p->driver = sg_str_slice(all, HEAD, HEAD + n);
			p->late = sg_str_slice(all, HEAD + n, all.n);
			state = SG_PREPARED_KNOWN;
		}
	} else if (!sg_cache_usable()) {
		state = SG_PREPARED_NEVER;
	}
	sg_buf_release(&b);
	sg_buf_release(&salt);
	return state;
}

static void
driver_store(const struct sg_python *py, const struct sg_result *r)
{
	struct sg_buf salt, b;

	if (r->nfiles != 2)
		return;
	driver_salt(&salt);
	sg_buf_init(&b, ENTRY_MAX);
	for (size_t i = 0; i < HEAD; i++)
		sg_buf_char(&b, (char)(r->files[0].data.n >> 8 * i & 0xff));
	sg_buf_str(&b, r->files[0].data);
	sg_buf_str(&b, r->files[1].data);
	if (!sg_buf_failed(&b))
		(void)sg_cache_store(py, "driver", sg_buf_view(&salt),
				     sg_buf_view(&b));
	sg_buf_release(&b);
	sg_buf_release(&salt);
}

void
sg_prepared_forget_driver(const struct sg_python *py)
{
	struct sg_buf salt;

	driver_salt(&salt);
	sg_cache_drop(py, "driver", sg_buf_view(&salt));
	sg_buf_release(&salt);
}

const struct sg_preparation sg_prepare_driver = {
	driver_load,
	"import py_compile, sys\n"
	"f = sys._getframe()\n"
	"while f.f_back:\n"
	"    f = f.f_back\n"
	"d = f.f_globals['__file__'].rpartition('/')[0]\n"
	"for i, n in enumerate(('', '_late')):\n"
	"    n = d + '/importlib_bootstrap' + n + '.py'\n"
	"    py_compile.compile(n, str(i), n, True, -1,\n"
	"        py_compile.PycInvalidationMode.UNCHECKED_HASH)\n",
	0,
	driver_store,
};

/* --- fonts --------------------------------------------------------------- */

/*
 * An entry is a line with the name that matplotlib looks for, then the list
 * as matplotlib wrote it; an empty one says that there is no matplotlib.  It
 * depends on the change times of the folders in which packages and fonts are:
 * whatever is installed or removed makes a new one.
 */

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

/* The packages of the installation in whose bin folder `exe` is. */
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

static void
fonts_salt(const struct sg_python *py, struct sg_buf *b)
{
	sg_buf_init(b, SALT_MAX);
	add_prefix_times(b, py->path);
	add_prefix_times(b, py->real);
	add_times(b, "/usr/lib/python3/dist-packages");
	add_times(b, "/usr/local/lib/python3*/*-packages");
	add_times(b, "/usr/share/fonts/*");
	add_times(b, "/usr/share/fonts/*/*");
}

/* A plain file name and the list behind it. */
static bool
fonts_parse(struct sg_str entry, struct sg_arena *arena, struct sg_prepared *p)
{
	size_t n = sg_str_find(entry, '\n');
	struct sg_str name = sg_str_slice(entry, 0, n);

	if (n == entry.n || n == 0 || n > 100 ||
	    sg_str_find(name, '/') != name.n)
		return false;
	p->fonts_name =
		sg_arena_printf(arena, FONTS_BELOW "%.*s", SG_STR_ARG(name)).p;
	p->fonts = sg_arena_dup(arena, sg_str_slice(entry, n + 1, entry.n));
	return p->fonts_name && p->fonts.p;
}

static enum sg_prepared_state
fonts_load(const struct sg_python *py, struct sg_arena *arena,
	   struct sg_prepared *p)
{
	enum sg_prepared_state state = SG_PREPARED_UNKNOWN;
	struct sg_buf salt, b;

	fonts_salt(py, &salt);
	sg_buf_init(&b, ENTRY_MAX);
	if (sg_cache_load(py, "fonts", sg_buf_view(&salt), &b)) {
		if (b.len == 0 || fonts_parse(sg_buf_view(&b), arena, p))
			state = SG_PREPARED_KNOWN;
	} else if (!sg_cache_usable()) {
		state = SG_PREPARED_NEVER;
	}
	sg_buf_release(&b);
	sg_buf_release(&salt);
	return state;
}

static void
fonts_store(const struct sg_python *py, const struct sg_result *r)
{
	struct sg_buf salt, b;

	fonts_salt(py, &salt);
	sg_buf_init(&b, ENTRY_MAX);
	if (r->nfiles == 1) {
		sg_buf_str(&b, r->files[0].name);
		sg_buf_char(&b, '\n');
		sg_buf_str(&b, r->files[0].data);
	}
	if (!sg_buf_failed(&b))
		(void)sg_cache_store(py, "fonts", sg_buf_view(&salt),
				     sg_buf_view(&b));
	sg_buf_release(&b);
	sg_buf_release(&salt);
}

const struct sg_preparation sg_prepare_fonts = {
	fonts_load,
	"import os, shutil\n"
	"try:\n"
	"    import matplotlib.font_manager\n"
	"except ImportError:\n"
	"    raise SystemExit\n"
	"d = os.environ['MPLCONFIGDIR']\n"
	"for n in os.listdir(d):\n"
	"    if n.startswith('fontlist'):\n"
	"        shutil.copy(os.path.join(d, n), n)\n",
	8,
	fonts_store,
};
