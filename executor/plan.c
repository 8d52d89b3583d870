#include "executor/plan.h"

#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/embed.h"
#include "executor/limits.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

extern const struct sg_embed sg_embed_driver[];

/* Names that make the warnings module skip the driver's frames, as it does
   with the import system's. */
#define DRIVER "importlib_bootstrap.py"
#define LATE "importlib_bootstrap_late.py"
#define ZYGOTE "importlib_bootstrap_zygote.py"

enum {
	IN_ID = 1000,
	/* Above what users and containers are given; a run takes one of
	   65,536, so that what the kernel counts by user is its own. */
	OUT_ID_BASE = 0x70000000,
	LINKS_MAX = 16,
	FILES_MAX = 16,
	ENV_MAX = 32,
	THREADS_MAX = 4 /* of the linear algebra libraries */
};

/* --- the system's folders ------------------------------------------------ */

/* Folders on some systems, links into /usr on others. */
static const char *const system_dirs[] = { "/usr",    "/bin",   "/sbin",
					   "/lib",    "/lib32", "/lib64",
					   "/libx32", NULL };

/* Settings that interpreters and libraries look for; links stay links. */
static const char *const settings[] = {
	"/etc/ld.so.cache",    "/etc/alternatives", "/etc/fonts",
	"/etc/mime.types",     "/etc/matplotlibrc", "/etc/localtime",
	"/etc/timezone",       "/etc/os-release",   "/etc/ssl/openssl.cnf",
	"/etc/debian_version", "/etc/python3",      NULL
};

#define OWN_FILE(path, text)                   \
	{                                      \
		path,                          \
		{                              \
			text, sizeof(text) - 1 \
		}                              \
	}
static const struct sg_plan_file own_files[] = {
	OWN_FILE("/etc/passwd",
		 "root:x:0:0:root:/:/usr/sbin/nologin\n"
		 "sandbox:x:1000:1000:sandbox:/tmp:/usr/sbin/nologin\n"),
	OWN_FILE("/etc/group", "root:x:0:\nsandbox:x:1000:\n"),
	OWN_FILE("/etc/nsswitch.conf",
		 "passwd: files\ngroup: files\nhosts: files\n"),
	OWN_FILE("/etc/hosts", "127.0.0.1 localhost\n"),
};

static int
no_memory(struct sg_err *err)
{
	return sg_err_set(err, SG_ENOMEM, "out of memory");
}

/* `path` as a link with its own target, or as a read-only bind. */
static int
add_place(struct sg_plan *plan, struct sg_plan_link *links, const char *path,
	  struct sg_arena *arena, struct sg_err *err)
{
	char to[PATH_MAX];
	ssize_t n = readlink(path, to, sizeof(to) - 1);
	struct sg_plan_link *l;

	if (n <= 0)
		return sg_binds_add(&plan->binds, arena, path, err);
	if (plan->nlinks == LINKS_MAX)
		return SG_OK;
	to[n] = '\0';
	l = &links[plan->nlinks++];
	l->at = path;
	l->to = sg_arena_dup(arena, sg_str_c(to)).p;
	return l->to ? SG_OK : no_memory(err);
}

static int
add_places(struct sg_plan *plan, const struct sg_python *py,
	   struct sg_arena *arena, struct sg_err *err)
{
	struct sg_plan_link *links = SG_NEWN(arena, struct sg_plan_link,
					     LINKS_MAX);
	int rc = SG_OK;

	plan->binds.v = SG_NEWN(arena, struct sg_bind, SG_BOX_BINDS_MAX);
	if (!links || !plan->binds.v)
		return no_memory(err);
	plan->links = links;
	for (size_t i = 0; rc == SG_OK && system_dirs[i]; i++)
		rc = add_place(plan, links, system_dirs[i], arena, err);
	for (size_t i = 0; rc == SG_OK && settings[i]; i++)
		rc = add_place(plan, links, settings[i], arena, err);
	if (rc == SG_OK)
		rc = sg_python_binds(py, arena, &plan->binds, err);
	return rc;
}

/* --- who ----------------------------------------------------------------- */

/*
 * Some id other than 0 that this user namespace has: one of our range when
 * it is there, else the last one of the longest range.  0: none.
 */
static uint32_t
free_id(const char *map)
{
	unsigned long in, out, len, best = 0;
	uint32_t want = 0, id = 0;
	FILE *f = fopen(map, "re");
	uint16_t r;

	sg_random_bytes(&r, sizeof(r));
	want = OUT_ID_BASE + (uint32_t)r;
	while (f && fscanf(f, "%lu %lu %lu", &in, &out, &len) == 3) {
		if (in <= want && want - in < len) {
			id = want;
			break;
		}
		if (len > best && in + len > 1) {
			best = len;
			id = (uint32_t)(in + len - 1);
		}
	}
	if (f)
		(void)fclose(f);
	return id;
}

