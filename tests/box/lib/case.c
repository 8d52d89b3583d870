#include "tests/box/lib/case.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executor/cgroup.h"

enum { ARENA = 512 << 20 };

void
run_init(struct run *t, const char *code)
{
	memset(t, 0, sizeof(*t));
	sg_box_spec_init(&t->spec);
	t->spec.code = sg_str_c(code);
	t->spec.limits.wall_ms = 20000;
	sg_arena_init(&t->arena, ARENA);
	sg_err_clear(&t->err);
}

int
run(struct run *t)
{
	t->rc = sg_box_run(&t->spec, &t->arena, &t->r, &t->err);
	return t->rc;
}

bool
out_is(const struct run *t, const char *want)
{
	if (sg_str_eq(t->r.out.text, sg_str_c(want)))
		return true;
	printf("# output: %.*s\n", SG_STR_ARG(t->r.out.text));
	return false;
}

static int
groups_of(const char *controller)
{
	char dir[SG_CGROUP_PATH], prefix[64];
	enum sg_cgroup_kind kind;
	struct dirent *e;
	int n = 0;
	DIR *d;

	if (!sg_cgroup_own(controller, &kind, dir))
		return 0;
	(void)snprintf(prefix, sizeof(prefix), "sandgate.%ld.", (long)getpid());
	d = opendir(dir);
	while (d && (e = readdir(d)) != NULL)
		n += strncmp(e->d_name, prefix, strlen(prefix)) == 0;
	if (d)
		(void)closedir(d);
	return n;
}

int
box_groups(void)
{
	return groups_of("memory") + groups_of("pids");
}

const struct sg_layer *
layer(const struct run *t, const char *name)
{
	for (uint32_t i = 0; i < t->r.nlayers; i++)
		if (strcmp(t->r.layers[i].name, name) == 0)
			return &t->r.layers[i];
	return NULL;
}

bool
layer_is(const struct run *t, const char *name, enum sg_layer_state want)
{
	const struct sg_layer *l = layer(t, name);

	if (l && l->state == want)
		return true;
	printf("# layer %s: %d %.*s\n", name, l ? (int)l->state : -1,
	       SG_STR_ARG(l ? l->detail : SG_STR_NONE));
	return false;
}

/* In a process of its own: its status, 0 when all is well. */
static int
run_apart(int (*test)(void))
{
	pid_t pid;
	int st = -1;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		st = test();
		fflush(stdout);
		_exit(st);
	}
	if (pid < 0 || waitpid(pid, &st, 0) != pid)
		return -1;
	return st;
}

static int
the_box_works(void)
{
	struct run t;

	run_init(&t, "print('works')");
	NEED_RUN(&t, SG_RUN_OK);
	NEED(out_is(&t, "works\n"));
	return 0;
}

int
box_tests(const struct box_test *tests, const char *what, int argc, char **argv)
{
	const char *must = getenv("SG_BOX_MUST_WORK");
	unsigned ran = 0, failed = 0;

	if (run_apart(the_box_works) != 0 && !(must && *must == '1')) {
		printf("the box cannot be built on this host\n");
		return 0;
	}
	for (size_t i = 0; tests[i].name; i++) {
		int st;

		if (argc > 1 && !strstr(tests[i].name, argv[1]))
			continue;
		st = run_apart(tests[i].run);
		failed += st != 0;
		ran++;
		printf("%s %zu - %s\n", st == 0 ? "ok" : "not ok", i + 1,
		       tests[i].name);
	}
	printf("%u passed, %u failed (%s, as %s)\n", ran - failed, failed, what,
	       geteuid() == 0 ? "root" : "an ordinary user");
	return failed > 0;
}
