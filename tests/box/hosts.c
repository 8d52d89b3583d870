/*
 * Hosts that refuse a layer: what still runs, and what is said of it.
 */

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "executor/cgroup.h"
#include "tests/box/lib/case.h"

/* Makes `call` fail with `sys` for us and all below, from now on. */
static int
forbid(const char *call, int sys, int arg, uint64_t mask, uint64_t value)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	struct scmp_arg_cmp cmp = { (unsigned)(arg < 0 ? 0 : arg),
				    SCMP_CMP_MASKED_EQ, mask, value };
	int rc = -1;

	if (ctx)
		rc = seccomp_rule_add_array(ctx, SCMP_ACT_ERRNO((uint32_t)sys),
					    seccomp_syscall_resolve_name(call),
					    arg < 0 ? 0 : 1, &cmp);
	if (rc == 0)
		rc = seccomp_load(ctx);
	seccomp_release(ctx);
	return rc;
}

/* STRICT and STANDARD refuse, or not, and ANY runs and says what is off. */
static int
degrades(const char *name, bool standard_refuses)
{
	struct run t;

	run_init(&t, "print('ran')");
	t.spec.require = SG_REQUIRE_STRICT;
	NEED(run(&t) == SG_EBOX);
	run_init(&t, "print('ran')");
	t.spec.require = SG_REQUIRE_STANDARD;
	NEED(run(&t) == (standard_refuses ? SG_EBOX : SG_OK));
	run_init(&t, "print('ran')");
	t.spec.require = SG_REQUIRE_ANY;
	NEED_RUN(&t, SG_RUN_OK);
	NEED(out_is(&t, "ran\n"));
	NEED(layer_is(&t, name, SG_LAYER_UNAVAILABLE));
	NEED(layer(&t, name)->advice.n > 0);
	NEED(layer_is(&t, "seccomp", SG_LAYER_ACTIVE));
	NEED(layer_is(&t, "no new privileges", SG_LAYER_ACTIVE));
	return 0;
}

/* What must hold even where only the least is to be had. */
static int
bare_box_holds(void)
{
	struct run t;

	run_init(&t, "import os\n"
		     "bad = []\n"
		     "def held(f):\n"
		     "    try:\n"
		     "        bad.append(f())\n"
		     "    except OSError:\n"
		     "        pass\n"
		     "import socket\n"
		     "held(os.fork)\n"
		     "held(socket.socket)\n"
		     "held(lambda: os.kill(os.getppid(), 0))\n"
		     "held(lambda: open('/etc/shadow'))\n"
		     "held(lambda: os.listdir('/root'))\n"
		     "held(lambda: open('/var/tmp/x', 'w'))\n"
		     "held(lambda: os.setuid(0))\n"
		     "open('here', 'w').write('x')\n"
		     "print(bad)\n");
	t.spec.require = SG_REQUIRE_ANY;
	t.spec.collect = true;
	NEED_RUN(&t, SG_RUN_OK);
	NEED(out_is(&t, "[]\n"));
	NEED(t.r.nfiles == 1);
	if (layer_is(&t, "pid namespace", SG_LAYER_UNAVAILABLE)) {
		/* Nobody could end its children for certain. */
		run_init(&t, "import os\nos.fork()");
		t.spec.require = SG_REQUIRE_ANY;
		t.spec.limits.processes = 8;
		NEED_RUN(&t, SG_RUN_SYSCALL_DENIED);
	}
	run_init(&t, "while True: pass");
	t.spec.require = SG_REQUIRE_ANY;
	t.spec.limits.wall_ms = 300;
	NEED_RUN(&t, SG_RUN_TIMEOUT);
	return 0;
}

static int
no_namespaces_at_all(void)
{
	static const uint64_t flags[] = { CLONE_NEWUSER, CLONE_NEWNS,
					  CLONE_NEWPID };

	NEED(forbid("clone3", ENOSYS, -1, 0, 0) == 0);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		NEED(forbid("clone", EPERM, 0, flags[i], flags[i]) == 0);
	NEED(forbid("unshare", EPERM, -1, 0, 0) == 0);
	return degrades("mount namespace", true) || bare_box_holds();
}

static int
no_user_namespace_for_root(void)
{
	if (geteuid() != 0)
		return 0;
	NEED(forbid("clone3", ENOSYS, -1, 0, 0) == 0);
	NEED(forbid("unshare", EPERM, 0, CLONE_NEWUSER, CLONE_NEWUSER) == 0);
	NEED(forbid("clone", EPERM, 0, CLONE_NEWUSER, CLONE_NEWUSER) == 0);
	return degrades("user namespace", true);
}

