/*
 * Ordinary programs give the same inside the box as outside of it.
 *
 *	science [--warm] FILE [PYTHON...]
 *
 * FILE holds programs, each under a line `=== name`.  Each is run by each
 * interpreter, once bare and once in the box; standard output and exit code
 * must be the same.  Prints TAP.  `--warm`: in forks of zygotes, on the
 * system's interpreter.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "executor/box.h"
#include "tests/box/warmly.h"

enum { ARENA = 256 << 20, TEXT = 8 << 20 };

struct outcome {
	struct sg_buf out;
	int exit_code;
};

/* What the box gives its programs, so that only the box differs. */
static char *const env[] = { (char[]){ "PATH=/usr/local/bin:/usr/bin:/bin" },
			     (char[]){ "LANG=C.UTF-8" },
			     (char[]){ "LC_ALL=C.UTF-8" },
			     (char[]){ "USER=sandbox" },
			     (char[]){ "LOGNAME=sandbox" },
			     (char[]){ "HOME=/tmp" },
			     (char[]){ "TERM=dumb" },
			     (char[]){ "MPLBACKEND=Agg" },
			     (char[]){ "OPENBLAS_NUM_THREADS=2" },
			     (char[]){ "OMP_NUM_THREADS=2" },
			     NULL };

static void
child(const char *python, const char *folder, const char *code, int out)
{
	char *const argv[] = { (char *)(uintptr_t)python, (char[]){ "-I" },
			       (char[]){ "-B" },          (char[]){ "-c" },
			       (char *)(uintptr_t)code,   NULL };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 ||
	    dup2(null, 2) < 0 || chdir(folder) < 0)
		_exit(126);
	(void)execve(python, argv, env);
	_exit(127);
}

static int
run_bare(const char *python, const char *code, struct outcome *o)
{
	char folder[] = "/tmp/sg-science-XXXXXX", cmd[64];
	int fds[2], st = -1;
	pid_t pid;

	if (!mkdtemp(folder) || pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid == 0)
		child(python, folder, code, fds[1]);
	(void)close(fds[1]);
	if (sg_fd_read_all(fds[0], &o->out, NULL) < 0)
		return -1;
	(void)close(fds[0]);
	(void)waitpid(pid, &st, 0);
	o->exit_code = WIFEXITED(st) ? WEXITSTATUS(st) : -1;
	(void)snprintf(cmd, sizeof(cmd), "%s", folder);
	pid = fork();
	if (pid == 0) {
		(void)execl("/bin/rm", "rm", "-rf", cmd, (char *)NULL);
		_exit(127);
	}
	(void)waitpid(pid, &st, 0);
	return 0;
}

/* By its words; the gate knows better, but a wrong guess is no error. */
static uint32_t
guess_imports(struct sg_str code, struct sg_str names[3])
{
	static const char *const large[] = { "numpy", "pandas", "matplotlib" };
	uint32_t n = 0;

	for (size_t i = 0; i < 3; i++)
		if (memmem(code.p, code.n, large[i], strlen(large[i])))
			names[n++] = sg_str_c(large[i]);
	return n;
}

static int
run_boxed(const char *python, struct sg_str code, struct sg_warm *warm,
	  struct outcome *o)
{
	struct sg_str imports[3];
	struct sg_box_spec spec;
	struct sg_arena arena;
	struct sg_result r;
	struct sg_err err;
	int rc;

	sg_box_spec_init(&spec);
	spec.code = code;
	spec.python = python;
	spec.limits.wall_ms = spec.limits.cpu_ms = 120000;
	spec.warm = warm;
	spec.imports = imports;
	spec.nimports = guess_imports(code, imports);
	sg_arena_init(&arena, ARENA);
	sg_err_clear(&err);
	rc = sg_box_run(&spec, &arena, &r, &err);
	if (rc == SG_OK) {
		sg_buf_str(&o->out, r.out.text);
		o->exit_code = r.exit_code;
		for (uint32_t i = 0; i < r.ndenied; i++)
			printf("# refused: %.*s\n",
			       SG_STR_ARG(r.denied[i].name));
		if (r.exit_code != 0)
			printf("# %.*s\n", SG_STR_ARG(r.err.text));
		if (warm && !r.warm.n) {
			printf("# it was a cold run\n");
			rc = SG_EBOX;
		}
	} else {
		printf("# %s\n", err.msg);
	}
	sg_arena_release(&arena);
	return rc;
}

