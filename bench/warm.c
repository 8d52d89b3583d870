/*
 * Warm runs against cold ones, and against other ways to put the same
 * interpreter into a box, in one run.
 *
 *	warm [ROUNDS]
 *
 * Each round does one of each, so that whatever else the machine does falls
 * on all of them.  Between two rounds there is a pause in which the next box
 * can be built, as there is between the calls of one model; how many runs a
 * second there can be is measured apart, without pauses.
 */

#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "executor/warm.h"

enum {
	ARENA = 256 << 20,
	ROUNDS = 100,
	MOST = 10000,
	SECONDS = 4,
	COLD = 15,
	PAUSE_MS = 20
};

static const struct script {
	const char *name, *set, *import, *code;
	double hold; /* milliseconds of p50 */
} scripts[] = {
	{ "stdlib", "stdlib", "json",
	  "import json, re, math, collections, datetime\n"
	  "words = collections.Counter('a b a c b a'.split())\n"
	  "print(json.dumps(words), math.sqrt(2), re.sub('a', 'b', 'banana'))\n"
	  "print(datetime.date(2024, 2, 29).isoformat())\n",
	  3 },
	{ "numpy", "numpy", "numpy",
	  "import numpy as np\n"
	  "a = np.arange(1000.0).reshape(10, 100)\n"
	  "print(a.mean(), a.std(axis=1).round(2), (a @ a.T).trace())\n",
	  5 },
	{ "pandas", "numpy+pandas", "pandas",
	  "import pandas as pd\n"
	  "d = pd.DataFrame({'k': list('abab'), 'v': [1, 2, 3, 4]})\n"
	  "print(d.groupby('k').v.sum())\n",
	  10 },
	{ "matplotlib", "numpy+matplotlib", "matplotlib",
	  "import matplotlib.pyplot as plt\n"
	  "figure, axes = plt.subplots()\n"
	  "axes.plot([1, 2, 3])\nplt.close(figure)\nprint('drawn')\n",
	  10 },
};
enum { SCRIPTS = sizeof(scripts) / sizeof(scripts[0]) };

static int
by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

struct times {
	double v[MOST];
	size_t n;
};

static void
add_time(struct times *t, uint64_t begun)
{
	if (t->n < MOST)
		t->v[t->n++] = (double)(sg_clock_mono() - begun) / 1e6;
}

static double
part(struct times *t, double share)
{
	if (!t->n)
		return 0;
	qsort(t->v, t->n, sizeof(t->v[0]), by_value);
	return t->v[(size_t)((double)(t->n - 1) * share)];
}

/* --- ours ---------------------------------------------------------------- */

/* False when it did not end well, or was not of the kind that it should be. */
static bool
run(const struct script *s, struct sg_warm *warm)
{
	struct sg_str import = sg_str_c(s->import);
	struct sg_box_spec spec;
	struct sg_arena arena;
	struct sg_result r;
	struct sg_err err;
	bool good;

	sg_err_clear(&err);
	sg_box_spec_init(&spec);
	spec.code = sg_str_c(s->code);
	spec.warm = warm;
	spec.imports = &import;
	spec.nimports = 1;
	sg_arena_init(&arena, ARENA);
	good = sg_box_run(&spec, &arena, &r, &err) == SG_OK &&
	       r.status == SG_RUN_OK &&
	       sg_str_eq(r.warm, sg_str_c(warm ? s->set : NULL));
	if (!good)
		printf("%s: %s %.*s\n", s->name, err.msg,
		       err.status ? 0 : SG_STR_ARG(r.err.text));
	sg_arena_release(&arena);
	return good;
}

static bool
stand(struct sg_warm *warm)
{
	const struct timespec nap = { 0, 50000000 };
	struct sg_warm_stats st[8];

	for (int i = 0; i < 2400; i++) {
		uint32_t n = sg_warm_stats(warm, st, 8), up = 0;

		for (uint32_t j = 0; j < n && j < 8; j++)
			up += st[j].alive;
		if (n && up == n)
			return true;
		(void)nanosleep(&nap, NULL);
	}
	return false;
}

/* --- others -------------------------------------------------------------- */

/* `argv` with its output thrown away; false when it fails. */
static bool
spawn(const char *const *argv)
{
	const char *const env[] = { "PATH=/usr/bin:/bin", "MPLBACKEND=Agg",
				    NULL };
	posix_spawn_file_actions_t fa;
	int rc, st = -1;
	pid_t pid;

	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, 1, "/dev/null", 1, 0);
	posix_spawn_file_actions_addopen(&fa, 2, "/dev/null", 1, 0);
	rc = posix_spawnp(&pid, argv[0], &fa, NULL,
			  (char *const *)(uintptr_t)argv,
			  (char *const *)(uintptr_t)env);
	posix_spawn_file_actions_destroy(&fa);
	return rc == 0 && waitpid(pid, &st, 0) == pid && st == 0;
}