static bool
has_caps(void)
{
	const uint32_t need = 1u << CAP_SYS_ADMIN | 1u << CAP_SETUID |
			      1u << CAP_SETGID | 1u << CAP_CHOWN;
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3,
						 0 };
	struct __user_cap_data_struct data[2];

	return syscall(SYS_capget, &head, data) == 0 &&
	       (data[0].effective & need) == need;
}

static void
choose_ids(struct sg_plan *plan)
{
	uint32_t uid = free_id("/proc/self/uid_map");
	uint32_t gid = free_id("/proc/self/gid_map");

	plan->in_uid = IN_ID;
	plan->in_gid = IN_ID;
	plan->self_uid = geteuid();
	plan->self_gid = getegid();
	plan->is_root = plan->self_uid == 0 && uid && gid && has_caps();
	plan->out_uid = plan->is_root ? uid : IN_ID;
	plan->out_gid = plan->is_root ? gid : IN_ID;
}

static uint64_t
clone_flags(const struct sg_plan *plan)
{
	static const struct {
		enum sg_layer_id layer;
		uint64_t flag;
	} rows[] = {
		{ SG_L_MOUNT_NS, CLONE_NEWNS }, { SG_L_PID_NS, CLONE_NEWPID },
		{ SG_L_NET_NS, CLONE_NEWNET },  { SG_L_IPC_NS, CLONE_NEWIPC },
		{ SG_L_UTS_NS, CLONE_NEWUTS },  { SG_L_TIME_NS, CLONE_NEWTIME },
	};
	uint64_t flags = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (plan->want & SG_L_BIT(rows[i].layer))
			flags |= rows[i].flag;
	if (!plan->is_root && plan->want & SG_L_BIT(SG_L_USER_NS))
		flags |= CLONE_NEWUSER;
	return flags;
}

/* --- what it is given ---------------------------------------------------- */

static const char *
in_support(const struct sg_plan *plan, const char *name, struct sg_arena *arena)
{
	return sg_arena_printf(arena, "%s/%s", plan->support, name).p;
}

/* Byte code stands for its source; the native module is for all. */
static bool
is_needed(const struct sg_plan *plan, const struct sg_embed *e)
{
	if (strcmp(e->name, DRIVER) == 0 || strcmp(e->name, LATE) == 0)
		return !plan->prepared->driver.n;
	return strcmp(e->name, ZYGOTE) != 0 || plan->zygote;
}

static int
add_files(struct sg_plan *plan, struct sg_arena *arena, struct sg_err *err)
{
	struct sg_plan_file *f = SG_NEWN(arena, struct sg_plan_file, FILES_MAX);
	uint32_t n = 0;

	if (!f)
		return no_memory(err);
	for (const struct sg_embed *e = sg_embed_driver; e->name; e++) {
		if (!is_needed(plan, e))
			continue;
		f[n].data = e->data;
		f[n++].path = in_support(plan, e->name, arena);
	}
	if (plan->prepared->driver.n) {
		f[n].data = plan->prepared->driver;
		f[n++].path = in_support(plan, DRIVER "c", arena);
		f[n].data = plan->prepared->late;
		f[n++].path = in_support(plan, LATE "c", arena);
	}
	if (sg_arena_failed(arena))
		return no_memory(err);
	if (plan->want & SG_L_BIT(SG_L_ROOT))
		for (size_t i = 0; i < sizeof(own_files) / sizeof(own_files[0]);
		     i++)
			f[n++] = own_files[i];
	plan->files = f;
	plan->nfiles = n;
	return SG_OK;
}

long
sg_plan_threads(void)
{
	cpu_set_t set;
	int n = 1;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		n = CPU_COUNT(&set);
	return n > THREADS_MAX ? THREADS_MAX : n;
}