static int
no_mounts(void)
{
	NEED(forbid("mount", EPERM, -1, 0, 0) == 0);
	return degrades("private root", true) || bare_box_holds();
}

static int
no_pivot_root(void)
{
	NEED(forbid("pivot_root", EPERM, -1, 0, 0) == 0);
	return degrades("private root", true);
}

static int
no_landlock(void)
{
	NEED(forbid("landlock_create_ruleset", ENOSYS, -1, 0, 0) == 0);
	return degrades("landlock", false);
}

static int
no_notification(void)
{
	struct run t;

	/* Its flag is bit 3 of the second argument. */
	NEED(forbid("seccomp", EBUSY, 1, 8, 8) == 0);
	NEED(degrades("seccomp notification", false) == 0);
	run_init(&t, "import os\nos.fork()");
	NEED_RUN(&t, SG_RUN_ERROR);
	NEED(sg_str_eq(t.r.error.name, SG_STR("PermissionError")));
	return 0;
}

static int
no_time_namespace(void)
{
	/* clone3() hidden: the time namespace cannot be asked for. */
	struct run t;

	NEED(forbid("clone3", ENOSYS, -1, 0, 0) == 0);
	run_init(&t, "print('ran')");
	NEED_RUN(&t, SG_RUN_OK);
	NEED(out_is(&t, "ran\n"));
	NEED(layer_is(&t, "pid namespace", SG_LAYER_ACTIVE));
	return 0;
}

static int
read_only_control_groups(void)
{
	char dir[SG_CGROUP_PATH];
	enum sg_cgroup_kind kind;
	struct run t;

	if (geteuid() != 0 || !sg_cgroup_own("memory", &kind, dir))
		return 0;
	NEED(unshare(CLONE_NEWNS) == 0);
	NEED(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
	NEED(mount("/sys/fs/cgroup", "/sys/fs/cgroup", NULL, MS_BIND | MS_REC,
		   NULL) == 0);
	NEED(mount(NULL, "/sys/fs/cgroup/memory", NULL,
		   MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) == 0);
	run_init(&t, "x = []\nwhile True: x.append(bytearray(1 << 20))");
	t.spec.limits.memory = 64u << 20;
	NEED_RUN(&t, SG_RUN_MEMORY_LIMIT);
	NEED(layer_is(&t, "memory limit", SG_LAYER_UNAVAILABLE));
	run_init(&t, "");
	t.spec.require = SG_REQUIRE_STRICT;
	NEED(run(&t) == SG_EBOX);
	return 0;
}

static int
no_control_groups(void)
{
	struct run t;

	if (geteuid() != 0)
		return 0;
	NEED(unshare(CLONE_NEWNS) == 0);
	NEED(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
	(void)umount2("/sys/fs/cgroup", MNT_DETACH);
	run_init(&t, "print('ran')");
	NEED_RUN(&t, SG_RUN_OK);
	NEED(layer_is(&t, "memory limit", SG_LAYER_UNAVAILABLE));
	NEED(layer(&t, "memory limit")->detail.n > 0);
	return 0;
}

static int
probing_says_what_running_finds(void)
{
	const struct sg_layer *layers;
	struct run t;
	uint32_t n;
	bool meets;

	run_init(&t, "");
	NEED(sg_box_probe(SG_REQUIRE_STANDARD, &t.arena, &layers, &n, &meets,
			  &t.err) == SG_OK);
	NEED(meets);
	NEED_RUN(&t, SG_RUN_OK);
	NEED(n == t.r.nlayers);
	for (uint32_t i = 0; i < n; i++)
		NEED(layers[i].state == t.r.layers[i].state);
	return 0;
}

static const struct box_test tests[] = {
	TEST(no_namespaces_at_all),
	TEST(no_user_namespace_for_root),
	TEST(no_mounts),
	TEST(no_pivot_root),
	TEST(no_landlock),
	TEST(no_notification),
	TEST(no_time_namespace),
	TEST(read_only_control_groups),
	TEST(no_control_groups),
	TEST(probing_says_what_running_finds),
	{ 0 },
};

int
main(int argc, char **argv)
{
	return box_tests(tests, "hosts", argc, argv);
}
