#include "executor/collect.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/utf8.h"
#include "executor/limits.h"

/*
 * Theory of operation.  Folders are walked with an explicit stack of open
 * directory streams, each opened relative to its parent and never through a
 * link.  Everything is dead by now, so what fstatat() says and what openat()
 * opens are the same; the flags hold anyway.
 *
 * When a cap is reached the walk goes on counting, so that the caller can
 * say how much was left behind, until the cap on entries or time ends it.
 */

/* Room that the arena keeps for what else the result needs. */
enum { SPARE = 256 * 1024 };

struct walk {
	const struct sg_box_spec *spec;
	struct sg_arena *arena;
	struct sg_result *ret;
	struct sg_out_file *files; /* [limits.files] */
	uint64_t bytes, end;
	uint32_t entries;
	DIR *dirs[SG_BOX_DEPTH_MAX + 1];
	size_t ends[SG_BOX_DEPTH_MAX + 1]; /* of the path at each depth */
	char path[SG_BOX_NAME_MAX + 256 + 2];
};

static bool
part_safe(struct sg_str part)
{
	if (part.n == 0 || part.n > 255 || sg_str_eq(part, SG_STR(".")) ||
	    sg_str_eq(part, SG_STR("..")))
		return false;
	for (size_t i = 0; i < part.n; i++)
		if ((unsigned char)part.p[i] < 0x20 || part.p[i] == 0x7f)
			return false;
	return true;
}

bool
sg_name_safe(struct sg_str name)
{
	uint32_t depth = 0;

	if (name.n == 0 || name.n > SG_BOX_NAME_MAX ||
	    sg_utf8_check(name) != name.n)
		return false;
	for (size_t at = 0; at <= name.n; depth++) {
		struct sg_str rest = sg_str_slice(name, at, name.n);
		size_t n = sg_str_find(rest, '/');

		if (!part_safe(sg_str_slice(rest, 0, n)))
			return false;
		at += n + 1;
	}
	return depth <= SG_BOX_DEPTH_MAX;
}

static int
open_beneath(int dir, const char *name, uint64_t flags)
{
	struct open_how how = {
		.flags = flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
			   RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV
	};
	int fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof(how));

	/* Before Linux 5.6: the name is one part, so this is the same. */
	if (fd < 0 && errno == ENOSYS)
		fd = openat(dir, name, (int)how.flags);
	return fd;
}

/* True when `name` was there from the start, and is unchanged. */
static bool
is_input(const struct walk *w, struct sg_str name, struct sg_str data)
{
	/* The driver writes the program itself where it asks for it. */
	if (sg_str_eq(name, w->spec->script) && sg_str_eq(data, w->spec->code))
		return true;
	for (uint32_t i = 0; i < w->spec->nfiles; i++)
		if (sg_str_eq(w->spec->files[i].name, name))
			return sg_str_eq(w->spec->files[i].data, data);
	return false;
}

static bool
read_whole(int fd, char *p, size_t n)
{
	size_t at = 0;
	ssize_t got;

	while (at < n) {
		got = pread(fd, p + at, n - at, (off_t)at);
		if (got <= 0)
			return false;
		at += (size_t)got;
	}
	return true;
}

/* Takes one open regular file in; false when it has to stay behind. */
static bool
take(struct walk *w, int fd, struct sg_str name)
{
	const struct sg_box_limits *l = &w->spec->limits;
	struct sg_out_file *f;
	char hex[SG_DIGEST_HEX];
	struct sg_digest d;
	struct stat st;
	struct sg_str data;
	char *p;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_nlink != 1 ||
	    st.st_size < 0 || (uint64_t)st.st_size > l->file_bytes - w->bytes ||
	    (uint64_t)st.st_size + SPARE > w->arena->cap - w->arena->held)
		return false;
	p = sg_arena_alloc(w->arena, (size_t)st.st_size + 1);
	if (!p || !read_whole(fd, p, (size_t)st.st_size))
		return false;
	data = (struct sg_str){ p, (size_t)st.st_size };
	if (is_input(w, name, data))
		return true;
	if (w->ret->nfiles == l->files)
		return false;
	f = &w->files[w->ret->nfiles];
	d = sg_digest_of(data);
	sg_digest_hex(&d, hex);
	f->data = data;
	f->name = sg_arena_dup(w->arena, name);
	f->sha256 = sg_arena_dup(w->arena, sg_str_c(hex));
	if (!f->name.p || !f->sha256.p)
		return false;
	w->bytes += data.n;
	w->ret->nfiles++;
	return true;
}