static bool
bwrap(const char *code)
{
	const char *const argv[] = { "bwrap",
				     "--unshare-all",
				     "--die-with-parent",
				     "--ro-bind",
				     "/usr",
				     "/usr",
				     "--symlink",
				     "usr/bin",
				     "/bin",
				     "--symlink",
				     "usr/lib",
				     "/lib",
				     "--symlink",
				     "usr/lib64",
				     "/lib64",
				     "--ro-bind",
				     "/etc",
				     "/etc",
				     "--proc",
				     "/proc",
				     "--dev",
				     "/dev",
				     "--tmpfs",
				     "/tmp",
				     "/usr/bin/python3",
				     "-I",
				     "-c",
				     code,
				     NULL };

	return spawn(argv);
}

static const char crun_config[] =
	"{\"ociVersion\": \"1.0.0\", \"process\": {\"terminal\": false,"
	"\"user\": {\"uid\": 0, \"gid\": 0}, \"cwd\": \"/\","
	"\"env\": [\"PATH=/usr/bin:/bin\", \"MPLBACKEND=Agg\"],"
	"\"args\": [\"/usr/bin/python3\", \"-I\", \"/tmp/script.py\"],"
	"\"noNewPrivileges\": true},"
	"\"root\": {\"path\": \"root\", \"readonly\": true},"
	"\"mounts\": ["
	"{\"destination\": \"/proc\", \"type\": \"proc\","
	" \"source\": \"proc\"},"
	"{\"destination\": \"/dev\", \"type\": \"tmpfs\","
	" \"source\": \"tmpfs\"},"
	"{\"destination\": \"/usr\", \"type\": \"bind\","
	" \"source\": \"/usr\", \"options\": [\"rbind\", \"ro\"]},"
	"{\"destination\": \"/etc\", \"type\": \"bind\","
	" \"source\": \"/etc\", \"options\": [\"rbind\", \"ro\"]},"
	"{\"destination\": \"/tmp\", \"type\": \"bind\","
	" \"source\": \"%s/tmp\", \"options\": [\"rbind\", \"ro\"]}],"
	"\"linux\": {\"namespaces\": [{\"type\": \"pid\"},"
	"{\"type\": \"mount\"}, {\"type\": \"network\"},"
	"{\"type\": \"ipc\"}, {\"type\": \"uts\"}]}}";

/* A bundle for crun in a new folder; false when it cannot be made. */
static bool
make_bundle(char dir[64])
{
	static const char *const folders[] = { "root",     "root/usr",
					       "root/etc", "root/proc",
					       "root/dev", "root/tmp",
					       "tmp" };
	static const char *const links[] = { "bin", "lib", "lib64" };
	char path[128], text[4096], to[32];
	struct sg_err err;

	sg_err_clear(&err);
	(void)snprintf(dir, 64, "/tmp/sandgate-bench-XXXXXX");
	if (!mkdtemp(dir))
		return false;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		const char *const argv[] = { "mkdir", path, NULL };

		(void)snprintf(path, sizeof(path), "%s/%s", dir, folders[i]);
		if (!spawn(argv))
			return false;
	}
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s/root/%s", dir, links[i]);
		(void)snprintf(to, sizeof(to), "usr/%s", links[i]);
		if (symlink(to, path) < 0)
			return false;
	}
	(void)snprintf(text, sizeof(text), crun_config, dir);
	(void)snprintf(path, sizeof(path), "%s/config.json", dir);
	return sg_file_replace(path, sg_str_c(text), 0644, &err) == SG_OK;
}

/*
 * Where both versions of control groups are mounted crun refuses to work, so
 * it is shown one only.
 */
static bool
crun(const char *dir, const char *code)
{
	static const char one_version[] =
		"mount --bind /sys/fs/cgroup/unified /sys/fs/cgroup && "
		"exec crun --cgroup-manager=disabled run --bundle \"$0\" \"$1\"";
	static unsigned number;
	char path[128], name[64];
	const char *const plain[] = { "crun", "--cgroup-manager=disabled",
				      "run",  "--bundle",
				      dir,    name,
				      NULL };
	const char *const hybrid[] = { "unshare",   "-m", "sh", "-c",
				       one_version, dir,  name, NULL };
	bool both = access("/sys/fs/cgroup/unified", F_OK) == 0;
	struct sg_err err;

	sg_err_clear(&err);
	(void)snprintf(path, sizeof(path), "%s/tmp/script.py", dir);
	(void)snprintf(name, sizeof(name), "sandgate-bench-%ld-%u",
		       (long)getpid(), number++);
	return sg_file_replace(path, sg_str_c(code), 0644, &err) == SG_OK &&
	       spawn(both ? hybrid : plain);
}