/* The whole environment: nothing of the caller's is passed on. */
static int
add_env(struct sg_plan *plan, struct sg_arena *arena, struct sg_err *err)
{
	static const char *const fixed[] = {
		"PATH=/usr/local/bin:/usr/bin:/bin",
		"LANG=C.UTF-8",
		"LC_ALL=C.UTF-8",
		"USER=sandbox",
		"LOGNAME=sandbox",
		"TERM=dumb",
		"NO_COLOR=1",
		"MPLBACKEND=Agg",
	};
	/* One buffer a thread: with one thread a core, 64 would not fit. */
	static const char *const threads[] = {
		"OPENBLAS_NUM_THREADS",
		"OMP_NUM_THREADS",
		"MKL_NUM_THREADS",
		"NUMEXPR_NUM_THREADS",
	};
	static const struct {
		const char *name, *below;
	} temps[] = {
		{ "HOME", "" },
		{ "TMPDIR", "" },
		{ "MPLCONFIGDIR", "/.matplotlib" },
		{ "XDG_CACHE_HOME", "/.cache" },
	};
	const size_t nfixed = sizeof(fixed) / sizeof(fixed[0]);
	char **env = SG_NEWN(arena, char *, ENV_MAX);
	struct sg_str s;
	uint32_t n = 0;

	if (!env)
		return no_memory(err);
	for (size_t i = 0; i < nfixed; i++)
		env[n++] = (char *)(uintptr_t)fixed[i];
	for (size_t i = 0; i < 4; i++) {
		s = sg_arena_printf(arena, "%s=%ld", threads[i],
				    plan->zygote ? 1L : sg_plan_threads());
		env[n++] = (char *)(uintptr_t)s.p;
	}
	for (size_t i = 0; i < 4; i++) {
		s = sg_arena_printf(arena, "%s=%s%s", temps[i].name, plan->temp,
				    temps[i].below);
		env[n++] = (char *)(uintptr_t)s.p;
	}
	/* Else each fork would look up for itself what it calls first. */
	if (plan->zygote)
		env[n++] = (char *)(uintptr_t) "LD_BIND_NOW=1";
	plan->envp = env;
	return sg_arena_failed(arena) ? no_memory(err) : SG_OK;
}

static int
add_argv(struct sg_plan *plan, const struct sg_python *py,
	 struct sg_arena *arena, struct sg_err *err)
{
	char **argv = SG_NEWN(arena, char *, 5);
	const char *driver;

	driver = in_support(
		plan, plan->prepared->driver.n ? DRIVER "c" : DRIVER, arena);
	if (!argv || !driver)
		return no_memory(err);
	argv[0] = (char *)(uintptr_t)py->path;
	argv[1] = (char *)(uintptr_t) "-I";
	argv[2] = (char *)(uintptr_t) "-B";
	argv[3] = (char *)(uintptr_t)driver;
	plan->argv = argv;
	return SG_OK;
}

static int
set_paths(struct sg_plan *plan, const char *home, struct sg_arena *arena,
	  struct sg_err *err)
{
	if (!home) {
		plan->workspace = "/mnt/data";
		plan->temp = "/tmp";
		plan->support = "/run/sandgate";
		return SG_OK;
	}
	plan->workspace = sg_arena_printf(arena, "%s/data", home).p;
	plan->temp = sg_arena_printf(arena, "%s/tmp", home).p;
	plan->support = sg_arena_printf(arena, "%s/run", home).p;
	return sg_arena_failed(arena) ? no_memory(err) : SG_OK;
}

int
sg_plan_make(const struct sg_box_spec *spec, const struct sg_python *py,
	     const struct sg_prepared *prepared, unsigned want,
	     const char *home, struct sg_arena *arena, struct sg_plan *plan,
	     struct sg_err *err)
{
	const struct sg_box_limits *l = &spec->limits;
	bool zygote = plan->zygote;
	int rc;

	memset(plan, 0, sizeof(*plan));
	plan->zygote = zygote;
	plan->spec = spec;
	plan->prepared = prepared;
	plan->want = want;
	plan->must = sg_layer_required(spec->require);
	choose_ids(plan);
	plan->clone_flags = clone_flags(plan);
	/* Stacks of threads are reserved whole, and used in small part. */
	plan->data_limit = l->memory + (uint64_t)l->threads * SG_BOX_STACK;
	rc = set_paths(plan, home, arena, err);
	if (rc == SG_OK)
		rc = add_places(plan, py, arena, err);
	if (rc == SG_OK)
		rc = add_files(plan, arena, err);
	if (rc == SG_OK)
		rc = add_env(plan, arena, err);
	if (rc == SG_OK)
		rc = add_argv(plan, py, arena, err);
	return rc;
}

/* The warden maps the zygote's user, of whom there is only one. */
void
sg_plan_forked(const struct sg_box_spec *spec,
	       const struct sg_prepared *prepared, unsigned want,
	       struct sg_plan *plan)
{
	const struct sg_box_limits *l = &spec->limits;

	memset(plan, 0, sizeof(*plan));
	plan->spec = spec;
	plan->prepared = prepared;
	plan->want = want;
	plan->must = sg_layer_required(spec->require);
	plan->data_limit = l->memory + (uint64_t)l->threads * SG_BOX_STACK;
	plan->in_uid = plan->out_uid = plan->self_uid = IN_ID;
	plan->in_gid = plan->out_gid = plan->self_gid = IN_ID;
	plan->clone_flags = clone_flags(plan);
	plan->forked = true;
}