static void
visit_file(struct walk *w, int dir, const char *name, struct sg_str path)
{
	int fd = open_beneath(dir, name, O_RDONLY);

	if (fd < 0 || !take(w, fd, path))
		w->ret->files_dropped++;
	sg_fd_close(&fd);
}

/* One deeper; false when the folder has to be left out. */
static bool
descend(struct walk *w, uint32_t *depth, const char *name, size_t len)
{
	int fd;

	if (*depth == SG_BOX_DEPTH_MAX)
		return false;
	fd = open_beneath(dirfd(w->dirs[*depth]), name, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return false;
	w->dirs[*depth + 1] = fdopendir(fd);
	if (!w->dirs[*depth + 1]) {
		sg_fd_close(&fd);
		return false;
	}
	w->path[len] = '/';
	w->ends[++*depth] = len + 1;
	return true;
}

static void
visit(struct walk *w, uint32_t *depth, const char *name)
{
	size_t at = w->ends[*depth], n = strlen(name);
	int dir = dirfd(w->dirs[*depth]);
	struct sg_str path;
	struct stat st;

	if (at + n > SG_BOX_NAME_MAX) {
		w->ret->files_dropped++;
		return;
	}
	memcpy(w->path + at, name, n);
	path = (struct sg_str){ w->path, at + n };
	if (!sg_name_safe(path) ||
	    fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		w->ret->files_dropped++;
	} else if (S_ISDIR(st.st_mode)) {
		if (!descend(w, depth, name, at + n))
			w->ret->files_dropped++;
	} else if (S_ISREG(st.st_mode)) {
		visit_file(w, dir, name, path);
	} else {
		w->ret->files_dropped++;
	}
}

static void
walk_tree(struct walk *w)
{
	uint32_t depth = 0;
	struct dirent *e;

	for (;;) {
		if (w->entries > SG_BOX_ENTRIES_MAX || sg_clock_mono() > w->end)
			w->ret->files_dropped++;
		else if ((e = readdir(w->dirs[depth])) != NULL) {
			if (strcmp(e->d_name, ".") == 0 ||
			    strcmp(e->d_name, "..") == 0)
				continue;
			w->entries++;
			visit(w, &depth, e->d_name);
			continue;
		}
		(void)closedir(w->dirs[depth]);
		if (depth-- == 0)
			return;
	}
}

static int
by_name(const void *a, const void *b)
{
	const struct sg_out_file *x = a, *y = b;

	return sg_str_cmp(x->name, y->name);
}

int
sg_collect(int dir, const struct sg_box_spec *spec, struct sg_arena *arena,
	   struct sg_result *ret, struct sg_err *err)
{
	struct walk *w = SG_NEW(arena, struct walk);
	int fd;

	ret->nfiles = 0;
	ret->files_dropped = 0;
	if (!w)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	w->files = SG_NEWN(arena, struct sg_out_file, spec->limits.files + 1u);
	if (!w->files)
		return sg_err_set(err, SG_ENOMEM, "out of memory");
	w->spec = spec;
	w->arena = arena;
	w->ret = ret;
	w->end = sg_clock_mono() + (uint64_t)spec->limits.collect_ms * 1000000;
	fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		w->dirs[0] = fdopendir(fd);
	if (!w->dirs[0]) {
		sg_fd_close(&fd);
		return sg_err_sys(err, SG_EIO, errno,
				  "cannot read the workspace");
	}
	walk_tree(w);
	qsort(w->files, ret->nfiles, sizeof(*w->files), by_name);
	ret->files = w->files;
	return SG_OK;
}