/* --- measuring ----------------------------------------------------------- */

struct column {
	const char *name;
	bool there;
	struct times t;
};

enum { WARM, OURS, BWRAP, CRUN, COLUMNS };

static void
bench_script(const struct script *s, struct sg_warm *warm, unsigned rounds,
	     const char *dir)
{
	const struct timespec pause = { 0, PAUSE_MS * 1000000L };
	static const char *const names[] = { "warm", "cold", "bwrap", "crun" };
	static struct column c[COLUMNS];
	uint64_t begun;

	memset(c, 0, sizeof(c));
	c[BWRAP].there = bwrap(s->code);
	c[CRUN].there = dir[0] && crun(dir, s->code);
	for (unsigned i = 0; i < rounds; i++) {
		(void)nanosleep(&pause, NULL);
		begun = sg_clock_mono();
		if (run(s, warm))
			add_time(&c[WARM].t, begun);
		/* They take a hundred times as long. */
		if (i >= COLD)
			continue;
		begun = sg_clock_mono();
		if (run(s, NULL))
			add_time(&c[OURS].t, begun);
		begun = sg_clock_mono();
		if (c[BWRAP].there && bwrap(s->code))
			add_time(&c[BWRAP].t, begun);
		begun = sg_clock_mono();
		if (c[CRUN].there && crun(dir, s->code))
			add_time(&c[CRUN].t, begun);
	}
	printf("%-12s warm p50 %7.2f p99 %7.2f ms (hold %.0f)", s->name,
	       part(&c[WARM].t, 0.5), part(&c[WARM].t, 0.99), s->hold);
	for (int i = OURS; i < COLUMNS; i++)
		if (c[i].t.n)
			printf("; %s %.1f", names[i], part(&c[i].t, 0.5));
		else
			printf("; %s -", names[i]);
	printf("%s\n", c[WARM].t.n < rounds ? " SOME FAILED" : "");
	fflush(stdout);
}

struct load {
	const struct script *script;
	struct sg_warm *warm;
	uint64_t until;
	atomic_uint runs, bad;
};

static void *
keep_running(void *arg)
{
	struct load *l = arg;

	while (sg_clock_mono() < l->until) {
		if (!run(l->script, l->warm))
			atomic_fetch_add(&l->bad, 1);
		atomic_fetch_add(&l->runs, 1);
	}
	return NULL;
}

static void
bench_load(const struct script *s, struct sg_warm *warm)
{
	struct load l = { .script = s, .warm = warm };
	uint64_t begun = sg_clock_mono();
	pthread_t t[2];

	l.until = begun + SECONDS * 1000000000ull;
	for (int i = 0; i < 2; i++)
		if (pthread_create(&t[i], NULL, keep_running, &l) != 0)
			exit(1);
	for (int i = 0; i < 2; i++)
		(void)pthread_join(t[i], NULL);
	printf("%-12s warm, two threads %7.0f runs a second%s\n", s->name,
	       l.runs / ((double)(sg_clock_mono() - begun) / 1e9),
	       l.bad ? ", SOME FAILED" : "");
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10)
				   : ROUNDS;
	struct sg_warm_opts opts;
	struct sg_warm *warm;
	struct sg_err err;
	char dir[64] = "";

	if (!rounds || argc > 2) {
		fprintf(stderr, "usage: warm [ROUNDS]\n");
		return 2;
	}
	sg_err_clear(&err);
	sg_warm_opts_init(&opts);
	opts.eager = true;
	opts.max_age_ms = 0;
	if (sg_warm_open(&opts, &warm, &err) < 0 || !stand(warm)) {
		printf("no zygotes: %s\n", err.msg);
		return 1;
	}
	if (!bwrap("print(1)"))
		printf("bwrap is not installed, or does not work here\n");
	if (!make_bundle(dir) || !crun(dir, "print(1)"))
		printf("crun is not installed, or does not work here\n");
	for (size_t i = 0; i < SCRIPTS; i++)
		bench_script(&scripts[i], warm, rounds, dir);
	for (size_t i = 0; i < SCRIPTS; i++)
		bench_load(&scripts[i], warm);
	sg_warm_free(warm);
	if (dir[0]) {
		const char *const rm[] = { "rm", "-rf", dir, NULL };

		(void)spawn(rm);
	}
	return 0;
}