static bool
same(const char *python, struct sg_str code, struct sg_warm *warm)
{
	struct outcome bare, boxed;
	char *text = strndup(code.p, code.n);
	bool good;

	sg_buf_init(&bare.out, TEXT);
	sg_buf_init(&boxed.out, TEXT);
	good = text && run_bare(python, text, &bare) == 0 &&
	       run_boxed(python, code, warm, &boxed) == SG_OK;
	if (good &&
	    (bare.exit_code != boxed.exit_code ||
	     !sg_str_eq(sg_buf_view(&bare.out), sg_buf_view(&boxed.out)))) {
		printf("# bare (exit %d): %.*s\n# boxed (exit %d): %.*s\n",
		       bare.exit_code, SG_STR_ARG(sg_buf_view(&bare.out)),
		       boxed.exit_code, SG_STR_ARG(sg_buf_view(&boxed.out)));
		good = false;
	}
	sg_buf_release(&bare.out);
	sg_buf_release(&boxed.out);
	free(text);
	return good;
}

static struct sg_str
take_line(struct sg_str *s)
{
	size_t n = sg_str_find(*s, '\n');
	struct sg_str line = sg_str_slice(*s, 0, n);

	*s = sg_str_slice(*s, n + 1, s->n);
	return line;
}

/* How many programs did not give the same. */
static unsigned
run_all(const char *python, struct sg_str text, const char *only,
	struct sg_warm *warm, unsigned *number)
{
	unsigned bad = 0;

	while (text.n) {
		struct sg_str name = take_line(&text), code = text;
		bool good;

		if (!sg_str_starts(name, SG_STR("=== ")))
			continue;
		name = sg_str_slice(name, 4, name.n);
		while (text.n && !sg_str_starts(text, SG_STR("=== ")))
			(void)take_line(&text);
		code.n = (size_t)(text.p - code.p);
		if (!text.n)
			code.n = (size_t)(text.p - code.p);
		if (only && !memmem(name.p, name.n, only, strlen(only)))
			continue;
		good = same(python, code, warm);
		bad += !good;
		printf("%s %u - %.*s, %s\n", good ? "ok" : "not ok", ++*number,
		       SG_STR_ARG(name), python);
		fflush(stdout);
	}
	return bad;
}

int
main(int argc, char **argv)
{
	const char *must = getenv("SG_BOX_MUST_WORK");
	const char *only = getenv("SG_ONLY");
	const struct sg_layer *layers;
	unsigned bad = 0, number = 0;
	struct sg_arena arena;
	struct sg_buf text;
	struct sg_err err;
	struct sg_warm *warm;
	bool meets = false;
	uint32_t n;

	sg_arena_init(&arena, ARENA);
	sg_err_clear(&err);
	if (sg_box_probe(SG_REQUIRE_STANDARD, &arena, &layers, &n, &meets,
			 &err) < 0 ||
	    !meets) {
		printf("the box cannot be built on this host\n");
		return must && *must == '1';
	}
	sg_arena_release(&arena);
	if (!warm_option(&argc, argv, 0, 0, &warm))
		return 1;
	if (argc < 2)
		return 2;
	sg_buf_init(&text, TEXT);
	if (sg_file_read(argv[1], &text, &err) < 0)
		return 2;
	if (argc == 2)
		bad = run_all("/usr/bin/python3", sg_buf_view(&text), only,
			      warm, &number);
	for (int i = 2; i < argc; i++)
		bad += run_all(argv[i], sg_buf_view(&text), only, warm,
			       &number);
	sg_warm_free(warm);
	sg_buf_release(&text);
	printf("%u passed, %u failed (ordinary programs%s)\n", number - bad,
	       bad, warm ? ", warm" : "");
	return bad || !number;
}
